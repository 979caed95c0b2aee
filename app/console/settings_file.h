/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_CONSOLE_SETTINGS_FILE_H
#define APP_CONSOLE_SETTINGS_FILE_H

#include "base/clock_zone.h"
#include "views/console/console.h"

/*
 * Applies the settings and the own commands of the site, /etc/railtop/config, and then those of the
 * user, ~/.config/railtop/config or $XDG_CONFIG_HOME/railtop/config: lines "set NAME VALUE" and of
 * console_define(); "#" begins a comment. Without a file nothing happens. A line that does not hold
 * is reported with its number, and the rest applies. A file that others may write names no program.
 */
void settings_load(struct console *c, void (*report)(void *ctx, const char *message), void *ctx);

/*
 * The zone that these files set, for screens without other settings. Lines that do not hold are
 * left to those who apply them all.
 */
struct clock_zone settings_zone(void);

#endif
