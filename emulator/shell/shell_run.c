/* SPDX-License-Identifier: Apache-2.0 */
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "emulator/shell/shell_internal.h"

static bool may_run(struct sh *s)
{
	if (s->stop || s->flow != SH_RUNNING)
		return false;
	if (++s->steps > SH_STEPS_MAX)
		sh_limit(s);
	return !s->stop;
}

/* ---- a copy of all state that a subshell may change ---- */

struct saved {
	struct sh_var *vars;
	struct sh_function *functions;
	sh_strings args;
	char *cwd;
	unsigned loops;
	struct buf *three;
};

static void vars_copy(struct sh_var **to, const struct sh_var *from)
{
	for (; from; from = from->hh.next) {
		struct sh_var *v = mem_calloc(1, sizeof(*v));

		v->name = mem_strdup(from->name);
		v->value = mem_strdup(from->value);
		HASH_ADD_KEYPTR(hh, *to, v->name, (unsigned)strlen(v->name), v);
	}
}

void sh_vars_free(struct sh_var **vars)
{
	struct sh_var *v = *vars, *next;

	HASH_CLEAR(hh, *vars);
	for (; v; v = next) {
		next = v->hh.next;
		free(v->name);
		free(v->value);
		free(v);
	}
}

static void args_copy(sh_strings *to, const sh_strings *from)
{
	size_t i;

	memset(to, 0, sizeof(*to));
	for (i = 0; i < from->n; i++)
		vec_push(to, mem_strdup(from->at[i]));
}

static void subshell_enter(struct sh *s, struct saved *old)
{
	*old = (struct saved){s->vars, s->functions, s->args, s->cwd, s->loops, s->three};
	s->vars = NULL;
	vars_copy(&s->vars, old->vars);
	args_copy(&s->args, &old->args);
	s->cwd = mem_strdup(old->cwd);
	s->loops = 0;
}

static void subshell_leave(struct sh *s, struct saved *old)
{
	sh_vars_free(&s->vars);
	sh_strings_free(&s->args);
	free(s->cwd);
	s->vars = old->vars;
	s->functions = old->functions;
	s->args = old->args;
	s->cwd = old->cwd;
	s->loops = old->loops;
	s->three = old->three; /* the subshell's own descriptor 3 may be a pipe that no longer
				  exists */
	s->flow = SH_RUNNING;
}

/* ---- redirections ---- */

static bool open_input(struct sh *s, const struct sh_io *io, const char *name, struct sh_stream *in,
	struct buf *data)
{
	char *path = sh_path(s, name);
	int code = 0;

	if (strcmp(path, "/dev/null") != 0)
		code = s->m->fs->read(s->m->ctx, path, data);
	free(path);
	if (code) {
		sh_complain(s, io->err, "cannot open %s: %s", name,
			!strcmp(sh_strerror(code), "No such file or directory")
				? "No such file"
				: sh_strerror(code));
		return false;
	}
	*in = (struct sh_stream){data->data, data->len, 0};
	return true;
}

static bool redirect_fd(struct sh *s, const struct sh_redir *r, const char *to, struct sh_io *io)
{
	struct buf *target;

	if (r->kind == 'd') {
		target = to[0] == '1'               ? io->out
			 : to[0] == '2'             ? io->err
			 : to[0] == '3' && s->three ? s->three
						    : &s->sink;
	} else {
		char *path = sh_path(s, to);
		bool null = !strcmp(path, "/dev/null");

		target = !strcmp(path, "/dev/stderr")   ? io->err
			 : !strcmp(path, "/dev/stdout") ? io->out
							: &s->sink;
		if (!null && target == &s->sink) {
			enum shell_kind kind = s->m->fs->stat(s->m->ctx, path);

			sh_complain(s, io->err, "cannot create %s: %s", to,
				kind == SHELL_DIR ? "Is a directory" : "Permission denied");
			free(path);
			return false;
		}
		free(path);
	}
	if (r->fd == 1)
		io->out = target;
	else if (r->fd == 2)
		io->err = target;
	else if (r->fd == 3 &&
		 to[0] != '-') /* closing it for one command keeps it open in the shell */
		s->three = target;
	return true;
}

