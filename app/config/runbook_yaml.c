/* SPDX-License-Identifier: Apache-2.0 */
#include "app/config/runbook_yaml.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/str.h"

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))
#define SEE_MAN     "see railtop-runbook(5) for its keys"

bool runbook_name_ok(const char *s, size_t size)
{
	size_t n = strlen(s);

	if (!n || n >= size || s[0] == '-')
		return false;
	return strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == n;
}

bool runbook_read_prose(struct reader *r, const yaml_node_t *n, void *to)
{
	const char *raw;
	size_t len, at = 0;
	char *text;

	if (n->type != YAML_SCALAR_NODE || yaml_is_null(n))
		return yaml_expected(r, n, "a text");
	raw = (const char *)n->data.scalar.value;
	len = n->data.scalar.length;
	if (len > RUNBOOK_TEXT_MAX)
		return problem_add(r->problems, yaml_line(n), r->place,
			"%zu characters are too many (%d at most)", len, RUNBOOK_TEXT_MAX);
	text = mem_alloc(len + 1);
	for (size_t i = 0; i < len; i++) {
		bool space = raw[i] == '\n' || raw[i] == ' ' || raw[i] == '\t';

		if (space && (!at || text[at - 1] == ' '))
			continue;
		text[at++] = raw[i];
		if (space)
			text[at - 1] = ' ';
	}
	while (at && text[at - 1] == ' ')
		at--;
	text[at] = '\0';
	free(*(char **)to);
	*(char **)to = mem_alloc(len + 1);
	/* Terminal control characters are refused. */
	(void)str_sanitise(*(char **)to, len + 1, text, at);
	len = strcmp(*(char **)to, text) == 0 ? 1 : 0;
	free(text);
	if (!len)
		return problem_add(r->problems, yaml_line(n), r->place, "has a control character");
	return at > 0 || yaml_expected(r, n, "a text");
}

bool runbook_read_flag(
	struct reader *r, const yaml_node_t *n, const char *word, const char *noun, bool *out)
{
	const char *text;

	if (!yaml_text(r, n, word, YAML_TEXT_MAX, &text))
		return false;
	if (!str_eq(text, word))
		return yaml_not_a(r, n, text, noun, word);
	*out = true;
	return true;
}

/* ---- the head of the file ---- */

static bool read_name(struct reader *r, const yaml_node_t *n, void *to)
{
	struct draft *d = to;
	const char *text;

	if (!yaml_text(r, n, "the name of the runbook", YAML_TEXT_MAX, &text))
		return false;
	if (!runbook_name_ok(text, sizeof(d->book->name)))
		return yaml_not_a(r, n, text, "name of a runbook",
			"up to 31 lower-case letters, digits and hyphens");
	return str_copy(d->book->name, sizeof(d->book->name), text);
}

static bool read_title(struct reader *r, const yaml_node_t *n, void *to)
{
	return runbook_read_prose(r, n, &((struct draft *)to)->book->title);
}

static bool read_about(struct reader *r, const yaml_node_t *n, void *to)
{
	return runbook_read_prose(r, n, &((struct draft *)to)->book->about);
}

static bool add_target(struct reader *r, const yaml_node_t *n, void *to)
{
	static const char *const kinds[] = {
		"fabric", "rail", "device", "port", "priority", "link", "job", "rank"};
	struct buf *b = to;
	const char *text;
	size_t i = 0;

	if (!yaml_text(r, n, "a kind of object", YAML_TEXT_MAX, &text))
		return false;
	while (i < COUNT_OF(kinds) && !str_eq(kinds[i], text))
		i++;
	if (i == COUNT_OF(kinds))
		return yaml_not_a(r, n, text, "kind of object",
			"fabric, rail, device, port, priority, link, job, rank");
	if (!buf_addf(b, "%s%s", b->len ? " " : "", text))
		return problem_add(r->problems, yaml_line(n), r->place, "the list is too long");
	return true;
}

static bool read_target(struct reader *r, const yaml_node_t *n, void *to)
{
	struct draft *d = to;
	struct buf b;
	bool ok;

	d->target_line = yaml_line(n);
	buf_init(&b, 128);
	ok = yaml_read_items(r, n, add_target, &b);
	if (ok)
		yaml_put(&d->book->target, b.data ? b.data : "");
	buf_free(&b);
	return ok;
}

static bool read_side(struct reader *r, const yaml_node_t *n, void *to)
{
	return runbook_read_flag(
		r, n, "switch", "side of a link", &((struct draft *)to)->book->at_switch);
}

static const struct key top_keys[] = {
	{"runbook", read_name, 0},
	{"title", read_title, 0},
	{"about", read_about, 0},
	{"target", read_target, 0},
	{"side", read_side, 0},
	{"steps", runbook_read_steps, 0},
};

static void check_head(const struct draft *d, const yaml_node_t *root, struct problems *problems)
{
	const struct {
		const char *key;
		bool there;
	} needed[] = {{"runbook", d->book->name[0]}, {"title", d->book->title},
		{"about", d->book->about}, {"steps", d->book->steps.n}};

	for (size_t i = 0; i < COUNT_OF(needed); i++)
		if (!needed[i].there)
			(void)problem_add(problems, yaml_line(root), NULL, "\"%s\" is missing",
				needed[i].key);
}

static void read_runbook(yaml_document_t *doc, struct problems *problems, void *ctx)
{
	struct reader r = {.doc = doc, .problems = problems, .place = ""};
	const yaml_node_t *root = yaml_document_get_root_node(doc);
	struct draft *d = ctx;

	if (!root || yaml_is_null(root)) {
		(void)problem_add(problems, 0, NULL, "is empty");
		(void)problem_cure(problems, SEE_MAN);
		return;
	}
	if (!yaml_read_map(&r, root, top_keys, COUNT_OF(top_keys), d) || problems->at.n)
		return;
	check_head(d, root, problems);
	if (!problems->at.n)
		runbook_check_steps(d, problems);
}

struct runbook *runbook_parse(
	const char *name, const char *text, size_t len, runbook_report report, void *ctx)
{
	struct problems problems = {.file = name};
	struct draft d = {.book = mem_calloc(1, sizeof(*d.book))};

	(void)str_copy(d.book->source, sizeof(d.book->source), name);
	yaml_with_document(text, len, &problems, read_runbook, &d);
	vec_free(&d.lines);
	if (!d.book->target)
		d.book->target = mem_strdup("");
	if (problems_report(&problems, report, ctx))
		return d.book;
	runbook_free(d.book);
	return NULL;
}

struct runbook *runbook_read(const char *path, runbook_report report, void *ctx)
{
	struct runbook *book = NULL;
	struct err err = {0};
	struct buf b;

	buf_init(&b, RUNBOOK_FILE_MAX);
	if (inventory_slurp(path, &b, &err))
		book = runbook_parse(path, b.data ? b.data : "", b.len, report, ctx);
	else if (b.overflow)
		(void)err_set(&err, ERR_LIMIT, path, "larger than %zu KB: not a runbook",
			RUNBOOK_FILE_MAX >> 10);
	if (err.code != ERR_NONE && report)
		report(ctx, &err);
	buf_free(&b);
	return book;
}
