/* SPDX-License-Identifier: Apache-2.0 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"
#include "tests/support/cases.h"
#include "tests/support/terminal/vt.h"
#include "tests/views/support/fixture.h"
#include "views/panels/cluster_panel.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* A program that draws one view's panel with its table below, and leaves at the first key. */
struct scene {
	const char *view;
	struct ref scope;
	const struct model *model;
	int second;
	bool ascii;
};

struct drawn {
	const struct view_ctx *ctx;
	const struct view_ops *view;
	row_vec rows;
};

static void draw_cell(void *opaque, size_t row, size_t col, struct table_cell *out)
{
	struct drawn *d = opaque;
	struct view_cell cell = {.number = 0};

	d->view->cell(d->ctx, d->rows.at[row], col, &cell);
	(void)str_copy(out->text, sizeof(out->text), cell.text);
	out->role = cell.role;
}

static uint64_t draw_key(void *opaque, size_t row)
{
	return ref_key(((struct drawn *)opaque)->rows.at[row]);
}

static void draw(const struct scene *s, struct term *t)
{
	struct view_ctx ctx = {.model = s->model,
		.now_us = fix_time(s->second),
		.scope = s->scope,
		.term = t,
		.cache = view_cache_new()};
	struct drawn d = {.ctx = &ctx, .view = view_by_name(s->view)};
	struct region screen = region_screen(t);
	struct table_state state;
	struct table_source src = {.columns = d.view->columns,
		.ncolumns = d.view->ncolumns,
		.ctx = &d,
		.cell = draw_cell,
		.key = draw_key};
	int used = 0, room = screen.h > 5 ? screen.h - 5 : 0;

	draw_clear(screen);
	if (d.view->panel)
		used = d.view->panel(&ctx, region_sub(screen, 0, 0, room, screen.w));
	/* A panel that says it took more than it was given would push the table out. */
	if (used < 0 || used > room)
		_exit(9);
	d.view->rows(&ctx, &d.rows);
	src.nrows = d.rows.n;
	src.empty = d.view->empty ? d.view->empty(&ctx) : NULL;
	table_init(&state);
	table_draw(region_sub(screen, used, 0, screen.h - used, screen.w), &state, &src);
	vec_free(&d.rows);
	view_cache_free(ctx.cache);
}

static int scene_run(void *opaque, int idle_fd)
{
	const struct scene *s = opaque;
	struct term_opts opts = {.ascii = s->ascii, .no_gate = true};
	struct pollfd p = {.fd = STDIN_FILENO, .events = POLLIN};
	struct err err = {0};
	struct term *t = term_open(&opts, &err);

	if (!t)
		return 3;
	if (!term_begin(t))
		return 4;
	draw(s, t);
	term_commit(t);
	(void)dprintf(idle_fd, "idle 0\n");
	while (term_key(t) == -1)
		(void)poll(&p, 1, -1);
	term_close(t);
	return 0;
}

static struct vt *scene_start(struct scene *s, int rows, int cols)
{
	struct vt_opts opts = {.rows = rows, .cols = cols, .idle = true, .own_stderr = true};
	struct vt *vt = vt_spawn_fn(&opts, scene_run, s);

	vt_wait_idle(vt, 0);
	if (getenv("SHOW")) {
		char *screen = vt_screen(vt);

		fprintf(stderr, "---- %s %dx%d\n%s", s->view, rows, cols, screen);
		free(screen);
	}
	return vt;
}

static void scene_end(struct vt *vt)
{
	vt_type(vt, "q");
	assert_int_equal(vt_wait_exit(vt), 0);
	vt_free(vt);
}

#define assert_shows(vt, text)                                                                     \
	do {                                                                                       \
		if (!vt_has(vt, text)) {                                                           \
			char *screen_ = vt_screen(vt);                                             \
			print_error("%s", screen_);                                                \
			free(screen_);                                                             \
			fail_msg("not on the screen: %s", text);                                   \
		}                                                                                  \
	} while (0)

static const struct fault faults[] = {
	{.device = "leaf-r2-00", .port = "Ethernet0", .pfc_us = 300000},
	{.device = "leaf-r5-00", .port = "Ethernet4", .down = true},
	{.device = "node001", .port = "mlx5_5", .down = true},
	{.device = "leaf-r6-00", .port = "Ethernet12", .pfc_frames = 5000},
};

