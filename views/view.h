/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VIEWS_VIEW_H
#define VIEWS_VIEW_H

#include <stddef.h>
#include <stdint.h>

#include "base/clock_zone.h"
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
 * A view: its rows, the content of its cells, and the target of Enter. Most views have only rows()
 * and cell(). The console draws, sorts, filters and exports from them, so screen and batch show the
 * same.
 */

struct runbook_run;
struct chart;
/* The data of the diff view. */
struct differences {
	const difference_vec *list;
	int64_t from_us, to_us; /* wall times of the two moments, 0: unknown */
};

/* The kind that colours the links of the map. */
enum map_colour { MAP_ALL, MAP_LOAD, MAP_BER, MAP_FLAPS, MAP_PAUSES, MAP_COLOURS };

/* How times and rates are written: the operator's choice. {0}: UTC, and bits a second. */
struct view_units {
	struct clock_zone zone;
	bool bytes; /* rates of traffic in bytes; the speed of a link stays in bits */
};

/* The context of a view. A view never changes the model. */
struct view_ctx {
	const struct model *model;
	int64_t now_us;   /* time of the data; stops while paused */
	struct ref scope; /* the object that the page shows: REF_RAIL, REF_DEVICE, REF_PORT, ... */
	const struct term *term; /* for glyphs; NULL in batch mode (ASCII) */
	const char *mark;        /* name of the mark for "since"; NULL, "": the newest */
	/*
	 * Health and sums kept between calls; NULL: computed for each call (slow on large fabrics).
	 */
	struct view_cache *cache;
	const struct diag *diag;       /* NULL: no diagnosis runs (a test, a plain snapshot) */
	const struct audit_log *audit; /* from the ledger; NULL: unknown */
	const struct runbook_run *run; /* the running runbook; NULL: none */
	const runbook_log *trail;      /* of earlier runbooks; NULL: unknown */
	const struct differences *differences; /* of the diff view; NULL: none */
	const struct chart *chart;             /* of the chart view; NULL: none */
	const struct view_units *units;        /* NULL: UTC, and bits a second */
	enum map_colour map;                   /* of the view map */
	bool in_pieces;                        /* long computations may be done in pieces */
	/* What happens again and again is one row, for people; who counts rows has one for each. */
	bool folded;
	struct ref cursor; /* the row under the cursor, for panels; REF_NONE: none */
};

/*
 * Sums of devices and rails and the health of each port. Only changed devices are computed again,
 * so a frame costs in proportion to the changes since the last one. The caller owns it; one thread
 * uses it. It belongs to one model at a time and is reset for another model.
 */
struct view_cache *view_cache_new(void);
void view_cache_free(struct view_cache *c); /* NULL is allowed */

/* A cell: text for people, number for sorting and filters, role for the look. */
struct view_cell {
	char text[TABLE_CELL_TEXT];
	enum role role;
	double number; /* NAN: not a number or unknown; unknown sorts last, both ways */
	bool has_number;
	double second; /* of a time: the number of units in a second (1000: ms); 0: one */
	bool is_bits;  /* a rate in bits, also where it is written in bytes */
	bool at_most;  /* the number is an upper bound, shown as "<=" */
};

typedef VEC(struct ref) row_vec;

#define VIEW_LIST_PIECE ((size_t)4096) /* rows of list() */

