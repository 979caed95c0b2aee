/* SPDX-License-Identifier: Apache-2.0 */
/* The diagnosis of a real model as JSON of the contract, and as text. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "archive/export/findings.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"
#include "tests/diagnosis/engine/stand.h"
#include "tests/support/cases.h"

/* ---- the output ---- */

typedef bool written(const struct stand *s, FILE *out, struct err *err);

static char *text_of(const struct stand *s, written *write)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	struct err err = {0};

	assert_non_null(f);
	if (!write(s, f, &err))
		fail_msg("%s", err.text);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(strlen(text), size);
	return text;
}

static json_t *json_of(const struct stand *s, written *write)
{
	char *text = text_of(s, write);
	json_error_t error;
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);

	if (!root)
		fail_msg("%s in line %d", error.text, error.line);
	assert_int_equal(text[strlen(text) - 1], '\n');
	free(text);
	return root;
}

static bool write_findings_json(const struct stand *s, FILE *out, struct err *err)
{
	return findings_json(s->m, s->d, s->now_us, out, err);
}

static bool write_findings_text(const struct stand *s, FILE *out, struct err *err)
{
	return findings_text(s->m, s->d, s->now_us, out, err);
}

static bool write_lint(const struct stand *s, bool json, FILE *out, struct err *err)
{
	lint_vec rows = {0};
	bool ok;

	lint_check(s->m, &rows);
	ok = json ? lint_json(s->m, &rows, s->now_us, out, err)
		  : lint_text(s->m, &rows, s->now_us, out, err);
	vec_free(&rows);
	return ok;
}

static bool write_lint_json(const struct stand *s, FILE *out, struct err *err)
{
	return write_lint(s, true, out, err);
}

static bool write_lint_text(const struct stand *s, FILE *out, struct err *err)
{
	return write_lint(s, false, out, err);
}

/* From node001: it is one of the ports that the tests break. */
static bool write_trace(const struct stand *s, bool json, FILE *out, struct err *err)
{
	struct ref from = {.kind = REF_DEVICE, .device = stand_device(s, "node001")};
	struct trace t = {0};
	bool ok;

	if (!trace_from(s->d, s->m, from, s->now_us, &t, err))
		return false;
	ok = json ? trace_json(s->m, s->d, &t, out, err) : trace_text(s->m, s->d, &t, out, err);
	trace_free(&t);
	return ok;
}

static bool write_trace_json(const struct stand *s, FILE *out, struct err *err)
{
	return write_trace(s, true, out, err);
}

static bool write_trace_text(const struct stand *s, FILE *out, struct err *err)
{
	return write_trace(s, false, out, err);
}

/* ---- looking at it ---- */

static const char *word(const json_t *o, const char *key)
{
	const json_t *v = json_object_get(o, key);

	if (!json_is_string(v))
		fail_msg("%s is no text", key);
	return json_string_value(v);
}

static double number(const json_t *o, const char *key)
{
	const json_t *v = json_object_get(o, key);

	if (!json_is_number(v))
		fail_msg("%s is no number", key);
	return json_number_value(v);
}

static void has_keys(const json_t *o, const char *const keys[])
{
	for (size_t i = 0; keys[i]; i++)
		if (!json_object_get(o, keys[i]))
			fail_msg("there is no %s", keys[i]);
}

/* The entry whose key has this value; NULL: none. */
static const json_t *entry(const json_t *list, const char *key, const char *value)
{
	const json_t *o;
	size_t i;

	json_array_foreach(list, i, o) if (str_eq(word(o, key), value)) return o;
	return NULL;
}

static void is_at(const json_t *o, const char *device, const char *port)
{
	assert_string_equal(word(o, "device"), device);
	assert_string_equal(word(o, "port"), port);
}

