/* SPDX-License-Identifier: Apache-2.0 */
/* The table of a session's phases: every way through a round, and properties of the whole table. */
#include "app/session/phase.h"
#include "tests/support/cases.h"

static enum phase after_all(enum phase phase, const enum phase_event *events, size_t n)
{
	for (size_t i = 0; i < n; i++)
		phase = phase_after(phase, events[i]);
	return phase;
}
#define AFTER(phase, ...)                                                                          \
	after_all(phase, (const enum phase_event[]){__VA_ARGS__},                                  \
		sizeof((const enum phase_event[]){__VA_ARGS__}) / sizeof(enum phase_event))

CASE(test_a_round_ends_idle)
{
	assert_int_equal(AFTER(PHASE_IDLE, PHASE_NEWS, PHASE_APPLIED, PHASE_NOTED, PHASE_JUDGED),
		PHASE_IDLE);
	assert_int_equal(AFTER(PHASE_IDLE, PHASE_NEWS, PHASE_PAUSED), PHASE_IDLE);
	assert_int_equal(AFTER(PHASE_IDLE, PHASE_KEYFRAME_DUE, PHASE_KEYFRAME_OVER), PHASE_IDLE);
}

CASE(test_a_rest_ends_with_the_next_news)
{
	assert_int_equal(AFTER(PHASE_IDLE, PHASE_NEWS, PHASE_TIRED), PHASE_RESTING);
	assert_int_equal(AFTER(PHASE_RESTING, PHASE_NEWS), PHASE_APPLYING);
	assert_int_equal(AFTER(PHASE_RESTING, PHASE_KEYFRAME_DUE), PHASE_KEYFRAME);
}

CASE(test_news_never_interrupt_work)
{
	for (int p = PHASE_IDLE; p < PHASE_COUNT; p++)
		if (phase_works((enum phase)p))
			assert_int_equal(phase_after((enum phase)p, PHASE_NEWS), p);
		else
			assert_int_equal(phase_after((enum phase)p, PHASE_NEWS), PHASE_APPLYING);
}

/* A model that was judged out of turn has to be noted and judged for what comes after. */
CASE(test_a_judgement_out_of_turn_begins_anew)
{
	assert_int_equal(phase_after(PHASE_JUDGING, PHASE_OVERTAKEN), PHASE_APPLYING);
	assert_int_equal(phase_after(PHASE_NOTING, PHASE_OVERTAKEN), PHASE_APPLYING);
	assert_int_equal(phase_after(PHASE_IDLE, PHASE_OVERTAKEN), PHASE_IDLE);
	assert_int_equal(phase_after(PHASE_RESTING, PHASE_OVERTAKEN), PHASE_RESTING);
	/* During a keyframe nothing is judged: the model stays as it is. */
	assert_int_equal(phase_after(PHASE_KEYFRAME, PHASE_OVERTAKEN), PHASE_NONE);
}

CASE(test_a_keyframe_begins_only_between_rounds)
{
	for (int p = PHASE_IDLE; p < PHASE_COUNT; p++)
		assert_int_equal(phase_after((enum phase)p, PHASE_KEYFRAME_DUE),
			phase_works((enum phase)p) ? PHASE_NONE : PHASE_KEYFRAME);
}

/* From every phase the end of its own work leads back to idle: no phase is a dead end. */
CASE(test_no_phase_is_a_dead_end)
{
	for (int p = PHASE_IDLE; p < PHASE_COUNT; p++) {
		enum phase at = (enum phase)p;

		for (int step = 0; step < PHASE_COUNT && at != PHASE_IDLE; step++) {
			static const enum phase_event end[PHASE_COUNT] = {
				[PHASE_APPLYING] = PHASE_APPLIED,
				[PHASE_NOTING] = PHASE_NOTED,
				[PHASE_JUDGING] = PHASE_JUDGED,
				[PHASE_RESTING] = PHASE_NEWS,
				[PHASE_KEYFRAME] = PHASE_KEYFRAME_OVER,
			};

			at = phase_after(at, end[at]);
			assert_int_not_equal(at, PHASE_NONE);
		}
		assert_int_equal(at, PHASE_IDLE);
	}
}

CASE(test_what_is_out_of_range_is_no_phase)
{
	assert_int_equal(phase_after(PHASE_COUNT, PHASE_NEWS), PHASE_NONE);
	assert_int_equal(phase_after(PHASE_IDLE, PHASE_EVENT_COUNT), PHASE_NONE);
	assert_int_equal(phase_after(PHASE_NONE, PHASE_NEWS), PHASE_NONE);
}

CASES_MAIN(NULL, NULL)
