/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "backends/jobs/nccl_parse.h"
#include "base/buf.h"
#include "base/str.h"
#include "tests/support/cases.h"
#include "tests/support/nccl_find.h"

static struct obs *parse(const char *text, bool want, struct err *err)
{
	struct obs *o = obs_new("node-7", "nccl-ras");

	*err = (struct err){0};
	if (nccl_ras_parse(text, strlen(text), o, err) != want)
		fail_msg("%s: %s", want ? "refused" : "taken", err->text);
	return o;
}

#define RANK(rank, status, counts)                                                                 \
	"{\"rank\":" rank ",\"host\":\"192.0.2.7\",\"pid\":41" rank                                \
	",\"cuda_dev\":0,\"nvml_dev\":" rank ",\"status\":{" status                                \
	"},\"collective_counts\":{" counts "}}"
#define FINE                                                                                       \
	"\"init_state\":0,\"async_error\":0,\"finalize_called\":false,\"destroy_flag\":false,"     \
	"\"abort_flag\":false"

static const char two_ranks[] =
	"SERVER PROTOCOL 2\nOK\nOK\n{\"nccl_version\":\"2.30.7\",\"communicators_count\":1,"
	"\"communicators\":[{\"hash\":\"0x00112233445566aa\",\"size\":3,\"ranks_count\":2,"
	"\"missing_ranks_count\":1,\"ranks\":[\n" RANK(
		"0", FINE, "\"Reduce\":0,\"AllReduce\":17") ",\n" RANK("1", FINE,
		"\"Reduce\":0,\"AllReduce\":16") "\n],\"missing_ranks\":[{\"rank\":2,"
						 "\"host\":\"192.0.2.8\",\n\"pid\":77,\"cuda_dev\":"
						 "1,\"nvml_dev\": 5%s\n   \"status\":"
						 "{\"unresponsive\":true,\"considered_dead\":false}"
						 "}]}],"
						 "\"ras\":{\"collection_time_sec\":0.001,"
						 "\"timeouts_count\":0}}\n";

static void check_two_ranks(const struct obs *o)
{
	const struct obs_nccl *r = nccl_nth(o, NCCL_RANK, 0);

	assert_string_equal(obs_text(o, r->comm), "0x00112233445566aa");
	assert_int_equal(r->source, SOURCE_RAS);
	assert_int_equal(r->nranks, 3);
	assert_string_equal(obs_text(o, r->host), "192.0.2.7");
	assert_int_equal(r->pid, 410);
	assert_int_equal(r->gpu, 0);
	assert_int_equal(r->local_gpu, 0);
	assert_int_equal(r->state, NCCL_RUNNING);
	assert_int_equal(nccl_launched(o, 0, "AllReduce"), 17);
	assert_int_equal(nccl_launched(o, 1, "AllReduce"), 16);
	/* A collective that was never called is not reported; an unreported one is not zero. */
	assert_int_equal(nccl_launched(o, 0, "Reduce"), -2);
	assert_int_equal(nccl_launched(o, 2, "AllReduce"), -2);
	r = nccl_of_rank(o, NCCL_STATE, 2, NULL);
	assert_int_equal(r->state, NCCL_UNRESPONSIVE);
	r = nccl_of_rank(o, NCCL_RANK, 2, NULL);
	assert_string_equal(obs_text(o, r->host), "192.0.2.8");
	assert_int_equal(r->gpu, 5);
	assert_null(nccl_of_rank(o, NCCL_STATE, 0, NULL));
	r = nccl_nth(o, NCCL_DONE, 0);
	assert_string_equal(obs_text(o, r->comm), "0x00112233445566aa");
	assert_int_equal(nccl_records(o, NCCL_DONE), 1);
}

CASE(json_with_and_without_the_comma)
{
	static const char *const commas[] = {",", ""};

	for (size_t i = 0; i < 2; i++) {
		struct buf b;
		struct err err;
		struct obs *o;

		buf_init(&b, 65536);
		buf_addf(&b, two_ranks, commas[i]);
		o = parse(b.data, true, &err);
		assert_int_equal(err.code, ERR_NONE);
		check_two_ranks(o);
		obs_free(o);
		buf_free(&b);
	}
}

static enum nccl_state state_of(const char *status, const char **text)
{
	static char kept[64];
	struct buf b;
	struct err err;
	struct obs *o;
	const struct obs_nccl *r;
	enum nccl_state s;

