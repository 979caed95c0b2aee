/* SPDX-License-Identifier: Apache-2.0 */
/* Pushing the metrics to a collector of the test's own, which answers as it is told to. */
#include <limits.h>
#include <microhttpd.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "app/push/push.h"
#include "backends/https/post.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/str.h"
#include "tests/support/cases.h"
#include "tests/support/plan_make.h"

#define NOW         (INT64_C(1700000000) * 1000000)
#define PATIENCE_US (60 * CLOCK_SEC)

/* ---- the collector ---- */

static struct collector {
	struct MHD_Daemon *daemon;
	char url[64];
	pthread_mutex_t lock;
	/* its answers */
	unsigned status, failures; /* so many times the status, then 200 */
	const char *retry_after, *answer;
	size_t answer_len;
	bool hangs;
	struct MHD_Connection *hung;
	/* the requests */
	unsigned requests;
	char path[64], type[64], encoding[32], token[64];
	struct buf plain;
} col = {.lock = PTHREAD_MUTEX_INITIALIZER};

static const char *header(struct MHD_Connection *c, const char *name)
{
	const char *text = MHD_lookup_connection_value(c, MHD_HEADER_KIND, name);

	return text ? text : "";
}

static void unpack(const struct buf *packed)
{
	z_stream z = {.next_in = (Bytef *)packed->data, .avail_in = (uInt)packed->len};
	char piece[16384];
	int code;

	assert_int_equal(inflateInit2(&z, 15 + 16), Z_OK);
	do {
		z.next_out = (Bytef *)piece;
		z.avail_out = sizeof(piece);
		code = inflate(&z, Z_NO_FLUSH);
		assert_true(code == Z_OK || code == Z_STREAM_END);
		(void)buf_add(&col.plain, piece, sizeof(piece) - z.avail_out);
	} while (code != Z_STREAM_END);
	(void)inflateEnd(&z);
}

static enum MHD_Result answer_it(struct MHD_Connection *c)
{
	bool fails = col.failures > 0;
	struct MHD_Response *r = MHD_create_response_from_buffer(fails ? 0 : col.answer_len,
		(void *)(uintptr_t)(col.answer ? col.answer : ""), MHD_RESPMEM_PERSISTENT);
	enum MHD_Result rc;

	col.failures -= fails;
	if (fails && col.retry_after)
		(void)MHD_add_response_header(r, "Retry-After", col.retry_after);
	rc = MHD_queue_response(c, fails ? col.status : 200, r);
	MHD_destroy_response(r);
	return rc;
}

static enum MHD_Result on_request(void *ctx, struct MHD_Connection *c, const char *url,
	const char *method, const char *version, const char *data, size_t *n, void **of)
{
	enum MHD_Result rc = MHD_YES;

	(void)ctx, (void)version;
	if (!*of) {
		struct buf *b = mem_calloc(1, sizeof(*b));

		buf_init(b, 16 << 20);
		*of = b;
		return MHD_YES;
	}
	if (*n) {
		(void)buf_add(*of, data, *n);
		*n = 0;
		return MHD_YES;
	}
	(void)pthread_mutex_lock(&col.lock);
	assert_string_equal(method, "POST");
	col.requests++;
	(void)str_copy(col.path, sizeof(col.path), url);
	(void)str_copy(col.type, sizeof(col.type), header(c, "Content-Type"));
	(void)str_copy(col.encoding, sizeof(col.encoding), header(c, "Content-Encoding"));
	(void)str_copy(col.token, sizeof(col.token), header(c, "Authorization"));
	unpack(*of);
	if (col.hangs) {
		col.hung = c;
		MHD_suspend_connection(c);
	} else {
		rc = answer_it(c);
	}
	(void)pthread_mutex_unlock(&col.lock);
	return rc;
}

static void on_end(
	void *ctx, struct MHD_Connection *c, void **of, enum MHD_RequestTerminationCode why)
{
	struct buf *b = *of;

	(void)ctx, (void)c, (void)why;
	if (b)
		buf_free(b);
	free(b);
}

