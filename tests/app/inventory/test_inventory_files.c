/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/inventory/inventory_yaml.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "tests/app/support/inventory_expect.h"
#include "tests/support/cases.h"

#define HEAD "fabric: t\n"
#define LEAF "switches: [{names: leaf-1, dialect: sonic, tier: leaf}]\n"

/*
 * The inventory and its wiring table as files: accepted content, and refusals with file and
 * line.
 */

struct dir {
	char path[64];
};

static int dir_make(void **state)
{
	struct dir *d = mem_calloc(1, sizeof(*d));

	(void)str_copy(d->path, sizeof(d->path), "/tmp/railtop-test-XXXXXX");
	*state = d;
	return mkdtemp(d->path) ? 0 : -1;
}

static void file_path(const struct dir *d, const char *name, char *dst, size_t size)
{
	(void)str_printf(dst, size, "%s/%s", d->path, name);
}

static void file_write(const struct dir *d, const char *name, const char *text)
{
	char path[128];
	FILE *f;

	file_path(d, name, path, sizeof(path));
	f = fopen(path, "w");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static int dir_remove(void **state)
{
	static const char *const names[] = {
		"fabric.yaml", "links.csv", "big.yaml", "a.yaml", "b.yaml", "b.csv"};
	struct dir *d = *state;
	char path[128];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		file_path(d, names[i], path, sizeof(path));
		(void)unlink(path);
	}
	(void)rmdir(d->path);
	free(d);
	return 0;
}

static void add_message(void *ctx, const char *message)
{
	(void)buf_addf(ctx, "%s\n", message);
}

CASE_WITH(load_tells_one_problem_or_counts_many, dir_make, dir_remove)
{
	const struct dir *d = *state;
	struct plan plan;
	struct err err = {0};
	struct buf b;
	char path[128];

	buf_init(&b, 65536);
	file_path(d, "fabric.yaml", path, sizeof(path));
	assert_false(inventory_load(path, &plan, add_message, &b, &err));
	assert_int_equal(err.code, ERR_IO);
	assert_string_equal(err.origin, path);
	assert_string_equal(err.text, "cannot be opened: No such file or directory");
	file_write(d, "fabric.yaml", HEAD "preset: no\n" LEAF);
	assert_false(inventory_load(path, &plan, add_message, &b, &err));
	assert_string_equal(err.text, "preset: \"no\" is not a preset");
	assert_int_equal(b.len, 0);
	file_write(d, "fabric.yaml", HEAD "preset: no\nlossless: no\n" LEAF);
	assert_false(inventory_load(path, &plan, add_message, &b, &err));
	assert_string_equal(err.text, "2 problems, see above");
	assert_non_null(strstr(b.data, "fabric.yaml:2: preset: "));
	assert_non_null(strstr(b.data, "fabric.yaml:3: lossless: "));
	assert_false(inventory_load(path, &plan, NULL, NULL, &err));
	assert_string_equal(err.text, "preset: \"no\" is not a preset");
	file_write(d, "fabric.yaml", HEAD LEAF);
	assert_true(inventory_load(path, &plan, NULL, NULL, NULL));
	assert_int_equal(plan.devices.n, 1);
	plan_free(&plan);
	assert_false(inventory_load(d->path, &plan, NULL, NULL, &err));
	assert_string_equal(err.text, "cannot be opened: is a directory");
	file_path(d, "links.csv", path, sizeof(path));
	assert_int_equal(mkfifo(path, 0600), 0);
	file_write(d, "fabric.yaml", HEAD LEAF "wiring: {file: links.csv}\n");
	file_path(d, "fabric.yaml", path, sizeof(path));
	assert_false(inventory_load(path, &plan, NULL, NULL, &err));
	assert_non_null(strstr(err.text, "links.csv cannot be opened: is not a regular file"));
	plan_free(&plan);
	buf_free(&b);
}

