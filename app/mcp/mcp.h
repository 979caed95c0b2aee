/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_MCP_MCP_H
#define APP_MCP_MCP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/err.h"
#include "base/json_out.h"

/*
 * The server side of the Model Context Protocol, modelcontextprotocol.io, revisions 2024-11-05 to
 * 2025-11-25: JSON-RPC 2.0, a message a line, over any two streams. It offers tools and nothing
 * else. The input is hostile: lines are bounded, and one that is no message gets an error and costs
 * nothing more.
 */

#define MCP_LINE_MAX   ((size_t)1 << 20) /* of a message from the client */
#define MCP_RESULT_MAX ((size_t)4 << 20) /* of a tool's result */
#define MCP_BATCH_MAX  100               /* messages of a batch, where the revision has batches */

struct mcp_tool {
	const char *name, *title, *description;
	const char *schema; /* JSON Schema of the arguments, an object */
	/*
	 * Writes one JSON object. args is an object. False with err: the client reads its text and
	 * cure as a result of the tool, so that it can try again.
	 */
	bool (*call)(void *ctx, json_t *args, FILE *out, struct err *err);
};

struct mcp_opts {
	const struct mcp_tool *tools;
	size_t ntools;
	void *ctx;                                /* of the tools */
	void (*clean)(void *ctx, json_t *result); /* changes a tool's result; may be NULL */
	const char *instructions;                 /* how to use them, for the client's model */
	void (*write)(void *to, const char *line, size_t len); /* one message with its newline */
	void *to;
};

struct mcp;
struct mcp *mcp_new(const struct mcp_opts *opts); /* copies opts */
void mcp_free(struct mcp *s);
/*
 * Takes bytes from the client. A request that a notification in the same bytes cancels is not
 * answered. Memory is bounded by the bytes of one call.
 */
void mcp_feed(struct mcp *s, const char *bytes, size_t len);
/* Answers the oldest message. False: there is none. */
bool mcp_work(struct mcp *s);

#endif
