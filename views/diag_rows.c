/* SPDX-License-Identifier: Apache-2.0 */
#include "views/diag_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "views/summary.h"

struct diag_rows *diag_rows_new(void)
{
	return mem_calloc(1, sizeof(struct diag_rows));
}

void diag_rows_free(struct diag_rows *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->faults.n; i++)
		wiring_fault_free(&d->faults.at[i]);
	for (size_t i = 0; i < d->jobs.n; i++)
		verdict_free(&d->jobs.at[i].verdict);
	if (d->traced)
		trace_free(&d->trace);
	vec_free(&d->roots.keys);
	vec_free(&d->acts.keys);
	vec_free(&d->folded);
	free(d->nets);
	if (d->units_of)
		units_free(&d->units);
	vec_free(&d->lint);
	vec_free(&d->lint_next);
	lint_end(d->lint_job);
	vec_free(&d->faults);
	vec_free(&d->wiring);
	vec_free(&d->heat);
	vec_free(&d->storm);
	vec_free(&d->storm_line);
	vec_free(&d->jobs);
	vec_free(&d->ranks);
	free(d);
}

struct diag_rows *diag_rows_of(const struct view_ctx *ctx)
{
	return ctx->cache ? summary_diag_rows(ctx->cache) : NULL;
}

/* Index of the key, or its insertion point. */
static size_t place_of(const struct fold_set *s, uint64_t key)
{
	size_t low = 0, high = s->keys.n;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (s->keys.at[mid] < key)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

bool fold_set_has(const struct fold_set *s, uint64_t key)
{
	size_t i = place_of(s, key);

	return s->all != (i < s->keys.n && s->keys.at[i] == key);
}

void fold_set_turn(struct fold_set *s, uint64_t key)
{
	size_t i = place_of(s, key);
	uint64_t *at;

	if (i < s->keys.n && s->keys.at[i] == key) {
		memmove(&s->keys.at[i], &s->keys.at[i + 1], (s->keys.n - i - 1) * sizeof(key));
		s->keys.n--;
		return;
	}
	vec_push(&s->keys, key);
	at = s->keys.at;
	memmove(&at[i + 1], &at[i], (s->keys.n - i - 1) * sizeof(key));
	at[i] = key;
}

void fold_set_turn_all(struct fold_set *s)
{
	s->all = !s->all;
	s->keys.n = 0;
}

int64_t comm_last_us(const struct comm *c)
{
	const struct op *op = comm_op(c, 0);
	int64_t last = op ? op->first_us : 0;

	for (int32_t r = 0; r < c->nranks; r++)
		for (unsigned f = 0; f < c->nfuncs && f < NCCL_FUNCS; f++)
			if (c->rank[r].count[f].grew_us > last)
				last = c->rank[r].count[f].grew_us;
	return last;
}
