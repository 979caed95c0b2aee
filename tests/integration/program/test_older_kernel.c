/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels that lack a part of the sandbox: no Landlock, an older one, no seccomp. railtop works
 * there, has the rest of it, and says on the screen, on the wall, in `check` and in JSON what is
 * missing. preload/older_kernel.c is the kernel.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/sandbox/sandbox.h"
#include "base/str.h"
#include "tests/integration/support/lab.h"
#include "tests/integration/support/scratch.h"
#include "tests/support/built.h"
#include "tests/support/cases.h"
#include "tests/support/terminal/vt.h"

enum { RUN_S = 60 };

static const struct kernel {
	const char *landlock, *seccomp;
	const char *missing; /* "": nothing */
} kernels[] = {
	{"0", NULL, "writes are not limited (this kernel has no Landlock)"},
	{"1", NULL, "files elsewhere can be truncated (this kernel has Landlock 1, 3 is needed)"},
	{"2", NULL, "files elsewhere can be truncated (this kernel has Landlock 2, 3 is needed)"},
	{"3", NULL, "devices can be controlled by ioctl (this kernel has Landlock 3, 5 is needed)"},
	{"4", NULL, "devices can be controlled by ioctl (this kernel has Landlock 4, 5 is needed)"},
	{"5", NULL, ""},
	{"6", NULL, ""},
	{"6", "0", "system calls are not filtered (this kernel has no seccomp)"},
	{"0", "0",
		"system calls are not filtered (this kernel has no seccomp); writes are not "
		"limited "
		"(this kernel has no Landlock)"},
};
enum { KERNELS = sizeof(kernels) / sizeof(kernels[0]) };

static struct scratch scratch;
static char library[512];

static void put(const char *name, const char *value)
{
	if (value)
		(void)setenv(name, value, 1);
	else
		(void)unsetenv(name);
}

static void enter_kernel(const struct kernel *k)
{
	put("LD_PRELOAD", k ? library : NULL);
	put("OLDER_LANDLOCK", k ? k->landlock : NULL);
	put("OLDER_SECCOMP", k ? k->seccomp : NULL);
}

static struct lab_output run(const struct kernel *k, const char *const *args)
{
	struct lab_output o;

	enter_kernel(k);
	o = lab_railtop(args, RUN_S);
	enter_kernel(NULL);
	return o;
}

static const char *observations(void)
{
	return scratch_path(&scratch, "o.jsonl");
}

static void skip_without_landlock(void)
{
	if (sandbox_kernel_places() >= 6)
		return;
	print_message("# skipped: this kernel has no Landlock 6 itself\n");
	skip();
}

CASE(check_says_it_in_text_and_json)
{
	const char *const text[] = {"check", "--observations", observations(), NULL};
	const char *const json[] = {"check", "--observations", observations(), "--json", NULL};

	skip_without_landlock();
	for (size_t i = 0; i < KERNELS; i++) {
		const struct kernel *k = &kernels[i];
		struct lab_output o = run(k, text);
		json_t *root, *sandbox;

		if (!k->missing[0] ? strstr(o.out, "sandbox") != NULL
				   : !strstr(o.out, k->missing) || !strstr(o.out, "cure: Linux"))
			fail_msg("Landlock %s: check: exit %d, %s%s", k->landlock, o.code, o.out,
				o.err);
		lab_output_free(&o);
		o = run(k, json);
		root = lab_json(o.out);
		sandbox = json_object_get(root, "sandbox");
		assert_string_equal(
			json_string_value(json_object_get(sandbox, "missing")), k->missing);
		assert_true(json_is_true(json_object_get(sandbox, "complete")) == !k->missing[0]);
		json_decref(root);
		lab_output_free(&o);
	}
}

