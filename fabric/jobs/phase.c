/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <string.h>

#include "base/str.h"
#include "fabric/model/model.h"

/* A sum of so few bytes is a loss, a flag or a barrier, whatever the group is for. */
#define SMALL_BYTES 4096

/* Copies the letters of a name in lower case: "_REDUCE_SCATTER_BASE" is "reducescatterbase". */
static void letters_of(const char *name, char *dst, size_t size)
{
	size_t n = 0;

	for (; *name && n + 1 < size; name++)
		if (isalpha((unsigned char)*name))
			dst[n++] = (char)tolower((unsigned char)*name);
	dst[n] = '\0';
}

/* Frameworks name their groups: EXPERT_MODEL_PARALLEL_GROUP, "pp", "dp_shard". */
static const char *phase_by_name(const char *name)
{
	static const struct {
		const char *word, *phase;
	} words[] = {{"datamoduloexpert", "data parallel"}, {"expertdata", "data parallel"},
		{"expert", "experts"}, {"pipeline", "pipeline"}, {"tensor", "tensor parallel"},
		{"context", "context parallel"}, {"sequence", "sequence parallel"},
		{"data", "data parallel"}};
	char text[64];

	letters_of(name, text, sizeof(text));
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strstr(text, words[i].word))
			return words[i].phase;
	return NULL;
}

/* All ranks are on one host, and the job has others. */
static bool is_within_host(const struct nccl *n, const struct comm *c)
{
	const struct job *j = c->job < n->jobs.n ? n->jobs.at[c->job] : NULL;

	if (!j || j->hosts.n < 2 || c->nranks < 2)
		return false;
	for (int32_t i = 0; i < c->nranks; i++)
		if (c->rank[i].host == JOB_NONE || c->rank[i].host != c->rank[0].host)
			return false;
	return true;
}

static const char *phase_by_function(const struct nccl *n, const struct comm *c, const char *func)
{
	char text[32];

	letters_of(func, text, sizeof(text));
	if (str_starts(text, "send") || str_starts(text, "recv"))
		return "pipeline";
	/* Sequences that are split over heads are exchanged so too. */
	if (str_starts(text, "alltoall"))
		return "experts or sequence parallel";
	if (!str_starts(text, "allreduce") && !str_starts(text, "reducescatter") &&
		!str_starts(text, "allgather"))
		return NULL;
	return c && is_within_host(n, c) ? "tensor parallel" : "data parallel";
}

bool nccl_phase(const struct nccl *n, const struct comm *c, const char *func, uint64_t bytes,
	struct nccl_phase *out)
{
	const char *named = c ? phase_by_name(c->name) : NULL;

	*out = (struct nccl_phase){named ? named : phase_by_function(n, c, func),
		named ? "by its group's name" : "by its collectives"};
	if (named || !out->words)
		return named != NULL;
	if (bytes && bytes <= SMALL_BYTES && !str_eq(out->words, "pipeline")) {
		*out = (struct nccl_phase){NULL, NULL};
		return false;
	}
	return true;
}
