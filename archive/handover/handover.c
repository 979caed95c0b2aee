/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/handover/handover.h"

#include <string.h>

#include "base/str.h"
#include "fabric/vocabulary/event.h"

void handover_free(struct handover *h)
{
	for (size_t i = 0; i < h->files.n; i++)
		free(h->files.at[i]);
	for (size_t i = 0; i < h->unread.n; i++)
		free(h->unread.at[i]);
	vec_free(&h->files);
	vec_free(&h->unread);
	vec_free(&h->findings);
	vec_free(&h->changes);
	vec_free(&h->repeats);
	vec_free(&h->gaps);
}

bool handover_is_watched(const struct handover_finding *f)
{
	return !f->closed_us && !f->unended && f->is_root && f->role != ROLE_INFO && !f->acked_us;
}

/* ---- findings ---- */

/* The same one in an older moment: it was open then, or is in both lists of closed ones. */
static bool is_known(const struct handover *h, const char *key, int64_t opened_us)
{
	for (size_t i = 0; i < h->findings.n; i++)
		if (h->findings.at[i].opened_us == opened_us && str_eq(h->findings.at[i].key, key))
			return true;
	return false;
}

static void set_acknowledged(
	struct handover_finding *to, const struct model *m, const struct finding *f)
{
	if (!f->acked_us)
		return;
	to->acked_us = model_wall(m, f->acked_us);
	to->ack_until_us = model_wall(m, f->ack_until_us);
	(void)str_copy(to->ack_user, sizeof(to->ack_user), f->ack_user);
	(void)str_copy(to->ack_note, sizeof(to->ack_note), f->ack_note);
}

static void add_finding(
	struct handover *h, const struct model *m, const struct finding *f, int64_t closed_us)
{
	struct handover_finding *to, fresh = {.closed_us = closed_us};

	finding_locator(m, f, fresh.key, sizeof(fresh.key));
	fresh.opened_us = model_wall(m, f->first_seen_us);
	/* Over before the shift began, or opened after it. */
	if ((closed_us && closed_us < h->from_us) || fresh.opened_us > h->to_us ||
		is_known(h, fresh.key, fresh.opened_us))
		return;
	if (h->findings.n >= HANDOVER_FINDINGS) {
		h->left_out++;
		return;
	}
	to = vec_add(&h->findings);
	*to = fresh;
	(void)str_copy(to->id, sizeof(to->id), finding_info[f->id].name);
	(void)str_sanitise(to->title, sizeof(to->title), f->title, strlen(f->title));
	(void)ref_format(m, f->at, to->place, sizeof(to->place));
	(void)str_copy(to->runbook, sizeof(to->runbook), finding_info[f->id].runbook);
	to->severity = f->severity;
	to->role = f->role;
	to->is_root = f->root == 0;
	to->gpus_blocked = f->gpus_blocked;
	to->gpus_slow = f->gpus_slow;
	to->victims = f->nvictims;
	to->silent = !closed_us && f->silent_us;
	set_acknowledged(to, m, f);
}

/* Of an older recording: its open findings that no later moment shows as open, or as closed. */
static void add_unended(
	struct handover *h, const struct model *m, const struct finding *const *open, size_t n)
{
	char key[sizeof(h->findings.at[0].key)];

	for (size_t i = 0; i < n; i++) {
		size_t before = h->findings.n;
		bool later = false;

		finding_locator(m, open[i], key, sizeof(key));
		for (size_t k = 0; k < h->findings.n; k++)
			later |= str_eq(h->findings.at[k].key, key) && !h->findings.at[k].closed_us;
		if (later)
			continue;
		add_finding(h, m, open[i], 0);
		if (h->findings.n > before)
			h->findings.at[before].unended = true;
	}
}

