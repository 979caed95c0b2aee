/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "diagnosis/engine/diagnosis.h"
#include "diagnosis/lint/lint.h"
#include "tests/diagnosis/engine/small_fabric.h"
#include "fabric/model/nets.h"
#include "tests/support/cases.h"
#include "tests/support/rail_fabric.h"

static void set(struct obs *o, uint32_t i, bool host)
{
	char map[65];

	memset(map, '0', 64);
	map[64] = '\0';
	map[26] = '3';
	map[48] = '6';
	obs_number(o, i, ATTR_MTU, 0, host ? 9000 : 9100);
	obs_number(o, i, ATTR_PFC_ENABLED, 0, 1 << 3);
	obs_word(o, i, ATTR_TRUST, 0, "dscp");
	obs_word(o, i, ATTR_DSCP_TO_TC, 0, map);
	obs_word(o, i, ATTR_TC_TO_QUEUE, 0, host ? "01230000" : "01234567");
	obs_word(o, i, ATTR_TC_TO_PG, 0, host ? "00010000" : "00030000");
	if (host) {
		obs_number(o, i, ATTR_CNP_DSCP, 0, 48);
		obs_number(o, i, ATTR_DCQCN_RP, 0, 1 << 3);
		obs_number(o, i, ATTR_DCQCN_NP, 0, 1 << 3);
		obs_number(o, i, ATTR_ROCE_TCLASS, 0, 26 << 2);
		return;
	}
	obs_number(o, i, ATTR_ECN_ENABLED, 0, 1 << 3);
	obs_number(o, i, ATTR_ECN_MIN_BYTES, 3, 512000); /* 500 KiB where 500 KB is planned */
	obs_number(o, i, ATTR_ECN_MAX_BYTES, 3, 1536000);
	obs_word(o, i, ATTR_PFCWD_STATE, 3, "operational");
	obs_word(o, i, ATTR_PFCWD_ACTION, 3, "drop");
	obs_number(o, i, ATTR_PFCWD_DETECT_MS, 3, 400);
	obs_number(o, i, ATTR_PFCWD_RESTORE_MS, 3, 400);
}

/* All devices have told their settings, and these are as they should be. */
static struct model *settled(void)
{
	struct model *m = small_fabric();

	for (size_t d = 0; d < m->devices.n; d++) {
		const struct device *dev = m->devices.at[d];
		struct obs *o = obs_new(dev->name, "slow");

		for (size_t i = 0; i < dev->ports.n; i++)
			set(o, obs_port(o, m->ports.at[dev->ports.at[i]]->name),
				dev->tier == TIER_HOST);
		if (dev->tier != TIER_HOST)
			obs_word(o, OBS_NO_PORT, ATTR_ECMP_HASH, 0, "src-ip dst-ip l4-src l4-dst");
		model_apply(m, o, SMALL_NOW);
		obs_free(o);
	}
	model_links(m);
	return m;
}

static void change(struct model *m, const char *device, const char *port, enum obs_attr a,
	unsigned sub, double v, const char *text)
{
	struct obs *o = obs_new(device, "slow");
	uint32_t i = obs_port(o, port);

	if (text)
		obs_word(o, i, a, sub, text);
	else
		obs_number(o, i, a, sub, v);
	model_apply(m, o, SMALL_NOW);
	obs_free(o);
}

static unsigned count(
	const struct model *m, enum finding_id id, enum lint_result result, struct lint_row *first)
{
	lint_vec rows = {0};
	unsigned n = 0;

	lint_check(m, &rows);
	for (size_t i = 0; i < rows.n; i++)
		if (rows.at[i].id == id && rows.at[i].result == result && n++ == 0 && first)
			*first = rows.at[i];
	vec_free(&rows);
	return n;
}

static unsigned differences(const struct model *m)
{
	unsigned n = 0;

	for (int id = 0; id < FIND_COUNT; id++)
		n += count(m, (enum finding_id)id, LINT_DIFFERS, NULL);
	return n;
}

CASE(test_as_planned)
{
	struct model *m = settled();

	assert_int_equal(differences(m), 0);
	assert_int_equal(count(m, FIND_LINT_PFC, LINT_OK, NULL), 1);
	assert_int_equal(count(m, FIND_LINT_OVERSUBSCRIPTION, LINT_OK, NULL), 1);
	assert_int_equal(count(m, FIND_LINT_PFC, LINT_UNKNOWN, NULL), 0);
	model_free(m);
}

