/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "archive/codec/batch_codec_internal.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"
#include "fabric/vocabulary/event.h"

const uint8_t coder_bgp_kinds[BGP_SLOTS] = {SLOT_TEXT, SLOT_TEXT, SLOT_TEXT, SLOT_COUNT, SLOT_COUNT,
	SLOT_COUNT, SLOT_REAL, SLOT_COUNT, SLOT_COUNT};

const uint8_t coder_nccl_kinds[NCCL_SLOTS] = {SLOT_COUNT, SLOT_COUNT, SLOT_COUNT, SLOT_TEXT,
	SLOT_TEXT, SLOT_TEXT, SLOT_COUNT, SLOT_COUNT, SLOT_COUNT, SLOT_TEXT, SLOT_COUNT, SLOT_COUNT,
	SLOT_COUNT, SLOT_TEXT, SLOT_TEXT, SLOT_COUNT, SLOT_COUNT, SLOT_COUNT, SLOT_COUNT, SLOT_REAL,
	SLOT_REAL, SLOT_REAL, SLOT_REAL, SLOT_COUNT, SLOT_TEXT, SLOT_TEXT};

enum slot_kind shape_slot_kind(const struct shape *h, size_t slot)
{
	if (slot < h->kinds.n)
		return (enum slot_kind)h->kinds.at[slot];
	slot -= h->kinds.n;
	if (slot < h->bgp * BGP_SLOTS)
		return (enum slot_kind)coder_bgp_kinds[slot % BGP_SLOTS];
	return (enum slot_kind)coder_nccl_kinds[(slot - h->bgp * BGP_SLOTS) % NCCL_SLOTS];
}

void shape_free(struct shape *h)
{
	if (!h)
		return;
	vec_free(&h->ports);
	vec_free(&h->items);
	vec_free(&h->kinds);
	free(h);
}

size_t shape_bytes(const struct shape *h)
{
	return sizeof(*h) + h->ports.size * sizeof(*h->ports.at) +
	       h->items.size * sizeof(*h->items.at) + h->kinds.size;
}

/* The slots follow from the rest. */
static void number_slots(struct shape *h)
{
	vec_reserve(&h->kinds, HEAD_SLOTS + h->ports.n + 2 * h->items.n);
	for (size_t i = 0; i < HEAD_SLOTS; i++)
		vec_push(&h->kinds, SLOT_COUNT);
	for (size_t i = 0; i < h->ports.n; i++)
		vec_push(&h->kinds, SLOT_SAMPLE);
	for (size_t i = 0; i < h->items.n; i++) {
		unsigned parts = h->items.at[i].parts;

		h->items.at[i].slot = (uint32_t)h->kinds.n;
		if (parts & PART_COUNT)
			vec_push(&h->kinds, SLOT_COUNT);
		if (parts & PART_REAL)
			vec_push(&h->kinds, SLOT_REAL);
		if (parts & PART_TEXT)
			vec_push(&h->kinds, SLOT_TEXT);
		if (parts & PART_TEXT2)
			vec_push(&h->kinds, SLOT_TEXT);
	}
	h->slots = h->kinds.n + h->bgp * BGP_SLOTS + h->nccl * NCCL_SLOTS;
}

size_t shape_head(const struct shape *h)
{
	return HEAD_SLOTS + h->ports.n;
}

/* Facts are the collector's: they stay with it. */
static bool written(const struct obs_item *it)
{
	return it->kind < OBS_FACT;
}

