/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "backends/ssh/config.h"
#include "base/buf.h"
#include "base/str.h"

/*
 * Lists of algorithms in the syntax of ssh_config. libssh 0.10 takes "+x", "-x" and "^x" for names
 * of algorithms. It would then offer only the rest of the list, or nothing.
 */

#define LIST_MOST 8192

#define PLAIN_KEYS                                                                                 \
	"ssh-ed25519,ecdsa-sha2-nistp521,ecdsa-sha2-nistp384,ecdsa-sha2-nistp256,"                 \
	"sk-ssh-ed25519@openssh.com,sk-ecdsa-sha2-nistp256@openssh.com,"                           \
	"rsa-sha2-512,rsa-sha2-256"
#define CERTIFIED_KEYS                                                                             \
	"ssh-ed25519-cert-v01@openssh.com,ecdsa-sha2-nistp521-cert-v01@openssh.com,"               \
	"ecdsa-sha2-nistp384-cert-v01@openssh.com,ecdsa-sha2-nistp256-cert-v01@openssh.com,"       \
	"sk-ssh-ed25519-cert-v01@openssh.com,sk-ecdsa-sha2-nistp256-cert-v01@openssh.com,"         \
	"rsa-sha2-512-cert-v01@openssh.com,rsa-sha2-256-cert-v01@openssh.com"

/* usual: offered by default; more: libssh also supports these. */
static const struct {
	enum ssh_option option;
	const char *usual, *more;
} lists[] = {
	/* AEAD first: half the processor time of ctr with a separate MAC. */
	{SAID_CIPHERS,
		"aes256-gcm@openssh.com,chacha20-poly1305@openssh.com,aes128-gcm@openssh.com,"
		"aes256-ctr,aes192-ctr,aes128-ctr",
		"aes256-cbc,aes192-cbc,aes128-cbc,3des-cbc"},
	{SAID_MACS,
		"hmac-sha2-256-etm@openssh.com,hmac-sha2-512-etm@openssh.com,hmac-sha2-256,"
		"hmac-sha2-512",
		"hmac-sha1-etm@openssh.com,hmac-sha1"},
	{SAID_KEX,
		"curve25519-sha256,curve25519-sha256@libssh.org,ecdh-sha2-nistp256,"
		"ecdh-sha2-nistp384,ecdh-sha2-nistp521,diffie-hellman-group18-sha512,"
		"diffie-hellman-group16-sha512,diffie-hellman-group-exchange-sha256,"
		"diffie-hellman-group14-sha256",
		"diffie-hellman-group14-sha1,diffie-hellman-group1-sha1,"
		"diffie-hellman-group-exchange-sha1"},
	/* libssh cannot check a certificate of a host. */
	{SAID_HOST_KEY_ALGORITHMS, PLAIN_KEYS, "ssh-rsa"},
	{SAID_PUBKEY_ALGORITHMS, CERTIFIED_KEYS "," PLAIN_KEYS,
		"ssh-rsa-cert-v01@openssh.com,ssh-rsa"},
};

static size_t at_option(enum ssh_option option)
{
	size_t i = 0;

	while (i + 1 < sizeof(lists) / sizeof(lists[0]) && lists[i].option != option)
		i++;
	return i;
}

const char *ssh_algorithms_usual(enum ssh_option option)
{
	return lists[at_option(option)].usual;
}

/*
 * Copies the next name of a comma-separated list and advances *at. False: the list is at its end,
 * or the name does not fit.
 */
static bool next_name(const char **at, char *name, size_t size)
{
	while (**at) {
		size_t n = strcspn(*at, ",");
		bool fits = n && str_copyn(name, size, *at, n);

		*at += n + ((*at)[n] == ',');
		if (fits)
			return true;
	}
	return false;
}

static bool has_name(const struct buf *b, const char *name)
{
	const char *at = b->len ? b->data : "";
	char one[128];

	while (next_name(&at, one, sizeof(one))) {
		if (str_eq(one, name))
			return true;
	}
	return false;
}

static void add_name(struct buf *b, const char *name)
{
	if (!has_name(b, name))
		(void)buf_addf(b, "%s%s", b->len ? "," : "", name);
}

/* Adds the names of list that match the pattern. */
static void add_fitting(struct buf *b, const char *list, const char *pattern)
{
	char name[128];

	while (next_name(&list, name, sizeof(name))) {
		if (ssh_pattern_fits(pattern, strlen(pattern), name))
			add_name(b, name);
	}
}

/* Unknown names stay in the list; libssh skips them. */
static void add_names(struct buf *b, const char *names, size_t i)
{
	char name[128];

	while (next_name(&names, name, sizeof(name))) {
		if (strpbrk(name, "*?")) {
			add_fitting(b, lists[i].usual, name);
			add_fitting(b, lists[i].more, name);
		} else {
			add_name(b, name);
		}
	}
}

static void add_others(struct buf *b, const char *list, const char *patterns)
{
	char name[128];

	while (next_name(&list, name, sizeof(name))) {
		if (!ssh_patterns_fit(patterns, name, false))
			add_name(b, name);
	}
}

bool ssh_algorithms(enum ssh_option option, const char *said, char *dst, size_t size)
{
	size_t i = at_option(option);
	struct buf b;
	bool ok;

	buf_init(&b, LIST_MOST);
	if (*said == '-') {
		add_others(&b, lists[i].usual, said + 1);
	} else if (*said == '+') {
		add_names(&b, lists[i].usual, i);
		add_names(&b, said + 1, i);
	} else if (*said == '^') {
		add_names(&b, said + 1, i);
		add_names(&b, lists[i].usual, i);
	} else {
		add_names(&b, said, i);
	}
	ok = b.len && !b.overflow && str_copyn(dst, size, b.data, b.len);
	buf_free(&b);
	return ok;
}