CASE(test_nothing_said_is_unknown)
{
	struct model *m = small_fabric();
	struct lint_row r;

	assert_int_equal(differences(m), 0);
	assert_int_equal(count(m, FIND_LINT_PFC, LINT_OK, NULL), 0);
	assert_int_equal(count(m, FIND_LINT_PFC, LINT_UNKNOWN, &r), 3);
	assert_string_equal(r.is, "4 of 4 hosts report no value");
	model_free(m);
}

/* One change, one row of the check, and none of any other. */
static void differs(const char *device, const char *port, enum obs_attr a, unsigned sub, double v,
	const char *text, enum finding_id id, const char *is, const char *reason)
{
	struct model *m = settled();
	struct lint_row r = {0};

	change(m, device, port, a, sub, v, text);
	assert_int_equal(count(m, id, LINT_DIFFERS, &r), 1);
	assert_int_equal(differences(m), 1);
	assert_string_equal(r.is, is);
	assert_string_equal(r.reason, reason);
	assert_int_equal(r.at.kind, REF_PORT);
	assert_int_equal(r.at.port, small_port(m, device, port)->id);
	model_free(m);
}

/* NVUE numbers priority groups by itself: any that no lossy class has will do. */
CASE(groups_of_cumulus_have_numbers_of_their_own)
{
	struct model *m = settled();
	struct lint_row r;

	(void)str_copy(model_device(m, "leaf-r1")->dialect,
		sizeof(model_device(m, "leaf-r1")->dialect), "cumulus");
	change(m, "leaf-r1", "Ethernet4", ATTR_TC_TO_PG, 0, 0, "00010000");
	assert_int_equal(count(m, FIND_LINT_DSCP, LINT_DIFFERS, &r), 0);
	/* But a group that lossy classes share is none for the lossless one. */
	change(m, "leaf-r1", "Ethernet4", ATTR_TC_TO_PG, 0, 0, "00110000");
	assert_int_equal(count(m, FIND_LINT_DSCP, LINT_DIFFERS, &r), 1);
	assert_string_equal(r.is, "dscp 26, tc 3 to priority group 1");
	model_free(m);
}

CASE(test_each_check)
{
	char map[65];

	memset(map, '0', 64);
	map[64] = '\0';
	map[26] = map[48] = '3';
	differs("leaf-r1", "Ethernet4", ATTR_PFC_ENABLED, 0, 0x18, NULL, FIND_LINT_PFC, "pfc 3,4",
		"plan");
	differs("node001", "mlx5_1", ATTR_PFC_ENABLED, 0, 0, NULL, FIND_LINT_PFC, "pfc none",
		"plan");
	differs("leaf-r1", "Ethernet4", ATTR_TC_TO_QUEUE, 0, 0, "01214567", FIND_LINT_DSCP,
		"dscp 26, tc 3 to queue 1", "plan");
	differs("leaf-r1", "Ethernet4", ATTR_TC_TO_PG, 0, 0, "00000000", FIND_LINT_DSCP,
		"dscp 26, tc 3 to priority group 0", "plan");
	differs("leaf-r1", "Ethernet4", ATTR_DSCP_TO_TC, 0, 0, map, FIND_LINT_CNP,
		"CNPs (dscp 48) share lossless class 3", "plan");
	differs("node002", "mlx5_3", ATTR_TRUST, 0, 0, "pcp", FIND_LINT_TRUST, "trusts pcp",
		"plan");
	differs("node002", "mlx5_3", ATTR_ROCE_TCLASS, 0, 40, NULL, FIND_LINT_DSCP,
		"RDMA leaves with dscp 10", "plan");
	differs("node002", "mlx5_3", ATTR_CNP_DSCP, 0, 26, NULL, FIND_LINT_CNP,
		"CNPs leave with dscp 26", "plan");
	differs("node002", "mlx5_3", ATTR_DCQCN_RP, 0, 0, NULL, FIND_LINT_DCQCN,
		"reacts on none, notifies on 3", "plan");
	differs("leaf-r3", "Ethernet0", ATTR_ECN_ENABLED, 0, 0, NULL, FIND_LINT_ECN,
		"queue 3 does not mark ECN", "plan");
	differs("leaf-r3", "Ethernet0", ATTR_ECN_MIN_BYTES, 3, 100000, NULL, FIND_LINT_ECN,
		"ECN from 100kB to 1.54MB", "plan");
	differs("leaf-r3", "Ethernet0", ATTR_ECN_MIN_BYTES, 3, 60e6, NULL, FIND_LINT_ECN,
		"ECN from 60.0MB: no queue gets that deep", "buffer");
	differs("leaf-r3", "Ethernet0", ATTR_XOFF_BYTES, 3, 400000, NULL, FIND_LINT_ECN,
		"ECN from 512kB, XOFF at 400kB", "XOFF");
	differs("leaf-r3", "Ethernet0", ATTR_MTU, 0, 1500, NULL, FIND_LINT_MTU, "mtu 1500",
		"siblings");
	differs("leaf-r3", "Ethernet0", ATTR_PFCWD_STATE, 3, 0, "off", FIND_LINT_WATCHDOG,
		"no watchdog", "siblings");
	differs("leaf-r3", "Ethernet0", ATTR_PFCWD_DETECT_MS, 3, 100, NULL, FIND_LINT_WATCHDOG,
		"drop, detect 100 ms, restore 400 ms", "siblings");
}

