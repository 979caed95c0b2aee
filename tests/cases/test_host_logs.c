/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of kernel logs from public reports, rewritten: see hosts.md for their sources. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "tests/cases/host_rig.h"
#include "tests/support/cases.h"

#define STAMP "2026-11-26T14:40:39+00:00 node1 kernel: "

static const char host[] = "sys infiniband/mlx5_3/ports/1/state 4: ACTIVE\n"
			   "sys infiniband/mlx5_3/ports/1/phys_state 5: LinkUp\n"
			   "sys infiniband/mlx5_3/ports/1/gid_attrs/ndevs/0 n3\n"
			   "pci mlx5_3 0000:9b:00.0 -\n"
			   "sys infiniband/rocep7s0f1/ports/1/state 4: ACTIVE\n"
			   "sys infiniband/rocep7s0f1/ports/1/gid_attrs/ndevs/0 p7\n"
			   "pci rocep7s0f1 0000:07:00.1 -\n"
			   "sys infiniband/bnxt_re0/ports/1/state 4: ACTIVE\n"
			   "sys infiniband/bnxt_re0/ports/1/gid_attrs/ndevs/0 p1p1\n"
			   "pci bnxt_re0 0000:3b:00.0 -\n"
			   "sys infiniband/ionic_0/ports/1/state 4: ACTIVE\n"
			   "sys infiniband/ionic_0/ports/1/gid_attrs/ndevs/0 benic1p1\n"
			   "pci ionic_0 0000:24:00.0 -\n"
			   "sys infiniband/efa_0/ports/1/state 4: ACTIVE\n"
			   "pci efa_0 0000:00:1e.0 -\n"
			   "sys infiniband/mlx5_bond_0/ports/1/state 4: ACTIVE\n"
			   "sys infiniband/mlx5_bond_0/ports/1/gid_attrs/ndevs/0 bond0\n"
			   "net bond0 oper=up speed=400000 slaves=e0,e1 mode=802.3ad,4\n"
			   "net e0 oper=up speed=200000\n"
			   "net e1 oper=up speed=200000\n"
			   "net n3 oper=up speed=400000\n"
			   "net p7 oper=up speed=100000\n"
			   "net p1p1 oper=up speed=400000\n"
			   "net benic1p1 oper=up speed=400000\n";

struct log_case {
	const char *line;
	const char *port;    /* of the alarm, "": the host; NULL: no alarm is right */
	const char *finding; /* NULL: none */
	const char *title;   /* a part of it */
	enum severity severity;
};

static const struct log_case cases[] = {
	{"mlx5_core 0000:9b:00.0: device's health compromised - reached miss count", "mlx5_3",
		"host.nic_error", "firmware does not answer", SEV_CRIT},
	{"bonding: bond0: link status definitely down for interface e1, disabling it", "e1",
		"host.nic_error", "link is down", SEV_WARN},
	{"NVRM: Xid (PCI:0000:dc:00): 45, pid=1818990, name=python3, Ch 00000001 caused by "
	 "previous Xid 149",
		"", "host.gpu_error", "Xid 149 at 0000:dc:00", SEV_CRIT},
	{"NVRM: Xid (PCI:0000:01:00): 144, SAW_MVB Nonfatal XC0 i0 Link 0 (0x00000001 0x00000008)",
		"", "host.gpu_error", "Xid 144", SEV_WARN},
	{"NVRM: Xid (PCI:0000:01:00): 149, NETIR_LINK_EVT Fatal XC0 i0 Link 00 (0x026001c6)", "",
		"host.gpu_error", "Xid 149", SEV_CRIT},
	{"ionic 0000:24:00.0: FW heartbeat stalled at 2952797608", "ionic_0", "host.nic_error",
		"firmware does not answer", SEV_CRIT},
	{"ionic 0000:24:00.0 ionic_0: opcode CREATE_QP (2) error BAD_ATTR (5)", "ionic_0",
		"host.nic_error", "command of the driver failed", SEV_WARN},
	{"ice 0000:07:00.1 rocep7s0f1: abnormal ae_id = 0x401 bool qp=1 qp_id = 1, ae_src=5",
		"rocep7s0f1", "host.nic_error", "queue pair failed", SEV_WARN},
	{"infiniband rocep7s0f1: Fatal error (1) on MAD QP (1)", "rocep7s0f1", "host.nic_error",
		"queue pair failed", SEV_WARN},
	{"bnxt_en 0000:3b:00.0 p1p1: hwrm req_type 0x53 seq id 0x6fca error 0x2", "bnxt_re0",
		"host.nic_error", "command of the driver failed", SEV_WARN},
	{"bnxt_en 0000:3b:00.0: QPLIB: cmdq[0xd3a]=0x9 status 0x3", "bnxt_re0", "host.nic_error",
		"command of the driver failed", SEV_WARN},
	{"bnxt_en 0000:3b:00.0 p1p1: Firmware reset request successful.", NULL, NULL, "", SEV_OK},
	{"[drm:amdgpu_job_timedout [amdgpu]] *ERROR* ring gfx timeout, signaled seq=73, emitted "
	 "seq=75",
		"", "host.gpu_error", "AMD GPU does not answer", SEV_CRIT},
	{"amdgpu 0000:05:00.0: amdgpu: GPU reset begin!. Source:  4", "", "host.gpu_error",
		"AMD GPU was reset", SEV_CRIT},
	{"amdgpu 0000:05:00.0: amdgpu: GPU reset(1) failed with error -110", "", "host.gpu_error",
		"AMD GPU was reset", SEV_CRIT},
	{"amdgpu 0000:05:00.0: amdgpu: GPU reset(1) succeeded!", NULL, NULL, "", SEV_OK},
	{"mlx5_core 0000:9b:00.0: mlx5_crdump_collect: unrecoverable hardware error detected",
		"mlx5_3", "host.nic_error", "hardware error", SEV_CRIT},
	{"NETDEV WATCHDOG: n3 (mlx5_core): transmit queue 12 timed out", "mlx5_3", "host.nic_error",
		"send queue hangs", SEV_CRIT},
	{"pcieport 0000:00:01.1: AER: Uncorrectable (Fatal) error message received from "
	 "0000:9b:00.0",
		"mlx5_3", "host.nic_error", "uncorrected PCIe error", SEV_CRIT},
	{"mlx5_core 0000:9b:00.0 n3: Error cqe on cqn 0x4a3, ci 0x1f, qn 0x9d1, opcode 0xd, "
	 "syndrome 0x4, vendor syndrome 0x51",
		"mlx5_3", "host.nic_error", "work request failed", SEV_WARN},
	{"efa 0000:00:1e.0: Failed to process command CREATE_CQ (opcode 10) comp_status 7 err -22",
		"efa_0", "host.nic_error", "command of the driver failed", SEV_WARN},
	{"mlx5_core 0000:9b:00.0: Port module event[error]: module 0, Cable error, High "
	 "Temperature",
		"mlx5_3", "host.nic_error", "module or cable", SEV_WARN},
};

