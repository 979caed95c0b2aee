/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules: which finding follows from which. Diagnosis reference, sections 2.8 (explaining away), 4
 * (classes) and 5 (traps). Lines from common sense alone are railtop's own.
 */
#include <string.h>

#include "base/str.h"
#include "diagnosis/engine/root_cause.h"
#include "fabric/model/nets.h"

struct rule {
	enum finding_id symptom, root;
	unsigned how;
};

/* clang-format off */
#define R(symptom, root, how) {FIND_##symptom, FIND_##root, how}
/* The same roots for symptoms of one kind. */
#define BY_LINK(symptom, how) \
	R(symptom, LINK_DOWN, how), R(symptom, LINK_FLAPPING, how)
#define BY_NIC(symptom, how) \
	R(symptom, PFC_STORM, how), R(symptom, SLOW_RECEIVER, how), R(symptom, PCIE_BOUND, how)
#define BY_QUEUE(symptom, how) \
	R(symptom, INCAST, how), R(symptom, FULL_LINK, how), R(symptom, ECN_OFF, how), R(symptom, CC_OFF, how), \
	R(symptom, CNP_OFF, how), R(symptom, MIXED_TRAFFIC, how), R(symptom, STARVED, how), \
	R(symptom, DEGRADED_CONGESTION, how), R(symptom, DEADLOCK, how)
#define BEFORE_QUEUE(root) \
	R(INCAST, root, REL_DEVICE | REL_TREE | REL_AHEAD), R(ECN_OFF, root, REL_DEVICE | REL_TREE | REL_AHEAD), \
	R(CC_OFF, root, REL_DEVICE | REL_TREE | REL_AHEAD), R(MIXED_TRAFFIC, root, REL_DEVICE | REL_TREE | REL_AHEAD), \
	R(FULL_LINK, root, REL_DEVICE | REL_TREE | REL_AHEAD)
#define BY_ROUTE(symptom, how) \
	R(symptom, BGP_DOWN, how), R(symptom, BGP_FLAPPING, how), R(symptom, ECMP_CAPACITY, how), \
	R(symptom, WIRING_SWAPPED, how), R(symptom, WIRING_ROTATED, how), R(symptom, WIRING_WRONG, how)
#define BY_NETWORK(symptom) \
	BY_LINK(symptom, REL_HOST | REL_JOB), R(symptom, LINK_SPEED, REL_HOST | REL_JOB), \
	R(symptom, LINK_CORRUPTING, REL_HOST | REL_JOB), \
	BY_NIC(symptom, REL_HOST | REL_JOB | REL_VICTIM), \
	BY_QUEUE(symptom, REL_HOST | REL_JOB | REL_VICTIM), BY_ROUTE(symptom, REL_JOB), \
	R(symptom, WATCHDOG_FIRED, REL_JOB | REL_HOST), R(symptom, WATCHDOG_MISFIRE, REL_JOB | REL_HOST), \
	R(symptom, LOSSLESS_DROP, REL_JOB | REL_HOST), R(symptom, PFC_OFF, REL_JOB | REL_HOST), \
	R(symptom, NIC_IGNORES_PFC, REL_JOB | REL_HOST), R(symptom, WRONG_DSCP, REL_JOB | REL_HOST), \
	R(symptom, PCIE_WIDTH, REL_HOST), R(symptom, ECMP_COLLISION, REL_JOB), \
	R(symptom, ECMP_POLARISATION, REL_JOB), R(symptom, ECMP_IMBALANCE, REL_JOB), \
	R(symptom, ROUTE_ONE_WAY, REL_JOB), R(symptom, BLIND, REL_HOST | REL_JOB)
#define BY_GPU_LINKS(symptom, how) \
	R(symptom, NVLINK_DOWN, how), R(symptom, NVLINK_ERRORS, how), R(symptom, NVLINK_FABRIC, how), \
	R(symptom, NVLINK_IMEX, how)
