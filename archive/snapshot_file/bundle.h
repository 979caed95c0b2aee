/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ARCHIVE_SNAPSHOT_FILE_BUNDLE_H
#define ARCHIVE_SNAPSHOT_FILE_BUNDLE_H

#include "archive/export/ticket.h"
#include "archive/replay/replay.h"
#include "base/buf.h"

/*
 * Writes a snapshot for a ticket: one "*.rts" with the entries of the last minutes and a keyframe.
 * Its parts are snapshot.json, findings.json, ticket.txt (at most TICKET_LINES lines), ticket.md,
 * ticket.json; runbook.json, ledger.jsonl, screen.txt, screen.ans, raw/DEVICE/REQUEST.
 * contents.json has the SHA-256 of each. The source is a recording, also that of a live session,
 * which a separate thread replays.
 */
struct bundle_opts {
	const char *from; /* the recording */
	int64_t at_us;    /* the moment; INT64_MAX: its end */
	int64_t last_us;  /* length of the window in microseconds; 0: 15 minutes */
	const char *to;   /* the new file; must not exist. NULL: only the documents below */
	bool redact; /* replace names, addresses and serial numbers, see archive/redact/redact.h */
	struct bundle_about about;
	/* Runbook steps that were walked on the recording and are not in it; NULL: none. */
	const runbook_log *trail;
	/* Documents to return as well; NULL: not wanted. The caller frees them and sets their
	 * limits. */
	struct buf *text, *markdown, *json, *snapshot, *jira, *servicenow;
	enum fabric_state *state; /* receives the fabric's state at the moment; may be NULL */
	size_t snapshot_max;      /* limit of snapshot.json in bytes; 0: that of a part */
};
/*
 * Atomic: the complete file appears on the disk under its name, or no file. Blocks until then, so
 * it needs a thread of its own or a headless command.
 */
bool bundle_write(const struct bundle_opts *o, struct err *err);
/* "incident-20261122T021330Z.rts" for a wall time. */
void bundle_name(int64_t wall_us, char *dst, size_t size);

#endif
