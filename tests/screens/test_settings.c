/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Settings and own commands, by keys and from the file of settings, in a real terminal on a fabric
 * with a storm from a NIC.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "tests/screens/fixture.h"
#include "tests/support/built.h"
#include "tests/support/cases.h"
#include "tests/support/terminal/vt.h"

static void in_dir(const struct fixture_files *x, const char *name, char *dst, size_t size)
{
	(void)str_printf(dst, size, "%s/%s", x->dir, name);
}

static void write_text(const char *path, const char *text, mode_t mode)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(chmod(path, mode), 0);
}

/* The file of settings of the next start. */
static void settle(const struct fixture_files *x, const char *text, mode_t mode)
{
	char path[160];

	in_dir(x, "config", path, sizeof(path));
	(void)mkdir(path, 0700);
	in_dir(x, "config/railtop", path, sizeof(path));
	(void)mkdir(path, 0700);
	in_dir(x, "config/railtop/config", path, sizeof(path));
	write_text(path, text, mode);
}

static void clear_up(const struct fixture_files *x)
{
	static const char *const files[] = {
		"config/railtop/config", "show", "state/railtop/views.json"};
	static const char *const dirs[] = {"config/railtop", "config", "state/railtop", "state"};
	char path[160];

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		in_dir(x, files[i], path, sizeof(path));
		(void)unlink(path);
	}
	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		in_dir(x, dirs[i], path, sizeof(path));
		(void)rmdir(path);
	}
}

static struct vt *start(const struct fixture_files *x, const char *option)
{
	static char path[256], home[128], config[128];
	const char *const argv[] = {built_path("railtop", path, sizeof(path)), "-f", x->inventory,
		"--observations", x->observations, option, NULL};
	const char *const env[] = {"NO_COLOR", "TZ=Asia/Kolkata", config, home, NULL};
	struct vt_opts opts = {.rows = 24,
		.cols = 80,
		.term = "xterm-256color",
		.locale = "C.UTF-8",
		.env = env,
		.idle = true};
	struct vt *vt;

