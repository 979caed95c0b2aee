/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_BENCH_DIAGNOSIS_PACKETS_H
#define TESTS_BENCH_DIAGNOSIS_PACKETS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/vec.h"

/*
 * A small packet simulator, for classes of faults that have no labelled run: switches with shared
 * buffers that pause their peers (dynamic thresholds, headroom), ECN marks by queue length, NICs
 * that pace flows and slow down on marks. Deterministic; writes the files of a labelled run. The
 * lossless priority is 3; priority 1 loses what its queue does not hold.
 */
#define PK_BYTES                                                                                   \
	1250         /* of a packet, unless the net says otherwise: 100 Gb/s send one in a slot    \
		      */
#define PK_SLOT  0.1 /* us, likewise */
#define PK_HOPS  8
#define PK_QUEUE 8192
#define PK_WIRE  1024
#define PK_LOSSY 200e3 /* bytes that a queue of priority 1 holds */

struct pk {
	uint16_t flow;
	uint8_t hop, marked;
	int32_t in; /* port by which it came into the switch; -1: no buffer of a port has it */
};
struct pk_queue {
	struct pk *at; /* a ring of PK_QUEUE */
	uint32_t head, tail;
	double bytes;
};
/* The counts of a bucket. */
struct pk_counts {
	uint64_t acks_tx, acks_rx, tx, rx, tx_lossy, rx_lossy, drop_lossy, marked, ce_rx,
		drop_buffer, drop_link, crc, down, xoff_rx, xoff_tx;
	double held, holds; /* us */
	double queue_peak, lossy_peak, ingress_peak, headroom_peak;
	unsigned marked_buckets, dropped_buckets; /* of a window */
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
	double cap;   /* NIC: sends so much at most, Gb/s; 0: all */
	double k_min, k_max;
	struct pk_queue queue, lossy;
	bool lossy_turn;
	struct pk *wire;
	uint64_t *wire_at;
	uint32_t wire_head, wire_tail;
	uint64_t stepped; /* slot in which it was looked at last */
	uint64_t signal_at[64];
	bool signal[64];
	uint32_t signal_head, signal_tail;
	double ingress, in_headroom, headroom, rx_buffer, lost;
	struct pk_counts c, window; /* window: of the buckets that pk_net.window names */
	unsigned shift;
};
struct pk_node {
	char name[32], role[8];
	bool nic;
	int pod, rail, server;
	double buffer, used, reserved;
	VEC(int) ports;
	VEC(int) flows; /* NIC */
	size_t turn;
	double idle_until_us; /* NIC: no flow has anything to send before */
	uint64_t ce, cnp_sent, cnp_got, nak, seq_err, timeouts;
	uint64_t sent, received, plain_sent, plain_received;
};
struct pk_flow {
	int src, dst;
	int path[PK_HOPS]; /* egresses */
	int back[PK_HOPS]; /* of its acknowledgements, which have a hash of their own */
	unsigned hops, back_hops, acks, rises;
	double left, rate, target, alpha, next_us, cut_us, risen_us, start_us, bytes;
	double stop_us;            /* 0: none */
	double every_us, on_us;    /* sends in the first part of each period; 0: always */
	double period_us;          /* start of the one under way */
	double limit;              /* Gb/s; 0: the line's */
	double got, timeout_until; /* bytes that arrived; waits for an answer until then */
	uint32_t key;              /* for the hash of the switches */
	bool controlled, job;
	bool lossy; /* on priority 1 */
	bool plain; /* no RDMA: it does not hear of marks, and the NIC counts it apart */
};
struct pk_net;
typedef void pk_event_fn(struct pk_net *n, void *ctx);
struct pk_net {
	VEC(struct pk_node) nodes;
	VEC(struct pk_port) ports;
	VEC(struct pk_flow) flows;
	double now_us, bucket_us, duration_us;
	double rise_us, rise_gbps;     /* DCQCN: timer and step */
	double hyper_gbps;             /* step after five rises without a mark; 0: as before */
	double rest_until_us, rest_us; /* of the job */
	/* 0: PK_BYTES, PK_SLOT. pk_ready() sets both. */
	double packet, slot_us;
	/*
	 * A sender waits so long after a loss, and so long when a dead link took a packet. 0: it
	 * goes on at once, and forgets what the dead link took.
	 */
	double resend_us, timeout_us;
	double event_us;               /* between calls of at; 0: a bucket */
	double window_from, window_to; /* us */
	pk_event_fn *tick;             /* each tick; NULL */
	double tick_us;                /* 0: a microsecond */
	FILE *events;                  /* gets what a log would say; NULL */
	bool *busy;                    /* by port: it has something to do */
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
/* The same by its egresses. */
int pk_flow_over(struct pk_net *n, const int *port, unsigned hops, double bytes, double start_us,
	bool controlled);
/* The flow has more to send. */
void pk_more(struct pk_net *n, int flow, double bytes);
bool pk_is_nic(const struct pk_net *n, int node);
/* Shares out the buffers; call it once when all links are there. */
void pk_ready(struct pk_net *n, double buffer);
void pk_set_up(struct pk_net *n, int port, bool up);
/* Runs it all and writes ports.csv, nics.csv and topology.json; at: called before each bucket. */
bool pk_run(struct pk_net *n, const char *dir, pk_event_fn *at, void *ctx);
void pk_free(struct pk_net *n);
/* packet_files.c: dir/name for writing, and the files of a run. */
FILE *pk_create(const char *dir, const char *name);
void pk_write_topology(const struct pk_net *n, FILE *f);
void pk_write_columns(FILE *ports, FILE *nics);
/* A bucket is over; clears its counts. */
void pk_write_bucket(struct pk_net *n, FILE *ports, FILE *nics);

#endif
