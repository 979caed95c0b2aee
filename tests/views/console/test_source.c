/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "tests/support/cases.h"
#include "tests/views/support/fixture.h"
#include "views/panels/panel.h"

/* The source of a device's data: itself, or a metrics engine. */

struct seen {
	struct model *m;
	struct device *d;
	struct view_ctx ctx;
};

static int seen_setup(void **state)
{
	static struct seen s;

	s.m = fix_model();
	s.d = s.m->devices.at[0];
	s.ctx = (struct view_ctx){.model = s.m,
		.now_us = fix_time(12),
		.scope = ref_of_device(s.d),
		.cache = view_cache_new()};
	s.d->last_ok_us = s.ctx.now_us - 3 * CLOCK_SEC;
	*state = &s;
	return 0;
}

static int seen_teardown(void **state)
{
	struct seen *s = *state;

	view_cache_free(s->ctx.cache);
	model_free(s->m);
	return 0;
}

static void says(const struct seen *s, const char *want, const char *not_want)
{
	struct panel_line line;

	panel_device_line(&s->ctx, s->d, &line);
	if (!strstr(line.text, want))
		fail_msg("\"%s\" is not in \"%s\"", want, line.text);
	if (strstr(line.text, not_want))
		fail_msg("\"%s\" is in \"%s\"", not_want, line.text);
}

static const char *over(const struct seen *s, struct view_cell *out)
{
	const struct view_ops *v = view_by_name("devices");

	for (size_t c = 0; c < v->ncolumns; c++)
		if (str_eq(v->columns[c].id, "transport"))
			v->cell(&s->ctx, ref_of_device(s->d), c, out);
	return out->text;
}

CASE_WITH(the_device_itself, seen_setup, seen_teardown)
{
	struct seen *s = *state;
	struct view_cell cell = {.number = 0};

	says(s, " <10s  ports", "direct");
	s->d->engine_us = s->ctx.now_us - 20 * CLOCK_SEC;
	says(s, " <10s direct  ports", "Prometheus");
	assert_string_equal(over(s, &cell), s->d->transport);
}

CASE_WITH(an_engine, seen_setup, seen_teardown)
{
	struct seen *s = *state;
	struct view_cell cell = {.number = 0};
	struct panel_line line;

	s->d->engine = true;
	s->d->engine_us = s->ctx.now_us - 20 * CLOCK_SEC;
	says(s, "from Prometheus, <1m old", "direct");
	assert_string_equal(over(s, &cell), "engine");
	assert_int_equal(not_asked_line(s->d, &line), 0);
	(void)str_copy(s->d->not_asked, sizeof(s->d->not_asked), "no route to host");
	assert_int_equal(not_asked_line(s->d, &line), 1);
	assert_string_equal(line.text, "itself: no route to host");
}

CASES_MAIN(NULL, NULL)
