/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/cases/host_rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "backends/dialects/linux/linux.h"
#include "backends/contract/facts.h"
#include "base/mem.h"
#include "base/str.h"
#include "tests/integration/support/scratch.h"
#include "tests/support/cases.h"
#include "tests/support/obs_find.h"
#include "tests/support/plan_make.h"
#include "tests/support/run_command.h"

#define T0_US (INT64_C(1795700000) * 1000000)

struct item {
	char kind[8], name[160], key[64], value[200];
};

struct host_rig {
	struct scratch dir;
	VEC(struct item) items;
	struct plan plan;
	struct model *m;
	struct diag *d;
	struct facts facts;
	int64_t now_us;
	bool is_told, has_tools;
	size_t bytes;
	char *answer;      /* see host_rig_answer() */
	const char *login; /* see host_rig_login(); NULL: none */
	const char *alike; /* its text, where answers of earlier rigs of that text are used again */
};

/* Answers of rigs that are alike. */
static struct known_answer {
	const char *alike, *request;
	int64_t now_us;
	char *out;
	size_t bytes;
} known[16];

/* "1000~50": 1000, and 50 more each second. */
static void value_at(const struct host_rig *r, const char *value, char *dst, size_t size)
{
	const char *mark = strchr(value, '~');
	double s = (double)(r->now_us - T0_US) / 1e6;

	if (!mark || strspn(value, "0123456789~.") != strlen(value))
		(void)str_copy(dst, size, value);
	else
		(void)str_printf(dst, size, "%.0f", atof(value) + atof(mark + 1) * s);
}

static void add_item(
	struct host_rig *r, const char *kind, const char *name, const char *key, const char *value)
{
	struct item *it = NULL;

	for (size_t i = 0; i < r->items.n; i++)
		if (str_eq(r->items.at[i].kind, kind) && str_eq(r->items.at[i].name, name) &&
			str_eq(r->items.at[i].key, key))
			it = &r->items.at[i];
	if (!it)
		it = vec_add(&r->items);
	*it = (struct item){0};
	assert_true(str_copy(it->kind, sizeof(it->kind), kind));
	assert_true(str_copy(it->name, sizeof(it->name), name));
	assert_true(str_copy(it->key, sizeof(it->key), key));
	assert_true(str_copy(it->value, sizeof(it->value), value));
}

