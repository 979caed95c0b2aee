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
	vec_free(&d->unfolded);
	vec_free(&d->folded);
	vec_free(&d->lint);
	vec_free(&d->faults);
	vec_free(&d->wiring);
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

/* Index of the root among the unfolded, or where it belongs. */
static size_t place_of(const struct diag_rows *d, uint64_t root)
{
	size_t low = 0, high = d->unfolded.n;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (d->unfolded.at[mid] < root)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

bool findings_unfolded(const struct diag_rows *d, uint64_t root)
{
	size_t i = place_of(d, root);

	return d->all_unfolded != (i < d->unfolded.n && d->unfolded.at[i] == root);
}

void findings_fold(struct diag_rows *d, uint64_t root)
{
	size_t i = place_of(d, root);
	uint64_t *at;

	if (i < d->unfolded.n && d->unfolded.at[i] == root) {
		memmove(&d->unfolded.at[i], &d->unfolded.at[i + 1],
			(d->unfolded.n - i - 1) * sizeof(root));
		d->unfolded.n--;
		return;
	}
	vec_push(&d->unfolded, root);
	at = d->unfolded.at;
	memmove(&at[i + 1], &at[i], (d->unfolded.n - i - 1) * sizeof(root));
	at[i] = root;
}
