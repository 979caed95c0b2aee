/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/collector/collector.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "tests/integration/support/bell.h"
#include "tests/integration/ssh/sshd.h"
#include "tests/support/cases.h"
#include "tests/support/obs_find.h"
#include "tests/support/sonic_redis.h"

/*
 * A SONiC switch out of real programs: a Redis with a switch's databases behind a real OpenSSH
 * server, polled by the collector as a live one is.
 */

#define PATIENCE_MS 20000
#define FIXTURES    "tests/captures/fixtures/"

struct fixture {
	struct scratch scratch;
	struct sonic_redis redis;
	struct sshd sshd;
	struct plan plan;
	struct collector *collector;
	struct bell bell;
	struct obs *got; /* everything that came, newest first */
	unsigned fast;   /* counter replies among them */
};

static void drain(struct fixture *f)
{
	struct obs *next;

	for (struct obs *o = collector_drain(f->collector); o; o = next) {
		next = o->next;
		o->next = f->got;
		f->got = o;
		f->fast += o->result == OBS_DATA && str_eq(o->request, "fast");
	}
}

static void await_more(struct fixture *f, int64_t until, const char *what)
{
	if (!bell_wait(&f->bell, until))
		fail_msg("not within %d s: %s", PATIENCE_MS / 1000, what);
	drain(f);
}

#define AWAIT(f, condition)                                                                        \
	do {                                                                                       \
		int64_t until_ = now_ms() + PATIENCE_MS;                                           \
		while (!(condition))                                                               \
			await_more(f, until_, #condition);                                         \
	} while (0)

/* The newest whole batch, which names all values, not only the changed ones. */
static const struct obs *whole(const struct fixture *f, const char *request)
{
	for (const struct obs *o = f->got; o; o = o->next)
		if (o->result == OBS_DATA && !o->unchanged_rest && str_eq(o->request, request))
			return o;
	fail_msg("no whole answer to %s", request);
	return NULL;
}

/* The newest answer to a request, NULL: none yet. */
static const struct obs *newest(const struct fixture *f, const char *request)
{
	for (const struct obs *o = f->got; o; o = o->next)
		if (o->result == OBS_DATA && str_eq(o->request, request))
			return o;
	return NULL;
}

static const struct obs *failure(const struct fixture *f)
{
	for (const struct obs *o = f->got; o; o = o->next)
		if (o->result == OBS_FAILED)
			return o;
	return NULL;
}

/* ---- the switch ---- */

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	*state = f;
	plan_init(&f->plan);
	bell_open(&f->bell);
	scratch_open(&f->scratch);
	sshd_keys(&f->scratch);
	setenv("HOME", f->scratch.dir, 1);
	unsetenv("SSH_AUTH_SOCK");
	if (sonic_redis_start(&f->redis)) {
		char environment[256];

		/* The first SetEnv outside a Match block is sshd.c's, and only that counts. */
		str_printf(environment, sizeof(environment),
			"Match all\nSetEnv SHLVL=2 \"PATH=%s:/usr/bin:/bin\"", f->redis.dir);
		sshd_start(&f->sshd, &f->scratch, 0, environment);
	}
	return 0;
}

static void stop_polling(struct fixture *f)
{
	struct obs *next;

	collector_stop(f->collector);
	f->collector = NULL;
	for (; f->got; f->got = next) {
		next = f->got->next;
		obs_free(f->got);
	}
	f->fast = 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	if (f->collector)
		stop_polling(f);
	if (f->redis.pid)
		sshd_stop(&f->sshd);
	if (f->redis.dir[0])
		sonic_redis_stop(&f->redis);
	scratch_close(&f->scratch);
	plan_free(&f->plan);
	bell_close(&f->bell);
	free(f);
	return 0;
}

static void load(const struct fixture *f, int asic)
{
	sonic_redis_load(&f->redis, asic, APPL_DB, FIXTURES "sonic_appl.json");
	sonic_redis_load(&f->redis, asic, COUNTERS_DB, FIXTURES "sonic_counters.json");
	sonic_redis_load(&f->redis, asic, CONFIG_DB, FIXTURES "sonic_config.json");
	sonic_redis_load(&f->redis, asic, STATE_DB, FIXTURES "sonic_state.json");
}

