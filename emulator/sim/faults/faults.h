/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_SIM_FAULTS_H
#define EMULATOR_SIM_FAULTS_H

#include "emulator/sim/sim_internal.h"

/*
 * Types and functions that the files of faults/ share. A fault names an entity. The ports and
 * devices that it touches are chosen once, when its spec is read. It turns knobs when it begins and
 * turns them back when it ends. Several faults may turn the same knob, and may end in any order.
 */

enum fault_entity {
	ENTITY_DEVICE,
	ENTITY_SSH,
	ENTITY_HTTPS,
	ENTITY_HOST,
	ENTITY_LEAF,    /* a leaf, and count= of its uplinks */
	ENTITY_CYCLE,   /* a leaf, and a cycle through another leaf and two spines */
	ENTITY_TIER,    /* [TIER]: all its switches; without: all switches */
	ENTITY_FABRIC,  /* no entity is named */
	ENTITY_WAYS,    /* the same, of a fabric with several ways between leaves */
	ENTITY_PORT,    /* of any device */
	ENTITY_NIC,     /* HOST:NIC */
	ENTITY_NICS,    /* HOST[:NIC], or * */
	ENTITY_SWPORT,  /* SWITCH:PORT */
	ENTITY_SWPORTS, /* SWITCH[:PORT], or * */
	ENTITY_UPLINK,  /* SWITCH:PORT that leads to a switch */
};

struct fault;

struct fault_class {
	const char *name;
	const char *taxonomy; /* numbers of the field's list of 28 causes: "1 2"; "": none */
	enum fault_entity entity;
	bool healthy;     /* no defect: a console must blame no device */
	const char *keys; /* besides at= and for=, with their defaults: "period=8s,down=" */
	/* Does the work that is due at f->next and sets f->next. */
	void (*step)(struct sim *s, struct fault *f);
	void (*apply)(struct sim *s, struct fault *f, bool on);
	const char *help;
	const char *see; /* symptoms on NIC, leaf, spine and in NCCL */
};

/* Values of the keys, by their names. Times in microseconds; duration is for=. */
struct fault_keys {
	int64_t at, duration, period, down, delay, ramp, by;
	uint64_t size, count, fanin, rotate, n;
	double rate, loss, db; /* shares; decibel */
	bool watchdog, silent, lane, before;
	struct sim_device *with;
};

/* The share of one fault in the knobs that are not counts. */
struct fault_part {
	double drain, send; /* shares of line rate; 1 */
	double loss, ber, rx_loss_db, lane_loss_db, heat_c;
	uint64_t flood_bytes;
	int64_t answer_delay_us, late_us, nvlink_errors_us;
	unsigned nvlinks_down;
	bool hung, refuses_key, wrong_key, wrong_cert, garbage, commands_fail, password_expired;
};

struct fault {
	const struct fault_class *class;
	unsigned id; /* from 1 */
	char *spec;
	struct sim_device *device; /* NULL: the fabric, or all of a kind */
	struct sim_port *port;     /* the port that the spec names; NULL: none */
	struct sim_port *with;     /* miswire: the other cable */
	int tier;                  /* ENTITY_TIER; -1: all */
	bool everywhere;           /* "*" was given */
	VEC(struct sim_port *) ports;
	VEC(struct sim_device *) devices;
	struct fault_keys k;
	struct fault_part part;
	/* progress */
	bool on;
	int64_t at, next, began, ended; /* began, ended: SIM_NEVER until they happen */
	unsigned phase, transitions;
	uint64_t writes;        /* requests with a write that the device was sent while it is on */
	struct sim_port *guard; /* the port whose watchdog it has switched off */
	struct sim_port *sink;  /* where its flows go; NULL: several ports, or none */
	VEC(unsigned) flows;
	struct json_t *victims; /* victims when it last ended; NULL: it has not ended yet */
};

/*
 * A heal line of the scenario: ends the matching faults that have begun by then. If none matches,
 * nothing happens.
 */
struct planned_heal {
	int64_t at;
	char what[NAME_MAX_LEN];
	bool done;
};

/* fault_spec.c: reads and schedules; at= counts from `from`. The position is s->faults.n - 1.
 */
bool fault_schedule(struct sim *s, const char *spec, int64_t from, struct err *err);
const char *fault_entity_form(enum fault_entity e);                  /* "HOST:NIC" */
void fault_class_form(const struct fault_class *c, struct buf *out); /* "name:ENTITY [keys]" */

/*
 * pick.c: chooses the entity from its words (NULL: left out, chosen by seed), then the ports and
 * devices. name "": left out.
 */
bool fault_pick(struct sim *s, struct fault *f, const char *spec, const char *device,
	const char *port, struct err *err);
uint64_t fault_dice(const struct sim *s, const struct fault *f, uint64_t what); /* by seed */
/* reach.c: chooses further ports and devices once the keys are known. */
bool fault_pick_more(struct sim *s, struct fault *f, const char *spec, struct err *err);
size_t fault_hosts(const struct sim *s);            /* with GPUs */
unsigned fault_nics(const struct sim_device *host); /* backend ports: rails */
struct sim_port *fault_nic(const struct sim *s, size_t host, unsigned rail);
bool fault_is_uplink(const struct sim_port *p); /* of a switch, to a higher tier */
bool fault_is_fabric(const struct sim_port *p); /* both ends are switches */
unsigned fault_uplinks(const struct sim_device *d);
/* Distinct switches above the leaf, at most `most`. */
size_t fault_spines(
	const struct sim *s, const struct sim_device *leaf, struct sim_device **out, size_t most);

/* faults.c */
const struct fault_class *fault_class(size_t i);          /* NULL after the last */
void fault_turn(struct sim *s, struct fault *f, bool on); /* applies, counts, remembers victims */
void fault_end(struct sim *s, struct fault *f);           /* for good, on or not */
bool fault_touches(const struct fault *f, const struct sim_port *p);
bool fault_touches_device(const struct fault *f, const struct sim_device *d);
/*
 * Call after f->part changed: computes the knobs of all ports and devices of f anew, from all
 * faults that are on.
 */
void fault_settle(struct sim *s, const struct fault *f);
/*
 * Counts the knob at this offset of struct knobs up (on) or down, for one port or for all ports of
 * f.
 */
void fault_count(struct sim *s, const struct sim_port *p, size_t knob, bool on);
void fault_count_all(struct sim *s, const struct fault *f, size_t knob, bool on);
/*
 * Switches one part of a port's configuration off while at least one fault asks for it, then
 * restores the old value.
 */
void fault_hold(struct sim *s, struct sim_port *p, enum config_hold what, bool on);
/* Progress of a fault that grows: (0, 1]. */
double fault_ramp(const struct fault *f);

/* pause.c: ends the faults that keep the watchdog of p in its storm state. */
void fault_unstick(struct sim *s, const struct sim_port *p);

/* control.c: carries out the heals of the scenario that are due. */
void fault_step_heals(struct sim *s);

/* sim_truth_victims.c: the victims of f now; the caller owns the result. */
struct json_t *truth_victims(const struct sim *s, const struct fault *f);

#endif
