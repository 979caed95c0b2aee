/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/backends/dialects/ask_all.h"

#include <string.h>

#include "backends/dialects/eos/eos_private.h"
#include "backends/dialects/nxos/nxos.h"
#include "backends/dialects/sonic/sonic.h"
#include "backends/contract/reads.h"
#include "base/str.h"
#include "tests/support/cases.h"

unsigned ask_draw(unsigned n)
{
	static uint64_t seed = 6;

	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(seed >> 33) % n;
}

#define MOST_VALUES 8
struct known {
	const char *key;
	const char *values[MOST_VALUES]; /* NULL: and not known */
};

static const struct known facts_of_sonic[] = {
	{"asics", {"asic0 asic1", "asic0 asic1 asic2 asic3 asic4 asic5", NULL}},
	{"asics.sudo", {"yes", "no", NULL}},
	{"log", {"sudo", "sudo-whole", "plain", "no", NULL}},
	{"vtysh", {"sudo", "plain", NULL}},
	{"sha.fast", {"=fast", NULL}},
	{"sha.optics", {"=optics", NULL}},
	{"sha.config", {"=config", NULL}},
	{"sha.modules", {"=modules", NULL}},
	{NULL, {NULL}},
};

static const struct known facts_of_linux[] = {
	{"timeout", {"1", NULL}},
	{"sudo.ethtool", {"1", NULL}},
	{"sudo.lldpcli", {"1", NULL}},
	{"stuck.fast", {"mlx5_0", "mlx5_3 eth3", NULL}},
	{"stuck.optics", {"eth2", NULL}},
	{"stuck.qos", {"enp94s0f0np0 mlx5_7", NULL}},
	{"log", {"journal", "dmesg", "/var/log/kern.log", "/var/log/syslog", "/var/log/messages",
			"sudo", "none", NULL}},
	{"vtysh", {"sudo", NULL}},
	{"lldpcli", {"sudo", NULL}},
	{"module", {"sudo", NULL}},
	{"pfc", {"dcb", "ethtool", NULL}},
	{NULL, {NULL}},
};

static const struct known facts_of_nxos[] = {
	{NXOS_FACT_NATIVE, {"no", NULL}},
	{NXOS_FACT_QUEUES, {"dme", "cli", NULL}},
	{NULL, {NULL}},
};

static const struct known facts_of_cumulus[] = {
	{"release", {"500", "505", "509", "511", "513", "515", NULL}},
	{"whole", {"1", NULL}},
	{"no.roce", {"1", NULL}},
	{"no.roce-status", {"1", NULL}},
	{"no.optics", {"1", NULL}},
	{"unanswered.qos", {"1", NULL}},
	{"unanswered.buffer", {"1", NULL}},
	{"unanswered.phy", {"1", NULL}},
	{NULL, {NULL}},
};

static void learn(struct facts *f, const struct known *k)
{
	static const struct {
		const char *key, *lua;
	} scripts[] = {{"=fast", sonic_fast_lua}, {"=optics", sonic_optics_lua},
		{"=config", sonic_config_lua}, {"=modules", sonic_modules_lua}};
	char sha[SONIC_SHA_SIZE];
	unsigned n;

	for (; k && k->key; k++) {
		for (n = 0; k->values[n]; n++)
			;
		n = ask_draw(n + 1);
		if (!k->values[n])
			continue;
		facts_set(f, k->key, k->values[n]);
		for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++)
			if (str_eq(k->values[n], scripts[i].key) &&
				sonic_script_sha(scripts[i].lua, sha))
				facts_set(f, k->key, sha);
	}
}

/* Facts: questions that share a call, the commands in use, late answers. */
static void learn_eos(struct facts *f)
{
	const struct eos_question *q;
	char key[48], value[24];

	if (ask_draw(2)) {
		str_printf(value, sizeof(value), "%x%06x", ask_draw(1u << 20), ask_draw(1u << 24));
		facts_set(f, "known", value);
	}
	for (size_t i = 0; (q = eos_question_at(i)); i++) {
		str_printf(key, sizeof(key), "use.%s", q->request);
		str_printf(
			value, sizeof(value), "%u", ask_draw((unsigned)eos_command_count(q) + 1));
		if (ask_draw(2))
			facts_set(f, key, value);
		str_printf(key, sizeof(key), FACT_UNANSWERED "%s", q->request);
		if (!ask_draw(8))
			facts_set(f, key, "1");
	}
}

static void learn_all(const struct backend_ops *ops, struct facts *f)
{
	static const struct {
		const char *dialect;
		const struct known *facts;
	} all[] = {{"sonic", facts_of_sonic}, {"linux", facts_of_linux}, {"nxos", facts_of_nxos},
		{"cumulus", facts_of_cumulus}};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (str_eq(all[i].dialect, ops->name))
			learn(f, all[i].facts);
	if (str_eq(ops->name, "eos"))
		learn_eos(f);
}

void ask_tiers(struct world *w, const struct target *t)
{
	struct request_list l = {0};
	struct err err = {0};

	for (int tier = 0; tier < POLL_TIER_COUNT; tier++)
		assert_true(w->ops->plan(t, (enum poll_tier)tier, &l, &err));
	w->asked += (unsigned)l.at.n;
	for (size_t i = 0; i < l.at.n; i++)
		w->each(w, &l.at.at[i]);
	requests_free(&l);
}

void ask_all(struct world *w, unsigned rounds)
{
	static const uint8_t lossless[] = {0, 1u << 3, 3u << 3, 0xff};
	struct target t = {.device = "leaf-r0-00"};
	struct facts facts = {0};

	for (unsigned i = 0; i < rounds; i++) {
		t.facts = &facts;
		t.tier = ask_draw(2) ? TIER_HOST : TIER_LEAF;
		t.lossless = lossless[ask_draw(4)];
		do
			t.transport = (enum transport_kind)ask_draw(TRANSPORT_COUNT);
		while (!(w->ops->transports >> t.transport & 1));
		if (i)
			learn_all(w->ops, &facts);
		ask_tiers(w, &t);
		facts_free(&facts);
	}
}

void ask_show(const struct request *r)
{
	print_error("%s: %s\n%s%s %s\n%s\n", r->name, r->command ? r->command : "",
		r->input ? r->input : "", r->method ? r->method : "", r->path ? r->path : "",
		r->body ? r->body : "");
}

void ask_is_listed(struct world *w, const struct request *r)
{
	struct err err = {0};

	if (w->ops->reads(r) && reads_allow(w->ops, r, "leaf-r0-00", &err))
		return;
	ask_show(r);
	fail_msg("%s does not list its own request %s", w->ops->name, r->name);
}
