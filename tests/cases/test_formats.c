/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages that the sources of drivers and libraries can print, as formats with arguments of ours:
 * what kind of trouble each is. hosts.md tells which sources were read. Reports of people are in
 * the other tests of this folder.
 */
#include <string.h>

#include "backends/jobs/nccl_parse.h"
#include "backends/syslog/syslog.h"
#include "base/clock.h"
#include "base/str.h"
#include "diagnosis/evidence/kernel_log.h"
#include "fabric/vocabulary/event.h"
#include "tests/support/cases.h"

/* 2026-11-27 02:53:20 UTC */
#define NOW   (INT64_C(1795748000) * CLOCK_SEC)
#define STAMP "2026-11-27T02:53:10+00:00 node1 kernel: "

/* ---- the kernel ---- */

enum seen { SEEN_NOTHING, SEEN_CHANGE, SEEN_ALARM };

struct kernel_line {
	const char *line;
	enum seen seen;
	enum kernel_part part;
	bool is_fatal;
	const char *meaning; /* a part of it */
};

static bool kernel_misread(const struct kernel_line *c)
{
	static const struct syslog_opts opts = {.live = true};
	struct obs *o = obs_new("node1", "log");
	enum seen seen = SEEN_NOTHING;
	struct kernel_error k = {.meaning = ""};
	char text[512];
	bool wrong;

	o->received_us = NOW;
	(void)str_printf(text, sizeof(text), STAMP "%s\n", c->line);
	(void)syslog_parse(&opts, text, strlen(text), o);
	for (size_t i = 0; i < o->items.n; i++) {
		const struct obs_item *it = &o->items.at[i];

		if (it->kind != OBS_EVENT)
			continue;
		seen = it->code == EV_LOG_ALARM ? SEEN_ALARM : SEEN_CHANGE;
		(void)kernel_error_read(obs_text(o, it->text), &k);
	}
	wrong = seen != c->seen || k.part != c->part || k.is_fatal != c->is_fatal ||
		!strstr(k.meaning, c->meaning);
	if (wrong)
		print_message("%s: seen %d, part %d, fatal %d, %s\n", c->line, seen, k.part,
			k.is_fatal, k.meaning);
	obs_free(o);
	return wrong;
}

static void read_kernel_lines(const struct kernel_line *at, size_t n)
{
	unsigned bad = 0;

	for (size_t i = 0; i < n; i++)
		bad += kernel_misread(&at[i]);
	assert_int_equal(bad, 0);
}

#define READ(lines) read_kernel_lines(lines, sizeof(lines) / sizeof((lines)[0]))

