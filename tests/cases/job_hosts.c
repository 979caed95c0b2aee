/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/cases/job_hosts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/inventory/inventory_yaml.h"
#include "backends/jobs/nccl_parse.h"
#include "backends/jobs/source.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "fabric/model/model.h"
#include "fabric/ref.h"
#include "fabric/vocabulary/counters.h"
#include "tests/support/cases.h"

#define INTERVAL_US (5 * CLOCK_SEC)
#define HOSTS       2
#define RAILS       4
#define NICS        5
#define SPEED_MBPS  400000

struct job_hosts {
	struct plan plan;
	struct bed bed;
	int64_t now_us, start_us;
	unsigned polls;
	bool flaps[HOSTS][NICS];
};

static const char *const names[HOSTS] = {"node-a", "node-b"};

static struct obs *batch(struct job_hosts *h, unsigned host, const char *request)
{
	struct obs *o = obs_new(host < HOSTS ? names[host] : "", request);

	o->received_us = h->now_us;
	o->result = OBS_DATA;
	return o;
}

static void apply(struct job_hosts *h, struct obs *o)
{
	model_apply(h->bed.m, o, h->now_us);
	if (model_device(h->bed.m, o->device))
		diag_note(h->bed.d, h->bed.m, model_device(h->bed.m, o->device)->id, h->now_us);
	obs_free(o);
}

static void report(struct job_hosts *h, unsigned host)
{
	struct obs *o = batch(h, host, "fast");
	double bytes = SPEED_MBPS * 1e6 / 8 * 0.2 * 5 * h->polls;

	for (unsigned i = 0; i < NICS; i++) {
		char nic[16], netdev[16];
		uint32_t port;

		(void)str_printf(nic, sizeof(nic), "mlx5_%u", i);
		(void)str_printf(netdev, sizeof(netdev), i < RAILS ? "rdma%u" : "stor0", i);
		port = obs_port(o, nic);
		obs_word(o, port, ATTR_NETDEV, 0, netdev);
		obs_word(o, port, ATTR_OPER, 0, "up");
		obs_number(o, port, ATTR_SPEED_MBPS, 0, SPEED_MBPS);
		obs_count(o, port, CTR_TX_BYTES, 0, (uint64_t)bytes);
		obs_count(o, port, CTR_RX_BYTES, 0, (uint64_t)bytes);
		obs_count(o, port, CTR_LINK_DOWN_EVENTS, 0,
			1 + (h->flaps[host][i] ? 2 * h->polls : 0));
	}
	apply(h, o);
}

/* ip -j addr, and nvidia-smi topo -m. */
static void describe(struct job_hosts *h, unsigned host)
{
	struct obs *o = batch(h, host, "slow");
	struct err err = {0};
	char text[4096] = "[";
	size_t n = 1;

	for (unsigned i = 0; i < NICS; i++) {
		char netdev[16];

		(void)str_printf(netdev, sizeof(netdev), i < RAILS ? "rdma%u" : "stor0", i);
		(void)str_printf(text + n, sizeof(text) - n,
			"{\"ifname\":\"%s\",\"addr_info\":[{\"family\":\"inet\",\"local\":"
			"\"10.0.%u.%u\"},{\"family\":\"inet6\",\"local\":\"fd00:1148:9000:%u::%u\","
			"\"scope\":\"global\"}]},",
			netdev, i, host + 1, i, host + 1);
		n += strlen(text + n);
	}
	(void)str_printf(text + n, sizeof(text) - n,
		"{\"ifname\":\"eno1\",\"addr_info\":[{\"family\":\"inet\",\"local\":"
		"\"172.16.0.%u\"}]}]",
		host + 1);
	if (!nccl_addresses_parse(text, strlen(text), o, &err))
		fail_msg("%s", err.text);
	(void)str_copy(text, sizeof(text),
		"\tGPU0\tGPU1\tGPU2\tGPU3\tmlx5_0\tmlx5_1\tmlx5_2\tmlx5_3\tCPU Affinity\n");
	for (unsigned g = 0; g < RAILS; g++) {
		n = strlen(text);
		(void)str_printf(text + n, sizeof(text) - n, "GPU%u", g);
		for (unsigned i = 0; i < 2 * RAILS; i++) {
			n = strlen(text);
			(void)str_printf(text + n, sizeof(text) - n, "\t%s",
				i == g           ? " X "
				: i < RAILS      ? "NV18"
				: i == g + RAILS ? "PIX"
						 : "SYS");
		}
		(void)str_copy(text + strlen(text), sizeof(text) - strlen(text), "\t0-55\n");
	}
	if (!nccl_topo_parse(text, strlen(text), o, &err))
		fail_msg("%s", err.text);
	apply(h, o);
}

