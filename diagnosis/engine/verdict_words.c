/* SPDX-License-Identifier: Apache-2.0 */
/* The state as a sentence, for texts that people read. */
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "diagnosis/engine/engine.h"

/* Most unchecked items that a sentence names. */
#define UNCHECKED_NAMED 3

static const char *const line_names[LINE_COUNT + 1] = {
	[LINE_LINKS] = "links",
	[LINE_FLAPS] = "flaps",
	[LINE_DROPS] = "lossless drops",
	[LINE_PAUSES] = "pauses",
	[LINE_WATCHDOG] = "PFC watchdog",
	[LINE_CORRUPTION] = "corruption",
	[LINE_BGP] = "BGP sessions",
	[LINE_WIRING] = "wiring",
	[LINE_SPEED] = "link speeds",
	[LINE_DEVICES] = "devices",
};

/* Appends text, with a separator if dst is not empty. */
static void append_text(char *dst, size_t size, const char *text)
{
	size_t at = strlen(dst);

	(void)str_printf(dst + at, size - at, "%s%s", at ? ", " : "", text);
}

static void append_count(char *dst, size_t size, unsigned n, const char *one, const char *many)
{
	char text[64];

	if (!n)
		return;
	(void)str_printf(text, sizeof(text), "%u %s", n, n == 1 ? one : many);
	append_text(dst, size, text);
}

/* "1 check fails (links down against the plan: 2 of 64 ports)"; pauses are already counted. */
static void append_failed(const struct verdict_report *v, char *dst, size_t size)
{
	const struct proof *first = NULL;
	unsigned n = 0;
	char text[200];

	for (size_t i = 0; i < v->proof.n; i++) {
		const struct proof *p = &v->proof.at[i];

		if (!p->checked || p->ok || p->line == LINE_DEVICES || p->line == LINE_PAUSES)
			continue;
		first = first ? first : p;
		n++;
	}
	if (!n)
		return;
	(void)str_printf(text, sizeof(text), "%u check%s (%s%s)", n, n == 1 ? " fails" : "s fail",
		first->text, n > 1 ? "; ..." : "");
	append_text(dst, size, text);
}

void verdict_counts(const struct verdict_report *v, char *dst, size_t size)
{
	dst[0] = '\0';
	append_count(dst, size, v->paused, "port paused", "ports paused");
	append_count(dst, size, v->stalled, "job stalled", "jobs stalled");
	append_count(dst, size, v->criticals, "critical finding", "critical findings");
	append_count(dst, size, v->warnings, "warning", "warnings");
}

void verdict_unchecked(const struct verdict_report *v, char *dst, size_t size)
{
	unsigned n = 0;
	char more[32];

	dst[0] = '\0';
	for (size_t i = 0; i < v->proof.n; i++) {
		const struct proof *p = &v->proof.at[i];

		if ((p->checked && (p->ok || p->line != LINE_DEVICES)) || p->line > LINE_DEVICES)
			continue;
		if (n++ < UNCHECKED_NAMED)
			append_text(dst, size, line_names[p->line]);
	}
	if (n <= UNCHECKED_NAMED)
		return;
	(void)str_printf(more, sizeof(more), "%u more", n - UNCHECKED_NAMED);
	append_text(dst, size, more);
}

/* "24 s", "7 min", "2 h 5 min". */
static const char *span_text(int64_t us, char *dst, size_t size)
{
	long long s = (long long)(us > 0 ? us / CLOCK_SEC : 0);

	if (s < 120)
		(void)str_printf(dst, size, "%lld s", s);
	else if (s < 7200)
		(void)str_printf(dst, size, "%lld min", s / 60);
	else
		(void)str_printf(dst, size, "%lld h %lld min", s / 3600, s / 60 % 60);
	return dst;
}

static unsigned current_devices(const struct coverage *c)
{
	return c->by_state[DEV_FRESH] + c->by_state[DEV_LATE];
}

static void suspicion_text(const struct verdict_report *v, const struct model *m, int64_t now_us,
	char *dst, size_t size)
{
	struct coverage c = model_coverage(m);
	unsigned told = current_devices(&c);
	char counts[320], seen[32];
	size_t at = 0;

	/* In a dark fabric the suspicion may be obsolete: say that first. */
	if (!told) {
		(void)str_printf(dst, size, "none of %u devices reports data; ", c.devices);
		at = strlen(dst);
	}
	verdict_counts(v, counts, sizeof(counts));
	append_failed(v, counts, sizeof(counts));
	(void)str_printf(dst + at, size - at, "%s (seen %s): %s%s%s",
		v->critical ? "cause not proven yet" : "suspicion",
		span_text(now_us - v->since_us, seen, sizeof(seen)),
		counts[0] ? counts : "a job is affected", v->hint[0] ? "; strongest hint: " : "",
		v->hint);
	at = strlen(dst);
	if (told && told < c.devices)
		(void)str_printf(dst + at, size - at, "; %u of %u devices report no data",
			c.devices - told, c.devices);
}

/* No trouble in the data that was seen. */
static void nothing_seen(
	const struct verdict_report *v, const struct model *m, char *dst, size_t size)
{
	struct coverage c = model_coverage(m);
	unsigned told = current_devices(&c);
	char unchecked[160];
	size_t at;

	if (!told) {
		(void)str_printf(
			dst, size, "not known: none of %u devices reports data", c.devices);
		return;
	}
	if (told < c.devices)
		(void)str_printf(dst, size,
			"no problem seen on %u of %u devices; the others report no data", told,
			c.devices);
	else
		(void)str_copy(dst, size, "no problem seen");
	verdict_unchecked(v, unchecked, sizeof(unchecked));
	at = strlen(dst);
	if (unchecked[0])
		(void)str_printf(dst + at, size - at, "; not checked: %s", unchecked);
}

void verdict_sentence(const struct verdict_report *v, const struct model *m, int64_t now_us,
	char *dst, size_t size)
{
	char sure[16], ended[48] = "";

	switch (v->state) {
	case FABRIC_TROUBLE:
		if (v->ended_us && now_us >= v->ended_us)
			(void)str_printf(ended, sizeof(ended), ", ended %lld s ago",
				(long long)((now_us - v->ended_us) / CLOCK_SEC));
		(void)str_printf(dst, size, "%s (%s)%s%s", verdict_name(v->verdict),
			str_share(v->confidence, "%", sure, sizeof(sure)), ended,
			v->fabric_clean ? "; the fabric is clean" : "");
		break;
	case FABRIC_SUSPECT:
		suspicion_text(v, m, now_us, dst, size);
		break;
	case FABRIC_CLEAN:
		/* Where something may break, "clean" would be too much. */
		if (v->risks)
			(void)str_printf(dst, size, "no trouble seen; %u risk%s", v->risks,
				str_plural(v->risks));
		else
			(void)str_copy(dst, size, "no trouble seen; the fabric is clean");
		break;
	default:
		nothing_seen(v, m, dst, size);
	}
}
