/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_TRANSPORT_FILE_STAMP_H
#define BACKENDS_TRANSPORT_FILE_STAMP_H

#include <stdbool.h>
#include <sys/stat.h>

/* Detects if a file has changed since it was read: replacing or writing it changes one of these. */
struct file_stamp {
	int error; /* errno of stat(), e.g. no such file or no permission; 0: the rest is filled */
	dev_t device;
	ino_t inode;
	off_t size;
	struct timespec changed, modified;
	bool young; /* written a moment ago: another write may leave all of this unchanged */
};

/* Fills s with one stat(), before the file is read. A missing file has a stamp, too. */
void file_stamp(struct file_stamp *s, const char *path);
/* True: the file is unchanged. now: taken later. False if it is uncertain. */
bool file_stamp_same(const struct file_stamp *read, const struct file_stamp *now);

#endif
