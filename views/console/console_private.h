/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VIEWS_CONSOLE_CONSOLE_PRIVATE_H
#define VIEWS_CONSOLE_CONSOLE_PRIVATE_H

#include "base/vec.h"
#include "fabric/query/query.h"
#include "views/chart/chart.h"
#include "views/console/console.h"

/* Shared by the files of views/console; private to them. */

/* The text of a row for free-text search, kept while the view's stamp stays the same. */
struct row_text {
	uint64_t key, stamp; /* of the row; 0: always outdated */
	char *text;
	size_t size;
};

#define SWAP_NAME  160
#define BELOW_MOST 3

/* The operator's arrangement of a view. */
struct arrangement {
	const struct view_ops *view;
	char sort[48];
	uint64_t hidden;
};

/* Known events in ten seconds. */
struct tick {
	int64_t bucket; /* of ten seconds */
	uint16_t events;
	bool critical; /* a critical finding was opened */
};

/* The rows of a long table in progress, see work.c. */
struct page_work {
	enum { PAGE_WORK_NONE, PAGE_WORK_LIST, PAGE_WORK_FILTER, PAGE_WORK_SORT } stage;
	bool done;  /* the page's rows were made this way */
	bool asked; /* the operator asked for other rows than those shown */
	row_vec rows;
	size_t listed;          /* position in list() */
	size_t total, at, kept; /* before the filter; position; rows that passed the filter */
	struct row_sort *sort;
	/* The inputs of these rows. */
	const struct model *model;
	uint64_t wiring;
	int column;
	bool descending;
	char filter[PROMPT_MAX];
	int64_t spent_us, rest_until_us; /* CLOCK of clock_mono() */
};

/* An open page with all state that the operator finds again on return. */
struct page {
	const struct view_ops *view;
	struct ref scope;
	char name[SWAP_NAME]; /* name of the scope, for finding it in another model; "" */
	struct table_state table;
	char filter[PROMPT_MAX];
	struct query *query; /* compiled filter, NULL: none */
	uint64_t idle;       /* columns that had nothing to show at the last refresh */
	row_vec rows;        /* filtered and sorted */
	size_t total;        /* rows before the filter */
	struct page_work work;
	VEC(struct row_text) texts; /* by place before the filter; filled by the first free text */
};

enum prompt_use {
	PROMPT_NONE,
	PROMPT_FILTER,
	PROMPT_PALETTE,
	PROMPT_ASK,   /* the questions before an action is executed */
	PROMPT_JUDGE, /* a person's judgement, in one key */
	PROMPT_TEXT   /* a text, for console_ask_text() */
};
enum overlay { OVERLAY_NONE, OVERLAY_HELP, OVERLAY_COLUMNS, OVERLAY_SHEET, OVERLAY_OUTPUT };

#define OWN_WORDS 32
#define OWN_WORD  512
/* A program that the user named; see own.c. */
struct own_command {
	char name[SAVED_NAME];
	size_t n;
	char words[768]; /* n of them, one behind the other, each with its end */
};

struct overlay_line {
	enum role role;
	char text[256];
};

/*
 * The questions that must be answered before a device is changed, one after the other. A key counts
 * only after the terminal has confirmed that the question was on the screen.
 */
enum ask_step { ASK_REASON, ASK_INCIDENT, ASK_TYPED };
enum ask_sight {
	ASK_OPENED, /* not drawn yet */
	ASK_DRAWN,  /* sent to the terminal */
	ASK_SEEN    /* the terminal has answered since then */
};
struct asking {
	enum ask_step step;
	enum ask_sight sight;
	enum sheet_ask what; /* the purpose of the answers */
	bool touched;        /* a key was taken since the question was asked */
	unsigned dropped;    /* keys that came before the question was seen */
	char reason[200], typed[NAME_MAX_LEN];
	char incident[64]; /* kept, because the next action probably has the same */
};

struct console {
	struct console_opts opts;
	struct model *model;
	struct diag *diag;
	const struct act_sheet *sheet;
	const struct audit_log *audit;
	int64_t now_us;
	size_t waiting;
	struct view_cache
		*cache; /* for this model: health and sums, computed once for each change */

	VEC(struct page *) pages; /* history; at is the shown page, later ones are "forward" */
	size_t at;

	/* Separate editors, so that each keeps its history. */
	struct prompt prompt, palette, naming, acking, acting, asking, texting;
	struct prompt *typing; /* the prompt that is open */
	bool (*typed)(struct console *c, const char *text, struct err *err); /* of PROMPT_TEXT */
	enum prompt_use prompt_use;
	char filter_before[PROMPT_MAX];
	enum overlay overlay;
	VEC(struct overlay_line) overlay_lines;
	size_t overlay_top, overlay_cursor;
	int overlay_page;

