/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "tests/captures/nccl_capture.h"
#include "tests/support/cases.h"
#include "tests/support/nccl_find.h"

/*
 * RAS of 2.24.3 to 2.30.7: one world of 32 ranks, 8 on each of 10.20.1.11 to .14, in nine states;
 * then the vendor's own samples, and a job of 13 communicators.
 */
#define WORLD "0x9bd8b4c5a3b1e8f7"

struct release {
	const char *name;
	int32_t pid[32]; /* by rank */
	const char *func;
	int64_t count;
};
static const struct release r2287 = {"2.28.7",
	{11409, 11410, 11411, 11412, 11415, 11416, 11417, 11418, 11426, 11427, 11428, 11429, 11432,
		11433, 11434, 11435, 11442, 11443, 11444, 11445, 11447, 11448, 11449, 11450, 11461,
		11463, 11464, 11467, 11469, 11470, 11471, 11472},
	"AllReduce", 640};
static const struct release r2307 = {"2.30.7",
	{25488, 25489, 25491, 25492, 25493, 25494, 25495, 25496, 25505, 25506, 25507, 25510, 25511,
		25512, 25513, 25514, 25524, 25525, 25526, 25527, 25528, 25529, 25531, 25535, 25545,
		25546, 25547, 25548, 25549, 25551, 25554, 25555},
	"AllReduce", 640};
/* Text only: the processes that it names. */
static const struct release r2243 = {"2.24.3",
	{[3] = 9471,
		[5] = 9473,
		[9] = 9512,
		[12] = 9515,
		[13] = 9516,
		[19] = 9527,
		[22] = 9530,
		[25] = 9538,
		[27] = 9540},
	"Collective", 664};
static const struct release r2277 = {"2.27.7",
	{[3] = 9316,
		[5] = 9319,
		[9] = 9407,
		[12] = 9415,
		[13] = 9437,
		[19] = 9491,
		[22] = 9494,
		[25] = 9568,
		[27] = 9570},
	"AllReduce", 640};
static const struct release *const releases[] = {&r2243, &r2277, &r2287, &r2307};

/* The ranks that differ in each state of the job. */
static const struct scenario {
	const char *name, *json; /* its ending in 2.28.7 */
	int32_t rank[2];         /* -1: none */
	enum nccl_state state;   /* of those */
	int64_t ahead;           /* of the others' count */
	enum nccl_state others;
	bool missing;
} scenarios[] = {
	{"ok", "json", {-1, -1}, NCCL_RUNNING, 0, NCCL_RUNNING, false},
	{"straggler-rank19-behind", "json", {19, -1}, NCCL_RUNNING, -7, NCCL_RUNNING, false},
	{"two-ranks-ahead", "json", {12, 13}, NCCL_RUNNING, 1, NCCL_RUNNING, false},
	{"async-error", "json", {3, 27}, NCCL_ASYNC_ERROR, 0, NCCL_RUNNING, false},
	{"init-in-progress", "json", {5, -1}, NCCL_INIT, 0, NCCL_RUNNING, false},
	{"finalize-abort", "json", {9, -1}, NCCL_ABORTED, 0, NCCL_FINALIZING, false},
	{"frozen-rank22-t1", "json.invalid", {22, -1}, NCCL_UNRESPONSIVE, 0, NCCL_RUNNING, true},
	{"frozen-rank22-t20", "json.invalid", {22, -1}, NCCL_UNRESPONSIVE, 0, NCCL_RUNNING, true},
	{"dead-rank25-early", "json.invalid", {25, -1}, NCCL_UNRESPONSIVE, 0, NCCL_RUNNING, true},
	{"dead-rank25-late", "json.invalid", {25, -1}, NCCL_DEAD, 0, NCCL_RUNNING, true},
};
#define SCENARIOS (sizeof(scenarios) / sizeof(scenarios[0]))

static bool differs(const struct scenario *s, int32_t rank)
{
	return rank == s->rank[0] || rank == s->rank[1];
}

static const char *why(int32_t rank)
{
	return rank == 3 ? "System error" : "Remote process error";
}

