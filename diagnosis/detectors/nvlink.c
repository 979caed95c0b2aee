/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Links between GPUs: NVLink, or xGMI. How many a GPU should have is learned, from its own past and
 * from GPUs of its name, and said in the finding. A pair of cards with a bridge beside others
 * without one is by design, so GPUs are compared only where nearly all of a name are alike.
 */
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "diagnosis/engine/detector.h"
#include "fabric/vocabulary/gpu_link.h"

/* So many GPUs of a name, and that share of them with the same number of links (railtop's own). */
#define KIN_LEAST 4
#define KIN_SHARE 0.75
#define KINDS     16
/* Growth of errors stays a finding for so long after the reading that showed it (railtop's own). */
#define GREW_US (10 * INT64_C(60) * 1000000)
/* More packets sent again than this between two readings are felt (railtop's own). */
#define REPLAYS_FELT 1000

struct kin {
	const char *name;
	unsigned n, with[INT8_MAX + 1]; /* GPUs; by the number of their active links */
	unsigned clustered;             /* GPUs with a cluster's name */
	unsigned hosts, managed;        /* hosts that tell of their fabric manager; where it runs */
};
struct kinds {
	struct kin at[KINDS];
	unsigned n;
};

/* ---- siblings ---- */

static struct kin *kin_of(struct kinds *k, const char *name)
{
	for (unsigned i = 0; i < k->n; i++)
		if (str_eq(k->at[i].name, name))
			return &k->at[i];
	if (!*name || k->n == KINDS)
		return NULL;
	k->at[k->n] = (struct kin){.name = name};
	return &k->at[k->n++];
}

static void count_host(struct kinds *k, const struct device *d)
{
	struct kin *first = NULL;
	char fm[24];

	for (unsigned i = 0; i < HOST_GPUS_MOST; i++) {
		const struct gpu_link *g = &d->gpus[i];
		struct kin *kin = g->known ? kin_of(k, g->name) : NULL;

		if (!kin || g->active < 0)
			continue;
		first = first ? first : kin;
		kin->n++;
		kin->with[g->active]++;
		kin->clustered += gpu_cluster_is_set(g->cluster);
	}
	if (!first || !gpu_word(d->gpu_domain, "fm", fm, sizeof(fm)) || str_eq(fm, "missing"))
		return;
	first->hosts++;
	first->managed += str_eq(fm, "active");
}

static bool most_of(unsigned part, unsigned n)
{
	return n >= KIN_LEAST && part >= n * KIN_SHARE;
}

/* The number of links that nearly all GPUs of the name have; -1: they differ, or are few. */
static int usual_links(const struct kin *kin)
{
	int most = 0;

	if (!kin)
		return -1;
	for (int i = 1; i <= INT8_MAX; i++)
		if (kin->with[i] > kin->with[most])
			most = i;
	return most_of(kin->with[most], kin->n) ? most : -1;
}

/* ---- links that are gone ---- */

/* What a GPU should have, and how that is known; -1: unknown. */
static int wanted_links(struct kinds *k, const struct gpu_link *g, char *why, size_t size)
{
	const struct kin *kin = kin_of(k, g->name);
	int usual = usual_links(kin);

	if (usual > g->most)
		(void)str_printf(
			why, size, "%d: %u of %u of its kind", usual, kin->with[usual], kin->n);
	else
		(void)str_printf(why, size, "%d, as it had", g->most);
	return usual > g->most ? usual : g->most;
}

static const char *kind_name(const struct gpu_link *g)
{
	return str_eq(g->kind, "xgmi") ? "xGMI" : "NVLink";
}