/* A second batch. */
static const struct log_case later_cases[] = {
	{"mlx5_core 0000:9b:00.0: cq_err_event_notifier:529:(pid 9422): CQ error on CQN 0x406, "
	 "syndrome 0x1",
		"mlx5_3", "host.nic_error", "", SEV_WARN},
	{"mlx5_core 0000:9b:00.0: wait_func_handle_exec_timeout:1128:(pid 185911): cmd[-22]: "
	 "CREATE_UCTX(0xa04) No done completion",
		"mlx5_3", "host.nic_error", "firmware does not answer", SEV_CRIT},
	{"mlx5_core 0000:9b:00.0: wait_func_handle_exec_timeout:1113:(pid 3122): cmd[0]: "
	 "CREATE_CQ(0x400) recovered after timeout",
		NULL, NULL, "", SEV_OK},
	{"mlx5_core 0000:9b:00.0: mlx5_health_try_recover:338:(pid 5553): health recovery flow "
	 "aborted, PCI reads still not working",
		"mlx5_3", "host.nic_error", "", SEV_CRIT},
	{"mlx5_core 0000:9b:00.0: print_health_info:431:(pid 0): Health issue observed, firmware "
	 "internal error, severity(3) ERROR:",
		"mlx5_3", "host.nic_error", "health issue", SEV_CRIT},
	{"mlx5_core 0000:9b:00.0: mlx5_pcie_event:297:(pid 11): PCIe slot power capability was not "
	 "advertised.",
		NULL, NULL, "", SEV_OK},
	{"mlx5_core 0000:9b:00.0: mlx5_pcie_event:294:(pid 542): PCIe slot advertised sufficient "
	 "power (75W).",
		NULL, NULL, "", SEV_OK},
	{"nvidia-nvswitch0: SXid (PCI:0000:c3:00.0): 20009, Non-fatal, Link 28 RX Short Error Rate",
		"", "host.gpu_error", "SXid 20009", SEV_WARN},
	{"nvidia-nvswitch0: SXid (PCI:0000:59:00.0): 23001, Fatal, Link 12 Always Fatal", "",
		"host.gpu_error", "SXid 23001", SEV_CRIT},
	{"amdgpu 0000:05:00.0: amdgpu: uncorrectable hardware error(ERREVENT_ATHUB_INTERRUPT) "
	 "detected!",
		"", "host.gpu_error", "uncorrectable", SEV_CRIT},
	{"amdgpu 0000:05:00.0: amdgpu: Uncorrectable error detected in UMC inst: 0, chan_idx: 3",
		"", "host.gpu_error", "uncorrectable", SEV_CRIT},
	{"pcieport 0000:00:01.1: AER: Correctable error message received from 0000:9b:00.0",
		"mlx5_3", "host.nic_error", "corrected PCIe error", SEV_WARN},
	{"pcieport 0000:00:01.1: AER: Uncorrectable (Non-Fatal) error message received from "
	 "0000:9b:00.0",
		"mlx5_3", "host.nic_error", "uncorrected PCIe error", SEV_CRIT},
	{"bond0: Warning: No 802.3ad response from the link partner for any adapters in the bond",
		"mlx5_bond_0", "host.nic_error", "LACP", SEV_WARN},
	{"NVRM: Xid (PCI:0000:01:00): 48, pid='<unknown>', name=<unknown>, An uncorrectable double "
	 "bit error (DBE) has been detected",
		"", "host.gpu_error", "Xid 48", SEV_CRIT},
	{"NVRM: Xid (PCI:0000:01:00): 32, Channel ID 00000009 intr 00800000", "", NULL, "", SEV_OK},
};

/* The last batch. */
static const struct log_case last_cases[] = {
	{"ice 0000:07:00.1 irdma0: HMC Error", "rocep7s0f1", "host.nic_error", "", SEV_CRIT},
	{"irdma0: [Delete Local MAC Entry Cmd Error][op_code=49] status=-27 waiting=1 "
	 "completion_err=0 maj=0x0 min=0x0",
		"", "host.nic_error", "", SEV_WARN},
	{"bnxt_en 0000:3b:00.0: QPLIB: bnxt_re_is_fw_stalled: FW STALL Detected. cmdq[0xe]=0x3 "
	 "waited (103641 > 100000) msec active 1",
		"bnxt_re0", "host.nic_error", "firmware does not answer", SEV_CRIT},
	{"bnxt_en 0000:3b:00.0 bnxt_re0: Failed to modify HW QP", "bnxt_re0", "host.nic_error",
		"command of the driver failed", SEV_WARN},
	{"pcieport 0000:c0:01.1: PCIe Bus Error: severity=Uncorrected (Fatal), type=Transaction "
	 "Layer, (Requester ID)",
		"", NULL, "", SEV_OK},
	{"bond0: now running without any active interface!", "mlx5_bond_0", "host.nic_error",
		"bond has no link", SEV_CRIT},
	{"bond0: (slave e0): making interface the new active one", NULL, NULL, "", SEV_OK},
	{"infiniband bnxt_re0: Device registered with IB successfully", NULL, NULL, "", SEV_OK},
	{"NVRM: Xid (PCI:0000:00:01.0): 79, pid='<unknown>', name='<unknown>', GPU has fallen off "
	 "the bus.",
		"", "host.gpu_error", "Xid 79 at 0000:00:01.0", SEV_CRIT},
	{"mlx5_core 0000:9b:00.0: cmd_work_handler:877:(pid 3880418): failed to allocate command "
	 "entry",
		"mlx5_3", "host.nic_error", "command of the driver failed", SEV_WARN},
	{"nvidia-nvswitch3: SXid (PCI:0000:05:00.0): 12028, Severity 0 Engine instance 32 "
	 "Sub-engine instance 00",
		"", NULL, "", SEV_OK},
};

