/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts that were read wrongly once, each with its right reading: see hosts.md. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
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

/* ---- bonds ---- */

#define RDMA(dev)                                                                                  \
	"sys infiniband/" dev "/ports/1/state 4: ACTIVE\n"                                         \
	"sys infiniband/" dev "/ports/1/phys_state 5: LinkUp\n"                                    \
	"sys infiniband/" dev "/ports/1/link_layer Ethernet\n"
/* Two slaves; the bond's RDMA device names the bond as its netdev. */
#define LAG(dev, bond, a, b)                                                                       \
	RDMA(dev)                                                                                  \
	"sys infiniband/" dev "/ports/1/rate 200 Gb/sec (2X NDR)\n"                                \
	"sys infiniband/" dev "/ports/1/gid_attrs/ndevs/0 " bond "\n"                              \
	"sys infiniband/" dev "/device/net/" a "/type 1\n"                                         \
	"sys infiniband/" dev "/ports/1/counters/port_rcv_data 0~1250000000\n"                     \
	"sys infiniband/" dev "/ports/1/hw_counters/np_cnp_sent 100~5\n"                           \
	"sys infiniband/" dev "/ports/1/hw_counters/rp_cnp_handled 100~5\n"                        \
	"net " bond " oper=up speed=400000 carrier=2 slaves=" a "," b " mode=802.3ad,4\n"
#define SLAVE(n)                                                                                   \
	"net " n " oper=up speed=200000 carrier=2 mii=up\n"                                        \
	"-S " n " rx_bytes_phy 0~20000000000\n"                                                    \
	"-S " n " tx_bytes_phy 0~20000000000\n"                                                    \
	"-S " n " rx_prio3_pause 0~0\n"                                                            \
	"-S " n " tx_prio3_pause 0~0\n"                                                            \
	"-S " n " rx_prio3_pause_duration 0~0\n"                                                   \
	"-S " n " tx_prio3_pause_duration 0~0\n"                                                   \
	"-S " n " link_down_events_phy 1\n"                                                        \
	"fec " n " corrected_blocks 0~30\n"                                                        \
	"fec " n " uncorrectable_blocks 0\n"

static const char lag[] = LAG("mlx5_bond_0", "bond0", "e0", "e1") SLAVE("e0") SLAVE("e1")
	LAG("mlx5_bond_1", "bond1", "e2", "e3") SLAVE("e2")
		SLAVE("e3") "lldp e0 leaf-a Ethernet0\n"
			    "lldp e1 leaf-b Ethernet0\n"
			    "lldp e2 leaf-c Ethernet0\n";

CASE(a_bonded_rdma_device_is_the_sum_of_its_slaves)
{
	struct host_rig *r = host_rig_new(lag);
	struct port *bond;

	host_rig_set(r, "-S e0 rx_prio3_pause 0~30000");
	host_rig_set(r, "-S e0 rx_prio3_pause_duration 0~900000");
	host_rig_poll(r, 4);
	bond = host_rig_port(r, "mlx5_bond_0");
	assert_true(port_is_bond(bond));
	assert_ptr_equal(port_slave(host_rig_model(r), bond, 0), host_rig_port(r, "e0"));
	assert_ptr_equal(port_slave(host_rig_model(r), bond, 1), host_rig_port(r, "e1"));
	assert_null(port_slave(host_rig_model(r), bond, 2));
	assert_string_equal(bond->more->description, "bond 802.3ad of e0 e1");
	/* Summed, and each by itself. */
	assert_true(is_near(rate(r, "mlx5_bond_0", CTR_RX_BYTES, 0), 40e9));
	assert_true(is_near(rate(r, "e0", CTR_RX_BYTES, 0), 20e9));
	assert_true(is_near(rate(r, "mlx5_bond_0", CTR_PFC_RX_FRAMES, 3), 30000));
	assert_true(is_near(rate(r, "e0", CTR_PFC_RX_DURATION_US, 3), 900000));
	assert_true(rate(r, "e1", CTR_PFC_RX_DURATION_US, 3) < 1);
	assert_true(is_near(rate(r, "mlx5_bond_0", CTR_FEC_CORRECTED_CODEWORDS, 0), 60));
	assert_int_equal(port_cell(bond, CTR_LINK_DOWN_EVENTS, 0)->u64, 2);
	assert_int_equal(bond->speed_mbps, 400000);
	/* The RDMA device counts for itself, and its slaves have no such counter. */
	assert_true(is_near(rate(r, "mlx5_bond_0", CTR_CNP_SENT, 0), 5));
	assert_int_equal(validity(r, "e0", CTR_CNP_SENT, 0), VALID_UNSUPPORTED);
	/* Two leaves. */
	assert_string_equal(host_rig_port(r, "e0")->lldp_device, "leaf-a");
	assert_string_equal(host_rig_port(r, "e1")->lldp_device, "leaf-b");
	/* The paused slave suffers from its leaf; the bond has no link of its own. */
	assert_non_null(host_rig_found(r, "pfc.held", "e0"));
	assert_null(host_rig_found(r, "pfc.held", "mlx5_bond_0"));
	assert_null(host_rig_found(r, "pfc.unexplained", "mlx5_bond_0"));
	assert_null(host_rig_found(r, "link.bond", "mlx5_bond_0"));
	host_rig_free(r);
}

