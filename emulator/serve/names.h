/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_NAMES_H
#define EMULATOR_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/*
 * Bracket lists in the form of Slurm and pdsh: "leaf-r[0-7]-[00-15],spine-[000,002-005]". Leading
 * zeros give the width. Calls add for every name in order, for at most limit names. Stops when add
 * returns false; add has then filled *err. ERR_CONFIG describes the problem of the list; the caller
 * sets the origin.
 */
typedef bool names_add(void *arg, const char *name, struct err *err);
bool names_expand(const char *list, size_t limit, names_add *add, void *arg, struct err *err);

#endif
