/* SPDX-License-Identifier: Apache-2.0 */
#include "diagnosis/lint/lint.h"

#include <string.h>

#include "base/str.h"
#include "diagnosis/lint/rules.h"
#include "fabric/model/nets.h"

static const struct lint_check *const checks[LINT_CHECKS] = {&lint_pfc, &lint_dscp, &lint_trust,
	&lint_ecn, &lint_cnp, &lint_dcqcn, &lint_mtu, &lint_watchdog, &lint_oversubscription,
	&lint_hash, &lint_setup, &lint_poll_path, &lint_headroom};

/* ---- scope ---- */

bool lint_is_host(const struct lint *l, const struct port *p)
{
	return (l->flags[p->id] & LINT_HOST) != 0;
}

const struct port *lint_peer(const struct lint *l, const struct port *p)
{
	return l->peer[p->id] != PORT_NONE ? l->m->ports.at[l->peer[p->id]] : NULL;
}

bool lint_is_uplink(const struct lint *l, const struct port *p)
{
	return (l->flags[p->id] & LINT_UPLINK) != 0;
}

/* Whether the port belongs to the RDMA fabric, which the lossless classes run over. */
static bool in_scope(const struct lint *l, uint32_t port)
{
	return (l->flags[port] & LINT_IN_SCOPE) != 0;
}

/* ---- siblings ---- */

static unsigned group_of(struct lint *l, const struct device *d)
{
	const char *model = *d->model ? d->model : d->dialect;
	unsigned g;

	for (g = 0; g < l->ngroups; g++)
		if (l->groups[g].tier == d->tier && strcmp(l->groups[g].model, model) == 0)
			return g;
	if (g < LINT_GROUPS)
		l->groups[l->ngroups++] = (struct lint_group){d->tier, model};
	return g;
}

void lint_cast(struct lint_vote *v, uint64_t value, bool counting)
{
	if (value == LINT_UNSPOKEN)
		return;
	if (counting) {
		v->n++;
		v->of += value == v->candidate;
	} else if (v->lead == 0) {
		v->candidate = value;
		v->lead = 1;
	} else if (v->candidate == value) {
		v->lead++;
	} else {
		v->lead--;
	}
}

/* FNV-1a, 64 bits. */
uint64_t lint_text_number(const char *s)
{
	uint64_t h = UINT64_C(14695981039346656037);

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * UINT64_C(1099511628211);
	return h == LINT_UNSPOKEN ? 0 : h;
}

static size_t vote_slot(const struct lint *l, uint32_t device, bool uplink)
{
	return 2 * (size_t)l->group_of[device] + uplink;
}

static void hold_vote(struct lint *l, const struct lint_check *c, uint32_t device, bool counting)
{
	const struct device *d = l->m->devices.at[device];

	if (l->group_of[device] >= LINT_GROUPS)
		return;
	if (c->vote)
		c->vote(l, d, counting);
	if (c->device_value)
		lint_cast(&l->votes[vote_slot(l, device, false)], c->device_value(l, d), counting);
	for (size_t k = 0; c->value && k < d->ports.n; k++) {
		const struct port *p = l->m->ports.at[d->ports.at[k]];

		if (in_scope(l, d->ports.at[k]))
			lint_cast(&l->votes[vote_slot(l, device, lint_is_uplink(l, p))],
				c->value(l, p), counting);
	}
}

static bool usual_value(const struct lint *l, uint32_t device, bool uplink, uint64_t *value)
{
	const struct lint_vote *v;

	if (l->group_of[device] >= LINT_GROUPS)
		return false;
	v = &l->votes[vote_slot(l, device, uplink)];
	*value = v->candidate;
	return v->n >= LINT_VOTES_LEAST && 2 * v->of > v->n;
}

bool lint_usual(const struct lint *l, const struct port *p, uint64_t *value)
{
	return usual_value(l, p->device, lint_is_uplink(l, p), value);
}

bool lint_usual_device(const struct lint *l, const struct device *d, uint64_t *value)
{
	return usual_value(l, d->id, false, value);
}

/* ---- rows ---- */

