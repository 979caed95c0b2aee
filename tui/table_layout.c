/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/str.h"
#include "tui/table_internal.h"
#include "tui/text.h"

#define LEAST_NAME  14  /* "r1-00:Eth188", "node026:mlx5_4" */
#define NARROW      100 /* columns of a screen on which words that are cut take those of others */
#define LEAST_WORDS 14  /* "7.40 ACK timeo..." */

/* The worst in a column of the visible rows. SAID: numbers of the same rows say it too. */
enum alarm { ALARM_NONE, ALARM_SAID, ALARM_WARN, ALARM_CRIT };

/* A column of names: they can be written shorter, and stay names. */
static bool has_names(const struct table_column *c)
{
	return !c->right && c->grow == 1 && c->priority == 0;
}

/*
 * The width that a column must have to stay. A number is never cut. Text that is shorter than its
 * column leaves room to others.
 */
static int least_width(const struct table_state *s, const struct table_column *c, size_t i)
{
	int width = c->width > 0 ? c->width : 1, need = s->need[i];

	if (c->right)
		return need > width ? need : width;
	if (need && need < text_width(c->title))
		need = text_width(c->title);
	/* The end of a short name tells it from its neighbours. */
	if (!c->right && c->priority == 0 && c->grow <= 1 && need > width && need <= LEAST_NAME)
		return need;
	return c->grow && need && need < width ? need : width;
}

int table_room(const struct layout *l, const struct table_cell *cells, size_t i)
{
	int width = l->width[i];

	while (++i < l->n && !cells[l->column[i]].text[0])
		width += TABLE_GAP + l->width[i];
	return width;
}

/* An empty column leaves its width to texts that are cut, if there are any. */
static void shrink_empty(
	struct layout *l, const struct table_state *s, const struct table_source *src)
{
	bool cut = false;

	for (size_t i = 0; i < l->n; i++)
		cut |= s->need[l->column[i]] > l->width[i];
	for (size_t i = 0; i < l->n && cut; i++) {
		int title = text_width(src->columns[l->column[i]].title);

		if (!s->need[l->column[i]] && title && title < l->width[i])
			l->width[i] = title;
	}
}

/* Columns that never go have a word for a row's state; the others have what made it so. */
static bool is_reason(const struct table_source *src, size_t column)
{
	return src->columns[column].priority > 0;
}

/*
 * Columns of priority 0 always stay; the first `skip` of the others are scrolled away. Words that
 * are needed begin with their beginning, so that they fit beside numbers.
 */
static void choose_columns(struct layout *l, const struct table_state *s,
	const struct table_source *src, const enum alarm *alarms, int skip)
{
	l->n = 0;
	l->dropped = 0;
	for (size_t c = 0; c < table_columns(src); c++) {
		if (table_hides(s, c))
			continue;
		if (src->columns[c].priority > 0 && skip-- > 0)
			continue;
		l->width[l->n] = least_width(s, &src->columns[c], c);
		if (alarms[c] && src->columns[c].grow && is_reason(src, c) &&
			l->width[l->n] > LEAST_WORDS)
			l->width[l->n] = LEAST_WORDS;
		l->column[l->n++] = c;
	}
}

static int total_width(const struct layout *l)
{
	int w = 0;

	for (size_t i = 0; i < l->n; i++)
		w += l->width[i] + (i ? TABLE_GAP : 0);
	return w;
}

static enum alarm alarm_of(const struct table_cell *cell)
{
	if (!cell->text[0])
		return ALARM_NONE;
	if (cell->role == ROLE_CRIT || cell->role == ROLE_ERROR)
		return ALARM_CRIT;
	return cell->role == ROLE_WARN ? ALARM_WARN : ALARM_NONE;
}

/* A sentence, not the word of a state: it repeats what numbers and states say. */
static bool is_sentence(const struct table_column *c)
{
	return !c->right && c->grow > 0;
}

/*
 * The worst that each column holds in the visible rows. In a row that a number convicts, the word
 * of a state counts less, and a sentence not at all.
 */
static void find_alarms(const struct table_state *s, const struct table_source *src,
	const struct grid *g, enum alarm *out)
{
	memset(out, 0, sizeof(*out) * TABLE_MAX_COLUMNS);
	for (size_t row = 0; row < g->rows; row++) {
		const struct table_cell *cells = &g->cells[row * g->columns];
		bool convicted = false;

		for (size_t c = 0; c < g->columns; c++)
			convicted |=
				!table_hides(s, c) && src->columns[c].right && alarm_of(&cells[c]);
		for (size_t c = 0; c < g->columns; c++) {
			enum alarm a = table_hides(s, c) ? ALARM_NONE : alarm_of(&cells[c]);

			if (!a || !is_reason(src, c))
				continue;
			if (convicted && is_sentence(&src->columns[c]))
				continue;
			if (convicted && !src->columns[c].right)
				a = ALARM_SAID;
			if (a > out[c])
				out[c] = a;
		}
	}
}

