/* SPDX-License-Identifier: Apache-2.0 */
#include "diagnosis/engine/finding.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

#define EVIDENCE_MAX 24
#define REFUTED_MAX  8

/* Short names for the table's columns. */
#define LINK       FAMILY_LINK
#define PFC        FAMILY_PFC
#define CONGESTION FAMILY_CONGESTION
#define HOST       FAMILY_HOST
#define ECMP       FAMILY_ECMP
#define ROUTE      FAMILY_ROUTE
#define QOS        FAMILY_QOS
#define WIRING     FAMILY_WIRING
#define NCCL       FAMILY_NCCL
#define MONITOR    FAMILY_MONITOR

const struct finding_info finding_info[FIND_COUNT] = {
#define FINDING(id, name, family, severity, open, prior, runbook, view, title, help)               \
	[FIND_##id] = {                                                                            \
		name, family, SEV_##severity, OPEN_##open, prior, runbook, view, title, help},
#include "diagnosis/engine/findings.def"
#undef FINDING
};

bool finding_is_of_gpu(enum finding_id id)
{
	return id == FIND_HOST_GPU_ERROR || id == FIND_NVLINK_DOWN || id == FIND_NVLINK_ERRORS ||
	       id == FIND_NVLINK_FABRIC || id == FIND_NVLINK_IMEX;
}

enum finding_id finding_by_name(const char *name)
{
	int i = 0;

	while (i < FIND_COUNT && !str_eq(finding_info[i].name, name))
		i++;
	return (enum finding_id)i;
}

const char *finding_role_name(enum finding_role r)
{
	static const char *const names[] = {"culprit", "symptom", "victim", "risk", "info"};

	return (unsigned)r < sizeof(names) / sizeof(names[0]) ? names[r] : "unknown";
}

uint64_t finding_key(enum finding_id id, struct ref at)
{
	/* Kind and id are small, places are numbers: mixed so that keys do not collide. */
	uint64_t key = ref_key(at) * UINT64_C(0x9e3779b97f4a7c15);

	return key ^ ((uint64_t)id + 1) * UINT64_C(0xbf58476d1ce4e5b9);
}

void finding_free(struct finding *f)
{
	vec_free(&f->members);
	vec_free(&f->victims);
	vec_free(&f->evidence);
	vec_free(&f->refuted);
}

#define COPY_LIST(dst, src, list)                                                                  \
	do {                                                                                       \
		memset(&(dst)->list, 0, sizeof((dst)->list));                                      \
		if (!(src)->list.n)                                                                \
			break;                                                                     \
		vec_reserve(&(dst)->list, (src)->list.n);                                          \
		memcpy((dst)->list.at, (src)->list.at, (src)->list.n * sizeof(*(src)->list.at));   \
		(dst)->list.n = (src)->list.n;                                                     \
	} while (0)

void finding_copy(struct finding *dst, const struct finding *src)
{
	*dst = *src;
	COPY_LIST(dst, src, members);
	COPY_LIST(dst, src, victims);
	COPY_LIST(dst, src, evidence);
	COPY_LIST(dst, src, refuted);
}

void finding_locator(const struct model *m, const struct finding *f, char *dst, size_t size)
{
	char where[160] = "";

	(void)ref_format(m, f->at, where, sizeof(where));
	(void)str_printf(dst, size, "%s %s", finding_info[f->id].name, where);
}

int64_t finding_ended_us(const struct finding *f)
{
	return f->open && f->quiet && !f->silent_us ? f->last_seen_us : 0;
}

bool finding_acked(const struct finding *f, int64_t now_us)
{
	return f->acked_us && now_us < f->ack_until_us;
}

void finding_weigh(struct finding *f, enum signal s, double likelihood_ratio)
{
	float ln = (float)log(likelihood_ratio);

	if (fabsf(ln) > fabsf(f->signal[s]))
		f->signal[s] = ln;
}

static struct evidence *add_evidence(
	struct finding *f, struct ref at, const char *what, const char *source)
{
	static _Thread_local struct evidence spare;
	struct evidence *e = &spare;

	if (f->evidence.n < EVIDENCE_MAX)
		e = vec_add(&f->evidence);
	*e = (struct evidence){.at = at, .value = (double)NAN};
	(void)str_copy(e->what, sizeof(e->what), what);
	(void)str_copy(e->source, sizeof(e->source), source);
	return e;
}

struct evidence *finding_number(struct finding *f, struct ref at, const char *what, double value,
	const char *unit, const char *threshold, const char *source)
{
	struct evidence *e = add_evidence(f, at, what, source);

	e->value = value;
	(void)str_copy(e->unit, sizeof(e->unit), unit);
	(void)str_copy(e->threshold, sizeof(e->threshold), threshold);
	return e;
}

struct evidence *finding_text(
	struct finding *f, struct ref at, const char *what, const char *text, const char *source)
{
	struct evidence *e = add_evidence(f, at, what, source);

	(void)str_copy(e->text, sizeof(e->text), text);
	return e;
}

void finding_refute(struct finding *f, enum finding_id other, struct ref at, const char *fmt, ...)
{
	struct refuted *r;
	va_list ap;

	if (f->refuted.n >= REFUTED_MAX)
		return;
	r = vec_add(&f->refuted);
	r->id = other;
	r->at = at;
	va_start(ap, fmt);
	(void)vsnprintf(r->why, sizeof(r->why), fmt, ap);
	va_end(ap);
}

void finding_victim(struct finding *f, struct ref at, double percent)
{
	size_t i;

	f->nvictims++;
	if (f->victims.n < FINDING_VICTIMS)
		vec_push(&f->victims, (struct victim){at, (float)percent});
	else if (f->victims.at[f->victims.n - 1].percent < (float)percent)
		f->victims.at[f->victims.n - 1] = (struct victim){at, (float)percent};
	/* Sorted as it grows: the last place is where a worse one is inserted. */
	for (i = f->victims.n - 1; i > 0 && f->victims.at[i].percent > f->victims.at[i - 1].percent;
		i--) {
		struct victim v = f->victims.at[i];

		f->victims.at[i] = f->victims.at[i - 1];
		f->victims.at[i - 1] = v;
	}
}

void finding_title(struct finding *f, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(f->title, sizeof(f->title), fmt, ap);
	va_end(ap);
}

struct ref at_port(uint32_t port)
{
	return (struct ref){.kind = REF_PORT, .port = port};
}

struct ref at_priority(uint32_t port, unsigned priority)
{
	return (struct ref){.kind = REF_PRIORITY, .port = port, .priority = (uint8_t)priority};
}

struct ref at_device(uint32_t device)
{
	return (struct ref){.kind = REF_DEVICE, .device = device};
}

/* ---- the number that convicts ---- */

bool evidence_is_pause(const char *what)
{
	return str_eq(what, "pfc_rx_duration_us") || str_eq(what, "pfc_tx_duration_us");
}

/*
 * A number below a limit that it should be above, "0 %" of "> 80 % in a storm", rules something
 * out and convicts nobody. Nor does nothing at all, "0 % paused" of an incast.
 */
static bool convicts(const struct evidence *e)
{
	char *end;
	double least;

	if (e->against || !e->threshold[0] || !isfinite(e->value) ||
		(e->threshold[0] == '<' && e->value <= 0))
		return false;
	if (e->threshold[0] == '0' && !e->threshold[1])
		return e->value > 0;
	if (e->threshold[0] != '>')
		return true;
	least = strtod(e->threshold + 1 + (e->threshold[1] == '='), &end);
	/* A limit in another unit, or in words, is not compared here. An earlier version wrote
	 * "> 1 %", which recordings have. */
	if (end == e->threshold + 1 || (e->unit[0] == '%') != (end[*end == ' '] == '%'))
		return true;
	return e->value >= least;
}

const struct evidence *finding_conviction(const struct finding *f)
{
	const struct evidence *best = NULL;

	for (size_t i = 0; i < f->evidence.n; i++) {
		const struct evidence *one = &f->evidence.at[i];

		/* A share of time paused says more about a storm than a rate of events. */
		if (convicts(one) &&
			(!best || (evidence_is_pause(one->what) && !evidence_is_pause(best->what))))
			best = one;
	}
	return best;
}
