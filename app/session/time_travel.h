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
struct lookback;

struct lookback_opts {
	uv_loop_t *loop;
	const char *path;            /* the file; NULL: the session's last hour */
	struct recording *recording; /* with path NULL */
	int64_t at_us;               /* for a file: where to begin; INT64_MAX: its end */
	/* Another moment is shown or sought: see lookback_moment(). */
	void (*changed)(void *ctx);
	void (*failed)(void *ctx, const struct err *e);
	void *ctx;
};

struct lookback *lookback_open(const struct lookback_opts *o, struct err *err);
void lookback_close(struct lookback *s); /* the loop must run once more; NULL is allowed */

/* The time hook of the console. now_us: the time of the live data. */
bool lookback_do(struct lookback *s, enum scrub how, int64_t arg, int64_t now_us, struct err *err);
/* True: a moment of the recording is shown or sought. */
bool lookback_active(const struct lookback *s);
/* NULL while live, or before the first arrival. */
struct model *lookback_model(struct lookback *s);
struct diag *lookback_diag(struct lookback *s);
const trail_vec *lookback_trail(const struct lookback *s);
const struct plan *lookback_plan(const struct lookback *s);
int64_t lookback_now(const struct lookback *s);
/* live_us: the time of the live data, 0: none. */
void lookback_moment(struct lookback *s, int64_t live_us, struct console_moment *out);
/* The open file; NULL: none. */
struct rts *lookback_file(struct lookback *s);
/* Path of the file. */
const char *lookback_path(const struct lookback *s);

#endif
