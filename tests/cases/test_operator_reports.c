/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Logs of public reports that operators of RDMA clusters wrote, as a search for their words brings
 * them, without regard to what railtop knew. See hosts.md, the eighth batch. Each right reading was
 * written before the first run.
 */
#include "base/clock.h"
#include "tests/cases/job_hosts.h"
#include "tests/cases/log_reports.h"
#include "tests/support/cases.h"

/* 2026-11-27 02:53:20 UTC */
#define NOW (INT64_C(1795748000) * CLOCK_SEC)

#define CAUGHT(rank, seq, op, ms, ran)                                                             \
	"[Rank " rank "] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=" seq       \
	", OpType=" op ", NumelIn=16666624, NumelOut=16666624, Timeout(ms)=" ms ") ran for " ran   \
	" milliseconds before timing out.\n"

static const struct log_report reports[] = {
	/* ---- watchdogs ---- */
	{"hiyouga/LlamaFactory 8261",
		"[1787] [rank2]:[E1127 02:47:52.400612945 ProcessGroupNCCL.cpp:632] " CAUGHT("2",
			"2847", "ALLREDUCE", "600000",
			"600080") "[1788] [rank2]:[E1127 02:47:52.400889883 "
				  "ProcessGroupNCCL.cpp:2268] [PG ID 1 PG GUID 1 Rank 2]  failure "
				  "detected by watchdog at work sequence id: 2847 PG status: last "
				  "enqueued work: 2856, last completed work: 2846\n"
				  "[1789] [rank2]:[E1127 02:47:52.400938004 "
				  "ProcessGroupNCCL.cpp:670] Stack trace of the failed collective "
				  "not found, potentially because FlightRecorder is disabled.\n",
		"nccl.timeout", NULL, "gave up on AllReduce 2847 after 600 s", NULL, SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"om-ai-lab/VLM-R1 294",
		"[rank4]:[E1127 02:42:16.253530467 ProcessGroupNCCL.cpp:629] " CAUGHT("4", "3106",
			"ALLREDUCE", "600000",
			"600008") "[rank2]:[E1127 02:42:16.254494464 "
				  "ProcessGroupNCCL.cpp:629] " CAUGHT(
					  "2", "3106", "ALLREDUCE", "600000", "600034"),
		"nccl.timeout", NULL, "gave up on AllReduce 3106 after 600 s", NULL, SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"meta-llama/llama-cookbook 567",
		"Exception raised from ncclCommWatchdog at "
		"../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:1418 (most recent call "
		"first):\n"
		"frame #0: c10::Error::Error(c10::SourceLocation, std::string) + 0x57 "
		"(0x7f367500b897 in /opt/lib/python3.10/site-packages/torch/lib/libc10.so)\n"
		"\n[rank2]:[E ProcessGroupNCCL.cpp:1537] [PG 0 Rank 2] Timeout at NCCL work: "
		"1474236, last enqueued NCCL work: 1474236, last completed NCCL work: 1474235.\n",
		"nccl.timeout", NULL, "gave up on operation 1474236", NULL, SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	{"ServiceNow/TapeAgents 104",
		"[rank1]:[E1127 02:43:36.162898839 ProcessGroupNCCL.cpp:1515] [PG 0 (default_pg) "
		"Rank 1] Process group watchdog thread terminated with exception: " CAUGHT(
			"1", "58", "BROADCAST", "600000", "600076"),
		"nccl.timeout", NULL, "gave up on Broadcast 58 after 600 s", "default_pg", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"NVIDIA/nccl 1610",
		" 2026-11-27 02:44 [rank13]:[E1127 02:44:22.864467604 "
		"ProcessGroupNCCL.cpp:616] " CAUGHT("1", "216", "ALLTOALL_BASE", "600000",
			"600045") " 2026-11-27 02:44 [rank13]:[E1127 02:44:22.864535778 "
				  "ProcessGroupNCCL.cpp:1795] [PG ID 11 PG GUID 119 Rank 1] "
				  "Exception (either an error or timeout) detected by watchdog at "
				  "work: 216, last enqueued NCCL work: 220, last completed NCCL "
				  "work: 215.\n"
				  " 2026-11-27 02:44 node-a:180:915 [3] NCCL INFO "
				  "misc/socket.cc:47 "
				  "-> 3\n",
		"nccl.timeout", NULL, "gave up on AlltoAll 216 after 600 s", "119", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"Lightning-AI/pytorch-lightning 20434",
		"node-a:2324239:2324522 [3] NCCL INFO TUNER/Plugin: Using internal tuner plugin.\n"
		"node-a:2324239:2324522 [3] NCCL INFO ncclCommInitRank comm 0x5584021f39f0 rank 3 "
		"nranks 4 cudaDev 3 nvmlDev 3 busId e1000 commId 0xb886029f29f1a815 - Init "
		"COMPLETE\n"
		"[rank3]:[E1127 02:21:12.512781555 ProcessGroupNCCL.cpp:616] " CAUGHT(
			"3", "1", "BROADCAST", "1800000", "1800000"),
		"nccl.timeout", NULL, "1 of 4 ranks gave up on Broadcast 1 after 1800 s", NULL,
		SEV_CRIT, ROLE_SYMPTOM, NULL},
	/* ---- NCCL ---- */
	{"NVIDIA/nccl 193",
		"node-a:15:91 [3] include/socket.h 398 NCCL WARN Call to write failed : Connection "
		"reset by peer.\n"
		"node-a:15:91 [3] transport.cu:153 NCCL WARN transport.cu:153 ->2 [Proxy thread "
		"error]\n",
		"nccl.error", "node-a", "Call to write failed", "consequence", SEV_CRIT,
		ROLE_SYMPTOM, "never came up"},
	{"NVIDIA/nccl 394",
		"node-a: node-a:106:196 [0] transport/net_ib.cc:73 NCCL WARN NET/IB : Got async "
		"event : GID table change\n"
		"node-a:\n"
		"node-a: node-a:108:593 [0] transport/net_ib.cc:816 NCCL WARN NET/IB : Got "
		"completion with error 12, opcode 0, len 32633, vendor err 129\n"
		"node-a: node-a:108:593 [0] NCCL INFO include/net.h:28 -> 2\n",
		"nccl.error", "node-a", "retries exceeded", "GID table change", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"NVIDIA/nccl 769",
		"node-a:4210:4399 [1] misc/ibvwrap.cc:262 NCCL WARN Call to ibv_modify_qp failed "
		"with error Connection timed out\n",
		"nccl.error", "node-a", "ibv_modify_qp", "never came up", SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	{"NVIDIA/nccl 1016",
		"node-a:116:236 [3] misc/socket.cc:480 NCCL WARN socketStartConnect: Connect to "
		"172.16.0.2<38007> failed : Software caused connection abort\n"
		"node-a:116:236 [3] NCCL INFO misc/socket.cc:561 -> 2\n"
		"node-a:116:236 [3] NCCL INFO bootstrap.cc:270 -> 2\n",
		"nccl.error", "node-a", "never came up", "172.16.0.2 (node-b)", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"NVIDIA/nccl 1332",
		"node-a:11537:11571 [3] NCCL INFO NCCL_IB_ADDR_RANGE set by environment to "
		"10.0.0.0/16\n"
		"node-a:11537:11571 [3] NCCL INFO transport/net_ib.cc:282 -> 2\n"
		"node-a:11537:11537 [3] NCCL INFO group.cc:95 -> 2\n"
		"node-a: Test NCCL failure common.cu:961 'unhandled system error (run with "
		"NCCL_DEBUG=INFO for details) / '\n"
		" .. node-a pid 11537: Test failure common.cu:844\n",
		"nccl.error", "node-a", "unhandled system error", NULL, SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	{"AMDResearch/hpcfund 58",
		"[rank0]: torch.distributed.DistBackendError: NCCL error in: "
		"/pytorch/torch/csrc/distributed/c10d/NCCLUtils.hpp:77, remote process exited or "
		"there was a network error, NCCL version 2.22.3\n"
		"[rank0]: ncclRemoteError: A call failed possibly due to a network error or a "
		"remote process exiting prematurely.\n",
		"nccl.error", "node-a", "network error", NULL, SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"llm-d/llm-d 191",
		"prefill-2.log:[2026-11-27 02:46:23] node-a:311:405 [0] transport/net_ib.cc:199 "
		"NCCL WARN NET/IB : mlx5_2:1 Got async error event: port error\n"
		"prefill-2.log:[2026-11-27 02:46:31] node-a:311:405 [0] transport/net_ib.cc:199 "
		"NCCL WARN NET/IB : mlx5_2:1 Got async error event: port active\n"
		"prefill-2.log:[2026-11-27 02:52:34] node-a:311:405 [0] transport/net_ib.cc:199 "
		"NCCL WARN NET/IB : mlx5_2:1 Got async error event: port error\n",
		"nccl.nic", "node-a:mlx5_2", "port error", NULL, SEV_CRIT, ROLE_CULPRIT, NULL},
	{"ROCm/rocm-systems 11174",
		"node-a:900:950 [1] transport/net_ib.cc:189 NCCL WARN NET/IB : mlx5_1:1 async "
		"fatal event on QP: invalid request local work queue error\n"
		"node-a:900:960 [1] transport/net_ib.cc:2451 NCCL WARN NET/IB: Got completion from "
		"peer 172.16.0.2<38081> with status=IBV_WC_REM_INV_REQ_ERR(9) "
		"opcode=IBV_WC_RECV(128) len=0 vendor err 138 (Recv) hca mlx5_1\n",
		"nccl.error", "node-a:mlx5_1", "not the path", NULL, SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"NVIDIA/nccl 1184",
		"#       size         count      type   redop    root     time   algbw   busbw "
		"#wrong     time   algbw   busbw #wrong\n"
		"#        (B)    (elements)                               (us)  (GB/s)  (GB/s)     "
		"       (us)  (GB/s)  (GB/s)\n"
		"      262144         65536     float     sum      -1    325.1    0.81    0.81     "
		" "
		"0    325.3    0.81    0.81      0\n"
		"      524288        131072     float     sum      -1    663.1    0.79    0.79  "
		"237858    569.4    0.92    0.92  238038\n",
		"nccl.error", "node-a", "475896 values of 524288 B are wrong", "damaged", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	/* ---- UCX ---- */
	{"openucx/ucx 6000",
		"[node-a:31180:0:31180] ib_mlx5_log.c:143  Transport retry count exceeded on "
		"mlx5_0:1/RoCE (synd 0x15 vend 0x81 hw_synd 0/0)\n"
		"[node-a:31180:0:31180] ib_mlx5_log.c:143  DCI QP 0x14e4 wqe[0]: SEND s-e [rqpn "
		"0x2248a rmac 50:6b:4b:cb:be:ce sgix 0 dgid fd00:1148:9000:0::2 tc 0] [inl len "
		"18]\n",
		"nccl.error", "node-a:mlx5_0", "retries exceeded", "node-b mlx5_0", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"openucx/ucx 2973",
		"[node-a:6807 :0:6807] ib_mlx5_log.c:115  FATAL: Error on mlx5_3:1 QP 0xe6d7 "
		"wqe[7821]: Transport retry count exceeded (synd 0x15 vend 0x81) opcode SEND\n"
		"==== backtrace ====\n"
		"0 0x000000000002cf1c uct_ib_mlx5_completion_with_err()  "
		"/home/abuild/ucx/src/uct/ib/mlx5/ib_mlx5_log.c:112\n",
		"nccl.error", "node-a:mlx5_3", "retries exceeded", "6807", SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	{"openucx/ucx 2545",
		"<stderr>:[node-b:94092:0:94092] ib_mlx5_log.c:113  FATAL: Error on QP 0x2396e "
		"wqe[001]: Transport retry count exceeded (synd 0x15 vend 0x81) opcode RDMA_READ\n",
		"nccl.error", "node-b", "retries exceeded", "94092", SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"openucx/ucx 7613",
		"[1795747835.823013] [node-a:6471 :async]       ib_device.c:475  UCX  WARN  IB "
		"Async event on mlx5_0: GID table change on port 1\n",
		NULL, NULL, NULL, NULL, SEV_WARN, ROLE_SYMPTOM, NULL},
	/* ---- other engines ---- */
	{"uccl-project/uccl 293",
		"F20261127 02:52:09.976752 3186121 rdma_io.cc:811] Check failed: wc->status == "
		"IBV_WC_SUCCESS RC send CQ state error: 12, 0\n"
		"*** Check failure stack trace: ***\n",
		"nccl.error", "node-a", "retries exceeded (status 12)", "Check failed", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"uccl-project/uccl 799",
		"CQE ERROR wr_id=3 status=12(transport retry counter exceeded) opcode=1 byte_len=0 "
		"vendor_err=0xa qp_num=0x2c10\n"
		"CQE ERROR wr_id=4294967296 status=12(transport retry counter exceeded) opcode=1 "
		"byte_len=0 vendor_err=0xa qp_num=0x2c14\n",
		"nccl.error", "node-a", "retries exceeded", NULL, SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"SJTU-IPADS/wukong 16",
		"got bad completion with status: 0xc, vendor syndrome: 0x81, with error transport "
		"retry counter exceeded, qp n:0 t:1\n",
		"nccl.error", "node-a", "retries exceeded", NULL, SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"kvcache-ai/Mooncake 3596",
		"W1127 02:52:09.128390  4242 workers.cpp:418] Received context async event port "
		"error for context mlx5_2\n"
		"W1127 02:52:09.128401  4242 workers.cpp:425] Action: mlx5_2 down\n",
		"nccl.nic", "node-a:mlx5_2", "port error", NULL, SEV_CRIT, ROLE_CULPRIT, NULL},
	{"spdk/spdk 1703",
		"[2026-11-27 02:52:41.899003] nvme_rdma.c:1070:nvme_rdma_connect: *ERROR*: RDMA "
		"connect error -99\n"
		"[2026-11-27 02:52:41.899098] nvme_rdma.c:1178:_nvme_rdma_ctrlr_connect_qpair: "
		"*ERROR*: Unable to connect the rqpair\n",
		"nccl.error", "node-a", "RDMA connect error -99", NULL, SEV_WARN, ROLE_SYMPTOM,
		NULL},
	{"open-mpi/ompi 8403",
		"[[60309,1],0][btl_openib_component.c:3644:handle_wc] from node-a to: node-b error "
		"polling LP CQ with status RETRY EXCEEDED ERROR status number 12 for wr_id 24a0b80 "
		"opcode 1  vendor error 129 qp_idx 3\n"
		"--------------------------------------------------------------------------\n"
		"The InfiniBand retry count between two MPI processes has been\n"
		"exceeded.  \"Retry count\" is defined in the InfiniBand spec 1.2\n"
		"(section 12.7.38):\n"
		"  Local host:   node-a\n"
		"  Local device: mlx5_0\n"
		"  Peer host:    node-b\n"
		"--------------------------------------------------------------------------\n",
		"nccl.error", "node-a:mlx5_0", "retries exceeded", "node-b", SEV_CRIT, ROLE_SYMPTOM,
		NULL},
};

/* The ninth batch: other words of theirs. */
static const struct log_report later_reports[] = {
	{"ROCm/rccl 908",
		"\nnode-a:204802:204836 [1] /home/elias/rccl/hipify/src/transport/p2p.cc:220 NCCL "
		"WARN hipIpcGetMemHandle failed : invalid argument\n"
		"\nnode-a:204802:204836 [1] NCCL INFO transport/p2p.cc:220 -> 1\n",
		"nccl.error", "node-a", "hipIpcGetMemHandle failed", "not the network", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"NVIDIA/nccl 551",
		"node-b:10770:10794 [0] misc/ibvwrap.cu:284 NCCL WARN Call to ibv_modify_qp failed "
		"with error No such device\n"
		"node-b:10770:10794 [0] NCCL INFO transport/net_ib.cu:382 -> 2\n"
		"node-b:10770:10794 [0] NCCL INFO misc/group.cu:69 -> 2 [Async thread]\n"
		"node-b: Test NCCL failure common.cu:788 'unhandled system error'\n",
		"nccl.error", "node-b", "No such device", "NIC of this process is gone", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"deepspeedai/DeepSpeed 2973",
		"  File \"/opt/python3.9/site-packages/torch/distributed/distributed_c10d.py\", "
		"line "
		"786, in init_process_group\n"
		"    _store_based_barrier(rank, store, timeout)\n"
		"RuntimeError: Connection reset by peer\n"
		"[2026-11-27 02:49:10,901] [INFO] [launch.py:318:sigkill_handler] Killing "
		"subprocess 15884\n",
		"nccl.error", "node-a", "Connection reset by peer", "consequence", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"NVIDIA/Megatron-LM 1525",
		"E1127 02:47:58.118000 55867 "
		"torch/distributed/elastic/multiprocessing/api.py:870] failed (exitcode: -6) "
		"local_rank: 0 (pid: 56003) of binary: /usr/bin/python\n"
		"Traceback (most recent call last):\n"
		"  File \"/usr/local/bin/torchrun\", line 33, in <module>\n",
		"nccl.error", "node-a", "process 56003", "exitcode: -6", SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	{"hiyouga/LlamaFactory 2470",
		"node-b:     dist.barrier()\n"
		"node-b: RuntimeError: [11] is setting up NCCL communicator and retrieving "
		"ncclUniqueId from [0] via c10d key-value store by key '0', but store->get('0') "
		"got "
		"error: Connection reset by peer\n",
		"nccl.error", "node-b", "ncclUniqueId", "never came up", SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	{"sgl-project/sglang 37022",
		"[2026-11-27 02:51:35 TP3] Prefill transfer failed for request rank=3 "
		"req.rid='9f02' req.bootstrap_room=8291 with exception "
		"KVTransferError(bootstrap_room=8291): Decode instance could be dead, remote "
		"mooncake session 172.16.0.2:15806 is not alive\n",
		"nccl.error", "node-a", "could be dead", "172.16.0.2 (node-b)", SEV_WARN,
		ROLE_SYMPTOM, NULL},
	{"kvcache-ai/Mooncake 397",
		"E1127 02:50:40.074718   223 client.cpp:444] Transfer failed for task0\n"
		"W1127 02:50:40.074728   223 client.cpp:450] Transfer incomplete, retrying... "
		"(attempt 3/3)\n"
		"E1127 02:50:40.084792   223 client.cpp:460] transfer_incomplete max_attempts=3\n"
		"E1127 02:50:40.085733   223 store_py.cpp:367] Put operation failed with error: "
		"TRANSFER_FAIL\n",
		"nccl.error", "node-a", "Transfer failed", NULL, SEV_WARN, ROLE_SYMPTOM, NULL},
	{"sgl-project/sglang 27730",
		"rdma_endpoint.cpp:472] Invalid argument: received packet mismatch, "
		"local.local_nic_path: 172.16.0.1:15806@mlx5_0, local.peer_nic_path: "
		"172.16.0.2:16416@mlx5_2, peer.local_nic_path: (empty)\n"
		"rdma_endpoint.cpp:1033] [Handshake] Failed to modify QP to RTR ... Connection "
		"timed out [110]\n",
		"nccl.error", "node-a", "modify QP to RTR", "never came up", SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	{"deepseek-ai/DeepEP 326",
		"DeepEP combine RDMA receiver timeout, channel: 5, RDMA: 2, nvl: 7, src RDMA: 1, "
		"tail: 576, waiting: 4057, expect: 580\n"
		"DeepEP combine forwarder (RDMA check) timeout, channel: 5, RDMA: 2, nvl: 0, dst "
		"RDMA: 1, head: 384, tail: 512, chunked: 8\n",
		"nccl.error", "node-a", "DeepEP combine RDMA receiver timeout", "another rank",
		SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"sgl-project/sglang 11648",
		"[2026-11-27 02:43:35 DP6 TP6 EP6] Some requests fail to receive KV Cache transfer "
		"done signal after bootstrapping.\n"
		"[2026-11-27 02:43:35 DP6 TP6 EP6] Decode transfer failed for request rank=6 "
		"decode_req.req.rid='cd00baf7' with exception "
		"KVTransferError(bootstrap_room=8360): "
		"Request 8360 timed out after 600.0s in KVPoll.WaitingForInput\n",
		"nccl.error", "node-a", "fail to receive KV Cache transfer", NULL, SEV_WARN,
		ROLE_SYMPTOM, NULL},
};

CASE(further_reports_of_operators)
{
	log_reports_read(NOW, later_reports, sizeof(later_reports) / sizeof(later_reports[0]));
}

CASE(reports_of_operators)
{
	log_reports_read(NOW, reports, sizeof(reports) / sizeof(reports[0]));
}

CASES_MAIN(NULL, NULL)