	(void)str_printf(home, sizeof(home), "XDG_STATE_HOME=%s/state", x->dir);
	(void)str_printf(config, sizeof(config), "XDG_CONFIG_HOME=%s/config", x->dir);
	vt = vt_spawn(&opts, argv);
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

static void shows(struct vt *vt, const char *text)
{
	if (!vt_has(vt, text))
		fail_msg("no \"%s\" in\n%s", text, vt_screen(vt));
}

/* A message may have several lines. */
static void says(struct vt *vt, const char *text)
{
	char all[512] = "";

	for (int y = 19; y < 23; y++) {
		const char *line = vt_line(vt, y);
		size_t n = strlen(line);

		while (n && line[n - 1] == ' ')
			n--;
		(void)str_printf(
			all + strlen(all), sizeof(all) - strlen(all), "%.*s ", (int)n, line);
	}
	if (!strstr(all, text))
		fail_msg("no \"%s\" in %s", text, all);
}

static void hides(struct vt *vt, const char *text)
{
	if (vt_has(vt, text))
		fail_msg("\"%s\" in\n%s", text, vt_screen(vt));
}

/* The last sample is of 11:20:15 UTC. */
CASE(times_are_of_the_zone_that_was_set)
{
	struct vt *vt = start(*state, NULL);

	shows(vt, "11:20:15Z");
	run(vt, "set zone +02:00");
	shows(vt, "13:20:15+02");
	hides(vt, "11:20:15");
	run(vt, "events");
	shows(vt, "13:20:1");
	hides(vt, "11:20:");
	run(vt, "set zone local");
	shows(vt, "16:50:15+05:30");
	shows(vt, "16:50:1");
	run(vt, "set zone utc");
	shows(vt, "11:20:15Z");
	run(vt, "set zone Mars/Olympus");
	shows(vt, "Mars/Olympus is no time zone");
	vt_leave(vt);
	clear_up(*state);
}

/* The number stays in bits: 20 GB/s are more than 150 Gb/s, in each unit. */
CASE(rates_are_in_the_unit_that_was_set)
{
	struct vt *vt = start(*state, NULL);

	run(vt, "leaf-r3-00");
	run(vt, "filter Ethernet40");
	run(vt, "set units bytes");
	shows(vt, "GB");
	run(vt, "filter Ethernet40 rx>1GB");
	shows(vt, "1 of 64");
	run(vt, "filter Ethernet40 rx>60GB");
	shows(vt, "0 of 64");
	run(vt, "set units bits");
	shows(vt, "0 of 64");
	run(vt, "set units furlongs");
	shows(vt, "furlongs is no unit of rates");
	vt_leave(vt);
	clear_up(*state);
}

CASE(columns_are_chosen_by_name)
{
	struct vt *vt = start(*state, NULL);

	run(vt, "links");
	shows(vt, "drop/s");
	run(vt, "set columns -drops");
	hides(vt, "drop/s");
	run(vt, "set columns links all");
	shows(vt, "drop/s");
	run(vt, "set columns colour");
	shows(vt, "links has no column colour");
	run(vt, "set columns drops,state");
	shows(vt, "drop/s");
	hides(vt, "rx b/s");
	/* Names are offered as they are typed. */
	vt_type(vt, ":set columns links +dr");
	vt_settle(vt);
	shows(vt, "set columns links +drops");
	vt_key(vt, "Esc");
	vt_settle(vt);
	vt_leave(vt);
	/* They are kept for the next session. */
	vt = start(*state, NULL);
	run(vt, "links");
	shows(vt, "drop/s");
	hides(vt, "rx b/s");
	vt_leave(vt);
	clear_up(*state);
}

CASE(the_file_has_settings_and_own_views)
{
	struct vt *vt;

	settle(*state,
		"# the wall in Amsterdam\n"
		"set zone +01:00\n"
		"set units bytes\n"
		"set columns links state,drops # few\n"
		"view hot links sort=-paused_rx /node007\n",
		0600);
	vt = start(*state, NULL);
	shows(vt, "12:20:15+01");
	run(vt, "links");
	hides(vt, "rx b/s");
	run(vt, "hot");
	shows(vt, "/node007  8 of 512");
	vt_leave(vt);
	settle(*state, "set zone Mars\n", 0600);
	vt = start(*state, NULL);
	says(vt, "config:1: Mars is no time zone");
	vt_leave(vt);
	clear_up(*state);
}

/* The wall has no settings of its own: the zone of the file is that of its times too. */
CASE(the_wall_follows_the_zone_of_the_file)
{
	struct vt *vt;

	settle(*state, "set zone +05:30 # Bengaluru\n", 0600);
	vt = start(*state, "--noc");
	vt_wait_text(vt, "+05:30", 0);
	hides(vt, " UTC");
	vt_type(vt, "q");
	vt_settle(vt);
	vt_type(vt, "q");
	assert_int_equal(vt_wait_exit(vt), 0);
	vt_free(vt);
	clear_up(*state);
}

static void settle_program(const struct fixture_files *x, mode_t mode)
{
	char path[160], text[320];

	in_dir(x, "show", path, sizeof(path));
	write_text(path,
		"#!/bin/sh\n"
		"printf 'words: %s %s\\n' \"$1\" \"$2\"\n"
		"printf 'bad \\033[31m\\033]52;c;eA==\\007 text\\n'\n"
		"echo on the other stream >&2\n"
		"exit 3\n",
		0700);
	(void)str_printf(text, sizeof(text), "command show %s {device} {port}\n", path);
	settle(x, text, mode);
}

CASE(a_program_is_given_the_port_under_the_cursor)
{
	struct vt *vt;

	settle_program(*state, 0600);
	vt = start(*state, NULL);
	run(vt, "show leaf-r2-00:Ethernet28");
	vt_wait_text(vt, "words: leaf-r2-00 Ethernet28", 10);
	shows(vt, "failed with status 3");
	shows(vt, "on the other stream");
	/* Letters that command a terminal are shown as what they are. */
	shows(vt, "bad ?[31m?]52;c;eA==? text");
	vt_key(vt, "Esc");
	vt_settle(vt);
	hides(vt, "words:");
	run(vt, "leaf-r2-00:Ethernet28");
	run(vt, "run show");
	vt_wait_text(vt, "words: leaf-r2-00 Ethernet28", 10);
	vt_key(vt, "q");
	vt_settle(vt);
	run(vt, "node007");
	vt_type(vt, ":sho");
	vt_settle(vt);
	shows(vt, "runs ");
	vt_key(vt, "Esc");
	vt_settle(vt);
	vt_leave(vt);
	clear_up(*state);
}

CASE(read_only_starts_no_program)
{
	struct vt *vt;

	settle_program(*state, 0600);
	vt = start(*state, "--read-only");
	run(vt, "show leaf-r2-00:Ethernet28");
	shows(vt, "this console starts no program");
	vt_leave(vt);
	clear_up(*state);
}

CASE(a_file_that_others_may_write_names_no_program)
{
	struct vt *vt;

	settle_program(*state, 0666);
	vt = start(*state, NULL);
	says(vt, "others may write this file");
	run(vt, "show leaf-r2-00:Ethernet28");
	shows(vt, "there is no device \"show leaf-r2-00\"");
	vt_leave(vt);
	clear_up(*state);
}

/* A message that is longer than the screen has as many lines as it needs. */
CASE(messages_are_not_cut)
{
	struct vt *vt = start(*state, NULL);

	run(vt, "set zone Europe/Amsterdam");
	shows(vt, "Europe/Amsterdam is no time zone; utc, local, +02:00;");
	shows(vt, "TZ=Europe/Berlin and set zone local");
	/* The help says that there is more without hiding a word of it. */
	vt_key(vt, "?");
	vt_settle(vt);
	shows(vt, "more below");
	for (int y = 0; y < 24; y++)
		if (strstr(vt_line(vt, y), "more below"))
			assert_int_equal(strspn(vt_line(vt, y), " "),
				strstr(vt_line(vt, y), "more below") - vt_line(vt, y));
	vt_key(vt, "Esc");
	vt_settle(vt);
	vt_leave(vt);
	clear_up(*state);
}

/* However small the screen, the cause is there, and no number is cut. */
CASE(a_small_screen_keeps_the_cause)
{
	struct vt *vt = start(*state, NULL);

	run(vt, "links");
	vt_resize(vt, 10, 40);
	vt_settle(vt);
	assert_true(str_starts(vt_line(vt, 1), "PFC STORM  node007:mlx5_2"));
	shows(vt, "node007:mlx5_2 r2-00:Eth28");
	for (int y = 3; y < 8; y++) {
		const char *line = vt_line(vt, y);
		size_t n = strlen(line);

		/* The rates end with their letter. */
		if (n == 40 && line[39] != ' ')
			assert_null(strchr("0123456789.", line[39]));
	}
	vt_resize(vt, 24, 80);
	vt_settle(vt);
	/* The row under the cursor of the list of columns is always seen. */
	run(vt, "leaf-r2-00");
	vt_key(vt, "c");
	for (int i = 0; i < 24; i++)
		vt_key(vt, "j");
	vt_settle(vt);
	shows(vt, "] fec_bins");
	vt_key(vt, "Esc");
	vt_settle(vt);
	vt_leave(vt);
	clear_up(*state);
}

CASES_MAIN(fixture_set_up_storm, fixture_tear_down)
