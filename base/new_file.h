/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_NEW_FILE_H
#define BASE_NEW_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* Names of files: a complete file gets its final name, and the name survives a power cut. */

/* Directory of a path: "." without a slash, "/" for a file of the root. False: dst is too small. */
bool path_directory(const char *path, char *dst, size_t size);
/* Renames, but never over another file. False with errno: EEXIST. */
bool rename_new(const char *from, const char *to);
/* Writes a file's contents to the disk. False with errno. */
bool sync_file(const char *path);
/* Writes a directory's entries to the disk. False with errno; EINVAL: it has no such order. */
bool sync_directory(const char *dir);

#endif
