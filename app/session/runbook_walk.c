/* SPDX-License-Identifier: Apache-2.0 */
#include "app/session/runbook_walk.h"

#include <string.h>
#include <time.h>

#include "app/config/runbooks.h"
#include "base/clock.h"
#include "base/str.h"

static void walk_step(struct walk *w, size_t at, struct ref target, const struct view_ctx *ctx)
{
	struct walked *one = vec_add(&w->steps);
	const char *next;
	size_t after;

	one->step = &w->book->steps.at[at];
	runbook_judge(one->step, ctx, target, &one->result);
	w->outcomes[one->result.outcome]++;
	next = runbook_step_next(one->step, (enum step_outcome)one->result.outcome);
	after = runbook_step_after(w->book, at, next);
	if (after < w->book->steps.n)
		next = w->book->steps.at[after].id;
	else if (!str_starts(next, "runbook:"))
		next = "end";
	(void)str_copy(one->next, sizeof(one->next), next);
}

bool walk_runbook(struct walk *w, const struct runbook *book, struct ref target,
	const struct view_ctx *ctx, struct err *err)
{
	bool seen[RUNBOOK_STEPS_MAX] = {false};
	struct runbook_run run;
	size_t at = 0;

	memset(w, 0, sizeof(*w));
	/* runbook_begin() resolves the target to the kind of object of the runbook. */
	if (!runbook_begin(&run, book, target, ctx, "", err))
		return false;
	w->book = book;
	w->now_us = ctx->now_us;
	w->wall_us = ctx->model ? model_wall(ctx->model, ctx->now_us) : ctx->now_us;
	w->coverage = model_coverage(ctx->model);
	(void)str_copy(w->target, sizeof(w->target), run.target_text);
	while (at < book->steps.n && at < RUNBOOK_STEPS_MAX && !seen[at]) {
		seen[at] = true;
		walk_step(w, at, run.target, ctx);
		at = runbook_step_after(book, at, w->steps.at[w->steps.n - 1].next);
	}
	runbook_run_free(&run);
	return true;
}

void walk_free(struct walk *w)
{
	vec_free(&w->steps);
}

enum step_outcome walk_verdict(const struct walk *w)
{
	return w->outcomes[STEP_FAIL]      ? STEP_FAIL
	       : w->outcomes[STEP_UNKNOWN] ? STEP_UNKNOWN
					   : STEP_PASS;
}

int walk_exit_code(const struct walk *w)
{
	switch (walk_verdict(w)) {
	case STEP_FAIL:
		return EXIT_FINDINGS;
	case STEP_UNKNOWN:
		return EXIT_UNREACHED;
	default:
		return EXIT_FINE;
	}
}

/* ---- text ---- */

#define INDENT 5
#define WIDTH  100

/* Prints a paragraph behind its label, indented, with line breaks between words. Without text there
 * is no paragraph. */
static void put_paragraph(FILE *out, const char *label, const char *text)
{
	size_t column = INDENT + strlen(label);
	bool begins = true;

	if (!*text)
		return;
	(void)fprintf(out, "%*s%s", INDENT, "", label);
	while (*text) {
		size_t n = strcspn(text, " ");

		if (!begins && column + 1 + n > WIDTH) {
			(void)fprintf(out, "\n%*s", INDENT, "");
			column = INDENT;
			begins = true;
		}
		(void)fprintf(out, "%s%.*s", begins ? "" : " ", (int)n, text);
		column += n + !begins;
		begins = false;
		text += n + strspn(text + n, " ");
	}
	(void)fputc('\n', out);
}

static void put_step(const struct walked *w, size_t number, FILE *out)
{
	const struct runbook_step *s = w->step;
	enum step_outcome o = (enum step_outcome)w->result.outcome;
	char line[200];

	(void)fprintf(out, "%3zu  %-11s  %s\n", number, runbook_step_word(s, o), s->id);
	put_paragraph(out, "", s->text ? s->text : "");
	put_paragraph(out, "seen: ", w->result.value);
	if (o == STEP_UNKNOWN)
		put_paragraph(out, "cannot tell: ", w->result.why);
	else if (o == STEP_OPEN)
		put_paragraph(out, "for a person: ", s->question);
	else
		put_paragraph(out,
			s->seeks         ? ""
			: o == STEP_FAIL ? "FAIL: "
					 : "pass: ",
			o == STEP_FAIL ? s->fail_says : s->pass_says);
	if (o == STEP_FAIL || o == STEP_OPEN)
		put_paragraph(out, "for the ticket: ", s->collect);
	if (o == STEP_FAIL && s->action[0] &&
		str_printf(line, sizeof(line), "%s (railtop act %s)", s->action, s->action))
		put_paragraph(out, "possible action: ", line);
}

bool walk_text(const struct walk *w, FILE *out)
{
	const char *last = w->steps.n ? w->steps.at[w->steps.n - 1].next : "";
	time_t t = (time_t)(w->wall_us / CLOCK_SEC);
	char when[40] = "";
	struct tm tm;

	if (gmtime_r(&t, &tm))
		(void)strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S UTC", &tm);
	(void)fprintf(out,
		"%s: %s\n"
		"%s, %s, %u of %u devices answered\n"
		"\n",
		w->book->name, w->book->title, w->target[0] ? w->target : "the fabric", when,
		w->coverage.by_state[DEV_FRESH] + w->coverage.by_state[DEV_LATE],
		w->coverage.devices);
	for (size_t i = 0; i < w->steps.n; i++)
		put_step(&w->steps.at[i], i + 1, out);
	(void)fprintf(out, "\n%s: %u passed, %u failed, %u cannot tell, %u for a person\n",
		step_outcome_name(walk_verdict(w)), w->outcomes[STEP_PASS], w->outcomes[STEP_FAIL],
		w->outcomes[STEP_UNKNOWN], w->outcomes[STEP_OPEN]);
	if (str_starts(last, "runbook:"))
		(void)fprintf(out, "go on with: railtop runbook %s%s%s%s\n",
			last + strlen("runbook:"), w->target[0] ? " '" : "", w->target,
			w->target[0] ? "'" : "");
	return fflush(out) == 0 && !ferror(out);
}
