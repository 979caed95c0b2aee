/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/str.h"
#include "emulator/serve/observations_internal.h"
#include "emulator/serve/ras_internal.h"

/*
 * A finished collective in the form of NCCL's Inspector plugin (format v4.0, one object per
 * operation), with the GPU beside it; and the RAS report of the processes.
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
	/* The plugin's buffer holds 14 of the digits that RAS prints of the communicator's hash. */
	char id[17];

	(void)str_printf(id, sizeof(id), "0x%llx", (unsigned long long)job->comm);
	(void)buf_addf(b, ",\"nccl\":{\"header\":{\"id\":\"%s\",\"comm_name\":", id);
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

void observe_address(void *arg, const struct sim_device *host, char *dst, size_t size)
{
	(void)arg;
	(void)str_copy(dst, size, host->name);
}

/* A line of the file must have no line breaks; strings of the report have none either. */
static void add_on_one_line(struct buf *b, const char *text, size_t len)
{
	const char *end = text + len;

	while (text < end) {
		size_t n = strcspn(text, "\n");

		(void)buf_add(b, text, n);
		text += n;
		text += strspn(text, "\n ");
	}
}

/* A connection to the first host of the job with a process that listens for it and is awake. */
static struct ras_client *query_ras(
	struct observations *w, size_t i, const struct sim_job_view *job)
{
	static const char question[] = "SET FORMAT json\nSTATUS\n";
	struct sim_rank_view v;

	for (unsigned rank = 0; rank < job->nranks; rank += job->gpus_per_host) {
		struct ras_client *c;

		sim_rank(w->o.sim, i, rank, &v);
		c = ras_connect(w->ras, v.host);
		if (!c)
			continue;
		if (c->job->job == i)
			ras_input(c, question, sizeof(question) - 1);
		if (ras_collecting(c))
			return c;
		ras_disconnect(c);
	}
	return NULL;
}

bool observe_ras(struct observations *w, size_t i, const struct sim_job_view *job)
{
	struct ras_client *c = job->gpus_per_host ? query_ras(w, i, job) : NULL;
	const char *report;

	if (!c)
		return false;
	ras_collect(c);
	report = strchr(ras_output(c)->data, '{');
	line_begin(&w->line, sim_now(w->o.sim), c->host->name);
	(void)buf_adds(&w->line, ",\"nccl\":");
	add_on_one_line(
		&w->line, report, ras_output(c)->len - (size_t)(report - ras_output(c)->data));
	ras_disconnect(c);
	return true;
}
