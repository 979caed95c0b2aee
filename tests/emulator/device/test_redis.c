/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/emulator/support/rig.h"
#include "tests/support/cases.h"

#define LEAF "leaf-r3-00"

static void says(struct rig *r, const char *command, int status, const char *want)
{
	int got = rig_exec(r, LEAF, command, NULL);

	if (got != status || strcmp(r->out.data, want) != 0)
		print_message("%s\n%d %s%s\n", command, got, r->out.data, r->err.data);
	assert_int_equal(got, status);
	assert_string_equal(r->out.data, want);
}

static void complains(struct rig *r, const char *command, int status, const char *part)
{
	assert_int_equal(rig_exec(r, LEAF, command, NULL), status);
	if (!strstr(r->err.data, part))
		print_message("%s\n%s\n", command, r->err.data);
	assert_non_null(strstr(r->err.data, part));
}

CASE(values_are_those_of_the_fabric)
{
	struct rig *r = *state;
	const struct sim_port *p = &rig_device(r, LEAF)->ports[2];
	char want[256];

	(void)snprintf(want, sizeof(want), "%llu\n%llu\n%llu\n\n", (unsigned long long)p->rx_bytes,
		(unsigned long long)p->tx_bytes, (unsigned long long)p->q[3].pfc_rx_us);
	says(r,
		"sonic-db-cli COUNTERS_DB EVAL \"local "
		"o=redis.call('HGET','COUNTERS_PORT_NAME_MAP',KEYS[1])"
		" return redis.call('HMGET','COUNTERS:'..o,'SAI_PORT_STAT_IF_IN_OCTETS',"
		"'SAI_PORT_STAT_IF_OUT_OCTETS','SAI_PORT_STAT_PFC_3_RX_PAUSE_DURATION_US',"
		"'SAI_PORT_STAT_PFC_4_RX_PAUSE_DURATION_US')\" 1 Ethernet8",
		0, want);
	assert_true(p->rx_bytes > 0);
	(void)snprintf(want, sizeof(want), "%llu\n", (unsigned long long)p->q[3].tx_bytes);
	says(r,
		"Q=$(sonic-db-cli COUNTERS_DB HGET COUNTERS_QUEUE_NAME_MAP Ethernet8:3);"
		" sonic-db-cli COUNTERS_DB HGET COUNTERS:$Q SAI_QUEUE_STAT_BYTES",
		0, want);
}

CASE(replies_print_as_the_tool_prints)
{
	struct rig *r = *state;

	says(r, "sonic-db-cli PING", 0, "PONG\n");
	says(r, "sonic-db-cli CONFIG_DB HGETALL 'DEVICE_NEIGHBOR|Ethernet4'", 0,
		"{'name': 'node001', 'port': 'eth3'}\n");
	says(r, "sonic-db-cli COUNTERS_DB HGETALL nothing", 0, "{}\n");
	says(r, "sonic-db-cli COUNTERS_DB HGET nothing field", 0, "\n");
	says(r, "sonic-db-cli CONFIG_DB KEYS 'WRED*'", 0, "WRED_PROFILE|AZURE_LOSSLESS\n");
	says(r, "sonic-db-cli CONFIG_DB EXISTS 'PFC_WD|Ethernet0'", 0, "1\n");
	says(r, "sonic-db-cli APPL_DB EXISTS PFC_WD_TABLE_INSTORM:Ethernet0", 0, "0\n");
	says(r, "sonic-db-cli COUNTERS_DB EVAL 'return {1,KEYS[1],ARGV[1],{2}}' 1 k v", 0,
		"1\nk\nv\n2\n");
	says(r, "sonic-db-cli COUNTERS_DB EVAL 'return 3.9' 0", 0, "3\n");
	says(r, "sonic-db-cli COUNTERS_DB EVAL 'return redis.call(\"TIME\")' 0", 0,
		"1763726060\n0\n");
	says(r,
		"sonic-db-cli COUNTERS_DB EVAL 'return cjson.encode({a=cjson.null,b={}})' 0 | wc "
		"-c",
		0, "18\n");
	says(r, "cat /proc/sys/kernel/random/boot_id | wc -c; uname -r; hostname", 0,
		"37\n6.1.0-22-2-amd64\n" LEAF "\n");
}

