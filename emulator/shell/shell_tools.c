/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/str.h"
#include "emulator/shell/shell_internal.h"

bool sh_slurp(struct sh *s, const char *tool, int n, char **files, const struct sh_io *io,
	struct buf *text)
{
	bool ok = true;
	int i;

	for (i = 0; i < (n ? n : 1); i++) {
		if (!n || !strcmp(files[i], "-")) {
			size_t len;
			const char *in = sh_take_input(io, &len);

			(void)buf_add(text, in, len);
		} else {
			char *path = sh_path(s, files[i]);
			int code = 0;

			if (strcmp(path, "/dev/null") != 0)
				code = s->m->fs->read(s->m->ctx, path, text);
			free(path);
			if (code) {
				(void)buf_addf(
					io->err, "%s: %s: %s\n", tool, files[i], sh_strerror(code));
				ok = false;
			}
		}
	}
	(void)buf_adds(text, ""); /* callers need a valid pointer even if the text is empty */
	if (text->overflow)
		sh_limit(s);
	return ok;
}

static int do_cat(struct sh *s, int argc, char **argv, const struct sh_io *io)
{
	int i = 1;

	while (i < argc && argv[i][0] == '-' && argv[i][1])
		i++;
	return !sh_slurp(s, "cat", argc - i, argv + i, io, io->out);
}

/* Options of head and tail: -n N, -nN, -N, -c N; plus: tail's +N. */
struct cut {
	uint64_t n;
	bool bytes, plus;
	struct buf text;
};

static int cut_options(struct cut *c, int argc, char **argv)
{
	int i = 1;

	c->n = 10;
	for (; i < argc && argv[i][0] == '-' && argv[i][1]; ++i) {
		const char *p = argv[i] + 1;

		c->bytes = c->bytes || *p == 'c';
		/* -q, and tail's -f and -F, which only print the present content here. */
		if (*p == 'q' || *p == 'f' || *p == 'F')
			continue;
		if (*p == 'n' || *p == 'c')
			p++;
		if (!*p && i + 1 < argc)
			p = argv[++i];
		c->plus = *p == '+';
		if (!str_to_u64(p + c->plus, &c->n))
			c->n = 10;
	}
	return i;
}

/* Reads options and text; the caller frees the text. */
static bool cut_open(struct cut *c, struct sh *s, int argc, char **argv, const struct sh_io *io)
{
	int i;

	*c = (struct cut){0};
	i = cut_options(c, argc, argv);
	buf_init(&c->text, SH_PIPE_MAX);
	return sh_slurp(s, argv[0], argc - i, argv + i, io, &c->text);
}

static int do_head(struct sh *s, int argc, char **argv, const struct sh_io *io)
{
	const char *at, *line;
	struct cut c;
	size_t len;
	bool ok = cut_open(&c, s, argc, argv, io);

	at = c.text.data;
	if (c.bytes)
		at += c.n < c.text.len ? c.n : c.text.len;
	else
		while (c.n-- && sh_line(&at, c.text.data + c.text.len, &line, &len))
			;
	(void)buf_add(io->out, c.text.data, (size_t)(at - c.text.data));
	buf_free(&c.text);
	return !ok;
}

/* Start of the last n lines; a newline at the very end begins no line. */
static const char *last_lines(const struct buf *text, uint64_t n)
{
	const char *at = text->data + text->len;

	if (!n || !text->len)
		return at;
	at -= at[-1] == '\n';
	while (at > text->data && (at[-1] != '\n' || --n))
		at--;
	return at;
}

static int do_tail(struct sh *s, int argc, char **argv, const struct sh_io *io)
{
	const char *at, *line, *end;
	struct cut c;
	size_t len;
	bool ok = cut_open(&c, s, argc, argv, io);

	at = c.text.data;
	end = at + c.text.len;
	if (c.bytes) {
		at += c.n < c.text.len ? c.text.len - c.n : 0;
	} else if (c.plus) {
		for (; c.n > 1 && sh_line(&at, end, &line, &len); c.n--)
			;
	} else {
		at = last_lines(&c.text, c.n);
	}
	(void)buf_add(io->out, at, (size_t)(end - at));
	buf_free(&c.text);
	return !ok;
}

static int do_wc(struct sh *s, int argc, char **argv, const struct sh_io *io)
{
	size_t lines = 0, words = 0, k;
	bool in_word = false, ok;
	const char *flags = "lwc";
	struct buf text;
	int i = 1;

	for (; i < argc && argv[i][0] == '-' && argv[i][1]; i++)
		flags = argv[i] + 1;
	buf_init(&text, SH_PIPE_MAX);
	ok = sh_slurp(s, "wc", argc - i, argv + i, io, &text);
	for (k = 0; k < text.len; k++) {
		bool space = strchr(" \t\n\r\v\f", text.data[k]) && text.data[k];

		lines += text.data[k] == '\n';
		words += !space && !in_word;
		in_word = !space;
	}
	if (flags[1]) {
		(void)buf_addf(io->out, "%7zu %7zu %7zu", lines, words, text.len);
	} else {
		(void)buf_addf(io->out, "%zu",
			flags[0] == 'l'   ? lines
			: flags[0] == 'w' ? words
					  : text.len);
	}
	(void)buf_addf(io->out, "%s%s\n", i < argc ? " " : "", i < argc ? argv[i] : "");
	buf_free(&text);
	return !ok;
}

