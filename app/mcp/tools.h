/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_MCP_TOOLS_H
#define APP_MCP_TOOLS_H

#include "app/headless/headless.h"
#include "app/mcp/mcp.h"
#include "views/runbook/runbook.h"

/*
 * The tools of `railtop mcp`. All of them read a model; no code that changes a device is included
 * here, which tools/layering.sh checks.
 */
struct mcp_data {
	const struct collected *collected; /* valid during a call */
	struct view_cache *cache;
	const struct runbooks *runbooks;
};

extern const struct mcp_tool mcp_tools[]; /* their ctx is a struct mcp_data */
extern const size_t mcp_tool_count;
extern const char mcp_instructions[];
/* Drops secrets from all texts of a result in place. ctx is a struct mcp_data. For mcp_opts.clean.
 */
void mcp_drop_secrets(void *ctx, json_t *result);

#endif
