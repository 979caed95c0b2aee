/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_DIALECTS_POLL_PATH_H
#define BACKENDS_DIALECTS_POLL_PATH_H

#include <stddef.h>

#include "fabric/vocabulary/observation.h"

/*
 * The way of the poll into the device (ATTR_POLL_PATH): the network device that has the address
 * which this connection reached. A VLAN, a bridge or a bond is followed to what carries it.
 *
 * For a shell that sshd started: prints the network device, then what carries it, a line each; ""
 * for an address that no device has, as behind a translation of addresses. $C is /sys/class.
 */
#define POLL_PATH                                                                                  \
	"echo @@via\n"                                                                             \
	"v=${SSH_CONNECTION% *}\n"                                                                 \
	"v=${v##* }\n"                                                                             \
	"[ \"$v\" ] && v=$(ip -o addr show to \"${v%%%*}\" 2>/dev/null | head -n 1)\n"             \
	"case $v in *': '*) v=${v#*: } v=${v%%[ @]*} ;; *) v= ;; esac\n"                           \
	"echo \"$v\"\n"                                                                            \
	"while [ \"$v\" ]; do\n"                                                                   \
	"for l in $C/net/$v/lower_*; do break; done\n"                                             \
	"[ -e \"$l\" ] || break\n"                                                                 \
	"v=${l##*/lower_}\n"                                                                       \
	"done\n"                                                                                   \
	"echo \"$v\"\n"

/*
 * Reads those lines. The loopback device of a host is a tunnel's end and tells no way; of a switch
 * it has the address that the fabric routes to.
 */
void poll_path_read(const char *bytes, size_t len, enum tier tier, struct obs *o);

#endif
