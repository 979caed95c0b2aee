/* SPDX-License-Identifier: Apache-2.0 */
#include "base/str.h"
#include "fabric/vocabulary/counters.h"
#include "tests/diagnosis/engine/stand.h"
#include "tests/support/cases.h"

/*
 * A full egress whose lossless queue waits while another is sent. The settings are those that
 * devices print: SONiC's DWRR and STRICT, EOS's SP and RR, NVUE's percentages.
 */

#define HOT   "leaf-r0-00:Ethernet0"
#define OTHER 0U

/* Per cent of the line of both classes; the share of the lossless packets that are marked. */
static void fill(struct stand *s, double lossless, double other, double marked)
{
	stand_load(s, HOT, lossless + other);
	stand_rate(s, HOT, CTR_QUEUE_TX_BYTES, STAND_LOSSLESS, lossless * 500e6);
	stand_rate(s, HOT, CTR_QUEUE_TX_BYTES, OTHER, other * 500e6);
	stand_rate(s, HOT, CTR_QUEUE_TX_PACKETS, STAND_LOSSLESS, lossless * 120e3);
	stand_rate(s, HOT, CTR_ECN_MARKED_PACKETS, STAND_LOSSLESS, lossless * 120e3 * marked);
}

static const struct evidence *evidence_of(const struct finding *f, const char *what)
{
	for (size_t i = 0; i < f->evidence.n; i++)
		if (str_eq(f->evidence.at[i].what, what))
			return &f->evidence.at[i];
	return NULL;
}

CASE_WITH(test_a_strict_queue_starves_the_rdma_queue, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	const struct finding *f;

	stand_word(s, HOT, ATTR_SCHEDULER, 0, "0:STRICT 3:DWRR 15 6:STRICT");
	fill(s, 18, 80, 0.3);
	stand_poll(s, 3);
	f = stand_found(s, "congestion.starved", HOT);
	assert_non_null(f);
	assert_int_equal(f->role, ROLE_CULPRIT);
	assert_non_null(evidence_of(f, "its scheduler"));
	assert_string_equal(
		evidence_of(f, "its scheduler")->text, "queue 3 DWRR 15, queue 0 STRICT");
	assert_int_equal(stand_count(s, "congestion.incast"), 0);
}

/* Weights of 10 to 90 starve as well; a device that tells no scheduler is not let off. */
CASE_WITH(test_a_small_weight_or_no_word_is_as_bad, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	const struct finding *f;

	fill(s, 12, 86, 0.3);
	stand_poll(s, 3);
	f = stand_found(s, "congestion.starved", HOT);
	assert_non_null(f);
	assert_string_equal(evidence_of(f, "its scheduler")->text, "not reported");
	stand_word(s, HOT, ATTR_SCHEDULER, 0, "0:WRR 90 3:WRR 10");
	stand_poll(s, 2);
	f = stand_found(s, "congestion.starved", HOT);
	assert_string_equal(
		evidence_of(f, "its scheduler")->text, "queue 3 WRR 10, queue 0 WRR 90");
}

/* Half and half, as NVIDIA's profile has it: the queue has its share, and waits for its senders. */
CASE_WITH(test_a_queue_with_its_share_is_not_starved, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	stand_word(s, HOT, ATTR_SCHEDULER, 0, "0:RR 50 3:RR 50");
	fill(s, 48, 50, 0.2);
	stand_poll(s, 4);
	assert_int_equal(stand_count(s, "congestion.starved"), 0);
}

/* Much other traffic, and nothing that waits: the line has room. */
CASE_WITH(test_other_traffic_alone_starves_nobody, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	fill(s, 10, 60, 0);
	stand_poll(s, 4);
	assert_int_equal(stand_count(s, "congestion.starved"), 0);
}

/* The NIC pauses the queue: then it is the NIC that holds it, whatever else is sent. */
CASE_WITH(test_a_paused_queue_is_not_starved, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	fill(s, 15, 60, 0.2);
	stand_hold(s, HOT, 40);
	stand_poll(s, 4);
	assert_int_equal(stand_count(s, "congestion.starved"), 0);
}

/* SONiC counts the lossless queues alone: the rest of the port is the others. */
CASE_WITH(test_the_rest_of_the_port_is_the_others, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	const struct finding *f;

	stand_load(s, HOT, 98);
	stand_rate(s, HOT, CTR_QUEUE_TX_BYTES, STAND_LOSSLESS, 18 * 500e6);
	stand_rate(s, HOT, CTR_QUEUE_TX_PACKETS, STAND_LOSSLESS, 18 * 120e3);
	stand_rate(s, HOT, CTR_ECN_MARKED_PACKETS, STAND_LOSSLESS, 18 * 40e3);
	stand_word(s, HOT, ATTR_SCHEDULER, 0, "0:DWRR 14 3:DWRR 15 5:STRICT");
	stand_poll(s, 3);
	f = stand_found(s, "congestion.starved", HOT);
	assert_non_null(f);
	assert_string_equal(
		evidence_of(f, "its scheduler")->text, "queue 3 DWRR 15, queue 5 STRICT");
}

CASES_MAIN(NULL, NULL)
