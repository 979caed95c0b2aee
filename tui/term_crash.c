/* SPDX-License-Identifier: Apache-2.0 */
/* Restores the terminal when a signal ends the program, and says which: safe within a handler. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/process/fault_words.h"
#include "base/sandbox/sandbox.h"
#include "tui/term_internal.h"

/* asm-generic/siginfo.h; not in the headers of libc. */
#ifndef SYS_SECCOMP
#define SYS_SECCOMP 1
#endif

static const struct fatal {
	int number;
	const char *text;
} fatal[] = {
	{SIGSEGV, "railtop: ended by a fault of its own (SIGSEGV): please report it\n"},
	{SIGBUS, "railtop: ended by SIGBUS: a file that was read became shorter, or a disk "
		 "failed\n"},
	{SIGFPE, "railtop: ended by a fault of its own (SIGFPE): please report it\n"},
	{SIGILL, "railtop: ended by a fault of its own (SIGILL): please report it\n"},
	{SIGABRT, "railtop: ended by a fault of its own (SIGABRT): please report it\n"},
	{SIGSYS, "railtop: ended by a system call that is forbidden here (SIGSYS)\n"},
	{SIGQUIT, "railtop: ended by SIGQUIT\n"},
	{SIGXCPU, "railtop: ended because its CPU time is used up (ulimit -t)\n"},
};
enum { FATAL = sizeof(fatal) / sizeof(fatal[0]) };

/* A handler gets no context; the first handlers of a process are restored with the last terminal.
 */
static struct sigaction before[FATAL];
static bool watching;
static void *own_stack;

/* The call was left out: to return would go on without it. */
static void end_refused(int call)
{
	char text[200];
	ssize_t n = write(STDERR_FILENO, text, sandbox_refusal(call, text, sizeof(text)));

	(void)n;
	(void)signal(SIGSYS, SIG_DFL);
	(void)raise(SIGSYS);
}

static void on_fatal(int number, siginfo_t *info, void *context)
{
	(void)context;
	term_emergency();
	if (number == SIGSYS && info->si_code == SYS_SECCOMP)
		end_refused(info->si_syscall);
	for (int i = 0; i < FATAL; i++) {
		ssize_t n;

		if (fatal[i].number != number)
			continue;
		n = write(STDERR_FILENO, fatal[i].text, strlen(fatal[i].text));
		(void)n;
		(void)sigaction(number, &before[i], NULL);
	}
	/* A fault of an instruction happens again on return; a signal that was sent does not. */
	if (info->si_code <= 0)
		(void)raise(number);
}

void crash_watch(void)
{
	struct sigaction now = {.sa_sigaction = on_fatal, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	stack_t stack = {.ss_size = (size_t)SIGSTKSZ + 16384}, was;

	if (watching)
		return;
	fault_words_forget();
	/* Not on the stack that may have overflowed. Sanitizers bring one of their own. */
	if (sigaltstack(NULL, &was) == 0 && (was.ss_flags & SS_DISABLE)) {
		stack.ss_sp = own_stack = malloc(stack.ss_size);
		if (own_stack)
			(void)sigaltstack(&stack, NULL);
	}
	(void)sigemptyset(&now.sa_mask);
	for (int i = 0; i < FATAL; i++) {
		(void)sigaction(fatal[i].number, NULL, &before[i]);
		if (before[i].sa_handler != SIG_IGN)
			(void)sigaction(fatal[i].number, &now, NULL);
	}
	watching = true;
}

void crash_forget(void)
{
	stack_t none = {.ss_flags = SS_DISABLE};

	if (!watching)
		return;
	for (int i = 0; i < FATAL; i++)
		if (before[i].sa_handler != SIG_IGN)
			(void)sigaction(fatal[i].number, &before[i], NULL);
	if (own_stack) {
		(void)sigaltstack(&none, NULL);
		free(own_stack);
		own_stack = NULL;
	}
	watching = false;
}
