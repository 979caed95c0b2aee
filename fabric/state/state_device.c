/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "fabric/vocabulary/manager_note.h"
#include "fabric/model/index.h"
#include "fabric/model/model_internal.h"
#include "fabric/state/state_internal.h"

/* More than a device may list: hidden ports (second names of others) are saved too. */
#define PORTS_MAX ((size_t)2 * DEVICE_PORTS_MAX)

static void err_state(struct state *s, struct err *e)
{
	STATE_SIZE(struct err, 836);
	STATE_ENUM(s, e->code, ERR_INTERNAL + 1);
	/* After a success all fields are empty. */
	if (e->code == ERR_NONE)
		return;
	state_text(s, e->origin, sizeof(e->origin));
	state_text(s, e->text, sizeof(e->text));
	state_text(s, e->cure, sizeof(e->cure));
}

static void times_state(struct state *s, struct device *d)
{
	state_time(s, &d->last_ok_us, 0);
	state_time(s, &d->heard_us, d->last_ok_us);
	state_time(s, &d->counters_us, d->last_ok_us);
	state_time(s, &d->burst_us, d->last_ok_us);
	state_time(s, &d->burst_gap_us, 0);
	state_time(s, &d->last_attempt_us, d->last_ok_us);
	state_time(s, &d->bad_us, d->last_ok_us);
	state_time(s, &d->reset_us, d->last_ok_us);
	state_time(s, &d->bgp_us, d->last_ok_us);
	state_time(s, &d->reboot_us, d->last_ok_us);
	state_time(s, &d->settings_us, d->last_ok_us);
	state_time(s, &d->engine_us, d->last_ok_us);
	state_time(s, &d->source_us, d->last_ok_us);
	for (unsigned g = 0; g < GROUP_COUNT; g++)
		state_time(s, &d->moved_us[g], d->last_ok_us);
	state_time(s, &d->took_us, 0);
	state_time(s, &d->clock_skew_us, 0);
	state_f64(s, &d->uptime_s);
}

static void words_state(struct state *s, struct device *d)
{
	state_text(s, d->dialect, sizeof(d->dialect));
	state_text(s, d->transport, sizeof(d->transport));
	state_text(s, d->address, sizeof(d->address));
	state_text(s, d->err_request, sizeof(d->err_request));
	state_text(s, d->reset_request, sizeof(d->reset_request));
	state_text(s, d->model, sizeof(d->model));
	state_text(s, d->serial, sizeof(d->serial));
	state_text(s, d->os_version, sizeof(d->os_version));
	state_text(s, d->firmware, sizeof(d->firmware));
	state_text(s, d->boot_id, sizeof(d->boot_id));
	state_text(s, d->router_id, sizeof(d->router_id));
	state_text(s, d->ecmp_hash, sizeof(d->ecmp_hash));
	state_text(s, d->lag_hash, sizeof(d->lag_hash));
	state_text(s, d->hash_algorithm, sizeof(d->hash_algorithm));
	state_text(s, d->balancing, sizeof(d->balancing));
	state_text(s, d->schema, sizeof(d->schema));
	state_text(s, d->setup, sizeof(d->setup));
	state_text(s, d->pools, sizeof(d->pools));
	state_text(s, d->poll_path, sizeof(d->poll_path));
	state_text(s, d->provider, sizeof(d->provider));
	state_text(s, d->pair, sizeof(d->pair));
	state_text(s, d->not_asked, sizeof(d->not_asked));
}

static void numbers_state(struct state *s, struct device *d)
{
	STATE_ENUM(s, d->state, DEV_STATE_COUNT);
	state_bool(s, &d->connected);
	state_bool(s, &d->engine);
	state_u64(s, &d->bytes);
	state_u64(s, &d->polls);
	state_u64(s, &d->failures);
	state_u64(s, &d->reset_seq);
	state_u32(s, &d->bgp_as);
	state_u32(s, &d->pfcwd_poll_ms);
	state_u32(s, &d->settings_changes);
	state_u32(s, &d->bad_next);
	state_u32(s, &d->bad_minute);
	for (unsigned i = 0; i < DEVICE_COMPLAINTS; i++)
		state_u32(s, &d->bad_told[i]);
	for (unsigned g = 0; g < GROUP_COUNT; g++)
		state_u32(s, &d->refreshes[g]);
	for (unsigned i = 0; i < DEVICE_LOOKS; i++) {
		STATE_SIZE(struct refresh_look, 48);
		state_u32(s, &d->looks[i].request);
		for (unsigned g = 0; d->looks[i].request && g < GROUP_COUNT; g++)
			state_u32(s, &d->looks[i].refreshes[g]);
		if (!d->looks[i].request)
			continue;
		state_u32(s, &d->looks[i].number);
		state_time(s, &d->looks[i].told_us, d->last_ok_us);
	}
}

