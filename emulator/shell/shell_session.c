/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/mem.h"
#include "emulator/shell/shell_internal.h"

struct shell_session {
	struct sh sh;
	bool begun;
	struct shell_cache *cache;
	struct buf *out, *err;
	struct buf script; /* text that is not yet a complete command */
};

struct shell_session *shell_session_new(struct shell_cache *cache, struct buf *out, struct buf *err)
{
	struct shell_session *s = mem_calloc(1, sizeof(*s));

	s->cache = cache;
	s->out = out;
	s->err = err;
	buf_init(&s->script, SH_SCRIPT_MAX);
	return s;
}

void shell_session_free(struct shell_session *s)
{
	if (!s)
		return;
	if (s->begun)
		sh_end(&s->sh);
	buf_free(&s->script);
	free(s);
}

/*
 * Runs one command of the text at *at and moves *at behind it. Returns false if the text has no
 * complete command yet, or if the command ended the shell. Parsed nodes are kept only if they
 * define a function.
 */
static bool run_one(struct shell_session *s, const char *text, size_t len, size_t *at)
{
	struct sh *sh = &s->sh;
	struct sh_stream none = {"", 0, 0};
	struct sh_io io = {&none, s->out, s->err};
	struct sh_parser p = {.s = sh, .text = text, .len = len, .at = *at, .line = 1};
	const struct sh_node *n = sh_parse_next(&p);

	if (p.error[0] && p.at >= len)
		return false;
	if (p.error[0]) {
		sh_complain(sh, s->err, "%s", p.error);
		sh->flow = SH_EXIT;
		sh->status = 2;
		return false;
	}
	*at = p.at;
	if (!n)
		return false;
	sh->steps = 0;
	(void)sh_exec(sh, n, &io);
	return sh->flow == SH_RUNNING && !sh->stop;
}

static void run_all(struct shell_session *s)
{
	struct sh_mark mark = sh_arena_mark(&s->sh);
	const struct sh_function *known = s->sh.functions;
	const char *last = memrchr(s->script.data, '\n', s->script.len);
	size_t len = last ? (size_t)(last - s->script.data) + 1 : 0, at = 0;
	char *text = sh_alloc(&s->sh, len + 1);

	/* Nodes point into the text that they were parsed from. */
	memcpy(text, s->script.data, len);
	while (at < len && run_one(s, text, len, &at))
		;
	s->script.len -= at;
	memmove(s->script.data, s->script.data + at, s->script.len + 1);
	if (s->sh.functions == known)
		sh_arena_rewind(&s->sh, &mark);
}

bool shell_session_feed(struct shell_session *s, const struct shell_machine *machine,
	const char *text, size_t len, int *status)
{
	if (!s->begun)
		sh_begin(&s->sh, machine, s->cache, SHELL_STYLE_SH);
	s->begun = true;
	s->sh.m = machine;
	if (!buf_add(&s->script, text, len))
		sh_limit(&s->sh);
	else if (s->script.len)
		run_all(s);
	if (s->sh.stop)
		sh_complain(&s->sh, s->err, "resource limit reached");
	*status = s->sh.stop ? 125 : s->sh.status & 255;
	return !s->sh.stop && s->sh.flow == SH_RUNNING;
}