CASE(test_alike_ports_are_one_row)
{
	struct model *m = settled();
	struct lint_row r;

	change(m, "leaf-r1", "Ethernet0", ATTR_PFC_ENABLED, 0, 0x18, NULL);
	change(m, "leaf-r1", "Ethernet4", ATTR_PFC_ENABLED, 0, 0x18, NULL);
	change(m, "leaf-r1", "Ethernet8", ATTR_PFC_ENABLED, 0, 0x10, NULL);
	assert_int_equal(count(m, FIND_LINT_PFC, LINT_DIFFERS, &r), 2);
	assert_int_equal(r.alike, 2);
	assert_string_equal(r.cure, "sudo config interface pfc priority Ethernet0 4 off");
	model_free(m);
}

/* The cure of this difference, on a leaf that runs that system. */
static void cured(const char *dialect, enum obs_attr a, unsigned index, double number,
	const char *word, enum finding_id id, const char *cure)
{
	struct model *m = settled();
	struct lint_row r;

	(void)str_copy(model_device(m, "leaf-r3")->dialect,
		sizeof(model_device(m, "leaf-r3")->dialect), dialect);
	change(m, "leaf-r3", "Ethernet0", a, index, number, word);
	assert_int_equal(count(m, id, LINT_DIFFERS, &r), 1);
	if (!str_eq(r.cure, cure))
		fail_msg("%s: \"%s\", not \"%s\"", dialect, r.cure, cure);
	model_free(m);
}

