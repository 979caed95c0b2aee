/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The engine against a server of canned replies, as Prometheus, Thanos, Mimir and VictoriaMetrics
 * give them, and against a server without replies. A real Prometheus is in tests/app.
 */
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <curl/curl.h>

#include "backends/prometheus/prometheus.h"
#include "fabric/model/model.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "tests/backends/prometheus/prometheus_rules.h"
#include "tests/backends/prometheus/prometheus_server.h"
#include "tests/support/obs_find.h"

#define PATIENCE_US (60 * CLOCK_SEC)
#define DEVICES     4

struct rig {
	struct plan plan;
	struct prometheus_map *map;
	struct prometheus_server *server;
	struct prometheus *engine;
	/* The server's behaviour. */
	atomic_int status;
	const char *header, *body;
	size_t cut;
	unsigned most;               /* devices of one query, more are too many; 0: any */
	const char *refused;         /* a metric that it cannot answer */
	const char *extra;           /* of a good reply: ,"warnings":[...] */
	_Atomic(const char *) wants; /* a line that the head must have, or it is 401; NULL */
	atomic_int past_broken;      /* queries about the past that get no answer yet */
	atomic_uint asked, served;
	pthread_mutex_t lock; /* of last and head */
	char head[4096];
	size_t waiting_most; /* of prometheus_opts */
};

/* A reply with a counter of each device that the query names. */
static char *good(const struct rig *r, const char *query)
{
	int64_t now = clock_wall(&clock_system) / CLOCK_SEC - 2;
	struct buf b;
	bool any = false;

	buf_init(&b, 65536);
	(void)buf_addf(&b,
		"{\"status\":\"success\"%s,\"data\":{\"resultType\":\"matrix\",\"result\":[",
		r->extra ? r->extra : "");
	for (unsigned i = 0; i < DEVICES && strstr(query, "rx_bytes_total"); i++) {
		char name[16];

		(void)str_printf(name, sizeof(name), "leaf-%u", i);
		if (!strstr(query, name))
			continue;
		(void)buf_addf(&b,
			"%s{\"metric\":{\"__name__\":\"rx_bytes_total\",\"instance\":\"%s\","
			"\"port\":"
			"\"Ethernet0\"},\"values\":[[%lld,\"%u\"]]}",
			any ? "," : "", name, (long long)now, 100 + i);
		any = true;
	}
	(void)buf_adds(&b, "]}}");
	return buf_take(&b, NULL);
}

static unsigned devices_in(const char *query)
{
	unsigned n = 0;

	while ((query = strstr(query, "leaf-"))) {
		n++;
		query++;
	}
	return n;
}

static void on_request(
	void *ctx, const char *head, const char *query, struct prometheus_answer *out)
{
	struct rig *r = ctx;

	atomic_fetch_add(&r->asked, 1);
	pthread_mutex_lock(&r->lock);
	(void)str_copy(r->head, sizeof(r->head), head);
	pthread_mutex_unlock(&r->lock);
	out->status = r->status;
	out->header = r->header;
	out->cut = r->cut;
	if (r->wants && !strstr(head, r->wants)) {
		out->status = 401;
	} else if (strstr(query, "[600s]") && atomic_fetch_sub(&r->past_broken, 1) > 0) {
		out->status = 0;
	} else if (r->most && devices_in(query) > r->most) {
		out->status = 422;
		out->body = mem_strdup(
			"{\"status\":\"error\",\"errorType\":\"execution\",\"error\":\"query "
			"processing would load too many samples into memory in query "
			"execution\"}");
	} else if (r->refused && strstr(query, r->refused)) {
		out->status = 400;
		out->body = mem_strdup(
			"{\"status\":\"error\",\"errorType\":\"bad_data\",\"error\":\"1:7: "
			"parse error\"}");
	} else {
		out->body = r->body ? mem_strdup(r->body) : good(r, query);
	}
	atomic_fetch_add(&r->served, 1);
}

static int setup(void **state)
{
	struct rig *r = mem_calloc(1, sizeof(*r));
	char url[64];

	prometheus_plan(&r->plan, DEVICES);
	r->map = prometheus_rules();
	r->status = 200;
	pthread_mutex_init(&r->lock, NULL);
	r->server = prometheus_server_start(on_request, r);
	(void)str_printf(url, sizeof(url), "http://127.0.0.1:%u/prometheus/",
		prometheus_server_port(r->server));
	free(r->plan.engine.url);
	r->plan.engine.url = mem_strdup(url);
	r->plan.engine.interval_us = CLOCK_SEC / 5;
	*state = r;
	return 0;
}

