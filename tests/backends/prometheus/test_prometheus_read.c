/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/prometheus/read.h"
#include "base/str.h"
#include "tests/support/cases.h"

/* The output of a reader of canned replies, as text. */
struct told {
	struct prometheus_reader r;
	char text[4096];
	const char *refuse; /* series of this metric are not wanted */
	unsigned scanned;   /* series whose labels were not read in their written form */
};

static void say(struct told *t, const char *text)
{
	size_t n = strlen(t->text);

	(void)str_printf(t->text + n, sizeof(t->text) - n, "%s", text);
}

static bool on_series(void *ctx, const struct prometheus_labels *l, const char *raw, size_t len)
{
	struct told *t = ctx;
	const char *metric = prometheus_label(l, "__name__");
	char line[512];

	(void)len;
	t->scanned += raw == NULL;
	if (t->refuse && str_eq(metric, t->refuse))
		return false;
	(void)str_printf(line, sizeof(line), "%s/%s", metric ? metric : "-",
		prometheus_label(l, "port") ? prometheus_label(l, "port") : "-");
	say(t, line);
	return true;
}

static void on_sample(void *ctx, const struct prometheus_sample *s)
{
	char line[128];

	if (s->whole)
		(void)str_printf(line, sizeof(line), " %lld=%llu", (long long)s->us,
			(unsigned long long)s->count);
	else
		(void)str_printf(line, sizeof(line), " %lld=%g", (long long)s->us, s->real);
	say(ctx, line);
}

static void on_end(void *ctx)
{
	say(ctx, "\n");
}

static void begin(struct told *t)
{
	t->text[0] = '\0';
	t->scanned = 0;
	t->r.series = on_series;
	t->r.sample = on_sample;
	t->r.series_end = on_end;
	t->r.ctx = t;
	t->r.seed = 7;
	prometheus_reader_begin(&t->r);
}

static bool read_in(struct told *t, const char *reply, size_t piece, struct err *err)
{
	size_t len = strlen(reply);

	begin(t);
	for (size_t i = 0; i < len; i += piece)
		if (!prometheus_reader_feed(&t->r, reply + i, len - i < piece ? len - i : piece))
			break;
	return prometheus_reader_end(&t->r, err);
}

/* Shapes of the four servers: order of keys, stats, partial, infos. */
static const char whole[] =
	"{\"status\":\"success\",\"isPartial\":false,\"data\":{\"resultType\":\"matrix\","
	"\"result\":["
	"{\"metric\":{\"__name__\":\"a_total\",\"device\":\"leaf\",\"port\":\"Ethernet0\"},"
	"\"values\":[[1700000000.123,\"42\"],[1700000015,\"18446744073709551615\"],[1700000030.5,"
	"\"1.5e+06\"]]},"
	"{\"metric\":{\"port\":\"Eth\\u0065rnet4\",\"__name__\":\"b\"},\"values\":[[1700000000,"
	"\"NaN\"],"
	"[1700000001,\"+Inf\"],[1700000002,\"-Inf\"],[1700000003,\"-1\"],[1700000004,\"x\"],"
	"[1700000005,\"\"]],\"histograms\":[[1700000000,{\"count\":\"3\",\"sum\":\"1\",\"buckets\":"
	"[[0,"
	"\"1\",\"2\",\"3\"]]}]]},"
	"{\"metric\":{},\"values\":[]}"
	"],\"stats\":{\"seriesFetched\":\"2\",\"values\":[[1,\"2\"]]}},"
	"\"stats\":{\"metric\":{\"x\":\"y\"}},\"infos\":[\"an info\"],\"warnings\":[\"half "
	"of\\u001b it\"]}";
static const char whole_says[] = "a_total/Ethernet0 1700000000123000=42 "
				 "1700000015000000=1.84467e+19 1700000030500000=1.5e+06\n"
				 "b/Ethernet4 1700000003000000=-1\n"
				 "-/-\n";

