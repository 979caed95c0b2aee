/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FABRIC_MODEL_METRICS_H
#define FABRIC_MODEL_METRICS_H

#include "fabric/model/model.h"

/* Numbers that follow from the counters of one port. All are NAN when they cannot be known. */

enum direction { DIR_RX, DIR_TX };

/* a + b where an unknown number (NAN) adds nothing; unknown only when both are. */
double known_sum(double a, double b);

/* Bits per second on the wire. */
double port_bps(const struct port *p, enum direction dir);
/* 0..1 of the speed in operation (the planned speed where the device does not say it). */
double port_utilisation(const struct port *p, enum direction dir);

struct paused {
	double percent;   /* 0..100, NAN: unknown */
	bool upper_bound; /* from frames, not from a duration counter: shown as "<=" */
};
/*
 * Per cent of time that the priority was paused. DIR_RX: we were held by the peer; DIR_TX: we held
 * the peer. From the duration counter where there is one, else the upper bound
 * frames/s * 65535 * 512 bit times / port speed (IEEE 802.1Qbb: a quantum is 512 bit times and a
 * frame can ask for 65535 of them; 83.9 us a frame at 400G), at most 100.
 */
struct paused port_paused(const struct port *p, unsigned priority, enum direction dir);
/* PFC frames per second at which that upper bound is all of the time; NAN without a speed. */
double port_pfc_frames_full(const struct port *p);
/* The worst of the priorities in mask. */
struct paused port_paused_max(const struct port *p, uint8_t mask, enum direction dir);

/*
 * All drops per second: discards both ways, queue drops, priority group drops, watchdog drops. Most
 * devices count a queue's drop in the port's discards too, so each way is the larger of the two.
 */
double port_drop_rate(const struct port *p);
/*
 * Pre-FEC bit error ratio: the device's own gauge, else corrected bits over bits on the wire at the
 * line rate. NAN when neither is there.
 */
double port_pre_fec_ber(const struct port *p);
/* Lowest received power over the lanes in use (at least -30 dBm), NAN when there is none. */
double port_rx_power_min(const struct port *p);
/* Link-down transitions: the device's own counter where it has one, else what we saw. NAN: unknown
 */
double port_flaps(const struct port *p);

/*
 * How a port is, and why, by fixed rules with sources (fabric/health/health.c): down against plan,
 * flapped lately, watchdog storm, drops on a lossless priority, paused, uncorrectable codewords,
 * BER, speed below plan, miswired. why: at most 60 characters, "" when ok. rank orders within a
 * severity: greater is worse. This is state, not diagnosis: it does not say who causes it.
 */
struct health {
	enum severity severity;
	float rank;
	char why[64];
};
struct health port_health(const struct model *m, const struct port *p, int64_t now_us);
/* Whether a is worse than b: severity first, then rank. */
bool health_worse(const struct health *a, const struct health *b);
/*
 * The device's BGP sessions alone: each that is down takes its share of the paths away; with the
 * last one the device is cut off (critical).
 */
struct health device_bgp_health(const struct device *d);
/* The device's own state (freshness), its sessions and the worst of its ports. */
struct health device_health(const struct model *m, const struct device *d, int64_t now_us);
/*
 * The same for who knows the health of the ports already: each of the device's ports is added to a
 * struct device_worst that is zero at first, in the device's order.
 */
struct device_worst {
	const struct port *port; /* the worst, NULL: none is bad */
	struct health health;    /* its own */
	unsigned as_bad;         /* ports of the same severity */
};
void device_worst_add(struct device_worst *w, const struct port *p, const struct health *h);
struct health device_health_by(
	const struct device *d, const struct device_worst *w, int64_t now_us);

#endif