static struct model *troubled(void)
{
	struct model *m = fix_model();

	for (int s = 0; s < 30; s++)
		fix_poll(m, s, faults, COUNT(faults));
	return m;
}

/* Fewer links than planned is what LLDP shows, and no word about links that are down. */
CASE(links_that_lldp_does_not_show)
{
	static const struct fault mute[] = {
		{.device = "leaf-r2-00", .port = "Ethernet0", .lldp_device = "", .lldp_port = ""},
		{.device = "node000", .port = "mlx5_2", .lldp_device = "", .lldp_port = ""}};
	struct model *m = fix_model();
	struct view_ctx ctx = {.model = m};
	struct panel_line line;

	fix_poll(m, 0, mute, 0);
	model_links(m);
	cluster_state_line(&ctx, &line);
	assert_non_null(strstr(line.text, "2/2 links 32/32"));
	fix_poll(m, 1, mute, COUNT(mute));
	model_links(m);
	cluster_state_line(&ctx, &line);
	assert_non_null(strstr(line.text, " LLDP links 31/32"));
	model_free(m);
}

/* A fabric that does not answer: one line of names, why, and the cure. */
CASE(silent_devices_have_their_reason_and_cure)
{
	struct model *m = fix_model();
	struct scene s = {.view = "cluster", .model = m, .second = 0};
	struct vt *vt;

	for (size_t i = 0; i < m->devices.n; i++) {
		const char *name = m->devices.at[i]->name;
		struct obs *o = obs_new(name, "fast");

		o->result = OBS_FAILED;
		o->received_us = fix_time(0);
		(void)err_set(&o->err, ERR_TIMEOUT, name, "10.0.0.%zu port 22: no route", i);
		(void)err_cure(&o->err, "look at the route");
		model_apply(m, o, fix_time(0));
		obs_free(o);
	}
	(void)model_age(m, fix_time(0));
	vt = scene_start(&s, 20, 80);
	assert_shows(vt, "12 devices without an answer: ");
	assert_shows(vt, "  10.0.0.0 port 22: no route");
	assert_shows(vt, "  cure: look at the route");
	scene_end(vt);
	model_free(m);
}

CASE(cluster_at_80x24)
{
	struct model *m = troubled();
	struct scene s = {.view = "cluster", .model = m, .second = 29};
	struct vt *vt = scene_start(&s, 20, 80);

	assert_true(str_starts(vt_line(vt, 0), "CRIT ports 3 crit 1 warn  hosts 2/2 leaves 8/8"));
	assert_non_null(strstr(vt_line(vt, 0), "spines 2/2 links 32/32"));
	assert_true(str_starts(
		vt_line(vt, 1), "data fresh 12  late 0  stale 0  unreachable 0  unauthorised 0"));
	assert_shows(vt, "worst now");
	assert_shows(vt, "C node001:mlx5_5");
	/* The whole name, as the reason fits beside it. */
	assert_shows(vt, "W leaf-r6-00:Ethernet12 paused at most 42% by its peer");
	/* the map: rail 5 is critical, rail 1 fine */
	assert_shows(vt, "r1    ok");
	assert_shows(vt, "r5    C1");
	/* all rails are in the table */
	assert_shows(vt, "rail 0");
	assert_shows(vt, "rail 7");
	scene_end(vt);
	model_free(m);
}

/* Before any answer, and while some are missing, nothing is shown as well. */
CASE(cluster_that_is_not_known)
{
	struct model *m = fix_model();
	struct scene s = {.view = "cluster", .model = m};
	struct vt *vt = scene_start(&s, 20, 80);

	assert_shows(vt, "worst now: no data yet");
	scene_end(vt);
	for (s.second = 0; s.second < 2; s.second++)
		fix_poll_device(m, m->devices.at[0], s.second, NULL, 0);
	vt = scene_start(&s, 20, 80);
	assert_shows(vt, "worst now: no known problem");
	scene_end(vt);
	for (s.second = 2; s.second < 6; s.second++)
		fix_poll(m, s.second, NULL, 0);
	vt = scene_start(&s, 20, 80);
	assert_shows(vt, "worst now: no problem");
	scene_end(vt);
	model_free(m);
}

