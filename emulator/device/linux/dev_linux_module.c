/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "emulator/device/linux/dev_linux.h"

/* `ethtool -m` of version 6.1 for a CMIS module with eight lanes, four of them in use. */

#define MODULE_LANES 8u
#define FLOOR_DBM    (-40.0) /* reading of a dark receiver */

static void print_power(struct buf *out, const char *name, unsigned lane, bool used, double dbm)
{
	double mw = pow(10, dbm / 10);

	if (!used || !isfinite(dbm) || dbm <= FLOOR_DBM)
		(void)buf_addf(out, "\t%s (Channel %u)%s: 0.0000 mW / -inf dBm\n", name, lane + 1,
			name[0] == 'T' ? "    " : " ");
	else
		(void)buf_addf(out, "\t%s (Channel %u)%s: %.4f mW / %.2f dBm\n", name, lane + 1,
			name[0] == 'T' ? "    " : " ", mw, dbm);
}

static void print_lanes(const struct sim_port *p, struct buf *out)
{
	unsigned i;

	for (i = 0; i < MODULE_LANES; i++)
		(void)buf_addf(out, "\tLaser tx bias current (Channel %u)         : %.3f mA\n",
			i + 1, i < p->lanes ? p->lane[i].bias_ma : 0.0);
	for (i = 0; i < MODULE_LANES; i++)
		print_power(out, "Transmit avg optical power", i, i < p->lanes, p->lane[i].tx_dbm);
	for (i = 0; i < MODULE_LANES; i++)
		print_power(
			out, "Rcvr signal avg optical power", i, i < p->lanes, p->lane[i].rx_dbm);
}

static void print_flag(struct buf *out, const char *label, bool on)
{
	(void)buf_addf(out, "\t%-42s: %s\n", label, on ? "On" : "Off");
}

/* Flags in the order of the module's memory: high and low alarm, high and low warning. */
static unsigned level_flags(double v, double low_alarm, double low, double high, double high_alarm)
{
	if (!isfinite(v))
		v = FLOOR_DBM;
	return (unsigned)(v > high_alarm) | (unsigned)(v < low_alarm) << 1 |
	       (unsigned)(v > high) << 2 | (unsigned)(v < low) << 3;
}

static void lane_flags(struct buf *out, const char *what, const char *channel, unsigned lane,
	const char *gap, unsigned set)
{
	static const char *const level[] = {
		"high alarm  ", "low alarm   ", "high warning", "low warning "};
	unsigned k;

	for (k = 0; k < 4; k++)
		(void)buf_addf(out, "\t%s %s (%s %u)%s: %s\n", what, level[k], channel, lane + 1,
			gap, set >> k & 1 ? "On" : "Off");
}

static void print_flags(const struct sim_port *p, struct buf *out)
{
	static const char *const module[] = {"Module temperature high alarm",
		"Module temperature low alarm", "Module temperature high warning",
		"Module temperature low warning", "Module voltage high alarm",
		"Module voltage low alarm", "Module voltage high warning",
		"Module voltage low warning"};
	unsigned set = level_flags(p->temperature_c, -10, 0, 70, 80) |
		       level_flags(p->voltage_v, 3.135, 3.168, 3.432, 3.465) << 4;
	unsigned i;

	for (i = 0; i < sizeof(module) / sizeof(module[0]); i++)
		print_flag(out, module[i], set >> i & 1);
	for (i = 0; i < MODULE_LANES; i++) {
		const struct sim_lane *l = i < p->lanes ? &p->lane[i] : NULL;

		lane_flags(out, "Laser bias current", "Chan", i, "  ",
			l ? level_flags(l->bias_ma, 20, 25, 85, 90) : 0);
		lane_flags(out, "Laser tx power", "Channel", i, "   ",
			l ? level_flags(l->tx_dbm, -5.5, -3, 4, 5.5) : 0);
		lane_flags(out, "Laser rx power", "Channel", i, "   ",
			l ? level_flags(l->rx_dbm, -9, -6.5, 4, 5.5) : 0);
	}
}

/* Prints one word per lane if any lane has the state. */
static void lane_states(const struct sim_port *p, const char *label, bool on, struct buf *out)
{
	unsigned i;

	(void)buf_addf(out, "\t%-42s: ", label);
	if (!on) {
		(void)buf_adds(out, "None\n");
		return;
	}
	for (i = 0; i < MODULE_LANES; i++)
		(void)buf_addf(out, "%s%s", i ? ", " : "[ ", i < p->lanes ? "Yes" : "No");
	(void)buf_adds(out, " ]\n");
}

