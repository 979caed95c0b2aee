/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cost of railtop's requests on a SONiC switch: the time in which its Redis answers nobody
 * else. A real Redis has the tables of 512 ports, and counts its CPU. The figures are
 * printed, and stand in docs/guide/scale.md.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/str.h"
#include "tests/cases/switches/sonic_rig.h"
#include "tests/support/cases.h"

#define PORTS    512
#define CARDS    32
#define OF_CARD  36
#define LIMIT_MS 20

static struct sonic_rig rig;

static int end(void **state)
{
	(void)state;
	sonic_rig_close(&rig);
	return 0;
}

/* What a recent release has besides sonic_rig_port(): FEC, rates, marks, groups, module, maps. */
static void add_rows(struct buf *b, const char *name, unsigned n)
{
	const char *oid = sonic_rig_oid(n);

	(void)buf_addf(b, "SELECT 2\nHSET COUNTERS:%s", oid);
	for (unsigned i = 0; i < 16; i++)
		(void)buf_addf(
			b, " SAI_PORT_STAT_IF_IN_FEC_CODEWORD_ERRORS_S%u %u", i, n * 1000 + i);
	for (unsigned i = 0; i < 60; i++)
		(void)buf_addf(b, " SAI_PORT_STAT_OTHER_%u %u", i, n * 100000 + i);
	(void)buf_addf(
		b, "\nHSET RATES:%s FEC_PRE_BER 1e-8 FEC_POST_BER 0 RX_BPS 1 TX_BPS 2\n", oid);
	for (unsigned q = 0; q < 8; q++) {
		(void)buf_addf(b,
			"HSET COUNTERS_PG_NAME_MAP %s:%u oid:0x1a%06x%06x\n"
			"HSET USER_WATERMARKS:oid:0x1a%06x%06x "
			"SAI_INGRESS_PRIORITY_GROUP_STAT_SHARED_WATERMARK_BYTES 1 "
			"SAI_INGRESS_PRIORITY_GROUP_STAT_XOFF_ROOM_WATERMARK_BYTES 2\n",
			name, q, n, q, n, q);
		(void)buf_addf(b,
			"HSET USER_WATERMARKS:%s SAI_QUEUE_STAT_SHARED_WATERMARK_BYTES 3\n",
			sonic_rig_queue(n, q));
	}
	(void)buf_addf(
		b, "SELECT 6\nHSET TRANSCEIVER_DOM_SENSOR|%s temperature 45.1 voltage 3.3", name);
	for (unsigned i = 1; i <= 8; i++)
		(void)buf_addf(b, " rx%upower -1.5 tx%upower -1.1 tx%ubias 7.5", i, i, i);
	(void)buf_addf(b,
		"\nHSET TRANSCEIVER_INFO|%s type OSFP serial S%u manufacturer M model P\n"
		"SELECT 0\nHSET LLDP_ENTRY_TABLE:%s lldp_rem_sys_name node%u lldp_rem_port_id "
		"eth0\n"
		"SELECT 4\n",
		name, n, name, n);
	for (unsigned q = 0; q < 8; q++)
		(void)buf_addf(b,
			"HSET QUEUE|%s|%u scheduler s%u wred_profile AZURE_LOSSLESS\n"
			"HSET BUFFER_QUEUE|%s|%u profile egress_lossless_profile\n",
			name, q, q, name, q);
	(void)buf_addf(b, "HSET BUFFER_PG|%s|3-4 profile pg_lossless_400000_40m_profile\n", name);
}

static void load_ports(unsigned ports)
{
	static const char shared[] = "SELECT 4\nHSET WRED_PROFILE|AZURE_LOSSLESS ecn ecn_all "
				     "green_min_threshold 1048576 "
				     "green_max_threshold 2097152 green_drop_probability 5\n"
				     "HSET BUFFER_PROFILE|pg_lossless_400000_40m_profile xon 19456 "
				     "xoff 40000 size 19456\n";
	char name[32];
	struct buf b;

	buf_init(&b, 64U << 20);
	for (unsigned n = 1; n <= ports; n++) {
		(void)str_printf(name, sizeof(name), "Ethernet%u", (n - 1) * 8);
		sonic_rig_port(&rig, -1, name, n, "3,4");
		add_rows(&b, name, n);
	}
	sonic_rig_redis(&rig, -1, shared);
	sonic_rig_redis(&rig, -1, b.data);
	buf_free(&b);
}

