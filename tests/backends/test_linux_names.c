/* SPDX-License-Identifier: Apache-2.0 */
/* Names of counters as drivers print them: whole, with the priority wherever it stands. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "backends/dialect_linux.h"
#include "base/str.h"

static void is_counter(const char *name, enum counter_id id, unsigned priority)
{
	unsigned sub = 99;
	const struct host_name *n = host_ethtool_name(name, strlen(name), &sub);

	if (!n)
		fail_msg("%s is not known", name);
	assert_int_equal(n->id, id);
	assert_int_equal(sub, priority);
}

static void is_nothing(const char *name)
{
	unsigned sub = 99;

	if (host_ethtool_name(name, strlen(name), &sub))
		fail_msg("%s is taken for a counter", name);
}

static void test_every_priority(void **state)
{
	static const struct {
		const char *before, *after;
		enum counter_id id;
	} names[] = {
		{"rx_prio", "_pause", CTR_PFC_RX_FRAMES},
		{"tx_prio", "_pause_duration", CTR_PFC_TX_DURATION_US},
		{"rx_prio", "_pause_transition", CTR_PFC_RX_TRANSITIONS},
		{"tx_prio", "_bytes", CTR_QUEUE_TX_BYTES},
		{"pfc_pri", "_rx_duration_us", CTR_PFC_RX_DURATION_US},
		{"rx_discard_packets_cos", "", CTR_RX_PRIO_DISCARDS},
		/* Digits that are no priority, behind it. */
		{"rx_pripause_", "_1us_count", CTR_PFC_RX_DURATION_US},
		{"rx_priority_", "_xon_2_xoff.nic", CTR_PFC_RX_TRANSITIONS},
	};
	char name[64];

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		for (unsigned p = 0; p < PRIORITIES; p++) {
			(void)str_printf(
				name, sizeof(name), "%s%u%s", names[i].before, p, names[i].after);
			is_counter(name, names[i].id, p);
		}
}

static void test_whole_names(void **state)
{
	(void)state;
	is_counter("rx_bytes_phy", CTR_RX_BYTES, 0);
	is_counter("link_down_events_phy", CTR_LINK_DOWN_EVENTS, 0);
	is_counter("link_down_events", CTR_LINK_DOWN_EVENTS, 0);
	is_counter("octets_tx_total", CTR_TX_BYTES, 0);
	is_counter("rx_flow_control_xoff", CTR_RX_PAUSE_FRAMES, 0);
	is_nothing("");
	is_nothing("rx_bytes");
	is_nothing("rx_bytes_ph");
	is_nothing("rx_bytes_phy_");
	is_nothing("rx_prio3_pause_");
	is_nothing("rx_prio8_pause");
	is_nothing("rx_prio33_pause");
	is_nothing("rx_prio_pause");
	is_nothing("rx_prio#_pauses");
	is_nothing("rx3_packets");
	is_nothing("rx_pripause_3_2us_count");
	is_nothing("0123456701234567012345670123456701234567012345670123456701234567");
}

static void test_other_table(void **state)
{
	(void)state;
	assert_int_equal(host_ib_name("port_rcv_data")->id, CTR_RX_BYTES);
	assert_int_equal(host_ib_name("port_rcv_data")->scale, 4);
	assert_int_equal(host_ib_name("link_downed")->id, CTR_LINK_DOWN_EVENTS);
	assert_int_equal(host_ib_name("Nak Sequence Error Implied")->id, CTR_IMPLIED_NAK_SEQ_ERR);
	assert_int_equal(host_ib_name("Nak Sequence Error")->id, CTR_PACKET_SEQ_ERR);
	assert_null(host_ib_name("Nak Sequence"));
	assert_null(host_ib_name("rx_bytes_phy"));
	assert_null(host_ib_name(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_priority),
		cmocka_unit_test(test_whole_names),
		cmocka_unit_test(test_other_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
