/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The graph of Cumulus' prescriptive topology manager and of NVIDIA Air: a file in the DOT language
 * with edges "leaf01":"swp51" -- "spine01":"swp1", and nodes with function= and os=. Air also
 * writes JSON: {"content": {"nodes": {"leaf01": {"os": ..}}, "links": [[{node, interface}, ..]]}}.
 * DOT: graphviz.org/doc/info/lang.html
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "app/import/import.h"
#include "backends/parse/json_select.h"
#include "base/str.h"

#define WORD_MAX  256
#define DEPTH_MAX 32

enum token { T_END, T_WORD, T_MARK, T_EDGE, T_BAD };

struct dot {
	struct import *im;
	const char *at, *end;
	size_t line;
	enum token token;
	char word[WORD_MAX]; /* of T_WORD */
	char mark;           /* of T_MARK */
	bool quoted;
	struct err *err;
};

/* ---- tokens ---- */

static void skip_line(struct dot *t)
{
	while (t->at < t->end && *t->at != '\n')
		t->at++;
}

/* Blanks, comments of C and C++, and lines of a preprocessor. */
static bool skip_blanks(struct dot *t)
{
	bool line_start = t->line == 1;

	while (t->at < t->end) {
		if (*t->at == '\n') {
			t->line++;
			line_start = true;
			t->at++;
		} else if (isspace((unsigned char)*t->at)) {
			t->at++;
		} else if (*t->at == '#' && line_start) {
			skip_line(t);
		} else if (*t->at == '/' && t->at + 1 < t->end && t->at[1] == '/') {
			skip_line(t);
		} else if (*t->at == '/' && t->at + 1 < t->end && t->at[1] == '*') {
			const char *close =
				memmem(t->at + 2, (size_t)(t->end - t->at - 2), "*/", 2);

			if (!close)
				return import_error(
					t->im, t->err, t->line, "a comment does not end");
			for (; t->at < close; t->at++)
				t->line += *t->at == '\n';
			t->at += 2;
		} else {
			break;
		}
	}
	return true;
}

static bool read_quoted(struct dot *t)
{
	size_t n = 0, from = t->line;

	t->quoted = true;
	for (t->at++; t->at < t->end && *t->at != '"'; t->at++) {
		if (*t->at == '\\' && t->at + 1 < t->end && t->at[1] == '"')
			t->at++;
		t->line += *t->at == '\n';
		if (n + 1 < WORD_MAX)
			t->word[n++] = *t->at;
	}
	t->word[n] = '\0';
	t->token = T_WORD;
	if (t->at == t->end)
		return import_error(t->im, t->err, from, "a quote does not end");
	t->at++;
	return true;
}

static bool next_token(struct dot *t)
{
	size_t n = 0;

	if (!skip_blanks(t))
		return false;
	t->quoted = false;
	t->word[0] = '\0';
	if (t->at >= t->end) {
		t->token = T_END;
		return true;
	}
	if (*t->at == '"')
		return read_quoted(t);
	if (*t->at == '-' && t->at + 1 < t->end && strchr("->", t->at[1])) {
		t->token = T_EDGE;
		t->at += 2;
		return true;
	}
	while (t->at < t->end && (isalnum((unsigned char)*t->at) || strchr("_.-/", *t->at) ||
					 (unsigned char)*t->at >= 0x80)) {
		if (*t->at == '-' && t->at + 1 < t->end && strchr("->", t->at[1]))
			break;
		if (n + 1 < WORD_MAX)
			t->word[n++] = *t->at;
		t->at++;
	}
	t->word[n] = '\0';
	t->token = n ? T_WORD : T_MARK;
	if (n)
		return true;
	t->mark = *t->at++;
	return strchr("{}[]=;,:+", t->mark) ||
	       import_error(t->im, t->err, t->line, "'%c' has no meaning in a graph",
		       isprint((unsigned char)t->mark) ? t->mark : '?');
}

static bool is_mark(const struct dot *t, char mark)
{
	return t->token == T_MARK && t->mark == mark;
}

/* ---- statements ---- */

struct attributes {
	char function[64], os[96], version[32], speed[24], ip[64];
};

