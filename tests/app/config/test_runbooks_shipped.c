/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The runbooks that railtop comes with, on models: on a healthy one nothing fails, on a faulty one
 * the step that is meant for the fault fails, says so with numbers, and leads to where it should;
 * where the data is old or missing nobody can tell.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/config/embedded_texts.h"
#include "app/session/runbook_walk.h"
#include "app/config/runbooks.h"
#include "base/clock.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"
#include "tests/diagnosis/engine/incidents.h"
#include "tests/support/cases.h"

#define HOST_LINK "leaf-r0-00:Ethernet0"  /* to node000 */
#define UPLINK    "leaf-r0-00:Ethernet16" /* to spine-000:Ethernet1/1 */
#define LEAF      "leaf-r0-00"

struct bed {
	struct stand *s;
	struct ring ring;
	struct runbooks books;
};

/* As if railtop had watched since yesterday: so it knows that some events did not happen. */
static void watch_since_yesterday(struct stand *s)
{
	for (size_t i = 0; i < s->m->devices.n; i++)
		s->m->devices.at[i]->heard_us -= 86400 * CLOCK_SEC;
}

static void good_sessions(struct stand *s)
{
	for (size_t i = 0; i < s->m->devices.n; i++) {
		const struct device *d = s->m->devices.at[i];
		struct obs *o;

		if (d->tier == TIER_HOST)
			continue;
		o = stand_batch(s, d->name);
		o->bgp_whole = true;
		/* The leaves' ends are enough: spines say that they have none. */
		if (d->tier != TIER_LEAF)
			continue;
		(void)obs_bgp(o, BGP_IPV4, "default", "10.0.0.1", "spine-000", BGP_ESTABLISHED);
		(void)obs_bgp(o, BGP_IPV4, "default", "10.0.0.3", "spine-001", BGP_ESTABLISHED);
	}
}

static void polls(struct bed *b, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		ring_play(&b->ring, 2);
		stand_poll(b->s, 1);
	}
}

static int bed_setup(void **state)
{
	struct bed *b = mem_calloc(1, sizeof(*b));
	struct err err = {0};

	assert_true(runbooks_load(&b->books, NULL, NULL, &err));
	b->s = stand_new();
	b->ring = ring_make(b->s);
	for (size_t i = 0; i < b->s->m->ports.n; i++) {
		char port[160];

		assert_true(ref_format(b->s->m, (struct ref){.kind = REF_PORT, .port = (uint32_t)i},
			port, sizeof(port)));
		stand_gauge(b->s, port, CTR_PRE_FEC_BER, 0, 1e-9);
	}
	good_sessions(b->s);
	polls(b, 6);
	watch_since_yesterday(b->s);
	*state = b;
	return 0;
}

static int bed_teardown(void **state)
{
	struct bed *b = *state;

	stand_free(b->s);
	runbooks_free(&b->books);
	free(b);
	return 0;
}

/* ---- walks ---- */

static void walk_at(const struct bed *b, const char *book, const char *at, struct walk *w)
{
	struct view_ctx ctx = {.model = b->s->m, .now_us = b->s->now_us, .diag = b->s->d};
	struct ref target = {.kind = REF_FABRIC};
	struct err err = {0};

	ctx.cache = view_cache_new();
	if (at[0] && !ref_parse(b->s->m, at, &target, &err))
		fail_msg("%s: %s", at, err.text);
	if (!runbook_find(&b->books, book))
		fail_msg("there is no runbook %s", book);
	if (!walk_runbook(w, runbook_find(&b->books, book), target, &ctx, &err))
		fail_msg("%s: %s", book, err.text);
	view_cache_free(ctx.cache);
}

static void print_walk(const struct walk *w)
{
	(void)fprintf(stderr, "# %s %s\n", w->book->name, w->target);
	for (size_t i = 0; i < w->steps.n; i++) {
		const struct walked *one = &w->steps.at[i];

		(void)fprintf(stderr, "#   %-11s %-12s -> %s: %s [%s]\n", one->step->id,
			step_outcome_name((enum step_outcome)one->result.outcome), one->next,
			one->result.value, one->result.why);
	}
}

static const struct walked *walked_step(const struct walk *w, const char *id)
{
	for (size_t i = 0; i < w->steps.n; i++)
		if (str_eq(w->steps.at[i].step->id, id))
			return &w->steps.at[i];
	return NULL;
}

