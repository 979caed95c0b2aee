/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/jsonl.h"

#include <math.h>
#include <string.h>

#include "backends/jobs/nccl_parse.h"
#include "backends/parse/json_select.h"
#include "backends/parse/stations.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* The keys of "state" are the same words as in the snapshot. */
enum per { ONE, PER_PRIORITY, PER_LIMIT, PER_GPU, PER_NOTE };
static const struct {
	const char *key;
	enum obs_attr attr;
	bool is_number;
	enum per per;
} states[] = {
	{"oper", ATTR_OPER, false, ONE},
	{"admin", ATTR_ADMIN, false, ONE},
	{"speed_mbps", ATTR_SPEED_MBPS, true, ONE},
	{"mtu", ATTR_MTU, true, ONE},
	{"fec", ATTR_FEC, false, ONE},
	{"alias", ATTR_ALIAS, false, ONE},
	{"description", ATTR_DESCRIPTION, false, ONE},
	{"netdev", ATTR_NETDEV, false, ONE},
	{"link_layer", ATTR_LINK_LAYER, false, ONE},
	{"mac", ATTR_MAC, false, ONE},
	{"last_change", ATTR_LAST_CHANGE, true, ONE},
	{"down_reason", ATTR_DOWN_REASON, false, ONE},
	{"media", ATTR_MEDIA, false, ONE},
	{"module_sn", ATTR_MODULE_SN, false, ONE},
	{"pfc_enabled", ATTR_PFC_ENABLED, true, ONE},
	{"ecn_enabled", ATTR_ECN_ENABLED, true, ONE},
	{"pfcwd_state", ATTR_PFCWD_STATE, false, PER_PRIORITY},
	{"pfcwd_action", ATTR_PFCWD_ACTION, false, PER_PRIORITY},
	{"pfcwd_detect_ms", ATTR_PFCWD_DETECT_MS, true, PER_PRIORITY},
	{"pfcwd_restore_ms", ATTR_PFCWD_RESTORE_MS, true, PER_PRIORITY},
	{"model", ATTR_MODEL, false, ONE},
	{"serial", ATTR_SERIAL, false, ONE},
	{"os_version", ATTR_OS_VERSION, false, ONE},
	{"schema", ATTR_SCHEMA, false, ONE},
	{"balancing", ATTR_BALANCING, false, ONE},
	{"hostname", ATTR_HOSTNAME, false, ONE},
	{"boot_id", ATTR_BOOT_ID, false, ONE},
	{"uptime_s", ATTR_UPTIME_S, true, ONE},
	{"firmware", ATTR_FIRMWARE, false, ONE},
	{"lldp_mgmt", ATTR_LLDP_MGMT, false, ONE},
	{"lldp_descr", ATTR_LLDP_DESCR, false, ONE},
	{"lldp_port", ATTR_LLDP_PORT, false, ONE},
	{"pci_addr", ATTR_PCI_ADDR, false, ONE},
	{"bond", ATTR_BOND, false, ONE},
	{"lag_state", ATTR_LAG_STATE, false, ONE},
	{"lag_min", ATTR_LAG_MIN, true, ONE},
	{"lag_pair", ATTR_LAG_PAIR, false, ONE},
	{"scheduler", ATTR_SCHEDULER, false, ONE},
	{"trust", ATTR_TRUST, false, ONE},
	{"dscp_to_tc", ATTR_DSCP_TO_TC, false, ONE},
	{"tc_to_queue", ATTR_TC_TO_QUEUE, false, ONE},
	{"tc_to_pg", ATTR_TC_TO_PG, false, ONE},
	{"prio_to_queue", ATTR_PRIO_TO_QUEUE, false, ONE},
	{"roce_tclass", ATTR_ROCE_TCLASS, true, ONE},
	{"cnp_dscp", ATTR_CNP_DSCP, true, ONE},
	{"cnp_prio", ATTR_CNP_PRIO, true, ONE},
	{"dcqcn_rp", ATTR_DCQCN_RP, true, ONE},
	{"dcqcn_np", ATTR_DCQCN_NP, true, ONE},
	{"storm_tout_ms", ATTR_STORM_TOUT_MS, true, ONE},
	{"pcie_max_width", ATTR_PCIE_MAX_WIDTH, true, ONE},
	{"pcie_max_mtps", ATTR_PCIE_MAX_MTPS, true, ONE},
	{"nic_setup", ATTR_NIC_SETUP, false, ONE},
	{"rx_power_limit_dbm", ATTR_RX_POWER_LIMIT, true, PER_LIMIT},
	{"tx_power_limit_dbm", ATTR_TX_POWER_LIMIT, true, PER_LIMIT},
	{"tx_bias_limit_ma", ATTR_TX_BIAS_LIMIT, true, PER_LIMIT},
	{"temperature_limit_c", ATTR_TEMPERATURE_LIMIT, true, PER_LIMIT},
	{"voltage_limit_v", ATTR_VOLTAGE_LIMIT, true, PER_LIMIT},
	{"ecn_min_bytes", ATTR_ECN_MIN_BYTES, true, PER_PRIORITY},
	{"ecn_max_bytes", ATTR_ECN_MAX_BYTES, true, PER_PRIORITY},
	{"ecn_probability", ATTR_ECN_PROBABILITY, true, PER_PRIORITY},
	{"xoff_bytes", ATTR_XOFF_BYTES, true, PER_PRIORITY},
	{"xon_bytes", ATTR_XON_BYTES, true, PER_PRIORITY},
	{"headroom_bytes", ATTR_HEADROOM_BYTES, true, PER_PRIORITY},
	{"bgp_as", ATTR_BGP_AS, true, ONE},
	{"router_id", ATTR_ROUTER_ID, false, ONE},
	{"ecmp_hash", ATTR_ECMP_HASH, false, ONE},
	{"lag_hash", ATTR_LAG_HASH, false, ONE},
	{"hash_algorithm", ATTR_HASH_ALGORITHM, false, ONE},
	{"pfcwd_poll_ms", ATTR_PFCWD_POLL_MS, true, ONE},
	{"host_setup", ATTR_HOST_SETUP, false, ONE},
	{"pair", ATTR_PAIR, false, ONE},
	{"gpu_links", ATTR_GPU_LINKS, false, PER_GPU},
	{"gpu_fabric", ATTR_GPU_FABRIC, false, PER_GPU},
	{"gpu_domain", ATTR_GPU_DOMAIN, false, ONE},
	{"gpus", ATTR_GPU_COUNT, true, ONE},
	{"poll_path", ATTR_POLL_PATH, false, ONE},
	{"pools", ATTR_POOLS, false, ONE},
	{"port_list", ATTR_PORT_LIST, true, ONE},
	{"provider", ATTR_PROVIDER, false, ONE},
	{"notes", ATTR_NOTE_COUNT, true, PER_NOTE},
	{"note", ATTR_NOTE, false, PER_NOTE},
	{"tenant", ATTR_TENANT, false, ONE},
	{"macs", ATTR_MACS, false, ONE},
};
_Static_assert(ARRAY_LEN(states) == OBS_ATTR_COUNT, "a key for each attribute");

