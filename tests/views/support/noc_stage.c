/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/views/support/noc_stage.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"
#include "tests/support/cases.h"
#include "views/noc/noc.h"

#define NOW  100
#define MONO (INT64_C(5000) * CLOCK_SEC)

static volatile sig_atomic_t resized;

static void on_winch(int number)
{
	(void)number;
	resized = 1;
}

struct player {
	const struct noc_stage *x;
	struct term *term;
	struct keymap *keys;
	struct noc *noc;
	struct model *m;
	struct diag *d;
	int64_t mono;
	unsigned long taken;
};

struct keymap *noc_stage_keys(void)
{
	struct keymap *k = keymap_new();
	char text[8192] = "";
	FILE *f = fopen("keymaps/noc.keys", "re");
	size_t n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;

	if (f)
		(void)fclose(f);
	if (!n || keymap_read(k, "noc.keys", text, noc_command_known, NULL, NULL, NULL) != 0)
		abort();
	return k;
}

/* ---- the content ---- */

/* Two sessions of each leaf, one of leaf-r3-00 down. */
static void sessions(struct player *p, int s)
{
	for (unsigned r = 0; r < 8; r++) {
		char leaf[32];
		struct obs *o;

		(void)str_printf(leaf, sizeof(leaf), "leaf-r%u-00", r);
		o = obs_new(leaf, "bgp");
		o->result = OBS_DATA;
		o->received_us = fix_time(s);
		o->bgp_whole = true;
		for (unsigned spine = 0; spine < 2; spine++)
			(void)obs_bgp(o, BGP_IPV4, "default", spine ? "10.0.0.2" : "10.0.0.1", "",
				r == 3 && spine && p->x->scene == NOC_INCIDENT ? BGP_ACTIVE
									       : BGP_ESTABLISHED);
		model_apply(p->m, o, fix_time(s));
		obs_free(o);
	}
}

static void job(struct player *p)
{
	struct obs *o = obs_new("", "jobs");

	for (int host = 0; host < 2; host++) {
		struct obs_nccl *r = obs_nccl(o, NCCL_JOB, SOURCE_SLURM);

		r->job = obs_string(o, "secret-tenant-job");
		r->host = obs_string(o, host ? "node001" : "node000");
		r->nranks = 16;
	}
	model_apply(p->m, o, fix_time(NOW));
	obs_free(o);
}

static void storm_events(struct player *p)
{
	for (int i = 0; i < 3; i++) {
		struct obs *o = obs_new("leaf-r2-00", "fast");

		o->result = OBS_DATA;
		o->received_us = fix_time(NOW - 3 + i);
		obs_count(o, obs_port(o, "Ethernet4"), CTR_PFCWD_STORM_DETECTED, 3,
			(uint64_t)(4 + i));
		obs_word(o, obs_port(o, "Ethernet4"), ATTR_PFCWD_STATE, 3, "stormed");
		model_apply(p->m, o, fix_time(NOW - 3 + i));
		obs_free(o);
	}
}

static void findings(struct player *p)
{
	struct finding *f;
	struct verdict_report *v = fake_verdict(p->d);
	uint64_t root;

	f = fake_finding(
		p->d, FIND_PFC_STORM, fix_port_ref(p->m, "node001", "mlx5_2"), ROLE_CULPRIT, 0);
	f->peer = fix_port_ref(p->m, "leaf-r2-00", "Ethernet4");
	f->gpus_blocked = 16;
	f->first_seen_us = fix_time(NOW - 754);
	root = f->key;
	f = fake_finding(p->d, FIND_WATCHDOG_FIRED, fix_port_ref(p->m, "leaf-r2-00", "Ethernet4"),
		ROLE_SYMPTOM, root);
	f = fake_finding(p->d, FIND_LINK_FLAPPING, fix_port_ref(p->m, "leaf-r5-00", "Ethernet0"),
		ROLE_CULPRIT, 0);
	f->peer = fix_port_ref(p->m, "node000", "mlx5_5");
	f->first_seen_us = fix_time(NOW - 9000);
	f = fake_finding(
		p->d, FIND_NCCL_HANG, (struct ref){.kind = REF_JOB, .job = 0}, ROLE_VICTIM, 0);
	f->gpus_blocked = 16;
	f = fake_finding(p->d, FIND_BGP_DOWN, fix_device_ref(p->m, "leaf-r3-00"), ROLE_CULPRIT, 0);
	f->acked_us = fix_time(NOW - 60);
	f->ack_until_us = fix_time(NOW + 3600);
	(void)str_copy(f->ack_user, sizeof(f->ack_user), "secret-user");
	(void)str_copy(f->ack_note, sizeof(f->ack_note), "INC-4711 secret reason");
	f = fake_finding(p->d, FIND_LINT_MTU, fix_device_ref(p->m, "spine-000"), ROLE_RISK, 0);
	v->verdict = VERDICT_NETWORK;
	v->trouble = true;
	v->state = FABRIC_TROUBLE;
	v->confidence = 0.97;
	v->culprit = root;
}

