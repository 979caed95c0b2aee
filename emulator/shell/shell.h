/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_SHELL_H
#define EMULATOR_SHELL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/*
 * A small POSIX shell over a virtual machine. It runs a collector's script as sh(1) on a host does,
 * with the text tools that such scripts use. It never touches the real system: files come from
 * struct shell_fs, programs from struct shell_machine. Every run is bounded in steps, memory,
 * recursion and output (the caps of out and err).
 *
 * Not supported: background jobs ('&' runs in the foreground), writing to files other than
 * /dev/null, descriptors above 3 (descriptor 3 is for output only), aliases, traps.
 */
enum shell_kind { SHELL_NONE, SHELL_FILE, SHELL_DIR };

typedef void (*shell_name_fn)(void *arg, const char *name);

/* Paths are absolute. They may contain "." and "..", which follow the resolved directory. */
struct shell_fs {
	enum shell_kind (*stat)(void *ctx, const char *path);
	/* Appends the content. Returns 0 or an errno value (ENOENT, EISDIR, EINVAL, EACCES). */
	int (*read)(void *ctx, const char *path, struct buf *out);
	/* Calls each with every name in the directory; false if it is not a directory. */
	bool (*list)(void *ctx, const char *path, shell_name_fn each, void *arg);
	/*
	 * Appends the target of a link. final: the path with all links resolved (readlink -f); else
	 * the text of this one link.
	 */
	bool (*link)(void *ctx, const char *path, bool final, struct buf *out);
};

/* One command, from the program's view. out and err are never NULL (/dev/null is a buffer too). */
struct shell_call {
	int argc;
	char **argv;
	const char *in;
	size_t in_len;
	struct buf *out, *err;
	bool root; /* run by sudo */
};

struct shell_machine {
	void *ctx; /* passed to fs and command */
	const struct shell_fs *fs;
	/*
	 * Runs a program of this machine. Returns its exit status, or -1 if there is no such
	 * program.
	 */
	int (*command)(void *ctx, const struct shell_call *call);
	const char *const *commands; /* their names, NULL-terminated, for `command -v` */
	const char *hostname, *kernel, *kernel_version, *machine;
	int64_t now_us;      /* wall time that date prints */
	const char *session; /* value of $SSH_CONNECTION, which sshd sets; NULL: unset */
};

/* Compiled regular expressions, kept from run to run. One per process is enough. */
struct shell_cache;
struct shell_cache *shell_cache_new(void);
void shell_cache_free(struct shell_cache *c);

/* Style of messages: "sh: 1: foo: not found" (dash) or "bash: line 1: foo: command not found". */
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
 * `sh -s` with a script that arrives in pieces. It runs all complete commands, and keeps variables
 * and functions like one process. Pass the same out and err in every call; they and the cache must
 * outlive it.
 */
struct shell_session;
struct shell_session *shell_session_new(
	struct shell_cache *cache, struct buf *out, struct buf *err);
/*
 * Feeds more of the script; machine has the current state. Returns false if the shell has ended (by
 * exit, by a syntax error or at a bound); *status is then its exit status.
 */
bool shell_session_feed(struct shell_session *s, const struct shell_machine *machine,
	const char *text, size_t len, int *status);
void shell_session_free(struct shell_session *s); /* NULL is allowed */

#endif
