/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_DIAGNOSIS_ENGINE_STAND_H
#define TESTS_DIAGNOSIS_ENGINE_STAND_H

#include "diagnosis/engine/diagnosis.h"
#include "fabric/model/model.h"
#include "fabric/plan/plan.h"

/*
 * A small fabric that is polled by hand, for tests of diagnosis code. Batches go through
 * model_apply() and diag_note(), then diag_run(). Two rails, eight hosts node000 to node007 with
 * mlx5_0 (rail 0) and mlx5_1 (rail 1); leaf-rR-00 has nodes 0-3 and leaf-rR-01 nodes 4-7 at
 * Ethernet0, 4, 8, 12; their uplinks Ethernet16, 20, 24, 28 go to spine-000 to spine-003, port
 * Ethernet1/1 (leaf-r0-00), 2/1 (leaf-r0-01), 3/1 (leaf-r1-00), 4/1 (leaf-r1-01). 400G, priority 3
 * lossless. Everything is healthy at first: up, 10 % load, LLDP as planned, all counters of loss
 * and pause stand at 0. A port is named by its locator, "leaf-r0-00:Ethernet0"; an unknown name
 * fails the test.
 */
#define STAND_T0       (INT64_C(1700000000) * 1000000)
#define STAND_INTERVAL (INT64_C(5) * 1000000)
#define STAND_LOSSLESS 3

/* Applies the batches and judges, in place of the stand itself. */
struct stand_driver {
	void (*apply)(void *ctx, struct obs *o, int64_t at_us); /* takes the batch over */
	void (*judge)(void *ctx, int64_t at_us);
	void *ctx;
};

struct stand {
	struct model *m;
	struct diag *d;
	int64_t now_us; /* time of the last poll */
	struct stand_driver driver;
	struct stand_own *own; /* private */
};

/* The plan of the stand; the caller frees it. */
void stand_plan(struct plan *plan);
struct stand *stand_new(void);
void stand_free(struct stand *s);
/* For cmocka: the state is such a stand of the test's own, polled three times. */
int stand_setup(void **state);
/*
 * The same with two spines in use and two links of each leaf to each: Ethernet16 and 20 go to
 * spine-000, port Ethernet1/1 and 1/2 (leaf-r0-00), Ethernet24 and 28 to spine-001.
 */
int stand_setup_parallel(void **state);
int stand_teardown(void **state);

uint32_t stand_port(const struct stand *s, const char *port);
uint32_t stand_device(const struct stand *s, const char *device);
struct port *stand_port_of(const struct stand *s, const char *port); /* the model's */

/* From the next poll on the counter grows so fast a second. */
void stand_rate(struct stand *s, const char *port, counter_id id, unsigned sub, double per_second);
/* By the next poll it has grown by n more, once. */
void stand_add(struct stand *s, const char *port, counter_id id, unsigned sub, double n);
/* From the next poll on the gauge reads so; NAN: it is not reported. */
void stand_gauge(struct stand *s, const char *port, counter_id id, unsigned sub, double value);
/* The counter or gauge is not reported any more; the device cannot. */
void stand_unsupported(struct stand *s, const char *port, counter_id id, unsigned sub);

/* Reported once, in the next poll of the port's device (the model remembers settings). */
void stand_number(struct stand *s, const char *port, enum obs_attr a, unsigned sub, double value);
void stand_word(struct stand *s, const char *port, enum obs_attr a, unsigned sub, const char *text);
/* The batch that the next poll of the device will hand over, for anything else. */
struct obs *stand_batch(struct stand *s, const char *device);

/* Traffic of a link in per cent of 400G: a sends so much to b; both ends count it. */
void stand_load(struct stand *s, const char *from, double percent);
/*
 * From now on the egress port is paused by its peer for that share of time, per cent: durations,
 * frames and transitions at both ends.
 */
void stand_hold(struct stand *s, const char *port, double percent);
/* Both ends report it in the next poll; a link that is down carries nothing. */
void stand_link(struct stand *s, const char *port, bool up);
/* It misses all polls (true), or answers again. */
void stand_silent(struct stand *s, const char *device, bool silent);

/* n polls of all devices, STAND_INTERVAL apart, each followed by a run. */
void stand_poll(struct stand *s, unsigned n);
/* A poll of one device at the time of the last one plus us, and a run. */
void stand_poll_one(struct stand *s, const char *device, int64_t us);

/* The open finding by its contract names ("link.down"; a locator, "leaf-r0-00:Ethernet0"); NULL. */
const struct finding *stand_found(const struct stand *s, const char *id, const char *at);
/* How many findings of that name are open; NULL: of the role. */
unsigned stand_count(const struct stand *s, const char *id);
unsigned stand_role(const struct stand *s, enum finding_role role);
/* Whether the finding has an evidence row of that name. */
bool stand_has_evidence(const struct finding *f, const char *what);
/* Fails the test and prints the open findings when there is a culprit or a symptom. */
void stand_expect_innocent(const struct stand *s);
/* Prints all open findings to stderr. */
void stand_print(const struct stand *s);

#endif
