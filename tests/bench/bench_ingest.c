/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The whole cost of a sample of a counter, beside the cost of ingesting it in a Prometheus. Both
 * take the same counters of the same devices every 5 s for a minute, in the same run. Here that is
 * SSH, decoding, the model and its history; there a scrape of text over HTTP from memory, into its
 * database on disk. Prometheus has it easier: values that do not move, no TLS, one target. CPU is
 * user and system time of either process; the responders are processes of their own.
 *
 *   bench_ingest [SWITCHES [HOSTS [ROUNDS]]]    32, 50, 12
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <microhttpd.h>

#include "archive/openmetrics/metrics.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "tests/bench/load/fail.h"
#include "tests/bench/load/responder.h"
#include "tests/bench/load/sweep.h"
#include "tests/bench/load/tree.h"
#include "tests/support/figures.h"
#include "tests/support/run_command.h"

enum { READY_S = 60, PIECE = 128 << 10, PORT_TRIES = 50 };
static unsigned interval_s;

/* ---- the counters as text ---- */

struct exposition {
	struct buf text;
	double samples;
};

static void exposition_of(struct model *m, struct exposition *e)
{
	struct metrics_own own = {.version = "bench"};
	struct metrics_reader r = {.format = METRICS_TEXT};
	char *piece = mem_alloc(PIECE);
	struct metrics *x;
	size_t n;

	model_age(m, clock_wall(&clock_system));
	r.of = x = metrics_take(m, NULL, &own, clock_wall(&clock_system));
	buf_init(&e->text, (size_t)1 << 30);
	while ((n = metrics_read(&r, piece, PIECE)))
		(void)buf_add(&e->text, piece, n);
	e->samples = (double)metrics_samples(x);
	free(piece);
	metrics_free(x);
}

/* ---- a process that serves it ---- */

struct served {
	atomic_uint port, scrapes; /* scrapes: whole ones */
};

static enum MHD_Result on_request(void *ctx, struct MHD_Connection *c, const char *url,
	const char *method, const char *version, const char *data, size_t *size, void **own)
{
	const struct exposition *e = ctx;
	struct MHD_Response *r =
		MHD_create_response_from_buffer(e->text.len, e->text.data, MHD_RESPMEM_PERSISTENT);
	enum MHD_Result done;

	(void)url, (void)method, (void)version, (void)data, (void)size, (void)own;
	(void)MHD_add_response_header(r, "Content-Type", metrics_content_type(METRICS_TEXT));
	done = MHD_queue_response(c, MHD_HTTP_OK, r);
	MHD_destroy_response(r);
	return done;
}

static void on_complete(
	void *ctx, struct MHD_Connection *c, void **own, enum MHD_RequestTerminationCode how)
{
	struct served *s = ctx;

	(void)c, (void)own;
	if (how == MHD_REQUEST_TERMINATED_COMPLETED_OK)
		atomic_fetch_add(&s->scrapes, 1);
}

static void serve(struct exposition *e, struct served *s)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct MHD_Daemon *d = MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD, 0, NULL, NULL,
		on_request, e, MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&at,
		MHD_OPTION_NOTIFY_COMPLETED, on_complete, s, MHD_OPTION_END);
	const union MHD_DaemonInfo *info =
		d ? MHD_get_daemon_info(d, MHD_DAEMON_INFO_BIND_PORT) : NULL;

	if (!info)
		bench_fail_child("the exporter's port");
	atomic_store(&s->port, info->port);
	for (;;)
		(void)pause();
}

/* It ends with this process. */
static pid_t child(void)
{
	pid_t parent = getpid(), pid;

	(void)fflush(NULL);
	pid = fork();
	if (pid == 0 && (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent))
		bench_fail_child("the parent is gone");
	return pid;
}

static void end(pid_t pid)
{
	if (pid <= 0)
		return;
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
}

static void rest_ms(unsigned ms)
{
	const struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};

	(void)nanosleep(&t, NULL);
}

/* ---- Prometheus ---- */