static int setup(void **state)
{
	const union MHD_DaemonInfo *info;

	(void)state;
	col.status = 200;
	col.failures = col.requests = 0;
	col.retry_after = col.answer = NULL;
	col.answer_len = 0;
	col.hangs = false;
	col.hung = NULL;
	buf_init(&col.plain, 64 << 20);
	col.daemon = MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD | MHD_ALLOW_SUSPEND_RESUME, 0,
		NULL, NULL, on_request, NULL, MHD_OPTION_NOTIFY_COMPLETED, on_end, NULL,
		MHD_OPTION_END);
	assert_non_null(col.daemon);
	info = MHD_get_daemon_info(col.daemon, MHD_DAEMON_INFO_BIND_PORT);
	(void)str_printf(col.url, sizeof(col.url), "http://127.0.0.1:%u/v1/metrics", info->port);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	if (col.hung)
		MHD_resume_connection(col.hung);
	MHD_stop_daemon(col.daemon);
	buf_free(&col.plain);
	return 0;
}

static struct metrics *picture(void)
{
	struct metrics_own own = {.version = "1.2.3", .start_us = NOW};
	struct metrics *x;
	struct plan plan;
	struct model *m;

	plan_init(&plan);
	(void)plan_make_device(&plan, "leaf-r0-00", TIER_LEAF, 0);
	m = model_new(&plan);
	plan_free(&plan);
	x = metrics_take(m, NULL, &own, NOW);
	model_free(m);
	return x;
}

static uint64_t samples; /* of the last picture */

static bool push_once(const char *token, struct push_sent *sent, struct err *err)
{
	struct push_to to = {.url = col.url, .token = token};
	struct metrics *x = picture();
	bool ok = push_picture(&to, x, "fabric-a", NOW, NULL, sent, err);

	samples = metrics_samples(x);
	metrics_free(x);
	return ok;
}

/* ---- the cases ---- */

CASE_WITH(a_picture_is_sent, setup, teardown)
{
	struct push_sent sent;
	struct err err = {0};

	assert_true(push_once("hush-hush-hush-hush", &sent, &err));
	assert_int_equal(col.requests, 1);
	assert_string_equal(col.path, "/v1/metrics");
	assert_string_equal(col.type, "application/x-protobuf");
	assert_string_equal(col.encoding, "gzip");
	assert_string_equal(col.token, "Bearer hush-hush-hush-hush");
	assert_int_equal(sent.points, samples);
	assert_int_equal(sent.rejected, 0);
	/* resource_metrics = 1, by length; the rest is compared in test_otlp. */
	assert_int_equal(col.plain.data[0], 0x0a);
	assert_non_null(memmem(col.plain.data, col.plain.len, "fabric-a", 8));
	assert_non_null(memmem(col.plain.data, col.plain.len, "railtop_device_state", 20));
}

CASE_WITH(what_was_rejected_is_known, setup, teardown)
{
	struct push_sent sent;
	struct err err = {0};

	col.answer = "\x0a\x0a\x08\xac\x02\x12\x05stale";
	col.answer_len = 12;
	assert_true(push_once(NULL, &sent, &err));
	assert_int_equal(sent.rejected, 300);
	assert_string_equal(sent.why, "stale");
	assert_string_equal(col.token, "");
}

CASE_WITH(a_refusal_has_its_cure, setup, teardown)
{
	static const struct {
		unsigned status;
		const char *words;
	} refusals[] = {{401, "--otlp-token-file"}, {403, "--otlp-token-file"},
		{404, "/v1/metrics"}, {415, "protobuf"}, {429, "own log"}, {503, "own log"},
		{302, "own log"}};

	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		struct push_sent sent;
		struct err err = {0};
		char text[640];

		col.status = refusals[i].status;
		col.failures = 1;
		col.retry_after = "7";
		assert_false(push_once("hush-hush-hush-hush", &sent, &err));
		(void)err_format(&err, text, sizeof(text));
		if (!strstr(text, refusals[i].words))
			fail_msg("%u: %s", refusals[i].status, text);
		assert_null(strstr(text, "hush"));
		assert_null(strstr(text, "notify"));
		assert_int_equal(sent.again_us, 7 * CLOCK_SEC);
	}
}

/* Gives pictures until the words are said. */
static void push_until(struct push *p, const char *words)
{
	int64_t until = clock_mono(&clock_system) + PATIENCE_US;
	char news[700] = "";

	while (!push_news(p, news, sizeof(news)) || !strstr(news, words)) {
		int64_t now = clock_mono(&clock_system);

		if (now > until)
			fail_msg("\"%s\" was not said, but \"%s\"", words, news);
		if (push_is_due(p, now))
			push_give(p, picture(), NOW, now);
		(void)usleep(2000);
	}
}