	struct asking ask;
	struct ref act_at;  /* the place for the prompt of an action */
	bool sheet_follows; /* the newest line stays visible */
	bool sheet_went;    /* the plan was executed: its outcome is of interest */
	int key;            /* the last one that ran a command */
	int trigger;        /* the key that began the current action */
	size_t flushed;     /* keys dropped unread */
	int64_t audit_us;   /* time of the last request for the ledger */

	int prefix; /* first key of a two-key sequence, 0: none */
	char message[256];
	enum role message_role;
	bool paused, quitting, dirty, rows_stale;
	bool view_works;   /* the view's own work has not ended */
	bool health_stale; /* new data came since health was computed; of large fabrics, work.c */
	int64_t paused_us;
	char focus[NAME_MAX_LEN];

	struct console_moment moment;
	bool has_moment; /* the moment was set */
	enum recording_state recording;
	bool was_replay; /* the shown model is of a recording */
	bool swapped;    /* the next model is of another moment */
	int64_t speed;   /* the last speed of playing; 0: never */
	VEC(struct tick) ticks;
	struct differences differences;
	char search[96];                                  /* the text that n and N look for */
	enum { ZOOM_NONE, ZOOM_TABLE, ZOOM_DETAIL } zoom; /* of the two panes */
	bool no_split;                  /* the setting: no second pane on a wide screen */
	bool split_shown;               /* the last frame had a second pane, or could have */
	struct page *detail;            /* of the second pane; NULL: none */
	struct page *below[BELOW_MOST]; /* tables below a short one; NULL: none */
	enum map_colour map;            /* the setting map */
	struct view_units units;        /* the settings zone and units */
	struct chart chart;
	char chart_names[CHART_SERIES][SWAP_NAME]; /* of its places, for another model */
	/* Of the last frame, for the mouse. */
	struct region table_at;
	int banner_lines;
	/* Of a page of a small screen, by the rows of its table: lines of the banner beyond one. */
	struct {
		const struct page *page;
		int h;
		size_t more;
	} banner_room;
	struct {
		const char *command;
		int x, width;
	} hints_at[24];
	size_t nhints;
	struct runbook_run run;
	bool running;  /* run is valid */
	bool run_lost; /* the target does not exist at the shown moment */
	runbook_log trail;
	const runbook_log *recorded; /* trail of the shown recording; NULL: none */
	bool trail_here;             /* runbooks were run on the recording */
	VEC(struct arrangement) arrangements;
	VEC(struct saved_filter) saved;
	VEC(struct own_command) own;
	char *output; /* of the last program, as it came; NULL: none */
	char output_title[200], output_end[80];

	char mark[sizeof(((struct mark *)0)->name)]; /* chosen by since; "": newest, "-": none */
};

extern const struct view_ops view_diff, view_runbook, view_chart, view_map;
/* Shows the error and its cure in the message line. */
void console_error(struct console *c, const struct err *err);
/* Reports the device on the screen to the collector when it changes. */
void console_update_focus(struct console *c);
struct page *console_page(const struct console *c);
struct view_ctx console_ctx(const struct console *c);

struct page *page_new(const struct console *c, const struct view_ops *view, struct ref scope);
void page_free(struct page *p);

/* rows.c: fills page->rows from the view, the filter and the sort order. */
void page_refresh(struct console *c, struct page *p);
struct table_source page_source(struct console *c, struct page *p);
/* Filters the next n rows from *at on; rows that pass go to position *kept. */
void page_filter_some(struct page *p, const struct view_ctx *ctx, row_vec *rows, size_t *at,
	size_t *kept, size_t n);
/* work.c: makes the page's rows in pieces (begins, if they are due); false: make them at once. */
bool page_in_pieces(struct console *c, struct page *p, const struct view_ctx *ctx);
void page_work_drop(struct page_work *w);
/* Computes health in pieces for a large fabric. */
void console_pace(struct console *c);
/* Whether the fabric is so large that long computations go in pieces. */
bool console_is_large(const struct console *c);
/* "filtering 600000 rows: 40 %"; "": the requested rows are shown. */
void page_work_told(const struct page *p, char *dst, size_t size);
/* The row under the cursor; REF_NONE when there is none. */
struct ref page_row(struct console *c, struct page *p);
bool page_set_filter(struct page *p, const char *text, struct err *err);
bool page_set_sort(struct page *p, const char *column, struct err *err);
int page_column(const struct page *p, const char *id);

