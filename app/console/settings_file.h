/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_CONSOLE_SETTINGS_FILE_H
#define APP_CONSOLE_SETTINGS_FILE_H

#include "views/console/console.h"

/*
 * Applies the user's settings: lines "set NAME VALUE" of ~/.config/railtop/config, or of
 * $XDG_CONFIG_HOME/railtop/config; "#" begins a comment. Without a file nothing happens. A line
 * that does not hold is reported with its number, and the rest applies.
 */
void settings_load(struct console *c, void (*report)(void *ctx, const char *message), void *ctx);

#endif