/* A cure changes a setting: none of them is a command that only shows it. */
CASE(cures_are_commands_that_change)
{
	static const char *const dialects[] = {"sonic", "eos", "nxos", "cumulus"};
	static const struct {
		enum obs_attr a;
		unsigned index;
		double number;
		const char *word;
		enum finding_id id;
	} changes[] = {
		{ATTR_PFC_ENABLED, 0, 0x18, NULL, FIND_LINT_PFC},
		{ATTR_PFC_ENABLED, 0, 0, NULL, FIND_LINT_PFC},
		{ATTR_DSCP_TO_TC, 0, 0,
			"0000000011111111222222220000000044444444555555556666666677777777",
			FIND_LINT_DSCP},
		{ATTR_TC_TO_QUEUE, 0, 0, "00000000", FIND_LINT_DSCP},
		{ATTR_TC_TO_PG, 0, 0, "00000000", FIND_LINT_DSCP},
		{ATTR_TRUST, 0, 0, "pcp", FIND_LINT_TRUST},
		{ATTR_ECN_ENABLED, 0, 0, NULL, FIND_LINT_ECN},
		{ATTR_ECN_MIN_BYTES, 3, 100000, NULL, FIND_LINT_ECN},
		{ATTR_ECN_MIN_BYTES, 3, 60e6, NULL, FIND_LINT_ECN},
		{ATTR_MTU, 0, 1500, NULL, FIND_LINT_MTU},
		{ATTR_PFCWD_STATE, 3, 0, "off", FIND_LINT_WATCHDOG},
	};

	for (size_t d = 0; d < sizeof(dialects) / sizeof(dialects[0]); d++)
		for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
			struct model *m = settled();
			struct lint_row r = {0};

			(void)str_copy(model_device(m, "leaf-r3")->dialect,
				sizeof(model_device(m, "leaf-r3")->dialect), dialects[d]);
			change(m, "leaf-r3", "Ethernet0", changes[i].a, changes[i].index,
				changes[i].number, changes[i].word);
			assert_true(count(m, changes[i].id, LINT_DIFFERS, &r) >= 1);
			/* NX-OS has no trust: it always reads DSCP. */
			if (!*r.cure && str_eq(dialects[d], "nxos") &&
				changes[i].id == FIND_LINT_TRUST) {
				model_free(m);
				continue;
			}
			if (!*r.cure || strstr(r.cure, "show ") || strstr(r.cure, "hget") ||
				strpbrk(r.cure, "{}") || strlen(r.cure) > sizeof(r.cure) - 2)
				fail_msg("%s, %s: \"%s\"", dialects[d], r.is, r.cure);
			model_free(m);
		}
	cured("cumulus", ATTR_PFC_ENABLED, 0, 0x18, NULL, FIND_LINT_PFC,
		"nv unset qos pfc PROFILE switch-priority 4; nv config apply  # PROFILE of "
		"Ethernet0");
	cured("cumulus", ATTR_PFC_ENABLED, 0, 0, NULL, FIND_LINT_PFC,
		"nv set qos pfc PROFILE switch-priority 3; nv config apply  # PROFILE of "
		"Ethernet0");
	cured("cumulus", ATTR_TC_TO_QUEUE, 0, 0, "00000000", FIND_LINT_DSCP,
		"nv set qos egress-queue-mapping default-global switch-priority 3 traffic-class 3; "
		"nv config apply");
	cured("sonic", ATTR_TC_TO_PG, 0, 0, "00000000", FIND_LINT_DSCP,
		"sonic-db-cli CONFIG_DB hset 'TC_TO_PRIORITY_GROUP_MAP|MAP' 3 3  # MAP of "
		"PORT_QOS_MAP|Ethernet0");
	cured("cumulus", ATTR_PFCWD_STATE, 3, 0, "off", FIND_LINT_WATCHDOG,
		"nv set interface Ethernet0 qos pfc-watchdog state enable; nv config apply");
	cured("cumulus", ATTR_ECN_ENABLED, 0, 0, NULL, FIND_LINT_ECN,
		"nv set qos congestion-control PROFILE traffic-class 3 ecn enable; nv config "
		"apply  # PROFILE of Ethernet0");
	cured("eos", ATTR_PFC_ENABLED, 0, 0x18, NULL, FIND_LINT_PFC,
		"interface Ethernet0; no priority-flow-control priority 4");
	cured("eos", ATTR_ECN_MIN_BYTES, 3, 100000, NULL, FIND_LINT_ECN,
		"interface Ethernet0; tx-queue 3; random-detect ecn minimum-threshold 500000 "
		"bytes maximum-threshold 1500000 bytes");
	cured("sonic", ATTR_PFCWD_DETECT_MS, 3, 100, NULL, FIND_LINT_WATCHDOG,
		"sudo pfcwd start --action drop Ethernet0 400 --restoration-time 400");
	cured("sonic", ATTR_ECN_ENABLED, 0, 0, NULL, FIND_LINT_ECN, "sudo ecnconfig -q 3 on");
}

CASE(test_siblings_where_the_plan_is_silent)
{
	struct model *m = settled();
	struct lint_row r;

	m->lossless.priorities = 0;
	m->lossless.ecn_min_bytes = m->lossless.ecn_max_bytes = 0;
	m->lossless.cnp_dscp = -1;
	memset(m->lossless.dscp_prio, -1, sizeof(m->lossless.dscp_prio));
	assert_int_equal(differences(m), 0);
	change(m, "leaf-r1", "Ethernet0", ATTR_PFC_ENABLED, 0, 0x18, NULL);
	assert_int_equal(count(m, FIND_LINT_PFC, LINT_DIFFERS, &r), 1);
	assert_string_equal(r.reason, "siblings");
	assert_string_equal(r.should, "pfc 3");
	/* DCQCN off everywhere is a policy. */
	for (size_t i = 0; i < m->ports.n; i++)
		if (model_dev_of(m, m->ports.at[i])->tier == TIER_HOST)
			m->ports.at[i]->qos->dcqcn_rp = m->ports.at[i]->qos->dcqcn_np = 0x100;
	assert_int_equal(count(m, FIND_LINT_DCQCN, LINT_DIFFERS, NULL), 0);
	small_port(m, "node000", "mlx5_0")->qos->dcqcn_np = 0x108;
	assert_int_equal(count(m, FIND_LINT_DCQCN, LINT_DIFFERS, NULL), 1);
	model_free(m);
}