CASE(cluster_at_200x50)
{
	struct model *m = troubled();
	struct scene s = {.view = "cluster", .model = m, .second = 29};
	struct vt *vt = scene_start(&s, 46, 200);

	assert_shows(vt, "spine");
	assert_shows(vt, "down, the plan has a link here");
	assert_shows(vt, "up%");
	assert_shows(vt, "spine-001");
	scene_end(vt);
	model_free(m);
}

CASE(port_has_both_ends)
{
	struct model *m = troubled();
	struct scene s = {.view = "port", .model = m, .second = 29};
	struct vt *vt;
	int left, right;

	s.scope =
		(struct ref){.kind = REF_PORT, .port = fix_port(m, "leaf-r2-00", "Ethernet0")->id};
	vt = scene_start(&s, 20, 80);
	assert_true(str_starts(vt_line(vt, 0), "peer node000:mlx5_2 by LLDP, as planned"));
	assert_shows(vt, "leaf-r2-00:Ethernet0  leaf fresh");
	assert_true(vt_find(vt, "leaf-r2-00:Ethernet0", NULL, &left));
	assert_true(vt_find(vt, "node000:mlx5_2  host", NULL, &right));
	assert_int_equal(left, 0);
	assert_true(right >= 40);
	assert_shows(vt, "CRIT link up");
	assert_shows(vt, "paused rx 30%!");
	/* history behind the rate: half of full scale */
	assert_shows(vt, "rx 200Gb/s 50%");
	assert_shows(vt, "\xe2\x96\x85");
	assert_shows(vt, "lossless");
	scene_end(vt);
	/* too narrow for two columns: one above the other */
	vt = scene_start(&s, 30, 60);
	assert_true(vt_find(vt, "node000:mlx5_2  host", NULL, &right));
	assert_int_equal(right, 0);
	scene_end(vt);
	model_free(m);
}

/* Two polls of a NIC: its transport and its counters. */
static void nic_speaks(struct model *m, const char *layer)
{
	for (int s = 30; s < 40; s += 5) {
		struct obs *o = obs_new("node000", "fast");
		uint32_t at = obs_port(o, "mlx5_2");

		o->result = OBS_DATA;
		o->received_us = fix_time(s);
		obs_word(o, at, ATTR_OPER, 0, "up");
		obs_word(o, at, ATTR_LINK_LAYER, 0, layer);
		obs_number(o, at, ATTR_SPEED_MBPS, 0, 400000);
		obs_word(o, at, ATTR_TENANT, 0, "Vrf-red vni 10100");
		/* 6.25e8 ticks of 64 bits a second are a tenth of 400 Gb/s. */
		obs_count(o, at, CTR_TX_WAIT, 0, (uint64_t)(6.25e8 * s));
		obs_count(o, at, CTR_LOCAL_ACK_TIMEOUT_ERR, 0, (uint64_t)(4 * s));
		obs_count(o, at, CTR_TRANSPORT_RETRIES_EXCEEDED, 0, 0);
		model_apply(m, o, fix_time(s));
		obs_free(o);
	}
}

/* RoCE has pauses, InfiniBand credits, EFA neither: each in its own words. */
CASE(port_speaks_the_words_of_its_transport)
{
	struct model *m = fix_model();
	struct scene s = {.view = "port", .model = m, .second = 36};
	struct vt *vt;

	s.scope = fix_port_ref(m, "node000", "mlx5_2");
	nic_speaks(m, "ethernet");
	vt = scene_start(&s, 40, 160);
	assert_shows(vt, "paused rx");
	assert_shows(vt, "tenant");
	assert_shows(vt, "Vrf-red vni 10100");
	scene_end(vt);
	nic_speaks(m, "infiniband");
	vt = scene_start(&s, 40, 160);
	assert_shows(vt, "InfiniBand  speed 400G");
	assert_shows(vt, "no credits 10%");
	scene_end(vt);
	nic_speaks(m, "efa");
	vt = scene_start(&s, 40, 160);
	assert_shows(vt, "EFA  speed 400G");
	assert_shows(vt, "retrans_timeout_events 4/s");
	assert_shows(vt, "unresponsive_remote_events 0/s");
	assert_shows(vt, "retrans_pkts -");
	assert_false(vt_find(vt, "no credits", NULL, NULL));
	scene_end(vt);
	model_free(m);
}