/* A NIC holds its leaf port all the time, which holds the senders. */
static void storm(struct stand *s)
{
	stand_gauge(s, "leaf-r0-00:Ethernet4", CTR_QUEUE_DEPTH_BYTES, STAND_LOSSLESS, 1e6);
	stand_hold(s, "leaf-r0-00:Ethernet4", 100);
	stand_load(s, "leaf-r0-00:Ethernet4", 0);
	stand_hold(s, "node000:mlx5_0", 95);
	stand_hold(s, "node002:mlx5_0", 95);
	stand_poll(s, 4);
}

/* ---- findings ---- */

CASE_WITH(every_finding_keeps_the_contract, stand_setup, stand_teardown)
{
	static const char *const keys[] = {"id", "key", "severity", "confidence", "device", "peer",
		"role", "title", "onset", "first_seen", "last_seen", "gpus_blocked", "gpus_slow",
		"blame_gbps", "acknowledged", "root", "evidence", "refuted", "members", "victims",
		"next", NULL};
	static const char *const facts[] = {
		"counter", "value", "unit", "text", "threshold", "source", "t", "against", NULL};
	struct stand *s = *state;
	const json_t *list, *f, *e;
	json_t *root;
	size_t i, k;

	stand_link(s, "node003:mlx5_1", false);
	storm(s);
	root = json_of(s, write_findings_json);
	assert_int_equal(number(root, "schema"), 1);
	assert_string_equal(word(root, "fabric"), "stand");
	assert_true(fabs(number(root, "time") - (double)s->now_us / 1e6) < 1e-3);
	assert_int_equal(number(json_object_get(root, "coverage"), "devices"), 16);
	assert_int_equal(number(json_object_get(root, "coverage"), "fresh"), 16);
	list = json_object_get(root, "findings");
	assert_true(json_array_size(list) >= 2);
	json_array_foreach(list, i, f)
	{
		const json_t *rows = json_object_get(f, "evidence");

		has_keys(f, keys);
		assert_true(number(f, "confidence") > 0 && number(f, "confidence") <= 1);
		assert_true(number(f, "first_seen") <= number(f, "last_seen"));
		assert_true(finding_by_name(word(f, "id")) < FIND_COUNT);
		assert_true(json_array_size(json_object_get(f, "next")) > 0);
		assert_true(json_array_size(rows) > 0);
		json_array_foreach(rows, k, e) has_keys(e, facts);
	}
	json_decref(root);
}

CASE_WITH(the_root_comes_first_with_its_victims, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	const json_t *list, *f, *victims;
	json_t *root;

	storm(s);
	root = json_of(s, write_findings_json);
	list = json_object_get(root, "findings");
	f = json_array_get(list, 0);
	assert_string_equal(word(f, "role"), "culprit");
	assert_string_equal(word(f, "severity"), "critical");
	is_at(f, "node001", "mlx5_0");
	is_at(json_object_get(f, "peer"), "leaf-r0-00", "Ethernet4");
	assert_true(json_is_null(json_object_get(f, "root")));
	victims = json_object_get(f, "victims");
	assert_true(number(victims, "count") >= 2);
	assert_non_null(entry(json_object_get(victims, "worst"), "device", "node000"));
	assert_string_equal(word(json_object_get(root, "verdict"), "verdict"), "network");
	json_decref(root);
}

CASE_WITH(numbers_stay_numbers_beside_words, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	const json_t *f, *e;
	json_t *root;
	char *text;

	stand_link(s, "node001:mlx5_0", false);
	stand_poll(s, 3);
	root = json_of(s, write_findings_json);
	f = entry(json_object_get(root, "findings"), "id", "link.down");
	assert_non_null(f);
	e = entry(json_object_get(f, "evidence"), "counter", "GPUs behind it");
	assert_non_null(e);
	assert_int_equal(number(e, "value"), 1);
	assert_string_equal(word(e, "text"), "estimate: one GPU a NIC");
	json_decref(root);
	text = text_of(s, write_findings_text);
	assert_non_null(strstr(text, "GPUs behind it: 1, estimate: one GPU a NIC"));
	free(text);
}

