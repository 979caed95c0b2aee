/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_BENCH_LOAD_FLOOR_H
#define TESTS_BENCH_LOAD_FLOOR_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The least work of any client: `count` answers of `size` bytes in records of at most 32 KB. They
 * are received from a TCP connection on loopback, decrypted with AES-256-GCM and read once. Reading
 * compares the text between the numbers and converts these. No SSH, no names, no model. Returns CPU
 * seconds of this process for one answer; < 0: it could not be measured.
 */
double floor_cpu_s(const char *text, size_t size, unsigned count);

#endif
