/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Logs of public reports in the order in which a search for an operator's words brings them: see
 * hosts.md, the tenth and later batches. Each right reading was written before the first run.
 */
#include "base/clock.h"
#include "tests/cases/job_hosts.h"
#include "tests/cases/log_reports.h"
#include "tests/support/cases.h"

/* 2026-11-27 02:53:20 UTC */
#define NOW (INT64_C(1795748000) * CLOCK_SEC)

static const struct log_report tenth[] = {
	/* ---- "NCCL timeout RoCE training hang" ---- */
	{"NVIDIA/nccl 902",
		"NCCL WARN NET/IB : Got completion with error 12, opcode 0, len 0, vendor err "
		"129\n",
		"nccl.error", "node-a", "retries exceeded", NULL, SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"NVIDIA/nccl 1111",
		"[E ProcessGroupNCCL.cpp:481] [Rank 65] Watchdog caught collective operation "
		"timeout: WorkNCCL(SeqNum=1559, OpType=_REDUCE_SCATTER_BASE, NumelIn=3121908768, "
		"NumelOut=32519883, Timeout(ms)=1800000) ran for 1800441 milliseconds before "
		"timing out.\n"
		"[E ProcessGroupNCCL.cpp:481] [Rank 66] Watchdog caught collective operation "
		"timeout: WorkNCCL(SeqNum=1559, OpType=_REDUCE_SCATTER_BASE, NumelIn=3121908768, "
		"NumelOut=32519883, Timeout(ms)=1800000) ran for 1800779 milliseconds before "
		"timing out.\n"
		"[E ProcessGroupNCCL.cpp:495] Some NCCL operations have failed or timed out.\n",
		"nccl.timeout", NULL, "gave up on ReduceScatter 1559", NULL, SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	{"NVIDIA/nccl 706",
		"[15]node-a:83:2526 [0] misc/socket.cc:503 NCCL WARN Net : Call to recv from "
		"172.16.0.2<41468> failed : Connection timed out\n"
		"[15]node-a:83:2526 [0] NCCL INFO misc/socket.cc:520 -> 2\n"
		"[15]node-a:83:2526 [0] transport/net_socket.cc:219 NCCL WARN NET/Socket : socket "
		"progress error\n"
		"[15]node-a:83:2520 [0] NCCL INFO include/net.h:32 -> 2\n",
		"nccl.error", "node-a", "Call to recv from", "stopped answering", SEV_CRIT,
		ROLE_SYMPTOM, "never came up"},
	{"modelscope/FunASR 2006",
		"node-a:14057:14885 [6] NCCL INFO [Service thread] Connection closed by localRank "
		"3\n"
		"node-a:14054:14825 [3] NCCL INFO comm 0x9bc5a80 rank 11 nranks 16 cudaDev 3 busId "
		"4e000 - Abort COMPLETE\n"
		"[rank11]:[E ProcessGroupNCCL.cpp:1537] [PG 1 Rank 11] Timeout at NCCL work: "
		"15734, last enqueued NCCL work: 15735, last completed NCCL work: 15733.\n",
		"nccl.timeout", NULL, "gave up on operation 15734", NULL, SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	/* ---- "ncclRemoteError torch.distributed.DistBackendError" ---- */
	{"NVIDIA/nccl 1514",
		"torch.distributed.DistBackendError: NCCL error in: "
		"../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:1275, internal error, NCCL "
		"version 2.14.3\n"
		"ncclInternalError: Internal check failed.\n"
		"Last error:\n"
		"Net : Connection closed by remote peer node-b<50260>\n",
		"nccl.error", "node-a", "Connection closed by remote peer", "consequence", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	/* ---- "transport retry counter exceeded" ---- */
	{"openucx/ucx 844",
		"Fri Nov 27 02:52:08 2026[1,43]<stdout>:[1795747928.714393] [node-a:25196:0] "
		"rc_verbs_iface.c:47   UCX  ERROR Send completion with error: transport retry "
		"counter exceeded\n"
		"Fri Nov 27 02:52:08 2026[1,67]<stdout>:[1795747928.714248] [node-a:25199:0] "
		"rc_verbs_iface.c:47   UCX  ERROR Send completion with error: transport retry "
		"counter exceeded\n",
		"nccl.error", "node-a", "retries exceeded", NULL, SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"openucx/ucx 1920",
		"[1795747928.600192] [node-a:31714:0]    ib_mlx5_log.c:113  UCX  ERROR Error on QP "
		"0x61f5 wqe[0]: Transport retry count exceeded (synd 0x15 vend 0x81) opcode SEND\n"
		"[1795747928.601083] [node-a:31714:0]     ucp_worker.c:437  UCX  ERROR Error "
		"Endpoint timeout was not handled for ep 0x1d33870 - rc_mlx5/mlx5_2:1\n",
		"nccl.error", "node-a", "retries exceeded", NULL, SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"openucx/ucx 1880",
		"Fri Nov 27 02:52:10 2026[1,30]<stdout>:[1795747930.744682] [node-a:1411 :0]       "
		"dc_verbs.c:633  UCX  ERROR Send completion with error on qp 0x10e55: transport "
		"retry counter exceeded syndrome 0x81\n"
		"Fri Nov 27 02:52:10 2026[1,30]<stdout>:[1795747930.744722] [node-a:1411 :0]     "
		"ucp_worker.c:373  UCX  ERROR Error Endpoint timeout was not handled for ep "
		"0x9ce460\n",
		"nccl.error", "node-a", "retries exceeded", NULL, SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"openucx/ucx 5634",
		"ib_mlx5_log.c:132  Transport retry count exceeded on mlx5_0:1/IB (synd 0x15 vend "
		"0x81 hw_synd 0/0)\n"
		"ib_mlx5_log.c:132  RC QP 0x3340 wqe[687]: RDMA_READ s-- [rva 0x7fca6ecf2600 rkey "
		"0x46c894] [va 0x7f51a90a5000 len 68992 lkey 0x640d6d]\n",
		"nccl.error", "node-a:mlx5_0", "retries exceeded", NULL, SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	/* ---- "mlx5 cqe error dmesg" ---- */
	{"Juniper/warp17 81",
		"MLX5 Error CQE: at [0x7f6a7d20c000], len=64\n"
		"00000000: 00 73 65 65 6E 00 00 00 00 00 00 00 00 00 00 00 | .seen...........\n"
		"00000010: 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 | ................\n"
		"00000020: 00 00 00 13 00 00 00 00 00 00 00 00 00 00 00 00 | ................\n"
		"00000030: 00 00 00 00 9D 00 53 04 0A 00 15 42 00 19 B0 D2 | ......S....B....\n",
		"nccl.error", "node-a", "MLX5 Error CQE", NULL, SEV_WARN, ROLE_SYMPTOM, NULL},
	{"openucx/ucx 1019",
		"[1795747811.803692] [node-a:22825:0]        ud_mlx5.c:655  UCX  ERROR TX CQE size "
		"(128) is not 64\n",
		"nccl.error", "node-a", "TX CQE size (128) is not 64", NULL, SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	/* ---- "Ray NCCL error worker died" ---- */
	{"OpenRLHF/OpenRLHF 624",
		"(raylet) A worker died or was killed while executing a task by an unexpected "
		"system error. To troubleshoot the problem, check the logs for the dead worker. "
		"RayTask ID: ffffffffffffffffed03ec50b4ec774f98aa30c803000000 Worker ID: "
		"75bba2eea21c50d9a81aecc9f47faa5782daaeb736b3556543cee00e Node ID: "
		"aad5f29e3b402e31eaa20750741b7b998315158779540b17c0c47e09 Worker IP address: "
		"172.16.0.2 Worker port: 10004 Worker PID: 3943 Worker exit type: SYSTEM_ERROR "
		"Worker exit detail: Worker unexpectedly exits with a connection error code 2. End "
		"of file. There are some potential root causes. (1) The process is killed by "
		"SIGKILL by OOM killer due to high memory usage. (2) ray stop --force is called. "
		"[repeated 5x across cluster]\n",
		"nccl.error", "node-b", "SYSTEM_ERROR", "3943", SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"vllm-project/vllm 427",
		"Unhandled exception: St13runtime_error. what(): NCCL Error 5: invalid usage\n",
		"nccl.error", "node-a", "invalid usage", NULL, SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"Unakar/Logic-RL 18",
		"The actor is dead because its worker process has died. Worker exit type: "
		"SYSTEM_ERROR Worker exit detail: Worker unexpectedly exits with a connection "
		"error code 2. End of file. There are some potential root causes. (1) The process "
		"is killed by SIGKILL by OOM killer due to high memory usage.\n",
		"nccl.error", "node-a", "SYSTEM_ERROR", NULL, SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"ray-project/ray 7788",
		"(pid=81332) SystemExit: 1\n"
		"2026-11-27 02:52:59,901\tWARNING worker.py:1072 -- A worker died or was killed "
		"while executing task ffffffffffffffffeb124b350200.\n"
		"(pid=81331) E1127 02:53:00.165781 81395 core_worker.cc:382] Raylet failed. "
		"Shutting down.\n",
		"nccl.error", "node-a", "A worker died", NULL, SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"verl-project/verl 472",
		"(WorkerDict pid=27497) [2026-11-27 02:48:30,014 E 27497 27497] logging.cc:113: "
		"Unhandled exception: N5boost10wrapexceptINS_6system12system_errorEEE. what(): "
		"thread: Resource temporarily unavailable [system:11] [repeated 2x across "
		"cluster]\n"
		"(WorkerDict pid=27110) [2026-11-27 02:48:30,101 E 27110 27110] logging.cc:120: "
		"Stack trace:  [repeated 2x across cluster]\n",
		"nccl.error", "node-a", "Resource temporarily unavailable", "27497", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"verl-project/verl 4921",
		"ray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this "
		"task.\n"
		"        class_name: create_colocated_worker_cls.<locals>.WorkerDict\n"
		"        actor_id: 5066c201b724a3936948a11201000000\n"
		"        pid: 87687\n"
		"        name: 07GxnAWorkerDict_0:3\n"
		"        namespace: b8860f81-d334-496c-a8f4-c7ed6a6b49f3\n"
		"        ip: 172.16.0.2\n"
		"The actor is dead because its worker process has died. Worker exit type: "
		"SYSTEM_ERROR Worker exit detail: Worker unexpectedly exits with a connection "
		"error code 2. End of file.\n",
		"nccl.error", "node-b", "actor died", "87687", SEV_CRIT, ROLE_SYMPTOM, NULL},
	/* ---- "DeepSpeed hang multi-node NCCL" ---- */
	{"pytorch/torchtitan 1681",
		"[2026-11-27 02:52:17] node-a:5838:6020 [0] transport/net_socket.cc:561 NCCL WARN "
		"NET/Socket : peer 172.16.0.2<41138> message truncated : receiving 8 bytes instead "
		"of 4. If you believe your socket network is in a healthy state, there may be a "
		"mismatch in collective sizes or environment settings (e.g. NCCL_PROTO, NCCL_ALGO) "
		"between ranks\n"
		"node-a:5838:6020 [0] NCCL INFO transport/net.cc:1393 -> 5\n",
		"nccl.error", "node-a", "message truncated", "172.16.0.2 (node-b)", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	/* ---- "aws-ofi-nccl error EFA multi-node" ---- */
	{"aws/deep-learning-containers 2675",
		"node-a:28:28 [0] nccl_net_ofi_init:1444 NCCL WARN NET/OFI Only EFA provider is "
		"supported\n"
		"node-a:28:28 [0] NCCL INFO NET/IB : No device found.\n"
		"node-a:28:28 [0] NCCL INFO NET/Socket : Using [0]eth0:172.16.0.1<0>\n"
		"node-a:28:28 [0] NCCL INFO Using network Socket\n",
		"host.gpudirect", "node-a", "it found no RDMA device", "TCP instead of RDMA",
		SEV_WARN, ROLE_RISK, NULL},
	/* ---- "nvshmem error IBGDA init failed mlx5" ---- */
	{"NVIDIA/nvshmem 33",
		"/dvs/p4/modules/transport/ibgda/ibgda.cpp:2234: NULL value Unable to create ah.\n"
		"\n"
		"/dvs/p4/modules/transport/ibgda/ibgda.cpp:2966: non-zero status: 7 create DCT "
		"share err.\n"
		"/dvs/p4/src/host/transport/transport.cpp:420: non-zero status: 7 connect EPS "
		"failed \n"
		"\n"
		"/dvs/p4/src/host/init/init.cu:1047: non-zero status: 7 nvshmem setup connections "
		"failed \n",
		"nccl.error", "node-a", "Unable to create ah", "never came up", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"sgl-project/sglang 12533",
		"/opt/nvshmem/nvshmem/src/modules/transport/ibgda/ibgda.cpp:1889: NULL value "
		"cannot allocate mlx5dv_devx_uar\n",
		"nccl.error", "node-a", "cannot allocate mlx5dv_devx_uar", NULL, SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"deepseek-ai/DeepEP 202",
		"WARN: device erdma_0 is not enumerated as an mlx5 device. Skipping...\n"
		"\n"
		"/sgl-workspace/nvshmem/src/host/transport/transport.cpp:nvshmemi_transport_init:"
		"275: init failed for transport: IBGDA\n",
		"nccl.error", "node-a", "init failed for transport", "setting of this host",
		SEV_CRIT, ROLE_SYMPTOM, "far process"},
	{"NVIDIA/nvshmem 45",
		"02:48:48.149 /opt/nvshmem/modules/transport/ibgda/ibgda.cpp:1393: non-zero "
		"status: 121 Error in mlx5dv_devx_obj_modify for INIT2RTR_QP with syndrome "
		"764216\n"
		"02:48:48.149 \n"
		"02:48:48.149 /opt/nvshmem/modules/transport/ibgda/ibgda.cpp:3005: non-zero "
		"status: 7 ibgda_rc_init2rtr failed on RC #0.\n"
		"02:48:48.149 /opt/nvshmem/src/host/transport/transport.cpp:420: non-zero status: "
		"7 connect EPS failed \n",
		"nccl.error", "node-a", "INIT2RTR_QP", "never came up", SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	/* ---- "Megatron-LM NCCL error training crashed" ---- */
	{"NVIDIA/nccl 653",
		"201:\n"
		"201: :41367:41367 [1] enqueue.cc:422 NCCL WARN Error : no algorithm/protocol "
		"available\n"
		"201: Traceback (most recent call last):\n"
		"201:   File \"/home/user/Megatron-LM-hp/pretrain_gpt.py\", line 124, in "
		"<module>\n",
		"nccl.error", "node-a", "no algorithm/protocol available", "rank 201", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"NVIDIA/Megatron-LM 516",
		"Root Cause (first observed failure):\n"
		"[0]:\n"
		"  time      : 2026-11-27_02:50:10\n"
		"  host      : node-b\n"
		"  rank      : 0 (local_rank: 0)\n"
		"  exitcode  : -7 (pid: 986)\n"
		"  error_file: <N/A>\n"
		"  traceback : Signal 7 (SIGBUS) received by PID 986\n"
		"===================================================\n",
		"nccl.error", "node-b", "SIGBUS", "986", SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"modelscope/ms-swift 6107",
		"> [rank10]:     work = group.reduce_scatter_tensor_coalesced(outputs, inputs, "
		"reduce_opts)\n"
		"> [rank10]: RuntimeError: NCCL Error 2: unhandled system error (run with "
		"NCCL_DEBUG=INFO for details)\n"
		"> \n"
		"> [2026-11-27 02:52:54] node-a:1458548:1480527 [0] misc/ibvwrap.cc:182 NCCL WARN "
		"Call to ibv_reg_mr_iova2 failed with error Invalid argument\n"
		"> node-a:1458548:1480527 [0] NCCL INFO transport/net_ib.cc:1872 -> 2\n",
		"nccl.error", "node-a", "ibv_reg_mr_iova2 failed", "memory registration", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"NVIDIA/Megatron-LM 792",
		"    return pg.recv([tensor], group_src_rank, tag)\n"
		"torch.distributed.DistBackendError: NCCL error in: "
		"../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:1691, unhandled system error "
		"(run with NCCL_DEBUG=INFO for details), NCCL version 2.19.3\n"
		"ncclSystemError: System call (e.g. socket, malloc) or external library call "
		"failed or device error. \n"
		"Last error:\n"
		"[Proxy Service 2] Failed to execute operation Connect from rank 2, retcode 3\n",
		"nccl.error", "node-a", "Failed to execute operation Connect", "consequence",
		SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"agimus-project/happypose 97",
		"RuntimeError: NCCL error in: "
		"/opt/conda/work/torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:1169, invalid "
		"usage, NCCL version 21.0.3\n"
		"ncclInvalidUsage: This usually reflects invalid usage of NCCL library (such as "
		"too many async ops, too many collectives at once, mixing streams in a group, "
		"etc).\n",
		"nccl.error", "node-a", "invalid usage", NULL, SEV_CRIT, ROLE_SYMPTOM,
		"consequence"},
	/* ---- "slurmstepd error node fail NCCL" ---- */
	{"jade-hpc-gpu 168",
		"    loss.backward()\n"
		"    RuntimeError: NCCL Error 2: unhandled system error\n",
		"nccl.error", "node-a", "unhandled system error", NULL, SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	{"PrimeIntellect-ai/prime-rl 3186",
		"[rank0]:[E1127 02:45:54.816499929 ProcessGroupNCCL.cpp:1849] [PG ID 0 PG GUID "
		"0(default_pg) Rank 0] Observed flight recorder dump signal from another rank via "
		"TCPStore.\n"
		"[rank0]:[E1127 02:45:54.817424543 ProcessGroupNCCL.cpp:1914] [PG ID 0 PG GUID "
		"0(default_pg) Rank 0] Received a dump signal due to a collective timeout from  "
		"rank 13 and we will try our best to dump the debug info. Last enqueued NCCL work: "
		"1261, last completed NCCL work: 1259.This is most likely caused by incorrect "
		"usages of collectives, e.g., wrong sizes used across ranks, the order of "
		"collectives is not same for all ranks or the scheduled collective, for some "
		"reason, didn't run.\n",
		"nccl.timeout", NULL, "1 rank (13)", NULL, SEV_CRIT, ROLE_SYMPTOM, NULL},
	/* ---- "torchrun ChildFailedError connection reset rendezvous" ---- */
	{"pytorch/pytorch 128970",
		"torch.distributed.DistNetworkError: Connection reset by peer\n"
		"\n"
		"The above exception was the direct cause of the following exception:\n"
		"\n"
		"torch.distributed.elastic.rendezvous.api.RendezvousConnectionError: The "
		"connection to the C10d store has failed. See inner exception for details.\n",
		"nccl.error", "node-a", "connection to the C10d store has failed", "never came up",
		SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"kubeflow/trainer 2041",
		"INFO:torch.distributed.elastic.agent.server.api:[default] Rendezvous'ing worker "
		"group\n"
		"WARNING:torch.distributed.elastic.rendezvous.dynamic_rendezvous:The node "
		"'imagenet-worker-1_17_0' has failed to shutdown the rendezvous 'none' due to an "
		"error of type RendezvousConnectionError.\n",
		"nccl.error", "node-a", "failed to shutdown the rendezvous", NULL, SEV_WARN,
		ROLE_SYMPTOM, NULL},
	{"pytorch/pytorch 107021",
		"[E socket.cpp:860] [c10d] The client socket has timed out after 60s while trying "
		"to connect to 172.16.0.2:1234\n",
		"nccl.error", "node-a", "client socket has timed out", "172.16.0.2 (node-b)",
		SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"wenet-e2e/wespeaker 171",
		"    return getattr(self._store, store_op)(*args, **kwargs)\n"
		"RuntimeError: Broken pipe\n"
		"\n"
		"The above exception was the direct cause of the following exception:\n",
		"nccl.error", "node-a", "Broken pipe", "consequence", SEV_CRIT, ROLE_SYMPTOM, NULL},
	/* ---- "sglang multi node NCCL timeout" ---- */
	{"sgl-project/sglang 3932",
		"`[rank4]:[E1127 02:44:52.122900428 ProcessGroupNCCL.cpp:616] [Rank 4] **Watchdog "
		"caught collective operation timeout:** WorkNCCL(SeqNum=151721, "
		"OpType=_ALLGATHER_BASE, NumelIn=8080, NumelOut=1\n"
		"29280, Timeout(ms)=600000) ran for 600049 milliseconds before timing out.\n"
		"[rank4]:[E1127 02:44:52.123659968 ProcessGroupNCCL.cpp:1785] [PG ID 2 PG GUID 3 "
		"Rank 4] Exception (either an error or timeout) detected by watchdog at work: "
		"151721, last enqueued NCCL wor\n"
		"k: 151721, last completed NCCL work: 151720.\n",
		"nccl.timeout", NULL, "gave up on AllGather 151721", NULL, SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	/* ---- "ncclSystemError ibv_create_qp", "nvshmem" again, "RDMA QP error" ---- */
	{"NVIDIA/nccl 1129",
		"node-a:6561:6561 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB ; OOB "
		"eno1:172.16.0.1<0>\n"
		"node-a:6561:6700 [0] misc/ibvwrap.cc:280 NCCL WARN Call to ibv_create_qp failed\n",
		"nccl.error", "node-a", "ibv_create_qp failed", "locked memory", SEV_CRIT,
		ROLE_SYMPTOM, "far process"},
	{"NVIDIA/nvshmem 40",
		"/home/ubuntu/nvshmem/src/host/team/team_internal_nvls.cpp:254: non-zero status: "
		"401 cuMemMap failed to map 274877906944 bytes handle at address: 0x1320000000 "
		"offset 0 on device 7\n"
		"/home/ubuntu/nvshmem/src/host/mem/mem_heap.cpp:1573: non-zero status: 7 Mapping "
		"mem size 274877906944 to MC group 101602722380032 failed \n",
		"nccl.error", "node-a", "cuMemMap failed to map", "not the network", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"NVIDIA/multi-gpu-programming-models 17",
		"mpi_info: rank: 0, nranks: 2\n"
		"WARN: IB: read failed in ib_roce_get_version_num: Invalid argument\n",
		"nccl.error", "node-a", "ib_roce_get_version_num", "GID table", SEV_WARN,
		ROLE_SYMPTOM, NULL},
	{"spdk/spdk 508",
		"rdma.c: 526:spdk_nvmf_rdma_set_ibv_state: *ERROR*: QP#0: expected state: "
		"IBV_QPS_ERR, actual state: msix\n"
		"rdma.c:2171:spdk_nvmf_process_ib_event: *NOTICE*: Async event: GID table change\n",
		"nccl.error", "node-a", "expected state: IBV_QPS_ERR", NULL, SEV_WARN, ROLE_SYMPTOM,
		NULL},
	{"spdk/spdk 298",
		"rdma.c:2025:spdk_nvmf_rdma_poller_poll: *ERROR*: CQ error on CQ 0x55d0, Request "
		"0x94 (5): Work Request Flushed Error\n",
		"nccl.error", "node-a", "flushed after an earlier error", NULL, SEV_CRIT,
		ROLE_SYMPTOM, NULL},
};

/* The eleventh: other words of theirs. */
static const struct log_report eleventh[] = {
	/* ---- "ib_write_bw RoCE failed perftest error" ---- */
	{"zrlio/softiwarp 27",
		" Completion with error at client Failed status 12: wr_id 0 syndrom 0x81 scnt=128, "
		"ccnt=0\n",
		"nccl.error", "node-a", "retries exceeded", NULL, SEV_CRIT, ROLE_SYMPTOM, NULL},
	/* ---- "vLLM EngineDeadError multi node worker lost connection" ---- */
	{"vllm-project/vllm 23582",
		"(EngineCore_0 pid=271) ERROR 11-27 02:52:19 [multiproc_executor.py:146] Worker "
		"proc VllmWorker-1 died unexpectedly, shutting down executor.\n"
		"(VllmWorker TP0 pid=405) INFO 11-27 02:52:19 [multiproc_executor.py:520] Parent "
		"process exited, terminating worker\n",
		"nccl.error", "node-a", "VllmWorker-1 died unexpectedly", NULL, SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"gpustack/gpustack 2415",
		"ERROR 11-27 02:51:18 [core.py:396] The actor is dead because its worker process "
		"has died. Worker exit type: SYSTEM_ERROR Worker exit detail: Worker unexpectedly "
		"exits with a connection error code 2. End of file.\n"
		"Process EngineCore_0:\n"
		"Traceback (most recent call last):\n",
		"nccl.error", "node-a", "SYSTEM_ERROR", NULL, SEV_CRIT, ROLE_SYMPTOM, NULL},
	/* ---- "nvidia-fabricmanager failed NVSwitch" ---- */
	{"NVIDIA/nccl 1488",
		"node-a:12098:12141 [2] transport/nvls.cc:244 NCCL WARN Cuda failure 1 'invalid "
		"argument'\n"
		"node-a:12098:12141 [2] NCCL INFO transport/nvls.cc:394 -> 1\n",
		"nccl.error", "node-a", "Cuda failure 1", "not the network", SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	/* ---- "JAX distributed initialize barrier timed out" ---- */
	{"ayaka14732/llama-2-jax 20",
		"    self.client.connect()\n"
		"jaxlib.xla_extension.XlaRuntimeError: DEADLINE_EXCEEDED: Barrier timed out. "
		"Barrier_id: PjRT_Client_Connect. Timed out task names:\n"
		"/job:jax_worker/replica:0/task:1\n"
		"/job:jax_worker/replica:0/task:6\n",
		"nccl.error", "node-a", "Barrier timed out", NULL, SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"jax-ml/jax 22740",
		"2026-11-27 02:52:59.920189: E external/xla/xla/service/rendezvous.cc:38] This "
		"thread has been waiting for `initialize clique for rank 6; "
		"clique=devices=[0,1,2,3]; stream=0; run_id=724296073` for 10 seconds and may be "
		"stuck. Expected 8 threads to join the rendezvous, but not all of them arrived on "
		"time.\n",
		"nccl.error", "node-a", "may be stuck", NULL, SEV_WARN, ROLE_SYMPTOM, NULL},
	{"marin-community/marin 7650",
		"[rank0] :UNAVAILABLE:failed to connect to all addresses; last error: UNKNOWN:\n"
		"ipv4:172.16.0.2:13305: Failed to connect to remote host: Connection refused\n"
		"[rank3] WatchTasksAsync failed for task 3: UNAVAILABLE: failed to connect to all "
		"addresses\n",
		"nccl.error", "node-a", "never came up", "172.16.0.2 (node-b)", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"AI-Hypercomputer/gpu-recipes 2",
		"Stopping coordination service as cluster registration failed. This may be due to "
		"1) some tasks crashed earlier before connecting, 2) some tasks were never "
		"scheduled, or 3) scheduling delays.\n"
		"\n"
		"Original error: DEADLINE_EXCEEDED: Barrier timed out. Id: "
		"[Init]Wait_for_all_tasks_to_register::0. This usually happens because a task "
		"triggered the barrier too early or too slowly.\n",
		"nccl.error", "node-a", "Barrier timed out", NULL, SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"Noble-Lab/casanovo 217",
		"RuntimeError: Timed out initializing process group in store based barrier on "
		"rank: 0, for key: store_based_barrier_key:1 (world_size=2, worker_count=1, "
		"timeout=0:30:00)\n",
		"nccl.error", "node-a", "store based barrier", "never came up", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	/* ---- "mpirun NCCL job killed ORTE daemon" ---- */
	{"garyexplains/examples 13",
		"^Zmpiexec: Forwarding signal 20 to job\n"
		"--------------------------------------------------------------------------\n"
		"ORTE has lost communication with a remote daemon.\n"
		"\n"
		"  HNP daemon   : [[64112,0],0] on node node-a\n"
		"  Remote daemon: [[64112,0],1] on node 172.16.0.2\n",
		"nccl.error", "node-b", "lost communication", NULL, SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"radical-cybertools/radical.pilot 2417",
		"--------------------------------------------------------------------------\n"
		"An ORTE daemon has unexpectedly failed after launch and before\n"
		"communicating back to mpirun. This could be caused by a number\n"
		"of factors, including an inability to create a connection back\n"
		"to mpirun due to a lack of common network interfaces and/or no\n"
		"route found between them. Please check network connectivity\n",
		"nccl.error", "node-a", "daemon has unexpectedly failed", NULL, SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"aws/aws-parallelcluster 301",
		"error: commlib error: got read error (closing \"node-b/shepherd_ijs/1\")\n"
		" --------------------------------------------------------------------------\n"
		" ORTE has lost communication with its daemon located on node:\n"
		"\n"
		"   hostname:  node-b\n"
		"\n"
		" This is usually due to either a failure of the TCP network\n",
		"nccl.error", "node-b", "lost communication", NULL, SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"PoonLab/covizu 350",
		"--------------------------------------------------------------------------\n"
		"ORTE was unable to reliably start one or more daemons.\n"
		"This usually is caused by:\n"
		"\n"
		"* not finding the required libraries and/or binaries on\n"
		"  one or more nodes. Please check your PATH and LD_LIBRARY_PATH\n",
		"nccl.error", "node-a", "unable to reliably start", NULL, SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	{"Azure/aks-rdma-infiniband 30",
		"ssh: Could not resolve hostname nccl-tests-worker-0.nccl-tests.default.svc: Name "
		"or service not known\n",
		"nccl.error", "node-a", "Could not resolve hostname", "never came up", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	/* ---- "TensorRT-LLM multi node MPI_ABORT" ---- */
	{"NVIDIA/TensorRT-LLM 1826",
		"terminate called after throwing an instance of "
		"'tensorrt_llm::common::TllmException'\n"
		"  what():  [TensorRT-LLM][ERROR] Assertion failed: Failed: MPI error "
		"/home/jenkins/cpp/tensorrt_llm/common/mpiUtils.cpp:211 '6' "
		"(/home/jenkins/cpp/tensorrt_llm/common/mpiUtils.cpp:211)\n"
		"1       0x7fb4aebbeb71 tensorrt_llm::common::throwRuntimeError(char const*, int, "
		"std::string const&) + 82\n",
		"nccl.error", "node-a", "MPI error", NULL, SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"NVIDIA/TensorRT-LLM 2813",
		"MPI_ABORT was invoked on rank 2 in communicator MPI_COMM_WORLD\n"
		"with errorcode 1.\n",
		"nccl.error", "node-a", "MPI_ABORT", "rank 2", SEV_CRIT, ROLE_SYMPTOM, NULL},
	/* ---- "FSDP training hang accelerate NCCL timeout" ---- */
	{"huggingface/accelerate 3380",
		"Rank 1] Timeout at NCCL work: 456, last enqueued NCCL work: 456, last completed "
		"NCCL work: 455.\n"
		"[rank1]:[E1127 02:43:19.451747711 ProcessGroupNCCL.cpp:1515] [PG 0 (default_pg) "
		"Rank 1] Process group watchdog thread terminated with exception: [Rank 1] "
		"Watchdog caught collective operation timeout: WorkNCCL(SeqNum=456, "
		"OpType=ALLREDUCE, NumelIn=65297, NumelOut=65297, Timeout(ms)=600000) ran for "
		"600054 milliseconds before timing out.\n",
		"nccl.timeout", NULL, "gave up on AllReduce 456 after 600 s", NULL, SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"axolotl-ai-cloud/axolotl 3476",
		"[rank1]:[E1127 02:30:20.039566920 ProcessGroupNCCL.cpp:2057] [PG ID 0 PG GUID "
		"0(default_pg) Rank 1] Process group watchdog thread terminated with exception: "
		"[Rank 1] Watchdog caught collectiv\n"
		"e operation timeout: WorkNCCL(SeqNum=13, OpType=SCATTER, NumelIn=384, NumelOut=0, "
		"Timeout(ms)=1800000) ran for 1800085 milliseconds before timing out.\n"
		"Exception raised from checkTimeout at "
		"/pytorch/torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:686 (most recent call "
		"first):\n",
		"nccl.timeout", NULL, "gave up on Scatter 13 after 1800 s", NULL, SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"huggingface/accelerate 3250",
		"[rank0]:[E1127 02:40:00.504052851 ProcessGroupNCCL.cpp:616] [Rank 0] Watchdog "
		"caught collective operation timeout: WorkNCCL(SeqNum=122, "
		"OpType=_REDUCE_SCATTER_BASE, NumelIn=106343680, NumelOut=53171840, "
		"Timeout(ms)=600000) ran for 600080 milliseconds before timing out.\n"
		"[rank0]:[E1127 02:40:00.504952916 ProcessGroupNCCL.cpp:1785] [PG ID 0 PG GUID "
		"0(default_pg) Rank 0] Exception (either an error or timeout) detected by watchdog "
		"at work: 122, last enqueued NCCL work: 127, last completed NCCL work: 121.\n"
		"[rank1]:[E1127 02:40:01.902604829 ProcessGroupNCCL.cpp:616] [Rank 1] Watchdog "
		"caught collective operation timeout: WorkNCCL(SeqNum=126, OpType=_ALLGATHER_BASE, "
		"NumelIn=378702080, NumelOut=757404160, Timeout(ms)=600000) ran for 600079 "
		"milliseconds before timing out.\n"
		"[rank1]:[E1127 02:40:01.903028278 ProcessGroupNCCL.cpp:1785] [PG ID 0 PG GUID "
		"0(default_pg) Rank 1] Exception (either an error or timeout) detected by watchdog "
		"at work: 126, last enqueued NCCL work: 128, last completed NCCL work: 125.\n",
		"nccl.mismatch", NULL, "rank 0 of", "earlier operation", SEV_CRIT, ROLE_CULPRIT,
		NULL},
	{"ai2cm/ace 348",
		"2026-11-27 02:21:09,140 - root - INFO - Starting training step on epoch 3\n"
		"[E ProcessGroupNCCL.cpp:457] [Rank 3] Watchdog caught collective operation "
		"timeout: WorkNCCL(SeqNum=1132079, OpType=ALLREDUCE, NumelIn=304640, "
		"NumelOut=304640, Timeout(ms)=1800000) ran for 1800035 milliseconds before timing "
		"out.\n"
		"[E ProcessGroupNCCL.cpp:457] [Rank 2] Watchdog caught collective operation "
		"timeout: WorkNCCL(SeqNum=1132079, OpType=ALLREDUCE, NumelIn=304640, "
		"NumelOut=304640, Timeout(ms)=1800000) ran for 1800558 milliseconds before timing "
		"out.\n"
		"[E ProcessGroupNCCL.cpp:457] [Rank 1] Watchdog caught collective operation "
		"timeout: WorkNCCL(SeqNum=1132079, OpType=ALLREDUCE, NumelIn=304640, "
		"NumelOut=304640, Timeout(ms)=1800000) ran for 1800946 milliseconds before timing "
		"out.\n",
		"nccl.mismatch", NULL, "rank 0 of", "never gave up", SEV_CRIT, ROLE_CULPRIT, NULL},
	{"huggingface/trl 1099",
		"[rank2]:[E ProcessGroupNCCL.cpp:1454] [Rank 2] NCCL watchdog thread terminated "
		"with exception: [Rank 2] Watchdog caught collective operation timeout: "
		"WorkNCCL(SeqNum=1341, OpType=_ALLGATHER_BASE, NumelIn=65539072, "
		"NumelOut=262156288, Timeout(ms)=1800000) ran for 1800766 milliseconds before "
		"timing out.\n"
		"Exception raised from checkTimeout at "
		"../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:781 (most recent call "
		"first):\n",
		"nccl.timeout", NULL, "gave up on AllGather 1341", NULL, SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	/* ---- "mooncake RDMA transfer error RoCE GID handshake" ---- */
	{"kvcache-ai/Mooncake 1593",
		"W1127 02:52:07.980530     7 rdma_context.cpp:581] No suitable GID found on "
		"mlx5_1/\n"
		"E1127 02:52:07.980787     7 rdma_context.cpp:81] Failed to open device mlx5_1 on "
		"port  with GID -1\n"
		"W1127 02:52:07.980791     7 rdma_transport.cpp:656] Disable device mlx5_1\n"
		"E1127 02:52:07.980793     7 rdma_transport.cpp:662] RdmaTransport: No available "
		"RNIC\n"
		"E1127 02:52:07.980794     7 rdma_transport.cpp:106] RdmaTransport: cannot "
		"initialize RDMA resources\n",
		"nccl.error", "node-a:mlx5_1", "GID", "GID table", SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"kvcache-ai/Mooncake 879",
		"I1127 02:52:28.347658  2254 rdma_context.cpp:491] Find best gid index: 0 on "
		"mlx5_0/\n"
		"E1127 02:52:28.347672  2254 rdma_context.cpp:499] Failed to query GID 0 on "
		"mlx5_0/: Invalid argument [22]\n"
		"E1127 02:52:28.348094  2254 rdma_context.cpp:70] Failed to open device mlx5_0 on "
		"port  with GID 0\n"
		"W1127 02:52:28.348107  2254 rdma_transport.cpp:420] Disable device mlx5_0\n",
		"nccl.error", "node-a:mlx5_0", "Failed to query GID 0", "GID table", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"kvcache-ai/Mooncake 1384",
		"W1127 02:52:19.944772   309 rdma_context.cpp:588] User-specified GID index 0 on "
		"mlx5_2/ has no associated network device, may not be optimal for RDMA "
		"operations\n"
		"E1127 02:52:19.945159   309 rdma_context.cpp:81] Failed to open device mlx5_2 on "
		"port  with GID 0\n"
		"W1127 02:52:19.945183   309 rdma_transport.cpp:656] Disable device mlx5_2\n",
		"nccl.error", "node-a:mlx5_2", "Failed to open device mlx5_2", NULL, SEV_CRIT,
		ROLE_SYMPTOM, NULL},
};

/* The twelfth, on the code that read sentences by their parts. */
static const struct log_report twelfth[] = {
	{"pytorch/pytorch 63174",
		"RuntimeError: transform: failed to synchronize: cudaErrorECCUncorrectable: "
		"uncorrectable ECC error encountered\n"
		"terminate called after throwing an instance of 'c10::Error'\n"
		"  what():  CUDA error: uncorrectable ECC error encountered\n",
		"nccl.error", "node-a", "uncorrectable ECC error", "not the network", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"lsdefine/simple_GRPO 46",
		"1021/100000 [45:39<51:20:53,  1.87s/it][rank2]:[E1127 02:43:45.510486595 "
		"ProcessGroupNCCL.cpp:632] [Rank 2] Watchdog caught collective operation timeout: "
		"WorkNCCL(SeqNum=45390, OpType=ALLREDUCE, NumelIn=544997376, NumelOut=544997376, "
		"Timeout(ms)=600000) ran for 600061 milliseconds before timing out.\n",
		"nccl.timeout", NULL, "gave up on AllReduce 45390", NULL, SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	{"KellerJordan/modded-nanogpt 15",
		"[I1127 02:50:27.770733060 TCPStoreLibUvBackend.cpp:119] [c10d - debug] Read "
		"callback failed. code:-4095 name:EOF desc:end of file\n",
		NULL, NULL, NULL, NULL, SEV_WARN, ROLE_SYMPTOM, NULL},
	{"ofiwg/libfabric 4283",
		"524288               2695.39           2672.63           2712.05         100\n"
		"mlx5: node-b: got completion with error:\n"
		"00000000 00000000 00000000 00000000\n"
		"00000000 00000000 00000000 00000000\n"
		"00000002 00000000 00000000 00000000\n"
		"00000000 00008813 10012abe 0dd0c1d3\n"
		"libfabric:ofi_rxm:cq:rxm_cq_read_write_error():819<warn> fi_cq_readerr: err: 5, "
		"prov_err: remote access error (10)\n",
		"nccl.error", "node-b", "status 10", NULL, SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"ruihong123/dLSM 7",
		"number 0 got bad completion with status: 0xc, vendor syndrome: 0x81\n"
		"number 1 got bad completion with status: 0x5, vendor syndrome: 0xf9\n"
		"number 2 got bad completion with status: 0x5, vendor syndrome: 0xf9\n",
		"nccl.error", "node-a", "retries exceeded", NULL, SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"horovod/horovod 2484",
		"[2]<stderr>:[2026-11-27 02:47:05.325138: E "
		"/tmp/horovod/horovod/common/operations.cc:546] Horovod background loop uncaught "
		"exception: [/tmp/third_party/compatible_gloo/gloo/transport/tcp/pair.cc:566] Read "
		"error [172.16.0.2]:21925: Connection reset by peer\n",
		"nccl.error", "node-a", "consequence", "172.16.0.2 (node-b)", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"pytorch/gloo 223",
		"[/home/ubuntu/gloo/gloo/transport/tcp/pair.cc:761] connect [127.0.1.1]:60817: "
		"Connection refused\n",
		"nccl.error", "node-a", "Connection refused", "never came up", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"horovod/horovod 2431",
		"Fri Nov 27 02:45:04 2026[13]<stderr>:terminate called after throwing an instance "
		"of 'gloo::EnforceNotMet'\n"
		"Fri Nov 27 02:45:04 2026[13]<stderr>:  what():  [enforce fail at "
		"/tmp/gloo/transport/tcp/device.cc:83] ifa != nullptr. Unable to find address for: "
		"enp129s0f1\n"
		"Fri Nov 27 02:45:04 2026[13]<stderr>:Fatal Python error: Aborted\n",
		"nccl.error", "node-a", "Unable to find address for", "setting of this host",
		SEV_CRIT, ROLE_SYMPTOM, "never came up"},
	{"OpenRLHF/OpenRLHF 265",
		"`The actor is dead because its worker process has died. Worker exit type: "
		"SYSTEM_ERROR Worker exit detail: Worker unexpectedly exits with a connection\n"
		" error code 2. End of file. There are some potential root causes. (1) The process "
		"is killed by SIGKILL by OOM killer due to high memory usage.\n",
		"nccl.error", "node-a", "SYSTEM_ERROR", NULL, SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"verl-project/verl 726",
		"socketStartConnect: Connect to 169.254.0.1<40815> failed : Software caused "
		"connection abort\n",
		"nccl.error", "node-a", "socketStartConnect", "never came up", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"ray-project/ray 30333",
		"| TorchTrainer_96bfe_00000 |            1 | /home/ray/error.txt |\n"
		"2026-11-27 02:46:36,618\tERROR tune.py:773 -- Trials did not complete: "
		"[TorchTrainer_96bfe_00000]\n",
		"nccl.error", "node-a", "Trials did not complete", NULL, SEV_WARN, ROLE_SYMPTOM,
		NULL},
};

CASE(reports_of_the_tenth_batch)
{
	log_reports_read(NOW, tenth, sizeof(tenth) / sizeof(tenth[0]));
}

CASE(reports_of_the_eleventh_batch)
{
	log_reports_read(NOW, eleventh, sizeof(eleventh) / sizeof(eleventh[0]));
}

CASE(reports_of_the_twelfth_batch)
{
	log_reports_read(NOW, twelfth, sizeof(twelfth) / sizeof(twelfth[0]));
}

CASES_MAIN(NULL, NULL)
