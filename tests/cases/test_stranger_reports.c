/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports of the twenty-first batch on, which no reader was written for: see hosts.md. The reading
 * of each was written down before the first run.
 */
#include "base/clock.h"
#include "tests/cases/log_reports.h"
#include "tests/support/cases.h"

/* 2026-11-27 02:53:20 UTC */
#define NOW (INT64_C(1795748000) * CLOCK_SEC)

static const struct log_report twenty_first[] = {
	{"ModelTC/LightLLM 1470",
		"E1127 02:53:05.113201  4711 nixl_agent.cpp:1012] genNotif: backend 'UCX' returned "
		"error status NIXL_ERR_REMOTE_DISCONNECT\n"
		"Traceback (most recent call last):\n"
		"  File \"/x/lightllm/pd_io/nixl_kv_transporter.py\", line 214, in send_notify\n"
		"    self.nixl_agent.send_notif(name, msg)\n"
		"nixl_cu13._bindings.nixlRemoteDisconnectError: NIXL_ERR_REMOTE_DISCONNECT\n"
		"WARNING prefill_agent_name 7f01_2 not exist\n",
		"nccl.error", "node-a", "NIXL_ERR_REMOTE_DISCONNECT", "consequence", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"vllm-project/vllm 19045",
		"(VllmWorker rank=1 pid=13853) ERROR 11-27 02:53:06 [multiproc_executor.py:435] "
		"RuntimeError: [/pytorch/third_party/gloo/gloo/transport/tcp/unbound_buffer.cc:81] "
		"Timed out waiting 1800000ms for recv operation to complete\n"
		"[rank0]:[W1127 02:53:07.314516079 ProcessGroupNCCL.cpp:1496] Warning: WARNING: "
		"destroy_process_group() was not called before program exit, which can leak "
		"resources. For more info, please see "
		"https://pytorch.org/docs/stable/distributed.html#shutdown (function operator())\n"
		"ERROR 11-27 02:53:09 [core.py:396] EngineCore failed to start.\n",
		"nccl.error", "node-a", "Timed out waiting 1800000ms for recv", "did not arrive",
		SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"vllm-project/vllm 9321",
		"(VllmWorkerProcess pid=3106) WARNING 11-27 02:43:02 shm_broadcast.py:396] No "
		"available block found in 60 second. \n"
		"(VllmWorkerProcess pid=3108) WARNING 11-27 02:43:02 shm_broadcast.py:396] No "
		"available block found in 60 second. \n"
		"[rank3]:[E1127 02:53:02.267261276 ProcessGroupNCCL.cpp:607] [Rank 3] Watchdog "
		"caught collective operation timeout: WorkNCCL(SeqNum=203441, OpType=GATHER, "
		"NumelIn=32064, NumelOut=0, Timeout(ms)=600000) ran for 600020 milliseconds before "
		"timing out.\n"
		"[rank3]:[E1127 02:53:02.268214341 ProcessGroupNCCL.cpp:1664] [PG 3 Rank 3] "
		"Exception (either an error or timeout) detected by watchdog at work: 203441, last "
		"enqueued NCCL work: 203441, last completed NCCL work: 203440.\n",
		"nccl.timeout", NULL, "gave up on Gather 203441", NULL, SEV_CRIT, ROLE_SYMPTOM,
		"data parallel"},
	{"vllm-project/vllm 6650",
		"W1127 02:52:00.704000 140269336518656 torch/distributed/run.py:757] Setting "
		"OMP_NUM_THREADS environment variable for each process to be 1 in default, to "
		"avoid your system being overloaded\n"
		"[E socket.cpp:957] [c10d] The client socket has timed out after 60s while trying "
		"to connect to (172.16.0.2, 29400).\n"
		"Traceback (most recent call last):\n"
		"  File \"/x/torch/distributed/elastic/rendezvous/c10d_rendezvous_backend.py\", "
		"line 157, in _create_tcp_store\n"
		"torch.distributed.DistNetworkError: The client socket has timed out after 60s "
		"while trying to connect to (172.16.0.2, 29400).\n",
		"nccl.error", "node-a", "client socket has timed out", "172.16.0.2", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"NVIDIA/nccl 1338",
		"node-a:242431:242479 [5] transport/nvls.cc:158 NCCL WARN Cuda failure 1 'invalid "
		"argument'\n"
		"\n"
		"node-a:242431:242475 [1] transport/nvls.cc:158 NCCL WARN Cuda failure 1 'invalid "
		"argument'\n"
		"node-a:242431:242475 [1] NCCL INFO transport/nvls.cc:330 -> 1\n"
		"node-a:242431:242475 [1] NCCL INFO init.cc:1277 -> 1\n"
		"\n"
		"node-a:242431:242477 [3] transport/nvls.cc:158 NCCL WARN Cuda failure 1 'invalid "
		"argument'\n"
		"node-a:242431:242475 [1] NCCL INFO group.cc:64 -> 1 [Async thread]\n",
		"nccl.error", "node-a", "Cuda failure 1", "not the network", SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	{"huggingface/optimum-habana 505",
		"(RayTrainWorker pid=19045) [2026-11-27 02:53:09,227 E 19045 21937] logging.cc:97: "
		"Unhandled exception: N3c105ErrorE. what(): Collective call returned error\n"
		"(RayTrainWorker pid=19045) Exception raised from operator() at "
		"/npu-stack/pytorch-integration/python_packages/habana_frameworks/torch/"
		"distributed/hccl/process_group_hccl_base.cpp:286 (most recent call first):\n"
		"(RayTrainWorker pid=19045) frame #0: c10::Error::Error(c10::SourceLocation, "
		"std::string) + 0x6c (0x7f)\n",
		"nccl.error", "node-a", "Collective call returned error", NULL, SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"huggingface/optimum-habana 1779",
		"172.16.0.2: [rank14]: Traceback (most recent call last):\n"
		"172.16.0.2: [rank14]:   File "
		"\"/usr/local/lib/python3.10/dist-packages/torch/distributed/"
		"distributed_c10d.py\", line 2425, in broadcast\n"
		"172.16.0.2: [rank14]:     work = default_pg.broadcast([tensor], opts)\n"
		"172.16.0.2: [rank14]: RuntimeError: Graph compile failed. synStatus=synStatus 26 "
		"[Generic failure].\n",
		"nccl.error", "node-b", "Graph compile failed", NULL, SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"hafs-community/HAFS 101",
		"slurmstepd: error: Detected 1 oom-kill event(s) in step 3495064.0 cgroup. Some of "
		"your processes may have been killed by the cgroup out-of-memory handler.\n"
		"srun: error: node-b: task 4: Out Of Memory\n"
		"srun: Terminating job step 3495064.0\n"
		"slurmstepd: error: *** STEP 3495064.0 ON node-a CANCELLED AT 2026-11-27T02:53:06 "
		"***\n",
		"nccl.error", "node-b", "Out Of Memory", NULL, SEV_CRIT, ROLE_SYMPTOM,
		"a process on node-a"},
	{"hafs-community/HAFS 101, its second log",
		"srun: error: node-b: task 289: Bus error\n"
		"srun: Terminating job step 3495450.0\n"
		"slurmstepd: error: *** STEP 3495450.0 ON node-a CANCELLED AT 2026-11-27T02:53:06 "
		"***\n",
		"nccl.error", "node-b", "Bus error", NULL, SEV_CRIT, ROLE_SYMPTOM, "node-a"},
	{"NVIDIA/Megatron-LM 1207",
		"[rank1]:[E1127 02:53:06.267261276 ProcessGroupNCCL.cpp:563] [Rank 1] Watchdog "
		"caught collective operation timeout: WorkNCCL(SeqNum=5, OpType=ALLREDUCE, "
		"NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600013 milliseconds before "
		"timing out.\n",
		"nccl.timeout", NULL, "gave up on AllReduce 5", "few elements", SEV_CRIT,
		ROLE_SYMPTOM, "data parallel"},
	{"instructlab/training 520",
		"terminate called after throwing an instance of 'c10::DistBackendError'\n"
		"  what():  [PG ID 0 PG GUID 0(default_pg) Rank 3] Process group watchdog thread "
		"terminated with exception: [Rank 3] Watchdog caught collective operation timeout: "
		"WorkNCCL(SeqNum=1, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=1) ran "
		"for 90 milliseconds before timing out.\n"
		"Exception raised from checkTimeout at "
		"/pytorch/torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:632 (most recent call "
		"first):\n",
		"nccl.timeout", NULL, "gave up on AllReduce 1", "few elements", SEV_CRIT,
		ROLE_SYMPTOM, "data parallel"},
	{"pytorch/torchtitan 810",
		"[rank0]:  what():  [PG ID 0 PG GUID 0(default_pg) Rank 4] Process group watchdog "
		"thread terminated with exception: [Rank 4] Watchdog caught collective operation "
		"timeout: WorkNCCL(SeqNum=49120, OpType=_ALLGATHER_BASE, NumelIn=16416832, "
		"NumelOut=1050677248, Timeout(ms)=300000) ran for 300015 milliseconds before "
		"timing out.\n"
		"[rank0]:Exception raised from checkTimeout at "
		"/pytorch/torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:632 (most recent call "
		"first):\n"
		"[rank0]:frame #0: c10::Error::Error(c10::SourceLocation, std::string) + 0x96 "
		"(0x15)\n",
		"nccl.timeout", NULL, "gave up on AllGather 49120", "1 rank (4)", SEV_CRIT,
		ROLE_SYMPTOM, "rank 0 "},
	{"awslabs/awsome-distributed-ai 868",
		"ssh: Could not resolve hostname nccl-tests-worker-3.nccl-tests.default.svc: Name "
		"or service not known\n"
		"--------------------------------------------------------------------------\n"
		"ORTE was unable to reliably start one or more daemons.\n"
		"This usually is caused by:\n"
		"* not finding the required libraries and/or binaries on\n"
		"  one or more nodes. Please check your PATH and LD_LIBRARY_PATH\n"
		"--------------------------------------------------------------------------\n",
		"nccl.error", "node-a", "Could not resolve hostname", "nccl-tests-worker-3",
		SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"NVIDIA/nccl 1597",
		" .. node-a pid 6831: Test failure common.cu:893\n"
		"\n"
		"node-a:6831:6848 [0] nccl_net_ofi_closeSend:816 NCCL WARN NET/OFI Invalid "
		"communicator object provided\n"
		"node-a:6831:6848 [0] NCCL INFO transport/net.cc:985 -> 3\n"
		"--------------------------------------------------------------------------\n"
		"mpirun detected that one or more processes exited with non-zero status, thus "
		"causing\n"
		"the job to be terminated. The first process to do so was:\n"
		"\n"
		"  Process name: [[25545,1],0]\n"
		"  Exit code:    3\n"
		"--------------------------------------------------------------------------\n",
		"nccl.error", "node-a", "Invalid communicator object", NULL, SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	{"aws/aws-ofi-nccl 156",
		"[1,13]<stdout>:node-a:35:89 [5] ofi_process_cq:1039 NCCL WARN NET/OFI Request "
		"0x7fbb944701b8 completed with error. RC: 20. Error: unknown error. Completed "
		"length: 0, Request: { buffer_index: 255, dev: 1, size: 0, state: CREATED, "
		"direction: SEND }\n"
		"[1,13]<stderr>:libfabric:35:1795747985::efa:cq:rxr_cq_write_tx_error():243<warn> "
		"rxr_cq_write_tx_error: err: 20, prov_err: Not a directory (20)\n",
		"nccl.error", "node-a", "RC 20", NULL, SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"aws/aws-k8s-tester 524",
		"[1,28]<stdout>:node-b:25:584 [4] NCCL INFO proxy.cc:996 -> 3\n"
		"[1,16]<stdout>:node-a:21:585 [0] NCCL INFO [Service thread] Connection closed by "
		"localRank 1\n"
		"[1,16]<stdout>:\n"
		"[1,16]<stdout>:node-a:21:585 [0] recv_close:3201 NCCL WARN NET/OFI Attempt to "
		"call recv_close with outstanding requests!\n"
		"[1,16]<stdout>:node-a:21:585 [0] NCCL INFO transport/net.cc:1015 -> 3\n"
		"[1,16]<stdout>:node-a:21:666 [0] NCCL INFO comm 0x5585418196c0 rank 16 nranks 32 "
		"cudaDev 0 busId 53000 - Abort COMPLETE\n",
		"nccl.error", "node-a", "recv_close with outstanding requests", "consequence",
		SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"openucx/ucx 6669",
		"[node-a:27251:0:27251] ib_mlx5_log.c:143  Transport retry count exceeded on "
		"mlx5_0:1/IB (synd 0x15 vend 0x81 hw_synd 0/0)\n"
		"[node-a:27251:0:27251] ib_mlx5_log.c:143  DCI QP 0x10f3a wqe[446]: SEND s-e [rqpn "
		"0x32ca rlid 19352] [inl len 20]\n"
		"[node-b:30536:0:30536] ib_mlx5_log.c:143  Transport retry count exceeded on "
		"mlx5_0:1/IB (synd 0x15 vend 0x81 hw_synd 0/0)\n"
		"[node-b:30536:0:30536] ib_mlx5_log.c:143  DCI QP 0x17c58 wqe[384]: SEND s-e [rqpn "
		"0x32ca rlid 19352] [inl len 20]\n",
		"nccl.error", "node-a:mlx5_0", "status 12", "19352", SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"RobinWu218/SimDINO 15",
		"[E1127 02:53:10.528865173 ProcessGroupGloo.cpp:143] Gloo connectFullMesh failed "
		"with [../third_party/gloo/gloo/transport/tcp/pair.cc:144] no error\n"
		"submitit ERROR (2026-11-27 02:53:10,554) - Submitted job triggered an exception\n",
		"nccl.error", "node-a", "connectFullMesh failed", "never came up", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"DeepAuto-AI/hip-attention 59",
		"[rank4]:[E1127 02:53:08.764490322 ProcessGroupGloo.cpp:143] Gloo connectFullMesh "
		"failed with [../third_party/gloo/gloo/transport/tcp/pair.cc:144] no error\n"
		"[rank6]:[E1127 02:53:08.764515994 ProcessGroupGloo.cpp:143] Gloo connectFullMesh "
		"failed with [../third_party/gloo/gloo/transport/tcp/pair.cc:144] no error\n"
		"[2026-11-27 02:53:09 TP4] Scheduler hit an exception: Traceback (most recent call "
		"last):\n"
		"  File \"/x/sglang/srt/managers/scheduler.py\", line 2059, in "
		"run_scheduler_process\n",
		"nccl.error", "node-a", "connectFullMesh failed", "2 processes", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"hiyouga/LlamaFactory 6953",
		"[rank144]:[E ProcessGroupNCCL.cpp:1316] [PG 0 Rank 144] Heartbeat monitor timed "
		"out! Process will be terminated after dumping debug info. workMetaList_.size()=1\n"
		"[rank144]:[E ProcessGroupNCCL.cpp:1153] [PG 0 Rank 144] ProcessGroupNCCL "
		"preparing to dump debug info.\n"
		"[rank144]:[F ProcessGroupNCCL.cpp:1169] [PG 0 Rank 144] [PG 0 Rank 144] "
		"ProcessGroupNCCL's watchdog got stuck for 600 seconds without making progress in "
		"monitoring enqueued collectives. This typically indicates a NCCL/CUDA API hang "
		"blocking the watchdog.\n"
		"W1127 02:53:04.104644 139999514572608 "
		"torch/distributed/elastic/multiprocessing/api.py:897] Sending process 117 closing "
		"signal SIGTERM\n",
		"nccl.mismatch", "rank job-pg0/144", "its watchdog hangs", NULL, SEV_CRIT,
		ROLE_CULPRIT, NULL},
	{"NVIDIA/nccl 302",
		"[155] node-a:5330:7970 [3] NCCL INFO Ring 01 : 2[b2000] -> 5[3d000] [receive] via "
		"NET/IB/3\n"
		"[155]\n"
		"[155] node-a:5330:7970 [3] misc/ibvwrap.cc:284 NCCL WARN Call to ibv_modify_qp "
		"failed with error Invalid argument\n"
		"[155] node-a:5330:7970 [3] NCCL INFO transport/net_ib.cc:368 -> 2\n",
		"nccl.error", "node-a", "ibv_modify_qp: Invalid argument", "a setting of this host",
		SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"vllm-project/vllm 32031",
		"ERROR 11-27 02:53:09 [nixl_connector.py:1198] NIXL transfer failure: "
		"transfer_setup_failed. Marking blocks as invalid | Context: {'failure_type': "
		"'transfer_setup_failed', 'request_id': 'r1', 'engine_id': 'dcbcfdf6', "
		"'remote_engine_id': 'remote_engine', 'remote_request_id': 'prefill-r1', "
		"'remote_host': '172.16.0.2', 'remote_port': 1234, 'num_local_blocks': 3, "
		"'remote_rank': 0}\n",
		"nccl.error", "node-a", "transfer_setup_failed", "172.16.0.2", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"deepseek-ai/DeepEP 411",
		"[rank4]:[E1127 02:53:03.863594849 ProcessGroupNCCL.cpp:685] [Rank 4] Some NCCL "
		"operations have failed or timed out. Due to the asynchronous nature of CUDA "
		"kernels, subsequent GPU operations might run on corrupted/incomplete data.\n"
		"[rank4]:[E1127 02:53:03.866564418 ProcessGroupNCCL.cpp:1917] [PG ID 1 PG GUID 1 "
		"Rank 4] Process group watchdog thread terminated with exception: [Rank 4] "
		"Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1, "
		"OpType=ALLGATHER, NumelIn=1, NumelOut=16, Timeout(ms)=600000) ran for 600074 "
		"milliseconds before timing out.\n",
		"nccl.timeout", NULL, "gave up on AllGather 1", "1 rank (4)", SEV_CRIT,
		ROLE_SYMPTOM, "data parallel"},
	{"NVIDIA/nccl 1219",
		"[node-a:1:28576 unique id 1201360626793454896] ERROR collect_ports_data: device "
		"mlx5_0 port 1 is not valid (port is used by SM)\n"
		"[node-a:1:28576 unique id 1201360626793454896] ERROR collect_ports_data: failed "
		"to find valid ports\n"
		"[node-a:1:28576 unique id 1201360626793454896] ERROR sharp_get_local_data: error "
		"retrieving local data for process number 1\n"
		"[node-a:1:28576 - context.c:415] ERROR sharp_get_local_data failed: Cannot "
		"connect to SHArPD(-8)\n",
		"nccl.error", "node-a:mlx5_0", "port 1 is not valid", "without it", SEV_WARN,
		ROLE_SYMPTOM, NULL},
	{"Mellanox/nccl-rdma-sharp-plugins 151",
		"node-b:19373:19491 [3] NCCL INFO Sharp rank 1/2 initialized on mlx5_5:1\n"
		"node-a:24972:25066 [3] NCCL INFO Sharp rank 0/2 initialized on mlx5_5:1\n"
		"[node-a:0:24972 - comm.c:374] ERROR Failed to lock SAT tree(ID:0x40 ret:0x4)\n"
		"[node-b:1:19373 - comm.c:370] ERROR Failed to lock SAT tree(ID:0x40 ret:0x4)\n"
		"\n"
		"node-b:19373:19491 [3] sharp_plugin.c:302 NCCL WARN SHARP group create: Streaming "
		"Tree lock failed (-18)\n"
		"node-a:24972:25066 [3] sharp_plugin.c:302 NCCL WARN SHARP group create: Streaming "
		"Tree lock failed (-18)\n",
		"nccl.error", "node-b", "lock", NULL, SEV_WARN, ROLE_SYMPTOM, NULL},
	{"NVIDIA/nccl 1460",
		"[node-a][Nov 27 02:53:04 847428][GENERAL][3745742][warn ] - Begin job id: "
		"9370583446459220315 failed with status: No resource\n"
		"[node-a:0:3745196 unique id 9370583446459220315][2026-11-27 02:53:04] ERROR Job "
		"error in sharp_get_job_data_len.\n"
		"\n"
		"[node-a:0:3745196 - context.c:709][2026-11-27 02:53:04] ERROR "
		"sharp_get_job_data_len failed: Job error(-35)\n",
		"nccl.error", "node-a", "failed with status", "without it", SEV_WARN, ROLE_SYMPTOM,
		NULL},
	{"MoonshotAI/checkpoint-engine 1",
		"I1127 02:53:07.181541  3746 transfer_engine.cpp:200] Topology discovery complete. "
		"Found 1 HCAs.\n"
		"W1127 02:53:07.204383  3746 rdma_context.cpp:433] Device mlx5_3 port not active\n"
		"E1127 02:53:07.204720  3746 rdma_context.cpp:70] Failed to open device mlx5_3 on "
		"port  with GID 0\n"
		"W1127 02:53:07.204730  3746 rdma_transport.cpp:420] Disable device mlx5_3\n"
		"E1127 02:53:07.204734  3746 rdma_transport.cpp:426] RdmaTransport: No available "
		"RNIC\n"
		"E1127 02:53:07.204737  3746 rdma_transport.cpp:60] RdmaTransport: cannot "
		"initialize RDMA resources\n",
		"nccl.error", "node-a:mlx5_3", "its port is not active",
		"the port of this NIC is down", SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"xorbitsai/inference 4421",
		"[rank1]:[W1127 02:53:08.480071392 ProcessGroupNCCL.cpp:1662] [PG ID 0 PG GUID 0 "
		"Rank 1] Failed to check the \"should dump\" flag on TCPStore, (maybe TCPStore "
		"server has shut down too early), with error: Broken pipe\n"
		"[rank1]:[W1127 02:53:08.558655037 TCPStore.cpp:106] [c10d] sendBytes failed on "
		"SocketImpl(fd=67, addr=[bogon]:36214, remote=[bogon]:43145): Broken pipe\n"
		"Exception raised from sendBytes at "
		"/pytorch/torch/csrc/distributed/c10d/Utils.hpp:653 (most recent call first):\n",
		"nccl.error", NULL, "Broken pipe", "consequence", SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"gpustack/gpustack 6019",
		"[rank6]:[W1127 02:53:02.476575918 TCPStore.cpp:125] [c10d] recvValue failed on "
		"SocketImpl(fd=101, addr=[node-a]:50402, remote=[node-b]:40027): Failed to recv, "
		"got 0 bytes. Connection was likely closed. Did the remote server shutdown or "
		"crash?\n"
		"Exception raised from recvBytes at "
		"/pytorch/torch/csrc/distributed/c10d/Utils.hpp:682 (most recent call first):\n",
		"nccl.error", "node-a", "got 0 bytes", "node-b", SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"sgl-project/sglang 10560",
		"[2026-11-27 02:53:12 TP0] Decode transfer failed for request rank=0 "
		"decode_req.req.rid='3ce8' decode_req.req.bootstrap_room=165 with exception "
		"KVTransferError(bootstrap_room=165): Failed to get kvcache from prefill instance, "
		"it might be dead\n"
		"[2026-11-27 02:53:13 TP1] Decode transfer failed for request rank=1 "
		"decode_req.req.rid='3ce8' decode_req.req.bootstrap_room=165 with exception "
		"KVTransferError(bootstrap_room=165): Failed due to an unknown reason from another "
		"rank\n"
		"[2026-11-27 02:53:13 TP2] Decode transfer failed for request rank=2 "
		"decode_req.req.rid='3ce8' decode_req.req.bootstrap_room=165 with exception "
		"KVTransferError(bootstrap_room=165): Failed due to an unknown reason from another "
		"rank\n",
		"nccl.error", "node-a", "Failed to get kvcache from prefill instance",
		"the other instance", SEV_WARN, ROLE_SYMPTOM, NULL},
	{"sgl-project/sglang 12688",
		"[2026-11-27 02:53:09 TP0] Decode transfer failed for request rank=0 "
		"decode_req.req.rid='78fd' decode_req.req.bootstrap_room=479 with exception "
		"KVTransferError(bootstrap_room=479): Aborted by AbortReq.\n"
		"[2026-11-27 02:53:09 TP2] Decode transfer failed for request rank=2 "
		"decode_req.req.rid='78fd' decode_req.req.bootstrap_room=479 with exception "
		"KVTransferError(bootstrap_room=479): Aborted by AbortReq.\n",
		NULL, NULL, NULL, NULL, SEV_OK, ROLE_SYMPTOM, NULL},
	{"Oneflow-Inc/oneflow 9115",
		"W20261127 02:53:05.086185 3492934 env_global_objects_scope.cpp:279] Skip init "
		"RDMA because RDMA is unavailable!\n"
		"F20261127 02:53:09.682257 3493300 eager_nccl_comm_manager.cpp:77] Check failed: "
		"ncclCommInitRank(comm, device_vec.size(), nccl_unique_id, rank) : unhandled "
		"system error (2). To see more detail, please run OneFlow with system variable "
		"NCCL_DEBUG=INFO\n",
		"nccl.error", "node-a", "unhandled system error", NULL, SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	{"tensorflow/tensorflow 9926",
		"2026-11-27 02:53:01.592456: I tensorflow/contrib/verbs/rdma.cc:519] channel "
		"already connected\n"
		"2026-11-27 02:53:09.948398: F tensorflow/contrib/verbs/rdma.cc:130] Check failed: "
		"wc_[i].status == IBV_WC_SUCCESS Failed status \n"
		"transport retry counter exceeded 12 -1516 129\n",
		"nccl.error", "node-a", "status 12", NULL, SEV_CRIT, ROLE_SYMPTOM, NULL},
};

CASE(logs_of_a_twenty_first_batch)
{
	log_reports_read(NOW, twenty_first, sizeof(twenty_first) / sizeof(twenty_first[0]));
}

/* The twenty-second, on the readers of the twenty-first. */
static const struct log_report twenty_second[] = {
	{"TaiMingLu/Della-Manual 2",
		"[rank0]: torch.distributed.DistBackendError: NCCL error in: "
		"/pytorch/torch/csrc/distributed/c10d/NCCLUtils.hpp:268, unhandled system error "
		"(run with NCCL_DEBUG=INFO for details), NCCL version 2.21.5\n"
		"[rank0]: ncclSystemError: System call (e.g. socket, malloc) or external library "
		"call failed or device error. \n"
		"[rank0]: Last error:\n"
		"[rank0]: socketStartConnect: Connect to 172.16.0.2<45763> failed : Software "
		"caused connection abort\n",
		"nccl.error", "node-a", "socketStartConnect", "never came up", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"hiyouga/EasyR1 300",
		"(raylet) [2026-11-27 02:52:55,287 E 976 1012] (raylet) "
		"file_system_monitor.cc:116: /tmp/ray/session_2026-11-27 is over 95% full, "
		"available space: 2.03779 GB; capacity: 69.9336 GB. Object creation will fail if "
		"spilling is required.\n"
		"ray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this "
		"task.\n"
		"        class_name: create_colocated_worker_cls.<locals>.WorkerDict\n"
		"        actor_id: 5a616638af50978893b829aa02000000\n"
		"        pid: 1009098\n"
		"        name: A42qOCWorkerDict_0:1\n"
		"        namespace: 72cc05c9-83ea-4daa-82b9-827ef180c315\n"
		"        ip: 172.16.0.2\n"
		"The actor is dead because its worker process has died. Worker exit type: "
		"SYSTEM_ERROR Worker exit detail: Worker unexpectedly exits with a connection "
		"error code 2. End of file.\n",
		"nccl.error", "node-b", "actor died", "1009098", SEV_CRIT, ROLE_SYMPTOM,
		"on node-a"},
	{"ray-project/ray 3628",
		"The node with client ID 581656f84659be9bba58da993729644cfb554836 has been marked "
		"dead because the monitor has missed too many heartbeats from it.\n"
		"Traceback (most recent call last):\n"
		"  File \"mnist_main.py\", line 154, in <module>\n"
		"ray.worker.RayGetError: Could not get objectid "
		"ObjectID(0100000008623a3fd1946a9132866d6f6113876e). It was created by remote "
		"function <unknown> which failed with:\n",
		"nccl.error", NULL, "marked dead", "not named here", SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"open-mpi/ompi 3573",
		"[node-a:23686] mca: base: close: unloading component openib\n"
		"--------------------------------------------------------------------------\n"
		"At least one pair of MPI processes are unable to reach each other for\n"
		"MPI communications.  This means that no Open MPI device has indicated\n"
		"that it can be used to communicate between these processes.  This is\n"
		"an error; Open MPI requires that all MPI processes be able to reach\n"
		"each other.\n"
		"\n"
		"  Process 1 ([[18551,1],1]) is on host: node-b\n"
		"  Process 2 ([[18551,1],0]) is on host: node-a\n"
		"  BTLs attempted: self\n"
		"\n"
		"Your MPI job is now going to abort; sorry.\n"
		"--------------------------------------------------------------------------\n"
		"[node-b:20880] *** An error occurred in MPI_Barrier\n"
		"[node-b:20880] *** reported by process [1215758337,1]\n"
		"[node-b:20880] *** MPI_ERR_INTERN: internal error\n",
		"nccl.error", "node-a", "unable to reach each other", "node-b", SEV_CRIT,
		ROLE_SYMPTOM, "process 1 on"},
	{"open-mpi/ompi 11236",
		"--------------------------------------------------------------------------\n"
		"Failed to create a queue pair (QP):\n"
		"\n"
		"Hostname: node-b\n"
		"Requested max number of outstanding WRs in the SQ:                1\n"
		"Requested max number of SGEs in a WR in the SQ:                   2048\n"
		"Error:    Operation not supported\n"
		"\n"
		"Check requested attributes.\n"
		"--------------------------------------------------------------------------\n"
		"--------------------------------------------------------------------------\n"
		"Open MPI has detected that there are UD-capable Verbs devices on your\n"
		"system, but none of them were able to be setup properly.  This may\n"
		"indicate a problem on this system.\n"
		"\n"
		"You job will continue, but Open MPI will ignore the \"ud\" oob component\n"
		"in this run.\n"
		"\n"
		"Hostname: node-b\n"
		"--------------------------------------------------------------------------\n",
		"nccl.error", "node-b", "queue pair", NULL, SEV_CRIT, ROLE_SYMPTOM, "node-a"},
	{"open-mpi/ompi 5047",
		"[node-a][[23456,1],3][btl_openib_component.c:3644:handle_wc] from node-a to: "
		"node-b error polling LP CQ with status REMOTE ACCESS ERROR status number 10 for "
		"wr_id 7f5b28 opcode 2  vendor error 136 qp_idx 3\n",
		"nccl.error", "node-a", "status 10", "node-b", SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"openucx/ucx 5318",
		"local QP operation err (QPN 350406, WQE @ 00000883, CQN 9b0083, index 153)\n"
		"  [ 0] 00350406\n"
		"  [ 4] 00000000\n"
		"  [10] 02702711\n"
		"  [1c] ff100000\n"
		"[node-a:26540:0:26540] rc_verbs_iface.c:65   send completion with error: local QP "
		"operation error qpn 0x350406 wrid 0x38 vendor_err 0x70\n",
		"nccl.error", "node-a", "status 2", NULL, SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"openucx/ucx 10755",
		"[node-a:81234:0:81234] ib_mlx5_log.c:177  Remote operation error on mlx5_0:1/IB "
		"(synd 0x14 vend 0x89 hw_synd 0/0)\n"
		"[node-a:81234:0:81234] ib_mlx5_log.c:177  RC QP 0x7fba wqe[266]: RDMA_READ s-- "
		"[rva 0x7f rkey 0x2911] [va 0x7e len 586 lkey 0x2911] [rqpn 0xfec4 dlid=485 sl=0 "
		"port=1 src_path_bits=0]\n",
		"nccl.error", "node-a:mlx5_0", "status 11", "485", SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"ovis-hpc/ldms 124",
		"Fri Nov 27 02:53:02 2026: INFO      : z_rdma_listen: rdma_create_event_channel "
		"failed. zerr 7\n"
		"Fri Nov 27 02:53:02 2026: ERROR     : Error 7 listening on the 'rdma' transport.\n"
		"Fri Nov 27 02:53:02 2026: CRITICAL  : LDMSD_ LDMS Daemon exiting...status 7, "
		"error listening on transport\n",
		"nccl.error", "node-a", "listening on", NULL, SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"pytorch/pytorch 128680",
		"[rank1]:[E1127 02:53:03.086670611 ProcessGroupNCCL.cpp:1319] [PG 0 Rank 1] Failed "
		"to get exception dump flag from the global store.Connection reset by peer\n"
		"Exception raised from recvBytes at /x/torch/csrc/distributed/c10d/Utils.hpp:669 "
		"(most recent call first):\n"
		"frame #0: <unknown function> + 0x121eb6 (0x7f1d54e02eb6 in /x/libc10.so)\n",
		"nccl.error", NULL, "reset by peer", "consequence", SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"modal-labs/modal-examples 1558",
		"Nov 27  02:53:03.739\n"
		"[rank0]:[W1127 02:53:03.395368149 ProcessGroupNCCL.cpp:1771] [PG ID 0 PG GUID 0 "
		"Rank 0] Failed to check the \"should dump\" flag on TCPStore, (maybe TCPStore "
		"server has shut down too early), with error: Broken pipe\n"
		"Nov 27  02:53:04.744\n"
		"[rank0]:[W1127 02:53:04.395619793 TCPStore.cpp:106] [c10d] sendBytes failed on "
		"SocketImpl(fd=62, addr=[::ffff:172.16.0.1]:54761, "
		"remote=[::ffff:172.16.0.1]:46989): Broken pipe\n",
		"nccl.error", "node-a", "Broken pipe", "consequence", SEV_CRIT, ROLE_SYMPTOM,
		"node-b"},
	{"vllm-project/vllm 25650",
		"[rank1]:[E1127 02:53:04.024673860 ProcessGroupNCCL.cpp:2068] [PG ID 2 PG GUID 3 "
		"Rank 1] Process group watchdog thread terminated with exception: CUDA error: an "
		"illegal memory access was encountered\n"
		"[rank2]:[W1127 02:53:09.685569373 ProcessGroupNCCL.cpp:1783] [PG ID 0 PG GUID 0 "
		"Rank 2] Failed to check the \"should dump\" flag on TCPStore, (maybe TCPStore "
		"server has shut down too early), with error: Broken pipe\n",
		"nccl.error", NULL, "illegal memory access", "not the network", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"NVIDIA/nccl 447",
		"[2026-11-27T02:51:27.540] error: Domain socket directory /var/spool/slurmd: No "
		"such file or directory\n"
		"[2026-11-27T02:51:27.552] error: Node configuration differs from hardware: "
		"Procs=16:16(hw) Boards=1:1(hw) SocketsPerBoard=16:1(hw) CoresPerSocket=1:8(hw) "
		"ThreadsPerCore=1:2(hw)\n"
		"[2026-11-27T02:51:27.642] slurmd started on Fri, 27 Nov 2026 02:51:27 +0000\n",
		"nccl.error", "node-a", "No such file or directory", NULL, SEV_WARN, ROLE_RISK,
		NULL},
	{"NVIDIA/Megatron-LM 386",
		"Traceback (most recent call last):\n"
		"  File \"pretrain_gpt.py\", line 110, in <module>\n"
		"    torch.distributed.barrier()\n"
		"RuntimeError: [3] is setting up NCCL communicator and retreiving ncclUniqueId "
		"from [0] via c10d key-value store by store->get('0'), but store->get('0') got "
		"error: Socket Timeout\n"
		"Exception raised from recvBytes at ../torch/csrc/distributed/c10d/Utils.hpp:580 "
		"(most recent call first):\n",
		"nccl.error", "node-a", "ncclUniqueId", "never came up", SEV_CRIT, ROLE_SYMPTOM,
		NULL},
};

CASE(logs_of_a_twenty_second_batch)
{
	log_reports_read(NOW, twenty_second, sizeof(twenty_second) / sizeof(twenty_second[0]));
}

#define GAVE_UP(group, func, in)                                                                   \
	"[rank5]:[E1127 02:53:03.866564418 ProcessGroupNCCL.cpp:1917] [PG ID 3 PG GUID 9" group    \
	" Rank 1] Process group watchdog thread terminated with exception: [Rank 5] Watchdog "     \
	"caught collective operation timeout: WorkNCCL(SeqNum=7, OpType=" func ", NumelIn=" in     \
	", NumelOut=" in ", Timeout(ms)=600000) ran for 600074 milliseconds before timing out.\n"

/* The name of a group tells its purpose; a function alone does not: sgl-project/sglang 3836. */
static const struct log_report purposes[] = {
	{"a named group", GAVE_UP("(EXPERT_MODEL_PARALLEL_GROUP)", "ALLTOALL_BASE", "7340032"),
		"nccl.timeout", NULL, "gave up on AlltoAll 7", "experts, by its group's name",
		SEV_CRIT, ROLE_SYMPTOM, "data parallel"},
	{"sgl-project/sglang 3836", GAVE_UP("", "ALLREDUCE", "7340032"), "nccl.timeout", NULL,
		"gave up on AllReduce 7", NULL, SEV_CRIT, ROLE_SYMPTOM, "data parallel"},
	{"a loss", GAVE_UP("(DATA_PARALLEL_GROUP)", "ALLREDUCE", "1"), "nccl.timeout", NULL,
		"gave up on AllReduce 7", "few elements", SEV_CRIT, ROLE_SYMPTOM, NULL},
};

CASE(purposes_of_operations_that_a_watchdog_gave_up_on)
{
	log_reports_read(NOW, purposes, sizeof(purposes) / sizeof(purposes[0]));
}

CASES_MAIN(NULL, NULL)