struct reader {
	struct obs *o;
	uint32_t port;
	int64_t t_us;
	void (*warn)(void *ctx, const char *key);
	void *ctx;
	struct err *err;
};

static void warn_unknown(const struct reader *r, const char *key)
{
	if (r->warn)
		r->warn(r->ctx, key);
}

static bool bad_value(struct reader *r, const char *key)
{
	return err_set(
		r->err, ERR_PROTOCOL, r->o->device, "\"%s\" has a value of the wrong type", key);
}

/* Reads a value, or a word for why there is none. */
static bool read_cell(
	struct reader *r, enum counter_id id, unsigned sub, const struct json_value *v)
{
	static const enum validity words[] = {VALID_UNSUPPORTED, VALID_DISABLED};
	uint64_t n;
	double d;

	if (json_value_is(v, DV_NULL)) {
		obs_invalid(r->o, r->port, id, sub, VALID_UNSUPPORTED, "");
		return true;
	}
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (str_eq(json_value_text(v), validity_name(words[i]))) {
			obs_invalid(r->o, r->port, id, sub, words[i], "");
			return true;
		}
	if (counter_info[id].kind == KIND_GAUGE) {
		if (json_value_real(v, &d) != NUMBER_OK)
			return bad_value(r, counter_info[id].name);
		obs_gauge(r->o, r->port, id, sub, d);
		return true;
	}
	if (!json_value_u64(v, &n))
		return bad_value(r, counter_info[id].name);
	obs_count(r->o, r->port, id, sub, n);
	return true;
}

