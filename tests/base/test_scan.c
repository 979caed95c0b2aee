/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <ftw.h>
#include <locale.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/scan.h"
#include "base/str.h"
#include "tests/support/cases.h"
#include "tests/support/incremental/scan_tree.h"

/* Documents that JSON has, and that it has not: jansson says which. */
static const char *const documents[] = {"{}", "[]", " \t\r\n{ } \n", "[[]]", "[{}]", "{\"a\":{}}",
	"[1]", "[0]", "[-0]", "[-1]", "[12,34 , 5]", "[1.5]", "[-1.5e3]", "[1E+2]", "[1e-2]",
	"[0.1]", "[123456789.987654321]", "[1e22,1e23,1e-22,1e-23]", "[9007199254740993.0]",
	"[2.2250738585072014e-308,4.9e-324,1e-400,1.7976931348623157e308]",
	"[0.1234567890123456789012345678901234567890]", "[9223372036854775807]",
	"[-9223372036854775808]", "[true,false,null]", "{\"a\":1,\"b\":[2,{\"c\":null}]}",
	"{\"a\":1,\"a\":2}", "{\"\":0}", "[\"\"]", "[\"plain words of more than eight\"]",
	"[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"]", "[\"\\u0041\\u00e9\\u20ac\"]", "[\"\\uD834\\uDD1E\"]",
	"[\"\\ud834\\udd1e and on\"]", "{\"k\\u00e9y\\n\":1}", "[\"\\u0000\"]",
	"[\"\xc3\xa9\xe2\x82\xac\xf0\x9d\x84\x9e\"]", "[\"ends in two bytes \xc3\xa9\"]",
	"{\"\xc3\xa9\xc3\xa9\":\"\x7f\"}", "[\"\xef\xbf\xbf\xf4\x8f\xbf\xbf\"]",
	"[[[[[[[[[[1]]]]]]]]]]",
	"{\n  \"a\": {\n          \"b\": 1,\n          \"c\": \"d\",\n\t \"e\":  [\n 2,\n          "
	"       "
	"  3,\n\"f\"]\n  },\n\n        \r\n\"g\": null\n}\n          ",
	/* none */
	"{\"a\": \n,\"b\": 1}", "{\"a\":1,\n          }", "[1,\n          ]", "[1,\n          ",
	"{\"a\": 1,\n          2}", "[1,\n         \x0b 2]", "", " ", "1", "\"a\"", "true", "{",
	"[", "}", "]", "{]", "[}", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "[1]]", "[1] x", "{}{}",
	"{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{\"a\":1 \"b\":2}", "{\"a\" 1}", "{a:1}", "{1:1}",
	"{,}", "{\"a\":1,,}", "[01]", "[-]", "[-01]", "[+1]", "[1.]", "[.5]", "[1.e5]", "[1e]",
	"[1e+]", "[1-2]", "[1.2.3]", "[0x10]", "[1e999]", "[-1e999]", "[9223372036854775808]",
	"[-9223372036854775809]", "[tru]", "[truex]", "[trueface]", "[nul", "[False]", "[NaN]",
	"[Infinity]", "[\"open", "[\"\\", "[\"\\x\"]", "[\"\\u12\"]", "[\"\\u12g4\"]",
	"[\"\\uD834\"]", "[\"\\uD834x\"]", "[\"\\uD834\\n\"]", "[\"\\uD834\\uD834\"]",
	"[\"\\uDD1E\"]", "[\"\\uD834\\u0041\"]", "{\"\\u0000\":1}", "[\"a\nb\"]", "[\"\x01\"]",
	"[\"\x1f\"]", "[\"\xff\"]", "[\"\xc3\"]", "[\"\xc3(\"]", "[\"\xc0\x80\"]",
	"[\"\xe0\x80\x80\"]", "[\"\xed\xa0\x80\"]", "[\"\xf4\x90\x80\x80\"]",
	"[\"\xf5\x80\x80\x80\"]", "[\"\x80\"]", "[\xc3\xa9]", "\xef\xbb\xbf[]", "['a']",
	"[1] // no", "[\"tab\there\"]"};

