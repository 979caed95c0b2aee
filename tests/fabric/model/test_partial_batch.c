/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "fabric/state/state.h"
#include "fabric/vocabulary/counters.h"
#include "tests/fabric/model/drive.h"
#include "tests/fabric/model/feed.h"
#include "tests/support/cases.h"
#include "tests/support/effort.h"

/*
 * Two models of the same devices: one gets batches that name everything, the other only changed
 * cells. Saved, they are the same bytes.
 */

#define DEVICES  2
#define PORTS    4
#define REQUESTS 2
#define MOST     ((size_t)16 << 20)

/* A port's counters, by request: some move often, some seldom, some never. */
struct told {
	enum counter_id id;
	unsigned sub, one_in; /* moves once in this number of answers; 0: never */
};
static const struct told fast[] = {{CTR_RX_BYTES, 0, 2}, {CTR_TX_BYTES, 0, 3},
	{CTR_RX_PACKETS, 0, 2}, {CTR_RX_ERRORS, 0, 40}, {CTR_TX_ERRORS, 0, 0},
	{CTR_RX_DISCARDS, 0, 60}, {CTR_RX_FCS_ERRORS, 0, 200}, {CTR_RX_SYMBOL_ERRORS, 0, 0},
	{CTR_PFC_RX_FRAMES, 3, 6}, {CTR_PFC_RX_FRAMES, 4, 0}, {CTR_PFC_TX_FRAMES, 3, 20},
	{CTR_PFC_RX_DURATION_US, 3, 6}, {CTR_LINK_DOWN_EVENTS, 0, 150},
	{CTR_CARRIER_CHANGES, 0, 150}, {CTR_QUEUE_DROPS, 3, 50}, {CTR_QUEUE_DROPS, 5, 0},
	{CTR_QUEUE_DEPTH_BYTES, 3, 4}, {CTR_QUEUE_DEPTH_BYTES, 5, 0},
	{CTR_PFCWD_STORM_DETECTED, 3, 90}, {CTR_PFCWD_STORM_RESTORED, 3, 0},
	{CTR_TEMPERATURE_C, 0, 8}, {CTR_QUEUE_WATERMARK_BYTES, 3, 10},
	{CTR_PG_WATERMARK_BYTES, 3, 0}, {CTR_RX_STOMPED_CRC, 0, 0}};
static const struct told slow[] = {{CTR_QUEUE_TX_BYTES, 3, 2}, {CTR_QUEUE_TX_BYTES, 5, 0},
	{CTR_QUEUE_TX_PACKETS, 3, 2}, {CTR_ECN_MARKED_PACKETS, 3, 12}, {CTR_WRED_DROPS, 3, 0},
	{CTR_PFC_RX_TRANSITIONS, 3, 9}, {CTR_FEC_BIN, 4, 5}, {CTR_FEC_BIN, 9, 0},
	{CTR_HEADROOM_WATERMARK_BYTES, 3, 0}, {CTR_VOLTAGE_V, 0, 7}};
#define CELLS 24
static const struct {
	const char *name;
	const struct told *cells;
	unsigned n;
} requests[REQUESTS] = {{"fast", fast, CELLS}, {"slow", slow, 10}};

/*
 * Words and settings, by request. The state is always named, and so are values that both requests
 * report.
 */
struct setting {
	enum obs_attr attr;
	unsigned sub;
	bool always;
	const char *const *words; /* two; NULL: it is a number */
};
static const char *const ups[] = {"up", "down"}, *const fecs[] = {"rs", "none"};
static const char *const states[] = {"operational", "stormed"}, *const actions[] = {"drop", ""};
static const char *const aliases[] = {"etp", "fpp"}, *const trusts[] = {"dscp", "pcp"};
static const struct setting fast_settings[] = {{ATTR_OPER, 0, true, ups},
	{ATTR_ADMIN, 0, true, ups}, {ATTR_SPEED_MBPS, 0, false, NULL}, {ATTR_MTU, 0, false, NULL},
	{ATTR_FEC, 0, false, fecs}, {ATTR_ALIAS, 0, false, aliases},
	{ATTR_LAST_CHANGE, 0, true, NULL}, {ATTR_PFCWD_STATE, 3, false, states},
	{ATTR_PFCWD_ACTION, 3, false, actions}, {ATTR_PFCWD_DETECT_MS, 3, false, NULL}};