static int teardown(void **state)
{
	struct rig *r = *state;

	if (r->engine)
		assert_true(prometheus_stop(r->engine));
	prometheus_server_stop(r->server);
	prometheus_map_free(r->map);
	plan_free(&r->plan);
	pthread_mutex_destroy(&r->lock);
	free(r);
	return 0;
}

static void start(struct rig *r, bool once)
{
	struct prometheus_opts opts = {
		.publish_us = 1000, .once = once, .waiting_most = r->waiting_most};
	struct err err = {0};

	r->engine = prometheus_start(&r->plan, r->map, &opts, &err);
	if (!r->engine)
		fail_msg("%s", err.text);
}

/* The first batch of a device with that result; the others before it are dropped. */
static struct obs *await(struct rig *r, const char *device, enum obs_result result)
{
	int64_t until = clock_mono(&clock_system) + PATIENCE_US;

	while (clock_mono(&clock_system) < until) {
		struct obs *found = NULL, *next;

		for (struct obs *o = prometheus_drain(r->engine); o; o = next) {
			next = o->next;
			if (!found && o->result == result && str_eq(o->device, device))
				found = o;
			else
				obs_free(o);
		}
		if (found)
			return found;
		(void)poll(NULL, 0, 5);
	}
	fail_msg("nothing came of %s", device);
	return NULL;
}

static void asks_and_says(void **state)
{
	struct rig *r = *state;
	struct obs *o;

	r->plan.engine.tenant = mem_strdup("team-a");
	start(r, false);
	o = await(r, "leaf-3", OBS_DATA);
	assert_true(cell_count(at_port(o, "Ethernet0"), "rx_bytes", 0) == 103);
	obs_free(o);
	pthread_mutex_lock(&r->lock);
	assert_true(str_starts(r->head, "POST /prometheus/api/v1/query HTTP/1.1\r\n"));
	assert_non_null(strstr(r->head, "\r\nX-Scope-OrgID: team-a"));
	pthread_mutex_unlock(&r->lock);
}

/* Five intervals. */
#define LONG_MS 1000

/* Requests until now, once none came for five intervals; fails where they do not end. */
static unsigned asked_no_more(struct rig *r)
{
	int64_t until = clock_mono(&clock_system) + PATIENCE_US;
	unsigned asked;

	do {
		if (clock_mono(&clock_system) >= until)
			fail_msg("it asks on: %u times", r->asked);
		asked = r->asked;
		(void)poll(NULL, 0, LONG_MS);
	} while (r->asked != asked);
	return asked;
}

static void await_asked_after(struct rig *r, unsigned asked)
{
	int64_t until = clock_mono(&clock_system) + PATIENCE_US;

	while (r->asked == asked) {
		if (clock_mono(&clock_system) >= until)
			fail_msg("it does not ask on after %u times", asked);
		(void)poll(NULL, 0, 5);
	}
}

static void what_nobody_takes_is_not_asked_again(void **state)
{
	struct rig *r = *state;

	r->waiting_most = 1;
	start(r, false);
	for (unsigned i = 0; i < 3; i++) {
		unsigned asked;

		obs_free(await(r, "leaf-3", OBS_DATA));
		asked = asked_no_more(r);
		/* It waits, and not in vain. */
		obs_free(await(r, "leaf-3", OBS_DATA));
		await_asked_after(r, asked);
	}
}

static void sends_secrets_in_headers_only(void **state)
{
	struct rig *r = *state;

	assert_int_equal(setenv("RAILTOP_TEST_TOKEN", "s3cr3t-token", 1), 0);
	r->plan.engine.token = mem_strdup("env:RAILTOP_TEST_TOKEN");
	start(r, false);
	obs_free(await(r, "leaf-0", OBS_DATA));
	pthread_mutex_lock(&r->lock);
	assert_non_null(strstr(r->head, "\r\nAuthorization: Bearer s3cr3t-token\r\n"));
	assert_null(strstr(strstr(r->head, "\r\n") - 20, "s3cr3t-token HTTP"));
	pthread_mutex_unlock(&r->lock);
	assert_true(prometheus_stop(r->engine));
	r->engine = NULL;
	free(r->plan.engine.token);
	r->plan.engine.token = NULL;
	assert_int_equal(setenv("RAILTOP_TEST_TOKEN", "noc:sec:ret", 1), 0);
	r->plan.engine.credentials = mem_strdup("env:RAILTOP_TEST_TOKEN");
	start(r, false);
	obs_free(await(r, "leaf-0", OBS_DATA));
	pthread_mutex_lock(&r->lock);
	assert_non_null(strstr(r->head, "\r\nAuthorization: Basic bm9jOnNlYzpyZXQ=\r\n"));
	pthread_mutex_unlock(&r->lock);
	assert_int_equal(unsetenv("RAILTOP_TEST_TOKEN"), 0);
}

