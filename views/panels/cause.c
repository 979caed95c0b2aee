/* SPDX-License-Identifier: Apache-2.0 */
#include "views/panels/cause.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "views/panels/finding_text.h"
#include "views/short_names.h"
#include "views/summary.h"

#define AGE_STEP_S 10
#define KEY_ROOM   12 /* of "   e evidence" without the key */

char *cause_age(int64_t us, char *dst, size_t size)
{
	long long s = (long long)(us > 0 ? us / CLOCK_SEC : 0);

	if (s < 60)
		(void)str_printf(
			dst, size, "%llds", s < AGE_STEP_S ? s : s / AGE_STEP_S * AGE_STEP_S);
	else if (s < 3600)
		(void)str_printf(dst, size, "%lldm", s / 60);
	else if (s < 86400)
		(void)str_printf(dst, size, "%lldh%02lldm", s / 3600, s / 60 % 60);
	else
		(void)str_printf(dst, size, "%lldd", s / 86400);
	return dst;
}

#define DOWN_ONCE "down once" /* has its number in it */

/*
 * Counters that a person names otherwise. # is the number; without it the number follows. one: the
 * words of a single one, NULL: the same.
 */
static const struct {
	const char *what, *words, *one;
} spoken[] = {{"pci_stalled_write_pct", "PCIe writes stalled", NULL},
	{"pfcwd_storm_detected", "watchdog acts", NULL},
	{"link_down_events", "# times down", DOWN_ONCE},
	{"rx_fcs_errors", "# FCS errors", "# FCS error"},
	{"fec_uncorrectable_codewords", "# uncorrectable", NULL},
	{"pause_storm_errors", "# storm errors", "# storm error"},
	{"pre_fec_ber", "BER before FEC", NULL}, {"own gap before it enters", "late by", NULL},
	{"groups with idle members", "idle members in # groups", "idle members in # group"},
	{"uplinks that are up", "# uplinks up", "# uplink up"},
	{"sent on priorities that may drop", "sent where it may drop", NULL}};

/* "link_down_events" as words: "link down events". */
static const char *counter_words(
	const struct evidence *e, const char *value, char *dst, size_t size)
{
	const char *what = e->what;

	if (evidence_is_pause(what))
		return "paused";
	if (e->unit[0] == '%' && str_starts(what, "pfc_") && strstr(what, "_frames"))
		return "paused at most";
	for (size_t i = 0; i < sizeof(spoken) / sizeof(spoken[0]); i++)
		if (str_eq(what, spoken[i].what))
			return spoken[i].one && str_eq(value, "1") ? spoken[i].one
								   : spoken[i].words;
	(void)str_copy(dst, size, what);
	for (char *s = dst; *s; s++)
		if (*s == '_')
			*s = ' ';
	return dst;
}

/* "4 times down", "783 FCS errors/s", "paused 100%", "down once". */
static void say_number(const char *words, const char *value, char *dst, size_t size)
{
	const char *mark = strchr(words, '#'), *rate = strstr(value, "/s");

	if (str_eq(words, DOWN_ONCE))
		(void)str_copy(dst, size, words);
	else if (!mark)
		(void)str_printf(dst, size, "%s %s", words, value);
	else if (rate && !rate[2])
		(void)str_printf(dst, size, "%.*s%.*s%s/s", (int)(mark - words), words,
			(int)(rate - value), value, mark + 1);
	else
		(void)str_printf(
			dst, size, "%.*s%s%s", (int)(mark - words), words, value, mark + 1);
}

char *cause_number(const struct finding *f, char *dst, size_t size)
{
	char value[160], words[48];
	const struct evidence *best = finding_conviction(f);
	struct evidence e;

	dst[0] = '\0';
	if (!best)
		return dst;
	e = *best;
	e.text[0] = '\0';
	if (e.unit[0] == '%')
		(void)percent_text(e.value, value, sizeof(value));
	else
		(void)evidence_value(&e, value, sizeof(value));
	say_number(counter_words(&e, value, words, sizeof(words)), value, dst, size);
	return dst;
}

const struct finding *cause_finding(const struct view_ctx *ctx)
{
	const struct verdict_report *v;
	const struct finding *f;
	const struct finding *const *all;
	size_t n;

	if (!ctx->diag || !ctx->model)
		return NULL;
	v = diag_verdict(ctx->diag);
	f = v->culprit ? diag_finding(ctx->diag, v->culprit) : NULL;
	if (f && !finding_acked(f, ctx->now_us))
		return f;
	all = diag_findings(ctx->diag, &n);
	for (size_t i = 0; i < n; i++)
		if (all[i]->role == ROLE_CULPRIT && !finding_acked(all[i], ctx->now_us))
			return all[i];
	return NULL;
}

