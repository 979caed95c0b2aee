/* SPDX-License-Identifier: Apache-2.0 */
#include "base/str.h"
#include "tests/support/cases.h"
#include "tests/views/support/runbook_bed.h"

struct runbook *bed_book(const char *name, const char *target)
{
	struct runbook *b = mem_calloc(1, sizeof(*b));

	(void)str_copy(b->name, sizeof(b->name), name);
	b->title = mem_strdup(name);
	b->about = mem_strdup("");
	b->target = mem_strdup(target);
	return b;
}

struct runbook_step *bed_step(struct runbook *b, const char *id, const char *view,
	enum runbook_scope scope, enum runbook_rows rows, const char *where)
{
	struct runbook_step *s = vec_add(&b->steps);
	struct err err = {0};

	(void)str_copy(s->id, sizeof(s->id), id);
	s->text = mem_strdup("look");
	s->view = view ? fix_view(view) : NULL;
	s->scope = (uint8_t)scope;
	s->rows = (uint8_t)rows;
	s->filter = mem_strdup("");
	s->question = mem_strdup(where ? "" : "well?");
	s->pass_says = mem_strdup("");
	s->fail_says = mem_strdup("");
	s->collect = mem_strdup("");
	if (!where)
		return s;
	s->expect = mem_strdup(where);
	s->query = query_parse(where, &err);
	assert_non_null(s->query);
	return s;
}
