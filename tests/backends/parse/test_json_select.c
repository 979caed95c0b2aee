/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <ftw.h>
#include <stdlib.h>

#include "backends/parse/json_select.h"
#include "base/buf.h"
#include "base/str.h"
#include "tests/support/json_tree.h"
#include "tests/support/obs_find.h"

/* ---- the same values as the tree of jansson ---- */

static void same(const struct json_value *v, const json_t *j, const char *where);

/* Several at once, in the order of the document, in another, and with an absent name. */
static void same_picked(const struct json_value *v, const json_t *j)
{
	const char *names[18], *key;
	const struct json_value *found[18];
	json_t *member;
	size_t n = 0;

	names[n++] = "no such name";
	json_object_foreach((json_t *)j, key, member) if (n < 17) names[n++] = key;
	for (size_t i = 1; i < n / 2; i += 2) {
		const char *swapped = names[i];

		names[i] = names[n - i];
		names[n - i] = swapped;
	}
	json_value_pick(v, names, n, found);
	for (size_t i = 0; i < n; i++)
		assert_ptr_equal(found[i], json_value_get(v, names[i]));
	json_value_pick(v, names + 1, n - 1, found);
	for (size_t i = 1; i < n; i++)
		assert_ptr_equal(found[i - 1], json_value_get(v, names[i]));
}

static void same_members(const struct json_value *v, const json_t *j, const char *where)
{
	const char *key;
	json_t *member;

	same_picked(v, j);
	assert_int_equal(json_value_size(v), json_object_size(j));
	json_object_foreach((json_t *)j, key, member)
	{
		if (!json_value_get(v, key))
			fail_msg("%s: no %s", where, key);
		assert_string_equal(json_value_name(json_value_get(v, key)), key);
		same(json_value_get(v, key), member, where);
	}
}

static void same_items(const struct json_value *v, const json_t *j, const char *where)
{
	size_t i = 0;

	assert_int_equal(json_value_size(v), json_array_size(j));
	for (json_value_items(e, v)) {
		assert_string_equal(json_value_name(e), "");
		assert_ptr_equal(json_value_at(v, i), e);
		same(e, json_array_get(j, i++), where);
	}
}

/* Numbers may be integers here where the tree had to make them reals. */
static void same_number(const struct json_value *v, const json_t *j, const char *where)
{
	uint64_t a = 0, b = 0;
	double x = 0, y = 0;
	bool has_a = json_value_u64(v, &a), has_b = json_tree_u64(j, &b);

	assert_int_equal(json_value_real(v, &x), json_tree_real(j, &y));
	if (x != y || ((a != b || has_a != has_b) && !json_is_real(j)))
		fail_msg("%s: a number of another value", where);
}

static void same(const struct json_value *v, const json_t *j, const char *where)
{
	switch (json_typeof(j)) {
	case JSON_OBJECT:
		assert_true(json_value_is(v, DV_OBJECT));
		same_members(v, j, where);
		break;
	case JSON_ARRAY:
		assert_true(json_value_is(v, DV_ARRAY));
		same_items(v, j, where);
		break;
	case JSON_STRING:
		assert_int_equal(json_value_text_len(v), json_string_length(j));
		assert_memory_equal(
			json_value_text(v), json_string_value(j), json_value_text_len(v) + 1);
		break;
	case JSON_TRUE:
	case JSON_FALSE:
		assert_true(json_value_is(v, json_is_true(j) ? DV_TRUE : DV_FALSE));
		break;
	case JSON_NULL:
		assert_true(json_value_is(v, DV_NULL));
		break;
	default:
		same_number(v, j, where);
	}
}

static unsigned files;

static int one_file(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	struct err a = {0}, b = {0};
	struct json_value *v;
	json_t *j;
	char *bytes;
	size_t len;

	(void)ftw;
	if (type != FTW_F || st->st_size > 4 << 20 || !(bytes = read_file(path, &len)))
		return 0;
	v = json_value_parse(bytes, len, "x", &a);
	j = json_tree(bytes, len, "x", &b);
	if (!v != !j)
		fail_msg("%s: %s / %s", path, a.text, b.text);
	if (j) {
		same(v, j, path);
		files++;
	}
	free(v);
	json_decref(j);
	free(bytes);
	return 0;
}

