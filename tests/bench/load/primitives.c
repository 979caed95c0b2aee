/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/load/primitives.h"

#include <math.h>
#include <openssl/evp.h>
#include <stdbool.h>
#include <string.h>

#include "tests/support/figures.h"

enum { ROUNDS = 7, TIMES = 60 };

static EVP_PKEY *generate(int type)
{
	EVP_PKEY_CTX *c = EVP_PKEY_CTX_new_id(type, NULL);
	EVP_PKEY *key = NULL;

	if (c && EVP_PKEY_keygen_init(c) == 1)
		(void)EVP_PKEY_keygen(c, &key);
	EVP_PKEY_CTX_free(c);
	return key;
}

static bool agree(EVP_PKEY *theirs)
{
	EVP_PKEY *own = generate(EVP_PKEY_X25519);
	EVP_PKEY_CTX *c = own ? EVP_PKEY_CTX_new(own, NULL) : NULL;
	unsigned char secret[32];
	size_t n = sizeof(secret);
	bool ok = c && EVP_PKEY_derive_init(c) == 1 && EVP_PKEY_derive_set_peer(c, theirs) == 1 &&
		  EVP_PKEY_derive(c, secret, &n) == 1;

	EVP_PKEY_CTX_free(c);
	EVP_PKEY_free(own);
	return ok;
}

/* The length of an exchange's hash. */
struct signature {
	unsigned char of[32], bytes[64];
};

static bool sign(EVP_PKEY *key, struct signature *s)
{
	EVP_MD_CTX *c = EVP_MD_CTX_new();
	size_t n = sizeof(s->bytes);
	bool ok = c && EVP_DigestSignInit(c, NULL, NULL, NULL, key) == 1 &&
		  EVP_DigestSign(c, s->bytes, &n, s->of, sizeof(s->of)) == 1;

	EVP_MD_CTX_free(c);
	return ok;
}

static bool verify(EVP_PKEY *key, const struct signature *s)
{
	EVP_MD_CTX *c = EVP_MD_CTX_new();
	bool ok = c && EVP_DigestVerifyInit(c, NULL, NULL, NULL, key) == 1 &&
		  EVP_DigestVerify(c, s->bytes, sizeof(s->bytes), s->of, sizeof(s->of)) == 1;

	EVP_MD_CTX_free(c);
	return ok;
}

double primitives_ms(void)
{
	EVP_PKEY *theirs = generate(EVP_PKEY_X25519), *host = generate(EVP_PKEY_ED25519);
	struct signature s;
	double least = NAN;
	bool ok = theirs && host;

	memset(&s, 7, sizeof(s));
	for (int round = 0; round < ROUNDS && ok; round++) {
		double before = thread_cpu_us() / 1e3;

		for (int i = 0; i < TIMES && ok; i++)
			ok = agree(theirs) && sign(host, &s) && verify(host, &s);
		least = fmin(least, (thread_cpu_us() / 1e3 - before) / TIMES);
	}
	EVP_PKEY_free(theirs);
	EVP_PKEY_free(host);
	return ok ? least : (double)NAN;
}
