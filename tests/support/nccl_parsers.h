/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SUPPORT_NCCL_PARSERS_H
#define TESTS_SUPPORT_NCCL_PARSERS_H

#include <stdlib.h>
#include <string.h>

#include "backends/jobs/nccl_parse.h"
#include "backends/jobs/source.h"
#include "backends/parse/json_select.h"

/* All decoders of NCCL's texts, by a letter: the first byte of a file of tests/fuzz/corpus/nccl. */

static inline bool nccl_object_parse(
	const char *bytes, size_t len, struct obs *out, struct err *err)
{
	struct json_value *doc = json_value_parse(bytes, len, "object", err);
	bool ok = doc && nccl_object(doc, out, err);

	free(doc);
	return ok;
}

/* The text is the document that has the jobs. */
static inline bool kubernetes_parse(const char *bytes, size_t len, struct obs *out, struct err *err)
{
	const struct job_document docs[] = {
		{"/api/v1/pods", bytes, len, 200}, {"/apis/resource.k8s.io/v1", bytes, len, 200}};

	return job_source_by_name("kubernetes")->read(docs, 2, out, err);
}

static inline bool ray_parse(const char *bytes, size_t len, struct obs *out, struct err *err)
{
	const struct job_document docs[] = {{"/api/v0/nodes", bytes, len, 200},
		{"/api/jobs/", bytes, len, 200}, {"/api/v0/actors", bytes, len, 200}};

	return job_source_by_name("ray")->read(docs, 3, out, err);
}

static inline bool processes_parse(const char *bytes, size_t len, struct obs *out, struct err *err)
{
	const struct job_source_ops *ops = job_source_by_name("processes");
	struct plan_jobs jobs = {0};
	struct target target = {.device = "node-1"};

	return ops->parse(&jobs, &target, ops->name, bytes, len, out, err);
}

static const struct nccl_parser {
	char letter;
	bool (*parse)(const char *bytes, size_t len, struct obs *out, struct err *err);
} nccl_parsers[] = {
	{'r', nccl_ras_parse},
	{'m', nccl_ras_monitor_parse},
	{'i', nccl_inspector_parse},
	{'p', nccl_profiler_parse},
	{'f', nccl_flight_parse},
	{'l', nccl_log_parse},
	{'s', nccl_slurm_parse},
	{'j', nccl_jobs_parse},
	{'t', nccl_topo_parse},
	{'g', nccl_gpus_parse},
	{'a', nccl_addresses_parse},
	{'o', nccl_object_parse},
	{'k', kubernetes_parse},
	{'y', ray_parse},
	{'e', processes_parse},
};
#define NCCL_PARSERS (sizeof(nccl_parsers) / sizeof(nccl_parsers[0]))

/* Any byte is one of them. */
static inline const struct nccl_parser *nccl_parser_by_letter(unsigned char letter)
{
	for (size_t i = 0; i < NCCL_PARSERS; i++)
		if (nccl_parsers[i].letter == (char)letter)
			return &nccl_parsers[i];
	return &nccl_parsers[letter % NCCL_PARSERS];
}

/* The error in the batch; NULL: none. */
static inline const char *nccl_batch_fault(const struct obs *o)
{
	if (o->nccl.n > OBS_NCCL_MAX)
		return "more records than there may be";
	for (size_t i = 0; i < o->strings.n; i++)
		if (o->strings.at[i] == '\x1b' || o->strings.at[i] == '\n')
			return "a control character came through";
	for (size_t i = 0; i < o->nccl.n; i++) {
		const struct obs_nccl *r = &o->nccl.at[i];
		const uint32_t texts[] = {
			r->job, r->comm, r->comm_name, r->host, r->nic, r->func, r->text, r->text2};

		if (r->kind > NCCL_DONE || r->source >= NCCL_SOURCE_COUNT ||
			(r->kind != NCCL_ERROR && r->state >= NCCL_STATE_COUNT))
			return "a record of no kind, source or state";
		if (r->rank < -1 || r->rank >= 1048576 || r->nranks < -1 || r->nranks > 1048576 ||
			r->peer < -1 || r->pid < -1 || r->gpu < -1 || r->gpu >= 1024 ||
			r->local_gpu < -1 || r->seq < -1 || r->completed < -1 || r->begin_us < 0 ||
			r->end_us < 0)
			return "a number out of bounds";
		for (size_t k = 0; k < sizeof(texts) / sizeof(texts[0]); k++)
			if (texts[k] && texts[k] >= o->strings.n)
				return "a text out of bounds";
	}
	return NULL;
}

#endif
