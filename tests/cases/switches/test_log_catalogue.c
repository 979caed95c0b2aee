/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines of switches' logs by the kinds that their daemons and the vendors' lists of messages have:
 * see switches.md. Names and numbers are invented.
 */
#include "tests/cases/switches/log_lines.h"
#include "tests/support/cases.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define SONIC        "Jun  3 07:59:01.257158 leaf7 "
#define EOS          "Jun 23 17:50:11 leaf7 "
#define NX           "2025 Jul 17 10:55:19 leaf7 "
#define CL           "2025-06-03T07:59:01.257158+00:00 leaf7 "

static const struct log_line sonic[] = {
	{"sonic", SONIC "WARNING healthd: SYSTEM_READY|SYSTEM_STATE: DOWN\n", EV_LOG_ALARM, NULL},
	{"sonic", SONIC "INFO teamd#teamd_PortChannel5[40]: carrier changed to DOWN\n",
		EV_LOG_ALARM, "PortChannel5"},
	{"sonic",
		SONIC
		"NOTICE swss#orchagent: :- doPortTask: Set port Ethernet8 admin status to down\n",
		EVENT_COUNT, NULL},
	{"sonic",
		SONIC "NOTICE swss#portmgrd: :- doTask: Configure Ethernet8 admin status to down\n",
		EVENT_COUNT, NULL},
	{"sonic",
		SONIC "NOTICE swss#orchagent: :- setPortAdminStatus: Set admin status DOWN "
		      "host_tx_ready to false for port Ethernet8\n",
		EVENT_COUNT, NULL},
	{"sonic",
		SONIC "NOTICE teamd#teammgrd: :- setLagAdminStatus: Set port channel PortChannel5 "
		      "admin status to down\n",
		EVENT_COUNT, NULL},
	{"sonic",
		SONIC "WARNING swss#orchagent: :- checkCrmThresholds: IPV4_ROUTE "
		      "THRESHOLD_EXCEEDED for TH_PERCENTAGE 95% Used count 100 free count 5\n",
		EV_LOG_ALARM, NULL},
	{"sonic",
		SONIC "WARNING swss#orchagent: :- checkCrmThresholds: IPV4_ROUTE THRESHOLD_CLEAR "
		      "for TH_PERCENTAGE 60% Used count 60 free count 50\n",
		EV_LOG, NULL},
	{"sonic",
		SONIC "WARNING swss#orchagent: :- checkCrmThresholds: ACL_TABLE THRESHOLD_EXCEEDED "
		      "for TH_FREE 5 Used count 100 free count 5\n",
		EV_LOG_ALARM, NULL},
	{"sonic",
		SONIC "WARNING swss#orchagent: :- mcCounterCheck: Got Multicast 12 frame(s) on "
		      "lossless queue 3 port Ethernet8\n",
		EV_LOG_ALARM, "Ethernet8"},
	{"sonic",
		SONIC "WARNING swss#orchagent: :- pfcFrameCounterCheck: Got PFC 12 frame(s) on "
		      "lossy queue 1 port Ethernet8\n",
		EV_LOG_ALARM, "Ethernet8"},
	{"sonic", SONIC "ERR swss#orchagent: :- x: Orchagent is in critical state: SAI failure\n",
		EV_LOG_ALARM, NULL},
	{"sonic",
		SONIC "ERR swss#orchagent: :- onMsg: NextHop group id 3 not found. Dropping the "
		      "route 10.1.2.0/24\n",
		EV_LOG_ALARM, NULL},
	{"sonic",
		SONIC "ERR swss#orchagent: :- addLagMember: Failed to add member Ethernet8 to LAG "
		      "PortChannel5 lid:20000000004a5 pid:1000000000123\n",
		EV_LOG_ALARM, "Ethernet8"},
	{"sonic",
		SONIC "ERR swss#orchagent: :- setCollectionOnLagMember: Failed to enable "
		      "collection on LAG member PortChannel5\n",
		EV_LOG_ALARM, "PortChannel5"},
	{"sonic",
		SONIC "ERR swss#orchagent: :- updateNextHopId: Failed to update bfd session "
		      "attribute default|10.0.0.2, rv:-5\n",
		EV_LOG_ALARM, NULL},
	{"sonic",
		SONIC "ERR swss#buffermgrdynd: :- waitWithRetry: Timed out waiting for buffer pool "
		      "to sync to SAI, desired in-memory state is preserved, manual intervention "
		      "is required\n",
		EV_LOG_ALARM, NULL},
	{"sonic",
		SONIC "WARNING swss#orchagent: :- doTask: No more resources left for new next hop "
		      "group map m1\n",
		EV_LOG_ALARM, NULL},
	{"sonic",
		SONIC "WARNING swss#orchagent: :- flushFDBEntries: Couldn`t flush FDB. Bridge port "
		      "OID: 0x3a000000000616 bvid:260000000005be,\n",
		EV_LOG_ALARM, NULL},
	{"sonic",
		SONIC "NOTICE swss#orchagent: :- getResAvailability: CRM resource MPLS_INSEG not "
		      "supported\n",
		EVENT_COUNT, NULL},
	{"sonic",
		SONIC "NOTICE swss#orchagent: :- init: High Frequency Telemetry is not supported "
		      "on this platform\n",
		EVENT_COUNT, NULL},
	{"sonic",
		SONIC "NOTICE swss#orchagent: :- initSaiRedis: SAI REDIS response timeout set "
		      "successfully to 60000 \n",
		EVENT_COUNT, NULL},
	{"sonic",
		SONIC "NOTICE swss#orchagent: :- createNextHopGroup: Next hop 10.0.0.2@Ethernet8 "
		      "not found in neighorch, skipping.\n",
		EVENT_COUNT, NULL},
	{"sonic",
		SONIC "NOTICE swss#orchagent: :- setInactiveBankHashBucketChanges: Bank# 1 of FG "
		      "next-hops is down for prefix 10.1.2.0/24\n",
		EV_LOG_ALARM, NULL},
	{"sonic",
		SONIC "NOTICE swss#orchagent: :- setIntf: Router interface Ethernet8 IP "
		      "10.0.0.0/31 overlaps with 10.0.0.0/24.\n",
		EV_LOG_ALARM, "Ethernet8"},
	{"sonic", SONIC "WARNING pmon#chassisd: Module 3 (Slot LINE-CARD1) went off-line!\n",
		EV_LOG_ALARM, NULL},
	{"sonic", SONIC "NOTICE pmon#chassisd: Module 3 (Slot LINE-CARD1) recovered on-line!\n",
		EV_LOG, NULL},
	{"sonic",
		SONIC "WARNING pmon#thermalctld: Temperature of ASIC changed too fast, from 40 to "
		      "90, please check your hardware\n",
		EV_LOG_ALARM, NULL},
	{"sonic",
		SONIC "WARNING pmon#psud: get_psu() not implemented by platform chassis: Not "
		      "implemented\n",
		EVENT_COUNT, NULL},
	{"sonic",
		SONIC "WARNING pmon#bmcctld: STARTUP: Critical leak or Rack Manager alert "
		      "detected; NOT powering on Switch-Host\n",
		EV_LOG_ALARM, NULL},
	{"sonic",
		SONIC "NOTICE pmon#xcvrd: Ethernet8: received plug out and update port sfp status "
		      "table.\n",
		EV_LOG_ALARM, "Ethernet8"},
	{"sonic",
		SONIC "NOTICE pmon#xcvrd: Ethernet8: received plug in and update port sfp status "
		      "table.\n",
		EVENT_COUNT, NULL},
	{"sonic", SONIC "INFO bgp#bgpd: Max med on startup ended - timer expired.\n", EV_LOG, NULL},
	{"sonic",
		SONIC "INFO bgp#bgpd: [X] 10.0.0.2 Addr-family 1/2 not supported. Ignoring the ORF "
		      "capability\n",
		EVENT_COUNT, NULL},
	{"sonic",
		SONIC
		"WARNING bgp#watchfrr: [EC 268435457] bgpd state -> down : read returned EOF\n",
		EV_LOG_ALARM, NULL},
	{"sonic",
		SONIC "WARNING bgp#bgpd: Dynamic Neighbor 10.0.0.2 added as last connection. "
		      "Peer-group LEAFS reached maximum listen limit 100\n",
		EV_LOG_ALARM, NULL},
	{"sonic", SONIC "WARNING bgp#zebra: SRv6 Dynamic LIB is depleted\n", EV_LOG_ALARM, NULL},
	{"sonic",
		SONIC "WARNING bgp#zebra: interface swp8 has same local and peer address 10.0.0.2, "
		      "routing protocols may malfunction\n",
		EV_LOG_ALARM, NULL},
};

