/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/actions/support/site.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"
#include "tests/support/cases.h"
#include "tests/support/plan_make.h"

#define POLL_US (5 * CLOCK_SEC)

/* ---- a dialect of the test's own: "set VERB PORT ..." ---- */

static bool look(
	const struct target *t, const struct order *o, struct request_list *out, struct err *err)
{
	(void)t, (void)o, (void)err;
	(void)requests_ssh(out, "look", "show", NULL);
	return true;
}

static bool command(const struct target *t, const struct order *o, const struct condition *now,
	struct request_list *out, struct err *err)
{
	char text[256];
	struct request *r;

	if (!order_check(o, err))
		return false;
	if (o->verb == VERB_WD_START && now->pfc == 0)
		return err_set(err, ERR_REFUSED, o->port, "PFC is off");
	(void)str_printf(text, sizeof(text), "set %s %s", verb_name(o->verb),
		o->port[0] ? o->port : o->group);
	if (o->verb == VERB_WD_START)
		(void)str_printf(text, sizeof(text), "set %s %s %s %u %u", verb_name(o->verb),
			o->port, o->wd.action, o->wd.detect_ms, o->wd.restore_ms);
	if (o->verb == VERB_WD_RECOVER)
		(void)str_printf(text, sizeof(text), "set wd-recover %s %d", o->port, o->priority);
	if (o->peer[0])
		(void)str_printf(
			text, sizeof(text), "set %s %s as %u", verb_name(o->verb), o->peer, o->asn);
	r = t->transport == TRANSPORT_HTTPS
		    ? requests_http(out, "set", "POST", "/set", "text/plain", text)
		    : requests_ssh(out, "set", o->lines ? o->lines : text, NULL);
	r->change = true;
	return true;
}

static const unsigned all_verbs = (1u << VERB_COUNT) - 1;

/* ---- the fabric ---- */

static void fill_plan(struct plan *plan)
{
	static const char *const devices[] = {"node000", "node001", "leaf-r0-00", "leaf-r1-00",
		"spine-000", "spine-001", "spine-002", "spine-003"};
	char port[32], up[32];

	plan_init(plan);
	(void)str_copy(plan->fabric, sizeof(plan->fabric), "site");
	plan->rails = 2;
	plan->lossless.priorities = 1 << 3;
	for (unsigned i = 0; i < 8; i++)
		(void)plan_make_device(plan, devices[i],
			i < 2   ? TIER_HOST
			: i < 4 ? TIER_LEAF
				: TIER_SPINE,
			i == 2   ? 0
			: i == 3 ? 1
				 : -1);
	for (unsigned rail = 0; rail < 2; rail++) {
		for (unsigned host = 0; host < 2; host++) {
			(void)str_printf(up, sizeof(up), "mlx5_%u", rail);
			(void)str_printf(port, sizeof(port), "Ethernet%u", host * 4);
			plan_make_link(plan, host, up, 2 + rail, port, (int)rail);
		}
		for (unsigned spine = 0; spine < 4; spine++) {
			(void)str_printf(port, sizeof(port), "Ethernet%u", 12 + spine * 4);
			(void)str_printf(up, sizeof(up), "Ethernet%u/1", rail + 1);
			plan_make_link(plan, 2 + rail, port, 4 + spine, up, (int)rail);
		}
	}
	plan->actions.granted = true;
}

struct port *site_port(const struct site *s, const char *device, const char *port)
{
	struct device *d = model_device(s->m, device);
	struct port *p = d ? model_port(s->m, d, port) : NULL;

	if (!p)
		fail_msg("the site has no %s:%s", device, port);
	return p;
}

