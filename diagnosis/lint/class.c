/* SPDX-License-Identifier: Apache-2.0 */
/* Classification: the lossless priorities, and the traffic that maps into them. */
#include <string.h>

#include "base/str.h"
#include "diagnosis/lint/rules.h"

#define KNOWN 0x100U /* of a mask: bit 8 of struct port */

/* ---- PFC priorities ---- */

static uint64_t pfc_value(const struct lint *l, const struct port *p)
{
	(void)l;
	return p->pfc_enabled & KNOWN ? p->pfc_enabled & 0xffU : LINT_UNSPOKEN;
}

static int pfc_port(struct lint *l, const struct port *p)
{
	unsigned is = p->pfc_enabled & 0xffU, should = l->m->lossless.priorities;
	struct lint_difference w = {.id = FIND_LINT_PFC, .reason = "plan"};
	const struct port *q = lint_peer(l, p);
	char value[16], text[32];
	uint64_t most;

	if (!(p->pfc_enabled & KNOWN))
		return LINT_UNKNOWN;
	if (!should && lint_usual(l, p, &most)) {
		should = (unsigned)most;
		w.reason = "siblings";
	} else if (!should && q && (q->pfc_enabled & KNOWN)) {
		should = q->pfc_enabled & 0xffU;
		w.reason = "other end";
	} else if (!should) {
		return LINT_UNKNOWN;
	}
	if (is == should)
		return LINT_OK;
	if (q)
		w.peer = at_port(q->id);
	lint_mask_text(is, text, sizeof(text));
	(void)str_printf(w.is, sizeof(w.is), "pfc %s", text);
	lint_mask_text(should, text, sizeof(text));
	(void)str_printf(w.should, sizeof(w.should), "pfc %s", text);
	(void)str_printf(value, sizeof(value),
		should >> __builtin_ctz(is ^ should) & 1U ? "%d on" : "!%d off",
		__builtin_ctz(is ^ should));
	w.value = value;
	return lint_differs(l, p, &w);
}

const struct lint_check lint_pfc = {
	.id = FIND_LINT_PFC, .what = "PFC priorities", .value = pfc_value, .port = pfc_port};

/* ---- DSCP -> traffic class -> queue and priority group ---- */

static char map_entry(const char *map, char at)
{
	return map && at >= '0' && at <= '7' ? map[at - '0'] : '?';
}

/*
 * Whether the class shares its priority group with a lossy one. NVUE numbers groups by itself. By
 * default all switch priorities are in the group "bulk", number 0 (qos_infra.conf in NVIDIA's
 * "Quality of Service" of Cumulus Linux 5). PFC takes a priority out of it: `nv show qos roce` and
 * `nv show interface swp16 qos roce status` (there, "RDMA over Converged Ethernet", and site notes
 * of 5.16) list priority 3 alone in roce-reserved-ingress. No source gives that group a number; the
 * management port is in group 9 (NVUE reference, qos buffer ingress-priority-group).
 */
static bool shares_group(const struct lint *l, const struct qos *q, char tc)
{
	uint8_t lossless = lossless_priorities(&l->m->lossless);
	char group = map_entry(q->tc_to_pg, tc);

	for (int other = 0; other < PRIORITIES; other++)
		if (!((unsigned)lossless >> other & 1U) &&
			map_entry(q->tc_to_pg, (char)('0' + other)) == group)
			return true;
	return false;
}

/* Whether the lossless class has a priority group of its own, under the number that it must have.
 */
static bool wrong_group(const struct lint *l, const struct port *p, char tc, char prio)
{
	const struct qos *q = p->qos;

	if (!q->tc_to_pg)
		return false;
	return str_eq(model_dev_of(l->m, p)->dialect, "cumulus")
		       ? shares_group(l, q, tc)
		       : map_entry(q->tc_to_pg, tc) != prio;
}

/*
 * The first place where the chain of one DSCP leaves its priority; w->is has it in words, and value
 * those for cure.c. False: none, as far as it is reported. The lossless class has the same number
 * in each step (design: priority = queue = priority group). A NIC numbers its traffic classes and
 * buffers freely: only its priority counts.
 */
static bool leaves_chain(const struct lint *l, const struct port *p, unsigned dscp, char prio,
	struct lint_difference *w, char *value, size_t size)
{
	const struct qos *q = p->qos;
	bool host = lint_is_host(l, p);
	char tc = q->dscp_to_tc[dscp];

