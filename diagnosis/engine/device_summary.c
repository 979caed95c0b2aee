/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Data kept per device, so that the cost of a run depends on the changes: the detectors' digests
 * and that of the verdict's proof. None of it is state: it follows from the model, the windows and
 * the time, and is rebuilt after loading.
 */
#include "base/clock.h"
#include "diagnosis/engine/engine.h"

static bool all_due(const struct diag *d, const struct model *m)
{
	const struct digests *g = &d->digests;

	return g->always || g->wiring != m->wiring_generation || g->ports != m->ports.n ||
	       d->run_us < g->at_us;
}

void engine_digest_begin(struct diag *d, const struct model *m)
{
	struct digests *g = &d->digests;
	bool all = all_due(d, m);

	while (g->until_us.n < m->devices.n) {
		vec_push(&g->until_us, INT64_MIN);
		(void)vec_add(&g->proofs);
	}
	for (size_t i = 0; i < d->judging.n; i++)
		g->until_us.at[d->judging.at[i]] = INT64_MIN;
	g->due.n = g->at = 0;
	for (uint32_t i = 0; i < m->devices.n; i++) {
		if (all)
			g->until_us.at[i] = INT64_MIN;
		if (d->run_us > g->until_us.at[i])
			vec_push(&g->due, i);
	}
	g->wiring = m->wiring_generation;
	g->ports = m->ports.n;
	g->at_us = d->run_us;
}

static void digest_device(struct diag *d, const struct model *m, uint32_t device)
{
	const struct device *dev = m->devices.at[device];
	int64_t until = windows_until(d->windows, dev), one;

	for (size_t i = 0; i < d->ndetectors; i++) {
		struct diag_run r = engine_run_of(d, m, (uint32_t)i, d->run_us);

		one = d->table[i]->digest ? d->table[i]->digest(&r, dev) : INT64_MAX;
		until = one < until ? one : until;
	}
	one = verdict_digest(&d->digests.proofs.at[device], d, m, dev, d->run_us);
	d->digests.until_us.at[device] = one < until ? one : until;
}

bool engine_digest_some(struct diag *d, const struct model *m)
{
	struct digests *g = &d->digests;
	size_t ports = 0;

	while (g->at < g->due.n && ports < d->at_once) {
		ports += 1 + m->devices.at[g->due.at[g->at]]->ports.n;
		digest_device(d, m, g->due.at[g->at++]);
	}
	return g->at == g->due.n;
}

const struct proof_tally *engine_proof(
	const struct diag *d, const struct model *m, uint32_t device, int64_t now_us)
{
	const struct digests *g = &d->digests;

	if (device >= g->until_us.n || g->wiring != m->wiring_generation ||
		g->ports != m->ports.n || now_us < g->at_us || now_us > g->until_us.at[device] ||
		(device < d->is_changed.n && d->is_changed.at[device]))
		return NULL;
	return &g->proofs.at[device];
}

void engine_digest_free(struct diag *d)
{
	vec_free(&d->digests.until_us);
	vec_free(&d->digests.due);
	vec_free(&d->digests.proofs);
}
