/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "tests/captures/covered.h"
#include "tests/captures/nccl_capture.h"
#include "tests/support/cases.h"
#include "tests/support/nccl_find.h"

/*
 * Dumps of a job of 16 ranks in which faults were made (fault_injection.log), as torch 2.9 writes
 * them, and as JSON of the same. reference.txt names the group that hangs, and the ranks missing in
 * it.
 */
static const struct run {
	const char *name;
	const char *hung; /* the group of reference.txt */
	int32_t first;    /* its ranks in the job are first .. first + n - 1 */
	int32_t n;
	int32_t missing[2];
	int64_t launched[8];  /* last_enqueued_collective of each of its ranks */
	unsigned entries[16]; /* of each dump */
	unsigned groups[16];
	const char *faults;       /* fault_injection.log */
	const char *missing_text; /* reference.txt */
} runs[] = {
	{"gpu_error_1st", "pg74", 12, 4, {12, -1}, {20536, 20538, 20538, 20538},
		{20, 20, 20, 20, 8, 8, 8, 8, 19, 19, 19, 19, 27, 16, 43, 15},
		{13, 13, 13, 13, 12, 12, 12, 12, 12, 12, 12, 12, 13, 13, 13, 13},
		"Fault ranks: [12, 14]", "| BFloat16 | 12\n"},
	{"lock_gil_1st", "pg72", 8, 8, {9, 14},
		{45267, 45264, 45267, 45267, 45267, 45267, 45264, 45267},
		{11, 11, 11, 11, 11, 11, 11, 11, 9, 0, 9, 9, 9, 9, 0, 9},
		{13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13},
		"Fault ranks: [9, 14]", "| BFloat16 | 9,14\n"},
};

static struct obs *dump(const struct run *run, int rank, const char *ending)
{
	char file[128];

	(void)str_printf(
		file, sizeof(file), "flight-recorder/nvrx/%s/_dump_%d%s", run->name, rank, ending);
	return nccl_capture(nccl_flight_parse, file);
}

/* No field gives the rank: it is the one that is in all groups of the dump. */
static void check_dump(const struct obs *o, const struct run *run, int rank)
{
	const struct obs_nccl *world = nccl_nth(o, NCCL_RANK, 0);

	assert_int_equal(nccl_records(o, NCCL_RANK), run->groups[rank]);
	assert_int_equal(nccl_records(o, NCCL_COUNT), run->groups[rank]);
	assert_int_equal(nccl_records(o, NCCL_OP), run->entries[rank]);
	assert_string_equal(obs_text(o, world->comm), "pg0");
	assert_string_equal(obs_text(o, world->comm_name), "default_pg");
	assert_int_equal(world->rank, rank);
	assert_int_equal(world->nranks, 16);
	assert_int_equal(world->source, SOURCE_FLIGHT_RECORDER);
	/* All that these dumps hold was enqueued and not completed. */
	for (size_t i = 0; i < run->entries[rank]; i++) {
		assert_string_equal(obs_text(o, nccl_nth(o, NCCL_OP, i)->text), "scheduled");
		assert_int_equal(nccl_nth(o, NCCL_OP, i)->end_us, 0);
		assert_true(nccl_nth(o, NCCL_OP, i)->begin_us > INT64_C(1750000000000000));
	}
}

static void check_same(const struct obs *a, const struct obs *b)
{
	assert_int_equal(a->nccl.n, b->nccl.n);
	assert_int_equal(a->strings.n, b->strings.n);
	assert_memory_equal(a->strings.at, b->strings.at, a->strings.n);
	for (size_t i = 0; i < a->nccl.n; i++)
		assert_memory_equal(&a->nccl.at[i], &b->nccl.at[i], sizeof(a->nccl.at[i]));
}

static const struct obs_nccl *count_in(const struct obs *o, const char *comm)
{
	for (size_t i = 0; i < o->nccl.n; i++)
		if (o->nccl.at[i].kind == NCCL_COUNT &&
			str_eq(obs_text(o, o->nccl.at[i].comm), comm))
			return &o->nccl.at[i];
	return NULL;
}

CASE(pickles_and_json_say_the_same)
{
	for (size_t k = 0; k < sizeof(runs) / sizeof(runs[0]); k++)
		for (int rank = 0; rank < 16; rank++) {
			struct obs *pickle = dump(&runs[k], rank, "");
			struct obs *json = dump(&runs[k], rank, ".json");

			check_dump(pickle, &runs[k], rank);
			check_same(pickle, json);
			obs_free(pickle);
			obs_free(json);
		}
}

