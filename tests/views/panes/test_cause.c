/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "tests/support/cases.h"
#include "tests/views/support/fake_diag.h"
#include "tui/draw.h"
#include "views/panels/cause.h"
#include "views/panels/finding_text.h"
#include "views/short_names.h"

struct fixture {
	struct model *m;
	struct diag *d;
	struct view_ctx ctx;
};

static int setup(void **state)
{
	static struct fixture x;

	x.m = fix_model();
	fix_poll(x.m, 0, NULL, 0);
	fix_poll(x.m, 1, NULL, 0);
	x.d = diag_new();
	x.ctx = fix_ctx(x.m, 1);
	x.ctx.diag = x.d;
	*state = &x;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *x = *state;

	diag_free(x->d);
	model_free(x->m);
	return 0;
}

static struct finding *add_storm(struct fixture *x)
{
	struct ref nic = fix_port_ref(x->m, "node001", "mlx5_3");
	struct ref leaf = fix_port_ref(x->m, "leaf-r3-00", "Ethernet8");
	struct finding *f = fake_finding(x->d, FIND_PFC_STORM, nic, ROLE_CULPRIT, 0);

	f->peer = leaf;
	f->gpus_blocked = 192;
	f->nvictims = 227;
	f->first_seen_us = x->ctx.now_us - 252 * CLOCK_SEC;
	(void)finding_number(f, nic, "pause_storm_errors", 1, "/s", "0", "counter");
	(void)finding_number(f, leaf, "pfc_rx_duration_us", 99.6, "%", "> 1%", "counter");
	return f;
}

static const struct cause_keys keys = {"e", "t", "v", "b", "S", "7"};

CASE_WITH(the_banner_names_both_ends_and_the_number_at_80_columns, setup, teardown)
{
	struct fixture *x = *state;
	struct cause_line lines[CAUSE_LINES];
	struct finding *f = add_storm(x);

	fake_verdict(x->d)->culprit = f->key;
	assert_int_equal(cause_lines(&x->ctx, 80, &keys, lines, CAUSE_LINES), 2);
	assert_string_equal(lines[0].head, "PFC STORM");
	assert_int_equal(lines[0].role, ROLE_CRIT);
	assert_string_equal(
		lines[0].text, "node001:mlx5_3 -> r3-00:Eth8  paused 100%  192 GPUs blocked  4m");
	assert_true(text_width(lines[0].head) + 2 + text_width(lines[0].text) <= 80);
	assert_string_equal(lines[1].text,
		"227 ports paused because of it   e evidence   t trace   v chart   b runbook");
	/* With room names are whole. */
	(void)cause_lines(&x->ctx, 200, &keys, lines, CAUSE_LINES);
	assert_non_null(strstr(lines[0].text, "leaf-r3-00:Ethernet8"));
	/* The narrowest screen keeps the culprit. */
	(void)cause_lines(&x->ctx, 30, NULL, lines, 1);
	assert_string_equal(lines[0].text, "node001:mlx5_3");
}

/* The first line of a finding with one number, at 80 columns. */
static const char *first_line(struct fixture *x, struct finding *f, struct cause_line *lines)
{
	fake_verdict(x->d)->culprit = f->key;
	assert_in_range(cause_lines(&x->ctx, 80, &keys, lines, CAUSE_LINES), 2, 3);
	return lines[0].text;
}

CASE_WITH(a_number_within_its_limit_convicts_nobody, setup, teardown)
{
	struct fixture *x = *state;
	struct cause_line lines[CAUSE_LINES];
	struct ref leaf = fix_port_ref(x->m, "leaf-r3-00", "Ethernet8");
	struct finding *f = fake_finding(x->d, FIND_WATCHDOG_MISFIRE, leaf, ROLE_CULPRIT, 0);
	char number[96];

	(void)finding_number(f, leaf, "pfc_rx_duration_us", 0, "%", "> 80% in a storm", "counter");
	assert_string_equal(cause_number(f, number, sizeof(number)), "");
	(void)finding_number(f, leaf, "pfcwd_storm_detected", 0.2, "/s", "0", "counter");
	assert_string_equal(cause_number(f, number, sizeof(number)), "watchdog acts 0.2/s");
	/* The number stays where both ends and it have no room: the second line has the end. */
	f->peer = fix_port_ref(x->m, "node001", "mlx5_3");
	assert_string_equal(first_line(x, f, lines), "leaf-r3-00:Ethernet8  watchdog acts 0.2/s");
	assert_true(str_starts(lines[1].text, "other end node001:mlx5_3 for "));
	assert_non_null(strstr(lines[1].text, "   e evidence"));
}

