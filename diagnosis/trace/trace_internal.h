/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DIAGNOSIS_TRACE_TRACE_INTERNAL_H
#define DIAGNOSIS_TRACE_TRACE_INTERNAL_H

#include "diagnosis/engine/engine.h"
#include "diagnosis/engine/root_cause.h"
#include "diagnosis/trace/trace.h"

/* Private to diagnosis/trace. */
struct tracer {
	const struct diag *d;
	const struct model *m;
	int64_t now_us;
	struct trace *t;
	uint32_t comm;                 /* communicator of the rank, JOB_NONE */
	uint32_t host;                 /* device, NO_DEVICE */
	int32_t gpu;                   /* -1 */
	uint32_t nic;                  /* port, PORT_NONE */
	uint32_t leaf;                 /* port of the leaf to the NIC, PORT_NONE */
	uint32_t uplink;               /* port of a leaf, PORT_NONE */
	bool fine;                     /* the job reports its operations, and does not suffer */
	const struct trouble *trouble; /* of the rank, of now; NULL */
	const struct finding *error;   /* about it; NULL */
	const char *gpu_learned, *nic_learned, *leaf_learned;
	const char *of_host; /* why this NIC of a host that was asked for, "": a NIC was */
};

/* path.c: builds the chain from the known start. */
void trace_path(struct tracer *r);
/* The worst of the ports by findings, pauses and state; PORT_NONE: none is worse than others. */
uint32_t trace_worst(const struct tracer *r, const uint32_t *ports, size_t n);
/* hop.c: appends a hop with state, number and reason. */
struct hop *trace_hop(struct tracer *r, enum hop_step step, struct ref at, const char *learned);
/* Step of an egress port, by its own tier and that of its peer. */
enum hop_step trace_step_of(const struct model *m, uint32_t port);
/* cause.c: finds the culprit, the path to it, alternatives, verdict and summary. */
void trace_cause(struct tracer *r);

/* rank.c: sets number, state and reason of a rank's hop. */
void trace_judge_rank(const struct tracer *r, struct hop *h);
/* Whether NCCL shows trouble of the job, and whether it reports operations at all. */
bool trace_job_suffers(const struct tracer *r);
bool trace_job_told(const struct tracer *r);
/* Whether an NCCL finding (also one at a host) is about this rank. */
bool trace_names_rank(const struct model *m, const struct finding *f, struct ref at);
/* The first rank that the finding names. */
bool trace_rank_of(const struct finding *f, struct ref *out);

/* votes.c: without an explaining finding, the link that slow edges of the job share. */
void trace_votes(struct tracer *r);

/* Whether the finding is about the port or its device: at an end, or with it as a member. */
bool trace_finding_at_port(const struct model *m, const struct finding *f, uint32_t port);
/* "node003 mlx5_1", "rank pretrain/3": for sentences. */
void trace_place_text(const struct model *m, struct ref at, char *dst, size_t size);

#endif
