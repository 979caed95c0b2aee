/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_DIALECTS_DETECT_H
#define BACKENDS_DIALECTS_DETECT_H

#include "backends/contract/backend.h"

/*
 * Detects over SSH which dialect a device speaks. Sends the probe of each dialect and lets every
 * dialect score every answer. It is not a dialect of the inventory (not in backends.def), but is
 * polled like one (struct collector_opts, ops). Each answer gives facts:
 *   "dialect"  name of the dialect with the best score,  "score"  1..100: how sure
 *   "rdma"     "1": it has RDMA devices,                 "frr"    "1": it has FRR's vtysh
 */
extern const struct backend_ops backend_detect;

#endif