/* Of an hour and a half not every poll is kept: kept polls are drawn, and the gap is reported. */
CASE(port_tells_what_is_kept)
{
	struct model *m = fix_model();
	struct scene s = {.view = "port", .model = m, .second = 600, .ascii = true};
	struct device *leaf = model_device(m, "leaf-r2-00");
	struct history_kept k;
	char want[128], fine[16], coarse[16];
	struct vt *vt;

	s.scope = fix_port_ref(m, "leaf-r2-00", "Ethernet0");
	for (int t = 0; t <= 600; t += 5)
		fix_poll_device(m, leaf, t, NULL, 0);
	vt = scene_start(&s, 40, 160);
	assert_false(vt_find(vt, "history:", NULL, NULL));
	scene_end(vt);
	s.second = 5400;
	for (int t = 605; t <= 5400; t += 5)
		fix_poll_device(m, leaf, t, NULL, 0);
	(void)model_age(m, fix_time(5400));
	k = history_kept(m, fix_port(m, "leaf-r2-00", "Ethernet0"), fix_time(5400));
	assert_true(k.fine_us > k.coarse_us && k.coarse_us > k.since_us);
	(void)clock_format_hms(k.fine_us, fine, sizeof(fine));
	(void)clock_format_hms(k.coarse_us, coarse, sizeof(coarse));
	(void)str_printf(want, sizeof(want),
		"history: polls from %.5s, 30 s sums from %.5s, dropped before", fine, coarse);
	vt = scene_start(&s, 40, 160);
	assert_shows(vt, want);
	/* Half of full scale, in every column of the hour. */
	assert_shows(vt, "rx peaks, 1 h       +++++");
	scene_end(vt);
	/* That it is pinned, and that there is no room for all. */
	assert_true(history_pin(m, fix_port(m, "leaf-r2-00", "Ethernet0"), true, NULL));
	history_set_budget(m, 1);
	for (int t = 5405; t <= 6000; t += 5)
		fix_poll_device(m, leaf, t, NULL, 0);
	s.second = 6000;
	(void)model_age(m, fix_time(6000));
	vt = scene_start(&s, 40, 160);
	assert_shows(vt, "history: pinned, polls from");
	assert_shows(vt, "all histories: ");
	scene_end(vt);
	model_free(m);
}

CASE(ascii_has_no_other_signs)
{
	struct model *m = troubled();
	struct scene s = {.view = "port", .model = m, .second = 29, .ascii = true};
	struct vt *vt;
	char *screen;

	s.scope =
		(struct ref){.kind = REF_PORT, .port = fix_port(m, "leaf-r6-00", "Ethernet12")->id};
	vt = scene_start(&s, 24, 100);
	assert_shows(vt, "paused rx <=42%!");
	screen = vt_screen(vt);
	for (const char *c = screen; *c; c++)
		assert_true((unsigned char)*c < 0x80);
	free(screen);
	scene_end(vt);
	model_free(m);
}

CASE(upper_bound_has_its_sign)
{
	struct model *m = troubled();
	struct scene s = {.view = "leaf", .model = m, .second = 29};
	struct vt *vt;

	s.scope = (struct ref){.kind = REF_DEVICE, .device = model_device(m, "leaf-r6-00")->id};
	vt = scene_start(&s, 20, 80);
	assert_shows(vt, "\xe2\x89\xa4"
			 "42%!");
	scene_end(vt);
	model_free(m);
}

/* Every view at sizes from absurd to large, on an empty, a planned and a polled model. */
CASE(every_size_draws)
{
	static const int sizes[][2] = {{2, 5}, {10, 40}, {24, 80}, {50, 200}};
	struct plan none;
	struct model *models[3];

	plan_init(&none);
	models[0] = model_new(&none);
	models[1] = fix_model();
	models[2] = troubled();
	for (size_t v = 0; v < view_count; v++)
		for (size_t i = 0; i < COUNT(sizes); i++)
			for (size_t m = 0; m < COUNT(models); m++) {
				struct scene s = {.view = view_table[v]->name,
					.model = models[m],
					.second = 29,
					.scope = {.kind = view_table[v]->scope,
						.device = 5,
						.port = 3,
						.priority = 3}};

				scene_end(scene_start(&s, sizes[i][0], sizes[i][1]));
			}
	for (size_t m = 0; m < COUNT(models); m++)
		model_free(models[m]);
	plan_free(&none);
}

CASES_MAIN(NULL, NULL)
