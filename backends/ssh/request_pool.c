/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "backends/ssh/session_private.h"
#include "base/mem.h"

#define BYTES_KEPT ((size_t)32 << 10)

/* With AddressSanitizer nothing is pooled, so that a use after free is detected. */
#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define SPARE_MOST 0U
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define SPARE_MOST 0U
#endif
#ifndef SPARE_MOST
#define SPARE_MOST 8U
#endif

struct ssh_ask *ssh_ask_take(struct ssh_shard *s, struct ssh_link *l, const struct request *r)
{
	struct ssh_ask *a = s->spare;
	struct buf out = {0}, complaint = {0};

	if (a) {
		s->spare = a->next;
		s->spare_n--;
		out = a->out;
		complaint = a->complaint;
	} else {
		a = mem_alloc(sizeof(*a));
	}
	*a = (struct ssh_ask){
		.link = l, .request = r, .status = -1, .out = out, .complaint = complaint};
	a->out.cap = r->cap;
	a->complaint.cap = SSH_COMPLAINT_CAP;
	return a;
}

static void empty_buffer(struct buf *b)
{
	if (b->size > BYTES_KEPT)
		buf_free(b);
	else
		buf_reset(b);
}

static void free_request(struct ssh_ask *a)
{
	buf_free(&a->out);
	buf_free(&a->complaint);
	free(a);
}

void ssh_ask_give(struct ssh_shard *s, struct ssh_ask *a)
{
	ssh_filter_release(a);
	free(a->guarded);
	a->guarded = NULL;
	if (s->spare_n + 1 > SPARE_MOST) {
		free_request(a);
		return;
	}
	empty_buffer(&a->out);
	empty_buffer(&a->complaint);
	a->next = s->spare;
	s->spare = a;
	s->spare_n++;
}

void ssh_asks_spare_free(struct ssh_shard *s)
{
	struct ssh_ask *next;

	for (; s->spare; s->spare = next) {
		next = s->spare->next;
		free_request(s->spare);
	}
	s->spare_n = 0;
}
