/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "backends/ssh/session_private.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "tests/integration/ssh/ssh_rig.h"

/*
 * A kept shell of a real OpenSSH server that asks itself: with each shell and awk that devices
 * have, when something else is asked, hangs or dies, and when the connection goes.
 */

#define PATIENCE_MS 30000
#define LINES       200
#define EVERY       (CLOCK_SEC / 5)

struct fixture {
	struct ssh_rig rig;
	unsigned ups, downs;
	struct err why;
	char tools[64], said[96], hang[96], text[16384];
	struct request *question;
	bool take; /* ticks are asked for */
	unsigned ticks;
	uint64_t left_out;
	/* The last answer. */
	unsigned answers;
	char *bytes;
	uint64_t text_id;
	unsigned kept; /* answers that came with the previous one */
	bool changed_known;
	uint64_t received;
	int64_t took_us;
	struct err err;
	char asked_why[100];
};

static void on_up(void *ctx)
{
	((struct fixture *)ctx)->ups++;
}

static void on_down(void *ctx, const struct err *why)
{
	struct fixture *f = ctx;

	f->downs++;
	f->why = *why;
}

/* The text before: all of it, or the old bytes in place of this one's changes. */
static void expect_before(const struct answer *a, const char *text)
{
	const struct text_before *b = a->before;
	struct text_change all = {.len = (uint32_t)a->len, .was_len = (uint32_t)b->len};
	const struct text_change *c = b->changes ? b->changes : &all;
	size_t n = b->changes ? b->changes_n : 1, from = 0;
	struct buf was;

	buf_init(&was, 1 << 20);
	for (size_t i = 0; i < n; i++) {
		(void)buf_add(&was, a->bytes + from, c[i].at - from);
		(void)buf_add(&was, b->bytes + c[i].was, c[i].was_len);
		from = c[i].at + c[i].len;
	}
	(void)buf_add(&was, a->bytes + from, a->len - from);
	assert_int_equal(was.len, strlen(text));
	assert_memory_equal(was.data, text, was.len);
	buf_free(&was);
}

static void on_answer(void *ctx, const struct answer *a)
{
	struct fixture *f = ctx;

	f->answers++;
	/* Another question has another text. */
	if (a->before && a->before->was && a->before->was == f->text_id) {
		expect_before(a, f->bytes);
		f->kept++;
	}
	f->text_id = a->before ? a->before->id : 0;
	free(f->bytes);
	f->bytes = mem_strndup(a->bytes, a->len);
	f->changed_known = a->changed != NULL;
	f->received = a->received;
	f->took_us = a->took_us;
	f->err = a->err;
	str_copy(f->asked_why, sizeof(f->asked_why), a->asked_why ? a->asked_why : "");
}

static void on_tick(void *ctx, uint64_t left_out)
{
	struct fixture *f = ctx;
	unsigned before = f->answers;

	f->ticks++;
	f->left_out += left_out;
	if (f->take)
		transport_ssh.ask(f->rig.link, f->question, POLL_FAST, on_answer, f);
	assert_int_equal(f->answers, before); /* not inside of another's call */
}

static int setup_group(void **state)
{
	return ssh_rig_group(state, sizeof(struct fixture));
}

static int setup(void **state)
{
	struct fixture *f = *state;
	struct link_events events = {.up = on_up, .down = on_down, .tick = on_tick, .ctx = f};

	f->ups = f->downs = f->ticks = f->answers = 0;
	f->left_out = 0;
	f->take = true;
	memset(&f->why, 0, sizeof(f->why));
	ssh_rig_open(&f->rig, &events);
	f->rig.device.poll = POLL_WAY_STREAM;
	(void)str_copy(f->tools, sizeof(f->tools), "/tmp/railtop-stream-XXXXXX");
	assert_non_null(mkdtemp(f->tools));
	(void)str_printf(f->said, sizeof(f->said), "%s/said", f->tools);
	(void)str_printf(f->hang, sizeof(f->hang), "%s/hang", f->tools);
	return 0;
}

