/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DIAGNOSIS_DETECTORS_LINK_H
#define DIAGNOSIS_DETECTORS_LINK_H

#include "diagnosis/engine/detector.h"

/* Private to link*.c. */

#define FLAPS_KEPT 16
/* Recent downs of a port: wall times, a ring. */
struct flap_memory {
	int64_t at_us[FLAPS_KEPT];
	uint32_t n;      /* number of downs ever recorded */
	int64_t down_us; /* newest wall time at which a poll showed the port down, 0: never */
};
struct port_memory {
	uint32_t flaps_was;
	bool known, was_up;
	struct flap_memory *flaps; /* NULL: none */
};
struct link_memory {
	VEC(struct port_memory) ports;
};

#define HOUR_US (INT64_C(3600) * 1000000)
#define DAY_US  (24 * HOUR_US)

struct port_memory *link_memory_of(struct link_memory *mem, uint32_t port);
/* Records downs since the last call, and that the port is down now. */
void flaps_note(struct port_memory *pm, const struct port *p, int64_t now_us);
/* Number of downs in the last `us` microseconds before now_us. */
unsigned flaps_within(const struct port_memory *pm, int64_t now_us, int64_t us);
void link_judge_flaps(struct diag_run *r, struct link_memory *mem, const struct port *p);
void link_judge_errors(struct diag_run *r, const struct port *p);
/* Marks findings further downstream as symptoms when forwarded corrupted frames cause them. */
void link_trace_errors(struct diag_run *r);

/* A link outside the backend blocks no GPU: its finding becomes a warning. */
void link_weigh_network(const struct diag_run *r, struct finding *f);
/* Whether an end of the link is a host. */
bool link_to_host(const struct model *m, const struct port *p);
/* "host link" or "fabric link" */
const char *link_kind(const struct model *m, const struct port *p);
/* Whether an end was shut on purpose. */
bool link_shut(const struct port *p, const struct port *peer);

#endif
