/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines of switches' logs from public reports, by dialect. The reading of each was written down
 * before the first run: see switches.md. Names and numbers are invented.
 */
#include <string.h>

#include "base/str.h"
#include "tests/support/cases.h"
#include "tests/support/decode_text.h"
#include "tests/support/obs_find.h"

struct line {
	const char *dialect, *text;
	enum event_kind kind; /* EVENT_COUNT: nothing is told */
	const char *port;     /* NULL: none */
};

static void describe(const struct obs *o, char *dst, size_t size)
{
	size_t n = 0;

	str_copy(dst, size, "nothing");
	for (size_t i = 0; i < o->items.n && n < size; i++) {
		const struct obs_item *it = &o->items.at[i];

		if (it->kind == OBS_EVENT)
			n += str_printf(dst + n, size - n, "%s of \"%s\"; ",
				event_info[it->code].name,
				it->port < o->ports.n ? o->ports.at[it->port].name : "")
				     ? strlen(dst + n)
				     : size;
	}
}

/* True where the one event of the text is that of the line. */
static bool is_read(const struct line *l, const struct obs *o)
{
	const struct obs_item *event = NULL;
	unsigned n = 0;

	for (size_t i = 0; i < o->items.n; i++)
		if (o->items.at[i].kind == OBS_EVENT) {
			event = &o->items.at[i];
			n++;
		}
	if (l->kind == EVENT_COUNT)
		return n == 0;
	if (n != 1 || event->code != l->kind)
		return false;
	return str_eq(event->port < o->ports.n ? o->ports.at[event->port].name : "",
		l->port ? l->port : "");
}

static void expect_all(const struct line *lines, size_t n)
{
	unsigned wrong = 0;

	for (size_t i = 0; i < n; i++) {
		struct obs *o = decode_ssh(lines[i].dialect, "log", lines[i].text);
		char said[300];

		if (!is_read(&lines[i], o)) {
			describe(o, said, sizeof(said));
			print_message("%s: %.90s...: %s\n", lines[i].dialect, lines[i].text, said);
			wrong++;
		}
		obs_free(o);
	}
	assert_int_equal(wrong, 0);
}

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define NX "2025 Jul 17 10:55:19 leaf7 "