static int teardown(void **state)
{
	static const char *const names[] = {"said", "hang", "awk", "sh", "sleep"};
	struct fixture *f = *state;
	char path[96];

	ssh_rig_close(&f->rig);
	free(f->bytes);
	f->bytes = NULL;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		(void)str_printf(path, sizeof(path), "%s/%s", f->tools, names[i]);
		(void)unlink(path);
	}
	assert_int_equal(rmdir(f->tools), 0);
	return 0;
}

/* ---- a device ---- */

static bool installed(const char *program)
{
	return access(program, X_OK) == 0;
}

static void tool_is(struct fixture *f, const char *name, const char *program)
{
	char path[96];

	(void)str_printf(path, sizeof(path), "%s/%s", f->tools, name);
	assert_int_equal(symlink(program, path), 0);
}

static void tool_is_script(struct fixture *f, const char *name, const char *script)
{
	char path[96];
	FILE *file;

	(void)str_printf(path, sizeof(path), "%s/%s", f->tools, name);
	file = fopen(path, "we");
	assert_non_null(file);
	(void)fprintf(file, "#!/bin/sh\n%s\n", script);
	(void)fclose(file);
	assert_int_equal(chmod(path, 0755), 0);
}

/* LINES counters; the file is replaced, so that a reader has one or the other. */
static const char *say(struct fixture *f, unsigned n)
{
	char path[128];
	size_t len = 0;
	FILE *file;

	for (unsigned i = 0; i < LINES; i++)
		len += (size_t)snprintf(f->text + len, sizeof(f->text) - len,
			"     rx_prio%u_counter: %u\n", i, 1000 + (i % 7 ? 0 : n));
	(void)str_printf(path, sizeof(path), "%s.next", f->said);
	file = fopen(path, "we");
	assert_non_null(file);
	(void)fputs(f->text, file);
	(void)fclose(file);
	assert_int_equal(rename(path, f->said), 0);
	return f->text;
}

static struct ssh_link *link_of(const struct fixture *f)
{
	return (struct ssh_link *)f->rig.link;
}

static struct ssh_shell *shell_of(const struct fixture *f)
{
	return &link_of(f)->shell;
}

static void turn(struct fixture *f, int64_t until_ms)
{
	if (f->downs || now_ms() > until_ms)
		fail_msg("%u ticks, %u answers, down: %s", f->ticks, f->answers, f->why.text);
	uv_run(&f->rig.loop, UV_RUN_ONCE);
}

static void ask(struct fixture *f, const struct request *q)
{
	int64_t until = now_ms() + PATIENCE_MS;
	unsigned before = f->answers;

	f->take = false;
	transport_ssh.ask(f->rig.link, q, POLL_FAST, on_answer, f);
	while (f->answers == before)
		turn(f, until);
	f->take = true;
}

static bool streams(struct fixture *f, int64_t every_us)
{
	return transport_ssh.stream(f->rig.link, f->question, every_us);
}

/* Asks until the answers are differences, and has it stream. */
static void begin(struct fixture *f, int64_t every_us)
{
	int64_t until = now_ms() + PATIENCE_MS;

	for (unsigned i = 0; !f->changed_known || !streams(f, every_us); i++) {
		(void)say(f, i);
		ask(f, f->question);
		if (now_ms() > until)
			fail_msg("no stream: %s", f->asked_why);
	}
}

static void go_up(struct fixture *f)
{
	int64_t until = now_ms() + PATIENCE_MS;
	char extra[160], text[256];

	(void)str_printf(extra, sizeof(extra),
		"ForceCommand export PATH=%s:/usr/bin:/bin; eval \"$SSH_ORIGINAL_COMMAND\"\n",
		f->tools);
	sshd_start(&f->rig.own, &f->rig.scratch, 0, extra);
	f->rig.device.port = f->rig.own.port;
	transport_ssh.connect(f->rig.link);
	while (!f->ups)
		turn(f, until);
	vec_reserve(&f->rig.requests.at, 256); /* elements must not move */
	(void)say(f, 0);
	(void)str_printf(text, sizeof(text),
		"cat %s; [ ! -e %s ] || sleep 6; echo shell $$; echo 'a\nb' >&2", f->said, f->hang);
	f->question = requests_ssh(&f->rig.requests, "test", "sh -s", text);
	f->question->shell = true;
	f->question->timeout_us = 2 * CLOCK_SEC;
}

