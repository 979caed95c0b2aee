/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines of switches' logs from public reports of the seventeenth batch on. The reading of each was
 * written down before the first run: see switches.md. Names and numbers are invented.
 */
#include "tests/cases/switches/log_lines.h"
#include "tests/support/cases.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define SONIC        "Jun  3 07:59:01.257158 leaf7 "
#define EOS          "Jun 23 17:50:11 leaf7 "
#define NX           "2025 Jul 17 10:55:19 leaf7 "

static const struct log_line seventeenth[] = {
	{"sonic",
		SONIC "ERR syncd#syncd: [none] brcm_sai_set_buffer_profile_attribute:1422 Unknown "
		      "buffer profile attribute 1 passed\n",
		EV_LOG_ALARM, NULL},
	{"sonic",
		SONIC "ERR syncd#syncd: [none] driverEgressMemoryUpdate:1376 Invalid val for mem "
		      "12481, port 1 qid 0, fval -1\n",
		EV_LOG_ALARM, NULL},
	{"sonic",
		SONIC "ERR syncd#syncd: :- processEvent: failed to execute api: set, key: "
		      "SAI_OBJECT_TYPE_BUFFER_PROFILE:oid:0x19000000000b68, status: "
		      "SAI_STATUS_INSUFFICIENT_RESOURCES\n",
		EV_LOG_ALARM, NULL},
	{"sonic",
		SONIC "ERR syncd#syncd: [none] SAI_API_BUFFER:driverEgressPoolSharedLimitSet:3476 "
		      "configure egress itm 0 buffer pool 0 with size 82830162, gport 0x800000b "
		      "COS 0 current reserved size 21805392 shared size 60996322, requested shared "
		      "size 61024770 failed with error -1\n",
		EV_LOG_ALARM, NULL},
	{"sonic",
		SONIC "INFO syncd#syncd: [none] SAI_API_BUFFER:ltsw_driverDBLimitSet:3204 Created "
		      "egress buffer pool 0 with size 82801714 bytes\n",
		EVENT_COUNT, NULL},
	{"sonic",
		SONIC "NOTICE swss#orchagent: :- processQueue: Set buffer queue Ethernet0:0-2 to "
		      "BUFFER_PROFILE_TABLE:egress_lossy_profile\n",
		EVENT_COUNT, NULL},
	{"sonic",
		"2025 Mar  6 14:57:33.560667 leaf7 WARNING pmon#thermalctld: Fan fault warning: "
		"fan5 is broken\n",
		EV_LOG_ALARM, NULL},
	{"sonic",
		"2025 Mar  6 14:57:33.875290 leaf7 WARNING pmon#thermalctld: Insufficient number "
		"of working fans warning: 2 fans are not working\n",
		EV_LOG_ALARM, NULL},
	{"sonic",
		"2025 Mar  6 14:58:49.612609 leaf7 NOTICE hw-management-tc: NOTICE - Thermal "
		"control is running\n",
		EV_LOG, NULL},
	{"sonic",
		"2025 Mar  6 14:58:48.297239 leaf7 NOTICE hw-management-tc: NOTICE - "
		"********************************\n",
		EVENT_COUNT, NULL},
	{"sonic",
		SONIC "WARNING pmon#thermalctld: Update fan and temperature status took "
		      "33.02897024154663 seconds, there might be performance risk\n",
		EV_LOG_ALARM, NULL},
	{"sonic", SONIC "NOTICE acms#root: Waiting for bootstrap cert\n", EVENT_COUNT, NULL},
	{"sonic", SONIC "NOTICE pmon#xcvrd: Ethernet144: Got SFP inserted event\n", EV_LOG,
		"Ethernet144"},
	{"sonic", SONIC "NOTICE pmon#xcvrd: CMIS: Ethernet144: READY\n", EVENT_COUNT, NULL},
	{"sonic",
		SONIC "ERR swss#orchagent: message repeated 235 times: [ :- start: Encountered "
		      "failure in create operation, SAI API: SAI_API_BUFFER, status: -131068]\n",
		EV_LOG_ALARM, NULL},
	{"nxos", NX "%$ VDC-1 %$ %VPC-3-VPC_PEER_LINK_DOWN: VPC Peer-link is down\n", EV_LOG_ALARM,
		NULL},
	{"nxos", NX "%$ VDC-1 %$ %USER-2-SYSTEM_MSG: NVE: send reinit to bring down nve1 - nve\n",
		EV_LOG_ALARM, NULL},
	{"nxos", NX "<<%PLATFORM-1-PFM_ALERT>> Incompatible Sup FPGA(13), upgrade FPGA >= 0x14\n",
		EV_LOG_ALARM, NULL},
	{"nxos",
		NX "%BGP-5-ADJCHANGE:  bgp-64512 [8944] (default) neighbor 10.0.0.2 Down - "
		   "holdtimer expired error\n",
		EV_LOG_ALARM, NULL},
	{"nxos", NX "%BGP-5-ADJCHANGE:  bgp-64512 [8944] (tenant1) neighbor 10.0.0.2 Up\n", EV_LOG,
		NULL},
	{"eos",
		EOS "XcvrAgent: %TRANSCEIVER-4-AUTHENTICATION_PROTOCOL_FAILED: The transceiver for "
		    "interface Ethernet5 is not responding as expected during authentication\n",
		EV_LOG_ALARM, "Ethernet5"},
	{"eos", EOS "Stp: %SPANTREE-6-STABLE_CHANGE: Stp state is now not stable\n", EVENT_COUNT,
		NULL},
	{"eos",
		EOS "Stp: %SPANTREE-6-INTERFACE_STATE: Interface Ethernet4 instance MST0 moving "
		    "from discarding to learning\n",
		EVENT_COUNT, NULL},
	{"eos",
		EOS "Bgp: %BGP-5-ADJCHANGE: peer 192.0.2.0 (VRF default AS 64600) old state "
		    "Established event Stop new state Idle\n",
		EV_LOG_ALARM, NULL},
	{"eos",
		EOS "Bgp: %BGP-5-ADJCHANGE: peer 192.0.2.0 (VRF default AS 64600) old state "
		    "OpenConfirm event RecvKeepAlive new state Established\n",
		EV_LOG, NULL},
	{"cumulus",
		"2023/02/03 12:37:23 BGP: [Q6EWH-J0SDA][EC 33554510] 2001:db8::3(leaf9) has not "
		"made any SendQ progress for 1 holdtime (9s), peer overloaded?\n",
		EV_LOG_ALARM, NULL},
	{"cumulus",
		"2023/02/03 12:38:18 BGP: [HZN6M-XRM1G] %NOTIFICATION: received from neighbor "
		"2001:db8::3 4/0 (Hold Timer Expired) 0 bytes \n",
		EV_LOG_ALARM, NULL},
	{"cumulus",
		"2023/02/03 12:38:18 BGP: [PXVXG-TFNNT] %ADJCHANGE: neighbor 2001:db8::3(leaf9) in "
		"vrf default Down BGP Notification received\n",
		EV_LOG_ALARM, NULL},
	{"cumulus",
		"2023/02/03 12:38:21 BGP: [ZM2F8-MV4BJ][EC 33554509] Interface: swp3 does not have "
		"a v6 LL address associated with it, waiting until one is created for it\n",
		EV_LOG_ALARM, "swp3"},
	{"cumulus",
		"2021/12/02 09:00:59.426 BGP: %NOTIFICATION: received from neighbor 172.18.0.2 6/6 "
		"(Cease/Other Configuration Change) 0 bytes \n",
		EV_LOG_ALARM, NULL},
	{"cumulus", "2021/12/02 09:00:59.426 BGP: 172.18.0.2 went from Established to Clearing\n",
		EV_LOG_ALARM, NULL},
	{"cumulus",
		"2021/12/02 09:00:59.426 BGP: bgp_fsm_change_status : vrf default(0), Status: "
		"Clearing established_peers 2\n",
		EVENT_COUNT, NULL},
};

