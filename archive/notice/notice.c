/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/notice/notice.h"

#include <stdio.h>
#include <string.h>

#include "archive/notice/notice_private.h"
#include "base/str.h"

/*
 * A device is heard for so long before the absence of a finding means anything: a minute, or three
 * polls of a slow device. Findings that need minutes of samples take longer to come back after a
 * restart.
 */
#define LEAST_US      (INT64_C(60) * 1000000)
#define LEAST_LONG_US (INT64_C(900) * 1000000)
#define LEAST_POLLS   3

void notice_copy(struct notice *to, const struct notice *from)
{
	*to = *from;
	to->json = from->json ? mem_strdup(from->json) : NULL;
}

void notice_empty(struct notice *n)
{
	free(n->json);
	memset(n, 0, sizeof(*n));
}

struct notice_set *notice_set_keep(struct notice_set *s)
{
	(void)__atomic_add_fetch(&s->refs, 1, __ATOMIC_RELAXED);
	return s;
}

void notice_set_drop(struct notice_set *s)
{
	if (!s || __atomic_sub_fetch(&s->refs, 1, __ATOMIC_ACQ_REL))
		return;
	for (size_t i = 0; i < s->at.n; i++)
		free(s->at.at[i].json);
	vec_free(&s->at);
	vec_free(&s->gone);
	free(s);
}

const struct notice *notice_find(const struct notice_set *s, const char *key)
{
	for (size_t i = 0; i < s->at.n; i++)
		if (str_eq(s->at.at[i].key, key))
			return &s->at.at[i];
	return NULL;
}

const struct notice_gone *notice_find_gone(const struct notice_set *s, const char *key)
{
	for (size_t i = 0; i < s->gone.n; i++)
		if (str_eq(s->gone.at[i].key, key))
			return &s->gone.at[i];
	return NULL;
}

int64_t notice_least_us(const char *id)
{
	enum finding_id f = finding_by_name(id);

	return f < FIND_COUNT && finding_info[f].open == OPEN_LONG ? LEAST_LONG_US : LEAST_US;
}

/* ---- which devices are current ---- */

void notice_watch_free(struct notice_watch *w)
{
	vec_free(&w->fresh_us);
}

void notice_watch_look(struct notice_watch *w, const struct model *m, int64_t now_us)
{
	if (!w->begun_us)
		w->begun_us = now_us;
	while (w->fresh_us.n < m->devices.n)
		vec_push(&w->fresh_us, 0);
	for (size_t i = 0; i < m->devices.n; i++) {
		const struct device *d = m->devices.at[i];
		bool fresh = (d->state == DEV_FRESH || d->state == DEV_LATE) && !device_blind(d);

		if (!fresh)
			w->fresh_us.at[i] = 0;
		else if (!w->fresh_us.at[i])
			w->fresh_us.at[i] = now_us;
	}
}

/* Whether the device has been heard for long enough; why: the reason that it was not. */
static bool was_heard(const struct notice_watch *w, const struct device *d, int64_t least_us,
	int64_t now_us, char *why, size_t size)
{
	int64_t since = d->id < w->fresh_us.n ? w->fresh_us.at[d->id] : 0;

	if (LEAST_POLLS * d->interval_us > least_us)
		least_us = LEAST_POLLS * d->interval_us;
	if (!since)
		(void)str_printf(why, size, "%s is %s", d->name,
			d->state == DEV_FRESH ? "without counters" : dev_state_words(d->state));
	else if (now_us - since < least_us)
		(void)str_printf(why, size, "%s is heard again, and not yet judged", d->name);
	return since && now_us - since >= least_us;
}

static bool all_heard(const struct notice_watch *w, const struct model *m,
	const struct notice_told *t, int64_t now_us, char *why, size_t size)
{
	if (t->every || !t->ndevices) {
		for (size_t i = 0; i < m->devices.n; i++)
			if (!was_heard(w, m->devices.at[i], t->long_us, now_us, why, size))
				return false;
		return m->devices.n > 0;
	}
	for (unsigned i = 0; i < t->ndevices; i++) {
		const struct device *d = model_device(m, t->devices[i]);

		if (!d) {
			(void)str_printf(
				why, size, "%s is not in the inventory any more", t->devices[i]);
			return false;
		}
		if (!was_heard(w, d, t->long_us, now_us, why, size))
			return false;
	}
	return true;
}

/* ---- keys ---- */

static uint64_t hash_text(const char *s)
{
	uint64_t h = UINT64_C(14695981039346656037); /* FNV-1a */

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * UINT64_C(1099511628211);
	return h;
}