static void await_ticks(struct fixture *f, unsigned n)
{
	int64_t until = now_ms() + PATIENCE_MS;

	for (n += f->ticks; f->ticks < n;)
		turn(f, until);
	/* The last of them is answered in the same turn. */
	assert_int_equal(f->err.code, ERR_NONE);
}

/* ---- the answers ---- */

static void streams_with(struct fixture *f, const char *awk, const char *sh)
{
	uint64_t packets, answers;
	unsigned ticks;

	if (!installed(awk) || !installed(sh))
		skip();
	tool_is(f, "awk", awk);
	tool_is(f, "sh", sh);
	go_up(f);
	begin(f, EVERY);
	await_ticks(f, 1);
	packets = link_of(f)->wire.out_packets;
	answers = f->answers;
	ticks = f->ticks;
	for (unsigned i = 0; i < 8; i++) {
		(void)say(f, 100 * i);
		await_ticks(f, 2); /* the first may have read the file before */
		assert_memory_equal(f->bytes, f->text, strlen(f->text));
		assert_true(f->changed_known);
		assert_true(f->received < 600);
	}
	/* Nothing was asked, but for the message that lets it go on sending. */
	assert_true(link_of(f)->wire.out_packets <= packets + 1);
	assert_int_equal(f->answers - answers, f->ticks - ticks);
	/* Tokens that come and go, and all of them others: still the text. */
	(void)unlink(f->said);
	await_ticks(f, 2);
	assert_memory_equal(f->bytes, "shell ", 6);
	(void)say(f, 7);
	await_ticks(f, 2);
	assert_memory_equal(f->bytes, f->text, strlen(f->text));
	assert_string_equal(f->asked_why, "");
	assert_int_equal(shell_of(f)->strikes, 0);
	assert_int_equal(f->downs, 0);
}

static void with_mawk_and_dash(void **state)
{
	streams_with(*state, "/usr/bin/mawk", "/bin/dash");
}

static void with_gawk_and_bash(void **state)
{
	streams_with(*state, "/usr/bin/gawk", "/bin/bash");
}

static void with_busybox(void **state)
{
	streams_with(*state, "/usr/bin/busybox", "/usr/bin/busybox");
}

static void with_mawk_and_bash(void **state)
{
	streams_with(*state, "/usr/bin/mawk", "/bin/bash");
}

/* The device says it, for nobody here has waited. */
static void it_is_known_how_long_an_answer_took(void **state)
{
	struct fixture *f = *state;
	char text[256];

	go_up(f);
	(void)str_printf(text, sizeof(text), "cat %s; sleep 0.3; echo shell $$", f->said);
	f->question = requests_ssh(&f->rig.requests, "test", "sh -s", text);
	f->question->shell = true;
	begin(f, 2 * CLOCK_SEC);
	await_ticks(f, 1);
	assert_in_range(f->took_us, 280 * CLOCK_MSEC, 20 * CLOCK_SEC);
}

/* ---- the ways it ends ---- */

static void another_question_ends_it(void **state)
{
	struct fixture *f = *state;
	struct request *other;
	char nonce[SSH_NONCE_SIZE];

	go_up(f);
	other = requests_ssh(&f->rig.requests, "other", "sh -s", "echo other");
	other->shell = true;
	begin(f, CLOCK_SEC);
	await_ticks(f, 1);
	(void)str_copy(nonce, sizeof(nonce), shell_of(f)->nonce);
	for (int i = 0; i < 3; i++) {
		ask(f, other);
		assert_int_equal(f->err.code, ERR_NONE);
		assert_string_equal(f->bytes, "other\n");
		ask(f, f->question);
		assert_memory_equal(f->bytes, f->text, strlen(f->text));
		begin(f, CLOCK_SEC);
		(void)say(f, 10U * (unsigned)i);
		await_ticks(f, 1);
		assert_memory_equal(f->bytes, f->text, strlen(f->text));
	}
	assert_int_equal(shell_of(f)->strikes, 0);
	/* It was asked of the same shell all the time. */
	assert_string_equal(shell_of(f)->nonce, nonce);
}

