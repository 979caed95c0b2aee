/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/jsonl.h"

#include <math.h>
#include <string.h>

#include "backends/parse_json.h"
#include "base/str.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* The keys of "state": the same words as in the snapshot. */
static const struct {
	const char *key;
	enum obs_attr attr;
	bool is_number, is_per_priority;
} states[] = {
	{"oper", ATTR_OPER, false, false},
	{"admin", ATTR_ADMIN, false, false},
	{"speed_mbps", ATTR_SPEED_MBPS, true, false},
	{"mtu", ATTR_MTU, true, false},
	{"fec", ATTR_FEC, false, false},
	{"alias", ATTR_ALIAS, false, false},
	{"description", ATTR_DESCRIPTION, false, false},
	{"netdev", ATTR_NETDEV, false, false},
	{"mac", ATTR_MAC, false, false},
	{"last_change", ATTR_LAST_CHANGE, true, false},
	{"down_reason", ATTR_DOWN_REASON, false, false},
	{"media", ATTR_MEDIA, false, false},
	{"module_sn", ATTR_MODULE_SN, false, false},
	{"pfc_enabled", ATTR_PFC_ENABLED, true, false},
	{"ecn_enabled", ATTR_ECN_ENABLED, true, false},
	{"pfcwd_state", ATTR_PFCWD_STATE, false, true},
	{"pfcwd_action", ATTR_PFCWD_ACTION, false, true},
	{"pfcwd_detect_ms", ATTR_PFCWD_DETECT_MS, true, true},
	{"pfcwd_restore_ms", ATTR_PFCWD_RESTORE_MS, true, true},
	{"model", ATTR_MODEL, false, false},
	{"serial", ATTR_SERIAL, false, false},
	{"os_version", ATTR_OS_VERSION, false, false},
	{"hostname", ATTR_HOSTNAME, false, false},
	{"boot_id", ATTR_BOOT_ID, false, false},
	{"uptime_s", ATTR_UPTIME_S, true, false},
	{"firmware", ATTR_FIRMWARE, false, false},
};

struct reader {
	struct obs *o;
	uint32_t port;
	int64_t t_us;
	void (*warn)(void *ctx, const char *key);
	void *ctx;
	struct err *err;
};

static void unknown(const struct reader *r, const char *key)
{
	if (r->warn)
		r->warn(r->ctx, key);
}

static bool bad_value(struct reader *r, const char *key)
{
	return err_set(
		r->err, ERR_PROTOCOL, r->o->device, "\"%s\" has a value of the wrong type", key);
}

/* A value, or a word that says why there is none. */
static bool read_cell(struct reader *r, enum counter_id id, unsigned sub, const json_t *v)
{
	static const enum validity words[] = {VALID_UNSUPPORTED, VALID_DISABLED};
	uint64_t n;
	double d;

	if (json_is_null(v)) {
		obs_invalid(r->o, r->port, id, sub, VALID_UNSUPPORTED, "");
		return true;
	}
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (str_eq(pj_text(v), validity_name(words[i]))) {
			obs_invalid(r->o, r->port, id, sub, words[i], "");
			return true;
		}
	if (counter_info[id].kind == KIND_GAUGE) {
		if (pj_real(v, &d) != NUMBER_OK)
			return bad_value(r, counter_info[id].name);
		obs_gauge(r->o, r->port, id, sub, d);
		return true;
	}
	if (!pj_u64(v, &n))
		return bad_value(r, counter_info[id].name);
	obs_count(r->o, r->port, id, sub, n);
	return true;
}

static bool read_counter(struct reader *r, const char *name, const json_t *v)
{
	enum counter_id id = counter_by_name(name);
	const char *key;
	json_t *inner;

	if (id == COUNTER_COUNT) {
		unknown(r, name);
		return true;
	}
	if (counter_info[id].dim == DIM_ONE)
		return read_cell(r, id, 0, v);
	if (!json_is_object(v))
		return bad_value(r, name);
	json_object_foreach((json_t *)v, key, inner)
	{
		unsigned sub;

		if (!pj_key_index(key, "", counter_dim_size(id), &sub))
			return bad_value(r, name);
		if (!read_cell(r, id, sub, inner))
			return false;
	}
	return true;
}

static bool read_counters(struct reader *r, const json_t *v)
{
	const char *name;
	json_t *value;

	if (!json_is_object(v))
		return bad_value(r, "counters");
	if (r->port == OBS_NO_PORT)
		return err_set(r->err, ERR_PROTOCOL, r->o->device,
			"\"counters\" need a \"port\" beside them");
	json_object_foreach((json_t *)v, name, value)
	{
		if (!read_counter(r, name, value))
			return false;
	}
	return true;
}

