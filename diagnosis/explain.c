/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "diagnosis/engine.h"

/* Log-odds: what is known before, and each family of signals once, saturated. */
static float confidence(const struct finding *f)
{
	double prior = finding_info[f->id].prior, sum;

	if (prior <= 0)
		prior = 0.5;
	sum = log(prior / (1 - prior));
	for (int i = 0; i < SIGNAL_COUNT; i++)
		sum += (double)f->signal[i];
	return (float)(1 / (1 + exp(-sum)));
}

static int before(const void *a, const void *b)
{
	const struct finding *x = *(const struct finding *const *)a,
			     *y = *(const struct finding *const *)b;

	if (x->role != y->role)
		return x->role < y->role ? -1 : 1;
	if (x->severity != y->severity)
		return x->severity > y->severity ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank > y->rank ? -1 : 1;
	return x->key < y->key ? -1 : x->key > y->key;
}

void engine_explain(struct diag *d, const struct model *m, int64_t now_us)
{
	struct record *r, *next;

	(void)m, (void)now_us;
	d->order.n = 0;
	HASH_ITER (hh, d->known, r, next) {
		if (!r->f.open)
			continue;
		r->f.confidence = confidence(&r->f);
		r->f.rank = r->f.confidence;
		vec_push(&d->order, &r->f);
	}
	if (d->order.n)
		qsort(d->order.at, d->order.n, sizeof(*d->order.at), before);
}