/* A connection that failed: links and NICs at hosts must be those of its ends. */
#define BY_ENDS(symptom) \
	BY_LINK(symptom, REL_ENDS), R(symptom, LINK_SPEED, REL_ENDS), R(symptom, LINK_CORRUPTING, REL_ENDS), \
	BY_NIC(symptom, REL_ENDS | REL_VICTIM), BY_QUEUE(symptom, REL_ENDS | REL_VICTIM), \
	BY_ROUTE(symptom, REL_JOB), R(symptom, WATCHDOG_FIRED, REL_ENDS), R(symptom, WATCHDOG_MISFIRE, REL_ENDS), \
	R(symptom, LOSSLESS_DROP, REL_ENDS), R(symptom, PFC_OFF, REL_ENDS), R(symptom, NIC_IGNORES_PFC, REL_ENDS), \
	R(symptom, WRONG_DSCP, REL_ENDS), R(symptom, PCIE_WIDTH, REL_ENDS), R(symptom, ECMP_COLLISION, REL_JOB), \
	R(symptom, ECMP_POLARISATION, REL_JOB), R(symptom, ECMP_IMBALANCE, REL_JOB), \
	R(symptom, ROUTE_ONE_WAY, REL_JOB), R(symptom, BLIND, REL_HOST | REL_ENDS)
#define BY_PROCESS(symptom) \
	R(symptom, NCCL_DEAD, REL_JOB), R(symptom, NCCL_STRAGGLER, REL_JOB), \
	R(symptom, HOST_GPU_ERROR, REL_HOST | REL_JOB), R(symptom, STORAGE, REL_HOST | REL_JOB), \
	BY_GPU_LINKS(symptom, REL_HOST | REL_JOB)

