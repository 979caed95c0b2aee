/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "backends/jobs/nccl_private.h"
#include "base/json_out.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"

/*
 * Decodes a pickle. A pickle is a program. This interpreter knows only the opcodes that create
 * plain values. Opcodes that look up names, call, build objects or reach outside are errors, so
 * nothing of a file can be executed. Values go on a stack; MARK begins a list of them. The memo
 * stores values for reuse: texts and numbers only, so that no container can contain itself.
 */

#define DEPTH_MAX  32
#define VALUES_MAX ((size_t)4 << 20)
#define MEMO_MAX   ((size_t)1 << 20)
#define LONG_MAX_N 8 /* bytes of an integer */

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
	json_t *v; /* NULL: a mark */
	unsigned depth;
};

struct machine {
	const unsigned char *bytes;
	size_t len, at;
	size_t values;
	VEC(struct slot) stack;
	VEC(json_t *) memo; /* NULL: empty, or a container */
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
		return fail_at(m, "it breaks off");
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

static bool push_value(struct machine *m, json_t *v)
{
	if (!v)
		return fail_at(m, "no value can be made of what is");
	if (m->values >= VALUES_MAX) {
		json_decref(v);
		return fail_at(m, "there are too many values");
	}
	m->values++;
	vec_push(&m->stack, (struct slot){.v = v});
	return true;
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
	return push_value(m, json_integer((json_int_t)u));
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
	return push_value(m, json_number_or_null(d));
}

/* Text that is not UTF-8 loses its non-ASCII characters. */
static json_t *text_of(const char *s, size_t n)
{
	json_t *v = json_stringn(s, n);
	char *copy;

	if (v)
		return v;
	copy = mem_alloc(n + 1);
	for (size_t i = 0; i < n; i++)
		copy[i] = (unsigned char)s[i] < 0x80 ? s[i] : '?';
	v = json_stringn(copy, n);
	free(copy);
	return v;
}

static bool push_text(struct machine *m, size_t size_of_length)
{
	const unsigned char *p;
	uint64_t n;

	return take_number(m, size_of_length, &n) && take_bytes(m, (size_t)n, &p) &&
	       push_value(m, text_of((const char *)p, (size_t)n));
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
	if (!s || !s->v || i >= MEMO_MAX)
		return fail_at(m, "nothing that could be remembered");
	while (m->memo.n <= i)
		vec_push(&m->memo, NULL);
	json_decref(m->memo.at[i]);
	m->memo.at[i] = json_is_object(s->v) || json_is_array(s->v) ? NULL : json_incref(s->v);
	return true;
}

static bool memo_get(struct machine *m, size_t size_of_index)
{
	uint64_t i;

	if (!take_number(m, size_of_index, &i))
		return false;
	if (i >= m->memo.n || !m->memo.at[i])
		return fail_at(m, "a list or dict that is used twice, or was never told,");
	return push_value(m, json_incref(m->memo.at[i]));
}

/* Counts the values above the last mark and removes the mark. */
static bool above_mark(struct machine *m, size_t *n)
{
	size_t i = m->stack.n;

	while (i > 0 && m->stack.at[i - 1].v)
		i--;
	if (i == 0)
		return fail_at(m, "no mark where one is needed");
	*n = m->stack.n - i;
	memmove(&m->stack.at[i - 1], &m->stack.at[i], *n * sizeof(m->stack.at[0]));
	m->stack.n--;
	return true;
}

static void drop_values(struct machine *m, size_t n)
{
	while (n-- > 0)
		json_decref(m->stack.at[--m->stack.n].v);
}

static bool check_depth(struct machine *m, struct slot *owner, const struct slot *inner)
{
	if (inner->depth + 1 > owner->depth)
		owner->depth = inner->depth + 1;
	return owner->depth <= DEPTH_MAX || fail_at(m, "it is nested too deep");
}

/* Appends the top n values to the list below them. */
static bool append_values(struct machine *m, size_t n)
{
	struct slot *list = stack_top(m, n);

	if (!list || !json_is_array(list->v))
		return fail_at(m, "no list to append to");
	for (size_t i = m->stack.n - n; i < m->stack.n; i++) {
		if (!m->stack.at[i].v)
			return fail_at(m, "no value to append");
		if (!check_depth(m, list, &m->stack.at[i]))
			return false;
		if (json_array_append(list->v, m->stack.at[i].v) != 0)
			return fail_at(m, "what cannot be appended");
	}
	drop_values(m, n);
	return true;
}

static bool set_one(
	struct machine *m, struct slot *dict, const struct slot *key, const struct slot *value)
{
	char number[32];
	const char *name = json_string_value(key->v);

