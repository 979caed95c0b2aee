/* SPDX-License-Identifier: Apache-2.0 */
/* perftest-serve and perftest-run: their steps, their guard, and their commands in the dialect. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "actions/kinds/perftest.h"
#include "base/str.h"
#include "tests/actions/support/site.h"
#include "tests/support/cases.h"

static step_vec steps;
static struct err err;

static int begin(void **state)
{
	struct site *s;

	(void)site_setup(state);
	s = *state;
	for (int i = 0; i < 4; i++) {
		char host[16], port[16];

		(void)str_printf(host, sizeof(host), "node00%d", i / 2);
		(void)str_printf(port, sizeof(port), "mlx5_%d", i % 2);
		site_word(s, host, port, ATTR_NETDEV, i % 2 ? "eth1" : "eth0");
	}
	s->plan.lossless.dscp_prio[26] = 3;
	s->plan.lossless.dscp_prio[48] = 6;
	s->can.verbs |= 1u << VERB_PERFTEST_SERVE | 1u << VERB_PERFTEST_RUN;
	s->now.perftest = 1;
	site_action(s, "perftest-run");
	site_at(s, "node000", NULL, -1);
	return 0;
}

static int end(void **state)
{
	steps_free(&steps);
	return site_teardown(state);
}

static bool compose(struct site *s)
{
	steps_free(&steps);
	err = (struct err){0};
	return s->x.action->compose(&s->at, &s->now, &steps, &err);
}

CASE_WITH(servers_wait_on_each_rail_and_end_by_themselves, begin, end)
{
	struct site *s = *state;

	site_action(s, "perftest-serve");
	assert_true(compose(s));
	assert_int_equal(steps.n, 2);
	assert_string_equal(steps.at[1].order.port, "mlx5_1");
	assert_int_equal(steps.at[0].order.tcp_port, 18515);
	assert_int_equal(steps.at[1].order.tcp_port, 18517);
	assert_int_equal(steps.at[0].order.tclass, 26 << 2);
	assert_int_equal(steps.at[0].order.seconds, 120);
	assert_false(steps.at[0].has_undo);
	/* One that runs already is not disturbed. */
	(void)str_copy(s->now.perftests, sizeof(s->now.perftests), " mlx5_1:18518 ");
	assert_false(compose(s));
	assert_non_null(strstr(err.text, "a program of perftest runs there"));
	/* One NIC alone. */
	s->now.perftests[0] = '\0';
	site_at(s, "node000", "mlx5_1", -1);
	assert_true(compose(s));
	assert_int_equal(steps.n, 1);
}

CASE_WITH(each_rail_is_measured_by_both_programs, begin, end)
{
	struct site *s = *state;
	struct perftest_partner partner = {"node001", "10.0.0.2"};

	s->at.partner = &partner;
	assert_true(compose(s));
	assert_int_equal(steps.n, 4);
	assert_int_equal(steps.at[1].order.tool, PERFTEST_LATENCY);
	assert_string_equal(steps.at[3].order.port, "mlx5_1");
	assert_string_equal(steps.at[3].order.peer, "10.0.0.2");
	/* Without an address it is that of the inventory. */
	partner.address = NULL;
	assert_true(compose(s));
	assert_string_equal(steps.at[0].order.peer,
		s->plan.devices.at[plan_find(&s->plan, "node001")].address
			? s->plan.devices.at[plan_find(&s->plan, "node001")].address
			: "node001");
	/* A site without DSCPs: the NIC's own class. */
	s->plan.lossless.dscp_prio[26] = -1;
	assert_true(compose(s));
	assert_int_equal(steps.at[0].order.tclass, -1);
}

CASE_WITH(it_is_refused_where_it_makes_no_sense, begin, end)
{
	struct site *s = *state;
	struct order look;

	s->now.perftest = 0;
	assert_false(compose(s));
	assert_non_null(strstr(err.text, "perftest is not installed"));
	assert_non_null(strstr(err.cure, "apt install perftest"));
	assert_true(s->x.action->wants(&s->at, &look, &err));
	site_at(s, "leaf-r0-00", NULL, -1);
	assert_false(s->x.action->wants(&s->at, &look, &err));
	assert_non_null(strstr(err.text, "perftest runs on hosts"));
	site_at(s, "node000", NULL, -1);
	s->can.verbs = 0;
	assert_false(s->x.action->wants(&s->at, &look, &err));
	/* The job runs on both hosts: there is no partner. */
	s->can.verbs = ~0u;
	s->now.perftest = 1;
	assert_false(compose(s));
	assert_non_null(strstr(err.text, "no other idle host"));
	assert_non_null(strstr(err.cure, "--partner"));
}