CASE(reads_replies_cut_anywhere)
{
	struct told *t = calloc(1, sizeof(*t));
	struct err err = {0};

	assert_non_null(t);
	for (size_t piece = 1; piece <= sizeof(whole); piece++) {
		assert_true(read_in(t, whole, piece, &err));
		assert_string_equal(t->text, whole_says);
		assert_int_equal(t->r.n_series, 3);
		assert_int_equal(t->r.n_samples, 4);
		assert_int_equal(t->r.odd, 6); /* NaN, infinities, two texts, histograms */
		assert_string_equal(t->r.warning, "half of? it");
		assert_false(t->r.failed || t->r.partial || t->r.not_matrix);
	}
	free(t);
}

/* The hash of the last series, read in pieces of that size; behind a blank it is scanned. */
static uint64_t hash_behind(struct told *t, const char *blank, const char *labels, size_t piece)
{
	char reply[512];

	(void)str_printf(reply, sizeof(reply),
		"{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":["
		"{\"metric\":{\"a\":\"b\"},\"values\":[[1700000000.123,\"1\"]]},"
		"%s{\"metric\":{%s},\"values\":[[1700000000.123,\"1\"]]}]}}",
		blank, labels);
	assert_true(read_in(t, reply, piece, NULL));
	assert_int_equal(t->r.n_series, 2);
	return t->r.labels.hash;
}

static uint64_t hash_in(struct told *t, const char *labels, size_t piece)
{
	return hash_behind(t, "", labels, piece);
}

CASE(a_series_has_one_hash_however_it_is_read)
{
	static const char *const same[] = {"\"a\":\"12345678901\",\"port\":\"y\"",
		"\"a\":\"x\\\"y\",\"port\":\"y\"", "\"a\":\"0123456789abcdef0123456789abcdef\"",
		"\"a\":\"\",\"port\":\"}\"",
		"\"a\":\"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef012\"",
		"\"a\":\"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef013\"",
		"\"a\":\"0123456789abcdef0123456789abcdeg0123456789abcdef0123456789abcdef012\""};
	enum { N = sizeof(same) / sizeof(same[0]) };
	struct told *t = calloc(1, sizeof(*t));
	uint64_t whole_hash[N];

	assert_non_null(t);
	for (size_t i = 0; i < N; i++) {
		whole_hash[i] = hash_in(t, same[i], 1000);
		assert_true(hash_behind(t, " ", same[i], 1000) == whole_hash[i]);
		for (size_t piece = 1; piece < 40; piece += 13)
			assert_true(hash_in(t, same[i], piece) == whole_hash[i]);
		for (size_t k = 0; k < i; k++)
			assert_true(whole_hash[k] != whole_hash[i]);
	}
	/* A quote inside a value does not end it. */
	assert_true(hash_in(t, "\"a\":\"1\\\",\\\"b\\\":\\\"2\"", 1000) !=
		    hash_in(t, "\"a\":\"1\",\"b\":\"2\"", 1000));
	assert_true(hash_in(t, "\"a\":\"1\\\",\\\"b\\\":\\\"2\",\"c\":\"\\\"\"", 1000) !=
		    hash_in(t, "\"a\":\"1\",\"b\":\"2\",\"c\":\"\\\"\"", 1000));
	free(t);
}

/* A series with `samples` samples, between two others. */
static char *reply_around(size_t samples)
{
	size_t size = 1000 + 32 * samples, n;
	char *reply = malloc(size);

	assert_non_null(reply);
	n = (size_t)snprintf(reply, size,
		"{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":["
		"{\"metric\":{\"__name__\":\"a\"},\"values\":[[1700000000,\"1\"]]},"
		"{\"metric\":{\"__name__\":\"b\",\"port\":\"]]}\"},\"values\":[");
	for (size_t i = 0; i < samples; i++)
		n += (size_t)snprintf(reply + n, size - n, "%s[%zu.5,\"7\"]", i ? "," : "",
			(size_t)1700000000 + i);
	(void)snprintf(reply + n, size - n,
		"]},{\"metric\":{\"__name__\":\"c\"},\"values\":[[1700000000,\"12345678901234567\"]"
		","
		"[1700000001,\"1234567890123456\"]]}]}}");
	return reply;
}

/* Where a piece ends costs nothing: a series is read as it is written, but for the first. */
CASE(puts_together_what_is_cut)
{
	static const size_t samples[] = {2, 31, 300};
	struct told *t = calloc(1, sizeof(*t));

	assert_non_null(t);
	t->refuse = "b";
	for (size_t k = 0; k < sizeof(samples) / sizeof(samples[0]); k++) {
		char *reply = reply_around(samples[k]);

		for (size_t piece = 1; piece < 9000; piece += piece < 300 ? 1 : 97) {
			assert_true(read_in(t, reply, piece, NULL));
			assert_string_equal(t->text, "a/- 1700000000000000=1\n"
						     "c/- 1700000000000000=12345678901234567"
						     " 1700000001000000=1234567890123456\n");
			assert_int_equal(t->r.n_series, 3);
			assert_int_equal(t->r.odd, 0);
		}
		free(reply);
	}
	free(t);
}

/* Labels that begin or end like those of the series before are another series. */
CASE(times_that_look_alike_are_told_apart)
{
	struct told *t = calloc(1, sizeof(*t));

	assert_non_null(t);
	assert_true(read_in(t,
		"{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":["
		"{\"metric\":{\"__name__\":\"a\"},\"values\":[[1700000000,\"1\"]]},"
		"{\"metric\":{\"__name__\":\"b\"},\"values\":[[1700000000,\"1234567890\"]]},"
		"{\"metric\":{\"__name__\":\"c\"},\"values\":[[1700000000.5,\"1234567890\"]]},"
		"{\"metric\":{\"__name__\":\"d\"},\"values\":[[1700000001.5,\"1234567890\"]]},"
		"{\"metric\":{\"__name__\":\"e\"},\"values\":[[1700000001.512,\"1234567890\"]]},"
		"{\"metric\":{\"__name__\":\"f\"},\"values\":[[1600000001.512,\"1234567890\"]]},"
		"{\"metric\":{\"__name__\":\"g\"},\"values\":[[1600000001.512,\"1234567890\"]]},"
		"{\"metric\":{\"__name__\":\"h\"},\"values\":[[1600000001,\"1234567890\"]]}"
		"]}}",
		1000000, NULL));
	assert_string_equal(t->text, "a/- 1700000000000000=1\n"
				     "b/- 1700000000000000=1234567890\n"
				     "c/- 1700000000500000=1234567890\n"
				     "d/- 1700000001500000=1234567890\n"
				     "e/- 1700000001512000=1234567890\n"
				     "f/- 1600000001512000=1234567890\n"
				     "g/- 1600000001512000=1234567890\n"
				     "h/- 1600000001000000=1234567890\n");
	assert_int_equal(t->scanned, 1);
	free(t);
}

CASE(what_is_cut_is_not_scanned)
{
	static const char reply[] =
		"{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":["
		"{\"metric\":{\"__name__\":\"a\"},\"values\":[[1700000000.123,\"1\"]]},"
		"{\"metric\":{\"__name__\":\"b\",\"port\":\"p\"},\"values\":[[1700000000.123,\"1\"]"
		"]},"
		"{\"metric\":{\"__name__\":\"c\"},\"values\":[[1700000000.123,\"1.5\"]]}]}}";
	struct told *t = calloc(1, sizeof(*t));

	assert_non_null(t);
	/* From the end of the first series on: in two, wherever that is. */
	for (size_t cut = (size_t)(strstr(reply, "]]}") + 3 - reply); cut < sizeof(reply) - 1;
		cut++) {
		begin(t);
		assert_true(prometheus_reader_feed(&t->r, reply, cut));
		assert_true(prometheus_reader_feed(&t->r, reply + cut, sizeof(reply) - 1 - cut));
		assert_true(prometheus_reader_end(&t->r, NULL));
		assert_int_equal(t->r.n_samples, 3);
		assert_int_equal(t->scanned, 1);
	}
	free(t);
}

CASE(leaves_what_is_not_wanted)
{
	struct told *t = calloc(1, sizeof(*t));

	assert_non_null(t);
	t->refuse = "a_total";
	assert_true(read_in(t, whole, 11, NULL));
	assert_string_equal(t->text, "b/Ethernet4 1700000003000000=-1\n-/-\n");
	free(t);
}

CASE(says_what_a_server_says)
{
	struct told *t = calloc(1, sizeof(*t));

	assert_non_null(t);
	assert_true(read_in(t,
		"{\"status\":\"error\",\"errorType\":\"execution\",\"error\":\"query processing "
		"would "
		"load too many samples into memory in query execution\"}",
		7, NULL));
	assert_true(t->r.failed);
	assert_non_null(strstr(t->r.error, "too many samples"));
	assert_true(read_in(t,
		"{\"status\":\"success\",\"isPartial\":true,\"data\":{\"resultType\":\"matrix\","
		"\"result\":"
		"[]}}",
		7, NULL));
	assert_true(t->r.partial);
	free(t);
}

CASE(refuses_what_is_no_answer)
{
	static const struct {
		const char *reply, *says;
	} wrong[] = {
		{"", "broken at byte 0"},
		{"<html>no</html>", "broken"},
		{"{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":[",
			"broken"},
		{"{\"status\":\"success\",\"data\":{\"resultType\":\"vector\",\"result\":[]}}",
			"not a matrix"},
		{"{\"hello\":\"world\"}", "has no status"},
		{"[1,2]", "has no status"},
		{"{\"status\":\"success\"} trailing", "broken"},
	};
	struct told *t = calloc(1, sizeof(*t));
	struct err err;

	assert_non_null(t);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		memset(&err, 0, sizeof(err));
		assert_false(read_in(t, wrong[i].reply, 5, &err));
		if (!strstr(err.text, wrong[i].says))
			fail_msg("%s: %s", wrong[i].reply, err.text);
	}
	free(t);
}

/* Cut off at any byte: an error; the whole part before is reported as usual. */
CASE(survives_a_reply_that_is_cut_off)
{
	struct told *t = calloc(1, sizeof(*t));
	char *cut = malloc(sizeof(whole));

	assert_non_null(t);
	assert_non_null(cut);
	for (size_t n = 0; n + 1 < sizeof(whole); n++) {
		size_t told;

		memcpy(cut, whole, n);
		cut[n] = '\0';
		assert_false(read_in(t, cut, 13, NULL));
		told = strlen(t->text);
		/* But for the end of the series that was under way. */
		told -= told && t->text[told - 1] == '\n';
		assert_memory_equal(t->text, whole_says, told);
	}
	free(cut);
	free(t);
}

CASE(bounds_labels)
{
	struct told *t = calloc(1, sizeof(*t));
	size_t size = 64 << 10;
	char *reply = malloc(size);
	struct err err = {0};
	size_t n;

	assert_non_null(t);
	assert_non_null(reply);
	/* Too many labels, then a value that is too long, then a series that is well. */
	n = (size_t)snprintf(reply, size,
		"{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\","
		"\"result\":[{\"metric\":{");
	for (unsigned i = 0; i < 80; i++)
		n += (size_t)snprintf(reply + n, size - n, "%s\"l%u\":\"v\"", i ? "," : "", i);
	n += (size_t)snprintf(
		reply + n, size - n, "},\"values\":[[1700000000,\"1\"]]},{\"metric\":{\"l\":\"");
	memset(reply + n, 'x', 20000);
	n += 20000;
	(void)snprintf(reply + n, size - n,
		"\"},\"values\":[[1700000000,\"1\"]]},{\"metric\":{\"__name__\":\"m\"},\"values\":["
		"["
		"1700000000,\"1\"]]}]}}");
	assert_true(read_in(t, reply, 4096, &err));
	assert_string_equal(t->text, "m/- 1700000000000000=1\n");
	assert_int_equal(t->r.odd, 2);
	free(reply);
	free(t);
}

CASES_MAIN(NULL, NULL)
