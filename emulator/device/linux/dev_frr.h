/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_DEV_FRR_H
#define EMULATOR_DEV_FRR_H

#include "emulator/device/linux/dev_linux.h"

/* FRR 8.4 on a Linux switch: unnumbered BGP on every link to another switch. */

/* The planned other end; NULL: none. */
const struct sim_port *frr_far_end(const struct sim_port *p);
/* Time in the state as FRR prints it: "00:01:15", "1d02h03m", "01w2d03h". */
void frr_uptime(const struct machine *m, int64_t since_us, char dst[24]);

/* Show commands: the caller owns the JSON. */
json_t *frr_summary(const struct machine *m);
json_t *frr_neighbors(const struct machine *m, const char *only);
json_t *frr_interfaces(const struct machine *m, const char *only);
void frr_summary_text(const struct machine *m, struct buf *out);
void frr_running_text(const struct machine *m, struct buf *out);

#endif
