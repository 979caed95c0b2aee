/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backends/dialects/sonic/sonic.h"
#include "backends/contract/needs.h"
#include "backends/parse/lldp.h"
#include "backends/parse/optics.h"
#include "base/str.h"
#include "base/vec.h"
#include "fabric/vocabulary/counters.h"

/* Decodes transceiver readings (STATE_DB) and LLDP neighbours (APPL_DB). */

enum reading { TEMPERATURE, VOLTAGE, LANE_FIRST, READINGS = LANE_FIRST + 3 * LANES };
#define LANE(n) "rx" n "power", "tx" n "power", "tx" n "bias"
static const char *const readings[READINGS] = {"temperature", "voltage", LANE("1"), LANE("2"),
	LANE("3"), LANE("4"), LANE("5"), LANE("6"), LANE("7"), LANE("8")};
_Static_assert(LANES == 8, "readings[] names each lane");

/* Versatile diagnostics: eight lanes of each. The average is the better figure, where there is one.
 */
enum vdm { VDM_LASER, VDM_ESNR, VDM_MEDIA_AVG, VDM_HOST_AVG, VDM_MEDIA, VDM_HOST, VDM_KINDS };
static const char *const vdm_names[VDM_KINDS] = {"laser_temperature_media", "esnr_media_input",
	"prefec_ber_avg_media_input", "prefec_ber_avg_host_input", "prefec_ber_curr_media_input",
	"prefec_ber_curr_host_input"};
#define VDM_FIELDS ((size_t)VDM_KINDS * LANES)

enum pm { PM_ESNR, PM_BER, PM_FIELDS };
static const char *const pm_names[PM_FIELDS] = {"esnr_avg", "prefec_ber_avg"};

enum setting { INDEX, HOST_LANES, DOM_POLLING, SETTINGS };
static const char *const settings[SETTINGS] = {"index", "lanes", "dom_polling"};

enum neighbour {
	SYS_NAME,
	PORT_ID,
	PORT_DESC,
	PORT_ID_SUBTYPE,
	MAN_ADDR,
	SYS_DESC,
	CHASSIS_ID,
	NEIGHBOUR
};
static const char *const neighbour[NEIGHBOUR] = {"lldp_rem_sys_name", "lldp_rem_port_id",
	"lldp_rem_port_desc", "lldp_rem_port_id_subtype", "lldp_rem_man_addr", "lldp_rem_sys_desc",
	"lldp_rem_chassis_id"};

static void parse_module(const uint8_t *columns, const struct json_value *row, struct optics *x)
{
	enum number has[READINGS];
	double v[READINGS] = {0};

	sonic_reals(row, columns, READINGS, has, v);
	x->has_temperature = has[TEMPERATURE] == NUMBER_OK;
	x->temperature = v[TEMPERATURE];
	x->has_voltage = has[VOLTAGE] == NUMBER_OK;
	x->voltage = v[VOLTAGE];
	for (unsigned lane = 0; lane < LANES; lane++) {
		unsigned at = LANE_FIRST + 3 * lane;

		x->lane[lane] = (struct optics_lane){.has_rx = has[at],
			.has_tx = has[at + 1],
			.has_bias = has[at + 2],
			.rx_dbm = v[at],
			.tx_dbm = v[at + 1],
			.bias_ma = v[at + 2]};
	}
}

/*
 * ---- modules that several ports share ----
 * xcvrd posts the readings of a module under the first port of a breakout only (releases before
 * 2024: under each of them), always with all its lanes. The lanes belong to the ports in order,
 * like the host lanes.
 */

struct module_port {
	const char *name;
	const struct json_value *readings, *neighbour; /* rows of the port, NULL: none */
	const struct json_value *vdm, *pm;
	const char *index;  /* of the cage; "": unknown, then the port has a cage of its own */
	const char *dom;    /* "disabled": monitoring is off */
	uint64_t index_key; /* first bytes of the index */
	uint64_t number;    /* 12 of "Ethernet12" */
	unsigned lanes;     /* host lanes */
};

