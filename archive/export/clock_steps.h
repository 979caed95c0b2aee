/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ARCHIVE_EXPORT_CLOCK_STEPS_H
#define ARCHIVE_EXPORT_CLOCK_STEPS_H

#include <jansson.h>

#include "fabric/model/model.h"

/* Private to archive/. Steps of the wall clock between two session times; from_us 0: any before. */

/* A list of {"t", "by_s", "from", "text"}, in wall time; null: the clock was not stepped. */
json_t *clock_steps_json(const struct model *m, int64_t from_us, int64_t to_us);
/* "clock stepped -1 h at 02:13:30Z, to 01:13:30Z", the newest first, then "and 3 more steps".
 * Returns the number of steps; dst is "" without one. */
size_t clock_steps_line(
	const struct model *m, int64_t from_us, int64_t to_us, char *dst, size_t size);

#endif
