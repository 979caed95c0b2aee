/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_SSH_KNOWN_HOSTS_FILES_H
#define BACKENDS_SSH_KNOWN_HOSTS_FILES_H

#include "backends/ssh/known_hosts.h"

/*
 * The known_hosts files of all sessions of the process. Each file is read once for all threads and
 * again when it has changed. All functions may be called from any thread.
 */
struct hosts_file;

/* The files are cached between open and close; the last close frees them. */
void hosts_files_open(void);
void hosts_files_close(void);

/*
 * Returns the entry for a path, whether the file exists or not. It lives until the last
 * hosts_files_close().
 */
struct hosts_file *hosts_file_at(const char *path);
const char *hosts_file_path(const struct hosts_file *f);

/* Copy of a line, independent of later reads of the file. */
struct known_match {
	enum known_mark mark;
	unsigned number;
	const char *file; /* path, owned by the hosts_file */
	char *type, *key;
};
struct known_matches {
	VEC(struct known_match);
};
void known_matches_free(struct known_matches *m);

/*
 * Adds each line of the file about the host, see known_hosts_find(). Checks first whether the file
 * has changed: one stat(). Returns 0, or an errno if the file cannot be read.
 */
int hosts_file_find(
	struct hosts_file *f, const char *host, unsigned port, struct known_matches *out);

#endif
