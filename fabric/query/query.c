/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/query/query.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"
#include "fabric/query/name_suggestions.h"
#include "fabric/query/query_internal.h"
#include "fabric/query/query_number.h"

/* Bounds. Typed queries are short; queries from scripts or a fuzzer must not cost memory. */
#define QUERY_LEN   4096
#define QUERY_ATOMS 128
#define FIELD_LEN   64
#define REGEX_LEN   256
#define REGEX_MOST  1000 /* product of the repeat counts {n,m}: the C library unrolls them */

/* ---- reading ---- */

struct reader {
	const char *text;
	size_t pos;
	size_t atoms;
	struct err *err;
};

#define ORIGIN "filter"

static bool fail_at(struct reader *r, size_t at, const char *what)
{
	return err_set(r->err, ERR_USAGE, ORIGIN, "column %zu: %s", at + 1, what);
}

static void skip_space(struct reader *r)
{
	while (isspace((unsigned char)r->text[r->pos]))
		r->pos++;
}

static bool is_field_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-' || c == '.';
}

/* The operator at the read position; 0 when there is none. Longer ones first. */
static size_t peek_op(const char *s, enum op *op)
{
	static const struct {
		const char *sign;
		enum op op;
	} ops[] = {{"!=", OP_NE}, {"!~", OP_NOMATCH}, {">=", OP_GE}, {"<=", OP_LE}, {"=", OP_EQ},
		{"~", OP_MATCH}, {">", OP_GT}, {"<", OP_LT}};

	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		if (str_starts(s, ops[i].sign)) {
			*op = ops[i].op;
			return strlen(ops[i].sign);
		}
	}
	return 0;
}

/* "..." with \" and \\ ; other backslashes stay, regular expressions need them. */
static char *read_quoted(struct reader *r)
{
	size_t open = r->pos++, n = 0;
	char *out = mem_alloc(strlen(r->text + open) + 1);

	for (; r->text[r->pos] && r->text[r->pos] != '"'; r->pos++) {
		if (r->text[r->pos] == '\\' &&
			(r->text[r->pos + 1] == '"' || r->text[r->pos + 1] == '\\')) {
			/* A doubled backslash stays doubled: "\\." means the same with and without
			 * quotes. */
			if (r->text[r->pos + 1] == '\\')
				out[n++] = '\\';
			r->pos++;
		}
		out[n++] = r->text[r->pos];
	}
	out[n] = '\0';
	if (r->text[r->pos] == '"') {
		r->pos++;
		return out;
	}
	free(out);
	(void)fail_at(r, open, "the quote is not closed");
	return NULL;
}

/* Length of a bare word. In a regular expression, | within brackets belongs to it. */
static size_t word_len(const char *s, bool is_regex, bool ends_at_op)
{
	size_t n = 0, depth = 0;
	bool in_class = false;
	enum op op;

	for (; s[n] && !isspace((unsigned char)s[n]); n++) {
		if (is_regex && s[n] == '\\' && s[n + 1] && !isspace((unsigned char)s[n + 1])) {
			n++;
			continue;
		}
		if (is_regex && s[n] == '[')
			in_class = true;
		else if (is_regex && s[n] == ']')
			in_class = false;
		else if (is_regex && s[n] == '(' && !in_class)
			depth++;
		else if (is_regex && s[n] == ')' && !in_class && depth)
			depth--;
		if (s[n] == '|' && !depth && !in_class)
			break;
		if (ends_at_op && peek_op(s + n, &op))
			break;
	}
	return n;
}

static char *read_word(struct reader *r, bool is_regex, bool ends_at_op)
{
	size_t n;
	char *out;

	if (r->text[r->pos] == '"')
		return read_quoted(r);
	n = word_len(r->text + r->pos, is_regex, ends_at_op);
	out = mem_strndup(r->text + r->pos, n);
	r->pos += n;
	return out;
}

/* Number of copies that the C library makes of the item before {n,m}. */
static unsigned long repeat_count(const char *s)
{
	unsigned long most = 1;

	for (s++; isdigit((unsigned char)*s) || *s == ','; s++) {
		char *end;
		unsigned long v;

		if (*s == ',')
			continue;
		v = strtoul(s, &end, 10);
		most = v > most ? v : most;
		s = end - 1;
	}
	return most;
}

