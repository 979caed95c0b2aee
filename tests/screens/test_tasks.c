/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tasks of a person on call, counted in keys, through a real terminal at 80x24 and at 200x50:
 * with a storm from a NIC in the fabric.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "tests/screens/fixture.h"
#include "tests/support/built.h"
#include "tests/support/cases.h"
#include "tests/support/terminal/vt.h"

#define CURSOR_GROUND 24 /* of the default theme */

static const int sizes[][2] = {{24, 80}, {50, 200}};

static struct vt *start(const struct fixture_files *x, int rows, int cols, const char *locale)
{
	static char path[256], home[128];
	const char *const argv[] = {built_path("railtop", path, sizeof(path)), "-f", x->inventory,
		"--observations", x->observations, NULL};
	const char *const env[] = {"NO_COLOR", "XDG_CONFIG_HOME=/nonexistent", home, NULL};
	struct vt_opts opts = {.rows = rows,
		.cols = cols,
		.term = "xterm-256color",
		.locale = locale,
		.env = env,
		.idle = true};
	struct vt *vt;

	(void)str_printf(home, sizeof(home), "XDG_STATE_HOME=%s/state", x->dir);
	vt = vt_spawn(&opts, argv);
	assert_non_null(vt);
	vt_wait_idle(vt, 0);
	return vt;
}

static void press(struct vt *vt, const char *const *keys)
{
	for (; *keys; keys++)
		vt_key(vt, *keys);
	vt_settle(vt);
}

/* A task: its keys, at most so many, and what is on the screen then. */
struct task {
	const char *name;
	const char *keys[4];
	size_t most;
	const char *seen[3];
};

static const struct task tasks[] = {
	{"root of a storm", {NULL}, 0, {"node007:mlx5_2", "PFC STORM", "paused 93%"}},
	{"both ends of it", {NULL}, 0, {"node007:mlx5_2", "Eth", NULL}},
	{"its evidence", {"e"}, 1, {"pfc_rx_duration_us", "> 1%", "node007:mlx5_2"}},
	{"graph of the last hour", {"v"}, 2, {"pfc_rx_duration_us", "now", NULL}},
	{"map", {"M"}, 1, {"leaf-r2-00", "[X]", "node007:mlx5_2"}},
	{"heat over time", {"H"}, 1, {"node007:mlx5_2", "<- cause", NULL}},
	{"trace", {"t"}, 2, {"node007", "trace", NULL}},
	{"runbook", {"b"}, 2, {"pfc-storm", "node007:mlx5_2", NULL}},
};

static size_t key_count(const struct task *t)
{
	size_t n = 0;

	while (n < 4 && t->keys[n])
		n++;
	return n;
}

static void do_task(const struct fixture_files *x, const struct task *t, int rows, int cols)
{
	struct vt *vt = start(x, rows, cols, "C.UTF-8");

	assert_true(key_count(t) <= t->most);
	press(vt, t->keys);
	for (size_t i = 0; i < 3 && t->seen[i]; i++)
		if (!vt_has(vt, t->seen[i])) {
			char *shown = vt_screen(vt);

			fail_msg("%s at %dx%d does not show %s:\n%s", t->name, cols, rows,
				t->seen[i], shown);
		}
	vt_leave(vt);
}

CASE(each_task_takes_its_few_keys)
{
	for (size_t i = 0; i < sizeof(tasks) / sizeof(tasks[0]); i++)
		for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++)
			do_task(*state, &tasks[i], sizes[s][0], sizes[s][1]);
}

/* From the finding to the counters of its priority: down to the number, and Enter. */
CASE(priority_counters_from_a_finding)
{
	struct vt *vt = start(*state, 24, 80, "C.UTF-8");

	press(vt, (const char *const[]){"e", "Enter", NULL});
	assert_true(vt_has(vt, "priority 3"));
	assert_true(vt_has(vt, "pfc_rx"));
	vt_leave(vt);
}

CASE(the_banner_is_on_every_page)
{
	static const char *const views[] = {"rail 2", "leaf-r2-00", "leaf-r2-00:Ethernet28",
		"hosts", "links", "events", "findings", "storm", "jobs", "wiring", "lint", "bgp",
		"devices", "map", "heat", "chart"};

	for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
		struct vt *vt = start(*state, sizes[s][0], sizes[s][1], "C.UTF-8");

		for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++) {
			vt_type(vt, ":");
			vt_type(vt, views[i]);
			vt_key(vt, "Enter");
			vt_settle(vt);
			assert_true(str_starts(vt_line(vt, 1), "PFC STORM  node007:mlx5_2"));
		}
		vt_leave(vt);
	}
}

CASE(a_chart_in_ascii_has_a_sign_a_line)
{
	struct vt *vt = start(*state, 24, 80, "C");

	press(vt, (const char *const[]){"v", "m", NULL});
	assert_true(vt_has(vt, "#  "));
	assert_true(vt_has(vt, "o  "));
	for (int y = 0; y < 24; y++)
		for (const char *c = vt_line(vt, y); *c; c++)
			assert_true((unsigned char)*c < 0x80);
	/* The cursor tells the time under it, and Enter without a recording says why not. */
	press(vt, (const char *const[]){"Left", "Left", NULL});
	assert_true(vt_has(vt, "|"));
	vt_leave(vt);
}

