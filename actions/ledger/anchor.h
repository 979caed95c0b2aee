/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ACTIONS_LEDGER_ANCHOR_H
#define ACTIONS_LEDGER_ANCHOR_H

#include <stdbool.h>
#include <stdio.h>

#include "actions/ledger/ledger.h"
#include "base/vec.h"

/*
 * The copies of ledger lines that a log daemon kept where the operator cannot write: numbers and
 * hashes, see copy_line() in append.c. Because each hash covers the line before, a copy of line N
 * proves lines 1 to N. The copies may stand in any text with lines: /var/log/auth.log (RFC 3164,
 * RFC 5424), journalctl in its forms short, json and export, or a file of another user.
 */
struct anchor_line {
	uint64_t n;
	char hash[65];
	unsigned place; /* index into places */
};
/* The ledger that a copy is of; "" in copies of older versions. */
struct anchor_place {
	char host[64], file[100];
	size_t lines;
};
struct ledger_anchor {
	char name[256];                /* for messages */
	VEC(struct anchor_line) lines; /* by number after anchor_read() */
	VEC(struct anchor_place) places;
	size_t read; /* lines of text */
};

/*
 * Reads all copies. False: ERR_USAGE, it has none, with the cure; ERR_IO, it cannot be read;
 * ERR_LIMIT, more than ANCHOR_LINES_MAX. The caller frees it in any case.
 */
#define ANCHOR_LINES_MAX 4000000
bool anchor_read(struct ledger_anchor *a, FILE *in, const char *name, struct err *err);
void anchor_free(struct ledger_anchor *a);

struct anchor_report {
	uint64_t copies;  /* of this ledger */
	uint64_t newest;  /* number of the newest copy */
	uint64_t proved;  /* lines up to this one are as their copies say */
	uint64_t behind;  /* lines of the ledger that are newer than every copy */
	uint64_t lost;    /* lines that have a copy and are not in the ledger */
	uint64_t missing; /* lines up to the newest copy without one of their own */
	bool other;       /* the copies seem to be of another ledger */
	struct err err;   /* ERR_NONE, or subject, cause and cure of what is wrong */
};
/*
 * Verifies the ledger, then each line against its copies. False as ledger_verify(). True: ledger
 * has what the ledger itself shows, and anchor what the copies show.
 */
bool ledger_verify_anchor(const char *path, const struct ledger_anchor *a,
	struct ledger_report *ledger, struct anchor_report *anchor, struct err *err);

#endif
