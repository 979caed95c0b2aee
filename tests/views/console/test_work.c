/* SPDX-License-Identifier: Apache-2.0 */
/* A fabric that is too large for one go: in pieces it comes to the same, and nobody waits. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"
#include "tests/support/cases.h"
#include "tests/support/plan_make.h"
#include "tests/views/support/runbook_bed.h"
#include "views/console/console_private.h"
#include "views/rows.h"
#include "views/summary.h"

#define LEAVES 160
#define PORTS  64
#define T0     (INT64_C(1700000000) * CLOCK_SEC)

struct large {
	struct plan plan;
	struct model *m;
	struct diag *d;
	struct console *c;
	struct runbooks books;
	int64_t now_us;
	unsigned polls;
};

static void name_of(char *dst, size_t size, const char *what, unsigned i)
{
	(void)str_printf(dst, size, "%s%03u", what, i);
}

/* Each leaf is cabled to the next one. */
static void make_plan(struct plan *p)
{
	char a[32], b[32];

	plan_init(p);
	p->rails = 4;
	p->lossless.priorities = 1U << 3;
	for (unsigned i = 0; i < LEAVES; i++) {
		name_of(a, sizeof(a), "leaf", i);
		(void)plan_make_device(p, a, TIER_LEAF, (int)(i % 4));
	}
	for (unsigned i = 0; i < LEAVES; i += 2)
		for (unsigned k = 0; k < PORTS; k++) {
			name_of(a, sizeof(a), "swp", k);
			name_of(b, sizeof(b), "swp", k);
			plan_make_link(p, i, a, i + 1, b, (int)(i % 4));
		}
}

/* Each port's counters differ from all others, in no order. */
static void poll_devices(struct large *t)
{
	t->now_us += 5 * CLOCK_SEC;
	t->polls++;
	for (size_t d = 0; d < t->m->devices.n; d++) {
		const struct device *dev = t->m->devices.at[d];
		struct obs *o = obs_new(dev->name, "fast");

		o->received_us = o->device_us = t->now_us;
		for (size_t i = 0; i < dev->ports.n; i++) {
			uint32_t id = dev->ports.at[i], p = obs_port(o, t->m->ports.at[id]->name);
			uint64_t rate = (id * UINT64_C(2654435761) + t->polls * 97) % 40000;

			obs_word(o, p, ATTR_OPER, 0, id % 97 ? "up" : "down");
			obs_number(o, p, ATTR_SPEED_MBPS, 0, 400000);
			obs_count(o, p, CTR_RX_BYTES, 0, t->polls * (1000000000 + rate * 10000));
			obs_count(o, p, CTR_TX_BYTES, 0, t->polls * UINT64_C(1000000000));
		}
		model_apply(t->m, o, t->now_us);
		obs_free(o);
	}
	(void)model_age(t->m, t->now_us);
	model_links(t->m);
}

/* A runbook that reads all ports, and then all links. */
static struct runbook *make_book(void)
{
	struct runbook *b = bed_book("all", "fabric");

	(void)bed_step(b, "ports", "ports", SCOPE_FABRIC, ROWS_ANY, "oper=down");
	(void)bed_step(b, "links", "links", SCOPE_FABRIC, ROWS_ALL, "state=planned");
	return b;
}

static int setup(void **state)
{
	struct large *t = test_calloc(1, sizeof(*t));
	struct console_opts opts = {0};

	t->now_us = T0;
	make_plan(&t->plan);
	t->m = model_new(&t->plan);
	t->d = diag_new();
	vec_push(&t->books.at, make_book());
	opts.runbooks = &t->books;
	t->c = console_new(&opts);
	console_diagnosis(t->c, t->d);
	for (int i = 0; i < 3; i++)
		poll_devices(t);
	console_data(t->c, t->m, t->now_us, 0);
	*state = t;
	return 0;
}

static int teardown(void **state)
{
	struct large *t = *state;

	console_free(t->c);
	runbooks_free(&t->books);
	diag_free(t->d);
	model_free(t->m);
	plan_free(&t->plan);
	test_free(t);
	return 0;
}

/* Until nothing is left; how many calls. */
static unsigned work(struct large *t)
{
	unsigned calls = 1;

	while (console_work(t->c))
		assert_true(calls++ < 1000000);
	return calls;
}

