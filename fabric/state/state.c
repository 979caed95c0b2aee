/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/state/state.h"

#include <assert.h>
#include <string.h>

#include "base/str.h"
#include "fabric/model/index.h"
#include "fabric/model/model_internal.h"
#include "fabric/state/state_internal.h"
#include "fabric/model/wiring.h"
#include "fabric/vocabulary/counters.h"
#include "fabric/vocabulary/need.h"

/* Increase it with each change of the encoding. */
#define STATE_VERSION 19

/* ---- steps ---- */

size_t model_state_steps(const struct model *m)
{
	return 1 + m->devices.n + nccl_state_steps(m->nccl);
}

/* ---- devices ---- */

static void name_state(struct state *s, struct device *d)
{
	state_text(s, d->name, sizeof(d->name));
	state_text(s, d->hostname, sizeof(d->hostname));
	state_bool(s, &d->planned);
	STATE_ENUM(s, d->tier, TIER_COUNT);
	STATE_ENUM(s, d->net, NET_COUNT);
	state_rail(s, &d->rail);
	state_time(s, &d->interval_us, 0);
}

/* Makes room for the ports; their names come in their device's step. */
static void ports_room(struct state *s, struct model *m)
{
	uint32_t n = (uint32_t)m->ports.n, most = (uint32_t)m->devices.n * 2 * DEVICE_PORTS_MAX;

	state_below(s, &n, most + 1);
	if (!s->loading || s->bad)
		return;
	if (n < m->ports.n) {
		s->bad = true;
		return;
	}
	if (n > m->ports.size) {
		struct port **at = mem_calloc(n, sizeof(struct port *));

		if (m->ports.n)
			memcpy(at, m->ports.at, m->ports.n * sizeof(struct port *));
		free(m->ports.at);
		m->ports.at = at;
		m->ports.size = n;
	}
	for (size_t i = m->ports.n; i < n; i++)
		m->ports.at[i] = NULL;
	m->ports.n = n;
}

static void names_state(struct state *s, struct model *m)
{
	size_t n = m->devices.n, planned = m->devices.n;

	state_count(s, &n, planned + (s->loading ? UNPLANNED_MAX : 0));
	if (s->loading && n < planned)
		s->bad = true;
	for (size_t i = 0; i < n && !s->bad; i++) {
		struct device *d;

		if (i == m->devices.n)
			(void)model_add_device(m, "", TIER_LEAF);
		d = m->devices.at[i];
		name_state(s, d);
		if (s->loading && (d->planned != (i < planned) || !d->name[0]))
			s->bad = true;
	}
	if (!s->bad)
		ports_room(s, m);
}

enum { OF_NAME, OF_HOSTNAME, OF_NOBODY, OF_COUNT };

static void entry_state(
	struct state *s, const struct model *m, struct index_at *e, uint32_t *id, char *name)
{
	uint32_t before = *id, code = 0;
	const struct device *d = e->thing;

	if (d) {
		*id = d->id;
		code = strcmp(e->name, d->name) == 0       ? OF_NAME
		       : strcmp(e->name, d->hostname) == 0 ? OF_HOSTNAME
							   : OF_NOBODY;
		code = code * (RANK_MAC + 1) + e->rank;
	}
	state_near_id(s, id, before + 1, m->devices.n);
	state_below(s, &code, OF_COUNT * (RANK_MAC + 1));
	e->rank = (enum name_rank)(code % (RANK_MAC + 1));
	code /= RANK_MAC + 1;
	if (code == OF_NOBODY)
		state_text(s, name, NAME_MAX_LEN);
	if (!s->loading || s->bad)
		return;
	if (*id == UINT32_MAX) {
		s->bad = true;
		return;
	}
	e->thing = m->devices.at[*id];
	if (code != OF_NOBODY)
		(void)str_copy(name, NAME_MAX_LEN,
			code == OF_NAME ? m->devices.at[*id]->name : m->devices.at[*id]->hostname);
}

/* Saves the index: its order of precedence depends on arrival and does not follow from the
 * names. */
