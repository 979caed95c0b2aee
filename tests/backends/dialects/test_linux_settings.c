/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/dialects/linux/linux.h"
#include "base/str.h"
#include "tests/support/cases.h"
#include "tests/support/hostile.h"
#include "tests/support/obs_find.h"

/* A host's modules, settings, neighbours and log: the questions beside the counters. */

#define FIXTURES "tests/backends/fixtures/"

static const struct target node = {
	.device = "node007", .tier = TIER_HOST, .transport = TRANSPORT_SSH, .lossless = 1u << 3};

static struct obs *decode_bytes(
	const struct target *t, const char *request, const char *bytes, size_t len)
{
	struct obs *o = obs_new(t->device, request);
	struct err err = {0};

	o->received_us = INT64_C(1795176960000000);
	if (!backend_by_name("linux")->parse(t, request, bytes, len, o, &err))
		fail_msg("%s: %s", request, err.text);
	return o;
}

static struct obs *decode_for(const struct target *t, const char *request)
{
	char file[128];
	size_t len;
	char *bytes;
	struct obs *o;

	(void)str_printf(file, sizeof(file), FIXTURES "linux_%s.txt", request);
	bytes = read_file(file, &len);
	assert_non_null(bytes);
	o = decode_bytes(t, request, bytes, len);
	assert_int_equal(o->err.code, ERR_NONE);
	free(bytes);
	return o;
}

static struct obs *decode(const char *request)
{
	return decode_for(&node, request);
}

/* Text of the port's log item, NULL when there is none. */
static const char *log_of(const struct obs *o, const char *port)
{
	for (size_t i = 0; i < o->items.n; i++)
		if (o->items.at[i].kind == OBS_EVENT &&
			o->items.at[i].port == at_port(o, port).port)
			return obs_text(o, o->items.at[i].text);
	return NULL;
}

static const char *fact_of(const struct obs *o, const char *key)
{
	for (size_t i = 0; i < o->items.n; i++)
		if (o->items.at[i].kind == OBS_FACT &&
			str_eq(obs_text(o, o->items.at[i].text), key))
			return obs_text(o, o->items.at[i].text2);
	return NULL;
}

CASE(modules_of_all_label_styles)
{
	struct obs *o = decode("optics");
	struct obs_port_ref p = at_port(o, "mlx5_0"), denied = at_port(o, "mlx5_1"),
			    sfp = at_port(o, "mlx5_2");

	assert_true(cell_value(p, "temperature_c", 0) == 55.1);
	assert_true(cell_value(p, "voltage_v", 0) == 3.28);
	assert_true(cell_value(p, "rx_power_dbm", 0) == 0.49);
	assert_true(cell_value(p, "tx_bias_ma", 1) == 61);
	assert_true(cell_value(p, "rx_power_dbm", 1) == -40);
	assert_true(isnan(cell_value(p, "rx_power_dbm", 2)));
	assert_string_equal(attr_word(p, ATTR_MEDIA, 0), "OSFP 8X Pluggable Transceiver");
	assert_string_equal(attr_word(p, ATTR_MODULE_SN, 0), "SN0001");
	assert_int_equal(cell_validity(denied, "rx_power_dbm", 0), VALID_DISABLED);
	assert_non_null(strstr(cell_cure(denied, "rx_power_dbm", 0), "cap_net_admin"));
	assert_true(cell_value(sfp, "rx_power_dbm", 0) == -6.02);
	assert_true(cell_value(sfp, "tx_power_dbm", 0) == -3.01);
	assert_true(cell_value(sfp, "tx_bias_ma", 0) == 6.5);
	obs_free(o);
}

