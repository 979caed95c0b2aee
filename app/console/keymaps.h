/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_CONSOLE_KEYMAPS_H
#define APP_CONSOLE_KEYMAPS_H

#include <stddef.h>

#include "base/err.h"
#include "tui/keymap.h"

/*
 * Loads the built-in default keys, then the user's: a file or a built-in map (vim, k9s). NULL means
 * $XDG_CONFIG_HOME/railtop/keymap (~/.config/railtop/keymap) if it exists. Errors go to report
 * ("FILE:12: ..."); the other lines are used. NULL with err only when the named file cannot be
 * read. The caller frees the result with keymap_free().
 */
struct keymap *keymaps_load(const char *file_or_name,
	void (*report)(void *ctx, const char *message), void *ctx, struct err *err);

#endif
