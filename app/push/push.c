/* SPDX-License-Identifier: Apache-2.0 */
#include "app/push/push.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "app/export/compress.h"
#include "archive/openmetrics/otlp.h"
#include "backends/https/post.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"

#define PATH_METRICS "/v1/metrics"
#define SHOWN        "otlp"
/* A collector refuses bodies above 20 MB; small ones keep the memory small. */
#define BODY_MOST  ((size_t)2 << 20)
#define BODY_ROOM  ((size_t)24 << 20)
#define REQUEST_US (10 * CLOCK_SEC) /* OpenTelemetry's own */
#define PAUSE_MOST (600 * CLOCK_SEC)

/* ---- the URL ---- */

char *push_url(const struct push_to *to, struct err *err)
{
	bool plain = strncasecmp(to->url, "http://", 7) == 0;
	const char *host = to->url + (plain ? 7 : 8);
	size_t n = strlen(to->url), len;
	char *url;

	if ((!plain && strncasecmp(to->url, "https://", 8) != 0) || !*host || *host == '/') {
		(void)err_set(err, ERR_USAGE, to->url, "no URL of a collector");
		(void)err_cure(err, "for example --otlp https://collector:4318");
		return NULL;
	}
	if (strchr(host, '@') || strchr(host, '?')) {
		(void)err_set(err, ERR_USAGE, "--otlp", "a secret may be in the URL");
		(void)err_cure(err, "give --otlp-token-file, and no user or query in the URL");
		return NULL;
	}
	if (plain && !post_is_local(to->url) && (to->token || !to->insecure)) {
		(void)err_set(err, ERR_REFUSED, to->url, "%s would cross the network unencrypted",
			to->token ? "the token" : "the data");
		(void)err_cure(err, to->token ? "use https://, with --otlp-ca where the CA is the "
						"site's own"
					      : "use https://, or --insecure");
		return NULL;
	}
	while (n && to->url[n - 1] == '/')
		n--;
	len = strcspn(host, "/");
	url = mem_alloc(n + sizeof(PATH_METRICS));
	memcpy(url, to->url, n);
	url[n] = '\0';
	if (!host[len] || !host[len + 1])
		memcpy(url + n, PATH_METRICS, sizeof(PATH_METRICS));
	return url;
}

/* ---- one picture ---- */

struct plain_body {
	const struct buf *body;
	size_t at;
};

static size_t read_plain(void *ctx, char *dst, size_t size)
{
	struct plain_body *b = ctx;
	size_t n = b->body->len - b->at;

	n = n < size ? n : size;
	memcpy(dst, b->body->data + b->at, n);
	b->at += n;
	return n;
}

static bool compress_body(const struct buf *body, struct buf *to, struct err *err)
{
	struct plain_body plain = {body, 0};
	struct compressor *z = compressor_new(CODING_GZIP, read_plain, &plain);
	char piece[16 << 10];
	bool failed = !z;
	size_t n;

	buf_reset(to);
	while (z && (n = compressor_read(z, piece, sizeof(piece), &failed)))
		(void)buf_add(to, piece, n);
	compressor_free(z);
	return (!failed && !to->overflow) || err_set(err, ERR_INTERNAL, SHOWN, "no memory");
}

/* The cures of backends/https/post.h are those of a receiver in the inventory. */
static void cure(const struct post_answer *a, struct err *err)
{
	if (err->code == ERR_UNAUTHORISED && !a->status)
		(void)err_cure(err, "give the CA that signed its certificate: --otlp-ca FILE");
	else if (a->status == 401 || a->status == 403)
		(void)err_cure(err, "check the token in --otlp-token-file");
	else if (a->status == 404 || a->status == 405)
		(void)err_cure(err, "check the URL: a collector takes metrics at " PATH_METRICS);
	else if (a->status == 415)
		(void)err_cure(err, "it takes no protobuf: check that it speaks OTLP/HTTP");
	else if (a->status)
		(void)err_cure(err, "the collector's own log has the reason");
	else
		(void)err_cure(err, "check that the collector is up and reached from here");
}

static bool send_body(const struct push_to *to, const struct buf *body, const atomic_bool *stop,
	struct push_sent *sent, struct err *err)
{
	struct post_answer answer = {0};
	struct post_request q = {.url = to->url,
		.shown = SHOWN,
		.content_type = "application/x-protobuf",
		.encoding = "gzip",
		.body = body->data,
		.len = body->len,
		.token = to->token,
		.ca = to->ca,
		.most_us = REQUEST_US,
		.stop = stop};

	if (!post_send(&q, &answer, err)) {
		sent->again_us = answer.again_us;
		cure(&answer, err);
		return false;
	}
	sent->rejected += otlp_rejected(answer.head, answer.head_len, sent->why, sizeof(sent->why));
	return true;
}

bool push_picture(const struct push_to *to, const struct metrics *x, const char *fabric,
	int64_t now_us, const atomic_bool *stop, struct push_sent *sent, struct err *err)
{
	struct otlp *o = otlp_new(x, fabric, now_us);
	struct buf body, small;
	bool ok = true;

	*sent = (struct push_sent){0};
	buf_init(&body, BODY_ROOM);
	buf_init(&small, BODY_ROOM);
	while (ok && otlp_body(o, BODY_MOST, &body))
		ok = compress_body(&body, &small, err) && send_body(to, &small, stop, sent, err);
	if (ok && body.overflow)
		ok = err_set(err, ERR_LIMIT, SHOWN, "a request would be larger than %zu MB",
			BODY_ROOM >> 20);
	sent->points = otlp_points(o);
	buf_free(&body);
	buf_free(&small);
	otlp_free(o);
	return ok;
}

