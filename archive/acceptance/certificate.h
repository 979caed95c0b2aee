/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ARCHIVE_ACCEPTANCE_CERTIFICATE_H
#define ARCHIVE_ACCEPTANCE_CERTIFICATE_H

#include <stdio.h>

#include "diagnosis/acceptance/acceptance.h"

/* The certificate of an acceptance: what was checked, by whom, and the result. */
#define CERTIFICATE_SCHEMA 1

struct certificate {
	const struct model *model;
	struct ref at;
	const accept_vec *rows;
	int64_t now_us;      /* session time of the data */
	const char *by;      /* who ran it: "anna@ops1"; "": not known */
	const char *partner; /* of the measurement; "": nothing was measured */
	const char *act;     /* id of the act in the ledger that measured; "" */
	const char *ledger;  /* its file; "" */
};

/* ASCII, at most 100 columns where names allow it. */
bool certificate_text(const struct certificate *c, FILE *out);
/* Markup in names is escaped. */
bool certificate_markdown(const struct certificate *c, FILE *out);
bool certificate_json(const struct certificate *c, FILE *out, struct err *err);

#endif
