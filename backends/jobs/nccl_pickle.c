/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backends/jobs/nccl_private.h"
#include "base/str.h"
#include "base/vec.h"

/*
 * Decodes a pickle. A pickle is a program. This interpreter knows only the opcodes that create
 * plain values. Opcodes that look up names, call, build objects or reach outside are errors, so
 * nothing of a file can be executed.
 *
 * Values go on a stack; MARK begins a list of them. All are in one run of words, in the order of
 * the stack, so the values to append already follow their list. The memo stores where a value for
 * reuse was made: texts and numbers only, so that no container can contain itself.
 */

#define DEPTH_MAX  32
#define VALUES_MAX ((size_t)4 << 20)
#define MEMO_MAX   ((size_t)1 << 20)
#define WORDS_MAX  ((size_t)1 << 25) /* 256 MB: repeated texts are copied */
#define LONG_MAX_N 8                 /* bytes of an integer */
#define HEAD_WORDS JSON_VALUE_HEAD_WORDS

enum opcode {
	OP_MARK = '(',
	OP_STOP = '.',
	OP_BINFLOAT = 'G',
	OP_BININT = 'J',
	OP_BININT1 = 'K',
	OP_BININT2 = 'M',
	OP_NONE = 'N',
	OP_BINSTRING = 'T',
	OP_SHORT_BINSTRING = 'U',
	OP_BINUNICODE = 'X',
	OP_APPEND = 'a',
	OP_APPENDS = 'e',
	OP_BINGET = 'h',
	OP_LONG_BINGET = 'j',
	OP_BINPUT = 'q',
	OP_LONG_BINPUT = 'r',
	OP_SETITEM = 's',
	OP_TUPLE = 't',
	OP_SETITEMS = 'u',
	OP_EMPTY_DICT = '}',
	OP_EMPTY_LIST = ']',
	OP_EMPTY_TUPLE = ')',
	OP_PROTO = 0x80,
	OP_TUPLE1 = 0x85,
	OP_TUPLE2 = 0x86,
	OP_TUPLE3 = 0x87,
	OP_NEWTRUE = 0x88,
	OP_NEWFALSE = 0x89,
	OP_LONG1 = 0x8a
};

struct slot {
	bool is_mark;
	unsigned depth;
	size_t at; /* of the value in words */
	size_t op; /* offset of the opcode that made it */
};

struct machine {
	const unsigned char *bytes;
	size_t len, at;
	size_t op; /* offset of the running opcode */
	size_t values;
	VEC(uint64_t) words;
	VEC(struct slot) stack;
	VEC(size_t) memo; /* offset of the opcode, plus one; 0: empty, or a container */
	struct err *err;
};

static bool fail_at(struct machine *m, const char *what)
{
	err_set(m->err, ERR_PROTOCOL, "pickle", "%s at byte %zu", what, m->at);
	return false;
}

static bool take_bytes(struct machine *m, size_t n, const unsigned char **out)
{
	if (m->len - m->at < n)
		return fail_at(m, "the data breaks off");
	*out = m->bytes + m->at;
	m->at += n;
	return true;
}

/* Little endian, unsigned. */
static bool take_number(struct machine *m, size_t n, uint64_t *out)
{
	const unsigned char *p;

	if (!take_bytes(m, n, &p))
		return false;
	*out = 0;
	for (size_t i = n; i > 0; i--)
		*out = *out << 8 | p[i - 1];
	return true;
}

static struct json_value *value_of(const struct machine *m, const struct slot *s)
{
	return (struct json_value *)(void *)(m->words.at + s->at);
}

static bool is_kind(const struct machine *m, const struct slot *s, enum json_value_kind kind)
{
	return !s->is_mark && json_value_is(value_of(m, s), kind);
}

/* Appends words, not yet set. */
static bool add_words(struct machine *m, size_t n)
{
	if (n > WORDS_MAX - m->words.n)
		return fail_at(m, "its values take too much memory");
	vec_reserve(&m->words, m->words.n + n);
	m->words.n += n;
	return true;
}

