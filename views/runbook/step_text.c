/* SPDX-License-Identifier: Apache-2.0 */
#include "views/runbook/step_text.h"

#include <ctype.h>
#include <string.h>

#include "base/str.h"
#include "views/wrap.h"

#define WIDTH_LEAST 12

static const char *text_or_empty(const char *text)
{
	return text ? text : "";
}

static const struct runbook_step *step_of(const struct runbook_run *r)
{
	return r->book && r->at < r->book->steps.n ? &r->book->steps.at[r->at] : NULL;
}

enum role role_of_outcome(const struct runbook_step *s, enum step_outcome o)
{
	static const enum role roles[STEP_OUTCOME_COUNT] = {[STEP_OPEN] = ROLE_NORMAL,
		[STEP_PASS] = ROLE_OK,
		[STEP_FAIL] = ROLE_CRIT,
		[STEP_UNKNOWN] = ROLE_UNKNOWN,
		[STEP_SKIPPED] = ROLE_DIM};

	/* A cause that was found is what the step is for. */
	if (s && s->seeks && (o == STEP_PASS || o == STEP_FAIL))
		return o == STEP_FAIL ? ROLE_ACCENT : ROLE_NORMAL;
	return (unsigned)o < STEP_OUTCOME_COUNT ? roles[o] : ROLE_UNKNOWN;
}

char *outcome_text(
	const struct runbook_step *s, const struct runbook_log_entry *e, char *dst, size_t size)
{
	const char *name = e->outcome < STEP_OUTCOME_COUNT
				   ? runbook_step_word(s, (enum step_outcome)e->outcome)
				   : "?";

	(void)str_printf(dst, size, "%s%s", name,
		e->by_hand && e->outcome != STEP_SKIPPED ? ", by hand" : "");
	return dst;
}

/* The end of the first sentence. */
static size_t brief_end(const char *text)
{
	size_t n = strcspn(text, "\n");

	for (size_t i = 0; i < n; i++)
		if (strchr(".:?", text[i]) && (text[i + 1] == ' ' || i + 1 == n))
			return i;
	return n;
}

char *step_brief(const struct runbook_step *s, char *dst, size_t size)
{
	const char *text = text_or_empty(s->text);

	(void)str_copyn(dst, size, text, brief_end(text));
	return dst;
}

char *run_progress(const struct runbook_run *r, char *dst, size_t size)
{
	if (step_of(r))
		(void)str_printf(
			dst, size, "%s %zu/%zu", r->book->name, r->at + 1, r->book->steps.n);
	else
		(void)str_printf(dst, size, "%s end", r->book ? r->book->name : "");
	return dst;
}

/* ---- lines ---- */

/* Adds text behind a head, wrapped to the width; further lines are indented. */
static void add_lines(
	step_line_vec *out, int width, enum role role, const char *head, const char *text)
{
	int in = *head ? (int)strlen(head) + 1 : 0;

	width = width > WIDTH_LEAST ? width : WIDTH_LEAST;
	if (in > width / 2)
		in = 2;
	do {
		struct step_line *l = vec_add(out);
		size_t n = wrap_fit(text, width - in);
		const char *line = memchr(text, '\n', n);

		if (line)
			n = (size_t)(line - text);
		/* On a very wide screen the rest goes to the next line, so nothing is lost. */
		if (n > sizeof(l->text) - 1 - (size_t)in)
			for (n = sizeof(l->text) - 1 - (size_t)in; n > 1; n--)
				if (((unsigned char)text[n] & 0xc0) != 0x80)
					break;
		l->role = role;
		(void)str_copy(l->head, sizeof(l->head), head);
		(void)str_printf(
			l->text, sizeof(l->text), "%*s%.*s", *head ? 0 : in, "", (int)n, text);
		text += n;
		text += strspn(text, " \n");
		head = "";
	} while (*text);
}

static void copy_upper(const char *text, char *dst, size_t size)
{
	(void)str_copy(dst, size, text);
	for (char *p = dst; *p; p++)
		*p = (char)toupper((unsigned char)*p);
}