static const struct setting slow_settings[] = {{ATTR_ADMIN, 0, true, ups},
	{ATTR_PFC_ENABLED, 0, false, NULL}, {ATTR_TRUST, 0, false, trusts},
	{ATTR_ECN_MIN_BYTES, 3, false, NULL}, {ATTR_PFCWD_RESTORE_MS, 3, false, NULL}};
#define SETTINGS 10
static const struct {
	const struct setting *at;
	unsigned n;
} settings[REQUESTS] = {{fast_settings, SETTINGS}, {slow_settings, 5}};

static const char *const names[DEVICES] = {"leaf-r0-00", "spine-000"};

/* The last report of a port in a request. */
struct memory {
	bool told, valid[CELLS], wrong[CELLS];
	uint64_t value[CELLS];
};

struct world {
	struct drive d;
	struct model *whole, *less;
	uint64_t value[DEVICES][PORTS][REQUESTS][CELLS];
	bool wrong[DEVICES][PORTS][REQUESTS][CELLS];
	unsigned setting[DEVICES][PORTS][REQUESTS][SETTINGS];
	struct memory memory[DEVICES][REQUESTS][PORTS];
	uint32_t number[DEVICES][REQUESTS];
	int64_t skew_us[DEVICES];
	bool sampled[DEVICES], engine[DEVICES], idle;
	unsigned boots[DEVICES];
	unsigned named, all;
};

static const char *port_name(unsigned p, char name[16])
{
	(void)str_printf(name, 16, "Ethernet%u", 4 * p);
	return name;
}

static bool one_in(struct world *w, unsigned n)
{
	return n && drive_random(&w->d, n) == 0;
}

/* True: one of them is another. */
static bool set(struct world *w, unsigned dev, unsigned req)
{
	bool changes = one_in(w, 25);

	for (unsigned p = 0; changes && p < PORTS; p++)
		for (unsigned i = 0; i < settings[req].n; i++)
			if (one_in(w, 8))
				w->setting[dev][p][req][i] = drive_random(&w->d, 100);
	return changes;
}

static void move(struct world *w, unsigned dev, unsigned req)
{
	bool clear = one_in(w, 150), refresh = !one_in(w, 3);

	for (unsigned p = 0; p < PORTS; p++)
		for (unsigned c = 0; c < requests[req].n; c++) {
			uint64_t *v = &w->value[dev][p][req][c];

			if (clear)
				*v = drive_random(&w->d, 3);
			else if (!w->idle && refresh && p &&
				 one_in(w, requests[req].cells[c].one_in))
				*v += 1 + drive_random(&w->d, 100000);
			else if (one_in(w, 20000))
				*v /= 2;
			if (one_in(w, 3000))
				w->wrong[dev][p][req][c] ^= true;
		}
}

static void tell(struct obs *o, uint32_t port, const struct told *t, uint64_t value, bool wrong)
{
	if (wrong)
		obs_invalid(o, port, t->id, t->sub, VALID_UNSUPPORTED, "");
	else if (counter_info[t->id].kind == KIND_GAUGE)
		obs_gauge(o, port, t->id, t->sub, (double)value / 8);
	else
		obs_count(o, port, t->id, t->sub, value);
}

static bool as_before(const struct memory *m, unsigned c, uint64_t value, bool wrong)
{
	return m->told && m->valid[c] && m->wrong[c] == wrong && (wrong || m->value[c] == value);
}

/*
 * Charts have numbers in the order in which they begin. Load begins one while it stands still: it
 * is named until then, so that the numbers are the same too.
 */
static bool begins_chart(
	const struct world *w, unsigned dev, const char *port, const struct told *t)
{
	const struct device *d = model_device(w->less, names[dev]);
	const struct port *p = d ? model_port(w->less, d, port) : NULL;

	return (t->id == CTR_RX_BYTES || t->id == CTR_TX_BYTES) &&
	       !(p && port_charted(p, t->id, 0));
}

