/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "diagnosis/lint/rules.h"

#define uthash_malloc(size)  mem_alloc(size)
#define uthash_free(p, size) free(p)
#include <uthash.h>

/*
 * Settings of hosts and NICs that no rule can judge alone: what firmware, PCIe, IOMMU and drivers
 * should be differs from site to site and from one machine model to the next. So each is compared
 * with that of the same NIC on hosts of the same model. A key that is not listed is compared too.
 * A few are also measured by guides, see advised().
 * Sources: NCCL's troubleshooting guide (ACS, PCIe), perftest and mlx5 tuning guides (read request,
 * relaxed ordering).
 */
static const struct setup_key {
	const char *key, *title, *unit, *cure;
} keys[] = {
	{"fw", "firmware", "", "update the NIC's firmware: mlxfwmanager, bnxt or vendor's tool"},
	{"payload", "PCIe payload", " bytes", "set the slot's Max Payload in the BIOS"},
	{"read_req", "PCIe read request", " bytes",
		"compare lspci -vvv; set it in the BIOS or as a udev rule with setpci"},
	{"ordering", "PCIe relaxed ordering", "", "set Relaxed Ordering in the BIOS"},
	{"iommu", "IOMMU domain", "", "compare /proc/cmdline: iommu=pt, amd_iommu, intel_iommu"},
	{"numa", "NUMA node", "", "compare the slot, and NPS or SNC in the BIOS"},
	{"peermem", "GPU memory module", "", "modprobe nvidia_peermem, unless DMA-BUF is used"},
	{"acs_redirect", "PCIe bridges that redirect (ACS)", "",
		"compare lspci -vvv: ACSCtl; GPU to NIC traffic goes up to the root"},
	{"nvidia", "NVIDIA driver", "", "install the same driver"},
	{"amdgpu", "AMD GPU driver", "", "install the same driver"},
};

/*
 * Settings that a guide calls slow. They are said even where all hosts have them alike, and then no
 * host differs for the worse by having another. Sources: NCCL's troubleshooting guide, "GPU Direct
 * Communication" (ACS, IOMMU); NVIDIA's "Understanding PCIe Configuration for Maximum Performance"
 * (read request, payload: smaller ones cost more headers than a 400G port has room for).
 */
static const struct advice {
	const char *key;
	bool of_gpus;   /* only on a host with GPUs */
	unsigned below; /* numbers below this; 0: words */
	const char *words, *should;
} advice[] = {
	{"read_req", false, 512, "", "4096, or 512 at least (NVIDIA's PCIe guide)"},
	{"payload", false, 256, "", "256 at least (NVIDIA's PCIe guide)"},
	{"iommu", true, 0, " DMA DMA-FQ ", "identity: iommu=pt (NCCL's guide)"},
	/* The number of bridges. */
	{"acs_redirect", true, 0, NULL, "0 unless GPUs are passed to VMs (NCCL's guide)"},
};

static bool has_gpus(const struct device *d)
{
	return strstr(d->setup, "nvidia=") || strstr(d->setup, "amdgpu=");
}

/* What a guide says instead; NULL: it has nothing against the value. */
static const char *advised(const struct device *d, const char *key, const char *value)
{
	uint64_t n;

	for (size_t i = 0; i < sizeof(advice) / sizeof(advice[0]); i++) {
		const struct advice *a = &advice[i];
		char word[48];

		if (!str_eq(a->key, key) || (a->of_gpus && !has_gpus(d)))
			continue;
		if (a->words && *a->words)
			return str_printf(word, sizeof(word), " %s ", value) &&
					       strstr(a->words, word)
				       ? a->should
				       : NULL;
		if (!str_to_u64(value, &n))
			return NULL;
		return (a->words ? n < a->below : n > 0) ? a->should : NULL;
	}
	return NULL;
}

/* The votes about one key of one NIC, or of the host itself, among hosts of one model. */
struct lint_setup {
	uint64_t of; /* group, and hashes of the names of NIC and key */
	struct lint_vote vote;
	char usual[40]; /* the candidate */
	UT_hash_handle hh;
};

/* The next "key=value"; false at the end. A value that is too long is cut. */
struct setting {
	char key[24], value[40];
};

static bool next_setting(const char **at, struct setting *s)
{
	for (;;) {
		const char *p = *at + strspn(*at, " ");
		size_t n = strcspn(p, " ");
		const char *equals = memchr(p, '=', n);

		if (!n)
			return false;
		*at = p + n;
		if (!equals || equals == p)
			continue;
		(void)str_copyn(s->key, sizeof(s->key), p, (size_t)(equals - p));
		(void)str_copyn(
			s->value, sizeof(s->value), equals + 1, (size_t)(p + n - equals - 1));
		return true;
	}
}

