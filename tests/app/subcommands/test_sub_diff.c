/* SPDX-License-Identifier: Apache-2.0 */
/* railtop diff on recordings: the moments it takes, its refusals, its exit codes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "app/options/options.h"
#include "archive/replay/replay.h"
#include "base/clock.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"
#include "tests/support/cases.h"
#include "tests/support/plan_make.h"

#define T0    (INT64_C(1763726400) * CLOCK_SEC) /* 2025-11-21T12:00:00Z */
#define POLLS 24u

struct stage {
	char dir[64], a[96], b[96], other[96], printed[96], errors[96];
	char *out, *err;
};

static void poll_device(
	struct model *m, const char *device, unsigned n, bool down, struct recorder *r)
{
	int64_t now = T0 + (int64_t)n * 5 * CLOCK_SEC;
	struct obs *o = obs_new(device, "fast");
	uint32_t p = obs_port(o, "Ethernet0");

	o->received_us = o->device_us = now;
	obs_word(o, p, ATTR_OPER, 0, down ? "down" : "up");
	obs_number(o, p, ATTR_SPEED_MBPS, 0, 400000);
	obs_count(o, p, CTR_RX_BYTES, 0, n * UINT64_C(1000000000));
	model_apply(m, o, now);
	recorder_obs(r, o, now);
}

/* Two minutes of a leaf. Its port goes down after the first minute. */
static void record(const char *path, const char *fabric, const char *device, bool goes_down)
{
	struct plan plan;
	struct model *m;
	struct diag *d = diag_new();
	struct rts_writer *w;
	struct recorder *r;
	struct err err = {0};

	plan_init(&plan);
	(void)str_copy(plan.fabric, sizeof(plan.fabric), fabric);
	(void)plan_make_device(&plan, device, TIER_LEAF, 0);
	m = model_new(&plan);
	w = rts_writer_open(&(struct rts_writer_opts){.path = path,
				    .plan = &plan,
				    .tool = "railtop test",
				    .kind = "recording",
				    .queue_bytes = (size_t)64 << 20},
		&err);
	if (!w)
		fail_msg("%s: %s", path, err.text);
	r = recorder_new(w, NULL);
	for (unsigned n = 0; n < POLLS; n++) {
		int64_t now = T0 + (int64_t)n * 5 * CLOCK_SEC;

		poll_device(m, device, n, goes_down && n >= POLLS / 2, r);
		diag_note(d, m, 0, now);
		(void)model_age(m, now);
		model_links(m);
		diag_run(d, m, now);
		recorder_judged(r, now);
		while (recorder_due(r) && !recorder_work(r, m, d, now, CLOCK_SEC))
			;
	}
	recorder_free(r);
	if (!rts_writer_close(w, &err))
		fail_msg("%s: %s", path, err.text);
	diag_free(d);
	model_free(m);
	plan_free(&plan);
}

static int setup(void **state)
{
	struct stage *s = calloc(1, sizeof(*s));

	(void)str_copy(s->dir, sizeof(s->dir), "/tmp/railtop-subdiff-XXXXXX");
	if (!mkdtemp(s->dir))
		return -1;
	(void)str_printf(s->a, sizeof(s->a), "%s/a@b.rts", s->dir);
	(void)str_printf(s->b, sizeof(s->b), "%s/b.rts", s->dir);
	(void)str_printf(s->other, sizeof(s->other), "%s/other.rts", s->dir);
	(void)str_printf(s->printed, sizeof(s->printed), "%s/printed", s->dir);
	(void)str_printf(s->errors, sizeof(s->errors), "%s/errors", s->dir);
	record(s->a, "one", "leaf", true);
	record(s->b, "one", "leaf", false);
	record(s->other, "two", "elsewhere", false);
	*state = s;
	return 0;
}

static int teardown(void **state)
{
	struct stage *s = *state;

	(void)unlink(s->a);
	(void)unlink(s->b);
	(void)unlink(s->other);
	(void)unlink(s->printed);
	(void)unlink(s->errors);
	if (rmdir(s->dir) != 0)
		fail_msg("something is left in %s", s->dir);
	free(s->out);
	free(s->err);
	free(s);
	return 0;
}

static char *contents(const char *path)
{
	char *text = calloc(1, 1 << 16);
	FILE *f = fopen(path, "re");

	assert_non_null(text);
	assert_non_null(f);
	text[fread(text, 1, (1 << 16) - 1, f)] = '\0';
	(void)fclose(f);
	return text;
}