/*
 * regcomp() unrolls repeats, so nested ones multiply; counting all as nested is on the safe side.
 * "a+" becomes "aa*": that doubles only a large item, a group or another repeat. Back references
 * make matching exponential.
 */
static bool regex_affordable(const char *s)
{
	unsigned long product = 1;
	char before = '\0';

	if (strlen(s) > REGEX_LEN)
		return false;
	for (; *s; before = *s++) {
		unsigned long most = 1;

		if (*s == '\\' && s[1]) {
			s++;
			if (*s >= '1' && *s <= '9')
				return false;
			continue;
		}
		if (*s == '{')
			most = repeat_count(s);
		else if (*s == '+' && before && strchr(")*+?}", before))
			most = 2;
		if (most > REGEX_MOST || (product *= most) > REGEX_MOST)
			return false;
	}
	return true;
}

static bool compile_regex(struct reader *r, struct atom *a, size_t at)
{
	char why[128], text[200];
	int code;

	if (!regex_affordable(a->value)) {
		(void)fail_at(r, at, "the regular expression is too costly");
		return err_cure(r->err,
			"at most %d characters, no back references, repeat counts up to %d in all",
			REGEX_LEN, REGEX_MOST);
	}
	code = regcomp(&a->regex, a->value, REG_EXTENDED | REG_ICASE | REG_NOSUB);
	if (code) {
		(void)regerror(code, &a->regex, why, sizeof(why));
		(void)str_printf(text, sizeof(text), "not a regular expression: %s", why);
		return fail_at(r, at, text);
	}
	a->has_regex = true;
	return true;
}

/* The right side of a comparison. */
static bool read_value(struct reader *r, struct atom *a)
{
	bool is_regex = a->op == OP_MATCH || a->op == OP_NOMATCH, quoted;
	const char *unit;
	char text[80];
	size_t at;

	skip_space(r);
	at = r->pos;
	quoted = r->text[at] == '"';
	a->value = read_word(r, is_regex, false);
	if (!a->value)
		return false;
	if (!a->value[0] && (!quoted || is_regex)) {
		(void)fail_at(r, at, "a value is missing");
		return err_cure(r->err, "for example oper=down, paused>20%%, port~^Ethernet1");
	}
	if (is_regex)
		return compile_regex(r, a, at);
	unit = query_number(a->value, &a->number, &a->is);
	a->is_number = !unit;
	if (a->is_number || a->op == OP_EQ || a->op == OP_NE)
		return true;
	if (unit == a->value) {
		(void)fail_at(r, at, "not a number");
		return err_cure(r->err, "for example paused>20%% rx>300G drops>=1k/min ber>1e-6 "
					"(suffixes k M G T)");
	}
	(void)str_printf(text, sizeof(text), "not a number: \"%.16s\" is not a unit", unit);
	(void)fail_at(r, at + (size_t)quoted + (size_t)(unit - a->value), text);
	return err_cure(r->err, "units: " QUERY_UNITS);
}

static bool is_field_name(const char *s)
{
	size_t n = strlen(s);

	for (size_t i = 0; i < n; i++) {
		if (!is_field_char(s[i]))
			return false;
	}
	return n > 0 && n < FIELD_LEN;
}

/* Spaces may precede an operator, but "a !b" is two terms. */
static size_t op_ahead(const struct reader *r, size_t *len, enum op *op)
{
	size_t pos = r->pos;

	while (isspace((unsigned char)r->text[pos]))
		pos++;
	*len = peek_op(r->text + pos, op);
	return pos;
}

static bool read_atom(struct reader *r, struct atom *a)
{
	size_t len, op_at;
	bool quoted;

	a->at = r->pos;
	a->op = OP_TEXT;
	if (++r->atoms > QUERY_ATOMS)
		return fail_at(r, a->at, "too many conditions");
	quoted = r->text[r->pos] == '"';
	a->value = read_word(r, false, true);
	if (!a->value)
		return false;
	op_at = op_ahead(r, &len, &a->op);
	if (!a->value[0]) {
		(void)fail_at(r, a->at,
			len ? "a field name is missing before the operator"
			    : "a word or a comparison is missing");
		return err_cure(r->err, "for example oper=down or \"two words\"");
	}
	if (!len || quoted) {
		a->op = OP_TEXT;
		return len && quoted ? fail_at(r, a->at, "a field name is not quoted") : true;
	}
	if (!is_field_name(a->value))
		return fail_at(r, a->at, "not a field name");
	a->field = a->value;
	a->value = NULL;
	r->pos = op_at + len;
	return read_value(r, a);
}