	buf_init(&b, 65536);
	buf_addf(&b,
		"{\"communicators\":[{\"hash\":\"0x1\",\"size\":1,\"ranks\":[{\"rank\":0,"
		"\"status\":{%s},\"collective_counts\":{\"AllReduce\":1}}]}]}",
		status);
	o = parse(b.data, true, &err);
	r = nccl_nth(o, NCCL_RANK, 0);
	s = (enum nccl_state)r->state;
	str_copy(kept, sizeof(kept), obs_text(o, r->text));
	*text = kept;
	if (s == NCCL_RUNNING)
		assert_int_equal(nccl_records(o, NCCL_STATE), 0);
	else
		assert_int_equal(nccl_nth(o, NCCL_STATE, 0)->state, s);
	assert_int_equal(nccl_nth(o, NCCL_COUNT, 0)->state, s);
	obs_free(o);
	buf_free(&b);
	return s;
}

CASE(states)
{
	const char *text;

	assert_int_equal(state_of(FINE, &text), NCCL_RUNNING);
	assert_string_equal(text, "");
	assert_int_equal(state_of("\"init_state\":7,\"async_error\":0", &text), NCCL_INIT);
	assert_int_equal(state_of("\"init_state\":0,\"async_error\":6", &text), NCCL_ASYNC_ERROR);
	assert_string_equal(text, "Remote process error");
	assert_int_equal(state_of("\"init_state\":2", &text), NCCL_ASYNC_ERROR);
	assert_string_equal(text, "System error");
	assert_int_equal(
		state_of("\"init_state\":0,\"finalize_called\":true", &text), NCCL_FINALIZING);
	assert_int_equal(
		state_of("\"init_state\":0,\"finalize_called\":true,\"abort_flag\":true", &text),
		NCCL_ABORTED);
	assert_int_equal(
		state_of("\"unresponsive\":true,\"considered_dead\":true", &text), NCCL_DEAD);
	assert_int_equal(state_of("\"mood\":1", &text), NCCL_UNKNOWN);
}

CASE(what_is_no_status)
{
	static const char *const bad[] = {"", "OK\n", "ERROR: Unknown command BOGUS\n",
		"HTTP/1.1 400 Bad Request\n", "{\"communicators\":{}}", "{\"communicators\":[",
		"OK\n{}"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct err err;
		struct obs *o = parse(bad[i], false, &err);

		assert_int_equal(err.code, ERR_PROTOCOL);
		assert_true(*err.text != '\0');
		assert_int_equal(o->nccl.n, 0);
		if (i == 2)
			assert_non_null(strstr(err.text, "Unknown command BOGUS"));
		obs_free(o);
	}
}

/* It has answered, and there is nothing: that is complete. */
CASE(no_communicators)
{
	struct err err;
	struct obs *o = parse("OK\n{\"communicators_count\":0,\"communicators\":[]}", true, &err);

	assert_int_equal(o->nccl.n, 1);
	assert_int_equal(nccl_nth(o, NCCL_DONE, 0)->comm, 0);
	obs_free(o);
}

CASE(numbers_out_of_bounds)
{
	struct err err;
	struct obs *o = parse(
		"{\"communicators\":[{\"hash\":\"0x\\u001b[2J\",\"size\":99999999999,\"ranks\":["
		"{\"rank\":2147483648,\"pid\":1},{\"rank\":-1},{\"rank\":\"x\"},"
		"{\"rank\":5,\"pid\":4294967296,\"nvml_dev\":70000,\"host\":[],"
		"\"collective_counts\":{\"AllReduce\":18446744073709551615,\"Reduce\":-4}},7]}]}",
		true, &err);
	const struct obs_nccl *r = nccl_nth(o, NCCL_RANK, 0);

	assert_int_equal(nccl_records(o, NCCL_RANK), 1);
	assert_int_equal(r->rank, 5);
	assert_int_equal(r->pid, -1);
	assert_int_equal(r->gpu, -1);
	assert_int_equal(r->nranks, -1);
	assert_int_equal(r->host, 0);
	assert_null(strchr(obs_text(o, r->comm), '\x1b'));
	assert_int_equal(nccl_records(o, NCCL_COUNT), 0);
	obs_free(o);
}

CASE(more_than_there_is_room_for)
{
	struct buf b;
	struct err err;
	struct obs *o;

	buf_init(&b, (size_t)64 << 20);
	buf_adds(&b, "{\"communicators\":[{\"hash\":\"0x1\",\"size\":150000,\"ranks\":[");
	for (int i = 0; i < 150000; i++)
		buf_addf(&b,
			"%s{\"rank\":%d,\"status\":{\"init_state\":0},"
			"\"collective_counts\":{\"AllReduce\":3}}",
			i ? "," : "", i);
	buf_adds(&b, "]}]}");
	o = parse(b.data, true, &err);
	assert_int_equal(o->nccl.n, OBS_NCCL_MAX);
	assert_int_equal(o->err.code, ERR_LIMIT);
	/* Not complete: nobody may conclude that the rest is gone. */
	assert_int_equal(nccl_records(o, NCCL_DONE), 0);
	obs_free(o);
	buf_free(&b);
}

CASES_MAIN(NULL, NULL)