static bool read_counter(struct reader *r, const char *name, const struct json_value *v)
{
	enum counter_id id = counter_by_name(name);

	if (id == COUNTER_COUNT) {
		warn_unknown(r, name);
		return true;
	}
	if (counter_info[id].dim == DIM_ONE)
		return read_cell(r, id, 0, v);
	if (!json_value_is(v, DV_OBJECT))
		return bad_value(r, name);
	for (json_value_members(inner, v)) {
		const char *key = json_value_name(inner);
		unsigned sub;

		if (!json_value_is_last(v, inner))
			continue;
		if (!parse_index(key, "", counter_dim_size(id), &sub))
			return bad_value(r, name);
		if (!read_cell(r, id, sub, inner))
			return false;
	}
	return true;
}

static bool read_counters(struct reader *r, const struct json_value *v)
{
	if (!json_value_is(v, DV_OBJECT))
		return bad_value(r, "counters");
	if (r->port == OBS_NO_PORT)
		return err_set(r->err, ERR_PROTOCOL, r->o->device,
			"\"counters\" need a \"port\" beside them");
	for (json_value_members(value, v))
		if (json_value_is_last(v, value) && !read_counter(r, json_value_name(value), value))
			return false;
	return true;
}

static bool read_fact(struct reader *r, size_t i, unsigned sub, const struct json_value *v)
{
	double d;

	if (json_value_is(v, DV_NULL))
		return true;
	if (!states[i].is_number) {
		if (!json_value_text(v))
			return bad_value(r, states[i].key);
		obs_word(r->o, r->port, states[i].attr, sub, json_value_text(v));
		return true;
	}
	if (json_value_real(v, &d) != NUMBER_OK)
		return bad_value(r, states[i].key);
	obs_number(r->o, r->port, states[i].attr, sub, d);
	return true;
}

/* Reads ["b8:ce:f6:aa:00:01", ...]: the stations that a port of a switch has heard. */
static bool read_macs(struct reader *r, const struct json_value *v)
{
	struct stations heard = {0};

	if (json_value_is(v, DV_NULL))
		return true;
	if (!json_value_is(v, DV_ARRAY))
		return bad_value(r, "macs");
	if (!json_value_size(v))
		obs_word(r->o, r->port, ATTR_MACS, 0, "");
	for (json_value_items(mac, v))
		stations_add(&heard, r->port, json_value_text_or(mac, ""));
	stations_tell(&heard, r->o, false);
	return true;
}

static bool limit_by_name(const char *key, unsigned *sub)
{
	*sub = 0;
	while (*sub < LIMIT_COUNT && !str_eq(key, optics_limit_name((enum optics_limit) * sub)))
		++*sub;
	return *sub < LIMIT_COUNT;
}

static bool read_state(struct reader *r, const char *name, const struct json_value *v)
{
	unsigned subs;
	size_t i = 0;

	while (i < ARRAY_LEN(states) && !str_eq(states[i].key, name))
		i++;
	if (i == ARRAY_LEN(states)) {
		warn_unknown(r, name);
		return true;
	}
	if (states[i].attr == ATTR_MACS)
		return read_macs(r, v);
	if (states[i].per == ONE)
		return read_fact(r, i, 0, v);
	subs = obs_attr_subs(states[i].attr);
	if (!json_value_is(v, DV_OBJECT))
		return bad_value(r, name);
	for (json_value_members(inner, v)) {
		const char *key = json_value_name(inner);
		unsigned sub;

		if (!json_value_is_last(v, inner))
			continue;
		if (states[i].per == PER_LIMIT ? !limit_by_name(key, &sub)
					       : !parse_index(key, "", subs, &sub))
			return bad_value(r, name);
		if (!read_fact(r, i, sub, inner))
			return false;
	}
	return true;
}

static bool read_states(struct reader *r, const struct json_value *v)
{
	if (!json_value_is(v, DV_OBJECT))
		return bad_value(r, "state");
	for (json_value_members(value, v))
		if (json_value_is_last(v, value) && !read_state(r, json_value_name(value), value))
			return false;
	return true;
}

static bool read_lldp(struct reader *r, const struct json_value *v)
{
	const char *device = json_value_text_or(json_value_get(v, "device"), "");

	if (!json_value_is(v, DV_OBJECT) && !json_value_is(v, DV_NULL))
		return bad_value(r, "lldp");
	if (r->port == OBS_NO_PORT)
		return err_set(
			r->err, ERR_PROTOCOL, r->o->device, "\"lldp\" needs a \"port\" beside it");
	obs_lldp(r->o, r->port, device,
		*device ? json_value_text_or(json_value_get(v, "port"), "") : "");
	return true;
}