/* Asked when nothing was told: the same question, sooner. */
static void it_can_be_asked_for_between_two_ticks(void **state)
{
	struct fixture *f = *state;

	go_up(f);
	begin(f, 20 * CLOCK_SEC);
	(void)say(f, 77);
	ask(f, f->question);
	assert_memory_equal(f->bytes, f->text, strlen(f->text));
	assert_int_equal(f->ticks, 0);
	assert_null(shell_of(f)->stream);
	assert_int_equal(shell_of(f)->strikes, 0);
}

static void its_interval_changes(void **state)
{
	struct fixture *f = *state;

	go_up(f);
	begin(f, 20 * CLOCK_SEC);
	assert_true(streams(f, 20 * CLOCK_SEC));
	assert_false(streams(f, EVERY));
	begin(f, EVERY);
	await_ticks(f, 3);
	assert_false(transport_ssh.stream(f->rig.link, NULL, 0));
	ask(f, f->question);
	assert_memory_equal(f->bytes, f->text, strlen(f->text));
	assert_null(shell_of(f)->stream);
}

/* The console did not read in time: old data is not reported as if it was new. */
static void late_ticks_are_left_out(void **state)
{
	struct fixture *f = *state;
	uint64_t left_out;
	unsigned ticks, answers, kept;

	go_up(f);
	begin(f, EVERY);
	await_ticks(f, 3);
	left_out = f->left_out;
	ticks = f->ticks;
	answers = f->answers;
	kept = f->kept;
	(void)say(f, 5000);
	(void)usleep(2000000);
	await_ticks(f, 2);
	assert_true(f->left_out >= left_out + 4);
	assert_true(f->ticks <= ticks + 5);
	/* They do not come between an answer and its previous one. */
	assert_int_equal(f->kept - kept, f->answers - answers);
	assert_memory_equal(f->bytes, f->text, strlen(f->text));
	assert_true(f->changed_known);
}

/* Nobody asks when it is told: the next one is right all the same. */
static void ticks_may_be_left_alone(void **state)
{
	struct fixture *f = *state;
	unsigned kept, answers;

	go_up(f);
	begin(f, EVERY);
	kept = f->kept;
	answers = f->answers;
	f->take = false;
	for (unsigned i = 0; i < 4; i++) {
		(void)say(f, 3000 + i);
		await_ticks(f, 1);
	}
	f->take = true;
	(void)say(f, 9000);
	await_ticks(f, 2);
	assert_memory_equal(f->bytes, f->text, strlen(f->text));
	assert_int_equal(shell_of(f)->strikes, 0);
	assert_true(f->answers > answers);
	assert_int_equal(f->kept - kept, f->answers - answers);
}

static void wait_until_overdue(struct fixture *f)
{
	int64_t until = now_ms() + PATIENCE_MS, began = clock_mono(&clock_system);
	unsigned ticks = f->ticks;

	while (clock_mono(&clock_system) < began + 2 * EVERY + CLOCK_SEC / 10) {
		turn(f, until);
		if (f->ticks != ticks)
			began = clock_mono(&clock_system);
		ticks = f->ticks;
	}
}

static void a_tool_that_hangs(void **state)
{
	struct fixture *f = *state;
	FILE *file;

	go_up(f);
	begin(f, EVERY);
	await_ticks(f, 2);
	file = fopen(f->hang, "we");
	assert_non_null(file);
	(void)fclose(file);
	wait_until_overdue(f);
	ask(f, f->question);
	assert_int_equal(f->err.code, ERR_TIMEOUT);
	assert_true(shell_of(f)->strikes > 0);
	assert_int_equal(unlink(f->hang), 0);
	ask(f, f->question);
	assert_int_equal(f->err.code, ERR_NONE);
	assert_memory_equal(f->bytes, f->text, strlen(f->text));
	begin(f, EVERY);
	await_ticks(f, 2);
	assert_int_equal(f->downs, 0);
}

