/* SPDX-License-Identifier: Apache-2.0 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "emulator/serve/ras.h"
#include "tests/support/cases.h"

/*
 * NCCL's client protocol and reports over a job of the test's own: four hosts with eight GPUs each.
 * The test sets the state of its ranks.
 */

#define HOSTS 4
#define RANKS 32
#define START (INT64_C(1763726000) * CLOCK_SEC) /* 2025-11-21 11:53:20 */

struct fabric {
	int64_t now;
	struct sim_device host[HOSTS + 1]; /* the last one has no job */
	struct sim_rank_view rank[RANKS];
};

static int64_t test_now(const struct sim *s)
{
	return ((const struct fabric *)s)->now;
}

static size_t test_job_count(const struct sim *s)
{
	(void)s;
	return 1;
}

static void test_job(const struct sim *s, size_t job, struct sim_job_view *out)
{
	(void)s;
	(void)job;
	*out = (struct sim_job_view){.name = "train",
		.comm = UINT64_C(0x9bd8b4c5a3b1e8f7),
		.nranks = RANKS,
		.gpus_per_host = RANKS / HOSTS,
		.phase = "collective"};
}

static void test_rank(const struct sim *s, size_t job, unsigned rank, struct sim_rank_view *out)
{
	(void)job;
	*out = ((const struct fabric *)s)->rank[rank];
}

static const struct ras_source source = {
	.now = test_now, .job_count = test_job_count, .job = test_job, .rank = test_rank};

static void address(void *arg, const struct sim_device *host, char *dst, size_t size)
{
	(void)arg;
	(void)str_printf(dst, size, "10.20.1.%u", 11 + host->index);
}

struct world {
	struct fabric sim;
	struct ras *ras;
};

static int setup(void **state)
{
	struct world *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	w->sim.now = START;
	for (unsigned i = 0; i <= HOSTS; i++)
		w->sim.host[i].index = i;
	for (unsigned i = 0; i < RANKS; i++) {
		struct sim_rank_view *v = &w->sim.rank[i];

		*v = (struct sim_rank_view){
			.rank = i, .gpu = i % 8, .host = &w->sim.host[i / 8], .pid = 25488 + i};
		v->counts[SIM_ALLREDUCE] = 640;
		v->counts[SIM_ALLGATHER] = 12;
	}
	w->ras = ras_new(&(struct ras_opts){
		.source = &source, .sim = (struct sim *)&w->sim, .address = address});
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;

	ras_free(w->ras);
	free(w);
	return 0;
}

/* Sends text to the listener of host 0 and returns everything it says; the caller frees. */
static char *ask(struct world *w, const char *text)
{
	struct ras_client *c = ras_connect(w->ras, &w->sim.host[0]);
	struct buf *out;
	char *answer;

	assert_non_null(c);
	ras_input(c, text, strlen(text));
	ras_collect(c);
	out = ras_output(c);
	(void)buf_adds(out, "");
	answer = buf_take(out, NULL);
	ras_disconnect(c);
	return answer;
}

static json_t *ask_json(struct world *w)
{
	char *text = ask(w, "SET FORMAT json\nSTATUS\n");
	json_t *o;

	assert_memory_equal(text, "OK\n", 3);
	o = json_loads(text + 3, 0, NULL);
	assert_non_null(o);
	free(text);
	return o;
}

static void says(struct world *w, const char *text, const char *want)
{
	char *answer = ask(w, text);

	assert_string_equal(answer, want);
	free(answer);
}

CASE_WITH(test_commands, setup, teardown)
{
	struct world *w = *state;

	says(w, "CLIENT PROTOCOL 2\n", "SERVER PROTOCOL 2\n");
	says(w, "client protocol 2\r\ntimeout 2.5\r\n", "SERVER PROTOCOL 2\nOK\n");
	says(w, "TIMEOUT soon\n", "ERROR: Invalid timeout value soon\n");
	says(w, "TIMEOUT -1\n", "ERROR: Invalid timeout value -1\n");
	says(w, "SET FORMAT JSON\nset format text\n", "OK\nOK\n");
	says(w, "SET FORMAT xml\n", "ERROR: Invalid format xml\n");
	says(w, "MONITOR\nmonitor trace,lifecycle\nMONITOR all\n", "OK\nOK\nOK\n");
	says(w, "MONITOR trace,weather\n", "ERROR: Invalid event group 'weather'\n");
	says(w, "BOGUS\n\n", "ERROR: Unknown command BOGUS\nERROR: Unknown command \n");
	says(w, "STATU", ""); /* not a line yet */
}

CASE_WITH(test_a_command_may_come_in_pieces, setup, teardown)
{
	struct world *w = *state;
	struct ras_client *c = ras_connect(w->ras, &w->sim.host[0]);
	const char *text = "CLIENT PROTOCOL 2\nSET FORMAT json\n";

	for (; *text; text++)
		ras_input(c, text, 1);
	assert_string_equal(ras_output(c)->data, "SERVER PROTOCOL 2\nOK\n");
	assert_false(ras_over(c));
	ras_disconnect(c);
}

