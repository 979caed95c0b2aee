/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FABRIC_VOCABULARY_STRING_POOL_H
#define FABRIC_VOCABULARY_STRING_POOL_H

/*
 * Shared texts of a model's ports: each text is stored once. Most of 600,000 ports share their
 * names, module types and neighbours' descriptions. A text lives as long as a port uses it.
 */
struct string_pool;

struct string_pool *string_pool_new(void);
void string_pool_free(struct string_pool *t); /* the texts too */
/*
 * Sets *at to the shared copy of text. *at is a text of t or "", and is released; equal texts
 * share one copy.
 */
void string_pool_set(struct string_pool *t, const char **at, const char *text);

#endif
