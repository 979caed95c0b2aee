/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "archive/export/findings_private.h"
#include "archive/export/snapshot_private.h"
#include "base/json_out.h"
#include "base/str.h"

static json_t *hop_json(const struct model *m, const struct hop *h)
{
	json_t *o = json_pack(
		"{s:s, s:s}", "step", hop_step_name(h->step), "state", hop_state_name(h->state));

	place_into(o, m, h->at);
	if (h->place[0])
		json_put(o, "place", json_text(h->place));
	json_put(o, "number", json_text_or_null(h->number));
	json_put(o, "why", json_text_or_null(h->why));
	json_put(o, "learned", json_text_or_null(h->learned));
	return o;
}

static json_t *culprit_json(const struct model *m, const struct trace *t)
{
	json_t *o;

	if (t->id == FIND_COUNT || t->culprit.kind == REF_NONE)
		return json_null();
	o = json_pack("{s:s}", "class", finding_info[t->id].name);
	place_into(o, m, t->culprit);
	return o;
}

static json_t *alternative_json(const struct model *m, const struct trace_alternative *a)
{
	json_t *o = json_pack("{s:s, s:o, s:o}", "class", finding_info[a->id].name, "confidence",
		json_number_or_null((double)a->confidence), "why", json_text(a->why));

	place_into(o, m, a->at);
	return o;
}

bool trace_json(const struct model *m, const struct diag *d, const struct trace *t, FILE *out,
	struct err *err)
{
	json_t *chain = json_array(), *alternatives = json_array(), *root;
	const struct finding *f = t->finding ? diag_finding(d, t->finding) : NULL;

	for (size_t i = 0; i < t->chain.n; i++)
		json_append(chain, hop_json(m, &t->chain.at[i]));
	for (size_t i = 0; i < t->alternatives.n; i++)
		json_append(alternatives, alternative_json(m, &t->alternatives.at[i]));
	root = json_pack("{s:i, s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o}", "schema", 1,
		"fabric", json_text(m->fabric), "rank",
		t->rank >= 0 ? json_integer(t->rank) : json_null(), "job",
		t->job < m->nccl->jobs.n ? json_text(m->nccl->jobs.at[t->job]->name) : json_null(),
		"verdict", verdict_name(t->verdict), "confidence",
		json_number_or_null(t->confidence), "summary", json_text(t->summary), "culprit",
		culprit_json(m, t), "chain", chain, "alternatives", alternatives);
	if (root)
		json_put(root, "finding", f ? finding_json(m, f) : json_null());
	return export_json(root, "trace", out, err);
}

static void hop_line(const struct model *m, const struct hop *h, FILE *out)
{
	char place[160] = "";

	(void)ref_format(m, h->at, place, sizeof(place));
	if (h->place[0])
		(void)str_copy(place, sizeof(place), h->place);
	(void)fprintf(out, "%s %-10s %-8s %-28s %-14s %s%s%s%s\n",
		h->state == HOP_CULPRIT ? ">>" : "  ", hop_step_name(h->step),
		hop_state_name(h->state), place[0] ? place : "-", h->number, h->why,
		h->learned[0] ? "  [" : "", h->learned, h->learned[0] ? "]" : "");
}

bool trace_text(const struct model *m, const struct diag *d, const struct trace *t, FILE *out,
	struct err *err)
{
	char place[160] = "", sure[16] = "";

	(void)d;
	(void)ref_format(m, t->from, place, sizeof(place));
	if (isfinite(t->confidence) && t->confidence > 0)
		(void)str_printf(sure, sizeof(sure), " (%.0f%%)", t->confidence * 100);
	(void)fprintf(out, "%s: %s%s\n%s\n\n", place, verdict_name(t->verdict), sure, t->summary);
	for (size_t i = 0; i < t->chain.n; i++)
		hop_line(m, &t->chain.at[i], out);
	if (t->alternatives.n)
		(void)fprintf(out, "\nalternatives:\n");
	for (size_t i = 0; i < t->alternatives.n; i++) {
		const struct trace_alternative *a = &t->alternatives.at[i];

		place[0] = '\0';
		(void)ref_format(m, a->at, place, sizeof(place));
		(void)fprintf(out, "   %4s %-24s %-28s %s\n",
			str_share((double)a->confidence, "%", sure, sizeof(sure)),
			finding_info[a->id].name, place, a->why);
	}
	return (fflush(out) == 0 && !ferror(out)) ||
	       err_system(err, ERR_IO, "trace", "cannot be written", errno);
}
