/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_BACKENDS_DIALECTS_NXOS_BED_H
#define TESTS_BACKENDS_DIALECTS_NXOS_BED_H

#include "backends/contract/backend.h"
#include "tests/support/obs_find.h"

#define NXOS_NOW INT64_C(1764000002000000) /* when answers are received */

/* A leaf over this transport, and the facts learnt of it. */
struct nxos_bed {
	struct target target;
	struct facts facts;
};
void nxos_bed_open(struct nxos_bed *b, enum transport_kind transport);
void nxos_bed_close(struct nxos_bed *b);

/* Decodes and learns; fails the test when it is refused. The caller frees. */
struct obs *nxos_bed_parse(struct nxos_bed *b, const char *request, const char *bytes);
/* A group's bodies out of fixtures/nxos_cli.json, as the transport brings them. */
struct obs *nxos_bed_group(struct nxos_bed *b, const char *group);
char *nxos_bed_answer(const struct nxos_bed *b, const char *group); /* the caller frees */
/* The objects of fixtures/nxos_dme.json whose name begins with `class`. */
struct obs *nxos_bed_class(struct nxos_bed *b, const char *class);
char *nxos_bed_objects(const char *class); /* the caller frees */

/* The need's state in the batch, VALID_UNKNOWN without a report. */
enum validity nxos_need(const struct obs *o, const char *need);

#endif