bool cause_is_at(const struct view_ctx *ctx, const struct device *d)
{
	const struct finding *f = cause_finding(ctx);

	return f && (ref_device(ctx->model, f->at) == d || ref_device(ctx->model, f->peer) == d);
}

/* "paused 99% by its peer", also with the port before it. */
static bool is_pause(const char *why)
{
	const char *rule = strstr(why, ": ");

	rule = rule ? rule + 2 : why;
	return str_starts(rule, "paused ") || str_starts(rule, "pauses ");
}

bool cause_victim(const struct view_ctx *ctx, const struct device *d, const struct health *h)
{
	const struct finding *f = h->severity >= SEV_WARN ? cause_finding(ctx) : NULL;
	const struct finding *const *all;
	size_t n;

	if (!f || !f->nvictims || finding_info[f->id].family != FAMILY_PFC || !is_pause(h->why))
		return false;
	if (!d)
		return true;
	/* With a cause of its own it is no mere victim. */
	all = diag_findings(ctx->diag, &n);
	for (size_t i = 0; i < n; i++)
		if (finding_is_cause(ctx, i) && (ref_device(ctx->model, all[i]->at) == d ||
							ref_device(ctx->model, all[i]->peer) == d))
			return false;
	return true;
}

void cause_device_column(
	const struct view_ctx *ctx, const struct device *d, enum column col, struct view_cell *out)
{
	struct summary s;

	device_column(ctx, d, col, out);
	if (col != COL_STATE || !ctx->folded)
		return;
	summary_device(ctx, d, &s);
	if (s.health.severity >= SEV_WARN && cause_is_at(ctx, d)) {
		(void)str_copy(out->text, sizeof(out->text), "CAUSE");
		/* Above all its victims. */
		out->number += 1e6;
	} else if (cause_victim(ctx, d, &s.health)) {
		cell_severity_victim(out, s.health);
	}
}

/* "PFC STORM": the kind without what its ends say. */
static void kind_text(const struct finding *f, char *dst, size_t size)
{
	const char *title = finding_info[f->id].title, *from = strstr(title, " from ");

	(void)str_copyn(dst, size, title, from ? (size_t)(from - title) : strlen(title));
	for (char *s = dst; *s; s++)
		*s = (char)toupper((unsigned char)*s);
}

struct cause_words {
	char at[160], peer[160], number[96], gpus[64], age[48];
};

static void fill_words(const struct view_ctx *ctx, const struct finding *f, struct cause_words *w)
{
	int64_t ended = finding_ended_us(f);
	char age[24];

	memset(w, 0, sizeof(*w));
	(void)place_text(ctx, f->at, w->at, sizeof(w->at));
	if (f->peer.kind != REF_NONE)
		(void)place_text(ctx, f->peer, w->peer, sizeof(w->peer));
	(void)cause_number(f, w->number, sizeof(w->number));
	if (f->gpus_blocked)
		(void)str_printf(w->gpus, sizeof(w->gpus), "%u GPU%s blocked", f->gpus_blocked,
			str_plural(f->gpus_blocked));
	else if (f->gpus_slow)
		(void)str_printf(w->gpus, sizeof(w->gpus), "%u GPU%s slowed", f->gpus_slow,
			str_plural(f->gpus_slow));
	(void)cause_age(ctx->now_us - (ended ? ended : f->first_seen_us), age, sizeof(age));
	(void)str_printf(w->age, sizeof(w->age), ended ? "ended %s ago" : "%s", age);
}

/* The words that a line has. */
struct cause_form {
	bool is_short, peer, number, gpus, age;
};

/*
 * Joins the words of one line in the longest form that fits: first the names get short, then words
 * of the second line go, then the other end. The culprit's own name stays. Returns the form.
 */
static struct cause_form cause_text(
	const struct view_ctx *ctx, const struct cause_words *w, int room, char *dst, size_t size)
{
	char at[160], peer[160];
	const char *arrow = glyph(ctx->term, GLYPH_ARROW);
	static const struct cause_form forms[] = {{false, true, true, true, true},
		{true, true, true, true, true}, {true, true, true, true, false},
		{true, true, true, false, false}, {false, false, true, true, false},
		{true, false, true, false, false}, {true, true, false, false, false},
		{true, false, false, false, false}};

	short_place(w->at, at, sizeof(at));
	short_place(w->peer, peer, sizeof(peer));
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		const char *a = forms[i].is_short ? at : w->at;
		const char *b = forms[i].is_short ? peer : w->peer;
		bool both = forms[i].peer && b[0];
		bool number = forms[i].number && w->number[0], gpus = forms[i].gpus && w->gpus[0];

		(void)str_printf(dst, size, "%s%s%s%s%s%s%s%s%s%s%s", a, both ? " " : "",
			both ? arrow : "", both ? " " : "", both ? b : "", number ? "  " : "",
			number ? w->number : "", gpus ? "  " : "", gpus ? w->gpus : "",
			forms[i].age ? "  " : "", forms[i].age ? w->age : "");
		if (draw_width(ctx->term, dst) <= room)
			return forms[i];
	}
	return (struct cause_form){true, false, false, false, false};
}

