/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "archive/export/findings_private.h"
#include "archive/export/clock_steps.h"
#include "archive/export/ticket_private.h"
#include "base/clock.h"
#include "base/str.h"
#include "diagnosis/evidence/recurrence.h"

/*
 * Limits of each part in lines, with its heading and "and N more". Together they are TICKET_LINES.
 * A part does not get the unused lines of another, so that a page looks the same each time.
 */
enum {
	HEAD_LINES = 12,
	FINDING_LINES = 20,
	ENDED_LINES = 6,
	LINK_LINES = 14,
	TRAIL_LINES = 6,
	ACTION_LINES = 4,
	FOOT_LINES = 4,
};
_Static_assert(HEAD_LINES + FINDING_LINES + ENDED_LINES + LINK_LINES + TRAIL_LINES + ACTION_LINES +
			       FOOT_LINES ==
		       TICKET_LINES,
	"the parts fill the page");

struct page {
	struct buf *out;
	unsigned left; /* lines left in the current part */
	bool full;     /* out is full */
};

/* Ticket systems and mail mangle other characters: each UTF-8 character becomes one '?'. */
static size_t to_ascii(char *s)
{
	size_t n = 0;

	for (const char *p = s; *p; p++) {
		unsigned char c = (unsigned char)*p;

		if (c >= 0x80 && c < 0xc0)
			continue;
		s[n++] = (char)(c < ' ' || c >= 0x7f ? '?' : c);
	}
	s[n] = '\0';
	return n;
}

