/* SPDX-License-Identifier: Apache-2.0 */
/* The hand-over of a shift, from moments of a stand. */
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "archive/handover/handover.h"
#include "base/str.h"
#include "tests/diagnosis/engine/stand.h"
#include "tests/support/cases.h"

#define HOUR (3600 * INT64_C(1000000))

static struct handover new_shift(const struct stand *s)
{
	return (struct handover){.from_us = s->now_us - 8 * HOUR, .to_us = s->now_us + HOUR};
}

typedef bool write_page(const struct handover *h, FILE *out);

static char *page_of(const struct handover *h, write_page *write)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_true(write(h, f));
	(void)fclose(f);
	return text;
}

static bool write_json(const struct handover *h, FILE *out)
{
	struct err err = {0};

	return handover_json(h, out, &err);
}

static void has(const char *page, const char *words)
{
	if (!strstr(page, words))
		fail_msg("there is no \"%s\" in\n%s", words, page);
}

/* One link is down, one was and is not, one is acknowledged. */
static void make_shift(struct stand *s)
{
	struct err err = {0};
	const struct finding *f;

	stand_link(s, "leaf-r0-00:Ethernet0", false);
	stand_link(s, "leaf-r0-01:Ethernet4", false);
	stand_link(s, "leaf-r1-00:Ethernet8", false);
	stand_poll(s, 2);
	/* It is about either end of the link. */
	f = stand_found(s, "link.down", "leaf-r1-00:Ethernet8");
	if (!f)
		f = stand_found(s, "link.down", "node002:mlx5_1");
	assert_non_null(f);
	assert_true(
		diag_ack(s->d, f->key, s->now_us, s->now_us + HOUR, "ann", "cable ordered", &err));
	stand_link(s, "leaf-r0-01:Ethernet4", true);
	stand_poll(s, 6);
}

CASE_WITH(what_opened_closed_and_was_acknowledged, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	struct handover h;
	unsigned watched = 0, closed = 0, acked = 0;
	int64_t since;
	char *page;

	make_shift(s);
	h = new_shift(s);
	handover_take(&h, s->m, s->d, s->now_us, false, &since);
	assert_int_equal(since, 0);
	handover_finish(&h);
	for (size_t i = 0; i < h.findings.n; i++) {
		const struct handover_finding *f = &h.findings.at[i];

		if (!str_eq(f->id, "link.down"))
			continue;
		watched += handover_is_watched(f) && !f->acked_us;
		closed += f->closed_us > f->opened_us;
		acked += f->acked_us != 0;
	}
	assert_int_equal(watched, 1);
	assert_int_equal(closed, 1);
	assert_int_equal(acked, 1);
	page = page_of(&h, handover_text);
	has(page, "To watch: open, and nobody has it (2)"); /* it flaps, too */
	has(page, "acknowledged");
	has(page, "by ann");
	has(page, "cable ordered");
	has(page, "closed 22:");
	/* No ledger was read: nothing is said of actions. */
	has(page, "not known: no ledger");
	for (const char *c = page; *c; c++)
		assert_true(*c == '\n' || (*c >= ' ' && *c <= '~'));
	free(page);
	handover_free(&h);
}

/* A link that was down twice in the shift is named once, with both times. */
CASE_WITH(what_came_back_is_counted, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	struct handover h;
	int64_t since;
	char *page;

	stand_link(s, "leaf-r1-00:Ethernet8", false);
	stand_poll(s, 2);
	for (unsigned k = 0; k < 2; k++) {
		stand_link(s, "leaf-r0-00:Ethernet0", false);
		stand_poll(s, 12);
		stand_link(s, "leaf-r0-00:Ethernet0", true);
		stand_poll(s, 12);
	}
	h = new_shift(s);
	handover_take(&h, s->m, s->d, s->now_us, false, &since);
	handover_finish(&h);
	assert_int_equal(h.repeats.n, 1);
	assert_int_equal(h.repeats.at[0].times, 2);
	assert_string_equal(h.repeats.at[0].id, "link.down");
	assert_true(h.repeats.at[0].lasted_us >= 2 * 12 * STAND_INTERVAL);
	assert_true(h.repeats.at[0].last_us > h.repeats.at[0].first_us);
	page = page_of(&h, handover_text);
	has(page, "Came back: the same trouble more than once (1)");
	has(page, ": 2 times link.down, ");
	free(page);
	page = page_of(&h, write_json);
	has(page, "\"repeats\"");
	free(page);
	handover_free(&h);
}

