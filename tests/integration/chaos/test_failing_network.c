/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Torture over the network: each system call of `record -f` and of `act --execute` fails once,
 * while they speak to a host behind a real OpenSSH server. A recording that is called whole has the
 * host's data. No change is made without a line of the ledger, no end is claimed that is none, and
 * the ledger stays whole. An error has its words.
 *
 * FULL=1: every call in every way, on eight hosts side by side. Else a few, by a seed that is
 * printed: SEED=7 repeats them. FAULTS=100 makes that many. CALL=EINTR:334 fails this one only, as
 * a report of it says. FROM=900 goes on with a long run. TORTURE_SAYS=1 prints what each led to.
 */
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/str.h"
#include "tests/integration/chaos/torture.h"
#include "tests/integration/support/acting_host.h"
#include "tests/integration/support/lab.h"
#include "tests/support/built.h"
#include "tests/support/cases.h"
#include "tests/support/effort.h"
#include "tests/support/run_command.h"
#include "tests/support/torture/fail_calls.h"

enum { HOSTS_MOST = 8, RUN_S = 90, NEVER = 1000000, SAMPLE = 2 };

struct place {
	struct acting_host host;
	char product[128], acts[128];
};

struct work {
	const char *name;
	void (*argv)(const struct place *p, const char *argv[20]);
	bool (*valid)(const struct place *p, int code, const char *err, char *why, size_t size);
};

static struct shared {
	_Atomic unsigned next, faults, wrongs;
	_Atomic unsigned seen[CALL_FAULTS];
	_Atomic unsigned whole, told; /* ended as if nothing was, and with an error */
} * shared;

static struct place places[HOSTS_MOST];
static char program[256];
static unsigned hosts;
static unsigned long seed;

/* ---- the recording ---- */

static void record_argv(const struct place *p, const char *argv[20])
{
	const char *const words[] = {
		program, "record", "-f", p->host.inventory, "--for", "3s", "-o", p->product, NULL};

	memcpy(argv, words, sizeof(words));
}

static bool is_there(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0;
}

static bool record_valid(const struct place *p, int code, const char *err, char *why, size_t size)
{
	const char *const args[] = {"snapshot", "--from", p->product, "--json", "-", NULL};
	struct lab_output o;
	json_error_t error;
	json_t *root;
	double bytes;
	bool empty, valid = true;

	(void)err;
	if (!is_there(p->product)) {
		(void)str_copy(why, size, "success without a recording");
		return code > 0;
	}
	o = lab_railtop(args, RUN_S);
	root = o.code <= 3 ? json_loads(o.out, 0, &error) : NULL;
	bytes = lab_counter(
		lab_port(lab_device(root, "gpu1"), "mlx5_0"), "rx_bytes", NULL, "value");
	empty = strstr(o.err, "has no judgement yet (") || strstr(o.err, "has no entries yet (") ||
		strstr(o.err, ": it is empty (");
	if (!root && !(empty && code > 0)) {
		(void)str_printf(why, size, "the recording cannot be read: %.300s", o.err);
		valid = false;
	} else if (code == 0 && !isfinite(bytes)) {
		(void)str_copy(why, size, "success, and the host has no data");
		valid = false;
	}
	json_decref(root);
	lab_output_free(&o);
	return valid;
}

/* ---- the action ---- */

static void act_argv(const struct place *p, const char *argv[20])
{
	const char *const words[] = {program, "act", "port-drain", ACTING_HOST_PORT, "-f",
		p->host.inventory, "--for", "2s", "--watch", "0", "--execute",
		"--reason=stuck since the swap", "--incident=INC-4711", NULL};

	memcpy(argv, words, sizeof(words));
}

static unsigned count_of(const char *text, const char *word)
{
	unsigned n = 0;

	for (const char *at = text; (at = strstr(at, word)); at += strlen(word))
		n++;
	return n;
}

