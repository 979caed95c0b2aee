/* SPDX-License-Identifier: Apache-2.0 */
/* Public reports about watchdogs and queues, each with its right reading: see switches.md. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "fabric/vocabulary/counters.h"
#include "tests/cases/switches/sonic_rig.h"
#include "tests/support/cases.h"

static struct sonic_rig rig;

static void begin(void)
{
	if (!sonic_rig_open(&rig, "3"))
		skip();
	sonic_rig_port(&rig, -1, "Ethernet0", 1, "3");
	sonic_rig_port(&rig, -1, "Ethernet8", 2, "3");
	sonic_rig_port(&rig, -1, "Ethernet16", 3, "3");
	sonic_rig_learn_all(&rig);
}

static int end(void **state)
{
	(void)state;
	sonic_rig_close(&rig);
	return 0;
}

/* Commands of Redis, formatted; "%s" of the first queue argument is queue 3 of Ethernet0. */
static void set(const char *format, ...)
{
	char text[2048];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	sonic_rig_redis(&rig, -1, text);
}

#define QUEUE(fields, ...)                                                                         \
	set("SELECT 2\nHSET COUNTERS:%s " fields "\n", sonic_rig_queue(1, 3), __VA_ARGS__)
#define PORT(fields, ...)                                                                          \
	set("SELECT 2\nHSET COUNTERS:%s " fields "\n", sonic_rig_oid(1), __VA_ARGS__)

static void storm(bool on)
{
	set("SELECT 0\n%s PFC_WD_TABLE_INSTORM:Ethernet0%s\n", on ? "HSET" : "DEL",
		on ? " 3 storm" : "");
}

static void traffic(unsigned poll, unsigned pfc_per_s)
{
	PORT("SAI_PORT_STAT_IF_IN_OCTETS %u SAI_PORT_STAT_IF_OUT_OCTETS %u "
	     "SAI_PORT_STAT_PFC_3_RX_PKTS %u",
		poll * 1000000, poll * 1000000, poll * 2 * pfc_per_s);
}

static const struct finding *found(const char *id)
{
	if (getenv("VERBOSE"))
		sonic_rig_print(&rig);
	return sonic_rig_found(&rig, id, NULL);
}

static const struct port *port0(void)
{
	return model_port(rig.bed.m, model_device(rig.bed.m, "leaf"), "Ethernet0");
}

/* sonic-buildimage 8483: stormed, operational, stormed, and the drops never end. */
CASE_WITH(a_queue_that_goes_in_and_out, NULL, end)
{
	begin();
	for (unsigned i = 1; i <= 12; i++) {
		bool on = i % 4 < 2;

		traffic(i, 12000);
		QUEUE("PFC_WD_STATUS %s PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED %u "
		      "PFC_WD_QUEUE_STATS_DEADLOCK_RESTORED %u "
		      "PFC_WD_QUEUE_STATS_TX_DROPPED_PACKETS %u",
			on ? "stormed" : "operational", i / 4 + 1, i / 4 + !on, i * 300000);
		storm(on);
		sonic_rig_poll(&rig);
	}
	assert_true(found("pfc.watchdog_fired") || found("pfc.storm"));
	assert_null(found("pfc.watchdog_misfire"));
	assert_string_equal(sonic_rig_found(&rig, "pfc.watchdog_fired", NULL)
				    ? sonic_rig_found(&rig, "pfc.watchdog_fired", NULL)->command
				    : "",
		"");
}

/* sonic-buildimage 19067: storms come and go, and the watchdog counts no drop. */
CASE_WITH(a_watchdog_that_counts_no_drops, NULL, end)
{
	begin();
	for (unsigned i = 1; i <= 4; i++) {
		traffic(i, 12000);
		QUEUE("PFC_WD_STATUS operational PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED %u "
		      "PFC_WD_QUEUE_STATS_DEADLOCK_RESTORED %u",
			2 + i / 2, 2 + i / 2);
		sonic_rig_poll(&rig);
	}
	assert_true(found("pfc.watchdog_fired") || found("pfc.storm"));
}

/* sonic-swss 4581: XON frames count as pauses: it stays in the storm, and frames come in. */
CASE_WITH(a_storm_of_xon_frames, NULL, end)
{
	const struct finding *f;

	begin();
	for (unsigned i = 1; i <= 10; i++) {
		traffic(i, 1000);
		QUEUE("PFC_WD_STATUS stormed PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED %u "
		      "PFC_WD_QUEUE_STATS_TX_DROPPED_PACKETS %u",
			1, i * 1000);
		storm(true);
		sonic_rig_poll(&rig);
	}
	f = found("pfc.watchdog_fired");
	assert_non_null(f);
	/* Frames still come in: not "nothing pauses it", and a reset would last 200 ms. */
	assert_null(strstr(f->title, "is stuck"));
	assert_string_equal(f->command, "");
}

