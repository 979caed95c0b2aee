/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/str.h"
#include "emulator/device/nxos/dev_nxos.h"

/*
 * Commands that change the configuration. Modes nest; the commands of an outer mode work in an
 * inner one.
 */

#define RESTORE_MULTIPLIER  2u
#define SHUTDOWN_MULTIPLIER 2u

typedef bool (*change_fn)(struct nxos_session *s, const struct nxos_words *w, bool on);

static const char *user_of(const struct nxos_session *s)
{
	return s->m.ctx->user ? s->m.ctx->user : "admin";
}

static void set_port(struct nxos_session *s, struct sim_port *p, const struct sim_port_config *c)
{
	personality_configure(s->m.ctx, p, c, user_of(s));
}

static bool enter_config(struct nxos_session *s, const struct nxos_words *w, bool on)
{
	(void)w, (void)on;
	s->mode = NXOS_CONFIG;
	return true;
}

static bool leave_mode(struct nxos_session *s, const struct nxos_words *w, bool all)
{
	(void)w;
	if (all || s->mode <= NXOS_CONFIG)
		s->mode = NXOS_EXEC;
	else
		s->mode = s->mode == NXOS_NEIGHBOR ? NXOS_BGP : NXOS_CONFIG;
	return true;
}

static bool accept_line(struct nxos_session *s, const struct nxos_words *w, bool on)
{
	(void)s, (void)w, (void)on;
	return true;
}

static bool enter_interface(struct nxos_session *s, const struct nxos_words *w, bool on)
{
	(void)on;
	s->mode = NXOS_INTERFACE;
	s->port = w->port;
	return true;
}

static bool enter_bgp(struct nxos_session *s, const struct nxos_words *w, bool on)
{
	(void)on;
	if (w->number != s->m.d->asn)
		return false;
	s->mode = NXOS_BGP;
	return true;
}

static bool enter_neighbor(struct nxos_session *s, const struct nxos_words *w, bool on)
{
	char address[16];
	unsigned asn;

	(void)on;
	for (unsigned i = 0; i < s->m.d->nports; i++) {
		struct sim_port *p = &s->m.d->ports[i];

		if (!nxos_neighbor(&s->m, p, address, &asn) || strcmp(address, w->any) != 0)
			continue;
		s->mode = NXOS_NEIGHBOR;
		s->port = p;
		return true;
	}
	return false;
}

static bool shut_neighbor(struct nxos_session *s, const struct nxos_words *w, bool on)
{
	(void)w;
	if (s->port->bgp.shut != on)
		sim_configure_bgp(s->m.ctx->sim, s->port, on, user_of(s));
	return true;
}

static bool shut_port(struct nxos_session *s, const struct nxos_words *w, bool on)
{
	struct sim_port_config c = s->port->config;

	(void)w;
	c.admin_up = !on;
	set_port(s, s->port, &c);
	return true;
}

static bool set_beacon(struct nxos_session *s, const struct nxos_words *w, bool on)
{
	struct sim_port_config c = s->port->config;

	(void)w;
	c.beacon = on;
	set_port(s, s->port, &c);
	return true;
}

static bool set_mtu(struct nxos_session *s, const struct nxos_words *w, bool on)
{
	struct sim_port_config c = s->port->config;

	(void)on;
	if (w->number < 576 || w->number > 9216)
		return false;
	c.mtu = (uint16_t)w->number;
	set_port(s, s->port, &c);
	return true;
}

static bool pfc_mode(struct nxos_session *s, const struct nxos_words *w, bool on)
{
	struct sim_port_config c = s->port->config;

	(void)w;
	c.pfc_mask = on ? (uint8_t)LOSSLESS_MASK : 0;
	set_port(s, s->port, &c);
	return true;
}

static void set_watchdog(
	struct nxos_session *s, struct sim_port *p, bool on, enum sim_wd_action action)
{
	struct sim_port_config c = p->config;

	c.wd_mask = on ? c.pfc_mask : 0;
	c.wd_action = action;
	set_port(s, p, &c);
}

/* Applies to an interface, or in configuration mode to all of them. */
static bool configure_watchdog(struct nxos_session *s, const struct nxos_words *w, bool on)
{
	(void)w;
	if (s->mode == NXOS_INTERFACE) {
		set_watchdog(s, s->port, on, SIM_WD_DROP);
		return true;
	}
	for (unsigned i = 0; i < s->m.d->nports; i++)
		set_watchdog(s, &s->m.d->ports[i], on, s->m.d->ports[i].config.wd_action);
	return true;
}

static bool watchdog_alerts(struct nxos_session *s, const struct nxos_words *w, bool on)
{
	(void)w;
	set_watchdog(s, s->port, on, SIM_WD_ALERT);
	return true;
}

static void set_times(struct nxos_session *s, unsigned detect_ms, unsigned restore_ms)
{
	for (unsigned i = 0; i < s->m.d->nports; i++) {
		struct sim_port_config c = s->m.d->ports[i].config;

		c.wd_detect_ms = detect_ms ? detect_ms : c.wd_detect_ms;
		c.wd_restore_ms = restore_ms ? restore_ms : c.wd_restore_ms;
		set_port(s, &s->m.d->ports[i], &c);
	}
}

