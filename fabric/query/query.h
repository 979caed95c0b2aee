/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FABRIC_QUERY_QUERY_H
#define FABRIC_QUERY_QUERY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/*
 * The only filter language: '/', the palette, runbooks and batch mode share it.
 *
 *   term term ...        all of them must hold;
 *   !term                must not hold;
 *   text                 some cell of the row contains it (case-insensitive);
 *   field=value !=       words compare case-insensitively, numbers as numbers;
 *   field~regex  !~      POSIX extended, case-insensitive;
 *   field>1k  >= < <=    numbers with SI suffix (k M G T) or unit, e.g. paused>20% rx>300G;
 *   a|b                  alternatives within one term: oper=down|admin=down.
 *
 * Numbers: 20 -7.3 1e-6, then k M G T (or Ki Mi Gi), then a unit. Units: % b B dBm, C for degrees;
 * us ms s min h d, which compare as times whatever the field's own unit. "/s", "/min", "/h" may
 * follow any of them. Rates compare per second, so flaps/h of a column of flaps per second is
 * written >3/h. A number without a unit is in the field's own.
 *
 * Quotes "..." keep spaces. A field that is unknown for a row makes the term false, also when
 * negated: unknown is never zero.
 */
struct query; /* opaque */

enum query_type { QV_UNKNOWN, QV_NUMBER, QV_TEXT };
struct query_value {
	enum query_type type;
	double number;
	double second; /* of a time: the field's units per second, 1000: ms; 0: seconds */
	bool is_bits;  /* a rate in bits: compared with 8 times a number in bytes, rx>40GB */
	bool at_most;  /* the number is an upper bound: a comparison that it leaves open is unknown
			*/
	char text[128];
};

/* Callbacks for one row: */
struct query_source {
	/* false: there is no such field at all (an error at compile time, see query_check()) */
	bool (*field)(void *ctx, const char *name, struct query_value *out);
	/* all cells as shown, one a line, for free text; valid until the next call; NULL: the
	 * cells are not known */
	const char *(*text)(void *ctx);
	void *ctx;
};

/* Parses text. NULL when it is not a query: *err has the position and the expected item. */
struct query *query_parse(const char *text, struct err *err);
void query_free(struct query *q);
/* Every field of the query must pass known(); else err lists the existing fields. */
bool query_check(const struct query *q, bool (*known)(void *ctx, const char *name), void *ctx,
	const char *all_names, struct err *err);
/* True only if the row certainly matches: an unknown value does not match. */
bool query_match(const struct query *q, const struct query_source *row);

/* The same, for callers that must tell "does not match" from "unknown". */
enum query_answer { QUERY_NO, QUERY_YES, QUERY_UNKNOWN };
/* QUERY_UNKNOWN: the answer depends on a field that is unknown for the row. */
enum query_answer query_decide(const struct query *q, const struct query_source *row);
/* The fields that the query names, each once, at most max; they live as long as the query. */
size_t query_fields(const struct query *q, const char **out, size_t max);
/*
 * Writes the query in words that follow "has": "state fresh or late", "paused rx above 1%", "ber
 * 1e-6 or more". False: dst is too small.
 */
bool query_words(const struct query *q, char *dst, size_t size);

#endif
