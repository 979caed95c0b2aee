/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of a screen on a fabric with a storm: the colours of the map, one of two panes alone,
 * the banner where rows are free. Then victims, the progress of a job, a link's ups and downs, and
 * the scale of a history.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "tests/screens/fixture.h"
#include "tests/support/built.h"
#include "tests/support/cases.h"
#include "tests/support/terminal/vt.h"

static struct vt *start(const struct fixture_files *x, int rows, int cols, const char *locale)
{
	static char path[256];
	const char *const argv[] = {built_path("railtop", path, sizeof(path)), "-f", x->inventory,
		"--observations", x->observations, NULL};
	const char *const env[] = {"NO_COLOR", "XDG_CONFIG_HOME=/nonexistent", NULL};
	struct vt_opts opts = {
		.rows = rows, .cols = cols, .locale = locale, .env = env, .idle = true};
	struct vt *vt = vt_spawn(&opts, argv);

	assert_non_null(vt);
	vt_wait_idle(vt, 0);
	return vt;
}

static void run(struct vt *vt, const char *line)
{
	vt_type(vt, ":");
	vt_type(vt, line);
	vt_key(vt, "Enter");
	vt_settle(vt);
}

static void press(struct vt *vt, const char *key)
{
	vt_key(vt, key);
	vt_settle(vt);
}

static void shows(struct vt *vt, const char *text)
{
	if (!vt_has(vt, text))
		fail_msg("no \"%s\" in\n%s", text, vt_screen(vt));
}

static void hides(struct vt *vt, const char *text)
{
	if (vt_has(vt, text))
		fail_msg("\"%s\" in\n%s", text, vt_screen(vt));
}

/* The line of the map that begins with the name. */
static const char *line_of(struct vt *vt, const char *name)
{
	int row;

	if (!vt_find(vt, name, &row, NULL))
		fail_msg("no %s in\n%s", name, vt_screen(vt));
	return vt_line(vt, row);
}

CASE(a_key_chooses_what_colours_the_map)
{
	struct vt *vt = start(*state, 24, 80, "C.UTF-8");

	press(vt, "M");
	shows(vt, "C colour");
	shows(vt, "=== paused > 10%");
	press(vt, "C");
	shows(vt, "the map shows load");
	shows(vt, "load, % of the speed");
	/* The numbers of the links: each spine carries about two thirds of its speed. */
	assert_non_null(strstr(line_of(vt, "leaf-r0-00"), " 6"));
	hides(vt, "--- --- ---");
	press(vt, "C");
	shows(vt, "BER before FEC");
	assert_non_null(strstr(line_of(vt, "leaf-r0-00"), "-9  -9  -9"));
	press(vt, "C");
	shows(vt, "times that the link went down");
	press(vt, "C");
	shows(vt, "% of time paused");
	/* It is kept for the session, and a setting. */
	press(vt, "Esc");
	press(vt, "M");
	shows(vt, "% of time paused");
	run(vt, "set map all");
	shows(vt, "=== paused > 10%");
	run(vt, "set map heat");
	shows(vt, "heat does not colour the map");
	vt_leave(vt);
}

CASE(one_of_two_panes_has_the_screen)
{
	struct vt *vt = start(*state, 50, 200, "C.UTF-8");

	press(vt, "3");
	shows(vt, "\xe2\x94\x82");
	press(vt, "z");
	shows(vt, "the table alone");
	hides(vt, "\xe2\x94\x82");
	press(vt, "z");
	shows(vt, "the detail");
	shows(vt, "peer pause rx");
	/* Its table above still chooses the subject of the detail. */
	press(vt, "Down");
	shows(vt, "peer pause rx");
	press(vt, "z");
	shows(vt, "\xe2\x94\x82");
	vt_leave(vt);
	vt = start(*state, 24, 80, "C.UTF-8");
	press(vt, "3");
	press(vt, "z");
	shows(vt, "there is no second pane here");
	vt_leave(vt);
}

/* The banner has its other lines where the table leaves rows free, and one line elsewhere. */
CASE(the_banner_takes_free_rows)
{
	struct vt *vt = start(*state, 24, 80, "C.UTF-8");

	run(vt, "findings");
	assert_non_null(strstr(vt_line(vt, 1), "PFC STORM"));
	assert_non_null(strstr(vt_line(vt, 2), "e evidence"));
	run(vt, "links");
	assert_non_null(strstr(vt_line(vt, 1), "PFC STORM"));
	hides(vt, "e evidence");
	/* A filter that leaves few rows makes room. */
	run(vt, "filter node007:mlx5_2");
	assert_non_null(strstr(vt_line(vt, 2), "e evidence"));
	/* A chart has a use for each line. */
	press(vt, "v");
	hides(vt, "e evidence");
	vt_leave(vt);
}

/* A row that is red because of the cause alone has the word for it, below the cause. */
CASE(victims_are_called_so)
{
	struct vt *vt = start(*state, 24, 80, "C.UTF-8");

	shows(vt, "CAUSE");
	run(vt, "hosts");
	assert_non_null(strstr(line_of(vt, "node007 "), "CAUSE"));
	run(vt, "map");
	assert_non_null(strstr(line_of(vt, "leaf-r2-00 "), "[X]"));
	vt_leave(vt);
}

CASE(a_job_has_a_chart_of_its_operations)
{
	static const int sizes[][2] = {{24, 80}, {50, 200}};
	struct fixture_files x = *(const struct fixture_files *)*state;
	FILE *f;

	/* The storm alone has no job. */
	(void)str_printf(x.observations, sizeof(x.observations), "%s/jobs.jsonl", x.dir);
	f = fopen(x.observations, "we");
	assert_non_null(f);
	assert_true(fixture_observations(f, 4));
	assert_int_equal(fclose(f), 0);
	for (size_t i = 0; i < 2; i++) {
		struct vt *vt = start(&x, sizes[i][0], sizes[i][1], "C.UTF-8");

		press(vt, "9");
		press(vt, "v");
		shows(vt, "/s of the last");
		shows(vt, "operations");
		run(vt, "chart-metric rx");
		hides(vt, "operations");
		run(vt, "chart-metric ops");
		shows(vt, "operations");
		vt_leave(vt);
	}
	(void)unlink(x.observations);
}

CASE(a_history_has_its_scale)
{
	struct vt *vt = start(*state, 50, 200, "C.UTF-8");

	run(vt, "set split off");
	run(vt, "leaf-r2-00:Ethernet28");
	shows(vt, "400G, ");
	shows(vt, "100%, ");
	vt_leave(vt);
}

/* The home page of a wide screen has the last events, the newest first. */
CASE(home_has_the_last_events)
{
	struct vt *vt = start(*state, 50, 200, "C.UTF-8");

	shows(vt, "last events");
	vt_leave(vt);
}

CASES_MAIN(fixture_set_up_storm, fixture_tear_down)