static void take_attribute(struct attributes *a, const char *key, const char *value)
{
	if (strcasecmp(key, "function") == 0)
		(void)str_copy(a->function, sizeof(a->function), value);
	else if (strcasecmp(key, "os") == 0)
		(void)str_copy(a->os, sizeof(a->os), value);
	else if (strcasecmp(key, "mgmt_ip") == 0)
		(void)str_copy(a->ip, sizeof(a->ip), value);
	else if (strcasecmp(key, "speed") == 0)
		(void)str_copy(a->speed, sizeof(a->speed), value);
}

/* "[function="leaf" os="x", memory=768]"; at the '['. Several lists may follow each other. */
static bool read_attributes(struct dot *t, struct attributes *a)
{
	char key[WORD_MAX] = "";

	while (is_mark(t, '[')) {
		if (!next_token(t))
			return false;
		while (!is_mark(t, ']')) {
			if (t->token == T_END)
				return import_error(t->im, t->err, t->line, "a '[' does not end");
			if (is_mark(t, '=')) {
				if (!next_token(t))
					return false;
				if (t->token == T_WORD)
					take_attribute(a, key, t->word);
			} else if (t->token == T_WORD) {
				(void)str_copy(key, sizeof(key), t->word);
			}
			if (!next_token(t))
				return false;
		}
		if (!next_token(t))
			return false;
	}
	return true;
}

struct end {
	char device[WORD_MAX], port[WORD_MAX];
};

/* "leaf01":"swp51", or a node alone; the third part of a port, its place, is skipped. */
static bool read_end(struct dot *t, struct end *e)
{
	e->port[0] = '\0';
	if (t->token != T_WORD)
		return import_error(t->im, t->err, t->line, "a node is missing");
	(void)str_copy(e->device, sizeof(e->device), t->word);
	if (!next_token(t))
		return false;
	for (int i = 0; is_mark(t, ':') && i < 2; i++) {
		if (!next_token(t))
			return false;
		if (t->token != T_WORD)
			return import_error(t->im, t->err, t->line, "a port is missing after ':'");
		if (i == 0)
			(void)str_copy(e->port, sizeof(e->port), t->word);
		if (!next_token(t))
			return false;
	}
	return true;
}

static void put_node(struct dot *t, const struct end *e, const struct attributes *a)
{
	size_t at = import_device(t->im, e->device);

	if (at == SIZE_MAX)
		return;
	(void)import_role(t->im, at, a->function, "its function in the graph");
	import_system(t->im, at, a->os);
	import_address(t->im, at, a->ip);
}

static void put_edge(struct dot *t, const struct end *a, const struct end *b, const char *speed)
{
	if (!a->port[0] || !b->port[0]) {
		import_skip(t->im, "edges without ports", a->device);
		return;
	}
	import_link(t->im, import_device(t->im, a->device), a->port,
		import_device(t->im, b->device), b->port, import_speed(speed));
}

/* a -- b -- c [attributes], or a [attributes], or key = value. */
static bool read_statement(struct dot *t)
{
	struct attributes a = {0};
	struct end first, next;
	struct end edges[16];
	size_t n = 0;

	if (!read_end(t, &first))
		return false;
	if (is_mark(t, '=')) {
		/* The value, and the token after it. */
		if (!next_token(t))
			return false;
		return next_token(t);
	}
	edges[n++] = first;
	while (t->token == T_EDGE) {
		if (!next_token(t))
			return false;
		if (is_mark(t, '{'))
			return import_error(t->im, t->err, t->line, "an edge to a group of nodes");
		if (!read_end(t, &next))
			return false;
		if (n == sizeof(edges) / sizeof(edges[0]))
			return import_error(t->im, t->err, t->line, "a chain of too many edges");
		edges[n++] = next;
	}
	if (!read_attributes(t, &a))
		return false;
	if (n == 1)
		put_node(t, &first, &a);
	for (size_t i = 1; i < n; i++)
		put_edge(t, &edges[i - 1], &edges[i], a.speed);
	return true;
}

static bool is_default(const struct dot *t)
{
	return t->token == T_WORD && !t->quoted &&
	       (strcasecmp(t->word, "node") == 0 || strcasecmp(t->word, "edge") == 0 ||
		       strcasecmp(t->word, "graph") == 0);
}

