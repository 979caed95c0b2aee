/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_BENCH_PACKETS_FAULTS_H
#define TESTS_BENCH_PACKETS_FAULTS_H

#include <stddef.h>

#include "tests/bench/packets/scene.h"

/* What can be drawn: faults with their traffic, and healthy traffic. */
struct fault_kind {
	const char *name;
	unsigned shapes; /* bit by enum shape_kind; 0: it builds its own fabric */
	int weight;
	bool own_load; /* make() brings the jobs too */
	bool own_ways; /* and the ways of the flows */
	void (*make)(struct scene *s);
};
extern const struct fault_kind fault_kinds[];
extern const size_t fault_kind_count;

/* faults_traffic.c */
void fault_incast(struct scene *s);
void fault_incast_bursts(struct scene *s);
void fault_incast_between(struct scene *s);
void fault_no_control(struct scene *s);
void fault_no_marks(struct scene *s);
void fault_deaf(struct scene *s);
void fault_no_pause(struct scene *s);
void fault_mixed(struct scene *s);
void fault_wrong_dscp(struct scene *s);
void fault_collision(struct scene *s);
void fault_polarization(struct scene *s);
void fault_incast_and_loss(struct scene *s);

#endif