/* says: part of the value, of STEP_UNKNOWN of the reason; next: where it leads. */
static void expect_step(const struct bed *b, const char *book, const char *at, const char *id,
	enum step_outcome outcome, const char *says, const char *next)
{
	struct walk w;
	const struct walked *one;

	walk_at(b, book, at, &w);
	one = walked_step(&w, id);
	if (!one || one->result.outcome != outcome || !str_eq(one->next, next) ||
		!strstr(outcome == STEP_UNKNOWN ? one->result.why : one->result.value, says)) {
		print_walk(&w);
		stand_print(b->s);
		fail_msg("%s at %s: step %s is not \"%s\", \"%s\", then %s", book, at, id,
			step_outcome_name(outcome), says, next);
	}
	walk_free(&w);
}

/* The step by itself, also where a walk without a person does not come by. */
static void expect_judged(const struct bed *b, const char *book, const char *at, const char *id,
	enum step_outcome outcome, const char *says)
{
	struct view_ctx ctx = {.model = b->s->m, .now_us = b->s->now_us, .diag = b->s->d};
	const struct runbook *r = runbook_find(&b->books, book);
	struct ref target = {.kind = REF_FABRIC};
	struct runbook_result out = {0};
	struct err err = {0};
	bool found = false;

	if (at[0])
		assert_true(ref_parse(b->s->m, at, &target, &err));
	for (size_t i = 0; r && i < r->steps.n; i++) {
		if (!str_eq(r->steps.at[i].id, id))
			continue;
		runbook_judge(&r->steps.at[i], &ctx, target, &out);
		found = true;
	}
	if (!found || out.outcome != outcome || !strstr(out.value, says))
		fail_msg("%s at %s: %s is %s: %s [%s]", book, at, id,
			step_outcome_name((enum step_outcome)out.outcome), out.value, out.why);
}

static void expect_no_step(const struct bed *b, const char *book, const char *at, const char *id)
{
	struct walk w;

	walk_at(b, book, at, &w);
	if (walked_step(&w, id)) {
		print_walk(&w);
		fail_msg("%s at %s: goes through %s", book, at, id);
	}
	walk_free(&w);
}

/* The targets on which all runbooks are walked. */
static const char *const targets[] = {"", HOST_LINK, UPLINK, LEAF, "node000", "node000:mlx5_0"};
#define TARGETS (sizeof(targets) / sizeof(targets[0]))

static bool takes(const struct bed *b, const struct runbook *book, const char *at)
{
	struct ref target = {.kind = REF_FABRIC};
	struct view_ctx ctx = {.model = b->s->m, .now_us = b->s->now_us, .diag = b->s->d};
	struct runbook_run run;
	struct err err = {0};

	if (at[0])
		assert_true(ref_parse(b->s->m, at, &target, &err));
	if (!runbook_begin(&run, book, target, &ctx, "", &err))
		return false;
	runbook_run_free(&run);
	return true;
}

/* ---- all of them ---- */

/* The stand has two NICs a host, the step asks for eight. */
static bool is_meant(const struct walk *w, const struct walked *one)
{
	return str_eq(w->book->name, "new-node") && str_eq(one->step->id, "nics") &&
	       strstr(one->result.value, "2 of 2 NICs");
}

static void expect_healthy(const struct walk *w)
{
	for (size_t i = 0; i < w->steps.n; i++) {
		const struct walked *one = &w->steps.at[i];

		if ((one->result.outcome == STEP_FAIL && !is_meant(w, one)) ||
			(one->result.outcome == STEP_UNKNOWN && !one->result.why[0])) {
			print_walk(w);
			fail_msg("%s: %s fails on a healthy fabric", w->book->name, one->step->id);
		}
	}
}

CASE_WITH(nothing_fails_on_a_healthy_fabric, bed_setup, bed_teardown)
{
	struct bed *b = *state;
	unsigned passed = 0, unknown = 0;

	stand_expect_innocent(b->s);
	for (size_t i = 0; i < b->books.at.n; i++)
		for (size_t t = 0; t < TARGETS; t++) {
			struct walk w;

			if (!takes(b, b->books.at.at[i], targets[t]))
				continue;
			walk_at(b, b->books.at.at[i]->name, targets[t], &w);
			expect_healthy(&w);
			passed += w.outcomes[STEP_PASS];
			unknown += w.outcomes[STEP_UNKNOWN];
			walk_free(&w);
		}
	/* And most of it can be told. */
	if (passed < 4 * unknown)
		fail_msg("%u pass, of %u one cannot tell", passed, unknown);
}

