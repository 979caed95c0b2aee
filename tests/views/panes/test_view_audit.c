/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "tests/support/cases.h"
#include "tests/views/support/fixture.h"
#include "views/audit_acts.h"

#define DEVICE "leaf-r0-00"
#define PORT   "Ethernet0"

/* ---- a ledger and a fabric ---- */

static struct audit_row *line(struct audit_log *log, int s, const char *act, const char *event)
{
	struct audit_row *row = vec_add(&log->rows);

	row->n = 100 + log->rows.n;
	row->t_us = fix_time(s);
	(void)str_copy(row->act, sizeof(row->act), act);
	(void)str_copy(row->event, sizeof(row->event), event);
	(void)str_copy(row->device, sizeof(row->device), DEVICE);
	(void)str_copy(row->port, sizeof(row->port), PORT);
	(void)str_copy(row->user, sizeof(row->user), "ann");
	return row;
}

/* An act from second 100 to 110, watched until 1000. */
static void an_act(struct audit_log *log)
{
	(void)line(log, 100, "A1", "begun");
	(void)line(log, 101, "A1", "sending");
	(void)line(log, 110, "A1", "done");
	(void)line(log, 1000, "A1", "watched");
}

static void happens(struct model *m, int s, enum event_kind kind, const char *device,
	const char *port, const char *text)
{
	const struct device *d = model_device(m, device);

	model_add_event(m, fix_time(s), kind, d, port ? model_port(m, d, port) : NULL, -1, 0, text);
}

struct audited {
	struct model *model;
	struct audit_log log;
	struct view_ctx ctx;
	const struct view_ops *view;
	row_vec rows;
};

static struct audited *open_audit(void)
{
	struct audited *x = mem_calloc(1, sizeof(*x));

	x->model = fix_model();
	x->ctx = fix_ctx(x->model, 2000);
	x->ctx.audit = &x->log;
	x->view = fix_view("audit");
	return x;
}

static size_t rows_of(struct audited *x)
{
	vec_free(&x->rows);
	x->rows = fix_rows(&x->ctx, x->view);
	return x->rows.n;
}

static const char *cell(struct audited *x, size_t i, const char *column)
{
	static char text[TABLE_CELL_TEXT];

	assert_true(i < x->rows.n);
	(void)str_copy(text, sizeof(text), fix_cell(&x->ctx, x->view, x->rows.at[i], column).text);
	return text;
}

static size_t foreign(struct audited *x)
{
	size_t n = 0;

	for (size_t i = 0; i < rows_of(x); i++)
		n += str_eq(cell(x, i, "who"), "not by railtop");
	return n;
}

static void close_audit(struct audited *x)
{
	vec_free(&x->rows);
	vec_free(&x->log.rows);
	model_free(x->model);
	free(x);
}

/* ---- tests ---- */

CASE(newest_first_and_mixed)
{
	struct audited *x = open_audit();

	an_act(&x->log);
	happens(x->model, 50, EV_ADMIN, DEVICE, "Ethernet4", "was up, is down");
	happens(x->model, 105, EV_COUNTER_RESET, "leaf-r1-00", PORT, "rx_bytes");
	happens(x->model, 1500, EV_WATCHDOG_SET, DEVICE, PORT, "was on, is off");
	assert_int_equal(rows_of(x), 7);
	assert_string_equal(cell(x, 0, "action"), "watchdog_changed");
	assert_string_equal(cell(x, 0, "who"), "not by railtop");
	assert_string_equal(cell(x, 0, "where"), DEVICE ":" PORT);
	assert_string_equal(cell(x, 0, "line"), "-");
	assert_string_equal(cell(x, 1, "what"), "watched");
	assert_string_equal(cell(x, 1, "who"), "ann");
	assert_string_equal(cell(x, 1, "line"), "104");
	assert_string_equal(cell(x, 2, "what"), "done");
	assert_string_equal(cell(x, 3, "action"), "counter_reset");
	assert_string_equal(cell(x, 6, "action"), "admin_changed");
	assert_string_equal(cell(x, 6, "text"), "was up, is down");
	close_audit(x);
}