CASE(a_nic_that_does_not_answer_or_is_reset_is_an_alarm)
{
	static const struct kernel_line lines[] = {
		{"mlx5_core 0000:9b:00.0: Firmware is not responsive (0x1) after 120000 ms",
			SEEN_ALARM, KERNEL_NIC, true, "does not answer"},
		{"mlx5_core 0000:9b:00.0: cmd_exec:1922:(pid 88): ACCESS_REG(0x805) timed out "
		 "while "
		 "waiting for a slot.",
			SEEN_ALARM, KERNEL_NIC, true, "does not answer"},
		{"mlx5_core 0000:9b:00.0: Firmware over 120000 MS in pre-initializing state, "
		 "aborting",
			SEEN_ALARM, KERNEL_NIC, true, "does not start"},
		{"mlx5_core 0000:9b:00.0: Driver is in error state. Unloading", SEEN_ALARM,
			KERNEL_NIC, true, "gave it up"},
		{"mlx5_core 0000:9b:00.0: Sync Reset now. Device is going to reset.", SEEN_ALARM,
			KERNEL_NIC, true, "reset"},
		{"mlx5_core 0000:9b:00.0: NIC SW reset in progress", SEEN_ALARM, KERNEL_NIC, true,
			"reset"},
		{"mlx5_core 0000:9b:00.0: PCI bus bridge is not accessible", SEEN_ALARM, KERNEL_NIC,
			true, "gone"},
		{"bnxt_en 0000:3b:00.0 p1p1: Firmware heartbeat stopped", SEEN_ALARM, KERNEL_NIC,
			true, "does not answer"},
		{"bnxt_en 0000:3b:00.0: QPLIB: cmdq[0x3f1]=0x11 timedout (10000)msec", SEEN_ALARM,
			KERNEL_NIC, true, "does not answer"},
		{"bnxt_en 0000:3b:00.0 p1p1: Pause Storm detected!", SEEN_ALARM, KERNEL_NIC, true,
			"pause"},
		{"ionic 0000:24:00.0: DEVCMD_GO done on FW_ERR", SEEN_ALARM, KERNEL_NIC, true,
			"does not answer"},
		{"ionic 0000:24:00.0 benic1p1: LIF reset trigger: FW-triggered", SEEN_ALARM,
			KERNEL_NIC, true, "reset"},
		{"ice 0000:07:00.1: GLOBR requested", SEEN_ALARM, KERNEL_NIC, true, "reset"},
		{"ice 0000:07:00.1: Firmware recovery mode detected. Limiting functionality.",
			SEEN_ALARM, KERNEL_NIC, true, "recovery mode"},
		{"i40e 0000:07:00.0: TX driver issue detected, PF reset issued", SEEN_ALARM,
			KERNEL_NIC, true, "reset"},
		{"efa 0000:00:1e.0: The device didn't send any completion for admin cmd "
		 "MODIFY_QP(2) "
		 "status 0",
			SEEN_ALARM, KERNEL_NIC, true, "does not answer"},
		{"ena 0000:00:05.0: Trigger reset is on", SEEN_ALARM, KERNEL_NIC, true, "reset"},
		{"pcieport 0000:00:01.1: DPC: containment event, status:0x1f01 source:0x0000",
			SEEN_ALARM, KERNEL_NIC, true, "taken down"},
		{"pcieport 0000:00:01.1: AER: device recovery failed", SEEN_ALARM, KERNEL_NIC, true,
			"did not recover"},
	};

	READ(lines);
}

CASE(a_nic_that_is_not_as_it_should_be_is_a_warning)
{
	static const struct kernel_line lines[] = {
		{"mlx5_core 0000:9b:00.0: High temperature on sensors with bit set 0x0 0x1.",
			SEEN_ALARM, KERNEL_NIC, false, "too hot"},
		{"mlx5_core 0000:9b:00.0: PCIe speed is slower than device's capability",
			SEEN_ALARM, KERNEL_NIC, false, "slower"},
		{"mlx5_core 0000:9b:00.0: 63.008 Gb/s available PCIe bandwidth, limited by 8.0 "
		 "GT/s "
		 "PCIe x8 link at 0000:00:01.0 (capable of 252.048 Gb/s with 16.0 GT/s PCIe x16 "
		 "link)",
			SEEN_ALARM, KERNEL_NIC, false, "slower"},
		{"mlx5_core 0000:9b:00.0: GID table exhausted attempting to reserve 2 more GIDs",
			SEEN_ALARM, KERNEL_NIC, false, "GID table"},
		{"bnxt_en 0000:3b:00.0: QPLIB: FP: CQ Processed Req wr_id[2] = 0x7f with status "
		 "0xc",
			SEEN_ALARM, KERNEL_NIC, false, "work request"},
		{"bnxt_en 0000:3b:00.0 p1p1: Unqualified SFP+ module detected on port 1",
			SEEN_ALARM, KERNEL_NIC, false, "module"},
		{"ice 0000:07:00.1: Malicious Driver Detection event TX_TCLAN detected on PF",
			SEEN_ALARM, KERNEL_NIC, false, "stopped a queue"},
		{"mlx5_core 0000:9b:00.0: AMD-Vi: Event logged [IO_PAGE_FAULT domain=0x21 "
		 "address=0xd2c00000 flags=0x20]",
			SEEN_ALARM, KERNEL_NIC, false, "IOMMU"},
	};

	READ(lines);
}

