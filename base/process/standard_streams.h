/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_PROCESS_STANDARD_STREAMS_H
#define BASE_PROCESS_STANDARD_STREAMS_H

/*
 * Opens the standard streams that are closed. A shell (">&-") or a daemon may start a program so.
 * The next file that is opened would then be the stream, and libuv ends a program that closes one
 * of them. They are opened in the direction in which they fail: an output that nobody gets is an
 * error. Call it first in main().
 */
void standard_streams_open(void);

#endif
