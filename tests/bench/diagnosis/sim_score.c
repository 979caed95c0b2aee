/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/diagnosis/sim_score.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

#define IDS_MOST 10
#define START_S  1763726000.0

/* The names that a class of fault may have. */
static const struct {
	const char *class;
	int id[IDS_MOST]; /* 1 + enum finding_id, 0 ends */
} names[] = {
#define N(x) (FIND_##x + 1)
	{"link-flap", {N(LINK_FLAPPING), N(LINK_DOWN)}},
	{"link-down", {N(LINK_DOWN), N(LINK_FLAPPING)}},
	{"low-speed", {N(LINK_SPEED), N(DEGRADED_CONGESTION)}},
	{"corrupt", {N(LINK_CORRUPTING)}},
	{"weak-optic", {N(LINK_FEC_MARGIN), N(OPTIC_POWER), N(OPTIC_OUTLIER)}},
	{"incast", {N(INCAST), N(ECN_OFF), N(CC_OFF), N(CNP_OFF), N(NIC_IGNORES_PFC), N(PFC_OFF)}},
	{"slow-receiver", {N(SLOW_RECEIVER)}},
	{"pcie-degraded", {N(PCIE_BOUND), N(PCIE_WIDTH)}},
	{"pfc-storm", {N(PFC_STORM), N(WATCHDOG_FIRED), N(WATCHDOG_SILENT)}},
	{"watchdog-missing", {N(WATCHDOG_MISSING), N(LINT_WATCHDOG)}},
	{"watchdog-misfire", {N(WATCHDOG_MISFIRE)}},
	{"deadlock", {N(DEADLOCK), N(PFC_CYCLE)}},
	{"cbd-pressure", {N(PFC_CYCLE), N(DEADLOCK)}},
	{"ecn-off", {N(ECN_OFF), N(LINT_ECN)}},
	{"cc-off", {N(CC_OFF), N(LINT_DCQCN)}},
	{"cnp-off", {N(CNP_OFF), N(LINT_DCQCN)}},
	{"wrong-dscp", {N(WRONG_DSCP), N(LINT_DSCP)}},
	{"pfc-off", {N(PFC_OFF), N(LINT_PFC)}},
	{"deaf-nic", {N(NIC_IGNORES_PFC)}},
	{"mixed-traffic", {N(MIXED_TRAFFIC)}},
	{"starved-queue", {N(STARVED)}},
	{"polarisation", {N(ECMP_POLARISATION)}},
	{"low-entropy", {N(ECMP_COLLISION), N(ECMP_IMBALANCE)}},
	{"miswire", {N(WIRING_SWAPPED), N(WIRING_ROTATED), N(WIRING_WRONG)}},
	{"uplinks-lost", {N(ECMP_CAPACITY), N(LINK_DOWN), N(LINT_OVERSUBSCRIPTION)}},
	{"gpu-straggler", {N(NCCL_STRAGGLER), N(NCCL_MISMATCH)}},
	{"rank-frozen", {N(NCCL_INCOMPLETE), N(NCCL_DEAD), N(NCCL_MISMATCH), N(NCCL_STRAGGLER)}},
	{"rank-dead", {N(NCCL_INCOMPLETE), N(NCCL_DEAD), N(NCCL_MISMATCH), N(NCCL_STRAGGLER),
			      N(NCCL_HANG)}},
	{"gpu-error", {N(HOST_GPU_ERROR)}},
	{"nvlink-down", {N(HOST_GPU_ERROR), N(NVLINK_DOWN)}},
	{"nvlink-errors", {N(NVLINK_ERRORS)}},
	{"one-way", {N(ROUTE_ONE_WAY)}},
	{"bgp-down", {N(BGP_DOWN), N(BGP_FLAPPING)}},
#undef N
};

/* A culprit that was open at some time. */
struct seen {
	uint64_t key;
	char text[160];
	unsigned polls;
	bool right;
};

static const char *text_of(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

bool sim_fault_called(const char *class, enum finding_id id)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(names[i].class, class) != 0)
			continue;
		for (size_t k = 0; k < IDS_MOST && names[i].id[k]; k++)
			if (names[i].id[k] == (int)id + 1)
				return true;
	}
	return false;
}

/* ---- places ---- */

static bool is_port(struct ref r)
{
	return r.kind == REF_PORT || r.kind == REF_PRIORITY || r.kind == REF_LINK;
}

static const struct port *port_at(const struct model *m, const json_t *end)
{
	const struct device *d = model_device(m, text_of(end, "device"));

	return d && *text_of(end, "port") ? model_port(m, d, text_of(end, "port")) : NULL;
}

static uint32_t device_of(const struct model *m, struct ref at)
{
	if (is_port(at))
		return m->ports.at[at.port]->device;
	if (at.kind == REF_DEVICE || at.kind == REF_BGP)
		return at.device;
	if (at.kind == REF_RANK && at.comm < m->nccl->comms.n) {
		const struct comm *c = m->nccl->comms.at[at.comm];

		return at.rank >= 0 && at.rank < c->nranks ? c->rank[at.rank].host : JOB_NONE;
	}
	return JOB_NONE;
}

