/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "archive/acceptance/certificate.h"
#include "base/str.h"
#include "tests/diagnosis/engine/stand.h"
#include "tests/support/cases.h"

static accept_vec rows;

static int end(void **state)
{
	vec_free(&rows);
	return stand_teardown(state);
}

static struct certificate certificate_of(struct stand *s)
{
	struct err err = {0};
	struct certificate c = {.model = s->m,
		.rows = &rows,
		.now_us = s->now_us,
		.by = "anna@ops1",
		.partner = "node004",
		.act = "20261128T082441Z-a3cbd6",
		.ledger = "acts.jsonl"};

	assert_true(ref_parse(s->m, "node000", &c.at, &err));
	return c;
}

/* kind: 't', 'm', 'j'. The caller frees it. */
static char *written(const struct certificate *c, char kind)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	struct err err = {0};

	assert_true(kind == 't'   ? certificate_text(c, f)
		    : kind == 'm' ? certificate_markdown(c, f)
				  : certificate_json(c, f, &err));
	assert_int_equal(fclose(f), 0);
	return text;
}

static struct accept_row *add(struct stand *s, enum accept_result r, const char *is)
{
	struct accept_row *row = vec_add(&rows);

	row->check = ACCEPT_COUNTERS;
	row->result = r;
	row->at = at_port(stand_port(s, "node000:mlx5_0"));
	(void)str_copy(row->is, sizeof(row->is), is);
	(void)str_copy(row->cure, sizeof(row->cure), "do | *this*");
	return row;
}

CASE_WITH(the_three_forms_say_the_same, stand_setup, end)
{
	static const struct {
		enum accept_result worst;
		const char *sentence, *word;
	} forms[] = {
		{ACCEPT_PASS, "accepted: every check passed", "pass"},
		{ACCEPT_UNKNOWN, "NOT accepted yet", "unknown"},
		{ACCEPT_FAIL, "NOT accepted: a check failed", "fail"},
	};
	struct stand *s = *state;
	struct certificate c = certificate_of(s);

	for (size_t i = 0; i < 3; i++) {
		char *text, *md, *json;
		json_t *root;

		rows.n = 0;
		(void)add(s, ACCEPT_PASS, "fine");
		(void)add(s, forms[i].worst, "a line that is \"quoted\"");
		text = written(&c, 't');
		md = written(&c, 'm');
		json = written(&c, 'j');
		root = json_loads(json, 0, NULL);
		assert_non_null(strstr(text, forms[i].sentence));
		assert_non_null(strstr(md, forms[i].sentence));
		assert_string_equal(
			json_string_value(json_object_get(root, "result")), forms[i].word);
		assert_int_equal(json_integer_value(json_object_get(root, "schema")), 1);
		assert_int_equal(json_array_size(json_object_get(root, "rows")), 2);
		assert_string_equal(json_string_value(json_object_get(root, "partner")), "node004");
		assert_non_null(
			strstr(text, "measured against node004; act 20261128T082441Z-a3cbd6"));
		/* A check that passed needs no cure; markup of a cell is escaped. */
		assert_true((strstr(text, "cure:") != NULL) == (i > 0));
		assert_true((strstr(md, "do \\| \\*this\\*") != NULL) == (i > 0));
		json_decref(root);
		free(text);
		free(md);
		free(json);
	}
}

CASE_WITH(nothing_checked_is_not_accepted, stand_setup, end)
{
	struct stand *s = *state;
	struct certificate c = certificate_of(s);
	char *text;

	c.partner = c.act = c.ledger = c.by = "";
	text = written(&c, 't');
	assert_non_null(strstr(text, "NOT accepted yet"));
	assert_null(strstr(text, "measured against"));
	free(text);
}

CASES_MAIN(NULL, NULL)
