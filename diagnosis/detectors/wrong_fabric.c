/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traffic in the wrong network: RDMA on a port of the frontend or the management, and storage on a
 * switch of the backend, above all in its lossless class. Ranks with a NIC of another network are
 * judged with the placement of jobs (diagnosis/lint/placement.c).
 */
#include <math.h>

#include "base/str.h"
#include "diagnosis/engine/detector.h"
#include "fabric/model/nets.h"
#include "fabric/vocabulary/counters.h"

/* Below it are connection managers and probes. Railtop's own. */
#define RDMA_LEAST_BPS 1e8
#define CLASS_LEAST    1000.0 /* packets a second in the lossless class; likewise */

static double rdma_bps(const struct port *p)
{
	double rx = port_rate(p, CTR_RDMA_RX_BYTES, 0), tx = port_rate(p, CTR_RDMA_TX_BYTES, 0);

	return 8 * fmax(isnan(rx) ? 0 : rx, isnan(tx) ? 0 : tx);
}

static void judge_nic(struct diag_run *r, const struct port *p)
{
	enum net_kind net = port_net(r->m, p);
	const struct port *q = port_peer(r->m, p, NULL);
	struct finding *f;

	if ((net != NET_FRONTEND && net != NET_OOB) || !(rdma_bps(p) > RDMA_LEAST_BPS))
		return;
	f = diag_claim(r, FIND_WRONG_FABRIC, at_port(p->id));
	if (q)
		f->peer = at_port(q->id);
	finding_title(f, "RDMA of %.1f Gb/s on a port of the %s network", rdma_bps(p) / 1e9,
		net_kind_name(net));
	finding_number(f, f->at, "RDMA bytes", rdma_bps(p) / 1e9, "Gb/s", "< 0.1 Gb/s", "counter");
	finding_text(f, f->at, "network of the port", net_kind_name(net), "plan");
	finding_weigh(f, SIGNAL_CONFIG, 50);
}

/* Packets a second that the port sends or its peer receives in the lossless class; NAN. */
static double class_pps(const struct model *m, const struct port *p)
{
	return port_rate_prios(p, CTR_QUEUE_TX_PACKETS, lossless_priorities(&m->lossless));
}

/* A port of a backend switch: its peer belongs to the storage or the frontend. */
static void judge_leaf(struct diag_run *r, const struct port *p)
{
	const struct port *q = port_peer(r->m, p, NULL);
	enum net_kind net = q ? port_net(r->m, q) : NET_COUNT;
	struct finding *f;
	double pps;

	if (net == NET_COUNT || net == NET_BACKEND || model_dev_of(r->m, q)->tier != TIER_HOST)
		return;
	pps = class_pps(r->m, p);
	f = diag_claim(r, FIND_WRONG_FABRIC, at_port(p->id));
	f->peer = at_port(q->id);
	finding_text(f, f->peer, "network of the port", net_kind_name(net), "plan");
	finding_weigh(f, SIGNAL_CONFIG, 50);
	if (pps > CLASS_LEAST) {
		finding_title(
			f, "%s traffic in the RDMA class of a backend switch", net_kind_name(net));
		finding_number(
			f, f->at, "packets in the lossless class", pps, "/s", "0", "counter");
		finding_weigh(f, SIGNAL_QUEUE, 20);
		return;
	}
	/* A cable alone harms nobody; its class may not be known. */
	f->severity = SEV_WARN;
	f->role = ROLE_RISK;
	finding_title(f, "a port of the %s network is on a backend switch", net_kind_name(net));
	if (isnan(pps))
		finding_text(f, f->at, "packets in the lossless class", "not known", "counter");
	else
		finding_number(
			f, f->at, "packets in the lossless class", pps, "/s", "0", "counter");
}

static void judge_device(struct diag_run *r, const struct device *d)
{
	for (size_t i = 0; i < d->ports.n; i++) {
		const struct port *p = r->m->ports.at[d->ports.at[i]];

		if (p->merged)
			continue;
		if (d->tier == TIER_HOST)
			judge_nic(r, p);
		else if (d->net == NET_BACKEND)
			judge_leaf(r, p);
	}
}

static void run_wrong_fabric(struct diag_run *r)
{
	(void)diag_each_device(r, judge_device);
}

const struct detector detect_wrong_fabric = {"wrong_fabric", run_wrong_fabric, NULL, NULL, NULL};
