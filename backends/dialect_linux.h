/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_DIALECT_LINUX_H
#define BACKENDS_DIALECT_LINUX_H

/* Sent to `sh -s` on a host: see backends/dialect_linux_script.c for the rules they keep. */
extern const char linux_fast_script[]; /* counters and link state, every interval */
extern const char linux_slow_script[]; /* modules, drivers, PFC settings, LLDP, every 5 minutes */

#endif
