/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/str.h"
#include "tests/support/cases.h"
#include "tests/views/support/fake_diag.h"
#include "tests/views/support/runbook_bed.h"

/* leaf-r2-00:Ethernet0 is held for a third of the time, and drops. */
static const struct fault slow[] = {{.device = "leaf-r2-00",
	.port = "Ethernet0",
	.load = 0.25,
	.pfc_us = 333000,
	.drops = 100}};

static struct model *polled(const struct fault *faults, size_t n)
{
	struct model *m = fix_model();

	for (int s = 0; s < 4; s++)
		fix_poll(m, s, faults, n);
	(void)model_age(m, fix_time(3));
	return m;
}

static struct runbook_result judged(const struct view_ctx *ctx, const char *view,
	enum runbook_scope scope, enum runbook_rows rows, unsigned count, const char *where,
	struct ref target)
{
	struct runbook *b = bed_book("test", "port device link fabric rail");
	struct runbook_step *s = bed_step(b, "one", view, scope, rows, where);
	struct runbook_result out;

	s->count = count;
	runbook_judge(s, ctx, target, &out);
	runbook_free(b);
	return out;
}

CASE(rows_are_counted)
{
	static const struct {
		enum runbook_rows rows;
		unsigned count;
		const char *where;
		enum step_outcome outcome;
		size_t matched;
	} cases[] = {
		{ROWS_NONE, 0, "paused_rx>20%", STEP_FAIL, 1},
		{ROWS_NONE, 0, "paused_rx>50%", STEP_PASS, 0},
		{ROWS_ANY, 0, "paused_rx>20%", STEP_PASS, 1},
		{ROWS_ANY, 0, "paused_rx>50%", STEP_FAIL, 0},
		{ROWS_ALL, 0, "oper=up", STEP_PASS, 4},
		{ROWS_ALL, 0, "paused_rx<1%", STEP_FAIL, 3},
		{ROWS_AT_LEAST, 4, "oper=up", STEP_PASS, 4},
		{ROWS_AT_LEAST, 5, "oper=up", STEP_FAIL, 4},
		{ROWS_AT_MOST, 1, "paused_rx>20%", STEP_PASS, 1},
		{ROWS_AT_MOST, 0, "paused_rx>20%", STEP_FAIL, 1},
		/* Nobody has told of it. */
		{ROWS_NONE, 0, "rx_power<-10dBm", STEP_UNKNOWN, 0},
		{ROWS_ALL, 0, "rx_power>-10dBm", STEP_UNKNOWN, 0},
		/* The known term settles it. */
		{ROWS_ANY, 0, "rx_power<-10dBm|paused_rx>20%", STEP_PASS, 1},
		{ROWS_NONE, 0, "rx_power<-10dBm|paused_rx>20%", STEP_FAIL, 1},
		{ROWS_NONE, 0, "rx_power<-10dBm oper=down", STEP_PASS, 0},
	};
	struct model *m = polled(slow, 1);
	struct view_ctx ctx = fix_ctx(m, 3);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct runbook_result r = judged(&ctx, "leaf", SCOPE_TARGET, cases[i].rows,
			cases[i].count, cases[i].where, fix_device_ref(m, "leaf-r2-00"));

		if (r.outcome != cases[i].outcome || r.matched != cases[i].matched)
			fail_msg("%s: %s, %zu match (%s; %s)", cases[i].where,
				step_outcome_name((enum step_outcome)r.outcome), r.matched, r.value,
				r.why);
		assert_int_equal(r.rows, 4);
	}
	model_free(m);
}