static void set_key(char key[NOTICE_KEY], const char *fabric, const char *rest)
{
	char whole[512], tail[20];

	(void)str_printf(whole, sizeof(whole), "%s %s", fabric, rest);
	(void)str_sanitise(whole, sizeof(whole), whole, strlen(whole));
	if (str_copy(key, NOTICE_KEY, whole))
		return;
	(void)str_printf(tail, sizeof(tail), "~%016llx", (unsigned long long)hash_text(whole));
	(void)str_copy(key + NOTICE_KEY - sizeof(tail), sizeof(tail), tail);
}

static void key_of(const struct model *m, const struct finding *f, char key[NOTICE_KEY])
{
	char locator[256];

	finding_locator(m, f, locator, sizeof(locator));
	set_key(key, m->fabric, locator);
}

static void key_of_kind(const struct model *m, enum finding_id id, char key[NOTICE_KEY])
{
	char rest[80];

	(void)str_printf(rest, sizeof(rest), "%s (many)", finding_info[id].name);
	set_key(key, m->fabric, rest);
}

/* ---- one notice ---- */

static void add_device(struct notice *n, const struct device *d)
{
	if (!d)
		return;
	for (unsigned i = 0; i < n->ndevices; i++)
		if (str_eq(n->devices[i], d->name))
			return;
	if (n->ndevices == NOTICE_DEVICES)
		n->every = true;
	else
		(void)str_copy(n->devices[n->ndevices++], NAME_MAX_LEN, d->name);
}

static const struct device *device_of(const struct model *m, const struct finding *f)
{
	const struct rank *r = ref_rank(m, f->at);

	return r ? model_device_at(m, r->host) : ref_device(m, f->at);
}

static void add_evidence_devices(struct notice *n, const struct model *m, const struct finding *f)
{
	const struct device *d = device_of(m, f);

	/* Of a job, its hosts and the source of its facts: that is all of them. */
	if (!d || finding_info[f->id].family == FAMILY_NCCL)
		n->every = true;
	add_device(n, d);
}

static void set_place(struct notice *n, const struct model *m, const struct finding *f)
{
	const struct device *d = device_of(m, f);
	const struct port *p = ref_port(m, f->at);

	(void)ref_format(m, f->at, n->place, sizeof(n->place));
	if (f->peer.kind != REF_NONE)
		(void)ref_format(m, f->peer, n->peer, sizeof(n->peer));
	if (d)
		(void)str_copy(n->device, sizeof(n->device), d->name);
	if (p)
		(void)str_copy(n->port, sizeof(n->port), p->name);
}

static void set_numbers(
	struct notice *n, const struct model *m, const struct finding *f, int64_t now_us)
{
	n->severity = f->severity;
	n->confidence = f->confidence;
	n->members = 1;
	n->victims = f->nvictims;
	n->gpus_blocked = f->gpus_blocked;
	n->gpus_slow = f->gpus_slow;
	n->onset_us = model_wall(m, f->onset_us ? f->onset_us : f->first_seen_us);
	n->opened_us = model_wall(m, f->first_seen_us);
	n->silent = f->silent_us != 0;
	n->acked = finding_acked(f, now_us);
	if (!n->acked)
		return;
	(void)str_copy(n->ack_user, sizeof(n->ack_user), f->ack_user);
	(void)str_copy(n->ack_note, sizeof(n->ack_note), f->ack_note);
}

static void fill_notice(
	struct notice *n, const struct model *m, const struct finding *f, int64_t now_us)
{
	const struct finding_info *info = &finding_info[f->id];

	memset(n, 0, sizeof(*n));
	key_of(m, f, n->key);
	(void)str_copy(n->id, sizeof(n->id), info->name);
	set_place(n, m, f);
	(void)str_sanitise(n->title, sizeof(n->title), f->title, strlen(f->title));
	(void)str_copy(n->runbook, sizeof(n->runbook), info->runbook);
	(void)str_sanitise(n->command, sizeof(n->command), f->command, strlen(f->command));
	(void)str_copy(n->role, sizeof(n->role), finding_role_name(f->role));
	set_numbers(n, m, f, now_us);
	add_evidence_devices(n, m, f);
}

/* ---- a kind that is told as one ---- */

static void fill_crowd(struct notice *n, const struct model *m, enum finding_id id)
{
	memset(n, 0, sizeof(*n));
	key_of_kind(m, id, n->key);
	(void)str_copy(n->id, sizeof(n->id), finding_info[id].name);
	(void)str_copy(n->runbook, sizeof(n->runbook), finding_info[id].runbook);
	(void)str_copy(n->role, sizeof(n->role), finding_role_name(ROLE_CULPRIT));
	n->acked = true;
}

