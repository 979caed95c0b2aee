/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_SIM_INTERNAL_H
#define EMULATOR_SIM_INTERNAL_H

#include "base/vec.h"
#include "emulator/sim/sim.h"

/*
 * Types and functions that only the sim_*.c files share. Times are microseconds of the devices'
 * clock.
 */

#define SIM_NEVER INT64_MAX

/*
 * Every counter is base + rate * (now - since): a straight line between changes, so its value does
 * not depend on the time of the reads. One line per counter: slot, member of struct sim_port. They
 * are ordered by refresh and by device: a platform's port counters, its queue counters, NIC
 * counters, line code counters. The line code counters are refreshed with the ports; they change
 * only with the line and have a `since` of their own.
 */
#define SIM_PORT_SLOTS(X)                                                                          \
	X(RX_BYTES, rx_bytes)                                                                      \
	X(TX_BYTES, tx_bytes)                                                                      \
	X(RX_PACKETS, rx_packets)                                                                  \
	X(TX_PACKETS, tx_packets)                                                                  \
	X(RX_ERRORS, rx_errors)                                                                    \
	X(RX_DISCARDS, rx_discards)                                                                \
	X(TX_DISCARDS, tx_discards)                                                                \
	X(RX_FCS, rx_fcs_errors)                                                                   \
	X(RX_SYMBOL, rx_symbol_errors)                                                             \
	X(Q3_PFC_RX, q[SIM_PRIO_ROCE].pfc_rx_frames)                                               \
	X(Q3_PFC_TX, q[SIM_PRIO_ROCE].pfc_tx_frames)                                               \
	X(Q3_PFC_RX_US, q[SIM_PRIO_ROCE].pfc_rx_us)                                                \
	X(Q3_PFC_TX_US, q[SIM_PRIO_ROCE].pfc_tx_us)                                                \
	X(Q3_WD_DETECTED, q[SIM_PRIO_ROCE].wd_detected)                                            \
	X(Q3_WD_RESTORED, q[SIM_PRIO_ROCE].wd_restored)                                            \
	X(Q3_WD_DROPS, q[SIM_PRIO_ROCE].wd_drops)

#define SIM_QUEUE_SLOTS(X)                                                                         \
	X(Q0_TX_PACKETS, q[SIM_PRIO_DEFAULT].tx_packets)                                           \
	X(Q0_TX_BYTES, q[SIM_PRIO_DEFAULT].tx_bytes)                                               \
	X(Q0_RX_PACKETS, q[SIM_PRIO_DEFAULT].rx_packets)                                           \
	X(Q0_RX_BYTES, q[SIM_PRIO_DEFAULT].rx_bytes)                                               \
	X(Q3_TX_PACKETS, q[SIM_PRIO_ROCE].tx_packets)                                              \
	X(Q3_TX_BYTES, q[SIM_PRIO_ROCE].tx_bytes)                                                  \
	X(Q3_RX_PACKETS, q[SIM_PRIO_ROCE].rx_packets)                                              \
	X(Q3_RX_BYTES, q[SIM_PRIO_ROCE].rx_bytes)                                                  \
	X(Q6_TX_PACKETS, q[SIM_PRIO_CNP].tx_packets)                                               \
	X(Q6_TX_BYTES, q[SIM_PRIO_CNP].tx_bytes)                                                   \
	X(Q6_RX_PACKETS, q[SIM_PRIO_CNP].rx_packets)                                               \
	X(Q6_RX_BYTES, q[SIM_PRIO_CNP].rx_bytes)                                                   \
	X(Q0_DROPS, q[SIM_PRIO_DEFAULT].drops)                                                     \
	X(Q3_DROPS, q[SIM_PRIO_ROCE].drops)                                                        \
	X(Q3_ECN, q[SIM_PRIO_ROCE].ecn_marked)                                                     \
	X(Q3_PG_DROPS, q[SIM_PRIO_ROCE].pg_drops)

