/* SPDX-License-Identifier: Apache-2.0 */
/*
 * "A verdict is never calmer than its evidence": every scenario of this folder in simulated time,
 * judged as the console judges it. At every poll the evidence is looked at apart from the verdict:
 * critical findings, lines of the proof that do not hold, ports paused above 10 %. Where there is
 * some, no sentence, header, wall, ticket, document and exit code may say that nothing is wrong.
 */
#include <dirent.h>
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "tests/scenarios/calm.h"
#include "tests/support/cases.h"

#include "app/headless/headless.h"
#include "archive/export/findings.h"
#include "archive/export/snapshot.h"
#include "archive/export/ticket.h"
#include "base/str.h"
#include "base/vec.h"
#include "diagnosis/engine/engine.h"
#include "fabric/model/metrics.h"
#include "tests/bench/diagnosis/sim_run.h"
#include "tests/support/effort.h"
#include "tests/support/scenario_file.h"
#include "views/panels/cluster_panel.h"
#include "views/panels/finding_text.h"
#include "views/noc/noc_private.h"
#include "views/panels/panel.h"

#define FOLDER "tests/scenarios/faults"
#define SEED   1
#define PRESET "ref256"
/* By then each fault is on for half a minute; more time only repeats the same. */
#define LENGTH_MOST (INT64_C(50) * 1000000)

struct look {
	struct bed *bed;
	int64_t now_us;
	const char *name; /* of the scenario */
	double at_s;
	char evidence[200];
	unsigned polls, bad;
};

/* ---- the evidence, apart from the verdict ---- */

static unsigned paused_ports(const struct model *m, unsigned *of)
{
	uint8_t mask = lossless_priorities(&m->lossless);
	unsigned n = 0;

	*of = 0;
	for (size_t i = 0; i < m->ports.n; i++) {
		const struct port *p = m->ports.at[i];
		struct paused v = port_paused_max(p, mask, DIR_RX);

		if (p->merged || p->plan_peer == PORT_NONE || isnan(v.percent))
			continue;
		++*of;
		n += v.percent > 10.5 && !v.upper_bound;
	}
	return n;
}

static bool has_evidence(struct look *l)
{
	const struct verdict_report *v = diag_verdict(l->bed->d);
	const struct finding *const *f;
	unsigned of, paused = paused_ports(l->bed->m, &of);
	size_t n;

	l->evidence[0] = '\0';
	f = diag_findings(l->bed->d, &n);
	for (size_t i = 0; i < n; i++)
		if (f[i]->severity >= SEV_CRIT)
			return str_printf(
				l->evidence, sizeof(l->evidence), "critical: %s", f[i]->title);
	for (size_t i = 0; i < v->proof.n; i++)
		if (v->proof.at[i].checked && !v->proof.at[i].ok)
			return str_printf(
				l->evidence, sizeof(l->evidence), "fails: %s", v->proof.at[i].text);
	return paused > 0.01 * of &&
	       str_printf(l->evidence, sizeof(l->evidence), "%u of %u ports paused", paused, of);
}

/* ---- the texts ---- */

static void too_calm(const struct look *l, const char *who, const char *says)
{
	fail_msg("%s at %.0f s: %s says \"%.300s\", and %s", l->name, l->at_s, who, says,
		l->evidence);
}

/* A sentence that names a culprit may add that the fabric is clean. */
static bool is_calm(const char *text)
{
	static const char *const calm[] = {"no trouble", "no problem seen", "no impact seen",
		"no problem", "not known", "fabric clean", "the fabric is clean", "clean"};

	for (size_t i = 0; i < sizeof(calm) / sizeof(calm[0]); i++)
		if (str_starts(text, calm[i]))
			return true;
	return !text[0];
}

static void expect_sentence(const struct look *l)
{
	char text[VERDICT_SENTENCE];

	verdict_sentence(diag_verdict(l->bed->d), l->bed->m, l->now_us, text, sizeof(text));
	if (is_calm(text))
		too_calm(l, "the verdict", text);
}

static void expect_console(const struct look *l)
{
	struct view_ctx ctx = {.model = l->bed->m, .diag = l->bed->d, .now_us = l->now_us};
	struct panel_line line;
	char badge[192];

	for (int is_short = 0; is_short < 2; is_short++) {
		verdict_badge(&ctx, badge, sizeof(badge), is_short);
		if (is_calm(badge))
			too_calm(l, "the header", badge);
	}
	verdict_line(&ctx, diag_verdict(l->bed->d), &line);
	if (is_calm(line.text) || (!str_eq(line.head, "WARN") && !str_eq(line.head, "CRIT")))
		too_calm(l, line.head, line.text);
	cluster_state_line(&ctx, &line);
	if (!str_eq(line.head, "WARN") && !str_eq(line.head, "CRIT"))
		too_calm(l, "the cluster", line.head);
}

static void expect_wall(const struct look *l)
{
	struct noc *n = noc_new(&(struct noc_opts){.term = NULL}, l->now_us, 0);
	struct noc_facts f;
	char text[520];
	enum noc_word word;

	noc_data(n, l->bed->m, l->bed->d, l->now_us, 0);
	word = noc_word(n);
	if (word == NOC_OK || word == NOC_UNKNOWN)
		too_calm(l, "the wall", noc_word_name(word));
	noc_facts(n, &f);
	(void)noc_verdict(n, &f, text, sizeof(text));
	if (is_calm(text))
		too_calm(l, "the wall", text);
	noc_free(n);
}

