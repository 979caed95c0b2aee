/* SPDX-License-Identifier: Apache-2.0 */
/* Logs of jobs from public reports, of NCCL, torch and other engines: see hosts.md. */
#include <string.h>

#include "base/clock.h"
#include "fabric/ref.h"
#include "tests/cases/job_hosts.h"
#include "tests/cases/log_reports.h"
#include "tests/support/cases.h"

/* 2026-11-27 02:53:20 UTC */
#define NOW (INT64_C(1795748000) * CLOCK_SEC)

#define WORK(op, seq, ms)                                                                          \
	"WorkNCCL(SeqNum=" seq ", OpType=" op ", NumelIn=1, NumelOut=1, Timeout(ms)=" ms ")"
#define CAUGHT(rank, op, seq, ms)                                                                  \
	"[Rank " rank "] Watchdog caught collective operation timeout: " WORK(                     \
		op, seq, ms) " ran for " ms " milliseconds before timing out.\n"
#define ENDED "Process group watchdog thread terminated with exception: "
#define STUCK                                                                                      \
	"ProcessGroupNCCL's watchdog got stuck for 480 seconds without making progress in "        \
	"monitoring enqueued collectives.\n"

static const struct log_report reports[] = {
	{"NVIDIA/nccl 1405",
		"pod-worker-0:3468:3905 [1] ib_plugin.c:1615 NCCL WARN NET/IB : Got completion "
		"from peer 172.16.0.2<54862> with status=12 opcode=0 len=0 vendor err 129 (Recv) "
		"localGid fd00:1148:9000:1::1 remoteGidsfd00:1148:9000:1::2\n"
		"pod-worker-0:3468:3905 [1] NCCL INFO transport/net.cc:1302 -> 6\n"
		"pod-worker-0:3468:3905 [1] ib_plugin.c:1615 NCCL WARN NET/IB : Got completion "
		"from peer 172.16.0.2<54862> with status=5 opcode=32616 len=0 vendor err 249 "
		"(Recv) localGid fd00:1148:9000:1::1 remoteGidsfd00:1148:9000:1::2\n",
		"nccl.error", "node-a:mlx5_1", "retries exceeded (status 12)",
		"fd00:1148:9000:1::2 (node-b mlx5_1)", SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"NVIDIA/nccl 562",
		"node-a:3778851:3779883 [1] ibvwrap.c:130 NCCL WARN Call to ibv_create_qp failed\n"
		"node-a:3778851:3779883 [1] NCCL INFO ib_plugin.c:196 -> 2\n"
		"\nnode-a:3778851:3779884 [2] ibvwrap.c:130 NCCL WARN Call to ibv_create_qp "
		"failed\n",
		"nccl.error", "node-a", "ibv_create_qp failed", NULL, SEV_CRIT, ROLE_SYMPTOM,
		"far process"},
	{"NVIDIA/nccl 622",
		"node-a:196207:196244 [0] misc/ibvwrap.cc:284 NCCL WARN Call to ibv_modify_qp "
		"failed with error Invalid argument\n"
		"node-a:196207:196244 [0] NCCL INFO transport/net_ib.cc:415 -> 2\n",
		"nccl.error", "node-a", "ibv_modify_qp: Invalid argument", "GID index", SEV_CRIT,
		ROLE_SYMPTOM, "far process"},
	{"deepspeedai/DeepSpeed 2931",
		"node-a:24148:24269 [2] NCCL INFO comm 0x55cede6d3870 rank 2 nranks 8 cudaDev 2 "
		"busId 8e000 - Init COMPLETE\n"
		"\nnode-a:24148:24296 [2] ib_plugin.c:978 NCCL WARN NET/IB : Got completion from "
		"peer 172.16.0.2<48598> with error 12, opcode 0, len 0, vendor err 129\n"
		"node-a:24148:24296 [2] NCCL INFO include/net.h:35 -> 2\n"
		"[E ProcessGroupNCCL.cpp:456] Some NCCL operations have failed or timed out. Due "
		"to the asynchronous nature of CUDA kernels, subsequent GPU operations might run "
		"on corrupted/incomplete data.\n"
		"[E ProcessGroupNCCL.cpp:461] To avoid data inconsistency, we are taking the "
		"entire process down.\n"
		"terminate called after throwing an instance of 'std::runtime_error'\n"
		"  what():  NCCL error: unhandled system error, NCCL version 2.14.3\n"
		"ncclSystemError: System call (e.g. socket, malloc) or external library call "
		"failed or device error. \n"
		"Last error:\nNET/IB : Got completion from peer 172.16.0.2<48598> with error 12, "
		"opcode 0, len 0, vendor err 129\n",
		"nccl.error", "node-a", "rank 2 of 8 on node-a", "172.16.0.2 (node-b)", SEV_CRIT,
		ROLE_SYMPTOM, "unhandled system error"},
	{"deepseek-ai/DeepEP 106",
		"node-a:11983:12550 [1] NCCL INFO comm 0x5648d7156820 rank 1 nranks 4 cudaDev 1 "
		"nvmlDev 1 busId 9c000 commId 0x599e30b8362d17c0 - Init COMPLETE       "
		"node-b:11979:12555 [1] NCCL INFO comm 0x5581611328d0 rank 3 nranks 4 cudaDev 1 "
		"nvmlDev 1 busId 16000 commId 0x599e30b8362d17c0 - Init COMPLETE       "
		"node-a:11978:12548 [0] NCCL INFO comm 0x5630f872fe00 rank 0 nranks 4 cudaDev 0 "
		"nvmlDev 0 busId 3000 commId 0x599e30b8362d17c0 - Init COMPLETE                    "
		"      node-a:11978:12642 [0] ib_plugin.c:1075 NCCL WARN NET/IB : Got completion "
		"from peer 172.16.0.2<38536> with error 12, opcode 32715, len 0, vendor err 129\n",
		"nccl.error", NULL, "rank 0 of job-599e30b8: retries exceeded",
		"172.16.0.2 (node-b)", SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"NVIDIA/nccl 2157",
		"node-a:534134:534200 [1] NCCL INFO NET/IB : Using [0]mlx5_0:1/RoCE "
		"[1]mlx5_1:1/RoCE [2]mlx5_2:1/RoCE [3]mlx5_3:1/RoCE [RO]; OOB eno1:172.16.0.1<0>\n"
		"node-a:534134:534300 [1] NCCL INFO Channel 00/0 : 1[1] -> 9[1] [send] via "
		"NET/IB/1/GDRDMA\n"
		"[2026-11-27 02:51:27] node-a:534134:535429 [1] "
		"transport/net_ib/p2p_resiliency.cc:325 NCCL WARN NET/IB: "
		"ncclIbResiliencyHandleDeviceFailure: Device 0 marked as failed. Initiating "
		"recovery? Yes (send comm=0x7f03e8086000, outstandingRecovery=0)\n",
		"nccl.error", NULL, "NIC failed, recovery begins", NULL, SEV_CRIT, ROLE_SYMPTOM,
		"mlx5_0"},
	{"NVIDIA/nccl 1176",
		"1: node-a:4827:6900 [4] bootstrap.cc:77 NCCL WARN Message truncated : received "
		"256 bytes instead of 4\n"
		"1: node-a:4827:6900 [4] NCCL INFO bootstrap.cc:554 -> 3\n"
		"2: [rank18]:[W ProcessGroupNCCL.cpp:2302] Warning: "
		"0TORCH_NCCL_AVOID_RECORD_STREAMS=1 has no effect for point-to-point collectives. "
		"(function operator())\n",
		"nccl.error", "node-a", "Message truncated : received 256 bytes instead of 4", NULL,
		SEV_CRIT, ROLE_SYMPTOM, "RECORD_STREAMS"},
	{"NVIDIA/nccl 969",
		"172.16.0.1: node-a:1307367:1307586 [0] transport/net_ib.cc:1038 NCCL WARN NET/IB "
		": req 0/1 tag 0 peer 172.16.0.2<58683> collective mismatch error, local size "
		"496640 remote size 65536\n"
		"172.16.0.1: node-a:1307367:1307586 [0] NCCL INFO include/net.h:32 -> 5\n",
		"nccl.error", "node-a", "collective mismatch error", "172.16.0.2 (node-b)",
		SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"NVIDIA/nccl 268",
		"node-a:2918:3333 [0] external/nccl_archive/src/transport/net_socket.cc:200 NCCL "
		"WARN NET/Socket : message truncated : receiving 696320 bytes instead of 32768\n",
		"nccl.error", "node-a", "receiving 696320 bytes instead of 32768", NULL, SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"NVIDIA/nccl 1672",
		"[2026-11-27 02:51:56] node-a:3485254:3487188 [0] transport/nvls.cc:598 NCCL WARN "
		"Cuda failure 1 'invalid argument'\n",
		"nccl.error", "node-a", "Cuda failure 1 'invalid argument'", "not the network",
		SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"pytorch/pytorch 177472",
		"torch.distributed.DistBackendError: NCCL error in: "
		"/var/lib/jenkins/workspace/torch/csrc/distributed/c10d/NCCLUtils.cpp:93, "
		"unhandled cuda error (run with NCCL_DEBUG=INFO for details), NCCL version 2.29.3 "
		"\n"
		"ncclUnhandledCudaError: Call to CUDA function failed. \n"
		"Last error: \n"
		"Failed to bind NVLink SHARP (NVLS) Multicast memory of size 2097152 : CUDA error "
		"401 'the operation cannot be performed in the present state'. \n"
		"This is usually caused by a system or configuration error in the Fabric Manager "
		"or NVSwitches. \n"
		"Disable NVLS (NCCL_NVLS_ENABLE=0) if you wish to avoid this error in the future. "
		"\n",
		"nccl.error", "node-a", "Failed to bind NVLink SHARP", "not the network", SEV_CRIT,
		ROLE_SYMPTOM, "NCCLUtils.cpp"},
	{"tensorflow/tensorflow 34375",
		":5202:5683 [0] NCCL INFO comm 0x7f94740025b0 rank 0 nranks 2 cudaDev 0 nvmlDev 0 "
		"- Init COMPLETE\n"
		"\n:5202:5690 [0] external/nccl_archive/src/transport/net_ib.cc:655 NCCL WARN "
		"NET/IB : collective mismatch error local size 8192 remote 0 addr 7f9418000000 "
		"rkey 2a0 seq 1/0\n",
		"nccl.error", "node-a", "collective mismatch error", "rank 0 of 2 on node-a",
		SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"alibaba/Pai-Megatron-Patch 508",
		"terminate called after throwing an instance of 'c10::DistBackendError'\n"
		"  what():  [PG ID 16 PG GUID 165 Rank 2] " ENDED CAUGHT("2", "ALLREDUCE", "4",
			"600040") "Exception raised from checkTimeout at "
				  "/opt/pytorch/pytorch/torch/csrc/distributed/c10d/"
				  "ProcessGroupNCCL.cpp:630 (most recent call first):\n"
				  "frame #1: "
				  "c10d::ProcessGroupNCCL::WorkNCCL::checkTimeout(std::optional<"
				  "std::chrono::duration<long, std::ratio<1l, 1000l> > >) + 0x23d "
				  "(0x7fdc7cd77f9d in "
				  "/usr/local/lib/python3.12/dist-packages/torch/lib/"
				  "libtorch_cuda.so)\n",
		"nccl.timeout", NULL, "gave up on AllReduce 4 after 600 s", "group pg165", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"modelscope/DiffSynth-Studio 458",
		"[rank1]:[E1127 02:49:53.723537752 ProcessGroupNCCL.cpp:1595] [PG ID 2 PG GUID 9 "
		"Rank 1] " ENDED CAUGHT("1", "COALESCED", "610", "600007"),
		"nccl.timeout", NULL, "gave up on COALESCED 610 after 600 s", "group pg9", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"vipshop/cache-dit 761",
		"[rank2]:[E1127 02:48:34.697891902 ProcessGroupNCCL.cpp:744] [Rank 2] Some NCCL "
		"operations have failed or timed out. Due to the asynchronous nature of CUDA "
		"kernels, subsequent GPU operations might run on corrupted/incomplete data.\n"
		"[rank2]:[E1127 02:48:34.697911536 ProcessGroupNCCL.cpp:758] [Rank 2] To avoid "
		"data inconsistency, we are taking the entire process down.\n"
		"[rank2]:[E1127 02:48:34.698812301 ProcessGroupNCCL.cpp:2057] [PG ID 2 PG GUID "
		"5(mesh_ulysses) Rank 2] " ENDED CAUGHT("2", "ALLTOALL_BASE", "472025", "1800018"),
		"nccl.timeout", NULL, "gave up on AlltoAll 472025 after 1800 s", "mesh_ulysses",
		SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"NVIDIA/Megatron-LM 735",
		"node-a:6726:7100 [0] NCCL INFO comm 0x56 rank 0 nranks 4 cudaDev 0 nvmlDev 0 "
		"busId 7000 commId 0x1d3c5a79e0b4f682 - Init COMPLETE\n"
		"node-a:6727:7101 [1] NCCL INFO comm 0x57 rank 1 nranks 4 cudaDev 1 nvmlDev 1 "
		"busId b000 commId 0x1d3c5a79e0b4f682 - Init COMPLETE\n"
		"node-a:6728:7102 [2] NCCL INFO comm 0x58 rank 2 nranks 4 cudaDev 2 nvmlDev 2 "
		"busId 48000 commId 0x1d3c5a79e0b4f682 - Init COMPLETE\n"
		"node-a:6729:7103 [3] NCCL INFO comm 0x59 rank 3 nranks 4 cudaDev 3 nvmlDev 3 "
		"busId 4c000 commId 0x1d3c5a79e0b4f682 - Init COMPLETE\n"
		"[rank2]:[E ProcessGroupNCCL.cpp:754] " CAUGHT("2", "ALLREDUCE", "305",
			"600381") "node-a:6727:7168 [1] NCCL INFO [Service thread] Connection "
				  "closed by localRank 2\n"
				  "[rank0]:[E ProcessGroupNCCL.cpp:754] " CAUGHT("0", "ALLREDUCE",
					  "305",
					  "600528") "node-a:6729:7171 [3] NCCL INFO [Service "
						    "thread] Connection closed by localRank 0\n"
						    "[rank1]:[E ProcessGroupNCCL.cpp:754] " CAUGHT(
							    "1", "ALLREDUCE", "305", "600916"),
		"nccl.mismatch", "node-a", "rank 3 of job-1d3c5a79 is the first suspect",
		"3 wait in AllReduce 305", SEV_CRIT, ROLE_CULPRIT, "localRank"},
	{"mila-iqia/milabench 269",
		"dinov2-giant-nodes.cn-d003.nolog [stderr] [rank3]:[E1127 02:50:46.996672294 "
		"ProcessGroupNCCL.cpp:1709] [PG 0 (default_pg) Rank 3] Timeout at NCCL work: 2070, "
		"last enqueued \n"
		"NCCL work: 2082, last completed NCCL work: 2069.\n"
		"dinov2-giant-nodes.cn-d003.nolog [stderr] [rank3]:[E1127 02:50:46.996701349 "
		"ProcessGroupNCCL.cpp:621] [Rank 3] Some NCCL operations have failed or timed "
		"out.\n",
		"nccl.timeout", NULL, "1 of 4 ranks gave up on operation 2070", "default_pg",
		SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"mittagessen/party 7",
		"> [rank1]:[E1127 02:45:16.707598872 ProcessGroupNCCL.cpp:1595] [PG ID 0 PG GUID "
		"0(default_pg) Rank 1] " ENDED CAUGHT("1", "BROADCAST", "1",
			"1800004") "> Exception raised from checkTimeout at "
				   "../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:618 (most "
				   "recent call first):\n",
		"nccl.timeout", NULL, "gave up on Broadcast 1 after 1800 s", NULL, SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"modelscope/ms-swift 7992",
		"02:51:06.680 [rank4]:[E1127 02:51:06.375750231 ProcessGroupNCCL.cpp:1870] [PG ID "
		"12 PG GUID 99(EXPERT_MODEL_PARALLEL_GROUP) Rank 4] " STUCK
		"02:51:06.680 [rank0]:[E1127 02:51:06.375964157 ProcessGroupNCCL.cpp:1870] [PG ID "
		"14 PG GUID 117(EXPERT_TENSOR_AND_MODEL_PARALLEL_GROUP) Rank 0] " STUCK,
		"nccl.mismatch", NULL, "its watchdog hangs", "rank 4", SEV_CRIT, ROLE_CULPRIT,
		NULL},
	{"hiyouga/LlamaFactory 7396",
		"[80746] [rank0]:[E1127 02:52:08.408271257 ProcessGroupNCCL.cpp:607] " CAUGHT("0",
			"ALLREDUCE", "1580",
			"600060") "[80747] [rank4]:[E1127 02:52:08.414640780 "
				  "ProcessGroupNCCL.cpp:607] " CAUGHT("4", "ALLREDUCE", "1580",
					  "600067") "[80748] [rank0]:[E1127 02:52:08.465150152 "
						    "ProcessGroupNCCL.cpp:1664] [PG 1 Rank 0] "
						    "Exception (either an error or timeout) "
						    "detected by watchdog at work: 1580, last "
						    "enqueued NCCL work: 1582, last completed NCCL "
						    "work: 1579.\n"
						    "[80749] [rank3]:[E1127 02:52:08.465224069 "
						    "ProcessGroupNCCL.cpp:1664] [PG 1 Rank 3] "
						    "Exception (either an error or timeout) "
						    "detected by watchdog at work: 1580, last "
						    "enqueued NCCL work: 1582, last completed NCCL "
						    "work: 1579.\n"
						    "[80750] [rank2]:[E1127 02:52:08.432379535 "
						    "ProcessGroupNCCL.cpp:607] " CAUGHT("2",
							    "ALLREDUCE", "1580",
							    "600061") "[80751] [rank4]:[E1127 "
								      "02:52:08.5 "
								      "ProcessGroupNCCL.cpp:1664] "
								      "[PG 1 Rank 4] Exception "
								      "(either an error or "
								      "timeout) detected by "
								      "watchdog at work: 1580, "
								      "last enqueued NCCL work: "
								      "1582, last completed NCCL "
								      "work: 1579.\n"
								      "[80752] [rank2]:[E1127 "
								      "02:52:08.5 "
								      "ProcessGroupNCCL.cpp:1664] "
								      "[PG 1 Rank 2] Exception "
								      "(either an error or "
								      "timeout) detected by "
								      "watchdog at work: 1580, "
								      "last enqueued NCCL work: "
								      "1582, last completed NCCL "
								      "work: 1579.\n",
		"nccl.mismatch", NULL, "rank 1 of", "4 wait in AllReduce 1580", SEV_CRIT,
		ROLE_CULPRIT, NULL},
	{"NVIDIA/nccl 229",
		"\nnode-a:3320:3400 [0] get_ofi_provider:312 NCCL WARN NET/OFI Could not find any "
		"optimal provider\n"
		"\nnode-a:3320:3400 [0] misc/ibvwrap.cu:63 NCCL WARN Failed to open "
		"libibverbs.so[.1]\n"
		"node-a:3320:3400 [0] NCCL INFO NET/Socket : Using [0]eno1:172.16.0.1<0>\n",
		"host.gpudirect", "node-a", "NCCL uses sockets", NULL, SEV_WARN, ROLE_RISK, NULL},
	{"NVIDIA/nccl 905",
		"node-a:100:200 [2] transport/net_ib.cc:93 NCCL WARN NET/IB : Got async event : "
		"port error\n"
		"\nnode-a:100:200 [2] transport/net_ib.cc:93 NCCL WARN NET/IB : Got async event : "
		"port error\n"
		"\nnode-a:100:210 [2] transport/net_ib.cc:1295 NCCL WARN NET/IB : Got completion "
		"from peer 172.16.0.2<36000> with error 12, opcode 32611, len 32611, vendor err "
		"129 (Send)\n",
		"nccl.nic", "node-a", "port error", NULL, SEV_CRIT, ROLE_CULPRIT, NULL},
	{"NVIDIA/nccl 1573",
		"node-a:20:30 [0] misc/ibvwrap.cc:90 NCCL WARN NET/IB: read failed in "
		"ncclIbRoceGetVersionNum: Invalid argument\n"
		"node-a:20:30 [0] NCCL INFO transport/net_ib.cc:300 -> 2\n"
		"node-a:20:30 [0] misc/socket.cc:49 NCCL WARN socketProgress: Connection closed by "
		"remote peer node-b<51022>\n",
		"nccl.error", "node-a", "ncclIbRoceGetVersionNum: Invalid argument", "GID",
		SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"aws/aws-ofi-nccl 346",
		"libfabric:451707:1795747900::efa:cq:efa_rdm_txe_handle_error():737<warn> err: 5, "
		"message: Invalid address My EFA addr: "
		"fi_addr_efa://[fe80::13:c2ff:fe6f:f03d]:0:1072483550 My host id: "
		"i-0db7083f3fcbebb65 Peer EFA addr: "
		"fi_addr_efa://[fe80::b8:aff:fe44:425]:0:947699476 Peer host id: "
		"i-0ce6d3d57139f053c (7)\n",
		"nccl.error", "node-a", "Invalid address", "i-0ce6d3d57139f053c", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"vllm-project/vllm 9193",
		"2026-11-27T02:50:56.633819710Z pod-6:271:402 [1] NCCL INFO comm 0x2619e050 rank 1 "
		"nranks 4 cudaDev 1 nvmpod-6:273:273 [3] NCCL INFO cudaDriverVersion 12040\n"
		"2026-11-27T02:50:56.633819710Z pod-6:273:273 [3] NCCL INFO Bootstrap : Using "
		"eth0:172.16.0.1<0>\n"
		"pod-6:273:273 [3] NCCL INFO NET/Plugin : dlerror=libnccl-net.so: cannot open "
		"shared object file: No such file or directory No plugin found (libnccl-net.so), "
		"using internal implementation\n"
		"2026-11-27T02:50:56.633819710Z pod-6:273:273 [3] NCCL INFO NET/IB : No device "
		"found.\n"
		"2026-11-27T02:50:56.633819710Z pod-6:273:273 [3] NCCL INFO NET/Socket : Using "
		"[0]eth0:172.16.0.1<0>\n"
		"2026-11-27T02:50:56.633819710Z pod-6:273:273 [3] NCCL INFO Using network Socket\n",
		"host.gpudirect", "node-a", "NCCL uses sockets", NULL, SEV_WARN, ROLE_RISK,
		"nvmpod"},
	{"openucx/ucx 6522",
		"PE 0:   rank 0 required = single, was provided = single\n"
		"[node-a:157231:0:157231] ib_mlx5_log.c:147  Transport retry count exceeded on "
		"mlx5_0:1/RoCE (synd 0x15 vend 0x81 hw_synd 0/0)\n"
		"[node-a:157231:0:157231] ib_mlx5_log.c:147  DCI QP 0x3d04 wqe[96]: SEND s-e [rqpn "
		"0x5fa2 rmac 02:00:00:00:20:63 sgix 3 dgid ::ffff:10.0.0.2 tc 106] [inl len 26] "
		"[va 0x17abb30 len 8230 lkey 0x90cff]\n"
		"==== backtrace (tid: 157245) ====\n",
		"nccl.error", "node-a:mlx5_0", "retries exceeded", "10.0.0.2 (node-b mlx5_0)",
		SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"openucx/ucx 2322",
		"Fri Nov 27 02:51:35 2026[1,371]<stderr>:[node-a:172423:0:172423] "
		"rc_verbs_iface.c:63   FATAL: send completion with error: transport retry counter "
		"exceeded\n",
		"nccl.error", "node-a", "retries exceeded", "172423", SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"openucx/ucx 2501",
		"Fri Nov 27 02:51:25 2026[1,383]<stderr>:[node-b:15382:0:15382]    ud_iface.c:781  "
		"Fatal: transport error: Endpoint timeout\n"
		"Fri Nov 27 02:51:25 2026[1,383]<stderr>:==== backtrace ====\n",
		"nccl.error", "node-b", "Endpoint timeout", "15382", SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"ai-dynamo/nixl 1983",
		"[1795747901.896649] [node-a:537  :1]       srd_iface.c:221  UCX  ERROR send "
		"completion[0] with error on mlx5_2/0x55cf4425cfb0: Work Request Flushed Error, "
		"vendor_err 0x1 wr_id 0x7f8b20022480\n"
		"[1795747901.896667] [node-a:537  :0]       srd_iface.c:221  UCX  ERROR send "
		"completion[0] with error on mlx5_2/0x55f989790220: Work Request Flushed Error, "
		"vendor_err 0x1 wr_id 0x7f676c7db240\n",
		"nccl.error", "node-a:mlx5_2", "flushed", "aftermath", SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	{"LMCache/LMCache 725",
		"[2026-11-27 02:51:41,553] LMCache INFO: Storing KV cache for 5 out of 5 tokens "
		"(vllm_v1_adapter.py:688)\n"
		"[1795747901.555759] [node-a:7053 :0]          tcp_ep.c:1260 UCX  ERROR tcp_ep "
		"0x3c502370 (state=CONNECTED): send(110) failed: Input/output error\n"
		"W1127 02:51:41.555796    7053 ucx_utils.cpp:43] Unexpected UCX error: Endpoint "
		"timeout\n",
		"nccl.error", "node-a", "send(110) failed: Input/output error", "7053", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"NVIDIA/multi-gpu-programming-models 21",
		"WARN: IB: read failed in ib_roce_get_version_num: Invalid argument\n"
		"/home/u/nvshmem_src/src/modules/transport/ibrc/ibrc.cpp:521: non-zero status: 4 "
		"ibv_poll_cq failed, status: 4\n"
		"/home/u/nvshmem_src/src/modules/transport/ibrc/ibrc.cpp:600: non-zero status: 7 "
		"progress_send failed, outstanding_count: 0\n"
		"/home/u/nvshmem_src/src/modules/transport/ibrc/ibrc.cpp:900: non-zero status: 7 "
		"check_poll failed\n",
		"nccl.error", "node-a", "local protection error (status 4)", "not the path",
		SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"deepseek-ai/DeepEP 38",
		"/work/nvshmem_src_3.2.5-1/nvshmem_src/src/modules/transport/ibrc/ibrc.cpp:1433: "
		"non-zero status: 7 ep_connect failed \n"
		"\n/work/nvshmem_src_3.2.5-1/nvshmem_src/src/modules/transport/ibrc/ibrc.cpp:1500: "
		"non-zero status: 7 transport create connect failed \n",
		"nccl.error", "node-a", "ep_connect failed", "the connection never came up",
		SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"deepseek-ai/DeepEP 139",
		"WARN: device erdma_0 is not enumerated as an mlx5 device. Skipping...\n"
		"/repo/nvshmem_src/src/host/transport/transport.cpp:nvshmemi_transport_init:275: "
		"init failed for transport: IBGDA\n",
		"nccl.error", "node-a", "init failed for transport: IBGDA", NULL, SEV_CRIT,
		ROLE_SYMPTOM, "far process"},
	{"kvcache-ai/Mooncake 35",
		"E1127 02:51:10.528410  5811 worker_pool.cpp:274] Worker: Process failed for slice "
		"(opcode: 0, source_addr: 0x7efdf3ffd010, length: 404, dest_addr: 140532604981264, "
		"local_nic: mlx5_1, peer_nic: 172.16.0.2:8149@mlx5_0, dest_rkey: 2105088, "
		"retry_cnt: 0): transport retry counter exceeded\n",
		"nccl.error", "node-a:mlx5_1", "retries exceeded", "172.16.0.2 (node-b", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"sgl-project/sglang 21395",
		"W1127 02:51:41.554718  8274 worker_pool.cpp:308] Too many errors found in local "
		"RNIC 172.16.0.1:16077@mlx5_3, mark it inactive\n"
		"E1127 02:51:41.563210  8274 rdma_context.cpp:319] Context is not active: mlx5_3\n"
		"E1127 02:51:41.584282  8497 rdma_transport.cpp:389] Device 0 is not active\n",
		"nccl.error", "node-a:mlx5_3", "mark it inactive", NULL, SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	{"marin-community/marin 8934",
		"2026-11-27 02:50:36.549102: E "
		"external/xla/xla/stream_executor/gpu/gpu_cudamallocasync_allocator.cc:414] "
		"cuMemAllocAsync failed to allocate 1024 bytes: CUDA error: CUDA_ERROR_CONTAINED: "
		"Invalid access of peer GPU memory over nvlink or a hardware error\n",
		"nccl.error", "node-a", "Invalid access of peer GPU memory over nvlink",
		"not the network", SEV_CRIT, ROLE_SYMPTOM, NULL},
};

/* Tried when all of the above were read right. */
static const struct log_report later_reports[] = {
	{"openucx/ucx 9970",
		"[1795747901.321281] [node-b:19381:0]       ib_device.c:1163 UCX  ERROR   "
		"ibv_create_ah(dlid=49152 sl=0 port=1 src_path_bits=0 dgid=::ffff:10.0.1.1 "
		"flow_label=0xffffffff sgid_index=3 traffic_class=106) for UD mlx5 connect on "
		"mlx5_1 failed: Connection timed out\n"
		"[node-b:19381] pml_ucx.c:424  Error: ucp_ep_create(proc=2) failed: Endpoint "
		"timeout\n",
		"nccl.error", "node-b:mlx5_1", "never came up", "10.0.1.1 (node-a mlx5_1)",
		SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"openucx/ucx 1881",
		"Fri Nov 27 02:51:44 2026[1,7]<stdout>:[1795747904.064665] [node-a:26727:0]     "
		"ucp_worker.c:373  UCX  ERROR Error Endpoint timeout was not handled for ep "
		"0xac1510\n",
		"nccl.error", "node-a", "Endpoint timeout", "26727", SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"openucx/ucx 5469",
		"[1795747909.293924] [node-a:58829:0]       ib_verbs.h:84   UCX  ERROR "
		"ibv_exp_query_device(mlx5_0) returned 38: Inappropriate ioctl for device\n",
		"nccl.error", "node-a:mlx5_0", "Inappropriate ioctl for device", "58829", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"OpenRLHF/OpenRLHF 795",
		"(ActorModelRayActor pid=16101) [node-a][16101:17880][0][init.cc:1815] NCCL WARN "
		"init.cc:1815 -> 5\n"
		"(ActorModelRayActor pid=16101) [node-a][16101:17880][0][group.cc:74] NCCL INFO "
		"/ACCL-P/src/group.cc:74 -> 5 [Async thread]\n",
		"nccl.error", "node-a", "process 16101 on node-a, GPU 0", "init.cc:1815 -> 5",
		SEV_WARN, ROLE_SYMPTOM, NULL},
	{"OpenRLHF/OpenRLHF 621",
		"(LLMRayActor pid=90738, ip=172.16.0.2) mlx5: host_unknown: got completion with "
		"error:\n"
		"(LLMRayActor pid=90738, ip=172.16.0.2) 00000000 00000000 00000000 00000000\n"
		"(LLMRayActor pid=90738, ip=172.16.0.2) 00000000 00000000 00000000 00000000\n"
		"(LLMRayActor pid=90738, ip=172.16.0.2) 00000000 00000000 00000000 00000000\n"
		"(LLMRayActor pid=90738, ip=172.16.0.2) 00000000 00008815 0a000a4f 0000a5d2\n",
		"nccl.error", "node-b", "retries exceeded", "90738", SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"NVIDIA/TensorRT-LLM 1039",
		"node-a:390729:390729 [2] init.cc:303 NCCL WARN Attempt to use communicator before "
		"the previous operation returned ncclSuccess\n"
		"node-a:390729:390729 [2] NCCL INFO enqueue.cc:1605 -> 512\n"
		"Failed, NCCL error "
		"/home/jenkins/agent/tensorrt_llm/cpp/tensorrt_llm/plugins/ncclPlugin/"
		"allreducePlugin.cpp:183 'unknown result code'\n",
		"nccl.error", "node-a", "Attempt to use communicator before", "390729", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"NVIDIA/TensorRT-LLM 9263",
		"RuntimeError: [TensorRT-LLM][ERROR] Assertion failed: Failed, NCCL error "
		"../tensorrt_llm/runtime/ncclCommunicator.cpp:90 'invalid usage (run with "
		"NCCL_DEBUG=WARN for details)'\n",
		"nccl.error", "node-a", "invalid usage", NULL, SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"vllm-project/vllm 7896",
		"(RayWorkerWrapper pid=1181, ip=172.16.0.2) INFO 08-27 05:11:55 pynccl.py:63] vLLM "
		"is using nccl==2.20.5 [repeated 14x across cluster]\n"
		"(RayWorkerWrapper pid=1181, ip=172.16.0.2) RuntimeError: NCCL error: unhandled "
		"cuda error (run with NCCL_DEBUG=INFO for details) [repeated 6x across cluster]\n",
		"nccl.error", "node-b", "unhandled cuda error", "not the network", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"dmlc/xgboost 7019",
		"dask multinode: /workspace/xgboost/src/tree/updater_gpu_hist.cu:794: Exception in "
		"gpu_hist: NCCL failure :unhandled system error "
		"/workspace/xgboost/src/common/device_helpers.cu(71)\n",
		"nccl.error", "node-a", "unhandled system error", NULL, SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	{"hhu-bsinfo/hadroNIO 6",
		"server-1  | [1795747913.599525] [node-a:1    :0]          ucp_ep.c:1667 UCX  WARN "
		" disconnect failed: Endpoint timeout\n",
		NULL, NULL, "", NULL, SEV_OK, ROLE_SYMPTOM, NULL},
};

/* Tried when all of those were read right too. */
static const struct log_report last_reports[] = {
	{"NVIDIA/nccl 844",
		"node-a:39:298 [0] include/socket.h:423 NCCL WARN Net : Connection closed by "
		"remote peer 172.16.0.2<52638>\n"
		"node-a:39:298 [0] NCCL INFO include/socket.h:445 -> 2\n"
		"\nnode-a:39:298 [0] include/alloc.h:48 NCCL WARN Cuda failure 'out of memory'\n"
		"node-a:39:298 [0] NCCL INFO bootstrap.cc:231 -> 1\n"
		"\nnode-a:39:298 [0] bootstrap.cc:279 NCCL WARN [Rem Allocator] Allocation failed "
		"(segment 0, fd 130)\n",
		"nccl.error", "node-a", "Cuda failure 'out of memory'", "not the network", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"deepseek-ai/DeepEP 143",
		"node-a:4016:4653 [1] misc/ibvwrap.cc:190 NCCL WARN Call to ibv_create_cq failed "
		"with error Cannot allocate memory\n"
		"node-a:4016:4653 [1] NCCL INFO transport/net_ib.cc:659 -> 2\n"
		"\nnode-a:4009:4658 [0] misc/ibvwrap.cc:190 NCCL WARN Call to ibv_create_cq failed "
		"with error Cannot allocate memory\n"
		"\nnode-a:4011:4650 [0] proxy.cc:1533 NCCL WARN [Service thread] Error encountered "
		"progressing operation=Connect, res=3, closing connection\n",
		"nccl.error", "node-a", "ibv_create_cq", "locked memory", SEV_CRIT, ROLE_SYMPTOM,
		"far process"},
	{"awslabs/awsome-distributed-ai 203",
		"register_rail_mr_buffer:617 NCCL WARN NET/OFI Unable to register memory (type = "
		"2) for device 4. RC: -22, Error: Invalid argument\n",
		"nccl.error", "node-a", "Unable to register memory", "Invalid argument", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"openucx/ucx 420",
		"[1795747901.626518] [node-a:31000:0]        ib_mlx5.c:200  UCX  ERROR Failed to "
		"get mlx5 QP information\n"
		"[1795747901.638309] [node-a:31000:0]     rc_mlx5_ep.c:695  UCX  ERROR Failed to "
		"get mlx5 QP information\n",
		"nccl.error", "node-a", "Failed to get mlx5 QP information", "31000", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"ray-project/ray 33290",
		"(RayExecutor pid=423719, ip=172.16.0.2) RuntimeError: NCCL error in: "
		"../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:1269, internal error, NCCL "
		"version 2.14.3\n"
		"(RayExecutor pid=423719, ip=172.16.0.2) ncclInternalError: Internal check "
		"failed.\n"
		"(RayExecutor pid=423719, ip=172.16.0.2) Last error:\n"
		"(RayExecutor pid=423719, ip=172.16.0.2) Proxy Call to rank 0 failed (Connect)\n",
		"nccl.error", "node-b", "Proxy Call to rank 0 failed (Connect)", "423719", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"NVIDIA/nccl-tests 206",
		"node-a:311:330 [0] misc/ibvwrap.cc:278 NCCL WARN Call to ibv_reg_mr_iova2 failed "
		"with error Cannot allocate memory\n"
		"node-a:311:330 [0] NCCL INFO transport/net_ib.cc:1014 -> 2\n",
		"nccl.error", "node-a", "ibv_reg_mr_iova2", "locked memory", SEV_CRIT, ROLE_SYMPTOM,
		"far process"},
	{"jax-ml/jax 22747",
		"2026-11-27 02:52:14.107390: W external/xla/xla/service/gpu/runtime/support.cc:58] "
		"Intercepted XLA runtime error:\n"
		"INTERNAL: external/xla/xla/service/gpu/nccl_utils.cc:305: NCCL operation "
		"ncclCommInitRank(&comm, nranks, id, rank) failed: unhandled system error (run "
		"with NCCL_DEBUG=INFO for details). Last NCCL warning(error) log entry (may be "
		"unrelated) 'socketTryAccept: Accept failed: Bad file descriptor'.\n",
		"nccl.error", "node-a", "unhandled system error", "socketTryAccept", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"jax-ml/jax 17399",
		"INTERNAL: external/xla/xla/service/gpu/nccl_utils.cc:275: NCCL operation "
		"ncclCommInitRank(&comm, nranks, id, rank) failed: unhandled cuda error\n",
		"nccl.error", "node-a", "unhandled cuda error", "not the network", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"deepspeedai/DeepSpeed 6875",
		"node-a:34610:36821 [1] ib_plugin.c:1673 NCCL WARN NET/IB: Got completion from "
		"peer 172.16.0.2<34696> with status=5 opcode=0 len=0 vendor err 249 (Recv) hca "
		"mlx5_1\n"
		"node-a:34610:36821 [1] NCCL INFO transport/net.cc:1314 -> 6\n"
		"[rank1]:[E1127 02:47:25.333820755 ProcessGroupNCCL.cpp:541] [Rank 1] found async "
		"exception when checking for NCCL errors: NCCL error: remote process exited or "
		"there was a network error, NCCL version 2.22.3\n"
		"ncclRemoteError: A call failed possibly due to a network error or a remote "
		"process exiting prematurely.\n"
		"Last error:\n"
		"NET/IB: Got completion from peer 172.16.0.2<34696> with status=5 opcode=0 len=0 "
		"vendor err 249 (Recv) hca mlx5_1\n",
		"nccl.error", "node-a:mlx5_1", "status 5", "aftermath", SEV_CRIT, ROLE_SYMPTOM,
		NULL},
	{"Lightning-AI/lit-llama 380",
		"node-a:34050:34121 [0] transport/net_ib.cc:93 NCCL WARN NET/IB : Got async event "
		": port error\n"
		"\nnode-a:34052:34141 [0] transport/net_ib.cc:93 NCCL WARN NET/IB : Got async "
		"event : port error\n"
		"\nnode-b:73076:73185 [1] transport/net_ib.cc:1238 NCCL WARN NET/IB : Got "
		"completion from peer node-a<37948> with error 12, opcode 2, len 1, vendor err "
		"129\n",
		"nccl.error", "node-b", "retries exceeded", "node-a", SEV_CRIT, ROLE_SYMPTOM, NULL},
	{"deepseek-ai/DeepEP 223",
		"/sgl-workspace/nvshmem/src/modules/bootstrap/uid/ncclSocket/"
		"ncclsocket_socket.cpp:socketProgressOpt:39: socketProgressOpt: Call to recv from "
		"172.16.0.2<38229> failed : Broken pipe\n"
		"/sgl-workspace/nvshmem/src/modules/bootstrap/uid/bootstrap_uid.cpp:90: non-zero "
		"status: -6 /sgl-workspace/nvshmem/src/host/topo/topo.cpp:477: non-zero status: -6 "
		"allgather of ipc handles failed\n"
		"\n/sgl-workspace/nvshmem/src/host/init/init.cu:998: non-zero status: 7 building "
		"transport map failed\n",
		"nccl.error", "node-a", "building transport map failed", NULL, SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"deepseek-ai/DeepEP 307",
		"/sgl-workspace/nvshmem/src/modules/transport/ibgda/ibgda.cpp:1348: NULL value "
		"Unable to create ah.\n"
		"/sgl-workspace/nvshmem/src/modules/transport/ibgda/ibgda.cpp:3025: non-zero "
		"status: 7 ibgda_rc_init2rtr failed on RC #216.\n",
		"nccl.error", "node-a", "ibgda_rc_init2rtr failed", "never came up", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"deepseek-ai/DeepEP 321",
		"/sgl-workspace/nvshmem_src/src/modules/transport/ibgda/ibgda.cpp:2996: non-zero "
		"status: 101 ibv_modify_qp failed\n",
		"nccl.error", "node-a", "ibv_modify_qp failed", "never came up", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"deepseek-ai/DeepEP 274",
		"WARN: IB: read failed in ib_roce_get_version_num: Invalid argument\n"
		"DeepEP dispatch NVL receiver timeout, channel: 6, RDMA: 0, nvl: 0, src NVL: 5, "
		"head: 315, tail: 315\n"
		"terminate called after throwing an instance of 'EPException'\n"
		"  what():  Failed: CUDA error /workspace/DeepEP/csrc/deep_ep.cpp:83 'unspecified "
		"launch failure'\n",
		"nccl.error", "node-a", "DeepEP dispatch NVL receiver timeout", NULL, SEV_CRIT,
		ROLE_SYMPTOM, NULL},
	{"kvcache-ai/Mooncake 166",
		"E1127 02:51:20.638639 297912 rdma_endpoint.cpp:385] [Handshake] Failed to modify "
		"QP to RTR, check mtu, gid, peer lid, peer qp num: Connection timed out [110]\n",
		"nccl.error", "node-a", "Failed to modify QP to RTR", "never came up", SEV_CRIT,
		ROLE_SYMPTOM, NULL},
};

CASE(each_log_is_read_rightly)
{
	log_reports_read(NOW, reports, sizeof(reports) / sizeof(reports[0]));
}

CASE(later_logs_are_read_rightly)
{
	log_reports_read(NOW, later_reports, sizeof(later_reports) / sizeof(later_reports[0]));
}

CASE(last_logs_are_read_rightly)
{
	log_reports_read(NOW, last_reports, sizeof(last_reports) / sizeof(last_reports[0]));
}

/* ROCm/rccl 2188: one process with several GPUs. */
CASE(gpus_of_one_process_are_told_apart)
{
	struct job_hosts *h = job_hosts_new(NOW);
	const struct finding *f;

	job_hosts_text(h,
		"[2026-11-27 02:52:12] node-a:11:11 [0] .../src/transport/p2p.cc:256 NCCL WARN "
		"hipIpcGetMemHandle failed : invalid argument\n"
		"[2026-11-27 02:52:12] node-a:11:12 [1] .../src/transport/p2p.cc:256 NCCL WARN "
		"hipIpcGetMemHandle failed : invalid argument\n"
		"[2026-11-27 02:52:12] node-a:11:13 [2] .../src/transport/p2p.cc:256 NCCL WARN "
		"hipIpcGetMemHandle failed : invalid argument\n"
		"[2026-11-27 02:52:12] node-a:11:14 [5] .../src/transport/p2p.cc:256 NCCL WARN "
		"hipIpcGetMemHandle failed : invalid argument\n");
	f = job_hosts_found(h, "nccl.error", "node-a");
	assert_true(job_hosts_says(f, "process 11 on node-a, GPUs 0 to 2, 5: hipIpcGetMemHandle"));
	job_hosts_free(h);
}

/* ---- two jobs ---- */

#define RANK_OF(host, pid, rank, nranks, gpu, id)                                                  \
	host ":" pid ":" pid "1 [" gpu "] NCCL INFO ncclCommInitRank comm 0x55 rank " rank         \
	     " nranks " nranks " cudaDev " gpu " nvmlDev " gpu " busId " gpu "a000 commId 0x" id   \
	     " - Init COMPLETE\n"
#define GROUP_CAUGHT(rank, op, seq)                                                                \
	"[rank" rank "]:[E1127 02:52:08.4 ProcessGroupNCCL.cpp:2268] [PG ID 0 PG GUID "            \
	"0(default_pg) Rank " rank "] " ENDED                                                      \
	CAUGHT(rank, op, seq, "600060")

/* Each job has a group "0": a watchdog of one says nothing of the other. */
CASE(groups_of_two_jobs_differ)
{
	struct job_hosts *h = job_hosts_new(NOW);
	const struct finding *f;

	job_hosts_text(h, RANK_OF("node-a", "41", "0", "2", "0", "a1ffb74daef8a940")
				  RANK_OF("node-a", "42", "1", "2", "1", "a1ffb74daef8a940"));
	job_hosts_text(h, RANK_OF("node-b", "51", "0", "2", "0", "b2ffb74daef8a941")
				  RANK_OF("node-b", "52", "1", "2", "1", "b2ffb74daef8a941"));
	job_hosts_text_of(h, "node-a",
		GROUP_CAUGHT("0", "ALLREDUCE", "71") GROUP_CAUGHT("1", "ALLREDUCE", "71"));
	job_hosts_text_of(h, "node-b", GROUP_CAUGHT("1", "ALLGATHER", "88"));
	job_hosts_poll(h, 2);
	f = job_hosts_of_job(h, "nccl.timeout", "job-a1ffb74d");
	assert_true(job_hosts_says(f, "all 2 ranks gave up on AllReduce 71"));
	f = job_hosts_of_job(h, "nccl.timeout", "job-b2ffb74d");
	assert_true(job_hosts_says(f, "1 of 2 ranks gave up on AllGather 88"));
	job_hosts_free(h);
}

/* ---- who is who ---- */

/* The log begins without any init line: the processes of the host say which rank failed. */
CASE(processes_of_the_host_say_which_rank_it_is)
{
	struct job_hosts *h = job_hosts_new(NOW);
	const struct finding *f;

	job_hosts_processes(h, "node-a",
		"@@processes 1\n@@devices\n4242/fd:\nl 1 -> /dev/nvidia2\n@@parents\n@@variables\n"
		"4242/environ:RANK=6\n4242/environ:WORLD_SIZE=8\n4242/environ:LOCAL_RANK=2\n"
		"4242/environ:MASTER_ADDR=node-a\n4242/environ:MASTER_PORT=29500\n@@end\n");
	job_hosts_text(h,
		"node-a:4242:4301 [2] transport/net_ib.cc:1909 NCCL WARN NET/IB : Got completion "
		"from peer 172.16.0.2<33057> with status=12 opcode=0 len=0 vendor err 129 "
		"(Send)\n");
	f = job_hosts_found(h, "nccl.error", NULL);
	assert_true(job_hosts_says(f, "rank 6 of node-a:29500: retries exceeded"));
	job_hosts_free(h);
}

/* k8snetworkplumbingwg/multus-cni 1100: a pod's name, and no line with an address. */
CASE(the_cluster_says_where_a_pod_runs)
{
	struct job_hosts *h = job_hosts_new(NOW);

	job_hosts_pods(h,
		"{\"items\":[{\"metadata\":{\"name\":\"alg-test-master-0\",\"namespace\":\"a\"},"
		"\"spec\":{\"nodeName\":\"node-b\",\"containers\":[{\"resources\":{\"limits\":{"
		"\"nvidia.com/gpu\":\"8\"}}}]},\"status\":{\"phase\":\"Running\"}}]}");
	job_hosts_text(h,
		"alg-test-master-0:46312:46318 [0] misc/socket.cc:484 NCCL WARN "
		"socketStartConnect: Connect to 172.20.1.2<41000> failed : Software caused "
		"connection abort\n");
	assert_non_null(job_hosts_found(h, "nccl.error", "node-b"));
	job_hosts_free(h);
}

CASES_MAIN(NULL, NULL)
