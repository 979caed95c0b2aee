/* SPDX-License-Identifier: Apache-2.0 */
/* Names of counters as drivers print them: whole, with the priority wherever it stands. */
#include <string.h>

#include "backends/dialects/linux/linux.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"
#include "tests/support/cases.h"

static void is_counter(const char *name, enum counter_id id, unsigned priority)
{
	unsigned sub = 99;
	struct host_names names = {0};
	const struct host_name *n = host_ethtool_name(&names, name, strlen(name), &sub);

	if (!n)
		fail_msg("%s is not known", name);
	assert_int_equal(n->id, id);
	assert_int_equal(sub, priority);
}

static void is_nothing(const char *name)
{
	struct host_names names = {0};
	unsigned sub = 99;

	if (host_ethtool_name(&names, name, strlen(name), &sub))
		fail_msg("%s is taken for a counter", name);
}

CASE(test_every_priority)
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
		/* Digits that are no priority, behind it. */
		{"rx_pripause_", "_1us_count", CTR_PFC_RX_DURATION_US},
		{"rx_priority_", "_xon_2_xoff.nic", CTR_PFC_RX_TRANSITIONS},
	};
	char name[64];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		for (unsigned p = 0; p < PRIORITIES; p++) {
			(void)str_printf(
				name, sizeof(name), "%s%u%s", names[i].before, p, names[i].after);
			is_counter(name, names[i].id, p);
		}
}

CASE(test_whole_names)
{
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
	/* A class of service of Broadcom is a queue, no priority. */
	is_nothing("rx_discard_packets_cos3");
	is_nothing("rx_pripause_3_2us_count");
	is_nothing("0123456701234567012345670123456701234567012345670123456701234567");
}

static const struct host_name *ib_name(const char *name)
{
	struct host_names names = {0};

	return host_ib_name(&names, name, strlen(name));
}

CASE(test_other_table)
{
	assert_int_equal(ib_name("port_rcv_data")->id, CTR_RX_BYTES);
	assert_int_equal(ib_name("port_rcv_data")->scale, 4);
	assert_int_equal(ib_name("link_downed")->id, CTR_LINK_DOWN_EVENTS);
	assert_int_equal(ib_name("Nak Sequence Error Implied")->id, CTR_IMPLIED_NAK_SEQ_ERR);
	assert_int_equal(ib_name("Nak Sequence Error")->id, CTR_PACKET_SEQ_ERR);
	assert_null(ib_name("Nak Sequence"));
	assert_null(ib_name("rx_bytes_phy"));
	assert_null(ib_name(""));
}

/* The path remembers the port of the last line: a name that only begins alike is another port. */
CASE(test_ways)
{
	static const struct {
		const char *line, *rest, *value; /* rest NULL: no line of a port */
		unsigned number;
	} lines[] = {
		{"mlx5_1/ports/1/counters/port_rcv_data:12", "counters/port_rcv_data", "12", 1},
		{"mlx5_1/ports/1/state:4: ACTIVE", "state", "4: ACTIVE", 1},
		{"mlx5_1/ports/10/state:4: ACTIVE", "state", "4: ACTIVE", 10},
		{"mlx5_1/ports/1/", NULL, NULL, 0},
		{"mlx5_1/ports/1/no colon", NULL, NULL, 0},
		{"mlx5_1/ports/1/:", "", "", 1},
		{"mlx5_1/ports/1", NULL, NULL, 0},
		{"mlx5_11/ports/1/rate:400 Gb/sec", "rate", "400 Gb/sec", 1},
		{"/ports/1/rate:400 Gb/sec", NULL, NULL, 0},
		{"mlx5_1/ports/256/rate:1", NULL, NULL, 0},
	};
	const struct target t = {.device = "node0", .tier = TIER_HOST};
	struct host h = {.target = &t, .o = obs_new("node0", "fast")};
	struct host_way way = {.n = 0};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct span line = {lines[i].line, strlen(lines[i].line)}, rest, value;
		struct host_port *p = host_ib_span(&h, &way, line, &rest, &value);

		if ((p != NULL) != (lines[i].rest != NULL))
			fail_msg("%s: %s", lines[i].line, p ? "taken" : "refused");
		if (!p)
			continue;
		assert_int_equal(p->number, lines[i].number);
		assert_int_equal(strncmp(p->rdma, lines[i].line, strlen(p->rdma)), 0);
		assert_true(lines[i].line[strlen(p->rdma)] == '/');
		assert_true(span_is(rest, lines[i].rest));
		assert_true(span_is(value, lines[i].value));
	}
	assert_int_equal(h.ports.n, 3);
	host_free(&h);
	obs_free(h.o);
}

/* Both ways to read lines give the same ones. */
CASE(test_lines)
{
	static const char body[] = "one\r\n\nt\0wo\n three\rfour\nlast";
	static const char *const want[] = {"one", "", "t", " three", "last"};
	const struct section s = {.body = body, .len = sizeof(body) - 1};
	char line[LINE_TEXT];
	struct span span;
	size_t at = 0, copied = 0;

	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		assert_true(line_span(&s, &at, &span));
		assert_true(span_is(span, want[i]));
		assert_true(line_next(&s, &copied, line));
		assert_string_equal(line, want[i]);
		assert_int_equal(at, copied);
	}
	assert_false(line_span(&s, &at, &span));
	assert_false(line_next(&s, &copied, line));
}

CASE(test_sections)
{
	static const char bytes[] = "noise @@no\n@@one eth0\nx@@y\n @@z\n@@\n@@three a b\n@@end";
	static const struct {
		const char *name, *arg, *body;
	} want[] = {{"one", "eth0", "x@@y\n @@z\n"}, {"", "", ""}, {"three", "a b", ""},
		{"end", "", ""}};
	struct section s;
	size_t at = 0;

	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		assert_true(section_next(bytes, sizeof(bytes) - 1, &at, &s));
		assert_string_equal(s.name, want[i].name);
		assert_string_equal(s.arg, want[i].arg);
		assert_int_equal(s.len, strlen(want[i].body));
		assert_memory_equal(s.body, want[i].body, s.len);
	}
	assert_false(section_next(bytes, sizeof(bytes) - 1, &at, &s));
}

CASES_MAIN(NULL, NULL)
