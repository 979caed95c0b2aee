/* SPDX-License-Identifier: Apache-2.0 */
/* The lines of the cause banner. */
#include <ctype.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "views/panels/cause.h"
#include "views/panels/finding_text.h"
#include "views/short_names.h"

#define KEY_ROOM 12 /* of "   e evidence" without the key */

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

/* Who looks a minute too late still learns what it was. */
static size_t ended_line(const struct view_ctx *ctx, int width, const struct cause_keys *keys,
	struct cause_line *out)
{
	int64_t closed = 0;
	unsigned others;
	const struct finding *f = cause_ended(ctx, &closed, &others);
	int key = keys && keys->evidence[0] ? text_width(keys->evidence) + KEY_ROOM : 0;
	struct cause_words words;
	char age[24], more[24] = "", place[320];
	size_t n;

	if (!f)
		return 0;
	fill_words(ctx, f, &words);
	kind_text(f, out->head, sizeof(out->head));
	out->role = ROLE_DIM;
	if (others)
		(void)str_printf(more, sizeof(more), ", %u more", others);
	(void)str_printf(out->text, sizeof(out->text), "ended %s ago%s  ",
		cause_age(ctx->now_us - closed, age, sizeof(age)), more);
	n = strlen(out->text);
	words.number[0] = '\0';
	(void)cause_text(ctx, &words,
		width - text_width(out->head) - 2 - text_width(out->text) - key, place,
		sizeof(place));
	(void)str_printf(out->text + n, sizeof(out->text) - n, "%s", place);
	if (keys)
		add_key(keys->evidence, "evidence", width - text_width(out->head) - 2, out->text,
			sizeof(out->text));
	return 1;
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
	return ended_line(ctx, width, keys, out);
}