static bool read_event(struct reader *r, const struct json_value *v, const struct json_value *text)
{
	enum event_kind kind;

	if (!json_value_text(v))
		return bad_value(r, "event");
	kind = event_by_name(json_value_text(v));
	if (kind == EVENT_COUNT)
		warn_unknown(r, json_value_text(v));
	else
		obs_event(r->o, r->port, kind, r->t_us, json_value_text_or(text, ""));
	return true;
}

static double real_or(const struct json_value *v, double otherwise)
{
	double d;

	return v && json_value_real(v, &d) == NUMBER_OK ? d : otherwise;
}

static bool read_session(struct reader *r, const struct json_value *v)
{
	const char *peer = json_value_text_or(json_value_get(v, "peer"), "");
	struct obs_bgp *s;
	uint64_t n;

	if (!json_value_is(v, DV_OBJECT) || !*peer)
		return bad_value(r, "bgp");
	s = obs_bgp(r->o, bgp_afi_by_name(json_value_text_or(json_value_get(v, "afi"), "ipv4")),
		json_value_text_or(json_value_get(v, "vrf"), "default"), peer,
		json_value_text_or(json_value_get(v, "host"), ""),
		bgp_state_by_name(json_value_text_or(json_value_get(v, "state"), "")));
	if (!s)
		return err_set(r->err, ERR_LIMIT, r->o->device, "too many BGP sessions");
	if (json_value_u64(json_value_get(v, "remote_as"), &n) && n <= UINT32_MAX)
		s->remote_as = (uint32_t)n;
	s->since_s = real_or(json_value_get(v, "since_s"), (double)NAN);
	if (json_value_u64(json_value_get(v, "prefixes"), &n))
		s->prefixes = n;
	if (json_value_u64(json_value_get(v, "drops"), &n))
		s->drops = n;
	return true;
}

/*
 * Reads {"t":…, "text":…, "alarm":true, "port":…, "priority":3}; t is the device's time of the
 * line.
 */
static bool read_log_line(struct reader *r, const struct json_value *v)
{
	const char *text = json_value_text_or(json_value_get(v, "text"), "");
	const char *port = json_value_text_or(json_value_get(v, "port"), "");
	double t = real_or(json_value_get(v, "t"), 0),
	       priority = real_or(json_value_get(v, "priority"), -1);

	if (!json_value_is(v, DV_OBJECT) || !*text || !(t >= 0 && t < 1e11))
		return bad_value(r, "log");
	obs_log(r->o, *port ? obs_port(r->o, port) : r->port,
		priority >= 0 && priority < PRIORITIES ? (int)priority : -1,
		json_value_is(json_value_get(v, "alarm"), DV_TRUE), (int64_t)llround(t * 1e6),
		text);
	return true;
}

static bool read_capability(struct reader *r, const struct json_value *v)
{
	static const enum validity valid[] = {VALID_OK, VALID_UNSUPPORTED, VALID_DISABLED};
	const char *need = json_value_text_or(json_value_get(v, "need"), "");

	for (size_t i = 0; *need && i < ARRAY_LEN(valid); i++)
		if (str_eq(json_value_text(json_value_get(v, "valid")), validity_name(valid[i]))) {
			obs_capability(r->o, need, valid[i],
				json_value_text_or(json_value_get(v, "cure"), ""));
			return true;
		}
	return bad_value(r, "capabilities");
}

static bool read_narrow(struct reader *r, const struct json_value *v)
{
	enum counter_id id;

	if (!json_value_text(v))
		return bad_value(r, "narrow");
	id = counter_by_name(json_value_text(v));
	if (id == COUNTER_COUNT)
		warn_unknown(r, json_value_text(v));
	else
		r->o->narrow[id] = true;
	return true;
}

static bool read_list(struct reader *r, const char *key, const struct json_value *list,
	bool (*one)(struct reader *r, const struct json_value *v))
{
	if (!json_value_is(list, DV_ARRAY))
		return bad_value(r, key);
	for (json_value_items(v, list))
		if (!one(r, v))
			return false;
	return true;
}