static const struct log_line eos[] = {
	{"eos",
		EOS "Ebra: %LINEPROTO-5-UPDOWN: Line protocol on Interface Ethernet8/1, changed "
		    "state to lowerlayerdown\n",
		EV_LOG_ALARM, "Ethernet8/1"},
	{"eos",
		EOS "Ebra: %ETH-4-ERRDISABLE_RECOVERY: Attempting to recover from link-flap "
		    "err-disable state on Ethernet8/1.\n",
		EV_LOG, "Ethernet8/1"},
	{"eos",
		EOS "Ebra: %ETH-5-ERRDISABLE_CLEAR: Ethernet8/1 is no longer errdisabled due to "
		    "link-flap\n",
		EV_LOG, "Ethernet8/1"},
	{"eos",
		EOS "StrataPfc: %PFC-5-WATCHDOG_TX_QUEUE_STUCK: Interface Ethernet8/1 tx queue 3 "
		    "stuck\n",
		EV_LOG_ALARM, "Ethernet8/1"},
	{"eos",
		EOS "StrataPfc: %PFC-5-WATCHDOG_TX_QUEUE_RECOVERED: Interface Ethernet8/1 tx queue "
		    "3 recovered\n",
		EV_LOG, "Ethernet8/1"},
	{"eos",
		EOS "Lanz: %QUEUEMONITOR-6-LENGTH_OVER_THRESHOLD: Interface Ethernet8/1 traffic "
		    "class 3 queue length is 5120, over threshold of 512\n",
		EV_LOG_ALARM, "Ethernet8/1"},
	{"eos",
		EOS "Lanz: %QUEUEMONITOR-6-LENGTH_UNDER_THRESHOLD: Interface Ethernet8/1 queue "
		    "length is 0, under threshold of 256\n",
		EV_LOG, "Ethernet8/1"},
	{"eos",
		EOS "Lanz: %QUEUEMONITOR-6-LENGTH_OVER_THRESHOLD: ingress port-set "
		    "Ethernet3/25/1,Ethernet3/25/3,Ethernet3/26/1 over high threshold\n",
		EV_LOG_ALARM, "Ethernet3/25/1"},
	{"eos", EOS "Mlag: %MLAG-3-DUAL_PRIMARY_DETECTED: Dual-primary condition detected\n",
		EV_LOG_ALARM, NULL},
	{"eos", EOS "Mlag: %MLAG-5-STATE_CHANGE: MLAG state changed from inactive to primary\n",
		EV_LOG, NULL},
	{"eos", EOS "Mlag: %MLAG-5-STATE_CHANGE: MLAG state changed from primary to inactive\n",
		EV_LOG_ALARM, NULL},
	{"eos",
		EOS "XcvrAgent: %TRANSCEIVER-4-DOM_THRESHOLD_CROSSED: Ethernet8/1 RX Power (-14.2 "
		    "dBm) crossed low alarm threshold\n",
		EV_LOG_ALARM, "Ethernet8/1"},
	{"eos",
		EOS "XcvrAgent: %L1-3-SMBUS_FAILURE: SMBus failure on transceiver of interface "
		    "Ethernet8/1\n",
		EV_LOG_ALARM, "Ethernet8/1"},
	{"eos",
		EOS "Lldp: %LLDP-5-NEIGHBOR_TIMEOUT: LLDP neighbor with chassisId 001c.7300.0001 "
		    "and portId Ethernet1 on interface Ethernet8/1 timed out\n",
		EV_LOG_ALARM, "Ethernet8/1"},
	{"eos",
		EOS "Lldp: %LLDP-5-NEIGHBOR_NEW: LLDP neighbor with chassisId 001c.7300.0001 and "
		    "portId 'Ethernet1' added on interface Ethernet8\n",
		EV_LOG, "Ethernet8"},
	{"eos",
		EOS
		"StrataCentral: %HARDWARE-6-PERR_CORRECTED: Corrected parity error on Strata0\n",
		EV_LOG_ALARM, NULL},
	{"eos",
		EOS "SandFap: %SAND-4-FABRICSERDES_LINK_FAILED: Fabric serdes link 12 on "
		    "Jericho3/0 to Ramon1/0 failed\n",
		EV_LOG_ALARM, NULL},
	{"eos",
		EOS "SandFap: %HARDWARE-3-DROP_COUNTER: Internal drop counter exceeded on chip "
		    "Jericho3/0: dropVoqInPortNotVlanMember 1235\n",
		EV_LOG_ALARM, NULL},
	{"eos",
		EOS "CapiApp: %CAPACITY-1-UTILIZATION_HIGH: NextHop table utilization is currently "
		    "at 93%, crossed threshold 90%\n",
		EV_LOG_ALARM, NULL},
	{"eos",
		EOS "CapiApp: %CAPACITY-1-UTILIZATION_NORMAL: NextHop table utilization is back to "
		    "normal\n",
		EV_LOG, NULL},
	{"eos",
		EOS "ProcMgr-worker: %PROCMGR-3-PROCESS_DELAYRESTART: `StrataL3` (PID=1234) "
		    "restarted too often! Delaying restart for 120.0 (until 2025-01-01)\n",
		EV_LOG_ALARM, NULL},
	{"eos",
		EOS "Aaa: %AAA-4-LOGIN_FAILED: user admin failed to login [from: 10.1.1.1] "
		    "[service: sshd]\n",
		EV_LOG, NULL},
	{"eos",
		EOS "Evpn: %EVPN-3-BLACKLISTED_DUPLICATE_MAC: MAC address 00:1c:73:00:00:07 has "
		    "been blacklisted for moving 5 times within the last 180 seconds\n",
		EV_LOG_ALARM, NULL},
	{"eos",
		EOS
		"Redundancy: %REDUNDANCY-6-SSO_READY: Standby supervisor is ready for switchover\n",
		EV_LOG, NULL},
	{"eos",
		EOS "Qos: %QOS-4-ECN_CONFIG_FAILED: ECN configuration could not be applied on "
		    "Ethernet8: hardware resources exhausted\n",
		EV_LOG_ALARM, "Ethernet8"},
};