/* The other source was ahead of this, so that it was left alone: it has to be told again. */
static bool behind(
	const struct world *w, unsigned dev, const char *port, const struct told *t, uint64_t value)
{
	const struct device *d = model_device(w->less, names[dev]);
	const struct port *p = d ? model_port(w->less, d, port) : NULL;
	const struct cell *c = p ? port_cell(p, t->id, t->sub) : NULL;

	return c && counter_info[t->id].kind == KIND_COUNT && c->u64 > value;
}

static void tell_setting(
	struct obs *o, uint32_t port, unsigned p, const struct setting *s, unsigned value)
{
	char text[32];

	if (!s->words) {
		obs_number(o, port, s->attr, s->sub, 1 + value * 1000);
		return;
	}
	/* Ports have names of their own. */
	(void)str_printf(text, sizeof(text), "%s%.0u", s->words[value % 2],
		s->attr == ATTR_ALIAS ? p + 1 : 0);
	obs_word(o, port, s->attr, s->sub, text);
}

static void tell_settings(struct world *w, struct obs *whole, struct obs *less, unsigned dev,
	unsigned req, unsigned p, uint32_t port)
{
	for (unsigned i = 0; i < settings[req].n; i++) {
		const struct setting *s = &settings[req].at[i];
		unsigned value = w->setting[dev][p][req][i];

		tell_setting(whole, port, p, s, value);
		if (!less->unchanged_rest || s->always || !w->memory[dev][req][p].told)
			tell_setting(less, port, p, s, value);
	}
}

static void tell_port(struct world *w, struct obs *whole, struct obs *less, unsigned dev,
	unsigned req, unsigned p)
{
	struct memory *m = &w->memory[dev][req][p];
	uint32_t a, b;
	char name[16];

	a = obs_port(whole, port_name(p, name));
	b = obs_port(less, name);
	if (w->sampled[dev])
		whole->ports.at[a].sample_us = less->ports.at[b].sample_us =
			w->d.now_us + w->skew_us[dev] -
			(one_in(w, 4) ? 0 : (w->d.now_us + p * 3000000) % 20000000);
	for (unsigned c = 0; c < requests[req].n; c++) {
		const struct told *t = &requests[req].cells[c];
		uint64_t value = w->value[dev][p][req][c];
		bool wrong = w->wrong[dev][p][req][c];

		tell(whole, a, t, value, wrong);
		w->all++;
		if (!less->unchanged_rest || !as_before(m, c, value, wrong) || one_in(w, 30) ||
			begins_chart(w, dev, name, t) || behind(w, dev, name, t, value)) {
			tell(less, b, t, value, wrong);
			w->named++;
		}
		m->valid[c] = true;
		m->wrong[c] = wrong;
		m->value[c] = value;
	}
}

static void heads(struct world *w, struct obs *whole, struct obs *less, unsigned dev)
{
	struct obs *both[] = {whole, less};
	bool device_time = one_in(w, 50) ? dev != 0 : dev == 0, boots = one_in(w, 300);
	unsigned narrow = drive_random(&w->d, 2);

	w->boots[dev] += boots;
	if (one_in(w, 200))
		w->skew_us[dev] = drive_random(&w->d, 100) * CLOCK_SEC;
	for (unsigned i = 0; i < 2; i++) {
		char boot[16];

		both[i]->received_us = w->d.now_us - 1000;
		both[i]->device_us = device_time ? w->d.now_us - 2000 + w->skew_us[dev] : 0;
		both[i]->refresh_ms[GROUP_PORT] = dev ? 1000 : 0;
		both[i]->narrow[CTR_RX_ERRORS] = narrow != 0;
		(void)str_printf(boot, sizeof(boot), "boot %u", w->boots[dev]);
		obs_word(both[i], OBS_NO_PORT, ATTR_BOOT_ID, 0, boot);
	}
}

static void apply(struct world *w, struct obs *whole, struct obs *less)
{
	model_apply(w->whole, whole, w->d.now_us);
	model_apply(w->less, less, w->d.now_us);
	obs_free(whole);
	obs_free(less);
}

