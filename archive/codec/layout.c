/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "archive/codec/batch_codec_internal.h"
#include "fabric/vocabulary/counters.h"
#include "base/str.h"

/* An item without values, with the numbers of a file. The field what is a counter, attribute or
 * event. */
struct wire_item {
	uint32_t kind, what, sub, code, port; /* port: 0 is the device, ports count from 1 */
};

static uint64_t key_of(const struct obs_item *it)
{
	return (uint64_t)it->kind | (uint64_t)it->code << 8 | (uint64_t)it->sub << 16 |
	       (uint64_t)it->cell << 24 | (uint64_t)(uint32_t)(it->port + 1) << 40;
}

static bool has_cell(unsigned kind)
{
	return kind == OBS_COUNT || kind == OBS_GAUGE || kind == OBS_VALID;
}

static struct wire_item to_wire(uint64_t key)
{
	struct obs_item it = {0};
	struct wire_item w;

	layout_item(key, &it);
	w = (struct wire_item){
		.kind = it.kind, .what = it.code, .sub = it.sub, .port = (uint32_t)(it.port + 1)};

	if (has_cell(it.kind)) {
		w.what = (uint32_t)counter_of_cell(it.cell, &w.sub);
		w.code = it.code;
	}
	return w;
}

static uint64_t from_wire(const struct wire_item *w, const struct name_maps *maps)
{
	uint16_t kind = names_map(&maps->kinds, w->kind), what = (uint16_t)w->what;
	struct obs_item it = {.kind = (uint8_t)kind, .sub = (uint8_t)w->sub, .port = w->port - 1};
	unsigned subs = 1;
	bool known = true;

	if (has_cell(kind)) {
		what = names_map(&maps->counters, w->what);
		subs = what == UNKNOWN_HERE ? 0 : counter_dim_size((enum counter_id)what);
		if (w->sub < subs)
			it.cell = counter_cell((enum counter_id)what, w->sub);
		/* A gauge of this version may be a counter in the file. */
		known = w->port &&
			(kind == OBS_VALID ? w->code <= VALID_RESET
					   : (kind == OBS_GAUGE) ==
						     (cell_info[it.cell].kind == KIND_GAUGE));
		it.sub = 0;
		what = (uint16_t)w->code;
	} else if (kind == OBS_NUMBER || kind == OBS_WORD) {
		what = names_map(&maps->attrs, w->what);
		subs = what == UNKNOWN_HERE ? 0 : obs_attr_subs((enum obs_attr)what);
	} else if (kind == OBS_EVENT) {
		what = names_map(&maps->events, w->what);
		subs = PRIORITIES + 1;
	} else {
		known = kind == OBS_LLDP || (kind == OBS_CAPABILITY && what <= VALID_RESET);
	}
	it.code = (uint8_t)what;
	return known && w->sub < subs && what <= UINT8_MAX ? key_of(&it) : KEY_UNKNOWN;
}

/* ---- words ---- */

const uint64_t *layout_keys(const struct layout *h)
{
	return h->words + LAYOUT_HEAD + h->head.ports * LAYOUT_NAME;
}

void layout_words(const struct obs *o, words *w)
{
	size_t first = LAYOUT_HEAD + o->ports.n * LAYOUT_NAME;
	struct layout_head head;

	vec_reserve(w, first + o->items.n);
	memset(w->at, 0, first * sizeof(*w->at));
	w->n = first;
	/* Facts are not recorded. */
	for (size_t i = 0; i < o->items.n; i++)
		if (o->items.at[i].kind < OBS_FACT)
			w->at[w->n++] = key_of(&o->items.at[i]);
	memset(&head, 0, sizeof(head)); /* with its padding */
	head.items = w->n - first;
	head.ports = o->ports.n;
	head.bgp = o->bgp.n;
	head.nccl = o->nccl.n;
	memcpy(head.refresh_ms, o->refresh_ms, sizeof(head.refresh_ms));
	memcpy(head.narrow, o->narrow, sizeof(head.narrow));
	memcpy(w->at, &head, sizeof(head));
	for (size_t i = 0; i < o->ports.n; i++)
		(void)str_copy((char *)(w->at + LAYOUT_HEAD + i * LAYOUT_NAME), NAME_MAX_LEN,
			o->ports.at[i].name);
}

