/* SPDX-License-Identifier: Apache-2.0 */
/* Situations that the diagnosis read wrongly once, each with its right reading: see README.md. */
#include "tests/cases/rates.h"
#include "tests/support/cases.h"

#define LOSSLESS "lossless: {priorities: [3], ecn: {min: 500KB, max: 1500KB}}\n"
#define COMMON   "defaults: {interval: 5s}\nwiring: {file: wiring.csv}\n" LOSSLESS

/* ---- a port that never pauses, or a NIC that ignores pauses, beside an incast elsewhere ---- */

static const char two_leaves[] =
	"fabric: rank\n" COMMON
	"switches:\n  - {names: [\"l1\", \"l2\"], dialect: sonic, tier: leaf}\n"
	"  - {names: \"s1\", dialect: sonic, tier: spine}\n"
	"hosts:\n  - {names: \"h[1-8]\", rails: \"mlx5_[0-0]\"}\n";
static const char two_leaves_wiring[] =
	"device,port,device,port\n"
	"h1,mlx5_0,l1,1\nh2,mlx5_0,l1,2\nh3,mlx5_0,l1,3\nh4,mlx5_0,l1,4\n"
	"h5,mlx5_0,l2,1\nh6,mlx5_0,l2,2\nh7,mlx5_0,l2,3\nh8,mlx5_0,l2,4\n"
	"l1,9,s1,1\nl2,9,s1,2\n";

static struct rates *healthy_leaves(void)
{
	struct rates *r = rates_new(two_leaves, two_leaves_wiring);

	rates_all(r, (struct port_rates){.tx = 0.2, .rx = 0.2, .queue = 20000});
	rates_poll(r, 6);
	assert_int_equal(rates_culprits(r), 0);
	return r;
}

/* h1 to h4 at l1 send to h5 at l2; l1:1 drops, and pauses h1 or never does. */
static void begin_incast(struct rates *r, bool pauses_h1)
{
	static const char *const host[] = {"h1", "h2", "h3", "h4"};
	static const char *const port[] = {"1", "2", "3", "4"};

	for (int i = 0; i < 4; i++) {
		bool drops = i == 0;
		double held = drops && !pauses_h1 ? 0 : 0.4;

		*rates_of(r, host[i], "mlx5_0") =
			(struct port_rates){.tx = drops ? 0.3 : 0.22, .rx = 0.02, .held = held};
		*rates_of(r, "l1", port[i]) = (struct port_rates){.tx = 0.02,
			.rx = drops ? 0.3 : 0.22,
			.holds = held,
			.queue = 20000,
			.drops = drops ? 300 : 0};
	}
	*rates_of(r, "h5", "mlx5_0") = (struct port_rates){.tx = 0.02, .rx = 1, .cnp_sent = 12500};
	*rates_of(r, "l2", "1") =
		(struct port_rates){.tx = 1, .rx = 0.02, .marked = 8e5, .queue = 3.2e6};
	*rates_of(r, "l1", "9") =
		(struct port_rates){.tx = 0.9, .rx = 0.06, .held = 0.35, .queue = 1e6};
	*rates_of(r, "s1", "1") =
		(struct port_rates){.tx = 0.06, .rx = 0.9, .holds = 0.35, .queue = 20000};
	*rates_of(r, "s1", "2") = (struct port_rates){
		.tx = 0.9, .rx = 0.06, .held = 0.4, .marked = 1e4, .queue = 2.5e6};
	*rates_of(r, "l2", "9") =
		(struct port_rates){.tx = 0.06, .rx = 0.9, .holds = 0.4, .queue = 20000};
}

CASE(a_port_that_never_pauses_outranks_an_incast_at_another_leaf)
{
	struct rates *r = healthy_leaves();

	begin_incast(r, false);
	rates_poll(r, 3);
	for (int i = 0; i < 9; i++) {
		rates_poll(r, 1);
		rates_expect(r, 0, "pfc.off", "l1:1");
		rates_expect(r, 1, "congestion.incast", "l2:1");
	}
	rates_free(r);
}

CASE(a_nic_that_ignores_pauses_outranks_an_incast_at_another_leaf)
{
	struct rates *r = healthy_leaves();

	begin_incast(r, true);
	rates_poll(r, 3);
	for (int i = 0; i < 9; i++) {
		const struct finding *drop;

		rates_poll(r, 1);
		rates_expect(r, 0, "pfc.ignored", "h1:mlx5_0");
		rates_expect(r, 1, "congestion.incast", "l2:1");
		drop = rates_found(r, "pfc.lossless_drop", NULL);
		assert_non_null(drop);
		assert_true(drop->root == rates_culprit(r, 0)->key);
	}
	rates_free(r);
}

/* ---- drops that are over ---- */

static const char one_leaf[] =
	"fabric: leaf\n" COMMON "switches:\n  - {names: \"l1\", dialect: sonic, tier: leaf}\n"
	"hosts:\n  - {names: \"h[1-8]\", rails: \"mlx5_[0-0]\"}\n";
static const char one_leaf_wiring[] =
	"device,port,device,port\n"
	"h1,mlx5_0,l1,1\nh2,mlx5_0,l1,2\nh3,mlx5_0,l1,3\nh4,mlx5_0,l1,4\n"
	"h5,mlx5_0,l1,5\nh6,mlx5_0,l1,6\nh7,mlx5_0,l1,7\nh8,mlx5_0,l1,8\n";

static bool blames_drops(const struct rates *r)
{
	return rates_found(r, "pfc.off", NULL) || rates_found(r, "pfc.ignored", NULL) ||
	       rates_found(r, "pfc.lossless_drop", NULL);
}