/* The ninth batch: lines as they stand in reports, scripts and manuals. */
static const struct line ninth[] = {
	/* sonic-net/sonic-buildimage 4127: the chip's daemon does not answer */
	{"sonic",
		"Jun  3 07:59:01.257158 leaf7 ERR swss#orchagent: :- internal_redis_generic_get: "
		"generic get failed due to SELECT operation result: TIMEOUT\n",
		EV_LOG_ALARM, NULL},
	{"sonic",
		"Jun  3 07:59:51.135507 leaf7 ERR monit[553]: 'dsserve' process is not running\n",
		EV_LOG_ALARM, NULL},
	/* sonic-buildimage 4574: the chip refused a member of a bundle */
	{"sonic",
		"May 11 10:01:00.429152 leaf7 ERR syncd#syncd: [none] "
		"brcm_sai_set_lag_member_attribute:1103 trunk set failed with error Invalid "
		"parameter (0xfffffffc).\n",
		EV_LOG_ALARM, NULL},
	{"sonic",
		"May 11 10:01:00.429396 leaf7 NOTICE swss#orchagent: :- "
		"handle_switch_shutdown_request: switch shutdown request\n",
		EV_LOG_ALARM, NULL},
	/* aristanetworks/sonic 80 */
	{"sonic",
		"Feb  4 12:29:21.272496 leaf7 ERR syncd0#syncd: :- threadFunction: time span WD "
		"exceeded 30082 ms for create:SAI_OBJECT_TYPE_SWITCH:oid:0x21000000000000\n",
		EV_LOG_ALARM, NULL},
	{"sonic",
		"Feb  4 12:02:36.428379 leaf7 ERR lldp0#lldp-syncd [lldp_syncd] ERROR: Could not "
		"infer system information from: {'id': {'type': '', 'value': ''}, 'capability': "
		"[{'type': 'Other', 'enabled': True}]}\n",
		EV_LOG_ALARM, NULL},
	/* sonic-buildimage 20242 */
	{"sonic",
		"2024 Sep 12 06:35:05.535982 leaf7 NOTICE pmon#: CMIS: Ethernet48: skipping CMIS "
		"state machine for flat memory xcvr\n",
		EVENT_COUNT, NULL},
	{"sonic",
		"2024 Sep 12 06:35:05.552710 leaf7 ERR syncd0#syncd: [06:00.0] "
		"SAI_API_LAG:brcm_sai_dnx_set_lag_member_attribute:943 sysport local port get "
		"failed with error -9.\n",
		EV_LOG_ALARM, NULL},
	/* sonic-buildimage 2301: a relay on a bundle that is down */
	{"sonic",
		"Nov 26 10:41:54.452369 leaf7 ERR dhcrelay[86]: receive_packet failed on "
		"PortChannel0001: Network is down\n",
		EV_LOG, "PortChannel0001"},
	/* sonic-net/sonic-mgmt 271 */
	{"sonic",
		"Sep  1 03:16:40.0 leaf7 NOTICE orchagent: :- addNextHop: Created next hop "
		"fc00::7e on Ethernet124\n",
		EVENT_COUNT, NULL},
	/* a script that watches the log of EOS */
	{"eos", "Apr 28 18:51:40 leaf7 Fru: %FRU-6-FAN_REMOVED: Fan tray 5 has been removed\n",
		EV_LOG_ALARM, NULL},
	/* sonic-mgmt 4076: the log of a neighbour */
	{"eos",
		"Aug 22 11:40:19 leaf7 Lag: %LAG-5-MEMBER_REMOVED: Interface Ethernet1 has left "
		"Port-Channel1\n",
		EV_LOG, "Ethernet1"},
	{"eos",
		"Aug 22 11:40:33 leaf7 Lldp: %LLDP-5-NEIGHBOR_GONE: Received a shutdown frame from "
		"LLDP neighbor with chassisId 506b.4bcd.2e74 and portId 506b.4b8f.ce42 on "
		"interface Ethernet1\n",
		EV_LOG_ALARM, "Ethernet1"},
	{"eos",
		"Aug 22 11:38:26 leaf7 ConfigAgent: %SYS-6-LOGMSG_INFO: Message from admin on vty3 "
		"(10.0.0.213): session_begins_1629632293.188694\n",
		EVENT_COUNT, NULL},
	/* a forum: a vPC to two different partners */
	{"nxos",
		NX "%VPC-3-INTF_CONSISTENCY_FAILED: In domain 2, VPC 1 configuration (interface "
		   "port-channel1) is not consistent (vpc port channel mis-config due to vpc links "
		   "in the 2 switches connected to different partners)\n",
		EV_LOG_ALARM, "port-channel1"},
	/* a lab's notes: a line of the kernel with a stamp of its own */
	{"nxos", NX "%L2FM-2-L2FM_INVALID_PORT_NUM: Invalid port num 1, max_ports 0\n",
		EV_LOG_ALARM, NULL},
	{"nxos",
		NX "Jul 17 10:55:19 %KERN-3-SYSTEM_MSG: [  616.861435] sysconf checkum failed "
		   "expected 30 Got 0   - kernel\n",
		EV_LOG_ALARM, NULL},
	/* another lab */
	{"nxos",
		NX "%$ VDC-1 %$ Jul 17 10:55:18 %KERN-3-SYSTEM_MSG: [48136.669604] serial8250: too "
		   "much work for irq4, defer to timer - kernel\n",
		EV_LOG_UNREAD, NULL},
	/* a test framework */
	{"nxos",
		NX "%PLATFORM-2-MOD_DETECT: Module 2 detected (Serial number TM00C39B67C) "
		   "Module-Type NX-OSv Ethernet Module Model N7K-F248XP-25\n",
		EV_LOG, NULL},
	/* a vendor's lint of defects */
	{"nxos",
		NX "%PLATFORM-2-SSD_PARTITION_CHECK: Incorrect sda partition size detected - "
		   "please contact Cisco TAC for additional information\n",
		EV_LOG_ALARM, NULL},
	/* a script that imitates a console */
	{"nxos",
		NX "%$ VDC-1 %$ %PLATFORM-2-PFM_SYSTEM_RESET: Manual system restart from Command "
		   "Line Interface\n",
		EV_LOG, NULL},
	{"nxos",
		NX "%LIBSYSMGR-3-SIGTERM_FORCE_EXIT Service \"sksd\" (PID 692) is forced exit.\n",
		EV_LOG_ALARM, NULL},
	/* CumulusNetworks/docs, an old manual */
	{"cumulus",
		"2016-10-03T20:31:52.479769+00:00 leaf7 clagd[1235]: The peer switch is active.\n",
		EV_LOG, NULL},
	{"cumulus", "Feb 01 23:19:30 leaf7 clagd[1717]: Cleanup is executing.\n", EVENT_COUNT,
		NULL},
};

CASE(lines_of_the_ninth_batch)
{
	expect_all(ninth, ARRAY_LEN(ninth));
}

CASES_MAIN(NULL, NULL)
