/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/str.h"
#include "tui/text.h"
#include "tui/widgets.h"

#define CTRL(c) ((c) - '@')
#define HISTORY (sizeof(((struct prompt *)0)->history) / PROMPT_MAX)
#define CANDIDATES                                                                                 \
	(sizeof(((struct prompt *)0)->candidates) / sizeof(((struct prompt *)0)->candidates[0]))

static void set_text(struct prompt *p, const char *text)
{
	size_t n = strlen(text);

	/* Cuts the text between characters. */
	if (n >= sizeof(p->text)) {
		n = sizeof(p->text) - 1;
		while (n && ((unsigned char)text[n] & 0xc0) == 0x80)
			n--;
	}
	memmove(p->text, text, n);
	p->text[n] = '\0';
	p->len = p->cursor = n;
}

void prompt_candidate(struct prompt *p, const char *text)
{
	prompt_candidate_note(p, text, "");
}

void prompt_candidate_note(struct prompt *p, const char *text, const char *note)
{
	if (p->ncandidates >= CANDIDATES)
		return;
	for (size_t i = 0; i < p->ncandidates; i++)
		if (str_eq(p->candidates[i], text))
			return;
	/* A truncated candidate would name another object. */
	if (!str_copy(p->candidates[p->ncandidates], sizeof(p->candidates[0]), text))
		return;
	(void)str_copy(p->notes[p->ncandidates], sizeof(p->notes[0]), note);
	p->ncandidates++;
}

/* Asks for candidates for the text; none is chosen yet (candidate == ncandidates). */
static void find_candidates(struct prompt *p)
{
	p->ncandidates = 0;
	if (p->complete)
		p->complete(p->ctx, p->text, p);
	p->candidate = p->ncandidates;
}

void prompt_open(struct prompt *p, const char *label, const char *initial)
{
	(void)str_copy(p->label, sizeof(p->label), label);
	set_text(p, initial ? initial : "");
	p->active = true;
	p->history_at = p->history_used;
	p->error[0] = '\0';
	p->offered = false;
	find_candidates(p);
}

void prompt_offer(struct prompt *p)
{
	p->offered = p->len > 0;
}

static void remove_bytes(struct prompt *p, size_t from, size_t to)
{
	memmove(p->text + from, p->text + to, p->len - to + 1);
	p->len -= to - from;
	p->cursor = from;
}

static void insert_char(struct prompt *p, int key)
{
	char c[5];
	size_t n = text_encode((uint32_t)key, c);

	if (p->len + n >= sizeof(p->text))
		return;
	memmove(p->text + p->cursor + n, p->text + p->cursor, p->len - p->cursor + 1);
	memcpy(p->text + p->cursor, c, n);
	p->len += n;
	p->cursor += n;
}

static size_t word_before(const struct prompt *p)
{
	size_t at = p->cursor;

	while (at && p->text[at - 1] == ' ')
		at--;
	while (at && p->text[at - 1] != ' ')
		at--;
	return at;
}

static void add_history(struct prompt *p)
{
	if (!p->len || (p->history_used && str_eq(p->history[p->history_used - 1], p->text)))
		return;
	if (p->history_used == HISTORY) {
		memmove(p->history[0], p->history[1], sizeof(p->history) - PROMPT_MAX);
		p->history_used--;
	}
	memcpy(p->history[p->history_used++], p->text, PROMPT_MAX);
}

static void recall_history(struct prompt *p, bool older)
{
	if (older && p->history_at > 0)
		set_text(p, p->history[--p->history_at]);
	else if (!older && p->history_at + 1 < p->history_used)
		set_text(p, p->history[++p->history_at]);
	else if (!older && p->history_at < p->history_used) {
		p->history_at = p->history_used;
		set_text(p, "");
	}
}

/* Bytes that all candidates begin with, ending between two characters. */
static size_t common_start(const struct prompt *p)
{
	size_t n = strlen(p->candidates[0]);

	for (size_t i = 1; i < p->ncandidates; i++) {
		size_t same = 0;

		while (same < n && p->candidates[i][same] == p->candidates[0][same])
			same++;
		n = same;
	}
	while (n && ((unsigned char)p->candidates[0][n] & 0xc0) == 0x80)
		n--;
	return n;
}

static void choose_candidate(struct prompt *p, bool forward)
{
	if (forward)
		p->candidate = p->candidate + 1 < p->ncandidates ? p->candidate + 1 : 0;
	else
		p->candidate = p->candidate > 0 && p->candidate < p->ncandidates
				       ? p->candidate - 1
				       : p->ncandidates - 1;
	set_text(p, p->candidates[p->candidate]);
}

/* Tab: completes the common beginning of all candidates, then cycles through them. */
static void complete_text(struct prompt *p, bool forward)
{
	char start[sizeof(p->candidates[0])];
	size_t n;

	if (p->candidate >= p->ncandidates)
		find_candidates(p);
	if (!p->ncandidates)
		return;
	n = common_start(p);
	if (p->candidate >= p->ncandidates && n > p->len) {
		(void)str_copyn(start, sizeof(start), p->candidates[0], n);
		if (str_starts(start, p->text)) {
			set_text(p, start);
			find_candidates(p);
			return;
		}
	}
	choose_candidate(p, forward);
}

/* Down and Up choose among the candidates of a typed text; without one they recall the history. */
static bool arrow_key(struct prompt *p, int key)
{
	if ((key != TKEY_UP && key != TKEY_DOWN) || !p->len || !p->ncandidates ||
		p->history_at != p->history_used)
		return false;
	choose_candidate(p, key == TKEY_DOWN);
	return true;
}

