/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `railtop act --execute` over real SSH, killed with SIGKILL: at a line of its ledger, shortly
 * behind it, or at any moment. The device is a stand-in behind an OpenSSH server that keeps its
 * state in files. No device is changed without a line; a port that is left shut is told at the next
 * start with its cure; `ledger settle` offers the action and ends it.
 *
 * FULL=1: 200 kills on eight hosts side by side. Else four on two. SEED=7 repeats a run.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/str.h"
#include "tests/integration/support/acting_host.h"
#include "tests/integration/support/lab.h"
#include "tests/support/built.h"
#include "tests/support/cases.h"
#include "tests/support/effort.h"

enum { HOSTS_MOST = 8, RUN_S = 60, LIFE_MS = 60000, LINES = 16, SPREAD_MS = 7500 };

/* What the hosts have in common. They are in processes of their own. */
static struct shared {
	_Atomic unsigned left; /* kills to make */
	_Atomic unsigned kills, unsent, told, shut, ended, gone, changes, failed;
	char wrong[HOSTS_MOST][900];
} * shared;

/* What the ledger got from one life. */
struct written {
	unsigned begun, sending, ended;
	char act[80], requests[LINES][160];
};

static size_t size_of(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 ? (size_t)st.st_size : 0;
}

static unsigned lines_from(const char *path, size_t from)
{
	char *text = acting_host_read(path);
	unsigned n = 0;

	for (const char *at = strlen(text) > from ? text + from : ""; *at; at++)
		n += *at == '\n';
	free(text);
	return n;
}

static unsigned below(unsigned *seed, unsigned n)
{
	return (unsigned)rand_r(seed) % n;
}

/* ---- one life ---- */

static pid_t start(const struct acting_host *h)
{
	posix_spawn_file_actions_t files;
	char program[256], inventory[128], said[128];
	char *argv[] = {program, "act", "port-bounce", ACTING_HOST_PORT, "-f", inventory, "--for",
		"2s", "--watch", "0", "--execute", "--reason=stuck since the swap",
		"--incident=INC-4711", NULL};
	pid_t pid = -1;

	(void)built_path("railtop", program, sizeof(program));
	(void)str_copy(inventory, sizeof(inventory), h->inventory);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
	(void)str_printf(said, sizeof(said), "%s/act.out", h->scratch.dir);
	posix_spawn_file_actions_addopen(&files, 1, said, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	posix_spawn_file_actions_adddup2(&files, 1, 2);
	if (posix_spawn(&pid, program, &files, NULL, argv, environ) != 0)
		pid = -1;
	posix_spawn_file_actions_destroy(&files);
	return pid;
}

/* Kills it; false: it had ended by itself, with this status. */
static bool end_life(
	const struct acting_host *h, pid_t pid, size_t from, unsigned *seed, int *status)
{
	bool by_line = below(seed, 10) < 6;
	unsigned line = 1 + (by_line ? below(seed, 9) : 0);
	int64_t until = now_ms() + LIFE_MS,
		wait = by_line ? below(seed, 6) : below(seed, SPREAD_MS);

	while (lines_from(h->ledger, from) < line) {
		if (waitpid(pid, status, WNOHANG) == pid)
			return false;
		if (now_ms() > until)
			break;
		(void)poll(NULL, 0, 2);
	}
	for (until = now_ms() + wait; now_ms() < until;) {
		if (waitpid(pid, status, WNOHANG) == pid)
			return false;
		(void)poll(NULL, 0, 1);
	}
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, status, 0);
	return WIFSIGNALED(*status);
}

/* ---- what is left ---- */

static void copy_value(const char *line, const char *key, char *dst, size_t size)
{
	const char *at = strstr(line, key);

	dst[0] = '\0';
	if (at)
		(void)str_copyn(dst, size, at + strlen(key), strcspn(at + strlen(key), "\""));
}

