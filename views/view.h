/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VIEWS_VIEW_H
#define VIEWS_VIEW_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "diagnosis/engine/diagnosis.h"
#include "diagnosis/difference/difference.h"
#include "diagnosis/engine/runbook_log.h"
#include "fabric/model/metrics.h"
#include "fabric/model/model.h"
#include "fabric/ref.h"
#include "tui/table.h"
#include "tui/widgets.h"
#include "views/act_sheet.h"

/*
 * A view: which rows there are, what their cells say, where Enter goes. rows() and cell() are all
 * that most views have; the console draws, sorts, filters and exports from them, so what the screen
 * shows is what a batch prints.
 */

struct runbook_run;
/* What the diff view shows. */
struct differences {
	const difference_vec *list;
	char from[64], to[64]; /* moments or files, for the title */
};

/* What a view is looking at. It never changes the model. */
struct view_ctx {
	const struct model *model;
	int64_t now_us;          /* the time of the data: stands still while paused */
	struct ref scope;        /* what was drilled into: REF_RAIL, REF_DEVICE, REF_PORT, ... */
	const struct term *term; /* for glyphs; NULL in batch mode (ASCII) */
	const char *mark; /* name of the mark that "since" counts from; NULL, "": the newest */
	/* Health and sums kept between calls; NULL: computed for each call (slow when large). */
	struct view_cache *cache;
	const struct diag *diag;       /* NULL: nobody diagnoses (a test, a plain snapshot) */
	const struct audit_log *audit; /* of the ledger; NULL: none is known */
	const struct runbook_run *run; /* the runbook under way; NULL: none */
	const trail_vec *trail;        /* of runbooks before it; NULL: none is known */
	const struct differences *differences; /* of the diff view; NULL: none */
	bool in_pieces;    /* what takes long may be begun and gone on with later */
	struct ref cursor; /* the row that is looked at, for panels; REF_NONE: none */
};

/*
 * Sums of devices and rails and the health of each port, refreshed per device when that device
 * changed, so that a frame costs what changed since the last one. Owned by the caller, used by one
 * thread; it belongs to one model at a time and starts afresh when it is given another.
 */
struct view_cache *view_cache_new(void);
void view_cache_free(struct view_cache *c); /* NULL is allowed */

/* A cell: text for people, number for sorting and filters, role for the eye. */
struct view_cell {
	char text[TABLE_CELL_TEXT];
	enum role role;
	double number; /* NAN: not a number or unknown; unknown sorts last, both ways */
	bool has_number;
	double second; /* of a time: how many of number are a second (1000: ms); 0: one */
};

typedef VEC(struct ref) row_vec;

#define VIEW_LIST_PIECE ((size_t)4096) /* rows of list() */

struct view_ops {
	const char *name; /* "rail": the palette word, keymap context, batch name */
	const char *title;
	const char *help;    /* two or three sentences: what it shows, how to read it */
	enum ref_kind scope; /* what it needs: REF_NONE (cluster-wide), REF_RAIL, REF_DEVICE, ... */
	/* What else it can look at: bits 1 << enum ref_kind. */
	uint32_t kinds;
	enum ref_kind narrows; /* what a cluster-wide one may be narrowed to; REF_NONE: nothing */
	const struct table_column *columns;
	size_t ncolumns;
	const char
		*sort; /* id of the column it is sorted by at first, "-id" descending, NULL none */
	/* Appends the rows of ctx->scope. */
	void (*rows)(const struct view_ctx *ctx, row_vec *out);
	/*
	 * Optional, for views of as many rows as there are ports: the same in pieces of less than a
	 * millisecond. *at is 0 at first, and the view's own then; true: that was all.
	 */
	bool (*list)(const struct view_ctx *ctx, size_t *at, row_vec *out);
	void (*cell)(const struct view_ctx *ctx, struct ref row, size_t col, struct view_cell *out);
	/*
	 * Optional: a number that changes whenever the text of one of the row's cells may change, 0
	 * when that is not known. For views of many rows: a search then reads only what is new.
	 */
	uint64_t (*stamp)(const struct view_ctx *ctx, struct ref row);
	/* Where Enter leads: fills the view name and its scope; false: nowhere. NULL: nowhere. */
	bool (*enter)(
		const struct view_ctx *ctx, struct ref row, const char **view, struct ref *scope);
	/*
	 * Optional, for rows that are REF_ROW or REF_FINDING: the object of the fabric that the row
	 * is about, for copying its name, polling its device, tracing from it.
	 */
	struct ref (*about)(const struct view_ctx *ctx, struct ref row);
	/*
	 * Optional panel above the table: draws into r and returns the lines used (0..r.h). r is
	 * what it may use, the table keeps some lines below it. The most
	 * important lines come first, so that a smaller r costs the least.
	 */
	int (*panel)(const struct view_ctx *ctx, struct region r);
	/*
	 * Optional, for rows() that would take too long on a large fabric: a piece of a few
	 * milliseconds of what it needs. Called by who cannot wait (summary_paced()); true: there
	 * is more. rows() has those of before until then.
	 */
	bool (*work)(const struct view_ctx *ctx);
	/* Why there are no rows, for the empty table; NULL: "no rows". */
	const char *(*empty)(const struct view_ctx *ctx);
};

/* views/views.def, in order of the palette. */
extern const struct view_ops *const view_table[];
extern const size_t view_count;
const struct view_ops *view_by_name(const char *name);
/* It shows the whole fabric and needs nothing to look at. */
bool view_is_whole(const struct view_ops *v);
/* It can look at an object of that kind. */
bool view_takes(const struct view_ops *v, enum ref_kind kind);
/* The view that shows an object: device -> leaf or host view, port -> port view, ... */
const struct view_ops *view_for_ref(const struct model *m, struct ref r);

/* ---- cell helpers (views/cells.c), so that the same number looks the same everywhere ----
 */
void cell_text(struct view_cell *c, enum role role, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void cell_unknown(struct view_cell *c, enum validity why); /* "-", "n/a", "off", "reset" */
void cell_rate(struct view_cell *c, double per_s);         /* SI; dim when 0 */
void cell_bps(struct view_cell *c, double bits_per_s);
void cell_percent(struct view_cell *c, double percent, double warn, double crit);
void cell_paused(const struct view_ctx *ctx, struct view_cell *c, struct paused p);
void cell_count_bad(struct view_cell *c, double v);       /* any > 0 is bad */
void cell_severity(struct view_cell *c, struct health h); /* word and role */
void cell_ber(struct view_cell *c, double ber);
void cell_dbm(struct view_cell *c, double dbm);                          /* "-1.3" */
void cell_speed(struct view_cell *c, unsigned mbps, unsigned plan_mbps); /* "400G", "200G!" */
/* The mark that "since" counts from; -1: none. */
int view_mark(const struct view_ctx *ctx);
/* Growth of a count since that mark: any growth of a bad one is bad. */
void cell_since(const struct view_ctx *ctx, struct view_cell *c, const struct port *p,
	enum counter_id id, uint8_t subs);
enum role role_of_severity(enum severity s);

#endif
