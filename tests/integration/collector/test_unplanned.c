/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fabric without a plan of its cables, whose hosts run no lldpd: the switches' ARP entries alone
 * say which NIC is on which port.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/integration/support/lab.h"
#include "tests/support/cases.h"
#include "tests/support/obs_find.h"

/* The lab's inventory without its wiring. */
static const char *without_wiring(const struct lab *l, char *path, size_t size)
{
	char *text = read_file(l->inventory, NULL), *at = text;
	FILE *out;

	assert_non_null(text);
	(void)snprintf(path, size, "%s/unplanned.yaml", l->dir);
	out = fopen(path, "w");
	assert_non_null(out);
	while (*at) {
		size_t n = strcspn(at, "\n");

		if (strncmp(at, "wiring:", 7) != 0)
			(void)fprintf(out, "%.*s\n", (int)n, at);
		at += n + (at[n] != '\0');
	}
	assert_int_equal(fclose(out), 0);
	free(text);
	return path;
}

static json_t *ask(const char *const *args, int least)
{
	struct lab_output o = lab_railtop(args, 240);
	json_t *root;

	if (o.code < 0 || o.code > 1 || o.code < least)
		fail_msg("exit %d: %s", o.code, o.err);
	root = lab_json(o.out);
	lab_output_free(&o);
	return root;
}

static const char *string_at(const json_t *o, const char *key)
{
	const char *text = json_string_value(json_object_get(o, key));

	return text ? text : "";
}

/* The culprits, a line each: the finding and its place. */
static void culprits(json_t *root, char *dst, size_t size)
{
	json_t *f;
	size_t i;

	*dst = '\0';
	json_array_foreach(json_object_get(root, "findings"), i, f)
	{
		size_t n = strlen(dst);

		if (strcmp(string_at(f, "role"), "culprit") == 0)
			(void)snprintf(dst + n, size - n, "%s\n", string_at(f, "key"));
	}
}

static const char *learned_of(json_t *trace, const char *step)
{
	json_t *h;
	size_t i;

	json_array_foreach(json_object_get(trace, "chain"), i,
		h) if (strcmp(string_at(h, "step"), step) == 0) return string_at(h, "learned");
	return "(no such step)";
}

/* Starts a lab with the fault; its only culprit is this one. */
static void one_trouble(
	struct lab *l, const char *fault, const char *culprit, const char *span, char path[128])
{
	char text[1024];
	json_t *root;

	lab_start(l, (const char *const[]){"--steady", "--silent-hosts", "--fault", fault, NULL});
	(void)without_wiring(l, path, 128);
	root = ask((const char *const[]){"findings", "-f", path, "--for", span, "--json", NULL}, 1);
	culprits(root, text, sizeof(text));
	assert_string_equal(text, culprit);
	json_decref(root);
}

CASE(test_a_storm_is_one_culprit)
{
	struct lab l;
	char path[128];
	json_t *root, *peer, *p;

	one_trouble(&l, "pfc-storm:node002:mlx5_3,watchdog=no", "pfc.storm node002:mlx5_3\n", "15s",
		path);
	root = ask(
		(const char *const[]){"snapshot", "-f", path, "--for", "12s", "--json", "-", NULL},
		0);
	p = lab_port(lab_device(root, "node002"), "mlx5_3");
	assert_non_null(p);
	peer = json_object_get(p, "peer");
	assert_string_equal(string_at(peer, "device"), "leaf-r3-00");
	assert_string_equal(string_at(peer, "port"), "Ethernet8");
	assert_string_equal(string_at(peer, "source"), "mac");
	p = lab_port(lab_device(root, "leaf-r3-00"), "Ethernet8");
	assert_string_equal(string_at(json_object_get(p, "peer"), "source"), "mac");
	json_decref(root);
	root = ask((const char *const[]){"trace", "node002:mlx5_3", "-f", path, "--for", "12s",
			   "--json", NULL},
		0);
	assert_string_equal(learned_of(root, "leaf_port"), "mac");
	json_decref(root);
	lab_stop(&l);
}

/* It begins after the first polls: a link that is down has no ARP entry. */
CASE(test_a_flap_is_one_culprit)
{
	struct lab l;
	char path[128];

	one_trouble(&l, "link-flap:node002:mlx5_3,at=25s", "link.flapping node002:mlx5_3\n", "45s",
		path);
	lab_stop(&l);
}

CASES_MAIN(NULL, NULL)