static void read_lines(const struct acting_host *h, size_t from, struct written *w)
{
	char *text = acting_host_read(h->ledger),
	     *at = strlen(text) > from ? text + from : text + strlen(text);

	memset(w, 0, sizeof(*w));
	/* A torn line announced nothing: its order was not sent. */
	for (char *end; (end = strchr(at, '\n')); at = end + 1) {
		*end = '\0';
		if (strstr(at, "\"event\":\"begun\"")) {
			w->begun++;
			copy_value(at, "\"act\":\"", w->act, sizeof(w->act));
		} else if (strstr(at, "\"event\":\"sending\"") && w->sending < LINES) {
			copy_value(at, "\"request\":\"", w->requests[w->sending++], 160);
		} else if (strstr(at, "\"event\":\"done\"") || strstr(at, "\"event\":\"failed\"")) {
			w->ended++;
		}
	}
	free(text);
}

/* The changes that the device carried out and that were not announced. */
static unsigned unannounced(const struct acting_host *h, size_t from, const struct written *w)
{
	char *text = acting_host_read(h->told),
	     *at = strlen(text) > from ? text + from : text + strlen(text);
	unsigned silent = 0, n = 0;

	for (char *end; (end = strchr(at, '\n')); at = end + 1) {
		bool known = false;

		*end = '\0';
		n++;
		for (unsigned i = 0; i < w->sending && !known; i++)
			known = strstr(w->requests[i], at) != NULL;
		silent += !known;
	}
	free(text);
	shared->changes += n;
	return n > w->sending ? n - w->sending + silent : silent;
}

/* Runs railtop; 0 when its exit status is one of the two and its words have the text. */
static bool says(const char *const *args, int code, const char *text, char *said, size_t size)
{
	struct lab_output o = lab_railtop(args, RUN_S);
	bool right = o.code == code && (!text || strstr(o.out, text) || strstr(o.err, text));

	(void)str_printf(said, size, "%s exit %d, not %d: %.300s%.300s", args[1], o.code, code,
		o.out, o.err);
	lab_output_free(&o);
	return right;
}

#define WRONG(...) return (void)str_printf(why, size, __VA_ARGS__), false

static bool check_open(
	const struct acting_host *h, const struct written *w, bool up, char *why, size_t size)
{
	const char *const begin[] = {
		"act", "port-bounce", "nothing:none", "-f", h->inventory, NULL};
	const char *const list[] = {"ledger", "settle", "-f", h->inventory, NULL};
	const char *const settle[] = {"ledger", "settle", w->act, "-f", h->inventory, "--reason",
		"looked at the port, it is up again", NULL};
	bool open = w->begun && !w->ended;
	char said[700];

	/* Before anything else is done, whatever it is. */
	if (!says(begin, 2, open ? "has no end" : NULL, said, sizeof(said)))
		WRONG("the next start does not tell: %s", said);
	if (open && !up && !says(begin, 2, "link set dev eth0 up", said, sizeof(said)))
		WRONG("the port is shut, and the next start has no cure: %s", said);
	if (!open && strstr(said, "has no end"))
		WRONG("an end is told as none: %s", said);
	if (!says(list, open ? 1 : 0, open ? w->act : "every action has an end", said,
		    sizeof(said)))
		WRONG("settle does not offer it: %s", said);
	if (open && !says(settle, 0, NULL, said, sizeof(said)))
		WRONG("it cannot be settled: %s", said);
	if (!says(list, 0, "every action has an end", said, sizeof(said)))
		WRONG("settled, but not ended: %s", said);
	shared->told += open;
	shared->shut += open && !up;
	return true;
}

