/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_DISCOVER_DISCOVER_H
#define APP_DISCOVER_DISCOVER_H

#include <semaphore.h>
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

/* An address of a device, or a prefix that it routes. */
struct found_net {
	unsigned char bytes[16];
	unsigned length; /* of the prefix in bits */
	bool v6;
	char port[NAME_MAX_LEN]; /* netdev that has the address, or that the route leaves by */
};

/* A BGP session of a device. */
struct found_peer {
	char peer[NAME_MAX_LEN]; /* netdev, or address of the neighbour */
	bool v6;                 /* its address family */
	size_t prefixes;         /* that the neighbour announces */
};

/* What a device itself says about its place: backends/dialects/linux/role.c. */
struct found_role {
	bool read; /* all of it was read */
	bool rdma, gpus, chip;
	int forwards;  /* -1: unknown */
	unsigned caps; /* LLDP_CAP_* that it announces */
	bool protocol; /* it has routes of a routing protocol */
	VEC(struct found_net) addresses, routes;
	VEC(struct found_peer) peers;
	VEC(char *) bridged;  /* netdevs of bridges */
	struct found_net via; /* the address that the connection reached, length 0: unknown */
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
	char dialect[16]; /* "" until it is known */
	int score;
	struct err err; /* why it could not be polled */
	struct found_role role;
	unsigned peer_caps; /* LLDP_CAP_* that neighbours heard from it */
	bool is_switch;
	enum tier tier;
	int rail;             /* of a leaf, -1: unknown */
	const char *kind_why; /* why it is a switch or a host; static */
	const char *tier_why; /* why a switch has this tier; static, "" for a host */
	char rack[RACK_TEXT], unit[UNIT_TEXT]; /* where it stands, from an import; "" */
	VEC(char *) nics;                      /* of a host: RDMA devices in natural order */
	/* Of a host: the slaves of bonds, each followed by its bond's name. */
	VEC(char *) slaves;
	VEC(struct found_port) ports;
};

/* A cable as reported by LLDP of device a. */
struct found_link {
	size_t a, b; /* indices into devices */
	char a_port[NAME_MAX_LEN], b_port[NAME_MAX_LEN];
	bool management; /* not part of the fabric */
};

struct discovery {
	VEC(struct found) devices;
	VEC(struct found_link) links;
	/* Neighbours without a name, firmware of NICs: b_port is a MAC. */
	VEC(struct found_link) nameless;
	size_t skipped; /* neighbours with invalid device names */
	bool cut;       /* the limit was reached; there are more devices */
	bool unnamed;   /* a device had to be reached by its management address */
	/* Of an import, for messages: "the NetBox export says". NULL: the network itself. */
	const char *source;
};

struct discover_opts {
	const char *const *seeds;
	size_t nseeds;
	struct plan_device
		access; /* user, identity, ssh_config, known_hosts, jump, port; borrowed */
	size_t limit;   /* limit of devices */
	unsigned threads;
	int64_t patience_us; /* time for a device from when it is first asked */
	/* For the file's head: its author and the name of the fabric; NULL: a discovery. */
	const char *author, *fabric;
	void (*progress)(void *ctx, const struct discovery *d, const char *doing);
	void *ctx;
};

/*
 * Runs the discovery. Devices are asked as soon as a neighbour names them: one that is slow delays
 * no other. The order of the answers does not matter: the result is sorted by name. False with err
 * only when no device can be polled at all. Devices that did not answer are in the result. The
 * caller frees out with discovery_free().
 */
bool discover_run(const struct discover_opts *opts, struct discovery *out, struct err *err);
void discovery_free(struct discovery *d);

/* ---- steps, for tests ---- */

/* Index of a device by its name, with or without the domain; SIZE_MAX: none. */
size_t discovery_find(const struct discovery *d, const char *name);
/* Learns from one answer of device `from`: host name, role, RDMA devices, neighbours. */
void discovery_learn(struct discovery *d, size_t from, const struct obs *o, size_t limit);
/* Learns names, MACs and speeds of the device's own ports. */
void discovery_learn_ports(struct found *f, const struct obs *o);
/* The port by its name, alias, netdev or MAC; NULL: unknown. */
const struct found_port *discovery_port(const struct found *f, const char *name);
/* Turns neighbours without a name into links, where a device has reported their MAC. */
void discovery_match_macs(struct discovery *d);
/* Sorts devices and cables, so that the same fabric gives the same files. */
void discovery_sort(struct discovery *d);
/* Finds cables of management ports, and tells switches from hosts: role.c. */
void discovery_roles(struct discovery *d);
/* Finds the cables of management ports. */
void discovery_management(struct discovery *d);
/* Sets tiers and rails of devices whose is_switch is set, see discovery_tiers(). */
void discovery_place(struct discovery *d);
/* Whether a cable of the fabric would be written. */
bool discovery_has_cables(const struct discovery *d);
/* Calls discovery_roles(). Sets tiers by the distance from hosts, and rails by the NIC cabled to a
 * leaf. */
void discovery_tiers(struct discovery *d);

/* ---- asking ---- */

/* One device of a request: d->devices.at[device] at this address. */
struct asked {
	size_t device;
	const char *address;
};
/*
 * Polls devices, in threads of its own. ops NULL: each in its own dialect. asking_take() calls
 * each() for every batch that has come and returns true when all have ended. woken is posted when
 * there are batches; it must outlive a thread that does not end. asking_end() returns false then.
 */
struct asking;
struct asking *asking_start(const struct discover_opts *opts, const struct discovery *d,
	const struct asked *which, size_t n, const struct backend_ops *ops, sem_t *woken,
	struct err *err);
bool asking_take(
	struct asking *a, void (*each)(void *ctx, size_t device, const struct obs *o), void *ctx);
bool asking_end(struct asking *a);

/* ---- files ---- */

/* Writes fabric.yaml. wiring: name of the file with the links, NULL: none. */
bool discovery_write(
	const struct discovery *d, const struct discover_opts *opts, const char *wiring, FILE *out);
/*
 * Writes the links as device,port,device,port,speed; each cable once. Ports have their devices' own
 * names. The speed is the one in operation, where both ends agree on it.
 */
bool discovery_write_wiring(const struct discovery *d, FILE *out);
/*
 * Writes entries of switches: or hosts:, of those devices for which `with` is true (NULL: all).
 * Each guess has its reason as a comment, and where racks is true so has the rack: nothing can be
 * added to racks: of the file. Returns the number of devices.
 */
size_t discovery_write_entries(const struct discovery *d, const bool *with, bool hosts, bool racks,
	unsigned indent, FILE *out);
/* Writes entries of racks: of those devices, after the key where head is true; nothing where no
 * rack is known. */
void discovery_write_racks(
	const struct discovery *d, const bool *with, unsigned indent, bool head, FILE *out);
/* The devices that were named and not asked, as comments after an empty line; or nothing. */
#define DISCOVERY_FAILED_HEAD "# Named by a neighbour, a seed or a file, and left out:"
/* What an earlier railtop wrote. */
#define DISCOVERY_FAILED_OLD "# Named by a neighbour or by a seed, and not asked:"
void discovery_write_failed(const struct discovery *d, FILE *out);
/* The cables that have no row yet; used: "device:port" of those that have. NULL: none. */
struct name_index;
size_t discovery_write_cables(const struct discovery *d, struct name_index *used, FILE *out);

#endif
