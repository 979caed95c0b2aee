/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_DIALECTS_ROLE_H
#define BACKENDS_DIALECTS_ROLE_H

#include "backends/contract/backend.h"

/*
 * The question of `railtop discover` to a Linux device, and its answer's decoder: see
 * backends/dialects/linux/role.c, which defines both. False: it is no such answer.
 */
extern const char linux_role_script[];
bool linux_parse_role(const struct target *t, const char *bytes, size_t len, struct obs *o);

#endif