static void it_reads_what_the_tree_reads(void **state)
{
	const char *shared = getenv("RAILTOP_SHARED");
	char path[512];

	(void)state;
	files = 0;
	assert_int_equal(nftw("tests/backends/fixtures", one_file, 16, FTW_PHYS), 0);
	assert_int_equal(nftw("tests/captures/fixtures", one_file, 16, FTW_PHYS), 0);
	assert_true(files > 10);
	str_printf(path, sizeof(path), "%s/captures", shared ? shared : "../shared");
	(void)nftw(path, one_file, 16, FTW_PHYS);
	print_message("# %u documents\n", files);
}

static const char document[] =
	"{\"n\":7,\"b\":18446744073709551615,\"big\":18446744073709551616,"
	"\"neg\":-1,\"r\":2.5,\"s\":\"12\",\"w\":\"N/A\",\"nul\":\"a\\u0000b\","
	"\"t\":true,\"z\":null,\"o\":{\"a\":{\"b\":\"deep\"}},\"e\":{},"
	"\"l\":[1,[2],\"three\"],\"n\":8,\"\":0,\"seven77\":1,\"eight888\":2}";

static void values_are_found_and_read(void **state)
{
	struct json_value *v = json_value_parse(document, strlen(document), "x", NULL);
	const struct json_value *found[4];
	uint64_t n = 0;
	double d = 0;

	(void)state;
	assert_true(json_value_u64(json_value_get(v, "n"), &n) && n == 8); /* the last of a name */
	assert_true(json_value_u64(json_value_get(v, "b"), &n) && n == UINT64_MAX);
	assert_false(json_value_u64(json_value_get(v, "big"), &n));
	assert_int_equal(json_value_real(json_value_get(v, "big"), &d), NUMBER_OK);
	assert_true(d == 18446744073709551616.0);
	assert_false(json_value_u64(json_value_get(v, "neg"), &n));
	assert_true(json_value_u64(json_value_get(v, "r"), &n) && n == 2);
	assert_true(json_value_u64(json_value_get(v, "s"), &n) && n == 12);
	assert_int_equal(json_value_real(json_value_get(v, "s"), &d), NUMBER_OK);
	assert_int_equal(json_value_real(json_value_get(v, "w"), &d), NUMBER_NONE);
	assert_int_equal(json_value_real(json_value_get(v, "t"), &d), NUMBER_NONE);
	assert_int_equal(json_value_text_len(json_value_get(v, "nul")), 3);
	assert_string_equal(json_value_text(json_value_get(v, "nul")), "a");
	assert_string_equal(json_value_text_or(json_value_path(v, "o.a.b"), ""), "deep");
	assert_null(json_value_path(v, "o.x.b"));
	assert_null(json_value_text(json_value_get(v, "n")));
	assert_int_equal(json_value_size(json_value_get(v, "l")), 3);
	assert_int_equal(json_value_length(json_value_get(v, "l")), 3);
	assert_int_equal(json_value_length(json_value_get(v, "o")), 0);
	assert_int_equal(json_value_length(NULL), 0);
	assert_true(json_value_is_last(v, json_value_get(v, "n")));
	assert_false(json_value_is_last(v, json_value_first(v, DV_OBJECT)));
	assert_string_equal(
		json_value_text_or(json_value_at(json_value_get(v, "l"), 2), ""), "three");
	assert_null(json_value_at(json_value_get(v, "l"), 3));
	assert_null(json_value_first(json_value_get(v, "e"), DV_OBJECT));
	assert_null(json_value_first(json_value_get(v, "l"), DV_OBJECT));
	assert_non_null(json_value_get(v, ""));
	assert_true(json_value_u64(json_value_get(v, "seven77"), &n) && n == 1);
	assert_true(json_value_u64(json_value_get(v, "eight888"), &n) && n == 2);
	json_value_pick(v, (const char *const[]){"s", "", "n", "x"}, 4, found);
	assert_ptr_equal(found[0], json_value_get(v, "s"));
	assert_ptr_equal(found[1], json_value_get(v, ""));
	assert_ptr_equal(found[2], json_value_get(v, "n"));
	assert_null(found[3]);
	/* A lookup in NULL finds nothing. */
	json_value_pick(NULL, (const char *const[]){"s"}, 1, found);
	assert_null(found[0]);
	assert_null(json_value_get(NULL, "n"));
	assert_null(json_value_at(NULL, 0));
	assert_int_equal(json_value_size(NULL), 0);
	assert_string_equal(json_value_name(NULL), "");
	assert_false(json_value_u64(NULL, &n));
	free(v);
}

