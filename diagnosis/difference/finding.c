/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "diagnosis/difference/difference_internal.h"

/* A finding by its name and place: the ids of ports differ between two models. */
struct named {
	char name[240];
	const struct finding *f;
};
typedef VEC(struct named) named_vec;

static int compare_name(const void *a, const void *b)
{
	return strcmp(((const struct named *)a)->name, ((const struct named *)b)->name);
}

static void open_ones(const struct moment *t, named_vec *out)
{
	size_t n = 0;
	const struct finding *const *f = diag_findings(t->d, &n);

	for (size_t i = 0; i < n; i++) {
		struct named *k = vec_add(out);

		finding_locator(t->m, f[i], k->name, sizeof(k->name));
		k->f = f[i];
	}
	if (out->n)
		qsort(out->at, out->n, sizeof(*out->at), compare_name);
}

static void note_end(struct differ *x, const struct model *m, struct ref at)
{
	const struct port *p = ref_port(m, at);

	if (!p || x->nculprits == CULPRITS_MAX)
		return;
	(void)ref_format(m, (struct ref){.kind = REF_PORT, .port = p->id},
		x->culprits[x->nculprits++], sizeof(x->culprits[0]));
}

/* Marks the newest difference as that of a culprit, and remembers both ends. */
static void note_cause(struct differ *x, const struct model *m, const struct finding *f)
{
	if (f->role != ROLE_CULPRIT || !x->out->n)
		return;
	x->out->at[x->out->n - 1].cause = 2;
	note_end(x, m, f->at);
	note_end(x, m, f->peer);
}

static void add_opened(struct differ *x, const struct finding *f)
{
	differ_at(x, f->at);
	(void)differ_texts(x, DIFF_FINDING, f->severity, finding_info[f->id].name, NULL, f->title);
	note_cause(x, x->b->m, f);
}

static void add_closed(struct differ *x, const struct finding *f)
{
	struct difference *d;
	struct ref at;

	differ_gone(x, f->at);
	d = differ_texts(x, DIFF_FINDING, f->severity, finding_info[f->id].name, f->title, NULL);
	differ_better(d);
	/* The finding is closed, but its object still exists. */
	if (ref_parse(x->b->m, d->place, &at, NULL))
		d->at = at;
	note_cause(x, x->a->m, f);
}

static void add_changed(struct differ *x, const struct finding *a, const struct finding *b)
{
	struct difference *d;

	if (a->severity == b->severity)
		return;
	differ_at(x, b->at);
	d = differ_texts(x, DIFF_FINDING, b->severity, finding_info[b->id].name,
		severity_name(a->severity), severity_name(b->severity));
	d->better = b->severity < a->severity;
	note_cause(x, x->b->m, b);
}

void differ_findings(struct differ *x)
{
	named_vec a = {0}, b = {0};
	size_t i = 0, k = 0;

	if (!x->a->d || !x->b->d)
		return;
	open_ones(x->a, &a);
	open_ones(x->b, &b);
	while (i < a.n || k < b.n) {
		int c = i == a.n ? 1 : k == b.n ? -1 : strcmp(a.at[i].name, b.at[k].name);

		if (c < 0) {
			add_closed(x, a.at[i++].f);
		} else if (c > 0) {
			add_opened(x, b.at[k++].f);
		} else {
			add_changed(x, a.at[i++].f, b.at[k++].f);
		}
	}
	vec_free(&a);
	vec_free(&b);
}
