/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/file_stamp.h"

#include <errno.h>
#include <string.h>

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
}

static bool same_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

bool file_stamp_same(const struct file_stamp *a, const struct file_stamp *b)
{
	return a->error == b->error && a->device == b->device && a->inode == b->inode &&
	       a->size == b->size && same_time(&a->changed, &b->changed) &&
	       same_time(&a->modified, &b->modified);
}