static void start_polling(struct fixture *f, const char *user)
{
	struct collector_opts opts = {
		.threads = 1, .wake = bell_ring, .ctx = &f->bell, .publish_us = 20000};
	struct plan_device *d;
	struct err err = {0};

	if (!f->redis.pid)
		skip();
	if (!f->plan.devices.n) {
		d = vec_add(&f->plan.devices);
		str_copy(d->name, sizeof(d->name), "leaf-0");
		d->dialect = mem_strdup("sonic");
		d->transport = mem_strdup("ssh");
		d->address = mem_strdup("127.0.0.1");
		d->port = f->sshd.port;
		d->user = mem_strdup(user);
		d->identity = mem_strdup(scratch_path(&f->scratch, "user_key"));
		d->known_hosts = mem_strdup(scratch_path(&f->scratch, "known_hosts"));
		d->interval_us = CLOCK_SEC / 5;
		f->plan.lossless.priorities = 0x18;
	}
	f->collector = collector_start(&f->plan, &opts, &err);
	if (!f->collector)
		fail_msg("%s: %s", err.origin, err.text);
}

/* The number of the switch's questions that begin with `what`. */
static unsigned asked(const struct fixture *f, const char *what)
{
	char path[128];
	size_t len;
	char *text, *at;
	unsigned n = 0;

	str_printf(path, sizeof(path), "%s/asked", f->redis.dir);
	text = read_file(path, &len);
	assert_non_null(text);
	for (at = text; at && *at;) {
		n += str_starts(at, what);
		at = strchr(at, '\n');
		at += at != NULL;
	}
	free(text);
	return n;
}

/* ---- cases ---- */

CASE_WITH(every_tier_of_a_switch, setup, teardown)
{
	struct fixture *f = *state;
	const struct obs *o;
	char text[64];

	if (f->redis.pid) {
		load(f, -1);
		sonic_redis_grant(&f->redis, "rvtysh");
		sonic_redis_file(&f->redis, "bgp.json",
			"{\"ipv4Unicast\":{\"as\":65042,\"peers\":{\"10.0.0.1\":{\"remoteAs\":"
			"65100,"
			"\"state\":\"Established\",\"pfxRcd\":7}}}}",
			0644);
	}
	start_polling(f, f->sshd.user);
	AWAIT(f, f->fast >= 3 && newest(f, "optics") && newest(f, "bgp") && newest(f, "config") &&
			 newest(f, "modules"));
	assert_null(failure(f));
	o = whole(f, "fast");
	assert_int_equal(o->ports.n, 3);
	assert_int_equal(cell_count(at_port(o, "Ethernet0"), "pfc_rx_frames", 3), 31);
	assert_int_equal(cell_count(at_port(o, "Ethernet0"), "fec_bin", 9), 9);
	o = newest(f, "optics");
	assert_string_equal(lldp_of(at_port(o, "Ethernet0"), text, sizeof(text)), "node000:eth0");
	o = newest(f, "bgp");
	assert_int_equal(o->bgp.n, 1);
	assert_int_equal(o->bgp.at[0].state, BGP_ESTABLISHED);
	assert_int_equal(o->bgp.at[0].prefixes, 7);
	o = newest(f, "config");
	assert_string_equal(attr_word(at_port(o, NULL), ATTR_OS_VERSION, 0), "SONiC.202411.9");
	assert_true(attr_number(at_port(o, "Ethernet0"), ATTR_ECN_MAX_BYTES, 3) == 1500000);
}

/* The script goes over the wire once; after that its 40 letters of SHA are sent. */
CASE_WITH(the_script_is_sent_once, setup, teardown)
{
	struct fixture *f = *state;

	if (f->redis.pid)
		load(f, -1);
	start_polling(f, f->sshd.user);
	AWAIT(f, f->fast >= 5);
	assert_null(failure(f));
	assert_int_equal(asked(f, "redis COUNTERS_DB EVAL\n"), 1);
	assert_int_equal(asked(f, "redis COUNTERS_DB SCRIPT\n"), 1);
	assert_true(asked(f, "redis COUNTERS_DB EVALSHA\n") >= 4);
}

/* Redis restarts on a switch, and forgets: the same poll asks again, and nothing is missed. */
CASE_WITH(a_flush_costs_no_poll, setup, teardown)
{
	struct fixture *f = *state;
	unsigned before, empty = 0, whole = 0;

	if (f->redis.pid)
		load(f, -1);
	start_polling(f, f->sshd.user);
	AWAIT(f, f->fast >= 3);
	free(sonic_redis_cli(&f->redis, -1, "script flush"));
	before = f->fast;
	AWAIT(f, asked(f, "redis COUNTERS_DB EVAL\n") == 2 && f->fast >= before + 4);
	assert_null(failure(f));
	for (const struct obs *o = f->got; o; o = o->next) {
		if (o->result != OBS_DATA || !str_eq(o->request, "fast"))
			continue;
		/* Newest first: the answer after the empty one stands before it in the list. */
		empty += o->again;
		whole += o->ports.n == 3;
		assert_true(o->again || o->ports.n == 3);
	}
	/* This Redis had none at the beginning either. */
	assert_int_equal(empty, 2);
	assert_int_equal(whole, f->fast - 2);
	AWAIT(f, f->fast >= before + 6);
	assert_int_equal(asked(f, "redis COUNTERS_DB EVAL\n"), 2);
}

