/* SPDX-License-Identifier: Apache-2.0 */
/*
 * InfiniBand ports of hosts, from public outputs of /sys/class/infiniband (tests/cases/site.md).
 * Formats are theirs, numbers and names are invented where they do not matter.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "fabric/model/metrics.h"
#include "fabric/vocabulary/counters.h"
#include "tests/cases/host_rig.h"
#include "tests/support/cases.h"

#define IB_PORT(dev)                                                                               \
	"sys infiniband/" dev "/ports/1/state 4: ACTIVE\n"                                         \
	"sys infiniband/" dev "/ports/1/phys_state 5: LinkUp\n"                                    \
	"sys infiniband/" dev "/ports/1/rate 400 Gb/sec (4X NDR)\n"                                \
	"sys infiniband/" dev "/ports/1/link_layer InfiniBand\n"                                   \
	"sys infiniband/" dev "/ports/1/counters/port_rcv_data 0~2500000000\n"                     \
	"sys infiniband/" dev "/ports/1/counters/port_xmit_data 0~2500000000\n"

static double rate(const struct host_rig *r, counter_id id)
{
	return port_rate(host_rig_port(r, "mlx5_1"), id, 0);
}

static enum validity valid(const struct host_rig *r, counter_id id)
{
	return port_cell_valid(host_rig_model(r), host_rig_port(r, "mlx5_1"), id, 0);
}

CASE(credits_stand_where_pauses_do)
{
	struct host_rig *r = host_rig_new(IB_PORT(
		"mlx5_1") "sys infiniband/mlx5_1/ports/1/counters/port_xmit_wait 0~1250000000\n"
			  "sys infiniband/mlx5_1/ports/1/counters/symbol_error 0~3\n"
			  "sys infiniband/mlx5_1/ports/1/counters/link_error_recovery 0~1\n"
			  "sys infiniband/mlx5_1/ports/1/counters/link_downed 4\n");
	const struct port *p;
	struct paused w;

	host_rig_poll(r, 4);
	p = host_rig_port(r, "mlx5_1");
	assert_true(port_is_infiniband(p));
	assert_int_equal(p->speed_mbps, 400000);
	/* Words of four bytes. */
	assert_true(fabs(rate(r, CTR_RX_BYTES) - 10e9) < 1e7);
	/* 1.25e9 ticks of 8 bytes are 80 of 400 Gb/s. */
	w = port_paused_max(p, 1 << 3, DIR_RX);
	assert_true(fabs(w.percent - 20) < 0.1);
	assert_false(w.upper_bound);
	assert_true(isnan(port_paused_max(p, 1 << 3, DIR_TX).percent));
	assert_true(fabs(rate(r, CTR_RX_SYMBOL_ERRORS) - 3) < 0.1);
	assert_true(fabs(rate(r, CTR_LINK_RECOVERIES) - 1) < 0.1);
	/* No cure brings PFC to a port without priorities. */
	assert_int_equal(valid(r, CTR_TX_WAIT), VALID_OK);
	assert_int_equal(
		port_cell_valid(host_rig_model(r), p, CTR_PFC_RX_FRAMES, 3), VALID_UNSUPPORTED);
	host_rig_free(r);
}

/* leptonai/gpud 943: what does not count any more is not calm. */
CASE(counters_at_their_end_are_not_silent)
{
	struct host_rig *r = host_rig_new(IB_PORT(
		"mlx5_1") "sys infiniband/mlx5_1/ports/1/counters/port_xmit_wait 4294967295\n"
			  "sys infiniband/mlx5_1/ports/1/counters/link_downed 255\n"
			  "sys infiniband/mlx5_1/ports/1/counters/port_xmit_discards 65535\n"
			  "sys infiniband/mlx5_1/ports/1/counters/link_error_recovery 0\n"
			  "sys infiniband/mlx5_1/ports/1/counters/port_rcv_errors 0\n"
			  "sys infiniband/mlx5_1/ports/1/counters/VL15_dropped 0\n"
			  "sys infiniband/mlx5_1/ports/1/counters/symbol_error 0\n");

	host_rig_poll(r, 3);
	assert_int_equal(valid(r, CTR_TX_WAIT), VALID_DISABLED);
	assert_int_equal(valid(r, CTR_LINK_DOWN_EVENTS), VALID_DISABLED);
	assert_int_equal(valid(r, CTR_TX_DISCARDS), VALID_DISABLED);
	assert_int_equal(valid(r, CTR_RX_ERRORS), VALID_OK);
	assert_int_equal(valid(r, CTR_LINK_RECOVERIES), VALID_OK);
	assert_true(isnan(port_paused_max(host_rig_port(r, "mlx5_1"), 1 << 3, DIR_RX).percent));
	host_rig_free(r);
}

