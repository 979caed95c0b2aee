/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_SESSION_PROMETHEUS_PAST_H
#define APP_SESSION_PROMETHEUS_PAST_H

#include <uv.h>

#include "app/session/time_travel.h"
#include "backends/prometheus/prometheus.h"
#include "diagnosis/engine/diagnosis.h"
#include "fabric/model/model.h"

/*
 * Shows moments before the session's own recording from a metrics engine, one at a time, with a
 * model and a diagnosis of its own. A moment has the state then and the rates up to it, but no
 * findings that need more than two samples. Works in pieces on the caller's loop.
 */
struct prometheus_past;

struct prometheus_past_opts {
	uv_loop_t *loop;
	struct prometheus *engine; /* must outlive it */
	const struct plan *plan;   /* likewise */
	/* Another moment is shown or sought. */
	void (*changed)(void *ctx);
	void (*failed)(void *ctx, const struct err *e);
	void *ctx;
};

struct prometheus_past *prometheus_past_open(const struct prometheus_past_opts *o);
void prometheus_past_close(
	struct prometheus_past *p); /* the loop must run once more; NULL is allowed */

/*
 * Handles a time command if its target is before the recording. True: handled, or under way. False:
 * the recording must handle the command in *how and *arg. from_us: the beginning of the recording.
 * here_us: the shown time without the engine. step_us: length of a step.
 */
bool prometheus_past_do(struct prometheus_past *p, enum scrub *how, int64_t *arg, int64_t from_us,
	int64_t here_us, int64_t step_us);
/* Checks for an answer; to be called when the session was woken. */
void prometheus_past_look(struct prometheus_past *p);

/* For all of these p NULL is allowed and means inactive. */
bool prometheus_past_active(const struct prometheus_past *p); /* true: shown or under way */
struct model *prometheus_past_model(struct prometheus_past *p);
struct diag *prometheus_past_diag(struct prometheus_past *p);
int64_t prometheus_past_now(const struct prometheus_past *p);
bool prometheus_past_seeking(const struct prometheus_past *p);

#endif
