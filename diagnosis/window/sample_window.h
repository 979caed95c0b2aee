/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DIAGNOSIS_WINDOW_SAMPLE_WINDOW_H
#define DIAGNOSIS_WINDOW_SAMPLE_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/state.h"
#include "fabric/model/model.h"

/* An egress counts as paused by its peer above this share of time: diagnosis reference 2.2, theta.
 */
#define PAUSE_HELD_LEAST 0.01F

/*
 * The last few samples of every directed port. Compact, so that a run over 24,384 ports reads a
 * few megabytes and never the cells. diag_note() takes a sample when the port's counters were
 * refreshed. A sample across a reset, wrap-around guess or reboot has NAN where there is no rate.
 * Unknown is NAN, never 0.
 */
#define WINDOW_SAMPLES 4

struct sample {
	int64_t at_us;          /* wall time at which it was noted */
	float dt_s;             /* since the sample before; NAN for the first */
	float tx_bps, rx_bps;   /* bits per second on the wire */
	float tx_util, rx_util; /* of the speed in operation, 0..1 */
	/* Worst lossless priority. held: the peer pauses our egress; holds: we pause the peer.
	 * Share of time 0..1. bound: only an upper bound, from frames. */
	float held, holds;
	uint8_t held_prio, holds_prio;
	bool held_bound, holds_bound, up;
	uint8_t flaps; /* link-down transitions since the sample before, 255: 255 or more */
	/*
	 * Lossless priorities together, per second; bytes at the queue as peaks. A high-water mark
	 * counts for the samples between two reports in which it has moved. One that stands still
	 * is NAN (it may be hours old), unless it is 0 or is cleared regularly.
	 */
	float lossless_tx_bps, other_tx_bps; /* egress queues: lossless and others */
	float lossless_rx_bps;
	float ecn_pps;                            /* packets marked by this egress */
	float queue_peak, pg_peak, headroom_peak; /* bytes */
	float lossless_drops, other_drops, watchdog_drops, down_drops; /* packets a second */
	float fcs_pps; /* corrupted packets received */
	/* NICs */
	float cnp_sent, cnp_handled, cnp_ignored, ce_received; /* packets a second */
	float out_of_sequence, seq_err, ack_timeout;           /* events a second */
	float rdma_tx_bps, rdma_rx_bps;
};

struct sample_windows;
struct sample_windows *windows_new(void);
void windows_free(struct sample_windows *w);
/* Takes the new samples of one device; returns the number of ports with a new one. */
unsigned windows_note(
	struct sample_windows *w, const struct model *m, uint32_t device, int64_t now_us);

/* The newest sample; NULL: none, or older than two and a half intervals of its device at the time
 * of windows_at(). */
const struct sample *window_last(const struct sample_windows *w, uint32_t port);
/*
 * The sample k before the newest, k < WINDOW_SAMPLES. NULL: not taken, window_last() calls the
 * newest too old, or a later sample came after a gap of that length. So the samples that are not
 * NULL follow one another up to now.
 */
const struct sample *window_ago(const struct sample_windows *w, uint32_t port, unsigned k);
/*
 * Ports marked by their newest sample, of any age: pauses of more than PAUSE_HELD_LEAST, either
 * direction; drops on a lossless priority. Detectors find these few ports without visiting all.
 * Returns the first one from port `from` on; PORT_NONE: there is none.
 */
enum window_mark { WINDOW_PAUSING, WINDOW_LOSING, WINDOW_MARKS };
uint32_t window_marked(const struct sample_windows *w, enum window_mark mark, uint32_t from);
/* Number of samples taken of the device: the clock of hysteresis. */
uint32_t window_device_samples(const struct sample_windows *w, uint32_t device);
/*
 * Averages over about the last five minutes, weighted by age: bits per second in each direction,
 * for the ECMP rules. NAN until at least 5 minutes were seen.
 */
struct window_load {
	double tx_bps, rx_bps, seconds;
};
struct window_load window_load(const struct sample_windows *w, uint32_t port);
/* The same after at least least_s seconds; NAN before that. seconds is always set. */
struct window_load window_load_over(const struct sample_windows *w, uint32_t port, double least_s);
/*
 * The next time at which a current sample of the device expires, INT64_MAX: it has none. Based on
 * the time of windows_at().
 */
int64_t windows_until(const struct sample_windows *w, const struct device *d);
/* Sets the present time, for the age limit in window_last(). */
void windows_at(struct sample_windows *w, const struct model *m, int64_t now_us);

/*
 * Serialisation (base/state.h), see diagnosis/engine/diag_state.h: the data of devices and the
 * number of ports, then at most n ports beginning with first. Loading fills new windows, in this
 * order.
 */
void windows_state(struct state *s, struct sample_windows *w, const struct model *m);
void windows_state_ports(struct state *s, struct sample_windows *w, uint32_t first, uint32_t n);
size_t windows_ports(const struct sample_windows *w); /* number of ports ever noted */

#endif
