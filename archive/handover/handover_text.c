/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <string.h>

#include "archive/handover/handover.h"
#include "base/clock.h"
#include "base/str.h"

/* One page in two forms: plain text for a mail or a terminal, and Markdown for a wiki. */

struct page {
	FILE *out;
	bool md;
};

/* Text with the markup of Markdown and HTML escaped, and ASCII alone in the plain form. */
static void put_text(const struct page *p, const char *text)
{
	char clean[700];

	(void)str_sanitise(clean, sizeof(clean), text, strlen(text));
	for (const char *s = clean; *s; s++) {
		if (p->md && (*s == '<' || *s == '&'))
			(void)fputs(*s == '<' ? "&lt;" : "&amp;", p->out);
		else if (p->md && strchr("\\`*_{}[]#|>~", *s))
			(void)fprintf(p->out, "\\%c", *s);
		else
			(void)fputc(!p->md && (*s < ' ' || *s > '~') ? '?' : *s, p->out);
	}
}

static void put_head(const struct page *p, const char *title, size_t n)
{
	if (p->md)
		(void)fprintf(p->out, "\n## %s (%zu)\n\n", title, n);
	else
		(void)fprintf(p->out, "\n%s (%zu)\n", title, n);
}

static void begin_item(const struct page *p)
{
	(void)fputs(p->md ? "- " : "  ", p->out);
}

/* "02:13:30Z", with the date where the shift has two. */
static const char *when(const struct handover *h, int64_t us, char *dst, size_t size)
{
	char from[32], at[32];

	(void)clock_format_utc(h->from_us, from, sizeof(from));
	(void)clock_format_utc(us, at, sizeof(at));
	if (strncmp(from, at, 10) == 0)
		(void)str_printf(dst, size, "%.9s", at + 11);
	else
		(void)str_printf(dst, size, "%.5s %.9s", at + 5, at + 11);
	return dst;
}

static const char *severity_word(enum severity s)
{
	return s == SEV_CRIT ? "critical" : s == SEV_WARN ? "warning" : "info";
}

static void put_finding(
	const struct page *p, const struct handover *h, const struct handover_finding *f)
{
	char at[32], until[32], took[16];

	begin_item(p);
	(void)fprintf(p->out, "%s  %-8s ", when(h, f->opened_us, at, sizeof(at)),
		severity_word(f->severity));
	if (!strstr(f->title, f->place)) { /* many titles name their place */
		put_text(p, f->place);
		(void)fputs(": ", p->out);
	}
	put_text(p, f->title);
	(void)fprintf(p->out, " [%s]", f->id);
	if (f->closed_us)
		(void)fprintf(p->out, ", closed %s after %s",
			when(h, f->closed_us, until, sizeof(until)),
			str_age(f->closed_us - f->opened_us, took, sizeof(took)));
	else if (f->unended)
		(void)fputs(", open when its recording ended: its end is not known", p->out);
	else if (f->silent)
		(void)fputs(
			", open; its device is not heard: not known whether it is over", p->out);
	if (f->opened_us < h->from_us)
		(void)fputs(", from before this time", p->out);
	if (f->gpus_blocked)
		(void)fprintf(p->out, ", %u GPUs blocked", f->gpus_blocked);
	(void)fputc('\n', p->out);
	if (!f->acked_us)
		return;
	(void)fprintf(p->out, p->md ? "  - acknowledged %s by " : "      acknowledged %s by ",
		when(h, f->acked_us, at, sizeof(at)));
	put_text(p, f->ack_user[0] ? f->ack_user : "an operator");
	(void)fprintf(p->out, " until %s", when(h, f->ack_until_us, until, sizeof(until)));
	if (f->ack_note[0])
		(void)fputs(": ", p->out);
	put_text(p, f->ack_note);
	(void)fputc('\n', p->out);
}

typedef bool finding_fits(const struct handover *h, const struct handover_finding *f);

static bool fits_watched(const struct handover *h, const struct handover_finding *f)
{
	(void)h;
	return handover_is_watched(f);
}

