/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_SITE_H
#define EMULATOR_SITE_H

#include <libssh/libssh.h>
#include <netinet/in.h>
#include <stdbool.h>

#include "base/err.h"
#include "emulator/sim/sim.h"

/*
 * The directory that a console needs to reach the emulated fabric. It has keys, known_hosts, CA,
 * password, fabric.yaml (with wiring.csv if no formula gives the wiring), and truth.json to check
 * the console against. Each start makes all files anew, readable by their owner only, and renames
 * them into place whole.
 */
#define SITE_USER   "noc"
#define SITE_WIRING "wiring.csv"

struct site {
	char *dir;
	int lock; /* an open file in dir, locked while this process lives */
	struct sim *sim;
	uint32_t first;                 /* address of the first leaf, host byte order */
	size_t hosts;                   /* the first of the sim's devices */
	ssh_key user, host, wrong_host; /* private keys; wrong_host for the fault wrong-key */
	char *cert, *key;               /* PEM of all HTTPS devices */
	char *wrong_cert, *wrong_cert_key;
	char password[33];
	bool actions; /* fabric.yaml grants them; set before site_publish() */
};

/*
 * Creates dir if it is missing, and the secrets in it; listen is the address of the first
 * device.
 */
struct site *site_new(const char *dir, const char *listen, struct sim *s, struct err *err);
void site_free(struct site *s);

/*
 * The device's own loopback address. The networks of 254 addresses follow one another: leaf, spine,
 * hosts.
 */
struct in_addr site_address(const struct site *s, const struct sim_device *d);
/* The device with the address, or NULL; in constant time. */
struct sim_device *site_device(const struct site *s, struct in_addr a);

/*
 * Name of the file in dir with "user:password" for a dialect that railtop reaches over HTTPS. NULL:
 * railtop reaches this dialect over SSH.
 */
const char *site_password_file(const char *dialect);

/* Writes known_hosts and fabric.yaml once the ports are known; interval as "1s". */
bool site_publish(const struct site *s, unsigned ssh_port, unsigned https_port,
	const char *interval, struct err *err);
bool site_write_truth(const struct site *s, struct err *err);

/* site_tls.c: a CA, a certificate for every HTTPS device and one for another name, as PEM. */
bool site_make_tls(struct site *s, char **ca, struct err *err);
/* site_yaml.c: the inventory's text; the caller frees it. */
char *site_yaml(const struct site *s, unsigned ssh_port, unsigned https_port, const char *interval);
/*
 * The wiring table of the plan, as CSV; NULL if the preset's formula gives the wiring. The caller
 * frees it.
 */
char *site_wiring(const struct site *s);

#endif