static bool configure(const char *dir, unsigned port)
{
	char path[128];
	FILE *f;

	(void)str_printf(path, sizeof(path), "%s/prometheus.yml", dir);
	f = fopen(path, "we");
	if (!f)
		return false;
	(void)fprintf(f,
		"global:\n  scrape_interval: %us\n  scrape_timeout: %us\nscrape_configs:\n"
		"- job_name: railtop\n  honor_labels: true\n  static_configs:\n"
		"  - targets: ['127.0.0.1:%u']\n",
		interval_s, interval_s, port);
	return fclose(f) == 0;
}

static pid_t prometheus(const char *dir, unsigned listen)
{
	char config[160], data[160], address[96];
	pid_t pid;

	(void)str_printf(config, sizeof(config), "--config.file=%s/prometheus.yml", dir);
	(void)str_printf(data, sizeof(data), "--storage.tsdb.path=%s/data", dir);
	(void)str_printf(address, sizeof(address), "--web.listen-address=127.0.0.1:%u", listen);
	pid = child();
	if (pid == 0) {
		(void)execlp("prometheus", "prometheus", config, data, address, "--log.level=error",
			(char *)NULL);
		bench_fail_child("prometheus");
	}
	return pid;
}

/*
 * Prometheus cannot report its port, so one port is tried after the other; -1: it does not run. Its
 * work at the start, and for new series, is over after two scrapes.
 */
static pid_t prometheus_ready(const char *dir, struct served *s)
{
	for (unsigned i = 0; i < PORT_TRIES; i++) {
		pid_t pid = prometheus(dir, 20000 + ((unsigned)getpid() * 7 + i * 131) % 12000);
		int64_t until = clock_mono(&clock_system) + READY_S * CLOCK_SEC;
		bool alive = pid > 0;

		while (alive && clock_mono(&clock_system) < until) {
			if (atomic_load(&s->scrapes) >= 2)
				return pid;
			rest_ms(50);
			alive = waitpid(pid, NULL, WNOHANG) == 0;
		}
		if (alive) {
			end(pid);
			return -1;
		}
	}
	return -1;
}

/* ---- both, side by side ---- */

struct cost {
	double cpu_s, samples, mb;
};

static bool sweep_is_good(const struct sweep_result *r)
{
	if (r->failed)
		(void)fprintf(stderr, "ingest: %u devices failed: %s\n", r->failed, r->complaint);
	return r->failed == 0;
}

/* As often as a session does, once a second; CPU seconds. */
static double aged(struct sweeper *s)
{
	double before = sweep_cpu_s();

	for (unsigned i = 0; i < interval_s; i++)
		model_age(sweeper_model(s), clock_wall(&clock_system));
	return sweep_cpu_s() - before;
}

/* A sweep each interval, as long as Prometheus scrapes. */
static bool both(struct sweeper *s, struct served *served, pid_t peer, unsigned rounds,
	double samples, struct cost *ours, struct cost *theirs)
{
	unsigned scrapes = atomic_load(&served->scrapes);
	int64_t next = clock_mono(&clock_system);
	double cpu = tree_cpu_of(peer);
	struct sweep_result r;

	for (unsigned i = 0; i < rounds; i++) {
		int64_t now = clock_mono(&clock_system);

		if (now < next)
			rest_ms((unsigned)((next - now) / 1000));
		next += interval_s * CLOCK_SEC;
		sweeper_poll(s, SWEEP_APPLY, &r);
		if (!sweep_is_good(&r))
			return false;
		ours->cpu_s += r.cpu_s + aged(s);
		ours->samples += samples;
	}
	ours->mb = sweep_rss_mb();
	theirs->cpu_s = tree_cpu_of(peer) - cpu;
	theirs->mb = tree_memory_of(peer);
	theirs->samples = samples * (atomic_load(&served->scrapes) - scrapes);
	if (theirs->samples <= 0)
		(void)fprintf(stderr, "ingest: Prometheus did not scrape in %u rounds of %u s\n",
			rounds, interval_s);
	return theirs->samples > 0;
}

