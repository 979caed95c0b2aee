/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <string.h>

#include "base/str.h"
#include "views/console/console_private.h"

#define COMPLETIONS 12
#define FUZZY_LEAST 2 /* characters from which likeness means something */

static void add_candidate(void *ctx, const char *text)
{
	prompt_candidate(ctx, text);
}

/* Whether the characters of text are in name in this order, beginning with the first one. */
static bool is_like(const char *name, const char *text)
{
	const char *at = name;

	if (tolower((unsigned char)*name) != tolower((unsigned char)*text))
		return strcasestr(name, text) != NULL;
	for (; *text; text++, at++) {
		while (*at && tolower((unsigned char)*at) != tolower((unsigned char)*text))
			at++;
		if (!*at)
			return false;
	}
	return true;
}

static void complete_fuzzy(const struct console *c, const char *text, struct prompt *p)
{
	for (size_t i = 0; i < view_count; i++)
		if (view_is_whole(view_table[i]) &&
			(is_like(view_table[i]->name, text) || is_like(view_table[i]->title, text)))
			prompt_candidate_note(p, view_table[i]->name, view_table[i]->title);
	for (size_t i = 0; i < c->opts.ncommands; i++)
		if (is_like(c->opts.commands[i].name, text) ||
			strcasestr(c->opts.commands[i].help, text))
			prompt_candidate_note(
				p, c->opts.commands[i].name, c->opts.commands[i].help);
	for (size_t i = 0; c->model && i < c->model->devices.n; i++) {
		const struct device *d = c->model->devices.at[i];
		char note[64];

		if (!is_like(d->name, text))
			continue;
		(void)str_printf(note, sizeof(note), "%s, %s", model_tier_word(c->model, d->tier),
			dev_state_words(d->state));
		prompt_candidate_note(p, d->name, note);
	}
}

void prompt_palette_complete(void *ctx, const char *text, struct prompt *p)
{
	struct console *c = ctx;

	marks_complete(c, text, p);
	settings_complete(c, text, p);
	saved_complete(c, text, p);
	own_complete(c, text, p);
	act_complete(c, text, p);
	findings_complete(c, text, p);
	runbooks_complete(c, text, p);
	for (size_t i = 0; i < view_count; i++) {
		const struct view_ops *v = view_table[i];

		/* A view with the same name as a command is offered once, as the command. */
		if (view_is_whole(v) && str_starts(v->name, text) &&
			!command_find(c->opts.commands, c->opts.ncommands, v->name))
			prompt_candidate_note(p, v->name, v->title);
	}
	for (size_t i = 0; i < c->opts.ncommands; i++) {
		if (str_starts(c->opts.commands[i].name, text))
			prompt_candidate_note(
				p, c->opts.commands[i].name, c->opts.commands[i].help);
	}
	if (c->model)
		ref_complete(c->model, text, COMPLETIONS, add_candidate, p);
	/* Whoever does not know the word gets what is like it: names and descriptions. */
	if (strlen(text) >= FUZZY_LEAST && !strchr(text, ' ') && !strchr(text, ':'))
		complete_fuzzy(c, text, p);
}

void console_prompt_filter(struct console *c)
{
	struct page *p = console_page(c);

	/* The table is behind the help: a filter of it would be invisible. */
	if (c->overlay == OVERLAY_HELP || c->overlay == OVERLAY_OUTPUT) {
		(void)console_search(c, "", NULL);
		return;
	}

	(void)str_copy(c->filter_before, sizeof(c->filter_before), p->filter);
	c->prompt_use = PROMPT_FILTER;
	c->typing = &c->prompt;
	prompt_open(&c->prompt, "/", p->filter);
}

bool console_filter_or_ask(struct console *c, const char *text, struct err *err)
{
	if (text[0])
		return console_filter(c, text, err);
	console_prompt_filter(c);
	return true;
}

void console_prompt_palette(struct console *c)
{
	c->prompt_use = PROMPT_PALETTE;
	c->typing = &c->palette;
	prompt_open(&c->palette, ":", "");
}

/*
 * Applies the filter while it is being typed. An incomplete filter that cannot be compiled leaves
 * the table unchanged.
 */
static void preview_filter(struct console *c)
{
	struct page *p = console_page(c);
	struct err err = {0};

	if (page_set_filter(p, c->prompt.text, &err)) {
		page_refresh(c, p);
		c->prompt.error[0] = '\0';
	} else {
		(void)str_copy(c->prompt.error, sizeof(c->prompt.error), err.text);
	}
}