CASE(test_oversubscription)
{
	struct model *m = settled();
	struct lint_row r;

	change(m, "leaf-r2", "Ethernet20", ATTR_OPER, 0, 0, "down");
	assert_int_equal(count(m, FIND_LINT_OVERSUBSCRIPTION, LINT_DIFFERS, &r), 1);
	assert_string_equal(r.is, "4.00:1 with 1 of 2 uplinks");
	assert_string_equal(r.should, "2.00:1");
	/* Half of the hosts are gone as well: the ports in use have enough uplinks. */
	change(m, "leaf-r2", "Ethernet0", ATTR_OPER, 0, 0, "down");
	change(m, "leaf-r2", "Ethernet4", ATTR_OPER, 0, 0, "down");
	assert_int_equal(count(m, FIND_LINT_OVERSUBSCRIPTION, LINT_DIFFERS, NULL), 0);
	small_port(m, "leaf-r2", "Ethernet16")->speed_mbps = 0;
	assert_int_equal(count(m, FIND_LINT_OVERSUBSCRIPTION, LINT_UNKNOWN, &r), 1);
	assert_string_equal(r.is, "1 of 4 leaves report no value");
	model_free(m);
}

/* A plan of more than 2:1 is told, of the backend alone. */
CASE(test_oversubscription_by_design)
{
	struct model *m = settled();
	struct lint_row r;

	assert_int_equal(count(m, FIND_LINT_OVERSUBSCRIPTION, LINT_DIFFERS, NULL), 0);
	small_port(m, "leaf-r2", "Ethernet20")->plan_peer = PORT_NONE;
	assert_int_equal(count(m, FIND_LINT_OVERSUBSCRIPTION, LINT_DIFFERS, &r), 1);
	assert_string_equal(r.is, "4.00:1 by plan");
	assert_string_equal(r.should, "at most 2:1");
	model_device(m, "leaf-r2")->net = NET_FRONTEND;
	assert_int_equal(count(m, FIND_LINT_OVERSUBSCRIPTION, LINT_DIFFERS, NULL), 0);
	model_free(m);
}

CASE(test_findings)
{
	struct model *m = settled();
	struct diag *d = diag_new();
	const struct finding *const *f;
	size_t n, lints = 0;

	change(m, "leaf-r1", "Ethernet0", ATTR_PFC_ENABLED, 0, 0x18, NULL);
	change(m, "leaf-r1", "Ethernet8", ATTR_PFC_ENABLED, 0, 0x10, NULL);
	diag_note(d, m, 0, SMALL_NOW);
	diag_run(d, m, SMALL_NOW);
	f = diag_findings(d, &n);
	for (size_t i = 0; i < n; i++)
		if (f[i]->id == FIND_LINT_PFC) {
			lints++;
			assert_int_equal(f[i]->role, ROLE_RISK);
			assert_int_equal(f[i]->at.kind, REF_DEVICE);
			assert_int_equal(f[i]->members.n, 2);
			assert_true(*f[i]->command != '\0');
		}
	assert_int_equal(lints, 1);
	diag_free(d);
	model_free(m);
}

/* What each host tells of itself and of its NICs; one key differs on the host `odd`. */
static void tell_setup(struct model *m, const char *odd, const char *host, const char *nic)
{
	for (size_t d = 0; d < m->devices.n; d++) {
		const struct device *dev = m->devices.at[d];
		bool is_odd = odd && str_eq(dev->name, odd);
		struct obs *o = obs_new(dev->name, "slow");

		if (dev->tier == TIER_HOST) {
			obs_word(o, OBS_NO_PORT, ATTR_HOST_SETUP, 0,
				is_odd ? host : "nvidia=570.86.15 peermem=nvidia_peermem");
			obs_word(o, obs_port(o, "mlx5_0"), ATTR_NIC_SETUP, 0,
				is_odd ? nic : "fw=28.43.2026 read_req=4096");
			/* Another NIC: its firmware is another. */
			obs_word(o, obs_port(o, "mlx5_1"), ATTR_NIC_SETUP, 0, "fw=22.39.1002");
		}
		model_apply(m, o, SMALL_NOW);
		obs_free(o);
	}
}

