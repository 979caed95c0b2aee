/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "emulator/shell/shell_internal.h"

static int do_true(struct sh *s, int argc, char **argv, const struct sh_io *io)
{
	(void)s, (void)argc, (void)argv, (void)io;
	return 0;
}

static int do_false(struct sh *s, int argc, char **argv, const struct sh_io *io)
{
	(void)s, (void)argc, (void)argv, (void)io;
	return 1;
}

/* Normalises a path in place: "/a/./b/../c" to "/a/c". */
static void path_tidy(char *path)
{
	char *from = path, *to = path;

	while (*from) {
		size_t n;

		while (*from == '/')
			from++;
		n = strcspn(from, "/");
		if (!n || (n == 1 && from[0] == '.')) {
			from += n;
		} else if (n == 2 && from[0] == '.' && from[1] == '.') {
			while (to > path && *--to != '/')
				;
			from += n;
		} else {
			*to++ = '/';
			memmove(to, from, n);
			to += n;
			from += n;
		}
	}
	if (to == path)
		*to++ = '/';
	*to = '\0';
}

static int do_cd(struct sh *s, int argc, char **argv, const struct sh_io *io)
{
	const char *to = argc > 1 ? argv[1] : "/root";
	char *path;

	if (argc > 2 && (!strcmp(to, "--") || !strcmp(to, "-P") || !strcmp(to, "-L")))
		to = argv[2];
	path = sh_path(s, to);
	path_tidy(path);
	if (s->m->fs->stat(s->m->ctx, path) != SHELL_DIR) {
		sh_complain(s, io->err, "cd: can't cd to %s", to);
		free(path);
		return 2;
	}
	free(s->cwd);
	s->cwd = path;
	sh_set(s, "PWD", 3, path);
	return 0;
}

static int do_pwd(struct sh *s, int argc, char **argv, const struct sh_io *io)
{
	(void)argc, (void)argv;
	(void)buf_addf(io->out, "%s\n", s->cwd);
	return 0;
}

/* export, readonly, local: children see all variables anyway. */
static int do_export(struct sh *s, int argc, char **argv, const struct sh_io *io)
{
	int i, status = 0;

	for (i = 1; i < argc; i++) {
		size_t n = sh_name_length(argv[i], strlen(argv[i]));

		if (argv[i][0] == '-')
			continue;
		if (n && argv[i][n] == '=') {
			sh_set(s, argv[i], n, argv[i] + n + 1);
		} else if (!n || argv[i][n]) {
			sh_complain(s, io->err, "%s: %s: bad variable name", argv[0], argv[i]);
			status = 2;
		}
	}
	return status;
}

static int do_unset(struct sh *s, int argc, char **argv, const struct sh_io *io)
{
	int i;

	(void)io;
	for (i = 1; i < argc; i++)
		if (argv[i][0] != '-')
			sh_unset(s, argv[i]);
	return 0;
}

static int do_set(struct sh *s, int argc, char **argv, const struct sh_io *io)
{
	int i = 1;

	(void)io;
	/* Options are accepted and have no effect here. */
	while (i < argc && (argv[i][0] == '-' || argv[i][0] == '+') && strcmp(argv[i], "--") != 0)
		i += argv[i][1] == 'o' ? 2 : 1;
	if (i >= argc)
		return 0;
	if (!strcmp(argv[i], "--"))
		i++;
	sh_strings_free(&s->args);
	for (; i < argc; i++)
		vec_push(&s->args, mem_strdup(argv[i]));
	return 0;
}

static int do_shift(struct sh *s, int argc, char **argv, const struct sh_io *io)
{
	uint64_t n = 1;
	size_t i;

	if (argc > 1 && !str_to_u64(argv[1], &n))
		n = 0;
	if (n > s->args.n) {
		sh_complain(s, io->err, "shift: can't shift that many");
		return 2;
	}
	for (i = 0; i < n; i++)
		free(s->args.at[i]);
	if (s->args.n)
		memmove(s->args.at, s->args.at + n, (s->args.n - n) * sizeof(*s->args.at));
	s->args.n -= n;
	return 0;
}

static int set_flow(struct sh *s, int argc, char **argv, enum sh_flow flow)
{
	uint64_t v = (uint64_t)s->status;

	if (argc > 1 && !str_to_u64(argv[1], &v))
		v = 2;
	s->status = (int)(v & 255);
	s->flow = flow;
	return s->status;
}

static int do_exit(struct sh *s, int argc, char **argv, const struct sh_io *io)
{
	(void)io;
	return set_flow(s, argc, argv, SH_EXIT);
}

static int do_return(struct sh *s, int argc, char **argv, const struct sh_io *io)
{
	(void)io;
	return set_flow(s, argc, argv, SH_RETURN);
}

static int do_break(struct sh *s, int argc, char **argv, const struct sh_io *io)
{
	uint64_t n = 1;

	(void)io;
	if (argc > 1 && !str_to_u64(argv[1], &n))
		n = 1;
	if (!s->loops)
		return 0;
	s->flow_levels = n > s->loops ? s->loops : (unsigned)n;
	s->flow = argv[0][0] == 'b' ? SH_BREAK : SH_CONTINUE;
	return 0;
}

