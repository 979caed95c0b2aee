/* SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <time.h>

#include "base/clock.h"
#include "emulator/device/sonic/dev_sonic.h"

/*
 * /var/log/syslog in SONiC's file format. Messages follow orchagent (portsorch.cpp,
 * pfcactionhandler.cpp), bgpd and xcvrd.
 */

static void print_stamp(int64_t us, const char *host, struct buf *out)
{
	time_t t = (time_t)(us / CLOCK_SEC);
	struct tm tm = {0};
	char text[32];

	(void)gmtime_r(&t, &tm);
	(void)strftime(text, sizeof(text), "%Y %b %e %H:%M:%S", &tm);
	(void)buf_addf(out, "%s.%06u %s ", text, (unsigned)(us % CLOCK_SEC), host);
}

static void print_storm(
	const struct redis *r, const struct sim_log *l, const char *what, struct buf *out)
{
	(void)buf_addf(out,
		"NOTICE swss#orchagent: :- %s: PFC Watchdog %s on port %s, queue index %u, queue "
		"id "
		"0x%llx, and port id 0x%llx\n",
		what[0] == 'd' ? "PfcWdActionHandler" : "~PfcWdActionHandler", what,
		r->d->ports[l->port].name, l->prio,
		(unsigned long long)redis_oid(r, OID_QUEUE, l->port, l->prio),
		(unsigned long long)redis_oid(r, OID_PORT, l->port, 0));
}

static void print_link(const struct redis *r, const struct sim_log *l, struct buf *out)
{
	bool up = l->kind == SIM_LOG_LINK_UP;
	const char *name = r->d->ports[l->port].name;

	(void)buf_addf(out,
		"NOTICE swss#orchagent: :- updatePortOperStatus: Port %s oper state set from %s to "
		"%s\n",
		name, up ? "down" : "up", up ? "up" : "down");
	print_stamp(l->t_us + r->d->clock_skew_us, r->d->name, out);
	(void)buf_addf(out,
		"NOTICE swss#orchagent: :- setHostIntfsOperStatus: Set operation status %s to host "
		"interface %s\n",
		up ? "UP" : "DOWN", name);
}

static void print_bgp(const struct redis *r, const struct sim_log *l, struct buf *out)
{
	const struct sim_port *p = &r->d->ports[l->port];
	const struct sim_port *far = p->plan_peer ? p->plan_peer : p->peer;
	char address[16];

	personality_link_address(far ? far : p, address);
	(void)buf_addf(out,
		"NOTICE bgp#bgpd[45]: [M59KS-A3ZXZ] %%ADJCHANGE: neighbor %s(%s) in vrf default "
		"%s\n",
		address, far ? sim_device_of(r->ctx->sim, far)->name : "Unknown",
		l->kind == SIM_LOG_BGP_UP ? "Up"
		: p->bgp.shut             ? "Down Admin. shutdown"
		: p->up                   ? "Down BGP Notification send"
					  : "Down Interface down");
}

static void print_line(const struct redis *r, const struct sim_log *l, struct buf *out)
{
	const char *port = l->port < r->d->nports ? r->d->ports[l->port].name : NULL;

	if (!port && l->kind != SIM_LOG_CONFIG && l->kind != SIM_LOG_BOOT)
		return;
	print_stamp(l->t_us + r->d->clock_skew_us, r->d->name, out);
	switch (l->kind) {
	case SIM_LOG_LINK_UP:
	case SIM_LOG_LINK_DOWN:
		print_link(r, l, out);
		break;
	case SIM_LOG_BGP_UP:
	case SIM_LOG_BGP_DOWN:
		print_bgp(r, l, out);
		break;
	case SIM_LOG_STORM_DETECTED:
		print_storm(r, l, "detected PFC storm", out);
		break;
	case SIM_LOG_STORM_RESTORED:
		print_storm(r, l, "storm restored", out);
		break;
	case SIM_LOG_CONFIG:
		(void)buf_addf(out, "INFO config-hostcfgd: %s%s%s\n", port ? port : "",
			port ? ": " : "", l->text);
		break;
	case SIM_LOG_BOOT:
		(void)buf_adds(out, "NOTICE kernel: [    0.000000] Linux version " SONIC_KERNEL
				    " (debian-kernel@lists.debian.org)\n");
		break;
	default:
		(void)buf_addf(out, "WARNING pmon#xcvrd[27]: %s: %s\n", port, l->text);
	}
}

void sonic_syslog(struct personality_ctx *ctx, struct sim_device *d, struct buf *out)
{
	uint64_t kept = d->logged < SIM_LOG_KEPT ? d->logged : SIM_LOG_KEPT;
	struct redis r;

	redis_open(&r, ctx, d, CONFIG_DB);
	for (uint64_t i = d->logged - kept; i < d->logged; i++)
		print_line(&r, &d->log[i % SIM_LOG_KEPT], out);
}