/* Words that the first line had no room for: "other end node004:mlx5_7, 192 GPUs blocked for 5s".
 */
static void left_words(
	const struct cause_words *w, struct cause_form told, bool ended, char *dst, size_t size)
{
	size_t n;

	dst[0] = '\0';
	if (!told.peer && w->peer[0])
		(void)str_printf(dst, size, "other end %s", w->peer);
	n = strlen(dst);
	if (!told.gpus && w->gpus[0])
		(void)str_printf(dst + n, size - n, "%s%s", n ? ", " : "", w->gpus);
	n = strlen(dst);
	if (!told.age)
		(void)str_printf(dst + n, size - n, "%s%s%s",
			ended ? n ? ", " : ""
			: n   ? " "
			      : "",
			ended ? "" : "for ", w->age);
}

/* Adds "KEY word" if the key is bound and there is room. */
static void add_key(const char *key, const char *word, int width, char *dst, size_t size)
{
	size_t n = strlen(dst);

	if (!key[0] || text_width(dst) + text_width(key) + text_width(word) + 4 > width)
		return;
	(void)str_printf(dst + n, size - n, "%s%s %s", n ? "   " : "", key, word);
}

static void add_keys(const struct cause_keys *k, int width, char *dst, size_t size)
{
	if (!k)
		return;
	add_key(k->evidence, "evidence", width, dst, size);
	add_key(k->trace, "trace", width, dst, size);
	add_key(k->chart, "chart", width, dst, size);
	add_key(k->runbook, "runbook", width, dst, size);
	add_key(k->ticket, "ticket", width, dst, size);
}

/* "227 ports paused because of it, 84.2 Tb/s lost": what follows from it, and the keys. */
static void harm_text(const struct finding *f, char *dst, size_t size)
{
	const char *word = finding_info[f->id].family == FAMILY_PFC ? "paused because of it"
								    : "affected by it";
	char rate[24];
	size_t n;

	dst[0] = '\0';
	if (f->nvictims)
		(void)str_printf(
			dst, size, "%u port%s %s", f->nvictims, str_plural(f->nvictims), word);
	n = strlen(dst);
	if (f->blame_gbps > 0)
		(void)str_printf(dst + n, size - n, "%s%s lost", n ? ", " : "",
			str_bitrate((double)f->blame_gbps * 1e9, rate, sizeof(rate)));
	if (!dst[0])
		(void)str_copy(dst, size, f->title);
}

/* Other unacknowledged culprits; *next: the first of them. */
static unsigned other_causes(
	const struct view_ctx *ctx, const struct finding *shown, const struct finding **next)
{
	size_t n;
	const struct finding *const *all = diag_findings(ctx->diag, &n);
	unsigned others = 0;

	*next = NULL;
	for (size_t i = 0; i < n; i++) {
		if (all[i] == shown || !finding_is_cause(ctx, i) ||
			(shown && findings_share_link(ctx->model, shown, all[i])))
			continue;
		if (!others++)
			*next = all[i];
	}
	return others;
}

static bool more_line(const struct view_ctx *ctx, const struct finding *shown, int width,
	const struct cause_keys *k, struct cause_line *out)
{
	const struct finding *next;
	unsigned others = other_causes(ctx, shown, &next);
	char at[160], ends[160], sure[16];

	if (!others)
		return false;
	out->role = role_of_finding(ctx, next);
	(void)str_printf(out->head, sizeof(out->head), "+%u more", others);
	short_place(place_text(ctx, next->at, at, sizeof(at)), ends, sizeof(ends));
	(void)str_printf(out->text, sizeof(out->text), "%s %s (%s)", finding_info[next->id].title,
		ends, str_share((double)next->confidence, "%", sure, sizeof(sure)));
	if (k)
		add_key(k->all, "all", width - text_width(out->head) - 2, out->text,
			sizeof(out->text));
	return true;
}

/* Text of one line: what does not fit ends with an ellipsis, so that nobody reads half a word. */
static void cut_text(const struct view_ctx *ctx, int width, char *text, size_t size)
{
	const char *dots = glyph(ctx->term, GLYPH_ELLIPSIS);
	size_t n = strlen(text);

	if (width < 8 || draw_width(ctx->term, text) <= width)
		return;
	while (n && (draw_width(ctx->term, text) + text_width(dots) > width || text[n - 1] == ' '))
		text[--n] = '\0';
	(void)str_printf(text + n, size - n, "%s", dots);
}