static int do_eval(struct sh *s, int argc, char **argv, const struct sh_io *io)
{
	struct buf text;
	int i, status;

	buf_init(&text, SH_ARENA_MAX);
	for (i = 1; i < argc; i++)
		(void)buf_addf(&text, "%s%s", i > 1 ? " " : "", argv[i]);
	status = sh_exec_text(s, text.data ? text.data : "", text.len, io);
	buf_free(&text);
	return status;
}

/*
 * exec COMMAND ends the shell. Redirections alone do not last, except that of descriptor 3
 * (exec_argv() in shell_run.c).
 */
static int do_exec(struct sh *s, int argc, char **argv, const struct sh_io *io)
{
	int status;

	if (argc < 2)
		return 0;
	status = sh_invoke(s, argc - 1, argv + 1, io);
	s->status = status;
	s->flow = SH_EXIT;
	return status;
}

static int do_command(struct sh *s, int argc, char **argv, const struct sh_io *io)
{
	int i = 1;
	bool describe = !strcmp(argv[0], "type");

	while (i < argc && argv[i][0] == '-') {
		describe = describe || argv[i][1] == 'v' || argv[i][1] == 'V';
		i++;
	}
	if (i >= argc)
		return 0;
	if (!describe)
		return sh_invoke(s, argc - i, argv + i, io);
	if (!sh_known(s, argv[i])) {
		if (!strcmp(argv[0], "type"))
			(void)buf_addf(io->out, "%s: not found\n", argv[i]);
		return 127;
	}
	if (!strcmp(argv[0], "type"))
		(void)buf_addf(io->out, "%s is a command\n", argv[i]);
	else if (sh_builtin_find(argv[i]))
		(void)buf_addf(io->out, "%s\n", argv[i]);
	else
		(void)buf_addf(io->out, "/usr/bin/%s\n", argv[i]);
	return 0;
}

/* The escapes of echo (dash), printf and %b; false after \c. */
static bool add_escape(struct buf *out, const char **p, bool octal_zero)
{
	static const char from[] = "abfnrtv\\", to[] = "\a\b\f\n\r\t\v\\";
	const char *hit;
	unsigned v = 0, digits = 0;

	if (**p == 'c')
		return false;
	hit = **p ? strchr(from, **p) : NULL;
	if (hit) {
		(void)buf_add(out, &to[hit - from], 1);
		++*p;
		return true;
	}
	if (**p >= '0' && **p <= '7') {
		char c;

		if (octal_zero && **p == '0')
			++*p;
		for (; digits < 3 && **p >= '0' && **p <= '7'; digits++)
			v = v * 8 + (unsigned)(*(*p)++ - '0');
		c = (char)(v & 255);
		(void)buf_add(out, &c, 1);
		return true;
	}
	(void)buf_add(out, "\\", 1);
	return true;
}

static bool add_escaped(struct buf *out, const char *p, bool octal_zero)
{
	while (*p) {
		size_t n = strcspn(p, "\\");

		(void)buf_add(out, p, n);
		p += n;
		if (!*p)
			break;
		p++;
		if (!add_escape(out, &p, octal_zero))
			return false;
	}
	return true;
}

static int do_echo(struct sh *s, int argc, char **argv, const struct sh_io *io)
{
	bool line = true, escapes = s->style == SHELL_STYLE_SH;
	int i = 1;

	if (i < argc && !strcmp(argv[i], "-n")) {
		line = false;
		i++;
	} else if (!escapes && i < argc && (!strcmp(argv[i], "-e") || !strcmp(argv[i], "-ne"))) {
		escapes = true;
		line = argv[i][1] == 'e';
		i++;
	}
	for (; i < argc; i++) {
		if (!escapes)
			(void)buf_adds(io->out, argv[i]);
		else if (!add_escaped(io->out, argv[i], true))
			return 0;
		if (i + 1 < argc)
			(void)buf_add(io->out, " ", 1);
	}
	if (line)
		(void)buf_add(io->out, "\n", 1);
	return 0;
}

/* Prints one conversion; spec is "%...c" without length modifiers. */
static bool print_conversion(
	struct sh *s, const struct sh_io *io, char *spec, size_t n, const char *arg)
{
	char c = spec[n - 1];

	if (c == 's') {
		(void)buf_addf(io->out, spec, arg ? arg : "");
	} else if (c == 'b') {
		return add_escaped(io->out, arg ? arg : "", true);
	} else if (c == 'c') {
		(void)buf_add(io->out, arg ? arg : "", arg && arg[0]);
	} else if (strchr("diouxX", c)) {
		char *end = NULL;
		long long v = arg && (arg[0] == '\'' || arg[0] == '"') ? (unsigned char)arg[1]
			      : arg                                    ? strtoll(arg, &end, 0)
								       : 0;

		if (arg && end && (*end || end == arg))
			sh_complain(s, io->err, "printf: %s: expected numeric value", arg);
		spec[n - 1] = 'l';
		spec[n] = 'l';
		spec[n + 1] = c;
		spec[n + 2] = '\0';
		(void)buf_addf(io->out, spec, v);
	} else if (strchr("feEgG", c)) {
		(void)buf_addf(io->out, spec, arg ? strtod(arg, NULL) : 0.0);
	} else {
		(void)buf_adds(io->out, spec);
	}
	return true;
}

