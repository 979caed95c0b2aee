/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_PRIVATE_FILE_H
#define BASE_PRIVATE_FILE_H

#include <stdio.h>
#include <sys/types.h>

/*
 * Files that say what a fabric looks like and who works on it are for their owner alone, whatever
 * the umask. They are for the group as well in a directory that was shared on purpose: one with the
 * set-group-id bit. A file that is there keeps its mode.
 */

/* The mode of a new file at path: 0600, or 0640. */
mode_t private_file_mode(const char *path);
/* Opens a file to write ("w": emptied, "a": behind its end). NULL: errno. The caller closes it. */
FILE *private_file_open(const char *path, const char *mode);

#endif