/* Tried when all of the above were read right. */
static const struct log_case fresh_cases[] = {
	{"mlx5_core 0000:9b:00.0 n3: mlx5e_cq_error_event: cqn=0x000406 event=0x04", "mlx5_3",
		"host.nic_error", "", SEV_WARN},
	{"infiniband bnxt_re0: Couldn't change QP1 state to INIT: -110", "bnxt_re0",
		"host.nic_error", "", SEV_WARN},
	{"mlx5_core 0000:9b:00.0: mlx5_cmd_eq_recover:247:(pid 3122): Recovered 1 EQEs on cmd_eq",
		NULL, NULL, "", SEV_OK},
	{"mlx5_core 0000:9b:00.0: E-Switch: Enable: mode(LEGACY), nvfs(1), necvfs(0), active "
	 "vports(2)",
		NULL, NULL, "", SEV_OK},
	{"ionic 0000:24:00.0: disabling already-disabled device", NULL, NULL, "", SEV_OK},
	{"ice 0000:07:00.1 irdma0: Requesting a reset", "rocep7s0f1", "host.nic_error",
		"driver reset it", SEV_CRIT},
	{"bnxt_en 0000:3b:00.0 bnxt_re0: Failed to register fence-MR", "bnxt_re0", "host.nic_error",
		"", SEV_WARN},
	{"[drm] IP block:gfx_v8_0 is hung!", "", "host.gpu_error", "", SEV_CRIT},
	{"mlx5_core 0000:9b:00.0: firmware version: 28.45.2028", NULL, NULL, "", SEV_OK},
	{"mlx5_core 0000:9b:00.0: Port module event: module 0, Cable plugged", NULL, NULL, "",
		SEV_OK},
	{"NVRM: GPU at PCI:0000:01:00: GPU-34d7319c-5b19-1e75-186d-c187099e4fe5", NULL, NULL, "",
		SEV_OK},
	{"NVRM: Xid (PCI:0000:01:00): 119, pid=1234, name=python, Timeout after 6s of waiting for "
	 "RPC response from GPU0 GSP! Expected function 76",
		"", "host.gpu_error", "Xid 119", SEV_CRIT},
	{"bond0: (slave e0): link status up, enabling it in 400 ms", NULL, NULL, "", SEV_OK},
};

/* Of reports that nobody here had tried: see "Reports of one day" in hosts.md. */
static const struct log_case day_cases[] = {
	{"NVRM: GPU 0000:b3:00.0: GPU has fallen off the bus.", "", "host.gpu_error",
		"fallen off the bus", SEV_CRIT},
	{"NVRM: fallen off the bus and is not responding to commands.", "", "host.gpu_error",
		"fallen off the bus", SEV_CRIT},
	{"NVRM: The NVIDIA probe routine failed for 1 device(s).", "", "host.gpu_error", "",
		SEV_CRIT},
	{"mlx5_core 0000:9b:00.0 n3: TX timeout detected", "mlx5_3", "host.nic_error",
		"send queue hangs", SEV_CRIT},
	{"mlx5_core 0000:9b:00.0 n3: TX timeout on queue: 12, SQ: 0x1a2b, CQ: 0x4f, SQ Cons: 0x1 "
	 "SQ Prod: 0x20, usecs since last trans: 16000000",
		"mlx5_3", "host.nic_error", "send queue hangs", SEV_CRIT},
	{"infiniband mlx5_3: dump_cqe:272:(pid 1234): dump error cqe", "mlx5_3", "host.nic_error",
		"work request failed", SEV_WARN},
	{"infiniband mlx5_3: mlx5_poll_one:527:(pid 0): Responder error cqe on cqn 0x406:",
		"mlx5_3", "host.nic_error", "work request failed", SEV_WARN},
	{"infiniband mlx5_3: mlx5_poll_one:530:(pid 0): syndrome 0x5, vendor syndrome 0xf9", NULL,
		NULL, "", SEV_OK},
	{"ice 0000:07:00.1 rocep7s0f1: critical PE Error, GLPE_CRITERR=0x00011424", "rocep7s0f1",
		"host.nic_error", "", SEV_CRIT},
	{"ice 0000:07:00.1 rocep7s0f1: cqp opcode = 0x1 maj_err_code = 0xffff min_err_code = "
	 "0x8003",
		"rocep7s0f1", "host.nic_error", "command of the driver failed", SEV_WARN},
	{"ice 0000:07:00.1 rocep7s0f1: [Modify QP Cmd Error][op_code=8] status=-29 waiting=1 "
	 "completion_err=1 maj=0xffff min=0x8003",
		"rocep7s0f1", "host.nic_error", "", SEV_WARN},
	{"ice 0000:07:00.1 rocep7s0f1: ICE OICR event notification: oicr = 0x06000803",
		"rocep7s0f1", "host.nic_error", "", SEV_WARN},
	{"bond0: (slave e0): Releasing backup interface", NULL, NULL, "", SEV_OK},
	{"bond0: the permanent HWaddr of e0 - 7c:d3:0a:e9:31:78 - is still in use by bond0 - set "
	 "the HWaddr of e0 to a different address to avoid conflicts",
		NULL, NULL, "", SEV_OK},
	{"infiniband bnxt_re0: Couldn't start port", "bnxt_re0", "host.nic_error", "", SEV_WARN},
	{"bnxt_en 0000:3b:00.0 bnxt_re0: Failed to destroy HW QP", "bnxt_re0", "host.nic_error", "",
		SEV_WARN},
	{"pcieport 0000:00:03.0: AER: Corrected error received: 0000:00:03.0", "", NULL, "",
		SEV_OK},
	{"mlx5_core 0000:9b:00.0 mlx5_3: Port: 1 Link INIT", NULL, NULL, "", SEV_OK},
	{"workqueue: ib_cache_event_task [ib_core] hogged CPU for >10000us 4 times, consider "
	 "switching to WQ_UNBOUND",
		NULL, NULL, "", SEV_OK},
	{"efa 0000:00:1e.0: Setup irq:1861 name:efa-mgmnt@pci:0000:4f:00.0", NULL, NULL, "",
		SEV_OK},
};

