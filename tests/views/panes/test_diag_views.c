/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "tests/support/cases.h"
#include "tests/views/support/fake_diag.h"
#include "views/diag_rows.h"
#include "views/panels/finding_text.h"
#include "views/panels/storm_tree.h"

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
	x.ctx.cache = view_cache_new();
	*state = &x;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *x = *state;

	view_cache_free(x->ctx.cache);
	diag_free(x->d);
	model_free(x->m);
	return 0;
}

static struct ref leaf_port(const struct fixture *x, const char *leaf, const char *port)
{
	return fix_port_ref(x->m, leaf, port);
}

/* A culprit with two symptoms, one of them a symptom's symptom, and a risk. */
static uint64_t four_findings(struct fixture *x)
{
	uint64_t root, victim;

	root = fake_finding(
		x->d, FIND_SLOW_RECEIVER, leaf_port(x, "node001", "mlx5_3"), ROLE_CULPRIT, 0)
		       ->key;
	victim = fake_finding(x->d, FIND_LOSSLESS_DROP, leaf_port(x, "leaf-r3-00", "Ethernet8"),
		ROLE_SYMPTOM, root)
			 ->key;
	(void)fake_finding(x->d, FIND_WATCHDOG_FIRED, leaf_port(x, "leaf-r3-00", "Ethernet4"),
		ROLE_SYMPTOM, victim);
	(void)fake_finding(x->d, FIND_LINT_MTU, fix_device_ref(x->m, "spine-000"), ROLE_RISK, 0);
	return root;
}

/* ---- findings ---- */

CASE_WITH(symptoms_are_folded_below_their_root, setup, teardown)
{
	struct fixture *x = *state;
	const struct view_ops *v = fix_view("findings");
	uint64_t root = four_findings(x);
	row_vec rows = fix_rows(&x->ctx, v);

	assert_int_equal(rows.n, 2);
	assert_cell(&x->ctx, v, rows.at[0], "what", "host.slow_receiver");
	assert_cell(&x->ctx, v, rows.at[0], "symptoms", "+2");
	assert_cell(&x->ctx, v, rows.at[0], "where", "node001:mlx5_3");
	assert_cell(&x->ctx, v, rows.at[0], "confidence", "97%");
	assert_cell(&x->ctx, v, rows.at[0], "role", "culprit");
	assert_cell(&x->ctx, v, rows.at[1], "symptoms", "");
	assert_cell(&x->ctx, v, rows.at[1], "role", "risk");
	vec_free(&rows);

	fold_set_turn(&diag_rows_of(&x->ctx)->roots, root);
	rows = fix_rows(&x->ctx, v);
	assert_int_equal(rows.n, 4);
	assert_cell(&x->ctx, v, rows.at[0], "symptoms", "-2");
	assert_cell(&x->ctx, v, rows.at[1], "what", "pfc.lossless_drop");
	assert_cell(&x->ctx, v, rows.at[1], "symptoms", "  `");
	assert_cell(&x->ctx, v, rows.at[2], "what", "pfc.watchdog_fired");
	assert_cell(&x->ctx, v, rows.at[3], "what", "lint.mtu");
	vec_free(&rows);

	fold_set_turn(&diag_rows_of(&x->ctx)->roots, root);
	rows = fix_rows(&x->ctx, v);
	assert_int_equal(rows.n, 2);
	vec_free(&rows);
}

CASE_WITH(folds_are_kept_apart, setup, teardown)
{
	struct diag_rows *d = diag_rows_new();

	for (uint64_t key = 40; key > 0; key--)
		fold_set_turn(&d->roots, key * 7919 % 41);
	for (uint64_t key = 1; key < 41; key++)
		assert_true(fold_set_has(&d->roots, key));
	fold_set_turn(&d->roots, 17);
	assert_false(fold_set_has(&d->roots, 17));
	assert_true(fold_set_has(&d->roots, 16));
	d->roots.all = true;
	assert_true(fold_set_has(&d->roots, 17));
	diag_rows_free(d);
	diag_rows_free(NULL);
}

