/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_INCREMENTAL_DEVICE_FILTER_H
#define BACKENDS_INCREMENTAL_DEVICE_FILTER_H

/*
 * The device's half of text_delta.h: an awk program between a persistent shell and its reader. It
 * runs in mawk, gawk and busybox. It contains no single quote, and writes only to standard output.
 *
 * The environment variable N holds the random word of the shell. The program prints "$N 1" at once,
 * and then copies its input, except answers. An answer stands between a line "$N QUESTION w" (or d)
 * and the mark "$N SEQ STATUS"; questions are 0 to 3.
 *
 * It prints the full text for w, when the difference from the last answer would be no shorter, and
 * when the tokens differ. Otherwise it prints the lines of the difference. It appends " TOKENS LEN
 * SUM BASE" to the mark. It exits on an answer beyond DELTA_TOKENS_MOST or DELTA_BYTES_MOST.
 */
extern const char answer_filter_awk[];

#endif