/* "0 events, limit 0" convicts nobody: the number beside it does. */
CASE_WITH(nothing_of_nothing_convicts_nobody, setup, teardown)
{
	struct fixture *x = *state;
	struct ref leaf = fix_port_ref(x->m, "leaf-r3-00", "Ethernet8");
	struct finding *f = fake_finding(x->d, FIND_WATCHDOG_FIRED, leaf, ROLE_CULPRIT, 0);
	char text[96];

	(void)finding_number(f, leaf, "pfcwd_storm_detected", 0, "/s", "0", "counter");
	(void)finding_number(f, leaf, "pfcwd_drops", 1.3e6, "/s", "0", "counter");
	assert_non_null(strstr(cause_number(f, text, sizeof(text)), "1.3"));
}

CASE_WITH(a_long_title_ends_with_an_ellipsis, setup, teardown)
{
	struct fixture *x = *state;
	struct cause_line lines[CAUSE_LINES];
	struct finding *f = fake_finding(x->d, FIND_LINK_FLAPPING,
		fix_port_ref(x->m, "leaf-r3-00", "Ethernet8"), ROLE_CULPRIT, 0);

	(void)str_copy(f->title, sizeof(f->title),
		"a title that says more than eighty columns of a terminal can show to a person on "
		"call");
	(void)first_line(x, f, lines);
	assert_in_range(text_width(lines[1].text), 78, 80);
	/* The key that leads to the rest of it stays. */
	assert_non_null(strstr(lines[1].text, "   e evidence"));
}

/* GPUs and age that the first line has no room for begin the second one. */
CASE_WITH(what_has_no_room_is_in_the_second_line, setup, teardown)
{
	struct fixture *x = *state;
	struct cause_line lines[CAUSE_LINES];
	struct finding *f = add_storm(x);

	f->id = FIND_LINK_SPEED;
	assert_non_null(strstr(first_line(x, f, lines), "-> r3-00:Eth8"));
	assert_null(strstr(lines[0].text, "192 GPUs"));
	assert_true(str_starts(lines[1].text, "192 GPUs blocked for 4m; 227 ports"));
	assert_non_null(strstr(lines[1].text, "   e evidence"));
	assert_true(text_width(lines[1].text) <= 80);
}

CASE_WITH(a_counter_is_said_as_a_person_does, setup, teardown)
{
	static const struct {
		const char *what, *unit, *text;
		double value;
	} rows[] = {{"link_down_events", "", "4 times down", 4},
		{"link_down_events", "", "down once", 1}, {"rx_fcs_errors", "", "1 FCS error", 1},
		{"rx_fcs_errors", "/s", "783 FCS errors/s", 783},
		{"uplinks that are up", "", "16 uplinks up", 16},
		{"sent", "Gb/s", "sent 3.71 Mb/s", 0.00371},
		{"own gap before it enters", "ms", "late by 1.5 s", 1500}};
	struct fixture *x = *state;
	struct ref leaf = fix_port_ref(x->m, "leaf-r3-00", "Ethernet8");
	char number[96];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct finding *f = fake_finding(x->d, FIND_LINK_FLAPPING, leaf, ROLE_CULPRIT, 0);

		(void)finding_number(
			f, leaf, rows[i].what, rows[i].value, rows[i].unit, "0", "counter");
		assert_string_equal(cause_number(f, number, sizeof(number)), rows[i].text);
	}
}

CASE_WITH(numbers_have_the_unit_of_their_size, setup, teardown)
{
	static const struct {
		double value;
		const char *unit, *text;
	} rows[] = {{1500000, "us", "1.5 s"}, {2500, "us", "2.5 ms"}, {900, "us", "900 us"},
		{16300, "Gb/s", "16.3 Tb/s"}, {398, "Gb/s", "398 Gb/s"},
		{3090000, "bytes", "3.09 MB"}, {3004, "kB", "3 MB"}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct evidence e = {.value = rows[i].value};
		char text[160];

		(void)str_copy(e.unit, sizeof(e.unit), rows[i].unit);
		assert_string_equal(evidence_value(&e, text, sizeof(text)), rows[i].text);
	}
}

