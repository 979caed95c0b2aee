/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/dialects/linux/linux.h"
#include "backends/dialects/linux/change.h"
#include "backends/dialects/linux/switch.h"

#include <string.h>

#include "backends/parse/first_line.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/str.h"

/*
 * A Linux host with RDMA NICs: scripts for `sh -s` print sysfs, ethtool, rdma, dcb and lldpd. Ports
 * are named by their RDMA device, like in NCCL. Each tier has a request of its own: reading modules
 * over I2C takes seconds, and the counters must not wait for it.
 */

struct part {
	const char *name;
	enum poll_tier tier;
	const char *script;
	const char *fact, *is; /* asked only where this fact has this value; NULL: in any case */
	const char *sudo;      /* tool that the script prefers to run as root; NULL: none */
	int64_t timeout_us;
	bool partial; /* output from before a hang is of use */
	bool (*read)(struct host *h, const char *bytes, size_t len);
};

static const struct part parts[] = {
	{"detect", POLL_DETECT, linux_detect_script, NULL, NULL, NULL, 10 * CLOCK_SEC, false,
		linux_parse_detect},
	{"fast", POLL_FAST, linux_fast_script, NULL, NULL, NULL, 10 * CLOCK_SEC, true,
		linux_parse_fast},
	{"optics", POLL_MEDIUM, linux_optics_script, NULL, NULL, "ethtool", 25 * CLOCK_SEC, true,
		linux_parse_optics},
	{"lldp", POLL_MEDIUM, linux_lldp_script, NULL, NULL, "lldpcli", 10 * CLOCK_SEC, false,
		linux_parse_lldp},
	{"nvlink", POLL_MEDIUM, linux_nvlink_script, "gpus", "nvidia", NULL, 40 * CLOCK_SEC, false,
		linux_parse_nvlink},
	{"xgmi", POLL_MEDIUM, linux_xgmi_script, "gpus", "amd", NULL, 25 * CLOCK_SEC, false,
		linux_parse_xgmi},
	{"slow", POLL_SLOW, linux_slow_script, NULL, NULL, "lspci", 20 * CLOCK_SEC, true,
		linux_parse_slow},
	{"subnet", POLL_MEDIUM, linux_subnet_script, "subnet", "1", "smpquery", 25 * CLOCK_SEC,
		true, linux_parse_subnet},
	{"bmc", POLL_SLOW, linux_bmc_script, "bmc", "1", "ipmitool", 25 * CLOCK_SEC, true,
		linux_parse_bmc},
	{"topology", POLL_SLOW, linux_topology_script, NULL, NULL, NULL, 45 * CLOCK_SEC, true,
		linux_parse_topology},
	{"nvfabric", POLL_SLOW, linux_nvfabric_script, "gpus", "nvidia", NULL, 45 * CLOCK_SEC,
		false, linux_parse_nvfabric},
	{"qos", POLL_SLOW, linux_qos_script, NULL, NULL, NULL, 60 * CLOCK_SEC, true,
		linux_parse_qos},
};
#define PARTS    (sizeof(parts) / sizeof(parts[0]))
#define LOG_LINE 16384

/* NICs on which a tool hung. All tiers skip those of the fast tier, and each its own. */
static void add_stuck(const struct target *t, const struct part *part, struct buf *text)
{
	char key[32];
	const char *fast = facts_get(t->facts, "stuck.fast"), *own = "";

	(void)str_printf(key, sizeof(key), "stuck.%s", part->name);
	if (part->tier != POLL_FAST)
		own = facts_get(t->facts, key);
	if (*fast || *own)
		(void)buf_addf(text, "Q='%s %s'\n", fast, own);
}

