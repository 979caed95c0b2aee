/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/str.h"
#include "fabric/query/query.h"
#include "tests/support/cases.h"

/* One row: leaf-r3-00 Ethernet12, 34 % paused, drops unknown. */
static bool row_field(void *ctx, const char *name, struct query_value *out)
{
	(void)ctx;
	*out = (struct query_value){.type = QV_UNKNOWN};
	if (strcasecmp(name, "port") == 0) {
		out->type = QV_TEXT;
		(void)str_copy(out->text, sizeof(out->text), "Ethernet12");
	} else if (strcasecmp(name, "oper") == 0) {
		out->type = QV_TEXT;
		(void)str_copy(out->text, sizeof(out->text), "down");
	} else if (strcasecmp(name, "paused") == 0) {
		out->type = QV_NUMBER;
		out->number = 34;
	} else if (strcasecmp(name, "rx") == 0) {
		out->type = QV_NUMBER;
		out->number = 312.5e9;
		(void)str_copy(out->text, sizeof(out->text), "312G");
	} else if (strcasecmp(name, "power") == 0) {
		out->type = QV_NUMBER;
		out->number = -7.3;
	} else if (strcasecmp(name, "rate") == 0 || strcasecmp(name, "age") == 0) {
		out->type = QV_NUMBER;
		out->number = name[0] == 'r' ? 2 : 90;
	} else if (strcasecmp(name, "took") == 0) {
		out->type = QV_NUMBER;
		out->number = 250;
		out->second = 1000;
	} else if (strcasecmp(name, "bytes") == 0) {
		out->type = QV_NUMBER;
		out->number = 1.5e6;
	} else if (strcasecmp(name, "bound") == 0) {
		out->type = QV_NUMBER;
		out->number = 13;
		out->at_most = true;
	} else if (strcasecmp(name, "nan") == 0) {
		out->type = QV_NUMBER;
		out->number = NAN;
	} else {
		return strcasecmp(name, "drops") == 0;
	}
	return true;
}

static const char *row_text(void *ctx)
{
	(void)ctx;
	return "leaf-r3-00\nEthernet12\ndown\n34.0%\ntwo words\n";
}

static const struct query_source row = {.field = row_field, .text = row_text};

static bool matches(const char *text)
{
	struct err err = {0};
	struct query *q = query_parse(text, &err);
	bool out;

	if (!q)
		fail_msg("%s: %s", text, err.text);
	out = query_match(q, &row);
	query_free(q);
	return out;
}

static void expect_matches(const char *const *list, size_t n, bool want)
{
	for (size_t i = 0; i < n; i++) {
		if (matches(list[i]) != want)
			fail_msg("\"%s\" should be %s", list[i], want ? "true" : "false");
	}
}
#define EXPECT(want, ...)                                                                          \
	do {                                                                                       \
		const char *const list_[] = {__VA_ARGS__};                                         \
		expect_matches(list_, sizeof(list_) / sizeof(list_[0]), want);                     \
	} while (0)

static void expect_error(const char *text, const char *want)
{
	struct err err = {0};
	struct query *q = query_parse(text, &err);

	if (q) {
		query_free(q);
		fail_msg("\"%s\" should be refused", text);
	}
	assert_int_equal(err.code, ERR_USAGE);
	if (!strstr(err.text, want))
		fail_msg("\"%s\": got \"%s\", expected \"%s\"", text, err.text, want);
}

CASE(empty_query_holds_for_every_row)
{
	EXPECT(true, "", " ", "\t \n");
}

CASE(free_text_looks_into_all_cells)
{
	EXPECT(true, "leaf", "ETHERNET", "r3 net12", "\"two words\"", "34.0%", "leaf-r3-00");
	EXPECT(false, "spine", "leaf spine", "\"two  words\"");
	EXPECT(true, "!spine", "! spine", "!!leaf", "leaf !spine");
	EXPECT(false, "!leaf", "!!!leaf");
}

CASE(words_compare_without_case_numbers_as_numbers)
{
	EXPECT(true, "oper=down", "oper=DOWN", "OPER=down", "oper!=up", "oper = down",
		"port=\"Ethernet12\"");
	EXPECT(false, "oper=up", "oper!=Down", "oper=dow", "oper=\"\"");
	EXPECT(true, "paused=34", "paused=34.0", "paused=34%", "paused=3.4e1", "paused!=35",
		"rx=312.5G", "power=-7.3");
	EXPECT(false, "paused=35", "paused!=34", "paused=34k");
	EXPECT(true, "paused!=high", "rx=312g");
	EXPECT(false, "paused=high");
}

