/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_OBSERVATIONS_INTERNAL_H
#define EMULATOR_OBSERVATIONS_INTERNAL_H

#include <stdio.h>

#include "base/buf.h"
#include "emulator/serve/observations.h"
#include "emulator/serve/ras.h"

/* Types and functions that only the observations*.c files share. */

struct port_memory {
	const struct sim_port *peer; /* as last written */
	bool up, told;
	/* Settings as last written; set: they have been written. */
	bool set, trust_dscp;
	uint8_t dscp_prio[64];
	struct sim_port_config config;
};

struct job_memory {
	unsigned id;
	uint64_t finished; /* collectives that are written */
};

struct observations {
	struct observations_opts o;
	FILE *file;
	bool lost;          /* a write failed: the file has ended */
	int why;            /* its errno */
	uint64_t written;   /* bytes */
	uint64_t n;         /* observations taken */
	size_t *first_port; /* index in port[] of each device's first port */
	struct port_memory *port;
	uint64_t *logged;       /* of each device: lines of its log that are written */
	int64_t *boot;          /* of each device, as it was written */
	uint64_t *sessions;     /* of each device, a hash of its BGP sessions as written */
	struct job_memory *job; /* in the order of the sim */
	size_t njobs;
	struct ras *ras; /* the RAS threads of the processes */
	struct buf line;
};

/* Appends to a line. The caller empties the line before; afterwards it holds one object. */
void line_number(struct buf *b, uint64_t v);
/*
 * A finite v, |v| < 1e15, with 0 to 3 decimals. printf() would take most of the time of a large
 * fabric.
 */
void line_fixed(struct buf *b, double v, unsigned decimals);
void line_string(struct buf *b, const char *text);
/* {"t":1732130000.250000,"device":"leaf-r0-00" */
void line_begin(struct buf *b, int64_t t_us, const char *device);

/* observations_port.c: ,"port":...,"counters":{...},"state":{...} without the closing brace. */
void observe_port(
	struct buf *b, const struct sim_device *d, const struct sim_port *p, struct port_memory *m);
/* observations_settings.c: members of "state", each with a comma before it. */
void observe_watchdog(struct buf *b, const struct sim_port *p);
void observe_settings(
	struct buf *b, const struct sim_device *d, const struct sim_port *p, struct port_memory *m);
/* ,"bgp_whole":true,"bgp":[...]; returns false and appends nothing if the device has no session. */
bool observe_sessions(struct buf *b, const struct sim *s, const struct sim_device *d, int64_t now);
uint64_t observe_sessions_hash(const struct sim_device *d); /* changes with their states */
/* The port's name as the console knows it: the RDMA device on hosts. */
void observe_port_name(
	const struct sim_device *d, const struct sim_port *p, char *dst, size_t size);
/* observations_nccl.c: ,"nccl":{...} of the last collective that this rank finished. */
void observe_collective(struct buf *b, const struct sim_job_view *job, unsigned nnodes,
	const struct sim_rank_view *v);
/*
 * The RAS report of the job as JSON, ,"nccl":{...}: the answer to STATUS of the job's first host
 * that listens. A process that does not answer is reported at once, without the timeout that a
 * client would wait. Returns false and appends nothing if no process of the job listens.
 */
bool observe_ras(struct observations *w, size_t i, const struct sim_job_view *job);
/* Address of a host in the report: its name. arg is not used. */
void observe_address(void *arg, const struct sim_device *host, char *dst, size_t size);

#endif
