/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DIAGNOSIS_ACCEPTANCE_ACCEPTANCE_H
#define DIAGNOSIS_ACCEPTANCE_ACCEPTANCE_H

#include "diagnosis/engine/diagnosis.h"
#include "fabric/ref.h"

/*
 * Acceptance of a new or repaired host or link: what is known of it against the plan and against
 * its siblings. Nothing is polled or sent for it. A check without its input is ACCEPT_UNKNOWN and
 * says the cure; it never passes.
 */
enum accept_result { ACCEPT_PASS, ACCEPT_FAIL, ACCEPT_UNKNOWN };
const char *accept_result_name(enum accept_result r); /* "pass", "fail", "unknown" */

enum accept_check {
	ACCEPT_ANSWERS,  /* the devices are read */
	ACCEPT_LINK,     /* ports are there, up, and at the planned speed */
	ACCEPT_WIRING,   /* against the plan, proven by LLDP */
	ACCEPT_SETTINGS, /* lint: against plan, other end and siblings */
	ACCEPT_FINDINGS, /* what the diagnosis has to say */
	ACCEPT_OPTICS,   /* light and bit errors */
	ACCEPT_COUNTERS, /* counters of errors that must not grow */
	ACCEPT_TRAFFIC,  /* bandwidth and latency against the baselines */
	ACCEPT_CHECKS
};
const char *accept_check_name(enum accept_check c); /* "answers", "link", ... */

/* One result. at: the port or device; should, cure: "" where nothing is to be said. */
struct accept_row {
	enum accept_check check;
	enum accept_result result;
	struct ref at;
	char is[160], should[96], cure[160];
};
typedef VEC(struct accept_row) accept_vec;

/*
 * Appends the rows of all checks but ACCEPT_TRAFFIC, in their order. at: a host, or a port or link:
 * then both of its ends. The caller has called model_links().
 */
void acceptance_check(const struct model *m, const struct diag *d, struct ref at, accept_vec *out);

/* One number of a measurement. */
struct accept_measured {
	struct ref at;
	const char *what; /* "ib_write_bw" */
	const char *unit; /* "Gb/s", "us" */
	double value;     /* NAN: not measured, why has the reason */
	double baseline;  /* NAN: the site has none */
	double possible;  /* a better value than this no link has; 0: unknown */
	bool less_is_better;
	const char *why, *source; /* source: of the baseline, "this port before" */
};
/* At least this share of the baseline; of times at most its reciprocal. */
#define ACCEPT_SHARE 0.9
/* The host itself says what it measured: such a number is nobody's proof. */
bool acceptance_is_possible(const struct accept_measured *w);
void acceptance_add_measured(const struct accept_measured *w, accept_vec *out);
/* States that nothing was measured, and the cure. */
void acceptance_add_unmeasured(struct ref at, const char *why, const char *cure, accept_vec *out);

/* ACCEPT_FAIL if a row fails; else ACCEPT_UNKNOWN if one is unknown, or there are none. */
enum accept_result acceptance_overall(const accept_vec *rows);

#endif
