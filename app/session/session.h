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
 * A session connects the inventory, the source of observations (collector threads, a file, or
 * standard input) and the model. It runs on the caller's event loop. The console and the headless
 * commands use it.
 */
struct session;

#define SESSION_HELD_BYTES ((size_t)256 << 20) /* limit of the batches held back during a pause */

struct session_opts {
	const char *inventory;    /* fabric.yaml; NULL is allowed with observations */
	const char *observations; /* a file or "-"; NULL: poll the devices */
	int observations_fd;      /* for "-": the descriptor to read lines from */
	unsigned collectors;
	bool once; /* poll each device once, for `check` */
	/*
	 * For programs with a keyboard: applies and judges batches in pieces of a few ms, and calls
	 * changed() when all are done. A file and standard input are not split into pieces.
	 */
	bool in_pieces;
	size_t held_max;                        /* bytes; 0: SESSION_HELD_BYTES */
	const struct recording_opts *recording; /* NULL: nothing is recorded */
	uint64_t memory; /* bytes for the history of counters; 0: from the size of the fabric */
	/* Called on the loop's thread after the model has changed or aged. */
	void (*changed)(void *ctx);
	/* Gets warnings for the operator: problems in the inventory, unknown observation keys. */
	void (*warn)(void *ctx, const char *message);
	void *ctx;
};

/* NULL with err: the inventory cannot be used, or polling cannot start. */
struct session *session_open(uv_loop_t *loop, const struct session_opts *opts, struct err *err);
/*
 * Stops collecting, closes the recording and the handles. The loop must run once more before it is
 * closed. False: the recording is not whole; a warning says why.
 */
bool session_close(struct session *s);

struct model *session_model(struct session *s);
const struct plan *session_plan(const struct session *s); /* made from the inventory */
/* Ages and judges the model at once, as the session does after each change. */
void session_judge(struct session *s);
/* The diagnosis of session_model(), as of the last judgement. */
struct diag *session_diag(struct session *s);
/* The time of the data in us: now, or the time of the last observation of a file. */
int64_t session_now(const struct session *s);
/*
 * The time of the last judgement in us. The findings on the screen are of that time, and the
 * recording stores it.
 */
int64_t session_judged(const struct session *s);
/* True: the file of observations was read to its end, or standard input was closed. */
bool session_ended(const struct session *s);
/* With once: every device has answered all requests, or failed. */
bool session_all_heard(const struct session *s);

/*
 * hold: holds batches back, up to held_max bytes; beyond that the oldest are dropped. Otherwise
 * applies the batches held back.
 */
void session_hold(struct session *s, bool hold);
/* Number of batches held back during a pause. */
size_t session_waiting(const struct session *s);
/* Sets the device on the screen, which is polled once a second; NULL: none. */
void session_focus(struct session *s, const char *device);
/* Polls the device now; NULL: all devices. False: the session has no devices to poll. */
bool session_poll(struct session *s, const char *device);
/* NULL: nothing is recorded. */
struct recording *session_recording(struct session *s);
/*
 * Records a change of the model or the diagnosis by the operator. Takes ownership of the members of
 * e.
 */
void session_note(struct session *s, struct entry *e);
/* The same for an acknowledgement of another process: an acks_taken_fn, session is its ctx. */
void session_note_taken(void *session, const struct finding *f, bool withdrawn);
/* Switches verbatim recording of the device's answers on or off. */
void session_keep_raw(struct session *s, const char *device, bool on);
/* Mapping and connection of the inventory's metrics engine; NULL: there is none. */
const struct prometheus_map *session_mapping(const struct session *s);
struct prometheus *session_prometheus(struct session *s);
/* Takes the batches that the collectors have now, without waiting for their wake-up. */
void session_drain(struct session *s);

#endif
