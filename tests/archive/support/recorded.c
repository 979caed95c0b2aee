/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/archive/support/recorded.h"

#include <stdio.h>
#include <string.h>

#include "archive/replay/replay.h"
#include "archive/recording/rts.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"
#include "tests/support/cases.h"
#include "tests/support/plan_make.h"

#define LEAF_A  "tor-frankfurt-r3-a07"
#define LEAF_B  "tor-frankfurt-r3-b07"
#define SPINE   "agg-frankfurt-01"
#define FABRIC  "acme-bluewhale"
#define JOB     "moonshot-llm"
#define ADDRESS "10.77.3.21"

const char *const recorded_originals[] = {"frankfurt", "bluewhale", "acme", "helios", "moonshot",
	"mallory", "oconnor", "rogue-switch", "10.77.", "2620:aa", "2620:00aa", "0c:42:a1",
	"0c42.a1de", "0c-42-a1", "SN0042X", "MODSN77", "hunter2hunter2", "s3cr3tcommunity",
	"acmecorp", NULL};

struct fabric {
	struct plan plan;
	struct model *m;
	struct diag *d;
	struct rts_writer *w;
	struct recorder *r;
	int64_t now_us;
	unsigned poll;
};

static void make_plan(struct plan *p)
{
	char name[NAME_MAX_LEN], port[NAME_MAX_LEN];

	plan_init(p);
	(void)str_copy(p->fabric, sizeof(p->fabric), FABRIC);
	p->lossless.priorities = 1 << 3;
	(void)plan_make_device(p, LEAF_A, TIER_LEAF, 0);
	(void)plan_make_device(p, LEAF_B, TIER_LEAF, 1);
	(void)plan_make_device(p, SPINE, TIER_SPINE, -1);
	for (unsigned i = 0; i < 4; i++) {
		(void)str_printf(name, sizeof(name), "gpu-helios-%03u", i);
		(void)plan_make_device(p, name, TIER_HOST, -1);
		for (unsigned leaf = 0; leaf < 2; leaf++) {
			char nic[NAME_MAX_LEN];

			(void)str_printf(nic, sizeof(nic), "mlx5_%u", leaf);
			(void)str_printf(port, sizeof(port), "Ethernet%u", 4 * i);
			plan_make_link(p, 3 + i, nic, leaf, port, (int)leaf);
		}
	}
	plan_make_link(p, 0, "Ethernet64", 2, "Ethernet1/1", -1);
	plan_make_link(p, 1, "Ethernet64", 2, "Ethernet2/1", -1);
}

static void hand_over(struct fabric *f, struct obs *o)
{
	const struct device *d;

	o->received_us = f->now_us;
	model_apply(f->m, o, f->now_us);
	d = model_device(f->m, o->device);
	if (d)
		diag_note(f->d, f->m, d->id, f->now_us);
	recorder_obs(f->r, o, f->now_us);
}

static void say_port(struct fabric *f, struct obs *o, const char *name, bool up, const char *peer,
	const char *peer_port)
{
	uint32_t p = obs_port(o, name);

	obs_word(o, p, ATTR_OPER, 0, up ? "up" : "down");
	obs_word(o, p, ATTR_ADMIN, 0, "up");
	obs_number(o, p, ATTR_SPEED_MBPS, 0, 400000);
	obs_count(o, p, CTR_RX_BYTES, 0, f->poll * UINT64_C(5000000000));
	obs_count(o, p, CTR_TX_BYTES, 0, f->poll * UINT64_C(5000000000));
	obs_count(o, p, CTR_PFC_RX_FRAMES, 3, f->poll * 10);
	obs_count(o, p, CTR_LINK_DOWN_EVENTS, 0, up ? 0 : 1);
	if (f->poll % 4 == 0) {
		obs_word(o, p, ATTR_MODULE_SN, 0, "MODSN77A");
		obs_word(o, p, ATTR_MAC, 0, "0c:42:a1:de:ad:42");
		obs_word(o, p, ATTR_DESCRIPTION, 0,
			"to " LEAF_A ".dc9.acmecorp.example.com for " JOB);
		obs_lldp(o, p, peer, peer_port);
	}
}

