/* SPDX-License-Identifier: Apache-2.0 */
/* A recording reports its errors, in whichever way its end was awaited. */
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/session/recording.h"
#include "base/str.h"
#include "tests/support/cases.h"
#include "tests/support/plan_make.h"

#define T0 (INT64_C(1700000000) * 1000000)

/* A file that is begun later takes nothing before it. */
static void first_keyframe(struct recording *r, const struct plan *plan)
{
	struct model *m = model_new(plan);
	struct diag *d = diag_new();

	recording_judged(r, T0);
	assert_true(recording_due(r));
	while (!recording_work(r, m, d, T0, 1000000))
		;
	model_free(m);
	diag_free(d);
}

CASE(a_loss_at_the_end_is_told)
{
	struct recording_opts o = {.live = false};
	struct recording *r;
	struct plan plan;
	struct err err = {0};
	char dir[] = "/tmp/railtop-recording-XXXXXX", a[96], b[96], text[640];

	assert_non_null(mkdtemp(dir));
	(void)str_printf(a, sizeof(a), "%s/a.rts", dir);
	(void)str_printf(b, sizeof(b), "%s/b.rts", dir);
	plan_init(&plan);
	(void)plan_make_device(&plan, "leaf-0", TIER_LEAF, 0);
	r = recording_open(&o, &plan, &err);
	assert_non_null(r);
	recording_begun(r, NULL, NULL);
	assert_true(recording_file(r, a, &plan, &err));
	first_keyframe(r, &plan);
	assert_int_equal(unlink(a), 0);
	recording_obs(r, obs_new("leaf-0", "fast"), T0);
	assert_true(recording_file(r, NULL, &plan, &err));
	/* This one joins the thread that completed the other. */
	while (!recording_file(r, b, &plan, &err))
		(void)sched_yield();
	assert_true(recording_problem(r, text, sizeof(text)));
	assert_non_null(strstr(text, "NOT ALL RECORDED"));
	assert_false(recording_problem(r, text, sizeof(text)));
	assert_true(recording_close(r, &err));
	plan_free(&plan);
	(void)unlink(a);
	(void)unlink(b);
	assert_int_equal(rmdir(dir), 0);
}

CASES_MAIN(NULL, NULL)