CASE(errors_read_as_redis_words_them)
{
	struct rig *r = *state;

	complains(r, "sonic-db-cli COUNTERS_DB EVALSHA 0123 0", 1,
		"NOSCRIPT No matching script. Please use EVAL.");
	complains(r, "sonic-db-cli COUNTERS_DB EVAL 'return x' 0", 1,
		"Script attempted to access nonexistent global variable 'x'");
	complains(r, "sonic-db-cli COUNTERS_DB EVAL 'x=1' 0", 1,
		"attempted to create global variable 'x'");
	complains(
		r, "sonic-db-cli COUNTERS_DB EVAL 'return ((' 0", 1, "ERR Error compiling script");
	complains(r, "sonic-db-cli COUNTERS_DB EVAL 'return redis.call(\"NO\")' 0", 1,
		"ERR unknown command");
	complains(r, "sonic-db-cli COUNTERS_DB HSET a b c", 1, "READONLY");
	complains(r, "sonic-db-cli NO_DB KEYS x", 1, "Invalid database name input : 'NO_DB'");
	complains(r, "sonic-db-cli COUNTERS_DB EVAL '-- comment' 0", 255, "Unknown argument");
	complains(r, "nosuch", 127, "nosuch: command not found");
}

CASE(scripts_cannot_get_out)
{
	static const char *const names[] = {
		"os", "io", "require", "package", "dofile", "loadfile", "print"};
	char command[128];
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		(void)snprintf(command, sizeof(command),
			"sonic-db-cli COUNTERS_DB EVAL 'return %s' 0", names[i]);
		complains(*state, command, 1, "nonexistent global variable");
	}
	complains(
		*state, "sonic-db-cli COUNTERS_DB EVAL 'while true do end' 0", 1, "Script killed");
	complains(*state, "sonic-db-cli COUNTERS_DB EVAL 'local t={} for i=1,1e9 do t[i]={} end' 0",
		1, "ERR ");
	says(*state, "sonic-db-cli COUNTERS_DB EVAL 'return 1' 0", 0, "1\n");
}

/* A script is known to the switch that got it, until that switch reboots. */
CASE(scripts_are_known_per_boot)
{
	struct rig *r = *state;
	struct sim_device *d = rig_device(r, LEAF);
	char command[128], sha[41], id = d->boot_id[0];

	assert_int_equal(
		rig_exec(r, LEAF, "sonic-db-cli COUNTERS_DB SCRIPT LOAD 'return ARGV[1]'", NULL),
		0);
	assert_int_equal(r->out.len, 41);
	memcpy(sha, r->out.data, 40);
	sha[40] = '\0';
	(void)snprintf(command, sizeof(command), "sonic-db-cli COUNTERS_DB EVALSHA %s 0 hi", sha);
	says(r, command, 0, "hi\n");
	assert_int_equal(rig_exec(r, "leaf-r2-00", command, NULL), 1);
	d->boot_id[0] = id == 'a' ? 'b' : 'a';
	complains(r, command, 1, "NOSCRIPT");
	d->boot_id[0] = id;
}

CASE(object_ids_change_with_the_boot)
{
	struct rig *r = *state;
	struct sim_device *d = rig_device(r, LEAF);
	char old[128], id = d->boot_id[0];

	assert_int_equal(
		rig_exec(r, LEAF, "sonic-db-cli COUNTERS_DB HGET COUNTERS_PORT_NAME_MAP Ethernet0",
			NULL),
		0);
	(void)snprintf(old, sizeof(old), "%s", r->out.data);
	d->boot_id[0] = id == 'a' ? 'b' : 'a';
	assert_int_equal(
		rig_exec(r, LEAF, "sonic-db-cli COUNTERS_DB HGET COUNTERS_PORT_NAME_MAP Ethernet0",
			NULL),
		0);
	d->boot_id[0] = id;
	assert_string_not_equal(old, r->out.data);
}

