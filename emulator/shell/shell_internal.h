/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_SHELL_INTERNAL_H
#define EMULATOR_SHELL_INTERNAL_H

#include <regex.h>
#include <uthash.h>

#include "base/vec.h"
#include "emulator/shell/shell.h"

/*
 * Internal interface between the parts of the shell: shell_parse, shell_expand, shell_run,
 * tools.
 */

#define SH_STEPS_MAX  400000u
#define SH_DEPTH_MAX  64u
#define SH_ARENA_MAX  (32u << 20)
#define SH_FIELDS_MAX 65536u
#define SH_PIPE_MAX   (64u << 20)
#define SH_SCRIPT_MAX (1u << 20)

struct sh_word {
	struct sh_word *next;
	const char *raw; /* as written, with quotes */
	size_t len;
};

struct sh_redir {
	struct sh_redir *next;
	unsigned fd;
	char kind; /* '<' '>' 'a'ppend 'd'uplicate 'h'ere-document, 'q'uoted here-document */
	struct sh_word word;
	struct sh_redir *later; /* the next here-document of the same line */
};

enum sh_kind {
	SH_SIMPLE,
	SH_LIST,
	SH_PIPE,
	SH_AND,
	SH_OR,
	SH_NOT,
	SH_GROUP,
	SH_SUBSHELL,
	SH_FOR,
	SH_IF,
	SH_WHILE,
	SH_UNTIL,
	SH_CASE,
	SH_FUNCTION
};

struct sh_node {
	enum sh_kind kind;
	unsigned line;
	struct sh_node *next;      /* in a list or pipeline */
	struct sh_node *a, *b, *c; /* condition, body, else; left, right */
	struct sh_word *words;     /* of a command, of `for ... in`, the patterns of a case arm */
	struct sh_redir *redirs;
	const char *name; /* variable of for, name of a function */
	bool has_in;      /* for x in ...; without `in` the positional parameters */
	bool closed;      /* a list that ended with its line */
};

struct sh_arena_chunk {
	struct sh_arena_chunk *next;
	size_t used, size;
	_Alignas(16) char data[];
};

struct sh_var {
	char *name, *value;
	UT_hash_handle hh;
};

struct sh_function {
	struct sh_function *next;
	const char *name;
	struct sh_node *body;
};

struct sh_stream {
	const char *data;
	size_t len, pos;
};

struct sh_io {
	struct sh_stream *in;
	struct buf *out, *err;
};

enum sh_flow { SH_RUNNING, SH_BREAK, SH_CONTINUE, SH_RETURN, SH_EXIT };

typedef VEC(char *) sh_strings;

struct sh {
	const struct shell_machine *m;
	struct shell_cache *cache;
	enum shell_style style;
	struct sh_var *vars;
	struct sh_function *functions;
	sh_strings args; /* $1 ... */
	char *cwd;
	int status;
	enum sh_flow flow;
	unsigned flow_levels, loops, depth, steps, line;
	unsigned root;    /* sudo is in force */
	bool stop;        /* a bound was hit */
	bool substituted; /* status was set by a command substitution */
	struct sh_arena_chunk *arena;
	size_t arena_total;
	struct buf sink;   /* /dev/null */
	struct buf *three; /* descriptor 3, NULL: closed */
	struct sh_stream nothing;
};