CASE(numbers_are_told)
{
	struct model *m = polled(slow, 1);
	struct view_ctx ctx = fix_ctx(m, 3);
	struct ref leaf = fix_device_ref(m, "leaf-r2-00");
	struct runbook_result r;

	r = judged(&ctx, "leaf", SCOPE_TARGET, ROWS_NONE, 0, "paused_rx>20%", leaf);
	assert_string_equal(
		r.value, "1 of 4 ports has paused rx above 20%: leaf-r2-00:Ethernet0 33%!");
	r = judged(&ctx, "leaf", SCOPE_TARGET, ROWS_NONE, 0, "paused_rx>50%", leaf);
	assert_string_equal(r.value, "none of 4 ports has paused rx above 50% (0% to 33%!)");
	r = judged(&ctx, "leaf", SCOPE_TARGET, ROWS_ALL, 0, "paused_rx<1%", leaf);
	assert_string_equal(r.value,
		"1 of 4 ports does not have paused rx below 1%: leaf-r2-00:Ethernet0 33%!");
	r = judged(&ctx, "leaf", SCOPE_TARGET, ROWS_NONE, 0, "rx_power<-10dBm", leaf);
	assert_string_equal(
		r.why, "rx_power is not known for 4 of 4 ports: railtop check has the reason");
	model_free(m);
}

static bool ends_whole(const char *s)
{
	char clean[512];

	(void)str_sanitise(clean, sizeof(clean), s, strlen(s));
	return str_eq(clean, s);
}

/* Wherever the room ends, no character is cut: JSON permits only UTF-8. */
CASE(values_are_cut_between_characters)
{
	struct model *m = polled(slow, 1);
	struct view_ctx ctx = fix_ctx(m, 3);
	char where[160] = "!";
	struct runbook_result r;

	for (size_t n = 1; n < 130; n++) {
		(void)str_copy(where + n, sizeof(where) - n,
			"\xe2\x89\xa4\xe2\x89\xa4\xe2\x89\xa4"
			"\xe2\x89\xa4\xe2\x89\xa4\xe2\x89\xa4"
			"\xe2\x89\xa4\xe2\x89\xa4\xe2\x89\xa4");
		r = judged(&ctx, "leaf", SCOPE_TARGET, ROWS_NONE, 0, where,
			fix_device_ref(m, "leaf-r2-00"));
		if (!ends_whole(r.value))
			fail_msg("%zu: %s", n, r.value);
		where[n] = 'x';
	}
	model_free(m);
}

CASE(scopes_lead_to_their_place)
{
	static const struct {
		enum runbook_scope scope;
		const char *view;
		size_t rows;
	} cases[] = {
		{SCOPE_TARGET, "leaf", 1},      /* the row of the port */
		{SCOPE_DEVICE, "leaf", 4},      /* 2 hosts, 2 spines */
		{SCOPE_PEER, "host", 1},        /* the NIC */
		{SCOPE_PEER_DEVICE, "host", 8}, /* all NICs */
		{SCOPE_LINK, "links", 1}, {SCOPE_TARGET, "links", 1}, {SCOPE_DEVICE, "links", 4},
		{SCOPE_RAIL, "links", 4}, {SCOPE_FABRIC, "links", 32},
		{SCOPE_RAIL, "rail", 3},   /* the leaf and two spines */
		{SCOPE_TARGET, "port", 8}, /* priorities */
	};
	struct model *m = polled(NULL, 0);
	struct view_ctx ctx = fix_ctx(m, 3);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct runbook_result r = judged(&ctx, cases[i].view, cases[i].scope, ROWS_NONE, 0,
			"nothing-like-that", fix_port_ref(m, "leaf-r2-00", "Ethernet0"));

		if (r.rows != cases[i].rows || r.outcome != STEP_PASS)
			fail_msg("%zu: %zu rows, not %zu (%s)", i, r.rows, cases[i].rows, r.why);
	}
	model_free(m);
}