/* Builds the script with the known facts about this host before it: see script.c. */
static void plan_part(const struct target *t, const struct part *part, struct request_list *out)
{
	char key[32] = "";
	struct request *r;
	struct buf text;

	if (part->sudo)
		(void)str_printf(key, sizeof(key), "sudo.%s", part->sudo);
	buf_init(&text, 1u << 16);
	if (*facts_get(t->facts, "timeout"))
		(void)buf_adds(&text, "T='timeout 2'\n");
	if (*key && *facts_get(t->facts, key))
		(void)buf_adds(&text, "SUDO='sudo -n'\n");
	add_stuck(t, part, &text);
	if (part->tier == POLL_FAST)
		(void)buf_adds(&text, linux_fast_head);
	(void)buf_adds(&text, part->script);
	r = requests_ssh(out, part->name, "sh -s", text.data);
	r->timeout_us = part->timeout_us;
	r->partial = part->partial;
	r->shell = true;
	buf_free(&text);
}

static bool linux_plan(
	const struct target *t, enum poll_tier tier, struct request_list *out, struct err *err)
{
	const char *log = tier == POLL_EVENTS ? linux_log_command(t->facts) : NULL;

	if (t->tier != TIER_HOST)
		return sw_plan(t, tier, out, err);
	for (size_t i = 0; i < PARTS; i++)
		if (parts[i].tier == tier &&
			(!parts[i].fact || str_eq(parts[i].is, facts_get(t->facts, parts[i].fact))))
			plan_part(t, &parts[i], out);
	if (log)
		requests_follow(out, "log", log)->cap = LOG_LINE;
	return true;
}

static int linux_score(const char *text, size_t len)
{
	/* Network systems run Linux as well, but have dialects of their own. */
	if (memmem(text, len, "SONiC", 5) || memmem(text, len, "Arista", 6) ||
		memmem(text, len, "Cumulus", 7))
		return 10;
	return memmem(text, len, "Linux", 5) ? 70 : 0;
}

static bool parse_part(const struct target *t, const struct part *part, const char *bytes,
	size_t len, struct obs *o, struct err *err)
{
	struct host h = {.target = t, .o = o};
	bool ok = part->read(&h, bytes, len);
	char line[128];

	if (!ok) {
		err_set(err, ERR_PROTOCOL, t->device, "expected the output of the script, got: %s",
			parse_first_line(bytes, len, line, sizeof(line)));
		err_cure(err, "the login shell must run `sh -s`: try ssh %s sh -s </dev/null",
			t->device);
	} else if (o->err.code != ERR_NONE) {
		; /* err is already more precise */
	} else if (!h.ended && *h.stuck) {
		err_set(&o->err, ERR_TIMEOUT, t->device,
			"a tool does not answer for %s: its data is old", h.stuck);
		err_cure(&o->err, "check the NIC in the host's kernel log: dmesg | grep %s",
			h.stuck);
	} else if (!h.ended) {
		err_set(&o->err, ERR_PROTOCOL, t->device,
			"the script's output breaks off after %zu bytes", len);
		err_cure(&o->err, "a tool on the host hangs or was killed: run ethtool -S by hand");
	}
	host_free(&h);
	return ok;
}

static bool linux_parse(const struct target *t, const char *request, const char *bytes, size_t len,
	struct obs *o, struct err *err)
{
	if (t->tier != TIER_HOST)
		return sw_parse(t, request, bytes, len, o, err);
	for (size_t i = 0; i < PARTS; i++)
		if (str_eq(request, parts[i].name))
			return parse_part(t, &parts[i], bytes, len, o, err);
	if (!str_eq(request, "log"))
		return err_set(
			err, ERR_INTERNAL, t->device, "linux has no request \"%s\"", request);
	linux_parse_log(t, bytes, len, o);
	return true;
}

const struct backend_ops backend_linux = {
	.name = "linux",
	.title = "Linux host or FRR switch (shell over SSH)",
	.transports = 1u << TRANSPORT_SSH,
	.probe = "uname -a; cat /etc/os-release",
	.score = linux_score,
	.plan = linux_plan,
	.parse = linux_parse,
	.reads = linux_reads,
	.medium_may_wait = true,
	.changes = &linux_changes,
};