/* The port, its other end, or the host that it belongs to. */
static bool at_end(const struct model *m, struct ref at, const json_t *end)
{
	const struct port *p = port_at(m, end), *peer = p ? port_peer(m, p, NULL) : NULL;
	const struct device *d = model_device(m, text_of(end, "device"));

	if (p && is_port(at))
		return at.port == p->id || (peer && at.port == peer->id);
	if (!d)
		return false;
	if (!p && is_port(at)) {
		const struct port *q = port_peer(m, m->ports.at[at.port], NULL);

		return m->ports.at[at.port]->device == d->id || (q && q->device == d->id);
	}
	return device_of(m, at) == d->id && (!p || d->tier == TIER_HOST || at.kind == REF_BGP);
}

static bool everywhere(const json_t *fault)
{
	return strcmp(text_of(fault, "device"), "*") == 0 || json_object_get(fault, "tier") ||
	       !*text_of(fault, "device");
}

static bool touched(const struct model *m, struct ref at, const json_t *fault)
{
	const json_t *end;
	size_t i;

	json_array_foreach(json_object_get(fault, "touches"), i, end)
	{
		if (at_end(m, at, end))
			return true;
	}
	return false;
}

static bool at_fault(const struct model *m, struct ref at, const json_t *fault)
{
	const json_t *peer = json_object_get(fault, "peer");

	if (at_end(m, at, fault) || (json_is_object(peer) && at_end(m, at, peer)) ||
		touched(m, at, fault))
		return true;
	if (json_is_object(json_object_get(fault, "contention")) &&
		at_end(m, at, json_object_get(fault, "contention")))
		return true;
	if (json_is_object(json_object_get(fault, "with")) &&
		at_end(m, at, json_object_get(fault, "with")))
		return true;
	/* Few flows collide on any uplink; a fault of all switches belongs to the tier. */
	if (strcmp(text_of(fault, "class"), "low-entropy") == 0 && is_port(at))
		return model_dev_of(m, m->ports.at[at.port])->tier != TIER_HOST;
	return everywhere(fault) && (at.kind == REF_NONE || at.kind == REF_TIER ||
					    at.kind == REF_FABRIC || at.kind == REF_DEVICE);
}

static bool is_at(const struct model *m, const struct finding *f, const json_t *fault)
{
	const json_t *touches = json_object_get(fault, "touches"), *end;
	size_t i;

	if (at_fault(m, f->at, fault))
		return true;
	for (i = 0; i < f->members.n; i++)
		if (at_fault(m, f->members.at[i], fault))
			return true;
	json_array_foreach(f->at.kind == REF_DEVICE ? touches : NULL, i, end)
	{
		const struct port *p = port_at(m, end);

		if (p && p->device == f->at.device)
			return true;
	}
	return false;
}

/* A wrong setting that shows under a load only may also be found at the load's place. */
bool sim_fault_at(
	const struct model *m, const struct finding *f, const json_t *fault, const json_t *faults)
{
	static const char *const set[] = {"cc-off", "cnp-off", "ecn-off", "pfc-off"};
	const json_t *load;
	bool needs_load = false;
	size_t i;

	if (is_at(m, f, fault))
		return true;
	for (i = 0; i < sizeof(set) / sizeof(set[0]); i++)
		needs_load |= strcmp(text_of(fault, "class"), set[i]) == 0;
	json_array_foreach(needs_load ? faults : NULL, i, load)
	{
		if (strcmp(text_of(load, "class"), "incast") == 0 && is_at(m, f, load))
			return true;
	}
	return false;
}

/* ---- polls ---- */

static bool blamed(const json_t *fault)
{
	return !json_is_false(json_object_get(fault, "blame"));
}

static double seconds(const json_t *fault, const char *key, double otherwise)
{
	const json_t *v = json_object_get(fault, key);

	return json_is_number(v) ? json_number_value(v) - START_S : otherwise;
}

bool sim_fault_on(const json_t *fault, double now_s, double after)
{
	return blamed(fault) && seconds(fault, "start", INFINITY) < now_s &&
	       now_s <= seconds(fault, "end", INFINITY) + after;
}

static void take_seen(struct sim_score *s, const struct bed *b, const struct finding *f, bool right)
{
	struct seen *x = NULL;
	char where[120];

	for (size_t i = 0; i < s->nseen && !x; i++)
		if (s->seen[i].key == f->key)
			x = &s->seen[i];
	if (!x) {
		s->seen = mem_realloc(s->seen, s->nseen + 1, sizeof(*s->seen));
		x = &s->seen[s->nseen++];
		*x = (struct seen){.key = f->key};
		finding_locator(b->m, f, where, sizeof(where));
		(void)str_printf(x->text, sizeof(x->text), "%s", where);
	}
	x->polls++;
	x->right |= right;
}

