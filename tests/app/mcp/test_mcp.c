/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A client's scripts by the published protocol (modelcontextprotocol.io, JSON-RPC 2.0): each line
 * that is sent, and the answers that must come in this order.
 */
#include <stdlib.h>
#include <string.h>

#include "app/mcp/mcp.h"
#include "base/buf.h"
#include "base/str.h"
#include "tests/support/cases.h"

static bool say_hello(void *ctx, json_t *args, FILE *out, struct err *err)
{
	const char *name = json_string_value(json_object_get(args, "name"));

	++*(unsigned *)ctx;
	if (!name) {
		err_set(err, ERR_USAGE, "name", "it is missing");
		return err_cure(err, "say it");
	}
	return fprintf(out, "{\"hello\":\"%s\",\"half\":0.5}", name) > 0;
}

static bool say_much(void *ctx, json_t *args, FILE *out, struct err *err)
{
	(void)args;
	(void)err;
	++*(unsigned *)ctx;
	(void)fputs("{\"a\":\"", out);
	for (size_t i = 0; i < MCP_RESULT_MAX; i++)
		(void)fputc('x', out);
	(void)fputs("\"}", out);
	return true;
}

static bool say_nonsense(void *ctx, json_t *args, FILE *out, struct err *err)
{
	(void)args;
	(void)err;
	++*(unsigned *)ctx;
	return fputs("[1]", out) >= 0;
}

static const struct mcp_tool tools[] = {
	{"hello", "Hello", "says hello",
		"{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"}}}", say_hello},
	{"much", "Much", "says too much", "{\"type\":\"object\"}", say_much},
	{"nonsense", "Nonsense", "says no object", "{\"type\":\"object\"}", say_nonsense},
};

struct client {
	struct mcp *server;
	struct buf got;
	unsigned calls;
};

static void keep_line(void *to, const char *line, size_t len)
{
	assert_true(len && line[len - 1] == '\n');
	assert_null(memchr(line, '\n', len - 1));
	assert_true(buf_add(to, line, len));
}

static void connect_client(struct client *c)
{
	struct mcp_opts opts = {.tools = tools,
		.ntools = sizeof(tools) / sizeof(tools[0]),
		.ctx = &c->calls,
		.instructions = "read only",
		.write = keep_line,
		.to = &c->got};

	memset(c, 0, sizeof(*c));
	buf_init(&c->got, (size_t)64 << 20);
	c->server = mcp_new(&opts);
}

static void end_client(struct client *c)
{
	mcp_free(c->server);
	buf_free(&c->got);
}

static void send_text(struct client *c, const char *text)
{
	mcp_feed(c->server, text, strlen(text));
	while (mcp_work(c->server))
		;
}

/* Compares all answers since the last call. */
static void expect(struct client *c, const char *want)
{
	assert_string_equal(c->got.data ? c->got.data : "", want);
	buf_reset(&c->got);
}

static void expect_part(struct client *c, const char *part)
{
	if (!c->got.data || !strstr(c->got.data, part))
		fail_msg("\"%s\" is not in %s", part, c->got.data ? c->got.data : "(nothing)");
	buf_reset(&c->got);
}

#define HELLO(revision)                                                                            \
	"{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":" \
	"\"" revision                                                                              \
	"\",\"capabilities\":{},\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}\n"             \
	"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n"
#define ERROR(id, code, text)                                                                      \
	"{\"jsonrpc\":\"2.0\",\"id\":" id ",\"error\":{\"code\":" code ",\"message\":\"" text      \
	"\"}}\n"

static void begin_client(struct client *c, const char *hello)
{
	connect_client(c);
	send_text(c, hello);
	buf_reset(&c->got);
}

/* ---- the life of a session ---- */