static const struct log_line nxos[] = {
	{"nxos",
		NX "%ETHPORT-5-IF_DOWN_CHANNEL_MEMBERSHIP_UPDATE_IN_PROGRESS: Interface "
		   "Ethernet1/8 is down (Channel membership update in progress)\n",
		EV_LOG, "Ethernet1/8"},
	{"nxos",
		NX "%ETHPORT-5-IF_DOWN_INTERFACE_REMOVED: Interface Ethernet1/8 is down (Interface "
		   "removed)\n",
		EV_LOG, "Ethernet1/8"},
	{"nxos",
		NX "%ETHPORT-5-IF_DOWN_SUSPENDED_BY_LACP: Interface Ethernet1/8 is down (suspended "
		   "due to lack of LACP PDUs)\n",
		EV_LOG_ALARM, "Ethernet1/8"},
	{"nxos",
		NX "%ETHPORT-3-IF_NON_QUALIFIED_TRANSCEIVER: Non-qualified transceiver on "
		   "interface Ethernet1/8 was detected\n",
		EV_LOG_ALARM, "Ethernet1/8"},
	{"nxos",
		NX "%ETHPORT-3-IF_ERROR_VLANS_REMOVED: VLANs 10-20 on Interface Ethernet1/8 are "
		   "removed from suspended state.\n",
		EV_LOG, "Ethernet1/8"},
	{"nxos", NX "%ETHPORT-4-IF_SFP_WARNING: Interface Ethernet1/8, Low Rx Power Warning\n",
		EV_LOG_ALARM, "Ethernet1/8"},
	{"nxos",
		NX
		"%ETHPORT-4-IF_SFP_WARNING: Interface Ethernet1/8, Low Rx Power Warning cleared\n",
		EV_LOG, "Ethernet1/8"},
	{"nxos", NX "%PLATFORM-2-MOD_PWRDN: Module 3 powered down (Serial number JAF1)\n",
		EV_LOG_ALARM, NULL},
	{"nxos", NX "%PLATFORM-2-MOD_PWRUP: Module 3 powered up (Serial number JAF1)\n", EV_LOG,
		NULL},
	{"nxos",
		NX "%PLATFORM-2-MOD_TEMPMAJALRM: Module-3 reported Major temperature alarm. "
		   "Sensor=4 Temperature=98 MajThreshold=90\n",
		EV_LOG_ALARM, NULL},
	{"nxos",
		NX "%PLATFORM-4-MOD_TEMPMINALRM: Module-3 reported minor temperature alarm. "
		   "Sensor=4 Temperature=85 MinThreshold=80\n",
		EV_LOG_ALARM, NULL},
	{"nxos",
		NX "%PLATFORM-4-MOD_TEMPOK: Module-3 recovered from minor temperature alarm. "
		   "Sensor=4 Temperature=75 MinThreshold=80\n",
		EV_LOG, NULL},
	{"nxos", NX "%PLATFORM-2-MEMORY_ALERT: Memory Status Alert : SEVERE\n", EV_LOG_ALARM, NULL},
	{"nxos",
		NX "%BFD-5-SESSION_STATE_UP: BFD session 1090519041 to neighbor 10.0.0.2 on "
		   "interface Eth1/8 is up.\n",
		EV_LOG, "Ethernet1/8"},
	{"nxos", NX "%VPC-2-DUAL_ACTIVE: Dual-active detected: vPC peer switch is not reachable\n",
		EV_LOG_ALARM, NULL},
	{"nxos", NX "%VPC-5-VPC_RESTORE_TIMER_EXPIRED: vPC restore timer expired, reiniting vPCs\n",
		EV_LOG, NULL},
	{"nxos", NX "%PFC-2-PFCWD_STORM_DETECTED: PFC storm detected on Ethernet1/8 queue 3\n",
		EV_LOG_ALARM, "Ethernet1/8"},
	{"nxos",
		NX "%ACLQOS-SLOT1-4-ACLQOS_OVER_THRESHOLD: Tcam region ing-racl usage exceeded 90 "
		   "percent threshold\n",
		EV_LOG_ALARM, NULL},
	{"nxos",
		NX "%NOHMS-2-NOHMS_DIAG_ERROR: Module 1: Runtime diag detected major event: Port "
		   "failure: Ethernet1/8\n",
		EV_LOG_ALARM, "Ethernet1/8"},
	{"nxos",
		NX "%SYSMGR-6-SERVICE_TERMINATED: Service 'aaa' (PID 1) has terminated normally.\n",
		EV_LOG, NULL},
	{"nxos",
		NX "%STP-2-BRIDGE_ASSURANCE_UNBLOCK: Bridge Assurance unblocking port Ethernet1/8 "
		   "VLAN0010.\n",
		EV_LOG, "Ethernet1/8"},
	{"nxos", NX "%STP-2-DISPUTE_DETECTED: Dispute detected on port Ethernet1/8 on VLAN0010.\n",
		EV_LOG_ALARM, "Ethernet1/8"},
	{"nxos", NX "%STP-2-DISPUTE_CLEARED: Dispute resolved for port Ethernet1/8 on VLAN0010.\n",
		EV_LOG, "Ethernet1/8"},
	{"nxos", NX "%L2FM-2-L2FM_MAC_FLAP_RE_ENABLE_LEARN: Re-enabling learning in vlan 10\n",
		EV_LOG, NULL},
	{"nxos",
		NX "%LLDP-3-SERVER_REMOVED: Server with Chassis ID 0000.1111.2222 Port ID x "
		   "management address on local port Eth1/8 has been removed\n",
		EV_LOG_ALARM, "Ethernet1/8"},
	{"nxos",
		NX "%LLDP-5-SERVER_REMOVED: Server with Chassis ID 0000.1111.2222 Port ID "
		   "Ethernet1/1 on local port Eth1/8 has been removed\n",
		EV_LOG_ALARM, "Ethernet1/8"},
	{"nxos",
		NX "%IPFIB-2-FIB_TCAM_HA_ERROR: FIB recovery errors, please capture show tech "
		   "forwarding l3 unicast and show tech forwarding l3 multicast\n",
		EV_LOG_ALARM, NULL},
};