static void show(struct figures *f, const char *who, const struct cost *c)
{
	char name[96];

	(void)str_printf(name, sizeof(name), "%s: a sample", who);
	figure(f, name, c->cpu_s * 1e9 / c->samples, "ns CPU", 0);
	figure(f, "  samples", c->samples / 1e6, "million", 0);
	figure(f, "  CPU", c->cpu_s, "s", 0);
	figure(f, "  resident", c->mb, "MB", 0);
}

static bool one_way(
	struct figures *f, const struct responder *r, const unsigned *n, enum poll_way way)
{
	struct served *served = mmap(
		NULL, sizeof(*served), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct cost ours = {0}, theirs = {0};
	struct exposition e = {0};
	struct sweep_result result;
	pid_t server, peer = -1;
	struct sweeper *s;
	struct plan plan;
	bool ok;

	if (served == MAP_FAILED)
		return false;
	plan_init(&plan);
	responder_plan(r, RESPONDER_SWITCH, n[0], &plan);
	responder_plan(r, RESPONDER_HOST, n[1], &plan);
	for (size_t i = 0; i < plan.devices.n; i++)
		plan.devices.at[i].poll = way;
	s = sweeper_new(&plan, false);
	sweeper_connect(s, &result);
	ok = sweep_is_good(&result);
	sweeper_detect(s, &result);
	ok &= sweep_is_good(&result);
	/* Rates are there from the second, and the third is like all that follow. */
	for (int i = 0; i < 3 && ok; i++) {
		sweeper_poll(s, SWEEP_APPLY, &result);
		ok = sweep_is_good(&result);
	}
	exposition_of(sweeper_model(s), &e);
	server = child();
	if (server == 0)
		serve(&e, served);
	for (int i = 0; i < 100 && !atomic_load(&served->port); i++)
		rest_ms(50);
	ok = ok && configure(r->dir, atomic_load(&served->port));
	peer = ok ? prometheus_ready(r->dir, served) : -1;
	if (ok && peer < 0)
		(void)fprintf(stderr, "ingest: prometheus did not scrape\n");
	ok = peer > 0 && both(s, served, peer, n[2], e.samples, &ours, &theirs);
	end(peer);
	end(server);
	if (ok) {
		figure(f, "samples of a round", e.samples / 1e3, "thousand", 0);
		show(f, way == POLL_WAY_FULL ? "in full" : "filtered", &ours);
		show(f, "Prometheus", &theirs);
		figure_least(f, "  a sample there, times ours",
			theirs.cpu_s / theirs.samples / (ours.cpu_s / ours.samples), "times", 10);
	} else {
		figure_none(f, "failed", 1, "");
	}
	sweeper_free(s);
	plan_free(&plan);
	buf_free(&e.text);
	(void)munmap(served, sizeof(*served));
	return ok;
}

static unsigned number(const char *text, unsigned otherwise)
{
	unsigned long n = text ? strtoul(text, NULL, 10) : 0;

	return n > 0 && n <= 1000 ? (unsigned)n : otherwise;
}

int main(int argc, char **argv)
{
	const unsigned n[3] = {number(argc > 1 ? argv[1] : NULL, 32),
		number(argc > 2 ? argv[2] : NULL, 50), number(argc > 3 ? argv[3] : NULL, 12)};
	static const enum poll_way ways[] = {POLL_WAY_FULL, POLL_WAY_FILTERED};
	struct figures *f;
	bool ok = true;

	interval_s = figures_times(5, 1);
	if (!has_program("prometheus")) {
		(void)printf("ingest: no prometheus is installed\n");
		return 0;
	}
	f = figures_new("ingest");
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]) && ok; i++) {
		struct responder r;

		/* Each with a directory of its own, for Prometheus' data too. */
		if (!responder_start(&r, &(struct responder_opts){0}))
			return 1;
		ok = one_way(f, &r, n, ways[i]);
		responder_stop(&r);
	}
	return figures_end(f) && ok ? 0 : 1;
}
