/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Roots and symptoms. The rules in root_cause_rules.c give a graph over the open findings: which
 * can follow from which. A finding that follows from none is a root. Roots are taken greedily, the
 * best first. Each folds the findings that it explains, directly or indirectly, and a folded one
 * counts for no other (greedy maximum coverage: diagnosis reference 2.8).
 */
#include "diagnosis/engine/root_cause.h"

#include <math.h>

/* "suspect" begins here (diagnosis reference 2.8): a finding below it explains no other. */
#define SUSPECT 0.4
/* Cap of one family of signals: 200 is the largest ratio of the guide there. */
#define LR_CAP       200.0
#define EXPLAINED_LR (1 / 20.0)
/* "NCCL slow edge on the entity, others clean: 20". */
#define NCCL_LR 20.0
/*
 * A cause begins before its effects. It may be seen later: by as many samples as its detector
 * needs, and by the slow polls that read routes, cables and settings.
 */
#define SLOW_POLL_US  (INT64_C(60) * 1000000)
#define LONG_SIGHT_US (INT64_C(330) * 1000000)
#define POLL_US       (INT64_C(5) * 1000000) /* without a device */
/* Best roots that are tested without a device in common. */
#define WIDE_ROOTS 256

struct item {
	struct record *r;
	struct side side;
	uint32_t root;   /* index of its root, or itself; UINT32_MAX: unknown so far */
	uint32_t covers; /* number of items that it explains directly */
	bool follows;    /* it follows from another item */
	bool promoted;
};
struct arrow { /* symptom follows from root */
	uint32_t root, symptom, next;
};
struct precedence { /* symptom ranks after root */
	uint32_t root, symptom;
};
/* An entry in the list of items at a device. */
struct seat {
	uint32_t item, next;
};
struct scene {
	struct diag *d;
	const struct model *m;
	struct root_cause_rules rules;
	VEC(struct item) items; /* best first */
	VEC(struct arrow) arrows;
	VEC(struct precedence) ahead;
	VEC(uint32_t) first; /* of each item as a root: 1 + index of its first arrow, 0: none */
	VEC(uint32_t) queue;
	/* Per kind of finding: those of the best roots that a wide rule may apply to. */
	VEC(uint32_t) wide;
	uint32_t wide_at[FIND_COUNT + 1];
	VEC(uint32_t) at_device; /* of each device: 1 + index into seats */
	VEC(struct seat) seats;
};

/* ---- scores ---- */

/* Log-odds: the prior, and each family of signals once, capped. */
static float confidence_of(const struct finding *f, bool explained, bool nccl)
{
	double prior = finding_info[f->id].prior, sum, cap = log(LR_CAP);

	if (prior <= 0)
		prior = 0.5;
	sum = log(prior / (1 - prior));
	for (int i = 0; i < SIGNAL_COUNT; i++) {
		double ln = (double)f->signal[i];

		if (i == SIGNAL_NCCL && nccl)
			ln = fmax(ln, log(NCCL_LR));
		sum += fmin(fmax(ln, -cap), cap);
	}
	if (explained)
		sum += log(EXPLAINED_LR);
	return (float)(1 / (1 + exp(-sum)));
}

static double saturate_at(double v, double half)
{
	return v > 0 ? v / (v + half) : 0;
}

/*
 * Railtop's own formula: confidence counts most. Then the explained findings, the lost capacity
 * and the victims, none of which alone outweighs "likely" against "suspect".
 */
static float rank_of(const struct finding *f, unsigned covers)
{
	double rank = (double)f->confidence;

	/* An unexplained pause ranks after explained ones. */
	if (f->id == FIND_PAUSE_UNEXPLAINED)
		return (float)(0.3 * rank);
	rank += f->severity >= SEV_CRIT ? 0.2 : 0;
	rank += 0.3 * saturate_at(covers, 2);
	rank += 0.2 * saturate_at((double)f->blame_gbps, 100);
	rank += 0.1 * saturate_at((double)f->gpus_blocked + (double)f->gpus_slow / 2, 64);
	/* Of two that weigh the same, a link's state comes before a conclusion from rates. */
	rank += f->signal[SIGNAL_FACT] > 0 ? 0.02 : 0;
	return (float)rank;
}

/* ---- the graph ---- */

