/* SPDX-License-Identifier: Apache-2.0 */
/* The seventeenth and later batches of searched reports: see hosts.md. As in test_late_reports.
 */
#include "base/clock.h"
#include "tests/cases/job_hosts.h"
#include "tests/cases/log_reports.h"
#include "tests/support/cases.h"

/* 2026-11-27 02:53:20 UTC */
#define NOW (INT64_C(1795748000) * CLOCK_SEC)

static const struct log_report seventeenth[] = {
	{"spdk/spdk 1290",
		"nvme_qpair.c: 475:spdk_nvme_qpair_process_completions: *ERROR*: CQ error, abort "
		"requests after transport retry counter exceeded\n"
		"nvme_ctrlr.c: 707:nvme_ctrlr_fail: *ERROR*: ctrlr 172.16.0.2 in failed state.\n"
		"nvme_ctrlr.c:1102:spdk_nvme_ctrlr_reset: *NOTICE*: resetting controller\n",
		"nccl.error", "node-a", "retries exceeded (status 12)", NULL, SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"spdk/spdk 1087",
		"nvme_rdma.c: 390:nvme_rdma_validate_cm_event: *ERROR*: Expected "
		"RDMA_CM_EVENT_ESTABLISHED but received RDMA_CM_EVENT_REJECTED (8) from CM event "
		"channel (status = 8)\n"
		"nvme_rdma.c: 805:nvme_rdma_connect: *ERROR*: RDMA connect error\n"
		"nvme_rdma.c:1035:nvme_rdma_qpair_connect: *ERROR*: Unable to connect the rqpair\n",
		"nccl.error", "node-a", "received RDMA_CM_EVENT_REJECTED", "never came up",
		SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"Eyescale/Equalizer 84",
		"10550 Main /home/job/Equalizer/libs/co/rdmaConnection.cpp:1224 7 0x1f261e0 : "
		"RDMA_CM_EVENT_ROUTE_RESOLVED( expected )\n"
		"10550 Main /home/job/Equalizer/libs/co/rdmaConnection.cpp:1224 18 0x1f261e0 : "
		"RDMA_CM_EVENT_REJECTED( _not_ expected )\n"
		"10550 Main /home/job/Equalizer/libs/co/rdmaConnection.cpp:205 18 Failed to "
		"connect to destination.\n",
		"nccl.error", "node-a", "Failed to connect to destination", "never came up",
		SEV_CRIT, ROLE_SYMPTOM, "ROUTE_RESOLVED"},
	{"ydb-platform/nbs 6940",
		"2026-11-27T02:53:49.440823Z :BLOCKSTORE_RDMA ERROR: [14277968156095900595] SEND "
		"C6258863.0.1B3: IBV_WC_RETRY_EXC_ERR\n"
		"2026-11-27T02:53:50.593760Z :BLOCKSTORE_RDMA INFO: [14277968156095900595] "
		"disconnect\n",
		"nccl.error", "node-a", "retries exceeded (status 12)", NULL, SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"ydb-platform/nbs 6940, the server",
		"2026-11-27T02:54:32.104199Z :BLOCKSTORE_RDMA ERROR: rdma_create_qp failed with "
		"error 22: Invalid argument\n",
		"nccl.error", "node-a", "rdma_create_qp failed", NULL, SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	{"accelio/accelio 88",
		"[2026/11/27-02:53:03.253092] xio_rdma_datapath.c:635      [ERROR] - [client] - "
		"state:3, rdma_hndl:0x248cb00, rdma_task:0x7f438614fe90, task:0x7f438614fb70, "
		"wr_id:0x7f438614fb70, err:transport retry counter exceeded, vendor_err:0x81, "
		"byte_len:28, opcode:0x0\n",
		"nccl.error", "node-a", "retries exceeded (status 12)", NULL, SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"open-mpi/ompi 1501",
		"--------------------------------------------------------------------------\n"
		"At least one pair of MPI processes are unable to reach each other for\n"
		"MPI communications.  This means that no Open MPI device has indicated\n"
		"that it can be used to communicate between these processes.  This is\n"
		"an error; Open MPI requires that all MPI processes be able to reach\n"
		"each other.  This error can sometimes be the result of forgetting to\n"
		"specify the \"self\" BTL.\n"
		"\n"
		"  Process 1 ([[39443,1],0]) is on host: node-a\n"
		"  Process 2 ([[39443,1],1]) is on host: node-b\n"
		"  BTLs attempted: self\n"
		"\n"
		"Your MPI job is now going to abort; sorry.\n",
		"nccl.error", "node-a", "unable to reach each other", NULL, SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	{"UniStuttgart-VISUS/megamol 285",
		"[0] fatal error\n"
		"Fatal error in MPI_Comm_split: Other MPI error, error stack:\n"
		"MPI_Comm_split(MPI_COMM_WORLD, color=0, key=0, new_comm=0x000000A6211DF788) "
		"failed\n"
		"[ch3:sock] rank 0 unable to connect to rank 19 using business card <port=55198 "
		"description=\"10.0.1.2 node-b \" shm_host=node-b shm_queue=6880:1256 >\n"
		"unable to connect to 10.0.1.2 node-b  on port 55198, no endpoint matches the "
		"netmask 10.37.0.0/255.255.0.0\n",
		"nccl.error", "node-a", "rank 0 unable to connect to rank 19", "node-b", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"deepseek-ai/DeepEP 17",
		"/root/nvshmem_src/src/modules/transport/ibgda/ibgda.cpp:1345: non-zero status: "
		"121 Error in mlx5dv_devx_obj_modify for INIT2RTR_QP with syndrome 29e0df\n"
		"\n"
		"/root/nvshmem_src/src/modules/transport/ibgda/ibgda.cpp:3005: non-zero status: 7 "
		"ibgda_rc_init2rtr failed on RC #0.\n"
		"/root/nvshmem_src/src/host/transport/transport.cpp:400: non-zero status: 7 "
		"connect EPS failed\n",
		"nccl.error", "node-a", "INIT2RTR_QP", "never came up", SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	{"sgl-project/sglang 7888",
		"ibv_modify_qp failed \n"
		"\n"
		"ibv_modify_qp failed \n"
		"ibv_modify_qp failed \n"
		"/sgl-workspace/nvshmem/src/modules/transport/ibrc/ibrc.cpp:1433: non-zero status: "
		"7 /sgl-workspace/nvshmem/src/modules/transport/ibrc/ibrc.cpp:1433: non-zero "
		"status: 7 \n",
		"nccl.error", "node-a", "ibv_modify_qp failed", "never came up", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"NVIDIA-NeMo/Megatron-Bridge 5050",
		"/dvs/p4/main_nvshmem/src/modules/transport/ibgda/ibgda.cpp:2234: NULL value "
		"Unable to create ah.\n"
		"WARN: Failed to initialize all selected devices. Perf may be limited.\n"
		"/dvs/p4/main_nvshmem/src/modules/transport/ibgda/ibgda.cpp:2966: non-zero status: "
		"7 create DCT share err.\n",
		"nccl.error", "node-a", "Unable to create ah", NULL, SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"ai-dynamo/nixl 1846",
		"[1795747958.879795] [node-a:1049 :0]          select.c:645  UCX  ERROR no active "
		"messages transport to node-b:1051: self/memory - no peer failure handler, "
		"sysv/memory - no peer failure handler, cuda_copy/cuda - no am bcopy, cma/memory - "
		"no am bcopy\n",
		"nccl.error", "node-a", "no active messages transport", "never came up", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"openucx/ucx 5174",
		"[1795747958.433722] [node-a:137347:0] jucx_common_def.cc:191  UCX  ERROR JUCX: "
		"request error: Endpoint timeout\n"
		"[1795747958.437750] [node-a:137347:0]    ib_mlx5_log.c:143  UCX  ERROR Transport "
		"retry count exceeded on mlx5_1:1/RoCE (synd 0x15 vend 0x81 hw_synd 0/0)\n"
		"[1795747958.437750] [node-a:137347:0]    ib_mlx5_log.c:143  UCX  ERROR RC QP "
		"0x12434 wqe[2]: SEND s-- [inl len 10] [va 0x7fb668307060 len 4096 lkey "
		"0x26b254]\n",
		"nccl.error", "node-a:mlx5_1", "retries exceeded (status 12)", "137347", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"csguoh/MambaIR 39",
		"torch.distributed.DistBackendError: NCCL error in: "
		"../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:1333, invalid usage (run with "
		"NCCL_DEBUG=WARN for details), NCCL version 2.18.6\n"
		"ncclInvalidUsage: This usually reflects invalid usage of NCCL library.\n"
		"Last error:\n"
		"Duplicate GPU detected : rank 2 and rank 0 both on CUDA device 4000\n",
		"nccl.error", "node-a", "Duplicate GPU detected", "rank 2", SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	{"pytorch/torchtitan 1224",
		"[rank2]: torch.distributed.DistBackendError: NCCL error in: "
		"/pytorch/torch/csrc/distributed/c10d/NCCLUtils.cpp:77, invalid usage (run with "
		"NCCL_DEBUG=WARN for details), NCCL version 2.26.5\n"
		"[rank2]: ncclInvalidUsage: This usually reflects invalid usage of NCCL library.\n"
		"[rank2]: Last error:\n"
		"[rank2]: Duplicate GPU detected : rank 0 and rank 1 both on CUDA device 6000\n",
		"nccl.error", "node-a", "Duplicate GPU detected", "rank 1", SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	{"hiyouga/LlamaFactory 6849",
		"node-a:4288:4521 [1] misc/socket.cc:30 NCCL WARN socketProgressOpt: Call to recv "
		"from 172.16.0.2<49901> failed : Broken pipe\n"
		"node-a:4288:4521 [1] NCCL INFO misc/socket.cc:47 -> 6\n"
		"[rank5]:[E1127 02:54:04.737870258 ProcessGroupNCCL.cpp:552] [Rank 5] Collective "
		"WorkNCCL(SeqNum=7718, OpType=_ALLGATHER_BASE, NumelIn=68124672, "
		"NumelOut=544997376, Timeout(ms)=180000000) raised the following async exception: "
		"NCCL error: remote process exited or there was a network error, NCCL version "
		"2.21.5\n",
		"nccl.error", "node-a", "Broken pipe", "172.16.0.2 (node-b)", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"aws/aws-ofi-nccl 22",
		"INFO: Function: main Line: 57: NET/OFI Server: Listening on dev 0\n"
		"WARN: Function: create_nccl_ofi_component Line: 459: NET/OFI Couldn't open AV. "
		"RC: -22, ERROR: Invalid argument\n",
		"nccl.error", "node-a", "Couldn't open AV", NULL, SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"linux-rdma/perftest 105",
		"************************************\n"
		"* Waiting for client to connect... *\n"
		"************************************\n"
		"Unable to create QP.\n"
		"Failed to create QP.\n"
		"Couldn't create IB resources\n",
		"nccl.error", "node-a", "create QP", NULL, SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"linux-rdma/perftest 54",
		"RDMA CM event error:\n"
		"Event: RDMA_CM_EVENT_REJECTED; error: -111.\n"
		"\n"
		"ERRNO: No such file or directory.\n"
		"Failed to handle RDMA CM event.\n"
		"ERRNO: No such file or directory.\n"
		"Failed to connect RDMA CM events.\n",
		"nccl.error", "node-a", "RDMA_CM_EVENT_REJECTED", "never came up", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"huggingface/text-generation-inference 2593",
		"2026-11-27T02:54:46.018456Z ERROR shard-manager: text_generation_launcher: Shard "
		"process was signaled to shutdown with signal 6 rank=0\n"
		"2026-11-27T02:54:46.105332Z ERROR text_generation_launcher: Shard 0 crashed\n"
		"2026-11-27T02:54:46.105358Z  INFO text_generation_launcher: Terminating "
		"webserver\n",
		"nccl.error", "node-a", "signal 6", "rank 0", SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"hiyouga/LlamaFactory 1969",
		"RuntimeError: [2] is setting up NCCL communicator and retrieving ncclUniqueId "
		"from [0] via c10d key-value store by key '0', but store->get('0') got error: "
		"Broken pipe. This may indicate a possible application crash on rank 0 or a "
		"network set up issue.\n",
		"nccl.error", NULL, "ncclUniqueId", "rank 2", SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"spdk/spdk 257",
		"[82886.743081] nvme nvme1: Connect rejected: status 8 (invalid service ID).\n"
		"[82886.743467] nvme nvme1: rdma_resolve_addr wait failed (-104).\n"
		"[82886.744218] nvme nvme1: Failed reconnect attempt, requeueing...\n",
		"nccl.error", "node-a", "rdma_resolve_addr wait failed", NULL, SEV_CRIT,
		ROLE_SYMPTOM, NULL},
};

static const struct log_report eighteenth[] = {
	{"horovod/horovod 2564",
		"[2026-11-27 02:52:15.181832: W "
		"/tmp/pip-req-build-12flcl_u/horovod/common/stall_inspector.cc:105] One or more "
		"tensors were submitted to be reduced, gathered or broadcasted by subset of ranks "
		"and are waiting for remainder of ranks for more than 60 seconds. This may "
		"indicate that different ranks are trying to submit different tensors or that only "
		"subset of ranks is submitting tensors, which will cause deadlock.\n"
		"Missing ranks:\n"
		"1: [DistributedGradientTape_Allreduce/cond_163/HorovodAllreduce_AddN_103_0]\n",
		"nccl.error", NULL, "missing rank 1", NULL, SEV_WARN, ROLE_SYMPTOM, NULL},
	{"horovod/horovod 534",
		"WARNING: One or more tensors were submitted to be reduced, gathered or "
		"broadcasted by subset of ranks and are waiting for remainder of ranks for more "
		"than 60 seconds. This may indicate that different ranks are trying to submit "
		"different tensors or that only subset of ranks is submitting tensors, which will "
		"cause deadlock. \n"
		"Stalled ops:\n"
		"HorovodBroadcast_fully_connected_weights_0 [missing ranks: 0]\n"
		"HorovodBroadcast_fully_connected_1_weights_0 [missing ranks: 0]\n",
		"nccl.error", NULL, "missing ranks: 0", NULL, SEV_WARN, ROLE_SYMPTOM, NULL},
	{"horovod/horovod 457",
		"MetricAverageCallback/HorovodAllreduce_MetricAverageCallback_acc_0 [missing "
		"ranks: 0, 1, 3, 4]\n",
		"nccl.error", NULL, "missing ranks: 0, 1, 3, 4", NULL, SEV_WARN, ROLE_SYMPTOM,
		NULL},
	{"kubeflow/mpi-operator 152",
		"ORTE has lost communication with a remote daemon.\n"
		"\n"
		"  HNP daemon   : [[43015,0],0] on node node-a\n"
		"  Remote daemon: [[43015,0],20] on node node-b\n"
		"\n"
		"This is usually due to either a failure of the TCP network\n"
		"connection to the node, or possibly an internal failure of\n"
		"the daemon itself.\n",
		"nccl.error", "node-b", "lost communication", NULL, SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"kubeflow/mpi-operator 43",
		"Unable to connect to the server: Connection timed out\n"
		"--------------------------------------------------------------------------\n"
		"ORTE was unable to reliably start one or more daemons.\n"
		"This usually is caused by:\n"
		"\n"
		"* not finding the required libraries and/or binaries on\n"
		"  one or more nodes.\n",
		"nccl.error", "node-a", "unable to reliably start", NULL, SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	{"kubeflow/kubeflow 3789",
		"A process or daemon was unable to complete a TCP connection\n"
		"to another process:\n"
		"  Local host:    node-a\n"
		"  Remote host:   node-b\n"
		"This is usually caused by a firewall on the remote host. Please\n"
		"check that any firewall (e.g., iptables) has been disabled and\n"
		"try again.\n",
		"nccl.error", "node-a", "unable to complete a TCP connection", "node-b", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"NVIDIA/nccl 1837",
		"[trainer0|0]:ncclInternalError: Internal check failed.\n"
		"[trainer0|0]:Last error:\n"
		"[trainer0|0]:ncclSocketInit: connecting to address  with family 59936 is neither "
		"AF_INET(2) nor AF_INET6(10)\n",
		"nccl.error", "node-a", "is neither AF_INET", NULL, SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"NVIDIA/nccl 952",
		"torch.distributed.DistBackendError: NCCL error in: "
		"/opt/pytorch/pytorch/torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:1182, "
		"internal error - please report this issue to the NCCL developers, NCCL version "
		"2.18.3\n"
		"ncclInternalError: Internal check failed.\n"
		"Last error:\n"
		"Socket recv failed while polling for opId=0x7ffea68e01c0\n",
		"nccl.error", "node-a", "Socket recv failed while polling", "consequence", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"NVIDIA/nccl 879",
		"node-a:195626:198757 [0] proxy.cc:808 NCCL WARN Proxy Call to rank 1 failed "
		"(Connect)\n"
		"node-a:195626:198757 [0] NCCL INFO transport/net.cc:319 -> 2\n",
		"nccl.error", "node-a", "Proxy Call to rank 1 failed", NULL, SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	{"NVIDIA/nccl-tests 14",
		"node-a:3171:3171 [0] misc/ibvwrap.cu:61 WARN Failed to open libibverbs.so[.1]\n"
		"node-a:3171:3171 [0] include/socket.h:311 WARN Socket creation failed : Address "
		"family not supported by protocol\n",
		"nccl.error", "node-a", "Socket creation failed", NULL, SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	{"pytorch/pytorch 29482",
		"node-a:22841:22841 [0] bootstrap.cc:37 NCCL WARN Bootstrap : no socket interface "
		"found\n"
		"node-a:22841:22841 [0] NCCL INFO init.cc:128 -> 3\n",
		"nccl.error", "node-a", "no socket interface found", NULL, SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	{"pytorch/pytorch 105287",
		"terminate called after throwing an instance of 'std::runtime_error'\n"
		"  what():  NCCL watchdog thread terminated with exception: "
		"traceMap[thisSeq][myRank].second == kEventStart INTERNAL ASSERT FAILED at "
		"\"/opt/pytorch/pytorch/torch/csrc/distributed/c10d/TraceUtils.h\":237, please "
		"report a bug to PyTorch. Timeout rank = 1, actual state = 2\n",
		"nccl.error", "node-a", "INTERNAL ASSERT FAILED", NULL, SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	{"open-mpi/ompi 166",
		"The OpenFabrics (openib) BTL failed to initialize while trying to\n"
		"create an internal queue.  This typically indicates a failed\n"
		"OpenFabrics installation, faulty hardware, or that Open MPI is\n"
		"attempting to use a feature that is not supported on your hardware.  The failure "
		"occured here:\n"
		"\n"
		"  Local host:  node-b\n"
		"  OMPI source: btl_openib.c:190\n"
		"  Function:    ibv_create_cq()\n"
		"  Error:       Device or resource busy (errno=16)\n"
		"  Device:      mlx5_1\n",
		"nccl.error", "node-b:mlx5_1", "failed to initialize", "Device or resource busy",
		SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"open-mpi/ompi 10601",
		"node-a.30734PSM2 can't open hfi unit: -1 (err=23)\n"
		"--------------------------------------------------------------------------\n"
		"PSM2 was unable to open an endpoint. Please make sure that the network link is\n"
		"active on the node and the hardware is functioning.\n"
		"\n"
		"  Error: Failure in initializing endpoint\n"
		"--------------------------------------------------------------------------\n",
		"nccl.error", "node-a", "unable to open an endpoint", NULL, SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	{"ofiwg/libfabric 6710",
		"--------------------------------------------------------------------------\n"
		"Open MPI failed an OFI Libfabric library call (fi_endpoint).  This is highly\n"
		"unusual; your job may behave unpredictably (and/or abort) after this.\n"
		"\n"
		"  Local host: node-b\n"
		"  Location: mtl_ofi_component.c:513\n"
		"  Error: Invalid argument (22)\n"
		"--------------------------------------------------------------------------\n",
		"nccl.error", "node-b", "fi_endpoint", NULL, SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"hiyouga/LlamaFactory 3839",
		"RuntimeError: [ERROR] HCCL error in: "
		"torch_npu/csrc/distributed/ProcessGroupHCCL.cpp:64\n"
		"[ERROR] 2026-11-27-02:51:54 (PID:927000, Device:3, RankID:3) ERR02200 DIST call "
		"hccl api failed.\n"
		"EJ0001: 2026-11-27-02:51:54.167.645 Failed to initialize the HCCP process. "
		"Reason: Maybe the last training process is running.\n",
		"nccl.error", "node-a", "hccl api failed", "rank 3", SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"vllm-project/vllm-ascend 3413",
		"[ERROR] 2026-11-27-02:51:34 (PID:2969, Device:0, RankID:101) ERR00100 PTA call "
		"acl api failed.\n"
		"EI0002: [PID: 2969] 2026-11-27-02:51:34.713.335 The wait execution of the Notify "
		"register times out. Reason: The Notify register has not received the Notify "
		"record from remote rank: [24]. base information: [streamID:[109], taskID[38], "
		"taskType[Notify Wait], tag[AllReduce_group_name_1654NHRAllReduceComm_device], "
		"AlgType(level 0-1-2):[ring-NHR-NHR].]\n",
		"nccl.error", "node-a", "Notify register times out", "rank 101", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"vllm-project/vllm-ascend 3162",
		"[rank1]: EI0009: [PID: 2225827] 2026-11-27-02:51:48.119.066 Transport init error. "
		"Reason: [Create][DestLink]Create Dest error! createLink "
		"para:rank[1]-localUserrank[1]-localIpAddr[172.16.0.1], "
		"dst_rank[0]-remoteUserrank[0]-remote_ip_addr[172.16.0.2]\n",
		"nccl.error", "node-a", "Transport init error", "rank 1", SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	{"linux-rdma/perftest 393",
		"Failed to modify QP 122273 to RTR\n"
		" Unable to Connect the HCA's through the link\n",
		"nccl.error", "node-a", "Failed to modify QP", "never came up", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"jade-hpc-gpu 14",
		"[Fri Nov 27 02:52:43 2026] LNet: 2431:0:(o2iblnd_cb.c:3174:kiblnd_check_conns()) "
		"Timed out tx for 172.16.0.2@o2ib: 403055 seconds\n",
		"nccl.error", "node-a", "Timed out tx for 172.16.0.2@o2ib", NULL, SEV_WARN,
		ROLE_SYMPTOM, NULL},
	{"kubeflow/mpi-operator 481",
		"ssh: Could not resolve hostname node-b.tensorflow-benchmarks-worker: Name or "
		"service not known\n",
		"nccl.error", "node-a", "Could not resolve hostname", "never came up", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"vllm-project/vllm-ascend 486",
		"[rank1]: [ERROR] 2026-11-27-02:51:20 (PID:1292363, Device:1, RankID:1) ERR01100 "
		"OPS call acl api failed.\n"
		"[rank1]: EI0006: [PID: 1292363] 2026-11-27-02:51:20.444.436 Getting socket times "
		"out. Reason: Remote Rank did not send the data in time. Please check the reason "
		"for the rank being stuck\n",
		"nccl.error", "node-a", "Getting socket times out", "rank 1", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
};

CASE(a_seventeenth_batch_of_reports)
{
	log_reports_read(NOW, seventeenth, sizeof(seventeenth) / sizeof(seventeenth[0]));
}

CASE(an_eighteenth_batch_of_reports)
{
	log_reports_read(NOW, eighteenth, sizeof(eighteenth) / sizeof(eighteenth[0]));
}

CASES_MAIN(NULL, NULL)
