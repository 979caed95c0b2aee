/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "app/output/rows.h"
#include "base/str.h"

bool rows_ref(const struct rows_page *p, struct ref row, char *dst, size_t size)
{
	const struct view_ctx *ctx = p->ctx;
	const struct finding *f;

	if ((row.kind == REF_ROW || row.kind == REF_EVENT) && p->view->about)
		row = p->view->about(ctx, row);
	if (row.kind == REF_FINDING && ctx->diag) {
		f = diag_finding(ctx->diag, row.seq);
		if (f)
			finding_locator(ctx->model, f, dst, size);
		return f != NULL;
	}
	return row.kind != REF_NONE && row.kind != REF_EVENT &&
	       ref_format(ctx->model, row, dst, size);
}

/* "link.flapping leaf-r3-00:Ethernet12". The name alone means the likeliest finding of its kind. */
static bool parse_finding(
	const struct model *m, const struct diag *d, const char *text, struct ref *out)
{
	const struct finding *const *all;
	char locator[240];
	size_t n = 0;

	if (!d)
		return false;
	all = diag_findings(d, &n);
	for (size_t i = 0; i < n; i++) {
		finding_locator(m, all[i], locator, sizeof(locator));
		if (!str_eq(locator, text) && !str_eq(finding_info[all[i]->id].name, text))
			continue;
		*out = (struct ref){.kind = REF_FINDING, .seq = all[i]->key};
		return true;
	}
	return false;
}

bool place_parse(const struct model *m, const struct diag *d, const char *text, struct ref *out,
	struct err *err)
{
	return parse_finding(m, d, text, out) || ref_parse(m, text, out, err);
}

/* An object in a port may mean the port, and a port may mean its device. */
static bool accept_place(const struct model *m, const struct view_ops *v, struct ref *r)
{
	const struct port *p = ref_port(m, *r);

	if (view_takes(v, r->kind) || (r->kind == REF_FABRIC && view_is_whole(v)))
		return true;
	if (!p || !(view_takes(v, REF_PORT) || view_takes(v, REF_DEVICE)))
		return false;
	*r = view_takes(v, REF_PORT) ? (struct ref){.kind = REF_PORT, .port = p->id}
				     : (struct ref){.kind = REF_DEVICE, .device = p->device};
	return true;
}

#define WHOLE "the whole fabric only"

static const char *kind_word(const struct view_ops *v)
{
	static const struct {
		enum ref_kind kind;
		const char *word;
	} words[] = {{REF_RAIL, "a rail, such as 3"}, {REF_DEVICE, "a device, such as leaf-r3-00"},
		{REF_PORT, "a port, such as leaf-r3-00:Ethernet12"},
		{REF_PRIORITY, "a priority, such as leaf-r3-00:Ethernet12/3"},
		{REF_FINDING, "a finding, such as \"link.flapping leaf-r3-00:Ethernet12\""},
		{REF_JOB, "a job, by its name"}, {REF_RANK, "a rank, such as pretrain/19"}};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (view_takes(v, words[i].kind))
			return words[i].word;
	return WHOLE;
}

bool rows_place_given(const struct view_ops *v, const char *text, struct err *err)
{
	const char *word = kind_word(v);

	if (*text && str_eq(word, WHOLE) && !str_eq(text, "cluster")) {
		err_set(err, ERR_USAGE, "", "%s does not show %s", v->name, text);
		return err_cure(err, "it shows %s", word);
	}
	if (*text || view_is_whole(v))
		return true;
	err_set(err, ERR_USAGE, "", "%s: a place is missing", v->name);
	return err_cure(err, "it shows %s", kind_word(v));
}

/* Ports of a switch are not listed as NICs, nor the reverse. */
static bool fits_tier(
	const struct model *m, const struct view_ops *v, struct ref r, struct err *err)
{
	const struct view_ops *other = view_fitting(m, v, r);
	const struct device *d = ref_device(m, r);

	/* Without an inventory the tier is a guess. */
	if (!d || !d->planned || other == v)
		return true;
	err_set(err, ERR_USAGE, d->name, "is not for the view %s: it is a %s", v->name,
		model_tier_word(m, d->tier));
	return err_cure(err, "railtop rows %s %s", other->name, d->name);
}

bool rows_place(const struct model *m, const struct diag *d, const struct view_ops *v,
	const char *text, struct ref *out, struct err *err)
{
	static const char *const before[] = {"rail", "job", "rank"};
	struct err first = {0};
	char word[256];

	if (!*text) {
		*out = (struct ref){.kind = REF_FABRIC};
		return rows_place_given(v, text, err);
	}
	if (parse_finding(m, d, text, out) && view_takes(v, REF_FINDING))
		return true;
	if (ref_parse(m, text, out, &first) && accept_place(m, v, out))
		return fits_tier(m, v, *out, err);
	for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++) {
		struct err mine = {0};

		(void)str_printf(word, sizeof(word), "%s %s", before[i], text);
		if (ref_parse(m, word, out, &mine) && accept_place(m, v, out))
			return true;
		/* A number is no rail there, so that the rails are no answer. */
		if (str_eq(before[i], "rank") && view_takes(v, REF_RANK) &&
			strspn(text, "0123456789") == strlen(text))
			first = mine;
	}
	if (first.code != ERR_NONE) {
		if (err)
			*err = first;
		return false;
	}
	err_set(err, ERR_USAGE, "", "%s does not show %s", v->name, text);
	return err_cure(err, "it shows %s", kind_word(v));
}