CASE(other_json_says_it_where_a_part_is_missing)
{
	const char *const findings[] = {
		"findings", "--observations", observations(), "--json", NULL};
	const char *const rows[] = {"devices", "--observations", observations(), "--json", NULL};
	const char *const lint[] = {"lint", "--observations", observations(), "--json", NULL};
	const char *const *const all[] = {findings, rows, lint};

	skip_without_landlock();
	for (size_t i = 0; i < 3; i++) {
		struct lab_output o = run(&kernels[0], all[i]);
		json_t *root = lab_json(o.out);

		assert_string_equal(json_string_value(json_object_get(
					    json_object_get(root, "sandbox"), "missing")),
			kernels[0].missing);
		json_decref(root);
		lab_output_free(&o);
		o = run(NULL, all[i]);
		root = lab_json(o.out);
		assert_null(json_object_get(root, "sandbox"));
		json_decref(root);
		lab_output_free(&o);
	}
}

/* An older Landlock refuses rights that it does not know: those must not be asked for. */
CASE(each_of_them_can_be_worked_with)
{
	char recording[160], page[160];
	const char *const record[] = {
		"record", "--observations", observations(), "-o", recording, NULL};
	const char *const snapshot[] = {"snapshot", "--from", recording, "--json", page, NULL};

	skip_without_landlock();
	(void)str_printf(recording, sizeof(recording), "%s/r.rts", scratch.dir);
	(void)str_printf(page, sizeof(page), "%s/page.json", scratch.dir);
	for (size_t i = 0; i < KERNELS; i++) {
		const char *const *const works[] = {record, snapshot};

		(void)unlink(recording);
		(void)unlink(page);
		for (size_t w = 0; w < 2; w++) {
			struct lab_output o = run(&kernels[i], works[w]);

			if (o.code > 1)
				fail_msg("Landlock %s: %s: exit %d, %s", kernels[i].landlock,
					works[w][0], o.code, o.err);
			lab_output_free(&o);
		}
		assert_int_equal(access(page, R_OK), 0);
	}
}

static void expect_on_screen(const struct kernel *k, bool wall)
{
	char program[256];
	const char *const console[] = {built_path("railtop", program, sizeof(program)),
		"--observations", observations(), NULL};
	const char *const noc[] = {program, "--noc", "--observations", observations(), NULL};
	const struct vt_opts opts = {.rows = 40, .cols = 160, .idle = true};
	struct vt *vt;
	bool says;

	enter_kernel(k);
	vt = vt_spawn(&opts, wall ? noc : console);
	enter_kernel(NULL);
	vt_wait_text(vt, wall ? "UTC" : "alpha", RUN_S);
	says = vt_has(vt, "SANDBOX INCOMPLETE");
	if (says != (k != NULL)) {
		char *screen = vt_screen(vt);

		fail_msg("%s: %s", wall ? "wall" : "console", screen);
	}
	if (k && !wall)
		assert_true(vt_has(vt, "the sandbox of this run is not complete: writes are not"));
	if (wall)
		vt_type(vt, "qq");
	else
		vt_key(vt, "Ctrl-c");
	(void)vt_wait_exit(vt);
	vt_free(vt);
}

CASE(screen_and_wall_say_it)
{
	skip_without_landlock();
	expect_on_screen(&kernels[0], false);
	expect_on_screen(NULL, false);
	expect_on_screen(&kernels[0], true);
	expect_on_screen(NULL, true);
}

static int set_up(void **state)
{
	char built[256];
	char *real = realpath(built_path("tests/integration/program/preload/older_kernel.so", built,
				      sizeof(built)),
		NULL);

	(void)state;
	assert_non_null(real);
	(void)str_copy(library, sizeof(library), real);
	free(real);
	/* Sanitizers want to be first. */
	(void)setenv("ASAN_OPTIONS", "verify_asan_link_order=0", 0);
	scratch_open(&scratch);
	scratch_write(&scratch, "o.jsonl",
		"{\"t\":1795260000,\"device\":\"alpha\",\"port\":\"e0\",\"state\":{\"oper\":\"up\"}"
		","
		"\"counters\":{\"rx_bytes\":1000}}\n"
		"{\"t\":1795260005,\"device\":\"alpha\",\"port\":\"e0\",\"state\":{\"oper\":\"up\"}"
		","
		"\"counters\":{\"rx_bytes\":2000}}\n");
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	scratch_close(&scratch);
	return 0;
}

CASES_MAIN(set_up, tear_down)
