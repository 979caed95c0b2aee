/* SPDX-License-Identifier: Apache-2.0 */
/* A ticket's text: it contains the important facts, and fits for names of any length. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "archive/export/ticket.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"
#include "tests/diagnosis/engine/ring.h"
#include "tests/diagnosis/engine/stand.h"
#include "tests/support/cases.h"
#include "tests/support/plan_make.h"

static const struct bundle_about about = {.tool = "railtop 0.1.0",
	.user = "ann",
	.host = "bastion",
	.mode = "read-only",
	.reason = "all-reduce is slow since two",
	.incident = "INC-4711",
	.ledger = "{\"t\":\"2026-11-22T02:10:00Z\",\"event\":\"done\",\"action\":\"pfcwd-recover\","
		  "\"place\":\"leaf-r0-00:Ethernet0:3\",\"user\":\"ann\",\"outcome\":\"done\"}\n",
	.ledger_lines = 1};

static struct ticket ticket_of(const struct stand *s, const runbook_log *trail)
{
	return (struct ticket){.m = s->m,
		.d = s->d,
		.trail = trail,
		.about = &about,
		.now_us = s->now_us,
		.from_us = STAND_T0,
		.made_us = s->now_us,
		.id = "20231114T221335Z-railtop-1",
		.file = "incident-20231114T221335Z.rts",
		.sha256 = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"};
}

typedef bool writes(const struct ticket *t, struct buf *out, struct err *err);

static char *text_of(const struct ticket *t, writes *write)
{
	struct buf out;
	struct err err = {0};

	buf_init(&out, 16 << 20);
	if (!write(t, &out, &err))
		fail_msg("%s", err.text);
	return buf_take(&out, NULL);
}

/* Lines, and that each is ASCII and as wide as it may be. */
static unsigned page_lines(const char *page)
{
	unsigned lines = 0;

	for (const char *p = page; *p; p++) {
		if (*p == '\n') {
			lines++;
			continue;
		}
		if (*p < ' ' || *p > '~')
			fail_msg("line %u has the byte %02x", lines + 1, (unsigned char)*p);
	}
	assert_int_equal(page[strlen(page) - 1], '\n');
	return lines;
}

static void has(const char *page, const char *words)
{
	if (!strstr(page, words))
		fail_msg("there is no \"%s\" in\n%s", words, page);
}

static void flap(struct stand *s)
{
	stand_word(s, "leaf-r0-00:Ethernet0", ATTR_FEC, 0, "rs");
	stand_word(s, "leaf-r0-00:Ethernet0", ATTR_MODULE_SN, 0, "MT2312X00042");
	stand_word(s, "leaf-r0-00:Ethernet0", ATTR_MEDIA, 0, "400G-SR8");
	stand_gauge(s, "leaf-r0-00:Ethernet0", CTR_RX_POWER_DBM, 0, -3.25);
	stand_link(s, "leaf-r0-00:Ethernet0", false);
	stand_poll(s, 3);
}

CASE_WITH(test_page, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	runbook_log trail = {0};
	struct runbook_log_entry *e = vec_add(&trail);
	struct ticket t;
	char *page;

	e->t_us = STAND_T0;
	(void)str_copy(e->user, sizeof(e->user), "ann");
	(void)str_copy(e->runbook, sizeof(e->runbook), "link-flap");
	(void)str_copy(e->step, sizeof(e->step), "light");
	(void)str_copy(e->target, sizeof(e->target), "leaf-r0-00:Ethernet0");
	(void)str_copy(e->value, sizeof(e->value), "rx -3.2 dBm");
	e->outcome = STEP_FAIL;
	flap(s);
	t = ticket_of(s, &trail);
	page = text_of(&t, ticket_text);
	assert_true(page_lines(page) <= TICKET_LINES);
	has(page, "railtop ticket 20231114T221335Z-railtop-1\n");
	has(page, "operator  ann@bastion, mode read-only, railtop 0.1.0\n");
	has(page, "incident  INC-4711\n");
	has(page, "reason    all-reduce is slow since two\n");
	has(page, "coverage  ");
	has(page, "link.down");
	has(page, "SUSPECT LINKS  1, both ends\n");
	has(page, "B leaf-r0-00:Ethernet0 (leaf)\n");
	has(page, "A node000:mlx5_0 (host)\n");
	has(page, "FEC rs");
	has(page, "    module 400G-SR8, SN MT2312X00042, rx -3.3 dBm; LLDP node000:mlx5_0 as "
		  "planned\n");
	/* The host said nothing about its module's number. */
	has(page, "SN not reported, ");
	has(page, "down (admin up), 400G (plan 400G), lanes 4, FEC rs, BER -, flaps ");
	has(page, "ann link-flap/light leaf-r0-00:Ethernet0 fail: rx -3.2 dBm\n");
	has(page, "done pfcwd-recover leaf-r0-00:Ethernet0:3 by ann: done\n");
	has(page, "railtop open incident-20231114T221335Z.rts\n");
	free(page);
	vec_free(&trail);
}

