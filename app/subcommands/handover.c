/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "actions/ledger/ledger.h"
#include "app/inventory/inventory_yaml.h"
#include "app/options/options.h"
#include "app/output/output.h"
#include "app/sandbox/confine.h"
#include "app/sandbox/state_dir.h"
#include "app/session/file_moment.h"
#include "app/session/ledger_file.h"
#include "archive/handover/handover.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"

/*
 * `railtop handover`: what opened, closed and changed in the last hours, from recordings: those in
 * the state directory, or one that --from names.
 */
#define SINCE_US     (CLOCK_SEC * 3600 * 8)
#define FILES_MOST   500
#define MOMENTS_MOST 200 /* of one file: 256 closings each */
#define GAP_US       (60 * CLOCK_SEC)

struct source {
	char path[1024];
	char fabric[NAME_MAX_LEN];
	int64_t from_us, to_us; /* wall */
};
typedef VEC(struct source) source_vec;

/* ---- which recordings ---- */

/* A file that cannot be read is left out with a word: the page says which times are missing. */
static void add_source(source_vec *v, const char *path)
{
	struct err err = {0};
	struct rts *r = v->n < FILES_MOST ? rts_open(path, &err) : NULL;
	const struct rts_info *info = r ? rts_info(r) : NULL;
	struct source s = {.from_us = 0};

	if (!r) {
		err_print(&err);
		return;
	}
	if (info->entries && str_copy(s.path, sizeof(s.path), path)) {
		(void)str_copy(s.fabric, sizeof(s.fabric), info->fabric);
		s.from_us = clock_track_wall(rts_clock(r), info->from_us);
		s.to_us = clock_track_wall(rts_clock(r), info->to_us);
		vec_push(v, s);
	}
	rts_close(r);
}

static void add_directory(source_vec *v, const char *name)
{
	char *dir = state_dir_path(name), path[1024];
	DIR *d = dir ? opendir(dir) : NULL;
	const struct dirent *e;

	while (d && (e = readdir(d))) {
		size_t n = strlen(e->d_name);

		if (n > 4 && str_eq(e->d_name + n - 4, ".rts") &&
			str_printf(path, sizeof(path), "%s/%s", dir, e->d_name))
			add_source(v, path);
	}
	if (d)
		(void)closedir(d);
	free(dir);
}

static int by_end(const void *a, const void *b)
{
	const struct source *x = a, *y = b;

	return x->to_us > y->to_us ? -1 : x->to_us < y->to_us;
}

/* Without an inventory: the fabric of the newest one. */
static void keep_fabric(source_vec *v, const char *fabric)
{
	size_t kept = 0, others = 0;

	for (size_t i = 0; i < v->n; i++) {
		if (str_eq(v->at[i].fabric, fabric))
			v->at[kept++] = v->at[i];
		else
			others++;
	}
	v->n = kept;
	if (others)
		(void)fprintf(stderr, "railtop: %zu recording%s of other fabrics left out\n",
			others, others == 1 ? " is" : "s are");
}

static bool find_sources(const struct options *o, source_vec *v, struct err *err)
{
	char fabric[NAME_MAX_LEN] = "";
	struct plan plan;

	if (o->inventory) {
		bool ok = inventory_load(o->inventory, &plan, NULL, NULL, err);

		(void)str_copy(fabric, sizeof(fabric), ok ? plan.fabric : "");
		if (ok)
			confine_plan(&plan);
		plan_free(&plan);
		if (!ok)
			return false;
	}
	add_directory(v, "");
	add_directory(v, "recordings");
	if (v->n > 1)
		qsort(v->at, v->n, sizeof(v->at[0]), by_end);
	if (v->n)
		keep_fabric(v, fabric[0] ? fabric : v->at[0].fabric);
	if (v->n)
		return true;
	(void)err_set(err, ERR_USAGE, "", "there is no recording%s%s in the state directory",
		fabric[0] ? " of " : "", fabric);
	return err_cure(err, "railtop record -o ~/.local/state/railtop/shift.rts keeps a shift; "
			     "--from FILE names another recording");
}

/* ---- the moments of a recording ---- */

