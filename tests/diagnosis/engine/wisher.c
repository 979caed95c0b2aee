/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/diagnosis/engine/wisher.h"

#include <stdio.h>

#include "base/str.h"
#include "diagnosis/engine/engine.h"
#include "tests/support/cases.h"

#define WISHES 8

struct wishes {
	struct wished at[WISHES];
	unsigned n;
};

static void run(struct diag_run *r)
{
	const struct wishes *w = *r->memory;

	for (unsigned i = 0; i < w->n; i++) {
		const struct wished *one = &w->at[i];
		struct finding *f = one->off ? NULL : diag_claim(r, one->id, one->at);

		if (!f)
			continue;
		f->role = one->role;
		if (one->lr > 0)
			finding_weigh(f, SIGNAL_FACT, one->lr);
		if (one->member.kind != REF_NONE)
			vec_push(&f->members, one->member);
		if (one->victim.kind != REF_NONE)
			finding_victim(f, one->victim, 50);
		if (one->refuted.at.kind != REF_NONE)
			finding_refute(f, one->refuted.id, one->refuted.at, "%s", one->refuted.why);
	}
}

static const struct detector wisher = {"wisher", run, free, NULL, NULL};
static const struct detector *const table[] = {&wisher};

void wisher_setup(struct stand *s)
{
	s->d->table = table;
	s->d->ndetectors = 1;
	s->d->memory[0] = mem_calloc(1, sizeof(struct wishes));
}

struct wished *wisher_wish(struct stand *s, enum finding_id id, struct ref at, double lr)
{
	struct wishes *w = s->d->memory[0];
	struct wished *one = &w->at[w->n++];

	assert_true(w->n <= WISHES);
	*one = (struct wished){.id = id, .at = at, .lr = lr};
	return one;
}

void wisher_job(struct stand *s, int32_t n)
{
	struct obs *o = stand_batch(s, "node000");

	for (int32_t i = 0; i < n; i++) {
		struct obs_nccl *r = obs_nccl(o, NCCL_RANK, SOURCE_RAS);
		char host[16], nic[16];

		(void)str_printf(host, sizeof(host), "node%03d", (int)i / 2);
		(void)str_printf(nic, sizeof(nic), "mlx5_%d", (int)i % 2);
		r->job = obs_string(o, "pretrain");
		r->comm = obs_string(o, "0x9bd8b4c5a3b1e8f7");
		r->rank = i;
		r->nranks = n;
		r->host = obs_string(o, host);
		r->pid = 1000 + i;
		r->gpu = i % 2;
		r->nic = obs_string(o, nic);
	}
}
