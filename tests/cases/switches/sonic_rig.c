/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/cases/switches/sonic_rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/inventory/inventory_yaml.h"
#include "backends/contract/backend.h"
#include "backends/contract/facts.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/str.h"
#include "fabric/ref.h"
#include "tests/support/cases.h"
#include "tests/support/run_command.h"

#define T0_US  (INT64_C(1795700000) * CLOCK_SEC)
#define DEVICE "leaf"

static void print_warning(void *ctx, const char *message)
{
	(void)ctx;
	(void)fprintf(stderr, "%s\n", message);
}

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "we");

	if (!f || fputs(text, f) < 0 || fclose(f))
		fail_msg("%s cannot be written", path);
}

static void load_plan(struct sonic_rig *r, const char *lossless)
{
	char inventory[96], wiring[96], text[600];
	struct err err = {0};

	(void)str_copy(r->dir, sizeof(r->dir), "/tmp/railtop-leaf-XXXXXX");
	assert_non_null(mkdtemp(r->dir));
	(void)str_printf(inventory, sizeof(inventory), "%s/fabric.yaml", r->dir);
	(void)str_printf(wiring, sizeof(wiring), "%s/wiring.csv", r->dir);
	(void)str_printf(text, sizeof(text),
		"fabric: one\nlossless: {priorities: [%s]}\ndefaults: {interval: %ds}\n"
		"switches:\n  - {names: \"" DEVICE "\", dialect: sonic, tier: leaf}\n"
		"hosts:\n  - {names: \"node[0-2]\", rails: \"mlx5_[0-0]\"}\n"
		"wiring: {file: wiring.csv}\n",
		lossless, SONIC_RIG_INTERVAL_S);
	write_file(inventory, text);
	write_file(wiring, "device,port,device,port\n" DEVICE ",Ethernet0,node0,mlx5_0\n" DEVICE
			   ",Ethernet8,node1,mlx5_0\n" DEVICE ",Ethernet16,node2,mlx5_0\n");
	if (!inventory_load(inventory, &r->plan, print_warning, NULL, &err))
		fail_msg("%s", err.text);
	(void)unlink(inventory);
	(void)unlink(wiring);
	(void)rmdir(r->dir);
}

bool sonic_rig_open(struct sonic_rig *r, const char *lossless)
{
	memset(r, 0, sizeof(*r));
	if (!sonic_redis_start(&r->redis))
		return false;
	load_plan(r, lossless);
	r->lossless = r->plan.lossless.priorities;
	r->now_us = T0_US;
	bed_open(&r->bed, &r->plan, &sweep_none);
	sonic_rig_redis(r, -1,
		"SELECT 4\nHSET DEVICE_METADATA|localhost hostname leaf hwsku X platform "
		"x86_64-x-r0\nHSET FLEX_COUNTER_TABLE|PORT FLEX_COUNTER_STATUS enable\n"
		"HSET FLEX_COUNTER_TABLE|QUEUE FLEX_COUNTER_STATUS enable POLL_INTERVAL 1000\n");
	return true;
}

void sonic_rig_close(struct sonic_rig *r)
{
	if (!r->redis.pid)
		return;
	bed_close(&r->bed);
	plan_free(&r->plan);
	facts_free(&r->facts);
	sonic_redis_stop(&r->redis);
}

/* ---- the switch's databases ---- */

void sonic_rig_redis(struct sonic_rig *r, int asic, const char *commands)
{
	char path[128], *out;
	const char *argv[] = {"redis-cli", "-s", path, NULL};
	int status = -1;

	if (asic < 0)
		(void)str_printf(path, sizeof(path), "%s/redis.sock", r->redis.dir);
	else
		(void)str_printf(path, sizeof(path), "%s/asic%d.sock", r->redis.dir, asic);
	out = run_command(argv, NULL, commands, NULL, &status);
	if (!out || status != 0 || strstr(out, "ERR"))
		fail_msg("redis-cli: %s", out ? out : "did not run");
	free(out);
}

const char *sonic_rig_oid(unsigned n)
{
	static char oid[32];

	(void)str_printf(oid, sizeof(oid), "oid:0x1%012x", n);
	return oid;
}

