/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "tests/support/cases.h"
#include "tests/views/support/fake_diag.h"
#include "tests/views/support/runbook_bed.h"
#include "views/console/console_private.h"
#include "views/panels/finding_text.h"
#include "views/runbook/step_text.h"

/* Runbooks as the console begins and shows them, and the line of time. */

static struct model *polled(void)
{
	struct model *m = fix_model();

	for (int s = 0; s < 4; s++)
		fix_poll(m, s, NULL, 0);
	(void)model_age(m, fix_time(3));
	return m;
}

static bool ends_whole(const char *s)
{
	char clean[512];

	(void)str_sanitise(clean, sizeof(clean), s, strlen(s));
	return str_eq(clean, s);
}

/* On a screen wider than a line can be, the words go on in the next one. */
CASE(wide_screens_lose_no_words)
{
	struct model *m = polled();
	struct view_ctx ctx = fix_ctx(m, 3);
	struct runbook *b = bed_book("wide", "fabric");
	struct runbook_step *s = bed_step(b, "one", "links", SCOPE_FABRIC, ROWS_NONE, "oper~down");
	struct runbook_run r;
	struct err err = {0};
	step_line_vec lines = {0};
	char text[1500];
	size_t told = 0;

	for (size_t i = 0; i + 3 < sizeof(text); i += 3)
		(void)str_copy(text + i, sizeof(text) - i, "\xe2\x89\xa4");
	free(s->text);
	s->text = mem_strdup(text);
	assert_true(runbook_begin(&r, b, (struct ref){.kind = REF_FABRIC}, &ctx, "", &err));
	step_lines_text(&r, 400, &lines);
	for (size_t i = 0; i < lines.n; i++) {
		told += strlen(lines.at[i].text);
		assert_true(ends_whole(lines.at[i].text));
	}
	assert_int_equal(told, strlen(text));
	vec_free(&lines);
	runbook_run_free(&r);
	runbook_free(b);
	model_free(m);
}

/* ---- in the console ---- */

/* The line of time has room for new ticks: those before the recording go. */
CASE(old_ticks_make_room)
{
	struct model *m = polled();
	struct console_opts opts = {0};
	struct console *c = console_new(&opts);
	int64_t now = fix_time(100 * 86400), bucket = 10 * CLOCK_SEC;

	for (int i = 0; i < 20000; i++)
		((struct tick *)vec_add(&c->ticks))->bucket = i;
	c->model = m;
	c->moment.from_us = now - bucket;
	model_add_event(m, now, EV_LINK_DOWN, m->devices.at[0], NULL, -1, 0, "");
	timeline_learn(c);
	assert_true(c->ticks.n < 20000);
	assert_int_equal(c->ticks.at[c->ticks.n - 1].bucket, now / bucket);
	console_free(c);
	model_free(m);
}

/* The target of the console's newest runbook. */
static const char *about(const struct console *c)
{
	const runbook_log *t = console_trail(c);

	return t->n ? t->at[t->n - 1].target : "";
}

static void look_at(struct console *c, const char *view)
{
	struct err err = {0};

	if (!console_open(c, fix_view(view), (struct ref){.kind = REF_FABRIC}, &err))
		fail_msg("%s", err.text);
}

static void begin_here(struct console *c, const char *text)
{
	struct err err = {0};

	if (!console_runbook(c, text, &err))
		fail_msg("%s: %s; %s", text, err.text, err.cure);
}

/* Of a finding, however it is named, and of an event the runbook is about their port. */
CASE(a_runbook_is_about_what_is_under_the_cursor)
{
	struct runbooks books = {0};
	struct console_opts opts = {.runbooks = &books, .user = "anna"};
	struct model *m = polled();
	struct diag *d = diag_new();
	const struct finding *f;
	const struct port *p;
	struct console *c;
	struct obs *o = obs_new("leaf-r2-00", "fast");
	char text[300] = "link-flap ";

	vec_push(&books.at, bed_book("link-flap", "port fabric"));
	(void)bed_step(books.at.at[0], "one", "links", SCOPE_FABRIC, ROWS_NONE, "oper~down");
	o->result = OBS_DATA;
	o->received_us = fix_time(3);
	obs_word(o, obs_port(o, "Ethernet1"), ATTR_OPER, 0, "up");
	model_apply(m, o, fix_time(3));
	obs_free(o);
	f = fake_finding(d, FIND_LINK_FLAPPING, fix_port_ref(m, "leaf-r2-00", "Ethernet12"),
		ROLE_CULPRIT, 0);
	p = fix_port(m, "leaf-r2-00", "Ethernet8");
	model_add_event(m, fix_time(3), EV_LINK_DOWN, model_dev_of(m, p), p, -1, 0, "");
	c = console_new(&opts);
	console_diagnosis(c, d);
	console_data(c, m, fix_time(3), 0);
	finding_locator(m, f, text + strlen(text), sizeof(text) - strlen(text));
	begin_here(c, text);
	assert_string_equal(about(c), "leaf-r2-00:Ethernet12");
	look_at(c, "events");
	begin_here(c, "link-flap");
	assert_string_equal(about(c), "leaf-r2-00:Ethernet8");
	/* Ethernet12 is not Ethernet1: that of the finding is begun. */
	begin_here(c, "link-flap leaf-r2-00:Ethernet1");
	assert_string_equal(about(c), "leaf-r2-00:Ethernet1");
	look_at(c, "findings");
	begin_here(c, "");
	assert_string_equal(about(c), "leaf-r2-00:Ethernet12");
	console_free(c);
	diag_free(d);
	model_free(m);
	runbooks_free(&books);
}

CASES_MAIN(NULL, NULL)
