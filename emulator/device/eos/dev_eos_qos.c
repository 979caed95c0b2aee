/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/str.h"
#include "emulator/device/eos/dev_eos.h"

/* PFC, its watchdog, ECN and the maps. */

static json_t *json_frames(uint64_t rx, uint64_t tx)
{
	return json_pack("{s:o,s:o}", "rxFrames", eos_u64(rx), "txFrames", eos_u64(tx));
}

static json_t *pfc_total(const struct machine *m, const struct sim_port *p)
{
	uint64_t rx, tx;

	(void)m;
	personality_pause_frames(p, &rx, &tx);
	return json_frames(rx, tx);
}

json_t *eos_pfc(const struct machine *m, const char *wanted)
{
	return eos_per_port(m, wanted, "interfaceCounters", pfc_total);
}

void eos_pfc_text(const struct machine *m, const char *wanted, struct buf *out)
{
	uint64_t rx, tx;
	unsigned i;

	(void)buf_addf(out, "%-15s %12s %12s\n", "Port", "RxPfc", "TxPfc");
	for (i = 0; i < m->d->nports; i++) {
		const struct sim_port *p = &m->d->ports[i];

		if (!eos_is_wanted(p, wanted))
			continue;
		personality_pause_frames(p, &rx, &tx);
		(void)buf_addf(out, "Et%-13s %12llu %12llu\n", p->name + strlen("Ethernet"),
			(unsigned long long)rx, (unsigned long long)tx);
	}
}

static json_t *pfc_priorities(const struct machine *m, const struct sim_port *p)
{
	json_t *all = json_object();
	char name[4];
	unsigned i;

	(void)m;
	for (i = 0; i < 8; i++) {
		(void)str_printf(name, sizeof(name), "%u", i);
		(void)json_object_set_new_nocheck(
			all, name, json_frames(p->q[i].pfc_rx_frames, p->q[i].pfc_tx_frames));
	}
	return json_pack("{s:o}", "priorities", all);
}

json_t *eos_pfc_detail(const struct machine *m, const char *wanted)
{
	return eos_per_port(m, wanted, "interfaces", pfc_priorities);
}

static void format_mask(unsigned mask, char dst[20])
{
	size_t n = 0;
	unsigned i;

	for (i = 0; i < 8; i++)
		if (mask >> i & 1) {
			dst[n++] = (char)('0' + i);
			dst[n++] = ' ';
		}
	dst[n ? n - 1 : 0] = '\0';
}

static const char *action_word(enum sim_wd_action a)
{
	return a == SIM_WD_DROP ? "drop" : a == SIM_WD_FORWARD ? "no-drop" : "notify-only";
}

/* The port's own watchdog settings; "-": it uses the switch's. */
static void add_own(const struct machine *m, const struct sim_port *p, struct buf *out)
{
	bool timers = eos_has_own_timers(m->ctx, p), action = eos_has_own_action(m->ctx, p);
	char seconds[16] = "-";

	if (timers)
		(void)str_printf(seconds, sizeof(seconds), "%.2f", p->config.wd_detect_ms / 1000.0);
	(void)buf_addf(
		out, "%-11s %-8s ", action ? action_word(p->config.wd_action) : "-", seconds);
}

/* "E: PFC Enabled, D: PFC Disabled, A: PFC Active, W: PFC Watchdog Active" and a line per port. */
void eos_pfc_status_text(const struct machine *m, const char *wanted, struct buf *out)
{
	const struct sim_port_config *first = &eos_default_timers(m)->config;
	unsigned i;
	char list[20];

	(void)buf_addf(out,
		"The hardware supports PFC on priorities 0 1 2 3 4 5 6 7\n"
		"PFC receive processing is enabled on priorities 0 1 2 3 4 5 6 7\n"
		"The PFC watchdog timeout is %.2f second(s)\n"
		"The PFC watchdog recovery-time is %.2f second(s) (auto)\n"
		"The PFC watchdog polling-interval is %.2f second(s)\n"
		"The PFC watchdog action is %s\nThe PFC watchdog override action drop is false\n"
		"Global PFC : Enabled\n\n"
		"E: PFC Enabled, D: PFC Disabled, A: PFC Active, W: PFC Watchdog Enabled\n"
		"%-10s %-8s %-12s %-11s %-8s %s\n",
		first->wd_detect_ms / 1000.0, first->wd_restore_ms / 1000.0,
		m->d->config.wd_poll_ms / 1000.0,
		action_word(eos_default_action(m)->config.wd_action), "Port", "Status",
		"Priorities", "Action", "Timeout", "Note");
	for (i = 0; i < m->d->nports; i++) {
		const struct sim_port *p = &m->d->ports[i];

		if (!eos_is_wanted(p, wanted))
			continue;
		format_mask(p->config.pfc_mask, list);
		(void)buf_addf(out, "Et%-8s %-8s %-12s ", p->name + strlen("Ethernet"),
			!p->config.pfc_mask ? "D - -"
			: p->config.wd_mask ? "E A W"
					    : "E A -",
			list);
		add_own(m, p, out);
		(void)buf_addf(out, "%s\n", p->config.pfc_mask ? "" : "PFC not configured");
	}
}

