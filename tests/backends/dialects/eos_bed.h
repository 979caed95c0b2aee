/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_BACKENDS_DIALECTS_EOS_BED_H
#define TESTS_BACKENDS_DIALECTS_EOS_BED_H

#include "backends/contract/backend.h"
#include "tests/support/obs_find.h"

#define FIXTURES "tests/backends/fixtures/"
#define EOS_NOW  INT64_C(1764000002000000) /* when answers are received */

/* A spine over this transport, with the facts learnt before ("" "clock=0 zone=+0000"). */
struct eos_bed {
	struct target target;
	struct facts facts;
};
void eos_bed_open(struct eos_bed *b, enum transport_kind transport, const char *facts);
void eos_bed_close(struct eos_bed *b);

/* Decodes and learns; fails the test when it is refused. The caller frees. */
struct obs *eos_bed_parse(struct eos_bed *b, const char *request, const char *bytes);
/* The same of a body, or a text, in the form that the transport brings it. */
struct obs *eos_bed_body(struct eos_bed *b, const char *request, const char *json);
struct obs *eos_bed_text(struct eos_bed *b, const char *request, const char *text);
/* Of a fixture file with text. */
struct obs *eos_bed_file(struct eos_bed *b, const char *request, const char *file);
/* The body or text in the transport's form; the caller frees it. */
char *eos_wrap(enum transport_kind transport, const char *json, const char *text);

/* The command that the tier's plan has for the request; "" when it is not planned. */
const char *eos_bed_command(
	struct eos_bed *b, enum poll_tier tier, const char *request, char *dst, size_t size);

#endif
