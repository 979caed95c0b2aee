/* SPDX-License-Identifier: Apache-2.0 */
/* Devices that a metrics engine tells about, and when the collector asks them itself: over OpenSSH.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "backends/collector/collector.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "tests/integration/support/behaviour.h"
#include "tests/integration/support/bell.h"
#include "tests/integration/support/scratch.h"
#include "tests/integration/ssh/sshd.h"
#include "tests/support/all_reads.h"
#include "tests/support/cases.h"

#define PATIENCE_MS 20000

static struct scratch scratch;
static struct sshd sshd;

#define TEST_DIALECT(n, t)                                                                         \
	const struct backend_ops backend_##n = {.name = #n,                                        \
		.title = #n,                                                                       \
		.transports = 1u << (t),                                                           \
		.plan = behaviour_plan,                                                            \
		.parse = behaviour_parse,                                                          \
		.reads = all_reads}
TEST_DIALECT(linux, TRANSPORT_SSH);
TEST_DIALECT(sonic, TRANSPORT_SSH);
TEST_DIALECT(eos, TRANSPORT_HTTPS);

enum { SPINE, OTHER, LEAF, DEVICES };
static const char *const names[DEVICES] = {"spine-0", "spine-1", "leaf-0"};

/* spine-0 and spine-1 are the engine's, and nobody knows how to reach spine-1. */
struct fixture {
	struct plan plan;
	struct collector *collector;
	struct bell bell;
	unsigned fast[DEVICES], connected[DEVICES], failed[DEVICES];
};

static void count(void *ctx, const struct obs *o)
{
	struct fixture *f = ctx;

	for (unsigned i = 0; i < DEVICES; i++) {
		if (!str_eq(o->device, names[i]))
			continue;
		f->connected[i] += o->result == OBS_CONNECTED;
		f->failed[i] += o->result == OBS_FAILED;
		f->fast[i] += o->result == OBS_DATA && str_eq(o->request, "fast");
	}
}

static void drain(struct fixture *f)
{
	bell_drain(f->collector, count, f);
}

