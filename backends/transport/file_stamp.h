/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_TRANSPORT_FILE_STAMP_H
#define BACKENDS_TRANSPORT_FILE_STAMP_H

#include <stdbool.h>
#include <sys/stat.h>

/* Whether a file is the one that was read: who replaces or writes it changes one of these. */
struct file_stamp {
	int error; /* errno of stat(): no such file, no right to look; 0: the rest is filled */
	dev_t device;
	ino_t inode;
	off_t size;
	struct timespec changed, modified;
	bool young; /* written a moment ago: more may follow that leaves all of this as it is */
};

/* One stat(), before the file is read; one that is not there has a stamp, too. */
void file_stamp(struct file_stamp *s, const char *path);
/* now: taken later. False where it cannot be told. */
bool file_stamp_same(const struct file_stamp *read, const struct file_stamp *now);

#endif