CASE_WITH(who_acknowledged_is_told, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	const struct finding *f;
	const json_t *list, *ack;
	json_t *root;
	struct err err = {0};

	stand_link(s, "node001:mlx5_0", false);
	stand_poll(s, 3);
	f = stand_found(s, "link.down", NULL);
	assert_non_null(f);
	list = json_object_get(root = json_of(s, write_findings_json), "findings");
	assert_true(json_is_null(json_object_get(entry(list, "id", "link.down"), "acknowledged")));
	json_decref(root);
	assert_true(diag_ack(s->d, f->key, s->now_us, s->now_us + 60 * INT64_C(1000000), "ann",
		"cable \"7\" ordered", &err));
	diag_run(s->d, s->m, s->now_us);
	root = json_of(s, write_findings_json);
	ack = json_object_get(
		entry(json_object_get(root, "findings"), "id", "link.down"), "acknowledged");
	assert_string_equal(word(ack, "user"), "ann");
	assert_string_equal(word(ack, "note"), "cable \"7\" ordered");
	assert_true(fabs(number(ack, "until") - number(ack, "since") - 60) < 1e-3);
	json_decref(root);
}

CASE_WITH(a_clean_fabric_proves_it, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	const json_t *verdict, *p;
	json_t *root = json_of(s, write_findings_json);
	char *text = text_of(s, write_findings_text);
	size_t i;

	assert_int_equal(json_array_size(json_object_get(root, "findings")), 0);
	verdict = json_object_get(root, "verdict");
	assert_true(json_is_false(json_object_get(verdict, "trouble")));
	assert_true(json_array_size(json_object_get(verdict, "proof")) > 3);
	json_array_foreach(json_object_get(verdict, "proof"), i, p)
	{
		bool checked = json_is_true(json_object_get(p, "checked"));

		/* A proof that was not checked is not ok. */
		assert_true(checked || json_is_false(json_object_get(p, "ok")));
		assert_non_null(strstr(text, word(p, "text")));
	}
	assert_non_null(strstr(text, ": 0 findings; 16 of 16 devices fresh\n"));
	/* Nobody told of BGP: that is not clean, and how to have it is said. */
	assert_non_null(strstr(text, "verdict: no problem seen; not checked: BGP sessions\n"));
	assert_non_null(strstr(text, "no data; railtop check lists"));
	assert_string_equal(word(verdict, "state"), "unknown");
	json_decref(root);
	free(text);
}

CASE_WITH(devices_that_tell_nothing_are_not_well, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	char *text;

	for (size_t i = 0; i < s->m->devices.n; i++)
		s->m->devices.at[i]->state = i < 3 ? DEV_UNREACHABLE : DEV_FRESH;
	text = text_of(s, write_findings_text);
	assert_non_null(strstr(
		text, "verdict: no problem seen on 13 of 16 devices; the others report no data"));
	free(text);
	for (size_t i = 0; i < s->m->devices.n; i++)
		s->m->devices.at[i]->state = DEV_UNREACHABLE;
	text = text_of(s, write_findings_text);
	assert_non_null(strstr(text, "verdict: not known: none of 16 devices reports data"));
	assert_null(strstr(text, "no trouble"));
	free(text);
}

CASE_WITH(the_text_names_root_ends_and_next_step, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	char *text, *first;

	storm(s);
	text = text_of(s, write_findings_text);
	first = strstr(text, "critical");
	assert_non_null(first);
	assert_non_null(strstr(first, "node001:mlx5_0 <-> leaf-r0-00:Ethernet4\n"));
	assert_non_null(strstr(first, "\n      victims: "));
	assert_non_null(strstr(first, "\n      next: runbook "));
	assert_non_null(strstr(text, "verdict: network ("));
	for (const char *p = text; *p; p++)
		assert_true(*p == '\n' || (*p >= ' ' && *p < 0x7f));
	free(text);
}

/* ---- trace ---- */

