/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The console on an inventory with devices that a metrics engine reports, in a real terminal. The
 * engine is a server of this test's that answers range selectors as Prometheus does: leaf-1
 * receives 25 GB/s, and has for an hour and a half.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/str.h"
#include "tests/support/built.h"
#include "tests/support/cases.h"
#include "tests/support/terminal/vt.h"

#define KEPT_S   5400 /* so far back the server has samples */
#define SCRAPE_S 5
#define BYTES_S  UINT64_C(25000000000)
#define PATIENCE 60

struct stage {
	int fd;
	pthread_t thread;
	atomic_bool stop;
	int64_t began_s;
	char dir[64], inventory[96], mapping[96];
};

/* ---- the server ---- */

/* The number after a word of the form; 0: it is not there. */
static int64_t number_after(const char *form, const char *word)
{
	const char *at = strstr(form, word);

	return at ? strtoll(at + strlen(word), NULL, 10) : 0;
}

/* Ten minutes of which the server has nothing, an hour and a quarter ago. */
static bool in_gap(const struct stage *s, int64_t t)
{
	return t > s->began_s - 4500 && t <= s->began_s - 3900;
}

/* The answer to a query over a range: of each step the last sample. */
static void add_steps(const struct stage *s, const char *form, const char *metric, struct buf *out)
{
	int64_t from = number_after(form, "start="), to = number_after(form, "end="),
		step = number_after(form, "step=");
	const char *sep = "";

	if (!strstr(form, metric) || !strstr(form, "last_over_time") || step <= 0)
		return;
	(void)buf_addf(out,
		"%s{\"metric\":{\"__name__\":\"%s\",\"device\":\"leaf-1\",\"port\":\"e0\"},"
		"\"values\":[",
		out->data[out->len - 1] == '[' ? "" : ",", metric);
	for (int64_t t = from; t <= to; t += step) {
		if (t < s->began_s - KEPT_S || in_gap(s, t))
			continue;
		(void)buf_addf(out, "%s[%lld,\"%llu\"]", sep, (long long)t,
			(unsigned long long)((uint64_t)(t - s->began_s + KEPT_S) * BYTES_S));
		sep = ",";
	}
	(void)buf_adds(out, "]}");
}

/* Where the query names it. */
static void add_series(
	const struct stage *s, const char *form, const char *metric, bool bytes, struct buf *out)
{
	int64_t to = number_after(form, "time="), window = number_after(form, "%5B");
	int64_t now = clock_wall(&clock_system) / CLOCK_SEC, t;

	if (strstr(form, "step=")) {
		add_steps(s, form, metric, out);
		return;
	}
	to = to && to < now ? to : now;
	t = to - window > s->began_s - KEPT_S ? to - window : s->began_s - KEPT_S;
	t += SCRAPE_S - t % SCRAPE_S;
	if (t > to || !strstr(form, metric))
		return;
	(void)buf_addf(out,
		"%s{\"metric\":{\"__name__\":\"%s\",\"device\":\"leaf-1\",\"port\":\"e0\"},"
		"\"values\":[",
		out->data[out->len - 1] == '[' ? "" : ",", metric);
	for (const char *sep = ""; t <= to; t += SCRAPE_S, sep = ",") {
		uint64_t grown = (uint64_t)(t - s->began_s + KEPT_S) * BYTES_S;

		(void)buf_addf(out, "%s[%lld.25,\"%llu\"]", sep, (long long)t,
			bytes ? (unsigned long long)grown : 1ULL);
	}
	(void)buf_adds(out, "]}");
}

static void answer(const struct stage *s, int fd, const char *form)
{
	struct buf body, reply;

	buf_init(&body, (size_t)4 << 20);
	buf_init(&reply, (size_t)4 << 20);
	(void)buf_adds(&body, "{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\","
			      "\"result\":[");
	add_series(s, form, "rx_total", true, &body);
	add_series(s, form, "up_state", false, &body);
	(void)buf_adds(&body, "]}}");
	(void)buf_addf(&reply,
		"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n"
		"Connection: close\r\n\r\n%s",
		body.len, body.data);
	for (size_t at = 0; at < reply.len;) {
		ssize_t n = send(fd, reply.data + at, reply.len - at, MSG_NOSIGNAL);

		if (n <= 0)
			break;
		at += (size_t)n;
	}
	buf_free(&body);
	buf_free(&reply);
}

static void serve_one(const struct stage *s, int fd)
{
	char request[16384];
	size_t got = 0;

	for (;;) {
		ssize_t n = recv(fd, request + got, sizeof(request) - 1 - got, 0);
		const char *form;

		if (n <= 0)
			return;
		got += (size_t)n;
		request[got] = '\0';
		form = strstr(request, "\r\n\r\n");
		if (form && strlen(form + 4) >= (size_t)number_after(request, "Content-Length: ")) {
			answer(s, fd, form + 4);
			return;
		}
	}
}

static void *serve(void *ctx)
{
	struct stage *s = ctx;

	while (!atomic_load(&s->stop)) {
		int fd = accept(s->fd, NULL, NULL);

		if (fd < 0)
			continue;
		if (!atomic_load(&s->stop))
			serve_one(s, fd);
		(void)close(fd);
	}
	return NULL;
}