CASE(limits_and_alarms_of_modules)
{
	struct obs *o = decode("optics");
	struct obs_port_ref p = at_port(o, "mlx5_0");

	assert_true(attr_number(p, ATTR_TEMPERATURE_LIMIT, LIMIT_HIGH_ALARM) == 80);
	assert_true(attr_number(p, ATTR_TEMPERATURE_LIMIT, LIMIT_LOW_WARN) == -5);
	assert_true(attr_number(p, ATTR_VOLTAGE_LIMIT, LIMIT_HIGH_WARN) == 3.43);
	assert_true(attr_number(p, ATTR_TX_BIAS_LIMIT, LIMIT_HIGH_ALARM) == 90);
	assert_true(attr_number(p, ATTR_TX_POWER_LIMIT, LIMIT_LOW_ALARM) == -5.5);
	assert_true(attr_number(p, ATTR_RX_POWER_LIMIT, LIMIT_LOW_WARN) == -6.5);
	assert_true(isnan(attr_number(p, ATTR_RX_POWER_LIMIT, LIMIT_LOW_ALARM)));
	/* Lane 3 is not in use: its complaint is none. */
	assert_string_equal(log_of(o, "mlx5_0"),
		"Laser rx power low warning lane 2, Rx loss of lock lane 2, "
		"Module temperature high alarm");
	assert_string_equal(fact_of(o, "alarm.mlx5_0"), log_of(o, "mlx5_0"));
	assert_null(log_of(o, "mlx5_2"));
	/* Though the last module has none. */
	assert_int_equal(capability_of(o, "optics: thresholds", NULL), VALID_OK);
	obs_free(o);
}

/* Modules in one answer: like the one before, with lines missing, others, more, and none at all. */
static const char *const bodies[] = {
	"\tIdentifier : 0x19 (OSFP)\n\tVendor SN : A1\n"
	"\tModule temperature                        : 51.09 degrees C / 123.96 degrees F\n"
	"\tLaser tx bias current (Channel 1)         : 51.532 mA\n"
	"\tLaser tx bias current (Channel 2)         : 0.000 mA\n"
	"\tRcvr signal avg optical power (Channel 1) : 1.0118 mW / 0.05 dBm\n"
	"\tRcvr signal avg optical power (Channel 9) : 1.0118 mW / 9.05 dBm\n"
	"\tModule temperature high alarm threshold   : 80.00 degrees C / 176.00 degrees F\n"
	"\tLaser rx power low warning threshold      : 0.2239 mW / -6.50 dBm\n",
	"\tIdentifier : 0x19 (OSFP)\n\tVendor SN : B2  \n"
	"\tModule temperature                        : 7.5 degrees C / 45.50 degrees F\n"
	"\tLaser tx bias current (Channel 1)         : 1.532 mA\n"
	"\tLaser tx bias current (Channel 2)         : 2 mA\n"
	"\tRcvr signal avg optical power (Channel 1) : 0.0000 mW / -inf dBm\n"
	"\tRcvr signal avg optical power (Channel 9) : 1.0118 mW / 9.05 dBm\n"
	"\tModule temperature high alarm threshold   : 70.00 degrees C / 158.00 degrees F\n"
	"\tLaser rx power low warning threshold      : 0.2239 mW / -5.50 dBm\n"
	"\tModule temperature high alarm             : On\n"
	"\tRx loss of signal                         : [ No, Yes ]\n",
	"\tVendor SN : C3\n\tLaser tx bias current (Channel 2)         : 3.25 mA\n"
	"\tLaser rx power low warning (Channel 2)    : On\n"
	"\tModule temperature high alarm             : Off\n"
	"\tModule temperature                        : 33 degrees C / 91.40 degrees F\n"
	"\tLaser rx power low warning threshold      : 0.2239 mW / -4.50 dBm\n",
	"netlink error: Operation not permitted\n",
	"",
	"\tidentifier                                : 0x03 (SFP)\n"
	"\tlaser bias current                        : 6.500 mA\n"
	"\tLaser output power                        : 0.5000 mW / -3.01 dBm\n"
	"\tLaser tx bias current (Channel 1)         : N/A\n",
	"\tIdentifier : 0x19 (OSFP)\n\tVendor SN : D4\n"
	"\tModule temperature                        : 51.09 degrees C / 123.96 degrees F\r\n"
	"\tLaser tx bias current (Channel 1)         : 51.532\n"
	"\tLaser tx bias current (Channel 2)         :  4.25 mA\n",
};
#define BODIES (sizeof(bodies) / sizeof(bodies[0]))

