/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "archive/codec/batch_codec_internal.h"
#include "base/clock.h"
#include "base/str.h"
#include "fabric/model/model.h"
#include "fabric/vocabulary/counters.h"
#include "tests/archive/support/obs_make.h"

#define T0 (INT64_C(1763726000) * CLOCK_SEC)

struct rig {
	struct coder *out, *in;
	struct buf bytes;
	size_t read;
};

static void rig_open(struct rig *r)
{
	*r = (struct rig){.out = coder_new(), .in = coder_new()};
	buf_init(&r->bytes, 256U << 20);
}

static void rig_close(struct rig *r)
{
	coder_free(r->out);
	coder_free(r->in);
	buf_free(&r->bytes);
}

static size_t save(struct rig *r, struct entry *e)
{
	struct state s;
	size_t was = r->bytes.len;

	state_saves(&s, &r->bytes);
	assert_true(coder_entry(r->out, &s, e));
	return r->bytes.len - was;
}

static struct entry load(struct rig *r)
{
	struct state s;
	struct entry e;

	state_loads(&s, r->bytes.data + r->read, r->bytes.len - r->read);
	assert_true(coder_entry(r->in, &s, &e));
	r->read = r->bytes.len - (size_t)(s.end - s.at);
	return e;
}

/* The queue of a recording is bounded by the weight of its entries. */
static void an_entry_weighs_all_that_it_owns(void **unused)
{
	struct obs *o = obs_make_poll("leaf-0", 4, 1, T0);
	struct entry e = {.kind = ENTRY_OBS, .t_us = T0, .obs = o};
	size_t bare = entry_bytes(&e), judge;

	(void)unused;
	assert_true(bare > o->items.n * sizeof(*o->items.at) + o->strings.n);
	o->raw = mem_calloc(1, 5000);
	o->raw_len = 5000;
	assert_int_equal(entry_bytes(&e), bare + 5000);
	o->asked = mem_strdup("show interfaces");
	assert_int_equal(entry_bytes(&e), bare + 5000 + sizeof("show interfaces"));
	entry_free(&e);
	e.kind = ENTRY_JUDGE;
	judge = entry_bytes(&e);
	assert_int_equal(judge, sizeof(e));
}

/* Saves the batch, loads it, compares; gives back its size. */
static size_t trip(struct rig *r, struct obs *o, int64_t t_us)
{
	struct entry e = {.kind = ENTRY_OBS, .t_us = t_us, .obs = o}, got;
	size_t n = save(r, &e);

	got = load(r);
	assert_int_equal(got.kind, ENTRY_OBS);
	assert_true(got.t_us == t_us);
	obs_assert_equal(o, got.obs);
	entry_free(&got);
	return n;
}

static void anything_comes_back(void **unused)
{
	struct rig r;
	struct dice d = {1};

	(void)unused;
	rig_open(&r);
	for (unsigned i = 0; i < 4000; i++) {
		int64_t t = T0 + (int64_t)i * 10000;
		struct obs *o = obs_make_any(&d, t);

		(void)trip(&r, o, t);
		obs_free(o);
	}
	assert_int_equal(r.read, r.bytes.len);
	rig_close(&r);
}

/* From here on the reader is a new one. */
static void begin_run(struct rig *r)
{
	coder_run(r->out);
	coder_free(r->in);
	r->in = coder_new();
	r->read = r->bytes.len;
}

/* The batch of that seed with counters that grew. naming: one item of so many is left out; 0: none.
 */
static struct obs *again(uint64_t seed, int64_t t_us, struct dice *d, unsigned naming)
{
	struct dice same = {seed};
	struct obs *o = obs_make_any(&same, t_us);
	size_t n = 0;

	o->unchanged_rest = naming != 0;
	for (size_t i = 0; i < o->items.n; i++) {
		struct obs_item *it = &o->items.at[i];

		if (naming && dice_below(d, naming))
			continue;
		if (it->kind == OBS_COUNT)
			it->u64 += dice_below(d, 3);
		o->items.at[n++] = *it;
	}
	o->items.n = n;
	for (size_t i = 0; i < o->ports.n; i++)
		o->ports.at[i].sample_us += dice_below(d, 2);
	for (size_t i = 0; i < o->bgp.n; i++)
		o->bgp.at[i].prefixes += dice_below(d, 2);
	return o;
}

