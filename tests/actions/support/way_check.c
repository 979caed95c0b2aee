/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/str.h"
#include "tests/actions/support/way.h"
#include "tests/support/cases.h"

/* The ledger against the device's own log. */

static json_t *lines_of(const struct way *r)
{
	json_t *all = json_array(), *o;
	FILE *f = fopen(r->ledger, "re");
	char *line = NULL;
	size_t size = 0;

	while (f && getline(&line, &size, f) > 0) {
		o = json_loads(line, 0, NULL);
		if (o)
			(void)json_array_append_new(all, o);
	}
	if (f)
		(void)fclose(f);
	free(line);
	return all;
}

static const char *word(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

static bool is(const json_t *o, const char *event)
{
	return str_eq(word(o, "event"), event);
}

unsigned way_lines(const struct way *r, const char *event)
{
	json_t *all = lines_of(r);
	unsigned n = 0;

	for (size_t i = 0; i < json_array_size(all); i++)
		n += is(json_array_get(all, i), event);
	json_decref(all);
	return n;
}

bool way_says(const struct way *r, const char *event, const char *text)
{
	json_t *all = lines_of(r);
	bool found = false;
	char *line;

	for (size_t i = 0; i < json_array_size(all) && !found; i++) {
		if (!is(json_array_get(all, i), event))
			continue;
		line = json_dumps(json_array_get(all, i), JSON_COMPACT);
		found = strstr(line, text) != NULL;
		free(line);
	}
	json_decref(all);
	return found;
}

static bool not_sent(const json_t *o)
{
	return is(o, "answered") && str_eq(word(o, "outcome"), "not sent");
}

static const struct fake_line *change_at(const struct fake *f, size_t *i)
{
	while (*i < f->lines.n && !f->lines.at[*i].change)
		++*i;
	return *i < f->lines.n ? &f->lines.at[(*i)++] : NULL;
}

static void wrong(struct way *r, const json_t *all, const char *what)
{
	char *text = json_dumps(all, JSON_INDENT(1));

	way_print(r);
	fprintf(stderr, "%s\n", text);
	free(text);
	for (size_t i = 0; i < r->fake.lines.n; i++)
		fprintf(stderr, "device: %s%s%s%s\n", r->fake.lines.at[i].text,
			r->fake.lines.at[i].change ? " change" : "",
			r->fake.lines.at[i].done ? " done" : "",
			r->fake.lines.at[i].answered ? " answered" : "");
	fail_msg("%s", what);
}

/* The line after "sending": the device's real answer, or "lost". */
static void check_answer(
	struct way *r, const json_t *all, const json_t *next, const struct fake_line *l)
{
	if (!next || (!is(next, "answered") && !is(next, "lost")))
		wrong(r, all, "what became of a request is not said");
	if (is(next, "answered") && !l->answered)
		wrong(r, all, "an answer is claimed that never went out");
	if (is(next, "lost") && l->answered)
		wrong(r, all, "an answer is said to be lost that went out");
	if (is(next, "answered") && str_eq(word(next, "outcome"), "taken") &&
		str_eq(word(next, "output"), ""))
		wrong(r, all, "what the device said is missing");
}

static void check_end(struct way *r, const json_t *all, enum act_stage ended)
{
	static const char *const ends[] = {"done", "failed", "unknown"};
	unsigned n = 0, begun = way_lines(r, "begun");
	struct fake_setting now = fake_now(&r->fake);
	const char *want = ended == ACT_DONE      ? "done"
			   : ended == ACT_FAILED  ? "failed"
			   : ended == ACT_UNKNOWN ? "unknown"
						  : "";

	for (size_t i = 0; i < 3; i++)
		n += way_lines(r, ends[i]);
	if (n != begun || (begun && way_lines(r, want) != 1))
		wrong(r, all, "not one end for one beginning");
	if (ended == ACT_FAILED) {
		/* A storm that was stuck may be cleared by taking the watchdog back. */
		now.stormed = r->before.stormed;
		if (!fake_setting_eq(&now, &r->before))
			wrong(r, all, "failed, and the device is not as it was");
	}
	if (ended == ACT_REFUSED && (begun || fake_changes(&r->fake)))
		wrong(r, all, "refused, and something was done");
}

void way_check(struct way *r, enum act_stage ended)
{
	json_t *all = lines_of(r);
	const struct fake_line *l;
	struct ledger_report report;
	struct err err = {0};
	size_t k = 0, n = json_array_size(all);

	for (size_t i = 0; i < n; i++) {
		const json_t *o = json_array_get(all, i);

		/* Skips a request that did not arrive: the device's log does not have it either. */
		if (!is(o, "sending") || not_sent(json_array_get(all, i + 1)))
			continue;
		l = change_at(&r->fake, &k);
		if (!l)
			wrong(r, all, "announced, and it never arrived");
		if (!str_eq(word(json_object_get(o, "sent"), "command"), l->text))
			wrong(r, all, "what arrived is not what was announced");
		if (!l->permitted)
			wrong(r, all, "sent over a link that was not permitted to");
		check_answer(r, all, json_array_get(all, i + 1), l);
	}
	if (change_at(&r->fake, &k))
		wrong(r, all, "something arrived that was not announced");
	check_end(r, all, ended);
	if (n && (!ledger_verify(r->ledger, &report, &err) || report.bad_line || report.why[0]))
		wrong(r, all, report.why[0] ? report.why : err.text);
	json_decref(all);
}