/* ---- one document behind the other ---- */

/* The documents, the end of each, and whether the bytes behind the last one are an error. */
static void same_documents(const char *text, unsigned count)
{
	size_t len = strlen(text), a = 0, b = 0;
	unsigned n = 0;
	bool more = true;

	while (more) {
		struct err e = {0}, f = {0};
		struct json_value *v = json_value_parse_next(text, len, &a, "x", &e);
		json_t *j = json_tree_next(text, len, &b, "x", &f);

		if (!v != !j || a != b || e.code != f.code)
			fail_msg("%s: document %u: %s / %s", text, n, e.text, f.text);
		if (j)
			same(v, j, text);
		more = j != NULL;
		n += more;
		free(v);
		json_decref(j);
	}
	assert_int_equal(n, count);
	assert_int_equal(a, len);
}

static void documents_follow_each_other(void **state)
{
	(void)state;
	same_documents("", 0);
	same_documents("% Invalid command {a}\n", 0);
	same_documents("{\"a\":1}\n\n{\"b\":[1,2]}", 2);
	same_documents("{\"a\":1}{\"b\":2}\n{}", 3);
	same_documents("[WARNING] x\n [ {\"a\":1}, 2] then [{\"b\":3}]\nend\n", 2);
	same_documents("{\"a\":1}\n{\"b\":", 1);
	same_documents("{\"a\":1,}\n{\"b\":1}", 0);
	same_documents("[1]\n[[{}]]", 1);
	same_documents("x {\"a\":1}\n \t{\"b\":1}", 1);
}

/* Memory is taken for each document, not for all bytes behind it. */
static void many_small_documents_cost_little(void **state)
{
	static char text[1 << 20];
	size_t at = 0, n = 0;
	struct json_value *v;

	(void)state;
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = "{}\n "[i % 4];
	while ((v = json_value_parse_next(text, sizeof(text), &at, "x", NULL))) {
		n++;
		free(v);
	}
	assert_int_equal(n, sizeof(text) / 4);
}

/* ---- pieces ---- */

enum { W_HEAD, W_PORT, W_DEEP };
static const struct json_want wants[] = {{"head", true}, {"ports.*", false}, {"a.b.c", false}};

static const char reply[] = "Warning: {not yet}\n"
			    "{\"x\":[{\"head\":1}],\"head\":[\"one\",\"tw\\u006f\"],\"ports\":{"
			    "\"E\\u0030\":{\"c\":\"1 2\",\"head\":3},"
			    "\"E1\":[1,2],\"E2\":5,\"E3\":\"text\",\"E4\":{}},\"a\":{\"x\":{\"c\":"
			    "1},\"b\":{\"d\":{\"c\":2},"
			    "\"c\":[[{}]]}},\"ports\":7,\"z\":{\"ports\":{\"no\":1}}} trailing";

static const char told[] = "0 head 2;1 E0 2 \"1 2\";1 E1 2;1 E2 0;1 E3 0;1 E4 0;2 c 1;";

struct notes {
	struct buf text;
	const struct json_select *d;
	size_t stop_after;
};

static bool note(void *ctx, size_t want, const char *name, const struct json_value *v)
{
	struct notes *notes = ctx;
	const char *c = json_value_text(json_value_get(v, "c"));

	buf_addf(&notes->text, "%zu %s %zu", want, name, json_value_size(v));
	buf_addf(&notes->text, c ? " \"%s\";" : ";", c);
	/* A kept piece is there, whichever pieces come between. */
	if (want != W_HEAD)
		assert_string_equal(
			json_value_text_or(
				json_value_at(json_select_kept(notes->d, W_HEAD), 1), ""),
			"two");
	return !notes->stop_after || --notes->stop_after;
}

