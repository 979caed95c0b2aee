/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The collector's cost of a connection, from connect() until the key is accepted and the link
 * closed again. It must not depend on the number of known hosts. The devices are a lean libssh
 * server in another process, each at an address of its own; the cost is the processor time of this
 * thread. Everything is as in the product: ssh_config is read, the key is a file.
 */
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "backends/transport/transport.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "tests/bench/load/fail.h"
#include "tests/bench/load/primitives.h"
#include "tests/bench/load/ssh_devices.h"
#include "tests/support/all_reads.h"
#include "tests/support/figures.h"

enum { DEVICES = 50, ROUNDS = 20, AT_A_TIME = 32, MANY = 20000, SOME = 500 };
#define CONNECT_MS_MAX 0.6
#define RATIO_MAX      1.15
#define PRIMITIVES_MAX 3

/* Beside the devices themselves. */
enum kind { NOBODY, SOME_HOSTS, MANY_HOSTS, MANY_HASHED, KINDS };

struct one {
	char address[32];
	struct plan_device device;
	struct device_link *link;
	bool up;
};

struct bench {
	struct ssh_devices servers;
	char dir[64], identity[96];
	char known_hosts[KINDS][96];
	const char *used; /* of these */
	uv_loop_t loop;
	void *shard;
	struct one ones[DEVICES];
};

/* ---- known_hosts ---- */

static void write_hashed(FILE *f, const char *name, const char *key)
{
	unsigned char salt[20], sum[20];
	gnutls_datum_t s = {salt, sizeof(salt)}, h = {sum, sizeof(sum)}, s64 = {0}, h64 = {0};

	if (gnutls_rnd(GNUTLS_RND_NONCE, salt, sizeof(salt)) != 0 ||
		gnutls_hmac_fast(GNUTLS_MAC_SHA1, salt, sizeof(salt), name, strlen(name), sum) !=
			0 ||
		gnutls_base64_encode2(&s, &s64) != 0 || gnutls_base64_encode2(&h, &h64) != 0)
		bench_fail("known_hosts: no hash");
	(void)fprintf(f, "|1|%s|%s %s\n", (char *)s64.data, (char *)h64.data, key);
	gnutls_free(s64.data);
	gnutls_free(h64.data);
}

static void write_line(FILE *f, bool hashed, const char *name, const char *key)
{
	if (hashed)
		write_hashed(f, name, key);
	else
		(void)fprintf(f, "%s %s\n", name, key);
}

/* The devices of the bench among others. */
static void write_known_hosts(const struct bench *b, const char *path, unsigned others, bool hashed)
{
	FILE *f = fopen(path, "we");
	char name[80];

	if (!f)
		bench_fail("%s: cannot be written", path);
	for (unsigned i = 0; i < others; i++) {
		(void)str_printf(name, sizeof(name), "[10.%u.%u.%u]:%u", i >> 16, i >> 8 & 255,
			i & 255, b->servers.port);
		write_line(f, hashed, name, b->servers.host_key);
	}
	for (unsigned i = 0; i < DEVICES; i++) {
		(void)str_printf(
			name, sizeof(name), "[%s]:%u", ssh_devices_address(i), b->servers.port);
		write_line(f, hashed, name, b->servers.host_key);
	}
	if (fclose(f) != 0)
		bench_fail("%s: cannot be written", path);
}

/* ---- connecting ---- */

static void on_up(void *ctx)
{
	((struct one *)ctx)->up = true;
}

static void on_down(void *ctx, const struct err *why)
{
	(void)ctx;
	bench_fail_err(NULL, why);
}

static int64_t cpu_us(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * CLOCK_SEC + t.tv_nsec / 1000;
}

static void begin(struct bench *b, unsigned i)
{
	static char user[] = "noc";
	struct one *o = &b->ones[i];
	struct link_events events = {.up = on_up, .down = on_down, .ctx = o};

	(void)str_copy(o->address, sizeof(o->address), ssh_devices_address(i));
	o->device = (struct plan_device){.port = (uint16_t)b->servers.port,
		.address = o->address,
		.user = user,
		.identity = b->identity,
		.known_hosts = (char *)(uintptr_t)b->used};
	(void)str_printf(o->device.name, sizeof(o->device.name), "device-%u", i);
	o->link = transport_ssh.open(b->shard, &o->device, &all_reads_ops, NULL, &events);
	transport_ssh.connect(o->link);
}