static bool has_alarm(const struct fixture *f, const char *port)
{
	for (const struct obs *o = f->got; o; o = o->next)
		for (size_t i = 0; str_eq(o->request, "log") && i < o->items.n; i++)
			if (o->items.at[i].kind == OBS_EVENT &&
				o->items.at[i].code == EV_LOG_ALARM &&
				o->items.at[i].port != OBS_NO_PORT &&
				str_eq(o->ports.at[o->items.at[i].port].name, port))
				return true;
	return false;
}

CASE_WITH(the_log_comes_as_it_is_written, setup, teardown)
{
	struct fixture *f = *state;
	char path[128];
	FILE *log;

	if (f->redis.pid) {
		load(f, -1);
		sonic_redis_grant(&f->redis, "tail");
	}
	start_polling(f, f->sshd.user);
	AWAIT(f, f->fast >= 1);
	str_printf(path, sizeof(path), "%s/syslog", f->redis.dir);
	log = fopen(path, "a");
	assert_non_null(log);
	fprintf(log, "2026 Nov 21 17:50:11.250000 leaf-0 NOTICE swss#orchagent: :- "
		     "setHostIntfsOperStatus: Set operation status DOWN to host interface "
		     "Ethernet8\n");
	fclose(log);
	AWAIT(f, has_alarm(f, "Ethernet8"));
	assert_int_equal(capability_of(newest(f, "log"), "event log", NULL), VALID_OK);
}

/* Two ASICs, first for a user who may not ask them, then for a user who may. */
CASE_WITH(rights_to_the_asics, setup, teardown)
{
	struct fixture *f = *state;
	const char *cure = "";

	if (f->redis.pid) {
		sonic_redis_load(&f->redis, -1, CONFIG_DB, FIXTURES "sonic_config.json");
		sonic_redis_file(&f->redis, "asic.conf", "NUM_ASIC=2\nDEV_ID_ASIC_0=1\n", 0644);
		sonic_redis_start_asic(&f->redis, 0);
		sonic_redis_start_asic(&f->redis, 1);
		load(f, 0);
		free(sonic_redis_cli(
			&f->redis, 1, "-n 2 hset COUNTERS_PORT_NAME_MAP Ethernet16 oid:0x1"));
		free(sonic_redis_cli(&f->redis, 1,
			"-n 2 hset COUNTERS:oid:0x1 SAI_PORT_STAT_IF_IN_OCTETS 1600"));
	}
	start_polling(f, f->sshd.user);
	AWAIT(f, newest(f, "detect") && f->fast >= 2);
	assert_int_equal(
		capability_of(newest(f, "detect"), "port counters", &cure), VALID_DISABLED);
	assert_non_null(strstr(cure, "sudo sonic-db-cli"));
	assert_int_equal(newest(f, "fast")->err.code, ERR_UNAUTHORISED);
	assert_non_null(strstr(newest(f, "fast")->err.cure, "sudo sonic-db-cli"));
	stop_polling(f);

	sonic_redis_grant(&f->redis, "sonic-db-cli");
	start_polling(f, f->sshd.user);
	AWAIT(f, f->fast >= 3);
	assert_null(failure(f));
	assert_int_equal(newest(f, "fast")->err.code, ERR_NONE);
	assert_int_equal(newest(f, "fast")->ports.n, 4);
	assert_int_equal(cell_count(at_port(whole(f, "fast"), "Ethernet16"), "rx_bytes", 0), 1600);
	assert_true(asked(f, "asic1 COUNTERS_DB EVALSHA\n") >= 1);
	assert_int_equal(asked(f, "asic1 COUNTERS_DB EVAL\n"), 1);
}

CASE_WITH(a_dead_database_names_its_cure, setup, teardown)
{
	struct fixture *f = *state;

	if (f->redis.pid)
		free(sonic_redis_cli(&f->redis, -1, "shutdown nosave"));
	start_polling(f, f->sshd.user);
	AWAIT(f, failure(f));
	assert_non_null(strstr(failure(f)->err.text, "Connection refused"));
	assert_non_null(strstr(failure(f)->err.cure, "systemctl status database"));
}

CASE_WITH(a_wrong_user_names_its_cure, setup, teardown)
{
	struct fixture *f = *state;

	start_polling(f, "nobody-of-this-name");
	AWAIT(f, failure(f));
	assert_int_equal(failure(f)->err.code, ERR_UNAUTHORISED);
	assert_non_null(strstr(failure(f)->err.cure, "ssh-copy-id"));
}

CASES_MAIN(NULL, NULL)