/*
 * The other source: it names everything, and a later partial batch must not build on the device's
 * own.
 */
static void engine(struct world *w, unsigned dev)
{
	struct obs *whole = obs_new(names[dev], REQUEST_ENGINE);
	struct obs *less = obs_new(names[dev], REQUEST_ENGINE);

	whole->received_us = less->received_us = w->d.now_us - 1000;
	memset(w->memory[dev], 0, sizeof(w->memory[dev]));
	for (unsigned p = 0; p < PORTS; p++)
		tell_port(w, whole, less, dev, 0, p);
	memset(w->memory[dev], 0, sizeof(w->memory[dev]));
	w->engine[dev] = true;
	apply(w, whole, less);
}

static void poll_request(struct world *w, unsigned dev, unsigned req)
{
	struct obs *whole = obs_new(names[dev], requests[req].name);
	struct obs *less = obs_new(names[dev], requests[req].name);

	move(w, dev, req);
	heads(w, whole, less, dev);
	whole->number = less->number = ++w->number[dev][req];
	/* Where a word is another, all is named. */
	less->unchanged_rest =
		!set(w, dev, req) && w->number[dev][req] > 2 && !w->engine[dev] && !one_in(w, 12);
	w->engine[dev] = w->engine[dev] && req;
	for (unsigned p = 0; p < PORTS; p++) {
		char name[16];

		if (w->number[dev][req] > 3 && one_in(w, 40)) {
			w->memory[dev][req][p].told = false; /* left out: it is named again */
			continue;
		}
		tell_port(w, whole, less, dev, req, p);
		tell_settings(w, whole, less, dev, req, p, obs_port(whole, port_name(p, name)));
		w->memory[dev][req][p].told = true;
	}
	apply(w, whole, less);
}

static struct buf save(struct model *m, bool histories)
{
	struct buf b;
	struct state s;

	buf_init(&b, MOST);
	state_saves(&s, &b);
	for (size_t i = 0; i < model_state_steps(m); i++)
		assert_true(histories ? model_history_step(&s, m, i, true)
				      : model_state_step(&s, m, i));
	return b;
}

/* Prints the cells that differ, for a developer who searches the reason. */
static void tell_differences(const struct world *w)
{
	for (size_t i = 0; i < w->whole->ports.n && i < w->less->ports.n; i++) {
		const struct port *p = w->whole->ports.at[i], *q = w->less->ports.at[i];

		for (unsigned s = 0; s < p->layout->n && s < q->layout->n; s++) {
			const struct cell *a = &p->cells[s], *b = &q->cells[s];
			struct cell_time none = {0}, ta = none, tb = none;

			if (a->when != TIME_NONE)
				ta = p->times[a->when];
			if (b->when != TIME_NONE)
				tb = q->times[b->when];
			if (a->u64 == b->u64 && a->valid == b->valid && a->flags == b->flags &&
				ta.seen_us == tb.seen_us && ta.base_us == tb.base_us &&
				ta.look == tb.look)
				continue;
			print_message("%s:%s %s: %llu %u %x seen %lld base %lld look %u, not "
				      "%llu %u %x %lld %lld %u\n",
				model_dev_of(w->whole, p)->name, p->name,
				counter_info[cell_info[p->layout->cell[s]].id].name,
				(unsigned long long)a->u64, a->valid, a->flags,
				(long long)ta.seen_us, (long long)ta.base_us, ta.look,
				(unsigned long long)b->u64, b->valid, b->flags,
				(long long)tb.seen_us, (long long)tb.base_us, tb.look);
		}
	}
}

static void assert_same(struct world *w, unsigned step)
{
	/* The two models differ in the number of received items. */
	w->less->items = w->whole->items;
	for (unsigned histories = 0; histories < 2; histories++) {
		struct buf a = save(w->whole, histories), b = save(w->less, histories);

		if (a.len != b.len || memcmp(a.data, b.data, a.len) != 0) {
			tell_differences(w);
			fail_msg("step %u: %s differ", step, histories ? "histories" : "models");
		}
		buf_free(&a);
		buf_free(&b);
	}
	assert_true(w->whole->generation == w->less->generation);
}