CASE_WITH(other_culprits_are_counted_below, setup, teardown)
{
	struct fixture *x = *state;
	struct cause_line lines[CAUSE_LINES];
	uint64_t storm = add_storm(x)->key;

	(void)fake_finding(x->d, FIND_LINK_FLAPPING, fix_port_ref(x->m, "leaf-r3-00", "Ethernet0"),
		ROLE_CULPRIT, 0);
	fake_verdict(x->d)->culprit = storm;
	assert_int_equal(cause_lines(&x->ctx, 80, &keys, lines, CAUSE_LINES), 3);
	assert_string_equal(lines[2].head, "+1 more");
	assert_string_equal(lines[2].text, "link flapping r3-00:Eth0 (97%)   7 all");
}

/* An operator a minute too late learns the cause, dim and on one line. */
CASE_WITH(what_ended_lately_is_told, setup, teardown)
{
	struct fixture *x = *state;
	struct cause_line lines[CAUSE_LINES];
	struct finding *f = add_storm(x);
	unsigned others;
	int64_t closed;

	memset(fake_verdict(x->d), 0, sizeof(*fake_verdict(x->d)));
	fake_close(x->d, f, x->ctx.now_us - 3 * 60 * CLOCK_SEC);
	assert_int_equal(cause_lines(&x->ctx, 80, &keys, lines, CAUSE_LINES), 1);
	assert_int_equal(lines[0].role, ROLE_DIM);
	assert_string_equal(lines[0].head, "PFC STORM");
	assert_string_equal(
		lines[0].text, "ended 3m ago  node001:mlx5_3 -> r3-00:Eth8   e evidence");
	assert_non_null(cause_ended(&x->ctx, &closed, &others));
	assert_int_equal(others, 0);
	/* Causes are counted, their consequences are not. */
	fake_close(x->d,
		fake_finding(x->d, FIND_LINK_FLAPPING,
			fix_port_ref(x->m, "leaf-r3-00", "Ethernet0"), ROLE_CULPRIT, 0),
		x->ctx.now_us - 60 * CLOCK_SEC);
	fake_close(x->d,
		fake_finding(x->d, FIND_LINK_DOWN, fix_port_ref(x->m, "leaf-r3-00", "Ethernet4"),
			ROLE_SYMPTOM, 1),
		x->ctx.now_us);
	memset(fake_verdict(x->d), 0, sizeof(*fake_verdict(x->d)));
	(void)cause_lines(&x->ctx, 80, &keys, lines, CAUSE_LINES);
	assert_string_equal(lines[0].head, "LINK FLAPPING");
	assert_true(str_starts(lines[0].text, "ended 1m ago, 1 more  "));
	/* A quarter of an hour later it is history, and an open cause is more than an ended one. */
	x->ctx.now_us += CAUSE_ENDED_US;
	assert_int_equal(cause_lines(&x->ctx, 80, &keys, lines, CAUSE_LINES), 0);
	x->ctx.now_us -= CAUSE_ENDED_US;
	fake_verdict(x->d)->culprit = add_storm(x)->key;
	(void)cause_lines(&x->ctx, 80, &keys, lines, CAUSE_LINES);
	assert_null(strstr(lines[0].text, "ended"));
}

/* A link that flaps is down at times and loses packets: that is one cause, whichever end is named.
 */
CASE_WITH(a_link_is_one_cause, setup, teardown)
{
	struct fixture *x = *state;
	struct ref leaf = fix_port_ref(x->m, "leaf-r3-00", "Ethernet8");
	const struct port *p = ref_port(x->m, leaf), *peer = port_peer(x->m, p, NULL);
	struct ref other = {.kind = REF_PORT, .port = peer->id};
	struct cause_line lines[CAUSE_LINES];
	char badge[64];
	struct finding *f;

	(void)fake_finding(x->d, FIND_LINK_DOWN, leaf, ROLE_CULPRIT, 0);
	(void)fake_finding(x->d, FIND_LINK_FLAPPING, other, ROLE_CULPRIT, 0);
	f = fake_finding(x->d, FIND_LINK_CORRUPTING, leaf, ROLE_CULPRIT, 0);
	f->peer = other;
	fake_verdict(x->d)->culprit = f->key;
	fake_verdict(x->d)->state = FABRIC_TROUBLE;
	verdict_badge(&x->ctx, badge, sizeof(badge), true);
	assert_string_equal(badge, "1 culprit");
	assert_true(cause_lines(&x->ctx, 80, &keys, lines, CAUSE_LINES) == 2);
	(void)fake_finding(x->d, FIND_LINK_DOWN, fix_port_ref(x->m, "leaf-r2-00", "Ethernet8"),
		ROLE_CULPRIT, 0);
	verdict_badge(&x->ctx, badge, sizeof(badge), true);
	assert_string_equal(badge, "2 culprits");
	assert_true(cause_lines(&x->ctx, 80, &keys, lines, CAUSE_LINES) == 3);
	assert_string_equal(lines[2].head, "+1 more");
}

