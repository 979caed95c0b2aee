/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Logs of public reports of kinds that were new to railtop: launchers, schedulers, rendezvous,
 * other engines, and the host's kernel. See hosts.md. Each right reading was written before the
 * first run.
 */
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "fabric/model/model.h"
#include "tests/cases/job_hosts.h"
#include "tests/cases/log_reports.h"
#include "tests/support/cases.h"

/* 2026-11-27 02:53:20 UTC */
#define NOW (INT64_C(1795748000) * CLOCK_SEC)

static const struct log_report reports[] = {
	/* ---- the rendezvous of torch ---- */
	{"pytorch/pytorch 105782",
		"[E1127 02:51:34.467642512 socket.cpp:957] [c10d] The client socket has timed out "
		"after 900s while trying to connect to (172.16.0.2, 29500).\n"
		"Traceback (most recent call last):\n"
		"  File \"/opt/conda/bin/torchrun\", line 8, in <module>\n"
		"    sys.exit(main())\n",
		"nccl.error", "node-a", "timed out after 900s", "172.16.0.2 (node-b)", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"OpenRLHF/OpenRLHF 1040",
		"torch.distributed.DistStoreError: Timed out after 1801 seconds waiting for "
		"clients. 1/3 clients joined.\n",
		"nccl.error", "node-a", "1/3 clients joined", "never came up", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"espnet/espnet 4531",
		"RuntimeError: [1] is setting up NCCL communicator and retreiving ncclUniqueId "
		"from [0] via c10d key-value store by key '0', but store->get('0') got error: "
		"Timeout waiting for key: default_pg/0/0 after 1800000 ms\n",
		"nccl.error", "node-a", "ncclUniqueId from [0]", "never came up", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"vllm-project/vllm 19670",
		"(VllmWorkerProcess pid=4089753) ERROR 11-27 02:51:15 "
		"[multiproc_worker_utils.py:238] Exception in worker VllmWorkerProcess while "
		"processing method init_device.\n"
		"(VllmWorkerProcess pid=4089753) ERROR 11-27 02:51:15 "
		"[multiproc_worker_utils.py:238] torch.distributed.DistNetworkError: The client "
		"socket has timed out after 600000ms while trying to connect to (172.16.0.2, "
		"46229).\n",
		"nccl.error", "node-a", "process 4089753 on node-a", "172.16.0.2 (node-b)",
		SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"vllm-project/vllm 32139",
		"[rank2]:[W1127 02:51:44.277417495 ProcessGroupNCCL.cpp:1771] [PG ID 0 PG GUID 0 "
		"Rank 2] Failed to check the \"should dump\" flag on TCPStore, (maybe TCPStore "
		"server has shut down too early), with error: Broken pipe\n",
		"nccl.error", NULL, "TCPStore", "consequence", SEV_CRIT, ROLE_SYMPTOM, NULL},
	/* ---- Gloo ---- */
	{"sgl-project/sglang 3226",
		"RuntimeError: Gloo connectFullMesh failed with "
		"[../third_party/gloo/gloo/transport/tcp/pair.cc:144] no error\n",
		"nccl.error", "node-a", "connectFullMesh failed", "never came up", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"horovod/horovod 1364",
		"Fri Nov 27 02:51:02 2026[0]<stderr>:terminate called after throwing an instance "
		"of 'gloo::IoException'\n"
		"Fri Nov 27 02:51:02 2026[0]<stderr>:  what():  "
		"[/tmp/pip-req-build-5w870gio/third_party/gloo/gloo/transport/tcp/pair.cc:572] "
		"Connection closed by peer [172.16.0.2]:53666\n"
		"Fri Nov 27 02:51:02 2026[0]<stderr>:Fatal Python error: Aborted\n",
		"nccl.error", "node-a", "Connection closed by peer", "172.16.0.2 (node-b)",
		SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"RVC-Project/Retrieval-based-Voice-Conversion-WebUI 1882",
		"RuntimeError: [../third_party/gloo/gloo/transport/tcp/pair.cc:589] Read error "
		"[172.16.0.2]:25266: Connection reset by peer\n",
		"nccl.error", "node-a", "Connection reset by peer", "consequence", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	/* ---- NCCL ---- */
	{"horovod/horovod 3611",
		"[15]node-a:83:2526 [0] misc/socket.cc:503 NCCL WARN Net : Call to recv from "
		"172.16.0.2<41468> failed : Connection timed out\n"
		"[15]node-a:83:2526 [0] NCCL INFO misc/socket.cc:520 -> 2\n"
		"[15]node-a:83:2526 [0] transport/net_socket.cc:219 NCCL WARN NET/Socket : socket "
		"progress error\n",
		"nccl.error", "node-a", "Call to recv from 172.16.0.2<41468> failed",
		"172.16.0.2 (node-b)", SEV_CRIT, ROLE_SYMPTOM, "never came up"},
	{"NVIDIA/nccl-tests 204",
		"node-b: Test NCCL failure common.cu:961 'internal error - please report this "
		"issue to the NCCL developers / '\n"
		" .. node-b pid 914454: Test failure common.cu:844\n",
		"nccl.error", "node-b", "internal error", NULL, SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"NVIDIA/nccl-tests 264",
		"node-b: Test CUDA failure common.cu:941 'system not yet initialized'\n"
		" .. node-b pid 73076: Test failure common.cu:891\n",
		"nccl.error", "node-b", "system not yet initialized", "not the network", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	/* ---- launchers ---- */
	{"sgl-project/sglang 3836",
		"[2026-11-27 02:51:16 TP6] Watchdog timeout (self.watchdog_timeout=300)\n"
		"[2026-11-27 02:51:17] Received sigquit from a child process. It usually means the "
		"child failed.\n",
		"nccl.error", "node-a", "Watchdog timeout", NULL, SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"NVIDIA/nccl 1504",
		"W1127 02:51:02.065000 26021 "
		"site-packages/torch/distributed/elastic/multiprocessing/api.py:897] Sending "
		"process 26024 closing signal SIGTERM\n"
		"E1127 02:51:02.651000 26021 "
		"site-packages/torch/distributed/elastic/multiprocessing/api.py:869] failed "
		"(exitcode: -6) local_rank: 3 (pid: 26026) of binary: "
		"/root/miniconda3/envs/pippy/bin/python\n",
		"nccl.error", "node-a", "process 26026 on node-a", "exitcode: -6", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"open-mmlab/mmsegmentation 3106",
		"torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n"
		"========================================================\n"
		"tools/train.py FAILED\n"
		"--------------------------------------------------------\n"
		"Failures:\n"
		"[1]:\n"
		"  time      : 2026-11-27_02:51:10\n"
		"  host      : node-a\n"
		"  rank      : 1 (local_rank: 1)\n"
		"  exitcode  : -6 (pid: 2385923)\n"
		"  error_file: <N/A>\n"
		"  traceback : Signal 6 (SIGABRT) received by PID 2385923\n"
		"--------------------------------------------------------\n"
		"Root Cause (first observed failure):\n"
		"[0]:\n"
		"  time      : 2026-11-27_02:51:08\n"
		"  host      : node-b\n"
		"  rank      : 8 (local_rank: 0)\n"
		"  exitcode  : -9 (pid: 2385922)\n"
		"  error_file: <N/A>\n"
		"  traceback : Signal 9 (SIGKILL) received by PID 2385922\n"
		"========================================================\n",
		"nccl.error", "node-b", "process 2385922 on node-b", "SIGKILL", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"deepspeedai/DeepSpeed 6896",
		"--------------------------------------------------------------------------\n"
		"prterun noticed that process rank 7 with PID 0 on node node-b exited on\n"
		"signal 6 (Aborted).\n"
		"--------------------------------------------------------------------------\n",
		"nccl.error", "node-b", "exited on", NULL, SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"open-mpi/ompi 6618",
		"--------------------------------------------------------------------------\n"
		"ORTE has lost communication with a remote daemon.\n"
		"\n"
		"  HNP daemon   : [[11377,0],0] on node node-a\n"
		"  Remote daemon: [[11377,0],1] on node node-b\n"
		"\n"
		"This is usually due to either a failure of the TCP network\n"
		"connection to the node, or possibly an internal failure of\n"
		"the daemon itself. We cannot recover from this failure, and\n"
		"therefore will terminate the job.\n"
		"--------------------------------------------------------------------------\n",
		"nccl.error", "node-b", "lost communication with a remote daemon", NULL, SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"NVIDIA/nccl-tests 299", "ssh: connect to host 172.16.0.2 port 22: Connection refused\n",
		"nccl.error", "node-a", "Connection refused", "172.16.0.2 (node-b)", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"open-mpi/ompi 10693",
		"--------------------------------------------------------------------------\n"
		"WARNING: There was an error initializing an OpenFabrics device.\n"
		"\n"
		"  Local host:   node-a\n"
		"  Local device: mlx5_0\n"
		"--------------------------------------------------------------------------\n"
		"[node-a:106838] 11 more processes have sent help message help-mpi-btl-openib.txt "
		"/ ib port not selected\n",
		NULL, NULL, NULL, NULL, SEV_OK, ROLE_SYMPTOM, NULL},
	/* ---- schedulers ---- */
	{"NVIDIA/deepops 1179",
		"slurmstepd: error:  mpi/pmix_v3: pmixp_coll_ring_reset_if_to: node-a [0]: "
		"pmixp_coll_ring.c:742: 0x14ce0c02cb20: collective timeout seq=0\n"
		"slurmstepd: error:  mpi/pmix_v3: pmixp_coll_log: node-a [0]: pmixp_coll.c:281: "
		"Dumping collective state\n",
		"nccl.error", "node-a", "collective timeout seq=0", NULL, SEV_WARN, ROLE_SYMPTOM,
		NULL},
	{"ArjunaCluster/ArjunaUsers 48",
		"srun: error: node-b: task 0: Killed\nsrun: Force Terminated StepId=120.0\n",
		"nccl.error", "node-b", "Killed", NULL, SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"ai4d-iasc/trixie 58",
		"srun: error: Task launch for 36.0 failed on node node-b: Job credential expired\n",
		"nccl.error", "node-b", "Job credential expired", NULL, SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	{"ray-project/ray 44680",
		"2026-11-27 02:51:16,464\tWARNING worker.py:2037 -- The node with node id: "
		"ada3a3771fac751bd7c6b674e3b5e2df045b93550e6d31a410cad0be and address: 172.16.0.2 "
		"and node name: 172.16.0.2 has been marked dead because the detector has missed "
		"too many heartbeats from it. This can happen when a \t(1) raylet crashes "
		"unexpectedly (OOM, preempted node, etc.) \n",
		"nccl.error", "node-b", "marked dead", NULL, SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"ray-project/ray 15128",
		"The node with node id: 75b2eec8a61cdafd37cc8072b1caf9abdeef9c4e74a4f24d5dfce28d "
		"and ip: 172.16.0.2 has been marked dead because the detector has missed too many "
		"heartbeats from it. This can happen when a raylet crashes unexpectedly or has "
		"lagging heartbeats.\n",
		"nccl.error", "node-b", "marked dead", NULL, SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"jax-ml/jax 23599",
		"2026-11-27 02:51:38.568412: E "
		"external/xla/xla/tsl/distributed_runtime/coordination/coordination_service.cc:1170"
		"] /job:jax_worker/replica:0/task:5 has been set to ERROR in coordination service: "
		"UNAVAILABLE: Task /job:jax_worker/replica:0/task:5 heartbeat timeout. This "
		"indicates that the remote task has failed, got preempted, or crashed "
		"unexpectedly.\n",
		"nccl.error", "node-a", "task:5", NULL, SEV_CRIT, ROLE_SYMPTOM, NULL},
	/* ---- other engines ---- */
	{"linux-rdma/perftest 173",
		" Completion with error at client\n"
		"  Failed status 4: wr_id 0 syndrom 0x51\n"
		"scnt=828, ccnt=700\n"
		"  Failed to complete run_iter_bw function successfully\n",
		"nccl.error", "node-a", "local protection error (status 4)", "memory registration",
		SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"NVIDIA/nvshmem 51",
		"WARN: device mlx5_0 cannot allocate buffer on the specified memory type. "
		"Skipping...\n",
		"nccl.error", "node-a:mlx5_0", "cannot allocate buffer", NULL, SEV_WARN,
		ROLE_SYMPTOM, NULL},
	{"deepseek-ai/DeepEP 55",
		"/home/nvshmem_src/src/modules/transport/ibrc/ibrc.cpp:nvshmemt_init:1851: neither "
		"nv_peer_mem, or nvidia_peermem detected. Skipping transport.\n",
		"nccl.error", "node-a", "nvidia_peermem", NULL, SEV_WARN, ROLE_SYMPTOM, NULL},
	{"deepseek-ai/DeepEP 759",
		"NVSHMEM: Unable to dlopen libmlx5dv. Disabling directNIC features.\n",
		"nccl.error", "node-a", "Unable to dlopen libmlx5dv", NULL, SEV_WARN, ROLE_SYMPTOM,
		NULL},
	{"microsoft/mscclpp 431",
		"C++ exception with description \"ibv_modify_qp failed (errno 19) (Ib failure: No "
		"such device)\" thrown in the test body.\n",
		"nccl.error", "node-a", "ibv_modify_qp failed", "is gone", SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	{"horovod/horovod 3333",
		"[1,6]<stderr>:libibverbs: Warning: couldn't stat '/sys/class/infiniband/mlx5_7'.\n"
		"[1,1]<stderr>:libibverbs: Warning: couldn't stat "
		"'/sys/class/infiniband/mlx5_7'.\n",
		NULL, NULL, NULL, NULL, SEV_OK, ROLE_SYMPTOM, NULL},
	{"sgl-project/sglang 16242",
		"libibverbs: Warning: Driver bnxt_re does not support the kernel ABI of 6 "
		"(supports 1 to 1) for device /sys/class/infiniband/bnxt_re2\n",
		"nccl.error", "node-a", "does not support the kernel ABI", NULL, SEV_WARN,
		ROLE_SYMPTOM, NULL},
	{"vllm-project/vllm 46611",
		"(EngineCore_DP1 pid=325607) ERROR 11-27 02:51:16 [core.py:710] TimeoutError: RPC "
		"call to sample_tokens timed out\n",
		"nccl.error", "node-a", "RPC call to sample_tokens timed out",
		"process 325607 on node-a", SEV_WARN, ROLE_SYMPTOM, NULL},
	{"vllm-project/vllm 43420",
		"(EngineCore_DP0 pid=77352) INFO 11-27 02:51:49 [shm_broadcast.py:466] No "
		"available shared memory broadcast block found in 60 seconds. This typically "
		"happens when some processes are hanging or doing some time-consuming work.\n",
		NULL, NULL, NULL, NULL, SEV_OK, ROLE_SYMPTOM, NULL},
};

CASE(logs_of_new_kinds_are_read_rightly)
{
	log_reports_read(NOW, reports, sizeof(reports) / sizeof(reports[0]));
}

/* A fifth batch, for the code as the fourth had left it. */
static const struct log_report later_reports[] = {
	{"ai-dynamo/dynamo 814",
		"[1795747888.854013] [node-a:760  :0]       ib_device.c:1332 UCX  ERROR   "
		"ibv_create_ah(dlid=49152 sl=0 port=1 src_path_bits=0 dgid=::ffff:10.0.0.2 "
		"flow_label=0xffffffff sgid_index=0 traffic_class=0) for UD mlx5 connect on mlx5_0 "
		"failed: No such device\n"
		"[1795747888.855116] [node-a:760  :0]      ucp_worker.c:2903 UCX  WARN  worker "
		"0x754a6ee0: 10 pending operations were not flushed\n",
		"nccl.error", "node-a:mlx5_0", "ibv_create_ah", "10.0.0.2 (node-b mlx5_0)",
		SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"ai-dynamo/dynamo 843",
		"2026-11-27T02:51:29.907Z ERROR engine.start: "
		"nixlBackendError('NIXL_ERR_BACKEND')\n",
		"nccl.error", "node-a", "NIXL_ERR_BACKEND", NULL, SEV_WARN, ROLE_SYMPTOM, NULL},
	{"sgl-project/sglang 27894",
		"W1127 02:51:06.719567  994396 ucx_enums.cpp:58] Unexpected UCX error: Out of "
		"memory\n"
		"E1127 02:51:06.719633  994396 ucx_utils.cpp:537] UCX endpoint create failed: "
		"failed to create ep\n"
		"E1127 02:51:06.719655  994396 nixl_agent.cpp:359] createBackend: backend 'UCX' "
		"encountered error during intra-agent transfer setup with status "
		"NIXL_ERR_BACKEND\n",
		"nccl.error", "node-a", "UCX endpoint create failed", NULL, SEV_WARN, ROLE_SYMPTOM,
		NULL},
	{"thustorage/Sherman 5",
		"I connect server 1\nfailed to modify QP state to RTR\nfailed to modify QP state "
		"to "
		"RTS\n",
		"nccl.error", "node-a", "failed to modify QP state to RTR", "never came up",
		SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"NVIDIA/k8s-device-plugin 23",
		"Failed to start nvml with error:  could not load NVML library\n", "nccl.error",
		"node-a", "could not load NVML library", NULL, SEV_WARN, ROLE_SYMPTOM, NULL},
	{"Lightning-AI/litData 340",
		"  | 2026-11-27T02:51:58.879Z | Root Cause (first observed failure): [0]: time : "
		"2026-11-27_02:51:58 host : node-b rank : 2 (local_rank: 2) exitcode : -6 (pid: "
		"189) "
		"error_file: <N/A> traceback : Signal 6 (SIGABRT) received by PID 189\n",
		"nccl.error", "node-b", "process 189 on node-b", "SIGABRT", SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	{"pytorch/pytorch 121209",
		"------------------------------------------------------------\n"
		"Root Cause (first observed failure):\n"
		"[0]:\n"
		"  time      : 2026-11-27_02:51:51\n"
		"  host      : node-b.internal.cloudapp.net\n"
		"  rank      : 0 (local_rank: 0)\n"
		"  exitcode  : 1 (pid: 69811)\n"
		"  error_file: <N/A>\n"
		"  traceback : To enable traceback see: "
		"https://pytorch.org/docs/stable/elastic/errors.html\n"
		"============================================================\n",
		"nccl.error", "node-b", "process 69811 on node-b", "exitcode 1", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"pytorch/pytorch 149984",
		"Collective WorkNCCL(SeqNum=2, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, "
		"Timeout(ms)=1000000) raised the following async exception: NCCL error: unhandled "
		"system error (run with NCCL_DEBUG=INFO for details), NCCL version 2.25.1\n"
		"ncclSystemError: System call (e.g. socket, malloc) or external library call "
		"failed or device error. \n"
		"Last error:\n\n",
		"nccl.error", "node-a", "unhandled system error", NULL, SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	{"NVIDIA/nccl 1562",
		"HPL ERROR: CUDART Error: cudaMemcpyAsync( ipiv_l, ipiv + step * nb, nb * "
		"sizeof(int64_t), cudaMemcpyDeviceToDevice, fact_stream) = 700 (an illegal memory "
		"access was encountered) on node-b at (cugetrfs_mp/getrfs_mp.cu:750)\n",
		"nccl.error", "node-b", "illegal memory access", "not the network", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"NVIDIA/nccl-tests 92",
		"Abort(3712399) on node 0 (rank 0 in comm 0): Fatal error in PMPI_Init: Other MPI "
		"error, error stack:\n"
		"MPIR_Init_thread(159).......: \n"
		"MPIR_pmi_kvs_get(227).......: PMI_KVS_Get returned -1\n",
		"nccl.error", "node-a", "Fatal error in PMPI_Init", NULL, SEV_CRIT, ROLE_SYMPTOM,
		"not in the inventory"},
	{"openucx/ucx 2534",
		"[node-a:26:0:26] Caught signal 11 (Segmentation fault: address not mapped to "
		"object at address (nil))\n"
		"==== backtrace (tid:     26) ====\n",
		"nccl.error", "node-a", "Caught signal 11", "process 26 on node-a", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"k8snetworkplumbingwg/sriov-network-device-plugin 342",
		"cma event RDMA_CM_EVENT_ADDR_ERROR, error -19\nwaiting for addr/route resolution "
		"state 1\n",
		"nccl.error", "node-a", "RDMA_CM_EVENT_ADDR_ERROR", "never came up", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"linux-rdma/perftest 262",
		"ethernet_read_keys: Couldn't read remote address\n"
		" Unable to read to socket/rdma_cm\n"
		"Failed to exchange data between server and clients\n",
		"nccl.error", "node-a", "Unable to read to socket/rdma_cm", NULL, SEV_WARN,
		ROLE_SYMPTOM, NULL},
	{"huggingface/trl 3310",
		"(EngineCore_0 pid=2095608) ERROR 11-27 02:51:06 [core.py:390]   File "
		"\"/x/pynccl_wrapper.py\", line 279, in ncclCommInitRank\n"
		"(EngineCore_0 pid=2095608) ERROR 11-27 02:51:06 [core.py:390]     raise "
		"RuntimeError(f\"NCCL error: {error_str}\")\n"
		"(EngineCore_0 pid=2095608) ERROR 11-27 02:51:06 [core.py:390] RuntimeError: NCCL "
		"error: invalid usage (run with NCCL_DEBUG=WARN for details)\n",
		"nccl.error", "node-a", "invalid usage", "process 2095608 on node-a", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"ArjunaCluster/ArjunaUsers 46",
		"slurmstepd: error: execve(): /tmp/slurmd/job00089/slurm_script: No such file or "
		"directory\n",
		"nccl.error", "node-a", "execve()", NULL, SEV_WARN, ROLE_SYMPTOM, NULL},
	{"radical-cybertools/radical.pilot 2109",
		"srun: error: Unable to create step for job 4471: Requested node configuration is "
		"not available\n",
		"nccl.error", "node-a", "Unable to create step for job 4471", NULL, SEV_WARN,
		ROLE_SYMPTOM, "not in the inventory"},
};

CASE(later_logs_of_new_kinds_are_read_rightly)
{
	log_reports_read(NOW, later_reports, sizeof(later_reports) / sizeof(later_reports[0]));
}

/* A sixth batch, for the code as the fifth had left it. */
static const struct log_report last_reports[] = {
	{"hpcaitech/ColossalAI 2748",
		"WARNING:torch.distributed.elastic.rendezvous.dynamic_rendezvous:The node "
		"'node-b_1234_0' has failed to send a keep-alive heartbeat to the rendezvous "
		"'colossalai-default-job' due to an error of type RendezvousConnectionError.\n",
		"nccl.error", NULL, "keep-alive heartbeat", NULL, SEV_WARN, ROLE_SYMPTOM, NULL},
	{"pytorch/pytorch 64926",
		"[ERROR] 2026-11-27 02:51:26,678 error_handler: {\n"
		"  \"message\": {\n"
		"    \"message\": \"RendezvousConnectionError: The connection to the C10d store "
		"has failed. See inner exception for details.\",\n",
		"nccl.error", "node-a", "connection to the C10d store has failed", "never came up",
		SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"pytorch/pytorch 69197",
		"    store = TCPStore(\n"
		"RuntimeError: connect() timed out. Original timeout was 60000 ms.\n",
		"nccl.error", "node-a", "connect() timed out", "never came up", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"ymcui/Chinese-LLaMA-Alpaca-2 274",
		"WARNING:torch.distributed.elastic.rendezvous.dynamic_rendezvous:The node "
		"'38049eef641b_3140_0' has failed to shutdown the rendezvous "
		"'304504801270300669882724678499925037384' due to an error of type "
		"RendezvousConnectionError.\n"
		"Traceback (most recent call last):\n"
		"RuntimeError: Connection reset by peer\n",
		"nccl.error", NULL, "failed to shutdown the rendezvous", NULL, SEV_WARN,
		ROLE_SYMPTOM, NULL},
	{"NVIDIA/OpenSeq2Seq 456",
		"1469.worker.1  | [2026-11-27T02:51:20Z] [2026-11-27 02:51:19.737850: W "
		"horovod/common/operations.cc:588] One or more tensors were submitted to be "
		"reduced, gathered or broadcasted by subset of ranks and are waiting for remainder "
		"of ranks for more than 60 seconds. This may indicate that different ranks are "
		"trying to submit different tensors or that only subset of ranks is submitting "
		"tensors, which will cause deadlock.\n"
		"1469.worker.1  | [2026-11-27T02:51:20Z] Stalled "
		"ops:Loss_Optimization/all_reduce/HorovodAllreduce_mul_1_0 [missing ranks: 0]\n",
		"nccl.error", NULL, "missing ranks: 0", NULL, SEV_WARN, ROLE_SYMPTOM, NULL},
	{"horovod/horovod 3950",
		"[0] [2026-11-27 02:51:58.477178: W "
		"/tmp/pip-install/horovod/common/stall_inspector.cc:107] One or more tensors were "
		"submitted to be reduced, gathered or broadcasted by subset of ranks and are "
		"waiting for remainder of ranks for more than 60 seconds. This may indicate that "
		"different ranks are trying to submit different tensors or that only subset of "
		"ranks is submitting tensors, which will cause deadlock. \n"
		"[0] Missing ranks:\n"
		"[0] 0: [broadcast.assign_conv_block_modules.0.0.bias, "
		"broadcast.assign_conv_first_modules.0.bias ...]\n",
		"nccl.error", NULL, "waiting for remainder of ranks", NULL, SEV_WARN, ROLE_SYMPTOM,
		NULL},
	{"kvcache-ai/Mooncake 281",
		"E1127 02:51:39.682588  4671 rdma_context.cpp:203] Failed to register memory "
		"0x7f1200000000: Bad address [14]\n",
		"nccl.error", "node-a", "Failed to register memory", "memory registration",
		SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"kvcache-ai/Mooncake 1088",
		"E1127 02:51:27.133715 203020 transfer_task.cpp:305] Failed to complete transfers "
		"after 60 seconds for batch 2586731328\n",
		"nccl.error", "node-a", "Failed to complete transfers after 60 seconds", NULL,
		SEV_WARN, ROLE_SYMPTOM, NULL},
	{"kvcache-ai/Mooncake 383",
		"E1127 02:51:47.272128 18592 tcp_transport.cpp:136] Session::writeBody failed. "
		"Error: Bad address (value: 14), total_transferred_bytes_: 0, current "
		"transferred_bytes: 0\n",
		"nccl.error", "node-a", "writeBody failed", NULL, SEV_WARN, ROLE_SYMPTOM, NULL},
	{"uccl-project/uccl 120",
		"F20261127 02:51:36.927526   844 transport.cc:573] Check failed: "
		"rdma_ctx_map_.find(ctrl_work.peer_id) == rdma_ctx_map_.end()\n"
		"*** Check failure stack trace: ***\n",
		"nccl.error", "node-a", "Check failed: rdma_ctx_map_", NULL, SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	{"uccl-project/uccl 301",
		"W20261127 02:51:33.595331   331 util_rdma.h:547] NET/IB: read failed in "
		"ncclIbRoceGetVersionNum: Invalid argument\n"
		"F20261127 02:51:33.595355   331 util_rdma.h:592] Check failed: "
		"ncclIbRoceGetVersionNum(deviceName, portNum, gidIndexCandidate, "
		"&gidRoceVerNumCandidate)\n",
		"nccl.error", "node-a", "RoceGetVersionNum", "GID table", SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	{"uccl-project/uccl 937",
		"(MegatronTrainRayActor pid=786375, ip=172.16.0.2) RDMA buffer MR registration "
		"failed: Invalid argument [repeated 28x across cluster]\n",
		"nccl.error", "node-b", "MR registration failed", "process 786375 on node-b",
		SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"openai/jukebox 155",
		"=================================================================================="
		"=\n"
		"=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES\n"
		"=   PID 9665 RUNNING AT node-b\n"
		"=   EXIT CODE: 9\n"
		"=   CLEANING UP REMAINING PROCESSES\n",
		"nccl.error", "node-b", "process 9665 on node-b", NULL, SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	{"NVIDIA/nccl-tests 294",
		"--------------------------------------------------------------------------\n"
		"mpirun detected that one or more processes exited with non-zero status, thus "
		"causing\n"
		"the job to be terminated. The first process to do so was:\n"
		"\n"
		"  Process name: [[12167,1],10]\n"
		"  Exit code:    3\n",
		"nccl.error", "node-a", "[[12167,1],10]", NULL, SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"baidu-research/DeepBench 97",
		"[node-b:29969] *** Process received signal ***\n"
		"[node-b:29969] Signal: Aborted (6)\n"
		"[node-b:29969] Signal code:  (-6)\n"
		"[node-b:29969] *** End of error message ***\n",
		"nccl.error", "node-b", "process 29969 on node-b", NULL, SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	{"ROCm/legacy-rocm-build 1535",
		"Memory access fault by GPU node-2 (Agent handle: 0x55fea5592860) on address "
		"0x7fc133800000. Reason: Page not present or supervisor privilege.\n",
		"nccl.error", "node-a", "Memory access fault by GPU node-2", "not the network",
		SEV_CRIT, ROLE_SYMPTOM, "not in the inventory"},
	{"ROCm/legacy-rocm-build 6023",
		":0:rocdevice.cpp:3586: Callback: Queue 0x7f78cb400000 aborting with error : "
		"HSA_STATUS_ERROR_EXCEPTION: An HSAIL operation resulted in a hardware exception. "
		"code: 0x1016\n",
		"nccl.error", "node-a", "HSA_STATUS_ERROR_EXCEPTION", "not the network", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"aws/aws-ofi-nccl 476",
		"[1,2]<stdout>:node-a:75:95 [2] graph/xml.h:101 NCCL WARN Attribute arch of node "
		"cpu not found\n"
		"[1,2]<stdout>:node-a:75:95 [2] NCCL INFO graph/topo.cc:493 -> 3\n"
		"[1,2]<stdout>:node-a: Test NCCL failure common.cu:961 'internal error - please "
		"report this issue to the NCCL developers / '\n"
		"[1,2]<stdout>: .. node-a pid 75: Test failure common.cu:844\n",
		"nccl.error", "node-a", "Attribute arch of node cpu not found", NULL, SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"aws/aws-ofi-nccl 67",
		"172.16.0.2: WARN: Function: find_ofi_provider Line: 543: NET/OFI Couldn't find "
		"any optimal provider\n"
		"172.16.0.2: WARN: Function: main Line: 66: NET/OFI OFI NCCL failure: 2\n",
		"nccl.error", "node-b", "Couldn't find any optimal provider", NULL, SEV_WARN,
		ROLE_SYMPTOM, NULL},
};

CASE(last_logs_of_new_kinds_are_read_rightly)
{
	log_reports_read(NOW, last_reports, sizeof(last_reports) / sizeof(last_reports[0]));
}

/* A seventh batch, for the code as the sixth had left it. */
static const struct log_report final_reports[] = {
	{"deepspeedai/DeepSpeed 3160",
		"[2026-11-27 02:51:03,123] [ERROR] [launch.py:324:sigkill_handler] "
		"['/usr/bin/python3', '-u', 'main.py', '--local_rank=0'] exits with return code = "
		"-9\n",
		"nccl.error", "node-a", "exits with return code = -9", NULL, SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	{"NVIDIA/nccl 849",
		"RuntimeError: [Rank 0]: Ranks 4, 5, 6, 7 failed to pass monitoredBarrier in "
		"2000000 ms\n",
		"nccl.error", NULL, "Ranks 4, 5, 6, 7 failed to pass monitoredBarrier", NULL,
		SEV_CRIT, ROLE_SYMPTOM, "rank 0 on"},
	{"Lightning-AI/pytorch-lightning 19106",
		"RuntimeError: Detected mismatch between collectives on ranks. Rank 1 is running "
		"collective: CollectiveFingerPrint(SequenceNumber=21, OpType=BROADCAST, "
		"TensorShape=[1]), but Rank 2 is running collective: "
		"CollectiveFingerPrint(SequenceNumber=20, OpType=ALLREDUCE).\n",
		"nccl.error", NULL, "Detected mismatch between collectives", NULL, SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"Simple-Efficient/RL-Factory 8",
		"ray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this "
		"task.\n"
		"\tclass_name: create_colocated_worker_cls.<locals>.WorkerDict\n"
		"\tactor_id: d9cc467228965f31cb6dbc9301000000\n"
		"\tpid: 20174\n"
		"\tname: Zap04XWorkerDict_0:1\n"
		"\tnamespace: de88eeeb-9347-44bf-9df6-9f1c7f74c698\n"
		"\tip: 172.16.0.2\n"
		"The actor is dead because its worker process has died. Worker exit type: "
		"SYSTEM_ERROR Worker exit detail: Worker unexpectedly exits with a connection "
		"error code 2. End of file.\n",
		"nccl.error", "node-b", "process 20174 on node-b", NULL, SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	{"open-mpi/ompi 4963",
		"--------------------------------------------------------------------------\n"
		"WARNING: Open MPI failed to TCP connect to a peer MPI process.  This\n"
		"should not happen.\n"
		"\n"
		"Your Open MPI job may now hang or fail.\n"
		"\n"
		"  Local host: node-a\n"
		"  PID:        13325\n"
		"  Message:    connect() to 172.16.0.2:1024 failed\n"
		"  Error:      Operation now in progress (115)\n"
		"--------------------------------------------------------------------------\n",
		"nccl.error", "node-a", "connect", "172.16.0.2 (node-b)", SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	{"open-mpi/ompi 10535",
		"------------------------------------------------------------\n"
		"A process or daemon was unable to complete a TCP connection\n"
		"to another process:\n"
		"  Local host:    node-a\n"
		"  Remote host:   node-b\n"
		"This is usually caused by a firewall on the remote host. Please\n"
		"check that any firewall (e.g., iptables) has been disabled and\n"
		"try again.\n"
		"------------------------------------------------------------\n",
		"nccl.error", "node-a", "unable to complete a TCP connection", "node-b", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"NVIDIA/pyxis 107",
		"srun: error: slurm_receive_msgs: [[n1.mytestdomain]:6818] failed: Socket timed "
		"out on send/recv operation\n"
		"srun: error: Task launch for StepId=96.0 failed on node node-b: No such process\n"
		"srun: error: Application launch failed: Socket timed out on send/recv operation\n"
		"srun: Job step aborted\n",
		"nccl.error", "node-b", "No such process", NULL, SEV_CRIT, ROLE_SYMPTOM,
		"slurm_receive_msgs is not"},
	{"NVIDIA/pyxis 122",
		"22: slurmstepd: error: pyxis: container start failed with error code: 1\n"
		"22: slurmstepd: error: pyxis: printing enroot log file:\n",
		"nccl.error", "node-a", "container start failed", NULL, SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	{"NVIDIA/pyxis 110",
		"slurmstepd: error: pyxis:     [ERROR] Command not found: nvidia-container-cli, "
		"see https://github.com/NVIDIA/libnvidia-container\n"
		"slurmstepd: error: pyxis:     [ERROR] /etc/enroot/hooks.d/98-nvidia.sh exited "
		"with return code 1\n",
		"nccl.error", "node-a", "Command not found: nvidia-container-cli", NULL, SEV_WARN,
		ROLE_SYMPTOM, NULL},
	{"NVIDIA/nvidia-container-toolkit 932", "Failed to initialize NVML: Unknown Error\n",
		"nccl.error", "node-a", "Failed to initialize NVML", NULL, SEV_WARN, ROLE_SYMPTOM,
		NULL},
	{"NVIDIA/libnvidia-container 204",
		"nvidia-container-cli: initialization error: cuda error: unknown error\n",
		"nccl.error", "node-a", "nvidia-container-cli", NULL, SEV_WARN, ROLE_SYMPTOM, NULL},
	{"akash-network/support 209",
		"Unable to determine the device handle for GPU0000:A1:00.0: Unknown Error\n",
		"nccl.error", "node-a", "determine the device handle for GPU", NULL, SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"ofiwg/libfabric 10249",
		"libfabric:775035:1795747880::efa:mr:ofi_mr_map_verify():123<warn> unknown key: 0\n"
		"libfabric:775035:1795747880::efa:cq:efa_rdm_pke_proc_eager_rtw():149<warn> RMA "
		"address verify failed!\n",
		"nccl.error", "node-a", "RMA address verify failed", "process 775035 on node-a",
		SEV_WARN, ROLE_SYMPTOM, NULL},
	{"bghira/SimpleTuner 2712",
		"[RANK 1] 2026-11-27 02:51:29,701 [ERROR] GPU circuit breaker OPEN: cuda_error - "
		"Detected mismatch between collectives on ranks. Rank 1 is running collective: "
		"CollectiveFingerPrint(SequenceNumber=101, OpType=ALLGATHER), but Rank 7 is "
		"running collective: CollectiveFingerPrint(SequenceNumber=0OpType=REDUCE).\n",
		"nccl.error", NULL, "Detected mismatch between collectives", NULL, SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"vllm-project/vllm 29265",
		"(EngineCore_DP0 pid=726) ERROR 11-27 02:51:48 [core.py:842]                   "
		"^^^^^^^^^^^^^^^\n"
		"(EngineCore_DP0 pid=726) ERROR 11-27 02:51:48 [core.py:842]     "
		"super().__init__(\n"
		"(EngineCore_DP0 pid=726) ERROR 11-27 02:51:48 [core.py:842] ValueError: Current "
		"node has no GPU available. current_node_resource={}\n",
		"nccl.error", "node-a", "Current node has no GPU available",
		"process 726 on node-a", SEV_WARN, ROLE_SYMPTOM, NULL},
};

CASE(final_logs_of_new_kinds_are_read_rightly)
{
	log_reports_read(NOW, final_reports, sizeof(final_reports) / sizeof(final_reports[0]));
}

/* ---- the text of RAS ---- */

#define RAS_HEAD                                                                                   \
	"NCCL version 2.26.2 compiled with CUDA 12.6\n"                                            \
	"CUDA runtime version 12060, driver version 12060\n\n"                                     \
	"Job summary\n===========\n\n"                                                             \
	"  Nodes  Processes         GPUs  Processes     GPUs\n"                                    \
	"(total)   per node  per process    (total)  (total)\n"                                    \
	"      2          4            1          8        8\n\n"                                  \
	"Communicators... (0.00s)\n=============\n\n"                                              \
	"Group     Comms     Nodes     Ranks     Ranks     Ranks    Status  Errors\n"              \
	"    #  in group  per comm  per node  per comm  in group\n"

/* NVIDIA/nccl 1730: nothing is wrong, so nothing is said. */
CASE(a_healthy_text_of_ras_is_no_finding)
{
	struct job_hosts *h = job_hosts_new(NOW);

	job_hosts_ras(h, RAS_HEAD "    0         1         2         4         8         8   "
				  "RUNNING      OK\n\nErrors\n======\n\nWarnings\n========\n\n");
	job_hosts_poll(h, 2);
	assert_null(job_hosts_found(h, "nccl.mismatch", NULL));
	assert_null(job_hosts_found(h, "nccl.error", NULL));
	job_hosts_free(h);
}

/* NVIDIA/nccl 1911: the text names the two ranks that are ahead; those are not the stragglers. */
CASE(ranks_ahead_in_the_text_of_ras_are_no_suspects)
{
	struct job_hosts *h = job_hosts_new(NOW);

	job_hosts_ras(h, RAS_HEAD
		"    0         1         2         4         8         8   RUNNING  MISMATCH\n\n"
		"Errors\n======\n\nWarnings\n========\n\n"
		"#0-0 (fa93daea854b060b) MISMATCH\n"
		"  Communicator ranks have different AllGather operation counts\n"
		"  6 ranks have launched up to operation 640\n"
		"  2 ranks have launched up to operation 641\n"
		"  Rank 2 -- GPU 2 managed by process 323032 on node 172.16.0.1\n"
		"  Rank 3 -- GPU 3 managed by process 323033 on node 172.16.0.1\n");
	job_hosts_poll(h, 2);
	assert_false(job_hosts_say(h, "rank 2 of"));
	assert_false(job_hosts_say(h, "rank 3 of"));
	job_hosts_free(h);
}

CASES_MAIN(NULL, NULL)