static void judge_links(struct diag_run *r, const struct device *d, struct kinds *k)
{
	struct finding *f = NULL;
	const struct gpu_link *worst = NULL;
	char why[40], what[40], text[80];
	struct evidence *e;
	unsigned bad = 0;
	int lost_most = 0, wanted_worst = 0;

	for (unsigned i = 0; i < HOST_GPUS_MOST; i++) {
		const struct gpu_link *g = &d->gpus[i];
		int wanted = g->known && g->active >= 0 ? wanted_links(k, g, why, sizeof(why)) : -1;

		if (wanted <= g->active)
			continue;
		f = diag_claim(r, FIND_NVLINK_DOWN, at_device(d->id));
		(void)str_printf(text, sizeof(text), "%d active%s%s", g->active,
			*g->down ? "; inactive: " : "", g->down);
		(void)str_printf(what, sizeof(what), "GPU %u %s links", i, kind_name(g));
		e = finding_text(f, f->at, what, text, "counter");
		(void)str_copy(e->threshold, sizeof(e->threshold), why);
		if (g->lost_us && g->lost_us < f->onset_us)
			f->onset_us = g->lost_us;
		bad++;
		if (wanted - g->active <= lost_most)
			continue;
		lost_most = wanted - g->active;
		wanted_worst = wanted;
		worst = g;
	}
	if (!f || !worst)
		return;
	finding_weigh(f, SIGNAL_FACT, 50);
	(void)str_copy(f->command, sizeof(f->command),
		str_eq(worst->kind, "xgmi") ? "amd-smi xgmi" : "nvidia-smi nvlink -s");
	if (bad > 1)
		(void)str_printf(text, sizeof(text), "; %u other GPU%s lack%s links", bad - 1,
			str_plural(bad - 1), bad == 2 ? "s" : "");
	finding_title(f, "GPU %u has %d of %d %s links%s%s%s", (unsigned)(worst - d->gpus),
		worst->active, wanted_worst, kind_name(worst), *worst->down ? ", without " : "",
		worst->down, bad > 1 ? text : "");
}

/* ---- errors that grow ---- */

/* Trouble at this end, by weight: a link trained anew stops it, a packet sent again slows it. */
static double weight_of(const struct gpu_link *g)
{
	return 1e12 * (double)g->grew[GPU_FAILED] + 1e9 * (double)g->grew[GPU_RECOVERY] +
	       1e6 * (double)g->grew[GPU_LOCAL] +
	       1e3 * (double)(g->grew[GPU_CRC] + g->grew[GPU_REPLAY]) + (double)g->grew[GPU_REMOTE];
}

static bool is_felt(const struct gpu_link *g)
{
	return g->grew[GPU_FAILED] || g->grew[GPU_RECOVERY] ||
	       g->grew[GPU_CRC] + g->grew[GPU_REPLAY] > REPLAYS_FELT;
}

static void growth_text(const struct gpu_link *g, char *dst, size_t size)
{
	dst[0] = '\0';
	for (unsigned e = 0; e < GPU_ERRORS; e++) {
		size_t at = strlen(dst);

		if (g->grew[e])
			(void)str_printf(dst + at, size - at, "%s%s +%llu", at ? ", " : "",
				gpu_error_name((enum gpu_error)e), (unsigned long long)g->grew[e]);
	}
}

static void judge_errors(struct diag_run *r, const struct device *d)
{
	const struct gpu_link *worst = NULL;
	struct finding *f = NULL;
	char text[80], what[40], link[24] = "";

	for (unsigned i = 0; i < HOST_GPUS_MOST; i++) {
		const struct gpu_link *g = &d->gpus[i];

		if (!g->grew_us || d->gpus_us - g->grew_us > GREW_US)
			continue;
		f = diag_claim(r, FIND_NVLINK_ERRORS, at_device(d->id));
		growth_text(g, text, sizeof(text));
		(void)str_printf(what, sizeof(what), "GPU %u %s errors", i, kind_name(g));
		finding_text(f, f->at, what, text, "counter")->t_us = g->grew_us;
		if (!worst || weight_of(g) > weight_of(worst))
			worst = g;
	}
	if (!f || !worst)
		return;
	growth_text(worst, text, sizeof(text));
	if (worst->worst >= 0)
		(void)str_printf(link, sizeof(link), ", most at link %d", worst->worst);
	finding_weigh(f, SIGNAL_FACT, is_felt(worst) ? 20 : 2);
	f->role = is_felt(worst) ? ROLE_CULPRIT : ROLE_RISK;
	if (worst->grew[GPU_FAILED])
		f->severity = SEV_CRIT;
	(void)str_copy(f->command, sizeof(f->command), "nvidia-smi nvlink -e");
	finding_title(f, "errors of %s grow at GPU %u: %s%s", kind_name(worst),
		(unsigned)(worst - d->gpus), text, link);
}

