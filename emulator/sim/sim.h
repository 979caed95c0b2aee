/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_SIM_H
#define EMULATOR_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "fabric/sizing.h"

/*
 * The emulated fabric: what the hardware would count. Flow level, no packets; deterministic by
 * seed. Counters are exact integrals of rates that are constant between changes, so "truth" is
 * known at any instant and what leaves a port arrives at its peer. Personalities (personality.h)
 * only read it.
 */

/* One priority of one port, from the view of that port. */
struct sim_queue {
	uint64_t tx_packets, tx_bytes, drops, ecn_marked, wred_drops;
	uint64_t rx_packets, rx_bytes; /* what arrived in this priority */
	uint64_t depth_bytes, watermark_bytes, pg_watermark_bytes, headroom_watermark_bytes,
		pg_drops;
	uint64_t pfc_rx_frames, pfc_tx_frames; /* what one end sends the other receives */
	uint64_t pfc_rx_us, pfc_tx_us;         /* time held by the peer / time we held the peer */
	uint64_t wd_detected, wd_restored, wd_drops;
	bool wd_stormed;
};

struct sim_lane {
	double rx_dbm, tx_dbm, bias_ma;
};

/* The NIC's own counters (hosts only), named as mlx5 names them. */
struct sim_nic {
	uint64_t np_cnp_sent, rp_cnp_handled, rp_cnp_ignored, np_ecn_marked_roce_packets;
	uint64_t out_of_sequence, packet_seq_err, implied_nak_seq_err, local_ack_timeout_err;
	uint64_t rnr_nak_retry_err, roce_adp_retrans, roce_slow_restart, out_of_buffer;
	unsigned pcie_width, pcie_width_max;
	double pcie_gts; /* 32.0 */
};

struct sim_port {
	enum tier tier;
	unsigned device, port; /* index in its tier, port from 0 */
	struct sim_port *peer;
	bool up, admin_up;
	unsigned speed_mbps;
	int64_t last_change_us; /* wall time of the last up/down, device clock is ours */
	uint64_t carrier_up, carrier_down;
	uint64_t rx_bytes, tx_bytes, rx_packets, tx_packets;
	uint64_t rx_errors, tx_errors, rx_discards, tx_discards, rx_fcs_errors, rx_symbol_errors;
	uint64_t fec_corrected, fec_uncorrectable, fec_symbol_errors, fec_corrected_bits;
	double pre_fec_ber;
	double temperature_c, voltage_v;
	struct sim_lane lane[8];
	unsigned lanes;
	struct sim_queue q[8];
	struct sim_nic nic;
	/* rates in force now, per second, for truth */
	double rx_bytes_ps, tx_bytes_ps;
};

struct sim_device {
	enum tier tier;
	unsigned index;
	char name[32];
	const char *dialect; /* "sonic", "eos", "linux" */
	char model[48], serial[32], os_version[48], mac_base[18];
	char boot_id[40];
	int64_t boot_us;      /* wall time of the last boot */
	bool hung;            /* accepts, then never answers */
	bool refuses_key;     /* authentication fails */
	unsigned unreachable; /* > 0: no listener, connections are refused */
	bool wrong_key, wrong_cert;
	bool garbage;            /* answers are binary noise with terminal escapes */
	uint64_t flood_bytes;    /* every answer is this many bytes without a line end; 0: off */
	int64_t answer_delay_us; /* every answer waits this long */
	struct sim_port *ports;
	unsigned nports;
};

struct sim;

struct sim_opts {
	const struct sizing *sizing;
	uint64_t seed;
	int64_t start_us; /* wall time of t = 0 */
	double speed;     /* simulated seconds a second, 1; the devices' clocks run as fast */
	bool steady;      /* constant offered load: rates stand still between faults */
};

/* The two priorities that carry traffic here. */
#define SIM_PRIO_ROCE    3
#define SIM_PRIO_DEFAULT 0

struct sim *sim_new(const struct sim_opts *o);
void sim_free(struct sim *s);
/* Brings every counter to wall time now_us, applying faults that are due in between. */
void sim_advance(struct sim *s, int64_t now_us);
/* The same, but brings only the counters of d up to date: what a server calls before an answer. */
void sim_advance_device(struct sim *s, struct sim_device *d, int64_t now_us);
/*
 * The devices' clock, microseconds since the epoch, as of the last sim_advance*(). Answers carry
 * this time, so that rates are exact at any --speed.
 */
int64_t sim_now(const struct sim *s);
/* Wall time of the next change of rates or state; INT64_MAX when none is planned. */
int64_t sim_next_change(const struct sim *s);
/* Grows with every change of rates or state: when it stands still, so does the truth. */
uint64_t sim_generation(const struct sim *s);
const struct sizing *sim_sizing(const struct sim *s);

size_t sim_device_count(const struct sim *s);
struct sim_device *sim_device(struct sim *s, size_t i);
struct sim_device *sim_device_by_name(struct sim *s, const char *name);
/* The port's name in its device's dialect, as LLDP and the CLI print it. hosts: netdev eth3. */
void sim_port_name(const struct sim *s, const struct sim_port *p, char *dst, size_t size);
struct sim_device *sim_device_of(const struct sim *s, const struct sim_port *p);

/*
 * Schedules a fault: "class:device[:port][,at=20s,period=8s,for=60s]". Classes are the table in
 * emulator/sim/faults.def. ERR_USAGE names the allowed classes and keys.
 */
bool sim_fault(struct sim *s, const char *spec, struct err *err);

/* One line a class: name, entity, keys, help; for --help, the man page and error messages. */
void sim_fault_list(struct buf *out);

/* truth as JSON (caller frees): faults with class, entity, both ends, start, end; port rates now.
 */
char *sim_truth(const struct sim *s);

#endif
