/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/state/state.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"
#include "tests/fabric/model/drive.h"
#include "tests/fabric/model/feed.h"
#include "tests/support/cases.h"
#include "tests/support/plan_make.h"
#include "tests/support/effort.h"

#define MOST ((size_t)64 << 20)

/* ---- as bytes ---- */

static struct buf save(struct model *m)
{
	struct buf b;
	struct state s;

	buf_init(&b, MOST);
	state_saves(&s, &b);
	for (size_t i = 0; i < model_state_steps(m); i++)
		assert_true(model_state_step(&s, m, i));
	return b;
}

typedef void rewriter(void *ctx, char *text, size_t size);

/* NULL when it was refused. */
static struct model *try_load(const void *bytes, size_t n, rewriter *rewrite)
{
	struct model *m = feed_new();
	struct state s;
	bool fine = true;

	state_loads(&s, bytes, n);
	s.rewrite = rewrite;
	for (size_t i = 0; fine && i < model_state_steps(m); i++)
		fine = model_state_step(&s, m, i);
	if (fine && state_ended(&s) && model_state_loaded(m))
		return m;
	model_free(m);
	return NULL;
}

static struct model *load(const struct buf *b)
{
	struct model *m = try_load(b->data, b->len, NULL);

	assert_non_null(m);
	return m;
}

static struct buf save_histories(struct model *m, bool all)
{
	struct buf b;
	struct state s;

	buf_init(&b, MOST);
	state_saves(&s, &b);
	for (size_t i = 0; i < model_state_steps(m); i++)
		assert_true(model_history_step(&s, m, i, all));
	return b;
}

static bool load_histories(struct model *m, const struct buf *b, bool all)
{
	struct state s;

	state_loads(&s, b->data, b->len);
	for (size_t i = 0; i < model_state_steps(m); i++)
		if (!model_history_step(&s, m, i, all))
			return false;
	return state_ended(&s);
}

static void assert_same_bytes(struct buf *a, struct buf *b)
{
	size_t at = 0;

	while (at < a->len && at < b->len && a->data[at] == b->data[at])
		at++;
	if (a->len != b->len || at < a->len)
		fail_msg("%zu and %zu bytes, alike up to %zu", a->len, b->len, at);
	buf_free(a);
	buf_free(b);
}

static void assert_same(struct model *a, struct model *b)
{
	struct buf x = save(a), y = save(b);

	assert_same_bytes(&x, &y);
	x = save_histories(a, true);
	y = save_histories(b, true);
	assert_same_bytes(&x, &y);
}

static struct model *copy(struct model *m)
{
	struct buf b = save(m), h = save_histories(m, true);
	struct model *c = load(&b);

	assert_true(load_histories(c, &h, true));
	buf_free(&b);
	buf_free(&h);
	return c;
}

/* ---- driven at random ---- */

static void turn_marks(struct drive *d, struct model *m)
{
	unsigned what = drive_random(d, 200);
	struct err err;

	if (what == 0)
		(void)model_mark(m, "", d->now_us, &err);
	else if (what == 1)
		(void)model_unmark(m, "", &err);
}

/* The same to both; b may be NULL. */
static void run(struct drive *d, struct model *a, struct model *b, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		struct obs *o = drive_next(d);
		struct drive was;

		model_apply(a, o, d->now_us);
		if (b)
			model_apply(b, o, d->now_us);
		obs_free(o);
		was = *d;
		turn_marks(d, a);
		if (b)
			turn_marks(&was, b);
		if (i % 7)
			continue;
		(void)model_age(a, d->now_us);
		model_links(a);
		if (!b)
			continue;
		(void)model_age(b, d->now_us);
		model_links(b);
	}
}

CASE(test_saved_again_is_the_same)
{
	struct model *m = feed_new();
	struct drive d;

	drive_init(&d, 1);
	for (unsigned i = 0; i < 25; i++) {
		struct model *c = copy(m);

		assert_same(m, c);
		model_free(c);
		run(&d, m, NULL, 400);
	}
	assert_true(m->event_seq > EVENT_RING);
	assert_true(m->nccl->comms.n > 4);
	model_free(m);
}

CASE(test_goes_on_as_the_other)
{
	for (uint64_t seed = 2; seed < 8; seed++) {
		struct model *m = feed_new(), *c;
		struct drive d;

		drive_init(&d, seed);
		run(&d, m, NULL, (unsigned)seed * 400);
		c = copy(m);
		for (unsigned i = 0; i < 8; i++) {
			run(&d, m, c, 250);
			assert_same(m, c);
		}
		model_free(c);
		model_free(m);
	}
}

