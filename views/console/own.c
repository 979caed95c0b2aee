/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "views/common.h"
#include "views/console/console_private.h"
#include "views/wrap.h"

/*
 * Own commands: words of the palette from the files of settings. "view" is a saved view with its
 * filter; "command" is a program that is given the name of what is under the cursor. No shell reads
 * the words. Names from a device become a word only if they are made of letters that no program
 * takes for anything else.
 */

static struct own_command *find_own(const struct console *c, const char *name)
{
	for (size_t i = 0; i < c->own.n; i++)
		if (str_eq(c->own.at[i].name, name))
			return &c->own.at[i];
	return NULL;
}

/* ---- the lines of the files ---- */

static bool next_word(const char **text, char *dst, size_t size)
{
	const char *s = *text + strspn(*text, " \t");
	size_t n = 0;
	char quote = *s == '"' || *s == '\'' ? *s : 0;

	dst[0] = '\0';
	if (!*s)
		return false;
	if (quote) {
		n = strcspn(++s, quote == '"' ? "\"" : "'");
		*text = s + n + (s[n] == quote);
	} else {
		n = strcspn(s, " \t");
		*text = s + n;
	}
	return str_copyn(dst, size, s, n);
}

static bool name_is_free(const struct console *c, const char *name, struct err *err)
{
	if (!saved_is_name(name) || view_by_name(name) ||
		command_find(c->opts.commands, c->opts.nall, name) ||
		command_find(c->opts.commands, c->opts.ncommands, name)) {
		err_set(err, ERR_CONFIG, "", "%s is no name for an own command",
			name[0] ? name : "nothing");
		return err_cure(err,
			"a letter, then letters, digits, - _ . (%d at most); not the "
			"name of a view or a command",
			SAVED_NAME - 1);
	}
	return true;
}

/* "NAME VIEW [PLACE] [sort=[-]COLUMN] [/FILTER]" */
static bool define_view(struct console *c, const char *text, struct err *err)
{
	struct saved_filter s = {0};
	const char *filter = strstr(text, " /");
	char line[512], word[160];
	const char *rest = line;

	if (!str_copyn(line, sizeof(line), text, filter ? (size_t)(filter - text) : strlen(text)) ||
		!next_word(&rest, s.name, sizeof(s.name)) || !name_is_free(c, s.name, err) ||
		!next_word(&rest, s.view, sizeof(s.view)) || !view_by_name(s.view)) {
		if (err->text[0])
			return false;
		err_set(err, ERR_CONFIG, "", "%s is no view", s.view[0] ? s.view : "nothing");
		return err_cure(err, "for example: view hot links /paused>10%%");
	}
	if (filter && !str_copy(s.filter, sizeof(s.filter), filter + 2))
		return err_set(err, ERR_CONFIG, "", "the filter is too long");
	while (next_word(&rest, word, sizeof(word))) {
		size_t n = strlen(s.place);

		if (str_starts(word, "sort=")) {
			(void)str_copy(s.sort, sizeof(s.sort), word + strlen("sort="));
			continue;
		}
		if (!str_printf(s.place + n, sizeof(s.place) - n, "%s%s", n ? " " : "", word))
			return err_set(err, ERR_CONFIG, "", "the place is too long");
	}
	if (!console_add_saved(c, &s))
		return err_set(err, ERR_LIMIT, "", "%d views are saved already", SAVED_MOST);
	return true;
}

enum own_blank {
	BLANK_DEVICE,
	BLANK_ADDRESS,
	BLANK_PORT,
	BLANK_PEER_DEVICE,
	BLANK_PEER_PORT,
	BLANKS
};
static const char *const blanks[BLANKS] = {
	"{device}", "{address}", "{port}", "{peer_device}", "{peer_port}"};

/* The blank that text begins with; BLANKS: none. */
static unsigned blank_at(const char *text)
{
	unsigned i = 0;

	while (i < BLANKS && !str_starts(text, blanks[i]))
		i++;
	return i;
}

/* Everybody on this machine may read the words of a program. */
static bool looks_secret(const char *word)
{
	static const char *const marks[] = {"password", "passwd", "secret", "token", "apikey",
		"api-key", "api_key", "authorization", "community"};

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		const char *at = strcasestr(word, marks[i]);

		/* "--token-file=/run/x" names a place, "--token=x" the thing itself. */
		if (at && (at[strlen(marks[i])] == '=' || at[strlen(marks[i])] == ':'))
			return true;
	}
	return false;
}

static bool check_word(const char *word, struct err *err)
{
	for (const char *at = word; *at; at++) {
		if (iscntrl((unsigned char)*at))
			return err_set(err, ERR_CONFIG, "", "a word has a control character");
		if (*at == '{' && blank_at(at) == BLANKS) {
			err_set(err, ERR_CONFIG, "", "%.40s is not known", at);
			return err_cure(err, "{device} {address} {port} {peer_device} {peer_port}");
		}
	}
	if (looks_secret(word)) {
		err_set(err, ERR_CONFIG, "", "a secret has no place in the words of a program");
		return err_cure(err, "let the program read it from a file of its own");
	}
	return true;
}

