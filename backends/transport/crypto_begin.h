/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_TRANSPORT_CRYPTO_BEGIN_H
#define BACKENDS_TRANSPORT_CRYPTO_BEGIN_H

/*
 * Makes the cryptography below libssh and libcurl ready, before the first device is asked. OpenSSL
 * 3.0 that had no memory for its first context follows NULL at its next use: instead the program
 * ends as one without memory does, see mem_exhausted(). May be called again.
 */
void crypto_begin(void);

#endif