static void pieces_come_however_the_reply_is_cut(void **state)
{
	uint64_t room[16]; /* too little for any */

	(void)state;
	for (size_t piece = 1; piece <= sizeof(reply); piece++)
		for (int lent = 0; lent < 2; lent++) {
			struct json_select d;
			struct notes notes = {.d = &d};
			struct err err = {0};

			buf_init(&notes.text, 4096);
			json_select_begin(&d, wants, 3, note, &notes, lent ? room : NULL, 16);
			for (size_t at = 0; at < strlen(reply); at += piece) {
				size_t n = strlen(reply) - at;

				(void)json_select_feed(&d, reply + at, n < piece ? n : piece);
			}
			assert_true(json_select_end(&d, strlen(reply), "leaf", &err));
			assert_string_equal(notes.text.data, told);
			assert_true(json_select_opened(&d, W_PORT));
			json_select_free(&d);
			buf_free(&notes.text);
		}
}

static bool count_elements(void *ctx, size_t want, const char *name, const struct json_value *v)
{
	uint64_t n = 0;

	assert_string_equal(name, "");
	(void)json_value_u64(json_value_is(v, DV_OBJECT) ? json_value_get(v, "n") : v, &n);
	((uint64_t *)ctx)[want] = ((uint64_t *)ctx)[want] * 10 + n;
	return true;
}

static void elements_of_arrays_are_pieces(void **state)
{
	static const struct json_want elements[] = {{"list.[]", false}, {"deep.*.[]", false},
		{"none.[]", false}, {"object.[]", false}, {"grid.[].[]", false}};
	static const char text[] = "{\"before\":[9],\"list\":[{\"n\":1,\"list\":[9]},2,[9],"
				   "\"3\"],\"deep\":{\"a\":[4,5],\"b\":{\"c\":[9]},\"d\":[6]},"
				   "\"none\":[],\"object\":{\"[]\":9},\"grid\":[[1,2],3,[4]]}";

	(void)state;
	for (size_t piece = 1; piece <= sizeof(text); piece++) {
		uint64_t got[5] = {0};
		struct json_select d;

		json_select_begin(&d, elements, 5, count_elements, got, NULL, 0);
		for (size_t at = 0; at < strlen(text); at += piece)
			(void)json_select_feed(&d, text + at,
				strlen(text) - at < piece ? strlen(text) - at : piece);
		assert_true(json_select_end(&d, strlen(text), "x", NULL));
		assert_int_equal(got[0], 1203);
		assert_int_equal(got[1], 456);
		assert_true(json_select_opened(&d, 2)); /* it was there, and empty */
		assert_int_equal(got[3], 0);
		assert_false(json_select_opened(&d, 3));
		assert_int_equal(got[4], 124);
		json_select_free(&d);
	}
}

static void a_reply_can_be_read_again(void **state)
{
	static const char late[] = "{\"ports\":{\"E0\":{}},\"head\":[1,\"two\"]}";
	struct notes notes = {0};
	struct json_select d;

	(void)state;
	notes.d = &d;
	buf_init(&notes.text, 4096);
	json_select_begin(&d, wants, 3, note, &notes, NULL, 0);
	json_select_again(&d, 1u << W_HEAD);
	assert_true(json_select_read(&d, late, strlen(late), "leaf", NULL));
	json_select_again(&d, 1u << W_PORT);
	assert_true(json_select_read(&d, late, strlen(late), "leaf", NULL));
	assert_string_equal(notes.text.data, "0 head 2;1 E0 0;");
	buf_free(&notes.text);
	json_select_free(&d);
}

