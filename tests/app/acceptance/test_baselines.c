/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/acceptance/baselines.h"
#include "base/str.h"
#include "tests/integration/support/scratch.h"
#include "tests/support/cases.h"

static struct scratch dir;
static struct err err;

static int begin(void **state)
{
	(void)state;
	err = (struct err){0};
	scratch_open(&dir);
	return 0;
}

static int end(void **state)
{
	(void)state;
	scratch_close(&dir);
	return 0;
}

static struct baseline line(const char *device, const char *port, double value)
{
	struct baseline b = {.test = "ib_write_bw",
		.speed_mbps = 400000,
		.value = value,
		.wall_us = 1700000000000000};

	(void)str_copy(b.device, sizeof(b.device), device);
	(void)str_copy(b.port, sizeof(b.port), port);
	return b;
}

CASE_WITH(what_is_stored_is_read_again, begin, end)
{
	const char *path = scratch_path(&dir, "lines");
	baseline_vec more = {0}, read = {0};

	vec_push(&more, line("node000", "mlx5_0", 391.2));
	assert_true(baselines_store(path, &more, &err));
	more.at[0].value = 390.5;
	assert_true(baselines_store(path, &more, &err));
	assert_true(baselines_read(path, &read, &err));
	assert_int_equal(read.n, 2);
	assert_float_equal(read.at[0].value, 391.2, 1e-9);
	assert_float_equal(read.at[1].value, 390.5, 1e-9);
	assert_string_equal(read.at[1].port, "mlx5_0");
	assert_int_equal(read.at[1].speed_mbps, 400000);
	vec_free(&more);
	vec_free(&read);
}

CASE_WITH(a_wrong_line_is_named_with_its_number, begin, end)
{
	static const char *const wrong[] = {"{}", "[1]", "x", "{\"schema\":1,\"test\":\"t\"}",
		"{\"schema\":2,\"test\":\"t\",\"device\":\"d\",\"port\":\"p\",\"value\":1}",
		"{\"schema\":1,\"test\":\"t\",\"device\":\"d\",\"port\":\"p\",\"value\":-1}",
		"{\"schema\":1,\"test\":\"t\",\"device\":\"d\",\"port\":\"p\",\"value\":\"1\"}"};
	baseline_vec v = {0};
	char text[400];

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		(void)str_printf(text, sizeof(text),
			"{\"schema\":1,\"test\":\"t\",\"device\":\"d\",\"port\":\"p\",\"value\":1}"
			"\n\n%s\n",
			wrong[i]);
		scratch_write(&dir, "lines", text);
		v.n = 0;
		err = (struct err){0};
		assert_false(baselines_read(scratch_path(&dir, "lines"), &v, &err));
		assert_int_equal(err.code, ERR_CONFIG);
		assert_non_null(strstr(err.origin, "lines:3"));
	}
	err = (struct err){0};
	assert_false(baselines_read(scratch_path(&dir, "none"), &v, &err));
	vec_free(&v);
}

CASE(its_own_past_counts_before_that_of_others)
{
	baseline_vec v = {0};
	struct baseline now = line("node009", "mlx5_3", 0);
	char source[80];

	assert_true(isnan(baseline_of(&v, &now, source, sizeof(source))));
	assert_string_equal(source, "");
	/* Of the others the last of each. */
	vec_push(&v, line("node000", "mlx5_0", 100));
	vec_push(&v, line("node000", "mlx5_0", 390));
	vec_push(&v, line("node001", "mlx5_0", 392));
	vec_push(&v, line("node002", "mlx5_0", 394));
	assert_float_equal(baseline_of(&v, &now, source, sizeof(source)), 392, 1e-9);
	assert_string_equal(source, "3 ports of 400 Gb/s");
	vec_push(&v, line("node009", "mlx5_3", 380));
	vec_push(&v, line("node009", "mlx5_3", 384));
	assert_float_equal(baseline_of(&v, &now, source, sizeof(source)), 382, 1e-9);
	assert_string_equal(source, "this port before, 2 times");
	/* Another speed, and another test, are no comparison. */
	now.speed_mbps = 200000;
	assert_true(isnan(baseline_of(&v, &now, source, sizeof(source))));
	now.speed_mbps = 0;
	assert_true(isnan(baseline_of(&v, &now, source, sizeof(source))));
	now = line("node009", "mlx5_3", 0);
	(void)str_copy(now.test, sizeof(now.test), "ib_read_lat");
	assert_true(isnan(baseline_of(&v, &now, source, sizeof(source))));
	vec_free(&v);
}

/* Files that hang, have no end, or are not text. */
CASE_WITH(what_is_no_file_is_refused, begin, end)
{
	static const char *const odd[] = {"pipe", "folder", "loop", "zeros", "/dev/zero"};
	const baseline_vec none = {0};

	scratch_run(&dir, "mkfifo pipe && mkdir folder && ln -s loop loop && "
			  "head -c 100000 /dev/zero >zeros");
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		const char *path = *odd[i] == '/' ? odd[i] : scratch_path(&dir, odd[i]);
		baseline_vec read = {0};

		err = (struct err){0};
		if (baselines_read(path, &read, &err))
			fail_msg("%s is taken", odd[i]);
		assert_true(err.text[0] && read.n == 0);
		vec_free(&read);
		if (strcmp(odd[i], "zeros") == 0)
			continue;
		err = (struct err){0};
		if (baselines_store(path, &none, &err))
			fail_msg("%s is added to", odd[i]);
	}
}

CASE_WITH(a_file_without_end_is_refused, begin, end)
{
	baseline_vec read = {0};

	scratch_run(&dir, "yes '{\"schema\":1,\"test\":\"t\",\"device\":\"d\",\"port\":\"p\","
			  "\"value\":1,\"time\":1e300}' | head -c 20000000 >long");
	assert_false(baselines_read(scratch_path(&dir, "long"), &read, &err));
	assert_int_equal(err.code, ERR_LIMIT);
	assert_int_equal(read.at[0].wall_us, 0);
	vec_free(&read);
}

/* 100,000 ports of one speed: each pair of lines once would be five thousand million. */
CASE(the_newest_line_of_each_of_many_ports)
{
	baseline_vec v = {0};
	struct baseline now = line("new", "p", 1);
	char source[80], name[16];

	for (unsigned i = 0; i < 100000; i++) {
		(void)str_printf(name, sizeof(name), "n%u", i / 2);
		vec_push(&v, line(name, "p", i % 2 ? 400 : 100));
	}
	/* The later line of each counts. */
	assert_float_equal(baseline_of(&v, &now, source, sizeof(source)), 400, 0);
	assert_string_equal(source, "50000 ports of 400 Gb/s");
	vec_free(&v);
}

CASES_MAIN(NULL, NULL)