/* CPU of Redis so far, ms. Wall time would be that of everything else on this machine as well. */
static double cpu_ms(void)
{
	char *text = sonic_redis_cli(&rig.redis, -1, "info cpu");
	double system = 0, user = 0;
	const char *s = text ? strstr(text, "used_cpu_sys:") : NULL;
	const char *u = text ? strstr(text, "used_cpu_user:") : NULL;

	if (!s || !u || sscanf(s, "used_cpu_sys:%lf", &system) != 1 ||
		sscanf(u, "used_cpu_user:%lf", &user) != 1)
		fail_msg("no statistics: %.200s", text ? text : "");
	free(text);
	return (system + user) * 1000;
}

static void measure(enum poll_tier tier, const char *request, unsigned ports)
{
	double before, ms;
	struct obs *o;

	/* The first one sends the script. */
	obs_free(sonic_rig_ask(&rig, tier, request));
	before = cpu_ms();
	o = sonic_rig_ask(&rig, tier, request);
	ms = (cpu_ms() - before) / rig.calls;
	print_message("# figure sonic %s: %zu ports in %u calls, %.1f ms of Redis each, %.0f ms in "
		      "all, %zu bytes\n",
		request, o->ports.n, rig.calls, ms, ms * rig.calls, rig.bytes);
	assert_int_equal(o->ports.n, ports);
	assert_true(ms < LIMIT_MS);
	obs_free(o);
}

CASE_WITH(no_call_holds_redis_for_long, NULL, end)
{
	if (!sonic_rig_open(&rig, "3,4"))
		skip();
	load_ports(PORTS);
	sonic_rig_learn(&rig, POLL_DETECT);
	measure(POLL_FAST, "fast", PORTS);
	measure(POLL_MEDIUM, "optics", PORTS);
	measure(POLL_SLOW, "config", PORTS);
	measure(POLL_SLOW, "modules", PORTS);
}

/* A chassis of so many cards: each of them has virtual output queues to all ports of all. */
static void load_chassis(void)
{
	struct buf b;

	buf_init(&b, 64U << 20);
	(void)buf_addf(&b,
		"SELECT 4\nHSET DEVICE_METADATA|localhost switch_type voq hostname card1 "
		"asic_name asic0\nSELECT 2\n");
	for (unsigned n = 0; n < CARDS * OF_CARD; n++) {
		unsigned card = n / OF_CARD + 1, port = n % OF_CARD * 8;

		(void)buf_addf(&b,
			"HSET COUNTERS_SYSTEM_PORT_NAME_MAP card%u|Asic0|Ethernet%u oid:0x5d%06x\n",
			card, port, n);
		for (unsigned q = 0; q < 8; q++)
			(void)buf_addf(&b,
				"HSET COUNTERS_VOQ_NAME_MAP card%u|Asic0|Ethernet%u:%u "
				"oid:0x16%06x%u\n"
				"HSET COUNTERS:oid:0x16%06x%u SAI_QUEUE_STAT_PACKETS 123456789 "
				"SAI_QUEUE_STAT_DROPPED_PACKETS 5 "
				"SAI_QUEUE_STAT_CREDIT_WD_DELETED_PACKETS 0\n",
				card, port, q, n, q, n, q);
	}
	sonic_rig_redis(&rig, -1, b.data);
	buf_free(&b);
}

CASE_WITH(no_call_holds_redis_of_a_card_for_long, NULL, end)
{
	if (!sonic_rig_open(&rig, "3,4"))
		skip();
	load_ports(OF_CARD);
	load_chassis();
	sonic_rig_learn(&rig, POLL_DETECT);
	measure(POLL_FAST, "fast", OF_CARD);
	measure(POLL_MEDIUM, "optics", OF_CARD);
}

CASES_MAIN(NULL, NULL)