CASE(a_dead_slave_is_a_finding_and_half_of_the_speed_is_said)
{
	struct host_rig *r = host_rig_new(lag);
	const struct finding *f;

	host_rig_set(r, "net e3 oper=down speed=-1 carrier=29");
	host_rig_set(r, "link e3 Link detected: no (No cable)");
	host_rig_set(r, "-S e3 link_down_events_phy 14");
	host_rig_set(r, "net bond1 speed=200000");
	host_rig_poll(r, 4);
	f = host_rig_found(r, "link.bond", "mlx5_bond_1");
	assert_non_null(f);
	assert_int_equal(f->severity, SEV_CRIT);
	assert_string_equal(
		f->title, "1 of 2 links of the bond are up, 200 of 400 Gb/s: e3 is down, No cable");
	assert_int_equal(host_rig_port(r, "mlx5_bond_1")->speed_mbps, 200000);
	assert_int_equal(port_cell(host_rig_port(r, "e3"), CTR_LINK_DOWN_EVENTS, 0)->u64, 14);
	assert_int_equal(
		port_cell(host_rig_port(r, "mlx5_bond_1"), CTR_LINK_DOWN_EVENTS, 0)->u64, 15);
	assert_null(host_rig_found(r, "link.bond", "mlx5_bond_0"));
	/* A slave that goes down while it is watched: the bond's finding follows from the link's.
	 */
	host_rig_set(r, "net e0 oper=down speed=-1");
	host_rig_poll(r, 2);
	f = host_rig_found(r, "link.bond", "mlx5_bond_0");
	assert_non_null(f);
	assert_non_null(host_rig_found(r, "link.down", "e0"));
	assert_true(f->root == host_rig_found(r, "link.down", "e0")->key);
	host_rig_free(r);
}

CASE(a_bond_with_less_than_its_links_or_with_spares)
{
	struct host_rig *r = host_rig_new(lag);
	const struct finding *f;

	/* Both links are up, and LACP uses one of them. */
	host_rig_set(r, "net bond0 speed=200000");
	/* Spares carry nothing: this is no loss. */
	host_rig_set(r, "net bond1 speed=200000 mode=active-backup,1");
	host_rig_poll(r, 3);
	f = host_rig_found(r, "link.bond", "mlx5_bond_0");
	assert_non_null(f);
	assert_non_null(strstr(f->title, "200 of 400 Gb/s, though its links are up"));
	assert_null(host_rig_found(r, "link.bond", "mlx5_bond_1"));
	/* The bond's own monitor keeps a slave out whose link is up. */
	host_rig_set(r, "net e2 mii=down");
	host_rig_poll(r, 2);
	f = host_rig_found(r, "link.bond", "mlx5_bond_1");
	assert_non_null(f);
	assert_int_equal(f->severity, SEV_WARN);
	assert_non_null(strstr(f->title, "no spare is left"));
	host_rig_free(r);
}

/* Without RoCE LAG both RDMA devices name the bond, and each has its own function's netdev. */
CASE(two_rdma_devices_under_one_bond_stay_two)
{
	struct host_rig *r = host_rig_new(RDMA("rocep1s0f0") RDMA(
		"rocep1s0f1") "sys infiniband/rocep1s0f0/ports/1/gid_attrs/ndevs/0 bond0\n"
			      "sys infiniband/rocep1s0f1/ports/1/gid_attrs/ndevs/0 bond0\n"
			      "sys infiniband/rocep1s0f0/device/net/e0/type 1\n"
			      "sys infiniband/rocep1s0f1/device/net/e1/type 1\n"
			      "sys infiniband/rocep1s0f0/ports/1/hw_counters/rp_cnp_handled 0~7\n"
			      "sys infiniband/rocep1s0f1/ports/1/hw_counters/rp_cnp_handled 0~9\n"
			      "net bond0 oper=up speed=400000 slaves=e0,e1 mode=802.3ad,4\n" SLAVE(
				      "e0") SLAVE("e1"));

	host_rig_set(r, "-S e1 rx_bytes_phy 0~5000000000");
	host_rig_poll(r, 3);
	assert_string_equal(host_rig_port(r, "rocep1s0f1")->netdev, "e1");
	assert_true(is_near(rate(r, "rocep1s0f1", CTR_RX_BYTES, 0), 5e9));
	assert_true(is_near(rate(r, "rocep1s0f0", CTR_RX_BYTES, 0), 20e9));
	assert_true(is_near(rate(r, "rocep1s0f1", CTR_CNP_HANDLED, 0), 9));
	assert_ptr_equal(port_bond(host_rig_model(r), host_rig_port(r, "rocep1s0f1")),
		host_rig_port(r, "bond0"));
	assert_int_equal(model_device(host_rig_model(r), HOST_RIG_NAME)->ports.n, 3);
	host_rig_free(r);
}

