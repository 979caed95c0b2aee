/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_SESSION_PROMETHEUS_PAST_H
#define APP_SESSION_PROMETHEUS_PAST_H

#include <uv.h>

#include "app/session/time_travel.h"
#include "backends/prometheus/prometheus.h"
#include "diagnosis/engine/diagnosis.h"
#include "fabric/model/model.h"

/*
 * What a metrics engine knows of times before the session's own recording: one moment at a time, as
 * a model and a diagnosis of its own. It has the state of that moment and the rates up to it;
 * findings that need more than two samples are not there. Works in pieces on the caller's loop.
 */
struct engine_past;

struct engine_past_opts {
	uv_loop_t *loop;
	struct engine *engine;   /* must outlive it */
	const struct plan *plan; /* likewise */
	/* Another moment is shown, or is on its way. */
	void (*changed)(void *ctx);
	void (*failed)(void *ctx, const struct err *e);
	void *ctx;
};

struct engine_past *engine_past_open(const struct engine_past_opts *o);
void engine_past_close(struct engine_past *p); /* the loop must run once more; NULL is allowed */

/*
 * The way there, where it is the engine's: true, it is dealt with, or on its way. False: it is the
 * recording's; *how and *arg are then what the recording is to be asked. from_us: where the
 * recording begins; here_us: what is shown when it is not the engine's; step_us: a step.
 */
bool engine_past_do(struct engine_past *p, enum scrub *how, int64_t *arg, int64_t from_us,
	int64_t here_us, int64_t step_us);
/* The session was woken: an answer may be there. */
void engine_past_look(struct engine_past *p);

/* NULL is allowed in all of these: nothing is there. */
bool engine_past_active(const struct engine_past *p); /* shown, or on its way */
struct model *engine_past_model(struct engine_past *p);
struct diag *engine_past_diag(struct engine_past *p);
int64_t engine_past_now(const struct engine_past *p);
bool engine_past_seeking(const struct engine_past *p);

#endif