/* Tried when those were read right. */
static const struct log_case evening_cases[] = {
	{"mlx5_core 0000:9b:00.0: mlx5_cmd_out_err:838:(pid 1441871): ACCESS_REG(0x805) "
	 "op_mod(0x1) failed, status bad operation(0x2), syndrome (0x9a6171), err(-22)",
		"mlx5_3", "host.nic_error", "command of the driver failed", SEV_WARN},
	{"mlx5_core 0000:9b:00.0: mlx5_load_one failed with error code -22", "mlx5_3",
		"host.nic_error", "", SEV_CRIT},
	{"mlx5_core: probe of 0000:9b:00.0 failed with error -22", "mlx5_3", "host.nic_error", "",
		SEV_CRIT},
	{"watchdog: BUG: soft lockup - CPU#12 stuck for 226906s! [ksoftirqd/12:79]", "", NULL, "",
		SEV_OK},
};

static const struct log_case night_cases[] = {
	{"mlx5_core 0000:9b:00.0: 0000:9b:00.0:handle_hca_cap:438:(pid 6016): log_max_qp value in "
	 "current profile is 18, changing it to HCA capability limit (17)",
		NULL, NULL, "", SEV_OK},
	{"mlx5_core 0000:9b:00.0: handle_hca_cap failed", "mlx5_3", "host.nic_error", "", SEV_WARN},
	{"infiniband mlx5_3: create_mkey_callback:148:(pid 0): async reg mr failed. status -12",
		"mlx5_3", "host.nic_error", "command of the driver failed", SEV_WARN},
	{"mlx5_core 0000:9b:00.0: mlx5_cmd_check:794:(pid 0): CREATE_MKEY(0x200) op_mod(0x0) "
	 "failed, status limits exceeded(0x8), syndrome (0x59c8a4)",
		"mlx5_3", "host.nic_error", "command of the driver failed", SEV_WARN},
	{"mlx5_3/1: QP 51291 error: local length error (0x8e 0x0 0x0)", "mlx5_3", "host.nic_error",
		"queue pair failed", SEV_WARN},
};

/* A fourth batch, of other drivers and the kernel itself. */
static const struct log_case other_cases[] = {
	{"nvidia-peermem nv_get_p2p_free_callback:127 ERROR detected invalid context, skipping "
	 "further processing",
		NULL, NULL, "", SEV_OK},
	{"mlx5_warn:mlx5_3:mlx5_ib_reg_user_mr:1418:(pid 23265): umem get failed (-14)", "mlx5_3",
		"host.nic_error", "", SEV_WARN},
	{"NVRM: GPU 0000:0a:00.0: RmInitAdapter failed! (0x24:0x72:1568)", "", "host.gpu_error", "",
		SEV_CRIT},
	{"NVRM: kgspWaitForGfwBootOk_TU102: failed to wait for GFW boot complete: 0x65 VBIOS "
	 "version 94.02.59.00.05",
		"", "host.gpu_error", "", SEV_CRIT},
	{"amdgpu 0000:05:00.0: amdgpu: Fatal error during GPU init", "", "host.gpu_error", "",
		SEV_CRIT},
	{"{359}[Hardware Error]: Hardware error from APEI Generic Hardware Error Source: 512", "",
		NULL, "", SEV_OK},
	{"INFO: task python:19772 blocked for more than 120 seconds.", "", NULL, "", SEV_OK},
	{"nvidia 0000:2c:00.0: probe with driver nvidia failed with error -1", "", "host.gpu_error",
		"", SEV_CRIT},
	{"NVRM: GPU at PCI:0000:00:05: GPU-efbdfde9-5798-a6e7-4c46-12518fa15375", NULL, NULL, "",
		SEV_OK},
	{"mlx5_core 0000:9b:00.0: is_dpll_supported:213:(pid 1313): Missing SyncE capability", NULL,
		NULL, "", SEV_OK},
	{"nv_mem nv_get_p2p_free_callback:155 nv_get_p2p_free_callback -- invalid dma_mapping", "",
		NULL, "", SEV_OK},
	{"pci 0000:9b:00.0: BAR 7: failed to assign [mem size 0x01000000 64bit pref]", NULL, NULL,
		"", SEV_OK},
};

/* A fifth batch. */
static const struct log_case fifth_cases[] = {
	{"mlx5_core 0000:9b:00.0: Successfully unregistered panic handler for port 1", NULL, NULL,
		"", SEV_OK},
	{"amdgpu 0000:05:00.0: amdgpu: get invalid ip discovery binary signature", "",
		"host.gpu_error", "", SEV_CRIT},
	{"amdgpu 0000:05:00.0: amdgpu: finishing device.", NULL, NULL, "", SEV_OK},
	{"NVRM: osInitNvMapping: *** Cannot attach gpu", "", "host.gpu_error", "", SEV_CRIT},
	{"NVRM: RmInitAdapter: Cannot initialize GSP firmware RM", "", "host.gpu_error", "",
		SEV_CRIT},
	{"gdrdrv:nvidia_p2p_get_pages(va=2305ba0000 len=4194304 p2p_token=0 va_space=0) failed "
	 "[ret = -22]",
		"", "host.gpu_error", "", SEV_WARN},
};

/* A sixth batch. */
static const struct log_case sixth_cases[] = {
	{"NVRM: GPU6 _kgspBootGspRm: (the GPU is likely in a bad state and may need to be reset)",
		"", "host.gpu_error", "", SEV_CRIT},
	{"NVRM: GPU6 _kgspBootGspRm: unexpected WPR2 already up, cannot proceed with booting GSP",
		"", "host.gpu_error", "", SEV_CRIT},
	{"NVRM kfspSendBootCommands_GH100: FSP boot cmds failed. RM cannot boot.", "",
		"host.gpu_error", "", SEV_CRIT},
	{"NVRM: nvAssertFailed: Assertion failed: 0 @ g_kern_gmmu_nvoc.h:2254", "",
		"host.gpu_error", "", SEV_WARN},
	{"amdgpu 0000:83:00.0: amdgpu: [gfxhub] page fault (src_id:0 ring:24 vmid:8 pasid:32775, "
	 "for process python3 pid 172865 thread python3 pid 172865)",
		"", NULL, "", SEV_OK},
};