CASE(a_bond_of_ethernet_nics_is_watched_and_lacks_nothing)
{
	struct host_rig *r = host_rig_new(RDMA(
		"mlx5_0") "sys infiniband/mlx5_0/ports/1/gid_attrs/ndevs/0 e9\n"
			  "sys infiniband/mlx5_0/ports/1/hw_counters/rp_cnp_handled 0~7\n" SLAVE(
				  "e9") "net bond0 oper=up speed=400000 slaves=s0,s1 "
					"mode=802.3ad,4\n" SLAVE("s0") SLAVE("s1"));
	const struct finding *f;

	host_rig_set(r, "net s1 oper=down speed=-1");
	host_rig_poll(r, 3);
	f = host_rig_found(r, "link.bond", "bond0");
	assert_non_null(f);
	assert_int_equal(f->severity, SEV_WARN);
	assert_true(is_near(rate(r, "bond0", CTR_RX_BYTES, 0), 40e9));
	assert_null(port_cell(host_rig_port(r, "s0"), CTR_CNP_HANDLED, 0));
	host_rig_free(r);
}

/* A slave is one call of each tool, the bond none: it counts nothing. */
CASE(a_bond_costs_the_host_no_call_of_its_own)
{
	struct host_rig *r =
		host_rig_new(LAG("mlx5_bond_0", "bond0", "e0", "e1") SLAVE("e0") SLAVE("e1"));

	host_rig_poll(r, 1);
	assert_true(host_rig_bytes(r) < 3500);
	/* Statistics and FEC of each slave: two calls each. */
	assert_int_equal(host_rig_calls(r), 4);
	host_rig_free(r);
}

/* ---- other NICs ---- */

CASE(ionic_counts_in_its_own_words)
{
	static const struct {
		const char *name;
		counter_id id;
		double rate;
	} counters[] = {{"rx_rdma_cnp_pkts", CTR_CNP_HANDLED, 400},
		{"tx_rdma_cnp_pkts", CTR_CNP_SENT, 700},
		{"rx_rdma_ecn_pkts", CTR_ECN_MARKED_ROCE_PACKETS, 900},
		{"resp_rx_outouf_seq", CTR_OUT_OF_SEQUENCE, 120},
		{"req_rx_pkt_seq_err", CTR_PACKET_SEQ_ERR, 50},
		{"req_rx_impl_nak_seq_err", CTR_IMPLIED_NAK_SEQ_ERR, 2},
		{"tx_rdma_ack_timeout", CTR_LOCAL_ACK_TIMEOUT_ERR, 25},
		{"req_tx_retry_excd_err", CTR_TRANSPORT_RETRIES_EXCEEDED, 3},
		{"req_rx_rnr_retry_err", CTR_RNR_NAK_RETRY_ERR, 6},
		{"tx_rdma_retx_pkts", CTR_ROCE_ADP_RETRANS, 800},
		{"resp_rx_outof_buf", CTR_RX_OUT_OF_BUFFER, 8},
		{"resp_rx_dup_request", CTR_DUPLICATE_REQUEST, 4}};
	struct host_rig *r = host_rig_new(
		RDMA("ionic_0") "sys infiniband/ionic_0/ports/1/gid_attrs/ndevs/0 benic1p1\n"
				"sys infiniband/ionic_0/device/net/benic1p1/type 1\n"
				"net benic1p1 oper=up speed=400000 carrier=3\n"
				"-S benic1p1 octets_rx_all 0~20000000000\n"
				"-S benic1p1 frames_rx_pripause 0~40000\n"
				"-S benic1p1 rx_pripause_3_1us_count 0~970000\n");
	char line[160];

	for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++) {
		(void)str_printf(line, sizeof(line),
			"sys infiniband/ionic_0/ports/1/hw_counters/%s 0~%.0f", counters[i].name,
			counters[i].rate);
		host_rig_set(r, line);
	}
	host_rig_poll(r, 3);
	for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++)
		if (!is_near(rate(r, "ionic_0", counters[i].id, 0), counters[i].rate))
			fail_msg("%s: %f", counters[i].name, rate(r, "ionic_0", counters[i].id, 0));
	/* The driver counts the frames of all priorities together: no cure brings them. */
	assert_int_equal(validity(r, "ionic_0", CTR_PFC_RX_FRAMES, 3), VALID_UNSUPPORTED);
	assert_true(is_near(rate(r, "ionic_0", CTR_PFC_RX_DURATION_US, 3), 970000));
	assert_true(is_near(rate(r, "ionic_0", CTR_RX_BYTES, 0), 20e9));
	assert_non_null(host_rig_found(r, "pfc.held", "ionic_0"));
	host_rig_free(r);
}

#define MLX5_TWO                                                                                   \
	RDMA("mlx5_0")                                                                             \
	RDMA("mlx5_1")                                                                             \
	"sys infiniband/mlx5_0/ports/1/gid_attrs/ndevs/0 e0\n"                                     \
	"sys infiniband/mlx5_1/ports/1/gid_attrs/ndevs/0 e1\n"                                     \
	"sys infiniband/mlx5_0/ports/1/hw_counters/rp_cnp_handled 0\n"                             \
	"sys infiniband/mlx5_1/ports/1/hw_counters/rp_cnp_handled 0\n" SLAVE("e0") SLAVE("e1")
/* ---- loss that only the host sees; a NIC that an unseen leaf holds ---- */

static const char mlx5[] =
	RDMA("mlx5_0") "sys infiniband/mlx5_0/ports/1/gid_attrs/ndevs/0 e0\n"
		       "sys infiniband/mlx5_0/ports/1/hw_counters/rp_cnp_handled 0~16000\n" SLAVE(
			       "e0") "lldp e0 leaf-a Ethernet0\n";

