/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "emulator/device/eos/dev_eos.h"

/* Commands that change the switch, and the modes that they belong to. */

#define ANY_CONFIG (1u << EOS_CONFIG | 1u << EOS_INTERFACE | 1u << EOS_QUEUE | 1u << EOS_BGP)
#define ON_PORT    (1u << EOS_INTERFACE | 1u << EOS_QUEUE)

/*
 * false: the words match, but they name an object that does not exist. no: the command was
 * negated.
 */
typedef bool (*change_fn)(struct eos_session *s, bool no, const struct eos_args *a);

static unsigned to_ms(const char *seconds)
{
	double v;

	return str_to_double(seconds, &v) && v > 0 && v < 3600 ? (unsigned)(v * 1000 + 0.5) : 0;
}

static void apply_config(struct eos_session *s, const struct sim_port_config *c)
{
	personality_configure(s->m->ctx, s->port, c, s->user);
}

static bool may_write(const struct eos_session *s)
{
	return sim_write(s->m->ctx->sim, s->m->d) == SIM_WRITE_TAKES;
}

/* ---- exec ---- */

static bool do_enable(struct eos_session *s, bool no, const struct eos_args *a)
{
	(void)no, (void)a;
	s->enabled = true;
	return true;
}

static bool do_disable(struct eos_session *s, bool no, const struct eos_args *a)
{
	(void)no, (void)a;
	s->enabled = false;
	s->mode = EOS_EXEC;
	return true;
}

static bool do_nothing(struct eos_session *s, bool no, const struct eos_args *a)
{
	(void)s, (void)no, (void)a;
	return true;
}

static bool clear_counters(struct eos_session *s, bool no, const struct eos_args *a)
{
	struct sim_port *p = a->n ? eos_port(s->m, a->word[0]) : NULL;

	(void)no;
	if (a->n && !p)
		return false;
	sim_clear_counters(s->m->ctx->sim, s->m->d, p);
	return true;
}

static bool clear_watchdog(struct eos_session *s, bool no, const struct eos_args *a)
{
	(void)no, (void)a;
	eos_clear_watchdog(s->m->ctx, s->m->d);
	return true;
}

static bool set_locator(struct eos_session *s, bool no, const struct eos_args *a)
{
	struct sim_port *p = eos_port(s->m, a->word[0]);
	struct sim_port_config c;

	if (!p)
		return false;
	c = p->config;
	c.beacon = !no;
	sim_configure(s->m->ctx->sim, p, &c, s->user);
	return true;
}

/* ---- modes ---- */

static bool do_configure(struct eos_session *s, bool no, const struct eos_args *a)
{
	(void)no, (void)a;
	s->mode = EOS_CONFIG;
	return true;
}

static bool open_session(struct eos_session *s, bool no, const struct eos_args *a)
{
	return no ? eos_session_end(s, a->word[0], false) : eos_session_enter(s, a->word[0]);
}

static bool abort_session(struct eos_session *s, bool no, const struct eos_args *a)
{
	(void)no;
	return eos_session_end(s, a->n ? a->word[0] : s->session, false);
}

static bool commit_session(struct eos_session *s, bool no, const struct eos_args *a)
{
	(void)no;
	return eos_session_end(s, a->n ? a->word[0] : s->session, true);
}

static bool do_end(struct eos_session *s, bool no, const struct eos_args *a)
{
	(void)no, (void)a;
	s->mode = EOS_EXEC;
	s->session[0] = '\0';
	return true;
}

static bool do_exit(struct eos_session *s, bool no, const struct eos_args *a)
{
	(void)no, (void)a;
	s->mode = s->mode == EOS_QUEUE    ? EOS_INTERFACE
		  : s->mode == EOS_CONFIG ? EOS_EXEC
					  : EOS_CONFIG;
	return true;
}

static bool enter_interface(struct eos_session *s, bool no, const struct eos_args *a)
{
	struct sim_port *p = eos_port(s->m, a->word[0]);

	if (!p || no)
		return false;
	s->mode = EOS_INTERFACE;
	s->port = p;
	return true;
}

static bool enter_queue(struct eos_session *s, bool no, const struct eos_args *a)
{
	/* Only the lossless queue has settings here. */
	if (no || strcmp(a->word[0], "3") != 0)
		return false;
	s->mode = EOS_QUEUE;
	return true;
}

static bool enter_bgp(struct eos_session *s, bool no, const struct eos_args *a)
{
	uint64_t asn;

	if (no || !str_to_u64(a->word[0], &asn) || asn != s->m->d->asn)
		return false;
	s->mode = EOS_BGP;
	return true;
}