static void check_process(const struct obs *o, const struct obs_nccl *r, const struct release *rel)
{
	char host[32];

	str_printf(host, sizeof(host), "10.20.1.%d", 11 + r->rank / 8);
	assert_string_equal(obs_text(o, r->comm), WORLD);
	assert_string_equal(obs_text(o, r->host), host);
	assert_int_equal(r->nranks, 32);
	assert_int_equal(r->pid, rel->pid[r->rank]);
	assert_int_equal(r->source, SOURCE_RAS);
}

static void check_json(const struct obs *o, const struct release *rel, const struct scenario *s)
{
	static const char *const funcs[] = {"AllGather", "ReduceScatter"};
	size_t odd = 0;

	assert_int_equal(nccl_records(o, NCCL_RANK), 32);
	assert_int_equal(nccl_records(o, NCCL_DONE), 1);
	for (int32_t rank = 0; rank < 32; rank++) {
		const struct obs_nccl *r = nccl_of_rank(o, NCCL_RANK, rank, NULL);
		bool differ = differs(s, rank);
		enum nccl_state state = differ ? s->state : s->others;

		check_process(o, r, rel);
		assert_int_equal(r->gpu, rank % 8);
		assert_int_equal(r->local_gpu, rank % 8);
		assert_int_equal(r->state, state);
		r = nccl_of_rank(o, NCCL_STATE, rank, NULL);
		odd += r != NULL;
		assert_int_equal(r ? (int)r->state : (int)NCCL_RUNNING, state);
		assert_string_equal(
			r ? obs_text(o, r->text) : "", state == NCCL_ASYNC_ERROR ? why(rank) : "");
		for (size_t k = 0; k < 2; k++)
			assert_int_equal(
				nccl_launched(o, rank, funcs[k]), differ && s->missing ? -2 : 12);
		assert_int_equal(nccl_launched(o, rank, "AllReduce"),
			differ && s->missing ? -2 : 640 + (differ ? s->ahead : 0));
		/* Nobody has called it. */
		assert_int_equal(nccl_launched(o, rank, "Broadcast"), -2);
	}
	assert_int_equal(nccl_records(o, NCCL_STATE), odd);
	assert_int_equal(nccl_records(o, NCCL_COUNT), s->missing ? 93 : 96);
}

CASE(json_of_each_state)
{
	char file[128];

	for (size_t i = 0; i < 2 * SCENARIOS; i++) {
		const struct scenario *s = &scenarios[i / 2];
		const struct release *rel = i % 2 ? &r2307 : &r2287;
		struct obs *o;

		str_printf(file, sizeof(file), "ras/%s/%s.status.%s", rel->name, s->name,
			i % 2 ? "json" : s->json);
		o = nccl_capture(nccl_ras_parse, file);
		check_json(o, rel, s);
		obs_free(o);
	}
}

/* The first half of the ranks is one ahead of the second. */
CASE(json_of_two_halves)
{
	static const char *const files[] = {
		"ras/2.28.7/half-split.status.json", "ras/2.30.7/half-split.status.json"};

	for (size_t i = 0; i < 2; i++) {
		struct obs *o = nccl_capture(nccl_ras_parse, files[i]);

		for (int32_t rank = 0; rank < 32; rank++)
			assert_int_equal(
				nccl_launched(o, rank, "AllReduce"), rank < 16 ? 641 : 640);
		assert_int_equal(nccl_records(o, NCCL_DONE), 1);
		obs_free(o);
	}
}