/* A seventh batch. */
static const struct log_case seventh_cases[] = {
	{"infiniband efa_0: Failed to process command ALLOC_PD (opcode 14) comp_status 1 err -12",
		"efa_0", "host.nic_error", "", SEV_WARN},
	{"NVRM: nvGpuOpsReportFatalError: uvm encountered global fatal error 0x60, requiring os "
	 "reboot to recover.",
		"", "host.gpu_error", "", SEV_CRIT},
	{"nvidia-modeset: ERROR: GPU:0: Error while waiting for GPU progress: 0x0000c97d:0", "",
		"host.gpu_error", "", SEV_WARN},
	{"NVRM: nvAssertOkFailedNoLog: Assertion failed: GPU lost from the bus "
	 "[NV_ERR_GPU_IS_LOST] (0x0000000F) returned from rpcRmApiControl @ rpc.c:100",
		"", "host.gpu_error", "", SEV_CRIT},
	{"NVRM: rm_init_adapter failed for device bearing minor number 0", "", "host.gpu_error", "",
		SEV_CRIT},
};

/* An eighth batch: as a search for the operators' words brings them. */
static const struct log_case eighth_cases[] = {
	{"infiniband mlx5_3: mlx5_poll_one:527:(pid 0): Responder error cqe on cqn 0x406:",
		"mlx5_3", "host.nic_error", "", SEV_WARN},
	{"mlx5_core 0000:9b:00.0: Port module event: module 0, Cable plugged", NULL, NULL, "",
		SEV_WARN},
	{"mlx5_core 0000:9b:00.0: mlx5_pcie_event:294:(pid 542): PCIe slot advertised sufficient "
	 "power (75W).",
		NULL, NULL, "", SEV_WARN},
	{"mlx5_core 0000:9b:00.0: Rate limit: 127 rates are supported, range: 0Mbps to 24414Mbps",
		NULL, NULL, "", SEV_WARN},
	{"nfs: server fs.tcblab not responding, still trying", "", NULL, "", SEV_WARN},
	{"Lustre: 10110:0:(client.c:2116:ptlrpc_expire_one_request()) @@@ Request sent has timed "
	 "out for slow reply: [sent 1630583792/real 1630583792]  req@ffff8938c5083600 "
	 "x1709089496416208/t0(0) o38->fs1-MDT0000-mdc-ffff88ddb@10.0.205.151@tcp:12/10",
		"", NULL, "", SEV_WARN},
};

/* A ninth batch. */
static const struct log_case ninth_cases[] = {
	{"pcieport 0000:9a:02.0: AER: Uncorrected (Fatal) error received: id=0010", "", NULL, "",
		SEV_CRIT},
	{"NVRM: fallen off the bus and is not responding to commands.", "", "host.gpu_error", "",
		SEV_CRIT},
	{"NVRM: GPU 0000:09:00.0: GPU has fallen off the bus.", "", "host.gpu_error", "", SEV_CRIT},
	{"NVRM: Xid (PCI:0000:02:00): 79, GPU has fallen off the bus.", "", "host.gpu_error",
		"Xid 79 at 0000:02:00", SEV_CRIT},
	{"e1000e 0000:00:1f.6 eno1: Detected Hardware Unit Hang:", "", NULL, "", SEV_WARN},
	{"NETDEV WATCHDOG: n3 (mlx5_core): transmit queue 0 timed out", "mlx5_3", "host.nic_error",
		"", SEV_CRIT},
	{"mlx5_core 0000:9b:00.0 n3: NETDEV WATCHDOG: CPU: 3: transmit queue 0 timed out 5010 ms",
		"mlx5_3", "host.nic_error", "", SEV_CRIT},
	{"igb 0000:00:14.0 eth0: igb: eth0 NIC Link is Down", "", NULL, "", SEV_WARN},
};

static const struct finding *any_error(const struct host_rig *r, const char *port)
{
	const struct finding *f = host_rig_found(r, "host.nic_error", port);

	return f ? f : host_rig_found(r, "host.gpu_error", port);
}

/* What is wrong with the reading of the line; NULL: nothing. */
static const char *misread(const struct log_case *c)
{
	struct host_rig *r = host_rig_new_alike(host);
	const struct event *e;
	const struct finding *f;
	const char *wrong = NULL;
	uint32_t port = EVENT_NO_ID;
	bool alarm = false;
	char text[400];

	host_rig_poll(r, 1);
	if (c->port && *c->port)
		port = host_rig_port(r, c->port)->id;
	(void)str_printf(text, sizeof(text), STAMP "%s\n", c->line);
	host_rig_log(r, text);
	for (size_t i = 0; (e = model_event(host_rig_model(r), i)); i++)
		alarm |= e->kind == EV_LOG_ALARM && (!c->port || e->port == port);
	f = any_error(r, c->port ? c->port : "");
	if (alarm != (c->port != NULL))
		wrong = c->port ? "no alarm" : "an alarm";
	else if (!c->finding && f)
		wrong = "a finding";
	else if (c->finding && (!f || !str_eq(finding_info[f->id].name, c->finding)))
		wrong = "no finding";
	else if (f && !strstr(f->title, c->title))
		wrong = "another title";
	else if (f && f->severity != c->severity)
		wrong = "another severity";
	host_rig_free(r);
	return wrong;
}

static void read_all(const struct log_case *at, size_t n)
{
	unsigned bad = 0;

	for (size_t i = 0; i < n; i++) {
		const char *wrong = misread(&at[i]);

		if (wrong)
			print_message("%s: %s\n", wrong, at[i].line);
		bad += wrong != NULL;
	}
	assert_int_equal(bad, 0);
}

CASE(lines_of_public_reports)
{
	read_all(cases, sizeof(cases) / sizeof(cases[0]));
}

