/* SPDX-License-Identifier: Apache-2.0 */
/* Units as files of schedulers: the exact text of each form. A real slurmctld 22.05 reads the trees
 * as they are here; it refuses a name with text after a bracket. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "archive/export/topology.h"
#include "base/str.h"
#include "tests/support/cases.h"
#include "tests/support/plan_make.h"
#include "tests/support/rail_fabric.h"

/* What is written, without comments; freed by the caller. */
static char *written(const struct model *m, enum topology_form form)
{
	struct err err = {0};
	struct units u;
	size_t size = 0;
	char *all = NULL, *out, *to;
	FILE *f = open_memstream(&all, &size);

	assert_non_null(f);
	units_find(m, &u);
	if (!topology_write(m, &u, form, RAIL_FABRIC_NOW, f, &err))
		fail_msg("%s", err.text);
	units_free(&u);
	assert_int_equal(fclose(f), 0);
	out = to = calloc(1, size + 1);
	for (char *line = all; *line;) {
		size_t n = strcspn(line, "\n") + 1;

		if (*line != '#') {
			memcpy(to, line, n);
			to += n;
		}
		line += n;
	}
	free(all);
	return out;
}

static void expect(const struct model *m, enum topology_form form, const char *text)
{
	char *is = written(m, form);

	assert_string_equal(is, text);
	free(is);
}

CASE(a_fabric_of_two_pods)
{
	struct model *m = rail_fabric((struct rail_shape){10, 3, 2, true});

	expect(m, TOPOLOGY_TREE,
		"SwitchName=top0-0 Switches=spine0-0,spine1-0\n"
		"SwitchName=spine0-0 Switches=su-leaf0-[0-1]\n"
		"SwitchName=spine1-0 Switches=su-leaf0-[2-3]\n"
		"SwitchName=su-leaf0-0 Nodes=node0-[0-2]\n"
		"SwitchName=su-leaf0-1 Nodes=node0-[3-5]\n"
		"SwitchName=su-leaf0-2 Nodes=node0-[6-8]\n"
		"SwitchName=su-leaf0-3 Nodes=node0-9\n");
	expect(m, TOPOLOGY_TREE_YAML,
		"- topology: railtop\n"
		"  cluster_default: true\n"
		"  tree:\n"
		"    switches:\n"
		"      - switch: top0-0\n"
		"        children: spine0-0,spine1-0\n"
		"      - switch: spine0-0\n"
		"        children: su-leaf0-[0-1]\n"
		"      - switch: spine1-0\n"
		"        children: su-leaf0-[2-3]\n"
		"      - switch: su-leaf0-0\n"
		"        nodes: node0-[0-2]\n"
		"      - switch: su-leaf0-1\n"
		"        nodes: node0-[3-5]\n"
		"      - switch: su-leaf0-2\n"
		"        nodes: node0-[6-8]\n"
		"      - switch: su-leaf0-3\n"
		"        nodes: node0-9\n");
	/* No block may have fewer nodes than the base block: here one. */
	expect(m, TOPOLOGY_BLOCK,
		"BlockName=su-leaf0-0 Nodes=node0-[0-2]\n"
		"BlockName=su-leaf0-1 Nodes=node0-[3-5]\n"
		"BlockName=su-leaf0-2 Nodes=node0-[6-8]\n"
		"BlockName=su-leaf0-3 Nodes=node0-9\n"
		"BlockSizes=1,2,4\n");
	model_free(m);
}

CASE(blocks_of_equal_size)
{
	struct model *m = rail_fabric((struct rail_shape){6, 2, 4, false});

	expect(m, TOPOLOGY_BLOCK_YAML,
		"- topology: railtop\n"
		"  cluster_default: true\n"
		"  block:\n"
		"    block_sizes:\n"
		"      - 2\n"
		"      - 4\n"
		"    blocks:\n"
		"      - block: su-leaf0-0\n"
		"        nodes: node0-[0-1]\n"
		"      - block: su-leaf0-1\n"
		"        nodes: node0-[2-3]\n"
		"      - block: su-leaf0-2\n"
		"        nodes: node0-[4-5]\n");
	expect(m, TOPOLOGY_TOPOGRAPH,
		"switches:\n"
		"  spine0-0:\n"
		"    switches:\n"
		"    - su-leaf0-0\n"
		"    - su-leaf0-1\n"
		"    - su-leaf0-2\n"
		"blocks:\n"
		"- switch: su-leaf0-0\n"
		"  nodes: [\"node0-0\", \"node0-1\"]\n"
		"- switch: su-leaf0-1\n"
		"  nodes: [\"node0-2\", \"node0-3\"]\n"
		"- switch: su-leaf0-2\n"
		"  nodes: [\"node0-4\", \"node0-5\"]\n");
	model_free(m);
}

/* Units that nothing joins are trees of their own, and no root is made up for them. */
CASE(units_without_spines)
{
	struct model *m = rail_fabric((struct rail_shape){.hosts = 4, .each = 2});

	expect(m, TOPOLOGY_TREE,
		"SwitchName=su-leaf0-0 Nodes=node0-[0-1]\n"
		"SwitchName=su-leaf0-1 Nodes=node0-[2-3]\n");
	model_free(m);
	m = rail_fabric((struct rail_shape){.hosts = 2, .each = 2, .sets_in_pod = 2});
	expect(m, TOPOLOGY_TOPOGRAPH,
		"switches:\n"
		"  su-leaf0-0:\n"
		"    switches: []\n"
		"blocks:\n"
		"- switch: su-leaf0-0\n"
		"  nodes: [\"node0-0\", \"node0-1\"]\n");
	model_free(m);
}