/* sonic-buildimage 13662 and 14061: a VOQ system whose queues have no counters at all. */
CASE_WITH(queues_without_counters, NULL, end)
{
	begin();
	set("SELECT 4\nHSET DEVICE_METADATA|localhost switch_type voq\nSELECT 2\n"
	    "HDEL COUNTERS:%s SAI_QUEUE_STAT_PACKETS SAI_QUEUE_STAT_BYTES "
	    "SAI_QUEUE_STAT_DROPPED_PACKETS\n",
		sonic_rig_queue(1, 3));
	sonic_rig_poll(&rig);
	for (unsigned i = 0; i < 3; i++) {
		static const enum counter_id id[] = {
			CTR_QUEUE_TX_PACKETS, CTR_QUEUE_TX_BYTES, CTR_QUEUE_DROPS};

		assert_int_equal(port_cell_valid(rig.bed.m, port0(), id[i], 3), VALID_UNSUPPORTED);
	}
}

/* sonic-swss 4544: of a VOQ system, WRED drops are at other objects, ECN marks are here. */
CASE_WITH(marks_of_a_voq_system, NULL, end)
{
	begin();
	set("SELECT 4\nHSET DEVICE_METADATA|localhost switch_type voq\nHSET "
	    "FLEX_COUNTER_TABLE|WRED_ECN_QUEUE FLEX_COUNTER_STATUS enable\n");
	QUEUE("SAI_QUEUE_STAT_WRED_ECN_MARKED_PACKETS %u SAI_QUEUE_STAT_WRED_DROPPED_PACKETS 0", 5);
	sonic_rig_poll(&rig);
	assert_int_equal(port_cell_valid(rig.bed.m, port0(), CTR_ECN_MARKED_PACKETS, 3), VALID_OK);
	assert_int_equal(port_cell_valid(rig.bed.m, port0(), CTR_WRED_DROPS, 3), VALID_UNSUPPORTED);
}

/*
 * sonic-utilities 3322, 1827, sonic-mgmt 23049: drops and deletions at the virtual output queues of
 * a card, by the port that they lead to; another card has a port of the same name.
 */
CASE_WITH(drops_and_deletions_at_virtual_output_queues, NULL, end)
{
	static const char names[] =
		"SELECT 4\nHSET DEVICE_METADATA|localhost switch_type voq hostname card1 asic_name "
		"asic0\nSELECT 2\n"
		"HSET COUNTERS_SYSTEM_PORT_NAME_MAP card1|Asic0|Ethernet0 oid:0x5d1 "
		"card2|Asic0|Ethernet0 oid:0x5d2\n"
		"HSET COUNTERS_VOQ_NAME_MAP card1|Asic0|Ethernet0:3 oid:0x15a3 "
		"card1|Asic0|Ethernet0:0 oid:0x15a0 card2|Asic0|Ethernet0:3 oid:0x15b3\n"
		"HSET COUNTERS:oid:0x15b3 SAI_QUEUE_STAT_DROPPED_PACKETS 99\n";
	const struct finding *f;

	begin();
	sonic_rig_redis(&rig, -1, names);
	for (unsigned i = 1; i <= 5; i++) {
		traffic(i, 0);
		set("SELECT 2\nHSET COUNTERS:oid:0x15a3 SAI_QUEUE_STAT_DROPPED_PACKETS %u "
		    "SAI_QUEUE_STAT_CREDIT_WD_DELETED_PACKETS %u\n"
		    "HSET COUNTERS:oid:0x15a0 SAI_QUEUE_STAT_DROPPED_PACKETS 7 "
		    "SAI_QUEUE_STAT_CREDIT_WD_DELETED_PACKETS 0\n",
			i * 1000, i * 500);
		sonic_rig_poll(&rig);
	}
	assert_int_equal(port_cell(port0(), CTR_QUEUE_DROPS, 3)->u64, 5000);
	assert_int_equal(port_cell(port0(), CTR_QUEUE_DROPS, 0)->u64, 7);
	assert_int_equal(port_cell(port0(), CTR_CREDIT_WD_DROPS, 0)->u64, 2500);
	assert_non_null(found("pfc.lossless_drop"));
	f = sonic_rig_found(&rig, "voq.credit", "leaf:Ethernet0");
	assert_non_null(f);
	assert_string_equal(
		f->title, "250 packets/s for Ethernet0 are deleted: it grants no credit");
}