/* Both from their bytes. */
static void reload(struct world *w)
{
	struct model **both[] = {&w->whole, &w->less};

	for (unsigned i = 0; i < 2; i++) {
		struct buf b = save(*both[i], false), h = save(*both[i], true);
		struct model *m = feed_new();
		struct state s;

		state_loads(&s, b.data, b.len);
		for (size_t k = 0; k < model_state_steps(m); k++)
			assert_true(model_state_step(&s, m, k));
		assert_true(model_state_loaded(m));
		state_loads(&s, h.data, h.len);
		for (size_t k = 0; k < model_state_steps(m); k++)
			assert_true(model_history_step(&s, m, k, true));
		model_free(*both[i]);
		*both[i] = m;
		buf_free(&b);
		buf_free(&h);
	}
}

static void turn(struct world *w)
{
	struct err err;

	if (one_in(w, 150)) {
		(void)model_mark(w->whole, "m", w->d.now_us, &err);
		(void)model_mark(w->less, "m", w->d.now_us, &err);
	}
	if (one_in(w, 100))
		w->idle ^= true;
	if (one_in(w, 100))
		w->sampled[drive_random(&w->d, DEVICES)] ^= true;
	if (one_in(w, 3)) {
		(void)model_age(w->whole, w->d.now_us);
		(void)model_age(w->less, w->d.now_us);
	}
	if (one_in(w, 200))
		reload(w);
}

static void both_ways(uint64_t seed, bool engines)
{
	static struct world w; /* large */

	memset(&w, 0, sizeof(w));
	w.whole = feed_new();
	w.less = feed_new();
	drive_init(&w.d, seed);
	for (unsigned step = 0; step < 1500; step++) {
		unsigned dev = drive_random(&w.d, DEVICES);

		w.d.now_us += drive_random(&w.d, 4000000) + (one_in(&w, 300) ? 400 * CLOCK_SEC : 0);
		if (engines && one_in(&w, 60))
			engine(&w, dev);
		else
			poll_request(&w, dev, one_in(&w, 3));
		turn(&w);
		assert_same(&w, step);
	}
	assert_true(w.named * (engines ? 2 : 3) < w.all);
	assert_true(w.less->event_seq > 20);
	model_free(w.whole);
	model_free(w.less);
}

CASE(what_moved_is_as_good_as_everything)
{
	for (uint64_t seed = 1; seed < 1 + effort(8); seed++)
		both_ways(seed, false);
}

CASE(beside_an_engine_too)
{
	for (uint64_t seed = 20; seed < (effort_full() ? 24 : 22); seed++)
		both_ways(seed, true);
}

/* ---- one by one ---- */

static void two(struct model *m, double t, uint32_t number, bool less, uint64_t rx, uint64_t drops)
{
	struct obs *o = feed_batch();
	uint32_t p = obs_port(o, "Ethernet0");

	o->number = number;
	o->unchanged_rest = less;
	if (rx)
		obs_count(o, p, CTR_RX_BYTES, 0, rx);
	if (drops)
		obs_count(o, p, CTR_RX_DISCARDS, 0, drops);
	feed(m, o, t);
}

static int64_t seen(const struct model *m, enum counter_id id)
{
	return cell_seen_us(
		feed_port(m, "leaf-r0-00", "Ethernet0"), feed_cell(m, "Ethernet0", id, 0));
}

CASE_WITH(what_is_not_named_was_read, feed_setup, feed_teardown)
{
	struct model *m = *state;

	two(m, 0, 1, false, 1000, 7);
	two(m, 5, 2, true, 2000, 0);
	two(m, 10, 3, true, 3000, 0);
	assert_true(seen(m, CTR_RX_BYTES) == feed_time(10));
	assert_true(seen(m, CTR_RX_DISCARDS) == feed_time(10));
	assert_int_equal(feed_cell(m, "Ethernet0", CTR_RX_DISCARDS, 0)->u64, 7);
	assert_near(feed_rate(m, "Ethernet0", CTR_RX_DISCARDS), 0);
	assert_near(feed_rate(m, "Ethernet0", CTR_RX_BYTES), 200);
}

