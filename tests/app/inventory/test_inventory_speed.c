/* SPDX-License-Identifier: Apache-2.0 */
/* The fifth column of a wiring table: the speed that a link should have. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/inventory/inventory_yaml.h"
#include "base/err.h"
#include "base/str.h"
#include "tests/support/cases.h"

#define FABRIC                                                                                     \
	"fabric: f\nhosts: [{names: 'n[1-2]', rails: 'mlx5_[0-7]'}]\nwiring: {file: links.csv}\n"

static void put(const char *dir, const char *name, const char *text)
{
	char path[128];
	FILE *f;

	(void)str_printf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "we");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

/* Loads the inventory with these links. */
static bool load(const char *links, struct plan *p, struct err *err)
{
	char dir[] = "/tmp/railtop-speed-XXXXXX", path[128];
	bool ok;

	assert_non_null(mkdtemp(dir));
	put(dir, "fabric.yaml", FABRIC);
	put(dir, "links.csv", links);
	(void)str_printf(path, sizeof(path), "%s/fabric.yaml", dir);
	ok = inventory_load(path, p, NULL, NULL, err);
	(void)unlink(path);
	(void)str_printf(path, sizeof(path), "%s/links.csv", dir);
	(void)unlink(path);
	(void)rmdir(dir);
	return ok;
}

CASE(speeds_are_planned_where_they_are_stated)
{
	static const unsigned want[] = {400000, 200000, 0, 0, 800000, 1600000};
	struct plan p;
	struct err err = {0};

	/* A speed that is not stated is unknown. */
	assert_true(load("device,port,device,port,speed\nn1,mlx5_0,n2,mlx5_0, 400G \n"
			 "n1,mlx5_1,n2,mlx5_1,200000\nn1,mlx5_2,n2,mlx5_2,\nn1,mlx5_3,n2,mlx5_3\n"
			 "n1,mlx5_4,n2,mlx5_4,800g # new\nn1,mlx5_5,n2,mlx5_5,1.6T\n",
		&p, &err));
	assert_int_equal(p.links.n, 6);
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(p.links.at[i].speed_mbps, want[i]);
	plan_free(&p);
}

CASE(what_is_no_speed_is_refused)
{
	static const char *const wrong[] = {
		"fast", "400", "0", "G", "-1", "400GG", "400 G", "1e6", "99999999999G", "4.5G"};
	struct plan p;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct err err = {0};
		char links[80], want[120];

		(void)str_printf(links, sizeof(links), "n1,mlx5_0,n2,mlx5_0,%s\n", wrong[i]);
		assert_false(load(links, &p, &err));
		(void)str_printf(want, sizeof(want), "\"%s\" is not a speed", wrong[i]);
		assert_string_equal(err.text, want);
		assert_non_null(strstr(err.origin, "links.csv:1"));
		assert_string_equal(err.cure, "400G, 1.6T, or in Mb/s: 400000");
		plan_free(&p);
	}
}

CASES_MAIN(NULL, NULL)