/* A planned port that came under another name, and changes that name later. */
CASE(test_a_merged_port_stays_one)
{
	struct model *m = feed_new(), *c;
	struct obs *o = feed_batch();
	struct drive d;

	obs_word(o, obs_port(o, "etp7"), ATTR_ALIAS, 0, "Ethernet12");
	feed(m, o, 1);
	c = copy(m);
	assert_same(m, c);
	assert_int_equal(feed_port(c, "leaf-r0-00", "Ethernet12")->id,
		feed_port(m, "leaf-r0-00", "etp7")->id);
	assert_int_equal(feed_port(c, "leaf-r0-00", "etp7")->plan_peer,
		feed_port(c, "spine-000", "Ethernet1/1")->id);
	for (int i = 0; i < 2; i++) {
		o = feed_batch();
		obs_word(o, obs_port(o, "etp7"), ATTR_ALIAS, 0, "another");
		feed(i ? c : m, o, 2);
	}
	assert_same(m, c);
	drive_init(&d, 20);
	run(&d, m, c, 500);
	assert_same(m, c);
	model_free(c);
	model_free(m);
}

CASE(test_rates_and_events_are_the_same)
{
	struct model *m = feed_new(), *c;
	struct drive d;

	drive_init(&d, 9);
	run(&d, m, NULL, 1000);
	c = copy(m);
	run(&d, m, c, 1000);
	assert_int_equal(m->event_seq, c->event_seq);
	for (size_t i = 0; model_event(m, i); i++)
		assert_string_equal(model_event(m, i)->text, model_event(c, i)->text);
	for (size_t i = 0; i < m->ports.n; i++)
		for (unsigned id = 0; id < COUNTER_COUNT; id++) {
			double x = port_rate(m->ports.at[i], (enum counter_id)id, 0);
			double y = port_rate(c->ports.at[i], (enum counter_id)id, 0);

			assert_true((isnan(x) && isnan(y)) || (x >= y && x <= y));
		}
	model_free(c);
	model_free(m);
}

/* ---- histories ---- */

/* Which blocks go, and when, is part of the state: a replay has the history that was live. */
CASE(test_a_budget_is_kept_alike)
{
	unsigned squeezed = 0;

	for (uint64_t seed = 30; seed < 34; seed++) {
		struct model *m = feed_new(), *c;
		struct buf whole, part, b;
		struct drive d;

		history_set_budget(m, seed < 33 ? 9000 : 0); /* 0: as many as there are ports */
		drive_init(&d, seed);
		run(&d, m, NULL, 3000);
		whole = save_histories(m, true);
		run(&d, m, NULL, 400);
		part = save_histories(m, false);
		b = save(m);
		c = load(&b);
		assert_true(load_histories(c, &whole, true));
		assert_true(load_histories(c, &part, false));
		assert_int_equal(history_status(c).used, history_status(m).used);
		assert_int_equal(history_status(c).budget, history_status(m).budget);
		for (unsigned i = 0; i < 6; i++) {
			assert_same(m, c);
			run(&d, m, c, 300);
			squeezed += history_status(m).squeeze;
		}
		assert_same(m, c);
		buf_free(&whole);
		buf_free(&part);
		buf_free(&b);
		model_free(c);
		model_free(m);
	}
	assert_true(squeezed > 0);
}

CASE(test_increments_make_the_whole)
{
	struct model *m = feed_new(), *c;
	struct drive d;
	struct buf whole, part[12], b;

	drive_init(&d, 10);
	run(&d, m, NULL, 300);
	whole = save_histories(m, true);
	for (unsigned i = 0; i < 12; i++) {
		run(&d, m, NULL, i == 5 ? 4000 : 150);
		part[i] = save_histories(m, false);
	}
	b = save(m);
	c = load(&b);
	assert_true(load_histories(c, &whole, true));
	for (unsigned i = 0; i < 12; i++) {
		assert_true(load_histories(c, &part[i], false));
		buf_free(&part[i]);
	}
	assert_same(m, c);
	buf_free(&whole);
	buf_free(&b);
	model_free(c);
	model_free(m);
}

