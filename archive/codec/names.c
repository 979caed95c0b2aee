/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "archive/codec/batch_codec_internal.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"
#include "fabric/vocabulary/event.h"

/* By enum obs_kind. Facts are not recorded. */
static const char *const kinds[OBS_FACT] = {
	[OBS_COUNT] = "count",
	[OBS_GAUGE] = "gauge",
	[OBS_VALID] = "valid",
	[OBS_NUMBER] = "number",
	[OBS_WORD] = "word",
	[OBS_LLDP] = "lldp",
	[OBS_EVENT] = "event",
	[OBS_CAPABILITY] = "capability",
};

/* Never rename one: older files would lose it. */
const char *const coder_attrs[OBS_ATTR_COUNT] = {
	[ATTR_OPER] = "oper",
	[ATTR_ADMIN] = "admin",
	[ATTR_SPEED_MBPS] = "speed_mbps",
	[ATTR_MTU] = "mtu",
	[ATTR_FEC] = "fec",
	[ATTR_ALIAS] = "alias",
	[ATTR_DESCRIPTION] = "description",
	[ATTR_NETDEV] = "netdev",
	[ATTR_LINK_LAYER] = "link_layer",
	[ATTR_MAC] = "mac",
	[ATTR_LAST_CHANGE] = "last_change",
	[ATTR_DOWN_REASON] = "down_reason",
	[ATTR_MEDIA] = "media",
	[ATTR_MODULE_SN] = "module_sn",
	[ATTR_PFC_ENABLED] = "pfc_enabled",
	[ATTR_ECN_ENABLED] = "ecn_enabled",
	[ATTR_LLDP_MGMT] = "lldp_mgmt",
	[ATTR_LLDP_DESCR] = "lldp_descr",
	[ATTR_LLDP_PORT] = "lldp_port",
	[ATTR_PCI_ADDR] = "pci_addr",
	[ATTR_BOND] = "bond",
	[ATTR_LAG_STATE] = "lag_state",
	[ATTR_LAG_MIN] = "lag_min",
	[ATTR_LAG_PAIR] = "lag_pair",
	[ATTR_SCHEDULER] = "scheduler",
	[ATTR_TRUST] = "trust",
	[ATTR_DSCP_TO_TC] = "dscp_to_tc",
	[ATTR_TC_TO_QUEUE] = "tc_to_queue",
	[ATTR_TC_TO_PG] = "tc_to_pg",
	[ATTR_PRIO_TO_QUEUE] = "prio_to_queue",
	[ATTR_ROCE_TCLASS] = "roce_tclass",
	[ATTR_CNP_DSCP] = "cnp_dscp",
	[ATTR_CNP_PRIO] = "cnp_prio",
	[ATTR_DCQCN_RP] = "dcqcn_rp",
	[ATTR_DCQCN_NP] = "dcqcn_np",
	[ATTR_STORM_TOUT_MS] = "storm_tout_ms",
	[ATTR_PCIE_MAX_WIDTH] = "pcie_max_width",
	[ATTR_PCIE_MAX_MTPS] = "pcie_max_mtps",
	[ATTR_NIC_SETUP] = "nic_setup",
	[ATTR_RX_POWER_LIMIT] = "rx_power_limit",
	[ATTR_TX_POWER_LIMIT] = "tx_power_limit",
	[ATTR_TX_BIAS_LIMIT] = "tx_bias_limit",
	[ATTR_TEMPERATURE_LIMIT] = "temperature_limit",
	[ATTR_VOLTAGE_LIMIT] = "voltage_limit",
	[ATTR_PFCWD_STATE] = "pfcwd_state",
	[ATTR_PFCWD_ACTION] = "pfcwd_action",
	[ATTR_PFCWD_DETECT_MS] = "pfcwd_detect_ms",
	[ATTR_PFCWD_RESTORE_MS] = "pfcwd_restore_ms",
	[ATTR_ECN_MIN_BYTES] = "ecn_min_bytes",
	[ATTR_ECN_MAX_BYTES] = "ecn_max_bytes",
	[ATTR_ECN_PROBABILITY] = "ecn_probability",
	[ATTR_XOFF_BYTES] = "xoff_bytes",
	[ATTR_XON_BYTES] = "xon_bytes",
	[ATTR_HEADROOM_BYTES] = "headroom_bytes",
	[ATTR_MODEL] = "model",
	[ATTR_SERIAL] = "serial",
	[ATTR_OS_VERSION] = "os_version",
	[ATTR_SCHEMA] = "schema",
	[ATTR_HOSTNAME] = "hostname",
	[ATTR_BOOT_ID] = "boot_id",
	[ATTR_UPTIME_S] = "uptime_s",
	[ATTR_FIRMWARE] = "firmware",
	[ATTR_BGP_AS] = "bgp_as",
	[ATTR_ROUTER_ID] = "router_id",
	[ATTR_ECMP_HASH] = "ecmp_hash",
	[ATTR_LAG_HASH] = "lag_hash",
	[ATTR_HASH_ALGORITHM] = "hash_algorithm",
	[ATTR_BALANCING] = "balancing",
	[ATTR_PFCWD_POLL_MS] = "pfcwd_poll_ms",
	[ATTR_HOST_SETUP] = "host_setup",
	[ATTR_PAIR] = "pair",
	[ATTR_GPU_LINKS] = "gpu_links",
	[ATTR_GPU_FABRIC] = "gpu_fabric",
	[ATTR_GPU_DOMAIN] = "gpu_domain",
	[ATTR_GPU_COUNT] = "gpus",
	[ATTR_POLL_PATH] = "poll_path",
	[ATTR_POOLS] = "pools",
	[ATTR_PORT_LIST] = "port_list",
	[ATTR_PROVIDER] = "provider",
	[ATTR_NOTE_COUNT] = "notes",
	[ATTR_NOTE] = "note",
	[ATTR_TENANT] = "tenant",
	[ATTR_MACS] = "macs",
};

