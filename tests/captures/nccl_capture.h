/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_CAPTURES_NCCL_CAPTURE_H
#define TESTS_CAPTURES_NCCL_CAPTURE_H

#include "backends/jobs/nccl_parse.h"

typedef bool nccl_parser(const char *bytes, size_t len, struct obs *out, struct err *err);

/* The parser's result for a capture below hosts/; fails the test when it is refused. */
struct obs *nccl_capture(nccl_parser *parse, const char *file);
/* The same of text that is put in front of the capture (NULL: none). */
struct obs *nccl_capture_behind(nccl_parser *parse, const char *before, const char *file);
/* The parser refuses it with a message that has these words. */
void nccl_capture_refused(nccl_parser *parse, const char *file, const char *words);

#endif