/* At the end of the file, and then back as far as its closed findings reach. */
static bool take_file(struct handover *h, struct replay *r, int64_t until_us, bool end)
{
	struct err err = {0};
	char why[128];
	int64_t at_us = until_us, since_us = 0;

	for (unsigned i = 0; i < MOMENTS_MOST; i++) {
		if (!replay_go_to(r, at_us, &err)) {
			err_print(&err);
			return false;
		}
		handover_take(
			h, replay_model(r), replay_diag(r), replay_now(r), end && !i, &since_us);
		if (!i && replay_gap(r, why, sizeof(why)))
			(void)fprintf(stderr,
				"railtop: answers before this moment are missing: %s\n", why);
		if (!since_us || model_wall(replay_model(r), since_us) <= h->from_us ||
			since_us >= at_us || since_us <= replay_from(r))
			break;
		at_us = since_us;
	}
	return true;
}

/* The session time of a wall time in the file: its last moment at or before it. */
static int64_t session_time(struct replay *r, int64_t wall_us)
{
	int64_t from = replay_from(r), to = replay_to(r);

	if (clock_track_wall(replay_clock(r), to) <= wall_us)
		return to;
	while (to - from > CLOCK_SEC) {
		int64_t half = from + (to - from) / 2;

		if (clock_track_wall(replay_clock(r), half) <= wall_us)
			from = half;
		else
			to = half;
	}
	return from;
}

static bool take_source(struct handover *h, const struct source *s, bool newest)
{
	struct err err = {0};
	struct rts *file = rts_open(s->path, &err);
	struct replay *r = file ? replay_new(file, &err) : NULL;
	bool ok;

	if (!r) {
		err_print(&err);
		return false;
	}
	ok = take_file(h, r, session_time(r, h->to_us), !newest);
	replay_free(r);
	if (ok)
		vec_push(&h->files, mem_strdup(s->path));
	return ok;
}

static void take_sources(struct handover *h, const source_vec *v)
{
	int64_t known_us = h->to_us; /* all from here on is recorded, or told as missing */

	for (size_t i = 0; i < v->n && known_us > h->from_us; i++) {
		const struct source *s = &v->at[i];

		if (s->to_us < h->from_us || s->from_us > known_us)
			continue;
		if (known_us - s->to_us > GAP_US)
			handover_add_gap(h, s->to_us, known_us, "no recording");
		if (take_source(h, s, !h->latest_us))
			known_us = s->from_us < known_us ? s->from_us : known_us;
	}
	if (known_us - h->from_us > GAP_US)
		handover_add_gap(h, h->from_us, known_us, "no recording");
}

static bool take_named(
	struct handover *h, const struct options *o, int64_t since_us, struct err *err)
{
	struct file_moment at;
	struct replay *r = NULL;
	int64_t begin;

	if (file_moment_read(o->from, &at, err))
		r = file_moment_replay(&at, err);
	if (!r)
		return false;
	if (at.said[0])
		(void)fprintf(stderr, "railtop: %s\n", at.said);
	h->to_us = model_wall(replay_model(r), replay_now(r));
	h->from_us = h->to_us - since_us;
	begin = clock_track_wall(replay_clock(r), replay_from(r));
	if (begin - h->from_us > GAP_US)
		handover_add_gap(h, h->from_us, begin, "before the recording");
	(void)take_file(h, r, replay_now(r), false);
	vec_push(&h->files, mem_strdup(at.path));
	replay_free(r);
	return true;
}

/* ---- the ledger ---- */

static void add_action(struct handover *h, const struct ledger_line *l)
{
	struct handover_change c = {.t_us = l->t_us, .by_railtop = true, .severity = SEV_OK};

	if (l->t_us > h->to_us || h->changes.n >= HANDOVER_CHANGES)
		return;
	/* The beginning and the end of each action, and refusals: not each request in between. */
	if (l->event == LEDGER_SENDING || l->event == LEDGER_ANSWERED || l->event == LEDGER_READ)
		return;
	(void)str_copy(c.user, sizeof(c.user), l->user);
	(void)str_printf(
		c.place, sizeof(c.place), "%s%s%s", l->device, l->port[0] ? ":" : "", l->port);
	(void)str_copy(c.what, sizeof(c.what), l->action[0] ? l->action : "action");
	(void)str_printf(
		c.text, sizeof(c.text), "%s: %.200s", ledger_event_name(l->event), l->text);
	(void)str_copy(c.incident, sizeof(c.incident), l->incident);
	if (l->event == LEDGER_LOST || l->event == LEDGER_UNKNOWN)
		c.severity = SEV_CRIT;
	vec_push(&h->changes, c);
}