/* Pushes a value of so many words; the caller sets the number or text of the new top. */
static bool push_value(struct machine *m, enum json_value_kind kind, size_t words)
{
	struct slot s = {.at = m->words.n, .op = m->op};
	struct json_value v = {.kind = (uint8_t)kind, .words = (uint32_t)words};

	if (m->values >= VALUES_MAX)
		return fail_at(m, "there are too many values");
	if (!add_words(m, words))
		return false;
	if (kind == DV_ARRAY || kind == DV_OBJECT)
		v.end = v.words;
	m->values++;
	vec_push(&m->stack, s);
	*value_of(m, &s) = v;
	return true;
}

static struct json_value *top_value(const struct machine *m)
{
	return value_of(m, &m->stack.at[m->stack.n - 1]);
}

static bool push_integer(struct machine *m, size_t n, bool is_signed)
{
	uint64_t u;

	if (n > LONG_MAX_N)
		return fail_at(m, "an integer of more than 64 bits");
	if (!take_number(m, n, &u))
		return false;
	if (is_signed && n > 0 && n < 8 && u >> (8 * n - 1) & 1)
		u |= UINT64_MAX << (8 * n);
	if (!push_value(m, DV_INTEGER, HEAD_WORDS))
		return false;
	top_value(m)->u = u;
	return true;
}

static bool push_float(struct machine *m)
{
	const unsigned char *p;
	uint64_t bits = 0;
	double d;

	if (!take_bytes(m, 8, &p))
		return false;
	for (size_t i = 0; i < 8; i++)
		bits = bits << 8 | p[i];
	memcpy(&d, &bits, sizeof(d));
	/* JSON has no non-finite numbers. */
	if (!push_value(m, isfinite(d) ? DV_REAL : DV_NULL, HEAD_WORDS))
		return false;
	if (isfinite(d))
		top_value(m)->real = d;
	return true;
}

static bool push_text(struct machine *m, size_t size_of_length)
{
	const unsigned char *p;
	uint64_t n;

	if (!take_number(m, size_of_length, &n) || !take_bytes(m, (size_t)n, &p) ||
		!push_value(m, DV_STRING, HEAD_WORDS + json_value_text_words((size_t)n)))
		return false;
	m->words.at[m->words.n - 1] = 0;
	memcpy(top_value(m) + 1, p, (size_t)n);
	top_value(m)->n = (uint32_t)n;
	return true;
}

static struct slot *stack_top(struct machine *m, size_t below)
{
	return m->stack.n > below ? &m->stack.at[m->stack.n - 1 - below] : NULL;
}

static bool memo_put(struct machine *m, size_t size_of_index)
{
	struct slot *s = stack_top(m, 0);
	uint64_t i;

	if (!take_number(m, size_of_index, &i))
		return false;
	if (!s || s->is_mark || i >= MEMO_MAX)
		return fail_at(m, "no value to remember");
	while (m->memo.n <= i)
		vec_push(&m->memo, 0);
	m->memo.at[i] = is_kind(m, s, DV_OBJECT) || is_kind(m, s, DV_ARRAY) ? 0 : s->op + 1;
	return true;
}

static bool make_value(struct machine *m, unsigned char op);

/* Makes the value again, by the opcode that made it. */
static bool memo_get(struct machine *m, size_t size_of_index)
{
	size_t resume;
	uint64_t i;
	bool ok;

	if (!take_number(m, size_of_index, &i))
		return false;
	if (i >= m->memo.n || !m->memo.at[i])
		return fail_at(m, "a list or dict that is used twice, or was never given,");
	resume = m->at;
	m->op = m->memo.at[i] - 1;
	m->at = m->op + 1;
	ok = make_value(m, m->bytes[m->op]);
	m->at = resume;
	return ok;
}

/* Counts the values above the last mark and removes the mark. */
static bool above_mark(struct machine *m, size_t *n)
{
	size_t i = m->stack.n;

	while (i > 0 && !m->stack.at[i - 1].is_mark)
		i--;
	if (i == 0)
		return fail_at(m, "no mark where one is needed");
	*n = m->stack.n - i;
	memmove(&m->stack.at[i - 1], &m->stack.at[i], *n * sizeof(m->stack.at[0]));
	m->stack.n--;
	return true;
}