/* Whole ones, parts of these, and new runs, as they come. */
static void parts_come_back_in_any_run(void **unused)
{
	uint64_t seeds[16] = {0};
	struct dice d = {11};
	struct rig r;

	(void)unused;
	rig_open(&r);
	for (unsigned i = 0; i < 6000; i++) {
		int64_t t = T0 + (int64_t)i * 10000;
		uint64_t *seed = &seeds[dice_below(&d, 16)];
		unsigned naming = dice_below(&d, 5);
		struct obs *o;

		if (!*seed || dice_below(&d, 20) == 0)
			*seed = dice_roll(&d), naming = 0;
		if (dice_below(&d, 50) == 0)
			begin_run(&r);
		o = again(*seed, t, &d, naming);
		o->number = i;
		(void)trip(&r, o, t);
		obs_free(o);
	}
	assert_int_equal(r.read, r.bytes.len);
	rig_close(&r);
}

static void other_entries_come_back(void **unused)
{
	struct rig r;
	struct entry e = {.kind = ENTRY_JUDGE, .t_us = T0}, got;

	(void)unused;
	rig_open(&r);
	(void)save(&r, &e);
	e = (struct entry){.kind = ENTRY_MARK, .t_us = T0 - 7, .text = "deploy"};
	(void)save(&r, &e);
	e = (struct entry){.kind = ENTRY_ACK,
		.t_us = T0 + 9,
		.key = UINT64_MAX,
		.until_us = T0 + 3600,
		.user = "eva",
		.text = "known"};
	(void)save(&r, &e);
	e = (struct entry){.kind = ENTRY_TRAIL,
		.t_us = T0,
		.trail = {.t_us = T0 - 1,
			.user = "eva",
			.runbook = "link-flap",
			.step = "ber",
			.target = "leaf-0:Ethernet0",
			.outcome = STEP_FAIL,
			.by_hand = true,
			.value = "3 > 1",
			.note = "see ticket"}};
	(void)save(&r, &e);
	got = load(&r);
	assert_true(got.kind == ENTRY_JUDGE && got.t_us == T0);
	got = load(&r);
	assert_true(got.kind == ENTRY_MARK && got.t_us == T0 - 7);
	assert_string_equal(got.text, "deploy");
	got = load(&r);
	assert_true(got.kind == ENTRY_ACK && got.key == UINT64_MAX && got.until_us == T0 + 3600);
	assert_string_equal(got.user, "eva");
	assert_string_equal(got.text, "known");
	got = load(&r);
	assert_memory_equal(&got.trail, &e.trail, sizeof(e.trail));
	rig_close(&r);
}

/* Constant data costs next to nothing, and two devices of a kind share a layout. */
static void repetition_is_cheap(void **unused)
{
	struct rig r;
	size_t first, twin, second;
	struct obs *o = obs_make_poll("leaf-0", 64, 1, T0);

	(void)unused;
	rig_open(&r);
	first = trip(&r, o, T0);
	obs_free(o);
	o = obs_make_poll("leaf-1", 64, 1, T0);
	twin = trip(&r, o, T0);
	obs_free(o);
	o = obs_make_poll("leaf-0", 64, 2, T0 + 5 * CLOCK_SEC);
	second = trip(&r, o, T0 + 5 * CLOCK_SEC);
	assert_true(twin * 2 < first);
	assert_true(second * 5 < first);
	/* Five numbers of 64 ports change. */
	assert_true(second < 64 * 24);
	o->received_us = o->device_us += 5 * CLOCK_SEC;
	for (size_t i = 0; i < o->ports.n; i++)
		o->ports.at[i].sample_us += 5 * CLOCK_SEC;
	assert_true(trip(&r, o, o->received_us) < 40);
	obs_free(o);
	rig_close(&r);
}

/* 64 ports, 25 numbers each, of which three are no zeros and one may be anything. */
static struct obs *mostly_zero(uint64_t n, uint64_t odd)
{
	struct obs *o = obs_new("leaf-0", "fast");
	char name[32];

