/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "archive/export/clock_steps.h"
#include "archive/export/findings_private.h"
#include "archive/export/snapshot_private.h"
#include "archive/export/sandbox_json.h"
#include "base/json_out.h"
#include "base/str.h"
#include "diagnosis/evidence/recurrence.h"

static json_t *seconds_or_null(const struct model *m, int64_t us)
{
	return us > 0 ? json_number_or_null((double)model_wall(m, us) / 1e6) : json_null();
}

static json_t *evidence_json(const struct model *m, const struct evidence *e)
{
	json_t *o = json_object();

	place_into(o, m, e->at);
	json_put(o, "counter", json_text(e->what));
	json_put(o, "value",
		!isfinite(e->value) ? json_text_or_null(e->text) : json_number_or_null(e->value));
	json_put(o, "text", json_text_or_null(e->text));
	json_put(o, "unit", json_text_or_null(e->unit));
	json_put(o, "threshold", json_text_or_null(e->threshold));
	json_put(o, "source", json_text_or_null(e->source));
	json_put(o, "t", seconds_or_null(m, e->t_us));
	json_put(o, "against", json_boolean(e->against));
	return o;
}

static json_t *refuted_json(const struct model *m, const struct refuted *r)
{
	json_t *o =
		json_pack("{s:s, s:o}", "id", finding_info[r->id].name, "why", json_text(r->why));

	place_into(o, m, r->at);
	return o;
}

static json_t *victims_json(const struct model *m, const struct finding *f)
{
	json_t *worst = json_array();

	for (size_t i = 0; i < f->victims.n; i++) {
		json_t *o = json_pack("{s:o}", "held_percent",
			json_number_or_null((double)f->victims.at[i].percent));

		place_into(o, m, f->victims.at[i].at);
		json_append(worst, o);
	}
	return json_pack("{s:i, s:o}", "count", (int)f->nvictims, "worst", worst);
}

static json_t *next_json(const struct finding *f)
{
	const struct finding_info *info = &finding_info[f->id];
	json_t *list = json_array();
	char text[200];

	if (info->runbook[0]) {
		(void)str_printf(text, sizeof(text), "runbook:%s", info->runbook);
		json_append(list, json_text(text));
	}
	(void)str_printf(text, sizeof(text), "view:%s", info->view);
	json_append(list, json_text(text));
	if (f->command[0]) {
		(void)str_printf(text, sizeof(text), "command:%s", f->command);
		json_append(list, json_text(text));
	}
	return list;
}

static void put_lists(json_t *o, const struct model *m, const struct finding *f)
{
	json_t *evidence = json_array(), *refuted = json_array(), *members = json_array();

	for (size_t i = 0; i < f->evidence.n; i++)
		json_append(evidence, evidence_json(m, &f->evidence.at[i]));
	for (size_t i = 0; i < f->refuted.n; i++)
		json_append(refuted, refuted_json(m, &f->refuted.at[i]));
	for (size_t i = 0; i < f->members.n; i++)
		json_append(members, place_json(m, f->members.at[i]));
	json_put(o, "evidence", evidence);
	json_put(o, "refuted", refuted);
	json_put(o, "members", members);
	json_put(o, "victims", victims_json(m, f));
	json_put(o, "next", next_json(f));
}

static json_t *acknowledgement_json(const struct model *m, const struct finding *f)
{
	if (!f->acked_us)
		return json_null();
	return json_pack("{s:o, s:o, s:o, s:o}", "user", json_text(f->ack_user), "note",
		json_text(f->ack_note), "since", seconds_or_null(m, f->acked_us), "until",
		seconds_or_null(m, f->ack_until_us));
}

/* Roots only: each reads an hour of history. */
static json_t *recurrence_json(const struct model *m, const struct finding *f)
{
	struct recurrence r;

	if (f->root || !finding_recurrence(m, f, f->last_seen_us, &r))
		return json_null();
	return json_pack("{s:i, s:o, s:o, s:s}", "times", (int)r.bursts, "known_s",
		json_number_or_null(r.known_s), "period_s", json_number_or_null(r.period_s), "with",
		recurs_with_name(r.with));
}

