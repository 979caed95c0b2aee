/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

#include "backends/backend.h"
#include "base/buf.h"
#include "base/str.h"
#include "tests/captures/covered.h"
#include "tests/tools/obs_find.h"
#include "tests/tools/run_command.h"

/*
 * The exact command lines that plan() emits, run by a real shell against a real Redis that holds
 * dumps of switches. `sonic-db-cli` is a three-line stand-in for the switch's own client.
 */

enum { APPL_DB = 0, COUNTERS_DB = 2, CONFIG_DB = 4, STATE_DB = 6 };

static const struct target leaf = {
	.device = "leaf-r0-00", .tier = TIER_LEAF, .transport = TRANSPORT_SSH, .lossless = 0x18};

struct redis {
	pid_t pid;
	char dir[64], socket[96], path[4096];
};

static void write_client(const struct redis *r)
{
	char name[128];
	FILE *f;

	str_printf(name, sizeof(name), "%s/sonic-db-cli", r->dir);
	f = fopen(name, "w");
	assert_non_null(f);
	fprintf(f,
		"#!/bin/sh\ncase $1 in -*) echo \"unknown option $1\" >&2; exit 1;; esac\n"
		"shift\nexec redis-cli --raw -s %s -n 2 \"$@\"\n",
		r->socket);
	fclose(f);
	assert_int_equal(chmod(name, 0755), 0);
}

static void redis_start(struct redis *r)
{
	const char *argv[] = {"redis-server", "--port", "0", "--unixsocket", r->socket, "--save",
		"", "--appendonly", "no", "--dir", r->dir, NULL};
	const char *old = getenv("PATH");

	memset(r, 0, sizeof(*r));
	if (!has_program("redis-server") || !has_program("redis-cli"))
		skip();
	str_copy(r->dir, sizeof(r->dir), "/tmp/railtop-redis-XXXXXX");
	assert_non_null(mkdtemp(r->dir));
	str_printf(r->socket, sizeof(r->socket), "%s/redis.sock", r->dir);
	str_printf(r->path, sizeof(r->path), "PATH=%s:%s", r->dir, old ? old : "/usr/bin:/bin");
	write_client(r);
	r->pid = start_program(argv, "eady to accept");
	assert_true(r->pid > 0);
}

static void redis_stop(struct redis *r)
{
	char name[160];

	stop_program(r->pid);
	str_printf(name, sizeof(name), "%s/sonic-db-cli", r->dir);
	unlink(name);
	unlink(r->socket);
	rmdir(r->dir);
}

/* ---- loading: the wire protocol, so that any byte may be in a value ---- */

static void resp_word(struct buf *b, const char *s)
{
	buf_addf(b, "$%zu\r\n%s\r\n", strlen(s), s);
}

static void resp_hash(struct buf *b, const char *key, const json_t *fields)
{
	const char *name;
	json_t *v;

	json_object_foreach((json_t *)fields, name, v)
	{
		if (!json_is_string(v))
			continue;
		buf_adds(b, "*4\r\n");
		resp_word(b, "HSET");
		resp_word(b, key);
		resp_word(b, name);
		resp_word(b, json_string_value(v));
	}
}

/* Two shapes: {key: {"type": "hash", "value": {...}}} and {key: {field: value}}. */
static void resp_dump(struct buf *b, int db, const json_t *dump)
{
	const char *key;
	json_t *v;
	char number[8];

	str_printf(number, sizeof(number), "%d", db);
	buf_adds(b, "*2\r\n");
	resp_word(b, "SELECT");
	resp_word(b, number);
	json_object_foreach((json_t *)dump, key, v)
	{
		const json_t *value = json_object_get(v, "value");

		if (json_is_object(value) && json_object_get(v, "type"))
			resp_hash(b, key, value);
		else if (json_is_object(v))
			resp_hash(b, key, v);
	}
}

static void redis_send(struct redis *r, struct buf *b)
{
	const char *argv[] = {"redis-cli", "-s", r->socket, "--pipe", NULL};
	int status = -1;
	char *out = run_command(argv, NULL, b->data, NULL, &status);

	if (!out || !strstr(out, "errors: 0"))
		fail_msg("loading failed: %s", out ? out : "redis-cli did not run");
	free(out);
	buf_free(b);
}