/* ---- the stage ---- */

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static unsigned listen_somewhere(struct stage *s)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(at);

	s->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_true(s->fd >= 0);
	assert_int_equal(bind(s->fd, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(listen(s->fd, 16), 0);
	assert_int_equal(getsockname(s->fd, (struct sockaddr *)&at, &len), 0);
	return ntohs(at.sin_port);
}

static int setup(void **state)
{
	struct stage *s = calloc(1, sizeof(*s));
	char text[512];

	*state = s;
	s->began_s = clock_wall(&clock_system) / CLOCK_SEC;
	(void)str_copy(s->dir, sizeof(s->dir), "/tmp/railtop-screens-XXXXXX");
	assert_non_null(mkdtemp(s->dir));
	(void)str_printf(s->inventory, sizeof(s->inventory), "%s/fabric.yaml", s->dir);
	(void)str_printf(s->mapping, sizeof(s->mapping), "%s/two.map", s->dir);
	write_file(s->mapping,
		"mapping: two\ndevice: device\nport: port\nrules:\n"
		"  - {metric: rx_total, counter: rx_bytes}\n"
		"  - {metric: up_state, attribute: oper, values: {1: up, 0: down}}\n");
	(void)str_printf(text, sizeof(text),
		"fabric: site\n"
		"engine: {url: \"http://127.0.0.1:%u\", mapping: ./two.map, interval: 5s}\n"
		"switches: [{names: leaf-1, tier: leaf}]\n",
		listen_somewhere(s));
	write_file(s->inventory, text);
	return pthread_create(&s->thread, NULL, serve, s);
}

static int teardown(void **state)
{
	struct stage *s = *state;

	atomic_store(&s->stop, true);
	(void)shutdown(s->fd, SHUT_RDWR);
	(void)pthread_join(s->thread, NULL);
	(void)close(s->fd);
	(void)unlink(s->mapping);
	(void)unlink(s->inventory);
	(void)rmdir(s->dir);
	free(s);
	return 0;
}

static void command(struct vt *vt, const char *text)
{
	vt_type(vt, ":");
	vt_type(vt, text);
	vt_key(vt, "Enter");
}

/* ---- the screen ---- */

CASE_WITH(the_screen_says_whose_it_is_and_goes_back, setup, teardown)
{
	struct stage *s = *state;
	static char path[256];
	const char *const argv[] = {path, "-f", s->inventory, "--view", "leaf-1", NULL};
	struct vt_opts opts = {.rows = 24, .cols = 80, .idle = true};
	struct vt *vt;

	(void)built_path("railtop", path, sizeof(path));
	vt = vt_spawn(&opts, argv);
	assert_non_null(vt);
	vt_wait_text(vt, "from Prometheus, <1", PATIENCE);
	vt_wait_text(vt, "200G", PATIENCE);
	/* Longer ago than anything was recorded here. */
	command(vt, "at -30m");
	vt_wait_text(vt, "-30:", PATIENCE);
	vt_wait_text(vt, "200G", PATIENCE);
	assert_true(vt_has(vt, "ENGINE "));
	assert_false(vt_has(vt, "REPLAY"));
	/* Before the engine's first sample: the screen stays as it was. */
	command(vt, "at -3h");
	vt_wait_text(vt, "no data of that time", PATIENCE);
	assert_true(vt_has(vt, "ENGINE "));
	vt_key(vt, "Esc");
	vt_wait_gone(vt, "ENGINE", PATIENCE);
	vt_wait_text(vt, "from Prometheus", PATIENCE);
	/* The port's history is the engine's. */
	command(vt, "leaf-1:e0");
	vt_wait_text(vt, "leaf fresh engine", PATIENCE);
	vt_wait_text(vt, "████████████████████████████████", PATIENCE);
	command(vt, "quit");
	assert_int_equal(vt_wait_exit(vt), 0);
	vt_free(vt);
}

/* The line of the plot that has the top of the values. */
static unsigned gaps_in(struct vt *vt)
{
	unsigned gaps = 0;
	bool was = false;

	for (const char *at = vt_line(vt, 3); *at; at++) {
		bool blank = *at == ' ';

		gaps += was && !blank;
		was = blank;
	}
	return gaps;
}

/* Beyond the hour the chart is the engine's, and says so; where it has nothing there is a gap. */
CASE_WITH(a_chart_goes_on_in_the_engine, setup, teardown)
{
	struct stage *s = *state;
	static char path[256];
	const char *const argv[] = {path, "-f", s->inventory, "--view", "leaf-1:e0", NULL};
	struct vt_opts opts = {.rows = 24, .cols = 80, .idle = true};
	struct vt *vt;

	(void)built_path("railtop", path, sizeof(path));
	vt = vt_spawn(&opts, argv);
	assert_non_null(vt);
	vt_wait_text(vt, "leaf fresh engine", PATIENCE);
	command(vt, "chart leaf-1:e0");
	command(vt, "chart-metric rx");
	command(vt, "chart-zoom 2h");
	vt_wait_text(vt, "b/s of the last 2h", PATIENCE);
	vt_wait_text(vt, " from 127.0.0.1:", PATIENCE);
	assert_true(vt_has(vt, "200 Gb/s"));
	if (gaps_in(vt) < 1)
		fail_msg("%s", vt_screen(vt));
	/* The window may be moved as far as the engine goes, and further: then it says so. */
	command(vt, "chart-pan -1");
	vt_wait_text(vt, "b/s of 2h until ", PATIENCE);
	command(vt, "chart-pan -1");
	command(vt, "chart-pan -1");
	vt_wait_text(vt, "no data of that time", PATIENCE);
	command(vt, "quit");
	assert_int_equal(vt_wait_exit(vt), 0);
	vt_free(vt);
}

CASES_MAIN(NULL, NULL)
