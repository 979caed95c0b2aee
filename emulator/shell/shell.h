/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_SHELL_H
#define EMULATOR_SHELL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/*
 * A small POSIX shell over a virtual machine: enough of sh(1) that a collector's script runs as it
 * would on a host, with the text tools such scripts use. Nothing of it reaches the real system:
 * files come from struct shell_fs, programs from struct shell_machine. Every run is bounded in
 * steps, memory, recursion and output (the caps of out and err).
 *
 * Not done: background jobs ('&' runs in the foreground), writing to files other than /dev/null,
 * descriptors above 3 (of which that is one for output), aliases, traps.
 */
enum shell_kind { SHELL_NONE, SHELL_FILE, SHELL_DIR };

typedef void (*shell_name_fn)(void *arg, const char *name);

/* Paths are absolute; "." and ".." may occur in them and follow the resolved directory. */
struct shell_fs {
	enum shell_kind (*stat)(void *ctx, const char *path);
	/* Appends the content; 0 or an errno value (ENOENT, EISDIR, EINVAL, EACCES). */
	int (*read)(void *ctx, const char *path, struct buf *out);
	/* Calls each with every name in the directory; false when it is none. */
	bool (*list)(void *ctx, const char *path, shell_name_fn each, void *arg);
	/* final: the path without any link (readlink -f), else the text of this one link. */
	bool (*link)(void *ctx, const char *path, bool final, struct buf *out);
};

/* One command as a program sees it. out and err are never NULL (/dev/null is a buffer too). */
struct shell_call {
	int argc;
	char **argv;
	const char *in;
	size_t in_len;
	struct buf *out, *err;
	bool root; /* run by sudo */
};

struct shell_machine {
	void *ctx; /* given to fs and command */
	const struct shell_fs *fs;
	/* Runs a program of this machine: its exit status, or -1 when there is no such program. */
	int (*command)(void *ctx, const struct shell_call *call);
	const char *const *commands; /* their names, NULL-terminated, for `command -v` */
	const char *hostname, *kernel, *kernel_version, *machine;
	int64_t now_us;      /* wall time that date prints */
	const char *session; /* what sshd says of the connection, $SSH_CONNECTION; NULL: nothing */
};

/* Compiled regular expressions, kept from run to run; one a process is enough. */
struct shell_cache;
struct shell_cache *shell_cache_new(void);
void shell_cache_free(struct shell_cache *c);

/*
 * How messages read: "sh: 1: foo: not found" (dash) or "bash: line 1: foo: command not found".
 */
enum shell_style { SHELL_STYLE_SH, SHELL_STYLE_BASH };

struct shell_job {
	const struct shell_machine *machine;
	struct shell_cache *cache;
	enum shell_style style;
	const char *script;
	size_t script_len;
	const char *input; /* standard input of the script, may be NULL */
	size_t input_len;
	char *const *args; /* $1 ... NULL-terminated, may be NULL */
};

/* Runs a script and returns its exit status (2 after a syntax error, 125 when a bound was hit). */
int shell_run(const struct shell_job *job, struct buf *out, struct buf *err);

/*
 * `sh -s` whose script comes bit by bit: it runs what is complete and remembers variables and
 * functions, as one process does. out and err are the same in every call; the cache outlives it.
 */
struct shell_session;
struct shell_session *shell_session_new(
	struct shell_cache *cache, struct buf *out, struct buf *err);
/*
 * More of its script; machine as it is now. False: it has ended (by exit, by an error of syntax or
 * at a bound), *status is its exit status.
 */
bool shell_session_feed(struct shell_session *s, const struct shell_machine *machine,
	const char *text, size_t len, int *status);
void shell_session_free(struct shell_session *s); /* NULL is allowed */

#endif