/* A chain of explanations that bites its own tail ends, and hides nothing. */
CASE_WITH(roots_that_explain_each_other, setup, teardown)
{
	struct fixture *x = *state;
	struct ref a = leaf_port(x, "leaf-r0-00", "Ethernet0"), b = a;
	row_vec rows;

	b.port++;
	(void)fake_finding(x->d, FIND_INCAST, a, ROLE_CULPRIT, finding_key(FIND_INCAST, b));
	(void)fake_finding(x->d, FIND_INCAST, b, ROLE_CULPRIT, finding_key(FIND_INCAST, a));
	/* Its root was closed: it is a root now. */
	(void)fake_finding(x->d, FIND_LINK_DOWN, a, ROLE_SYMPTOM, finding_key(FIND_LINK_DOWN, b));
	rows = fix_rows(&x->ctx, fix_view("findings"));
	assert_in_range(rows.n, 1, 3);
	vec_free(&rows);
}

CASE_WITH(acknowledged_is_dim_and_says_by_whom, setup, teardown)
{
	struct fixture *x = *state;
	const struct view_ops *v = fix_view("findings");
	uint64_t root = four_findings(x);
	struct ref row = ref_of_finding(root);
	struct err err = {0};
	struct view_cell cell;

	assert_cell(&x->ctx, v, row, "ack", "");
	assert_true(diag_ack(x->d, root, fix_time(1), fix_time(1) + 3600 * CLOCK_SEC, "ada",
		"cable ordered", &err));
	/* 22:13:21 UTC and an hour */
	assert_cell(&x->ctx, v, row, "ack", "ack until 23:13 by ada: cable ordered");
	cell = fix_cell(&x->ctx, v, row, "what");
	assert_int_equal(cell.role, ROLE_DIM);
	x->ctx.now_us += 3601 * CLOCK_SEC;
	assert_cell(&x->ctx, v, row, "ack", "");
	cell = fix_cell(&x->ctx, v, row, "what");
	assert_int_equal(cell.role, ROLE_CRIT);
}

CASE_WITH(nothing_found_says_what_was_seen, setup, teardown)
{
	struct fixture *x = *state;
	const struct view_ops *v = fix_view("findings");
	struct view_ctx none = fix_ctx(x->m, 1);

	assert_non_null(strstr(v->empty(&x->ctx), "no finding is open"));
	assert_non_null(strstr(v->empty(&none), "nothing is diagnosed"));
	assert_non_null(strstr(fix_view("storm")->empty(&x->ctx), "no port is paused"));
	assert_non_null(strstr(fix_view("jobs")->empty(&x->ctx), "no job is known"));
	assert_non_null(
		strstr(fix_view("wiring")->empty(&x->ctx), "confirmed by LLDP at every port"));
}

/* ---- one finding ---- */

CASE_WITH(a_finding_shows_all_of_its_evidence, setup, teardown)
{
	struct fixture *x = *state;
	const struct view_ops *v = fix_view("finding");
	struct ref at = leaf_port(x, "leaf-r3-00", "Ethernet4"), scope = {0};
	struct finding *f = fake_finding(x->d, FIND_SLOW_RECEIVER, at, ROLE_CULPRIT, 0);
	const char *view = NULL;
	row_vec rows;

	(void)finding_number(f, at, "pfc_rx_duration_us", 93, "%", "> 1%", "counter");
	finding_text(f, at, "speed", "400G, as planned", "lldp")->against = true;
	finding_refute(f, FIND_INCAST, at, "the egress is idle");
	finding_victim(f, leaf_port(x, "leaf-r3-00", "Ethernet8"), 42.5);
	(void)str_copy(f->command, sizeof(f->command), "show pfc counters");
	x->ctx.scope = ref_of_finding(f->key);
	rows = fix_rows(&x->ctx, v);
	/* two rows of evidence, one refuted, view, runbook and command, one victim */
	assert_int_equal(rows.n, 7);
	assert_cell(&x->ctx, v, rows.at[0], "part", "for");
	assert_cell(&x->ctx, v, rows.at[0], "value", "93%");
	assert_cell(&x->ctx, v, rows.at[0], "threshold", "> 1%");
	assert_cell(&x->ctx, v, rows.at[1], "part", "against");
	assert_cell(&x->ctx, v, rows.at[1], "value", "400G, as planned");
	assert_cell(&x->ctx, v, rows.at[2], "part", "not");
	assert_cell(&x->ctx, v, rows.at[2], "what", "congestion.incast");
	assert_cell(&x->ctx, v, rows.at[5], "value", "show pfc counters");
	assert_cell(&x->ctx, v, rows.at[6], "part", "victim");
	assert_cell(&x->ctx, v, rows.at[6], "where", "leaf-r3-00:Ethernet8");
	assert_true(v->enter(&x->ctx, rows.at[6], &view, &scope));
	assert_string_equal(view, "port");
	assert_int_equal(scope.port, fix_port(x->m, "leaf-r3-00", "Ethernet8")->id);
	/* The command is for a terminal on the device, not for this one. */
	assert_false(v->enter(&x->ctx, rows.at[5], &view, &scope));
	vec_free(&rows);

	x->ctx.scope.seq ^= 1;
	rows = fix_rows(&x->ctx, v);
	assert_int_equal(rows.n, 0);
	assert_non_null(strstr(v->empty(&x->ctx), "this finding is closed"));
	vec_free(&rows);
}

