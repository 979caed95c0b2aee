/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_CONSOLE_NOC_APP_H
#define APP_CONSOLE_NOC_APP_H

#include "app/options/options.h"

/*
 * `railtop --noc`: runs the NOC wall. It has no command table, no actions and none of their
 * credentials, and ignores the user's key file. It runs for weeks, until q is typed twice, a signal
 * ends it or the terminal hangs up. Then it returns EXIT_FINE, so that a supervisor can restart it.
 * An error in the inventory ends it before the first frame, with EXIT_USAGE. Ctrl-Z and Ctrl-\ are
 * ignored.
 */
int noc_run(const struct options *o);

#endif