CASE(notices_of_a_healthy_driver_are_no_alarm)
{
	static const struct kernel_line lines[] = {
		{"mlx5_core 0000:9b:00.0: Waiting for FW initialization, timeout abort in 85s "
		 "(0x1)",
			SEEN_NOTHING, KERNEL_NONE, false, ""},
		{"mlx5_core 0000:9b:00.0: Not issuing FW reset. Either it's already done or won't "
		 "help.",
			SEEN_NOTHING, KERNEL_NONE, false, ""},
		{"ice 0000:07:00.1: Port 1 Tx FIFO still not empty; resetting quad 0", SEEN_NOTHING,
			KERNEL_NONE, false, ""},
		{"mlx5_core 0000:9b:00.0: FWTracer: Events were lost", SEEN_NOTHING, KERNEL_NONE,
			false, ""},
		{"mlx5_core 0000:9b:00.0: health recovery succeeded", SEEN_CHANGE, KERNEL_NONE,
			false, ""},
		{"mlx5_core 0000:9b:00.0: health works are not permitted at this stage",
			SEEN_NOTHING, KERNEL_NONE, false, ""},
		{"mlx5_core 0000:9b:00.0: Failed to add ipsec rx pass rule, err=-95", SEEN_NOTHING,
			KERNEL_NONE, false, ""},
		{"mlx5_core 0000:9b:00.0: lag map: port 1:2 port 2:2", SEEN_CHANGE, KERNEL_NONE,
			false, ""},
		{"bnxt_en 0000:3b:00.0: Device requests max timeout of 100 seconds, may trigger "
		 "hung "
		 "task watchdog",
			SEEN_NOTHING, KERNEL_NONE, false, ""},
		{"ena 0000:00:05.0: Device reset completed successfully", SEEN_NOTHING, KERNEL_NONE,
			false, ""},
		{"pcieport 0000:00:01.1: AER: device recovery successful", SEEN_CHANGE, KERNEL_NONE,
			false, ""},
		{"amdgpu 0000:05:00.0: amdgpu: Disabling VM faults because of PRT request!",
			SEEN_NOTHING, KERNEL_NONE, false, ""},
		{"mlx5_3: Port: 1 Link ACTIVE", SEEN_CHANGE, KERNEL_NONE, false, ""},
		{"libceph: osd12 up", SEEN_CHANGE, KERNEL_NONE, false, ""},
		{"nvme nvme3: Successfully reconnected (1 attempts)", SEEN_CHANGE, KERNEL_NONE,
			false, ""},
		{"LustreError: Skipped 3 previous similar messages", SEEN_NOTHING, KERNEL_NONE,
			false, ""},
	};

	READ(lines);
}

