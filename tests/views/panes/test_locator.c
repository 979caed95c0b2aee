/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/str.h"
#include "tests/support/cases.h"
#include "tests/views/support/fake_diag.h"
#include "tests/views/support/fixture.h"

/* The text copied from a row leads back to it: `railtop -f FILE LOCATOR` opens the same place. */

static void tell_job(struct model *m)
{
	struct obs *o = obs_new("node000", "nccl");

	o->result = OBS_DATA;
	o->received_us = fix_time(1);
	for (int32_t r = 0; r < 4; r++) {
		/* Two communicators, so that not every rank is of the largest one. */
		for (int32_t size = 2; size <= 4; size += 2) {
			struct obs_nccl *n;

			if (r >= size)
				continue;
			n = obs_nccl(o, NCCL_RANK, SOURCE_RAS);
			n->job = obs_string(o, "pretrain");
			n->comm = obs_string(o, size == 4 ? "0x9bd8b4c5a3b1e8f7" : "0x17");
			n->rank = r;
			n->nranks = size;
			n->host = obs_string(o, r % 2 ? "node001" : "node000");
			n->gpu = r;
			n->state = NCCL_RUNNING;
		}
	}
	model_apply(m, o, fix_time(1));
	obs_free(o);
}

static bool comes_back(enum ref_kind kind)
{
	switch (kind) {
	case REF_FABRIC:
	case REF_RAIL:
	case REF_DEVICE:
	case REF_PORT:
	case REF_PRIORITY:
	case REF_LINK:
	case REF_JOB:
	case REF_COMM:
	case REF_RANK:
		return true;
	default:
		return false;
	}
}

static unsigned there_and_back(const struct model *m, struct ref r)
{
	struct err err = {0};
	struct ref back = {0};
	char text[256];

	if (!comes_back(r.kind) || !ref_format(m, r, text, sizeof(text)))
		return 0;
	if (!ref_parse(m, text, &back, &err))
		fail_msg("%s: %s", text, err.text);
	if (!ref_eq(r, back)) {
		char other[256];

		(void)ref_format(m, back, other, sizeof(other));
		fail_msg("%s (kind %d) comes back as %s (kind %d)", text, (int)r.kind, other,
			(int)back.kind);
	}
	return 1U << r.kind;
}

static unsigned rows_there_and_back(const struct view_ctx *ctx, const struct view_ops *v)
{
	row_vec rows = fix_rows(ctx, v);
	unsigned kinds = 0;

	for (size_t i = 0; i < rows.n; i++) {
		struct ref at = rows.at[i];

		kinds |= there_and_back(ctx->model, at);
		if (v->about)
			kinds |= there_and_back(ctx->model, v->about(ctx, at));
	}
	vec_free(&rows);
	return kinds;
}

CASE(every_row_of_every_view)
{
	struct model *m = fix_model();
	struct diag *d = diag_new();
	struct view_ctx ctx;
	unsigned kinds = 0;

	fix_poll(m, 0, NULL, 0);
	fix_poll(m, 1, NULL, 0);
	tell_job(m);
	(void)fake_finding(
		d, FIND_LINK_FLAPPING, fix_port_ref(m, "leaf-r1-00", "Ethernet0"), ROLE_CULPRIT, 0);
	ctx = fix_ctx(m, 1);
	ctx.diag = d;
	ctx.cache = view_cache_new();
	for (size_t i = 0; i < view_count; i++) {
		const struct ref scopes[] = {{.kind = REF_FABRIC}, {.kind = REF_RAIL, .rail = 3},
			fix_device_ref(m, "leaf-r2-00"), fix_device_ref(m, "node001"),
			fix_port_ref(m, "leaf-r2-00", "Ethernet0"), {.kind = REF_JOB, .job = 0},
			{.kind = REF_COMM, .comm = 0}, {.kind = REF_COMM, .comm = 1}};

		for (size_t s = 0; s < sizeof(scopes) / sizeof(scopes[0]); s++) {
			kinds |= there_and_back(m, scopes[s]);
			if (!view_takes(view_table[i], scopes[s].kind) &&
				!(view_is_whole(view_table[i]) && scopes[s].kind == REF_FABRIC))
				continue;
			ctx.scope = scopes[s];
			kinds |= rows_there_and_back(&ctx, view_table[i]);
		}
	}
	/* None of them was missing. */
	for (enum ref_kind k = REF_FABRIC; k < REF_KINDS; k++)
		if (comes_back(k) && !(kinds >> k & 1U))
			fail_msg("no row of kind %d", (int)k);
	view_cache_free(ctx.cache);
	diag_free(d);
	model_free(m);
}

CASES_MAIN(NULL, NULL)