static size_t culprit_lines(const struct view_ctx *ctx, const struct finding *f, int width,
	const struct cause_keys *keys, struct cause_line *out, size_t most)
{
	struct cause_words words;
	size_t n = 1;
	struct cause_form told;
	int room;

	fill_words(ctx, f, &words);
	kind_text(f, out[0].head, sizeof(out[0].head));
	out[0].role = finding_ended_us(f) ? ROLE_DIM : role_of_finding(ctx, f);
	room = width - text_width(out[0].head) - 2;
	told = cause_text(ctx, &words, room, out[0].text, sizeof(out[0].text));
	if (n < most) {
		char left[256], harm[256];
		/* The key to the evidence is worth more than the end of a sentence. */
		int key = keys && keys->evidence[0] ? text_width(keys->evidence) + KEY_ROOM : 0;

		left_words(&words, told, finding_ended_us(f) != 0, left, sizeof(left));
		harm_text(f, harm, sizeof(harm));
		out[n].role = ROLE_NORMAL;
		out[n].head[0] = '\0';
		(void)str_printf(out[n].text, sizeof(out[n].text), "%s%s%s", left,
			left[0] && harm[0] ? "; " : "", harm);
		cut_text(ctx, width - key, out[n].text, sizeof(out[n].text));
		add_keys(keys, width, out[n].text, sizeof(out[n].text));
		n++;
	}
	if (n < most && more_line(ctx, f, width, keys, &out[n]))
		n++;
	return n;
}

/* The critical finding that stands first; NULL: none. */
static const struct finding *critical_finding(const struct view_ctx *ctx)
{
	size_t n;
	const struct finding *const *all = diag_findings(ctx->diag, &n);

	for (size_t i = 0; i < n; i++)
		if (all[i]->severity >= SEV_CRIT && !finding_acked(all[i], ctx->now_us))
			return all[i];
	return NULL;
}

/* Adds the place of the first critical finding, where the line has room for it. */
static void add_place(const struct view_ctx *ctx, int width, struct cause_line *out)
{
	const struct finding *f = critical_finding(ctx);
	char at[160], brief[160];
	size_t n = strlen(out->text);

	if (!f || f->at.kind == REF_FABRIC)
		return;
	short_place(place_text(ctx, f->at, at, sizeof(at)), brief, sizeof(brief));
	if (text_width(out->head) + 2 + text_width(out->text) + 5 + text_width(brief) <= width)
		(void)str_printf(out->text + n, sizeof(out->text) - n, " at %s", brief);
}

/* Critical evidence without a culprit: say what is seen, and the strongest hint. */
static size_t unproven_lines(const struct view_ctx *ctx, const struct verdict_report *v, int width,
	const struct cause_keys *keys, struct cause_line *out, size_t most)
{
	char age[24], counts[200];
	size_t n = 1;

	out[0].role = ROLE_CRIT;
	(void)str_copy(out[0].head, sizeof(out[0].head), "CAUSE NOT PROVEN");
	verdict_counts(v, counts, sizeof(counts));
	(void)str_printf(out[0].text, sizeof(out[0].text), "seen %s: %s",
		cause_age(ctx->now_us - v->since_us, age, sizeof(age)),
		counts[0] ? counts : "a job is affected");
	add_place(ctx, width, &out[0]);
	if (n < most) {
		const struct finding *f = critical_finding(ctx);

		out[n].role = ROLE_NORMAL;
		out[n].head[0] = '\0';
		(void)str_printf(out[n].text, sizeof(out[n].text), "%s%s",
			v->hint[0] ? "strongest hint: "
			: f        ? "critical: "
				   : "",
			v->hint[0] ? v->hint
			: f        ? f->title
				   : "");
		cut_text(ctx, width, out[n].text, sizeof(out[n].text));
		if (keys)
			add_key(keys->all, "all findings", width, out[n].text, sizeof(out[n].text));
		n++;
	}
	return n;
}

size_t cause_lines(const struct view_ctx *ctx, int width, const struct cause_keys *keys,
	struct cause_line *out, size_t most)
{
	const struct finding *f = cause_finding(ctx);
	const struct verdict_report *v;

	memset(out, 0, most * sizeof(*out));
	if (!most || !ctx->diag || !ctx->model)
		return 0;
	if (f)
		return culprit_lines(ctx, f, width, keys, out, most);
	v = diag_verdict(ctx->diag);
	if (v->state == FABRIC_SUSPECT && v->critical)
		return unproven_lines(ctx, v, width, keys, out, most);
	return 0;
}