int lint_device_differs(struct lint *l, struct ref at, const struct lint_difference *w)
{
	struct lint_row *r;

	for (size_t i = l->device_rows; i < l->out->n; i++) {
		r = &l->out->at[i];
		if (r->id == w->id && r->result == LINT_DIFFERS && r->at.kind == at.kind &&
			strcmp(r->is, w->is) == 0 && strcmp(r->should, w->should) == 0) {
			r->alike++;
			return LINT_DIFFERS;
		}
	}
	r = vec_add(l->out);
	r->id = w->id;
	r->result = LINT_DIFFERS;
	r->at = at;
	r->peer = w->peer;
	r->alike = 1;
	(void)str_copy(r->is, sizeof(r->is), w->is);
	(void)str_copy(r->should, sizeof(r->should), w->should);
	(void)str_copy(r->reason, sizeof(r->reason), w->reason);
	if (w->cure)
		(void)str_copy(r->cure, sizeof(r->cure), w->cure);
	else if (ref_device(l->m, at))
		lint_cure(l, ref_device(l->m, at), ref_port(l->m, at), w->id, w->value, r->cure,
			sizeof(r->cure));
	return LINT_DIFFERS;
}

int lint_differs(struct lint *l, const struct port *p, const struct lint_difference *w)
{
	return lint_device_differs(l, at_port(p->id), w);
}

void lint_mask_text(unsigned mask, char *dst, size_t size)
{
	size_t n = 0;

	(void)str_copy(dst, size, "none");
	for (unsigned p = 0; p < PRIORITIES && n + 3 < size; p++) {
		if (!(mask >> p & 1U))
			continue;
		if (n)
			dst[n++] = ',';
		dst[n++] = (char)('0' + p);
		dst[n] = '\0';
	}
}

/* ---- results of a check over the fabric ---- */

struct lint_tally {
	unsigned said, silent; /* devices */
	bool differs;
};

static void check_device(
	struct lint *l, const struct lint_check *c, const struct device *d, struct lint_tally *t)
{
	bool said = false, silent = false;
	int result;

	l->device_rows = l->out->n;
	if (c->device) {
		result = c->device(l, d);
		t->differs |= result == LINT_DIFFERS;
		said |= result == LINT_OK || result == LINT_DIFFERS;
		silent |= result == LINT_UNKNOWN;
	}
	for (size_t i = 0; c->port && i < d->ports.n; i++) {
		const struct port *p = l->m->ports.at[d->ports.at[i]];

		if (!in_scope(l, d->ports.at[i]))
			continue;
		result = c->port(l, p);
		t->differs |= result == LINT_DIFFERS;
		said |= result == LINT_OK || result == LINT_DIFFERS;
		silent |= result == LINT_UNKNOWN;
	}
	t->said += said;
	t->silent += silent && !said;
}

static const char *tier_plural(enum tier t)
{
	static const char *const names[TIER_COUNT] = {"hosts", "leaves", "spines", "superspines"};

	return (unsigned)t < TIER_COUNT ? names[t] : "devices";
}

static struct lint_row *add_row(
	struct lint *l, const struct lint_check *c, enum lint_result result, struct ref at)
{
	struct lint_row *r = vec_add(l->out);

	r->id = c->id;
	r->result = result;
	r->at = at;
	(void)str_copy(r->reason, sizeof(r->reason), c->what);
	return r;
}

static void sum_up(struct lint *l, const struct lint_check *c, const struct lint_tally *t)
{
	unsigned said = 0;
	bool differs = false;

	for (unsigned i = 0; i < TIER_COUNT; i++) {
		struct lint_row *r;

		said += t[i].said;
		differs |= t[i].differs;
		if (!t[i].silent)
			continue;
		r = add_row(l, c, LINT_UNKNOWN, (struct ref){.kind = REF_TIER, .tier = (uint8_t)i});
		r->alike = t[i].silent;
		(void)str_printf(r->is, sizeof(r->is), "%u of %u %s report no value", t[i].silent,
			t[i].silent + t[i].said, tier_plural((enum tier)i));
	}
	if (differs || !said)
		return;
	(void)str_printf(add_row(l, c, LINT_OK, (struct ref){.kind = REF_FABRIC})->is,
		sizeof(((struct lint_row *)0)->is), "consistent on %u device%s", said,
		str_plural(said));
}

/* ---- checks in pieces ---- */

/* Ports in one piece: 1 to 2 ms. */
#define PIECE_PORTS 4096

