/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/ssh/config.h"

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/str.h"

/* Expands the placeholders of ssh_config: %h, ~, ${NAME}. */

#define TEXT_MOST 4096

/* %C hashes the words without separators. OpenSSH 9.6 adds ProxyJump; 9.2 does not. */
static void add_hash(const struct ssh_tokens *t, struct buf *b)
{
	unsigned char digest[20];
	struct buf words;

	buf_init(&words, TEXT_MOST);
	if (buf_addf(&words, "%s%s%u%s", t->world->machine, t->host, t->port, t->user) &&
		gnutls_hash_fast(GNUTLS_DIG_SHA1, words.data, words.len, digest) == 0) {
		for (size_t i = 0; i < sizeof(digest); i++)
			(void)buf_addf(b, "%02x", digest[i]);
	}
	buf_free(&words);
}

static void add_token(const struct ssh_tokens *t, char token, struct buf *b)
{
	const struct ssh_world *w = t->world;

	switch (token) {
	case '%':
		(void)buf_adds(b, "%");
		break;
	case 'C':
		add_hash(t, b);
		break;
	case 'L':
		(void)buf_add(b, w->machine, strcspn(w->machine, "."));
		break;
	case 'l':
		(void)buf_adds(b, w->machine);
		break;
	case 'd':
		(void)buf_adds(b, w->home);
		break;
	case 'h':
		(void)buf_adds(b, t->host);
		break;
	case 'i':
		(void)buf_addf(b, "%u", w->uid);
		break;
	case 'k':
		(void)buf_adds(b, t->alias ? t->alias : t->name);
		break;
	case 'n':
		(void)buf_adds(b, t->name);
		break;
	case 'p':
		(void)buf_addf(b, "%u", t->port);
		break;
	case 'r':
		(void)buf_adds(b, t->user);
		break;
	default: /* 'u', the only one left */
		(void)buf_adds(b, w->user);
		break;
	}
}

/* Expands "${NAME}" at s. Returns its length; 0: the variable is not set. */
static size_t add_variable(const char *s, struct buf *b)
{
	size_t n = strcspn(s + 2, "}");
	const char *value;
	char name[256];

	if (s[2 + n] != '}' || !str_copyn(name, sizeof(name), s + 2, n))
		return 0;
	value = getenv(name);
	if (!value)
		return 0;
	(void)buf_adds(b, value);
	return n + 3;
}

bool ssh_expand(const struct ssh_tokens *t, const char *from, const char *allowed, bool environment,
	char *dst, size_t size, char *wrong, size_t wrong_size)
{
	struct buf b;
	bool ok = true;

	wrong[0] = '\0';
	buf_init(&b, TEXT_MOST);
	for (const char *s = from; *s && ok;) {
		size_t n = 1;

		if (environment && s[0] == '$' && s[1] == '{') {
			n = add_variable(s, &b);
			ok = n > 0;
			if (!ok)
				(void)str_copyn(wrong, wrong_size, s,
					strcspn(s, "}") + (strchr(s, '}') != NULL));
		} else if (*s == '%') {
			ok = s[1] == '%' || (s[1] && strchr(allowed, s[1]));
			if (ok)
				add_token(t, s[1], &b);
			else
				(void)str_copyn(wrong, wrong_size, s, s[1] ? 2 : 1);
			n = 2;
		} else {
			(void)buf_add(&b, s, 1);
		}
		s += n;
	}
	ok = ok && !b.overflow && str_copyn(dst, size, b.len ? b.data : "", b.len);
	buf_free(&b);
	return ok;
}

bool ssh_expand_home(const struct ssh_world *w, const char *from, char *dst, size_t size)
{
	struct passwd pw, *found = NULL;
	char name[256], space[4096];
	size_t n;

	if (from[0] != '~')
		return str_copy(dst, size, from);
	n = strcspn(from + 1, "/");
	if (!n)
		return str_printf(dst, size, "%s%s", w->home, from + 1);
	return str_copyn(name, sizeof(name), from + 1, n) &&
	       getpwnam_r(name, &pw, space, sizeof(space), &found) == 0 && found &&
	       str_printf(dst, size, "%s%s", pw.pw_dir, from + 1 + n);
}
