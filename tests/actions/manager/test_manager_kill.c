/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An action that is killed with SIGKILL at each of its calls that write, sync or rename, and
 * between them: before the call, behind it, and within a write. The device and its log are in
 * memory that outlives the process. Nothing is changed without a line in the ledger, and the next
 * start tells what was left, with its cure. All boundaries of two actions, with FULL=1 of all; then
 * 30 or 200 at random.
 */
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/str.h"
#include "tests/actions/support/way.h"
#include "tests/support/cases.h"
#include "tests/support/effort.h"

/* What the parent sees of the child. */
struct seen {
	struct fake_setting before, now;
	unsigned done;  /* changes that the device carried out */
	unsigned calls; /* that were counted */
	char ledger[96];
	bool ended;
};

static struct seen *seen;
static struct way *victim; /* in the child; NULL: nothing is counted */
static unsigned kill_at;   /* the call, from 1; 0: none */
enum { KILL_BEFORE, KILL_BEHIND, KILL_WITHIN, KILL_WAYS };
static int kill_how; /* within: half a write */

static void look(void)
{
	seen->now = victim->fake.now;
	seen->done = 0;
	for (size_t i = 0; i < victim->fake.lines.n; i++)
		seen->done += victim->fake.lines.at[i].change && victim->fake.lines.at[i].done;
}

static void die(void)
{
	look();
	(void)syscall(SYS_kill, getpid(), SIGKILL);
	for (;;)
		(void)pause();
}

/* True: this call is the one. Any thread of the child may be in it. */
static bool is_due(void)
{
	return victim && __atomic_add_fetch(&seen->calls, 1, __ATOMIC_SEQ_CST) == kill_at;
}

#define SEAM(type, call)                                                                           \
	do {                                                                                       \
		bool due = is_due();                                                               \
		type rc;                                                                           \
		if (due && kill_how != KILL_BEHIND)                                                \
			die();                                                                     \
		rc = (type)(call);                                                                 \
		if (due)                                                                           \
			die();                                                                     \
		return (rc);                                                                       \
	} while (0)

ssize_t write(int fd, const void *p, size_t n)
{
	bool due = is_due();
	ssize_t rc;

	if (due && kill_how == KILL_WITHIN)
		(void)syscall(SYS_write, fd, p, n / 2);
	if (due && kill_how != KILL_BEHIND)
		die();
	rc = syscall(SYS_write, fd, p, n);
	if (due)
		die();
	return rc;
}

int fsync(int fd)
{
	SEAM(int, syscall(SYS_fsync, fd));
}

int fdatasync(int fd)
{
	SEAM(int, syscall(SYS_fdatasync, fd));
}

int rename(const char *from, const char *to)
{
	SEAM(int, syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to));
}

/* ---- one life ---- */

static void live(const struct way_case *c)
{
	struct way *r = way_new();

	way_fit(r, c);
	seen->before = seen->now = r->fake.now;
	(void)str_copy(seen->ledger, sizeof(seen->ledger), r->ledger);
	victim = r;
	(void)way_do(r, c->action);
	look();
	victim = NULL;
	seen->ended = true;
	_exit(0);
}

static void run(const struct way_case *c, unsigned at, int how)
{
	pid_t pid;
	int status;

	memset(seen, 0, sizeof(*seen));
	kill_at = at;
	kill_how = how;
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		live(c);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(at ? WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL : seen->ended);
}

static int drop(const char *path, const struct stat *st, int what, struct FTW *at)
{
	(void)st, (void)what, (void)at;
	return remove(path);
}

static void clean(void)
{
	char dir[96];

	(void)str_copy(dir, sizeof(dir), seen->ledger);
	if (strrchr(dir, '/'))
		*strrchr(dir, '/') = '\0';
	if (str_starts(dir, "/dev/shm/railtop-acts-") || str_starts(dir, "/tmp/railtop-acts-"))
		(void)nftw(dir, drop, 16, FTW_DEPTH | FTW_PHYS);
}

/* ---- what is left ---- */

struct left {
	unsigned begun, sending, ended;
};

static void count_lines(struct left *l)
{
	char line[65536];
	FILE *f = fopen(seen->ledger, "re");

	memset(l, 0, sizeof(*l));
	/* A torn line announced nothing: its order was not sent. */
	while (f && fgets(line, sizeof(line), f) && strchr(line, '\n')) {
		l->begun += strstr(line, "\"event\":\"begun\"") != NULL;
		l->sending += strstr(line, "\"event\":\"sending\"") != NULL;
		l->ended +=
			strstr(line, "\"event\":\"done\"") || strstr(line, "\"event\":\"failed\"");
	}
	if (f)
		(void)fclose(f);
}

struct totals {
	unsigned kills, told, shut, nothing, ended, torn, silent;
};

