/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_NAMES_H
#define EMULATOR_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/*
 * Bracket lists as Slurm and pdsh write them: "leaf-r[0-7]-[00-15],spine-[000,002-005]". Leading
 * zeros give the width. Calls add for every name in order, at most limit of them; stops when add
 * returns false (which then has filled *err). ERR_CONFIG says what is wrong with the list; the
 * origin is left to the caller.
 */
typedef bool names_add(void *arg, const char *name, struct err *err);
bool names_expand(const char *list, size_t limit, names_add *add, void *arg, struct err *err);

#endif