/* Values are strings; "-" for a queue without ECN, which marks no packets. */
static json_t *ecn_queues(const struct machine *m, const struct sim_port *p)
{
	json_t *all = json_object();
	char name[4];
	unsigned i;

	(void)m;
	for (i = 0; i < 8; i++) {
		(void)str_printf(name, sizeof(name), "%u", i);
		(void)json_object_set_new_nocheck(all, name,
			p->config.ecn && i == LOSSLESS_PRIO
				? json_sprintf("%llu", (unsigned long long)p->q[i].ecn_marked)
				: json_string("-"));
	}
	return json_pack("{s:o}", "queueCounters", all);
}

json_t *eos_ecn(const struct machine *m, const char *wanted)
{
	return eos_per_port(m, wanted, "intfQueueCounters", ecn_queues);
}

/* `show qos interfaces ecn`: the thresholds of the queues that have any. */
void eos_ecn_text(const struct machine *m, const char *wanted, struct buf *out)
{
	unsigned i;

	for (i = 0; i < m->d->nports; i++) {
		const struct sim_port *p = &m->d->ports[i];
		const struct sim_port_config *c = &p->config;

		if (!eos_is_wanted(p, wanted))
			continue;
		(void)buf_addf(out,
			"%s:\n\n  Tx     Minimum      Maximum      Mark         Weight\n"
			"  Queue  Threshold    Threshold    Probability\n"
			"  ------------------------------------------------\n",
			p->name);
		if (c->ecn)
			(void)buf_addf(out, "  UC%-4u %-5u kbytes %-5u kbytes %-12u 0\n",
				LOSSLESS_PRIO, c->ecn_min_bytes / 1000, c->ecn_max_bytes / 1000,
				c->ecn_max_percent);
		(void)buf_add(out, "\n", 1);
	}
}

/* A queue is listed from its first event on, and a port from its first queue. */
static json_t *json_watchdog(const struct machine *m, const struct sim_port *p)
{
	json_t *all = NULL;
	uint64_t stuck, recovered;
	char name[4];
	unsigned i;

	for (i = 0; i < 8; i++) {
		eos_storms(m->ctx, p, i, &stuck, &recovered);
		if (!stuck)
			continue;
		if (!all)
			all = json_object();
		(void)str_printf(name, sizeof(name), "%u", i);
		(void)json_object_set_new_nocheck(all, name,
			json_pack("{s:o,s:o}", "stuckCount", eos_u64(stuck), "recoveryCount",
				eos_u64(recovered)));
	}
	return all ? json_pack("{s:o}", "txQueues", all) : NULL;
}

json_t *eos_watchdog(const struct machine *m, const char *wanted)
{
	return eos_per_port(m, wanted, "interfaces", json_watchdog);
}

void eos_watchdog_text(const struct machine *m, const char *wanted, struct buf *out)
{
	uint64_t stuck, recovered;
	unsigned i, k;

	(void)buf_addf(out, "%-10s %-8s %12s %12s\n", "Port", "TxQ", "Total times", "Total times");
	(void)buf_addf(out, "%-10s %-8s %12s %12s\n", "", "", "stuck", "recovered");
	for (i = 0; i < m->d->nports; i++) {
		const struct sim_port *p = &m->d->ports[i];

		for (k = 0; k < 8 && eos_is_wanted(p, wanted); k++) {
			eos_storms(m->ctx, p, k, &stuck, &recovered);
			if (stuck)
				(void)buf_addf(out, "Et%-8s UC%-6u %12llu %12llu\n",
					p->name + strlen("Ethernet"), k, (unsigned long long)stuck,
					(unsigned long long)recovered);
		}
	}
}

