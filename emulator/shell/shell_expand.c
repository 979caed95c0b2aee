/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "emulator/shell/shell_internal.h"

/*
 * A word becomes bytes with a parallel mask: 'q' for a quoted byte (neither split nor globbed), 'u'
 * for an unquoted one. The value of an unquoted parameter is split while it is added.
 */
struct field {
	struct sh *s;
	const struct sh_io *io;
	sh_strings *out; /* NULL: no splitting, one result */
	struct buf text, mask;
	bool present; /* an empty field counts ("" was written) */
};

static void expand_text(struct field *f, const char *raw, size_t len, bool quoted);

static void field_init(struct field *f, struct sh *s, const struct sh_io *io, sh_strings *out)
{
	memset(f, 0, sizeof(*f));
	f->s = s;
	f->io = io;
	f->out = out;
	buf_init(&f->text, SH_ARENA_MAX);
	buf_init(&f->mask, SH_ARENA_MAX);
}

static void field_free(struct field *f)
{
	buf_free(&f->text);
	buf_free(&f->mask);
}

static void emit_bytes(struct field *f, const char *p, size_t n, char mask)
{
	size_t had = f->mask.len;

	if (!n)
		return;
	if (!buf_add(&f->text, p, n) || !buf_add(&f->mask, p, n)) {
		sh_limit(f->s);
		return;
	}
	memset(f->mask.data + had, mask, n);
	f->present = true;
}

static void field_end(struct field *f)
{
	if (f->present && f->out) {
		if (f->out->n >= SH_FIELDS_MAX)
			sh_limit(f->s);
		else if (!f->text.len ||
			 !sh_glob(f->s, f->text.data, f->mask.data, f->text.len, f->out))
			vec_push(
				f->out, mem_strndup(f->text.data ? f->text.data : "", f->text.len));
	}
	buf_reset(&f->text);
	buf_reset(&f->mask);
	f->present = false;
}

static void emit_split(struct field *f, const char *v)
{
	const char *ifs = sh_get(f->s, "IFS", 3);

	if (!ifs)
		ifs = " \t\n";
	while (*v) {
		size_t n = strcspn(v, ifs);

		emit_bytes(f, v, n, 'u');
		v += n;
		if (!*v)
			break;
		if (isspace((unsigned char)*v)) {
			field_end(f);
			while (*v && isspace((unsigned char)*v) && strchr(ifs, *v))
				v++;
			/* The blanks around a separator belong to it: "a : b". */
			if (!(*v && strchr(ifs, *v)))
				continue;
		}
		f->present = true;
		field_end(f);
		v++;
	}
}

static void emit_value(struct field *f, const char *v, bool quoted)
{
	if (!v)
		return;
	if (quoted)
		emit_bytes(f, v, strlen(v), 'q');
	else if (f->out)
		emit_split(f, v);
	else
		emit_bytes(f, v, strlen(v), 'u');
}

const char *sh_get(const struct sh *s, const char *name, size_t len)
{
	struct sh_var *v;

	HASH_FIND(hh, s->vars, name, (unsigned)len, v);
	return v ? v->value : NULL;
}

void sh_set(struct sh *s, const char *name, size_t len, const char *value)
{
	struct sh_var *v;

	HASH_FIND(hh, s->vars, name, (unsigned)len, v);
	if (!v) {
		v = mem_calloc(1, sizeof(*v));
		v->name = mem_strndup(name, len);
		HASH_ADD_KEYPTR(hh, s->vars, v->name, (unsigned)len, v);
	} else if (v->value == value) {
		return;
	} else {
		free(v->value);
	}
	v->value = mem_strdup(value);
}

void sh_unset(struct sh *s, const char *name)
{
	struct sh_var *v;

	HASH_FIND_STR(s->vars, name, v);
	if (!v)
		return;
	HASH_DEL(s->vars, v);
	free(v->name);
	free(v->value);
	free(v);
}

size_t sh_name_length(const char *p, size_t len)
{
	size_t i = 0;

	if (len && !isalpha((unsigned char)p[0]) && p[0] != '_')
		return 0;
	while (i < len && (isalnum((unsigned char)p[i]) || p[i] == '_'))
		i++;
	return i;
}

bool sh_is_name(const char *p, size_t len)
{
	return len && sh_name_length(p, len) == len;
}