CASE(the_revision_is_negotiated)
{
	static const struct {
		const char *hello, *answer;
	} cases[] = {{HELLO("2024-11-05"), "\"protocolVersion\":\"2024-11-05\""},
		{HELLO("2025-03-26"), "\"protocolVersion\":\"2025-03-26\""},
		{HELLO("2025-06-18"), "\"protocolVersion\":\"2025-06-18\""},
		{HELLO("2025-11-25"), "\"protocolVersion\":\"2025-11-25\""},
		{HELLO("1999-01-01"), "\"protocolVersion\":\"2025-11-25\""}};
	struct client c;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		connect_client(&c);
		send_text(&c, cases[i].hello);
		/* One answer, and none to the notification. */
		assert_ptr_equal(strchr(c.got.data, '\n'), c.got.data + c.got.len - 1);
		assert_non_null(
			strstr(c.got.data, "\"capabilities\":{\"tools\":{\"listChanged\":false}}"));
		assert_non_null(strstr(c.got.data, "\"serverInfo\":{\"name\":\"railtop\""));
		expect_part(&c, cases[i].answer);
		end_client(&c);
	}
}

CASE(what_comes_before_initialize)
{
	struct client c;

	connect_client(&c);
	send_text(&c, "{\"jsonrpc\":\"2.0\",\"id\":\"p\",\"method\":\"ping\"}\n");
	expect(&c, "{\"jsonrpc\":\"2.0\",\"id\":\"p\",\"result\":{}}\n");
	send_text(&c, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}\n");
	expect(&c, ERROR("1", "-32600", "initialize comes first"));
	send_text(&c, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/"
		      "call\",\"params\":{\"name\":\"hello\"}}\n");
	expect(&c, ERROR("1", "-32600", "initialize comes first"));
	send_text(&c, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{}}\n");
	expect(&c, ERROR("1", "-32602", "protocolVersion is missing"));
	assert_int_equal(c.calls, 0);
	send_text(&c, HELLO("2025-06-18"));
	buf_reset(&c.got);
	send_text(&c, HELLO("2025-06-18"));
	expect(&c, ERROR("0", "-32600", "the session is initialised already"));
	end_client(&c);
}

/* ---- tools ---- */

CASE(tools_are_listed_as_readers)
{
	struct client c;
	json_t *root, *list, *t;
	size_t i;

	begin_client(&c, HELLO("2025-06-18"));
	send_text(&c, "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/list\",\"params\":{}}\n");
	root = json_loadb(c.got.data, c.got.len, 0, NULL);
	list = json_object_get(json_object_get(root, "result"), "tools");
	assert_int_equal(json_array_size(list), 3);
	json_array_foreach(list, i, t)
	{
		json_t *hints = json_object_get(t, "annotations");

		assert_string_equal(json_string_value(json_object_get(t, "name")), tools[i].name);
		assert_true(json_is_object(json_object_get(t, "inputSchema")));
		assert_true(json_is_true(json_object_get(hints, "readOnlyHint")));
		assert_true(json_is_false(json_object_get(hints, "destructiveHint")));
	}
	json_decref(root);
	buf_reset(&c.got);
	send_text(&c, "{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"tools/"
		      "list\",\"params\":{\"cursor\":\"x\"}}\n");
	expect(&c, ERROR("8", "-32602", "cursor: there are no further pages"));
	end_client(&c);
}

#define CALL(id, name, args)                                                                       \
	"{\"jsonrpc\":\"2.0\",\"id\":" id                                                          \
	",\"method\":\"tools/call\",\"params\":{\"name\":\"" name "\",\"arguments\":" args "}}\n"