/*
 * `show qos interfaces trust`: the operational and the configured mode. A routed port trusts
 * DSCP.
 */
void eos_trust_text(const struct machine *m, const char *wanted, struct buf *out)
{
	unsigned i;

	(void)buf_addf(out, "%-16s %s\n%-16s %-20s %s\n", "Port", "Trust Mode", "", "Operational",
		"Configured");
	(void)buf_adds(out, "-------------------------------------------------------\n");
	for (i = 0; i < m->d->nports; i++)
		if (eos_is_wanted(&m->d->ports[i], wanted))
			(void)buf_addf(out, "%-16s %-20s %s\n", m->d->ports[i].name,
				m->d->config.trust_dscp ? "DSCP" : "COS",
				m->d->config.trust_dscp ? "DSCP" : "DEFAULT");
}

/* `show qos interfaces`: the lossless queues share what the control queue leaves. */
void eos_schedulers_text(const struct machine *m, const char *wanted, struct buf *out)
{
	for (unsigned i = 0; i < m->d->nports; i++) {
		if (!eos_is_wanted(&m->d->ports[i], wanted))
			continue;
		(void)buf_addf(out,
			"%s:\n   Trust Mode: DSCP\n   Default COS: 0\n   Default DSCP: 0\n"
			"   Port shaping rate: disabled\n\n"
			"  Tx    Bandwidth     Bandwidth           Shape Rate       Priority   "
			"ECN/WRED\n Queue  (percent)     Guaranteed (units)  (units)\n "
			"----------------------------------------------------------------------\n",
			m->d->ports[i].name);
		for (int q = 7; q >= 0; q--)
			if (q > 5 || (q == 0 && !m->d->ports[i].config.weighted))
				(void)buf_addf(out,
					"   %d        -             - ( - )            -    ( - )  "
					"    "
					"SP         D\n",
					q);
			else
				(void)buf_addf(out,
					"   %d       %2u             - ( - )            -    ( - ) "
					"     "
					"RR         %s\n",
					q, m->d->ports[i].config.pfc_mask >> q & 1 ? 50 : 10,
					m->d->ports[i].config.pfc_mask >> q & 1 ? "L" : "D");
		(void)buf_adds(out, "\nNote: Values are displayed as Operational/Configured\n\n");
	}
}

void eos_maps_text(const struct machine *m, const char *wanted, struct buf *out)
{
	const struct sim_device_config *c = &m->d->config;
	unsigned i, d2;

	(void)wanted;
	(void)buf_adds(out,
		"   Number of Traffic Classes supported: 8\n"
		"   Number of Transmit Queues supported: 8\n\n"
		"   Cos-tc map:\n     cos: 0 1 2 3 4 5 6 7\n     --------------------\n"
		"     tc:  1 0 2 3 4 5 6 7\n\n   Dscp-tc map:\n"
		"     d1 :  d2 0 1 2 3 4 5 6 7 8 9\n     --------------------------------------\n");
	for (i = 0; i < 64; i += 10) {
		(void)buf_addf(out, "     %u :     ", i / 10);
		for (d2 = 0; d2 < 10 && i + d2 < 64; d2++)
			(void)buf_addf(out, "%s%u", d2 ? " " : "", c->dscp_prio[i + d2]);
		(void)buf_add(out, "\n", 1);
	}
	(void)buf_adds(out, "\n   Tc-uc-tx-queue map:\n     tc:           0 1 2 3 4 5 6 7\n"
			    "     ---------------------------------\n"
			    "     uc-tx-queue:  0 1 2 3 4 5 6 7\n\n"
			    "   Tc - priority-group map:\n     tc:              0 1 2 3 4 5 6 7\n"
			    "     ---------------------------------\n"
			    "     priority-group:  0 0 0 3 0 0 0 0\n");
}