static const char *value_of(double value, const char *unit, const char *text)
{
	static char dst[160];
	struct evidence e = {.value = value};

	(void)str_copy(e.unit, sizeof(e.unit), unit);
	(void)str_copy(e.text, sizeof(e.text), text);
	return evidence_value(&e, dst, sizeof(dst));
}

CASE_WITH(numbers_read_like_numbers, setup, teardown)
{
	assert_string_equal(value_of(7, "", ""), "7");
	assert_string_equal(value_of(0, "/s", ""), "0/s");
	assert_string_equal(value_of(34.25, "%", ""), "34.2%");
	assert_string_equal(value_of(-9.8, "dBm", ""), "-9.8 dBm");
	assert_string_equal(value_of(2e-5, "", ""), "2.0e-05");
	assert_string_equal(value_of(4e11, "b/s", "of 400G"), "400G b/s, of 400G");
	/* unknown is never zero */
	assert_string_equal(value_of((double)NAN, "%", ""), "-");
	assert_string_equal(value_of((double)NAN, "", "down"), "down");
}

CASE_WITH(places_have_a_line_when_something_is_found_there, setup, teardown)
{
	struct fixture *x = *state;
	struct panel_line line;

	assert_false(finding_at_line(&x->ctx, leaf_port(x, "node001", "mlx5_3"), &line));
	(void)four_findings(x);
	assert_true(finding_at_line(&x->ctx, leaf_port(x, "node001", "mlx5_3"), &line));
	assert_non_null(strstr(line.text, "host.slow_receiver node001:mlx5_3, culprit"));
	assert_true(finding_at_line(&x->ctx, fix_device_ref(x->m, "node001"), &line));
	assert_false(finding_at_line(&x->ctx, fix_device_ref(x->m, "node000"), &line));
}

/* ---- verdicts ---- */