/* The text after "verdict: " or "verdict   ". */
static void expect_verdict_in(const struct look *l, const char *who, const char *page)
{
	const char *at = strstr(page, "\nverdict");
	char text[200];

	if (!at)
		fail_msg("%s has no verdict: %.200s", who, page);
	at += strlen("\nverdict");
	at += strspn(at, ": ");
	(void)str_copyn(text, sizeof(text), at, strcspn(at, "\n"));
	if (is_calm(text))
		too_calm(l, who, text);
}

static void expect_verdict_json(const struct look *l, const char *who, const char *page)
{
	json_t *root = json_loads(page, 0, NULL);
	const json_t *v = json_object_get(root, "verdict");
	const char *state = json_string_value(json_object_get(v, "state"));
	const char *text = json_string_value(json_object_get(v, "text"));

	if (!state || !text)
		fail_msg("%s has no state: %.200s", who, page);
	if (str_eq(state, "clean") || str_eq(state, "unknown") || is_calm(text))
		too_calm(l, who, state);
	if (str_eq(state, "suspect") && json_is_true(json_object_get(v, "fabric_clean")))
		too_calm(l, who, "fabric_clean");
	json_decref(root);
}

typedef bool written(
	const struct model *m, const struct diag *d, int64_t now_us, FILE *out, struct err *err);

static char *page_of(const struct look *l, written *write)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	assert_true(f && write(l->bed->m, l->bed->d, l->now_us, f, NULL));
	assert_int_equal(fclose(f), 0);
	return text;
}

static bool write_ticket(
	const struct model *m, const struct diag *d, int64_t now_us, FILE *out, struct err *err)
{
	static const struct bundle_about about = {.ledger = ""};
	struct ticket t = {.m = m,
		.d = d,
		.about = &about,
		.now_us = now_us,
		.id = "id",
		.file = "",
		.sha256 = ""};
	struct buf page;
	bool ok;

	buf_init(&page, 16 << 20);
	ok = ticket_text(&t, &page, err) && fwrite(page.data, 1, page.len, out) == page.len;
	buf_free(&page);
	return ok;
}

static void expect_documents(const struct look *l)
{
	static const struct {
		const char *name;
		written *write;
		bool json;
	} pages[] = {{"findings", findings_text, false}, {"findings --json", findings_json, true},
		{"snapshot --text", snapshot_text, false}, {"the ticket", write_ticket, false}};

	for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
		char *page = page_of(l, pages[i].write);

		(pages[i].json ? expect_verdict_json : expect_verdict_in)(l, pages[i].name, page);
		free(page);
	}
}

static void expect_codes(const struct look *l)
{
	const struct model *m = l->bed->m;

	if (headless_findings_code(m, l->bed->d, l->now_us) == 0)
		too_calm(l, "railtop findings", "exit 0");
	if (headless_judged_code(m, diag_verdict(l->bed->d)->state) == 0)
		too_calm(l, "railtop check", "exit 0");
}

/* ---- polls ---- */

static void look(struct look *l)
{
	l->polls++;
	if (!has_evidence(l))
		return;
	l->bad++;
	expect_sentence(l);
	expect_console(l);
	expect_wall(l);
	expect_documents(l);
	expect_codes(l);
}

static void play(const char *path, struct look *l)
{
	struct scenario s;
	struct sim_run run;
	struct bed bed;
	struct err err = {0};

	if (!scenario_read(&s, path, &err) ||
		!sim_run_open(&run, PRESET, SEED, path, &sweep_none, &err))
		fail_msg("%s: %s", path, err.text);
	bed_open(&bed, &run.plan, &sweep_none);
	l->bed = &bed;
	while (run.now_us + run.interval_us <= SIM_START + s.length &&
		run.now_us + run.interval_us <= SIM_START + LENGTH_MOST) {
		sim_run_poll(&run, &bed);
		l->now_us = run.now_us;
		l->at_s = (double)(run.now_us - SIM_START) / 1e6;
		look(l);
	}
	assert_int_equal(bed.refused, 0);
	bed_close(&bed);
	sim_run_close(&run);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Without FULL=1 every third, and the scenario without a culprit. */
static bool is_due(const char *name, size_t number)
{
	return effort_full() || getenv("SCENARIO") || number % 3 == 0 ||
	       str_starts(name, "deadlock");
}

void calm_play(char from, char to)
{
	const char *only = getenv("SCENARIO");
	VEC(char *) names = {0};
	unsigned polls = 0, bad = 0;
	struct dirent *e;
	DIR *d = opendir(FOLDER);

	assert_non_null(d);
	while ((e = readdir(d)))
		if (fnmatch("*.scenario", e->d_name, 0) == 0 && e->d_name[0] >= from &&
			e->d_name[0] <= to &&
			(!only || strncmp(e->d_name, only, strlen(only)) == 0))
			vec_push(&names, strdup(e->d_name));
	(void)closedir(d);
	qsort(names.at, names.n, sizeof(*names.at), by_name);
	for (size_t i = 0; i < names.n; i++) {
		struct look l = {.name = names.at[i]};
		char path[256];

		(void)str_printf(path, sizeof(path), FOLDER "/%s", names.at[i]);
		if (is_due(names.at[i], i))
			play(path, &l);
		(void)printf("# %-28s evidence at %u of %u polls\n", names.at[i], l.bad, l.polls);
		polls += l.polls;
		bad += l.bad;
		free(names.at[i]);
	}
	vec_free(&names);
	/* Both happen, or nothing was tested. */
	assert_true(only || (bad > (effort_full() ? 60 : 15) && bad < polls));
}