CASE(test_an_increment_needs_what_was_before)
{
	struct model *m = feed_new(), *c;
	struct buf b, whole, lost, part;
	struct drive d;

	drive_init(&d, 11);
	run(&d, m, NULL, 300);
	whole = save_histories(m, true);
	run(&d, m, NULL, 60);
	lost = save_histories(m, false);
	run(&d, m, NULL, 60);
	part = save_histories(m, false);
	b = save(m);
	c = load(&b);
	assert_false(load_histories(c, &part, false));
	model_free(c);
	c = load(&b);
	assert_true(load_histories(c, &whole, true));
	assert_false(load_histories(c, &part, false));
	model_free(c);
	buf_free(&b);
	buf_free(&whole);
	buf_free(&lost);
	buf_free(&part);
	model_free(m);
}

CASE(test_nothing_new_is_nothing_told)
{
	struct model *m = feed_new();
	struct drive d;
	struct buf b;

	drive_init(&d, 12);
	run(&d, m, NULL, 300);
	b = save_histories(m, false);
	buf_free(&b);
	b = save_histories(m, false);
	assert_true(b.len <= m->devices.n * 2);
	buf_free(&b);
	model_free(m);
}

/* ---- hostile bytes ---- */

/* Any loaded state is a valid model. */
static void use(struct model *m)
{
	struct drive d;

	drive_init(&d, 13);
	run(&d, m, NULL, 12);
	model_links(m);
	for (size_t i = 0; model_event(m, i); i++)
		(void)model_event(m, i);
	for (size_t i = 0; i < m->ports.n; i++)
		(void)port_miswired(m, m->ports.at[i]);
	model_free(m);
}

CASE(test_every_truncation_is_refused)
{
	struct model *m = feed_new();
	struct drive d;
	struct buf b;

	drive_init(&d, 14);
	run(&d, m, NULL, 12);
	b = save(m);
	for (size_t n = 0; n < b.len; n += effort_full() ? 1 : 3)
		assert_null(try_load(b.data, n, NULL));
	use(load(&b));
	buf_free(&b);
	model_free(m);
}

CASE(test_changed_bytes_do_no_harm)
{
	struct model *m = feed_new();
	struct drive d;
	struct buf b;
	unsigned loaded = 0, rounds = effort(20000);

	drive_init(&d, 15);
	run(&d, m, NULL, 60);
	b = save(m);
	for (unsigned i = 0; i < rounds; i++) {
		size_t at = drive_random(&d, (unsigned)b.len);
		char was = b.data[at];
		struct model *c;

		b.data[at] = (char)drive_random(&d, 256);
		c = try_load(b.data, b.len, NULL);
		loaded += c != NULL;
		if (c)
			use(c);
		b.data[at] = was;
	}
	assert_true(loaded > 0 && loaded < rounds);
	buf_free(&b);
	model_free(m);
}

CASE(test_changed_histories_do_no_harm)
{
	struct model *m = feed_new(), *c;
	struct drive d;
	struct buf b, h;

	drive_init(&d, 16);
	run(&d, m, NULL, 60);
	b = save(m);
	h = save_histories(m, true);
	for (unsigned i = 0; i < effort(3000); i++) {
		size_t at = drive_random(&d, (unsigned)h.len);
		char was = h.data[at];

		h.data[at] = (char)drive_random(&d, 256);
		c = load(&b);
		if (load_histories(c, &h, i % 2))
			use(c);
		else
			model_free(c);
		h.data[at] = was;
	}
	buf_free(&b);
	buf_free(&h);
	model_free(m);
}

/* ---- other names ---- */

static void rename_all(void *ctx, char *text, size_t size)
{
	char *at;

	(void)ctx;
	(void)size;
	/* As long as it was, and in another order. */
	while ((at = strstr(text, "leaf-")))
		memcpy(at, "ZEBRA", 5);
	while ((at = strstr(text, "node0")))
		memcpy(at, "AHOST", 5);
}