/* From 5 s before it began to 2 min after it ended; the watch is no part of it. */
CASE(what_an_act_explains)
{
	static const struct {
		int s;
		bool foreign;
	} cases[] = {{94, true}, {95, false}, {105, false}, {230, false}, {231, true}, {500, true},
		{1000, true}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct audited *x = open_audit();

		an_act(&x->log);
		happens(x->model, cases[i].s, EV_WATCHDOG_SET, DEVICE, PORT, "was on, is off");
		if (foreign(x) != cases[i].foreign)
			fail_msg("a change at second %d", cases[i].s);
		close_audit(x);
	}
}

CASE(only_on_its_port)
{
	struct audited *x = open_audit();

	an_act(&x->log);
	happens(x->model, 105, EV_WATCHDOG_SET, DEVICE, "Ethernet4", "");
	happens(x->model, 105, EV_WATCHDOG_SET, "leaf-r1-00", PORT, "");
	assert_int_equal(foreign(x), 2);
	/* An event of the device as a whole may be the port's. */
	happens(x->model, 106, EV_ADMIN, DEVICE, NULL, "and 3 more");
	assert_int_equal(foreign(x), 2);
	/* An act on a device explains its ports. */
	line(&x->log, 103, "A2", "begun")->port[0] = '\0';
	assert_int_equal(foreign(x), 1);
	close_audit(x);
}

/* A plan, a refusal or an approval sends nothing, so it explains nothing. */
CASE(only_what_was_begun)
{
	struct audited *x = open_audit();

	(void)line(&x->log, 100, "A1", "planned");
	(void)line(&x->log, 101, "A1", "refused");
	(void)line(&x->log, 102, "A1", "approved");
	happens(x->model, 101, EV_PFC_SET, DEVICE, PORT, "");
	assert_int_equal(foreign(x), 1);
	close_audit(x);
}

CASE(an_act_that_hangs_explains_its_last_line)
{
	struct audited *x = open_audit();

	(void)line(&x->log, 100, "A1", "begun");
	(void)line(&x->log, 300, "A1", "lost");
	(void)line(&x->log, 5000, "A1", "settled");
	happens(x->model, 419, EV_ADMIN, DEVICE, PORT, "");
	assert_int_equal(foreign(x), 0);
	happens(x->model, 5001, EV_ADMIN, DEVICE, PORT, "");
	assert_int_equal(foreign(x), 1);
	close_audit(x);
}

CASE(a_restart_explains)
{
	struct audited *x = open_audit();

	x->ctx.audit = NULL;
	happens(x->model, 100, EV_ADMIN, DEVICE, PORT, "");
	happens(x->model, 200, EV_REBOOT, DEVICE, NULL, "");
	happens(x->model, 300, EV_COUNTER_RESET, DEVICE, PORT, "");
	happens(x->model, 300, EV_COUNTER_RESET, "leaf-r1-00", PORT, "");
	happens(x->model, 600, EV_ECN_SET, DEVICE, PORT, "");
	assert_int_equal(foreign(x), 2);
	close_audit(x);
}

CASE(what_is_no_change)
{
	struct audited *x = open_audit();

	for (enum event_kind k = (enum event_kind)0; k < EVENT_COUNT; k++)
		happens(x->model, 100, k, k == EV_REBOOT ? "leaf-r1-00" : DEVICE, PORT, "");
	assert_int_equal(foreign(x), 6);
	close_audit(x);
}

