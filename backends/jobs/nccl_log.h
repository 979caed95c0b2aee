/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_JOBS_NCCL_LOG_H
#define BACKENDS_JOBS_NCCL_LOG_H

#include <uthash.h>

#include "backends/jobs/nccl_private.h"

/* Private to nccl_log.c, nccl_log_net.c and nccl_watchdog.c: one line of a job's log. */

#define LOG_NICS_MAX      64
#define LOG_PROCESSES_MAX 65536

/* Facts from earlier lines about one process; one log may hold all processes of a job. */
struct log_process {
	char key[96]; /* host, a blank, pid */
	uint32_t comm;
	int32_t rank, nranks;       /* in comm, -1: unknown */
	uint32_t nic[LOG_NICS_MAX]; /* by NCCL's index: texts of the batch, 0: none */
	bool has_nic;               /* a line named the NIC in use */
	UT_hash_handle hh;
};

struct log {
	struct obs *o;
	struct log_process *processes; /* hash */
	size_t n;
	bool known; /* at least one line was from NCCL or the watchdog */
};

/* Origin and text of a line. */
struct log_line {
	const char *text; /* after "NCCL INFO " or "NCCL WARN " */
	bool warn;
	char host[64];
	int32_t pid, gpu; /* gpu: CUDA's index, -1: none */
	int32_t label;    /* "19: " of srun --label: the task, which is the rank; -1: none */
	struct log_process *process; /* NULL: too many processes */
};

/* Decodes lines of NCCL's network code. Returns false for other lines. */
bool nccl_log_net(struct log *l, const struct log_line *line);
/* Decodes lines of ProcessGroupNCCL. Returns false for other lines. */
bool nccl_log_watchdog(struct log *l, const char *line);

#endif
