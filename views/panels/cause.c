/* SPDX-License-Identifier: Apache-2.0 */
#include "views/panels/cause.h"

#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "views/panels/finding_text.h"
#include "views/summary.h"

#define AGE_STEP_S 10

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

const struct finding *cause_ended(const struct view_ctx *ctx, int64_t *closed_us, unsigned *others)
{
	const struct finding *f, *newest = NULL;
	int64_t when;

	*others = 0;
	if (!ctx->diag || !ctx->model || cause_finding(ctx))
		return NULL;
	for (size_t i = 0; (f = diag_closed(ctx->diag, i, &when)); i++) {
		if (ctx->now_us - when > CAUSE_ENDED_US)
			break;
		if (f->role != ROLE_CULPRIT || finding_acked(f, ctx->now_us) ||
			diag_finding(ctx->diag, f->key))
			continue;
		if (!newest) {
			newest = f;
			*closed_us = when;
		} else if (f->key != newest->key) {
			++*others;
		}
	}
	return newest;
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