/* The batch of the modules from..to-1, in this order. */
static struct obs *of_bodies(size_t from, size_t to)
{
	char text[8192];
	size_t n;

	(void)str_copy(text, sizeof(text), "@@begin 1\n1795176960000000000\n@@map\n");
	for (size_t i = from; i < to; i++) {
		n = strlen(text);
		(void)str_printf(text + n, sizeof(text) - n,
			"mlx5_%zu/device/net/eth%zu\nmlx5_%zu/ports/1/state:4: ACTIVE\n", i, i, i);
	}
	n = strlen(text);
	(void)str_printf(text + n, sizeof(text) - n, "@@ports\n");
	for (size_t i = from; i < to; i++) {
		n = strlen(text);
		(void)str_printf(
			text + n, sizeof(text) - n, "mlx5_%zu/ports/1/state:4: ACTIVE\n", i);
	}
	for (size_t i = from; i < to; i++) {
		n = strlen(text);
		(void)str_printf(text + n, sizeof(text) - n, "@@module eth%zu\n%s", i, bodies[i]);
	}
	n = strlen(text);
	assert_true(str_printf(text + n, sizeof(text) - n, "@@end\n1795176961000000000\n"));
	return decode_bytes(&node, "optics", text, strlen(text));
}

/* The next item of the port from *at on, NULL: there is no more. */
static const struct obs_item *next_of_port(const struct obs *o, uint32_t port, size_t *at)
{
	while (*at < o->items.n)
		if (o->items.at[(*at)++].port == port)
			return &o->items.at[*at - 1];
	return NULL;
}

CASE(a_module_says_what_it_says_alone)
{
	struct obs *all = of_bodies(0, BODIES);

	assert_int_equal(all->ports.n, BODIES);
	for (size_t i = 0; i < BODIES; i++) {
		struct obs *one = of_bodies(i, i + 1);
		uint32_t port = obs_port(all, one->ports.at[0].name);
		const struct obs_item *a, *b;
		size_t at = 0, of_all = 0;

		do {
			a = next_of_port(one, 0, &at);
			b = next_of_port(all, port, &of_all);
			assert_int_equal(a != NULL, b != NULL);
			if (!a || !b)
				break;
			assert_int_equal(a->kind, b->kind);
			assert_int_equal(a->code, b->code);
			assert_int_equal(a->sub, b->sub);
			assert_int_equal(a->cell, b->cell);
			assert_true(a->u64 == b->u64);
			assert_string_equal(obs_text(one, a->text), obs_text(all, b->text));
		} while (a);
		assert_true(at > 0);
		obs_free(one);
	}
	assert_true(cell_value(at_port(all, "mlx5_6"), "tx_bias_ma", 1) == 4.25);
	assert_true(cell_value(at_port(all, "mlx5_2"), "tx_bias_ma", 1) == 3.25);
	assert_non_null(strstr(log_of(all, "mlx5_1"), "Module temperature high alarm"));
	assert_non_null(strstr(log_of(all, "mlx5_2"), "Laser rx power low warning lane 2"));
	obs_free(all);
}

CASE(an_alarm_is_said_once)
{
	struct facts known = {0};
	struct target t = node;
	struct obs *first = decode("optics"), *again;

	facts_learn(&known, first);
	t.facts = &known;
	again = decode_for(&t, "optics");
	assert_null(log_of(again, "mlx5_0"));
	facts_free(&known);
	obs_free(again);
	obs_free(first);
}