#define SIM_NIC_SLOTS(X)                                                                           \
	X(CNP_SENT, nic.np_cnp_sent)                                                               \
	X(CNP_HANDLED, nic.rp_cnp_handled)                                                         \
	X(CNP_IGNORED, nic.rp_cnp_ignored)                                                         \
	X(ECN_ROCE, nic.np_ecn_marked_roce_packets)                                                \
	X(OUT_OF_SEQUENCE, nic.out_of_sequence)                                                    \
	X(PACKET_SEQ_ERR, nic.packet_seq_err)                                                      \
	X(IMPLIED_NAK, nic.implied_nak_seq_err)                                                    \
	X(ACK_TIMEOUT, nic.local_ack_timeout_err)                                                  \
	X(ADP_RETRANS, nic.roce_adp_retrans)                                                       \
	X(SLOW_RESTART, nic.roce_slow_restart)                                                     \
	X(OUT_OF_BUFFER, nic.out_of_buffer)                                                        \
	X(DUPLICATE, nic.duplicate_request)                                                        \
	X(WRITE_REQUESTS, nic.rx_write_requests)                                                   \
	X(RDMA_TX_BYTES, nic.rdma_tx_bytes)                                                        \
	X(RDMA_TX_PACKETS, nic.rdma_tx_packets)                                                    \
	X(RDMA_RX_BYTES, nic.rdma_rx_bytes)                                                        \
	X(RDMA_RX_PACKETS, nic.rdma_rx_packets)                                                    \
	X(PASSED_THRES, nic.rx_buffer_passed_thres)                                                \
	X(STORM_WARNING, nic.storm_warning_events)                                                 \
	X(STORM_ERROR, nic.storm_error_events)

#define SIM_LINE_SLOTS(X)                                                                          \
	X(FEC_CORRECTED, fec_corrected)                                                            \
	X(FEC_UNCORRECTABLE, fec_uncorrectable)                                                    \
	X(FEC_SYMBOLS, fec_symbol_errors)                                                          \
	X(FEC_BITS, fec_corrected_bits)                                                            \
	X(FEC_BIN0, fec_bin[0])                                                                    \
	X(FEC_BIN1, fec_bin[1])                                                                    \
	X(FEC_BIN2, fec_bin[2])                                                                    \
	X(FEC_BIN3, fec_bin[3])                                                                    \
	X(FEC_BIN4, fec_bin[4])                                                                    \
	X(FEC_BIN5, fec_bin[5])                                                                    \
	X(FEC_BIN6, fec_bin[6])                                                                    \
	X(FEC_BIN7, fec_bin[7])                                                                    \
	X(FEC_BIN8, fec_bin[8])                                                                    \
	X(FEC_BIN9, fec_bin[9])                                                                    \
	X(FEC_BIN10, fec_bin[10])                                                                  \
	X(FEC_BIN11, fec_bin[11])                                                                  \
	X(FEC_BIN12, fec_bin[12])                                                                  \
	X(FEC_BIN13, fec_bin[13])                                                                  \
	X(FEC_BIN14, fec_bin[14])                                                                  \
	X(FEC_BIN15, fec_bin[15])                                                                  \
	X(FEC_BIN16, fec_bin[16])                                                                  \
	X(LANE_BITS0, lane_corrected_bits[0])                                                      \
	X(LANE_BITS1, lane_corrected_bits[1])                                                      \
	X(LANE_BITS2, lane_corrected_bits[2])                                                      \
	X(LANE_BITS3, lane_corrected_bits[3])                                                      \
	X(LANE_BITS4, lane_corrected_bits[4])                                                      \
	X(LANE_BITS5, lane_corrected_bits[5])                                                      \
	X(LANE_BITS6, lane_corrected_bits[6])                                                      \
	X(LANE_BITS7, lane_corrected_bits[7])

#define SIM_SLOTS(X)                                                                               \
	SIM_PORT_SLOTS(X)                                                                          \
	SIM_QUEUE_SLOTS(X)                                                                         \
	SIM_NIC_SLOTS(X)                                                                           \
	SIM_LINE_SLOTS(X)

#define SIM_SLOT_ENUM(slot, member) S_##slot,
enum slot { SIM_SLOTS(SIM_SLOT_ENUM) SLOT_COUNT };
#define SLOT_QUEUES S_Q0_TX_PACKETS /* the first that is refreshed with the queues */
#define SLOT_NICS   S_CNP_SENT      /* the first that only NICs have */
#define SLOT_LINE   S_FEC_CORRECTED /* the first that only the line code changes */

/*
 * Effects of faults on one end of a link. Only faults write it; the physics reads it. A healthy
 * port has all members at rest. Members are counts if several faults may set them at once.
 */