/* The text names the ranks that differ, and from that follow the others. */
static void check_text(const struct obs *o, const struct release *rel, const struct scenario *s)
{
	bool counts = s->ahead != 0;
	bool states = s->state == NCCL_INIT || s->state == NCCL_ABORTED;
	size_t named = s->rank[0] < 0 ? 0 : s->rank[1] < 0 ? 1 : 2;

	assert_int_equal(nccl_records(o, NCCL_DONE), 0);
	assert_int_equal(nccl_records(o, NCCL_RANK), named);
	assert_int_equal(nccl_records(o, NCCL_COUNT), counts ? 32 : 0);
	assert_int_equal(nccl_records(o, NCCL_STATE), states       ? 32
						      : s->missing ? 2
						      : counts     ? 0
								   : named);
	for (int32_t rank = 0; rank < 32; rank++) {
		bool differ = differs(s, rank);
		const struct obs_nccl *r = nccl_of_rank(o, NCCL_RANK, rank, NULL);

		assert_int_equal(r != NULL, differ);
		if (r) {
			check_process(o, r, rel);
			assert_int_equal(r->gpu, rank % 8);
			assert_int_equal(r->local_gpu, rank % 8);
		}
		if (counts)
			assert_int_equal(nccl_launched(o, rank, rel->func),
				rel->count + (differ ? s->ahead : 0));
		r = nccl_of_rank(o, NCCL_STATE, rank, NULL);
		assert_int_equal(r != NULL, states || (differ && !counts));
		if (r)
			assert_int_equal(r->state, differ ? s->state : s->others);
		if (r && s->state == NCCL_ASYNC_ERROR)
			assert_string_equal(obs_text(o, r->text), why(rank));
	}
	if (s->missing) {
		const struct obs_nccl *r = nccl_of_rank(o, NCCL_STATE, -1, NULL);

		assert_int_equal(r->state, s->state);
		assert_int_equal(r->pid, rel->pid[s->rank[0]]);
		assert_int_equal(r->gpu, s->rank[0] % 8);
	}
}

CASE(text_of_each_state)
{
	char file[128];

	for (size_t k = 0; k < sizeof(releases) / sizeof(releases[0]); k++) {
		for (size_t i = 0; i < SCENARIOS; i++) {
			struct obs *o;

			str_printf(file, sizeof(file), "ras/%s/%s.status.txt", releases[k]->name,
				scenarios[i].name);
			o = nccl_capture(nccl_ras_parse, file);
			check_text(o, releases[k], &scenarios[i]);
			obs_free(o);
		}
		str_printf(file, sizeof(file), "ras/%s/half-split.status.txt", releases[k]->name);
		/* The ranks of each half are not reported. */
		obs_free(nccl_capture(nccl_ras_parse, file));
		str_printf(file, sizeof(file), "ras/%s/frozen-rank22-t1.verbose.txt",
			releases[k]->name);
		{
			struct obs *o = nccl_capture(nccl_ras_parse, file);

			check_text(o, releases[k], &scenarios[6]);
			obs_free(o);
		}
	}
}

CASE(handshakes)
{
	nccl_capture_refused(nccl_ras_parse, "ras/2.24.3/protocol-handshake.txt",
		"Unknown command SET FORMAT json");
	nccl_capture_refused(nccl_ras_parse, "ras/2.27.7/protocol-handshake.txt",
		"Unknown command SET FORMAT json");
	nccl_capture_refused(nccl_ras_parse, "ras/2.28.7/protocol-handshake.txt", "nothing");
	nccl_capture_refused(nccl_ras_parse, "ras/2.30.7/protocol-handshake.txt", "nothing");
	nccl_capture_refused(
		nccl_ras_parse, "ras/2.24.3/protocol-unknown.txt", "Unknown command BOGUS");
	nccl_capture_refused(
		nccl_ras_parse, "ras/2.27.7/protocol-unknown.txt", "Unknown command BOGUS");
	nccl_capture_refused(
		nccl_ras_parse, "ras/2.28.7/protocol-unknown.txt", "Unknown command BOGUS");
	nccl_capture_refused(
		nccl_ras_parse, "ras/2.30.7/protocol-unknown.txt", "Unknown command BOGUS");
}