static void check_truth(const struct run *run)
{
	char file[128];
	char *text;
	size_t len;

	(void)str_printf(
		file, sizeof(file), "hosts/flight-recorder/nvrx/%s/fault_injection.log", run->name);
	text = capture_read(file, &len);
	assert_non_null(strstr(text, run->faults));
	free(text);
	(void)str_printf(
		file, sizeof(file), "hosts/flight-recorder/nvrx/%s/reference.txt", run->name);
	text = capture_read(file, &len);
	assert_non_null(strstr(text, run->missing_text));
	assert_non_null(strstr(text, run->hung + strlen("pg")));
	free(text);
}

/* The ranks that have launched least in the group that hangs are those of the ground truth. */
CASE(who_is_behind)
{
	for (size_t k = 0; k < sizeof(runs) / sizeof(runs[0]); k++) {
		const struct run *run = &runs[k];
		int64_t most = 0;

		check_truth(run);
		for (int32_t i = 0; i < run->n; i++)
			most = run->launched[i] > most ? run->launched[i] : most;
		for (int32_t i = 0; i < run->n; i++) {
			struct obs *o = dump(run, run->first + i, "");
			const struct obs_nccl *r = count_in(o, run->hung);
			bool missing = run->first + i == run->missing[0] ||
				       run->first + i == run->missing[1];

			assert_non_null(r);
			assert_string_equal(
				obs_text(o, r->comm_name), "EXPERT_MODEL_PARALLEL_GROUP");
			assert_int_equal(r->rank, i);
			assert_int_equal(r->nranks, run->n);
			assert_int_equal(r->seq, run->launched[i]);
			assert_int_equal(r->seq < most, missing);
			obs_free(o);
		}
	}
}

/* Field by field: the first and the last operation of rank 14, and a send of rank 8. */
CASE(operations)
{
	struct obs *o = dump(&runs[0], 14, "");
	const struct obs_nccl *r = nccl_nth(o, NCCL_OP, 0);

	assert_string_equal(obs_text(o, r->comm), "pg42");
	assert_string_equal(obs_text(o, r->comm_name), "TENSOR_MODEL_PARALLEL_GROUP");
	assert_int_equal(r->rank, 0);
	assert_int_equal(r->nranks, 2);
	assert_string_equal(obs_text(o, r->func), "AllGather");
	assert_int_equal(r->seq, 42805);
	assert_true(r->begin_us == INT64_C(1758610505885199));
	assert_int_equal(r->bytes, 4096 * 5120 * 2);
	assert_int_equal(r->peer, -1);
	r = nccl_nth(o, NCCL_OP, 42);
	assert_int_equal(r->seq, 42825);
	assert_true(r->begin_us == INT64_C(1758610505932380));
	assert_int_equal(count_in(o, "pg42")->seq, 42826);
	assert_int_equal(count_in(o, "pg42")->completed, 42805);
	obs_free(o);
	o = dump(&runs[0], 0, "");
	r = nccl_of_rank(o, NCCL_OP, 0, "Send");
	assert_string_equal(obs_text(o, r->comm_name), "PIPELINE_MODEL_PARALLEL_GROUP");
	assert_int_equal(r->peer, 3);
	assert_int_equal(r->bytes, 41943040);
	obs_free(o);
}

/* The JSON of torch's own handler: progress as text, 0 for "not yet". Rank 19 is behind. */
CASE(json_of_the_handler)
{
	static const int ranks[] = {0, 18, 19, 20};

	for (size_t i = 0; i < sizeof(ranks) / sizeof(ranks[0]); i++) {
		char file[128], line[128];
		const struct obs_nccl *r;
		bool late = ranks[i] == 19;
		struct obs *o;

		(void)str_printf(file, sizeof(file),
			"flight-recorder/synthetic/fr_trace_json_rank_%d.json", ranks[i]);
		nccl_capture_refused(nccl_flight_parse, file, "does not contain its rank");
		(void)str_printf(line, sizeof(line), "# /tmp/fr2/nccl_trace_rank_%d\n", ranks[i]);
		o = nccl_capture_behind(nccl_flight_parse, line, file);
		r = nccl_nth(o, NCCL_COUNT, 0);
		assert_int_equal(r->rank, ranks[i]);
		assert_int_equal(r->nranks, 32);
		assert_int_equal(r->seq, late ? 1579 : 1582);
		assert_int_equal(r->completed, 1579);
		assert_int_equal(nccl_records(o, NCCL_OP), late ? 5 : 8);
		r = nccl_nth(o, NCCL_OP, 4);
		assert_int_equal(r->seq, 1578);
		assert_true(r->begin_us == INT64_C(1795206157900000) + ranks[i]);
		assert_true(r->end_us == INT64_C(1795206157902100));
		assert_true(r->took_us == 1400);
		assert_int_equal(r->bytes, 268435456);
		if (!late) {
			r = nccl_nth(o, NCCL_OP, 5);
			assert_int_equal(r->seq, 1579);
			assert_string_equal(obs_text(o, r->text), "started");
			assert_int_equal(r->end_us, 0);
		}
		obs_free(o);
	}
}

CASES_MAIN(NULL, NULL)
