/* SPDX-License-Identifier: Apache-2.0 */
/* The systems of UFM, their ports and counters; and the words of all its answers. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "backends/contract/needs.h"
#include "backends/dialects/ufm/ufm.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* ---- words ---- */

const char *ufm_word(const struct json_value *v, const char *name)
{
	const char *s = json_value_text_or(json_value_get(v, name), "");

	return str_eq(s, "N/A") ? "" : s;
}

const char *ufm_either(const struct json_value *v, const char *name, const char *other)
{
	const char *s = ufm_word(v, name);

	return *s ? s : ufm_word(v, other);
}

void ufm_name_port(const char *description, const char *number, char *dst, size_t size)
{
	const char *blank = strrchr(description, ' ');

	if (blank && blank[1] && !strchr(blank, ':'))
		(void)str_copy(dst, size, blank + 1);
	else
		(void)str_copy(dst, size, number);
}

const char *ufm_number_in(const char *name)
{
	const char *at = strrchr(name, '_');

	return at && at[1] ? at + 1 : "";
}

/* As UFM names them in its telemetry. Its MBOut and MBIn are bytes, whatever the name says. */
static const struct {
	const char *name;
	counter_id id;
} counters[] = {{"Infiniband_MBOut", CTR_TX_BYTES}, {"Infiniband_MBIn", CTR_RX_BYTES},
	{"Infiniband_PckOut", CTR_TX_PACKETS}, {"Infiniband_PckIn", CTR_RX_PACKETS},
	{"Infiniband_XmitWait", CTR_TX_WAIT}, {"Infiniband_SymbolErrors", CTR_RX_SYMBOL_ERRORS},
	{"Infiniband_LinkRecovers", CTR_LINK_RECOVERIES},
	{"Infiniband_LinkDowned", CTR_LINK_DOWN_EVENTS}, {"Infiniband_RcvErrors", CTR_RX_ERRORS},
	{"Infiniband_XmtDiscards", CTR_TX_DISCARDS}};

/* ---- systems ---- */

static const enum need_id no_such[] = {NEED_PFC, NEED_PAUSE_RX, NEED_PAUSE_TX, NEED_QUEUES,
	NEED_QUEUE_DROPS, NEED_ECN_MARKS, NEED_QUEUE_WATERMARKS, NEED_HEADROOM, NEED_POOLS,
	NEED_PG_DROPS, NEED_ECN_CONFIG, NEED_PFC_CONFIG, NEED_QOS_MAPS, NEED_SCHEDULERS,
	NEED_WATCHDOG, NEED_WATCHDOG_CONFIG, NEED_BGP, NEED_HASH};
static const enum need_id not_told[] = {NEED_UPTIME, NEED_BUNDLES, NEED_FEC, NEED_FEC_BINS,
	NEED_PRE_FEC_BER, NEED_OPTICS_RX, NEED_OPTICS_TX, NEED_OPTICS_BIAS, NEED_OPTICS_TEMPERATURE,
	NEED_OPTICS_LIMITS, NEED_OPTICS_VDM, NEED_LOG};

void ufm_take_system(struct ufm_reading *r, const struct json_value *v)
{
	const char *type = ufm_word(v, "type"), *os = ufm_either(v, "sw_version", "fw_version");

	if (r->found || strcasecmp(ufm_word(v, "system_name"), r->t->device) != 0)
		return;
	r->found = true;
	obs_fact(r->o, UFM_FACT_GUID, ufm_either(v, "guid", "system_guid"));
	obs_fact(r->o, UFM_FACT_KIND, type);
	obs_fact(r->o, UFM_FACT_ALL, "");
	obs_word(r->o, OBS_NO_PORT, ATTR_HOSTNAME, 0, ufm_word(v, "system_name"));
	obs_word(r->o, OBS_NO_PORT, ATTR_MODEL, 0, ufm_either(v, "model", "description"));
	if (*os)
		obs_word(r->o, OBS_NO_PORT, ATTR_OS_VERSION, 0, os);
	if (*ufm_word(v, "fw_version"))
		obs_word(r->o, OBS_NO_PORT, ATTR_FIRMWARE, 0, ufm_word(v, "fw_version"));
}

void ufm_settle_systems(struct ufm_reading *r)
{
	if (!r->found) {
		obs_fact(r->o, UFM_FACT_GUID, "");
		obs_fact(r->o, UFM_FACT_KIND, "");
		obs_fact(r->o, UFM_FACT_ALL, "1");
		need_say(r->o, NEED_PORT_STATE, VALID_UNSUPPORTED,
			"no system of UFM has this name: it is read as the UFM itself, for the "
			"whole fabric. For ports name the device as UFM does");
	}
	need_say(r->o, NEED_IDENTITY, VALID_OK, "");
	for (size_t i = 0; i < ARRAY_LEN(no_such); i++)
		need_say(r->o, no_such[i], VALID_UNSUPPORTED, "InfiniBand has credits, not PFC");
	for (size_t i = 0; i < ARRAY_LEN(not_told); i++)
		need_say(r->o, not_told[i], VALID_UNSUPPORTED, "not asked of UFM");
}

void ufm_take_version(struct ufm_reading *r, const struct json_value *v)
{
	if (!*ufm_word(v, "ufm_release_version"))
		return;
	r->told = true;
	obs_word(r->o, OBS_NO_PORT, ATTR_MODEL, 0, "UFM Enterprise");
	obs_word(r->o, OBS_NO_PORT, ATTR_OS_VERSION, 0, ufm_word(v, "ufm_release_version"));
}

