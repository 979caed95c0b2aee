/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/redact/redact_private.h"

static unsigned char fold_case(unsigned char c)
{
	return c >= 'A' && c <= 'Z' ? (unsigned char)(c + 32) : c;
}

uint32_t trie_step(const struct trie *t, uint32_t node, unsigned char c)
{
	uint32_t at = t->nodes.n ? t->nodes.at[node].child : 0;

	c = fold_case(c);
	while (at && t->nodes.at[at].c != c)
		at = t->nodes.at[at].next;
	return at;
}

uint32_t *trie_put(struct trie *t, const char *key, size_t n)
{
	uint32_t node = 0;

	if (!t->nodes.n)
		(void)vec_add(&t->nodes);
	for (size_t i = 0; i < n; i++) {
		uint32_t next = trie_step(t, node, (unsigned char)key[i]);

		if (!next) {
			next = (uint32_t)t->nodes.n;
			vec_push(&t->nodes, (struct trie_node){.next = t->nodes.at[node].child,
						    .c = fold_case((unsigned char)key[i])});
			t->nodes.at[node].child = next;
		}
		node = next;
	}
	return &t->nodes.at[node].word;
}

uint32_t trie_get(const struct trie *t, const char *key, size_t n)
{
	uint32_t node = 0;

	for (size_t i = 0; i < n; i++)
		if (!(node = trie_step(t, node, (unsigned char)key[i])))
			return 0;
	return t->nodes.n ? t->nodes.at[node].word : 0;
}