/* Hosts of these names at one leaf. */
static struct model *named(const char *const *names, size_t n)
{
	struct plan plan;
	struct model *m;

	plan_init(&plan);
	(void)plan_make_device(&plan, "leaf", TIER_LEAF, -1);
	for (unsigned i = 0; i < n; i++) {
		char port[16];

		(void)str_printf(port, sizeof(port), "e%u", i);
		(void)plan_make_device(&plan, names[i], TIER_HOST, -1);
		plan_make_link(&plan, i + 1, "mlx5_0", 0, port, 0);
	}
	m = model_new(&plan);
	plan_free(&plan);
	return m;
}

CASE(names_that_a_bracket_cannot_hold)
{
	static const char *const names[] = {"n01", "n02", "n1-ib", "n2-ib", "n3.example.net", "n4"};
	struct model *m = named(names, sizeof(names) / sizeof(names[0]));
	char *text = written(m, TOPOLOGY_TREE);

	assert_string_equal(text, "SwitchName=leaf Nodes=n01,n1-ib,n02,n2-ib,n3.example.net,n4\n");
	free(text);
	model_free(m);
}

/* A name out of a stranger's mouth writes no line of its own. */
CASE(hostile_names_are_left_out)
{
	static const char *const names[] = {"n1", "n2\nSwitchName=x Nodes=ALL", "n3]", "\"n4"};
	struct model *m = named(names, sizeof(names) / sizeof(names[0]));

	expect(m, TOPOLOGY_TREE, "SwitchName=leaf Nodes=n1\n");
	expect(m, TOPOLOGY_TOPOGRAPH,
		"switches:\n  leaf:\n    switches: []\nblocks:\n- switch: leaf\n  nodes: "
		"[\"n1\"]\n");
	model_free(m);
}

CASE(comments_say_what_is_proven)
{
	struct model *m = rail_fabric((struct rail_shape){.hosts = 4, .each = 2});
	struct obs *o = obs_new("stranger", "fast");
	struct err err = {0};
	struct units u;
	size_t size = 0;
	char *text = NULL;
	FILE *f = open_memstream(&text, &size);

	model_apply(m, o, RAIL_FABRIC_NOW);
	obs_free(o);
	model_device(m, "stranger")->tier = TIER_HOST;
	units_find(m, &u);
	assert_true(topology_write(m, &u, TOPOLOGY_TREE, RAIL_FABRIC_NOW, f, &err));
	assert_int_equal(fclose(f), 0);
	assert_non_null(
		strstr(text, "# links from hosts to leaves: 0 by LLDP, 16 by the plan alone\n"));
	assert_non_null(strstr(text, "# su-leaf0-0: leaf0-0,leaf1-0,leaf2-0,leaf3-0\n"));
	assert_non_null(strstr(text, "# no path between 2 parts is known"));
	assert_non_null(strstr(text, "# left out, no leaf is known: stranger\n"));
	free(text);
	units_free(&u);
	model_free(m);
}

CASE(without_a_leaf_there_is_no_file)
{
	struct plan plan;
	struct model *m;
	struct err err = {0};
	struct units u;

	plan_init(&plan);
	(void)plan_make_device(&plan, "node0", TIER_HOST, -1);
	m = model_new(&plan);
	plan_free(&plan);
	units_find(m, &u);
	assert_false(topology_write(m, &u, TOPOLOGY_TREE, RAIL_FABRIC_NOW, stdout, &err));
	assert_int_equal(err.code, ERR_UNSUPPORTED);
	assert_non_null(strstr(err.cure, "wiring:"));
	units_free(&u);
	model_free(m);
}

static unsigned alternating(unsigned i)
{
	return i / 2 + i % 2 * 2;
}

CASE(a_better_order_of_a_job)
{
	struct model *m = rail_fabric((struct rail_shape){4, 2, 2, false});
	struct err err = {0};
	struct units u;
	size_t size = 0;
	char *text = NULL;
	json_t *root, *job;
	FILE *f = open_memstream(&text, &size);

	rail_fabric_job(m, 8, 2, alternating);
	units_find(m, &u);
	assert_true(topology_order(m, &u, 0, f, &err));
	assert_int_equal(fclose(f), 0);
	assert_string_equal(text,
		"# as it runs: 4 hosts, the ring crosses 4 times between units; in this order 2\n"
		"node0-0\nnode0-1\nnode0-2\nnode0-3\n");
	free(text);
	assert_false(topology_order(m, &u, 9, stdout, &err));
	text = NULL;
	f = open_memstream(&text, &size);
	assert_true(topology_json(m, &u, RAIL_FABRIC_NOW, f, &err));
	assert_int_equal(fclose(f), 0);
	root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(root);
	assert_int_equal(json_array_size(json_object_get(root, "units")), 2);
	job = json_array_get(json_object_get(root, "jobs"), 0);
	assert_int_equal(json_integer_value(json_object_get(job, "crossings")), 4);
	assert_int_equal(json_integer_value(json_object_get(job, "crossings_least")), 2);
	assert_int_equal(json_integer_value(json_object_get(job, "off_rail")), 0);
	assert_string_equal(
		json_string_value(json_array_get(json_object_get(job, "better"), 1)), "node0-1");
	json_decref(root);
	free(text);
	text = NULL;
	f = open_memstream(&text, &size);
	assert_true(topology_text(m, &u, RAIL_FABRIC_NOW, f, &err));
	assert_int_equal(fclose(f), 0);
	assert_non_null(strstr(text, "its ring crosses 4 times between units (2 would do)"));
	free(text);
	units_free(&u);
	model_free(m);
}

CASES_MAIN(NULL, NULL)
