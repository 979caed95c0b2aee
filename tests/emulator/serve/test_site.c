/* SPDX-License-Identifier: Apache-2.0 */
#include <arpa/inet.h>
#include <dirent.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "emulator/serve/site.h"
#include "tests/support/cases.h"

struct fixture {
	char dir[64];
	struct topology *topology; /* its own; NULL: the sim's */
	struct sim *sim;
	struct site *site;
};

static char *slurp(const struct fixture *f, const char *name)
{
	char path[512], *text = calloc(1, 1 << 20);
	FILE *file;

	assert_non_null(text);
	assert_true(str_printf(path, sizeof(path), "%s/%s", f->dir, name));
	file = fopen(path, "re");
	assert_non_null(file);
	assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
	(void)fclose(file);
	return text;
}

static struct fixture *open_fabric(const char *preset, struct topology *topology)
{
	struct sim_opts o = {.sizing = preset ? sizing_preset(preset) : NULL,
		.topology = topology,
		.seed = 1,
		.start_us = 1000000,
		.speed = 1,
		.steady = true};
	struct fixture *f = calloc(1, sizeof(*f));
	struct err err;

	assert_non_null(f);
	(void)str_copy(f->dir, sizeof(f->dir), "/tmp/railtop-site-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	f->topology = topology;
	f->sim = sim_new(&o);
	f->site = site_new(f->dir, "127.44.0.1", f->sim, &err);
	if (!f->site || !site_publish(f->site, 2222, 8443, "1s", &err))
		fail_msg("%s: %s", err.origin, err.text);
	return f;
}

static struct fixture *open_site(const char *preset)
{
	return open_fabric(preset, NULL);
}

/* Every dialect at once; how the ports of the last one are called does not matter here. */
static struct fixture *open_mixed(unsigned networks)
{
	const struct sim_platform *const mix[TIER_COUNT] = {
		NULL, sim_platform("cumulus"), sim_platform("nxos"), NULL};
	struct topology *t = topology_of_sizing(sizing_preset("ref256"), mix);

	t->device[t->ndevices - 1].platform = sim_platform("frr");
	(void)str_copy(t->name, sizeof(t->name), "it's: \"mixed\"");
	topology_add_networks(t, networks);
	return open_fabric(NULL, t);
}

static void remove_all(const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	char path[512];

	assert_non_null(d);
	while ((e = readdir(d))) {
		(void)str_printf(path, sizeof(path), "%s/%s", dir, e->d_name);
		if (e->d_name[0] != '.')
			(void)unlink(path);
	}
	(void)closedir(d);
	assert_int_equal(rmdir(dir), 0); /* nothing half-written is left */
}

static int setup(void **state)
{
	*state = open_site("ref256");
	return 0;
}

static void close_site(struct fixture *f)
{
	site_free(f->site);
	sim_free(f->sim);
	topology_free(f->topology);
	remove_all(f->dir);
	free(f);
}

static int teardown(void **state)
{
	close_site(*state);
	return 0;
}

CASE_WITH(test_files_are_private, setup, teardown)
{
	static const char *const names[] = {"id_ed25519", "known_hosts", "ca.pem", "eapi.password",
		"fabric.yaml", "truth.json"};
	const struct fixture *f = *state;
	char path[512];
	struct stat st;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		(void)str_printf(path, sizeof(path), "%s/%s", f->dir, names[i]);
		assert_int_equal(stat(path, &st), 0);
		assert_int_equal(st.st_mode & 0777, 0600);
		assert_true(st.st_size > 0);
	}
}

CASE_WITH(test_inventory, setup, teardown)
{
	static const char *const lines[] = {
		"preset: ref256\n",
		"defaults: {interval: 1s, user: noc, identity: id_ed25519, known_hosts: "
		"known_hosts, tls_ca: ca.pem}\n",
		"{names: \"leaf-r[0-7]-00\", address: \"127.44.0.[1-8]\", port: 2222, dialect: "
		"sonic, transport: ssh, tier: leaf}\n",
		"{names: \"spine-[000-003]\", address: \"127.44.0.[9-12]\", port: 8443, dialect: "
		"eos, transport: https, tier: spine, credentials: \"file:eapi.password\"}\n",
		"{names: \"node[000-031]\", address: \"127.44.0.[13-44]\", port: 2222, dialect: "
		"linux, transport: ssh, rails: \"mlx5_[0-7]\"}\n",
	};
	char *text = slurp(*state, "fabric.yaml");

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		if (!strstr(text, lines[i]))
			fail_msg("no line %s in\n%s", lines[i], text);
	free(text);
}