/* The descriptors of one command; data holds its redirected input. */
struct redirected {
	struct sh_io io;
	struct sh_stream in;
	struct buf data;
	struct buf *three; /* descriptor 3 after the command */
};

static bool open_redirections(
	struct sh *s, const struct sh_redir *r, const struct sh_io *io, struct redirected *d)
{
	bool ok = true;

	d->io = *io;
	d->three = s->three;
	buf_init(&d->data, SH_PIPE_MAX);
	for (; r && ok; r = r->next) {
		char *to;

		if (r->kind == 'h' || r->kind == 'q') {
			to = r->kind == 'h' ? sh_expand_here(s, io, r->word.raw, r->word.len)
					    : mem_strndup(r->word.raw, r->word.len);
			buf_reset(&d->data);
			(void)buf_adds(&d->data, to);
			d->in = (struct sh_stream){d->data.data, d->data.len, 0};
			d->io.in = &d->in;
			free(to);
			continue;
		}
		to = sh_expand_string(s, io, r->word.raw, r->word.len);
		if (r->kind == '<') {
			buf_reset(&d->data);
			ok = open_input(s, &d->io, to, &d->in, &d->data);
			d->io.in = &d->in;
		} else if (!(r->kind == 'd' && r->fd == 0)) {
			ok = redirect_fd(s, r, to, &d->io);
		}
		free(to);
	}
	if (!ok)
		s->status = 2;
	return ok;
}

static void redirect_end(struct sh *s, struct redirected *d)
{
	s->three = d->three;
	buf_free(&d->data);
	buf_reset(&s->sink);
}

/* ---- simple commands ---- */

static const struct sh_function *function_find(const struct sh *s, const char *name)
{
	const struct sh_function *f;

	for (f = s->functions; f; f = f->next)
		if (!strcmp(f->name, name))
			return f;
	return NULL;
}

bool sh_known(const struct sh *s, const char *name)
{
	size_t i;

	if (function_find(s, name) || sh_builtin_find(name) || sh_tool_find(name))
		return true;
	for (i = 0; s->m->commands && s->m->commands[i]; i++)
		if (!strcmp(s->m->commands[i], name))
			return true;
	return false;
}

static int call_function(
	struct sh *s, const struct sh_function *f, int argc, char **argv, const struct sh_io *io)
{
	sh_strings old = s->args;
	unsigned loops = s->loops;
	int i;

	memset(&s->args, 0, sizeof(s->args));
	for (i = 1; i < argc; i++)
		vec_push(&s->args, mem_strdup(argv[i]));
	s->loops = 0;
	s->status = sh_exec(s, f->body, io);
	if (s->flow == SH_RETURN)
		s->flow = SH_RUNNING;
	sh_strings_free(&s->args);
	s->args = old;
	s->loops = loops;
	return s->status;
}

static int call_program(struct sh *s, int argc, char **argv, const struct sh_io *io)
{
	struct shell_call call = {argc, argv, NULL, 0, io->out, io->err, s->root > 0};
	const char *slash = strrchr(argv[0], '/');
	sh_tool_fn tool = sh_tool_find(slash ? slash + 1 : argv[0]);
	int status = -1;

	if (tool)
		return tool(s, argc, argv, io);
	if (s->m->command) {
		call.in = io->in->data ? io->in->data + io->in->pos : "";
		call.in_len = io->in->len - io->in->pos;
		status = s->m->command(s->m->ctx, &call);
	}
	if (status >= 0)
		return status;
	sh_complain(s, io->err, "%.200s: %s", argv[0],
		slash                          ? "No such file or directory"
		: s->style == SHELL_STYLE_BASH ? "command not found"
					       : "not found");
	return 127;
}