CASE_WITH(silence_is_no_pass, bed_setup, bed_teardown)
{
	struct bed *b = *state;

	for (size_t i = 0; i < b->s->m->devices.n; i++)
		stand_silent(b->s, b->s->m->devices.at[i]->name, true);
	stand_poll(b->s, 60);
	for (size_t i = 0; i < b->books.at.n; i++)
		for (size_t t = 0; t < TARGETS; t++) {
			struct walk w;

			if (!takes(b, b->books.at.at[i], targets[t]))
				continue;
			walk_at(b, b->books.at.at[i]->name, targets[t], &w);
			if (w.outcomes[STEP_PASS] || walk_exit_code(&w) == EXIT_FINE) {
				print_walk(&w);
				fail_msg("%s passes on nothing", w.book->name);
			}
			walk_free(&w);
		}
}

/* "None in the last hour" is not known after a minute. */
CASE_WITH(what_was_before_is_not_known, bed_setup, bed_teardown)
{
	struct bed *b = *state;

	for (size_t i = 0; i < b->s->m->devices.n; i++)
		b->s->m->devices.at[i]->heard_us = b->s->now_us - 120 * CLOCK_SEC;
	expect_step(b, "link-flap", UPLINK, "often", STEP_UNKNOWN, "watched for 2m", "today");
	expect_step(b, "prove-innocence", "", "flaps", STEP_UNKNOWN, "watched for 2m", "loss");
	expect_step(b, "new-node", "node000", "soak", STEP_UNKNOWN, "watched for 2m", "end");
	/* Events that were seen still count. */
	for (unsigned i = 0; i < 6; i++) {
		stand_link(b->s, UPLINK, i % 2);
		polls(b, 2);
	}
	expect_step(b, "link-flap", UPLINK, "often", STEP_FAIL, "at most 3 of one", "ours");
}

/* ---- one by one ---- */

static void flaps(struct bed *b, const char *port, unsigned n)
{
	for (unsigned i = 0; i < 2 * n; i++) {
		stand_link(b->s, port, i % 2);
		polls(b, 2);
	}
}

CASE_WITH(link_flap, bed_setup, bed_teardown)
{
	struct bed *b = *state;

	expect_step(b, "link-flap", UPLINK, "often", STEP_PASS, "there are no", "today");
	expect_judged(b, "link-flap", UPLINK, "quiet", STEP_PASS, "there are no");
	/* Both ends see each of them: two flaps are two. */
	flaps(b, UPLINK, 2);
	expect_step(b, "link-flap", UPLINK, "often", STEP_PASS, "at most 2 of one", "today");
	expect_step(b, "link-flap", UPLINK, "today", STEP_FAIL, "at most 2 of one", "ours");
	flaps(b, UPLINK, 1);
	expect_step(b, "link-flap", UPLINK, "now", STEP_PASS, "the one link", "often");
	expect_step(b, "link-flap", UPLINK, "often", STEP_FAIL, "at most 3 of one", "ours");
	expect_step(b, "link-flap", UPLINK, "ours", STEP_PASS, "none of", "first");
	expect_judged(b, "link-flap", UPLINK, "quiet", STEP_FAIL, "link_down");
	/* Another link is none of its business. */
	expect_step(b, "link-flap", HOST_LINK, "often", STEP_PASS, "there are no", "today");
	stand_link(b->s, UPLINK, false);
	polls(b, 2);
	expect_step(b, "link-flap", UPLINK, "now", STEP_FAIL, "1 of 1 link", "ours");
}

CASE_WITH(link_flap_is_ours, bed_setup, bed_teardown)
{
	struct bed *b = *state;

	stand_word(b->s, UPLINK, ATTR_ADMIN, 0, "down");
	stand_link(b->s, UPLINK, false);
	polls(b, 2);
	expect_step(b, "link-flap", UPLINK, "ours", STEP_FAIL, "admin_changed", "who");
}

CASE_WITH(link_flap_with_bits, bed_setup, bed_teardown)
{
	struct bed *b = *state;

	stand_gauge(b->s, UPLINK, CTR_PRE_FEC_BER, 0, 5e-5);
	polls(b, 2);
	expect_step(
		b, "link-flap", UPLINK, "errors", STEP_FAIL, "5.0e-05", "runbook:degraded-optic");
	stand_gauge(b->s, UPLINK, CTR_PRE_FEC_BER, 0, 9e-7);
	polls(b, 2);
	expect_step(b, "link-flap", UPLINK, "errors", STEP_PASS, "none of 1 link", "corrupt");
}

