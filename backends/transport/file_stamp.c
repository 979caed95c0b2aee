/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/transport/file_stamp.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"

/* File times have the resolution of the kernel's tick, 10 ms at most. */
#define YOUNG_US (50 * CLOCK_MSEC)

/* A future time comes from a wrong clock and must not make the file young for ever. */
static bool is_young(const struct timespec *modified)
{
	int64_t age = clock_wall(&clock_system) - (int64_t)modified->tv_sec * CLOCK_SEC -
		      modified->tv_nsec / 1000;

	return age >= 0 && age < YOUNG_US;
}

void file_stamp(struct file_stamp *s, const char *path)
{
	struct stat st;

	memset(s, 0, sizeof(*s));
	if (stat(path, &st) != 0) {
		s->error = errno;
		return;
	}
	s->device = st.st_dev;
	s->inode = st.st_ino;
	s->size = st.st_size;
	s->changed = st.st_ctim;
	s->modified = st.st_mtim;
	s->young = is_young(&st.st_mtim);
}

static bool same_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

bool file_stamp_same(const struct file_stamp *read, const struct file_stamp *now)
{
	return !read->young && read->error == now->error && read->device == now->device &&
	       read->inode == now->inode && read->size == now->size &&
	       same_time(&read->changed, &now->changed) &&
	       same_time(&read->modified, &now->modified);
}
