/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines of switches' logs from public reports, by dialect. The reading of each was written down
 * before the first run: see switches.md. Names and numbers are invented.
 */
#include "tests/cases/switches/log_lines.h"
#include "tests/support/cases.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define NX           "2025 Jul 17 10:55:19 leaf7 "

/* The ninth batch: lines as they stand in reports, scripts and manuals. */
static const struct log_line ninth[] = {
	/* sonic-net/sonic-buildimage 4127: the chip's daemon does not answer */
	{"sonic",
		"Jun  3 07:59:01.257158 leaf7 ERR swss#orchagent: :- internal_redis_generic_get: "
		"generic get failed due to SELECT operation result: TIMEOUT\n",
		EV_LOG_ALARM, NULL},
	{"sonic", "Jun  3 07:59:51.135507 leaf7 ERR monit[553]: 'dsserve' process is not running\n",
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
	{"nxos", NX "%LIBSYSMGR-3-SIGTERM_FORCE_EXIT Service \"sksd\" (PID 692) is forced exit.\n",
		EV_LOG_ALARM, NULL},
	/* CumulusNetworks/docs, an old manual */
	{"cumulus",
		"2016-10-03T20:31:52.479769+00:00 leaf7 clagd[1235]: The peer switch is active.\n",
		EV_LOG, NULL},
	{"cumulus", "Feb 01 23:19:30 leaf7 clagd[1717]: Cleanup is executing.\n", EVENT_COUNT,
		NULL},
};

#define EOS "Jul 17 10:55:19 leaf7 "

/* The tenth batch, on the code mended by the ninth. */
static const struct log_line tenth[] = {
	/* aristanetworks/avd, reports of its own labs */
	{"eos",
		EOS "PhyEthtool: %ETH-3-NETLINKFAIL: Cannot init netlink stats cache : NETLINK "
		    "Error Error fetching statistics  <extra parameters: '-31' >\n",
		EV_LOG_ALARM, NULL},
	{"eos",
		EOS "ProcMgr: %PROCMGR-3-SHUTDOWNREQUESTED: ProcMgr shutdown requested via SIGQUIT "
		    "or SIGTERM to worker (PID=1388) -- Master ProcMgr (PID=1388) exiting.\n",
		EV_LOG_ALARM, NULL},
	{"eos",
		EOS "Stp: %FWK-3-SOCKET_CLOSE_REMOTE: Connection to StpTxRx (pid:1875) at "
		    "tbl://stpTxRx/+n closed by peer (EOF)\n",
		EV_LOG_ALARM, NULL},
	{"eos",
		EOS "LoadConfig: %SYSDB-3-STARTUP_CONFIG_PARSE_ERROR: Errors encountered in "
		    "parsing the startup-config\n",
		EV_LOG_ALARM, NULL},
	{"eos",
		EOS "NorCalInit: %HARDWARE-0-SYSTEM_IDENTIFICATION_FAILED: Failed to identify this "
		    "system\n",
		EV_LOG_ALARM, NULL},
	/* tests of a log collector */
	{"eos",
		EOS "ProcMgr-worker: %PROCMGR-6-WORKER_WARMSTART: ProcMgr worker warm start. "
		    "(PID=2203)\n",
		EVENT_COUNT, NULL},
	{"eos",
		EOS "ProcLauncher-1: %LAUNCHER-6-PROCESS_STOP: Configuring process "
		    "'SystemInitMonitor' to stop in role 'ActiveSupervisor'\n",
		EVENT_COUNT, NULL},
	{"eos",
		EOS "AleL3Agent-primary: %AGENT-6-INITIALIZED: Agent 'AleL3Agent-primary' "
		    "initialized; pid=123\n",
		EVENT_COUNT, NULL},
	/* sonic-mgmt 2610 */
	{"eos",
		EOS "Lldp: %LLDP-5-NEIGHBOR_NEW: LLDP neighbor with chassisId 0c42.a1d9.273e and "
		    "portId \"etp1\" added on interface Ethernet1\n",
		EV_LOG, "Ethernet1"},
	/* a correlator's tests */
	{"eos",
		EOS "Evpn: %EVPN-3-BLACKLISTED_DUPLICATE_MAC: host 0011.2233.4455 blacklisted in "
		    "vlan 10 vni 100 VTEP 10.1.1.1\n",
		EV_LOG_ALARM, NULL},
	/* sonic-net/sonic-buildimage 21322 */
	{"sonic",
		"2025 Jan  3 02:46:32.834891 leaf7 WARNING pmon#thermalctld[35]: Thermal manager "
		"is not supported on this platform\n",
		EVENT_COUNT, NULL},
	/* sonic-net/SONiC 591, design of the daemon of power supplies */
	{"sonic",
		"2025 Jan  3 02:46:32.834891 leaf7 WARNING pmon#psud: PSU voltage warning: PSU 1 "
		"voltage out of range, current voltage=11.0, valid range=[11.4, 12.6].\n",
		EV_LOG_ALARM, NULL},
	{"sonic",
		"2025 Jan  3 02:46:32.834891 leaf7 NOTICE pmon#psud: PSU voltage warning cleared: "
		"PSU 1 voltage is back to normal.\n",
		EV_LOG, NULL},
	/* sonic-buildimage 17789 */
	{"sonic",
		"Jan  8 17:15:52.689616 leaf7 ERR pmon#psud: Thermal sysfs "
		"/run/hw-management/thermal/psu2_temp1_max does not exist\n",
		EV_LOG_ALARM, NULL},
	/* sonic-buildimage 21270 */
	{"sonic",
		"2025 Feb  4 06:01:21.648893 leaf7 ERR bgp#mgmtd[42]: [X3G8F-PM93W] BE-adapter: "
		"mgmt_msg_read: got EOF/disconnect\n",
		EV_LOG_UNREAD, NULL},
	/* sonic-mgmt 2044 */
	{"sonic",
		"Aug  5 07:20:08.265181 leaf7 ERR hostcfgd: 'sudo systemctl start "
		"telemetry.service' failed. RC: 5, output: None\n",
		EV_LOG_ALARM, NULL},
	{"sonic",
		"Aug  5 07:20:08.771056 leaf7 ERR liblogging-stdlog: omfwd: error 101 sending via "
		"udp: Network is unreachable [v8.24.0]\n",
		EV_LOG_UNREAD, NULL},
	{"sonic",
		"Aug  5 07:20:24.480921 leaf7 ERR syncd#syncd: [none] "
		"driverEgressMemoryUpdate:1395 Error getting cosq for port 1\n",
		EV_LOG_ALARM, NULL},
	{"sonic",
		"Aug  5 07:20:24.860670 leaf7 ERR lldp#lldpmgrd: Port 'Ethernet192' not found in "
		"PORT_TABLE table in App DB\n",
		EV_LOG_ALARM, "Ethernet192"},
	{"sonic",
		"Aug  5 07:20:25.310998 leaf7 WARNING syncd#syncd: :- saiDiscover: skipping since "
		"it causes crash: SAI_STP_ATTR_BRIDGE_ID\n",
		EVENT_COUNT, NULL},
	{"sonic",
		"Aug  5 07:20:25.946701 leaf7 ERR swss#intfmgrd: :- exec: /sbin/ip link show type "
		"dummy | grep -o 'Loopback[^:]*': Success\n",
		EV_LOG_UNREAD, NULL},
	{"sonic",
		"Aug  5 07:20:25.973055 leaf7 ERR syncd#syncd: [none] "
		"_brcm_sai_port_wred_stats_get:5022 Hardware failure -4 in getting WRED stat 69 "
		"for port 1\n",
		EV_LOG_ALARM, NULL},
	/* sonic-buildimage 3444 */
	{"sonic",
		"Sep  4 05:46:02.559053 leaf7 INFO bgp#bgpcfgd: value for fc00::72 changed to "
		"{'rrclient': '0', 'name': 'leaf13', 'holdtime': '10', 'keepalive': '3'}\n",
		EVENT_COUNT, NULL},
	/* correlators' tests and a fault manager's */
	{"nxos", NX "%NVE-5-BFD_CC_STATE_CHANGE: BFD CC down for bfd-neighbor 10.1.1.1\n",
		EV_LOG_ALARM, NULL},
	{"nxos",
		NX "%PFMA-2-FEX_PS_REMOVE: Fex 118 Power Supply 2 removed (Serial number ABC123)\n",
		EV_LOG_ALARM, NULL},
	{"nxos",
		NX "%MODULE-2-MOD_SOMEPORTS_FAILED: Module 1 (Serial number: JAE1) reported "
		   "failure on ports 34-36 due to Local serial link syncing exception in device "
		   "DEV_LOCAL_SAC_ASIC (device error 0xc9100200)\n",
		EV_LOG_ALARM, NULL},
	{"nxos",
		NX "%ETHPORT-5-IF_RX_FLOW_CONTROL: Interface Ethernet1/1, receive flow control "
		   "enabled\n",
		EV_LOG, "Ethernet1/1"},
	/* a converter of logs; an operator's notes on routing; manuals of Cumulus */
	{"cumulus", EOS "zebra[1651]: rib_delnode: 10.10.0.0/16: rn 0xb7831b50, removing\n",
		EVENT_COUNT, NULL},
	{"cumulus", EOS "mstpd[1882]: set_if_up: Port \"swp1\" : up\n", EV_LOG, "swp1"},
	{"cumulus", EOS "clagd[3995]: Role is now secondary\n", EV_LOG, NULL},
	{"cumulus", EOS "switchd[3629]: switchd.c:1409 switchd version 1.0-cl2.5+5\n", EVENT_COUNT,
		NULL},
};

/* The eleventh batch, on the code mended by the tenth. */
static const struct log_line eleventh[] = {
	/* elastic/integrations, samples of Nexus switches in service */
	{"nxos",
		NX "%EARL-SW2_DFC1-1-EXCESSIVE_PARITY_ERROR: EARL 0: Parity error detected in "
		   "VRAM\n",
		EV_LOG_ALARM, NULL},
	{"nxos", NX "%LLDP-3-DETECT_MULTIPLE_PEERS: Multiple peers detected on Eth1/14\n",
		EV_LOG_UNREAD, "Ethernet1/14"},
	{"nxos",
		NX "%INTERFACE_VLAN-5-UPDOWN: Line Protocol on Interface vlan 20, changed state to "
		   "up\n",
		EV_LOG, NULL},
	{"nxos",
		NX "%ARP-4-INVAL_IP:  arp [3303]  Received packet with invalid destination IP "
		   "address (0.0.0.0) from 0050.5683.c974 on Vlan50\n",
		EV_LOG_ALARM, NULL},
	{"nxos",
		NX "%ETHPORT-5-IF_DUPLEX: Interface Ethernet1/33, operational duplex mode changed "
		   "to Full\n",
		EV_LOG, "Ethernet1/33"},
	{"nxos",
		NX "%ETHPORT-5-IF_TX_FLOW_CONTROL: Interface Ethernet1/9, operational Transmit "
		   "Flow Control state changed to off\n",
		EV_LOG, "Ethernet1/9"},
	{"nxos", NX "%USER-5-SYSTEM_MSG: cleanup_mts_q = 29 - vsh.bin\n", EVENT_COUNT, NULL},
	{"nxos",
		NX "%L2FM-4-L2FM_MAC_MOVE2: Mac 0010.dbff.100f in vlan 3949 has moved from Po5 to "
		   "Po6\n",
		EV_LOG, NULL},
	{"nxos",
		NX "%EARL-SW2_DFC1-3-NF_PARITY_ERROR: EARL 0  NF ASIC: Uncorrectable Parity error "
		   "in Netflow Table.\n",
		EV_LOG_ALARM, NULL},
	{"nxos",
		NX "%CDP-4-DUPLEX_MISMATCH: Duplex mismatch discovered on Ethernet1/47, with "
		   "FastEthernet0/24\n",
		EV_LOG_ALARM, "Ethernet1/47"},
	{"nxos",
		NX "%KERN-4-SYSTEM_MSG: [21740036.313350] EDAC MC0: 1 CE memory read error on "
		   "CPU_SrcID#0_Ha#0_Chan#0_DIMM#0 (channel:0 slot:0) - kernel\n",
		EV_LOG_ALARM, NULL},
	{"nxos",
		NX "%VPC-2-L3_VPC_UNEQUAL_WEIGHT: Layer3 peer-router is enabled.  Please make sure "
		   "both vPC peers have the same L3 routing configuration\n",
		EV_LOG, NULL},
	{"nxos",
		NX "%AAA-6-AAA_ACCOUNTING_MESSAGE: update:10.0.0.5@ssh.26046:noc:show ip route vrf "
		   "all (SUCCESS)\n",
		EVENT_COUNT, NULL},
	{"nxos",
		NX "%TACACS-4-TACACS_WARNING: Problem during name-lookup. Error:-3(temporary "
		   "failure in name resolution)\n",
		EV_LOG, NULL},
	{"nxos",
		NX "%HMM-2-DUP_HOSTS:  hmm [23346]  (blue) [IPv4] Detected a potential duplicate "
		   "host 10.0.112.147/32\n",
		EV_LOG_ALARM, NULL},
	{"nxos",
		NX "%ETHPORT-4-IF_XCVR_WARNING: Interface Ethernet2/3, Lane 4 - Low Rx Power "
		   "Warning\n",
		EV_LOG_ALARM, "Ethernet2/3"},
	/* a dashboard's sample of a switch in service */
	{"eos",
		EOS "PortSec: 407: %ETH-4-HOST_FLAPPING: Host 00:1c:73:0c:4e:1d in VLAN 3908 is "
		    "flapping between interface Port-Channel1 and interface Ethernet18\n",
		EV_LOG_ALARM, "Ethernet18"},
	{"eos",
		EOS "Rib: %ISIS-4-ISIS_ADJCHG: Neighbor State Change for SystemID 1720.2600.0022 "
		    "on vlan3901 to DOWN: hold timer expired\n",
		EV_LOG_ALARM, NULL},
	{"eos",
		EOS "Rib: %OSPF-4-OSPF_ADJACENCY_TEARDOWN: NGB 172.26.0.37, interface "
		    "172.17.254.93 adjacency dropped: inactivity timer expired, state was: FULL\n",
		EV_LOG_ALARM, NULL},
	{"eos",
		EOS "Rib: %OSPF-4-OSPF_ADJACENCY_ESTABLISHED: NGB 172.26.0.37, interface "
		    "172.17.254.93 adjacency established\n",
		EV_LOG, NULL},
	{"eos", EOS "Rib: %PIM-5-NBRCHG: neighbor 172.17.254.94 DOWN on interface vlan3915\n",
		EVENT_COUNT, NULL},
	{"eos",
		EOS "Stp: 542: %SPANTREE-6-INTERFACE_STATE: Interface Port-Channel4 instance Vl283 "
		    "moving from forwarding to discarding\n",
		EV_LOG_ALARM, "Port-Channel4"},
	{"eos",
		EOS
		"Xmpp: 553: %XMPP-6-CLIENT_DISCONNECTED: Connection to 10.0.22.17:5222 closed\n",
		EVENT_COUNT, NULL},
	{"eos",
		EOS "ProcMgr-worker: %PROCMGR-6-PROCESS_TERMINATED: 'Xmpp' (PID=1795) has "
		    "terminated.\n",
		EV_LOG_ALARM, NULL},
	{"eos",
		EOS "ProcMgr-worker: %PROCMGR-6-PROCESS_STARTED: 'Xmpp' starting with PID=11189 "
		    "(PPID=1713) -- execing '/usr/bin/Xmpp'\n",
		EVENT_COUNT, NULL},
	{"eos",
		EOS "Aaa: 367: %AAA-4-AUTHZ_FALLBACK: Authorization method 'group radius' is "
		    "currently unavailable; falling back to next method for action 'exec'.\n",
		EV_LOG, NULL},
	/* sonic-net/sonic-buildimage 20430, 21603, 27327, 9219; sonic-net/sonic-swss 638 */
	{"sonic",
		"2024 Oct 11 02:05:12.883852 leaf7 NOTICE pmon#xcvrd: CMIS: Ethernet158: timeout "
		"for 'ConfigSuccess'\n",
		EV_LOG_ALARM, "Ethernet158"},
	{"sonic",
		"2024 Oct 11 02:05:12.908410 leaf7 NOTICE pmon#xcvrd: CMIS: Ethernet154: Setting "
		"appl=2\n",
		EVENT_COUNT, NULL},
	{"sonic",
		"2025 Mar 11 16:45:52.111026 leaf7 NOTICE pmon#xcvrd[80]: CMIS: Ethernet482: "
		"Failed "
		"to default to AppSel=0\n",
		EV_LOG_ALARM, "Ethernet482"},
	{"sonic",
		"2026 May 13 10:00:00.111026 leaf7 ERR syncd#SDK: [SAI_UTILS.ERR] client_pid=23, "
		"./src/mlnx_sai_utils.c[2420]- get_dispatch_attribs_handler: Failed Get #0, "
		"FEC_ALIGNMENT_LOCK\n",
		EV_LOG_ALARM, NULL},
	{"sonic",
		"Oct  9 11:22:32.003592 leaf7 ERR swss/orchagent: :- "
		"sai_redis_internal_notify_syncd: notify syncd failed to get response result from "
		"select: 2\n",
		EV_LOG_ALARM, NULL},
	{"sonic",
		"Nov 10 14:48:11.360131 leaf7 CRIT syncd#syncd: [none] "
		"SAI_API_SWITCH:platformInit:2042 No attached units.\n",
		EV_LOG_ALARM, NULL},
};

#define SITE "2022-02-14 17:56:02.609340 leaf7 <local2.warning> WARNING "

/* The twelfth batch, on the code mended by the eleventh. */
static const struct log_line twelfth[] = {
	/* an operator's list of what his SONiC switches log, with a tag of his own collector */
	{"sonic",
		SITE "pmon#hwmgrd: :pluggable_dev_log:- Psu2 is plugged in. vendor: ACME, serial "
		     "number: L214\n",
		EV_LOG, NULL},
	{"sonic", SITE "pmon#hwmgrd: :pluggable_dev_log:- Psu2 is pulled out.\n", EV_LOG_ALARM,
		NULL},
	{"sonic", SITE "pmon#hwmgrd: :dev_alarm_log:- Psu2 is alarm: no power\n", EV_LOG_ALARM,
		NULL},
	{"sonic", SITE "pmon#hwmgrd: :dev_alarm_log:- Psu1 is normal\n", EV_LOG, NULL},
	{"sonic",
		"2022-02-17 16:05:47.705193 leaf7 <local2.err> ERR monit[652]: 'leaf7' cpu user "
		"usage of 93.1% matches resource limit [cpu user usage>90.0%]\n",
		EV_LOG_ALARM, NULL},
	{"sonic", SITE "pmon#hwmgrd: :pluggable_dev_log:- Sff1 is pulled out.\n", EV_LOG_ALARM,
		NULL},
	{"sonic", SITE "pmon#drv: :dev_alarm_log:- Thermal alarm: hotspot11 : 93.00 Centigrade\n",
		EV_LOG_ALARM, NULL},
	{"sonic",
		SITE
		"swss#orchagent: :- updatePortOperStatus: OperStatus of Port Ethernet37 (alias: "
		"he-1/1/37) changed from up to down\n",
		EV_LOG_ALARM, "Ethernet37"},
	{"sonic",
		SITE
		"swss#orchagent: :- updatePortOperStatus: OperStatus of Port Ethernet38 (alias: "
		"he-1/1/38) changed from down to up\n",
		EV_LOG, "Ethernet38"},
	{"sonic",
		SITE "swss#orchagent: :- setHostVlanAdminState: OperStatus of L3Interface Vlan40 "
		     "changed to down\n",
		EV_LOG_ALARM, NULL},
	{"sonic",
		"2022-02-14 15:53:36.202696 leaf7 <local0.info> INFO bgp#supervisord 2022-02-14 "
		"15:53:31,385 INFO exited: zebra (terminated by SIGKILL; not expected)\n",
		EV_LOG_ALARM, NULL},
	{"sonic",
		"2022-02-13 00:19:45.015599 leaf7 <local2.notice> NOTICE bgp#bgpd[45]: 10.0.0.66 "
		"went from Established to Clearing\n",
		EV_LOG_ALARM, NULL},
	{"sonic",
		"2022-02-13 00:19:45.015599 leaf7 <local2.notice> NOTICE bgp#bgpd[45]: 10.0.0.66 "
		"went from OpenConfirm to Established\n",
		EV_LOG, NULL},
	{"sonic",
		"2022-02-13 00:19:45.015599 leaf7 <local2.notice> NOTICE bgp#bgpd[45]: 10.0.0.66 "
		"went from Idle to Connect\n",
		EVENT_COUNT, NULL},
	{"sonic",
		"2022-02-16 01:27:59.715515 leaf7 <local2.err> ERR monit[661]: 'bcmDPC' status "
		"failed (9) -- Thread bcmDPC has exited abnormally.\n",
		EV_LOG_ALARM, NULL},
	{"sonic",
		"2021-12-31 10:41:22.266584 leaf7 <daemon.info> INFO systemd[1]: Started BGP "
		"container.\n",
		EVENT_COUNT, NULL},
	/* dentproject/dentOS 232: routes that the kernel refuses */
	{"cumulus",
		EOS "zebra[986]: [WVJCK-PPMGD][EC 4043309093] netlink-dp (NS 0) error: Invalid "
		    "argument, type=RTM_NEWROUTE(24), seq=16, pid=2180819141\n",
		EV_LOG_ALARM, NULL},
	{"cumulus",
		EOS "zebra[986]: [VYKYC-709DP] default(0:254):10.0.2.0/24: Route install failed\n",
		EV_LOG_ALARM, NULL},
	{"cumulus",
		EOS "bgpd[998]: [M59KS-A3ZXZ] bgp_update_receive: rcvd End-of-RIB for IPv4 Unicast "
		    "from 10.0.0.2 in vrf default\n",
		EVENT_COUNT, NULL},
	/* sonic-net/sonic-mgmt, a test of headroom; manuals and notes of vendors' SONiC */
	{"sonic",
		"Feb 14 17:56:02.609340 leaf7 ERR syncd#SDK: [COS_SB.ERR] Failed to verify max "
		"headroom for port 0x100f1, error:No More Resources\n",
		EV_LOG_ALARM, NULL},
	{"sonic",
		"Jul 27 08:26:32.561330 leaf7 WARNING pmon#sensormond: High voltage warning: "
		"VP0P75_CORE_NPU2 current voltage 880mV, high threshold 856mV\n",
		EV_LOG_ALARM, NULL},
	{"sonic",
		"Sep 15 11:59:40.000 leaf7 NOTICE swss#orchagent: :- setIntf: Router interface "
		"Ethernet0 IP 10.1.1.0/31 overlaps with 10.1.1.1/31.\n",
		EV_LOG_ALARM, "Ethernet0"},
	{"sonic",
		"Sep 15 11:59:40.000 leaf7 NOTICE swss#orchagent: :- handleConflictingNeighbor: "
		"Route: Add IP:10.0.99.70 vrf_id:0x8, has no matching interface\n",
		EV_LOG_ALARM, NULL},
	/* a test of a log collector */
	{"nxos", NX "%ETH_PORT_CHANNEL-5-CREATED: port-channel1 created\n", EV_LOG,
		"port-channel1"},
};

#define SON "Sep 15 11:59:40.000 leaf7 "

/* The thirteenth batch, on the code mended by the twelfth. */
static const struct log_line thirteenth[] = {
	/* sonic-net/sonic-mgmt: what its tests look for or leave out; a design review */
	{"sonic",
		SON "ERR syncd#syncd: :- processQuadEvent: attr: "
		    "SAI_INGRESS_PRIORITY_GROUP_ATTR_BUFFER_PROFILE: oid:0x19000000000b43\n",
		EV_LOG_UNREAD, NULL},
	{"sonic",
		SON "ERR swss#orchagent: :- meta_generic_validation_set: "
		    "SAI_BUFFER_POOL_ATTR_TYPE:SAI_ATTR_VALUE_TYPE_INT32 attr is create only and "
		    "cannot be modified\n",
		EV_LOG_ALARM, NULL},
	{"sonic",
		SON "ERR swss#orchagent: :- processBufferPool: Failed to modify buffer pool, name: "
		    "ingress_lossless_pool\n",
		EV_LOG_ALARM, NULL},
	{"sonic",
		SON "ERR swss#orchagent: :- removeLag: Failed to remove ref count 1 LAG "
		    "PortChannel10008.\n",
		EV_LOG_ALARM, "PortChannel10008"},
	{"sonic", SON "ERR monit[563]: 'lldp|lldpd' status failed (1) -- 'lldpd' is not running.\n",
		EV_LOG_ALARM, NULL},
	{"sonic",
		SON "ERR swss#orchagent: :- doCfgSensorsTableTask: ASIC sensors : unsupported "
		    "operation.\n",
		EV_LOG_ALARM, NULL},
	{"sonic",
		SON "ERR swss#orchagent: :- setState: State transition from active to active is "
		    "not-handled\n",
		EV_LOG_UNREAD, NULL},
	{"sonic",
		SON
		"ERR syncd#syncd: :- sendApiResponse: api SAI_COMMON_API_CREATE failed in syncd "
		"mode: SAI_STATUS_INVALID_PARAMETER\n",
		EV_LOG_ALARM, NULL},
	{"sonic", SON "ERR swss#orchagent: :- create: create status: SAI_STATUS_ITEM_NOT_FOUND\n",
		EV_LOG_ALARM, NULL},
	{"sonic",
		SON
		"ERR syncd#SDK: [SAI_TAM.ERR] mlnx_generate_ipfix_templates: Buffer size is too "
		"small to hold IPFIX template\n",
		EV_LOG_UNREAD, NULL},
	/* a report of EVPN on another chip */
	{"sonic",
		SON "ERR syncd#SDK: VNI mapping 'vtep1:evpn_map_50001_Vrf_l3evpn' update vrf "
		    "Vrf_l3evpn, vni 50001: SAI_STATUS_ITEM_ALREADY_EXISTS\n",
		EV_LOG, NULL},
	{"sonic",
		SON "ERR supervisord: Process 'vxlanmgrd' exited unexpectedly. Terminating "
		    "supervisor 'swss'.\n",
		EV_LOG_ALARM, NULL},
	{"sonic",
		SON "ERR swss#orchagent: Failed to add dummy vxlan switch svi for decap VRF "
		    "Vrf_l3evpn, VNI 50001. Leaba_Err: Invalid parameter was supplied\n",
		EV_LOG_ALARM, NULL},
	/* sonic-net/sonic-buildimage 23316, 7555 */
	{"sonic", SON "ERR bgp#zebra[35]: [HSYZM-HV7HF] Extended Error: Nexthop device is not up\n",
		EV_LOG_ALARM, NULL},
	{"sonic",
		SON "ERR bgp#zebra[35]: [WVJCK-PPMGD] netlink-dp (NS 0) error: Network is "
		    "unreachable, type=RTM_NEWROUTE(24), seq=3\n",
		EV_LOG_ALARM, NULL},
	{"sonic",
		SON "NOTICE portsyncd: :- onMsg: nlmsg type:16 key:Ethernet80 admin:1 oper:1 "
		    "addr:02:42:ac:11:00:02 ifindex:130 master:140\n",
		EVENT_COUNT, NULL},
	/* FRRouting/frr 12239, a log file of FRR itself */
	{"cumulus",
		"2023/01/20 10:49:35 BGP: [HZN6M-XRM1G] %NOTIFICATION: sent to neighbor vlan.758 "
		"6/7 (Cease/Connection Collision Resolution) 0 bytes\n",
		EV_LOG_ALARM, NULL},
	{"cumulus",
		"2023/01/20 10:49:35 BGP: [YZN21-6KS42][EC 33554465] vlan.758 [FSM] Ignoring event "
		"BGP_Start in state Connect, prior events BGP_Start, BGP_Start, fd 25\n",
		EVENT_COUNT, NULL},
	/* a daemon, a firewall's rules, a guide to event handlers */
	{"eos", EOS "Rib: %BGP-BFD-STATE-CHANGE: peer 192.0.3.1 (AS 10000) Up to Down\n",
		EV_LOG_ALARM, NULL},
	{"eos",
		EOS "Rib: %BGP-3-NOTIFICATION: received from neighbor 10.53.172.97 (AS 2611) 6/1 "
		    "(Cease/maximum number of prefixes reached) 0 bytes\n",
		EV_LOG_ALARM, NULL},
	{"eos", EOS "EventMgr: %SYS-6-EVENT_TRIGGERED: Event handler ISP1-DOWN was activated\n",
		EVENT_COUNT, NULL},
	/* a generator of logs */
	{"nxos", NX "%SYSMGR-3-CPUHOG: Module 1 CPU utilization at 93% - threshold 75%\n",
		EV_LOG_ALARM, NULL},
};

CASE(lines_of_the_ninth_batch)
{
	log_lines_expect(ninth, ARRAY_LEN(ninth));
}

CASE(lines_of_the_tenth_batch)
{
	log_lines_expect(tenth, ARRAY_LEN(tenth));
}

CASE(lines_of_the_eleventh_batch)
{
	log_lines_expect(eleventh, ARRAY_LEN(eleventh));
}

CASE(lines_of_the_twelfth_batch)
{
	log_lines_expect(twelfth, ARRAY_LEN(twelfth));
}

CASE(lines_of_the_thirteenth_batch)
{
	log_lines_expect(thirteenth, ARRAY_LEN(thirteenth));
}

CASES_MAIN(NULL, NULL)
