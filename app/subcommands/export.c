/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "app/export/http.h"
#include "app/export/listen.h"
#include "app/headless/headless.h"
#include "app/push/push.h"
#include "base/clock.h"
#include "base/mem.h"

/*
 * `railtop export`: metrics of the session for Prometheus, and for a collector of OpenTelemetry. It
 * only reads the model; nothing here can reach a device.
 */
struct exporter {
	struct export_http *http;
	struct push *push; /* NULL: no collector */
	struct push_to to; /* url NULL: none */
	int64_t every_us;  /* of push */
	uint64_t pushed;
	struct collected now; /* the session's data; lives as long as the session */
	int fd;
	char *cert, *key, *token, *otlp_url, *otlp_token;
	char where[80];
	int64_t start_us, end_us; /* wall time; monotonic time, 0: none */
	double took_s;
};

#define TOKEN_LEAST ((size_t)16) /* characters: a shorter token can be guessed */

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

/* ---- push ---- */

static bool begin_push(struct exporter *e, struct err *err)
{
	if (!e->to.url || e->push)
		return true;
	e->push = push_start(&e->to, e->every_us, e->now.plan->fabric, err);
	if (e->push)
		(void)fprintf(stderr, "railtop: metrics go to %s every %d s\n", e->to.url,
			(int)(e->every_us / CLOCK_SEC));
	return e->push != NULL;
}

static void step_push(struct exporter *e)
{
	int64_t mono_us = clock_mono(&clock_system);
	char news[700];

	if (!e->push)
		return;
	if (push_is_due(e->push, mono_us))
		push_give(e->push, take_metrics(e, ++e->pushed, 0), e->now.now_us, mono_us);
	if (push_news(e->push, news, sizeof(news)))
		(void)fprintf(stderr, "railtop: %s\n", news);
}

static bool serve_metrics(void *ctx, const struct collected *c, bool interrupted, int *code)
{
	struct exporter *e = ctx;
	struct err err = {0};

	if (!c) {
		push_stop(e->push);
		e->push = NULL;
		export_http_stop(e->http);
		return true;
	}
	e->now = *c;
	*code = EXIT_FINE;
	if (interrupted || (e->end_us && clock_mono(&clock_system) >= e->end_us))
		return true;
	if (e->http) {
		export_http_tick(e->http);
		step_push(e);
	} else if (!begin_server(e, &err) || !begin_push(e, &err)) {
		err_print(&err);
		*code = EXIT_USAGE;
		return true;
	}
	return false;
}

/* A token of at least so many characters; NULL with err. The caller forgets it. */
static char *read_token(const char *path, size_t least, struct err *err)
{
	char *token = export_file(path, true, err);
	bool ok = token != NULL;

	/* Only visible characters can be sent in a header. */
	for (const char *at = token; ok && *at; at++)
		ok = (*at > ' ' && *at <= '~') ||
		     err_set(err, ERR_CONFIG, path, "a token is one word of ASCII characters");
	if (ok && strlen(token) < least) {
		ok = err_set(
			err, ERR_CONFIG, path, "the token is shorter than %zu characters", least);
		(void)err_cure(err, "openssl rand -hex 32 > %s", path);
	}
	if (ok)
		return token;
	export_forget(token);
	return NULL;
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
	return !o->token_file || (e->token = read_token(o->token_file, TOKEN_LEAST, err));
}

/* Where to push, if anywhere. */
static bool read_push(struct exporter *e, const struct options *o, struct err *err)
{
	if (!o->otlp && (o->otlp_every_us || o->otlp_token_file || o->otlp_ca)) {
		(void)err_set(err, ERR_USAGE, "", "options of a collector, and no collector");
		return err_cure(err, "give --otlp URL");
	}
	if (!o->otlp)
		return true;
	e->every_us = o->otlp_every_us ? o->otlp_every_us : PUSH_EVERY_US;
	if (o->otlp_token_file && !(e->otlp_token = read_token(o->otlp_token_file, 1, err)))
		return false;
	e->to = (struct push_to){
		.url = o->otlp, .token = e->otlp_token, .ca = o->otlp_ca, .insecure = o->insecure};
	e->otlp_url = push_url(&e->to, err);
	e->to.url = e->otlp_url;
	return e->otlp_url != NULL;
}

static void forget_secrets(struct exporter *e)
{
	export_forget(e->key);
	export_forget(e->token);
	export_forget(e->cert);
	export_forget(e->otlp_token);
	free(e->otlp_url);
}

static int push_metrics(const struct options *o, const struct collected *c)
{
	struct exporter e = {.now = *c, .start_us = clock_wall(&clock_system)};
	struct metrics *x = take_metrics(&e, 1, 0);
	struct push_sent sent = {0};
	struct err err = {0};
	int code = EXIT_INTERNAL;

	if (!read_push(&e, o, &err) ||
		!push_picture(&e.to, x, c->plan->fabric, c->now_us, NULL, &sent, &err)) {
		err_print(&err);
	} else {
		(void)fprintf(
			stderr, "railtop: %" PRIu64 " points sent to %s", sent.points, e.to.url);
		if (sent.rejected)
			(void)fprintf(stderr, ", of which it rejected %" PRIu64 "%s%s",
				sent.rejected, sent.why[0] ? ": " : "", sent.why);
		(void)fputc('\n', stderr);
		code = sent.rejected ? EXIT_INTERNAL : headless_exit_code(c->model);
	}
	metrics_free(x);
	forget_secrets(&e);
	return code;
}

static int export_once(const struct options *o)
{
	struct headless_opts opts = {
		.options = o,
		.for_us = o->for_us ? o->for_us : 60 * CLOCK_SEC,
		.until_heard = true,
		.done = o->otlp ? push_metrics : print_metrics,
	};

	return headless_run(&opts);
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

	/* A process that reads a file of others has no network. */
	if (o->from && (!o->once || o->otlp)) {
		(void)fprintf(stderr,
			"railtop export: a recording is not %s\n"
			"  cure: --once prints the metrics of its moment\n",
			o->otlp ? "sent" : "served");
		return EXIT_USAGE;
	}
	/* A client that disconnects must not end the program. A reader of the printout may. */
	if (!o->once || o->otlp)
		(void)signal(SIGPIPE, SIG_IGN);
	if (o->for_us)
		e.end_us = clock_mono(&clock_system) + o->for_us;
	if (!read_push(&e, o, &err))
		err_print(&err);
	else if (o->once)
		code = export_once(o);
	else if (read_secrets(&e, o, &err) && open_socket(&e, o, &err))
		code = headless_run(&opts);
	else
		err_print(&err);
	if (e.fd >= 0)
		(void)close(e.fd);
	forget_secrets(&e);
	return code;
}