/* A job hangs on these; none of them is an error of a NIC or a GPU. */
CASE(storage_memory_and_full_tables_are_alarms)
{
	static const struct kernel_line lines[] = {
		{"LustreError: 11-0: fs-OST0001-osc-ff: operation ost_connect to node "
		 "172.16.0.9@o2ib failed: rc = -19",
			SEEN_ALARM, KERNEL_STORAGE, false, "reports trouble"},
		{"LNet: 4711:0:(o2iblnd_cb.c:3156:kiblnd_cm_callback()) 172.16.0.9@o2ib: "
		 "UNREACHABLE -110",
			SEEN_ALARM, KERNEL_STORAGE, false, "reports trouble"},
		{"rpcrdma: connection to 10.0.4.9:20049 closed (-103)", SEEN_ALARM, KERNEL_STORAGE,
			false, "reports trouble"},
		{"libceph: osd12 (1)172.16.0.9:6801 socket closed (con state OPEN)", SEEN_ALARM,
			KERNEL_STORAGE, false, "reports trouble"},
		{"nvme nvme3: starting error recovery", SEEN_ALARM, KERNEL_STORAGE, false,
			"reports trouble"},
		{"block nvme3n1: no usable path - requeuing I/O", SEEN_ALARM, KERNEL_STORAGE, true,
			"gives no data"},
		{"EXT4-fs (nvme3n1): Remounting filesystem read-only", SEEN_ALARM, KERNEL_NONE,
			false, ""},
		{"neighbour: arp_cache: neighbor table overflow!", SEEN_ALARM, KERNEL_NONE, false,
			""},
		{"nf_conntrack: nf_conntrack: table full, dropping packet", SEEN_ALARM, KERNEL_NONE,
			false, ""},
		{"TCP: request_sock_TCP: Possible SYN flooding on port 29500. Sending cookies.",
			SEEN_ALARM, KERNEL_NONE, false, ""},
		{"python3: page allocation failure: order:4, mode:0x40dc0(GFP_KERNEL)", SEEN_ALARM,
			KERNEL_NONE, false, ""},
		{"mce: CPU12: Core temperature is above threshold, cpu clock is throttled (total "
		 "events = 1)",
			SEEN_ALARM, KERNEL_NONE, false, ""},
		{"BUG: unable to handle page fault for address: ffff8800", SEEN_ALARM, KERNEL_NONE,
			false, ""},
	};

	READ(lines);
}

CASE(errors_of_gpus)
{
	static const struct kernel_line lines[] = {
		{"NVRM: Xid (PCI:0000:5d:00): 157, Resource retirement failure", SEEN_ALARM,
			KERNEL_GPU, true, "could not be retired"},
		{"NVRM: Xid (PCI:0000:5d:00): 173, C2C link failure", SEEN_ALARM, KERNEL_GPU, true,
			"C2C"},
		{"NVRM: Xid (PCI:0000:5d:00): 190, something new", SEEN_ALARM, KERNEL_GPU, false,
			"unknown number"},
		{"NVRM: _kgspRpcRecvPoll: Timeout waiting for RPC from GSP0!", SEEN_ALARM,
			KERNEL_GPU, true, "does not answer"},
		{"NVRM: API mismatch: the client has the version 570.86.15, but", SEEN_ALARM,
			KERNEL_GPU, false, "releases"},
		{"nvidia 0000:5d:00.0: Unable to change power state from D3hot to D0, device "
		 "inaccessible",
			SEEN_ALARM, KERNEL_GPU, true, "off the bus"},
		{"amdgpu 0000:05:00.0: amdgpu: MES failed to respond to msg=REMOVE_QUEUE",
			SEEN_ALARM, KERNEL_GPU, true, "does not answer"},
		{"amdgpu 0000:05:00.0: {1}poison creation in umc", SEEN_ALARM, KERNEL_GPU, true,
			"memory error"},
		{"amdgpu 0000:05:00.0: amdgpu: GPU 0 exceeds bad page threshold", SEEN_ALARM,
			KERNEL_GPU, true, "bad pages"},
	};
	struct kernel_error k;

	READ(lines);
	/* A number of a later driver is no echo, which would be no finding. */
	assert_true(kernel_error_read(lines[2].line, &k));
	assert_int_equal(k.cause, KERNEL_HARDWARE);
}

/* ---- logs of jobs ---- */

struct job_line {
	const char *log;
	const char *trouble;          /* of the first record; NULL: none is right */
	const char *says, *far, *nic; /* a part of it; NULL: any */
};

static bool has(const char *text, const char *part)
{
	return !part || strstr(text, part);
}