CASE(loss_seen_from_the_host_alone)
{
	struct host_rig *r = host_rig_new(mlx5);
	const struct finding *f;

	host_rig_set(r, "sys infiniband/mlx5_0/ports/1/hw_counters/out_of_sequence 0~6140");
	host_rig_poll(r, 4);
	/* Packets that overtake each other prove no loss. */
	assert_null(host_rig_found(r, "rdma.loss", "mlx5_0"));
	host_rig_set(r, "sys infiniband/mlx5_0/ports/1/hw_counters/local_ack_timeout_err 0~91.2");
	host_rig_set(r, "sys infiniband/mlx5_0/ports/1/hw_counters/packet_seq_err 0~930");
	host_rig_set(r,
		"sys infiniband/mlx5_0/ports/1/hw_counters/req_transport_retries_exceeded 0~0.2");
	host_rig_poll(r, 4);
	f = host_rig_found(r, "rdma.loss", "mlx5_0");
	assert_non_null(f);
	assert_int_equal(f->role, ROLE_VICTIM);
	assert_non_null(strstr(f->title, "connections break"));
	assert_non_null(strstr(f->title, "fabric or far end, not seen from here"));
	assert_int_equal(diag_verdict(host_rig_diag(r))->verdict, VERDICT_NETWORK);
	host_rig_free(r);
}

CASE(a_nic_held_by_an_unseen_leaf_is_the_victim)
{
	struct host_rig *r = host_rig_new(mlx5);
	const struct finding *f;

	host_rig_set(r, "-S e0 rx_prio3_pause 0~30000");
	host_rig_set(r, "-S e0 rx_prio3_pause_duration 0~970000");
	host_rig_poll(r, 4);
	f = host_rig_found(r, "pfc.held", "mlx5_0");
	assert_non_null(f);
	assert_int_equal(f->role, ROLE_VICTIM);
	assert_non_null(strstr(f->title,
		"paused 97% of the time by leaf-a:Ethernet0 (LLDP), which is not in the"));
	assert_int_equal(host_rig_culprits(r), 0);
	/* Its rail is known without any wiring. */
	assert_int_equal(host_rig_port(r, "mlx5_0")->rail, 2);
	assert_int_equal(diag_verdict(host_rig_diag(r))->verdict, VERDICT_NETWORK);
	host_rig_free(r);
}

/* Nobody reads the leaf: what the NIC itself counts of its pauses is enough. */
CASE(a_nic_that_pauses_an_unseen_leaf_is_a_culprit)
{
	struct host_rig *r = host_rig_new(mlx5);
	const struct finding *f;

	host_rig_set(r, "-S e0 tx_prio3_pause 0~30000");
	host_rig_set(r, "-S e0 tx_prio3_pause_duration 0~300000");
	host_rig_poll(r, 4);
	f = host_rig_found(r, "host.slow_receiver", "mlx5_0");
	assert_non_null(f);
	assert_int_equal(f->role, ROLE_CULPRIT);
	assert_non_null(strstr(f->title, "it pauses leaf-a:Ethernet0 (LLDP) 30% of the time"));
	assert_null(host_rig_found(r, "pfc.storm", "mlx5_0"));
	/* It takes nothing any more. */
	host_rig_set(r, "-S e0 tx_prio3_pause_duration 0~990000");
	host_rig_set(r, "-S e0 rx_bytes_phy 0~1000");
	host_rig_poll(r, 4);
	f = host_rig_found(r, "pfc.storm", "mlx5_0");
	assert_non_null(f);
	assert_non_null(strstr(f->title, "99% of the time, and receives nothing"));
	assert_int_equal(diag_verdict(host_rig_diag(r))->verdict, VERDICT_NETWORK);
	/* A per cent or two is of any start. */
	host_rig_set(r, "-S e0 tx_prio3_pause_duration 0~20000");
	host_rig_set(r, "-S e0 rx_bytes_phy 0~20000000000");
	host_rig_poll(r, 40);
	assert_null(host_rig_found(r, "pfc.storm", "mlx5_0"));
	assert_null(host_rig_found(r, "host.slow_receiver", "mlx5_0"));
	host_rig_free(r);
}

/* LLDP tells the leaf: what is missing is the plan, and not LLDP. */
CASE(links_without_a_plan_are_not_without_lldp)
{
	struct host_rig *r = host_rig_new(mlx5);
	const struct verdict_report *v;
	bool found = false;

	host_rig_poll(r, 3);
	v = diag_verdict(host_rig_diag(r));
	for (size_t i = 0; i < v->proof.n; i++) {
		const struct proof *p = &v->proof.at[i];

		if (!str_starts(p->text, "links not as planned"))
			continue;
		found = true;
		assert_non_null(strstr(p->text, "no plan for 1 link"));
		assert_null(strstr(p->cure, "LLDP"));
	}
	assert_true(found);
	host_rig_free(r);
}

/* ---- NICs of public reports ---- */

CASE(a_bond_whose_load_is_on_one_link_says_so)
{
	struct host_rig *r = host_rig_new(lag);
	const struct finding *f;

	host_rig_set(r, "-S e0 tx_bytes_phy 0~23000000000");
	host_rig_set(r, "-S e1 tx_bytes_phy 0~2000000");
	host_rig_poll(r, 40);
	f = host_rig_found(r, "link.bond", "mlx5_bond_0");
	assert_non_null(f);
	assert_int_equal(f->severity, SEV_WARN);
	assert_non_null(strstr(f->title, "e0 carries 92% and e1 0%"));
	assert_null(host_rig_found(r, "link.bond", "mlx5_bond_1"));
	host_rig_free(r);
}

