/* SPDX-License-Identifier: Apache-2.0 */
/* The server of `railtop export` against clients that mean no good; both ends in one thread. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "app/export/http.h"
#include "app/export/listen.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"
#include "fabric/vocabulary/observation.h"
#include "tests/support/cases.h"
#include "tests/support/effort.h"

#define NOW      (INT64_C(1700000000) * CLOCK_SEC)
#define PORTS    1500
#define PATIENCE (60 * CLOCK_SEC)
#define TOKEN    "0123456789abcdef0123"

struct rig {
	uv_loop_t loop;
	struct model *model;
	struct export_http *http;
	unsigned port, taken;
};

static struct metrics *take(void *ctx, uint64_t scrapes, uint64_t refused)
{
	struct rig *r = ctx;
	struct metrics_own own = {.version = "t", .scrapes = scrapes, .refused = refused};

	r->taken++;
	return metrics_take(r->model, NULL, &own, NOW);
}

/* Its exposition is more than sockets take at once. */
static struct model *large_model(void)
{
	struct obs *o = obs_new("leaf", "fast");
	struct model *m;
	struct plan plan;

	plan_init(&plan);
	m = model_new(&plan);
	plan_free(&plan);
	o->received_us = NOW;
	for (unsigned i = 0; i < PORTS; i++) {
		char name[32];
		uint32_t p;

		(void)str_printf(name, sizeof(name), "Ethernet%u", i);
		p = obs_port(o, name);
		for (unsigned id = 0; id < COUNTER_COUNT; id++)
			if (counter_info[id].kind == KIND_COUNT)
				obs_count(o, p, (enum counter_id)id, 0, i);
	}
	model_apply(m, o, NOW);
	(void)model_age(m, NOW);
	obs_free(o);
	return m;
}

static void begin(struct rig *r, int64_t longest_us, int64_t shared_us)
{
	struct export_http_opts opts = {.loop = &r->loop,
		.take = take,
		.ctx = r,
		.token = TOKEN,
		.longest_us = longest_us,
		.shared_us = shared_us};
	struct err err = {0};
	char where[80];
	uint64_t port;
	bool loopback = false;

	memset(r, 0, sizeof(*r));
	assert_int_equal(uv_loop_init(&r->loop), 0);
	r->model = large_model();
	opts.fd = export_listen("127.0.0.1:0", &loopback, where, sizeof(where), &err);
	assert_true(opts.fd >= 0);
	assert_true(loopback);
	assert_true(str_to_u64(strrchr(where, ':') + 1, &port));
	r->port = (unsigned)port;
	r->http = export_http_start(&opts, &err);
	assert_non_null(r->http);
}

static void end(struct rig *r)
{
	export_http_stop(r->http);
	(void)uv_run(&r->loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&r->loop), 0);
	model_free(r->model);
}