static void index_state(struct state *s, struct model *m)
{
	size_t n = index_size(m->index), most = m->devices.n * OF_COUNT;
	struct index_at e = {0};
	uint32_t id = UINT32_MAX;

	state_count(s, &n, most);
	if (s->loading)
		index_free(&m->index);
	for (size_t i = 0; i < n && !s->bad; i++) {
		char name[NAME_MAX_LEN] = "";

		if (s->loading)
			e = (struct index_at){0};
		else if (index_next(m->index, &e))
			(void)str_copy(name, sizeof(name), e.name);
		entry_state(s, m, &e, &id, name);
		if (s->loading && !s->bad)
			index_put(&m->index, name, e.rank, e.thing);
	}
}

/* ---- events, links, marks ---- */

static void event_state(struct state *s, const struct model *m, struct event *e, int64_t near)
{
	int16_t priority = e->priority < 0 ? -1 : (uint8_t)e->priority;

	STATE_SIZE(struct event, 160);
	state_time(s, &e->wall_us, near);
	state_time(s, &e->device_us, e->wall_us);
	STATE_ENUM(s, e->kind, EVENT_COUNT);
	state_index(s, &e->device, m->devices.n);
	state_index(s, &e->port, m->ports.n);
	state_i16(s, &priority);
	if (priority < -1 || priority >= PRIORITIES)
		s->bad = true;
	e->priority = (int8_t)priority;
	state_text(s, e->text, sizeof(e->text));
}

static void events_state(struct state *s, struct model *m)
{
	uint64_t first;
	int64_t near = 0;

	state_u64(s, &m->event_seq);
	first = m->event_seq > EVENT_RING ? m->event_seq - EVENT_RING : 0;
	for (uint64_t seq = first; seq < m->event_seq && !s->bad; seq++) {
		struct event *e = &m->events[seq % EVENT_RING];

		event_state(s, m, e, near);
		e->seq = seq + 1;
		near = e->wall_us;
	}
}

static void links_state(struct state *s, struct model *m, size_t from, size_t to)
{
	uint32_t a = from ? m->links.at[from - 1].a : 0;

	STATE_SIZE(struct link, 16);
	for (size_t i = from; i < to && !s->bad; i++) {
		struct link *l = s->loading ? vec_add(&m->links) : &m->links.at[i];

		state_near_id(s, &l->a, a, m->ports.n);
		state_near_id(s, &l->b, l->a, m->ports.n);
		state_rail(s, &l->rail);
		STATE_ENUM(s, l->state, LINK_MISWIRED + 1);
		if (l->a == PORT_NONE || l->b == PORT_NONE)
			s->bad = true;
		a = l->a;
	}
}

static void marks_state(struct state *s, struct model *m)
{
	STATE_SIZE(struct mark, 40);
	state_below(s, &m->nmarks, MARKS_MAX + 1);
	for (unsigned i = 0; i < m->nmarks; i++) {
		state_text(s, m->marks[i].name, sizeof(m->marks[i].name));
		state_time(s, &m->marks[i].wall_us, 0);
	}
}

/* Saves the data before the links; returns the number of links. */
static size_t lists_state(struct state *s, struct model *m)
{
	bool dirty = m->links_dirty || wiring_noted(m);
	size_t links = m->links.n;

	index_state(s, m);
	maps_state(s, m);
	marks_state(s, m);
	state_bool(s, &dirty);
	state_count(s, &links, m->ports.n * 2);
	if (!s->loading)
		return links;
	m->links.n = 0;
	wiring_forget(m);
	m->links_dirty = dirty;
	return links;
}

static void rest_state(struct state *s, struct model *m)
{
	STATE_SIZE(struct model, 26920);
	events_state(s, m);
	daily_counts_state(s, &m->tally);
	state_u64(s, &m->generation);
	state_u64(s, &m->batches);
	state_u64(s, &m->items);
	state_u64(s, &m->wiring_generation);
	if (s->loading)
		m->census->of = 0;
	state_u64(s, &m->settings_generation);
	state_time(s, &m->log_us, 0);
	state_u32(s, &m->log_changes);
	state_u32(s, &m->log_alarms);
	state_time(s, &m->bgp_us, 0);
	state_u32(s, &m->bgp_events);
	history_store_state(s, m);
	state_capabilities(s, &m->sources);
	nccl_state_shape(s, m->nccl);
}