/* HGX B200 and B300: four InfiniBand ports without a netdev manage the NVSwitches. */
CASE(nvlink_management_ports_are_no_rails)
{
	struct host_rig *r = host_rig_new(
		MLX5_TWO "sys infiniband/mlx5_8/ports/1/state 4: ACTIVE\n"
			 "sys infiniband/mlx5_8/ports/1/phys_state 5: LinkUp\n"
			 "sys infiniband/mlx5_8/ports/1/rate 100 Gb/sec (1X NDR)\n"
			 "sys infiniband/mlx5_8/ports/1/link_layer InfiniBand\n"
			 "sys infiniband/mlx5_8/ports/1/counters/port_rcv_data 0~10\n"
			 "sys infiniband/mlx5_8/ports/1/counters/port_xmit_data 0~10\n");

	host_rig_poll(r, 4);
	assert_int_equal(host_rig_port(r, "mlx5_8")->speed_mbps, 100000);
	assert_int_equal(validity(r, "mlx5_8", CTR_PFC_RX_FRAMES, 3), VALID_UNSUPPORTED);
	assert_int_equal(host_rig_findings(r), 0);
	host_rig_free(r);
}

/* An iWARP driver prints "N/A (no PMA)" in each counter of InfiniBand. */
CASE(words_in_place_of_counters_are_no_numbers)
{
	struct host_rig *r = host_rig_new(RDMA(
		"irdma0") "sys infiniband/irdma0/ports/1/gid_attrs/ndevs/0 p0\n"
			  "sys infiniband/irdma0/device/net/p0/type 1\n"
			  "sys infiniband/irdma0/ports/1/counters/port_rcv_data N/A (no PMA)\n"
			  "sys infiniband/irdma0/ports/1/counters/port_xmit_data N/A (no PMA)\n"
			  "sys infiniband/irdma0/ports/1/hw_counters/cnpHandled 0~9\n"
			  "sys infiniband/irdma0/ports/1/hw_counters/RxECNMrkd 0~8\n"
			  "sys infiniband/irdma0/ports/1/hw_counters/RTO 0~2\n"
			  "sys infiniband/irdma0/ports/1/hw_counters/Nak_Sequence_Error 0~2\n"
			  "net p0 oper=up speed=100000\n"
			  "-S p0 rx_bytes.nic 0~7000000000\n"
			  "-S p0 rx_priority_3_xoff.nic 0~50\n");

	host_rig_poll(r, 3);
	assert_true(is_near(rate(r, "irdma0", CTR_RX_BYTES, 0), 7e9));
	assert_int_equal(validity(r, "irdma0", CTR_TX_BYTES, 0), VALID_UNSUPPORTED);
	assert_true(is_near(rate(r, "irdma0", CTR_CNP_HANDLED, 0), 9));
	assert_true(is_near(rate(r, "irdma0", CTR_ECN_MARKED_ROCE_PACKETS, 0), 8));
	assert_true(is_near(rate(r, "irdma0", CTR_PFC_RX_FRAMES, 3), 50));
	assert_non_null(host_rig_found(r, "rdma.loss", "irdma0"));
	host_rig_free(r);
}

/* A pod with shared RDMA: the port is there, its counters are not. */
CASE(a_pod_that_hides_hw_counters_asks_rdma)
{
	struct host_rig *r =
		host_rig_new(RDMA("mlx5_2") "sys infiniband/mlx5_2/ports/1/gid_attrs/ndevs/0 net1\n"
					    "net net1 oper=up speed=200000\n"
					    "rdma mlx5_2 rp_cnp_handled 0~6\n"
					    "rdma mlx5_2 local_ack_timeout_err 0~4\n");

	host_rig_poll(r, 4);
	assert_true(is_near(rate(r, "mlx5_2", CTR_CNP_HANDLED, 0), 6));
	assert_non_null(host_rig_found(r, "rdma.loss", "mlx5_2"));
	host_rig_free(r);
}

/* A virtual function has no counters of the wire, and no cure brings them. */
CASE(a_virtual_function_lacks_the_wire_without_a_cure)
{
	struct host_rig *r = host_rig_new(
		RDMA("mlx5_2") "sys infiniband/mlx5_2/ports/1/gid_attrs/ndevs/0 net1\n"
			       "sys infiniband/mlx5_2/device/net/net1/type 1\n"
			       "sys infiniband/mlx5_2/ports/1/rate 400 Gb/sec (4X NDR)\n"
			       "sys infiniband/mlx5_2/ports/1/counters/port_rcv_data 0~1000000000\n"
			       "sys infiniband/mlx5_2/ports/1/hw_counters/rp_cnp_handled 0~6\n"
			       "net net1 oper=up speed=-1\n"
			       "-S net1 rx_vport_rdma_unicast_bytes 0~4000000000\n");
	const struct device *d;

	host_rig_poll(r, 3);
	assert_true(is_near(rate(r, "mlx5_2", CTR_RX_BYTES, 0), 4e9));
	assert_true(is_near(rate(r, "mlx5_2", CTR_RDMA_RX_BYTES, 0), 4e9));
	assert_int_equal(host_rig_port(r, "mlx5_2")->speed_mbps, 400000);
	assert_int_equal(validity(r, "mlx5_2", CTR_PFC_RX_FRAMES, 3), VALID_UNSUPPORTED);
	d = model_device(host_rig_model(r), HOST_RIG_NAME);
	for (size_t i = 0; i < d->caps.n; i++)
		if (strstr(d->caps.at[i].need, "PFC frames"))
			assert_string_equal(d->caps.at[i].cure, "");
	host_rig_free(r);
}