#define AWAIT(f, condition)                                                                        \
	do {                                                                                       \
		int64_t until_ = now_ms() + PATIENCE_MS;                                           \
		while (!(condition)) {                                                             \
			if (!bell_wait(&(f)->bell, until_))                                        \
				fail_msg("it did not happen: %s", #condition);                     \
			drain(f);                                                                  \
		}                                                                                  \
	} while (0)

static int setup_group(void **state)
{
	(void)state;
	sshd_begin(&sshd, &scratch);
	scratch_write(&scratch, "fast.sh", "echo fast\n");
	behaviour_set(scratch_path(&scratch, "fast.sh"), "/nonexistent");
	return 0;
}

static int teardown_group(void **state)
{
	(void)state;
	sshd_end(&sshd);
	return 0;
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	plan_init(&f->plan);
	bell_open(&f->bell);
	for (unsigned i = 0; i < DEVICES; i++) {
		struct plan_device *d = vec_add(&f->plan.devices);

		str_copy(d->name, sizeof(d->name), names[i]);
		d->dialect = mem_strdup("linux");
		d->transport = i == OTHER ? NULL : mem_strdup("ssh");
		d->address = mem_strdup("127.0.0.1");
		d->port = sshd.port;
		d->user = mem_strdup(sshd.user);
		d->identity = mem_strdup(scratch_path(&scratch, "user_key"));
		d->known_hosts = mem_strdup(scratch_path(&scratch, "known_hosts"));
		d->by_engine = i != LEAF;
		d->interval_us = i == LEAF ? CLOCK_SEC / 5 : 60 * CLOCK_SEC;
	}
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	if (!collector_stop(f->collector))
		return -1; /* its thread still uses the plan */
	plan_free(&f->plan);
	bell_close(&f->bell);
	free(f);
	return 0;
}

static void start(struct fixture *f, struct collector_opts opts)
{
	struct err err = {0};

	opts.wake = bell_ring;
	opts.ctx = &f->bell;
	opts.publish_us = 20000;
	f->collector = collector_start(&f->plan, &opts, &err);
	if (!f->collector)
		fail_msg("%s: %s", err.origin, err.text);
}

/* ---- cases ---- */

CASE_WITH(who_an_engine_tells_about_is_asked_while_looked_at, setup, teardown)
{
	struct fixture *f = *state;
	unsigned then, leaf;

	start(f, (struct collector_opts){.threads = 1});
	AWAIT(f, f->fast[LEAF] >= 4);
	collector_poll_now(f->collector, NULL);
	AWAIT(f, f->fast[LEAF] >= 6);
	assert_int_equal(f->connected[SPINE] + f->failed[SPINE], 0);
	collector_focus(f->collector, names[SPINE]);
	AWAIT(f, f->fast[SPINE] >= 3);
	collector_focus(f->collector, names[OTHER]);
	then = f->fast[SPINE];
	leaf = f->fast[LEAF];
	/* More than a second: it would have been asked. An answer on its way may come. */
	AWAIT(f, f->fast[LEAF] >= leaf + 10);
	assert_in_range(f->fast[SPINE], then, then + 1);
	collector_focus(f->collector, names[SPINE]);
	then = f->fast[SPINE];
	AWAIT(f, f->fast[SPINE] >= then + 2);
	/* The connection was kept. */
	assert_int_equal(f->connected[SPINE], 1);
	assert_int_equal(f->connected[OTHER] + f->failed[OTHER], 0);
}

CASE_WITH(its_connection_is_closed_after_a_rest, setup, teardown)
{
	struct fixture *f = *state;
	unsigned leaf;

	start(f, (struct collector_opts){.threads = 1, .rest_us = CLOCK_SEC / 10});
	collector_focus(f->collector, names[SPINE]);
	AWAIT(f, f->fast[SPINE] >= 1);
	collector_focus(f->collector, NULL);
	leaf = f->fast[LEAF];
	AWAIT(f, f->fast[LEAF] >= leaf + 5);
	collector_focus(f->collector, names[SPINE]);
	AWAIT(f, f->connected[SPINE] == 2 && f->fast[SPINE] >= 2);
	assert_int_equal(f->failed[SPINE], 0);
}

/* A bastion that accepts connections, and never answers. */
static int dead_bastion(struct plan_device *d)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	char jump[64];

	assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(listen(fd, 8), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &len), 0);
	(void)str_printf(jump, sizeof(jump), "127.0.0.1:%u", ntohs(at.sin_port));
	d->jump = mem_strdup(jump);
	return fd;
}

/* How often it was tried since it was asked last. */
static unsigned tries(int bastion)
{
	unsigned n = 0;
	int fd;

	while ((fd = accept4(bastion, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
		(void)close(fd);
		n++;
	}
	return n;
}

/* Two bastions are down: that of the leaf is tried again and again, and is the clock here. */
CASE_WITH(its_bastion_is_left_alone_after_a_rest, setup, teardown)
{
	struct fixture *f = *state;
	int parked = dead_bastion(&f->plan.devices.at[SPINE]);
	int wanted = dead_bastion(&f->plan.devices.at[LEAF]);
	unsigned of_parked = 0, of_wanted = 0;

	start(f, (struct collector_opts){.threads = 1, .rest_us = CLOCK_SEC / 10});
	collector_focus(f->collector, names[SPINE]);
	AWAIT(f, (of_parked += tries(parked), of_wanted += tries(wanted),
			 f->failed[SPINE] >= 1 && of_parked >= 1));
	collector_focus(f->collector, NULL);
	of_parked = of_wanted = 0;
	AWAIT(f, (of_parked += tries(parked), (of_wanted += tries(wanted)) >= 3));
	assert_in_range(of_parked, 0, 1);
	(void)close(parked);
	(void)close(wanted);
}

CASE_WITH(once_leaves_them_to_the_engine, setup, teardown)
{
	struct fixture *f = *state;

	start(f, (struct collector_opts){.threads = 2, .once = true});
	AWAIT(f, collector_finished(f->collector));
	drain(f);
	assert_int_equal(f->fast[LEAF], 1);
	assert_int_equal(f->connected[SPINE] + f->failed[SPINE], 0);
}

CASES_MAIN(setup_group, teardown_group)
