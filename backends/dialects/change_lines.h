/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_DIALECTS_CHANGE_LINES_H
#define BACKENDS_DIALECTS_CHANGE_LINES_H

#include "backends/contract/change.h"

/*
 * The lines of one change on a switch with a command line of modes (EOS, NX-OS), and what its
 * configuration says of the link behind a port.
 */
#define CHANGE_LINES    24u
#define CHANGE_LINE_MAX 256u

struct change_lines {
	char at[CHANGE_LINES][CHANGE_LINE_MAX];
	size_t n;
	bool overflow; /* a line was too long, or there were too many: nothing may be sent */
};
void change_line(struct change_lines *l, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/*
 * The site's own (order.lines), filled. Blank lines are left out. False (ERR_CONFIG): an unknown
 * word, a control character, or one of the characters in not_allowed.
 */
bool change_lines_site(
	struct change_lines *l, const struct order *o, const char *not_allowed, struct err *err);
/* All of them with sep between; the caller frees. */
char *change_lines_join(const struct change_lines *l, const char *sep);

/*
 * What a switch's command line printed for these lines: complaint() finds the first line that is
 * one, said() puts it into an error. Without a complaint and with status 0 they were taken.
 */
enum taken change_taken_cli(const struct target *t, const struct reply *r,
	bool (*complaint)(const char *bytes, size_t len, char *dst, size_t size),
	bool (*said)(const struct target *t, const char *words, struct err *err), struct err *err);

/* What is said to refuse an order; returns false. */
bool change_refuse(struct err *err, const struct target *t, const struct order *o, const char *why,
	const char *cure);

/*
 * Whether port names one port of the front panel: "Ethernet7", "Ethernet1/7/2". No range of them
 * ("Ethernet0-3"), no short form, nothing that is not of the fabric.
 */
bool change_is_port(const char *port);

/*
 * Whether address lies in the subnet of prefix ("10.64.3.0/31", "fd00::1/127") and is another than
 * prefix itself: the far end of a link. False for subnets larger than /24 and /64: those are no
 * links. Both families.
 */
bool change_far_end(const char *prefix, const char *address);

#endif