/* Hosts without access to their switches: the other end is what LLDP calls it. */
CASE_WITH(test_an_end_that_is_not_in_the_inventory, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	const struct finding *const *f;
	struct ticket t;
	size_t n;

	flap(s);
	f = diag_findings(s->d, &n);
	assert_true(n > 0);
	for (size_t i = 0; i < n; i++)
		((struct finding *)(uintptr_t)f[i])->peer = (struct ref){.kind = REF_NONE};
	for (size_t i = 0; i < s->m->ports.n; i++)
		s->m->ports.at[i]->plan_peer = s->m->ports.at[i]->lldp_peer = PORT_NONE;
	for (unsigned told = 0; told < 2; told++) {
		char *page;

		for (size_t i = 0; i < s->m->ports.n; i++) {
			struct port *p = s->m->ports.at[i];

			p->lldp_device = told ? "tor-9" : "";
			p->lldp_port = told ? "swp7" : "";
		}
		t = ticket_of(s, NULL);
		page = text_of(&t, ticket_text);
		has(page, told ? "B tor-9:swp7 (LLDP): it is not in the inventory\n"
			       : "B not known: neither LLDP nor the plan has it\n");
		free(page);
		page = text_of(&t, ticket_markdown);
		has(page, told ? "other end tor-9:swp7" : "other end not known");
		free(page);
	}
}

/* Taken 70 s after a storm: it is what the ticket is about. */
CASE_WITH(what_ended_in_the_window_is_told, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	struct ticket t;
	json_t *root, *ended;
	char *page;

	for (unsigned i = 0; i < 6; i++) {
		stand_hold(s, "leaf-r0-00:Ethernet0", 100);
		stand_poll(s, 1);
	}
	stand_hold(s, "leaf-r0-00:Ethernet0", 0);
	stand_poll(s, 14);
	t = ticket_of(s, NULL);
	page = text_of(&t, ticket_text);
	has(page, "FINDINGS  0 open");
	has(page, "  culprit ");
	has(page, " node000:mlx5_0, 2023-11-14T");
	assert_null(strstr(page, "(+"));
	free(page);
	page = text_of(&t, ticket_markdown);
	has(page, "## Ended in the window\n\n- ");
	free(page);
	page = text_of(&t, ticket_json);
	root = json_loads(page, 0, NULL);
	ended = json_array_get(json_object_get(root, "ended"), 0);
	assert_true(json_number_value(json_object_get(ended, "ended")) > 0);
	json_decref(root);
	free(page);
	/* Before the window. */
	t.from_us = t.now_us - 10;
	page = text_of(&t, ticket_text);
	has(page, "ENDED  0 in the window\n");
	free(page);
}

CASE_WITH(test_quiet_fabric, stand_setup, stand_teardown)
{
	struct ticket t = ticket_of(*state, NULL);
	struct bundle_about none = {0};
	char *page;

	t.about = &none;
	t.file = t.sha256 = "";
	t.from_us = 0;
	page = text_of(&t, ticket_text);
	assert_true(page_lines(page) <= TICKET_LINES);
	has(page, "ENDED  0 in the window\n");
	has(page, "FINDINGS  0 open");
	has(page, "incident  -\n");
	has(page, "RUNBOOK  0 entries: none was run\n");
	has(page, "FILE  none was written\n");
	free(page);
}

