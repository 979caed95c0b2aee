/* SPDX-License-Identifier: Apache-2.0 */
/* Which sandbox each command line gets. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/options/options_private.h"
#include "app/sandbox/confine.h"
#include "app/sandbox/scratch_dir.h"
#include "app/sandbox/state_dir.h"
#include "base/str.h"
#include "tests/support/cases.h"

static enum sandbox_profile profile_of(const char *line)
{
	char copy[256], *argv[16];
	const struct subcommand *sub = NULL;
	enum sandbox_profile profile;
	struct options o;
	struct err err = {0};
	int n = 0;

	(void)str_copy(copy, sizeof(copy), line);
	for (char *at = strtok(copy, " "); at && n < 15; at = strtok(NULL, " "))
		argv[n++] = at;
	argv[n] = NULL;
	if (!options_read(n, argv, &o, &sub, &err))
		fail_msg("%s: %s", line, err.text);
	profile = confine_profile(&o);
	options_free(&o);
	return profile;
}

CASE(a_file_of_others_has_no_network)
{
	static const char *const lines[] = {"railtop open a.rts", "railtop diff a.rts b.rts",
		"railtop findings --from a.rts", "railtop findings --observations a.jsonl",
		"railtop findings -f fabric.yaml --observations a.jsonl",
		"railtop snapshot --from a.rts -o b.rts", "railtop links --from a.rts",
		"railtop lint --observations -", "railtop console --from a.rts",
		"railtop --observations a.jsonl", "railtop -f fabric.yaml --noc --observations -",
		"railtop export --once --from a.rts", "railtop record --observations - -o a.rts",
		"railtop import csv a.csv -o fabric.yaml",
		"railtop import netbox a.json --from a.rts", "railtop mcp --from a.rts",
		"railtop mcp --observations a.jsonl", "railtop topology --from a.rts",
		"railtop handover --from a.rts"};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		if (profile_of(lines[i]) != SANDBOX_FILES)
			fail_msg("%s: profile %d", lines[i], (int)profile_of(lines[i]));
}

CASE(devices_are_asked_with_sockets)
{
	static const char *const lines[] = {"railtop -f fabric.yaml", "railtop demo",
		"railtop findings -f fabric.yaml", "railtop record -f fabric.yaml -o a.rts",
		"railtop discover --seed leaf-1", "railtop export -f fabric.yaml",
		"railtop export --observations -", "railtop -f fabric.yaml --observations a.jsonl",
		"railtop mcp -f fabric.yaml", "railtop topology -f fabric.yaml"};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		if (profile_of(lines[i]) != SANDBOX_DEVICES)
			fail_msg("%s: profile %d", lines[i], (int)profile_of(lines[i]));
	assert_int_equal(profile_of("railtop ledger verify"), SANDBOX_LOCAL);
	assert_int_equal(profile_of("railtop approve abc"), SANDBOX_LOCAL);
}

/* One that nobody thought of would run without a sandbox. */
CASE(every_subcommand_has_a_profile)
{
	for (size_t i = 0; i < subcommand_count; i++) {
		struct options o = {.sub = &subcommand_table[i]};

		if (confine_profile(&o) == SANDBOX_NONE)
			fail_msg("%s has no sandbox", subcommand_table[i].name);
	}
}

/* ---- outputs of the command line ---- */

/* An option of options.def whose argument is a file has a word for its use: one that is written
 * and says NO_FILE would fail in the sandbox only, at night. */
CASE(every_option_with_a_file_says_how_it_is_used)
{
	for (int i = 0; i < OPT_COUNT; i++) {
		const struct option_info *o = &option_info[i];
		bool names_file = o->arg && (strstr(o->arg, "FILE") || str_eq(o->arg, "DIR"));

		if (names_file != (o->file != FILE_NO_FILE))
			fail_msg("--%s %s has the use %d", o->name, o->arg, (int)o->file);
		/* Help texts that speak of writing. */
		if (o->arg && str_starts(o->help, "write ") && str_starts(o->arg, "FILE") &&
			o->file != FILE_WRITES)
			fail_msg("--%s is written, and has the use %d", o->name, (int)o->file);
	}
}

/* In a process of its own: begins the sandbox of that command line, and makes the file. */
static int make_output(const struct subcommand *sub, enum option_id id, const char *path)
{
	char option[64], name[64];
	char *argv[] = {"railtop", name, option, (char *)(uintptr_t)path, NULL};
	const struct subcommand *found = NULL;
	struct options o;
	struct err err = {0};
	int fd;

	(void)str_printf(option, sizeof(option), "--%s", option_info[id].name);
	(void)str_copy(name, sizeof(name), sub->name);
	if (!options_read(4, argv, &o, &found, &err) || confine_is_late(&o))
		return 0;
	if (!confine_begin(&o, NULL, &err))
		return 1;
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	return fd >= 0 && close(fd) == 0 ? 0 : 2;
}