struct module_ports {
	const struct json_value *doc;
	VEC(struct module_port) at;
	/* Positions in the answer's lists of fields. */
	uint8_t readings[READINGS], settings[SETTINGS], neighbour[NEIGHBOUR];
	uint8_t vdm[VDM_FIELDS], pm[PM_FIELDS];
	bool lldp_off, neighbours; /* LLDP is off; at least one port has a neighbour */
};

static int compare_ports(const void *a, const void *b)
{
	const struct module_port *x = a, *y = b;
	int order;

	if (x->index_key != y->index_key)
		return x->index_key > y->index_key ? 1 : -1;
	order = strcmp(x->index, y->index);
	return order ? order : (x->number > y->number) - (x->number < y->number);
}

/* The first eight bytes of a text, as a number for comparisons. */
static uint64_t key_of(const char *s)
{
	uint64_t key = 0;

	for (unsigned i = 0; i < sizeof(key) && s[i]; i++)
		key |= (uint64_t)(unsigned char)s[i] << (8 * (sizeof(key) - 1 - i));
	return key;
}

static void collect_port(struct module_ports *all, const struct json_value *e)
{
	struct module_port m = {.name = json_value_name(e), .lanes = 1};
	const struct json_value *row = NULL;
	const char *text[SETTINGS], *lanes;

	for (json_value_members(v, e)) {
		const char *name = json_value_name(v);

		if (!*name || name[1])
			continue;
		if (*name == 'd')
			m.readings = v;
		else if (*name == 'v')
			m.vdm = v;
		else if (*name == 'q')
			m.pm = v;
		else if (*name == 'l')
			m.neighbour = v;
		else if (*name == 'p')
			row = v;
	}
	sonic_texts(row, all->settings, SETTINGS, text);
	m.index = text[INDEX];
	m.index_key = key_of(m.index);
	m.dom = text[DOM_POLLING];
	(void)parse_leading_u64(m.name + 8, strlen(m.name + 8), &m.number);
	for (lanes = text[HOST_LANES]; *lanes && m.lanes < LANES; lanes++)
		m.lanes += *lanes == ',';
	vec_push(&all->at, m);
}

static void collect_ports(struct module_ports *all)
{
	const struct json_value *ports = json_value_get(all->doc, "ports");

	vec_reserve(&all->at, json_value_size(ports));
	for (json_value_members(e, ports))
		if (sonic_is_front_panel(json_value_name(e)))
			collect_port(all, e);
	if (all->at.n)
		qsort(all->at.at, all->at.n, sizeof(all->at.at[0]), compare_ports);
}

static bool lane_was_read(const struct optics_lane *l)
{
	return l->has_rx != NUMBER_NONE || l->has_tx != NUMBER_NONE || l->has_bias != NUMBER_NONE;
}

/*
 * Keeps the lanes that belong to the host lanes from..from+n-1 out of all; a lane that all share
 * stays.
 */
static void keep_lanes(struct optics *x, unsigned from, unsigned n, unsigned all)
{
	unsigned media = LANES, first, end;

	while (media && !lane_was_read(&x->lane[media - 1]))
		media--;
	first = media * from / all;
	end = media * (from + n) / all;
	for (unsigned lane = 0; first < end && lane < LANES; lane++)
		if (lane < first || lane >= end)
			x->lane[lane] = (struct optics_lane){0};
}

static void dom_is_off(struct obs *o, uint32_t port, const char *first)
{
	static const enum counter_id ids[] = {CTR_TEMPERATURE_C, CTR_VOLTAGE_V, CTR_RX_POWER_DBM,
		CTR_TX_POWER_DBM, CTR_TX_BIAS_MA};
	char cure[128];

	str_printf(cure, sizeof(cure), "sudo config interface transceiver dom %s enable", first);
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
		obs_invalid(o, port, ids[i], 0, VALID_DISABLED, cure);
}

/*
 * Returns true if there is a neighbour. off: LLDP is off, so that a missing neighbour says nothing
 * about the cable.
 */
