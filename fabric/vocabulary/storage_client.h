/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FABRIC_VOCABULARY_STORAGE_CLIENT_H
#define FABRIC_VOCABULARY_STORAGE_CLIENT_H

#include <stdbool.h>

/*
 * Lines of a kernel's log, with or without "kernel: " in front, about the storage that a host uses:
 * network file systems, NVMe over a network, disks and what stands above them.
 */

/* What speaks: "NFS", "Lustre", "a disk"; NULL: another part of the kernel. is_net may be NULL. */
const char *storage_client(const char *line, bool *is_net);
/* It tells of trouble. */
bool storage_client_error(const char *line);
/* No data come any longer: a server that does not answer, an eviction, an error of the medium. */
bool storage_client_stopped(const char *line);
/* The trouble is over. */
bool storage_client_over(const char *line);

#endif
