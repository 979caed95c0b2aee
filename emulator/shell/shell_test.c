/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/str.h"
#include "emulator/shell/shell_internal.h"

/* test and [: a recursive descent over -o, -a, !, parentheses and the primaries. */
struct test {
	struct sh *s;
	const struct sh_io *io;
	char **at, **end;
	unsigned depth;
	bool bad;
};

static bool test_or(struct test *t);

static bool to_number(struct test *t, const char *text, long long *v)
{
	char *end;

	text += strspn(text, " \t");
	*v = strtoll(text, &end, 10);
	if (end != text && !end[strspn(end, " \t")])
		return true;
	sh_complain(t->s, t->io->err, "[: Illegal number: %s", text);
	t->bad = true;
	return false;
}

static bool is_binary(const char *op)
{
	static const char *const ops[] = {
		"=", "==", "!=", "-eq", "-ne", "-gt", "-ge", "-lt", "-le", "<", ">", NULL};
	size_t i;

	for (i = 0; ops[i]; i++)
		if (!strcmp(ops[i], op))
			return true;
	return false;
}

static bool eval_binary(struct test *t, const char *x, const char *op, const char *y)
{
	long long a, b;

	if (op[0] == '=')
		return !strcmp(x, y);
	if (op[0] == '!')
		return strcmp(x, y) != 0;
	if (op[0] == '<')
		return strcmp(x, y) < 0;
	if (op[0] == '>')
		return strcmp(x, y) > 0;
	if (!to_number(t, x, &a) || !to_number(t, y, &b))
		return false;
	switch (op[1] == 'e' ? 'e' : op[1] == 'n' ? 'n' : op[2] == 'e' ? op[1] - 32 : op[1]) {
	case 'e':
		return a == b;
	case 'n':
		return a != b;
	case 'g':
		return a > b;
	case 'G':
		return a >= b;
	case 'l':
		return a < b;
	default:
		return a <= b;
	}
}

static bool has_content(struct test *t, const char *path)
{
	struct buf b;
	bool some;

	buf_init(&b, SH_ARENA_MAX);
	some = !t->s->m->fs->read(t->s->m->ctx, path, &b) && b.len;
	buf_free(&b);
	return some;
}

static bool file_test(struct test *t, char op, const char *name)
{
	const struct shell_fs *fs = t->s->m->fs;
	char *path = sh_path(t->s, name);
	enum shell_kind kind = name[0] ? fs->stat(t->s->m->ctx, path) : SHELL_NONE;
	struct buf target;
	bool yes;

	switch (op) {
	case 'f':
		yes = kind == SHELL_FILE;
		break;
	case 'd':
		yes = kind == SHELL_DIR;
		break;
	case 's':
		yes = kind == SHELL_DIR || (kind == SHELL_FILE && has_content(t, path));
		break;
	case 'x':
		yes = kind == SHELL_DIR;
		break;
	case 'L':
	case 'h':
		buf_init(&target, 65536);
		yes = fs->link && fs->link(t->s->m->ctx, path, false, &target);
		buf_free(&target);
		break;
	default: /* e r w: every existing file can be read */
		yes = kind != SHELL_NONE;
	}
	free(path);
	return yes;
}

static bool eval_unary(struct test *t, char op, const char *x)
{
	if (op == 'n')
		return x[0] != '\0';
	if (op == 'z')
		return !x[0];
	if (op == 't')
		return false;
	return file_test(t, op, x);
}

static bool eval_primary(struct test *t)
{
	char **a = t->at;
	size_t left = (size_t)(t->end - a);
	bool v;

	if (!left || t->depth > SH_DEPTH_MAX) {
		t->bad = true;
		return false;
	}
	if (left >= 3 && is_binary(a[1])) {
		t->at += 3;
		return eval_binary(t, a[0], a[1], a[2]);
	}
	if (left >= 2 && !strcmp(a[0], "!")) {
		t->at++;
		t->depth++;
		v = !eval_primary(t);
		t->depth--;
		return v;
	}
	if (left >= 3 && !strcmp(a[0], "(")) {
		t->at++;
		t->depth++;
		v = test_or(t);
		t->depth--;
		if (t->at >= t->end || strcmp(*t->at, ")") != 0)
			t->bad = true;
		else
			t->at++;
		return v;
	}
	if (left >= 2 && a[0][0] == '-' && a[0][1] && !a[0][2] && strchr("efdsrwxnztLh", a[0][1])) {
		t->at += 2;
		return eval_unary(t, a[0][1], a[1]);
	}
	t->at++;
	return a[0][0] != '\0';
}

static bool test_and(struct test *t)
{
	bool v = eval_primary(t);

	while (!t->bad && t->at < t->end && !strcmp(*t->at, "-a")) {
		t->at++;
		v = eval_primary(t) && v;
	}
	return v;
}

static bool test_or(struct test *t)
{
	bool v = test_and(t);

	while (!t->bad && t->at < t->end && !strcmp(*t->at, "-o")) {
		t->at++;
		v = test_and(t) || v;
	}
	return v;
}

int sh_test(struct sh *s, int argc, char **argv, const struct sh_io *io)
{
	struct test t = {s, io, argv + 1, argv + argc, 0, false};
	bool v;

	if (!strcmp(argv[0], "[")) {
		if (strcmp(argv[argc - 1], "]") != 0) {
			sh_complain(s, io->err, "[: missing ]");
			return 2;
		}
		t.end--;
	}
	if (t.at == t.end)
		return 1;
	v = test_or(&t);
	if (!t.bad && t.at < t.end) {
		sh_complain(s, io->err, "[: %s: unexpected operator", *t.at);
		t.bad = true;
	}
	return t.bad ? 2 : !v;
}