CASE(where_there_is_nothing_nobody_can_tell)
{
	struct model *m = polled(NULL, 0);
	struct view_ctx ctx = fix_ctx(m, 3);
	struct ref fabric = {.kind = REF_FABRIC};
	struct runbook_result r;

	r = judged(&ctx, "host", SCOPE_PEER, ROWS_NONE, 0, "oper=down", fabric);
	assert_int_equal(r.outcome, STEP_UNKNOWN);
	assert_string_equal(
		r.why, "this step is about one port: give the runbook a port as its place");
	r = judged(&ctx, "ranks", SCOPE_JOB, ROWS_NONE, 0, "state=dead", fabric);
	assert_int_equal(r.outcome, STEP_UNKNOWN);
	assert_non_null(strstr(r.why, "no job is known: jobs: in the inventory"));
	/* No session is told of: that is not "all are up". */
	r = judged(&ctx, "bgp", SCOPE_FABRIC, ROWS_ALL, 0, "state=established", fabric);
	assert_int_equal(r.outcome, STEP_UNKNOWN);
	assert_true(r.why[0]);
	/* Nobody diagnoses: no findings are none. */
	r = judged(&ctx, "findings", SCOPE_FABRIC, ROWS_NONE, 0, "role=culprit", fabric);
	assert_int_equal(r.outcome, STEP_UNKNOWN);
	/* Nobody keeps a ledger. */
	r = judged(&ctx, "audit", SCOPE_FABRIC, ROWS_NONE, 0, "action=x", fabric);
	assert_int_equal(r.outcome, STEP_UNKNOWN);
	model_free(m);
}

CASE(no_trouble_is_no_trouble)
{
	struct model *m = polled(NULL, 0);
	struct diag *d = diag_new();
	struct view_ctx ctx = fix_ctx(m, 3);
	struct ref fabric = {.kind = REF_FABRIC};
	struct runbook_result r;

	ctx.diag = d;
	r = judged(&ctx, "findings", SCOPE_FABRIC, ROWS_NONE, 0, "role=culprit", fabric);
	assert_int_equal(r.outcome, STEP_PASS);
	r = judged(&ctx, "events", SCOPE_FABRIC, ROWS_NONE, 0, "kind=link_flap", fabric);
	assert_int_equal(r.outcome, STEP_PASS);
	/* ... if the devices that would report it are heard. */
	(void)model_age(m, fix_time(3600));
	r = judged(&ctx, "findings", SCOPE_FABRIC, ROWS_NONE, 0, "role=culprit", fabric);
	assert_int_equal(r.outcome, STEP_UNKNOWN);
	assert_non_null(strstr(r.why, "12 of 12 devices"));
	diag_free(d);
	model_free(m);
}

CASE(old_numbers_are_no_answer)
{
	struct model *m = polled(slow, 1);
	struct view_ctx ctx;
	struct runbook_result r;

	/* One leaf falls silent, the others go on. */
	for (int s = 4; s < 60; s++)
		for (size_t i = 0; i < m->devices.n; i++)
			if (!str_eq(m->devices.at[i]->name, "leaf-r2-00"))
				fix_poll_device(m, m->devices.at[i], s, NULL, 0);
	(void)model_age(m, fix_time(59));
	ctx = fix_ctx(m, 59);
	r = judged(&ctx, "leaf", SCOPE_TARGET, ROWS_NONE, 0, "paused_rx>20%",
		fix_device_ref(m, "leaf-r2-00"));
	assert_int_equal(r.outcome, STEP_UNKNOWN);
	assert_int_equal(r.unknown, 4);
	assert_non_null(strstr(r.why, "the numbers are old, railtop check has the reason"));
	/* The step asks whether the device answers: that is known. */
	r = judged(&ctx, "devices", SCOPE_TARGET, ROWS_ALL, 0, "state=fresh",
		fix_device_ref(m, "leaf-r2-00"));
	assert_int_equal(r.outcome, STEP_FAIL);
	r = judged(&ctx, "leaf", SCOPE_TARGET, ROWS_NONE, 0, "paused_rx>20%",
		fix_device_ref(m, "leaf-r3-00"));
	assert_int_equal(r.outcome, STEP_PASS);
	model_free(m);
}

