/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/dialects/linux/linux.h"
#include "base/str.h"
#include "tests/captures/covered.h"
#include "tests/captures/host_script.h"
#include "tests/support/cases.h"
#include "tests/support/obs_find.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define SIM          "hosts/sim/"

/*
 * The output of the real ethtool, dcb and rdma, three releases of each, one capture at a time. The
 * story: rdma3 flaps and has a weak lane, rdma5 is down, rdma6 is a copper cable.
 */

static struct covered needs[] = {{"port counters", NOTHING},
	{"RoCE retransmission counters", NOTHING}, {"congestion notifications", NOTHING},
	{"PFC frames per priority", NOTHING}, {"pause duration received", NOTHING},
	{"pause duration sent", NOTHING}, {"queue counters", NOTHING}, {"FEC counters", NOTHING},
	{"FEC histogram", NOTHING}, {"link flaps", NOTHING}, {"port state", NOTHING},
	{"optics: light received", NOTHING}, {"optics: light sent", NOTHING},
	{"optics: bias current", NOTHING}, {"optics: temperature", NOTHING},
	{"optics: thresholds", NOTHING}, {"PFC settings", NOTHING},
	{"DSCP and queue maps", NOTHING}, {"PFC watchdog settings", NOTHING},
	{"RDMA devices", NOTHING}};

static void by(const char *need, enum evidence e)
{
	covered(needs, ARRAY_LEN(needs), need, e);
}

static const char *const versions[] = {"6.1", "6.14.2", "7.2"};

static struct obs *ethtool(
	const char *request, const char *section, const char *version, const char *name)
{
	char file[128];

	str_printf(file, sizeof(file), SIM "ethtool/%s/%s.txt", version, name);
	return script_section(request, section, file);
}

CASE(fec_of_all_versions)
{
	static const char *const variants[] = {"I-fec_flap", "I-fec_flap-lanes"};

	for (size_t v = 0; v < ARRAY_LEN(versions); v++) {
		struct obs *o;
		struct obs_port_ref p;

		for (size_t i = 0; i < ARRAY_LEN(variants); i++) {
			o = ethtool("fast", "fec rdma3", versions[v], variants[i]);
			p = at_port(o, "mlx5_3");
			assert_true(cell_count(p, "fec_corrected_codewords", 0) ==
				    UINT64_C(98214776631));
			assert_int_equal(cell_count(p, "fec_uncorrectable_codewords", 0), 1841);
			assert_true(
				cell_count(p, "fec_corrected_bits", 0) == UINT64_C(130911288301));
			assert_string_equal(attr_word(p, ATTR_FEC, 0), "rs");
			assert_int_equal(cell_validity(p, "fec_bin", 0), VALID_UNSUPPORTED);
			obs_free(o);
		}
		o = ethtool("fast", "fec rdma3", versions[v], "I-fec_down");
		assert_string_equal(attr_word(at_port(o, "mlx5_3"), ATTR_FEC, 0), "none");
		obs_free(o);
		o = ethtool("fast", "fec rdma3", versions[v], "I-fec_good");
		assert_int_equal(
			cell_count(at_port(o, "mlx5_3"), "fec_corrected_codewords", 0), 4210983);
		obs_free(o);
		o = ethtool("fast", "fec rdma3", versions[v], "I-fec_dac");
		assert_string_equal(attr_word(at_port(o, "mlx5_3"), ATTR_FEC, 0), "rs");
		obs_free(o);
	}
	by("FEC counters", REAL);
}

CASE(fec_histogram)
{
	struct obs *o = ethtool("fast", "fec rdma3", "7.2", "I-fec_flap-hist");
	struct obs_port_ref p = at_port(o, "mlx5_3");

	assert_true(cell_count(p, "fec_bin", 0) == UINT64_C(910000000000000));
	assert_true(cell_count(p, "fec_bin", 8) == UINT64_C(5554165318));
	assert_true(cell_count(p, "fec_bin", 15) == UINT64_C(449382494));
	assert_int_equal(cell_count(p, "fec_uncorrectable_codewords", 0), 1841);
	assert_int_equal(capability_of(o, "FEC histogram", NULL), VALID_OK);
	obs_free(o);
	by("FEC histogram", REAL);
}