#define DOCUMENTS (sizeof(documents) / sizeof(documents[0]))

static void agree_however_cut(const char *bytes, size_t len)
{
	for (size_t first = 0; first < len; first++)
		if (!scan_agrees(bytes, len, first, len ? len : 1))
			fail_msg("\"%s\" cut at %zu", bytes, first);
	for (size_t piece = 1; piece < 5; piece++)
		if (!scan_agrees(bytes, len, 0, piece))
			fail_msg("\"%s\" in pieces of %zu", bytes, piece);
	if (!scan_agrees(bytes, len, 0, len + 1))
		fail_msg("\"%s\" whole", bytes);
}

CASE(it_agrees_with_jansson_however_it_is_cut)
{
	unsigned accepted = 0;

	for (size_t i = 0; i < DOCUMENTS; i++) {
		struct scan s;
		json_t *tree;

		agree_however_cut(documents[i], strlen(documents[i]));
		tree = scan_tree(&s, SCAN_ALONE, documents[i], strlen(documents[i]), 0, 99);
		accepted += tree != NULL;
		json_decref(tree);
	}
	assert_int_equal(accepted, 41);
	/* A NUL in the middle ends no document. */
	agree_however_cut("[\0]", 3);
	agree_however_cut("[\"\0\"]", 5);
}

/* Each byte of a document replaced by each of the bytes with a meaning. */
CASE(it_agrees_on_what_is_nearly_right)
{
	static const char *const good[] = {
		"{\"a\":[1,-2.5e1,\"b\\n\\u00e9\\ud834\\udd1e\"],\"c\":{}}",
		"[true,false,null,\"\xc3\xa9\xf0\x9d\x84\x9e.......\",0.125,{\"k\":\"\"}]",
		"{\n        \"a\": 1,\n          \"b\": [\n         2,\n         \"c\"]\n}"};
	static const char with[] = "{}[],:\"\\0-.eEtuDd \n\x01\x80\xc3\xf0\xff";

	for (size_t g = 0; g < sizeof(good) / sizeof(good[0]); g++)
		for (size_t i = 0; i < strlen(good[g]); i++)
			for (size_t w = 0; w < sizeof(with); w++) {
				char text[128];

				str_copy(text, sizeof(text), good[g]);
				text[i] = with[w];
				for (size_t piece = 1; piece < 100; piece += 33)
					if (!scan_agrees(text, strlen(good[g]), 0, piece))
						fail_msg("\"%s\" in pieces of %zu", text, piece);
			}
}

/* ---- documents of devices ---- */

static unsigned files;

