/* SPDX-License-Identifier: Apache-2.0 */
/* railtop --noc in a real terminal: what it never shows, what no key does, how it ends. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/str.h"
#include "tests/screens/fixture.h"
#include "tests/tools/vt_internal.h"

static struct vt *start(const struct fixture_files *x, int rows, int cols, bool mute)
{
	static char path[256];
	const char *build = getenv("BUILD");
	const char *const argv[] = {path, "--noc", "--rotate", "1h", "-f", x->inventory,
		"--observations", x->observations, NULL};
	struct vt_opts opts = {.rows = rows, .cols = cols, .idle = true, .mute = mute};
	struct vt *vt;

	(void)str_printf(path, sizeof(path), "%s/railtop", build ? build : "build");
	vt = vt_spawn(&opts, argv);
	assert_non_null(vt);
	vt_wait_text(vt, "CRITICAL", 0);
	if (!mute)
		vt_wait_idle(vt, 0);
	return vt;
}

static void leave(struct vt *vt)
{
	vt_type(vt, "q");
	vt_settle(vt);
	assert_true(vt_has(vt, "once more"));
	vt_type(vt, "q");
	assert_int_equal(vt_wait_exit(vt), 0);
	assert_false(vt_altscreen(vt));
	vt_free(vt);
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
	/* A q, as in "quit", is asked for again; what comes next takes it back. */
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

/* Whoever watches over it starts it again. */
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

/* One that never says that it has drawn is drawn for all the same. */
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
	const char *build = getenv("BUILD");
	char path[256];
	const char *const argv[] = {path, "--noc", "-f", "/nonexistent/fabric.yaml", NULL};
	struct vt *vt;

	(void)state;
	(void)str_printf(path, sizeof(path), "%s/railtop", build ? build : "build");
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
		cmocka_unit_test(what_is_wrong_is_said_before),
	};

	return cmocka_run_group_tests(tests, fixture_set_up, fixture_tear_down);
}