CASE(filters_narrow_what_is_judged)
{
	struct model *m = polled(slow, 1);
	struct view_ctx ctx = fix_ctx(m, 3);
	struct ref leaf = fix_device_ref(m, "leaf-r2-00");
	struct runbook *b = bed_book("test", "device");
	struct runbook_step *s =
		bed_step(b, "one", "leaf", SCOPE_TARGET, ROWS_NONE, "paused_rx>20%");
	struct runbook_result r;

	free(s->filter);
	s->filter = mem_strdup("port!=Ethernet0");
	runbook_judge(s, &ctx, leaf, &r);
	assert_int_equal(r.outcome, STEP_PASS);
	assert_int_equal(r.rows, 3);
	/* No row is left: "none" passes, but "all" has no result. */
	free(s->filter);
	s->filter = mem_strdup("port=Ethernet99");
	runbook_judge(s, &ctx, leaf, &r);
	assert_int_equal(r.outcome, STEP_PASS);
	s->rows = ROWS_ALL;
	runbook_judge(s, &ctx, leaf, &r);
	assert_int_equal(r.outcome, STEP_UNKNOWN);
	assert_int_equal(r.rows, 0);
	runbook_free(b);
	model_free(m);
}

/* ---- silent devices ---- */

/* Switches that nobody has reached have no sessions in the list: that is not "all are up". */
CASE(a_switch_without_a_list_may_have_sessions)
{
	static const char *const switches[] = {"leaf-r0-00", "leaf-r1-00", "leaf-r2-00",
		"leaf-r3-00", "leaf-r4-00", "leaf-r5-00", "leaf-r6-00", "leaf-r7-00", "spine-000",
		"spine-001"};
	struct model *m = polled(NULL, 0);
	struct view_ctx ctx = fix_ctx(m, 3);
	struct runbook_result r;

	for (size_t i = 0; i < 10; i++) {
		struct obs *o = obs_new(switches[i], "medium");

		o->result = OBS_DATA;
		o->received_us = fix_time(3);
		(void)obs_bgp(o, BGP_IPV4, "default", "10.0.0.1", "peer", BGP_ESTABLISHED);
		o->bgp_whole = true;
		model_apply(m, o, fix_time(3));
		obs_free(o);
		r = judged(&ctx, "bgp", SCOPE_FABRIC, ROWS_NONE, 0, "state!=established",
			(struct ref){.kind = REF_FABRIC});
		if (r.outcome != (i < 9 ? STEP_UNKNOWN : STEP_PASS))
			fail_msg("%zu: %s (%s)", i, r.value, r.why);
	}
	r = judged(&ctx, "bgp", SCOPE_FABRIC, ROWS_NONE, 0, "state=established",
		(struct ref){.kind = REF_FABRIC});
	assert_int_equal(r.outcome, STEP_FAIL);
	model_free(m);
}

/* A device that was never heard has no rows: its links may be anything. */
CASE(who_was_never_heard_is_missed)
{
	struct model *m = fix_model();
	struct view_ctx ctx = fix_ctx(m, 3);
	struct runbook_result r;

	for (int s = 0; s < 4; s++)
		for (size_t i = 0; i < m->devices.n; i++)
			if (!str_eq(m->devices.at[i]->name, "spine-001"))
				fix_poll_device(m, m->devices.at[i], s, NULL, 0);
	(void)model_age(m, fix_time(3));
	r = judged(&ctx, "ports", SCOPE_FABRIC, ROWS_NONE, 0, "nothing-like-that",
		(struct ref){.kind = REF_FABRIC});
	assert_int_equal(r.outcome, STEP_UNKNOWN);
	assert_non_null(strstr(r.why, "1 of 12 devices"));
	r = judged(&ctx, "ports", SCOPE_TARGET, ROWS_NONE, 0, "nothing-like-that",
		fix_device_ref(m, "leaf-r2-00"));
	assert_int_equal(r.outcome, STEP_PASS);
	model_free(m);
}

CASE(no_pause_counters_are_no_calm)
{
	struct model *m = fix_model();
	struct diag *d = diag_new();
	struct view_ctx ctx = fix_ctx(m, 3);
	struct ref fabric = {.kind = REF_FABRIC};
	struct runbook_result r;

	ctx.diag = d;
	/* Of one sample nobody knows a share of time. */
	for (int s = 0; s < 4; s++) {
		fix_poll(m, s, NULL, 0);
		(void)model_age(m, fix_time(s));
		r = judged(&ctx, "storm", SCOPE_FABRIC, ROWS_NONE, 0, "held>1%", fabric);
		assert_true(s > 0 || r.outcome == STEP_UNKNOWN);
		assert_true(s > 0 || strstr(r.why, "no port reports"));
	}
	assert_int_equal(r.outcome, STEP_PASS);
	diag_free(d);
	model_free(m);
}

