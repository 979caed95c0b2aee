/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/recording/copy.h"
#include "archive/recording/rts_internal.h"
#include "base/clock.h"
#include "base/str.h"
#include "tests/archive/support/obs_make.h"
#include "tests/archive/support/rts_rig.h"
#include "tests/support/cases.h"

CASE(entries_come_back)
{
	struct rts_rig g;
	struct rts *r;
	struct rts_cursor *c;
	struct entry e;
	struct err err = {0};
	bool gap;
	struct dice d = {3}, again = {3};
	unsigned n = 0;

	rig_open(&g, NULL);
	for (unsigned i = 0; i < 500; i++)
		rig_add(&g, obs_make_any(&d, RIG_T0 + i * CLOCK_SEC), RIG_T0 + i * CLOCK_SEC);
	rig_close_writer(&g);
	r = rts_open(g.path, &err);
	assert_non_null(r);
	assert_true(rts_info(r)->closed);
	assert_true(rts_info(r)->entries == 500);
	assert_true(rts_info(r)->chunks >= 50);
	assert_string_equal(rts_info(r)->fabric, "rig");
	assert_string_equal(rts_info(r)->user, "eva");
	assert_true(rts_info(r)->from_us == RIG_T0);
	assert_true(rts_info(r)->to_us == RIG_T0 + 499 * CLOCK_SEC);
	c = rts_cursor_new(r);
	rts_cursor_first(c);
	while (rts_next(c, &e, &gap, &err)) {
		struct obs *o = obs_make_any(&again, RIG_T0 + n * CLOCK_SEC);

		assert_false(gap);
		assert_true(e.t_us == RIG_T0 + n * CLOCK_SEC);
		obs_assert_equal(o, e.obs);
		obs_free(o);
		entry_free(&e);
		n++;
	}
	assert_int_equal(n, 500);
	rts_cursor_free(c);
	rts_close(r);
	rig_done(&g);
}

/* The plan is in the file, without credentials or ways to reach a device. */
CASE(plan_comes_back_without_secrets)
{
	static const char *const secrets[] = {"s3cret-user", "id_of_mine", "env:TOKEN", "my_config",
		"my_known", "my_ca", "act-user"};
	struct rts_rig g;
	struct rts *r;
	struct plan p;
	struct err err = {0};
	size_t n;
	char *bytes;
	struct buf json;

	rig_open(&g, NULL);
	rig_close_writer(&g);
	bytes = rig_bytes(&g, &n);
	for (size_t i = 0; i < sizeof(secrets) / sizeof(secrets[0]); i++)
		assert_null(memmem(bytes, n, secrets[i], strlen(secrets[i])));
	free(bytes);
	r = rts_open(g.path, &err);
	assert_non_null(r);
	buf_init(&json, 1 << 20);
	assert_true(rts_part(r, "plan.json", &json, &err));
	for (size_t i = 0; i < sizeof(secrets) / sizeof(secrets[0]); i++)
		assert_null(strstr(json.data, secrets[i]));
	buf_free(&json);
	assert_true(rts_plan(r, &p, &err));
	assert_string_equal(p.fabric, g.plan.fabric);
	assert_int_equal(p.devices.n, g.plan.devices.n);
	assert_int_equal(p.links.n, g.plan.links.n);
	assert_int_equal(p.rails, g.plan.rails);
	assert_memory_equal(&p.lossless, &g.plan.lossless, sizeof(p.lossless));
	for (size_t i = 0; i < p.devices.n; i++) {
		const struct plan_device *a = &p.devices.at[i], *b = &g.plan.devices.at[i];

		assert_string_equal(a->name, b->name);
		assert_string_equal(a->dialect, b->dialect);
		assert_string_equal(a->transport, b->transport);
		assert_string_equal(a->address, b->address);
		assert_true(a->tier == b->tier && a->rail == b->rail && a->net == b->net);
		assert_true(a->interval_us == b->interval_us && a->slow_us == b->slow_us);
		assert_null(a->user);
	}
	assert_memory_equal(p.links.at, g.plan.links.at, p.links.n * sizeof(*p.links.at));
	plan_free(&p);
	rts_close(r);
	rig_done(&g);
}

