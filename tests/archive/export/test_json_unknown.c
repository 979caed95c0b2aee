/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers that are not known: every key of the contract stays, as null, and no text says "nan". */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <jansson.h>

#include "archive/export/findings.h"
#include "archive/export/snapshot.h"
#include "archive/export/ticket.h"
#include "base/json_out.h"
#include "base/str.h"
#include "diagnosis/engine/engine.h"
#include "fabric/model/cell_at.h"
#include "fabric/vocabulary/counters.h"
#include "tests/diagnosis/engine/stand.h"
#include "tests/support/cases.h"

/* ---- documents ---- */

static const struct bundle_about about = {
	.tool = "railtop", .user = "ann", .host = "bastion", .mode = "read-only", .ledger = ""};

static struct ticket ticket_of(const struct stand *s)
{
	return (struct ticket){.m = s->m,
		.d = s->d,
		.about = &about,
		.now_us = s->now_us,
		.id = "id",
		.file = "",
		.sha256 = ""};
}

/* A trace as it is where other causes were looked at and refuted. */
static bool write_trace(const struct stand *s, bool json, FILE *out, struct err *err)
{
	struct ref from = {.kind = REF_DEVICE, .device = stand_device(s, "node001")};
	struct trace t = {0};
	struct trace_alternative *a;
	bool ok;

	if (!trace_from(s->d, s->m, from, s->now_us, &t, err))
		return false;
	a = vec_add(&t.alternatives);
	*a = (struct trace_alternative){
		.at = at_port(0), .id = FIND_INCAST, .confidence = NAN, .why = "not full"};
	ok = json ? trace_json(s->m, s->d, &t, out, err) : trace_text(s->m, s->d, &t, out, err);
	trace_free(&t);
	return ok;
}

static bool write_ticket(const struct stand *s, int form, FILE *out, struct err *err)
{
	bool (*const forms[])(const struct ticket *, struct buf *, struct err *) = {
		ticket_json, ticket_text, ticket_markdown};
	struct ticket t = ticket_of(s);
	struct buf page;
	bool ok;

	buf_init(&page, 16 << 20);
	ok = forms[form](&t, &page, err) && fwrite(page.data, 1, page.len, out) == page.len;
	buf_free(&page);
	return ok;
}

enum document {
	FINDINGS_JSON,
	SNAPSHOT_JSON,
	TRACE_JSON,
	TICKET_JSON,
	FIRST_TEXT,
	FINDINGS_TEXT = FIRST_TEXT,
	SNAPSHOT_TEXT,
	TRACE_TEXT,
	TICKET_TEXT,
	TICKET_MARKDOWN,
	DOCUMENTS
};

static bool write_document(const struct stand *s, enum document which, FILE *out, struct err *err)
{
	switch (which) {
	case FINDINGS_JSON:
		return findings_json(s->m, s->d, s->now_us, out, err);
	case FINDINGS_TEXT:
		return findings_text(s->m, s->d, s->now_us, out, err);
	case SNAPSHOT_JSON:
		return snapshot_json(s->m, s->d, s->now_us, out, err);
	case SNAPSHOT_TEXT:
		return snapshot_text(s->m, s->d, s->now_us, out, err);
	case TRACE_JSON:
	case TRACE_TEXT:
		return write_trace(s, which == TRACE_JSON, out, err);
	case TICKET_JSON:
		return write_ticket(s, 0, out, err);
	case TICKET_TEXT:
		return write_ticket(s, 1, out, err);
	default:
		return write_ticket(s, 2, out, err);
	}
}

static char *document_of(const struct stand *s, enum document which)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	struct err err = {0};

	assert_non_null(f);
	if (!write_document(s, which, f, &err))
		fail_msg("document %d: %s", (int)which, err.text);
	assert_int_equal(fclose(f), 0);
	return text;
}

static json_t *json_of(const struct stand *s, enum document which)
{
	char *text = document_of(s, which);
	json_error_t error;
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);

	if (!root)
		fail_msg("document %d: %s in line %d", (int)which, error.text, error.line);
	free(text);
	return root;
}

/* ---- unknown values ---- */

static void storm(struct stand *s)
{
	stand_gauge(s, "leaf-r0-00:Ethernet4", CTR_QUEUE_DEPTH_BYTES, STAND_LOSSLESS, 1e6);
	stand_hold(s, "leaf-r0-00:Ethernet4", 100);
	stand_load(s, "leaf-r0-00:Ethernet4", 0);
	stand_hold(s, "node000:mlx5_0", 95);
	stand_hold(s, "node002:mlx5_0", 95);
	stand_poll(s, 4);
}

static void forget_finding(struct finding *f, double v)
{
	f->confidence = f->blame_gbps = f->rank = (float)v;
	for (size_t i = 0; i < f->evidence.n; i++)
		f->evidence.at[i].value = v;
	for (size_t i = 0; i < f->victims.n; i++)
		f->victims.at[i].percent = (float)v;
}

/* Sets every real number in the findings and in the devices' counters. */
static void forget_numbers(struct stand *s, double v)
{
	s->d->verdict.confidence = v;
	for (size_t i = 0; i < s->d->verdict.evidence.n; i++)
		s->d->verdict.evidence.at[i].value = v;
	for (size_t i = 0; i < s->d->order.n; i++)
		forget_finding((struct finding *)s->d->order.at[i], v);
	for (size_t i = 0; i < s->m->ports.n; i++)
		for (int id = 0; id < COUNTER_COUNT; id++)
			for (unsigned sub = 0; sub < counter_dim_size((enum counter_id)id); sub++) {
				struct cell *c = (struct cell *)cell_at(
					s->m->ports.at[i], (enum counter_id)id, sub);

				if (!c)
					continue;
				c->rate = (float)v;
				if (counter_info[id].kind == KIND_GAUGE)
					c->real = v;
			}
}

