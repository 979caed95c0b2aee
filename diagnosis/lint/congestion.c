/* SPDX-License-Identifier: Apache-2.0 */
/* Congestion control: marking thresholds of queues, and the NICs' reaction to marks. */
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "diagnosis/lint/rules.h"

#define KNOWN 0x100U

/* Vendors print thresholds in KB of 1000 or 1024 and round them. */
#define SAME_SHARE 0.05
/*
 * A shared-buffer switch of 400G has 64 to 165 MB, and a queue gets at most half of it at alpha 1:
 * no queue reaches a threshold above this.
 */
#define DEEPEST_QUEUE 32000000U

/* ---- ECN thresholds of queues ---- */

static bool is_same(double a, double b)
{
	return fabs(a - b) <= SAME_SHARE * fmax(a, b);
}

static const struct qos_prio *ecn_of(const struct lint *l, const struct port *p, unsigned *prio)
{
	unsigned mask = lossless_priorities(&l->m->lossless);

	for (*prio = 0; p->qos && *prio < PRIORITIES; ++*prio)
		if ((mask >> *prio & 1U) && p->qos->prio[*prio].ecn_min_bytes != UINT32_MAX)
			return &p->qos->prio[*prio];
	return NULL;
}

static uint64_t ecn_value(const struct lint *l, const struct port *p)
{
	unsigned prio;
	const struct qos_prio *e = lint_is_host(l, p) ? NULL : ecn_of(l, p, &prio);

	return e ? (uint64_t)e->ecn_min_bytes << 32 | e->ecn_max_bytes : LINT_UNSPOKEN;
}

static void threshold_text(char *dst, size_t size, double min, double max)
{
	char a[8], b[8];

	(void)str_printf(dst, size, "ECN from %sB to %sB", str_si(min, a, sizeof(a)),
		str_si(max, b, sizeof(b)));
}

static int ecn_off(struct lint *l, const struct port *p)
{
	struct lint_difference w = {.id = FIND_LINT_ECN, .reason = "plan"};
	unsigned missing = lossless_priorities(&l->m->lossless) & ~(unsigned)p->ecn_enabled;
	char text[24], value[48];

	if (!(p->ecn_enabled & KNOWN) || !l->m->lossless.ecn_max_bytes)
		return LINT_UNKNOWN;
	if (!missing)
		return LINT_OK;
	lint_mask_text(missing, text, sizeof(text));
	(void)str_printf(w.is, sizeof(w.is), "queue %s does not mark ECN", text);
	(void)str_copy(w.should, sizeof(w.should), "marks ECN");
	(void)str_printf(value, sizeof(value), "!%d %llu %llu", __builtin_ctz(missing),
		(unsigned long long)l->m->lossless.ecn_min_bytes,
		(unsigned long long)l->m->lossless.ecn_max_bytes);
	w.value = value;
	return lint_differs(l, p, &w);
}

/*
 * DCQCN (SIGCOMM 2015, section 4): ECN must act before PFC, also when one ingress fills the queue
 * alone. Tested only where the threshold is of the whole priority group: Cumulus and NX-OS report
 * one of the headroom behind the shared buffer.
 */
static bool pfc_comes_first(const struct lint *l, const struct port *p, const struct qos_prio *e)
{
	const char *dialect = model_dev_of(l->m, p)->dialect;

	return e->xoff_bytes != UINT32_MAX && e->xoff_bytes && e->ecn_min_bytes >= e->xoff_bytes &&
	       !str_eq(dialect, "cumulus") && !str_eq(dialect, "nxos");
}

/* The words for cure.c: the priority, and the plan's thresholds as far as it states them. */
static void ecn_words(const struct lint *l, unsigned prio, char *dst, size_t size)
{
	const struct lossless *lo = &l->m->lossless;

	(void)str_printf(dst, size, "%u", prio);
	if (lo->ecn_min_bytes && lo->ecn_max_bytes)
		(void)str_printf(dst, size, "%u %llu %llu", prio,
			(unsigned long long)lo->ecn_min_bytes,
			(unsigned long long)lo->ecn_max_bytes);
}

static int ecn_misplaced(
	struct lint *l, const struct port *p, const struct qos_prio *e, unsigned prio)
{
	struct lint_difference w = {.id = FIND_LINT_ECN};
	char a[8], b[8], value[48];

	if (e->ecn_min_bytes > DEEPEST_QUEUE) {
		w.reason = "buffer";
		(void)str_printf(w.is, sizeof(w.is), "ECN from %sB: no queue gets that deep",
			str_si(e->ecn_min_bytes, a, sizeof(a)));
		(void)str_copy(w.should, sizeof(w.should), "below what a queue can hold");
	} else if (pfc_comes_first(l, p, e)) {
		w.reason = "XOFF";
		(void)str_printf(w.is, sizeof(w.is), "ECN from %sB, XOFF at %sB",
			str_si(e->ecn_min_bytes, a, sizeof(a)),
			str_si(e->xoff_bytes, b, sizeof(b)));
		(void)str_copy(w.should, sizeof(w.should), "ECN below XOFF");
	} else {
		return LINT_OK;
	}
	ecn_words(l, prio, value, sizeof(value));
	w.value = value;
	return lint_differs(l, p, &w);
}