CASE(narrowed)
{
	struct audited *x = open_audit();

	an_act(&x->log);
	happens(x->model, 50, EV_ADMIN, DEVICE, "Ethernet4", "");
	happens(x->model, 51, EV_ADMIN, DEVICE, NULL, "and 3 more");
	happens(x->model, 52, EV_ADMIN, "leaf-r1-00", PORT, "");
	assert_true(view_takes(x->view, REF_DEVICE) && view_takes(x->view, REF_PORT));
	assert_true(view_is_whole(x->view));
	assert_int_equal(rows_of(x), 7);
	x->ctx.scope = fix_device_ref(x->model, DEVICE);
	assert_int_equal(rows_of(x), 6);
	x->ctx.scope = fix_port_ref(x->model, DEVICE, PORT);
	assert_int_equal(rows_of(x), 5);
	x->ctx.scope = fix_port_ref(x->model, DEVICE, "Ethernet4");
	assert_int_equal(rows_of(x), 2);
	x->ctx.scope = fix_device_ref(x->model, "node000");
	assert_int_equal(rows_of(x), 0);
	assert_non_null(x->view->empty(&x->ctx));
	close_audit(x);
}

CASE(enter_leads_to_the_port)
{
	struct audited *x = open_audit();
	const char *view = NULL;
	struct ref scope;

	(void)line(&x->log, 100, "A1", "begun");
	line(&x->log, 101, "A2", "begun")->port[0] = '\0';
	(void)str_copy(line(&x->log, 102, "A3", "begun")->device, NAME_MAX_LEN, "gone-00");
	happens(x->model, 50, EV_ADMIN, DEVICE, "Ethernet4", "");
	assert_int_equal(rows_of(x), 4);
	assert_false(x->view->enter(&x->ctx, x->rows.at[0], &view, &scope));
	assert_string_equal(cell(x, 0, "where"), "gone-00:" PORT);
	assert_true(x->view->enter(&x->ctx, x->rows.at[1], &view, &scope));
	assert_string_equal(view, "leaf");
	assert_true(x->view->enter(&x->ctx, x->rows.at[2], &view, &scope));
	assert_string_equal(view, "port");
	assert_int_equal(scope.port, fix_port(x->model, DEVICE, PORT)->id);
	assert_true(x->view->enter(&x->ctx, x->rows.at[3], &view, &scope));
	assert_int_equal(scope.port, fix_port(x->model, DEVICE, "Ethernet4")->id);
	close_audit(x);
}

/* Lines that were taken out, numbers that come twice, rows that are gone. */
CASE(an_altered_ledger_is_shown)
{
	struct audited *x = open_audit();
	struct ref gone = {.kind = REF_ROW, .seq = 999 << 1}, event = {.kind = REF_ROW, .seq = 7};

	an_act(&x->log);
	x->log.rows.at[1].n = 500;
	x->log.rows.at[2].n = 101;
	assert_int_equal(rows_of(x), 4);
	assert_string_equal(cell(x, 2, "what"), "sending");
	assert_string_equal(cell(x, 2, "line"), "500");
	assert_cell(&x->ctx, x->view, gone, "what", "-");
	assert_cell(&x->ctx, x->view, event, "what", "-");
	x->log.rows.n = 0;
	assert_string_equal(cell(x, 0, "what"), "-");
	close_audit(x);
}

static struct audit_row *says(
	struct audit_log *log, int s, const char *act, const char *event, const char *text)
{
	struct audit_row *row = line(log, s, act, event);

	(void)str_copy(row->action, sizeof(row->action), "port-drain");
	(void)str_copy(row->text, sizeof(row->text), text);
	return row;
}

