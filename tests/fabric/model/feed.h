/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_FABRIC_MODEL_FEED_H
#define TESTS_FABRIC_MODEL_FEED_H

#include "fabric/model/model.h"

/*
 * Feeds a small model with batches: node000 (mlx5_0, mlx5_1) on leaf-r0-00 and leaf-r1-00, both
 * leaves on spine-000; interval 5 s. Times are seconds after FEED_T0.
 */
#define FEED_T0 (INT64_C(1700000000) * 1000000)

int64_t feed_time(double s);
struct model *feed_new(void);
/* For cmocka: the state is such a model of the test's own. */
int feed_setup(void **state);
int feed_teardown(void **state);

/* A batch of leaf-r0-00, request "fast"; device and request can be changed before feed(). */
struct obs *feed_batch(void);
struct obs *feed_batch_of(const char *device, const char *request);
/* Applies it as received at t seconds, and frees it. */
void feed(struct model *m, struct obs *o, double t);
/* One batch with one counter of one port of leaf-r0-00. */
void feed_count(struct model *m, double t, const char *port, counter_id id, uint64_t value);

struct port *feed_port(const struct model *m, const char *device, const char *port);
const struct cell *feed_cell(const struct model *m, const char *port, counter_id id, unsigned sub);
double feed_rate(const struct model *m, const char *port, counter_id id);
/* How many events of the kind the ring holds. */
unsigned feed_events(const struct model *m, enum event_kind kind);
/* The newest of the kind; fails the test when there is none. */
const struct event *feed_event(const struct model *m, enum event_kind kind);

#define assert_near(a, b)                                                                          \
	do {                                                                                       \
		double near_a_ = (a), near_b_ = (b);                                               \
		if (!(fabs(near_a_ - near_b_) <= 1e-5 * fabs(near_b_) + 1e-9))                     \
			fail_msg("%g is not near %g", near_a_, near_b_);                           \
	} while (0)

#endif