/* Between { and }; subgraphs are groups of a drawing. */
static bool read_body(struct dot *t)
{
	struct attributes unused = {0};
	unsigned depth = 1;

	while (depth) {
		if (t->token == T_END)
			return import_error(t->im, t->err, t->line, "a '{' does not end");
		if (is_mark(t, '}')) {
			depth--;
		} else if (is_mark(t, '{')) {
			if (++depth > DEPTH_MAX)
				return import_error(t->im, t->err, t->line, "nested too deep");
		} else if (t->token == T_WORD && !t->quoted &&
			   strcasecmp(t->word, "subgraph") == 0) {
			if (!next_token(t))
				return false;
			if (t->token != T_WORD)
				continue;
		} else if (is_default(t)) {
			if (!next_token(t) || !read_attributes(t, &unused))
				return false;
			continue;
		} else if (!is_mark(t, ';') && !is_mark(t, ',')) {
			if (!read_statement(t))
				return false;
			continue;
		}
		if (!next_token(t))
			return false;
	}
	return true;
}

static bool read_dot(struct import *im, const char *text, size_t len, struct err *err)
{
	struct dot t = {.im = im, .at = text, .end = text + len, .line = 1, .err = err};

	/* "strict graph NAME {", and a file may begin at the brace. */
	do {
		if (!next_token(&t))
			return false;
	} while (t.token == T_WORD);
	if (!is_mark(&t, '{')) {
		(void)import_error(
			im, err, t.line, "it is not a graph: graph NAME { ... } is missing");
		return err_cure(err, "a file such as topology.dot, or the JSON of NVIDIA Air");
	}
	return next_token(&t) && read_body(&t);
}

/* ---- NVIDIA Air's JSON ---- */

static void put_air_node(struct import *im, const char *name, const struct json_value *v)
{
	size_t at = import_device(im, name);

	if (at == SIZE_MAX)
		return;
	(void)import_role(im, at, json_value_text_or(json_value_get(v, "function"), ""),
		"its function in the topology");
	import_system(im, at, json_value_text_or(json_value_get(v, "os"), ""));
	import_address(im, at, json_value_text_or(json_value_get(v, "mgmt_ip"), ""));
}

static void put_air_link(struct import *im, const struct json_value *link)
{
	const struct json_value *a = json_value_at(link, 0), *b = json_value_at(link, 1);
	const char *na = json_value_text(json_value_get(a, "node")),
		   *nb = json_value_text(json_value_get(b, "node"));

	/* "exit": to the world outside. */
	if (!na || !nb) {
		import_skip(im, "links that leave the topology", na ? na : nb ? nb : "?");
		return;
	}
	import_link(im, import_device(im, na),
		json_value_text_or(json_value_get(a, "interface"), ""), import_device(im, nb),
		json_value_text_or(json_value_get(b, "interface"), ""), 0);
}

static bool read_air(struct import *im, const char *text, size_t len, struct err *err)
{
	struct json_value *doc = json_value_parse(text, len, im->file, err);
	const struct json_value *content = json_value_get(doc, "content"), *nodes;

	if (!doc)
		return false;
	content = content ? content : doc;
	nodes = json_value_get(content, "nodes");
	if (!json_value_is(nodes, DV_OBJECT) ||
		!json_value_is(json_value_get(content, "links"), DV_ARRAY)) {
		free(doc);
		(void)import_error(im, err, 0, "it has no nodes and links");
		return err_cure(
			err, "the JSON that NVIDIA Air exports, or a file such as topology.dot");
	}
	for (json_value_members(n, nodes))
		put_air_node(im, json_value_name(n), n);
	for (json_value_items(l, json_value_get(content, "links")))
		put_air_link(im, l);
	free(doc);
	return true;
}

static bool read_ptm(struct import *im, const char *text, size_t len, struct err *err)
{
	size_t at = 0;

	while (at < len && isspace((unsigned char)text[at]))
		at++;
	return at < len && text[at] == '{' ? read_air(im, text, len, err)
					   : read_dot(im, text, len, err);
}

const struct importer importer_ptm = {
	.name = "ptm",
	.help = "topology.dot of Cumulus PTM, and the DOT or JSON file of NVIDIA Air",
	.read = read_ptm,
};
