/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Three hours of one port in a recording: a chart over all of it, on both sides of the shown
 * moment, and leaving while there is something to lose.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "tests/screens/fixture.h"
#include "tests/support/built.h"
#include "tests/support/cases.h"
#include "tests/support/terminal/vt.h"

#define HOURS 3
#define STEP  10
#define BYTES 1.25e9 /* a second: 10 Gb/s */

/* 40 Gb/s from minute 60 to 70; the link is down from minute 90 to 95. */
static double bytes_until(unsigned s)
{
	double n = s * BYTES;

	if (s > 3600)
		n += (s < 4200 ? s - 3600 : 600) * 3 * BYTES;
	return n;
}

static const char *program(void)
{
	static char path[256];

	return built_path("railtop", path, sizeof(path));
}

struct files {
	struct fixture_files *x;
	char recording[128];
};

static bool write_hours(const char *path)
{
	FILE *f = fopen(path, "we");
	bool ok = f != NULL;

	for (unsigned s = 0; ok && s <= HOURS * 3600; s += STEP)
		ok = fprintf(f,
			     "{\"t\":%u,\"device\":\"leaf-r2-00\",\"port\":\"Ethernet28\","
			     "\"state\":{\"oper\":\"%s\",\"admin\":\"up\",\"speed_mbps\":400000},"
			     "\"counters\":{\"rx_bytes\":%.0f,\"tx_bytes\":%.0f}}\n",
			     FIXTURE_START + s, s >= 5400 && s < 5700 ? "down" : "up",
			     bytes_until(s), s * BYTES) > 0;
	return f && fclose(f) == 0 && ok;
}

static int set_up(void **state)
{
	static struct files s;
	struct vt *vt;

	if (fixture_set_up((void **)&s.x))
		return -1;
	*state = &s;
	(void)str_printf(s.recording, sizeof(s.recording), "%s/shift.rts", s.x->dir);
	if (!write_hours(s.x->observations))
		return -1;
	{
		const char *const argv[] = {program(), "record", "-f", s.x->inventory,
			"--observations", s.x->observations, "-o", s.recording, NULL};

		vt = vt_spawn(NULL, argv);
	}
	/* It complains about the devices that say nothing. */
	(void)vt_wait_exit(vt);
	vt_free(vt);
	return access(s.recording, R_OK);
}

static int tear_down(void **state)
{
	struct files *s = *state;

	(void)unlink(s->recording);
	return fixture_tear_down((void **)&s->x);
}

static struct vt *start(const char *const *argv, int rows, int cols)
{
	const char *const env[] = {"NO_COLOR", "XDG_CONFIG_HOME=/nonexistent", NULL};
	struct vt_opts opts = {
		.rows = rows, .cols = cols, .locale = "C.UTF-8", .env = env, .idle = true};
	struct vt *vt = vt_spawn(&opts, argv);

	assert_non_null(vt);
	vt_wait_idle(vt, 0);
	return vt;
}

static struct vt *open_recording(const struct files *s, int rows, int cols)
{
	const char *const argv[] = {program(), "open", s->recording, NULL};

	return start(argv, rows, cols);
}

static void run(struct vt *vt, const char *line)
{
	vt_type(vt, ":");
	vt_type(vt, line);
	vt_key(vt, "Enter");
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

/* The answer comes from a thread. */
static void press_and_read(struct vt *vt, const char *key)
{
	vt_key(vt, key);
	vt_wait_text(vt, "from the recording", 0);
	vt_settle(vt);
}

CASE(a_chart_of_the_whole_recording)
{
	static const int sizes[][2] = {{24, 80}, {50, 200}};

	for (size_t i = 0; i < 2; i++) {
		struct vt *vt = open_recording(*state, sizes[i][0], sizes[i][1]);

		vt_wait_text(vt, "REPLAY", 0);
		run(vt, "chart leaf-r2-00:Ethernet28");
		shows(vt, "the last 60m");
		hides(vt, "40.0 Gb/s");
		press_and_read(vt, "-");
		shows(vt, "the last 2h");
		shows(vt, "40.0 Gb/s");
		shows(vt, "^link_up 12:55:00");
		press_and_read(vt, "-");
		shows(vt, "the last 3h");
		/* No further than the recording. */
		press_and_read(vt, "-");
		shows(vt, "the last 3h");
		vt_leave(vt);
	}
}

CASE(a_chart_goes_on_behind_the_shown_moment)
{
	struct vt *vt = open_recording(*state, 24, 80);

	vt_wait_text(vt, "REPLAY", 0);
	run(vt, "at -150m");
	vt_wait_text(vt, "-2:30:00", 0);
	run(vt, "chart leaf-r2-00:Ethernet28");
	run(vt, "chart-zoom 1h");
	vt_wait_text(vt, "from the recording", 0);
	vt_settle(vt);
	shows(vt, "^shown");
	/* Half an hour each. */
	press_and_read(vt, "}");
	press_and_read(vt, "}");
	shows(vt, "40.0 Gb/s");
	/* Enter goes to the cursor, which may be later than the shown moment. */
	vt_key(vt, "Left");
	vt_key(vt, "Enter");
	vt_settle(vt);
	hides(vt, "-2:30:00");
	vt_leave(vt);
}

/* The hour before the shown moment has five minutes without the link; that at the end has none. */
CASE(a_port_shows_the_ups_and_downs_of_its_link)
{
	struct vt *vt = open_recording(*state, 24, 80);

	vt_wait_text(vt, "REPLAY", 0);
	run(vt, "leaf-r2-00:Ethernet28");
	hides(vt, "up, down in 1 h");
	run(vt, "at -60m");
	vt_wait_text(vt, "-1:00:00", 0);
	vt_settle(vt);
	shows(vt, "up, down in 1 h");
	/* Up, then down, then up again. */
	shows(vt, "\xe2\x96\x94\xe2\x96\x81");
	shows(vt, "\xe2\x96\x81\xe2\x96\x94");
	vt_leave(vt);
}

/* Closing a file loses nothing; an own recording and an own history are lost. */
CASE(leaving_asks_for_what_would_be_lost)
{
	const struct files *s = *state;
	char own[160];
	const char *const history[] = {
		program(), "-f", s->x->inventory, "--observations", s->x->observations, NULL};
	const char *const record[] = {program(), "-f", s->x->inventory, "--observations",
		s->x->observations, "--record", own, NULL};
	struct vt *vt;

	(void)str_printf(own, sizeof(own), "%s/own.rts", s->x->dir);
	vt = start(history, 24, 80);
	vt_key(vt, "q");
	vt_settle(vt);
	shows(vt, "leave, and drop the history? y:");
	vt_key(vt, "n");
	vt_key(vt, "Enter");
	vt_settle(vt);
	shows(vt, "railtop stays");
	assert_false(vt_ended(vt));
	vt_leave(vt);
	vt = start(record, 24, 80);
	vt_key(vt, "q");
	vt_settle(vt);
	shows(vt, "leave, and end the recording? y:");
	vt_key(vt, "Esc");
	vt_settle(vt);
	assert_false(vt_ended(vt));
	vt_key(vt, "q");
	vt_type(vt, "y\r");
	assert_int_equal(vt_wait_exit(vt), 0);
	vt_free(vt);
	(void)unlink(own);
	vt = open_recording(s, 24, 80);
	vt_wait_text(vt, "REPLAY", 0);
	vt_type(vt, "q");
	assert_int_equal(vt_wait_exit(vt), 0);
	vt_free(vt);
}

CASES_MAIN(set_up, tear_down)
