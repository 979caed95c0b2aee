/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "views/common.h"
#include "views/noc/noc_private.h"

#define FACTS_WIDTH  28  /* columns below which the facts beside the word are too short */
#define WIDE         150 /* columns from which the first page shows all others */
#define FINDINGS_MIN 34
#define FIRST_FIVE   5
#define MAP_CELL     6 /* columns of a cell of the map on the first page */

/* ---- header and footer ---- */

static enum role role_of_header(enum noc_word w)
{
	static const enum role roles[] = {ROLE_ERROR, ROLE_BADGE, ROLE_OK, ROLE_BADGE, ROLE_ERROR};

	return roles[w];
}

static void blocked_text(const struct noc_facts *f, char *dst, size_t size)
{
	if (f->blocked_known && f->word != NOC_BLIND)
		(void)str_printf(dst, size, "%u", f->blocked);
	else
		(void)str_copy(dst, size, "-");
}

static void draw_header(const struct wall *w, struct region r)
{
	const struct noc *n = w->n;
	enum role role = role_of_header(w->f->word);
	char text[160], when[16], blocked[16], zone[8];
	int left, right, clock_w;

	draw_fill(r, 0, 0, r.w, role);
	blocked_text(w->f, blocked, sizeof(blocked));
	(void)str_printf(text, sizeof(text), "%s  GPUs blocked %s  %s", noc_word_name(w->f->word),
		blocked, n->model ? n->model->fabric : "");
	left = 1 + draw_text(r, 0, 1, role, text, -1);
	(void)clock_zone_suffix(&n->opts.zone, n->wall_us, zone, sizeof(zone));
	(void)str_printf(text, sizeof(text), "%s%s%s%s %u/%u  %s %s ",
		n->opts.bare ? "SANDBOX INCOMPLETE  " : "", n->opts.replay ? "REPLAY  " : "",
		n->pin_us ? "PINNED  "
		: n->held ? "HELD  "
			  : "",
		noc_page_table[n->page].name, n->page + 1, noc_page_count,
		n->wall_us > 0 ? noc_hhmm(n, n->wall_us, when, sizeof(when)) : "-",
		str_eq(zone, "Z") ? "UTC" : zone);
	right = draw_width(r.term, text);
	clock_w = (int)(strlen("13:45  ") + strlen(str_eq(zone, "Z") ? "UTC" : zone));
	/* On a narrow screen the word and the number are more important. */
	if (left + 1 + right <= r.w)
		draw_right(r, 0, r.w - right, right, role, text);
	else if (left + clock_w + 1 <= r.w)
		draw_right(r, 0, r.w - clock_w, clock_w, role, text + strlen(text) - clock_w);
}

static void poll_text(const struct wall *w, char *dst, size_t size)
{
	static const enum dev_state order[] = {DEV_LATE, DEV_STALE, DEV_UNREACHABLE,
		DEV_UNAUTHORISED, DEV_NOT_UNDERSTOOD, DEV_PENDING};
	const struct coverage *c = &w->f->coverage;

	(void)str_printf(dst, size, "%u device%s: %u fresh", w->f->devices,
		str_plural(w->f->devices), c->by_state[DEV_FRESH]);
	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		if (c->by_state[order[i]])
			(void)str_printf(dst + strlen(dst), size - strlen(dst), ", %u %s",
				c->by_state[order[i]], dev_state_words(order[i]));
}

static void draw_footer(const struct wall *w, struct region r)
{
	char text[240], polls[160];
	long long s = (long long)(w->f->age_us / CLOCK_SEC);
	bool loud = w->f->loud || w->f->word == NOC_BLIND;

	poll_text(w, polls, sizeof(polls));
	if (w->n->quit_us)
		(void)str_copy(text, sizeof(text), "once more to leave");
	else if (w->n->opts.replay)
		(void)str_printf(text, sizeof(text), "data of a file  %s", polls);
	else if (w->f->age_us < 0)
		(void)str_printf(text, sizeof(text), "NO DATA YET  %s", polls);
	else if (w->f->loud)
		(void)str_printf(text, sizeof(text), "DATA IS %llds OLD%s%s",
			s < 60 ? s : s / 10 * 10, w->f->silent ? "" : "  ",
			w->f->silent ? "" : polls);
	else
		(void)str_printf(text, sizeof(text), "%s  %s",
			w->f->word == NOC_BLIND ? "MOST DATA IS OLD" : "data current", polls);
	if (loud)
		draw_fill(r, 0, 0, r.w, ROLE_ERROR);
	(void)draw_text(r, 0, 1, loud ? ROLE_ERROR : w->f->dark ? ROLE_WARN : ROLE_DIM, text, -1);
}

/* ---- the first page ---- */