/* The rows as a batch would print them, computed at once and not in pieces. */
static row_vec all_at_once(struct large *t, const struct view_ops *v, const char *filter,
	const char *column, bool descending)
{
	struct view_ctx ctx = {.model = t->m, .now_us = t->now_us, .diag = t->d};
	struct query *q = filter[0] ? query_parse(filter, NULL) : NULL;
	row_vec rows = {0};

	ctx.cache = view_cache_new();
	v->rows(&ctx, &rows);
	if (q)
		view_keep_rows(&ctx, v, q, &rows);
	view_sort_rows(&ctx, v, (size_t)view_column(v, column), descending, &rows);
	query_free(q);
	view_cache_free(ctx.cache);
	return rows;
}

static void expect_rows(struct large *t, const struct view_ops *v, const char *filter,
	const char *column, bool descending)
{
	const struct page *p = console_page(t->c);
	row_vec rows = all_at_once(t, v, filter, column, descending);

	assert_int_equal(p->rows.n, rows.n);
	for (size_t i = 0; i < rows.n; i++)
		assert_true(ref_eq(p->rows.at[i], rows.at[i]));
	vec_free(&rows);
}

static void open_view(struct large *t, const struct view_ops *v, const char *sort)
{
	struct page *p;

	assert_true(console_open(t->c, v, (struct ref){.kind = REF_NONE}, NULL));
	p = console_page(t->c);
	assert_true(page_set_sort(p, sort, NULL));
	page_refresh(t->c, p);
}

CASE_WITH(rows_come_in_order, setup, teardown)
{
	struct large *t = *state;

	open_view(t, view_by_name("ports"), "-rx");
	/* Nothing is computed before the loop has time for it. */
	assert_int_equal(console_page(t->c)->rows.n, 0);
	(void)work(t);
	assert_int_equal(console_page(t->c)->rows.n, (size_t)LEAVES * PORTS);
	expect_rows(t, view_by_name("ports"), "", "rx", true);
	open_view(t, view_by_name("links"), "-ba");
	(void)work(t);
	/* Half as many links: they are made at once. */
	expect_rows(t, view_by_name("links"), "", "ba", true);
	open_view(t, view_by_name("ports"), "why");
	(void)work(t);
	expect_rows(t, view_by_name("ports"), "", "why", false);
}

/* A filter works on the rows of before until it has looked at all. */
CASE_WITH(a_filter_comes_to_the_same, setup, teardown)
{
	struct large *t = *state;
	struct page *p;
	char told[64];

	open_view(t, view_by_name("ports"), "-rx");
	(void)work(t);
	p = console_page(t->c);
	assert_true(page_set_filter(p, "oper=down", NULL));
	page_refresh(t->c, p);
	assert_int_equal(p->rows.n, (size_t)LEAVES * PORTS);
	page_work_told(p, told, sizeof(told));
	assert_non_null(strstr(told, "filtering"));
	console_move(t->c, TABLE_DOWN);
	(void)work(t);
	page_work_told(p, told, sizeof(told));
	assert_string_equal(told, "");
	expect_rows(t, p->view, "oper=down", "rx", true);
	/* The next typed filter counts, not the one under way. */
	assert_true(page_set_filter(p, "leaf003", NULL));
	page_refresh(t->c, p);
	assert_true(page_set_filter(p, "leaf004", NULL));
	page_refresh(t->c, p);
	(void)work(t);
	expect_rows(t, p->view, "leaf004", "rx", true);
	/* Its ports, and the ports that have it for a peer. */
	assert_int_equal(p->rows.n, 2 * PORTS);
}

/* New data is sorted when the page has rested; the wake-up time is set for that. */
CASE_WITH(new_data_is_put_in_order_later, setup, teardown)
{
	struct large *t = *state;
	struct page *p;

	open_view(t, view_by_name("ports"), "-rx");
	(void)work(t);
	p = console_page(t->c);
	poll_devices(t);
	console_data(t->c, t->m, t->now_us, 0);
	page_refresh(t->c, p);
	(void)work(t);
	if (console_due(t->c) != INT64_MAX) {
		assert_true(console_due(t->c) == p->work.rest_until_us);
		p->work.rest_until_us = 0; /* as if that time had come */
		(void)work(t);
	}
	expect_rows(t, p->view, "", "rx", true);
	assert_true(console_due(t->c) == INT64_MAX);
}

static void expect_judged(struct large *t)
{
	const struct runbook_run *r = &t->c->run;
	struct view_ctx ctx = console_ctx(t->c);
	struct runbook_result whole;

	runbook_judge(&r->book->steps.at[r->at], &ctx, r->target, &whole);
	assert_int_equal(r->now.outcome, whole.outcome);
	assert_int_equal(r->now.rows, whole.rows);
	assert_int_equal(r->now.matched, whole.matched);
	assert_int_equal(r->now.unknown, whole.unknown);
	assert_string_equal(r->now.value, whole.value);
	assert_string_equal(r->now.why, whole.why);
}

