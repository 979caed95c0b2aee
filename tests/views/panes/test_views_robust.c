/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"
#include "tests/support/cases.h"
#include "tests/views/support/fixture.h"
#include "views/summary.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* ---- order ---- */

CASE_WITH(worst_first_and_one_end_a_link, fix_open, fix_close)
{
	static const struct fault faults[] = {
		{.device = "leaf-r2-00", .port = "Ethernet0", .pfc_us = 100000},
		{.device = "leaf-r5-00", .port = "Ethernet4", .down = true},
		{.device = "node001", .port = "mlx5_5", .down = true},
	};
	struct fix *x = *state;
	struct worst worst[WORST_MAX];
	size_t n;

	fix_polls(x->m, faults, COUNT(faults));
	n = summary_worst(&x->ctx, worst, COUNT(worst));
	assert_int_equal(n, 2);
	assert_int_equal(worst[0].health.severity, SEV_CRIT);
	assert_int_equal(worst[1].ref.port, fix_port(x->m, "leaf-r2-00", "Ethernet0")->id);
	assert_int_equal(summary_worst(&x->ctx, worst, 1), 1);
	assert_int_equal(summary_worst(&x->ctx, worst, 0), 0);
}

/* A spine that goes away is one cause: its ports and their peers must not fill the list. */
CASE_WITH(the_same_of_many_ports_is_one_line, fix_open, fix_close)
{
	static const struct fault faults[] = {
		{.device = "leaf-r2-00", .port = "Ethernet0", .down = true},
		{.device = "leaf-r2-00", .port = "Ethernet4", .down = true},
		{.device = "leaf-r2-00", .port = "Ethernet8", .down = true},
		{.device = "leaf-r5-00", .port = "Ethernet4", .down = true},
		{.device = "node000", .port = "mlx5_2", .down = true},
		{.device = "node001", .port = "mlx5_2", .down = true},
	};
	struct fix *x = *state;
	struct worst worst[WORST_MAX];
	unsigned ports = 0;
	size_t n;

	x->ctx.cache = view_cache_new();
	fix_polls(x->m, faults, COUNT(faults));
	n = summary_worst(&x->ctx, worst, COUNT(worst));
	assert_int_equal(n, 2);
	for (size_t i = 0; i < n; i++)
		ports += 1 + worst[i].more;
	assert_int_equal(ports, 4); /* one of them is down at its own end only */
	assert_int_equal(worst[0].ref.port, fix_port(x->m, "leaf-r2-00", "Ethernet0")->id);
}

CASE(cache_says_the_same)
{
	static const struct fault faults[] = {
		{.device = "leaf-r2-00", .port = "Ethernet0", .pfc_us = 100000, .load = 0.3}};
	struct model *m = fix_model();
	struct view_cache *cache = view_cache_new();

	for (int s = 0; s < 8; s++) {
		struct view_ctx plain = fix_ctx(m, s), cached = fix_ctx(m, s);

		/* the fault comes, goes, and a device is silent for a while */
		fix_poll(m, s, faults, s >= 2 && s < 5);
		cached.cache = cache;
		for (size_t i = 0; i < view_count; i++) {
			const struct view_ops *v = view_table[i];
			row_vec rows;

			plain.scope = cached.scope =
				v->scope == REF_RAIL ? (struct ref){.kind = REF_RAIL, .rail = 2}
						     : fix_device_ref(m, "leaf-r2-00");
			rows = fix_rows(&plain, v);
			for (size_t r = 0; r < rows.n; r++)
				for (size_t c = 0; c < v->ncolumns; c++) {
					struct view_cell a = {.number = 0}, b = {.number = 1};

					v->cell(&plain, rows.at[r], c, &a);
					v->cell(&cached, rows.at[r], c, &b);
					assert_string_equal(a.text, b.text);
					assert_int_equal(a.role, b.role);
				}
			vec_free(&rows);
		}
	}
	view_cache_free(cache);
	view_cache_free(NULL);
	model_free(m);
}

/* Without news of its own a device is looked at again: "flapped lately" ends by itself. */
CASE_WITH(cache_rechecks_as_time_goes_by, fix_open, fix_close)
{
	struct fix *x = *state;
	struct port *p = fix_port(x->m, "leaf-r2-00", "Ethernet0");
	struct ref row = {.kind = REF_PORT, .port = p->id};

	fix_polls(x->m, NULL, 0);
	x->ctx.cache = view_cache_new();
	assert_cell(&x->ctx, fix_view("leaf"), row, "state", "ok");
	p->last_flap_us = fix_time(1);
	x->ctx.now_us = fix_time(2);
	assert_cell(&x->ctx, fix_view("leaf"), row, "state", "ok");
	x->ctx.now_us = fix_time(4);
	assert_cell(&x->ctx, fix_view("leaf"), row, "state", "WARN");
	/* time goes back: a replay starts again */
	p->last_flap_us = 0;
	x->ctx.now_us = fix_time(1);
	assert_cell(&x->ctx, fix_view("leaf"), row, "state", "ok");
}