/* Light, temperature, bit errors and queues have charts too: their scale need not begin with 0. */
CASE(readings_have_charts)
{
	static const struct {
		const char *typed, *seen[3];
	} charts[] = {{"dbm", {"dBm of the last", "rx_power_dbm", "lane 4"}},
		{"temp", {"C of the last", "temperature_c", "48.5 C"}},
		{"ber", {"errors a bit", "pre_fec_ber", "3.1e-09"}},
		{"depth", {"B of the last", "queue_depth_bytes", "1.90MB"}},
		{"peak", {"B of the last", "queue_watermark_bytes", "2.40MB"}}};

	for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
		struct vt *vt = start(*state, sizes[s][0], sizes[s][1], "C.UTF-8");

		press(vt, (const char *const[]){"v", NULL});
		for (size_t i = 0; i < sizeof(charts) / sizeof(charts[0]); i++) {
			vt_type(vt, ":chart-metric ");
			vt_type(vt, charts[i].typed);
			vt_key(vt, "Enter");
			vt_settle(vt);
			for (size_t k = 0; k < 3; k++)
				if (!vt_has(vt, charts[i].seen[k]))
					fail_msg("%s: no %s in\n%s", charts[i].typed,
						charts[i].seen[k], vt_screen(vt));
		}
		vt_leave(vt);
	}
}

static void run(struct vt *vt, const char *line)
{
	vt_type(vt, ":");
	vt_type(vt, line);
	vt_key(vt, "Enter");
	vt_settle(vt);
}

/* A saved view is a word of the palette, in the next session too. */
CASE(a_filter_is_saved_under_a_name)
{
	const struct fixture_files *x = *state;
	char file[160];
	struct vt *vt = start(x, 24, 80, "C.UTF-8");

	run(vt, "links");
	run(vt, "filter node007");
	run(vt, "save lost7");
	assert_true(vt_has(vt, "saved; :lost7 opens it"));
	run(vt, "save links");
	assert_true(vt_has(vt, "links is a view, a command or a place"));
	run(vt, "save node007");
	assert_true(vt_has(vt, "node007 is a view, a command or a place"));
	run(vt, "save 7up");
	assert_true(vt_has(vt, "7up is no name"));
	vt_leave(vt);
	vt = start(x, 24, 80, "C.UTF-8");
	vt_type(vt, ":lo");
	vt_settle(vt);
	assert_true(vt_has(vt, "saved: links node007"));
	vt_key(vt, "Esc");
	vt_settle(vt);
	run(vt, "lost7");
	assert_true(vt_has(vt, "links"));
	assert_true(vt_has(vt, "/node007  8 of 512"));
	run(vt, "unsave lost7");
	run(vt, "lost7");
	if (!vt_has(vt, "no view, command or place \"lost7\""))
		fail_msg("%s", vt_line(vt, 22));
	vt_leave(vt);
	(void)str_printf(file, sizeof(file), "%s/state/railtop/views.json", x->dir);
	(void)unlink(file);
	(void)str_printf(file, sizeof(file), "%s/state/railtop", x->dir);
	(void)rmdir(file);
	(void)str_printf(file, sizeof(file), "%s/state", x->dir);
	(void)rmdir(file);
}

static void mouse(struct vt *vt, int button, int row, int col)
{
	char report[32];

	(void)str_printf(report, sizeof(report), "\033[<%d;%d;%dM", button, col + 1, row + 1);
	vt_send(vt, report, strlen(report));
	vt_settle(vt);
}

CASE(the_mouse_chooses_opens_sorts_and_goes_back)
{
	struct vt *vt = start(*state, 24, 80, "C.UTF-8");
	static const char odd[] = "\033[<0;0;0M\033[<999999999;1;1M\033[<;;M\033[<0;500;500M";
	int row, col, from;

	press(vt, (const char *const[]){"3", NULL});
	assert_true(vt_find(vt, "leaf-r2-00:Ethernet136", &row, &col));
	/* The first click chooses the row, the second one opens it. */
	mouse(vt, 0, row, col);
	assert_int_equal(vt_attr_at(vt, row, col).bg, CURSOR_GROUND);
	mouse(vt, 0, row, col);
	assert_true(vt_has(vt, "leaf-r2-00 \xe2\x80\xba Ethernet136"));
	mouse(vt, 0, 0, 4);
	assert_true(vt_has(vt, "ref256 \xe2\x80\xba links"));
	/* The wheel moves the cursor. */
	mouse(vt, 65, 10, 10);
	assert_true(vt_find(vt, "leaf-r2-00:Ethernet136", &row, &col));
	assert_int_not_equal(vt_attr_at(vt, row, col).bg, CURSOR_GROUND);
	assert_int_equal(vt_attr_at(vt, row + 3, col).bg, CURSOR_GROUND);
	/* A title sorts, a word of the last line runs its command, the banner leads to the cause.
	 */
	assert_true(vt_find(vt, "drop/s", NULL, &from));
	mouse(vt, 0, 2, from);
	assert_true(vt_has(vt, "sorted by drops, largest first"));
	assert_true(vt_find(vt, "M map", &row, &col));
	mouse(vt, 0, row, col);
	assert_true(vt_has(vt, "map of links"));
	mouse(vt, 0, 1, 5);
	assert_true(vt_has(vt, "finding"));
	/* Reports that no terminal sends. */
	vt_send(vt, odd, sizeof(odd) - 1);
	vt_settle(vt);
	vt_leave(vt);
}

CASES_MAIN(fixture_set_up_storm, fixture_tear_down)
