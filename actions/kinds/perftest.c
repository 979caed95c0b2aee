/* SPDX-License-Identifier: Apache-2.0 */
#include "actions/kinds/perftest.h"

#include "actions/kinds/common.h"
#include "base/str.h"
#include "fabric/model/nets.h"

static bool is_rail_nic(const struct model *m, const struct port *p)
{
	enum net_kind net = port_net(m, p);

	/* Only an RDMA device has a network device beside its own name. */
	return p->rail >= 0 && p->netdev[0] && !p->merged &&
	       (net == NET_BACKEND || net == NET_COUNT);
}

size_t perftest_nics(const struct model *m, const struct device *d, const struct port *only,
	const struct port *nics[PERFTEST_NICS])
{
	size_t n = 0, at;

	for (size_t i = 0; i < d->ports.n && n < PERFTEST_NICS; i++) {
		const struct port *p = m->ports.at[d->ports.at[i]];

		if (!is_rail_nic(m, p) || (only && only != p))
			continue;
		for (at = n++; at > 0 && nics[at - 1]->rail > p->rail; at--)
			nics[at] = nics[at - 1];
		nics[at] = p;
	}
	return n;
}

/* ---- the partner ---- */

static const struct device *leaf_of(const struct model *m, const struct port *p)
{
	const struct port *peer = port_peer(m, p, NULL);

	return peer ? model_dev_of(m, peer) : NULL;
}

static const struct port *nic_of_rail(const struct model *m, const struct device *d, int rail)
{
	const struct port *nics[PERFTEST_NICS];
	size_t n = perftest_nics(m, d, NULL, nics);

	for (size_t i = 0; i < n; i++)
		if (nics[i]->rail == rail)
			return nics[i];
	return NULL;
}

const struct device *perftest_choose(const struct model *m, const struct device *d)
{
	const struct port *nics[PERFTEST_NICS], *other;
	const struct device *found = NULL, *leaf;

	if (!perftest_nics(m, d, NULL, nics))
		return NULL;
	leaf = leaf_of(m, nics[0]);
	for (size_t i = 0; i < m->devices.n; i++) {
		const struct device *e = m->devices.at[i];

		if (e == d || e->tier != TIER_HOST ||
			(e->state != DEV_FRESH && e->state != DEV_LATE) ||
			model_job_of(m, e->id) != JOB_NONE)
			continue;
		other = nic_of_rail(m, e, nics[0]->rail);
		if (!other || other->oper != OPER_UP)
			continue;
		if (leaf && leaf_of(m, other) == leaf)
			return e;
		if (!found)
			found = e;
	}
	return found;
}

/* ---- what both actions need ---- */

bool perftest_wants(
	const struct place_of_action *at, enum verb v, struct order *look, struct err *err)
{
	const struct port *nics[PERFTEST_NICS];

	if (at->device->tier != TIER_HOST) {
		err_set(err, ERR_REFUSED, at->device->name, "perftest runs on hosts");
		return err_cure(err, "name a host, or a NIC of it: node003:mlx5_3");
	}
	if (!action_can(at, v))
		return action_cannot(at, "run perftest", err);
	if (!at->dev || !perftest_nics(at->model, at->dev, at->port, nics)) {
		err_set(err, ERR_REFUSED, at->device->name, "no NIC with RDMA and a rail is known");
		return err_cure(err, "state rails: of the host in fabric.yaml; railtop check "
				     "shows whether it answers");
	}
	*look = perftest_order(at, v, nics[0]);
	return true;
}

bool perftest_ready(const struct place_of_action *at, const struct condition *now, struct err *err)
{
	if (now->perftest != 0)
		return true;
	err_set(err, ERR_UNSUPPORTED, at->device->name, "perftest is not installed");
	return err_cure(err, "install ib_write_bw, ib_read_lat and timeout there: apt install "
			     "perftest");
}

/* The ToS byte of the lossless class, so that the test takes the way of the jobs. */
static int lossless_tclass(const struct lossless *l)
{
	uint8_t mask = lossless_priorities(l);

	for (int dscp = 0; dscp < 64; dscp++)
		if (l->dscp_prio[dscp] >= 0 && dscp != l->cnp_dscp &&
			(unsigned)mask >> (unsigned)l->dscp_prio[dscp] & 1u)
			return dscp << 2;
	return -1;
}

struct order perftest_order(const struct place_of_action *at, enum verb v, const struct port *nic)
{
	struct order o = {.verb = v,
		.priority = -1,
		.tcp_port = PERFTEST_TCP_PORT(nic->rail),
		.tclass = port_is_infiniband(nic) ? -1 : lossless_tclass(&at->plan->lossless)};

	(void)str_copy(o.port, sizeof(o.port), nic->name);
	return o;
}
