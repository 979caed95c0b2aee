/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each action that a dialect offers, over real SSH and HTTPS, with each kind of failure at each of
 * its writes. The claimed end is true, and the ledger has all commands the device received. No port
 * is left without its watchdog, or shut, without a loud message.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/str.h"
#include "tests/integration/support/fault_bench.h"
#include "tests/support/cases.h"

#define SONIC   "leaf=sonic-spectrum"
#define EOS     "spine=eos"
#define CUMULUS "leaf=cumulus"
#define NXOS    "spine=nxos"
#define FRR     "leaf=frr"

static const struct fault_kind kinds[] = {
	{"sonic", "sonic", SONIC, "leaf-r0-00", "Ethernet252", TRANSPORT_SSH},
	{"eos-https", "eos", EOS, "spine-000", "Ethernet1/1", TRANSPORT_HTTPS},
	{"eos-ssh", "eos", EOS, "spine-000", "Ethernet1/1", TRANSPORT_SSH},
	{"cumulus-https", "cumulus", CUMULUS, "leaf-r0-00", "swp64", TRANSPORT_HTTPS},
	{"cumulus-ssh", "cumulus", CUMULUS, "leaf-r0-00", "swp64", TRANSPORT_SSH},
	{"nxos-https", "nxos", NXOS, "spine-000", "Ethernet1/1", TRANSPORT_HTTPS},
	{"nxos-ssh", "nxos", NXOS, "spine-000", "Ethernet1/1", TRANSPORT_SSH},
	{"frr", "linux", FRR, "leaf-r0-00", "swp64", TRANSPORT_SSH},
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* ---- the faults ---- */

struct troubles {
	unsigned n, most, asked;
	char at[40][48];
};

/*
 * All of them take five minutes (FULL=1). Else every fourth, not the same ones for each dialect and
 * action.
 */
static bool chosen(struct troubles *t)
{
	return getenv("FULL") || t->asked++ % 4 == 0;
}

static void add(struct troubles *t, const char *fmt, unsigned n)
{
	if (chosen(t) && t->most < 40)
		(void)str_printf(t->at[t->most++], sizeof(t->at[0]), fmt, n);
}

/* For an action of `writes` writes. */
static struct troubles troubles_of(const struct fault_bench *b, unsigned writes)
{
	struct troubles t = {.asked = b->runs + (unsigned)(b->kind - kinds)};

	for (unsigned n = 1; n <= writes; n++) {
		add(&t, "write-cut,n=%u", n);
		add(&t, "write-cut,n=%u,before=yes", n);
		add(&t, "write-hang,n=%u", n);
		add(&t, "write-denied,n=%u", n);
		if (n > 1)
			add(&t, "write-denied,n=%u,count=1", n);
		add(&t, "write-noop,n=%u", n);
		if (b->kind->transport == TRANSPORT_HTTPS)
			add(&t, "session-expired,n=%u", n);
	}
	return t;
}

static const char *next(struct troubles *t)
{
	return t->n < t->most ? t->at[t->n++] : NULL;
}

static void must_end(struct fault_bench *b, enum act_stage want)
{
	if (b->stage != want)
		fault_bench_wrong(b, act_stage_name(want));
}

/* A connection that is cut or hangs once can be made again, and then it is known. */
static void judge(struct fault_bench *b)
{
	bool once = str_starts(b->trouble, "write-cut") || str_starts(b->trouble, "write-hang") ||
		    str_starts(b->trouble, "session");

	if (!b->trouble[0])
		must_end(b, ACT_DONE);
	else if (once && b->stage == ACT_UNKNOWN)
		fault_bench_wrong(b, "unknown, though the device can be read");
	else if (str_starts(b->trouble, "session") && b->wire.ops->login)
		must_end(b, ACT_DONE); /* else a password is refused, and that is all one knows */
	else if (!once && b->stage == ACT_DONE && !strstr(b->trouble, "count=1"))
		fault_bench_wrong(b, "done, though it was denied or came to nothing");
}

static bool run(struct fault_bench *b, const char *action, const char *trouble)
{
	if (!fault_bench_run(b, action, trouble)) {
		printf("# %s: no %s: %s\n", b->kind->name, action, b->summary);
		return false;
	}
	printf("# %s: %s: %s: %.100s\n", b->kind->name, action, trouble ? trouble : "well",
		b->summary);
	fault_bench_print_reading(b);
	fflush(stdout);
	judge(b);
	return true;
}

/* ---- the actions ---- */

static bool offers(const struct fault_bench *b, enum verb v)
{
	return b->wire.ops->changes->verbs & 1u << v;
}

static bool is_away(const struct condition *c)
{
	return c->admin == OPER_DOWN || c->bgp_shut == 1;
}

/* The two undo each other: the result of the last one decides which is next. */
static void drain_and_undrain(struct fault_bench *b)
{
	static const char *const names[] = {"port-drain", "port-undrain"};
	struct troubles t[2] = {0};

	if (b->by_bgp && !fault_bench_settled(b))
		return;
	for (unsigned i = 0; i < 2; i++) {
		if (!run(b, names[i], NULL))
			return;
		t[i] = troubles_of(b, b->writes);
	}
	while (t[0].n < t[0].most || t[1].n < t[1].most) {
		unsigned i = is_away(&b->after);

		if (b->by_bgp && !i)
			assert_true(fault_bench_settled(b));
		assert_true(run(b, names[i], next(&t[i])));
	}
	if (is_away(&b->after))
		assert_true(run(b, names[1], NULL));
}

static void bounce(struct fault_bench *b)
{
	struct troubles t;
	const char *trouble;

	if (!run(b, "port-bounce", NULL))
		return;
	t = troubles_of(b, b->writes);
	while ((trouble = next(&t))) {
		assert_true(run(b, "port-bounce", trouble));
		if (is_away(&b->after))
			assert_true(run(b, "port-undrain", NULL));
	}
}

static void locate(struct fault_bench *b)
{
	struct troubles t;
	const char *trouble;
	bool off = offers(b, VERB_LOCATE_OFF);

	if (!run(b, "locate", NULL))
		return;
	t = troubles_of(b, b->writes);
	/* A light that goes off by itself does so in a minute. */
	while ((off || b->after.beacon != 1) && (trouble = next(&t)))
		assert_true(run(b, "locate", trouble));
}

static void get_stuck(struct fault_bench *b)
{
	char spec[160];

	(void)str_printf(
		spec, sizeof(spec), "watchdog-stuck:%s:%s", b->kind->device, b->kind->port);
	fault_bench_inject(b, spec);
	while (fault_bench_look(b, VERB_WD_START).wd_state[3] != WD_STORMED)
		;
}

static void reset(struct fault_bench *b)
{
	struct troubles t = {0};
	const char *trouble = NULL;

	do {
		get_stuck(b);
		if (!run(b, "pfcwd-reset", trouble))
			return;
		if (!trouble)
			t = troubles_of(b, b->writes);
		/* Said aloud, as has been looked at. */
		if (b->after.wd == 0)
			assert_true(run(b, "pfcwd-enable", NULL));
	} while ((trouble = next(&t)));
	fault_bench_heal(b);
}

/* Where queues are not released: by a reset that could not be ended. */
static bool make_bare(struct fault_bench *b)
{
	struct order stop = {.verb = VERB_WD_STOP, .priority = -1};
	struct condition now;

	/* Over SSH NX-OS takes no watchdog off: dialect_nxos_change.c. */
	if (offers(b, VERB_WD_RECOVER) && b->kind->transport == TRANSPORT_SSH)
		return false;
	if (offers(b, VERB_WD_RECOVER) && offers(b, VERB_WD_STOP)) {
		(void)str_copy(stop.port, sizeof(stop.port), b->kind->port);
		now = wire_look(&b->wire, &stop);
		assert_int_equal(wire_send(&b->wire, &stop, &now), TAKEN_YES);
		return wire_met(&b->wire, &stop, &b->after);
	}
	if (!offers(b, VERB_WD_STOP))
		return false;
	get_stuck(b);
	return run(b, "pfcwd-reset", "write-denied,n=2") && b->after.wd == 0;
}

static void enable(struct fault_bench *b)
{
	struct troubles t = {0};
	const char *trouble = NULL;

	if (!make_bare(b))
		return;
	do {
		if (!run(b, "pfcwd-enable", trouble))
			return;
		if (!trouble)
			t = troubles_of(b, b->writes);
		if (b->stage == ACT_DONE)
			fault_bench_undo(b);
		else if (b->after.wd == 1)
			assert_true(make_bare(b));
	} while ((trouble = next(&t)));
	assert_true(run(b, "pfcwd-enable", NULL));
}

static void counterpoll(struct fault_bench *b)
{
	struct troubles t = {0};
	const char *trouble = NULL;

	if (!offers(b, VERB_COUNTERS_ON))
		return;
	do {
		if (!run(b, "counterpoll-enable", trouble))
			return;
		if (!trouble)
			t = troubles_of(b, b->writes);
		if (b->stage == ACT_DONE)
			fault_bench_undo(b);
	} while ((trouble = next(&t)));
}

/* ---- a dialect ---- */

static void test_all(void **state)
{
	struct fault_bench b;

	fault_bench_open(&b, *state);
	locate(&b);
	drain_and_undrain(&b);
	b.by_bgp = !str_eq(b.kind->name, "frr");
	if (b.by_bgp)
		drain_and_undrain(&b);
	b.by_bgp = false;
	bounce(&b);
	reset(&b);
	enable(&b);
	counterpoll(&b);
	fault_bench_close(&b);
}

/* A process each, all at once: they wait for deadlines most of the time. */
struct child {
	pid_t pid;
	FILE *out;
};
static struct child children[KINDS];

static int child_main(const struct fault_kind *k)
{
	struct CMUnitTest test = {.name = k->name, .test_func = test_all};
	struct CMUnitTest tests[1];

	test.initial_state = (void *)(uintptr_t)k;
	tests[0] = test;
	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}

static int start(void **state)
{
	const char *only = getenv("KIND");

	(void)state;
	for (size_t i = 0; i < KINDS; i++) {
		if (only && !strstr(kinds[i].name, only))
			continue;
		/* Four requests a revision; and a shell for each look: minutes by themselves. */
		if (!only && !getenv("FULL") &&
			(str_eq(kinds[i].name, "cumulus-https") || str_eq(kinds[i].name, "frr")))
			continue;
		children[i].out = tmpfile();
		assert_non_null(children[i].out);
		(void)fflush(NULL);
		children[i].pid = fork();
		assert_true(children[i].pid >= 0);
		if (children[i].pid == 0) {
			if (!only) {
				(void)dup2(fileno(children[i].out), STDOUT_FILENO);
				(void)dup2(fileno(children[i].out), STDERR_FILENO);
			}
			(void)prctl(PR_SET_PDEATHSIG, SIGTERM);
			_exit(child_main(&kinds[i]));
		}
	}
	return 0;
}

static void show(FILE *f)
{
	char line[2048];

	rewind(f);
	while (fgets(line, sizeof(line), f))
		fprintf(stderr, "%s%s", line[0] == '#' ? "" : "# ", line);
}

static void test_kind(void **state)
{
	const struct fault_kind *k = *state;
	struct child *c = &children[k - kinds];
	int status = 0;

	if (!c->pid)
		skip();
	assert_int_equal(waitpid(c->pid, &status, 0), c->pid);
	if (status != 0 || getenv("KIND"))
		show(c->out);
	(void)fclose(c->out);
	assert_int_equal(status, 0);
}

int main(void)
{
	struct CMUnitTest tests[KINDS];

	memset(tests, 0, sizeof(tests));
	for (size_t i = 0; i < KINDS; i++) {
		tests[i].name = kinds[i].name;
		tests[i].test_func = test_kind;
		tests[i].initial_state = (void *)(uintptr_t)&kinds[i];
	}
	return cmocka_run_group_tests(tests, start, NULL);
}