/* ---- interfaces ---- */

static bool set_shutdown(struct eos_session *s, bool no, const struct eos_args *a)
{
	struct sim_port_config c = s->port->config;

	(void)a;
	c.admin_up = no;
	apply_config(s, &c);
	return true;
}

static bool set_mtu(struct eos_session *s, bool no, const struct eos_args *a)
{
	struct sim_port_config c = s->port->config;
	uint64_t v = 1500;

	if (!no && (!str_to_u64(a->word[0], &v) || v < 68 || v > 9214))
		return false;
	c.mtu = (uint16_t)v;
	apply_config(s, &c);
	return true;
}

static bool set_pfc(struct eos_session *s, bool no, const struct eos_args *a)
{
	struct sim_port_config c = s->port->config;

	(void)a;
	if (no)
		c.pfc_mask = c.wd_mask = 0;
	else if (!c.pfc_mask)
		c.pfc_mask = LOSSLESS_MASK;
	apply_config(s, &c);
	return true;
}

static bool set_priority(struct eos_session *s, bool off, const char *priority)
{
	struct sim_port_config c = s->port->config;
	uint64_t v;

	if (!str_to_u64(priority, &v) || v > 7)
		return false;
	c.pfc_mask = (uint8_t)(off ? c.pfc_mask & ~(1u << v) : c.pfc_mask | 1u << v);
	c.wd_mask &= c.pfc_mask;
	apply_config(s, &c);
	return true;
}

static bool set_no_drop(struct eos_session *s, bool no, const struct eos_args *a)
{
	return set_priority(s, no, a->word[0]);
}

static bool set_drop(struct eos_session *s, bool no, const struct eos_args *a)
{
	(void)no;
	return set_priority(s, true, a->word[0]);
}

static bool set_watchdog(struct eos_session *s, bool no, const struct eos_args *a)
{
	struct sim_port_config c = s->port->config;

	(void)a;
	c.wd_mask = no ? 0 : c.pfc_mask;
	apply_config(s, &c);
	return true;
}

static bool set_timers(struct eos_session *s, bool no, const struct eos_args *a)
{
	struct sim_port_config c = s->port->config;
	unsigned timeout = no ? 200 : to_ms(a->word[0]);
	unsigned recovery = no ? 200 : to_ms(a->word[a->n - 1]);

	if (!timeout || !recovery)
		return false;
	c.wd_detect_ms = timeout;
	c.wd_restore_ms = recovery;
	apply_config(s, &c);
	return true;
}

static bool set_own_timers(struct eos_session *s, bool no, const struct eos_args *a)
{
	struct sim_port_config c = s->port->config;
	const struct sim_port_config *all = &eos_default_timers(s->m)->config;

	if (!no && !set_timers(s, no, a))
		return false;
	if (may_write(s))
		eos_own_timers(s->m->ctx, s->port, !no);
	if (!no)
		return true;
	c.wd_detect_ms = all->wd_detect_ms;
	c.wd_restore_ms = all->wd_restore_ms;
	apply_config(s, &c);
	return true;
}

static bool parse_action(const char *word, enum sim_wd_action *action)
{
	if (str_eq(word, "drop"))
		*action = SIM_WD_DROP;
	else if (str_eq(word, "no-drop"))
		*action = SIM_WD_FORWARD;
	else if (str_eq(word, "notify-only"))
		*action = SIM_WD_ALERT;
	else
		return false;
	return true;
}

static bool set_action(struct eos_session *s, bool no, const struct eos_args *a)
{
	struct sim_port_config c = s->port->config;

	c.wd_action = SIM_WD_DROP;
	if (!no && !parse_action(a->word[0], &c.wd_action))
		return false;
	apply_config(s, &c);
	return true;
}

static bool set_own_action(struct eos_session *s, bool no, const struct eos_args *a)
{
	struct sim_port_config c = s->port->config;
	const struct sim_port *all = eos_default_action(s->m);

	if (!no && !set_action(s, no, a))
		return false;
	if (may_write(s))
		eos_own_action(s->m->ctx, s->port, !no);
	if (!no)
		return true;
	c.wd_action = all->config.wd_action;
	apply_config(s, &c);
	return true;
}

/* "150 kbytes": converts number and unit to bytes; 0: invalid. */
static unsigned to_bytes(const char *number, const char *unit)
{
	uint64_t v, times = str_eq(unit, "bytes")    ? 1
			    : str_eq(unit, "kbytes") ? 1000
			    : str_eq(unit, "mbytes") ? 1000000
						     : 0;

	return str_to_u64(number, &v) && v < 256000000 && v * times < UINT32_MAX
		       ? (unsigned)(v * times)
		       : 0;
}