/* ---- ports ---- */

/* Mb/s of "HDR" on "4x"; 0: unknown. */
static double speed_of(const char *speed, const char *width)
{
	static const struct {
		const char *name;
		double lane_mbps;
	} lanes[] = {{"SDR", 2500}, {"DDR", 5000}, {"QDR", 10000}, {"FDR10", 10000}, {"FDR", 14000},
		{"EDR", 25000}, {"HDR", 50000}, {"NDR", 100000}, {"XDR", 200000}};
	unsigned long n = strtoul(width, NULL, 10);

	for (size_t i = 0; n && n <= 12 && i < ARRAY_LEN(lanes); i++)
		if (strcasecmp(lanes[i].name, speed) == 0)
			return lanes[i].lane_mbps * (double)n;
	return 0;
}

static void port_peer_of(struct ufm_reading *r, uint32_t port, const struct json_value *v)
{
	const char *name = ufm_word(v, "peer_node_name"),
		   *is = ufm_word(v, "peer_node_description");
	char at[NAME_MAX_LEN];

	if (!*name) {
		obs_lldp(r->o, port, "", "");
		return;
	}
	ufm_name_port(is, ufm_number_in(ufm_word(v, "peer")), at, sizeof(at));
	obs_lldp(r->o, port, name, at);
	obs_word(r->o, port, ATTR_LLDP_DESCR, 0, is);
}

void ufm_take_port(struct ufm_reading *r, const struct json_value *v)
{
	const char *logical = ufm_word(v, "logical_state"),
		   *physical = ufm_word(v, "physical_state");
	bool is_up = strcasecmp(logical, "Active") == 0;
	double mbps = speed_of(ufm_word(v, "active_speed"), ufm_word(v, "active_width"));
	char name[NAME_MAX_LEN], number[16] = "";
	uint64_t i;
	uint32_t port;

	if (strcasecmp(ufm_word(v, "system_name"), r->t->device) != 0)
		return;
	if (json_value_u64(json_value_get(v, "number"), &i))
		(void)str_printf(number, sizeof(number), "%llu", (unsigned long long)i);
	ufm_name_port(ufm_word(v, "node_description"), number, name, sizeof(name));
	port = obs_port(r->o, name);
	if (port == OBS_NO_PORT)
		return;
	obs_word(r->o, port, ATTR_LINK_LAYER, 0, "infiniband");
	if (*ufm_word(v, "dname") && !str_eq(ufm_word(v, "dname"), name))
		obs_word(r->o, port, ATTR_ALIAS, 0, ufm_word(v, "dname"));
	if (*logical)
		obs_word(r->o, port, ATTR_OPER, 0, is_up ? "up" : "down");
	/* A port without a cable polls, too: whether it should be up only the plan knows. */
	obs_word(r->o, port, ATTR_ADMIN, 0,
		strcasecmp(physical, "Disabled") == 0  ? "down"
		: strcasecmp(physical, "Link Up") == 0 ? "up"
						       : "unknown");
	obs_word(r->o, port, ATTR_DOWN_REASON, 0,
		is_up                                  ? ""
		: strcasecmp(physical, "Link Up") == 0 ? "no subnet manager has made it active"
						       : physical);
	if (mbps > 0)
		obs_number(r->o, port, ATTR_SPEED_MBPS, 0, mbps);
	(void)json_value_number(r->o, port, ATTR_MTU, 0, json_value_get(v, "mtu"));
	port_peer_of(r, port, v);
}

void ufm_settle_ports(struct ufm_reading *r)
{
	need_say(r->o, NEED_PORT_STATE, VALID_OK, "");
	need_say(r->o, NEED_LLDP, VALID_OK, "");
	obs_port_list(r->o);
}

/* ---- counters ---- */

/* {"data": {"2021-12-01 19:12:36": {"Port": {"GUID_1": {"statistics": {...}, "name": ...}}}}} */
static const struct json_value *newest(const struct json_value *data)
{
	const struct json_value *last = NULL;

	for (json_value_members(m, data))
		if (!last || strcmp(json_value_name(m), json_value_name(last)) > 0)
			last = m;
	return json_value_get(last, "Port");
}

void ufm_take_history(struct ufm_reading *r, const struct json_value *doc)
{
	bool of_host = str_eq(facts_get(r->t->facts, UFM_FACT_KIND), "host");

	/* UFM's own default: its telemetry asks the ports once in so many milliseconds. */
	r->o->refresh_ms[GROUP_PORT] = 30000;
	for (json_value_members(m, newest(json_value_get(doc, "data")))) {
		const struct json_value *s = json_value_get(m, "statistics");
		const char *number = ufm_number_in(json_value_name(m));
		char name[NAME_MAX_LEN];
		uint32_t port;
		double percent;

		ufm_name_port(of_host ? ufm_word(m, "name") : "", number, name, sizeof(name));
		port = s ? obs_port(r->o, name) : OBS_NO_PORT;
		if (port == OBS_NO_PORT)
			continue;
		for (size_t i = 0; i < ARRAY_LEN(counters); i++)
			r->told |= json_value_count(
				r->o, port, counters[i].id, 0, json_value_get(s, counters[i].name));
		if (ufm_lost_share(s, &percent)) {
			char full[NAME_MAX_LEN * 2];

			(void)str_printf(full, sizeof(full), "%s:%s", r->t->device, name);
			ufm_note_lost(r, full, "", percent);
		}
	}
	if (r->told)
		need_say(r->o, NEED_LINK_FLAPS, VALID_OK, "");
}
