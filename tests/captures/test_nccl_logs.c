/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "tests/captures/nccl_capture.h"
#include "tests/support/cases.h"
#include "tests/support/nccl_find.h"

#define WORLD "0x9bd8b4c5a3b1e8f7"

static const int32_t pids[32] = {25488, 25489, 25491, 25492, 25493, 25494, 25495, 25496, 25505,
	25506, 25507, 25510, 25511, 25512, 25513, 25514, 25524, 25525, 25526, 25527, 25528, 25529,
	25531, 25535, 25545, 25546, 25547, 25548, 25549, 25551, 25554, 25555};
static const char *const buses[8] = {"0000:19:00.0", "0000:3b:00.0", "0000:4c:00.0", "0000:5d:00.0",
	"0000:9b:00.0", "0000:bb:00.0", "0000:cb:00.0", "0000:db:00.0"};

/* Rank, process, GPU of each rank; START and COMPLETE. */
static void check_ranks(const struct obs *o)
{
	size_t running = 0;

	for (int32_t rank = 0; rank < 32; rank++) {
		const struct obs_nccl *r = nccl_of_rank(o, NCCL_RANK, rank, NULL);
		char host[32];

		(void)str_printf(host, sizeof(host), "gpu-node-%02d", 1 + rank / 8);
		assert_string_equal(obs_text(o, r->comm), WORLD);
		assert_string_equal(obs_text(o, r->host), host);
		assert_int_equal(r->nranks, 32);
		assert_int_equal(r->pid, pids[rank]);
		assert_int_equal(r->gpu, rank % 8);
		assert_int_equal(r->local_gpu, rank % 8);
		assert_int_equal(nccl_of_rank(o, NCCL_STATE, rank, NULL)->state, NCCL_INIT);
	}
	for (size_t i = 0; i < 64; i++) {
		const struct obs_nccl *g = nccl_nth(o, NCCL_GPU, i);

		running += nccl_nth(o, NCCL_STATE, i)->state == NCCL_RUNNING;
		assert_string_equal(obs_text(o, g->text), buses[g->gpu]);
	}
	assert_int_equal(running, 32);
	assert_int_equal(nccl_records(o, NCCL_ERROR), 0);
}

CASE(a_job_that_starts)
{
	struct obs *o =
		nccl_capture(nccl_log_parse, "nccl-logs/synthetic/init_2.30_srun-label.log");
	size_t nics = 0;

	check_ranks(o);
	assert_int_equal(nccl_records(o, NCCL_RANK), 64);
	obs_free(o);
	/* With the NICs and their ranks: each rank receives on its own NIC. */
	o = nccl_capture(nccl_log_parse, "nccl-logs/synthetic/init_2.30_32ranks_roce.log");
	check_ranks(o);
	assert_int_equal(nccl_records(o, NCCL_RANK), 96);
	for (size_t i = 0; i < 96; i++) {
		const struct obs_nccl *r = nccl_nth(o, NCCL_RANK, i);
		char nic[16];

		if (!r->nic)
			continue;
		nics++;
		(void)str_printf(nic, sizeof(nic), "mlx5_%d", r->rank % 8);
		assert_string_equal(obs_text(o, r->nic), nic);
		assert_int_equal(r->pid, pids[r->rank]);
		assert_string_equal(obs_text(o, r->comm), WORLD);
	}
	assert_int_equal(nics, 32);
	obs_free(o);
}

static const struct obs_nccl *error_of(struct obs *o)
{
	const struct obs_nccl *r = nccl_nth(o, NCCL_ERROR, 0);

	assert_string_equal(obs_text(o, r->host), "gpu-node-03");
	assert_int_equal(r->pid, 25527);
	assert_int_equal(r->local_gpu, 3);
	return r;
}