struct column {
	uint64_t what;
	uint32_t item;
};

static int by_column(const void *a, const void *b)
{
	const struct column *x = a, *y = b;

	if (x->what != y->what)
		return x->what < y->what ? -1 : 1;
	return x->item < y->item ? -1 : x->item > y->item;
}

/* wire: the n items of the head; the order must be that of the file. */
static struct layout *make_layout(const words *w, const struct wire_item *wire, size_t n)
{
	struct layout *h = mem_calloc(1, sizeof(*h));
	struct column *column;

	memcpy(&h->head, w->at, sizeof(h->head));
	h->number = NOT_TOLD;
	h->words_n = w->n;
	h->words = mem_alloc(w->n * sizeof(*w->at));
	memcpy(h->words, w->at, w->n * sizeof(*w->at));
	h->slot = mem_calloc(n + 1, sizeof(*h->slot));
	column = mem_calloc(n + 1, sizeof(*column));
	for (uint32_t i = 0; i < n; i++)
		column[i] = (struct column){.item = i,
			.what = (uint64_t)wire[i].kind << 48 | (uint64_t)wire[i].what << 32 |
				(uint64_t)wire[i].sub << 16 | wire[i].code};
	qsort(column, n, sizeof(*column), by_column);
	for (uint32_t i = 0; i < n; i++)
		h->slot[column[i].item] = i;
	free(column);
	return h;
}

struct layout *layout_new(const words *w)
{
	struct layout_head head;
	struct wire_item *wire;
	struct layout *h;

	memcpy(&head, w->at, sizeof(head));
	wire = mem_calloc(head.items + 1, sizeof(*wire));
	for (size_t i = 0; i < head.items; i++)
		wire[i] = to_wire(w->at[w->n - head.items + i]);
	h = make_layout(w, wire, head.items);
	free(wire);
	return h;
}

void layout_free(struct layout *h)
{
	if (!h)
		return;
	free(h->words);
	free(h->slot);
	free(h);
}

size_t layout_bytes(const struct layout *h)
{
	return sizeof(*h) + h->words_n * sizeof(*h->words) + h->head.items * sizeof(*h->slot);
}

bool layout_is(const struct layout *h, const words *w)
{
	return h->words_n == w->n && memcmp(h->words, w->at, w->n * sizeof(*w->at)) == 0;
}

const char *layout_port(const struct layout *h, size_t port)
{
	return (const char *)(h->words + LAYOUT_HEAD + port * LAYOUT_NAME);
}

/* ---- as bytes ---- */

static void visit_head(struct state *s, struct layout_head *head, const struct name_maps *maps)
{
	uint64_t bgp = head->bgp, nccl = head->nccl;

	state_u64(s, &bgp);
	state_u64(s, &nccl);
	s->bad |= bgp > CODER_BGP_MAX || nccl > OBS_NCCL_MAX;
	head->bgp = (size_t)bgp;
	head->nccl = (size_t)nccl;
	for (uint32_t i = 0; i < maps->groups.n; i++) {
		uint16_t here = maps->groups.here[i];
		uint32_t other = 0;

		state_u32(s, here == UNKNOWN_HERE ? &other : &head->refresh_ms[here]);
	}
	for (uint32_t i = 0; i < maps->counters.n; i++) {
		uint16_t here = maps->counters.here[i];
		bool other = false;

		state_bool(s, here == UNKNOWN_HERE ? &other : &head->narrow[here]);
	}
	state_count(s, &head->ports, CODER_PORTS_MAX);
	state_count(s, &head->items, CODER_ITEMS_MAX);
}

