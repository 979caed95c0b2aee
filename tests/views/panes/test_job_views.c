/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "tests/support/cases.h"
#include "tests/views/support/fake_diag.h"
#include "views/diag_rows.h"

struct fixture {
	struct model *m;
	struct diag *d;
	struct view_ctx ctx;
};

/* Job "pretrain": 16 ranks on both hosts; rank 11 is behind, rank 4 is dead. */
static void tell_job(struct model *m, int s)
{
	struct obs *o = obs_new("node000", "nccl");
	struct obs_nccl *n;
	char text[32];

	o->result = OBS_DATA;
	o->received_us = fix_time(s);
	for (int32_t r = 0; r < 16; r++) {
		n = obs_nccl(o, NCCL_RANK, SOURCE_RAS);
		n->job = obs_string(o, "pretrain");
		n->comm = obs_string(o, "0x9bd8b4c5a3b1e8f7");
		n->rank = r;
		n->nranks = 16;
		(void)str_printf(text, sizeof(text), "node%03d", r / 8);
		n->host = obs_string(o, text);
		n->gpu = r % 8;
		(void)str_printf(text, sizeof(text), "mlx5_%d", r % 8);
		n->nic = obs_string(o, text);
		n->state = r == 4 ? NCCL_DEAD : NCCL_RUNNING;
		n = obs_nccl(o, NCCL_COUNT, SOURCE_RAS);
		n->comm = obs_string(o, "0x9bd8b4c5a3b1e8f7");
		n->rank = r;
		n->nranks = 16;
		n->func = obs_string(o, "AllReduce");
		n->seq = r == 11 ? 50 : 100 + 10 * s;
	}
	model_apply(m, o, fix_time(s));
	obs_free(o);
}

static int setup(void **state)
{
	static struct fixture x;

	x.m = fix_model();
	fix_poll(x.m, 0, NULL, 0);
	tell_job(x.m, 0);
	fix_poll(x.m, 1, NULL, 0);
	tell_job(x.m, 1);
	x.d = diag_new();
	x.ctx = fix_ctx(x.m, 1);
	x.ctx.diag = x.d;
	x.ctx.cache = view_cache_new();
	*state = &x;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *x = *state;

	view_cache_free(x->ctx.cache);
	diag_free(x->d);
	model_free(x->m);
	return 0;
}

CASE_WITH(a_job_is_a_row, setup, teardown)
{
	struct fixture *x = *state;
	const struct view_ops *v = fix_view("jobs");
	row_vec rows = fix_rows(&x->ctx, v);
	const char *view = NULL;
	struct ref scope = {0};
	struct view_cell cell;

	assert_int_equal(rows.n, 1);
	assert_cell(&x->ctx, v, rows.at[0], "job", "pretrain");
	assert_cell(&x->ctx, v, rows.at[0], "ranks", "16");
	assert_cell(&x->ctx, v, rows.at[0], "hosts", "2");
	assert_cell(&x->ctx, v, rows.at[0], "last_op", "22:13:21");
	/* No operation was told of one by one; the counts grew by ten within the second. */
	assert_cell(&x->ctx, v, rows.at[0], "rate", "10");
	cell = fix_cell(&x->ctx, v, rows.at[0], "gpus");
	assert_string_not_equal(cell.text, "0");
	assert_true(v->enter(&x->ctx, rows.at[0], &view, &scope));
	assert_string_equal(view, "ranks");
	assert_int_equal(scope.kind, REF_JOB);
	vec_free(&rows);
}

/* Ranks that all wait are not behind one another, and the head of the page is no calmer for that.
 */
CASE_WITH(a_job_that_rests_is_not_ok, setup, teardown)
{
	struct fixture *x = *state;
	const struct view_ops *v = fix_view("jobs");
	struct view_cell cell;
	row_vec rows;

	rows = fix_rows(&x->ctx, v);
	x->ctx.now_us += INT64_C(3600) * 1000000;
	cell = fix_cell(&x->ctx, v, rows.at[0], "state");
	assert_string_not_equal(cell.text, "running");
	assert_int_not_equal(cell.role, ROLE_OK);
	vec_free(&rows);
}

