/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ARCHIVE_HANDOVER_HANDOVER_H
#define ARCHIVE_HANDOVER_HANDOVER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/vec.h"
#include "diagnosis/engine/diagnosis.h"
#include "fabric/model/model.h"

/*
 * The hand-over of a shift: what opened, closed, was acknowledged and changed in a time, and what
 * to watch. It is gathered from moments of recordings: each knows its open findings, the last 256
 * closed ones and the last events. All times are wall time in us. Plain data, owned by the struct.
 */
#define HANDOVER_SCHEMA   1
#define HANDOVER_FINDINGS 2000 /* limits; more are counted */
#define HANDOVER_CHANGES  2000

struct handover_finding {
	char key[224]; /* "link.flapping leaf-r3-00:Ethernet12" */
	char id[40], title[120], place[160];
	enum severity severity;
	enum finding_role role;
	bool is_root;
	int64_t opened_us, closed_us;   /* closed 0: open at the end */
	int64_t acked_us, ack_until_us; /* 0: not acknowledged */
	char ack_user[32], ack_note[80];
	char runbook[40];
	unsigned gpus_blocked, gpus_slow, victims;
	bool silent;  /* open, and its device is not heard: it is not known whether it is over */
	bool unended; /* it was open when a recording ended, and no later one shows it */
};

/* A change of a device: seen by railtop, or made with it. */
struct handover_change {
	int64_t t_us;
	bool by_railtop; /* of the ledger */
	char user[32];   /* "": not known, as of all changes that railtop only saw */
	char place[160];
	char what[40]; /* "admin_changed", "port-drain" */
	char text[240];
	enum severity severity;
	char incident[64];
};

struct handover_gap {
	int64_t from_us, to_us;
	char why[120];
};

/* The same trouble more than once, at a place that was a cause. */
struct handover_repeat {
	char place[160], id[40];
	unsigned times;
	int64_t first_us, last_us; /* when the first and the last began */
	int64_t lasted_us;         /* all of them together, as far as their ends are known */
	unsigned gpus_blocked;     /* by the worst */
};

struct handover {
	char fabric[NAME_MAX_LEN];
	int64_t from_us, to_us;         /* the time that was asked for */
	int64_t known_us, latest_us;    /* of the recorded moments; 0: there is none */
	char verdict[VERDICT_SENTENCE]; /* of the last moment */
	enum fabric_state state;
	char coverage[80];
	VEC(struct handover_finding) findings;
	VEC(struct handover_change) changes;
	VEC(struct handover_repeat) repeats; /* most often first */
	VEC(struct handover_gap) gaps;
	VEC(char *) files;
	VEC(char *) unread; /* devices without current data at the end */
	size_t left_out;
	bool has_ledger; /* a ledger was read; false: nothing is known of actions */
	char ledger_why[200];
};

void handover_free(struct handover *h);
/*
 * Adds what a moment knows. The newest moment comes first: of it are the open findings, the verdict
 * and the coverage. *since_us: how far back the moment's closed findings reach: older ones may be
 * missing, so the next moment is that time. Session time; 0: all of them are known. end: a
 * recording ends here, so nobody knows of the end of its open findings.
 */
void handover_take(struct handover *h, const struct model *m, const struct diag *d, int64_t now_us,
	bool end, int64_t *since_us);
void handover_add_gap(struct handover *h, int64_t from_us, int64_t to_us, const char *why);
/* Sorts, and finds what came back, after the last moment. */
void handover_finish(struct handover *h);

/* ASCII, at most 100 columns where names allow it. */
bool handover_text(const struct handover *h, FILE *out);
/* Markup in names is escaped. */
bool handover_markdown(const struct handover *h, FILE *out);
bool handover_json(const struct handover *h, FILE *out, struct err *err);

/* The open findings that need a person: roots that are not acknowledged, critical ones first. */
bool handover_is_watched(const struct handover_finding *f);

#endif