CASE(order_takes_si_suffixes)
{
	EXPECT(true, "paused>20%", "paused>=34", "paused<=34", "paused<35", "rx>300G", "rx>312k",
		"rx<1T", "rx>1M", "rx>1K", "paused > 20%", "power<-7", "power>-8", "rx>3e11");
	EXPECT(false, "paused>34", "paused<34", "rx>313G", "rx<300G", "power>-7");
	/* A word has no order. */
	EXPECT(false, "port>1", "port<1", "!port>1");
}

CASE(regular_expressions_are_extended_and_without_case)
{
	EXPECT(true, "port~^ethernet[0-9]+$", "port~net(12|16)$", "port!~^swp", "rx~^312",
		"paused~^34$", "port~\"^E.*2$\"", "port~[|12]", "oper~\\<down");
	EXPECT(false, "port~^net", "port!~12", "port~\"^E 12\"");
	/* Outside brackets | still separates the alternatives of the term. */
	EXPECT(true, "port~^swp|oper=down", "port~(swp|Eth)|oper=up");
	expect_error("port~(", "column 6: not a regular expression");
	expect_error("port~[a", "column 6: not a regular expression");
	expect_error("a b port~*+(", "column 10: not a regular expression");
	expect_error("port~", "a value is missing");
	expect_error("port~\"\"", "a value is missing");
}

CASE(costly_expressions_are_refused)
{
	char text[400] = "port~";

	expect_error("port~((a{200}){200}){200}", "too costly");
	expect_error("port~a{99999999999999999999}", "too costly");
	expect_error("port~(.*)\\1", "too costly");
	expect_error("port~a++++++++++++++++++++", "too costly");
	expect_error("port~((((((((((a+)+)+)+)+)+)+)+)+)+)+", "too costly");
	memset(text + 5, 'a', 300);
	expect_error(text, "too costly");
	EXPECT(false, "port~a+b+c+d+e+f+g+h+i+j+k+l+", "port~a{100}", "port~(a{10}){10}");
}

CASE(alternatives_bind_within_a_term)
{
	EXPECT(true, "oper=up|oper=down", "spine|leaf", "spine | leaf", "oper=down|drops>0",
		"spine|oper=down Ethernet", "!oper=up|spine");
	EXPECT(false, "oper=up|spine", "!oper=up|leaf", "spine|leaf spine");
}

/* The main rule: an unknown value selects nothing, in a condition and in its negation. */
CASE(unknown_is_false_and_its_negation_too)
{
	EXPECT(false, "drops>0", "!drops>0", "drops=0", "drops!=0", "!drops=0", "!!drops=0",
		"drops~.", "drops!~.", "!drops~.", "drops<1", "!drops<1");
	EXPECT(false, "nan>0", "!nan>0", "nan=0", "nan!=0", "nan~n");
	EXPECT(false, "nosuch=1", "nosuch!=1", "!nosuch=1");
	/* One alternative that holds is enough, also negated it decides. */
	EXPECT(true, "drops>0|oper=down");
	EXPECT(false, "!drops>0|oper=down", "!drops>0|oper=up");
}

CASE(errors_say_where_and_what)
{
	struct err err = {0};

	expect_error("\"open", "column 1: the quote is not closed");
	expect_error("leaf oper=\"x", "column 11: the quote is not closed");
	expect_error("paused>", "column 8: a value is missing");
	expect_error("paused> |x", "column 9: a value is missing");
	expect_error("paused>high", "column 8: not a number");
	expect_error("paused>0x10", "column 8: not a number");
	expect_error("paused>inf", "not a number");
	expect_error("paused>nan", "not a number");
	expect_error("paused>1e999", "not a number");
	expect_error("paused>1kk", "not a number");
	expect_error("paused>5parsec", "column 9: not a number: \"parsec\" is not a unit");
	expect_error("paused>\"5 %\"", "column 10: not a number: \" %\" is not a unit");
	expect_error("paused>5ms/s", "is not a unit");
	expect_error("paused>5/year", "is not a unit");
	expect_error("=5", "column 1: a field name is missing");
	expect_error("a:b=5", "column 1: not a field name");
	expect_error("\"oper\"=down", "column 1: a field name is not quoted");
	expect_error("|", "column 1: a word or a comparison is missing");
	expect_error("a|", "column 3: a word or a comparison is missing");
	expect_error("a||b", "column 3: a word or a comparison is missing");
	expect_error("!", "column 2: a word or a comparison is missing");
	expect_error("\"a\"\"b\"", "column 4: a space is missing");
	assert_null(query_parse("paused>high", &err));
	assert_non_null(strstr(err.cure, "k M G T"));
	assert_string_equal(err.origin, "filter");
	/* An error buffer is optional. */
	assert_null(query_parse("paused>", NULL));
}