static bool check(const struct acting_host *h, size_t ledger, size_t told, char *why, size_t size)
{
	const char *const verify[] = {"ledger", "verify", "-f", h->inventory, NULL};
	struct written w;
	bool up;
	unsigned silent;
	char said[700];

	if (!acting_host_rest(h))
		WRONG("the device does not come to rest");
	read_lines(h, ledger, &w);
	silent = unannounced(h, told, &w);
	up = acting_host_is_up(h);
	if (silent)
		WRONG("%u changes of the device have no line", silent);
	if (!up && !w.sending)
		WRONG("the port is shut, and nothing was announced");
	if (w.ended && !up)
		WRONG("an end is written, and the port is shut");
	shared->unsent += !w.sending;
	shared->ended += w.ended > 0;
	if (!check_open(h, &w, up, why, size))
		return false;
	if (!says(verify, 0, NULL, said, sizeof(said)))
		WRONG("the ledger is not whole: %s", said);
	acting_host_raise(h);
	return true;
}

/* ---- many lives ---- */

static bool take_life(void)
{
	unsigned left = shared->left;

	while (left && !atomic_compare_exchange_weak(&shared->left, &left, left - 1))
		;
	return left > 0;
}

static void lives(const struct acting_host *h, unsigned host, unsigned seed)
{
	char *why = shared->wrong[host];

	while (!shared->failed && take_life()) {
		size_t ledger = size_of(h->ledger), told = size_of(h->told);
		pid_t pid = start(h);
		bool killed;
		int status = 0;

		if (pid < 0) {
			(void)str_copy(why, sizeof(shared->wrong[0]), "railtop cannot be run");
			break;
		}
		killed = end_life(h, pid, ledger, &seed, &status);
		shared->kills += killed;
		if (!killed) {
			/* Another life takes its place. */
			shared->gone++;
			shared->left++;
		}
		if (!check(h, ledger, told, why, sizeof(shared->wrong[0])))
			break;
		/* On a loaded machine a guard may refuse: polls come too late for a rate. */
		if (!killed && !(WIFEXITED(status) &&
				       (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 4))) {
			char path[128], *said;

			(void)str_printf(path, sizeof(path), "%s/act.out", h->scratch.dir);
			said = acting_host_read(path);
			(void)str_printf(why, sizeof(shared->wrong[0]),
				"without a kill it ended with status %d: %.800s", status,
				strlen(said) > 800 ? said + strlen(said) - 800 : said);
			free(said);
			break;
		}
	}
	shared->failed += why[0] != '\0';
	_exit(why[0] != '\0');
}

CASE(killed_over_real_ssh)
{
	unsigned hosts = effort_full() ? HOSTS_MOST : 2, wanted = effort_full() ? 200 : 4;
	unsigned seed = (unsigned)effort_seed();
	static struct acting_host host[HOSTS_MOST];
	pid_t pid[HOSTS_MOST];

	shared = mmap(
		NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(shared != MAP_FAILED);
	shared->left = wanted;
	for (unsigned i = 0; i < hosts; i++)
		acting_host_open(&host[i]);
	for (unsigned i = 0; i < hosts; i++) {
		pid[i] = fork();
		assert_true(pid[i] >= 0);
		if (pid[i] == 0)
			lives(&host[i], i, seed * 100 + i);
	}
	for (unsigned i = 0; i < hosts; i++)
		(void)waitpid(pid[i], NULL, 0);
	print_message("# figure over SSH: killed %u times (%u more lives ended by themselves), %u "
		      "before anything was sent, %u after an end, %u told as open at the next "
		      "start, %u with the port left shut; the device carried out %u changes, 0 "
		      "without a line; SEED=%u\n",
		shared->kills, shared->gone, shared->unsent, shared->ended, shared->told,
		shared->shut, shared->changes, seed);
	for (unsigned i = 0; i < hosts; i++)
		acting_host_close(&host[i]);
	for (unsigned i = 0; i < hosts; i++)
		if (shared->wrong[i][0])
			fail_msg("SEED=%u: %s", seed, shared->wrong[i]);
	assert_int_equal(shared->kills, wanted);
	assert_true(shared->told > 0);
}

CASES_MAIN(NULL, NULL)