	o->received_us = o->device_us = T0 + (int64_t)n * CLOCK_SEC;
	for (unsigned i = 0; i < 64; i++) {
		uint32_t p;

		(void)str_printf(name, sizeof(name), "Ethernet%u", i * 4);
		p = obs_port(o, name);
		obs_count(o, p, CTR_RX_BYTES, 0, (n << 38) + i * UINT64_C(1000003));
		for (unsigned prio = 0; prio < PRIORITIES; prio++) {
			obs_count(o, p, CTR_PFC_RX_FRAMES, prio, prio == 3 ? n : 0);
			obs_count(o, p, CTR_PFC_TX_FRAMES, prio, prio == i % 8 ? odd : 0);
			obs_count(o, p, CTR_QUEUE_DROPS, prio, 0);
		}
	}
	return o;
}

static void what_was_said_is_kept_in_few_bytes(void **unused)
{
	const uint64_t odd[] = {0, 1, 255, 256, UINT64_MAX, UINT64_C(1) << 56, UINT64_MAX >> 8, 7};
	struct rig r;
	size_t other, slots = 4 + 64 * 26;

	(void)unused;
	rig_open(&r);
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		struct obs *o = mostly_zero(i + 1, odd[i]);

		(void)trip(&r, o, o->received_us);
		obs_free(o);
	}
	/* Another batch that is as large: shape and texts are the same. */
	other = coder_bytes(r.out);
	for (unsigned i = 0; i < 4; i++) {
		struct obs *o = mostly_zero(i + 1, 1);

		(void)str_copy(o->device, sizeof(o->device), "leaf-1");
		(void)trip(&r, o, o->received_us);
		obs_free(o);
	}
	other = coder_bytes(r.out) - other;
	assert_true(other > 64 * 8);
	assert_true(other < slots * sizeof(uint64_t) / 4);
	assert_int_equal(coder_bytes(r.out), coder_bytes(r.in));
	coder_reset(r.out);
	assert_int_equal(coder_bytes(r.out), 0);
	rig_close(&r);
}

static void facts_stay_here(void **unused)
{
	struct rig r;
	struct obs *o = obs_make_poll("leaf-0", 1, 1, T0);
	struct entry e = {.kind = ENTRY_OBS, .t_us = T0, .obs = o}, got;

	(void)unused;
	rig_open(&r);
	obs_fact(o, "session", "f00ba4");
	obs_word(o, 0, ATTR_ALIAS, 0, "etp1");
	(void)save(&r, &e);
	got = load(&r);
	assert_int_equal(got.obs->items.n, o->items.n - 1);
	assert_null(memmem(r.bytes.data, r.bytes.len, "f00ba4", 6));
	entry_free(&got);
	obs_free(o);
	rig_close(&r);
}

static void reset_needs_nothing_from_before(void **unused)
{
	struct rig r;
	struct obs *o = obs_make_poll("leaf-0", 4, 1, T0);

	(void)unused;
	rig_open(&r);
	(void)trip(&r, o, T0);
	(void)trip(&r, o, T0 + 1);
	coder_reset(r.out);
	coder_free(r.in);
	r.in = coder_new();
	(void)trip(&r, o, T0 + 2);
	obs_free(o);
	rig_close(&r);
}

/* A part of a whole batch, by chance. */
static struct obs *some_of(const struct obs *whole, struct dice *d, unsigned one_in)
{
	struct obs *o = obs_new(whole->device, whole->request);

	o->received_us = whole->received_us;
	o->device_us = whole->device_us;
	o->bytes = whole->bytes;
	o->unchanged_rest = true;
	for (size_t i = 0; i < whole->ports.n; i++) {
		uint32_t port = obs_port(o, whole->ports.at[i].name);

		o->ports.at[port].sample_us = whole->ports.at[i].sample_us;
	}
	for (size_t i = 0; i < whole->items.n; i++) {
		const struct obs_item *it = &whole->items.at[i];

		if (it->kind == OBS_WORD)
			obs_word(o, it->port, (enum obs_attr)it->code, it->sub,
				obs_text(whole, it->text));
		else if (it->kind == OBS_NUMBER || dice_below(d, one_in) == 0)
			vec_push(&o->items, *it);
	}
	return o;
}

