/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Golden screens: the console on the fixture, driven by keys through a real terminal emulator,
 * every view at 80x24 and 200x50, in UTF-8 and in ASCII, letter by letter. UPDATE_GOLDEN=1
 * build/tests/screens/test_screens writes them again: read the diff before a commit.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/str.h"
#include "tests/screens/fixture.h"
#include "tests/support/built.h"
#include "tests/support/cases.h"
#include "tests/support/terminal/vt.h"
#include "tests/support/effort.h"

struct screen {
	const char *name;
	const char *keys; /* typed one after the other; Enter is \r, Escape \033 */
};

static const struct screen screens[] = {
	{"cluster", ""},
	{"rail", ":rail 2\r"},
	{"leaf", ":leaf-r2-00\r"},
	{"spine", ":spine-001\r"},
	{"port", ":leaf-r2-00:Ethernet28\r"},
	{"port-uplink", ":leaf-r1-00:Ethernet160\r"},
	{"port-nic", ":node007:mlx5_2\r"},
	{"priority", ":leaf-r2-00:Ethernet28:3\r"},
	{"hosts", ":hosts\r"},
	{"host", ":node012\r"},
	{"links", ":links\r"},
	{"events", ":events\r"},
	{"findings", ":findings\r"},
	{"findings-open", ":findings\r "},
	{"finding", ":findings\r\r"},
	{"trace", ":trace leaf-r2-00:Ethernet28\r"},
	{"trace-host", ":trace node012\r"},
	{"storm", ":storm\r"},
	{"jobs", ":jobs\r"},
	{"ranks", ":jobs\r\r"},
	{"trace-rank", ":trace rank 19\r"},
	{"wiring", ":wiring\r"},
	{"lint", ":lint\r"},
	{"bgp", ":bgp\r"},
	{"devices", ":devices\r"},
	{"device-leaf", ":devices\r/leaf-r6\r\r"},
	{"mark", ":leaf-r2-00\rmbefore"},
	{"since", ":leaf-r2-00\rm\r"},
	{"device", ":devices\r/node019\r\r"},
	{"help", ":links\r?"},
	{"columns", ":leaf-r2-00\rc"},
	{"filter", ":links\r/node007\r"},
	{"palette", ":leaf-r3-00:Ethernet1"},
	{"error", ":leaf-r9-00\r"},
};

static const char *program(void)
{
	static char path[256];

	return built_path("railtop", path, sizeof(path));
}

static struct vt *start(const struct fixture_files *x, int rows, int cols, const char *term,
	const char *locale, const char *const *env)
{
	const char *const argv[] = {
		program(), "-f", x->inventory, "--observations", x->observations, NULL};
	const char *const plain[] = {"NO_COLOR", "XDG_CONFIG_HOME=/nonexistent", NULL};
	struct vt_opts opts = {.rows = rows,
		.cols = cols,
		.term = term,
		.locale = locale,
		.env = env ? env : plain,
		.idle = true};
	struct vt *vt = vt_spawn(&opts, argv);

	assert_non_null(vt);
	vt_wait_idle(vt, 0);
	return vt;
}

static void type_keys(struct vt *vt, const char *keys)
{
	for (; *keys; keys++) {
		char one[2] = {*keys, '\0'};

		if (*keys == '\r')
			vt_key(vt, "Enter");
		else if (*keys == '\033')
			vt_key(vt, "Esc");
		else
			vt_type(vt, one);
	}
	vt_settle(vt);
}

static char *read_all(const char *path)
{
	FILE *f = fopen(path, "re");
	struct buf b;
	char chunk[4096];
	size_t n;

	if (!f)
		return NULL;
	buf_init(&b, 1 << 20);
	while ((n = fread(chunk, 1, sizeof(chunk), f)) > 0)
		(void)buf_add(&b, chunk, n);
	(void)fclose(f);
	return buf_take(&b, NULL);
}

static unsigned first_difference(const char *a, const char *b)
{
	unsigned line = 1;

	for (; *a && *a == *b; a++, b++)
		line += *a == '\n';
	return line;
}

