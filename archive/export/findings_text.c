/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "archive/export/clock_steps.h"
#include "archive/export/findings_private.h"
#include "base/clock.h"
#include "base/str.h"

#define WHERE_LEN 160

static const char *format_place(const struct model *m, struct ref at, char *dst)
{
	dst[0] = '\0';
	(void)ref_format(m, at, dst, WHERE_LEN);
	return dst;
}

/* "99.5 %", "1, estimate: one GPU a NIC", "400G, planned 800G". */
static const char *value_text(const struct evidence *e, char *dst, size_t size)
{
	bool whole = fabs(e->value) >= 1000 || e->value == trunc(e->value);
	char number[32];

	/* Evidence that is a finding: show its name. Its own line shows the confidence. */
	if (!isfinite(e->value) || (e->text[0] && str_eq(e->source, "finding"))) {
		(void)str_copy(dst, size, e->text[0] ? e->text : "-");
		return dst;
	}
	if (e->unit[0])
		return evidence_value(e, dst, size);
	(void)str_printf(number, sizeof(number), whole ? "%.0f" : "%.4g", e->value);
	(void)str_printf(dst, size, "%s%s%s", number, e->text[0] ? ", " : "", e->text);
	return dst;
}

static void evidence_line(const struct model *m, const struct evidence *e, FILE *out)
{
	char place[WHERE_LEN], value[160];

	(void)fprintf(out, "      %s %s: %s%s%s", e->against ? "against" : "for    ", e->what,
		value_text(e, value, sizeof(value)), e->threshold[0] ? ", threshold " : "",
		e->threshold);
	if (e->at.kind != REF_NONE)
		(void)fprintf(out, "  at %s", format_place(m, e->at, place));
	(void)fprintf(out, "  (%s)\n", e->source[0] ? e->source : "derived");
}

static void detail_lines(const struct model *m, const struct finding *f, FILE *out)
{
	char place[WHERE_LEN], share[16];

	for (size_t i = 0; i < f->evidence.n; i++)
		evidence_line(m, &f->evidence.at[i], out);
	if (f->nvictims)
		(void)fprintf(out, "      victims: %u paused, worst %s %s\n", f->nvictims,
			format_place(m, f->victims.at[0].at, place),
			str_share(
				(double)f->victims.at[0].percent / 100, "%", share, sizeof(share)));
	for (size_t i = 0; i < f->refuted.n; i++)
		(void)fprintf(out, "      not %s at %s: %s\n",
			finding_info[f->refuted.at[i].id].name,
			format_place(m, f->refuted.at[i].at, place), f->refuted.at[i].why);
	if (finding_info[f->id].runbook[0] || f->command[0])
		(void)fprintf(out, "      next: %s%s%s%s\n",
			finding_info[f->id].runbook[0] ? "runbook " : "",
			finding_info[f->id].runbook, f->command[0] ? "; run " : "", f->command);
}

static void finding_line(const struct model *m, const struct finding *f, int64_t now_us, FILE *out)
{
	char place[WHERE_LEN], peer[WHERE_LEN], since[16], share[16];

	(void)fprintf(out, "%s%-8s %4s %-8s %-24s %s", f->root ? "    " : "",
		finding_severity_name(f->severity),
		str_share((double)f->confidence, "%", share, sizeof(share)),
		finding_role_name(f->role), finding_info[f->id].name,
		format_place(m, f->at, place));
	if (f->peer.kind != REF_NONE)
		(void)fprintf(out, " <-> %s", format_place(m, f->peer, peer));
	(void)fprintf(out, "\n      %s; since %s", f->title,
		model_hms(m, f->onset_us ? f->onset_us : f->first_seen_us, since, sizeof(since)));
	if (finding_ended_us(f))
		(void)fprintf(out, "; ended %lld s ago",
			(long long)((now_us - finding_ended_us(f)) / CLOCK_SEC));
	if (f->gpus_blocked || f->gpus_slow)
		(void)fprintf(out, "; GPUs blocked %u, slowed %u", f->gpus_blocked, f->gpus_slow);
	if (f->acked_us)
		(void)fprintf(out, "; acknowledged by %s: %s", f->ack_user, f->ack_note);
	(void)fputc('\n', out);
}

static void verdict_lines(
	const struct model *m, const struct verdict_report *v, int64_t now_us, FILE *out)
{
	char line[VERDICT_SENTENCE];

	verdict_sentence(v, m, now_us, line, sizeof(line));
	(void)fprintf(out, "verdict: %s\n", line);
	for (size_t i = 0; i < v->evidence.n; i++)
		evidence_line(m, &v->evidence.at[i], out);
	for (size_t i = 0; i < v->proof.n; i++)
		(void)fprintf(out, "  %-10s %s%s%s\n",
			!v->proof.at[i].checked ? "not seen"
			: v->proof.at[i].ok     ? "ok"
						: "NOT OK",
			v->proof.at[i].text, v->proof.at[i].cure[0] ? "; " : "",
			v->proof.at[i].cure);
	(void)fputc('\n', out);
}

bool findings_text(
	const struct model *m, const struct diag *d, int64_t now_us, FILE *out, struct err *err)
{
	struct coverage v = model_coverage(m);
	const struct finding *const *f;
	char when[32], seen[80], steps[160];
	size_t n;

	f = diag_findings(d, &n);
	(void)fprintf(out, "%s at %s: %zu finding%s; %s\n", m->fabric[0] ? m->fabric : "the fabric",
		model_utc(m, now_us, when, sizeof(when)), n, str_plural(n),
		coverage_words(&v, seen, sizeof(seen)));
	if (clock_steps_line(m, 0, now_us, steps, sizeof(steps)))
		(void)fprintf(out, "%s\n", steps);
	verdict_lines(m, diag_verdict(d), now_us, out);
	for (size_t i = 0; i < n; i++) {
		finding_line(m, f[i], now_us, out);
		if (!f[i]->root)
			detail_lines(m, f[i], out);
	}
	return (fflush(out) == 0 && !ferror(out)) ||
	       err_system(err, ERR_IO, "findings", "cannot be written", errno);
}