/* A switch that counts frames: its ports are paused for at most so much of the time. */
CASE(a_bound_is_no_proof)
{
	static const struct fault frames[] = {
		{.device = "leaf-r6-00", .port = "Ethernet12", .pfc_frames = 5000}};
	struct model *m = polled(frames, 1);
	struct view_ctx ctx = fix_ctx(m, 3);
	struct ref leaf = fix_device_ref(m, "leaf-r6-00");
	struct runbook_result r;

	r = judged(&ctx, "leaf", SCOPE_TARGET, ROWS_NONE, 0, "paused_rx>1%", leaf);
	assert_int_equal(r.outcome, STEP_UNKNOWN);
	assert_string_equal(r.why, "paused_rx is an upper bound for 1 of 4 ports: frames were "
				   "counted, not their time; railtop check says whether "
				   "that can be");
	r = judged(&ctx, "leaf", SCOPE_TARGET, ROWS_NONE, 0, "paused_rx>50%", leaf);
	assert_int_equal(r.outcome, STEP_PASS);
	model_free(m);
}

CASE(a_job_that_nobody_tells_of_is_old)
{
	struct model *m = polled(NULL, 0);
	struct view_ctx ctx = fix_ctx(m, 3);
	struct ref node = fix_device_ref(m, "node000");
	struct obs *o = obs_new("node000", "nccl");
	struct runbook_result r;

	o->result = OBS_DATA;
	o->received_us = fix_time(3);
	for (int i = 0; i < 2; i++) {
		struct obs_nccl *n = obs_nccl(o, NCCL_RANK, SOURCE_RAS);

		n->comm = obs_string(o, "0x1234567890abcdef");
		n->host = obs_string(o, i ? "node001" : "node000");
		n->rank = i;
		n->nranks = 2;
		n->state = NCCL_RUNNING;
	}
	model_apply(m, o, fix_time(3));
	obs_free(o);
	r = judged(&ctx, "ranks", SCOPE_JOB, ROWS_NONE, 0, "state~dead", node);
	assert_int_equal(r.outcome, STEP_PASS);
	m->nccl->comms.at[0]->gone = true;
	r = judged(&ctx, "ranks", SCOPE_JOB, ROWS_NONE, 0, "state~dead", node);
	assert_int_equal(r.outcome, STEP_UNKNOWN);
	assert_non_null(strstr(r.why, "no source reports the job"));
	model_free(m);
}

/* ---- events that are not there ---- */

static enum step_outcome judged_events(
	const struct view_ctx *ctx, const char *filter, enum runbook_rows rows, const char *where)
{
	struct runbook *b = bed_book("test", "port");
	struct runbook_step *s = bed_step(b, "one", "events", SCOPE_FABRIC, rows, where);
	struct runbook_result r;

	free(s->filter);
	s->filter = mem_strdup(filter);
	runbook_judge(s, ctx, (struct ref){.kind = REF_FABRIC}, &r);
	if (r.outcome == STEP_UNKNOWN)
		assert_non_null(strstr(r.why, "watched for 3s only"));
	runbook_free(b);
	return (enum step_outcome)r.outcome;
}

/* The age in the filter and the age in the condition both limit the watched time. */
CASE(what_nobody_watched_is_not_known)
{
	struct model *m = polled(NULL, 0);
	struct view_ctx ctx = fix_ctx(m, 3);

	assert_int_equal(judged_events(&ctx, "age<1h", ROWS_NONE, "kind=link_flap"), STEP_UNKNOWN);
	assert_int_equal(judged_events(&ctx, "", ROWS_NONE, "kind=link_flap age<1h"), STEP_UNKNOWN);
	assert_int_equal(judged_events(&ctx, "flap", ROWS_NONE, "age<1h"), STEP_UNKNOWN);
	assert_int_equal(judged_events(&ctx, "", ROWS_NONE, "kind=link_flap age<2s"), STEP_PASS);
	assert_int_equal(judged_events(&ctx, "age<2s", ROWS_NONE, "kind=link_flap"), STEP_PASS);
	assert_int_equal(judged_events(&ctx, "age<1h", ROWS_NONE, "age<2s"), STEP_PASS);
	model_free(m);
}

