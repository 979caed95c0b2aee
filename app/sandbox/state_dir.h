/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_SANDBOX_STATE_DIR_H
#define APP_SANDBOX_STATE_DIR_H

#include <stdbool.h>

/*
 * A path in railtop's state directory: $XDG_STATE_HOME/railtop, or ~/.local/state/railtop. "": the
 * directory itself. The caller frees it. NULL: there is no home directory.
 */
char *state_dir_path(const char *name);

/* Makes a directory and those above it, for their owner alone. False: errno. */
bool state_dir_make(const char *path);

#endif
