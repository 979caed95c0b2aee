/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/jobs/source.h"

/* Observation lines arrive with --observations, so this source sends no requests. */

const struct job_source_ops job_source_jsonl = {.name = "jsonl"};