/*
 * texts.c: all cells of the i-th row before the filter, one a line. Valid until the next
 * call for that row.
 */
const char *page_text(struct page *p, const struct view_ctx *ctx, size_t i, struct ref row);
void page_texts_free(struct page *p);
void texts_forget(struct console *c); /* the way of writing has changed */

/* marks.c */
/* Hides columns that have nothing to show, of growth since a mark and of racks, and no others. */
void page_hide_idle(const struct console *c, struct page *p);
/* Sets a mark; an empty name becomes m1, m2, ... */
bool console_set_mark(struct console *c, const char *name, struct err *err);
/* Offers the names of marks with this beginning, each after the text typed before it. */
void marks_complete(const struct console *c, const char *text, struct prompt *p);
/* "since m1 12m" for the title; "" without a mark. */
void marks_badge(const struct console *c, bool is_short, char *dst, size_t size);

/* diagnosis.c */
extern const struct view_ops view_findings, view_finding, view_trace;
/* The object under the cursor, else of the page. */
struct ref console_about(struct console *c);
/* Parses a locator, also of a finding ("link.flapping leaf-r3-00:Ethernet12"). */
bool console_parse(const struct console *c, const char *text, struct ref *out, struct err *err);
/* The name of the finding under the cursor; false: there is none. */
bool console_finding(const struct console *c, char *dst, size_t size);
void findings_complete(const struct console *c, const char *text, struct prompt *p);

/* overlay.c */
void overlay_open(struct console *c, enum overlay which);
void overlay_move(struct console *c, enum table_move how);
void overlay_choose(struct console *c); /* Enter or Space */
void overlay_draw(struct console *c, struct region r);

/* act.c */
void console_act_init(struct console *c);
bool console_has_actions(const struct console *c);
/* "act NAME PLACE" for the palette. */
void act_complete(const struct console *c, const char *text, struct prompt *p);
/* Requests the ledger if the shown page needs it and the last request is old. */
void audit_want(struct console *c);

/* ask.c */
/* Begins the questions; false: *err has the reason. */
bool ask_begin(struct console *c, enum sheet_ask what, struct err *err);
void ask_key(struct console *c, int key);
/* Ends the questions when the sheet does not need their answers any more. */
void ask_check(struct console *c);
/* Draws the question; it counts as seen only if it was drawn whole. */
void ask_draw(struct console *c, struct region screen);
/* Around a frame: before it begins, and after it was sent. */
void ask_frame_begun(struct console *c);
void ask_frame_sent(struct console *c);

/* Forgets the question. */
void ask_drop(struct console *c, const char *why);

/* time.c */
/* Whether the shown data is of the past, or of a file. */
bool console_past(const struct console *c);
/* False with the reason if the shown data is of the past: the present state is unknown. */
bool console_refuse_past(const struct console *c, const char *what, struct err *err);
/* "REPLAY 02:13:30Z -47:12"; "" live. */
/* "02:13:30", as the clock of the operator's zone showed it at a session time. */
char *time_hms(const struct console *c, int64_t us, char *dst, size_t size);
/* What stands behind it: "Z", "+02". */
char *time_zone_mark(const struct console *c, int64_t us, char *dst, size_t size);
/* Shows another moment; us: session time. */
bool time_go_to(struct console *c, int64_t us, struct err *err);
void time_badge(const struct console *c, bool is_short, char *dst, size_t size);
void time_speed(const struct console_moment *m, char *dst, size_t size); /* "x4", "||" */
/* The pause key: stops the playback, or resumes it. */
void time_pause(struct console *c);

/* Reports a change for the recording; not while one is shown. */
void console_note(const struct console *c, const struct console_note *note);

/* timeline.c */
void timeline_learn(struct console *c); /* from the model that is shown */
bool timeline_wanted(const struct console *c);
void timeline_draw(const struct console *c, struct region r); /* one line */

/* model_switch.c */
/* Adapts pages, rows and caches to another model. */
void switch_model(struct console *c);
/* The name by which an object is found in another model; "" if it has none. */
void swap_name(const struct model *m, struct ref r, char *dst, size_t size);
/* Sets *r to the object of this name in this model; false: there is none. */
bool swap_ref(const struct model *m, const char *name, struct ref *r);

/* runbook.c */
bool runbook_look_at(struct console *c, size_t step, struct err *err);
bool runbook_enter(struct console *c, struct err *err); /* Enter on a row of its view */
/* "runbook NAME" for the palette. */
void runbooks_complete(const struct console *c, const char *text, struct prompt *p);
void runbook_swapped(struct console *c); /* another model */
/* Judges until until_us; false: nothing is left to do. */
bool runbook_work(struct console *c, int64_t until_us);
void runbook_data(struct console *c); /* judges, once a change */
void runbook_free_all(struct console *c);
/* The trail that the view shows when no runbook is running. */
const runbook_log *trail_shown(const struct console *c);
void judge_key(struct console *c, int key);
void judge_draw(const struct console *c, struct region screen);