CASE(keyframes_come_back)
{
	struct rts_rig g;
	struct rts *r;
	struct rts_keyframe k;
	struct rts_cursor *c;
	struct entry e;
	struct err err = {0};
	struct buf out;
	bool all = false, gap;

	rig_open(&g, NULL);
	for (unsigned i = 0; i < 30; i++) {
		rig_poll(&g, i);
		if (i % 10 == 9)
			rig_keyframe(&g, RIG_T0 + i * 5 * CLOCK_SEC, i == 9, i);
	}
	rig_close_writer(&g);
	r = rts_open(g.path, &err);
	assert_non_null(r);
	assert_true(rts_info(r)->keyframes == 3);
	assert_false(rts_keyframe_at(r, RIG_T0, &k));
	assert_true(rts_keyframe_at(r, RIG_T0 + 20 * 5 * CLOCK_SEC, &k));
	assert_true(k.t_us == RIG_T0 + 19 * 5 * CLOCK_SEC);
	assert_int_equal(k.parts, 2);
	buf_init(&out, 64 << 20);
	for (unsigned s = 0; s < SECTION_COUNT; s++) {
		assert_int_equal(k.steps[s], RIG_STEPS);
		for (unsigned step = 0; step < RIG_STEPS; step++) {
			buf_reset(&out);
			assert_true(rts_keyframe_load(r, &k, (enum rts_section)s,
				s == SECTION_HISTORY ? 1 : 0, step, &out, &all, &err));
			rig_assert_step(&out, (enum rts_section)s, step, 19);
			assert_false(all);
		}
	}
	/* Backwards, and the part before. */
	for (unsigned step = RIG_STEPS; step-- > 0;) {
		buf_reset(&out);
		assert_true(rts_keyframe_load(r, &k, SECTION_HISTORY, 0, step, &out, &all, &err));
		rig_assert_step(&out, SECTION_HISTORY, step, 9);
		assert_true(all);
	}
	assert_false(rts_keyframe_load(r, &k, SECTION_HISTORY, 2, 0, &out, &all, &err));
	assert_false(rts_keyframe_load(r, &k, SECTION_MODEL, 0, RIG_STEPS, &out, &all, &err));
	buf_free(&out);
	c = rts_cursor_new(r);
	assert_true(rts_cursor_after(c, &k, &err));
	assert_true(rts_next(c, &e, &gap, &err));
	assert_true(e.t_us == RIG_T0 + 20 * 5 * CLOCK_SEC);
	entry_free(&e);
	rts_cursor_free(c);
	rts_close(r);
	rig_done(&g);
}

/*
 * Other calls flush during a keyframe. The half-written one must go, else its parts would mix with
 * those of the next keyframe with the same number.
 */
CASE(half_a_keyframe_is_not_kept)
{
	static const char block[2000000];
	struct rts_rig g;
	struct rts *r;
	struct rts_keyframe k;
	struct err err = {0};
	struct buf out;

	rig_open(&g, NULL);
	rig_poll(&g, 0);
	rts_keyframe_begin(g.w, RIG_T0, true);
	for (unsigned i = 0; i < 3; i++)
		while (!rts_keyframe_step(g.w, SECTION_MODEL, block, sizeof(block)))
			(void)rig_flush(&g);
	assert_true(rig_flush(&g));
	r = rts_open(g.path, &err);
	assert_non_null(r);
	assert_true(rts_info(r)->entries == 1);
	assert_int_equal(r->pieces.n, 0);
	rts_close(r);
	rts_keyframe_drop(g.w);
	rig_keyframe(&g, RIG_T0, true, 5);
	rig_close_writer(&g);
	r = rts_open(g.path, &err);
	assert_non_null(r);
	assert_true(rts_keyframe_at(r, RIG_T0, &k));
	buf_init(&out, 64 << 20);
	for (unsigned step = 0; step < RIG_STEPS; step++) {
		buf_reset(&out);
		assert_true(rts_keyframe_load(r, &k, SECTION_MODEL, 0, step, &out, NULL, &err));
		rig_assert_step(&out, SECTION_MODEL, step, 5);
	}
	buf_free(&out);
	rts_close(r);
	rig_done(&g);
}

static void small_keyframe(struct rts_rig *g, int64_t t_us, bool whole)
{
	rts_keyframe_begin(g->w, t_us, whole);
	for (unsigned s = 0; s < SECTION_COUNT; s++)
		assert_true(rts_keyframe_step(g->w, (enum rts_section)s, "x", 1));
	rts_keyframe_end(g->w);
}

