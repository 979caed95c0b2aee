/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/str.h"
#include "views/console/console_private.h"

#define REASON_LEAST 10 /* characters; the same limit as the guard "reason" of actions/ */
/* Least columns beside the question and lines of the screen, so that the answer can be read. */
#define ROOM_TO_TYPE 12
#define LINES_LEAST  6

static void open_question(struct console *c, enum ask_step step)
{
	struct asking *a = &c->ask;
	const char *initial = step == ASK_INCIDENT ? a->incident : "";
	char label[96];

	if (step == ASK_REASON)
		(void)str_copy(label, sizeof(label), "1/3 reason (10 characters or more): ");
	else if (step == ASK_INCIDENT)
		(void)str_copy(label, sizeof(label), "2/3 incident key: ");
	else
		(void)str_printf(label, sizeof(label), "3/3 type %s to %s: ", a->typed,
			a->what == SHEET_UNDO ? "take it back" : "do it");
	a->step = step;
	a->sight = ASK_OPENED;
	a->touched = false;
	a->dropped = 0;
	c->prompt_use = PROMPT_ASK;
	prompt_open(&c->asking, label, initial);
	prompt_offer(&c->asking);
	c->dirty = true;
}

bool ask_begin(struct console *c, enum sheet_ask what, struct err *err)
{
	const struct act_sheet *s = c->sheet;

	if (!console_refuse_past(c, "nothing is changed", err))
		return false;
	if (!s || s->ask != what || what == SHEET_SHOWS || !s->typed[0])
		return err_set(err, ERR_USAGE, "", "no action waits for an answer here");
	c->ask.what = what;
	c->ask.reason[0] = '\0';
	(void)str_copy(c->ask.typed, sizeof(c->ask.typed), s->typed);
	console_message(c, ROLE_DIM,
		"Esc or an empty Enter cancels; nothing is sent before the third answer");
	open_question(c, ASK_REASON);
	return true;
}

static void close_questions(struct console *c)
{
	c->prompt_use = PROMPT_NONE;
	c->ask.reason[0] = '\0';
	memset(c->asking.text, 0, sizeof(c->asking.text));
	c->asking.len = c->asking.cursor = 0;
	c->dirty = true;
}

static void cancel_questions(struct console *c, const char *why)
{
	close_questions(c);
	console_message(c, ROLE_WARN, "%s: nothing was changed", why);
}

void ask_drop(struct console *c, const char *why)
{
	cancel_questions(c, why);
}

void ask_check(struct console *c)
{
	const struct act_sheet *s = c->sheet;

	if (c->prompt_use != PROMPT_ASK ||
		(s && s->ask == c->ask.what && str_eq(s->typed, c->ask.typed)))
		return;
	cancel_questions(c, "the plan has changed");
}

/* ---- answers ---- */

/* Copies text without the spaces around it. */
static void trim_spaces(const char *text, char *dst, size_t size)
{
	size_t n;

	text += strspn(text, " ");
	n = strlen(text);
	while (n && text[n - 1] == ' ')
		n--;
	(void)str_copyn(dst, size, text, n);
}

static void repeat_question(struct console *c, const char *text, const char *why)
{
	char label[sizeof(c->asking.label)];

	/* The question is still on the screen, so keys count at once. Only the error is new. */
	(void)str_copy(label, sizeof(label), c->asking.label);
	prompt_open(&c->asking, label, text);
	(void)str_copy(c->asking.error, sizeof(c->asking.error), why);
}

static void submit_answers(struct console *c)
{
	const struct console_hooks *h = &c->opts.hooks;
	struct asking a = c->ask;
	struct err err = {0};
	bool ok;

	close_questions(c);
	c->message[0] = '\0';
	if (a.what == SHEET_UNDO)
		ok = h->act_undo
			     ? h->act_undo(h->ctx, a.reason, a.incident, &err)
			     : err_set(&err, ERR_REFUSED, "", "the action cannot be taken back");
	else
		ok = h->act_go(h->ctx, a.reason, a.incident, a.typed, &err);
	if (ok)
		c->sheet_went = c->sheet_follows = c->sheet != NULL;
	else
		console_message(
			c, ROLE_ERROR, "%s%s%s", err.text, err.cure[0] ? "; " : "", err.cure);
}

