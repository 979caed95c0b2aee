/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_SSH_CONFIG_RUN_H
#define BACKENDS_SSH_CONFIG_RUN_H

#include "backends/ssh/config.h"

/* Private to config_read.c, config_criteria.c and config_resolve.c: the state of one resolution. */

struct ssh_place {
	const struct ssh_text *text;
	const struct ssh_line *line;
};

struct ssh_run {
	const struct ssh_world *world;
	const struct ssh_query *query;
	const char *origin; /* subject of errors */
	struct ssh_settings *out;
	struct err *err;
	const char *matched; /* by Host: the query's name, in the final pass the HostName */
	const char *name;    /* name of the query */
	const char *barred;  /* pass for "also": skip blocks that exclude this name; NULL: none */
	bool host_is_plain;  /* HostName is the inventory's or already expanded */
	bool final, want_final;
	bool of_user;                        /* the files are the user's, not the system's */
	unsigned depth, files;               /* files: read in this pass */
	struct ssh_place from[SAID_OPTIONS]; /* line of the first value; no line: not set */
};

/* Whether the current block applies. */
struct ssh_block {
	bool applies;
	bool never; /* the block and its includes cannot apply */
};

/* ---- config_read.c ---- */
/*
 * Reads one file. Returns false with the error in r->err. *error is an errno if the file cannot be
 * read; the caller handles it.
 */
bool ssh_run_file(
	struct ssh_run *r, const char *path, bool check, struct ssh_block block, int *error);
/* Calls err_set() with the line's position. Always returns false, like err_cure() after it. */
bool ssh_run_refuse(struct ssh_run *r, enum err_code code, struct ssh_place at, const char *fmt,
	...) __attribute__((format(printf, 4, 5)));
bool ssh_run_set(struct ssh_run *r, enum ssh_option option, const char *value);

/* ---- config_criteria.c ---- */
bool ssh_run_match(struct ssh_run *r, struct ssh_place at, struct ssh_block *block);

/* ---- config_resolve.c ---- */
/* Writes HostName as far as known, with tokens expanded. Returns false with the error in r->err. */
bool ssh_run_host(struct ssh_run *r, char *dst, size_t size);
const char *ssh_run_user(const struct ssh_run *r);
unsigned ssh_run_port(const struct ssh_run *r);

#endif
