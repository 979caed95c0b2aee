/* SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "tests/bench/diagnosis/csv.h"
#include "tests/bench/diagnosis/diagnosis.h"
#include "tests/support/plan_make.h"

/*
 * external_real/zjlab_leaf_ports_10s.csv: leaf,port,kind,win10s,covered_s,in_gbps,out_gbps, in any
 * order. A window is a poll of 10 s; a missing window was not polled. Uplinks get a spine each in
 * the plan, hosts are not polled.
 */
#define WINDOWS  400
#define WINDOW_S 10
#define START_US (INT64_C(1716480000) * CLOCK_SEC)
#define HOURS_OF 2.024 /* thousands of GPUs */

struct track {
	char leaf[NAME_MAX_LEN], port[NAME_MAX_LEN];
	bool uplink;
	float in[WINDOWS], out[WINDOWS]; /* Gb/s, NAN: no sample */
	double rx, tx;                   /* bytes so far */
};

struct soak {
	VEC(struct track *) tracks;
	struct plan plan;
	struct buf line;
	int last; /* window */
};

static struct track *track_of(struct soak *s, const char *leaf, const char *port, bool uplink)
{
	struct track *t = s->tracks.n ? s->tracks.at[s->tracks.n - 1] : NULL;

	if (t && str_eq(t->leaf, leaf) && str_eq(t->port, port))
		return t;
	for (size_t i = 0; i < s->tracks.n; i++)
		if (str_eq(s->tracks.at[i]->port, port) && str_eq(s->tracks.at[i]->leaf, leaf))
			return s->tracks.at[i];
	t = mem_calloc(1, sizeof(*t));
	(void)str_copy(t->leaf, sizeof(t->leaf), leaf);
	(void)str_copy(t->port, sizeof(t->port), port);
	t->uplink = uplink;
	for (int i = 0; i < WINDOWS; i++)
		t->in[i] = t->out[i] = NAN;
	vec_push(&s->tracks, t);
	return t;
}

static bool load(struct soak *s, const char *shared)
{
	char dir[PATH_MAX];
	struct csv c;

	(void)str_printf(dir, sizeof(dir), "%s/groundtruth/external_real", shared);
	if (!csv_open(&c, dir, "zjlab_leaf_ports_10s.csv"))
		return false;
	while (csv_row(&c)) {
		int w = (int)csv_real(&c, 3);
		struct track *t = track_of(s, c.field[0], c.field[1], str_starts(c.field[2], "up"));

		if (w < 0 || w >= WINDOWS)
			continue;
		t->in[w] = (float)csv_real(&c, 5);
		t->out[w] = (float)csv_real(&c, 6);
		s->last = w > s->last ? w : s->last;
	}
	csv_close(&c);
	return true;
}

static void make_plan(struct soak *s)
{
	unsigned spine;
	char name[NAME_MAX_LEN];

	plan_init(&s->plan);
	(void)str_copy(s->plan.fabric, sizeof(s->plan.fabric), "real");
	s->plan.lossless.priorities = 1U << 3;
	plan_make_device(&s->plan, "spine", TIER_SPINE, -1)->interval_us = WINDOW_S * CLOCK_SEC;
	spine = 0;
	for (size_t i = 0; i < s->tracks.n; i++) {
		const struct track *t = s->tracks.at[i];
		int leaf = plan_find(&s->plan, t->leaf);

		if (leaf < 0) {
			leaf = (int)s->plan.devices.n;
			plan_make_device(&s->plan, t->leaf, TIER_LEAF, -1)->interval_us =
				WINDOW_S * CLOCK_SEC;
		}
		if (!t->uplink)
			continue;
		(void)str_printf(name, sizeof(name), "%s/%s", t->leaf, t->port);
		plan_make_link(&s->plan, (unsigned)leaf, t->port, spine, name, -1);
		s->plan.links.at[s->plan.links.n - 1].speed_mbps = 400000;
	}
}

static void say(struct soak *s, struct track *t, int w, int64_t now_us, struct bed *bed)
{
	if (isnan(t->in[w]))
		return;
	t->rx += (double)t->in[w] * 1e9 / 8 * WINDOW_S;
	t->tx += (double)t->out[w] * 1e9 / 8 * WINDOW_S;
	buf_reset(&s->line);
	(void)buf_addf(&s->line,
		"{\"t\":%lld,\"device\":\"%s\",\"port\":\"%s\",\"counters\":{\"rx_bytes\":%.0f,"
		"\"tx_bytes\":%.0f},\"state\":{\"oper\":\"up\",\"speed_mbps\":%d}}",
		(long long)(now_us / CLOCK_SEC), t->leaf, t->port, t->rx, t->tx,
		t->uplink ? 400000 : 200000);
	bed_line(bed, s->line.data, s->line.len);
}

struct seen {
	uint64_t key;
	char text[200];
	bool one_way;
};

static void take_findings(struct bed *bed, struct seen *seen, size_t *nseen, size_t most)
{
	size_t n;
	const struct finding *const *list = diag_findings(bed->d, &n);

	for (size_t i = 0; i < n && *nseen < most; i++) {
		struct seen *x = seen;

		if (list[i]->role != ROLE_CULPRIT)
			continue;
		while (x < seen + *nseen && x->key != list[i]->key)
			x++;
		if (x < seen + *nseen)
			continue;
		*x = (struct seen){
			.key = list[i]->key, .one_way = list[i]->id == FIND_ROUTE_ONE_WAY};
		finding_locator(bed->m, list[i], x->text, sizeof(x->text));
		++*nseen;
	}
}

static void report(const struct bench *b, const struct soak *s, const struct seen *seen, size_t n)
{
	double hours = (s->last + 1) * WINDOW_S / 3600.0;
	unsigned known = 0, others = 0;

	for (size_t i = 0; i < n; i++) {
		/* The two that its operators lived with. */
		bool is = seen[i].one_way &&
			  (strstr(seen[i].text, "Leaf10:35") || strstr(seen[i].text, "Leaf20:46"));

		known += is;
		others += !is;
		(void)printf(
			"    %s%s\n", seen[i].text, is ? "" : "   (not known to its operators)");
	}
	figure_least(b->figures, "real hour: members used one way, of 2 known", known, "", 2);
	figure(b->figures, "real hour: other findings a day, 1,000 GPUs",
		others / hours * 24 / HOURS_OF, "", 0.5);
}

void bench_soak(const struct bench *b)
{
	struct soak s = {0};
	struct bed bed;
	struct seen *seen = mem_calloc(256, sizeof(*seen));
	size_t nseen = 0;

	buf_init(&s.line, 4096);
	if (load(&s, b->shared)) {
		make_plan(&s);
		bed_open(&bed, &s.plan, &sweep_none);
		for (int w = 0; w <= s.last; w++) {
			int64_t now = START_US + (w + 1) * WINDOW_S * CLOCK_SEC;

			for (size_t i = 0; i < s.tracks.n; i++)
				say(&s, s.tracks.at[i], w, now, &bed);
			bed_poll(&bed, now);
			take_findings(&bed, seen, &nseen, 256);
		}
		report(b, &s, seen, nseen);
		bed_close(&bed);
		plan_free(&s.plan);
	} else {
		(void)printf("  no real hour below %s/groundtruth\n", b->shared);
	}
	for (size_t i = 0; i < s.tracks.n; i++)
		free(s.tracks.at[i]);
	vec_free(&s.tracks);
	buf_free(&s.line);
	free(seen);
}