struct view_ops {
	const char *name; /* "rail": the palette word, keymap context, batch name */
	const char *title;
	const char *help; /* two or three sentences: its content, how to read it */
	enum ref_kind
		scope; /* required scope: REF_NONE (cluster-wide), REF_RAIL, REF_DEVICE, ... */
	/* Other accepted scopes: bits 1 << enum ref_kind. */
	uint32_t kinds;
	enum ref_kind
		narrows; /* scope that a cluster-wide view may be narrowed to; REF_NONE: none */
	const struct table_column *columns;
	size_t ncolumns;
	const char *sort; /* id of the initial sort column, "-id" descending, NULL none */
	/* Appends the rows of ctx->scope. */
	void (*rows)(const struct view_ctx *ctx, row_vec *out);
	/*
	 * Optional, for views with as many rows as there are ports: rows() in pieces of less than a
	 * millisecond. *at is 0 in the first call, then the view's own state; true: all rows were
	 * given.
	 */
	bool (*list)(const struct view_ctx *ctx, size_t *at, row_vec *out);
	void (*cell)(const struct view_ctx *ctx, struct ref row, size_t col, struct view_cell *out);
	/*
	 * Optional: a number that changes whenever the text of one of the row's cells may change,
	 * 0: unknown. For views of many rows: a search then reads only the changed rows.
	 */
	uint64_t (*stamp)(const struct view_ctx *ctx, struct ref row);
	/* The target of Enter: fills the view name and its scope; false: none. NULL: none. */
	bool (*enter)(
		const struct view_ctx *ctx, struct ref row, const char **view, struct ref *scope);
	/* Optional: the row where the cursor of a new page stands; REF_NONE: the first one. */
	struct ref (*first)(const struct view_ctx *ctx);
	/*
	 * Optional, for rows of kind REF_ROW or REF_FINDING: the object of the fabric that the row
	 * is about, for copying its name, polling its device, tracing from it.
	 */
	struct ref (*about)(const struct view_ctx *ctx, struct ref row);
	/*
	 * Optional panel above the table: draws into r and returns the lines used (0..r.h). r is
	 * the room for the panel; the table keeps some lines below it. The most important lines
	 * come first, so that a smaller r costs the least.
	 */
	int (*panel)(const struct view_ctx *ctx, struct region r);
	/*
	 * Optional, for rows() that would take too long on a large fabric: does a piece of a few
	 * milliseconds of the preparation. For callers that cannot wait (summary_paced()). True:
	 * there is more; until the end rows() returns the old rows.
	 */
	bool (*work)(const struct view_ctx *ctx);
	/* The reason why there are no rows, for the empty table; NULL: "no rows". */
	const char *(*empty)(const struct view_ctx *ctx);
};

/* views/views.def, in order of the palette. */
extern const struct view_ops *const view_table[];
extern const size_t view_count;
const struct view_ops *view_by_name(const char *name);
/* True: the name is near to that of a view. err then says so. */
bool view_misspelt(const char *name, struct err *err);
/* Whether the view shows the whole fabric and needs no scope. */
bool view_is_whole(const struct view_ops *v);
/* Whether the view accepts an object of that kind as its scope. */
bool view_takes(const struct view_ops *v, enum ref_kind kind);
/* The view itself, or its sibling where the device is of the other tier: the views leaf and host
 * show the ports of a switch and the NICs of a host. */
const struct view_ops *view_fitting(
	const struct model *m, const struct view_ops *v, struct ref scope);
/* The view that shows an object: device -> leaf or host view, port -> port view, ... */
const struct view_ops *view_for_ref(const struct model *m, struct ref r);

/* ---- cell helpers (views/cells.c), so that the same number looks the same everywhere ----
 */
void cell_text(struct view_cell *c, enum role role, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void cell_unknown(struct view_cell *c, enum validity why); /* "-", "n/a", "off", "reset" */
void cell_rate(struct view_cell *c, double per_s);         /* SI; dim when 0 */
/* A rate of traffic: "99.2G", in bytes "12.4GB". The number stays in bits, for filters. */
void cell_bps(const struct view_ctx *ctx, struct view_cell *c, double bits_per_s);
void cell_percent(struct view_cell *c, double percent, double warn, double crit);
void cell_paused(const struct view_ctx *ctx, struct view_cell *c, struct paused p);
/* Of port_paused_recent(): never marked, the newest share beside it is. */
void cell_paused_recent(const struct view_ctx *ctx, struct view_cell *c, struct paused p);
void cell_count_bad(struct view_cell *c, double v);              /* any > 0 is bad */
void cell_severity(struct view_cell *c, struct health h);        /* word and role */
void cell_severity_victim(struct view_cell *c, struct health h); /* as that, with the word victim */
void cell_ber(struct view_cell *c, double ber);
void cell_dbm(struct view_cell *c, double dbm, bool low);                /* "-1.3", "-9.8!" */
void cell_speed(struct view_cell *c, unsigned mbps, unsigned plan_mbps); /* "400G", "200G!" */
/* The mark for "since"; -1: none. */
int view_mark(const struct view_ctx *ctx);
/* The growth of a count since that mark: any growth of a bad count is bad. */
void cell_since(const struct view_ctx *ctx, struct view_cell *c, const struct port *p,
	counter_id id, uint8_t subs);
enum role role_of_severity(enum severity s);

#endif