static uint64_t mixed(uint64_t hash, uint64_t v)
{
	/* splitmix64's finaliser */
	hash ^= v + UINT64_C(0x9e3779b97f4a7c15) + (hash << 6) + (hash >> 2);
	hash = (hash ^ (hash >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	return hash ^ (hash >> 27);
}

static uint64_t shape_hash(const struct shape *h)
{
	uint64_t hash = mixed(h->bgp, h->nccl);

	for (size_t i = 0; i < h->ports.n; i++)
		for (const char *p = h->ports.at[i].name; *p; p++)
			hash = hash * 31 + (unsigned char)*p;
	for (size_t i = 0; i < h->items.n; i++)
		hash = mixed(hash, h->items.at[i].key);
	for (unsigned i = 0; i < GROUP_COUNT; i++)
		hash = mixed(hash, h->refresh_ms[i]);
	for (unsigned i = 0; i < COUNTER_COUNT; i++)
		hash = h->narrow[i] ? mixed(hash, i) : hash;
	return hash;
}

struct shape *shape_of(const struct obs *o)
{
	struct shape *h = mem_calloc(1, sizeof(*h));

	vec_reserve(&h->ports, o->ports.n);
	vec_reserve(&h->items, o->items.n);
	for (size_t i = 0; i < o->ports.n; i++) {
		struct shape_port *p = vec_add(&h->ports);

		memcpy(p->name, o->ports.at[i].name, sizeof(p->name));
	}
	for (size_t i = 0; i < o->items.n; i++)
		if (written(&o->items.at[i]))
			vec_push(
				&h->items, (struct shape_item){.key = shape_key_of(&o->items.at[i]),
						   .parts = coder_kinds[o->items.at[i].kind].parts,
						   .known = true});
	memcpy(h->refresh_ms, o->refresh_ms, sizeof(h->refresh_ms));
	memcpy(h->narrow, o->narrow, sizeof(h->narrow));
	h->bgp = o->bgp.n;
	h->nccl = o->nccl.n;
	number_slots(h);
	h->hash = shape_hash(h);
	return h;
}

bool shape_heads_fit(const struct shape *h, const struct obs *o)
{
	if (h->ports.n != o->ports.n || h->bgp != o->bgp.n || h->nccl != o->nccl.n ||
		memcmp(h->refresh_ms, o->refresh_ms, sizeof(h->refresh_ms)) != 0 ||
		memcmp(h->narrow, o->narrow, sizeof(h->narrow)) != 0)
		return false;
	for (size_t i = 0; i < o->ports.n; i++)
		if (strcmp(h->ports.at[i].name, o->ports.at[i].name) != 0)
			return false;
	return true;
}

bool shape_fits(const struct shape *h, const struct obs *o)
{
	size_t at = 0;

	if (!shape_heads_fit(h, o))
		return false;
	for (size_t i = 0; i < o->items.n; i++) {
		if (!written(&o->items.at[i]))
			continue;
		if (at >= h->items.n || h->items.at[at++].key != shape_key_of(&o->items.at[i]))
			return false;
	}
	return at == h->items.n;
}

bool shape_equal(const struct shape *a, const struct shape *b)
{
	if (a->ports.n != b->ports.n || a->items.n != b->items.n || a->bgp != b->bgp ||
		a->nccl != b->nccl ||
		memcmp(a->refresh_ms, b->refresh_ms, sizeof(a->refresh_ms)) != 0 ||
		memcmp(a->narrow, b->narrow, sizeof(a->narrow)) != 0)
		return false;
	for (size_t i = 0; i < a->ports.n; i++)
		if (strcmp(a->ports.at[i].name, b->ports.at[i].name) != 0)
			return false;
	for (size_t i = 0; i < a->items.n; i++)
		if (a->items.at[i].key != b->items.at[i].key)
			return false;
	return true;
}

/* ---- as bytes ---- */

struct wire_item {
	uint32_t kind, what, sub, code;
	int64_t port; /* one up from the item before's; 0 stands for the device */
};

static void visit_wire(struct state *s, struct wire_item *w)
{
	state_below(s, &w->kind, CODER_NAMES_MAX);
	state_i64(s, &w->port);
	state_below(s, &w->what, CODER_NAMES_MAX);
	state_below(s, &w->sub, 256);
	state_below(s, &w->code, 256);
}

static struct wire_item to_wire(const struct shape_item *h)
{
	struct obs_item it = shape_unkey(h->key);
	struct wire_item w = {
		.kind = it.kind, .port = it.port == OBS_NO_PORT ? 0 : (int64_t)it.port + 1};
	unsigned sub = 0;

	switch ((enum item_about)coder_kinds[it.kind].about) {
	case ABOUT_COUNTER:
		w.what = (uint32_t)counter_of_cell(it.cell, &sub);
		w.sub = sub;
		w.code = it.code;
		break;
	case ABOUT_ATTR:
	case ABOUT_EVENT:
		w.what = it.code;
		w.sub = it.sub;
		break;
	default:
		w.code = it.code;
		break;
	}
	return w;
}

static uint16_t mapped(const struct code_map *map, uint32_t there)
{
	return there < map->n ? map->here[there] : UNKNOWN_HERE;
}

static bool counter_from_wire(
	struct obs_item *it, const struct wire_item *w, const struct code_maps *maps)
{
	uint16_t id = mapped(&maps->counters, w->what);
	bool gauge = it->kind == OBS_GAUGE;

	if (id == UNKNOWN_HERE || w->sub >= counter_dim_size((enum counter_id)id) ||
		it->port == OBS_NO_PORT)
		return false;
	it->cell = counter_cell((enum counter_id)id, w->sub);
	it->code = (uint8_t)w->code;
	/* A reading here may have been a count there. */
	return it->kind == OBS_VALID ? w->code <= VALID_RESET
				     : gauge == (counter_info[id].kind == KIND_GAUGE);
}

static bool from_wire(struct obs_item *it, const struct wire_item *w, const struct code_maps *maps)
{
	uint16_t id;

	switch ((enum item_about)coder_kinds[it->kind].about) {
	case ABOUT_COUNTER:
		return counter_from_wire(it, w, maps);
	case ABOUT_ATTR:
	case ABOUT_EVENT:
		id = mapped(it->kind == OBS_EVENT ? &maps->events : &maps->attrs, w->what);
		it->code = (uint8_t)id;
		it->sub = (uint8_t)w->sub;
		return id != UNKNOWN_HERE && w->sub <= PRIORITIES &&
		       (it->kind == OBS_EVENT || w->sub < PRIORITIES);
	default:
		it->code = (uint8_t)w->code;
		return it->kind != OBS_CAPABILITY || w->code <= VALID_RESET;
	}
}

static void load_item(struct state *s, struct shape *h, const struct code_maps *maps, int64_t *port)
{
	struct shape_item *item = vec_add(&h->items);
	struct wire_item w = {0};
	struct obs_item it = {0};
	uint16_t kind;

	visit_wire(s, &w);
	/* Unsigned: what is loaded must not overflow. */
	*port = (int64_t)((uint64_t)*port + (uint64_t)w.port);
	if (*port < 0 || *port > (int64_t)h->ports.n || w.kind >= maps->kinds.n) {
		s->bad = true;
		return;
	}
	it.port = *port ? (uint32_t)(*port - 1) : OBS_NO_PORT;
	item->parts = maps->parts[w.kind];
	kind = mapped(&maps->kinds, w.kind);
	if (kind >= OBS_FACT)
		return;
	it.kind = (uint8_t)kind;
	item->known = from_wire(&it, &w, maps);
	item->key = shape_key_of(&it);
}

static void save_items(struct state *s, const struct shape *h)
{
	int64_t port = 0;

	for (size_t i = 0; i < h->items.n; i++) {
		struct wire_item w = to_wire(&h->items.at[i]);
		int64_t at = w.port;

		w.port = at - port;
		port = at;
		visit_wire(s, &w);
	}
}

/* The tables that are mostly empty: pairs of index and value. */
static void save_rare(struct state *s, const struct shape *h)
{
	size_t n = 0;

	for (uint32_t i = 0; i < GROUP_COUNT; i++)
		n += h->refresh_ms[i] != 0;
	state_count(s, &n, CODER_NAMES_MAX);
	for (uint32_t i = 0; i < GROUP_COUNT; i++) {
		uint32_t ms = h->refresh_ms[i], id = i;

		if (ms)
			state_u32(s, &id), state_u32(s, &ms);
	}
	n = 0;
	for (uint32_t i = 0; i < COUNTER_COUNT; i++)
		n += h->narrow[i];
	state_count(s, &n, CODER_NAMES_MAX);
	for (uint32_t i = 0; i < COUNTER_COUNT; i++) {
		uint32_t id = i;

		if (h->narrow[i])
			state_u32(s, &id);
	}
}

static void load_rare(struct state *s, struct shape *h, const struct code_maps *maps)
{
	size_t n = 0;

	state_count(s, &n, CODER_NAMES_MAX);
	for (size_t i = 0; i < n && !s->bad; i++) {
		uint32_t id = 0, ms = 0;

		state_u32(s, &id);
		state_u32(s, &ms);
		if (mapped(&maps->groups, id) != UNKNOWN_HERE)
			h->refresh_ms[mapped(&maps->groups, id)] = ms;
	}
	n = 0;
	state_count(s, &n, CODER_NAMES_MAX);
	for (size_t i = 0; i < n && !s->bad; i++) {
		uint32_t id = 0;

		state_u32(s, &id);
		if (mapped(&maps->counters, id) != UNKNOWN_HERE)
			h->narrow[mapped(&maps->counters, id)] = true;
	}
}

void shape_save(struct state *s, const struct shape *h)
{
	size_t ports = h->ports.n, items = h->items.n, bgp = h->bgp, nccl = h->nccl;

	state_count(s, &ports, CODER_PORTS_MAX);
	for (size_t i = 0; i < ports; i++)
		state_text(s, h->ports.at[i].name, NAME_MAX_LEN);
	state_count(s, &items, CODER_ITEMS_MAX);
	save_items(s, h);
	state_u64(s, &(uint64_t){bgp});
	state_u64(s, &(uint64_t){nccl});
	save_rare(s, h);
}

struct shape *shape_load(struct state *s, const struct code_maps *maps)
{
	struct shape *h = mem_calloc(1, sizeof(*h));
	size_t n = 0;
	int64_t port = 0;
	uint64_t bgp = 0, nccl = 0;

	state_count(s, &n, CODER_PORTS_MAX);
	for (size_t i = 0; i < n && !s->bad; i++) {
		char name[NAME_MAX_LEN] = "";
		struct shape_port *p = vec_add(&h->ports);

		state_text(s, name, sizeof(name));
		(void)str_sanitise(p->name, sizeof(p->name), name, strlen(name));
		s->bad |= !p->name[0];
	}
	n = 0;
	state_count(s, &n, CODER_ITEMS_MAX);
	for (size_t i = 0; i < n && !s->bad; i++)
		load_item(s, h, maps, &port);
	state_u64(s, &bgp);
	state_u64(s, &nccl);
	s->bad |= bgp > CODER_BGP_MAX || nccl > OBS_NCCL_MAX;
	load_rare(s, h, maps);
	if (s->bad) {
		shape_free(h);
		return NULL;
	}
	h->bgp = (size_t)bgp;
	h->nccl = (size_t)nccl;
	number_slots(h);
	return h;
}