static void compare(const char *name, int rows, int cols, const char *charset, const char *shown)
{
	char path[160];
	char *want;

	(void)str_printf(path, sizeof(path), "tests/screens/golden/%dx%d.%s/%s.txt", cols, rows,
		charset, name);
	if (getenv("UPDATE_GOLDEN")) {
		FILE *f = fopen(path, "we");

		assert_non_null(f);
		(void)fputs(shown, f);
		(void)fclose(f);
		return;
	}
	want = read_all(path);
	if (!want)
		fail_msg("%s is missing: run with UPDATE_GOLDEN=1 and read it", path);
	if (strcmp(want, shown) != 0) {
		/* cmocka cuts a message after a kilobyte. */
		(void)fprintf(stderr, "--- wanted\n%s--- shown\n%s", want, shown);
		fail_msg("%s differs from line %u on", path, first_difference(want, shown));
	}
	free(want);
}

/* Without FULL=1 all of them at 80x24, and each in one of the other three ways. */
static bool is_due(size_t i, int cols, const char *charset)
{
	bool ascii = strcmp(charset, "ascii") == 0;

	if (effort_full() || getenv("UPDATE_GOLDEN") || (cols == 80 && !ascii))
		return true;
	return i % 3 == (ascii ? 1u + (cols > 80) : 0);
}

static void golden(const struct fixture_files *x, int rows, int cols, const char *charset)
{
	const char *locale = strcmp(charset, "utf8") == 0 ? "C.UTF-8" : "C";

	for (size_t i = 0; i < sizeof(screens) / sizeof(screens[0]); i++) {
		struct vt *vt;
		char *shown;

		if (!is_due(i, cols, charset))
			continue;
		vt = start(x, rows, cols, "xterm-256color", locale, NULL);
		type_keys(vt, screens[i].keys);
		shown = vt_screen(vt);
		compare(screens[i].name, rows, cols, charset, shown);
		free(shown);
		vt_leave(vt);
	}
}

CASE(test_golden_80x24_utf8)
{
	golden(*state, 24, 80, "utf8");
}

CASE(test_golden_80x24_ascii)
{
	golden(*state, 24, 80, "ascii");
}

CASE(test_golden_200x50_utf8)
{
	golden(*state, 50, 200, "utf8");
}

CASE(test_golden_200x50_ascii)
{
	golden(*state, 50, 200, "ascii");
}

/* From the cluster to one priority with Enter alone, and back with everything as it was. */
CASE(test_drill_down_and_back)
{
	struct vt *vt = start(*state, 24, 80, "xterm-256color", "C.UTF-8", NULL);
	char *before, *after;

	vt_key(vt, "Enter");
	vt_settle(vt);
	assert_true(vt_has(vt, "rail "));
	vt_key(vt, "Enter");
	vt_settle(vt);
	assert_true(vt_has(vt, "leaf-r"));
	type_keys(vt, "/mlx5|node\rsjjj");
	before = vt_screen(vt);
	vt_key(vt, "Enter");
	vt_settle(vt);
	vt_key(vt, "Enter");
	vt_settle(vt);
	assert_true(vt_has(vt, "priority "));
	vt_key(vt, "Esc");
	vt_settle(vt);
	vt_key(vt, "Esc");
	vt_settle(vt);
	after = vt_screen(vt);
	/* The message line tells of the sort that was just chosen; the pages must be equal above
	 * it. */
	*strrchr(before, '/') = '\0';
	*strrchr(after, '/') = '\0';
	assert_string_equal(before, after);
	free(before);
	free(after);
	vt_leave(vt);
}

CASE(test_every_terminal)
{
	static const char *const terms[] = {"vt100", "linux", "xterm-256color", "tmux-256color"};

	for (size_t i = 0; i < sizeof(terms) / sizeof(terms[0]); i++) {
		struct vt *vt = start(*state, 24, 80, terms[i], "C.UTF-8", NULL);

		assert_true(vt_has(vt, "ref256"));
		type_keys(vt, ":leaf-r2-00:Ethernet28\r");
		assert_true(vt_has(vt, "node007"));
		vt_leave(vt);
	}
}