static const struct log_line eighteenth[] = {
	{"sonic",
		SONIC "WARNING swss#orchagent: :- sai_deserialize_enum: enum 3 not found in enum "
		      "sai_port_error_status_t\n",
		EVENT_COUNT, NULL},
	{"sonic",
		SONIC "NOTICE swss#orchagent: :- handleNotification: Get port state change "
		      "notification id:1000000000003 status:2 oper_error_status:0x3\n",
		EVENT_COUNT, NULL},
	{"sonic",
		SONIC "ALERT pmon#sensord: message repeated 8 times: [ Sensor alarm: Chip "
		      "dps800-i2c-31-58: vin: +0.00 V (min = -0.50 V, max = -0.50 V) [ALARM]]\n",
		EV_LOG_ALARM, NULL},
	{"sonic",
		SONIC "NOTICE pmon#ledd[38]: Received PORT table event: key=Ethernet0, "
		      "state=down\n",
		EVENT_COUNT, NULL},
	{"sonic",
		SONIC "ERR syncd#syncd: [none] "
		      "SAI_API_PORT:_brcm_sai_read_fec_stat_err_counters_acc:123 Get Port Phy "
		      "Control FEC Symbol Error Count - port: 17 failed with error Operation "
		      "disabled (0xfffffff4).\n",
		EV_LOG_ALARM, NULL},
	{"sonic",
		SONIC "ERR syncd#syncd: :- collectData: Failed to get stats of Port Counter, name: "
		      "Ethernet8, error: -2\n",
		EV_LOG_ALARM, "Ethernet8"},
	{"sonic",
		SONIC "INFO syncd#syncd: [none] SAI_API_PORT:_brcm_sai_link_event_cb:1921 Port 37 "
		      "link status event: DOWN\n",
		EVENT_COUNT, NULL},
	{"sonic",
		SONIC "INFO syncd#syncd: [none] SAI_API_PORT:_brcm_sai_link_event_cb:2025 Port 37 "
		      "link down event cause: ADMIN_DOWN\n",
		EVENT_COUNT, NULL},
	{"sonic",
		SONIC "ERR syncd#syncd: [none] SAI_API_PORT:brcm_sai_get_port_stats:6815 port fdr "
		      "stats get failed with error Feature unavailable (0xfffffff0).\n",
		EV_LOG_ALARM, NULL},
	{"cumulus",
		"2025-06-03T07:59:01.257158+00:00 leaf7 kernel: [   12.345678] sxd_kernel: [error] "
		"Register access failed (reg_id=0x900f, err=-22 [from CMD-IFC status])\n",
		EV_LOG_ALARM, NULL},
	{"cumulus",
		"2025-06-03T07:59:01.257158+00:00 leaf7 kernel: [   12.345679] sxd_kernel: [error] "
		"Command path in DPT for device 1 is not valid.\n",
		EV_LOG_ALARM, NULL},
};

CASE(lines_of_the_eighteenth_batch)
{
	log_lines_expect(eighteenth, ARRAY_LEN(eighteenth));
}

CASE(lines_of_the_seventeenth_batch)
{
	log_lines_expect(seventeenth, ARRAY_LEN(seventeenth));
}

CASES_MAIN(NULL, NULL)