CASE(test_setup_is_compared_with_siblings)
{
	struct model *m = settled();
	struct lint_row row;

	/* Nothing is told: it is not known, and not fine. */
	assert_int_equal(count(m, FIND_LINT_SETUP, LINT_OK, NULL), 0);
	assert_int_equal(count(m, FIND_LINT_SETUP, LINT_UNKNOWN, NULL), 1);
	tell_setup(m, NULL, "", "");
	assert_int_equal(count(m, FIND_LINT_SETUP, LINT_OK, NULL), 1);
	assert_int_equal(differences(m), 0);
	tell_setup(m, "node001", "nvidia=570.86.15 peermem=none", "fw=28.43.2026 read_req=512");
	assert_int_equal(count(m, FIND_LINT_SETUP, LINT_DIFFERS, &row), 2);
	assert_int_equal(row.at.kind, REF_DEVICE);
	assert_string_equal(row.is, "GPU memory module none");
	assert_string_equal(row.should, "nvidia_peermem (3 of 4)");
	assert_non_null(strstr(row.cure, "DMA-BUF"));
	tell_setup(m, "node001", "nvidia=570.86.15 peermem=nvidia_peermem",
		"fw=28.43.2026 read_req=512");
	assert_int_equal(count(m, FIND_LINT_SETUP, LINT_DIFFERS, &row), 1);
	assert_string_equal(m->ports.at[row.at.port]->name, "mlx5_0");
	assert_string_equal(row.is, "PCIe read request 512 bytes");
	assert_string_equal(row.should, "4096 (3 of 4)");
	assert_string_equal(row.reason, "siblings");
	model_free(m);
}

static void tell_all(struct model *m, const char *good, const char *host, const char *nic)
{
	for (size_t d = 0; d < m->devices.n; d++) {
		const struct device *dev = m->devices.at[d];
		struct obs *o = obs_new(dev->name, "slow");

		if (dev->tier == TIER_HOST) {
			obs_word(o, OBS_NO_PORT, ATTR_HOST_SETUP, 0, host);
			obs_word(o, obs_port(o, "mlx5_0"), ATTR_NIC_SETUP, 0,
				good && str_eq(dev->name, good) ? "read_req=4096" : nic);
		}
		model_apply(m, o, SMALL_NOW);
		obs_free(o);
	}
}

/* What is slow is said though all hosts are alike, and the host with the good value is not to
 * blame. */
CASE(test_setup_that_is_slow_everywhere)
{
	struct model *m = settled();
	struct lint_row row;

	tell_all(m, NULL, "nvidia=570.86.15 acs_redirect=12", "read_req=4096 iommu=identity");
	assert_int_equal(count(m, FIND_LINT_SETUP, LINT_DIFFERS, &row), 4);
	assert_string_equal(row.is, "PCIe bridges that redirect (ACS) 12");
	assert_non_null(strstr(row.should, "NCCL's guide"));
	assert_string_equal(row.reason, "guide");
	/* Without GPUs no traffic goes from one to another. */
	tell_all(m, NULL, "acs_redirect=12", "read_req=4096 iommu=DMA-FQ");
	assert_int_equal(count(m, FIND_LINT_SETUP, LINT_DIFFERS, NULL), 0);
	tell_all(m, "node001", "nvidia=570.86.15", "read_req=128");
	assert_int_equal(count(m, FIND_LINT_SETUP, LINT_DIFFERS, &row), 3);
	assert_string_equal(row.is, "PCIe read request 128 bytes");
	model_free(m);
}

/* An unknown key is compared too; half against half is no majority; garbage is no setting. */
CASE(test_setup_of_any_key)
{
	struct model *m = settled();
	struct lint_row row;

	tell_setup(m, "node002", "bios=1.7", "=x fw= ==  read_req=4096");
	assert_int_equal(count(m, FIND_LINT_SETUP, LINT_DIFFERS, NULL), 1);
	tell_setup(m, NULL, "", "");
	for (unsigned i = 0; i < 3; i++) {
		char name[16];

		(void)snprintf(name, sizeof(name), "node%03u", i);
		change(m, name, "mlx5_0", ATTR_NIC_SETUP, 0, 0, i ? "new-key=7" : "new-key=8");
	}
	assert_int_equal(count(m, FIND_LINT_SETUP, LINT_DIFFERS, &row), 1);
	assert_string_equal(row.is, "new-key 8");
	change(m, "node003", "mlx5_0", ATTR_NIC_SETUP, 0, 0, "new-key=8");
	assert_int_equal(count(m, FIND_LINT_SETUP, LINT_DIFFERS, NULL), 0);
	model_free(m);
}

/* ---- jobs ---- */

static unsigned in_order(unsigned i)
{
	return i;
}

static unsigned alternating(unsigned i)
{
	return i / 2 + i % 2 * 4;
}

/* The second GPU of each host comes after the first ones of all. */
static unsigned by_turns(unsigned i)
{
	return i % 4;
}