static void join_crowd(
	struct notice *n, const struct model *m, const struct finding *f, int64_t now_us)
{
	struct notice one;

	fill_notice(&one, m, f, now_us);
	if (!n->members) {
		(void)str_copy(n->place, sizeof(n->place), one.place);
		(void)str_copy(n->device, sizeof(n->device), one.device);
		n->confidence = one.confidence;
		n->onset_us = one.onset_us;
		n->opened_us = one.opened_us;
	}
	n->members++;
	n->severity = one.severity > n->severity ? one.severity : n->severity;
	n->onset_us = one.onset_us < n->onset_us ? one.onset_us : n->onset_us;
	n->opened_us = one.opened_us < n->opened_us ? one.opened_us : n->opened_us;
	n->victims += one.victims;
	n->gpus_blocked += one.gpus_blocked;
	n->gpus_slow += one.gpus_slow;
	n->silent |= one.silent;
	/* It is acknowledged when each of its members is. */
	n->acked &= one.acked;
	(void)str_copy(n->ack_user, sizeof(n->ack_user), one.ack_user);
	n->every |= one.every;
	add_device(n, device_of(m, f));
	(void)str_printf(n->title, sizeof(n->title), "%s at %u places, first %s",
		finding_info[f->id].title, n->members, n->place);
}

/* ---- the set ---- */

/* The open findings: each root is followed by those that it explains. */
struct open_list {
	const struct finding *const *f;
	size_t n;
	VEC(enum severity) worst; /* of each root and its followers */
};

/* A mild root with critical followers is critical: or a page for these would be for nobody. */
static void find_worst(struct open_list *l)
{
	size_t root = 0;

	for (size_t i = 0; i < l->n; i++) {
		vec_push(&l->worst, l->f[i]->severity);
		if (!l->f[i]->root)
			root = i;
		else if (l->f[i]->severity > l->worst.at[root])
			l->worst.at[root] = l->f[i]->severity;
	}
}

/* A statement about an even load is no trouble. */
static bool is_told(const struct open_list *l, size_t i, enum severity least)
{
	return !l->f[i]->root && l->worst.at[i] >= least && l->f[i]->role != ROLE_INFO;
}

static void count_roots(const struct open_list *l, enum severity least, unsigned roots[FIND_COUNT])
{
	for (size_t i = 0; i < l->n; i++)
		if (is_told(l, i, least))
			roots[l->f[i]->id]++;
}

static bool was_told(const notice_told_vec *told, const char *key)
{
	for (size_t i = 0; i < told->n; i++)
		if (str_eq(told->at[i].key, key))
			return true;
	return false;
}

/* A kind stays one notice until the last of it is over, or its pages would come and go. */
static void choose_crowds(struct notice_watch *w, const struct model *m,
	const notice_told_vec *told, const unsigned roots[FIND_COUNT])
{
	char key[NOTICE_KEY];

	for (unsigned id = 0; id < FIND_COUNT; id++) {
		if (roots[id] > NOTICE_CROWD)
			w->crowded[id] = true;
		if (roots[id] && w->crowded[id])
			continue;
		key_of_kind(m, (enum finding_id)id, key);
		w->crowded[id] = roots[id] && was_told(told, key);
	}
}

/* The notice that tells of a root; NULL: none does. */
static struct notice *notice_of(struct notice_set *s, const struct notice_watch *w,
	const struct model *m, const struct finding *root)
{
	char key[NOTICE_KEY];

	if (w->crowded[root->id])
		key_of_kind(m, root->id, key);
	else
		key_of(m, root, key);
	for (size_t i = 0; i < s->at.n; i++)
		if (str_eq(s->at.at[i].key, key))
			return &s->at.at[i];
	return NULL;
}

static void add_roots(struct notice_set *s, const struct notice_watch *w, const struct model *m,
	const struct open_list *l, enum severity least, int64_t now_us)
{
	const struct finding *const *f = l->f;

	for (size_t i = 0; i < l->n; i++) {
		struct notice *at;

		if (!is_told(l, i, least))
			continue;
		at = w->crowded[f[i]->id] ? notice_of(s, w, m, f[i]) : NULL;
		if (!at && s->at.n >= NOTICE_MOST) {
			s->left_out++;
			continue;
		}
		if (!at) {
			at = vec_add(&s->at);
			if (w->crowded[f[i]->id])
				fill_crowd(at, m, f[i]->id);
			else
				fill_notice(at, m, f[i], now_us);
		}
		if (w->crowded[f[i]->id])
			join_crowd(at, m, f[i], now_us);
		else
			at->json = notice_finding_json(m, f[i]);
		if (l->worst.at[i] > at->severity)
			at->severity = l->worst.at[i];
	}
}

