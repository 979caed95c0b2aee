/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SUPPORT_HOSTILE_H
#define TESTS_SUPPORT_HOSTILE_H

#include "backends/contract/backend.h"

/*
 * Inputs that a decoder must survive: the good answer cut off at every byte, with every byte
 * replaced by a few nasty ones, and fixed garbage. Under the sanitizers any slip ends the test.
 * Each refusal must name its reason, and an answer that is cut must not pass as whole.
 */
void hostile_answers(const struct backend_ops *ops, const struct target *t, const char *request,
	const char *good, size_t len);

#endif