static struct model *with_job(unsigned ranks, unsigned gpus, unsigned (*host)(unsigned i))
{
	struct model *m = rail_fabric((struct rail_shape){8, 4, 2, false});

	rail_fabric_job(m, ranks, gpus, host);
	return m;
}

CASE(ranks_that_alternate_between_leaves)
{
	struct model *m = with_job(16, 2, alternating);
	struct lint_row r;

	assert_int_equal(count(m, FIND_LINT_PLACEMENT, LINT_DIFFERS, &r), 1);
	assert_int_equal(r.at.kind, REF_JOB);
	assert_string_equal(r.is, "ring of 8 hosts crosses 8 times");
	assert_string_equal(r.should, "2, one a unit of leaves");
	assert_non_null(strstr(r.cure, "railtop topology --job "));
	assert_int_equal(count(m, FIND_LINT_PLACEMENT, LINT_OK, NULL), 0);
	model_free(m);
	m = with_job(16, 2, in_order);
	assert_int_equal(count(m, FIND_LINT_PLACEMENT, LINT_DIFFERS, NULL), 0);
	assert_int_equal(count(m, FIND_LINT_PLACEMENT, LINT_OK, &r), 1);
	assert_string_equal(r.is, "fits on 1 job");
	model_free(m);
}

CASE(ranks_of_a_host_that_are_scattered)
{
	struct model *m = with_job(8, 1, by_turns);
	struct lint_row r;

	assert_int_equal(count(m, FIND_LINT_PLACEMENT, LINT_DIFFERS, &r), 1);
	assert_string_equal(r.is, "ranks of 4 hosts in 8 runs");
	model_free(m);
}

/* No order is known of a job whose hosts are not: this is not called well placed. */
CASE(a_job_of_unknown_hosts_is_unknown)
{
	struct model *m = with_job(16, 2, in_order);
	struct obs *o = obs_new("node0-0", "nccl-ras");
	struct obs_nccl *k = obs_nccl(o, NCCL_RANK, SOURCE_RAS);
	struct lint_row r;

	k->comm = obs_string(o, RAIL_FABRIC_COMM);
	k->rank = 16;
	k->nranks = 17;
	k->host = obs_string(o, "10.9.9.9");
	model_apply(m, o, RAIL_FABRIC_NOW);
	obs_free(o);
	assert_int_equal(count(m, FIND_LINT_PLACEMENT, LINT_OK, NULL), 0);
	assert_int_equal(count(m, FIND_LINT_PLACEMENT, LINT_UNKNOWN, &r), 1);
	assert_string_equal(r.is, "order or leaves of 1 of 1 jobs unknown");
	model_free(m);
}

/* As a finding: a risk of the job, not the cause of anything. Mended, it ends. */
CASE(placement_is_a_finding_of_the_job)
{
	struct model *m = with_job(16, 2, alternating);
	struct diag *d = diag_new();
	const struct finding *const *f;
	size_t n, found = 0;

	diag_run(d, m, SMALL_NOW);
	f = diag_findings(d, &n);
	for (size_t i = 0; i < n; i++) {
		if (f[i]->id != FIND_LINT_PLACEMENT)
			continue;
		found++;
		assert_int_equal(f[i]->role, ROLE_RISK);
		assert_int_equal(f[i]->at.kind, REF_JOB);
		assert_int_equal(f[i]->gpus_blocked + f[i]->gpus_slow, 0);
		assert_string_equal(f[i]->title,
			"ring of 8 hosts crosses 8 times, should be 2, one a unit of leaves");
	}
	assert_int_equal(found, 1);
	diag_free(d);
	model_free(m);
}

static unsigned paths(struct model *m, const char *name, const char *by, enum lint_result result,
	struct lint_row *row)
{
	struct obs *o = obs_new(name, "slow");

	obs_word(o, OBS_NO_PORT, ATTR_POLL_PATH, 0, by);
	model_apply(m, o, SMALL_NOW);
	obs_free(o);
	return count(m, FIND_LINT_POLL_PATH, result, row);
}

