/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_BACKENDS_DIALECTS_CHANGE_BED_H
#define TESTS_BACKENDS_DIALECTS_CHANGE_BED_H

#include "backends/contract/change.h"

/* A dialect's changes on one switch, and answers given to them by hand. */
struct change_bed {
	struct target target;
	struct facts facts;
	const struct dialect_changes *can;
	struct condition now;
	struct err err; /* of the last call that failed */
};
void change_bed_open(struct change_bed *b, const char *dialect, enum transport_kind transport);
void change_bed_close(struct change_bed *b);

struct order change_order(enum verb verb, const char *port);
/* The same with the neighbour 10.64.3.1 of AS 65100, and with a watchdog's settings. */
struct order change_bgp_order(enum verb verb, const char *port);
struct order change_start_order(
	const char *port, const char *action, unsigned detect_ms, unsigned restore_ms);
/* Fails the test unless the order is not refused and its text is this. */
void change_says(struct change_bed *b, const struct order *o, const char *want);
/* The only request of the order: its command, or its body. Freed by the caller; NULL: refused. */
char *change_text(struct change_bed *b, const struct order *o);
/* Fails the test unless the order is refused with this code, in words that have this. */
void change_refused(
	struct change_bed *b, const struct order *o, enum err_code code, const char *words);
/* Of all requests of look(), "name: command or body", a line each; freed by the caller. */
char *change_looks(struct change_bed *b, const struct order *o);
bool change_see(struct change_bed *b, const struct order *o, const char *request, const char *bytes,
	int status);
enum taken change_taken(struct change_bed *b, const struct order *o, const char *bytes, int status);

#endif
