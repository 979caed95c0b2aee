/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"
#include "fabric/query/query.h"
#include "fabric/query/query_internal.h"

/* A text that grows. fits: nothing was cut. */
struct words {
	char *dst;
	size_t size;
	bool fits;
};

static void add(struct words *w, const char *text)
{
	size_t n = strlen(w->dst);

	w->fits = str_copy(w->dst + n, w->size - n, text) && w->fits;
}

/* "paused_rx": "paused rx". The columns "what" and "check" are the names of their rows. */
static void add_field(struct words *w, const char *field)
{
	size_t n = strlen(w->dst);

	add(w, str_eq(field, "what") || str_eq(field, "check") ? "name" : field);
	for (char *at = w->dst + n; *at; at++)
		if (*at == '_')
			*at = ' ';
}

static void add_list(struct words *w, const char *text, char between)
{
	for (size_t n; *text; text += n + (text[n] == between)) {
		char one[128];

		n = strcspn(text, (char[]){between, '\0'});
		w->fits = str_copyn(one, sizeof(one), text, n) && w->fits;
		add(w, one);
		if (text[n] == between)
			add(w, strchr(text + n + 1, between) ? ", " : " or ");
	}
}

/* "^(ecn|cnp)[.]" and "dead" need no regular expression to be said. False: this one does. */
static bool plain_of(const char *regex, char *dst, size_t size)
{
	size_t n;
	bool list;

	regex += regex[0] == '^';
	n = strlen(regex);
	if (n > 3 && strcmp(regex + n - 3, "[.]") == 0)
		n -= 3;
	list = n > 2 && regex[0] == '(' && regex[n - 1] == ')';
	if (list) {
		regex++;
		n -= 2;
	}
	return str_copyn(dst, size, regex, n) && !strpbrk(dst, "^$()[]{}*+?.\\") &&
	       (list || !strchr(dst, '|'));
}

static void add_regex(struct words *w, const struct atom *a)
{
	bool begins = a->value[0] == '^', no = a->op == OP_NOMATCH;
	char plain[128];

	if (!plain_of(a->value, plain, sizeof(plain))) {
		add(w, no ? " unlike " : " like ");
		add(w, a->value);
		return;
	}
	add(w, no ? " other than " : begins ? " " : " like ");
	add_list(w, plain, '|');
}

static void add_value(struct words *w, const struct atom *a)
{
	switch (a->op) {
	case OP_TEXT:
		add(w, "the text \"");
		add(w, a->value);
		add(w, "\"");
		return;
	case OP_MATCH:
	case OP_NOMATCH:
		add_regex(w, a);
		return;
	case OP_NE:
		add(w, " other than ");
		break;
	case OP_GT:
		add(w, " above ");
		break;
	case OP_LT:
		add(w, " below ");
		break;
	case OP_GE:
	case OP_LE:
	case OP_EQ:
		add(w, " ");
		break;
	}
	add(w, a->value);
	if (a->op == OP_GE || a->op == OP_LE)
		add(w, a->op == OP_GE ? " or more" : " or less");
}

/* Whether both ask one field for a value. A text without a field asks all of them. */
static bool is_alternative(const struct atom *a, const struct atom *b)
{
	return b && a->op == OP_EQ && b->op == OP_EQ && a->field && b->field &&
	       strcasecmp(a->field, b->field) == 0;
}

/* Alternatives of one field name it once: "state fresh or late". */
static void add_term(struct words *w, const struct term *t)
{
	if (t->negated)
		add(w, "not ");
	for (size_t i = 0; i < t->any.n; i++) {
		const struct atom *a = &t->any.at[i], *before = i ? a - 1 : NULL,
				  *next = i + 1 < t->any.n ? a + 1 : NULL;
		bool again = is_alternative(a, before);

		if (before)
			add(w, again && is_alternative(a, next) ? ", " : " or ");
		if (again) {
			add(w, a->value);
			continue;
		}
		if (a->field)
			add_field(w, a->field);
		add_value(w, a);
	}
}

bool query_words(const struct query *q, char *dst, size_t size)
{
	struct words w = {.dst = dst, .size = size, .fits = size > 0};

	if (!w.fits)
		return false;
	dst[0] = '\0';
	for (size_t i = 0; i < q->all.n; i++) {
		if (i)
			add(&w, " and ");
		add_term(&w, &q->all.at[i]);
	}
	return w.fits;
}
