/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/nccl_private.h"

/* What is declared and not decoded yet. */

static bool later(struct obs *out, struct err *err)
{
	return err_set(err, ERR_UNSUPPORTED, out->device, "this format is not decoded yet");
}

#define LATER(name)                                                                                \
	bool name(const char *bytes, size_t len, struct obs *out, struct err *err)                 \
	{                                                                                          \
		(void)bytes;                                                                       \
		(void)len;                                                                         \
		return later(out, err);                                                            \
	}
LATER(nccl_profiler_parse)
LATER(nccl_flight_parse)
LATER(nccl_log_parse)
LATER(nccl_slurm_parse)
LATER(nccl_jobs_parse)
LATER(nccl_topo_parse)
LATER(nccl_gpus_parse)
LATER(nccl_addresses_parse)

bool nccl_flight_document(const json_t *doc, int32_t rank, struct obs *out, struct err *err)
{
	(void)doc;
	(void)rank;
	return later(out, err);
}