static void make_plan(struct plan *plan)
{
	static const char text[] = "fabric: jobs\nhosts:\n  - {names: [node-a, node-b], rails: "
				   "\"mlx5_[0-3]\"}\n";
	char path[] = "/tmp/railtop-hosts-XXXXXX";
	struct err err = {0};
	int fd = mkstemp(path);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		fail_msg("%s cannot be written", path);
	(void)close(fd);
	if (!inventory_load(path, plan, NULL, NULL, &err))
		fail_msg("%s", err.text);
	(void)unlink(path);
}

struct job_hosts *job_hosts_new(int64_t now_us)
{
	struct job_hosts *h = mem_calloc(1, sizeof(*h));

	make_plan(&h->plan);
	bed_open(&h->bed, &h->plan, &sweep_none);
	h->now_us = h->start_us = now_us;
	for (unsigned i = 0; i < HOSTS; i++) {
		report(h, i);
		describe(h, i);
	}
	/* As in an inventory with rails and leaves; there are no leaves here. */
	for (unsigned i = 0; i < HOSTS; i++)
		for (unsigned k = 0; k < RAILS; k++)
			h->bed.m->ports.at[model_device(h->bed.m, names[i])->ports.at[k]]->rail =
				(int16_t)k;
	job_hosts_poll(h, 3);
	return h;
}

void job_hosts_free(struct job_hosts *h)
{
	bed_close(&h->bed);
	plan_free(&h->plan);
	free(h);
}

void job_hosts_poll(struct job_hosts *h, unsigned n)
{
	while (n--) {
		h->now_us += INTERVAL_US;
		h->polls++;
		for (unsigned i = 0; i < HOSTS; i++)
			report(h, i);
		diag_run(h->bed.d, h->bed.m, h->now_us);
	}
}

void job_hosts_flap(struct job_hosts *h, const char *host, const char *nic)
{
	for (unsigned i = 0; i < HOSTS; i++)
		for (unsigned k = 0; k < NICS; k++)
			h->flaps[i][k] |=
				str_eq(names[i], host) && nic[strlen(nic) - 1] == (char)('0' + k);
	/* What was counted before it began is no jump. */
	h->polls = h->polls ? h->polls : 1;
}

static unsigned host_index(const char *host)
{
	unsigned i = 0;

	while (i < HOSTS && !str_eq(names[i], host))
		i++;
	return i;
}

void job_hosts_text_of(struct job_hosts *h, const char *host, const char *text)
{
	struct obs *o = batch(h, host_index(host), "nccl-log");
	struct err err = {0};

	if (!nccl_log_parse(text, strlen(text), o, &err))
		fail_msg("%s", err.text);
	o->followed = true;
	apply(h, o);
	job_hosts_poll(h, 1);
}

void job_hosts_text(struct job_hosts *h, const char *text)
{
	job_hosts_text_of(h, names[0], text);
}

void job_hosts_processes(struct job_hosts *h, const char *host, const char *text)
{
	const struct job_source_ops *ops = job_source_by_name("processes");
	struct obs *o = batch(h, host_index(host), ops->name);
	struct plan_jobs j = {0};
	struct target t = {.device = host};
	struct err err = {0};

	if (!ops->parse(&j, &t, ops->name, text, strlen(text), o, &err))
		fail_msg("%s", err.text);
	apply(h, o);
}

void job_hosts_pods(struct job_hosts *h, const char *text)
{
	const struct job_document doc = {"/api/v1/pods?limit=500", text, strlen(text), 200};
	struct obs *o = batch(h, HOSTS, "kubernetes");
	struct err err = {0};

	if (!job_source_by_name("kubernetes")->read(&doc, 1, o, &err))
		fail_msg("%s", err.text);
	apply(h, o);
}

static char *read_file(const char *path)
{
	FILE *f = fopen(path, "re");
	char *text = mem_calloc(1, 1 << 20);
	size_t n = f ? fread(text, 1, (1 << 20) - 1, f) : 0;

	if (!f || !n)
		fail_msg("%s cannot be read", path);
	(void)fclose(f);
	return text;
}

void job_hosts_log(struct job_hosts *h, const char *file)
{
	char path[256], *text;

	(void)str_printf(
		path, sizeof(path), "%s%s", file[0] == '/' ? "" : "tests/cases/nccl_logs/", file);
	text = read_file(path);
	job_hosts_text(h, text);
	free(text);
}

