/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines of switches' logs from public reports, in the order in which a search for an operator's
 * words brings them. The reading of each was written down before the first run: see switches.md.
 * Names and numbers are invented.
 */
#include "tests/cases/switches/log_lines.h"
#include "tests/support/cases.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define SONIC        "Jun  3 07:59:01.257158 leaf7 "
#define EOS          "Jun 23 17:50:11 leaf7 "
#define CL           "2025-06-03T07:59:01.257158+00:00 leaf7 "

static const struct log_line fourteenth[] = {
	{"sonic",
		SONIC
		"INFO kernel: [10601.214044] igb 0000:00:14.0 eth0: igb: eth0 NIC Link is Down\n",
		EV_LOG_ALARM, NULL},
	{"sonic",
		SONIC "NOTICE swss#portsyncd: :- onMsg: nlmsg type:16 key:eth0 admin:1 oper:0 "
		      "addr:34:17:eb:49:61:00 ifindex:2 master:0\n",
		EVENT_COUNT, NULL},
	{"sonic",
		SONIC "NOTICE swss#orchagent: :- removeRouterIntfs: Router interface is still "
		      "referenced\n",
		EVENT_COUNT, NULL},
	{"sonic",
		SONIC "NOTICE swss#orchagent: :- removeNeighbor: Removed next hop 10.0.0.13 on "
		      "PortChannel0004\n",
		EVENT_COUNT, NULL},
	{"sonic",
		SONIC "ERR syncd#syncd: :- sendApiResponse: api SAI_COMMON_API_CREATE failed in "
		      "syncd mode: SAI_STATUS_INVALID_PARAMETER\n",
		EV_LOG_ALARM, NULL},
	{"sonic",
		SONIC
		"ERR swss#orchagent: :- create: create status: SAI_STATUS_INVALID_PARAMETER\n",
		EV_LOG_ALARM, NULL},
	{"sonic",
		SONIC "ERR swss#orchagent: :- validnexthopinNextHopGroup: Failed to add next hop "
		      "member to group 50000000006e2: -5\n",
		EV_LOG_ALARM, NULL},
	{"sonic",
		SONIC "ERR swss#orchagent: :- handleSaiCreateStatus: Encountered failure in create "
		      "operation, exiting orchagent, SAI API: SAI_API_NEXT_HOP_GROUP, status: "
		      "SAI_STATUS_INVALID_PARAMETER\n",
		EV_LOG_ALARM, NULL},
	{"sonic",
		SONIC "WARNING iccpd#iccpd: message repeated 46 times: [ [iccp_connect_syncd.WARN] "
		      "Failed to connect to mclag syncd: errno str Connection refused]\n",
		EV_LOG_ALARM, NULL},
	{"sonic",
		SONIC
		"NOTICE admin: Rebooting with /sbin/kexec -e to SONiC-OS-master.629-01b03307 ...\n",
		EV_LOG, NULL},
	{"sonic",
		SONIC "NOTICE swss#orchagent: :- setHostIntfsOperStatus: Set operation status DOWN "
		      "to host interface Ethernet164\n",
		EV_LOG_ALARM, "Ethernet164"},
	{"sonic",
		SONIC "WARNING kernel: [  618.609820] sx_netdev_handle_pude_event: Called for "
		      "logical port - 12500 status DOWN\n",
		EV_LOG_ALARM, NULL},
	{"eos",
		EOS "Rib: %BGP-5-ADJCHANGE: peer 10.0.0.38 (AS 4200065100) old state Established "
		    "event Closed new state Idle\n",
		EV_LOG_ALARM, NULL},
	{"eos",
		EOS "Stp: %SPANTREE-4-BLOCK_BPDUGUARD: Received BPDU packet on Port-Channel35 with "
		    "BPDU guard enabled. Disabling interface. (source mac fa:16:3e:24:e7:22)\n",
		EV_LOG_ALARM, "Port-Channel35"},
	{"eos", EOS "Ebra: %ETH-4-ERRDISABLE: bpduguard error detected on Port-Channel35.\n",
		EV_LOG_ALARM, "Port-Channel35"},
	{"eos",
		EOS "Mlag: %MLAG-4-INTF_INACTIVE_LOCAL: Local interface Port-Channel35 is link "
		    "down. MLAG 35 is inactive.\n",
		EV_LOG_ALARM, "Port-Channel35"},
	{"eos",
		EOS "Ebra: %LINEPROTO-5-UPDOWN: Line protocol on Interface Port-Channel35 "
		    "(Server35), changed state to down\n",
		EV_LOG_ALARM, "Port-Channel35"},
	{"eos",
		EOS "Stp: %SPANTREE-6-INTERFACE_DEL: Interface Port-Channel35 has been removed "
		    "from instance MST0\n",
		EVENT_COUNT, NULL},
	{"eos",
		EOS "Ebra: %LINEPROTO-5-UPDOWN: Line protocol on Interface Ethernet35 (Server35), "
		    "changed state to down\n",
		EV_LOG_ALARM, "Ethernet35"},
	{"eos",
		EOS
		"Ebra: %ETH-4-ERRDISABLE: uplink-failure-detection error detected on Ethernet5.\n",
		EV_LOG_ALARM, "Ethernet5"},
	{"nxos",
		"2017 Aug 14 16:48:35 leaf7 %ETHPORT-3-IF_ERROR_VLANS_SUSPENDED: VLANs 1 on "
		"Interface port-channel999 are being suspended. (Reason: vPC peer is not reachable "
		"over cfs)\n",
		EV_LOG_ALARM, "port-channel999"},
	{"nxos",
		"2022 Apr 29 22:55:43 leaf7 %ETHPORT-3-IF_ERROR_VLANS_SUSPENDED: VLANs 170 on "
		"Interface port-channel20 are being suspended. (Reason: Vlan is not allowed on "
		"Peer-link)\n",
		EV_LOG_ALARM, "port-channel20"},
	{"nxos",
		"Jan 28 10:13:57 leaf7 local3.notice: leaf7: 2025 Jan 28 15:13:57.637 UTC: "
		"%ETHPORT-5-IF_DOWN_LINK_FAILURE: Interface Ethernet5/3 is down (Link failure)\n",
		EV_LOG_ALARM, "Ethernet5/3"},
	{"nxos",
		"2015 Apr 2 14:25:06 switch1 %ETHPORT-5-IF_DOWN_INTERFACE_REMOVED: Interface "
		"Ethernet5/1 is down (Interface removed)\n",
		EV_LOG, "Ethernet5/1"},
	{"nxos",
		"2015 May 18 12:43:15 switch2 %ETHPORT-5-IF_DOWN_LINK_FAILURE: Interface "
		"Ethernet1/4 is down (Link failure)\n",
		EV_LOG_ALARM, "Ethernet1/4"},
	{"nxos",
		"<189>: 2018 Apr 22 10:27:53 CDT: %ETHPORT-5-IF_DOWN_LINK_FAILURE: Interface "
		"Ethernet1/4 is down (Link failure)\n",
		EV_LOG_ALARM, "Ethernet1/4"},
	{"nxos",
		"2025 Jan 1 10:00:00 leaf7 %PFMA-2-FEX_PS_FOUND: Fex 118 Power Supply 2 found "
		"(Serial number ABC123)\n",
		EV_LOG, NULL},
	{"nxos",
		"2025 Feb 18 10:30:15.123456 switch %ETHPORT-5-IF_DOWN: Interface Ethernet1/1 is "
		"down\n",
		EV_LOG_ALARM, "Ethernet1/1"},
	{"cumulus", CL "switchd[5692]: netlink.c:291 libnl: swp1, family 0, ifi 20, oper down\n",
		EV_LOG_ALARM, "swp1"},
	{"cumulus", CL "switchd[5692]: netlink.c:291 libnl: swp17, family 0, ifi 20, oper up\n",
		EV_LOG, "swp17"},
	{"cumulus",
		CL "ptmd[7146]: ptm_bfd.c:2471 Created new session 0x1 with peer 10.255.255.11 "
		   "port swp1\n",
		EVENT_COUNT, NULL},
	{"cumulus",
		CL "ptmd[7146]: ptm_bfd.c:2471 Detect timeout on session 0x1 with peer "
		   "10.255.255.11, in state 1\n",
		EV_LOG_ALARM, NULL},
	{"cumulus",
		CL "kernel: [73946.062957] Bond1: Enslaving swp49 as a backup interface with an up "
		   "link\n",
		EVENT_COUNT, NULL},
	{"cumulus",
		CL "kernel: [73946.090636] IPv6: ADDRCONF(NETDEV_UP): Bond1: link is not ready\n",
		EV_LOG_ALARM, NULL},
	{"cumulus",
		CL "mstpd: MSTP_OUT_set_state: bridge:swp2:0 entering blocking state(Alternate)\n",
		EV_LOG_ALARM, "swp2"},
	{"cumulus",
		CL
		"mstpd: MSTP_OUT_set_state: bridge:swp1:0 entering forwarding state(Designated)\n",
		EV_LOG, "swp1"},
	{"cumulus",
		CL "mstpd: MSTP_OUT_flush_all_fids: bridge:swp1:0 Flushing forwarding database\n",
		EVENT_COUNT, NULL},
	{"cumulus", CL "watchquagga[3044]: bgpd state -> down : read returned EOF\n", EV_LOG_ALARM,
		NULL},
	{"cumulus",
		CL "cumulus-core: Running cl-support for core files "
		   "bgpd.3030.1470341944.core.core_helper\n",
		EV_LOG_ALARM, NULL},
	{"cumulus", CL "watchquagga[7719]: bgpd state -> up : connect succeeded\n", EV_LOG, NULL},
	{"cumulus",
		CL "sshd[31830]: Accepted publickey for cumulus from 192.168.0.254 port 45582 "
		   "ssh2: RSA 38:e6:3b:cc:04:ac:41:5e:c9:e3:93:9d:cc:9e:48:25\n",
		EVENT_COUNT, NULL},
	{"cumulus", CL "sysmonitor: Critically high CPU use: 99%\n", EV_LOG_ALARM, NULL},
	{"cumulus", CL "mstpd: one_clag_cmd: setting (1) clag state: up\n", EV_LOG, NULL},
};