static bool act_valid(const struct place *p, int code, const char *err, char *why, size_t size)
{
	const char *const verify[] = {"ledger", "verify", "-f", p->host.inventory, NULL};
	const char *const list[] = {"ledger", "settle", "-f", p->host.inventory, NULL};
	char *told, *ledger;
	unsigned changes, announced;
	struct lab_output o;
	bool up, open, done, valid = false;

	(void)err;
	if (!acting_host_rest(&p->host))
		return (void)str_copy(why, size, "the device does not come to rest"), false;
	told = acting_host_read(p->host.told);
	ledger = acting_host_read(p->host.ledger);
	changes = count_of(told, "\n");
	announced = count_of(ledger, "\"event\":\"sending\"");
	done = strstr(ledger, "\"event\":\"done\"") != NULL;
	open = strstr(ledger, "\"event\":\"begun\"") && !done &&
	       !strstr(ledger, "\"event\":\"failed\"");
	up = acting_host_is_up(&p->host);
	free(told);
	free(ledger);
	if (changes > announced)
		return (void)str_printf(why, size, "%u changes, %u lines", changes, announced),
		       false;
	if ((code == 0 || done) && up)
		return (void)str_copy(why, size, "an end is claimed, and the port is not shut"),
		       false;
	if (code == 0 && !done)
		return (void)str_copy(why, size, "success without an end in the ledger"), false;
	if (!is_there(p->host.ledger))
		return true;
	o = lab_railtop(list, RUN_S);
	if (o.code != (open ? 1 : 0))
		(void)str_printf(why, size, "settle: exit %d: %.200s%.200s", o.code, o.out, o.err);
	else
		valid = true;
	lab_output_free(&o);
	if (!valid)
		return false;
	o = lab_railtop(verify, RUN_S);
	/* A line that a full disk tore is told, and mended by the next opening. */
	valid = o.code == 0 || (o.code == 1 && strstr(o.out, "torn"));
	if (!valid)
		(void)str_printf(why, size, "verify: %.300s%.300s", o.out, o.err);
	lab_output_free(&o);
	return valid;
}

static const struct work works[] = {
	{"record over SSH", record_argv, record_valid}, {"act over SSH", act_argv, act_valid}};

/* ---- one run ---- */

static void clear(const struct place *p)
{
	char wal[160], shm[160];
	const char *const argv[] = {"rm", "-rf", p->product, wal, shm, p->acts, p->host.told, NULL};
	size_t len;

	(void)str_printf(wal, sizeof(wal), "%s-wal", p->product);
	(void)str_printf(shm, sizeof(shm), "%s-shm", p->product);
	free(run_command(argv, NULL, NULL, &len, NULL));
	acting_host_raise(&p->host);
}

/* The error has its cause, where the program failed for it, and a way out. */
static bool has_words(const char *err, const char *out)
{
	return strstr(err, "railtop") || strstr(err, "cure: ") || strstr(out, "failed: ") ||
	       strstr(out, "refused by ") || strstr(out, "port-drain");
}

/*
 * libuv aborts without its first pipe. descriptors_loop() says why, but a sanitizer that reports
 * aborts is before it.
 */
static bool is_report_of_abort(const struct fail_calls *f)
{
	return f->fault == CALL_EMFILE && strcmp(f->call, "pipe2") == 0 &&
	       strstr(f->err, "AddressSanitizer: ABRT") && strstr(f->err, " in uv_once ");
}

static const char *judged(const struct work *w, const struct place *p, const struct fail_calls *f,
	char *why, size_t size)
{
	if (is_report_of_abort(f))
		return w->valid(p, f->code, f->err, why, size) ? NULL : why;
	if (f->code < 0 || f->code > 5)
		return "that is no end";
	if (torture_has_report(f->err))
		return "a sanitizer reports";
	if (f->code > 0 && !has_words(f->err, f->out))
		return "the error has no words";
	return w->valid(p, f->code, f->err, why, size) ? NULL : why;
}

/* False: there are fewer such calls. */
static bool one(const struct work *w, const struct place *p, enum call_fault fault, unsigned n)
{
	const char *argv[20];
	struct fail_calls f = {
		.argv = argv, .from = "fabric.yaml", .fault = fault, .n = n, .seconds = RUN_S};
	char why[500] = "";
	const char *wrong;
	bool failed;

	clear(p);
	w->argv(p, argv);
	torture_watch_sanitizers();
	fail_calls_run(&f);
	if (!f.here)
		return false;
	failed = f.failed;
	/* All hosts read it: only the runs without a fault, which come first, write it. */
	if (n == NEVER)
		shared->seen[fault] = f.seen;
	if (getenv("TORTURE_SAYS") && failed)
		print_message("# %s: %s of %s %u (%s): exit %d, %.*s\n", w->name,
			call_fault_names[fault], f.call, n, f.path, f.code,
			(int)strcspn(f.err, "\n"), f.err);
	wrong = failed || n == NEVER ? judged(w, p, &f, why, sizeof(why)) : NULL;
	if (!wrong && n == NEVER && f.code != 0)
		wrong = "without any fault it did not succeed";
	if (wrong) {
		shared->wrongs++;
		print_message("# WRONG %s: %s of call %u, %s of \"%s\": exit %d, but %s; "
			      "SEED=%lu\n# %.1500s\n# %.1500s\n",
			w->name, call_fault_names[fault], n, f.call, f.path, f.code, wrong, seed,
			f.err, f.out);
	}
	shared->faults += failed;
	shared->whole += failed && f.code == 0;
	shared->told += failed && f.code != 0;
	free(f.out);
	free(f.err);
	return failed || n == NEVER;
}

