/* SPDX-License-Identifier: Apache-2.0 */
#include <jansson.h>
#include <string.h>

#include "archive/notice/book.h"
#include "base/json_out.h"
#include "base/str.h"

/* The file of a book. Its form is railtop's own; "schema" says which. No secret is in it. */

#define SCHEMA 1

static const char *const state_names[] = {"waiting", "firing", "resolved"};

static json_t *devices_json(const struct notice *n)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < n->ndevices; i++)
		json_append(list, json_text(n->devices[i]));
	return list;
}

static json_t *entry_json(const struct book_entry *e)
{
	const struct notice *n = &e->n;
	json_t *o = json_object();

	json_put(o, "key", json_text(n->key));
	json_put(o, "state", json_string(state_names[e->state]));
	json_put(o, "sending", json_string(message_kind_name(e->sending)));
	json_put(o, "id", json_text(n->id));
	json_put(o, "place", json_text(n->place));
	json_put(o, "peer", json_text(n->peer));
	json_put(o, "device", json_text(n->device));
	json_put(o, "port", json_text(n->port));
	json_put(o, "title", json_text(n->title));
	json_put(o, "runbook", json_text(n->runbook));
	json_put(o, "command", json_text(n->command));
	json_put(o, "role", json_text(n->role));
	json_put(o, "severity", json_integer(n->severity));
	json_put(o, "told_severity", json_integer(e->told_severity));
	json_put(o, "acknowledged", json_boolean(e->told_ack));
	json_put(o, "members", json_integer(n->members));
	json_put(o, "devices", devices_json(n));
	json_put(o, "every", json_boolean(n->every));
	json_put(o, "onset_us", json_integer(n->onset_us));
	json_put(o, "opened_us", json_integer(n->opened_us));
	json_put(o, "seen_us", json_integer(e->seen_us));
	json_put(o, "told_us", json_integer(e->told_us));
	json_put(o, "resolved_us", json_integer(e->resolved_us));
	json_put(o, "refusals", json_integer(e->refusals));
	return o;
}

bool book_save(const struct book *b, struct buf *out, struct err *err)
{
	json_t *entries = json_array(), *triggers = json_array(), *root;

	for (size_t i = 0; i < b->at.n; i++)
		json_append(entries, entry_json(&b->at.at[i]));
	for (size_t i = 0; i < b->triggers.n; i++)
		json_append(triggers, json_integer(b->triggers.at[i]));
	root = json_pack("{s:i, s:o, s:o, s:I}", "schema", SCHEMA, "entries", entries, "triggers",
		triggers, "missed", (json_int_t)b->missed);
	return json_into(root, "notify", out, err);
}

/* ---- loading: the file may be cut or edited ---- */

static void text_of(const json_t *o, const char *key, char *dst, size_t size)
{
	const char *s = json_string_value(json_object_get(o, key));

	if (s)
		(void)str_sanitise(dst, size, s, strlen(s));
}

static int64_t number_of(const json_t *o, const char *key, int64_t least, int64_t most)
{
	json_int_t v = json_integer_value(json_object_get(o, key));

	return v < least ? least : v > most ? most : (int64_t)v;
}

static unsigned word_of(const json_t *o, const char *key, const char *const *words, unsigned n)
{
	const char *s = json_string_value(json_object_get(o, key));

	for (unsigned i = 0; s && i < n; i++)
		if (str_eq(words[i], s))
			return i;
	return 0;
}

static enum message_kind kind_of(const json_t *o)
{
	const char *s = json_string_value(json_object_get(o, "sending"));

	for (unsigned k = 0; s && k < MESSAGE_KINDS; k++)
		if (str_eq(message_kind_name((enum message_kind)k), s))
			return (enum message_kind)k;
	return MESSAGE_NONE;
}

static void load_notice(struct notice *n, const json_t *o)
{
	const json_t *list = json_object_get(o, "devices");

	text_of(o, "id", n->id, sizeof(n->id));
	text_of(o, "place", n->place, sizeof(n->place));
	text_of(o, "peer", n->peer, sizeof(n->peer));
	text_of(o, "device", n->device, sizeof(n->device));
	text_of(o, "port", n->port, sizeof(n->port));
	text_of(o, "title", n->title, sizeof(n->title));
	text_of(o, "runbook", n->runbook, sizeof(n->runbook));
	text_of(o, "command", n->command, sizeof(n->command));
	text_of(o, "role", n->role, sizeof(n->role));
	n->severity = (enum severity)number_of(o, "severity", SEV_UNKNOWN, SEV_CRIT);
	n->members = (unsigned)number_of(o, "members", 1, 1000000);
	n->onset_us = number_of(o, "onset_us", 0, INT64_MAX);
	n->opened_us = number_of(o, "opened_us", 0, INT64_MAX);
	/* Without devices, all of them must be heard before its end is told. */
	n->every = json_is_true(json_object_get(o, "every"));
	for (size_t i = 0; i < json_array_size(list) && n->ndevices < NOTICE_DEVICES; i++) {
		const char *name = json_string_value(json_array_get(list, i));

		if (name && str_copy(n->devices[n->ndevices], NAME_MAX_LEN, name))
			n->ndevices++;
	}
	n->every |= !n->ndevices;
}

static void load_entry(struct book *b, const json_t *o)
{
	struct book_entry *e;
	char key[NOTICE_KEY] = "";

	text_of(o, "key", key, sizeof(key));
	if (!key[0] || b->at.n >= BOOK_MOST)
		return;
	e = vec_add(&b->at);
	memset(e, 0, sizeof(*e));
	(void)str_copy(e->n.key, sizeof(e->n.key), key);
	load_notice(&e->n, o);
	e->state = (enum book_state)word_of(o, "state", state_names, 3);
	/* Of a trigger only: all other messages may be sent twice. */
	e->sending = e->state == BOOK_WAITING ? kind_of(o) : MESSAGE_NONE;
	e->told_severity = (enum severity)number_of(o, "told_severity", SEV_UNKNOWN, SEV_CRIT);
	e->told_ack = json_is_true(json_object_get(o, "acknowledged"));
	e->n.acked = e->told_ack;
	e->seen_us = number_of(o, "seen_us", 0, INT64_MAX);
	e->told_us = number_of(o, "told_us", 0, INT64_MAX);
	e->resolved_us = number_of(o, "resolved_us", 0, INT64_MAX);
	e->refusals = (unsigned)number_of(o, "refusals", 0, 1000);
}

bool book_load(struct book *b, const char *text, size_t len, struct err *err)
{
	json_error_t at;
	json_t *root = json_loadb(text, len, JSON_REJECT_DUPLICATES, &at);
	const json_t *list = json_object_get(root, "entries");
	bool ok = json_is_array(list) &&
		  json_integer_value(json_object_get(root, "schema")) == SCHEMA;

	memset(b, 0, sizeof(*b));
	for (size_t i = 0; ok && i < json_array_size(list); i++)
		load_entry(b, json_array_get(list, i));
	list = json_object_get(root, "triggers");
	for (size_t i = 0; ok && i < json_array_size(list) && i < 10000; i++)
		vec_push(&b->triggers, json_integer_value(json_array_get(list, i)));
	if (ok)
		b->missed = (uint64_t)number_of(root, "missed", 0, INT64_MAX);
	json_decref(root);
	return ok || err_set(err, ERR_CONFIG, "notify", "is no book of messages of this railtop");
}