static const struct log_line fifteenth[] = {
	{"sonic",
		SONIC "ERR pmon#SfpStateUpdateTask[30]: Failed to get VDM thresholds for port 66\n",
		EV_LOG_ALARM, NULL},
	{"sonic",
		SONIC "WARNING pmon#xcvrd[29]: *** Ethernet160STATE_DBTRANSCEIVER_INFO "
		      "handle_port_update_event() \n",
		EVENT_COUNT, NULL},
	{"sonic",
		SONIC "NOTICE pmon#xcvrd[29]: CMIS: Ethernet160: 400G, lanemask=0xf, "
		      "state=INSERTED, appl 3 host_lane_count 4 retries=0\n",
		EV_LOG, "Ethernet160"},
	{"sonic",
		SONIC "NOTICE pmon#xcvrd[29]: CMIS: Ethernet160: DpDeinit duration 1.0 secs, "
		      "modulePwrUp duration 10.0 secs\n",
		EVENT_COUNT, NULL},
	{"sonic",
		SONIC "ERR swss#orchagent: :- meta_generic_validation_set: "
		      "SAI_BUFFER_POOL_ATTR_TYPE:SAI_ATTR_VALUE_TYPE_INT32 attr is create only and "
		      "cannot be modified\n",
		EV_LOG_ALARM, NULL},
	{"sonic",
		SONIC "ERR swss#orchagent: :- processBufferPool: Failed to modify buffer pool, "
		      "name:egress_pool, sai object:18000000000604, status:-5\n",
		EV_LOG_ALARM, NULL},
	{"sonic", SONIC "ERR swss#orchagent: :- doTask: Failed to process buffer task, drop it\n",
		EV_LOG_ALARM, NULL},
	{"sonic",
		SONIC "ERR syncd#syncd: [none] brcm_sai_set_buffer_pool_attr:816 Unknown attribute "
		      "5 passed\n",
		EV_LOG_ALARM, NULL},
	{"sonic",
		SONIC
		"ERR syncd#syncd: :- processEvent: attr: SAI_BUFFER_POOL_ATTR_XOFF_SIZE: 4194112\n",
		EV_LOG_UNREAD, NULL},
	{"sonic",
		SONIC "ERR syncd#syncd: :- processEvent: failed to execute api: set, key: "
		      "SAI_OBJECT_TYPE_BUFFER_POOL:oid:0x18000000000605, status: "
		      "SAI_STATUS_ATTR_NOT_IMPLEMENTED_0\n",
		EV_LOG_ALARM, NULL},
	{"sonic",
		SONIC "INFO swss#rsyslogd: imuxsock[pid: 42, name: /usr/bin/orchagent]: 32511 "
		      "messages lost due to rate-limiting\n",
		EVENT_COUNT, NULL},
	{"sonic",
		SONIC "ERR syncd[25]: 2020-07-29 08:51:14.193744 ERROR  "
		      "(BF_PIPE:(file=null):(func=null):0) - pipe_mgr_adt_ent_reserve_contiguous : "
		      "Could not allocate a group of 64 contiguous entries for action data table "
		      "with handle 33554441 in stage 9\n",
		EV_LOG_ALARM, NULL},
	{"sonic",
		SONIC "INFO supervisord: syncd 2020-07-29 08:51:14.193744 BF_PIPE ERROR - "
		      "pipe_mgr_adt_ent_reserve_contiguous : Could not allocate a group of 64 "
		      "contiguous entries for action data table with handle 33554441 in stage 9\n",
		EVENT_COUNT, NULL},
	{"sonic",
		SONIC
		"ERR swss#orchagent: :- wait: SELECT operation result: TIMEOUT on getresponse\n",
		EV_LOG_ALARM, NULL},
	{"sonic",
		SONIC "NOTICE swss#orchagent: :- set: setting attribute 0x10000001 status: "
		      "SAI_STATUS_SUCCESS\n",
		EVENT_COUNT, NULL},
	{"sonic",
		SONIC "ERR swss#orchagent: message repeated 235 times: [ :- start: Encountered "
		      "failure in create operation, SAI API: SAI_API_BUFFER, status: -131068]\n",
		EV_LOG_ALARM, NULL},
	{"sonic",
		SONIC
		"ERR swss#orchagent: :- processBufferProfile: Failed to create buffer profile "
		"pg_lossless_99999_99m_profile with type BUFFER_PROFILE_TABLE, rv:-131068\n",
		EV_LOG_ALARM, NULL},
	{"eos",
		"Mar  9 13:36:24 leaf7 Fhrp: %VRRP-5-STATECHANGE: Ethernet1 Grp 1 state Backup -> "
		"Stopped\n",
		EV_LOG_ALARM, "Ethernet1"},
	{"eos",
		"Mar  9 13:36:24 leaf7 Ebra: %LINEPROTO-5-UPDOWN: Line protocol on Interface "
		"Ethernet1 (r1 -> [r2,h]), changed state to down\n",
		EV_LOG_ALARM, "Ethernet1"},
	{"eos",
		"<187>Sep 23 10:20:00 leaf7 Ebra: %LINEPROTO-5-UPDOWN: Line protocol on Interface "
		"Ethernet5, changed state to down\n",
		EV_LOG_ALARM, "Ethernet5"},
	{"eos",
		"2016 May 26 15:41:47 IST leaf7 Ebra: %LINEPROTO-5-UPDOWN: Line protocol on "
		"Interface Ethernet45 (spine1.Et45), changed state to up\n",
		EV_LOG, "Ethernet45"},
	{"eos",
		"Apr 22 13:07:46 leaf7 Ebra: %LINEPROTO-5-UPDOWN: Line protocol on Interface "
		"Ethernet1 (CONNECTS_to_Ethernet1_on_spine1), changed state to down\n",
		EV_LOG_ALARM, "Ethernet1"},
	{"eos",
		"Sep 19 14:24:02 leaf7 Bgp: %BGP-5-ADJCHANGE: peer 10.100.2.2 (AS 65002) state "
		"changed from Established to Idle\n",
		EV_LOG_ALARM, NULL},
	{"nxos",
		"2025 Feb 18 10:30:15 leaf7 %ETH_PORT_CHANNEL-5-PORT_DOWN: port-channel2: "
		"Ethernet1/2 is down\n",
		EV_LOG_ALARM, "Ethernet1/2"},
	{"nxos",
		"<187>: 2025 Feb 18 10:30:15 UTC: %ETHPORT-3-IF_UP: Interface Ethernet1/2 is up in "
		"mode access\n",
		EV_LOG, "Ethernet1/2"},
	{"nxos",
		"<187>: 2025 Feb 18 10:30:15 UTC: %ETHPORT-3-IF_DOWN_ADMIN_DOWN: Interface "
		"Ethernet1/2 is down (Administratively down)\n",
		EV_LOG, "Ethernet1/2"},
	{"nxos",
		"2025 Feb 18 10:30:15 leaf7 %PFMA-2-FEX_PS_REMOVE: Fex 118 Power Supply 2 removed "
		"(Serial number ABC123)\n",
		EV_LOG_ALARM, NULL},
	{"nxos", "2025 Feb 18 10:30:15 leaf7 %VPC-2-VPC_SUSP: vPC 10 is down, suspending\n",
		EV_LOG_ALARM, NULL},
	{"nxos", "2025 Feb 18 10:30:15 leaf7 %MODULE-2-MOD_FAIL: Module 3 reported failure\n",
		EV_LOG_ALARM, NULL},
	{"nxos",
		"2025 Feb 18 10:30:15 leaf7 %SYSMGR-2-SERVICE_CRASHED: Service 'bgp' (PID 1234) "
		"hasn`t caught signal 11\n",
		EV_LOG_ALARM, NULL},
	{"cumulus", CL "switchd[19517]: sync_base.c:596 swp51: ifindex 54, admin down\n",
		EVENT_COUNT, NULL},
	{"cumulus", CL "switchd[19517]: sync_base.c:604 swp51: ifindex 54, oper down\n",
		EV_LOG_ALARM, "swp51"},
	{"cumulus", CL "systemd[1]: Dependency failed for Cumulus Linux LED Manager Daemon.\n",
		EV_LOG_ALARM, NULL},
	{"cumulus",
		CL "systemd[1]: ledmgrd.service: Job ledmgrd.service/start failed with result "
		   "`dependency`.\n",
		EV_LOG_ALARM, NULL},
	{"cumulus", CL "systemd[1]: Started Cumulus Linux Switch Daemon.\n", EVENT_COUNT, NULL},
	{"cumulus", CL "systemd[1]: Cumulus Linux System Monitoring Daemon is not active.\n",
		EV_LOG_ALARM, NULL},
	{"cumulus", CL "systemd[1]: nvue-startup.service: Succeeded.\n", EVENT_COUNT, NULL},
	{"cumulus",
		CL "watchfrr[767]: [EC 268435457] zebra state -> down : initial connection attempt "
		   "failed\n",
		EV_LOG_ALARM, NULL},
	{"cumulus", CL "bgpd[1504]: [EC 100663301] INTERFACE_STATE: Cannot find IF eth1 in VRF 0\n",
		EV_LOG, NULL},
	{"cumulus", CL "zebra[37906]: [MR3ZF-ATDBY] Intf vxlan66(35) has gone DOWN\n", EV_LOG_ALARM,
		NULL},
	{"cumulus", CL "zebra[37906]: [T44X9-FFNVB] Intf vxlan66(35) L2-VNI 66 is DOWN\n",
		EV_LOG_ALARM, NULL},
	{"cumulus",
		CL "zebra[37906]: [ZAG0W-VSNSD] interface vxlan66 vrf default(0) index 35 becomes "
		   "active.\n",
		EV_LOG, NULL},
	{"cumulus",
		CL "zebra[37906]: [HPWGA-Y527W] IFLA_VXLAN_LINK missing from VXLAN IF message\n",
		EV_LOG, NULL},
	{"cumulus",
		CL "bgpd[37911]: [MDW89-YAXJG][EC 33554497] 0: VNI hash entry for VNI 66 not found "
		   "at DEL\n",
		EV_LOG, NULL},
	{"cumulus",
		CL "pimd[393]: [Q32D4-6GE0S] pim_if_add_vif: could not get address for interface "
		   "lo ifindex=1\n",
		EVENT_COUNT, NULL},
};