/* One text of ten releases. */
CASE(completions)
{
	static const struct {
		const char *release;
		int status, vendor;
		const char *nic, *ends, *remote;
	} logs[] = {
		{"2.08", 12, 129, "", "", ""},
		{"2.14", 12, 129, "", ", peer 10.20.1.14", "10.20.1.14"},
		{"2.18", 12, 129, "", ", from 10.100.3.5 to 10.100.3.7", "10.100.3.7"},
		{"2.20", 12, 129, "", ", from 10.100.3.5 to 10.100.3.7", "10.100.3.7"},
		{"2.22", 12, 129, "mlx5_3", ", from 10.100.3.5 to 10.100.3.7", "10.100.3.7"},
		{"2.26", 12, 129, "mlx5_3", ", from 10.100.3.5 to 10.100.3.7", "10.100.3.7"},
		{"2.28.9", 12, 129, "mlx5_3", ", from 10.100.3.5 to 10.100.3.7", "10.100.3.7"},
		{"2.30", 12, 129, "mlx5_3", ", from 10.100.3.5 to 10.100.3.7", "10.100.3.7"},
		{"2.30-flush", 5, 249, "mlx5_3", ", from 10.100.3.5 to 10.100.3.7", "10.100.3.7"},
		{"2.30-infiniband", 12, 129, "mlx5_3", ", peer 10.20.1.14", "10.20.1.14"},
	};

	for (size_t i = 0; i < sizeof(logs) / sizeof(logs[0]); i++) {
		char file[128], text[256];
		const struct obs_nccl *r;
		struct obs *o;

		(void)str_printf(file, sizeof(file), "nccl-logs/synthetic/completion_error_%s.log",
			logs[i].release);
		o = nccl_capture(nccl_log_parse, file);
		r = error_of(o);
		assert_int_equal(nccl_records(o, NCCL_ERROR), 1);
		assert_int_equal(r->state, logs[i].status);
		/* Without a name the NIC is named by its GID. */
		assert_string_equal(obs_text(o, r->nic),
			*logs[i].nic || !str_starts(logs[i].ends, ", from") ? logs[i].nic
									    : "10.100.3.5");
		assert_string_equal(obs_text(o, r->text2), logs[i].remote);
		(void)str_printf(text, sizeof(text), "(status %d)%s, vendor error %d",
			logs[i].status, logs[i].ends, logs[i].vendor);
		assert_non_null(strstr(obs_text(o, r->text), text));
		obs_free(o);
	}
}

CASE(ports_that_flap)
{
	static const struct {
		const char *release, *nic;
		/* Each with its end, and a change of addresses, which may explain a later error;
		 * the other news are none. */
		size_t errors;
	} logs[] = {{"2.18", "", 1}, {"2.22", "mlx5_3", 1}, {"2.30", "mlx5_3", 5}};
	struct obs *o;

	for (size_t i = 0; i < sizeof(logs) / sizeof(logs[0]); i++) {
		char file[128];

		(void)str_printf(file, sizeof(file), "nccl-logs/synthetic/port_flap_%s.log",
			logs[i].release);
		o = nccl_capture(nccl_log_parse, file);
		assert_int_equal(nccl_records(o, NCCL_ERROR), logs[i].errors);
		assert_int_equal(o->nccl.n, logs[i].errors);
		assert_string_equal(obs_text(o, error_of(o)->text), "port error");
		assert_string_equal(obs_text(o, error_of(o)->nic), logs[i].nic);
		obs_free(o);
	}
	o = nccl_capture(nccl_log_parse, "nccl-logs/synthetic/resiliency_2.30.log");
	assert_int_equal(o->nccl.n, 1);
	assert_string_equal(obs_text(o, error_of(o)->text), "NIC failed, recovery begins");
	obs_free(o);
}

/* 31 of 32 ranks gave up; 19, for which they waited, is silent. */
CASE(watchdogs)
{
	static const struct {
		const char *file;
		int64_t seq, enqueued, completed; /* -1: that generation does not tell */
		double first_us;
	} logs[] = {{"watchdog_genA_2.1.log", 96120, -1, -1, 1800744e3},
		{"watchdog_genB_2.5.log", 1580, 1582, 1579, 600091e3},
		{"watchdog_genC_2.6+.log", 2398459, 2398578, 2398458, 600007e3}};

	for (size_t i = 0; i < sizeof(logs) / sizeof(logs[0]); i++) {
		char file[128];
		struct obs *o;

		(void)str_printf(file, sizeof(file), "pytorch/synthetic/%s", logs[i].file);
		o = nccl_capture(nccl_log_parse, file);
		assert_int_equal(o->nccl.n, logs[i].enqueued < 0 ? 31 : 62);
		for (int32_t rank = 0; rank < 32; rank++) {
			const struct obs_nccl *r = nccl_of_rank(o, NCCL_STATE, rank, "AllReduce");

			if (rank == 19) {
				assert_null(r);
				continue;
			}
			assert_int_equal(r->state, NCCL_TIMED_OUT);
			assert_int_equal(r->seq, logs[i].seq - 1);
			assert_int_equal(r->source, SOURCE_WATCHDOG_LOG);
			if (rank == 0)
				assert_true(r->took_us == logs[i].first_us);
			r = nccl_of_rank(o, NCCL_COUNT, rank, "Collective");
			if (logs[i].enqueued < 0) {
				assert_null(r);
				continue;
			}
			assert_string_equal(obs_text(o, r->comm), "pg0");
			assert_string_equal(obs_text(o, r->comm_name), "default_pg");
			assert_int_equal(r->seq, logs[i].enqueued);
			assert_int_equal(r->completed, logs[i].completed);
		}
		obs_free(o);
	}
}

CASES_MAIN(NULL, NULL)