/* After a clock was set back, the oldest keyframe is not the one with the lowest number. */
CASE(first_keyframe_is_the_oldest)
{
	static const int seconds[] = {7, 3, 5, 3, 9};
	struct rts_rig g;
	struct rts *r;
	struct rts_keyframe k;
	struct err err = {0};

	rig_open(&g, NULL);
	assert_true(rig_flush(&g));
	r = rts_open(g.path, &err);
	assert_non_null(r);
	assert_false(rts_keyframe_first(r, &k));
	for (unsigned i = 0; i < 5; i++)
		small_keyframe(&g, RIG_T0 + seconds[i] * CLOCK_SEC, true);
	rig_close_writer(&g);
	assert_true(rts_refresh(r, &err));
	assert_true(rts_keyframe_first(r, &k));
	assert_true(k.t_us == RIG_T0 + 3 * CLOCK_SEC);
	assert_true(k.id == 4 && k.parts == 1);
	rts_close(r);
	rig_done(&g);
}

/* A foreign file: without a bound each access to a keyframe walks to the last whole one. */
CASE(histories_have_a_bound)
{
	struct rts_rig g;
	struct rts *r;
	struct rts_keyframe k;
	struct err err = {0};

	rig_open(&g, NULL);
	for (int i = 0; i < 70; i++)
		small_keyframe(&g, RIG_T0 + i * CLOCK_SEC, i == 0);
	rig_close_writer(&g);
	r = rts_open(g.path, &err);
	assert_non_null(r);
	assert_true(rts_keyframe_at(r, RIG_T0 + 63 * CLOCK_SEC, &k));
	assert_int_equal(k.parts, 64);
	assert_true(rts_keyframe_at(r, RIG_T0 + 64 * CLOCK_SEC, &k));
	assert_int_equal(k.parts, 0);
	rts_close(r);
	rig_done(&g);
}

/* The reader sees that all of it was forgotten, and does not take that for an edit. */
CASE(everything_is_forgotten)
{
	struct rts_rig g;
	struct rts *r;
	struct rts_file f;
	struct err err = {0};
	struct buf plan;
	struct rts_about about = {.plan = &plan, .kind = "recording"};

	rig_open(&g, NULL);
	about.fabric = g.plan.fabric;
	buf_init(&plan, RTS_BLOB_MAX);
	assert_true(rts_plan_text(&g.plan, &plan, &err));
	for (unsigned i = 0; i < 3; i++)
		rig_poll(&g, i);
	rig_close_writer(&g);
	assert_true(rts_file_open(&f, g.path, &about, false, &err));
	r = rts_open(g.path, &err);
	assert_non_null(r);
	assert_true(rts_info(r)->entries == 3);
	assert_true(rts_file_forget(&f, f.at.next_chunk, &err));
	assert_true(rts_file_commit(&f, &err));
	if (!rts_refresh(r, &err))
		fail_msg("%s", err.text);
	assert_true(rts_info(r)->entries == 0);
	rts_close(r);
	rts_file_close(&f);
	buf_free(&plan);
	rig_done(&g);
}

/* A copy has the same plan as a recording, so its reader needs no more memory and loses no more. */
static bool parsed(const char *links, struct plan *out)
{
	char text[1024], dscp[512] = "";
	struct err err = {0};

	for (int i = 0; i < 64; i++)
		(void)strcat(dscp, i ? ",-1" : "-1");
	(void)str_printf(text, sizeof(text),
		"{\"fabric\":\"f\",\"preset\":\"\",\"rails\":1,\"lossless\":{\"priorities\":0,"
		"\"dscp\":[%s],\"cnp_dscp\":-1,\"ecn_min\":0,\"ecn_max\":0},\"devices\":[%s],"
		"\"links\":[%s],\"jobs\":[]}",
		dscp,
		"{\"name\":\"a\",\"tier\":\"leaf\",\"net\":0,\"rail\":0,\"interval_us\":1,"
		"\"medium_us\":0,\"slow_us\":0}",
		links);
	return rts_plan_parse(text, strlen(text), out, "x", &err);
}