static void take_culprits(struct sim_score *s, const struct bed *b,
	const struct finding *const *list, size_t n, const json_t *faults, double now_s)
{
	for (size_t i = 0; i < n; i++) {
		const json_t *f;
		size_t k;
		bool right = false;

		if (list[i]->role != ROLE_CULPRIT || list[i]->root)
			continue;
		json_array_foreach(faults, k, f)
		{
			right |= sim_fault_on(f, now_s, SIM_AFTER_S) &&
				 sim_fault_at(b->m, list[i], f, faults);
		}
		take_seen(s, b, list[i], right);
	}
}

/* The first finding that says anything about trouble. */
static const struct finding *verdict(const struct finding *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (list[i]->role != ROLE_INFO &&
			finding_info[list[i]->id].family != FAMILY_MONITOR)
			return list[i];
	return NULL;
}

static void take_fault(struct sim_fault_score *x, const struct bed *b, const json_t *fault,
	const json_t *faults, const struct finding *const *list, size_t n)
{
	const struct finding *top = verdict(list, n);
	bool found = false;

	for (size_t i = 0; i < n; i++)
		found |= sim_fault_called(x->class, list[i]->id) &&
			 sim_fault_at(b->m, list[i], fault, faults);
	x->polls++;
	x->found += found;
	x->first += top && sim_fault_at(b->m, top, fault, faults);
	x->first_class += top && sim_fault_at(b->m, top, fault, faults) &&
			  sim_fault_called(x->class, top->id);
}

static bool names_victim(const struct finding *const *list, size_t n, const struct finding *top)
{
	for (size_t i = 0; top && i < n; i++)
		for (size_t k = 0; k < list[i]->victims.n; k++)
			if (list[i] != top && ref_eq(list[i]->victims.at[k].at, top->at))
				return true;
	return top && top->role == ROLE_VICTIM;
}

static void take_top(struct sim_score *s, const struct bed *b, const struct finding *const *list,
	size_t n, const json_t *faults, double now_s)
{
	const struct finding *top = verdict(list, n);
	bool any = false, right = false, class = false;
	const json_t *f;
	double start = INFINITY;
	size_t i;

	json_array_foreach(faults, i, f)
	{
		/* Of two faults, the one that ended first may still show until it is quiet. */
		if (!sim_fault_on(f, now_s, SIM_AFTER_S))
			continue;
		if (sim_fault_on(f, now_s, 0)) {
			any = true;
			start = fmin(start, seconds(f, "start", INFINITY));
		}
		if (!top || !sim_fault_at(b->m, top, f, faults))
			continue;
		right = true;
		class |= sim_fault_called(text_of(f, "class"), top->id);
	}
	if (!any)
		return;
	if (!right)
		s->stable_s = (double)NAN;
	else if (isnan(s->stable_s))
		s->stable_s = now_s - start;
	if (!right && names_victim(list, n, top))
		s->victim_first++;
	/* The first two polls are for detection. */
	if (now_s < start + 15)
		return;
	s->top_polls++;
	s->top_right += right;
	s->top_class += class;
	if (top && !class)
		finding_locator(b->m, top, s->other, sizeof(s->other));
}

/* Whether a device at the place of the fault reports at all. */
static bool is_seen(const struct bed *b, const json_t *fault)
{
	const json_t *peer = json_object_get(fault, "peer"), *end;
	size_t i;

	if (everywhere(fault) || !bed_is_silent(b, text_of(fault, "device")))
		return true;
	json_array_foreach(json_object_get(fault, "touches"), i, end)
	{
		if (!bed_is_silent(b, text_of(end, "device")))
			return true;
	}
	return json_is_object(peer) && *text_of(peer, "device") &&
	       !bed_is_silent(b, text_of(peer, "device"));
}

void sim_score_poll(struct sim_score *s, const struct bed *b, const json_t *truth, double now_s)
{
	const json_t *faults = json_object_get(truth, "faults"), *f;
	size_t n, i;
	const struct finding *const *list = diag_findings(b->d, &n);

	s->nfaults = 0;
	s->unseen = true;
	json_array_foreach(faults, i, f)
	{
		struct sim_fault_score *x = &s->fault[s->nfaults];

		if (!blamed(f) || s->nfaults == SIM_FAULTS)
			continue;
		s->nfaults++;
		s->unseen = s->unseen && !is_seen(b, f);
		(void)str_copy(x->class, sizeof(x->class), text_of(f, "class"));
		x->from_s = seconds(f, "start", INFINITY);
		x->to_s = seconds(f, "end", INFINITY);
		if (sim_fault_on(f, now_s, 0))
			take_fault(x, b, f, faults, list, n);
	}
	s->unseen = s->unseen && s->nfaults;
	take_top(s, b, list, n, faults, now_s);
	take_culprits(s, b, list, n, faults, now_s);
}

void sim_score_end(
	struct sim_score *s, const struct bed *b, void (*wrong)(const char *text, size_t n))
{
	(void)b;
	for (size_t i = 0; i < s->nseen; i++) {
		if (s->seen[i].polls < 2)
			continue;
		s->incidents++;
		s->right += s->seen[i].right;
		if (!s->seen[i].right && wrong)
			wrong(s->seen[i].text, s->incidents - s->right - 1);
	}
	free(s->seen);
	s->seen = NULL;
	s->nseen = 0;
}
