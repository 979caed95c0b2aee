/* SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/str.h"
#include "emulator/device/eos/dev_eos.h"

/* `show logging`: the log in EOS's format. */

void eos_date(const struct machine *m, int64_t us, char dst[32])
{
	time_t t = (time_t)((us + m->d->clock_skew_us) / CLOCK_SEC);
	struct tm tm = {0};

	(void)gmtime_r(&t, &tm);
	(void)strftime(dst, 32, "%b %e %H:%M:%S", &tm);
}

static void link_words(const struct sim_port *p, bool up, struct buf *out)
{
	(void)buf_addf(out,
		"Ebra: %%LINEPROTO-5-UPDOWN: Line protocol on Interface %s, changed state to %s",
		p->name, up ? "up" : "down");
}

static void bgp_words(const struct machine *m, const struct sim_port *p, bool up, struct buf *out)
{
	const struct sim_port *far = p->plan_peer ? p->plan_peer : p->peer;
	char address[16] = "0.0.0.0";

	if (far)
		personality_link_address(far, address);
	(void)buf_addf(out,
		"Bgp: %%BGP-5-ADJCHANGE: peer %s (VRF default AS %u) old state %s event %s new "
		"state %s",
		address, far ? sim_device_of(m->ctx->sim, far)->asn : 0,
		up ? "OpenConfirm" : "Established", up ? "RecvKeepAlive" : "HoldTime",
		up ? "Established" : "Idle");
}

/* The sim's log text has "configured by NAME". */
static const char *user_of(const char *text)
{
	const char *by = strstr(text, " by ");

	return by ? by + strlen(" by ") : text;
}

static void print_message(const struct machine *m, const struct sim_log *l, struct buf *out)
{
	static const struct sim_port nowhere = {.name = "Ethernet0"};
	const struct sim_port *p = l->port < m->d->nports ? &m->d->ports[l->port] : &nowhere;

	switch (l->kind) {
	case SIM_LOG_LINK_UP:
	case SIM_LOG_LINK_DOWN:
		link_words(p, l->kind == SIM_LOG_LINK_UP, out);
		break;
	case SIM_LOG_BGP_UP:
	case SIM_LOG_BGP_DOWN:
		bgp_words(m, p, l->kind == SIM_LOG_BGP_UP, out);
		break;
	case SIM_LOG_STORM_DETECTED:
	case SIM_LOG_STORM_RESTORED:
		(void)buf_addf(out, "StrataCosq: %%PFC_WATCHDOG-4-%s: Queue %u on Interface %s %s",
			l->kind == SIM_LOG_STORM_DETECTED ? "QUEUE_STUCK" : "QUEUE_RECOVERED",
			l->prio, p->name,
			l->kind == SIM_LOG_STORM_DETECTED ? "is stuck" : "has recovered");
		break;
	case SIM_LOG_CONFIG:
		(void)buf_addf(out,
			"ConfigAgent: %%SYS-5-CONFIG_I: Configured from console by %s on "
			"command-api (127.0.0.1)",
			user_of(l->text));
		break;
	case SIM_LOG_BOOT:
		(void)buf_adds(
			out, "SystemInitMonitor: %SYS-5-SYSTEM_INITIALIZED: System is initialized");
		break;
	case SIM_LOG_OPTIC:
		(void)buf_addf(out, "XcvrAgent: %%TRANSCEIVER-4-DOM_THRESHOLD: Interface %s: %s",
			p->name, l->text);
		break;
	case SIM_LOG_XID:
	default:
		(void)buf_adds(out, l->text);
	}
}

static void print_lines(const struct machine *m, int64_t since_us, uint64_t most, struct buf *out)
{
	const struct sim_device *d = m->d;
	uint64_t kept = d->logged < SIM_LOG_KEPT ? d->logged : SIM_LOG_KEPT;
	uint64_t i = d->logged - (kept < most ? kept : most);
	char when[32];

	for (; d->log && i < d->logged; i++) {
		const struct sim_log *l = &d->log[i % SIM_LOG_KEPT];

		if (l->t_us < since_us)
			continue;
		eos_date(m, l->t_us, when);
		(void)buf_addf(out, "%s %s ", when, d->name);
		print_message(m, l, out);
		(void)buf_add(out, "\n", 1);
	}
}

void eos_log_text(const struct machine *m, const char *wanted, struct buf *out)
{
	(void)wanted;
	(void)buf_adds(out,
		"Syslog logging: enabled\n    Buffer logging: level debugging\n"
		"    Console logging: level errors\n    Persistent logging: disabled\n"
		"    Monitor logging: level errors\n    Synchronous logging: disabled\n"
		"    Trap logging: level informational\n    Logging to: none\n"
		"    Sequence numbers: disabled\n    Syslog facility: local4\n"
		"    Hostname format: Hostname only\n    Repeat logging interval: disabled\n\n"
		"Log Buffer:\n");
	print_lines(m, INT64_MIN, UINT64_MAX, out);
}

void eos_log_lines_text(const struct machine *m, const char *wanted, struct buf *out)
{
	uint64_t n = 0;

	(void)str_to_u64(wanted, &n);
	print_lines(m, INT64_MIN, n, out);
}

static void print_last(
	const struct machine *m, const char *wanted, int64_t unit_us, struct buf *out)
{
	uint64_t n = 0;

	(void)str_to_u64(wanted, &n);
	if (n > 100000)
		n = 100000;
	print_lines(m, sim_now(m->ctx->sim) - (int64_t)n * unit_us, UINT64_MAX, out);
}

void eos_log_minutes_text(const struct machine *m, const char *wanted, struct buf *out)
{
	print_last(m, wanted, 60 * CLOCK_SEC, out);
}

void eos_log_hours_text(const struct machine *m, const char *wanted, struct buf *out)
{
	print_last(m, wanted, 3600 * CLOCK_SEC, out);
}