static int compare_items(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->r->f.rank != y->r->f.rank)
		return x->r->f.rank > y->r->f.rank ? -1 : 1;
	return x->r->f.key < y->r->f.key ? -1 : x->r->f.key > y->r->f.key;
}

static void add_seat(struct scene *sc, uint32_t device, uint32_t item)
{
	if (device >= sc->at_device.n)
		return;
	vec_push(&sc->seats, (struct seat){item, sc->at_device.at[device]});
	sc->at_device.at[device] = (uint32_t)sc->seats.n;
}

static void gather_items(struct scene *sc)
{
	struct record *r, *next;

	HASH_ITER (hh, sc->d->known, r, next) {
		struct item *it;

		if (!r->f.open)
			continue;
		r->f.role = r->said_role;
		r->f.root = 0;
		r->f.confidence = confidence_of(&r->f, false, false);
		r->f.rank = rank_of(&r->f, 0);
		it = vec_add(&sc->items);
		it->r = r;
		it->root = UINT32_MAX;
		it->side = (struct side){&r->f, place_of(sc->m, &r->f)};
	}
	if (sc->items.n)
		qsort(sc->items.at, sc->items.n, sizeof(*sc->items.at), compare_items);
	for (size_t i = 0; i < sc->m->devices.n; i++)
		vec_push(&sc->at_device, 0);
	for (uint32_t i = 0; i < sc->items.n; i++) {
		const struct place *p = &sc->items.at[i].side.at;

		vec_push(&sc->first, 0);
		add_seat(sc, p->device, i);
		if (p->peer_device != p->device)
			add_seat(sc, p->peer_device, i);
		if (p->host != p->device && p->host != p->peer_device)
			add_seat(sc, p->host, i);
	}
}

static int64_t interval_of(const struct model *m, uint32_t device)
{
	const struct device *d = model_device_at(m, device);

	return d && d->interval_us > 0 ? d->interval_us : POLL_US;
}

/* The time by which a cause may be seen after an effect, as its kind is found. */
static int64_t sight_us(const struct model *m, const struct item *root, const struct item *s)
{
	const struct finding_info *info = &finding_info[root->r->f.id];
	int64_t a = interval_of(m, root->side.at.device), b = interval_of(m, s->side.at.device);
	int64_t samples = info->open == OPEN_FACT ? 3 : info->open < OPEN_THREE ? 5 : 7;
	int64_t sight = samples * (a > b ? a : b) / 2;

	if (info->open == OPEN_LONG)
		return LONG_SIGHT_US;
	switch (info->family) {
	case FAMILY_ROUTE:
	case FAMILY_WIRING:
	case FAMILY_MONITOR:
	case FAMILY_NCCL:
		return sight > SLOW_POLL_US ? sight : SLOW_POLL_US;
	default:
		/* Settings alone have no prior: they are read seldom. */
		return info->prior > 0 || sight > SLOW_POLL_US ? sight : SLOW_POLL_US;
	}
}

static bool may_explain(
	const struct model *m, const struct item *s, const struct item *root, unsigned how)
{
	const struct finding *f = &s->r->f, *why = &root->r->f;

	if (!how || f == why || f->role == ROLE_INFO)
		return false;
	if (f->role == ROLE_RISK && !(how & REL_RISK))
		return false;
	if (why->role != ROLE_CULPRIT && !(why->role == ROLE_RISK && (how & REL_PROMOTE)) &&
		!(f->role == ROLE_RISK && why->role == ROLE_RISK))
		return false;
	/* A setting is older than the load that shows it. */
	return (double)why->confidence >= SUSPECT &&
	       ((how & REL_AHEAD) || why->onset_us <= f->onset_us + sight_us(m, root, s));
}

static void add_arrow(struct scene *sc, uint32_t s, uint32_t root)
{
	for (uint32_t a = sc->first.at[root]; a; a = sc->arrows.at[a - 1].next)
		if (sc->arrows.at[a - 1].symptom == s)
			return;
	vec_push(&sc->arrows, (struct arrow){root, s, sc->first.at[root]});
	sc->first.at[root] = (uint32_t)sc->arrows.n;
	sc->items.at[root].covers++;
	sc->items.at[s].follows = true;
}

/*
 * Collectives use the backend: a link of another network stops none of them. But a rank that is
 * late by its own gap may wait for its input or its checkpoint: for the storage of its host.
 */
