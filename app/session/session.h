/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_SESSION_SESSION_H
#define APP_SESSION_SESSION_H

#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "base/err.h"
#include "app/session/recording.h"
#include "backends/prometheus/prometheus.h"
#include "diagnosis/engine/diagnosis.h"
#include "fabric/model/model.h"

/*
 * A session joins the inventory, the source of observations (collector threads, a file, or standard
 * input) and the model, on the caller's event loop. The console and the headless commands are two
 * users of it.
 */
struct session;

#define SESSION_HELD_BYTES ((size_t)256 << 20) /* of batches that are held back while paused */

struct session_opts {
	const char *inventory;    /* fabric.yaml; NULL is allowed with observations */
	const char *observations; /* a file or "-"; NULL: poll the devices */
	int observations_fd;      /* for "-": where the lines come from */
	unsigned collectors;
	bool once; /* each device once, for `check` */
	/* Somebody types: what the devices say is applied and judged in pieces of a few ms, and
	 * changed() comes when all of it is done. Files and standard input are taken whole. */
	bool in_pieces;
	size_t held_max;                        /* bytes; 0: SESSION_HELD_BYTES */
	const struct recording_opts *recording; /* NULL: nothing is recorded */
	uint64_t memory; /* bytes for the history of counters; 0: by the fabric */
	/* After the model changed or grew older; on the loop's thread. */
	void (*changed)(void *ctx);
	/* Warnings for people: problems in the inventory, unknown observation keys. */
	void (*warn)(void *ctx, const char *message);
	void *ctx;
};

/* NULL with err filled when the inventory cannot be used or polling cannot start. */
struct session *session_open(uv_loop_t *loop, const struct session_opts *opts, struct err *err);
/* Stops collecting and closes the handles; the loop must run once more before it is closed. What it
 * recorded is closed, too: what fails there is a warning. */
void session_close(struct session *s);

struct model *session_model(struct session *s);
const struct plan *session_plan(const struct session *s); /* the inventory's */
/* Ages and judges what there is now, as it happens after each change. */
void session_judge(struct session *s);
/* The diagnosis of that model, as of the last change. */
struct diag *session_diag(struct session *s);
/* The time that the data stands for: now, or the time of the last observation of a file. */
int64_t session_now(const struct session *s);
/* The time of the last judgement, as a recording has it: what is shown is of that moment. */
int64_t session_judged(const struct session *s);
/* A file of observations was read to its end (or standard input was closed). */
bool session_ended(const struct session *s);
/* With once: every device has answered everything it is asked, or failed. */
bool session_all_heard(const struct session *s);

/* Holds batches back (up to held_max bytes; the oldest are dropped) or applies what was held. */
void session_hold(struct session *s, bool hold);
size_t session_waiting(const struct session *s);
void session_focus(struct session *s, const char *device);
bool session_poll(struct session *s, const char *device); /* false: nothing to poll */
/* NULL: nothing is recorded. */
struct recording *session_recording(struct session *s);
/* Something that was done to the model or the diagnosis, for the recording. Takes over what e owns.
 */
void session_note(struct session *s, struct entry *e);
/* What the device answers from now on is recorded verbatim, too, or not any more. */
void session_keep_raw(struct session *s, const char *device, bool on);
/* Of the inventory's metrics engine; NULL: there is none. */
const struct prometheus_map *session_mapping(const struct session *s);
struct prometheus *session_prometheus(struct session *s);
/* Takes what the collectors have now, without waiting for their signal. */
void session_drain(struct session *s);

#endif
