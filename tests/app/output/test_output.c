/* SPDX-License-Identifier: Apache-2.0 */
/* An existing file survives every failure of the file that was to replace it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/headless/headless.h"
#include "app/output/output.h"
#include "base/str.h"
#include "tests/support/cases.h"

struct stage {
	char dir[64], a[128], b[128], fresh[160];
};

static int setup(void **state)
{
	struct stage *s = calloc(1, sizeof(*s));

	(void)str_copy(s->dir, sizeof(s->dir), "/tmp/railtop-output-XXXXXX");
	assert_non_null(mkdtemp(s->dir));
	(void)str_printf(s->a, sizeof(s->a), "%s/fabric.yaml", s->dir);
	(void)str_printf(s->b, sizeof(s->b), "%s/fabric.wiring.csv", s->dir);
	(void)str_printf(s->fresh, sizeof(s->fresh), "%s.new", s->b);
	*state = s;
	return 0;
}

static int teardown(void **state)
{
	struct stage *s = *state;
	char config[128];

	(void)str_printf(config, sizeof(config), "%s/config", s->dir);
	(void)unlink(config);
	(void)unlink(s->a);
	(void)unlink(s->b);
	(void)rmdir(s->fresh);
	/* Nothing else was left there. */
	assert_int_equal(rmdir(s->dir), 0);
	free(s);
	return 0;
}