/* ---- the thread ---- */

struct push {
	struct push_to to;
	int64_t every_us, due_us; /* monotonic */
	char fabric[256];
	pthread_t thread;
	atomic_bool stop;
	pthread_mutex_t lock;
	pthread_cond_t given;
	/* under the lock */
	struct metrics *x; /* NULL: the thread waits */
	int64_t now_us, pause_us;
	bool busy;
	char news[700];
	/* the thread's own */
	unsigned failures; /* in a row */
	bool rejects;
};

static void tell(struct push *p, const char *text)
{
	log_line("otlp", "%s", text);
	(void)pthread_mutex_lock(&p->lock);
	(void)str_copy(p->news, sizeof(p->news), text);
	(void)pthread_mutex_unlock(&p->lock);
}

static void note_failure(struct push *p, const struct err *err)
{
	char why[560], text[700];

	(void)err_format(err, why, sizeof(why));
	if (p->failures++) {
		log_line("otlp", "%s", why);
		return;
	}
	(void)str_printf(text, sizeof(text), "%s; railtop tries again", why);
	tell(p, text);
}

static void note_success(struct push *p, const struct push_sent *sent)
{
	char text[320];

	if (p->failures)
		tell(p, "otlp: the collector takes the metrics again");
	p->failures = 0;
	if (sent->rejected && !p->rejects) {
		(void)str_printf(text, sizeof(text),
			"otlp: the collector rejected %" PRIu64 " of %" PRIu64 " points%s%s",
			sent->rejected, sent->points, sent->why[0] ? ": " : "", sent->why);
		tell(p, text);
	}
	p->rejects = sent->rejected != 0;
}

static void *push_loop(void *ctx)
{
	struct push *p = ctx;

	post_begin();
	(void)pthread_mutex_lock(&p->lock);
	while (!atomic_load(&p->stop)) {
		struct metrics *x = p->x;
		int64_t now_us = p->now_us;
		struct push_sent sent;
		struct err err = {0};

		if (!x) {
			(void)pthread_cond_wait(&p->given, &p->lock);
			continue;
		}
		p->x = NULL;
		(void)pthread_mutex_unlock(&p->lock);
		if (push_picture(&p->to, x, p->fabric, now_us, &p->stop, &sent, &err))
			note_success(p, &sent);
		else if (!atomic_load(&p->stop))
			note_failure(p, &err);
		metrics_free(x);
		(void)pthread_mutex_lock(&p->lock);
		/* 0 after a success: the next one is due in its turn. */
		p->pause_us = post_pause(p->failures, p->every_us, PAUSE_MOST, sent.again_us);
		p->busy = false;
	}
	(void)pthread_mutex_unlock(&p->lock);
	post_end();
	return NULL;
}

struct push *push_start(
	const struct push_to *to, int64_t every_us, const char *fabric, struct err *err)
{
	struct push *p = mem_calloc(1, sizeof(*p));

	p->to = *to;
	p->every_us = every_us;
	(void)str_copy(p->fabric, sizeof(p->fabric), fabric);
	(void)pthread_mutex_init(&p->lock, NULL);
	(void)pthread_cond_init(&p->given, NULL);
	if (pthread_create(&p->thread, NULL, push_loop, p) == 0)
		return p;
	(void)pthread_mutex_destroy(&p->lock);
	(void)pthread_cond_destroy(&p->given);
	free(p);
	(void)err_set(err, ERR_LIMIT, SHOWN, "no thread can be started");
	return NULL;
}

bool push_is_due(struct push *p, int64_t mono_us)
{
	bool due;

	(void)pthread_mutex_lock(&p->lock);
	/* A failure delays the next one, counted from the moment it is known. */
	if (!p->busy && p->pause_us) {
		p->due_us = mono_us + p->pause_us;
		p->pause_us = 0;
	}
	due = !p->busy && mono_us >= p->due_us;
	(void)pthread_mutex_unlock(&p->lock);
	return due;
}

void push_give(struct push *p, struct metrics *x, int64_t now_us, int64_t mono_us)
{
	(void)pthread_mutex_lock(&p->lock);
	p->x = x;
	p->now_us = now_us;
	p->busy = true;
	p->due_us = mono_us + p->every_us;
	(void)pthread_cond_signal(&p->given);
	(void)pthread_mutex_unlock(&p->lock);
}

bool push_news(struct push *p, char *dst, size_t size)
{
	(void)pthread_mutex_lock(&p->lock);
	(void)str_copy(dst, size, p->news);
	p->news[0] = '\0';
	(void)pthread_mutex_unlock(&p->lock);
	return *dst != '\0';
}

void push_stop(struct push *p)
{
	if (!p)
		return;
	atomic_store(&p->stop, true);
	(void)pthread_mutex_lock(&p->lock);
	(void)pthread_cond_signal(&p->given);
	(void)pthread_mutex_unlock(&p->lock);
	(void)pthread_join(p->thread, NULL);
	metrics_free(p->x);
	(void)pthread_mutex_destroy(&p->lock);
	(void)pthread_cond_destroy(&p->given);
	free(p);
}
