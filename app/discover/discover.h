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
 * Finds a fabric by asking: logs in to a few seeds, finds out what each is, asks its LLDP
 * neighbours' names, and goes on with those. Only reads. Host keys are verified as always: a
 * neighbour whose key is not known is listed, not asked.
 */

/* A device that was named, by the user or by a neighbour. */
struct found {
	char name[NAME_MAX_LEN];
	char address[NAME_MAX_LEN]; /* what is connected to; the name at first */
	char mgmt[NAME_MAX_LEN];    /* management address that a neighbour gave for it, or "" */
	char descr[128];            /* system description that a neighbour gave, or "" */
	enum found_state {
		FOUND_NEW,
		FOUND_KNOWN,
		FOUND_FAILED,
		FOUND_SAME, /* turned out to be another one under its second name: not to be counted
			     */
	} state;
	bool tried_mgmt;
	char dialect[16]; /* "" until it is known */
	int score;
	bool rdma, frr;
	struct err err; /* why it could not be asked */
	enum tier tier;
	int rail;         /* of a leaf, -1: not clear */
	VEC(char *) nics; /* of a host: RDMA devices in natural order */
};

/* One end of a cable as LLDP of device a tells it. */
struct found_link {
	size_t a, b; /* indices into devices */
	char a_port[NAME_MAX_LEN], b_port[NAME_MAX_LEN];
};

struct discovery {
	VEC(struct found) devices;
	VEC(struct found_link) links;
	size_t skipped; /* neighbours whose names cannot be device names */
	bool cut;       /* the limit was reached: there is more */
};

struct discover_opts {
	const char *const *seeds;
	size_t nseeds;
	struct plan_device access; /* user, identity, ssh_config, known_hosts, port; borrowed */
	size_t limit;              /* devices */
	unsigned threads;
	int64_t round_us; /* most that one round of questions may take */
	void (*progress)(void *ctx, const struct discovery *d, const char *doing);
	void *ctx;
};

/* False with err only when nothing can be asked at all; who did not answer is in the result. */
bool discover_run(const struct discover_opts *opts, struct discovery *out, struct err *err);
void discovery_free(struct discovery *d);

/* ---- parts ---- */

/* Index of a device by its name, with or without the domain; SIZE_MAX: none. */
size_t discovery_find(const struct discovery *d, const char *name);
/* What one answer of device `from` says: host name, RDMA devices, neighbours. */
void discovery_learn(struct discovery *d, size_t from, const struct obs *o, size_t limit);
/* Tiers by the distance from hosts, rails by which NIC a leaf is cabled to. */
void discovery_tiers(struct discovery *d);

/*
 * Asks the devices in `which` (indices) and calls each() for every batch that came.
 * ops NULL: each in its own dialect.
 */
bool discover_ask(const struct discover_opts *opts, const struct discovery *d, const size_t *which,
	size_t n, const struct backend_ops *ops,
	void (*each)(void *ctx, size_t device, const struct obs *o), void *ctx, struct err *err);

/* Writes fabric.yaml; wiring is the name of the file with the links, NULL: none. */
bool discovery_write(
	const struct discovery *d, const struct discover_opts *opts, const char *wiring, FILE *out);
/* Writes the links as device,port,device,port; each cable once. */
bool discovery_write_wiring(const struct discovery *d, FILE *out);

#endif