/* The content of a lost batch is unknown: its cells do not count as unchanged. */
CASE_WITH(after_a_lost_batch_the_rest_waits, feed_setup, feed_teardown)
{
	struct model *m = *state;

	two(m, 0, 1, false, 1000, 7);
	two(m, 10, 3, true, 3000, 0);
	assert_true(seen(m, CTR_RX_BYTES) == feed_time(10));
	assert_true(seen(m, CTR_RX_DISCARDS) == feed_time(0));
	two(m, 15, 4, true, 4000, 0);
	assert_true(seen(m, CTR_RX_DISCARDS) == feed_time(0));
	two(m, 20, 5, true, 4000, 9);
	two(m, 25, 6, true, 0, 0);
	assert_true(seen(m, CTR_RX_BYTES) == feed_time(25));
	assert_true(seen(m, CTR_RX_DISCARDS) == feed_time(25));
}

/* The counter may have stopped in the lost batch: the old rate is not valid now. */
CASE_WITH(after_a_lost_batch_a_rate_is_not_known, feed_setup, feed_teardown)
{
	struct model *m = *state;

	two(m, 0, 1, false, 1000, 100);
	two(m, 5, 2, true, 2000, 200);
	assert_near(feed_rate(m, "Ethernet0", CTR_RX_DISCARDS), 20);
	two(m, 15, 4, true, 4000, 0);
	assert_near(feed_rate(m, "Ethernet0", CTR_RX_BYTES), 200);
	assert_true(isnan(feed_rate(m, "Ethernet0", CTR_RX_DISCARDS)));
	two(m, 20, 5, true, 5000, 0);
	assert_true(isnan(feed_rate(m, "Ethernet0", CTR_RX_DISCARDS)));
	two(m, 25, 6, false, 6000, 250);
	assert_near(feed_rate(m, "Ethernet0", CTR_RX_DISCARDS), 2.5);
}

CASE_WITH(nothing_stands_that_nobody_told, feed_setup, feed_teardown)
{
	struct model *m = *state;

	two(m, 0, 1, true, 1000, 0);
	assert_null(port_cell(feed_port(m, "leaf-r0-00", "Ethernet0"), CTR_RX_DISCARDS, 0));
	two(m, 5, 0, true, 2000, 0);
	two(m, 10, 0, true, 0, 0);
	assert_true(seen(m, CTR_RX_BYTES) == feed_time(5));
}

/* Another source's value belongs to it: this request does not know it. */
CASE_WITH(another_request_that_tells_of_it_since_keeps_it, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct obs *o;

	two(m, 0, 1, false, 1000, 7);
	o = feed_batch_of("leaf-r0-00", "other");
	obs_count(o, obs_port(o, "Ethernet0"), CTR_RX_DISCARDS, 0, 9);
	feed(m, o, 3);
	two(m, 5, 2, true, 2000, 0);
	assert_true(seen(m, CTR_RX_BYTES) == feed_time(5));
	assert_true(seen(m, CTR_RX_DISCARDS) == feed_time(3));
	assert_int_equal(feed_cell(m, "Ethernet0", CTR_RX_DISCARDS, 0)->u64, 9);
}

/* A rate that was is over when nothing moves any more, as if all had been named. */
CASE_WITH(what_stops_is_noticed, feed_setup, feed_teardown)
{
	struct model *m = *state;

	two(m, 0, 1, false, 1000, 7);
	two(m, 5, 2, true, 2000, 0);
	assert_near(feed_rate(m, "Ethernet0", CTR_RX_BYTES), 200);
	for (uint32_t n = 3; n < 20; n++)
		two(m, 5 * (n - 1), n, true, 0, 0);
	assert_near(feed_rate(m, "Ethernet0", CTR_RX_BYTES), 0);
	assert_true(seen(m, CTR_RX_BYTES) == feed_time(90));
}

CASES_MAIN(NULL, NULL)
