/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/str.h"
#include "tests/captures/covered.h"
#include "tests/captures/nccl_capture.h"
#include "tests/support/cases.h"
#include "tests/support/nccl_find.h"

/* The Inspector's dumps of 32 ranks: rank 19 comes late from operation 12 on. */

static const struct {
	const char *node;
	int32_t pid[8];
} nodes[4] = {
	{"gpu-node-01", {28094, 28095, 28096, 28097, 28098, 28099, 28100, 28101}},
	{"gpu-node-02", {28102, 28104, 28105, 28106, 28111, 28112, 28114, 28115}},
	{"gpu-node-03", {28116, 28117, 28118, 28119, 28120, 28121, 28122, 28133}},
	{"gpu-node-04", {28134, 28135, 28136, 28137, 28138, 28139, 28140, 28141}},
};

/* Every line of the file, read by other means, against the operation that was made of it. */
static void check_lines(const struct obs *o, const char *file)
{
	char name[128];
	char *bytes, *line, *next;
	size_t len, n = 0;

	(void)str_printf(name, sizeof(name), "hosts/%s", file);
	bytes = capture_read(name, &len);
	for (line = bytes; *line; line = next) {
		const struct obs_nccl *r = nccl_nth(o, NCCL_OP, n++);
		json_t *doc, *perf;

		next = line + strcspn(line, "\n");
		doc = json_loadb(line, (size_t)(next - line), 0, NULL);
		next += *next == '\n';
		perf = json_object_get(doc, "coll_perf");
		assert_non_null(perf);
		assert_string_equal(
			obs_text(o, r->func), json_string_value(json_object_get(perf, "coll")));
		assert_int_equal(r->seq, json_integer_value(json_object_get(perf, "coll_sn")));
		assert_int_equal(
			r->bytes, json_integer_value(json_object_get(perf, "coll_msg_size_bytes")));
		assert_true(r->took_us ==
			    json_number_value(json_object_get(perf, "coll_exec_time_us")));
		if (!json_object_get(perf, "event_trace_ts"))
			assert_int_equal(r->end_us,
				json_integer_value(json_object_get(
					json_object_get(doc, "metadata"), "dump_timestamp_us")));
		json_decref(doc);
	}
	assert_int_equal(nccl_records(o, NCCL_OP), n);
	free(bytes);
}

static void check_owner(const struct obs *o, const char *node, int32_t pid, int32_t rank)
{
	const struct obs_nccl *r = nccl_nth(o, NCCL_RANK, 0);

	assert_int_equal(nccl_records(o, NCCL_RANK), 1);
	assert_string_equal(obs_text(o, r->comm), "0x9f2ad5f3aa7c1e");
	assert_string_equal(obs_text(o, r->comm_name), "world");
	assert_string_equal(obs_text(o, r->host), node);
	assert_int_equal(r->pid, pid);
	assert_int_equal(r->rank, rank);
	assert_int_equal(r->nranks, 32);
}

CASE(a_late_rank_has_the_shortest_time)
{
	double least[24], most[24];
	int32_t who[24];
	/* The values of rank 19 and rank 0, from the files. */
	static const int late[24] = {1013, 992, 982, 988, 1006, 1016, 1010, 1005, 1000, 998, 983,
		1013, 643, 847, 1235, 1390, 1211, 1260, 1125, 1350, 1039, 1352, 797, 1088};

	for (int i = 0; i < 24; i++) {
		least[i] = HUGE_VAL;
		most[i] = 0;
		who[i] = -1;
	}
	for (int32_t rank = 0; rank < 32; rank++) {
		char file[128];
		struct obs *o;

		(void)str_printf(file, sizeof(file), "inspector/straggler/%s-pid%d.log",
			nodes[rank / 8].node, nodes[rank / 8].pid[rank % 8]);
		o = nccl_capture(nccl_inspector_parse, file);
		check_owner(o, nodes[rank / 8].node, nodes[rank / 8].pid[rank % 8], rank);
		check_lines(o, file);
		for (int i = 0; i < 24; i++) {
			const struct obs_nccl *r = nccl_nth(o, NCCL_OP, (size_t)i);

			assert_int_equal(r->seq, i);
			assert_string_equal(
				obs_text(o, r->func), i % 4 == 3 ? "AllGather" : "AllReduce");
			assert_int_equal(r->bytes, i % 4 == 3 ? 4194304 : 134217728);
			if (rank == 19)
				assert_true(r->took_us == late[i]);
			if (r->took_us < least[i]) {
				least[i] = r->took_us;
				who[i] = rank;
			}
			most[i] = r->took_us > most[i] ? r->took_us : most[i];
		}
		obs_free(o);
	}
	for (int i = 12; i < 24; i++) {
		assert_int_equal(who[i], 19);
		assert_true(most[i] > 20 * least[i]);
	}
}