CASE_WITH(trouble_is_told_once_and_its_end, setup, teardown)
{
	struct push_to to = {.url = col.url};
	struct err err = {0};
	struct push *p = push_start(&to, 10000, "fabric-a", &err);

	assert_non_null(p);
	col.status = 503;
	col.failures = 3;
	push_until(p, "HTTP 503");
	push_until(p, "takes the metrics again");
	push_stop(p);
	assert_true(col.requests >= 4);
}

CASE_WITH(a_collector_that_hangs_does_not_hold_the_end, setup, teardown)
{
	struct push_to to = {.url = col.url};
	struct err err = {0};
	struct push *p = push_start(&to, 1000, "fabric-a", &err);
	int64_t until = clock_mono(&clock_system) + PATIENCE_US;
	bool asked = false;

	assert_non_null(p);
	(void)pthread_mutex_lock(&col.lock);
	col.hangs = true;
	(void)pthread_mutex_unlock(&col.lock);
	assert_true(push_is_due(p, 0));
	push_give(p, picture(), NOW, 0);
	while (!asked && clock_mono(&clock_system) < until) {
		(void)pthread_mutex_lock(&col.lock);
		asked = col.hung != NULL;
		(void)pthread_mutex_unlock(&col.lock);
		(void)usleep(2000);
	}
	assert_true(asked);
	/* While it is busy no further picture is wanted, however late it is. */
	assert_false(push_is_due(p, 3600 * CLOCK_SEC));
	until = clock_mono(&clock_system);
	push_stop(p);
	assert_true(clock_mono(&clock_system) - until < 8 * CLOCK_SEC);
}

CASE(urls)
{
	static const struct {
		const char *url, *token;
		bool insecure;
		const char *whole; /* NULL: refused */
	} urls[] = {{"https://collector:4318", NULL, false, "https://collector:4318/v1/metrics"},
		{"https://collector:4318/", "t", false, "https://collector:4318/v1/metrics"},
		{"https://gateway/otlp/v1/metrics", NULL, false, "https://gateway/otlp/v1/metrics"},
		{"http://127.0.0.1:4318", "t", false, "http://127.0.0.1:4318/v1/metrics"},
		{"http://localhost:4318", "t", false, "http://localhost:4318/v1/metrics"},
		{"http://[::1]:4318", NULL, false, "http://[::1]:4318/v1/metrics"},
		{"http://collector:4318", NULL, true, "http://collector:4318/v1/metrics"},
		{"http://collector:4318", NULL, false, NULL},
		{"http://localhost.example:4318", NULL, false, NULL},
		{"http://127.example:4318", "t", false, NULL},
		{"http://collector:4318", "t", true, NULL}, {"https://", NULL, false, NULL},
		{"https:///v1/metrics", NULL, false, NULL}, {"collector:4318", NULL, false, NULL},
		{"https://me:secret@collector", NULL, false, NULL},
		{"https://collector/?key=secret", NULL, false, NULL}};

	for (size_t i = 0; i < sizeof(urls) / sizeof(urls[0]); i++) {
		struct push_to to = {
			.url = urls[i].url, .token = urls[i].token, .insecure = urls[i].insecure};
		struct err err = {0};
		char *url = push_url(&to, &err), text[640];

		if (!url != !urls[i].whole)
			fail_msg("%s: %s", urls[i].url, url ? url : "refused");
		if (url)
			assert_string_equal(url, urls[i].whole);
		else
			assert_null(strstr(err_format(&err, text, sizeof(text)), "secret@"));
		free(url);
	}
}

/* Up to a tenth more is chance. */
static void pause_is(unsigned failures, int64_t again_s, int64_t want_s)
{
	int64_t got = post_pause(failures, 5 * CLOCK_SEC, 300 * CLOCK_SEC, again_s * CLOCK_SEC);

	assert_true(got >= want_s * CLOCK_SEC && got <= want_s * CLOCK_SEC * 11 / 10);
}

CASE(pauses_grow_to_their_bound)
{
	pause_is(0, 0, 0);
	pause_is(0, 60, 0); /* it took the message */
	pause_is(1, 0, 5);
	pause_is(3, 0, 20);
	pause_is(3, 60, 60); /* the receiver asks for it */
	pause_is(7, 0, 300);
	pause_is(UINT_MAX, 0, 300);
}

CASES_MAIN(NULL, NULL)
