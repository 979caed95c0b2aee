/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backends/jobs/nccl_private.h"
#include "base/buf.h"
#include "base/str.h"
#include "tests/support/json_tree.h"
#include "tests/support/nccl_find.h"
#include "tests/support/obs_find.h"

/* ---- pickles, byte by byte ---- */

static struct json_value *load(const char *bytes, size_t len, struct err *err)
{
	*err = (struct err){0};
	return nccl_pickle_load(bytes, len, err);
}

/* The value that is read, as JSON; the bytes are a literal with NULs in it. */
#define READS(bytes, json)    check_reads(bytes, sizeof(bytes) - 1, json)
#define REFUSED(bytes, words) check_refused(bytes, sizeof(bytes) - 1, words)

static void check_reads(const char *bytes, size_t len, const char *json)
{
	struct err err;
	struct json_value *v = load(bytes, len, &err);
	json_t *tree;
	char *text;

	if (!v)
		fail_msg("%s: %s", json, err.text);
	tree = json_tree_of(v);
	text = json_dumps(tree, JSON_ENCODE_ANY | JSON_COMPACT | JSON_SORT_KEYS);
	assert_string_equal(text, json);
	free(text);
	json_decref(tree);
	free(v);
}

static void check_refused(const char *bytes, size_t len, const char *words)
{
	struct err err;
	struct json_value *v = load(bytes, len, &err);

	assert_null(v);
	assert_int_equal(err.code, ERR_PROTOCOL);
	if (!strstr(err.text, words))
		fail_msg("\"%s\" is not in: %s", words, err.text);
}

static void plain_values(void **state)
{
	(void)state;
	READS("\x80\x02N.", "null");
	READS("\x80\x02\x88.", "true");
	READS("\x80\x02\x89.", "false");
	READS("\x80\x02K\xff.", "255");
	READS("\x80\x02M\x01\x02.", "513");
	READS("\x80\x02J\xff\xff\xff\xff.", "-1");
	READS("\x80\x02\x8a\x00.", "0");
	READS("\x80\x02\x8a\x01\x80.", "-128");
	READS("\x80\x02\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f.", "9223372036854775807");
	READS("\x80\x02G\x3f\xf8\x00\x00\x00\x00\x00\x00.", "1.5");
	/* Infinity is no number of JSON. */
	READS("\x80\x02G\x7f\xf0\x00\x00\x00\x00\x00\x00.", "null");
	READS("\x80\x02X\x03\x00\x00\x00"
	      "abc.",
		"\"abc\"");
	READS("\x80\x02U\x02\xff"
	      "b.",
		"\"?b\"");
	READS("\x80\x02].", "[]");
	READS("\x80\x02}.", "{}");
	READS("\x80\x02).", "[]");
	READS("\x80\x02](K\x01K\x02"
	      "e.",
		"[1,2]");
	READS("\x80\x02]K\x01"
	      "a.",
		"[1]");
	READS("\x80\x02K\x01K\x02\x86.", "[1,2]");
	READS("\x80\x02(K\x01K\x02K\x03t.", "[1,2,3]");
	READS("\x80\x02}(U\x01"
	      "aK\x01K\x07U\x01xu.",
		"{\"7\":\"x\",\"a\":1}");
	READS("\x80\x02}U\x01kNs.", "{\"k\":null}");
	/* Containers within others, filled in several steps; keys of any length. */
	READS("\x80\x02}(U\x01"
	      "a}(U\x08"
	      "12345678K\x01J\xff\xff\xff\xffU\x01yuU\x01l](K\x01K\x02"
	      "eK\x03"
	      "au(U\x07"
	      "1234567K\x04K\x05\x86U\x01z}U\x01"
	      "bNsu.",
		"{\"1234567\":[4,5],\"a\":{\"-1\":\"y\",\"12345678\":1},\"l\":[1,2,3],"
		"\"z\":{\"b\":null}}");
	READS("\x80\x02]}U\x01"
	      "aK\x01s]K\x02"
	      "a\x86"
	      "a.",
		"[[{\"a\":1},[2]]]");
	/* The memo: a text that comes again. */
	READS("\x80\x02](U\x01xq\x05h\x05"
	      "e.",
		"[\"x\",\"x\"]");
	READS("\x80\x02](U\x01xr\x05\x00\x01\x00j\x05\x00\x01\x00"
	      "e.",
		"[\"x\",\"x\"]");
}