static const char thresholds[] =
	"\tLaser bias current high alarm threshold   : 90.000 mA\n"
	"\tLaser bias current low alarm threshold    : 20.000 mA\n"
	"\tLaser bias current high warning threshold : 85.000 mA\n"
	"\tLaser bias current low warning threshold  : 25.000 mA\n"
	"\tLaser output power high alarm threshold   : 3.5481 mW / 5.50 dBm\n"
	"\tLaser output power low alarm threshold    : 0.2818 mW / -5.50 dBm\n"
	"\tLaser output power high warning threshold : 2.5119 mW / 4.00 dBm\n"
	"\tLaser output power low warning threshold  : 0.5012 mW / -3.00 dBm\n"
	"\tModule temperature high alarm threshold   : 80.00 degrees C / 176.00 degrees F\n"
	"\tModule temperature low alarm threshold    : -10.00 degrees C / 14.00 degrees F\n"
	"\tModule temperature high warning threshold : 70.00 degrees C / 158.00 degrees F\n"
	"\tModule temperature low warning threshold  : 0.00 degrees C / 32.00 degrees F\n"
	"\tModule voltage high alarm threshold       : 3.4650 V\n"
	"\tModule voltage low alarm threshold        : 3.1350 V\n"
	"\tModule voltage high warning threshold     : 3.4320 V\n"
	"\tModule voltage low warning threshold      : 3.1680 V\n"
	"\tLaser rx power high alarm threshold       : 3.5481 mW / 5.50 dBm\n"
	"\tLaser rx power low alarm threshold        : 0.1259 mW / -9.00 dBm\n"
	"\tLaser rx power high warning threshold     : 2.5119 mW / 4.00 dBm\n"
	"\tLaser rx power low warning threshold      : 0.2239 mW / -6.50 dBm\n";

static const char identity[] =
	"\tIdentifier                                : 0x19 (OSFP 8X Pluggable Transceiver)\n"
	"\tPower class                               : 6\n"
	"\tMax power                                 : 9.00W\n"
	"\tConnector                                 : 0x0c (MPO Parallel Optic)\n"
	"\tCable assembly length                     : 0.00m\n"
	"\tTx CDR bypass control                     : No\n"
	"\tRx CDR bypass control                     : No\n"
	"\tTx CDR                                    : Yes\n"
	"\tRx CDR                                    : Yes\n"
	"\tTransmitter technology                    : 0x06 (1310 nm EML)\n"
	"\tLaser wavelength                          : 1311.000nm\n"
	"\tLaser wavelength tolerance                : 6.000nm\n"
	"\tLength (SMF)                              : 0.50km\n"
	"\tLength (OM5)                              : 0m\n"
	"\tLength (OM4)                              : 0m\n"
	"\tLength (OM3 50/125um)                     : 0m\n"
	"\tLength (OM2 50/125um)                     : 0m\n"
	"\tVendor name                               : NVIDIA\n"
	"\tVendor OUI                                : 48:b0:2d\n"
	"\tVendor PN                                 : MMS4X00-NS400\n"
	"\tVendor rev                                : A3\n";

int linux_ethtool_module(const struct sim_port *p, struct buf *out)
{
	(void)buf_adds(out, identity);
	(void)buf_addf(out,
		"\tVendor SN                                 : MT2334FT%03u%02u\n"
		"\tDate code                                 : 230821\n"
		"\tRevision compliance                       : Rev. 5.2\n"
		"\tModule State                              : 0x03 (ModuleReady)\n"
		"\tLowPwrAllowRequestHW                      : On\n"
		"\tLowPwrRequestSW                           : Off\n"
		"\tModule temperature                        : %.2f degrees C / %.2f degrees F\n"
		"\tModule voltage                            : %.4f V\n",
		p->device, p->port, p->temperature_c, p->temperature_c * 1.8 + 32, p->voltage_v);
	lane_states(p, "Rx loss of signal", p->rx_los, out);
	lane_states(p, "Tx fault", p->tx_fault, out);
	print_lanes(p, out);
	print_flags(p, out);
	(void)buf_adds(out, thresholds);
	return 0;
}