struct knobs {
	unsigned down;         /* this end is down */
	unsigned slow;         /* the link trains at half its speed */
	unsigned storms;       /* this NIC sends pause without end */
	unsigned no_ecn;       /* this switch egress does not mark */
	unsigned no_np, no_rp; /* this NIC sends no CNP / ignores CNPs */
	unsigned no_pfc;       /* this switch port sends no PFC (configured off towards its peer) */
	unsigned deaf;         /* this NIC ignores PFC */
	unsigned no_watchdog;  /* the watchdog is configured, but does not act here */
	unsigned one_way;      /* no route uses this egress, though the link is up */
	unsigned wrong_dscp;   /* this NIC's RDMA leaves with a DSCP that maps to a lossy queue */
	unsigned pcie_narrow;  /* the slot trained at a quarter of its width */
	unsigned held;         /* this egress is paused by a cycle of buffers: nothing moves */
	unsigned misfire;      /* the watchdog of this egress acts though there is no storm */
	unsigned stuck;        /* the same, until the watchdog is restarted */
	unsigned bgp_down;     /* the session on this port is down; sim_bgp.c */
	double drain;          /* share of line rate that this NIC's receive side can take; 1 */
	double send;           /* share of line rate that this NIC can send; 1 */
	double loss;           /* share of the packets that arrive here corrupted; 0 */
	double ber;            /* added to the port's own pre-FEC bit error ratio; 0 */
	double rx_loss_db;     /* light lost on the way to this end; 0 */
	double lane_loss_db;   /* the same on lane 2 only */
	double heat_c;         /* module temperature above normal; 0 */
};

/* sim_bundle.c: finds the bundles of switches whose group has them. */
void sim_build_bundles(struct sim *s);

/*
 * Parts of struct sim_port_config that faults switch off. The configuration itself changes, so the
 * physics needs to read only that. The old value comes back when the last of these faults ends,
 * unless an operator has set another one meanwhile.
 */
enum config_hold { HOLD_WATCHDOG, HOLD_ECN, HOLD_PFC, HOLD_NP, HOLD_RP, HOLD_WEIGHTED, HOLDS };
struct held_config {
	unsigned n;
	uint8_t was;
};

struct port_state {
	double base[SLOT_COUNT], rate[SLOT_COUNT];
	double shown[SLOT_COUNT]; /* at the platform's last refresh */
	struct knobs k;
	struct held_config held_config[HOLDS];
	double hold;  /* share of time this end pauses its peer's priority 3: the solution */
	double load;  /* bytes/s of priority 3 that leave here */
	double mark;  /* share of priority 3 packets that this egress marks */
	double queue; /* bytes that wait in this egress, priority 3 */
	double pg;    /* bytes that arrived here and wait inside, priority 3 */
	double peak_queue, peak_pg; /* peaks of these in the watermark window; sim_gauges.c */
	int64_t window;             /* number of that window */
	double ber;                 /* pre-FEC bit error ratio at this receiver, healthy link */
	bool wd_acts;               /* the watchdog drops this egress queue */
	int64_t wd_since;           /* paused without a byte moving since; SIM_NEVER: it is not */
	int64_t wd_clear; /* the watchdog acts, and the pause ended then; SIM_NEVER: still paused */
	double line_loss; /* share of the packets that arrive here and FEC cannot repair */
	int64_t line_since; /* the line slots' rates are in force since */
	double fec_ber;     /* the input of the line slots' rates */
	double fec_speed;   /* the same, bit/s; 0: the line is down */
};

/* Share of the line that other traffic takes where its queue goes first. */
#define SIM_FIRST_LOAD 0.8
/* Bytes/s of that traffic that leave here. */
double sim_first_load(const struct sim *s, const struct sim_port *p);

#define SIM_MAX_HOPS 8 /* host, leaf, spine, superspine, spine, leaf; a detour adds two */

/* Faults of a whole device. */
struct device_knobs {
	unsigned polarised;    /* hashes like all other switches: half of the members stay idle */
	unsigned late;         /* faults that delay the GPUs of this host */
	int64_t late_us;       /* how long after the others it enters every collective */
	unsigned frozen, dead; /* its NCCL processes are frozen / dead */
};