/*
 * The column to drop first: a calm one before one with an alarm, then by its priority, the
 * rightmost of equals; l->n when none may be dropped.
 */
static size_t least_important(
	const struct layout *l, const struct table_source *src, const enum alarm *alarms)
{
	size_t worst = l->n;

	for (size_t i = 0; i < l->n; i++) {
		size_t c = l->column[i], w = worst < l->n ? l->column[worst] : 0;

		if (src->columns[c].priority < 1)
			continue;
		if (worst == l->n || alarms[c] < alarms[w] ||
			(alarms[c] == alarms[w] &&
				src->columns[c].priority >= src->columns[w].priority))
			worst = i;
	}
	return worst;
}

/* Names that can be written shorter make room for an alarm; false: none can. */
static bool shorten_names(struct layout *l, const struct table_source *src)
{
	bool any = false;

	for (size_t i = 0; i < l->n; i++) {
		const struct table_column *c = &src->columns[l->column[i]];

		if (c->right || !c->grow || c->priority > 0 || l->width[i] <= LEAST_NAME)
			continue;
		l->width[i] = LEAST_NAME;
		any = true;
	}
	return any;
}

static void drop_column(struct layout *l, size_t i)
{
	memmove(&l->column[i], &l->column[i + 1], sizeof(l->column[0]) * (l->n - i - 1));
	memmove(&l->width[i], &l->width[i + 1], sizeof(l->width[0]) * (l->n - i - 1));
	l->n--;
	l->dropped++;
}

static void drop_until_fits(
	struct layout *l, const struct table_source *src, const enum alarm *alarms, int width)
{
	while (total_width(l) > width) {
		size_t i = least_important(l, src, alarms);

		if (i == l->n)
			return;
		if (alarms[l->column[i]] && src->shorten && shorten_names(l, src))
			continue;
		drop_column(l, i);
	}
}

/* The width of the widest name of a column, each in its short form. */
static int brief_width(const struct table_source *src, const struct grid *g, size_t column)
{
	int most = text_width(src->columns[column].title);

	for (size_t row = 0; row < g->rows; row++) {
		char text[TABLE_CELL_TEXT];
		int w;

		(void)str_copy(text, sizeof(text), g->cells[row * g->columns + column].text);
		src->shorten(src->ctx, text, sizeof(text), 1);
		w = text_width(text);
		most = w > most ? w : most;
	}
	return most;
}

/* The first column of words of which a visible row needs more than there is; l->n: none. */
static size_t cut_words(
	const struct layout *l, const struct table_source *src, const struct grid *g)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct table_column *c = &src->columns[l->column[i]];

		for (size_t row = 0; row < g->rows && !c->right && !has_names(c); row++) {
			const struct table_cell *cells = &g->cells[row * g->columns];

			if (text_width(cells[l->column[i]].text) > table_room(l, cells, i))
				return i;
		}
	}
	return l->n;
}

/* Widens the column whose text lacks the fewest columns; false: none lacks any, or no room. */
static bool widen_one(struct layout *l, const struct table_state *s, const struct table_source *src,
	bool words_only, int *spare)
{
	size_t best = l->n;
	int least = 0;

	for (size_t i = 0; i < l->n; i++) {
		int lacks = s->need[l->column[i]] - l->width[i];

		if (words_only && has_names(&src->columns[l->column[i]]))
			continue;

		if (lacks > 0 && (best == l->n || lacks < least)) {
			best = i;
			least = lacks;
		}
	}
	if (best == l->n || *spare <= 0)
		return false;
	if (least > *spare)
		least = *spare;
	l->width[best] += least;
	*spare -= least;
	return true;
}

/* Spare width goes to texts that are cut, then to the columns' usual widths, then by share. */
static void share_spare(
	struct layout *l, const struct table_state *s, const struct table_source *src, int width)
{
	int spare = width - total_width(l), grow = 0;

	while (widen_one(l, s, src, false, &spare)) {
	}
	for (size_t i = 0; i < l->n && spare > 0; i++) {
		int more = src->columns[l->column[i]].width - l->width[i];

		if (more <= 0)
			continue;
		more = more < spare ? more : spare;
		l->width[i] += more;
		spare -= more;
	}
	for (size_t i = 0; i < l->n; i++)
		grow += src->columns[l->column[i]].grow;
	for (size_t i = 0; i < l->n && spare > 0 && grow > 0; i++) {
		int share = src->columns[l->column[i]].grow;
		/* Divides the width that is left, so that the last column takes the remainder. */
		int more = spare * share / grow;

		l->width[i] += more;
		spare -= more;
		grow -= share;
	}
}

