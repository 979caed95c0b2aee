/* SPDX-License-Identifier: Apache-2.0 */
/* railtop --noc in a real terminal: the parts it never shows, keys without effect, how it ends. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/str.h"
#include "tests/screens/fixture.h"
#include "tests/support/built.h"
#include "tests/support/cases.h"
#include "tests/support/terminal/vt_internal.h"

static struct vt *start(const struct fixture_files *x, int rows, int cols, bool mute)
{
	static char path[256];
	const char *const argv[] = {path, "--noc", "--rotate", "1h", "-f", x->inventory,
		"--observations", x->observations, NULL};
	struct vt_opts opts = {.rows = rows, .cols = cols, .idle = true, .mute = mute};
	struct vt *vt;

	(void)built_path("railtop", path, sizeof(path));
	vt = vt_spawn(&opts, argv);
	assert_non_null(vt);
	vt_wait_text(vt, "CRITICAL", 0);
	if (!mute)
		vt_wait_idle(vt, 0);
	return vt;
}

/* Until all keys were taken; a program that ends says nothing more. */
static void settle_or_end(struct vt *vt)
{
	while (!vt->eof && (vt->idle_keys < vt->typed || vt->idle_lines <= vt->settled_at))
		assert_true(vt_pump(vt, 30000));
}

/* Two keys count as a pair for five seconds: a machine that stood still that long between them is
 * asked again, and no test for its speed. */
static void leave(struct vt *vt)
{
	bool asked = false;

	for (unsigned i = 0; i < 6 && !vt->eof; i++) {
		vt_type(vt, "q");
		settle_or_end(vt);
		/* Not without a question before. */
		assert_true(asked || !vt->eof);
		asked |= !vt->eof && vt_has(vt, "once more");
	}
	assert_true(asked);
	assert_int_equal(vt_wait_exit(vt), 0);
	assert_false(vt_altscreen(vt));
	vt_free(vt);
}

/* A shell's line, so that its input is a file or a pipe; the arguments end with --idle-fd. */
static struct vt *start_with(const struct fixture_files *x, const char *script)
{
	struct vt_opts opts = {.rows = 24, .cols = 80, .idle = true};
	char text[1024], path[256];
	const char *const argv[] = {"/bin/sh", "-c", text, "sh", NULL};
	struct vt *vt;

	(void)str_printf(text, sizeof(text),
		"d=%s o=%s wall='%s --noc --rotate 1h -f %s --observations'; %s", x->dir,
		x->observations, built_path("railtop", path, sizeof(path)), x->inventory, script);
	vt = vt_spawn(&opts, argv);
	assert_non_null(vt);
	return vt;
}

/* A stream is live, and its data ages; only a file read to its end is a replay. */
static void a_stream_is_no_replay(void **state)
{
	const struct fixture_files *x = *state;
	struct vt *vt = start_with(
		x, "mkfifo $d/pipe && { cat $o >$d/pipe & } && exec $wall $d/pipe \"$@\"");
	char pipe_path[128];

	/* It is of the past: of nobody is anything heard now. */
	vt_wait_text(vt, "BLIND", 0);
	vt_wait_idle(vt, 0);
	assert_false(vt_has(vt, "REPLAY"));
	leave(vt);
	(void)str_printf(pipe_path, sizeof(pipe_path), "%s/pipe", x->dir);
	assert_int_equal(unlink(pipe_path), 0);
	vt = start_with(x, "exec $wall - \"$@\" <$o");
	vt_wait_text(vt, "CRITICAL", 0);
	vt_wait_idle(vt, 0);
	assert_true(vt_has(vt, "REPLAY"));
	leave(vt);
}

/* Options that the wall does not have are refused before it begins. */
static void what_it_has_no_place_for(void **state)
{
	static const char *const options[] = {"--record", "--asciicast", "--view"};
	const struct fixture_files *x = *state;
	char path[256], says[64];

	(void)built_path("railtop", path, sizeof(path));
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		const char *const argv[] = {path, "--noc", "--observations", x->observations,
			options[i], "devices", NULL};
		struct vt *vt = vt_spawn(NULL, argv);

		assert_int_equal(vt_wait_exit(vt), 2);
		(void)str_printf(says, sizeof(says), "--noc does not take %s", options[i]);
		assert_true(vt_has(vt, says));
		assert_int_not_equal(access("devices", F_OK), 0);
		vt_free(vt);
	}
}

/* The fixture's job, its user and where its files are. */
static void nothing_private(const struct fixture_files *x, struct vt *vt)
{
	assert_false(vt_has(vt, "pretrain"));
	assert_false(vt_has(vt, "ada"));
	assert_false(vt_has(vt, x->dir));
	assert_false(vt_has(vt, "fabric.yaml"));
}

