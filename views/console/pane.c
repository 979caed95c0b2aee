/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/str.h"
#include "views/console/console_private.h"
#include "views/runbook/step_text.h"

/*
 * The running runbook beside other views: at the right of a wide screen, below the table of a
 * narrow one.
 */

#define SIDE_FROM  150 /* columns of the screen */
#define SIDE_WIDTH 46
#define STRIP_MOST 7
#define STRIP_LESS 5  /* of a screen of 24 lines */
#define TALL       30 /* lines of the body from which the strip is high */
#define BODY_LEAST 6

static bool is_wanted(const struct console *c, const struct page *p)
{
	return c->running && c->model && p->view != &view_runbook;
}

static int strip_height(int body)
{
	int want = body >= TALL ? STRIP_MOST : STRIP_LESS;

	if (body < BODY_LEAST)
		return 0;
	if (want > body - PANE_TABLE)
		want = body - PANE_TABLE;
	return want > 1 ? want : 1;
}

/* The keys of the commands, as they are bound. */
static void keys_text(const struct console *c, const struct page *p, char *dst, size_t size)
{
	static const struct {
		const char *command, *word;
	} keys[] = {{"next", "next"}, {"look", "look"}, {"note", "note"}, {"runbook", "all"}};
	char key[24];
	size_t n = 0;

	dst[0] = '\0';
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (!c->opts.keymap || !*keymap_key_for(c->opts.keymap, p->view->name,
					       keys[i].command, key, sizeof(key)))
			continue;
		(void)str_printf(dst + n, size - n, "%s%s %s", n ? "  " : "", key, keys[i].word);
		n = strlen(dst);
	}
}

static void draw_head(const struct console *c, const struct page *p, struct region r, bool alone)
{
	char progress[64], keys[96];
	int x;

	draw_fill(r, 0, 0, r.w, ROLE_HEADER);
	x = 1 + draw_textf(r, 0, 0, ROLE_HEADER, "runbook %s",
			run_progress(&c->run, progress, sizeof(progress)));
	if (alone)
		return;
	keys_text(c, p, keys, sizeof(keys));
	if (r.w - x - text_width(keys) - 2 > 8)
		x += 1 + draw_text(r, 0, x, ROLE_HEADER, c->run.target_text,
				 r.w - x - text_width(keys) - 2);
	if (r.w - x > text_width(keys))
		draw_right(r, 0, x, r.w - x, ROLE_HEADER, keys);
}

/* Draws the head, the numbers last, and as much of the text as fits between them. */
static void draw_strip(const struct console *c, const struct page *p, struct region r)
{
	step_line_vec text = {0}, now = {0};
	int room, lines;

	draw_clear(r);
	draw_head(c, p, r, false);
	step_lines_now(&c->run, r.w, &now);
	step_lines_text(&c->run, r.w, &text);
	/* At least one line of the text if there are three lines. */
	room = r.h - 1 - (r.h > 2);
	lines = now.n < (size_t)room ? (int)now.n : room;
	if (lines > 2)
		lines = 2;
	room = r.h - 1 - lines;
	(void)step_lines_draw(region_sub(r, 1, 0, room, r.w), text.at, text.n);
	if (text.n > (size_t)room && room > 0)
		draw_right(r, room, 0, r.w, ROLE_DIM, " ...");
	(void)step_lines_draw(region_sub(r, r.h - lines, 0, lines, r.w), now.at, now.n);
	vec_free(&text);
	vec_free(&now);
}

/* Draws the steps with their outcomes at the bottom of a pane, if there is room. */
static void draw_steps(const struct console *c, struct region r)
{
	const struct runbook_run *run = &c->run;

	for (size_t i = 0; i < run->book->steps.n && (int)i < r.h; i++) {
		const struct runbook_step *s = &run->book->steps.at[i];
		const struct runbook_log_entry *e = i < run->steps.n ? &run->steps.at[i] : NULL;
		enum step_outcome o = e ? (enum step_outcome)e->outcome : STEP_OPEN;
		enum role role = i == run->at ? ROLE_ACCENT : ROLE_DIM;
		char brief[120];
		int x = draw_textf(r, (int)i, 0, role, "%c%2zu ", i == run->at ? '>' : ' ', i + 1);

		if (o != STEP_OPEN)
			x += 1 + draw_text(r, (int)i, x, role_of_outcome(s, o),
					 runbook_step_word(s, o), -1);
		(void)draw_text(r, (int)i, x, role, step_brief(s, brief, sizeof(brief)), r.w - x);
	}
}

static void add_blank(step_line_vec *lines)
{
	vec_add(lines)->role = ROLE_NORMAL;
}

static void draw_side(const struct console *c, const struct page *p, struct region r)
{
	struct region in = region_sub(r, 0, 2, r.h, r.w - 2);
	step_line_vec lines = {0};
	char keys[96];
	int y, steps = (int)c->run.book->steps.n;

	draw_clear(r);
	draw_vline(r, 0, ROLE_DIM);
	draw_head(c, p, region_sub(in, 0, 0, 1, in.w), true);
	(void)draw_text(in, 1, 0, ROLE_ACCENT, c->run.target_text, in.w);
	step_lines_text(&c->run, in.w, &lines);
	add_blank(&lines);
	step_lines_now(&c->run, in.w, &lines);
	add_blank(&lines);
	step_lines_more(&c->run, in.w, &lines);
	y = 3 + step_lines_draw(region_sub(in, 3, 0, in.h - 5, in.w), lines.at, lines.n);
	vec_free(&lines);
	if (y + 1 + steps < in.h - 2)
		draw_steps(c, region_sub(in, in.h - 2 - steps, 0, steps, in.w));
	keys_text(c, p, keys, sizeof(keys));
	(void)draw_text(in, in.h - 1, 0, ROLE_HINT, keys, in.w);
}

struct region pane_draw(struct console *c, const struct page *p, struct region body)
{
	int h;

	if (!is_wanted(c, p))
		return body;
	if (body.w >= SIDE_FROM) {
		draw_side(c, p, region_sub(body, 0, body.w - SIDE_WIDTH, body.h, SIDE_WIDTH));
		return region_sub(body, 0, 0, body.h, body.w - SIDE_WIDTH - 1);
	}
	h = strip_height(body.h);
	if (!h)
		return body;
	draw_strip(c, p, region_sub(body, body.h - h, 0, h, body.w));
	return region_sub(body, 0, 0, body.h - h, body.w);
}