int sh_invoke(struct sh *s, int argc, char **argv, const struct sh_io *io)
{
	const struct sh_function *f = function_find(s, argv[0]);
	sh_tool_fn builtin = f ? NULL : sh_builtin_find(argv[0]);
	int status;

	if (s->depth >= SH_DEPTH_MAX) {
		sh_limit(s);
		return 125;
	}
	s->depth++;
	status = f         ? call_function(s, f, argc, argv, io)
		 : builtin ? builtin(s, argc, argv, io)
			   : call_program(s, argc, argv, io);
	s->depth--;
	if (io->out->overflow || io->err->overflow)
		sh_limit(s);
	return status;
}

static size_t assignment_length(const char *raw, size_t len)
{
	size_t n = sh_name_length(raw, len);

	return n && n < len && raw[n] == '=' ? n : 0;
}

static void assign_word(struct sh *s, const struct sh_io *io, const struct sh_word *w, size_t n)
{
	char *v = sh_expand_string(s, io, w->raw + n + 1, w->len - n - 1);

	sh_set(s, w->raw, n, v);
	free(v);
}

/* Runs a command. Its leading assignments are in force for this command only. */
static int exec_argv(
	struct sh *s, const struct sh_node *n, sh_strings *argv, const struct sh_io *io)
{
	struct redirected d;
	const struct sh_word *w;
	struct sh_var *before = NULL;
	bool local = assignment_length(n->words->raw, n->words->len) > 0;
	int status = 2;

	if (open_redirections(s, n->redirs, io, &d)) {
		if (local) {
			vars_copy(&before, s->vars);
			for (w = n->words; w && assignment_length(w->raw, w->len); w = w->next)
				assign_word(s, io, w, assignment_length(w->raw, w->len));
		}
		status = sh_invoke(s, (int)argv->n, argv->at, &d.io);
		/* Only exec keeps its descriptor 3; that of another command may be a pipe that
		 * ends. */
		if (argv->n == 1 && !strcmp(argv->at[0], "exec"))
			d.three = s->three;
		if (local) {
			sh_vars_free(&s->vars);
			s->vars = before;
		}
	}
	redirect_end(s, &d);
	return status;
}

static int exec_simple(struct sh *s, const struct sh_node *n, const struct sh_io *io)
{
	const struct sh_word *w = n->words;
	struct redirected d;
	sh_strings argv = {0};
	int status = 0;

	while (w && assignment_length(w->raw, w->len))
		w = w->next;
	for (; w && !s->stop && s->flow != SH_EXIT; w = w->next)
		sh_expand_fields(s, io, w->raw, w->len, &argv);
	if (s->stop || s->flow == SH_EXIT) {
		status = s->status;
	} else if (argv.n) {
		status = exec_argv(s, n, &argv, io);
	} else {
		/* The status of x=$(command) is that of the command. */
		s->substituted = false;
		for (w = n->words; w && assignment_length(w->raw, w->len); w = w->next)
			assign_word(s, io, w, assignment_length(w->raw, w->len));
		status = s->substituted ? s->status : 0;
		if (n->redirs) {
			if (!open_redirections(s, n->redirs, io, &d))
				status = 2;
			redirect_end(s, &d);
		}
	}
	sh_strings_free(&argv);
	return status;
}

/* ---- compound commands ---- */

static int exec_list(struct sh *s, const struct sh_node *n, const struct sh_io *io)
{
	int status = s->status;

	for (n = n ? n->a : NULL; n && may_run(s); n = n->next)
		status = sh_exec(s, n, io);
	return status;
}

/*
 * True if this part of a pipeline needs a copy of the shell's state. Every part is a subshell, but
 * a program cannot change the state, so the copy is saved.
 */