/* The value of $name or of a special parameter. number is the buffer for computed values. */
static const char *parameter_value(struct field *f, const char *name, size_t len, char number[24])
{
	struct sh *s = f->s;
	unsigned long i;

	if (isdigit((unsigned char)name[0])) {
		i = strtoul(name, NULL, 10);
		if (!i)
			return s->style == SHELL_STYLE_BASH ? "bash" : "sh";
		return i <= s->args.n ? s->args.at[i - 1] : NULL;
	}
	switch (len == 1 ? name[0] : 0) {
	case '?':
		(void)snprintf(number, 24, "%d", s->status);
		return number;
	case '#':
		(void)snprintf(number, 24, "%zu", s->args.n);
		return number;
	case '$':
		return "4242";
	case '!':
		return NULL;
	case '-':
		return "";
	default:
		return sh_get(s, name, len);
	}
}

static void emit_args(struct field *f, char which, bool quoted)
{
	size_t i;

	for (i = 0; i < f->s->args.n; i++) {
		if (i && quoted && which == '*')
			emit_bytes(f, " ", 1, 'q');
		else if (i && f->out)
			field_end(f);
		else if (i)
			emit_bytes(f, " ", 1, 'q');
		emit_value(f, f->s->args.at[i], quoted);
		if (quoted && which == '@')
			f->present = true;
	}
}

/* ${x#pattern}, ${x##pattern}, ${x%pattern} and ${x%%pattern}. */
static void emit_trimmed(struct field *f, const char *value, const char *op, const char *raw,
	size_t len, bool quoted)
{
	char *pattern = sh_expand_pattern(f->s, f->io, raw, len);
	bool longest = op[1] == op[0];
	size_t n = strlen(value), i, k;
	char *copy = mem_strdup(value);

	for (i = 0; i <= n; i++) {
		if (op[0] == '#') {
			k = longest ? n - i : i;
			copy[k] = '\0';
			if (!fnmatch(pattern, copy, 0)) {
				emit_value(f, value + k, quoted);
				goto out;
			}
			copy[k] = value[k];
		} else {
			k = longest ? i : n - i;
			if (!fnmatch(pattern, value + k, 0)) {
				copy[k] = '\0';
				emit_value(f, copy, quoted);
				goto out;
			}
		}
	}
	emit_value(f, value, quoted);
out:
	free(copy);
	free(pattern);
}

static void assign_default(struct field *f, const char *name, size_t n, const char *raw, size_t len)
{
	char *v = sh_expand_string(f->s, f->io, raw, len);

	sh_set(f->s, name, n, v);
	free(v);
}

static void parameter_error(
	struct field *f, const char *name, size_t n, const char *raw, size_t len)
{
	char *v = sh_expand_string(f->s, f->io, raw, len);

	sh_complain(f->s, f->io->err, "%.*s: %s", (int)n, name, v[0] ? v : "parameter not set");
	free(v);
	f->s->flow = SH_EXIT;
	f->s->status = 2;
}

/* op is one of - = + ?; colon: an empty value counts as unset. */
static void emit_conditional(struct field *f, const char *name, size_t n, const char *value,
	bool colon, char op, const char *raw, size_t len, bool quoted)
{
	char number[24];
	bool set = value && (!colon || value[0]);

	if (op == '+') {
		if (set)
			expand_text(f, raw, len, quoted);
	} else if (set) {
		emit_value(f, value, quoted);
	} else if (op == '-') {
		expand_text(f, raw, len, quoted);
	} else if (op == '=') {
		assign_default(f, name, n, raw, len);
		emit_value(f, parameter_value(f, name, n, number), quoted);
	} else {
		parameter_error(f, name, n, raw, len);
	}
}

static size_t braced_name(const char *p, size_t len)
{
	size_t n = sh_name_length(p, len);

	if (n)
		return n;
	while (n < len && isdigit((unsigned char)p[n]))
		n++;
	return n ? n : (len && strchr("?#$!-@*", p[0])) ? 1 : 0;
}

