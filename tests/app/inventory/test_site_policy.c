/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/inventory/site_policy.h"
#include "base/clock.h"
#include "base/str.h"
#include "tests/support/cases.h"

/* The site's limits of actions, in a file that an operator cannot write. */

struct place {
	char dir[64], path[96];
	struct plan plan;
	struct err err;
};

static void open_place(struct place *p)
{
	memset(p, 0, sizeof(*p));
	(void)str_copy(p->dir, sizeof(p->dir), "/tmp/railtop-site-XXXXXX");
	assert_non_null(mkdtemp(p->dir));
	(void)str_printf(p->path, sizeof(p->path), "%s/site.yaml", p->dir);
	plan_init(&p->plan);
	p->plan.actions.granted = true;
}

static void write_site(struct place *p, const char *text, mode_t mode)
{
	FILE *f = fopen(p->path, "we");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(chmod(p->path, mode), 0);
}

static bool apply(struct place *p)
{
	memset(&p->err, 0, sizeof(p->err));
	return site_policy_apply(p->path, geteuid(), &p->plan, &p->err);
}

static void close_place(struct place *p)
{
	(void)unlink(p->path);
	(void)rmdir(p->path);
	assert_int_equal(rmdir(p->dir), 0);
	plan_free(&p->plan);
}

CASE(without_the_file_the_inventory_decides)
{
	struct place p;

	open_place(&p);
	assert_true(apply(&p));
	assert_false(p.plan.actions.four_eyes);
	assert_int_equal(p.plan.actions.per_hour, 0);
	close_place(&p);
}

CASE(the_strictest_of_both_holds)
{
	struct place p;

	open_place(&p);
	write_site(&p,
		"actions: {four_eyes: yes, per_hour: 2, hosts_out: 4, switch_interval: 1h, "
		"port_interval: 10m}\n",
		0644);
	assert_true(apply(&p));
	assert_true(p.plan.actions.four_eyes);
	assert_int_equal(p.plan.actions.per_hour, 2);
	assert_int_equal(p.plan.actions.hosts_out, 0); /* the default, one, is stricter */
	assert_int_equal(p.plan.actions.switch_us, 3600 * CLOCK_SEC);
	assert_int_equal(p.plan.actions.port_us, 0); /* the default, an hour, is stricter */
	p.plan.actions.per_hour = 1;
	p.plan.actions.hosts_out = 9;
	p.plan.actions.switch_us = 7200 * CLOCK_SEC;
	p.plan.actions.port_us = 60 * CLOCK_SEC;
	assert_true(apply(&p));
	assert_int_equal(p.plan.actions.per_hour, 1);
	assert_int_equal(p.plan.actions.hosts_out, 4);
	assert_int_equal(p.plan.actions.switch_us, 7200 * CLOCK_SEC);
	assert_int_equal(p.plan.actions.port_us, 600 * CLOCK_SEC);
	write_site(&p, "actions: {four_eyes: no}\n", 0644);
	assert_true(apply(&p));
	assert_true(p.plan.actions.four_eyes); /* of the inventory */
	close_place(&p);
}

CASE(a_file_that_an_operator_may_write_binds_nobody)
{
	struct place p;

	open_place(&p);
	write_site(&p, "actions: {four_eyes: yes}\n", 0664);
	assert_false(apply(&p));
	assert_int_equal(p.err.code, ERR_CONFIG);
	assert_non_null(strstr(p.err.text, "can be written by others"));
	assert_non_null(strstr(p.err.cure, "chmod 644"));
	assert_int_equal(chmod(p.path, 0646), 0);
	assert_false(apply(&p));
	assert_int_equal(chmod(p.path, 0644), 0);
	assert_true(apply(&p));
	assert_false(site_policy_apply(p.path, geteuid() + 1, &p.plan, &p.err));
	assert_int_equal(unlink(p.path), 0);
	assert_int_equal(symlink("/etc/hostname", p.path), 0);
	assert_false(apply(&p));
	assert_int_equal(unlink(p.path), 0);
	assert_int_equal(mkdir(p.path, 0755), 0);
	assert_false(apply(&p));
	close_place(&p);
}

CASE(what_is_not_understood_stops_actions)
{
	static const char *const bad[] = {"actions: {four_eyes: perhaps}\n",
		"actions: {four_ayes: yes}\n", "action: {four_eyes: yes}\n", "actions: [\n",
		"actions: yes\n"};
	struct place p;
	char line[640];

	open_place(&p);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		write_site(&p, bad[i], 0644);
		assert_false(apply(&p));
		assert_int_equal(p.err.code, ERR_CONFIG);
		assert_non_null(strstr(err_format(&p.err, line, sizeof(line)), "site.yaml"));
	}
	close_place(&p);
}

CASES_MAIN(NULL, NULL)