static void filter_key(struct console *c, int key)
{
	struct err err = {0};

	switch (prompt_key(&c->prompt, key)) {
	case PROMPT_MORE:
		preview_filter(c);
		break;
	case PROMPT_CANCELLED:
		c->prompt_use = PROMPT_NONE;
		(void)console_filter(c, c->filter_before, NULL);
		break;
	case PROMPT_DONE:
		if (!console_filter(c, c->prompt.text, &err)) {
			prompt_open(&c->prompt, "/", c->prompt.text);
			(void)str_printf(c->prompt.error, sizeof(c->prompt.error), "%s%s%s",
				err.text, err.cure[0] ? "; " : "", err.cure);
			return;
		}
		c->prompt_use = PROMPT_NONE;
		break;
	}
}

static bool palette_run(struct console *c, const char *text, struct err *err)
{
	char name[64];
	bool known, opened;

	(void)str_copyn(name, sizeof(name), text, strcspn(text, " "));
	if (command_find(c->opts.commands, c->opts.ncommands, name))
		return console_run(c, text, err);
	if (str_eq(text, "q"))
		return console_run(c, "quit", err);
	if (command_find(c->opts.commands, c->opts.nall, name)) {
		err_set(err, ERR_USAGE, "", "%s: this console changes nothing on a device", name);
		return err_cure(
			err, "it needs actions: in the inventory, live data, and no --read-only");
	}
	opened = saved_open(c, text, &known, err);
	if (known)
		return opened;
	opened = own_run(c, text, &known, err);
	return known ? opened : console_jump(c, text, err);
}

static void palette_key(struct console *c, int key)
{
	struct err err = {0};
	enum prompt_result res = prompt_key(&c->palette, key);

	if (res == PROMPT_MORE)
		return;
	c->prompt_use = PROMPT_NONE;
	if (res == PROMPT_CANCELLED || !c->palette.text[0])
		return;
	c->overlay = OVERLAY_NONE;
	if (!palette_run(c, c->palette.text, &err))
		console_error(c, &err);
}

void console_ask_text(struct console *c, struct prompt *in, const char *label,
	bool (*typed)(struct console *c, const char *text, struct err *err))
{
	c->typed = typed;
	c->prompt_use = PROMPT_TEXT;
	c->typing = in;
	if (in == &c->texting) {
		in->ctx = c;
		in->complete = NULL;
	}
	prompt_open(in, label, "");
}

static void text_key(struct console *c, int key)
{
	char text[PROMPT_MAX];
	struct err err = {0};
	enum prompt_result res = prompt_key(c->typing, key);

	if (res == PROMPT_MORE)
		return;
	c->prompt_use = PROMPT_NONE;
	/* A copy, because c->typed() may open the same prompt again. */
	(void)str_copy(text, sizeof(text), c->typing->text);
	if (res == PROMPT_DONE && !c->typed(c, text, &err))
		console_error(c, &err);
}

void console_prompt_key(struct console *c, int key)
{
	static void (*const keys[])(struct console *, int) = {
		[PROMPT_FILTER] = filter_key,
		[PROMPT_PALETTE] = palette_key,
		[PROMPT_ASK] = ask_key,
		[PROMPT_JUDGE] = judge_key,
		[PROMPT_TEXT] = text_key,
	};

	c->dirty = true;
	keys[c->prompt_use](c, key);
}

void console_key(struct console *c, int key)
{
	const struct page *p = console_page(c);
	const struct binding *b;
	struct err err = {0};
	int prefix = c->prefix;
	bool more = false;

	c->dirty = true;
	if (key == TKEY_MOUSE) {
		mouse_key(c);
		return;
	}
	c->key = key;
	if (c->prompt_use) {
		console_prompt_key(c, key);
		return;
	}
	c->message[0] = '\0';
	if (c->overlay == OVERLAY_SHEET && !prefix && sheet_key(c, key))
		return;
	if (c->overlay == OVERLAY_COLUMNS && key == ' ') {
		overlay_choose(c);
		return;
	}
	b = keymap_find(c->opts.keymap, p->view->name, prefix, key, &more);
	c->prefix = 0;
	if (!b && more && !prefix) {
		c->prefix = key;
		return;
	}
	if (!b) {
		char name[24], help[24];

		keymap_key_for(c->opts.keymap, p->view->name, "help", help, sizeof(help));
		console_message(c, ROLE_DIM, "%s is not bound; %s lists the keys",
			key_name(key, name, sizeof(name)), help);
		return;
	}
	if (c->overlay == OVERLAY_SHEET && !sheet_lets(c, b->command)) {
		console_message(c, ROLE_DIM, "Esc closes the sheet first");
		return;
	}
	if (!console_run(c, b->command, &err))
		console_error(c, &err);
}