/* ---- registration ---- */

/* "NV_WARN_NOTHING_TO_DO" is the answer of a GPU without a switch. */
static bool status_is_bad(const struct gpu_link *g)
{
	return *g->status && !str_eq(g->status, "success") && !strstr(g->status, "nothing");
}

/* That of the first GPU that is registered. */
static const char *clique_of(const struct device *d)
{
	for (unsigned i = 0; i < HOST_GPUS_MOST; i++)
		if (*d->gpus[i].clique && str_eq(d->gpus[i].status, "success"))
			return d->gpus[i].clique;
	return "";
}

/* What is wrong with a GPU's place in its fabric; NULL: nothing that is known. */
static const char *fabric_trouble(
	const struct device *d, struct kinds *k, const struct gpu_link *g, bool *slight)
{
	const struct kin *kin = kin_of(k, g->name);

	*slight = false;
	if (str_eq(g->state, "in-progress") || str_eq(g->state, "not-started"))
		return str_eq(g->state, "in-progress") ? "registration does not end"
						       : "registration has not begun";
	if (str_eq(g->state, "completed") && status_is_bad(g))
		return "registration failed";
	if (str_eq(g->health, "unhealthy"))
		return "the fabric is unhealthy";
	*slight = true;
	if (*g->why || str_eq(g->health, "limited-capacity"))
		return "the fabric is degraded";
	if (kin && str_eq(g->state, "completed") && !gpu_cluster_is_set(g->cluster) &&
		most_of(kin->clustered, kin->n))
		return "it is in no cluster";
	return *g->clique && !str_eq(g->clique, clique_of(d)) ? "its clique is not that of the host"
							      : NULL;
}

static void fabric_evidence(struct finding *f, const struct gpu_link *g, unsigned index)
{
	char text[80], what[40];

	(void)str_printf(what, sizeof(what), "GPU %u fabric", index);
	(void)str_printf(text, sizeof(text), "%s%s%s%s%s%s%s%s%s", *g->state ? g->state : "unknown",
		*g->status ? ", " : "", g->status, *g->health ? ", " : "", g->health,
		*g->why ? ": " : "", g->why, *g->clique ? ", clique " : "", g->clique);
	finding_text(f, f->at, what, text, "counter");
}

/* A manager that stopped leaves its fabric as it is, but nobody trains a link anew. */
static void judge_manager(struct diag_run *r, const struct device *d, struct kinds *k)
{
	const struct kin *kin = NULL;
	struct finding *f;
	char fm[24];

	for (unsigned i = 0; i < HOST_GPUS_MOST && !kin; i++)
		if (d->gpus[i].active > 0)
			kin = kin_of(k, d->gpus[i].name);
	if (!kin || !gpu_word(d->gpu_domain, "fm", fm, sizeof(fm)) || str_eq(fm, "missing") ||
		str_eq(fm, "active") ||
		!(str_eq(fm, "failed") || most_of(kin->managed, kin->hosts)))
		return;
	f = diag_claim(r, FIND_NVLINK_FABRIC, at_device(d->id));
	finding_text(f, f->at, "fabric manager", fm, "config");
	finding_weigh(f, SIGNAL_CONFIG, 5);
	f->severity = SEV_WARN;
	f->role = ROLE_RISK;
	(void)str_copy(f->command, sizeof(f->command), "systemctl status nvidia-fabricmanager");
	finding_title(f, "the fabric manager is %s: nobody mends links of its NVSwitches", fm);
}

