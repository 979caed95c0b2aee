/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ARCHIVE_EXPORT_TICKET_H
#define ARCHIVE_EXPORT_TICKET_H

#include "base/buf.h"
#include "diagnosis/engine/diagnosis.h"
#include "diagnosis/engine/runbook_log.h"
#include "fabric/model/model.h"

/*
 * What goes into a ticket: one page for people, the same as Markdown, and JSON whose top-level
 * names are those that hardware vendors' and clouds' forms ask for. What is not known is "-", "not
 * reported" or null, never 0; what does not fit is counted ("and 3 more", "(+57)": so many
 * characters more).
 */
#define TICKET_LINES   60
#define TICKET_COLUMNS 100

/* Of a snapshot: which one it is, who made it, why, and what was on the screen. */
struct bundle_about {
	const char *id; /* of the snapshot: "20261122T021330Z-railtop-4711"; NULL: made */
	const char *tool, *user, *host, *mode; /* "read-only", "noc", "actions" */
	const char *config_sha256;             /* of the inventory's text; "" none */
	const char *reason, *incident;
	const char *ledger; /* lines of the window, "" none */
	size_t ledger_lines;
	const char *screen, *screen_ansi; /* as seen; "" none */
};

struct ticket {
	const struct model *m;
	const struct diag *d;
	const trail_vec *trail; /* NULL: none */
	const struct bundle_about *about;
	int64_t now_us;     /* wall time that the data stands for */
	int64_t from_us;    /* the beginning of the window of entries; 0: none are kept */
	int64_t made_us;    /* when the ticket was written; 0: not told */
	const char *id;     /* of the snapshot */
	const char *file;   /* name without folder, "" there is no file */
	const char *sha256; /* of the file's data (see bundle.h), "" none */
	const char *gap;    /* why entries are missing before the moment, "" none are */
	bool redacted;
};

/* ASCII, at most TICKET_LINES lines of at most TICKET_COLUMNS columns. ERR_LIMIT: out is full. */
bool ticket_text(const struct ticket *t, struct buf *out, struct err *err);
/* UTF-8 as names are; markup in names is escaped. */
bool ticket_markdown(const struct ticket *t, struct buf *out, struct err *err);
bool ticket_json(const struct ticket *t, struct buf *out, struct err *err);

#endif