static bool set_ecn(struct eos_session *s, bool no, const struct eos_args *a)
{
	struct sim_port_config c = s->port->config;
	uint64_t percent;

	c.ecn = !no;
	if (!no && a->n) {
		c.ecn_min_bytes = to_bytes(a->word[0], a->word[1]);
		c.ecn_max_bytes = to_bytes(a->word[2], a->word[3]);
		if (!c.ecn_min_bytes || c.ecn_max_bytes < c.ecn_min_bytes ||
			!str_to_u64(a->word[4], &percent) || percent > 100)
			return false;
		c.ecn_max_percent = (unsigned)percent;
	}
	apply_config(s, &c);
	return true;
}

/* ---- global ---- */

static bool all_timers(struct eos_session *s, bool no, const struct eos_args *a)
{
	struct sim_port *port = s->port;
	struct eos_args two = *a; /* without the polling interval */
	unsigned i;
	bool ok = true;

	two.n = 2;
	for (i = 0; i < s->m->d->nports && ok; i++) {
		s->port = &s->m->d->ports[i];
		ok = eos_has_own_timers(s->m->ctx, s->port) || set_timers(s, no, &two);
	}
	s->port = port;
	return ok;
}

static bool all_actions(struct eos_session *s, bool no, const struct eos_args *a)
{
	struct sim_port *port = s->port;
	unsigned i;
	bool ok = true;

	for (i = 0; i < s->m->d->nports && ok; i++) {
		s->port = &s->m->d->ports[i];
		ok = eos_has_own_action(s->m->ctx, s->port) || set_action(s, no, a);
	}
	s->port = port;
	return ok;
}

static bool set_dscp(struct eos_session *s, bool no, const struct eos_args *a)
{
	struct sim_device_config c = s->m->d->config;
	uint64_t dscp, tc;

	if (!str_to_u64(a->word[0], &dscp) || !str_to_u64(a->word[1], &tc) || dscp > 63 || tc > 7)
		return false;
	c.dscp_prio[dscp] = (uint8_t)(no ? 0 : tc);
	sim_configure_device(s->m->ctx->sim, s->m->d, &c, s->user);
	return true;
}

static bool set_trust(struct eos_session *s, bool no, const struct eos_args *a)
{
	struct sim_device_config c = s->m->d->config;

	(void)a;
	c.trust_dscp = !no;
	sim_configure_device(s->m->ctx->sim, s->m->d, &c, s->user);
	return true;
}

static bool set_neighbor(struct eos_session *s, bool no, const struct eos_args *a)
{
	char address[16];
	unsigned i;

	for (i = 0; i < s->m->d->nports; i++) {
		struct sim_port *p = &s->m->d->ports[i];
		const struct sim_port *far = p->plan_peer ? p->plan_peer : p->peer;

		if (!p->bgp.configured || !far)
			continue;
		personality_link_address(far, address);
		if (!str_eq(address, a->word[0]))
			continue;
		if (p->bgp.shut == no)
			sim_configure_bgp(s->m->ctx->sim, p, !no, s->user);
		return true;
	}
	return false;
}

