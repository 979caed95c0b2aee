/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_OUTPUT_OUTPUT_H
#define APP_OUTPUT_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

/*
 * Writes the files of subcommands at their end. A file is complete and on the disk before it
 * replaces the old one; after a failure the old one is unchanged. Links, and paths that are no
 * regular files, are written directly. "-" is standard output.
 */
struct output {
	const char *path; /* NULL: skip this file */
	const struct buf *bytes;
	bool keep; /* never replace a file, even if it appeared meanwhile */
};

/* Writes all files or, if possible, none: they are renamed when all are complete. */
bool output_write(const struct output *files, size_t n, struct err *err);

/* Files that a page of text or JSON must not replace. */
enum output_check {
	OUTPUT_PAGE, /* recordings and inventories */
	OUTPUT_NEW,  /* any existing file */
	OUTPUT_FORCE /* none; a directory is never replaced */
};
/* To be called before collecting. path NULL and "-" are allowed. */
bool output_allowed(const char *path, enum output_check check, struct err *err);
/* True when both are the same file, existing or not, so that the second would replace the first.
 * False for "-", devices and pipes. */
bool output_same(const char *a, const char *b);

#endif
