/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/integration/support/fault_bench.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "actions/manager/executor.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"
#include "tests/integration/support/fault_check.h"
#include "tests/support/cases.h"
#include "tests/support/plan_make.h"
#include "tests/support/run_command.h"
#include "tests/support/built.h"

#define FARS    4
#define POLLS   5
#define POLL_US (5 * CLOCK_SEC)

/* ---- the emulated fabric ---- */

static void ctl(struct fault_bench *b, const char *verb, const char *what)
{
	char program[256];
	const char *argv[] = {built_path("railtop-emulator", program, sizeof(program)), "ctl",
		b->lab.dir, verb, what, NULL};
	int status = -1;
	char *out = run_command(argv, NULL, "", NULL, &status);

	if (status != 0)
		fail_msg("ctl %s %s: exit %d: %s", verb, what, status, out ? out : "");
	free(out);
}

void fault_bench_inject(struct fault_bench *b, const char *spec)
{
	ctl(b, "inject", spec);
}

bool fault_bench_settled(struct fault_bench *b)
{
	int64_t until = clock_mono(&clock_system) + 20 * CLOCK_SEC;
	struct condition c;

	do {
		c = fault_bench_look(b, VERB_BGP_UP);
		if (c.bgp == BGP_ESTABLISHED)
			return true;
	} while (clock_mono(&clock_system) < until);
	printf("# %s: peer \"%s\" %s shut %d\n", b->kind->name, c.bgp_peer, bgp_state_name(c.bgp),
		c.bgp_shut);
	return false;
}

void fault_bench_heal(struct fault_bench *b)
{
	char program[256];
	const char *argv[] = {built_path("railtop-emulator", program, sizeof(program)), "ctl",
		b->lab.dir, "heal", b->kind->device, NULL};
	int status;

	/* A fault that has ended by itself is not there: no failure. */
	free(run_command(argv, NULL, "", NULL, &status));
}

void fault_bench_open(struct fault_bench *b, const struct fault_kind *k)
{
	char log[128];

	memset(b, 0, sizeof(*b));
	b->kind = k;
	(void)str_printf(log, sizeof(log), "/tmp/railtop-faults-%s-%d.log", k->name, getpid());
	(void)str_copy(b->log, sizeof(b->log), log);
	lab_start(&b->lab, (const char *const[]){"--steady", "--speed", "10", "--platforms",
				   k->platforms, "--command-log", log, NULL});
	wire_open(&b->wire, &b->lab, k->device, k->dialect, k->transport, true);
}

static void end_run(struct fault_bench *b)
{
	manager_close(b->acts);
	b->acts = NULL;
	model_free(b->m);
	b->m = NULL;
	plan_free(&b->plan);
}

void fault_bench_close(struct fault_bench *b)
{
	if (b->acts)
		end_run(b);
	wire_close(&b->wire);
	lab_stop(&b->lab);
	(void)remove(b->log);
}

struct condition fault_bench_look(struct fault_bench *b, enum verb about)
{
	struct order o = {.verb = about, .priority = -1};

	if (about == VERB_COUNTERS_ON)
		(void)str_copy(o.group, sizeof(o.group), "wredqueue");
	else
		(void)str_copy(o.port, sizeof(o.port), b->kind->port);
	return wire_look(&b->wire, &o);
}

/* ---- railtop's knowledge ---- */

static char *copy_of(const char *s)
{
	return s ? mem_strdup(s) : NULL;
}

static void set(char **to, const char *s)
{
	free(*to);
	*to = copy_of(s);
}