CASE_WITH(test_a_long_line_ends_the_connection, setup, teardown)
{
	struct world *w = *state;
	struct ras_client *c = ras_connect(w->ras, &w->sim.host[0]);
	char line[2000];

	memset(line, 'x', sizeof(line));
	ras_input(c, line, sizeof(line));
	assert_true(ras_over(c));
	assert_int_equal(ras_output(c)->len, 0);
	ras_disconnect(c);
}

CASE_WITH(test_text_report, setup, teardown)
{
	struct world *w = *state;
	char *text = ask(w, "STATUS\n");

	assert_non_null(strstr(text, "\n      4          8            1         32       32\n"));
	assert_non_null(strstr(text, "\n    0         1         4         8        32        32   "
				     "RUNNING      OK\n"));
	assert_null(strstr(text, "MISMATCH"));
	free(text);
	w->sim.rank[19].counts[SIM_ALLREDUCE] = 633;
	text = ask(w, "STATUS\n");
	assert_non_null(strstr(text, "   RUNNING  MISMATCH\n"));
	assert_non_null(strstr(text,
		"#0-0 (9bd8b4c5a3b1e8f7) MISMATCH\n"
		"  Communicator ranks have different AllReduce operation counts\n"
		"  31 ranks have launched up to operation 640\n"
		"  Rank 19 has launched up to operation 633 -- GPU 3 managed by process 25507 on "
		"node 10.20.1.13\n"));
	free(text);
}

CASE_WITH(test_many_who_differ_are_only_counted, setup, teardown)
{
	struct world *w = *state;
	char *text;

	w->sim.rank[4].counts[SIM_ALLREDUCE] = 641;
	w->sim.rank[5].counts[SIM_ALLREDUCE] = 641;
	text = ask(w, "STATUS\n");
	assert_non_null(strstr(text, "  30 ranks have launched up to operation 640\n"
				     "  2 ranks have launched up to operation 641\n"
				     "  Rank 4 -- GPU 4 managed by process 25492 on node "
				     "10.20.1.11\n  Rank 5 -- GPU 5"));
	free(text);
	for (unsigned i = 0; i < RANKS / 2; i++)
		w->sim.rank[i].counts[SIM_ALLREDUCE] = 641;
	text = ask(w, "STATUS\n");
	assert_non_null(strstr(text, "  16 ranks have launched up to operation 641\n"
				     "  16 ranks have launched up to operation 640\n"));
	assert_null(strstr(text, "Rank 4 --"));
	free(text);
}

CASE_WITH(test_json_report, setup, teardown)
{
	struct world *w = *state;
	json_t *o = ask_json(w), *comm = json_array_get(json_object_get(o, "communicators"), 0);
	json_t *rank = json_array_get(json_object_get(comm, "ranks"), 9);

	assert_string_equal(
		json_string_value(json_object_get(o, "timestamp")), "2025-11-21 11:53:20");
	assert_string_equal(json_string_value(json_object_get(comm, "hash")), "0x9bd8b4c5a3b1e8f7");
	assert_int_equal(json_integer_value(json_object_get(comm, "ranks_count")), RANKS);
	assert_int_equal(json_integer_value(json_object_get(comm, "missing_ranks_count")), 0);
	assert_null(json_object_get(comm, "missing_ranks"));
	assert_int_equal(json_array_size(json_object_get(comm, "ranks")), RANKS);
	assert_string_equal(json_string_value(json_object_get(rank, "host")), "10.20.1.12");
	assert_int_equal(json_integer_value(json_object_get(rank, "cuda_dev")), 1);
	assert_int_equal(json_integer_value(json_object_get(
				 json_object_get(rank, "collective_counts"), "AllReduce")),
		640);
	json_decref(o);
}

CASE_WITH(test_the_clock_of_the_host_stamps, setup, teardown)
{
	struct world *w = *state;
	json_t *o;

	w->sim.host[0].clock_skew_us = -20 * CLOCK_SEC;
	o = ask_json(w);
	assert_string_equal(
		json_string_value(json_object_get(o, "timestamp")), "2025-11-21 11:53:00");
	json_decref(o);
}

static const json_t *only_missing(const json_t *o)
{
	json_t *comm = json_array_get(json_object_get(o, "communicators"), 0);

	assert_int_equal(json_integer_value(json_object_get(comm, "ranks_count")), RANKS - 1);
	assert_int_equal(json_array_size(json_object_get(comm, "ranks")), RANKS - 1);
	return json_array_get(json_object_get(comm, "missing_ranks"), 0);
}