static void redis_load(struct redis *r, int db, const char *file)
{
	json_error_t e;
	json_t *dump = json_load_file(file, 0, &e);
	struct buf b;

	if (!dump)
		fail_msg("%s: %s", file, e.text);
	buf_init(&b, 64u << 20);
	resp_dump(&b, db, dump);
	redis_send(r, &b);
	json_decref(dump);
}

/* ---- polling ---- */

static struct obs *poll_tier_of(struct redis *r, enum poll_tier tier)
{
	const struct backend_ops *ops = backend_by_name("sonic");
	struct request_list l = {0};
	struct err err = {0};
	struct obs *o;
	size_t len;
	int status;
	char *out;

	assert_true(ops->plan(&leaf, tier, &l, &err));
	assert_int_equal(l.at.n, 1);
	const char *argv[] = {"sh", "-c", l.at.at[0].command, NULL};
	const char *environment[] = {r->path, NULL};
	out = run_command(argv, environment, NULL, &len, &status);
	assert_int_equal(status, 0);
	o = obs_new(leaf.device, l.at.at[0].name);
	if (!ops->parse(&leaf, l.at.at[0].name, out, len, o, &err))
		fail_msg("%s in: %.300s", err.text, out);
	if (tier == POLL_FAST)
		print_message("# figure fast reply: %zu ports, %zu bytes\n", o->ports.n, len);
	free(out);
	requests_free(&l);
	return o;
}

/* ---- our own small switch: two ports, every table once ---- */

static void our_own_dump(void **state)
{
	const char *dir = "tests/captures/fixtures/";
	static const struct {
		int db;
		const char *file;
	} parts[] = {{APPL_DB, "sonic_appl.json"}, {COUNTERS_DB, "sonic_counters.json"},
		{CONFIG_DB, "sonic_config.json"}, {STATE_DB, "sonic_state.json"}};
	struct redis r;
	struct obs *o;
	struct obs_port_ref p;
	char text[128];

	(void)state;
	redis_start(&r);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		char file[128];

		str_printf(file, sizeof(file), "%s%s", dir, parts[i].file);
		redis_load(&r, parts[i].db, file);
	}
	o = poll_tier_of(&r, POLL_FAST);
	assert_int_equal(o->ports.n, 2);
	assert_true(o->device_us > INT64_C(1600000000000000));
	assert_int_equal(strlen(attr_word(at_port(o, NULL), ATTR_BOOT_ID, 0)), 36);
	p = at_port(o, "Ethernet0");
	assert_true(cell_count(p, "rx_bytes", 0) == UINT64_C(18446744073709551610));
	assert_int_equal(cell_count(p, "rx_packets", 0), 110);
	assert_int_equal(cell_count(p, "pfc_rx_frames", 3), 31);
	assert_int_equal(cell_count(p, "pfc_rx_duration_us", 3), 777);
	assert_int_equal(cell_validity(p, "pfc_rx_duration_us", 4), VALID_UNSUPPORTED);
	assert_int_equal(cell_count(p, "queue_drops", 4), 44);
	assert_int_equal(cell_count(p, "queue_watermark_bytes", 3), 1234);
	assert_int_equal(cell_count(p, "headroom_watermark_bytes", 3), 555);
	assert_int_equal(cell_count(p, "pg_drops", 3), 6);
	assert_int_equal(cell_validity(p, "ecn_marked_packets", 3), VALID_DISABLED);
	assert_string_equal(attr_word(p, ATTR_PFCWD_STATE, 3), "stormed");
	assert_int_equal(cell_count(p, "pfcwd_drops", 3), 300);
	assert_true(attr_number(p, ATTR_PFCWD_DETECT_MS, 3) == 200);
	assert_true(attr_number(p, ATTR_SPEED_MBPS, 0) == 200000);
	assert_int_equal(cell_count(p, "link_down_events", 0), 2);
	assert_string_equal(attr_word(at_port(o, "Ethernet8"), ATTR_OPER, 0), "down");
	obs_free(o);

	o = poll_tier_of(&r, POLL_MEDIUM);
	p = at_port(o, "Ethernet0");
	assert_true(cell_value(p, "rx_power_dbm", 3) == -3.5);
	assert_true(cell_value(p, "temperature_c", 0) == 51.25);
	assert_int_equal(
		cell_validity(at_port(o, "Ethernet8"), "temperature_c", 0), VALID_UNSUPPORTED);
	obs_free(o);

	o = poll_tier_of(&r, POLL_SLOW);
	p = at_port(o, "Ethernet0");
	assert_true(attr_number(p, ATTR_PFC_ENABLED, 0) == 0x18);
	assert_true(attr_number(p, ATTR_ECN_ENABLED, 0) == 0x08);
	assert_string_equal(lldp_of(p, text, sizeof(text)), "node000:eth0");
	assert_string_equal(lldp_of(at_port(o, "Ethernet8"), text, sizeof(text)), ":");
	assert_string_equal(attr_word(p, ATTR_MODULE_SN, 0), "OPT77");
	assert_string_equal(attr_word(at_port(o, NULL), ATTR_MODEL, 0), "Our-Switch-64");
	obs_free(o);
	redis_stop(&r);
}

