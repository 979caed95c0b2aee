/* SPDX-License-Identifier: Apache-2.0 */
/* Acknowledgements of a console, as another process of the same fabric hears of them. */
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
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

static const char *own_name(void)
{
	const struct passwd *pw = getpwuid(geteuid());

	assert_non_null(pw);
	return pw->pw_name;
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
	/* Not as the file says: as the owner of the file is called. */
	assert_string_equal(f->ack_user, own_name());
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
	(void)str_printf(path, sizeof(path), "%s/%lu.json", folder, (unsigned long)geteuid());
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

/* ---- accounts that share the folder, and one of them is hostile ---- */

static void write_forged(const char *name, const char *finding, int64_t since_us, int64_t until_us)
{
	char path[200];
	FILE *f;

	(void)mkdir(folder, 0700);
	(void)str_printf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "we");
	assert_non_null(f);
	(void)fprintf(f,
		"{\"schema\":1,\"acknowledged\":[{\"fabric\":\"stand\",\"finding\":\"%s\","
		"\"severity\":\"crit\",\"since\":%.6f,\"until\":%.6f,\"user\":\"ann\\u001b]2;x\","
		"\"note\":\"\\u001b[2J\"}]}",
		finding, (double)since_us / 1e6, (double)until_us / 1e6);
	assert_int_equal(fclose(f), 0);
}

static void own_file(char *dst, size_t size)
{
	(void)str_printf(dst, size, "%lu.json", (unsigned long)geteuid());
}

CASE_WITH(nobody_speaks_in_the_name_of_another_account, setup, teardown)
{
	struct stand *s = *state;
	const struct finding *f = break_link(s);
	uint64_t key = f->key;
	char locator[240], name[32], other[32], path[200];

	finding_locator(s->m, f, locator, sizeof(locator));
	(void)str_printf(other, sizeof(other), "%lu.json", (unsigned long)geteuid() + 77);
	write_forged(other, locator, s->now_us, s->now_us + HOUR_US);
	look(s);
	assert_int_equal(calls, 0);
	own_file(name, sizeof(name));
	if (geteuid() == 0) {
		/* An account that /etc/passwd does not know. */
		(void)str_printf(path, sizeof(path), "%s/77.json", folder);
		write_forged("77.json", locator, s->now_us, s->now_us + HOUR_US);
		assert_int_equal(chown(path, 4000000077u, (gid_t)-1), 0);
		look(s);
		assert_int_equal(calls, 0);
		write_forged("4000000077.json", locator, s->now_us, s->now_us + HOUR_US);
		(void)str_printf(path, sizeof(path), "%s/4000000077.json", folder);
		assert_int_equal(chown(path, 4000000077u, (gid_t)-1), 0);
	} else {
		write_forged(name, locator, s->now_us, s->now_us + HOUR_US);
	}
	look(s);
	assert_int_equal(calls, 1);
	f = diag_finding(s->d, key);
	assert_true(finding_acked(f, s->now_us));
	assert_null(strchr(f->ack_user, '\033'));
	assert_null(strchr(f->ack_note, '\033'));
	assert_true(str_starts(f->ack_user, geteuid() == 0 ? "uid 4000000077 (ann" : own_name()));
}

CASE_WITH(one_for_the_time_to_come_is_not_taken, setup, teardown)
{
	struct stand *s = *state;
	const struct finding *f = break_link(s);
	uint64_t key = f->key;
	char locator[240], name[32];

	finding_locator(s->m, f, locator, sizeof(locator));
	own_file(name, sizeof(name));
	write_forged(name, locator, s->now_us + HOUR_US, s->now_us + 2 * HOUR_US);
	look(s);
	assert_int_equal(calls, 0);
	/* Longer than a console gives one. */
	write_forged(name, locator, s->now_us, s->now_us + 15 * 24 * HOUR_US);
	look(s);
	assert_int_equal(calls, 0);
	assert_false(finding_acked(diag_finding(s->d, key), s->now_us));
	write_forged(name, locator, s->now_us, s->now_us + 13 * 24 * HOUR_US);
	look(s);
	assert_int_equal(calls, 1);
}

/* A lock that is never let go stops no console. */
CASE_WITH(a_lock_that_is_held_is_told, setup, teardown)
{
	struct ack k = {.since_us = 1, .fabric = "stand", .finding = "x y"};
	struct err err = {0};
	char path[200];
	int fd;

	(void)state;
	assert_int_equal(mkdir(folder, 0700), 0);
	(void)str_printf(path, sizeof(path), "%s/%lu.lock", folder, (unsigned long)geteuid());
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	assert_true(fd >= 0);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	assert_false(acks_put(folder, &k, &err));
	assert_non_null(strstr(err.text, "another railtop of this account"));
	assert_true(err.cure[0]);
	(void)close(fd);
	err = (struct err){0};
	assert_true(acks_put(folder, &k, &err));
	if (geteuid() != 0)
		return;
	assert_int_equal(chown(path, 77, (gid_t)-1), 0);
	assert_false(acks_put(folder, &k, &err));
	assert_non_null(strstr(err.text, "belongs to another account"));
	assert_int_equal(unlink(path), 0);
	/* The file of acknowledgements itself: its words would become ours. */
	(void)str_printf(path, sizeof(path), "%s/%lu.json", folder, (unsigned long)geteuid());
	assert_int_equal(chown(path, 77, (gid_t)-1), 0);
	err = (struct err){0};
	assert_false(acks_put(folder, &k, &err));
	assert_non_null(strstr(err.text, "belongs to another account"));
}

CASES_MAIN(NULL, NULL)