/* Moves the cursor; false for other keys. */
static bool move_key(struct prompt *p, int key)
{
	switch (key) {
	case TKEY_LEFT:
	case CTRL('B'):
		p->cursor = text_before(p->text, p->cursor);
		return true;
	case TKEY_RIGHT:
	case CTRL('F'):
		p->cursor = text_after(p->text, p->cursor);
		return true;
	case TKEY_HOME:
	case CTRL('A'):
		p->cursor = 0;
		return true;
	case TKEY_END:
	case CTRL('E'):
		p->cursor = p->len;
		return true;
	default:
		return false;
	}
}

/* Control characters, unknown function keys and Alt combinations are no text. */
static bool is_text(int key)
{
	return key >= ' ' && (key < 0x7f || key >= 0xa0) && key < 0x110000;
}

/* Handles the first key on a proposal; true: the key has no other effect. */
static bool replace_offer(struct prompt *p, int key)
{
	bool erases = key == TKEY_BACKSPACE || key == TKEY_DELETE;

	if (!p->offered)
		return false;
	p->offered = false;
	if (erases || is_text(key))
		set_text(p, "");
	return erases;
}

/* Edits the text; false for other keys. */
static bool edit_key(struct prompt *p, int key)
{
	switch (key) {
	case TKEY_BACKSPACE:
		remove_bytes(p, text_before(p->text, p->cursor), p->cursor);
		return true;
	case TKEY_DELETE:
	case CTRL('D'):
		remove_bytes(p, p->cursor, text_after(p->text, p->cursor));
		return true;
	case CTRL('U'):
		remove_bytes(p, 0, p->cursor);
		return true;
	case CTRL('K'):
		remove_bytes(p, p->cursor, p->len);
		return true;
	case CTRL('W'):
		remove_bytes(p, word_before(p), p->cursor);
		return true;
	case TKEY_UP:
	case CTRL('P'):
	case TKEY_DOWN:
	case CTRL('N'):
		recall_history(p, key == TKEY_UP || key == CTRL('P'));
		return true;
	default:
		if (!is_text(key))
			return false;
		insert_char(p, key);
		return true;
	}
}

static enum prompt_result end_prompt(struct prompt *p, enum prompt_result how)
{
	if (how == PROMPT_DONE && !p->forgets)
		add_history(p);
	p->active = false;
	p->ncandidates = p->candidate = 0;
	return how;
}

enum prompt_result prompt_key(struct prompt *p, int key)
{
	p->error[0] = '\0';
	if (key == '\r')
		return end_prompt(p, PROMPT_DONE);
	if (key == 27 || key == CTRL('C') || key == CTRL('G') || (key == TKEY_BACKSPACE && !p->len))
		return end_prompt(p, PROMPT_CANCELLED);
	if (replace_offer(p, key))
		find_candidates(p);
	else if (key == '\t' || key == TKEY_TAB_BACK)
		complete_text(p, key == '\t');
	else if (arrow_key(p, key))
		return PROMPT_MORE;
	else if (!move_key(p, key) && edit_key(p, key))
		find_candidates(p);
	return PROMPT_MORE;
}

/* First byte shown, so that the cursor is inside room columns. */
static size_t first_visible(const struct prompt *p, int room)
{
	size_t from = 0;
	char head[PROMPT_MAX];

	while (from < p->cursor) {
		(void)str_copyn(head, sizeof(head), p->text + from, p->cursor - from);
		if (text_width(head) < room)
			break;
		from = text_after(p->text, from);
	}
	return from;
}

/* Notes are in a column of their own, behind the longest candidate. */
static int note_column(struct region r, const struct prompt *p)
{
	int widest = 0;

	for (size_t i = 0; i < p->ncandidates; i++) {
		int w = draw_width(r.term, p->candidates[i]);

		widest = w > widest ? w : widest;
	}
	return draw_width(r.term, p->label) + widest + 2;
}

static void draw_candidates(struct region r, const struct prompt *p)
{
	size_t room = r.h > 1 ? (size_t)(r.h - 1) : 0;
	size_t n = p->ncandidates < room ? p->ncandidates : room;
	/* The chosen candidate stays visible when there are fewer lines than candidates. */
	size_t first =
		p->candidate < p->ncandidates && p->candidate >= n ? p->candidate + 1 - n : 0;

	for (size_t i = 0; i < n; i++) {
		int y = r.h - 1 - (int)n + (int)i;
		enum role role = first + i == p->candidate ? ROLE_CURSOR : ROLE_HINT;

		draw_fill(r, y, 0, r.w, ROLE_NORMAL);
		draw_text(r, y, draw_width(r.term, p->label), role, p->candidates[first + i], -1);
		if (p->notes[first + i][0])
			draw_text(r, y, note_column(r, p), ROLE_DIM, p->notes[first + i], -1);
	}
}

void prompt_draw(struct region r, const struct prompt *p)
{
	int label = draw_width(r.term, p->label), y = r.h - 1, x;
	char head[PROMPT_MAX];
	size_t from;

	if (r.h <= 0 || r.w <= 0)
		return;
	draw_candidates(r, p);
	draw_fill(r, y, 0, r.w, ROLE_NORMAL);
	draw_text(r, y, 0, ROLE_ACCENT, p->label, -1);
	from = first_visible(p, r.w - label > 1 ? r.w - label : 1);
	x = label +
	    draw_text(r, y, label, p->offered ? ROLE_CURSOR : ROLE_NORMAL, p->text + from, -1);
	if (p->error[0])
		draw_text(r, y, x + 2, ROLE_ERROR, p->error, -1);
	(void)str_copyn(head, sizeof(head), p->text + from, p->cursor - from);
	x = label + draw_width(r.term, head);
	draw_cursor(r, y, x < r.w ? x : r.w - 1);
}
