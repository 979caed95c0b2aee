/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/str.h"
#include "base/vec.h"
#include "emulator/device/linux/dev_linux.h"

/* All machines with the same ports share one tree of files; hundreds of hosts share one. */

struct kind {
	uint64_t key;
	struct vfs *tree;
};

struct linux_trees {
	VEC(struct kind) kinds;
};

static uint64_t add_key(uint64_t h, const char *text)
{
	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	return (h ^ '/') * UINT64_C(0x100000001b3);
}

static uint64_t key_of(const struct sim_device *d)
{
	uint64_t h = add_key(
		UINT64_C(0xcbf29ce484222325), linux_is_switch(d) ? "switch" : d->platform->name);
	unsigned i;

	for (i = 0; i < d->nports; i++) {
		h = add_key(h, d->ports[i].name);
		h = add_key(h, linux_is_rdma(d, &d->ports[i]) ? "r" : "n");
		h = add_key(h, d->ports[i].bond ? "b" : "s");
	}
	return h;
}

const struct vfs *linux_tree(struct personality_ctx *ctx, const struct sim_device *d)
{
	uint64_t key = key_of(d);
	struct linux_trees *t;
	size_t i;

	if (!ctx->linux_trees)
		ctx->linux_trees = mem_calloc(1, sizeof(*ctx->linux_trees));
	t = ctx->linux_trees;
	for (i = 0; i < t->kinds.n; i++)
		if (t->kinds.at[i].key == key)
			return t->kinds.at[i].tree;
	vec_push(&t->kinds, (struct kind){key, linux_files(d)});
	return t->kinds.at[t->kinds.n - 1].tree;
}

void linux_trees_free(struct linux_trees *t)
{
	size_t i;

	if (!t)
		return;
	for (i = 0; i < t->kinds.n; i++)
		vfs_free(t->kinds.at[i].tree);
	vec_free(&t->kinds);
	free(t);
}
