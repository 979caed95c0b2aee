/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ARCHIVE_EXPORT_TOPOLOGY_PRIVATE_H
#define ARCHIVE_EXPORT_TOPOLOGY_PRIVATE_H

#include <stdio.h>

#include "archive/export/topology.h"

/* Shared by the files of topologies only. */

typedef VEC(const char *) char_list;

bool topology_name_ok(const char *name);
/* The names of devices that may stand in such a file. */
void topology_device_names(const struct model *m, const device_ids *ids, char_list *out);
/* In Slurm's bracket form. */
void topology_print_names(const char_list *names, FILE *out);
/* False with err: it could not be written. */
bool topology_flushed(FILE *out, struct err *err);

#endif