/* p: the inside of ${...} */
static void expand_braces(struct field *f, const char *p, size_t len, bool quoted)
{
	char number[24], length[24];
	const char *value;
	size_t n;
	bool colon;

	if (len > 1 && p[0] == '#' && braced_name(p + 1, len - 1) == len - 1) {
		value = parameter_value(f, p + 1, len - 1, number);
		(void)snprintf(length, sizeof(length), "%zu", value ? strlen(value) : 0);
		emit_value(f, length, quoted);
		return;
	}
	n = braced_name(p, len);
	if (!n) {
		sh_complain(f->s, f->io->err, "Bad substitution");
		f->s->flow = SH_EXIT;
		f->s->status = 2;
		return;
	}
	if (n == 1 && (p[0] == '@' || p[0] == '*') && len == 1) {
		emit_args(f, p[0], quoted);
		return;
	}
	value = parameter_value(f, p, n, number);
	p += n;
	len -= n;
	if (!len) {
		emit_value(f, value, quoted);
		return;
	}
	colon = p[0] == ':' && len > 1;
	if (strchr("-=+?", p[colon])) {
		emit_conditional(f, p - n, n, value, colon, p[colon], p + colon + 1,
			len - colon - 1, quoted);
	} else if (p[0] == '#' || p[0] == '%') {
		size_t twice = len > 1 && p[1] == p[0];

		emit_trimmed(f, value ? value : "",
			twice         ? p
			: p[0] == '#' ? "# "
				      : "% ",
			p + 1 + twice, len - 1 - twice, quoted);
	} else {
		sh_complain(f->s, f->io->err, "Bad substitution");
		f->s->flow = SH_EXIT;
		f->s->status = 2;
	}
}

static void expand_command(struct field *f, const char *text, size_t len, bool quoted)
{
	struct buf out;
	struct sh_io io = {&f->s->nothing, &out, f->io->err};

	buf_init(&out, SH_PIPE_MAX);
	if (f->io->in)
		io.in = f->io->in;
	f->s->status = sh_exec_subshell(f->s, text, len, &io);
	f->s->substituted = true;
	while (out.len && out.data[out.len - 1] == '\n')
		out.data[--out.len] = '\0';
	if (out.overflow)
		sh_limit(f->s);
	if (out.data)
		emit_value(f, out.data, quoted);
	buf_free(&out);
}

static void expand_backquote(struct field *f, const char *text, size_t len, bool quoted)
{
	char *plain = mem_alloc(len + 1);
	size_t i, n = 0;

	for (i = 0; i < len; i++) {
		if (text[i] == '\\' && i + 1 < len &&
			strchr(quoted ? "\\`$\"" : "\\`$", text[i + 1]))
			i++;
		plain[n++] = text[i];
	}
	plain[n] = '\0';
	expand_command(f, plain, n, quoted);
	free(plain);
}

static void expand_arith(struct field *f, const char *raw, size_t len, bool quoted)
{
	char *text = sh_expand_string(f->s, f->io, raw, len), number[24];
	bool ok = true;
	int64_t v = sh_arith(f->s, text, &ok);

	if (!ok) {
		sh_complain(f->s, f->io->err, "arithmetic expression: \"%.60s\"", text);
		f->s->flow = SH_EXIT;
		f->s->status = 2;
	}
	(void)snprintf(number, sizeof(number), "%lld", (long long)v);
	emit_value(f, number, quoted);
	free(text);
}

/* Expands the construct at a '$' or '`'; returns the index behind it. */
static size_t expand_dollar(struct field *f, const char *raw, size_t len, size_t i, bool quoted)
{
	size_t end = sh_skip_dollar(raw, len, i), n;
	const char *p = raw + i + 1;
	char number[24];

	if (end > len)
		end = len;
	if (raw[i] == '`') {
		expand_backquote(f, p, end - i - 2, quoted);
		return end;
	}
	if (i + 1 >= len) {
		emit_bytes(f, "$", 1, 'q');
		return end;
	}
	if (*p == '(' && end - i >= 5 && p[1] == '(' && raw[end - 2] == ')') {
		expand_arith(f, p + 2, end - i - 5, quoted);
		return end;
	}
	if (*p == '(') {
		expand_command(f, p + 1, end - i - 3, quoted);
		return end;
	}
	if (*p == '{') {
		expand_braces(f, p + 1, end - i - 3, quoted);
		return end;
	}
	n = sh_name_length(p, len - i - 1);
	if (!n && strchr("?#$!-0123456789", *p))
		n = 1;
	if (n)
		emit_value(f, parameter_value(f, p, n, number), quoted);
	else if (*p == '@' || *p == '*')
		emit_args(f, *p, quoted);
	else
		emit_bytes(f, "$", 1, quoted ? 'q' : 'u');
	return i + 1 + (n ? n : (*p == '@' || *p == '*'));
}

