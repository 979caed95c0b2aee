/* SPDX-License-Identifier: Apache-2.0 */
/* The hour as trace events: Perfetto has to load it, and a gap must not look like a value. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "archive/export/timeline.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"
#include "tests/diagnosis/engine/stand.h"
#include "tests/support/cases.h"

#define LEAF "leaf-r0-00:Ethernet0"

static json_t *written(const struct stand *s)
{
	struct err err = {0};
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	json_t *root;

	assert_non_null(f);
	if (!timeline_write(s->m, s->d, s->now_us, f, &err))
		fail_msg("%s", err.text);
	assert_int_equal(fclose(f), 0);
	root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	if (!root)
		fail_msg("this is no JSON:\n%s", text);
	free(text);
	return root;
}

static const char *text_of(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

/* How many events of that phase have a name with these words. */
static unsigned count(const json_t *root, const char *phase, const char *words)
{
	const json_t *list = json_object_get(root, "traceEvents"), *e;
	unsigned n = 0;
	size_t i;

	json_array_foreach(list, i, e) n +=
		str_eq(text_of(e, "ph"), phase) && strstr(text_of(e, "name"), words) ? 1 : 0;
	return n;
}

/* The rules that every loader of the format relies on. */
static void expect_valid(const json_t *root)
{
	const json_t *list = json_object_get(root, "traceEvents"), *e;
	unsigned begun = 0, ended = 0;
	size_t i;

	assert_true(json_array_size(list) > 0);
	json_array_foreach(list, i, e)
	{
		const char *phase = text_of(e, "ph");
		json_int_t ts = json_integer_value(json_object_get(e, "ts"));

		assert_true(json_is_integer(json_object_get(e, "ts")));
		assert_true(json_is_integer(json_object_get(e, "pid")));
		assert_true(*text_of(e, "name"));
		if (phase[0] != 'M')
			assert_true(ts > 1600000000000000 && ts < 2000000000000000);
		if (phase[0] == 'b') {
			const json_t *next = json_array_get(list, i + 1);

			begun++;
			assert_string_equal(text_of(next, "ph"), "e");
			assert_string_equal(text_of(next, "id"), text_of(e, "id"));
			assert_string_equal(text_of(next, "cat"), text_of(e, "cat"));
			assert_true(json_integer_value(json_object_get(next, "ts")) > ts);
		}
		ended += phase[0] == 'e' ? 1 : 0;
	}
	assert_int_equal(begun, ended);
	assert_int_equal(
		json_integer_value(json_object_get(json_object_get(root, "otherData"), "schema")),
		TIMELINE_SCHEMA);
}

CASE_WITH(findings_events_and_counters, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	json_t *root;

	root = written(s);
	expect_valid(root);
	assert_int_equal(count(root, "C", ""), 0); /* nothing is wrong: no port is named */
	json_decref(root);
	stand_hold(s, LEAF, 60);
	stand_load(s, LEAF, 30);
	stand_poll(s, 8);
	stand_link(s, "leaf-r1-00:Ethernet8", false);
	stand_poll(s, 3);
	root = written(s);
	expect_valid(root);
	assert_int_equal(count(root, "b", "link.down"), 1);
	assert_true(count(root, "b", "host.slow_receiver") + count(root, "b", "pfc.") >= 1);
	assert_true(count(root, "i", "link_down Ethernet8") >= 1);
	assert_int_equal(count(root, "C", "Ethernet0 paused rx p3"), 1); /* it stands still */
	assert_true(count(root, "C", "Ethernet0 tx") >= 2);
	assert_int_equal(count(root, "M", "process_name") >= 3, 1);
	json_decref(root);
}

/* A counter of the format keeps its last value: a gap is told beside it. */
CASE_WITH(a_gap_is_a_span_of_its_own, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	json_t *root;

	stand_hold(s, LEAF, 60);
	stand_load(s, LEAF, 30);
	stand_poll(s, 8);
	stand_silent(s, "leaf-r0-00", true);
	stand_poll(s, 12);
	root = written(s);
	expect_valid(root);
	assert_int_equal(count(root, "b", "no data: Ethernet0 paused rx p3"), 1);
	assert_int_equal(count(root, "b", "no data: mlx5_0"), 0);
	json_decref(root);
	/* It went on counting: when it answers again, the time between is known. */
	stand_silent(s, "leaf-r0-00", false);
	stand_poll(s, 2);
	root = written(s);
	assert_int_equal(count(root, "b", "no data"), 0);
	json_decref(root);
}

CASES_MAIN(NULL, NULL)
