/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/diagnosis/verdict_line.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"

#define SAID_MOST 12

/* The words of the labelled runs, and of the taxonomy for classes that have no run. */
static const char *const classes[FIND_COUNT] = {
	[FIND_LINK_DOWN] = "link_down",
	[FIND_LINK_FLAPPING] = "link_flap",
	[FIND_LINK_SPEED] = "link_speed_degraded",
	[FIND_DEGRADED_CONGESTION] = "link_speed_degraded",
	[FIND_LINK_CORRUPTING] = "link_corruption",
	[FIND_LOSSLESS_DROP] = "lossless_drop",
	[FIND_WATCHDOG_FIRED] = "pfc_storm_nic",
	[FIND_WATCHDOG_MISFIRE] = "pfcwd_misfire",
	[FIND_WATCHDOG_SILENT] = "pfcwd_missing",
	[FIND_GLOBAL_PAUSE] = "global_pause",
	[FIND_PFC_STORM] = "pfc_storm_nic",
	[FIND_SLOW_RECEIVER] = "slow_receiver_nic",
	[FIND_PCIE_BOUND] = "host_pcie_bound",
	[FIND_HOST_GPU_ERROR] = "compute_straggler",
	[FIND_NVLINK_DOWN] = "compute_straggler",
	[FIND_NVLINK_ERRORS] = "compute_straggler",
	[FIND_NVLINK_FABRIC] = "compute_straggler",
	[FIND_NVLINK_IMEX] = "compute_straggler",
	[FIND_INCAST] = "incast",
	[FIND_FULL_LINK] = "incast",
	[FIND_ECN_OFF] = "ecn_misconfig",
	[FIND_CC_OFF] = "dcqcn_disabled_senders",
	[FIND_CNP_OFF] = "cnp_not_generated",
	[FIND_STARVED] = "scheduler_starves_rdma_queue",
	[FIND_MIXED_TRAFFIC] = "mixed_traffic_on_rdma_priority",
	[FIND_DEADLOCK] = "pfc_cyclic_buffer_dependency_persistent",
	[FIND_PFC_CYCLE] = "pfc_cycle",
	[FIND_PAUSE_UNEXPLAINED] = "pause_unexplained",
	[FIND_PFC_OFF] = "pfc_disabled_port",
	[FIND_NIC_IGNORES_PFC] = "nic_ignores_pfc",
	[FIND_WRONG_DSCP] = "wrong_dscp_marking",
	[FIND_ECMP_IMBALANCE] = "ecmp_imbalance",
	[FIND_ECMP_COLLISION] = "ecmp_collision",
	[FIND_ECMP_POLARISATION] = "ecmp_polarization",
	[FIND_ECMP_CAPACITY] = "uplink_capacity_loss",
	[FIND_ROUTE_ONE_WAY] = "ecmp_member_one_way",
	[FIND_BGP_DOWN] = "bgp_down",
	[FIND_BGP_FLAPPING] = "bgp_flap",
	[FIND_WIRING_SWAPPED] = "miscabling",
	[FIND_WIRING_ROTATED] = "miscabling",
	[FIND_WIRING_WRONG] = "miscabling",
	[FIND_NCCL_STRAGGLER] = "compute_straggler",
	[FIND_NCCL_INCOMPLETE] = "rank_missing",
	[FIND_NCCL_DEAD] = "rank_dead",
	[FIND_NCCL_MISMATCH] = "compute_straggler",
};

const char *verdict_class(const struct model *m, const struct finding *f)
{
	(void)m;
	return f->role == ROLE_CULPRIT && !f->root ? classes[f->id] : NULL;
}

static bool is_port(struct ref r)
{
	return r.kind == REF_PORT || r.kind == REF_PRIORITY || r.kind == REF_LINK;
}

