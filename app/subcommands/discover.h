/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_SUBCOMMANDS_DISCOVER_H
#define APP_SUBCOMMANDS_DISCOVER_H

#include "app/options/options.h"

/*
 * Discovers from o->seeds and writes o->output, as `railtop discover`. jump: bastions on the way
 * (backends/transport/proxy_jump.h), NULL: as ssh_config says. Returns the exit code. *known: the
 * number of devices that were asked; may be NULL.
 */
int discover_from(const struct options *o, const char *jump, size_t *known);

#endif