static bool fits_acked(const struct handover *h, const struct handover_finding *f)
{
	(void)h;
	return f->acked_us && !f->closed_us;
}

static bool fits_other_open(const struct handover *h, const struct handover_finding *f)
{
	return !f->closed_us && !fits_watched(h, f) && !fits_acked(h, f);
}

static bool fits_closed(const struct handover *h, const struct handover_finding *f)
{
	(void)h;
	return f->closed_us && f->is_root;
}

static bool fits_closed_followers(const struct handover *h, const struct handover_finding *f)
{
	(void)h;
	return f->closed_us && !f->is_root;
}

#define ITEMS_MOST 40 /* of a list on the page; the JSON has all of them */

static size_t put_findings(const struct page *p, const struct handover *h, const char *title,
	finding_fits *fits, const char *none)
{
	size_t n = 0, shown = 0;

	for (size_t i = 0; i < h->findings.n; i++)
		n += fits(h, &h->findings.at[i]);
	if (!n && !none)
		return 0;
	put_head(p, title, n);
	for (size_t i = 0; i < h->findings.n && shown < ITEMS_MOST; i++) {
		if (!fits(h, &h->findings.at[i]))
			continue;
		put_finding(p, h, &h->findings.at[i]);
		shown++;
	}
	if (n > shown || !n)
		begin_item(p);
	if (n > shown)
		(void)fprintf(p->out, "and %zu more\n", n - shown);
	else if (!n)
		(void)fprintf(p->out, "%s\n", none);
	return n;
}

static void put_repeats(const struct page *p, const struct handover *h)
{
	char at[32], lasted[16];

	if (!h->repeats.n)
		return;
	put_head(p, "Came back: the same trouble more than once", h->repeats.n);
	for (size_t i = 0; i < h->repeats.n && i < ITEMS_MOST; i++) {
		const struct handover_repeat *r = &h->repeats.at[i];

		begin_item(p);
		put_text(p, r->place);
		(void)fprintf(p->out, ": %u times %s, %s in all, last %s, up to %u GPU%s blocked\n",
			r->times, r->id, str_age(r->lasted_us, lasted, sizeof(lasted)),
			when(h, r->last_us, at, sizeof(at)), r->gpus_blocked,
			str_plural(r->gpus_blocked));
	}
	if (h->repeats.n > ITEMS_MOST) {
		begin_item(p);
		(void)fprintf(p->out, "and %zu more\n", h->repeats.n - ITEMS_MOST);
	}
}

static void put_change(
	const struct page *p, const struct handover *h, const struct handover_change *c)
{
	char at[32];

	begin_item(p);
	(void)fprintf(p->out, "%s  %s ", when(h, c->t_us, at, sizeof(at)), c->what);
	put_text(p, c->place);
	(void)fputs(c->by_railtop ? " by " : ", by: not known", p->out);
	if (c->by_railtop)
		put_text(p, c->user[0] ? c->user : "an unknown user");
	if (c->incident[0]) {
		(void)fputs(" for ", p->out);
		put_text(p, c->incident);
	}
	(void)fputs(": ", p->out);
	put_text(p, c->text);
	(void)fputc('\n', p->out);
}

static void put_changes(const struct page *p, const struct handover *h, bool by_railtop)
{
	size_t n = 0, shown = 0;

	for (size_t i = 0; i < h->changes.n; i++)
		n += h->changes.at[i].by_railtop == by_railtop;
	put_head(p, by_railtop ? "Actions with railtop" : "Changes that railtop saw", n);
	for (size_t i = 0; i < h->changes.n && shown < ITEMS_MOST; i++) {
		if (h->changes.at[i].by_railtop != by_railtop)
			continue;
		put_change(p, h, &h->changes.at[i]);
		shown++;
	}
	if (n > shown) {
		begin_item(p);
		(void)fprintf(p->out, "and %zu more\n", n - shown);
	} else if (!n) {
		begin_item(p);
		if (by_railtop && !h->has_ledger)
			put_text(p, h->ledger_why[0] ? h->ledger_why : "not known: no ledger");
		else
			(void)fputs(by_railtop ? "none in the ledger" : "none", p->out);
		(void)fputc('\n', p->out);
	}
}