static int draw_facts(const struct wall *w, struct region r)
{
	const struct noc_facts *f = w->f;
	bool seen = f->word != NOC_BLIND;
	char blocked[16];
	struct census c;
	int y = 0;

	blocked_text(f, blocked, sizeof(blocked));
	(void)draw_textf(r, y++, 0, seen && f->blocked ? ROLE_CRIT : ROLE_TITLE, "GPUs blocked  %s",
		blocked);
	if (w->n->diag && seen)
		(void)draw_textf(r, y++, 0,
			f->crit   ? ROLE_CRIT
			: f->warn ? ROLE_WARN
				  : ROLE_NORMAL,
			"findings      %u crit %u warn", f->crit, f->warn);
	else
		(void)draw_text(r, y++, 0, ROLE_UNKNOWN, "findings      -", -1);
	(void)draw_textf(r, y++, 0, f->dark ? ROLE_WARN : ROLE_NORMAL, "devices       %u of %u",
		f->current, f->devices);
	if (f->bgp_known && seen)
		(void)draw_textf(r, y++, 0, f->bgp_ok < f->bgp_all ? ROLE_WARN : ROLE_NORMAL,
			"BGP           %u of %u", f->bgp_ok, f->bgp_all);
	else
		(void)draw_text(r, y++, 0, ROLE_UNKNOWN, "BGP           -", -1);
	if (!w->n->model || !seen) {
		(void)draw_text(r, y++, 0, ROLE_UNKNOWN, "ports up      -", -1);
		return y;
	}
	c = model_census(w->n->model);
	(void)draw_textf(r, y++, 0, c.ports_up < c.ports_expected ? ROLE_WARN : ROLE_NORMAL,
		"ports up      %u of %u", c.ports_up, c.ports_expected);
	return y;
}

/* Draws the word in large letters, and the numbers beside it. */
static int draw_top(const struct wall *w, struct region r)
{
	int most = r.h / 4 < 5 ? 5 : r.h / 4 > 20 ? 20 : r.h / 4, used, facts;
	bool beside = r.w >= FACTS_WIDTH + 49;

	/* A very low screen needs the lines for other parts. */
	if (r.h < 14)
		most = 1;
	if (!beside)
		return noc_draw_word(w, region_sub(r, 0, 1, most, r.w));
	used = noc_draw_word(w, region_sub(r, 0, 1, most, r.w - FACTS_WIDTH - 2));
	facts = most > 1 ? draw_facts(w, region_sub(r, 0, r.w - FACTS_WIDTH, most, FACTS_WIDTH))
			 : 0;
	facts = facts < most ? facts : most;
	return used > facts ? used : facts;
}

static void draw_wide(const struct wall *w, struct region r)
{
	int map = r.w * 30 / 100, findings = r.w * 36 / 100;

	(void)noc_draw_map(w, region_sub(r, 0, 1, r.h, map));
	(void)noc_draw_findings(
		w, region_sub(r, 0, map + 3, r.h, findings), r.h >= 24 ? 10 : FIRST_FIVE);
	(void)noc_draw_day(w, region_sub(r, 0, map + findings + 5, r.h, r.w), true);
}

static void draw_narrow(const struct wall *w, struct region r)
{
	int map = r.w - FINDINGS_MIN - 2, lists = r.h > 16 ? r.h - 6 : r.h > 10 ? 10 : r.h, used, y;

	map = noc_map_width(w, map, MAP_CELL);
	if (map < 12) {
		y = noc_draw_findings(w, r, FIRST_FIVE);
		(void)noc_draw_day(w, region_sub(r, y, 0, r.h, r.w), false);
		return;
	}
	/* The map needs one line for each rail; the lists get the rest. */
	y = noc_draw_map(w, region_sub(r, 0, 0, lists, map));
	used = noc_draw_findings(w, region_sub(r, 0, map + 2, lists, r.w), FIRST_FIVE);
	y = used > y ? used : y;
	(void)noc_draw_day(w, region_sub(r, y, 0, r.h, r.w), false);
}

static void draw_overview(const struct wall *w, struct region r)
{
	bool roomy = r.h >= 30;
	int y = 0, lines;
	enum role role;
	char text[520];

	y += draw_top(w, r) + roomy;
	y += noc_draw_banners(w, region_sub(r, y, 0, r.h, r.w));
	role = noc_verdict(w->n, w->f, text, sizeof(text));
	lines = noc_draw_wrapped(region_sub(r, 0, 1, r.h, r.w), y, role, text, r.h < 12 ? 1 : 2);
	y += lines + roomy;
	if (w->f->word == NOC_BLIND && !w->n->model)
		return;
	r = region_sub(r, y, 0, r.h, r.w);
	if (r.w >= WIDE)
		draw_wide(w, r);
	else
		draw_narrow(w, r);
}

/* ---- the other pages ---- */

static void draw_rails(const struct wall *w, struct region r)
{
	int y = noc_draw_banners(w, r);

	(void)noc_draw_map(w, region_sub(r, y, 1, r.h, r.w));
}