static const struct rule rules[] = {
	/* A link that goes down and up is one case, whatever its present state. */
	R(LINK_DOWN, LINK_FLAPPING, REL_LINK),
	R(LINK_DOWN, BLIND, REL_DEVICE),
	/* A port that speaks another link layer has no link. */
	R(LINK_DOWN, LINK_LAYER, REL_LINK), R(LINK_FLAPPING, LINK_LAYER, REL_LINK), R(NIC_ERROR, LINK_LAYER, REL_LINK),
	R(LINK_DOWN, ECMP_CAPACITY, REL_MANY),
	R(LINK_DOWN, LINK_GONE, REL_LINK), R(LINK_FLAPPING, LINK_GONE, REL_LINK),
	R(LINK_FLAPPING, ECMP_CAPACITY, REL_MANY),
	R(LINK_SPEED, LINK_FLAPPING, REL_LINK),
	R(LINK_CORRUPTING, LINK_FLAPPING, REL_LINK),
	R(LINK_FLAPPING, BLIND, REL_DEVICE),
	/* Moving a cable takes the link down. */
	R(LINK_FLAPPING, WIRING_SWAPPED, REL_LINK), R(LINK_FLAPPING, WIRING_ROTATED, REL_LINK),
	R(LINK_FLAPPING, WIRING_WRONG, REL_LINK),
	R(BLIND, LINK_DOWN, REL_HOST | REL_RISK),
	/* Other signs of a worn link belong to its errors. */
	R(LINK_FEC_MARGIN, LINK_CORRUPTING, REL_LINK | REL_RISK),
	R(LINK_FEC_MARGIN, LINK_FLAPPING, REL_LINK | REL_RISK),
	R(LINK_FEC_MARGIN, LINK_DOWN, REL_LINK | REL_RISK),
	R(LINK_FEC_MARGIN, OPTIC_POWER, REL_LINK | REL_RISK),
	R(OPTIC_POWER, LINK_CORRUPTING, REL_LINK | REL_RISK),
	R(OPTIC_POWER, LINK_FLAPPING, REL_LINK | REL_RISK),
	R(OPTIC_POWER, LINK_DOWN, REL_LINK | REL_RISK),
	/* A pair that does not fit is why its link has no light, or errors. */
	R(LINK_DOWN, OPTIC_MISMATCH, REL_LINK), R(LINK_CORRUPTING, OPTIC_MISMATCH, REL_LINK),
	R(LINK_FLAPPING, OPTIC_MISMATCH, REL_LINK), R(LINK_FEC_MARGIN, OPTIC_MISMATCH, REL_LINK),
	R(OPTIC_POWER, OPTIC_MISMATCH, REL_LINK), R(OPTIC_SIGNAL, OPTIC_MISMATCH, REL_LINK),
	R(OPTIC_SIGNAL, OPTIC_POWER, REL_LINK | REL_RISK),
	R(OPTIC_SIGNAL, LINK_FEC_MARGIN, REL_LINK | REL_RISK),
	R(OPTIC_SIGNAL, LINK_CORRUPTING, REL_LINK | REL_RISK),
	R(OPTIC_SIGNAL, LINK_FLAPPING, REL_LINK | REL_RISK),
	R(OPTIC_SIGNAL, LINK_DOWN, REL_LINK | REL_RISK),
	R(OPTIC_OUTLIER, OPTIC_POWER, REL_LINK | REL_RISK),
	R(OPTIC_OUTLIER, LINK_FEC_MARGIN, REL_LINK | REL_RISK),
	R(OPTIC_OUTLIER, LINK_CORRUPTING, REL_LINK | REL_RISK),
	R(OPTIC_OUTLIER, LINK_FLAPPING, REL_LINK | REL_RISK),
	R(OPTIC_OUTLIER, LINK_DOWN, REL_LINK | REL_RISK),

	/* A bond lacks the slave that is down. */
	BY_LINK(LINK_BOND, REL_VICTIM), BY_LINK(LAG_DOWN, REL_VICTIM), R(LAG_DOWN, LAG_MEMBER, REL_VICTIM),
	R(LAG_DOWN, LINK_BOND, REL_LINK), R(LAG_MEMBER, WIRING_WRONG, REL_LINK), R(LAG_MEMBER, WIRING_SWAPPED, REL_LINK),
	/* Loss that only the host sees, and pauses of an unseen device. */
	BY_LINK(RDMA_LOSS, REL_LINK | REL_VICTIM), R(RDMA_LOSS, LINK_BOND, REL_LINK), R(RDMA_LOSS, NIC_ERROR, REL_LINK),
	R(RDMA_LOSS, LINK_CORRUPTING, REL_LINK), R(RDMA_LOSS, LOSSLESS_DROP, REL_LINK), R(RDMA_LOSS, PFC_OFF, REL_LINK),
	R(RDMA_LOSS, WRONG_DSCP, REL_HOST), R(RDMA_LOSS, WATCHDOG_FIRED, REL_LINK),
	/* Firmware that stopped takes the link and its counters with it. */
	R(LINK_DOWN, NIC_ERROR, REL_LINK), R(LINK_FLAPPING, NIC_ERROR, REL_LINK), R(LINK_BOND, NIC_ERROR, REL_LINK),
	R(PFC_STORM, NIC_ERROR, REL_LINK),
	R(RDMA_LOSS, BLIND, REL_LINK), BY_LINK(NIC_HELD, REL_LINK),

	/* Routing follows links. */
	BY_LINK(BGP_DOWN, REL_LINK), BY_LINK(BGP_FLAPPING, REL_LINK),
	R(BGP_FLAPPING, BGP_DOWN, REL_LINK),
	R(BGP_DOWN, BLIND, REL_DEVICE), R(BGP_DOWN, ECMP_CAPACITY, REL_MANY),
	R(BGP_DOWN, WIRING_WRONG, REL_LINK), R(BGP_DOWN, WIRING_SWAPPED, REL_LINK),
	/* With two lost links neither explains it alone. */
	BY_LINK(ECMP_CAPACITY, REL_ONE),
	R(ECMP_CAPACITY, LINK_SPEED, REL_DEVICE), R(ECMP_CAPACITY, BLIND, REL_DEVICE),
	BY_LINK(ECMP_IMBALANCE, REL_DEVICE), BY_ROUTE(ECMP_IMBALANCE, REL_DEVICE),
	R(ECMP_IMBALANCE, ECMP_POLARISATION, REL_VICTIM),
	R(ECMP_IMBALANCE, ECMP_COLLISION, REL_DEVICE),
	R(ECMP_IMBALANCE, ROUTE_ONE_WAY, REL_DEVICE),
	BY_LINK(ECMP_COLLISION, REL_DEVICE), BY_ROUTE(ECMP_COLLISION, REL_DEVICE),
	BY_LINK(ROUTE_ONE_WAY, REL_DEVICE), R(ROUTE_ONE_WAY, BGP_DOWN, REL_DEVICE),
	R(ROUTE_ONE_WAY, BGP_FLAPPING, REL_LINK),
	BY_LINK(LINT_OVERSUBSCRIPTION, REL_DEVICE | REL_RISK),
	R(LINT_OVERSUBSCRIPTION, ECMP_CAPACITY, REL_DEVICE | REL_RISK),

	/* Drops: PFC that is not sent or ignored, an active watchdog, a lost link. */
	R(LOSSLESS_DROP, PFC_OFF, REL_LINK), R(LOSSLESS_DROP, NIC_IGNORES_PFC, REL_LINK | REL_HOST),
	R(LOSSLESS_DROP, WATCHDOG_FIRED, REL_LINK), R(LOSSLESS_DROP, WATCHDOG_MISFIRE, REL_LINK),
	R(LOSSLESS_DROP, DEADLOCK, REL_VICTIM | REL_LINK),
	BY_LINK(LOSSLESS_DROP, REL_LINK | REL_DEVICE | REL_HOST),
	BY_NIC(LOSSLESS_DROP, REL_LINK | REL_PATH), BY_QUEUE(LOSSLESS_DROP, REL_LINK | REL_PATH),
	R(LOSSLESS_DROP, LINK_CORRUPTING, REL_LINK),
	/* A port that is paused without end grants no credit to the cards of its chassis. */
	BY_NIC(VOQ_CREDIT, REL_LINK | REL_PATH), R(VOQ_CREDIT, WATCHDOG_FIRED, REL_LINK),
	BY_LINK(VOQ_CREDIT, REL_LINK), R(LOSSLESS_DROP, VOQ_CREDIT, REL_LINK),
	/* A pool without space drops at any port of its switch. It is full because queues are, or because
	 * nobody stops. */
	R(LOSSLESS_DROP, POOL_FULL, REL_DEVICE), BY_LINK(POOL_FULL, REL_DEVICE | REL_RISK),
	BY_NIC(POOL_FULL, REL_DEVICE | REL_RISK), BY_QUEUE(POOL_FULL, REL_DEVICE | REL_RISK),
	R(POOL_FULL, PFC_OFF, REL_DEVICE | REL_RISK), R(POOL_FULL, NIC_IGNORES_PFC, REL_DEVICE | REL_RISK),
	R(POOL_FULL, WATCHDOG_FIRED, REL_DEVICE | REL_RISK), R(POOL_FULL, WRONG_DSCP, REL_DEVICE | REL_RISK),
	R(PFC_OFF, LINT_PFC, REL_LINK), R(LINT_PFC, PFC_OFF, REL_LINK | REL_RISK),

	/* The watchdog acts because a peer pauses the queue. */
	BY_NIC(WATCHDOG_FIRED, REL_LINK | REL_PATH), R(WATCHDOG_FIRED, DEADLOCK, REL_VICTIM | REL_LINK | REL_PATH),
	R(WATCHDOG_FIRED, WATCHDOG_MISFIRE, REL_LINK),
	R(WATCHDOG_MISFIRE, PFC_STORM, REL_LINK), R(WATCHDOG_MISFIRE, DEADLOCK, REL_VICTIM | REL_LINK),
	BY_LINK(GLOBAL_PAUSE, REL_LINK),

	/* Victims of pauses, up to where the pauses end. */
	R(PFC_CYCLE, DEADLOCK, REL_VICTIM | REL_LINK),
	R(DEADLOCK, PFC_STORM, REL_PATH), R(PFC_CYCLE, PFC_STORM, REL_PATH),
	BY_NIC(PAUSE_UNEXPLAINED, REL_PATH | REL_LINK), BY_QUEUE(PAUSE_UNEXPLAINED, REL_PATH | REL_LINK),
	BY_LINK(PAUSE_UNEXPLAINED, REL_DEVICE), R(PAUSE_UNEXPLAINED, LINK_SPEED, REL_DEVICE),
	R(PAUSE_CONSERVATION, NIC_IGNORES_PFC, REL_LINK | REL_RISK), R(PAUSE_CONSERVATION, PFC_OFF, REL_LINK | REL_RISK),
	R(SLOW_RECEIVER, PFC_STORM, REL_HOST | REL_LINK), R(SLOW_RECEIVER, PCIE_BOUND, REL_LINK | REL_HOST),
	R(SLOW_RECEIVER, PCIE_WIDTH, REL_LINK | REL_PROMOTE), R(PCIE_BOUND, PCIE_WIDTH, REL_LINK | REL_PROMOTE),
	R(PCIE_BOUND, PFC_STORM, REL_LINK), R(SLOW_RECEIVER, NIC_IGNORES_PFC, REL_LINK),

	/* Congestion, and conditions that aggravate it. */
	R(INCAST, ECN_OFF, REL_LINK), R(INCAST, CNP_OFF, REL_LINK | REL_HOST | REL_VICTIM),
	R(INCAST, CC_OFF, REL_VICTIM), R(INCAST, MIXED_TRAFFIC, REL_LINK | REL_VICTIM),
	R(INCAST, STARVED, REL_LINK | REL_VICTIM), R(FULL_LINK, STARVED, REL_LINK | REL_VICTIM),
	R(INCAST, DEGRADED_CONGESTION, REL_LINK), R(INCAST, LINK_SPEED, REL_LINK),
	/* All that was for the bond comes by the link that is left. */
	R(INCAST, LINK_BOND, REL_HOST), R(FULL_LINK, LINK_BOND, REL_HOST),
	R(INCAST, ECMP_CAPACITY, REL_DEVICE), R(INCAST, WRONG_DSCP, REL_ANY | REL_AHEAD),
	/* The queue is real, and loses nothing; the port that loses packets is to be mended first. */
	BEFORE_QUEUE(NIC_IGNORES_PFC), BEFORE_QUEUE(PFC_OFF),
	/* A link is full because the load of others is on it. */
	BY_LINK(FULL_LINK, REL_DEVICE), BY_ROUTE(FULL_LINK, REL_DEVICE), R(FULL_LINK, LINK_SPEED, REL_LINK | REL_DEVICE),
	R(FULL_LINK, ECMP_COLLISION, REL_DEVICE), R(FULL_LINK, ECMP_IMBALANCE, REL_DEVICE),
	R(FULL_LINK, ECMP_POLARISATION, REL_TIER), R(FULL_LINK, ROUTE_ONE_WAY, REL_DEVICE),
	R(FULL_LINK, DEGRADED_CONGESTION, REL_LINK), R(FULL_LINK, MIXED_TRAFFIC, REL_VICTIM), R(FULL_LINK, LINK_CORRUPTING, REL_LINK),
	R(DEGRADED_CONGESTION, LINK_SPEED, REL_LINK), R(DEGRADED_CONGESTION, LINK_CORRUPTING, REL_LINK),
	R(CC_OFF, LINT_DCQCN, REL_LINK | REL_HOST), R(CNP_OFF, LINT_DCQCN, REL_LINK | REL_HOST),
	R(LINT_DCQCN, CC_OFF, REL_LINK | REL_RISK), R(LINT_DCQCN, CNP_OFF, REL_LINK | REL_RISK),
	R(LINT_ECN, ECN_OFF, REL_LINK | REL_RISK), R(LINT_DSCP, WRONG_DSCP, REL_LINK | REL_RISK),
	R(LINT_TRUST, WRONG_DSCP, REL_LINK | REL_RISK), R(LOSSLESS_DROP, WRONG_DSCP, REL_LINK | REL_HOST),

	/* A job waits for its hosts and links. */
	BY_NETWORK(NCCL_SLOW_EDGE), BY_PROCESS(NCCL_SLOW_EDGE), BY_NETWORK(NCCL_SLOW), BY_PROCESS(NCCL_SLOW),
	BY_NETWORK(NCCL_HANG), BY_PROCESS(NCCL_HANG), R(NCCL_HANG, NCCL_INCOMPLETE, REL_JOB),
	R(NCCL_HANG, NCCL_MISMATCH, REL_JOB), BY_ENDS(NCCL_ERROR), BY_PROCESS(NCCL_ERROR),
	R(NCCL_ERROR, NCCL_NIC, REL_HOST | REL_VICTIM | REL_JOB), R(NCCL_ERROR, NCCL_MISMATCH, REL_JOB),
	BY_LINK(NCCL_NIC, REL_ENDS), R(NCCL_NIC, HOST_GPU_ERROR, REL_HOST),
	BY_NETWORK(NCCL_TIMEOUT), BY_PROCESS(NCCL_TIMEOUT), R(NCCL_TIMEOUT, NCCL_NIC, REL_JOB),
	R(NCCL_TIMEOUT, NCCL_MISMATCH, REL_JOB), R(NCCL_TIMEOUT, NCCL_INCOMPLETE, REL_JOB),
	BY_NETWORK(NCCL_MISMATCH), BY_PROCESS(NCCL_MISMATCH), R(NCCL_MISMATCH, NCCL_INCOMPLETE, REL_JOB),
	R(NCCL_INCOMPLETE, NCCL_DEAD, REL_JOB), R(NCCL_INCOMPLETE, HOST_GPU_ERROR, REL_HOST | REL_JOB),
	R(NCCL_INCOMPLETE, BLIND, REL_HOST | REL_JOB),
	R(NCCL_DEAD, HOST_GPU_ERROR, REL_HOST), BY_LINK(NCCL_DEAD, REL_HOST), R(NCCL_DEAD, BLIND, REL_HOST),
	R(NCCL_STRAGGLER, HOST_GPU_ERROR, REL_HOST), R(NCCL_STRAGGLER, STORAGE, REL_HOST), BY_GPU_LINKS(NCCL_STRAGGLER, REL_HOST),
	BY_GPU_LINKS(NCCL_DEAD, REL_HOST), BY_GPU_LINKS(NCCL_INCOMPLETE, REL_HOST | REL_JOB),
	/* A GPU that failed takes its links with it. */
	R(NVLINK_DOWN, HOST_GPU_ERROR, REL_HOST), R(NVLINK_FABRIC, HOST_GPU_ERROR, REL_HOST),
	R(NVLINK_ERRORS, HOST_GPU_ERROR, REL_HOST | REL_RISK), R(NVLINK_ERRORS, NVLINK_DOWN, REL_HOST | REL_RISK),
	R(NVLINK_IMEX, NVLINK_FABRIC, REL_HOST), R(NVLINK_IMEX, BLIND, REL_HOST),
	/* A NIC that lost its link makes its rank late until it has recovered. */
	BY_LINK(NCCL_STRAGGLER, REL_HOST),
};
/* clang-format on */