	if (tc != prio) {
		(void)str_printf(w->is, sizeof(w->is),
			tc == '-' ? "dscp %u not mapped" : "dscp %u to tc %c", dscp, tc);
		(void)str_printf(value, size, "%u %c", dscp, prio);
		return true;
	}
	if (host)
		return false;
	(void)str_printf(value, size, "!%c %c", tc, prio);
	if (q->tc_to_queue && map_entry(q->tc_to_queue, tc) != prio) {
		(void)str_printf(w->is, sizeof(w->is), "dscp %u, tc %c to queue %c", dscp, tc,
			map_entry(q->tc_to_queue, tc));
	} else if (wrong_group(l, p, tc, prio)) {
		(void)str_printf(w->is, sizeof(w->is), "dscp %u, tc %c to priority group %c", dscp,
			tc, map_entry(q->tc_to_pg, tc));
		value[0] = '^';
	} else if (q->prio_to_queue && q->tc_to_queue &&
		   map_entry(q->prio_to_queue, prio) != map_entry(q->tc_to_queue, tc)) {
		(void)str_printf(w->is, sizeof(w->is),
			"PFC of %c stops queue %c, dscp %u is in queue %c", prio,
			map_entry(q->prio_to_queue, prio), dscp, map_entry(q->tc_to_queue, tc));
	} else {
		return false;
	}
	return true;
}

static uint64_t dscp_value(const struct lint *l, const struct port *p)
{
	(void)l;
	/* Maps are shared: equal ones are the same pointer. */
	return p->qos && p->qos->dscp_to_tc ? (uint64_t)(uintptr_t)p->qos->dscp_to_tc
					    : LINT_UNSPOKEN;
}

/* The class of RDMA by the NIC's own setting; 0 and unset leave it to the application. */
static int nic_tclass(struct lint *l, const struct port *p)
{
	const struct lossless *lo = &l->m->lossless;
	struct lint_difference w = {.id = FIND_LINT_DSCP, .reason = "plan"};
	int dscp = p->qos->roce_tclass > 0 ? p->qos->roce_tclass >> 2 : 0;

	if (!lint_is_host(l, p) || !dscp || dscp > 63 ||
		(lo->dscp_prio[dscp] >= 0 && (unsigned)lo->priorities >> lo->dscp_prio[dscp] & 1U))
		return LINT_OK;
	(void)str_printf(w.is, sizeof(w.is), "RDMA leaves with dscp %d", dscp);
	(void)str_copy(w.should, sizeof(w.should), "a lossless dscp of the plan");
	return lint_differs(l, p, &w);
}

static int dscp_port(struct lint *l, const struct port *p)
{
	const struct lossless *lo = &l->m->lossless;
	struct lint_difference w = {.id = FIND_LINT_DSCP, .reason = "plan"};
	int result = LINT_UNKNOWN;
	char value[16] = "";
	uint64_t most;
	bool planned = false;

	if (!p->qos || !p->qos->dscp_to_tc)
		return LINT_UNKNOWN;
	w.value = value;
	for (unsigned d = 0; d < 64; d++) {
		if (lo->dscp_prio[d] < 0 || lo->dscp_prio[d] >= PRIORITIES)
			continue;
		if (!planned)
			result = nic_tclass(l, p);
		planned = true;
		if (!leaves_chain(
			    l, p, d, (char)('0' + lo->dscp_prio[d]), &w, value, sizeof(value)))
			continue;
		(void)str_printf(w.should, sizeof(w.should), "dscp %u to %d", d, lo->dscp_prio[d]);
		result = lint_differs(l, p, &w);
	}
	if (planned || !lint_usual(l, p, &most))
		return result;
	if (most == dscp_value(l, p))
		return LINT_OK;
	w.reason = "siblings";
	(void)str_copy(w.is, sizeof(w.is), "a different dscp map");
	(void)str_copy(w.should, sizeof(w.should), "the map of its siblings");
	return lint_differs(l, p, &w);
}

const struct lint_check lint_dscp = {
	.id = FIND_LINT_DSCP, .what = "DSCP maps", .value = dscp_value, .port = dscp_port};

/* ---- trust ---- */

static uint64_t trust_value(const struct lint *l, const struct port *p)
{
	uint64_t v = 0;

	(void)l;
	if (!p->qos || !*p->qos->trust)
		return LINT_UNSPOKEN;
	memcpy(&v, p->qos->trust, strnlen(p->qos->trust, sizeof(v)));
	return v;
}

static bool plan_has_dscp(const struct lossless *lo)
{
	for (unsigned d = 0; d < 64; d++)
		if (lo->dscp_prio[d] > 0)
			return true;
	return false;
}

static int trust_port(struct lint *l, const struct port *p)
{
	struct lint_difference w = {.id = FIND_LINT_TRUST, .reason = "plan"};
	uint64_t most;
	char usual[9] = "dscp";

	if (!p->qos || !*p->qos->trust)
		return LINT_UNKNOWN;
	if (!plan_has_dscp(&l->m->lossless)) {
		if (!lint_usual(l, p, &most))
			return LINT_UNKNOWN;
		memcpy(usual, &most, sizeof(most));
		w.reason = "siblings";
	}
	if (str_starts(p->qos->trust, usual))
		return LINT_OK;
	(void)str_printf(w.is, sizeof(w.is), "trusts %s", p->qos->trust);
	(void)str_printf(w.should, sizeof(w.should), "trusts %s", usual);
	return lint_differs(l, p, &w);
}

const struct lint_check lint_trust = {
	.id = FIND_LINT_TRUST, .what = "trust mode", .value = trust_value, .port = trust_port};