CASE(lines_of_further_reports)
{
	read_all(later_cases, sizeof(later_cases) / sizeof(later_cases[0]));
}

CASE(lines_of_the_last_reports)
{
	read_all(last_cases, sizeof(last_cases) / sizeof(last_cases[0]));
}

CASE(lines_of_fresh_reports)
{
	read_all(fresh_cases, sizeof(fresh_cases) / sizeof(fresh_cases[0]));
}

CASE(lines_of_the_reports_of_one_day)
{
	read_all(day_cases, sizeof(day_cases) / sizeof(day_cases[0]));
}

CASE(lines_of_the_reports_of_an_evening)
{
	read_all(evening_cases, sizeof(evening_cases) / sizeof(evening_cases[0]));
}

CASE(lines_tried_last)
{
	read_all(night_cases, sizeof(night_cases) / sizeof(night_cases[0]));
}

CASE(lines_of_other_drivers)
{
	read_all(other_cases, sizeof(other_cases) / sizeof(other_cases[0]));
}

CASE(lines_of_a_fifth_batch)
{
	read_all(fifth_cases, sizeof(fifth_cases) / sizeof(fifth_cases[0]));
}

CASE(lines_of_a_sixth_batch)
{
	read_all(sixth_cases, sizeof(sixth_cases) / sizeof(sixth_cases[0]));
}

CASE(lines_of_a_seventh_batch)
{
	read_all(seventh_cases, sizeof(seventh_cases) / sizeof(seventh_cases[0]));
}

CASE(lines_of_an_eighth_batch)
{
	read_all(eighth_cases, sizeof(eighth_cases) / sizeof(eighth_cases[0]));
}

CASE(lines_of_a_ninth_batch)
{
	read_all(ninth_cases, sizeof(ninth_cases) / sizeof(ninth_cases[0]));
}

/* The tenth: what dmesg's words bring. */
static const struct log_case tenth_cases[] = {
	{"(NULL net_device): hw csum failure", "", NULL, "", SEV_WARN},
	{"ixgbe 0000:07:00.1: Warning firmware error detected FWSM: 0x00000000", "rocep7s0f1",
		"host.nic_error", "", SEV_WARN},
	{"NETDEV WATCHDOG: n3 (mtk_soc_eth): transmit queue 3 timed out", "mlx5_3",
		"host.nic_error", "send queue hangs", SEV_CRIT},
	{"NVRM: nvCheckOkFailedNoLog: Check failed: NVLink fabric state cached by the driver is "
	 "out of sync [NV_ERR_FABRIC_STATE_OUT_OF_SYNC] (0x00000087) returned from status @ "
	 "mem_multicast_fabric.c:2917",
		"", "host.gpu_error", "", SEV_WARN},
	{"nvme nvme0: address resolved (0): status 0 id 000000002ea79baa", NULL, NULL, "", SEV_OK},
	{"infiniband mlx5_3: poll_soft_wc:595:(pid 1333): polled software generated completion on "
	 "CQ 0x402",
		NULL, NULL, "", SEV_OK},
};

/* The eleventh: words of fabric managers and of AMD's GPUs. */
static const struct log_case eleventh_cases[] = {
	{"systemd[1]: nvidia-fabricmanager.service: Control process exited, code=exited, "
	 "status=1/FAILURE",
		"", "host.gpu_error", "fabric manager failed", SEV_WARN},
	{"nv-fabricmanager[1120]: Successfully configured all the available NVSwitches to route "
	 "GPU NVLink traffic. NVLink Peer-to-Peer support will be enabled once the GPUs are "
	 "successfully registered with the NVLink fabric.",
		NULL, NULL, "", SEV_OK},
	{"amdgpu 0000:68:00.0: {1}uncorrectable hardware error(ERREVENT_ATHUB_INTERRUPT) detected!",
		"", "host.gpu_error", "", SEV_CRIT},
	{"amdgpu 0000:9e:00.0: {1}[Hardware Error]: Accelerator Check Architecture events logged",
		"", "host.gpu_error", "", SEV_WARN},
};

/* NVIDIA/nccl 2241, leptonai/gpud 1174, aws/aws-parallelcluster 2701, ROCm/legacy-rocm-build 2533
 */
static const struct log_case twelfth_cases[] = {
	{"NVRM: Xid (PCI:0000:1b:00): 145, RLW_RXPIPE Nonfatal XC0 i0 Link 11 (0x0409a0c2)", "",
		"host.gpu_error", "Xid 145", SEV_WARN},
	{"NVRM: Xid (PCI:0000:1b:00): 137, RLW_RXPIPE interrupt hit on link 11 on GPU0: PRIV Error",
		"", NULL, "", SEV_OK},
	{"NVRM: GPU1 kbifCacheVFInfo_GB100: Unable to read NV_PF0_INITIAL_AND_TOTAL_VFS", NULL,
		NULL, "", SEV_OK},
	{"NVRM: Xid (PCI:0019:01:00): 149, NETIR Fatal XC0 i0 Link -1 (0x000fe406 0x00000000)", "",
		"host.gpu_error", "Xid 149", SEV_CRIT},
	{"NVRM: Xid (PCI:0018:01:00): 145, RLW_RXPIPE Nonfatal XC0 i0 Link 13 (0x0409a0c2)", "",
		"host.gpu_error", "Xid 145", SEV_WARN},
	{"NVRM: Xid (PCI:0000:9b:00): 94, pid=1234, name=python3, Contained ECC error", "",
		"host.gpu_error", "Xid 94", SEV_WARN},
	{"Lustre: 3315:0:(client.c:2116:ptlrpc_expire_one_request()) @@@ Request sent has failed "
	 "due "
	 "to network error: [sent 1619793571/real 1619793571]  req@0 x1/t0(0) "
	 "o250->MGC10.0.4.32@tcp@10.0.4.32@tcp:26/25",
		"", NULL, "", SEV_OK},
	{"Lustre: 3315:0:(client.c:2116:ptlrpc_expire_one_request()) Skipped 68 previous similar "
	 "messages",
		NULL, NULL, "", SEV_OK},
	{"[drm:mes_v11_0_submit_pkt_and_poll_completion.constprop.0 [amdgpu]] *ERROR* MES failed "
	 "to "
	 "response msg=3",
		"", "host.gpu_error", "does not answer", SEV_CRIT},
	{"amdgpu: failed to remove hardware queue from MES, doorbell=0x1002", "", "host.gpu_error",
		"", SEV_WARN},
	{"amdgpu: MES might be in unrecoverable state, issue a GPU reset", "", "host.gpu_error", "",
		SEV_CRIT},
};