/* 40 devices and 20 links between them, called as long as a device and a port may be. */
static void plan_long_names(struct plan *plan)
{
	char name[NAME_MAX_LEN], peer[NAME_MAX_LEN];

	plan_init(plan);
	memset(plan->fabric, 'f', sizeof(plan->fabric) - 1);
	for (unsigned i = 0; i < 40; i++) {
		memset(name, 'd', sizeof(name));
		(void)str_printf(name + 56, 8, "%07u", i);
		(void)plan_make_device(plan, name, i % 2 ? TIER_LEAF : TIER_HOST, 0);
	}
	for (unsigned i = 0; i < 20; i++) {
		memset(name, 'p', sizeof(name));
		(void)str_printf(name + 56, 8, "%07u", i);
		memset(peer, 'q', sizeof(peer));
		(void)str_printf(peer + 56, 8, "%07u", i);
		plan_make_link(plan, 2 * i, name, 2 * i + 1, peer, 0);
	}
}

/* The port of the i-th device says all that a ticket repeats, in long_text; from poll 3 it is down.
 */
static struct obs *broken_port(
	const struct plan *plan, unsigned i, unsigned poll, const char *long_text)
{
	const struct plan_link *l = &plan->links.at[i / 2];
	struct obs *o = obs_new(plan->devices.at[i].name, "fast");
	uint32_t p = obs_port(o, i % 2 ? l->b_port : l->a_port);

	obs_word(o, p, ATTR_OPER, 0, poll < 3 ? "up" : "down");
	obs_word(o, p, ATTR_DOWN_REASON, 0, long_text);
	obs_word(o, p, ATTR_MODULE_SN, 0, long_text);
	obs_word(o, p, ATTR_MEDIA, 0, long_text);
	obs_word(o, p, ATTR_ALIAS, 0, "\xe2\x82\xac\xe2\x82\xac");
	obs_number(o, p, ATTR_SPEED_MBPS, 0, 400000);
	obs_count(o, p, CTR_RX_BYTES, 0, (uint64_t)poll * 1000);
	obs_count(o, p, CTR_LINK_DOWN_EVENTS, 0, poll);
	obs_lldp(o, p, plan->devices.at[38].name, l->b_port);
	return o;
}

/* Three polls while all is well, three when the ports are down; ten devices never answer. */
static void break_all(struct stand *s, const struct plan *plan, const char *long_text)
{
	for (unsigned poll = 0; poll < 6; poll++, s->now_us += STAND_INTERVAL) {
		for (unsigned i = 0; i < 30; i++) {
			struct obs *o = broken_port(plan, i, poll, long_text);

			o->received_us = s->now_us;
			model_apply(s->m, o, s->now_us);
			diag_note(s->d, s->m, i, s->now_us);
			obs_free(o);
		}
		(void)model_age(s->m, s->now_us);
		model_links(s->m);
		diag_run(s->d, s->m, s->now_us);
	}
}

/* Every device is dark or broken, and everything is called as long as it may be. */
CASE(test_worst_case)
{
	struct plan plan;
	char long_text[400], *page;
	struct stand s = {0};
	runbook_log trail = {0};
	struct bundle_about worst = about;
	struct ticket t;

	memset(long_text, 'x', sizeof(long_text) - 1);
	long_text[sizeof(long_text) - 1] = '\0';
	memcpy(long_text + 5, "\xc3\xa4\xe2\x82\xac", 5);
	plan_long_names(&plan);
	s.m = model_new(&plan);
	s.d = diag_new();
	s.now_us = STAND_T0;
	break_all(&s, &plan, long_text);
	for (unsigned i = 0; i < 30; i++) {
		struct runbook_log_entry *e = vec_add(&trail);

		memset(e->note, 'n', sizeof(e->note) - 1);
		memset(e->value, 'v', sizeof(e->value) - 1);
		memset(e->target, 't', sizeof(e->target) - 1);
	}
	worst.reason = worst.incident = worst.host = worst.user = long_text;
	worst.ledger = "{\"a\":1}\nnot JSON\n[]\n{\"b\":2}\n{}\n\n{\"t\":\"x\"}\n";
	t = ticket_of(&s, &trail);
	t.about = &worst;
	t.gap = t.file = t.sha256 = t.id = long_text;
	page = text_of(&t, ticket_text);
	assert_true(page_lines(page) <= TICKET_LINES);
	has(page, "more devices without current data");
	has(page, "more before these");
	has(page, "  and ");
	free(page);
	page = text_of(&t, ticket_markdown);
	has(page, "and ");
	free(page);
	free(text_of(&t, ticket_json));
	vec_free(&trail);
	diag_free(s.d);
	model_free(s.m);
	plan_free(&plan);
}