/* The account, the act and its end: one row an act, wherever its lines are among the others'. */
CASE(an_act_is_one_row)
{
	struct audited *x = open_audit();
	struct ref head;

	x->ctx.cache = view_cache_new();
	(void)says(&x->log, 90, "R1", "refused", "refused by rate-user: later");
	(void)says(&x->log, 100, "A1", "begun", "begun: replacing the optic");
	(void)says(&x->log, 101, "A1", "sending", "sent: shutdown");
	happens(x->model, 50, EV_ADMIN, DEVICE, "Ethernet4", "was up, is down");
	(void)says(&x->log, 102, "A1", "done", "done: Ethernet0 shut");
	(void)says(&x->log, 200, "A2", "begun", "begun");
	(void)says(&x->log, 300, "A1", "watched", "watched: held");
	(void)says(&x->log, 400, "A0", "done", "done: its beginning is not among these");
	assert_int_equal(rows_of(x), 5);
	assert_string_equal(cell(x, 0, "what"), "done");
	assert_string_equal(cell(x, 0, "steps"), "");
	assert_string_equal(cell(x, 1, "what"), "unfinished");
	assert_string_equal(cell(x, 1, "text"), "unfinished");
	assert_string_equal(cell(x, 2, "what"), "held");
	assert_string_equal(cell(x, 2, "action"), "port-drain");
	assert_string_equal(cell(x, 2, "steps"), "+3");
	assert_string_equal(cell(x, 2, "text"), "watched: held; why: replacing the optic");
	assert_string_equal(cell(x, 3, "what"), "refused");
	assert_string_equal(cell(x, 4, "who"), "not by railtop");
	head = x->rows.at[2];
	/* Its steps as they happened, below it; folded from one of them, too. */
	assert_true(audit_fold(&x->ctx, head).seq == head.seq);
	assert_int_equal(rows_of(x), 8);
	assert_string_equal(cell(x, 2, "steps"), "-3");
	assert_string_equal(cell(x, 3, "text"), "sent: shutdown");
	assert_string_equal(cell(x, 4, "what"), "done");
	assert_string_equal(cell(x, 5, "text"), "watched: held");
	assert_string_equal(cell(x, 6, "what"), "refused");
	assert_true(audit_fold(&x->ctx, x->rows.at[4]).seq == head.seq);
	assert_int_equal(rows_of(x), 5);
	assert_int_equal(audit_fold(&x->ctx, x->rows.at[3]).kind, REF_NONE);
	assert_int_equal(audit_fold(&x->ctx, x->rows.at[4]).kind, REF_NONE);
	view_cache_free(x->ctx.cache);
	close_audit(x);
}

CASE(how_an_act_ended)
{
	static const struct {
		const char *event, *text, *word;
		enum role role;
	} ends[] = {{"done", "done: Ethernet0 shut", "done", ROLE_OK},
		{"done", "taken; not confirmed by the device: it blinks", "taken", ROLE_NORMAL},
		{"done", "written for the operator, who runs it: no new job begins", "written",
			ROLE_NORMAL},
		{"failed", "failed: it was refused", "failed", ROLE_WARN},
		{"unknown", "unknown, check the device", "unknown", ROLE_CRIT},
		{"settled", "settled: looked at it", "settled", ROLE_NORMAL},
		{"watched", "watched: cancelled: railtop was ended", "settled", ROLE_NORMAL},
		{"watched", "watched: taken back", "taken back", ROLE_NORMAL},
		{"watched", "watched: broke: it came up", "broke", ROLE_CRIT},
		{"answered", "answered", "broke", ROLE_CRIT}};
	struct audit_log log = {0};

	(void)says(&log, 100, "A1", "begun", "begun: for a test");
	assert_int_equal(audit_end_of(&log, 0).line, AUDIT_NONE);
	assert_string_equal(audit_end_of(&log, 0).word, "unfinished");
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		(void)says(&log, 101, "A1", ends[i].event, ends[i].text);
		(void)says(&log, 101, "A2", "unknown", "of another");
		assert_string_equal(audit_end_of(&log, 0).word, ends[i].word);
		assert_int_equal(audit_end_of(&log, 0).role, ends[i].role);
	}
	vec_free(&log.rows);
}

CASE(nothing_at_all)
{
	struct audited *x = open_audit();

	assert_int_equal(rows_of(x), 0);
	assert_non_null(x->view->empty(&x->ctx));
	x->ctx.audit = NULL;
	assert_int_equal(rows_of(x), 0);
	assert_non_null(strstr(x->view->empty(&x->ctx), "no ledger"));
	close_audit(x);
}

CASES_MAIN(NULL, NULL)