CASE(driver_statistics_of_all_versions)
{
	for (size_t v = 0; v < ARRAY_LEN(versions); v++) {
		struct obs *o = ethtool("fast", "stats rdma3", versions[v], "S_flap");
		struct obs_port_ref p = at_port(o, "mlx5_3");

		assert_true(cell_count(p, "rx_bytes", 0) == UINT64_C(376811002113991));
		assert_true(cell_count(p, "tx_bytes", 0) == UINT64_C(367211339002113));
		assert_true(cell_count(p, "rx_packets", 0) == UINT64_C(90211339002));
		assert_int_equal(cell_count(p, "rx_discards", 0), 1902);
		assert_int_equal(cell_count(p, "tx_discards", 0), 77);
		assert_int_equal(cell_count(p, "rx_fcs_errors", 0), 386);
		assert_int_equal(cell_count(p, "rx_symbol_errors", 0), 1841);
		assert_int_equal(cell_count(p, "link_down_events", 0), 37);
		assert_int_equal(cell_count(p, "pfc_rx_frames", 3), 9812201);
		assert_int_equal(cell_count(p, "pfc_tx_frames", 3), 8812733);
		assert_int_equal(cell_count(p, "pfc_rx_duration_us", 3), 93122011);
		assert_int_equal(cell_count(p, "pfc_tx_duration_us", 3), 82033911);
		assert_int_equal(cell_count(p, "pfc_rx_transitions", 3), 4906100);
		assert_int_equal(cell_count(p, "rx_prio_discards", 3), 1902);
		assert_true(cell_count(p, "queue_tx_bytes", 3) == UINT64_C(366720420212335));
		assert_true(cell_count(p, "queue_tx_packets", 6) == 1490371);
		assert_true(cell_count(p, "rx_prio_bytes", 3) == UINT64_C(376083020733030));
		assert_true(cell_count(p, "rdma_rx_bytes", 0) == UINT64_C(376142211002113));
		assert_true(cell_count(p, "rdma_tx_bytes", 0) == UINT64_C(366713113991772));
		assert_int_equal(cell_count(p, "pause_storm_warnings", 0), 2);
		assert_int_equal(cell_count(p, "pause_storm_errors", 0), 0);
		assert_int_equal(cell_count(p, "rx_buffer_passed_threshold", 0), 8801231);
		assert_true(cell_value(p, "pci_stalled_write_pct", 0) == 0);
		obs_free(o);
		o = ethtool("fast", "stats rdma3", versions[v], "S_good");
		assert_int_equal(cell_count(at_port(o, "mlx5_3"), "link_down_events", 0), 0);
		obs_free(o);
	}
	by("port counters", REAL);
	by("PFC frames per priority", REAL);
	by("pause duration received", REAL);
	by("pause duration sent", REAL);
	by("queue counters", REAL);
	by("link flaps", REAL);
}

CASE(link_settings_of_all_versions)
{
	static const struct {
		const char *name;
		uint64_t downs;
		bool is_down;
	} cases[] = {{"good", 0, false}, {"flap", 37, false}, {"dac", 0, false}, {"down", 2, true}};
	char name[32];

	for (size_t v = 0; v < ARRAY_LEN(versions); v++)
		for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
			struct buf b;
			struct obs *o;
			char file[128];
			struct obs_port_ref p;

			str_printf(name, sizeof(name), "I-settings_%s", cases[i].name);
			str_printf(file, sizeof(file), SIM "ethtool/%s/%s.txt", versions[v], name);
			script_begin(&b);
			script_port(&b, "mlx5_3", "rdma3");
			script_text(&b, "net",
				cases[i].is_down ? "rdma3/operstate:down" : "rdma3/operstate:up");
			script_file(&b, "link rdma3", file);
			o = script_decode(&b, "fast");
			p = at_port(o, "mlx5_3");
			assert_string_equal(attr_word(p, ATTR_DOWN_REASON, 0),
				cases[i].is_down
					? "Bad signal integrity, Large number of physical errors"
					: "");
			/* 6.1 does not print the events. */
			if (v == 0)
				assert_int_equal(
					cell_validity(p, "link_down_events", 0), VALID_UNSUPPORTED);
			else
				assert_true(cell_count(p, "link_down_events", 0) == cases[i].downs);
			obs_free(o);
		}
	by("port state", REAL);
}

