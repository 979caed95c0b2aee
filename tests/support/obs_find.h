/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SUPPORT_OBS_FIND_H
#define TESTS_SUPPORT_OBS_FIND_H

#include "fabric/vocabulary/observation.h"

/* Looks things up in an observation batch by name; the last item of the same thing wins. */

struct obs_port_ref {
	const struct obs *o;
	uint32_t port; /* OBS_NO_PORT: the device */
};
/* diagnosis/engine/finding.h has a function of this name: programs that link both keep them apart.
 */
#define at_port obs_port_at
/* Fails the test when the batch has no such port. NULL name: the device. */
struct obs_port_ref at_port(const struct obs *o, const char *name);
bool has_port(const struct obs *o, const char *name);

/* The value as a double, count or gauge; NAN when the cell has none. */
double cell_value(struct obs_port_ref at, const char *counter, unsigned sub);
/* Exact 64 bits; fails the test when the cell has no count. */
uint64_t cell_count(struct obs_port_ref at, const char *counter, unsigned sub);
/* VALID_OK with a value, the argument of obs_invalid(), or VALID_UNKNOWN without a report. */
enum validity cell_validity(struct obs_port_ref at, const char *counter, unsigned sub);
const char *cell_cure(struct obs_port_ref at, const char *counter, unsigned sub);
/* "(none)" without a report. */
const char *attr_word(struct obs_port_ref at, enum obs_attr attr, unsigned sub);
/* NAN without a report. */
double attr_number(struct obs_port_ref at, enum obs_attr attr, unsigned sub);
/* "device:port", ":" for a neighbour that is gone, "(none)" without a report. */
const char *lldp_of(struct obs_port_ref at, char *dst, size_t size);
/* VALID_UNKNOWN when the batch does not report the need. */
enum validity capability_of(const struct obs *o, const char *need, const char **cure);

/* Reads a whole file, NUL-terminated; NULL when it is not there. */
char *read_file(const char *path, size_t *len);

#endif