/* "NAME PROGRAM ARGUMENT..." */
static bool define_program(struct console *c, const char *text, struct err *err)
{
	struct own_command o = {0}, *old;
	char word[sizeof(o.words)];
	size_t used = 0;

	if (!next_word(&text, o.name, sizeof(o.name)) || !name_is_free(c, o.name, err))
		return err->text[0] ? false : err_set(err, ERR_CONFIG, "", "which command?");
	while (next_word(&text, word, sizeof(word))) {
		if (o.n == 0 && (word[0] != '/' || strchr(word, '{'))) {
			err_set(err, ERR_CONFIG, "", "%s: %s is no path of a program", o.name,
				word);
			return err_cure(
				err, "for example: command ping /usr/bin/ping -c 3 {address}");
		}
		if (!check_word(word, err))
			return false;
		if (o.n == OWN_WORDS || used + strlen(word) + 1 > sizeof(o.words))
			return err_set(err, ERR_LIMIT, "", "%s has too many words", o.name);
		memcpy(o.words + used, word, strlen(word) + 1);
		used += strlen(word) + 1;
		o.n++;
	}
	if (!o.n)
		return err_set(err, ERR_CONFIG, "", "%s has no program", o.name);
	old = find_own(c, o.name);
	if (!old && c->own.n == SAVED_MOST)
		return err_set(err, ERR_LIMIT, "", "%d own commands are there already", SAVED_MOST);
	if (!old)
		old = vec_add(&c->own);
	*old = o;
	return true;
}

bool console_define(struct console *c, const char *line, struct err *err)
{
	struct err own = {0};
	bool ok;

	if (!err)
		err = &own;
	if (str_starts(line, "view "))
		ok = define_view(c, line + strlen("view "), err);
	else if (str_starts(line, "command "))
		ok = define_program(c, line + strlen("command "), err);
	else
		ok = err_set(err, ERR_CONFIG, "", "it begins with neither view nor command");
	return ok;
}

/* ---- the words of a program ---- */

/*
 * Whether a name may become a word, or a part of one. Nothing that a shell, a URL or a program's
 * option reader takes apart, and no word that begins as an option does.
 */
static bool is_plain(const char *value)
{
	/* Nor a path that leads out of its directory. */
	if (!isalnum((unsigned char)value[0]) || strstr(value, ".."))
		return false;
	for (; *value; value++)
		if (!isalnum((unsigned char)*value) && !strchr("._:/-", *value))
			return false;
	return true;
}

/* What stands in a blank; "": nothing is known. */
static void blank_value(
	const struct console *c, struct ref at, unsigned blank, char *dst, size_t size)
{
	const struct port *p = ref_port(c->model, at);
	const struct port *peer = p ? port_peer(c->model, p, NULL) : NULL;
	const struct device *d = ref_device(c->model, at);

	dst[0] = '\0';
	if (blank == BLANK_DEVICE && d)
		(void)str_copy(dst, size, d->name);
	else if (blank == BLANK_ADDRESS && d)
		(void)str_copy(dst, size, d->address[0] ? d->address : d->name);
	else if (blank == BLANK_PORT && p)
		(void)str_copy(dst, size, p->name);
	else if (blank == BLANK_PEER_DEVICE && peer)
		(void)str_copy(dst, size, model_dev_of(c->model, peer)->name);
	else if (blank == BLANK_PEER_PORT && peer)
		(void)str_copy(dst, size, peer->name);
}

static bool fill_word(const struct console *c, const struct own_command *o, struct ref at,
	const char *word, char *dst, size_t size, struct err *err)
{
	size_t n = 0;

	while (*word) {
		unsigned blank = *word == '{' ? blank_at(word) : BLANKS;
		char value[160];

		if (blank == BLANKS) {
			if (n + 2 > size)
				return err_set(err, ERR_LIMIT, o->name, "a word is too long");
			dst[n++] = *word++;
			continue;
		}
		blank_value(c, at, blank, value, sizeof(value));
		if (!value[0]) {
			err_set(err, ERR_USAGE, o->name, "there is no %s here", blanks[blank]);
			return err_cure(err,
				"put the cursor on one, or name the place: %s "
				"leaf-r3-00:Ethernet12",
				o->name);
		}
		if (!is_plain(value)) {
			err_set(err, ERR_REFUSED, o->name,
				"the name for %s has letters that may not stand in a command",
				blanks[blank]);
			return err_cure(err,
				"letters, digits and . _ : / - only, a letter or digit "
				"first, no ..");
		}
		if (n + strlen(value) + 1 > size)
			return err_set(err, ERR_LIMIT, o->name, "a word is too long");
		memcpy(dst + n, value, strlen(value));
		n += strlen(value);
		word += strlen(blanks[blank]);
	}
	dst[n] = '\0';
	return true;
}