static bool check_depth(struct machine *m, struct slot *owner, const struct slot *inner)
{
	if (inner->depth + 1 > owner->depth)
		owner->depth = inner->depth + 1;
	return owner->depth <= DEPTH_MAX || fail_at(m, "it is nested too deep");
}

/* The container below the top n values takes them; they end where the words end. */
static void take_values(struct machine *m, size_t n, size_t members)
{
	const struct slot *owner = stack_top(m, n);
	struct json_value *v = value_of(m, owner);

	v->n += (uint32_t)members;
	v->words = v->end = (uint32_t)(m->words.n - owner->at);
	m->stack.n -= n;
}

/* Appends the top n values to the list below them. */
static bool append_values(struct machine *m, size_t n)
{
	struct slot *list = stack_top(m, n);

	if (!list || !is_kind(m, list, DV_ARRAY))
		return fail_at(m, "no list to append to");
	for (size_t i = m->stack.n - n; i < m->stack.n; i++) {
		if (m->stack.at[i].is_mark)
			return fail_at(m, "no value to append");
		if (!check_depth(m, list, &m->stack.at[i]))
			return false;
	}
	take_values(m, n, n);
	return true;
}

/*
 * Makes a member of a key and the value behind it: head of the value, name, contents. This never
 * needs more words than both; *to is where it begins, and then where it ends.
 */
static bool set_one(struct machine *m, struct slot *dict, const struct slot *key,
	const struct slot *value, size_t *to)
{
	const struct json_value *k = value_of(m, key);
	struct json_value v;
	char number[24] = "", *name;
	const char *text;
	size_t n, words;

	if (value->is_mark || (!is_kind(m, key, DV_INTEGER) && !is_kind(m, key, DV_STRING)))
		return fail_at(m, "a key that is neither text nor number");
	if (is_kind(m, key, DV_INTEGER))
		(void)str_printf(number, sizeof(number), "%" PRId64, k->i);
	text = *number ? number : (const char *)(k + 1);
	n = strnlen(text, *number ? sizeof(number) : k->n);
	words = json_value_text_words(n);
	v = *value_of(m, value);
	name = (char *)(m->words.at + *to + HEAD_WORDS);
	memmove(name, text, n);
	memset(name + n, 0, words * sizeof(uint64_t) - n);
	memmove(m->words.at + *to + HEAD_WORDS + words, m->words.at + value->at + HEAD_WORDS,
		(v.words - HEAD_WORDS) * sizeof(uint64_t));
	v.words += (uint32_t)words;
	if (v.kind == DV_OBJECT || v.kind == DV_ARRAY)
		v.end = v.words;
	v.has_name = true;
	v.name_n = (uint32_t)n;
	*(struct json_value *)(void *)(m->words.at + *to) = v;
	*to += v.words;
	return check_depth(m, dict, value);
}

static bool set_items(struct machine *m, size_t n)
{
	struct slot *dict = stack_top(m, n);
	size_t to;

	if (!dict || !is_kind(m, dict, DV_OBJECT) || n % 2)
		return fail_at(m, "no dict to add to");
	to = n ? dict[1].at : m->words.n;
	for (size_t i = m->stack.n - n; i < m->stack.n; i += 2)
		if (!set_one(m, dict, &m->stack.at[i], &m->stack.at[i + 1], &to))
			return false;
	m->words.n = to;
	take_values(m, n, n / 2);
	return true;
}

/* Makes a list of the top n values; a tuple becomes a list. */
static bool make_tuple(struct machine *m, size_t n)
{
	struct slot *first, made;
	struct json_value v;
	size_t end = m->words.n;

	if (m->stack.n < n)
		return fail_at(m, "no values for a tuple");
	if (!push_value(m, DV_ARRAY, HEAD_WORDS))
		return false;
	/* The head goes below the values, in the words as on the stack. */
	v = *top_value(m);
	made = m->stack.at[m->stack.n - 1];
	first = &m->stack.at[m->stack.n - 1 - n];
	made.at = first->at;
	memmove(m->words.at + made.at + HEAD_WORDS, m->words.at + made.at,
		(end - made.at) * sizeof(uint64_t));
	*value_of(m, &made) = v;
	memmove(first + 1, first, n * sizeof(made));
	*first = made;
	return append_values(m, n);
}