static enum query_answer decided(const char *text)
{
	struct err err = {0};
	struct query *q = query_parse(text, &err);
	enum query_answer out;

	assert_non_null(q);
	out = query_decide(q, &row);
	/* '/' shows the rows that match for certain. */
	assert_int_equal(out == QUERY_YES, query_match(q, &row));
	query_free(q);
	return out;
}

/* At most 13: a comparison that this leaves open is unknown. */
CASE(a_bound_is_no_proof)
{
	assert_int_equal(decided("bound>1"), QUERY_UNKNOWN);
	assert_int_equal(decided("bound>=13"), QUERY_UNKNOWN);
	assert_int_equal(decided("bound>13"), QUERY_NO);
	assert_int_equal(decided("bound>20%"), QUERY_NO);
	assert_int_equal(decided("bound<20"), QUERY_YES);
	assert_int_equal(decided("bound<=13"), QUERY_YES);
	assert_int_equal(decided("bound<13"), QUERY_UNKNOWN);
	assert_int_equal(decided("bound<1"), QUERY_UNKNOWN);
	assert_int_equal(decided("bound=20"), QUERY_NO);
	assert_int_equal(decided("bound=5"), QUERY_UNKNOWN);
	assert_int_equal(decided("bound!=20"), QUERY_YES);
	assert_int_equal(decided("!bound>1"), QUERY_UNKNOWN);
}

CASE(nobody_knows_is_an_answer)
{
	assert_int_equal(decided(""), QUERY_YES);
	assert_int_equal(decided("paused>20%"), QUERY_YES);
	assert_int_equal(decided("paused>40%"), QUERY_NO);
	assert_int_equal(decided("drops>0"), QUERY_UNKNOWN);
	assert_int_equal(decided("nan>0"), QUERY_UNKNOWN);
	assert_int_equal(decided("!drops>0"), QUERY_UNKNOWN);
	assert_int_equal(decided("drops!=1"), QUERY_UNKNOWN);
	/* A word has no order. */
	assert_int_equal(decided("port>3"), QUERY_UNKNOWN);
	/* A known term that decides makes the result known, in any order of terms. */
	assert_int_equal(decided("drops>0 paused>40%"), QUERY_NO);
	assert_int_equal(decided("paused>40% drops>0"), QUERY_NO);
	assert_int_equal(decided("drops>0|paused>20%"), QUERY_YES);
	assert_int_equal(decided("drops>0 paused>20%"), QUERY_UNKNOWN);
	assert_int_equal(decided("drops>0|paused>40%"), QUERY_UNKNOWN);
	assert_int_equal(decided("!drops>0|paused>20%"), QUERY_NO);
	assert_int_equal(decided("nothing-like-that"), QUERY_NO);
}

CASE(thresholds_have_units)
{
	/* rate: 2 per second; took: 250 ms in milliseconds; age: 90 s in seconds; bytes: 1,500,000
	 */
	assert_true(matches("rate>100/min"));
	assert_false(matches("rate>121/min"));
	assert_true(matches("rate<7201/h"));
	assert_true(matches("rate=2/s"));
	assert_false(matches("rate>1k/s"));
	assert_true(matches("took=250ms"));
	assert_true(matches("took>0.2s"));
	assert_true(matches("took<1min"));
	assert_true(matches("took>200"));
	assert_true(matches("took<250001us"));
	assert_false(matches("took<249999us"));
	assert_true(matches("age>1min"));
	assert_true(matches("age<1h"));
	assert_true(matches("age<1d"));
	assert_true(matches("age=90"));
	assert_true(matches("bytes=1.5MB"));
	assert_true(matches("bytes>1.4MiB"));
	assert_false(matches("bytes>1465KiB"));
	assert_true(matches("bytes>1MB/s"));
	assert_true(matches("power<-7dBm"));
	assert_false(matches("power<-8dBm"));
	assert_true(matches("rx>312Gb"));
	assert_true(matches("rx>312Gb/s"));
	assert_true(matches("paused>1e-6"));
	assert_true(matches("paused>1e-6%"));
	assert_true(matches("paused<1E3"));
}

CASE(fields_are_told_once)
{
	const char *fields[3];
	struct err err = {0};
	struct query *q = query_parse("rx>1 text oper=down|rx<3 !port~x drops>0", &err);

	assert_non_null(q);
	assert_int_equal(query_fields(q, fields, 3), 3);
	assert_string_equal(fields[0], "rx");
	assert_string_equal(fields[1], "oper");
	assert_string_equal(fields[2], "port");
	query_free(q);
}

