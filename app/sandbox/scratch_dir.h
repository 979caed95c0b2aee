/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_SANDBOX_SCRATCH_DIR_H
#define APP_SANDBOX_SCRATCH_DIR_H

#include "base/err.h"

/*
 * A private directory for temporary files: railtop-live-XXXXXX in TMPDIR, or in /var/tmp: /tmp may
 * be in memory, and an hour of a large fabric is too large for that. A lock shows that its process
 * lives; the next start removes the others.
 */
struct scratch_dir {
	char *path; /* NULL: none */
	int lock;
};

/* The directory in which it is made. */
const char *scratch_dir_base(void);
/* Removes leftovers of killed processes, and makes a directory. False with err. */
bool scratch_dir_make(struct scratch_dir *d, struct err *err);
/* Removes the directory with the files in it. */
void scratch_dir_remove(struct scratch_dir *d);

#endif