/* A link whose port has no name states its place instead; other links state no place. */
CASE(links_without_names_come_back)
{
	struct plan plan, back;
	struct plan_link l = {.a = 0, .b = 0, .a_port = "Ethernet4", .b_place = 17, .rail = 2};
	struct err err = {0};
	struct buf text;

	plan_init(&plan);
	(void)str_copy(vec_add(&plan.devices)->name, NAME_MAX_LEN, "a");
	vec_push(&plan.links, l);
	buf_init(&text, 1 << 16);
	assert_true(rts_plan_text(&plan, &text, &err));
	assert_true(rts_plan_parse(text.data, text.len, &back, "x", &err));
	assert_string_equal(back.links.at[0].a_port, "Ethernet4");
	assert_string_equal(back.links.at[0].b_port, "");
	assert_int_equal(back.links.at[0].b_place, 17);
	plan_free(&back);
	buf_free(&text);
	plan_free(&plan);
	assert_true(parsed("[0,\"e\",0,\"\",0,0,0,3]", &back));
	plan_free(&back);
	assert_false(parsed("[0,\"e\",0,\"\",0,0]", &back));
	assert_false(parsed("[0,\"e\",0,\"\",0,0,0,100000000]", &back));
	assert_false(parsed("[0,\"e\",0,\"\",0,0,0,-1]", &back));
}

/* Where a device stands, and the words of the site, are part of a recording; older ones lack them.
 */
CASE(racks_and_words_come_back)
{
	struct plan plan, back;
	struct plan_device *d;
	struct err err = {0};
	struct buf text;

	plan_init(&plan);
	d = vec_add(&plan.devices);
	(void)str_copy(d->name, sizeof(d->name), "a");
	(void)str_copy(d->rack, sizeof(d->rack), "R12");
	(void)str_copy(d->unit, sizeof(d->unit), "14.5");
	(void)str_copy(plan.tier_words[TIER_SPINE], TIER_TEXT, "CTSW");
	buf_init(&text, 1 << 16);
	assert_true(rts_plan_text(&plan, &text, &err));
	assert_true(rts_plan_parse(text.data, text.len, &back, "x", &err));
	assert_string_equal(back.devices.at[0].rack, "R12");
	assert_string_equal(back.devices.at[0].unit, "14.5");
	assert_string_equal(back.tier_words[TIER_SPINE], "CTSW");
	assert_string_equal(back.tier_words[TIER_LEAF], "");
	plan_free(&back);
	buf_free(&text);
	plan_free(&plan);
	assert_true(parsed("", &back));
	assert_string_equal(back.devices.at[0].rack, "");
	plan_free(&back);
}

/* Ports of other networks come back; what no inventory could say is refused. */
CASE(networks_of_ports_come_back)
{
	static const struct {
		const char *text;
		bool good;
	} cases[] = {
		{"[0,1,1,\"mlx5_8\"]", true},
		{"[0,2,1,\"mlx5_8\"]", false}, /* beyond the devices */
		{"[1,0,1,\"mlx5_8\"]", false},
		{"[0,1,4,\"mlx5_8\"]", false}, /* no network */
		{"[0,1,-1,\"mlx5_8\"]", false},
		{"[0,1,1,\"\"]", false},
		{"[0,1,1]", false},
		{"[0,1,1,\"\\u001b[2J\"]", false},
		{"7", false},
	};
	struct plan plan, back;
	struct plan_net n = {.from = 0, .to = 1, .net = NET_FRONTEND, .ports = "eth*"};
	struct err err = {0};
	struct buf text;
	char *at;

	plan_init(&plan);
	(void)str_copy(vec_add(&plan.devices)->name, NAME_MAX_LEN, "a");
	vec_push(&plan.nets, n);
	buf_init(&text, 1 << 16);
	assert_true(rts_plan_text(&plan, &text, &err));
	assert_true(rts_plan_parse(text.data, text.len, &back, "x", &err));
	assert_int_equal(back.nets.n, 1);
	assert_string_equal(back.nets.at[0].ports, "eth*");
	assert_int_equal(back.nets.at[0].net, NET_FRONTEND);
	assert_int_equal(back.nets.at[0].to, 1);
	plan_free(&back);
	at = strstr(text.data, "[0,1,2,\"eth*\"]");
	assert_non_null(at);
	*at = '\0';
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char whole[4096];
		bool good;

		assert_true(str_printf(whole, sizeof(whole), "%s%s%s", text.data, cases[i].text,
			at + strlen("[0,1,2,\"eth*\"]")));
		good = rts_plan_parse(whole, strlen(whole), &back, "x", &err);
		assert_int_equal(good, cases[i].good);
		if (good)
			plan_free(&back);
	}
	buf_free(&text);
	plan_free(&plan);
}

