/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VIEWS_PANELS_CAUSE_H
#define VIEWS_PANELS_CAUSE_H

#include "views/columns/columns.h"

/*
 * The cause banner: the culprit, both of its ends, the number that convicts it, what waits for it,
 * its age, and the keys that lead on. It stands on every page, because a page of victims without
 * its cause misleads.
 */

#define CAUSE_LINES 3

struct cause_line {
	enum role role; /* of the head */
	char head[64];
	char text[320];
};

/* The keys of the commands that lead on, as they are bound; "": not bound. */
struct cause_keys {
	char evidence[24], trace[24], chart[24], runbook[24], ticket[24], all[24];
};

/* So long a cause that ended is told, when there is no other. */
#define CAUSE_ENDED_US (INT64_C(15) * 60 * 1000000)

/*
 * Fills at most `most` lines of at most `width` columns and returns their number. 0: there is no
 * culprit, no critical evidence without one, and none ended lately. keys may be NULL.
 */
size_t cause_lines(const struct view_ctx *ctx, int width, const struct cause_keys *keys,
	struct cause_line *out, size_t most);
/* The finding that the banner names; NULL: none. */
const struct finding *cause_finding(const struct view_ctx *ctx);
/*
 * The newest cause that closed within CAUSE_ENDED_US, while none is open; NULL: none. *others: how
 * many more did.
 */
const struct finding *cause_ended(const struct view_ctx *ctx, int64_t *closed_us, unsigned *others);
/* Whether it is at the device, or at a port of it, or its other end is. */
bool cause_is_at(const struct view_ctx *ctx, const struct device *d);
/*
 * Whether what is bad there is the pausing alone that the cause spreads: the word for it is victim.
 * d: the device; NULL: a rail, which has no part of the cause.
 */
bool cause_victim(const struct view_ctx *ctx, const struct device *d, const struct health *h);
/* device_column() with the words CAUSE and victim in the state; scripts keep the severity. */
void cause_device_column(
	const struct view_ctx *ctx, const struct device *d, enum column col, struct view_cell *out);
/* The number that convicts: "paused 99%"; "" if no number has a limit. Returns dst. */
char *cause_number(const struct finding *f, char *dst, size_t size);
/* "40s", "4m", "2h05m": in steps, so that an idle screen does not change each second. */
char *cause_age(int64_t us, char *dst, size_t size);

#endif