static void fill_plan(struct fault_bench *b)
{
	const struct plan_device *from = &b->wire.device;
	bool leaf = str_starts(b->kind->device, "leaf");
	struct plan_actions *a = &b->plan.actions;
	struct plan_device *d;
	char name[32];

	plan_init(&b->plan);
	(void)str_copy(b->plan.fabric, sizeof(b->plan.fabric), "bench");
	b->plan.lossless.priorities = 1 << 3;
	d = plan_make_device(&b->plan, b->kind->device, leaf ? TIER_LEAF : TIER_SPINE, -1);
	set(&d->dialect, b->kind->dialect);
	set(&d->transport, b->kind->transport == TRANSPORT_SSH ? "ssh" : "https");
	set(&d->address, from->address);
	d->port = from->port;
	d->user = copy_of(from->user);
	d->identity = copy_of(from->identity);
	d->known_hosts = copy_of(from->known_hosts);
	d->tls_ca = copy_of(from->tls_ca);
	d->credentials = copy_of(from->credentials);
	for (unsigned i = 0; i < FARS; i++) {
		(void)str_printf(name, sizeof(name), "far-%u", i);
		(void)plan_make_device(&b->plan, name, leaf ? TIER_SPINE : TIER_LEAF, -1);
		(void)str_printf(name, sizeof(name), "other-%u", i);
		plan_make_link(&b->plan, 0, i ? name : b->kind->port, 1 + i, "here", -1);
	}
	a->granted = true;
	a->ledger = mem_strdup(b->ledger);
	a->per_hour = 1000;
	a->switch_us = a->port_us = 1;
	a->drain_bgp = b->by_bgp;
	(void)str_copy(a->wd_action, sizeof(a->wd_action), "drop");
	a->wd_detect_ms = 200;
	a->wd_restore_ms = 400;
}

static void tell_watchdog(struct obs *o, uint32_t at, const struct condition *c)
{
	enum wd_state s = (enum wd_state)c->wd_state[3];

	obs_word(o, at, ATTR_PFCWD_STATE, 3,
		c->wd == 0        ? "off"
		: s == WD_STORMED ? "stormed"
		: s == WD_OFF     ? "off"
				  : "operational");
	if (c->wd != 1 || !c->wd_set.detect_ms)
		return;
	obs_word(o, at, ATTR_PFCWD_ACTION, 3, c->wd_set.action);
	obs_number(o, at, ATTR_PFCWD_DETECT_MS, 3, c->wd_set.detect_ms);
	obs_number(o, at, ATTR_PFCWD_RESTORE_MS, 3, c->wd_set.restore_ms);
}

static void tell_port(struct obs *o, const char *name, const struct condition *c, int64_t now_us)
{
	uint32_t at = obs_port(o, name);

	obs_word(o, at, ATTR_OPER, 0, !c || c->oper == OPER_UP ? "up" : "down");
	obs_word(o, at, ATTR_ADMIN, 0, !c || c->admin == OPER_UP ? "up" : "down");
	obs_number(o, at, ATTR_SPEED_MBPS, 0, 400000);
	obs_number(o, at, ATTR_PFC_ENABLED, 0, 1 << 3);
	obs_count(o, at, CTR_RX_BYTES, 0, 0);
	obs_count(o, at, CTR_TX_BYTES, 0, 0);
	obs_count(o, at, CTR_RX_PACKETS, 0, (uint64_t)(now_us / CLOCK_SEC));
	/* Ahead of the device: the fabric is busy, and this counter is not under test. */
	obs_count(o, at, CTR_PFC_RX_FRAMES, 3, UINT64_C(1) << 50);
	if (c)
		tell_watchdog(o, at, c);
}

static void tell_device(struct fault_bench *b, const struct condition *c, int64_t now_us)
{
	struct obs *o = obs_new(b->kind->device, "fast");
	char name[32];

	for (unsigned i = 0; i < FARS; i++) {
		(void)str_printf(name, sizeof(name), "other-%u", i);
		tell_port(o, i ? name : b->kind->port, i ? NULL : c, now_us);
	}
	if (b->by_bgp && c->bgp_peer[0]) {
		(void)obs_bgp(o, BGP_IPV4, "default", c->bgp_peer, "", (enum bgp_state)c->bgp);
		o->bgp_whole = true;
	}
	if (c->counters == 0)
		obs_capability(o, "ECN marks", VALID_DISABLED, "");
	o->result = OBS_DATA;
	o->received_us = now_us;
	model_apply(b->m, o, now_us);
	obs_free(o);
}

