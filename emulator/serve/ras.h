/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_RAS_H
#define EMULATOR_RAS_H

#include "base/buf.h"
#include "emulator/sim/sim.h"

/*
 * NCCL's RAS, as a job's processes serve it on localhost:28028 of every host: the client protocol
 * of NCCL 2.29, bytes in and bytes out. Any listener answers for its whole job. No sockets here.
 */
#define RAS_PORT 28028

struct ras;        /* state of the RAS threads of all jobs */
struct ras_client; /* one connection to a listener */

/*
 * The source of the process states: ras_sim, or a test's own. The members are like the functions of
 * sim.h.
 */
struct ras_source {
	int64_t (*now)(const struct sim *s);
	size_t (*job_count)(const struct sim *s);
	void (*job)(const struct sim *s, size_t job, struct sim_job_view *out);
	void (*rank)(const struct sim *s, size_t job, unsigned rank, struct sim_rank_view *out);
};
extern const struct ras_source ras_sim;

struct ras_opts {
	const struct ras_source *source;
	const struct sim *sim; /* its jobs are set; outlives the ras */
	/* The address of a host as its processes see it: "127.44.0.15". */
	void (*address)(void *arg, const struct sim_device *host, char *dst, size_t size);
	void *arg;
};

struct ras *ras_new(const struct ras_opts *o);
void ras_free(struct ras *r); /* after its clients */

/*
 * Updates the RAS threads to the processes' state at sim_now(), and sends events to monitors. Call
 * it about once per second of device time; an answer has the current state in any case.
 */
void ras_update(struct ras *r);
/* True if a client monitors events: then time alone can cause output. */
bool ras_monitored(const struct ras *r);

/* A connection to the listener of host. NULL: no process listens there, connections are refused. */
struct ras_client *ras_connect(struct ras *r, const struct sim_device *host);
void ras_disconnect(struct ras_client *c); /* NULL is allowed */
/* Bytes from the client. Answers that need no other process are in ras_output() at once. */
void ras_input(struct ras_client *c, const char *bytes, size_t n);
/*
 * Microseconds until the requested report is complete: then call ras_collect(). 0 if no report is
 * requested. 5 s for the first request after a process froze.
 */
int64_t ras_collecting(const struct ras_client *c);
void ras_collect(struct ras_client *c);
/* Bytes to send; the caller empties the buffer. */
struct buf *ras_output(struct ras_client *c);
/* The listener closes the connection as soon as the output is sent. */
bool ras_over(const struct ras_client *c);

#endif
