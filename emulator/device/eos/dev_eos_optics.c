/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/json_out.h"
#include "base/str.h"
#include "emulator/device/eos/dev_eos.h"

/* Data of the PHYs and of the modules. */

static json_t *json_changing(json_t *value, uint64_t changes, double when)
{
	return json_pack("{s:o,s:o,s:f}", "value", value, "changes", eos_u64(changes), "lastChange",
		changes ? when : 0.0);
}

static json_t *line_fec(const struct sim_port *p, double now)
{
	json_t *map = json_object();
	char name[4];
	unsigned i;

	for (i = 0; i < p->lanes; i++) {
		(void)str_printf(name, sizeof(name), "%u", i);
		(void)json_object_set_new_nocheck(map, name, json_integer((json_int_t)i));
	}
	return json_pack("{s:o,s:o,s:o,s:o}", "hiSer", json_changing(json_false(), 0, 0),
		"correctedCodewords",
		json_changing(eos_u64(p->fec_corrected), p->fec_corrected, now),
		"uncorrectedCodewords",
		json_changing(eos_u64(p->fec_uncorrectable), p->fec_uncorrectable, now), "laneMap",
		map);
}

/* The PHY chip between MAC and line sees both sides; the MAC side has no line errors. */
static json_t *json_phy(const struct machine *m, const struct sim_port *p)
{
	double now = p->counters_us ? eos_seconds(m, p->counters_us) : eos_now(m);
	double change = eos_seconds(m, p->last_change_us);
	json_t *line = json_pack("{s:{s:s,s:s},s:o,s:{s:f},s:{s:{}},s:o}", "description",
		"phyChipName", "BCM78900-PM8x100", "location", "line", "fec", line_fec(p, now),
		"preFecBer", "value", p->pre_fec_ber, "pma", "laneTxStatus", "phyState",
		json_changing(json_string(p->up ? "linkUp" : "linkDown"),
			p->carrier_up + p->carrier_down, change));
	json_t *system = json_pack("{s:{s:s,s:s},s:{s:o,s:o},s:{s:f}}", "description",
		"phyChipName", "BCM78900-PM8x100", "location", "system", "fec",
		"correctedCodewords", json_changing(eos_u64(0), 0, 0), "uncorrectedCodewords",
		json_changing(eos_u64(0), 0, 0), "preFecBer", "value", 1.3e-12);

	return json_pack("{s:[{s:{s:s}},o,o],s:{},s:{},s:{}}", "phyStatuses", "description",
		"phyChipName", "BCM78900", system, line, "interfaceState", "transceiver",
		"macFaults");
}

json_t *eos_phy(const struct machine *m, const char *wanted)
{
	return eos_per_port(m, wanted, "interfacePhyStatuses", json_phy);
}

static json_t *json_threshold(double low_alarm, double low, double high, double high_alarm)
{
	return json_pack("{s:f,s:b,s:f,s:b,s:f,s:b,s:f,s:b}", "lowAlarm", low_alarm,
		"lowAlarmOverridden", 0, "lowWarn", low, "lowWarnOverridden", 0, "highWarn", high,
		"highWarnOverridden", 0, "highAlarm", high_alarm, "highAlarmOverridden", 0);
}

static json_t *json_parameter(const char *unit, json_t *channels, json_t *limits)
{
	return json_pack("{s:s,s:o,s:o}", "unit", unit, "channels", channels, "threshold", limits);
}

static json_t *json_lanes(const struct sim_port *p, char what)
{
	json_t *all = json_object();
	char name[4];
	unsigned i;

	for (i = 0; i < p->lanes; i++) {
		double v = what == 'r'   ? p->lane[i].rx_dbm
			   : what == 't' ? p->lane[i].tx_dbm
					 : p->lane[i].bias_ma;

		(void)str_printf(name, sizeof(name), "%u", i + 1);
		/* A dark lane reads the minimum of the converter. */
		(void)json_object_set_new_nocheck(
			all, name, json_number_or_null(isfinite(v) ? fmax(v, -40) : -40));
	}
	return all;
}

static json_t *json_optics(const struct machine *m, const struct sim_port *p)
{
	return json_pack("{s:s,s:s,s:o,s:{s:o,s:o,s:o,s:o,s:o}}", "displayName", p->name,
		"mediaType", "400GBASE-DR4", "vendorSn",
		json_sprintf("XTH%04u%02u", m->d->index, p->port), "parameters", "temperature",
		json_parameter("C", json_pack("{s:f}", "-", p->temperature_c),
			json_threshold(-5, 0, 70, 75)),
		"voltage",
		json_parameter("V", json_pack("{s:f}", "-", p->voltage_v),
			json_threshold(2.97, 3.13, 3.46, 3.63)),
		"txBias", json_parameter("mA", json_lanes(p, 'b'), json_threshold(20, 25, 85, 90)),
		"rxPower",
		json_parameter("dBm", json_lanes(p, 'r'), json_threshold(-9, -6.5, 4, 5.5)),
		"txPower",
		json_parameter("dBm", json_lanes(p, 't'), json_threshold(-5.5, -3, 4, 5.5)));
}

json_t *eos_optics(const struct machine *m, const char *wanted)
{
	return eos_per_port(m, wanted, "interfaces", json_optics);
}

static double floor_dbm(double v)
{
	return isfinite(v) ? fmax(v, -40) : -40;
}

/* The short form has one value per port, that of the first lane. */
static json_t *json_transceiver(const struct machine *m, const struct sim_port *p)
{
	return json_pack("{s:s,s:s,s:o,s:b,s:f,s:f,s:f,s:f,s:f,s:f}", "displayName", p->name,
		"mediaType", "400GBASE-DR4", "vendorSn",
		json_sprintf("XTH%04u%02u", m->d->index, p->port), "narrowBand", 0, "rxPower",
		floor_dbm(p->lane[0].rx_dbm), "txPower", floor_dbm(p->lane[0].tx_dbm), "txBias",
		p->lane[0].bias_ma, "temperature", p->temperature_c, "voltage", p->voltage_v,
		"updateTime", p->counters_us ? eos_seconds(m, p->counters_us) : eos_now(m));
}

json_t *eos_transceiver(const struct machine *m, const char *wanted)
{
	return eos_per_port(m, wanted, "interfaces", json_transceiver);
}
