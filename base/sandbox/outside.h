/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_SANDBOX_OUTSIDE_H
#define BASE_SANDBOX_OUTSIDE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/sandbox/sandbox.h"

/*
 * Commands of the shell that the user's files name, and the process that runs them.
 *
 * A command that prints a password may be sudo, or gpg, which writes into ~/.gnupg: it does not
 * work inside the sandbox. So outside_start() leaves a small process outside, before the sandbox
 * begins. It runs a command as the user would if the command was on the list when outside_seal()
 * closed it, which is before any device was asked. All others (Match exec of ssh_config) may write
 * where railtop may, and gain no privileges. It keeps no secret: the output goes to the reader
 * directly.
 *
 * Without that process (tests, RAILTOP_SANDBOX=off) commands are children of the caller.
 */

/* places: of outside_begin() for commands that are not on the list. False: errno. */
bool outside_start(void);
/* One more command may run outside. */
void outside_allow(const char *command);
/*
 * Closes the list. places: where commands that are not on it may write; the process keeps a copy of
 * the paths.
 */
void outside_seal(const struct sandbox_place *places, size_t n);
/* Ends the process. */
void outside_stop(void);

struct outside_command {
	const char *shell; /* path of the shell: SHELL -c TEXT */
	const char *text;  /* or words of outside_words(): then no shell reads them */
	const char *limit; /* soft limit of open files, for a child of the caller; NULL: as it is */
	int output;        /* its standard output, -1: /dev/null */
	int input;         /* its standard input; 0: /dev/null */
	bool keep_errors;  /* its standard errors go where its output goes; else /dev/null */
	int64_t most_us;   /* time that it may take */
};

/*
 * A program and its words as one text for struct outside_command. Its environment is small: PATH,
 * HOME, USER, LOGNAME, LANG and TZ. The words have no control characters. The caller frees the
 * result.
 */
char *outside_words(const char *const *words, size_t n);

/* A command that runs. */
struct outside_running {
	pid_t pid;        /* a child of the caller; 0: of the process outside */
	int answer;       /* where that process reports the end; -1 */
	int64_t until_us; /* monotonic */
};

/* Starts it. False: errno. */
bool outside_begin(const struct outside_command *c, struct outside_running *r);
enum outside_end {
	OUTSIDE_ENDED, /* *status is as of waitpid() */
	OUTSIDE_LATE,  /* it and its process group were killed */
	OUTSIDE_LOST,  /* errno */
};
/* Waits for the end, until the command's time is over. Each command that began needs it. */
enum outside_end outside_wait(struct outside_running *r, int *status);

#endif
