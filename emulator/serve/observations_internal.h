/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_OBSERVATIONS_INTERNAL_H
#define EMULATOR_OBSERVATIONS_INTERNAL_H

#include <stdio.h>

#include "base/buf.h"
#include "emulator/serve/observations.h"

/* What only the observations*.c files share. */

struct port_memory {
	const struct sim_port *peer; /* as it was last written */
	bool up, told;
};

struct rank_memory {
	enum sim_coll coll;
	uint64_t coll_sn;
	int64_t ended_us; /* 0: nothing was written yet */
};

struct observations {
	struct observations_opts o;
	FILE *file;
	bool lost;          /* a write failed: the file has ended */
	uint64_t n;         /* observations taken */
	size_t *first_port; /* of each device in port[] */
	struct port_memory *port;
	uint64_t *logged;          /* of each device: lines of its log that are written */
	int64_t *boot;             /* of each device, as it was written */
	struct rank_memory **rank; /* of each job */
	size_t njobs;
	struct buf line;
};

/* Text pieces of a line, which is emptied before and holds one object after. */
void line_number(struct buf *b, uint64_t v);
/* A finite v, |v| < 1e15, with 0 to 3 decimals; printf() is most of the time of a large fabric. */
void line_fixed(struct buf *b, double v, unsigned decimals);
void line_string(struct buf *b, const char *text);
/* {"t":1732130000.250000,"device":"leaf-r0-00" */
void line_begin(struct buf *b, int64_t t_us, const char *device);

/* observations_port.c: ,"port":...,"counters":{...},"state":{...} without the closing brace. */
void observe_port(struct buf *b, const struct sim_device *d, const struct sim_port *p);
/* The port's name as the console knows it: the RDMA device on hosts. */
void observe_port_name(const struct sim_port *p, char *dst, size_t size);
/* observations_nccl.c: ,"nccl":{...} of the last collective that this rank finished. */
void observe_collective(struct buf *b, const struct sim_job_view *job, unsigned nnodes,
	const struct sim_rank_view *v);

#endif