static void add_line(struct page *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void add_line(struct page *p, const char *fmt, ...)
{
	char text[2048];
	va_list args;
	size_t n;

	if (!p->left)
		return;
	p->left--;
	va_start(args, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	for (n = to_ascii(text); n && text[n - 1] == ' '; n--)
		text[n - 1] = '\0';
	if (!buf_addf(p->out, "%s\n", text))
		p->full = true;
}

static void add_dark(struct page *p, const struct ticket *t)
{
	const struct device *d[2];
	size_t n = ticket_dark(t, d, 2);

	for (size_t i = 0; i < n && i < 2; i++) {
		char age[16];

		str_age(d[i]->last_ok_us ? t->now_us - d[i]->last_ok_us : -1, age, sizeof(age));
		add_line(p, "  %s %s, last answer %s%s%s", d[i]->name, dev_state_words(d[i]->state),
			age, d[i]->err->text[0] ? ": " : "", d[i]->err->text);
	}
	if (n > 2)
		add_line(p, "  and %zu more device%s without current data", n - 2,
			str_plural(n - 2));
}

static void add_head(struct page *p, const struct ticket *t)
{
	char when[32], from[32], who[200], text[VERDICT_SENTENCE];

	p->left = HEAD_LINES;
	add_line(p, "railtop ticket %s%s", t->id, t->redacted ? "  (names are replaced)" : "");
	model_utc(t->m, t->now_us, when, sizeof(when));
	if (t->from_us)
		add_line(p, "time      %s, entries since %s", when,
			model_utc(t->m, t->from_us, from, sizeof(from)));
	else
		add_line(p, "time      %s", when);
	if (clock_steps_line(t->m, t->from_us, t->now_us, text, sizeof(text)))
		add_line(p, "clock     %s", text);
	add_line(p, "fabric    %s", ticket_or(t->m->fabric, "-"));
	ticket_operator(t, who, sizeof(who));
	add_line(p, "operator  %s, mode %s, %s", who, ticket_or(t->about->mode, "-"),
		ticket_or(t->about->tool, "railtop"));
	add_line(p, "incident  %s", ticket_or(t->about->incident, "-"));
	add_line(p, "reason    %s", ticket_or(t->about->reason, "-"));
	ticket_verdict(t, text, sizeof(text));
	add_line(p, "verdict   %s", text);
	ticket_coverage(t, text, sizeof(text));
	add_line(p, "coverage  %s", text);
	if (ticket_or(t->gap, "")[0])
		add_line(p, "  entries are missing: %s", t->gap);
	add_dark(p, t);
}

/* Needs room for two lines at least. The part's last line counts the omitted findings. */
static void add_finding(struct page *p, const struct ticket *t, const struct finding *f)
{
	const struct evidence *e[3];
	char at[TICKET_PLACE], peer[TICKET_PLACE], since[32], gpus[48], value[400], share[16];
	struct recurrence r;
	size_t n = ticket_evidence(f, e, 3);
	const char *where = ticket_place(t->m, f->at, at);

	add_line(p, "%-8s %4s %-7s %s %s", finding_severity_name(f->severity),
		str_share((double)f->confidence, "%", share, sizeof(share)),
		finding_role_name(f->role), finding_info[f->id].name, where);
	if (f->peer.kind != REF_NONE && p->left > 2)
		add_line(p, "  other end %s", ticket_place(t->m, f->peer, peer));
	ticket_gpus(t, f, gpus, sizeof(gpus));
	add_line(p, "  %s, %s; %s", model_utc(t->m, f->first_seen_us, since, sizeof(since)), gpus,
		f->title);
	if (p->left > 2 && finding_recurrence(t->m, f, t->now_us, &r))
		add_line(p, "  returns %s", recurrence_words(&r, value, sizeof(value)));
	for (size_t i = 0; i < n && p->left > 1; i++) {
		ticket_value(e[i], value, sizeof(value));
		add_line(p, "  %s %s: %s%s%s (%s)", e[i]->against ? "against" : "for", e[i]->what,
			value, e[i]->at.kind != REF_NONE ? " at " : "",
			e[i]->at.kind != REF_NONE ? ticket_place(t->m, e[i]->at, at) : "",
			ticket_or(e[i]->source, "derived"));
	}
}

static void add_findings(struct page *p, const struct ticket *t)
{
	const struct finding *f[FINDING_LINES];
	size_t n = ticket_roots(t, f, FINDING_LINES), all = 0, i;

	if (t->d)
		(void)diag_findings(t->d, &all);
	p->left = FINDING_LINES;
	add_line(p, "FINDINGS  %zu open, %zu of them roots, most likely first; first seen (UTC)",
		all, n);
	for (i = 0; i < n && i < FINDING_LINES && p->left >= 4; i++)
		add_finding(p, t, f[i]);
	if (i < n)
		add_line(p, "  and %zu more", n - i);
}

static void add_ended(struct page *p, const struct ticket *t)
{
	struct ended e[ENDED_LINES];
	size_t n = ticket_ended(t, e, ENDED_LINES), i;
	char at[TICKET_PLACE], since[32], until[32], gpus[48];

	p->left = ENDED_LINES;
	add_line(p, "ENDED  %zu in the window%s", n, n ? ", causes first" : "");
	for (i = 0; i < n && i < ENDED_LINES && (p->left > 1 || i + 1 == n); i++) {
		const struct finding *f = e[i].finding;

		ticket_gpus(t, f, gpus, sizeof(gpus));
		add_line(p, "  %s %s %s, %s to %s, %s; %s", finding_role_name(f->role),
			finding_info[f->id].name, ticket_place(t->m, f->at, at),
			model_utc(t->m, f->first_seen_us, since, sizeof(since)),
			model_utc(t->m, e[i].closed_us, until, sizeof(until)), gpus, f->title);
	}
	if (i < n)
		add_line(p, "  and %zu more", n - i);
}

static void link_end(struct page *p, const struct ticket *t, char end, const struct port *port)
{
	const struct device *d = model_dev_of(t->m, port);
	char text[800], stand[STAND_TEXT];

	(void)device_stand(d, stand, sizeof(stand));
	add_line(p, "%c %s:%s (%s%s%s%s%s)", end, d->name, port->name,
		model_tier_word(t->m, d->tier), stand[0] ? ", " : "", stand,
		port->more->alias[0] ? ", " : "", port->more->alias);
	ticket_end_state(t, port, text, sizeof(text));
	add_line(p, "    %s", text);
	ticket_end_module(t, port, text, sizeof(text));
	add_line(p, "    %s", text);
}

static void add_links(struct page *p, const struct ticket *t)
{
	struct suspect s[TICKET_SUSPECTS];
	size_t n = ticket_suspects(t, s, TICKET_SUSPECTS), i;
	char unseen[TICKET_UNSEEN];

	p->left = LINK_LINES;
	add_line(p, "SUSPECT LINKS  %zu, both ends", n);
	for (i = 0; i < n && i < TICKET_SUSPECTS && p->left >= 7; i++) {
		link_end(p, t, 'A', s[i].end[0]);
		if (s[i].end[1])
			link_end(p, t, 'B', s[i].end[1]);
		else
			add_line(p, "B %s", ticket_unseen_end(s[i].end[0], unseen));
	}
	if (i < n)
		add_line(p, "  and %zu more", n - i);
}

static void add_trail(struct page *p, const struct ticket *t)
{
	size_t n = t->trail ? t->trail->n : 0, room = TRAIL_LINES - 1, from;
	char text[900];

	p->left = TRAIL_LINES;
	add_line(p, "RUNBOOK  %zu %s%s", n, str_count_word(n, "entry", "entries"),
		n ? "" : ": none was run");
	from = n > room ? n - (room - 1) : 0;
	for (size_t i = from; i < n; i++) {
		ticket_step(t, &t->trail->at[i], text, sizeof(text));
		add_line(p, "  %s", text);
	}
	if (from)
		add_line(p, "  and %zu more before these", from);
}

static void add_actions(struct page *p, const struct ticket *t)
{
	json_t *list = ticket_ledger(t);
	size_t n = json_array_size(list), room = ACTION_LINES - 1, from;
	char text[900];

	p->left = ACTION_LINES;
	add_line(p, "ACTIONS  %zu line%s of the ledger in the window", n, str_plural(n));
	from = n > room ? n - (room - 1) : 0;
	for (size_t i = from; i < n; i++) {
		ticket_action(json_array_get(list, i), text, sizeof(text));
		add_line(p, "  %s", text);
	}
	if (from)
		add_line(p, "  and %zu more before these", from);
	json_decref(list);
}

static void add_foot(struct page *p, const struct ticket *t)
{
	char text[300];

	p->left = FOOT_LINES;
	ticket_poll_health(t, text, sizeof(text));
	add_line(p, "POLLING  %s", text);
	if (!ticket_or(t->file, "")[0]) {
		add_line(p, "FILE  none was written");
		return;
	}
	add_line(p, "FILE  %s", t->file);
	add_line(p, "      SHA-256 of its data %s", ticket_or(t->sha256, "-"));
	add_line(p, "      railtop open %s", t->file);
}

bool ticket_text(const struct ticket *t, struct buf *out, struct err *err)
{
	struct page p = {.out = out};

	add_head(&p, t);
	add_findings(&p, t);
	add_ended(&p, t);
	add_links(&p, t);
	add_trail(&p, t);
	add_actions(&p, t);
	add_foot(&p, t);
	return !p.full || err_set(err, ERR_LIMIT, "ticket", "is longer than allowed");
}