/* Watched for long, but the ring of events does not reach back as far. */
CASE(events_that_were_pushed_out_are_not_known)
{
	struct model *m = polled(NULL, 0);
	struct view_ctx ctx = fix_ctx(m, 7200);

	for (size_t i = 0; i < m->devices.n; i++)
		fix_poll_device(m, m->devices.at[i], 7200, NULL, 0);
	assert_int_equal(judged_events(&ctx, "age<1h", ROWS_NONE, "kind=link_flap"), STEP_PASS);
	for (unsigned i = 0; i < EVENT_RING; i++)
		model_add_event(m, fix_time(7197), EV_LINK_UP, m->devices.at[0], NULL, -1, 0, "");
	assert_int_equal(judged_events(&ctx, "age<1h", ROWS_NONE, "kind=link_flap"), STEP_UNKNOWN);
	assert_int_equal(judged_events(&ctx, "age<2s", ROWS_NONE, "kind=link_flap"), STEP_PASS);
	model_free(m);
}

/* ---- rows of several objects ---- */

static void set_pfc(struct model *m, const char *device, const char *port, unsigned mask)
{
	struct obs *o = obs_new(device, "slow");

	o->result = OBS_DATA;
	o->received_us = fix_time(3);
	obs_number(o, obs_port(o, port), ATTR_PFC_ENABLED, 0, mask);
	model_apply(m, o, fix_time(3));
	obs_free(o);
}

CASE(what_several_ports_have_in_common_may_be_here)
{
	static const char where[] = "result=DIFFERS check~^pfc";
	static const char *const ports[] = {"Ethernet0", "Ethernet8", "Ethernet12"};
	struct model *m = polled(NULL, 0);
	struct view_ctx ctx = fix_ctx(m, 3);
	struct runbook_result r;
	unsigned failed = 0, unknown = 0;

	for (size_t i = 0; i < m->ports.n; i++)
		set_pfc(m, model_dev_of(m, m->ports.at[i])->name, m->ports.at[i]->name, 0x08);
	r = judged(&ctx, "lint", SCOPE_LINK, ROWS_NONE, 0, where,
		fix_port_ref(m, "leaf-r2-00", "Ethernet12"));
	assert_int_equal(r.outcome, STEP_PASS);
	set_pfc(m, "leaf-r2-00", "Ethernet0", 0x10);
	r = judged(&ctx, "lint", SCOPE_LINK, ROWS_NONE, 0, where,
		fix_port_ref(m, "leaf-r2-00", "Ethernet12"));
	assert_int_equal(r.outcome, STEP_PASS);
	/* Alike ones are one row, at the first of them. */
	for (size_t i = 1; i < 3; i++)
		set_pfc(m, "leaf-r2-00", ports[i], 0x10);
	for (size_t i = 0; i < 3; i++) {
		r = judged(&ctx, "lint", SCOPE_TARGET, ROWS_NONE, 0, where,
			fix_port_ref(m, "leaf-r2-00", ports[i]));
		assert_true(r.outcome == STEP_FAIL || strstr(r.why, "perhaps for this one"));
		failed += r.outcome == STEP_FAIL;
		unknown += r.outcome == STEP_UNKNOWN;
	}
	assert_int_equal(failed, 1);
	assert_int_equal(unknown, 2);
	r = judged(&ctx, "lint", SCOPE_TARGET, ROWS_NONE, 0, where,
		fix_port_ref(m, "leaf-r3-00", "Ethernet12"));
	assert_int_equal(r.outcome, STEP_PASS);
	model_free(m);
}

