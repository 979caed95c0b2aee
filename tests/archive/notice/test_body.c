/* SPDX-License-Identifier: Apache-2.0 */
/* The messages in the forms of their receivers. */
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "archive/notice/body.h"
#include "base/str.h"
#include "tests/support/cases.h"

#define NOW (1700000000 * INT64_C(1000000))

static struct plan_receiver receiver = {.name = "r", .facility = 3};
static struct plan_notify notify = {.resend_us = 60000000,
	.link = "https://wall.example/?at={place}",
	.runbook_url = "https://wiki.example/{runbook}"};

static struct notice flap_notice(void)
{
	struct notice n = {.key = "pod1 link.flapping leaf-r3-00:Ethernet12",
		.id = "link.flapping",
		.place = "leaf-r3-00:Ethernet12",
		.peer = "node003:mlx5_3",
		.device = "leaf-r3-00",
		.port = "Ethernet12",
		.title = "link flapping: 7 times in 60 s <!channel> \"quoted\" ]",
		.runbook = "link-flap",
		.command = "show interfaces status Ethernet12",
		.role = "culprit",
		.severity = SEV_CRIT,
		.confidence = 0.87F,
		.members = 1,
		.follows = 226,
		.victims = 64,
		.onset_us = NOW - 60000000,
		.opened_us = NOW - 50000000};

	return n;
}

static struct body_facts facts_of(const struct notice *n, enum message_kind kind)
{
	return (struct body_facts){.to = &receiver,
		.notify = &notify,
		.fabric = "pod1",
		.verdict = "network (87%)",
		.version = "0.1.0",
		.n = n,
		.json = "{\"id\":\"link.flapping\",\"confidence\":0.87}",
		.kind = kind,
		.severity = SEV_CRIT,
		.why = "",
		.now_us = NOW};
}

typedef bool write_body(const struct body_facts *f, struct buf *out, struct err *err);

static json_t *body_of(const struct body_facts *f, write_body *write)
{
	struct buf out;
	struct err err = {0};
	json_t *root;

	buf_init(&out, 1 << 20);
	if (!write(f, &out, &err))
		fail_msg("%s", err.text);
	root = json_loadb(out.data, out.len, 0, NULL);
	assert_non_null(root);
	buf_free(&out);
	return root;
}

static const char *at(const json_t *o, const char *a, const char *b)
{
	json_t *v = json_object_get(o, a);

	return json_string_value(b ? json_object_get(v, b) : v);
}

CASE(an_alert_has_the_form_of_alertmanager)
{
	struct notice n = flap_notice();
	struct body_facts f = facts_of(&n, MESSAGE_TRIGGER);
	json_t *root = body_of(&f, body_alertmanager), *a = json_array_get(root, 0);

	assert_int_equal(json_array_size(root), 1);
	assert_string_equal(at(a, "labels", "alertname"), "RailtopFinding");
	assert_string_equal(at(a, "labels", "class"), "link.flapping");
	assert_string_equal(at(a, "labels", "place"), "leaf-r3-00:Ethernet12");
	assert_string_equal(at(a, "labels", "severity"), "critical");
	assert_string_equal(at(a, "labels", "fabric"), "pod1");
	assert_non_null(strstr(at(a, "annotations", "summary"), "226 findings follow, 64 victims"));
	assert_string_equal(at(a, "annotations", "runbook_url"), "https://wiki.example/link-flap");
	assert_string_equal(
		at(a, "annotations", "console"), "railtop --view 'leaf-r3-00:Ethernet12'");
	assert_string_equal(at(a, "startsAt", NULL), "2023-11-14T22:12:20.000Z");
	/* Five minutes: four repetitions are less. */
	assert_string_equal(at(a, "endsAt", NULL), "2023-11-14T22:18:20.000Z");
	assert_string_equal(
		at(a, "generatorURL", NULL), "https://wall.example/?at=leaf-r3-00%3AEthernet12");
	json_decref(root);
	f.kind = MESSAGE_RESOLVE;
	root = body_of(&f, body_alertmanager);
	assert_string_equal(
		at(json_array_get(root, 0), "endsAt", NULL), "2023-11-14T22:13:20.000Z");
	json_decref(root);
}

