/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DIAGNOSIS_TRACE_TRACE_H
#define DIAGNOSIS_TRACE_TRACE_H

#include "base/err.h"
#include "diagnosis/engine/diagnosis.h"

/*
 * A trace from a rank (or host, NIC, port) to the spine port: each hop with its state, its most
 * important number, and the source of the hop.
 */
enum hop_step {
	HOP_RANK,
	HOP_GPU,
	HOP_NIC,
	HOP_HOST_PORT,
	HOP_LEAF_PORT,
	HOP_UPLINK,
	HOP_SPINE_PORT,
	HOP_STEP_COUNT
};
const char *hop_step_name(enum hop_step s); /* contract: "rank", ... "spine_port" */
enum hop_state { HOP_UNKNOWN, HOP_OK, HOP_SUSPECT, HOP_CULPRIT, HOP_VICTIM };
const char *hop_state_name(enum hop_state s); /* "unknown", "ok", "suspect", "culprit", "victim" */

struct hop {
	enum hop_step step;
	enum hop_state state;
	struct ref at;
	char place[140];  /* at is none: the port's name as LLDP shows it, "leaf-a:Ethernet0" */
	char number[32];  /* at most 13 columns: "7 flaps", "paused 34%", "waits 23 s" */
	char why[120];    /* why this state */
	char learned[48]; /* "nccl-ras", "lldp", "nvidia-smi", "plan" */
	uint64_t finding; /* key of the finding behind the state; 0 */
};

struct trace_alternative {
	uint64_t finding; /* key; 0: refuted, there is none */
	struct ref at;
	enum finding_id id;
	float confidence; /* NAN: it was examined and refuted, see why */
	char why[120];    /* why it is not the first choice */
};

struct trace {
	struct ref from;
	uint32_t job; /* JOB_NONE */
	int32_t rank; /* -1 */
	enum verdict verdict;
	double confidence;
	uint64_t finding; /* of the culprit; 0: none */
	struct ref culprit;
	enum finding_id id; /* FIND_COUNT: none */
	char summary[160];
	VEC(struct hop) chain;
	VEC(struct trace_alternative) alternatives;
};

/*
 * from: REF_RANK, REF_DEVICE (a host: its worst NIC; a switch: its worst port), REF_PORT, or
 * REF_JOB (its most lagging rank). ERR_USAGE when no trace can start there; the error names valid
 * starts.
 */
bool trace_from(const struct diag *d, const struct model *m, struct ref from, int64_t now_us,
	struct trace *out, struct err *err);
void trace_free(struct trace *t);

#endif
