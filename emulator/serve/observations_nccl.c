/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator/serve/observations_internal.h"
#include "emulator/serve/ras_internal.h"

/*
 * A finished collective as NCCL's Inspector plugin writes it (format v4.0, one object an
 * operation), with the GPU beside it.
 */

/* Bytes that cross a link for each byte of the message, as nccl-tests computes it. */
static double bus_factor(enum sim_coll coll, unsigned nranks)
{
	double n = nranks ? nranks : 1;

	switch (coll) {
	case SIM_ALLREDUCE:
		return 2 * (n - 1) / n;
	case SIM_ALLGATHER:
	case SIM_REDUCESCATTER:
		return (n - 1) / n;
	case SIM_BROADCAST:
	case SIM_REDUCE:
	case SIM_COLLS:
		break;
	}
	return 1;
}

static void put_perf(struct buf *b, const struct sim_job_view *job, const struct sim_rank_view *v)
{
	int64_t us = v->ended_us - v->entered_us;
	double gbs = us > 0 ? (double)v->bytes / ((double)us * 1e3) : 0;

	(void)buf_addf(b,
		"\"coll_perf\":{\"coll\":\"%s\",\"coll_sn\":%llu,\"coll_msg_size_bytes\":%llu,"
		"\"coll_exec_time_us\":%lld,\"coll_timing_source\":\"kernel_gpu\","
		"\"coll_algobw_gbs\":%.6f,\"coll_busbw_gbs\":%.6f,"
		"\"event_trace_ts\":{\"coll_start_ts\":%lld,\"coll_stop_ts\":%lld}}",
		ras_function((int)v->coll), (unsigned long long)v->coll_sn,
		(unsigned long long)v->bytes, (long long)us, gbs,
		gbs * bus_factor(v->coll, job->nranks), (long long)v->entered_us,
		(long long)v->ended_us);
}

void observe_collective(struct buf *b, const struct sim_job_view *job, unsigned nnodes,
	const struct sim_rank_view *v)
{
	/* The plugin's buffer holds 14 of the 16 digits of the communicator's hash. */
	(void)buf_addf(b, ",\"nccl\":{\"header\":{\"id\":\"0x%014llx\",\"comm_name\":",
		(unsigned long long)(job->comm >> 8));
	line_string(b, job->name);
	(void)buf_addf(b,
		",\"rank\":%u,\"n_ranks\":%u,\"nnodes\":%u},"
		"\"metadata\":{\"inspector_output_format_version\":\"v4.0\",\"hostname\":",
		v->rank, job->nranks, nnodes);
	line_string(b, v->host->name);
	(void)buf_addf(b, ",\"pid\":%u},", v->pid);
	put_perf(b, job, v);
	(void)buf_addf(b, ",\"cuda_dev\":%u}", v->gpu);
}