CASE(pause_statistics)
{
	struct obs *o;

	for (size_t v = 0; v < ARRAY_LEN(versions); v++) {
		o = ethtool("fast", "pause rdma3", versions[v], "I-a_flap");
		assert_int_equal(cell_count(at_port(o, "mlx5_3"), "rx_pause_frames", 0), 0);
		assert_int_equal(cell_count(at_port(o, "mlx5_3"), "tx_pause_frames", 0), 0);
		obs_free(o);
	}
	o = ethtool("fast", "pause rdma3", "7.2", "I-a_flap-storm");
	assert_int_equal(cell_count(at_port(o, "mlx5_3"), "pause_storm_errors", 0), 2);
	obs_free(o);
}

static void check_weak_module(const struct obs *o)
{
	struct obs_port_ref p = at_port(o, "mlx5_3");

	assert_true(cell_value(p, "temperature_c", 0) == 71.30);
	assert_true(cell_value(p, "voltage_v", 0) == 3.2793);
	assert_true(cell_value(p, "rx_power_dbm", 2) == -8.50);
	assert_true(cell_value(p, "tx_power_dbm", 2) == 1.30);
	assert_true(cell_value(p, "tx_bias_ma", 2) == 60.84);
	/* Four of the eight lanes are in use. */
	assert_true(isnan(cell_value(p, "rx_power_dbm", 4)));
	assert_true(isnan(cell_value(p, "tx_bias_ma", 7)));
	assert_string_equal(attr_word(p, ATTR_MODULE_SN, 0), "MT2334FT10451");
	assert_string_equal(
		attr_word(p, ATTR_MEDIA, 0), "OSFP 8X Pluggable Transceiver MMS4X00-NS400");
	assert_true(attr_number(p, ATTR_RX_POWER_LIMIT, LIMIT_HIGH_ALARM) == 5.5);
	assert_true(attr_number(p, ATTR_RX_POWER_LIMIT, LIMIT_HIGH_WARN) == 4);
	assert_true(attr_number(p, ATTR_RX_POWER_LIMIT, LIMIT_LOW_WARN) == -6.5);
	assert_true(attr_number(p, ATTR_RX_POWER_LIMIT, LIMIT_LOW_ALARM) == -9);
	assert_true(attr_number(p, ATTR_TX_POWER_LIMIT, LIMIT_LOW_ALARM) == -5.5);
	assert_true(attr_number(p, ATTR_TX_BIAS_LIMIT, LIMIT_LOW_WARN) == 25);
	assert_true(attr_number(p, ATTR_TEMPERATURE_LIMIT, LIMIT_HIGH_WARN) == 70);
	assert_true(attr_number(p, ATTR_TEMPERATURE_LIMIT, LIMIT_LOW_ALARM) == -10);
	assert_true(attr_number(p, ATTR_VOLTAGE_LIMIT, LIMIT_HIGH_ALARM) == 3.465);
}