void state_capabilities(struct state *s, struct capability_list *list)
{
	size_t n = list->n;

	STATE_SIZE(struct capability, 209);
	state_count(s, &n, DEVICE_CAPS_MAX);
	for (size_t i = 0; i < n; i++) {
		struct capability *c = s->loading ? vec_add(list) : &list->at[i];

		state_text(s, c->need, sizeof(c->need));
		state_small(s, &c->valid, VALID_DISABLED + 1);
		state_text(s, c->cure, sizeof(c->cure));
	}
}

static void session_state(struct state *s, struct bgp_session *b, int64_t near)
{
	uint64_t prefixes = b->prefixes + 1, drops = b->drops + 1; /* 0: unknown */

	STATE_SIZE(struct bgp_session, 224);
	state_text(s, b->vrf, sizeof(b->vrf));
	state_text(s, b->peer, sizeof(b->peer));
	state_text(s, b->host, sizeof(b->host));
	state_small(s, &b->afi, BGP_OTHER + 1);
	state_small(s, &b->state, BGP_STATE_COUNT);
	state_bool(s, &b->gone);
	state_bool(s, &b->listed);
	state_u32(s, &b->remote_as);
	state_time(s, &b->since_us, near);
	state_u64(s, &prefixes);
	state_u64(s, &drops);
	b->prefixes = prefixes - 1;
	b->drops = drops - 1;
	state_u32(s, &b->downs);
	state_time(s, &b->last_down_us, near);
	state_time(s, &b->seen_us, near);
	state_u16(s, &b->credit);
}

static void sessions_state(struct state *s, struct device *d)
{
	size_t n = d->bgp.n;

	state_count(s, &n, DEVICE_SESSIONS_MAX);
	for (size_t i = 0; i < n; i++)
		session_state(s, s->loading ? vec_add(&d->bgp) : &d->bgp.at[i], d->last_ok_us);
	if (s->rewrite)
		bgp_sort(d);
}

/* ---- ports ---- */

/*
 * The port to load under that id: a planned one that waits for it, or a new one. NULL: its place
 * is taken.
 */
static struct port *port_to_load(struct model *m, struct device *d, uint32_t id)
{
	struct port *p = m->ports.at[id];

	if (p)
		return p->device == d->id && p->id == PORT_NONE ? p : NULL;
	p = m->ports.at[id] = mem_alloc(sizeof(*p));
	port_init(m, p);
	p->device = d->id;
	p->rail = d->rail;
	return p;
}

static void load_port(struct state *s, struct model *m, struct device *d, uint32_t id)
{
	struct port *p = s->bad || id == PORT_NONE ? NULL : port_to_load(m, d, id);

	if (!p) {
		s->bad = true;
		return;
	}
	p->id = id;
	port_state(s, m, p);
	if (p->merged) {
		d->merged++;
		return;
	}
	if (d->ports.n >= DEVICE_PORTS_MAX)
		s->bad = true;
	else
		vec_push(&d->ports, id);
}

typedef VEC(uint32_t) ids;

/* The ports as the device lists them, then the hidden ones. */
static void ports_of(const struct model *m, const struct device *d, ids *out)
{
	for (size_t i = 0; i < d->ports.n; i++)
		vec_push(out, d->ports.at[i]);
	for (size_t i = 0; i < m->ports.n && out->n < d->ports.n + d->merged; i++)
		if (m->ports.at[i] && m->ports.at[i]->device == d->id && m->ports.at[i]->merged)
			vec_push(out, (uint32_t)i);
}

static void save_ports(struct state *s, struct model *m, const struct device *d)
{
	ids all = {0};
	uint32_t before = 0;

	ports_of(m, d, &all);
	state_count(s, &all.n, PORTS_MAX);
	for (size_t i = 0; i < all.n; i++) {
		uint32_t id = all.at[i];

		state_near_id(s, &id, before + 1, m->ports.n);
		port_state(s, m, m->ports.at[id]);
		before = id;
	}
	vec_free(&all);
}