const char *sonic_rig_queue(unsigned n, unsigned queue)
{
	static char oid[32];

	(void)str_printf(oid, sizeof(oid), "oid:0x15%06x%06x", n, queue);
	return oid;
}

static void add_queue(struct buf *b, const char *name, unsigned n, unsigned q, bool watched)
{
	const char *oid = sonic_rig_queue(n, q);

	(void)buf_addf(b, "HSET COUNTERS_QUEUE_NAME_MAP %s:%u %s\n", name, q, oid);
	(void)buf_addf(b,
		"HSET COUNTERS:%s SAI_QUEUE_STAT_PACKETS 5 SAI_QUEUE_STAT_BYTES 500 "
		"SAI_QUEUE_STAT_DROPPED_PACKETS 0\n",
		oid);
	if (watched)
		(void)buf_addf(b,
			"HSET COUNTERS:%s PFC_WD_STATUS operational PFC_WD_ACTION drop "
			"PFC_WD_DETECTION_TIME 200000 PFC_WD_RESTORATION_TIME 200000 "
			"PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED 0 "
			"PFC_WD_QUEUE_STATS_DEADLOCK_RESTORED 0 "
			"PFC_WD_QUEUE_STATS_TX_DROPPED_PACKETS 0\n",
			oid);
}

void sonic_rig_port(
	struct sonic_rig *r, int asic, const char *name, unsigned n, const char *watched)
{
	const char *oid = sonic_rig_oid(n);
	struct buf b;

	buf_init(&b, 65536);
	(void)buf_addf(&b, "SELECT 2\nHSET COUNTERS_PORT_NAME_MAP %s %s\n", name, oid);
	(void)buf_addf(&b,
		"HSET COUNTERS:%s SAI_PORT_STAT_IF_IN_OCTETS 1000 SAI_PORT_STAT_IF_OUT_OCTETS "
		"2000 SAI_PORT_STAT_IF_IN_UCAST_PKTS 10 SAI_PORT_STAT_IF_OUT_UCAST_PKTS 20 "
		"SAI_PORT_STAT_IF_IN_ERRORS 0 SAI_PORT_STAT_IF_IN_DISCARDS 0 "
		"SAI_PORT_STAT_IF_OUT_DISCARDS 0",
		oid);
	for (unsigned p = 0; p < PRIORITIES; p++)
		(void)buf_addf(
			&b, " SAI_PORT_STAT_PFC_%u_RX_PKTS 0 SAI_PORT_STAT_PFC_%u_TX_PKTS 0", p, p);
	(void)buf_adds(&b, "\n");
	for (unsigned q = 0; q < PRIORITIES; q++)
		add_queue(&b, name, n, q, strchr(watched, (int)('0' + q)) != NULL);
	(void)buf_addf(&b,
		"SELECT 0\nHSET PORT_TABLE:%s oper_status up admin_status up speed 400000 mtu 9216 "
		"fec rs alias etp%u\n",
		name, n);
	(void)buf_addf(&b, "SELECT 6\nHSET PORT_TABLE|%s speed 400000 fec rs\n", name);
	(void)buf_addf(&b, "SELECT 4\nHSET PORT|%s index %u speed 400000\n", name, n);
	if (*watched)
		(void)buf_addf(&b,
			"HSET PORT_QOS_MAP|%s pfc_enable %s pfcwd_sw_enable %s\n"
			"HSET PFC_WD|%s action drop detection_time 200 restoration_time 200\n",
			name, watched, watched, name);
	sonic_rig_redis(r, asic, b.data);
	buf_free(&b);
}

/* ---- asking ---- */

static unsigned count_asked(const struct sonic_rig *r)
{
	char path[128], line[256];
	unsigned n = 0;
	FILE *f;

	(void)str_printf(path, sizeof(path), "%s/asked", r->redis.dir);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		n++;
	if (f)
		(void)fclose(f);
	return n;
}

static struct obs *run_request(
	struct sonic_rig *r, const struct target *t, const struct request *q, bool *again)
{
	const char *argv[] = {"sh", "-c", q->command, NULL};
	const char *environment[] = {r->redis.path, NULL};
	struct obs *o = obs_new(DEVICE, q->name);
	struct err err = {0};
	size_t n = 0;
	char *out = run_command(argv, environment, NULL, &n, NULL);