static size_t trip_some(struct rig *r, struct dice *d, unsigned n, unsigned one_in)
{
	int64_t t = T0 + n * CLOCK_SEC;
	struct obs *whole = obs_make_poll("leaf-0", 32, n, t), *o = some_of(whole, d, one_in);
	size_t size;

	o->number = n;
	size = trip(r, o, t);
	obs_free(whole);
	obs_free(o);
	return size;
}

static void what_moved_is_told_by_places(void **unused)
{
	struct rig r;
	struct dice d = {7};
	struct obs *o = obs_make_poll("leaf-0", 32, 1, T0);
	size_t whole, some;

	(void)unused;
	rig_open(&r);
	o->number = 1;
	(void)trip(&r, o, T0);
	o->number = 2;
	whole = trip(&r, o, T0 + 1);
	for (unsigned n = 3; n < 40; n++)
		(void)trip_some(&r, &d, n, 1 + n % 9);
	some = trip_some(&r, &d, 40, 1000);
	/* Words and ports are told, and that they are as before. */
	assert_true(whole < 100 && some < 500);
	/* After a reset there is no place to tell it by. */
	coder_reset(r.out);
	coder_free(r.in);
	r.in = coder_new();
	for (unsigned n = 41; n < 45; n++)
		(void)trip_some(&r, &d, n, 9);
	assert_int_equal(r.out->layouts.n, 0);
	o->number = 45;
	(void)trip(&r, o, T0 + 100 * CLOCK_SEC);
	(void)trip_some(&r, &d, 46, 9);
	assert_int_equal(r.out->layouts.n, 1);
	obs_free(o);
	rig_close(&r);
}

/* The writer knows the layout from another run: it tells it once, then the parts. */
static void what_moved_has_its_place_in_the_next_run(void **unused)
{
	struct rig r;
	struct dice d = {7};
	struct obs *o = obs_make_poll("leaf-0", 32, 1, T0);
	size_t first, next;

	(void)unused;
	rig_open(&r);
	(void)trip(&r, o, T0);
	for (unsigned n = 2; n < 20; n += 3) {
		begin_run(&r);
		first = trip_some(&r, &d, n, 1000);
		next = trip_some(&r, &d, n + 1, 1000);
		assert_true(next < 500 && next * 4 < first);
		assert_int_equal(r.in->layouts.n, 1);
		(void)trip_some(&r, &d, n + 2, 3);
	}
	begin_run(&r);
	o->ports.at[0].sample_us++;
	(void)trip(&r, o, T0 + CLOCK_SEC);
	assert_int_equal(r.out->layouts.n, 1);
	obs_free(o);
	rig_close(&r);
}

/* Shapes that no stream has any more go with the run, and streams that say nothing after some. */
static void what_is_not_used_is_forgotten(void **unused)
{
	struct rig r;
	struct obs *o = obs_make_poll("leaf-1", 2, 1, T0);
	size_t bytes;
	unsigned runs = 0;

	(void)unused;
	rig_open(&r);
	(void)trip(&r, o, T0);
	obs_free(o);
	for (unsigned ports = 1; ports < 40; ports++) {
		o = obs_make_poll("leaf-0", ports, 1, T0);
		(void)trip(&r, o, T0);
		obs_free(o);
	}
	assert_int_equal(r.out->layouts.n, 39);
	bytes = coder_bytes(r.out);
	begin_run(&r);
	assert_int_equal(r.out->layouts.n, 2);
	assert_true(coder_bytes(r.out) < bytes / 8);
	for (; r.out->streams.n == 2 && runs < 100; runs++) {
		o = obs_make_poll("leaf-0", 39, runs, T0);
		(void)trip(&r, o, T0);
		obs_free(o);
		begin_run(&r);
	}
	assert_in_range(runs, 20, 40);
	assert_int_equal(r.out->layouts.n, 1);
	rig_close(&r);
}

