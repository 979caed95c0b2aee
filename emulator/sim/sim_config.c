/* SPDX-License-Identifier: Apache-2.0 */
#include "base/str.h"
#include "emulator/sim/sim_internal.h"

/* Operators' configuration changes on a device. The physics follows at once. */

static void log_change(
	struct sim *s, struct sim_device *d, const struct sim_port *p, const char *who)
{
	char text[64];

	(void)str_printf(text, sizeof(text), "configured by %s", who);
	sim_log_add(s, d, p, SIM_LOG_CONFIG, 0, text);
}

/* Marks the device as changed, so that the next command of the same line sees the effect. */
static void note_change(struct sim *s, struct sim_device *d)
{
	if (s->request.device == d)
		s->request.is.changed = true;
	sim_changed(s);
	sim_publish(s, d, false);
}

void sim_configure(
	struct sim *s, struct sim_port *p, const struct sim_port_config *c, const char *who)
{
	uint8_t before = p->config.wd_mask;

	if (sim_write(s, sim_device_of(s, p)) != SIM_WRITE_TAKES)
		return;
	p->config = *c;
	if (before & ~c->wd_mask)
		sim_watchdog_forget(s, p);
	log_change(s, sim_device_of(s, p), p, who);
	note_change(s, sim_device_of(s, p));
}

void sim_configure_device(
	struct sim *s, struct sim_device *d, const struct sim_device_config *c, const char *who)
{
	if (sim_write(s, d) != SIM_WRITE_TAKES)
		return;
	for (size_t i = 0; i < sizeof(c->refresh_ms) / sizeof(c->refresh_ms[0]); i++)
		if (c->refresh_ms[i] != d->config.refresh_ms[i])
			d->refresh_from_us[i] = s->now;
	d->config = *c;
	log_change(s, d, NULL, who);
	note_change(s, d);
}

void sim_configure_bgp(struct sim *s, struct sim_port *p, bool shut, const char *who)
{
	if (sim_write(s, sim_device_of(s, p)) != SIM_WRITE_TAKES)
		return;
	p->bgp.shut = shut;
	log_change(s, sim_device_of(s, p), p, who);
	note_change(s, sim_device_of(s, p));
}

void sim_clear_counters(struct sim *s, struct sim_device *d, struct sim_port *p)
{
	if (sim_write(s, d) != SIM_WRITE_TAKES)
		return;
	s->request.is.changed = true;
	for (unsigned i = 0; i < d->nports; i++)
		if (!p || p == &d->ports[i])
			sim_zero(s, &d->ports[i]);
}

void sim_watchdog_restart(struct sim *s, struct sim_port *p, const char *who)
{
	if (sim_write(s, sim_device_of(s, p)) != SIM_WRITE_TAKES)
		return;
	sim_watchdog_forget(s, p);
	log_change(s, sim_device_of(s, p), p, who);
	note_change(s, sim_device_of(s, p));
}