CASE(copies_begin_new_runs)
{
	struct rts_rig g;
	struct rts *r;
	struct rts_copy *c;
	struct redact *redact;
	char to[600];
	struct err err = {0};
	struct rts_copy_opts o = {.path = to, .tool = "railtop test", .to_us = INT64_MAX};

	rig_open(&g, NULL);
	for (unsigned i = 0; i < RTS_RUN_CHUNKS + 10; i++)
		rig_poll(&g, i);
	rig_close_writer(&g);
	(void)str_printf(to, sizeof(to), "%s/copy.rts", g.dir);
	redact = o.redact = redact_new(&g.plan);
	r = rts_open(g.path, &err);
	assert_non_null(r);
	c = rts_copy_new(r, &o, &err);
	if (!c)
		fail_msg("%s", err.text);
	assert_true(rts_copy_finish(c, &err));
	rts_copy_free(c);
	redact_free(redact);
	r = rts_open(to, &err);
	assert_non_null(r);
	assert_true(rts_info(r)->entries == RTS_RUN_CHUNKS + 10);
	for (size_t i = 0; i < r->chunks.n; i++)
		assert_true(r->chunks.at[i].id - r->chunks.at[i].head <= RTS_RUN_CHUNKS);
	rts_close(r);
	rig_done(&g);
}

CASE(raw_outputs_are_the_newest)
{
	struct rts_rig g;
	struct rts *r;
	struct err err = {0};
	struct buf out;

	rig_open(&g, NULL);
	rts_writer_raw(g.w, "leaf-0", "fast", "show x", RIG_T0, "old", 3);
	rts_writer_raw(g.w, "leaf-0", "log", "show log", RIG_T0, "a\0b", 3);
	rts_writer_raw(g.w, "leaf-0", "fast", "show x", RIG_T0 + 1, "newer", 5);
	rig_close_writer(&g);
	r = rts_open(g.path, &err);
	assert_non_null(r);
	buf_init(&out, 1 << 20);
	assert_true(rts_part(r, "raw/leaf-0/fast", &out, &err));
	assert_int_equal(out.len, 5);
	assert_string_equal(out.data, "newer");
	buf_reset(&out);
	assert_true(rts_part(r, "raw/leaf-0/log", &out, &err));
	assert_int_equal(out.len, 3);
	assert_memory_equal(out.data, "a\0b", 3);
	assert_false(rts_part(r, "raw/leaf-0/none", &out, &err));
	buf_free(&out);
	rts_close(r);
	rig_done(&g);
}

CASE(continued_or_refused)
{
	struct rts_rig g;
	struct rts *r;
	struct err err = {0};
	bool all = false;

	rig_open(&g, NULL);
	rig_poll(&g, 0);
	assert_null(rts_writer_open(&g.opts, &err)); /* while the other one writes */
	assert_non_null(strstr(err.text, "writing"));
	rig_close_writer(&g);
	g.opts.exclusive = true;
	assert_null(rts_writer_open(&g.opts, &err));
	g.opts.exclusive = false;
	g.w = rts_writer_open(&g.opts, &err);
	assert_non_null(g.w);
	assert_true(rts_writer_wants_keyframe(g.w, &all));
	assert_true(all);
	rig_poll(&g, 1);
	rig_close_writer(&g);
	r = rts_open(g.path, &err);
	assert_non_null(r);
	assert_true(rts_info(r)->entries == 2);
	rts_close(r);
	(void)str_copy(g.plan.fabric, sizeof(g.plan.fabric), "another");
	assert_null(rts_writer_open(&g.opts, &err));
	assert_non_null(strstr(err.text, "another"));
	(void)str_copy(g.plan.fabric, sizeof(g.plan.fabric), "rig");
	g.plan.rails++;
	assert_null(rts_writer_open(&g.opts, &err));
	assert_non_null(strstr(err.text, "inventory"));
	rig_done(&g);
}

