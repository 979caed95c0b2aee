/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_SIM_INTERNAL_H
#define EMULATOR_SIM_INTERNAL_H

#include "base/vec.h"
#include "emulator/sim/sim.h"

/* What only the sim_*.c files share. Times are microseconds of the devices' clock. */

#define SIM_NEVER INT64_MAX

/*
 * Every counter is base + rate * (now - since): a straight line between changes, so its value does
 * not depend on when anybody looked. One line a counter: slot, member of struct sim_port.
 */
#define SIM_SLOTS(X)                                                                               \
	X(RX_BYTES, rx_bytes)                                                                      \
	X(TX_BYTES, tx_bytes)                                                                      \
	X(RX_PACKETS, rx_packets)                                                                  \
	X(TX_PACKETS, tx_packets)                                                                  \
	X(RX_ERRORS, rx_errors)                                                                    \
	X(TX_DISCARDS, tx_discards)                                                                \
	X(RX_FCS, rx_fcs_errors)                                                                   \
	X(RX_SYMBOL, rx_symbol_errors)                                                             \
	X(FEC_CORRECTED, fec_corrected)                                                            \
	X(FEC_UNCORRECTABLE, fec_uncorrectable)                                                    \
	X(FEC_SYMBOLS, fec_symbol_errors)                                                          \
	X(FEC_BITS, fec_corrected_bits)                                                            \
	X(CNP_SENT, nic.np_cnp_sent)                                                               \
	X(CNP_HANDLED, nic.rp_cnp_handled)                                                         \
	X(ECN_ROCE, nic.np_ecn_marked_roce_packets)                                                \
	X(OUT_OF_SEQUENCE, nic.out_of_sequence)                                                    \
	X(PACKET_SEQ_ERR, nic.packet_seq_err)                                                      \
	X(IMPLIED_NAK, nic.implied_nak_seq_err)                                                    \
	X(ACK_TIMEOUT, nic.local_ack_timeout_err)                                                  \
	X(ADP_RETRANS, nic.roce_adp_retrans)                                                       \
	X(SLOW_RESTART, nic.roce_slow_restart)                                                     \
	X(Q0_TX_PACKETS, q[SIM_PRIO_DEFAULT].tx_packets)                                           \
	X(Q0_TX_BYTES, q[SIM_PRIO_DEFAULT].tx_bytes)                                               \
	X(Q0_RX_PACKETS, q[SIM_PRIO_DEFAULT].rx_packets)                                           \
	X(Q0_RX_BYTES, q[SIM_PRIO_DEFAULT].rx_bytes)                                               \
	X(Q3_TX_PACKETS, q[SIM_PRIO_ROCE].tx_packets)                                              \
	X(Q3_TX_BYTES, q[SIM_PRIO_ROCE].tx_bytes)                                                  \
	X(Q3_RX_PACKETS, q[SIM_PRIO_ROCE].rx_packets)                                              \
	X(Q3_RX_BYTES, q[SIM_PRIO_ROCE].rx_bytes)                                                  \
	X(Q3_DROPS, q[SIM_PRIO_ROCE].drops)                                                        \
	X(Q3_ECN, q[SIM_PRIO_ROCE].ecn_marked)                                                     \
	X(Q3_PFC_RX, q[SIM_PRIO_ROCE].pfc_rx_frames)                                               \
	X(Q3_PFC_TX, q[SIM_PRIO_ROCE].pfc_tx_frames)                                               \
	X(Q3_PFC_RX_US, q[SIM_PRIO_ROCE].pfc_rx_us)                                                \
	X(Q3_PFC_TX_US, q[SIM_PRIO_ROCE].pfc_tx_us)                                                \
	X(Q3_WD_DETECTED, q[SIM_PRIO_ROCE].wd_detected)                                            \
	X(Q3_WD_RESTORED, q[SIM_PRIO_ROCE].wd_restored)                                            \
	X(Q3_WD_DROPS, q[SIM_PRIO_ROCE].wd_drops)

#define SIM_SLOT_ENUM(slot, member) S_##slot,
enum slot { SIM_SLOTS(SIM_SLOT_ENUM) SLOT_COUNT };