static const struct log_line cumulus[] = {
	{"cumulus", CL "switchd[1234]: sync_port.c:2389 swp8: setting carrier down\n", EV_LOG_ALARM,
		"swp8"},
	{"cumulus", CL "switchd[1234]: sync_port.c:2389 swp8: setting carrier up\n", EV_LOG,
		"swp8"},
	{"cumulus",
		CL "switchd[1234]: hal_sx_acl.c:1234 ERR acl install failed: No More Resources\n",
		EV_LOG_ALARM, NULL},
	{"cumulus", CL "switchd[1234]: CRIT No backends found.\n", EV_LOG_UNREAD, NULL},
	{"cumulus",
		CL "sx_sdk: 1 2024-06-03 [FW_EVENT] ASIC fatal event detected, severity: FATAL, "
		   "cause: FW_ASSERT\n",
		EV_LOG_ALARM, NULL},
	{"cumulus", CL "sx_sdk: SDK_HEALTH: device 1 health event severity fatal\n", EV_LOG_ALARM,
		NULL},
	{"cumulus", CL "sx_sdk[1234]: [ERROR] sdk_host_ifc: buffer descriptor pool exhausted\n",
		EV_LOG_ALARM, NULL},
	{"cumulus", CL "portwd[1234]: swp8: unsupported module: no link\n", EV_LOG_ALARM, "swp8"},
	{"cumulus", CL "portwd[1234]: swp8: module inserted: vendor MELLANOX, part MCP1600\n",
		EV_LOG, "swp8"},
	{"cumulus", CL "portwd[1234]: swp8: module removed\n", EV_LOG_ALARM, "swp8"},
	{"cumulus", CL "smond[1234]: PSU2: state changed from UNKNOWN to BAD\n", EV_LOG_ALARM,
		NULL},
	{"cumulus",
		CL "smond[1234]: : Path /run/hw-management/thermal/fan1_fault: FAN1 state changed "
		   "from OK to BAD\n",
		EV_LOG_ALARM, NULL},
	{"cumulus", CL "smond[1234]: Fan1(Fan Tray 1): state changed from BAD to OK\n", EV_LOG,
		NULL},
	{"cumulus", CL "smond[1234]: Temp5(Board sensor): state changed from OK to CRITICAL\n",
		EV_LOG_ALARM, NULL},
	{"cumulus", CL "smond[1234]: PSU1(PSU1 Temp Sensor): state changed from OK to HIGH\n",
		EV_LOG_ALARM, NULL},
	{"cumulus", CL "smond[1234]: PSU2: state changed from UNKNOWN to OK\n", EV_LOG, NULL},
	{"cumulus", CL "smond[1234]: PSU1: state changed from OK to ABSENT\n", EV_LOG_ALARM, NULL},
	{"cumulus", CL "clagd[1234]: The peer switch is no longer active.\n", EV_LOG_ALARM, NULL},
	{"cumulus", CL "clagd[1234]: bond1 is now singly connected\n", EV_LOG_ALARM, NULL},
	{"cumulus",
		CL "bgpd[1234]: [EC 33554452] 10.0.0.2 [FSM] unexpected packet received in state "
		   "Established\n",
		EV_LOG_ALARM, NULL},
	{"cumulus", CL "mstpd[1234]: bridge: swp8: bpdu guard: port disabled\n", EV_LOG_ALARM,
		"swp8"},
	{"cumulus", CL "mstpd[1234]: MSTP_OUT_set_state: bridge:swp8:0 entering discarding state\n",
		EV_LOG_ALARM, "swp8"},
	{"cumulus",
		CL "lldpd[1234]: unable to send packet on real device for swp8: No buffer space "
		   "available\n",
		EV_LOG_ALARM, "swp8"},
	{"cumulus", CL "neighmgrd[1234]: failed to refresh neighbor 10.0.0.2\n", EV_LOG_ALARM,
		NULL},
	{"cumulus", CL "linkstate: swp8 flapped 6 times in 10 seconds: protodown set\n",
		EV_LOG_ALARM, "swp8"},
};

CASE(lines_of_the_daemons_of_sonic)
{
	log_lines_expect(sonic, ARRAY_LEN(sonic));
}

CASE(lines_of_the_messages_of_eos)
{
	log_lines_expect(eos, ARRAY_LEN(eos));
}

CASE(lines_of_the_messages_of_nxos)
{
	log_lines_expect(nxos, ARRAY_LEN(nxos));
}

CASE(lines_of_the_daemons_of_cumulus)
{
	log_lines_expect(cumulus, ARRAY_LEN(cumulus));
}

CASES_MAIN(NULL, NULL)
