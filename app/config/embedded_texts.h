/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_CONFIG_EMBEDDED_TEXTS_H
#define APP_CONFIG_EMBEDDED_TEXTS_H

#include <stddef.h>

/* The text files embedded in the binary: keymaps, runbooks and mappings, by file name
 * ("vim.keys"). */
struct embedded_text {
	const char *name, *text;
};
const struct embedded_text *embedded_text(const char *name); /* NULL: none */
/* Text number i, NULL past the end. */
const struct embedded_text *embedded_text_at(size_t i);

#endif