static char *contents(const char *path, size_t len)
{
	FILE *f = fopen(path, "rb");
	char *bytes = malloc(len + 1);

	assert_non_null(f);
	assert_non_null(bytes);
	assert_int_equal(fread(bytes, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
	return bytes;
}

static int one_file(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	static const size_t pieces[] = {61, 4096, SIZE_MAX};
	size_t n = strlen(path), len = (size_t)st->st_size;
	char *bytes;

	(void)ftw;
	if (type != FTW_F || n < 5 || !str_eq(path + n - 5, ".json") || st->st_size > 4 << 20)
		return 0;
	bytes = contents(path, len);
	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++)
		if (!scan_agrees(bytes, len, 0, pieces[i]))
			fail_msg("%s in pieces of %zu", path, pieces[i]);
	/* Broken off, it is refused by both. */
	for (size_t cut = 0; cut < 5; cut++)
		if (!scan_agrees(bytes, len * cut / 5, 0, 509))
			fail_msg("%s broken off at %zu", path, len * cut / 5);
	free(bytes);
	files++;
	return 0;
}

CASE(it_agrees_on_the_documents_of_the_tests)
{
	assert_int_equal(nftw("tests", one_file, 16, FTW_PHYS), 0);
	assert_true(files > 5);
}

CASE(it_agrees_on_the_captures)
{
	const char *shared = getenv("RAILTOP_SHARED");
	char path[512];

	files = 0;
	str_printf(path, sizeof(path), "%s/captures", shared ? shared : "../shared");
	if (nftw(path, one_file, 16, FTW_PHYS) < 0)
		skip();
	print_message("# %u documents\n", files);
	assert_true(files > 50);
}

/* ---- bounds, errors, and the caller's options ---- */

struct seen {
	char kinds[64];
	size_t n, stop_at;
	uint64_t u;
	double real;
	char text[64];
};

static bool note(void *ctx, const struct scan_event *e)
{
	static const char letters[] = "{}[]kKsSiurtf0";
	struct seen *seen = ctx;

	if (seen->n < sizeof(seen->kinds) - 1)
		seen->kinds[seen->n] = letters[e->kind];
	seen->n++;
	if (e->kind == SCAN_UNSIGNED)
		seen->u = e->u;
	if (e->kind == SCAN_REAL)
		seen->real = e->real;
	if (e->kind == SCAN_STRING)
		str_copyn(seen->text, sizeof(seen->text), e->text, e->len);
	return seen->n != seen->stop_at;
}

static enum scan_state feed(struct scan *s, struct seen *seen, unsigned flags, const char *text)
{
	memset(seen, 0, sizeof(*seen));
	scan_begin(s, flags, note, seen);
	return scan_feed(s, text, strlen(text), NULL);
}

CASE(events_come_in_order)
{
	struct seen seen = {0};
	struct scan s;

	assert_int_equal(
		feed(&s, &seen, 0, "{\"a\":[1,2.5,\"x\\ny\",true,false,null]}"), SCAN_DONE);
	assert_string_equal(seen.kinds, "{K[irssStf0]}");
	assert_string_equal(seen.text, "y");
}

CASE(a_document_ends_where_it_ends)
{
	struct seen seen = {0};
	struct scan s;
	size_t used;

	scan_begin(&s, 0, note, &seen);
	assert_int_equal(scan_feed(&s, "[1", 2, &used), SCAN_MORE);
	assert_int_equal(used, 2);
	assert_int_equal(scan_feed(&s, "] [2]", 5, &used), SCAN_DONE);
	assert_int_equal(used, 1);
	assert_int_equal(s.offset, 3);
	assert_int_equal(scan_feed(&s, "x", 1, &used), SCAN_DONE);
	assert_int_equal(used, 0);
	assert_int_equal(scan_end(&s), SCAN_DONE);

	assert_int_equal(feed(&s, &seen, SCAN_ALONE, "[]  "), SCAN_DONE);
	assert_int_equal(scan_feed(&s, "\n,", 2, NULL), SCAN_WRONG);
	assert_int_equal(scan_feed(&s, "\n", 1, NULL), SCAN_WRONG);
	assert_int_equal(s.offset, 5);
	assert_string_equal(s.wrong, "the end of the document");
}

CASE(errors_say_where_and_what)
{
	static const struct {
		const char *text;
		unsigned offset;
		const char *wrong;
	} cases[] = {
		{"x", 0, "an object or an array"},
		{"[1 2]", 3, "',' or ']'"},
		{"{\"a\" 1}", 5, "':'"},
		{"{\"a\":1;", 6, "',' or '}'"},
		{"{\"a\":1,}", 7, "a key"},
		{"{1:1}", 1, "a key or '}'"},
		{"[1,]", 3, "a value"},
		{"[01]", 3, "a number"},
		{"[nulL]", 4, "true, false or null"},
		{"[\"\xff\"]", 2, "UTF-8"},
		{"[9223372036854775808]", 20, "an integer of 63 bits"},
		{"[1", 2, "more"},
	};
	struct seen seen;
	struct scan s;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		(void)feed(&s, &seen, 0, cases[i].text);
		assert_int_equal(scan_end(&s), SCAN_WRONG);
		assert_string_equal(s.wrong, cases[i].wrong);
		assert_int_equal(s.offset, cases[i].offset);
	}
}