static void put(const char *path, const char *text)
{
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static void expect(const char *path, const char *text)
{
	char found[256] = "";
	FILE *f = fopen(path, "re");

	assert_non_null(f);
	found[fread(found, 1, sizeof(found) - 1, f)] = '\0';
	(void)fclose(f);
	assert_string_equal(found, text);
}

static bool write_both(const struct stage *s, bool keep, struct err *err)
{
	struct buf a, b;
	bool ok;

	buf_init(&a, 64);
	buf_init(&b, 64);
	(void)buf_adds(&a, "new a\n");
	(void)buf_adds(&b, "new b\n");
	{
		const struct output files[] = {
			{s->a, &a, keep}, {NULL, NULL, keep}, {s->b, &b, keep}};

		ok = output_write(files, 3, err);
	}
	buf_free(&a);
	buf_free(&b);
	return ok;
}

CASE_WITH(all_or_none, setup, teardown)
{
	const struct stage *s = *state;
	struct err err = {0};

	put(s->a, "old a\n");
	put(s->b, "old b\n");
	/* The second one cannot be made: the first one stays as it was. */
	assert_int_equal(mkdir(s->fresh, 0700), 0);
	assert_false(write_both(s, false, &err));
	assert_int_equal(err.code, ERR_IO);
	assert_string_equal(err.origin, s->b);
	expect(s->a, "old a\n");
	expect(s->b, "old b\n");
	assert_int_equal(rmdir(s->fresh), 0);
	assert_true(write_both(s, false, &err));
	expect(s->a, "new a\n");
	expect(s->b, "new b\n");
}

static mode_t mode_of(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return st.st_mode & 0777;
}

/* What a fabric looks like is its operators' business, whatever the umask. */
CASE_WITH(a_new_file_is_its_owners, setup, teardown)
{
	struct stage *s = *state;
	struct buf text;
	struct output file = {.path = s->a, .bytes = &text};
	struct err err = {0};
	mode_t before = umask(0);
	FILE *f;

	buf_init(&text, 64);
	(void)buf_adds(&text, "x\n");
	assert_true(output_write(&file, 1, &err));
	assert_int_equal(mode_of(s->a), 0600);
	/* Its owner gave it to the group: that stays. */
	assert_int_equal(chmod(s->a, 0644), 0);
	assert_true(output_write(&file, 1, &err));
	assert_int_equal(mode_of(s->a), 0644);
	f = headless_open(s->b, &err);
	assert_non_null(f);
	assert_true(headless_close(f, s->b, &err));
	assert_int_equal(mode_of(s->b), 0600);
	/* A directory that was shared on purpose. */
	assert_int_equal(unlink(s->a), 0);
	assert_int_equal(unlink(s->b), 0);
	assert_int_equal(chmod(s->dir, 02770), 0);
	assert_true(output_write(&file, 1, &err));
	assert_int_equal(mode_of(s->a), 0640);
	assert_int_equal(chmod(s->dir, 0700), 0);
	(void)umask(before);
	buf_free(&text);
}

CASE_WITH(what_came_meanwhile_is_kept, setup, teardown)
{
	const struct stage *s = *state;
	struct err err = {0};

	put(s->a, "old a\n");
	assert_false(write_both(s, true, &err));
	assert_string_equal(err.origin, s->a);
	expect(s->a, "old a\n");
	assert_int_not_equal(access(s->b, F_OK), 0);
	assert_int_equal(unlink(s->a), 0);
	assert_true(write_both(s, true, &err));
	expect(s->a, "new a\n");
}

CASE_WITH(another_kind_is_not_replaced, setup, teardown)
{
	const struct stage *s = *state;
	struct err err = {0};

	assert_true(output_allowed(s->a, OUTPUT_PAGE, &err));
	assert_true(output_allowed(s->a, OUTPUT_NEW, &err));
	assert_true(output_allowed(NULL, OUTPUT_NEW, &err));
	assert_true(output_allowed("-", OUTPUT_NEW, &err));
	assert_true(output_allowed("/dev/null", OUTPUT_NEW, &err));
	put(s->a, "fabric: x\n");
	assert_false(output_allowed(s->a, OUTPUT_PAGE, &err));
	assert_non_null(strstr(err.text, "inventory"));
	assert_false(output_allowed(s->a, OUTPUT_NEW, &err));
	assert_non_null(strstr(err.cure, "--force"));
	put(s->b, "a page of last time\n");
	assert_true(output_allowed(s->b, OUTPUT_PAGE, &err));
	put(s->b, "SQLite format 3");
	assert_false(output_allowed(s->b, OUTPUT_PAGE, &err));
	assert_non_null(strstr(err.text, "recording"));
}

/* Nobody listens on the port: nothing is found. */
static int discover(const struct stage *s, bool force)
{
	static const char *const seeds[] = {"127.0.0.1"};
	char config[128];
	struct options o = {.output = s->a, .force = force, .collectors = 1};

	(void)str_printf(config, sizeof(config), "%s/config", s->dir);
	put(config, "Host *\n\tPort 1\n");
	o.ssh_config = config;
	o.known_hosts = "/dev/null";
	o.user = "noc";
	o.seeds.at = (void *)(uintptr_t)seeds;
	o.seeds.n = 1;
	return sub_discover(&o);
}

CASE_WITH(discover_leaves_an_inventory_alone, setup, teardown)
{
	const struct stage *s = *state;

	/* Nothing can be added to it. */
	put(s->a, "switches: [mine]\n");
	assert_int_equal(discover(s, false), EXIT_USAGE);
	expect(s->a, "switches: [mine]\n");
	/* Nothing was found to be added. */
	put(s->a, "fabric: mine\n");
	assert_int_equal(discover(s, false), EXIT_UNREACHED);
	expect(s->a, "fabric: mine\n");
	/* Neither where it may replace it: nothing was found. */
	assert_int_equal(discover(s, true), EXIT_UNREACHED);
	expect(s->a, "fabric: mine\n");
	assert_int_not_equal(access(s->b, F_OK), 0);
	assert_int_equal(unlink(s->a), 0);
	/* The table counts as well. */
	put(s->b, "device,port,device,port\n");
	assert_int_equal(discover(s, false), EXIT_USAGE);
	assert_int_equal(unlink(s->b), 0);
	assert_int_equal(discover(s, false), EXIT_UNREACHED);
	assert_int_not_equal(access(s->a, F_OK), 0);
	assert_int_not_equal(access(s->b, F_OK), 0);
}

/* A table has no place beside a device: none is looked for, and none is left in /dev. */
CASE_WITH(discover_writes_into_a_device, setup, teardown)
{
	const struct stage *s = *state;

	put(s->b, "device,port,device,port\n");
	assert_int_equal(symlink("/dev/null", s->a), 0);
	assert_int_equal(discover(s, false), EXIT_UNREACHED);
	expect(s->b, "device,port,device,port\n");
	assert_int_equal(unlink(s->a), 0);
}

/* At once: after all was asked the table alone would be there. */
CASE_WITH(directories_are_refused, setup, teardown)
{
	const struct stage *s = *state;
	struct err err = {0};

	assert_int_equal(mkdir(s->a, 0700), 0);
	assert_false(output_allowed(s->a, OUTPUT_PAGE, &err));
	assert_string_equal(err.text, "is a directory");
	assert_int_equal(discover(s, false), EXIT_USAGE);
	assert_int_equal(discover(s, true), EXIT_USAGE);
	assert_int_not_equal(access(s->b, F_OK), 0);
	assert_int_equal(rmdir(s->a), 0);
}

CASE_WITH(two_outputs_are_two_files, setup, teardown)
{
	const struct stage *s = *state;
	struct options o = {.text = s->a, .json = s->a, .from = "/nonexistent.rts"};
	char other[256];
	int errors;

	assert_true(output_same(s->a, s->a));
	(void)str_printf(other, sizeof(other), "%s/./fabric.yaml", s->dir);
	assert_true(output_same(s->a, other));
	assert_false(output_same(s->a, s->b));
	assert_false(output_same("-", "-"));
	assert_false(output_same("/dev/null", "/dev/null"));
	assert_false(output_same(NULL, NULL));
	put(s->a, "old a\n");
	assert_int_equal(link(s->a, s->b), 0);
	assert_true(output_same(s->a, s->b));
	assert_int_equal(unlink(s->b), 0);
	assert_int_equal(unlink(s->a), 0);
	/* No recording is opened for it. */
	errors = dup(STDERR_FILENO);
	assert_non_null(freopen(s->b, "w", stderr));
	assert_int_equal(sub_snapshot(&o), EXIT_USAGE);
	(void)fflush(stderr);
	assert_true(dup2(errors, STDERR_FILENO) >= 0);
	(void)close(errors);
	(void)str_printf(other, sizeof(other),
		"railtop snapshot: %s: two outputs have this name: name a file for each\n", s->a);
	expect(s->b, other);
}

CASES_MAIN(NULL, NULL)