static bool job_misread(const struct job_line *c)
{
	struct obs *o = obs_new("node-a", "nccl-log");
	const struct obs_nccl *first = NULL;
	struct err err;
	bool wrong;

	o->received_us = NOW;
	(void)nccl_log_parse(c->log, strlen(c->log), o, &err);
	for (size_t i = 0; i < o->nccl.n && !first; i++)
		if (o->nccl.at[i].kind == NCCL_ERROR)
			first = &o->nccl.at[i];
	wrong = !first != !c->trouble ||
		(first && (!str_eq(obs_text(o, first->func), c->trouble) ||
				  !has(obs_text(o, first->text), c->says) ||
				  !has(obs_text(o, first->text2), c->far) ||
				  !has(obs_text(o, first->nic), c->nic)));
	if (wrong)
		print_message("%s\n  %s: %s, far end %s, NIC %s\n", c->log,
			first ? obs_text(o, first->func) : "nothing",
			first ? obs_text(o, first->text) : "",
			first ? obs_text(o, first->text2) : "",
			first ? obs_text(o, first->nic) : "");
	obs_free(o);
	return wrong;
}

static void read_job_lines(const struct job_line *at, size_t n)
{
	unsigned bad = 0;

	for (size_t i = 0; i < n; i++)
		bad += job_misread(&at[i]);
	assert_int_equal(bad, 0);
}

#define READ_JOBS(lines) read_job_lines(lines, sizeof(lines) / sizeof((lines)[0]))
#define WARN             "node-a:4711:4732 [3] NCCL WARN "
#define INFO             "node-a:4711:4732 [3] NCCL INFO "

CASE(warnings_of_nccl_by_the_kind_of_their_sentence)
{
	static const struct job_line lines[] = {
		{WARN "No transport found for rank 3[9b000] -> rank 4[a1000]\n", "error",
			"No transport", NULL, NULL},
		{WARN "NET/IB : Remote mlx5_1 device is incompatible with the local "
		      "[0]mlx5_0:1/RoCE. Try selecting NICs of only one link type using "
		      "NCCL_IB_HCA\n",
			"error", "incompatible", NULL, NULL},
		{WARN "MNNVL (cliqueSize 8) is available but not working on this system. Check the "
		      "IMEX configuration (nvidia-imex-ctl -N).\n",
			"error", "IMEX", NULL, NULL},
		{WARN "AllReduce : invalid root 9 (root should be in the 0..8 range)\n", "error",
			"invalid root", NULL, NULL},
		{WARN "Net : No interface found in the same subnet as remote address "
		      "10.0.1.2<41662>\n",
			"connect", "same subnet", "10.0.1.2", NULL},
		{WARN "Net : Connect to 10.0.1.2<41662> failed : Invalid argument\n", "connect",
			"Connect to", "10.0.1.2", NULL},
		{WARN "Could not find a path for pattern 4, falling back to simple order\n",
			"advice", NULL, NULL, NULL},
		{WARN "maxCTAs 64 is larger than #channels upper limit 32, cap it to 32\n",
			"advice", NULL, NULL, NULL},
		{WARN "NUMA auto balancing enabled which can lead to variability in the RCCL "
		      "performance!\n",
			"advice", NULL, NULL, NULL},
		{WARN "transport.cc:153 -> 2 [Proxy thread error]\n", "after", NULL, NULL, NULL},
	};

	READ_JOBS(lines);
}