/* Severity is a word as well as a colour; NO_COLOR leaves no colour at all. */
CASE(test_no_color)
{
	const char *const env[] = {"NO_COLOR=1", "XDG_CONFIG_HOME=/nonexistent", NULL};
	struct vt *vt = start(*state, 24, 80, "xterm-256color", "C.UTF-8", env);

	for (int y = 0; y < 24; y++) {
		for (int x = 0; x < 80; x++) {
			struct vt_attr a = vt_attr_at(vt, y, x);

			assert_int_equal(a.fg, -1);
			assert_int_equal(a.bg, -1);
		}
	}
	type_keys(vt, ":leaf-r2-00\r");
	assert_true(vt_has(vt, "crit"));
	vt_leave(vt);
}

/* Any size, any page: no crash, and back at 80x24 the screen is as it would have been. */
CASE(test_every_size)
{
	static const int sizes[][2] = {
		{10, 40}, {1, 1}, {2, 200}, {5, 20}, {50, 200}, {100, 300}, {3, 7}, {24, 80}};
	static const char *const pages[] = {"", ":leaf-r2-00\r", ":leaf-r2-00:Ethernet28\r",
		":leaf-r2-00:Ethernet28:3\r", ":hosts\r", ":links\r", ":events\r", ":devices\r",
		":bgp\r", ":findings\r", ":storm\r", ":lint\r", ":audit\r", "?"};
	struct vt *vt = start(*state, 24, 80, "xterm-256color", "C.UTF-8", NULL);

	for (size_t p = 0; p < sizeof(pages) / sizeof(pages[0]); p++) {
		char *before, *after;

		type_keys(vt, pages[p]);
		before = vt_screen(vt);
		for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			vt_resize(vt, sizes[i][0], sizes[i][1]);
			vt_settle(vt);
		}
		after = vt_screen(vt);
		assert_string_equal(before, after);
		free(before);
		free(after);
	}
	vt_leave(vt);
}

/* Its line speaks of the table that is seen. */
CASE(test_help_over_a_table)
{
	struct vt *vt = start(*state, 24, 80, "xterm-256color", "C.UTF-8", NULL);

	type_keys(vt, ":links\r");
	assert_true(vt_has(vt, "hidden (h/l moves"));
	type_keys(vt, "?");
	assert_true(vt_has(vt, "Every link, planned or found"));
	assert_false(vt_has(vt, "hidden (h/l moves"));
	type_keys(vt, "\033");
	assert_true(vt_has(vt, "hidden (h/l moves"));
	vt_leave(vt);
}

/* A note with a time, by keys alone; it dims the row, and is taken back. */
CASE(test_acknowledge)
{
	struct vt *vt = start(*state, 50, 200, "xterm-256color", "C.UTF-8", NULL);

	type_keys(vt, "7");
	assert_true(vt_has(vt, "findings"));
	type_keys(vt, "a90 cable ordered\r");
	assert_true(vt_has(vt, "acknowledged until 12:50"));
	type_keys(vt, "/ordered\r");
	assert_true(vt_has(vt, ": cable ordered"));
	type_keys(vt, "a0\r");
	assert_true(vt_has(vt, "1 to 20160 minutes"));
	type_keys(vt, "a-\r");
	assert_true(vt_has(vt, "is withdrawn"));
	vt_leave(vt);
}

/* From a finding to its path, from a rank by name, and from where nothing can be traced. */
CASE(test_trace_by_key_and_by_name)
{
	struct vt *vt = start(*state, 24, 80, "xterm-256color", "C.UTF-8", NULL);

	type_keys(vt, ":node012\rt");
	assert_true(vt_has(vt, "trace"));
	type_keys(vt, ":trace rank 19\r");
	assert_true(vt_has(vt, "rank pretrain/19"));
	type_keys(vt, ":trace rail 3\r");
	assert_true(vt_has(vt, "rail 3 cannot be traced"));
	type_keys(vt, ":job pretrain\r");
	assert_true(vt_has(vt, "behind!"));
	vt_leave(vt);
}