CASE_WITH(test_json, stand_setup, stand_teardown)
{
	static const char *const keys[] = {"schema", "id", "tool", "created", "time", "window",
		"fabric", "operator", "mode", "reason", "incident", "category", "fault", "severity",
		"start_time", "physical_host_name", "serial", "location", "hardware_id",
		"description", "action_class", "ticket_opened", "ticket_updated", "ticket_closed",
		"verdict", "coverage", "findings", "links", "devices", "jobs", "runbook", "actions",
		"redacted", "file", "sha256"};
	struct stand *s = *state;
	struct ticket t;
	char *text;
	json_t *root, *link;

	flap(s);
	t = ticket_of(s, NULL);
	text = text_of(&t, ticket_json);
	root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	free(text);
	assert_non_null(root);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (!json_object_get(root, keys[i]))
			fail_msg("there is no %s", keys[i]);
	assert_string_equal(json_string_value(json_object_get(root, "category")), "link");
	assert_string_equal(
		json_string_value(json_object_get(root, "physical_host_name")), "node000");
	assert_string_equal(
		json_string_value(json_object_get(root, "action_class")), "replace-or-reseat");
	/* Nobody told the device's serial number, and there is no list of racks. */
	assert_true(json_is_null(json_object_get(root, "serial")));
	assert_true(json_is_null(json_object_get(json_object_get(root, "location"), "rack")));
	assert_int_equal(json_array_size(json_object_get(root, "actions")), 1);
	link = json_array_get(json_object_get(json_object_get(root, "links"), "worst"), 0);
	assert_string_equal(
		json_string_value(json_object_get(json_object_get(link, "b"), "device")),
		"leaf-r0-00");
	json_decref(root);
}

/* Whoever is sent to the link reads where both ends stand. */
CASE_WITH(both_ends_have_their_racks, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	struct device *leaf = model_device(s->m, "leaf-r0-00"),
		      *host = model_device(s->m, "node000");
	struct ticket t;
	char *text;
	json_t *root, *at;

	(void)str_copy(leaf->rack, sizeof(leaf->rack), "R12");
	(void)str_copy(leaf->unit, sizeof(leaf->unit), "40");
	(void)str_copy(host->rack, sizeof(host->rack), "R3*");
	flap(s);
	t = ticket_of(s, NULL);
	text = text_of(&t, ticket_json);
	root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	free(text);
	assert_non_null(root);
	at = json_object_get(root, "location");
	assert_non_null(json_object_get(at, "unit"));
	assert_string_equal(json_string_value(json_object_get(at, "rack")),
		str_eq(json_string_value(json_object_get(at, "device")), "node000") ? "R3*"
										    : "R12");
	json_decref(root);
	text = text_of(&t, ticket_text);
	has(text, "(host, R3*)");
	has(text, "(leaf, R12 U40)");
	free(text);
	text = text_of(&t, ticket_markdown);
	has(text, ", R3\\*");
	has(text, ", R12 U40");
	free(text);
}

/* As if it blocked nobody. */
static void blocks_none(struct stand *s)
{
	const struct finding *const *f;
	size_t n;

	f = diag_findings(s->d, &n);
	for (size_t i = 0; i < n; i++) {
		struct finding *writable = (struct finding *)(uintptr_t)f[i];

		writable->gpus_blocked = writable->gpus_slow = 0;
	}
}

/* A count of blocked GPUs is known only if a source reports jobs. */
CASE_WITH(test_gpus_unknown, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	struct ring ring = ring_make(s);

	flap(s);
	for (unsigned told = 0; told < 2; told++) {
		const char *says = told ? "GPUs blocked 0, slowed 0" : "GPUs blocked -, slowed -";
		struct ticket t = ticket_of(s, NULL);
		char *text;
		json_t *root, *gpus;

		if (told)
			ring_play(&ring, 1);
		blocks_none(s);
		text = text_of(&t, ticket_text);
		has(text, says);
		free(text);
		text = text_of(&t, ticket_markdown);
		has(text, says);
		free(text);
		text = text_of(&t, ticket_json);
		root = json_loads(text, 0, NULL);
		free(text);
		gpus = json_object_get(root, "gpus_blocked");
		assert_true(told ? json_is_integer(gpus) : json_is_null(gpus));
		json_decref(root);
	}
}