/* An item that the whole one did not have has no place in it. */
static void what_is_new_is_told_in_full(void **unused)
{
	struct rig r;
	struct obs *o = obs_make_poll("leaf-0", 2, 1, T0), *more = obs_new("leaf-0", "fast");

	(void)unused;
	rig_open(&r);
	(void)trip(&r, o, T0);
	more->unchanged_rest = true;
	for (size_t i = 0; i < o->ports.n; i++)
		(void)obs_port(more, o->ports.at[i].name);
	obs_count(more, 0, CTR_RX_SYMBOL_ERRORS, 0, 9);
	obs_count(more, 0, CTR_RX_BYTES, 0, 9);
	(void)trip(&r, more, T0 + 1);
	(void)trip(&r, o, T0 + 2);
	obs_free(o);
	obs_free(more);
	rig_close(&r);
}

/* Names of another version are left out, and the rest is not disturbed. */
static void unknown_names_are_left_out(void **unused)
{
	struct rig r;
	struct obs *o = obs_new("leaf-0", "fast");
	struct entry e = {.kind = ENTRY_OBS, .t_us = T0, .obs = o}, got;
	uint32_t port = obs_port(o, "Ethernet0");
	char *p;

	(void)unused;
	rig_open(&r);
	obs_count(o, port, CTR_RX_BYTES, 0, 17);
	obs_count(o, port, CTR_RX_ERRORS, 0, 18);
	obs_word(o, port, ATTR_ALIAS, 0, "etp1");
	obs_word(o, port, ATTR_FEC, 0, "rs");
	obs_event(o, port, EV_LOG, 5, "a line");
	obs_lldp(o, port, "spine-0", "swp1");
	(void)save(&r, &e);
	p = memmem(r.bytes.data, r.bytes.len, "rx_bytes", 8);
	assert_non_null(p);
	p[0] = 'q';
	p = memmem(r.bytes.data, r.bytes.len, "alias", 5);
	assert_non_null(p);
	p[0] = 'q';
	p = memmem(r.bytes.data, r.bytes.len, "event", 5);
	while (p && p[5] != '\n' && memcmp(p - 1, "\005event", 6) != 0)
		p = memmem(p + 1, r.bytes.len - (size_t)(p + 1 - r.bytes.data), "event", 5);
	assert_non_null(p);
	p[0] = 'q';
	got = load(&r);
	assert_int_equal(got.obs->items.n, 3);
	assert_int_equal(got.obs->items.at[0].cell, CELL_RX_ERRORS);
	assert_true(got.obs->items.at[0].u64 == 18);
	assert_int_equal(got.obs->items.at[1].code, ATTR_FEC);
	assert_string_equal(obs_text(got.obs, got.obs->items.at[1].text), "rs");
	assert_int_equal(got.obs->items.at[2].kind, OBS_LLDP);
	assert_string_equal(obs_text(got.obs, got.obs->items.at[2].text2), "swp1");
	entry_free(&got);
	obs_free(o);
	rig_close(&r);
}

static void every_name_is_there_once(void **unused)
{
	(void)unused;
	for (unsigned i = 0; i < OBS_ATTR_COUNT; i++) {
		assert_non_null(coder_attrs[i]);
		for (unsigned k = 0; k < i; k++)
			assert_string_not_equal(coder_attrs[i], coder_attrs[k]);
	}
	for (unsigned i = 0; i < GROUP_COUNT; i++)
		assert_non_null(coder_groups[i]);
}

/* Both models must say the same afterwards. */
static void applies_as_the_original(void **unused)
{
	struct rig r;
	struct dice d = {7};
	struct plan plan;
	struct model *a, *b;

	(void)unused;
	rig_open(&r);
	plan_init(&plan);
	a = model_new(&plan);
	b = model_new(&plan);
	for (unsigned i = 0; i < 600; i++) {
		int64_t t = T0 + (int64_t)i * CLOCK_SEC;
		struct obs *o = i % 2 ? obs_make_any(&d, t) : obs_make_poll("leaf-0", 8, i, t);
		struct entry e = {.kind = ENTRY_OBS, .t_us = t, .obs = o}, got;

		(void)save(&r, &e);
		got = load(&r);
		model_apply(a, o, t);
		model_apply(b, got.obs, t);
		(void)model_age(a, t);
		(void)model_age(b, t);
		entry_free(&got);
		obs_free(o);
	}
	model_links(a);
	model_links(b);
	assert_int_equal(a->ports.n, b->ports.n);
	assert_int_equal(a->devices.n, b->devices.n);
	assert_true(a->event_seq == b->event_seq);
	assert_memory_equal(a->events, b->events, EVENT_RING * sizeof(*a->events));
	model_free(a);
	model_free(b);
	plan_free(&plan);
	rig_close(&r);
}