/* Steps of each check; each step visits all devices. */
enum phase { PHASE_KNOW, PHASE_VOTE, PHASE_COUNT, PHASE_CHECK };

struct lint_job {
	struct lint l;
	size_t devices, ports; /* sizes of the model at the start */
	unsigned check, to;
	enum phase phase;
	uint32_t at; /* the next device */
	struct lint_tally t[TIER_COUNT];
};

/* Flags of every port, and its peer: each check needs them several times. */
static void know_device(struct lint *l, uint32_t device)
{
	const struct model *m = l->m;
	const struct device *d = m->devices.at[device];

	for (size_t k = 0; k < d->ports.n; k++) {
		uint32_t i = d->ports.at[k];
		const struct port *p = m->ports.at[i], *q = port_peer(m, p, NULL);

		l->peer[i] = q ? q->id : PORT_NONE;
		if (p->seen && !p->merged && q && !port_is_infiniband(p) &&
			port_net(m, p) == NET_BACKEND)
			l->flags[i] |= LINT_IN_SCOPE;
		if (q && model_dev_of(m, q)->tier > d->tier)
			l->flags[i] |= LINT_UPLINK;
		if (d->tier == TIER_HOST)
			l->flags[i] |= LINT_HOST;
	}
	l->group_of[device] = (uint8_t)group_of(l, d);
}

struct lint_job *lint_begin(const struct model *m, unsigned from, unsigned to, lint_vec *out)
{
	struct lint_job *j = mem_calloc(1, sizeof(*j));

	j->devices = m->devices.n;
	j->ports = m->ports.n;
	j->check = from;
	j->to = to;
	j->l.m = m;
	j->l.out = out;
	j->l.group_of = mem_calloc(j->devices + 1, sizeof(*j->l.group_of));
	j->l.flags = mem_calloc(j->ports + 1, sizeof(*j->l.flags));
	j->l.peer = mem_calloc(j->ports + 1, sizeof(*j->l.peer));
	return j;
}

void lint_end(struct lint_job *j)
{
	if (!j)
		return;
	lint_setups_free(&j->l);
	free(j->l.group_of);
	free(j->l.flags);
	free(j->l.peer);
	free(j);
}

static void do_device(struct lint_job *j)
{
	const struct device *d = j->l.m->devices.at[j->at];

	if (j->phase == PHASE_KNOW)
		know_device(&j->l, j->at);
	else if (j->phase == PHASE_CHECK && d->net == NET_BACKEND)
		check_device(&j->l, checks[j->check], d, &j->t[d->tier]);
	else if (j->phase == PHASE_VOTE || j->phase == PHASE_COUNT)
		hold_vote(&j->l, checks[j->check], j->at, j->phase == PHASE_COUNT);
}

static void begin_check(struct lint_job *j)
{
	bool votes =
		j->check < j->to && (checks[j->check]->value || checks[j->check]->device_value ||
					    checks[j->check]->vote);

	memset(j->l.votes, 0, sizeof(j->l.votes));
	memset(j->t, 0, sizeof(j->t));
	j->phase = votes ? PHASE_VOTE : PHASE_CHECK;
}

static void next_phase(struct lint_job *j)
{
	j->at = 0;
	if (j->phase == PHASE_KNOW) {
		begin_check(j);
	} else if (j->phase != PHASE_CHECK) {
		j->phase++;
	} else {
		sum_up(&j->l, checks[j->check++], j->t);
		begin_check(j);
	}
}

bool lint_some(struct lint_job *j)
{
	size_t ports = 0;

	while (j->check < j->to && ports < PIECE_PORTS) {
		if (j->at < j->devices) {
			ports += 1 + j->l.m->devices.at[j->at]->ports.n;
			do_device(j);
			j->at++;
		} else {
			next_phase(j);
		}
	}
	return j->check >= j->to;
}

bool lint_fits(const struct lint_job *j, const struct model *m)
{
	return j->l.m == m && j->devices == m->devices.n && j->ports == m->ports.n;
}

void lint_check(const struct model *m, lint_vec *out)
{
	struct lint_job *j = lint_begin(m, 0, LINT_CHECKS, out);

	while (!lint_some(j))
		;
	lint_end(j);
	lint_jobs(m, out);
}
