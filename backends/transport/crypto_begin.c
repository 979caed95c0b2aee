/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/transport/crypto_begin.h"

#include <dlfcn.h>

#include "base/mem.h"

void crypto_begin(void)
{
	/* Looked up: a libssh with another library of cryptography does not have it. */
	union {
		void *symbol;
		void *(*call)(void);
	} context = {.symbol = dlsym(RTLD_DEFAULT, "OSSL_LIB_CTX_get0_global_default")};

	if (context.symbol && !context.call())
		mem_exhausted("libcrypto");
}