CASE(pcie_and_identity)
{
	struct obs *o = decode("slow");
	struct obs_port_ref p = at_port(o, "mlx5_0"), slow = at_port(o, "mlx5_1"),
			    dev = at_port(o, NULL);

	assert_true(cell_value(p, "pcie_width", 0) == 16);
	assert_true(cell_value(p, "pcie_speed_mtps", 0) == 32000);
	assert_true(cell_value(slow, "pcie_width", 0) == 8);
	assert_true(cell_value(slow, "pcie_speed_mtps", 0) == 16000);
	assert_true(attr_number(slow, ATTR_PCIE_MAX_WIDTH, 0) == 16);
	assert_true(attr_number(slow, ATTR_PCIE_MAX_MTPS, 0) == 32000);
	/* A guest sees no slot: that is no width of 255. */
	assert_int_equal(cell_validity(at_port(o, "mlx5_2"), "pcie_width", 0), VALID_UNSUPPORTED);
	assert_string_equal(attr_word(p, ATTR_PCI_ADDR, 0), "0000:5e:00.0");
	assert_string_equal(attr_word(slow, ATTR_PCI_ADDR, 0), "0000:9a:00.0");
	assert_string_equal(attr_word(at_port(o, "mlx5_2"), ATTR_PCI_ADDR, 0), "(none)");
	assert_string_equal(attr_word(p, ATTR_MAC, 0), "0a:00:00:00:00:07");
	assert_string_equal(attr_word(dev, ATTR_FIRMWARE, 0), "28.43.1000");
	assert_string_equal(attr_word(dev, ATTR_OS_VERSION, 0), "Linux 6.8.0-45-generic");
	assert_string_equal(attr_word(dev, ATTR_MODEL, 0), "GPU Server 8");
	assert_string_equal(attr_word(dev, ATTR_SERIAL, 0), "CZ9001");
	assert_int_equal(capability_of(o, "PCIe width and speed", NULL), VALID_OK);
	obs_free(o);
}

CASE(neighbours)
{
	struct obs *o = decode("lldp");
	struct obs_port_ref p = at_port(o, "mlx5_0");
	char text[128];

	assert_string_equal(lldp_of(p, text, sizeof(text)), "leaf-r0-00:etp8");
	assert_string_equal(attr_word(p, ATTR_LLDP_PORT, 0), "Ethernet56");
	assert_string_equal(attr_word(p, ATTR_LLDP_MGMT, 0), "10.1.0.7");
	assert_string_equal(attr_word(p, ATTR_LLDP_DESCR, 0), "SONiC 202405");
	assert_string_equal(lldp_of(at_port(o, "mlx5_1"), text, sizeof(text)), ":");
	assert_int_equal(capability_of(o, "LLDP neighbours", NULL), VALID_OK);
	obs_free(o);
}

CASE(lldp_in_the_collapsing_format_and_refusals)
{
	static const char head[] = "@@begin 1\n1\n@@map\nm/device/net/e\n@@ports\n"
				   "m/ports/1/state:4: ACTIVE\n@@lldp\n";
	static const char *const tails[] = {
		"{\"lldp\":{\"interface\":{\"e\":{\"chassis\":{\"leaf9\":{\"id\":{\"type\":\"mac\","
		"\"value\":\"02:00\"},\"mgmt-ip\":[\"10.9.9.9\",\"fe80::9\"]}},\"port\":{\"id\":"
		"{\"type\":\"ifname\",\"value\":\"Ethernet4\"},\"descr\":\"to e\"}}}}}\n@@end\n1\n",
		"{\"lldp\":{}}\n@@end\n1\n", "sh: 1: lldpcli: not found\n@@end\n1\n",
		"timeout: failed to run command 'lldpcli': No such file or directory\n@@end\n1\n",
		"[WARN/control] unable to connect to socket\n@@end\n1\n"};
	static const char *const neighbour[] = {
		"leaf9:Ethernet4", ":", "(none)", "(none)", "(none)"};
	static const enum validity validity[] = {
		VALID_OK, VALID_OK, VALID_UNSUPPORTED, VALID_UNSUPPORTED, VALID_DISABLED};

	for (size_t i = 0; i < 5; i++) {
		char all[1024], text[128];
		struct obs *o;

		assert_true(str_printf(all, sizeof(all), "%s%s", head, tails[i]));
		o = decode_bytes(&node, "lldp", all, strlen(all));
		assert_string_equal(lldp_of(at_port(o, "m"), text, sizeof(text)), neighbour[i]);
		assert_int_equal(capability_of(o, "LLDP neighbours", NULL), validity[i]);
		if (!i)
			assert_string_equal(
				attr_word(at_port(o, "m"), ATTR_LLDP_MGMT, 0), "10.9.9.9");
		obs_free(o);
	}
}

