/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "archive/export/findings_private.h"
#include "archive/export/clock_steps.h"
#include "archive/export/ticket_private.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"

/* Limits of the lists. Omitted rows are counted; ticket.json has all of them. */
enum {
	FINDINGS = 20,
	ENDED = 20,
	ROWS = 6,
	LINKS = TICKET_SUSPECTS,
	STEPS = 40,
	LINES = 40,
	DARK = 20
};

/* Adds text with all markup of Markdown and HTML escaped, and without control characters. */
static void add_escaped(struct buf *out, const char *text)
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
		if (*s == '@') /* else a ticket system tells somebody of that name */
			(void)buf_adds(out, "<!-- -->");
	}
	free(clean);
}

static void add_row(struct buf *out, const char *name, const char *value)
{
	(void)buf_addf(out, "| %s | ", name);
	add_escaped(out, value);
	(void)buf_adds(out, " |\n");
}

static void add_item(struct buf *out, unsigned depth, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static void add_item(struct buf *out, unsigned depth, const char *fmt, ...)
{
	char text[2048];
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	(void)buf_addf(out, "%*s- ", (int)(2 * depth), "");
	add_escaped(out, text);
	(void)buf_adds(out, "\n");
}

static void add_more(struct buf *out, size_t shown, size_t all)
{
	if (shown < all)
		add_item(out, 0, "and %zu more", all - shown);
}

static void add_head(const struct ticket *t, struct buf *out)
{
	char text[VERDICT_SENTENCE], from[32];

	(void)buf_adds(out, "# railtop ticket ");
	add_escaped(out, t->id);
	(void)buf_adds(out, "\n\n| | |\n|---|---|\n");
	add_row(out, "Time (UTC)", model_utc(t->m, t->now_us, text, sizeof(text)));
	add_row(out, "Entries since",
		t->from_us ? model_utc(t->m, t->from_us, from, sizeof(from)) : "-");
	if (clock_steps_line(t->m, t->from_us, t->now_us, text, sizeof(text)))
		add_row(out, "Clock", text);
	add_row(out, "Fabric", ticket_or(t->m->fabric, "-"));
	ticket_operator(t, text, sizeof(text));
	add_row(out, "Operator", text);
	add_row(out, "Mode", ticket_or(t->about->mode, "-"));
	add_row(out, "Tool", ticket_or(t->about->tool, "railtop"));
	add_row(out, "Incident", ticket_or(t->about->incident, "-"));
	add_row(out, "Reason", ticket_or(t->about->reason, "-"));
	ticket_verdict(t, text, sizeof(text));
	add_row(out, "Verdict", text);
	ticket_coverage(t, text, sizeof(text));
	add_row(out, "Coverage", text);
	ticket_poll_health(t, text, sizeof(text));
	add_row(out, "Polling", text);
	if (ticket_or(t->gap, "")[0])
		add_row(out, "Missing", t->gap);
	add_row(out, "Names", t->redacted ? "replaced" : "as they are");
	add_row(out, "File", ticket_or(t->file, "none was written"));
	add_row(out, "SHA-256 of its data", ticket_or(t->sha256, "-"));
}

static void add_dark(const struct ticket *t, struct buf *out)
{
	const struct device *d[DARK];
	size_t n = ticket_dark(t, d, DARK), shown = n < DARK ? n : DARK;

	if (n)
		(void)buf_adds(out, "\n"
				    "## Devices without current data\n"
				    "\n");
	for (size_t i = 0; i < shown; i++) {
		char age[16];

		str_age(d[i]->last_ok_us ? t->now_us - d[i]->last_ok_us : -1, age, sizeof(age));
		add_item(out, 0, "%s %s, last answer %s%s%s", d[i]->name,
			dev_state_words(d[i]->state), age, d[i]->err->text[0] ? ": " : "",
			d[i]->err->text);
	}
	add_more(out, shown, n);
}

static void add_finding(const struct ticket *t, const struct finding *f, struct buf *out)
{
	const struct evidence *e[ROWS];
	char at[TICKET_PLACE], peer[TICKET_PLACE], since[32], gpus[48], value[400], share[16];
	size_t n = ticket_evidence(f, e, ROWS);
	bool pair = f->peer.kind != REF_NONE;

	add_item(out, 0, "%s %s %s: %s at %s%s%s", finding_severity_name(f->severity),
		str_share((double)f->confidence, "%", share, sizeof(share)),
		finding_info[f->id].name, f->title, ticket_place(t->m, f->at, at),
		pair ? " <-> " : "", pair ? ticket_place(t->m, f->peer, peer) : "");
	ticket_gpus(t, f, gpus, sizeof(gpus));
	add_item(out, 1, "first seen %s; %s; %s",
		model_utc(t->m, f->first_seen_us, since, sizeof(since)), finding_role_name(f->role),
		gpus);
	for (size_t i = 0; i < n; i++) {
		ticket_value(e[i], value, sizeof(value));
		add_item(out, 1, "%s %s: %s%s%s (%s)", e[i]->against ? "against" : "for",
			e[i]->what, value, e[i]->at.kind != REF_NONE ? " at " : "",
			e[i]->at.kind != REF_NONE ? ticket_place(t->m, e[i]->at, at) : "",
			ticket_or(e[i]->source, "derived"));
	}
	if (n < f->evidence.n)
		add_item(out, 1, "and %zu more", f->evidence.n - n);
}

static void add_findings(const struct ticket *t, struct buf *out)
{
	const struct finding *f[FINDINGS];
	size_t n = ticket_roots(t, f, FINDINGS), shown = n < FINDINGS ? n : FINDINGS;

	(void)buf_adds(out, "\n## Findings, most likely root first\n\n");
	for (size_t i = 0; i < shown; i++)
		add_finding(t, f[i], out);
	if (!n)
		(void)buf_adds(out, "none\n");
	add_more(out, shown, n);
}

static void add_ended(const struct ticket *t, struct buf *out)
{
	struct ended e[ENDED];
	size_t n = ticket_ended(t, e, ENDED), shown = n < ENDED ? n : ENDED;
	char at[TICKET_PLACE], since[32], until[32], gpus[48];

	(void)buf_adds(out, "\n## Ended in the window\n\n");
	for (size_t i = 0; i < shown; i++) {
		const struct finding *f = e[i].finding;

		add_item(out, 0, "%s %s: %s at %s", finding_severity_name(f->severity),
			finding_info[f->id].name, f->title, ticket_place(t->m, f->at, at));
		ticket_gpus(t, f, gpus, sizeof(gpus));
		add_item(out, 1, "%s to %s; %s; %s",
			model_utc(t->m, f->first_seen_us, since, sizeof(since)),
			model_utc(t->m, e[i].closed_us, until, sizeof(until)),
			finding_role_name(f->role), gpus);
	}
	if (!n)
		(void)buf_adds(out, "nothing\n");
	add_more(out, shown, n);
}

static void link_end(const struct ticket *t, const struct port *p, struct buf *out)
{
	char text[800], stand[STAND_TEXT];

	(void)device_stand(model_dev_of(t->m, p), stand, sizeof(stand));
	add_item(out, 1, "%s:%s%s%s", model_dev_of(t->m, p)->name, p->name, stand[0] ? ", " : "",
		stand);
	ticket_end_state(t, p, text, sizeof(text));
	add_item(out, 2, "%s", text);
	ticket_end_module(t, p, text, sizeof(text));
	add_item(out, 2, "%s", text);
}

static void add_links(const struct ticket *t, struct buf *out)
{
	struct suspect s[LINKS];
	size_t n = ticket_suspects(t, s, LINKS), shown = n < LINKS ? n : LINKS;
	char unseen[TICKET_UNSEEN];

	(void)buf_adds(out, "\n## Suspect links, both ends\n\n");
	for (size_t i = 0; i < shown; i++) {
		add_item(out, 0, "%s", finding_info[s[i].finding->id].name);
		link_end(t, s[i].end[0], out);
		if (s[i].end[1])
			link_end(t, s[i].end[1], out);
		else
			add_item(out, 1, "other end %s", ticket_unseen_end(s[i].end[0], unseen));
	}
	if (!n)
		(void)buf_adds(out, "none\n");
	add_more(out, shown, n);
}

static void add_trail(const struct ticket *t, struct buf *out)
{
	size_t n = t->trail ? t->trail->n : 0, from = n > STEPS ? n - STEPS : 0;
	char text[900];

	(void)buf_adds(out, "\n## Runbook\n\n");
	if (!n)
		(void)buf_adds(out, "none was run\n");
	if (from)
		add_item(out, 0, "%zu more before these", from);
	for (size_t i = from; i < n; i++) {
		ticket_step(t, &t->trail->at[i], text, sizeof(text));
		add_item(out, 0, "%s", text);
	}
}

static void add_actions(const struct ticket *t, struct buf *out)
{
	json_t *list = ticket_ledger(t);
	size_t n = json_array_size(list), from = n > LINES ? n - LINES : 0;
	char text[900];

	(void)buf_adds(out, "\n## Actions of the window\n\n");
	if (!n)
		(void)buf_adds(out, "none\n");
	if (from)
		add_item(out, 0, "%zu more before these", from);
	for (size_t i = from; i < n; i++) {
		ticket_action(json_array_get(list, i), text, sizeof(text));
		add_item(out, 0, "%s", text);
	}
	json_decref(list);
}

bool ticket_markdown(const struct ticket *t, struct buf *out, struct err *err)
{
	bool before = out->overflow;

	out->overflow = false;
	add_head(t, out);
	add_dark(t, out);
	add_findings(t, out);
	add_ended(t, out);
	add_links(t, out);
	add_trail(t, out);
	add_actions(t, out);
	if (out->overflow)
		return err_set(err, ERR_LIMIT, "ticket", "is longer than allowed");
	out->overflow = before;
	return true;
}
