/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Input: the output of a streaming device after a known text, cut into pieces at each NUL. The
 * first byte gives the number of stops. A piece that begins with \1 comes on standard error, where
 * a question waits for its answer. For any input, the known text stays as its marks say, ticks are
 * reported one at a time, answers keep their bounds, and all memory is freed.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "backends/ssh/session_private.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "tests/support/incremental/delta_make.h"

#define NONCE "0123456789abcdef0123456789abcdef"
#define FIRST "rx: 10\ntx: 20\n"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct bed {
	struct ssh_shard shard;
	struct plan_device device;
	struct ssh_link link;
	struct request request;
	struct ssh_ask ask;
	unsigned ticks;
	uint64_t left_out;
};

#define ANSWER_MOST 256U

static void on_tick(void *ctx, uint64_t left_out)
{
	struct bed *b = ctx;

	b->ticks++;
	b->left_out += left_out;
	if (!b->link.shell.main.ask || !b->link.shell.main.ask->eof)
		abort();
}

static void open_bed(struct bed *b)
{
	struct ssh_shell *sh = &b->link.shell;
	struct delta_mark m = {.seq = 1,
		.tokens = delta_tokens(FIRST, sizeof(FIRST) - 1),
		.len = sizeof(FIRST) - 1};
	struct buf text;

	(void)str_copy(b->device.name, sizeof(b->device.name), "d");
	b->device.poll = POLL_WAY_STREAM;
	b->link.shard = &b->shard;
	b->link.device = &b->device;
	b->link.events = (struct link_events){.tick = on_tick, .ctx = b};
	sh->stage = SHELL_READY;
	sh->filter = FILTER_ON;
	sh->seq = 1;
	(void)str_copy(sh->nonce, sizeof(sh->nonce), NONCE);
	buf_init(&sh->in, 1 << 18);
	buf_init(&sh->main.tail, 1 << 16);
	sh->kept[0] = mem_calloc(1, sizeof(*sh->kept[0]));
	sh->kept[0]->users = 1;
	buf_init(&text, 1024);
	(void)buf_adds(&text, FIRST);
	b->request.cap = ANSWER_MOST;
	b->ask = (struct ssh_ask){.link = &b->link, .request = &b->request, .status = -1};
	buf_init(&b->ask.out, ANSWER_MOST);
	buf_init(&b->ask.complaint, 4096);
	sh->beside_seq = 1;
	ssh_lane_await(&sh->beside, &b->ask, sh->nonce, 1);
	if (!text_delta_whole(&sh->kept[0]->delta, &text, &m) ||
		!ssh_stream_begin(&b->link, 0, CLOCK_SEC))
		abort();
}

static void close_bed(struct bed *b)
{
	struct ssh_shell *sh = &b->link.shell;

	ssh_stream_forget(sh);
	ssh_filter_forget(sh, 0);
	buf_free(&sh->in);
	buf_free(&sh->main.tail);
	buf_free(&sh->beside.tail);
	buf_free(&b->ask.out);
	buf_free(&b->ask.complaint);
	ssh_asks_spare_free(&b->shard);
	delta_scratch_free(&b->shard.scratch);
}

static void check(const struct bed *b)
{
	const struct kept_text *k = b->link.shell.kept[0];

	if (k && k->delta.text && strlen(k->delta.text) != k->delta.len &&
		!memchr(k->delta.text, '\0', k->delta.len))
		abort();
	if (b->ask.eof && !b->ask.out.overflow && b->ask.out.len > ANSWER_MOST)
		abort();
	/* Not more places than there was time for. */
	if (b->left_out > b->ticks)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *at = (const char *)data + 1, *end = (const char *)data + size, *stop;
	struct bed *b;
	unsigned n = 0;

	if (!size || size > 1 << 16)
		return 0;
	b = mem_calloc(1, sizeof(*b));
	open_bed(b);
	for (; at < end && b->link.shell.stream && !b->link.shell.closed; at = stop + 1) {
		stop = memchr(at, '\0', (size_t)(end - at));
		stop = stop ? stop : end;
		if (stop > at && *at == '\1')
			ssh_quick_data(&b->link.shell, at + 1, (size_t)(stop - at) - 1);
		else if (stop > at)
			ssh_stream_data(&b->link, at, (size_t)(stop - at));
		if (b->link.shell.stream && !b->link.shell.full_why)
			ssh_stream_step(&b->link);
		if (b->link.shell.stream && data[0] && ++n % data[0] == 0)
			(void)ssh_stream_set(&b->link, NULL, 0);
		check(b);
	}
	close_bed(b);
	free(b);
	return 0;
}
