/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <jansson.h>

#include "app/output/arranged_json.h"
#include "base/str.h"
#include "tests/support/cases.h"

struct stage {
	char dir[64], path[128];
	unsigned told;
	char message[512];
};

static int setup(void **state)
{
	struct stage *s = calloc(1, sizeof(*s));

	(void)str_copy(s->dir, sizeof(s->dir), "/tmp/railtop-arranged-XXXXXX");
	if (!mkdtemp(s->dir))
		return -1;
	(void)str_printf(s->path, sizeof(s->path), "%s/state/railtop/views.json", s->dir);
	*state = s;
	return 0;
}

static int teardown(void **state)
{
	struct stage *s = *state;
	char path[160];

	(void)unlink(s->path);
	(void)str_printf(path, sizeof(path), "%s/state/railtop", s->dir);
	(void)chmod(path, 0700);
	/* Nothing else is left there, or this fails. */
	(void)rmdir(path);
	(void)str_printf(path, sizeof(path), "%s/state", s->dir);
	(void)rmdir(path);
	if (rmdir(s->dir) != 0)
		fail_msg("something is left in %s", s->dir);
	free(s);
	return 0;
}

static void count_warning(void *ctx, const char *message)
{
	struct stage *s = ctx;

	s->told++;
	(void)str_copy(s->message, sizeof(s->message), message);
}

static struct arranged *open_one(struct stage *s, bool read_only)
{
	struct arranged_opts o = {
		.path = s->path, .read_only = read_only, .warn = count_warning, .ctx = s};

	return arranged_open(&o);
}

static uint64_t bit(const struct view_ops *v, const char *id)
{
	for (size_t i = 0; i < v->ncolumns; i++)
		if (str_eq(v->columns[i].id, id))
			return UINT64_C(1) << i;
	fail_msg("%s has no column %s", v->name, id);
	return 0;
}

static void write_file(struct stage *s, const char *text)
{
	char path[160];
	FILE *f;

	(void)str_printf(path, sizeof(path), "%s/state", s->dir);
	(void)mkdir(path, 0700);
	(void)str_printf(path, sizeof(path), "%s/state/railtop", s->dir);
	(void)mkdir(path, 0700);
	f = fopen(s->path, "we");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static void expect(
	const struct arranged *a, const struct view_ops *v, const char *sort, uint64_t hidden)
{
	char have[48];
	uint64_t bits;

	assert_true(arranged_get(a, v, have, sizeof(have), &bits));
	assert_string_equal(have, sort);
	assert_int_equal(bits, hidden);
}

CASE_WITH(it_is_there_in_the_next_session, setup, teardown)
{
	struct stage *s = *state;
	const struct view_ops *links = view_by_name("links"), *leaf = view_by_name("leaf");
	struct arranged *a = open_one(s, false);
	struct stat st;
	char sort[48];
	uint64_t hidden;

	assert_false(arranged_get(a, links, sort, sizeof(sort), &hidden));
	assert_true(arranged_set(a, links, "-flaps", bit(links, "ber")));
	assert_true(arranged_set(a, leaf, "", bit(leaf, "rx") | bit(leaf, "why")));
	arranged_close(a);
	assert_int_equal(stat(s->path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	a = open_one(s, false);
	expect(a, links, "-flaps", bit(links, "ber"));
	expect(a, leaf, "", bit(leaf, "rx") | bit(leaf, "why"));
	/* And taken back. */
	assert_true(arranged_set(a, links, "", 0));
	arranged_close(a);
	a = open_one(s, false);
	expect(a, links, "", 0);
	arranged_close(a);
	assert_int_equal(s->told, 0);
}

CASE_WITH(what_is_not_known_is_ignored_and_kept, setup, teardown)
{
	struct stage *s = *state;
	const struct view_ops *links = view_by_name("links");
	struct arranged *a;
	json_t *root;

	write_file(s, "{\"links\":{\"sort\":\"-colour\",\"hidden\":[\"colour\",\"ber\",3,null],"
		      "\"width\":7},\"hologram\":{\"hidden\":[\"x\"]}}");
	a = open_one(s, false);
	expect(a, links, "", bit(links, "ber"));
	assert_true(arranged_set(a, links, "flaps", 0));
	arranged_close(a);
	root = json_load_file(s->path, 0, NULL);
	assert_non_null(json_object_get(root, "hologram"));
	assert_int_equal(
		json_integer_value(json_object_get(json_object_get(root, "links"), "width")), 7);
	assert_string_equal(json_string_value(json_array_get(
				    json_object_get(json_object_get(root, "links"), "hidden"), 0)),
		"colour");
	json_decref(root);
	assert_int_equal(s->told, 0);
}

CASE_WITH(a_broken_file_is_told_and_left_alone, setup, teardown)
{
	static const char *const broken[] = {"", "{", "[]", "{\"links\":", "\x01\x02", "null"};
	struct stage *s = *state;
	const struct view_ops *links = view_by_name("links");

	for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
		struct arranged *a;
		char sort[48], have[64] = "";
		uint64_t hidden;
		FILE *f;

		s->told = 0;
		write_file(s, broken[i]);
		a = open_one(s, false);
		assert_int_equal(s->told, 1);
		assert_non_null(strstr(s->message, "cannot be read"));
		assert_false(arranged_get(a, links, sort, sizeof(sort), &hidden));
		arranged_close(a);
		f = fopen(s->path, "re");
		assert_non_null(f);
		have[fread(have, 1, sizeof(have) - 1, f)] = '\0';
		(void)fclose(f);
		assert_string_equal(have, broken[i]);
		/* Until the operator changes something. */
		a = open_one(s, false);
		assert_true(arranged_set(a, links, "-flaps", 0));
		arranged_close(a);
		a = open_one(s, false);
		expect(a, links, "-flaps", 0);
		arranged_close(a);
	}
}

CASE_WITH(of_the_wrong_kind_is_no_arrangement, setup, teardown)
{
	struct stage *s = *state;
	const struct view_ops *links = view_by_name("links");
	struct arranged *a;
	char sort[48];
	uint64_t hidden;

	write_file(s, "{\"links\":[1],\"leaf\":{\"sort\":7,\"hidden\":\"rx\"}}");
	a = open_one(s, false);
	assert_false(arranged_get(a, links, sort, sizeof(sort), &hidden));
	expect(a, view_by_name("leaf"), "", 0);
	arranged_close(a);
}

CASE_WITH(a_place_that_cannot_be_written_is_told_once, setup, teardown)
{
	struct stage *s = *state;
	const struct view_ops *links = view_by_name("links");
	struct arranged_opts o = {
		.path = "/proc/railtop/views.json", .warn = count_warning, .ctx = s};
	struct arranged *a = arranged_open(&o);

	assert_int_equal(s->told, 0);
	assert_false(arranged_set(a, links, "-flaps", 0));
	assert_false(arranged_set(a, links, "flaps", 0));
	assert_int_equal(s->told, 1);
	assert_non_null(strstr(s->message, "cannot be kept"));
	/* In this session it holds all the same. */
	expect(a, links, "flaps", 0);
	arranged_close(a);
}

CASE_WITH(the_wall_changes_nothing, setup, teardown)
{
	struct stage *s = *state;
	const struct view_ops *links = view_by_name("links");
	struct arranged *a = open_one(s, true);

	assert_true(arranged_set(a, links, "-flaps", 0));
	assert_int_not_equal(access(s->path, F_OK), 0);
	arranged_close(a);
}

CASE_WITH(two_consoles_keep_both, setup, teardown)
{
	struct stage *s = *state;
	const struct view_ops *links = view_by_name("links"), *leaf = view_by_name("leaf");
	struct arranged *a = open_one(s, false), *b = open_one(s, false);

	assert_true(arranged_set(a, links, "-flaps", 0));
	assert_true(arranged_set(b, leaf, "-rx", 0));
	arranged_close(a);
	arranged_close(b);
	a = open_one(s, false);
	expect(a, links, "-flaps", 0);
	expect(a, leaf, "-rx", 0);
	arranged_close(a);
}

/* However the two interleave, the file is always whole. */
CASE_WITH(at_once_they_corrupt_nothing, setup, teardown)
{
	struct stage *s = *state;
	const struct view_ops *v[2] = {view_by_name("links"), view_by_name("leaf")};
	pid_t pid[2];

	for (unsigned k = 0; k < 2; k++) {
		pid[k] = fork();
		assert_true(pid[k] >= 0);
		if (pid[k] == 0) {
			struct arranged *a = open_one(s, false);

			for (unsigned i = 0; i < 200; i++)
				if (!arranged_set(a, v[k], i % 2 ? "-rx" : "rx", i % 7))
					_exit(1);
			_exit(s->told ? 2 : 0);
		}
	}
	for (unsigned k = 0; k < 2; k++) {
		int status = -1;

		assert_int_equal(waitpid(pid[k], &status, 0), pid[k]);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), 0);
	}
	arranged_close(open_one(s, false));
	assert_int_equal(s->told, 0);
}