/* Loads until it ends or refuses, and touches all texts, so that a sanitizer sees them. */
static unsigned load_hostile(const char *bytes, size_t n)
{
	struct coder *c = coder_new();
	struct state s;
	struct entry e;
	unsigned loaded = 0;

	state_loads(&s, bytes, n);
	while (s.at < s.end && coder_entry(c, &s, &e)) {
		for (size_t i = 0; e.obs && i < e.obs->items.n; i++)
			assert_non_null(obs_text(e.obs, e.obs->items.at[i].text));
		entry_free(&e);
		loaded++;
	}
	coder_free(c);
	return loaded;
}

/* Cut anywhere, and with some bytes that are others. */
static void harm(const struct rig *r, struct dice *d, unsigned entries)
{
	char *copy = mem_alloc(r->bytes.len);

	assert_int_equal(load_hostile(r->bytes.data, r->bytes.len), entries);
	for (size_t n = 0; n < r->bytes.len; n++)
		assert_true(load_hostile(r->bytes.data, n) < entries);
	for (unsigned i = 0; i < 20000; i++) {
		memcpy(copy, r->bytes.data, r->bytes.len);
		for (unsigned k = 1 + dice_below(d, 3); k; k--)
			copy[dice_below(d, (unsigned)r->bytes.len)] = (char)dice_roll(d);
		(void)load_hostile(copy, r->bytes.len);
	}
	free(copy);
}

static void hostile_bytes_do_no_harm(void **unused)
{
	struct rig r;
	struct dice d = {99};

	(void)unused;
	rig_open(&r);
	for (unsigned i = 0; i < 12; i++) {
		struct obs *o = i % 3 ? obs_make_any(&d, T0 + i) : obs_make_poll("x", 2, i, T0);
		struct entry e = {.kind = ENTRY_OBS, .t_us = T0 + i, .obs = o};

		(void)save(&r, &e);
		obs_free(o);
	}
	harm(&r, &d, 12);
	rig_close(&r);
}

/* The same for batches of changes, in a run without a whole batch. */
static void hostile_places_do_no_harm(void **unused)
{
	struct rig r;
	struct dice d = {98};

	(void)unused;
	rig_open(&r);
	for (unsigned i = 0; i < 12; i++) {
		struct obs *whole = obs_make_poll(i % 2 ? "x" : "y", 3, i, T0 + i);
		struct obs *o = some_of(whole, &d, i < 2 ? 1 : 4);
		struct entry e = {.kind = ENTRY_OBS, .t_us = T0 + i, .obs = o};

		o->unchanged_rest = i >= 2;
		(void)save(&r, &e);
		obs_free(whole);
		obs_free(o);
		if (i != 1)
			continue;
		coder_run(r.out);
		buf_reset(&r.bytes);
	}
	harm(&r, &d, 10);
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_entry_weighs_all_that_it_owns),
		cmocka_unit_test(anything_comes_back),
		cmocka_unit_test(parts_come_back_in_any_run),
		cmocka_unit_test(other_entries_come_back),
		cmocka_unit_test(repetition_is_cheap),
		cmocka_unit_test(what_was_said_is_kept_in_few_bytes),
		cmocka_unit_test(facts_stay_here),
		cmocka_unit_test(reset_needs_nothing_from_before),
		cmocka_unit_test(what_moved_is_told_by_places),
		cmocka_unit_test(what_moved_has_its_place_in_the_next_run),
		cmocka_unit_test(what_is_not_used_is_forgotten),
		cmocka_unit_test(what_is_new_is_told_in_full),
		cmocka_unit_test(unknown_names_are_left_out),
		cmocka_unit_test(every_name_is_there_once),
		cmocka_unit_test(applies_as_the_original),
		cmocka_unit_test(hostile_bytes_do_no_harm),
		cmocka_unit_test(hostile_places_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
