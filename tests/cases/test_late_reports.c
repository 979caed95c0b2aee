/* SPDX-License-Identifier: Apache-2.0 */
/* The thirteenth to sixteenth batches of searched reports (hosts.md), as in
 * test_searched_reports. */
#include "base/clock.h"
#include "tests/cases/job_hosts.h"
#include "tests/cases/log_reports.h"
#include "tests/support/cases.h"

/* 2026-11-27 02:53:20 UTC */
#define NOW (INT64_C(1795748000) * CLOCK_SEC)

static const struct log_report thirteenth[] = {
	{"deepspeedai/DeepSpeedExamples 443",
		"RuntimeError: NCCL error in: "
		"/root/pytorch/torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:1169, unhandled "
		"system error, NCCL version 21.2.12\n",
		"nccl.error", "node-a", "unhandled system error", NULL, SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	{"NVIDIA/DeepLearningExamples 1386",
		"[rank2]:     work = group.broadcast([tensor], opts)\n"
		"[rank2]: torch.distributed.DistBackendError: NCCL error in: "
		"/home/pytorch/torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:2028, unhandled "
		"system error (run with NCCL_DEBUG=INFO for details), NCCL version 2.20.5\n"
		"[rank2]: ncclSystemError: System call (e.g. socket, malloc) or external library "
		"call failed or device error. \n"
		"[rank2]: Last error:\n"
		"[rank2]: Error while creating shared memory segment /dev/shm/nccl-c8G2vd (size "
		"5767520)\n"
		"[rank3]: Traceback (most recent call last):\n",
		"nccl.error", "node-a", "Error while creating shared memory segment", "rank 2",
		SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"deepseek-ai/DeepEP 150",
		"/sgl-workspace/nvshmem/install/include/host/nvshmemx_api.h:63: non-zero status: "
		"7: Connection timed out, exiting... \n"
		"aborting due to error in nvshmemi_init_thread \n"
		"/sgl-workspace/nvshmem/src/host/init/init.cu:327: non-zero status: 7 "
		"bootstrap_init failed\n",
		"nccl.error", "node-a", "Connection timed out", "never came up", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"deepseek-ai/DeepEP 553",
		"    recv_src_meta, send_rdma_head, send_nvl_head, event = "
		"self.runtime.internode_dispatch(\n"
		"RuntimeError: DeepEP error: timeout (dispatch CPU)\n",
		"nccl.error", "node-a", "timeout (dispatch CPU)", "did not arrive", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"deepseek-ai/DeepEP 114",
		"RuntimeError: Failed: Assertion error "
		"/workspace/DeepEP/csrc/kernels/internode.cu:1713 'num_max_nvl_chunked_recv_tokens "
		"/ num_rdma_ranks > std::max(num_max_rdma_chunked_send_tokens, "
		"num_max_nvl_chunked_send_tokens)'\n",
		"nccl.error", "node-a", "Assertion error", NULL, SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"linux-rdma/perftest 228",
		"Couldn't connect to 172.16.0.2:18515\n"
		"Unable to open file descriptor for socket connection Unable to init the socket "
		"connection\n",
		"nccl.error", "node-a", "Couldn't connect to", "172.16.0.2 (node-b)", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"efficient/rdma_bench 4", "HRD: Failed to modify QP to RTR\n", "nccl.error", "node-a",
		"Failed to modify QP to RTR", "never came up", SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"sgl-project/sglang 7338",
		"[2026-11-27 02:52:41] Decode transfer failed for request rank=0 "
		"decode_req.req.rid='c564d0c547f945aa987620f1255b838d' "
		"decode_req.req.bootstrap_room=2170015846053279415 with exception "
		"KVTransferError(bootstrap_room=2170015846053279415): Failed to get kvcache from "
		"prefill instance, it might be dead\n",
		"nccl.error", "node-a", "Failed to get kvcache from prefill instance", NULL,
		SEV_WARN, ROLE_SYMPTOM, NULL},
	{"ROCm/rccl 1454",
		"node-a:31965:31971 [0] /usr/src/debug/rccl/build/hipify/src/proxy.cc:1190 NCCL "
		"WARN Socket recv failed while polling for opId=0x7d9e780c40c0\n"
		"node-a:31965:31971 [0] NCCL INFO "
		"/usr/src/debug/rccl/build/hipify/src/transport/p2p.cc:473 -> 3\n"
		"node-a: Test NCCL failure /home/user/rccl-tests/build/hipify/common.cu.cpp:1291 "
		"'unhandled cuda error (run with NCCL_DEBUG=INFO for details) / '\n"
		" .. node-a pid 31965: Test failure "
		"/home/user/rccl-tests/build/hipify/common.cu.cpp:1165\n",
		"nccl.error", "node-a", "Socket recv failed while polling", NULL, SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"sgl-project/sglang 6854",
		"E1127 02:52:59.104586 27322 worker_pool.cpp:271] Worker: Process failed for slice "
		"(opcode: 1, source_addr: 0x7f20fe0f1680, length: 65536, dest_addr: "
		"0x7f3d820f3a80, local_nic: mlx5_2, peer_nic: 172.16.0.2:15729@mlx5_0, dest_rkey: "
		"2116517, retry_cnt: 0): transport retry counter exceeded\n"
		"E1127 02:52:59.104656 27522 worker_pool.cpp:271] Worker: Process failed for slice "
		"(opcode: 1, source_addr: 0x7f9b1c011680, length: 65536, dest_addr: "
		"0x7f5b30013a80, local_nic: mlx5_2, peer_nic: 172.16.0.2:15695@mlx5_0, dest_rkey: "
		"2123199, retry_cnt: 0): transport retry counter exceeded\n",
		"nccl.error", "node-a:mlx5_2", "retries exceeded", "node-b", SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	{"ray-project/kuberay 3827",
		"{\"custom_fields\":{\"ip\":\"172.16.0.2\",\"node_id\":"
		"\"ada3a3771fac751bd7c6b674e3b5e2df045b93550e6d31a410cad0be\"},\"event_id\":"
		"\"1820787c7179bb878444735ecb267c1bea04\",\"host_name\":\"node-a\",\"label\":\"RAY_"
		"NODE_REMOVED\",\"message\":\"The node with node id: "
		"ada3a3771fac751bd7c6b674e3b5e2df045b93550e6d31a410cad0be and address: 172.16.0.2 "
		"and node name: 172.16.0.2 has been marked dead because the detector has missed "
		"too many heartbeats from it. This can happen when a \\\\t(1) raylet crashes "
		"unexpectedly (OOM, etc.) \\\\n\\\\t(2) raylet has lagging heartbeats due to slow "
		"network or busy "
		"workload.\",\"pid\":\"65\",\"severity\":\"ERROR\",\"source_type\":\"GCS\","
		"\"timestamp\":1795747908}\n",
		"nccl.error", "node-b", "marked dead", NULL, SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"ray-project/ray 54035",
		"{\"custom_fields\":{\"node_id\":"
		"\"a418db09539dd8e5b9800eb27416ecf0f8f62df5a1c720f0484d96ca\"},\"event_id\":"
		"\"03cdd9ea75bc4aceb7d23e840be2f8a4612a\",\"host_name\":\"node-a\",\"label\":"
		"\"RAYLET_MARKED_DEAD\",\"message\":\"[Timeout] Exiting because this node manager "
		"has mistakenly been marked as dead by the GCS: GCS failed to check the health of "
		"this node for 5 times. This is likely because the machine or raylet has become "
		"overloaded.\",\"pid\":\"89\",\"severity\":\"FATAL\",\"source_type\":\"RAYLET\","
		"\"timestamp\":1795747908}\n",
		"nccl.error", "node-a", "marked as dead by the GCS", NULL, SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	{"ray-project/ray 3446",
		"The node with client ID 1eadc9db2f074bfec34caf25dd5bf1f99fad0d59 has been marked "
		"dead because the monitor has missed too many heartbeats from it.\n",
		"nccl.error", NULL, "a node that is not named here: marked dead", NULL, SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"ray-project/ray 22425",
		"[2026-11-27 02:45:07,907 W 149 199] node_manager.cc:157: Last heartbeat was sent "
		"6901 ms ago. There might be resource pressure on this node. If heartbeat keeps "
		"lagging, this node can be marked as dead mistakenly.\n"
		"[2026-11-27 02:45:44,562 I 149 149] node_manager.cc:620: Sending Python GC "
		"request to 5 local workers to clean up Python cyclic references.\n"
		"[2026-11-27 02:46:52,789 C 149 149] node_manager.cc:170: This node has beem "
		"marked as dead.\n"
		"*** StackTrace Information ***\n",
		"nccl.error", "node-a", "marked as dead", NULL, SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"NVIDIA/nccl 1788",
		"[2026-11-27 02:51:29] node-a:27907:27907 [1] transport/nvls.cc:254 NCCL WARN Cuda "
		"failure 401 'the operation cannot be performed in the present state'\n"
		"node-a:27907:27907 [1] NCCL INFO transport/nvls.cc:409 -> 1\n",
		"nccl.error", "node-a", "Cuda failure 401", "not the network", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"NVIDIA/nccl 1191",
		"node-a:4016:4653 [7] misc/ibvwrap.cc:190 NCCL WARN Call to ibv_create_cq failed "
		"with error Cannot allocate memory\n",
		"nccl.error", "node-a", "ibv_create_cq failed", "locked memory", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"openucx/ucx 8229",
		"[1795747928.293924] [node-a:58829:0]       ib_iface.c:1012 UCX  ERROR "
		"ibv_create_cq(cqe=4096) failed: Cannot allocate memory\n",
		"nccl.error", "node-a", "ibv_create_cq(cqe=4096) failed", "locked memory", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"horovod/horovod 98",
		"node-a [0] misc/ibvwrap.cu:269 WARN Call to ibv_create_qp failed\n"
		"Failed, NCCL error test_nccl.c:99 'unhandled system error'\n",
		"nccl.error", "node-a", "ibv_create_qp failed", NULL, SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"NVIDIA/nccl-tests 111",
		"node-a:406794:406838 [0] NCCL INFO transport/net_ib.cc:664 -> 2\n"
		"node-a:406794:406838 [0] NCCL INFO proxy.cc:914 -> 2\n"
		"node-a:406794:406838 [0] proxy.cc:1040 NCCL WARN [Proxy Service 8] Failed to "
		"execute operation Connect from rank 8, retcode 2\n",
		"nccl.error", "node-a", "Failed to execute operation Connect", "consequence",
		SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"ai-dynamo/dynamo 306",
		"ERROR 11-27 02:52:15 engine.py:244] nixlUnknownError('NIXL_ERR_UNKNOWN')\n"
		"ERROR 11-27 02:52:15 engine.py:244] Traceback (most recent call last):\n"
		"ERROR 11-27 02:52:15 engine.py:244]     self.run_engine_loop()\n",
		"nccl.error", "node-a", "NIXL_ERR_UNKNOWN", NULL, SEV_WARN, ROLE_SYMPTOM, NULL},
	{"ai-dynamo/dynamo 1108",
		"Backend UCX was instantiated\n"
		"2026-11-27T02:52:18.119Z ERROR engine.run_mp_engine: NIXL_ERR_BACKEND\n"
		"Traceback (most recent call last):\n",
		"nccl.error", "node-a", "NIXL_ERR_BACKEND", NULL, SEV_WARN, ROLE_SYMPTOM, NULL},
	{"LMCache/LMCache 605",
		"[1795747677.974497] [node-a:611  :0]     ucp_context.c:1268 UCX  WARN  transports "
		"'cuda_ipc','cuda_copy' are not available, please use one or more of: mm, posix, "
		"self, shm, sm, sysv, tcp\n"
		"ERROR 11-27 02:47:57 [core.py:396] EngineCore failed to start.\n"
		"ERROR 11-27 02:47:57 [core.py:396] Traceback (most recent call last):\n",
		"nccl.error", "node-a", "EngineCore failed to start", NULL, SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	{"pytorch/pytorch 147064",
		"E1127 02:47:20.086000 870572 "
		"torch/distributed/elastic/multiprocessing/api.py:869] failed (exitcode: 1) "
		"local_rank: 0 (pid: 876053) of binary: "
		"/home/user/.pyenv/versions/venv311/bin/python3.11\n"
		"I1127 02:47:20.086000 870572 torch/distributed/elastic/agent/server/api.py:889] "
		"[default] Worker group FAILED. 3/3 attempts left; will restart worker group\n",
		"nccl.error", "node-a", "exitcode: 1", "876053", SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"pytorch/pytorch 150916",
		"    raise RendezvousClosedError\n"
		"torch.distributed.elastic.rendezvous.api.RendezvousClosedError\n",
		"nccl.error", "node-a", "RendezvousClosedError", "consequence", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"wtdcode/vllm-backport 33",
		"nixl._bindings.nixlRemoteDisconnectError: NIXL_ERR_REMOTE_DISCONNECT\n",
		"nccl.error", "node-a", "NIXL_ERR_REMOTE_DISCONNECT", "consequence", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"kvcache-ai/Mooncake 1382",
		"E1127 02:51:21.399121 3662714 rdma_context.cpp:214] Failed to register memory "
		"0x7f12c0000000: Cannot allocate memory [12]\n",
		"nccl.error", "node-a", "Failed to register memory", "memory registration",
		SEV_CRIT, ROLE_SYMPTOM, NULL},
};

static const struct log_report fourteenth[] = {
	{"huggingface/transformers 30399",
		"[3]:E1127 02:50:44.182842  8355 ProcessGroupNCCL.cpp:1329] [PG 0 (default_pg) "
		"Rank 3] Heartbeat monitor timed out! Process will be terminated after dumping "
		"debug info. workMetaList_.size()=0\n"
		"[3]:I1127 02:50:44.182893  8355 ThreadStackTrace.cpp:149] Successfully installed "
		"signal handler with 39 signo.\n",
		"nccl.mismatch", NULL, "watchdog hangs", "rank 3", SEV_CRIT, ROLE_CULPRIT, NULL},
	{"modelscope/ms-swift 9191",
		"[rank15]:[E1127 02:49:04.197939154 ProcessGroupNCCL.cpp:1890] [PG ID 0 PG GUID "
		"0(default_pg) Rank 15] ProcessGroupNCCL's watchdog got stuck for 480 seconds "
		"without making progress in monitoring enqueued collectives. This typically "
		"indicates a NCCL/CUDA API (e.g., CudaEventDestroy) hang blocking the watchdog, "
		"and could be triggered by another thread holding the GIL inside a CUDA api.\n"
		"[rank15]:[E1127 02:49:04.198229142 ProcessGroupNCCL.cpp:1606] [PG ID 0 PG GUID "
		"0(default_pg) Rank 15] ProcessGroupNCCL preparing to dump debug info. Include "
		"stack trace: 1, only active collectives: 0\n"
		"[rank8]:[E1127 02:49:04.203777348 ProcessGroupNCCL.cpp:1890] [PG ID 0 PG GUID "
		"0(default_pg) Rank 8] ProcessGroupNCCL's watchdog got stuck for 480 seconds "
		"without making progress in monitoring enqueued collectives.\n",
		"nccl.mismatch", "rank job-pg0/15", "watchdog hangs", "rank 15", SEV_CRIT,
		ROLE_CULPRIT, NULL},
	{"facebookresearch/dinov2 447",
		"[rank0]:[E ProcessGroupNCCL.cpp:1316] [PG 0 Rank 0] Heartbeat monitor timed out! "
		"Process will be terminated after dumping debug info. workMetaList_.size()=1\n"
		"[rank0]:[F ProcessGroupNCCL.cpp:1169] [PG 0 Rank 0] [PG 0 Rank 0] "
		"ProcessGroupNCCL's watchdog got stuck for 600 seconds without making progress in "
		"monitoring enqueued collectives.\n"
		"[rank1]:[E ProcessGroupNCCL.cpp:1316] [PG 0 Rank 1] Heartbeat monitor timed out! "
		"Process will be terminated after dumping debug info. workMetaList_.size()=1\n",
		"nccl.error", NULL, "watchdog hangs", "2 processes", SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"MoonshotAI/Kimi-Audio 133",
		"[node-a][3598465:3601782][0][state_monitor.cc:89] NCCL INFO "
		"StateSync:4e4c65886b652b0b:Rank2 : using eth0:172.16.0.1<54911>\n"
		"[node-a][3598464:3601780][1][state_monitor.cc:241] NCCL WARN "
		"StateMonitor:4e4c65886b652b0b:Rank1 : kernel begins at work 55731 may hang in "
		"polling, time 20261127-025243\n",
		"nccl.error", "node-a", "may hang in polling", "3598464", SEV_WARN, ROLE_SYMPTOM,
		NULL},
	{"huggingface/accelerate 2457",
		"torch.distributed.DistBackendError: NCCL error in: "
		"../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:1691, unhandled system error "
		"(run with NCCL_DEBUG=INFO for details), NCCL version 2.19.3\n"
		"ncclSystemError: System call (e.g. socket, malloc) or external library call "
		"failed or device error. \n"
		"Last error:\n"
		"socketStartConnect: Connect to fe80::a849:bbff:fe73:19bd%veth8299cd8<54785> "
		"failed : Software caused connection abort\n"
		"Traceback (most recent call last):\n",
		"nccl.error", "node-a", "socketStartConnect", "never came up", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"lyuwenyu/RT-DETR 599",
		"RuntimeError: NCCL communicator was aborted on rank 6.  Original reason for "
		"failure was: [Rank 6] Watchdog caught collective operation timeout: "
		"WorkNCCL(SeqNum=40115, OpType=ALLREDUCE, Timeout(ms)=1800000) ran for 1804046 "
		"milliseconds before timing out.\n",
		"nccl.timeout", NULL, "(6)", "gave up on AllReduce 40115", SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	{"openucx/ucx 9908",
		"[1795747909.541480] [node-a:1581047:0] sock.c:323 UCX ERROR connect(fd=87, "
		"dest_addr=172.16.0.2:47133) failed: Connection refused\n"
		"[node-a:1581048] pml_ucx.c:419 Error: ucp_ep_create(proc=9) failed: Destination "
		"is unreachable\n"
		"[node-a:1581048] pml_ucx.c:472 Error: Failed to resolve UCX endpoint for rank 9\n",
		"nccl.error", "node-a", "Connection refused", "never came up", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"openucx/ucx 8448",
		"[node-a:127549] pml_ucx.c:421  Error: ucp_ep_create(proc=108) failed: Destination "
		"is unreachable\n"
		"[node-a:127549] pml_ucx.c:472  Error: Failed to resolve UCX endpoint for rank "
		"108\n"
		"[LOG_CAT_P2P] hmca_bcol_ucx_p2p address preexchange allreduce failed\n",
		"nccl.error", "node-a", "Destination is unreachable", "never came up", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"openucx/ucx 4425",
		"[2026-11-27T02:51:30.093Z] **26601** [1795747889.931690]      rdmacm_cm.c:289  "
		"UCX  ERROR client got error event RDMA_CM_EVENT_ROUTE_ERROR, status -110 peer "
		"172.16.0.2:55355\n",
		"nccl.error", "node-a", "RDMA_CM_EVENT_ROUTE_ERROR", "never came up", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"openucx/ucx 3513",
		"Fri Nov 27 02:51:55 2026[1,220]<stdout>:[1795747915.783035] [node-a:24850:0]      "
		"   select.c:410  UCX  ERROR no active messages transport to <no debug data>: "
		"tcp/ens1f0 - Destination is unreachable\n",
		"nccl.error", "node-a", "Destination is unreachable", "never came up", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"NVIDIA/TensorRT-LLM 4668",
		"[node-a:02518] Error: coll_ucc_module.c:273 - mca_coll_ucc_init_ctx() UCC library "
		"doesn't support MPI_THREAD_MULTIPLE\n",
		"nccl.error", "node-a", "UCC library", NULL, SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"NVIDIA/TensorRT-LLM 2594",
		"[1795747814.145533] [node-a:4321 :0]     ucp_context.c:1234 UCX  WARN  network "
		"device 'mlx3_1:1' is not available, please use one or more of: 'eth0'(tcp), "
		"'lo'(tcp), 'mlx5_0:1'(ib), 'mlx5_1:1'(ib)\n",
		"nccl.error", "node-a", "'mlx3_1:1' is not available", NULL, SEV_WARN, ROLE_SYMPTOM,
		NULL},
	{"pytorch/gloo 147",
		"wc->status == IBV_WC_SUCCESS. 5 vs 0. Send for slot 0: Work Request Flushed "
		"Error\n",
		"nccl.error", "node-a", "flushed", "aftermath", SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"openucx/ucx 733",
		"[node-a:7464 :0] rc_verbs_iface.c:98   Fatal: Send completion with error: "
		"transport retry counter exceeded\n"
		"==== backtrace ====\n"
		"[1795747877.977459] [node-a:7464 :1]      ib_device.c:132  UCX  WARN  IB Async "
		"event on mlx5_0: SRQ-attached QP 0x14fe0 was flushed\n",
		"nccl.error", "node-a", "retries exceeded", NULL, SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"linux-rdma/rdma-core 1216",
		"pyverbs.pyverbs_error.PyverbsRDMAError: Failed to create AH. Errno: 110, "
		"Connection timed out\n",
		"nccl.error", "node-a", "Failed to create AH", "never came up", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"jax-ml/jax 23599",
		"2026-11-27 02:47:38.568412: E "
		"external/xla/xla/tsl/distributed_runtime/coordination/"
		"coordination_service.cc:1170] /job:jax_worker/replica:0/task:0 has been set to "
		"ERROR in coordination service: UNAVAILABLE: Task /job:jax_worker/replica:0/task:0 "
		"heartbeat timeout. This indicates that the remote task has failed, got preempted, "
		"or crashed unexpectedly. Check the task logs for an earlier error to debug "
		"further.\n",
		"nccl.error", "node-a", "heartbeat timeout", NULL, SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"jax-ml/jax 19307",
		"2026-11-27 02:43:11.726254: E external/xla/xla/service/gpu/nccl_utils.cc:211] "
		"Aborting communicator: 0x7f3e427e55b0 due to async NCCL error: remote process "
		"exited or there was a network error\n",
		"nccl.error", "node-a", "remote process exited", "consequence", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"jax-ml/jax 22747",
		"2026-11-27 02:45:14.107390: W external/xla/xla/service/gpu/runtime/support.cc:58] "
		"Intercepted XLA runtime error:\n"
		"INTERNAL: external/xla/xla/service/gpu/nccl_utils.cc:305: NCCL operation "
		"ncclCommInitRank(&comm, nranks, id, rank) failed: unhandled system error (run "
		"with NCCL_DEBUG=INFO for details). Last NCCL warning(error) log entry (may be "
		"unrelated) 'socketTryAccept: Accept failed: Bad file descriptor'.\n",
		"nccl.error", "node-a", "Accept failed", NULL, SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"MIC-DKFZ/nnUNet 1519",
		"RuntimeError: CUDA error: uncorrectable NVLink error detected during the "
		"execution\n",
		"nccl.error", "node-a", "uncorrectable NVLink error", "not the network", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"kubeflow/mpi-operator 501",
		"/etc/mpi/kubexec.sh: 11: /opt/kube/kubectl: not found\n"
		"command terminated with exit code 1\n",
		"nccl.error", "node-a", "command terminated with exit code 1", NULL, SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"kubeflow/mpi-operator 424",
		"Permission denied, please try again.\n"
		"root@node-b: Permission denied (publickey,password).\n"
		"ORTE was unable to reliably start one or more daemons.\n",
		"nccl.error", "node-a", "Permission denied", "node-b", SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	{"THUDM/slime 1106",
		"(MegatronTrainRayActor pid=228664)\n"
		"(MegatronTrainRayActor pid=228664) [2026-11-27 02:51:03] node-a:228664:229081 [1] "
		"enqueue.cc:42 NCCL WARN Cuda failure 'named symbol not found'\n",
		"nccl.error", "node-a", "named symbol not found", "not the network", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"THUDM/slime 1786",
		"[torch_memory_saver.cpp] cudaError error: 1 (invalid argument) file=csrc/core.cpp "
		"func=pause line=133 [repeated 2x across cluster].\n",
		"nccl.error", "node-a", "cudaError error: 1", NULL, SEV_WARN, ROLE_SYMPTOM, NULL},
};

static const struct log_report fifteenth[] = {
	{"vllm-project/vllm-ascend 2900",
		"(Worker_DP0_TP3_EP3 pid=140538) ERROR 11-27 02:52:02 "
		"[llmdatadist_c_mgr_connector.py:581] KV transfer task failed: [link] failed, "
		"error code is LLMStatusCode.LLM_LINK_FAILED, {4: 0, 20: 1}.\n",
		"nccl.error", "node-a", "KV transfer task failed", "140538", SEV_WARN, ROLE_SYMPTOM,
		NULL},
	{"vllm-project/vllm-ascend 13175",
		"[ERROR] HCCL(4237,):2026-11-27-02:52:17.599.026 [hccl_one_sided_service.cc:103] "
		"[4762][HcclOneSidedService][IsUsedRdma]localDeviceId: 0, remoteDeviceId: 2, "
		"linkType 1 is not supported\n"
		"[ERROR] HCCL(4237,):2026-11-27-02:52:17.599.033 [hccl_one_sided_service.cc:695] "
		"[4762][InitIsUsedRdmaMap]call trace: hcclRet -> 5\n",
		"nccl.error", "node-a", "linkType 1 is not supported", NULL, SEV_WARN, ROLE_SYMPTOM,
		NULL},
	{"kvcache-ai/Mooncake 35",
		"E1127 02:49:47.366148 15997 transfer_metadata.cpp:793] Handshake request is "
		"rejected by peer endpoint 172.16.0.2:8144@mlx5_0, message: Failed to modity QP to "
		"RTR, check mtu, gid, peer lid, peer qp num. Please check peer's configuration.\n"
		"E1127 02:49:47.366191 15997 rdma_endpoint.cpp:122] Failed to exchange handshake "
		"description\n"
		"E1127 02:49:47.366196 15997 worker_pool.cpp:236] Worker: Cannot make connection "
		"for endpoint: 172.16.0.2:8144@mlx5_0\n",
		"nccl.error", "node-a", "Failed to modity QP", "never came up", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"kvcache-ai/Mooncake 260",
		"E1127 02:50:50.678381 2182383 transfer_metadata_plugin.cpp:735] "
		"SocketHandShakePlugin: connect()172.16.0.2:16967: Connection refused       [111]\n"
		"E1127 02:50:50.678403 2182383 worker_pool.cpp:222] Worker: Cannot make connection "
		"for endpoint: 172.16.0.2:14300@mlx5_1\n",
		"nccl.error", "node-a", "Connection refused", "172.16.0.2", SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	{"linux-rdma/perftest 140",
		" Completion with error at client\n"
		" Failed status 4: wr_id 0 syndrom 0x51\n"
		"scnt=128, ccnt=0\n",
		"nccl.error", "node-a", "status 4", NULL, SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"OpenRLHF/OpenRLHF 621",
		"(RayWorkerWrapper pid=92234, ip=172.16.0.2) [2026-11-27 02:49:05,813 E 92234 "
		"94325] logging.cc:365: *** SIGABRT received at time=1735017785 on cpu 31 ***\n"
		"(RayWorkerWrapper pid=92234, ip=172.16.0.2) [2026-11-27 02:49:05,813 E 92234 "
		"94325] logging.cc:365: PC: @     0x7f0b356c400b  (unknown)  raise\n"
		"(RayWorkerWrapper pid=92234, ip=172.16.0.2) Fatal Python error: Aborted\n"
		"2026-11-27 02:49:11,705\tERR cli.py:69 -- Job 'raysubmit_nSWpvu9ifM1t1FEi' "
		"failed\n",
		"nccl.error", "node-b", "SIGABRT", "92234", SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"OpenRLHF/OpenRLHF 1193",
		"(LLMRayActor pid=585804) (EngineCore_DP0 pid=586112) ERROR 11-27 02:51:45 "
		"[core.py:1094] Invocation of collective_rpc method failed\n"
		"(LLMRayActor pid=585804) (EngineCore_DP0 pid=586112) ERROR 11-27 02:51:45 "
		"[core.py:1094] Traceback (most recent call last):\n",
		"nccl.error", "node-a", "Invocation of collective_rpc method failed", NULL,
		SEV_WARN, ROLE_SYMPTOM, NULL},
	{"OpenRLHF/OpenRLHF 1236",
		"RuntimeError: Request failed with status code 500: No available agent to submit "
		"job, please try again later..\n",
		"nccl.error", "node-a", "No available agent to submit job", NULL, SEV_WARN,
		ROLE_SYMPTOM, NULL},
	{"hkust-nlp/simpleRL-reason 17",
		"RuntimeError: [../third_party/gloo/gloo/transport/tcp/pair.cc:534] Connection "
		"closed by peer [172.16.0.2]:38032\n",
		"nccl.error", "node-a", "Connection closed by peer", "consequence", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"NVIDIA/nccl-tests 15",
		"node-a:18553:18611 [0] include/socket.h:360 WARN Call to connect failed : "
		"Connection timed out\n"
		"node-a:18553:18611 [0] INFO transport/net_socket.cu:118 -> 2\n"
		"node-a:18553:18612 [0] include/socket.h:371 WARN Connection closed by remote "
		"peer\n",
		"nccl.error", "node-a", "Call to connect failed", "never came up", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"Oneflow-Inc/oneflow 3586",
		"node-a:101542:101934 [0] NCCL INFO Call to connect returned Connection timed out, "
		"retrying\n"
		"\n"
		"node-a:101542:101934 [0] include/socket.h:403 NCCL WARN Connect to "
		"fe80::380d:bfff:fe5b:54d2%45<43537> failed : Connection timed out\n",
		"nccl.error", "node-a", "Connection timed out", "never came up", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"NVIDIA/nccl 210",
		"include/socket.h:344 WARN Socket creation failed : Address family not supported "
		"by protocol\n",
		"nccl.error", "node-a", "Socket creation failed", NULL, SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	{"EasonXiao-888/MambaTree 14",
		"RuntimeError: NCCL error in: "
		"../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:1201, internal error, NCCL "
		"version 2.14.3\n"
		"ncclInternalError: Internal check failed.\n"
		"Last error:\n"
		"Bootstrap : no socket interface found\n"
		"ERROR:torch.distributed.elastic.multiprocessing.api:failed (exitcode: 1) "
		"local_rank: 0 (pid: 2918) of binary: /home/user/anaconda3/bin/python\n",
		"nccl.error", "node-a", "no socket interface found", "setting of this host",
		SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"ovis-hpc/ldms 127", "ERROR     : Error 7 listening on the 'rdma' transport.\n",
		"nccl.error", "node-a", "listening on the 'rdma' transport", NULL, SEV_WARN,
		ROLE_SYMPTOM, NULL},
	{"open-mpi/ompi 13183",
		"[node-a:6594 :0:6594] ib_mlx5_log.c:179 Remote operation error on mlx5_1:1/IB "
		"(synd 0x14 vend 0x89 hw_synd 0/0)\n"
		"[node-a:6594 :0:6594] ib_mlx5_log.c:179 RC QP 0x53 wqe[0]: RDMA_READ s-- [rva "
		"0x7fe7d1a00000 rkey 0x180ac9] [va 0x7f15bfe00000 len 10020 lkey 0x182fee] [rqpn "
		"0x5f dlid=65 sl=0 port=1 src_path_bits=0]\n",
		"nccl.error", "node-a:mlx5_1", "status 11", NULL, SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"uccl-project/uccl 972",
		"[WARN node-a 1468470 1468470 pollOnce rdma/providers/ib_data_channel_impl.cc:202] "
		"pollOnce - channel_id: 4, CQE error, wr_id=3, status=2 (local QP operation "
		"error), opcode=1, byte_len=0, vendor_err=0x3, qp_num=0x2c91, wc_flags=0x0\n"
		"[WARN node-a 1468470 1468470 pollOnce rdma/providers/ib_data_channel_impl.cc:198] "
		"pollOnce - channel_id: 4, WR_FLUSH_ERR, qp_num=0x2c91\n",
		"nccl.error", "node-a", "status 2", NULL, SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"uccl-project/uccl 974",
		"[WARN node-a 1711891 1711891 pollOnce rdma/providers/ib_data_channel_impl.cc:203] "
		"pollOnce - channel_id: 4, CQE error, wr_id=19395, status=10 (remote access "
		"error), opcode=1, byte_len=0, vendor_err=0x7, qp_num=0x2c21, wc_flags=0x0\n",
		"nccl.error", "node-a", "status 10", NULL, SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"spdk/spdk 961",
		"mlx5: node-a: got completion with error:\n"
		"00000000 00000000 00000000 00000000\n"
		"00000000 00000000 00000000 00000000\n"
		"000000b3 00000000 00000000 00000000\n"
		"00000000 93005204 0a0019a1 c0921cd2\n"
		"nvme_rdma.c:1748:nvme_rdma_qpair_process_completions: *ERROR*: CQ error on Queue "
		"Pair 0x7efd94490ac0, Opcode 128, Response Index 139627583889688 (4): local "
		"protection error\n",
		"nccl.error", "node-a", "status 4", NULL, SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"NVIDIA/nccl 214",
		"node-a:2241:2279 [0] transport/net_ib.cu:788 NCCL WARN NET/IB : Got completion "
		"with error 4, opcode 1, len 21938, vendor err 81\n",
		"nccl.error", "node-a", "status 4", NULL, SEV_CRIT, ROLE_SYMPTOM, NULL},
};

static const struct log_report sixteenth[] = {
	{"pytorch/pytorch 64926",
		"[ERROR] 2026-11-27 02:48:26,678 error_handler: {\n"
		"  \"message\": {\n"
		"    \"message\": \"RendezvousConnectionError: The connection to the C10d store "
		"has failed. See inner exception for details.\",\n"
		"    \"extraInfo\": {\n",
		"nccl.error", "node-a", "connection to the C10d store has failed", "never came up",
		SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"Lightning-AI/pytorch-lightning 3029",
		"INFO 2026-11-27 02:47:18,490 Keep-alive key "
		"/torchelastic/p2p/run_mnist12/rdzv/v_4/rank_1 is not renewed.\n"
		"INFO 2026-11-27 02:47:18,490 Rendevous version 4 is incomplete.\n"
		"INFO 2026-11-27 02:47:18,490 Attempting to destroy it.\n"
		"INFO 2026-11-27 02:47:18,491 Destroyed rendezvous version 4 successfully.\n",
		NULL, NULL, NULL, NULL, SEV_OK, ROLE_SYMPTOM, NULL},
	{"huggingface/accelerate 157",
		"RuntimeError: NCCL communicator was aborted on rank 3.\n"
		"[E ProcessGroupNCCL.cpp:325] Some NCCL operations have failed or timed out. Due "
		"to the asynchronous nature of CUDA kernels, subsequent GPU operations might run "
		"on corrupted/incomplete data. To avoid this inconsistency, we are taking the "
		"entire process down.\n"
		"terminate called after throwing an instance of 'std::runtime_error'\n"
		"  what():  [Rank 5] Watchdog caught collective operation timeout: "
		"WorkNCCL(OpType=BROADCAST, Timeout(ms)=1800000) ran for 1801256 milliseconds "
		"before timing out.\n"
		"terminate called after throwing an instance of 'std::runtime_error'\n"
		"  what():  [Rank 3] Watchdog caught collective operation timeout: "
		"WorkNCCL(OpType=BROADCAST, Timeout(ms)=1800000) ran for 1801177 milliseconds "
		"before timing out.\n",
		"nccl.timeout", NULL, "gave up on Broadcast", NULL, SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"llm-d/llm-d 352",
		"ERROR 11-27 02:46:25 [v1/executor/multiproc_executor.py:597] RuntimeError: NCCL "
		"error: unhandled system error (run with NCCL_DEBUG=INFO for details)\n"
		"ERROR 11-27 02:46:25 [v1/executor/multiproc_executor.py:597] WorkerProc failed to "
		"start.\n"
		"ERROR 11-27 02:46:25 [v1/executor/multiproc_executor.py:597] Traceback (most "
		"recent call last):\n",
		"nccl.error", "node-a", "unhandled system error", NULL, SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	{"uxlfoundation/oneCCL 109",
		"[1795747958.879795729] node-a:rank1.cpu_allreduce_test: Reading from remote "
		"process' memory failed. Disabling CMA support\n"
		"node-a:rank1: Assertion failure at psm3/ptl_am/ptl.c:196: nbytes == "
		"req->req_data.recv_msglen\n",
		"nccl.error", "node-a", "Assertion failure", "rank 1", SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	{"NVIDIA/nccl 1052",
		"node-a:14159:14182 [0] transport/net_ib.cc:1295 NCCL WARN NET/IB : Got completion "
		"from peer 172.16.0.2<36914> with error 4, opcode 0, len 0, vendor err 81 (Send) "
		"localGid ::ffff:10.0.1.1 remoteGid ::ffff:10.0.1.2\n",
		"nccl.error", "node-a:mlx5_1", "status 4", NULL, SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"charmplusplus/charm 1738",
		"Charm++>ofi> exchanging addresses over OFI\n"
		"Error value: -11\n"
		"[0] Stack Traceback:\n"
		"  [0:0] CmiAbortHelper+0x4d  [0x527a7d]\n"
		"------- Partition 0 Processor 0 Exiting: Called CmiAbort ------\n"
		"Reason: OFI::LrtsInit::fi_tsend error\n",
		"nccl.error", "node-a", "fi_tsend error", NULL, SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"reger-men/HPL_GPU 20",
		"MPICH ERROR [Rank 0] [job id 208676.0] [Fri Nov 27 02:52:54 2026] [node-b] - "
		"Abort(1008846991) (rank 0 in comm 0): Fatal error in PMPI_Recv: Other MPI error, "
		"error stack:\n"
		"PMPI_Recv(177).................: MPI_Recv(buf=0x7f5a, count=1, MPI_INT) failed\n"
		"MPIDI_OFI_handle_cq_error(1059): OFI poll failed "
		"(ofi_events.c:1061:MPIDI_OFI_handle_cq_error:Message too long - OK)\n",
		"nccl.error", "node-b", "Fatal error in PMPI_Recv", "rank 0", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"reger-men/HPL_GPU 20, srun",
		"srun: error: node-b: task 1: Segmentation fault\n"
		"srun: launch/slurm: _step_signal: Terminating StepId=208676.0\n",
		"nccl.error", "node-b", "Segmentation fault", NULL, SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"rwth-i6/returnn 1621",
		"    return self._store.get(key)\n"
		"RuntimeError: Socket Timeout\n",
		"nccl.error", "node-a", "Socket Timeout", NULL, SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"pytorch/gloo 148",
		"    _default_pg = ProcessGroupGloo(store, rank, world_size)\n"
		"RuntimeError: Wait timeout\n",
		"nccl.error", "node-a", "Wait timeout", NULL, SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"NVIDIA/nccl 849",
		"RuntimeError: [Rank 0]: Ranks 4, 5, 6, 7 failed to pass monitoredBarrier in "
		"2000000 ms\n",
		"nccl.error", "node-a", "Ranks 4, 5, 6, 7 failed to pass", NULL, SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"Mellanox/network-operator 250",
		"time=\"2026-11-27T02:52:50Z\" level=info msg=\"Attemping to connect to remote "
		"hostengine at 172.16.0.1:5555\"\n"
		"time=\"2026-11-27T02:52:55Z\" level=fatal msg=\"Error connecting to "
		"nv-hostengine: Host engine connection invalid/disconnected\"\n",
		"nccl.error", "node-a", "Error connecting to nv-hostengine", NULL, SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"tianweiy/CenterPoint 224",
		"INFO:torch.distributed.elastic.agent.server.api:[default] Stopping worker group\n"
		"INFO:torch.distributed.elastic.agent.server.api:[default] Rendezvous'ing worker "
		"group\n"
		"INFO:torch.distributed.elastic.agent.server.api:[default] Rendezvous complete for "
		"workers. Result:\n"
		"  restart_count=3\n"
		"  master_addr=127.0.0.1\n",
		NULL, NULL, NULL, NULL, SEV_OK, ROLE_SYMPTOM, NULL},
	{"yifan123/flow_grpo 171",
		"[rank4]: . This may indicate a possible application crash on rank 0 or a network "
		"set up issue.\n",
		"nccl.error", "node-a", "possible application crash on rank 0", "rank 4", SEV_WARN,
		ROLE_RISK, NULL},
	{"NVIDIA/cloudai 720",
		"[ERROR] Job nccl-test failed: Missing success indicators in stdout.txt: \n"
		"'# Out of bounds values', '# Avg bus bandwidth'\n",
		"nccl.error", "node-a", "Job nccl-test failed", NULL, SEV_WARN, ROLE_SYMPTOM, NULL},
};

CASE(a_thirteenth_batch_of_reports)
{
	log_reports_read(NOW, thirteenth, sizeof(thirteenth) / sizeof(thirteenth[0]));
}

CASE(a_fourteenth_batch_of_reports)
{
	log_reports_read(NOW, fourteenth, sizeof(fourteenth) / sizeof(fourteenth[0]));
}

CASE(a_fifteenth_batch_of_reports)
{
	log_reports_read(NOW, fifteenth, sizeof(fifteenth) / sizeof(fifteenth[0]));
}

CASE(a_sixteenth_batch_of_reports)
{
	log_reports_read(NOW, sixteenth, sizeof(sixteenth) / sizeof(sixteenth[0]));
}

CASES_MAIN(NULL, NULL)
