/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator/device/personality_internal.h"

/* A persistent shell: it outlives a single answer of the device. */

struct shell_session *personality_session_new(
	struct personality_ctx *ctx, struct buf *out, struct buf *err)
{
	return shell_session_new(ctx->cache, out, err);
}

void personality_session_free(struct shell_session *s)
{
	shell_session_free(s);
}

bool personality_feed(struct personality_ctx *ctx, struct sim_device *d, struct shell_session *s,
	const char *text, struct buf *out, struct buf *err, int *status)
{
	ctx->feeding = s;
	ctx->ended = false;
	*status = personality_for(d->dialect)->exec(ctx, d, PERSONALITY_SHELL, text, out, err);
	ctx->feeding = NULL;
	return !ctx->ended;
}
