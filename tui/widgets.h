/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TUI_WIDGETS_H
#define TUI_WIDGETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tui/draw.h"

struct table_cell;

/*
 * Ring sparkline: sample i of a series always sits in the same column (i modulo width), a gap marks
 * "now". Only the newest cell changes from frame to frame, which costs a tenth of a shifting line.
 * at: ring of size samples, next: where the next one goes, used: how many are valid. NAN is a gap,
 * zero is the lowest mark. top: full scale (<= 0: the largest sample). Writes at most min(width,
 * size) columns to dst; the ring's length should be a multiple of the width, else a sample hides an
 * older one where the ring ends. ASCII without blocks (term_blocks()).
 */
void spark_text(const struct term *t, const float *at, size_t size, size_t next, size_t used,
	double top, int width, char *dst, size_t dst_size);

/*
 * Folds a ring of size samples into bins columns (size must be a multiple), each the largest of its
 * samples, for tables: a column of sparklines then changes once in size / bins samples and not with
 * every one. *next and *used become those of the folded ring. A bin of gaps is a gap.
 */
void spark_fold(const float *at, size_t size, size_t *next, size_t *used, float *out, size_t bins);

/* "[#####     ]" or block glyphs; share is 0..1, NAN prints dashes. */
void bar_text(const struct term *t, double share, int width, char *dst, size_t dst_size);

/*
 * Heat map: rows x columns of cells, each a word of at most cell_width columns and a role, with row
 * and column labels. Scrolls sideways when it does not fit. The cursor cell is drawn in
 * ROLE_CURSOR.
 */
struct heatmap_source {
	int rows, columns;
	int cell_width; /* 1..8 */
	void *ctx;
	void (*cell)(void *ctx, int row, int column, struct table_cell *out);
	void (*row_label)(void *ctx, int row, char *dst, size_t size);
	void (*column_label)(void *ctx, int column, char *dst, size_t size);
};
struct heatmap_state {
	int row, column, first_column, first_row;
};
/* Returns the lines used. */
int heatmap_draw(struct region r, struct heatmap_state *s, const struct heatmap_source *src,
	bool show_cursor);

/*
 * Line editor with history and completion, for '/', ':' and typed names. Feed it keys; it never
 * blocks. complete() is asked on Tab and while typing, and pushes candidates; a candidate replaces
 * the whole text. None is chosen while candidate == ncandidates.
 */
#define PROMPT_MAX 256
struct prompt {
	char label[96];
	char text[PROMPT_MAX];
	size_t len, cursor;
	bool active;
	char history[16][PROMPT_MAX];
	size_t history_used, history_at;
	char candidates[12][96]; /* of the last completion */
	char notes[12][96];      /* what is said beside each, "" */
	size_t ncandidates, candidate;
	char error[160]; /* shown beside the text until the next key */
	bool forgets;    /* what was entered is not kept in the history */
	bool offered;    /* the text is a proposal: the first character typed replaces it */
	void (*complete)(void *ctx, const char *text, struct prompt *p);
	void *ctx;
};
enum prompt_result { PROMPT_MORE, PROMPT_DONE, PROMPT_CANCELLED };
void prompt_open(struct prompt *p, const char *label, const char *initial);
/*
 * The text that is there is a proposal: Enter takes it, moving in it keeps it, and a character or
 * Backspace as the first key replaces it. After prompt_open().
 */
void prompt_offer(struct prompt *p);
enum prompt_result prompt_key(struct prompt *p, int key);
void prompt_candidate(struct prompt *p, const char *text); /* for complete() */
/* The same with a note that is shown beside it. */
void prompt_candidate_note(struct prompt *p, const char *text, const char *note);
/* Draws in the last line of r, candidates above it. */
void prompt_draw(struct region r, const struct prompt *p);

#endif