CASE_WITH(files_above_the_bound_are_refused, dir_make, dir_remove)
{
	const struct dir *d = *state;
	struct plan plan;
	struct err err = {0};
	char path[128];

	file_write(d, "big.yaml", HEAD);
	file_path(d, "big.yaml", path, sizeof(path));
	assert_int_equal(truncate(path, 50 << 20), 0);
	assert_false(inventory_load(path, &plan, NULL, NULL, &err));
	assert_string_equal(err.text, "larger than 16 MB");
}

CASE_WITH(wiring_table_gives_links, dir_make, dir_remove)
{
	const struct dir *d = *state;
	struct plan p;
	struct err err = {0};
	const struct plan_link *l;
	char path[128];

	file_path(d, "fabric.yaml", path, sizeof(path));
	file_write(d, "fabric.yaml",
		HEAD "switches:\n - {names: 'leaf-r[0-1]-00', dialect: sonic, tier: leaf}\n"
		     "hosts: [{names: n1}]\nwiring: {file: links.csv}\n");
	file_write(d, "links.csv",
		"device,port,device,port\r\n# racks 1 and 2\r\n\r\n"
		"leaf-r1-00, Ethernet0 ,n1,mlx5_1\r\nn1,mlx5_0,leaf-r0-00,Ethernet4 # moved\n");
	assert_true(inventory_load(path, &p, NULL, NULL, &err));
	assert_int_equal(p.links.n, 2);
	l = inventory_link(&p, "leaf-r1-00", "Ethernet0");
	assert_non_null(l);
	/* The lower tier comes first, in whichever order the link was written. */
	assert_string_equal(p.devices.at[l->a].name, "n1");
	assert_string_equal(l->a_port, "mlx5_1");
	assert_int_equal(l->rail, 1);
	l = inventory_link(&p, "n1", "mlx5_0");
	assert_non_null(l);
	assert_string_equal(l->b_port, "Ethernet4");
	plan_free(&p);
}

CASE_WITH(wiring_table_problems_have_their_own_lines, dir_make, dir_remove)
{
	const struct dir *d = *state;
	struct plan p;
	struct err err = {0};
	struct buf b;
	char path[128];

	buf_init(&b, 65536);
	file_path(d, "fabric.yaml", path, sizeof(path));
	file_write(
		d, "fabric.yaml", HEAD "hosts: [{names: 'n[1-2]'}]\nwiring: {file: links.csv}\n");
	assert_false(inventory_load(path, &p, NULL, NULL, &err));
	assert_non_null(strstr(err.origin, "fabric.yaml:3"));
	assert_non_null(strstr(err.text, "links.csv cannot be opened"));
	plan_free(&p);
	file_write(d, "links.csv", "n1,a,n2,a\nn1,b\nn1,a,n2,c\nn1,d,m2,e\nn1,,n2,f\n");
	assert_false(inventory_load(path, &p, add_message, &b, &err));
	assert_non_null(strstr(b.data, "links.csv:2: 2 columns where 4 to 6 are expected "));
	assert_non_null(
		strstr(b.data, "links.csv:3: n1:a is wired a second time (first in line 1)\n"));
	assert_non_null(strstr(b.data, "links.csv:4: there is no device \"m2\" in the inventory "
				       "(did you mean n2?)\n"));
	assert_non_null(strstr(b.data, "links.csv:5: \"\" is not a port name\n"));
	plan_free(&p);
	file_write(d, "links.csv", "");
	assert_false(inventory_load(path, &p, NULL, NULL, &err));
	assert_string_equal(err.text, "is empty");
	plan_free(&p);
	file_write(d, "fabric.yaml", HEAD "hosts: [{names: n}]\nwiring: {file: ptm.dot}\n");
	assert_false(inventory_load(path, &p, NULL, NULL, &err));
	assert_string_equal(err.text, "wiring.file: a graph of Cumulus PTM is no wiring table");
	plan_free(&p);
	file_write(d, "fabric.yaml",
		HEAD "preset: ref256\nhosts: [{names: n}]\nwiring: {plan: formula, file: x}\n");
	assert_false(inventory_load(path, &p, NULL, NULL, &err));
	assert_string_equal(err.text, "wiring: \"plan: formula\" and \"file\" exclude each other");
	plan_free(&p);
	buf_free(&b);
}

/* ---- include: ---- */