static unsigned told(const struct obs *o, enum event_kind kind, const char *words)
{
	unsigned n = 0;

	for (size_t i = 0; i < o->items.n; i++)
		n += o->items.at[i].kind == OBS_EVENT && o->items.at[i].code == kind &&
		     strstr(obs_text(o, o->items.at[i].text), words);
	return n;
}

#define CARDS                                                                                      \
	"SELECT 4\nHSET DEVICE_METADATA|localhost switch_type voq hostname card1 asic_name "       \
	"asic0\nHSET PORT_QOS_MAP|Ethernet0 pfc_enable 3\nSELECT 2\n"                              \
	"HSET COUNTERS_SYSTEM_PORT_NAME_MAP card1|Asic0|Ethernet0 oid:0x5d1 "                      \
	"card2|Asic0|Ethernet0 oid:0x5d2 card2|Asic1|Ethernet8 oid:0x5d3\n"                        \
	"HSET COUNTERS_VOQ_NAME_MAP card1|Asic0|Ethernet0:3 oid:0x15a3 "                           \
	"card2|Asic0|Ethernet0:3 oid:0x15b3 card2|Asic1|Ethernet8:3 oid:0x15c3\n"

/* sonic-utilities 1827: drops at queues that lead to another card's ports, since the last poll. */
CASE_WITH(losses_towards_ports_of_other_cards, NULL, end)
{
	struct obs *o;

	begin();
	sonic_rig_redis(&rig, -1,
		CARDS "HSET COUNTERS:oid:0x15b3 SAI_QUEUE_STAT_DROPPED_PACKETS 100 "
		      "SAI_QUEUE_STAT_CREDIT_WD_DELETED_PACKETS 0\n"
		      "HSET COUNTERS:oid:0x15a3 SAI_QUEUE_STAT_DROPPED_PACKETS 0\n");
	sonic_rig_learn(&rig, POLL_MEDIUM);
	o = sonic_rig_ask(&rig, POLL_MEDIUM, "optics");
	assert_int_equal(told(o, EV_LOG_ALARM, "other cards"), 0);
	obs_free(o);
	set("SELECT 2\nHSET COUNTERS:oid:0x15b3 SAI_QUEUE_STAT_DROPPED_PACKETS 157\n"
	    "HSET COUNTERS:oid:0x15c3 SAI_QUEUE_STAT_CREDIT_WD_DELETED_PACKETS 4\n"
	    "HSET COUNTERS:oid:0x15a3 SAI_QUEUE_STAT_DROPPED_PACKETS 9\n");
	o = sonic_rig_ask(&rig, POLL_MEDIUM, "optics");
	assert_int_equal(told(o, EV_LOG_ALARM,
				 "57 dropped and 4 deleted by the credit watchdog since they "
				 "were last read, most of all time at card2|Asic0|Ethernet0:3"),
		1);
	obs_free(o);
}

/*
 * More of them than a call reads: a part by chance, each with its losses since it was read. A
 * card that is put in moves the parts, which is no loss.
 */
CASE_WITH(losses_at_more_queues_than_a_call_reads, NULL, end)
{
	const unsigned ports = 900, polls = 40;
	unsigned lost = 0;
	struct buf b;

	begin();
	sonic_rig_redis(&rig, -1, CARDS);
	for (unsigned round = 0; round < 3; round++) {
		buf_init(&b, 4U << 20);
		(void)buf_addf(&b, "SELECT 2\n");
		for (unsigned i = 0; i < ports + (round == 2 ? 100 : 0); i++)
			(void)buf_addf(&b,
				"HSET COUNTERS_SYSTEM_PORT_NAME_MAP card3|Asic0|Ethernet%u 1\n"
				"HSET COUNTERS_VOQ_NAME_MAP card3|Asic0|Ethernet%u:3 "
				"oid:0x16%06x\nHSET COUNTERS:oid:0x16%06x "
				"SAI_QUEUE_STAT_DROPPED_PACKETS %u\n",
				i, i, i, i, round ? 8 : 7);
		sonic_rig_redis(&rig, -1, b.data);
		buf_free(&b);
		for (unsigned i = 0; i < polls; i++) {
			struct obs *o = sonic_rig_ask(&rig, POLL_MEDIUM, "optics");

			/* Once for each part, in the round in which one more was lost at each. */
			lost += told(o, EV_LOG_ALARM, "other cards");
			obs_free(o);
		}
		assert_int_equal(lost > 0, round > 0);
		if (round == 1)
			assert_in_range(lost, 1, 2);
	}
	assert_in_range(lost, 1, 2);
}