static void judge_fabric(struct diag_run *r, const struct device *d, struct kinds *k)
{
	const char *first = NULL;
	bool slight = true;
	unsigned bad = 0, index = 0;
	struct finding *f;
	char fm[24];

	for (unsigned i = 0; i < HOST_GPUS_MOST; i++) {
		const struct gpu_link *g = &d->gpus[i];
		bool little;
		const char *why = g->known ? fabric_trouble(d, k, g, &little) : NULL;

		if (!why)
			continue;
		fabric_evidence(diag_claim(r, FIND_NVLINK_FABRIC, at_device(d->id)), g, i);
		bad++;
		if (first && (little || !slight))
			continue;
		first = why;
		slight = little;
		index = i;
	}
	if (!first) {
		judge_manager(r, d, k);
		return;
	}
	f = diag_claim(r, FIND_NVLINK_FABRIC, at_device(d->id));
	if (gpu_word(d->gpu_domain, "fm", fm, sizeof(fm)))
		finding_text(f, f->at, "fabric manager", fm, "config");
	finding_weigh(f, SIGNAL_FACT, slight ? 5 : 50);
	if (slight) {
		f->severity = SEV_WARN;
		f->role = ROLE_RISK;
	}
	(void)str_copy(f->command, sizeof(f->command), "nvidia-smi -q | grep -A 12 Fabric");
	if (bad > 1)
		finding_title(f, "%u GPUs, GPU %u first: %s", bad, index, first);
	else
		finding_title(f, "GPU %u: %s", index, first);
}

/* ---- IMEX ---- */

/* All members of a domain tell the same; the finding is at the one that is not ready. */
static void judge_imex(struct diag_run *r, const struct device *d)
{
	char state[24], bad[96], members[12], ready[12], text[80];
	uint32_t at = d->id, blamed = JOB_NONE;
	struct finding *f;

	if (!gpu_word(d->gpu_domain, "imex", state, sizeof(state)) || str_eq(state, "up") ||
		str_eq(state, "silent"))
		return;
	if (gpu_word(d->gpu_domain, "bad", bad, sizeof(bad))) {
		char *colon = strrchr(bad, ':');

		if (colon) {
			*colon = '\0';
			blamed = model_host_by_text(r->m, bad);
			*colon = ' ';
		}
	}
	if (blamed != JOB_NONE)
		at = blamed;
	(void)gpu_word(d->gpu_domain, "members", members, sizeof(members));
	(void)gpu_word(d->gpu_domain, "ready", ready, sizeof(ready));
	f = diag_claim(r, FIND_NVLINK_IMEX, at_device(at));
	(void)str_printf(
		text, sizeof(text), "%s: %s of %s members are ready", state, ready, members);
	finding_text(f, at_device(d->id), "IMEX domain", text, "counter");
	if (f->members.n < FINDING_VICTIMS)
		vec_push(&f->members, at_device(d->id));
	finding_weigh(f, SIGNAL_FACT, 20);
	if (!str_eq(state, "down"))
		f->severity = SEV_WARN;
	(void)str_copy(f->command, sizeof(f->command), "nvidia-imex-ctl -N");
	finding_title(f, "IMEX domain is %s: %s of %s members are ready%s%.40s", state, ready,
		members, *bad ? ", not " : "", bad);
}

static void run_nvlink(struct diag_run *r)
{
	struct kinds k = {.n = 0};

	for (size_t i = 0; i < r->m->devices.n; i++)
		if (r->m->devices.at[i]->gpus)
			count_host(&k, r->m->devices.at[i]);
	for (size_t i = 0; i < r->m->devices.n; i++) {
		const struct device *d = r->m->devices.at[i];

		if (!d->gpus)
			continue;
		judge_links(r, d, &k);
		judge_errors(r, d);
		judge_fabric(r, d, &k);
		judge_imex(r, d);
	}
}

const struct detector detect_nvlink = {"nvlink", run_nvlink, NULL, NULL, NULL};
