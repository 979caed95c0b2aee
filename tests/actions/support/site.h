/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_ACTIONS_SUPPORT_SITE_H
#define TESTS_ACTIONS_SUPPORT_SITE_H

#include "actions/guards/guards.h"

/*
 * A small fabric that is polled by hand, and the place of an action in it: node000 and node001 with
 * mlx5_0 (rail 0) and mlx5_1 (rail 1) on leaf-r0-00 and leaf-r1-00 at Ethernet0 and Ethernet4; each
 * leaf has uplinks Ethernet12, 16, 20, 24 to spine-000 to spine-003, ports Ethernet1/1 and
 * Ethernet2/1. Everything is up, 400G, 10 % load, priority 3 lossless with a watchdog "drop"
 * 200/400 ms that is operational, PFC counted and quiet; sessions by the ports' names are
 * established. Job "pretrain" has rank 0 and 1, on node000: mlx5_0 and node001: mlx5_0.
 *
 * The inventory grants everything, and the ledger's facts are those of an empty one.
 */
#define SITE_T0 (INT64_C(1700000000) * 1000000)

struct site {
	struct plan plan;
	struct model *m;
	int64_t now_us; /* time of the last poll */
	struct dialect_changes can;
	struct target target;
	struct condition now; /* the device's own answer, in the model's form; read at now_us */
	struct ledger_facts ledger;
	struct who who;
	struct consent consent;
	struct place_of_action at;
	struct guard_context x;
	struct refusal refusal; /* of the last site_ask() */
	/* The polled data. */
	bool jobs;           /* a source reports the job with each poll */
	uint64_t pfc3, load; /* PFC frames received by every port on priority 3; bytes by poll */
	uint64_t bytes;
	bool no_pfc, no_load; /* not reported at all */
};

struct site *site_new(void);
void site_free(struct site *s);
int site_setup(void **state);
int site_teardown(void **state);

/* n polls of everything, 5 s apart; then reads the condition again. */
void site_poll(struct site *s, unsigned n);
/* A batch of one device with one value of one port, at the time of the last poll. */
void site_word(
	struct site *s, const char *device, const char *port, enum obs_attr a, const char *text);
void site_bgp(struct site *s, const char *device, const char *port, enum bgp_state state);
/* The action's place: "leaf-r0-00", "Ethernet12"; port NULL: the device. */
void site_at(struct site *s, const char *device, const char *port, int priority);
void site_action(struct site *s, const char *name);
struct port *site_port(const struct site *s, const char *device, const char *port);

/* Asks one guard; fails the test when there is none of that name. */
bool site_ask(struct site *s, const char *guard);
/* It refuses, and why has the words, and the cure some others. */
void site_refused(struct site *s, const char *guard, const char *why, const char *cure);
void site_passes(struct site *s, const char *guard);

#endif