static void take_findings(struct handover *h, const struct model *m, const struct diag *d, bool end,
	int64_t *since_us)
{
	const struct finding *const *open;
	const struct finding *f;
	size_t n, i;
	int64_t closed_us = 0, oldest = 0;

	open = diag_findings(d, &n);
	/* An open one of an older moment is among the closed ones of a newer one, or still open. */
	for (i = 0; i < n && !h->latest_us; i++)
		add_finding(h, m, open[i], 0);
	if (end && h->latest_us)
		add_unended(h, m, open, n);
	for (i = 0; (f = diag_closed(d, i, &closed_us)); i++) {
		add_finding(h, m, f, model_wall(m, closed_us));
		oldest = closed_us;
	}
	/* The ring is not full: nothing has left it. */
	*since_us = i >= 256 ? oldest : 0;
}

/* ---- changes that railtop saw ---- */

static bool is_change(enum event_kind k)
{
	return k == EV_ADMIN || k == EV_MTU || k == EV_WATCHDOG_SET || k == EV_PFC_SET ||
	       k == EV_ECN_SET || k == EV_REBOOT || k == EV_NEIGHBOUR || k == EV_PORT_GONE ||
	       k == EV_PORT_NEW;
}

static bool has_change(const struct handover *h, const struct handover_change *c)
{
	for (size_t i = 0; i < h->changes.n; i++) {
		const struct handover_change *o = &h->changes.at[i];

		if (o->t_us == c->t_us && str_eq(o->what, c->what) && str_eq(o->place, c->place) &&
			str_eq(o->text, c->text))
			return true;
	}
	return false;
}

static void add_event(struct handover *h, const struct model *m, const struct event *e)
{
	const struct device *d = model_device_at(m, e->device);
	const struct port *p = e->port == EVENT_NO_ID ? NULL : model_port_at(m, e->port);
	struct handover_change c = {.t_us = model_wall(m, e->wall_us)};

	if (!is_change(e->kind) || c.t_us < h->from_us || c.t_us > h->to_us)
		return;
	(void)str_printf(c.place, sizeof(c.place), "%s%s%s", d ? d->name : "", p ? ":" : "",
		p ? p->name : "");
	(void)str_copy(c.what, sizeof(c.what), event_info[e->kind].name);
	(void)str_copy(c.text, sizeof(c.text), e->text[0] ? e->text : event_info[e->kind].help);
	c.severity = event_info[e->kind].severity;
	if (has_change(h, &c))
		return;
	if (h->changes.n >= HANDOVER_CHANGES)
		h->left_out++;
	else
		vec_push(&h->changes, c);
}

static void take_events(struct handover *h, const struct model *m)
{
	const struct event *e;

	for (size_t i = 0; (e = model_event(m, i)); i++)
		add_event(h, m, e);
}

/* ---- a moment ---- */

static void take_end(
	struct handover *h, const struct model *m, const struct diag *d, int64_t now_us)
{
	struct coverage v = model_coverage(m);

	(void)str_copy(h->fabric, sizeof(h->fabric), m->fabric);
	verdict_sentence(diag_verdict(d), m, now_us, h->verdict, sizeof(h->verdict));
	h->state = diag_verdict(d)->state;
	(void)coverage_words(&v, h->coverage, sizeof(h->coverage));
	for (size_t i = 0; i < m->devices.n; i++) {
		const struct device *dev = m->devices.at[i];

		if ((dev->state != DEV_FRESH && dev->state != DEV_LATE) || device_blind(dev))
			vec_push(&h->unread, mem_strdup(dev->name));
	}
}

void handover_take(struct handover *h, const struct model *m, const struct diag *d, int64_t now_us,
	bool end, int64_t *since_us)
{
	int64_t wall = model_wall(m, now_us);

	if (!h->latest_us)
		take_end(h, m, d, now_us);
	take_findings(h, m, d, end, since_us);
	take_events(h, m);
	if (!h->latest_us)
		h->latest_us = wall;
	if (!h->known_us || wall < h->known_us)
		h->known_us = wall;
}

