/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "emulator/device/cumulus/dev_cumulus.h"

/* Interfaces in NVUE's model: link, statistics, PHY, neighbours, transceivers. */

#define EMPTY_BER "15E-255" /* printed by the firmware if it saw no errors */

json_t *cumulus_u64(uint64_t v)
{
	return json_integer((json_int_t)v);
}

json_t *cumulus_size(uint64_t bytes)
{
	static const char *const units[] = {"KB", "MB", "GB"};
	double v = (double)bytes;
	unsigned i = 0;

	if (bytes < 1024)
		return json_sprintf("%u Bytes", (unsigned)bytes);
	for (v /= 1024; v >= 1024 && i < 2; i++)
		v /= 1024;
	return json_sprintf("%.2f %s", v, units[i]);
}

json_t *cumulus_stats(const struct machine *m, const struct sim_port *p)
{
	(void)m;
	return json_pack("{s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "carrier-transitions",
		cumulus_u64(p->carrier_up + p->carrier_down), "in-bytes", cumulus_u64(p->rx_bytes),
		"in-drops", cumulus_u64(p->rx_discards), "in-errors", cumulus_u64(p->rx_errors),
		"in-pkts", cumulus_u64(p->rx_packets), "out-bytes", cumulus_u64(p->tx_bytes),
		"out-drops", cumulus_u64(p->tx_discards), "out-errors", cumulus_u64(p->tx_errors),
		"out-pkts", cumulus_u64(p->tx_packets));
}

static json_t *json_speed(unsigned mbps)
{
	return mbps % 1000 ? json_sprintf("%uM", mbps) : json_sprintf("%uG", mbps / 1000);
}

static json_t *link_of(const struct machine *m, const struct sim_port *p)
{
	char mac[18];
	json_t *o;

	personality_mac(m->d, p->port, mac);
	o = json_pack("{s:s,s:s,s:s,s:i,s:s,s:s,s:s,s:o,s:o,s:o}", "admin-status",
		p->config.admin_up ? "up" : "down", "oper-status", p->up ? "up" : "down",
		"auto-negotiate", "off", "mtu", (int)p->config.mtu, "mac-address", mac, "duplex",
		"full", "protodown", "disabled", "carrier-up-count", cumulus_u64(p->carrier_up),
		"carrier-down-count", cumulus_u64(p->carrier_down), "stats", cumulus_stats(m, p));
	/* Newer releases dropped the empty-object enumeration for both status words. */
	(void)json_object_set_new(o, "state", json_pack("{s:{}}", p->up ? "up" : "down"));
	if (p->up) {
		(void)json_object_set_new(o, "speed", json_speed(p->speed_mbps));
		(void)json_object_set_new(o, "fec", json_string("rs"));
		(void)json_object_set_new(o, "lanes", json_integer((json_int_t)p->lanes));
	}
	return o;
}

json_t *cumulus_lldp(const struct machine *m, const struct sim_port *p)
{
	struct lldp_peer peer;
	json_t *chassis, *port;

	if (!personality_lldp(m->ctx, p, &peer))
		return json_pack("{s:{}}", "neighbor");
	chassis = json_pack("{s:s,s:s,s:s,s:s,s:{s:s,s:s}}", "chassis-id", peer.chassis_id,
		"system-name", peer.name, "system-description", peer.system,
		"management-address-ipv4", peer.address, "capability", "is-bridge", "on",
		"is-router", "on");
	port = json_pack("{s:s,s:s,s:i}", "name", peer.port_id, "type",
		peer.local_id ? "local" : "ifname", "ttl", 120);
	if (peer.port_descr[0])
		(void)json_object_set_new(port, "description", json_string(peer.port_descr));
	return json_pack("{s:{s:{s:o,s:o,s:o}}}", "neighbor", peer.name, "age",
		json_sprintf("%lld",
			(long long)((sim_now(m->ctx->sim) - p->last_change_us) / CLOCK_SEC)),
		"chassis", chassis, "port", port);
}

json_t *cumulus_interface(const struct machine *m, const struct sim_port *p)
{
	return json_pack(
		"{s:s,s:o,s:o}", "type", "swp", "link", link_of(m, p), "lldp", cumulus_lldp(m, p));
}

/* The management port: always up, without traffic of the fabric. */
json_t *cumulus_eth0(const struct machine *m)
{
	uint64_t s = (uint64_t)(cumulus_uptime_us(m) / CLOCK_SEC);
	char address[24], prefix[32];
	json_t *stats = json_pack("{s:i,s:o,s:i,s:i,s:o,s:o,s:i,s:i,s:o}", "carrier-transitions", 2,
		"in-bytes", cumulus_u64(s * 1410), "in-drops", 0, "in-errors", 0, "in-pkts",
		cumulus_u64(s * 9), "out-bytes", cumulus_u64(s * 2205), "out-drops", 0,
		"out-errors", 0, "out-pkts", cumulus_u64(s * 8));

	personality_address(m->d, address);
	(void)str_printf(prefix, sizeof(prefix), "%s/16", address);
	return json_pack("{s:s,s:{s:s,s:s,s:s,s:i,s:s,s:{s:{}},s:o},s:{s:o,s:s}}", "type", "eth",
		"link", "admin-status", "up", "oper-status", "up", "speed", "1G", "mtu", 1500,
		"mac-address", m->d->mac_base, "state", "up", "stats", stats, "ip", "address",
		json_pack("{s:{}}", prefix), "vrf", "mgmt");
}