CASE(cache_follows_another_model)
{
	struct model *a = fix_model(), *b;
	struct view_cache *cache = view_cache_new();
	struct view_ctx ctx = fix_ctx(a, 1);
	struct plan empty;

	fix_poll(a, 0, NULL, 0);
	fix_poll(a, 1, NULL, 0);
	ctx.cache = cache;
	assert_cell(&ctx, fix_view("cluster"), ((struct ref){.kind = REF_RAIL, .rail = 1}), "rx",
		"400G");
	plan_init(&empty);
	b = model_new(&empty);
	ctx.model = b;
	assert_cell(
		&ctx, fix_view("cluster"), ((struct ref){.kind = REF_RAIL, .rail = 1}), "rx", "-");
	ctx.model = a;
	assert_cell(&ctx, fix_view("cluster"), ((struct ref){.kind = REF_RAIL, .rail = 1}), "rx",
		"400G");
	view_cache_free(cache);
	plan_free(&empty);
	model_free(a);
	model_free(b);
}

/* ---- nothing crashes ---- */

static void check_cell(const struct view_ops *v, size_t c, const struct view_cell *cell)
{
	assert_non_null(memchr(cell->text, 0, sizeof(cell->text)));
	assert_true(cell->role < ROLE_COUNT);
	for (const char *s = cell->text; *s; s++)
		if ((unsigned char)*s < 0x20 || (unsigned char)*s == 0x7f)
			fail_msg("%s.%s: control character", v->name, v->columns[c].id);
	/* unknown is never zero */
	if (str_eq(cell->text, "-"))
		assert_true(isnan(cell->number));
}

static void exercise(const struct view_ctx *ctx, const struct view_ops *v, struct ref row)
{
	const char *target = NULL;
	struct ref scope;

	for (size_t c = 0; c < v->ncolumns + 2; c++) {
		struct view_cell cell;

		memset(&cell, 0x5a, sizeof(cell));
		v->cell(ctx, row, c, &cell);
		if (c < v->ncolumns)
			check_cell(v, c, &cell);
	}
	if (v->enter && v->enter(ctx, row, &target, &scope)) {
		assert_non_null(view_by_name(target));
		assert_true(view_takes(view_by_name(target), scope.kind) ||
			    view_is_whole(view_by_name(target)));
	}
}

/* Every view with every kind of scope and row, real and not. */
static void exercise_all(const struct model *m, int s)
{
	static const uint32_t ids[] = {0, 1, 5, 1000, UINT32_MAX};

	for (size_t i = 0; i < view_count; i++)
		for (int kind = REF_NONE; kind <= REF_KINDS; kind++)
			for (size_t n = 0; n < COUNT(ids); n++) {
				struct view_ctx ctx = fix_ctx(m, s);
				row_vec rows;

				ctx.scope = (struct ref){.kind = (enum ref_kind)kind,
					.rail = (int)ids[n],
					.device = ids[n],
					.port = ids[n],
					.priority = (uint8_t)ids[n],
					.cell = (uint16_t)ids[n],
					.seq = ids[n]};
				rows = fix_rows(&ctx, view_table[i]);
				for (size_t r = 0; r < rows.n && r < 12; r++)
					exercise(&ctx, view_table[i], rows.at[r]);
				exercise(&ctx, view_table[i], ctx.scope);
				if (!rows.n && view_table[i]->empty)
					assert_non_null(view_table[i]->empty(&ctx));
				assert_non_null(view_for_ref(m, ctx.scope));
				vec_free(&rows);
			}
}

CASE(empty_model_is_no_trouble)
{
	struct plan plan;
	struct model *m;

	plan_init(&plan);
	m = model_new(&plan);
	exercise_all(m, 0);
	model_free(m);
	plan_free(&plan);
}

CASE(planned_and_polled_models_are_no_trouble)
{
	struct model *m = fix_model();

	exercise_all(m, 0);
	fix_poll(m, 0, NULL, 0);
	fix_poll(m, 1, NULL, 0);
	exercise_all(m, 1);
	(void)model_age(m, fix_time(1000));
	exercise_all(m, 1000);
	/* a clock that went back */
	exercise_all(m, -5000);
	model_free(m);
}

CASE(hostile_names_are_no_trouble)
{
	static const char evil[] = "\x1b]0;x\x07%s%n\xff\xc3\xe2\x80\xae";
	char longest[NAME_MAX_LEN];
	struct plan plan;
	struct model *m;
	struct obs *o;
	uint32_t at;

	memset(longest, 'w', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	plan_init(&plan);
	m = model_new(&plan);
	for (int i = 0; i < 2; i++) {
		o = obs_new(i ? longest : evil, "fast");
		o->result = OBS_DATA;
		o->received_us = fix_time(0);
		at = obs_port(o, i ? longest : evil);
		if (at != OBS_NO_PORT) {
			obs_word(o, at, ATTR_OPER, 0, evil);
			obs_word(o, at, ATTR_NETDEV, 0, evil);
			obs_word(o, at, ATTR_MEDIA, 0, evil);
			obs_word(o, at, ATTR_PFCWD_ACTION, 3, evil);
			obs_number(o, at, ATTR_SPEED_MBPS, 0, 4e9);
			obs_gauge(o, at, CTR_PRE_FEC_BER, 0, -1);
			obs_gauge(o, at, CTR_RX_POWER_DBM, 7, 1e300);
			obs_count(o, at, CTR_RX_BYTES, 0, UINT64_MAX);
			obs_lldp(o, at, evil, evil);
		}
		obs_capability(o, evil, VALID_DISABLED, evil);
		model_apply(m, o, fix_time(0));
		obs_free(o);
	}
	(void)model_age(m, fix_time(0));
	model_links(m);
	exercise_all(m, 0);
	model_free(m);
	plan_free(&plan);
}

CASES_MAIN(NULL, NULL)
