/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `railtop discover` from one leaf of the emulated fabric: the inventory it writes is then polled.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "fabric/plan/sizing.h"
#include "tests/integration/support/lab.h"
#include "tests/support/cases.h"
#include "tests/support/obs_find.h"

struct network {
	char prefix[32]; /* "127.44.0." */
	unsigned first, port;
};

/* Names are found in ssh_config as in a name server: the inventory's addresses, in its order. */
static struct network network_of(const struct lab *l)
{
	struct network n = {0};
	size_t len;
	char *yaml = read_file(l->inventory, &len), *at, *port;

	assert_non_null(yaml);
	at = strstr(yaml, "address: \"");
	assert_non_null(at);
	assert_int_equal(sscanf(at, "address: \"%31[0-9.][%u-", n.prefix, &n.first), 2);
	port = strstr(at, "port: ");
	assert_non_null(port);
	assert_int_equal(sscanf(port, "port: %u", &n.port), 1);
	free(yaml);
	return n;
}

static void write_hosts(
	FILE *f, const struct network *n, const struct sizing *s, enum tier tier, unsigned *address)
{
	char name[NAME_MAX_LEN];

	for (unsigned i = 0; i < sizing_devices(s, tier); i++) {
		assert_true(sizing_device_name(s, tier, i, name, sizeof(name)));
		(void)fprintf(f, "Host %s\n  HostName %s%u\n  Port %u\n", name, n->prefix,
			(*address)++, n->port);
	}
}

static void write_config(const struct lab *l, const char *path)
{
	const struct sizing *s = sizing_preset("ref256");
	struct network n = network_of(l);
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	write_hosts(f, &n, s, TIER_LEAF, &n.first);
	write_hosts(f, &n, s, TIER_SPINE, &n.first);
	write_hosts(f, &n, s, TIER_HOST, &n.first);
	assert_int_equal(fclose(f), 0);
}

static const char *in_lab(const struct lab *l, const char *name, char *dst, size_t size)
{
	(void)str_printf(dst, size, "%s/%s", l->dir, name);
	return dst;
}

CASE(one_seed_finds_all)
{
	static const char *const nothing[] = {NULL};
	char config[128], key[128], hosts[128], out[128], wiring[128];
	struct lab_output o;
	struct lab l;
	size_t len, lines = 0;
	char *text;

	lab_start(&l, nothing);
	write_config(&l, in_lab(&l, "ssh_config", config, sizeof(config)));
	const char *const discover[] = {"discover", "--seed", "leaf-r3-00", "--user", "noc",
		"--identity", in_lab(&l, "id_ed25519", key, sizeof(key)), "--ssh-config", config,
		"--known-hosts", in_lab(&l, "known_hosts", hosts, sizeof(hosts)), "-o",
		in_lab(&l, "found.yaml", out, sizeof(out)), NULL};

	o = lab_railtop(discover, 240);
	if (o.code != 0)
		fail_msg("discover ended with %d: %s", o.code, o.err);
	assert_non_null(strstr(o.err, "44 devices found, 0 could not be asked"));
	lab_output_free(&o);

	text = read_file(out, &len);
	assert_non_null(text);
	assert_non_null(strstr(text, "{names: \"leaf-r5-00\", dialect: sonic, transport: ssh, "
				     "tier: leaf, rail: 5}"));
	assert_non_null(strstr(text, "{names: \"spine-[000-003]\", dialect: eos, transport: ssh, "
				     "tier: spine}"));
	assert_non_null(strstr(text, "{names: \"node[000-031]\", dialect: linux, transport: ssh, "
				     "rails: \"mlx5_[0-7]\"}"));
	free(text);
	text = read_file(in_lab(&l, "found.wiring.csv", wiring, sizeof(wiring)), &len);
	assert_non_null(text);
	for (const char *p = text; (p = strchr(p, '\n')); p++)
		lines++;
	assert_int_equal(lines, 1 + sizing_wires(sizing_preset("ref256")));
	free(text);

	const char *const check[] = {"check", "-f", out, NULL};

	o = lab_railtop(check, 240);
	assert_int_equal(o.code, 0);
	assert_non_null(strstr(o.out, "44 devices: 44 fresh"));
	lab_output_free(&o);
	lab_stop(&l);
}

/* A host with an unconfirmed key is named, not asked. */
CASE(an_unknown_key_is_not_trusted)
{
	static const char *const nothing[] = {NULL};
	char config[128], key[128], hosts[128];
	struct lab_output o;
	struct lab l;
	FILE *nobody;

	lab_start(&l, nothing);
	write_config(&l, in_lab(&l, "ssh_config", config, sizeof(config)));
	nobody = fopen(in_lab(&l, "nobody", hosts, sizeof(hosts)), "we");
	assert_non_null(nobody);
	assert_int_equal(fclose(nobody), 0);
	const char *const discover[] = {"discover", "--seed", "leaf-r3-00", "--user", "noc",
		"--identity", in_lab(&l, "id_ed25519", key, sizeof(key)), "--ssh-config", config,
		"--known-hosts", in_lab(&l, "nobody", hosts, sizeof(hosts)), NULL};

	o = lab_railtop(discover, 240);
	assert_int_equal(o.code, 3);
	assert_non_null(strstr(o.out, "#   leaf-r3-00"));
	assert_null(strstr(o.out, "switches:"));
	lab_output_free(&o);
	lab_stop(&l);
}

CASES_MAIN(NULL, NULL)
