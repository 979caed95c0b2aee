/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_BENCH_DIAGNOSIS_PACKETS_H
#define TESTS_BENCH_DIAGNOSIS_PACKETS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

/*
 * A small packet simulator, for classes of faults that have no labelled run: switches with shared
 * buffers that pause their peers (dynamic thresholds, headroom), ECN marks by queue length, NICs
 * that pace flows and slow down on marks. Deterministic; writes the files of a labelled run.
 */
#define PK_BYTES 1250 /* of a packet: 100 Gb/s send one in a slot */
#define PK_SLOT  0.1  /* us */
#define PK_HOPS  8
#define PK_QUEUE 8192

struct pk {
	uint16_t flow;
	uint8_t hop, marked;
	int32_t in; /* port by which it came into the switch; -1: it comes from this NIC */
};
/* The counts of a bucket. */
struct pk_counts {
	uint64_t tx, rx, marked, ce_rx, drop_buffer, drop_link, crc, down, xoff_rx, xoff_tx;
	double held, holds; /* us */
	double queue_peak, ingress_peak, headroom_peak;
};
/* A directed egress and the ingress beside it. */
struct pk_port {
	int node, number, peer; /* peer: port */
	double gbps, planned_gbps, credit, delay_us;
	bool up, held, holds;
	/* Faults */
	bool no_marks, no_pause, deaf, storm;
	double loss;  /* share of the received packets */
	double drain; /* NIC: takes so much at most, Gb/s; 0: all */
	double k_min, k_max;
	struct pk *queue, *wire;
	uint64_t *wire_at;
	uint32_t head, tail, wire_head, wire_tail;
	uint64_t signal_at[64];
	bool signal[64];
	uint32_t signal_head, signal_tail;
	double ingress, in_headroom, egress, headroom, rx_buffer, lost;
	struct pk_counts c;
	unsigned shift;
};
struct pk_node {
	char name[32], role[8];
	int pod, rail, server;
	double buffer, used, reserved;
	VEC(int) ports;
	VEC(int) flows; /* NIC */
	size_t turn;
	uint64_t ce, cnp_sent, cnp_got, nak, seq_err, sent, received;
};
struct pk_flow {
	int src, dst;
	int path[PK_HOPS]; /* egresses */
	unsigned hops;
	double left, rate, target, alpha, next_us, cut_us, risen_us, start_us, bytes;
	bool controlled, job;
};
struct pk_net {
	VEC(struct pk_node) nodes;
	VEC(struct pk_port) ports;
	VEC(struct pk_flow) flows;
	double now_us, bucket_us, duration_us;
	double rise_us, rise_gbps;     /* DCQCN: timer and step */
	double rest_until_us, rest_us; /* of the job */
	uint64_t slot;
	uint32_t seed;
};

int pk_node(struct pk_net *n, const char *name, const char *role, int pod, int rail, int server);
/* Both directions; port numbers count up from 1 at each node. The egress of a. */
int pk_link(struct pk_net *n, int a, int b, double gbps, double delay_us, double kmin_kb,
	double kmax_kb);
/* The egress of a that leads to b; the k-th of them. */
int pk_to(const struct pk_net *n, int a, int b);
int pk_find(const struct pk_net *n, const char *name);
/* Nodes from the sender to the receiver. */
int pk_flow(struct pk_net *n, const int *node, unsigned nodes, double bytes, double start_us,
	bool controlled);
/* Shares out the buffers; call it once when all links are there. */
void pk_ready(struct pk_net *n, double buffer);
void pk_set_up(struct pk_net *n, int port, bool up);
typedef void pk_event_fn(struct pk_net *n, void *ctx);
/* Runs it all and writes ports.csv, nics.csv and topology.json; at: called before each bucket. */
bool pk_run(struct pk_net *n, const char *dir, pk_event_fn *at, void *ctx);
void pk_free(struct pk_net *n);

#endif
