/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_BENCH_DIAGNOSIS_GROUNDTRUTH_INTERNAL_H
#define TESTS_BENCH_DIAGNOSIS_GROUNDTRUTH_INTERNAL_H

#include <jansson.h>
#include <uthash.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/vec.h"
#include "tests/bench/diagnosis/csv.h"
#include "tests/bench/diagnosis/groundtruth.h"

/* Shared by the groundtruth*.c files only. */

#define GT_START      (INT64_C(1763726000) * CLOCK_SEC)
#define GT_POLL_US    (5 * CLOCK_SEC)
#define GT_PORTS      128
#define GT_COLUMNS    40
#define GT_PRIO_ONE   (-1)
#define GT_LINE_BYTES (1U << 20)

struct gt_port {
	bool known, up, told, stormed, ever_stormed;
	double speed_gbps;
	double sum[GT_COLUMNS], grown[GT_COLUMNS]; /* until the last poll, since then */
};

struct gt_node {
	char name[NAME_MAX_LEN];
	char device[NAME_MAX_LEN]; /* in the model: the server of a NIC */
	bool nic;
	enum tier tier;
	int rail, plan; /* plan: index of its device */
	int hops;       /* from the nearest NIC */
	struct gt_port *port[GT_PORTS];
	UT_hash_handle hh;
};

/* A NIC that is a rank of a job: NICs that send to one another are one communicator. */
struct gt_rank {
	char job[32], node[NAME_MAX_LEN];
	size_t group; /* index of the communicator's first rank */
	int rank, nranks;
};

struct groundtruth {
	struct plan plan;
	const struct sweep *sweep;
	struct gt_node *nodes; /* by name */
	json_t *topology;
	struct csv ports, nics, events, ops;
	/* A row was read and not used yet. */
	bool ports_row, nics_row, events_row, ops_row;
	VEC(struct gt_rank) ranks;
	double scale;   /* wall microseconds in one of the run */
	double last_us; /* end of the last poll */
	unsigned poll;
	struct buf line;
};

struct gt_node *gt_node(const struct groundtruth *g, const char *name);
/* groundtruth_plan.c */
bool gt_read_topology(struct groundtruth *g, const char *dir, struct err *err);
void gt_port_name(const struct gt_node *n, int port, char *dst, size_t size);
/* groundtruth_nccl.c */
void gt_read_ops(struct groundtruth *g, const char *dir);
void gt_write_ops(struct groundtruth *g, double until_us, line_fn *line, void *ctx);

#endif