struct flow {
	struct sim_port *src, *dst; /* NIC ports; of a bond: the slaves that the path uses */
	struct sim_port *home_src, *home_dst; /* the same while all links are up */
	double demand;                        /* bytes/s when active */
	uint64_t key;                         /* ECMP hashes it */
	int group; /* of a job: flows that run and finish together; -1: none */
	bool active;
	bool rdma;   /* false: other traffic in the lossless class, without CNPs */
	bool lossy;  /* runs in SIM_PRIO_DEFAULT */
	bool gap;    /* no packets arrive: the sequence has a gap when it resumes */
	double rate; /* bytes/s that arrive: the solution */
	struct sim_port *path[SIM_MAX_HOPS];
	unsigned hops; /* 0: there is no path */
	/* details of the solution; in bytes/s unless noted */
	double want; /* current demand of the source */
	double sent; /* bytes/s that leave the source; the excess over rate is lost on the path */
	unsigned lost_at; /* the hop where it is dropped; hops: none */
	uint64_t conn;    /* the connection that it belongs to; its flows differ in their keys */
	unsigned handle;  /* of sim_flow_add(); 0: a job's */
};

/*
 * Traffic that a fault adds: share of the source's line rate. The handle is for
 * sim_flow_remove(); flows of faults belong to no job.
 */
unsigned sim_flow_add(
	struct sim *s, struct sim_port *src, struct sim_port *dst, double share, bool rdma);
void sim_flow_remove(struct sim *s, unsigned handle);

/* Defined in faults.h. */
struct fault;
struct planned_heal;

struct sim {
	struct sim_opts o;
	struct sim_device *device;
	size_t ndevices, first[TIER_COUNT];
	struct sim_port *port;
	struct port_state *state;
	struct device_knobs *knobs; /* one per device */
	uint32_t *island;           /* one per device: see sim_joined() */
	size_t nports;
	const struct topology *topology;
	struct topology *own_topology; /* when made from a sizing */
	struct flow *flow;
	size_t nflows, flow_room;
	unsigned way_count; /* number of path computations so far */
	VEC(struct fault) faults;
	VEC(struct planned_heal) heals;
	unsigned fault_ids;        /* given so far */
	uint64_t fault_generation; /* sim_fault_generation() */
	struct bgp *bgp;           /* sim_bgp.c */
	int64_t now, since;        /* rates are in force since */
	bool rewired;          /* links or routing knobs changed: paths must be computed again */
	bool touched;          /* knobs, links or configuration changed since the last solution */
	struct ways *ways;     /* sim_route.c */
	struct solver *solver; /* sim_solve.c */
	unsigned handles;      /* of sim_flow_add(), given so far */
	bool watching;         /* a watchdog has a queue to watch */
	int64_t watchdog_next; /* when a queue will have been paused for the detection time */
	struct jobs *jobs;     /* job_run.c */
	unsigned few_paths;    /* faults that make jobs use one QP per connection, with colliding
				  hashes */
	uint64_t generation;
	/* Between sim_request_begin() and sim_request_end(); write.c */
	struct {
		const struct sim_device *device; /* NULL: none is under way */
		bool https;
		enum sim_write effect;
		struct sim_request is;
	} request;
};

/* Deterministic noise: the same inputs give the same number on every machine. */
uint64_t sim_hash(uint64_t a, uint64_t b);
double sim_unit(uint64_t hash); /* [0, 1) */

static inline struct port_state *sim_state(const struct sim *s, const struct sim_port *p)
{
	return &s->state[p - s->port];
}

struct sim_device *sim_tier_device(const struct sim *s, enum tier t, unsigned index);
/* mlx5_N or the dialect's own name; NULL if there is none. */
struct sim_port *sim_port_by_name(
	const struct sim *s, const struct sim_device *d, const char *name);

static inline struct device_knobs *sim_device_knobs(const struct sim *s, const struct sim_device *d)
{
	return &s->knobs[d - s->device];
}

/* sim_build.c */
void sim_build(struct sim *s);
/*
 * Whether the switches join two NIC ports by the planned cables. The rails of a rail-only fabric
 * and the planes of a dual-plane one meet only in the hosts.
 */
bool sim_joined(const struct sim *s, const struct sim_port *a, const struct sim_port *b);
/*
 * The port by which a host sends to dst: `from` if the switches join the two, else another port of
 * the same host (NCCL hands the bytes over inside the host, PXN). NULL: it has none.
 */
struct sim_port *sim_way_out(
	const struct sim *s, struct sim_port *from, const struct sim_port *dst);
void sim_boot(struct sim *s, struct sim_device *d, int64_t boot_us, unsigned count);

