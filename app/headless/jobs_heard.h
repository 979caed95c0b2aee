/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_HEADLESS_JOBS_HEARD_H
#define APP_HEADLESS_JOBS_HEARD_H

#include <stdbool.h>
#include <stddef.h>

#include "fabric/model/model.h"
#include "fabric/plan/plan.h"

/*
 * Whether each source of jobs of the inventory has answered or failed once, so that a job which
 * none of them named is not there. False while a source may still bring it, and where there is no
 * source. asked: the sources for a message, "nccl-ras on 32 hosts, slurm on head".
 */
bool jobs_heard(const struct plan *plan, const struct model *m, char *asked, size_t size);

#endif