/* The world, four communicators of a node, eight of a GPU's number. */
static void check_thirteen(const struct obs *o, bool straggler)
{
	static const int32_t pid[32] = {9616, 9617, 9618, 9624, 9625, 9626, 9627, 9628, 9643, 9645,
		9646, 9647, 9649, 9651, 9652, 9656, 9660, 9661, 9662, 9665, 9668, 9669, 9671, 9672,
		9683, 9684, 9685, 9686, 9687, 9688, 9689, 9690};
	static const char *const of_gpu[8] = {"0x7be1f00d02468ace", "0x7be1f00d02469bdf",
		"0x7be1f00d0246acf0", "0x7be1f00d0246be01", "0x7be1f00d0246cf12",
		"0x7be1f00d0246e023", "0x7be1f00d0246f134", "0x7be1f00d02470245"};
	static const char *const of_node[4] = {"0x35df1a2b02468ace", "0x35df1a2b02469ade",
		"0x35df1a2b0246aaee", "0x35df1a2b0246bafe"};
	size_t world = 0, node = 0, gpu = 0;

	for (size_t i = 0; i < o->nccl.n; i++) {
		const struct obs_nccl *r = &o->nccl.at[i];
		const char *comm = obs_text(o, r->comm), *func = obs_text(o, r->func);

		for (int32_t k = 0; k < 8; k++)
			if (str_eq(comm, of_gpu[k]) && r->kind == NCCL_RANK) {
				assert_int_equal(r->nranks, 4);
				assert_int_equal(r->gpu, k);
				assert_int_equal(r->pid, pid[8 * r->rank + k]);
				gpu++;
			} else if (str_eq(comm, of_gpu[k]) && r->kind == NCCL_COUNT) {
				assert_string_equal(func, "AllReduce");
				assert_int_equal(r->seq,
					straggler && k == 3 && r->rank != 2 ? 41023 : 41022);
			}
		for (int32_t k = 0; k < 4; k++)
			if (str_eq(comm, of_node[k]) && r->kind == NCCL_RANK) {
				assert_int_equal(r->nranks, 8);
				assert_int_equal(r->pid, pid[8 * k + r->rank]);
				node++;
			} else if (str_eq(comm, of_node[k]) && r->kind == NCCL_COUNT) {
				assert_int_equal(r->seq, str_eq(func, "AllReduce") ? 3 : 91233);
			}
		if (str_eq(comm, WORLD) && r->kind == NCCL_RANK) {
			assert_int_equal(r->pid, pid[r->rank]);
			world++;
		}
	}
	assert_int_equal(world, 32);
	assert_int_equal(node, 32);
	assert_int_equal(gpu, 32);
	assert_int_equal(nccl_records(o, NCCL_DONE), 13);
	assert_int_equal(nccl_records(o, NCCL_COUNT), 32 * 3 + 32 * 3 + 32);
}

CASE(thirteen_communicators)
{
	struct obs *o = nccl_capture(nccl_ras_parse, "ras/2.30.7-multicomm/ok.status.json");
	const struct obs_nccl *r;

	check_thirteen(o, false);
	obs_free(o);
	o = nccl_capture(nccl_ras_parse, "ras/2.30.7-multicomm/straggler-node2-gpu3.status.json");
	check_thirteen(o, true);
	obs_free(o);
	o = nccl_capture(nccl_ras_parse, "ras/2.30.7-multicomm/ok.verbose.txt");
	assert_int_equal(o->nccl.n, 0);
	obs_free(o);
	o = nccl_capture(nccl_ras_parse, "ras/2.30.7-multicomm/straggler-node2-gpu3.verbose.txt");
	r = nccl_of_rank(o, NCCL_RANK, 2, NULL);
	assert_string_equal(obs_text(o, r->comm), "0x7be1f00d0246be01");
	assert_int_equal(r->nranks, 4);
	assert_int_equal(r->pid, 9665);
	assert_int_equal(nccl_launched(o, 2, "AllReduce"), 41022);
	assert_int_equal(nccl_launched(o, 0, "AllReduce"), 41023);
	assert_int_equal(nccl_records(o, NCCL_COUNT), 4);
	obs_free(o);
}