/* ---- processes ---- */

/* A child of pid with a number above last; 0: none. */
static pid_t child_of(pid_t pid, pid_t last)
{
	struct dirent *e;
	pid_t found = 0;
	DIR *d = opendir("/proc");

	assert_non_null(d);
	while (!found && (e = readdir(d))) {
		char path[300], line[300] = "", *end;
		pid_t who = (pid_t)strtol(e->d_name, &end, 10);
		FILE *file;
		int parent = 0;

		if (*end || who <= last)
			continue;
		(void)str_printf(path, sizeof(path), "/proc/%d/stat", (int)who);
		file = fopen(path, "re");
		if (!file)
			continue;
		if (fgets(line, sizeof(line), file) && strrchr(line, ')') &&
			sscanf(strrchr(line, ')'), ") %*c %d", &parent) == 1 && parent == pid)
			found = who;
		(void)fclose(file);
	}
	(void)closedir(d);
	return found;
}

static pid_t shell_pid(const struct fixture *f)
{
	const char *at = strstr(f->bytes, "shell ");

	assert_non_null(at);
	return (pid_t)strtol(at + 6, NULL, 10);
}

static bool is_there(pid_t pid)
{
	char path[64], line[300] = "";
	FILE *file;
	bool yes;

	(void)str_printf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return false;
	/* A zombie is none any more. */
	yes = fgets(line, sizeof(line), file) && strrchr(line, ')') && strrchr(line, ')')[2] != 'Z';
	(void)fclose(file);
	return yes;
}

static void await_gone(struct fixture *f, pid_t pid)
{
	int64_t until = now_ms() + PATIENCE_MS;

	while (is_there(pid)) {
		if (now_ms() > until)
			fail_msg("process %d is still there", (int)pid);
		uv_run(&f->rig.loop, UV_RUN_ONCE);
	}
}

/* The loop, its sleep and the shell; right after a tick, so that nothing else runs. */
static void find_loop(struct fixture *f, pid_t who[3])
{
	int64_t until = now_ms() + PATIENCE_MS;

	await_ticks(f, 1);
	(void)say(f, f->ticks); /* in any case, bytes are those of the last answer */
	who[0] = shell_pid(f);
	for (who[2] = 0; !who[2];) {
		turn(f, until);
		who[1] = child_of(who[0], 0);
		who[2] = who[1] ? child_of(who[1], 0) : 0;
	}
}

static void goes_with_the_connection(struct fixture *f, const char *sh)
{
	pid_t who[3];

	if (!installed(sh))
		skip();
	tool_is(f, "sh", sh);
	go_up(f);
	begin(f, 2 * CLOCK_SEC);
	find_loop(f, who);
	/* As when the console is killed: no word of goodbye. */
	assert_int_equal(shutdown(ssh_get_fd(link_of(f)->session), SHUT_RDWR), 0);
	for (int i = 0; i < 3; i++)
		await_gone(f, who[i]);
}

static void nothing_is_left_of_dash(void **state)
{
	goes_with_the_connection(*state, "/bin/dash");
}

static void nothing_is_left_of_bash(void **state)
{
	goes_with_the_connection(*state, "/bin/bash");
}

static void nothing_is_left_of_busybox(void **state)
{
	goes_with_the_connection(*state, "/usr/bin/busybox");
}

/* Without a chance to tell its loop. */
static void nothing_is_left_of_a_shell_that_was_killed(void **state)
{
	struct fixture *f = *state;
	pid_t who[3];

	go_up(f);
	begin(f, CLOCK_SEC);
	find_loop(f, who);
	assert_int_equal(kill(who[0], SIGKILL), 0);
	for (int i = 0; i < 3; i++)
		await_gone(f, who[i]);
	ask(f, f->question);
	assert_int_equal(f->err.code, ERR_NONE);
}

