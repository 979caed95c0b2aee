/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_DISCOVER_DISCOVER_H
#define APP_DISCOVER_DISCOVER_H

#include <stdio.h>

#include "backends/contract/backend.h"
#include "base/err.h"
#include "base/vec.h"
#include "fabric/vocabulary/observation.h"
#include "fabric/plan/plan.h"

/*
 * Discovers a fabric: logs in to a few seeds, detects their dialects, reads their LLDP neighbours,
 * and continues with these. Only reads. Host keys are verified as always: a neighbour with an
 * unknown key is listed, not polled.
 */

/* A port as its own device reports it. */
struct found_port {
	char name[NAME_MAX_LEN], alias[NAME_MAX_LEN], netdev[NAME_MAX_LEN];
	char mac[18];  /* "b8:ce:f6:aa:00:01", or "" */
	unsigned mbps; /* speed in operation; 0: unknown */
	bool is_bond;  /* no end of a cable */
};

/* A device named by the operator or by a neighbour. */
struct found {
	char name[NAME_MAX_LEN];
	char address[NAME_MAX_LEN]; /* address to connect to; at first the name */
	char mgmt[NAME_MAX_LEN];    /* management address from a neighbour's LLDP, or "" */
	char descr[128];            /* system description from a neighbour's LLDP, or "" */
	enum found_state {
		FOUND_NEW,
		FOUND_KNOWN,
		FOUND_FAILED,
		FOUND_SAME, /* a second name of another device: not counted */
	} state;
	bool tried_mgmt;
	char dialect[16]; /* "" until it is known */
	int score;
	bool rdma, frr;
	struct err err; /* why it could not be polled */
	enum tier tier;
	int rail;         /* of a leaf, -1: unknown */
	VEC(char *) nics; /* of a host: RDMA devices in natural order */
	/* Of a host: the slaves of bonds, each followed by its bond's name. */
	VEC(char *) slaves;
	VEC(struct found_port) ports;
};

/* A cable as reported by LLDP of device a. */
struct found_link {
	size_t a, b; /* indices into devices */
	char a_port[NAME_MAX_LEN], b_port[NAME_MAX_LEN];
};

struct discovery {
	VEC(struct found) devices;
	VEC(struct found_link) links;
	/* Neighbours without a name, firmware of NICs: b_port is a MAC. */
	VEC(struct found_link) nameless;
	size_t skipped; /* neighbours with invalid device names */
	bool cut;       /* the limit was reached; there are more devices */
};

struct discover_opts {
	const char *const *seeds;
	size_t nseeds;
	struct plan_device access; /* user, identity, ssh_config, known_hosts, port; borrowed */
	size_t limit;              /* limit of devices */
	unsigned threads;
	int64_t round_us; /* limit of one round in microseconds */
	void (*progress)(void *ctx, const struct discovery *d, const char *doing);
	void *ctx;
};

/* Runs the discovery. False with err only when no device can be polled at all. Devices that did not
 * answer are in the result. The caller frees out with discovery_free(). */
bool discover_run(const struct discover_opts *opts, struct discovery *out, struct err *err);
void discovery_free(struct discovery *d);

/* ---- steps, for tests ---- */

/* Index of a device by its name, with or without the domain; SIZE_MAX: none. */
size_t discovery_find(const struct discovery *d, const char *name);
/* Learns from one answer of device `from`: host name, RDMA devices, neighbours. */
void discovery_learn(struct discovery *d, size_t from, const struct obs *o, size_t limit);
/* Learns names, MACs and speeds of the device's own ports. */
void discovery_learn_ports(struct found *f, const struct obs *o);
/* The port by its name, alias, netdev or MAC; NULL: unknown. */
const struct found_port *discovery_port(const struct found *f, const char *name);
/* Turns neighbours without a name into links, where a device has reported their MAC. */
void discovery_match_macs(struct discovery *d);
/* Sets tiers by the distance from hosts, and rails by the NIC cabled to a leaf. */
void discovery_tiers(struct discovery *d);

/*
 * Polls the devices in `which` (indices) and calls each() for every batch. ops NULL: each in its
 * own dialect.
 */
bool discover_ask(const struct discover_opts *opts, const struct discovery *d, const size_t *which,
	size_t n, const struct backend_ops *ops,
	void (*each)(void *ctx, size_t device, const struct obs *o), void *ctx, struct err *err);

/* Writes fabric.yaml. wiring: name of the file with the links, NULL: none. */
bool discovery_write(
	const struct discovery *d, const struct discover_opts *opts, const char *wiring, FILE *out);
/*
 * Writes the links as device,port,device,port,speed; each cable once. Ports have their devices' own
 * names. The speed is the one in operation, where both ends agree on it.
 */
bool discovery_write_wiring(const struct discovery *d, FILE *out);

#endif