static const struct saved_filter hot = {
	.name = "hot", .view = "links", .place = "", .filter = "flaps>0", .sort = "-flaps"};

CASE_WITH(a_saved_filter_is_there_in_the_next_session, setup, teardown)
{
	struct stage *s = *state;
	struct arranged *a = open_one(s, false);
	struct saved_filter f;

	assert_false(arranged_filter(a, 0, &f));
	assert_true(arranged_set(a, view_by_name("leaf"), "-rx", 0));
	assert_true(arranged_save_filter(a, &hot, false));
	arranged_close(a);
	a = open_one(s, false);
	expect(a, view_by_name("leaf"), "-rx", 0);
	assert_true(arranged_filter(a, 0, &f));
	assert_memory_equal(&f, &hot, sizeof(f));
	assert_false(arranged_filter(a, 1, &f));
	assert_true(arranged_save_filter(a, &hot, true));
	arranged_close(a);
	a = open_one(s, true);
	assert_false(arranged_filter(a, 0, &f));
	/* The wall keeps nothing. */
	assert_true(arranged_save_filter(a, &hot, false));
	assert_false(arranged_filter(a, 0, &f));
	arranged_close(a);
	assert_int_equal(s->told, 0);
}

CASE_WITH(texts_of_the_file_are_sanitised, setup, teardown)
{
	struct stage *s = *state;
	struct saved_filter f;
	struct arranged *a;

	write_file(s, "{\"saved filters\": {\"a\": {\"view\": \"links\", \"filter\": "
		      "\"\\u001b[31mred\"}, \"b\": 7, \"c\": {\"view\": 3}}}");
	a = open_one(s, false);
	assert_true(arranged_filter(a, 0, &f));
	assert_string_equal(f.view, "links");
	assert_null(strchr(f.filter, 27));
	assert_true(arranged_filter(a, 1, &f));
	assert_string_equal(f.view, "");
	assert_true(arranged_filter(a, 2, &f));
	assert_string_equal(f.view, "");
	assert_false(arranged_filter(a, 3, &f));
	arranged_close(a);
	write_file(s, "{\"saved filters\": []}");
	a = open_one(s, false);
	assert_false(arranged_filter(a, 0, &f));
	assert_true(arranged_save_filter(a, &hot, false));
	assert_true(arranged_filter(a, 0, &f));
	arranged_close(a);
}

CASES_MAIN(NULL, NULL)