void root_cause_rules_fill(struct root_cause_rules *out)
{
	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		out->how[rules[i].symptom][rules[i].root] |= (uint16_t)rules[i].how;
}

/* ---- places ---- */

static void place_port(const struct model *m, struct place *p, const struct port *port)
{
	const struct port *peer;

	if (!port)
		return;
	p->port = port->id;
	p->device = port->device;
	peer = port_peer(m, port, NULL);
	if (!peer)
		return;
	p->peer_port = peer->id;
	p->peer_device = peer->device;
}

static const struct bgp_session *session_of(const struct model *m, struct ref at)
{
	const struct device *d = ref_device(m, at);

	for (size_t i = 0; d && i < d->bgp.n; i++)
		if (bgp_session_key(&d->bgp.at[i]) == at.seq)
			return &d->bgp.at[i];
	return NULL;
}

/* A session names its port (unnumbered) or the neighbour's host name; an address gives neither. */
static void place_session(const struct model *m, struct place *p, struct ref at)
{
	const struct bgp_session *s = session_of(m, at);
	const struct device *d = ref_device(m, at), *peer;
	const struct port *port, *link = NULL;
	unsigned links = 0;

	if (!d)
		return;
	p->device = d->id;
	if (!s)
		return;
	port = model_port(m, d, s->peer);
	if (port) {
		place_port(m, p, port);
		return;
	}
	peer = s->host[0] ? model_device(m, s->host) : NULL;
	if (!peer)
		return;
	p->peer_device = peer->id;
	for (size_t i = 0; i < d->ports.n; i++) {
		const struct port *own = m->ports.at[d->ports.at[i]];
		const struct port *other = port_peer(m, own, NULL);

		if (other && other->device == peer->id) {
			link = own;
			links++;
		}
	}
	/* With several parallel links the session's link is unknown. */
	if (links == 1)
		place_port(m, p, link);
}

