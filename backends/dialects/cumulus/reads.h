/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_DIALECTS_CUMULUS_READS_H
#define BACKENDS_DIALECTS_CUMULUS_READS_H

#include "backends/contract/backend.h"

/* backend_ops.reads() of Cumulus Linux. */
bool cumulus_reads(const struct request *r);

#endif
