/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_CASES_SWITCHES_SONIC_RIG_H
#define TESTS_CASES_SWITCHES_SONIC_RIG_H

#include "backends/contract/backend.h"
#include "backends/contract/facts.h"
#include "diagnosis/engine/diagnosis.h"
#include "tests/bench/diagnosis/bed.h"
#include "tests/support/sonic_redis.h"

/*
 * A SONiC leaf "leaf" out of a real Redis, with one NIC "nodeN:mlx5_0" at each of its first three
 * ports. The dialect's own requests run on it through a shell. Their answers are decoded, applied
 * to a model and judged, as in the console. Time is the rig's own: SONIC_RIG_INTERVAL_S a poll.
 */
#define SONIC_RIG_INTERVAL_S 2

struct sonic_rig {
	struct sonic_redis redis;
	struct plan plan;
	struct bed bed;
	struct facts facts;
	uint8_t lossless;
	int64_t now_us;
	char dir[64];
	unsigned calls; /* scripts that Redis ran for the last sonic_rig_ask() */
	size_t bytes;   /* of its answers */
};

/* False: there is no Redis on this machine. lossless: the plan's priorities, "3" or "3,4". */
bool sonic_rig_open(struct sonic_rig *r, const char *lossless);
void sonic_rig_close(struct sonic_rig *r); /* one that was not opened is allowed */

/*
 * Commands of Redis, a line each; "SELECT 2" chooses the database. asic -1: the switch's own.
 */
void sonic_rig_redis(struct sonic_rig *r, int asic, const char *commands);
/*
 * Adds a port with all its rows: eight queues, counters of 0, a watchdog on the queues of `watched`
 * ("3,4"). n numbers the port from 1 on; object ids follow from it.
 */
void sonic_rig_port(
	struct sonic_rig *r, int asic, const char *name, unsigned n, const char *watched);
/* Object ids of the port's counters and of a queue's, as sonic_rig_port() made them. */
const char *sonic_rig_oid(unsigned n);
const char *sonic_rig_queue(unsigned n, unsigned queue);

/* Runs all requests of a tier, or the one of that name (else NULL), and returns the answers'
 * batches, linked by next. The caller frees each. */
struct obs *sonic_rig_ask(struct sonic_rig *r, enum poll_tier tier, const char *only);
/* Applies the tier's answers to the model. */
void sonic_rig_learn(struct sonic_rig *r, enum poll_tier tier);
/* What a poll is asked for besides counters: identity, settings, neighbours and modules. */
void sonic_rig_learn_all(struct sonic_rig *r);
/* Moves time by one interval, polls the counters once and judges. */
void sonic_rig_poll(struct sonic_rig *r);
/* The open finding of that name at "leaf:Ethernet8" or "leaf:Ethernet8/3"; NULL at: anywhere. */
const struct finding *sonic_rig_found(const struct sonic_rig *r, const char *id, const char *at);
void sonic_rig_print(const struct sonic_rig *r);

#endif
