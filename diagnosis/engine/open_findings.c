/* SPDX-License-Identifier: Apache-2.0 */
/* Claims of the detectors in a run, and the claims kept for later runs. */
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "diagnosis/engine/engine.h"

static void fill_claim(struct finding *f, enum finding_id id, struct ref at, int64_t now_us)
{
	const struct finding_info *info = &finding_info[id];

	f->key = finding_key(id, at);
	f->id = id;
	f->at = at;
	f->severity = info->severity;
	f->role = info->prior > 0 ? ROLE_CULPRIT : ROLE_RISK;
	f->onset_us = now_us;
	(void)str_copy(f->title, sizeof(f->title), info->title);
}

static struct record *find_claim(struct diag *d, uint64_t key)
{
	struct record *c;

	HASH_FIND(hh, d->claimed, &key, sizeof(key), c);
	return c;
}

/* A record for one more claim; the emptied dummy when there are too many. */
static struct record *new_claim(struct diag *d, uint64_t key)
{
	struct record *c;

	if (d->claims.n >= CLAIMS_MAX) {
		finding_free(&d->overflow.f);
		memset(&d->overflow, 0, sizeof(d->overflow));
		return &d->overflow;
	}
	c = mem_calloc(1, sizeof(*c));
	c->f.key = key;
	vec_push(&d->claims, c);
	HASH_ADD(hh, d->claimed, f.key, sizeof(c->f.key), c);
	return c;
}

static void empty_finding(struct finding *f)
{
	finding_free(f);
	*f = (struct finding){.key = f->key};
}

struct finding *diag_claimed(struct diag_run *r, enum finding_id id, struct ref at)
{
	struct record *c = find_claim(r->d, finding_key(id, at));

	return c ? &c->f : NULL;
}

struct finding *diag_claim(struct diag_run *r, enum finding_id id, struct ref at)
{
	uint64_t key = finding_key(id, at);
	struct record *c = find_claim(r->d, key);

	if (!c) {
		c = new_claim(r->d, key);
		c->detector = r->d->detector;
		fill_claim(&c->f, id, at, r->now_us);
	}
	if (!r->d->call || c->touched == r->d->call || c->detector != r->d->detector)
		return &c->f;
	/* The other end of a link fills the claim from the start, or rows would accumulate. */
	if (c->touched || c->kept) {
		empty_finding(&c->f);
		fill_claim(&c->f, id, at, r->now_us);
	}
	c->kept = false;
	c->touched = r->d->call;
	if (c != &r->d->overflow)
		vec_push(&r->d->touched, c);
	return &c->f;
}

struct ref diag_link_place(const struct model *m, uint32_t port)
{
	const struct port *peer = port_peer(m, m->ports.at[port], NULL);

	return at_port(peer && peer->id < port ? peer->id : port);
}

struct finding *diag_claim_link(struct diag_run *r, enum finding_id id, uint32_t blamed)
{
	struct finding *f = diag_claim(r, id, diag_link_place(r->m, blamed));
	const struct port *peer = port_peer(r->m, r->m->ports.at[blamed], NULL);
	struct record *c = find_claim(r->d, f->key);

	if (c)
		c->link = true;
	f->at = at_port(blamed);
	f->peer = peer ? at_port(peer->id) : (struct ref){.kind = REF_NONE};
	return f;
}

struct finding *diag_claim_at(struct diag_run *r, size_t i)
{
	return i < r->d->claims.n ? &r->d->claims.at[i]->f : NULL;
}

const struct finding *diag_open(const struct diag_run *r, enum finding_id id, struct ref at)
{
	return diag_finding(r->d, finding_key(id, at));
}

/* ---- kept claims ---- */