static void write_token(const char *path, const char *token)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_true(fputs(token, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static void a_token_that_was_written_anew_is_read_again(void **state)
{
	struct rig *r = *state;
	char path[] = "/tmp/railtop-token-XXXXXX", reference[64];
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(close(fd), 0);
	write_token(path, "first\n");
	(void)str_printf(reference, sizeof(reference), "file:%s", path);
	r->plan.engine.token = mem_strdup(reference);
	r->wants = "\r\nAuthorization: Bearer first\r\n";
	start(r, false);
	obs_free(await(r, "leaf-0", OBS_DATA));
	r->wants = "\r\nAuthorization: Bearer second\r\n";
	obs_free(await(r, "leaf-0", OBS_FAILED));
	/* With the next question, or half a minute after it was last read. */
	write_token(path, "second\n");
	obs_free(await(r, "leaf-0", OBS_DATA));
	assert_int_equal(unlink(path), 0);
}

static void a_past_that_broke_is_asked_again(void **state)
{
	struct rig *r = *state;
	bool came = false;

	r->plan.engine.history_us = 600 * CLOCK_SEC;
	r->past_broken = 2;
	start(r, false);
	obs_free(await(r, "leaf-0", OBS_DATA));
	prometheus_focus(r->engine, "leaf-0");
	for (int64_t until = clock_mono(&clock_system) + PATIENCE_US;
		!came && clock_mono(&clock_system) < until; (void)poll(NULL, 0, 5))
		for (struct obs *o = prometheus_drain(r->engine), *next; o; o = next) {
			next = o->next;
			came |= str_eq(o->request, REQUEST_HISTORY) && str_eq(o->device, "leaf-0");
			obs_free(o);
		}
	assert_true(came);
	assert_true(r->past_broken < 0);
}

static void refuses_what_fails_for_ever(void **state)
{
	static const struct {
		const char *url, *token, *credentials, *says;
	} wrong[] = {
		{"ftp://x/", NULL, NULL, "is not http"},
		{"prometheus:9090", NULL, NULL, "is not http"},
		{"https://noc:pw@x/", NULL, NULL, "must not contain a user"},
		{"https://x/?q=1", NULL, NULL, "must not contain a query"},
		{"http://prometheus.example/", "env:HOME", NULL, "unencrypted"},
		{"https://x/", "env:RAILTOP_TEST_NONE", NULL, "variable is not set"},
		{"https://x/", NULL, "hunter2", "reference"},
		{"https://x/", "netrc:/x", NULL, "reference"},
	};
	struct rig *r = *state;
	struct prometheus_opts opts = {0};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct plan_engine *pe = &r->plan.engine;
		struct err err = {0};

		free(pe->url), free(pe->token), free(pe->credentials);
		pe->url = mem_strdup(wrong[i].url);
		pe->token = wrong[i].token ? mem_strdup(wrong[i].token) : NULL;
		pe->credentials = wrong[i].credentials ? mem_strdup(wrong[i].credentials) : NULL;
		assert_null(prometheus_start(&r->plan, r->map, &opts, &err));
		assert_int_equal(err.code, ERR_CONFIG);
		if (!strstr(err.text, wrong[i].says) || strstr(err.text, "hunter2") ||
			strstr(err.text, "pw@"))
			fail_msg("%s: %s", wrong[i].url, err.text);
	}
}

static void says_why_nothing_comes(void **state)
{
	static const struct {
		int status;
		const char *body, *says, *cure;
		enum err_code code;
	} wrong[] = {
		{401, "no", "HTTP 401: no", "check the content of", ERR_UNAUTHORISED},
		{403, "tenant unknown", "HTTP 403", "tenant:", ERR_UNAUTHORISED},
		{404, "404 page not found", "HTTP 404", "prefix", ERR_TIMEOUT},
		{302, "", "HTTP 302", "redirection is not followed", ERR_TIMEOUT},
		{429, "slow down", "HTTP 429", "interval:", ERR_TIMEOUT},
		{500, "{\"status\":\"error\",\"error\":\"oops\"}", "HTTP 500", "", ERR_TIMEOUT},
		{200, "<html>a portal</html>", "broken", "", ERR_TIMEOUT},
		{200, "{\"status\":\"success\",\"data\":{\"resultType\":\"vector\",\"result\":[]}}",
			"not a matrix", "", ERR_TIMEOUT},
	};
	struct rig *r = *state;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct obs *o;

		r->status = wrong[i].status;
		r->body = wrong[i].body;
		r->header = wrong[i].status == 302 ? "Location: http://127.0.0.1:1/" : NULL;
		start(r, false);
		o = await(r, "leaf-2", OBS_FAILED);
		if (!strstr(o->err.text, wrong[i].says) || !strstr(o->err.cure, wrong[i].cure) ||
			o->err.code != wrong[i].code)
			fail_msg("%d: %s (%s)", wrong[i].status, o->err.text, o->err.cure);
		obs_free(o);
		assert_true(prometheus_stop(r->engine));
		r->engine = NULL;
	}
}