static bool parse_neighbour(const uint8_t *columns, const struct json_value *row, bool off,
	struct obs *o, uint32_t port)
{
	const char *text[NEIGHBOUR];
	struct lldp_peer peer;

	sonic_texts(row, columns, NEIGHBOUR, text);
	peer = (struct lldp_peer){
		.device = text[SYS_NAME],
		.chassis_id = text[CHASSIS_ID],
		.port_id = text[PORT_ID],
		.port_desc = text[PORT_DESC],
		.id_kind = lldp_kind_of_subtype(text[PORT_ID_SUBTYPE]),
		.mgmt = text[MAN_ADDR],
		.descr = text[SYS_DESC],
	};
	if (lldp_add(o, port, &peer))
		return true;
	if (!off)
		obs_lldp(o, port, "", "");
	return false;
}

/* ---- versatile diagnostics ---- */

struct vdm_row {
	enum number has[VDM_FIELDS];
	double v[VDM_FIELDS];
};

/*
 * The worst of the lanes that belong to the host lanes from..from+n-1 out of all; NAN: none was
 * read. Modules report eight host lanes, and one to eight media lanes.
 */
static double worst_lane(const struct vdm_row *r, enum vdm kind, bool lowest, unsigned from,
	unsigned n, unsigned all)
{
	const enum number *has = &r->has[(size_t)kind * LANES];
	const double *v = &r->v[(size_t)kind * LANES];
	double worst = (double)NAN;
	unsigned lanes = LANES;

	while (lanes && has[lanes - 1] != NUMBER_OK)
		lanes--;
	for (unsigned i = lanes * from / all; i < lanes * (from + n) / all; i++) {
		/* A module without a signal reports a ratio of 0. */
		if (has[i] != NUMBER_OK || v[i] < 0 || (kind == VDM_ESNR && v[i] == 0))
			continue;
		worst = lowest ? fmin(worst, v[i]) : fmax(worst, v[i]);
	}
	return worst;
}

static void emit_worst(struct obs *o, uint32_t port, enum counter_id id, double v, double otherwise)
{
	v = isnan(v) ? otherwise : v;
	if (!isnan(v))
		obs_gauge(o, port, id, 0, v);
}

static void parse_vdm(const struct module_ports *all, const struct module_port *m,
	const struct module_port *first, unsigned from, unsigned lanes, struct obs *o,
	uint32_t port)
{
	const struct json_value *row = m->vdm ? m->vdm : first->vdm;
	const struct json_value *pm = m->pm ? m->pm : first->pm;
	struct vdm_row r = {.has = {0}};
	enum number has[PM_FIELDS] = {NUMBER_NONE};
	double v[PM_FIELDS] = {0}, media, host;

	if (row)
		sonic_reals(row, all->vdm, VDM_FIELDS, r.has, r.v);
	if (pm)
		sonic_reals(pm, all->pm, PM_FIELDS, has, v);
	media = worst_lane(&r, VDM_MEDIA_AVG, false, from, m->lanes, lanes);
	host = worst_lane(&r, VDM_HOST_AVG, false, from, m->lanes, lanes);
	if (isnan(media))
		media = worst_lane(&r, VDM_MEDIA, false, from, m->lanes, lanes);
	if (isnan(host))
		host = worst_lane(&r, VDM_HOST, false, from, m->lanes, lanes);
	emit_worst(o, port, CTR_LASER_TEMPERATURE_C,
		worst_lane(&r, VDM_LASER, false, from, m->lanes, lanes), (double)NAN);
	emit_worst(o, port, CTR_ESNR_MEDIA_DB,
		worst_lane(&r, VDM_ESNR, true, from, m->lanes, lanes),
		has[PM_ESNR] == NUMBER_OK && v[PM_ESNR] > 0 ? v[PM_ESNR] : (double)NAN);
	emit_worst(o, port, CTR_PRE_FEC_BER_MEDIA, media,
		has[PM_BER] == NUMBER_OK ? v[PM_BER] : (double)NAN);
	emit_worst(o, port, CTR_PRE_FEC_BER_HOST, host, (double)NAN);
}