static void date_format(struct buf *out, const char *f, const struct tm *tm, int64_t us)
{
	char piece[128], spec[8];

	for (; *f; f++) {
		if (f[0] != '%' || !f[1]) {
			(void)buf_add(out, f, 1);
		} else if (f[1] == 'N') {
			(void)buf_addf(out, "%09lld", (long long)(us % 1000000) * 1000);
			f++;
		} else if (f[1] >= '1' && f[1] <= '9' && f[2] == 'N') {
			(void)snprintf(
				piece, sizeof(piece), "%09lld", (long long)(us % 1000000) * 1000);
			(void)buf_add(out, piece, (size_t)(f[1] - '0'));
			f += 2;
		} else if (f[1] == 's') {
			(void)buf_addf(out, "%lld", (long long)(us / 1000000));
			f++;
		} else {
			(void)snprintf(spec, sizeof(spec), "%%%c", *++f);
			piece[0] = '\0';
			(void)strftime(piece, sizeof(piece), spec, tm);
			(void)buf_adds(out, piece);
		}
	}
}

int sh_date(struct sh *s, int argc, char **argv, const struct sh_io *io)
{
	const char *format = "+%a %b %e %H:%M:%S UTC %Y";
	time_t t = (time_t)(s->m->now_us / 1000000);
	struct tm tm = {0};
	int i;

	for (i = 1; i < argc; i++) {
		if (argv[i][0] == '+')
			format = argv[i];
		else if (str_starts(argv[i], "-I"))
			format = "+%Y-%m-%d";
	}
	(void)gmtime_r(&t, &tm);
	date_format(io->out, format + 1, &tm, s->m->now_us);
	(void)buf_add(io->out, "\n", 1);
	return 0;
}

static int do_uname(struct sh *s, int argc, char **argv, const struct sh_io *io)
{
	const char *flags = argc > 1 && argv[1][0] == '-' ? argv[1] + 1 : "s", *value;
	const char *order = strchr(flags, 'a') ? "snrvmo" : "snrvmpio";
	bool first = true;

	for (; *order; order++) {
		if (!strchr(flags, 'a') && !strchr(flags, *order))
			continue;
		value = *order == 's'   ? "Linux"
			: *order == 'n' ? s->m->hostname
			: *order == 'r' ? s->m->kernel
			: *order == 'v' ? s->m->kernel_version
			: *order == 'o' ? "GNU/Linux"
					: s->m->machine;
		(void)buf_addf(io->out, "%s%s", first ? "" : " ", value ? value : "unknown");
		first = false;
	}
	(void)buf_add(io->out, "\n", 1);
	return 0;
}

static int do_hostname(struct sh *s, int argc, char **argv, const struct sh_io *io)
{
	(void)argc, (void)argv;
	(void)buf_addf(io->out, "%s\n", s->m->hostname);
	return 0;
}

