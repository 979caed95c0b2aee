/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "emulator/shell/shell_internal.h"

static struct sh_node *parse_list(struct sh_parser *p, bool one_line);
static struct sh_node *parse_command(struct sh_parser *p);

static struct sh_node *node_new(struct sh_parser *p, enum sh_kind kind)
{
	struct sh_node *n = sh_alloc(p->s, sizeof(*n));

	n->kind = kind;
	n->line = p->line;
	return n;
}

static char *text_new(struct sh_parser *p, const char *from, size_t len)
{
	char *copy = sh_alloc(p->s, len + 1);

	memcpy(copy, from, len);
	return copy;
}

static struct sh_node *set_error(struct sh_parser *p, const char *near, size_t len)
{
	if (!p->error[0]) {
		if (len)
			(void)snprintf(p->error, sizeof(p->error),
				"Syntax error: \"%.*s\" unexpected", (int)(len > 40 ? 40 : len),
				near);
		else
			(void)str_copy(
				p->error, sizeof(p->error), "Syntax error: end of file unexpected");
	}
	return NULL;
}

static int char_at(const struct sh_parser *p, size_t ahead)
{
	return p->at + ahead < p->len ? (unsigned char)p->text[p->at + ahead] : -1;
}

static size_t skip_quotes(const char *t, size_t len, size_t i)
{
	if (t[i] == '\'') {
		for (i++; i < len && t[i] != '\'';)
			i++;
		return i < len ? i + 1 : len + 1;
	}
	for (i++; i < len && t[i] != '"';) {
		if (t[i] == '\\')
			i += 2;
		else if (t[i] == '$' || t[i] == '`')
			i = sh_skip_dollar(t, len, i);
		else
			i++;
	}
	return i < len ? i + 1 : len + 1;
}

/* Index behind the construct that begins with the '$' or '`' at i; beyond len if it has no end. */
size_t sh_skip_dollar(const char *t, size_t len, size_t i)
{
	char open, close;
	unsigned level = 1;

	if (t[i] == '`') {
		for (i++; i < len && t[i] != '`'; i++)
			i += t[i] == '\\';
		return i < len ? i + 1 : len + 1;
	}
	if (i + 1 >= len || (t[i + 1] != '(' && t[i + 1] != '{'))
		return i + 1;
	open = t[i + 1];
	close = open == '(' ? ')' : '}';
	for (i += 2; i < len && level;) {
		if (t[i] == '\\')
			i += 2;
		else if (t[i] == '\'' || t[i] == '"')
			i = skip_quotes(t, len, i);
		else if (t[i] == '$' || t[i] == '`')
			i = sh_skip_dollar(t, len, i);
		else {
			if (t[i] == open && open == '(')
				level++;
			else if (t[i] == close)
				level--;
			i++;
		}
	}
	return level ? len + 1 : i;
}

static void skip_blanks(struct sh_parser *p)
{
	for (;;) {
		int c = char_at(p, 0);

		if (c == ' ' || c == '\t' || c == '\r') {
			p->at++;
		} else if (c == '\\' && char_at(p, 1) == '\n') {
			p->at += 2;
			p->line++;
		} else if (c == '#') {
			while (char_at(p, 0) != '\n' && char_at(p, 0) >= 0)
				p->at++;
		} else {
			return;
		}
	}
}

/* Reads the bodies of the here-documents of the line that has just ended. */
static void read_here(struct sh_parser *p)
{
	struct sh_redir *r;

	for (r = p->pending; r; r = r->later) {
		size_t start = p->at, line;

		for (;;) {
			size_t n;

			line = p->at;
			while (char_at(p, 0) != '\n' && char_at(p, 0) >= 0)
				p->at++;
			n = p->at - line;
			p->line++;
			if (n == r->word.len && !memcmp(p->text + line, r->word.raw, n))
				break;
			if (char_at(p, 0) < 0) {
				line = p->at;
				break;
			}
			p->at++;
		}
		if (char_at(p, 0) == '\n')
			p->at++;
		r->word.raw = text_new(p, p->text + start, line - start);
		r->word.len = line - start;
	}
	p->pending = NULL;
}

static void next_line(struct sh_parser *p)
{
	p->at++;
	p->line++;
	if (p->pending)
		read_here(p);
}

static void skip_newlines(struct sh_parser *p)
{
	for (skip_blanks(p); char_at(p, 0) == '\n'; skip_blanks(p))
		next_line(p);
}

static bool ends_word(int c)
{
	return c < 0 || strchr(" \t\r\n;&|<>()", c);
}