/* NCCL 2.30 goes on without a NIC that failed, and tells most of it as INFO. */
CASE(a_nic_that_nccl_gave_up_is_told_by_its_news)
{
	static const struct job_line lines[] = {
		{INFO "NET/IB: ncclIbResiliencyHandle: Got completion with error (devIndex=1, "
		      "wc->status=(IBV_WC_RETRY_EXC_ERR)12, wc->opcode=(IBV_WC_SEND)0, "
		      "wc->wr_id=7, wc->qp_num=88, wc->byte_len=0)\n",
			"error", "retries exceeded (status 12)", NULL, NULL},
		{INFO "NET/IB: ncclIbResiliencyHandle: Marking device 1 as permanently failed "
		      "(send "
		      "comm=0x7f12)\n",
			"error", "permanently failed", NULL, NULL},
		{INFO "NET/IB: ncclIbRecover: Recovery for device 1 failed due to max attempts "
		      "reached "
		      "(send comm=0x7f12)\n",
			"error", "did not recover", NULL, NULL},
		{INFO "NET/IB: ncclIbRecover: Port recovery is disabled for the resiliency context "
		      "on "
		      "the send communicator (comm=0x7f12)\n",
			NULL, NULL, NULL, NULL},
		{INFO "NET/IB: ncclIbRecover: Marking device 1 as recovered (send comm=0x7f12)\n",
			NULL, NULL, NULL, NULL},
		{INFO "Call to ibv_modify_qp failed with 110 Connection timed out, on dev "
		      "mlx5_1:1, "
		      "retrying 2/20 after 100 msec of sleep\n",
			NULL, NULL, NULL, NULL},
		{INFO "Call to ibv_modify_qp failed with 110 Connection timed out, on dev "
		      "mlx5_1:1, "
		      "retrying 18/20 after 100 msec of sleep\n",
			"connect", "Connection timed out", NULL, "mlx5_1"},
		{INFO "RAS declaring peer 10.0.1.2<34567> as DEAD; rasDeadPeersHash 0x1\n", "after",
			"DEAD", "10.0.1.2", NULL},
		{INFO "RAS keep-alive timeout error (60s) on socket connection with "
		      "10.0.1.2<34567>\n",
			"note", NULL, "10.0.1.2", NULL},
		{INFO "RAS init timeout error (60s) on incoming socket connection from "
		      "10.0.1.2<34567>\n",
			NULL, NULL, NULL, NULL},
		{INFO "RAS keep-alive timeout warning (20s) on socket connection with "
		      "10.0.1.2<34567>\n",
			NULL, NULL, NULL, NULL},
	};

	READ_JOBS(lines);
}

CASE(launchers_and_their_machines)
{
	static const struct job_line lines[] = {
		{"srun: error: node-[a-b]: tasks 0-15: Aborted (core dumped)\n", "error", NULL,
			NULL, NULL},
		{"srun: error: slurm_receive_msgs: [[node-b]:6818] failed: Zero Bytes were "
		 "transmitted "
		 "or received\n",
			"error", NULL, NULL, NULL},
		{"srun: error: First task exited 60s ago\n", "after", NULL, NULL, NULL},
		{"srun: error: StepId=4711.0 tasks 0-6: running\n", NULL, NULL, NULL, NULL},
		{"srun: error: Timed out waiting for job step to complete\n", "after", NULL, NULL,
			NULL},
		{"slurmstepd: error: node-b [1] pmixp_coll_ring.c:760 [pmixp_coll_ring_check] "
		 "mpi/pmix: "
		 "ERROR: 0x7f: unexpected contrib from node-a:0\n",
			"note", "unexpected contrib", NULL, NULL},
		{"[node-b][[12345,1],3][btl_tcp_endpoint.c:667:complete_connect] connect() to "
		 "10.0.1.1 "
		 "failed: No route to host (113)\n",
			"connect", "No route", "10.0.1.1", NULL},
		{"[node-b:04711] PMIX ERROR: UNREACHABLE in file ptl_tcp_component.c at line "
		 "1847\n",
			"connect", "UNREACHABLE", NULL, NULL},
		{"[node-b:04711] *** An error occurred in MPI_Init_thread\n", "error", NULL, NULL,
			NULL},
		{"torch.distributed.DistNetworkError: The server socket has failed to listen on "
		 "any "
		 "local network address. port: 29500\n",
			"error", "failed to listen", NULL, NULL},
		{"torch.distributed.elastic.multiprocessing.api.SignalException: Process 4711 got "
		 "signal: 15\n",
			"after", NULL, NULL, NULL},
		{"[E ProcessGroupGloo.cpp:144] Rank 0 timed out waiting for rank 3 in "
		 "monitoredBarrier\n",
			"note", "rank 3", NULL, NULL},
		{"Warning  NodeNotReady  1m  node-controller  Node is not ready\n", "note", NULL,
			NULL, NULL},
		{"errors: 0 of 100 requests failed to connect to 10.0.1.2\n", NULL, NULL, NULL,
			NULL},
	};

	READ_JOBS(lines);
}

