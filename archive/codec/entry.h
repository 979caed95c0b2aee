/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ARCHIVE_CODEC_ENTRY_H
#define ARCHIVE_CODEC_ENTRY_H

#include "base/state.h"
#include "diagnosis/engine/runbook_log.h"
#include "fabric/vocabulary/observation.h"

/*
 * What happened to a model, in the order in which it did: who applies the entries of a recording
 * one after the other has the model and the diagnosis that were live. The state of a moment is the
 * one right after its last ENTRY_JUDGE: that is what the screen showed.
 */
enum entry_kind {
	ENTRY_OBS,    /* a batch was applied at t_us */
	ENTRY_JUDGE,  /* noted, aged, linked and judged at t_us */
	ENTRY_MARK,   /* text: name */
	ENTRY_UNMARK, /* text: name */
	ENTRY_ACK,    /* key, until_us, user, text: note */
	ENTRY_UNACK,  /* key */
	ENTRY_TRAIL,  /* trail */
	ENTRY_GAP, /* batches were lost before this (disk too slow, memory bound): text says why */
	ENTRY_PIN, /* text: the port's locator */
	ENTRY_UNPIN, /* text: likewise */
	ENTRY_KIND_COUNT
};

struct entry {
	uint8_t kind; /* enum entry_kind */
	int64_t t_us; /* wall */
	struct obs *obs;
	uint64_t key;
	int64_t until_us;
	char user[32];
	char text[240];
	struct runbook_log_entry trail;
};
void entry_free(struct entry *e);          /* what it owns, not itself */
size_t entry_bytes(const struct entry *e); /* with what it owns */

/*
 * Batches as bytes. A coder remembers, for each device and request, what the batch before looked
 * like, so that one of the same shape is its changed numbers only; so what one coder wrote is read
 * by one that has read the same entries since the same reset. Counters, attributes, events and
 * needs go by name (a table that is written at each reset), so that another version reads them:
 * what it does not know is left out.
 */
struct coder;
struct coder *coder_new(void);
void coder_free(struct coder *c);
/*
 * At the beginning of each run of chunks, see rts.h: nothing is known any more. Who writes may call
 * coder_run() instead, which keeps to itself what batches that name only what moved are told by.
 */
void coder_reset(struct coder *c);
void coder_run(struct coder *c);
/* What it remembers, about: who writes resets it before that grows beyond some tens of MB. */
size_t coder_bytes(const struct coder *c);
/* Saves or loads one entry; loading: what it owns is the caller's. False: s->bad. */
bool coder_entry(struct coder *c, struct state *s, struct entry *e);

#endif