static void collect_name(void *arg, const char *name)
{
	sh_strings *v = arg;

	if (name[0] != '.')
		vec_push(v, mem_strdup(name));
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* A line of `ls -l`; railtop looks at the name and where it leads. */
static void list_long(struct sh *s, const char *dir, const char *name, const struct sh_io *io)
{
	struct buf path, to;
	bool is_link;

	buf_init(&path, 4096);
	buf_init(&to, 4096);
	(void)buf_addf(&path, "%s%s%s", dir, *dir ? "/" : "", name);
	is_link = s->m->fs->link && s->m->fs->link(s->m->ctx, path.data, false, &to);
	(void)buf_addf(io->out, "%s 1 root root 64 Nov 27 02:50 %s%s%s\n",
		is_link ? "lrwx------" : "-rw-r--r--", name, is_link ? " -> " : "",
		is_link && to.data ? to.data : "");
	buf_free(&path);
	buf_free(&to);
}

static bool list_one(
	struct sh *s, const char *name, bool self, bool title, bool is_long, const struct sh_io *io)
{
	char *path = sh_path(s, name);
	enum shell_kind kind = s->m->fs->stat(s->m->ctx, path);
	sh_strings names = {0};
	size_t i;

	if (kind == SHELL_NONE) {
		(void)buf_addf(
			io->err, "ls: cannot access '%s': No such file or directory\n", name);
	} else if ((kind == SHELL_FILE || self) && is_long) {
		list_long(s, "", name, io);
	} else if (kind == SHELL_FILE || self) {
		(void)buf_addf(io->out, "%s\n", name);
	} else {
		if (title)
			(void)buf_addf(io->out, "%s:\n", name);
		(void)s->m->fs->list(s->m->ctx, path, collect_name, &names);
		if (names.n)
			qsort(names.at, names.n, sizeof(*names.at), by_name);
		for (i = 0; i < names.n; i++) {
			if (is_long)
				list_long(s, path, names.at[i], io);
			else
				(void)buf_addf(io->out, "%s\n", names.at[i]);
		}
	}
	sh_strings_free(&names);
	free(path);
	return kind != SHELL_NONE;
}

static int do_ls(struct sh *s, int argc, char **argv, const struct sh_io *io)
{
	bool self = false, is_long = false, ok = true;
	int i = 1, first;

	for (; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
		self = self || strchr(argv[i], 'd');
		is_long = is_long || strchr(argv[i], 'l');
	}
	first = i;
	if (i >= argc)
		ok = list_one(s, ".", self, false, is_long, io);
	for (; i < argc; i++) {
		if (i > first && !self && argc - first > 1)
			(void)buf_add(io->out, "\n", 1);
		ok = list_one(s, argv[i], self, argc - first > 1, is_long, io) && ok;
	}
	return ok ? 0 : 2;
}

static int do_readlink(struct sh *s, int argc, char **argv, const struct sh_io *io)
{
	bool final = argv[0][0] == 'r' && argv[0][4] == 'p', ok = true;
	int i = 1;

	for (; i < argc && argv[i][0] == '-' && argv[i][1]; i++)
		final = final || strchr(argv[i], 'f') || strchr(argv[i], 'e');
	for (; i < argc; i++) {
		char *path = sh_path(s, argv[i]);

		if (s->m->fs->link && s->m->fs->link(s->m->ctx, path, final, io->out))
			(void)buf_add(io->out, "\n", 1);
		else
			ok = false;
		free(path);
	}
	return !ok;
}

static int do_basename(struct sh *s, int argc, char **argv, const struct sh_io *io)
{
	const char *p = argc > 1 ? argv[1] : "", *slash;
	size_t n = strlen(p), cut;

	(void)s;
	while (n > 1 && p[n - 1] == '/')
		n--;
	slash = memrchr(p, '/', n);
	if (argv[0][0] == 'd') {
		while (slash && slash > p && slash[-1] == '/')
			slash--;
		(void)buf_add(io->out, slash ? p : ".",
			slash ? (slash == p ? 1 : (size_t)(slash - p)) : 1);
	} else {
		if (slash && n > 1) {
			n -= (size_t)(slash + 1 - p);
			p = slash + 1;
		}
		cut = argc > 2 ? strlen(argv[2]) : 0;
		if (cut && cut < n && !memcmp(p + n - cut, argv[2], cut))
			n -= cut;
		(void)buf_add(io->out, p, n);
	}
	(void)buf_add(io->out, "\n", 1);
	return 0;
}

static int do_seq(struct sh *s, int argc, char **argv, const struct sh_io *io)
{
	long long from = 1, step = 1, to;

	(void)s;
	if (argc < 2)
		return 1;
	to = strtoll(argv[argc - 1], NULL, 10);
	if (argc > 2)
		from = strtoll(argv[1], NULL, 10);
	if (argc > 3)
		step = strtoll(argv[2], NULL, 10);
	for (; step && (step > 0 ? from <= to : from >= to) && !io->out->overflow; from += step)
		(void)buf_addf(io->out, "%lld\n", from);
	return 0;
}

/* sudo, timeout, nice, env ...: runs the command that follows their options. */
static int do_wrapper(struct sh *s, int argc, char **argv, const struct sh_io *io)
{
	bool timeout = !strcmp(argv[0], "timeout"), env = !strcmp(argv[0], "env");
	bool sudo = !strcmp(argv[0], "sudo");
	int i = 1, status;

	while (i < argc && argv[i][0] == '-') {
		bool takes = strchr("unksgo", argv[i][1]) && argv[i][1] && !argv[i][2] && !env &&
			     !(argv[0][0] == 's' && argv[i][1] == 'n');

		i += takes ? 2 : 1;
	}
	if (timeout)
		i++;
	while (env && i < argc && strchr(argv[i], '=')) {
		sh_set(s, argv[i], (size_t)(strchr(argv[i], '=') - argv[i]),
			strchr(argv[i], '=') + 1);
		i++;
	}
	s->root += sudo;
	status = i < argc ? sh_invoke(s, argc - i, argv + i, io) : 0;
	s->root -= sudo;
	return status;
}

static int do_tee(struct sh *s, int argc, char **argv, const struct sh_io *io)
{
	(void)s, (void)argc, (void)argv;
	return !sh_slurp(s, "tee", 0, NULL, io, io->out);
}

static int do_sleep(struct sh *s, int argc, char **argv, const struct sh_io *io)
{
	(void)s, (void)argc, (void)argv, (void)io;
	return 0;
}

static int do_id(struct sh *s, int argc, char **argv, const struct sh_io *io)
{
	if (!strcmp(argv[0], "nproc"))
		(void)buf_adds(io->out, "192\n");
	else if (s->root && (!strcmp(argv[0], "whoami") || argc > 1))
		(void)buf_adds(io->out, argc > 1 && !strchr(argv[1], 'n') ? "0\n" : "root\n");
	else if (s->root)
		(void)buf_adds(io->out, "uid=0(root) gid=0(root) groups=0(root)\n");
	else if (!strcmp(argv[0], "whoami") || (argc > 1 && strchr(argv[1], 'n')))
		(void)buf_adds(io->out, "noc\n");
	else if (argc > 1 && strchr(argv[1], 'u'))
		(void)buf_adds(io->out, "1000\n");
	else
		(void)buf_adds(io->out, "uid=1000(noc) gid=1000(noc) groups=1000(noc)\n");
	return 0;
}

/* sh, bash: -c 'script' [name args], -s [args], or neither: then the script is standard input. */
static int do_shell(struct sh *s, int argc, char **argv, const struct sh_io *io)
{
	enum shell_style style = s->style;
	unsigned line = s->line;
	struct sh_io inner = *io;
	const char *slash = strrchr(argv[0], '/'), *text;
	sh_strings args = s->args;
	bool command = false, input = false;
	size_t len;
	int i = 1, status;

	for (; i < argc && argv[i][0] == '-' && argv[i][1] && strcmp(argv[i], "--") != 0; i++) {
		command = command || strchr(argv[i], 'c');
		input = input || strchr(argv[i], 's');
	}
	if (i < argc && !strcmp(argv[i], "--"))
		i++;
	if (!command && !input && i < argc) {
		sh_complain(s, io->err, "0: cannot open %s: No such file", argv[i]);
		return 2;
	}
	if (command && i >= argc) {
		sh_complain(s, io->err, "0: -c requires an argument");
		return 2;
	}
	text = command ? argv[i++] : sh_take_input(io, &len);
	if (command) {
		len = strlen(text);
		i++; /* $0 */
	} else {
		inner.in = &s->nothing;
	}
	memset(&s->args, 0, sizeof(s->args));
	for (; i < argc; i++)
		vec_push(&s->args, mem_strdup(argv[i]));
	s->style = (slash ? slash[1] : argv[0][0]) == 'b' ? SHELL_STYLE_BASH : SHELL_STYLE_SH;
	status = sh_exec_subshell(s, text, len, &inner);
	sh_strings_free(&s->args);
	s->args = args;
	s->style = style;
	s->line = line;
	return status;
}

static int do_which(struct sh *s, int argc, char **argv, const struct sh_io *io)
{
	int i, status = 0;

	for (i = 1; i < argc; i++) {
		if (sh_known(s, argv[i]))
			(void)buf_addf(io->out, "/usr/bin/%s\n", argv[i]);
		else
			status = 1;
	}
	return status;
}

sh_tool_fn sh_tool_find(const char *name)
{
	static const struct {
		const char *name;
		sh_tool_fn run;
	} all[] = {
		{"cat", do_cat},
		{"grep", sh_grep},
		{"egrep", sh_grep},
		{"fgrep", sh_grep},
		{"sed", sh_sed},
		{"cut", sh_cut},
		{"tr", sh_tr},
		{"sort", sh_sort},
		{"uniq", sh_uniq},
		{"head", do_head},
		{"tail", do_tail},
		{"wc", do_wc},
		{"date", sh_date},
		{"uname", do_uname},
		{"hostname", do_hostname},
		{"ls", do_ls},
		{"readlink", do_readlink},
		{"realpath", do_readlink},
		{"basename", do_basename},
		{"dirname", do_basename},
		{"seq", do_seq},
		{"sudo", do_wrapper},
		{"timeout", do_wrapper},
		{"nice", do_wrapper},
		{"ionice", do_wrapper},
		{"env", do_wrapper},
		{"nohup", do_wrapper},
		{"stdbuf", do_wrapper},
		{"tee", do_tee},
		{"sleep", do_sleep},
		{"id", do_id},
		{"whoami", do_id},
		{"nproc", do_id},
		{"sh", do_shell},
		{"bash", do_shell},
		{"dash", do_shell},
		{"which", do_which},
	};
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i].name[0] == name[0] && !strcmp(all[i].name, name))
			return all[i].run;
	return NULL;
}