/* Reads keys with lists; *known is false for other keys. */
static bool read_lists(struct reader *r, const char *key, const struct json_value *v, bool *known)
{
	static const struct {
		const char *key;
		bool (*one)(struct reader *r, const struct json_value *v);
	} lists[] = {{"bgp", read_session}, {"log", read_log_line},
		{"capabilities", read_capability}, {"narrow", read_narrow}};

	*known = true;
	if (str_eq(key, "bgp_whole")) {
		r->o->bgp_whole = json_value_is(v, DV_TRUE);
		return r->o->bgp_whole || json_value_is(v, DV_FALSE) || bad_value(r, key);
	}
	for (size_t i = 0; i < ARRAY_LEN(lists); i++)
		if (str_eq(key, lists[i].key))
			return read_list(r, key, v, lists[i].one);
	*known = false;
	return true;
}

/* An unknown form is treated as an unknown key. */
static bool read_nccl(struct reader *r, const struct json_value *v)
{
	struct err e = {0};

	if (nccl_object(v, r->o, &e))
		return true;
	if (e.code == ERR_UNSUPPORTED) {
		warn_unknown(r, "nccl");
		return true;
	}
	if (r->err)
		*r->err = e;
	return false;
}

static bool read_line(struct reader *r, const struct json_value *doc)
{
	for (json_value_members(v, doc)) {
		const char *key = json_value_name(v);
		bool known = false, ok;

		if (!json_value_is_last(doc, v))
			continue;
		ok = read_lists(r, key, v, &known);
		if (!ok)
			return false;
		if (known)
			continue;
		if (str_eq(key, "counters"))
			ok = read_counters(r, v);
		else if (str_eq(key, "state"))
			ok = read_states(r, v);
		else if (str_eq(key, "lldp"))
			ok = read_lldp(r, v);
		else if (str_eq(key, "event"))
			ok = read_event(r, v, json_value_get(doc, "text"));
		else if (str_eq(key, "nccl"))
			ok = read_nccl(r, v);
		else if (!str_eq(key, "t") && !str_eq(key, "device") && !str_eq(key, "port") &&
			 !str_eq(key, "text"))
			warn_unknown(r, key);
		if (!ok)
			return false;
	}
	return true;
}

/* Seconds since 1970; if absent the caller uses the current time. */
static bool read_time(struct reader *r, const struct json_value *t)
{
	double s;

	r->t_us = 0;
	if (!t)
		return true;
	if (json_value_text(t) || json_value_real(t, &s) != NUMBER_OK || !(s >= 0 && s < 1e11))
		return bad_value(r, "t");
	r->t_us = (int64_t)llround(s * 1e6);
	return true;
}

static bool read_port(struct reader *r, const struct json_value *port)
{
	r->port = OBS_NO_PORT;
	if (!port || json_value_is(port, DV_NULL))
		return true;
	if (!json_value_text(port))
		return bad_value(r, "port");
	r->port = obs_port(r->o, json_value_text(port));
	return r->port != OBS_NO_PORT ||
	       err_set(r->err, ERR_PROTOCOL, r->o->device,
		       "\"port\" is empty or longer than %d characters", NAME_MAX_LEN - 1);
}

static struct obs *read_object(struct reader *r, const struct json_value *doc)
{
	const char *device = json_value_text_or(json_value_get(doc, "device"), "");

	/* NCCL observations are about jobs: they may come without a device. */
	if ((!*device && !json_value_get(doc, "nccl")) || strlen(device) >= NAME_MAX_LEN) {
		err_set(r->err, ERR_PROTOCOL, "observations",
			"a line needs a \"device\" of at most %d characters", NAME_MAX_LEN - 1);
		return NULL;
	}
	r->o = obs_new(device, "jsonl");
	if (!read_time(r, json_value_get(doc, "t")) || !read_port(r, json_value_get(doc, "port")) ||
		!read_line(r, doc)) {
		obs_free(r->o);
		return NULL;
	}
	r->o->device_us = r->t_us;
	return r->o;
}

struct obs *jsonl_parse(const char *line, size_t len, int64_t *t_us,
	void (*warn)(void *ctx, const char *key), void *ctx, struct err *err)
{
	struct reader r = {.warn = warn, .ctx = ctx, .err = err};
	struct json_value *doc = json_value_parse(line, len, "observations", err);
	struct obs *o = NULL;

	if (doc)
		o = read_object(&r, doc);
	if (o) {
		o->bytes = len;
		if (t_us)
			*t_us = r.t_us;
	}
	free(doc);
	return o;
}
