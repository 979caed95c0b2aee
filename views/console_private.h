/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VIEWS_CONSOLE_PRIVATE_H
#define VIEWS_CONSOLE_PRIVATE_H

#include "base/vec.h"
#include "fabric/query.h"
#include "views/console.h"

/* Shared by views/console*.c only. */

/* What free text is looked for in, kept while the view says that it is still the same. */
struct row_text {
	uint64_t key, stamp; /* of the row; 0: never the same */
	char *text;
	size_t size;
};

/* One opened view with everything that must be as it was when the operator comes back. */
struct page {
	const struct view_ops *view;
	struct ref scope;
	struct table_state table;
	char filter[PROMPT_MAX];
	struct query *query;        /* compiled filter, NULL: none */
	bool since_hidden;          /* no mark was shown at the last refresh */
	row_vec rows;               /* filtered and sorted */
	size_t total;               /* rows before the filter */
	VEC(struct row_text) texts; /* by place before the filter; filled by the first free text */
};

enum prompt_use { PROMPT_NONE, PROMPT_FILTER, PROMPT_PALETTE, PROMPT_MARK, PROMPT_ACK };
enum overlay { OVERLAY_NONE, OVERLAY_HELP, OVERLAY_COLUMNS };

struct overlay_line {
	enum role role;
	char text[160];
};

struct console {
	struct console_opts opts;
	struct model *model;
	struct diag *diag;
	const struct act_sheet *sheet;
	const struct audit_log *audit;
	int64_t now_us;
	size_t waiting;
	struct view_cache *cache; /* of this model: health and sums, computed once a change */

	VEC(struct page *) pages; /* history; at is the one shown, later ones are "forward" */
	size_t at;

	/* Editors of their own, so that each keeps its history. */
	struct prompt prompt, palette, naming, acking;
	enum prompt_use prompt_use;
	char filter_before[PROMPT_MAX];
	enum overlay overlay;
	VEC(struct overlay_line) overlay_lines;
	size_t overlay_top, overlay_cursor;
	int overlay_page;

	int prefix; /* first key of a two-key sequence, 0: none */
	char message[256];
	enum role message_role;
	bool paused, quitting, dirty, rows_stale;
	int64_t paused_us;
	char focus[NAME_MAX_LEN];
	char mark[sizeof(((struct mark *)0)->name)]; /* chosen by since; "": newest, "-": none */
};

struct page *console_page(const struct console *c);
struct view_ctx console_ctx(const struct console *c);

/* console_rows.c: fills page->rows from the view, the filter and the sort order. */
void page_refresh(struct console *c, struct page *p);
struct table_source page_source(struct console *c, struct page *p);
/* The row under the cursor; REF_NONE when there is none. */
struct ref page_row(struct console *c, struct page *p);
bool page_set_filter(struct page *p, const char *text, struct err *err);
bool page_set_sort(struct page *p, const char *column, struct err *err);
int page_column(const struct page *p, const char *id);

/*
 * console_texts.c: all cells of the i-th row before the filter, one a line. Valid until the next
 * call for that row.
 */
const char *page_text(struct page *p, const struct view_ctx *ctx, size_t i, struct ref row);
void page_texts_free(struct page *p);

/* console_marks.c */
/* Shows the columns of growth since a mark when there is one, and hides them when there is none. */
void page_show_since(const struct console *c, struct page *p);
/* Sets a mark; an empty name becomes m1, m2, ... */
bool console_set_mark(struct console *c, const char *name, struct err *err);
/* Names of marks that start so, each after what was typed before it. */
void marks_complete(const struct console *c, const char *text, struct prompt *p);
/* "since m1 12m" for the title; "" without a mark. */
void marks_badge(const struct console *c, bool is_short, char *dst, size_t size);

/* console_diag.c */
extern const struct view_ops view_findings, view_finding, view_trace;
/* The object that the cursor, else the page is about. */
struct ref console_about(struct console *c);
/* A locator, also of a finding ("link.flapping leaf-r3-00:Ethernet12"). */
bool console_parse(const struct console *c, const char *text, struct ref *out, struct err *err);
/* The name of the finding under the cursor; false: there is none. */
bool console_finding(const struct console *c, char *dst, size_t size);
void findings_complete(const struct console *c, const char *text, struct prompt *p);
/* Acknowledges; "" is the default time without a note. */
bool console_ack_now(struct console *c, const char *text, struct err *err);

/* console_overlay.c */
void overlay_open(struct console *c, enum overlay which);
void overlay_move(struct console *c, enum table_move how);
void overlay_choose(struct console *c); /* Enter or Space */
void overlay_draw(struct console *c, struct region r);

/* console_prompt.c */
void prompt_palette_complete(void *ctx, const char *text, struct prompt *p);
/* A key while a prompt is open. */
void console_prompt_key(struct console *c, int key);

#endif
