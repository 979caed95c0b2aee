/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_CONSOLE_KEYMAPS_H
#define APP_CONSOLE_KEYMAPS_H

#include <stddef.h>

#include "base/err.h"
#include "tui/keymap.h"

/*
 * Loads the built-in default keys, then the user's keys from a file or a built-in map (vim, k9s).
 * file_or_name NULL: $XDG_CONFIG_HOME/railtop/keymap (~/.config/railtop/keymap), if it exists. A
 * line with an error is reported ("FILE:12: ...") and skipped. NULL with err only if the file
 * cannot be read. The caller frees the result with keymap_free().
 */
struct keymap *keymaps_load(const char *file_or_name,
	void (*report)(void *ctx, const char *message), void *ctx, struct err *err);

#endif
