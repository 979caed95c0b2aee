/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/captures/mutants.h"

#include <stdint.h>

json_t *mutant_of(const json_t *v, size_t *left, unsigned how)
{
	const char *key;
	json_t *inner, *out;
	size_t i;

	if ((*left)-- == 0) {
		switch (how % 7) {
		case 0:
			return json_null();
		case 1:
			return json_string("\x1b[2J-17.5e+999 bananas");
		case 2:
			return json_real(-1e300);
		case 3:
			return json_pack("[n,{},[],b]", 1);
		case 4:
			return json_pack("{s:{s:n},s:[]}", "", "x", "y");
		case 5:
			return json_integer(INT64_MAX);
		default:
			return json_integer(INT64_MIN);
		}
	}
	if (json_is_object(v)) {
		out = json_object();
		json_object_foreach((json_t *)v, key, inner)
			json_object_set_new(out, key, mutant_of(inner, left, how));
		return out;
	}
	if (json_is_array(v)) {
		out = json_array();
		json_array_foreach(v, i, inner)
			json_array_append_new(out, mutant_of(inner, left, how));
		return out;
	}
	return json_copy((json_t *)v);
}

size_t mutant_places(const json_t *v)
{
	const char *key;
	json_t *inner;
	size_t i, n = 1;

	if (json_is_object(v))
		json_object_foreach((json_t *)v, key, inner) n += mutant_places(inner);
	if (json_is_array(v))
		json_array_foreach(v, i, inner) n += mutant_places(inner);
	return n;
}
