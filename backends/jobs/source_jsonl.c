/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/jobs/source.h"

/* Observation lines: they come with --observations, so there is nobody to ask. */

const struct job_source_ops job_source_jsonl = {.name = "jsonl"};
