/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/integration/support/bell.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "tests/integration/support/scratch.h"
#include "tests/support/cases.h"

void bell_open(struct bell *b)
{
	assert_int_equal(pipe2(b->fd, O_CLOEXEC), 0);
}

void bell_close(struct bell *b)
{
	(void)close(b->fd[0]);
	(void)close(b->fd[1]);
}

void bell_ring(void *bell)
{
	const struct bell *b = bell;

	assert_true(write(b->fd[1], "", 1) == 1);
}

bool bell_wait(const struct bell *b, int64_t until_ms)
{
	struct pollfd p = {.fd = b->fd[0], .events = POLLIN};
	char buf[64];

	if (now_ms() > until_ms)
		return false;
	if (poll(&p, 1, 500) > 0)
		(void)!read(b->fd[0], buf, sizeof(buf));
	return true;
}

void bell_drain(struct collector *c, void (*see)(void *ctx, const struct obs *o), void *ctx)
{
	struct obs *next;

	for (struct obs *o = collector_drain(c); o; o = next) {
		next = o->next;
		see(ctx, o);
		obs_free(o);
	}
}
