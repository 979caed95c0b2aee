/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DIAGNOSIS_ACCEPTANCE_ACCEPTANCE_PRIVATE_H
#define DIAGNOSIS_ACCEPTANCE_ACCEPTANCE_PRIVATE_H

#include "diagnosis/acceptance/acceptance.h"

/* Shared by the files of this folder. */

/* The object of an acceptance: its ports, and those at their other ends. */
struct accepted {
	const struct model *m;
	const struct diag *d;
	struct ref at;
	VEC(const struct device *) devices; /* to be accepted */
	VEC(const struct port *) ports;     /* NICs with a rail or a plan; both ends of a link */
	VEC(const struct port *) far;       /* the other ends that are not among them */
	accept_vec *out;
};

/* Appends a row; the texts are filled by the caller. The pointer is valid until the next call. */
struct accept_row *accept_add(
	const struct accepted *a, enum accept_check c, enum accept_result r, struct ref at);
/* Whether the row's device is one that is accepted, or its port one of those. */
bool accept_concerns(const struct accepted *a, struct ref at);

/* ---- one check each ---- */
void accept_links(const struct accepted *a);
void accept_wiring(const struct accepted *a);
void accept_settings(const struct accepted *a);
void accept_findings(const struct accepted *a);
void accept_optics(const struct accepted *a);
void accept_counters(const struct accepted *a);

#endif
