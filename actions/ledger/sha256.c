/* SPDX-License-Identifier: Apache-2.0 */
#include <gnutls/crypto.h>
#include <string.h>

#include "actions/ledger/ledger.h"

void sha256_hex(const void *bytes, size_t n, char out[65])
{
	static const char digits[] = "0123456789abcdef";
	unsigned char sum[32];

	/* A failed hash must not compare equal to any other: it is "". */
	if (gnutls_hash_fast(GNUTLS_DIG_SHA256, n ? bytes : "", n, sum) != 0) {
		out[0] = '\0';
		return;
	}
	for (size_t i = 0; i < sizeof(sum); i++) {
		out[2 * i] = digits[sum[i] >> 4];
		out[2 * i + 1] = digits[sum[i] & 15];
	}
	out[64] = '\0';
}
