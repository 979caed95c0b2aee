/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Input: the bytes of a client after its initialize. Each line of the answers is one JSON value, of
 * a tool that echoes and of the tools of railtop, which read a small fabric.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "app/inventory/inventory_yaml.h"
#include "app/config/runbooks.h"
#include "app/mcp/tools.h"
#include "base/clock.h"
#include "fabric/vocabulary/counters.h"

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

/* ---- the fabric of the tools ---- */

static const char inventory[] =
	"fabric: f\nswitches:\n"
	"  - {names: \"leaf-r[0-1]-00\", dialect: sonic, transport: ssh, tier: leaf}\n"
	"hosts:\n  - {names: \"node[000-001]\", dialect: linux, transport: ssh, rails: "
	"\"mlx5_0\"}\n";

static struct plan plan;
static struct collected collected;
static struct runbooks books;
static struct mcp_data data_of_tools = {.collected = &collected, .runbooks = &books};

static void tell(const char *device, const char *port, int64_t now_us)
{
	struct obs *o = obs_new(device, "x");
	uint32_t at = obs_port(o, port);

	obs_count(o, at, CTR_RX_BYTES, 0, (uint64_t)(now_us / 100));
	obs_word(o, at, ATTR_OPER, 0, "up");
	obs_event(o, at, EV_LOG, 0, "password hunter22");
	o->result = OBS_DATA;
	model_apply(collected.model, o, now_us);
	obs_free(o);
}

static void set_up_once(void)
{
	struct err err = {0};

	if (collected.model)
		return;
	if (!inventory_parse("f.yaml", "/nonexistent", inventory, sizeof(inventory) - 1, &plan,
		    NULL, NULL) ||
		!runbooks_load(&books, NULL, NULL, &err))
		abort();
	collected.plan = &plan;
	collected.model = model_new(&plan);
	collected.diag = diag_new();
	data_of_tools.cache = view_cache_new();
	for (int i = 1; i <= 4; i++) {
		collected.now_us = INT64_C(1700000000000000) + i * 5 * CLOCK_SEC;
		tell("leaf-r0-00", "Ethernet0", collected.now_us);
		tell("node000", "mlx5_0", collected.now_us);
		(void)model_age(collected.model, collected.now_us);
		diag_run(collected.diag, collected.model, collected.now_us);
	}
}

/* ---- the client ---- */

static void check_secrets(void *to, const char *line, size_t len)
{
	check_line(to, line, len);
	if (!to && memmem(line, len, "hunter22", 8))
		abort();
}

static void converse(struct mcp *s, const char *revision, const uint8_t *data, size_t size)
{
	char text[128];
	int n = snprintf(text, sizeof(text),
		"{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"
		"\"protocolVersion\":\"%s\"}}\n",
		revision);

	mcp_feed(s, text, (size_t)n);
	mcp_feed(s, (const char *)data, size);
	while (mcp_work(s))
		;
	mcp_free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* What the client itself says of the secret comes back in messages about it. */
	static char names_it;
	struct mcp_opts echo = {
		.tools = tools, .ntools = 1, .instructions = "", .write = check_line};
	struct mcp_opts real = {.tools = mcp_tools,
		.ntools = mcp_tool_count,
		.ctx = &data_of_tools,
		.clean = mcp_drop_secrets,
		.instructions = mcp_instructions,
		.write = check_secrets,
		.to = memmem(data, size, "hunter", 6) ? &names_it : NULL};

	set_up_once();
	converse(mcp_new(&echo), "2025-03-26", data, size);
	converse(mcp_new(&echo), "2025-11-25", data, size);
	converse(mcp_new(&real), "2025-06-18", data, size);
	return 0;
}