/* A switch that is polled over its own data ports is not seen in the storm that stops them. */
CASE(test_a_poll_over_the_fabric_itself)
{
	struct model *m = settled();
	const char *leaf = NULL, *host = NULL, *port = NULL;
	struct lint_row row;

	for (size_t i = 0; i < m->devices.n; i++) {
		const struct device *d = m->devices.at[i];

		if (d->tier == TIER_LEAF && !leaf) {
			leaf = d->name;
			port = m->ports.at[d->ports.at[0]]->name;
		}
		if (d->tier == TIER_HOST)
			host = d->name;
	}
	/* Nothing told, nothing judged. */
	assert_int_equal(count(m, FIND_LINT_POLL_PATH, LINT_OK, NULL), 0);
	assert_int_equal(paths(m, leaf, "eth0", LINT_DIFFERS, NULL), 0);
	assert_int_equal(paths(m, leaf, "Management1", LINT_OK, NULL), 1);
	assert_int_equal(paths(m, leaf, port, LINT_DIFFERS, &row), 1);
	assert_non_null(strstr(row.is, "in-band by"));
	assert_int_equal(paths(m, leaf, "Loopback0", LINT_DIFFERS, NULL), 1);
	assert_int_equal(paths(m, leaf, "Vlan100", LINT_DIFFERS, NULL), 1);
	assert_int_equal(paths(m, leaf, "docker0", LINT_UNKNOWN, NULL), 1);
	assert_int_equal(paths(m, leaf, "mgmt0", LINT_DIFFERS, NULL), 0);
	/* A host's own port, of which no list says the network. */
	assert_int_equal(paths(m, host, "eno1", LINT_UNKNOWN, NULL), 0);
	model_free(m);
}

/* 400G over 10 km: 98 us of light both ways are 4.9 MB that no headroom of a leaf has. */
CASE(test_headroom_against_the_length_of_the_cable)
{
	struct model *m = settled();
	const struct device *leaf = NULL;
	struct lint_row row;
	struct port *p;

	for (size_t i = 0; i < m->devices.n && !leaf; i++)
		if (m->devices.at[i]->tier == TIER_LEAF)
			leaf = m->devices.at[i];
	p = m->ports.at[leaf->ports.at[0]];
	/* No length is stated, so there is nothing to compare. */
	change(m, leaf->name, p->name, ATTR_HEADROOM_BYTES, 3, 312000, NULL);
	assert_int_equal(count(m, FIND_LINT_HEADROOM, LINT_OK, NULL), 0);
	port_more(p)->metres = 40;
	assert_int_equal(count(m, FIND_LINT_HEADROOM, LINT_OK, NULL), 1);
	assert_int_equal(count(m, FIND_LINT_HEADROOM, LINT_DIFFERS, NULL), 0);
	port_more(p)->metres = 10000;
	assert_int_equal(count(m, FIND_LINT_HEADROOM, LINT_DIFFERS, &row), 1);
	assert_string_equal(row.is, "priority 3: 312kB");
	assert_non_null(strstr(row.should, "for 10000 m at least"));
	assert_true(port_headroom_least(p) > 4.9e6 && port_headroom_least(p) < 4.95e6);
	model_free(m);
}

/* A leaf of SONiC on a Spectrum-4: its board ships with 283648 bytes for 40 m at 400G. */
CASE(test_headroom_against_the_default_of_the_chip)
{
	struct model *m = settled();
	const struct device *leaf = NULL;
	struct lint_row row;
	struct port *p;

	for (size_t i = 0; i < m->devices.n && !leaf; i++)
		if (m->devices.at[i]->tier == TIER_LEAF)
			leaf = m->devices.at[i];
	p = m->ports.at[leaf->ports.at[0]];
	p->speed_mbps = 400000;
	port_more(p)->metres = 30;
	change(m, leaf->name, p->name, ATTR_HEADROOM_BYTES, 3, 38912, NULL);
	/* The chip is not known: the light alone is looked at. */
	assert_int_equal(count(m, FIND_LINT_HEADROOM, LINT_DIFFERS, NULL), 0);
	(void)str_copy(m->devices.at[leaf->id]->model, sizeof(leaf->model), "ACS-SN5600");
	(void)str_copy(m->devices.at[leaf->id]->dialect, sizeof(leaf->dialect), "sonic");
	assert_int_equal(count(m, FIND_LINT_HEADROOM, LINT_DIFFERS, &row), 1);
	assert_string_equal(row.is, "priority 3: 38.9kB");
	assert_string_equal(row.should, "284kB, of Spectrum-4 for 40 m");
	assert_string_equal(row.reason, "default of its chip");
	/* Somewhat less is a choice of the site. */
	change(m, leaf->name, p->name, ATTR_HEADROOM_BYTES, 3, 180000, NULL);
	assert_int_equal(count(m, FIND_LINT_HEADROOM, LINT_DIFFERS, NULL), 0);
	model_free(m);
}

CASES_MAIN(NULL, NULL)
