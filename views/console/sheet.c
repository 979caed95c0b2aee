/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <string.h>

#include "base/str.h"
#include "views/console/console_private.h"
#include "views/wrap.h"

/*
 * The act sheet: an overlay with the plan, the refusals, the progress or the outcome of an action.
 */

#define HEAD_LINES  2
#define SHEET_LEAST 16 /* columns */

void sheet_open(struct console *c)
{
	c->overlay = OVERLAY_SHEET;
	c->overlay_top = 0;
	c->sheet_follows = true;
	c->dirty = true;
}

static void copy_upper(const char *text, char *dst, size_t size)
{
	(void)str_copy(dst, size, text);
	for (char *p = dst; *p; p++)
		*p = (char)toupper((unsigned char)*p);
}

void sheet_badge(const struct console *c, char *dst, size_t size)
{
	const struct act_sheet *s = c->sheet;

	dst[0] = '\0';
	if (s && (s->busy || s->follows || s->ask != SHEET_SHOWS ||
			 (s->role == ROLE_CRIT && c->sheet_went)))
		(void)str_printf(dst, size, "ACT %s", s->state);
}

/* ---- lines ---- */

/* Adds a line; a long one is wrapped with two more columns of indentation. */
static void add_wrapped(struct console *c, const struct sheet_line *l, int width)
{
	int indent = (int)strspn(l->text, " "), in = 0;
	const char *text = l->text;

	if (indent > width / 2)
		indent = 0;
	do {
		struct overlay_line *out = vec_add(&c->overlay_lines);
		size_t n = wrap_fit(text, width - in);

		out->role = l->role;
		(void)str_printf(out->text, sizeof(out->text), "%*s%.*s", in, "", (int)n, text);
		text += n;
		text += strspn(text, " ");
		in = indent + 2;
	} while (*text);
}

int console_sheet_width(const struct console *c)
{
	int width = term_cols(c->opts.term) - 2;

	return width > SHEET_LEAST ? width : SHEET_LEAST;
}

void sheet_lines(struct console *c)
{
	int width = console_sheet_width(c);

	for (size_t i = 0; c->sheet && i < c->sheet->lines.n; i++)
		add_wrapped(c, &c->sheet->lines.at[i], width);
}

/* ---- drawing ---- */

static void draw_head(const struct act_sheet *s, struct region r)
{
	char state[sizeof(s->state)];
	int x;

	copy_upper(s->state, state, sizeof(state));
	x = draw_textf(r, 0, 0, s->role, "[ %s ]", state);
	(void)draw_text(r, 0, x + 2, ROLE_HEADER, s->title, -1);
	draw_hline(r, 1, ROLE_DIM);
}

void sheet_draw(struct console *c, struct region r)
{
	struct region body = region_sub(r, HEAD_LINES, 0, r.h - HEAD_LINES, r.w);
	size_t n = c->overlay_lines.n, h = body.h > 0 ? (size_t)body.h : 0;
	size_t last = n > h ? n - h : 0;

	draw_clear(r);
	c->overlay_page = body.h;
	if (!c->sheet)
		return;
	if ((c->sheet_went && c->sheet_follows) || c->overlay_top > last)
		c->overlay_top = last;
	draw_head(c->sheet, r);
	for (size_t y = 0; y < h && c->overlay_top + y < n; y++) {
		const struct overlay_line *l = &c->overlay_lines.at[c->overlay_top + y];

		(void)draw_text(body, (int)y, 1, l->role, l->text, r.w - 1);
	}
	if (c->overlay_top < last)
		draw_right(body, body.h - 1, 0, r.w, ROLE_DIM, " more below ");
}

/* ---- keys ---- */

enum sheet_does { SHEET_GO, SHEET_BACK, SHEET_DROP };

/* The effect of the sheet's own keys now; NULL: none. */
static const char *key_effect(const struct console *c, enum sheet_does what)
{
	const struct act_sheet *s = c->sheet;

	switch (what) {
	case SHEET_GO:
		return s->ask == SHEET_CONSENT ? "execute: three questions" : NULL;
	case SHEET_BACK:
		return s->ask == SHEET_UNDO && c->opts.hooks.act_undo ? "take it back" : NULL;
	case SHEET_DROP:
		if (s->busy || !c->opts.hooks.act_drop)
			return NULL;
		if (s->ask == SHEET_CONSENT)
			return "forget the plan";
		return s->follows ? "end the watch" : "forget it";
	}
	return NULL;
}

static int draw_key(struct region r, int x, const char *key, const char *word)
{
	if (!word || x + text_width(key) + text_width(word) + 1 > r.w)
		return x;
	x += draw_text(r, 0, x, ROLE_ACCENT, key, -1);
	return x + draw_textf(r, 0, x, ROLE_HINT, " %s  ", word);
}

void sheet_hints(const struct console *c, struct region r)
{
	int x;

	draw_fill(r, 0, 0, r.w, ROLE_HINT);
	if (!c->sheet)
		return;
	x = draw_key(r, 0, "c", key_effect(c, SHEET_GO));
	x = draw_key(r, x, "u", key_effect(c, SHEET_BACK));
	x = draw_key(r, x, "Esc", c->sheet->busy ? "close; the action continues" : "close");
	x = draw_key(r, x, "d", key_effect(c, SHEET_DROP));
	x = draw_key(r, x, "Up Down PgUp PgDn g G", "scroll");
	(void)draw_key(r, x, "?", "help");
}

static void say_error(struct console *c, const struct err *err)
{
	console_message(c, ROLE_ERROR, "%s%s%s", err->text, err->cure[0] ? "; " : "", err->cure);
}

bool sheet_key(struct console *c, int key)
{
	static const int keys[] = {[SHEET_GO] = 'c', [SHEET_BACK] = 'u', [SHEET_DROP] = 'd'};
	struct err err = {0};
	bool ok;

	if (!c->sheet)
		return false;
	for (enum sheet_does what = SHEET_GO; what <= SHEET_DROP; what++) {
		if (key != keys[what])
			continue;
		if (!key_effect(c, what)) {
			console_message(
				c, ROLE_DIM, "%s: %c has no effect now", c->sheet->state, key);
			return true;
		}
		if (what == SHEET_DROP)
			ok = c->opts.hooks.act_drop(c->opts.hooks.ctx, &err);
		else
			ok = ask_begin(c, what == SHEET_GO ? SHEET_CONSENT : SHEET_UNDO, &err);
		if (!ok)
			say_error(c, &err);
		return true;
	}
	return false;
}

bool sheet_lets(const struct console *c, const char *line)
{
	static const char *const others[] = {
		"back", "close", "quit", "help", "palette", "act", "act-show", "repaint", "pause"};
	const struct command *cmd;
	char name[64];

	(void)str_copyn(name, sizeof(name), line, strcspn(line, " "));
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (str_eq(name, others[i]))
			return true;
	cmd = command_find(c->opts.commands, c->opts.ncommands, name);
	return cmd && str_eq(cmd->group, "move");
}