CASE(samples_of_the_vendor)
{
	static const char *const empty[] = {"ras/docs-samples/block00.txt",
		"ras/docs-samples/block01.txt", "ras/docs-samples/block02.txt"};
	struct obs *o;

	for (size_t i = 0; i < sizeof(empty) / sizeof(empty[0]); i++) {
		o = nccl_capture(nccl_ras_parse, empty[i]);
		assert_int_equal(o->nccl.n, 0);
		obs_free(o);
	}
	/* Without its table: the six are told, how many others there are is not. */
	o = nccl_capture(nccl_ras_parse, "ras/docs-samples/block03.txt");
	assert_int_equal(nccl_records(o, NCCL_COUNT), 6);
	assert_int_equal(nccl_launched(o, 7, "Collective"), 6649);
	assert_int_equal(nccl_of_rank(o, NCCL_RANK, 7, NULL)->pid, 483079);
	assert_string_equal(obs_text(o, nccl_nth(o, NCCL_RANK, 0)->comm), "0x27a079b828ff1a75");
	obs_free(o);
	o = nccl_capture(nccl_ras_parse, "ras/docs-samples/block04.txt");
	assert_int_equal(nccl_records(o, NCCL_STATE), 32);
	assert_int_equal(nccl_of_rank(o, NCCL_STATE, 24, NULL)->state, NCCL_RUNNING);
	assert_int_equal(nccl_of_rank(o, NCCL_STATE, 20, NULL)->state, NCCL_FINALIZING);
	assert_int_equal(nccl_of_rank(o, NCCL_STATE, 1, NULL)->state, NCCL_UNKNOWN);
	assert_int_equal(nccl_of_rank(o, NCCL_RANK, 16, NULL)->pid, 3500071);
	obs_free(o);
	o = nccl_capture(nccl_ras_parse, "ras/docs-samples/block05.txt");
	assert_int_equal(nccl_of_rank(o, NCCL_STATE, 21, NULL)->state, NCCL_UNRESPONSIVE);
	assert_int_equal(nccl_of_rank(o, NCCL_STATE, 21, NULL)->pid, 3487984);
	assert_int_equal(nccl_of_rank(o, NCCL_RANK, 21, NULL)->gpu, 5);
	obs_free(o);
	o = nccl_capture(nccl_ras_parse, "ras/docs-samples/block06.txt");
	assert_int_equal(nccl_of_rank(o, NCCL_STATE, 21, NULL)->state, NCCL_DEAD);
	obs_free(o);
	o = nccl_capture(nccl_ras_parse, "ras/docs-samples/block07.txt");
	assert_int_equal(nccl_of_rank(o, NCCL_RANK, 0, NULL)->pid, 1524344);
	assert_int_equal(nccl_of_rank(o, NCCL_STATE, 0, NULL)->state, NCCL_RUNNING);
	assert_int_equal(nccl_of_rank(o, NCCL_RANK, 1, NULL)->gpu, 1);
	assert_int_equal(nccl_of_rank(o, NCCL_STATE, 1, NULL)->state, NCCL_UNRESPONSIVE);
	/* Nobody has launched anything yet. */
	assert_int_equal(nccl_records(o, NCCL_COUNT), 0);
	obs_free(o);
}

static void check_death(const char *file, const char *host, int32_t pid)
{
	struct obs *o = nccl_capture(nccl_ras_monitor_parse, file);
	const struct obs_nccl *r = nccl_nth(o, NCCL_STATE, 0);

	assert_int_equal(o->nccl.n, 1);
	assert_int_equal(r->state, NCCL_DEAD);
	assert_string_equal(obs_text(o, r->text), "PEER_DEAD");
	assert_string_equal(obs_text(o, r->host), host);
	assert_int_equal(r->pid, pid);
	assert_int_equal(r->gpu, 1);
	assert_int_equal(r->local_gpu, 1);
	obs_free(o);
}

CASE(monitor)
{
	struct obs *o = nccl_capture(nccl_ras_monitor_parse, "ras/docs-samples/block08.txt");

	assert_int_equal(o->nccl.n, 0);
	obs_free(o);
	check_death("ras/docs-samples/block09.txt", "172.16.64.245", 1524345);
	check_death("ras/docs-samples/block10.txt", "172.16.64.245", 1524345);
	check_death("ras/2.30.7/monitor-all.txt", "10.20.1.14", 25546);
	check_death("ras/2.30.7/monitor-lifecycle.txt", "10.20.1.14", 25546);
	check_death("ras/2.30.7/monitor-all.json.txt", "10.20.1.14", 25546);
}

CASES_MAIN(NULL, NULL)