	assert_non_null(out);
	o->received_us = r->now_us;
	r->bytes += n;
	if (!backend_by_name("sonic")->parse(t, q->name, out, n, o, &err))
		fail_msg("%s: %s (%.200s)", q->name, err.text, out);
	facts_learn(&r->facts, o);
	*again = o->again;
	/* Redis has the machine's clock; the rig has its own. */
	o->device_us = 0;
	o->result = OBS_DATA;
	free(out);
	return o;
}

struct obs *sonic_rig_ask(struct sonic_rig *r, enum poll_tier tier, const char *only)
{
	const struct target t = {.device = DEVICE,
		.tier = TIER_LEAF,
		.transport = TRANSPORT_SSH,
		.lossless = r->lossless,
		.facts = &r->facts};
	struct obs *all = NULL, **end = &all;
	unsigned before = count_asked(r);
	bool again = true;

	r->bytes = 0;
	while (again) {
		struct request_list list = {0};
		struct err err = {0};

		again = false;
		assert_true(backend_by_name("sonic")->plan(&t, tier, &list, &err));
		for (size_t i = 0; i < list.at.n && !again; i++) {
			struct obs *o;

			if (only && !str_eq(list.at.at[i].name, only))
				continue;
			o = run_request(r, &t, &list.at.at[i], &again);
			if (again) {
				obs_free(o);
				continue;
			}
			*end = o;
			end = &o->next;
		}
		requests_free(&list);
		if (again)
			for (struct obs *next; all; all = next) {
				next = all->next;
				obs_free(all);
			}
		end = all ? end : &all;
	}
	r->calls = count_asked(r) - before;
	return all;
}

static void apply_all(struct sonic_rig *r, struct obs *all)
{
	const struct device *d = model_device(r->bed.m, DEVICE);

	for (struct obs *next; all; all = next) {
		next = all->next;
		all->received_us = r->now_us;
		(void)model_apply(r->bed.m, all, r->now_us);
		diag_note(r->bed.d, r->bed.m, d->id, r->now_us);
		obs_free(all);
	}
}

void sonic_rig_learn(struct sonic_rig *r, enum poll_tier tier)
{
	apply_all(r, sonic_rig_ask(r, tier, tier == POLL_MEDIUM ? "optics" : NULL));
}

void sonic_rig_learn_all(struct sonic_rig *r)
{
	sonic_rig_learn(r, POLL_DETECT);
	sonic_rig_learn(r, POLL_SLOW);
	sonic_rig_learn(r, POLL_MEDIUM);
}

void sonic_rig_poll(struct sonic_rig *r)
{
	r->now_us += SONIC_RIG_INTERVAL_S * CLOCK_SEC;
	apply_all(r, sonic_rig_ask(r, POLL_FAST, NULL));
	(void)model_age(r->bed.m, r->now_us);
	model_links(r->bed.m);
	diag_run(r->bed.d, r->bed.m, r->now_us);
}

/* ---- looking ---- */

const struct finding *sonic_rig_found(const struct sonic_rig *r, const char *id, const char *at)
{
	const struct finding *const *list;
	char place[160];
	size_t n;

	list = diag_findings(r->bed.d, &n);
	for (size_t i = 0; i < n; i++) {
		(void)ref_format(r->bed.m, list[i]->at, place, sizeof(place));
		if (str_eq(finding_info[list[i]->id].name, id) && (!at || str_eq(place, at)))
			return list[i];
	}
	return NULL;
}

void sonic_rig_print(const struct sonic_rig *r)
{
	const struct finding *const *list;
	char place[160];
	size_t n;

	list = diag_findings(r->bed.d, &n);
	for (size_t i = 0; i < n; i++) {
		(void)ref_format(r->bed.m, list[i]->at, place, sizeof(place));
		(void)fprintf(stderr, "  %-8s %s %s: %s | %s\n", finding_role_name(list[i]->role),
			finding_info[list[i]->id].name, place, list[i]->title, list[i]->command);
	}
}