CASE_WITH(verdicts_in_words, setup, teardown)
{
	struct fixture *x = *state;
	struct verdict_report *v = fake_verdict(x->d);
	struct panel_line line;
	char badge[64];

	/* Not everything was looked at: no word is green. */
	verdict_line(&x->ctx, v, &line);
	assert_string_equal(line.head, "?");
	assert_string_equal(line.text, "no problem seen");
	verdict_badge(&x->ctx, badge, sizeof(badge), false);
	assert_string_equal(badge, "");
	assert_int_equal(severity_with_verdict(&x->ctx, SEV_OK), SEV_UNKNOWN);
	assert_int_equal(severity_with_verdict(&x->ctx, SEV_WARN), SEV_WARN);

	v->fabric_clean = true;
	v->state = FABRIC_CLEAN;
	verdict_line(&x->ctx, v, &line);
	assert_string_equal(line.head, "OK");
	assert_non_null(strstr(line.text, "the fabric is clean; 12 of 12 devices fresh"));
	verdict_badge(&x->ctx, badge, sizeof(badge), false);
	assert_string_equal(badge, "clean");
	assert_int_equal(severity_with_verdict(&x->ctx, SEV_OK), SEV_OK);

	/* Evidence without a culprit, from its first poll on. */
	*v = (struct verdict_report){.state = FABRIC_SUSPECT,
		.critical = true,
		.trouble = true,
		.paused = 156,
		.paused_of = 700,
		.stalled = 1,
		.since_us = x->ctx.now_us,
		.hint = "pause cycle leaf-a -> spine-b -> leaf-a"};
	verdict_line(&x->ctx, v, &line);
	assert_string_equal(line.head, "CRIT");
	assert_string_equal(line.text,
		"cause not proven yet (seen 0 s): 156 ports paused, 1 job stalled; strongest hint: "
		"pause cycle leaf-a -> spine-b -> leaf-a");
	verdict_badge(&x->ctx, badge, sizeof(badge), false);
	assert_string_equal(badge, "cause not proven: 156 ports paused, 1 job stalled");
	verdict_badge(&x->ctx, badge, sizeof(badge), true);
	assert_string_equal(badge, "cause not proven");
	assert_int_equal(severity_with_verdict(&x->ctx, SEV_OK), SEV_CRIT);

	v->culprit = four_findings(x);
	v->verdict = VERDICT_NETWORK;
	v->state = FABRIC_TROUBLE;
	v->confidence = 0.97;
	verdict_line(&x->ctx, v, &line);
	assert_string_equal(line.head, "CRIT");
	assert_non_null(strstr(line.text, "network 97%: host.slow_receiver node001:mlx5_3"));
	/* Each share says whose it is. */
	assert_non_null(strstr(line.text, ", this cause "));
	verdict_badge(&x->ctx, badge, sizeof(badge), false);
	assert_string_equal(badge, "1 culprit, network 97%");
	verdict_badge(&x->ctx, badge, sizeof(badge), true);
	assert_string_equal(badge, "1 culprit");

	/* The culprit alone is a warning, and its effect is critical: the line stays red. */
	v->culprit = fake_finding(
		x->d, FIND_ECMP_COLLISION, leaf_port(x, "leaf-r3-00", "Ethernet8"), ROLE_CULPRIT, 0)
			     ->key;
	verdict_line(&x->ctx, v, &line);
	assert_string_equal(line.head, "CRIT");
	assert_non_null(strstr(line.text, "network 97%: ecmp.collision leaf-r3-00:Ethernet8"));
}

/* ---- storm ---- */

static void poll_each(struct fixture *x, int64_t interval_us)
{
	for (size_t i = 0; i < x->m->devices.n; i++)
		x->m->devices.at[i]->interval_us = interval_us;
}

/* The order within one poll is the order of polling: it does not show which port was first. */
CASE_WITH(one_poll_is_one_place, setup, teardown)
{
	static const struct {
		const char *leaf, *port, *nth;
		int64_t since_us;
	} held[] = {
		{"leaf-r3-00", "Ethernet4", "1", 0},
		{"leaf-r3-00", "Ethernet8", "1", 2 * CLOCK_SEC},
		{"leaf-r3-00", "Ethernet0", "1",
			5 * CLOCK_SEC - 1}, /* the terminal: not last of all */
		{"leaf-r3-00", "Ethernet12", "4", 5 * CLOCK_SEC},
		{"leaf-r4-00", "Ethernet0", "4",
			7 * CLOCK_SEC}, /* of the place's first, not of the previous one */
		{"leaf-r4-00", "Ethernet4", "6", 10 * CLOCK_SEC},
	};
	struct fixture *x = *state;
	const struct view_ops *v = fix_view("storm");
	row_vec rows;

	poll_each(x, 5 * CLOCK_SEC);
	for (size_t i = 0; i < 6; i++)
		(void)fake_pause(x->d, fix_port(x->m, held[i].leaf, held[i].port)->id,
			i == 2 ? UINT32_MAX : 2, FIX_START + held[i].since_us);
	rows = fix_rows(&x->ctx, v);
	assert_int_equal(rows.n, 6);
	for (size_t i = 0; i < 6; i++)
		assert_cell(&x->ctx, v, rows.at[i], "nth",
			held[i == 0      ? 2
				: i <= 2 ? i - 1
					 : i]
				.nth);
	vec_free(&rows);
}

