/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include <stdlib.h>

#include "base/mem.h"

/*
 * Typed growable arrays: `VEC(int) v = {0}; vec_push(&v, 3); vec_free(&v);`. Elements move when
 * the array grows: keep indexes, not pointers, across a push.
 */
#define VEC(type)                                                                                  \
	struct {                                                                                   \
		type *at;                                                                          \
		size_t n, size;                                                                    \
	}

#define vec_reserve(v, want)                                                                       \
	do {                                                                                       \
		if ((v)->size < (want)) {                                                          \
			size_t vec_new_ = (v)->size ? (v)->size : 8;                               \
			while (vec_new_ < (want))                                                  \
				vec_new_ *= 2;                                                     \
			(v)->at = mem_realloc((v)->at, vec_new_, sizeof(*(v)->at));                \
			(v)->size = vec_new_;                                                      \
		}                                                                                  \
	} while (0)

#define vec_push(v, ...)                                                                           \
	do {                                                                                       \
		vec_reserve(v, (v)->n + 1);                                                        \
		(v)->at[(v)->n++] = (__VA_ARGS__);                                                 \
	} while (0)

/* Adds one zeroed element; the value is a pointer to it. */
#define vec_add(v)                                                                                 \
	(vec_grow_zero_((void **)&(v)->at, &(v)->n, &(v)->size, sizeof(*(v)->at)),                 \
		&(v)->at[(v)->n - 1])

#define vec_free(v)                                                                                \
	do {                                                                                       \
		free((v)->at);                                                                     \
		(v)->at = NULL;                                                                    \
		(v)->n = (v)->size = 0;                                                            \
	} while (0)

void vec_grow_zero_(void **at, size_t *n, size_t *size, size_t element);

#endif