CASE_WITH(degraded_optic, bed_setup, bed_teardown)
{
	struct bed *b = *state;

	stand_rate(b->s, UPLINK, CTR_FEC_UNCORRECTABLE_CODEWORDS, 0, 3);
	stand_gauge(b->s, UPLINK, CTR_PRE_FEC_BER, 0, 1e-5);
	stand_gauge(b->s, UPLINK, CTR_RX_POWER_DBM, 2, -12);
	stand_number(b->s, UPLINK, ATTR_SPEED_MBPS, 0, 200000);
	polls(b, 3);
	expect_step(b, "degraded-optic", UPLINK, "lost", STEP_FAIL, UPLINK, "ber");
	expect_step(b, "degraded-optic", UPLINK, "ber", STEP_FAIL, "1.0e-05", "edge");
	expect_step(b, "degraded-optic", UPLINK, "edge", STEP_PASS, "1.0e-05", "direction");
	expect_step(b, "degraded-optic", UPLINK, "direction", STEP_FAIL, UPLINK, "light");
	expect_step(b, "degraded-optic", UPLINK, "light", STEP_FAIL, "-12", "outlier");
	expect_step(b, "degraded-optic", UPLINK, "speed", STEP_FAIL, "200G!", "repair");
	expect_step(b, "degraded-optic", UPLINK, "bits-again", STEP_FAIL, UPLINK, "end");
	expect_no_step(b, "degraded-optic", UPLINK, "back");
	/* Without an object it looks at all of them. */
	expect_step(b, "degraded-optic", "", "lost", STEP_FAIL, UPLINK, "ber");
	/* The other direction is clean. */
	expect_step(b, "degraded-optic", "spine-000:Ethernet1/1", "direction", STEP_PASS,
		"none of 1", "light");
	stand_gauge(b->s, UPLINK, CTR_PRE_FEC_BER, 0, 3e-4);
	polls(b, 2);
	expect_step(b, "degraded-optic", UPLINK, "edge", STEP_FAIL, "3.0e-04", "direction");
}

CASE_WITH(degraded_optic_untold, bed_setup, bed_teardown)
{
	struct bed *b = *state;

	stand_unsupported(b->s, UPLINK, CTR_PRE_FEC_BER, 0);
	stand_unsupported(b->s, "spine-000:Ethernet1/1", CTR_PRE_FEC_BER, 0);
	stand_unsupported(b->s, UPLINK, CTR_FEC_UNCORRECTABLE_CODEWORDS, 0);
	polls(b, 3);
	expect_step(b, "degraded-optic", UPLINK, "lost", STEP_UNKNOWN, "fec is not known", "ber");
	expect_step(b, "degraded-optic", UPLINK, "ber", STEP_UNKNOWN, "ber is not known", "light");
}

CASE_WITH(pfc_storm, bed_setup, bed_teardown)
{
	struct bed *b = *state;

	for (unsigned n = 0; n < 14; n++) {
		incident_step(b->s, &b->ring, INCIDENT_STORM, n);
		polls(b, 1);
	}
	expect_step(b, "pfc-storm", "", "how-bad", STEP_FAIL, HOST_LINK, "cycle");
	expect_step(b, "pfc-storm", "", "cycle", STEP_PASS, "none of", "root");
	expect_step(b, "pfc-storm", "", "root", STEP_FAIL, "culprit", "nic");
	expect_step(b, "pfc-storm", HOST_LINK, "nic", STEP_FAIL, "60%", "host");
	/* The finding names the NIC; the pauses that it sends are counted at its leaf. */
	expect_step(b, "pfc-storm", "node000:mlx5_0", "nic", STEP_FAIL, "60%", "host");
	expect_step(b, "watchdog-fired", "node000:mlx5_0", "storming", STEP_FAIL, "60%",
		"runbook:pfc-storm");
	expect_step(b, "pfc-storm", "", "over", STEP_FAIL, "held 1m above 2%", "end");
	expect_step(b, "nccl-hang", "node000", "nics", STEP_FAIL, "60%", "runbook:pfc-storm");
	expect_step(b, "prove-innocence", "", "pauses", STEP_FAIL, "50%", "uplinks");
	expect_step(b, "prove-innocence", "", "uplinks", STEP_FAIL, HOST_LINK, "sessions");
	expect_step(b, "prove-innocence", "", "culprit", STEP_PASS, "there are no", "hand-over");
	expect_step(b, "high-cnp", "", "pauses", STEP_FAIL, "held 1m above 2%", "thresholds");
}