/* A list by number has the known entries only: priorities, lanes. */
static bool is_number(const char *key)
{
	return isdigit((unsigned char)key[0]);
}

static void expect_keys(const json_t *was, const json_t *is, const char *path)
{
	char deeper[400];
	const json_t *v;
	const char *key;
	size_t i;

	if (json_is_object(was)) {
		json_object_foreach((json_t *)was, key, v)
		{
			const json_t *now = json_object_get(is, key);

			if (!now && is_number(key))
				continue;
			(void)str_printf(deeper, sizeof(deeper), "%s.%s", path, key);
			if (!now)
				fail_msg("%s is not there any more", deeper);
			expect_keys(v, now, deeper);
		}
	} else if (json_is_array(was)) {
		if (json_array_size(was) != json_array_size(is))
			fail_msg("%s has %zu entries, it had %zu", path, json_array_size(is),
				json_array_size(was));
		json_array_foreach(was, i, v) expect_keys(v, json_array_get(is, i), path);
	}
}

CASE_WITH(test_keys_stay_when_nothing_is_known, stand_setup, stand_teardown)
{
	static const double unknown[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
	struct stand *s = *state;
	json_t *was[FIRST_TEXT];
	unsigned long losses = json_out_losses();

	storm(s);
	assert_true(s->d->order.n > 0);
	for (int d = 0; d < FIRST_TEXT; d++)
		was[d] = json_of(s, (enum document)d);
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
		forget_numbers(s, unknown[i]);
		for (int d = 0; d < FIRST_TEXT; d++) {
			json_t *is = json_of(s, (enum document)d);
			char name[24];

			(void)str_printf(name, sizeof(name), "document %d", d);
			expect_keys(was[d], is, name);
			json_decref(is);
		}
	}
	for (int d = 0; d < FIRST_TEXT; d++)
		json_decref(was[d]);
	assert_true(json_out_losses() == losses);
}

/* "nan" and "inf" as words: "instance" has one, and is none. */
static const char *find_word(const char *text, const char *what)
{
	size_t n = strlen(what);

	for (const char *p = text; *p; p++)
		if (strncasecmp(p, what, n) == 0 && !isalpha((unsigned char)p[n]) &&
			(p == text || !isalpha((unsigned char)p[-1])))
			return p;
	return NULL;
}

CASE_WITH(test_no_text_says_nan, stand_setup, stand_teardown)
{
	static const double unknown[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
	struct stand *s = *state;

	storm(s);
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
		forget_numbers(s, unknown[i]);
		for (int d = FIRST_TEXT; d < DOCUMENTS; d++) {
			char *text = document_of(s, (enum document)d);
			const char *at = find_word(text, "nan");

			at = at ? at : find_word(text, "inf");
			if (at)
				fail_msg("document %d: ...%.80s", d,
					at - text > 40 ? at - 40 : text);
			free(text);
		}
	}
}

CASE_WITH(test_refuted_alternatives_are_told, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	const json_t *list, *a;
	json_t *root;
	char *text;

	storm(s);
	root = json_of(s, TRACE_JSON);
	list = json_object_get(root, "alternatives");
	assert_true(json_is_array(list) && json_array_size(list) > 0);
	a = json_array_get(list, json_array_size(list) - 1);
	assert_string_equal(json_string_value(json_object_get(a, "class")), "congestion.incast");
	assert_true(json_is_null(json_object_get(a, "confidence")));
	assert_string_equal(json_string_value(json_object_get(a, "why")), "not full");
	json_decref(root);
	text = document_of(s, TRACE_TEXT);
	assert_non_null(strstr(text, "\n      - congestion.incast "));
	free(text);
}

/* ---- the writer itself ---- */

CASE(test_what_cannot_be_made_is_null_and_counted)
{
	unsigned long losses = json_out_losses();
	json_t *o = json_object(), *list = json_array();

	json_put(o, "number", json_number_or_null((double)NAN));
	assert_true(json_out_losses() == losses);
	json_put(o, "text", json_string("\xff"));
	json_append(list, json_string("\xff"));
	assert_true(json_out_losses() == losses + 2);
	assert_true(json_is_null(json_object_get(o, "number")));
	assert_true(json_is_null(json_object_get(o, "text")));
	assert_int_equal(json_array_size(list), 1);
	json_decref(o);
	json_decref(list);
}

/* A text that was cut to its buffer within a character costs neither its object nor its key. */
CASE_WITH(test_cut_characters, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	unsigned long losses = json_out_losses();
	const char *text, *fabric, *first;
	json_t *root;

	(void)str_copy(s->m->fabric, sizeof(s->m->fabric), "fabric-\xe2\x82");
	(void)str_copy(s->d->verdict.proof.at[0].text, sizeof(s->d->verdict.proof.at[0].text),
		"links down at caf\xc3");
	(void)str_copy(s->d->verdict.hint, sizeof(s->d->verdict.hint), "caf\xc3");
	root = json_of(s, FINDINGS_JSON);
	assert_int_equal(json_unpack(root, "{s:s, s:{s:s, s:[{s:s}]}}", "fabric", &fabric,
				 "verdict", "text", &text, "proof", "text", &first),
		0);
	assert_true(str_starts(fabric, "fabric-?"));
	assert_true(str_starts(first, "links down at caf?"));
	assert_true(json_out_losses() == losses);
	json_decref(root);
}

CASES_MAIN(NULL, NULL)
