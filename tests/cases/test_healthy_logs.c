/* SPDX-License-Identifier: Apache-2.0 */
/* What must not be found in the logs of jobs: lines with words of failure that healthy jobs print.
 */
#include "base/clock.h"
#include "tests/cases/job_hosts.h"
#include "tests/support/cases.h"

/* 2026-11-27 02:53:20 UTC */
#define NOW (INT64_C(1795748000) * CLOCK_SEC)

/* Lines that healthy jobs print, with words of failure in them. */
static const char healthy[] =
	"INFO 11-27 02:40:01 [__init__.py:239] Automatically detected platform cuda.\n"
	"WARNING 11-27 02:40:02 [cuda.py:95] Detected different devices in the system: NVIDIA "
	"H100, NVIDIA L4. Please make sure to set `CUDA_DEVICE_ORDER=PCI_BUS_ID` to avoid "
	"unexpected behavior.\n"
	"(VllmWorker rank=3 pid=4242) WARNING 11-27 02:40:03 [custom_all_reduce.py:132] Custom "
	"allreduce is disabled because it's not supported on more than two PCIe-only GPUs. To "
	"silence this warning, specify disable_custom_all_reduce=True explicitly.\n"
	"(VllmWorker rank=3 pid=4242) WARNING 11-27 02:40:03 [topk_topp_sampler.py:69] FlashInfer "
	"is not available. Falling back to the PyTorch-native implementation of top-p & top-k "
	"sampling.\n"
	"[rank0]:[W1127 02:40:04.192032987 ProcessGroupGloo.cpp:516] Warning: Unable to resolve "
	"hostname to a (local) address. Using the loopback address as fallback. Manually set the "
	"network interface to bind to with GLOO_SOCKET_IFNAME. (function operator())\n"
	"[rank0]:[W1127 02:40:04.817424543 ProcessGroupNCCL.cpp:4115] [PG ID 0 PG GUID 0 Rank 0]  "
	"using GPU 0 to perform barrier as devices used by this process are currently unknown. "
	"This can potentially cause a hang if this rank to GPU mapping is incorrect. Specify "
	"device_ids in barrier() to force use of a particular device, or call init_process_group() "
	"with a device_id.\n"
	"[W socket.cpp:663] [c10d] The client socket has failed to connect to [node-a]:29500 "
	"(errno: 22 - Invalid argument).\n"
	"[W1127 02:40:05.1 socket.cpp:204] [c10d] The hostname of the client socket cannot be "
	"retrieved. err=-3\n"
	"[rank5]:[W1127 02:40:06.345680000 CUDAAllocatorConfig.h:28] Warning: expandable_segments "
	"not supported on this platform (function operator())\n"
	"/usr/lib/python3/site.py:12: FutureWarning: `torch.cuda.amp.autocast(args...)` is "
	"deprecated. rank 3\n"
	"[2026-11-27 02:40:07,123] [WARNING] [runner.py:215:fetch_hostfile] Unable to find "
	"hostfile, will proceed with training with local resources only.\n"
	"[2026-11-27 02:40:08,123] [WARNING] [config_utils.py:69:_process_deprecated_field] Config "
	"parameter cpu_offload is deprecated use offload_optimizer instead\n"
	" iteration      100/  500000 | consumed samples:       102400 | elapsed time per "
	"iteration (ms): 1234.5 | learning rate: 1.0E-04 | global batch size:  1024 | lm loss: "
	"1.0E+01 | loss scale: 1.0 | grad norm: 1.2 | number of skipped iterations:   0 | number "
	"of nan iterations:   0 |\n"
	"(min, max) time across ranks (ms):\n"
	"[rank3]: 2026-11-27 02:41:00 INFO step 12 error=0.002 rank 3\n"
	"node-a:4242:4301 [3] NCCL INFO NET/Plugin: Could not find: libnccl-net.so. Using internal "
	"network plugin.\n"
	"node-a:4242:4301 [3] NCCL INFO misc/socket.cc:58 -> 3\n"
	"(raylet) [2026-11-27 02:42:00,123 E 173 173] (raylet) file_system_monitor.cc:116: "
	"/tmp/ray/session is over 95% full, available space: 12 GB; capacity: 800 GB. Object "
	"creation will fail if spilling is required.\n"
	"(WorkerDict pid=4243) "
	"/usr/local/lib/python3.10/dist-packages/torch/utils/checkpoint.py:87: UserWarning: None "
	"of the inputs have requires_grad=True. Gradients will be None\n"
	"(WorkerDict pid=4243) Flash Attention 2.0 only supports torch.float16 and torch.bfloat16 "
	"dtypes, but the current dype in Qwen2ForCausalLM is torch.float32\n";