static void keep_claims(struct diag *d, uint32_t detector, uint32_t device)
{
	while (d->kept.n <= device)
		(void)vec_add(&d->kept);
	for (size_t i = 0; i < d->touched.n; i++) {
		struct kept *k = vec_add(&d->kept.at[device]);

		k->detector = detector;
		k->link = d->touched.at[i]->link;
		finding_copy(&k->f, &d->touched.at[i]->f);
	}
	d->touched.n = 0;
}

static void forget_kept(kept_vec *v)
{
	for (size_t i = 0; i < v->n; i++)
		finding_free(&v->at[i].f);
	v->n = 0;
}

/* Whether a silent device's claim about a link is left to the other end, which is current. */
static bool is_outdated(const struct diag_run *r, const struct kept *k, uint32_t owner)
{
	const struct port *a = ref_port(r->m, k->f.at), *b = ref_port(r->m, k->f.peer);

	if (!k->link || !a || !b || engine_heard(r->d, r->m, owner, r->now_us))
		return false;
	return engine_heard(r->d, r->m, a->device == owner ? b->device : a->device, r->now_us);
}

/* Renews the claims of devices without news. */
static void claim_kept(const struct diag_run *r, uint32_t detector)
{
	struct diag *d = r->d;

	for (uint32_t i = 0; i < d->kept.n; i++) {
		const kept_vec *v = &d->kept.at[i];

		for (size_t k = 0; k < v->n; k++) {
			struct record *c;

			if (v->at[k].detector != detector || find_claim(d, v->at[k].f.key) ||
				is_outdated(r, &v->at[k], i))
				continue;
			c = new_claim(d, v->at[k].f.key);
			c->detector = detector;
			c->kept = true;
			c->link = v->at[k].link;
			finding_copy(&c->f, &v->at[k].f);
		}
	}
}

bool diag_each_device(struct diag_run *r, void (*judge)(struct diag_run *r, const struct device *d))
{
	struct diag *d = r->d;
	size_t ports = 0;

	if (!d->each_at)
		claim_kept(r, d->detector);
	for (; d->each_at < r->nchanged && ports < d->at_once; d->each_at++) {
		const struct device *dev = r->m->devices.at[r->changed[d->each_at]];

		ports += 1 + dev->ports.n;
		d->call = ++d->calls;
		judge(r, dev);
		keep_claims(d, d->detector, dev->id);
	}
	d->call = 0;
	r->again = d->each_at < r->nchanged;
	if (r->again)
		return false;
	d->each_at = 0;
	return true;
}

void engine_forget(struct diag *d)
{
	for (size_t i = 0; i < d->judging.n; i++)
		if (d->judging.at[i] < d->kept.n)
			forget_kept(&d->kept.at[d->judging.at[i]]);
}

struct diag_run engine_run_of(
	struct diag *d, const struct model *m, uint32_t detector, int64_t now_us)
{
	return (struct diag_run){.m = m,
		.now_us = now_us,
		.w = d->windows,
		.pauses = d->pauses,
		.d = d,
		.memory = &d->memory[detector],
		.changed = d->judging.at,
		.nchanged = d->judging.n};
}

bool engine_detect(struct diag *d, const struct model *m, uint32_t detector, int64_t now_us)
{
	struct diag_run r = engine_run_of(d, m, detector, now_us);

	d->detector = detector;
	d->table[detector]->run(&r);
	return !r.again;
}

void engine_drop_claims(struct diag *d)
{
	HASH_CLEAR(hh, d->claimed);
	for (size_t i = 0; i < d->claims.n; i++) {
		finding_free(&d->claims.at[i]->f);
		free(d->claims.at[i]);
	}
	d->claims.n = 0;
}

void engine_free_claims(struct diag *d)
{
	engine_drop_claims(d);
	vec_free(&d->claims);
	for (size_t i = 0; i < d->kept.n; i++) {
		forget_kept(&d->kept.at[i]);
		vec_free(&d->kept.at[i]);
	}
	vec_free(&d->kept);
	vec_free(&d->touched);
	finding_free(&d->overflow.f);
}