CASE(levels_and_numbers_are_bounded)
{
	char text[256];
	struct seen seen;
	struct scan s;

	memset(text, '[', SCAN_DEPTH + 1);
	text[SCAN_DEPTH] = '\0';
	assert_int_equal(feed(&s, &seen, 0, text), SCAN_MORE);
	assert_int_equal(scan_feed(&s, "[", 1, NULL), SCAN_WRONG);
	assert_string_equal(s.wrong, "at most 64 levels of objects and arrays");

	memset(text, '1', sizeof(text));
	memcpy(text, "[0.", 3);
	str_copy(text + 1 + SCAN_NUMBER, 2, "]");
	assert_int_equal(feed(&s, &seen, 0, text), SCAN_DONE);
	str_copy(text + 1 + SCAN_NUMBER, 3, "1]");
	assert_int_equal(feed(&s, &seen, 0, text), SCAN_WRONG);
	for (size_t first = 1; first < SCAN_NUMBER; first++) {
		scan_begin(&s, 0, note, &seen);
		(void)scan_feed(&s, text, first, NULL);
		assert_int_equal(
			scan_feed(&s, text + first, strlen(text + first), NULL), SCAN_WRONG);
	}
}

CASE(the_caller_may_stop_it)
{
	struct seen seen = {.stop_at = 3};
	struct scan s;

	scan_begin(&s, 0, note, &seen);
	assert_int_equal(scan_feed(&s, "[1,2,3]", 7, NULL), SCAN_STOPPED);
	assert_int_equal(seen.n, 3);
	assert_int_equal(scan_feed(&s, "[1,2,3]", 7, NULL), SCAN_STOPPED);
	assert_int_equal(scan_end(&s), SCAN_STOPPED);
	assert_int_equal(seen.n, 3);
}

CASE(readers_take_more_than_json_has)
{
	struct seen seen;
	struct scan s;

	assert_int_equal(feed(&s, &seen, SCAN_BIG, "[18446744073709551615]"), SCAN_DONE);
	assert_true(seen.u == UINT64_MAX);
	assert_int_equal(feed(&s, &seen, SCAN_BIG, "[18446744073709551616]"), SCAN_DONE);
	assert_true(seen.real == 18446744073709551616.0);
	assert_int_equal(feed(&s, &seen, SCAN_BIG, "[-9223372036854775809]"), SCAN_DONE);
	assert_true(seen.real == -9223372036854775808.0);
	assert_int_equal(feed(&s, &seen, SCAN_ANY_UTF8, "[\"a\xff\xc3\"]"), SCAN_DONE);
	assert_string_equal(seen.text, "a\xff\xc3");
}

/* ---- numbers ---- */

CASE(reals_are_the_nearest_doubles)
{
	uint64_t seed = 88172645463325252U;

	for (unsigned i = 0; i < 200000; i++) {
		char text[64];
		double v, back;

		seed ^= seed << 13;
		seed ^= seed >> 7;
		seed ^= seed << 17;
		memcpy(&v, &seed, sizeof(v));
		if (i & 1)
			v = (double)(int64_t)seed / (double)(1u << (seed & 15));
		if (!isfinite(v))
			continue;
		str_printf(text, sizeof(text), i & 2 ? "%.17g" : "%.6g", v);
		assert_true(scan_real(text, strlen(text), &back));
		assert_true(back == strtod(text, NULL));
	}
}

CASE(reals_do_not_depend_on_the_locale)
{
	static const char *const commas[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"};
	const char *set = NULL;
	double v;

	for (size_t i = 0; i < 3 && !set; i++)
		set = setlocale(LC_NUMERIC, commas[i]);
	if (!set)
		skip();
	assert_true(scan_real("1.5e300", 7, &v) && v == 1.5e300);
	assert_true(scan_real("0.1", 3, &v) && v == 0.1);
	assert_false(scan_real("0,1", 3, &v));
	(void)setlocale(LC_NUMERIC, "C");
}

CASE(what_is_no_number_is_refused)
{
	static const char *const none[] = {"", "-", "1.", ".1", "01", "1e", "0x1", " 1", "1 ",
		"nan", "inf", "1e999", "--1", "1e5.5"};
	char text[SCAN_NUMBER + 2];
	double v;

	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		assert_false(scan_real(none[i], strlen(none[i]), &v));
	memset(text, '1', sizeof(text));
	assert_false(scan_real(text, SCAN_NUMBER + 1, &v));
	assert_true(scan_real(text, SCAN_NUMBER, &v));
}

CASES_MAIN(NULL, NULL)