CASE(mana_counts_in_its_own_words)
{
	struct host_rig *r =
		host_rig_new(RDMA("mana_0") "sys infiniband/mana_0/ports/1/gid_attrs/ndevs/0 e0\n"
					    "sys infiniband/mana_0/device/net/e0/type 1\n"
					    "net e0 oper=up speed=200000\n");
	static const struct {
		const char *name;
		counter_id id;
	} counters[] = {{"requester_timeout", CTR_LOCAL_ACK_TIMEOUT_ERR},
		{"requester_oos_nak", CTR_PACKET_SEQ_ERR},
		{"requester_rnr_nak", CTR_RNR_NAK_RETRY_ERR},
		{"responder_oos", CTR_OUT_OF_SEQUENCE},
		{"responder_dup_request", CTR_DUPLICATE_REQUEST},
		{"requester_implicit_nak", CTR_IMPLIED_NAK_SEQ_ERR},
		{"requester_retries_exceeded", CTR_TRANSPORT_RETRIES_EXCEEDED},
		{"received_cnps", CTR_CNP_HANDLED}, {"rx_bytes", CTR_RX_BYTES},
		{"tx_packets", CTR_TX_PACKETS}};
	char line[160];

	for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++) {
		(void)str_printf(line, sizeof(line),
			"sys infiniband/mana_0/ports/1/hw_counters/%s 0~%zu", counters[i].name,
			20 + i);
		host_rig_set(r, line);
	}
	host_rig_poll(r, 3);
	for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++)
		if (!is_near(rate(r, "mana_0", counters[i].id, 0), 20 + (double)i))
			fail_msg("%s: %f", counters[i].name, rate(r, "mana_0", counters[i].id, 0));
	host_rig_free(r);
}

/* Thor2: discards are counted by class of service, which is no priority. */
CASE(a_class_of_service_is_no_priority)
{
	struct host_rig *r = host_rig_new(RDMA(
		"bnxt_re0") "sys infiniband/bnxt_re0/ports/1/gid_attrs/ndevs/0 e0\n"
			    "sys infiniband/bnxt_re0/device/net/e0/type 1\n"
			    "sys infiniband/bnxt_re0/ports/1/hw_counters/rx_cnp_pkts 0~9\n"
			    "sys infiniband/bnxt_re0/ports/1/hw_counters/res_oos_drop_count 0~3\n"
			    "net e0 oper=up speed=400000\n"
			    "-S e0 rx_discard_packets_cos3 0~100\n"
			    "-S e0 rx_total_discard_pkts 0~100\n"
			    "-S e0 rx_pfc_ena_frames_pri3 0~70\n"
			    "-S e0 pfc_pri3_rx_duration_us 0~40000\n");

	host_rig_poll(r, 4);
	assert_int_equal(validity(r, "bnxt_re0", CTR_RX_PRIO_DISCARDS, 3), VALID_UNSUPPORTED);
	assert_true(is_near(rate(r, "bnxt_re0", CTR_RX_DISCARDS, 0), 100));
	assert_true(is_near(rate(r, "bnxt_re0", CTR_PFC_RX_FRAMES, 3), 70));
	assert_true(is_near(rate(r, "bnxt_re0", CTR_PFC_RX_DURATION_US, 3), 40000));
	assert_true(is_near(rate(r, "bnxt_re0", CTR_OUT_OF_SEQUENCE, 0), 3));
	assert_null(host_rig_found(r, "pfc.lossless_drop", "bnxt_re0"));
	host_rig_free(r);
}

/* Errors of RoCE that the node's own check calls a fault; its second port was never used. */
CASE(a_broadcom_nic_with_errors_and_an_unused_port)
{
	struct host_rig *r = host_rig_new(RDMA(
		"bnxt_re0") "sys infiniband/bnxt_re0/ports/1/gid_attrs/ndevs/0 e0\n"
			    "sys infiniband/bnxt_re0/device/net/e0/type 1\n"
			    "sys infiniband/bnxt_re0/ports/1/hw_counters/tx_roce_errors 0~5\n"
			    "sys infiniband/bnxt_re0/ports/1/hw_counters/tx_roce_discards 0~4\n"
			    "net e0 oper=up speed=100000\n"
			    "sys infiniband/bnxt_re1/ports/1/state 1: DOWN\n"
			    "sys infiniband/bnxt_re1/ports/1/phys_state 3: Disabled\n"
			    "sys infiniband/bnxt_re1/ports/1/gid_attrs/ndevs/0 e1\n"
			    "net e1 oper=down speed=-1\n");

	host_rig_poll(r, 4);
	assert_true(is_near(rate(r, "bnxt_re0", CTR_TX_ERRORS, 0), 5));
	assert_true(is_near(rate(r, "bnxt_re0", CTR_TX_DISCARDS, 0), 4));
	assert_int_equal(host_rig_port(r, "bnxt_re1")->oper, OPER_DOWN);
	assert_null(host_rig_found(r, "link.down", "bnxt_re1"));
	host_rig_free(r);
}