static bool read_fact(struct reader *r, size_t i, unsigned sub, const json_t *v)
{
	double d;

	if (json_is_null(v))
		return true;
	if (!states[i].is_number) {
		if (!pj_text(v))
			return bad_value(r, states[i].key);
		obs_word(r->o, r->port, states[i].attr, sub, pj_text(v));
		return true;
	}
	if (pj_real(v, &d) != NUMBER_OK)
		return bad_value(r, states[i].key);
	obs_number(r->o, r->port, states[i].attr, sub, d);
	return true;
}

static bool read_state(struct reader *r, const char *name, const json_t *v)
{
	const char *key;
	json_t *inner;
	size_t i = 0;

	while (i < ARRAY_LEN(states) && !str_eq(states[i].key, name))
		i++;
	if (i == ARRAY_LEN(states)) {
		unknown(r, name);
		return true;
	}
	if (!states[i].is_per_priority)
		return read_fact(r, i, 0, v);
	if (!json_is_object(v))
		return bad_value(r, name);
	json_object_foreach((json_t *)v, key, inner)
	{
		unsigned sub;

		if (!pj_key_index(key, "", PRIORITIES, &sub))
			return bad_value(r, name);
		if (!read_fact(r, i, sub, inner))
			return false;
	}
	return true;
}

static bool read_states(struct reader *r, const json_t *v)
{
	const char *name;
	json_t *value;

	if (!json_is_object(v))
		return bad_value(r, "state");
	json_object_foreach((json_t *)v, name, value)
	{
		if (!read_state(r, name, value))
			return false;
	}
	return true;
}

static bool read_lldp(struct reader *r, const json_t *v)
{
	const char *device = pj_text_or(pj_get(v, "device"), "");

	if (!json_is_object(v) && !json_is_null(v))
		return bad_value(r, "lldp");
	if (r->port == OBS_NO_PORT)
		return err_set(
			r->err, ERR_PROTOCOL, r->o->device, "\"lldp\" needs a \"port\" beside it");
	obs_lldp(r->o, r->port, device, *device ? pj_text_or(pj_get(v, "port"), "") : "");
	return true;
}

static bool read_event(struct reader *r, const json_t *v, const json_t *text)
{
	enum event_kind kind;

	if (!pj_text(v))
		return bad_value(r, "event");
	kind = event_by_name(pj_text(v));
	if (kind == EVENT_COUNT)
		unknown(r, pj_text(v));
	else
		obs_event(r->o, r->port, kind, r->t_us, pj_text_or(text, ""));
	return true;
}

static bool read_line(struct reader *r, const json_t *doc)
{
	const char *key;
	json_t *v;

	json_object_foreach((json_t *)doc, key, v)
	{
		bool ok = true;

		if (str_eq(key, "counters"))
			ok = read_counters(r, v);
		else if (str_eq(key, "state"))
			ok = read_states(r, v);
		else if (str_eq(key, "lldp"))
			ok = read_lldp(r, v);
		else if (str_eq(key, "event"))
			ok = read_event(r, v, pj_get(doc, "text"));
		else if (!str_eq(key, "t") && !str_eq(key, "device") && !str_eq(key, "port") &&
			 !str_eq(key, "text") && !str_eq(key, "nccl"))
			unknown(r, key);
		if (!ok)
			return false;
	}
	return true;
}

/* Seconds since 1970; left out: now, which the caller knows. */
static bool read_time(struct reader *r, const json_t *t)
{
	double s;

	r->t_us = 0;
	if (!t)
		return true;
	if (!json_is_number(t) || pj_real(t, &s) != NUMBER_OK || !(s >= 0 && s < 1e11))
		return bad_value(r, "t");
	r->t_us = (int64_t)llround(s * 1e6);
	return true;
}

static bool read_port(struct reader *r, const json_t *port)
{
	r->port = OBS_NO_PORT;
	if (!port || json_is_null(port))
		return true;
	if (!pj_text(port))
		return bad_value(r, "port");
	r->port = obs_port(r->o, pj_text(port));
	return r->port != OBS_NO_PORT ||
	       err_set(r->err, ERR_PROTOCOL, r->o->device,
		       "\"port\" is empty or longer than %d characters", NAME_MAX_LEN - 1);
}

static struct obs *read_object(struct reader *r, const json_t *doc)
{
	const char *device = pj_text_or(pj_get(doc, "device"), "");

	/* NCCL observations are about jobs: they may come without a device. */
	if ((!*device && !pj_get(doc, "nccl")) || strlen(device) >= NAME_MAX_LEN) {
		err_set(r->err, ERR_PROTOCOL, "observations",
			"a line needs a \"device\" of at most %d characters", NAME_MAX_LEN - 1);
		return NULL;
	}
	r->o = obs_new(device, "jsonl");
	if (!read_time(r, pj_get(doc, "t")) || !read_port(r, pj_get(doc, "port")) ||
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
	json_t *doc = parse_json(line, len, "observations", err);
	struct obs *o = NULL;

	if (doc)
		o = read_object(&r, doc);
	if (o) {
		o->bytes = len;
		if (t_us)
			*t_us = r.t_us;
	}
	json_decref(doc);
	return o;
}