static void hash_of_a_key(struct rig *r, const char *db, const char *key, json_t **o)
{
	char command[512];

	(void)snprintf(command, sizeof(command),
		"sonic-db-cli %s EVAL \"local r=redis.call('HGETALL',KEYS[1]) local o={} for "
		"i=1,#r,2 do "
		"o[r[i]]=r[i+1] end return cjson.encode(o)\" 1 '%s'",
		db, key);
	assert_int_equal(rig_exec(r, LEAF, command, NULL), 0);
	*o = json_loads(r->out.data, 0, NULL);
	assert_non_null(*o);
}

static unsigned compare_first(struct rig *r, const char *file, const char *db, const char *key)
{
	json_t *all = rig_capture_json(file), *mine;
	unsigned missing;

	if (!all)
		skip();
	hash_of_a_key(r, db, key, &mine);
	missing = rig_missing_keys(json_object_iter_value(json_object_iter(all)), mine, key);
	json_decref(mine);
	json_decref(all);
	return missing;
}

CASE(fields_are_those_of_real_switches)
{
	struct rig *r = *state;
	char key[128];

	assert_int_equal(
		rig_exec(r, LEAF, "sonic-db-cli COUNTERS_DB HGET COUNTERS_PORT_NAME_MAP Ethernet0",
			NULL),
		0);
	(void)snprintf(key, sizeof(key), "COUNTERS:%.*s", (int)r->out.len - 1, r->out.data);
	assert_int_equal(
		compare_first(r, "switches/sonic/gnmi/PORT_COUNTERS.json", "COUNTERS_DB", key), 0);
	assert_int_equal(
		rig_exec(r, LEAF,
			"sonic-db-cli COUNTERS_DB HGET COUNTERS_QUEUE_NAME_MAP Ethernet0:3", NULL),
		0);
	(void)snprintf(key, sizeof(key), "COUNTERS:%.*s", (int)r->out.len - 1, r->out.data);
	/* Its two *_last fields are private to the watchdog's script; the chip is a Broadcom. */
	rig_device(r, LEAF)->platform = sim_platform("sonic-broadcom");
	assert_in_range(
		compare_first(r, "switches/sonic/gnmi/pfcwd_Ethernet68.json", "COUNTERS_DB", key),
		0, 2);
	rig_device(r, LEAF)->platform = sim_platform("sonic-spectrum");
	assert_int_equal(compare_first(r, "switches/sonic/lldp/LLDP_ENTRY_TABLE_expected.json",
				 "APPL_DB", "LLDP_ENTRY_TABLE:Ethernet0"),
		0);
}

CASE(storms_show_in_three_places)
{
	struct rig *r = *state;
	struct sim_queue *q = &rig_device(r, LEAF)->ports[1].q[3];

	q->wd_stormed = true;
	says(r, "sonic-db-cli APPL_DB HGETALL PFC_WD_TABLE_INSTORM:Ethernet4", 0,
		"{'3': 'storm'}\n");
	says(r, "sonic-db-cli APPL_DB KEYS 'PFC_WD_TABLE_INSTORM:*'", 0,
		"PFC_WD_TABLE_INSTORM:Ethernet4\n");
	says(r,
		"Q=$(sonic-db-cli COUNTERS_DB HGET COUNTERS_QUEUE_NAME_MAP Ethernet4:3);"
		" sonic-db-cli COUNTERS_DB HGET COUNTERS:$Q PFC_WD_STATUS",
		0, "stormed\n");
	q->wd_stormed = false;
}

CASES_MAIN(rig_setup, rig_teardown)