static void fill_model(struct fault_bench *b, const struct condition *c, int64_t now_us)
{
	b->m = model_new(&b->plan);
	for (int k = POLLS - 1; k >= 0; k--) {
		int64_t t = now_us - k * POLL_US;

		tell_device(b, c, t);
		for (unsigned i = 0; i < FARS; i++) {
			struct obs *o = obs_new(b->plan.devices.at[1 + i].name, "fast");

			tell_port(o, "here", NULL, t);
			o->result = OBS_DATA;
			o->received_us = t;
			model_apply(b->m, o, t);
			obs_free(o);
		}
		(void)model_age(b->m, t);
		model_links(b->m);
	}
}

/* ---- a run ---- */

static int64_t now_us(void)
{
	return clock_wall(&clock_system);
}

struct woken {
	pthread_mutex_t lock;
	pthread_cond_t cond;
	unsigned n;
};
static struct woken woken = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};

static void wake(void *ctx)
{
	struct woken *w = ctx;

	pthread_mutex_lock(&w->lock);
	w->n++;
	pthread_cond_broadcast(&w->cond);
	pthread_mutex_unlock(&w->lock);
}

static bool snapshot(
	void *ctx, const char *act, char *path, size_t size, char sha256[65], struct err *err)
{
	(void)ctx, (void)err;
	(void)str_printf(path, size, "%s.json", act);
	sha256_hex("", 0, sha256);
	return true;
}

static void open_acts(struct fault_bench *b)
{
	struct action_manager_opts o = {.plan = &b->plan,
		.wake = wake,
		.ctx = &woken,
		.snapshot = snapshot,
		.watch_us = -1,
		.hurry = 10,
		.patience = 5};
	struct err err = {0};

	b->acts = manager_open(&o, &err);
	if (!b->acts)
		fail_msg("%s", err.text);
}

static enum act_stage leave_stage(struct fault_bench *b, enum act_stage s)
{
	struct timespec until;

	(void)clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 120;
	while (manager_stage(b->acts) == s) {
		pthread_mutex_lock(&woken.lock);
		while (!woken.n)
			if (pthread_cond_timedwait(&woken.cond, &woken.lock, &until) != 0) {
				pthread_mutex_unlock(&woken.lock);
				fault_bench_wrong(b, "nothing happened for two minutes");
			}
		woken.n = 0;
		pthread_mutex_unlock(&woken.lock);
		(void)manager_turn(b->acts, b->m, now_us());
	}
	return manager_stage(b->acts);
}

static enum verb about(const struct fault_bench *b, const char *action)
{
	if (str_starts(action, "pfcwd"))
		return VERB_WD_START;
	if (str_eq(action, "locate"))
		return VERB_LOCATE_ON;
	if (str_eq(action, "counterpoll-enable"))
		return VERB_COUNTERS_ON;
	return b->by_bgp ? VERB_BGP_UP : VERB_PORT_UP;
}

static bool begin(struct fault_bench *b, const char *action)
{
	struct device *d = model_device(b->m, b->kind->device);
	struct port *p = model_port(b->m, d, b->kind->port);
	bool device = str_eq(action, "counterpoll-enable");
	struct ref at = {.kind = device ? REF_DEVICE : REF_PORT, .device = d->id, .port = p->id};
	struct err err = {0};

	if (!manager_begin(b->acts, action_by_name(action), at, b->m, now_us(), &err)) {
		(void)str_copy(b->summary, sizeof(b->summary), err.text);
		return false;
	}
	if (leave_stage(b, ACT_LOOKING) == ACT_PLANNED)
		return true;
	manager_summary(b->acts, b->summary, sizeof(b->summary));
	/* The dialect has no safe words for it here, and says which are missing. */
	if (!b->trouble[0] && (str_starts(b->summary, "refused by plan:") ||
				      str_starts(b->summary, "refused by pending:")))
		return false;
	fault_bench_wrong(b, "there is no plan");
}

