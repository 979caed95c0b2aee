/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FABRIC_VOCABULARY_GPU_LINK_H
#define FABRIC_VOCABULARY_GPU_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The GPUs of a host and the links between them: NVLink, or xGMI of AMD. A GPU is known by the
 * vendor's index (NVML's, amd-smi's). The values of ATTR_GPU_LINKS and ATTR_GPU_FABRIC of a GPU and
 * of ATTR_GPU_DOMAIN of the host are words "key=value key=value". What is not known is left out.
 *
 * ATTR_GPU_LINKS: kind (nvlink, xgmi, none), name, links (listed), active, gbs (GB/s of the slowest
 * active one), down (inactive ones: "3,14"), worst (the link with most errors), and a count for
 * each enum gpu_error.
 *
 * ATTR_GPU_FABRIC: bus, state, status, clique, cluster, health, why.
 *
 * ATTR_GPU_DOMAIN: fm (state of the fabric manager's service, or missing) and imex (up, degraded,
 * down; silent: no answer). Of the IMEX domain: members, ready, and bad, the first member that is
 * not ready ("10.0.0.2:unavailable").
 */
#define HOST_GPUS_MOST  16u
#define GPU_DOMAIN_TEXT 200

/* Counts since the driver was loaded, summed over the links of a GPU. */
enum gpu_error {
	GPU_CRC,      /* damaged flits or packets, sent again */
	GPU_REPLAY,   /* packets sent again */
	GPU_RECOVERY, /* times that a link was trained anew, with success or without */
	GPU_FAILED,   /* the latter */
	GPU_LOCAL,    /* errors that this end saw: malformed packets, symbols, integrity */
	GPU_REMOTE,   /* errors that the far end reported: an echo of it */
	GPU_ERRORS
};
const char *gpu_error_name(enum gpu_error e); /* "crc", "replay", ... */

struct gpu_link {
	bool known;                  /* an answer named it */
	bool no_links;               /* it has none, by its kind */
	int8_t links;                /* listed; -1: unknown */
	int8_t active;               /* -1: unknown */
	int8_t most;                 /* most that were ever active; -1 */
	int8_t worst;                /* link with most errors; -1: none has any */
	float gbs;                   /* GB/s of the slowest active link; NAN */
	int64_t seen_us;             /* wall time of the last answer with its links, 0 */
	int64_t lost_us;             /* wall time since which fewer are active than before, 0 */
	int64_t grew_us;             /* wall time at which an error count last grew, 0 */
	uint64_t errors[GPU_ERRORS]; /* UINT64_MAX: unknown */
	uint64_t grew[GPU_ERRORS];   /* by so many, at grew_us */
	char kind[8], name[48], bus[16], down[40];
	/* Registration with the fabric, "" unknown. */
	char state[16], status[32], clique[12], cluster[40], health[20], why[64];
};

void gpu_link_init(struct gpu_link *g);
/* Takes the value of ATTR_GPU_LINKS. */
void gpu_link_take(struct gpu_link *g, const char *text, int64_t now_us);
/* The same for ATTR_GPU_FABRIC. */
void gpu_fabric_take(struct gpu_link *g, const char *text);
/*
 * The GPU of that index in *gpus, which is made if there is none yet: HOST_GPUS_MOST of them, freed
 * by the caller. NULL: there are not so many.
 */
struct gpu_link *gpu_link_at(struct gpu_link **gpus, unsigned index);
/* The value of a word, "" without it; false: without it. */
bool gpu_word(const char *text, const char *key, char *dst, size_t size);
/* Sum of all errors that are known; UINT64_MAX: none is. */
uint64_t gpu_errors_sum(const struct gpu_link *g);
/* Whether a cluster's name stands for one: not "", and not all zeros. */
bool gpu_cluster_is_set(const char *cluster);

#endif