#define RULE "--------------------------------------------------------------------------\n"

/* One message is one record, at the machine that it names. */
CASE(messages_of_open_mpi_between_rules)
{
	static const char *const logs[] = {RULE
		"PRTE has lost communication with a remote daemon.\n\n"
		"  HNP daemon   : [prterun-node-a-1@0,0] on node node-a\n"
		"  Remote daemon: [prterun-node-a-1@0,1] on node node-b\n\n"
		"This is usually due to either a failure of the TCP network\n"
		"connection to the node, or possibly an internal failure of\n"
		"the daemon itself. We cannot recover from this failure, and\n"
		"therefore will terminate the job.\n" RULE,
		RULE "mpirun has exited due to process rank 3 with PID 4711 on\n"
		     "node node-b exiting improperly. There may be more than one reason\n"
		     "why this occurred, none of which is an error of the network.\n" RULE};

	for (size_t i = 0; i < sizeof(logs) / sizeof(logs[0]); i++) {
		struct obs *o = obs_new("node-a", "nccl-log");
		struct err err;

		(void)nccl_log_parse(logs[i], strlen(logs[i]), o, &err);
		assert_int_equal(o->nccl.n, 1);
		assert_string_equal(obs_text(o, o->nccl.at[0].host), "node-b");
		assert_string_equal(obs_text(o, o->nccl.at[0].func), "error");
		obs_free(o);
	}
}

CASE(libraries_for_rdma)
{
	static const struct job_line lines[] = {
		{"No RDMA devices found, check your device installation\n", "note", NULL, NULL,
			NULL},
		{"W1127 02:53:01.123456 4711 rdma_context.cpp:415] Device mlx5_3 port not active\n",
			"note", NULL, NULL, "mlx5_3"},
		{"libibverbs: Warning: no userspace device-specific driver found for "
		 "/sys/class/infiniband_verbs/uverbs0\n",
			"note", NULL, NULL, NULL},
		{"libibverbs: Fatal: could not read uverbs ABI version.\n", "error", NULL, NULL,
			NULL},
		{"rdma_resolve_addr: Cannot assign requested address\n", "connect", NULL, NULL,
			NULL},
		{"libfabric:4711:1795747900::efa:ep_ctrl:efa_peer():737<warn> The peer of address "
		 "fe80::1 "
		 "becomes unresponsive\n",
			"error", "unresponsive", "fe80::1", NULL},
		{"[1795747958.433722] [node-b:4711 :0]    tcp_ep.c:143  UCX  ERROR tcp_ep 0x7f12: "
		 "connection establishment for socket fd 7 from 10.0.1.1:4711 to 10.0.1.2:41662 "
		 "was "
		 "unsuccessful\n",
			"connect", NULL, NULL, NULL},
		{"[1795747958.433722] [node-b:4711 :0]    rdmacm_cm.c:143  UCX  ERROR listener "
		 "0x7f: got "
		 "connection request on a device which was not present\n",
			"error", NULL, NULL, NULL},
		{"Did not get Message for 120 Seconds, exiting..\n", "error", NULL, NULL, NULL},
		{"Couldn't post send: scnt=0\n", "error", NULL, NULL, NULL},
		{"Unable to connect (retries = 10)\n", "connect", NULL, NULL, NULL},
		{"NIXL_ERR_REMOTE_DISCONNECT\n", "after", NULL, NULL, NULL},
	};

	READ_JOBS(lines);
}

CASE(a_timeout_of_deepep_is_at_the_rank_that_it_names)
{
	static const char log[] = "DeepEP timeout for dispatch receivers, rank 3, "
				  "responsible_channel = 7, tokens remained: 12\n";
	struct obs *o = obs_new("node-a", "nccl-log");
	struct err err;

	(void)nccl_log_parse(log, strlen(log), o, &err);
	assert_int_equal(o->nccl.n, 1);
	assert_int_equal(o->nccl.at[0].rank, 3);
	obs_free(o);
}

CASES_MAIN(NULL, NULL)