/* A row of needs is no port: the device is traced, and nothing pinned. */
static void try_needs(struct vt *vt, const char *pinned)
{
	type_keys(vt, ":devices\r/leaf-r6\r\r");
	vt_wait_text(vt, "disabled", 0);
	type_keys(vt, "gt");
	assert_true(vt_has(vt, "trace"));
	assert_true(vt_has(vt, "leaf-r6-00"));
	type_keys(vt, "\033");
	type_keys(vt, "G:trace\r");
	assert_true(vt_has(vt, "trace"));
	type_keys(vt, "\033");
	type_keys(vt, ":pin\r");
	if (!vt_has(vt, pinned))
		fail_msg("no \"%s\" in\n%s", pinned, vt_screen(vt));
	type_keys(vt, "\t");
	assert_true(vt_has(vt, "no port is selected here"));
}

static void needs_of(const char *const *argv, const char *pinned)
{
	const char *const env[] = {"NO_COLOR", "XDG_CONFIG_HOME=/nonexistent", NULL};
	const struct vt_opts opts = {.rows = 24, .cols = 100, .env = env, .idle = true};
	struct vt *vt = vt_spawn(&opts, argv);

	assert_non_null(vt);
	vt_wait_text(vt, "1 stale", 0);
	vt_settle(vt);
	try_needs(vt, pinned);
	vt_leave(vt);
}

CASE(test_a_need_is_no_port)
{
	const struct fixture_files *x = *state;
	char file[128];
	const char *const live[] = {program(), "-f", x->inventory, "--observations",
		x->observations, "--record", file, NULL};
	const char *const open[] = {program(), "open", file, NULL};

	(void)str_printf(file, sizeof(file), "%s/needs.rts", x->dir);
	needs_of(live, "no port is selected here");
	needs_of(open, "no port was pinned");
	(void)unlink(file);
}

/* Where no action is possible no key leads there; actions of others can be read. */
CASE(test_no_action_without_a_grant)
{
	struct vt *vt = start(*state, 50, 200, "xterm-256color", "C.UTF-8", NULL);

	type_keys(vt, ":leaf-r2-00:Ethernet28\r");
	assert_false(vt_has(vt, "! act"));
	type_keys(vt, "!");
	assert_true(vt_has(vt, "! is not bound"));
	type_keys(vt, ":act pfcwd-reset\r");
	assert_false(vt_has(vt, "PLANNED"));
	type_keys(vt, "A");
	assert_true(vt_has(vt, "audit"));
	assert_true(vt_has(vt, "incident"));
	vt_leave(vt);
}

CASE(test_pause_shows_a_badge)
{
	struct vt *vt = start(*state, 24, 80, "xterm-256color", "C.UTF-8", NULL);

	type_keys(vt, "p");
	assert_true(vt_has(vt, "PAUSED"));
	type_keys(vt, "p");
	assert_false(vt_has(vt, "PAUSED"));
	vt_leave(vt);
}

/* The terminal comes back as it was, and no answer of the frame gate reaches the shell. */
CASE(test_leaving_restores_the_terminal)
{
	struct vt *vt = start(*state, 24, 80, "xterm-256color", "C.UTF-8", NULL);

	assert_true(vt_altscreen(vt));
	vt_type(vt, "q");
	assert_int_equal(vt_wait_exit(vt), 0);
	assert_false(vt_altscreen(vt));
	assert_true(vt_cursor(vt, NULL, NULL));
	vt_free(vt);
}

CASE(test_bad_usage)
{
	const struct fixture_files *x = *state;
	const char *const argv[] = {program(), "-f", "/nonexistent/fabric.yaml", NULL};
	struct vt *vt = vt_spawn(NULL, argv);

	(void)x;
	assert_int_equal(vt_wait_exit(vt), 2);
	assert_true(vt_has(vt, "/nonexistent/fabric.yaml"));
	assert_false(vt_altscreen(vt));
	vt_free(vt);
}

CASES_MAIN(fixture_set_up, fixture_tear_down)