	if (json_is_integer(key->v)) {
		(void)str_printf(number, sizeof(number), "%" JSON_INTEGER_FORMAT,
			json_integer_value(key->v));
		name = number;
	}
	if (!name || !value->v)
		return fail_at(m, "a key that is neither text nor number");
	return check_depth(m, dict, value) && (json_object_set(dict->v, name, value->v) == 0 ||
						      fail_at(m, "a key that is no text"));
}

static bool set_items(struct machine *m, size_t n)
{
	struct slot *dict = stack_top(m, n);

	if (!dict || !json_is_object(dict->v) || n % 2)
		return fail_at(m, "no dict to add to");
	for (size_t i = m->stack.n - n; i < m->stack.n; i += 2)
		if (!set_one(m, dict, &m->stack.at[i], &m->stack.at[i + 1]))
			return false;
	drop_values(m, n);
	return true;
}

/* Makes a list of the top n values; a tuple becomes a list. */
static bool make_tuple(struct machine *m, size_t n)
{
	struct slot made;

	if (m->stack.n < n)
		return fail_at(m, "no values for a tuple");
	if (!push_value(m, json_array()))
		return false;
	made = m->stack.at[m->stack.n - 1];
	memmove(&m->stack.at[m->stack.n - n], &m->stack.at[m->stack.n - 1 - n], n * sizeof(made));
	m->stack.at[m->stack.n - 1 - n] = made;
	return append_values(m, n);
}

static bool with_marked(struct machine *m, bool (*what)(struct machine *m, size_t n))
{
	size_t n;

	return above_mark(m, &n) && what(m, n);
}

static bool refuse_opcode(struct machine *m, unsigned char op)
{
	err_set(m->err, ERR_PROTOCOL, "pickle",
		"opcode 0x%02x at byte %zu is more than plain values: not read", op, m->at - 1);
	return err_cure(m->err, "only what the flight recorder itself writes is read; ask for the "
				"JSON instead");
}

static bool make_value(struct machine *m, unsigned char op)
{
	uint64_t n;

	switch (op) {
	case OP_NONE:
		return push_value(m, json_null());
	case OP_NEWTRUE:
		return push_value(m, json_true());
	case OP_NEWFALSE:
		return push_value(m, json_false());
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
		return push_value(m, json_object());
	case OP_EMPTY_LIST:
	case OP_EMPTY_TUPLE:
		return push_value(m, json_array());
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
		vec_push(&m->stack, (struct slot){0});
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

static json_t *run_pickle(struct machine *m)
{
	while (m->at < m->len) {
		unsigned char op = m->bytes[m->at++];

		if (op != OP_STOP) {
			if (!run_opcode(m, op))
				return NULL;
			continue;
		}
		if (m->stack.n == 1 && m->stack.at[0].v)
			return json_incref(m->stack.at[0].v);
		fail_at(m, "it ends without one value");
		return NULL;
	}
	fail_at(m, "it breaks off");
	return NULL;
}

json_t *nccl_pickle_load(const char *bytes, size_t len, struct err *err)
{
	struct err ignored = {0};
	struct machine m = {
		.bytes = (const unsigned char *)bytes, .len = len, .err = err ? err : &ignored};
	json_t *v;

	*m.err = (struct err){0};
	v = run_pickle(&m);
	for (size_t i = 0; i < m.stack.n; i++)
		json_decref(m.stack.at[i].v);
	for (size_t i = 0; i < m.memo.n; i++)
		json_decref(m.memo.at[i]);
	vec_free(&m.stack);
	vec_free(&m.memo);
	return v;
}