static bool run_program(
	struct console *c, const struct own_command *o, struct ref at, struct err *err)
{
	char words[OWN_WORDS][OWN_WORD];
	const char *argv[OWN_WORDS], *word = o->words;

	if (!c->opts.hooks.run_program) {
		err_set(err, ERR_UNSUPPORTED, o->name, "this console starts no program");
		return err_cure(err, "it needs live data, and no --read-only");
	}
	for (size_t i = 0; i < o->n; i++, word += strlen(word) + 1) {
		if (!fill_word(c, o, at, word, words[i], sizeof(words[i]), err))
			return false;
		argv[i] = words[i];
	}
	if (!c->opts.hooks.run_program(c->opts.hooks.ctx, argv, o->n, err))
		return false;
	(void)str_copy(c->output_title, sizeof(c->output_title), o->name);
	for (size_t i = 1; i < o->n; i++) {
		size_t n = strlen(c->output_title);

		(void)str_printf(c->output_title + n, sizeof(c->output_title) - n, " %s", argv[i]);
	}
	console_message(c, ROLE_DIM, "%s runs", c->output_title);
	return true;
}

bool own_run(struct console *c, const char *text, bool *known, struct err *err)
{
	char name[SAVED_NAME];
	size_t n = strcspn(text, " ");
	const struct own_command *o =
		str_copyn(name, sizeof(name), text, n) ? find_own(c, name) : NULL;
	struct ref at;

	*known = o != NULL;
	if (!o)
		return false;
	if (!c->model)
		return err_set(err, ERR_USAGE, name, "there is no data yet");
	text += n + strspn(text + n, " ");
	at = console_about(c);
	if (*text && !console_parse(c, text, &at, err))
		return false;
	return run_program(c, o, at, err);
}

bool console_own(struct console *c, const char *text, struct err *err)
{
	bool known, done = own_run(c, text, &known, err);

	if (known)
		return done;
	done = saved_open(c, text, &known, err);
	if (known)
		return done;
	err_set(err, ERR_USAGE, "run", "there is no own command %s",
		text[0] ? text : "without a name");
	return err_cure(err, "lines of ~/.config/railtop/config: command NAME PROGRAM ARGUMENT...");
}

void own_complete(const struct console *c, const char *text, struct prompt *p)
{
	for (size_t i = 0; i < c->own.n; i++) {
		const struct own_command *o = &c->own.at[i];
		const char *word = o->words;
		char note[160];

		if (!str_starts(o->name, text))
			continue;
		(void)str_copy(
			note, sizeof(note), c->opts.hooks.run_program ? "runs" : "not here:");
		for (size_t k = 0; k < o->n; k++, word += strlen(word) + 1) {
			size_t n = strlen(note);

			(void)str_printf(note + n, sizeof(note) - n, " %s", word);
		}
		prompt_candidate_note(p, o->name, note);
	}
}

/* ---- the output ---- */

void console_output(struct console *c, const char *text, size_t len, const char *end)
{
	free(c->output);
	c->output = mem_alloc(len + 1);
	memcpy(c->output, text, len);
	c->output[len] = '\0';
	/* A byte of value 0 ends a text: what stands behind it must not be lost. */
	for (size_t i = 0; i < len; i++)
		if (!c->output[i])
			c->output[i] = '?';
	(void)str_copy(c->output_end, sizeof(c->output_end), end);
	/* Whoever answers a question, or reads a plan, is not interrupted. */
	if (c->overlay == OVERLAY_SHEET || c->prompt_use)
		console_message(c, ROLE_NORMAL, "%s has ended: %s", c->output_title, end);
	else
		overlay_open(c, OVERLAY_OUTPUT);
}

static void add_output_line(struct console *c, const char *s, size_t n)
{
	char clean[1024];
	const char *at = clean;
	int width = term_cols(c->opts.term) - 2;

	if (n >= sizeof(clean))
		n = sizeof(clean) - 1;
	str_sanitise(clean, sizeof(clean), s, n);
	do {
		struct overlay_line *l = vec_add(&c->overlay_lines);
		size_t fits = wrap_fit(at, width > 16 ? width : 16);

		l->role = ROLE_NORMAL;
		(void)str_copyn(l->text, sizeof(l->text), at,
			fits < sizeof(l->text) ? fits : sizeof(l->text) - 1);
		at += fits;
	} while (*at);
}

void output_lines(struct console *c)
{
	struct overlay_line *head = vec_add(&c->overlay_lines);

	head->role = ROLE_HEADER;
	(void)str_printf(
		head->text, sizeof(head->text), "%.180s: %s", c->output_title, c->output_end);
	for (const char *s = c->output; s && *s;) {
		size_t n = strcspn(s, "\n");

		add_output_line(c, s, n);
		s += n + (s[n] == '\n');
	}
}