static bool reaches_nccl(const struct model *m, const struct finding *f, const struct place *root)
{
	enum net_kind net = place_net(m, root);

	return net == NET_BACKEND || (net == NET_STORAGE && f->id == FIND_NCCL_STRAGGLER);
}

static void test_pair(struct scene *sc, uint32_t s, uint32_t root, unsigned mask)
{
	const struct item *a = &sc->items.at[s], *b = &sc->items.at[root];
	unsigned how = sc->rules.how[a->r->f.id][b->r->f.id];

	if (finding_info[a->r->f.id].family == FAMILY_NCCL &&
		!reaches_nccl(sc->m, &a->r->f, &b->side.at))
		return;
	if (!may_explain(sc->m, a, b, how) ||
		!root_cause_related(sc->d, sc->m, &a->side, &b->side, how & mask))
		return;
	if (how & REL_AHEAD)
		vec_push(&sc->ahead, (struct precedence){root, s});
	else
		add_arrow(sc, s, root);
}

static void test_device(struct scene *sc, uint32_t s, uint32_t device)
{
	uint32_t i = device < sc->at_device.n ? sc->at_device.at[device] : 0;

	for (; i; i = sc->seats.at[i - 1].next)
		test_pair(sc, s, sc->seats.at[i - 1].item, REL_LOCAL);
}

/* A detector may name the root itself. */
static void add_said_arrow(struct scene *sc, uint32_t s)
{
	uint64_t key = sc->items.at[s].r->said_root;

	for (uint32_t root = 0; key && root < sc->items.n; root++)
		if (root != s && sc->items.at[root].r->f.key == key)
			add_arrow(sc, s, root);
}

/* Most rules need a device in common; of thousands of symptoms few have a wide rule. */
static void find_wide(struct scene *sc)
{
	for (unsigned id = 0; id < FIND_COUNT; id++) {
		sc->wide_at[id] = (uint32_t)sc->wide.n;
		for (uint32_t root = 0; root < sc->items.n && root < WIDE_ROOTS; root++)
			if (sc->rules.how[id][sc->items.at[root].r->f.id] & REL_WIDE)
				vec_push(&sc->wide, root);
	}
	sc->wide_at[FIND_COUNT] = (uint32_t)sc->wide.n;
}

static void relate_items(struct scene *sc)
{
	find_wide(sc);
	for (uint32_t s = 0; s < sc->items.n; s++) {
		const struct place p = sc->items.at[s].side.at;
		enum finding_id id;

		add_said_arrow(sc, s);
		test_device(sc, s, p.device);
		test_device(sc, s, p.peer_device);
		test_device(sc, s, p.host);
		id = sc->items.at[s].r->f.id;
		for (uint32_t i = sc->wide_at[id]; i < sc->wide_at[id + 1]; i++)
			test_pair(sc, s, sc->wide.at[i], REL_WIDE);
	}
}

/* ---- roots ---- */

/* Folds all findings that follow from the root, breadth first. */
static void fold_into(struct scene *sc, uint32_t root)
{
	struct item *top = &sc->items.at[root];
	bool nccl = false;

	top->root = root;
	sc->queue.n = 0;
	vec_push(&sc->queue, root);
	for (size_t i = 0; i < sc->queue.n; i++) {
		for (uint32_t a = sc->first.at[sc->queue.at[i]]; a; a = sc->arrows.at[a - 1].next) {
			struct item *it = &sc->items.at[sc->arrows.at[a - 1].symptom];

			if (it->root != UINT32_MAX)
				continue;
			it->root = root;
			vec_push(&sc->queue, sc->arrows.at[a - 1].symptom);
			nccl |= finding_info[it->r->f.id].family == FAMILY_NCCL;
		}
	}
	/* By rule a risk explains symptoms only as a culprit. */
	if (top->r->f.role == ROLE_RISK && sc->queue.n > 1) {
		for (size_t i = 1; i < sc->queue.n; i++)
			top->promoted |= sc->items.at[sc->queue.at[i]].r->f.role != ROLE_RISK;
	}
	if (top->promoted)
		top->r->f.role = ROLE_CULPRIT;
	top->covers = (uint32_t)sc->queue.n - 1;
	top->r->f.confidence = confidence_of(&top->r->f, false, nccl);
}