static struct lint_setup *votes_of(
	struct lint *l, const struct device *d, const char *nic, const char *key, bool adding)
{
	const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15);
	uint64_t names = lint_text_number(nic) * odd ^ lint_text_number(key);
	uint64_t of = names ^ (uint64_t)l->group_of[d->id] * odd;
	struct lint_setup *v;

	HASH_FIND(hh, l->setups, &of, sizeof(of), v);
	if (v || !adding)
		return v;
	v = mem_calloc(1, sizeof(*v));
	v->of = of;
	HASH_ADD(hh, l->setups, of, sizeof(v->of), v);
	return v;
}

static void cast_setup(
	struct lint *l, const struct device *d, const char *nic, const char *text, bool counting)
{
	struct setting s;

	while (next_setting(&text, &s)) {
		struct lint_setup *v = votes_of(l, d, nic, s.key, !counting);
		bool leads = v && !counting && v->vote.lead == 0;

		if (!v)
			continue;
		lint_cast(&v->vote, lint_text_number(s.value), counting);
		if (leads)
			(void)str_copy(v->usual, sizeof(v->usual), s.value);
	}
}

static bool is_member(const struct lint *l, const struct device *d)
{
	return d->tier == TIER_HOST && l->group_of[d->id] < LINT_GROUPS;
}

static void setup_vote(struct lint *l, const struct device *d, bool counting)
{
	if (!is_member(l, d))
		return;
	cast_setup(l, d, "", d->setup, counting);
	for (size_t i = 0; i < d->ports.n; i++) {
		const struct port *p = l->m->ports.at[d->ports.at[i]];

		if (!p->merged)
			cast_setup(l, d, p->name, p->more->setup, counting);
	}
}

static const struct setup_key *key_info(const char *key)
{
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (str_eq(keys[i].key, key))
			return &keys[i];
	return NULL;
}

/* should: of a guide; NULL: as most siblings have it. */
static void add_difference(struct lint *l, struct ref at, const struct setting *s,
	const struct lint_setup *v, const char *should)
{
	const struct setup_key *k = key_info(s->key);
	struct lint_difference w = {.id = FIND_LINT_SETUP, .reason = should ? "guide" : "siblings"};

	w.cure = k ? k->cure : "";
	(void)str_printf(
		w.is, sizeof(w.is), "%s %s%s", k ? k->title : s->key, s->value, k ? k->unit : "");
	if (should)
		(void)str_copy(w.should, sizeof(w.should), should);
	else
		(void)str_printf(w.should, sizeof(w.should), "%s (%u of %u)", v->usual, v->vote.of,
			v->vote.n);
	(void)lint_device_differs(l, at, &w);
}

/* Returns the number of settings told; adds a row for each that differs. */
static unsigned compare_setup(struct lint *l, const struct device *d, struct ref at,
	const char *nic, const char *text, bool *differs)
{
	struct setting s;
	unsigned n = 0;

	while (next_setting(&text, &s)) {
		const struct lint_setup *v = votes_of(l, d, nic, s.key, false);

		const char *should = advised(d, s.key, s.value);
		bool usual = v && v->vote.n >= LINT_VOTES_LEAST && 2 * v->vote.of > v->vote.n,
		     odd = usual && !str_eq(v->usual, s.value);

		n++;
		/* Most have another value: of a better one that says more than a guide. */
		if (odd && advised(d, s.key, v->usual))
			odd = false;
		if (!odd && !should)
			continue;
		add_difference(l, at, &s, v, odd ? NULL : should);
		*differs = true;
	}
	return n;
}

static int setup_device(struct lint *l, const struct device *d)
{
	bool differs = false;
	unsigned n;

	if (!is_member(l, d))
		return LINT_NOTHING;
	n = compare_setup(l, d, at_device(d->id), "", d->setup, &differs);
	for (size_t i = 0; i < d->ports.n; i++) {
		const struct port *p = l->m->ports.at[d->ports.at[i]];

		if (!p->merged)
			n += compare_setup(l, d, at_port(p->id), p->name, p->more->setup, &differs);
	}
	return differs ? LINT_DIFFERS : n ? LINT_OK : LINT_UNKNOWN;
}

void lint_setups_free(struct lint *l)
{
	struct lint_setup *v = l->setups, *next;

	HASH_CLEAR(hh, l->setups);
	for (; v; v = next) {
		next = v->hh.next;
		free(v);
	}
}

const struct lint_check lint_setup = {.id = FIND_LINT_SETUP,
	.what = "host and NIC setup",
	.vote = setup_vote,
	.device = setup_device};
