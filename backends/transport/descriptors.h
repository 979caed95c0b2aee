/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_TRANSPORT_DESCRIPTORS_H
#define BACKENDS_TRANSPORT_DESCRIPTORS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* Open files of the process: a connection is one or more, and Debian's soft limit is 1,024. */

/* Raises the soft limit to the hard one. */
void descriptors_raise(void);
/*
 * What it was before: programs that are started belong under that, for some close every descriptor
 * that they might have. 0: it was not raised.
 */
unsigned long long descriptors_before(void);

/* So many devices, and of these behind bastions. */
struct descriptors_for {
	size_t ssh, ssh_behind, https, https_behind;
	size_t threads; /* of the collector */
};

/* At most: sockets, and some for everything else. */
size_t descriptors_needed(const struct descriptors_for *devices);

/* False when the limit is lower (ERR_LIMIT, and how to raise it); origin: of whom it is told. */
bool descriptors_suffice(size_t needed, const char *origin, struct err *err);

#endif
