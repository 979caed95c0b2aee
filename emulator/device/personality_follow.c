/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "emulator/device/personality_internal.h"

/* Commands that continue after their answer: tail -F, journalctl -f, dmesg -w. */

#define WORD_MAX 256

/* The next word of a line without quotes; false at its end, or if the word is too long. */
static bool next_word(const char **at, const char *end, char dst[WORD_MAX])
{
	size_t n = 0;

	while (*at < end && (**at == ' ' || **at == '\t'))
		++*at;
	while (*at + n < end && (*at)[n] != ' ' && (*at)[n] != '\t')
		n++;
	if (!n || n >= WORD_MAX)
		return false;
	memcpy(dst, *at, n);
	dst[n] = '\0';
	*at += n;
	return true;
}

struct program {
	const char *name, *shows; /* shows: the command that prints the whole log */
	const char *go_on;        /* letters of the options that make it continue */
	const char *counts;       /* letters of the options with a number of lines; removed too */
};

static const struct program *program_of(const char *word)
{
	static const struct program all[] = {{"tail", "cat", "fF", "nc"},
		{"journalctl", "journalctl", "f", "n"}, {"dmesg", "dmesg", "w", ""}};
	const char *slash = strrchr(word, '/');

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (strcmp(slash ? slash + 1 : word, all[i].name) == 0)
			return &all[i];
	return NULL;
}

/*
 * Removes from one option of p the letters for continuing and for the number of lines; "" if
 * nothing is left. *takes_next: the next word is the argument of a removed letter.
 */
static void cut_option(
	const struct program *p, char word[WORD_MAX], bool *goes_on, bool *takes_next)
{
	size_t n = 1;

	*takes_next = false;
	if (word[1] == '-') {
		bool follow = str_starts(word, "--follow"),
		     lines = str_starts(word, "--lines") || str_starts(word, "--bytes");

		*goes_on |= follow;
		*takes_next = lines && !strchr(word, '=');
		if (follow || lines || p->shows[0] == 'c')
			word[0] = '\0';
		return;
	}
	for (const char *c = word + 1; *c; c++) {
		if (strchr(p->counts, *c)) {
			*takes_next = !c[1];
			break;
		}
		if (strchr(p->go_on, *c))
			*goes_on = true;
		else
			word[n++] = *c;
	}
	word[n > 1 && p->shows[0] != 'c' ? n : 0] = '\0';
}

/* Rewrites one simple command up to end into out; false: it does not continue. */
static bool rewrite_command(const char *at, const char *end, struct buf *out)
{
	char word[WORD_MAX];
	const struct program *p = NULL;
	bool goes_on = false, takes_next;

	while (!p && next_word(&at, end, word)) {
		p = program_of(word);
		if (p)
			(void)buf_adds(out, p->shows);
		else if (str_eq(word, "sudo") || str_eq(word, "bash"))
			(void)buf_addf(out, "%s ", word);
		else if (!str_eq(word, "exec") && word[0] != '-')
			return false;
	}
	while (p && next_word(&at, end, word)) {
		takes_next = false;
		if (word[0] == '-')
			cut_option(p, word, &goes_on, &takes_next);
		if (word[0])
			(void)buf_addf(out, " %s", word);
		if (takes_next && !next_word(&at, end, word))
			return false;
	}
	return goes_on;
}

/* while :; do set -- PATTERN; ... exec tail -F "$@" ...: the files of the pattern are followed. */
static bool take_pattern(struct buf *out)
{
	static const char loop[] = "while :; do set -- ", head[] = "tail -F ";
	char *at = strstr(out->data, loop), *path;
	size_t n;

	if (!at || !strstr(at, "exec tail ") || !strstr(at, " -F "))
		return false;
	at += strlen(loop);
	n = strcspn(at, "; ");
	path = mem_strndup(at, n);
	buf_reset(out);
	(void)buf_addf(out, "%s%s", head, path);
	free(path);
	return true;
}

/*
 * Extracts COMMAND from sh -c 'exec 3<&0; COMMAND </dev/null & ... wait ...', which runs it in the
 * background and waits. False: the command has another form.
 */
static bool background_of(const char *command, struct buf *out)
{
	const char *at = command + (str_starts(command, "exec ") ? 5 : 0), *from, *to;
	static const char head[] = "sh -c '", quoted[] = "'\\''", from_null[] = " </dev/null",
			  group[] = "; } 2>&1";

	if (!str_starts(at, head))
		return false;
	for (at += strlen(head); *at && (*at != '\'' || str_starts(at, quoted)); at++) {
		if (*at == '\'')
			at += strlen(quoted) - 1;
		(void)buf_add(out, at, 1);
	}
	if (!out->len || !strstr(out->data, "wait "))
		return false;
	if (take_pattern(out))
		return true;
	to = strstr(out->data, " & ");
	if (!to)
		return false;
	from = out->data;
	if ((size_t)(to - from) > strlen(from_null) &&
		strncmp(to - strlen(from_null), from_null, strlen(from_null)) == 0)
		to -= strlen(from_null);
	/* { ...; exec tail -F FILE; } 2>&1: its last command is the one that goes on. */
	if ((size_t)(to - from) > strlen(group) &&
		strncmp(to - strlen(group), group, strlen(group)) == 0)
		to -= strlen(group);
	for (const char *semicolon = from; (semicolon = strstr(semicolon, "; ")) && semicolon < to;)
		from = semicolon += 2;
	memmove(out->data, from, (size_t)(to - from));
	out->len = (size_t)(to - from);
	out->data[out->len] = '\0';
	return true;
}

static char *rewrite_line(const char *command)
{
	const char *end = command + strcspn(command, "|;&<>`$'\"\\\n");
	char *text = NULL;
	struct buf out;

	/* A filter may follow; any other command would be repeated with every line. */
	if (*end && (*end != '|' || end[1] == '|' || strpbrk(end, ";&<>`\n")))
		return NULL;
	buf_init(&out, 4096);
	if (rewrite_command(command, end, &out) && buf_adds(&out, end))
		text = mem_strdup(out.data);
	buf_free(&out);
	return text;
}

char *personality_followed(const char *command)
{
	struct buf inner;
	char *text;

	buf_init(&inner, 4096);
	text = rewrite_line(background_of(command, &inner) ? inner.data : command);
	buf_free(&inner);
	return text;
}

void personality_follow(struct personality_ctx *ctx, struct sim_device *d, const char *followed,
	uint64_t from, struct buf *out)
{
	const struct personality *p = personality_for(d->dialect);
	struct sim_log *all = d->log, *news;
	uint64_t logged = d->logged, n = 0;
	struct buf err;

	if (!p || !p->exec || from >= logged)
		return;
	if (logged - from > SIM_LOG_KEPT)
		from = logged - SIM_LOG_KEPT;
	news = mem_calloc(SIM_LOG_KEPT, sizeof(*news));
	for (uint64_t i = from; i < logged; i++)
		news[n++] = all[i % SIM_LOG_KEPT];
	/* A temporary log that begins at the reader's position; the device's own code prints it. */
	ctx->follows = true;
	d->log = news;
	d->logged = n;
	buf_init(&err, 4096);
	(void)p->exec(ctx, d, followed, "", out, &err);
	buf_free(&err);
	ctx->follows = false;
	d->log = all;
	d->logged = logged;
	free(news);
}