CASE_WITH(lagging_ranks_come_first, setup, teardown)
{
	struct fixture *x = *state;
	const struct view_ops *v = fix_view("ranks");
	struct finding *f;
	row_vec rows;

	x->ctx.scope = (struct ref){.kind = REF_JOB, .job = 0};
	rows = fix_rows(&x->ctx, v);
	assert_int_equal(rows.n, 16);
	assert_int_equal(rows.at[0].rank, 4);
	assert_cell(&x->ctx, v, rows.at[0], "state", "dead!");
	assert_int_equal(rows.at[1].rank, 11);
	assert_cell(&x->ctx, v, rows.at[1], "state", "behind!");
	assert_cell(&x->ctx, v, rows.at[1], "behind", "60!");
	assert_cell(&x->ctx, v, rows.at[1], "host", "node001");
	assert_cell(&x->ctx, v, rows.at[1], "nic", "mlx5_3");
	assert_cell(&x->ctx, v, rows.at[1], "leaf", "leaf-r3-00:Ethernet4");
	assert_cell(&x->ctx, v, rows.at[1], "counts", "AllReduce 50!");
	assert_int_equal(rows.at[2].rank, 0);
	assert_cell(&x->ctx, v, rows.at[2], "behind", "0");
	assert_cell(&x->ctx, v, rows.at[2], "why", "");
	vec_free(&rows);

	/* A finding about a rank says more than its count. */
	f = fake_finding(x->d, FIND_NCCL_STRAGGLER,
		(struct ref){.kind = REF_RANK, .comm = 0, .rank = 9}, ROLE_CULPRIT, 0);
	finding_title(f, "enters 40 ms late");
	rows = fix_rows(&x->ctx, v);
	assert_int_equal(rows.at[0].rank, 4);
	assert_int_equal(rows.at[1].rank, 9);
	assert_cell(&x->ctx, v, rows.at[1], "why", "nccl.straggler: enters 40 ms late");
	assert_cell(&x->ctx, v, rows.at[1], "state", "late!");
	vec_free(&rows);
}

/* Late ranks of one host have a finding at the host: each of them is marked, and none is "OK". */
CASE_WITH(late_ranks_of_a_host_are_marked, setup, teardown)
{
	struct fixture *x = *state;
	const struct view_ops *v = fix_view("ranks");
	struct finding *f = fake_finding(
		x->d, FIND_NCCL_STRAGGLER, fix_device_ref(x->m, "node001"), ROLE_CULPRIT, 0);
	row_vec rows;

	for (int32_t r = 13; r < 15; r++)
		(void)finding_number(f, (struct ref){.kind = REF_RANK, .comm = 0, .rank = r},
			"own gap before it enters", 1500, "ms", "> 25% of the operation",
			"inspector");
	x->ctx.scope = (struct ref){.kind = REF_JOB, .job = 0};
	rows = fix_rows(&x->ctx, v);
	assert_int_equal(rows.at[1].rank, 13);
	assert_cell(&x->ctx, v, rows.at[1], "state", "late!");
	assert_int_equal(rows.at[2].rank, 14);
	assert_cell(&x->ctx, v, rows.at[2], "state", "late!");
	assert_int_equal(rows.at[3].rank, 11);
	vec_free(&rows);
}

/* A row of another communicator has no note, and says "-" and not a number of this one. */
CASE_WITH(ranks_that_do_not_exist, setup, teardown)
{
	struct fixture *x = *state;
	const struct view_ops *v = fix_view("ranks");
	row_vec rows;

	x->ctx.scope = (struct ref){.kind = REF_COMM, .comm = 77};
	rows = fix_rows(&x->ctx, v);
	assert_int_equal(rows.n, 0);
	assert_non_null(v->empty(&x->ctx));
	assert_cell(
		&x->ctx, v, ((struct ref){.kind = REF_RANK, .comm = 0, .rank = 16}), "state", "-");
	assert_cell(
		&x->ctx, v, ((struct ref){.kind = REF_RANK, .comm = 1, .rank = 0}), "behind", "-");
}

CASE_WITH(what_can_be_traced, setup, teardown)
{
	struct fixture *x = *state;
	const struct view_ops *v = fix_view("trace");

	(void)x;
	assert_true(view_takes(v, REF_RANK));
	assert_true(view_takes(v, REF_DEVICE));
	assert_true(view_takes(v, REF_PORT));
	assert_true(view_takes(v, REF_JOB));
	assert_false(view_takes(v, REF_RAIL));
	assert_false(view_takes(v, REF_NONE));
	assert_false(view_is_whole(v));
	assert_true(view_is_whole(fix_view("findings")));
}

CASES_MAIN(NULL, NULL)