CASE(modules_of_all_versions)
{
	/* 6.1 has no line for locks; 7.2 raises the flag of the weak lane itself. */
	static const char *const alarms[] = {"Module temperature high warning",
		"Rx loss of lock lane 3, Module temperature high warning",
		("Rx loss of lock lane 3, Module temperature high warning, "
		 "Laser rx power low warning lane 3")};

	for (size_t v = 0; v < ARRAY_LEN(versions); v++) {
		struct obs *o = ethtool("optics", "module rdma3", versions[v], "m_flap");

		check_weak_module(o);
		assert_string_equal(log_text(o, "mlx5_3"), alarms[v]);
		assert_int_equal(capability_of(o, "optics: thresholds", NULL), VALID_OK);
		obs_free(o);
		o = ethtool("optics", "module rdma3", versions[v], "m_good");
		assert_true(cell_value(at_port(o, "mlx5_3"), "temperature_c", 0) == 46);
		assert_null(log_text(o, NULL));
		obs_free(o);
		o = ethtool("optics", "module rdma3", versions[v], "m_down");
		assert_true(cell_value(at_port(o, "mlx5_3"), "rx_power_dbm", 0) == -40);
		/* Before 7.2 ethtool printed the flags of the lanes around. */
		assert_non_null(strstr(
			log_text(o, "mlx5_3"), v == 2 ? "Laser rx power low alarm lane 1,2,3,4"
						      : "Laser rx power low alarm lane 2,3,4"));
		obs_free(o);
		/* Copper measures nothing, and that is no fault. */
		o = ethtool("optics", "module rdma3", versions[v], "m_dac");
		assert_int_equal(
			cell_validity(at_port(o, "mlx5_3"), "rx_power_dbm", 0), VALID_UNSUPPORTED);
		assert_string_equal(
			attr_word(at_port(o, "mlx5_3"), ATTR_MODULE_SN, 0), "MT2334FT10502");
		assert_int_equal(capability_of(o, "optics: thresholds", NULL), VALID_UNSUPPORTED);
		obs_free(o);
	}
	by("optics: light received", REAL);
	by("optics: light sent", REAL);
	by("optics: bias current", REAL);
	by("optics: temperature", REAL);
	by("optics: thresholds", REAL);
}

CASE(drivers_and_tunables)
{
	char file[128];

	for (size_t v = 0; v < ARRAY_LEN(versions); v++) {
		struct obs *o = ethtool("slow", "driver rdma3", versions[v], "i");

		assert_string_equal(
			attr_word(at_port(o, "mlx5_3"), ATTR_PCI_ADDR, 0), "0000:18:00.0");
		assert_string_equal(attr_word(at_port(o, NULL), ATTR_FIRMWARE, 0), "28.43.2026");
		obs_free(o);
		str_printf(file, sizeof(file), SIM "ethtool/%s/get-tunable-pfc-prevention-tout.txt",
			versions[v]);
		o = script_section("qos", "tunable rdma3", file);
		assert_true(attr_number(at_port(o, "mlx5_3"), ATTR_STORM_TOUT_MS, 0) == 8000);
		obs_free(o);
	}
	by("PFC watchdog settings", REAL);
}

CASE(settings_of_both_releases)
{
	static const char *const objects[] = {"pfc", "ets", "app", "app-numeric", "buffer"};
	static const char *const releases[] = {"6.1", "7.3"};

	for (size_t r = 0; r < ARRAY_LEN(releases); r++) {
		char file[128], title[32];
		struct obs_port_ref p;
		struct obs *o;
		struct buf b;

		script_begin(&b);
		script_port(&b, "mlx5_3", "rdma3");
		for (size_t i = 0; i < ARRAY_LEN(objects); i++) {
			str_printf(title, sizeof(title), "%.*s rdma3",
				(int)strcspn(objects[i], "-"), objects[i]);
			str_printf(
				file, sizeof(file), SIM "dcb/%s/%s.json", releases[r], objects[i]);
			script_file(&b, title, file);
		}
		script_file(&b, "apptrust rdma3",
			r ? SIM "dcb/7.3/apptrust.json" : SIM "dcb/6.1/apptrust.txt");
		o = script_decode(&b, "qos");
		p = at_port(o, "mlx5_3");
		assert_true(attr_number(p, ATTR_PFC_ENABLED, 0) == 0x08);
		assert_string_equal(attr_word(p, ATTR_DSCP_TO_TC, 0),
			"--------------------------3---------------------6---------------");
		assert_string_equal(attr_word(p, ATTR_TC_TO_QUEUE, 0), "01234567");
		assert_string_equal(attr_word(p, ATTR_TC_TO_PG, 0), "00010000");
		assert_string_equal(attr_word(p, ATTR_TRUST, 0), r ? "dscp" : "(none)");
		obs_free(o);
	}
	by("PFC settings", REAL);
	by("DSCP and queue maps", REAL);
}

