/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A key press while ref256 is polled every second, two devices hang and one floods: from the key to
 * the acknowledged frame. The figures are printed. The test fails only if half the keys take ten
 * times the aim of 50 ms. A shared machine may stall any process now and then, but a console that
 * waits for devices does so at any key, and for seconds.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "tests/integration/support/lab.h"
#include "tests/support/cases.h"
#include "tests/support/terminal/vt.h"
#include "tests/support/built.h"

enum { KEYS = 300, AIM_MS = 50, BOUND_MS = 500 };

static int ascending(const void *a, const void *b)
{
	double d = *(const double *)a - *(const double *)b;

	return d < 0 ? -1 : d > 0;
}

CASE(test_key_to_screen)
{
	static const char *const keys[] = {"j", "j", "k", "PgDn", "PgUp", "G", "g"};
	const char *const args[] = {"--fault", "device-hang:leaf-r2-00", "--fault",
		"device-hang:node007", "--fault", "flood:node004,size=64MB", NULL};
	double ms[KEYS];
	char program[256];
	struct lab l;
	struct vt *vt;

	lab_start(&l, args);
	{
		const char *const argv[] = {
			built_path("railtop", program, sizeof(program)), "-f", l.inventory, NULL};
		const struct vt_opts opts = {.rows = 50, .cols = 200, .idle = true};

		vt = vt_spawn(&opts, argv);
	}
	vt_wait_idle(vt, 0);
	vt_type(vt, ":links");
	vt_key(vt, "Enter");
	vt_settle(vt);
	vt_wait_text(vt, "leaf-r3-00", 30);
	for (int i = 0; i < KEYS; i++) {
		int64_t start;

		/* Spread over the polling second, so that every phase of it is met. */
		vt_run_for(vt, 0.017 + 0.001 * (i % 37));
		start = clock_mono(&clock_system);
		vt_key(vt, keys[(size_t)i % (sizeof(keys) / sizeof(keys[0]))]);
		vt_settle(vt);
		ms[i] = (double)(clock_mono(&clock_system) - start) / 1000;
	}
	qsort(ms, KEYS, sizeof(ms[0]), ascending);
	print_message("# figure key to acknowledged frame, %d keys: p50 %.1f ms, p99 %.1f ms, "
		      "max %.1f ms (aim: p99 <= %d ms)\n",
		KEYS, ms[KEYS / 2], ms[KEYS * 99 / 100], ms[KEYS - 1], AIM_MS);
	assert_true(ms[KEYS / 2] < BOUND_MS);
	vt_key(vt, "Ctrl-c");
	assert_int_equal(vt_wait_exit(vt), 0);
	vt_free(vt);
	lab_stop(&l);
}

CASES_MAIN(NULL, NULL)