/* ---- all of them ---- */

/* All faults and calls in a row: the nth of it. */
static bool place_in_row(unsigned nth, enum call_fault *fault, unsigned *n)
{
	for (int i = 0; i < CALL_FAULTS; i++) {
		if (nth < shared->seen[i]) {
			*fault = (enum call_fault)i;
			*n = nth + 1;
			return true;
		}
		nth -= shared->seen[i];
	}
	return false;
}

static unsigned wanted(void)
{
	const char *text = getenv("FAULTS");

	return text ? (unsigned)strtoul(text, NULL, 10) : SAMPLE;
}

static void child(const struct work *w, const struct place *p, const unsigned *nths, unsigned count)
{
	enum call_fault fault;
	unsigned n;

	for (unsigned i; (i = shared->next++) < count;)
		if (place_in_row(nths ? nths[i] : i, &fault, &n))
			(void)one(w, p, fault, n);
	(void)fflush(NULL);
	_exit(0);
}

/* CALL=EINTR:334. Which call that is differs a little from run to run. */
static bool one_named(const struct work *w)
{
	const char *text = getenv("CALL"), *number = text ? strchr(text, ':') : NULL;

	if (!number)
		return false;
	for (int i = 0; i < CALL_FAULTS; i++)
		if (strncmp(text, call_fault_names[i], (size_t)(number - text)) == 0)
			(void)one(w, &places[0], (enum call_fault)i,
				(unsigned)strtoul(number + 1, NULL, 10));
	assert_int_equal(shared->wrongs, 0);
	return true;
}

static void torment(const struct work *w)
{
	unsigned all = 0, count, *nths = NULL;
	pid_t pid[HOSTS_MOST];

	bool whole = effort_full() || getenv("FAULTS");
	int only = (int)(seed % CALL_FAULTS);

	memset(shared, 0, sizeof(*shared));
	if (one_named(w))
		return;
	for (int i = 0; i < CALL_FAULTS; i++) {
		/* A part of the suite has one kind of fault; each run takes seconds. */
		if (!whole && i != only)
			continue;
		if (!one(w, &places[0], (enum call_fault)i, NEVER)) {
			print_message("# skipped: system calls cannot be watched here\n");
			skip();
		}
		print_message("# %s: %u calls may fail with %s\n", w->name, shared->seen[i],
			call_fault_names[i]);
		all += shared->seen[i];
	}
	assert_int_equal(shared->wrongs, 0);
	assert_true(all > 0);
	count = effort_full() && !getenv("FAULTS") ? all : wanted();
	if (getenv("FROM") && count == all)
		shared->next = (unsigned)strtoul(getenv("FROM"), NULL, 10);
	if (count < all) {
		srandom((unsigned)seed);
		nths = calloc(count, sizeof(*nths));
		for (unsigned i = 0; i < count; i++)
			nths[i] = (unsigned)random() % all;
	}
	for (unsigned i = 0; i < hosts; i++) {
		pid[i] = fork();
		assert_true(pid[i] >= 0);
		if (pid[i] == 0)
			child(w, &places[i], nths, count);
	}
	for (unsigned i = 0; i < hosts; i++)
		(void)waitpid(pid[i], NULL, 0);
	free(nths);
	print_message("# figure %s: %u of %u system calls failed once, %u runs ended whole, %u "
		      "with an error; SEED=%lu\n",
		w->name, shared->faults, all, shared->whole, shared->told, seed);
	assert_int_equal(shared->wrongs, 0);
	assert_true(shared->faults > 0);
}

CASE(recording_a_host)
{
	torment(&works[0]);
}

CASE(acting_on_a_host)
{
	torment(&works[1]);
}

static int set_up(void **state)
{
	char *real = realpath(built_path("railtop", program, sizeof(program)), NULL);

	(void)state;
	assert_non_null(real);
	(void)str_copy(program, sizeof(program), real);
	free(real);
	seed = effort_seed();
	hosts = effort_full() || getenv("FAULTS") ? HOSTS_MOST : 2;
	shared = mmap(
		NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(shared != MAP_FAILED);
	for (unsigned i = 0; i < hosts; i++) {
		struct place *p = &places[i];

		acting_host_open(&p->host);
		(void)str_copy(p->product, sizeof(p->product),
			scratch_path(&p->host.scratch, "product.rts"));
		(void)str_copy(p->acts, sizeof(p->acts), scratch_path(&p->host.scratch, "acts"));
	}
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	for (unsigned i = 0; i < hosts; i++)
		acting_host_close(&places[i].host);
	return 0;
}

CASES_MAIN(set_up, tear_down)
