/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ARCHIVE_SNAPSHOT_FILE_BUNDLE_H
#define ARCHIVE_SNAPSHOT_FILE_BUNDLE_H

#include "archive/export/ticket.h"
#include "archive/replay/replay.h"
#include "base/buf.h"

/*
 * A snapshot for the ticket: one "*.rts" with the entries of the last minutes, a keyframe, and
 * parts: snapshot.json, findings.json, ticket.txt (at most TICKET_LINES lines), ticket.md,
 * ticket.json, runbook.json, ledger.jsonl, screen.txt, screen.ans, raw/DEVICE/REQUEST, and
 * contents.json with the SHA-256 of each. It is made from a recording (a live session's too) by a
 * thread that has nothing else to do: it replays what it needs by itself.
 */
struct bundle_opts {
	const char *from; /* the recording */
	int64_t at_us;    /* the moment; INT64_MAX: its end */
	int64_t last_us;  /* entries of so long before it; 0: 15 minutes */
	const char *to;   /* the new file; must not exist. NULL: only the documents below */
	bool redact;      /* names, addresses and serial numbers are replaced, see
			     archive/redact/redact.h */
	struct bundle_about about;
	/* Steps of runbooks that were walked on the recording itself, and are not in it; NULL:
	 * none. */
	const trail_vec *trail;
	/* Documents to hand back as well; NULL: not wanted. Caller's, capped. */
	struct buf *text, *markdown, *json, *snapshot;
	enum fabric_state *state; /* how the fabric was at the moment; NULL: not asked for */
	size_t snapshot_max;      /* bytes of snapshot.json; 0: as many as a part may have */
};
/*
 * Atomic: the file appears under its name when it is whole and on the disk, or not at all. Blocks
 * for as long as it takes: for a thread of its own, or a headless command.
 */
bool bundle_write(const struct bundle_opts *o, struct err *err);
/* "incident-20261122T021330Z.rts" for a wall time. */
void bundle_name(int64_t wall_us, char *dst, size_t size);

#endif