/* appneta/tcpreplay 183, mtorromeo/r8168 64, rwth-i6/returnn 1500, ovro-lwa/lwa-issues 117,
 * ROCm/legacy-rocm-build 858, spdk/spdk 697
 */
static const struct log_case thirteenth_cases[] = {
	{"i40e 0000:08:00.1: eth9: tx_timeout recovery level 1", "", "host.nic_error", "send queue",
		SEV_CRIT},
	{"i40e 0000:08:00.1: eth9: NIC Link is Down", "", NULL, "", SEV_OK},
	{"i40e 0000:08:00.1: FCoE capability is disabled", NULL, NULL, "", SEV_OK},
	{"r8168 0000:07:00.1 p7: NETDEV WATCHDOG: CPU: 2: transmit queue 0 timed out 6464 ms",
		"rocep7s0f1", "host.nic_error", "send queue", SEV_CRIT},
	{"r8168 0000:07:00.1 p7: Transmit timeout reset Device!", "rocep7s0f1", "host.nic_error",
		"send queue", SEV_CRIT},
	{"nvidia 0000:03:00.0: AER: can't recover (no error_detected callback)", "",
		"host.gpu_error", "PCIe", SEV_CRIT},
	{"pcieport 0000:00:03.0: AER: device recovery failed", "", NULL, "", SEV_OK},
	{"pcieport 0000:00:03.0: AER: Multiple Uncorrected (Fatal) error received: 0000:00:03.0",
		"", NULL, "", SEV_OK},
	{"EDAC MC3: 1 UE memory read error on CPU_SrcID#1_MC#1_Chan#2_DIMM#0 (channel:2 slot:0)",
		"", NULL, "", SEV_OK},
	{"EDAC skx MC3: HANDLING MCE MEMORY ERROR", "", NULL, "", SEV_OK},
	{"pcieport 0000:00:03.1: AER: Multiple Uncorrected (Fatal) error received: id=0000", "",
		NULL, "", SEV_OK},
	{"amdgpu 0000:0a:00.0: device has no AER-aware driver", NULL, NULL, "", SEV_OK},
	{"nvme nvme0: rdma connection establishment failed (-104)", "", NULL, "", SEV_OK},
};

/* A fourteenth batch: see hosts.md, the twenty-first. */
static const struct log_case fourteenth_cases[] = {
	{"mlx5_core 0000:9b:00.0: wait_func_handle_exec_timeout:1104:(pid 141183): cmd[22]: "
	 "CREATE_DCT(0x710) No done completion",
		"mlx5_3", "host.nic_error", "firmware does not answer", SEV_CRIT},
	{"mlx5_core 0000:9b:00.0: wait_func:1132:(pid 141181): CREATE_DCT(0x710) timeout. Will "
	 "cause a leak of a command resource",
		"mlx5_3", "host.nic_error", "firmware does not answer", SEV_CRIT},
	{"NVRM: krcRcAndNotifyAllChannels_IMPL: RC all channels for critical error 79.", "",
		"host.gpu_error", "", SEV_CRIT},
	{"NVRM: _threadNodeCheckTimeout: API_GPU_ATTACHED_SANITY_CHECK failed!", "",
		"host.gpu_error", "", SEV_CRIT},
	{"NVRM: _issueRpcAndWait: rpcSendMessage failed with status 0x0000000f for fn 78 sequence "
	 "1016221!",
		"", "host.gpu_error", "", SEV_WARN},
	{"NVRM: GPU Board Serial Number: 0", NULL, NULL, "", SEV_OK},
	{"gim error libgv: [0:3d:0:0][PF][wait_for_first_cmd_complete:471] Timeout of waiting "
	 "command complete (500000 us).",
		"", "host.gpu_error", "", SEV_CRIT},
	{"gim error libgv: [0:3d:0:0][world_switch_bulk_goto_state_manual:294] WSSM: "
	 "GFX_SCH0_RLCV Timeout moving from VF0(SHUTDOWN VF) to VF31(LOAD)",
		"", "host.gpu_error", "", SEV_CRIT},
	{"INFO: task strat1_sim:78808 blocked for more than 120 seconds.", "", NULL, "", SEV_OK},
	{"\"echo 0 > /proc/sys/kernel/hung_task_timeout_secs\" disables this message.", NULL, NULL,
		"", SEV_OK},
	{"igb 0000:07:00.1 p7: PCIe link lost", "rocep7s0f1", "host.nic_error", "", SEV_CRIT},
	{"NETDEV WATCHDOG: p7 (igb): transmit queue 0 timed out", "rocep7s0f1", "host.nic_error",
		"send queue hangs", SEV_CRIT},
};

CASE(lines_of_a_fourteenth_batch)
{
	read_all(fourteenth_cases, sizeof(fourteenth_cases) / sizeof(fourteenth_cases[0]));
}

CASE(lines_of_a_thirteenth_batch)
{
	read_all(thirteenth_cases, sizeof(thirteenth_cases) / sizeof(thirteenth_cases[0]));
}

CASE(lines_of_a_twelfth_batch)
{
	read_all(twelfth_cases, sizeof(twelfth_cases) / sizeof(twelfth_cases[0]));
}

CASE(lines_of_an_eleventh_batch)
{
	read_all(eleventh_cases, sizeof(eleventh_cases) / sizeof(eleventh_cases[0]));
}

CASE(lines_of_a_tenth_batch)
{
	read_all(tenth_cases, sizeof(tenth_cases) / sizeof(tenth_cases[0]));
}

/* ---- several lines, of a host with many NICs ---- */

#define RDMA(dev, netdev)                                                                          \
	"sys infiniband/" dev "/ports/1/state 4: ACTIVE\n"                                         \
	"sys infiniband/" dev "/ports/1/phys_state 5: LinkUp\n"                                    \
	"sys infiniband/" dev "/ports/1/gid_attrs/ndevs/0 " netdev "\n"