static void nothing_is_executed(void **state)
{
	(void)state;
	/* os.system("id"), as a pickle would do it: GLOBAL, REDUCE. */
	REFUSED("\x80\x02"
		"cos\nsystem\nq\x00U\x02idq\x01\x85q\x02Rq\x03.",
		"opcode 0x63");
	REFUSED("\x80\x02U\x02osU\x06system\x93.", "opcode 0x93"); /* STACK_GLOBAL */
	REFUSED("\x80\x02(ios\nsystem\n.", "opcode 0x69");         /* INST */
	REFUSED("\x80\x02(Nob.", "opcode 0x6f");                   /* OBJ */
	REFUSED("\x80\x02N)R.", "opcode 0x52");                    /* REDUCE */
	REFUSED("\x80\x02N)\x81.", "opcode 0x81");                 /* NEWOBJ */
	REFUSED("\x80\x02N}b.", "opcode 0x62");                    /* BUILD */
	REFUSED("\x80\x02\x82\x01.", "opcode 0x82");               /* EXT1 */
	REFUSED("\x80\x02U\x01xQ.", "opcode 0x51");                /* BINPERSID */
	REFUSED("\x80\x04\x95\x01.", "protocol later than 2");
	REFUSED("\x80\x02I1\n.", "opcode 0x49");
}

static void what_is_no_pickle(void **state)
{
	(void)state;
	REFUSED("", "breaks off");
	REFUSED("\x80", "breaks off");
	REFUSED("\x80\x02", "breaks off");
	REFUSED("\x80\x02X\xff\xff\xff\xff", "breaks off");
	REFUSED("\x80\x02.", "without one value");
	REFUSED("\x80\x02(.", "without one value");
	REFUSED("\x80\x02NN.", "without one value");
	REFUSED("\x80\x02K\x01"
		"a.",
		"no list");
	REFUSED("\x80\x02}K\x01"
		"e.",
		"no mark");
	REFUSED("\x80\x02](U\x01xu.", "no dict");
	REFUSED("\x80\x02}(U\x01xu.", "no dict");
	REFUSED("\x80\x02}N]s.", "neither text nor number");
	REFUSED("\x80\x02h\x00.", "never given");
	REFUSED("\x80\x02N\x86.", "no values for a tuple");
	REFUSED("\x80\x02q\x00.", "no value to remember");
	REFUSED("\x80\x02Nr\xff\xff\xff\xff.", "no value to remember");
	REFUSED("\x80\x02\x8a\x09\x01\x01\x01\x01\x01\x01\x01\x01\x01.", "more than 64 bits");
}

/* A list in itself would never end. */
static void lists_do_not_hold_themselves(void **state)
{
	struct buf b;
	struct err err;

	(void)state;
	REFUSED("\x80\x02]q\x00h\x00"
		"a.",
		"used twice");
	REFUSED("\x80\x02]q\x00]h\x00"
		"aa.",
		"used twice");
	buf_init(&b, 1 << 20);
	buf_adds(&b, "\x80\x02");
	for (int i = 0; i < 100000; i++)
		buf_adds(&b, "]");
	for (int i = 0; i < 100000; i++)
		buf_adds(&b, "a");
	assert_null(load(b.data, b.len, &err));
	assert_non_null(strstr(err.text, "too deep"));
	buf_free(&b);
}

/* A text that is used again is copied: a small file must not become a large tree. */
static void copies_of_a_text_are_bounded(void **state)
{
	static char text[1 << 20];
	struct buf b;
	struct err err;

	(void)state;
	memset(text, 'x', sizeof(text));
	buf_init(&b, 2 << 20);
	buf_add(&b, "\x80\x02](X\x00\x00\x10\x00", 9);
	buf_add(&b, text, sizeof(text));
	buf_add(&b, "q\x00", 2);
	for (int i = 0; i < 300; i++)
		buf_add(&b, "h\x00", 2);
	buf_adds(&b, "e.");
	assert_null(load(b.data, b.len, &err));
	assert_non_null(strstr(err.text, "too much memory"));
	buf_free(&b);
}

/* ---- dumps ---- */

static struct obs *parse(const char *bytes, size_t len)
{
	struct obs *o = obs_new("node-3", "flight-recorder");
	struct err err = {0};

	if (!nccl_flight_parse(bytes, len, o, &err))
		fail_msg("%s", err.text);
	return o;
}