static void what_is_wrong_is_said(void **state)
{
	static const struct {
		const char *bytes, *text;
	} cases[] = {
		{"", "expected JSON, got: nothing"},
		{"% Invalid input\n", "expected JSON, got: % Invalid input"},
		{"note\n{\"ports\":{\"E0\":{\"c\":", "the JSON answer of 25 bytes breaks off or is "
						     "wrong at byte 20: expected more"},
		{"{\"ports\":{\"E0\":1,}}", "the JSON answer of 19 bytes breaks off or is wrong at "
					    "byte 17: expected a key"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err err = {0};

		assert_null(json_value_parse(cases[i].bytes, strlen(cases[i].bytes), "leaf", &err));
		assert_string_equal(err.text, cases[i].text);
		assert_string_equal(err.origin, "leaf");
		assert_int_equal(err.code, ERR_PROTOCOL);
	}
}

static void a_reader_may_stop(void **state)
{
	struct json_select d;
	struct notes notes = {.d = &d, .stop_after = 2};
	struct err err = {0};

	(void)state;
	buf_init(&notes.text, 4096);
	json_select_begin(&d, wants, 3, note, &notes, NULL, 0);
	assert_false(json_select_read(&d, reply, strlen(reply), "leaf", &err));
	assert_int_equal(err.code, ERR_NONE);
	assert_string_equal(notes.text.data, "0 head 2;1 E0 2 \"1 2\";");
	buf_free(&notes.text);
	json_select_free(&d);
}

/* Sixteen million values in one piece are refused, not stored. */
static void pieces_are_bounded(void **state)
{
	static char zeros[1 << 16];
	static const struct json_want all = {"ports.*", false};
	struct notes notes = {0};
	struct err err = {0};
	struct json_select d;
	bool more = true;

	(void)state;
	for (size_t i = 0; i < sizeof(zeros); i++)
		zeros[i] = i & 1 ? ',' : '0';
	notes.d = &d;
	buf_init(&notes.text, 4096);
	json_select_begin(&d, &all, 1, note, &notes, NULL, 0);
	more = json_select_feed(&d, "{\"ports\":{\"E0\":[", 16);
	for (unsigned i = 0; i < 1024 && more; i++)
		more = json_select_feed(&d, zeros, sizeof(zeros));
	assert_false(more);
	assert_false(json_select_end(&d, 1u << 26, "leaf", &err));
	assert_int_equal(err.code, ERR_LIMIT);
	buf_free(&notes.text);
	json_select_free(&d);
}

/* Objects so large that their names are indexed, with names that come twice. */
static void large_objects_find_their_members(void **state)
{
	struct buf b;
	struct json_value *v;
	char name[32];
	uint64_t n;

	(void)state;
	buf_init(&b, 1 << 20);
	buf_adds(&b, "{\"first\":{\"a\":1},\"large\":{");
	for (unsigned i = 0; i < 3000; i++)
		buf_addf(&b, "%s\"Ethernet%u/1\":{\"n\":%u}", i ? "," : "", i % 2500, i);
	buf_adds(&b, "},\"last\":[1,2]}");
	v = json_value_parse(b.data, b.len, "x", NULL);
	assert_non_null(v);
	for (unsigned i = 0; i < 2500; i++) {
		str_printf(name, sizeof(name), "Ethernet%u/1", i);
		assert_true(json_value_u64(
			json_value_get(json_value_get(json_value_get(v, "large"), name), "n"), &n));
		assert_int_equal(n, i < 500 ? i + 2500 : i);
	}
	assert_null(json_value_get(json_value_get(v, "large"), "Ethernet2500/1"));
	assert_null(json_value_get(json_value_get(v, "large"), ""));
	n = 0;
	for (json_value_members(e, json_value_get(v, "large")))
		n += json_value_is(e, DV_OBJECT);
	assert_int_equal(n, 3000);
	assert_int_equal(json_value_size(json_value_get(v, "last")), 2);
	free(v);
	buf_free(&b);
}

static void pairs_are_stepped_through(void **state)
{
	static const char text[] = "{\"p\":[\"3\",\"storm\",4,\"x\",\"odd\"],\"e\":{},\"n\":[]}";
	struct json_value *v = json_value_parse(text, strlen(text), "x", NULL);
	const struct json_value *a = NULL, *b = NULL;

	(void)state;
	assert_true(json_value_pair(json_value_get(v, "p"), &a, &b));
	assert_string_equal(json_value_text(a), "3");
	assert_string_equal(json_value_text(b), "storm");
	assert_true(json_value_pair(json_value_get(v, "p"), &a, &b));
	assert_true(json_value_is(a, DV_INTEGER));
	assert_false(json_value_pair(json_value_get(v, "p"), &a, &b));
	a = b = NULL;
	assert_false(json_value_pair(json_value_get(v, "e"), &a, &b));
	assert_false(json_value_pair(json_value_get(v, "n"), &a, &b));
	assert_false(json_value_pair(NULL, &a, &b));
	free(v);
}

/* Names of any length: no reader has one that long, and none is taken for another. */
static void long_names_match_nothing(void **state)
{
	char text[1000];
	struct json_select d;
	struct notes notes = {.d = &d};
	char name[300];

	(void)state;
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	str_printf(text, sizeof(text), "{\"head\":[1,\"two\"],\"%s\":1,\"ports\":{\"%s\":2}}", name,
		name);
	buf_init(&notes.text, 4096);
	json_select_begin(&d, wants, 3, note, &notes, NULL, 0);
	assert_true(json_select_read(&d, text, strlen(text), "leaf", NULL));
	name[JSON_SELECT_NAME_MAX] = '\0';
	str_printf(text, sizeof(text), "0 head 2;1 %s 0;", name);
	assert_string_equal(notes.text.data, text);
	buf_free(&notes.text);
	json_select_free(&d);
}

/* Names that begin alike, up to and beyond the word that is compared first. */
static void members_are_told_apart_by_all_of_a_name(void **state)
{
	static const char text[] = "{\"\":1,\"a\":2,\"12345678\":3,\"123456789\":4,"
				   "\"12345678x\":5,\"1234567\":6,\"a\":7,"
				   "\"12345678abcdefgh\":8,\"12345678abcdefgi\":9}";
	static const struct {
		const char *name;
		uint64_t want; /* 0: there is none */
	} names[] = {{"", 1}, {"a", 7}, {"12345678", 3}, {"123456789", 4}, {"12345678x", 5},
		{"1234567", 6}, {"12345678abcdefgh", 8}, {"12345678abcdefgi", 9}, {"b", 0},
		{"123456", 0}, {"12345678y", 0}, {"12345678abcdefg", 0}};
	struct json_value *v = json_value_parse(text, sizeof(text) - 1, "test", NULL);

	(void)state;
	assert_non_null(v);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		uint64_t n = 0;

		assert_int_equal(
			json_value_u64(json_value_get(v, names[i].name), &n), names[i].want != 0);
		assert_true(n == names[i].want);
	}
	free(v);
}