static int ecn_port(struct lint *l, const struct port *p)
{
	const struct lossless *lo = &l->m->lossless;
	struct lint_difference w = {.id = FIND_LINT_ECN, .reason = "plan"};
	double min = (double)lo->ecn_min_bytes, max = (double)lo->ecn_max_bytes;
	const struct qos_prio *e;
	char value[48];
	uint64_t most;
	unsigned prio;
	int off;

	if (lint_is_host(l, p))
		return LINT_NOTHING;
	off = ecn_off(l, p);
	e = ecn_of(l, p, &prio);
	if (off == LINT_DIFFERS || !e)
		return off;
	if (ecn_misplaced(l, p, e, prio) == LINT_DIFFERS)
		return LINT_DIFFERS;
	if (max <= 0) {
		if (!lint_usual(l, p, &most))
			return off;
		min = (double)(most >> 32);
		max = (double)(most & UINT32_MAX);
		w.reason = "siblings";
	}
	if ((min <= 0 || is_same(e->ecn_min_bytes, min)) &&
		(e->ecn_max_bytes == UINT32_MAX || is_same(e->ecn_max_bytes, max)))
		return LINT_OK;
	threshold_text(w.is, sizeof(w.is), e->ecn_min_bytes, e->ecn_max_bytes);
	threshold_text(w.should, sizeof(w.should), min, max);
	(void)str_printf(value, sizeof(value), "%u %.0f %.0f", prio, min, max);
	w.value = value;
	return lint_differs(l, p, &w);
}

const struct lint_check lint_ecn = {
	.id = FIND_LINT_ECN, .what = "ECN thresholds", .value = ecn_value, .port = ecn_port};

/* ---- CNPs ---- */

static uint64_t cnp_value(const struct lint *l, const struct port *p)
{
	return lint_is_host(l, p) && p->qos && p->qos->cnp_dscp >= 0 ? (uint64_t)p->qos->cnp_dscp
								     : LINT_UNSPOKEN;
}

/* A switch: PFC must not pause the class of CNPs. */
static int cnp_switch(struct lint *l, const struct port *p)
{
	struct lint_difference w = {.id = FIND_LINT_CNP, .reason = "plan", .value = ""};
	int dscp = l->m->lossless.cnp_dscp;
	char tc;

	if (dscp < 0 || dscp > 63)
		return LINT_NOTHING;
	if (!p->qos || !p->qos->dscp_to_tc)
		return LINT_UNKNOWN;
	tc = p->qos->dscp_to_tc[dscp];
	if (tc < '0' || tc > '7' ||
		!((unsigned)lossless_priorities(&l->m->lossless) >> (unsigned)(tc - '0') & 1U))
		return LINT_OK;
	(void)str_printf(w.is, sizeof(w.is), "CNPs (dscp %d) share lossless class %c", dscp, tc);
	(void)str_copy(w.should, sizeof(w.should), "a class that data cannot block");
	return lint_differs(l, p, &w);
}

static int cnp_port(struct lint *l, const struct port *p)
{
	struct lint_difference w = {.id = FIND_LINT_CNP, .reason = "plan"};
	int should = l->m->lossless.cnp_dscp, is;
	char value[12];
	uint64_t most;

	if (!lint_is_host(l, p))
		return cnp_switch(l, p);
	if (!p->qos || p->qos->cnp_dscp < 0)
		return LINT_UNKNOWN;
	if (should < 0) {
		if (!lint_usual(l, p, &most))
			return LINT_UNKNOWN;
		should = (int)most;
		w.reason = "siblings";
	}
	is = p->qos->cnp_dscp;
	if (is == should)
		return LINT_OK;
	(void)str_printf(w.is, sizeof(w.is), "CNPs leave with dscp %d", is);
	(void)str_printf(w.should, sizeof(w.should), "dscp %d", should);
	(void)str_printf(value, sizeof(value), "%d", should);
	w.value = value;
	return lint_differs(l, p, &w);
}

const struct lint_check lint_cnp = {
	.id = FIND_LINT_CNP, .what = "CNP class", .value = cnp_value, .port = cnp_port};

/* ---- DCQCN ---- */

/* Reaction points in the high byte, notification points in the low one; lossless priorities
 * only. */
static uint64_t dcqcn_value(const struct lint *l, const struct port *p)
{
	unsigned mask = lossless_priorities(&l->m->lossless);

	if (!lint_is_host(l, p) || !p->qos || !(p->qos->dcqcn_rp & KNOWN) ||
		!(p->qos->dcqcn_np & KNOWN))
		return LINT_UNSPOKEN;
	return (p->qos->dcqcn_rp & mask) << 8 | (p->qos->dcqcn_np & mask);
}

static void dcqcn_text(char *dst, size_t size, uint64_t v)
{
	char rp[20], np[20];

	lint_mask_text((unsigned)(v >> 8), rp, sizeof(rp));
	lint_mask_text((unsigned)(v & 0xff), np, sizeof(np));
	(void)str_printf(dst, size, "reacts on %s, notifies on %s", rp, np);
}

/* Off everywhere is a policy (PFC only); off on some NICs is not. */
static int dcqcn_port(struct lint *l, const struct port *p)
{
	struct lint_difference w = {.id = FIND_LINT_DCQCN, .reason = "siblings"};
	uint64_t is = dcqcn_value(l, p), mask = lossless_priorities(&l->m->lossless), should;
	char value[4];

	if (!lint_is_host(l, p))
		return LINT_NOTHING;
	if (is == LINT_UNSPOKEN)
		return LINT_UNKNOWN;
	if (l->m->lossless.ecn_max_bytes) {
		should = mask << 8 | mask;
		w.reason = "plan";
	} else if (!lint_usual(l, p, &should)) {
		return LINT_UNKNOWN;
	}
	if (is == should)
		return LINT_OK;
	dcqcn_text(w.is, sizeof(w.is), is);
	dcqcn_text(w.should, sizeof(w.should), should);
	(void)str_printf(value, sizeof(value), "%d", __builtin_ctzll(mask));
	w.value = value;
	return lint_differs(l, p, &w);
}

const struct lint_check lint_dcqcn = {
	.id = FIND_LINT_DCQCN, .what = "DCQCN", .value = dcqcn_value, .port = dcqcn_port};
