/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FABRIC_QUERY_QUERY_INTERNAL_H
#define FABRIC_QUERY_QUERY_INTERNAL_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/vec.h"
#include "fabric/query/query_number.h"

/* A query as it was read, for the files of fabric/query only. */

enum op { OP_TEXT, OP_EQ, OP_NE, OP_MATCH, OP_NOMATCH, OP_GT, OP_GE, OP_LT, OP_LE };

struct atom {
	enum op op;
	size_t at; /* position in the query, for errors */
	char *field;
	char *value;
	bool is_number;
	struct query_unit is;
	double number;
	regex_t regex;
	bool has_regex;
};

struct term {
	bool negated;
	VEC(struct atom) any;
};

struct query {
	VEC(struct term) all;
};

#endif