static void comes_back_when_the_server_does(void **state)
{
	struct rig *r = *state;
	unsigned asked;
	struct obs *o;

	r->status = 0;
	start(r, false);
	o = await(r, "leaf-1", OBS_FAILED);
	assert_non_null(strstr(o->err.text, "127.0.0.1"));
	obs_free(o);
	/* Not at its pace while it is down: one query, then a pause that grows. */
	asked = atomic_load(&r->asked);
	assert_true(asked <= 2 * 4);
	r->status = 200;
	obs_free(await(r, "leaf-1", OBS_DATA));
}

static void divides_what_is_too_much_and_remembers(void **state)
{
	struct rig *r = *state;
	unsigned asked;

	r->most = 1;
	start(r, false);
	for (unsigned i = 0; i < DEVICES; i++) {
		char name[16];

		(void)str_printf(name, sizeof(name), "leaf-%u", i);
		obs_free(await(r, name, OBS_DATA));
	}
	/* 5 metrics of 4 devices are 20 asks; the larger asks they came from are not asked
	 * again. */
	asked = atomic_load(&r->asked);
	obs_free(await(r, "leaf-0", OBS_DATA));
	assert_true(atomic_load(&r->asked) >= asked);
	asked = atomic_load(&r->asked);
	obs_free(await(r, "leaf-0", OBS_DATA));
	obs_free(await(r, "leaf-0", OBS_DATA));
	/* Three rounds at most were begun since. */
	assert_true(atomic_load(&r->asked) - asked <= 20 * 14);
}

static void a_part_is_never_taken_for_the_whole(void **state)
{
	static const char *const extras[] = {
		",\"isPartial\":true", ",\"warnings\":[\"store gateway 10.0.0.9 did not answer\"]"};
	struct rig *r = *state;

	for (size_t i = 0; i < 2; i++) {
		const char *cure = NULL;
		struct obs *o;

		r->extra = extras[i];
		start(r, false);
		o = await(r, "leaf-0", OBS_DATA);
		assert_int_equal(capability_of(o, "metrics engine", &cure), VALID_DISABLED);
		assert_non_null(strstr(cure, "incomplete"));
		if (i)
			assert_non_null(strstr(cure, "store gateway"));
		obs_free(o);
		assert_true(prometheus_stop(r->engine));
		r->engine = NULL;
	}
}

static void a_metric_that_is_refused_costs_itself(void **state)
{
	struct rig *r = *state;
	const char *cure = NULL;
	struct obs *o;

	/* A query of its own, by its where. */
	r->map->rules.at[1]->where = mem_strdup("a=\"b");
	r->refused = "a=\"b";
	start(r, false);
	o = await(r, "leaf-0", OBS_DATA);
	assert_int_equal(capability_of(o, "metrics engine", &cure), VALID_DISABLED);
	assert_non_null(strstr(cure, "rules:2"));
	assert_non_null(strstr(cure, "parse error"));
	obs_free(o);
}

static void a_reply_that_ends_early_is_none(void **state)
{
	struct rig *r = *state;
	struct obs *o;

	r->cut = 60;
	start(r, false);
	o = await(r, "leaf-0", OBS_FAILED);
	assert_non_null(strstr(o->err.text, "127.0.0.1"));
	obs_free(o);
}

