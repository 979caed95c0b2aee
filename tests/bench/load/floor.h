/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_BENCH_LOAD_FLOOR_H
#define TESTS_BENCH_LOAD_FLOOR_H

#include <stdbool.h>
#include <stddef.h>

/*
 * What no client can do without: `count` answers of `size` bytes in records of at most 32 KB,
 * received from a TCP connection on loopback, decrypted with AES-256-GCM and looked through once,
 * comparing what is between the numbers and converting these. No SSH, no names, no model. CPU
 * seconds of this process for one answer; < 0: it could not be measured.
 */
double floor_cpu_s(const char *text, size_t size, unsigned count);

#endif