static void take_ledger(struct handover *h, const struct options *o)
{
	struct ledger_file f = {0};
	ledger_line_vec lines = {0};
	struct err err = {0};
	char text[640];

	if (ledger_file_find(o, &f, &err) && ledger_read(f.path, h->from_us, 0, &lines, &err)) {
		h->has_ledger = true;
		for (size_t i = 0; i < lines.n; i++)
			add_action(h, &lines.at[i]);
	} else {
		(void)str_printf(h->ledger_why, sizeof(h->ledger_why), "not known: %.180s",
			err_format(&err, text, sizeof(text)));
	}
	vec_free(&lines);
	ledger_file_free(&f);
}

/* ---- the page ---- */

static void write_to(
	struct buf *b, const struct handover *h, bool (*write)(const struct handover *h, FILE *out))
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	if (f) {
		(void)write(h, f);
		(void)fclose(f);
	}
	(void)buf_add(b, text ? text : "", len);
	free(text);
}

static bool write_json(const struct handover *h, FILE *out)
{
	return handover_json(h, out, NULL);
}

static int print_pages(const struct options *o, const struct handover *h)
{
	struct buf text, md, json;
	const char *page = o->text || o->md || o->json ? o->text : "-";
	const struct output files[] = {
		{page, &text, false}, {o->md, &md, false}, {o->json, &json, false}};
	struct err err = {0};
	bool ok;

	buf_init(&text, (size_t)64 << 20);
	buf_init(&md, (size_t)64 << 20);
	buf_init(&json, (size_t)64 << 20);
	write_to(&text, h, handover_text);
	write_to(&md, h, handover_markdown);
	write_to(&json, h, write_json);
	ok = output_write(files, sizeof(files) / sizeof(files[0]), &err);
	buf_free(&text);
	buf_free(&md);
	buf_free(&json);
	if (!ok) {
		err_print(&err);
		return EXIT_INTERNAL;
	}
	for (size_t i = 0; i < h->findings.n; i++)
		if (handover_is_watched(&h->findings.at[i]) &&
			h->findings.at[i].severity >= SEV_WARN)
			return EXIT_FINDINGS;
	if (!h->latest_us)
		return EXIT_UNREACHED;
	return h->state >= FABRIC_SUSPECT ? EXIT_FINDINGS : EXIT_FINE;
}

static bool pages_fit(const struct options *o, struct err *err)
{
	unsigned to_stdout =
		(unsigned)str_eq(o->text, "-") + str_eq(o->md, "-") + str_eq(o->json, "-");

	if (to_stdout > 1) {
		(void)err_set(err, ERR_USAGE, "",
			"only one of --json, --text and --md can be standard output");
		return err_cure(err, "name files for the others");
	}
	return output_allowed(o->text, OUTPUT_PAGE, err) &&
	       output_allowed(o->md, OUTPUT_PAGE, err) && output_allowed(o->json, OUTPUT_PAGE, err);
}

int sub_handover(const struct options *o)
{
	int64_t since = o->since_us ? o->since_us : SINCE_US, now = clock_wall(&clock_system);
	struct handover h = {.from_us = now - since, .to_us = now};
	source_vec sources = {0};
	struct err err = {0};
	int code = EXIT_USAGE;

	if (pages_fit(o, &err) &&
		(o->from ? take_named(&h, o, since, &err) : find_sources(o, &sources, &err))) {
		if (!o->from)
			take_sources(&h, &sources);
		take_ledger(&h, o);
		handover_finish(&h);
		code = print_pages(o, &h);
	} else {
		err_print(&err);
	}
	vec_free(&sources);
	handover_free(&h);
	return code;
}
