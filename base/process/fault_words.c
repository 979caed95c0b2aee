/* SPDX-License-Identifier: Apache-2.0 */
#include "base/process/fault_words.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

static const struct fault {
	int number;
	const char *text;
} faults[] = {
#define FAULT(name)                                                                                \
	{name, "railtop: ended by a fault (" #name                                                 \
	       "), its own or that of a library without memory: please report it\n"},
	FAULT(SIGSEGV) FAULT(SIGBUS) FAULT(SIGFPE) FAULT(SIGILL) FAULT(SIGABRT)
#undef FAULT
};
enum { FAULTS = sizeof(faults) / sizeof(faults[0]) };

/* The handler is reset: the fault happens again, and a signal that was sent is raised. */
static void on_fault(int number)
{
	for (int i = 0; i < FAULTS; i++)
		if (faults[i].number == number) {
			ssize_t n = write(STDERR_FILENO, faults[i].text, strlen(faults[i].text));

			(void)n;
		}
	(void)raise(number);
}

void fault_words_begin(void)
{
	struct sigaction was,
		now = {.sa_handler = on_fault, .sa_flags = (int)SA_RESETHAND | SA_NODEFER};

	(void)sigemptyset(&now.sa_mask);
	for (int i = 0; i < FAULTS; i++)
		if (sigaction(faults[i].number, NULL, &was) == 0 && was.sa_handler == SIG_DFL)
			(void)sigaction(faults[i].number, &now, NULL);
}

void fault_words_forget(void)
{
	struct sigaction was;

	for (int i = 0; i < FAULTS; i++)
		if (sigaction(faults[i].number, NULL, &was) == 0 && was.sa_handler == on_fault)
			(void)signal(faults[i].number, SIG_DFL);
}