/* A checkpoint: many senders meet for a second, once a minute, on a fabric that is well. */
CASE_WITH(a_short_burst_is_no_storm, bed_setup, bed_teardown)
{
	struct bed *b = *state;

	polls(b, 24);
	stand_hold(b->s, HOST_LINK, 18);
	polls(b, 1);
	stand_hold(b->s, HOST_LINK, 0);
	expect_step(b, "watchdog-fired", "", "storming", STEP_PASS, "none of", "state");
	expect_step(b, "pfc-storm", "", "how-bad", STEP_PASS, "none of", "mild");
	expect_step(b, "pfc-storm", "", "mild", STEP_PASS, "none of", "end");
	expect_step(b, "high-cnp", "", "pauses", STEP_PASS, "none of", "thresholds");
	expect_step(b, "nccl-hang", "node000", "nics", STEP_PASS, "none of", "uplinks");
	expect_step(b, "prove-innocence", "", "pauses", STEP_PASS, "none of", "uplinks");
	/* Burst upon burst is one. */
	for (unsigned i = 0; i < 6; i++) {
		polls(b, 4);
		stand_hold(b->s, HOST_LINK, 18);
		polls(b, 1);
		stand_hold(b->s, HOST_LINK, 0);
	}
	expect_step(b, "watchdog-fired", "", "storming", STEP_FAIL, "18%", "runbook:pfc-storm");
	expect_step(b, "pfc-storm", "", "mild", STEP_FAIL, HOST_LINK, "cycle");
	expect_step(b, "prove-innocence", "", "pauses", STEP_FAIL, "1 of 32 links", "uplinks");
}

CASE_WITH(pfc_storm_grows, bed_setup, bed_teardown)
{
	struct bed *b = *state;

	stand_hold(b->s, HOST_LINK, 5);
	polls(b, 4);
	expect_step(b, "pfc-storm", "", "how-bad", STEP_PASS, "none of", "mild");
	expect_step(b, "pfc-storm", "", "mild", STEP_FAIL, HOST_LINK, "cycle");
	stand_hold(b->s, HOST_LINK, 0);
	polls(b, 14);
	expect_step(b, "pfc-storm", "", "mild", STEP_PASS, "there are no", "end");
}

static void watchdog_fires(struct bed *b)
{
	stand_hold(b->s, HOST_LINK, 95);
	stand_add(b->s, HOST_LINK, CTR_PFCWD_STORM_DETECTED, STAND_LOSSLESS, 1);
	stand_word(b->s, HOST_LINK, ATTR_PFCWD_STATE, STAND_LOSSLESS, "stormed");
	polls(b, 4);
}

/* The reset is offered when the storm is over, and only then. */
CASE_WITH(watchdog_fired, bed_setup, bed_teardown)
{
	struct bed *b = *state;
	const struct walked *stuck;
	struct walk w;

	expect_step(b, "watchdog-fired", "", "armed", STEP_PASS, "none of", "timers");
	watchdog_fires(b);
	expect_step(b, "watchdog-fired", HOST_LINK, "events", STEP_PASS, "at most 1 of one",
		"storming");
	expect_step(
		b, "watchdog-fired", HOST_LINK, "storming", STEP_FAIL, "95%", "runbook:pfc-storm");
	expect_no_step(b, "watchdog-fired", HOST_LINK, "stuck");
	expect_step(b, "watchdog-fired", LEAF, "storming", STEP_FAIL, "95%", "runbook:pfc-storm");
	expect_step(b, "watchdog-fired", "", "storming", STEP_FAIL, "95%", "runbook:pfc-storm");
	expect_step(b, "lossless-drops", HOST_LINK, "watchdog", STEP_FAIL, "storm_detected",
		"runbook:watchdog-fired");
	stand_hold(b->s, HOST_LINK, 0);
	polls(b, 4);
	expect_step(b, "watchdog-fired", HOST_LINK, "state", STEP_FAIL, "STORM", "stuck");
	expect_step(b, "watchdog-fired", HOST_LINK, "stuck", STEP_FAIL, "STORM", "armed");
	walk_at(b, "watchdog-fired", HOST_LINK, &w);
	stuck = walked_step(&w, "stuck");
	assert_non_null(stuck);
	assert_string_equal(stuck->step->action, "pfcwd-reset");
	walk_free(&w);
}

