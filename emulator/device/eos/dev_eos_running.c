/* SPDX-License-Identifier: Apache-2.0 */
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "emulator/device/eos/dev_eos.h"

/* `show running-config`: the parts that an operator of a lossless fabric sets. */

static const char *action_word(enum sim_wd_action a)
{
	return a == SIM_WD_DROP ? "drop" : a == SIM_WD_FORWARD ? "no-drop" : "notify-only";
}

static void print_head(const struct machine *m, struct buf *out)
{
	(void)buf_addf(out,
		"! Command: show running-config\n! device: %s (%s, EOS-%s)\n!\n"
		"! boot system flash:/EOS-%s.swi\n!\nhostname %s\n!\n",
		m->d->name, m->d->model, m->d->os_version, m->d->os_version, m->d->name);
}

static void print_qos(const struct machine *m, struct buf *out)
{
	const struct sim_port_config *c = &eos_default_timers(m)->config;
	unsigned i;

	for (i = 0; i < 64; i++)
		if (m->d->config.dscp_prio[i])
			(void)buf_addf(out, "qos map dscp %u to traffic-class %u\n", i,
				m->d->config.dscp_prio[i]);
	(void)buf_addf(out,
		"!\npriority-flow-control pause watchdog default timeout %.2f\n"
		"priority-flow-control pause watchdog default recovery-time %.2f\n"
		"priority-flow-control pause watchdog action %s\n!\n",
		c->wd_detect_ms / 1000.0, c->wd_restore_ms / 1000.0,
		action_word(eos_default_action(m)->config.wd_action));
}

static void print_interface(const struct machine *m, const struct sim_port *p, struct buf *out)
{
	const struct sim_port_config *c = &p->config;
	char address[16];
	unsigned i;

	(void)buf_addf(out, "interface %s\n   mtu %u\n", p->name, c->mtu);
	if (!c->admin_up)
		(void)buf_adds(out, "   shutdown\n");
	if (p->bgp.configured) {
		personality_link_address(p, address);
		(void)buf_addf(out, "   no switchport\n   ip address %s/31\n", address);
	}
	if (m->d->config.trust_dscp)
		(void)buf_adds(out, "   qos trust dscp\n");
	if (c->pfc_mask)
		(void)buf_adds(out, "   priority-flow-control on\n");
	for (i = 0; i < 8; i++)
		if (c->pfc_mask >> i & 1)
			(void)buf_addf(out, "   priority-flow-control priority %u no-drop\n", i);
	if (c->wd_mask)
		(void)buf_adds(out, "   priority-flow-control pause watchdog\n");
	if (eos_has_own_action(m->ctx, p))
		(void)buf_addf(out, "   priority-flow-control pause watchdog port action %s\n",
			action_word(c->wd_action));
	if (eos_has_own_timers(m->ctx, p))
		(void)buf_addf(out,
			"   priority-flow-control pause watchdog port timer timeout %.2f "
			"polling-interval auto recovery-time %.2f\n",
			c->wd_detect_ms / 1000.0, c->wd_restore_ms / 1000.0);
	if (c->ecn)
		(void)buf_addf(out,
			"   !\n   uc-tx-queue %u\n      random-detect ecn minimum-threshold %u "
			"kbytes maximum-threshold %u kbytes max-mark-probability %u weight 0\n"
			"      random-detect ecn count\n",
			LOSSLESS_PRIO, c->ecn_min_bytes / 1000, c->ecn_max_bytes / 1000,
			c->ecn_max_percent);
	(void)buf_add(out, "!\n", 2);
}

static void print_bgp(const struct machine *m, struct buf *out)
{
	char address[16];
	unsigned i;

	(void)buf_addf(out, "router bgp %u\n   router-id %s\n   maximum-paths 64 ecmp 64\n",
		m->d->asn, m->d->router_id);
	for (i = 0; i < m->d->nports; i++) {
		const struct sim_port *p = &m->d->ports[i];
		const struct sim_port *far = p->plan_peer ? p->plan_peer : p->peer;

		if (!p->bgp.configured || !far)
			continue;
		personality_link_address(far, address);
		(void)buf_addf(out, "   neighbor %s remote-as %u\n", address,
			sim_device_of(m->ctx->sim, far)->asn);
		if (p->bgp.shut)
			(void)buf_addf(out, "   neighbor %s shutdown\n", address);
	}
	(void)buf_add(out, "!\n", 2);
}

static void print_interfaces(const struct machine *m, const char *wanted, struct buf *out)
{
	unsigned i;

	for (i = 0; i < m->d->nports; i++)
		if (eos_is_wanted(&m->d->ports[i], wanted))
			print_interface(m, &m->d->ports[i], out);
}

void eos_running_text(const struct machine *m, const char *wanted, struct buf *out)
{
	(void)wanted;
	print_head(m, out);
	print_qos(m, out);
	print_interfaces(m, NULL, out);
	print_bgp(m, out);
	(void)buf_adds(out, "management api http-commands\n   no shutdown\n!\nend\n");
}

void eos_running_interface_text(const struct machine *m, const char *wanted, struct buf *out)
{
	print_interfaces(m, wanted, out);
}

/* A section is an unindented line and the indented lines below it, up to the next "!". */
static size_t section_length(const char *at)
{
	const char *end = at;

	do {
		end += strcspn(end, "\n");
		end += *end == '\n';
	} while (*end == ' ');
	return (size_t)(end - at);
}

/* `show running-config section PATTERN`: the sections with a matching line. */
void eos_running_section_text(const struct machine *m, const char *wanted, struct buf *out)
{
	struct buf all;
	const char *at;
	char *section;
	regex_t re;

	if (regcomp(&re, wanted, REG_EXTENDED | REG_NOSUB | REG_ICASE) != 0)
		return;
	buf_init(&all, 16u << 20);
	eos_running_text(m, NULL, &all);
	for (at = all.data ? all.data : ""; *at; at += strlen(section), free(section)) {
		section = strndup(at, section_length(at));
		if (!section)
			break;
		if (*section != '!' && regexec(&re, section, 0, NULL, 0) == 0)
			(void)buf_adds(out, section);
	}
	buf_free(&all);
	regfree(&re);
}
