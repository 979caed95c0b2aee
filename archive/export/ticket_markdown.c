/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "archive/export/findings_private.h"
#include "archive/export/ticket_private.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"

/* Rows that a list has at most; what is left out is counted, ticket.json has all of them. */
enum { FINDINGS = 20, ROWS = 6, LINKS = TICKET_SUSPECTS, STEPS = 40, LINES = 40, DARK = 20 };

/* Adds words as they are, whatever they look like to Markdown, HTML or a terminal. */
static void words(struct buf *out, const char *text)
{
	size_t size = strlen(text) + 1;
	char *clean = mem_alloc(size);

	(void)str_sanitise(clean, size, text, size - 1);
	for (const char *s = clean; *s; s++) {
		if (*s == '<' || *s == '&') {
			(void)buf_adds(out, *s == '<' ? "&lt;" : "&amp;");
			continue;
		}
		if (strchr("\\`*_{}[]#|~!>", *s))
			(void)buf_adds(out, "\\");
		(void)buf_add(out, s, 1);
	}
	free(clean);
}

static void row(struct buf *out, const char *name, const char *value)
{
	(void)buf_addf(out, "| %s | ", name);
	words(out, value);
	(void)buf_adds(out, " |\n");
}

static void item(struct buf *out, unsigned depth, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static void item(struct buf *out, unsigned depth, const char *fmt, ...)
{
	char text[2048];
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	(void)buf_addf(out, "%*s- ", (int)(2 * depth), "");
	words(out, text);
	(void)buf_adds(out, "\n");
}

static void more(struct buf *out, size_t shown, size_t all)
{
	if (shown < all)
		item(out, 0, "and %zu more", all - shown);
}

static void head(const struct ticket *t, struct buf *out)
{
	char text[VERDICT_SENTENCE], from[32];

	(void)buf_adds(out, "# railtop ticket ");
	words(out, t->id);
	(void)buf_adds(out, "\n\n| | |\n|---|---|\n");
	row(out, "Time (UTC)", clock_format_utc(t->now_us, text, sizeof(text)));
	row(out, "Entries since",
		t->from_us ? clock_format_utc(t->from_us, from, sizeof(from)) : "-");
	row(out, "Fabric", ticket_or(t->m->fabric, "-"));
	ticket_operator(t, text, sizeof(text));
	row(out, "Operator", text);
	row(out, "Mode", ticket_or(t->about->mode, "-"));
	row(out, "Tool", ticket_or(t->about->tool, "railtop"));
	row(out, "Incident", ticket_or(t->about->incident, "-"));
	row(out, "Reason", ticket_or(t->about->reason, "-"));
	ticket_verdict(t, text, sizeof(text));
	row(out, "Verdict", text);
	ticket_coverage(t, text, sizeof(text));
	row(out, "Coverage", text);
	ticket_poll_health(t, text, sizeof(text));
	row(out, "Polling", text);
	if (ticket_or(t->gap, "")[0])
		row(out, "Missing", t->gap);
	row(out, "Names", t->redacted ? "replaced" : "as they are");
	row(out, "File", ticket_or(t->file, "none was written"));
	row(out, "SHA-256 of its data", ticket_or(t->sha256, "-"));
}

static void dark(const struct ticket *t, struct buf *out)
{
	const struct device *d[DARK];
	size_t n = ticket_dark(t, d, DARK), shown = n < DARK ? n : DARK;

	if (n)
		(void)buf_adds(out, "\n## Devices that do not answer as they should\n\n");
	for (size_t i = 0; i < shown; i++) {
		char age[16];

		str_age(d[i]->last_ok_us ? t->now_us - d[i]->last_ok_us : -1, age, sizeof(age));
		item(out, 0, "%s %s, last answer %s%s%s", d[i]->name, dev_state_words(d[i]->state),
			age, d[i]->err->text[0] ? ": " : "", d[i]->err->text);
	}
	more(out, shown, n);
}

static void finding(const struct ticket *t, const struct finding *f, struct buf *out)
{
	const struct evidence *e[ROWS];
	char at[TICKET_PLACE], peer[TICKET_PLACE], since[32], gpus[48], value[400], share[16];
	size_t n = ticket_evidence(f, e, ROWS);
	bool pair = f->peer.kind != REF_NONE;

	item(out, 0, "%s %s %s: %s at %s%s%s", finding_severity_name(f->severity),
		str_share((double)f->confidence, "%", share, sizeof(share)),
		finding_info[f->id].name, f->title, ticket_place(t->m, f->at, at),
		pair ? " <-> " : "", pair ? ticket_place(t->m, f->peer, peer) : "");
	ticket_gpus(t, f, gpus, sizeof(gpus));
	item(out, 1, "first seen %s; %s; %s",
		clock_format_utc(f->first_seen_us, since, sizeof(since)),
		finding_role_name(f->role), gpus);
	for (size_t i = 0; i < n; i++) {
		ticket_value(e[i], value, sizeof(value));
		item(out, 1, "%s %s: %s%s%s (%s)", e[i]->against ? "against" : "for", e[i]->what,
			value, e[i]->at.kind != REF_NONE ? " at " : "",
			e[i]->at.kind != REF_NONE ? ticket_place(t->m, e[i]->at, at) : "",
			ticket_or(e[i]->source, "derived"));
	}
	if (n < f->evidence.n)
		item(out, 1, "and %zu more", f->evidence.n - n);
}

static void findings(const struct ticket *t, struct buf *out)
{
	const struct finding *f[FINDINGS];
	size_t n = ticket_roots(t, f, FINDINGS), shown = n < FINDINGS ? n : FINDINGS;

	(void)buf_adds(out, "\n## Findings, most likely root first\n\n");
	for (size_t i = 0; i < shown; i++)
		finding(t, f[i], out);
	if (!n)
		(void)buf_adds(out, "none\n");
	more(out, shown, n);
}

static void link_end(const struct ticket *t, const struct port *p, struct buf *out)
{
	char text[800];

	if (!p) {
		item(out, 1, "the other end is not known");
		return;
	}
	item(out, 1, "%s:%s", model_dev_of(t->m, p)->name, p->name);
	ticket_end_state(t, p, text, sizeof(text));
	item(out, 2, "%s", text);
	ticket_end_module(t, p, text, sizeof(text));
	item(out, 2, "%s", text);
}

static void links(const struct ticket *t, struct buf *out)
{
	struct suspect s[LINKS];
	size_t n = ticket_suspects(t, s, LINKS), shown = n < LINKS ? n : LINKS;

	(void)buf_adds(out, "\n## Suspect links, both ends\n\n");
	for (size_t i = 0; i < shown; i++) {
		item(out, 0, "%s", finding_info[s[i].finding->id].name);
		link_end(t, s[i].end[0], out);
		link_end(t, s[i].end[1], out);
	}
	if (!n)
		(void)buf_adds(out, "none\n");
	more(out, shown, n);
}

static void trail(const struct ticket *t, struct buf *out)
{
	size_t n = t->trail ? t->trail->n : 0, from = n > STEPS ? n - STEPS : 0;
	char text[900];

	(void)buf_adds(out, "\n## Runbook\n\n");
	if (!n)
		(void)buf_adds(out, "none was run\n");
	if (from)
		item(out, 0, "%zu more before these", from);
	for (size_t i = from; i < n; i++) {
		ticket_step(&t->trail->at[i], text, sizeof(text));
		item(out, 0, "%s", text);
	}
}

static void actions(const struct ticket *t, struct buf *out)
{
	json_t *list = ticket_ledger(t);
	size_t n = json_array_size(list), from = n > LINES ? n - LINES : 0;
	char text[900];

	(void)buf_adds(out, "\n## Actions of the window\n\n");
	if (!n)
		(void)buf_adds(out, "none\n");
	if (from)
		item(out, 0, "%zu more before these", from);
	for (size_t i = from; i < n; i++) {
		ticket_action(json_array_get(list, i), text, sizeof(text));
		item(out, 0, "%s", text);
	}
	json_decref(list);
}

bool ticket_markdown(const struct ticket *t, struct buf *out, struct err *err)
{
	bool before = out->overflow;

	out->overflow = false;
	head(t, out);
	dark(t, out);
	findings(t, out);
	links(t, out);
	trail(t, out);
	actions(t, out);
	if (out->overflow)
		return err_set(err, ERR_LIMIT, "ticket", "is longer than it may be");
	out->overflow = before;
	return true;
}