CASE_WITH(watchdog_nobody_can_tell, bed_setup, bed_teardown)
{
	struct bed *b = *state;

	stand_unsupported(b->s, HOST_LINK, CTR_PFC_RX_DURATION_US, STAND_LOSSLESS);
	stand_unsupported(b->s, HOST_LINK, CTR_PFC_RX_FRAMES, STAND_LOSSLESS);
	stand_word(b->s, HOST_LINK, ATTR_PFCWD_STATE, STAND_LOSSLESS, "stormed");
	polls(b, 4);
	expect_step(b, "watchdog-fired", HOST_LINK, "storming", STEP_UNKNOWN, "paused_rx", "armed");
	expect_no_step(b, "watchdog-fired", HOST_LINK, "stuck");
}

CASE_WITH(watchdog_again_and_again, bed_setup, bed_teardown)
{
	struct bed *b = *state;

	for (unsigned i = 0; i < 3; i++) {
		stand_add(b->s, HOST_LINK, CTR_PFCWD_STORM_DETECTED, STAND_LOSSLESS, 1);
		polls(b, 2);
	}
	expect_step(b, "watchdog-fired", "", "events", STEP_FAIL, "at most 3 of one", "storming");
	stand_word(b->s, UPLINK, ATTR_PFCWD_STATE, STAND_LOSSLESS, "off");
	polls(b, 2);
	expect_step(b, "watchdog-fired", LEAF, "armed", STEP_FAIL, UPLINK, "timers");
	expect_step(b, "watchdog-fired", LEAF, "quiet", STEP_FAIL, "storm_detected", "end");
}

CASE_WITH(lossless_drops, bed_setup, bed_teardown)
{
	struct bed *b = *state;

	stand_rate(b->s, HOST_LINK, CTR_QUEUE_DROPS, STAND_LOSSLESS, 400);
	polls(b, 4);
	expect_step(b, "lossless-drops", HOST_LINK, "now", STEP_FAIL, "400", "watchdog");
	expect_step(b, "lossless-drops", HOST_LINK, "watchdog", STEP_PASS, "there are no", "port");
	expect_step(b, "lossless-drops", HOST_LINK, "port", STEP_FAIL, "400", "parity");
	expect_step(b, "prove-innocence", "node000", "loss", STEP_FAIL, "400", "bits");
	expect_step(b, "new-node", "node000", "errors", STEP_PASS, "none of 2 NICs", "bits");
	/* One end's PFC is not the other's. */
	stand_number(b->s, HOST_LINK, ATTR_PFC_ENABLED, 0, 0);
	polls(b, 4);
	expect_step(b, "lossless-drops", HOST_LINK, "parity", STEP_FAIL, "pfc", "report");
	expect_step(b, "mixed-traffic", LEAF, "settings", STEP_FAIL, "pfc", "drops");
	expect_step(b, "prove-innocence", LEAF, "settings", STEP_FAIL, "DIFFERS", "culprit");
}

CASE_WITH(lossless_drops_on_the_wire, bed_setup, bed_teardown)
{
	struct bed *b = *state;

	stand_rate(b->s, HOST_LINK, CTR_FEC_UNCORRECTABLE_CODEWORDS, 0, 7);
	polls(b, 3);
	expect_step(b, "lossless-drops", HOST_LINK, "crc", STEP_FAIL, HOST_LINK,
		"runbook:degraded-optic");
}

CASE_WITH(mixed_traffic, bed_setup, bed_teardown)
{
	struct bed *b = *state;

	expect_step(b, "mixed-traffic", HOST_LINK, "drops", STEP_PASS, "none of 2 NICs", "who");
	stand_rate(b->s, "node000:mlx5_0", CTR_OUT_OF_SEQUENCE, 0, 50);
	polls(b, 3);
	expect_step(b, "mixed-traffic", HOST_LINK, "drops", STEP_FAIL, "node000:mlx5_0", "who");
}