/* "oper=up speed=400000 carrier=3" */
static void add_netdev(struct host_rig *r, const char *name, char *words)
{
	static const char *const files[][2] = {{"oper", "operstate"}, {"speed", "speed"},
		{"carrier", "carrier_changes"}, {"slaves", "bonding/slaves"},
		{"mode", "bonding/mode"}, {"mii", "bonding_slave/mii_status"}};
	char path[160], *save = NULL;

	(void)str_printf(path, sizeof(path), "net/%s/flags", name);
	add_item(r, "sys", path, "", "0x1003");
	for (char *w = strtok_r(words, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
		char *value = strchr(w, '=');

		assert_non_null(value);
		*value++ = '\0';
		for (char *c = value; *c; c++)
			if (*c == ',')
				*c = ' ';
		for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
			if (str_eq(files[i][0], w)) {
				(void)str_printf(
					path, sizeof(path), "net/%s/%s", name, files[i][1]);
				add_item(r, "sys", path, "", value);
			}
	}
}

void host_rig_set(struct host_rig *r, const char *line)
{
	char copy[256], *save = NULL, *kind, *name, *rest, *key;

	if (!*line)
		return;
	assert_true(str_copy(copy, sizeof(copy), line));
	kind = strtok_r(copy, " ", &save);
	name = strtok_r(NULL, " ", &save);
	rest = save;
	assert_non_null(name);
	if (str_eq(kind, "net")) {
		add_netdev(r, name, rest);
	} else if (str_eq(kind, "sys") || str_eq(kind, "link")) {
		add_item(r, kind, name, "", rest);
	} else {
		key = strtok_r(NULL, " ", &save);
		add_item(r, kind, name, key, save);
	}
}

struct host_rig *host_rig_new(const char *text)
{
	struct host_rig *r = mem_calloc(1, sizeof(*r));
	char line[256];

	scratch_open(&r->dir);
	r->now_us = T0_US;
	plan_init(&r->plan);
	(void)str_copy(r->plan.fabric, sizeof(r->plan.fabric), "t");
	r->plan.lossless.priorities = 1U << 3;
	(void)plan_make_device(&r->plan, HOST_RIG_NAME, TIER_HOST, -1);
	vec_push(&r->plan.nics, ((struct plan_nic){.device = 0, .rail = 2, .port = "mlx5_0"}));
	r->m = model_new(&r->plan);
	r->d = diag_new();
	while (*text) {
		size_t n = strcspn(text, "\n");

		assert_true(str_copyn(line, sizeof(line), text, n));
		host_rig_set(r, line);
		text += n + (text[n] == '\n');
	}
	return r;
}

struct host_rig *host_rig_new_alike(const char *text)
{
	struct host_rig *r = host_rig_new(text);

	r->alike = text;
	return r;
}

void host_rig_free(struct host_rig *r)
{
	scratch_close(&r->dir);
	diag_free(r->d);
	model_free(r->m);
	facts_free(&r->facts);
	plan_free(&r->plan);
	vec_free(&r->items);
	free(r->answer);
	free(r);
}

/* ---- the files ---- */

static void write_below(const struct host_rig *r, const char *name, const char *text)
{
	char path[300];

	assert_true(str_printf(path, sizeof(path), "%s", name));
	for (char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		(void)mkdir(scratch_path(&r->dir, path), 0755);
		*slash = '/';
	}
	scratch_write(&r->dir, name, text);
}

static bool is_tool(const struct item *it)
{
	return str_eq(it->kind, "-S") || str_eq(it->kind, "fec") || str_eq(it->kind, "link");
}

/* The output of one tool for one netdev; "" without an item. */
static void write_tool(const struct host_rig *r, const char *kind, const char *name)
{
	char text[8192] = "", value[200], path[120];
	size_t n = 0;

	if (str_eq(kind, "-S"))
		n = (size_t)snprintf(text, sizeof(text), "NIC statistics:\n");
	else if (str_eq(kind, "fec"))
		n = (size_t)snprintf(text, sizeof(text), "Active FEC encoding: RS\nStatistics:\n");
	for (size_t i = 0; i < r->items.n; i++) {
		const struct item *it = &r->items.at[i];

		if (!str_eq(it->kind, kind) || !str_eq(it->name, name))
			continue;
		value_at(r, it->value, value, sizeof(value));
		n += (size_t)snprintf(text + n, sizeof(text) - n, "     %s%s%s\n", it->key,
			*it->key ? ": " : "", value);
		assert_true(n < sizeof(text));
	}
	(void)str_printf(path, sizeof(path), "out/%s.%s", kind, name);
	write_below(r, path, text);
}

static void write_lldp(const struct host_rig *r)
{
	char text[4096];
	size_t n = (size_t)snprintf(text, sizeof(text), "{\"lldp\":[{\"interface\":[");
	bool first = true;

	for (size_t i = 0; i < r->items.n; i++) {
		const struct item *it = &r->items.at[i];

		if (!str_eq(it->kind, "lldp"))
			continue;
		n += (size_t)snprintf(text + n, sizeof(text) - n,
			"%s{\"name\":\"%s\",\"chassis\":[{\"name\":[{\"value\":\"%s\"}]}],"
			"\"port\":[{\"id\":[{\"type\":\"ifname\",\"value\":\"%s\"}]}]}",
			first ? "" : ",", it->name, it->key, it->value);
		first = false;
	}
	(void)snprintf(text + n, sizeof(text) - n, "]}]}\n");
	write_below(r, "out/lldp", text);
}

/* Counters of one port of each device, as rdma(8) prints them. */
static void write_rdma(const struct host_rig *r)
{
	char text[2048], value[200];
	size_t n = (size_t)snprintf(text, sizeof(text), "[");
	const char *open = "";

	for (size_t i = 0; i < r->items.n; i++) {
		const struct item *it = &r->items.at[i];

		if (!str_eq(it->kind, "rdma"))
			continue;
		value_at(r, it->value, value, sizeof(value));
		if (!str_eq(open, it->name))
			n += (size_t)snprintf(text + n, sizeof(text) - n,
				"%s{\"ifname\":\"%s\",\"port\":1", *open ? "}," : "", it->name);
		open = it->name;
		n += (size_t)snprintf(text + n, sizeof(text) - n, ",\"%s\":%s", it->key, value);
	}
	(void)snprintf(text + n, sizeof(text) - n, "%s]\n", *open ? "}" : "");
	write_below(r, "out/rdma", text);
}

static void write_host(struct host_rig *r)
{
	static const char ethtool[] =
		"#!/bin/sh\n"
		"d=${0%/*}/../out\n"
		"for n; do :; done\n"
		"echo x >>\"$d/calls\"\n"
		"case \"$*\" in\n"
		"'-S '*) f=-S ;;\n"
		"*show-fec*) f=fec ;;\n"
		"'-I '*) f=link ;;\n"
		"*) echo 'netlink error: Operation not supported'; exit 1 ;;\n"
		"esac\n"
		"[ -e \"$d/$f.$n\" ] && exec cat \"$d/$f.$n\"\n"
		"echo 'no stats available' >&2\n"
		"exit 94\n";
	char text[240], path[240];

	for (size_t i = 0; i < r->items.n; i++) {
		const struct item *it = &r->items.at[i];

		if (str_eq(it->kind, "sys")) {
			value_at(r, it->value, text, sizeof(text) - 1);
			(void)str_printf(path, sizeof(path), "sys/class/%s", it->name);
			(void)strcat(text, "\n");
			write_below(r, path, text);
		} else if (is_tool(it)) {
			write_tool(r, it->kind, it->name);
		} else if (str_eq(it->kind, "pci") && !r->is_told) {
			scratch_run(&r->dir,
				"mkdir -p sys/devices/pci0000:00/%s && ln -sfn "
				"../../../devices/pci0000:00/%s sys/class/infiniband/%s/device",
				it->key, it->key, it->name);
		}
	}
	write_below(r, "out/calls", "");
	write_lldp(r);
	write_rdma(r);
	(void)str_printf(text, sizeof(text), "%lld000\n", (long long)r->now_us);
	write_below(r, "out/date", text);
	if (r->is_told || r->has_tools)
		return;
	write_below(r, "bin/ethtool", ethtool);
	write_below(r, "bin/date", "#!/bin/sh\nexec cat \"${0%/*}/../out/date\"\n");
	write_below(r, "bin/lldpcli", "#!/bin/sh\nexec cat \"${0%/*}/../out/lldp\"\n");
	write_below(r, "bin/dcb", "#!/bin/sh\nexit 1\n");
	write_below(r, "bin/ip", "#!/bin/sh\necho '[]'\n");
	write_below(r, "bin/rdma", "#!/bin/sh\nexec cat \"${0%/*}/../out/rdma\"\n");
	scratch_run(&r->dir, "chmod +x bin/*; mkdir -p sys/class/infiniband sys/class/net");
}

void host_rig_tool(struct host_rig *r, const char *name, const char *script)
{
	char path[80], text[4096];

	(void)str_printf(path, sizeof(path), "bin/%s", name);
	assert_true(str_printf(text, sizeof(text), "#!/bin/sh\n%s", script));
	write_host(r);
	write_below(r, path, text);
	scratch_run(&r->dir, "chmod +x bin/%s", name);
	r->has_tools = true;
}

void host_rig_login(struct host_rig *r, const char *session)
{
	r->login = session;
}

/* ---- asking ---- */

static const char *script_of(const char *request)
{
	static const struct {
		const char *request, *script;
	} scripts[] = {{"fast", linux_fast_script}, {"lldp", linux_lldp_script},
		{"slow", linux_slow_script}, {"qos", linux_qos_script},
		{"detect", linux_detect_script}, {"bmc", linux_bmc_script},
		{"subnet", linux_subnet_script}};

	for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++)
		if (str_eq(scripts[i].request, request))
			return scripts[i].script;
	fail_msg("no such request: %s", request);
	return NULL;
}