static void set_scene(struct player *p)
{
	static const struct fault faults[] = {
		{.device = "leaf-r5-00", .port = "Ethernet0", .down = true},
		{.device = "node001", .port = "mlx5_2", .load = 0.1},
		{.device = "leaf-r3-00", .port = "Ethernet8", .drops = 120}};
	size_t n = p->x->scene == NOC_INCIDENT ? 3 : 0;

	if (p->x->scene == NOC_EMPTY)
		return;
	fix_poll(p->m, NOW - 30, NULL, 0);
	sessions(p, NOW - 20);
	fix_poll(p->m, NOW - 10, faults, n);
	if (p->x->scene == NOC_INCIDENT) {
		findings(p);
		job(p);
	} else if (p->x->scene == NOC_HEALTHY) {
		job(p);
	}
	fix_poll(p->m, NOW - 3, faults, n);
	if (p->x->scene == NOC_INCIDENT)
		storm_events(p);
	if (p->x->ends_unknown)
		p->m->tally.since_us[TALLY_WD_RESTORED] = 0;
	if (p->x->scene == NOC_HEALTHY)
		*fake_verdict(p->d) =
			(struct verdict_report){.fabric_clean = true, .state = FABRIC_CLEAN};
	/* Of twelve devices five still answer. */
	for (size_t i = 0; p->x->scene == NOC_DARK && i < p->m->devices.n; i++)
		if (i >= 5)
			p->m->devices.at[i]->state = i % 2 ? DEV_UNREACHABLE : DEV_STALE;
}

/* ---- the loop ---- */

static void tell(struct player *p)
{
	noc_data(p->noc, p->m, p->d, fix_time(NOW), p->mono);
}

static void control(struct player *p, int key)
{
	if (key == 'T' - '@')
		p->mono += NOC_ROTATE_US;
	if (key == 'D' - '@')
		p->mono += 95 * CLOCK_SEC;
	if (key == 'N' - '@') {
		fake_finding(p->d, FIND_LINK_DOWN, fix_port_ref(p->m, "leaf-r7-00", "Ethernet4"),
			ROLE_CULPRIT, 0)
			->first_seen_us = fix_time(NOW);
		tell(p);
	}
	noc_tick(p->noc, fix_time(NOW), p->mono);
}

static void take_keys(struct player *p)
{
	int key;

	while (!noc_quitting(p->noc) && (key = term_key(p->term)) != -1) {
		p->taken++;
		if (key == 'T' - '@' || key == 'N' - '@' || key == 'D' - '@')
			control(p, key);
		else
			noc_key(p->noc, key, p->mono);
	}
}

static void sleep_until_input(struct player *p, int idle_fd, const sigset_t *mask)
{
	struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
	struct timespec ts = {.tv_sec = 1};

	if (!noc_dirty(p->noc) && term_gate_deadline(p->term) == INT64_MAX)
		(void)dprintf(idle_fd, "idle %lu\n", p->taken);
	(void)ppoll(&in, 1, &ts, mask);
}

static int play(void *ctx, int idle_fd)
{
	struct player player = {.x = ctx, .mono = MONO}, *p = &player;
	struct term_opts topts = {.ascii = p->x->ascii, .no_color = p->x->mono};
	struct noc_opts nopts = {0};
	struct sigaction action = {.sa_handler = on_winch};
	sigset_t block, mask;

	(void)sigemptyset(&block);
	(void)sigaddset(&block, SIGWINCH);
	(void)sigprocmask(SIG_BLOCK, &block, &mask);
	(void)sigaction(SIGWINCH, &action, NULL);
	p->term = term_open(&topts, NULL);
	if (!p->term)
		return 3;
	p->keys = noc_stage_keys();
	nopts.term = p->term;
	nopts.keymap = p->keys;
	p->noc = noc_new(&nopts, fix_time(NOW), MONO);
	p->m = fix_model();
	p->d = diag_new();
	set_scene(p);
	tell(p);
	while (!noc_quitting(p->noc)) {
		if (resized) {
			resized = 0;
			term_resize(p->term);
			noc_touch(p->noc);
		}
		take_keys(p);
		if (noc_dirty(p->noc))
			(void)noc_draw(p->noc);
		if (!noc_quitting(p->noc))
			sleep_until_input(p, idle_fd, &mask);
	}
	noc_free(p->noc);
	term_close(p->term);
	keymap_free(p->keys);
	diag_free(p->d);
	model_free(p->m);
	return 0;
}

struct vt *noc_stage_start(const struct noc_stage *x)
{
	struct vt_opts opts = {.rows = x->rows, .cols = x->cols, .idle = true, .own_stderr = true};
	struct vt *vt = vt_spawn_fn(&opts, play, (void *)(uintptr_t)x);

	assert_non_null(vt);
	vt_wait_idle(vt, 0);
	return vt;
}

void noc_stage_end(struct vt *vt)
{
	vt_type(vt, "q");
	vt_settle(vt);
	vt_type(vt, "q");
	assert_int_equal(vt_wait_exit(vt), 0);
	vt_free(vt);
}
