/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_INVENTORY_INVENTORY_H
#define APP_INVENTORY_INVENTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/vec.h"
#include "fabric/plan/plan.h"
#include "fabric/plan/sizing.h"

/*
 * Private to app/config/inventory_*.c: the inventory as written. inventory_yaml.c fills it and
 * inventory_build.c makes the plan from it. All errors go to struct problems.
 */

/* ---- problems ---- */

struct problem {
	unsigned line;  /* UINT_MAX: of another file; sorted last */
	unsigned order; /* of discovery, within one line */
	struct err err;
};

struct problems {
	const char *file; /* as in messages */
	const char *part; /* the included file that is being read; NULL: file itself */
	VEC(struct problem) at;
	size_t more; /* problems beyond INVENTORY_PROBLEMS_MAX, not stored */
};

/*
 * Adds "file:line: place: text". place may be NULL or "". Line 0: the file as a whole. Returns
 * false, so that a reader can return it.
 */
bool problem_add(struct problems *p, unsigned line, const char *place, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* The same for another file than p->file. */
bool problem_add_in(struct problems *p, const char *file, unsigned line, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Adds a cure to the newest problem. Returns false likewise. */
bool problem_cure(struct problems *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* True when the limit is reached: reading may stop. */
bool problems_full(const struct problems *p);
void problems_free(struct problems *p);

/* ---- the file as written ---- */

/* Access to devices: in defaults, and in each group, which takes precedence. */
struct access {
	char *user, *identity, *ssh_config, *known_hosts, *jump, *tls_ca, *credentials;
	int64_t interval_us, medium_us, slow_us; /* 0: not stated */
	unsigned poll;                           /* enum poll_way + 1; 0: not stated */
};

/* The source of data of a group's devices. */
enum source { SOURCE_DEFAULT, SOURCE_DIRECT, SOURCE_ENGINE };

/* One entry of switches: or hosts:. NULL, 0 and -1 mean "not stated" unless said otherwise. */
struct group {
	char label[24];   /* "switches[0]" */
	const char *file; /* that has it, if it is included; NULL: the first file */
	unsigned line;    /* of the entry */
	bool host;
	char *names, *address, *rails; /* bracket lists */
	unsigned names_line, address_line, rails_line;
	char *dialect, *transport;
	unsigned transport_line, source_line;
	enum source source;
	int tier; /* enum tier */
	enum net_kind net;
	char site[SITE_TEXT];
	char *nets[NET_COUNT]; /* bracket lists of ports; names may have a '*' */
	unsigned nets_line;
	int rail;
	unsigned port;
	struct access access;
};

/* A wiring table of an included file. */
struct table_file {
	char *file;
	unsigned line;         /* of the key */
	const char *stated_in; /* the included file */
};

/* One entry of racks:. */
struct rack_entry {
	char *rack, *devices, *units; /* bracket lists but rack; units NULL: not stated */
	char *table;                  /* a file instead of the others */
	unsigned line;
	const char *file; /* that has it, if it is included; NULL: the first file */
};

enum wiring { WIRING_NONE, WIRING_FORMULA, WIRING_FILE };

struct inventory {
	const char *file, *dir;
	const struct inventory *above; /* that includes this one; NULL: the first file */
	char *fabric;
	const struct sizing *sizing; /* of the preset; NULL: none */
	struct lossless lossless;
	char tier_words[TIER_COUNT][TIER_TEXT]; /* as the first group that has one writes it */
	struct access defaults;
	VEC(struct group) groups;
	VEC(struct plan_jobs) jobs;
	VEC(struct plan_pin) pins;
	VEC(struct rack_entry) racks;
	enum wiring wiring;
	char *wiring_file;
	unsigned wiring_line;
	VEC(struct table_file) tables; /* of included files */
	VEC(char *) files;             /* the included files */
	struct plan_actions actions;   /* inventory_build() moves it to the plan */
	struct plan_engine engine;     /* likewise; url NULL: no engine */
	struct plan_notify notify;     /* likewise; it has no receivers without the key notify: */
	bool has_engine;   /* the key engine: exists anywhere in the file, valid or not */
	char warning[200]; /* the first one; inventory_build() copies it to the plan */
};

/* Expands names, merges defaults, finds rails, plans links. */
void inventory_build(struct inventory *inv, struct plan *plan, struct problems *p);

/* Reads the CSV table device,port,device,port[,speed] and adds its links to the plan. */
void inventory_read_wiring(
	const struct inventory *inv, struct plan *plan, struct problems *problems);

/* Where the devices of the plan stand. */
void inventory_place_devices(
	const struct inventory *inv, struct plan *plan, struct problems *problems);

/*
 * True for a valid device name: letters, digits, '.', '_' and '-'. It must not begin with '-',
 * which a program would take for an option.
 */
bool inventory_name_ok(const char *s);

/* Reads a whole file, at most b->cap bytes. */
bool inventory_slurp(const char *path, struct buf *b, struct err *err);

/* Index of device names in plan->devices: inventories have tens of thousands of names. */
struct name_index;
struct name_index *name_index_new(void);
void name_index_free(struct name_index *x);
/* Copies the name. False: it exists already, with value *at. */
bool name_index_add(struct name_index *x, const char *name, unsigned value, unsigned *at);
bool name_index_find(const struct name_index *x, const char *name, unsigned *value);

#endif