CASE(test_other_names_are_found)
{
	struct model *m = feed_new(), *c;
	struct drive d;
	struct buf b, again;

	drive_init(&d, 17);
	run(&d, m, NULL, 1500);
	b = save(m);
	c = try_load(b.data, b.len, rename_all);
	assert_non_null(c);
	assert_null(model_device(c, "leaf-r0-00"));
	assert_non_null(model_device(c, "ZEBRAr0-00"));
	assert_int_equal(model_device(c, "ZEBRAr0-00")->id, model_device(m, "leaf-r0-00")->id);
	assert_non_null(model_device(c, "AHOST00"));
	for (size_t i = 0; i < c->nccl->jobs.n; i++) {
		const struct job *j = c->nccl->jobs.at[i];

		if (!job_is_free(j))
			assert_ptr_equal(nccl_job(c->nccl, j->name, NULL), j);
	}
	for (size_t i = 0; i < m->ports.n; i++)
		assert_int_equal(c->ports.at[i]->lldp_peer, m->ports.at[i]->lldp_peer);
	again = save(c);
	assert_null(memmem(again.data, again.len, "leaf-r", 6));
	buf_free(&again);
	use(c);
	buf_free(&b);
	model_free(m);
}

CASE(test_a_neighbour_of_another_name_is_no_event)
{
	struct model *m = feed_new(), *c;
	struct obs *o = feed_batch();
	struct buf b;
	uint64_t events;

	obs_lldp(o, obs_port(o, "Ethernet0"), "node000", "mlx5_0");
	feed(m, o, 1);
	b = save(m);
	c = try_load(b.data, b.len, rename_all);
	assert_non_null(c);
	events = c->event_seq;
	o = feed_batch_of("ZEBRAr0-00", "fast");
	obs_lldp(o, obs_port(o, "Ethernet0"), "", "");
	feed(c, o, 2);
	o = feed_batch_of("ZEBRAr0-00", "fast");
	obs_lldp(o, obs_port(o, "Ethernet0"), "AHOST00", "mlx5_0");
	feed(c, o, 3);
	assert_int_equal(c->event_seq, events + 1);
	assert_int_equal(feed_events(c, EV_NEIGHBOUR), 0);
	buf_free(&b);
	model_free(c);
	model_free(m);
}

/* ---- the rest ---- */

CASE(test_ports_that_were_never_seen_cost_little)
{
	struct model *m = feed_new();
	struct buf b = save(m);

	/* 4 devices, 8 ports: most of it is the tally and the fixed part of each device. */
	assert_true(b.len < 2500);
	buf_free(&b);
	model_free(m);
}

CASE(test_another_plan_is_refused)
{
	struct model *m = feed_new(), *c;
	struct plan plan;
	struct state s;
	struct buf b;

	b = save(m);
	plan_init(&plan);
	c = model_new(&plan);
	plan_free(&plan);
	state_loads(&s, b.data, b.len);
	assert_false(model_state_step(&s, c, 0));
	model_free(c);
	buf_free(&b);
	model_free(m);
}

CASE(test_the_stamp_stays)
{
	assert_int_equal(model_state_stamp(), model_state_stamp());
	assert_true(model_state_stamp() != 0);
}

/* Two devices with so many ports that their links are saved in several parts. */
/* The same bytes as in whole steps; returns how many parts they came in. */
static unsigned parts_of(struct model *m)
{
	struct buf whole = save(m), some;
	unsigned parts = 0;
	struct state s;

	buf_init(&some, MOST);
	state_saves(&s, &some);
	for (size_t i = 0; i < model_state_steps(m); i++) {
		size_t part = 0;

		do {
			assert_true(model_state_save_some(&s, m, i, &part));
			parts++;
		} while (part);
	}
	assert_same_bytes(&whole, &some);
	return parts;
}

CASE(test_parts_are_the_steps)
{
	enum { LINKS = 4000 };
	struct plan plan;
	struct model *m;

	plan_init(&plan);
	for (unsigned i = 0; i < 4; i++) {
		char name[16];

		(void)str_printf(name, sizeof(name), "leaf-%u", i);
		(void)plan_make_device(&plan, name, TIER_LEAF, -1);
	}
	for (unsigned i = 0; i < LINKS; i++) {
		struct plan_link l = {.a = i % 2, .b = 2 + i % 2, .rail = -1};

		(void)str_printf(l.a_port, sizeof(l.a_port), "Ethernet%u", i);
		(void)str_printf(l.b_port, sizeof(l.b_port), "Ethernet%u", i);
		vec_push(&plan.links, l);
	}
	m = model_new(&plan);
	assert_int_equal(m->links.n, LINKS);
	assert_true(parts_of(m) > model_state_steps(m) + 3);
	/* Links that the next reader would compute anew are saved at once. */
	m->links_dirty = true;
	assert_int_equal(parts_of(m), model_state_steps(m));
	model_free(m);
	plan_free(&plan);
}

CASES_MAIN(NULL, NULL)
