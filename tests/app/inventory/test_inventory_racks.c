/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/inventory/inventory_yaml.h"
#include "base/str.h"
#include "fabric/model/nets.h"
#include "tests/app/support/inventory_expect.h"
#include "tests/support/cases.h"

/* racks: of an inventory, and the words of a site for its tiers. */

#define HEAD                                                                                       \
	"fabric: t\n"                                                                              \
	"switches: [{names: \"leaf-[1-3]\", dialect: sonic, tier: leaf}]\n"                        \
	"hosts: [{names: n1}]\n"

static void expect_stand(const struct plan *p, size_t i, const char *want)
{
	struct model *m = model_new(p);
	char text[STAND_TEXT];

	assert_string_equal(device_stand(m->devices.at[i], text, sizeof(text)), want);
	model_free(m);
}

CASE(racks_with_and_without_units)
{
	struct plan p;

	inventory_expect(HEAD "racks:\n"
			      "  - {rack: R12, unit: \"[40,38]\", devices: \"leaf-[1-2]\"}\n"
			      "  - {rack: \"row 3, R9\", devices: n1}\n",
		"", &p);
	expect_stand(&p, 0, "R12 U40");
	expect_stand(&p, 1, "R12 U38");
	expect_stand(&p, 2, "");
	expect_stand(&p, 3, "row 3, R9");
	plan_free(&p);
	/* The letter of a unit may be written; a place that is no number stays a word. */
	inventory_expect(HEAD "racks: [{rack: R1, unit: U7, devices: n1}, "
			      "{rack: R1, unit: top, devices: leaf-1}]\n",
		"", &p);
	expect_stand(&p, 3, "R1 U7");
	expect_stand(&p, 0, "R1 top");
	plan_free(&p);
}

/* A table of cables with lengths; the sites of their ends. */
CASE(sites_and_the_length_of_cables)
{
	static const char table[] = "device,port,device,port,speed,length\n"
				    "n1,mlx5_0,leaf-1,Ethernet0,400G,30m\n"
				    "n1,mlx5_1,leaf-2,Ethernet0,,1.5km\n"
				    "n1,mlx5_2,far-1,Ethernet0,400G,\n";
	char dir[] = "/tmp/railtop-sites-XXXXXX", path[64], yaml[512];
	struct link_reach r;
	struct model *m;
	struct plan p;
	FILE *f;

	assert_non_null(mkdtemp(dir));
	(void)str_printf(path, sizeof(path), "%s/w.csv", dir);
	f = fopen(path, "we");
	assert_non_null(f);
	(void)fputs(table, f);
	(void)fclose(f);
	(void)str_printf(yaml, sizeof(yaml),
		"fabric: t\nswitches:\n"
		"  - {names: \"leaf-[1-2]\", dialect: sonic, tier: leaf, site: FRA1}\n"
		"  - {names: far-1, dialect: sonic, tier: leaf, site: AMS2}\n"
		"hosts: [{names: n1, site: FRA1}]\nwiring: {file: \"%s\"}\n",
		path);
	inventory_expect(yaml, "", &p);
	m = model_new(&p);
	assert_string_equal(model_device(m, "far-1")->site, "AMS2");
	r = port_reach(m, model_port(m, model_device(m, "leaf-1"), "Ethernet0"));
	assert_int_equal(r.metres, 30);
	assert_int_equal(r.reach, REACH_SITE);
	r = port_reach(m, model_port(m, model_device(m, "n1"), "mlx5_1"));
	assert_int_equal(r.metres, 1500);
	assert_true(r.rtt_us > 14.6 && r.rtt_us < 14.8);
	r = port_reach(m, model_port(m, model_device(m, "n1"), "mlx5_2"));
	assert_int_equal(r.reach, REACH_BETWEEN);
	assert_true(isnan(r.rtt_us));
	model_free(m);
	plan_free(&p);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(dir), 0);
}

CASE(what_is_wrong_is_told)
{
	struct plan p;

	inventory_expect(HEAD "racks:\n"
			      "  - {rack: R1, unit: \"[1-3]\", devices: \"leaf-[1-2]\"}\n"
			      "  - {rack: R1, devices: leaf-9}\n"
			      "  - {rack: R1, devices: n1}\n"
			      "  - {rack: R2, devices: n1}\n",
		"f.yaml:5: racks: 3 units for 2 devices (give a unit for each device, or none)\n"
		"f.yaml:8: the place of n1: it stands in a rack already\n",
		&p);
	assert_string_equal(
		p.warning, "f.yaml:6: racks: there is no device leaf-9 in the inventory");
	plan_free(&p);
	inventory_expect(HEAD "racks: [{rack: R1}, {file: x.csv, rack: R2}, {rack: "
			      "\"0123456789012345678901234567890123\", devices: n1}]\n",
		"f.yaml:4: racks[0]: \"rack\" and \"devices\" must both be given ({rack: R12, "
		"unit: 40, devices: leaf-r0-00}, or {file: racks.csv})\n"
		"f.yaml:4: racks[1]: a table and a rack exclude each other ({rack: R12, unit: 40, "
		"devices: leaf-r0-00}, or {file: racks.csv})\n",
		&p);
	plan_free(&p);
	inventory_expect(HEAD "racks: [{rack: \"0123456789012345678901234567890123\", devices: "
			      "n1}]\n",
		"f.yaml:4: the place of n1: the name of the rack is missing or too long\n", &p);
	plan_free(&p);
}

/* As a spreadsheet of the whole site: with a heading, and rows of other fabrics. */
CASE(a_table_of_racks)
{
	char dir[] = "/tmp/railtop-racks-XXXXXX", path[64], text[512], want[256];
	struct plan p;
	FILE *f;

	assert_non_null(mkdtemp(dir));
	(void)str_printf(path, sizeof(path), "%s/racks.csv", dir);
	f = fopen(path, "we");
	assert_non_null(f);
	(void)fputs(
		"Device,Rack,Unit\nleaf-1, R12 ,40\n# spare\nleaf-2,R12\nnowhere,R1,1\nn1\n", f);
	assert_int_equal(fclose(f), 0);
	(void)str_printf(text, sizeof(text), HEAD "racks: {file: %s}\n", path);
	(void)str_printf(want, sizeof(want),
		"%s:6: 1 columns where 2 to 3 are expected (device,rack, and its unit if it is "
		"known: leaf-r0-00,R12,40)\n",
		path);
	inventory_expect(text, want, &p);
	expect_stand(&p, 0, "R12 U40");
	expect_stand(&p, 1, "R12");
	assert_string_equal(p.warning, "");
	plan_free(&p);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(dir), 0);
}

/* A site that writes RTSW reads RTSW; files and metrics keep the one word that all sites share. */
CASE(tiers_have_the_words_of_the_site)
{
	struct model *m;
	struct plan p;

	inventory_expect("fabric: t\n"
			 "switches:\n"
			 "  - {names: a, dialect: sonic, tier: rtsw}\n"
			 "  - {names: b, dialect: sonic, tier: spine}\n"
			 "  - {names: c, dialect: sonic, tier: ATSW}\n",
		"", &p);
	m = model_new(&p);
	assert_string_equal(model_tier_word(m, TIER_LEAF), "RTSW");
	assert_string_equal(model_tier_word(m, TIER_SPINE), "spine");
	assert_string_equal(model_tier_word(m, TIER_SUPERSPINE), "ATSW");
	assert_string_equal(model_tier_word(m, TIER_HOST), "host");
	model_free(m);
	plan_free(&p);
}

CASES_MAIN(NULL, NULL)