/* Renamed ports are out of order; few, and nearly sorted. */
static void sort_ports(const struct model *m, struct device *d)
{
	for (size_t i = 1; i < d->ports.n; i++) {
		uint32_t id = d->ports.at[i];
		size_t k = i;

		for (; k && str_natcmp(m->ports.at[d->ports.at[k - 1]]->name,
				    m->ports.at[id]->name) > 0;
			k--)
			d->ports.at[k] = d->ports.at[k - 1];
		d->ports.at[k] = id;
	}
}

static void load_ports(struct state *s, struct model *m, struct device *d)
{
	ids planned = {0};
	uint32_t before = 0;
	size_t n = 0;

	for (size_t i = 0; i < d->ports.n; i++) {
		vec_push(&planned, d->ports.at[i]);
		m->ports.at[d->ports.at[i]]->id = PORT_NONE;
	}
	d->ports.n = 0;
	state_count(s, &n, PORTS_MAX);
	for (size_t i = 0; i < n && !s->bad; i++) {
		uint32_t id = 0;

		state_near_id(s, &id, before + 1, m->ports.n);
		load_port(s, m, d, id);
		before = id;
	}
	for (size_t i = 0; i < planned.n; i++)
		if (m->ports.at[planned.at[i]]->id == PORT_NONE)
			s->bad = true;
	vec_free(&planned);
	if (s->rewrite && !s->bad)
		sort_ports(m, d);
}

/* ---- names of ports ---- */

/* The text that a name of the index comes from. */
enum { OF_NAME, OF_ALIAS, OF_NETDEV, OF_MAC, OF_MERGED, OF_NOBODY, OF_COUNT };

static const char *text_of(const struct port *p, unsigned of)
{
	return of == OF_NAME     ? p->name
	       : of == OF_ALIAS  ? p->more->alias
	       : of == OF_NETDEV ? p->netdev
	       : of == OF_MAC    ? p->more->mac
				 : "";
}

/* *id: the port with that text, if it is a merged one's. */
static unsigned find_text(
	const struct model *m, const struct port *p, const char *name, uint32_t *id)
{
	for (unsigned of = OF_NAME; of < OF_MERGED; of++)
		if (strcmp(text_of(p, of), name) == 0)
			return of;
	for (size_t i = 0; i < m->ports.n && m->devices.at[p->device]->merged; i++) {
		const struct port *q = m->ports.at[i];

		if (q->device == p->device && q->merged && strcmp(q->name, name) == 0) {
			*id = q->id;
			return OF_MERGED;
		}
	}
	return OF_NOBODY;
}

/* *port: id of the port that the entry leads to; on entry that of the entry before. */
static void entry_state(struct state *s, const struct model *m, const struct device *d,
	struct index_at *e, uint32_t *port, char *name)
{
	uint32_t before = *port, id = 0, code = 0;
	const struct port *p = e->thing;

	if (p) {
		*port = p->id;
		code = find_text(m, p, e->name, &id) * (RANK_MAC + 1) + e->rank;
	}
	state_near_id(s, port, before, m->ports.n);
	state_below(s, &code, OF_COUNT * (RANK_MAC + 1));
	e->rank = (enum name_rank)(code % (RANK_MAC + 1));
	code /= RANK_MAC + 1;
	if (code == OF_MERGED)
		state_near_id(s, &id, *port, m->ports.n);
	if (code == OF_NOBODY)
		state_text(s, name, NAME_MAX_LEN);
	if (!s->loading || s->bad)
		return;
	p = *port == PORT_NONE ? NULL : m->ports.at[*port];
	if (p && p->device == d->id && code == OF_MERGED && id != PORT_NONE && m->ports.at[id])
		(void)str_copy(name, NAME_MAX_LEN, m->ports.at[id]->name);
	else if (p && p->device == d->id && code < OF_MERGED)
		(void)str_copy(name, NAME_MAX_LEN, text_of(p, code));
	if (!p || p->device != d->id || !name[0]) {
		s->bad = true;
		return;
	}
	e->thing = m->ports.at[*port];
}

static void index_state(struct state *s, const struct model *m, struct device *d)
{
	/* The most names that the ports can have. */
	const size_t most = (size_t)PORTS_MAX * OF_COUNT;
	size_t n = index_size(d->index);
	struct index_at e = {0};
	uint32_t port = 0;

	state_count(s, &n, most);
	if (s->loading)
		index_free(&d->index);
	for (size_t i = 0; i < n && !s->bad; i++) {
		char name[NAME_MAX_LEN] = "";

		if (s->loading)
			e = (struct index_at){0};
		else if (!index_next(d->index, &e))
			break;
		else
			(void)str_copy(name, sizeof(name), e.name);
		entry_state(s, m, d, &e, &port, name);
		if (s->loading && !s->bad)
			index_put(&d->index, name, e.rank, e.thing);
	}
}