static void take_roots(struct scene *sc)
{
	/* These come first: they take their symptoms before what they rank ahead of. */
	for (size_t i = 0; i < sc->ahead.n; i++) {
		uint32_t root = sc->ahead.at[i].root;

		if (!sc->items.at[root].follows && sc->items.at[root].root == UINT32_MAX)
			fold_into(sc, root);
	}
	for (uint32_t i = 0; i < sc->items.n; i++)
		if (!sc->items.at[i].follows && sc->items.at[i].root == UINT32_MAX)
			fold_into(sc, i);
	/* The rest follow from one another: the best of them is the root. */
	for (uint32_t i = 0; i < sc->items.n; i++)
		if (sc->items.at[i].root == UINT32_MAX)
			fold_into(sc, i);
}

#define AFTERMATH_US (INT64_C(60) * 1000000) /* see is_aftermath() */

/* A link that no longer flaps, and is down: that is the fault itself, and no remnant of it. */
static bool stopped_flapping(const struct scene *sc, const struct record *r, uint64_t was)
{
	return r->f.id == FIND_LINK_DOWN && r->f.at.kind == REF_PORT &&
	       was == finding_key(FIND_LINK_FLAPPING, diag_link_place(sc->m, r->f.at.port));
}

/*
 * Trouble that followed from a fault outlasts it by a little: queues drain, links stay listed. So
 * nothing takes the place of a fault that is over.
 */
static bool is_aftermath(struct scene *sc, struct record *r, int64_t now_us)
{
	uint64_t was = r->told_root ? r->told_root : r->behind;
	const struct finding *root = was ? diag_finding(sc->d, was) : NULL;

	if (stopped_flapping(sc, r, was))
		return false;
	if (was && (!root || root->role > ROLE_SYMPTOM))
		r->orphan_us = now_us;
	return r->orphan_us && now_us - r->orphan_us < AFTERMATH_US;
}

/* A culprit outside NCCL that was no longer there when this finding opened, a moment ago. */
static bool ended_before(const struct finding *f, const struct finding *opened, int64_t now_us)
{
	return f->role == ROLE_CULPRIT && finding_info[f->id].family != FAMILY_NCCL &&
	       !f->claimed && f->last_seen_us < opened->first_seen_us &&
	       now_us - f->last_seen_us < AFTERMATH_US;
}

/*
 * When the network heals, its ranks catch up in their turn, and some enter late for a while: they
 * left the last operation late (trap 2).
 */
static bool catches_up(const struct scene *sc, const struct finding *f, int64_t now_us)
{
	const struct finding *old;
	int64_t closed_us;

	if (f->id != FIND_NCCL_STRAGGLER)
		return false;
	for (uint32_t i = 0; i < sc->items.n; i++)
		if (ended_before(&sc->items.at[i].r->f, f, now_us))
			return true;
	for (size_t i = 0; (old = diag_closed(sc->d, i, &closed_us)); i++) {
		if (now_us - closed_us > AFTERMATH_US)
			break;
		if (ended_before(old, f, now_us))
			return true;
	}
	return false;
}

static void settle_roles(struct scene *sc, int64_t now_us)
{
	for (uint32_t i = 0; i < sc->items.n; i++) {
		struct item *it = &sc->items.at[i];
		struct finding *f = &it->r->f;

		if (it->root == i) {
			if (f->role == ROLE_CULPRIT &&
				(is_aftermath(sc, it->r, now_us) || catches_up(sc, f, now_us)))
				f->role = ROLE_SYMPTOM;
			continue;
		}
		it->r->orphan_us = 0;
		f->root = sc->items.at[it->root].r->f.key;
		if (f->role == ROLE_CULPRIT)
			f->role = ROLE_SYMPTOM;
		f->confidence = confidence_of(f, true, false);
	}
	for (uint32_t i = 0; i < sc->items.n; i++) {
		struct item *it = &sc->items.at[i];

		engine_impact(sc->d, sc->m, &it->r->f);
		it->r->f.rank = rank_of(&it->r->f, it->root == i ? it->covers : 0);
	}
}

