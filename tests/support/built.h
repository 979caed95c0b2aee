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

/*
 * From here on programs are taken from $PLAIN, where it is set: a build without sanitizers. It is
 * for tests of the requests that reach devices, which walk through all of the console; those that
 * look for errors of memory in it are tests/app/console and tests/integration/chaos.
 */
void built_take_plain(void);

#endif
