/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_DIALECTS_DETECT_H
#define BACKENDS_DIALECTS_DETECT_H

#include "backends/contract/backend.h"

/*
 * Finds out over SSH what a device is: asks what the dialects' probes ask and lets every dialect
 * judge every answer. It is no dialect of an inventory (not in backends.def), but is polled as one
 * (struct collector_opts, ops). Each answer gives facts:
 *   "dialect"  name of the dialect that is surest,   "score"  1..100: how sure
 *   "rdma"     "1": it has RDMA devices,             "frr"    "1": it has FRR's vtysh
 */
extern const struct backend_ops backend_detect;

#endif
