/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hosts of several kinds behind real SSH: bonds (RoCE LAG), two-port NICs, Pollara, Thor, and jobs
 * that are known by their logs alone, as four launchers print them.
 */
#include <math.h>
#include <string.h>

#include "app/options/options.h"
#include "tests/integration/support/lab.h"
#include "tests/support/cases.h"

static void start(struct lab *l, const char *first, const char *second, const char *third)
{
	const char *args[16] = {"--preset", "mixed-hosts"};
	const char *const faults[] = {first, second, third};
	size_t n = 2;

	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		if (!faults[i])
			continue;
		args[n++] = "--fault";
		args[n++] = faults[i];
	}
	lab_start(l, args);
}

#define TRIES 6 /* a busy machine: not every device was heard in the time given */

/* The JSON of a subcommand that collects for so long, and again until every device was heard. */
static json_t *ask(const struct lab *l, const char *what, const char *place, const char *duration)
{
	const char *const all[] = {
		what, "-f", l->inventory, "--for", duration, "--json", place, NULL};
	struct lab_output o = lab_railtop(all, 240);
	json_t *root;

	for (unsigned i = 1; i < TRIES && o.code == EXIT_UNREACHED; i++) {
		lab_output_free(&o);
		o = lab_railtop(all, 240);
	}
	if (o.code > 1)
		fail_msg("%s: exit %d, %s", what, o.code, o.err);
	root = lab_json(o.out);
	lab_output_free(&o);
	return root;
}

static const char *text_at(json_t *o, const char *key)
{
	const char *text = json_string_value(json_object_get(o, key));

	return text ? text : "";
}

static json_t *find(json_t *root, const char *id, const char *place)
{
	json_t *f;
	size_t i;

	json_array_foreach(json_object_get(root, "findings"), i, f)
	{
		char text[96];

		(void)snprintf(
			text, sizeof(text), "%s:%s", text_at(f, "device"), text_at(f, "port"));
		if (strcmp(text_at(f, "id"), id) == 0 && strcmp(text, place) == 0)
			return f;
	}
	return NULL;
}

static void print_findings(json_t *root)
{
	json_t *f;
	size_t i;

	json_array_foreach(json_object_get(root, "findings"), i, f)
	{
		char *text = json_dumps(f, JSON_COMPACT);

		print_error("%.600s\n", text);
		free(text);
	}
}

static json_t *must_find(json_t *root, const char *id, const char *place)
{
	json_t *f = find(root, id, place);

	if (!f) {
		print_findings(root);
		fail_msg("no %s at %s", id, place);
	}
	return f;
}

static double rate_of(json_t *snap, const char *device, const char *port, const char *counter)
{
	json_t *p = lab_port(lab_device(snap, device), port);

	if (!p)
		fail_msg("%s has no port %s", device, port);
	return lab_counter(p, counter, NULL, "rate");
}

CASE(healthy_hosts_of_all_kinds_have_no_findings)
{
	struct lab l;
	json_t *root;

	start(&l, NULL, NULL, NULL);
	root = ask(&l, "findings", NULL, "20s");
	if (json_array_size(json_object_get(root, "findings"))) {
		print_findings(root);
		fail_msg("findings in a healthy fabric");
	}
	json_decref(root);
	lab_stop(&l);
}

CASE(each_kind_of_nic_has_its_rates)
{
	static const struct {
		const char *device, *port;
	} nics[] = {{"node000", "mlx5_bond_2"}, {"node000", "eth4"}, {"node000", "eth5"},
		{"node005", "mlx5_3"}, {"node008", "ionic_5"}, {"node014", "bnxt_re7"}};
	double bond, slaves;
	struct lab l;
	json_t *snap;

	start(&l, NULL, NULL, NULL);
	snap = ask(&l, "snapshot", "-", "10s");
	for (size_t i = 0; i < sizeof(nics) / sizeof(nics[0]); i++)
		if (!(rate_of(snap, nics[i].device, nics[i].port, "tx_bytes") > 1e8))
			fail_msg("%s:%s sends nothing", nics[i].device, nics[i].port);
	bond = rate_of(snap, "node000", "mlx5_bond_2", "tx_bytes");
	slaves = rate_of(snap, "node000", "eth4", "tx_bytes") +
		 rate_of(snap, "node000", "eth5", "tx_bytes");
	assert_true(fabs(bond - slaves) < 0.02 * slaves);
	/* An Ethernet bond is a port, and so are its slaves. */
	assert_non_null(lab_port(lab_device(snap, "node002"), "bond8"));
	assert_non_null(lab_port(lab_device(snap, "node002"), "eth17"));
	json_decref(snap);
	lab_stop(&l);
}

/* The bond goes on with half of its speed: its GPUs are slowed, and none is cut off. */
CASE(a_slave_of_a_bond_goes_down_under_load)
{
	struct lab l;
	json_t *root, *down, *bond, *f;
	size_t i;

	start(&l, "link-down:node001:eth3,at=5s", NULL, NULL);
	root = ask(&l, "findings", NULL, "30s");
	bond = must_find(root, "link.bond", "node001:mlx5_bond_1");
	assert_non_null(strstr(text_at(bond, "title"), "1 of 2 links of the bond are up"));
	assert_non_null(strstr(text_at(bond, "title"), "200 of 400 Gb/s"));
	down = must_find(root, "link.down", "node001:eth3");
	assert_int_equal(json_integer_value(json_object_get(down, "gpus_blocked")), 0);
	assert_true(json_integer_value(json_object_get(down, "gpus_slow")) > 0);
	/* All else follows from the link. */
	json_array_foreach(json_object_get(root, "findings"), i,
		f) if (f != down && strcmp(text_at(f, "role"), "culprit") == 0)
	{
		print_findings(root);
		fail_msg("a second culprit: %s", text_at(f, "key"));
	}
	json_decref(root);
	lab_stop(&l);
}

/* mpirun's tags, kubectl's prefixes, and a log with nothing but warnings. */
CASE(launchers_lines_name_the_nic)
{
	struct lab l;
	json_t *root;

	start(&l, "link-down:node006:mlx5_5,at=8s", "link-down:node009:ionic_3,at=8s",
		"link-down:node013:bnxt_re2,at=8s");
	root = ask(&l, "findings", NULL, "35s");
	(void)must_find(root, "nccl.nic", "node006:mlx5_5");
	(void)must_find(root, "nccl.nic", "node009:ionic_3");
	(void)must_find(root, "nccl.nic", "node013:bnxt_re2");
	json_decref(root);
	lab_stop(&l);
}

CASES_MAIN(NULL, NULL)