/* E810: all priorities of a class of traffic count the same frames. */
CASE(an_e810_counts_pauses_by_class)
{
	struct host_rig *r = host_rig_new(
		RDMA("rocep175s0f0") "sys infiniband/rocep175s0f0/ports/1/gid_attrs/ndevs/0 e0\n"
				     "sys infiniband/rocep175s0f0/device/net/e0/type 1\n"
				     "net e0 oper=up speed=100000\n"
				     "-S e0 rx_bytes.nic 0~7000000000\n"
				     "-S e0 tx_priority_3_xon.nic 1\n"
				     "-S e0 tx_priority_2_xoff.nic 0~6434\n"
				     "-S e0 tx_priority_3_xoff.nic 0~6434\n"
				     "-S e0 rx_priority_3_xoff.nic 0\n");

	host_rig_poll(r, 3);
	assert_true(is_near(rate(r, "rocep175s0f0", CTR_PFC_TX_FRAMES, 3), 6434));
	assert_true(is_near(rate(r, "rocep175s0f0", CTR_PFC_TX_FRAMES, 2), 6434));
	assert_int_equal(validity(r, "rocep175s0f0", CTR_PFC_TX_DURATION_US, 3), VALID_UNSUPPORTED);
	host_rig_free(r);
}

/* One card, two ports, a plane each; both ports have netdevs of one function. */
CASE(two_ports_of_one_device_are_two_links)
{
	struct host_rig *r = host_rig_new(
		RDMA("mlx5_0") "sys infiniband/mlx5_0/ports/2/state 1: DOWN\n"
			       "sys infiniband/mlx5_0/ports/2/phys_state 3: Disabled\n"
			       "sys infiniband/mlx5_0/ports/1/gid_attrs/ndevs/0 p0\n"
			       "sys infiniband/mlx5_0/ports/2/gid_attrs/ndevs/0 p1\n"
			       "sys infiniband/mlx5_0/device/net/p0/type 1\n"
			       "sys infiniband/mlx5_0/device/net/p1/type 1\n"
			       "sys infiniband/mlx5_0/ports/1/hw_counters/rp_cnp_handled 0~6\n"
			       "sys infiniband/mlx5_0/ports/2/hw_counters/rp_cnp_handled 0\n" SLAVE(
				       "p0") SLAVE("p1") "lldp p0 plane-a Ethernet1\n"
							 "lldp p1 plane-b Ethernet1\n");

	host_rig_set(r, "net p1 oper=down speed=-1");
	host_rig_poll(r, 3);
	assert_string_equal(host_rig_port(r, "mlx5_0")->lldp_device, "plane-a");
	assert_string_equal(host_rig_port(r, "mlx5_0/2")->lldp_device, "plane-b");
	assert_int_equal(host_rig_port(r, "mlx5_0/2")->oper, OPER_DOWN);
	assert_int_equal(host_rig_port(r, "mlx5_0")->oper, OPER_UP);
	assert_false(port_is_bond(host_rig_port(r, "mlx5_0")));
	host_rig_free(r);
}

/* A team has no list of slaves, but a link to each of them. */
CASE(a_team_is_a_bond)
{
	struct host_rig *r = host_rig_new(RDMA(
		"mlx5_bond_0") "sys infiniband/mlx5_bond_0/ports/1/gid_attrs/ndevs/0 team0\n"
			       "sys infiniband/mlx5_bond_0/device/net/e0/type 1\n"
			       "sys infiniband/mlx5_bond_0/ports/1/hw_counters/rp_cnp_handled 0~6\n"
			       "sys net/team0/lower_e0/type 1\n"
			       "sys net/team0/lower_e1/type 1\n"
			       "net team0 oper=up speed=400000\n" SLAVE("e0") SLAVE("e1"));

	host_rig_set(r, "net e1 oper=down speed=-1");
	host_rig_poll(r, 3);
	assert_true(is_near(rate(r, "mlx5_bond_0", CTR_RX_BYTES, 0), 40e9));
	assert_non_null(host_rig_found(r, "link.bond", "mlx5_bond_0"));
	host_rig_free(r);
}

/* ---- reports tried last ---- */

static const struct finding *bond_finding(const struct host_rig *r, const char *port)
{
	return host_rig_found(r, "link.bond", port);
}

/* The addresses are on a VLAN of the bond, so the GIDs name the VLAN. */
CASE(a_vlan_of_a_bond_is_the_bond)
{
	struct host_rig *r = host_rig_new(lag);

	host_rig_set(r, "sys infiniband/mlx5_bond_0/ports/1/gid_attrs/ndevs/0 bond0.100");
	host_rig_set(r, "net bond0.100 oper=up speed=400000");
	host_rig_set(r, "sys net/bond0.100/lower_bond0/flags 0x1003");
	host_rig_poll(r, 3);
	assert_true(port_is_bond(host_rig_port(r, "mlx5_bond_0")));
	assert_true(is_near(rate(r, "mlx5_bond_0", CTR_RX_BYTES, 0), 40e9));
	assert_string_equal(
		host_rig_port(r, "mlx5_bond_0")->more->description, "bond 802.3ad of e0 e1");
	host_rig_free(r);
}