static void check_dump(const struct obs *o)
{
	const struct obs_nccl *r = nccl_nth(o, NCCL_RANK, 1);

	assert_int_equal(nccl_records(o, NCCL_RANK), 3);
	assert_string_equal(obs_text(o, r->comm), "pg7");
	assert_string_equal(obs_text(o, r->comm_name), "TP");
	assert_int_equal(r->rank, 1); /* 3 of the job, in [1, 3] */
	assert_int_equal(r->nranks, 2);
	assert_int_equal(r->host, 0); /* where it was fetched */
	r = nccl_nth(o, NCCL_COUNT, 1);
	assert_string_equal(obs_text(o, r->comm), "pg7");
	assert_int_equal(r->seq, 9);
	assert_int_equal(r->completed, 7);
	/* Told by no entry: the third group that was made. Never launched is zero. */
	r = nccl_nth(o, NCCL_COUNT, 2);
	assert_string_equal(obs_text(o, r->comm), "pg8");
	assert_int_equal(r->seq, 0);
	assert_int_equal(r->completed, 0);
	r = nccl_nth(o, NCCL_OP, 0);
	assert_string_equal(obs_text(o, r->func), "AllReduce");
	assert_int_equal(r->seq, 7);
	assert_int_equal(r->bytes, 24);
	assert_true(r->took_us == 1500);
	assert_true(r->end_us == INT64_C(1700000000000501));
	r = nccl_nth(o, NCCL_OP, 1);
	assert_int_equal(r->end_us, 0);
	r = nccl_nth(o, NCCL_OP, 2);
	assert_string_equal(obs_text(o, r->func), "Send");
	assert_int_equal(r->seq, 2);
	assert_int_equal(r->peer, 0);
	assert_int_equal(nccl_records(o, NCCL_OP), 3);
}

/* The corpus has one dump in three forms, each with a letter in front. */
static void json_pickle_and_named(void **state)
{
	static const char *const files[] = {"tests/fuzz/corpus/nccl/flight_json",
		"tests/fuzz/corpus/nccl/flight_pickle", "tests/fuzz/corpus/nccl/flight_named"};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		size_t len;
		char *file = read_file(files[i], &len);
		struct obs *o;

		assert_non_null(file);
		o = parse(file + 1, len - 1);
		check_dump(o);
		obs_free(o);
		free(file);
	}
}

#define ONE_GROUP(more)                                                                            \
	"{\"pg_config\":{\"0\":{\"name\":\"0\",\"desc\":\"default_pg\",\"ranks\":\"[4, 5, 6]\"}}," \
	"\"pg_status\":{\"0\":{\"last_enqueued_collective\":\"12\","                               \
	"\"last_completed_collective\":\"11\"}},\"entries\":[" more "]}"
#define SEND                                                                                       \
	"{\"pg_id\":0,\"process_group\":[\"0\",\"default_pg\"],\"p2p_seq_id\":1,\"is_p2p\":true,"  \
	"\"profiling_name\":\"nccl:recv 2<-0\",\"time_created_ns\":5000,\"state\":\"completed\"}"

static void whose_dump_it_is(void **state)
{
	struct err err = {0};
	struct obs *o = obs_new("node-3", "x");

	(void)state;
	assert_false(nccl_flight_parse(ONE_GROUP(""), strlen(ONE_GROUP("")), o, &err));
	assert_non_null(strstr(err.text, "does not contain its rank"));
	assert_true(*err.cure != '\0');
	obs_free(o);
	o = parse("# /x/nccl_trace_rank_5\n" ONE_GROUP(""),
		strlen("# /x/nccl_trace_rank_5\n" ONE_GROUP("")));
	assert_int_equal(nccl_nth(o, NCCL_COUNT, 0)->rank, 1);
	assert_int_equal(nccl_nth(o, NCCL_COUNT, 0)->seq, 12);
	obs_free(o);
	/* Not of this group: it has nothing to say of it. */
	o = parse("# rank_9\n" ONE_GROUP(""), strlen("# rank_9\n" ONE_GROUP("")));
	assert_int_equal(o->nccl.n, 0);
	obs_free(o);
	/* Sends and receives give our own rank within the group. */
	o = parse(ONE_GROUP(SEND), strlen(ONE_GROUP(SEND)));
	assert_int_equal(nccl_nth(o, NCCL_RANK, 0)->rank, 2);
	assert_int_equal(nccl_nth(o, NCCL_OP, 0)->peer, 0);
	/* Completed, and nobody has looked when. */
	assert_int_equal(nccl_nth(o, NCCL_OP, 0)->end_us, 5);
	obs_free(o);
}

static void a_dump_that_calls(void **state)
{
	struct err err = {0};
	struct obs *o = obs_new("node-3", "x");
	size_t len;
	char *file = read_file("tests/fuzz/corpus/nccl/flight_call", &len);

	(void)state;
	assert_non_null(file);
	assert_false(nccl_flight_parse(file + 1, len - 1, o, &err));
	assert_string_equal(err.origin, "node-3");
	assert_non_null(strstr(err.text, "not a plain value"));
	obs_free(o);
	free(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_values),
		cmocka_unit_test(nothing_is_executed),
		cmocka_unit_test(what_is_no_pickle),
		cmocka_unit_test(lists_do_not_hold_themselves),
		cmocka_unit_test(copies_of_a_text_are_bounded),
		cmocka_unit_test(json_pickle_and_named),
		cmocka_unit_test(whose_dump_it_is),
		cmocka_unit_test(a_dump_that_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