/* Nobody has told of any setting: "2 of 2 hosts do not say" is about each of them. */
CASE(what_a_tier_does_not_say_is_not_known_of_its_devices)
{
	struct model *m = polled(NULL, 0);
	struct view_ctx ctx = fix_ctx(m, 3);
	struct runbook_result r;

	r = judged(&ctx, "lint", SCOPE_DEVICE, ROWS_NONE, 0, "result=DIFFERS",
		fix_device_ref(m, "node000"));
	assert_int_equal(r.outcome, STEP_UNKNOWN);
	assert_non_null(strstr(r.why, "result is not known"));
	r = judged(&ctx, "lint", SCOPE_TARGET, ROWS_NONE, 0, "result=DIFFERS where~host",
		fix_port_ref(m, "leaf-r2-00", "Ethernet0"));
	assert_int_equal(r.outcome, STEP_PASS);
	model_free(m);
}

/* Two cables are swapped: that is about all four ends. */
CASE(a_fault_is_about_all_of_its_cables)
{
	static const struct fault swapped[] = {
		{.device = "node000",
			.port = "mlx5_2",
			.lldp_device = "leaf-r3-00",
			.lldp_port = "Ethernet0"},
		{.device = "node000",
			.port = "mlx5_3",
			.lldp_device = "leaf-r2-00",
			.lldp_port = "Ethernet0"},
		{.device = "leaf-r2-00",
			.port = "Ethernet0",
			.lldp_device = "node000",
			.lldp_port = "mlx5_3"},
		{.device = "leaf-r3-00",
			.port = "Ethernet0",
			.lldp_device = "node000",
			.lldp_port = "mlx5_2"},
	};
	struct model *m = polled(swapped, 4);
	struct view_ctx ctx = fix_ctx(m, 3);

	for (size_t i = 0; i <= 4; i++) {
		struct runbook_result r =
			judged(&ctx, "wiring", SCOPE_TARGET, ROWS_NONE, 0, "step=FAULT",
				i < 4 ? fix_port_ref(m, swapped[i].device, swapped[i].port)
				      : fix_port_ref(m, "leaf-r4-00", "Ethernet0"));

		if (r.outcome != (i < 4 ? STEP_FAIL : STEP_PASS))
			fail_msg("%zu: %s (%s)", i, r.value, r.why);
	}
	model_free(m);
}

/* ---- runs ---- */

static struct runbook *three_steps(void)
{
	struct runbook *b = bed_book("three", "port device");
	struct runbook_step *s;

	s = bed_step(b, "held", "leaf", SCOPE_TARGET, ROWS_NONE, "paused_rx>20%");
	(void)str_copy(s->on_pass, sizeof(s->on_pass), "end");
	(void)str_copy(s->on_fail, sizeof(s->on_fail), "who");
	s = bed_step(b, "never", "leaf", SCOPE_TARGET, ROWS_ALL, "oper=up");
	(void)str_copy(s->on_pass, sizeof(s->on_pass), "end");
	s = bed_step(b, "who", NULL, SCOPE_TARGET, ROWS_NONE, NULL);
	(void)str_copy(s->on_fail, sizeof(s->on_fail), "runbook:other");
	return b;
}