/* Prints the format once; *used counts the arguments consumed. false: stop (\c). */
static bool print_once(
	struct sh *s, const struct sh_io *io, const char *f, int n, char **args, int *used)
{
	char spec[40];

	while (*f) {
		if (*f == '\\') {
			f++;
			if (!add_escape(io->out, &f, false))
				return false;
		} else if (f[0] == '%' && f[1] == '%') {
			(void)buf_add(io->out, "%", 1);
			f += 2;
		} else if (*f == '%') {
			size_t k = strspn(f + 1, "-+ #0123456789.") + 2;

			if (k > 24 || !f[k - 1] ||
				strtoul(f + 1 + strspn(f + 1, "-+ #0."), NULL, 10) > 4096)
				return false;
			(void)str_copyn(spec, sizeof(spec), f, k);
			if (!print_conversion(s, io, spec, k, *used < n ? args[*used] : NULL))
				return false;
			++*used;
			f += k;
		} else {
			size_t k = strcspn(f, "\\%");

			(void)buf_add(io->out, f, k);
			f += k;
		}
	}
	return true;
}

int sh_printf(struct sh *s, int argc, char **argv, const struct sh_io *io)
{
	int at = 2, used;

	if (argc < 2) {
		sh_complain(s, io->err, "printf: usage: printf format [arg ...]");
		return 2;
	}
	do {
		used = 0;
		if (!print_once(s, io, argv[1], argc - at, argv + at, &used))
			break;
		at += used;
	} while (used && at < argc && !io->out->overflow);
	return 0;
}

/* Splits the line over the names; the last one gets the rest. */
static void read_split(struct sh *s, char *line, int n, char **names)
{
	const char *ifs = sh_get(s, "IFS", 3);
	int i;

	if (!ifs)
		ifs = " \t\n";
	line += strspn(line, strpbrk(ifs, " \t\n") ? " \t\n" : "");
	for (i = 0; i < n; i++) {
		size_t len = strcspn(line, ifs);
		char *rest;

		if (i == n - 1) {
			len = strlen(line);
			while (len && strchr(ifs, line[len - 1]) && strchr(" \t\n", line[len - 1]))
				len--;
		}
		rest = line + len;
		if (*rest) {
			char sep = *rest;

			*rest++ = '\0';
			while (*rest && strchr(ifs, *rest) && strchr(" \t\n", *rest) &&
				strchr(" \t\n", sep))
				rest++;
		}
		sh_set(s, names[i], strlen(names[i]), line);
		line = rest;
	}
}

static int do_read(struct sh *s, int argc, char **argv, const struct sh_io *io)
{
	static char reply[] = "REPLY";
	char *names[] = {reply}, *text;
	const char *from, *nl;
	size_t len, i, n = 0;
	bool raw = false;
	int first = 1;

	while (first < argc && argv[first][0] == '-') {
		raw = raw || strchr(argv[first], 'r');
		first++;
	}
	for (i = (size_t)first; i < (size_t)argc; i++)
		if (!sh_is_name(argv[i], strlen(argv[i])))
			return 2;
	from = io->in->data ? io->in->data + io->in->pos : "";
	len = io->in->len - io->in->pos;
	nl = memchr(from, '\n', len);
	if (nl)
		len = (size_t)(nl - from);
	io->in->pos += len + (nl != NULL);
	text = mem_alloc(len + 1);
	for (i = 0; i < len; i++) {
		if (!raw && from[i] == '\\' && i + 1 < len)
			i++;
		text[n++] = from[i];
	}
	text[n] = '\0';
	read_split(s, text, first < argc ? argc - first : 1, first < argc ? argv + first : names);
	free(text);
	return nl ? 0 : 1;
}

sh_tool_fn sh_builtin_find(const char *name)
{
	static const struct {
		const char *name;
		sh_tool_fn run;
	} all[] = {
		{"echo", do_echo},
		{"[", sh_test},
		{"test", sh_test},
		{":", do_true},
		{"true", do_true},
		{"false", do_false},
		{"cd", do_cd},
		{"pwd", do_pwd},
		{"export", do_export},
		{"readonly", do_export},
		{"local", do_export},
		{"unset", do_unset},
		{"set", do_set},
		{"shift", do_shift},
		{"exit", do_exit},
		{"return", do_return},
		{"break", do_break},
		{"continue", do_break},
		{"eval", do_eval},
		{"exec", do_exec},
		{"command", do_command},
		{"type", do_command},
		{"printf", sh_printf},
		{"read", do_read},
		{"wait", do_true},
		{"kill", do_true}, /* a "background" job has already ended */
		{"trap", do_true},
		{"umask", do_true},
		{"ulimit", do_true},
	};
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i].name[0] == name[0] && !strcmp(all[i].name, name))
			return all[i].run;
	return NULL;
}
