/* SPDX-License-Identifier: Apache-2.0 */
/* Watchdogs and queues that were read wrongly once, each with its right reading: switches.md. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "diagnosis/engine/verdict.h"
#include "fabric/vocabulary/counters.h"
#include "tests/cases/switches/sonic_rig.h"
#include "tests/support/cases.h"

static struct sonic_rig rig;

static int open_rig(const char *lossless)
{
	if (!sonic_rig_open(&rig, lossless)) {
		print_message("# no redis-server here\n");
		return 1;
	}
	sonic_rig_port(&rig, -1, "Ethernet0", 1, lossless);
	sonic_rig_port(&rig, -1, "Ethernet8", 2, lossless);
	sonic_rig_port(&rig, -1, "Ethernet16", 3, lossless);
	return 0;
}

static void begin(const char *lossless)
{
	if (open_rig(lossless))
		skip();
	sonic_rig_learn_all(&rig);
}

static int end(void **state)
{
	(void)state;
	sonic_rig_close(&rig);
	return 0;
}

/* Bytes on all three ports, in and out. */
static void add_traffic(char *text, size_t size, double dt)
{
	size_t n = strlen(text);

	for (unsigned i = 1; i <= 3; i++) {
		(void)str_printf(text + n, size - n,
			"HSET COUNTERS:%s SAI_PORT_STAT_IF_IN_OCTETS %.0f "
			"SAI_PORT_STAT_IF_OUT_OCTETS %.0f\n",
			sonic_rig_oid(i), 1e9 * dt, 1e9 * dt);
		n = strlen(text);
	}
}

/*
 * sonic-buildimage 29203: the NIC never stops pausing. The watchdog drops, restores and detects
 * again each 624 ms. The chip counts PFC frames only while the watchdog does not act.
 */
static void storm_without_end(double dt)
{
	char text[4096] = "SELECT 2\n";
	int cycle = (int)(dt / 0.624);
	bool acts = dt - cycle * 0.624 < 0.424;
	size_t n;

	add_traffic(text, sizeof(text), dt);
	n = strlen(text);
	for (unsigned p = 3; p <= 4; p++) {
		(void)str_printf(text + n, sizeof(text) - n,
			"HSET COUNTERS:%s SAI_PORT_STAT_PFC_%u_RX_PKTS %.0f\n", sonic_rig_oid(1), p,
			3900 * dt);
		n = strlen(text);
		(void)str_printf(text + n, sizeof(text) - n,
			"HSET COUNTERS:%s PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED %d "
			"PFC_WD_QUEUE_STATS_DEADLOCK_RESTORED %d PFC_WD_STATUS %s "
			"PFC_WD_QUEUE_STATS_TX_DROPPED_PACKETS %.0f\n",
			sonic_rig_queue(1, p), cycle + 1, cycle + !acts,
			acts ? "stormed" : "operational", 20000 * dt);
		n = strlen(text);
	}
	(void)str_printf(text + n, sizeof(text) - n,
		"SELECT 0\n%s PFC_WD_TABLE_INSTORM:Ethernet0%s\n", acts ? "HSET" : "DEL",
		acts ? " 3 storm 4 storm" : "");
	sonic_rig_redis(&rig, -1, text);
}

CASE_WITH(a_watchdog_that_flaps_in_an_endless_storm, NULL, end)
{
	const struct finding *f;

	begin("3,4");
	for (unsigned i = 1; i <= 14; i++) {
		storm_without_end(i * SONIC_RIG_INTERVAL_S);
		sonic_rig_poll(&rig);
		if (i < 4)
			continue;
		f = sonic_rig_found(&rig, "pfc.storm", NULL);
		if (getenv("VERBOSE"))
			sonic_rig_print(&rig);
		if (!f)
			sonic_rig_print(&rig);
		assert_non_null(f);
		assert_null(sonic_rig_found(&rig, "pfc.watchdog_misfire", NULL));
	}
}

/* ---- a watchdog that holds a queue of another class ---- */

static const struct proof *proof_of(const char *text)
{
	const struct verdict_report *v = diag_verdict(rig.bed.d);

	for (size_t i = 0; i < v->proof.n; i++)
		if (strstr(v->proof.at[i].text, text))
			return &v->proof.at[i];
	fail_msg("the verdict has no line \"%s\"", text);
	return NULL;
}