static struct target target_of(struct host_rig *r)
{
	return (struct target){.device = HOST_RIG_NAME,
		.tier = TIER_HOST,
		.transport = TRANSPORT_SSH,
		.lossless = 1U << 3,
		.facts = &r->facts};
}

/* The tools of the host answer; the caller frees. */
static char *ask_tools(struct host_rig *r, const char *request)
{
	static const char *const shell[] = {"sh", "-s", NULL};
	char path[160], sys[160];
	const char *environment[] = {path, sys, r->login, NULL};

	write_host(r);
	r->is_told = true;
	(void)str_printf(path, sizeof(path), "PATH=%s/bin:/usr/bin:/bin", r->dir.dir);
	(void)str_printf(sys, sizeof(sys), "SYS=%s/sys", r->dir.dir);
	return run_command(shell, environment, script_of(request), &r->bytes, NULL);
}

/* The answer of an earlier rig, if there was one; the caller does not free it. */
static char *ask_known(struct host_rig *r, const char *request)
{
	struct known_answer *k = known, *end = known + sizeof(known) / sizeof(known[0]);

	while (k < end && k->out &&
		(k->alike != r->alike || k->now_us != r->now_us || !str_eq(k->request, request)))
		k++;
	if (k == end)
		fail_msg("more than %zu different answers", sizeof(known) / sizeof(known[0]));
	if (!k->out) {
		char *out = ask_tools(r, request);

		*k = (struct known_answer){r->alike, request, r->now_us, out, r->bytes};
	}
	r->is_told = true;
	r->bytes = k->bytes;
	return k->out;
}