static bool watchdog_interval(struct nxos_session *s, const struct nxos_words *w, bool on)
{
	struct sim_device_config c = s->m.d->config;

	(void)on;
	if (w->number < 100 || w->number > 1000)
		return false;
	c.wd_poll_ms = w->number;
	sim_configure_device(s->m.ctx->sim, s->m.d, &c, user_of(s));
	set_times(s, w->number * SHUTDOWN_MULTIPLIER, w->number * RESTORE_MULTIPLIER);
	return true;
}

static bool shutdown_multiplier(struct nxos_session *s, const struct nxos_words *w, bool on)
{
	(void)on;
	if (w->number < 1 || w->number > 10)
		return false;
	set_times(s, s->m.d->config.wd_poll_ms * w->number, 0);
	return true;
}

static bool restore_multiplier(struct nxos_session *s, const struct nxos_words *w, bool on)
{
	(void)on;
	if (w->number > 100)
		return false;
	set_times(s, 0, s->m.d->config.wd_poll_ms * (w->number ? w->number : 1));
	return true;
}

/* Ends the watchdog's action on the queue; the watchdog starts anew. */
static bool recover_queue(struct nxos_session *s, const struct nxos_words *w, bool one)
{
	struct sim_port_config was = w->port->config, off = was;

	if (one && w->number >= NXOS_GROUPS)
		return false;
	off.wd_mask = (uint8_t)(one ? was.wd_mask & (0xffu ^ 1u << w->number) : 0);
	set_port(s, w->port, &off);
	set_port(s, w->port, &was);
	return true;
}

static bool clear_counters(struct nxos_session *s, const struct nxos_words *w, bool on)
{
	(void)on;
	sim_clear_counters(s->m.ctx->sim, s->m.d, w->port);
	return true;
}

#define ANYWHERE  0x1fu
#define CONFIG    (1u << NXOS_CONFIG | 1u << NXOS_INTERFACE | 1u << NXOS_BGP | 1u << NXOS_NEIGHBOR)
#define INTERFACE (1u << NXOS_INTERFACE)

/*
 * The first matching line counts. The "no" form of a command has a line of its own, with
 * on=false.
 */
static const struct {
	const char *words;
	change_fn change;
	unsigned modes;
	bool on;
} changes[] = {
	{"configure terminal", enter_config, ANYWHERE, true},
	{"configure", enter_config, ANYWHERE, true},
	{"terminal length #", accept_line, ANYWHERE, true},
	{"terminal width #", accept_line, ANYWHERE, true},
	{"terminal dont-ask", accept_line, ANYWHERE, true},
	{"copy running-config startup-config", accept_line, ANYWHERE, true},
	{"clear counters", clear_counters, ANYWHERE, true},
	{"clear counters interface all", clear_counters, ANYWHERE, true},
	{"clear counters interface %", clear_counters, ANYWHERE, true},
	{"priority-flow-control recover interface %", recover_queue, ANYWHERE, false},
	{"priority-flow-control recover interface % qos-group #", recover_queue, ANYWHERE, true},
	{"exit", leave_mode, ANYWHERE, false},
	{"end", leave_mode, CONFIG, true},
	{"interface %", enter_interface, CONFIG, true},
	{"router bgp #", enter_bgp, CONFIG, true},
	{"neighbor *", enter_neighbor, 1u << NXOS_BGP | 1u << NXOS_NEIGHBOR, true},
	{"shutdown", shut_neighbor, 1u << NXOS_NEIGHBOR, true},
	{"no shutdown", shut_neighbor, 1u << NXOS_NEIGHBOR, false},
	{"shutdown", shut_port, INTERFACE, true},
	{"no shutdown", shut_port, INTERFACE, false},
	{"beacon", set_beacon, INTERFACE, true},
	{"no beacon", set_beacon, INTERFACE, false},
	{"mtu #", set_mtu, INTERFACE, true},
	{"priority-flow-control mode on", pfc_mode, INTERFACE, true},
	{"priority-flow-control mode auto", pfc_mode, INTERFACE, true},
	{"priority-flow-control mode off", pfc_mode, INTERFACE, false},
	{"no priority-flow-control mode", pfc_mode, INTERFACE, false},
	{"priority-flow-control watch-dog-interval on disable-action", watchdog_alerts, INTERFACE,
		true},
	{"priority-flow-control watch-dog-interval on", configure_watchdog, CONFIG, true},
	{"priority-flow-control watch-dog-interval off", configure_watchdog, CONFIG, false},
	{"no priority-flow-control watch-dog-interval", configure_watchdog, CONFIG, false},
	{"priority-flow-control watch-dog interval #", watchdog_interval, CONFIG, true},
	{"priority-flow-control watch-dog shutdown-multiplier #", shutdown_multiplier, CONFIG,
		true},
	{"priority-flow-control auto-restore multiplier #", restore_multiplier, CONFIG, true},
	{"priority-flow-control fixed-restore multiplier #", restore_multiplier, CONFIG, true},
};

bool nxos_configure(
	struct nxos_session *s, const struct nxos_line *l, struct nxos_answer *a, unsigned *used)
{
	struct nxos_words w;
	unsigned fit;

	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		if (!(changes[i].modes >> s->mode & 1))
			continue;
		if (nxos_fits(s->m.d, changes[i].words, l, &w, &fit)) {
			a->config = true;
			if (!changes[i].change(s, &w, changes[i].on)) {
				a->status = NXOS_INVALID;
				a->caret = l->column[l->n - 1];
			}
			if (sim_write_denied(s->m.ctx->sim))
				a->status = NXOS_DENIED;
			return true;
		}
		*used = fit > *used ? fit : *used;
	}
	return false;
}