/* sonic-swss 842: it drops all of priority 0, which the plan does not call lossless. */
CASE_WITH(a_watchdog_that_holds_a_lossy_queue, NULL, end)
{
	const struct finding *f;
	char text[512];

	begin("3");
	(void)str_printf(text, sizeof(text),
		"SELECT 0\nHSET PFC_WD_TABLE_INSTORM:Ethernet8 0 storm\nSELECT 2\n"
		"HSET COUNTERS:%s PFC_WD_STATUS stormed PFC_WD_ACTION drop "
		"PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED 1 PFC_WD_QUEUE_STATS_DEADLOCK_RESTORED 0 "
		"PFC_WD_QUEUE_STATS_TX_DROPPED_PACKETS 0\n",
		sonic_rig_queue(2, 0));
	sonic_rig_redis(&rig, -1, text);
	for (unsigned i = 1; i <= 5; i++) {
		(void)str_copy(text, sizeof(text), "SELECT 2\n");
		add_traffic(text, sizeof(text), i * SONIC_RIG_INTERVAL_S);
		sonic_rig_redis(&rig, -1, text);
		(void)str_printf(text, sizeof(text),
			"SELECT 2\nHSET COUNTERS:%s PFC_WD_QUEUE_STATS_TX_DROPPED_PACKETS %u\n",
			sonic_rig_queue(2, 0), i * SONIC_RIG_INTERVAL_S * 50000);
		sonic_rig_redis(&rig, -1, text);
		sonic_rig_poll(&rig);
	}
	f = sonic_rig_found(&rig, "pfc.watchdog_fired", "leaf:Ethernet8:0");
	if (!f)
		sonic_rig_print(&rig);
	assert_non_null(f);
	assert_non_null(strstr(f->title, "does not call lossless"));
	assert_string_equal(f->command, "");
	assert_non_null(strstr(proof_of("watchdog acts")->text, "acts: 1 of 3"));
}

/* ---- no reset where it would not help ---- */

static void hold_queue_3(const char *more)
{
	char text[600];

	(void)str_printf(text, sizeof(text),
		"SELECT 0\nHSET PFC_WD_TABLE_INSTORM:Ethernet8 3 storm\nSELECT 2\n"
		"HSET COUNTERS:%s PFC_WD_STATUS stormed PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED 1\n%s",
		sonic_rig_queue(2, 3), more);
	sonic_rig_redis(&rig, -1, text);
	for (unsigned i = 1; i <= 8; i++) {
		(void)str_copy(text, sizeof(text), "SELECT 2\n");
		add_traffic(text, sizeof(text), i * SONIC_RIG_INTERVAL_S);
		sonic_rig_redis(&rig, -1, text);
		sonic_rig_poll(&rig);
	}
}

CASE_WITH(a_reset_is_advised_where_the_queue_is_stuck, NULL, end)
{
	const struct finding *f;

	begin("3");
	hold_queue_3("");
	f = sonic_rig_found(&rig, "pfc.watchdog_fired", "leaf:Ethernet8:3");
	assert_non_null(f);
	assert_non_null(strstr(f->title, "is stuck"));
	assert_string_equal(f->command, "railtop act pfcwd-reset leaf:Ethernet8");
}

/* PFC was removed from the port while the queue was held: a watchdog would not start again. */
CASE_WITH(no_reset_is_advised_for_a_leftover, NULL, end)
{
	const struct finding *f;

	begin("3");
	sonic_rig_redis(&rig, -1, "SELECT 4\nHSET PORT_QOS_MAP|Ethernet8 pfc_enable 4\n");
	sonic_rig_learn(&rig, POLL_SLOW);
	hold_queue_3("");
	f = sonic_rig_found(&rig, "pfc.watchdog_fired", "leaf:Ethernet8:3");
	assert_non_null(f);
	assert_non_null(strstr(f->title, "is stuck"));
	assert_string_equal(f->command, "");
}

/* sonic-swss 4412: the watchdog of the chip has its state in STATE_DB, not at the queues. */
CASE_WITH(a_watchdog_in_the_chip, NULL, end)
{
	char text[512];
	const struct port *p;

	begin("3");
	(void)str_printf(text, sizeof(text),
		"SELECT 2\nHDEL COUNTERS:%s PFC_WD_STATUS PFC_WD_ACTION PFC_WD_DETECTION_TIME "
		"PFC_WD_RESTORATION_TIME\nSELECT 6\nHSET PFC_WD_HW_STATE|Ethernet8 recovery_type "
		"hardware status configured hw_detection_time 300 hw_restoration_time 500 action "
		"drop\n",
		sonic_rig_queue(2, 3));
	sonic_rig_redis(&rig, -1, text);
	sonic_rig_poll(&rig);
	p = model_port(rig.bed.m, model_device(rig.bed.m, "leaf"), "Ethernet8");
	assert_int_equal(p->wd[3].state, WD_OPERATIONAL);
	assert_string_equal(p->wd[3].action, "hw drop");
	assert_int_equal(p->wd[3].detect_ms, 300);
	assert_int_equal(p->wd[3].restore_ms, 500);
	assert_null(sonic_rig_found(&rig, "pfc.watchdog_missing", NULL));
	/* The switch refuses to restart it in a storm. */
	(void)str_printf(text, sizeof(text), "SELECT 2\nHSET COUNTERS:%s PFC_WD_ACTION drop\n",
		sonic_rig_queue(2, 3));
	hold_queue_3(text);
	assert_non_null(sonic_rig_found(&rig, "pfc.watchdog_fired", "leaf:Ethernet8:3"));
	assert_string_equal(
		sonic_rig_found(&rig, "pfc.watchdog_fired", "leaf:Ethernet8:3")->command, "");
}

/* ---- several ASICs, chassis ---- */

