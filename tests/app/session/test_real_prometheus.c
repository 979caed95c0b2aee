/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exposes a fabric as railtop export does, lets a real Prometheus scrape it, and reads it back
 * through the engine: the result is the same model.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <math.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/config/mapping_yaml.h"
#include "archive/openmetrics/metrics.h"
#include "backends/prometheus/prometheus.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "fabric/model/model.h"
#include "fabric/vocabulary/counters.h"
#include "tests/support/cases.h"
#include "tests/support/plan_make.h"
#include "tests/support/slot.h"

#define PATIENCE_US (120 * CLOCK_SEC)
#define PORTS       3

extern char **environ;

/* ---- the scraped page ---- */

struct page {
	int fd;
	unsigned port;
	pthread_t thread;
	atomic_bool stop;
	atomic_uint served;
	pthread_mutex_t lock;
	char *text;
	size_t len;
};

static void serve_one(struct page *p, int fd)
{
	char request[4096], head[128];
	size_t got = 0;

	while (got < sizeof(request) - 1) {
		ssize_t n = read(fd, request + got, sizeof(request) - 1 - got);

		if (n <= 0)
			return;
		got += (size_t)n;
		request[got] = '\0';
		if (strstr(request, "\r\n\r\n"))
			break;
	}
	pthread_mutex_lock(&p->lock);
	(void)str_printf(head, sizeof(head),
		"HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4\r\nContent-Length: "
		"%zu\r\n"
		"Connection: close\r\n\r\n",
		p->len);
	if (write(fd, head, strlen(head)) > 0)
		for (size_t at = 0; at < p->len;) {
			ssize_t n = write(fd, p->text + at, p->len - at);

			if (n <= 0)
				break;
			at += (size_t)n;
		}
	pthread_mutex_unlock(&p->lock);
	atomic_fetch_add(&p->served, 1);
}

static void *serve(void *ctx)
{
	struct page *p = ctx;

	while (!atomic_load(&p->stop)) {
		struct pollfd f = {.fd = p->fd, .events = POLLIN};
		int fd;

		if (poll(&f, 1, 100) <= 0)
			continue;
		fd = accept(p->fd, NULL, NULL);
		if (fd < 0)
			continue;
		serve_one(p, fd);
		(void)close(fd);
	}
	return NULL;
}

static int listen_local(unsigned *port)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(listen(fd, 16), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &len), 0);
	*port = ntohs(at.sin_port);
	return fd;
}

static void show(struct page *p, const struct model *m, int64_t now_us)
{
	struct metrics_own own = {.version = "1.2.3", .start_us = now_us};
	struct metrics *x = metrics_take(m, NULL, &own, now_us);
	struct metrics_reader r = {.of = x, .format = METRICS_TEXT};
	char some[8192];
	struct buf b;
	size_t n;

	buf_init(&b, (size_t)64 << 20);
	while ((n = metrics_read(&r, some, sizeof(some))))
		assert_true(buf_add(&b, some, n));
	metrics_free(x);
	pthread_mutex_lock(&p->lock);
	free(p->text);
	p->text = buf_take(&b, &p->len);
	pthread_mutex_unlock(&p->lock);
}

/* ---- the fabric ---- */

static void make_plan(struct plan *plan)
{
	plan_init(plan);
	(void)str_copy(plan->fabric, sizeof(plan->fabric), "read back");
	(void)plan_make_device(plan, "node000", TIER_HOST, -1);
	(void)plan_make_device(plan, "leaf-r0-00", TIER_LEAF, 0);
	(void)plan_make_device(plan, "leaf-r0-01", TIER_LEAF, 0);
	for (size_t i = 0; i < plan->devices.n; i++)
		plan->devices.at[i].by_engine = true;
}

/* Every counter of every port, each with a number of its own. */
static void say_all(struct obs *o, uint32_t port, uint64_t salt, uint64_t grown)
{
	for (unsigned id = 0; id < COUNTER_COUNT; id++)
		for (unsigned sub = 0; sub < counter_dim_size((enum counter_id)id); sub++) {
			uint64_t v = salt * 1000003 + id * 1009 + sub * 17;

			if (counter_info[id].kind == KIND_GAUGE)
				obs_gauge(o, port, (enum counter_id)id, sub, (double)v / 64 - 7);
			else
				obs_count(o, port, (enum counter_id)id, sub,
					counter_info[id].kind == KIND_PEAK ? v
									   : v + grown * (id + 1));
		}
}