/* Of two culprits, the one that is ahead: a setting that loses packets, before a queue. */
static void rank_ahead(struct scene *sc)
{
	for (size_t i = 0; i < sc->ahead.n; i++) {
		struct item *root = &sc->items.at[sc->ahead.at[i].root];
		struct item *after = &sc->items.at[sc->ahead.at[i].symptom];
		float most = root->r->f.rank * 0.99F;

		if (after->r->f.role == ROLE_CULPRIT && root->r->f.role == ROLE_CULPRIT &&
			after->r->f.rank > most)
			after->r->f.rank = most;
	}
}

/* ---- order ---- */

/* A finding in the list: it is grouped under its root. */
struct place_in_list {
	const struct finding *f, *root;
	bool acked;
};

static int compare_rank(const struct finding *x, const struct finding *y)
{
	if (x->role != y->role)
		return x->role < y->role ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank > y->rank ? -1 : 1;
	/* Of equals the first one in time, which may be the cause of the others. */
	if (x->onset_us != y->onset_us)
		return x->onset_us < y->onset_us ? -1 : 1;
	return x->key < y->key ? -1 : x->key > y->key;
}

static int compare_group(const void *a, const void *b)
{
	const struct place_in_list *x = a, *y = b;

	if (x->root != y->root) {
		if (x->root->role != y->root->role)
			return x->root->role < y->root->role ? -1 : 1;
		if (x->acked != y->acked)
			return x->acked ? 1 : -1;
		return compare_rank(x->root, y->root);
	}
	if ((x->f == x->root) != (y->f == y->root))
		return x->f == x->root ? -1 : 1;
	return compare_rank(x->f, y->f);
}

static void order_findings(struct scene *sc, int64_t now_us)
{
	VEC(struct place_in_list) list = {0};

	for (uint32_t i = 0; i < sc->items.n; i++) {
		const struct finding *root = &sc->items.at[sc->items.at[i].root].r->f;

		vec_push(&list, (struct place_in_list){
					&sc->items.at[i].r->f, root, finding_acked(root, now_us)});
	}
	if (list.n)
		qsort(list.at, list.n, sizeof(*list.at), compare_group);
	sc->d->order.n = 0;
	for (size_t i = 0; i < list.n; i++)
		vec_push(&sc->d->order, list.at[i].f);
	vec_free(&list);
}

/* ---- roots whose symptoms are there ---- */

static void note_needed(struct scene *sc)
{
	for (size_t i = 0; i < sc->items.n; i++) {
		sc->items.at[i].r->needed = false;
		sc->items.at[i].r->behind = 0;
	}
	for (size_t i = 0; i < sc->items.n; i++) {
		const struct item *it = &sc->items.at[i];

		if (it->root != i && it->r->f.claimed)
			sc->items.at[it->root].r->needed = true;
	}
	for (size_t i = 0; i < sc->ahead.n; i++) {
		struct record *root = sc->items.at[sc->ahead.at[i].root].r;
		struct record *after = sc->items.at[sc->ahead.at[i].symptom].r;

		after->behind = root->f.key;
		root->needed |= after->f.claimed;
	}
}

/* ---- changes ---- */

static void note_changes(struct diag *d, struct record *r)
{
	struct finding *f = &r->f;

	/* The operator acknowledged a lower severity: the acknowledgement ends. */
	if (f->acked_us && f->severity > r->acked_severity)
		f->acked_us = f->ack_until_us = 0;
	if (r->told_severity == f->severity && r->told_role == f->role && r->told_root == f->root)
		return;
	r->told_severity = f->severity;
	r->told_role = f->role;
	r->told_root = f->root;
	d->generation++;
}

void engine_explain(struct diag *d, const struct model *m, int64_t now_us)
{
	struct scene sc = {.d = d, .m = m};

	root_cause_rules_fill(&sc.rules);
	gather_items(&sc);
	relate_items(&sc);
	take_roots(&sc);
	settle_roles(&sc, now_us);
	rank_ahead(&sc);
	note_needed(&sc);
	for (size_t i = 0; i < sc.items.n; i++)
		note_changes(d, sc.items.at[i].r);
	order_findings(&sc, now_us);
	vec_free(&sc.items);
	vec_free(&sc.arrows);
	vec_free(&sc.ahead);
	vec_free(&sc.first);
	vec_free(&sc.queue);
	vec_free(&sc.wide);
	vec_free(&sc.at_device);
	vec_free(&sc.seats);
}
