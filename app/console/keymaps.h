/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_CONSOLE_KEYMAPS_H
#define APP_CONSOLE_KEYMAPS_H

#include <stddef.h>

#include "base/err.h"
#include "tui/keymap.h"

/*
 * The built-in default keys, then the user's: a file, the name of a built-in map (vim, k9s), or
 * with NULL $XDG_CONFIG_HOME/railtop/keymap (~/.config/railtop/keymap) when it exists. Problems are
 * passed to report ("FILE:12: ..."); the rest of the file counts. NULL only when the named file
 * cannot be read.
 */
struct keymap *keymaps_load(const char *file_or_name,
	void (*report)(void *ctx, const char *message), void *ctx, struct err *err);

#endif
