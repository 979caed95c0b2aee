/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "backends/jobs/nccl_parse.h"
#include "base/str.h"
#include "tests/support/cases.h"
#include "tests/support/nccl_find.h"

#define HEAD(rank)                                                                                 \
	"{\"header\":{\"id\":\"0x00aabbccddeeff\",\"comm_name\":\"world\",\"rank\":" rank          \
	",\"n_ranks\":16,\"nnodes\":2},\"metadata\":{\"inspector_output_format_version\":"         \
	"\"v4.0\",\"dump_timestamp_us\":5000900,\"hostname\":\"node-b\",\"pid\":991},"
#define COLL(sn, us, more)                                                                         \
	"\"coll_perf\":{\"coll\":\"AllReduce\",\"coll_sn\":" sn ",\"coll_msg_size_bytes\":4096,"   \
	"\"coll_exec_time_us\":" us ",\"coll_timing_source\":\"kernel_gpu\"" more "}}\n"

static struct obs *parse(const char *text, bool want, struct err *err)
{
	struct obs *o = obs_new("node-b", "inspector");

	*err = (struct err){0};
	if (nccl_inspector_parse(text, strlen(text), o, err) != want)
		fail_msg("%s: %s", want ? "refused" : "taken", err->text);
	return o;
}

CASE(collectives)
{
	struct err err;
	struct obs *o = parse(
		HEAD("9") COLL("41", "1033", "") HEAD("9") COLL("42", "1034.5", ""), true, &err);
	const struct obs_nccl *r = nccl_nth(o, NCCL_RANK, 0);

	/* The rank of the lines is reported once. */
	assert_int_equal(nccl_records(o, NCCL_RANK), 1);
	assert_string_equal(obs_text(o, r->comm), "0x00aabbccddeeff");
	assert_string_equal(obs_text(o, r->comm_name), "world");
	assert_string_equal(obs_text(o, r->host), "node-b");
	assert_int_equal(r->rank, 9);
	assert_int_equal(r->nranks, 16);
	assert_int_equal(r->pid, 991);
	r = nccl_nth(o, NCCL_OP, 1);
	assert_int_equal(r->source, SOURCE_INSPECTOR);
	assert_string_equal(obs_text(o, r->comm), "0x00aabbccddeeff");
	assert_string_equal(obs_text(o, r->func), "AllReduce");
	assert_int_equal(r->rank, 9);
	assert_int_equal(r->seq, 42);
	assert_true(r->took_us == 1034.5);
	assert_int_equal(r->bytes, 4096);
	assert_int_equal(r->peer, -1);
	/* When it began is not told; that it has ended is. */
	assert_int_equal(r->begin_us, 0);
	assert_int_equal(r->end_us, 5000900);
	obs_free(o);
}

CASE(point_to_point)
{
	struct err err;
	struct obs *o =
		parse(HEAD("3") "\"p2p_perf\":{\"p2p\":\"Send\",\"p2p_sn\":7,\"p2p_peer\":11,"
				"\"p2p_msg_size_bytes\":1048576,\"p2p_exec_time_us\":210}}",
			true, &err);
	const struct obs_nccl *r = nccl_nth(o, NCCL_OP, 0);

	assert_string_equal(obs_text(o, r->func), "Send");
	assert_int_equal(r->seq, 7);
	assert_int_equal(r->peer, 11);
	assert_int_equal(r->bytes, 1048576);
	assert_true(r->took_us == 210);
	obs_free(o);
}

CASE(times_of_kernels_before_those_of_the_call)
{
	struct err err;
	struct obs *o = parse(HEAD("0") COLL("1", "100",
				      ",\"event_trace_ts\":{\"coll_start_ts\":1000,"
				      "\"coll_stop_ts\":1002,\"kernel_events\":["
				      "{\"kernel_start_ts\":1010,\"kernel_stop_ts\":1090},"
				      "{\"kernel_start_ts\":1008,\"kernel_stop_ts\":1080}]}")
				      HEAD("0") COLL("2", "100",
					      ",\"event_trace_ts\":{\"coll_start_ts\":2000,"
					      "\"coll_stop_ts\":2100}"),
		true, &err);

	assert_int_equal(nccl_nth(o, NCCL_OP, 0)->begin_us, 1008);
	assert_int_equal(nccl_nth(o, NCCL_OP, 0)->end_us, 1090);
	assert_int_equal(nccl_nth(o, NCCL_OP, 1)->begin_us, 2000);
	assert_int_equal(nccl_nth(o, NCCL_OP, 1)->end_us, 2100);
	obs_free(o);
}

CASE(a_broken_line_costs_itself)
{
	struct err err;
	struct obs *o = parse(HEAD("1") COLL("1", "5", "") "{\"header\":{\"id\":\"0x\n"
							   "\n{\"header\":{}}\n" HEAD("1")
								   COLL("2", "6", ""),
		true, &err);

	assert_int_equal(nccl_records(o, NCCL_OP), 2);
	assert_int_equal(nccl_nth(o, NCCL_OP, 1)->seq, 2);
	assert_int_equal(o->err.code, ERR_PROTOCOL);
	obs_free(o);
	o = parse("not a dump\n", false, &err);
	assert_int_equal(err.code, ERR_PROTOCOL);
	obs_free(o);
	o = parse("\n", true, &err);
	assert_int_equal(o->nccl.n, 0);
	obs_free(o);
}

CASE(two_communicators_of_one_process)
{
	static const char other[] =
		"{\"header\":{\"id\":\"0x11111111111111\",\"rank\":9,\"n_ranks\":16},"
		"\"metadata\":{\"hostname\":\"node-b\",\"pid\":991},";
	struct err err;
	char text[4096];
	struct obs *o;

	str_printf(text, sizeof(text), "%s%s%s", HEAD("9") COLL("1", "5", ""), other,
		COLL("1", "5", ""));
	o = parse(text, true, &err);
	assert_int_equal(nccl_records(o, NCCL_RANK), 2);
	assert_string_equal(obs_text(o, nccl_nth(o, NCCL_OP, 1)->comm), "0x11111111111111");
	/* No time at all: ended, but nobody says when. */
	assert_int_equal(nccl_nth(o, NCCL_OP, 1)->end_us, 1);
	obs_free(o);
}

CASES_MAIN(NULL, NULL)
