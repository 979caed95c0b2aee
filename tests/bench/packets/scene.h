/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_BENCH_PACKETS_SCENE_H
#define TESTS_BENCH_PACKETS_SCENE_H

#include "tests/bench/packets/collective.h"
#include "tests/bench/packets/dice.h"
#include "tests/bench/packets/shapes.h"

/* A fabric with its jobs and with what goes wrong there, all drawn from one seed. */

/* What is set while an effect is on, and back to normal after it. */
enum effect_kind {
	EFFECT_DRAIN,    /* NIC takes value Gb/s */
	EFFECT_CAP,      /* NIC sends value Gb/s */
	EFFECT_STORM,    /* NIC pauses its leaf without end */
	EFFECT_DEAF,     /* NIC sends on when it is paused */
	EFFECT_NO_PAUSE, /* port never pauses its peer */
	EFFECT_NO_MARKS, /* egress never marks */
	EFFECT_LOSS,     /* the ingress loses value of its packets */
	EFFECT_SPEED,    /* the link runs at value Gb/s */
	EFFECT_DOWN,     /* the link is down */
	EFFECT_LATE,     /* server (port) is late by value us at each call of its jobs */
};
struct effect {
	enum effect_kind kind;
	int port;
	double value, from_us, to_us;
	double every_us, on_us; /* on in the first part of each period; 0: always */
	bool on;
};

/* Counters in which a fault has to show at its ports, or it is no fault for anybody. */
enum sign {
	SIGN_PAUSE = 1 << 0,
	SIGN_MARK = 1 << 1,
	SIGN_DROP = 1 << 2,
	SIGN_ERROR = 1 << 3,
	SIGN_DOWN = 1 << 4,
	SIGN_FACT = 1 << 5, /* a state that can be read: a speed */
	SIGN_SLOW = 1 << 6, /* calls of the jobs take longer */
	SIGN_HELD = 1 << 7, /* held for most of the time */
	SIGN_LOSSY = 1 << 8,
	SIGN_OTHERS_MARK = 1 << 9, /* some egress elsewhere marks: it is no policy that none does */
};
struct culprit {
	const char *class;
	char root[1500]; /* JSON */
	char place[64];  /* for people */
	unsigned signs;  /* one of them must show; 0: it always does */
	VEC(int) ports;  /* where */
	bool all;        /* each sign must show */
	double start_us, visible_us;
};

#define SCENE_JOBS     3
#define SCENE_CULPRITS 2

struct scene {
	struct pk_net net;
	struct shape shape;
	struct routes routes;
	struct dice dice;
	struct collective job[SCENE_JOBS];
	size_t jobs;
	VEC(struct effect) effects;
	struct culprit culprit[SCENE_CULPRITS];
	size_t culprits;
	const char *workload;
	bool rerouted;
	double from_us, to_us, reroute_us;
	FILE *ops;
	bool fits; /* the shape has room for what was drawn */
};

void scene_free(struct scene *s);
/* Runs it and writes all files but the label. */
bool scene_run(struct scene *s, const char *dir);
/* Whether each fault shows in the counters; call it after the run. */
bool scene_shows(const struct scene *s);

/* ---- traffic ---- */

enum load {
	LOAD_RING,
	LOAD_ALL_TO_ALL,
	LOAD_BOTH, /* a ring, and a light all-to-all beside it */
	LOAD_TWO_JOBS,
	LOAD_COUNT
};
/* duty: the share of its time that a job sends. */
void scene_load(struct scene *s, enum load load, double duty);
/* Jobs by themselves. */
void scene_ring(struct scene *s, const char *name, int first, int last, int qps, double duty,
	double start_us);
void scene_all_to_all(
	struct scene *s, const char *name, int first, int last, double duty, double start_us);
/* Between two NICs while the fault lasts, as much as the line takes. */
int scene_stream(struct scene *s, int from, int to, bool controlled);
/* Deals out the hashes of the flows until no link has more to carry than it can, or slows the jobs
 * down to that. */
void scene_settle(struct scene *s);

/* ---- places ---- */

int scene_any_server(struct scene *s);
int scene_any_nic(struct scene *s);
/* Any egress from a switch up to another switch; -1: there is none. */
int scene_any_uplink(struct scene *s);
/* Draws up to most NICs that reach node and are not it; their number. near: on its leaf only. */
int scene_senders(struct scene *s, int node, int most, int *sender, bool near);
struct pk_port *scene_port(struct scene *s, int port);
int scene_peer(const struct scene *s, int port);
const char *scene_name(const struct scene *s, int node);
void scene_effect(struct scene *s, enum effect_kind kind, int port, double value);

/* ---- labels ---- */

struct culprit *scene_blame(struct scene *s, const char *class, unsigned signs);
void scene_blame_nic(struct scene *s, struct culprit *c, int node);
void scene_blame_node(struct scene *s, struct culprit *c, int node);
/* type: egress_port or switch_port_config with key "at", link with key "a". */
void scene_blame_port(
	struct scene *s, struct culprit *c, const char *type, const char *key, int port);
void scene_blame_nics(struct scene *s, struct culprit *c, const int *nic, int n, int dst);

#endif
