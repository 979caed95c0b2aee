/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_PROCESS_PROGRAM_PATH_H
#define BASE_PROCESS_PROGRAM_PATH_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The absolute path of this program, to find what lies beside it. In the archive of
 * packaging/tarball it is that of the launcher: there the kernel has started the loader.
 * False with errno.
 */
bool program_path(char *dst, size_t size);

#endif