/* The severity is a label, so it is another alert: the milder one ends in the same post. */
CASE(a_rise_of_severity_ends_the_milder_alert)
{
	struct notice n = flap_notice();
	struct body_facts f = facts_of(&n, MESSAGE_UPDATE);
	json_t *root;

	f.told_before = SEV_WARN;
	root = body_of(&f, body_alertmanager);
	assert_int_equal(json_array_size(root), 2);
	assert_string_equal(at(json_array_get(root, 0), "labels", "severity"), "warning");
	assert_string_equal(
		at(json_array_get(root, 0), "endsAt", NULL), "2023-11-14T22:13:20.000Z");
	assert_string_equal(at(json_array_get(root, 1), "labels", "severity"), "critical");
	json_decref(root);
}

CASE(an_event_has_the_form_of_pagerduty)
{
	struct notice n = flap_notice();
	struct body_facts f = facts_of(&n, MESSAGE_TRIGGER);
	json_t *root = body_of(&f, body_pagerduty), *p = json_object_get(root, "payload");

	assert_string_equal(at(root, "event_action", NULL), "trigger");
	assert_string_equal(at(root, "dedup_key", NULL), n.key);
	assert_true(strlen(at(root, "dedup_key", NULL)) <= 255);
	assert_string_equal(at(p, "severity", NULL), "critical");
	assert_string_equal(at(p, "source", NULL), "leaf-r3-00");
	assert_string_equal(at(p, "component", NULL), "Ethernet12");
	assert_string_equal(at(p, "class", NULL), "link.flapping");
	assert_true(strlen(at(p, "summary", NULL)) <= 1024);
	assert_int_equal(json_integer_value(json_object_get(
				 json_object_get(p, "custom_details"), "findings_that_follow")),
		226);
	assert_null(json_object_get(root, "routing_key")); /* of the sender */
	json_decref(root);
	f.kind = MESSAGE_ACKNOWLEDGE;
	root = body_of(&f, body_pagerduty);
	assert_string_equal(at(root, "event_action", NULL), "acknowledge");
	json_decref(root);
	f.kind = MESSAGE_RESOLVE;
	root = body_of(&f, body_pagerduty);
	assert_string_equal(at(root, "event_action", NULL), "resolve");
	json_decref(root);
}

/* A name from a device must not call everybody of a channel. */
CASE(texts_of_devices_have_no_meaning_for_slack)
{
	struct notice n = flap_notice();
	struct body_facts f = facts_of(&n, MESSAGE_TRIGGER);
	json_t *root = body_of(&f, body_slack);
	char *all = json_dumps(root, 0);

	assert_null(strstr(all, "<!channel>"));
	assert_non_null(strstr(all, "&lt;!channel&gt;"));
	assert_int_equal(json_array_size(json_object_get(root, "blocks")), 2);
	assert_non_null(strstr(all, "<https://wiki.example/link-flap|open>"));
	free(all);
	json_decref(root);
}

CASE(the_longest_texts_fit_everywhere)
{
	struct notice n = flap_notice();
	struct body_facts f;
	json_t *root, *blocks;
	char verdict[VERDICT_SENTENCE];
	static write_body *const all[] = {
		body_alertmanager, body_pagerduty, body_slack, body_webhook};

	memset(n.title, '&', sizeof(n.title) - 1);
	memset(n.place, '<', sizeof(n.place) - 1);
	memset(n.peer, '"', sizeof(n.peer) - 1);
	memset(n.command, '\\', sizeof(n.command) - 1);
	memset(verdict, '>', sizeof(verdict) - 1);
	verdict[sizeof(verdict) - 1] = '\0';
	f = facts_of(&n, MESSAGE_TRIGGER);
	f.verdict = verdict;
	for (size_t i = 0; i < 4; i++)
		json_decref(body_of(&f, all[i]));
	root = body_of(&f, body_slack);
	blocks = json_object_get(root, "blocks");
	assert_true(strlen(at(json_array_get(blocks, 0), "text", "text")) <= 3000);
	json_decref(root);
}

