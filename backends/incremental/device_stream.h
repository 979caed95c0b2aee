/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_INCREMENTAL_DEVICE_STREAM_H
#define BACKENDS_INCREMENTAL_DEVICE_STREAM_H

/*
 * What a kept shell is told once so that it answers a question by itself: functions and variables,
 * all called t_..., for dash, bash and busybox alike. They use $N and f0, f1, ... of that shell.
 *
 *   t_b EVERY SEQ F   asks f$F each EVERY hundredths of a second, from one EVERY on, in a process
 *                     beside the shell; numbers of answers go on from SEQ. Where the clock cannot
 *                     be read or slept by, it prints "n$N" and asks nothing.
 *   t_end SEQ         no more of it: prints "x$N SEQ" when the answer under way, if any, is whole.
 *
 * Each is framed as r frames one, and the mark has three more numbers behind the status: which
 * place of the grid of EVERY it has, so that one that was left out is seen, and the device's time
 * since it booted, when the question was answered, and how long that took, in hundredths of a
 * second. It ends with the shell, and without it at the next place.
 */
extern const char answer_stream_sh[];

#endif
