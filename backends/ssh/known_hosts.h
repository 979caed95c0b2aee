/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_SSH_KNOWN_HOSTS_H
#define BACKENDS_SSH_KNOWN_HOSTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

/*
 * A known_hosts file (sshd(8), SSH_KNOWN_HOSTS FILE FORMAT) parsed into a table. The file is read
 * once and not for each connection. A lookup by name does not visit other lines, whatever their
 * number. The few lines with wildcards or negations are tried one by one.
 *
 * Hashed names cannot be indexed, because each line has its own salt. A search computes an
 * HMAC-SHA1 for each of them: 0.35 us, which is 7 ms for 20,000 lines. The caller should cache the
 * result.
 *
 * A table is immutable; any number of threads may search it.
 */
struct known_hosts;

/* Limits. The rest of the file or of the line is skipped and counted as unreadable. */
#define KNOWN_HOSTS_BYTES ((size_t)256 << 20)
#define KNOWN_HOSTS_LINES 2000000u
#define KNOWN_HOSTS_LINE  ((size_t)64 << 10)

enum known_mark {
	KNOWN_KEY,
	KNOWN_REVOKED,  /* @revoked: never accepted */
	KNOWN_AUTHORITY /* @cert-authority: signs host keys, is not a host key itself */
};

struct known_line {
	enum known_mark mark;
	unsigned number;  /* line number, from 1 */
	const char *type; /* "ssh-ed25519"; owned by the table */
	const char *key;  /* base64 as written; owned by the table */
};

struct known_found {
	VEC(uint32_t) lines; /* indexes for known_hosts_line(), in the order of the file */
};

/*
 * Parses text and takes ownership of it; it is allocated and has a NUL at len. Skips invalid lines.
 */
struct known_hosts *known_hosts_new(char *text, size_t len);
void known_hosts_free(struct known_hosts *k);

/*
 * Adds every line about the host. Names are compared as in ssh: "host" for port 22, "[host]:port"
 * for all others, ignoring case. A pattern "[...]:..." is tried for port 22 as well. A line with a
 * negated pattern that matches is not about the host.
 */
void known_hosts_find(
	const struct known_hosts *k, const char *host, unsigned port, struct known_found *found);
/* i must be less than known_hosts_count(). */
struct known_line known_hosts_line(const struct known_hosts *k, uint32_t i);
size_t known_hosts_count(const struct known_hosts *k);
/* Number of hashed names. A search costs one HMAC for each of them. */
size_t known_hosts_hashed(const struct known_hosts *k);
/* Number of lines that could not be read; *first: number of the first one, 0: none. */
size_t known_hosts_unreadable(const struct known_hosts *k, unsigned *first);

#endif