CASE(settings_from_dcb_and_sysfs)
{
	struct obs *o = decode("qos");
	struct obs_port_ref p = at_port(o, "mlx5_0");

	assert_true(attr_number(p, ATTR_PFC_ENABLED, 0) == 0x18);
	assert_true(attr_number(p, ATTR_ROCE_TCLASS, 0) == 104);
	assert_true(attr_number(p, ATTR_CNP_DSCP, 0) == 48);
	assert_true(attr_number(p, ATTR_CNP_PRIO, 0) == 6);
	assert_true(attr_number(p, ATTR_DCQCN_NP, 0) == 0x08);
	assert_true(attr_number(p, ATTR_DCQCN_RP, 0) == 0x10);
	assert_true(attr_number(p, ATTR_STORM_TOUT_MS, 0) == 8000);
	assert_string_equal(attr_word(p, ATTR_TRUST, 0), "dscp");
	assert_string_equal(attr_word(p, ATTR_DSCP_TO_TC, 0),
		"--------------------------3---------------------6---------------");
	assert_string_equal(attr_word(p, ATTR_TC_TO_QUEUE, 0), "01234567");
	assert_string_equal(attr_word(p, ATTR_PRIO_TO_QUEUE, 0), "01234567");
	assert_string_equal(attr_word(p, ATTR_TC_TO_PG, 0), "00011000");
	assert_non_null(strstr(log_of(o, "mlx5_0"), "ethtool -A eth0 rx off tx off"));
	assert_int_equal(capability_of(o, "PFC settings", NULL), VALID_OK);
	assert_int_equal(capability_of(o, "DCQCN settings", NULL), VALID_OK);
	assert_int_equal(capability_of(o, "DSCP and queue maps", NULL), VALID_OK);
	obs_free(o);
}

/*
 * Equal answers about NICs that differ in other settings, and another answer for one in the middle.
 */
CASE(nics_that_are_told_alike_differ_in_the_rest)
{
#define TOLD(nic, pfc)                                                                             \
	"@@pfc " nic "\n{\"prio_pfc\":[" pfc "]}\n@@apptrust " nic "\n{\"order\":[\"dscp\"]}\n"
	static const char text[] =
		"@@begin 1\n1\n@@map\nm0/device/net/e0\nm1/device/net/e1\nm2/device/net/e2\n"
		"m3/device/net/e3\n@@ports\nm0/ports/1/state:4: ACTIVE\n"
		"m1/ports/1/state:4: ACTIVE\nm2/ports/1/state:4: ACTIVE\n"
		"m3/ports/1/state:4: ACTIVE\n@@dcqcn\n/sys/class/net/e2/qos/trust:pcp\n"
		"/sys/class/net/e2/ecn/roce_np/cnp_dscp:48\n"
		"/sys/class/net/e3/ecn/roce_np/cnp_dscp:4x\n" TOLD("e0", "false,true")
			TOLD("e1", "true,false") TOLD("e2", "false,true")
				TOLD("e3", "false,true") "@@end\n1\n";
#undef TOLD
	static const char *const names[] = {"m0", "m1", "m2", "m3"};
	static const char *const trust[] = {"dscp", "dscp", "pcp", "dscp"};
	static const double pfc[] = {2, 1, 2, 2};
	struct obs *o = decode_bytes(&node, "qos", text, strlen(text));

	for (size_t i = 0; i < 4; i++) {
		struct obs_port_ref p = at_port(o, names[i]);

		assert_true(attr_number(p, ATTR_PFC_ENABLED, 0) == pfc[i]);
		assert_string_equal(attr_word(p, ATTR_TRUST, 0), trust[i]);
		assert_true(isnan(attr_number(p, ATTR_CNP_DSCP, 0)) == (i != 2));
	}
	obs_free(o);
}