static void tell_port(struct site *s, struct obs *o, const struct port *p)
{
	uint32_t at = obs_port(o, p->name);
	bool host = model_dev_of(s->m, p)->tier == TIER_HOST;

	if (!p->seen) {
		obs_word(o, at, ATTR_OPER, 0, "up");
		obs_word(o, at, ATTR_ADMIN, 0, "up");
		obs_number(o, at, ATTR_SPEED_MBPS, 0, 400000);
		obs_number(o, at, ATTR_PFC_ENABLED, 0, 1 << 3);
	}
	if (!p->seen && !host) {
		obs_word(o, at, ATTR_PFCWD_STATE, 3, "operational");
		obs_word(o, at, ATTR_PFCWD_ACTION, 3, "drop");
		obs_number(o, at, ATTR_PFCWD_DETECT_MS, 3, 200);
		obs_number(o, at, ATTR_PFCWD_RESTORE_MS, 3, 400);
	}
	if (!s->no_load) {
		obs_count(o, at, CTR_RX_BYTES, 0, s->bytes);
		obs_count(o, at, CTR_TX_BYTES, 0, s->bytes);
	}
	/* One counter moves with each poll, so that counters that stand still are known to. */
	obs_count(o, at, CTR_RX_PACKETS, 0, (uint64_t)(s->now_us / CLOCK_SEC));
	if (!s->no_pfc)
		obs_count(o, at, CTR_PFC_RX_FRAMES, 3, s->pfc3);
	obs_count(o, at, CTR_PFCWD_STORM_DETECTED, 3, 0);
}

static void tell_job(struct obs *o)
{
	static const char *const hosts[] = {"node000", "node001"};

	for (int32_t k = 0; k < 2; k++) {
		struct obs_nccl *r = obs_nccl(o, NCCL_RANK, SOURCE_RAS);

		r->job = obs_string(o, "pretrain");
		r->comm = obs_string(o, "0x9bd8b4c5a3b1e8f7");
		r->comm_name = obs_string(o, "world");
		r->rank = k;
		r->nranks = 2;
		r->host = obs_string(o, hosts[k]);
		r->pid = 100 + k;
		r->gpu = 0;
		r->nic = obs_string(o, "mlx5_0");
		r->state = NCCL_RUNNING;
	}
}

static void apply(struct site *s, struct obs *o)
{
	o->result = OBS_DATA;
	o->received_us = s->now_us;
	model_apply(s->m, o, s->now_us);
	obs_free(o);
}

static void poll_device(struct site *s, const struct device *d)
{
	struct obs *o = obs_new(d->name, "fast");
	bool first = !d->polls;

	for (size_t i = 0; i < d->ports.n; i++)
		tell_port(s, o, s->m->ports.at[d->ports.at[i]]);
	if (first && d->tier == TIER_LEAF) {
		for (unsigned i = 0; i < 4; i++) {
			char port[16];

			(void)str_printf(port, sizeof(port), "Ethernet%u", 12 + 4 * i);
			(void)obs_bgp(o, BGP_IPV4, "default", port, "", BGP_ESTABLISHED);
		}
		o->bgp_whole = true;
	}
	if (s->jobs && d->id == 0)
		tell_job(o);
	apply(s, o);
}

static void read_condition(struct site *s)
{
	const struct port *p = s->at.port;

	s->now.at_us = s->now_us;
	if (!p)
		return;
	s->now.admin = p->admin;
	s->now.oper = p->oper;
	s->now.pfc = 1 << 3;
	s->now.rx_pause[3] = s->no_pfc ? UINT64_MAX : s->pfc3;
	s->now.wd_state[3] = p->wd[3].state;
	s->now.wd_storms[3] = 0;
	s->now.wd = p->wd[3].state == WD_OPERATIONAL || p->wd[3].state == WD_STORMED;
	s->now.wd_set = (struct wd_setting){"", p->wd[3].detect_ms, p->wd[3].restore_ms, false};
	(void)str_copy(s->now.wd_set.action, sizeof(s->now.wd_set.action), p->wd[3].action);
	s->now.pending = 0;
}

void site_poll(struct site *s, unsigned n)
{
	while (n--) {
		s->now_us += POLL_US;
		s->bytes += s->load;
		for (size_t i = 0; i < s->m->devices.n; i++)
			poll_device(s, s->m->devices.at[i]);
		(void)model_age(s->m, s->now_us);
		model_links(s->m);
	}
	s->at.now_us = s->x.now_us = s->x.wall_us = s->now_us;
	read_condition(s);
}