CASE(growing_file_is_read)
{
	struct rts_rig g;
	struct rts *r;
	struct rts_cursor *c;
	struct err err = {0};

	rig_open(&g, NULL);
	rig_poll(&g, 0);
	rig_flush(&g);
	r = rts_open(g.path, &err);
	assert_non_null(r);
	assert_false(rts_info(r)->closed);
	c = rts_cursor_new(r);
	assert_int_equal(rig_read(c), 1);
	for (unsigned i = 1; i < 40; i++) {
		rig_poll(&g, i);
		rig_flush(&g);
		assert_true(rts_refresh(r, &err));
		assert_int_equal(rig_read(c), 1);
	}
	assert_true(rts_info(r)->entries == 40);
	rig_close_writer(&g); /* while it is being read */
	assert_true(rts_refresh(r, &err));
	assert_true(rts_info(r)->closed);
	rts_cursor_free(c);
	rts_close(r);
	rig_done(&g);
}

CASE(rotates_and_keeps)
{
	struct rts_writer_opts o = {.rotate_us = 60 * CLOCK_SEC, .keep = 3};
	struct rts_rig g;
	struct rts *r;
	struct rts_keyframe k;
	struct err err = {0};
	char names[16][256];
	size_t n;

	rig_open(&g, &o);
	for (unsigned i = 0; i < 120; i++) {
		bool all = false;

		rig_poll(&g, i);
		rig_flush(&g);
		if (rts_writer_wants_keyframe(g.w, &all))
			rig_keyframe(&g, RIG_T0 + i * 5 * CLOCK_SEC, all, i);
	}
	rig_close_writer(&g);
	n = rig_files(&g, names);
	assert_int_equal(n, 4);
	for (size_t i = 0; i < n; i++) {
		char path[600];

		(void)str_printf(path, sizeof(path), "%s/%s", g.dir, names[i]);
		r = rts_open(path, &err);
		assert_non_null(r);
		assert_true(rts_info(r)->closed);
		assert_true(rts_info(r)->entries <= 15);
		/* Each can be replayed from its begin on. */
		assert_true(rts_keyframe_at(r, rts_info(r)->from_us, &k));
		rts_close(r);
	}
	rig_done(&g);
}

CASE(forgets_what_is_old)
{
	struct rts_writer_opts o = {.forget_us = 300 * CLOCK_SEC, .kind = "live"};
	struct rts_rig g;
	struct rts *r;
	struct rts_keyframe k;
	struct rts_cursor *c;
	struct err err = {0};
	uint64_t half = 0;

	rig_open(&g, &o);
	for (unsigned i = 0; i < 600; i++) {
		rig_poll(&g, i);
		if (i % 5 == 4)
			rig_keyframe(&g, RIG_T0 + i * 5 * CLOCK_SEC, i % 20 == 4, i);
		if (i == 300) {
			rig_flush(&g);
			half = rts_writer_status(g.w).bytes;
		}
	}
	rig_flush(&g);
	r = rts_open(g.path, &err);
	assert_non_null(r);
	assert_true(rts_writer_status(g.w).bytes < half + half / 4);
	assert_true(rts_info(r)->to_us - rts_info(r)->from_us >= 299 * CLOCK_SEC);
	assert_true(rts_info(r)->to_us - rts_info(r)->from_us < 500 * CLOCK_SEC);
	assert_true(rts_keyframe_at(r, rts_info(r)->from_us, &k));
	assert_int_equal(k.parts, 1);
	c = rts_cursor_new(r);
	assert_true(rts_cursor_after(c, &k, &err));
	assert_int_equal(rig_read(c), rts_info(r)->entries);
	rts_cursor_free(c);
	rts_close(r);
	rig_close_writer(&g);
	rig_done(&g);
}

CASE(wants_keyframes_by_cost)
{
	struct rts_rig g;
	bool all = false;
	unsigned i = 0;

	rig_open(&g, NULL);
	assert_true(rts_writer_wants_keyframe(g.w, &all));
	assert_true(all);
	rig_poll(&g, i++);
	rig_keyframe(&g, RIG_T0, all, 0);
	rig_poll(&g, i++);
	assert_false(rts_writer_wants_keyframe(g.w, &all));
	/* Few items: after a quarter of an hour only. */
	while (!rts_writer_wants_keyframe(g.w, &all))
		rig_poll(&g, i++);
	assert_in_range(i, 180, 182);
	assert_false(all);
	rts_keyframe_begin(g.w, RIG_T0 + i * 5 * CLOCK_SEC, false);
	assert_false(rts_writer_wants_keyframe(g.w, &all));
	rts_keyframe_drop(g.w);
	assert_true(rts_writer_wants_keyframe(g.w, &all));
	assert_true(all);
	rig_close_writer(&g);
	rig_done(&g);
}

CASES_MAIN(NULL, NULL)