/* An object where a list of priorities belongs says nothing about them. */
CASE(dcb_without_lists_is_unknown)
{
	static const char odd[] =
		"@@begin 1\n1\n@@map\nm/device/net/e\n@@ports\n"
		"m/ports/1/state:4: ACTIVE\n@@pfc e\n{\"prio_pfc\":{\"3\":true}}\n"
		"@@ets e\n{\"prio_tc\":{\"0\":1}}\n@@end\n1\n";
	struct obs *o = decode_bytes(&node, "qos", odd, strlen(odd));
	struct obs_port_ref p = at_port(o, "m");

	assert_true(isnan(attr_number(p, ATTR_PFC_ENABLED, 0)));
	assert_string_equal(attr_word(p, ATTR_PRIO_TO_QUEUE, 0), "(none)");
	obs_free(o);
}

CASE(settings_from_mlnx_qos_and_none)
{
	static const char bare[] = "@@begin 1\n1\n@@map\nm/device/net/e\n@@ports\n"
				   "m/ports/1/state:4: ACTIVE\n@@pfc e\nsh: 1: dcb: not found\n"
				   "@@end\n1\n";
	struct obs *o = decode("qos");
	struct obs_port_ref p = at_port(o, "mlx5_1");
	const char *cure = "";

	assert_true(attr_number(p, ATTR_PFC_ENABLED, 0) == 0x20);
	/* Only rdma_cm's value is there. */
	assert_true(attr_number(p, ATTR_ROCE_TCLASS, 0) == 106);
	assert_true(attr_number(p, ATTR_STORM_TOUT_MS, 0) == 65535);
	assert_string_equal(attr_word(p, ATTR_TRUST, 0), "dscp");
	assert_string_equal(attr_word(p, ATTR_DSCP_TO_TC, 0),
		"00--------------------------------------------5-----------------");
	assert_string_equal(attr_word(p, ATTR_PRIO_TO_QUEUE, 0), "0----2--");
	assert_string_equal(attr_word(p, ATTR_TC_TO_PG, 0), "00000100");
	assert_true(isnan(attr_number(p, ATTR_CNP_DSCP, 0)));
	/* No booleans: nothing is on. */
	assert_true(attr_number(at_port(o, "mlx5_2"), ATTR_PFC_ENABLED, 0) == 0);
	obs_free(o);
	o = decode_bytes(&node, "qos", bare, strlen(bare));
	assert_true(isnan(attr_number(at_port(o, "m"), ATTR_PFC_ENABLED, 0)));
	assert_int_equal(capability_of(o, "PFC settings", &cure), VALID_DISABLED);
	assert_non_null(strstr(cure, "iproute2"));
	assert_int_equal(capability_of(o, "DCQCN settings", NULL), VALID_UNSUPPORTED);
	obs_free(o);
}