const char *host_rig_answer(struct host_rig *r, const char *request, size_t *n)
{
	free(r->answer);
	r->answer = ask_tools(r, request);
	*n = r->bytes;
	return r->answer;
}

struct obs *host_rig_ask(struct host_rig *r, const char *request)
{
	const struct target t = target_of(r);
	struct obs *o = obs_new(HOST_RIG_NAME, request);
	struct err err = {0};
	char *out = r->alike ? ask_known(r, request) : ask_tools(r, request);

	assert_non_null(out);
	o->received_us = r->now_us;
	if (!backend_by_name("linux")->parse(&t, request, out, r->bytes, o, &err))
		fail_msg("%s: %s", request, err.text);
	assert_int_equal(o->err.code, ERR_NONE);
	facts_learn(&r->facts, o);
	if (!r->alike)
		free(out);
	return o;
}

static void apply(struct host_rig *r, struct obs *o)
{
	const struct device *d = model_device(r->m, HOST_RIG_NAME);

	o->result = OBS_DATA;
	o->received_us = r->now_us;
	model_apply(r->m, o, r->now_us);
	diag_note(r->d, r->m, d->id, r->now_us);
	obs_free(o);
}

void host_rig_take(struct host_rig *r, const char *request)
{
	apply(r, host_rig_ask(r, request));
}

static void judge(struct host_rig *r)
{
	(void)model_age(r->m, r->now_us);
	model_links(r->m);
	diag_run(r->d, r->m, r->now_us);
}

void host_rig_poll(struct host_rig *r, unsigned polls)
{
	if (!r->is_told) {
		apply(r, host_rig_ask(r, "detect"));
		apply(r, host_rig_ask(r, "lldp"));
		apply(r, host_rig_ask(r, "slow"));
		apply(r, host_rig_ask(r, "qos"));
		if (*facts_get(&r->facts, "subnet"))
			apply(r, host_rig_ask(r, "subnet"));
		if (*facts_get(&r->facts, "bmc"))
			apply(r, host_rig_ask(r, "bmc"));
	}
	while (polls--) {
		r->now_us += HOST_RIG_INTERVAL_S * INT64_C(1000000);
		apply(r, host_rig_ask(r, "fast"));
		judge(r);
	}
}

void host_rig_log(struct host_rig *r, const char *lines)
{
	const struct target t = target_of(r);
	struct obs *o = obs_new(HOST_RIG_NAME, "log");

	o->received_us = r->now_us;
	linux_parse_log(&t, lines, strlen(lines), o);
	apply(r, o);
	judge(r);
}

/* ---- looking ---- */

const struct model *host_rig_model(const struct host_rig *r)
{
	return r->m;
}

const struct diag *host_rig_diag(const struct host_rig *r)
{
	return r->d;
}

struct port *host_rig_port(const struct host_rig *r, const char *name)
{
	struct port *p = model_port(r->m, model_device(r->m, HOST_RIG_NAME), name);

	if (!p)
		fail_msg("no port %s", name);
	return p;
}

const struct finding *host_rig_found(const struct host_rig *r, const char *id, const char *port)
{
	const struct port *p = *port ? host_rig_port(r, port) : NULL;
	size_t n;
	const struct finding *const *all = diag_findings(r->d, &n);

	for (size_t i = 0; i < n; i++) {
		const struct finding *f = all[i];

		if (!str_eq(finding_info[f->id].name, id))
			continue;
		if (p ? f->at.kind != REF_DEVICE && f->at.port == p->id : f->at.kind == REF_DEVICE)
			return f;
	}
	return NULL;
}

size_t host_rig_findings(const struct host_rig *r)
{
	size_t n;

	(void)diag_findings(r->d, &n);
	return n;
}

size_t host_rig_culprits(const struct host_rig *r)
{
	size_t n, culprits = 0;
	const struct finding *const *all = diag_findings(r->d, &n);

	for (size_t i = 0; i < n; i++)
		culprits += all[i]->role == ROLE_CULPRIT;
	return culprits;
}

size_t host_rig_bytes(const struct host_rig *r)
{
	return r->bytes;
}

unsigned host_rig_calls(const struct host_rig *r)
{
	size_t n;
	char *text = read_file(scratch_path(&r->dir, "out/calls"), &n);

	assert_non_null(text);
	free(text);
	return (unsigned)n / 2;
}
