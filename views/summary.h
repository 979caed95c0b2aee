/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VIEWS_SUMMARY_H
#define VIEWS_SUMMARY_H

#include "views/outlier.h"
#include "views/view.h"

/*
 * Sums over the ports of a device or of a rail's leaves. Rates are sums of the known values, and
 * NAN if none is known; paused, BER and light are the worst port's.
 *
 * Traffic of a switch is that of its ports to the tier below: traffic from a host counts once, and
 * not again on the uplinks. Traffic of a host is that of all its NICs. cnp of a switch is the
 * number that the NICs at its ports sent, as of the switch's last answer and without silent hosts.
 */
struct summary {
	struct health health;            /* worst of devices and ports */
	unsigned by_severity[SEV_COUNT]; /* ports */
	unsigned ports_planned,
		ports_up; /* planned: ports with a planned peer; without a plan: seen */
	unsigned devices, devices_seen;
	double rx_bps, tx_bps, capacity_bps;
	double up_tx_bps, up_capacity_bps; /* ports to the tier above */
	struct paused paused_rx, paused_tx;
	double ecn, cnp, drops, flaps;
	double ecn_of_pps;   /* packets sent by the ports whose marks are known */
	double slow;         /* ports up below the planned speed; NAN: no speed to compare */
	double fec;          /* uncorrectable codewords per second */
	double ber;          /* highest before FEC, of ports that are not down */
	double rx_power_dbm; /* lowest, of ports that are not down */
	bool light_low;      /* of one of them: port_light_is_low() */
	enum dev_state data; /* the oldest state of a device's data */
	bool old;            /* no device answers: every number is old */
};

/* A problem: a device that does not answer, or a port. */
struct worst {
	struct ref ref; /* REF_DEVICE or REF_PORT */
	struct health health;
	unsigned more; /* other ports of the same device with the same verdict */
	bool silent;   /* a device that does not answer: nothing else about it is known */
};
#define WORST_MAX 64

void summary_device(const struct view_ctx *ctx, const struct device *d, struct summary *out);
/* Only the health of a device, and the number of its ports with a problem. */
enum severity summary_severity(const struct view_ctx *ctx, const struct device *d, unsigned *bad);
/* Sum over the leaves of the rail. */
void summary_rail(const struct view_ctx *ctx, int rail, struct summary *out);
/* Of one NIC: the row of a rail whose leaves are not in the inventory. */
void summary_nic(const struct view_ctx *ctx, const struct port *p, struct summary *out);
/* Sum over all hosts and switches: only health, by_severity, ports and devices are filled. */
void summary_fabric(const struct view_ctx *ctx, struct summary *out);
/* The odd one out among a host's NICs (views/outlier.h). */
struct outlier summary_odd(const struct view_ctx *ctx, const struct device *d);
/* The data of the diagnosis views in the cache (views/diag_rows.h). */
struct diag_rows;
struct diag_rows *summary_diag_rows(struct view_cache *c);
struct health summary_health(const struct view_ctx *ctx, const struct port *p);
/*
 * For callers that must not wait: from now on only summary_refresh_some() updates the cache, in
 * pieces of 1 to 2 ms, until it returns true. So values may be a moment older than the model.
 */
void summary_pace(struct view_cache *c);
bool summary_paced(const struct view_ctx *ctx);
bool summary_refresh_some(const struct view_ctx *ctx);
/* False: in pieces, and the first pass is not complete; *percent is its progress. */
bool summary_ready(const struct view_ctx *ctx, unsigned *percent);
/*
 * A number that changes whenever the views may show a new value of the device or of its ports; 0
 * without a cache.
 */
uint64_t summary_version(const struct view_ctx *ctx, const struct device *d);
/*
 * The worst problems of the whole fabric, worst first, at most max (and WORST_MAX). Of a link with
 * two bad ends only the worse end. Returns their number.
 */
size_t summary_worst(const struct view_ctx *ctx, struct worst *out, size_t max);

#endif
