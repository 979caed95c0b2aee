/* SPDX-License-Identifier: Apache-2.0 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "app/export/compress.h"
#include "app/export/http.h"
#include "app/export/listen.h"
#include "archive/openmetrics/metrics.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"
#include "tests/bench/load/fabric_4k.h"
#include "tests/bench/load/fail.h"
#include "tests/support/figures.h"

/*
 * The cost of a scrape of the 4,000-GPU fabric: taking the picture, and writing it as a client
 * reads it, 128 KiB at a time. Three sizes: the counters of fabric_4k.c, as many as emulated
 * devices report, and every counter at every priority, lane and bin.
 */
#define TIMES 5
#define PIECE ((size_t)128 << 10)
#define START (INT64_C(1700000000) * CLOCK_SEC)

static void scrape(
	struct figures *f, const struct model *m, int64_t now, const char *what, double target)
{
	struct metrics_own own = {.version = "bench"};
	double take = 1e9, read = 1e9, sum = 1e9, samples = 0, bytes = 0;
	char *piece = mem_alloc(PIECE), name[80];

	for (unsigned i = 0; i < TIMES; i++) {
		double a = thread_cpu_us() / 1e3, b, c;
		struct metrics *x = metrics_take(m, NULL, &own, now);
		struct metrics_reader r = {.of = x, .format = METRICS_OPENMETRICS};
		size_t n;

		b = thread_cpu_us() / 1e3;
		bytes = 0;
		while ((n = metrics_read(&r, piece, PIECE)))
			bytes += (double)n;
		c = thread_cpu_us() / 1e3;
		samples = (double)metrics_samples(x);
		metrics_free(x);
		take = b - a < take ? b - a : take;
		read = c - b < read ? c - b : read;
		sum = c - a < sum ? c - a : sum;
	}
	free(piece);
	(void)str_printf(name, sizeof(name), "scrape, 4k, %s", what);
	figure(f, name, sum, "ms CPU", target);
	(void)str_printf(name, sizeof(name), "of that: the picture, %s", what);
	figure(f, name, take, "ms CPU", 0);
	(void)str_printf(name, sizeof(name), "of that: the text, %s", what);
	figure(f, name, read, "ms CPU", 0);
	(void)str_printf(name, sizeof(name), "samples, %s", what);
	figure(f, name, samples, "", 0);
	(void)str_printf(name, sizeof(name), "a sample, %s", what);
	figure(f, name, sum * 1e6 / samples, "ns CPU", 0);
	(void)str_printf(name, sizeof(name), "text, %s", what);
	figure(f, name, bytes / 1e6, "MB", 0);
}

/* ---- compressed, as Prometheus asks for it ---- */

static size_t next_text(void *ctx, char *dst, size_t size)
{
	return metrics_read(ctx, dst, size);
}

/* The set that alerts need: as @fabric of app/export/http.c. */
static void want_fabric(struct metrics_reader *r)
{
	r->some = true;
	for (unsigned id = 0; id < METRIC_COUNT; id++) {
		struct metric_family family;

		metrics_family(id, &family);
		r->wanted[id] = family.of != METRIC_PORTS;
	}
}

static void scrape_compressed(struct figures *f, const struct model *m, int64_t now,
	enum content_coding coding, bool fabric, const char *what)
{
	struct metrics_own own = {.version = "bench"};
	double best = 1e9, bytes = 0;
	char *piece = mem_alloc(PIECE), name[80];

	for (unsigned i = 0; i < TIMES; i++) {
		double began = thread_cpu_us() / 1e3, took;
		struct metrics *x = metrics_take(m, NULL, &own, now);
		struct metrics_reader r = {.of = x, .format = METRICS_OPENMETRICS};
		struct compressor *z = compressor_new(coding, next_text, &r);
		bool failed = false;
		size_t n;

		if (fabric)
			want_fabric(&r);
		bytes = 0;
		while ((n = compressor_read(z, piece, PIECE, &failed)))
			bytes += (double)n;
		if (failed)
			bench_fail("the compressor");
		compressor_free(z);
		metrics_free(x);
		took = thread_cpu_us() / 1e3 - began;
		best = took < best ? took : best;
	}
	free(piece);
	(void)str_printf(name, sizeof(name), "scrape with %s, 4k, %s", coding_name(coding), what);
	figure(f, name, best, "ms CPU", 100);
	(void)str_printf(name, sizeof(name), "bytes with %s, %s", coding_name(coding), what);
	figure(f, name, bytes / 1e6, "MB", 0);
}

/* ---- over HTTP ---- */

struct served {
	const struct model *m;
	int64_t now;
	char port[8];
	double bytes;
	uv_async_t done;
};

static struct metrics *take(void *ctx, uint64_t scrapes, uint64_t refused)
{
	struct served *s = ctx;
	struct metrics_own own = {.version = "bench", .scrapes = scrapes, .refused = refused};

	return metrics_take(s->m, NULL, &own, s->now);
}