CASE(hostile_input_is_bounded)
{
	char *text = mem_alloc(10001), *many = mem_alloc(4097);

	memset(text, '(', 10000);
	text[10000] = '\0';
	expect_error(text, "longer than 4096");
	for (int i = 0; i < 10000; i += 2)
		memcpy(text + i, "!a", 2);
	expect_error(text, "longer than 4096");
	text[4096] = '\0';
	assert_int_equal(strlen(text), 4096);
	/* One word that happens to be long, and 4095 negations, are legal. */
	EXPECT(true, text);
	memset(text, '!', 4095);
	text[4095] = 'a';
	EXPECT(false, text);
	for (int i = 0; i < 4096; i += 2)
		memcpy(many + i, "a ", 2);
	many[4096] = '\0';
	expect_error(many, "too many conditions");
	expect_error("\x1b]0;evil\x07=1", "not a field name");
	/* Brackets of a regular expression, nested as deep as its bound lets them. */
	memset(text, 0, 10001);
	(void)str_copy(text, 10001, "port~");
	memset(text + 5, '(', 120);
	text[125] = 'E';
	memset(text + 126, ')', 120);
	EXPECT(true, text);
	free(many);
	free(text);
}

CASE(every_byte_sequence_parses_or_fails)
{
	static const char alphabet[] = "ab=!~<>|\"\\ ()[]{},5k%*.\x01\xff";
	uint32_t seed = 1;
	unsigned parsed = 0;

	for (int i = 0; i < 20000; i++) {
		char text[24];
		struct query *q;
		size_t len;

		seed = seed * 1664525 + 1013904223;
		len = (seed >> 16) % (sizeof(text) - 1);
		for (size_t j = 0; j < len; j++) {
			seed = seed * 1664525 + 1013904223;
			text[j] = alphabet[(seed >> 16) % (sizeof(alphabet) - 1)];
		}
		text[len] = '\0';
		q = query_parse(text, NULL);
		parsed += q != NULL;
		if (q)
			(void)query_match(q, &row);
		query_free(q);
	}
	assert_in_range(parsed, 100, 19900);
}

static bool known(void *ctx, const char *name)
{
	struct query_value v;

	return row_field(ctx, name, &v);
}

CASE(unknown_fields_are_named_with_those_that_exist)
{
	static const char names[] = "port, oper, paused, rx, drops";
	struct err err = {0};
	struct query *q = query_parse("leaf oper=down|pausd>1", &err);

	assert_non_null(q);
	assert_false(query_check(q, known, NULL, names, &err));
	assert_string_equal(err.text, "column 16: there is no field \"pausd\"");
	assert_string_equal(err.cure, "did you mean paused? fields: port, oper, paused, rx, drops");
	query_free(q);
	q = query_parse("leaf oper=down !drops>0", &err);
	assert_non_null(q);
	assert_true(query_check(q, known, NULL, names, &err));
	query_free(q);
	query_free(NULL);
}

/* What the shipped runbooks expect, as a person would say it. */
CASE(a_query_is_said_in_words)
{
	static const struct {
		const char *query, *words;
	} list[] = {
		{"state=fresh|state=late", "state fresh or late"},
		{"oper=up/up|oper=-/up|oper=up/-", "oper up/up, -/up or up/-"},
		{"state!~^(established|admin-down)", "state other than established or admin-down"},
		{"paused_rx>20%", "paused rx above 20%"},
		{"rx_power<-10dBm", "rx power below -10dBm"},
		{"fec>0/s|ber>=1e-6", "fec above 0/s or ber 1e-6 or more"},
		{"wd=STORM paused_rx<=1%", "wd STORM and paused rx 1% or less"},
		{"result=DIFFERS check~^(pfc|dscp|trust)",
			"result DIFFERS and name pfc, dscp or trust"},
		{"what~^(ecmp|bgp)[.] role=culprit", "name ecmp or bgp and role culprit"},
		{"state~dead|state~aborted", "state like dead or state like aborted"},
		{"!oper!=up", "not oper other than up"},
		{"port~^Ethernet[0-9]+$", "port like ^Ethernet[0-9]+$"},
		{"port!~a|b", "port other than a or the text \"b\""},
		{"\"two words\"", "the text \"two words\""},
	};
	char words[120];

	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		struct query *q = query_parse(list[i].query, NULL);

		assert_non_null(q);
		assert_true(query_words(q, words, sizeof(words)));
		assert_string_equal(words, list[i].words);
		assert_false(query_words(q, words, strlen(list[i].words)));
		query_free(q);
	}
}

CASE(source_without_text_or_fields)
{
	const struct query_source none = {0};
	struct query *q = query_parse("!leaf", NULL);

	assert_true(query_match(q, &none));
	query_free(q);
	q = query_parse("!oper=up", NULL);
	assert_false(query_match(q, &none));
	query_free(q);
}

CASES_MAIN(NULL, NULL)
