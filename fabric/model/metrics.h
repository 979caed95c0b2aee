/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FABRIC_MODEL_METRICS_H
#define FABRIC_MODEL_METRICS_H

#include "fabric/model/model.h"

/* Numbers derived from the counters of one port. All are NAN when they cannot be known. */

enum direction { DIR_RX, DIR_TX };

/* a + b, where an unknown number (NAN) counts as 0; NAN only when both are unknown. */
double known_sum(double a, double b);

/* Bits per second on the wire. */
double port_bps(const struct port *p, enum direction dir);
/* 0..1 of the speed in operation (of the planned speed if the device does not report it). */
double port_utilisation(const struct port *p, enum direction dir);

struct paused {
	double percent;   /* 0..100, NAN: unknown */
	bool upper_bound; /* from frames, not from a duration counter: shown as "<=" */
};
/*
 * Per cent of time that the priority was paused. Of an InfiniBand port, DIR_RX: the time with data
 * to send and no credit, by ticks of 8 bytes; it may be more on ASICs before Quantum. DIR_RX: the
 * peer paused us; DIR_TX: we paused the peer. From the duration counter if there is one. Else the
 * upper bound frames/s * 65535 * 512 bit times / port speed, at most 100. (IEEE 802.1Qbb: a quantum
 * is 512 bit times and a frame can ask for 65535 of them; 83.9 us a frame at 400G.)
 */
struct paused port_paused(const struct port *p, unsigned priority, enum direction dir);
/* The same over the minute before the newest poll, or the part of it that is known
 * (history_recent()): one short burst is no storm. */
struct paused port_paused_recent(const struct port *p, unsigned priority, enum direction dir);
/* PFC frames per second at which that upper bound reaches 100 %; NAN without a speed. */
double port_pfc_frames_full(const struct port *p);
/* The worst of the priorities in mask. */
struct paused port_paused_max(const struct port *p, uint8_t mask, enum direction dir);
struct paused port_paused_recent_max(const struct port *p, uint8_t mask, enum direction dir);

/*
 * All drops per second: discards in both directions, queue drops, priority group drops, watchdog
 * drops. Most devices count a queue's drop in the port's discards too, so each direction is the
 * larger of the two.
 */
double port_drop_rate(const struct port *p);
/*
 * Pre-FEC bit error ratio: the device's own gauge, else corrected bits over bits on the wire at
 * the line rate. NAN without both.
 */
double port_pre_fec_ber(const struct port *p);
/* Lowest received power over the lanes in use (at least -30 dBm), NAN when there is none. */
double port_rx_power_min(const struct port *p);
/*
 * Whether that power is below the module's own warning or alarm, or without such limits below
 * RX_POWER_LEAST_DBM. IEEE 802.3cu 400GBASE-FR4: average receive power of a lane at least -7.3 dBm
 * (DR4, 802.3bs: -5.9). Modules of longer reach accept less, but are not used inside a hall.
 */
#define RX_POWER_LEAST_DBM (-7.3)
bool port_light_is_low(const struct port *p);
/* Link-down transitions: the device's own counter if it has one, else those that we saw. NAN:
 * unknown. */
double port_flaps(const struct port *p);

/*
 * Health of a port with its reason, by fixed rules with sources (fabric/health/health.c). The
 * rules: down against plan, flapped lately, watchdog storm, drops on a lossless priority, paused,
 * uncorrectable codewords, BER, speed below plan, miswired. why: at most 60 characters, "" when
 * ok. rank orders within a severity: greater is worse. This is state, not diagnosis: it does not
 * name the cause.
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
 * Health of the device's BGP sessions alone. Each session that is down removes its share of the
 * paths; without the last one the device is cut off (critical).
 */
struct health device_bgp_health(const struct device *d);
/* The device's own state (freshness), its sessions and the worst of its ports. */
struct health device_health(const struct model *m, const struct device *d, int64_t now_us);
/*
 * The same from known healths of the ports. Add each port in the device's order to a struct
 * device_worst that starts as zero.
 */
struct device_worst {
	const struct port *port; /* the worst, NULL: none is bad */
	struct health health;    /* health of that port */
	unsigned as_bad;         /* ports of the same severity */
};
void device_worst_add(struct device_worst *w, const struct port *p, const struct health *h);
struct health device_health_by(
	const struct device *d, const struct device_worst *w, int64_t now_us);

#endif