/* sonic-buildimage 13662: such queues without counters: unknown, which is said once. */
CASE_WITH(queues_to_other_cards_without_counters, NULL, end)
{
	struct obs *o;

	begin();
	sonic_rig_redis(&rig, -1, CARDS);
	o = sonic_rig_ask(&rig, POLL_MEDIUM, "optics");
	assert_int_equal(told(o, EV_LOG, "losses there are not seen"), 1);
	obs_free(o);
	sonic_rig_learn(&rig, POLL_MEDIUM);
	o = sonic_rig_ask(&rig, POLL_MEDIUM, "optics");
	assert_int_equal(told(o, EV_LOG, "losses there are not seen"), 0);
	obs_free(o);
}

/* Nothing is lossless there: no queue is read, and none is missed. */
CASE_WITH(queues_to_other_cards_of_a_card_without_pfc, NULL, end)
{
	struct obs *o;

	begin();
	sonic_rig_redis(&rig, -1,
		CARDS "SELECT 4\nDEL PORT_QOS_MAP|Ethernet0 PORT_QOS_MAP|Ethernet8 "
		      "PORT_QOS_MAP|Ethernet16\n");
	o = sonic_rig_ask(&rig, POLL_MEDIUM, "optics");
	assert_int_equal(told(o, EV_LOG, "losses there are not seen"), 0);
	obs_free(o);
}

/*
 * sonic-swss 1567, 3861, sonic-utilities 1321: the headroom of one pool is counted, another pool
 * has no counters.
 */
CASE_WITH(peaks_of_buffer_pools, NULL, end)
{
	begin();
	set("SELECT 2\nHSET COUNTERS_BUFFER_POOL_NAME_MAP ingress_lossless_pool oid:0x18a1 "
	    "egress_lossy_pool oid:0x18a2\nHSET USER_WATERMARKS:oid:0x18a1 "
	    "SAI_BUFFER_POOL_STAT_WATERMARK_BYTES %u "
	    "SAI_BUFFER_POOL_STAT_XOFF_ROOM_WATERMARK_BYTES 863616\n"
	    "HSET USER_WATERMARKS:oid:0x18a2 SAI_BUFFER_POOL_STAT_WATERMARK_BYTES N/A\n"
	    "SELECT 0\nHSET BUFFER_POOL_TABLE:ingress_lossless_pool size 25165824 xoff 5242880 "
	    "mode dynamic type ingress\nHSET BUFFER_POOL_TABLE:egress_lossy_pool size 12000000\n",
		24117248);
	sonic_rig_learn(&rig, POLL_MEDIUM);
	assert_non_null(strstr(model_device(rig.bed.m, "leaf")->pools,
		"ingress_lossless_pool 95.8% of 25.2 MB, headroom 16.5% of 5.24 MB"));
	assert_non_null(strstr(
		model_device(rig.bed.m, "leaf")->pools, "egress_lossy_pool unknown of 12 MB"));
}

static void learn_pools(unsigned lossless, unsigned lossy)
{
	set("SELECT 2\nHSET COUNTERS_BUFFER_POOL_NAME_MAP ingress_lossless_pool oid:0x18a1 "
	    "egress_lossy_pool oid:0x18a2\nHSET USER_WATERMARKS:oid:0x18a1 "
	    "SAI_BUFFER_POOL_STAT_WATERMARK_BYTES %u\nHSET USER_WATERMARKS:oid:0x18a2 "
	    "SAI_BUFFER_POOL_STAT_WATERMARK_BYTES %u\n"
	    "SELECT 0\nHSET BUFFER_POOL_TABLE:ingress_lossless_pool size 25000000\n"
	    "HSET BUFFER_POOL_TABLE:egress_lossy_pool size 10000000\n",
		lossless, lossy);
	sonic_rig_learn(&rig, POLL_MEDIUM);
}

static void drop(unsigned polls, unsigned a_poll)
{
	static unsigned dropped, seen;

	for (unsigned i = 0; i < polls; i++) {
		dropped += a_poll;
		QUEUE("SAI_QUEUE_STAT_DROPPED_PACKETS %u", dropped);
		traffic(++seen, 0);
		sonic_rig_poll(&rig);
	}
}

