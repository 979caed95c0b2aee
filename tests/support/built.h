/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SUPPORT_BUILT_H
#define TESTS_SUPPORT_BUILT_H

#include <stddef.h>

/*
 * The path of a program of this build, such as "railtop", in dst. $EMULATOR stands in for
 * railtop-emulator: with sanitizers it takes most of a machine, and they are for the code under
 * test.
 */
const char *built_path(const char *name, char *dst, size_t size);

#endif