static bool with_marked(struct machine *m, bool (*what)(struct machine *m, size_t n))
{
	size_t n = 0;

	return above_mark(m, &n) && what(m, n);
}

static bool refuse_opcode(struct machine *m, unsigned char op)
{
	err_set(m->err, ERR_PROTOCOL, "pickle",
		"opcode 0x%02x at byte %zu is not a plain value: not read", op, m->at - 1);
	return err_cure(m->err,
		"railtop reads only dumps of the flight recorder itself; use the JSON instead");
}

static bool make_value(struct machine *m, unsigned char op)
{
	uint64_t n;

	switch (op) {
	case OP_NONE:
		return push_value(m, DV_NULL, HEAD_WORDS);
	case OP_NEWTRUE:
		return push_value(m, DV_TRUE, HEAD_WORDS);
	case OP_NEWFALSE:
		return push_value(m, DV_FALSE, HEAD_WORDS);
	case OP_BININT:
		return push_integer(m, 4, true);
	case OP_BININT1:
		return push_integer(m, 1, false);
	case OP_BININT2:
		return push_integer(m, 2, false);
	case OP_LONG1:
		return take_number(m, 1, &n) && push_integer(m, (size_t)n, true);
	case OP_BINFLOAT:
		return push_float(m);
	case OP_BINUNICODE:
	case OP_BINSTRING:
		return push_text(m, 4);
	case OP_SHORT_BINSTRING:
		return push_text(m, 1);
	case OP_EMPTY_DICT:
		return push_value(m, DV_OBJECT, HEAD_WORDS);
	case OP_EMPTY_LIST:
	case OP_EMPTY_TUPLE:
		return push_value(m, DV_ARRAY, HEAD_WORDS);
	default:
		return refuse_opcode(m, op);
	}
}

static bool run_opcode(struct machine *m, unsigned char op)
{
	uint64_t n;

	switch (op) {
	case OP_PROTO:
		return take_number(m, 1, &n) && (n <= 2 || fail_at(m, "a protocol later than 2"));
	case OP_MARK:
		vec_push(&m->stack, (struct slot){.is_mark = true, .at = m->words.n});
		return m->stack.n < VALUES_MAX || fail_at(m, "there are too many marks");
	case OP_BINPUT:
		return memo_put(m, 1);
	case OP_LONG_BINPUT:
		return memo_put(m, 4);
	case OP_BINGET:
		return memo_get(m, 1);
	case OP_LONG_BINGET:
		return memo_get(m, 4);
	case OP_APPEND:
		return append_values(m, 1);
	case OP_APPENDS:
		return with_marked(m, append_values);
	case OP_SETITEM:
		return set_items(m, 2);
	case OP_SETITEMS:
		return with_marked(m, set_items);
	case OP_TUPLE:
		return with_marked(m, make_tuple);
	case OP_TUPLE1:
	case OP_TUPLE2:
	case OP_TUPLE3:
		return make_tuple(m, (size_t)op - OP_TUPLE1 + 1);
	default:
		return make_value(m, op);
	}
}

static bool run_pickle(struct machine *m)
{
	while (m->at < m->len) {
		unsigned char op = m->bytes[m->op = m->at++];

		if (op == OP_STOP)
			return (m->stack.n == 1 && !m->stack.at[0].is_mark) ||
			       fail_at(m, "it ends without one value");
		if (!run_opcode(m, op))
			return false;
	}
	return fail_at(m, "the data breaks off");
}

struct json_value *nccl_pickle_load(const char *bytes, size_t len, struct err *err)
{
	struct err ignored = {0};
	struct machine m = {
		.bytes = (const unsigned char *)bytes, .len = len, .err = err ? err : &ignored};

	*m.err = (struct err){0};
	if (!run_pickle(&m))
		vec_free(&m.words);
	vec_free(&m.stack);
	vec_free(&m.memo);
	return (struct json_value *)(void *)m.words.at;
}