static const char nics[] = RDMA("mlx5_1", "n1") RDMA("mlx5_2", "n2") RDMA("mlx5_3", "n3")
	RDMA("mlx5_bond_0", "bond0") "pci mlx5_1 0000:3b:00.0 -\n"
				     "pci mlx5_2 0000:5d:00.0 -\n"
				     "pci mlx5_3 0000:9b:00.0 -\n"
				     "net n1 oper=up speed=400000\n"
				     "net n2 oper=up speed=400000\n"
				     "net n3 oper=up speed=400000\n"
				     "net bond0 oper=up speed=400000 slaves=e0,e1 mode=802.3ad,4\n"
				     "net e0 oper=up speed=200000\n"
				     "net e1 oper=up speed=200000\n";

/* Number of alarms of the log at the port that hold the words; "": of the host. */
static unsigned alarms(const struct host_rig *r, const char *port, const char *words)
{
	const struct model *m = host_rig_model(r);
	uint32_t id = *port ? host_rig_port(r, port)->id : EVENT_NO_ID;
	const struct event *e;
	unsigned n = 0;

	for (size_t i = 0; (e = model_event(m, i)); i++)
		n += e->kind == EV_LOG_ALARM && e->port == id && strstr(e->text, words);
	return n;
}

CASE(lines_of_the_kernel_log_are_alarms_of_their_nic)
{
	static const struct {
		const char *line, *port, *words;
	} lines[] = {
		{"mlx5_core 0000:9b:00.0: wait_func:1194:(pid 3021): ACCESS_REG(0x805) timeout. "
		 "Will cause a leak of a command resource",
			"mlx5_3", "timeout"},
		{"mlx5_core 0000:9b:00.0: mlx5_cmd_out_err:838:(pid 77): ACCESS_REG(0x805) "
		 "op_mod(0x1) failed, status bad resource state(0x9), syndrome (0x1), err(-22)",
			"mlx5_3", "failed"},
		{"mlx5_core 0000:3b:00.0: mlx5_error_sw_reset:242:(pid 9): start", "mlx5_1",
			"sw_reset"},
		{"bond0: (slave e1): link status definitely down, disabling slave", "e1", "slave"},
		{"mlx5_bond_0/1: QP 51291 error: local length error (0x8e 0x0 0x0)", "mlx5_bond_0",
			"QP 51291"},
		{"infiniband mlx5_2: mlx5_ib_warn: dump_cqe:272:(pid 88): error cqe", "mlx5_2",
			"error cqe"},
		{"amdgpu 0000:05:00.0: amdgpu: GPU reset begin!", "", "GPU reset"},
		{"mlx5_core 0000:5d:00.0: Port module event: module 0, Cable unplugged", "mlx5_2",
			"unplugged"},
	};
	struct host_rig *r = host_rig_new(nics);
	const struct finding *f;
	char text[400];

	host_rig_poll(r, 1);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		(void)str_printf(text, sizeof(text), STAMP "%s\n", lines[i].line);
		host_rig_log(r, text);
		if (alarms(r, lines[i].port, lines[i].words) != 1)
			fail_msg("%s", lines[i].line);
	}
	host_rig_poll(r, 2);
	/* The dead firmware is the most important of them. */
	f = host_rig_found(r, "host.nic_error", "mlx5_3");
	assert_non_null(f);
	assert_int_equal(f->severity, SEV_CRIT);
	assert_string_equal(f->title, "kernel log: its firmware does not answer");
	assert_int_equal(host_rig_found(r, "host.nic_error", "mlx5_1")->severity, SEV_CRIT);
	assert_int_equal(host_rig_found(r, "host.nic_error", "mlx5_2")->severity, SEV_WARN);
	assert_int_equal(host_rig_found(r, "host.nic_error", "mlx5_bond_0")->severity, SEV_WARN);
	f = host_rig_found(r, "host.gpu_error", "");
	assert_non_null(f);
	assert_string_equal(f->title, "GPU error: AMD GPU was reset");
	host_rig_free(r);
}

CASE(of_many_nvlink_errors_the_failed_gpu_is_named)
{
	struct host_rig *r = host_rig_new(nics);
	const struct finding *f;

	host_rig_poll(r, 1);
	host_rig_log(r, STAMP
		"NVRM: Xid (PCI:0000:19:00): 74, pid=1, name=python, NVLink: fatal error\n" STAMP
		"nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): 12028, Non-fatal, Link 32 egress "
		"non-posted PRIV error (First)\n" STAMP
		"nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): 12028, Severity 0 Engine instance 32 "
		"Sub-engine instance 00\n" STAMP
		"NVRM: Xid (PCI:0000:5d:00): 79, pid=1, GPU has fallen off the bus.\n" STAMP
		"NVRM: Xid (PCI:0000:9b:00): 45, pid=7, Ch 00000010\n");
	host_rig_poll(r, 2);
	f = host_rig_found(r, "host.gpu_error", "");
	assert_non_null(f);
	assert_int_equal(f->severity, SEV_CRIT);
	assert_string_equal(f->title,
		"GPU error: Xid 79 at 0000:5d:00, GPU has fallen off the bus; 3 other lines follow "
		"from it");
	host_rig_free(r);
}

CASE(a_fatal_error_of_an_nvswitch_outranks_the_gpus_behind_it)
{
	struct host_rig *r = host_rig_new(nics);
	const struct finding *f;

	host_rig_poll(r, 1);
	host_rig_log(r, STAMP
		"NVRM: Xid (PCI:0000:19:00): 94, pid=1, Contained: SM\n" STAMP
		"nvidia-nvswitch1: SXid (PCI:0000:c3:00.0): 20034, Fatal, Link 27 LTSSM "
		"Fault Up\n" STAMP "NVRM: Xid (PCI:0000:5d:00): 74, pid=1, NVLink: fatal error\n");
	host_rig_poll(r, 2);
	f = host_rig_found(r, "host.gpu_error", "");
	assert_non_null(f);
	assert_non_null(strstr(f->title, "NVSwitch error: SXid 20034 at 0000:c3:00.0"));
	host_rig_free(r);
}

CASES_MAIN(NULL, NULL)