/* A step that looks at all ports is judged between keys, and comes to the same. */
CASE_WITH(a_step_is_judged_in_pieces, setup, teardown)
{
	struct large *t = *state;
	const struct runbook_run *r = &t->c->run;
	struct err err = {0};
	size_t down;

	assert_true(console_runbook(t->c, "all", &err));
	assert_true(runbook_run_waits(r));
	assert_int_equal(r->now.outcome, STEP_UNKNOWN);
	assert_non_null(strstr(r->now.why, "being judged"));
	/* Nobody knows yet where the step would lead. */
	assert_false(console_runbook_next(t->c, "", &err));
	assert_non_null(strstr(err.text, "still being judged"));
	(void)work(t);
	assert_false(runbook_run_waits(r));
	assert_int_equal(r->now.outcome, STEP_PASS);
	assert_int_equal(r->now.rows, (size_t)LEAVES * PORTS);
	expect_judged(t);
	down = r->now.matched;
	/* The old values stay until the new ones are whole. */
	poll_devices(t);
	t->c->run.rests_us = 0;
	console_data(t->c, t->m, t->now_us, 0);
	assert_false(runbook_run_waits(r));
	assert_non_null(r->judging);
	assert_int_equal(r->now.matched, down);
	(void)work(t);
	assert_null(r->judging);
	expect_judged(t);
	assert_true(console_runbook_next(t->c, "", &err));
	assert_int_equal(r->at, 1);
	assert_true(runbook_run_waits(r));
	/* A user who says it need not wait. */
	assert_true(console_runbook_next(t->c, "skip", &err));
	assert_int_equal(r->at, 2);
	assert_null(r->judging);
	assert_true(console_runbook_back(t->c, &err));
	(void)work(t);
	assert_int_equal(r->now.rows, (size_t)LEAVES * PORTS / 2);
	expect_judged(t);
}

/* A port beside the plan; device: its LLDP neighbour, "" for none any more. */
static void hear(struct large *t, unsigned leaf, const char *device)
{
	char name[32];
	struct obs *o;

	name_of(name, sizeof(name), "leaf", leaf);
	o = obs_new(name, "lldp");
	o->received_us = o->device_us = t->now_us;
	obs_lldp(o, obs_port(o, "spare"), device, *device ? "spare" : "");
	model_apply(t->m, o, t->now_us);
	obs_free(o);
	model_links(t->m);
}

/* Links that went while they are judged are none of the answer. */
CASE_WITH(a_step_begins_again_when_links_change, setup, teardown)
{
	struct large *t = *state;
	const struct runbook_run *r = &t->c->run;
	struct view_ctx ctx;
	struct err err = {0};

	hear(t, 0, "leaf001");
	hear(t, 1, "leaf000");
	hear(t, 2, "leaf003");
	hear(t, 3, "leaf002");
	console_data(t->c, t->m, t->now_us, 0);
	assert_true(console_runbook(t->c, "all", &err));
	(void)work(t);
	assert_true(console_runbook_next(t->c, "", &err));
	assert_int_equal(r->at, 1);
	ctx = console_ctx(t->c);
	for (unsigned i = 0; i < 4; i++)
		assert_false(runbook_run_work(&t->c->run, &ctx));
	hear(t, 0, "");
	hear(t, 1, "");
	(void)work(t);
	assert_int_equal(r->now.rows, (size_t)LEAVES * PORTS / 2 + 1);
	expect_judged(t);
}

static void expect_number(double a, double b)
{
	assert_true(a == b || (isnan(a) && isnan(b)));
}

static void expect_sum(const struct summary *a, const struct summary *b)
{
	assert_memory_equal(&a->by_severity, &b->by_severity, sizeof(a->by_severity));
	assert_int_equal(a->health.severity, b->health.severity);
	assert_int_equal(a->devices, b->devices);
	assert_int_equal(a->devices_seen, b->devices_seen);
	assert_int_equal(a->ports_up, b->ports_up);
	assert_int_equal(a->ports_planned, b->ports_planned);
	expect_number(a->rx_bps, b->rx_bps);
	expect_number(a->tx_bps, b->tx_bps);
	expect_number(a->capacity_bps, b->capacity_bps);
	expect_number(a->drops, b->drops);
	expect_number(a->slow, b->slow);
}