const char *const coder_groups[GROUP_COUNT] = {
	[GROUP_PORT] = "port",
	[GROUP_QUEUE] = "queue",
	[GROUP_WATERMARK] = "watermark",
	[GROUP_PGDROP] = "pgdrop",
	[GROUP_WATCHDOG] = "watchdog",
	[GROUP_NIC] = "nic",
	[GROUP_OPTICS] = "optics",
	[GROUP_CONFIG] = "config",
};

static const char *counter_text(unsigned i)
{
	return counter_info[i].name;
}

static const char *attr_text(unsigned i)
{
	return coder_attrs[i];
}

static const char *event_text(unsigned i)
{
	return event_info[i].name;
}

static const char *group_text(unsigned i)
{
	return coder_groups[i];
}

static const char *kind_text(unsigned i)
{
	return kinds[i];
}

/* near: its most likely number. */
static uint16_t find_name(
	const char *name, unsigned near, unsigned count, const char *(*of)(unsigned i))
{
	if (near < count && strcmp(of(near), name) == 0)
		return (uint16_t)near;
	for (unsigned i = 0; i < count; i++)
		if (strcmp(of(i), name) == 0)
			return (uint16_t)i;
	return UNKNOWN_HERE;
}

static void visit_names(
	struct state *s, struct name_map *map, unsigned count, const char *(*of)(unsigned i))
{
	size_t n = count;

	state_count(s, &n, CODER_NAMES_MAX);
	map->n = (uint16_t)n;
	for (unsigned i = 0; i < n && !s->bad; i++) {
		char name[64] = "";

		if (!s->loading)
			(void)str_copy(name, sizeof(name), of(i));
		state_text(s, name, sizeof(name));
		map->here[i] = find_name(name, i, count, of);
	}
}

void names_visit(struct state *s, struct name_maps *maps)
{
	visit_names(s, &maps->counters, COUNTER_COUNT, counter_text);
	visit_names(s, &maps->attrs, OBS_ATTR_COUNT, attr_text);
	visit_names(s, &maps->events, EVENT_COUNT, event_text);
	visit_names(s, &maps->groups, GROUP_COUNT, group_text);
	visit_names(s, &maps->kinds, OBS_FACT, kind_text);
}

uint16_t names_map(const struct name_map *map, uint32_t number)
{
	return number < map->n ? map->here[number] : UNKNOWN_HERE;
}