/* [node, port] in the words of the run: a NIC is a node of its own there. */
static json_t *port_pair(const struct model *m, uint32_t id)
{
	const struct port *p = m->ports.at[id];
	const struct device *d = model_dev_of(m, p);
	const char *colon = strrchr(p->name, ':');

	if (d->tier != TIER_HOST)
		return json_pack("[s,i]", d->name, (int)strtol(p->name, NULL, 10));
	return json_pack("[s%,i]", p->name, colon ? (size_t)(colon - p->name) : strlen(p->name),
		colon ? (int)strtol(colon + 1, NULL, 10) : 1);
}

static json_t *port_entity(const struct model *m, uint32_t id, bool link)
{
	const struct port *p = m->ports.at[id];
	struct port *peer = port_peer(m, p, NULL);
	json_t *pair = port_pair(m, id), *name;

	if (link && peer)
		return json_pack("[o,o]", pair, port_pair(m, peer->id));
	if (model_dev_of(m, p)->tier != TIER_HOST)
		return pair;
	name = json_incref(json_array_get(pair, 0));
	json_decref(pair);
	return name;
}

static json_t *cycle_entity(const struct model *m, const struct finding *f)
{
	json_t *list = json_array();

	for (size_t i = 0; i < f->members.n; i++)
		if (is_port(f->members.at[i]))
			json_array_append_new(list,
				json_string(
					m->devices.at[m->ports.at[f->members.at[i].port]->device]
						->name));
	return list;
}

static const char *rank_host(const struct model *m, struct ref at)
{
	const struct comm *c = at.comm < m->nccl->comms.n ? m->nccl->comms.at[at.comm] : NULL;
	uint32_t host = JOB_NONE;

	if (c && at.rank >= 0 && at.rank < c->nranks)
		host = c->rank[at.rank].host;
	return host < m->devices.n ? m->devices.at[host]->name : "fabric";
}

static json_t *place_entity(const struct model *m, struct ref at, bool link)
{
	if (is_port(at))
		return port_entity(m, at.port, link);
	switch (at.kind) {
	case REF_DEVICE:
	case REF_BGP:
		return json_string(m->devices.at[at.device]->name);
	case REF_TIER:
		return json_string(at.tier == TIER_LEAF    ? "leaf"
				   : at.tier == TIER_SPINE ? "spine"
							   : "fabric");
	case REF_RANK:
		return json_string(rank_host(m, at));
	default:
		return json_string("fabric");
	}
}

static json_t *entity_of(const struct model *m, const struct finding *f)
{
	bool cycle = f->id == FIND_DEADLOCK || f->id == FIND_PFC_CYCLE;

	if (cycle && f->members.n)
		return cycle_entity(m, f);
	return place_entity(m, f->at, finding_info[f->id].family == FAMILY_LINK);
}

void verdict_take(const struct bed *b, int64_t t_us, said_vec *said)
{
	size_t n;
	const struct finding *const *list = diag_findings(b->d, &n);
	struct said *s = vec_add(said);

	s->t_us = t_us;
	for (size_t i = 0; i < n && s->guesses.n < SAID_MOST; i++) {
		const char *class = verdict_class(b->m, list[i]);
		struct guess *g;

		if (!class)
			continue;
		g = vec_add(&s->guesses);
		(void)str_copy(g->class, sizeof(g->class), class);
		g->entity = entity_of(b->m, list[i]);
		for (size_t k = 0; k < list[i]->victims.n; k++)
			vec_push(&s->victims, place_entity(b->m, list[i]->victims.at[k].at, false));
	}
}

void verdict_write(FILE *f, const struct said *s)
{
	for (size_t i = 0; i < s->guesses.n; i++) {
		char *place = json_dumps(s->guesses.at[i].entity, JSON_ENCODE_ANY | JSON_COMPACT);

		(void)fprintf(f, "{\"t_us\":%lld,\"rank\":%zu,\"class\":\"%s\",\"entity\":%s}\n",
			(long long)s->t_us, i + 1, s->guesses.at[i].class, place);
		free(place);
	}
}