void site_word(
	struct site *s, const char *device, const char *port, enum obs_attr a, const char *text)
{
	struct obs *o = obs_new(device, "fast");

	obs_word(o, obs_port(o, port), a, a == ATTR_PFCWD_STATE ? 3 : 0, text);
	apply(s, o);
	read_condition(s);
}

void site_bgp(struct site *s, const char *device, const char *port, enum bgp_state state)
{
	struct obs *o = obs_new(device, "bgp");

	(void)obs_bgp(o, BGP_IPV4, "default", port, "", state);
	apply(s, o);
}

void site_at(struct site *s, const char *device, const char *port, int priority)
{
	int i = plan_find(&s->plan, device);

	if (i < 0)
		fail_msg("the site has no %s", device);
	s->at.device = &s->plan.devices.at[i];
	s->at.dev = model_device(s->m, device);
	s->at.port = port ? site_port(s, device, port) : NULL;
	s->at.priority = priority;
	s->target.device = s->at.device->name;
	s->target.tier = s->at.device->tier;
	read_condition(s);
}

void site_action(struct site *s, const char *name)
{
	s->x.action = action_by_name(name);
	if (!s->x.action)
		fail_msg("there is no action %s", name);
}

struct site *site_new(void)
{
	struct site *s = mem_calloc(1, sizeof(*s));

	fill_plan(&s->plan);
	s->m = model_new(&s->plan);
	s->now_us = SITE_T0;
	s->jobs = true;
	s->load = 25000000000; /* 10 % of 400G for 5 s */
	s->pfc3 = 1000;
	s->can = (struct dialect_changes){
		.verbs = all_verbs & ~(1u << VERB_WD_RECOVER), .look = look, .command = command};
	condition_init(&s->now);
	s->at = (struct place_of_action){
		.plan = &s->plan, .model = s->m, .can = &s->can, .target = &s->target};
	(void)str_copy(s->who.user, sizeof(s->who.user), "ann");
	s->who.uid = 1001;
	(void)str_copy(s->consent.reason, sizeof(s->consent.reason), "stuck queue after the swap");
	(void)str_copy(s->consent.incident, sizeof(s->consent.incident), "INC-1234");
	s->x = (struct guard_context){.at = &s->at,
		.condition = &s->now,
		.who = &s->who,
		.ledger = &s->ledger,
		.consent = &s->consent,
		.kill_switch = "/nonexistent/railtop/actions.stop",
		.approvals = "/nonexistent/railtop/approvals",
		.snapshot_taken = true};
	site_action(s, "port-drain");
	site_at(s, "leaf-r0-00", "Ethernet12", -1);
	site_poll(s, 4);
	return s;
}

void site_free(struct site *s)
{
	if (!s)
		return;
	model_free(s->m);
	plan_free(&s->plan);
	free(s);
}

int site_setup(void **state)
{
	*state = site_new();
	return 0;
}

int site_teardown(void **state)
{
	site_free(*state);
	return 0;
}

/* ---- guards ---- */

bool site_ask(struct site *s, const char *guard)
{
	s->refusal = (struct refusal){.guard = guard};
	for (size_t i = 0; i < guard_count; i++)
		if (str_eq(guard_table[i].name, guard))
			return guard_table[i].ask(&s->x, &s->refusal);
	fail_msg("there is no guard %s", guard);
	return false;
}

void site_passes(struct site *s, const char *guard)
{
	if (!site_ask(s, guard))
		fail_msg("%s refuses: %s (%s)", guard, s->refusal.why, s->refusal.cure);
}

void site_refused(struct site *s, const char *guard, const char *why, const char *cure)
{
	if (site_ask(s, guard))
		fail_msg("%s does not refuse", guard);
	if (!strstr(s->refusal.why, why))
		fail_msg("%s says \"%s\", not \"%s\"", guard, s->refusal.why, why);
	if (!strstr(s->refusal.cure, cure))
		fail_msg("%s advises \"%s\", not \"%s\"", guard, s->refusal.cure, cure);
	if (!s->refusal.cure[0])
		fail_msg("%s gives no cure", guard);
}