/* A switch whose databases are empty answers, and says so. */
static void an_empty_redis(void **state)
{
	struct redis r;
	struct obs *o;

	(void)state;
	redis_start(&r);
	o = poll_tier_of(&r, POLL_FAST);
	assert_int_equal(o->ports.n, 0);
	assert_non_null(strstr(o->err.text, "COUNTERS_PORT_NAME_MAP"));
	obs_free(o);
	obs_free(poll_tier_of(&r, POLL_MEDIUM));
	obs_free(poll_tier_of(&r, POLL_SLOW));
	redis_stop(&r);
}

/* ---- dumps of real switches, where they are at hand ---- */

static const char *captures(const char *file, char *dst, size_t size)
{
	char path[256];

	str_printf(path, sizeof(path), "switches/sonic/db/%s", file);
	return capture_path(path, dst, size);
}

static void a_real_34_port_switch(void **state)
{
	char counters[512], config[512], states[512];
	struct redis r;
	struct obs *o;
	struct obs_port_ref p;

	(void)state;
	captures("t1_COUNTERS_DB.redisdl.json", counters, sizeof(counters));
	captures("t1_CONFIG_DB.redisdl.json", config, sizeof(config));
	captures("t1_STATE_DB.redisdl.json", states, sizeof(states));
	redis_start(&r);
	redis_load(&r, COUNTERS_DB, counters);
	redis_load(&r, CONFIG_DB, config);
	redis_load(&r, STATE_DB, states);
	o = poll_tier_of(&r, POLL_FAST);
	assert_int_equal(o->ports.n, 34);
	p = at_port(o, "Ethernet84");
	assert_int_equal(cell_count(p, "rx_bytes", 0), 3644049);
	assert_int_equal(cell_count(p, "tx_bytes", 0), 4448265);
	assert_int_equal(cell_count(p, "rx_discards", 0), 38717);
	assert_int_equal(cell_count(p, "pfc_rx_frames", 3), 0);
	assert_int_equal(cell_count(p, "pg_watermark_bytes", 3), 256);
	/* A release of 2020: no FEC counters, no watchdog started. */
	assert_int_equal(cell_validity(p, "fec_corrected_codewords", 0), VALID_UNSUPPORTED);
	assert_int_equal(cell_validity(p, "pfcwd_storm_detected", 3), VALID_DISABLED);
	assert_int_equal(cell_validity(p, "ecn_marked_packets", 3), VALID_DISABLED);
	assert_int_equal(capability_of(o, "FEC counters", NULL), VALID_UNSUPPORTED);
	/* This release has no FLEX_COUNTER_TABLE row for the group: off. */
	assert_int_equal(cell_validity(p, "pg_drops", 3), VALID_DISABLED);
	obs_free(o);
	o = poll_tier_of(&r, POLL_MEDIUM);
	assert_int_equal(o->ports.n, 34);
	/* Copper: 0 V, 0 C, -inf. */
	assert_int_equal(
		cell_validity(at_port(o, "Ethernet84"), "rx_power_dbm", 0), VALID_UNSUPPORTED);
	obs_free(o);
	o = poll_tier_of(&r, POLL_SLOW);
	assert_string_equal(attr_word(at_port(o, NULL), ATTR_MODEL, 0), "Arista-7050CX3-32S-C32");
	assert_string_equal(attr_word(at_port(o, NULL), ATTR_HOSTNAME, 0), "str2-7050cx3-acs-03");
	assert_string_equal(attr_word(at_port(o, "Ethernet84"), ATTR_MEDIA, 0), "QSFP28 or later");
	assert_string_equal(attr_word(at_port(o, "Ethernet84"), ATTR_MODULE_SN, 0), "827120366");
	obs_free(o);
	redis_stop(&r);
}