static void gpu_state(struct state *s, struct gpu_link *g, int64_t near)
{
	uint8_t counts[4] = {(uint8_t)(g->links + 1), (uint8_t)(g->active + 1),
		(uint8_t)(g->most + 1), (uint8_t)(g->worst + 1)};
	double gbs = (double)g->gbs;

	STATE_SIZE(struct gpu_link, 432);
	state_bool(s, &g->known);
	state_bool(s, &g->no_links);
	for (unsigned i = 0; i < 4; i++)
		state_small(s, &counts[i], INT8_MAX + 1);
	g->links = (int8_t)(counts[0] - 1);
	g->active = (int8_t)(counts[1] - 1);
	g->most = (int8_t)(counts[2] - 1);
	g->worst = (int8_t)(counts[3] - 1);
	state_f64(s, &gbs);
	g->gbs = (float)gbs;
	state_time(s, &g->seen_us, near);
	state_time(s, &g->lost_us, near);
	state_time(s, &g->grew_us, near);
	for (unsigned e = 0; e < GPU_ERRORS; e++) {
		uint64_t v = g->errors[e] + 1; /* 0: unknown */

		state_u64(s, &v);
		g->errors[e] = v - 1;
		state_u64(s, &g->grew[e]);
	}
	state_text(s, g->kind, sizeof(g->kind));
	state_text(s, g->name, sizeof(g->name));
	state_text(s, g->bus, sizeof(g->bus));
	state_text(s, g->down, sizeof(g->down));
	state_text(s, g->state, sizeof(g->state));
	state_text(s, g->status, sizeof(g->status));
	state_text(s, g->clique, sizeof(g->clique));
	state_text(s, g->cluster, sizeof(g->cluster));
	state_text(s, g->health, sizeof(g->health));
	state_text(s, g->why, sizeof(g->why));
}

static void gpus_state(struct state *s, struct device *d)
{
	size_t n = 0;

	for (size_t i = 0; d->gpus && i < HOST_GPUS_MOST; i++)
		if (d->gpus[i].known)
			n = i + 1;
	state_text(s, d->gpu_domain, sizeof(d->gpu_domain));
	state_u32(s, &d->ngpus);
	state_time(s, &d->gpus_us, d->last_ok_us);
	state_count(s, &n, HOST_GPUS_MOST);
	for (unsigned i = 0; i < n && !s->bad; i++)
		gpu_state(s, gpu_link_at(&d->gpus, i), d->last_ok_us);
}

static void notes_state(struct state *s, struct device *d)
{
	for (unsigned k = 0; k < MANAGER_KINDS && !s->bad; k++) {
		size_t n = notes_kept(d->notes, (enum manager_note_kind)k);
		uint32_t total = d->notes ? d->notes->total[k] : 0;
		int64_t told_us = d->notes ? d->notes->told_us[k] : 0;
		char text[NOTE_SIZE];

		state_time(s, &told_us, d->last_ok_us);
		state_u32(s, &total);
		state_count(s, &n, NOTES_MOST);
		if (s->loading && told_us)
			notes_begin(&d->notes, k, total, told_us);
		for (unsigned i = 0; i < n && !s->bad; i++) {
			(void)str_copy(text, sizeof(text), s->loading ? "" : d->notes->at[k][i]);
			state_text(s, text, sizeof(text));
			if (s->loading)
				notes_take(d->notes, note_sub((enum manager_note_kind)k, i), text);
		}
	}
}

void device_state(struct state *s, struct model *m, struct device *d)
{
	struct err err;

	STATE_SIZE(struct device, 3384);
	times_state(s, d);
	words_state(s, d);
	numbers_state(s, d);
	err = *d->err;
	err_state(s, &err);
	if (s->loading)
		device_set_err(d, &err);
	state_capabilities(s, &d->caps);
	sessions_state(s, d);
	gpus_state(s, d);
	notes_state(s, d);
	log_state(s, d);
	if (s->loading)
		load_ports(s, m, d);
	else
		save_ports(s, m, d);
	index_state(s, m, d);
}