CASE(a_run_goes_where_its_outcomes_lead)
{
	struct model *m = polled(slow, 1);
	struct view_ctx ctx = fix_ctx(m, 3);
	struct runbook *b = three_steps();
	struct runbook_run r;
	const struct runbook_log_entry *e;
	struct err err = {0};

	assert_true(runbook_begin(
		&r, b, fix_port_ref(m, "leaf-r2-00", "Ethernet0"), &ctx, "anna", &err));
	assert_string_equal(r.target_text, "leaf-r2-00:Ethernet0");
	assert_int_equal(r.now.outcome, STEP_FAIL);
	e = runbook_note(&r, &ctx, "anna", "called\033[2J the desk");
	assert_string_equal(e->step, "held");
	assert_null(strchr(e->note, '\033'));
	e = runbook_next(&r, &ctx, "anna", STEP_OPEN);
	assert_int_equal(e->outcome, STEP_FAIL);
	assert_false(e->by_hand);
	assert_string_equal(e->user, "anna");
	assert_true(e->value[0]);
	assert_int_equal(e->t_us, fix_time(3));
	assert_int_equal(r.at, 2);
	assert_int_equal(r.now.outcome, STEP_OPEN);
	/* The note stays with its step. */
	assert_true(r.steps.at[0].note[0]);
	assert_int_equal(r.steps.at[0].outcome, STEP_FAIL);
	assert_int_equal(r.steps.at[1].outcome, STEP_OPEN);
	e = runbook_next(&r, &ctx, "anna", STEP_FAIL);
	assert_true(e->by_hand);
	assert_string_equal(e->step, "who");
	assert_int_equal(r.at, b->steps.n);
	assert_string_equal(r.leads_to, "other");
	assert_null(runbook_next(&r, &ctx, "anna", STEP_OPEN));
	/* begun, note, held, account, ended */
	assert_int_equal(r.trail.n, 5);
	assert_string_equal(r.trail.at[0].value, "begun");
	assert_string_equal(r.trail.at[4].value, "ended, goes on with other");
	assert_true(runbook_previous(&r));
	assert_int_equal(r.at, 2);
	/* Nobody judged: skipped. */
	e = runbook_next(&r, &ctx, "anna", STEP_OPEN);
	assert_int_equal(e->outcome, STEP_SKIPPED);
	assert_true(runbook_previous(&r) && runbook_previous(&r));
	assert_int_equal(r.at, 0);
	assert_false(runbook_previous(&r));
	runbook_run_free(&r);
	runbook_free(b);
	model_free(m);
}

CASE(a_run_takes_what_it_is_about)
{
	struct model *m = polled(NULL, 0);
	struct view_ctx ctx = fix_ctx(m, 3);
	struct runbook *device = bed_book("dev", "device"), *whole = bed_book("all", "");
	struct ref port = fix_port_ref(m, "leaf-r2-00", "Ethernet0"), priority = port;
	struct runbook_run r;
	struct err err = {0};

	(void)bed_step(device, "one", "leaf", SCOPE_TARGET, ROWS_ALL, "oper=up");
	(void)bed_step(whole, "one", "links", SCOPE_FABRIC, ROWS_ALL, "oper=up/up");
	priority.kind = REF_PRIORITY;
	priority.priority = 3;
	assert_true(runbook_begin(&r, device, priority, &ctx, "", &err));
	assert_string_equal(r.target_text, "leaf-r2-00");
	runbook_run_free(&r);
	assert_true(runbook_begin(&r, whole, port, &ctx, "", &err));
	assert_string_equal(r.target_text, "");
	runbook_run_free(&r);
	assert_false(runbook_begin(&r, device, (struct ref){.kind = REF_FABRIC}, &ctx, "", &err));
	assert_int_equal(err.code, ERR_USAGE);
	assert_non_null(strstr(err.cure, "device"));
	runbook_free(device);
	runbook_free(whole);
	model_free(m);
}

CASE(a_run_is_judged_anew_with_new_data)
{
	struct model *m = polled(NULL, 0);
	struct view_ctx ctx = fix_ctx(m, 3);
	struct runbook *b = three_steps();
	struct runbook_run r;
	struct err err = {0};

	assert_true(
		runbook_begin(&r, b, fix_port_ref(m, "leaf-r2-00", "Ethernet0"), &ctx, "", &err));
	assert_int_equal(r.now.outcome, STEP_PASS);
	for (int s = 4; s < 7; s++)
		fix_poll(m, s, slow, 1);
	ctx = fix_ctx(m, 6);
	runbook_run_judge(&r, &ctx);
	assert_int_equal(r.now.outcome, STEP_FAIL);
	(void)model_age(m, fix_time(3600));
	ctx = fix_ctx(m, 3600);
	runbook_run_judge(&r, &ctx);
	assert_int_equal(r.now.outcome, STEP_UNKNOWN);
	runbook_run_free(&r);
	runbook_free(b);
	model_free(m);
}

CASES_MAIN(NULL, NULL)