static void place_rank(const struct model *m, struct place *p, struct ref at)
{
	const struct comm *c = ref_comm(m, at);
	const struct rank *r = ref_rank(m, at);

	if (!c)
		return;
	p->job = c->job;
	if (!r)
		return;
	place_port(m, p, model_port_at(m, r->nic));
	/* The host whose log it is in need not be its own. */
	if (r->host_source != SOURCE_WATCHDOG_LOG && model_device_at(m, r->host))
		p->host = p->device = r->host;
}

static uint32_t host_at(const struct model *m, uint32_t device)
{
	const struct device *d = model_device_at(m, device);

	return d && d->tier == TIER_HOST ? device : NO_DEVICE;
}

struct place place_of(const struct model *m, const struct finding *f)
{
	struct place p = {PORT_NONE, PORT_NONE, NO_DEVICE, NO_DEVICE, NO_DEVICE, JOB_NONE};

	switch (f->at.kind) {
	case REF_PORT:
	case REF_PRIORITY:
	case REF_LINK:
	case REF_COUNTER:
		place_port(m, &p, ref_port(m, f->at));
		break;
	case REF_DEVICE:
		p.device = f->at.device;
		break;
	case REF_BGP:
		place_session(m, &p, f->at);
		break;
	case REF_JOB:
		p.job = f->at.job;
		break;
	case REF_COMM:
	case REF_RANK:
		place_rank(m, &p, f->at);
		break;
	default:
		break;
	}
	if (p.host == NO_DEVICE)
		p.host = host_at(m, p.device);
	if (p.host == NO_DEVICE)
		p.host = host_at(m, p.peer_device);
	/* NCCL's findings at a host belong to the job there. */
	if (p.job == JOB_NONE && p.host != NO_DEVICE && finding_info[f->id].family == FAMILY_NCCL)
		p.job = model_job_of(m, p.host);
	return p;
}

