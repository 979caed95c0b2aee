/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "backends/dialects/nxos/nxos.h"
#include "backends/parse/optics.h"
#include "base/str.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/*
 * Decodes "show interface transceiver details": a row per port, with a row per lane if the module
 * measures.
 */

static const struct {
	const char *key, *limits; /* "rx_pwr", then "rx_pwr_alrm_lo" ... */
	enum obs_attr attr;
} readings[] = {
	{"temperature", "temp", ATTR_TEMPERATURE_LIMIT},
	{"voltage", "volt", ATTR_VOLTAGE_LIMIT},
	{"current", "current", ATTR_TX_BIAS_LIMIT},
	{"tx_pwr", "tx_pwr", ATTR_TX_POWER_LIMIT},
	{"rx_pwr", "rx_pwr", ATTR_RX_POWER_LIMIT},
};
enum { CURRENT = 2, TX, RX };

static const char *const limit_names[LIMIT_COUNT] = {
	[LIMIT_LOW_ALARM] = "alrm_lo",
	[LIMIT_LOW_WARN] = "warn_lo",
	[LIMIT_HIGH_WARN] = "warn_hi",
	[LIMIT_HIGH_ALARM] = "alrm_hi",
};

struct module {
	struct nxos_job *j;
	uint32_t port;
	struct optics x;
	bool limits_said;
};

static enum number limit_of(const struct json_value *lane, size_t what, unsigned limit, double *v)
{
	char key[40];

	str_printf(key, sizeof(key), "%s_%s", readings[what].limits, limit_names[limit]);
	return json_value_real(json_value_get(lane, key), v);
}

/* "N/A" for a reading with limits: the module measures, and there is no light. */
static enum number power_of(const struct json_value *lane, size_t what, double *v)
{
	const struct json_value *text = json_value_get(lane, readings[what].key);
	enum number has = json_value_real(text, v);
	double limit;

	if (has == NUMBER_NONE && text &&
		limit_of(lane, what, LIMIT_LOW_ALARM, &limit) == NUMBER_OK)
		return NUMBER_MINUS_INF;
	return has;
}

static void add_limits(struct module *m, const struct json_value *lane)
{
	double v[LIMIT_COUNT];

	for (size_t i = 0; i < ARRAY_LEN(readings); i++) {
		for (unsigned limit = 0; limit < LIMIT_COUNT; limit++)
			if (limit_of(lane, i, limit, &v[limit]) != NUMBER_OK)
				v[limit] = (double)NAN;
		m->limits_said |= optics_limits(m->j->o, m->port, readings[i].attr, v);
	}
}

static void lane_row(void *ctx, const struct json_value *lane)
{
	struct module *m = ctx;
	struct optics_lane *l;
	uint64_t n = 1;

	(void)json_value_u64(json_value_get(lane, "lane_number"), &n);
	if (n < 1 || n > LANES)
		return;
	l = &m->x.lane[n - 1];
	/* Modules with one lane have these beside the lane, others in each lane. */
	m->x.has_temperature |= json_value_real(json_value_get(lane, "temperature"),
					&m->x.temperature) == NUMBER_OK;
	m->x.has_voltage |=
		json_value_real(json_value_get(lane, "voltage"), &m->x.voltage) == NUMBER_OK;
	l->has_bias = json_value_real(json_value_get(lane, readings[CURRENT].key), &l->bias_ma);
	l->has_tx = power_of(lane, TX, &l->tx_dbm);
	l->has_rx = power_of(lane, RX, &l->rx_dbm);
	if (!m->limits_said)
		add_limits(m, lane);
}

struct modules {
	struct nxos_job *j;
	bool limits_said;
};

static void optics_row(void *ctx, const struct json_value *row)
{
	struct modules *all = ctx;
	struct nxos_job *j = all->j;
	struct module m = {.j = j, .port = nxos_port(j, json_value_get(row, "interface"))};

	if (m.port == OBS_NO_PORT ||
		strstr(json_value_text_or(json_value_get(row, "sfp"), ""), "not "))
		return;
	optics_media(j->o, m.port, json_value_text_or(json_value_get(row, "type"), ""),
		json_value_text_or(json_value_get(row, "partnum"), ""));
	json_value_word(j->o, m.port, ATTR_MODULE_SN, 0, json_value_get(row, "serialnum"));
	nxos_each(row, "lane", lane_row, &m);
	/* Some releases have the readings of a module with one lane in its own row. */
	if (!json_value_get(row, "TABLE_lane"))
		lane_row(&m, row);
	optics_emit(&m.x, j->o, m.port);
	all->limits_said |= m.limits_said;
}

void nxos_optics(struct nxos_job *j, const struct json_value *body)
{
	struct modules all = {.j = j};

	nxos_each(body, "interface", optics_row, &all);
	needs_report(j->o, optics_needs, optics_needs_count);
	optics_report_vdm(j->o, "show interface transceiver details has no field for it");
	if (all.limits_said)
		need_say(j->o, NEED_OPTICS_LIMITS, VALID_OK, "");
}
