/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "emulator/sim/sim_internal.h"
#include "tests/emulator/support/rig.h"
#include "tests/support/cases.h"

/* How devices show their counters: periods set by an operator, widths, and logs that go on. */

#define SWITCH "leaf-r0-00"

static struct sim_port *shown(struct rig *r, int64_t now)
{
	struct sim_device *d = rig_device(r, SWITCH);

	sim_advance_device(r->sim, d, now);
	return &d->ports[0];
}

CASE(the_interval_is_the_period)
{
	struct rig r;
	int64_t set = RIG_NOW + CLOCK_SEC, at = 0;
	uint64_t bytes;

	rig_open(&r, NULL);
	at = shown(&r, set)->counters_us;
	assert_true(set - at < CLOCK_SEC);
	assert_int_equal(rig_exec(&r, SWITCH, "sudo counterpoll port interval 7000", NULL), 0);
	/* It begins with a refresh, and then there is none until the interval is over. */
	bytes = shown(&r, set)->rx_bytes;
	assert_int_equal(shown(&r, set + 6 * CLOCK_SEC)->counters_us, set);
	assert_int_equal(shown(&r, set + 6 * CLOCK_SEC)->rx_bytes, bytes);
	assert_int_equal(shown(&r, set + 7 * CLOCK_SEC)->counters_us, set + 7 * CLOCK_SEC);
	assert_true(shown(&r, set + 7 * CLOCK_SEC)->rx_bytes > bytes);
	/* Queues go on as they were. */
	assert_true(shown(&r, set + 20 * CLOCK_SEC)->queues_us > set + 10 * CLOCK_SEC);
	rig_close(&r);
}

CASE(counters_never_go_back_by_an_interval)
{
	static const char *const commands[] = {"sudo counterpoll port interval 10000",
		"sudo counterpoll queue interval 30000", "sudo counterpoll port interval 1000",
		"sudo counterpoll queue interval 3000"};
	struct rig r;
	uint64_t bytes = 0, queue = 0;

	rig_open(&r, NULL);
	for (int step = 0; step < 160; step++) {
		const struct sim_port *p = shown(&r, RIG_NOW + step * 300 * CLOCK_MSEC);

		if (step % 40 == 17)
			(void)rig_exec(&r, SWITCH, commands[step / 40], NULL);
		assert_true(p->rx_bytes >= bytes);
		assert_true(p->q[SIM_PRIO_ROCE].tx_bytes >= queue);
		bytes = p->rx_bytes;
		queue = p->q[SIM_PRIO_ROCE].tx_bytes;
	}
	rig_close(&r);
}

/* Pauses of a Nexus switch are counted in 32 bits: the same growth, seen through a narrow window.
 */
CASE(nexus_switches_count_pauses_in_32_bits)
{
	const struct sim_platform *platform[TIER_COUNT] = {[TIER_LEAF] = sim_platform("nxos")};
	struct topology *t = topology_of_sizing(sizing_preset("ref256"), platform);
	struct sim_opts o = {.topology = t, .seed = 1, .start_us = RIG_START, .speed = 1};
	struct sim *s = sim_new(&o);
	struct sim_device *d = sim_device_by_name(s, SWITCH);
	struct sim_port *p = &d->ports[0];
	double near = 4294967296.0 - 100;

	sim_advance_device(s, d, RIG_START + 10 * CLOCK_SEC);
	sim_bump(s, p, S_Q3_PFC_RX, near - (double)p->q[SIM_PRIO_ROCE].pfc_rx_frames);
	sim_advance_device(s, d, RIG_START + 20 * CLOCK_SEC);
	assert_true(p->q[SIM_PRIO_ROCE].pfc_rx_frames >= UINT32_MAX - 99);
	sim_bump(s, p, S_Q3_PFC_RX, 5000);
	sim_advance_device(s, d, RIG_START + 30 * CLOCK_SEC);
	assert_in_range(p->q[SIM_PRIO_ROCE].pfc_rx_frames, 4900, 1000000);
	sim_live(s, d);
	assert_true(p->q[SIM_PRIO_ROCE].pfc_rx_frames > UINT32_MAX);
	sim_free(s);
	topology_free(t);
}

/* ---- commands that go on ---- */

static void assert_follows(const char *command, const char *want)
{
	char *got = personality_followed(command);

	if (want ? !got || strcmp(got, want) != 0 : got != NULL)
		fail_msg("%s: \"%s\", expected \"%s\"", command, got ? got : "ends",
			want ? want : "that it ends");
	free(got);
}

CASE(only_what_follows_goes_on)
{
	assert_follows("tail -F /var/log/syslog", "cat /var/log/syslog");
	assert_follows("sudo tail -n 0 -F /var/log/syslog", "sudo cat /var/log/syslog");
	assert_follows("tail -n0f /a /b", NULL); /* GNU tail takes "0f" as a number, and refuses */
	assert_follows("tail -fn 20 /a", "cat /a");
	assert_follows("tail --follow=name --lines 5 /a", "cat /a");
	assert_follows("tail -F /a | grep -E 'x|y'", "cat /a| grep -E 'x|y'");
	assert_follows("journalctl -fk -n 5", "journalctl -k");
	assert_follows("/usr/bin/journalctl -o short-iso -f", "journalctl -o short-iso");
	assert_follows("dmesg -Tw", "dmesg -T");
	assert_follows("tail -n 5 /var/log/syslog", NULL);
	assert_follows("tail", NULL);
	assert_follows("", NULL);
	assert_follows("cat -f /a", NULL);
	assert_follows("grep tail -F /a", NULL);
	/* Commands that would run again with every line. */
	assert_follows("tail -F /a; sudo config pfcwd stop", NULL);
	assert_follows("tail -F /a || reboot", NULL);
	assert_follows("tail -F /a | tee b > c", NULL);
	assert_follows("tail -F $(reboot)", NULL);
	assert_follows("tail -F /a &", NULL);
	/* A shell that ends it with the session. */
	assert_follows(
		"exec sh -c 'exec 3<&0; tail -n 0 -F /a </dev/null & p=$!; wait $p'", "cat /a");
	assert_follows("exec sh -c 'dmesg -w | grep '\\''a b'\\'' </dev/null & p=$!; wait $p'",
		"dmesg| grep 'a b'");
	assert_follows("exec sh -c 'exec 3<&0; reboot </dev/null & p=$!; wait $p'", NULL);
	assert_follows("exec sh -c 'tail -F /a; reboot & wait $p'", NULL);
	assert_follows("exec sh -c 'exec 3<&0; tail -F /a; wait", NULL);
}

CASE(news_are_told_once)
{
	struct rig r;
	struct sim_device *d;
	uint64_t before;

	rig_open(&r, "link-flap:leaf-r0-00:Ethernet0,at=10s,period=10s");
	d = rig_device(&r, SWITCH);
	before = d->logged;
	buf_reset(&r.out);
	personality_follow(r.ctx, d, "cat /var/log/syslog", before, &r.out);
	assert_int_equal(r.out.len, 0);
	sim_advance(r.sim, RIG_NOW + 5 * CLOCK_SEC);
	assert_true(d->logged > before);
	personality_follow(r.ctx, d, "cat /var/log/syslog", before, &r.out);
	(void)buf_adds(&r.out, "");
	assert_non_null(strstr(r.out.data, "Port Ethernet0 oper state set from"));
	/* All of it is still there for others. */
	(void)rig_exec(&r, SWITCH, "grep -c updatePortOperStatus /var/log/syslog", NULL);
	assert_true(atol(r.out.data) > 2);
	rig_close(&r);
}

CASES_MAIN(NULL, NULL)
