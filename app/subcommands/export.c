/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "app/export/http.h"
#include "app/export/listen.h"
#include "app/headless/headless.h"
#include "base/clock.h"
#include "base/mem.h"

/*
 * `railtop export`: metrics of the session for Prometheus. It only reads the model; nothing here
 * can reach a device.
 */
struct exporter {
	struct export_http *http;
	struct collected now; /* the session's data; lives as long as the session */
	int fd;
	char *cert, *key, *token;
	char where[80];
	int64_t start_us, end_us; /* wall time; monotonic time, 0: none */
	double took_s;
};

#define TOKEN_LEAST 16 /* characters: a shorter token can be guessed */

static double cpu_s(clockid_t clock)
{
	struct timespec t = {0};

	(void)clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* 0: unknown. */
static uint64_t resident_bytes(void)
{
	FILE *f = fopen("/proc/self/statm", "re");
	char line[128], *end = line;
	uint64_t pages = 0;

	if (!f)
		return 0;
	if (fgets(line, sizeof(line), f)) {
		(void)strtoull(line, &end, 10);
		pages = strtoull(end, NULL, 10);
	}
	(void)fclose(f);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static struct metrics *take_metrics(void *ctx, uint64_t scrapes, uint64_t refused)
{
	struct exporter *e = ctx;
	struct metrics_own own = {.version = RAILTOP_VERSION,
		.start_us = e->start_us,
		.cpu_s = cpu_s(CLOCK_PROCESS_CPUTIME_ID),
		.took_s = e->took_s,
		.rss_bytes = resident_bytes(),
		.scrapes = scrapes,
		.refused = refused};
	double began = cpu_s(CLOCK_THREAD_CPUTIME_ID);
	struct metrics *x = metrics_take(e->now.model, e->now.diag, &own, e->now.now_us);

	e->took_s = cpu_s(CLOCK_THREAD_CPUTIME_ID) - began;
	return x;
}

/* ---- print once ---- */

static int print_metrics(const struct options *o, const struct collected *c)
{
	enum { PIECE = 1 << 17 };
	struct exporter e = {.now = *c, .start_us = clock_wall(&clock_system)};
	struct metrics *x = take_metrics(&e, 1, 0);
	struct metrics_reader r = {.of = x, .format = METRICS_TEXT};
	char *piece = mem_alloc(PIECE);
	struct err err = {0};
	bool ok = true;
	size_t n;

	(void)o;
	while (ok && (n = metrics_read(&r, piece, PIECE)))
		ok = fwrite(piece, 1, n, stdout) == n;
	free(piece);
	metrics_free(x);
	if (headless_close(stdout, "standard output", &err) && ok)
		return headless_exit_code(c->model);
	err_print(&err);
	return EXIT_INTERNAL;
}

static int print_once(const struct options *o)
{
	struct headless_opts opts = {
		.options = o,
		.for_us = o->for_us ? o->for_us : 60 * CLOCK_SEC,
		.until_heard = true,
		.done = print_metrics,
	};

	return headless_run(&opts);
}

/* ---- serve ---- */

static bool begin_server(struct exporter *e, struct err *err)
{
	struct export_http_opts opts = {.loop = e->now.loop,
		.fd = e->fd,
		.cert = e->cert,
		.key = e->key,
		.token = e->token,
		.take = take_metrics,
		.ctx = e};

	e->http = export_http_start(&opts, err);
	e->fd = -1;
	if (e->http)
		(void)fprintf(stderr, "railtop: metrics at %s://%s/metrics\n",
			e->cert ? "https" : "http", e->where);
	return e->http != NULL;
}

static bool serve_metrics(void *ctx, const struct collected *c, bool interrupted, int *code)
{
	struct exporter *e = ctx;
	struct err err = {0};

	if (!c) {
		export_http_stop(e->http);
		return true;
	}
	e->now = *c;
	*code = EXIT_FINE;
	if (interrupted || (e->end_us && clock_mono(&clock_system) >= e->end_us))
		return true;
	if (e->http) {
		export_http_tick(e->http);
	} else if (!begin_server(e, &err)) {
		err_print(&err);
		*code = EXIT_USAGE;
		return true;
	}
	return false;
}

static bool read_secrets(struct exporter *e, const struct options *o, struct err *err)
{
	if (!o->tls_cert != !o->tls_key) {
		err_set(err, ERR_USAGE, "", "TLS needs a certificate and its key");
		return err_cure(err, "give both --tls-cert and --tls-key");
	}
	if (o->tls_cert && !((e->cert = export_file(o->tls_cert, false, err)) &&
				   (e->key = export_file(o->tls_key, true, err))))
		return false;
	if (!o->token_file)
		return true;
	if (!(e->token = export_file(o->token_file, true, err)))
		return false;
	/* Only visible characters can be sent in a header. */
	for (const char *at = e->token; *at; at++)
		if (*at <= ' ' || *at > '~')
			return err_set(err, ERR_CONFIG, o->token_file,
				"a token is one word of ASCII characters");
	if (strlen(e->token) >= TOKEN_LEAST)
		return true;
	err_set(err, ERR_CONFIG, o->token_file, "the token is shorter than %d characters",
		TOKEN_LEAST);
	return err_cure(err, "openssl rand -hex 32 > %s", o->token_file);
}

static bool open_socket(struct exporter *e, const struct options *o, struct err *err)
{
	const char *address = o->listen ? o->listen : EXPORT_ADDRESS;
	bool loopback = true;

	e->fd = export_listen(address, &loopback, e->where, sizeof(e->where), err);
	if (e->fd < 0)
		return false;
	if (loopback || e->cert || e->token || o->insecure)
		return true;
	err_set(err, ERR_REFUSED, address, "any machine that reaches the port could read the data");
	return err_cure(err, "give --token-file with --tls-cert and --tls-key, listen at "
			     "127.0.0.1, or use --insecure");
}

int sub_export(const struct options *o)
{
	struct exporter e = {.fd = -1, .start_us = clock_wall(&clock_system)};
	struct headless_opts opts = {
		.options = o,
		/* Serves from the beginning: devices not heard yet have no samples. */
		.for_us = 0,
		.more = serve_metrics,
		.ctx = &e,
	};
	struct err err = {0};
	int code = EXIT_USAGE;

	if (o->once)
		return print_once(o);
	if (o->from) {
		(void)fprintf(stderr, "railtop export: a recording is not served\n"
				      "  cure: --once prints the metrics of its moment\n");
		return EXIT_USAGE;
	}
	/* A client that disconnects must not end the program. */
	(void)signal(SIGPIPE, SIG_IGN);
	if (o->for_us)
		e.end_us = clock_mono(&clock_system) + o->for_us;
	if (read_secrets(&e, o, &err) && open_socket(&e, o, &err))
		code = headless_run(&opts);
	else
		err_print(&err);
	if (e.fd >= 0)
		(void)close(e.fd);
	export_forget(e.key);
	export_forget(e.token);
	export_forget(e.cert);
	return code;
}