/* Where words are cut, names are written shorter and leave them the width. */
static void brief_names(struct layout *l, const struct table_state *s,
	const struct table_source *src, const struct grid *g)
{
	int spare = 0;

	if (!src->shorten || cut_words(l, src, g) == l->n)
		return;
	for (size_t i = 0; i < l->n; i++) {
		int brief;

		if (!has_names(&src->columns[l->column[i]]))
			continue;
		brief = brief_width(src, g, l->column[i]);
		if (brief >= l->width[i])
			continue;
		spare += l->width[i] - brief;
		l->width[i] = brief;
	}
	while (widen_one(l, s, src, true, &spare)) {
	}
	while (widen_one(l, s, src, false, &spare)) {
	}
}

static bool is_shown(const struct layout *l, size_t column)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->column[i] == column)
			return true;
	return false;
}

/* Names what is red or amber in the row under the cursor and has no room. */
static void note_unseen(const struct layout *l, struct table_state *s,
	const struct table_source *src, const struct grid *g)
{
	const struct table_cell *cells = NULL;
	size_t n = 0;

	s->unseen[0] = '\0';
	if (s->cursor >= g->top && s->cursor - g->top < g->rows)
		cells = &g->cells[(s->cursor - g->top) * g->columns];
	for (size_t c = 0; cells && c < g->columns && n < sizeof(s->unseen); c++) {
		if (!src->columns[c].right || table_hides(s, c) || is_shown(l, c) ||
			!alarm_of(&cells[c]))
			continue;
		(void)str_printf(s->unseen + n, sizeof(s->unseen) - n, "%s%s %s", n ? ", " : "",
			src->columns[c].title, cells[c].text);
		n += strlen(s->unseen + n);
	}
}

/*
 * Shares the width. On a narrow screen a calm column goes for words that are cut and matter much
 * more than it.
 */
static void share_width(struct layout *l, const struct table_state *s,
	const struct table_source *src, const struct grid *g, const enum alarm *alarms, int width)
{
	for (;;) {
		struct layout whole = *l;
		size_t cut, i;

		shrink_empty(l, s, src);
		share_spare(l, s, src, width);
		brief_names(l, s, src, g);
		cut = cut_words(l, src, g);
		if (width > NARROW || cut == l->n)
			return;
		i = least_important(&whole, src, alarms);
		if (i == whole.n || alarms[whole.column[i]] ||
			src->columns[whole.column[i]].priority <
				src->columns[l->column[cut]].priority + 2)
			return;
		drop_column(&whole, i);
		*l = whole;
	}
}

/* The texts of the row under the cursor that are cut, whole. */
static void note_cut(const struct layout *l, struct table_state *s, const struct table_source *src,
	const struct grid *g)
{
	const struct table_cell *cells;
	size_t n = 0;

	s->cut[0] = '\0';
	if (s->cursor < g->top || s->cursor - g->top >= g->rows)
		return;
	cells = &g->cells[(s->cursor - g->top) * g->columns];
	for (size_t i = 0; i < l->n && n < sizeof(s->cut); i++) {
		const struct table_column *c = &src->columns[l->column[i]];
		char text[TABLE_CELL_TEXT];

		(void)str_copy(text, sizeof(text), cells[l->column[i]].text);
		if (c->right || text_width(text) <= table_room(l, cells, i))
			continue;
		/* A name in its short form is whole. */
		if (src->shorten)
			src->shorten(src->ctx, text, sizeof(text), 1);
		if (text_width(text) <= table_room(l, cells, i))
			continue;
		(void)str_printf(s->cut + n, sizeof(s->cut) - n, "%s%s: %s", n ? "; " : "",
			c->title, cells[l->column[i]].text);
		n += strlen(s->cut + n);
	}
}

void table_lay_out(struct layout *l, struct table_state *s, const struct table_source *src,
	const struct grid *g, int width)
{
	enum alarm alarms[TABLE_MAX_COLUMNS];
	int scrollable = 0;

	find_alarms(s, src, g, alarms);

	for (size_t c = 0; c < table_columns(src); c++)
		scrollable += !table_hides(s, c) && src->columns[c].priority > 0;
	if (s->first_column >= scrollable)
		s->first_column = scrollable - 1;
	if (s->first_column < 0)
		s->first_column = 0;
	/* When the screen has grown, scrolled columns come back as far as they fit. */
	for (; s->first_column > 0; s->first_column--) {
		choose_columns(l, s, src, alarms, s->first_column - 1);
		if (total_width(l) > width)
			break;
	}
	choose_columns(l, s, src, alarms, s->first_column);
	drop_until_fits(l, src, alarms, width);
	share_width(l, s, src, g, alarms, width);
	s->columns_dropped = l->dropped;
	note_unseen(l, s, src, g);
	note_cut(l, s, src, g);
}