CASE_WITH(an_inventory_includes_others, dir_make, dir_remove)
{
	struct dir *d = *state;
	char path[128], source[160];
	struct plan p;
	struct err err = {0};

	file_path(d, "fabric.yaml", path, sizeof(path));
	file_write(d, "fabric.yaml",
		HEAD "include: a.yaml\ndefaults: {user: noc, interval: 9s}\n" LEAF);
	file_write(d, "a.yaml",
		"fabric: a\ninclude: [b.yaml]\ndefaults: {user: gpu}\n"
		"hosts:\n  - {names: 'n[1-2]'}\n  - {names: n3, user: root}\n");
	file_write(d, "b.yaml",
		"switches: [{names: spine-1, dialect: eos, tier: spine}]\nwiring: {file: b.csv}\n");
	file_write(
		d, "b.csv", "leaf-1,Ethernet0,n1,mlx5_0\nleaf-1,Ethernet8,spine-1,Ethernet1/1\n");
	if (!inventory_load(path, &p, NULL, NULL, &err))
		fail_msg("%s: %s", err.origin, err.text);
	assert_int_equal(p.devices.n, 5);
	assert_int_equal(p.links.n, 2);
	assert_string_equal(p.devices.at[plan_find(&p, "n1")].user, "gpu");
	assert_string_equal(p.devices.at[plan_find(&p, "n3")].user, "root");
	assert_string_equal(p.devices.at[plan_find(&p, "spine-1")].user, "gpu");
	assert_string_equal(p.devices.at[plan_find(&p, "leaf-1")].user, "noc");
	assert_int_equal(p.devices.at[plan_find(&p, "n1")].interval_us, 9000000);
	(void)str_printf(source, sizeof(source), "%s/b.yaml:1", d->path);
	assert_string_equal(p.devices.at[plan_find(&p, "spine-1")].source, source);
	plan_free(&p);
}

static void expect_problem(
	const struct dir *d, const char *file, const char *line, const char *text)
{
	char path[128], origin[160];
	struct plan p;
	struct err err = {0};

	file_path(d, "fabric.yaml", path, sizeof(path));
	assert_false(inventory_load(path, &p, NULL, NULL, &err));
	(void)str_printf(origin, sizeof(origin), "%s/%s%s", d->path, file, line);
	assert_string_equal(err.origin, origin);
	if (!strstr(err.text, text))
		fail_msg("%s", err.text);
	plan_free(&p);
}

CASE_WITH(included_files_have_their_problems, dir_make, dir_remove)
{
	struct dir *d = *state;

	file_write(d, "fabric.yaml", HEAD LEAF "include: [a.yaml]\n");
	expect_problem(d, "fabric.yaml", ":3", "include[0]: ");
	file_write(d, "a.yaml", "include: [b.yaml]\n");
	file_write(d, "b.yaml", "include: a.yaml\n");
	expect_problem(d, "b.yaml", ":1", "includes itself");
	file_write(d, "b.yaml", "\nhosts: [{names: leaf-1}]\n");
	expect_problem(d, "b.yaml", ":2", "\"leaf-1\" exists already");
	file_write(d, "b.yaml", "hosts:\n - {names: [n1}\n");
	expect_problem(d, "b.yaml", ":2", "not YAML");
	file_write(d, "b.yaml", "actions: {allow: [locate]}\n");
	expect_problem(d, "b.yaml", ":1", "\"actions\" is not allowed here");
	file_write(d, "b.yaml", "wiring: {plan: formula}\n");
	expect_problem(d, "b.yaml", ":1", "stands in the first file");
	file_write(d, "b.yaml", "hosts: [{names: n1}]\nwiring: {file: b.csv}\n");
	file_write(d, "b.csv", "\nn1,a,n2,b\n");
	expect_problem(d, "b.csv", ":2", "there is no device \"n2\"");
	file_write(d, "b.yaml", "hosts: [{names: n1}]\njobs: {source: slurm, hosts: n7}\n");
	expect_problem(d, "b.yaml", ":2", "there is no device n7");
}

CASES_MAIN(NULL, NULL)