static const struct change {
	unsigned modes;
	bool negatable;
	const char *words;
	change_fn run;
} changes[] = {
	{1u << EOS_EXEC, false, "enable", do_enable},
	{1u << EOS_EXEC, false, "disable", do_disable},
	{1u << EOS_EXEC, false, "configure", do_configure},
	{1u << EOS_EXEC, false, "configure terminal", do_configure},
	{UINT32_MAX, true, "configure session *", open_session},
	{UINT32_MAX, false, "configure session * abort", abort_session},
	{UINT32_MAX, false, "configure session * commit", commit_session},
	{ANY_CONFIG, false, "abort", abort_session},
	{ANY_CONFIG, false, "commit", commit_session},
	{1u << EOS_EXEC, false, "clear counters", clear_counters},
	{1u << EOS_EXEC, false, "clear counters %", clear_counters},
	{1u << EOS_EXEC, false, "clear priority-flow-control counters watchdog", clear_watchdog},
	{1u << EOS_EXEC, false, "clear priority-flow-control counter watchdog", clear_watchdog},
	{1u << EOS_EXEC, true, "locator-led interface %", set_locator},
	{UINT32_MAX, false, "write memory", do_nothing},
	{UINT32_MAX, false, "write", do_nothing},
	{UINT32_MAX, false, "copy running-config startup-config", do_nothing},
	{ANY_CONFIG, false, "end", do_end},
	{UINT32_MAX, false, "exit", do_exit},
	{ANY_CONFIG, true, "interface %", enter_interface},
	{ANY_CONFIG, true, "router bgp *", enter_bgp},
	{ON_PORT, true, "shutdown", set_shutdown},
	{ON_PORT, true, "mtu", set_mtu},
	{ON_PORT, true, "mtu #", set_mtu},
	{ON_PORT, true, "priority-flow-control on", set_pfc},
	{ON_PORT, true, "priority-flow-control", set_pfc},
	{ON_PORT, true, "priority-flow-control priority # no-drop", set_no_drop},
	{ON_PORT, true, "priority-flow-control priority # drop", set_drop},
	{ON_PORT, true, "priority-flow-control priority #", set_no_drop},
	{ON_PORT, true, "priority-flow-control pause watchdog", set_watchdog},
	{ON_PORT, true, "priority-flow-control pause watchdog port action *", set_own_action},
	{ON_PORT, true, "priority-flow-control pause watchdog port action", set_own_action},
	{ON_PORT, true,
		"priority-flow-control pause watchdog port timer timeout # polling-interval auto "
		"recovery-time #",
		set_own_timers},
	{ON_PORT, true,
		"priority-flow-control pause watchdog port timer timeout # polling-interval auto "
		"recovery-time # forced",
		set_own_timers},
	{ON_PORT, true, "priority-flow-control pause watchdog port timer", set_own_timers},
	{ON_PORT, false, "tx-queue #", enter_queue},
	{ON_PORT, false, "uc-tx-queue #", enter_queue},
	{ON_PORT, true, "qos trust dscp", set_trust},
	{1u << EOS_QUEUE, true, "random-detect ecn", set_ecn},
	{1u << EOS_QUEUE, true,
		"random-detect ecn minimum-threshold # * maximum-threshold # * "
		"max-mark-probability #",
		set_ecn},
	{1u << EOS_QUEUE, true,
		"random-detect ecn minimum-threshold # * maximum-threshold # * "
		"max-mark-probability # weight 0",
		set_ecn},
	{1u << EOS_QUEUE, true, "random-detect ecn count", do_nothing},
	{ANY_CONFIG, true,
		"priority-flow-control pause watchdog default timeout # recovery-time # "
		"polling-interval #",
		all_timers},
	{ANY_CONFIG, true, "priority-flow-control pause watchdog action *", all_actions},
	{ANY_CONFIG, true, "qos map dscp # to traffic-class #", set_dscp},
	{1u << EOS_BGP, true, "neighbor * shutdown", set_neighbor},
};

/* The line without a leading "no" or "default"; *no: it had one. "default X" undoes X as well. */
static const char *strip_no(const char *line, bool *no)
{
	line += strspn(line, " ");
	*no = true;
	if (str_starts(line, "no "))
		return line + strlen("no ");
	if (str_starts(line, "default "))
		return line + strlen("default ");
	*no = false;
	return line;
}

/*
 * In a configuration session only commands that select a mode or port run at once; the others wait
 * for its commit.
 */
static bool is_done_at_once(change_fn run)
{
	return run == enter_interface || run == enter_queue || run == enter_bgp || run == do_exit ||
	       run == do_end || run == do_nothing || run == open_session || run == abort_session ||
	       run == commit_session || run == set_locator;
}

enum eos_result eos_change(struct eos_session *s, const char *line)
{
	const char *whole = line;
	struct eos_args args;
	bool no;
	size_t i;

	line = strip_no(line, &no);
	for (i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		const struct change *c = &changes[i];

		if ((no && !c->negatable) || !(c->modes >> s->mode & 1) ||
			!eos_match(c->words, line, s->abbreviate, &args))
			continue;
		if (!s->enabled && c->run != do_enable && c->run != do_exit)
			return EOS_DENIED;
		if (*s->session)
			eos_session_record(s, whole);
		if (*s->session && !is_done_at_once(c->run))
			return EOS_DONE;
		return c->run(s, no, &args) ? EOS_DONE : EOS_UNKNOWN;
	}
	return EOS_UNKNOWN;
}

unsigned eos_change_words(const struct eos_session *s, const char *line)
{
	unsigned best = 0, n;
	bool no;
	size_t i;

	line = strip_no(line, &no);
	for (i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		if (!(changes[i].modes >> s->mode & 1))
			continue;
		n = eos_match_words(changes[i].words, line);
		best = n > best ? n : best;
	}
	return best + (no ? 1 : 0);
}