CASE_WITH(test_a_frozen_process_delays_the_first_answer_only, setup, teardown)
{
	struct world *w = *state;
	struct ras_client *c = ras_connect(w->ras, &w->sim.host[0]);
	json_t *o;
	char *text;

	w->sim.rank[22].unresponsive = true;
	ras_input(c, "STATUS\n", 7);
	assert_int_equal(ras_collecting(c), 5 * CLOCK_SEC);
	assert_false(ras_over(c));
	/* The part that needs nobody else is there at once. */
	assert_non_null(strstr(ras_output(c)->data, "Communicators..."));
	assert_null(strstr(ras_output(c)->data, "INCOMPLETE"));
	ras_collect(c);
	assert_true(ras_over(c));
	assert_non_null(strstr(ras_output(c)->data, "Encountered 2 communication timeouts"));
	assert_non_null(strstr(ras_output(c)->data,
		"INCOMPLETE\n  Missing communicator data from 1 job process\n"
		"  Process 25510 on node 10.20.1.13 managing GPU 6\n"));
	assert_non_null(strstr(ras_output(c)->data,
		"    0         1         4       7-8        32        31   RUNNING  INCOMPLETE\n"));
	ras_disconnect(c);
	c = ras_connect(w->ras, &w->sim.host[1]);
	ras_input(c, "STATUS\n", 7);
	assert_true(ras_collecting(c) > 0 && ras_collecting(c) < CLOCK_SEC);
	ras_disconnect(c);
	text = ask(w, "STATUS\n");
	assert_null(strstr(text, "TIMEOUT"));
	free(text);
	o = ask_json(w);
	assert_true(json_is_true(
		json_object_get(json_object_get(only_missing(o), "status"), "unresponsive")));
	json_decref(o);
}

CASE_WITH(test_a_short_timeout_waits_no_longer, setup, teardown)
{
	struct world *w = *state;
	struct ras_client *c = ras_connect(w->ras, &w->sim.host[0]);

	w->sim.rank[22].unresponsive = true;
	ras_input(c, "TIMEOUT 1\nSTATUS\n", 17);
	assert_true(ras_collecting(c) >= CLOCK_SEC && ras_collecting(c) < 2 * CLOCK_SEC);
	ras_disconnect(c);
}

static bool considered_dead(struct world *w)
{
	json_t *o = ask_json(w);
	bool dead = json_is_true(
		json_object_get(json_object_get(only_missing(o), "status"), "considered_dead"));

	json_decref(o);
	return dead;
}

CASE_WITH(test_a_process_that_is_gone_is_dead_after_a_minute, setup, teardown)
{
	struct world *w = *state;
	char *text;

	w->sim.rank[25].dead = true;
	assert_false(considered_dead(w));
	w->sim.now += 59 * CLOCK_SEC;
	assert_false(considered_dead(w));
	w->sim.now += CLOCK_SEC;
	assert_true(considered_dead(w));
	text = ask(w, "STATUS\n");
	assert_non_null(strstr(text, "DEAD\n  1 job process is considered dead"));
	assert_non_null(strstr(text, "  Rank 25 -- GPU 1 managed by process 25513 on node "
				     "10.20.1.14\n"));
	free(text);
}

CASE_WITH(test_who_listens, setup, teardown)
{
	struct world *w = *state;
	struct ras_client *c;

	assert_null(ras_connect(w->ras, &w->sim.host[HOSTS]));
	for (unsigned i = 8; i < 16; i++)
		w->sim.rank[i].dead = true;
	assert_null(ras_connect(w->ras, &w->sim.host[1]));
	/* A frozen listener is connected to by the kernel, and stays silent. */
	w->sim.rank[0].unresponsive = true;
	c = ras_connect(w->ras, &w->sim.host[0]);
	assert_non_null(c);
	ras_input(c, "STATUS\n", 7);
	assert_int_equal(ras_collecting(c), 0);
	assert_int_equal(ras_output(c)->len, 0);
	assert_false(ras_over(c));
	ras_disconnect(c);
}

CASE_WITH(test_monitor, setup, teardown)
{
	struct world *w = *state;
	struct ras_client *life = ras_connect(w->ras, &w->sim.host[0]);
	struct ras_client *all = ras_connect(w->ras, &w->sim.host[2]);
	json_t *o;

	assert_false(ras_monitored(w->ras));
	ras_input(life, "MONITOR\n", 8);
	ras_input(all, "SET FORMAT json\nMONITOR all\n", 28);
	assert_true(ras_monitored(w->ras));
	buf_reset(ras_output(life));
	buf_reset(ras_output(all));
	w->sim.rank[25].dead = true;
	ras_update(w->ras);
	assert_int_equal(ras_output(life)->len, 0);
	o = json_loads(ras_output(all)->data, JSON_DISABLE_EOF_CHECK, NULL);
	assert_string_equal(json_string_value(json_object_get(o, "event")), "PEER_DISCONNECTED");
	assert_string_equal(json_string_value(json_object_get(o, "group")), "TRACE");
	json_decref(o);
	w->sim.now += 61 * CLOCK_SEC;
	ras_update(w->ras);
	ras_update(w->ras);
	assert_string_equal(ras_output(life)->data,
		"[2025-11-21 11:54:21] PEER_DEAD: Process 25513 on node 10.20.1.14 managing GPU 1 "
		"\n");
	assert_false(ras_over(life));
	ras_disconnect(life);
	ras_disconnect(all);
}

CASES_MAIN(NULL, NULL)