void *sh_alloc(struct sh *s, size_t n); /* zeroed; valid until the end of the run */
void sh_vars_free(struct sh_var **vars);
void sh_limit(struct sh *s);
void sh_complain(struct sh *s, struct buf *err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void sh_strings_free(sh_strings *v);
char *sh_path(const struct sh *s, const char *path); /* absolute; the caller frees it */

/* shell_parse.c: the next complete command of a script; NULL at its end or on a syntax error. */
struct sh_parser {
	struct sh *s;
	const char *text;
	size_t len, at;
	unsigned line, depth;
	struct sh_redir *pending; /* here-documents whose bodies follow the line */
	char error[96];
};
struct sh_node *sh_parse_next(struct sh_parser *p);
size_t sh_skip_dollar(const char *text, size_t len, size_t at);

/* shell_expand.c: the caller owns the results. */
char *sh_expand_string(struct sh *s, const struct sh_io *io, const char *raw, size_t len);
char *sh_expand_pattern(struct sh *s, const struct sh_io *io, const char *raw, size_t len);
char *sh_expand_here(struct sh *s, const struct sh_io *io, const char *raw, size_t len);
void sh_expand_fields(
	struct sh *s, const struct sh_io *io, const char *raw, size_t len, sh_strings *out);
const char *sh_get(const struct sh *s, const char *name, size_t len);
void sh_set(struct sh *s, const char *name, size_t len, const char *value);
void sh_unset(struct sh *s, const char *name);
bool sh_is_name(const char *p, size_t len);
size_t sh_name_length(const char *p, size_t len);
/* shell_arith.c */
int64_t sh_arith(struct sh *s, const char *text, bool *ok);
/* shell_glob.c: mask has 'q' where a byte of text was quoted; pushes the sorted matches. */
bool sh_glob(struct sh *s, const char *text, const char *mask, size_t len, sh_strings *out);

/* shell_run.c */
int sh_exec(struct sh *s, const struct sh_node *n, const struct sh_io *io);
int sh_exec_text(struct sh *s, const char *text, size_t len, const struct sh_io *io);
int sh_exec_subshell(struct sh *s, const char *text, size_t len, const struct sh_io *io);

/* shell.c: frees the memory allocated since the mark; no pointer into it may remain. */
struct sh_mark {
	struct sh_arena_chunk *chunk;
	size_t used, total;
};
struct sh_mark sh_arena_mark(const struct sh *s);
void sh_arena_rewind(struct sh *s, const struct sh_mark *mark);
void sh_begin(
	struct sh *s, const struct shell_machine *m, struct shell_cache *c, enum shell_style style);
void sh_end(struct sh *s);

/* A tool or builtin: argv[0] is its name. -1 is never returned. */
typedef int (*sh_tool_fn)(struct sh *s, int argc, char **argv, const struct sh_io *io);
sh_tool_fn sh_builtin_find(const char *name); /* shell_builtin.c: acts on the shell itself */
sh_tool_fn sh_tool_find(const char *name);    /* shell_tools.c: a program of its own */
int sh_test(struct sh *s, int argc, char **argv, const struct sh_io *io);
int sh_printf(struct sh *s, int argc, char **argv, const struct sh_io *io);
int sh_grep(struct sh *s, int argc, char **argv, const struct sh_io *io);
int sh_sed(struct sh *s, int argc, char **argv, const struct sh_io *io);
int sh_cut(struct sh *s, int argc, char **argv, const struct sh_io *io);
int sh_tr(struct sh *s, int argc, char **argv, const struct sh_io *io);
int sh_sort(struct sh *s, int argc, char **argv, const struct sh_io *io);
int sh_uniq(struct sh *s, int argc, char **argv, const struct sh_io *io);
int sh_date(struct sh *s, int argc, char **argv, const struct sh_io *io);
int sh_invoke(struct sh *s, int argc, char **argv, const struct sh_io *io);
bool sh_known(const struct sh *s, const char *name);

/* Takes the whole rest of a stream; the stream is then empty. */
const char *sh_take_input(const struct sh_io *io, size_t *len);
/*
 * Reads the named operands as a whole. Reads standard input if there are none, or for "-". Reports
 * unreadable operands like cat; returns false if there was one.
 */
bool sh_slurp(struct sh *s, const char *tool, int n, char **files, const struct sh_io *io,
	struct buf *text);
const char *sh_strerror(int code);
/* The next line of *at (without its newline); false at the end. */
bool sh_line(const char **at, const char *end, const char **line, size_t *len);

/* NULL if the pattern is not a valid regular expression. flags: those of regcomp. */
const regex_t *sh_regex(struct shell_cache *c, const char *pattern, int flags);

#endif