static void answer(struct model *m, const char *device, uint64_t salt, uint64_t grown, int64_t now)
{
	struct obs *o = obs_new(device, "fast");

	o->received_us = now;
	obs_word(o, OBS_NO_PORT, ATTR_MODEL, 0, "QM \"9\" \\ x");
	obs_word(o, OBS_NO_PORT, ATTR_OS_VERSION, 0, "4.1.0");
	obs_capability(o, "ECN marks", VALID_DISABLED, "");
	for (unsigned i = 0; i < PORTS; i++) {
		char name[32];
		uint32_t port;

		(void)str_printf(name, sizeof(name), "Ethernet%u/%u", i * 4, i);
		port = obs_port(o, name);
		say_all(o, port, salt + i, grown);
		obs_word(o, port, ATTR_OPER, 0, i == 2 ? "down" : "up");
		obs_word(o, port, ATTR_ADMIN, 0, "up");
		obs_number(o, port, ATTR_SPEED_MBPS, 0, 400000);
		obs_lldp(o, port, "peer-7", "swp1");
	}
	model_apply(m, o, now);
	obs_free(o);
}

/* ---- Prometheus ---- */

struct rig {
	char dir[64];
	struct page page;
	pid_t pid;
	unsigned port;
	struct plan plan;
	struct model *model; /* the exposed model */
	struct prometheus_map *map;
	char url[96];
};

