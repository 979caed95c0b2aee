/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_INVENTORY_INVENTORY_YAML_SCHEMA_H
#define APP_INVENTORY_INVENTORY_YAML_SCHEMA_H

#include <yaml.h>

#include "app/inventory/inventory.h"

/* Reads the whole document into *inv by the tables of keys. Errors go to problems. */
void inventory_read_document(
	yaml_document_t *doc, struct inventory *inv, struct problems *problems);
/* The same for a file that another includes: keys of the whole fabric are not allowed. */
void inventory_read_part(yaml_document_t *doc, struct inventory *inv, struct problems *problems);
void inventory_free(struct inventory *inv);

/* ---- for all YAML files (inventory_yaml.c) ---- */

typedef void yaml_document_fn(yaml_document_t *doc, struct problems *problems, void *ctx);
/*
 * Calls read with the parsed document. A syntax error, or too much nesting, too many anchors or
 * values go to problems instead.
 */
void yaml_with_document(
	const char *text, size_t len, struct problems *problems, yaml_document_fn *read, void *ctx);
/* Reports all problems in order of lines and frees them. report may be NULL. True: there are
 * none. */
bool problems_report(
	struct problems *p, void (*report)(void *ctx, const struct err *problem), void *ctx);

/* ---- values (inventory_yaml_value.c) ---- */

#define YAML_TEXT_MAX 1024 /* limit of one value in bytes */

struct reader {
	yaml_document_t *doc;
	struct inventory *inv;
	struct problems *problems;
	char place[160]; /* "switches[0].dialect" */
};

/*
 * Reads one value to *to; each function defines its type. False after a problem, which was reported
 * with the reader's place. A text frees and replaces the one in *to.
 */
typedef bool yaml_read_fn(struct reader *r, const yaml_node_t *n, void *to);

/* One key of a map. */
struct key {
	const char *name;
	yaml_read_fn *read;
	size_t offset; /* of the target in the map's struct */
};
/* Fills a struct from a map. Continues after a problem, so that all are reported. */
bool yaml_read_map(
	struct reader *r, const yaml_node_t *n, const struct key *keys, size_t nkeys, void *into);
/* Calls read for every item of a list. A single value is a list of one. */
bool yaml_read_items(struct reader *r, const yaml_node_t *n, yaml_read_fn *read, void *to);
yaml_read_fn yaml_read_list;    /* char *: a bracket list; several are joined with commas */
yaml_read_fn yaml_read_jobs;    /* struct inventory: its jobs (inventory_yaml_jobs.c) */
yaml_read_fn yaml_read_pins;    /* struct inventory: its pins (inventory_yaml_pins.c) */
yaml_read_fn yaml_read_racks;   /* struct inventory: its racks (inventory_yaml_racks.c) */
yaml_read_fn yaml_read_actions; /* struct plan_actions (inventory_yaml_actions.c) */
yaml_read_fn yaml_read_limits;  /* struct plan_actions: only what limits actions */
yaml_read_fn yaml_read_notify;  /* struct plan_notify (inventory_yaml_notify.c) */
yaml_read_fn
	yaml_read_include; /* struct inventory: files that it includes (inventory_yaml_include.c) */
yaml_read_fn yaml_read_engine; /* struct inventory: its engine (inventory_yaml_engine.c) */
/* An absolute path; relative ones start at the file's directory. NULL: ~user. The caller frees
 * it. */
char *yaml_expand_path(const struct reader *r, const char *path);

yaml_read_fn yaml_read_text; /* char * */
yaml_read_fn yaml_read_yes;  /* bool: true, yes, on; false, no, off */
/* Reads one of these words to *yes; false: it is none of them. */
bool yaml_word_is_yes(const char *text, bool *yes);
yaml_read_fn yaml_read_path; /* char *, an absolute path, or one relative to the file's directory */
yaml_read_fn yaml_read_credentials; /* char *, a reference to a secret */
yaml_read_fn yaml_read_fabric_name; /* char * */
yaml_read_fn yaml_read_dialect;     /* char * */
yaml_read_fn yaml_read_transport;   /* char * */
yaml_read_fn yaml_read_poll;        /* unsigned, enum poll_way + 1 */
yaml_read_fn yaml_read_jump;        /* char *, see backends/transport/proxy_jump.h */
yaml_read_fn yaml_read_tcp_port;    /* unsigned */
yaml_read_fn yaml_read_rail;        /* int */
yaml_read_fn yaml_read_dscp;        /* int */
yaml_read_fn yaml_read_tier;        /* int, enum tier without hosts */
yaml_read_fn yaml_read_net;         /* enum net_kind */
yaml_read_fn yaml_read_bytes;       /* uint64_t */
yaml_read_fn yaml_read_interval;    /* int64_t, microseconds, 200 ms to 1 h */
yaml_read_fn yaml_read_preset;      /* const struct sizing * */

unsigned yaml_line(const yaml_node_t *n); /* from 1 */
bool yaml_is_null(const yaml_node_t *n);  /* empty, "~" or "null" */
/* A text of 1 to max bytes without control characters. The document owns it. */
bool yaml_text(
	struct reader *r, const yaml_node_t *n, const char *what, size_t max, const char **out);
bool yaml_number(struct reader *r, const yaml_node_t *n, unsigned min, unsigned max, unsigned *out);
void yaml_put(
	void *to, const char *text); /* copies text to *to, a char **, and frees the old one */
/* The URL without http:// or https://: a host, perhaps a port and a path. NULL: another scheme. */
const char *yaml_after_scheme(const char *url);

/* Reports "expected WHAT, found a list". Returns false. */
bool yaml_expected(struct reader *r, const yaml_node_t *n, const char *what);
/* Reports "\"x\" is not a WHAT (allowed: ...)". Returns false. */
bool yaml_not_a(struct reader *r, const yaml_node_t *n, const char *text, const char *what,
	const char *allowed);

#endif