CASE_WITH(high_cnp, bed_setup, bed_teardown)
{
	struct bed *b = *state;

	/* Marks that a busy and healthy fabric has too: one packet in a thousand on each rail. */
	stand_rate(b->s, HOST_LINK, CTR_ECN_MARKED_PACKETS, STAND_LOSSLESS, 20000);
	stand_rate(b->s, "leaf-r1-00:Ethernet0", CTR_ECN_MARKED_PACKETS, STAND_LOSSLESS, 20000);
	polls(b, 3);
	expect_step(b, "high-cnp", "", "wide", STEP_PASS, "none of 2 rails", "pauses");
	stand_rate(b->s, HOST_LINK, CTR_ECN_MARKED_PACKETS, STAND_LOSSLESS, 1500000);
	polls(b, 3);
	expect_step(b, "high-cnp", "", "wide", STEP_PASS, "1 of 2 rails", "pauses");
	stand_rate(b->s, "leaf-r1-00:Ethernet0", CTR_ECN_MARKED_PACKETS, STAND_LOSSLESS, 1500000);
	polls(b, 3);
	expect_step(b, "high-cnp", "", "wide", STEP_FAIL, "2 of 2 rails", "pauses");
	stand_rate(b->s, "node000:mlx5_0", CTR_LOCAL_ACK_TIMEOUT_ERR, 0, 3);
	polls(b, 3);
	expect_step(b, "high-cnp", HOST_LINK, "retries", STEP_FAIL, "node000:mlx5_0", "close");
}

CASE_WITH(mis_wiring, bed_setup, bed_teardown)
{
	struct bed *b = *state;

	expect_step(b, "mis-wiring", "", "differs", STEP_PASS, "none of", "proven");
	expect_step(b, "mis-wiring", "", "proven", STEP_PASS, "all ", "end");
	for (unsigned n = 0; n < 10; n++) {
		incident_step(b->s, &b->ring, INCIDENT_WIRING, n);
		polls(b, 1);
	}
	expect_step(b, "mis-wiring", "", "differs", STEP_FAIL, "miswired", "kind");
	expect_step(b, "mis-wiring", "", "kind", STEP_FAIL, "FAULT", "jobs");
	expect_step(b, "mis-wiring", "", "again", STEP_FAIL, "miswired", "end");
	expect_step(b, "prove-innocence", "", "wiring", STEP_FAIL, "miswired", "settings");
	expect_step(b, "new-node", "node000", "wiring", STEP_FAIL, "miswired", "settings");
}

CASE_WITH(bgp_down, bed_setup, bed_teardown)
{
	struct bed *b = *state;
	struct obs *o;

	expect_step(b, "bgp-ecmp", "", "sessions", STEP_PASS, "none of 8 sessions", "capacity");
	o = stand_batch(b->s, LEAF);
	(void)obs_bgp(o, BGP_IPV4, "default", "10.0.0.1", "spine-000", BGP_ACTIVE);
	(void)obs_bgp(o, BGP_IPV4, "default", "10.0.0.3", "spine-001", BGP_ADMIN_DOWN);
	o->bgp_whole = true;
	polls(b, 3);
	expect_step(b, "bgp-ecmp", LEAF, "sessions", STEP_FAIL, "1 of 2 sessions", "physical");
	expect_step(b, "bgp-ecmp", LEAF, "physical", STEP_PASS, "none of", "error");
	expect_step(b, "bgp-ecmp", LEAF, "capacity", STEP_FAIL, "bgp.down", "skew");
	expect_step(b, "prove-innocence", "", "sessions", STEP_FAIL, "1 of 8 sessions", "wiring");
	stand_link(b->s, UPLINK, false);
	polls(b, 2);
	expect_step(
		b, "bgp-ecmp", LEAF, "physical", STEP_FAIL, "1 of 8 links", "runbook:link-flap");
}

/* A session of which the device does not tell the state is neither up nor down. */
CASE_WITH(bgp_untold, bed_setup, bed_teardown)
{
	struct bed *b = *state;
	struct obs *o = stand_batch(b->s, LEAF);

	(void)obs_bgp(o, BGP_IPV4, "default", "10.0.0.1", "spine-000", BGP_UNKNOWN);
	(void)obs_bgp(o, BGP_IPV4, "default", "10.0.0.3", "spine-001", BGP_ESTABLISHED);
	o->bgp_whole = true;
	polls(b, 1);
	expect_step(b, "bgp-ecmp", LEAF, "sessions", STEP_UNKNOWN, "state is not known for 1 of 2",
		"capacity");
}