static void the_pages_of_an_incident(void **state)
{
	static const int sizes[][2] = {{24, 80}, {50, 200}, {80, 300}};

	for (size_t i = 0; i < 3; i++) {
		struct vt *vt = start(*state, sizes[i][0], sizes[i][1], false);

		assert_true(vt_has(vt, "REPLAY"));
		assert_true(vt_has(vt, "PAUSE STORM"));
		assert_true(vt_has(vt, "31 of 32"));
		assert_true(vt_has(vt, "node007:mlx5_2"));
		for (int page = 0; page < 5; page++) {
			nothing_private(*state, vt);
			vt_key(vt, "Right");
			vt_settle(vt);
		}
		assert_true(vt_has(vt, "overview 1/5"));
		leave(vt);
	}
}

/* Every byte below 0x7f that is no page key: ^C, ^Z and ^\ are among them. */
static void no_key_gets_out(void **state)
{
	struct vt *vt = start(*state, 24, 80, false);
	char *before = vt_screen(vt), *after;

	for (char c = 1; c < 0x7f; c++) {
		if (c == 27 || strchr(" npqh", c))
			continue;
		vt_send(vt, &c, 1);
	}
	vt_send(vt, "\033[200~:quit\r\033[201~", 18);
	vt_send(vt, "\033OP\033[M###", 9);
	vt_key(vt, "Alt-x");
	vt_settle(vt);
	/* A q, as in "quit", asks for confirmation; another key takes it back. */
	vt_type(vt, "x");
	vt_settle(vt);
	vt_type(vt, "h");
	vt_settle(vt);
	vt_type(vt, "h");
	vt_settle(vt);
	after = vt_screen(vt);
	/* The paste has no n and p, so the page is the first. */
	assert_string_equal(before, after);
	assert_int_equal(waitpid(vt_pid(vt), NULL, WNOHANG | WUNTRACED), 0);
	nothing_private(*state, vt);
	free(before);
	free(after);
	leave(vt);
}

static void any_size_and_back(void **state)
{
	static const int sizes[][2] = {{1, 1}, {2, 5}, {1, 200}, {60, 1}, {80, 300}, {24, 80}};
	struct vt *vt = start(*state, 24, 80, false);
	char *before = vt_screen(vt), *after;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		vt_resize(vt, sizes[i][0], sizes[i][1]);
		vt_settle(vt);
	}
	after = vt_screen(vt);
	assert_string_equal(before, after);
	free(before);
	free(after);
	leave(vt);
}

static void signals_end_it_well(void **state)
{
	static const int numbers[] = {SIGTERM, SIGINT, SIGHUP};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		struct vt *vt = start(*state, 24, 80, false);

		assert_int_equal(kill(vt_pid(vt), numbers[i]), 0);
		assert_int_equal(vt_wait_exit(vt), 0);
		assert_false(vt_altscreen(vt));
		vt_free(vt);
	}
}

/* Its supervisor starts it again. */
static void a_terminal_that_is_gone_ends_it_well(void **state)
{
	struct vt *vt = start(*state, 24, 80, false);
	int status = -1;

	(void)close(vt->master);
	vt->master = -1;
	vt->eof = true;
	assert_int_equal(waitpid(vt_pid(vt), &status, 0), vt_pid(vt));
	vt->exited = true;
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	vt_free(vt);
}

/* A terminal that never acknowledges a frame is drawn for all the same. */
static void a_terminal_that_does_not_answer(void **state)
{
	struct vt *vt = start(*state, 24, 80, true);

	vt_key(vt, "Right");
	vt_wait_text(vt, "rails 2/5", 0);
	vt_key(vt, "Right");
	vt_wait_text(vt, "findings 3/5", 0);
	leave(vt);
}

static void what_is_wrong_is_said_before(void **state)
{
	char path[256];
	const char *const argv[] = {path, "--noc", "-f", "/nonexistent/fabric.yaml", NULL};
	struct vt *vt;

	(void)state;
	(void)built_path("railtop", path, sizeof(path));
	vt = vt_spawn(NULL, argv);
	assert_int_equal(vt_wait_exit(vt), 2);
	assert_true(vt_has(vt, "/nonexistent/fabric.yaml"));
	vt_free(vt);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_pages_of_an_incident),
		cmocka_unit_test(no_key_gets_out),
		cmocka_unit_test(any_size_and_back),
		cmocka_unit_test(signals_end_it_well),
		cmocka_unit_test(a_terminal_that_is_gone_ends_it_well),
		cmocka_unit_test(a_terminal_that_does_not_answer),
		cmocka_unit_test(a_stream_is_no_replay),
		cmocka_unit_test(what_it_has_no_place_for),
		cmocka_unit_test(what_is_wrong_is_said_before),
	};

	return cmocka_run_group_tests(tests, fixture_set_up, fixture_tear_down);
}
