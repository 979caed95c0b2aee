/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "tui/term_internal.h"

/*
 * ncurses writes until all bytes are written. With a terminal that takes none it would wait for
 * ever, or spin if an event loop has made the terminal non-blocking, and batches would wait too. So
 * ncurses writes frames into a file in memory, which takes the place of its descriptor meanwhile.
 * We send the bytes when there is room.
 */

/* A frame of the largest terminal and a text for the clipboard. */
#define WAITING_MOST ((size_t)64 << 20)
#define CHUNK        4096

bool send_open(struct term *t)
{
	int fd = fcntl(t->out, F_DUPFD_CLOEXEC, 3);

	buf_init(&t->waiting, WAITING_MOST);
	t->catcher = memfd_create("frame", MFD_CLOEXEC);
	t->library = fd >= 0 ? fdopen(fd, "w") : NULL;
	if (!t->library && fd >= 0)
		(void)close(fd);
	return t->library && t->catcher >= 0;
}

void send_close(struct term *t)
{
	if (t->library)
		(void)fclose(t->library);
	if (t->catcher >= 0)
		(void)close(t->catcher);
	buf_free(&t->waiting);
}

void send_frame_begin(struct term *t)
{
	(void)dup3(t->catcher, fileno(t->library), O_CLOEXEC);
}

static bool catch_all(struct term *t)
{
	char bytes[CHUNK];
	bool all = true;
	ssize_t n;

	(void)lseek(t->catcher, 0, SEEK_SET);
	while ((n = read(t->catcher, bytes, sizeof(bytes))) > 0)
		all = buf_add(&t->waiting, bytes, (size_t)n) && all;
	(void)lseek(t->catcher, 0, SEEK_SET);
	return ftruncate(t->catcher, 0) == 0 && n == 0 && all;
}

void send_frame_end(struct term *t)
{
	(void)dup3(t->out, fileno(t->library), O_CLOEXEC);
	/* The content of the screen is unknown then. */
	if (!catch_all(t))
		term_repaint(t);
	(void)send_more(t);
}

void term_write(struct term *t, const char *text, size_t len)
{
	(void)buf_add(&t->waiting, text, len);
	(void)send_more(t);
}

static void send_some(struct term *t)
{
	while (t->taken < t->waiting.len) {
		ssize_t n = write(t->out, t->waiting.data + t->taken, t->waiting.len - t->taken);

		if (n > 0) {
			t->taken += (size_t)n;
		} else if (n == 0 || errno != EINTR) {
			t->lost = t->lost || (n < 0 && errno != EAGAIN);
			return;
		}
	}
}

bool send_more(struct term *t)
{
	int flags;

	if (!t->waiting.len)
		return true;
	flags = fcntl(t->out, F_GETFL);
	if (flags >= 0 && !(flags & O_NONBLOCK))
		(void)fcntl(t->out, F_SETFL, flags | O_NONBLOCK);
	send_some(t);
	if (flags >= 0 && !(flags & O_NONBLOCK))
		(void)fcntl(t->out, F_SETFL, flags);
	if (t->taken < t->waiting.len && !t->lost)
		return false;
	buf_reset(&t->waiting);
	t->taken = 0;
	/* The terminal has received the question only now. */
	if (t->gate.outstanding)
		t->gate.asked = clock_mono(&clock_system);
	return true;
}

void send_wait(struct term *t)
{
	int flags = fcntl(t->out, F_GETFL);

	if (flags >= 0 && (flags & O_NONBLOCK))
		(void)fcntl(t->out, F_SETFL, flags & ~O_NONBLOCK);
	send_some(t);
	buf_reset(&t->waiting);
	t->taken = 0;
}