CASE(each_output_may_be_written)
{
	char top[] = "/tmp/railtop-outputs-XXXXXX", line[128], path[160];
	unsigned tried = 0;

	if (!sandbox_kernel_places()) {
		print_message("# skip: this kernel has no Landlock\n");
		skip();
	}
	assert_non_null(mkdtemp(top));
	assert_int_equal(setenv("XDG_STATE_HOME", top, 1), 0);
	for (size_t s = 0; s < subcommand_count; s++)
		for (int i = 0; i < OPT_COUNT; i++) {
			const struct subcommand *sub = &subcommand_table[s];
			int status;
			pid_t pid;

			if (sub->view || !options_take_argument(sub, (enum option_id)i) ||
				options_file(sub, (enum option_id)i) != FILE_WRITES)
				continue;
			/* No directory that another place has. */
			(void)str_printf(path, sizeof(path), "%s/%zu-%d", top, s, i);
			assert_int_equal(mkdir(path, 0700), 0);
			(void)str_printf(path, sizeof(path), "%s/%zu-%d/file", top, s, i);
			pid = fork();
			if (pid == 0)
				_exit(make_output(sub, (enum option_id)i, path));
			assert_int_equal(waitpid(pid, &status, 0), pid);
			if (status != 0)
				fail_msg("%s --%s: the output cannot be written: %d", sub->name,
					option_info[i].name, status);
			tried++;
		}
	assert_true(tried >= 8);
	(void)str_printf(line, sizeof(line), "rm -rf %s", top);
	assert_int_equal(system(line), 0);
}

CASE(a_directory_of_its_own_goes_with_its_files)
{
	struct scratch_dir d, left;
	struct err err = {0};
	char path[1024], *gone;

	assert_true(scratch_dir_make(&d, &err));
	(void)str_printf(path, sizeof(path), "%s/file", d.path);
	assert_int_equal(close(creat(path, 0600)), 0);
	/* Another start leaves one whose process lives. */
	assert_true(scratch_dir_make(&left, &err));
	assert_int_equal(access(path, F_OK), 0);
	gone = strdup(d.path);
	/* Killed: its lock is gone, and its files are not. */
	assert_int_equal(close(d.lock), 0);
	scratch_dir_remove(&left);
	assert_true(scratch_dir_make(&left, &err));
	assert_int_equal(access(gone, F_OK), -1);
	scratch_dir_remove(&left);
	free(gone);
	free(d.path);
}

CASE(the_state_directory)
{
	char *path;

	assert_int_equal(setenv("XDG_STATE_HOME", "/x", 1), 0);
	path = state_dir_path("");
	assert_string_equal(path, "/x/railtop");
	free(path);
	path = state_dir_path("snapshots");
	assert_string_equal(path, "/x/railtop/snapshots");
	free(path);
	/* A relative one does not count. */
	assert_int_equal(setenv("XDG_STATE_HOME", "x", 1), 0);
	assert_int_equal(setenv("HOME", "/h", 1), 0);
	path = state_dir_path("views.json");
	assert_string_equal(path, "/h/.local/state/railtop/views.json");
	free(path);
}

/* ---- a file that is named in the console ---- */

static int name_files(const char *top)
{
	char *argv[] = {"railtop", "open", "none.rts", NULL};
	char to[1024], path[256], want[256];
	const struct subcommand *sub = NULL;
	struct options o;
	struct err err = {0};
	int fd;

	if (setenv("XDG_STATE_HOME", top, 1) != 0 || chdir("/") != 0 ||
		!options_read(3, argv, &o, &sub, &err) || !confine_begin(&o, NULL, &err))
		return 1;
	(void)str_printf(want, sizeof(want), "%s/railtop/recordings/shift.rts", top);
	if (!confine_output("shift.rts", to, sizeof(to), &err) || strcmp(to, want) != 0)
		return 2;
	fd = open(to, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || close(fd) != 0)
		return 3;
	if (!confine_output(want, to, sizeof(to), &err) || strcmp(to, want) != 0)
		return 4;
	(void)str_printf(path, sizeof(path), "%s/elsewhere.rts", top);
	if (confine_output(path, to, sizeof(to), &err) || err.code != ERR_REFUSED)
		return 5;
	/* The refusal tells the truth. */
	if (open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600) >= 0)
		return 6;
	confine_end();
	options_free(&o);
	return 0;
}

CASE(a_later_name_is_in_one_of_the_places)
{
	char top[] = "/tmp/railtop-confine-XXXXXX", line[128];
	int status;
	pid_t pid;

	if (!sandbox_kernel_places()) {
		print_message("# skip: this kernel has no Landlock\n");
		skip();
	}
	assert_non_null(mkdtemp(top));
	pid = fork();
	if (pid == 0)
		_exit(name_files(top));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	(void)str_printf(line, sizeof(line), "rm -rf %s", top);
	assert_int_equal(system(line), 0);
}

CASES_MAIN(NULL, NULL)