json_t *finding_json(const struct model *m, const struct finding *f)
{
	char locator[256];
	json_t *o = json_object();

	finding_locator(m, f, locator, sizeof(locator));
	json_put(o, "id", json_string(finding_info[f->id].name));
	json_put(o, "key", json_text(locator));
	json_put(o, "severity", json_string(finding_severity_name(f->severity)));
	json_put(o, "confidence", json_number_or_null((double)f->confidence));
	place_into(o, m, f->at);
	json_put(o, "peer", place_json(m, f->peer));
	json_put(o, "role", json_string(finding_role_name(f->role)));
	json_put(o, "title", json_text(f->title));
	json_put(o, "onset", seconds_or_null(m, f->onset_us));
	json_put(o, "first_seen", seconds_or_null(m, f->first_seen_us));
	json_put(o, "last_seen", seconds_or_null(m, f->last_seen_us));
	json_put(o, "ended", seconds_or_null(m, finding_ended_us(f)));
	json_put(o, "gpus_blocked", json_integer(f->gpus_blocked));
	json_put(o, "gpus_slow", json_integer(f->gpus_slow));
	json_put(o, "blame_gbps", json_number_or_null((double)f->blame_gbps));
	json_put(o, "acknowledged", acknowledgement_json(m, f));
	json_put(o, "returns", recurrence_json(m, f));
	put_lists(o, m, f);
	return o;
}

json_t *findings_list(const struct model *m, const struct diag *d)
{
	json_t *list = json_array();
	const struct finding *const *f;
	size_t n = 0;

	f = d ? diag_findings(d, &n) : NULL;
	for (size_t i = 0; i < n; i++) {
		json_t *o = finding_json(m, f[i]);
		const struct finding *root = f[i]->root ? diag_finding(d, f[i]->root) : NULL;
		char locator[256];

		if (root)
			finding_locator(m, root, locator, sizeof(locator));
		json_put(o, "root", root ? json_text(locator) : json_null());
		json_append(list, o);
	}
	return list;
}

static json_t *proof_json(const struct proof *p)
{
	return json_pack("{s:o, s:b, s:b, s:o}", "text", json_text(p->text), "ok",
		(int)(p->ok && p->checked), "checked", (int)p->checked, "cure",
		json_text_or_null(p->cure));
}

json_t *verdict_json(const struct model *m, const struct verdict_report *v, int64_t now_us)
{
	json_t *evidence = json_array(), *proof = json_array(), *o = json_object();
	char line[VERDICT_SENTENCE];

	for (size_t i = 0; i < v->evidence.n; i++)
		json_append(evidence, evidence_json(m, &v->evidence.at[i]));
	for (size_t i = 0; i < v->proof.n; i++)
		json_append(proof, proof_json(&v->proof.at[i]));
	verdict_sentence(v, m, now_us, line, sizeof(line));
	json_put(o, "verdict", json_string(verdict_name(v->verdict)));
	json_put(o, "state", json_string(fabric_state_name(v->state)));
	json_put(o, "text", json_text_or_null(line));
	json_put(o, "since", seconds_or_null(m, v->since_us));
	json_put(o, "trouble", json_boolean(v->trouble));
	json_put(o, "fabric_clean", json_boolean(v->fabric_clean));
	json_put(o, "confidence", json_number_or_null(v->confidence));
	json_put(o, "hint", json_text_or_null(v->hint));
	json_put(o, "ports_paused", json_integer(v->paused));
	json_put(o, "jobs_stalled", json_integer(v->stalled));
	json_put(o, "evidence", evidence);
	json_put(o, "proof", proof);
	return o;
}

bool export_json(json_t *root, const char *what, FILE *out, struct err *err)
{
	bool ok;

	sandbox_json_put(root);
	ok = root && json_dumpf(root, out, JSON_INDENT(1)) == 0 && fputc('\n', out) != EOF &&
	     fflush(out) == 0;

	json_decref(root);
	return ok || err_system(err, ERR_IO, what, "cannot be written", errno);
}

bool findings_json(
	const struct model *m, const struct diag *d, int64_t now_us, FILE *out, struct err *err)
{
	json_t *root = json_pack("{s:i, s:o, s:o, s:o, s:o, s:o}", "schema", 1, "fabric",
		json_text(m->fabric), "time",
		json_number_or_null((double)model_wall(m, now_us) / 1e6), "coverage",
		coverage_json(m), "verdict", verdict_json(m, diag_verdict(d), now_us), "findings",
		findings_list(m, d));

	json_put(root, "clock_steps", clock_steps_json(m, 0, now_us));
	return export_json(root, "findings", out, err);
}