/* Name, rails and lossless classes come from the plan. */
static void fabric_state(struct state *s, struct model *m)
{
	names_state(s, m);
	if (s->bad)
		return;
	links_state(s, m, 0, lists_state(s, m));
	rest_state(s, m);
}

#define LINKS_A_PART ((size_t)2048)

bool model_state_save_some(struct state *s, struct model *m, size_t step, size_t *part)
{
	size_t links = (m->links.n + LINKS_A_PART - 1) / LINKS_A_PART, at = (*part)++, from;

	assert(!s->loading);
	if (step || at == links + 2)
		*part = 0;
	if (step)
		return model_state_step(s, m, step);
	if (at == 0 && (m->links_dirty || wiring_noted(m))) {
		/* A caller that asks for the links between two parts would rebuild them. */
		*part = 0;
		fabric_state(s, m);
	} else if (at == 0) {
		names_state(s, m);
	} else if (at == 1) {
		(void)lists_state(s, m);
	} else if (at == links + 2) {
		rest_state(s, m);
	} else {
		from = (at - 2) * LINKS_A_PART;
		links_state(s, m, from,
			m->links.n - from < LINKS_A_PART ? m->links.n : from + LINKS_A_PART);
	}
	return !s->bad;
}

bool model_state_step(struct state *s, struct model *m, size_t step)
{
	if (s->bad)
		return false;
	if (step == 0)
		fabric_state(s, m);
	else if (step <= m->devices.n)
		device_state(s, m, m->devices.at[step - 1]);
	else
		nccl_state_step(s, m, step - 1 - m->devices.n);
	return !s->bad;
}

/* ---- after loading ---- */

/* The ends of planned links point to each other. */
static bool ports_agree(const struct model *m)
{
	for (size_t i = 0; i < m->ports.n; i++) {
		const struct port *p = m->ports.at[i];

		if (!p)
			return false;
	}
	for (size_t i = 0; i < m->ports.n; i++) {
		const struct port *p = m->ports.at[i];

		if (p->plan_peer != PORT_NONE &&
			(p->plan_peer == p->id || m->ports.at[p->plan_peer]->plan_peer != p->id))
			return false;
	}
	return true;
}

bool model_state_loaded(struct model *m)
{
	if (!ports_agree(m))
		return false;
	macs_rebuild(m);
	return nccl_state_loaded(m);
}

/* ---- the stamp ---- */

static void mix_word(uint64_t *h, const char *word, unsigned number)
{
	for (; *word; word++)
		*h = (*h ^ (unsigned char)*word) * UINT64_C(1099511628211); /* FNV-1a */
	*h = (*h ^ number) * UINT64_C(1099511628211);
}

uint64_t model_state_stamp(void)
{
	uint64_t h = UINT64_C(14695981039346656037);

	mix_word(&h, "state", STATE_VERSION);
	for (unsigned i = 0; i < COUNTER_COUNT; i++)
		mix_word(&h, counter_info[i].name,
			counter_info[i].dim * 4U + (unsigned)counter_info[i].kind);
	for (unsigned i = 0; i < EVENT_COUNT; i++)
		mix_word(&h, event_info[i].name, i);
	for (unsigned i = 0; i < NEED_COUNT; i++)
		mix_word(&h, need_info[i].name, i);
	mix_word(&h, "attributes", OBS_ATTR_COUNT);
	mix_word(&h, "groups", GROUP_COUNT);
	mix_word(&h, "sources", NCCL_SOURCE_COUNT);
	mix_word(&h, "states", NCCL_STATE_COUNT);
	mix_word(&h, "history", HISTORY_LEN);
	mix_word(&h, "steps", (unsigned)(HISTORY_STEP_US / 1000));
	mix_word(&h, "events", EVENT_RING);
	mix_word(&h, "tally", TALLY_KINDS * 1024U + TALLY_BUCKETS);
	return h;
}