static void leaves_who_is_asked_himself(void **state)
{
	struct rig *r = *state;
	unsigned from;

	start(r, false);
	prometheus_leave(r->engine, "leaf-0", true);
	obs_free(await(r, "leaf-1", OBS_DATA));
	for (struct obs *o = prometheus_drain(r->engine), *next; o; o = next) {
		next = o->next;
		obs_free(o);
	}
	from = atomic_load(&r->served);
	while (atomic_load(&r->served) < from + 8) {
		for (struct obs *o = prometheus_drain(r->engine), *next; o; o = next) {
			next = o->next;
			assert_string_not_equal(o->device, "leaf-0");
			obs_free(o);
		}
		(void)poll(NULL, 0, 5);
	}
	prometheus_leave(r->engine, "leaf-0", false);
	obs_free(await(r, "leaf-0", OBS_DATA));
}

static void once_ends_also_without_a_server(void **state)
{
	struct rig *r = *state;
	int64_t until = clock_mono(&clock_system) + PATIENCE_US;

	r->status = 0;
	start(r, true);
	while (!prometheus_finished(r->engine)) {
		assert_true(clock_mono(&clock_system) < until);
		(void)poll(NULL, 0, 5);
	}
	obs_free(await(r, "leaf-0", OBS_FAILED));
}

/* libcurl's memory. It is refused to the engine's thread while that is set. */
static pthread_t main_thread;
static atomic_bool out_of_memory;

static bool is_refused(void)
{
	return atomic_load(&out_of_memory) && !pthread_equal(pthread_self(), main_thread);
}

static void *curl_alloc(size_t size)
{
	return is_refused() ? NULL : malloc(size);
}

static void *curl_zeroed(size_t n, size_t size)
{
	return is_refused() ? NULL : calloc(n, size);
}

static void *curl_resize(void *old, size_t size)
{
	return is_refused() ? NULL : realloc(old, size);
}

static char *curl_copy(const char *text)
{
	return is_refused() ? NULL : strdup(text);
}

static void a_round_without_memory_ends_with_an_error(void **state)
{
	struct rig *r = *state;
	struct obs *o;

	atomic_store(&out_of_memory, true);
	start(r, false);
	o = await(r, "leaf-1", OBS_FAILED);
	assert_non_null(strstr(o->err.text, curl_easy_strerror(CURLE_OUT_OF_MEMORY)));
	assert_string_equal(o->err.cure, "");
	obs_free(o);
	assert_int_equal(r->asked, 0);
	atomic_store(&out_of_memory, false);
	obs_free(await(r, "leaf-1", OBS_DATA));
}

static void a_moment_that_cannot_be_had_says_why(void **state)
{
	struct rig *r = *state;
	int64_t until = clock_mono(&clock_system) + PATIENCE_US, t = 0;
	struct obs *o = NULL;
	struct err err = {0};

	r->body = "{\"status\":\"error\",\"errorType\":\"execution\",\"error\":\"block is "
		  "corrupted\"}";
	start(r, false);
	prometheus_at(r->engine, 1600000000 * CLOCK_SEC);
	while (!prometheus_moment(r->engine, &t, &o, &err)) {
		assert_true(clock_mono(&clock_system) < until);
		(void)poll(NULL, 0, 5);
	}
	assert_true(t == 1600000000 * CLOCK_SEC);
	assert_null(o);
	assert_non_null(strstr(err.text, "block is corrupted"));
	assert_false(prometheus_moment(r->engine, &t, &o, &err));
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(asks_and_says),
		T(what_nobody_takes_is_not_asked_again),
		T(sends_secrets_in_headers_only),
		T(a_token_that_was_written_anew_is_read_again),
		T(a_past_that_broke_is_asked_again),
		T(refuses_what_fails_for_ever),
		T(says_why_nothing_comes),
		T(comes_back_when_the_server_does),
		T(divides_what_is_too_much_and_remembers),
		T(a_part_is_never_taken_for_the_whole),
		T(a_metric_that_is_refused_costs_itself),
		T(a_reply_that_ends_early_is_none),
		T(leaves_who_is_asked_himself),
		T(once_ends_also_without_a_server),
		T(a_round_without_memory_ends_with_an_error),
		T(a_moment_that_cannot_be_had_says_why),
	};
	int failed;

	main_thread = pthread_self();
	if (curl_global_init_mem(CURL_GLOBAL_DEFAULT, curl_alloc, free, curl_resize, curl_copy,
		    curl_zeroed) != CURLE_OK)
		return 1;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	curl_global_cleanup();
	return failed;
}
