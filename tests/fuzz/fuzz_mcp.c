/* SPDX-License-Identifier: Apache-2.0 */
/* Input: the bytes of a client after its initialize. Each line of the answers is one JSON value. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "app/mcp/mcp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool echo_arguments(void *ctx, json_t *args, FILE *out, struct err *err)
{
	(void)ctx;
	(void)err;
	return json_dumpf(args, out, 0) == 0;
}

static const struct mcp_tool tools[] = {
	{"echo", "Echo", "echo", "{\"type\":\"object\"}", echo_arguments}};

static void check_line(void *to, const char *line, size_t len)
{
	json_t *root = json_loadb(line, len, 0, NULL);

	(void)to;
	if (!root || line[len - 1] != '\n' || memchr(line, '\n', len - 1))
		abort();
	json_decref(root);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const hello[] = {"2025-03-26", "2025-11-25"};
	struct mcp_opts opts = {
		.tools = tools, .ntools = 1, .instructions = "", .write = check_line};

	for (size_t i = 0; i < 2; i++) {
		struct mcp *s = mcp_new(&opts);
		char text[128];
		int n = snprintf(text, sizeof(text),
			"{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"
			"\"protocolVersion\":\"%s\"}}\n",
			hello[i]);

		mcp_feed(s, text, (size_t)n);
		mcp_feed(s, (const char *)data, size);
		while (mcp_work(s))
			;
		mcp_free(s);
	}
	return 0;
}
