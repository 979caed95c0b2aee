/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FABRIC_QUERY_H
#define FABRIC_QUERY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/*
 * The one filter language: '/', the palette, runbooks and batch mode share it.
 *
 *   term term ...        all of them must hold
 *   !term                must not hold
 *   text                 some cell of the row contains it (case-insensitive)
 *   field=value !=       words compare case-insensitively, numbers as numbers
 *   field~regex  !~      POSIX extended, case-insensitive
 *   field>1k  >= < <=    numbers with SI suffix (k M G T) or %, e.g. paused>20% rx>300G
 *   a|b                  alternatives within one term: oper=down|admin=down
 * Quotes "..." keep spaces. A field that is unknown for a row makes the term false, negated too:
 * unknown is never zero.
 */
struct query; /* opaque */

enum query_type { QV_UNKNOWN, QV_NUMBER, QV_TEXT };
struct query_value {
	enum query_type type;
	double number;
	char text[128];
};

/* How the caller answers for a row: */
struct query_source {
	/* false: there is no such field at all (an error at compile time, see query_check()) */
	bool (*field)(void *ctx, const char *name, struct query_value *out);
	/* all cells as shown, one a line, for free text; valid until the next call */
	const char *(*text)(void *ctx);
	void *ctx;
};

/* NULL with *err filled (the position and what is expected) when text is not a query. */
struct query *query_parse(const char *text, struct err *err);
void query_free(struct query *q);
/* Every field that the query names must pass known(); else err lists the fields that exist. */
bool query_check(const struct query *q, bool (*known)(void *ctx, const char *name), void *ctx,
	const char *all_names, struct err *err);
bool query_match(const struct query *q, const struct query_source *row);

#endif