CASE(a_vlan_of_a_nic_counts_at_the_nic)
{
	struct host_rig *r = host_rig_new(
		RDMA("mlx5_0") "sys infiniband/mlx5_0/ports/1/gid_attrs/ndevs/0 e7.100\n"
			       "net e7.100 oper=up speed=400000\n"
			       "sys net/e7.100/lower_e7/flags 0x1003\n" SLAVE("e7"));

	host_rig_poll(r, 3);
	assert_true(is_near(rate(r, "mlx5_0", CTR_RX_BYTES, 0), 20e9));
	host_rig_free(r);
}

CASE(slaves_of_unequal_speed)
{
	struct host_rig *r = host_rig_new(lag);

	host_rig_set(r, "net e1 oper=up speed=100000 carrier=2 mii=up");
	host_rig_set(r, "net bond0 oper=up speed=300000 carrier=2 slaves=e0,e1 mode=802.3ad,4");
	host_rig_poll(r, 4);
	assert_non_null(bond_finding(r, "mlx5_bond_0"));
	host_rig_free(r);
}

CASE(a_bond_without_a_link)
{
	struct host_rig *r = host_rig_new(lag);
	const struct finding *f;

	host_rig_poll(r, 3);
	host_rig_set(r, "net e0 oper=down speed=-1 carrier=3 mii=down");
	host_rig_set(r, "net e1 oper=down speed=-1 carrier=3 mii=down");
	host_rig_set(r, "net bond0 oper=down speed=-1 carrier=3 slaves=e0,e1 mode=802.3ad,4");
	host_rig_set(r, "sys infiniband/mlx5_bond_0/ports/1/state 1: DOWN");
	host_rig_set(r, "sys infiniband/mlx5_bond_0/ports/1/phys_state 3: Disabled");
	host_rig_poll(r, 4);
	f = bond_finding(r, "mlx5_bond_0");
	f = f ? f : host_rig_found(r, "link.down", "mlx5_bond_0");
	assert_non_null(f);
	assert_int_equal(f->severity, SEV_CRIT);
	host_rig_free(r);
}

CASE(a_broadcom_nic_that_sends_again)
{
	struct host_rig *r = host_rig_new(RDMA(
		"bnxt_re0") "sys infiniband/bnxt_re0/ports/1/gid_attrs/ndevs/0 p1p1\n"
			    "net p1p1 oper=up speed=400000\n"
			    "sys infiniband/bnxt_re0/ports/1/hw_counters/to_retransmits 5~40\n"
			    "sys infiniband/bnxt_re0/ports/1/hw_counters/seq_err_naks_rcvd 5~0\n");

	host_rig_poll(r, 5);
	assert_non_null(host_rig_found(r, "rdma.loss", "bnxt_re0"));
	host_rig_free(r);
}

CASE(an_intel_nic_that_sends_again)
{
	struct host_rig *r = host_rig_new(
		RDMA("irdma0") "sys infiniband/irdma0/ports/1/gid_attrs/ndevs/0 p7\n"
			       "net p7 oper=up speed=200000\n"
			       "sys infiniband/irdma0/ports/1/hw_counters/ip4InOctets 5~4000000\n"
			       "sys infiniband/irdma0/ports/1/hw_counters/cnpHandled 0~0\n"
			       "sys infiniband/irdma0/ports/1/hw_counters/cnpSent 7~0\n"
			       "sys infiniband/irdma0/ports/1/hw_counters/RxOutOfOrder 7~0\n"
			       "sys infiniband/irdma0/ports/1/hw_counters/RtoErr 7~0\n"
			       "sys infiniband/irdma0/ports/1/hw_counters/tcpRetransSegs 5~40\n");

	host_rig_poll(r, 5);
	assert_non_null(host_rig_found(r, "rdma.loss", "irdma0"));
	host_rig_free(r);
}

/* A driver of which nothing is known: its counters are no zero, and mlx5's cures are not its own.
 */
CASE(a_nic_of_an_unknown_driver)
{
	struct host_rig *r = host_rig_new(
		RDMA("sxe2_0") "sys infiniband/sxe2_0/ports/1/gid_attrs/ndevs/0 p9\n"
			       "net p9 oper=up speed=100000\n"
			       "sys infiniband/sxe2_0/ports/1/hw_counters/InCnpHandledPkts 5~4\n"
			       "sys infiniband/sxe2_0/ports/1/hw_counters/InSequenceErrs 5~40\n");

	host_rig_poll(r, 5);
	assert_int_equal(validity(r, "sxe2_0", CTR_PACKET_SEQ_ERR, 0), VALID_UNSUPPORTED);
	assert_int_equal(validity(r, "sxe2_0", CTR_PFC_RX_FRAMES, 3), VALID_UNSUPPORTED);
	host_rig_free(r);
}

/* A pod: the RDMA device is seen, its netdev is not, and there is no GID. */
CASE(a_pod_without_the_netdev_of_its_nic)
{
	struct host_rig *r = host_rig_new(RDMA("mlx5_0") "net eth0 oper=up speed=10000\n");

	host_rig_poll(r, 4);
	assert_int_not_equal(validity(r, "mlx5_0", CTR_RX_BYTES, 0), VALID_OK);
	assert_int_equal(host_rig_culprits(r), 0);
	host_rig_free(r);
}

CASES_MAIN(NULL, NULL)