enum net_kind place_net(const struct model *m, const struct place *at)
{
	const struct device *d = model_device_at(m, at->device);
	const struct device *peer = model_device_at(m, at->peer_device);
	const struct port *p = model_port_at(m, at->port), *q = model_port_at(m, at->peer_port);
	enum net_kind net = p ? port_net(m, p) : NET_COUNT, far = q ? port_net(m, q) : NET_COUNT;

	/* A link is of the backend only if both of its ends are. */
	if (net == NET_COUNT || (net == NET_BACKEND && far != NET_COUNT))
		net = far;
	if (net != NET_COUNT)
		return net;
	if (d && d->net != NET_BACKEND)
		return d->net;
	return peer ? peer->net : NET_BACKEND;
}

/* ---- relations ---- */

static bool same_link(const struct place *a, const struct place *b)
{
	return a->port != PORT_NONE && (a->port == b->port || a->port == b->peer_port);
}

static bool at_an_end(uint32_t device, const struct place *link)
{
	return device == link->device || device == link->peer_device;
}

/*
 * For a session with an unknown link (the peer is known by address alone, or there are parallel
 * links): a link of its device that leads to its peer, as far as that is known.
 */
static bool session_over(const struct side *s, const struct side *root)
{
	return s->f->at.kind == REF_BGP && s->at.port == PORT_NONE && root->at.port != PORT_NONE &&
	       root->at.host == NO_DEVICE && s->at.device != NO_DEVICE &&
	       at_an_end(s->at.device, &root->at) &&
	       (s->at.peer_device == NO_DEVICE || at_an_end(s->at.peer_device, &root->at));
}