static void a_loop_that_died_is_asked_for(void **state)
{
	struct fixture *f = *state;
	pid_t who[3];

	go_up(f);
	for (int i = 0; i < 3; i++) {
		assert_null(shell_of(f)->asked_why);
		begin(f, EVERY);
		find_loop(f, who);
		assert_int_equal(kill(who[1], SIGKILL), 0);
		wait_until_overdue(f);
		ask(f, f->question);
		assert_int_equal(f->err.code, ERR_NONE);
		assert_memory_equal(f->bytes, f->text, strlen(f->text));
	}
	/* Three in a row are enough. */
	assert_string_equal(f->asked_why, "what it is to say by itself does not come in time");
	assert_false(streams(f, EVERY));
}

static void a_sleep_that_knows_whole_seconds_only(void **state)
{
	struct fixture *f = *state;
	int64_t until = now_ms() + PATIENCE_MS;

	tool_is_script(f, "sleep", "case $1 in *.*) exit 1 ;; esac; exec /bin/sleep \"$@\"");
	go_up(f);
	begin(f, EVERY);
	while (!shell_of(f)->asked_why)
		turn(f, until);
	assert_null(shell_of(f)->stream);
	ask(f, f->question);
	assert_memory_equal(f->bytes, f->text, strlen(f->text));
	assert_true(f->changed_known);
	assert_string_equal(f->asked_why, "no clock, or no sleep that knows fractions of a second");
	assert_false(streams(f, EVERY));
	assert_int_equal(f->ticks, 0);
}

/* Its tools would run all the time: it is told to end, and not believed in the meantime. */
static void a_sleep_that_does_not_sleep(void **state)
{
	struct fixture *f = *state;
	int64_t until = now_ms() + PATIENCE_MS;

	tool_is_script(f, "sleep", "exec /bin/sleep 0.02");
	go_up(f);
	for (int i = 0; i < 3; i++) {
		assert_null(shell_of(f)->asked_why);
		begin(f, 5 * CLOCK_SEC);
		while (shell_of(f)->stream)
			turn(f, until);
	}
	/* Each began a little before its first place. */
	assert_in_range(f->ticks, 0, 3);
	ask(f, f->question);
	assert_memory_equal(f->bytes, f->text, strlen(f->text));
	assert_string_equal(f->asked_why, "what it is to say by itself does not come in time");
	assert_false(streams(f, 5 * CLOCK_SEC));
	assert_int_equal(f->downs, 0);
}

/* Others need the channel, and the rest of it may never come. */
static void half_a_tick_keeps_no_channel(void **state)
{
	struct fixture *f = *state;

	go_up(f);
	begin(f, 20 * CLOCK_SEC);
	ssh_stream_data(link_of(f), "half", 4);
	assert_non_null(shell_of(f)->main.ask);
	assert_true(ssh_shell_yield(link_of(f)));
	assert_false(ssh_shell_open(link_of(f)));
	assert_false(ssh_shell_leaving(link_of(f)));
	ask(f, f->question);
	assert_int_equal(f->err.code, ERR_NONE);
	assert_memory_equal(f->bytes, f->text, strlen(f->text));
	assert_int_equal(f->downs, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {TEST(with_mawk_and_dash), TEST(with_gawk_and_bash),
		TEST(with_busybox), TEST(with_mawk_and_bash),
		TEST(it_is_known_how_long_an_answer_took), TEST(another_question_ends_it),
		TEST(it_can_be_asked_for_between_two_ticks), TEST(its_interval_changes),
		TEST(late_ticks_are_left_out), TEST(ticks_may_be_left_alone),
		TEST(a_tool_that_hangs), TEST(nothing_is_left_of_dash),
		TEST(nothing_is_left_of_bash), TEST(nothing_is_left_of_busybox),
		TEST(nothing_is_left_of_a_shell_that_was_killed),
		TEST(a_loop_that_died_is_asked_for), TEST(a_sleep_that_knows_whole_seconds_only),
		TEST(a_sleep_that_does_not_sleep), TEST(half_a_tick_keeps_no_channel)};

	return cmocka_run_group_tests(tests, setup_group, ssh_rig_group_end);
}