void step_lines_text(const struct runbook_run *r, int width, step_line_vec *out)
{
	const struct runbook_step *s = step_of(r);
	char text[160];

	if (s) {
		add_lines(out, width, ROLE_NORMAL, "", text_or_empty(s->text));
		return;
	}
	if (r->leads_to[0])
		(void)str_printf(text, sizeof(text), "All steps are done: next opens runbook %s.",
			r->leads_to);
	else
		(void)str_copy(text, sizeof(text), "All steps are done: next closes the runbook.");
	add_lines(out, width, ROLE_NORMAL, "", text);
}

void step_lines_now(const struct runbook_run *r, int width, step_line_vec *out)
{
	const struct runbook_step *s = step_of(r);
	enum step_outcome o = (enum step_outcome)r->now.outcome;
	char head[24];

	if (!s)
		return;
	if (o == STEP_OPEN) {
		add_lines(out, width, ROLE_ACCENT, "YOU",
			s->question && *s->question ? s->question : "only a person can judge this");
		return;
	}
	copy_upper(runbook_step_word(s, o), head, sizeof(head));
	add_lines(out, width, role_of_outcome(s, o), head,
		o == STEP_UNKNOWN && r->now.why[0] ? r->now.why : r->now.value);
	if (o == STEP_UNKNOWN && r->now.why[0] && r->now.value[0])
		add_lines(out, width, ROLE_DIM, "", r->now.value);
}

/* "step 4, other-end", "end", "runbook degraded-optic". */
static void next_text(const struct runbook_run *r, const struct runbook_step *s,
	enum step_outcome outcome, char *dst, size_t size)
{
	const char *next = runbook_step_next(s, outcome);
	size_t at = runbook_step_after(r->book, r->at, next);

	if (str_starts(next, "runbook:"))
		(void)str_printf(dst, size, "runbook %s", next + strlen("runbook:"));
	else if (at >= r->book->steps.n)
		(void)str_copy(dst, size, "end");
	else
		(void)str_printf(dst, size, "step %zu, %s", at + 1, r->book->steps.at[at].id);
}

static void say_next(const struct runbook_run *r, const struct runbook_step *s, int width,
	enum step_outcome outcome, const char *means, step_line_vec *out)
{
	char to[80], text[480];

	next_text(r, s, outcome, to, sizeof(to));
	(void)str_printf(text, sizeof(text), "%s%s-> %s", means, *means ? " " : "", to);
	/* Highlights the branch that the present result leads to. */
	add_lines(out, width, r->now.outcome == outcome ? role_of_outcome(s, outcome) : ROLE_DIM,
		runbook_step_word(s, outcome), text);
}

void step_lines_more(const struct runbook_run *r, int width, step_line_vec *out)
{
	const struct runbook_step *s = step_of(r);
	char text[160];

	if (!s)
		return;
	say_next(r, s, width, STEP_PASS, text_or_empty(s->pass_says), out);
	say_next(r, s, width, STEP_FAIL, text_or_empty(s->fail_says), out);
	if (s->expect)
		say_next(r, s, width, STEP_UNKNOWN, "", out);
	if (s->expect && *s->expect)
		add_lines(out, width, ROLE_DIM, "expects", s->expect);
	if (s->view) {
		(void)str_printf(text, sizeof(text), "view %s%s%s", s->view->name,
			s->filter && *s->filter ? " /" : "", text_or_empty(s->filter));
		add_lines(out, width, ROLE_ACCENT, "o", text);
	}
	if (s->action[0]) {
		(void)str_printf(text, sizeof(text), "%s, if it fails (!)", s->action);
		add_lines(out, width, ROLE_ACCENT, "action", text);
	}
	if (s->collect && *s->collect)
		add_lines(out, width, ROLE_ACCENT, "collect", s->collect);
	if (r->at < r->steps.n && r->steps.at[r->at].note[0])
		add_lines(out, width, ROLE_ACCENT, "note", r->steps.at[r->at].note);
}

int step_lines_draw(struct region r, const struct step_line *lines, size_t n)
{
	int y = 0;

	for (; y < r.h && (size_t)y < n; y++) {
		const struct step_line *l = &lines[y];
		int x = l->head[0] ? draw_text(r, y, 0, l->role, l->head, -1) + 1 : 0;

		(void)draw_text(r, y, x, l->head[0] ? ROLE_NORMAL : l->role, l->text, -1);
	}
	return y;
}
