/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_SESSION_TIME_TRAVEL_H
#define APP_SESSION_TIME_TRAVEL_H

#include <uv.h>

#include "app/session/recording.h"
#include "views/console/console.h"

/*
 * Time travel of the console: shows a moment of a file, or of the session's last hour while the
 * session continues. Works in pieces on the caller's loop.
 */
struct time_travel;

struct time_travel_opts {
	uv_loop_t *loop;
	const char *path;            /* the file; NULL: the session's last hour */
	struct recording *recording; /* with path NULL */
	int64_t at_us;               /* for a file: where to begin; INT64_MAX: its end */
	/* Another moment is shown or sought: see time_travel_moment(). */
	void (*changed)(void *ctx);
	void (*failed)(void *ctx, const struct err *e);
	void *ctx;
};

struct time_travel *time_travel_open(const struct time_travel_opts *o, struct err *err);
void time_travel_close(struct time_travel *s); /* the loop must run once more; NULL is allowed */

/* The time hook of the console. now_us: the time of the live data. */
bool time_travel_do(
	struct time_travel *s, enum scrub how, int64_t arg, int64_t now_us, struct err *err);
/* True: a moment of the recording is shown or sought. */
bool time_travel_active(const struct time_travel *s);
/* NULL while live, or before the first arrival. */
struct model *time_travel_model(struct time_travel *s);
struct diag *time_travel_diag(struct time_travel *s);
const runbook_log *time_travel_trail(const struct time_travel *s);
const struct plan *time_travel_plan(const struct time_travel *s);
int64_t time_travel_now(const struct time_travel *s);
/* live_us: the time of the live data, 0: none. */
void time_travel_moment(struct time_travel *s, int64_t live_us, struct console_moment *out);
/* The open file; NULL: none. */
struct rts *time_travel_file(struct time_travel *s);
/* Path of the file. */
const char *time_travel_path(const struct time_travel *s);

#endif
