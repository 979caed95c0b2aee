/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_OUTPUT_OUTPUT_H
#define APP_OUTPUT_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

/*
 * Files that subcommands write at the end: complete and on the disk before they take the name of
 * what was there, which a failure leaves as it was. Through a link, and into what is no file, it is
 * written as it comes; "-" is standard output.
 */
struct output {
	const char *path; /* NULL: this one is not wanted */
	const struct buf *bytes;
	bool keep; /* what is there already is not replaced, whoever made it meanwhile */
};

/* All of them or none, as far as that can be: they are renamed when each is complete. */
bool output_write(const struct output *files, size_t n, struct err *err);

/* What a page of text or JSON must not take the place of, whatever it was named for. */
enum output_check {
	OUTPUT_PAGE, /* not a recording, not an inventory */
	OUTPUT_NEW,  /* nothing at all */
	OUTPUT_FORCE /* any file may go; a directory is none */
};
/* To be asked before anything is collected; NULL and "-" are allowed. */
bool output_allowed(const char *path, enum output_check check, struct err *err);
/* Both are one file, there already or not: the second would take the place of the first. Not "-",
 * and nothing that takes all that comes: a device, a pipe. */
bool output_same(const char *a, const char *b);

#endif