CASE(tools_are_called)
{
	struct client c;

	begin_client(&c, HELLO("2025-06-18"));
	send_text(&c, CALL("1", "hello", "{\"name\":\"you\"}"));
	expect(&c, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\":\"text\","
		   "\"text\":"
		   "\"{\\\"hello\\\":\\\"you\\\",\\\"half\\\":0.5}\"}],\"structuredContent\":{"
		   "\"hello\":\"you\","
		   "\"half\":0.5},\"isError\":false}}\n");
	/* A mistake in the arguments is a result that the model can read. */
	send_text(&c, CALL("2", "hello", "{}"));
	expect(&c, "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"content\":[{\"type\":\"text\","
		   "\"text\":"
		   "\"name: it is missing (say it)\"}],\"isError\":true}}\n");
	send_text(&c, CALL("3", "hello", "null"));
	expect_part(&c, "\"isError\":true");
	send_text(&c, CALL("4", "much", "{}"));
	expect_part(&c, "ask for less");
	send_text(&c, CALL("5", "nonsense", "{}"));
	expect(&c, ERROR("5", "-32603", "the tool wrote no object"));
	assert_int_equal(c.calls, 5);
	send_text(&c, CALL("6", "reboot", "{}"));
	expect(&c, ERROR("6", "-32602", "Unknown tool: reboot"));
	send_text(&c, CALL("7", "hello", "[1]"));
	expect(&c, ERROR("7", "-32602", "arguments: not an object"));
	send_text(&c, "{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"tools/call\",\"params\":{}}\n");
	expect(&c, ERROR("8", "-32602", "name: the name of a tool is missing"));
	assert_int_equal(c.calls, 5);
	end_client(&c);
	/* Before 2025-06-18 there was no structured content. */
	begin_client(&c, HELLO("2025-03-26"));
	send_text(&c, CALL("1", "hello", "{\"name\":\"you\"}"));
	assert_null(strstr(c.got.data, "structuredContent"));
	end_client(&c);
}

/* ---- JSON-RPC ---- */

CASE(requests_that_are_none)
{
	static const struct {
		const char *text, *answer;
	} cases[] = {
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/list\"}",
			ERROR("1", "-32601", "Method not found: resources/list")},
		{"{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}",
			ERROR("1", "-32600", "jsonrpc: not \\\"2.0\\\"")},
		{"{\"id\":\"a\",\"method\":\"ping\"}",
			ERROR("\"a\"", "-32600", "jsonrpc: not \\\"2.0\\\"")},
		{"{\"jsonrpc\":\"2.0\",\"id\":1}", ERROR("1", "-32600", "method is missing")},
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":5}",
			ERROR("1", "-32600", "method is missing")},
		{"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}",
			ERROR("null", "-32600", "id: neither a string nor an integer")},
		{"{\"jsonrpc\":\"2.0\",\"id\":[1],\"method\":\"ping\"}",
			ERROR("null", "-32600", "id: neither a string nor an integer")},
		{"{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}",
			ERROR("null", "-32600", "id: neither a string nor an integer")},
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":[1]}",
			ERROR("1", "-32602", "params: not an object")},
		{"5", ERROR("null", "-32700", "not JSON")},
		{"\"x\"", ERROR("null", "-32700", "not JSON")},
		{"hello", ERROR("null", "-32700", "not JSON")},
		{"{\"jsonrpc\":\"2.0\",", ERROR("null", "-32700", "not JSON")},
		{"{\"jsonrpc\":\"2.0\",\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}",
			ERROR("null", "-32700", "not JSON")},
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"} {}",
			ERROR("null", "-32700", "not JSON")},
		{"{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"ping\"}",
			ERROR("null", "-32700", "not JSON")},
		/* Notifications and answers get none, known or not. */
		{"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/unknown\"}", ""},
		{"{\"jsonrpc\":\"2.0\",\"method\":\"tools/list\"}", ""},
		{"{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{}}", ""},
		{"{\"jsonrpc\":\"2.0\",\"id\":4,\"error\":{\"code\":1,\"message\":\"m\"}}", ""},
		{"", ""},
		{" \t\r", ""},
		{"{\"jsonrpc\":\"2.0\",\"id\":\"\",\"method\":\"ping\"}\r",
			"{\"jsonrpc\":\"2.0\",\"id\":\"\",\"result\":{}}\n"},
	};
	struct client c;

	begin_client(&c, HELLO("2025-06-18"));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		send_text(&c, cases[i].text);
		send_text(&c, "\n");
		expect(&c, cases[i].answer);
	}
	end_client(&c);
}

