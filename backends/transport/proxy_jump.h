/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_TRANSPORT_PROXY_JUMP_H
#define BACKENDS_TRANSPORT_PROXY_JUMP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/*
 * The way to a device through bastions, in the words of ssh_config's ProxyJump:
 * "[user@]host[:port]" or "ssh://...", separated by commas. The first is connected to directly, the
 * last connects to the device. "none" is no bastion at all.
 */
#define JUMP_TEXT_MAX  512
#define JUMP_HOPS_MOST 8

struct jump_hop {
	char user[128]; /* "": as ssh_config says */
	char host[256];
	unsigned port; /* 0: as ssh_config says */
};

bool jump_is_none(const char *spec);
/*
 * The last hop of spec; what is before it, "" when that is nothing, goes to before. False with err
 * (ERR_CONFIG, about origin): spec is not a way.
 */
bool jump_last(const char *spec, struct jump_hop *hop, char *before, size_t size,
	const char *origin, struct err *err);
/* Whether all of spec is a way; likewise. */
bool jump_check(const char *spec, const char *origin, struct err *err);
/*
 * libssh turns ProxyJump into a ProxyCommand "ssh ... -W %h:%p host", and people wrote the same
 * before there was ProxyJump: the way that it means. False: it is another command.
 */
bool jump_of_command(const char *command, char *dst, size_t size);

#endif
