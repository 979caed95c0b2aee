/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "archive/export/diff.h"
#include "base/str.h"
#include "tests/diagnosis/engine/stand.h"
#include "tests/support/cases.h"

struct twins {
	struct stand *a, *b;
	struct moment at[2];
	difference_vec v;
	char *text;
};

static int setup(void **state)
{
	struct twins *t = mem_calloc(1, sizeof(*t));

	t->a = stand_new();
	t->b = stand_new();
	stand_poll(t->a, 12);
	stand_poll(t->b, 12);
	*state = t;
	return 0;
}

static int teardown(void **state)
{
	struct twins *t = *state;

	stand_free(t->a);
	stand_free(t->b);
	difference_free(&t->v);
	free(t->text);
	free(t);
	return 0;
}

static const char *print(struct twins *t, bool json)
{
	struct diff_end from = {"a.rts", &t->at[0]}, to = {"b.rts", &t->at[1]};
	struct err err = {0};
	size_t size = 0;
	FILE *f;

	t->at[0] = (struct moment){t->a->m, t->a->d, t->a->now_us};
	t->at[1] = (struct moment){t->b->m, t->b->d, t->b->now_us};
	difference_free(&t->v);
	difference_find(&t->at[0], &t->at[1], &t->v);
	free(t->text);
	t->text = NULL;
	f = open_memstream(&t->text, &size);
	assert_non_null(f);
	assert_true(json ? diff_json(&from, &to, &t->v, f, &err)
			 : diff_text(&from, &to, &t->v, f, &err));
	assert_int_equal(fclose(f), 0);
	return t->text;
}

CASE_WITH(nothing_changed, setup, teardown)
{
	struct twins *t = *state;

	assert_string_equal(print(t, false),
		"from  a.rts, stand at 2023-11-14T22:14:20Z: 16 of 16 devices fresh\n"
		"to    b.rts, stand at 2023-11-14T22:14:20Z: 16 of 16 devices fresh\n"
		"0 differences: 0 critical, 0 warnings, 0 lower or improved\n");
}

CASE_WITH(a_page_for_people, setup, teardown)
{
	struct twins *t = *state;

	stand_number(t->b, "leaf-r0-00:Ethernet16", ATTR_SPEED_MBPS, 0, 200000);
	stand_number(t->a, "leaf-r0-00:Ethernet4", ATTR_MTU, 0, 9216);
	stand_number(t->b, "leaf-r0-00:Ethernet4", ATTR_MTU, 0, 1500);
	stand_poll(t->a, 1);
	stand_poll(t->b, 1);
	(void)print(t, false);
	assert_non_null(strstr(t->text, "leaf-r0-00:Ethernet16  speed: 400G -> 200G\n"));
	assert_non_null(strstr(t->text, "leaf-r0-00:Ethernet4   mtu: 9216 -> 1500\n"));
	assert_non_null(strstr(t->text, "WARN      speed    "));
}

CASE_WITH(as_json, setup, teardown)
{
	struct twins *t = *state;
	json_t *root, *list, *d, *end;
	size_t i, counters = 0, opened = 0;

	stand_link(t->b, "leaf-r0-00:Ethernet0", false);
	stand_poll(t->b, 4);
	root = json_loads(print(t, true), JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(root);
	assert_int_equal(json_integer_value(json_object_get(root, "schema")), 1);
	assert_int_equal(json_integer_value(json_object_get(root, "devices_in_both")), 16);
	end = json_object_get(root, "from");
	assert_string_equal(json_string_value(json_object_get(end, "file")), "a.rts");
	assert_string_equal(json_string_value(json_object_get(end, "fabric")), "stand");
	assert_true(json_number_value(json_object_get(end, "time")) <
		    json_number_value(json_object_get(json_object_get(root, "to"), "time")));
	list = json_object_get(root, "differences");
	assert_int_equal(json_array_size(list), t->v.n);
	d = json_array_get(list, 0);
	assert_string_equal(json_string_value(json_object_get(d, "severity")), "critical");
	json_array_foreach(list, i, d)
	{
		const char *kind = json_string_value(json_object_get(d, "kind"));

		assert_non_null(kind);
		assert_true(json_is_boolean(json_object_get(d, "better")));
		assert_non_null(json_object_get(d, "before"));
		assert_non_null(json_object_get(d, "after"));
		if (str_eq(kind, "counter")) {
			counters++;
			assert_true(json_number_value(json_object_get(d, "bands")) > 1);
		}
		if (str_eq(kind, "finding")) {
			opened++;
			/* It was not there: that is null, and no text. */
			assert_true(json_is_null(json_object_get(d, "before")));
		}
	}
	assert_true(counters > 0);
	assert_true(opened > 0);
	json_decref(root);
}

CASE_WITH(hostile_text_stays_text, setup, teardown)
{
	struct twins *t = *state;
	json_t *root;

	for (unsigned i = 0; i < 2; i++) {
		struct stand *s = i ? t->b : t->a;

		stand_word(s, "leaf-r0-00:Ethernet0", ATTR_DESCRIPTION, 0,
			i ? "\033[2J\",\n{\"x\":1} \xff \xe2\x80\xae" : "plain");
		stand_poll(s, 1);
	}
	(void)print(t, false);
	assert_null(strchr(t->text, '\033'));
	assert_null(strchr(t->text, '\xff'));
	/* A line is a difference, with any text from the device. */
	assert_int_equal(t->v.n, 1);
	assert_ptr_equal(strrchr(t->text, '\n'), t->text + strlen(t->text) - 1);
	root = json_loads(print(t, true), JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(root);
	json_decref(root);
}

/* Characters that state_text() keeps from a file: C1 controls and direction overrides. */
CASE_WITH(a_file_has_no_way_to_the_terminal, setup, teardown)
{
	static const char bad[] = "\xc2\x9b"
				  "2J\xc2\x9d"
				  "0;x\xe2\x80\xae\x9b";
	struct twins *t = *state;
	struct port *p = stand_port_of(t->b, "leaf-r0-00:Ethernet0");

	string_pool_set(t->b->m->texts, &port_more(p)->description, bad);
	p = stand_port_of(t->a, "leaf-r0-00:Ethernet0");
	string_pool_set(t->a->m->texts, &port_more(p)->description, "plain");
	(void)str_copy(t->b->m->fabric, sizeof(t->b->m->fabric), bad);
	(void)print(t, false);
	assert_int_equal(t->v.n, 1);
	assert_non_null(strstr(t->text, "-> ?2J?0;x??\n"));
	for (const char *c = t->text; *c; c++)
		assert_true((unsigned char)*c < 0x7f);
}

CASE_WITH(a_full_disk_is_told, setup, teardown)
{
	struct twins *t = *state;
	FILE *f = fopen("/dev/full", "we");
	struct diff_end end;
	struct err err = {0};

	assert_non_null(f);
	(void)print(t, false);
	end = (struct diff_end){"a.rts", &t->at[0]};
	assert_false(diff_text(&end, &end, &t->v, f, &err));
	assert_int_equal(err.code, ERR_IO);
	(void)fclose(f);
}

CASES_MAIN(NULL, NULL)