static void draw_findings(const struct wall *w, struct region r)
{
	int y = noc_draw_banners(w, r);
	size_t fit = r.h > y + 3 ? (size_t)(r.h - y - 1) / 2 : 1;
	char text[520];
	enum role role = noc_verdict(w->n, w->f, text, sizeof(text));

	y += noc_draw_wrapped(region_sub(r, 0, 1, r.h, r.w), y, role, text, 2) + 1;
	(void)noc_draw_findings(w, region_sub(r, y, 1, r.h, r.w), fit > 10 ? 10 : fit);
}

static void draw_day(const struct wall *w, struct region r)
{
	int y = noc_draw_banners(w, r);

	(void)noc_draw_day(w, region_sub(r, y, 1, r.h, r.w), true);
}

struct job_line {
	uint32_t job;
	unsigned hosts, gpus, blocked;
	bool advances;
};

static bool job_before(const struct job_line *a, const struct job_line *b)
{
	if (a->blocked != b->blocked)
		return a->blocked > b->blocked;
	return a->gpus != b->gpus ? a->gpus > b->gpus : a->job < b->job;
}

#define JOB_LINES 64

/* Collects the largest jobs and the stalled ones; returns the number of all jobs. */
static size_t job_lines(const struct noc *n, struct job_line *out, size_t max)
{
	const struct nccl *nccl = n->model->nccl;
	size_t used = 0, all = 0;

	for (size_t i = 0; i < nccl->jobs.n; i++) {
		const struct job *j = nccl->jobs.at[i];
		struct job_line l = {.job = (uint32_t)i, .hosts = (unsigned)j->hosts.n};
		size_t at;

		if (job_is_free(j) || j->gone)
			continue;
		all++;
		l.gpus = j->gpus > 0 ? (unsigned)j->gpus : 0;
		if (!l.gpus && job_world(nccl, j, NULL))
			l.gpus = (unsigned)job_world(nccl, j, NULL)->nranks;
		l.blocked = noc_job_blocked(n, l.job);
		l.advances = job_advances(nccl, j, n->data_us);
		for (at = used; at > 0 && job_before(&l, &out[at - 1]); at--)
			if (at < max)
				out[at] = out[at - 1];
		if (at < max)
			out[at] = l;
		used = used < max ? used + 1 : max;
	}
	return all;
}

static void draw_job(struct region r, int y, size_t i, const struct job_line *l)
{
	char hosts[16] = "-", gpus[16] = "-", blocked[16] = "-";

	if (l->hosts)
		(void)str_printf(hosts, sizeof(hosts), "%u", l->hosts);
	if (l->gpus)
		(void)str_printf(gpus, sizeof(gpus), "%u", l->gpus);
	/* No number where nothing shows whether it runs. */
	if (l->blocked || l->advances)
		(void)str_printf(blocked, sizeof(blocked), "%u", l->blocked);
	(void)draw_textf(r, y, 0, l->blocked ? ROLE_CRIT : ROLE_NORMAL, "%4zu %8s %8s %8s  %s", i,
		hosts, gpus, blocked, l->blocked ? "BLOCKED" : "");
}

static void draw_jobs(const struct wall *w, struct region r)
{
	struct job_line lines[JOB_LINES];
	int y = noc_draw_banners(w, r);
	size_t n, max;

	r = region_sub(r, y, 1, r.h, r.w);
	n = w->n->model ? job_lines(w->n, lines, JOB_LINES) : 0;
	if (!n) {
		(void)draw_text(r, 0, 0, ROLE_UNKNOWN, "jobs: none known", -1);
		return;
	}
	(void)draw_textf(r, 0, 0, ROLE_HEADER, "%zu job%s", n, str_plural(n));
	(void)draw_text(r, 1, 0, ROLE_HEADER, "         hosts     GPUs  blocked", -1);
	max = n < JOB_LINES ? n : JOB_LINES;
	for (size_t i = 0; i < max && (int)i + 2 < r.h; i++)
		draw_job(r, (int)i + 2, i + 1, &lines[i]);
}

const struct noc_page noc_page_table[] = {
	{"overview", draw_overview},
	{"rails", draw_rails},
	{"findings", draw_findings},
	{"24 h", draw_day},
	{"jobs", draw_jobs},
};
const unsigned noc_page_count = sizeof(noc_page_table) / sizeof(noc_page_table[0]);

bool noc_draw(struct noc *n)
{
	struct noc_facts f;
	struct wall w = {.n = n, .f = &f, .ctx = noc_ctx(n)};
	struct region r;

	if (!n->opts.term) {
		n->dirty = false;
		return true;
	}
	if (!term_begin(n->opts.term))
		return false;
	noc_facts(n, &f);
	r = region_screen(n->opts.term);
	draw_header(&w, region_sub(r, 0, 0, 1, r.w));
	if (r.h > 2)
		noc_page_table[n->page].draw(&w, region_sub(r, 1, 0, r.h - 2, r.w));
	if (r.h > 1)
		draw_footer(&w, region_sub(r, r.h - 1, 0, 1, r.w));
	term_commit(n->opts.term);
	n->dirty = false;
	return true;
}
