/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_SSH_KNOWN_HOSTS_FILES_H
#define BACKENDS_SSH_KNOWN_HOSTS_FILES_H

#include "backends/ssh/known_hosts.h"

/*
 * The known_hosts files of all sessions of the process. Each is read once for all threads, and
 * again when it has changed. Safe to call from any thread.
 */
struct hosts_file;

/* Between these the files are kept; the last one to close frees them. */
void hosts_files_open(void);
void hosts_files_close(void);

/* The file of that path, whether there is one or not. Lives until the last hosts_files_close(). */
struct hosts_file *hosts_file_at(const char *path);
const char *hosts_file_path(const struct hosts_file *f);

/* A copy of a line, so that it does not matter when the file is read again. */
struct known_match {
	enum known_mark mark;
	unsigned number;
	const char *file; /* its path, of the hosts_file */
	char *type, *key;
};
struct known_matches {
	VEC(struct known_match);
};
void known_matches_free(struct known_matches *m);

/*
 * Adds what the file says of the host, see known_hosts_find(). Looks first whether it has changed:
 * one stat(). 0, or the errno of why it cannot be read.
 */
int hosts_file_find(
	struct hosts_file *f, const char *host, unsigned port, struct known_matches *out);

#endif