/* A pool at its limit is a finding while the switch drops: not before, and not a lossy one. */
CASE_WITH(a_full_pool_while_packets_drop, NULL, end)
{
	const struct finding *f;

	begin();
	learn_pools(24500000, 10000000);
	drop(4, 0);
	assert_null(found("pool.full"));
	drop(8, 1000);
	f = found("pool.full");
	assert_non_null(f);
	/* The peak may be of another day, and a full pool pauses before it drops. */
	assert_int_equal(f->role, ROLE_RISK);
	assert_true(found("pfc.lossless_drop")->root != f->key);
	assert_string_equal(f->title,
		"ingress_lossless_pool has been 98% full: 1 port with lossless drops now");
}

/* Headroom without space is what drops lossless packets: nothing else explains them. */
CASE_WITH(a_full_headroom_while_packets_drop, NULL, end)
{
	const struct finding *f;

	begin();
	learn_pools(12000000, 10000000);
	set("SELECT 2\nHSET USER_WATERMARKS:oid:0x18a1 "
	    "SAI_BUFFER_POOL_STAT_XOFF_ROOM_WATERMARK_BYTES 4900000\n"
	    "SELECT 0\nHSET BUFFER_POOL_TABLE:ingress_lossless_pool xoff 5000000\n");
	sonic_rig_learn(&rig, POLL_MEDIUM);
	drop(12, 1000);
	f = found("pool.full");
	assert_non_null(f);
	assert_int_equal(f->role, ROLE_CULPRIT);
	assert_true(found("pfc.lossless_drop")->root == f->key);
	assert_string_equal(f->title, "the headroom of ingress_lossless_pool has been 98% full: 1 "
				      "port with lossless drops now");
}

/* Pauses alone are no harm of a pool: it is named, and is not the cause. */
CASE_WITH(a_full_pool_while_a_port_pauses, NULL, end)
{
	begin();
	learn_pools(24500000, 10000000);
	for (unsigned i = 1; i < 12; i++) {
		traffic(i, 0);
		PORT("SAI_PORT_STAT_PFC_3_TX_PKTS %u", i * 200000);
		sonic_rig_poll(&rig);
	}
	assert_non_null(found("pool.full"));
	assert_int_equal(found("pool.full")->role, ROLE_RISK);
}

CASE_WITH(a_full_lossy_pool_is_meant_to_be_full, NULL, end)
{
	begin();
	learn_pools(2500000, 10000000);
	drop(12, 1000);
	assert_non_null(found("pfc.lossless_drop"));
	assert_null(found("pool.full"));
}

/*
 * Handed over, 08: a breakout on a live switch. Ethernet8 becomes four ports, and Ethernet16, which
 * has a planned cable, leaves the databases.
 */
CASE_WITH(a_planned_port_leaves_a_live_switch, NULL, end)
{
	const struct port *p;

	begin();
	for (unsigned i = 1; i <= 4; i++) {
		set("SELECT 2\nHSET COUNTERS:%s SAI_PORT_STAT_IF_IN_OCTETS %u\n", sonic_rig_oid(3),
			i * 1000000);
		sonic_rig_poll(&rig);
	}
	p = model_port(rig.bed.m, model_device(rig.bed.m, "leaf"), "Ethernet16");
	assert_int_equal(p->oper, OPER_UP);
	assert_true(port_rate(p, CTR_RX_BYTES, 0) > 0);
	set("SELECT 2\nHDEL COUNTERS_PORT_NAME_MAP Ethernet16\nDEL COUNTERS:%s\nSELECT 0\n"
	    "DEL PORT_TABLE:Ethernet16\nSELECT 4\nDEL PORT|Ethernet16\nSELECT 6\n"
	    "DEL PORT_TABLE|Ethernet16\n",
		sonic_rig_oid(3));
	sonic_rig_port(&rig, -1, "Ethernet10", 4, "3");
	sonic_rig_port(&rig, -1, "Ethernet12", 5, "3");
	sonic_rig_port(&rig, -1, "Ethernet14", 6, "3");
	sonic_rig_poll(&rig);
	sonic_rig_poll(&rig);
	assert_int_equal(p->more->listed, PORT_GONE);
	assert_true(p->oper != OPER_UP);
	assert_false(port_rate(p, CTR_RX_BYTES, 0) > 0);
	assert_non_null(sonic_rig_found(&rig, "link.gone", "leaf:Ethernet16"));
	assert_non_null(model_port(rig.bed.m, model_device(rig.bed.m, "leaf"), "Ethernet14"));
}