/* A text that is no UTF-8 does not cost the entry. */
CASE_WITH(test_no_step_is_lost, stand_setup, stand_teardown)
{
	runbook_log trail = {0};
	struct runbook_log_entry e = {.t_us = STAND_T0, .outcome = STEP_PASS};
	struct ticket t;
	char *text;
	json_t *root, *list;

	(void)str_copy(e.runbook, sizeof(e.runbook), "link-flap");
	(void)str_copy(e.value, sizeof(e.value), "held \xe2\x89");
	vec_push(&trail, e);
	t = ticket_of(*state, &trail);
	text = text_of(&t, ticket_json);
	root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	free(text);
	list = json_object_get(root, "runbook");
	assert_int_equal(json_array_size(list), 1);
	assert_string_equal(
		json_string_value(json_object_get(json_array_get(list, 0), "value")), "held ??");
	json_decref(root);
	vec_free(&trail);
}

CASE_WITH(test_markdown_is_escaped, stand_setup, stand_teardown)
{
	struct ticket t = ticket_of(*state, NULL);
	struct bundle_about bad = about;
	char *page;

	bad.reason = "a | b <script> # *x* `y` @ann\n# heading";
	/* C1: an 8-bit CSI, of UTF-8 and bare; a direction override. */
	bad.incident = "INC\xc2\x9b"
		       "2J\x9b\x7f\xe2\x80\xae!";
	t.about = &bad;
	page = text_of(&t, ticket_markdown);
	has(page, "| Reason | a \\| b &lt;script\\> \\# \\*x\\* \\`y\\` @<!-- -->ann \\# heading "
		  "|\n");
	has(page, "| Incident | INC?2J???\\! |\n");
	free(page);
}

CASE_WITH(test_limit, stand_setup, stand_teardown)
{
	static writes *const all[] = {ticket_text, ticket_markdown, ticket_json};
	struct ticket t = ticket_of(*state, NULL);

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct buf out;
		struct err err = {0};

		buf_init(&out, 100);
		assert_false(all[i](&t, &out, &err));
		assert_int_equal(err.code, ERR_LIMIT);
		buf_free(&out);
	}
}

/* ---- bodies of requests ---- */

static json_t *form_of(const struct ticket *t, writes *write)
{
	char *text = text_of(t, write);
	json_t *root = json_loads(text, 0, NULL);

	if (!root)
		fail_msg("no JSON: %s", text);
	free(text);
	return root;
}

static const char *form_text(const json_t *o, const char *name)
{
	return json_string_value(json_object_get(o, name));
}

CASE_WITH(a_jira_issue_has_the_page_and_a_title, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	struct ticket t;
	json_t *root, *fields;

	flap(s);
	t = ticket_of(s, NULL);
	root = form_of(&t, ticket_jira);
	fields = json_object_get(root, "fields");
	has(form_text(fields, "summary"), "link");
	assert_true(strlen(form_text(fields, "summary")) <= 255);
	assert_true(str_starts(form_text(fields, "description"), "{noformat}\n"));
	has(form_text(fields, "description"), "INC-4711");
	assert_string_equal(form_text(json_object_get(fields, "priority"), "name"), "Highest");
	assert_int_equal(json_array_size(json_object_get(fields, "labels")), 3);
	/* The site's own. */
	assert_null(json_object_get(fields, "project"));
	json_decref(root);
}

CASE_WITH(a_servicenow_incident_has_the_key_of_its_finding, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	struct ticket t;
	json_t *root;

	flap(s);
	t = ticket_of(s, NULL);
	root = form_of(&t, ticket_servicenow);
	assert_true(strlen(form_text(root, "short_description")) <= 160);
	has(form_text(root, "correlation_id"), "link.");
	assert_string_equal(form_text(root, "urgency"), "1");
	has(form_text(root, "description"), "INC-4711");
	assert_non_null(form_text(root, "cmdb_ci"));
	json_decref(root);
}

/* Nothing is open: the verdict is the title, and nothing is called trivial. */
CASE_WITH(a_form_without_a_finding_is_not_trivial, stand_setup, stand_teardown)
{
	const struct stand *s = *state;
	struct ticket t = ticket_of(s, NULL);
	json_t *root = form_of(&t, ticket_servicenow);

	assert_string_equal(form_text(root, "urgency"), "2");
	assert_true(json_is_null(json_object_get(root, "correlation_id")));
	json_decref(root);
	root = form_of(&t, ticket_jira);
	assert_string_equal(
		form_text(json_object_get(json_object_get(root, "fields"), "priority"), "name"),
		"Medium");
	json_decref(root);
}

CASES_MAIN(NULL, NULL)