CASE_WITH(evidence_without_a_cause_is_said, setup, teardown)
{
	struct fixture *x = *state;
	struct cause_line lines[CAUSE_LINES];
	struct verdict_report *v = fake_verdict(x->d);

	assert_int_equal(cause_lines(&x->ctx, 80, &keys, lines, CAUSE_LINES), 0);
	*v = (struct verdict_report){.state = FABRIC_SUSPECT,
		.critical = true,
		.paused = 156,
		.stalled = 1,
		.since_us = x->ctx.now_us - 24 * CLOCK_SEC,
		.hint = "pause cycle leaf-a -> spine-b"};
	assert_int_equal(cause_lines(&x->ctx, 80, &keys, lines, CAUSE_LINES), 2);
	assert_string_equal(lines[0].head, "CAUSE NOT PROVEN");
	assert_string_equal(lines[0].text, "seen 20s: 156 ports paused, 1 job stalled");
	assert_non_null(strstr(lines[1].text, "strongest hint: pause cycle"));
}

CASE_WITH(late_devices_are_never_called_clean, setup, teardown)
{
	struct fixture *x = *state;
	struct verdict_report *v = fake_verdict(x->d);
	struct panel_line line;
	char badge[64];

	v->fabric_clean = true;
	v->state = FABRIC_CLEAN;
	verdict_badge(&x->ctx, badge, sizeof(badge), false);
	assert_string_equal(badge, "clean");
	x->m->devices.at[0]->state = DEV_LATE;
	x->m->devices.at[1]->state = DEV_LATE;
	verdict_badge(&x->ctx, badge, sizeof(badge), false);
	assert_string_equal(badge, "10 of 12 devices clean");
	verdict_line(&x->ctx, v, &line);
	assert_string_equal(line.head, "?");
	assert_string_equal(line.text, "no trouble seen on 10 of 12 devices; 2 late");
	assert_int_equal(severity_with_verdict(&x->ctx, SEV_OK), SEV_UNKNOWN);
}

/* A burst holds a port: no finding yet, but the tables mark it. */
/* Where no device answers the header says so: an empty place would read as calm. */
CASE_WITH(a_dark_fabric_is_not_known, setup, teardown)
{
	struct fixture *x = *state;
	char badge[64];

	fake_verdict(x->d)->state = FABRIC_UNKNOWN;
	verdict_badge(&x->ctx, badge, sizeof(badge), true);
	assert_string_equal(badge, "");
	for (size_t i = 0; i < x->m->devices.n; i++)
		x->m->devices.at[i]->state = DEV_UNREACHABLE;
	verdict_badge(&x->ctx, badge, sizeof(badge), true);
	assert_string_equal(badge, "not known");
}

CASE_WITH(a_marked_port_is_not_clean, setup, teardown)
{
	struct fixture *x = *state;
	const struct fault held = {.device = "leaf-r3-00", .port = "Ethernet8", .pfc_us = 5e4};
	struct verdict_report *v = fake_verdict(x->d);
	char badge[64];

	v->fabric_clean = true;
	v->state = FABRIC_CLEAN;
	fix_poll(x->m, 2, &held, 1);
	fix_poll(x->m, 3, &held, 1);
	x->ctx.now_us = fix_time(3);
	verdict_badge(&x->ctx, badge, sizeof(badge), false);
	assert_string_equal(badge, "no trouble, 1 port marked");
}

static void assert_short(const char *text, int width, const char *want)
{
	char cell[96];

	(void)str_copy(cell, sizeof(cell), text);
	short_to_width(NULL, cell, sizeof(cell), width);
	assert_string_equal(cell, want);
}

CASE(names_are_shortened_by_rule_then_in_the_middle)
{
	assert_short("leaf-r5-00:Ethernet128", 22, "leaf-r5-00:Ethernet128");
	assert_short("leaf-r5-00:Ethernet128", 20, "r5-00:Eth128");
	assert_short("spine-000:Ethernet41/1", 18, "spine-000:Eth41/1");
	assert_short("a-very-long-switch-name:Ethernet41/1", 18, "a-very-~me:Eth41/1");
	/* Sentences keep their beginning: the table cuts their end. */
	assert_short("not: a name but a sentence", 10, "not: a name but a sentence");
}

CASES_MAIN(NULL, NULL)
