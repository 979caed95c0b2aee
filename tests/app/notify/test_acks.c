/* SPDX-License-Identifier: Apache-2.0 */
/* Acknowledgements of a console, as another process of the same fabric hears of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/notify/acks.h"
#include "app/notify/acks_json.h"
#include "base/clock.h"
#include "base/str.h"
#include "tests/diagnosis/engine/stand.h"
#include "tests/support/cases.h"

#define HOUR_US (3600 * CLOCK_SEC)

static char dir[64], folder[96];
static struct plan plan;

static int setup(void **state)
{
	(void)str_copy(dir, sizeof(dir), "/tmp/railtop-acks-XXXXXX");
	assert_non_null(mkdtemp(dir));
	(void)str_printf(folder, sizeof(folder), "%s/shared", dir);
	assert_int_equal(setenv("XDG_STATE_HOME", dir, 1), 0);
	plan_init(&plan);
	(void)str_copy(plan.fabric, sizeof(plan.fabric), "stand");
	plan.notify.acknowledgements = mem_strdup(folder);
	return stand_setup(state);
}

static int teardown(void **state)
{
	char command[200];

	plan_free(&plan);
	(void)str_printf(command, sizeof(command), "rm -rf %s", dir);
	assert_int_equal(system(command), 0);
	return stand_teardown(state);
}

static const struct finding *break_link(struct stand *s)
{
	size_t n;
	const struct finding *const *all;

	stand_link(s, "leaf-r0-00:Ethernet0", false);
	stand_poll(s, 2);
	all = diag_findings(s->d, &n);
	assert_true(n > 0);
	return all[0];
}

static void give(const struct stand *s, uint64_t key, int64_t for_us, const char *note)
{
	struct acks *a = acks_open(&plan);
	struct err err = {0};

	if (!acks_give(a, s->m, s->d, key, s->now_us, for_us ? s->now_us + for_us : 0, "ann", note,
		    &err))
		fail_msg("%s: %s", err.origin, err.text);
	acks_close(a);
}

static unsigned calls;
static bool withdrawn_last;
static void count_call(void *ctx, const struct finding *f, bool withdrawn)
{
	(void)ctx;
	(void)f;
	calls++;
	withdrawn_last = withdrawn;
}

/* A process that begins now and looks once. */
static void look(struct stand *s)
{
	struct acks *a = acks_open(&plan);

	calls = 0;
	acks_step(a, s->m, s->d, s->now_us, count_call, NULL);
	acks_close(a);
}

CASE_WITH(another_process_takes_it_and_its_end, setup, teardown)
{
	struct stand *s = *state;
	const struct finding *f = break_link(s);
	uint64_t key = f->key;

	give(s, key, HOUR_US, "cable ordered");
	assert_false(finding_acked(f, s->now_us));
	look(s);
	assert_int_equal(calls, 1);
	f = diag_finding(s->d, key);
	assert_true(finding_acked(f, s->now_us));
	assert_string_equal(f->ack_user, "ann");
	assert_string_equal(f->ack_note, "cable ordered");
	assert_int_equal(f->ack_until_us, s->now_us + HOUR_US);
	/* One that stands already is not given again. */
	look(s);
	assert_int_equal(calls, 0);

	stand_poll(s, 1);
	give(s, key, 0, "");
	look(s);
	assert_int_equal(calls, 1);
	assert_true(withdrawn_last);
	assert_false(finding_acked(diag_finding(s->d, key), s->now_us));
}

CASE_WITH(it_ends_with_its_time, setup, teardown)
{
	struct stand *s = *state;
	uint64_t key = break_link(s)->key;

	give(s, key, 10 * CLOCK_SEC, "");
	stand_poll(s, 3);
	look(s);
	assert_int_equal(calls, 0);
	assert_false(finding_acked(diag_finding(s->d, key), s->now_us));
}

CASE_WITH(the_next_incident_is_another_one, setup, teardown)
{
	struct stand *s = *state;
	uint64_t key = break_link(s)->key;
	struct acks *a = acks_open(&plan);

	/* This process has run since before. */
	acks_step(a, s->m, s->d, s->now_us, NULL, NULL);
	stand_link(s, "leaf-r0-00:Ethernet0", true);
	give(s, key, 4 * HOUR_US, "");
	stand_poll(s, 120);
	assert_null(diag_finding(s->d, key));
	assert_int_equal(break_link(s)->key, key);
	/* It looks once a second. */
	for (int64_t end = clock_mono(&clock_system) + 3 * CLOCK_SEC;
		clock_mono(&clock_system) < end;) {
		(void)usleep(20000);
		acks_step(a, s->m, s->d, s->now_us, NULL, NULL);
	}
	assert_false(finding_acked(diag_finding(s->d, key), s->now_us));
	acks_close(a);
}

CASE_WITH(one_that_grew_worse_is_not_quiet, setup, teardown)
{
	struct stand *s = *state;
	const struct finding *f = break_link(s);
	struct ack k = {.since_us = s->now_us, .until_us = s->now_us + HOUR_US};
	struct err err = {0};

	assert_int_equal(f->severity, SEV_CRIT);
	(void)str_copy(k.fabric, sizeof(k.fabric), "stand");
	finding_locator(s->m, f, k.finding, sizeof(k.finding));
	(void)str_copy(k.severity, sizeof(k.severity), "warn");
	assert_true(acks_put(folder, &k, &err));
	look(s);
	assert_int_equal(calls, 0);
	(void)str_copy(k.severity, sizeof(k.severity), "crit");
	assert_true(acks_put(folder, &k, &err));
	look(s);
	assert_int_equal(calls, 1);
}

CASE_WITH(a_file_of_another_program_is_left_out, setup, teardown)
{
	static const char other[] =
		"{\"schema\":1,\"acknowledged\":[{\"fabric\":\"o\",\"finding\":\"x y\","
		"\"since\":1}]}";
	static const char *const texts[] = {"", "{", "[]", "{\"schema\":2,\"acknowledged\":[]}",
		"{\"schema\":1,\"acknowledged\":[{\"fabric\":\"stand\"},7,null]}", other};
	char path[200];

	(void)state;
	assert_int_equal(mkdir(folder, 0700), 0);
	(void)str_printf(path, sizeof(path), "%s/77.json", folder);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		ack_vec got = {0};
		FILE *f = fopen(path, "we");

		assert_non_null(f);
		(void)fputs(texts[i], f);
		assert_int_equal(fclose(f), 0);
		acks_read_folder(folder, "stand", &got);
		assert_int_equal(got.n, 0);
		vec_free(&got);
	}
}

CASE_WITH(the_file_is_for_the_group_where_the_folder_is_shared, setup, teardown)
{
	struct stand *s = *state;
	uint64_t key = break_link(s)->key;
	char path[200];
	struct stat st;

	assert_int_equal(mkdir(folder, 0700), 0);
	assert_int_equal(chmod(folder, 02770), 0);
	give(s, key, HOUR_US, "");
	(void)str_printf(path, sizeof(path), "%s/%lu.json", folder, (unsigned long)geteuid());
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
	/* One finding has one line, and what is over for a day goes. */
	give(s, key, HOUR_US, "again");
	{
		ack_vec got = {0};

		acks_read_folder(folder, "stand", &got);
		assert_int_equal(got.n, 1);
		assert_string_equal(got.at[0].note, "again");
		vec_free(&got);
	}
}

CASES_MAIN(NULL, NULL)
