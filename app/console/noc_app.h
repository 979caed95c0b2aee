/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_CONSOLE_NOC_APP_H
#define APP_CONSOLE_NOC_APP_H

#include "app/options/options.h"

/*
 * `railtop --noc`: the wall. No command table, no actions and none of their credentials, no key
 * file of the user. Runs for weeks: until q is typed twice, a signal ends it or the terminal hangs
 * up, each with EXIT_FINE, so that whoever starts it may start it again. What is wrong with the
 * inventory ends it before it draws, with EXIT_USAGE. Ctrl-Z and Ctrl-\ are keys without a meaning.
 */
int noc_run(const struct options *o);

#endif
