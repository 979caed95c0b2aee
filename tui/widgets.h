/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TUI_WIDGETS_H
#define TUI_WIDGETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tui/draw.h"

struct table_cell;

/*
 * Ring sparkline: sample i of a series is always in the same column (i modulo width); a gap marks
 * "now". Only the newest cell changes from frame to frame, which costs a tenth of a shifting line.
 * at: ring of size samples, next: index of the next sample, used: number of valid ones. NAN is a
 * gap, zero is the lowest mark. top: full scale (<= 0: the largest sample). Writes at most
 * min(width, size) columns to dst. The ring's length should be a multiple of the width, else a
 * sample hides an older one at the ring's end. ASCII without blocks (term_blocks()).
 */
void spark_text(const struct term *t, const float *at, size_t size, size_t next, size_t used,
	double top, int width, char *dst, size_t dst_size);

/*
 * Folds a ring of size samples into bins columns (size must be a multiple), each the largest of its
 * samples. So a sparkline in a table changes once in size / bins samples instead of with every one.
 * *next and *used become those of the folded ring. A bin of gaps is a gap.
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
 * Line editor with history and completion, for '/', ':' and typed names. Give it keys with
 * prompt_key(); it never blocks. complete() is called on Tab and while typing, and adds candidates;
 * a candidate replaces the whole text. None is chosen while candidate == ncandidates.
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
	char notes[12][96];      /* a note beside each, "" */
	size_t ncandidates, candidate;
	char error[160]; /* shown beside the text until the next key */
	bool forgets;    /* the entered text is not kept in the history */
	bool offered;    /* the text is a proposal: the first typed character replaces it */
	void (*complete)(void *ctx, const char *text, struct prompt *p);
	void *ctx;
};
enum prompt_result { PROMPT_MORE, PROMPT_DONE, PROMPT_CANCELLED };
void prompt_open(struct prompt *p, const char *label, const char *initial);
/*
 * Makes the current text a proposal: Enter takes it, a cursor key keeps it, and a character or
 * Backspace as the first key replaces it. Call it after prompt_open().
 */
void prompt_offer(struct prompt *p);
enum prompt_result prompt_key(struct prompt *p, int key);
void prompt_candidate(struct prompt *p, const char *text); /* for complete() */
/* The same with a note beside the candidate. */
void prompt_candidate_note(struct prompt *p, const char *text, const char *note);
/* Draws in the last line of r, candidates above it. */
void prompt_draw(struct region r, const struct prompt *p);

#endif