static void vdm_columns(struct module_ports *all)
{
	char names[VDM_FIELDS][40];
	const char *list[VDM_FIELDS];

	for (unsigned i = 0; i < VDM_FIELDS; i++) {
		str_printf(names[i], sizeof(names[i]), "%s%u", vdm_names[i / LANES], i % LANES + 1);
		list[i] = names[i];
	}
	sonic_columns(json_value_get(all->doc, "vf"), list, VDM_FIELDS, all->vdm);
	sonic_columns(json_value_get(all->doc, "qf"), pm_names, PM_FIELDS, all->pm);
}

static bool was_read(const struct json_value *row)
{
	return json_value_is(row, DV_STRING) || json_value_is(row, DV_ARRAY);
}

/* Decodes the ports of one module with their readings and neighbours. */
static void parse_cage(
	struct module_ports *ports, const struct module_port *m, size_t n, struct obs *o)
{
	const struct json_value *shared = m[0].readings;
	unsigned all = 0, from = 0;

	for (size_t i = 0; i < n; i++)
		all += m[i].lanes;
	for (size_t i = 0; i < n; from += m[i++].lanes) {
		const struct json_value *own = m[i].readings;
		uint32_t port = obs_port(o, m[i].name);
		struct optics x = {0};

		ports->neighbours |=
			parse_neighbour(ports->neighbour, m[i].neighbour, ports->lldp_off, o, port);
		/* The database keeps readings from before monitoring was disabled. */
		if (str_eq(m[0].dom, "disabled")) {
			dom_is_off(o, port, m[0].name);
			continue;
		}
		if (was_read(own) || was_read(shared))
			parse_module(ports->readings, was_read(own) ? own : shared, &x);
		if (n > 1)
			keep_lanes(&x, from, m[i].lanes, all);
		optics_emit(&x, o, port);
		parse_vdm(ports, &m[i], &m[0], from, all, o, port);
	}
}

/* Items of a port with four lanes: its readings, and its neighbour. */
#define ITEMS_A_PORT 18

static void parse_cages(struct module_ports *all, struct obs *o)
{
	sonic_columns(json_value_get(all->doc, "df"), readings, READINGS, all->readings);
	sonic_columns(json_value_get(all->doc, "cf"), settings, SETTINGS, all->settings);
	sonic_columns(json_value_get(all->doc, "lf"), neighbour, NEIGHBOUR, all->neighbour);
	vdm_columns(all);
	collect_ports(all);
	obs_expect(o, o->items.n + all->at.n * ITEMS_A_PORT, o->strings.n);
	for (size_t i = 0, n; i < all->at.n; i += n) {
		const struct module_port *m = &all->at.at[i];

		for (n = 1; *m->index && i + n < all->at.n && str_eq(m[n].index, m->index);)
			n++;
		if (n <= LANES) {
			parse_cage(all, m, n, o);
			continue;
		}
		/* No cage has that many ports, so the index is meaningless. */
		for (size_t k = 0; k < n; k++)
			parse_cage(all, m + k, 1, o);
	}
	vec_free(&all->at);
}

bool sonic_parse_optics(
	const struct target *t, const struct json_value *doc, struct obs *o, struct err *err)
{
	const char *lldp = json_value_text_or(json_value_get(doc, "lldp"), "");
	struct module_ports all = {.doc = doc,
		.lldp_off = str_eq(lldp, "disabled") || str_eq(lldp, "always_disabled")};
	bool off;

	if (!json_value_size(json_value_get(doc, "df")))
		return err_set(err, ERR_PROTOCOL, t->device,
			"the optics reply has no field names: \"df\" is missing");
	parse_cages(&all, o);
	sonic_parse_lags(doc, o);
	sonic_parse_pools(doc, o);
	sonic_parse_far(t, doc, o);
	off = all.lldp_off && !all.neighbours;
	if (o->ports.n)
		need_say(o, NEED_LLDP, off ? VALID_DISABLED : VALID_OK,
			off ? "sudo config feature state lldp enabled" : "");
	return true;
}
