/* SPDX-License-Identifier: Apache-2.0 */
/* EFA, and the cloud that a host is of, from public outputs and reports: see hosts.md. */
#include <stdio.h>
#include <string.h>

#include "fabric/vocabulary/counters.h"
#include "tests/cases/host_rig.h"
#include "tests/support/cases.h"

static double rate(const struct host_rig *r, const char *port, counter_id id, unsigned sub)
{
	return port_rate(host_rig_port(r, port), id, sub);
}

static bool is_near(double is, double should)
{
	return is > should * 0.99 && is < should * 1.01;
}

static enum validity validity(
	const struct host_rig *r, const char *port, counter_id id, unsigned sub)
{
	return port_cell_valid(host_rig_model(r), host_rig_port(r, port), id, sub);
}

#define RDMA(dev)                                                                                  \
	"sys infiniband/" dev "/ports/1/state 4: ACTIVE\n"                                         \
	"sys infiniband/" dev "/ports/1/phys_state 5: LinkUp\n"                                    \
	"sys infiniband/" dev "/ports/1/link_layer Ethernet\n"

CASE(an_efa_has_the_speed_of_its_rdma_port_and_no_netdev)
{
	struct host_rig *r = host_rig_new(
		"sys infiniband/rdmap79s0/ports/1/state 4: ACTIVE\n"
		"sys infiniband/rdmap79s0/ports/1/phys_state 5: LinkUp\n"
		"sys infiniband/rdmap79s0/ports/1/rate 100 Gb/sec (4X EDR)\n"
		"sys infiniband/rdmap79s0/ports/1/link_layer Unspecified\n"
		"sys infiniband/rdmap79s0/ports/1/hw_counters/rx_bytes 0~9000000000\n"
		"sys infiniband/rdmap79s0/ports/1/hw_counters/retrans_timeout_events 0~2\n"
		"sys infiniband/rdmap79s0/ports/1/hw_counters/unresponsive_remote_events 0~0.2\n"
		"sys infiniband/rdmap79s0/ports/1/hw_counters/impaired_remote_conn_events 0~1\n");
	const struct finding *f;

	host_rig_poll(r, 4);
	assert_int_equal(host_rig_port(r, "rdmap79s0")->speed_mbps, 100000);
	assert_string_equal(host_rig_port(r, "rdmap79s0")->netdev, "");
	assert_int_equal(host_rig_port(r, "rdmap79s0")->more->link_layer, LAYER_EFA);
	assert_true(is_near(rate(r, "rdmap79s0", CTR_RX_BYTES, 0), 9e9));
	/* The driver calls it ACTIVE whatever happens: that is no evidence of a link. */
	assert_int_equal(host_rig_port(r, "rdmap79s0")->oper, OPER_UNKNOWN);
	f = host_rig_found(r, "rdma.loss", "rdmap79s0");
	assert_non_null(f);
	assert_int_equal(f->severity, SEV_CRIT);
	assert_non_null(strstr(f->title, "EFA: far ends do not respond"));
	assert_string_equal(f->evidence.at[0].what, "unresponsive_remote_events");
	assert_string_equal(f->evidence.at[1].what, "retrans_timeout_events");
	host_rig_free(r);
}

#define EFA(rest)                                                                                  \
	"sys infiniband/rdmap0s6/ports/1/state 4: ACTIVE\n"                                        \
	"sys infiniband/rdmap0s6/ports/1/phys_state 5: LinkUp\n"                                   \
	"sys infiniband/rdmap0s6/ports/1/rate 100 Gb/sec (4X EDR)\n"                               \
	"sys infiniband/rdmap0s6/ports/1/link_layer Unknown\n"                                     \
	"sys infiniband/rdmap0s6/ports/1/hw_counters/tx_pkts 0~1000000\n"                          \
	"sys infiniband/rdmap0s6/ports/1/hw_counters/lifespan 12\n"                                \
	"sys infiniband/rdmap0s6/ports/1/hw_counters/rx_drops 0\n" rest

/* NVIDIA/NVSentinel 1750: with a network device beside it, its carrier is the port's state. */
CASE(the_netdev_of_an_efa_knows_its_link)
{
	struct host_rig *r = host_rig_new(
		EFA("sys infiniband/rdmap0s6/device/net/ens6/operstate up\nnet ens6 oper=up\n"));

	host_rig_poll(r, 2);
	assert_string_equal(host_rig_port(r, "rdmap0s6")->netdev, "ens6");
	assert_int_equal(host_rig_port(r, "rdmap0s6")->oper, OPER_UP);
	host_rig_set(r, "net ens6 oper=down");
	host_rig_poll(r, 1);
	assert_int_equal(host_rig_port(r, "rdmap0s6")->oper, OPER_DOWN);
	host_rig_free(r);
}

/* Messages, reads and writes are one number each way; so are the errors of both. */
CASE(bytes_of_an_efa_are_added_up)
{
	struct host_rig *r = host_rig_new(
		EFA("sys infiniband/rdmap0s6/ports/1/hw_counters/send_bytes 5~1000\n"
		    "sys infiniband/rdmap0s6/ports/1/hw_counters/rdma_write_bytes 7~20000\n"
		    "sys infiniband/rdmap0s6/ports/1/hw_counters/rdma_read_resp_bytes 9~300000\n"
		    "sys infiniband/rdmap0s6/ports/1/hw_counters/recv_bytes 0~1\n"
		    "sys infiniband/rdmap0s6/ports/1/hw_counters/rdma_read_bytes 0~20\n"
		    "sys infiniband/rdmap0s6/ports/1/hw_counters/rdma_write_recv_bytes 0~300\n"
		    "sys infiniband/rdmap0s6/ports/1/hw_counters/rdma_read_wr_err 0~1\n"
		    "sys infiniband/rdmap0s6/ports/1/hw_counters/rdma_write_wr_err 0~2\n"));

	host_rig_poll(r, 4);
	assert_true(is_near(rate(r, "rdmap0s6", CTR_RDMA_TX_BYTES, 0), 321000));
	assert_true(is_near(rate(r, "rdmap0s6", CTR_RDMA_RX_BYTES, 0), 321));
	assert_true(is_near(rate(r, "rdmap0s6", CTR_TX_ERRORS, 0), 3));
	/* No tool brings PFC to it. */
	assert_int_equal(validity(r, "rdmap0s6", CTR_PFC_RX_FRAMES, 3), VALID_UNSUPPORTED);
	host_rig_free(r);
}

