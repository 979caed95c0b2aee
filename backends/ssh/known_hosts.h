/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_SSH_KNOWN_HOSTS_H
#define BACKENDS_SSH_KNOWN_HOSTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

/*
 * A known_hosts file (sshd(8), SSH_KNOWN_HOSTS FILE FORMAT) as a table, so that it is read once and
 * not for each connection. What is known of a host is found by its name without a look at the other
 * lines, whatever their number; lines with wildcards or negations are tried one after the other,
 * they are few. Hashed names cannot be looked up: every line has a salt of its own, so a search
 * costs an HMAC-SHA1 of each, 0.35 us, which is 7 ms for 20,000 lines. Keep what was found.
 *
 * A table never changes; any number of threads may search it.
 */
struct known_hosts;

/* Beyond these, the rest of the file or of the line is left out and counted as unreadable. */
#define KNOWN_HOSTS_BYTES ((size_t)256 << 20)
#define KNOWN_HOSTS_LINES 2000000u
#define KNOWN_HOSTS_LINE  ((size_t)64 << 10)

enum known_mark {
	KNOWN_KEY,
	KNOWN_REVOKED,  /* @revoked: never to be accepted */
	KNOWN_AUTHORITY /* @cert-authority: signs keys of hosts, is none itself */
};

struct known_line {
	enum known_mark mark;
	unsigned number;  /* of the line, from 1 */
	const char *type; /* "ssh-ed25519"; the table's */
	const char *key;  /* base64, as it was written; the table's */
};

struct known_found {
	VEC(uint32_t) lines; /* for known_hosts_line(), in the order of the file */
};

/* Takes text, which was allocated and has a NUL at len. Lines that are none are left out. */
struct known_hosts *known_hosts_new(char *text, size_t len);
void known_hosts_free(struct known_hosts *k);

/*
 * Adds every line about the host. Names are compared as ssh does: "host" for port 22, "[host]:port"
 * for all others, without regard to case; a pattern "[...]:..." is tried for port 22 as well. A
 * line with a negated pattern that fits is not about the host.
 */
void known_hosts_find(
	const struct known_hosts *k, const char *host, unsigned port, struct known_found *found);
/* i < known_hosts_count(). */
struct known_line known_hosts_line(const struct known_hosts *k, uint32_t i);
size_t known_hosts_count(const struct known_hosts *k);
/* How many names are hashed: what a search costs beside nothing. */
size_t known_hosts_hashed(const struct known_hosts *k);
/* Lines that could not be read; the first of them, 0: none. */
size_t known_hosts_unreadable(const struct known_hosts *k, unsigned *first);

#endif
