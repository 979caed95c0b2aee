/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_SSH_PUBLIC_KEY_H
#define BACKENDS_SSH_PUBLIC_KEY_H

#include <stdbool.h>
#include <stddef.h>

/* Public keys and certificates in the text form of a .pub file (base64). */
#define SSH_PUBLIC_MOST 16384

/* Reads the key of the first line. Returns false if the file has no such line. */
bool ssh_public_read(const char *path, char *dst, size_t size);
/* True: the text encodes those bytes, as an agent sends them. */
bool ssh_public_is(const char *base64, const char *bytes, size_t n);
/* True: the certificate is for the key. The server checks its signature. */
bool ssh_public_certifies(const char *certificate, const char *key);

#endif