static bool peek_word(struct sh_parser *p, const char *word)
{
	size_t n = strlen(word);

	skip_blanks(p);
	return p->len - p->at >= n && !memcmp(p->text + p->at, word, n) && ends_word(char_at(p, n));
}

static bool accept_word(struct sh_parser *p, const char *word)
{
	if (!peek_word(p, word))
		return false;
	p->at += strlen(word);
	return true;
}

static bool expect_word(struct sh_parser *p, const char *word)
{
	size_t n = 0;

	skip_newlines(p);
	if (accept_word(p, word))
		return true;
	while (!ends_word(char_at(p, n)))
		n++;
	(void)set_error(p, p->text + p->at, n ? n : (char_at(p, 0) >= 0));
	return false;
}

static bool parse_word(struct sh_parser *p, struct sh_word *w)
{
	size_t i = p->at;

	while (i < p->len && !ends_word((unsigned char)p->text[i])) {
		char c = p->text[i];

		if (c == '\\')
			i += i + 1 < p->len ? 2 : 1;
		else if (c == '\'' || c == '"')
			i = skip_quotes(p->text, p->len, i);
		else if (c == '$' || c == '`')
			i = sh_skip_dollar(p->text, p->len, i);
		else
			i++;
	}
	if (i > p->len) {
		(void)str_copy(
			p->error, sizeof(p->error), "Syntax error: Unterminated quoted string");
		return false;
	}
	if (i == p->at) {
		(void)set_error(p, p->text + p->at, char_at(p, 0) >= 0);
		return false;
	}
	w->next = NULL;
	w->raw = text_new(p, p->text + p->at, i - p->at);
	w->len = i - p->at;
	for (; p->at < i; p->at++)
		p->line += p->text[p->at] == '\n';
	return true;
}

static void here_document(struct sh_parser *p, struct sh_redir *r)
{
	char *end = text_new(p, r->word.raw, r->word.len);
	struct sh_redir **tail = &p->pending;
	size_t i, n = 0;

	r->kind = 'h';
	for (i = 0; i < r->word.len; i++) {
		if (strchr("'\"\\", end[i]))
			r->kind = 'q';
		else
			end[n++] = end[i];
	}
	r->word.raw = end;
	r->word.len = n;
	while (*tail)
		tail = &(*tail)->later;
	*tail = r;
}

/* Parses a redirection (an optional digit and < or >) and appends it. */
static bool parse_redir(struct sh_parser *p, struct sh_redir ***tail)
{
	struct sh_redir *r = sh_alloc(p->s, sizeof(*r));
	int c = char_at(p, 0);
	bool here = false;

	if (isdigit(c)) {
		r->fd = (unsigned)(c - '0');
		p->at++;
		c = char_at(p, 0);
	} else {
		r->fd = c == '>' ? 1 : 0;
	}
	r->kind = (char)c;
	p->at++;
	if (char_at(p, 0) == '&') {
		r->kind = 'd';
		p->at++;
	} else if (c == '>' && char_at(p, 0) == '>') {
		r->kind = 'a';
		p->at++;
	} else if (c == '<' && char_at(p, 0) == '<') {
		here = true;
		p->at += char_at(p, 1) == '-' ? 2 : 1;
	} else if (c == '>' && char_at(p, 0) == '|') {
		p->at++;
	}
	skip_blanks(p);
	if (!parse_word(p, &r->word))
		return false;
	if (here)
		here_document(p, r);
	**tail = r;
	*tail = &r->next;
	return true;
}

static bool at_redir(const struct sh_parser *p)
{
	int c = char_at(p, 0);

	return c == '<' || c == '>' ||
	       (isdigit(c) && (char_at(p, 1) == '<' || char_at(p, 1) == '>'));
}

static bool parse_redirs(struct sh_parser *p, struct sh_node *n)
{
	struct sh_redir **tail = &n->redirs;

	for (skip_blanks(p); at_redir(p); skip_blanks(p))
		if (!parse_redir(p, &tail))
			return false;
	return true;
}

static struct sh_node *parse_function(struct sh_parser *p, const struct sh_word *name)
{
	struct sh_node *n = node_new(p, SH_FUNCTION);

	n->name = name->raw;
	p->at++; /* the '(' */
	skip_blanks(p);
	if (char_at(p, 0) != ')')
		return set_error(p, p->text + p->at, char_at(p, 0) >= 0);
	p->at++;
	skip_newlines(p);
	n->a = parse_command(p);
	return n->a ? n : NULL;
}

static struct sh_node *parse_simple(struct sh_parser *p)
{
	struct sh_node *n = node_new(p, SH_SIMPLE);
	struct sh_word **words = &n->words;
	struct sh_redir **redirs = &n->redirs;

