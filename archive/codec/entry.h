/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ARCHIVE_CODEC_ENTRY_H
#define ARCHIVE_CODEC_ENTRY_H

#include "base/state.h"
#include "diagnosis/engine/runbook_log.h"
#include "fabric/vocabulary/observation.h"

/*
 * The events of a model in their order. A reader that applies the entries of a recording one after
 * the other gets the same model and diagnosis. The state of a moment is the one after its last
 * ENTRY_JUDGE, because the screen showed that one.
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
void entry_free(struct entry *e);          /* its batch, not itself */
size_t entry_bytes(const struct entry *e); /* with its batch */

/*
 * Batches as bytes. A coder remembers the last batch of each device and request, and writes the
 * next one as differences to it. A reader must have read the same entries since the same reset.
 * Counters, attributes, events and kinds of items go by name, in tables that follow each reset. So
 * another version can read them: it leaves out the names that it does not know.
 */
struct coder;
struct coder *coder_new(void);
void coder_free(struct coder *c);
/*
 * Begins a run of chunks, see rts.h: the reader knows nothing yet. A writer may call coder_run()
 * instead, which keeps the layouts for batches of changes.
 */
void coder_reset(struct coder *c);
void coder_run(struct coder *c);
/* About the bytes that it remembers. A writer resets it before they exceed some tens of MB. */
size_t coder_bytes(const struct coder *c);
/* Saves or loads one entry. The caller frees a loaded one. False: s->bad. */
bool coder_entry(struct coder *c, struct state *s, struct entry *e);

#endif
