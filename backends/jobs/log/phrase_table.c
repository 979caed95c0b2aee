/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "backends/jobs/log/log.h"

/* Sentences that are known: a new one is a row. The first matching row decides. */

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

static const struct log_phrase phrases[] = {
	/* Said of healthy jobs, or beside the line that counts. */
	{{"failed to connect to any network address"}, TROUBLE_CONNECT, 0, NULL, 0},
	{{"client socket has failed to connect"}, TROUBLE_OVER, 0, NULL, 0}, /* it tries again */
	{{"hostname of the client socket"}, TROUBLE_OVER, 0, NULL, 0},
	{{"Unable to resolve hostname to a"}, TROUBLE_OVER, 0, NULL, 0},
	{{"srun: Job step aborted"}, TROUBLE_OVER, 0, NULL, 0},
	{{"srun: Force Terminated"}, TROUBLE_OVER, 0, NULL, 0},
	{{"srun: error: StepId=", ": running"}, TROUBLE_OVER, 0, NULL, 0},
	{{"srun: error: First task exited"}, TROUBLE_AFTER, 0, NULL, 0},
	{{"waiting for job step to complete"}, TROUBLE_AFTER, 0, NULL, 0},
	{{"Some NCCL operations have failed"}, TROUBLE_OVER, 0, NULL, 0},
	{{"To avoid data inconsistency"}, TROUBLE_OVER, 0, NULL, 0},
	{{"Stack trace of the failed"}, TROUBLE_OVER, 0, NULL, 0},
	{{"dump signal"}, TROUBLE_OVER, 0, NULL, 0},
	{{"dump debug info"}, TROUBLE_OVER, 0, NULL, 0},
	{{"Exception raised from"}, TROUBLE_OVER, 0, NULL, 0},
	{{"encountered a fatal error"}, TROUBLE_OVER, 0, NULL, 0},
	{{"hit an exception"}, TROUBLE_OVER, 0, NULL, 0},
	{{"Exception in "}, TROUBLE_OVER, 0, NULL, 0},
	{{"See root cause above"}, TROUBLE_OVER, 0, NULL, 0},
	{{"See stack trace above"}, TROUBLE_OVER, 0, NULL, 0},
	{{"terminate called after throwing"}, TROUBLE_OVER, 0, NULL, 0},
	{{"Fatal Python error"}, TROUBLE_OVER, 0, NULL, 0},
	{{"Stack trace:"}, TROUBLE_OVER, 0, NULL, 0},
	{{"libibverbs: Warning: couldn't"}, TROUBLE_OVER, 0, NULL, 0},
	{{"error initializing an OpenFabrics device"}, TROUBLE_OVER, 0, NULL, 0},
	{{"sent help message"}, TROUBLE_OVER, 0, NULL, 0},
	{{"closing signal SIGTERM"}, TROUBLE_OVER, 0, NULL, 0},
	{{"Killing subprocess"}, TROUBLE_OVER, 0, NULL, 0},
	/* A process ended; the machine that is named is its own. */
	{{"srun: error: ", "Terminated"}, TROUBLE_AFTER, OF_PLACE, NULL, 0},
	{{"srun: error: ", " task"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"srun: error: ", "ailed"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"srun: error: ", "ode failure"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"CANCELLED AT ", "NODE FAIL"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	/* The node that stands here is the first one of the step, whoever failed. */
	{{"CANCELLED AT ", "DUE TO "}, TROUBLE_NOTE, 0, NULL, 0},
	{{"*** ", " CANCELLED AT "}, TROUBLE_OVER, 0, NULL, 0},
	{{"slurmstepd: error: ", "oom"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"slurmstepd: error: ", "OOM"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"noticed that process rank", "exited on"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"has exited due to process rank"}, TROUBLE_ERROR, OF_PLACE | NEXT_LINES, NULL, 0},
	{{"not enough slots available"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"*** An error occurred in MPI_"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"Open MPI detected an inbound"}, TROUBLE_NOTE, NEXT_LINES,
		"a connection from an address that Open MPI does not expect was dropped", 0},
	{{"lost communication with", "daemon"}, TROUBLE_ERROR, OF_PLACE | NEXT_LINES, NULL, 0},
	{{"*** Process received signal"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"(exitcode: -15)", "(pid: "}, TROUBLE_AFTER, OF_PLACE, NULL, 0},
	{{"(exitcode: ", "(pid: "}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"exits with return code = -15"}, TROUBLE_AFTER, OF_PLACE, NULL, 0},
	{{"exits with return code = "}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"has been marked dead"}, TROUBLE_ERROR, OF_PLACE | OF_OTHERS,
		"marked dead by Ray: it sends no heartbeats", 0},
	{{"heartbeat timeout"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"Watchdog timeout ("}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{": Test failure "}, TROUBLE_OVER, 0, NULL, 0},
	{{"Caught signal"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"*** SIG", " received at"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"ssertion fail"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"ssertion `", "failed"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	/* MPICH and those made from it: "Abort(15) on node 0 (rank 0 in comm 0): Fatal error in".
	 */
	{{"Fatal error in ", "Abort("}, TROUBLE_ERROR, OF_HOST, NULL, 0},
	{{"Fatal error in ", "MPI_"}, TROUBLE_ERROR, OF_HOST, NULL, 0},
	{{"unable to connect to rank "}, TROUBLE_CONNECT, 0, NULL, 0}, /* the end of its stack */
	{{"core dumped"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"SIGTERM received"}, TROUBLE_AFTER, OF_PLACE, NULL, 0},
	{{"received by PID", "stack trace"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"The first process to do so was"}, TROUBLE_ERROR, OF_PLACE | NEXT_LINES, NULL, 0},
	{{"InfiniBand retry count between"}, TROUBLE_ERROR, NEXT_LINES,
		"retries exceeded (status 12), Open MPI", 12},
	{{"MPI_ABORT was invoked on rank"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"PID ", " RUNNING AT "}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"ssh exited with exit code"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"command terminated with exit code"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"OOMKilled"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"exceeds the memory usage threshold"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"where this task was running crashed"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"SignalException", "signal: 15"}, TROUBLE_AFTER, OF_PLACE, NULL, 0},
	{{"Worker exit type: SYSTEM_ERROR"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"worker died or was killed"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"Raylet failed"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"actor died"}, TROUBLE_ERROR, OF_PLACE | NEXT_LINES, NULL, 0},
	/* One rank is not where the others are: it is the one that is named. */
	{{"failed to pass monitoredBarrier"}, TROUBLE_ERROR, OF_PLACE | OF_RANKS, NULL, 0},
	{{"Barrier timed out"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"Detected mismatch between collectives"}, TROUBLE_ERROR, OF_PLACE | OF_RANKS, NULL, 0},
	/* Ascend's codes of its collectives: a notification or a socket that never comes. */
	{{"EI0006: [PID: "}, TROUBLE_CONNECT, 0, NULL, 0},
	{{"EI0009: [PID: "}, TROUBLE_CONNECT, 0, NULL, 0},
	{{"EI0", ": [PID: "}, TROUBLE_ERROR, 0, NULL, 0},
	{{"BTL failed to initialize while"}, TROUBLE_ERROR, OF_PLACE | NEXT_LINES, NULL, 0},
	/* Horovod: the second line, of each operation, has the ranks. */
	{{"[missing ranks: "}, TROUBLE_NOTE, 0, NULL, 0},
	{{"waiting for remainder of ranks"}, TROUBLE_NOTE, 0,
		"some ranks do not join an operation: waiting for remainder of ranks", 0},
	{{"Polled an error from coordination service"}, TROUBLE_AFTER, 0, NULL, 0},
	{{"Application timeout caused pair closure"}, TROUBLE_ERROR, 0, NULL, 0},
	/* GPUs */
	{{"Memory access fault by GPU"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"HSA_STATUS_ERROR"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"illegal memory access was encountered"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"unspecified launch failure"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"uncorrectable ECC error"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"CUDA out of memory"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"HIP out of memory"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"system not yet initialized"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"GPU is lost"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"determine the device handle for GPU"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"Test NCCL failure", "remote process exited"}, TROUBLE_AFTER, OF_PLACE, NULL, 0},
	{{"Test NCCL failure"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"Test CUDA failure"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	/* NCCL's own words, which another one repeats. */
	{{"socketStartConnect"}, TROUBLE_CONNECT, 0, NULL, 0},
	{{"socketPollConnect"}, TROUBLE_CONNECT, 0, NULL, 0},
	{{"socketProgress", "Connection closed"}, TROUBLE_AFTER, 0, NULL, 0},
	/* The others never came. */
	{{"client socket has timed out"}, TROUBLE_CONNECT, 0, NULL, 0},
	{{"Timed out after ", " joined"}, TROUBLE_CONNECT, 0, NULL, 0},
	{{"imed out", "store based barrier"}, TROUBLE_CONNECT, 0, NULL, 0},
	{{"wait timeout after ", "keys"}, TROUBLE_CONNECT, 0, NULL, 0},
	{{"ncclUniqueId", "got error"}, TROUBLE_CONNECT, 0, NULL, 0},
	{{"connectFullMesh failed"}, TROUBLE_CONNECT, 0, NULL, 0},
	{{"connection to the C10d store has failed"}, TROUBLE_CONNECT, 0, NULL, 0},
	{{"connect() timed out"}, TROUBLE_CONNECT, 0, NULL, 0},
	{{"RendezvousTimeoutError"}, TROUBLE_CONNECT, 0, NULL, 0},
	{{"ssh: connect to host"}, TROUBLE_CONNECT, 0, NULL, 0},
	{{"not reachable via ssh"}, TROUBLE_CONNECT, 0, NULL, 0},
	{{"exit status 255", "Command 'ssh "}, TROUBLE_CONNECT, 0, NULL, 0},
	{{"ssh: Could not resolve hostname"}, TROUBLE_CONNECT, 0, NULL, 0},
	{{"ermission denied ("}, TROUBLE_CONNECT, 0, NULL, 0}, /* ssh: the ways that it tried */
	{{"onnection closed by ", " port "}, TROUBLE_CONNECT, 0, NULL, 0},
	{{"Host key verification failed"}, TROUBLE_CONNECT, 0, NULL, 0},
	{{"kex_exchange_identification"}, TROUBLE_CONNECT, 0, NULL, 0},
	{{"PMIX ERROR: UNREACHABLE"}, TROUBLE_CONNECT, OF_HOST, NULL, 0},
	{{"OPAL ERROR: Unreachable"}, TROUBLE_CONNECT, OF_HOST, NULL, 0},
	/* perftest */
	{{"Couldn't connect to "}, TROUBLE_CONNECT, 0, NULL, 0},
	{{"Unable to connect (retries"}, TROUBLE_CONNECT, 0, NULL, 0},
	{{"Unable to init the socket connection"}, TROUBLE_CONNECT, 0, NULL, 0},
	{{"Unable to open file descriptor for socket connection"}, TROUBLE_CONNECT, 0, NULL, 0},
	{{"exchange data between server and client"}, TROUBLE_NOTE, 0, NULL, 0},
	{{"Did not get Message for "}, TROUBLE_ERROR, 0, NULL, 0},
	{{"Completion with error at "}, TROUBLE_OVER, 0, NULL, 0}, /* its status comes next */
	{{"Unable to Connect the HCA"}, TROUBLE_CONNECT, 0, NULL, 0},
	{{"failed to TCP connect"}, TROUBLE_CONNECT, NEXT_LINES, NULL, 0},
	{{"pair of MPI processes are unable to reach"}, TROUBLE_CONNECT, NEXT_LINES, NULL, 0},
	{{"unable to complete a TCP connection"}, TROUBLE_CONNECT, NEXT_LINES, NULL, 0},
	{{"odify QP", "ailed"}, TROUBLE_CONNECT, 0, NULL, 0},
	{{"odify qp", "ailed"}, TROUBLE_CONNECT, 0, NULL, 0},
	/* Verbs, as programs of all kinds report them. */
	{{"libibverbs: Fatal"}, TROUBLE_ERROR, 0, NULL, 0},
	{{"librdmacm: Fatal"}, TROUBLE_ERROR, 0, NULL, 0},
	{{"no userspace device-specific driver"}, TROUBLE_NOTE, 0, NULL, 0},
	{{"RLIMIT_MEMLOCK is"}, TROUBLE_NOTE, 0, NULL, 0},
	{{"becomes unresponsive"}, TROUBLE_ERROR, 0, NULL, 0}, /* libfabric's peer */
	/* NIXL's codes. A client that ended a request is no trouble, and the counters of a transfer
	 * that are off are none. */
	{{"borted by AbortReq"}, TROUBLE_OVER, 0, NULL, 0},
	{{"NIXL_ERR_NO_TELEMETRY"}, TROUBLE_OVER, 0, NULL, 0},
	{{"NIXL_ERR_REMOTE_DISCONNECT"}, TROUBLE_AFTER, 0, NULL, 0},
	{{"NIXL_ERR_CANCELED"}, TROUBLE_AFTER, 0, NULL, 0},
	{{"NIXL_ERR_NOT_FOUND"}, TROUBLE_AFTER, 0, NULL, 0},
	/* What one rank hears of another. */
	{{"from another rank"}, TROUBLE_NOTE, 0, NULL, 0},
	{{"imed out waiting ", " operation to complete"}, TROUBLE_ERROR, 0, NULL, 0},
	{{"ibv_modify_qp", "ailed"}, TROUBLE_CONNECT, 0, NULL, 0},
	{{"ibv_create_ah", "ailed"}, TROUBLE_CONNECT, 0, NULL, 0},
	{{"reate AH"}, TROUBLE_CONNECT, 0, NULL, 0},
	{{"reate ah"}, TROUBLE_CONNECT, 0, NULL, 0},
	{{"reate address handle"}, TROUBLE_CONNECT, 0, NULL, 0},
	{{"ibv_", "ailed"}, TROUBLE_ERROR, 0, NULL, 0},
	{{"ibv_", " err,"}, TROUBLE_ERROR, 0, NULL, 0},
	{{"keep alive timeout"}, TROUBLE_NOTE, 0, NULL, 0}, /* of a client of storage */
	{{" rdma_", "ailed"}, TROUBLE_ERROR, 0, NULL, 0},   /* librdmacm's calls */
	{{" fi_", " error"}, TROUBLE_ERROR, 0, NULL, 0},    /* libfabric's */
	{{"::fi_", " error"}, TROUBLE_ERROR, 0, NULL, 0},
	{{" fi_", "ailed"}, TROUBLE_ERROR, 0, NULL, 0},
	{{"register memory", "ailed"}, TROUBLE_ERROR, 0, NULL, 0},
	{{"MR registration failed"}, TROUBLE_ERROR, 0, NULL, 0},
	{{"ailed to register MR"}, TROUBLE_ERROR, 0, NULL, 0},
	{{"mlx5dv_", "ailed"}, TROUBLE_ERROR, 0, NULL, 0},
	{{"RDMA_CM_EVENT_", "ERROR"}, TROUBLE_CONNECT, 0, NULL, 0},
	{{"RDMA_CM_EVENT_UNREACHABLE"}, TROUBLE_CONNECT, 0, NULL, 0},
	{{"RDMA_CM_EVENT_REJECTED"}, TROUBLE_CONNECT, 0, NULL, 0},
	{{"neither nv_peer_mem"}, TROUBLE_NOTE, 0, NULL, 0},
	{{"ailed to query GID"}, TROUBLE_ERROR, OF_HOST, NULL, 0},
	{{"o suitable GID"}, TROUBLE_ERROR, OF_HOST, NULL, 0},
	{{"GID is NULL"}, TROUBLE_ERROR, OF_HOST, NULL, 0},
	{{"nable to find address for"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
	{{"nable to find interface"}, TROUBLE_ERROR, OF_PLACE, NULL, 0},
};

/* Connections that broke, in the words of the C library. */

static const struct log_phrase connections[] = {
	/* It was up: the far end, or the path to it, stopped answering. */
	{{"ead error", "imed out"}, TROUBLE_ERROR, 0, NULL, 0},
	{{"rite error", "imed out"}, TROUBLE_ERROR, 0, NULL, 0},
	{{"recv", "imed out"}, TROUBLE_ERROR, 0, NULL, 0},
	{{"send", "imed out"}, TROUBLE_ERROR, 0, NULL, 0},
	{{"onnection timed out"}, TROUBLE_CONNECT, 0, NULL, 0},
	{{"onnection refused"}, TROUBLE_CONNECT, 0, NULL, 0},
	{{"No route to host"}, TROUBLE_CONNECT, 0, NULL, 0},
	{{"etwork is unreachable"}, TROUBLE_CONNECT, 0, NULL, 0},
	{{"annot assign requested address"}, TROUBLE_CONNECT, 0, NULL, 0},
	{{"onnection was likely closed"}, TROUBLE_AFTER, 0, NULL, 0},
	{{"recv", "got 0 bytes"}, TROUBLE_AFTER, 0, NULL, 0},
	{{"closed by peer"}, TROUBLE_AFTER, 0, NULL, 0},
	{{"closed by remote"}, TROUBLE_AFTER, 0, NULL, 0},
	{{"reset by peer"}, TROUBLE_AFTER, 0, NULL, 0},
	{{"roken pipe"}, TROUBLE_AFTER, 0, NULL, 0},
};

static bool has_all(const char *s, const char *const *word)
{
	for (unsigned i = 0; i < LOG_PHRASE_WORDS && word[i]; i++)
		if (!strstr(s, word[i]))
			return false;
	return true;
}

static const struct log_phrase *find_phrase(const struct log_phrase *list, size_t n, const char *s)
{
	for (size_t i = 0; i < n; i++)
		if (has_all(s, list[i].word))
			return &list[i];
	return NULL;
}

const struct log_phrase *nccl_log_find_phrase(const char *s)
{
	return find_phrase(phrases, ARRAY_LEN(phrases), s);
}

const struct log_phrase *nccl_log_find_connection(const char *s)
{
	return find_phrase(connections, ARRAY_LEN(connections), s);
}