CASE_WITH(a_host_with_a_job_or_a_load_is_not_measured, begin, end)
{
	struct site *s = *state;

	site_refused(s, "idle-host", "job pretrain runs on node000", "drain");
	/* The NIC of the other rail is of the same host, and the job is on rail 0 alone. */
	site_at(s, "node000", "mlx5_1", -1);
	site_refused(s, "idle-host", "mlx5_1 of node000 carries 10.0 %", "two polls");
	s->load = 25000000;
	site_poll(s, 2);
	site_passes(s, "idle-host");
	/* Nothing is known of jobs: an idle NIC is enough, an unknown one is not. */
	s->jobs = false;
	site_poll(s, 400);
	site_at(s, "node001", "mlx5_1", -1);
	s->no_load = true;
	site_poll(s, 400);
	model_device(s->m, "leaf-r1-00")->state = DEV_STALE;
	model_device(s->m, "node001")->state = DEV_STALE;
	site_refused(s, "idle-host", "not known if a job runs on node001", "jobs:");
	/* The guard is about measurements alone. */
	site_action(s, "locate");
	site_passes(s, "idle-host");
}

/* ---- the dialect ---- */

static const struct dialect_changes *linux_words(void)
{
	return backend_by_name("linux")->changes;
}

static struct condition seen(const char *text)
{
	struct target t = {.device = "node000", .tier = TIER_HOST};
	struct order o = {.verb = VERB_PERFTEST_RUN, .port = "mlx5_0", .priority = -1};
	struct reply r = {text, strlen(text), 0, ""};
	struct condition c;

	condition_init(&c);
	err = (struct err){0};
	(void)linux_words()->see(&t, &o, "linux-perftest", &r, &c, &err);
	return c;
}

CASE(what_runs_is_read_back)
{
	struct order o = {.verb = VERB_PERFTEST_SERVE, .port = "mlx5_1", .tcp_port = 18517};
	struct condition c =
		seen("@@begin 1\n@@programs\n/usr/bin/ib_write_bw\n/usr/bin/ib_read_lat\n"
		     "/usr/bin/timeout\n@@running\n"
		     "ib_write_bw -d mlx5_1 -p 18517 -F --report_gbits -D 10 \n"
		     "ib_read_lat -d mlx5_1 -p 18518 -F \nib_write_bw -d mlx5_0 \n@@end\n");
	char why[200];

	assert_int_equal(c.perftest, 1);
	assert_true(perftest_runs(&c, "mlx5_0", 18515)); /* perftest's own port */
	assert_int_equal(order_goal(&o, &c, why, sizeof(why)), GOAL_MET);
	o.verb = VERB_PERFTEST_RUN;
	assert_int_equal(order_goal(&o, &c, why, sizeof(why)), GOAL_NOT_MET);
	assert_string_equal(why, "the test still runs");
	o.tcp_port = 18519;
	assert_int_equal(order_goal(&o, &c, why, sizeof(why)), GOAL_MET);
	c = seen("@@begin "
		 "1\n@@programs\n/usr/bin/ib_write_bw\n/usr/bin/timeout\n@@running\n@@end\n");
	assert_int_equal(c.perftest, 0);
	/* An answer that broke off tells nothing. */
	c = seen("@@begin "
		 "1\n@@programs\n/usr/bin/ib_write_bw\n/usr/bin/ib_read_lat\n/usr/bin/timeout\n");
	assert_int_equal(c.perftest, -1);
	assert_int_equal(err.code, ERR_PROTOCOL);
	assert_int_equal(order_goal(&o, &c, why, sizeof(why)), GOAL_UNKNOWN);
}

static struct measurement taken(
	enum perftest_tool tool, const char *text, const char *complaint, int status)
{
	struct target t = {.device = "node000", .tier = TIER_HOST};
	struct order o = {
		.verb = VERB_PERFTEST_RUN, .port = "mlx5_0", .priority = -1, .tool = tool};
	struct reply r = {text, strlen(text), status, complaint};
	struct change_notes notes = {0};

	assert_int_equal(linux_words()->taken(&t, &o, "perftest-run", &r, &notes, &err), TAKEN_YES);
	assert_true(notes.measured);
	return notes.measurement;
}

CASE(a_result_or_the_reason_why_there_is_none)
{
	static const char bw[] = " #bytes #iterations BW peak[Gb/sec] BW average[Gb/sec]\n"
				 " 65536 5000 0.00 391.20\n";
	struct measurement m = taken(PERFTEST_BANDWIDTH, bw, "", 0);

	assert_float_equal(m.value, 391.2, 1e-9);
	assert_string_equal(m.port, "mlx5_0");
	/* A row and an error: the error counts. */
	m = taken(PERFTEST_BANDWIDTH, bw, "", 1);
	assert_true(isnan(m.value));
	assert_string_equal(m.why, "it ended with status 1");
	m = taken(PERFTEST_LATENCY, "", "", 124);
	assert_true(isnan(m.value));
	assert_string_equal(m.why, "it did not end within 30 s");
	m = taken(PERFTEST_LATENCY, "", "sh: 1: ib_read_lat: not found\n", 127);
	assert_string_equal(m.why, "sh: 1: ib_read_lat: not found");
}

CASES_MAIN(NULL, NULL)
