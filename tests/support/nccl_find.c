/* SPDX-License-Identifier: Apache-2.0 */
#include "base/str.h"
#include "tests/support/cases.h"
#include "tests/support/nccl_find.h"

const struct obs_nccl *nccl_nth(const struct obs *o, enum nccl_kind kind, size_t n)
{
	for (size_t i = 0; i < o->nccl.n; i++)
		if (o->nccl.at[i].kind == kind && n-- == 0)
			return &o->nccl.at[i];
	fail_msg("there are not so many records of kind %d", (int)kind);
	return NULL;
}

size_t nccl_records(const struct obs *o, enum nccl_kind kind)
{
	size_t n = 0;

	for (size_t i = 0; i < o->nccl.n; i++)
		n += o->nccl.at[i].kind == kind;
	return n;
}

const struct obs_nccl *nccl_of_rank(
	const struct obs *o, enum nccl_kind kind, int32_t rank, const char *func)
{
	for (size_t i = 0; i < o->nccl.n; i++) {
		const struct obs_nccl *r = &o->nccl.at[i];

		if (r->kind == kind && r->rank == rank &&
			(!func || str_eq(obs_text(o, r->func), func)))
			return r;
	}
	return NULL;
}

int64_t nccl_launched(const struct obs *o, int32_t rank, const char *func)
{
	const struct obs_nccl *r = nccl_of_rank(o, NCCL_COUNT, rank, func);

	return r ? r->seq : -2;
}