/* Without being told to, it grants nothing: a console must not be able to act by accident. */
CASE_WITH(test_actions_are_granted_when_asked_for, setup, teardown)
{
	const struct fixture *f = *state;
	struct err err;
	char *text = slurp(f, "fabric.yaml");

	assert_null(strstr(text, "actions:"));
	free(text);
	f->site->actions = true;
	assert_true(site_publish(f->site, 2222, 8443, "1s", &err));
	text = slurp(f, "fabric.yaml");
	assert_non_null(strstr(text, "\nactions:\n  ledger: ledger.jsonl\n"
				     "  watchdog: {action: drop, detect: 200ms, restore: "
				     "400ms}\n"));
	free(text);
	f->site->actions = false;
	assert_true(site_publish(f->site, 2222, 8443, "1s", &err));
}

CASE_WITH(test_secret_is_only_in_its_file, setup, teardown)
{
	const struct fixture *f = *state;
	char *password = slurp(f, "eapi.password"), *yaml = slurp(f, "fabric.yaml");
	char *truth = slurp(f, "truth.json");

	assert_int_equal(strlen(f->site->password), 32);
	assert_memory_equal(password, "noc:", 4);
	assert_memory_equal(password + 4, f->site->password, 32);
	assert_null(strstr(yaml, f->site->password));
	assert_null(strstr(truth, f->site->password));
	free(password);
	free(yaml);
	free(truth);
}

CASE_WITH(test_known_hosts_has_every_device, setup, teardown)
{
	char *text = slurp(*state, "known_hosts");
	unsigned lines = 0;

	for (const char *p = text; (p = strchr(p, '\n')); p++)
		lines++;
	assert_int_equal(lines, 44);
	assert_non_null(strstr(text, "[127.44.0.1]:2222 ssh-ed25519 AAAA"));
	assert_non_null(strstr(text, "[127.44.0.44]:2222 ssh-ed25519 AAAA"));
	free(text);
}

static bool verifies(const struct fixture *f, const char *cert, const char *address)
{
	char *pem = slurp(f, "ca.pem");
	gnutls_datum_t ca = {(unsigned char *)pem, (unsigned)strlen(pem)};
	gnutls_datum_t mine = {(unsigned char *)(uintptr_t)cert, (unsigned)strlen(cert)};
	gnutls_x509_crt_t root, crt;
	unsigned why = 0;
	bool ok;

	assert_int_equal(gnutls_x509_crt_init(&root), 0);
	assert_int_equal(gnutls_x509_crt_init(&crt), 0);
	assert_int_equal(gnutls_x509_crt_import(root, &ca, GNUTLS_X509_FMT_PEM), 0);
	assert_int_equal(gnutls_x509_crt_import(crt, &mine, GNUTLS_X509_FMT_PEM), 0);
	assert_int_equal(gnutls_x509_crt_list_verify(&crt, 1, &root, 1, NULL, 0, 0, &why), 0);
	assert_int_equal(why, 0);
	ok = gnutls_x509_crt_check_hostname(crt, address);
	gnutls_x509_crt_deinit(root);
	gnutls_x509_crt_deinit(crt);
	free(pem);
	return ok;
}

CASE_WITH(test_certificates, setup, teardown)
{
	const struct fixture *f = *state;

	assert_true(verifies(f, f->site->cert, "127.44.0.9"));
	assert_true(verifies(f, f->site->cert, "127.44.0.12"));
	assert_true(verifies(f, f->site->cert, "spine-002"));
	assert_false(verifies(f, f->site->cert, "127.44.0.13"));
	/* Signed by the same CA: only the name is wrong. */
	assert_false(verifies(f, f->site->wrong_cert, "127.44.0.9"));
}

static void has_lines(const char *text, const char *const lines[], size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strstr(text, lines[i]))
			fail_msg("no line %s in\n%s", lines[i], text);
}

CASE(test_every_dialect)
{
	static const char *const lines[] = {
		"fabric: 'it''s: \"mixed\"'\n",
		"preset: ref256\n",
		"{names: \"leaf-r[0-7]-00\", address: \"127.44.0.[1-8]\", port: 8443, dialect: "
		"cumulus, transport: https, tier: leaf, credentials: \"file:nvue.password\"}\n",
		"{names: \"spine-[000-002]\", address: \"127.44.0.[9-11]\", port: 8443, dialect: "
		"nxos, transport: https, tier: spine, credentials: \"file:nxapi.password\"}\n",
		"{names: \"spine-003\", address: \"127.44.0.12\", port: 2222, dialect: linux, "
		"transport: ssh, tier: spine}\n",
		"wiring: {plan: formula}\n",
	};
	struct fixture *f = open_mixed(0);
	char *yaml = slurp(f, "fabric.yaml"), *nvue = slurp(f, "nvue.password");
	char *nxapi = slurp(f, "nxapi.password");

	has_lines(yaml, lines, sizeof(lines) / sizeof(lines[0]));
	assert_null(site_wiring(f->site));
	assert_string_equal(nvue, nxapi);
	assert_non_null(strstr(nvue, f->site->password));
	assert_true(verifies(f, f->site->cert, "leaf-r7-00"));
	assert_true(verifies(f, f->site->cert, "127.44.0.11"));
	assert_false(verifies(f, f->site->cert, "127.44.0.12"));
	free(yaml);
	free(nvue);
	free(nxapi);
	close_site(f);
}

