/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Input: the bytes of a chunk of a recording, before compression. Any bytes give entries or are
 * refused; the entries can be applied, and coded again to the same.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "archive/codec/entry.h"
#include "fabric/model/model.h"

#define ITEMS_MOST 2000000 /* a few bytes may expand to many */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Coding a decoded entry must be possible, and lose nothing. */
static void code_again(struct coder *out, struct coder *in, struct entry *e)
{
	struct buf bytes;
	struct state s;
	struct entry back;

	buf_init(&bytes, 64U << 20);
	state_saves(&s, &bytes);
	if (!coder_entry(out, &s, e))
		abort();
	state_loads(&s, bytes.data, bytes.len);
	if (!coder_entry(in, &s, &back) || !state_ended(&s) || back.kind != e->kind ||
		back.t_us != e->t_us)
		abort();
	if (e->obs &&
		(back.obs->items.n != e->obs->items.n || back.obs->ports.n != e->obs->ports.n ||
			back.obs->bgp.n != e->obs->bgp.n || back.obs->nccl.n != e->obs->nccl.n))
		abort();
	entry_free(&back);
	buf_free(&bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct coder *c = coder_new(), *out = coder_new(), *in = coder_new();
	struct plan plan;
	struct model *m;
	struct state s;
	struct entry e;
	size_t items = 0;

	plan_init(&plan);
	m = model_new(&plan);
	state_loads(&s, data, size);
	while (s.at < s.end && items < ITEMS_MOST && coder_entry(c, &s, &e)) {
		if (e.obs) {
			items += 1 + e.obs->items.n + e.obs->nccl.n;
			if (items < ITEMS_MOST / 20)
				model_apply(m, e.obs, e.t_us);
		}
		if (items < ITEMS_MOST / 20)
			code_again(out, in, &e);
		entry_free(&e);
	}
	model_free(m);
	plan_free(&plan);
	coder_free(c);
	coder_free(out);
	coder_free(in);
	return 0;
}
