/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_RAS_INTERNAL_H
#define EMULATOR_RAS_INTERNAL_H

#include "emulator/serve/ras.h"

/* Types and functions that only ras.c and ras_report.c share. */

#define RAS_LINE_MAX     1024 /* NCCL's receive buffer */
#define RAS_NCCL_VERSION "2.29.2"
#define RAS_CUDA_TEXT    "12.8"
#define RAS_CUDA_VERSION 12080
#define RAS_OUT_MOST     (64U << 20)

enum ras_state { RAS_ALIVE, RAS_FROZEN, RAS_GONE };

/* One process, and its state as the other processes know it. */
struct ras_peer {
	enum ras_state state;
	int64_t since;  /* device time of the state */
	bool known;     /* a request to it has timed out: no later request waits for it */
	bool dead_told; /* considered dead, and reported to the monitors */
};

struct ras_job {
	size_t job; /* of sim_job() */
	unsigned nranks;
	struct ras_peer *peer; /* by rank */
};

struct ras {
	struct ras_opts o;
	struct ras_job *job;
	size_t njobs;
	struct ras_client *clients;
};

enum ras_events { RAS_LIFECYCLE = 1, RAS_TRACE = 2 };

struct ras_client {
	struct ras *ras;
	struct ras_job *job;
	const struct sim_device *host; /* the answering host; its clock stamps the answers */
	unsigned listener;             /* rank of the process that listens */
	char line[RAS_LINE_MAX];
	size_t len;
	struct buf out;
	int64_t timeout_us;
	int64_t collect_us; /* duration of the collection; 0: none is under way */
	unsigned timeouts;  /* number of timeouts in this collection */
	unsigned monitor;   /* enum ras_events */
	bool json, verbose, finished;
	struct ras_client *prev, *next;
};

static inline int64_t ras_now(const struct ras *r)
{
	return r->o.source->now(r->o.sim);
}

static inline void ras_rank(
	const struct ras *r, const struct ras_job *j, unsigned rank, struct sim_rank_view *out)
{
	r->o.source->rank(r->o.sim, j->job, rank, out);
}

static inline void ras_job_view(const struct ras_client *c, struct sim_job_view *out)
{
	c->ras->o.source->job(c->ras->o.sim, c->job->job, out);
}

/* True if the other processes consider this one dead, as of sim_now(). */
bool ras_considered_dead(const struct ras *r, const struct ras_peer *p);
/* "2026-11-20 20:07:46" by the clock of the answering host. */
void ras_timestamp(const struct ras_client *c, char *dst, size_t size);
void ras_address(const struct ras *r, const struct sim_device *host, char dst[64]);
static inline bool ras_missing(const struct ras_peer *p)
{
	return p->state != RAS_ALIVE;
}

/*
 * ras_report.c: the part of the text that needs no other process; the rest of the text; the whole
 * JSON.
 */
void ras_report_head(struct ras_client *c);
void ras_report_text(struct ras_client *c, double seconds);
/* NCCL's name of an enum sim_coll. */
const char *ras_function(int coll);

/* ras_json.c */
void ras_report_json(struct ras_client *c, double seconds);

#endif
