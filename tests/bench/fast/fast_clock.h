/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_BENCH_FAST_FAST_CLOCK_H
#define TESTS_BENCH_FAST_FAST_CLOCK_H

/*
 * From here on this process lives so many times as fast: whatever asks for the time (the libraries
 * that it is linked with, too) is told that more has passed, and whoever waits for a time waits for
 * a part of it. Processor time stays what it is. Before the first thread is started; a program that
 * is linked with this has the time of the system until then.
 */
void fast_clock(double times);

#endif