static void say_device(struct obs *o, unsigned poll)
{
	obs_word(o, OBS_NO_PORT, ATTR_HOSTNAME, 0, o->device);
	obs_word(o, OBS_NO_PORT, ATTR_SERIAL, 0, "SN0042X1");
	obs_word(o, OBS_NO_PORT, ATTR_OS_VERSION, 0, "4.31.2.1");
	obs_word(o, OBS_NO_PORT, ATTR_MODEL, 0, "SN5600");
	obs_word(o, OBS_NO_PORT, ATTR_ROUTER_ID, 0, ADDRESS);
	obs_number(o, OBS_NO_PORT, ATTR_UPTIME_S, 0, 1000 + poll * 5);
}

static void poll_leaf(struct fabric *f, const char *leaf, unsigned index)
{
	struct obs *o = obs_new(leaf, "fast");
	char host[NAME_MAX_LEN], nic[16], port[16];

	say_device(o, f->poll);
	(void)str_printf(nic, sizeof(nic), "mlx5_%u", index);
	for (unsigned i = 0; i < 4; i++) {
		(void)str_printf(host, sizeof(host), "gpu-helios-%03u.dc9.acmecorp.example.com", i);
		(void)str_printf(port, sizeof(port), "Ethernet%u", 4 * i);
		say_port(f, o, port, index || i || f->poll < 10, host, nic);
	}
	say_port(f, o, "Ethernet64", true, SPINE, index ? "Ethernet2/1" : "Ethernet1/1");
	say_port(f, o, "Ethernet68", true, "rogue-switch-zz9", "Ethernet1");
	obs_word(o, obs_port(o, "Ethernet68"), ATTR_LLDP_MGMT, 0, "2620:aa:bb::17");
	obs_word(o, obs_port(o, "Ethernet68"), ATTR_LLDP_DESCR, 0,
		"switch of Mallory.OConnor in FRANKFURT");
	(void)obs_bgp(o, BGP_IPV4, "default", "10.77.3.99", SPINE, BGP_ESTABLISHED);
	(void)obs_bgp(o, BGP_IPV6, "default", "2620:aa:bb:0::18", "", BGP_ACTIVE);
	obs_log(o, OBS_NO_PORT, -1, true, f->now_us,
		"login of mallory.oconnor from 10.77.3.21 (0C-42-A1-DE-AD-42) to " LEAF_B
		", password hunter2hunter2");
	hand_over(f, o);
}

static void poll_host(struct fabric *f, unsigned i)
{
	char name[NAME_MAX_LEN];
	struct obs *o;

	(void)str_printf(name, sizeof(name), "gpu-helios-%03u", i);
	o = obs_new(name, "fast");
	say_device(o, f->poll);
	say_port(
		f, o, "mlx5_0", i || f->poll < 10, LEAF_A ".dc9.acmecorp.example.com", "Ethernet0");
	say_port(f, o, "mlx5_1", true, LEAF_B, "Ethernet0");
	for (int32_t rank = 0; rank < 4; rank++) {
		struct obs_nccl *n = obs_nccl(o, NCCL_RANK, SOURCE_RAS);
		char host[NAME_MAX_LEN];

		(void)str_printf(host, sizeof(host), "gpu-helios-%03d", rank);
		n->job = obs_string(o, JOB);
		n->comm = obs_string(o, "0x9bd8b4c5a3b1e8f7");
		n->host = obs_string(o, rank == 3 ? "10.77.3.23" : host);
		n->rank = rank;
		n->nranks = 4;
		n->pid = 100 + rank;
		n->gpu = 0;
	}
	if (f->poll % 5 == 2) {
		struct obs_nccl *n = obs_nccl(o, NCCL_ERROR, SOURCE_NCCL_LOG);

		n->comm = obs_string(o, "0x9bd8b4c5a3b1e8f7");
		n->rank = 1;
		n->text = obs_string(o, "timeout to gpu-helios-002<10.77.3.22:4791> GID "
					"2620:00aa:00bb:0000:0000:0000:0000:0022");
	}
	hand_over(f, o);
}