/* Texts of each length, for they are read by whole words. */
static void numbers_in_texts_are_all_of_the_text(void **state)
{
	static const char digits[] = "12345678901234567890";
	char text[64];
	uint64_t want = 0;

	(void)state;
	for (size_t n = 1; n < sizeof(digits); n++) {
		static const char *const others[] = {"", "x", ".5", "-", "\\u0000"};

		want = want * 10 + (uint64_t)(digits[n - 1] - '0');
		for (size_t k = 0; k < sizeof(others) / sizeof(others[0]); k++) {
			uint64_t got = 0;
			struct json_value *v;

			(void)snprintf(text, sizeof(text), "{\"n\":\"%.*s%s\"}", (int)n, digits,
				others[k]);
			v = json_value_parse(text, strlen(text), "test", NULL);
			assert_non_null(v);
			assert_int_equal(json_value_u64(json_value_get(v, "n"), &got), k == 0);
			assert_true(k != 0 || got == want);
			free(v);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_reads_what_the_tree_reads),
		cmocka_unit_test(values_are_found_and_read),
		cmocka_unit_test(documents_follow_each_other),
		cmocka_unit_test(many_small_documents_cost_little),
		cmocka_unit_test(elements_of_arrays_are_pieces),
		cmocka_unit_test(pieces_come_however_the_reply_is_cut),
		cmocka_unit_test(a_reply_can_be_read_again),
		cmocka_unit_test(what_is_wrong_is_said),
		cmocka_unit_test(a_reader_may_stop),
		cmocka_unit_test(pieces_are_bounded),
		cmocka_unit_test(large_objects_find_their_members),
		cmocka_unit_test(pairs_are_stepped_through),
		cmocka_unit_test(long_names_match_nothing),
		cmocka_unit_test(members_are_told_apart_by_all_of_a_name),
		cmocka_unit_test(numbers_in_texts_are_all_of_the_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
