/* SPDX-License-Identifier: Apache-2.0 */
/* Watchdogs and queues that were read wrongly once, each with its right reading: switches.md. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "tests/cases/sonic_rig.h"
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
	sonic_rig_learn(&rig, POLL_DETECT);
	sonic_rig_learn(&rig, POLL_SLOW);
	sonic_rig_learn(&rig, POLL_MEDIUM);
}

static int end(void **state)
{
	(void)state;
	if (rig.redis.pid)
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
	(void)str_printf(text + n, sizeof(text) - n, "SELECT 0\n%s PFC_WD_TABLE_INSTORM:Ethernet0%s\n",
		acts ? "HSET" : "DEL", acts ? " 3 storm 4 storm" : "");
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

CASES_MAIN(NULL, NULL)