/* pane.c */
#define PANE_TABLE 9 /* a header and eight rows: the table beside a pane keeps them */
/* Draws the running runbook into a part of the body and returns the rest of the body. */
struct region pane_draw(struct console *c, const struct page *p, struct region body);

/* chart.c: finds the places of the chart in another model; lines without a place go */
void chart_swapped(struct console *c);

/* split.c: draws the detail of the row under the cursor, and returns the rest of r */
struct region split_draw(struct console *c, struct page *p, struct region r);
void split_drop(struct console *c); /* another model */
#define SPLIT_FROM 160              /* columns of the body from which there is a second pane */
/* The rows of a page that is no page of the history, and its panel and table. */
void pane_page_rows(struct console *c, struct page *d);
void pane_page_draw(struct console *c, struct page *d, struct region r);
void pane_table_draw(struct console *c, struct page *d, struct region r); /* without its panel */
/* below.c: the lines that the tables below the page's take of `free` lines; 0: there are none. */
int below_height(struct console *c, struct page *p, int width, int free);
void below_draw(struct console *c, struct region r); /* after below_height() of the frame */
void below_drop(struct console *c);

/* search.c */
bool search_hits(const struct console *c, const char *text);
bool search_next(struct console *c, bool back, struct err *err);

/* saved.c: opens a saved filter; *known: there is one of that name */
bool saved_open(struct console *c, const char *name, bool *known, struct err *err);
void saved_complete(const struct console *c, const char *text, struct prompt *p);
bool saved_is_name(const char *name);

/* own.c: "NAME [PLACE]"; *known: there is an own command of that name */
bool own_run(struct console *c, const char *text, bool *known, struct err *err);
void own_complete(const struct console *c, const char *text, struct prompt *p);
void output_lines(struct console *c); /* into the overlay */

/* settings.c: offers "set theme ", ... */
/* Whether the line begins with the name of a setting: ":theme light" is ":set theme light". */
bool settings_name(const char *text);
void settings_complete(const struct console *c, const char *text, struct prompt *p);

/* mouse.c */
void mouse_key(struct console *c); /* the newest report of the terminal */
void mouse_act(struct console *c, struct term_mouse at);

/* banner.c: draws the cause into the top of r and returns its lines; 0: there is none. */
int banner_draw(const struct console *c, struct region r);
/*
 * After a frame: h, the lines of banner and body; panel, of the page's panel; filled, whether it
 * took all it was given; body, of panel and table. False: the banner is due other lines.
 */
bool banner_fits(struct console *c, int h, int panel, bool filled, int body);

/* arrange.c */
/* The columns that the operator hid in that view. */
uint64_t arranged_hidden(const struct console *c, const struct view_ops *view);
void arrange_page(const struct console *c, struct page *p); /* a new page */
/* The setting columns: "[VIEW] all", "[VIEW] a,b,c", "[VIEW] +a -b"; VIEW: the shown page's. */
bool arrange_columns(struct console *c, const char *text, struct err *err);
void arrange_complete(const struct console *c, const char *text, struct prompt *p);
/* The operator changed the page's order or columns. */
void arrange_note(struct console *c, const struct page *p);

/* sheet.c */
extern const struct view_ops view_audit;
void sheet_open(struct console *c);
/* Handles a key of the sheet; false: the key has its usual meaning. */
bool sheet_key(struct console *c, int key);
/* Whether a key may run the command while the sheet covers the page. */
bool sheet_lets(const struct console *c, const char *line);
void sheet_lines(struct console *c); /* fills overlay_lines */
void sheet_draw(struct console *c, struct region r);
void sheet_hints(const struct console *c, struct region r);
/* "ACT running"; "" if there is nothing to show. */
void sheet_badge(const struct console *c, char *dst, size_t size);

/* prompt.c */
void prompt_palette_complete(void *ctx, const char *text, struct prompt *p);
/*
 * Asks for a text in the last line, in one of the console's prompts, which keeps its own history.
 * typed() gets the text when Enter is pressed; false: err is shown. Esc drops the question.
 */
void console_ask_text(struct console *c, struct prompt *in, const char *label,
	bool (*typed)(struct console *c, const char *text, struct err *err));
/* A key while a prompt is open. */
void console_prompt_key(struct console *c, int key);

#endif