static void go(struct fault_bench *b)
{
	static const struct consent c = {
		.reason = "stuck queue after the swap", .incident = "INC-1234"};
	struct err err = {0};

	if (!manager_go(b->acts, &c, manager_plan(b->acts)->typed, b->m, now_us(), &err)) {
		(void)str_copy(b->summary, sizeof(b->summary), err.text);
		fault_bench_wrong(b, "it may not go");
	}
	b->stage = leave_stage(b, ACT_RUNNING);
	manager_summary(b->acts, b->summary, sizeof(b->summary));
}

bool fault_bench_run(struct fault_bench *b, const char *action, const char *trouble)
{
	enum verb v = about(b, action);
	char spec[160];
	size_t n;

	if (b->acts)
		end_run(b);
	(void)str_copy(b->action, sizeof(b->action), action);
	(void)str_copy(b->trouble, sizeof(b->trouble), trouble ? trouble : "");
	(void)str_printf(b->ledger, sizeof(b->ledger), "%s/acts-%u.jsonl", b->lab.dir, b->runs++);
	b->before = fault_bench_look(b, v);
	fill_plan(b);
	fill_model(b, &b->before, now_us());
	open_acts(b);
	b->log_from = fault_log_size(b);
	if (!begin(b, action))
		return false;
	if (trouble) {
		n = strcspn(trouble, ",");
		(void)str_printf(spec, sizeof(spec), "%.*s:%s%s", (int)n, trouble, b->kind->device,
			trouble + n);
		fault_bench_inject(b, spec);
	}
	go(b);
	if (trouble)
		fault_bench_heal(b);
	b->after = fault_bench_look(b, v);
	fault_check(b);
	return true;
}

void fault_bench_undo(struct fault_bench *b)
{
	static const struct consent c = {
		.reason = "taken back by the test", .incident = "INC-1235"};
	struct err err = {0};

	/* Polled since. */
	b->after = fault_bench_look(b, about(b, b->action));
	model_free(b->m);
	fill_model(b, &b->after, now_us());
	if (!manager_undo(b->acts, &c, b->m, now_us(), &err))
		fail_msg("%s", err.text);
	if (leave_stage(b, ACT_LOOKING) == ACT_RUNNING)
		(void)leave_stage(b, ACT_RUNNING);
	manager_summary(b->acts, b->summary, sizeof(b->summary));
	b->after = fault_bench_look(b, about(b, b->action));
	if (!condition_same(&b->before, &b->after))
		fault_bench_wrong(b, "taken back, and it is not as it was");
}

bool fault_bench_noted(const struct fault_bench *b, const char *words)
{
	const act_note_vec *v = manager_notes(b->acts);

	for (size_t i = 0; i < v->n; i++)
		if (strstr(v->at[i].text, words))
			return true;
	return false;
}

void fault_bench_print_reading(const struct fault_bench *b)
{
	const act_note_vec *v = manager_notes(b->acts);

	for (size_t i = 0; i < v->n; i++)
		if (str_starts(v->at[i].text, "it cannot be read"))
			printf("#   %s\n", v->at[i].text);
}

void fault_bench_wrong(struct fault_bench *b, const char *what)
{
	const act_note_vec *v = manager_notes(b->acts);

	fprintf(stderr, "# %s: %s %s, %s: %s (%s)\n", b->kind->name, b->action, b->kind->port,
		b->trouble[0] ? b->trouble : "well", what, b->summary);
	for (size_t i = 0; i < v->n; i++)
		fprintf(stderr, "#   %s\n", v->at[i].text);
	fault_print(b);
	fail_msg("%s: %s: %s", b->action, b->trouble, what);
	abort();
}