static void settle(const char *act, const char *when)
{
	struct who who = {.user = "ann", .uid = 1001, .host = "bastion"};
	struct ledger_opts o = {.path = seen->ledger, .clock = &clock_system};
	struct err err = {0};
	struct ledger *l = ledger_open(&o, &who, &err);

	if (!l)
		fail_msg("%s: the next start cannot open the ledger: %s: %s", when, err.text,
			err.cure);
	if (act)
		assert_true(ledger_append(l, LEDGER_SETTLED, act,
			json_pack("{s:s}", "reason", "looked at it"), &err));
	ledger_close(l);
}

static void check_open(const struct left *l, struct totals *t, const char *when)
{
	ledger_open_vec open = {0};
	struct err err = {0}, what = {0};

	assert_true(ledger_open_acts(seen->ledger, &open, &err));
	if (open.n != (l->begun && !l->ended ? 1 : 0))
		fail_msg("%s: %zu actions are told as open (%u begun, %u ended)", when, open.n,
			l->begun, l->ended);
	if (!open.n)
		return;
	t->told++;
	ledger_open_text(&open.at[0], &what);
	assert_non_null(strstr(what.cure, "railtop ledger settle "));
	assert_non_null(strstr(what.cure, open.at[0].act));
	if ((l->sending > 0) != (open.at[0].sent[0] != '\0'))
		fail_msg("%s: sent is \"%s\" after %u", when, open.at[0].sent, l->sending);
	/* A port left shut by a bounce has its way back in the cure. */
	if (seen->before.admin_up && !seen->now.admin_up &&
		str_eq(open.at[0].action, "port-bounce")) {
		t->shut++;
		if (!strstr(what.cure, "admin up"))
			fail_msg("%s: the port is shut, and the cure is: %s", when, what.cure);
	}
	settle(open.at[0].act, when);
	open.n = 0;
	assert_true(ledger_open_acts(seen->ledger, &open, &err));
	assert_int_equal(open.n, 0);
	vec_free(&open);
}

static void check(const struct way_case *c, unsigned at, int how, struct totals *t)
{
	struct ledger_report report;
	struct err err = {0};
	struct left l;
	char when[120];

	(void)str_printf(when, sizeof(when), "%s, killed %s call %u", c->action,
		(const char *[]){"before", "behind", "within"}[how], at);
	t->kills++;
	count_lines(&l);
	if (seen->done > l.sending)
		fail_msg("%s: the device carried out %u changes, %u were announced", when,
			seen->done, l.sending);
	t->silent += !fake_setting_eq(&seen->before, &seen->now) && !l.sending;
	if (t->silent)
		fail_msg("%s: the device is changed without a line", when);
	if (access(seen->ledger, F_OK) == 0) {
		assert_true(ledger_verify(seen->ledger, &report, &err));
		t->torn += report.why[0] != '\0';
		settle(NULL, when);
		assert_true(ledger_verify(seen->ledger, &report, &err));
		if (report.why[0])
			fail_msg("%s: the ledger is not whole: %s", when, report.why);
		check_open(&l, t, when);
	}
	t->nothing += !l.sending;
	t->ended += l.ended > 0;
	clean();
}

static void say(const char *what, const struct totals *t)
{
	print_message(
		"# figure %s: killed %u times: %u before anything was sent, %u after the end, %u "
		"told as open at the next start, %u with the port left shut, %u torn lines, %u "
		"changes without a line\n",
		what, t->kills, t->nothing, t->ended, t->told, t->shut, t->torn, t->silent);
}

static int open_memory(void **state)
{
	(void)state;
	seen = mmap(NULL, sizeof(*seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return seen == MAP_FAILED ? -1 : 0;
}

static unsigned calls_of(const struct way_case *c)
{
	run(c, 0, KILL_BEFORE);
	clean();
	assert_true(seen->calls > 10);
	return seen->calls;
}

CASE_WITH(killed_at_every_boundary, open_memory, NULL)
{
	struct totals t = {0};

	for (size_t i = 0; i < way_ncases; i++) {
		const struct way_case *c = &way_cases[i];
		unsigned calls;

		if (!effort_full() && !str_eq(c->action, "port-bounce") &&
			!str_eq(c->action, "pfcwd-reset"))
			continue;
		calls = calls_of(c);
		for (unsigned at = 1; at <= calls; at++)
			for (int how = 0; how < KILL_WAYS; how++) {
				run(c, at, how);
				check(c, at, how, &t);
			}
	}
	assert_true(t.shut > 0);
	say("at every boundary", &t);
}

CASE_WITH(killed_at_random, open_memory, NULL)
{
	unsigned seed = (unsigned)effort_seed(), kills = effort_full() ? 200 : 15;
	unsigned *calls = calloc(way_ncases, sizeof(*calls));
	struct totals t = {0};

	print_message("# seed %u\n", seed);
	srand(seed);
	for (unsigned i = 0; i < kills; i++) {
		size_t n = (size_t)rand() % way_ncases;
		unsigned at;
		int how = rand() % KILL_WAYS;

		calls[n] = calls[n] ? calls[n] : calls_of(&way_cases[n]);
		at = 1 + (unsigned)rand() % calls[n];
		run(&way_cases[n], at, how);
		check(&way_cases[n], at, how, &t);
	}
	free(calls);
	say("at random", &t);
}

CASES_MAIN(NULL, NULL)
