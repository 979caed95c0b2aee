/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/str.h"
#include "tests/actions/support/ledger_rig.h"
#include "tests/support/cases.h"

/* Several processes append at once, and some of them die while they do. */

#define EACH  200
#define KILLS 50

static pid_t appends(struct rig *r, unsigned who, unsigned n, int tell)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid != 0)
		return pid;

	struct ledger *l = rig_ledger(r, NULL);
	char act[40];

	if (!l)
		_exit(1);
	for (unsigned i = 0; i < n; i++) {
		(void)str_printf(act, sizeof(act), "w%u-%u", who, i);
		if (!ledger_append(l, LEDGER_SENDING, act,
			    json_pack("{s:s}", "request", "ip link set eth0 down"), NULL))
			_exit(2);
		if (tell >= 0 && write(tell, act, sizeof(act)) != (ssize_t)sizeof(act))
			_exit(3);
	}
	ledger_close(l);
	_exit(0);
}

static unsigned count(const char *text, const char *what)
{
	unsigned n = 0;

	for (const char *s = strstr(text, what); s; s = strstr(s + 1, what))
		n++;
	return n;
}

CASE(two_processes_at_once)
{
	struct ledger_report report;
	struct rig r;
	pid_t pids[2];
	int status;
	char *text;

	rig_open(&r);
	for (unsigned i = 0; i < 2; i++)
		pids[i] = appends(&r, i, EACH, -1);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_int_equal(status, 0);
	}
	report = rig_verify(&r);
	assert_string_equal(report.why, "");
	assert_string_equal(report.note, "");
	assert_int_equal(report.lines, 2 * EACH);
	text = rig_read(r.path, NULL);
	assert_int_equal(count(text, "\"act\":\"w0-"), EACH);
	assert_int_equal(count(text, "\"act\":\"w1-"), EACH);
	free(text);
	rig_close(&r);
}

/* Kills the child at some point after it reported some lines; told receives the reported lines. */
static unsigned kill_one(struct rig *r, unsigned who, unsigned *seed, char (*told)[40])
{
	unsigned n = 0, after = (unsigned)rand_r(seed) % 6;
	volatile unsigned spin = (unsigned)rand_r(seed) % 3000000;
	int tell[2], status;
	pid_t pid;

	assert_int_equal(pipe(tell), 0);
	pid = appends(r, who, 100000, tell[1]);
	(void)close(tell[1]);
	while (n < after && read(tell[0], told[n], 40) == 40)
		n++;
	while (spin > 0)
		spin--;
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	/* The lines still in the pipe were reported before the child died. */
	while (n < 4000 && read(tell[0], told[n], 40) == 40)
		n++;
	(void)close(tell[0]);
	return n;
}

CASE(killed_at_any_point)
{
	static char told[4000][40];
	unsigned seed = 20261122;
	struct rig r;

	rig_open(&r);
	for (unsigned i = 0; i < KILLS; i++) {
		unsigned n = kill_one(&r, i, &seed, told);
		char *text = NULL, what[64];

		ledger_close(rig_ledger_ok(&r));
		assert_string_equal(rig_verify(&r).why, "");
		text = rig_read(r.path, NULL);
		for (unsigned k = 0; k < n; k++) {
			(void)str_printf(what, sizeof(what), "\"act\":\"%s\"", told[k]);
			assert_int_equal(count(text, what), 1);
		}
		free(text);
	}
	rig_close(&r);
}

/* One appends while the other verifies, reads, and asks for facts. */
CASE(readers_see_whole_lines_only)
{
	struct rig r;
	int status = 0;
	pid_t pid;

	rig_open(&r);
	rig_fill(&r, 1);
	pid = appends(&r, 0, EACH, -1);
	while (waitpid(pid, &status, WNOHANG) == 0) {
		struct ledger_facts facts;
		ledger_line_vec lines = {0};
		struct err err = {0};

		assert_string_equal(rig_verify(&r).why, "");
		ledger_facts(r.path, &r.who, "leaf-0", "eth0", NULL, RIG_NOW, &facts);
		assert_string_equal(facts.unusable.text, "");
		assert_true(ledger_read(r.path, 0, 10, &lines, &err));
		for (size_t i = 1; i < lines.n; i++)
			assert_int_equal(lines.at[i].n, lines.at[i - 1].n + 1);
		vec_free(&lines);
	}
	assert_int_equal(status, 0);
	rig_close(&r);
}

CASES_MAIN(NULL, NULL)