/* The client, a thread: its cost is not counted. */
static void *read_all(void *arg)
{
	static const char request[] = "GET /metrics HTTP/1.0\r\n\r\n";
	struct served *s = arg;
	struct sockaddr_in at = {.sin_family = AF_INET,
		.sin_port = htons((uint16_t)strtoul(s->port, NULL, 10)),
		.sin_addr = {htonl(INADDR_LOOPBACK)}};
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	char *piece = mem_alloc(PIECE);
	ssize_t n = -1;

	if (connect(fd, (struct sockaddr *)&at, sizeof(at)) == 0 &&
		send(fd, request, sizeof(request) - 1, 0) > 0)
		while ((n = read(fd, piece, PIECE)) > 0)
			s->bytes += (double)n;
	(void)close(fd);
	free(piece);
	(void)uv_async_send(&s->done);
	return NULL;
}

static void on_done(uv_async_t *done)
{
	uv_stop(done->loop);
}

/* Of the thread that serves: the picture, the text, and the kernel's part in sending it. */
static void scrape_http(struct figures *f, const struct model *m, int64_t now)
{
	struct served s = {.m = m, .now = now};
	struct export_http_opts opts = {.take = take, .ctx = &s};
	struct export_http *http;
	struct err err = {0};
	bool loopback;
	char where[80];
	pthread_t client;
	double began;
	uv_loop_t loop;

	(void)uv_loop_init(&loop);
	(void)uv_async_init(&loop, &s.done, on_done);
	opts.loop = &loop;
	opts.fd = export_listen("127.0.0.1:0", &loopback, where, sizeof(where), &err);
	http = export_http_start(&opts, &err);
	if (!http)
		bench_fail_err("the server", &err);
	(void)str_copy(s.port, sizeof(s.port), strrchr(where, ':') + 1);
	began = thread_cpu_us() / 1e3;
	(void)pthread_create(&client, NULL, read_all, &s);
	(void)uv_run(&loop, UV_RUN_DEFAULT);
	figure(f, "scrape over HTTP, 4k, as emulated", thread_cpu_us() / 1e3 - began, "ms CPU", 0);
	figure(f, "of that: bytes that came", s.bytes / 1e6, "MB", 0);
	(void)pthread_join(client, NULL);
	export_http_stop(http);
	uv_close((uv_handle_t *)&s.done, NULL);
	(void)uv_run(&loop, UV_RUN_DEFAULT);
	(void)uv_loop_close(&loop);
}

static unsigned all_of(const struct counter_info *c, enum tier tier)
{
	bool nic = c->group == GROUP_NIC || c->group == GROUP_CONFIG;
	bool queue = c->group >= GROUP_QUEUE && c->group <= GROUP_WATCHDOG;

	if (tier == TIER_HOST ? queue : nic)
		return 0;
	return counter_dim_size((enum counter_id)(c - counter_info));
}

/* Lossless and default priority carry traffic; optics have four decimals. */
static void answer(struct obs *o, uint32_t p, enum tier tier, unsigned seed,
	unsigned (*how_many)(const struct counter_info *c, enum tier tier))
{
	for (unsigned id = 0; id < COUNTER_COUNT; id++) {
		const struct counter_info *c = &counter_info[id];

		for (unsigned sub = 0; sub < how_many(c, tier); sub++) {
			bool idle = c->dim == DIM_PRIO && sub != 0 && sub != 3;

			if (c->kind == KIND_GAUGE)
				obs_gauge(o, p, (enum counter_id)id, sub,
					-(double)(15000 + (seed + sub * 7) % 9973) / 1e4);
			else
				obs_count(o, p, (enum counter_id)id, sub,
					idle ? 0 : (uint64_t)seed * 1000003 * (sub + 1));
		}
	}
}

static void poll_all(struct model *m, int64_t now,
	unsigned (*how_many)(const struct counter_info *c, enum tier tier))
{
	unsigned seed = 1;

	for (size_t i = 0; i < m->devices.n; i++) {
		const struct device *d = m->devices.at[i];
		struct obs *o = obs_new(d->name, "fast");

		o->received_us = o->device_us = now;
		for (size_t k = 0; k < d->ports.n; k++)
			answer(o, obs_port(o, m->ports.at[d->ports.at[k]]->name), d->tier, seed++,
				how_many);
		model_apply(m, o, now);
		obs_free(o);
	}
	(void)model_age(m, now);
}

int main(void)
{
	struct figures *f = figures_new("export");
	int64_t now = START;
	struct model *m;
	struct plan p;

	bench_4k_plan(&p);
	m = bench_4k_model(&p, 3, &now);
	scrape(f, m, now, "fast poll", 100);
	model_free(m);
	m = model_new(&p);
	poll_all(m, now, bench_4k_told);
	scrape(f, m, now, "as emulated", 100);
	scrape_compressed(f, m, now, CODING_GZIP, false, "as emulated");
	scrape_compressed(f, m, now, CODING_ZSTD, false, "as emulated");
	scrape_compressed(f, m, now, CODING_GZIP, true, "@fabric");
	scrape_http(f, m, now);
	poll_all(m, now, all_of);
	scrape(f, m, now, "all there can be", 0);
	model_free(m);
	plan_free(&p);
	return figures_end(f) ? 0 : 1;
}