void handover_add_gap(struct handover *h, int64_t from_us, int64_t to_us, const char *why)
{
	struct handover_gap *g = vec_add(&h->gaps);

	*g = (struct handover_gap){.from_us = from_us, .to_us = to_us};
	(void)str_copy(g->why, sizeof(g->why), why);
}

/* ---- order ---- */

static int by_severity(const void *a, const void *b)
{
	const struct handover_finding *x = a, *y = b;

	if (!x->closed_us != !y->closed_us)
		return x->closed_us ? 1 : -1;
	if (x->is_root != y->is_root)
		return x->is_root ? -1 : 1;
	if (x->severity != y->severity)
		return x->severity > y->severity ? -1 : 1;
	return x->opened_us < y->opened_us ? -1 : x->opened_us > y->opened_us;
}

static int by_time(const void *a, const void *b)
{
	const struct handover_change *x = a, *y = b;

	return x->t_us < y->t_us ? -1 : x->t_us > y->t_us;
}

static int by_begin(const void *a, const void *b)
{
	const struct handover_gap *x = a, *y = b;

	return x->from_us < y->from_us ? -1 : x->from_us > y->from_us;
}

/* ---- what comes back ---- */

static struct handover_repeat *repeat_of(struct handover *h, const struct handover_finding *f)
{
	struct handover_repeat *r;

	for (size_t i = 0; i < h->repeats.n; i++)
		if (str_eq(h->repeats.at[i].place, f->place) && str_eq(h->repeats.at[i].id, f->id))
			return &h->repeats.at[i];
	r = vec_add(&h->repeats);
	(void)str_copy(r->place, sizeof(r->place), f->place);
	(void)str_copy(r->id, sizeof(r->id), f->id);
	r->first_us = f->opened_us;
	return r;
}

static void count_repeat(struct handover *h, const struct handover_finding *f)
{
	struct handover_repeat *r = repeat_of(h, f);
	int64_t until = f->closed_us ? f->closed_us : h->latest_us;

	r->times++;
	if (f->opened_us < r->first_us)
		r->first_us = f->opened_us;
	if (f->opened_us > r->last_us)
		r->last_us = f->opened_us;
	if (until > f->opened_us && !f->unended)
		r->lasted_us += until - f->opened_us;
	if (f->gpus_blocked > r->gpus_blocked)
		r->gpus_blocked = f->gpus_blocked;
}

/* A link that was down twice follows from its own flapping: the place is the cause all the same. */
static bool was_cause(const struct handover *h, const char *place)
{
	for (size_t i = 0; i < h->findings.n; i++) {
		const struct handover_finding *f = &h->findings.at[i];

		if (f->is_root && f->role != ROLE_INFO && f->role != ROLE_VICTIM &&
			str_eq(f->place, place))
			return true;
	}
	return false;
}

static int by_times(const void *a, const void *b)
{
	const struct handover_repeat *x = a, *y = b;

	if (x->times != y->times)
		return x->times > y->times ? -1 : 1;
	return strcmp(x->place, y->place);
}

static void find_repeats(struct handover *h)
{
	size_t kept = 0;

	h->repeats.n = 0;
	for (size_t i = 0; i < h->findings.n; i++)
		count_repeat(h, &h->findings.at[i]);
	for (size_t i = 0; i < h->repeats.n; i++)
		if (h->repeats.at[i].times > 1 && was_cause(h, h->repeats.at[i].place))
			h->repeats.at[kept++] = h->repeats.at[i];
	h->repeats.n = kept;
	if (kept)
		qsort(h->repeats.at, kept, sizeof(h->repeats.at[0]), by_times);
}

void handover_finish(struct handover *h)
{
	if (h->findings.n)
		qsort(h->findings.at, h->findings.n, sizeof(h->findings.at[0]), by_severity);
	if (h->changes.n)
		qsort(h->changes.at, h->changes.n, sizeof(h->changes.at[0]), by_time);
	if (h->gaps.n)
		qsort(h->gaps.at, h->gaps.n, sizeof(h->gaps.at[0]), by_begin);
	find_repeats(h);
}