/* Two moments of a recording know the same findings. */
CASE_WITH(nothing_is_listed_twice, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	struct handover h;
	size_t findings, changes;
	int64_t since;

	make_shift(s);
	h = new_shift(s);
	handover_take(&h, s->m, s->d, s->now_us, false, &since);
	findings = h.findings.n;
	changes = h.changes.n;
	handover_take(&h, s->m, s->d, s->now_us, true, &since);
	assert_int_equal(h.findings.n, findings);
	assert_int_equal(h.changes.n, changes);
	handover_free(&h);
}

CASE_WITH(an_older_recording_leaves_its_open_findings_unknown, stand_setup, stand_teardown)
{
	struct stand *s = *state, *later = NULL;
	void *state2 = NULL;
	struct handover h;
	unsigned unknown = 0;
	int64_t since;
	char *page;
	json_t *root;

	make_shift(s);
	assert_int_equal(stand_setup(&state2), 0);
	later = state2; /* railtop was started anew, and sees nothing wrong */
	h = new_shift(s);
	handover_take(&h, later->m, later->d, later->now_us, false, &since);
	assert_int_equal(h.findings.n, 0);
	handover_take(&h, s->m, s->d, s->now_us, true, &since);
	handover_finish(&h);
	for (size_t i = 0; i < h.findings.n; i++) {
		unknown += h.findings.at[i].unended;
		assert_false(handover_is_watched(&h.findings.at[i]));
	}
	assert_true(unknown >= 2);
	page = page_of(&h, handover_text);
	has(page, "its end is not known");
	free(page);
	page = page_of(&h, write_json);
	root = json_loads(page, 0, NULL);
	assert_non_null(root);
	assert_int_equal(json_integer_value(json_object_get(root, "schema")), HANDOVER_SCHEMA);
	has(page, "\"state\": \"unknown\"");
	json_decref(root);
	free(page);
	handover_free(&h);
	assert_int_equal(stand_teardown(&state2), 0);
}

CASE(without_a_recording_nothing_is_healthy)
{
	struct handover h = {.from_us = HOUR, .to_us = 9 * HOUR};
	char *page;

	handover_add_gap(&h, h.from_us, h.to_us, "no recording");
	page = page_of(&h, handover_text);
	has(page, "not known: there is no recording of this time");
	has(page, "Not recorded: nothing is known of these times (1)");
	has(page, "not known");
	free(page);
	page = page_of(&h, write_json);
	has(page, "\"state\": \"unknown\"");
	free(page);
	handover_free(&h);
}

CASE(markup_in_names_is_escaped)
{
	struct handover h = {.from_us = HOUR, .to_us = 9 * HOUR, .latest_us = 9 * HOUR};
	struct handover_finding *f = vec_add(&h.findings);
	struct handover_change *c = vec_add(&h.changes);
	char *page;

	*f = (struct handover_finding){.key = "k",
		.id = "link.down",
		.title = "<b>x</b>",
		.place = "a|b:*c*",
		.severity = SEV_CRIT,
		.is_root = true,
		.opened_us = 2 * HOUR};
	*c = (struct handover_change){.t_us = 2 * HOUR,
		.by_railtop = true,
		.user = "a`b",
		.what = "port-drain",
		.text = "done"};
	h.has_ledger = true;
	page = page_of(&h, handover_markdown);
	has(page, "&lt;b\\>x&lt;/b\\>");
	has(page, "a\\|b:\\*c\\*");
	has(page, "by a\\`b");
	assert_null(strstr(page, "<b>"));
	free(page);
	handover_free(&h);
}

CASES_MAIN(NULL, NULL)