/* Most sets have few roots and many followers: each root's notice is looked for once. */
static void count_followers(struct notice_set *s, const struct notice_watch *w,
	const struct model *m, const struct diag *d, const struct finding *const *f, size_t n)
{
	uint64_t last = 0;
	struct notice *at = NULL;

	for (size_t i = 0; i < n; i++) {
		const struct finding *root;

		if (!f[i]->root)
			continue;
		if (f[i]->root != last) {
			root = diag_finding(d, f[i]->root);
			at = root ? notice_of(s, w, m, root) : NULL;
			last = f[i]->root;
		}
		if (at)
			at->follows++;
	}
}

/* ---- keys that were told and are not in the set ---- */

/* The keys of all open findings, as hashes: made when the first told key is missing. */
struct open_keys {
	const struct finding *const *f;
	size_t n;
	VEC(uint64_t) hashes;
};

static const struct finding *find_open(
	struct open_keys *keys, const struct model *m, const char *key)
{
	uint64_t hash = hash_text(key);
	char own[NOTICE_KEY];

	for (size_t i = keys->hashes.n; i < keys->n; i++) {
		key_of(m, keys->f[i], own);
		vec_push(&keys->hashes, hash_text(own));
	}
	for (size_t i = 0; i < keys->n; i++) {
		if (keys->hashes.at[i] != hash)
			continue;
		key_of(m, keys->f[i], own);
		if (str_eq(own, key))
			return keys->f[i];
	}
	return NULL;
}

static void judge_gone(struct notice_set *s, const struct notice_watch *w, const struct model *m,
	const struct diag *d, struct open_keys *keys, const struct notice_told *t, int64_t now_us)
{
	const struct finding *open = find_open(keys, m, t->key), *root = open;
	struct notice_gone *g = vec_add(&s->gone);
	const struct notice *into;

	memset(g, 0, sizeof(*g));
	(void)str_copy(g->key, sizeof(g->key), t->key);
	for (unsigned deep = 0; root && root->root && deep < 8; deep++)
		root = diag_finding(d, root->root);
	into = root ? notice_of(s, w, m, root) : NULL;
	if (into) {
		g->fate = NOTICE_MERGED;
		(void)str_copy(g->into, sizeof(g->into), into->key);
		(void)str_printf(g->why, sizeof(g->why), "part of %.100s", into->key);
	} else if (open) {
		/* It is open, and below the least severity now, or without its root. */
		(void)str_copy(g->why, sizeof(g->why), "still open, and milder");
	} else if (s->left_out) {
		(void)str_copy(g->why, sizeof(g->why), "too many findings to tell");
	} else if (all_heard(w, m, t, now_us, g->why, sizeof(g->why))) {
		g->fate = NOTICE_HEALED;
		g->why[0] = '\0';
	}
}

struct notice_set *notice_set_make(struct notice_watch *w, const struct model *m,
	const struct diag *d, enum severity least, const notice_told_vec *told, int64_t now_us)
{
	struct notice_set *s = mem_calloc(1, sizeof(*s));
	unsigned roots[FIND_COUNT] = {0};
	struct open_list l = {.n = 0};
	struct open_keys keys = {.n = 0};

	s->refs = 1;
	s->now_us = model_wall(m, now_us);
	(void)str_copy(s->fabric, sizeof(s->fabric), m->fabric);
	verdict_sentence(diag_verdict(d), m, now_us, s->verdict, sizeof(s->verdict));
	notice_watch_look(w, m, now_us);
	l.f = diag_findings(d, &l.n);
	find_worst(&l);
	keys.f = l.f;
	keys.n = l.n;
	count_roots(&l, least, roots);
	choose_crowds(w, m, told, roots);
	add_roots(s, w, m, &l, least, now_us);
	count_followers(s, w, m, d, l.f, l.n);
	for (size_t i = 0; i < told->n; i++)
		if (!notice_find(s, told->at[i].key) && !notice_find_gone(s, told->at[i].key))
			judge_gone(s, w, m, d, &keys, &told->at[i], now_us);
	vec_free(&keys.hashes);
	vec_free(&l.worst);
	return s;
}