void job_hosts_ras(struct job_hosts *h, const char *text)
{
	struct obs *o = batch(h, 0, "nccl-ras");
	struct err err = {0};

	if (!nccl_ras_parse(text, strlen(text), o, &err))
		fail_msg("%s", err.text);
	o->followed = true;
	apply(h, o);
	job_hosts_poll(h, 1);
}

int64_t job_hosts_now(const struct job_hosts *h)
{
	return h->now_us;
}

const struct model *job_hosts_model(const struct job_hosts *h)
{
	return h->bed.m;
}

const struct finding *job_hosts_found(const struct job_hosts *h, const char *id, const char *at)
{
	const struct finding *const *list;
	char where[160];
	size_t n;

	list = diag_findings(h->bed.d, &n);
	for (size_t i = 0; i < n; i++) {
		if (!str_eq(finding_info[list[i]->id].name, id))
			continue;
		(void)ref_format(h->bed.m, list[i]->at, where, sizeof(where));
		if (!at || str_eq(where, at))
			return list[i];
	}
	return NULL;
}

const struct finding *job_hosts_of_job(const struct job_hosts *h, const char *id, const char *job)
{
	const struct finding *const *list;
	size_t n;

	list = diag_findings(h->bed.d, &n);
	for (size_t i = 0; i < n; i++)
		if (str_eq(finding_info[list[i]->id].name, id) && list[i]->at.kind == REF_JOB &&
			str_eq(h->bed.m->nccl->jobs.at[list[i]->at.job]->name, job))
			return list[i];
	return NULL;
}

bool job_hosts_says(const struct finding *f, const char *text)
{
	bool says = f && strstr(f->title, text);

	for (size_t i = 0; f && i < f->evidence.n; i++)
		says |= strstr(f->evidence.at[i].text, text) != NULL;
	return says;
}

bool job_hosts_say(const struct job_hosts *h, const char *text)
{
	const struct finding *const *list;
	bool say = false;
	size_t n;

	list = diag_findings(h->bed.d, &n);
	for (size_t i = 0; i < n; i++)
		say |= job_hosts_says(list[i], text);
	return say;
}

static uint32_t largest_comm(const struct job_hosts *h)
{
	const struct nccl *n = h->bed.m->nccl;
	uint32_t best = JOB_NONE;

	for (uint32_t i = 0; i < n->comms.n; i++)
		if (n->comms.at[i]->key[0] &&
			(best == JOB_NONE || n->comms.at[i]->nranks > n->comms.at[best]->nranks))
			best = i;
	return best;
}

struct trace job_hosts_trace(const struct job_hosts *h, int32_t rank)
{
	struct ref from = {.kind = REF_RANK, .comm = largest_comm(h), .rank = rank};
	struct trace t;
	struct err err = {0};

	if (!trace_from(h->bed.d, h->bed.m, from, h->now_us, &t, &err))
		fail_msg("%s", err.text);
	return t;
}

static void print_place(const struct job_hosts *h, struct ref at)
{
	char where[160];

	(void)ref_format(h->bed.m, at, where, sizeof(where));
	printf("%s", where);
}

void job_hosts_print(const struct job_hosts *h, int32_t rank)
{
	const struct finding *const *list;
	size_t n;

	list = diag_findings(h->bed.d, &n);
	for (size_t i = 0; i < n; i++) {
		printf("%s at ", finding_info[list[i]->id].name);
		print_place(h, list[i]->at);
		printf(" (%s%s, %.2f): %s\n", finding_role_name(list[i]->role),
			list[i]->root ? ", follows" : "", (double)list[i]->confidence,
			list[i]->title);
		for (size_t k = 0; k < list[i]->evidence.n; k++)
			printf("    %s: %s\n", list[i]->evidence.at[k].what,
				list[i]->evidence.at[k].text);
	}
	for (size_t i = 0; i < h->bed.m->nccl->comms.n; i++) {
		const struct comm *c = h->bed.m->nccl->comms.at[i];

		printf("comm %s: %d ranks\n", c->id, c->nranks);
	}
	if (rank >= 0 && largest_comm(h) != JOB_NONE) {
		struct trace t = job_hosts_trace(h, rank);

		printf("trace of %d: %s\n", rank, t.summary);
		for (size_t k = 0; k < t.chain.n; k++) {
			printf("    %s ", hop_step_name(t.chain.at[k].step));
			print_place(h, t.chain.at[k].at);
			printf(" %s %s (%s)\n", hop_state_name(t.chain.at[k].state),
				t.chain.at[k].why, t.chain.at[k].learned);
		}
		trace_free(&t);
	}
}