/* Closes the connections that are up; returns their number. */
static unsigned end_some(struct bench *b, unsigned n)
{
	unsigned ended = 0;

	for (unsigned i = 0; i < n; i++) {
		if (!b->ones[i].up)
			continue;
		transport_ssh.close(b->ones[i].link);
		b->ones[i].up = false;
		ended++;
	}
	return ended;
}

/* ms of processor time for each device; as many connect at a time as in the collector. */
static double connect_to(struct bench *b, unsigned n)
{
	int64_t start = cpu_us();
	unsigned begun = 0, ended = 0;

	while (ended < n) {
		while (begun < n && begun - ended < AT_A_TIME)
			begin(b, begun++);
		uv_run(&b->loop, UV_RUN_ONCE);
		ended += end_some(b, begun);
	}
	uv_run(&b->loop, UV_RUN_NOWAIT);
	return (double)(cpu_us() - start) / 1000 / n;
}

/* Other processes on the machine only add time: the least of some sweeps is the cost. */
static void least_of(struct bench *b, double least[KINDS])
{
	for (unsigned round = 0; round < figures_times(ROUNDS, 1); round++) {
		for (enum kind k = 0; k < KINDS; k++) {
			double ms;

			b->used = b->known_hosts[k];
			ms = connect_to(b, DEVICES);
			least[k] = !round || ms < least[k] ? ms : least[k];
		}
	}
}

static void write_all(struct bench *b)
{
	static const unsigned others[KINDS] = {0, SOME, MANY, MANY};

	for (enum kind k = 0; k < KINDS; k++) {
		(void)str_printf(b->known_hosts[k], sizeof(b->known_hosts[k]), "%s/known_hosts_%d",
			b->dir, (int)k);
		write_known_hosts(b, b->known_hosts[k], others[k], k == MANY_HASHED);
	}
}

static void start(struct bench *b)
{
	(void)str_copy(b->dir, sizeof(b->dir), "/tmp/railtop-connect-XXXXXX");
	if (!mkdtemp(b->dir))
		bench_fail("%s: cannot be made", b->dir);
	(void)str_printf(b->identity, sizeof(b->identity), "%s/key", b->dir);
	(void)unsetenv("SSH_AUTH_SOCK");
	if (!ssh_devices_start(&b->servers, DEVICES, b->identity))
		bench_fail("the devices: cannot be started");
	uv_loop_init(&b->loop);
	b->shard = transport_ssh.shard_open(&b->loop);
}

static void end(struct bench *b)
{
	transport_ssh.shard_close(b->shard);
	uv_run(&b->loop, UV_RUN_DEFAULT);
	(void)uv_loop_close(&b->loop);
	ssh_devices_stop(&b->servers);
	for (enum kind k = 0; k < KINDS; k++)
		(void)unlink(b->known_hosts[k]);
	(void)unlink(b->identity);
	(void)rmdir(b->dir);
}

static double once(struct bench *b, enum kind k, unsigned n)
{
	b->used = b->known_hosts[k];
	return connect_to(b, n);
}

int main(void)
{
	struct figures *f = figures_new("connect");
	struct bench b = {0};
	double ms[KINDS], read, hashed, least_ms;

	start(&b);
	write_all(&b);
	(void)once(&b, NOBODY, DEVICES); /* libraries, caches */
	read = once(&b, MANY_HOSTS, 1);
	hashed = once(&b, MANY_HASHED, DEVICES);
	least_of(&b, ms);
	least_ms = primitives_ms();
	figure(f, "a connection, no other known hosts", ms[NOBODY], "ms CPU", CONNECT_MS_MAX);
	figure(f, "a connection, 500 known hosts", ms[SOME_HOSTS], "ms CPU", CONNECT_MS_MAX);
	figure(f, "a connection, 20,000 known hosts", ms[MANY_HOSTS], "ms CPU", CONNECT_MS_MAX);
	figure(f, "a connection, 20,000 hashed known hosts", ms[MANY_HASHED], "ms CPU",
		CONNECT_MS_MAX);
	figure(f, "the cryptography in it, by itself", least_ms, "ms CPU", 0);
	figure(f, "  a connection, times that", ms[NOBODY] / least_ms, "times", PRIMITIVES_MAX);
	figure(f, "20,000 known hosts against none", ms[MANY_HOSTS] / ms[NOBODY], "times",
		RATIO_MAX);
	figure(f, "reading 20,000 known hosts, once a process", read - ms[NOBODY], "ms CPU", 50);
	figure(f, "the first search in 20,000 hashed, once a device", hashed - ms[MANY_HASHED],
		"ms CPU", 50);
	end(&b);
	return figures_end(f) ? 0 : 1;
}