static bool needs_copy(const struct sh *s, const struct sh_node *n)
{
	const char *name = n->words ? n->words->raw : "";

	if (n->kind != SH_SIMPLE || strpbrk(name, "=$`'\"\\") || function_find(s, name))
		return true;
	return sh_builtin_find(name) && strcmp(name, "echo") != 0 && strcmp(name, "printf") != 0;
}

/* Runs the parts of a pipeline one after the other; each gets its input whole. */
static int exec_pipe(struct sh *s, const struct sh_node *n, const struct sh_io *io)
{
	struct buf data[2];
	struct sh_stream in = {0};
	struct saved old;
	unsigned turn = 0;
	int status = 0;

	buf_init(&data[0], SH_PIPE_MAX);
	buf_init(&data[1], SH_PIPE_MAX);
	for (n = n->a; n && !s->stop; n = n->next, turn ^= 1) {
		struct sh_io part = *io;
		bool guard = needs_copy(s, n);

		if (in.data)
			part.in = &in;
		if (n->next) {
			buf_reset(&data[turn]);
			part.out = &data[turn];
		}
		if (guard)
			subshell_enter(s, &old);
		status = sh_exec(s, n, &part);
		if (guard) {
			if (s->flow == SH_EXIT)
				status = s->status;
			subshell_leave(s, &old);
		}
		if (n->next) {
			if (data[turn].overflow)
				sh_limit(s);
			in = (struct sh_stream){
				data[turn].data ? data[turn].data : "", data[turn].len, 0};
		}
	}
	buf_free(&data[0]);
	buf_free(&data[1]);
	return status;
}

/* After a round of a loop: true if the loop continues. */
static bool loop_goes_on(struct sh *s)
{
	if (s->flow == SH_BREAK || s->flow == SH_CONTINUE) {
		enum sh_flow flow = s->flow;

		if (s->flow_levels > 1) {
			s->flow_levels--;
			return false;
		}
		s->flow = SH_RUNNING;
		return flow == SH_CONTINUE;
	}
	return may_run(s);
}

static int exec_for(struct sh *s, const struct sh_node *n, const struct sh_io *io)
{
	sh_strings items = {0};
	const struct sh_word *w;
	size_t i;
	int status = 0;

	if (n->has_in)
		for (w = n->words; w; w = w->next)
			sh_expand_fields(s, io, w->raw, w->len, &items);
	else
		args_copy(&items, &s->args);
	s->loops++;
	for (i = 0; i < items.n; i++) {
		sh_set(s, n->name, strlen(n->name), items.at[i]);
		status = exec_list(s, n->b, io);
		if (!loop_goes_on(s))
			break;
	}
	s->loops--;
	sh_strings_free(&items);
	return status;
}

static int exec_while(struct sh *s, const struct sh_node *n, const struct sh_io *io)
{
	bool until = n->kind == SH_UNTIL;
	int status = 0;

	s->loops++;
	while (may_run(s)) {
		bool ok = exec_list(s, n->a, io) == 0;

		if (s->flow == SH_RUNNING) {
			if (ok == until)
				break;
			status = exec_list(s, n->b, io);
		}
		if (!loop_goes_on(s))
			break;
	}
	s->loops--;
	return status;
}

static int exec_if(struct sh *s, const struct sh_node *n, const struct sh_io *io)
{
	bool ok = exec_list(s, n->a, io) == 0;

	if (s->flow != SH_RUNNING)
		return s->status;
	if (ok)
		return exec_list(s, n->b, io);
	if (!n->c)
		return 0;
	return sh_exec(s, n->c, io);
}