CASE(a_webhook_has_all_of_it)
{
	struct notice n = flap_notice();
	struct body_facts f = facts_of(&n, MESSAGE_TRIGGER);
	json_t *root = body_of(&f, body_webhook);

	assert_int_equal(json_integer_value(json_object_get(root, "schema")), BODY_SCHEMA);
	assert_string_equal(at(root, "event", NULL), "trigger");
	assert_string_equal(at(root, "key", NULL), n.key);
	assert_string_equal(at(root, "finding", "id"), "link.flapping");
	assert_true(json_is_null(json_object_get(root, "acknowledged")));
	assert_true(json_is_null(json_object_get(root, "why")));
	json_decref(root);
	/* After a restart the finding itself is not known any more. */
	f.json = NULL;
	f.kind = MESSAGE_RESOLVE;
	root = body_of(&f, body_webhook);
	assert_true(json_is_null(json_object_get(root, "finding")));
	json_decref(root);
}

CASE(a_line_of_syslog_has_the_form_of_rfc_5424)
{
	struct notice n = flap_notice();
	struct body_facts f = facts_of(&n, MESSAGE_TRIGGER);
	struct buf out;

	(void)str_copy(n.place, sizeof(n.place), "a\"b\\c]d\xc3\xa4");
	buf_init(&out, 1 << 16);
	assert_true(body_syslog(&f, "bastion 1", 4711, &out));
	assert_true(str_starts(out.data,
		"<26>1 2023-11-14T22:13:20.000Z bastion1 railtop 4711 link.flapping "
		"[railtop@32473 event=\"trigger\" key=\"pod1 link.flapping "
		"leaf-r3-00:Ethernet12\" fabric=\"pod1\" severity=\"critical\" "
		"place=\"a\\\"b\\\\c\\]d??\" victims=\"64\" follows=\"226\"] a\"b"));
	for (size_t i = 0; i < out.len; i++)
		assert_true(out.data[i] >= ' ' && out.data[i] <= '~');
	buf_free(&out);
	f.kind = MESSAGE_RESOLVE;
	f.why = "no longer seen";
	buf_init(&out, 1 << 16);
	assert_true(body_syslog(&f, "", 1, &out));
	assert_true(str_starts(out.data, "<29>1 2023-11-14T22:13:20.000Z - railtop 1 "));
	assert_non_null(strstr(out.data, "ended: "));
	buf_free(&out);
}

CASE(a_test_says_that_nothing_is_wrong)
{
	struct notice n;
	struct body_facts f;
	json_t *root;

	body_test_notice(&n, "pod1", NOW);
	f = facts_of(&n, MESSAGE_TEST);
	f.severity = SEV_OK;
	f.json = NULL;
	root = body_of(&f, body_alertmanager);
	assert_string_equal(at(json_array_get(root, 0), "labels", "alertname"), "RailtopTest");
	assert_string_equal(at(json_array_get(root, 0), "labels", "severity"), "info");
	/* It ends by itself after a minute. */
	assert_string_equal(
		at(json_array_get(root, 0), "endsAt", NULL), "2023-11-14T22:14:20.000Z");
	json_decref(root);
	root = body_of(&f, body_webhook);
	assert_string_equal(at(root, "event", NULL), "test");
	assert_non_null(strstr(at(root, "summary", NULL), "[test]"));
	json_decref(root);
}

CASES_MAIN(NULL, NULL)