CASE(times_of_verbose_dumps)
{
	/* Of operation 3: the first kernel's start, the last one's stop. */
	static const struct {
		int32_t pid;
		int64_t begin, end;
	} at[8] = {{28359, 1795206023300244, 1795206023301134},
		{28360, 1795206023300371, 1795206023301355},
		{28361, 1795206023300325, 1795206023301425},
		{28362, 1795206023300146, 1795206023301184},
		{28363, 1795206023300439, 1795206023301235},
		{28364, 1795206023300348, 1795206023301283},
		{28365, 1795206023300209, 1795206023301304},
		{28366, 1795206023300298, 1795206023301435}};

	for (int32_t i = 0; i < 8; i++) {
		char file[128];
		struct obs *o;

		(void)str_printf(file, sizeof(file),
			"inspector/straggler-verbose/gpu-node-03-pid%d.log", at[i].pid);
		o = nccl_capture(nccl_inspector_parse, file);
		check_owner(o, "gpu-node-03", at[i].pid, 16 + i);
		check_lines(o, file);
		assert_int_equal(nccl_records(o, NCCL_OP), 8);
		assert_true(nccl_nth(o, NCCL_OP, 3)->begin_us == at[i].begin);
		assert_true(nccl_nth(o, NCCL_OP, 3)->end_us == at[i].end);
		obs_free(o);
	}
}

CASE(samples_of_the_inspector)
{
	struct obs *o =
		nccl_capture(nccl_inspector_parse, "inspector/docs-samples/inspector_block10.json");
	const struct obs_nccl *r = nccl_nth(o, NCCL_OP, 0);

	assert_string_equal(obs_text(o, r->comm), "0x7f8c496ae9f661");
	assert_string_equal(obs_text(o, r->comm_name), "");
	assert_string_equal(obs_text(o, r->host), "example-hostname");
	assert_int_equal(r->rank, 2);
	assert_int_equal(r->nranks, 8);
	assert_int_equal(r->pid, 1639453);
	assert_string_equal(obs_text(o, r->func), "AllReduce");
	assert_int_equal(r->seq, 1407);
	assert_true(r->bytes == UINT64_C(17179869184));
	assert_true(r->took_us == 61974);
	obs_free(o);
	o = nccl_capture(nccl_inspector_parse, "inspector/docs-samples/inspector_block12.json");
	r = nccl_nth(o, NCCL_OP, 0);
	assert_string_equal(obs_text(o, r->func), "ReduceScatter");
	assert_int_equal(r->seq, 1231);
	assert_true(r->begin_us == INT64_C(1752867229235181));
	assert_true(r->end_us == INT64_C(1752867229275811));
	assert_true(r->took_us == 41057);
	obs_free(o);
}

CASE(steps_of_comma)
{
	struct obs *o =
		nccl_capture(nccl_profiler_parse, "profiler/docs-samples/comma_sample.json");
	const struct obs_nccl *r = nccl_nth(o, NCCL_OP, 0);

	assert_string_equal(obs_text(o, r->comm), "0x58aecebabb9e37af");
	assert_string_equal(obs_text(o, r->func), "AllReduce");
	assert_int_equal(r->rank, 0);
	assert_int_equal(r->seq, 57);
	assert_int_equal(r->bytes, 20971520);
	assert_true(r->took_us == 11039);
	r = nccl_nth(o, NCCL_EDGE, 0);
	assert_int_equal(nccl_records(o, NCCL_EDGE), 1);
	assert_int_equal(r->peer, 16);
	assert_int_equal(r->seq, 57);
	/* Steps of 100 and 76 us. */
	assert_true(r->took_us == 88);
	assert_true(r->took_max_us == 100);
	obs_free(o);
}

/* Cut off by its authors: the operation has no end, one wait for the peer has. */
CASE(trace_of_the_example)
{
	struct obs *o =
		nccl_capture(nccl_profiler_parse, "profiler/docs-samples/nccl_example_block00.txt");
	const struct obs_nccl *r = nccl_nth(o, NCCL_EDGE, 0);

	assert_int_equal(o->nccl.n, 1);
	assert_string_equal(obs_text(o, r->comm), "0x14ba61f9a096f33f");
	assert_string_equal(obs_text(o, r->func), "AllReduce");
	assert_int_equal(r->rank, 0);
	assert_int_equal(r->seq, 0);
	assert_int_equal(r->peer, 1);
	assert_true(fabs(r->credit_us - 10.335998) < 1e-3);
	assert_true(isnan(r->took_us));
	obs_free(o);
}

CASES_MAIN(NULL, NULL)