/* job_run.c: the traffic of jobs and its timing. */
void sim_jobs_want(struct sim *s); /* sets flow.want of all flows of jobs, before the solution */
/*
 * After the solution: flows wait for the slowest of their group. true: some want less now, so solve
 * again.
 */
bool sim_jobs_wait(struct sim *s, bool last);
bool sim_jobs_build(struct sim *s, const char *const *specs, struct err *err);
void sim_jobs_step(struct sim *s);          /* everything due at s->now */
int64_t sim_jobs_next(const struct sim *s); /* time of the next event at the current rates */
void sim_jobs_elapse(struct sim *s, double seconds); /* bytes moved at the rates in force */
void sim_jobs_free(struct sim *s);

/* sim_flow.c: the table of flows; a flow that is added begins inactive. */
struct flow *sim_flow_new(struct sim *s, struct sim_port *src, struct sim_port *dst, double demand);
/* Computes every flow's path again if its inputs changed. */
/* Packets were lost: the receiver sees a gap, the sender goes back (RoCE go-back-N). */
void sim_flow_gap(struct sim *s, const struct flow *f);
void sim_flows_route(struct sim *s);

/* sim_route.c: paths. */
bool sim_ways_changed(struct sim *s); /* since the last call: links, sessions, knobs of routing */
void sim_way(const struct sim *s, struct flow *f); /* fills path and hops */
void sim_ways_free(struct sim *s);

/*
 * sim_solve.c, sim_pause.c: computes flow.rate, .sent and .lost_at, and hold, load, mark, queue and
 * pg of all ports. Inputs: flow.want and all limits.
 */
void sim_solve(struct sim *s);
void sim_solver_free(struct sim *s);

/* sim_rate.c: computes counter rates from flows, links and faults. */
void sim_rates(struct sim *s);

/* sim_line.c: links up and down, bit errors before and after FEC. */
void sim_lines_settle(struct sim *s);

/* sim_watchdog.c, sim_bgp.c: reactions of switches, and the time of the next one. */
void sim_watchdog_step(struct sim *s);
/* Resets the state of the port's watchdog after it was stopped. */
void sim_watchdog_forget(struct sim *s, struct sim_port *p);
int64_t sim_watchdog_next(const struct sim *s);
/*
 * Call sim_bgp_build() after sim_build(). Call the step after sim_faults_step() at every event and
 * in sim_changed(), before paths are computed. No route uses an egress with bgp.configured but
 * without bgp.established. Sessions fall at once with the link or its configuration, and come back
 * seconds after it. They depend on knobs and configuration, not on port.up.
 */
void sim_bgp_build(struct sim *s);
void sim_bgp_step(struct sim *s);
int64_t sim_bgp_next(const struct sim *s);
void sim_bgp_free(struct sim *s); /* does nothing if not built */

/* sim_log.c */
void sim_log_add(struct sim *s, struct sim_device *d, const struct sim_port *p,
	enum sim_log_kind kind, unsigned prio, const char *text);

/* sim.c: adds n at once, at s->now. */
void sim_bump(struct sim *s, const struct sim_port *p, enum slot slot, double n);
void sim_zero(struct sim *s, const struct sim_port *p);
/* Call after a change at s->now: computes rates again and increments the generation. */
void sim_changed(struct sim *s);

/* sim_publish.c: the counters that devices show. Closes the segment of all lines at t. */
void sim_rebase(struct sim *s, int64_t t);
/* The same for the line slots of one port, before their rates change at s->now. */
void sim_rebase_line(struct sim *s, const struct sim_port *p);
void sim_publish(const struct sim *s, struct sim_device *d, bool live);
int64_t sim_watermark_period(const struct sim_device *d); /* microseconds; 0: live */

/* sim_gauges.c: optics, queue depths and watermarks of one port at s->now. */
void sim_gauges(const struct sim *s, struct sim_port *p);
/*
 * Ends the rates in force since s->since at s->now; watermarks keep their peaks. Call it before
 * each change.
 */
void sim_gauges_elapse(struct sim *s);
#define SIM_WEAK_LANE 2 /* the lane of knobs.lane_loss_db */

/* faults.c */
void sim_faults_step(struct sim *s); /* everything due at s->now */
int64_t sim_faults_next(const struct sim *s);
void sim_faults_free(struct sim *s);

#endif
