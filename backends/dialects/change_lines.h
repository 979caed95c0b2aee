/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_DIALECTS_CHANGE_LINES_H
#define BACKENDS_DIALECTS_CHANGE_LINES_H

#include "backends/contract/change.h"

/*
 * Command lines of one change on a switch with a modal CLI (EOS, NX-OS), and checks of link
 * addresses in its configuration.
 */
#define CHANGE_LINES    24u
#define CHANGE_LINE_MAX 256u

struct change_lines {
	char at[CHANGE_LINES][CHANGE_LINE_MAX];
	size_t n;
	bool overflow; /* a line was too long, or there were too many: send nothing */
};
void change_line(struct change_lines *l, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/*
 * Adds the site's own lines (order.lines) with placeholders filled in; skips blank lines. False
 * (ERR_CONFIG): an unknown placeholder, a control character, or a character in not_allowed.
 */
bool change_lines_site(
	struct change_lines *l, const struct order *o, const char *not_allowed, struct err *err);
/* Returns all lines, separated by sep; the caller frees it. */
char *change_lines_join(const struct change_lines *l, const char *sep);

/*
 * Judges the CLI's output for these lines. complaint() finds the first error line, said() puts it
 * into an error. Without an error line and with status 0 the lines were accepted.
 */
enum taken change_taken_cli(const struct target *t, const struct reply *r,
	bool (*complaint)(const char *bytes, size_t len, char *dst, size_t size),
	bool (*said)(const struct target *t, const char *words, struct err *err), struct err *err);

/* Sets the error of a refused order; returns false. */
bool change_refuse(struct err *err, const struct target *t, const struct order *o, const char *why,
	const char *cure);

/*
 * True: port is the name of one front-panel port: "Ethernet7", "Ethernet1/7/2". False for a range
 * ("Ethernet0-3"), a short form and other interfaces.
 */
bool change_is_port(const char *port);

/*
 * True: address lies in the subnet of prefix ("10.64.3.0/31", "fd00::1/127") and differs from it:
 * it is the far end of a link. False for subnets larger than /24 and /64, which are not links. Both
 * address families.
 */
bool change_far_end(const char *prefix, const char *address);

#endif