static void answer_reason(struct console *c, const char *text)
{
	if (text_width(text) < REASON_LEAST)
		repeat_question(c, text, "ten characters or more");
	else if (!str_copy(c->ask.reason, sizeof(c->ask.reason), text))
		repeat_question(c, text, "too long");
	else
		open_question(c, ASK_INCIDENT);
}

static void answer_incident(struct console *c, const char *text)
{
	char key[sizeof(c->ask.incident)];

	if (!str_copy(key, sizeof(key), text)) {
		repeat_question(c, text, "too long");
		return;
	}
	(void)str_copy(c->ask.incident, sizeof(c->ask.incident), key);
	open_question(c, ASK_TYPED);
}

static void take_answer(struct console *c)
{
	char text[PROMPT_MAX];

	trim_spaces(c->asking.text, text, sizeof(text));
	if (!text[0])
		cancel_questions(c, "cancelled");
	else if (c->ask.step == ASK_REASON)
		answer_reason(c, text);
	else if (c->ask.step == ASK_INCIDENT)
		answer_incident(c, text);
	/* The confirmation must match exactly, so it is compared with its spaces. */
	else if (str_eq(c->asking.text, c->ask.typed))
		submit_answers(c);
	else
		cancel_questions(c, "the name does not match");
}

/* ---- keys ---- */

static bool is_seen(struct console *c)
{
	if (c->ask.sight == ASK_DRAWN && term_acknowledged(c->opts.term))
		c->ask.sight = ASK_SEEN;
	return c->ask.sight == ASK_SEEN;
}

static void drop_keys(struct console *c, size_t keys)
{
	if (!keys)
		return;
	c->ask.dropped += (unsigned)keys;
	(void)str_printf(c->asking.error, sizeof(c->asking.error),
		"%u key%s typed before this question was shown: ignored", c->ask.dropped,
		str_plural(c->ask.dropped));
	c->dirty = true;
}

void ask_key(struct console *c, int key)
{
	struct asking *a = &c->ask;

	c->dirty = true;
	if (!is_seen(c)) {
		/* Esc and Ctrl-C always cancel, even before the question was seen. */
		if (key == 27 || key == 3)
			cancel_questions(c, "cancelled");
		else
			drop_keys(c, 1);
		return;
	}
	if (!a->touched && key == c->trigger) {
		cancel_questions(c, "cancelled");
		return;
	}
	a->touched = true;
	switch (prompt_key(&c->asking, key)) {
	case PROMPT_MORE:
		break;
	case PROMPT_CANCELLED:
		cancel_questions(c, "cancelled");
		break;
	case PROMPT_DONE:
		take_answer(c);
		break;
	}
}

/* ---- on the screen ---- */

void ask_draw(struct console *c, struct region screen)
{
	int room = screen.w - draw_width(screen.term, c->asking.label);

	if (room < ROOM_TO_TYPE || screen.h < LINES_LEAST) {
		/* The question does not fit: it counts as unseen, so that no key answers it. */
		c->ask.sight = ASK_OPENED;
		draw_fill(screen, screen.h - 1, 0, screen.w, ROLE_NORMAL);
		draw_text(screen, screen.h - 1, 0, ROLE_WARN, "window too small; Esc cancels", -1);
		return;
	}
	prompt_draw(screen, &c->asking);
	if (c->ask.sight == ASK_OPENED)
		c->ask.sight = ASK_DRAWN;
}

void ask_frame_begun(struct console *c)
{
	/* The gate is open, so the frame before this one is on the screen. */
	if (c->prompt_use == PROMPT_ASK && c->ask.sight == ASK_DRAWN)
		c->ask.sight = ASK_SEEN;
}

void ask_frame_sent(struct console *c)
{
	size_t n;

	/*
	 * Drops the keys typed before the question was sent. A terminal without acknowledgements
	 * allows no better check.
	 */
	if (c->prompt_use != PROMPT_ASK || c->ask.sight == ASK_SEEN)
		return;
	n = term_flush_input(c->opts.term);
	c->flushed += n;
	drop_keys(c, n);
}

size_t console_flushed(const struct console *c)
{
	return c->flushed;
}