static void visit_wire(struct state *s, struct wire_item *w, size_t ports, uint32_t *last)
{
	int64_t step = (int64_t)w->port - *last;

	state_i64(s, &step);
	state_below(s, &w->kind, CODER_NAMES_MAX);
	state_below(s, &w->what, CODER_NAMES_MAX);
	state_below(s, &w->sub, 256);
	state_below(s, &w->code, 256);
	s->bad |= step < -(int64_t)*last || step > (int64_t)(ports - *last);
	w->port = s->bad ? 0 : (uint32_t)(*last + step);
	*last = w->port;
}

void layout_save(struct state *s, struct layout *h, const struct name_maps *maps)
{
	uint32_t last = 0;

	visit_head(s, &h->head, maps);
	for (size_t i = 0; i < h->head.ports; i++)
		state_text(s, (char *)(h->words + LAYOUT_HEAD + i * LAYOUT_NAME), NAME_MAX_LEN);
	for (size_t i = 0; i < h->head.items; i++) {
		struct wire_item w = to_wire(layout_keys(h)[i]);

		visit_wire(s, &w, h->head.ports, &last);
	}
}

struct layout *layout_load(struct state *s, const struct name_maps *maps)
{
	struct layout_head head = {0};
	struct layout *h = NULL;
	VEC(struct wire_item) wire = {0};
	words w = {0};
	uint32_t last = 0;

	visit_head(s, &head, maps);
	if (s->bad)
		return NULL;
	w.n = w.size = LAYOUT_HEAD + head.ports * LAYOUT_NAME;
	w.at = mem_calloc(w.n, sizeof(*w.at));
	memcpy(w.at, &head, sizeof(head));
	for (size_t i = 0; i < head.ports; i++) {
		char *name = (char *)(w.at + LAYOUT_HEAD + i * LAYOUT_NAME);

		state_text(s, name, NAME_MAX_LEN);
		s->bad |= !name[0];
	}
	for (size_t i = 0; i < head.items && !s->bad; i++) {
		struct wire_item *item = vec_add(&wire);

		visit_wire(s, item, head.ports, &last);
		vec_push(&w, from_wire(item, maps));
	}
	if (!s->bad)
		h = make_layout(&w, wire.at, wire.n);
	vec_free(&wire);
	vec_free(&w);
	return h;
}

/* ---- parts ---- */

bool layout_part(const struct layout *h, const words *w, struct part *p)
{
	const uint64_t *key = layout_keys(h), *wanted;
	struct layout_head head;
	size_t items, at = 0;

	memcpy(&head, w->at, sizeof(head));
	items = head.items;
	wanted = w->at + w->n - items;
	head.items = h->head.items;
	if (memcmp(&head, &h->head, sizeof(head)) != 0 ||
		memcmp(w->at + LAYOUT_HEAD, h->words + LAYOUT_HEAD,
			head.ports * LAYOUT_NAME * sizeof(*key)) != 0)
		return false;
	vec_reserve(&p->named, head.items + 1);
	memset(p->named.at, 0, head.items + 1);
	p->slots.n = 0;
	for (size_t i = 0; i < items; i++, at++) {
		while (at < head.items && key[at] != wanted[i])
			at++;
		if (at == head.items)
			return false;
		vec_push(&p->slots, h->slot[at]);
		p->named.at[h->slot[at]] = true;
	}
	return true;
}

/* Lengths of runs in turn: slots without an item, slots with one. */
void part_visit(struct state *s, size_t items, struct part *p)
{
	bool named = false;

	vec_reserve(&p->named, items + 1);
	for (size_t at = 0; at < items && !s->bad; named = !named) {
		uint64_t n = 0;

		while (!s->loading && at + n < items && p->named.at[at + n] == named)
			n++;
		state_u64(s, &n);
		/* Only the first run may be empty: the loop must end. */
		s->bad |= n > items - at || (!n && named);
		if (s->bad)
			return;
		memset(p->named.at + at, named, (size_t)n);
		at += (size_t)n;
	}
}