CASE_WITH(a_storm_on_an_internal_port, NULL, end)
{
	char text[512];

	if (!sonic_rig_open(&rig, "3"))
		skip();
	sonic_redis_start_asic(&rig.redis, 0);
	sonic_redis_start_asic(&rig.redis, 1);
	sonic_redis_file(&rig.redis, "asic.conf", "NUM_ASIC=2\n", 0644);
	sonic_redis_grant(&rig.redis, "sonic-db-cli");
	sonic_rig_port(&rig, 0, "Ethernet0", 1, "3");
	sonic_rig_port(&rig, 0, "Ethernet-BP0", 2, "3");
	sonic_rig_port(&rig, 0, "Ethernet-Rec0", 3, "");
	sonic_rig_port(&rig, 1, "Ethernet8", 4, "3");
	sonic_rig_port(&rig, 1, "Ethernet-BP16", 5, "3");
	sonic_rig_learn(&rig, POLL_DETECT);
	sonic_rig_learn(&rig, POLL_SLOW);
	(void)str_printf(text, sizeof(text),
		"SELECT 2\nHSET COUNTERS:%s PFC_WD_STATUS stormed SAI_QUEUE_STAT_DROPPED_PACKETS "
		"999\n",
		sonic_rig_queue(5, 3));
	sonic_rig_redis(&rig, 1, text);
	for (unsigned i = 0; i < 3; i++)
		sonic_rig_poll(&rig);
	assert_non_null(sonic_rig_found(&rig, "pfc.watchdog_fired", "leaf:Ethernet-BP16:3"));
	assert_null(sonic_rig_found(&rig, "pfc.watchdog_fired", "leaf:Ethernet-BP0:3"));
	assert_null(model_port(rig.bed.m, model_device(rig.bed.m, "leaf"), "Ethernet-Rec0"));
	assert_null(sonic_rig_found(&rig, "wiring.unproven", NULL));
}

/* Rows of adaptive routing and switching, and the version of the tables. */
CASE_WITH(how_packets_are_spread_and_the_schema, NULL, end)
{
	const struct device *d;

	begin("3");
	d = model_device(rig.bed.m, "leaf");
	assert_string_equal(d->balancing, "hash");
	assert_string_equal(d->schema, "");
	sonic_rig_redis(&rig, -1,
		"SELECT 4\nHSET ARS_OBJECT|ars1 assign_mode per_flowlet_quality flowlet_idle_time "
		"256\nHSET VERSIONS|DATABASE VERSION version_202505_01\n");
	sonic_rig_learn(&rig, POLL_SLOW);
	assert_string_equal(d->balancing, "adaptive flowlet");
	assert_string_equal(d->schema, "version_202505_01");
	sonic_rig_redis(
		&rig, -1, "SELECT 4\nHSET ARS_OBJECT|ars1 assign_mode per_packet_quality\n");
	sonic_rig_learn(&rig, POLL_SLOW);
	assert_string_equal(d->balancing, "adaptive spray");
}

static const struct capability *known_fields(void)
{
	const struct device *d = model_device(rig.bed.m, "leaf");

	for (size_t i = 0; i < d->caps.n; i++)
		if (str_eq(d->caps.at[i].need, "known fields"))
			return &d->caps.at[i];
	fail_msg("nothing is known of its fields");
	return NULL;
}

/* A release that renames a counter: its name is shown on the first day. */
CASE_WITH(a_renamed_counter_is_named, NULL, end)
{
	char text[600] = "SELECT 2\n";
	size_t n = strlen(text);

	begin("3");
	sonic_rig_poll(&rig);
	assert_int_equal(known_fields()->valid, VALID_OK);
	for (unsigned i = 1; i <= 3; i++) {
		(void)str_printf(text + n, sizeof(text) - n,
			"HDEL COUNTERS:%s SAI_PORT_STAT_IF_IN_DISCARDS\nHSET COUNTERS:%s "
			"SAI_PORT_STAT_IN_DISCARDS 0\n",
			sonic_rig_oid(i), sonic_rig_oid(i));
		n = strlen(text);
	}
	sonic_rig_redis(&rig, -1, text);
	sonic_rig_poll(&rig);
	assert_int_equal(known_fields()->valid, VALID_UNSUPPORTED);
	assert_non_null(strstr(known_fields()->cure, "SAI_PORT_STAT_IF_IN_DISCARDS"));
	assert_non_null(strstr(known_fields()->cure, "renamed in this release?"));
}

/* On a chassis with virtual output queues the egress queues' drops are no evidence. */
CASE_WITH(drops_of_a_voq_chassis_are_unsupported, NULL, end)
{
	const struct port *p;

	begin("3");
	sonic_rig_redis(&rig, -1, "SELECT 4\nHSET DEVICE_METADATA|localhost switch_type voq\n");
	sonic_rig_poll(&rig);
	p = model_port(rig.bed.m, model_device(rig.bed.m, "leaf"), "Ethernet8");
	assert_int_equal(port_cell_valid(rig.bed.m, p, CTR_QUEUE_DROPS, 3), VALID_UNSUPPORTED);
	assert_int_equal(port_cell_valid(rig.bed.m, p, CTR_QUEUE_TX_BYTES, 3), VALID_OK);
}

CASES_MAIN(NULL, NULL)