/* Sums of the fabric and its rails, and the worst of it, equal those of one computation at once. */
static void expect_sums(const struct view_ctx *paced, const struct model *m, int64_t now_us)
{
	struct view_ctx mine = {.model = m, .now_us = now_us, .cache = view_cache_new()};
	struct worst a[WORST_MAX], b[WORST_MAX];
	struct summary x, y;
	size_t n;

	summary_fabric(paced, &x);
	summary_fabric(&mine, &y);
	expect_sum(&x, &y);
	/* One more than there are. */
	for (int rail = 0; rail < 5; rail++) {
		summary_rail(paced, rail, &x);
		summary_rail(&mine, rail, &y);
		expect_sum(&x, &y);
	}
	n = summary_worst(paced, a, WORST_MAX);
	assert_int_equal(n, summary_worst(&mine, b, WORST_MAX));
	for (size_t i = 0; i < n; i++)
		assert_true(ref_eq(a[i].ref, b[i].ref));
	view_cache_free(mine.cache);
}

CASE_WITH(health_comes_to_the_same, setup, teardown)
{
	struct large *t = *state;
	struct view_ctx ctx = console_ctx(t->c);
	struct summary before, now;
	unsigned percent;

	assert_false(summary_ready(&ctx, &percent));
	(void)work(t);
	assert_true(summary_ready(&ctx, &percent));
	expect_sums(&ctx, t->m, t->now_us);
	summary_fabric(&ctx, &before);
	assert_true(before.by_severity[SEV_CRIT] + before.by_severity[SEV_WARN] > 50);
	summary_rail(&ctx, 1, &before);
	assert_true(before.rx_bps > 0);

	/* The shown rows stay until the new ones are whole. */
	poll_devices(t);
	console_data(t->c, t->m, t->now_us, 0);
	ctx = console_ctx(t->c);
	assert_false(summary_refresh_some(&ctx));
	summary_rail(&ctx, 1, &now);
	expect_sum(&now, &before);
	(void)work(t);
	summary_rail(&ctx, 1, &now);
	assert_true(now.rx_bps != before.rx_bps);
	expect_sums(&ctx, t->m, t->now_us);
}

/* More of them than are added up in one piece; and a cache that did all at once before. */
CASE(many_devices_are_added_up_in_pieces)
{
	const unsigned devices = 5000;
	struct view_ctx ctx = {.now_us = T0, .cache = view_cache_new()};
	struct summary s;
	unsigned pieces = 0;
	struct plan p;
	char name[32];

	plan_init(&p);
	p.rails = 4;
	for (unsigned i = 0; i < devices; i++) {
		(void)str_printf(name, sizeof(name), "leaf%04u", i);
		(void)plan_make_device(&p, name, TIER_LEAF, (int)(i % 4));
	}
	ctx.model = model_new(&p);
	expect_sums(&ctx, ctx.model, T0);
	summary_pace(ctx.cache);
	expect_sums(&ctx, ctx.model, T0);
	ctx.now_us += CLOCK_SEC;
	while (!summary_refresh_some(&ctx))
		pieces++;
	assert_true(pieces >= devices / 2048);
	summary_fabric(&ctx, &s);
	assert_int_equal(s.devices, devices);
	expect_sums(&ctx, ctx.model, ctx.now_us);
	view_cache_free(ctx.cache);
	model_free((struct model *)ctx.model);
	plan_free(&p);
}

CASE_WITH(settings_come_to_the_same, setup, teardown)
{
	struct large *t = *state;
	struct obs *o = obs_new("leaf005", "slow");
	struct view_ctx mine = {.model = t->m, .now_us = t->now_us};
	row_vec rows = {0};

	o->received_us = t->now_us;
	obs_number(o, obs_port(o, "swp003"), ATTR_MTU, 0, 1500);
	model_apply(t->m, o, t->now_us);
	obs_free(o);
	console_data(t->c, t->m, t->now_us, 0);
	assert_true(console_open(t->c, view_by_name("lint"), (struct ref){.kind = REF_NONE}, NULL));
	assert_int_equal(console_page(t->c)->rows.n, 0);
	(void)work(t);
	page_refresh(t->c, console_page(t->c));
	mine.cache = view_cache_new();
	view_by_name("lint")->rows(&mine, &rows);
	assert_true(rows.n > 0);
	assert_int_equal(console_page(t->c)->rows.n, rows.n);
	vec_free(&rows);
	view_cache_free(mine.cache);
}

CASES_MAIN(NULL, NULL)
