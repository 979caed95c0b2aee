/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator/serve/ras_internal.h"

/* The report as JSON in NCCL's layout. Written by hand, because it has 540 bytes per rank. */

static uint64_t mix_bits(uint64_t x)
{
	/* SplitMix64's finaliser; any bijection that resembles a hash will do. */
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

static void put_header(struct ras_client *c)
{
	char when[32];

	ras_timestamp(c, when, sizeof(when));
	(void)buf_addf(&c->out,
		"{\n  \"nccl_version\": \"" RAS_NCCL_VERSION "\",\n"
		"  \"cuda_runtime_version\": %d,\n  \"cuda_driver_version\": %d,\n"
		"  \"timestamp\": \"%s\",\n  \"communicators_count\": 1,\n"
		"  \"communicators\": [\n",
		RAS_CUDA_VERSION, RAS_CUDA_VERSION, when);
}

static void put_who(struct ras_client *c, const struct sim_rank_view *v)
{
	char host[64];

	ras_address(c->ras, v->host, host);
	(void)buf_addf(&c->out,
		"        {\n          \"rank\": %u,\n          \"host\": \"%s\",\n"
		"          \"pid\": %u,\n          \"cuda_dev\": %u,\n          \"nvml_dev\": "
		"%u,\n",
		v->rank, host, v->pid, v->gpu, v->gpu);
}

static void put_rank(struct ras_client *c, const struct sim_rank_view *v)
{
	put_who(c, v);
	(void)buf_adds(&c->out, "          \"status\": {\n"
				"            \"init_state\": 0,\n"
				"            \"async_error\": 0,\n"
				"            \"finalize_called\": false,\n"
				"            \"destroy_flag\": false,\n"
				"            \"abort_flag\": false\n"
				"          },\n"
				"          \"collective_counts\": {\n");
	for (int k = 0; k < SIM_COLLS; k++)
		(void)buf_addf(&c->out, "            \"%s\": %llu%s\n", ras_function(k),
			(unsigned long long)v->counts[k], k + 1 < SIM_COLLS ? "," : "");
	(void)buf_adds(&c->out, "          }\n        }");
}

static void put_missing(struct ras_client *c, const struct sim_rank_view *v)
{
	put_who(c, v);
	(void)buf_addf(&c->out,
		"          \"status\": {\n            \"unresponsive\": true,\n"
		"            \"considered_dead\": %s\n          }\n        }",
		ras_considered_dead(c->ras, &c->job->peer[v->rank]) ? "true" : "false");
}

static unsigned count_missing(const struct ras_job *j)
{
	unsigned n = 0;

	for (unsigned k = 0; k < j->nranks; k++)
		n += ras_missing(&j->peer[k]);
	return n;
}

/* The ranks that answered, or those that did not. */
static void put_ranks(struct ras_client *c, bool missing)
{
	struct sim_rank_view v;
	bool first = true;

	for (unsigned k = 0; k < c->job->nranks; k++) {
		if (ras_missing(&c->job->peer[k]) != missing)
			continue;
		(void)buf_adds(&c->out, first ? "" : ",\n");
		first = false;
		ras_rank(c->ras, c->job, k, &v);
		if (missing)
			put_missing(c, &v);
		else
			put_rank(c, &v);
	}
}

static void put_communicator(struct ras_client *c)
{
	unsigned missing = count_missing(c->job);
	struct sim_job_view v;

	ras_job_view(c, &v);
	(void)buf_addf(&c->out,
		"    {\n      \"hash\": \"0x%llx\",\n      \"secondary_hash\": \"0x%llx:0x%llx\",\n"
		"      \"size\": %u,\n      \"ranks_count\": %u,\n"
		"      \"missing_ranks_count\": %u,\n      \"ranks\": [\n",
		(unsigned long long)v.comm, (unsigned long long)mix_bits(v.comm),
		(unsigned long long)mix_bits(mix_bits(v.comm)), v.nranks, v.nranks - missing,
		missing);
	put_ranks(c, false);
	(void)buf_adds(&c->out, "\n      ]");
	if (missing) {
		(void)buf_adds(&c->out, ",\n      \"missing_ranks\": [\n");
		put_ranks(c, true);
		(void)buf_adds(&c->out, "\n      ]");
	}
	(void)buf_adds(&c->out, "\n    }\n  ],\n");
}

void ras_report_json(struct ras_client *c, double seconds)
{
	put_header(c);
	put_communicator(c);
	(void)buf_addf(&c->out,
		"  \"ras\": {\n    \"collection_time_sec\": %.3f,\n    \"timeouts_count\": %u\n  "
		"}\n}\n",
		seconds, c->timeouts);
}
