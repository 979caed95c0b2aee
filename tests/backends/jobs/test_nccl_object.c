/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backends/jsonl.h"
#include "backends/jobs/nccl_parse.h"
#include "backends/parse/json_select.h"
#include "base/buf.h"
#include "base/str.h"
#include "tests/support/nccl_find.h"

static void note(void *ctx, const char *key)
{
	(void)key;
	++*(unsigned *)ctx;
}

static struct obs *line(const char *nccl, unsigned *warnings, struct err *err)
{
	char text[4096];

	*warnings = 0;
	*err = (struct err){0};
	str_printf(text, sizeof(text), "{\"t\":10,\"device\":\"node-a\",\"nccl\":%s}", nccl);
	return jsonl_parse(text, strlen(text), NULL, note, warnings, err);
}

static struct obs *line_ok(const char *nccl)
{
	unsigned warnings;
	struct err err;
	struct obs *o = line(nccl, &warnings, &err);

	if (!o)
		fail_msg("%s: %s", nccl, err.text);
	assert_int_equal(warnings, 0);
	return o;
}

static void operations(void **state)
{
	struct obs *o = line_ok(
		"{\"ops\":[{\"job\":\"pretrain\",\"comm\":\"ring0\",\"func\":\"AllReduce\","
		"\"seq\":4,\"rank\":2,\"nranks\":8,\"host\":\"node-c\",\"nic\":\"mlx5_1\","
		"\"gpu\":6,\"pid\":12,\"bytes\":65536,\"begin_us\":100.4,\"end_us\":350,\"peer\":3,"
		"\"send_us\":12.5,\"send_max_us\":30,\"wait_us\":7,\"credit_us\":0.5},"
		"{\"comm\":\"ring0\",\"func\":\"AllReduce\",\"seq\":4,\"rank\":3,"
		"\"begin_us\":120}]}");
	const struct obs_nccl *r = nccl_nth(o, NCCL_OP, 0), *e = nccl_nth(o, NCCL_EDGE, 0);

	(void)state;
	assert_int_equal(r->source, SOURCE_FILE);
	assert_string_equal(obs_text(o, r->job), "pretrain");
	assert_string_equal(obs_text(o, r->comm), "ring0");
	assert_string_equal(obs_text(o, r->func), "AllReduce");
	assert_string_equal(obs_text(o, r->host), "node-c");
	assert_string_equal(obs_text(o, r->nic), "mlx5_1");
	assert_int_equal(r->seq, 4);
	assert_int_equal(r->rank, 2);
	assert_int_equal(r->nranks, 8);
	assert_int_equal(r->gpu, 6);
	assert_int_equal(r->pid, 12);
	assert_int_equal(r->bytes, 65536);
	assert_int_equal(r->begin_us, 100);
	assert_int_equal(r->end_us, 350);
	assert_true(r->took_us == 250);
	assert_int_equal(r->peer, 3);
	assert_int_equal(e->rank, 2);
	assert_int_equal(e->peer, 3);
	assert_int_equal(e->seq, 4);
	assert_string_equal(obs_text(o, e->comm), "ring0");
	assert_true(e->took_us == 12.5);
	assert_true(e->took_max_us == 30);
	assert_true(e->wait_us == 7);
	assert_true(e->credit_us == 0.5);
	r = nccl_nth(o, NCCL_OP, 1);
	assert_int_equal(r->begin_us, 120);
	assert_int_equal(r->end_us, 0);
	assert_true(isnan(r->took_us));
	assert_int_equal(r->host, 0);
	assert_int_equal(nccl_records(o, NCCL_EDGE), 1);
	obs_free(o);
}