static int exec_case(struct sh *s, const struct sh_node *n, const struct sh_io *io)
{
	char *subject = sh_expand_string(s, io, n->words->raw, n->words->len);
	const struct sh_node *arm;
	const struct sh_word *w;
	bool hit = false;
	int status = 0;

	for (arm = n->b; arm && !hit; arm = arm->next) {
		for (w = arm->words; w && !hit; w = w->next) {
			char *pattern = sh_expand_pattern(s, io, w->raw, w->len);

			hit = !fnmatch(pattern, subject, 0);
			free(pattern);
		}
		if (hit) {
			s->status = 0;
			status = exec_list(s, arm->a, io);
		}
	}
	free(subject);
	return status;
}

static int define_function(struct sh *s, const struct sh_node *n)
{
	struct sh_function *f = sh_alloc(s, sizeof(*f));

	f->name = n->name;
	f->body = n->a;
	f->next = s->functions;
	s->functions = f;
	return 0;
}

static int exec_subshell_node(struct sh *s, const struct sh_node *n, const struct sh_io *io)
{
	struct saved old;
	int status;

	subshell_enter(s, &old);
	status = exec_list(s, n->a, io);
	if (s->flow == SH_EXIT)
		status = s->status;
	subshell_leave(s, &old);
	return status;
}

static int exec_kind(struct sh *s, const struct sh_node *n, const struct sh_io *io)
{
	int status;

	switch (n->kind) {
	case SH_LIST:
		return exec_list(s, n, io);
	case SH_PIPE:
		return exec_pipe(s, n, io);
	case SH_AND:
	case SH_OR:
		status = sh_exec(s, n->a, io);
		if (s->flow != SH_RUNNING || (status == 0) != (n->kind == SH_AND))
			return status;
		return sh_exec(s, n->b, io);
	case SH_NOT:
		return !sh_exec(s, n->a, io);
	case SH_GROUP:
		return exec_list(s, n->a, io);
	case SH_SUBSHELL:
		return exec_subshell_node(s, n, io);
	case SH_FOR:
		return exec_for(s, n, io);
	case SH_IF:
		return exec_if(s, n, io);
	case SH_WHILE:
	case SH_UNTIL:
		return exec_while(s, n, io);
	case SH_CASE:
		return exec_case(s, n, io);
	case SH_FUNCTION:
		return define_function(s, n);
	case SH_SIMPLE:
	default:
		return exec_simple(s, n, io);
	}
}

int sh_exec(struct sh *s, const struct sh_node *n, const struct sh_io *io)
{
	struct redirected d;
	int status = 2;

	if (!may_run(s))
		return s->status;
	if (s->depth >= SH_DEPTH_MAX) {
		sh_limit(s);
		return 125;
	}
	s->depth++;
	s->line = n->line;
	if (n->kind == SH_SIMPLE || !n->redirs) {
		status = exec_kind(s, n, io);
	} else {
		if (open_redirections(s, n->redirs, io, &d))
			status = exec_kind(s, n, &d.io);
		redirect_end(s, &d);
	}
	s->depth--;
	if (s->flow != SH_EXIT)
		s->status = status;
	return status;
}

int sh_exec_text(struct sh *s, const char *text, size_t len, const struct sh_io *io)
{
	struct sh_parser p = {.s = s, .text = text, .len = len, .line = 1};
	const struct sh_node *n;
	int status = 0;

	s->status = 0;
	while (may_run(s) && (n = sh_parse_next(&p)) && !p.error[0])
		status = exec_list(s, n, io);
	if (p.error[0]) {
		s->line = p.line;
		sh_complain(s, io->err, "%s", p.error);
		s->flow = SH_EXIT;
		s->status = status = 2;
	}
	return s->flow == SH_EXIT || s->flow == SH_RETURN ? s->status : status;
}

int sh_exec_subshell(struct sh *s, const char *text, size_t len, const struct sh_io *io)
{
	struct saved old;
	int status;

	if (s->depth >= SH_DEPTH_MAX) {
		sh_limit(s);
		return 125;
	}
	s->depth++;
	subshell_enter(s, &old);
	status = sh_exec_text(s, text, len, io);
	subshell_leave(s, &old);
	s->depth--;
	return status;
}
