/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_BENCH_FAST_FAST_CLOCK_H
#define TESTS_BENCH_FAST_FAST_CLOCK_H

/*
 * From here on this process lives `times` times as fast. Every request for the time reports that
 * more has passed, also in the libraries that it is linked with. Every wait lasts only a part of
 * its time. Processor time stays as it is. Call it before the first thread starts; until then a
 * linked program has the time of the system.
 */
void fast_clock(double times);

#endif
