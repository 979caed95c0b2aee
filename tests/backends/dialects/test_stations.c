/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "backends/dialects/sonic/sonic.h"
#include "tests/support/cases.h"
#include "tests/support/obs_find.h"

static const struct target leaf = {
	.device = "leaf-r0-00", .tier = TIER_LEAF, .transport = TRANSPORT_SSH, .lossless = 1u << 3};

static struct obs *decode(const char *text)
{
	struct obs *o = obs_new(leaf.device, "stations");
	struct err err = {0};

	if (!backend_by_name("sonic")->parse(&leaf, "stations", text, strlen(text), o, &err))
		fail_msg("%s", err.text);
	return o;
}

/* The kernel's ARP and ND entries, then the table of the chip. */
CASE(stations_of_sonic)
{
	struct obs *o = decode(
		"[{\"dst\":\"10.0.0.57\",\"dev\":\"Ethernet0\",\"lladdr\":\"52:54:00:87:8f:2c\","
		"\"state\":[\"REACHABLE\"]},"
		"{\"dst\":\"fe80::5054:ff:fe87:8f2c\",\"dev\":\"Ethernet0\","
		"\"lladdr\":\"52:54:00:87:8f:2c\",\"router\":null,\"state\":[\"STALE\"]},"
		"{\"dst\":\"192.168.0.2\",\"dev\":\"Vlan1000\",\"lladdr\":\"24:8a:07:4c:f5:0a\","
		"\"state\":[\"STALE\"]},"
		"{\"dst\":\"10.64.246.1\",\"dev\":\"eth0\",\"lladdr\":\"00:00:5e:00:01:f6\","
		"\"state\":[\"REACHABLE\"]},"
		"{\"dst\":\"10.0.0.61\",\"dev\":\"Ethernet8\",\"state\":[\"FAILED\"]},"
		"{\"dst\":\"10.0.0.63\",\"dev\":\"PortChannel1\",\"lladdr\":\"52:54:00:87:8f:2d\","
		"\"state\":[\"REACHABLE\"]}]\n"
		"24:8a:07:4c:f5:0a Ethernet20;0a:00:00:00:00:01 Ethernet20;"
		"24:8a:07:4c:f5:0b PortChannel0001\n");

	assert_string_equal(attr_word(at_port(o, "Ethernet0"), ATTR_MACS, 0), "52:54:00:87:8f:2c");
	assert_string_equal(attr_word(at_port(o, "Ethernet20"), ATTR_MACS, 0),
		"0a:00:00:00:00:01 24:8a:07:4c:f5:0a");
	assert_int_equal(o->ports.n, 2);
	assert_true(attr_number(at_port(o, NULL), ATTR_MACS, 0) == 2);
	obs_free(o);
	/* A release without JSON; Redis that refuses: nothing is claimed to be complete. */
	o = decode(
		"Option \"-j\" is unknown, try \"ip -help\".\nNOAUTH Authentication required.\n");
	assert_int_equal(o->items.n, 0);
	obs_free(o);
	o = decode("24:8a:07:4c:f5:0a Ethernet20\n");
	assert_string_equal(attr_word(at_port(o, "Ethernet20"), ATTR_MACS, 0), "24:8a:07:4c:f5:0a");
	assert_int_equal(o->items.n, 1);
	obs_free(o);
	o = decode("[]\n24:8a:07:4c:f5:0a Ethernet20\n");
	assert_string_equal(attr_word(at_port(o, "Ethernet20"), ATTR_MACS, 0), "24:8a:07:4c:f5:0a");
	assert_true(attr_number(at_port(o, NULL), ATTR_MACS, 0) == 1);
	obs_free(o);
}

CASES_MAIN(NULL, NULL)