static bool read_term(struct reader *r, struct term *t)
{
	while (r->text[r->pos] == '!') {
		t->negated = !t->negated;
		r->pos++;
		skip_space(r);
	}
	for (;;) {
		struct atom *a = vec_add(&t->any);
		size_t end;

		if (!read_atom(r, a))
			return false;
		end = r->pos;
		skip_space(r);
		if (r->text[r->pos] != '|') {
			/* Two quoted strings side by side would otherwise read as one. */
			if (r->pos == end && r->text[end])
				return fail_at(r, end, "a space is missing");
			return true;
		}
		r->pos++;
		skip_space(r);
	}
}

struct query *query_parse(const char *text, struct err *err)
{
	struct reader r = {.text = text, .err = err};
	struct query *q;

	if (strnlen(text, QUERY_LEN + 1) > QUERY_LEN) {
		(void)err_set(err, ERR_USAGE, ORIGIN, "longer than %d characters", QUERY_LEN);
		return NULL;
	}
	q = mem_calloc(1, sizeof(*q));
	for (skip_space(&r); text[r.pos]; skip_space(&r)) {
		if (read_term(&r, vec_add(&q->all)))
			continue;
		query_free(q);
		return NULL;
	}
	return q;
}

static void atom_free(struct atom *a)
{
	free(a->field);
	free(a->value);
	if (a->has_regex)
		regfree(&a->regex);
}

void query_free(struct query *q)
{
	if (!q)
		return;
	for (size_t i = 0; i < q->all.n; i++) {
		for (size_t j = 0; j < q->all.at[i].any.n; j++)
			atom_free(&q->all.at[i].any.at[j]);
		vec_free(&q->all.at[i].any);
	}
	vec_free(&q->all);
	free(q);
}

/* ---- checking ---- */

/* The nearest of the names in a list separated by commas or spaces. */
static bool nearest_field(const char *wanted, const char *all_names, char *dst, size_t size)
{
	char *list = mem_strdup(all_names), *rest = list, *name;
	struct name_suggestions near;
	bool found;

	name_suggestions_init(&near, wanted);
	while ((name = strsep(&rest, ", ")))
		name_suggestions_offer(&near, name);
	found = name_suggestions_format(&near, dst, size);
	free(list);
	return found;
}

static bool unknown_field(const struct atom *a, const char *all_names, struct err *err)
{
	char nearest[3 * FIELD_LEN + 16];
	bool near;

	(void)err_set(err, ERR_USAGE, ORIGIN, "column %zu: there is no field \"%s\"", a->at + 1,
		a->field);
	if (!all_names || !all_names[0])
		return false;
	near = nearest_field(a->field, all_names, nearest, sizeof(nearest));
	return err_cure(err, "%s%s%sfields: %s", near ? "did you mean " : "", near ? nearest : "",
		near ? "? " : "", all_names);
}

bool query_check(const struct query *q, bool (*known)(void *ctx, const char *name), void *ctx,
	const char *all_names, struct err *err)
{
	for (size_t i = 0; i < q->all.n; i++) {
		for (size_t j = 0; j < q->all.at[i].any.n; j++) {
			const struct atom *a = &q->all.at[i].any.at[j];

			if (a->field && !known(ctx, a->field))
				return unknown_field(a, all_names, err);
		}
	}
	return true;
}

/* ---- matching ---- */

/* Three values: unknown stays unknown under negation, so that it never selects a row. */
enum truth { NO, YES, UNKNOWN };

static enum truth truth_of(bool b)
{
	return b ? YES : NO;
}

static enum truth truth_not(enum truth t)
{
	return t == UNKNOWN ? UNKNOWN : truth_of(t == NO);
}

static enum truth match_text(const struct atom *a, const struct query_source *row)
{
	const char *text;

	/* A line is a cell: no cell contains a line break. */
	if (!row->text || strchr(a->value, '\n'))
		return NO;
	text = row->text(row->ctx);
	return text ? truth_of(strcasestr(text, a->value) != NULL) : UNKNOWN;
}

