/* SPDX-License-Identifier: Apache-2.0 */
/* Small inputs made from public reports: see hosts.md for each source and what was seen first. */
#include <string.h>

#include "base/clock.h"
#include "fabric/ref.h"
#include "tests/cases/job_hosts.h"
#include "tests/support/cases.h"

/* 2026-11-27 02:53:20 UTC */
#define NOW (INT64_C(1795748000) * CLOCK_SEC)

#define WORK(op, seq) "WorkNCCL(SeqNum=" seq ", OpType=" op ", Timeout(ms)=1800000)"
#define CAUGHT(rank, op, seq)                                                                      \
	"[E ProcessGroupNCCL.cpp:458] [Rank " rank "] Watchdog caught collective operation "       \
	"timeout: " WORK(op, seq) " ran for 1802210 milliseconds before timing out.\n"
#define COMPLETION "NCCL WARN NET/IB : Got completion from peer 172.16.0.2<44206> with "

struct report {
	const char *name, *log;
	const char *id, *at; /* of the first finding that must be there; at NULL: anywhere */
	const char *says;    /* in its title or evidence */
	enum severity severity;
	enum finding_role role;
	const char *not_said; /* in its title; NULL */
};

static const struct report reports[] = {
	{"both ends by GID, a host's name that no inventory has",
		"hostname-test:984:1357 [4] ib_plugin.c:1615 NCCL WARN NET/IB : Got completion "
		"from "
		"peer 172.16.0.1<44206> with status=12 opcode=129 len=65536 vendor err 129 (Recv) "
		"localGid ::ffff:10.0.1.2 remoteGids::ffff:10.0.1.1\n"
		"hostname-test:984:1357 [4] ib_plugin.c:1615 NCCL WARN NET/IB : Got completion "
		"from "
		"peer 172.16.0.1<44206> with status=5 opcode=32656 len=32659 vendor err 249 (Recv) "
		"localGid ::ffff:10.0.1.2 remoteGids::ffff:10.0.1.1\n",
		"nccl.error", "node-b:mlx5_1",
		"process 984 on node-b, GPU 4: retries exceeded (status 12)", SEV_CRIT,
		ROLE_SYMPTOM, "flushed"},
	{"data that is copied through host memory",
		"node-a:2511:2532 [0] NCCL INFO NET/IB : GPU Direct RDMA Disabled for HCA 0 "
		"'mlx5_0' (no module)\n"
		"node-a:2511:2532 [0] NCCL INFO NET/IB : GPU Direct RDMA Disabled for HCA 1 "
		"'mlx5_1' (no module)\n",
		"host.gpudirect", "node-a", "GPUDirect RDMA is off for mlx5_0 (no module)",
		SEV_WARN, ROLE_RISK, NULL},
	{"the same of a plugin, without a number",
		"node-b:2511:2532 [0] NCCL INFO NET/NCCL RDMA Plugin v10 : GPU Direct RDMA "
		"Disabled "
		"for HCA mlx5_2 (no peermem)\n",
		"host.gpudirect", "node-b", "not the network: load nvidia_peermem", SEV_WARN,
		ROLE_RISK, NULL},
	{"flushes alone are an aftermath",
		"node-a:7038:7053 [0] ib_plugin.c:1007 " COMPLETION
		"error 5, opcode 0, len 0, vendor err 249\n",
		"nccl.error", "node-a", "aftermath: the error before it is not in this log",
		SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"a plugin's own tag, without a blank",
		"node-a:1206:1399 [3] NCCL WARN NET/IBP:Got completion from peer 172.16.0.2<36315> "
		"with status=12 opcode=32698 len=32696 vendor err 129 (Send)\n",
		"nccl.error", "node-a", "172.16.0.2 (node-b)", SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"a queue pair that never came up",
		"node-b:4940:4957 [0] ibvwrap.c:160 NCCL WARN Call to ibv_modify_qp failed with "
		"error "
		"Connection timed out\n"
		"node-b:4940:4951 [0] proxy.cc:1252 NCCL WARN [Proxy Service 1] Failed to execute "
		"operation Connect from rank 1, retcode 2\n",
		"nccl.error", "node-b", "ibv_modify_qp: Connection timed out", SEV_CRIT,
		ROLE_SYMPTOM, "Proxy"},
	{"the far process closed because of an error of its own",
		"node-b:4940:4957 [0] ibvwrap.c:160 NCCL WARN Call to ibv_modify_qp failed with "
		"error "
		"Connection timed out\n"
		"node-a:5771:5783 [0] misc/socket.cc:49 NCCL WARN socketProgress: Connection "
		"closed by "
		"remote peer node-b<51022>\n",
		"nccl.error", "node-a", "process 4940 on node-b, GPU 0: ibv_modify_qp", SEV_WARN,
		ROLE_SYMPTOM, NULL},
	{"its own NIC is gone",
		"node-a:195626:198757 [0] misc/ibvwrap.cc:281 NCCL WARN Call to ibv_modify_qp "
		"failed "
		"with error No such device\n",
		"nccl.error", "node-a", "the NIC of this process is gone", SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	{"no route",
		"node-a:240:240 [6] misc/socket.cc:533 NCCL WARN socketPollConnect: Connect to "
		"172.16.0.2<56849> returned 113(No route to host) errno 115(Operation now in "
		"progress)\n",
		"nccl.error", "node-a", "172.16.0.2 (node-b)", SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"aborted while connecting is no consequence",
		"node-a:139:1092 [7] socket.c:485 NCCL WARN socketStartConnect: Connect to "
		"172.16.0.2<38455> failed : Software caused connection abort\n"
		"node-a:139:40044 [0] misc/socket.cc:49 NCCL WARN socketProgress: Connection "
		"closed by "
		"remote peer node1<57557>\n",
		"nccl.error", "node-a", "the connection never came up", SEV_CRIT, ROLE_SYMPTOM,
		"closed"},
	{"one rank is in a much earlier operation",
		"Epoch 0:   6%|## | 32040/500150 [6:28:43<94:39:17,  1.37it/s]" CAUGHT(
			"0", "ALLREDUCE", "96117") CAUGHT("1", "ALLREDUCE", "96117")
			CAUGHT("2", "ALLREDUCE", "96117") CAUGHT("3", "ALLREDUCE", "64088"),
		"nccl.mismatch", NULL,
		"rank 3 of job-world is the first suspect: it is still in an earlier operation",
		SEV_CRIT, ROLE_CULPRIT, NULL},
	{"lines that a terminal wrapped",
		" ProcessGroupNCCL.cpp:629] [Rank 1] Watchdog caught collective operation timeout: "
		"WorkNCCL(SeqNum=4, OpType=BROADCAST, NumelIn=112, Numel\nOut=112, "
		"Timeout(ms)=1800000) "
		"ran for 1800010 milliseconds before timing out.\n" CAUGHT("2", "BROADCAST", "4")
			CAUGHT("3", "BROADCAST", "4"),
		"nccl.mismatch", NULL, "rank 0 of job-world is the first suspect", SEV_CRIT,
		ROLE_CULPRIT, NULL},
	{"the watchdog's last words through Ray",
		"(RayWorkerWrapper pid=4009) [rank1]:[E ProcessGroupNCCL.cpp:1414] [PG 1 Rank 1] "
		"Process "
		"group watchdog thread terminated with exception: [Rank 1] Watchdog caught "
		"collective "
		"operation timeout: " WORK(
			"GATHER", "158046") " ran for 600027 milliseconds before "
					    "timing out.\n",
		"nccl.timeout", NULL, "1 of 2 ranks gave up on Gather 158046 after 600 s", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"watchdogs that hang are suspects",
		"[rank2]:[E1127 02:50:30.929096625 ProcessGroupNCCL.cpp:632] [PG ID 0 PG GUID "
		"0(default_pg) Rank 2] failure detected by watchdog at work sequence id: 120049 PG "
		"status: last enqueued work: 120049, last completed work: 120048\n"
		"[rank7]:[E1127 02:51:36.393067540 ProcessGroupNCCL.cpp:1743] [PG ID 0 PG GUID "
		"0(default_pg) Rank 7] ProcessGroupNCCL's watchdog got stuck for 480 seconds "
		"without "
		"making progress in monitoring enqueued collectives.\n",
		"nccl.mismatch", NULL, "rank 7 of job-pg0 is a suspect: its watchdog hangs",
		SEV_CRIT, ROLE_CULPRIT, NULL},
	{"the same, wrapped",
		"[rank6]:[E1127 02:42:49.384372190 ProcessGroupNCCL.cpp:1743] [PG ID 0 PG GUID "
		"0(default_pg) Rank 6] ProcessGroupNCCL'\ns watchdog got stuck for 480 seconds\n"
		"[rank6]:[F1127 02:50:49.385461578 ProcessGroupNCCL.cpp:1554] [PG ID 0 PG GUID "
		"0(default_pg) Rank 6] [PG ID 0 PG GUID \n0(default_pg) Rank 6] Terminating the\n"
		"[rank6]:[F1127 02:50:49.385461578 ProcessGroupNCCL.cpp:1554] [PG ID 0 PG GUID "
		"0(default_pg) Rank 6] Terminating the process after attempting to dump debug "
		"info, due "
		"to ProcessGroupNCCL\n",
		"nccl.mismatch", NULL, "rank 6 of job-pg0 is a suspect: its watchdog hangs",
		SEV_CRIT, ROLE_CULPRIT, NULL},
	{"a GPU's error, and those that follow",
		"[default0]:[rank3]:[E1127 02:50:34.2 ProcessGroupNCCL.cpp:1515] [PG 0 "
		"(default_pg) Rank "
		"3] Process group watchdog thread terminated with exception: CUDA error: "
		"uncorrectable "
		"ECC error encountered\n"
		"[rank1]:[E1127 02:50:33.1 ProcessGroupNCCL.cpp:1414] [PG 0 (default_pg) Rank 1] "
		"Process "
		"group watchdog thread terminated with exception: NCCL error: remote process "
		"exited or "
		"there was a network error, NCCL version 2.20.5\n",
		"nccl.error", NULL, "rank 3 of job-pg0: CUDA error: uncorrectable ECC error",
		SEV_CRIT, ROLE_SYMPTOM, "remote"},
	{"RCCL advises, then fails",
		"node-a:11:11 [0] /src/init.cc:213 NCCL WARN Missing \"iommu=pt\" from kernel "
		"command line "
		"which can lead to system instablity or hang!\n"
		"[2026-11-27 02:52:12] node-a:11:11 [0] .../src/transport/p2p.cc:256 NCCL WARN "
		"hipIpcGetMemHandle failed : invalid argument\n",
		"nccl.error", "node-a", "hipIpcGetMemHandle failed : invalid argument", SEV_CRIT,
		ROLE_SYMPTOM, "iommu"},
	{"advice alone is a risk",
		"node-a:11143:11143 [0] /src/init.cpp:122 NCCL WARN Missing \"iommu=pt\" from "
		"kernel "
		"command line which can lead to system instablity or hang!\n",
		"nccl.error", "node-a", "Missing \"iommu=pt\"", SEV_WARN, ROLE_RISK, NULL},
	{"mpirun and a plugin of libfabric",
		"[1,23]<stdout>:\n[1,23]<stdout>:node-a:72593:73427 [7] "
		"create_nccl_ofi_component:459 NCCL "
		"WARN NET/OFI Couldn't open AV. RC: -22, ERROR: Invalid argument\n",
		"nccl.error", "node-a", "Couldn't open AV", SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"pdsh, twice",
		"10.0.87.143: 10.0.87.143: node-a:149:298 [5] register_mr_buffers:465 NCCL WARN "
		"NET/OFI "
		"Unable to register memory (type = 1) for device 0. RC: 12, Error: Cannot allocate "
		"memory\n",
		"nccl.error", "node-a", "process 149 on node-a, GPU 5", SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	{"an error of libfabric without a number",
		"node-a:462:901 [0] ofi_process_cq:1033 NCCL WARN NET/OFI Request 0x7f completed "
		"with "
		"error. RC: 21. Error: unknown error. Completed length: 0, Request: { "
		"buffer_index: 81, "
		"dev: 0, size: 0, state: CREATED, direction: SEND }\n",
		"nccl.error", "node-a",
		"NET/OFI completion error: unknown error (RC 21), dev 0, SEND", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"a time that is glued to the host, each message twice",
		"  | 2026-11-27T02:50:51.208-00:00 | node-a:79:79 [0] NCCL INFO NCCL_SOCKET_IFNAME "
		"set\n"
		"  | 2026-11-27T02:50:51.208-00:00node-a:79:79 [0] x:969 NCCL WARN NET/OFI "
		"Creating new "
		"endpoint for domain 0x7f failed: Invalid argument | node-a:79:79 [0] x:969 NCCL "
		"WARN "
		"NET/OFI Creating new endpoint for domain 0x7f failed: Invalid argument\n",
		"nccl.error", "node-a",
		"process 79 on node-a, GPU 0: NET/OFI Creating new endpoint", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"Ray counts what it leaves out",
		"(RayWorkerWrapper pid=581, ip=172.16.0.2) [2026-11-27 02:50:02] node-b:581:2510 "
		"[0] "
		"misc/socket.cc:64 NCCL WARN socketProgress: Connection closed by remote peer "
		"node-a<51022> [repeated 3x across cluster]\n",
		"nccl.error", "node-b", "a consequence: another process ended or failed first",
		SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"a NIC's own event, of a host that is not known, accuses no host",
		"2026-11-27T02:51:44.884Z: [1,12]<stdout>:container-e275:815:864 [0] "
		"transport/net_ib.cu:80 NCCL WARN NET/IB : Got async event : local catastrophic "
		"error\n",
		"nccl.nic", "node-a", "container-e275 is not in the inventory", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"a queue's event is no event of the NIC",
		"node-a:139577:139678 [0] transport/net_ib.cc:154 NCCL WARN NET/IB : mlx5_1:1 "
		"async fatal "
		"event on QP (0x7309dc3bb338): invalid request local work queue error\n",
		"nccl.error", "node-a:mlx5_1",
		"memory registration, GPUDirect or ACS: not the path", SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	{"XLA repeats an error of NCCL",
		"2026-11-27 02:51:39.330561: E external/xla/xla/service/gpu/nccl_utils.cc:191] "
		"Aborting "
		"communicator: 0x5555a108ff90 due to async NCCL error: remote process exited or "
		"there was "
		"a network error\n",
		"nccl.error", "node-a", "async NCCL error: remote process exited", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"out of memory at one GPU, the others follow",
		"node-a:25:48 [0] misc/socket.cc:49 NCCL WARN socketProgress: Connection closed by "
		"remote "
		"peer node-a-ib.example<51159>\n"
		"node-a:28:52 [3] include/alloc.h:178 NCCL WARN Cuda failure 'out of memory'\n",
		"nccl.error", "node-a", "process 28 on node-a, GPU 3: Cuda failure 'out of memory'",
		SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"others repeat that rank 3 gave up",
		"[rank5]:[E1127 02:50:20.6 ProcessGroupNCCL.cpp:1772] [PG ID 0 PG GUID "
		"0(default_pg) "
		"Rank 5] Received a dump signal due to a collective timeout from  rank 3 and we "
		"will "
		"try our best to dump the debug info. Last enqueued NCCL work: 41, last completed "
		"NCCL work: 41.\n",
		"nccl.timeout", NULL, "1 of 4 ranks gave up", SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"an internal error of NCCL, as torch repeats it",
		"node-a:551:1201 [0] graph/topo.h:230 NCCL WARN Could not find NET with id 0\n"
		"torch.distributed.DistBackendError: NCCL error in: "
		"/c10d/ProcessGroupNCCL.cpp:3376, "
		"internal error - please report this issue to the NCCL developers\n",
		"nccl.error", "node-a", "Could not find NET with id 0", SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	{"the words of NCCL behind those of torch, on the next line and behind a pod's name",
		"node-a: torch.distributed.DistBackendError: NCCL error in: "
		"/opt/pytorch/torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:1197, unhandled "
		"cuda "
		"error (run with NCCL_DEBUG=INFO for details), NCCL version 2.18.3\n"
		"node-a: ncclUnhandledCudaError: Call to CUDA function failed.\n"
		"node-a: Last error:\nnode-a: Cuda failure 'initialization error'\n",
		"nccl.error", "node-a", "Cuda failure 'initialization error'", SEV_CRIT,
		ROLE_SYMPTOM, "ProcessGroupNCCL.cpp"},
	{"the same on the next line, of a connection",
		"RuntimeError: NCCL error in: NCCLUtils.hpp:268, remote process exited or there "
		"was "
		"a network error, NCCL version 2.21.5\nLast error:\nNET/IB : Got completion from "
		"peer 172.16.0.2<39138> with error 12, opcode 0, len 0, vendor err 129\n",
		"nccl.error", "node-a", "retries exceeded (status 12), peer 172.16.0.2", SEV_CRIT,
		ROLE_SYMPTOM, "remote process exited"},
	{"the same in one line",
		"terminate called after throwing an instance of 'std::runtime_error' what(): NCCL "
		"error: remote process exited or there was a network error, NCCL version 2.14.3 "
		"ncclRemoteError: A call failed possibly due to a network error. Last error: "
		"NET/IB "
		": Got completion from peer 172.16.0.2<39138> with error 12, opcode 0, len 0, "
		"vendor err 129\n",
		"nccl.error", "node-a", "retries exceeded (status 12), peer 172.16.0.2", SEV_CRIT,
		ROLE_SYMPTOM, "remote process exited"},
	{"a container without RDMA",
		"node-a:750:962 [0] NCCL INFO NET/IB : No device found.\n"
		"node-a:750:962 [0] NCCL INFO Using network Socket\n",
		"host.gpudirect", "node-a", "NCCL uses sockets: it found no RDMA device", SEV_WARN,
		ROLE_RISK, NULL},
	{"an engine of its own, without a process",
		"E1126 18:33:04.222625 56060 rdma_endpoint.cpp:385] [Handshake] Failed to modify "
		"QP "
		"to RTR, check mtu, gid, peer lid, peer qp num: Connection timed out [110]\n",
		"nccl.error", "node-a", "the connection never came up", SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	{"numbered lines",
		"470 node-a:41449:43711 [6] include/socket.h:390 NCCL WARN Connect to "
		"172.16.0.2<21724> "
		"failed : Connection refused\n",
		"nccl.error", "node-a", "172.16.0.2 (node-b)", SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"a rank twice",
		"node-a:18569:18835 [0] bootstrap.cc:131 NCCL WARN Bootstrap Root : rank 1 of 8 "
		"ranks has "
		"already checked in\n",
		"nccl.error", "node-a", "has already checked in", SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"no provider, and the retries of what is left",
		"node-a:88:88 [0] x:255 NCCL WARN NET/OFI No eligible providers were found\n"
		"node-a:88:140 [0] NCCL INFO socketPollConnect: connect to 169.254.170.23<40211> "
		"returned "
		"Connection refused, retrying (13/34)\n"
		"RuntimeError: NCCL error: remote process exited or there was a network error\n",
		"nccl.error", "node-a", "169.254.170.23", SEV_CRIT, ROLE_SYMPTOM, "remote process"},
};

CASE(each_report_is_read_rightly)
{
	for (size_t i = 0; i < sizeof(reports) / sizeof(reports[0]); i++) {
		const struct report *r = &reports[i];
		struct job_hosts *h = job_hosts_new(NOW);
		const struct finding *f;

		job_hosts_text(h, r->log);
		job_hosts_poll(h, 2);
		f = job_hosts_found(h, r->id, r->at);
		if (!f || !job_hosts_says(f, r->says) || f->severity != r->severity ||
			f->role != r->role || (r->not_said && strstr(f->title, r->not_said))) {
			fail_msg("%s", r->name);
		}
		job_hosts_free(h);
	}
}

/* A link that comes and goes is told by the same words: these are no errors. */
/* The line is as old as the job, and the job still runs. */
CASE(copies_are_told_as_long_as_the_job_runs)
{
	struct job_hosts *h = job_hosts_new(NOW);

	job_hosts_text(h,
		"2026-11-26T16:02:11.000Z node-a:2511:2532 [0] NCCL INFO NET/IB : GPU Direct RDMA "
		"Disabled for HCA 0 'mlx5_0' (no module)\n");
	assert_null(job_hosts_found(h, "host.gpudirect", NULL));
	job_hosts_free(h);
	h = job_hosts_new(NOW);
	job_hosts_text(h,
		"2026-11-26T16:02:11.000Z node-a:2511:2532 [0] NCCL INFO NET/IB : GPU Direct RDMA "
		"Disabled for HCA 0 'mlx5_0' (no module)\n"
		"2026-11-26T16:02:12.000Z node-a:2511:2532 [0] NCCL INFO comm 0x561f10 rank 0 "
		"nranks 2 cudaDev 0 nvmlDev 0 busId 18000 commId 0x9bd8b4c5a3b1e8f7 - Init "
		"COMPLETE\n"
		"2026-11-26T16:02:12.000Z node-b:2611:2632 [0] NCCL INFO comm 0x561f11 rank 1 "
		"nranks 2 cudaDev 0 nvmlDev 0 busId 18000 commId 0x9bd8b4c5a3b1e8f7 - Init "
		"COMPLETE\n");
	assert_non_null(job_hosts_found(h, "host.gpudirect", "node-a"));
	job_hosts_free(h);
}

/* Hosts that have it in common are one matter: of the job. */
CASE(copies_on_several_hosts_are_one_finding)
{
	struct job_hosts *h = job_hosts_new(NOW);
	const struct finding *f;

	job_hosts_text(h,
		"node-a:2511:2532 [0] NCCL INFO NET/IB : GPU Direct RDMA Disabled for HCA 0 "
		"'mlx5_0' (no module)\n"
		"node-b:2611:2632 [0] NCCL INFO NET/IB : GPU Direct RDMA Disabled for HCA 0 "
		"'mlx5_0' (no module)\n"
		"node-a:2511:2532 [0] NCCL INFO comm 0x561f10 rank 0 nranks 2 cudaDev 0 nvmlDev 0 "
		"busId 18000 commId 0x9bd8b4c5a3b1e8f7 - Init COMPLETE\n"
		"node-b:2611:2632 [0] NCCL INFO comm 0x561f11 rank 1 nranks 2 cudaDev 0 nvmlDev 0 "
		"busId 18000 commId 0x9bd8b4c5a3b1e8f7 - Init COMPLETE\n");
	assert_null(job_hosts_found(h, "host.gpudirect", "node-a"));
	assert_null(job_hosts_found(h, "host.gpudirect", "node-b"));
	f = job_hosts_found(h, "host.gpudirect", NULL);
	assert_non_null(f);
	assert_int_equal(f->at.kind, REF_JOB);
	assert_non_null(strstr(f->title, "2 of 2 hosts of job-9bd8b4c5"));
	job_hosts_free(h);
}

CASE(notices_are_no_findings)
{
	struct job_hosts *h = job_hosts_new(NOW);

	job_hosts_text(h,
		"node-a:5022:5377 [1] NCCL INFO comm 0x4438f540 rank 1 nranks 8 cudaDev 1 busId "
		"52000 - Init COMPLETE\n"
		"node-a:5021:5386 [0] transport/net_ib.cc:93 NCCL WARN NET/IB : Got async event : "
		"client reregistration\n"
		"node-a:5021:5386 [0] NCCL WARN NET/IB : mlx5_0:1 GID table changed\n"
		"node-a:5021:5386 [0] NCCL INFO NET/Socket : GPU Direct RDMA Disabled for HCA 0 "
		"'eno1'\n"
		"node-a:5021:5386 [0] NCCL INFO socketPollConnect: connect to 172.16.0.2<40211> "
		"returned Connection refused, retrying (1/34)\n");
	assert_null(job_hosts_found(h, "nccl.error", NULL));
	assert_null(job_hosts_found(h, "nccl.nic", NULL));
	assert_null(job_hosts_found(h, "host.gpudirect", NULL));
	job_hosts_free(h);
}

#define GAVE_UP(rank, op, seq)                                                                     \
	"[rank" rank "]:[E1127 02:41:00.253530467 ProcessGroupNCCL.cpp:629] [PG ID 0 PG GUID "     \
	"0(default_pg) Rank " rank "] Process group watchdog thread terminated with exception: "   \
	"[Rank " rank "] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=" seq       \
	", OpType=" op ", NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600034 milliseconds " \
	"before timing out.\n"

/* Two jobs write into one log: their groups have the same number, and are not one. */
CASE(groups_of_two_jobs_in_one_log_are_kept_apart)
{
	struct job_hosts *h = job_hosts_new(NOW);

	job_hosts_text(h,
		GAVE_UP("0", "ALLREDUCE", "3106") GAVE_UP("1", "BROADCAST", "90412") GAVE_UP(
			"2", "ALLREDUCE", "3106") GAVE_UP("0", "BROADCAST", "90412")
			GAVE_UP("1", "ALLREDUCE", "3106") GAVE_UP("2", "BROADCAST", "90412"));
	job_hosts_poll(h, 2);
	assert_true(job_hosts_say(h, "all 3 ranks gave up on AllReduce 3106"));
	assert_true(job_hosts_say(h, "3 ranks on Broadcast 90412, 0 on others"));
	/* Nobody is behind: each job hangs by itself. */
	assert_null(job_hosts_found(h, "nccl.mismatch", NULL));
	job_hosts_free(h);
}

/* Whether the job's finding has the text. */
static bool job_says(const struct job_hosts *h, const char *job, const char *text)
{
	return job_hosts_says(job_hosts_of_job(h, "nccl.timeout", job), text);
}

#define RED  "[pod/red-worker-"
#define BLUE "[pod/blue-worker-"
#define GAVE_UP_IN(who, us, rank, guid, group, op, seq)                                            \
	who "[rank" rank "]:[E1127 02:41:00." us                                                   \
	    " ProcessGroupNCCL.cpp:629] [PG ID 0 PG GUID " guid "(" group ") Rank " rank           \
	    "] Process group watchdog thread terminated with "                                     \
	    "exception: [Rank " rank "] Watchdog caught collective operation timeout: "            \
	    "WorkNCCL(SeqNum=" seq ", OpType=" op ", NumelIn=1, NumelOut=1, Timeout(ms)=600000) "  \
	    "ran for 600034 milliseconds before timing out.\n"

/* Each is a job of its own, also where one job is known on that host: it may be either. */
CASE(two_jobs_in_one_log_are_two_jobs)
{
	static const char known[] =
		"node-a:41:411 [0] NCCL INFO ncclCommInitRank comm 0x55 rank 0 nranks 2 cudaDev 0 "
		"nvmlDev 0 busId a000 commId 0xa1ffb74daef8a940 - Init COMPLETE\n"
		"node-a:42:421 [1] NCCL INFO ncclCommInitRank comm 0x55 rank 1 nranks 2 cudaDev 1 "
		"nvmlDev 1 busId 1a000 commId 0xa1ffb74daef8a940 - Init COMPLETE\n";

	for (unsigned with = 0; with < 2; with++) {
		struct job_hosts *h = job_hosts_new(NOW);

		if (with)
			job_hosts_text(h, known);
		job_hosts_text(h, GAVE_UP("0", "ALLREDUCE", "3106") GAVE_UP("1", "BROADCAST",
					  "90412") GAVE_UP("0", "BROADCAST", "90412")
					  GAVE_UP("1", "ALLREDUCE", "3106"));
		job_hosts_poll(h, 2);
		assert_true(job_says(h, "job-pg0#1", "all 2 ranks gave up on AllReduce 3106"));
		assert_true(job_says(h, "job-pg0#2", "all 2 ranks gave up on Broadcast 90412"));
		assert_null(job_hosts_of_job(h, "nccl.timeout", "job-a1ffb74d"));
		job_hosts_free(h);
	}
}

/*
 * Pods of two jobs that wait for the same operation, as kubectl logs --prefix shows them: the pods
 * tell the jobs apart, and which groups are of one job.
 */
CASE(jobs_are_told_apart_by_who_wrote_the_line)
{
	struct job_hosts *h = job_hosts_new(NOW);

	job_hosts_text(h, GAVE_UP_IN(RED "0/pytorch] ", "25", "0", "0", "default_pg", "BROADCAST",
				  "1") GAVE_UP_IN(BLUE "0/pytorch] ", "31", "0", "0", "default_pg",
				  "BROADCAST", "1") GAVE_UP_IN(RED "1/pytorch] ", "26", "1", "0",
				  "default_pg", "BROADCAST", "1") GAVE_UP_IN(BLUE "0/pytorch] ",
				  "32", "2", "7", "mesh_tp", "ALLGATHER", "55"));
	job_hosts_poll(h, 2);
	assert_true(job_says(h, "job-pg0#1", "all 2 ranks gave up on Broadcast 1"));
	assert_true(job_says(h, "mesh_tp", "Broadcast 1"));
	assert_true(job_says(h, "mesh_tp", "AllGather 55"));
	assert_int_equal(job_hosts_model(h)->nccl->jobs.n, 2);
	job_hosts_free(h);
}

/* A log that was collected twice, by compose and by a file, is of one job. */
CASE(one_job_that_was_collected_twice_is_one)
{
	struct job_hosts *h = job_hosts_new(NOW);

	job_hosts_text(h,
		GAVE_UP_IN("trainer-1  | ", "25", "0", "0", "default_pg", "BROADCAST", "1")
			GAVE_UP_IN("", "25", "0", "0", "default_pg", "BROADCAST", "1") GAVE_UP_IN(
				"trainer-1  | ", "26", "1", "0", "default_pg", "BROADCAST", "1"));
	job_hosts_poll(h, 2);
	assert_true(job_hosts_say(h, "all 2 ranks gave up on Broadcast 1"));
	assert_false(job_hosts_say(h, "#"));
	job_hosts_free(h);
}

/* One process that gives up on operations behind one another is one job. */
CASE(operations_that_wait_behind_one_another_are_of_one_job)
{
	struct job_hosts *h = job_hosts_new(NOW);

	job_hosts_text(h,
		GAVE_UP("0", "ALLREDUCE", "3106") GAVE_UP("0", "ALLREDUCE", "3107")
			GAVE_UP("1", "ALLREDUCE", "3106") GAVE_UP("1", "ALLREDUCE", "3107"));
	job_hosts_poll(h, 2);
	assert_true(job_hosts_say(h, "all 2 ranks gave up on AllReduce"));
	assert_false(job_hosts_say(h, "#2"));
	job_hosts_free(h);
}

CASES_MAIN(NULL, NULL)