static void jobs(void **state)
{
	struct obs *o = line_ok("{\"jobs\":[{\"name\":\"a\",\"hosts\":[\"n1\",\"n2\"],"
				"\"nranks\":16},{\"name\":\"b\",\"hosts\":[]}]}");
	const struct obs_nccl *r = nccl_nth(o, NCCL_JOB, 1);

	(void)state;
	assert_int_equal(o->nccl.n, 2);
	assert_string_equal(obs_text(o, r->job), "a");
	assert_string_equal(obs_text(o, r->host), "n2");
	assert_int_equal(r->nranks, 16);
	assert_int_equal(r->source, SOURCE_FILE);
	obs_free(o);
}

static void an_inspector_object_and_a_ras_document(void **state)
{
	struct obs *o = line_ok(
		"{\"header\":{\"id\":\"0x1\",\"rank\":3,\"n_ranks\":4},\"metadata\":{},"
		"\"coll_perf\":{\"coll\":\"AllGather\",\"coll_sn\":5,\"coll_exec_time_us\":8,"
		"\"event_trace_ts\":{\"coll_start_ts\":2,\"coll_stop_ts\":10}},\"cuda_dev\":3}");

	(void)state;
	assert_int_equal(nccl_nth(o, NCCL_RANK, 0)->local_gpu, 3);
	assert_int_equal(nccl_nth(o, NCCL_OP, 0)->begin_us, 2);
	obs_free(o);
	o = line_ok("{\"communicators\":[{\"hash\":\"0x2\",\"size\":1,\"ranks\":[{\"rank\":0,"
		    "\"status\":{\"init_state\":0},\"collective_counts\":{\"AllReduce\":9}}]}]}");
	assert_int_equal(nccl_launched(o, 0, "AllReduce"), 9);
	obs_free(o);
}

static void a_line_that_says_nothing_is_no_mistake(void **state)
{
	struct obs *o = line_ok("{\"log\":\"loss 2.71 at step 9\"}");

	(void)state;
	assert_int_equal(o->nccl.n, 0);
	obs_free(o);
}

static void what_is_wrong(void **state)
{
	static const char *const bad[] = {"7", "{\"ops\":{}}", "{\"ops\":[{\"seq\":1}]}",
		"{\"ops\":[{\"rank\":2147483648}]}", "{\"jobs\":[{\"name\":\"a\"}]}",
		"{\"jobs\":[{\"hosts\":[\"h\"]}]}", "{\"jobs\":[{\"name\":\"a\",\"hosts\":[1]}]}",
		"{\"log\":1}", "{\"header\":{}}", "{\"communicators\":1}"};
	unsigned warnings;
	struct err err;
	struct obs *o;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_null(line(bad[i], &warnings, &err));
		assert_int_equal(err.code, ERR_PROTOCOL);
	}
	/* Another form is a key of a later version. */
	o = line("{\"moods\":[]}", &warnings, &err);
	assert_non_null(o);
	assert_int_equal(warnings, 1);
	obs_free(o);
}

static void a_batch_holds_so_many(void **state)
{
	struct obs *o = obs_new("d", "x");
	struct json_value *doc;
	struct err err = {0};
	struct buf b;

	(void)state;
	buf_init(&b, (size_t)OBS_NCCL_MAX * 16);
	buf_adds(&b, "{\"ops\":[{\"rank\":1}");
	for (size_t i = 1; i < OBS_NCCL_MAX + 10; i++)
		buf_adds(&b, ",{\"rank\":1}");
	buf_adds(&b, "]}");
	doc = json_value_parse(b.data, b.len, "d", &err);
	assert_true(nccl_object(doc, o, &err));
	assert_int_equal(o->nccl.n, OBS_NCCL_MAX);
	assert_int_equal(o->err.code, ERR_LIMIT);
	free(doc);
	buf_free(&b);
	obs_free(o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operations),
		cmocka_unit_test(jobs),
		cmocka_unit_test(an_inspector_object_and_a_ras_document),
		cmocka_unit_test(a_line_that_says_nothing_is_no_mistake),
		cmocka_unit_test(what_is_wrong),
		cmocka_unit_test(a_batch_holds_so_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