static size_t expand_dquotes(struct field *f, const char *raw, size_t len, size_t i)
{
	/* "$@" without arguments makes no field; any other pair of quotes makes one. */
	bool only_args = len - i >= 4 && !memcmp(raw + i, "\"$@\"", 4) && !f->s->args.n;

	if (!only_args)
		f->present = true;
	for (i++; i < len && raw[i] != '"';) {
		if (raw[i] == '\\' && i + 1 < len) {
			if (raw[i + 1] == '\n')
				;
			else if (strchr("$`\"\\", raw[i + 1]))
				emit_bytes(f, raw + i + 1, 1, 'q');
			else
				emit_bytes(f, raw + i, 2, 'q');
			i += 2;
		} else if (raw[i] == '$' || raw[i] == '`') {
			i = expand_dollar(f, raw, len, i, true);
		} else {
			size_t n = 1;

			while (i + n < len && !strchr("\\$`\"", raw[i + n]))
				n++;
			emit_bytes(f, raw + i, n, 'q');
			i += n;
		}
	}
	return i + 1;
}

/* quoted: the text is already inside double quotes (the word of "${x:-word}"). */
static void expand_text(struct field *f, const char *raw, size_t len, bool quoted)
{
	size_t i = 0, n;

	if (f->s->depth >= SH_DEPTH_MAX) {
		sh_limit(f->s);
		return;
	}
	f->s->depth++;
	while (i < len && !f->s->stop && f->s->flow != SH_EXIT) {
		char c = raw[i];

		if (c == '\\' && i + 1 < len) {
			if (raw[i + 1] != '\n')
				emit_bytes(f, raw + i + 1, 1, 'q');
			i += 2;
		} else if (c == '\'' && !quoted) {
			for (n = 0; i + 1 + n < len && raw[i + 1 + n] != '\'';)
				n++;
			f->present = true;
			emit_bytes(f, raw + i + 1, n, 'q');
			i += n + 2;
		} else if (c == '"') {
			i = expand_dquotes(f, raw, len, i);
		} else if (c == '$' || c == '`') {
			i = expand_dollar(f, raw, len, i, quoted);
		} else {
			for (n = 1; i + n < len && !strchr("\\'\"$`", raw[i + n]);)
				n++;
			emit_bytes(f, raw + i, n, quoted ? 'q' : 'u');
			i += n;
		}
	}
	f->s->depth--;
}

char *sh_expand_string(struct sh *s, const struct sh_io *io, const char *raw, size_t len)
{
	struct field f;
	char *result;

	field_init(&f, s, io, NULL);
	expand_text(&f, raw, len, false);
	result = buf_take(&f.text, NULL);
	field_free(&f);
	return result;
}

char *sh_expand_here(struct sh *s, const struct sh_io *io, const char *raw, size_t len)
{
	struct field f;
	char *result;
	size_t i = 0, n;

	field_init(&f, s, io, NULL);
	while (i < len && !s->stop) {
		if (raw[i] == '\\' && i + 1 < len && strchr("\\$`\n", raw[i + 1])) {
			if (raw[i + 1] != '\n')
				emit_bytes(&f, raw + i + 1, 1, 'q');
			i += 2;
		} else if (raw[i] == '$' || raw[i] == '`') {
			i = expand_dollar(&f, raw, len, i, true);
		} else {
			for (n = 1; i + n < len && !strchr("\\$`", raw[i + n]);)
				n++;
			emit_bytes(&f, raw + i, n, 'q');
			i += n;
		}
	}
	result = buf_take(&f.text, NULL);
	field_free(&f);
	return result;
}

/* A pattern for fnmatch: escapes quoted bytes that are special in patterns. */
char *sh_expand_pattern(struct sh *s, const struct sh_io *io, const char *raw, size_t len)
{
	struct field f;
	char *result;
	size_t i, n = 0;

	field_init(&f, s, io, NULL);
	expand_text(&f, raw, len, false);
	result = mem_alloc(2 * f.text.len + 1);
	for (i = 0; i < f.text.len; i++) {
		if (f.mask.data[i] == 'q' && strchr("*?[]\\-!^", f.text.data[i]))
			result[n++] = '\\';
		result[n++] = f.text.data[i];
	}
	result[n] = '\0';
	field_free(&f);
	return result;
}

void sh_expand_fields(
	struct sh *s, const struct sh_io *io, const char *raw, size_t len, sh_strings *out)
{
	struct field f;

	/* Most words of a script are plain: no quote, parameter or pattern. */
	if (!memchr(raw, '$', len) && !strpbrk(raw, "'\"\\`*?[")) {
		vec_push(out, mem_strndup(raw, len));
		return;
	}
	field_init(&f, s, io, out);
	expand_text(&f, raw, len, false);
	field_end(&f);
	field_free(&f);
}