/* A client with a small window; the server only moves in turn(). */
static int client(const struct rig *r, const char *says)
{
	struct sockaddr_in at = {.sin_family = AF_INET,
		.sin_port = htons((uint16_t)r->port),
		.sin_addr = {htonl(INADDR_LOOPBACK)}};
	int fd = socket(AF_INET, SOCK_STREAM, 0), small = 4096;

	assert_true(fd >= 0);
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
	assert_int_equal(connect(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(send(fd, says, strlen(says), MSG_NOSIGNAL), strlen(says));
	return fd;
}

static void turn(struct rig *r)
{
	export_http_tick(r->http);
	(void)uv_run(&r->loop, UV_RUN_NOWAIT);
}

/*
 * The status of the first answer; 0: the server closed the connection, -1: nothing within
 * PATIENCE.
 */
static int status_of(struct rig *r, int fd)
{
	int64_t until = clock_mono(&clock_system) + PATIENCE;
	char text[64];

	while (clock_mono(&clock_system) < until) {
		ssize_t n = recv(fd, text, sizeof(text) - 1, MSG_DONTWAIT | MSG_PEEK);

		if (n == 0 || (n < 0 && errno == ECONNRESET))
			return 0;
		if (n > 12) {
			text[n] = '\0';
			assert_true(str_starts(text, "HTTP/1.1 ") || str_starts(text, "HTTP/1.0 "));
			return atoi(text + 9);
		}
		turn(r);
	}
	return -1;
}

/* Scrapes with these arguments and reads to the end of the connection. */
static void scrape(struct rig *r, const char *arguments, char *text, size_t size)
{
	int64_t until = clock_mono(&clock_system) + PATIENCE;
	char says[512];
	size_t sum = 0;
	ssize_t n = -1;
	int fd;

	(void)str_printf(says, sizeof(says),
		"GET /metrics?%s HTTP/1.0\r\nAuthorization: Bearer " TOKEN "\r\n\r\n", arguments);
	fd = client(r, says);
	while (n != 0 && sum < size - 1 && clock_mono(&clock_system) < until) {
		n = recv(fd, text + sum, size - 1 - sum, MSG_DONTWAIT);
		if (n > 0)
			sum += (size_t)n;
		else
			turn(r);
	}
	assert_int_equal(n, 0);
	text[sum] = '\0';
	(void)close(fd);
}

static unsigned families_of(const char *text)
{
	unsigned n = 0;

	for (; (text = strstr(text, "# TYPE ")); text++)
		n++;
	return n;
}

CASE(a_scrape_may_want_some_families)
{
	static char text[(size_t)4 << 20];
	struct rig r;

	begin(&r, PATIENCE * 2, PATIENCE * 2);
	scrape(&r, "collect[]=railtop_build_info&collect%5B%5D=railtop_device_polls&x=1", text,
		sizeof(text));
	assert_true(str_starts(text + 9, "200"));
	assert_int_equal(families_of(text), 2);
	assert_non_null(strstr(text, "\nrailtop_build_info{"));
	assert_non_null(strstr(text, "\nrailtop_device_polls_total{"));
	/* Sets by purpose: all of the fabric and nothing of a port, and the states of ports alone.
	 */
	scrape(&r, "collect[]=@fabric", text, sizeof(text));
	assert_non_null(strstr(text, "railtop_build_info"));
	assert_null(strstr(text, "railtop_port_"));
	scrape(&r, "collect[]=@ports", text, sizeof(text));
	assert_null(strstr(text, "railtop_build_info"));
	assert_null(strstr(text, "railtop_port_rx_bytes_total"));
	assert_true(str_starts(text + 9, "200"));
	/* Of ports, and beside it the same picture for others. */
	scrape(&r, "collect[]=railtop_port_rx_bytes_total", text, sizeof(text));
	assert_int_equal(families_of(text), 1);
	assert_non_null(strstr(text, "\nrailtop_port_rx_bytes_total{"));
	assert_int_equal(r.taken, 1);
	/* An unknown name is answered with the list of names; the wrong name itself is escaped. */
	scrape(&r, "collect[]=railtop_build_info&collect[]=%1b[31mports", text, sizeof(text));
	assert_true(str_starts(text + 9, "400"));
	assert_non_null(strstr(text, "\"?[31mports\""));
	assert_non_null(strstr(text, "\nrailtop_port_rx_bytes_total\n"));
	assert_null(strchr(text, '\x1b'));
	/* Of many the first. */
	scrape(&r, "collect[]=first&collect[]=&collect[]=railtop_build_info&collect[]=last", text,
		sizeof(text));
	assert_true(str_starts(text + 9, "400"));
	assert_non_null(strstr(text, "\"first\""));
	assert_null(strstr(text, "\"last\""));
	end(&r);
}

/* Reads to the end of the connection; bytes, and whether the exposition was whole. */
static size_t read_all(struct rig *r, int fd, bool *whole)
{
	int64_t until = clock_mono(&clock_system) + PATIENCE;
	char piece[65536], last[8] = "";
	size_t sum = 0;

	while (clock_mono(&clock_system) < until) {
		ssize_t n = recv(fd, piece, sizeof(piece), MSG_DONTWAIT);

		if (n == 0)
			break;
		if (n > 5)
			memcpy(last, piece + n - 6, 6);
		if (n > 0)
			sum += (size_t)n;
		else
			turn(r);
	}
	*whole = str_eq(last, "# EOF\n");
	return sum;
}

#define ASK                                                                                        \
	"GET /metrics HTTP/1.0\r\nAuthorization: Bearer " TOKEN                                    \
	"\r\nAccept: application/openmetrics-text\r\n\r\n"

/* The answer to a scrape or to HEAD with this Accept-Encoding; all of it, as text. */
static size_t scrape_coded(
	struct rig *r, const char *method, const char *accept_encoding, char *text, size_t size)
{
	int64_t until = clock_mono(&clock_system) + PATIENCE;
	char says[256];
	size_t sum = 0;
	ssize_t n = -1;
	int fd;

	(void)str_printf(says, sizeof(says),
		"%s /metrics HTTP/1.0\r\nAuthorization: Bearer " TOKEN "\r\n%s%s\r\n\r\n", method,
		accept_encoding ? "Accept-Encoding: " : "X: ",
		accept_encoding ? accept_encoding : "");
	fd = client(r, says);
	while (n != 0 && sum < size - 1 && clock_mono(&clock_system) < until) {
		n = recv(fd, text + sum, size - 1 - sum, MSG_DONTWAIT);
		if (n > 0)
			sum += (size_t)n;
		else
			turn(r);
	}
	assert_int_equal(n, 0);
	text[sum] = '\0';
	(void)close(fd);
	return sum;
}

CASE(a_scrape_is_compressed_where_it_asks)
{
	static char plain[(size_t)8 << 20], pressed[(size_t)8 << 20];
	size_t n, m;
	struct rig r;

	begin(&r, PATIENCE * 2, PATIENCE * 2);
	n = scrape_coded(&r, "GET", NULL, plain, sizeof(plain));
	assert_true(str_starts(plain + 9, "200"));
	assert_null(strstr(plain, "Content-Encoding"));
	assert_non_null(strstr(plain, "\r\nVary: Accept, Accept-Encoding\r\n"));
	assert_true(n > ((size_t)4 << 20));
	(void)scrape_coded(&r, "GET", "identity", pressed, sizeof(pressed));
	assert_null(strstr(pressed, "Content-Encoding"));
	m = scrape_coded(&r, "GET", "gzip", pressed, sizeof(pressed));
	assert_non_null(strstr(pressed, "\r\nContent-Encoding: gzip\r\n"));
	assert_non_null(strstr(pressed, "\r\nVary: Accept, Accept-Encoding\r\n"));
	assert_true(m < n / 10);
	m = scrape_coded(&r, "GET", "gzip;q=0.5, zstd", pressed, sizeof(pressed));
	assert_non_null(strstr(pressed, "\r\nContent-Encoding: zstd\r\n"));
	assert_true(m < n / 10);
	/* HEAD has the headers of GET. A refusal is never compressed. */
	(void)scrape_coded(&r, "HEAD", "gzip", pressed, sizeof(pressed));
	assert_non_null(strstr(pressed, "\r\nContent-Encoding: gzip\r\n"));
	(void)scrape_coded(&r, "POST", "gzip", pressed, sizeof(pressed));
	assert_true(str_starts(pressed + 9, "405"));
	assert_null(strstr(pressed, "Content-Encoding"));
	end(&r);
}

/* The reader of a compressed answer goes away in the middle of it. */
CASE(a_compressed_answer_may_be_left)
{
	struct rig r;
	int fd;

	begin(&r, PATIENCE * 2, PATIENCE * 2);
	fd = client(&r, "GET /metrics HTTP/1.0\r\nAuthorization: Bearer " TOKEN
			"\r\nAccept-Encoding: gzip\r\n\r\n");
	assert_int_equal(status_of(&r, fd), 200);
	(void)close(fd);
	fd = client(&r, ASK);
	assert_int_equal(status_of(&r, fd), 200);
	(void)close(fd);
	end(&r);
}

CASE(slow_readers_do_not_fill_the_memory)
{
	int fd[EXPORT_PICTURES + 1];
	bool whole = false;
	struct rig r;

	/* No two scrapes share a picture. */
	begin(&r, PATIENCE * 2, 1);
	for (unsigned i = 0; i < EXPORT_PICTURES; i++) {
		fd[i] = client(&r, ASK);
		assert_int_equal(status_of(&r, fd[i]), 200);
	}
	assert_int_equal(r.taken, EXPORT_PICTURES);
	fd[EXPORT_PICTURES] = client(&r, ASK);
	assert_int_equal(status_of(&r, fd[EXPORT_PICTURES]), 503);
	assert_int_equal(r.taken, EXPORT_PICTURES);
	(void)close(fd[EXPORT_PICTURES]);
	/* A client that reads late gets all of it, and frees its place. */
	assert_true(read_all(&r, fd[0], &whole) > ((size_t)4 << 20));
	assert_true(whole);
	(void)close(fd[0]);
	fd[0] = client(&r, ASK);
	assert_int_equal(status_of(&r, fd[0]), 200);
	for (unsigned i = 0; i < EXPORT_PICTURES; i++)
		(void)close(fd[i]);
	end(&r);
}

CASE(scrapes_of_one_moment_share_a_picture)
{
	int a, b;
	struct rig r;

	begin(&r, PATIENCE * 2, PATIENCE * 2);
	a = client(&r, ASK);
	b = client(&r, ASK);
	assert_int_equal(status_of(&r, a), 200);
	assert_int_equal(status_of(&r, b), 200);
	assert_int_equal(r.taken, 1);
	(void)close(a);
	(void)close(b);
	end(&r);
}

/* They hold every place, byte by byte or not at all: their time is up, and others are served. */
CASE(who_takes_too_long_is_cut_off)
{
	int64_t until = clock_mono(&clock_system) + PATIENCE;
	int fd[EXPORT_CONNECTIONS], other = -1, status;
	struct rig r;

	begin(&r, CLOCK_SEC, CLOCK_SEC);
	for (unsigned i = 0; i < EXPORT_CONNECTIONS; i++)
		fd[i] = client(&r, i % 2 ? ASK : "GET /metrics HTTP/1.1\r\nX-");
	/* On a machine that stands still for a second this one's time may be up, too. */
	do {
		(void)close(other);
		other = client(&r, "GET /-/healthy HTTP/1.0\r\n\r\n");
		status = status_of(&r, other);
	} while (status == 0 && clock_mono(&clock_system) < until);
	assert_int_equal(status, 200);
	for (unsigned i = 0; i < EXPORT_CONNECTIONS; i += 2) {
		assert_int_equal(status_of(&r, fd[i]), 0);
		(void)close(fd[i]);
		(void)close(fd[i + 1]);
	}
	(void)close(other);
	end(&r);
}

/* Each would hold a place for the idle time, all of them for minutes; they cost a moment. */
CASE(silent_connections_give_way)
{
	enum { SILENT = 6 * EXPORT_CONNECTIONS };
	int64_t until = clock_mono(&clock_system) + PATIENCE;
	int fd[SILENT], asking, other = -1, status;
	char text[1024];
	struct rig r;

	begin(&r, 0, CLOCK_SEC);
	/* This one gave the token and is silent now, as a scraper is between two scrapes. */
	asking =
		client(&r, "HEAD / HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " TOKEN "\r\n\r\n");
	assert_int_equal(status_of(&r, asking), 200);
	assert_true(recv(asking, text, sizeof(text), 0) > 0); /* without a body it is all there */
	for (unsigned i = 0; i < SILENT; i++)
		fd[i] = client(&r, i % 2 ? "" : "GET /metrics HT");
	do {
		(void)close(other);
		other = client(&r, "GET /-/healthy HTTP/1.0\r\n\r\n");
		status = status_of(&r, other);
	} while (status == 0 && clock_mono(&clock_system) < until);
	assert_int_equal(status, 200);
	assert_true(clock_mono(&clock_system) < until);
	assert_int_equal(write(asking, "HEAD / HTTP/1.0\r\n\r\n", 19), 19);
	assert_int_equal(status_of(&r, asking), 401);
	for (unsigned i = 0; i < SILENT; i++)
		(void)close(fd[i]);
	(void)close(asking);
	(void)close(other);
	end(&r);
}

/* One after the other, and hundreds at a time: each of the scrapes between them is answered. */
CASE(a_flood_of_connections)
{
	enum { KEPT = 512 };
	const unsigned total = effort_full() ? 10000 : 1000, scrapes = effort_full() ? 20 : 4;
	int fd[KEPT];
	int64_t worst = 0;
	struct rig r;

	begin(&r, 0, CLOCK_SEC);
	for (unsigned i = 0; i < KEPT; i++)
		fd[i] = -1;
	for (unsigned i = 0; i < total; i++) {
		if (fd[i % KEPT] >= 0)
			(void)close(fd[i % KEPT]);
		fd[i % KEPT] = client(&r, i % 3 ? "" : "GET /metrics HT");
		if (i % 16 == 0)
			turn(&r);
		if (i % (total / scrapes) == total / scrapes - 1) {
			int64_t begun = clock_mono(&clock_system);
			int status, asking;

			/* One that is cut off asks again, as a scraper does. */
			do {
				asking = client(&r, "GET /-/healthy HTTP/1.0\r\n\r\n");
				status = status_of(&r, asking);
				(void)close(asking);
			} while (status == 0 && clock_mono(&clock_system) - begun < PATIENCE);
			assert_int_equal(status, 200);
			if (clock_mono(&clock_system) - begun > worst)
				worst = clock_mono(&clock_system) - begun;
		}
	}
	print_message("# figure %u connections: a scrape waited %.0f ms at most\n", total,
		(double)worst / CLOCK_MSEC);
	for (unsigned i = 0; i < KEPT; i++)
		(void)close(fd[i]);
	end(&r);
}

CASE(only_what_is_offered_is_answered)
{
	static const struct {
		const char *says;
		int status;
	} asked[] = {
		{"GET /metrics HTTP/1.0\r\n\r\n", 401},
		{"GET /metrics HTTP/1.0\r\nAuthorization: Basic " TOKEN "\r\n\r\n", 401},
		{"GET /metrics HTTP/1.0\r\nAuthorization: Bearer \r\n\r\n", 401},
		{"GET /metrics HTTP/1.0\r\nAuthorization: Bearer 0123456789abcdef012\r\n\r\n", 401},
		{"GET /metrics HTTP/1.0\r\nAuthorization: Bearer " TOKEN "4\r\n\r\n", 401},
		{"GET /other HTTP/1.0\r\n\r\n", 401},
		{"GET /other HTTP/1.0\r\nAuthorization: Bearer " TOKEN "\r\n\r\n", 404},
		{"GET / HTTP/1.0\r\nAuthorization: Bearer " TOKEN "\r\n\r\n", 200},
		{"GET / HTTP/1.0\r\nAuthorization: bearer " TOKEN "\r\n\r\n", 200},
		{"GET /-/healthy HTTP/1.0\r\n\r\n", 200},
		{"HEAD /metrics HTTP/1.0\r\nAuthorization: Bearer " TOKEN "\r\n\r\n", 200},
		{"GET /metrics?collect[]=none HTTP/1.0\r\n\r\n", 401},
		{"GET /metrics?collect[]=none HTTP/1.0\r\nAuthorization: Bearer " TOKEN "\r\n\r\n",
			400},
		{"HEAD /metrics?collect[]= HTTP/1.0\r\nAuthorization: Bearer " TOKEN "\r\n\r\n",
			400},
		{"POST /metrics HTTP/1.0\r\nContent-Length: 1000000\r\n\r\nx", 405},
		{"DELETE / HTTP/1.0\r\n\r\n", 405},
		{ASK, 200},
	};
	struct rig r;

	begin(&r, PATIENCE * 2, CLOCK_SEC);
	for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
		int fd = client(&r, asked[i].says), status = status_of(&r, fd);

		if (status != asked[i].status)
			fail_msg("%d, not %d: %s", status, asked[i].status, asked[i].says);
		(void)close(fd);
	}
	/* Only the last one was a reason to look at the model. */
	assert_int_equal(r.taken, 1);
	end(&r);
}

CASE(it_ends_while_clients_read)
{
	struct rig r;
	int fd;

	begin(&r, PATIENCE * 2, CLOCK_SEC);
	fd = client(&r, ASK);
	assert_int_equal(status_of(&r, fd), 200);
	end(&r);
	(void)close(fd);
}

CASE(addresses_are_numbers_and_loopback_is_known)
{
	static const struct {
		const char *address;
		bool ok, loopback;
	} tried[] = {
		{"127.0.0.1:0", true, true},
		{"127.5.5.5:0", true, true},
		{"localhost:0", true, true},
		{"0.0.0.0:0", true, false},
		{":0", true, false},
		{"*:0", true, false},
		{"127.0.0.1", false, false},
		{"127.0.0.1:", false, false},
		{"127.0.0.1:65536", false, false},
		{"127.0.0.1:-1", false, false},
		{"127.0.0.1:http", false, false},
		{"example.org:80", false, false},
		{"", false, false},
	};

	for (size_t i = 0; i < sizeof(tried) / sizeof(tried[0]); i++) {
		bool loopback = true;
		char where[80];
		struct err err = {0};
		int fd = export_listen(tried[i].address, &loopback, where, sizeof(where), &err);

		if ((fd >= 0) != tried[i].ok)
			fail_msg("%s: %s", tried[i].address, err.text);
		if (fd < 0) {
			assert_int_equal(err.code, ERR_USAGE);
			assert_true(err.cure[0]);
			continue;
		}
		assert_int_equal(loopback, tried[i].loopback);
		(void)close(fd);
	}
}

CASES_MAIN(NULL, NULL)
