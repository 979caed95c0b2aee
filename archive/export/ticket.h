/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ARCHIVE_EXPORT_TICKET_H
#define ARCHIVE_EXPORT_TICKET_H

#include "base/buf.h"
#include "diagnosis/engine/diagnosis.h"
#include "diagnosis/engine/runbook_log.h"
#include "fabric/model/model.h"

/*
 * Writes a ticket: one page of text, the same as Markdown, and JSON. The JSON's top-level names are
 * those of the forms of hardware vendors and clouds. Unknown values are "-", "not reported" or
 * null, never 0. Omitted items are counted ("and 3 more").
 */
#define TICKET_LINES 66

/* The identity of a snapshot: its author, reason, and the screen at its moment. */
struct bundle_about {
	const char *id; /* of the snapshot: "20261122T021330Z-railtop-4711"; NULL: generated */
	const char *tool, *user, *host, *mode; /* "read-only", "noc", "actions" */
	const char *config_sha256;             /* of the inventory's text; "": none */
	const char *reason, *incident;
	const char *ledger; /* ledger lines of the window, "": none */
	size_t ledger_lines;
	const char *screen, *screen_ansi; /* the operator's screen; "": none */
};

struct ticket {
	const struct model *m;
	const struct diag *d;
	const runbook_log *trail; /* NULL: none */
	const struct bundle_about *about;
	int64_t now_us;     /* wall time of the data */
	int64_t from_us;    /* beginning of the window of entries; 0: none are kept */
	int64_t made_us;    /* time of writing; 0: unknown */
	const char *id;     /* of the snapshot */
	const char *file;   /* name without folder, "": there is no file */
	const char *sha256; /* of the file's data (see bundle.h), "": none */
	const char *gap;    /* why entries before the moment are missing, "": none are */
	bool redacted;
};

/* ASCII, at most TICKET_LINES lines of any width. ERR_LIMIT: out is full. */
bool ticket_text(const struct ticket *t, struct buf *out, struct err *err);
/* UTF-8, because names may be; markup in names is escaped. */
bool ticket_markdown(const struct ticket *t, struct buf *out, struct err *err);
bool ticket_json(const struct ticket *t, struct buf *out, struct err *err);
/* Bodies of requests that open a ticket: Jira's POST /rest/api/2/issue, without project and type,
 * and ServiceNow's POST /api/now/table/incident. Both have the page of text. */
bool ticket_jira(const struct ticket *t, struct buf *out, struct err *err);
bool ticket_servicenow(const struct ticket *t, struct buf *out, struct err *err);

#endif
