/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_BENCH_LOAD_SWEEP_H
#define TESTS_BENCH_LOAD_SWEEP_H

#include "backends/contract/backend.h"
#include "fabric/model/model.h"
#include "fabric/plan/plan.h"

/*
 * All devices of a plan asked through the product's SSH transport in one thread, on demand and all
 * at once, for the cost of each part of a poll. The collector adds its schedule and its queue.
 */
struct sweeper;

enum sweep_depth {
	SWEEP_TRANSPORT, /* bytes arrive and are thrown away */
	SWEEP_PARSE,     /* decoded into a batch */
	SWEEP_APPLY      /* and that applied to a model */
};

struct sweep_result {
	double cpu_s, wall_s; /* of the process, user and system */
	unsigned answers;
	unsigned failed; /* devices without a good answer; complaint is of the first */
	uint64_t bytes;
	char complaint[256];
};

/*
 * payload: asks RESPONDER_PAYLOAD instead of the dialect's requests of each poll. Nothing is asked
 * about the device before, as with a command run over ssh.
 */
struct sweeper *sweeper_new(const struct plan *plan, bool payload);
void sweeper_free(struct sweeper *s); /* closes all sessions */
/* The last round: no facts are learnt for the next one, as with collector_opts.once. */
void sweeper_once(struct sweeper *s);

/* Connects to all, at most 64 at a time. */
void sweeper_connect(struct sweeper *s, struct sweep_result *r);
/* Asks all devices the dialects' one-time requests, and remembers the learnt facts. */
void sweeper_detect(struct sweeper *s, struct sweep_result *r);
/* One poll of a tier of all that are connected. */
void sweeper_ask(
	struct sweeper *s, enum poll_tier tier, enum sweep_depth depth, struct sweep_result *r);
/* The same of the fast tier. */
void sweeper_poll(struct sweeper *s, enum sweep_depth depth, struct sweep_result *r);

/* The model of the batches of SWEEP_APPLY; the sweeper owns it, and nothing ages it. */
struct model *sweeper_model(struct sweeper *s);

/* Of this process: seconds, and MB that are resident now. */
double sweep_cpu_s(void);
double sweep_rss_mb(void);

#endif