struct port_state {
	double base[SLOT_COUNT], rate[SLOT_COUNT];
	unsigned down;   /* faults that hold this end down */
	unsigned half;   /* faults that make the link train at half its speed */
	unsigned storms; /* faults that make this end send pause without end */
	double hold;     /* share of time this end holds its peer's priority 3 */
	double load;     /* offered bytes/s of the flows that leave here */
	double mark;     /* ECN mark probability of this egress */
	double ber;      /* before FEC, of what arrives here */
	bool stormed;    /* the watchdog drops this egress queue */
};

#define SIM_MAX_HOPS 6 /* host, leaf, spine, superspine, spine, leaf */

struct flow {
	struct sim_port *src, *dst; /* NIC ports */
	double demand;              /* bytes/s at level 1 */
	uint64_t key;               /* what ECMP hashes */
	struct sim_port *path[SIM_MAX_HOPS];
	unsigned hops; /* 0: there is no way */
};

struct fault;

enum fault_entity { ENTITY_DEVICE, ENTITY_PORT, ENTITY_NIC, ENTITY_SSH, ENTITY_HTTPS };

enum fault_key {
	KEY_PERIOD = 1,
	KEY_DOWN = 2,
	KEY_SIZE = 4,
	KEY_DELAY = 8,
	KEY_WITH = 16,
};

struct fault_class {
	const char *name;
	enum fault_entity entity;
	unsigned keys; /* besides at= and for= */
	/* Does what is due at f->next and sets f->next. */
	void (*step)(struct sim *s, struct fault *f);
	void (*apply)(struct sim *s, struct fault *f, bool on);
	const char *help;
};

struct fault {
	const struct fault_class *class;
	char *spec;
	struct sim_device *device;
	struct sim_port *port; /* NULL for devices */
	struct sim_port *with; /* miswire: the other cable */
	int64_t at, duration;  /* duration SIM_NEVER: until the end */
	int64_t period, down, delay;
	uint64_t size;
	/* progress */
	int64_t next, began, ended; /* began, ended: SIM_NEVER until they happen */
	unsigned phase, transitions;
};

struct sim {
	struct sim_opts o;
	struct sim_device *device;
	size_t ndevices, first[TIER_COUNT];
	struct sim_port *port;
	struct port_state *state;
	size_t nports;
	struct flow *flow;
	size_t nflows;
	VEC(struct fault) faults;
	int64_t now, since; /* rates are in force since */
	int64_t next_level;
	double level;
	bool rewired; /* links changed: routes must be found again */
	uint64_t generation;
};

/* Deterministic noise: the same words give the same number on every machine. */
uint64_t sim_hash(uint64_t a, uint64_t b);
double sim_unit(uint64_t hash); /* [0, 1) */

static inline struct port_state *sim_state(const struct sim *s, const struct sim_port *p)
{
	return &s->state[p - s->port];
}

struct sim_device *sim_tier_device(const struct sim *s, enum tier t, unsigned index);
/* mlx5_N or the dialect's own name; NULL when there is none. */
struct sim_port *sim_port_by_name(
	const struct sim *s, const struct sim_device *d, const char *name);

/* sim_build.c */
void sim_build(struct sim *s);
void sim_boot(struct sim *s, struct sim_device *d, int64_t boot_us, unsigned count);

/* sim_flow.c: who talks to whom, and which way. */
void sim_flows_build(struct sim *s);
void sim_flows_route(struct sim *s);

/* sim_rate.c: the rates that follow from flows, links and faults. */
void sim_rates(struct sim *s);

/* sim.c: adds n at once, at s->now. */
void sim_bump(struct sim *s, const struct sim_port *p, enum slot slot, double n);
void sim_zero(struct sim *s, struct sim_device *d);

/* sim_gauges.c: optics, queue depths and watermarks of one port at s->now. */
void sim_gauges(const struct sim *s, struct sim_port *p);

/* sim_faults.c */
const struct fault_class *sim_fault_class(size_t i); /* NULL after the last */
void sim_faults_step(struct sim *s);                 /* everything due at s->now */
int64_t sim_faults_next(const struct sim *s);
void sim_faults_free(struct sim *s);

#endif