CASE(test_networks_come_with_a_table)
{
	static const char *const lines[] = {
		"{names: \"leaf-r[0-7]-00\", ",
		"{names: \"stor-leaf-[00-01]\", address: \"127.44.0.[9-10]\", port: 8443, "
		"dialect: cumulus, transport: https, tier: leaf, net: storage, ",
		"{names: \"node[000-031]\", address: \"127.44.0.[16-47]\", port: 2222, dialect: "
		"linux, transport: ssh, rails: \"mlx5_[0-7]\"}\n",
		"{names: \"stor[000-001]\", address: \"127.44.0.[48-49]\", port: 2222, dialect: "
		"linux, transport: ssh, net: storage}\n",
		"wiring: {file: wiring.csv}\n",
	};
	static const char *const cables[] = {
		"device,port,device,port\nnode000,mlx5_0,leaf-r0-00,swp1\n",
		"\nleaf-r7-00,swp56,spine-002,Ethernet1/64\n",
		"\nnode001,mlx5_8,stor-leaf-01,swp1\n",
		"\nstor001,mlx5_1,stor-leaf-01,swp18\n",
		"\nnode002,bmc,oob-leaf-00,swp3\n",
	};
	struct fixture *f = open_mixed(1U << NET_STORAGE | 1U << NET_OOB);
	char *yaml = slurp(f, "fabric.yaml"), *csv = slurp(f, "wiring.csv");

	has_lines(yaml, lines, sizeof(lines) / sizeof(lines[0]));
	has_lines(csv, cables, sizeof(cables) / sizeof(cables[0]));
	assert_null(strstr(yaml, "preset:"));
	free(yaml);
	free(csv);
	close_site(f);
}

CASE(test_addresses_are_unique_and_invert)
{
	struct fixture *f = open_site("4k");
	char *yaml = slurp(f, "fabric.yaml");

	for (size_t i = 0; i < sim_device_count(f->sim); i++) {
		struct in_addr a = site_address(f->site, sim_device(f->sim, i));
		uint32_t low = ntohl(a.s_addr) & 0xff;

		assert_true(low != 0 && low != 255);
		assert_ptr_equal(site_device(f->site, a), sim_device(f->sim, i));
	}
	assert_null(site_device(f->site, (struct in_addr){htonl(0x7f000001)}));
	assert_null(site_device(f->site, (struct in_addr){htonl(0x7f2c0000)}));
	assert_null(site_device(f->site, (struct in_addr){htonl(0x7f2c00ff)}));
	assert_null(site_device(f->site, (struct in_addr){htonl(0x7f2c033b)}));
	assert_null(site_device(f->site, (struct in_addr){htonl(0xffffffff)}));
	assert_non_null(
		strstr(yaml, "{names: \"leaf-r3-[00-15]\", address: \"127.44.0.[49-64]\","));
	/* A run of names breaks where the last byte of the address starts again. */
	assert_non_null(
		strstr(yaml, "{names: \"spine-[000-125]\", address: \"127.44.0.[129-254]\","));
	assert_non_null(strstr(yaml, "{names: \"spine-[126-127]\", address: \"127.44.1.[1-2]\","));
	free(yaml);
	close_site(f);
}

CASE_WITH(test_refuses_other_addresses_and_places, setup, teardown)
{
	const struct fixture *f = *state;
	struct err err;

	assert_null(site_new(f->dir, "192.168.0.1", f->sim, &err));
	assert_int_equal(err.code, ERR_USAGE);
	assert_non_null(strstr(err.cure, "127."));
	assert_null(site_new(f->dir, "localhost", f->sim, &err));
	assert_null(site_new(f->dir, "127.255.255.1", f->sim, &err));
	assert_int_equal(err.code, ERR_USAGE);
	assert_non_null(strstr(err.text, "do not fit"));
	assert_null(site_new("/proc/railtop", "127.0.0.1", f->sim, &err));
	assert_int_equal(err.code, ERR_IO);
}

CASES_MAIN(NULL, NULL)
