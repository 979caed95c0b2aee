/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FABRIC_VOCABULARY_MANAGER_NOTE_H
#define FABRIC_VOCABULARY_MANAGER_NOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fabric/vocabulary/types.h"

/*
 * What the manager of a fabric (UFM of InfiniBand) says of it, in its own words: the value of
 * ATTR_NOTE. Each kind is a list. ATTR_NOTE_COUNT of the kind begins it and has its true length;
 * the first NOTES_MOST of it follow, with the sub index note_sub().
 */
enum manager_note_kind {
	MANAGER_ALARM,      /* an open alarm */
	MANAGER_UNHEALTHY,  /* a port that the manager took out of the routes, or is about to */
	MANAGER_CONGESTION, /* bandwidth that a port lost to congestion */
	MANAGER_KINDS
};
#define NOTES_MOST 24u
#define NOTE_SUBS  (MANAGER_KINDS * NOTES_MOST)
#define NOTE_SIZE  240

struct manager_note {
	enum severity severity;    /* by the manager's own word; SEV_UNKNOWN: it has none */
	double percent;            /* MANAGER_CONGESTION: share of the link's rate; NAN */
	char device[NAME_MAX_LEN]; /* "": the fabric as a whole */
	char port[40];             /* "": the device as a whole */
	char text[120];
};

/* All notes of a device. */
struct manager_notes {
	int64_t told_us[MANAGER_KINDS]; /* wall time of the last list, 0: there was none */
	unsigned total[MANAGER_KINDS];
	char at[MANAGER_KINDS][NOTES_MOST]
	       [NOTE_SIZE]; /* as note_write() wrote them; "" past the end */
};

static inline unsigned note_sub(enum manager_note_kind kind, unsigned i)
{
	return (unsigned)kind * NOTES_MOST + i;
}

/* Writes a note as one text of at most size bytes, cut where it is too long. */
void note_write(const struct manager_note *n, char *dst, size_t size);
/* Reads it. False: it is none. */
bool note_read(const char *text, struct manager_note *n);

/* Begins the list of a kind; *notes is made if necessary. The caller frees it. */
void notes_begin(struct manager_notes **notes, unsigned kind, double total, int64_t now_us);
void notes_take(struct manager_notes *notes, unsigned sub, const char *text);
/* The number of notes of the kind that are kept; NULL: 0. */
unsigned notes_kept(const struct manager_notes *notes, enum manager_note_kind kind);

#endif
