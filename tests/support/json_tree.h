/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SUPPORT_JSON_TREE_H
#define TESTS_SUPPORT_JSON_TREE_H

#include <jansson.h>

#include "backends/parse/json_value.h"
#include "base/err.h"

/* The same documents by jansson: the yardstick of backends/parse/json_select.h. */

/*
 * As json_value_parse() and json_value_parse_next(). Invalid UTF-8 becomes '?', and integers beyond
 * 63 bits become reals. The caller owns the result; NULL with err (ERR_PROTOCOL).
 */
json_t *json_tree(const char *bytes, size_t len, const char *origin, struct err *err);
json_t *json_tree_next(
	const char *bytes, size_t len, size_t *at, const char *origin, struct err *err);

/* The same value as a tree; bytes that are not UTF-8 become '?'. The caller owns it. */
json_t *json_tree_of(const struct json_value *v);

/* A number as json_value_u64() and json_value_real() read it. */
bool json_tree_u64(const json_t *v, uint64_t *out);
enum number json_tree_real(const json_t *v, double *out);

#endif
