/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/diagnosis/engine/incidents.h"

#include <stddef.h>

#include "fabric/vocabulary/counters.h"

#define BEGINS 4
#define ENDS   16

const char *incident_name(enum incident which)
{
	static const char *const names[INCIDENT_COUNT] = {
		"flap", "storm", "straggler", "watchdog", "bgp", "wiring", "mixed"};

	return names[which];
}

static void flap(struct stand *s, unsigned n)
{
	if (n >= BEGINS && n <= ENDS)
		stand_link(s, "leaf-r0-00:Ethernet16", n % 3 != 1);
}

static void storm(struct stand *s, unsigned n)
{
	if (n == BEGINS) {
		stand_hold(s, "leaf-r0-00:Ethernet0", 60);
		stand_load(s, "leaf-r0-00:Ethernet0", 30);
		stand_hold(s, "spine-000:Ethernet1/1", 35);
		stand_hold(s, "spine-001:Ethernet1/1", 20);
		stand_rate(s, "leaf-r0-00:Ethernet0", CTR_ECN_MARKED_PACKETS, STAND_LOSSLESS, 5000);
	}
	if (n == BEGINS + 3)
		stand_hold(s, "leaf-r0-01:Ethernet16", 25);
	if (n != ENDS)
		return;
	stand_hold(s, "leaf-r0-00:Ethernet0", 0);
	stand_hold(s, "spine-000:Ethernet1/1", 0);
	stand_hold(s, "spine-001:Ethernet1/1", 0);
	stand_hold(s, "leaf-r0-01:Ethernet16", 0);
	stand_load(s, "leaf-r0-00:Ethernet0", 10);
}

static void straggler(struct ring *r, unsigned n)
{
	ring_play(r, 2);
	if (n == BEGINS + 6)
		r->gap[3] += 6000;
	if (n == BEGINS + 9)
		r->slow[1][2] = 4;
	if (n == ENDS + 2)
		r->gap[3] = RING_GAP;
}

static void watchdog(struct stand *s, unsigned n)
{
	const char *port = "leaf-r1-00:Ethernet4";

	if (n == BEGINS) {
		stand_hold(s, port, 95);
		stand_number(s, port, ATTR_PFCWD_DETECT_MS, STAND_LOSSLESS, 200);
		stand_number(s, port, ATTR_PFCWD_RESTORE_MS, STAND_LOSSLESS, 400);
		stand_add(s, port, CTR_PFCWD_STORM_DETECTED, STAND_LOSSLESS, 1);
		stand_word(s, port, ATTR_PFCWD_STATE, STAND_LOSSLESS, "stormed");
		stand_rate(s, port, CTR_PFCWD_DROPS, STAND_LOSSLESS, 900);
	}
	if (n != BEGINS + 5)
		return;
	stand_hold(s, port, 0);
	stand_add(s, port, CTR_PFCWD_STORM_RESTORED, STAND_LOSSLESS, 1);
	stand_word(s, port, ATTR_PFCWD_STATE, STAND_LOSSLESS, "operational");
	stand_rate(s, port, CTR_PFCWD_DROPS, STAND_LOSSLESS, 0);
}

static void bgp(struct stand *s, unsigned n)
{
	enum bgp_state state = n >= BEGINS && n < ENDS ? BGP_IDLE : BGP_ESTABLISHED;
	struct obs *o = stand_batch(s, "leaf-r0-00");

	(void)obs_bgp(o, BGP_IPV4, "default", "10.0.0.1", "spine-000", state);
	(void)obs_bgp(o, BGP_IPV4, "default", "10.0.0.3", "spine-001", BGP_ESTABLISHED);
	o->bgp_whole = true;
}

static void cable(struct stand *s, const char *device, const char *port, const char *to)
{
	struct obs *o = stand_batch(s, device);

	obs_lldp(o, obs_port(o, port), to, "mlx5_0");
}

static void wiring(struct stand *s, unsigned n)
{
	bool swapped = n >= BEGINS && n < ENDS;
	const char *zero = swapped ? "node001" : "node000", *one = swapped ? "node000" : "node001";
	struct obs *o;

	if (n != BEGINS && n != ENDS)
		return;
	cable(s, "leaf-r0-00", "Ethernet0", zero);
	cable(s, "leaf-r0-00", "Ethernet4", one);
	o = stand_batch(s, "node000");
	obs_lldp(o, obs_port(o, "mlx5_0"), "leaf-r0-00", swapped ? "Ethernet4" : "Ethernet0");
	o = stand_batch(s, "node001");
	obs_lldp(o, obs_port(o, "mlx5_0"), "leaf-r0-00", swapped ? "Ethernet0" : "Ethernet4");
}

static void mixed(struct stand *s, unsigned n)
{
	if (n == BEGINS) {
		stand_gauge(s, "leaf-r1-01:Ethernet8", CTR_RX_POWER_DBM, 1, -9.5);
		obs_log(stand_batch(s, "node003"), OBS_NO_PORT, -1, true, s->now_us,
			"NVRM: Xid (PCI:0000:5d:00): 79, pid=1, GPU has fallen off the bus.");
		stand_rate(s, "spine-002:Ethernet1/1", CTR_RX_FCS_ERRORS, 0, 40);
	}
	if (n == BEGINS + 1)
		stand_number(s, "leaf-r0-01:Ethernet4", ATTR_PFC_ENABLED, 0, 0);
	if (n == BEGINS + 2)
		obs_word(stand_batch(s, "leaf-r0-01"), OBS_NO_PORT, ATTR_OS_VERSION, 0, "9.9");
	if (n == BEGINS + 3)
		obs_event(stand_batch(s, "spine-003"), OBS_NO_PORT, EV_REBOOT, s->now_us, "");
	if (n == BEGINS + 4 || n == ENDS)
		stand_silent(s, "leaf-r1-00", n != ENDS);
	if (n == ENDS)
		stand_rate(s, "spine-002:Ethernet1/1", CTR_RX_FCS_ERRORS, 0, 0);
}

void incident_step(struct stand *s, struct ring *r, enum incident which, unsigned n)
{
	switch (which) {
	case INCIDENT_FLAP:
		flap(s, n);
		break;
	case INCIDENT_STORM:
		storm(s, n);
		break;
	case INCIDENT_STRAGGLER:
		straggler(r, n);
		break;
	case INCIDENT_WATCHDOG:
		watchdog(s, n);
		break;
	case INCIDENT_BGP:
		bgp(s, n);
		break;
	case INCIDENT_WIRING:
		wiring(s, n);
		break;
	default:
		mixed(s, n);
	}
}