CASE(batches_belong_to_two_revisions)
{
	struct client c;

	begin_client(&c, HELLO("2025-03-26"));
	send_text(&c, "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"},"
		      "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"},5,"
		      "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"initialize\",\"params\":{}},"
		      "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"ping\"}]\n");
	expect(&c,
		"[{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}},"
		"{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,\"message\":\"a "
		"message is an "
		"object\"}},{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32600,\"message\":"
		"\"initialize is no part of a "
		"batch\"}},{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}]\n");
	send_text(&c, "[{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}]\n");
	expect(&c, "");
	send_text(&c, "[]\n");
	expect(&c, ERROR("null", "-32600", "a batch has 1 to 100 messages"));
	mcp_feed(c.server, "[0", 2);
	for (int i = 0; i < MCP_BATCH_MAX; i++)
		mcp_feed(c.server, ",0", 2);
	send_text(&c, "]\n");
	expect(&c, ERROR("null", "-32600", "a batch has 1 to 100 messages"));
	end_client(&c);
	begin_client(&c, HELLO("2025-06-18"));
	send_text(&c, "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]\n");
	expect(&c, ERROR("null", "-32600", "this revision has no batches"));
	end_client(&c);
	connect_client(&c);
	send_text(&c, "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]\n");
	expect(&c, ERROR("null", "-32600", "this revision has no batches"));
	end_client(&c);
}

#define CANCEL(id)                                                                                 \
	"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"                                         \
	"cancelled\",\"params\":{\"requestId\":" id ",\"reason\":\"no need\"}}\n"
#define PING(id) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"ping\"}\n"

CASE(a_cancelled_request_is_not_answered)
{
	struct client c;

	begin_client(&c, HELLO("2025-06-18"));
	send_text(&c, PING("1") CALL("2", "hello", "{\"name\":\"x\"}") PING("\"2\"") CANCEL("2"));
	expect(&c, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n{\"jsonrpc\":\"2.0\",\"id\":"
		   "\"2\",\"result\":{}}\n");
	assert_int_equal(c.calls, 0);
	/* One that is answered already, and one that nobody asked. */
	send_text(&c, CANCEL("1") CANCEL("99"));
	send_text(&c, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\"}\n");
	expect(&c, "");
	end_client(&c);
	connect_client(&c);
	send_text(&c, HELLO("2025-06-18") CANCEL("0"));
	expect_part(&c, "\"protocolVersion\"");
	end_client(&c);
}

/* ---- lines ---- */

CASE(lines_may_come_in_pieces)
{
	static const char text[] = PING("1") PING("2");
	struct client c;

	begin_client(&c, HELLO("2025-06-18"));
	for (size_t i = 0; i < sizeof(text) - 1; i++) {
		mcp_feed(c.server, text + i, 1);
		while (mcp_work(c.server))
			;
	}
	expect(&c, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n{\"jsonrpc\":\"2.0\",\"id\":2,"
		   "\"result\":{}}\n");
	end_client(&c);
}

CASE(a_huge_line_costs_one_error)
{
	struct client c;
	char *much = malloc(65536);

	assert_non_null(much);
	memset(much, '[', 65536);
	begin_client(&c, HELLO("2025-06-18"));
	for (size_t i = 0; i < 3 * MCP_LINE_MAX / 65536; i++)
		mcp_feed(c.server, much, 65536);
	send_text(&c, "\n" PING("1"));
	expect(&c, ERROR("null", "-32700", "a line of more than 1 MB") "{\"jsonrpc\":\"2.0\","
								       "\"id\":1,\"result\":{}}\n");
	/* Nesting without an end is no message either. */
	mcp_feed(c.server, much, 65536);
	send_text(&c, "\n");
	expect(&c, ERROR("null", "-32700", "not JSON"));
	end_client(&c);
	free(much);
}

CASE(every_end_of_a_session_frees_it)
{
	static const char text[] =
		HELLO("2025-06-18") CALL("1", "hello", "{\"name\":\"a\"}") PING("2");
	struct client c;

	for (size_t n = 0; n < sizeof(text); n++) {
		connect_client(&c);
		mcp_feed(c.server, text, n);
		(void)mcp_work(c.server);
		end_client(&c);
	}
}

CASES_MAIN(NULL, NULL)
