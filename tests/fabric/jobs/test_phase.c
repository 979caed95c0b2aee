/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The likely parallelism of an operation, by functions and groups as reports name them:
 * tests/cases/hosts.md.
 */
#include <string.h>

#include "base/str.h"
#include "fabric/model/model.h"
#include "tests/support/cases.h"

static const char *phase_of(const char *group, const char *func, uint64_t bytes)
{
	static struct comm c;
	static struct nccl n;
	static struct nccl_phase p;

	memset(&c, 0, sizeof(c));
	c.job = JOB_NONE;
	(void)str_copy(c.name, sizeof(c.name), group);
	return nccl_phase(&n, &c, func, bytes, &p) ? p.words : "";
}

CASE(by_the_function_as_sources_spell_it)
{
	assert_string_equal(phase_of("", "AllReduce", 1 << 20), "data parallel");
	assert_string_equal(phase_of("", "ALLREDUCE", 0), "data parallel");
	assert_string_equal(phase_of("", "_REDUCE_SCATTER_BASE", 0), "data parallel");
	assert_string_equal(phase_of("", "_ALLGATHER_BASE", 0), "data parallel");
	assert_string_equal(phase_of("", "SEND", 0), "pipeline");
	assert_string_equal(phase_of("", "Recv", 8), "pipeline");
	/* Of an FSDP job it was the exchange of a sequence's heads, and no expert. */
	assert_string_equal(phase_of("", "ALLTOALL", 0), "experts or sequence parallel");
	assert_string_equal(phase_of("", "ALLTOALL_BASE", 0), "experts or sequence parallel");
	/* Nobody knows their purpose. */
	assert_string_equal(phase_of("", "GATHER", 0), "");
	assert_string_equal(phase_of("", "Broadcast", 1 << 20), "");
	assert_string_equal(phase_of("", "", 0), "");
}

CASE(a_small_sum_is_a_loss_or_a_barrier)
{
	assert_string_equal(phase_of("", "AllReduce", 4), "");
	assert_string_equal(phase_of("", "AllReduce", 4097), "data parallel");
}

CASE(by_the_name_of_the_group)
{
	assert_string_equal(phase_of("EXPERT_MODEL_PARALLEL_GROUP", "AllReduce", 4), "experts");
	assert_string_equal(
		phase_of("DATA_MODULO_EXPERT_PARALLEL", "AllReduce", 0), "data parallel");
	assert_string_equal(phase_of("PIPELINE_MODEL_PARALLEL_GROUP", "AllReduce", 0), "pipeline");
	assert_string_equal(phase_of("world", "AllReduce", 0), "data parallel");
	assert_string_equal(phase_of("default_pg", "GATHER", 0), "");
}

/* A group within one host of a job of many exchanges activations, not gradients. */
CASE(sums_within_a_host_of_many)
{
	struct rank ranks[2] = {{.host = 3}, {.host = 3}};
	uint32_t hosts[2] = {3, 4};
	struct job j = {.hosts = {.at = hosts, .n = 2}};
	struct job *jobs[1] = {&j};
	struct nccl n = {.jobs = {.at = jobs, .n = 1}};
	struct comm c = {.rank = ranks, .nranks = 2};
	struct nccl_phase p;

	assert_true(nccl_phase(&n, &c, "AllReduce", 1 << 20, &p));
	assert_string_equal(p.words, "tensor parallel");
	assert_string_equal(p.why, "by its collectives");
	ranks[1].host = 4;
	assert_true(nccl_phase(&n, &c, "AllReduce", 1 << 20, &p));
	assert_string_equal(p.words, "data parallel");
	/* The whole job is on this host. */
	ranks[1].host = 3;
	j.hosts.n = 1;
	assert_true(nccl_phase(&n, &c, "AllReduce", 1 << 20, &p));
	assert_string_equal(p.words, "data parallel");
}

CASES_MAIN(NULL, NULL)
