/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "emulator/sim/faults/faults.h"
#include "tests/support/cases.h"

/* Scenario files: their forms, and where the errors point. */

#define SEC   INT64_C(1000000)
#define START (INT64_C(1763726000) * SEC)

struct rig {
	struct sim *s;
	char path[64];
};

static int setup(void **state)
{
	struct rig *r = calloc(1, sizeof(*r));
	struct sim_opts o = {.sizing = sizing_preset("ref256"),
		.seed = 1,
		.start_us = START,
		.speed = 1,
		.steady = true};
	int fd;

	if (!r)
		return -1;
	(void)str_copy(r->path, sizeof(r->path), "/tmp/test-scenario-XXXXXX");
	fd = mkstemp(r->path);
	if (fd < 0)
		return -1;
	(void)close(fd);
	r->s = sim_new(&o);
	*state = r;
	return 0;
}

static int teardown(void **state)
{
	struct rig *r = *state;

	sim_free(r->s);
	(void)unlink(r->path);
	free(r);
	return 0;
}

static bool play(struct rig *r, const char *text, struct err *err)
{
	FILE *f = fopen(r->path, "we");

	assert_non_null(f);
	(void)fputs(text, f);
	assert_int_equal(fclose(f), 0);
	return sim_scenario(r->s, r->path, err);
}

static unsigned down(struct rig *r, const char *device, unsigned port)
{
	return sim_state(r->s, &sim_device_by_name(r->s, device)->ports[port])->k.down;
}

CASE_WITH(test_plays_in_time, setup, teardown)
{
	struct rig *r = *state;
	struct err err;

	if (!play(r,
		    "# a comment\n"
		    "\n"
		    "20s link-flap:leaf-r3-00:Ethernet12,period=8s,for=60s  # and another\n"
		    "  30s\tlink-down:node004:mlx5_1 \r\n"
		    "link-down:node005:mlx5_1,at=5s,for=1s\n"
		    "link-down:node006:mlx5_1\n"
		    "40s heal link-flap\n"
		    "45s heal link-down:node004\n"
		    "50s heal all",
		    &err))
		fail_msg("%s: %s", err.origin, err.text);
	sim_advance(r->s, START);
	assert_int_equal(down(r, "node006", 1), 1);
	sim_advance(r->s, START + 5 * SEC);
	assert_int_equal(down(r, "node005", 1), 1);
	sim_advance(r->s, START + 20 * SEC);
	assert_int_equal(down(r, "leaf-r3-00", 3), 1);
	sim_advance(r->s, START + 30 * SEC);
	assert_int_equal(down(r, "node004", 1), 1);
	sim_advance(r->s, START + 40 * SEC);
	assert_int_equal(down(r, "leaf-r3-00", 3), 0);
	assert_int_equal(down(r, "node004", 1), 1);
	sim_advance(r->s, START + 45 * SEC);
	assert_int_equal(down(r, "node004", 1), 0);
	assert_int_equal(down(r, "node006", 1), 1);
	sim_advance(r->s, START + 90 * SEC);
	assert_int_equal(down(r, "node006", 1), 0);
	assert_int_equal(down(r, "leaf-r3-00", 3), 0);
	assert_int_equal(r->s->faults.at[0].ended, START + 40 * SEC);
}

/* A heal and a fault at the same instant: the old fault ends, the new one begins. */
CASE_WITH(test_heals_before_it_begins, setup, teardown)
{
	struct rig *r = *state;
	struct err err;

	assert_true(play(r,
		"10s link-down:node004:mlx5_1\n"
		"20s link-down:node004:mlx5_2\n"
		"20s heal node004\n"
		"30s link-down:node004:mlx5_3\n",
		&err));
	sim_advance(r->s, START + 20 * SEC);
	assert_int_equal(down(r, "node004", 1), 0);
	assert_int_equal(down(r, "node004", 2), 1);
	/* A fault planned for later is not healed. */
	sim_advance(r->s, START + 30 * SEC);
	assert_int_equal(down(r, "node004", 3), 1);
}

CASE_WITH(test_errors_name_file_and_line, setup, teardown)
{
	static const struct {
		const char *text, *line, *what, *cure;
	} bad[] = {
		{"20s bogus:node000\n", ":1", "\"bogus\"", "link-flap"},
		{"# x\n\n20x link-down:node004:mlx5_1\n", ":3", "not a time", "20s"},
		{"20s link-down:node004:mlx5_1 for=3s\n", ":1", "after the fault",
			"without blanks"},
		{"20s heal\n", ":1", "does not say what", "all"},
		{"link-down:node004:mlx5_1,for=-1s\n", ":1", "for=-1s", "a time"},
		{"in 20s link-down:node004\n", ":1", "not understood", "AT SPEC"},
		{"20s\n", ":1", "no fault class", "link-flap"},
	};
	struct rig *r = *state;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char origin[96];
		struct err err;

		assert_false(play(r, bad[i].text, &err));
		(void)str_printf(origin, sizeof(origin), "%s%s", r->path, bad[i].line);
		assert_string_equal(err.origin, origin);
		if (!strstr(err.text, bad[i].what) || !strstr(err.cure, bad[i].cure))
			fail_msg("%s: \"%s\" (%s)", bad[i].text, err.text, err.cure);
	}
}

CASE_WITH(test_bounds_lines_and_files, setup, teardown)
{
	struct rig *r = *state;
	char text[1200];
	struct err err;

	memset(text, 'x', sizeof(text));
	(void)str_copy(text + sizeof(text) - 8, 8, "\n");
	assert_false(play(r, text, &err));
	assert_non_null(strstr(err.text, "longer than"));
	assert_false(sim_scenario(r->s, "/nonexistent/scenario", &err));
	assert_int_equal(err.code, ERR_CONFIG);
	assert_non_null(strstr(err.cure, "20s"));
	assert_true(play(r, "", &err));
}

CASE_WITH(test_jobs_are_passed_on, setup, teardown)
{
	struct rig *r = *state;
	struct err err;

	if (!play(r,
		    "job name=train,kind=ring,hosts=0-15\n"
		    "20s link-down:node004:mlx5_1\n"
		    "job name=tune,kind=alltoall,hosts=16-31\n",
		    &err))
		fail_msg("%s: %s", err.origin, err.text);
	assert_false(play(r, "\njob kind=bogus\n", &err));
	assert_non_null(strstr(err.origin, ":2"));
}

CASES_MAIN(NULL, NULL)
