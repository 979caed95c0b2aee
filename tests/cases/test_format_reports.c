/* SPDX-License-Identifier: Apache-2.0 */
/* The nineteenth batch of searched reports, on the readers of formats (test_formats): see hosts.md.
 */
#include "base/clock.h"
#include "tests/cases/log_reports.h"
#include "tests/support/cases.h"

/* 2026-11-27 02:53:20 UTC */
#define NOW (INT64_C(1795748000) * CLOCK_SEC)

static const struct log_report nineteenth[] = {
	{"llm-d/llm-d 2433",
		"Unexpected transfer worker error for room 1788380104266545413\n"
		"Traceback (most recent call last):\n"
		"  File \"/x/disaggregation/nixl/conn.py\", line 1153, in transfer_worker\n"
		"    state_xfer_handles = self.maybe_send_extra(\n"
		"  File \"/x/disaggregation/nixl/conn.py\", line 2062, in maybe_send_extra\n"
		"    raise RuntimeError(\n"
		"RuntimeError: PD Disaggregation does NOT support PD different TP sizes for this "
		"model\n",
		"nccl.error", "node-a", "does NOT support", NULL, SEV_WARN, ROLE_SYMPTOM, NULL},
	{"ShinoharaHare/LLM-Training 7",
		"[rank4]:[E ProcessGroupNCCL.cpp:563] [Rank 4] Watchdog caught collective "
		"operation "
		"timeout: WorkNCCL(SeqNum=7487, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, "
		"Timeout(ms)=1800000) ran for 1800064 milliseconds before timing out.\n"
		"[rank4]:[E ProcessGroupNCCL.cpp:1537] [PG 0 Rank 4] Timeout at NCCL work: 7487, "
		"last "
		"enqueued NCCL work: 7487, last completed NCCL work: 7486.\n"
		"[rank4]:[E ProcessGroupNCCL.cpp:577] [Rank 4] Some NCCL operations have failed or "
		"timed "
		"out.\n",
		"nccl.timeout", NULL, "gave up on AllReduce 7487", NULL, SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	{"vllm-project/vllm 4114",
		"(RayWorkerVllm pid=14289) Exception ignored in: <function "
		"NCCLCommunicator.__del__ at "
		"0x7f4d>\n"
		"(RayWorkerVllm pid=14289) Traceback (most recent call last):\n"
		"(RayWorkerVllm pid=14289)   File \"/x/pynccl.py\", line 264, in __del__\n"
		"(RayWorkerVllm pid=14289)     _c_ncclCommDestroy(self.comm)\n"
		"(RayWorkerVllm pid=14289) AttributeError: 'NCCLCommunicator' object has no "
		"attribute "
		"'comm'\n"
		"(RayWorkerVllm pid=14289) ERROR 11-27 02:53:03 ray_utils.py:44] Error executing "
		"method "
		"init_device. This might cause deadlock in distributed execution.\n",
		"nccl.error", "node-a", "Error executing method init_device", NULL, SEV_WARN,
		ROLE_SYMPTOM, NULL},
	{"vllm-project/vllm 1437",
		"  File \"/usr/local/lib/python3.8/dist-packages/ray/_private/worker.py\", line "
		"2549, in "
		"get\n"
		"    raise value\n"
		"ray.exceptions.RayActorError: The actor died unexpectedly before finishing this "
		"task.\n",
		"nccl.error", "node-a", "The actor died unexpectedly", NULL, SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	{"aws/aws-ofi-nccl 241",
		"node-a:51:60 [0] configure_sendrecv_inorder:213 NCCL WARN NET/OFI Couldn't set "
		"FI_OPT_EFA_SENDRECV_IN_ORDER_ALIGNED_128_BYTES. RC: -92. ERROR: Protocol not "
		"available\n",
		"nccl.error", "node-a", "Couldn't set FI_OPT_EFA", NULL, SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	{"aws/aws-ofi-nccl 803",
		"node-a:51:60 [0] configure_ep:213 NCCL WARN NET/OFI Disabling shared memory "
		"failed: "
		"Protocol not available\n",
		"nccl.error", "node-a", "Disabling shared memory failed", NULL, SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"aws/aws-ofi-nccl 44",
		"[1,3]<stdout>:node-a:51:60 [3] create_nccl_ofi_component:496 NCCL WARN NET/OFI "
		"Couldn't "
		"enable endpoint. RC: -12, ERROR: Cannot allocate memory\n",
		"nccl.error", "node-a", "Couldn't enable endpoint", NULL, SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	{"aws-samples/aws-efa-nccl-baseami-pipeline 2",
		"node-a:51:60 [0] find_ofi_provider:543 NCCL WARN NET/OFI Couldn't find any "
		"optimal "
		"provider\n",
		"nccl.error", "node-a", "Couldn't find any optimal provider", NULL, SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"rapidsai/dask-cuda 168",
		"[1795747958.606494] [node-a:29685:0]   rdmacm_iface.c:405  UCX  ERROR received "
		"event "
		"RDMA_CM_EVENT_UNREACHABLE. status = 2. Peer: 172.16.0.2:45601.\n",
		"nccl.error", "node-a", "RDMA_CM_EVENT_UNREACHABLE", "never came up", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"dask/distributed 7000",
		"[1795747958.790321] [node-a:3241] UCXPY  DEBUG Error callback for endpoint 0x2b49 "
		"called "
		"with status -6: Destination is unreachable\n"
		"2026-11-27 02:53:08,567 - distributed.worker - INFO - Waiting to connect to:      "
		" "
		"ucx://172.16.0.2:8786\n",
		"nccl.error", "node-a", "Destination is unreachable", "never came up", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"rapidsai/ucx-py 109",
		"[1795747958.180161] [node-a:66604:0]      wireup_ep.c:480  UCX  ERROR no "
		"supported "
		"sockaddr auxiliary transports found for mlx5_0:1\n",
		"nccl.error", "node-a:mlx5_0", "no supported sockaddr auxiliary transports", NULL,
		SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"rapidsai/ucx-py 329",
		"[1795747958.165627] [node-a:50083:0]         select.c:438  UCX  ERROR no active "
		"messages "
		"transport to <no debug data>: Unsupported operation\n"
		"[1795747958.165650] [node-a:50083:0]   ucp_listener.c:122  UCX  ERROR connection "
		"request "
		"failed on listener 0x563e with status Destination is unreachable\n",
		"nccl.error", "node-a", "no active messages transport", "never came up", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"rapidsai/ucx-py 590",
		"OSError: Timed out trying to connect to 'ucx://172.16.0.2:60998' after 10 s: "
		"connect() "
		"didn't finish in time\n",
		"nccl.error", "node-a", "Timed out trying to connect", "172.16.0.2", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"aws/aws-parallelcluster 4179",
		"--------------------------------------------------------------------------\n"
		"An ORTE daemon has unexpectedly failed after launch and before\n"
		"communicating back to mpirun. This could be caused by a number\n"
		"of factors, including an inability to create a connection back\n"
		"to mpirun due to a lack of common network interfaces and/or no\n"
		"route found between them. Please check network connectivity\n"
		"(including firewalls and network routing requirements).\n"
		"--------------------------------------------------------------------------\n",
		"nccl.error", "node-a", "ORTE daemon has unexpectedly failed", NULL, SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"open-mpi/ompi 1986",
		"[node-a:17722] [[61742,0],1] ORTE_ERROR_LOG: Error in file\n"
		"orted/pmix/pmix_server.c at line 254\n"
		"[node-a:17722] [[61742,0],1] ORTE_ERROR_LOG: Error in file\n"
		"base/ess_base_std_orted.c at line 535src/server/pmix_server_listener.c:91 bind() "
		"failed\n"
		"--------------------------------------------------------------------------\n"
		"ORTE was unable to reliably start one or more daemons.\n"
		"This usually is caused by:\n"
		"\n"
		"* not finding the required libraries and/or binaries on\n"
		"  one or more nodes.\n"
		"--------------------------------------------------------------------------\n",
		"nccl.error", "node-a", "unable to reliably start", NULL, SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	{"open-mpi/ompi 6352",
		"ssh: Could not resolve hostname node3: Name or service not known\n"
		"--------------------------------------------------------------------------\n"
		"ORTE was unable to reliably start one or more daemons.\n"
		"This usually is caused by:\n"
		"--------------------------------------------------------------------------\n",
		"nccl.error", "node-a", "Could not resolve hostname node3", "never came up",
		SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"aikitoria/open-gpu-kernel-modules 38",
		"[2026-11-27 02:53:01] node-a:2274:2274 [0] allocator.cc:89 (ncclMemAlloc) NCCL "
		"WARN Cuda "
		"failure 205 'mapping of buffer object failed'\n"
		"node-a: Test NCCL failure common.cu:1107 'unhandled cuda error (run with "
		"NCCL_DEBUG=INFO "
		"for details) / '\n"
		" .. node-a pid 2274: Test failure common.cu:1636\n",
		"nccl.error", "node-a", "Cuda failure 205", "not the network", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"deepseek-ai/DeepEP 289",
		"/x/nvshmem/src/modules/transport/ibrc/ibrc.cpp:418: non-zero status: 110 "
		"ibv_modify_qp "
		"failed\n"
		"\n"
		"/x/nvshmem/src/modules/transport/ibrc/ibrc.cpp:1433: non-zero status: 7 "
		"ep_connect "
		"failed\n"
		"/x/nvshmem/src/modules/transport/ibrc/ibrc.cpp:418: non-zero status: 110 "
		"/x/nvshmem/src/modules/transport/ibrc/ibrc.cpp:418: non-zero status: 110\n"
		"ibv_modify_qp failed\n",
		"nccl.error", "node-a", "ibv_modify_qp failed", "never came up", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"deepseek-ai/DeepEP 707", "RuntimeError: DeepEP error: timeout (dispatch CPU)\n",
		"nccl.error", "node-a", "timeout (dispatch CPU)", "data of another rank", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"kvcache-ai/Mooncake 1143",
		"E1127 02:53:04.123456  4711 rdma_endpoint.cpp:343] [Handshake] Failed to modify "
		"QP to "
		"INIT, check local context port num: Invalid argument [22]\n",
		"nccl.error", "node-a", "Failed to modify QP to INIT", NULL, SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	{"NVIDIA/pyxis 4",
		"srun: job 4711 queued and waiting for resources\n"
		"srun: job 4711 has been allocated resources\n"
		"srun: error: task 0 launch failed: Plugin initialization failed\n",
		"nccl.error", "node-a", "Plugin initialization failed", NULL, SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"NVIDIA/pyxis 88",
		"  pmix_psec_base_open failed\n"
		"  --> Returned value -46 instead of PMIX_SUCCESS\n"
		"\n"
		"[node-b:12255] PMIX ERROR: NOT-FOUND in file server/pmix_server.c at line 229\n",
		"nccl.error", "node-b", "PMIX ERROR: NOT-FOUND", NULL, SEV_WARN, ROLE_SYMPTOM,
		NULL},
	{"NVIDIA/pyxis 135",
		"slurmstepd-node-b: error: pyxis: couldn't start container\n"
		"slurmstepd-node-b: error: spank: required plugin spank_pyxis.so: task_init() "
		"failed with "
		"rc=-1\n"
		"slurmstepd-node-b: error: Failed to invoke spank plugin stack\n"
		"srun: error: node-b: task 0: Exited with exit code 1\n",
		"nccl.error", "node-b", "start container", NULL, SEV_CRIT, ROLE_SYMPTOM, NULL},
};

CASE(logs_of_a_nineteenth_batch)
{
	log_reports_read(NOW, nineteenth, sizeof(nineteenth) / sizeof(nineteenth[0]));
}

static const struct log_report twentieth[] = {
	{"meta-pytorch/torchtune 2450",
		"  File \"/x/rendezvous/c10d_rendezvous_backend.py\", line 183, in "
		"_create_tcp_store\n"
		"    raise RendezvousConnectionError(\n"
		"torch.distributed.elastic.rendezvous.api.RendezvousConnectionError: The "
		"connection to the "
		"C10d store has failed. See inner exception for details.\n",
		"nccl.error", "node-a", "C10d store has failed", "never came up", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"ofiwg/libfabric 7368",
		"libfabric:22102:1795747950:verbs:ep_ctrl:vrb_ep_enable():884<warn> "
		"rdma_create_qp: Cannot "
		"allocate memory (12)\n"
		"libfabric:22102:1795747950:ofi_rxm:ep_ctrl:rxm_open_conn():140<warn> "
		"fi_enableCannot "
		"allocate memory (-12)\n",
		"nccl.error", "node-a", "rdma_create_qp: Cannot allocate memory", NULL, SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"Mellanox/k8s-rdma-sriov-dev-plugin 29",
		"Couldn't get device attribute.\n"
		"Unable to create QP.\n"
		"Failed to create QP.\n"
		"Couldn't create IB resource.\n",
		"nccl.error", "node-a", "create QP", NULL, SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"jcxue/RDMA-Tutorial 6",
		"[ERROR] (setup_ib.c:184:setup_ib: errno: Cannot allocate memory) Failed to create "
		"qp\n"
		"[ERROR] (main.c:39:main: errno: None) Failed to setup IB\n",
		"nccl.error", "node-a", "Failed to create qp", NULL, SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"NVIDIA/cudf-spark 7632",
		"ERROR mlx5_0: ibv_create_cq() failed: Cannot allocate memory.\n", "nccl.error",
		"node-a:mlx5_0", "ibv_create_cq() failed", NULL, SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"apache/brpc 3202",
		"[ps-57] [        UNKNOWN][UNKNOWN][W][2026-11-27 "
		"02:53:15.372264][169925][rdma_endpoint.cpp:895] Fail to ibv_post_send: Cannot "
		"allocate "
		"memory, window=1, sq_current=16\n"
		"[ps-57] [        UNKNOWN][UNKNOWN][F][2026-11-27 "
		"02:53:16.457825][169792][ps_server.cc:265] Fail to pull with "
		"request_id=198536955979\n",
		"nccl.error", "node-a", "Fail to ibv_post_send", NULL, SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	{"openucx/ucx 8746",
		"[1795747958.473099] [node-a:1188443:0]          ib_log.c:246  UCX  ERROR mlx5_0: "
		"ibv_create_cq() failed: Cannot allocate memory. Please set max locked memory "
		"(ulimit -l) "
		"to 'unlimited' (current: 64 kbytes)\n",
		"nccl.error", "node-a:mlx5_0", "ibv_create_cq() failed", NULL, SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"k8snetworkplumbingwg/sriov-network-device-plugin 271",
		"ethernet_read_keys: Couldn't read remote address\n"
		"Couldn't allocate MR\n",
		"nccl.error", "node-a", "Couldn't allocate MR", NULL, SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"datenlord/async-rdma 107",
		"2026-11-27T02:53:08.882393Z ERROR async_rdma::memory_region::raw: ibv_reg_mr err, "
		"arguments:\n"
		" addr:0x7ff449400000,\n"
		"2026-11-27T02:53:08.882461Z ERROR async_rdma::mr_allocator: "
		"RawMemoryRegion::register_from_pd failed Os { code: 12, kind: OutOfMemory, "
		"message: "
		"\"Cannot allocate memory\" }\n",
		"nccl.error", "node-a", "ibv_reg_mr err", NULL, SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"spdk/spdk 2467",
		"[2026-11-27 02:53:09.741887] ctrlr.c: 169:nvmf_ctrlr_keep_alive_poll: *NOTICE*: "
		"Disconnecting host nqn.2014-08.org.nvmexpress:uuid:5f1f from subsystem "
		"nqn.2016-06.io.spdk:cnode1 due to keep alive timeout.\n",
		"nccl.error", "node-a", "keep alive timeout", NULL, SEV_WARN, ROLE_SYMPTOM, NULL},
	{"Azure/AML-Kubernetes 58",
		"2026-11-27 02:52:39 [job-nccl-worker-1, unknown_ip] node-a:25:25 [0] init.cc:981 "
		"NCCL "
		"WARN Invalid rank requested : 2/2\n",
		"nccl.error", "node-a", "Invalid rank requested", NULL, SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	{"NVIDIA/nccl 1382",
		"node-a:275204:275666 [8] misc/socket.cc:484 NCCL WARN socketTryAccept: Accept "
		"failed: Bad "
		"file descriptor\n",
		"nccl.error", "node-a", "Accept failed", NULL, SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"NVIDIA/nccl 914",
		"node-a:22337:22453 [6] proxy.cc:1097 NCCL WARN [Proxy Service 14] Failed to "
		"execute "
		"operation Connect from rank 14, retcode 2\n"
		"node-a:22337:22400 [6] misc/socket.cc:521 NCCL WARN Net : Connection closed by "
		"remote peer "
		"172.16.0.2<37877>\n"
		"node-a:22337:22400 [6] proxy.cc:862 NCCL WARN Proxy Call to rank 14 failed "
		"(Connect)\n",
		"nccl.error", "node-a", "Connection closed by remote peer", "consequence", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"sgl-project/sglang 9813",
		"/sgl-workspace/nvshmem/src/modules/transport/ibrc/ibrc.cpp:420: non-zero status: "
		"22 "
		"ibv_modify_qp failed ######  | 16094/16384 [00:01<00:00, 6277.48it/s]\n"
		"\n"
		"/sgl-workspace/nvshmem/src/modules/transport/ibrc/ibrc.cpp:1511: non-zero status: "
		"7 "
		"ep_connect failed\n",
		"nccl.error", "node-a", "ibv_modify_qp failed", "never came up", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"hpcac/2023-APAC-HPC-AI 1",
		"subprocess.CalledProcessError: Command 'ssh -o PasswordAuthentication=no node-b "
		"hostname' "
		"returned non-zero exit status 255.\n"
		"RuntimeError: Using hostfile at /home/job/hostfile but host=node-b was not "
		"reachable via "
		"ssh. If you are running with a single node please remove /home/job/hostfile or "
		"setup "
		"passwordless ssh.\n",
		"nccl.error", "node-a", "not reachable via ssh", "never came up", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"deepspeedai/DeepSpeed 4907",
		"subprocess.CalledProcessError: Command 'ssh -o PasswordAuthentication=no "
		"172.16.0.2 "
		"hostname' returned non-zero exit status 255.\n",
		"nccl.error", "node-a", "returned non-zero exit status 255", "172.16.0.2", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"volcano-sh/volcano 2952",
		"RuntimeError: Using hostfile at /etc/hostfile but host=job-main-0.job was not "
		"reachable via "
		"ssh. If you are running with a single node please remove /etc/hostfile or setup "
		"passwordless ssh.\n"
		"ssh: Could not resolve hostname job-main-0.job: Name or service not known\n",
		"nccl.error", "node-a", "not reachable via ssh", "never came up", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"ai-dynamo/dynamo 288",
		"[1795747958.413567] [node-a:2808 :0]            sock.c:334  UCX  ERROR   "
		"connect(fd=143, "
		"dest_addr=172.16.0.2:43833) failed: Connection refused\n"
		"ERROR 11-27 02:53:04 engine.py:244] nixlBackendError('NIXL_ERR_BACKEND')\n",
		"nccl.error", "node-a", "Connection refused", "never came up", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
};

CASE(logs_of_a_twentieth_batch)
{
	log_reports_read(NOW, twentieth, sizeof(twentieth) / sizeof(twentieth[0]));
}

CASES_MAIN(NULL, NULL)