static const struct log_line sixteenth[] = {
	{"sonic",
		SONIC "WARNING swss#orchagent: :- pfcFrameCounterCheck: Got PFC 2232283451 "
		      "frame(s) on lossy queue 3 port Ethernet4\n",
		EV_LOG_ALARM, "Ethernet4"},
	{"sonic",
		SONIC "ERR swss#orchagent: :- createEntry: Failed to start PFC Watchdog on port "
		      "Ethernet0\n",
		EV_LOG_ALARM, "Ethernet0"},
	{"sonic",
		SONIC "NOTICE swss#orchagent: :- registerInWdDb: No lossless TC found on port "
		      "Ethernet0\n",
		EV_LOG, "Ethernet0"},
	{"sonic", SONIC "INFO pmon#supervisord: psud /bin/sh: 1: ipmitool: not found\n",
		EVENT_COUNT, NULL},
	{"sonic",
		SONIC "WARNING pmon#psud[31]: Failed to update PSU data - Command `ipmitool sdr "
		      "dump /usr/local/sdr_dump` returned non-zero exit status 127.\n",
		EV_LOG_ALARM, NULL},
	{"sonic",
		SONIC
		"ERR snmp#snmp-subagent [sonic_ax_impl] ERROR: PSU1_FAN1 get fan parent failed\n",
		EV_LOG, NULL},
	{"sonic", SONIC "WARNING pmon#psud: Power absence warning: PSU 4 is out of power.\n",
		EV_LOG_ALARM, NULL},
	{"sonic",
		SONIC "WARNING pmon#psud: PSU voltage warning: PSU 4 voltage out of range, current "
		      "voltage=0.0, valid range=[12.898, 11.699].\n",
		EV_LOG_ALARM, NULL},
	{"sonic",
		SONIC "NOTICE pmon#psud: PSU supplied power warning cleared: supplied power is "
		      "back to normal.\n",
		EV_LOG, NULL},
	{"sonic",
		SONIC "NOTICE pmon#psud: message repeated 6 times: [ PSU supplied power warning "
		      "cleared: supplied power is back to normal.]\n",
		EV_LOG, NULL},
	{"sonic",
		SONIC "WARNING pmon#thermalctld: Temperature of Power supply 4 inlet sensor "
		      "changed too fast, from 22.0 to 0.0, please check your hardware\n",
		EV_LOG_ALARM, NULL},
	{"sonic",
		SONIC "ERR pmon#thermalctld[39]: Caught exception while initializing thermal "
		      "manager - \n",
		EV_LOG_ALARM, NULL},
	{"sonic",
		SONIC "ERR pmon#xcvrd[35]: :- initializeGlobalConfig: Sonic database config global "
		      "file doesn`t exist at /var/run/redis/sonic-db/database_global.json\n",
		EV_LOG_ALARM, NULL},
	{"sonic",
		SONIC "INFO syncd#supervisord: syncd 0:soc_cmicx_led_link_status: Led msg id 0x0 "
		      "send failed, Error Code -3\n",
		EVENT_COUNT, NULL},
	{"sonic",
		SONIC "ERR nat#supervisor-proc-exit-listener: Unable to retrieve features for "
		      "container `nat`. Exiting...\n",
		EV_LOG_ALARM, NULL},
	{"sonic",
		SONIC "INFO swss#supervisord: orchagent terminate called after throwing an "
		      "instance of `std::invalid_argument`\n",
		EV_LOG_ALARM, NULL},
	{"sonic",
		SONIC "ERR swss0#orchagent: :- doTask: Failed to get port object for port id "
		      "0x10000000000a9\n",
		EV_LOG_ALARM, NULL},
	{"eos",
		"Apr  9 08:53:08 leaf7 ProcMgr: %PROCMGR-6-COMMAND_RECEIVED: ProcMgr has received "
		"`warm start` command\n",
		EVENT_COUNT, NULL},
	{"eos",
		"Apr  9 08:53:08 leaf7 Launcher: %LAUNCHER-6-PROCESS_START: Configuring process "
		"`eventlogger` to start in role `ActiveSupervisor`\n",
		EVENT_COUNT, NULL},
	{"eos",
		"Apr  9 08:53:08 leaf7 ProcMgr-worker: %PROCMGR-7-NEW_PROCESSES: New processes "
		"configured to run under ProcMgr control: [`eventlogger`]\n",
		EVENT_COUNT, NULL},
	{"eos",
		"Apr  9 08:53:08 leaf7 ProcMgr: %PROCMGR-6-TERMINATE_RUNNING_PROCESS: Terminating "
		"deconfigured/reconfigured process `SystemInitMonitor` (PID=1234)\n",
		EVENT_COUNT, NULL},
	{"eos",
		"Apr  9 08:53:08 leaf7 Acl: %ACL-6-IPACCESS: list acl-internet Ethernet1 denied "
		"tcp 10.1.2.3(63751) -> 10.4.5.6(445)\n",
		EVENT_COUNT, NULL},
	{"eos", "<189>Jan 17 14:32:15 leaf7 Ebra: %BGP-5-ADJCHANGE: Down 192.168.1.2\n",
		EV_LOG_ALARM, NULL},
	{"nxos",
		"<189>2019 Jan 16 04:40:19 leaf7 %STP-2-BLOCK_BPDUGUARD: Received BPDU on port "
		"Ethernet1/43 with BPDU Guard enabled. Disabling port.\n",
		EV_LOG_ALARM, "Ethernet1/43"},
	{"nxos",
		"2024 Jan 15 14:32:18 +00:00 leaf7 %SYSMGR-2-SYSMGR_SERVICES_CRITICAL: Critical "
		"service down: fspf\n",
		EV_LOG_ALARM, NULL},
	{"nxos",
		"2024 Jan 15 10:32:00 leaf7 %PORT_CHANNEL-5-IF_UP: Interface port-channel10 is "
		"up\n",
		EV_LOG, "port-channel10"},
	{"nxos",
		"2024 Jan 15 10:31:15 leaf7 %$ VDC-1 %$ %SYSMGR-2-SERVICE_CRASHED: Service 'ospf' "
		"crashed\n",
		EV_LOG_ALARM, NULL},
	{"nxos",
		"2024 Jan 15 10:31:15 leaf7 %MODULE-4-MOD_WARNING: Module 1 (Serial number: "
		"JAE200606DY) reported failure on ports fc6/34-36 (Fibre Channel) due to Local "
		"serial link syncing exception in device DEV_LOCAL_SAC_ASIC (device error "
		"0xc9100200)\n",
		EV_LOG_ALARM, NULL},
	{"nxos",
		"2024 Jan 15 10:31:15 leaf7 %PLATFORM-2-PS_FAIL: Power supply 1 failed or "
		"shutdown\n",
		EV_LOG_ALARM, NULL},
	{"cumulus",
		"Nov  1 15:08:03 leaf7 pimd[393]: [VAKV3-NMY7B][EC 100663337] error processing "
		"configuration change: error [internal inconsistency] event [apply] operation "
		"[create]\n",
		EVENT_COUNT, NULL},
	{"cumulus",
		"2023/03/06 16:41:33 ZEBRA: [TDS34-MNEJW]     Neighbor Entry received is not on a "
		"VLAN or a BRIDGE, ignoring\n",
		EV_LOG, NULL},
	{"cumulus",
		"2022/10/25 09:11:22 BGP: [VCGF0-X62M1][EC 100663301] INTERFACE_STATE: Cannot find "
		"IF vxlan275100 in VRF 0\n",
		EV_LOG, NULL},
	{"cumulus",
		"2023/12/22 10:46:01 BGP: [VB567-F0EDJ] %ADJCHANGE: neighbor 24.2.1.103(leaf9) in "
		"vrf er_vrf_1 Down User reset\n",
		EV_LOG_ALARM, NULL},
	{"cumulus",
		"2023/12/22 10:46:03 BGP: [QTNRG-A0X1J] %ADJCHANGE: neighbor 24.2.1.103(leaf9) in "
		"vrf er_vrf_1 Up\n",
		EV_LOG, NULL},
	{"cumulus",
		"2023/12/22 10:46:04 BGP: [M59KS-A3ZXZ] bgp_update_receive: rcvd End-of-RIB for "
		"IPv4 Unicast from 24.2.1.103 in vrf er_vrf_1\n",
		EVENT_COUNT, NULL},
	{"cumulus",
		"<30>Jun 19 22:12:41 bgpd[73781]: %ADJCHANGE: neighbor 10.6.106.2(leaf9) in vrf "
		"default Down Peer closed the session\n",
		EV_LOG_ALARM, NULL},
};

CASE(lines_of_the_fourteenth_batch)
{
	log_lines_expect(fourteenth, ARRAY_LEN(fourteenth));
}

CASE(lines_of_the_fifteenth_batch)
{
	log_lines_expect(fifteenth, ARRAY_LEN(fifteenth));
}

CASE(lines_of_the_sixteenth_batch)
{
	log_lines_expect(sixteenth, ARRAY_LEN(sixteenth));
}

CASES_MAIN(NULL, NULL)