static void put_unread(const struct page *p, const struct handover *h)
{
	put_head(p, "Devices without current data at the end", h->unread.n);
	for (size_t i = 0; i < h->unread.n && i < ITEMS_MOST; i++) {
		begin_item(p);
		put_text(p, h->unread.at[i]);
		(void)fputc('\n', p->out);
	}
	if (h->unread.n > ITEMS_MOST) {
		begin_item(p);
		(void)fprintf(p->out, "and %zu more\n", h->unread.n - ITEMS_MOST);
	} else if (!h->unread.n) {
		begin_item(p);
		(void)fputs(h->latest_us ? "none\n" : "not known\n", p->out);
	}
}

static void put_gaps(const struct page *p, const struct handover *h)
{
	char from[40], to[40];

	if (!h->gaps.n)
		return;
	put_head(p, "Not recorded: nothing is known of these times", h->gaps.n);
	for (size_t i = 0; i < h->gaps.n; i++) {
		begin_item(p);
		(void)fprintf(p->out, "%s to %s",
			when(h, h->gaps.at[i].from_us, from, sizeof(from)),
			when(h, h->gaps.at[i].to_us, to, sizeof(to)));
		if (h->gaps.at[i].why[0])
			(void)fputs(": ", p->out);
		put_text(p, h->gaps.at[i].why);
		(void)fputc('\n', p->out);
	}
}

static void put_top(const struct page *p, const struct handover *h)
{
	char from[32], to[32];

	(void)fputs(p->md ? "# Hand-over of " : "HAND-OVER OF ", p->out);
	put_text(p, h->fabric[0] ? h->fabric : "an unknown fabric");
	(void)fprintf(p->out, p->md ? "\n\n%s to %s\n\n" : "\n%s to %s\n",
		clock_format_utc(h->from_us, from, sizeof(from)),
		clock_format_utc(h->to_us, to, sizeof(to)));
	if (p->md)
		(void)fputs("State at the end: ", p->out);
	else
		(void)fputs("state at the end: ", p->out);
	put_text(p, h->latest_us ? h->verdict : "not known: there is no recording of this time");
	(void)fputc('\n', p->out);
	if (h->coverage[0]) {
		(void)fputs(p->md ? "\nCoverage: " : "coverage: ", p->out);
		put_text(p, h->coverage);
		(void)fputc('\n', p->out);
	}
}

static bool write_page(const struct handover *h, FILE *out, bool md)
{
	const struct page p = {out, md};
	const char *none = h->latest_us ? "none" : "not known";

	put_top(&p, h);
	(void)put_findings(&p, h, "To watch: open, and nobody has it", fits_watched, none);
	(void)put_findings(&p, h, "Acknowledged, still open", fits_acked, NULL);
	(void)put_findings(
		&p, h, "Also open: follows from others, or not known", fits_other_open, NULL);
	put_repeats(&p, h);
	(void)put_findings(&p, h, "Closed", fits_closed, none);
	(void)put_findings(&p, h, "Closed: followed from others", fits_closed_followers, NULL);
	put_changes(&p, h, true);
	put_changes(&p, h, false);
	put_unread(&p, h);
	put_gaps(&p, h);
	if (h->left_out)
		(void)fprintf(out, "\n%zu rows are left out: the limit is reached\n", h->left_out);
	for (size_t i = 0; i < h->files.n; i++) {
		(void)fputs(i ? "" : "\n", out);
		(void)fputs(md ? "- from " : "from ", out);
		put_text(&p, h->files.at[i]);
		(void)fputc('\n', out);
	}
	return !ferror(out);
}

bool handover_text(const struct handover *h, FILE *out)
{
	return write_page(h, out, false);
}

bool handover_markdown(const struct handover *h, FILE *out)
{
	return write_page(h, out, true);
}