/* A kept row of the tree is read again when either end has told something new. */
CASE_WITH(the_stamp_of_a_pause_follows_both_ends, setup, teardown)
{
	struct fixture *x = *state;
	const struct view_ops *v = fix_view("storm");
	struct ref row;
	uint64_t stamp;
	row_vec rows;

	poll_each(x, 5 * CLOCK_SEC);
	(void)fake_pause(
		x->d, fix_port(x->m, "leaf-r2-00", "Ethernet0")->id, UINT32_MAX, FIX_START);
	rows = fix_rows(&x->ctx, v);
	assert_int_equal(rows.n, 1);
	row = rows.at[0];
	vec_free(&rows);
	stamp = v->stamp(&x->ctx, row);
	assert_int_not_equal(stamp, 0);
	assert_int_equal(v->stamp(&x->ctx, row), stamp);
	fix_poll_device(x->m, model_device(x->m, "leaf-r2-00"), 60, NULL, 0);
	x->ctx.now_us += CLOCK_SEC;
	assert_int_not_equal(v->stamp(&x->ctx, row), stamp);
	stamp = v->stamp(&x->ctx, row);
	fix_poll_device(x->m, model_device(x->m, "node000"), 60, NULL, 0);
	assert_int_not_equal(v->stamp(&x->ctx, row), stamp);
}

CASE_WITH(pauses_are_a_tree, setup, teardown)
{
	struct fixture *x = *state;
	const struct view_ops *v = fix_view("storm");
	uint32_t nic, a, b;
	row_vec rows;

	poll_each(x, 50);
	nic = fake_pause(x->d, fix_port(x->m, "leaf-r3-00", "Ethernet0")->id, UINT32_MAX, 100);
	b = fake_pause(x->d, fix_port(x->m, "spine-001", "Ethernet4/1")->id, nic, 300);
	a = fake_pause(x->d, fix_port(x->m, "spine-000", "Ethernet4/1")->id, nic, 200);
	(void)fake_pause(x->d, fix_port(x->m, "node001", "mlx5_3")->id, a, 300);
	(void)b;
	rows = fix_rows(&x->ctx, v);
	assert_int_equal(rows.n, 4);
	assert_cell(&x->ctx, v, rows.at[0], "where", "leaf-r3-00:Ethernet0");
	assert_cell(&x->ctx, v, rows.at[0], "nth", "1");
	assert_cell(&x->ctx, v, rows.at[0], "blame", "400G");
	assert_cell(&x->ctx, v, rows.at[0], "behind", "3");
	assert_cell(&x->ctx, v, rows.at[1], "where", "| spine-000:Ethernet4/1");
	assert_cell(&x->ctx, v, rows.at[1], "nth", "2");
	assert_cell(&x->ctx, v, rows.at[2], "where", "| ` node001:mlx5_3");
	assert_cell(&x->ctx, v, rows.at[2], "nth", "3");
	assert_cell(&x->ctx, v, rows.at[3], "where", "` spine-001:Ethernet4/1");
	assert_cell(&x->ctx, v, rows.at[3], "nth", "3");
	assert_cell(&x->ctx, v, rows.at[3], "held", "50%!");
	vec_free(&rows);
}

