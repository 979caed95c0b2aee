/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "backends/syslog/syslog.h"
#include "base/clock.h"
#include "base/str.h"
#include "tests/captures/covered.h"
#include "tests/support/cases.h"

/* Logs of every vendor that were captured, read line by line as each dialect reads its own. */

/* 21 Nov 2026 18:00:00 UTC */
#define NOW_US (INT64_C(1795284000) * CLOCK_SEC)

static struct obs *read_capture(const char *file, size_t *stamped)
{
	const struct syslog_opts opts = {0};
	struct obs *o = obs_new("device", "log");
	size_t len;
	char *text = capture_read(file, &len);

	o->received_us = NOW_US;
	*stamped = syslog_parse(&opts, text, len, o);
	free(text);
	return o;
}

static void assert_line(const struct obs *o, size_t i, bool alarm, const char *port,
	int64_t epoch_s, const char *text)
{
	const struct obs_item *it = &o->items.at[i];

	assert_true(i < o->items.n);
	assert_int_equal(it->code, alarm ? EV_LOG_ALARM : EV_LOG);
	assert_string_equal(it->port == OBS_NO_PORT ? "" : o->ports.at[it->port].name, port);
	assert_true(it->time_us / CLOCK_SEC == epoch_s);
	assert_non_null(strstr(obs_text(o, it->text), text));
}

CASE(a_host_with_a_flapping_link)
{
	size_t stamped;
	struct obs *o = read_capture("hosts/syslog/azure_1dev_6flap_syslog.log", &stamped);

	/* Six times lost, six times gained; two lines about log files are left out. */
	assert_int_equal(stamped, 14);
	assert_int_equal(o->items.n, 12);
	/* 17 Aug 2026 06:18:01 and :06: the year is the last that has passed. */
	assert_line(o, 0, true, "ib6", 1786947481, "systemd-networkd[5398]: ib6: lost carrier");
	assert_line(o, 5, true, "ib6", 1786947486, "lost carrier");
	assert_line(o, 6, false, "ib6", 1786947486, "Gained carrier");
	obs_free(o);
	o = read_capture("hosts/syslog/azure_0flap_syslog.log", &stamped);
	assert_int_equal(stamped, 2);
	assert_int_equal(o->items.n, 0);
	obs_free(o);
}

CASE(kernels_of_gpu_hosts)
{
	size_t stamped;
	struct obs *o = read_capture("hosts/syslog/gpud_dmesg_nccl_segfault.log", &stamped);

	assert_int_equal(stamped, 2);
	assert_int_equal(o->items.n, 2);
	/* 21 Jan 2025 04:41:44 */
	assert_line(o, 0, true, "", 1737434504, "pt_main_thread[2536443]: segfault at");
	obs_free(o);
	o = read_capture("hosts/syslog/gpud_dmesg_xid119.log", &stamped);
	assert_true(stamped >= 40);
	/* 23 Feb 2025 16:24:18 */
	assert_line(o, 0, true, "", 1740327858, "NVRM: Xid (PCI:0000:9b:00): 119");
	/* And the line by which the driver advises a reset. */
	for (size_t i = 0; i < o->items.n; i++)
		assert_true(strstr(obs_text(o, o->items.at[i].text), "NVRM: Xid") ||
			    strstr(obs_text(o, o->items.at[i].text), "needs to be reset"));
	obs_free(o);
	o = read_capture("hosts/syslog/synthetic/mlx5_flap_journal.log", &stamped);
	assert_int_equal(stamped, 8);
	assert_int_equal(o->items.n, 8);
	/* 20 Nov 2026 12:15:56 */
	assert_line(o, 0, true, "rdma3", 1795176956, "rdma3: Link down");
	assert_line(o, 1, false, "rdma3", 1795176958, "rdma3: Link up");
	assert_line(o, 3, true, "rdma3", 1795177001, "Lost carrier");
	assert_line(o, 6, true, "", 1795177022, "module 3, Cable error, High Temperature");
	assert_line(o, 7, true, "", 1795177040, "temp_warn");
	obs_free(o);
}

CASE(switches_of_other_vendors)
{
	size_t stamped;
	struct obs *o = read_capture("switches/eos/eapi/show_logging_text.txt", &stamped);

	/* A session that was aborted changed nothing; the second line is of the first. */
	assert_int_equal(stamped, 2);
	assert_int_equal(o->items.n, 1);
	/* 13 Mar 2026 04:10:45 */
	assert_line(
		o, 0, false, "", 1773375045, "%SYS-5-SYSTEM_INITIALIZED: System is initialized");
	obs_free(o);
	o = read_capture("switches/nxos/text/show_logging_logfile.txt", &stamped);
	assert_int_equal(stamped, 2);
	assert_int_equal(o->items.n, 0); /* flows through an access list */
	obs_free(o);
}

CASES_MAIN(NULL, NULL)