/* sonic-buildimage 5898: the queue is restored, and its packets are dropped still. */
CASE_WITH(drops_after_the_storm, NULL, end)
{
	begin();
	for (unsigned i = 1; i <= 6; i++) {
		traffic(i, 0);
		QUEUE("PFC_WD_STATUS operational PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED 1 "
		      "PFC_WD_QUEUE_STATS_DEADLOCK_RESTORED 1 SAI_QUEUE_STAT_DROPPED_PACKETS %u",
			i * 2000);
		sonic_rig_poll(&rig);
	}
	assert_non_null(found("pfc.lossless_drop"));
}

/* sonic-utilities 682: the watchdog was stopped, its counts stay. */
CASE_WITH(a_watchdog_that_was_stopped, NULL, end)
{
	begin();
	set("SELECT 2\nHDEL COUNTERS:%s PFC_WD_STATUS PFC_WD_ACTION\n", sonic_rig_queue(1, 3));
	QUEUE("PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED %u PFC_WD_QUEUE_STATS_DEADLOCK_RESTORED 5", 5);
	for (unsigned i = 1; i <= 4; i++) {
		traffic(i, 0);
		sonic_rig_poll(&rig);
	}
	assert_int_equal(port0()->wd[3].state, WD_OFF);
	assert_null(found("pfc.watchdog_fired"));
	assert_non_null(found("pfc.watchdog_missing"));
}

/* sonic-buildimage 8181: stormed with action drop, and packets still pass. */
CASE_WITH(packets_pass_a_stormed_queue, NULL, end)
{
	begin();
	for (unsigned i = 1; i <= 4; i++) {
		traffic(i, 12000);
		QUEUE("PFC_WD_STATUS stormed PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED 1 "
		      "SAI_QUEUE_STAT_PACKETS %u SAI_QUEUE_STAT_BYTES %u",
			i * 50000, i * 50000000);
		storm(true);
		sonic_rig_poll(&rig);
	}
	assert_non_null(found("pfc.watchdog_fired"));
}

/* sonic-swss 4412: the chip refused the settings; nothing guards the port. */
CASE_WITH(a_watchdog_that_the_chip_refused, NULL, end)
{
	begin();
	set("SELECT 2\nHDEL COUNTERS:%s PFC_WD_STATUS PFC_WD_ACTION\nSELECT 6\n"
	    "HSET PFC_WD_HW_STATE|Ethernet0 recovery_type hardware status failed\n",
		sonic_rig_queue(1, 3));
	for (unsigned i = 1; i <= 4; i++)
		sonic_rig_poll(&rig);
	assert_int_equal(port0()->wd[3].state, WD_OFF);
	assert_non_null(found("pfc.watchdog_missing"));
}

/* sonic-buildimage 17434: a VOQ system counts the packets that it drops as forwarded. */
CASE_WITH(a_watchdog_of_a_voq_system, NULL, end)
{
	begin();
	set("SELECT 4\nHSET DEVICE_METADATA|localhost switch_type voq\n");
	for (unsigned i = 1; i <= 4; i++) {
		traffic(i, 12000);
		QUEUE("PFC_WD_STATUS stormed PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED 1 "
		      "PFC_WD_QUEUE_STATS_TX_PACKETS %u PFC_WD_QUEUE_STATS_TX_DROPPED_PACKETS 0",
			i * 5000);
		storm(true);
		sonic_rig_poll(&rig);
	}
	assert_non_null(found("pfc.watchdog_fired"));
}

/* sonic-mgmt 27589: choppy pauses: the watchdog sees each gap and stays quiet. */
CASE_WITH(choppy_pauses_without_the_watchdog, NULL, end)
{
	begin();
	for (unsigned i = 1; i <= 6; i++) {
		traffic(i, 12000);
		PORT("SAI_PORT_STAT_PFC_3_ON2OFF_RX_PKTS %u "
		     "SAI_PORT_STAT_PFC_3_RX_PAUSE_DURATION_US "
		     "%u",
			i * 400, i * 1990000);
		sonic_rig_poll(&rig);
	}
	assert_true(found("pfc.storm") || found("host.slow_receiver"));
	assert_null(found("pfc.watchdog_fired"));
}

CASES_MAIN(NULL, NULL)
