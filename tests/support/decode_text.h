/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SUPPORT_DECODE_TEXT_H
#define TESTS_SUPPORT_DECODE_TEXT_H

#include "backends/contract/backend.h"

/*
 * Decodes an answer of leaf-r0-00 (of a host: "linux" with a request that is none of a switch), or
 * fails the test. In the text, double quotes are written as single ones, and those as `.
 */
struct obs *decode_text(
	const char *dialect, enum transport_kind way, const char *request, const char *text);
/* The same over SSH. */
struct obs *decode_ssh(const char *dialect, const char *request, const char *text);

#endif
