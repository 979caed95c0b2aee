/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "backends/dialects/sonic/sonic.h"
#include "backends/contract/needs.h"
#include "backends/parse/optics.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"

/* Decodes settings and identity from CONFIG_DB, and the identity of transceivers from STATE_DB. */

#define WATCHDOG_CURE "sudo config pfcwd start --action drop PORT 200 --restoration-time 200"

#define SCHEDULER_CURE "sudo config qos reload"

/* ---- watchdog ---- */

/* Priorities of queues with watchdog state in COUNTERS_DB: orchagent has adopted them. */
static uint8_t watched_mask(const struct json_value *entry)
{
	const struct json_value *on = json_value_get(entry, "on");
	unsigned mask = 0, p;

	for (json_value_items(queue, on))
		if (parse_index(json_value_text_or(queue, ""), "", PRIORITIES, &p))
			mask |= 1u << p;
	return (uint8_t)mask;
}

/* Columns of the watchdog's settings. */
struct watchdog_columns {
	size_t action, detect, restore;
};

/*
 * The counters report the watchdog that runs, with its timers. The configured ones are used for a
 * queue that is not watched.
 */
static bool parse_watchdog_config(const struct target *t, const struct watchdog_columns *columns,
	const struct json_value *entry, struct obs *o, uint32_t port)
{
	const struct json_value *row = json_value_get(entry, "w");
	const struct json_value *action = sonic_at(row, columns->action);
	const struct json_value *detect = sonic_at(row, columns->detect);
	const struct json_value *restore = sonic_at(row, columns->restore);
	uint8_t runs = watched_mask(entry);

	for (unsigned p = 0; p < PRIORITIES; p++) {
		if (!(t->lossless >> p & 1) || runs >> p & 1)
			continue;
		json_value_word(o, port, ATTR_PFCWD_ACTION, p, action);
		json_value_number(o, port, ATTR_PFCWD_DETECT_MS, p, detect);
		json_value_number(o, port, ATTR_PFCWD_RESTORE_MS, p, restore);
	}
	return *json_value_text_or(action, "") || *json_value_text_or(detect, "");
}

/* Items of a port: its maps, a queue that marks, a lossless group, a watched one. */
#define SETTINGS_A_PORT 14

/* ---- identity ---- */

/* "ars": keys, fields and values of all rows of adaptive routing; {} is none. */
static void parse_balancing(const struct json_value *ars, struct obs *o)
{
	bool any = false, flowlet = false, spray = false;

	if (!json_value_is(ars, DV_ARRAY) && !json_value_is(ars, DV_OBJECT))
		return;
	for (json_value_items(v, ars)) {
		const char *text = json_value_text_or(v, "");

		any = true;
		flowlet |= strstr(text, "flowlet") && !strstr(text, "_time");
		spray |= strstr(text, "per_packet") || strstr(text, "per-packet");
	}
	obs_word(o, OBS_NO_PORT, ATTR_BALANCING, 0,
		!any      ? "hash"
		: spray   ? "adaptive spray"
		: flowlet ? "adaptive flowlet"
			  : "adaptive");
}

static void parse_identity(const struct json_value *doc, struct obs *o)
{
	const struct json_value *mf = json_value_get(doc, "mf"),
				*meta = json_value_get(doc, "meta");

	json_value_word(o, OBS_NO_PORT, ATTR_HOSTNAME, 0, sonic_value(mf, meta, "hostname"));
	json_value_word(o, OBS_NO_PORT, ATTR_MODEL, 0, sonic_value(mf, meta, "hwsku"));
	json_value_word(o, OBS_NO_PORT, ATTR_SERIAL, 0, json_value_get(doc, "serial"));
	parse_balancing(json_value_get(doc, "ars"), o);
	json_value_word(o, OBS_NO_PORT, ATTR_SCHEMA, 0, json_value_get(doc, "schema"));
	json_value_number(o, OBS_NO_PORT, ATTR_BGP_AS, 0, sonic_value(mf, meta, "bgp_asn"));
	json_value_number(o, OBS_NO_PORT, ATTR_PFCWD_POLL_MS, 0, json_value_get(doc, "poll"));
	if (*sonic_text(mf, meta, "hwsku") || *sonic_text(mf, meta, "hostname"))
		need_say(o, NEED_IDENTITY, VALID_OK, "");
}

bool sonic_parse_config(
	const struct target *t, const struct json_value *doc, struct obs *o, struct err *err)
{
	const struct json_value *wf = json_value_get(doc, "wf");
	const struct watchdog_columns columns = {sonic_column(wf, "action"),
		sonic_column(wf, "detection_time"), sonic_column(wf, "restoration_time")};
	struct sonic_qos qos;
	bool watchdog = false;

	if (!json_value_size(json_value_get(doc, "mf")))
		return err_set(err, ERR_PROTOCOL, t->device,
			"the settings reply has no field names: \"mf\" is missing");
	obs_expect(o, o->items.n + json_value_size(json_value_get(doc, "ports")) * SETTINGS_A_PORT,
		o->strings.n);
	parse_identity(doc, o);
	sonic_qos_begin(&qos, doc);
	for (json_value_members(e, json_value_get(doc, "ports"))) {
		const char *name = json_value_name(e);
		uint32_t port;

		if (!sonic_is_data_port(name))
			continue;
		port = obs_port(o, name);
		sonic_parse_qos(&qos, e, name, o, port);
		watchdog |= parse_watchdog_config(t, &columns, e, o, port);
	}
	if (o->ports.n)
		need_say(o, NEED_SCHEDULERS, qos.schedulers.n ? VALID_OK : VALID_DISABLED,
			qos.schedulers.n ? "" : SCHEDULER_CURE);
	sonic_qos_end(&qos);
	/* A part of a switch without ports knows nothing of their settings. */
	if (!o->ports.n)
		return true;
	need_say(o, NEED_WATCHDOG_CONFIG, watchdog ? VALID_OK : VALID_DISABLED,
		watchdog ? "" : WATCHDOG_CURE);
	sonic_parse_switch_qos(doc, o);
	return true;
}

