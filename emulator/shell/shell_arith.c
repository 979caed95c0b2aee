/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <string.h>

#include "emulator/shell/shell_internal.h"

/* $((expression)): precedence climbing over 64-bit integers that wrap like the hardware's. */
struct arith {
	struct sh *s;
	const char *p;
	unsigned depth;
	bool ok;
};

static const struct operator
{
	char text[3];
	unsigned level;
}
operators[] = {
	{"||", 1},
	{"&&", 2},
	{"|", 3},
	{"^", 4},
	{"==", 6},
	{"!=", 6},
	{"<=", 7},
	{">=", 7},
	{"<<", 8},
	{">>", 8},
	{"&", 5},
	{"<", 7},
	{">", 7},
	{"+", 9},
	{"-", 9},
	{"*", 10},
	{"/", 10},
	{"%", 10},
};

static int64_t parse_expression(struct arith *a, unsigned level);

static void skip_blanks(struct arith *a)
{
	while (isspace((unsigned char)*a->p))
		a->p++;
}

static int64_t parse_primary(struct arith *a)
{
	int64_t v = 0;
	size_t n;
	char c;

	skip_blanks(a);
	c = *a->p;
	if (a->depth >= SH_DEPTH_MAX) {
		a->ok = false;
		return 0;
	}
	a->depth++;
	if (c == '(') {
		a->p++;
		v = parse_expression(a, 1);
		skip_blanks(a);
		a->ok = a->ok && *a->p == ')';
		a->p += *a->p == ')';
	} else if (c == '-' || c == '+' || c == '!' || c == '~') {
		a->p++;
		v = parse_primary(a);
		v = c == '-' ? (int64_t)(0 - (uint64_t)v) : c == '!' ? !v : c == '~' ? ~v : v;
	} else if (isdigit((unsigned char)c)) {
		char *end;

		v = (int64_t)strtoull(a->p, &end, 0);
		a->p = end;
	} else if ((n = sh_name_length(a->p, strlen(a->p)))) {
		const char *value = sh_get(a->s, a->p, n);

		v = value ? (int64_t)strtoll(value, NULL, 0) : 0;
		a->p += n;
	} else {
		a->ok = false;
	}
	a->depth--;
	return v;
}

static int64_t divide_checked(struct arith *a, char op, int64_t x, int64_t y)
{
	if (!y || (x == INT64_MIN && y == -1)) {
		a->ok = false;
		return 0;
	}
	return op == '/' ? x / y : x % y;
}

static int64_t apply_operator(struct arith *a, const char *op, int64_t x, int64_t y)
{
	uint64_t ux = (uint64_t)x, uy = (uint64_t)y;

	switch (op[0]) {
	case '|':
		return op[1] ? x || y : x | y;
	case '&':
		return op[1] ? x && y : x & y;
	case '^':
		return x ^ y;
	case '=':
		return x == y;
	case '!':
		return x != y;
	case '<':
		return op[1] == '=' ? x <= y : op[1] ? (int64_t)(ux << (uy & 63)) : x < y;
	case '>':
		return op[1] == '=' ? x >= y : op[1] ? x >> (uy & 63) : x > y;
	case '+':
		return (int64_t)(ux + uy);
	case '-':
		return (int64_t)(ux - uy);
	case '*':
		return (int64_t)(ux * uy);
	default:
		return divide_checked(a, op[0], x, y);
	}
}

static const struct operator* operator_at(const char *p)
{
	size_t i;

	for (i = 0; i < sizeof(operators) / sizeof(operators[0]); i++)
		if (!strncmp(p, operators[i].text, strlen(operators[i].text)))
			return &operators[i];
	return NULL;
}

static int64_t parse_expression(struct arith *a, unsigned level)
{
	int64_t left = parse_primary(a), right;
	const struct operator* op;

	while (a->ok) {
		skip_blanks(a);
		op = operator_at(a->p);
		if (!op || op->level < level)
			break;
		a->p += strlen(op->text);
		right = parse_expression(a, op->level + 1);
		left = apply_operator(a, op->text, left, right);
	}
	return left;
}

int64_t sh_arith(struct sh *s, const char *text, bool *ok)
{
	struct arith a = {s, text, 0, true};
	int64_t v;

	skip_blanks(&a);
	if (!*a.p)
		return 0;
	v = parse_expression(&a, 1);
	skip_blanks(&a);
	*ok = a.ok && !*a.p;
	return v;
}
