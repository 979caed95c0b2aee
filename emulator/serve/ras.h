/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_RAS_H
#define EMULATOR_RAS_H

#include "base/buf.h"
#include "emulator/sim/sim.h"

/*
 * NCCL's RAS as a job's processes speak it on localhost:28028 of every host: the client protocol of
 * NCCL 2.29, bytes in and bytes out. Any listener answers for its whole job. No sockets here.
 */
#define RAS_PORT 28028

struct ras;        /* what the RAS threads of all jobs know of each other */
struct ras_client; /* one connection to a listener */

/* Where the processes are seen: ras_sim, or what a test makes up. As the functions of sim.h. */
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
 * Lets the RAS threads see how the processes are at sim_now(), and tells those who monitor. To be
 * called about once a second of device time; an answer sees the present anyway.
 */
void ras_update(struct ras *r);
/* Whether somebody monitors: then time alone brings news. */
bool ras_monitored(const struct ras *r);

/* A connection to the listener of host. NULL: no process listens there, connections are refused. */
struct ras_client *ras_connect(struct ras *r, const struct sim_device *host);
void ras_disconnect(struct ras_client *c); /* NULL is fine */
/* What the client sent. Answers that need no other process are in ras_output() at once. */
void ras_input(struct ras_client *c, const char *bytes, size_t n);
/*
 * Microseconds until the report that was asked for is complete: then call ras_collect(). 0 when
 * there is nothing to collect. 5 s for the first question after a process froze.
 */
int64_t ras_collecting(const struct ras_client *c);
void ras_collect(struct ras_client *c);
/* What waits to be sent; the caller empties it. */
struct buf *ras_output(struct ras_client *c);
/* The listener closes the connection as soon as the output is sent. */
bool ras_over(const struct ras_client *c);

#endif