/* ---- transceivers ---- */

static const enum obs_attr limited[] = {ATTR_RX_POWER_LIMIT, ATTR_TX_POWER_LIMIT,
	ATTR_TX_BIAS_LIMIT, ATTR_TEMPERATURE_LIMIT, ATTR_VOLTAGE_LIMIT};
#define LIMITED      (sizeof(limited) / sizeof(limited[0]))
#define MODULE_ITEMS (LIMITED * LIMIT_COUNT + 2)
#define NEEDS_ITEMS  8 /* in addition to those of the ports */

/* In the order of enum optics_limit. */
#define LIMITS_OF(what) what "lowalarm", what "lowwarning", what "highwarning", what "highalarm"
static const char *const limit_names[LIMITED * LIMIT_COUNT] = {LIMITS_OF("rxpower"),
	LIMITS_OF("txpower"), LIMITS_OF("txbias"), LIMITS_OF("temp"), LIMITS_OF("vcc")};

/* Modules without limits print "N/A", or the same number four times. */
static bool parse_limit(const enum number has[LIMIT_COUNT], const double v[LIMIT_COUNT],
	enum obs_attr attr, struct obs *o, uint32_t port)
{
	double limit[LIMIT_COUNT];

	for (unsigned i = 0; i < LIMIT_COUNT; i++)
		limit[i] = has[i] == NUMBER_OK ? v[i] : (double)NAN;
	return optics_limits(o, port, attr, limit);
}

/* Positions of the fields that name a module. */
struct module_columns {
	size_t type, model, code, compliance;
};

/*
 * "QSFP-DD 400GBASE-DR4 MMS1V00-WM": form factor, application in use and part number. The words of
 * "QSFP-DD Double Density 8X Pluggable Transceiver" leave no room for them.
 */
static void emit_media(struct obs *o, uint32_t port, const struct module_columns *x,
	const struct json_value *row, const char *application)
{
	char text[256], use[40];
	const char *type = json_value_text_or(sonic_at(row, x->type), "");
	const char *model = json_value_text_or(sonic_at(row, x->model), "");

	if (!optics_application(application, use, sizeof(use)) &&
		!optics_application(
			json_value_text_or(sonic_at(row, x->code), ""), use, sizeof(use)))
		(void)optics_application(
			json_value_text_or(sonic_at(row, x->compliance), ""), use, sizeof(use));
	if (!*type || str_eq(type, "N/A")) {
		json_value_word(o, port, ATTR_MEDIA, 0, sonic_at(row, x->type));
		return;
	}
	if (str_eq(model, "N/A"))
		model = "";
	if (!*use && !*model) {
		json_value_word(o, port, ATTR_MEDIA, 0, sonic_at(row, x->type));
		return;
	}
	(void)str_printf(text, sizeof(text), "%.*s%s%s%s%.40s", (int)strcspn(type, " "), type,
		*use ? " " : "", use, *model ? " " : "", model);
	obs_word(o, port, ATTR_MEDIA, 0, text);
}

bool sonic_parse_modules(
	const struct target *t, const struct json_value *doc, struct obs *o, struct err *err)
{
	const struct json_value *xf = json_value_get(doc, "xf");
	enum number has[LIMITED * LIMIT_COUNT];
	double v[LIMITED * LIMIT_COUNT] = {0};
	uint8_t columns[LIMITED * LIMIT_COUNT];
	struct module_columns x = {sonic_column(xf, "type"), sonic_column(xf, "model"),
		sonic_column(xf, "media_interface_code"),
		sonic_column(xf, "specification_compliance")};
	size_t serial = sonic_column(xf, "serial");
	bool limits = false;
	uint64_t changes;

	if (!json_value_size(xf))
		return err_set(err, ERR_PROTOCOL, t->device,
			"the transceiver reply has no field names: \"xf\" is missing");
	obs_expect(o,
		o->items.n + json_value_size(json_value_get(doc, "ports")) * MODULE_ITEMS +
			NEEDS_ITEMS,
		o->strings.n);
	sonic_columns(json_value_get(doc, "tf"), limit_names, LIMITED * LIMIT_COUNT, columns);
	for (json_value_members(e, json_value_get(doc, "ports"))) {
		const struct json_value *row = json_value_get(e, "x");
		const char *name = json_value_name(e);
		uint32_t port;

		if (!sonic_is_front_panel(name))
			continue;
		port = obs_port(o, name);
		sonic_reals(json_value_get(e, "h"), columns, LIMITED * LIMIT_COUNT, has, v);
		emit_media(o, port, &x, row, json_value_text_or(json_value_get(e, "a"), ""));
		if (json_value_u64(json_value_get(e, "f"), &changes))
			obs_count(o, port, CTR_OPTIC_FLAG_CHANGES, 0, changes);
		json_value_word(o, port, ATTR_MODULE_SN, 0, sonic_at(row, serial));
		for (size_t i = 0; i < LIMITED; i++)
			limits |= parse_limit(
				&has[i * LIMIT_COUNT], &v[i * LIMIT_COUNT], limited[i], o, port);
	}
	if (o->ports.n)
		need_say(o, NEED_OPTICS_LIMITS, limits ? VALID_OK : VALID_UNSUPPORTED, "");
	return true;
}
