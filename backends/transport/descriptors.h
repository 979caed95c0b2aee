/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_TRANSPORT_DESCRIPTORS_H
#define BACKENDS_TRANSPORT_DESCRIPTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

#include "base/err.h"

/*
 * The limit of open files of the process. Each connection needs one or more; Debian's soft limit is
 * 1,024.
 */

/* Raises the soft limit to the hard one. */
void descriptors_raise(void);
/*
 * Returns the soft limit before that; 0: it was not raised. Child processes should run with the old
 * limit, because some close every possible descriptor.
 */
unsigned long long descriptors_before(void);

/*
 * True where the errno is that of a process or a machine without a free descriptor: then *err says
 * so, with the cure, and nothing about the device.
 */
bool descriptors_ran_out(int error, const char *device, struct err *err);

/*
 * Makes a loop. Its own descriptors may be refused: a loop without them faults when it is used.
 * False with err, which is about this machine. Where libuv aborts instead, in the first loop, the
 * program ends with such words and status 5.
 */
bool descriptors_loop(uv_loop_t *loop, struct err *err);

/* Numbers of devices, and of these, the ones behind bastions. */
struct descriptors_for {
	size_t ssh, ssh_behind, https, https_behind;
	size_t threads; /* of the collector */
};

/* Returns the most descriptors needed: sockets, and some for everything else. */
size_t descriptors_needed(const struct descriptors_for *devices);

/* False when the limit is lower (ERR_LIMIT, with the cure); origin: for the error. */
bool descriptors_suffice(size_t needed, const char *origin, struct err *err);

#endif