/* A bulk window of FSx over EFA: 2,623 packets again in 120 s, hundreds of timeouts, no rx_drops.
 */
CASE(timeouts_of_srd_are_named_in_its_words)
{
	struct host_rig *r = host_rig_new(
		EFA("sys infiniband/rdmap0s6/ports/1/hw_counters/retrans_pkts 17852~22\n"
		    "sys infiniband/rdmap0s6/ports/1/hw_counters/retrans_timeout_events 900~4\n"
		    "sys infiniband/rdmap0s6/ports/1/hw_counters/unresponsive_remote_events 0\n"
		    "sys infiniband/rdmap0s6/ports/1/hw_counters/impaired_remote_conn_events 0\n"));
	const struct finding *f;

	host_rig_poll(r, 4);
	f = host_rig_found(r, "rdma.loss", "rdmap0s6");
	assert_non_null(f);
	assert_int_equal(f->severity, SEV_WARN);
	assert_non_null(strstr(f->title, "SRD times out and changes paths"));
	assert_non_null(strstr(f->title, "retrans_timeout_events"));
	host_rig_free(r);
}

/* Some packets are sent again all the time, over many paths; a share of them is loss. */
CASE(few_packets_again_are_no_loss_of_an_efa)
{
	static const struct {
		const char *line, *title;
	} cases[] = {
		{"sys infiniband/rdmap0s6/ports/1/hw_counters/retrans_pkts 0~900", NULL},
		{"sys infiniband/rdmap0s6/ports/1/hw_counters/retrans_pkts 0~30000",
			"EFA: sends 3 % of its packets again"},
		{"sys infiniband/rdmap0s6/ports/1/hw_counters/rx_drops 0~2", NULL},
		{"sys infiniband/rdmap0s6/ports/1/hw_counters/rx_drops 0~500",
			"EFA: drops what arrives"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct host_rig *r = host_rig_new(EFA(
			"sys infiniband/rdmap0s6/ports/1/hw_counters/retrans_timeout_events 0\n"));
		const struct finding *f;

		host_rig_set(r, cases[i].line);
		host_rig_poll(r, 4);
		f = host_rig_found(r, "rdma.loss", "rdmap0s6");
		assert_int_equal(f != NULL, cases[i].title != NULL);
		if (f && !strstr(f->title, cases[i].title))
			fail_msg("%s", f->title);
		host_rig_free(r);
	}
}

/* ---- the cloud that a host is of ---- */

CASE(the_cloud_of_a_host_by_its_firmware)
{
	static const struct {
		const char *vendor, *product, *bios, *version, *tag, *provider;
	} hosts[] = {
		{"Amazon EC2", "p5.48xlarge", "Amazon EC2", "1.0", "Amazon EC2", "AWS EC2"},
		{"Xen", "HVM domU", "Xen", "4.11.amazon", "-", "AWS EC2"},
		{"Google", "Google Compute Engine", "Google", "Google", "-", "Google Cloud"},
		{"Microsoft Corporation", "Virtual Machine", "Microsoft Corporation", "Hyper-V",
			"7783-7084-3265-9085-8269-3286-77", "Azure"},
		{"Microsoft Corporation", "Virtual Machine", "Microsoft Corporation", "Hyper-V",
			"None", ""},
		{"QEMU", "Standard PC (i440FX + PIIX, 1996)", "SeaBIOS", "1", "OracleCloud.com",
			"OCI"},
		{"Oracle Corporation", "ORACLE SERVER X9-2c", "Oracle", "1", "OracleCloud.com",
			"OCI"},
		{"Alibaba Cloud", "Alibaba Cloud ECS", "SeaBIOS", "1", "-", "Alibaba Cloud"},
		{"QEMU", "Standard PC (Q35 + ICH9, 2009)", "SeaBIOS", "1", "-", ""},
		{"Supermicro", "SYS-821GE-TNHR", "American Megatrends", "2.1", "Default string",
			""},
		{"Google", "Kefka", "coreboot", "1", "-", ""},
	};

	for (size_t i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++) {
		struct host_rig *r;
		char text[600];

		(void)snprintf(text, sizeof(text),
			"%ssys dmi/id/sys_vendor %s\nsys dmi/id/product_name %s\n"
			"sys dmi/id/bios_vendor %s\nsys dmi/id/bios_version %s\n"
			"sys dmi/id/chassis_asset_tag %s\n",
			RDMA("mlx5_0"), hosts[i].vendor, hosts[i].product, hosts[i].bios,
			hosts[i].version, hosts[i].tag);
		r = host_rig_new(text);
		host_rig_poll(r, 1);
		host_rig_take(r, "slow");
		assert_string_equal(model_device(host_rig_model(r), HOST_RIG_NAME)->provider,
			hosts[i].provider);
		host_rig_free(r);
	}
}

CASES_MAIN(NULL, NULL)
