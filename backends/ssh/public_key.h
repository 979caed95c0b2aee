/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_SSH_PUBLIC_KEY_H
#define BACKENDS_SSH_PUBLIC_KEY_H

#include <stdbool.h>
#include <stddef.h>

/* Public halves of keys, and certificates, as the text of a .pub file has them (base64). */
#define SSH_PUBLIC_MOST 16384

/* The key of the file's first line; false: it is no such file. */
bool ssh_public_read(const char *path, char *dst, size_t size);
/* Whether the text is those bytes, as an agent has them. */
bool ssh_public_is(const char *base64, const char *bytes, size_t n);
/* Whether the certificate is about the key: its signature is the server's affair. */
bool ssh_public_certifies(const char *certificate, const char *key);

#endif