	for (;;) {
		skip_blanks(p);
		if (at_redir(p)) {
			if (!parse_redir(p, &redirs))
				return NULL;
			continue;
		}
		if (char_at(p, 0) == '(' && n->words && !n->words->next)
			return parse_function(p, n->words);
		if (ends_word(char_at(p, 0)))
			break;
		*words = sh_alloc(p->s, sizeof(**words));
		if (!parse_word(p, *words))
			return NULL;
		words = &(*words)->next;
	}
	if (!n->words && !n->redirs)
		return set_error(p, p->text + p->at, char_at(p, 0) >= 0);
	return n;
}

static struct sh_node *parse_for(struct sh_parser *p)
{
	struct sh_node *n = node_new(p, SH_FOR);
	struct sh_word name, **tail = &n->words;

	skip_blanks(p);
	if (!parse_word(p, &name))
		return NULL;
	n->name = name.raw;
	skip_newlines(p);
	if (accept_word(p, "in")) {
		n->has_in = true;
		for (skip_blanks(p); !ends_word(char_at(p, 0)); skip_blanks(p)) {
			*tail = sh_alloc(p->s, sizeof(**tail));
			if (!parse_word(p, *tail))
				return NULL;
			tail = &(*tail)->next;
		}
	}
	skip_blanks(p);
	if (char_at(p, 0) == ';')
		p->at++;
	if (!expect_word(p, "do"))
		return NULL;
	n->b = parse_list(p, false);
	return expect_word(p, "done") ? n : NULL;
}

/* After "if" or "elif". */
static struct sh_node *parse_if(struct sh_parser *p)
{
	struct sh_node *n = node_new(p, SH_IF);

	n->a = parse_list(p, false);
	if (!expect_word(p, "then"))
		return NULL;
	n->b = parse_list(p, false);
	skip_newlines(p);
	if (accept_word(p, "elif")) {
		n->c = parse_if(p);
		return n->c ? n : NULL;
	}
	if (accept_word(p, "else"))
		n->c = parse_list(p, false);
	return expect_word(p, "fi") ? n : NULL;
}

static struct sh_node *parse_while(struct sh_parser *p, enum sh_kind kind)
{
	struct sh_node *n = node_new(p, kind);

	n->a = parse_list(p, false);
	if (!expect_word(p, "do"))
		return NULL;
	n->b = parse_list(p, false);
	return expect_word(p, "done") ? n : NULL;
}

/* One "pattern | pattern) list ;;" */
static struct sh_node *parse_arm(struct sh_parser *p)
{
	struct sh_node *arm = node_new(p, SH_LIST);
	struct sh_word **tail = &arm->words;

	if (char_at(p, 0) == '(')
		p->at++;
	for (;;) {
		skip_blanks(p);
		*tail = sh_alloc(p->s, sizeof(**tail));
		if (!parse_word(p, *tail))
			return NULL;
		tail = &(*tail)->next;
		skip_blanks(p);
		if (char_at(p, 0) != '|')
			break;
		p->at++;
	}
	if (char_at(p, 0) != ')')
		return set_error(p, p->text + p->at, char_at(p, 0) >= 0);
	p->at++;
	arm->a = parse_list(p, false);
	skip_newlines(p);
	if (char_at(p, 0) == ';' && char_at(p, 1) == ';')
		p->at += 2;
	return p->error[0] ? NULL : arm;
}

static struct sh_node *parse_case(struct sh_parser *p)
{
	struct sh_node *n = node_new(p, SH_CASE), **tail = &n->b;

	n->words = sh_alloc(p->s, sizeof(*n->words));
	skip_blanks(p);
	if (!parse_word(p, n->words) || !expect_word(p, "in"))
		return NULL;
	for (skip_newlines(p); !peek_word(p, "esac"); skip_newlines(p)) {
		if (char_at(p, 0) < 0)
			return set_error(p, "", 0);
		*tail = parse_arm(p);
		if (!*tail)
			return NULL;
		tail = &(*tail)->next;
	}
	return expect_word(p, "esac") ? n : NULL;
}

static struct sh_node *parse_parens(struct sh_parser *p)
{
	struct sh_node *n = node_new(p, SH_SUBSHELL);

	p->at++;
	n->a = parse_list(p, false);
	skip_newlines(p);
	if (char_at(p, 0) != ')')
		return set_error(p, p->text + p->at, char_at(p, 0) >= 0);
	p->at++;
	return n;
}

static struct sh_node *parse_braces(struct sh_parser *p)
{
	struct sh_node *n = node_new(p, SH_GROUP);

	n->a = parse_list(p, false);
	return expect_word(p, "}") ? n : NULL;
}

