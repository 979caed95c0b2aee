/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>

#include "archive/export/diff.h"
#include "base/clock.h"
#include "base/str.h"

#define PLACE_MAX 40 /* a longer place shifts only its own line */

static const char *word_of(const struct difference *d)
{
	static const char *const words[SEV_COUNT] = {"-", "note", "WARN", "CRIT"};

	if (d->better)
		return d->kind == DIFF_COUNTER ? "lower" : "improved";
	return d->severity < SEV_COUNT ? words[d->severity] : "-";
}

static void end_text(const char *word, const struct diff_end *e, FILE *out)
{
	struct coverage v = model_coverage(e->at->m);
	char when[32], fabric[NAME_MAX_LEN], seen[80];

	(void)str_sanitise(fabric, sizeof(fabric), e->at->m->fabric, strlen(e->at->m->fabric));
	(void)fprintf(out, "%-5s %s%s%s at %s: %s\n", word, e->file, *e->file ? ", " : "",
		*fabric ? fabric : "the fabric",
		model_utc(e->at->m, e->at->now_us, when, sizeof(when)),
		coverage_words(&v, seen, sizeof(seen)));
}

static void count_text(
	const struct diff_end *from, const struct diff_end *to, const difference_vec *v, FILE *out)
{
	size_t crit = 0, warn = 0, better = 0;
	size_t common = diff_common(from->at->m, to->at->m);

	for (size_t i = 0; i < v->n; i++) {
		better += v->at[i].better;
		crit += !v->at[i].better && v->at[i].severity == SEV_CRIT;
		warn += !v->at[i].better && v->at[i].severity == SEV_WARN;
	}
	(void)fprintf(out, "%zu difference%s: %zu critical, %zu warnings, %zu lower or improved",
		v->n, str_plural(v->n), crit, warn, better);
	if (common < from->at->m->devices.n || common < to->at->m->devices.n)
		(void)fprintf(out, "; %zu device%s in both", common, str_plural(common));
	(void)fputc('\n', out);
}

static int place_width(const difference_vec *v)
{
	size_t width = 0;

	for (size_t i = 0; i < v->n; i++) {
		size_t n = strlen(v->at[i].place);

		if (n <= PLACE_MAX && n > width)
			width = n;
	}
	return (int)width;
}

/* An untrusted file may contain control characters: sanitise its texts for the screen. */
static void difference_text(const struct difference *d, int width, FILE *out)
{
	char place[sizeof(d->place)], what[sizeof(d->what)], before[sizeof(d->before)],
		after[sizeof(d->after)];

	(void)str_sanitise(place, sizeof(place), d->place, strlen(d->place));
	(void)str_sanitise(what, sizeof(what), d->what, strlen(d->what));
	(void)str_sanitise(before, sizeof(before), d->before, strlen(d->before));
	(void)str_sanitise(after, sizeof(after), d->after, strlen(d->after));
	(void)fprintf(out, "%-8s  %-7s  %-*s  %s: %s -> %s\n", word_of(d),
		difference_kind_name((enum difference_kind)d->kind), width, place, what, before,
		after);
}

bool diff_text(const struct diff_end *from, const struct diff_end *to, const difference_vec *v,
	FILE *out, struct err *err)
{
	int width = place_width(v);

	end_text("from", from, out);
	end_text("to", to, out);
	count_text(from, to, v, out);
	for (size_t i = 0; i < v->n; i++)
		difference_text(&v->at[i], width, out);
	return (fflush(out) == 0 && !ferror(out)) ||
	       err_system(err, ERR_IO, "differences", "cannot be written", errno);
}