CASE(what_detect_learns_is_used)
{
	const struct backend_ops *ops = backend_by_name("linux");
	struct obs *o = decode("detect");
	struct facts known = {0};
	struct target t = node;
	struct request_list l = {0};
	struct err err = {0};

	assert_string_equal(fact_of(o, "timeout"), "1");
	assert_string_equal(fact_of(o, "sudo.ethtool"), "1");
	assert_string_equal(fact_of(o, "sudo.lldpcli"), "");
	assert_string_equal(fact_of(o, "log"), "journal");
	assert_string_equal(fact_of(o, "nd.eth0"), "mlx5_0");
	assert_string_equal(fact_of(o, "pci.0000:5e:00.0"), "mlx5_0");
	assert_int_equal(capability_of(o, "event log", NULL), VALID_OK);
	facts_learn(&known, o);
	t.facts = &known;
	assert_true(ops->plan(&t, POLL_MEDIUM, &l, &err));
	assert_int_equal(l.at.n, 2);
	assert_true(str_starts(l.at.at[0].input, "T='timeout 2'"));
	assert_non_null(strstr(l.at.at[0].input, "SUDO='sudo -n'"));
	assert_null(strstr(l.at.at[1].input, "SUDO='"));
	requests_free(&l);
	assert_true(ops->plan(&t, POLL_EVENTS, &l, &err));
	assert_int_equal(l.at.n, 1);
	assert_true(l.at.at[0].follow);
	assert_non_null(strstr(l.at.at[0].command, "journalctl -k -f"));
	requests_free(&l);
	facts_free(&known);
	obs_free(o);
}

CASE(a_log_that_may_not_be_read)
{
	static const char none[] = "@@begin 1\n1\n@@sudo\n@@log\n@@end\n1\n";
	static const char by_sudo[] = "@@begin 1\n1\n@@sudo\njournalctl\n@@log\n@@end\n1\n";
	struct obs *o = decode_bytes(&node, "detect", none, strlen(none));
	struct request_list l = {0};
	struct err err = {0};
	const char *cure = "";

	assert_int_equal(capability_of(o, "event log", &cure), VALID_DISABLED);
	assert_non_null(strstr(cure, "systemd-journal"));
	obs_free(o);
	/* No log is asked before it is known which way is permitted. */
	assert_true(backend_by_name("linux")->plan(&node, POLL_EVENTS, &l, &err));
	assert_int_equal(l.at.n, 0);
	o = decode_bytes(&node, "detect", by_sudo, strlen(by_sudo));
	assert_string_equal(fact_of(o, "log"), "sudo");
	obs_free(o);
}

CASE(log_lines_find_their_port)
{
	static const char text[] =
		"2026-11-20T12:15:56.104512+00:00 n kernel: mlx5_core 0000:5e:00.0 eth0: Link "
		"down\n"
		"2026-11-20T12:15:57+0000 n kernel: mlx5_core 0000:5e:00.0: port_module:247:(pid "
		"0):"
		" Port module event[error]: module 3, Cable error, High Temperature\n"
		"2026-11-20T12:15:58+0000 n kernel: e1000 0000:00:03.0 eno1: NIC Link is Down\n"
		"2026-11-20T12:15:59+0000 n kernel: usb 1-1: new device\n";
	struct obs *learnt = decode("detect"), *o;
	struct facts known = {0};
	struct target t = node;

	facts_learn(&known, learnt);
	t.facts = &known;
	o = decode_bytes(&t, "log", text, strlen(text));
	/* eno1 is none of the fabric's: no port is made for it. */
	assert_int_equal(o->ports.n, 1);
	assert_int_equal(o->items.n, 3);
	assert_int_equal(o->items.at[0].port, at_port(o, "mlx5_0").port);
	assert_int_equal(o->items.at[1].port, at_port(o, "mlx5_0").port);
	assert_int_equal(o->items.at[1].code, EV_LOG_ALARM);
	assert_int_equal(o->items.at[2].port, OBS_NO_PORT);
	assert_true(o->items.at[0].time_us == INT64_C(1763640956104512) + INT64_C(31536000000000));
	facts_free(&known);
	obs_free(learnt);
	obs_free(o);
}

CASE(hostile_answers_of_hosts)
{
	static const char *const names[] = {"fast", "optics", "lldp", "slow", "qos", "detect"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char file[128];
		size_t len;
		char *good;

		(void)str_printf(file, sizeof(file), FIXTURES "linux_%s.txt", names[i]);
		good = read_file(file, &len);
		assert_non_null(good);
		hostile_answers(backend_by_name("linux"), &node, names[i], good, len);
		free(good);
	}
}

CASES_MAIN(NULL, NULL)