static void write_file(const struct rig *r, const char *name, const char *text)
{
	char path[128];
	FILE *f;

	(void)str_printf(path, sizeof(path), "%s/%s", r->dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

/* web: the file of its TLS and its users, or NULL. */
static void start_prometheus(struct rig *r, const char *web)
{
	char config[128], data[128], at[64], text[512], log[128], web_file[160];
	char *argv[] = {"prometheus", config, data, at, "--log.level=warn", NULL, NULL};
	posix_spawn_file_actions_t acts;

	r->port = slot_port();
	(void)str_printf(text, sizeof(text),
		"global: {scrape_interval: 1s, scrape_timeout: 1s}\n"
		"scrape_configs:\n- job_name: railtop\n  static_configs: [{targets: "
		"['127.0.0.1:%u']}]\n",
		r->page.port);
	write_file(r, "prometheus.yml", text);
	(void)str_printf(config, sizeof(config), "--config.file=%s/prometheus.yml", r->dir);
	(void)str_printf(data, sizeof(data), "--storage.tsdb.path=%s/data", r->dir);
	(void)str_printf(at, sizeof(at), "--web.listen-address=127.0.0.1:%u", r->port);
	(void)str_printf(log, sizeof(log), "%s/log", r->dir);
	(void)str_printf(r->url, sizeof(r->url), "http://127.0.0.1:%u/", r->port);
	if (web) {
		(void)str_printf(
			web_file, sizeof(web_file), "--web.config.file=%s/%s", r->dir, web);
		argv[5] = web_file;
	}
	posix_spawn_file_actions_init(&acts);
	posix_spawn_file_actions_addopen(&acts, 1, log, O_WRONLY | O_CREAT | O_APPEND, 0600);
	posix_spawn_file_actions_adddup2(&acts, 1, 2);
	assert_int_equal(posix_spawnp(&r->pid, "prometheus", &acts, NULL, argv, environ), 0);
	posix_spawn_file_actions_destroy(&acts);
}

static bool installed(void)
{
	return system("command -v prometheus >/dev/null 2>&1") == 0;
}

/* What is asked each five minutes would be told behind the end of this test's patience. */
static void ask_often(struct prometheus_map *map)
{
	for (size_t i = 0; i < map->rules.n; i++)
		if (map->rules.at[i]->every_us > 10 * CLOCK_SEC)
			map->rules.at[i]->every_us = 10 * CLOCK_SEC;
}

static int setup(void **state)
{
	struct rig *r = mem_calloc(1, sizeof(*r));
	struct err err = {0};

	*state = r;
	if (!installed())
		return 0;
	(void)signal(SIGPIPE, SIG_IGN);
	(void)str_copy(r->dir, sizeof(r->dir), "/tmp/railtop-engine-XXXXXX");
	assert_non_null(mkdtemp(r->dir));
	r->map = mapping_read(NULL, NULL, &err);
	assert_non_null(r->map);
	ask_often(r->map);
	make_plan(&r->plan);
	r->model = model_new(&r->plan);
	pthread_mutex_init(&r->page.lock, NULL);
	r->page.fd = listen_local(&r->page.port);
	r->page.text = mem_strdup("");
	assert_int_equal(pthread_create(&r->page.thread, NULL, serve, &r->page), 0);
	start_prometheus(r, NULL);
	r->plan.engine.url = mem_strdup(r->url);
	r->plan.engine.interval_us = CLOCK_SEC;
	r->plan.engine.history_us = 600 * CLOCK_SEC;
	return 0;
}

static int teardown(void **state)
{
	struct rig *r = *state;
	char command[128];

	if (r->pid) {
		(void)kill(r->pid, SIGTERM);
		(void)waitpid(r->pid, NULL, 0);
		atomic_store(&r->page.stop, true);
		(void)pthread_join(r->page.thread, NULL);
		(void)close(r->page.fd);
		free(r->page.text);
		model_free(r->model);
		prometheus_map_free(r->map);
		plan_free(&r->plan);
		(void)str_printf(command, sizeof(command), "rm -rf %s", r->dir);
		(void)!system(command);
	}
	free(r);
	return 0;
}

/* ---- reading back ---- */

static const struct cell *cell_at(const struct port *p, unsigned cell)
{
	uint8_t slot = p->layout->slot[cell];

	return slot == SLOT_NONE ? NULL : &p->cells[slot];
}

/* How many cells differ; says the first when it is wanted. FEC bins are for the cursor. */
static unsigned differences(const struct model *a, const struct model *b, bool bins, bool say)
{
	unsigned n = 0;

	for (size_t i = 0; i < a->ports.n; i++) {
		const struct port *p = a->ports.at[i], *q;
		const struct device *d = model_device(b, model_dev_of(a, p)->name);

		q = d ? model_port(b, d, p->name) : NULL;
		for (unsigned id = 0; id < CELL_COUNT; id++) {
			enum counter_id counter = counter_of_cell((uint16_t)id, NULL);
			const struct cell *x = cell_at(p, id), *y = q ? cell_at(q, id) : NULL;
			bool real = counter_info[counter].kind == KIND_GAUGE, same;

			if (!x || (counter == CTR_FEC_BIN && !bins))
				continue;
			same = y && (real ? fabs(x->real - y->real) <= 1e-9 * fabs(x->real)
					  : x->u64 == y->u64);
			n += !same;
			if (!same && say && n == 1)
				print_message("%s %s %s: %g, read back %g\n",
					model_dev_of(a, p)->name, p->name,
					counter_info[counter].name, real ? x->real : (double)x->u64,
					!y     ? (double)NAN
					: real ? y->real
					       : (double)y->u64);
		}
		n += !q || q->oper != p->oper || q->admin != p->admin ||
		     q->speed_mbps != p->speed_mbps || !str_eq(q->lldp_device, p->lldp_device) ||
		     !str_eq(q->lldp_port, p->lldp_port);
	}
	return n;
}

static unsigned apply_all(struct model *m, struct obs *list)
{
	struct obs *next;
	unsigned n = 0;

	for (; list; list = next, n++) {
		next = list->next;
		model_apply(m, list, clock_wall(&clock_system));
		obs_free(list);
	}
	model_age(m, clock_wall(&clock_system));
	return n;
}

/* Applies arriving batches until both models are equal. */
static bool becomes_same(struct prometheus *e, const struct model *a, struct model *b, bool bins)
{
	int64_t until = clock_mono(&clock_system) + PATIENCE_US;

	while (clock_mono(&clock_system) < until) {
		(void)apply_all(b, prometheus_drain(e));
		if (!differences(a, b, bins, false))
			return true;
		(void)poll(NULL, 0, 20);
	}
	(void)differences(a, b, bins, true);
	return false;
}

/* Waits until the page has been scraped n more times. */
static void wait_scrapes(struct rig *r, unsigned n)
{
	int64_t until = clock_mono(&clock_system) + PATIENCE_US;
	unsigned from = atomic_load(&r->page.served);

	while (atomic_load(&r->page.served) < from + n) {
		assert_true(clock_mono(&clock_system) < until);
		(void)poll(NULL, 0, 20);
	}
}

static void expose(struct rig *r, uint64_t grown)
{
	int64_t now = clock_wall(&clock_system);

	for (size_t i = 0; i < r->plan.devices.n; i++)
		answer(r->model, r->plan.devices.at[i].name, i * 100 + 1, grown, now);
	model_age(r->model, now);
	show(&r->page, r->model, now);
}

static bool sees_history(struct prometheus *e, int64_t *first_us)
{
	int64_t until = clock_mono(&clock_system) + PATIENCE_US, last = 0;
	unsigned n = 0;

	while (clock_mono(&clock_system) < until) {
		struct obs *list = prometheus_drain(e), *next;

		for (; list; list = next) {
			next = list->next;
			if (str_eq(list->request, REQUEST_HISTORY)) {
				assert_string_equal(list->device, "leaf-r0-00");
				assert_true(list->received_us >= last);
				assert_true(list->items.n > 100);
				if (!n++)
					*first_us = list->received_us;
				last = list->received_us;
			}
			obs_free(list);
		}
		if (n >= 2)
			return true;
		(void)poll(NULL, 0, 20);
	}
	return false;
}

static void moment_is_of_then(struct rig *r, struct prometheus *e, int64_t then_us)
{
	int64_t until = clock_mono(&clock_system) + PATIENCE_US, t_us = 0;
	struct model *m = model_new(&r->plan);
	struct obs *list = NULL;
	const struct cell *c;
	struct device *d;
	struct err err = {0};

	prometheus_at(e, then_us);
	while (!prometheus_moment(e, &t_us, &list, &err)) {
		assert_true(clock_mono(&clock_system) < until);
		(void)poll(NULL, 0, 20);
	}
	assert_true(t_us == then_us);
	assert_non_null(list);
	for (struct obs *o = list; o; o = o->next) {
		assert_true(o->received_us <= then_us);
		assert_true(!o->next || o->next->received_us >= o->received_us);
	}
	(void)apply_all(m, list);
	d = model_device(m, "leaf-r0-00");
	assert_non_null(d);
	c = cell_at(model_port(m, d, "Ethernet0/0"), CELL_RX_BYTES);
	assert_non_null(c);
	/* As it was exposed first. */
	assert_true(c->u64 == 101 * UINT64_C(1000003) + CTR_RX_BYTES * 1009);
	model_free(m);
}

CASE(reads_back_the_same_model)
{
	struct rig *r = *state;
	struct prometheus_opts opts = {.publish_us = 1000};
	struct err err = {0};
	struct model *back;
	struct prometheus *e;
	const struct device *d;
	int64_t then, first = 0;

	if (!r->pid)
		skip();
	expose(r, 0);
	e = prometheus_start(&r->plan, r->map, &opts, &err);
	assert_non_null(e);
	back = model_new(&r->plan);
	/* The server is not up yet, or has scraped nothing: it goes on until it is. */
	assert_true(becomes_same(e, r->model, back, false));
	wait_scrapes(r, 3);
	then = clock_wall(&clock_system) - CLOCK_SEC;
	wait_scrapes(r, 1);
	expose(r, 12345);
	assert_true(becomes_same(e, r->model, back, false));
	d = model_device(back, "leaf-r0-00");
	assert_non_null(d);
	assert_string_equal(d->model, "QM \"9\" \\ x");
	assert_string_equal(d->os_version, "4.1.0");
	assert_int_equal(d->state, DEV_FRESH);
	prometheus_focus(e, "leaf-r0-00");
	assert_true(sees_history(e, &first));
	assert_true(first < then + CLOCK_SEC);
	moment_is_of_then(r, e, then);
	assert_true(prometheus_stop(e));
	model_free(back);
}

CASE(once_is_once)
{
	struct rig *r = *state;
	struct prometheus_opts opts = {.once = true};
	int64_t until = clock_mono(&clock_system) + PATIENCE_US;
	struct err err = {0};
	struct model *back;
	struct prometheus *e;

	if (!r->pid)
		skip();
	wait_scrapes(r, 3);
	back = model_new(&r->plan);
	e = prometheus_start(&r->plan, r->map, &opts, &err);
	assert_non_null(e);
	while (!prometheus_finished(e)) {
		assert_true(clock_mono(&clock_system) < until);
		(void)poll(NULL, 0, 20);
	}
	(void)apply_all(back, prometheus_drain(e));
	assert_int_equal(differences(r->model, back, false, true), 0);
	assert_true(prometheus_stop(e));
	model_free(back);
}

/* ---- TLS, and a password ---- */

/* The error of a device once there is one; "": every query was answered. */
static void ask_once(struct rig *r, struct err *said)
{
	struct prometheus_opts opts = {.once = true};
	int64_t until = clock_mono(&clock_system) + PATIENCE_US;
	struct prometheus *e;

	memset(said, 0, sizeof(*said));
	e = prometheus_start(&r->plan, r->map, &opts, said);
	assert_non_null(e);
	while (!prometheus_finished(e)) {
		assert_true(clock_mono(&clock_system) < until);
		(void)poll(NULL, 0, 20);
	}
	for (struct obs *o = prometheus_drain(e), *next; o; o = next) {
		next = o->next;
		if (o->result == OBS_FAILED)
			*said = o->err;
		obs_free(o);
	}
	assert_true(prometheus_stop(e));
}

static void put_text(char **to, const char *text)
{
	free(*to);
	*to = text ? mem_strdup(text) : NULL;
}

CASE(over_tls_with_a_password)
{
	/* Of sec:ret, with the least of rounds. */
	static const char web[] =
		"tls_server_config: {cert_file: cert.pem, key_file: key.pem}\n"
		"basic_auth_users:\n"
		"  noc: $2b$04$abcdefghijklmnopqrstuuwoxBKLAPTpYmOCraVPmN0lNh6KVWefO\n";
	struct rig *r = *state;
	struct plan_engine *pe = &r->plan.engine;
	int64_t until = clock_mono(&clock_system) + PATIENCE_US;
	char command[512], path[128], url[96];
	struct err said;

	if (!r->pid || system("command -v openssl >/dev/null 2>&1") != 0)
		skip();
	(void)kill(r->pid, SIGTERM);
	(void)waitpid(r->pid, NULL, 0);
	(void)str_printf(command, sizeof(command),
		"cd %s && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 "
		"-nodes "
		"-days 2 -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1 -keyout key.pem "
		"-out cert.pem 2>/dev/null && rm -rf data",
		r->dir);
	assert_int_equal(system(command), 0);
	write_file(r, "web.yml", web);
	start_prometheus(r, "web.yml");
	(void)str_printf(url, sizeof(url), "https://127.0.0.1:%u", r->port);
	put_text(&pe->url, url);
	(void)str_printf(path, sizeof(path), "%s/cert.pem", r->dir);
	put_text(&pe->tls_ca, path);
	assert_int_equal(setenv("RAILTOP_TEST_ENGINE", "noc:sec:ret", 1), 0);
	put_text(&pe->credentials, "env:RAILTOP_TEST_ENGINE");
	/* Until it is up. */
	do {
		assert_true(clock_mono(&clock_system) < until);
		ask_once(r, &said);
	} while (said.code == ERR_TIMEOUT);
	if (said.code != ERR_NONE)
		fail_msg("%s", said.text);
	put_text(&pe->tls_ca, NULL);
	ask_once(r, &said);
	assert_int_equal(said.code, ERR_UNAUTHORISED);
	assert_non_null(strstr(said.cure, "tls_ca"));
	put_text(&pe->tls_ca, path);
	assert_int_equal(setenv("RAILTOP_TEST_ENGINE", "noc:wrong", 1), 0);
	ask_once(r, &said);
	assert_int_equal(said.code, ERR_UNAUTHORISED);
	assert_non_null(strstr(said.text, "HTTP 401"));
	assert_non_null(strstr(said.cure, "env:RAILTOP_TEST_ENGINE"));
	assert_null(strstr(said.text, "wrong"));
	assert_int_equal(unsetenv("RAILTOP_TEST_ENGINE"), 0);
}

CASES_MAIN(setup, teardown)
