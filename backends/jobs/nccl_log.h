/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_JOBS_NCCL_LOG_H
#define BACKENDS_JOBS_NCCL_LOG_H

#include <uthash.h>

#include "backends/jobs/nccl_private.h"

/* Between nccl_log.c, nccl_log_net.c and nccl_watchdog.c: one line of a job's log. */

#define LOG_NICS_MAX      64
#define LOG_PROCESSES_MAX 65536

/* What the lines so far said of a process; one log may hold those of a whole job. */
struct log_process {
	char key[96]; /* host, a blank, pid */
	uint32_t comm;
	int32_t rank, nranks;       /* of comm, -1 */
	uint32_t nic[LOG_NICS_MAX]; /* by NCCL's index: texts of the batch, 0 */
	bool has_nic;               /* which one it uses was told */
	UT_hash_handle hh;
};

struct log {
	struct obs *o;
	struct log_process *processes; /* hash */
	size_t n;
	bool known; /* a line was one of NCCL's or of the watchdog's */
};

/* Who wrote the line. */
struct log_line {
	const char *text; /* behind "NCCL INFO " or "NCCL WARN " */
	bool warn;
	char host[64];
	int32_t pid, gpu;            /* gpu: CUDA's index, -1 */
	int32_t label;               /* "19: " of srun --label: the task, which is the rank; -1 */
	struct log_process *process; /* NULL: there are too many */
};

/* Network lines; false: it is none of them. */
bool nccl_log_net(struct log *l, const struct log_line *line);
/* ProcessGroupNCCL's lines; false: it is none of them. */
bool nccl_log_watchdog(struct log *l, const char *line);

#endif