/* prometheus/node_exporter 966: a port without such an agent. */
CASE(no_agent_is_no_zero)
{
	struct host_rig *r = host_rig_new(IB_PORT(
		"mlx5_1") "sys infiniband/mlx5_1/ports/1/counters/port_xmit_wait N/A (no PMA)\n"
			  "sys infiniband/mlx5_1/ports/1/counters/symbol_error N/A (no PMA)\n"
			  "sys infiniband/mlx5_1/ports/1/counters/link_downed N/A (no PMA)\n");

	host_rig_poll(r, 3);
	assert_int_not_equal(valid(r, CTR_TX_WAIT), VALID_OK);
	assert_int_not_equal(valid(r, CTR_RX_SYMBOL_ERRORS), VALID_OK);
	assert_true(isnan(port_paused_max(host_rig_port(r, "mlx5_1"), 1 << 3, DIR_RX).percent));
	host_rig_free(r);
}

/* openucx/ucx 9590: much waiting, and the job is as fast as ever. */
CASE(waiting_alone_blames_nobody)
{
	struct host_rig *r = host_rig_new(IB_PORT(
		"mlx5_1") "sys infiniband/mlx5_1/ports/1/counters/port_xmit_wait 0~600000000\n"
			  "sys infiniband/mlx5_1/ports/1/counters/link_downed 25\n");

	host_rig_poll(r, 5);
	assert_int_equal(host_rig_culprits(r), 0);
	host_rig_free(r);
}

/* An Ethernet port of mlx5 has the files too: there they mean nothing. */
CASE(a_roce_port_has_no_credits)
{
	struct host_rig *r =
		host_rig_new("sys infiniband/mlx5_1/ports/1/state 4: ACTIVE\n"
			     "sys infiniband/mlx5_1/ports/1/link_layer Ethernet\n"
			     "sys infiniband/mlx5_1/ports/1/rate 400 Gb/sec (4X NDR)\n"
			     "sys infiniband/mlx5_1/ports/1/counters/port_rcv_data 0~1000\n"
			     "sys infiniband/mlx5_1/ports/1/counters/port_xmit_wait 0~1000000000\n"
			     "sys infiniband/mlx5_1/ports/1/counters/link_error_recovery 0\n"
			     "sys infiniband/mlx5_1/ports/1/counters/link_downed 0\n");
	const struct port *p;

	host_rig_poll(r, 3);
	p = host_rig_port(r, "mlx5_1");
	assert_false(port_is_infiniband(p));
	assert_int_equal(p->more->link_layer, LAYER_ETHERNET);
	assert_null(port_cell(p, CTR_TX_WAIT, 0));
	assert_null(port_cell(p, CTR_LINK_RECOVERIES, 0));
	assert_null(host_rig_found(r, "link.infiniband", "mlx5_1"));
	host_rig_free(r);
}

/* A host on InfiniBand alone is no RoCE rail with a wrong port. */
CASE(a_host_of_infiniband_alone_is_fine)
{
	struct host_rig *r = host_rig_new(IB_PORT("mlx5_0") IB_PORT("mlx5_1"));

	host_rig_poll(r, 3);
	assert_null(host_rig_found(r, "link.infiniband", "mlx5_0"));
	assert_null(host_rig_found(r, "link.infiniband", "mlx5_1"));
	host_rig_free(r);
}