CASE_WITH(nccl_hang, bed_setup, bed_teardown)
{
	struct bed *b = *state;
	const int64_t launched[RING_RANKS] = {90, 90, 90, 50, 90, 90, 90, 90};
	enum nccl_state how[RING_RANKS] = {NCCL_RUNNING};

	for (unsigned i = 0; i < RING_RANKS; i++)
		how[i] = NCCL_RUNNING;
	how[5] = NCCL_DEAD;
	expect_step(b, "nccl-hang", "node000", "gpu", STEP_PASS, "there are no", "missing");
	flaps(b, HOST_LINK, 1);
	expect_step(
		b, "nccl-hang", "node000", "flaps", STEP_FAIL, "link_down", "runbook:link-flap");
	for (unsigned i = 0; i < 3; i++) {
		ring_ras(&b->ring, launched, how);
		stand_poll(b->s, 1);
	}
	expect_step(b, "nccl-hang", "node000", "missing", STEP_FAIL, "dead", "path");
	how[5] = NCCL_RUNNING;
	for (unsigned i = 0; i < 3; i++) {
		ring_ras(&b->ring, launched, how);
		stand_poll(b->s, 1);
	}
	expect_step(b, "nccl-hang", "node000", "behind", STEP_FAIL, "40", "common");
	obs_log(stand_batch(b->s, "node003"), OBS_NO_PORT, -1, true, b->s->now_us,
		"NVRM: Xid (PCI:0000:5d:00): 79, pid=1, GPU has fallen off the bus.");
	polls(b, 3);
	expect_step(b, "nccl-hang", "node000", "gpu", STEP_FAIL, "host.gpu_error", "end");
}

CASE_WITH(new_node, bed_setup, bed_teardown)
{
	struct bed *b = *state;

	expect_step(b, "new-node", "node001", "nics", STEP_FAIL, "2 of 2 NICs", "speed");
	expect_step(b, "new-node", "node001", "soak", STEP_PASS, "there are no", "end");
	stand_number(b->s, "node001:mlx5_1", ATTR_SPEED_MBPS, 0, 200000);
	stand_rate(b->s, "node001:mlx5_0", CTR_OUT_OF_SEQUENCE, 0, 1);
	stand_gauge(b->s, "node001:mlx5_0", CTR_PRE_FEC_BER, 0, 4e-6);
	flaps(b, "node001:mlx5_1", 1);
	expect_step(b, "new-node", "node001", "speed", STEP_FAIL, "node001:mlx5_1", "pcie");
	expect_step(b, "new-node", "node001", "errors", STEP_FAIL, "node001:mlx5_0", "bits");
	expect_step(b, "new-node", "node001", "bits", STEP_FAIL, "4.0e-06", "soak");
	expect_step(b, "new-node", "node001", "soak", STEP_FAIL, "link_down", "end");
	stand_silent(b->s, "node001", true);
	polls(b, 40);
	expect_step(b, "new-node", "node001", "heard", STEP_FAIL, "node001", "end");
	expect_step(b, "prove-innocence", "", "seen", STEP_FAIL, "node001", "links");
	expect_step(
		b, "prove-innocence", "", "culprit", STEP_UNKNOWN, "1 of 16 devices", "hand-over");
}

/* "held>1%", "at most 2 each": a number other than zero that somebody chose. */
static bool has_threshold(const char *line)
{
	size_t n = strcspn(line, "\n");

	for (size_t i = 0; i + 1 < n; i++)
		if (strchr("<>", line[i]) && strtod(line + i + 1 + (line[i + 1] == '='), NULL) != 0)
			return true;
	return memmem(line, n, "rows: at ", 9) != NULL;
}

/* The comment before each threshold says where its number comes from. */
CASE(every_threshold_names_its_source)
{
	const struct embedded_text *t;
	unsigned thresholds = 0;

	for (size_t i = 0; (t = embedded_text_at(i)); i++) {
		bool sourced = false;

		if (!strstr(t->name, ".yaml"))
			continue;
		for (const char *line = t->text; *line;
			line += strcspn(line, "\n"), line += !!*line) {
			const char *at = line + strspn(line, " ");

			if (str_starts(at, "expect:") && has_threshold(at)) {
				thresholds++;
				if (!sourced)
					fail_msg("%s: %.80s", t->name, at);
			}
			sourced = *at == '#' ? sourced || str_starts(at, "# Source: ") : false;
		}
	}
	assert_true(thresholds > 20);
}

CASES_MAIN(NULL, NULL)
