/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FABRIC_VOCABULARY_SHIPPED_H
#define FABRIC_VOCABULARY_SHIPPED_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The system that ships with these ECN thresholds (bytes), such as "SONiC"; NULL: none that is in
 * shipped.def, for that dialect. Devices round in words ("1.43 MB"), so a fiftieth is no
 * difference.
 */
const char *shipped_ecn(const char *dialect, uint32_t min_bytes, uint32_t max_bytes);
/*
 * Whether `pfcwd start_default` of SONiC sets these times (ms): 200 times one to eight, both
 * alike, by the number of ports.
 */
bool shipped_watchdog(const char *dialect, uint32_t detect_ms, uint32_t restore_ms);

#endif
