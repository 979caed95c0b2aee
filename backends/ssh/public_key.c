/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/ssh/public_key.h"
#include "base/regular_file.h"

#include <arpa/inet.h>
#include <gnutls/gnutls.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"

bool ssh_public_read(const char *path, char *dst, size_t size)
{
	FILE *f = regular_file_stream(path);
	char line[SSH_PUBLIC_MOST + 64], *key;
	bool ok;

	if (!f)
		return false;
	ok = fgets(line, sizeof(line), f) != NULL;
	(void)fclose(f);
	key = ok ? strchr(line, ' ') : NULL;
	return key && str_copyn(dst, size, key + 1, strcspn(key + 1, " \r\n"));
}

static bool decode_base64(const char *base64, gnutls_datum_t *out)
{
	gnutls_datum_t in = {
		.data = (unsigned char *)(uintptr_t)base64, .size = (unsigned)strlen(base64)};

	return in.size && gnutls_base64_decode2(&in, out) == GNUTLS_E_SUCCESS;
}

bool ssh_public_is(const char *base64, const char *bytes, size_t n)
{
	gnutls_datum_t d;
	bool same;

	if (!decode_base64(base64, &d))
		return false;
	same = d.size == n && memcmp(d.data, bytes, n) == 0;
	gnutls_free(d.data);
	return same;
}

/* Returns the offset after the string at from; 0: there is none. */
static size_t after_string(const gnutls_datum_t *d, size_t from)
{
	uint32_t n;

	if (d->size < from + sizeof(n))
		return 0;
	memcpy(&n, d->data + from, sizeof(n));
	n = ntohl(n);
	return n > d->size - from - sizeof(n) ? 0 : from + sizeof(n) + n;
}

/*
 * A public key is its type and its numbers. A certificate has a nonce between the two, and more
 * fields after them.
 */
static bool has_numbers_of(const gnutls_datum_t *certificate, const gnutls_datum_t *key)
{
	size_t theirs = after_string(certificate, 0), own = after_string(key, 0);

	theirs = theirs ? after_string(certificate, theirs) : 0;
	return own && theirs && certificate->size - theirs >= key->size - own && key->size > own &&
	       memcmp(certificate->data + theirs, key->data + own, key->size - own) == 0;
}

bool ssh_public_certifies(const char *certificate, const char *key)
{
	gnutls_datum_t c, k;
	bool ok = false;

	if (!decode_base64(certificate, &c))
		return false;
	if (decode_base64(key, &k)) {
		ok = has_numbers_of(&c, &k);
		gnutls_free(k.data);
	}
	gnutls_free(c.data);
	return ok;
}
