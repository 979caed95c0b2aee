/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_INCREMENTAL_DEVICE_FILTER_H
#define BACKENDS_INCREMENTAL_DEVICE_FILTER_H

/*
 * The device's half of text_delta.h: an awk program between a kept shell and its reader, for
 * mawk, gawk and busybox alike. It holds no single quote, and writes nothing but what it prints.
 *
 * $N in its environment are the random words of the shell. It prints "$N 1" at once, and then what
 * it reads, but for answers: each comes between a line "$N QUESTION w" (or d) and the mark
 * "$N SEQ STATUS"; questions are 0 to 3. It prints the whole text where w asks for that, where the
 * difference to the last answer of the question would be no shorter, or has other tokens; else the
 * lines of the difference. The mark gets " TOKENS LEN SUM BASE" at its end. What is too large for
 * DELTA_TOKENS_MOST or DELTA_BYTES_MOST ends it.
 */
extern const char answer_filter_awk[];

#endif