CASE(drops_that_are_over_blame_nobody)
{
	struct rates *r = rates_new(one_leaf, one_leaf_wiring);

	rates_all(r, (struct port_rates){.tx = 0.4, .rx = 0.4, .queue = 20000});
	rates_poll(r, 5);
	rates_of(r, "l1", "1")->holds = rates_of(r, "h1", "mlx5_0")->held = 0.4;
	rates_of(r, "l1", "1")->drops = 50;
	rates_poll(r, 2);
	assert_true(blames_drops(r));
	rates_of(r, "l1", "1")->holds = rates_of(r, "h1", "mlx5_0")->held = 0;
	rates_of(r, "l1", "1")->drops = 0;
	for (int i = 0; i < 40; i++) {
		rates_poll(r, 1);
		/* The port paused its peer while it dropped: it does send PFC. */
		assert_null(rates_found(r, "pfc.off", NULL));
		if (i >= 8)
			assert_false(blames_drops(r));
	}
	rates_free(r);
}

/* ---- congestion between switches ---- */

static const char two_switches[] =
	"fabric: isl\n" COMMON
	"switches:\n  - {names: [\"swA\", \"swB\"], dialect: sonic, tier: leaf}\n"
	"hosts:\n  - {names: \"h[1-8]\", rails: \"mlx5_[0-0]\"}\n";
static const char two_switches_wiring[] =
	"device,port,device,port\n"
	"h1,mlx5_0,swA,1\nh2,mlx5_0,swA,2\nh3,mlx5_0,swA,3\nh4,mlx5_0,swA,4\n"
	"h5,mlx5_0,swB,5\nh6,mlx5_0,swB,6\nh7,mlx5_0,swB,7\nh8,mlx5_0,swB,8\n"
	"swA,9,swB,9\n";

CASE(a_full_link_between_switches_is_found)
{
	static const char *const sender[] = {"h1", "h2", "h3", "h4"};
	static const char *const receiver[] = {"h5", "h6", "h7", "h8"};
	static const char *const in[] = {"1", "2", "3", "4"}, *const out[] = {"5", "6", "7", "8"};
	struct rates *r = rates_new(two_switches, two_switches_wiring);

	rates_all(r, (struct port_rates){.tx = 0.1, .rx = 0.1, .queue = 20000});
	*rates_of(r, "swA", "9") = *rates_of(r, "swB", "9") =
		(struct port_rates){.tx = 0.4, .rx = 0.4, .queue = 30000};
	rates_poll(r, 6);
	assert_int_equal(rates_culprits(r), 0);
	for (int i = 0; i < 4; i++) {
		*rates_of(r, sender[i], "mlx5_0") =
			(struct port_rates){.tx = 0.25, .rx = 0.02, .held = 0.75};
		*rates_of(r, "swA", in[i]) =
			(struct port_rates){.tx = 0.02, .rx = 0.25, .holds = 0.75, .queue = 20000};
		*rates_of(r, receiver[i], "mlx5_0") = (struct port_rates){.tx = 0.02, .rx = 0.25};
		*rates_of(r, "swB", out[i]) =
			(struct port_rates){.tx = 0.25, .rx = 0.02, .queue = 20000};
	}
	*rates_of(r, "swA", "9") =
		(struct port_rates){.tx = 1, .rx = 0.08, .marked = 1e6, .queue = 3.2e6};
	*rates_of(r, "swB", "9") = (struct port_rates){.tx = 0.08, .rx = 1, .queue = 20000};
	rates_poll(r, 3);
	for (int i = 0; i < 9; i++) {
		rates_poll(r, 1);
		rates_expect(r, 0, "congestion.full_link", "swA:9");
		assert_int_equal(rates_verdict(r)->paused, 4);
	}
	rates_free(r);
}

/* ---- trouble that comes and goes ---- */

static void set_burst(struct rates *r, bool on)
{
	static const char *const host[] = {"h1", "h2", "h3", "h4", "h5", "h6", "h7", "h8"};
	static const char *const port[] = {"1", "2", "3", "4", "5", "6", "7", "8"};

	for (int i = 0; i < 8; i++) {
		double held = on && i ? 0.3 : 0;

		*rates_of(r, host[i], "mlx5_0") = (struct port_rates){
			.tx = held > 0 ? 0.14 : 0.3, .rx = on && !i ? 0.95 : 0.3, .held = held};
		*rates_of(r, "l1", port[i]) = (struct port_rates){.tx = on && !i ? 0.95 : 0.3,
			.rx = held > 0 ? 0.14 : 0.3,
			.holds = held,
			.marked = on && !i ? 4e6 : 0,
			.queue = on && !i ? 2.6e6 : 20000};
	}
}

CASE(an_incast_that_recurs_in_two_of_five_polls_is_found)
{
	struct rates *r = rates_new(one_leaf, one_leaf_wiring);

	for (int k = 1; k <= 120; k++) {
		set_burst(r, k > 6 && (k % 5 == 0 || k % 5 == 1));
		rates_poll(r, 1);
		if (k > 6 + 20)
			rates_expect(r, 0, "congestion.incast", "l1:1");
	}
	/* It is over within the polls that a pause of it lasts, and some. */
	set_burst(r, false);
	rates_poll(r, 12);
	assert_int_equal(rates_culprits(r), 0);
	rates_free(r);
}

/* A checkpoint every two minutes is no fault. */
CASE(bursts_that_are_rare_blame_nobody)
{
	struct rates *r = rates_new(one_leaf, one_leaf_wiring);

	for (int k = 1; k <= 240; k++) {
		set_burst(r, k > 6 && k % 24 < 2);
		rates_poll(r, 1);
		assert_int_equal(rates_culprits(r), 0);
	}
	rates_free(r);
}

CASES_MAIN(NULL, NULL)