static void poll_spine(struct fabric *f)
{
	struct obs *o = obs_new(SPINE, "fast");

	o->result = OBS_FAILED;
	err_set(&o->err, ERR_UNREACHABLE, SPINE,
		"no answer from 10.77.3.1 (" SPINE ".dc9.acmecorp.example.com)");
	err_cure(&o->err, "ssh mallory.oconnor@" SPINE);
	hand_over(f, o);
}

static void job_of(struct fabric *f)
{
	struct obs *o = obs_new("gpu-helios-000", "slurm");
	struct obs_nccl *n = obs_nccl(o, NCCL_JOB, SOURCE_SLURM);

	n->job = obs_string(o, JOB);
	n->text = obs_string(o, "mallory.oconnor");
	n->host = obs_string(o, "gpu-helios-001");
	n->nranks = 4;
	hand_over(f, o);
}

static void keyframe(struct fabric *f)
{
	if (recorder_due(f->r))
		while (!recorder_work(f->r, f->m, f->d, f->now_us, 1000000))
			;
}

static void judge(struct fabric *f)
{
	(void)model_age(f->m, f->now_us);
	model_links(f->m);
	diag_run(f->d, f->m, f->now_us);
	recorder_judged(f->r, f->now_us);
}

static void tell(struct fabric *f)
{
	struct entry e = {.kind = ENTRY_TRAIL, .t_us = f->now_us};

	e.trail.t_us = f->now_us;
	(void)str_copy(e.trail.user, sizeof(e.trail.user), "mallory.oconnor");
	(void)str_copy(e.trail.runbook, sizeof(e.trail.runbook), "link-flap");
	(void)str_copy(e.trail.step, sizeof(e.trail.step), "light");
	(void)str_copy(e.trail.target, sizeof(e.trail.target), LEAF_A ":Ethernet0");
	(void)str_copy(e.trail.note, sizeof(e.trail.note), "told the frankfurt team");
	e.trail.outcome = STEP_FAIL;
	recorder_entry(f->r, &e);
}

void recorded_make(const char *path, unsigned polls)
{
	struct fabric f = {.now_us = RECORDED_T0};
	struct rts_writer_opts o = {.path = path,
		.tool = "railtop test",
		.user = "mallory.oconnor",
		.host = "bastion.acmecorp.example.com",
		.kind = "recording",
		.exclusive = true,
		.patient = true};
	struct err err = {0};

	make_plan(&f.plan);
	o.plan = &f.plan;
	f.m = model_new(&f.plan);
	f.d = diag_new();
	f.w = rts_writer_open(&o, &err);
	if (!f.w)
		fail_msg("%s: %s", err.origin, err.text);
	f.r = recorder_new(f.w, NULL);
	for (f.poll = 0; f.poll < polls; f.poll++, f.now_us += RECORDED_STEP) {
		keyframe(&f);
		poll_leaf(&f, LEAF_A, 0);
		poll_leaf(&f, LEAF_B, 1);
		poll_spine(&f);
		for (unsigned i = 0; i < 4; i++)
			poll_host(&f, i);
		job_of(&f);
		judge(&f);
		if (f.poll == 12)
			tell(&f);
	}
	rts_writer_raw(f.w, LEAF_A, "fast", "show interfaces on " LEAF_A, f.now_us,
		"hostname " LEAF_A "\nsnmp-server community s3cr3tcommunity ro\n"
		"neighbor 10.77.3.99 remote-as 65001\nmac 0c42.a1de.ad42\n",
		118);
	rts_writer_raw(f.w, "nobody-asked", "fast", "", f.now_us, "x", 1);
	recorder_free(f.r);
	if (!rts_writer_close(f.w, &err))
		fail_msg("%s: %s", err.origin, err.text);
	diag_free(f.d);
	model_free(f.m);
	plan_free(&f.plan);
}