/* Values went through text and units, so the last bits are rounding. */
static bool numbers_equal(double a, double b)
{
	return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

/* The number to compare the field with, in the field's own unit. */
static double wanted_number(const struct atom *a, const struct query_value *v)
{
	if (a->is.is_time && v->second > 0)
		return a->number * v->second;
	return a->is.is_bytes && v->is_bits ? a->number * 8 : a->number;
}

static enum truth match_equal(const struct atom *a, const struct query_value *v)
{
	double than = wanted_number(a, v);

	if (v->type == QV_NUMBER && a->is_number && v->at_most)
		return v->number < than ? NO : UNKNOWN;
	if (v->type == QV_NUMBER && a->is_number)
		return truth_of(numbers_equal(v->number, than));
	return truth_of(strcasecmp(v->text, a->value) == 0);
}

static enum truth match_regex(const struct atom *a, struct query_value *v)
{
	if (v->type == QV_NUMBER && !v->text[0])
		(void)str_printf(v->text, sizeof(v->text), "%.10g", v->number);
	return truth_of(regexec(&a->regex, v->text, 0, NULL, 0) == 0);
}

/* Every number up to an upper bound may be the true one. */
static enum truth match_bound(const struct atom *a, double bound, double than)
{
	switch (a->op) {
	case OP_GT:
		return bound > than ? UNKNOWN : NO;
	case OP_GE:
		return bound >= than ? UNKNOWN : NO;
	case OP_LT:
		return bound < than ? YES : UNKNOWN;
	default: /* OP_LE */
		return bound <= than ? YES : UNKNOWN;
	}
}

static enum truth match_order(const struct atom *a, const struct query_value *v)
{
	double than = wanted_number(a, v);

	if (v->type != QV_NUMBER)
		return UNKNOWN;
	if (v->at_most)
		return match_bound(a, v->number, than);
	switch (a->op) {
	case OP_GT:
		return truth_of(v->number > than);
	case OP_GE:
		return truth_of(v->number >= than);
	case OP_LT:
		return truth_of(v->number < than);
	default:
		return truth_of(v->number <= than);
	}
}

static enum truth match_atom(const struct atom *a, const struct query_source *row)
{
	struct query_value v = {.type = QV_UNKNOWN};

	if (a->op == OP_TEXT)
		return match_text(a, row);
	if (!row->field || !row->field(row->ctx, a->field, &v) || v.type == QV_UNKNOWN ||
		(v.type == QV_NUMBER && isnan(v.number)))
		return UNKNOWN;
	switch (a->op) {
	case OP_EQ:
		return match_equal(a, &v);
	case OP_NE:
		return truth_not(match_equal(a, &v));
	case OP_MATCH:
		return match_regex(a, &v);
	case OP_NOMATCH:
		return truth_not(match_regex(a, &v));
	default:
		return match_order(a, &v);
	}
}

static enum truth match_any(const struct term *t, const struct query_source *row)
{
	enum truth out = NO;

	for (size_t i = 0; i < t->any.n; i++) {
		enum truth one = match_atom(&t->any.at[i], row);

		if (one == YES)
			return YES;
		if (one == UNKNOWN)
			out = UNKNOWN;
	}
	return out;
}

enum query_answer query_decide(const struct query *q, const struct query_source *row)
{
	enum query_answer out = QUERY_YES;

	for (size_t i = 0; i < q->all.n; i++) {
		const struct term *t = &q->all.at[i];
		enum truth one = match_any(t, row);

		if (t->negated)
			one = truth_not(one);
		if (one == NO)
			return QUERY_NO;
		if (one == UNKNOWN)
			out = QUERY_UNKNOWN;
	}
	return out;
}

bool query_match(const struct query *q, const struct query_source *row)
{
	for (size_t i = 0; i < q->all.n; i++) {
		const struct term *t = &q->all.at[i];
		enum truth one = match_any(t, row);

		if ((t->negated ? truth_not(one) : one) != YES)
			return false;
	}
	return true;
}

size_t query_fields(const struct query *q, const char **out, size_t max)
{
	size_t n = 0;

	for (size_t i = 0; i < q->all.n; i++) {
		for (size_t j = 0; j < q->all.at[i].any.n && n < max; j++) {
			const char *field = q->all.at[i].any.at[j].field;
			size_t k = 0;

			while (k < n && !str_eq(out[k], field))
				k++;
			if (field && k == n)
				out[n++] = field;
		}
	}
	return n;
}
