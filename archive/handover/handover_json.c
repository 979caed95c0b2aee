/* SPDX-License-Identifier: Apache-2.0 */
#include <jansson.h>

#include "archive/export/findings_private.h"
#include "archive/export/snapshot_private.h"
#include "archive/handover/handover.h"
#include "base/json_out.h"
#include "base/str.h"

static json_t *acknowledgement(const struct handover_finding *f)
{
	if (!f->acked_us)
		return json_null();
	return json_pack("{s:o, s:o, s:o, s:o}", "user", json_text_or_null(f->ack_user), "note",
		json_text_or_null(f->ack_note), "since", json_wall_or_null(f->acked_us), "until",
		json_wall_or_null(f->ack_until_us));
}

static json_t *item_json(const struct handover_finding *f)
{
	json_t *o = json_object();

	json_put(o, "key", json_text(f->key));
	json_put(o, "id", json_text(f->id));
	json_put(o, "place", json_text(f->place));
	json_put(o, "title", json_text(f->title));
	json_put(o, "severity", json_string(finding_severity_name(f->severity)));
	json_put(o, "role", json_string(finding_role_name(f->role)));
	json_put(o, "root", json_boolean(f->is_root));
	json_put(o, "opened", json_wall_or_null(f->opened_us));
	json_put(o, "closed", json_wall_or_null(f->closed_us));
	json_put(o, "state",
		json_string(f->closed_us              ? "closed"
			    : f->unended || f->silent ? "unknown"
						      : "open"));
	json_put(o, "watch", json_boolean(handover_is_watched(f)));
	json_put(o, "acknowledged", acknowledgement(f));
	json_put(o, "runbook", json_text_or_null(f->runbook));
	json_put(o, "gpus_blocked", json_integer(f->gpus_blocked));
	json_put(o, "gpus_slow", json_integer(f->gpus_slow));
	json_put(o, "victims", json_integer(f->victims));
	return o;
}

static json_t *repeats_json(const struct handover *h)
{
	json_t *list = json_array();

	for (size_t i = 0; i < h->repeats.n; i++) {
		const struct handover_repeat *r = &h->repeats.at[i];
		json_t *o = json_object();

		json_put(o, "place", json_text(r->place));
		json_put(o, "id", json_text(r->id));
		json_put(o, "times", json_integer(r->times));
		json_put(o, "first", json_wall_or_null(r->first_us));
		json_put(o, "last", json_wall_or_null(r->last_us));
		json_put(o, "lasted_s", json_number_or_null((double)r->lasted_us / 1e6));
		json_put(o, "gpus_blocked", json_integer(r->gpus_blocked));
		json_append(list, o);
	}
	return list;
}

static json_t *change_json(const struct handover_change *c)
{
	json_t *o = json_object();

	json_put(o, "time", json_wall_or_null(c->t_us));
	json_put(o, "source", json_string(c->by_railtop ? "ledger" : "seen"));
	json_put(o, "user", json_text_or_null(c->user));
	json_put(o, "place", json_text_or_null(c->place));
	json_put(o, "what", json_text(c->what));
	json_put(o, "text", json_text_or_null(c->text));
	json_put(o, "incident", json_text_or_null(c->incident));
	return o;
}

static json_t *names_json(char *const *names, size_t n)
{
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++)
		json_append(list, json_text(names[i]));
	return list;
}

bool handover_json(const struct handover *h, FILE *out, struct err *err)
{
	json_t *root = json_object(), *findings = json_array(), *changes = json_array(),
	       *gaps = json_array();

	for (size_t i = 0; i < h->findings.n; i++)
		json_append(findings, item_json(&h->findings.at[i]));
	for (size_t i = 0; i < h->changes.n; i++)
		json_append(changes, change_json(&h->changes.at[i]));
	for (size_t i = 0; i < h->gaps.n; i++)
		json_append(gaps, json_pack("{s:o, s:o, s:o}", "from",
					  json_wall_or_null(h->gaps.at[i].from_us), "to",
					  json_wall_or_null(h->gaps.at[i].to_us), "why",
					  json_text_or_null(h->gaps.at[i].why)));
	json_put(root, "schema", json_integer(HANDOVER_SCHEMA));
	json_put(root, "fabric", json_text_or_null(h->fabric));
	json_put(root, "from", json_wall_or_null(h->from_us));
	json_put(root, "to", json_wall_or_null(h->to_us));
	json_put(root, "recorded_to", json_wall_or_null(h->latest_us));
	json_put(root, "state",
		json_string(fabric_state_name(h->latest_us ? h->state : FABRIC_UNKNOWN)));
	json_put(root, "verdict", json_text_or_null(h->verdict));
	json_put(root, "coverage", json_text_or_null(h->coverage));
	json_put(root, "findings", findings);
	json_put(root, "repeats", repeats_json(h));
	json_put(root, "changes", changes);
	json_put(root, "ledger_read", json_boolean(h->has_ledger));
	json_put(root, "unread_devices", names_json(h->unread.at, h->unread.n));
	json_put(root, "not_recorded", gaps);
	json_put(root, "left_out", json_integer((json_int_t)h->left_out));
	json_put(root, "files", names_json(h->files.at, h->files.n));
	return export_json(root, "handover", out, err);
}