/* ---- the subnet ---- */

/* smpquery and sminfo of infiniband-diags; $n follows the options. */
static struct host_rig *subnet_of(const char *description, const char *type, const char *sminfo)
{
	struct host_rig *r = host_rig_new(IB_PORT("mlx5_1") "lldp ib9 x y\n");
	char script[1024];

	(void)snprintf(script, sizeof(script),
		"[ \"$1 $2 $3 $4 $5\" = '-C mlx5_1 -P 1 -D' ] || exit 1\n"
		"case \"$6 $7\" in\n"
		"'nodedesc 0,1') echo 'Node Description:......%s' ;;\n"
		"'nodeinfo 0,1') printf '%%s\\n' '# Node info: DR path slid 65535; dlid 65535; 0,1'"
		" 'NodeType:........................%s' 'Guid:............................"
		"0xfc6a1c0300e1a2c0' 'LocalPort:.......................33' ;;\nesac\n",
		description, type);
	host_rig_tool(r, "smpquery", script);
	(void)snprintf(script, sizeof(script), "cat <<'E'\n%s\nE\n", sminfo);
	host_rig_tool(r, "sminfo", script);
	host_rig_poll(r, 2);
	return r;
}

static const char *cure_of(const struct host_rig *r, const char *need)
{
	const struct device *d = model_device(host_rig_model(r), HOST_RIG_NAME);

	for (size_t i = 0; i < d->caps.n; i++)
		if (str_eq(d->caps.at[i].need, need))
			return d->caps.at[i].cure;
	return NULL;
}

CASE(the_other_end_is_asked_of_the_subnet)
{
	static const struct {
		const char *description, *type, *device, *port;
	} peers[] = {
		{"MF0;ib-leaf01:MQM9700/U1", "Switch", "ib-leaf01", "33"},
		{"Quantum Mellanox Technologies", "Switch", "0xfc6a1c0300e1a2c0", "33"},
		{"node002 mlx5_4", "Channel Adapter", "node002", "mlx5_4"},
		{"Switch1", "Switch", "Switch1", "33"},
	};

	for (size_t i = 0; i < sizeof(peers) / sizeof(peers[0]); i++) {
		struct host_rig *r = subnet_of(peers[i].description, peers[i].type,
			"sminfo: sm lid 1 sm guid 0x100001, activity count 8 priority 15 state 3 "
			"SMINFO_MASTER");
		const struct port *p = host_rig_port(r, "mlx5_1");

		assert_string_equal(p->lldp_device, peers[i].device);
		assert_string_equal(p->lldp_port, peers[i].port);
		assert_string_equal(
			p->more->description, "subnet manager master: lid 1, guid 0x100001");
		assert_string_equal(cure_of(r, "subnet manager"), "");
		/* lldpd, which sees no InfiniBand, does not take it back. */
		obs_free(host_rig_ask(r, "subnet"));
		host_rig_free(r);
	}
}

CASE(a_subnet_without_a_manager_is_said)
{
	struct host_rig *r = subnet_of("Switch1", "Switch", "sminfo: iberror: failed: query");

	assert_non_null(strstr(cure_of(r, "subnet manager"), "start opensm"));
	host_rig_set(r, "sys infiniband/mlx5_1/ports/1/state 2: INIT");
	host_rig_poll(r, 2);
	assert_int_equal(host_rig_port(r, "mlx5_1")->oper, OPER_DOWN);
	assert_string_equal(host_rig_port(r, "mlx5_1")->more->down_reason,
		"no subnet manager has made it active");
	host_rig_free(r);
}

CASE(mads_need_a_right)
{
	struct host_rig *r = subnet_of("Switch1", "Switch",
		"sminfo: iberror: failed: can't open UMAD port (mlx5_1:1): Permission denied");

	assert_non_null(strstr(cure_of(r, "subnet manager"), "NOPASSWD"));
	host_rig_free(r);
}

CASES_MAIN(NULL, NULL)