static bool on_device(const struct place *s, const struct place *root)
{
	return s->device != NO_DEVICE &&
	       (s->device == root->device || s->device == root->peer_device ||
		       (root->port == PORT_NONE && root->device != NO_DEVICE &&
			       s->peer_device == root->device));
}

static bool same_host(const struct place *a, const struct place *b)
{
	return a->host != NO_DEVICE && a->host == b->host;
}

/* Whether a place that the root names is the symptom's place. */
static bool is_at_symptom(struct ref r, const struct side *s)
{
	switch (r.kind) {
	case REF_PORT:
	case REF_PRIORITY:
	case REF_LINK:
		return r.port != PORT_NONE && (r.port == s->at.port || r.port == s->at.peer_port);
	case REF_DEVICE:
		return r.device == s->at.device || r.device == s->at.host;
	case REF_JOB:
		return s->at.job != JOB_NONE && r.job == s->at.job;
	default:
		return ref_eq(r, s->f->at);
	}
}

static bool named_by(const struct side *s, const struct finding *root)
{
	bool is = is_at_symptom(root->peer, s);

	for (size_t i = 0; i < root->members.n && !is; i++)
		is = is_at_symptom(root->members.at[i], s);
	for (size_t i = 0; i < root->victims.n && !is; i++)
		is = is_at_symptom(root->victims.at[i].at, s);
	return is;
}

/* At most eight hops in three tiers (diagnosis reference 2.2). */
static bool leads_to(const struct diag *d, uint32_t port, const struct place *root)
{
	const struct pause_graph *g = d->pauses;
	const struct pause_node *n = port == PORT_NONE ? NULL : pause_node_of(g, port);

	for (unsigned hop = 0; n && hop < 8; hop++) {
		if (n->port == root->port || n->port == root->peer_port)
			return true;
		if (n->toward >= g->nodes.n || n == &g->nodes.at[n->toward])
			return false;
		n = &g->nodes.at[n->toward];
	}
	return false;
}

static bool of_tier(const struct model *m, const struct place *s, struct ref root)
{
	const struct device *d = model_device_at(m, s->device);
	const struct device *peer = model_device_at(m, s->peer_device);

	if (root.kind == REF_FABRIC)
		return true;
	return root.kind == REF_TIER &&
	       ((d && d->tier == root.tier) || (peer && peer->tier == root.tier));
}

