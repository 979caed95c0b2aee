/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_TRANSPORT_PROXY_JUMP_H
#define BACKENDS_TRANSPORT_PROXY_JUMP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/*
 * The route to a device through bastions, in the syntax of ssh_config's ProxyJump:
 * "[user@]host[:port]" or "ssh://...", separated by commas. The first is connected to directly, the
 * last connects to the device. "none" means no bastion.
 */
#define JUMP_TEXT_MAX  512
#define JUMP_HOPS_MOST 8

struct jump_hop {
	char user[128]; /* "": from ssh_config */
	char host[256];
	unsigned port; /* 0: from ssh_config */
};

bool jump_is_none(const char *spec);
/*
 * Parses the last hop of spec; copies the part before it, which may be "", to before. False with
 * err (ERR_CONFIG, with origin): spec is invalid.
 */
bool jump_last(const char *spec, struct jump_hop *hop, char *before, size_t size,
	const char *origin, struct err *err);
/* True: all of spec is a valid route; errors as in jump_last(). */
bool jump_check(const char *spec, const char *origin, struct err *err);
/*
 * Converts a ProxyCommand "ssh ... -W %h:%p host" to the route. libssh turns ProxyJump into such a
 * command, and users wrote it before there was ProxyJump. False: it is another command.
 */
bool jump_of_command(const char *command, char *dst, size_t size);

#endif