/* "FILE@TIME" of both; b "": one word only. */
static int run(struct stage *s, const char *a, const char *b, bool json)
{
	char *argv[6] = {(char *)(uintptr_t) "railtop", (char *)(uintptr_t) "diff",
		(char *)(uintptr_t)a, (char *)(uintptr_t)b};
	const struct subcommand *sub = NULL;
	struct options o;
	struct err err = {0};
	int argc = *b ? 4 : 3, out, errors, code;

	if (json)
		argv[argc++] = (char *)(uintptr_t) "--json";
	if (!options_read(argc, argv, &o, &sub, &err))
		fail_msg("%s", err.text);
	assert_null(sub->view);
	(void)fflush(stdout);
	(void)fflush(stderr);
	out = dup(STDOUT_FILENO);
	errors = dup(STDERR_FILENO);
	assert_non_null(freopen(s->printed, "we", stdout));
	assert_non_null(freopen(s->errors, "we", stderr));
	code = sub->run(&o);
	(void)fflush(stdout);
	(void)fflush(stderr);
	assert_true(dup2(out, STDOUT_FILENO) >= 0 && dup2(errors, STDERR_FILENO) >= 0);
	(void)close(out);
	(void)close(errors);
	options_free(&o);
	free(s->out);
	free(s->err);
	s->out = contents(s->printed);
	s->err = contents(s->errors);
	return code;
}

static const char *at(char *dst, size_t size, const char *file, const char *time)
{
	(void)str_printf(dst, size, "%s@%s", file, time);
	return dst;
}

static void says(const char *text, const char *want)
{
	if (!strstr(text, want))
		fail_msg("no \"%s\" in %s", want, text);
}

CASE_WITH(two_files, setup, teardown)
{
	struct stage *s = *state;
	json_t *root;

	/* A name with an @ is a name first. */
	assert_int_equal(run(s, s->b, s->a, false), EXIT_FINDINGS);
	says(s->out, "leaf:Ethernet0  oper: up -> down");
	assert_string_equal(s->err, "");
	assert_int_equal(run(s, s->a, s->b, true), EXIT_FINDINGS);
	root = json_loads(s->out, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(root);
	assert_string_equal(
		json_string_value(json_object_get(json_object_get(root, "from"), "file")), s->a);
	json_decref(root);
	assert_int_equal(run(s, s->b, s->b, false), EXIT_FINE);
	says(s->out, "0 differences");
}

CASE_WITH(two_moments_of_one, setup, teardown)
{
	char a[160], b[160];
	struct stage *s = *state;

	assert_int_equal(run(s, at(a, sizeof(a), s->a, "12:00:30"), "@-5s", false), EXIT_FINDINGS);
	says(s->out, "12:00:30Z");
	says(s->out, "12:01:50Z");
	says(s->out, "oper: up -> down");
	/* Both before it happened. */
	assert_int_equal(run(s, at(a, sizeof(a), s->a, "2025-11-21T12:00:40"),
				 at(b, sizeof(b), s->a, "-65s"), false),
		EXIT_FINE);
	/* And the other way round. */
	assert_int_equal(run(s, s->a, "@12:00:30", false), EXIT_FINDINGS);
	says(s->out, "improved  link");
}

CASE_WITH(what_cannot_be_compared, setup, teardown)
{
	char a[160];
	struct stage *s = *state;
	FILE *f = fopen(s->printed, "we");

	assert_int_equal(run(s, s->a, "", false), EXIT_USAGE);
	says(s->err, "two moments");
	assert_int_equal(run(s, s->a, s->other, false), EXIT_USAGE);
	says(s->err, "fabric one and fabric two have no device in common");
	assert_int_equal(run(s, "@-5m", s->a, false), EXIT_USAGE);
	says(s->err, "is not a file");
	assert_int_equal(run(s, at(a, sizeof(a), s->a, "noon"), s->b, false), EXIT_USAGE);
	says(s->err, "between 2025-11-21T12:00:00Z and 2025-11-21T12:01:55Z");
	assert_int_equal(
		run(s, at(a, sizeof(a), s->a, "2024-01-01T00:00"), s->b, false), EXIT_USAGE);
	assert_int_equal(run(s, "/nonexistent/x.rts", s->b, false), EXIT_USAGE);
	says(s->err, "/nonexistent/x.rts");
	assert_string_equal(s->out, "");
	(void)fclose(f);
	f = fopen(s->errors, "we");
	assert_non_null(f);
	(void)fputs("not a recording, and long enough to have been one with some luck\n", f);
	(void)fclose(f);
	assert_int_equal(run(s, "Makefile", s->b, false), EXIT_USAGE);
	assert_string_equal(s->out, "");
}

CASES_MAIN(NULL, NULL)