static const char healthy_too[] =
	"wandb: WARNING Saving files without folders. rank: 3 failed=0\n"
	"wandb: Network error (ConnectionError), entering retry loop.\n"
	"huggingface_hub.utils: HTTPSConnectionPool(host='huggingface.co', port=443): Max retries "
	"exceeded with url: /api (Caused by NewConnectionError: Failed to establish a new "
	"connection: [Errno 101] Network is unreachable)\n"
	"requests.exceptions.ConnectionError: ('Connection aborted.', ConnectionResetError(104, "
	"'Connection reset by peer'))\n"
	"[NeMo W 2026-11-27 02:40:07 nemo_logging:349] /opt/megatron: UserWarning: The "
	"torch.cuda.*DtypeTensor constructors are no longer recommended.\n"
	"[NeMo I 2026-11-27 02:40:07 megatron_init:265] Rank 3 has data parallel group : [0, 3]\n"
	"I1127 02:40:08.123456 4711 transfer_engine.cpp:97] Transfer Engine is starting. Server: "
	"node-a, error 0, rank 3\n"
	"[2026-11-27 02:40:09 TP3] Decode batch. #running-req: 3, #token: 1024, token usage: 0.01, "
	"gen throughput (token/s): 100\n"
	"[2026-11-27 02:40:09 TP3] Ignore import error when loading sglang.srt.models.midashenglm: "
	"No module named 'x'\n"
	"[2026-11-27 02:40:10 TP3] Setting sliding_window not supported\n"
	"UserWarning: On rank 0: could not find a checkpoint; training from scratch\n"
	" > could not find arguments in the checkpoint ... rank 0\n"
	"WARNING: could not find the metadata file /ckpt/latest_checkpointed_iteration.txt\n"
	"[rank0]: step 400 train_error 0.10 val_error 0.2\n"
	"Loading checkpoint shards: 100%|##########| 4/4 [00:05<00:00]\n"
	"DEBUG:rank 3: failed to import optional module apex\n"
	"(EngineCore_0 pid=99) (RayWorkerWrapper pid=101, ip=172.16.0.2) WARNING 11-27 02:40:11 "
	"[fused_moe.py:886] Using default MoE config. Performance might be sub-optimal! Config "
	"file not found at /x/E=8.json\n"
	"srun: Job step aborted: Waiting up to 32 seconds for job step to finish.\n";

static const char healthy_still[] =
	"INFO 11-27 02:40:11 [loader.py:447] Loading weights took 22.31 seconds\n"
	"(APIServer pid=1) INFO:     172.16.0.9:41222 - \"POST /v1/completions HTTP/1.1\" 500 "
	"Internal "
	"Server Error\n"
	"using world size: 64, data-parallel size: 8, tensor-model-parallel size: 8\n"
	"  exit_on_missing_checkpoint ...................... False\n"
	"  distributed_timeout_minutes ..................... 10\n"
	"torchrun --nproc-per-node 8 --rdzv-conf timeout=600 train.py --abort-on-nan\n"
	"+ export NCCL_IB_TIMEOUT=22 TORCH_NCCL_ASYNC_ERROR_HANDLING=1\n"
	"{\"step\": 400, \"timeout\": 600, \"failed\": 0, \"errors\": []}\n"
	"epoch 3 | error 0.01 | fail 0 | time 12.3s\n"
	"Failed requests:                         0         \n"
	"[2026-11-27 02:40:12] server_args=ServerArgs(model_path='/m', watchdog_timeout=300, "
	"dist_timeout=None)\n"
	"0: step 400 mean absolute error 0.01\n"
	"node-a:4242:4301 [3] NCCL INFO NCCL_IB_TIMEOUT set by environment to 22.\n"
	"[rank0]:I1127 02:40:13.1 torch/_inductor/config.py:11] compile_threads set to 32\n"
	"Emitting ninja build file /root/.cache/torch_extensions/py310_cu121/utils/build.ninja...\n"
	"--------------------------------------------------------------------------\n"
	"JIT compiled ops requires ninja\n"
	"async_io ............... [NO] ....... [NO]\n"
	"[NO] ....... [OKAY] fused_adam\n"
	"slurmstepd: task_p_pre_launch: Using sched_affinity for tasks\n"
	"Map: 100%|##########| 5000/5000 [00:10<00:00, 480.0 examples/s]\n"
	"training ended: 0 errors in 3 epochs, no rank has failed\n";

CASE(a_healthy_log_has_no_unread_warning)
{
	struct job_hosts *h = job_hosts_new(NOW);

	job_hosts_text(h, healthy);
	job_hosts_text(h, healthy_too);
	job_hosts_text(h, healthy_still);
	job_hosts_poll(h, 2);
	if (job_hosts_found(h, "nccl.error", NULL))
		job_hosts_print(h, -1);
	assert_null(job_hosts_found(h, "nccl.error", NULL));
	job_hosts_free(h);
}

/* A sentence of failure that names nothing is shown as a mere hint. */
CASE(words_of_failure_that_name_nothing_are_a_hint)
{
	struct job_hosts *h = job_hosts_new(NOW);
	const struct finding *f;

	job_hosts_text(h, "the exchange of weights failed after three attempts\n");
	job_hosts_poll(h, 2);
	f = job_hosts_found(h, "nccl.error", "node-a");
	assert_non_null(f);
	assert_int_equal(f->role, ROLE_RISK);
	assert_int_equal(f->severity, SEV_WARN);
	assert_true(job_hosts_says(f, "does not know what it is of"));
	job_hosts_free(h);
}

/* An error outranks the hint of its process. */
CASE(a_hint_gives_way_to_what_is_known)
{
	struct job_hosts *h = job_hosts_new(NOW);
	const struct finding *f;

	job_hosts_text(h, "the exchange of weights failed after three attempts\n"
			  "RuntimeError: NCCL Error 2: unhandled system error\n");
	job_hosts_poll(h, 2);
	f = job_hosts_found(h, "nccl.error", "node-a");
	assert_non_null(f);
	assert_int_equal(f->role, ROLE_SYMPTOM);
	assert_true(job_hosts_says(f, "unhandled system error"));
	job_hosts_free(h);
}

CASES_MAIN(NULL, NULL)