CASE(mlnx_qos_good_and_wrong)
{
	struct obs *o =
		script_section("qos", "mlnx rdma3", "hosts/config/synthetic/mlnx_qos_good.txt");
	struct obs_port_ref p = at_port(o, "mlx5_3");

	assert_true(attr_number(p, ATTR_PFC_ENABLED, 0) == 0x08);
	assert_string_equal(attr_word(p, ATTR_TRUST, 0), "dscp");
	assert_string_equal(attr_word(p, ATTR_DSCP_TO_TC, 0),
		"0000000011111111222222223333333344444444555555556666666677777777");
	assert_string_equal(attr_word(p, ATTR_PRIO_TO_QUEUE, 0), "01234567");
	assert_string_equal(attr_word(p, ATTR_TC_TO_PG, 0), "00010000");
	obs_free(o);
	o = script_section(
		"qos", "mlnx rdma3", "hosts/config/synthetic/mlnx_qos_bad_trust_pcp_no_pfc.txt");
	p = at_port(o, "mlx5_3");
	assert_true(attr_number(p, ATTR_PFC_ENABLED, 0) == 0);
	assert_string_equal(attr_word(p, ATTR_TRUST, 0), "pcp");
	assert_string_equal(attr_word(p, ATTR_DSCP_TO_TC, 0), "(none)");
	obs_free(o);
}

/* JSON in one line, JSON an object a line, text in one line, text a counter a line: the same. */
CASE(rdma_in_all_layouts)
{
	static const char *const files[][2] = {{"link_6.1.json", "statistic_6.1.json"},
		{"link_7.3.json", "statistic_7.3.json"}, {"link_6.1.txt", "statistic_6.1.txt"},
		{"link_7.3.txt", "statistic_7.3.txt"},
		{"link-details_6.1.json", "statistic_6.1.json"},
		{"link-details_7.3.json", "statistic_7.3.json"},
		{"link-details_6.1.txt", "statistic_6.1.txt"},
		{"link-details_7.3.txt", "statistic_7.3.txt"}};
	char file[128];

	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		struct obs_port_ref p;
		struct obs *o;
		struct buf b;

		script_begin(&b);
		str_printf(file, sizeof(file), SIM "rdma/%s", files[i][0]);
		script_file(&b, "rlink", file);
		str_printf(file, sizeof(file), SIM "rdma/%s", files[i][1]);
		script_file(&b, "rstat", file);
		o = script_decode(&b, "fast");
		assert_int_equal(o->ports.n, 8);
		p = at_port(o, "mlx5_0");
		assert_string_equal(attr_word(p, ATTR_NETDEV, 0), "rdma0");
		assert_string_equal(attr_word(p, ATTR_OPER, 0), "up");
		assert_string_equal(attr_word(at_port(o, "mlx5_5"), ATTR_OPER, 0), "down");
		assert_string_equal(
			attr_word(at_port(o, "mlx5_5"), ATTR_DOWN_REASON, 0), "Disabled");
		assert_int_equal(cell_count(p, "out_of_sequence", 0), 215);
		assert_int_equal(cell_count(p, "duplicate_request", 0), 12);
		assert_int_equal(cell_count(p, "packet_seq_err", 0), 100);
		assert_int_equal(cell_count(p, "local_ack_timeout_err", 0), 3);
		assert_int_equal(cell_count(p, "cnp_handled", 0), 1084410);
		assert_int_equal(cell_count(p, "ecn_marked_roce_packets", 0), 21521355);
		assert_int_equal(cell_count(p, "cnp_sent", 0), 1099991);
		obs_free(o);
	}
	by("RDMA devices", REAL);
	by("RoCE retransmission counters", REAL);
	by("congestion notifications", REAL);
}

CASE(what_rests_on_which_capture)
{
	covered_print("linux", needs, ARRAY_LEN(needs));
}

CASES_MAIN(NULL, NULL)
