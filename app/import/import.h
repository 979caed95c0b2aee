/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_IMPORT_IMPORT_H
#define APP_IMPORT_IMPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "app/discover/discover.h"
#include "base/err.h"
#include "base/vec.h"

/*
 * Reads devices and cables from files of other programs, for `railtop import KIND`. A kind is one
 * file with `const struct importer importer_<id>` and one line in importers.def. Its files come
 * from elsewhere: names are checked, sizes are bounded, and everything left out is counted and
 * told.
 */

#define IMPORT_FILE_MAX  ((size_t)64 << 20) /* limit of one file in bytes */
#define IMPORT_LINKS_MAX 1000000
#define IMPORT_NOTES_MAX 40 /* reasons for leaving something out; one each */

/* A reason for leaving something out, with the first example. */
struct import_note {
	const char *why; /* static */
	char example[96];
	size_t n;
};

enum import_kind { IMPORT_OPEN, IMPORT_SWITCH, IMPORT_HOST, IMPORT_OTHER };

/* A statement of the files about a device, beside its entry in the discovery. */
struct import_said {
	enum import_kind kind;
	int tier;         /* of a switch, -1: not stated */
	bool is_foreign;  /* its system is known, and railtop does not read it */
	bool needs_cable; /* it is part of the fabric only if it has a cable */
	char system[48];  /* as in the file; "": none */
	const char *why;  /* static: for the kind */
};

struct import {
	struct discovery d;           /* devices, in the order of the files */
	VEC(struct import_said) said; /* one for each device */
	VEC(struct import_note) notes;
	struct name_index *names;
	const char *file;  /* being read, for messages */
	const char *hosts; /* --host: a bracket list; NULL */
	void *state;       /* of the importer */
};

struct importer {
	const char *name, *help;
	/* Reads one file. False with err: origin is "file" or "file:line". */
	bool (*read)(struct import *im, const char *text, size_t len, struct err *err);
	/* After all files; may be NULL. Frees state, also after a failure. */
	void (*finish)(struct import *im);
};
extern const struct importer *const importer_table[];
extern const size_t importer_count;
const struct importer *importer_by_name(const char *name); /* NULL: none */
const char *importer_names(void);                          /* "netbox, ptm, ..." */

void import_init(struct import *im);
void import_free(struct import *im);
/* Reads a text, which a NUL follows. file: its name for messages, valid until import_finish(). */
bool import_text(struct import *im, const struct importer *kind, const char *file, const char *text,
	size_t len, struct err *err);
/* Reads a file of any size up to the limit with the importer. */
bool import_file(struct import *im, const struct importer *kind, const char *path, struct err *err);
/*
 * After the last file: tells switches from hosts, finds tiers and rails, and leaves out devices
 * that are no part of the fabric. dialect: of switches that no file states a system of, or NULL.
 */
void import_finish(struct import *im, const struct importer *kind, const char *dialect);
/*
 * The switches without a dialect that are not in known (NULL: none is), as a bracket list. Returns
 * their number.
 */
size_t import_unnamed(
	const struct import *im, const struct name_index *known, char *list, size_t size);
/* Prints the notes. */
void import_print_notes(const struct import *im, FILE *out);

/* ---- for the importers ---- */

/* The device of this name, which is added if it is new. SIZE_MAX: the name is not allowed, or
 * there are too many; a note says so. */
size_t import_device(struct import *im, const char *name);
/* A cable. Speeds in Mb/s, 0: unknown. Indices may be SIZE_MAX: then there is none. */
void import_link(struct import *im, size_t a, const char *a_port, size_t b, const char *b_port,
	unsigned mbps);
/* The address to connect to, if it is one; a prefix length is cut off. */
void import_address(struct import *im, size_t at, const char *address);
/* Takes a role, a group or a function: "leaf", "gpu_leafs", "servers". False: it says nothing. */
bool import_role(struct import *im, size_t at, const char *word, const char *why);
/* Takes a name of a system: "arista.eos.eos", "sonic-vs", "Cumulus Linux". */
void import_system(struct import *im, size_t at, const char *system);
/* Notes that something was left out, and why. */
void import_skip(struct import *im, const char *why, const char *example);
/* The kind and the tier in a word; IMPORT_OPEN: it says nothing. tier: -1 if it says none. */
enum import_kind import_kind_of(const char *word, int *tier);
/* The dialect of a system; "": railtop does not read it; NULL: unknown. */
const char *import_dialect_of(const char *system);
/* Whether a port has the name of an RDMA device: "mlx5_0". */
bool import_is_rdma(const char *port);
/* "400gbase-x-qsfpdd", "400G", "400000": Mb/s; 0: none. */
unsigned import_speed(const char *text);
/* Sets err to "file:line: ..." and returns false. */
bool import_error(const struct import *im, struct err *err, size_t line, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* ---- comparison ---- */

struct model;
/* The cables of the files, compared with LLDP of a recorded or live fabric. */
struct import_compared {
	size_t same, differ, unheard; /* cables of the files */
	size_t extra;                 /* cables that only LLDP shows */
};
/* Prints each difference. */
void import_compare(
	const struct import *im, const struct model *m, FILE *out, struct import_compared *result);

#endif