CASE_WITH(a_trace_names_hops_culprit_and_finding, stand_setup, stand_teardown)
{
	static const char *const keys[] = {"schema", "fabric", "rank", "job", "verdict",
		"confidence", "summary", "culprit", "chain", "alternatives", "finding", NULL};
	static const char *const hop_keys[] = {"step", "state", "number", "why", "learned", NULL};
	struct stand *s = *state;
	const json_t *culprit, *h;
	json_t *root;
	size_t i;
	char *text;

	storm(s);
	root = json_of(s, write_trace_json);
	has_keys(root, keys);
	assert_true(json_is_null(json_object_get(root, "rank")));
	assert_true(json_is_null(json_object_get(root, "job")));
	assert_string_equal(word(root, "verdict"), "network");
	culprit = json_object_get(root, "culprit");
	is_at(culprit, "node001", "mlx5_0");
	assert_string_equal(word(culprit, "class"), word(json_object_get(root, "finding"), "id"));
	json_array_foreach(json_object_get(root, "chain"), i, h) has_keys(h, hop_keys);
	h = entry(json_object_get(root, "chain"), "state", "culprit");
	assert_non_null(h);
	is_at(h, "node001", "mlx5_0");
	json_decref(root);
	text = text_of(s, write_trace_text);
	assert_non_null(strstr(text, "\n>> "));
	assert_null(strstr(strstr(text, "\n>> ") + 1, "\n>> "));
	free(text);
}

CASE_WITH(a_trace_without_culprit_blames_nobody, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	json_t *root = json_of(s, write_trace_json);
	char *text = text_of(s, write_trace_text);

	assert_true(json_is_null(json_object_get(root, "culprit")));
	assert_true(json_is_null(json_object_get(root, "finding")));
	assert_null(entry(json_object_get(root, "chain"), "state", "culprit"));
	assert_null(strstr(text, ">>"));
	json_decref(root);
	free(text);
}

/* ---- lint ---- */

CASE_WITH(lint_rows_say_what_is_and_what_should_be, stand_setup, stand_teardown)
{
	static const char *const keys[] = {
		"id", "result", "ports", "peer", "is", "should", "reason", "cure", NULL};
	struct stand *s = *state;
	const json_t *list, *row, *differs;
	json_t *root;
	size_t i;
	char *text, *at;

	stand_number(s, "leaf-r0-00:Ethernet4", ATTR_MTU, 0, 1500);
	stand_number(s, "node001:mlx5_0", ATTR_MTU, 0, 9000);
	stand_poll(s, 2);
	root = json_of(s, write_lint_json);
	assert_int_equal(number(root, "schema"), 1);
	assert_int_equal(number(json_object_get(root, "coverage"), "devices"), 16);
	list = json_object_get(root, "lint");
	json_array_foreach(list, i, row)
	{
		const char *result = word(row, "result");

		has_keys(row, keys);
		assert_true(str_eq(result, "ok") || str_eq(result, "differs") ||
			    str_eq(result, "unknown"));
		assert_true(finding_by_name(word(row, "id")) < FIND_COUNT);
	}
	differs = entry(list, "result", "differs");
	assert_non_null(differs);
	assert_string_equal(word(differs, "id"), "lint.mtu");
	assert_int_equal(number(differs, "ports"), 1);
	json_decref(root);
	text = text_of(s, write_lint_text);
	assert_non_null(strstr(text, ": 1 difference, "));
	/* Differences come first. */
	at = strstr(text, "\ndiffers ");
	assert_ptr_equal(at, strchr(text, '\n'));
	free(text);
}

/* ---- a disk that is full ---- */

CASE_WITH(what_cannot_be_written_is_an_error, stand_setup, stand_teardown)
{
	static written *const all[] = {write_findings_json, write_findings_text, write_trace_json,
		write_trace_text, write_lint_json, write_lint_text};
	struct stand *s = *state;

	storm(s);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		FILE *f = fopen("/dev/full", "w");
		struct err err = {0};

		assert_non_null(f);
		assert_false(all[i](s, f, &err));
		assert_int_equal(err.code, ERR_IO);
		(void)fclose(f);
	}
}

CASES_MAIN(NULL, NULL)
