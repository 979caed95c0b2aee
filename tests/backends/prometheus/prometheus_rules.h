/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_BACKENDS_PROMETHEUS_PROMETHEUS_RULES_H
#define TESTS_BACKENDS_PROMETHEUS_PROMETHEUS_RULES_H

#include "backends/prometheus/mapping.h"
#include "fabric/plan/plan.h"

/* A small mapping: rx_bytes_total, pfc_total (by priority), port_up, device_state, device_info. */
struct prometheus_map *prometheus_rules(void);
/* leaf-0 to leaf-(n-1), all reported by the engine. */
void prometheus_plan(struct plan *plan, unsigned n);

#endif
