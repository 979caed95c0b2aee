/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_SSH_CONFIG_RUN_H
#define BACKENDS_SSH_CONFIG_RUN_H

#include "backends/ssh/config.h"

/* Private to config_read.c, config_criteria.c and config_resolve.c: one question. */

struct ssh_place {
	const struct ssh_text *text;
	const struct ssh_line *line;
};

struct ssh_run {
	const struct ssh_world *world;
	const struct ssh_query *query;
	const char *origin; /* of errors */
	struct ssh_settings *out;
	struct err *err;
	const char *matched; /* by Host: the name, in the final pass the HostName */
	const char *name;    /* as it was asked for */
	const char *barred;  /* blocks that exclude it do not apply: in the pass of "also"; NULL */
	bool host_is_plain;  /* HostName is the inventory's or was expanded already */
	bool final, want_final;
	bool of_user;                        /* the files are, not the system's */
	unsigned depth, files;               /* files: of this pass */
	struct ssh_place from[SAID_OPTIONS]; /* where the first value is; no line: none */
};

/* What one line says, for whom it applies. False with the error. */
struct ssh_block {
	bool applies;
	bool never; /* nor does what is included */
};

/* ---- config_read.c ---- */
/* False with the error; *error: the file cannot be read for that, which is for the caller. */
bool ssh_run_file(
	struct ssh_run *r, const char *path, bool check, struct ssh_block block, int *error);
/* err_set() about a line; always false, as is err_cure() after it. */
bool ssh_run_refuse(struct ssh_run *r, enum err_code code, struct ssh_place at, const char *fmt,
	...) __attribute__((format(printf, 4, 5)));
bool ssh_run_set(struct ssh_run *r, enum ssh_option option, const char *value);

/* ---- config_criteria.c ---- */
bool ssh_run_match(struct ssh_run *r, struct ssh_place at, struct ssh_block *block);

/* ---- config_resolve.c ---- */
/* HostName as far as it is known, with its tokens. False with the error. */
bool ssh_run_host(struct ssh_run *r, char *dst, size_t size);
const char *ssh_run_user(const struct ssh_run *r);
unsigned ssh_run_port(const struct ssh_run *r);

#endif