json_t *cumulus_interfaces(const struct machine *m, const struct sim_port *ignored)
{
	json_t *all = json_pack("{s:o}", "eth0", cumulus_eth0(m));
	unsigned i;

	(void)ignored;
	for (i = 0; i < m->d->nports; i++) {
		struct sim_port p = cumulus_counted(m, &m->d->ports[i]);

		(void)json_object_set_new_nocheck(all, p.name, cumulus_interface(m, &p));
	}
	return all;
}

/* One significant digit: the firmware has only a coefficient and a magnitude. */
static json_t *json_ber(double v)
{
	char text[16];
	int magnitude, digit;

	if (!(v > 0))
		return json_string(EMPTY_BER);
	magnitude = (int)floor(log10(v));
	digit = (int)(v / pow(10, magnitude) + 0.5);
	if (digit == 10) {
		digit = 1;
		magnitude++;
	}
	(void)str_printf(text, sizeof(text), "%dE%d", digit, magnitude);
	return json_string(text);
}

/* Distributes the port's errors over the lanes as counted per lane; evenly if no lane has any. */
static void phy_lanes(json_t *o, const struct sim_port *p)
{
	uint64_t errors, sum = 0;
	char key[32];
	unsigned i;

	for (i = 0; i < p->lanes; i++)
		sum += p->lane_corrected_bits[i];
	for (i = 0; i < p->lanes; i++) {
		errors = sum ? p->lane_corrected_bits[i] : p->fec_corrected_bits / p->lanes;
		(void)str_printf(key, sizeof(key), "phy-raw-errors-lane%u", i);
		(void)json_object_set_new(o, key, cumulus_u64(errors));
		(void)str_printf(key, sizeof(key), "raw-ber-lane%u", i);
		(void)json_object_set_new(o, key,
			json_ber(!p->up ? 0
				 : sum  ? p->pre_fec_ber * p->lanes * (double)errors / (double)sum
					: p->pre_fec_ber));
	}
}

json_t *cumulus_phy(const struct machine *m, const struct sim_port *p)
{
	struct cumulus_box *box = cumulus_box(m->ctx, m->d);
	int64_t cleared =
		box->phy_us && box->phy_us[p->port] ? box->phy_us[p->port] : m->d->boot_us;
	double seconds = (double)(sim_now(m->ctx->sim) - cleared) / (double)CLOCK_SEC;
	/* The line carries bits even without traffic. */
	double bits = p->up ? seconds * 1e6 * p->speed_mbps : 0;
	json_t *o = json_pack("{s:I,s:o,s:o,s:o,s:o,s:o,s:o}", "time-since-last-clear-min",
		(json_int_t)(seconds / 60), "phy-received-bits", json_sprintf("%.0f", bits),
		"symbol-errors", cumulus_u64(p->rx_symbol_errors), "effective-errors",
		cumulus_u64(p->fec_uncorrectable), "raw-ber", json_ber(p->up ? p->pre_fec_ber : 0),
		"symbol-ber", json_ber(bits > 0 ? (double)p->rx_symbol_errors / bits : 0),
		"effective-ber", json_ber(bits > 0 ? (double)p->fec_uncorrectable / bits : 0));
	char key[32];
	unsigned i;

	phy_lanes(o, p);
	for (i = 0; m->d->platform->fec_bins && i < 16; i++) {
		(void)str_printf(key, sizeof(key), "rs-num-corr-err-bin%u", i);
		(void)json_object_set_new(o, key, cumulus_u64(p->fec_bin[i]));
	}
	return o;
}

static json_t *json_power(double dbm)
{
	if (!isfinite(dbm) || dbm <= -40)
		return json_pack("{s:s,s:s}", "power", "0.0000 mW / -inf dBm", "alarm", "on");
	return json_pack("{s:o,s:s}", "power",
		json_sprintf("%.4f mW / %.2f dBm", pow(10, dbm / 10), dbm), "alarm", "off");
}

json_t *cumulus_transceiver(const struct machine *m, const struct sim_port *p)
{
	json_t *channels = json_object();
	double c = p->temperature_c;
	char key[16];
	unsigned i;

	for (i = 0; i < p->lanes; i++) {
		(void)str_printf(key, sizeof(key), "channel-%u", i + 1);
		(void)json_object_set_new(channels, key,
			json_pack("{s:o,s:o,s:{s:o,s:s}}", "rx-power",
				json_power(p->lane[i].rx_dbm), "tx-power",
				json_power(p->lane[i].tx_dbm), "tx-bias-current", "current",
				json_sprintf("%.3f mA", p->lane[i].bias_ma), "alarm", "off"));
	}
	return json_pack("{s:s,s:s,s:s,s:s,s:o,s:s,s:s,s:{s:o,s:s},s:{s:o,s:s},s:s,s:s,s:o}",
		"identifier", "OSFP", "cable-type", "Optical module", "vendor-name", "NVIDIA",
		"vendor-pn", "MMS4X00-NM", "vendor-sn",
		json_sprintf("MT2443FT%02u%03u", p->port % 100, m->d->index % 1000), "vendor-rev",
		"A1", "diagnostics-status", "Diagnostic Data Available", "temperature",
		"temperature", json_sprintf("%.2f degrees C / %.2f degrees F", c, c * 1.8 + 32),
		"alarm", "off", "voltage", "voltage", json_sprintf("%.4f V", p->voltage_v), "alarm",
		"off", "rx-los", p->rx_los ? "yes" : "no", "tx-fault", p->tx_fault ? "yes" : "no",
		"channel", channels);
}
