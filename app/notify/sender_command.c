/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/notify/sender.h"
#include "base/buf.h"
#include "base/sandbox/outside.h"
#include "base/str.h"

/* The body as a file in memory: a program that does not read it holds nobody up. */
static int open_input(const char *body, size_t len)
{
	int fd = memfd_create("railtop-notify", MFD_CLOEXEC);

	if (fd >= 0 && fd_write_all(fd, body, len) && lseek(fd, 0, SEEK_SET) == 0)
		return fd;
	if (fd >= 0)
		(void)close(fd);
	return -1;
}

static bool judge_end(const struct plan_receiver *r, const char *shown, enum outside_end end,
	int status, struct err *err)
{
	const char *program = r->argv.at[0];

	if (end == OUTSIDE_ENDED && WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return true;
	if (end == OUTSIDE_LOST)
		(void)err_set(err, ERR_IO, shown, "%s: %s", program, strerror(errno));
	else if (end == OUTSIDE_LATE)
		(void)err_set(err, ERR_TIMEOUT, shown, "%s: no end within %d s", program,
			(int)(SENDER_MOST_US / 1000000));
	else if (WIFEXITED(status))
		(void)err_set(err, ERR_IO, shown, "%s: failed with status %d", program,
			WEXITSTATUS(status));
	else
		(void)err_set(
			err, ERR_IO, shown, "%s: killed by signal %d", program, WTERMSIG(status));
	return err_cure(err, "run it by hand with a message on its standard input: railtop watch "
			     "--test-notify");
}

bool command_send(const struct plan_receiver *r, const char *body, size_t len, struct err *err)
{
	char shown[64], *words;
	struct outside_command c = {.shell = "/bin/sh", .output = -1, .most_us = SENDER_MOST_US};
	struct outside_running running;
	enum outside_end end;
	int status = 0;
	bool begun;

	(void)str_printf(shown, sizeof(shown), "notify %s", r->name);
	c.input = open_input(body, len);
	if (c.input < 0)
		return err_system(err, ERR_IO, shown, "its input cannot be made", errno);
	/* The same text as in confine_plan(), which allows it. */
	words = outside_words((const char *const *)r->argv.at, r->argv.n);
	c.text = words;
	begun = outside_begin(&c, &running);
	(void)close(c.input);
	free(words);
	if (!begun)
		return err_system(err, ERR_IO, shown, r->argv.at[0], errno);
	end = outside_wait(&running, &status);
	return judge_end(r, shown, end, status, err);
}