static void a_mocked_switch_with_a_storm(void **state)
{
	char counters[512], config[512], states[512], appl[512];
	struct redis r;
	struct obs *o;
	struct obs_port_ref p;

	(void)state;
	captures("mock_COUNTERS_DB.json", counters, sizeof(counters));
	captures("mock_CONFIG_DB.json", config, sizeof(config));
	captures("mock_STATE_DB.json", states, sizeof(states));
	captures("mock_APPL_DB.json", appl, sizeof(appl));
	redis_start(&r);
	redis_load(&r, APPL_DB, appl);
	redis_load(&r, COUNTERS_DB, counters);
	redis_load(&r, CONFIG_DB, config);
	redis_load(&r, STATE_DB, states);
	o = poll_tier_of(&r, POLL_FAST);
	assert_int_equal(o->ports.n, 3);
	p = at_port(o, "Ethernet0");
	assert_string_equal(attr_word(p, ATTR_PFCWD_STATE, 3), "stormed");
	assert_int_equal(cell_count(p, "pfcwd_storm_detected", 3), 1);
	assert_int_equal(cell_count(p, "pfcwd_storm_restored", 3), 0);
	assert_int_equal(cell_count(p, "pfcwd_drops", 3), 600);
	assert_true(attr_number(p, ATTR_PFCWD_DETECT_MS, 3) == 600);
	assert_int_equal(cell_count(p, "ecn_marked_packets", 3), 19);
	assert_int_equal(cell_count(p, "ecn_marked_packets", 4), 12);
	assert_int_equal(cell_count(p, "pfc_rx_frames", 3), 203);
	assert_int_equal(cell_count(p, "pfc_tx_frames", 7), 217);
	assert_int_equal(cell_count(p, "fec_corrected_codewords", 0), 130402);
	assert_int_equal(cell_count(p, "fec_uncorrectable_codewords", 0), 3);
	assert_string_equal(attr_word(p, ATTR_OPER, 0), "down");
	/* STATE_DB's speed wins over the 25G that APPL_DB asks for. */
	assert_true(attr_number(p, ATTR_SPEED_MBPS, 0) == 100000);
	/* Three transitions that end down, counted from a clear while up: two downs. */
	assert_int_equal(cell_count(p, "link_down_events", 0), 2);
	obs_free(o);
	o = poll_tier_of(&r, POLL_SLOW);
	p = at_port(o, "Ethernet0");
	assert_true(attr_number(p, ATTR_PFC_ENABLED, 0) == 0x18);
	assert_true(attr_number(p, ATTR_ECN_ENABLED, 0) == 0x18);
	assert_string_equal(attr_word(at_port(o, NULL), ATTR_HOSTNAME, 0), "sonic-switch");
	assert_string_equal(attr_word(at_port(o, NULL), ATTR_SERIAL, 0), "TH0F6N2RCET0007600NG");
	obs_free(o);
	obs_free(poll_tier_of(&r, POLL_MEDIUM));
	redis_stop(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(our_own_dump),
		cmocka_unit_test(an_empty_redis),
		cmocka_unit_test(a_real_34_port_switch),
		cmocka_unit_test(a_mocked_switch_with_a_storm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