/* Equal ports of a device are one line on the screen, below the NIC where the storm begins. */
CASE_WITH(equal_pauses_are_one_line, setup, teardown)
{
	static const struct {
		const char *device, *port, *seen;
	} held[] = {{"spine-000", "Ethernet4/1", "| spine-000:Ethernet4/1 +2"},
		{"spine-000", "Ethernet5/1", NULL}, {"node001", "mlx5_3", "| node001:mlx5_3 +1"},
		{"node000", "mlx5_3", NULL}, {"spine-000", "Ethernet6/1", NULL},
		{"spine-001", "Ethernet4/1", "` spine-001:Ethernet4/1"}};
	struct fixture *x = *state;
	const struct view_ops *v = fix_view("storm");
	uint32_t root, last = 0;
	row_vec rows;

	poll_each(x, CLOCK_SEC);
	root = fake_pause(x->d, fix_port(x->m, "leaf-r3-00", "Ethernet0")->id, UINT32_MAX, 100);
	for (size_t i = 0; i < 6; i++)
		last = fake_pause(x->d, fix_port(x->m, held[i].device, held[i].port)->id, root,
			100 + (int64_t)i);
	/* It delays another one: it has a line of its own. */
	(void)fake_pause(x->d, fix_port(x->m, "leaf-r2-00", "Ethernet4")->id, last, 300);
	rows = fix_rows(&x->ctx, v);
	assert_int_equal(rows.n, 8);
	vec_free(&rows);
	x->ctx.folded = true;
	rows = fix_rows(&x->ctx, v);
	assert_int_equal(rows.n, 5);
	assert_cell(&x->ctx, v, rows.at[0], "where", "node000:mlx5_3 -> r3-00:Eth0");
	assert_cell(&x->ctx, v, rows.at[0], "behind", "7");
	for (size_t i = 0, row = 1; i < 6; i++)
		if (held[i].seen)
			assert_cell(&x->ctx, v, rows.at[row++], "where", held[i].seen);
	assert_cell(&x->ctx, v, rows.at[4], "where", "  ` leaf-r2-00:Ethernet4");
	vec_free(&rows);
}

/* In any graph, each node has one line: rings, chains as long as the graph, broken ones. */
CASE_WITH(every_node_has_one_line, setup, teardown)
{
	enum { NODES = 5000 };
	struct pause_graph *g = pause_graph_new();
	struct diag_rows *d = diag_rows_new();
	struct fixture *x = *state;

	for (int shape = 0; shape < 4; shape++) {
		bool seen[NODES] = {false};

		g->nodes.n = g->terminals.n = 0;
		for (uint32_t i = 0; i < NODES; i++)
			vec_push(&g->nodes, (struct pause_node){.port = i,
						    .since_us = i % 7,
						    .toward = shape == 0   ? (i + 1) % NODES
							      : shape == 1 ? (i ? i - 1 : 0)
							      : shape == 2 ? i * 31 % NODES
									   : UINT32_MAX});
		vec_push(&g->terminals, 3);
		vec_push(&g->terminals, 0);
		vec_push(&g->terminals, NODES + 5);
		storm_layout(d, x->m, g);
		assert_int_equal(d->storm.n, NODES);
		for (size_t i = 0; i < d->storm.n; i++) {
			assert_false(seen[d->storm.at[i].node]);
			seen[d->storm.at[i].node] = true;
			assert_int_equal(d->storm_line.at[d->storm.at[i].node], i);
		}
	}
	diag_rows_free(d);
	pause_graph_free(g);
}

CASE_WITH(a_deadlock_is_said_in_words, setup, teardown)
{
	struct fixture *x = *state;
	struct pause_graph *g = fake_pauses(x->d);
	const struct view_ops *v = fix_view("storm");
	struct pause_cycle *cycle;
	row_vec rows;

	(void)fake_pause(x->d, fix_port(x->m, "spine-000", "Ethernet1/1")->id, UINT32_MAX, 100);
	(void)fake_pause(x->d, fix_port(x->m, "spine-001", "Ethernet1/1")->id, 0, 100);
	cycle = vec_add(&g->cycles);
	vec_push(&cycle->nodes, 0);
	vec_push(&cycle->nodes, 1);
	cycle->hard = true;
	g->nodes.at[0].cycle = g->nodes.at[1].cycle = 1;
	rows = fix_rows(&x->ctx, v);
	assert_int_equal(rows.n, 2);
	assert_cell(&x->ctx, v, rows.at[0], "where", "spine-000:Ethernet1/1 (cycle 1)");
	assert_cell(&x->ctx, v, rows.at[1], "cycle", "1");
	vec_free(&rows);
}

CASES_MAIN(NULL, NULL)