/* Whether the pauses of the symptom's egress reach a device of the root's link. */
static bool pauses_reach(
	const struct diag *d, const struct model *m, const struct side *s, const struct place *root)
{
	const struct pause_graph *g = d->pauses;
	const struct pause_node *n = s->at.port == PORT_NONE ? NULL : pause_node_of(g, s->at.port);
	const uint32_t *up;
	size_t count = 0;

	if (!n)
		return false;
	up = pause_graph_upstream(g, (uint32_t)(n - g->nodes.at), &count);
	for (size_t i = 0; i < count; i++) {
		uint32_t at = m->ports.at[g->nodes.at[up[i]].port]->device;

		if (at == root->device || at == root->peer_device)
			return true;
	}
	return false;
}

/* The job uses a switch that one of its hosts is on, and every switch above the leaves. */
static bool job_uses(const struct model *m, const struct job *j, uint32_t device)
{
	const struct device *d = model_device_at(m, device);

	if (!d)
		return false;
	if (d->tier == TIER_HOST)
		return job_has_host(j, device);
	if (d->tier != TIER_LEAF)
		return j->hosts.n > 1;
	for (size_t i = 0; i < d->ports.n; i++) {
		const struct port *peer = port_peer(m, m->ports.at[d->ports.at[i]], NULL);

		if (peer && job_has_host(j, peer->device))
			return true;
	}
	return false;
}

static bool in_job(const struct model *m, uint32_t job, const struct side *root)
{
	const struct job *j = model_job_at(m, job);

	if (!j)
		return false;
	if (root->at.job != JOB_NONE)
		return root->at.job == job;
	if (root->at.host != NO_DEVICE)
		return job_has_host(j, root->at.host);
	if (root->at.device == NO_DEVICE)
		return true; /* of a tier, a rail or the fabric: used by all jobs */
	return job_uses(m, j, root->at.device);
}

/* Whether the root's link or host is the end at that NIC or host. */
static bool is_end(const struct model *m, struct ref end, const struct place *root)
{
	const struct port *p = ref_port(m, end);

	if (p && root->port != PORT_NONE)
		return p->id == root->port || p->id == root->peer_port;
	if (p)
		return p->device == root->host;
	return end.kind == REF_DEVICE && end.device == root->host;
}

bool root_cause_at_ends(const struct model *m, const struct side *s, const struct side *root)
{
	const struct finding *f = s->f;
	bool own = ref_port(m, f->at) != NULL, far = f->peer.kind != REF_NONE;

	if (root->at.host == NO_DEVICE)
		return in_job(m, s->at.job, root);
	if (is_end(m, f->at, &root->at) || (far && is_end(m, f->peer, &root->at)))
		return true;
	/* One end alone is named: the far one may be any other host of the job. */
	if (!own && same_host(&s->at, &root->at))
		return true;
	return !far && !same_host(&s->at, &root->at) && in_job(m, s->at.job, root);
}

bool root_cause_related(const struct diag *d, const struct model *m, const struct side *s,
	const struct side *root, unsigned mask)
{
	if ((mask & REL_LINK) && (same_link(&s->at, &root->at) || session_over(s, root)))
		return true;
	if ((mask & REL_DEVICE) && on_device(&s->at, &root->at))
		return true;
	if ((mask & REL_ONE) && s->f->members.n < 2 && on_device(&s->at, &root->at))
		return true;
	if ((mask & REL_HOST) && same_host(&s->at, &root->at))
		return true;
	if ((mask & REL_MANY) && root->f->members.n >= 2 && named_by(s, root->f))
		return true;
	if ((mask & REL_VICTIM) && named_by(s, root->f))
		return true;
	if ((mask & REL_PATH) &&
		(leads_to(d, s->at.port, &root->at) || leads_to(d, s->at.peer_port, &root->at)))
		return true;
	if ((mask & REL_ENDS) && root_cause_at_ends(m, s, root))
		return true;
	if (mask & REL_ANY)
		return true;
	if ((mask & REL_TIER) && of_tier(m, &s->at, root->f->at))
		return true;
	if ((mask & REL_TREE) && pauses_reach(d, m, s, &root->at))
		return true;
	return (mask & REL_JOB) && in_job(m, s->at.job, root);
}
