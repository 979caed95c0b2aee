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
		"nccl.error", "node-a", "Shard 0 crashed", "rank 0", SEV_CRIT, ROLE_SYMPTOM, NULL},
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

CASE(a_seventeenth_batch_of_reports)
{
	log_reports_read(NOW, seventeenth, sizeof(seventeenth) / sizeof(seventeenth[0]));
}

CASES_MAIN(NULL, NULL)