static struct sh_node *parse_compound(struct sh_parser *p)
{
	if (char_at(p, 0) == '(')
		return parse_parens(p);
	if (accept_word(p, "{"))
		return parse_braces(p);
	if (accept_word(p, "for"))
		return parse_for(p);
	if (accept_word(p, "if"))
		return parse_if(p);
	if (accept_word(p, "while"))
		return parse_while(p, SH_WHILE);
	if (accept_word(p, "until"))
		return parse_while(p, SH_UNTIL);
	if (accept_word(p, "case"))
		return parse_case(p);
	return NULL;
}

static struct sh_node *parse_command(struct sh_parser *p)
{
	struct sh_node *n;

	if (p->depth >= SH_DEPTH_MAX) {
		(void)str_copy(p->error, sizeof(p->error), "Syntax error: nested too deeply");
		return NULL;
	}
	p->depth++;
	skip_blanks(p);
	n = parse_compound(p);
	if (n) {
		if (!parse_redirs(p, n))
			n = NULL;
	} else if (!p->error[0]) {
		n = parse_simple(p);
	}
	p->depth--;
	return n;
}

static struct sh_node *parse_pipeline(struct sh_parser *p)
{
	struct sh_node *pipe, *n, **tail;
	bool negate = accept_word(p, "!");

	n = parse_command(p);
	if (!n)
		return NULL;
	skip_blanks(p);
	if (char_at(p, 0) == '|' && char_at(p, 1) != '|') {
		pipe = node_new(p, SH_PIPE);
		pipe->a = n;
		tail = &n->next;
		while (char_at(p, 0) == '|' && char_at(p, 1) != '|') {
			p->at++;
			skip_newlines(p);
			*tail = parse_command(p);
			if (!*tail)
				return NULL;
			tail = &(*tail)->next;
			skip_blanks(p);
		}
		n = pipe;
	}
	if (negate) {
		pipe = node_new(p, SH_NOT);
		pipe->a = n;
		n = pipe;
	}
	return n;
}

static struct sh_node *parse_and_or(struct sh_parser *p)
{
	struct sh_node *left = parse_pipeline(p), *n;

	while (left) {
		int c = (skip_blanks(p), char_at(p, 0));

		if (!((c == '&' || c == '|') && char_at(p, 1) == c))
			break;
		n = node_new(p, c == '&' ? SH_AND : SH_OR);
		p->at += 2;
		skip_newlines(p);
		n->a = left;
		n->b = parse_pipeline(p);
		left = n->b ? n : NULL;
	}
	return left;
}

static bool at_list_end(struct sh_parser *p)
{
	static const char *const words[] = {
		"}", "fi", "done", "then", "else", "elif", "do", "esac", NULL};
	size_t i;
	int c = char_at(p, 0);

	if (c < 0 || c == ')' || (c == ';' && char_at(p, 1) == ';'))
		return true;
	for (i = 0; words[i]; i++)
		if (peek_word(p, words[i]))
			return true;
	return false;
}

/*
 * Parses commands up to a word that closes the surrounding construct. one_line: at most up to the
 * end of the line.
 */
static struct sh_node *parse_list(struct sh_parser *p, bool one_line)
{
	struct sh_node *list = node_new(p, SH_LIST), **tail = &list->a, **at;

	for (;;) {
		if (one_line)
			skip_blanks(p);
		else
			skip_newlines(p);
		if (at_list_end(p))
			break;
		at = tail;
		*tail = parse_and_or(p);
		if (!*tail)
			return NULL;
		tail = &(*tail)->next;
		skip_blanks(p);
		/*
		 * Nothing runs in the background. A group, which gathers output, runs at once; any
		 * other such command only waits for the client's end.
		 */
		if (char_at(p, 0) == '&' && (*at)->kind != SH_GROUP) {
			*at = NULL;
			tail = at;
		}
		if (char_at(p, 0) == '&' || (char_at(p, 0) == ';' && char_at(p, 1) != ';'))
			p->at++;
		else if (char_at(p, 0) != '\n')
			break;
		if (one_line && (skip_blanks(p), char_at(p, 0) == '\n')) {
			next_line(p);
			list->closed = true;
			break;
		}
	}
	return list;
}

struct sh_node *sh_parse_next(struct sh_parser *p)
{
	struct sh_node *n;
	size_t word = 0;

	skip_newlines(p);
	if (char_at(p, 0) < 0)
		return NULL;
	n = parse_list(p, true);
	if (!n || n->closed || char_at(p, 0) < 0)
		return n;
	/* The rest of the line closes no construct: an error, and nothing of the line runs. */
	while (!ends_word(char_at(p, word)))
		word++;
	return set_error(p, p->text + p->at, word ? word : 1);
}
