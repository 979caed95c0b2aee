/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_CONFIG_INVENTORY_H
#define APP_CONFIG_INVENTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/vec.h"
#include "fabric/plan/plan.h"
#include "fabric/plan/sizing.h"

/*
 * Private to app/config/inventory_*.c: the file as written (inventory_yaml.c fills it), from which
 * inventory_build.c makes the plan. Everything that can be wrong goes to struct problems.
 */

/* ---- problems ---- */

struct problem {
	unsigned line;  /* UINT_MAX: of another file, these come last */
	unsigned order; /* of finding, among those of one line */
	struct err err;
};

struct problems {
	const char *file; /* as in messages */
	VEC(struct problem) at;
	size_t more; /* found after INVENTORY_PROBLEMS_MAX */
};

/*
 * Adds "file:line: place: text"; place may be NULL or "". Returns false, so that a reader can
 * return it. Line 0 is the file as a whole.
 */
bool problem_add(struct problems *p, unsigned line, const char *place, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Likewise about another file than p->file. */
bool problem_add_in(struct problems *p, const char *file, unsigned line, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Adds the cure to the newest problem. Returns false likewise. */
bool problem_cure(struct problems *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Enough was found: the rest of the file need not be looked at. */
bool problems_full(const struct problems *p);
void problems_free(struct problems *p);

/* ---- the file as written ---- */

/* How to reach devices: once in defaults, and again in every group, which wins. */
struct access {
	char *user, *identity, *ssh_config, *known_hosts, *jump, *tls_ca, *credentials;
	int64_t interval_us, medium_us, slow_us; /* 0: not stated */
	unsigned poll;                           /* enum poll_way + 1; 0: not stated */
};

/* Who tells about the devices of a group. */
enum source { SOURCE_DEFAULT, SOURCE_DIRECT, SOURCE_ENGINE };

/* One entry of switches: or hosts:. NULL, 0 and -1 are "not stated" unless said otherwise. */
struct group {
	char label[24]; /* "switches[0]" */
	unsigned line;  /* of the entry */
	bool host;
	char *names, *address, *rails; /* bracket lists */
	unsigned names_line, address_line, rails_line;
	char *dialect, *transport;
	unsigned transport_line, source_line;
	enum source source;
	int tier; /* enum tier */
	enum net_kind net;
	int rail;
	unsigned port;
	struct access access;
};

enum wiring { WIRING_NONE, WIRING_FORMULA, WIRING_FILE };

struct inventory {
	const char *file, *dir;
	char *fabric;
	const struct sizing *sizing; /* of the preset, or NULL */
	struct lossless lossless;
	struct access defaults;
	VEC(struct group) groups;
	VEC(struct plan_jobs) jobs;
	VEC(struct plan_pin) pins;
	enum wiring wiring;
	char *wiring_file;
	unsigned wiring_line;
	struct plan_actions actions; /* becomes the plan's: inventory_build() takes it */
	struct plan_engine engine;   /* likewise; no url: there is none */
	bool has_engine;             /* the key is there, wherever in the file, and however wrong */
};

/* Expands names, merges defaults, finds rails, plans links. */
void inventory_build(struct inventory *inv, struct plan *plan, struct problems *p);

/* Reads the CSV table device,port,device,port[,speed] and adds its links to the plan. */
void inventory_read_wiring(
	const struct inventory *inv, struct plan *plan, struct problems *problems);

/*
 * Whether it can name a device: letters, digits, '.', '_' and '-', and no '-' in front, which a
 * program would take for an option.
 */
bool inventory_name_ok(const char *s);

/* Reads a whole file, at most b->cap bytes. */
bool inventory_slurp(const char *path, struct buf *b, struct err *err);

/* Position of a device name in plan->devices: inventories have tens of thousands of names. */
struct name_index;
struct name_index *name_index_new(void);
void name_index_free(struct name_index *x);
/* False when the name is there already; *at is then its value. The name is copied. */
bool name_index_add(struct name_index *x, const char *name, unsigned value, unsigned *at);
bool name_index_find(const struct name_index *x, const char *name, unsigned *value);

#endif
