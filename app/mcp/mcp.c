/* SPDX-License-Identifier: Apache-2.0 */
#include "app/mcp/mcp.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "base/version.h"

/* JSON-RPC 2.0, section 5.1. */
enum rpc_error {
	RPC_PARSE = -32700,
	RPC_INVALID_REQUEST = -32600,
	RPC_NO_METHOD = -32601,
	RPC_INVALID_PARAMS = -32602,
	RPC_INTERNAL = -32603,
};

/* From the newest to the oldest. */
static const struct revision {
	const char *name;
	bool batches;    /* 2025-06-18 removed them */
	bool structured; /* results of tools as objects too */
} revisions[] = {
	{"2025-11-25", false, true},
	{"2025-06-18", false, true},
	{"2025-03-26", true, false},
	{"2024-11-05", true, false},
};

enum message_fault { FAULT_NONE, FAULT_LONG, FAULT_PARSE };

struct message {
	json_t *root; /* NULL with a fault */
	enum message_fault fault;
	bool cancelled;
};

struct mcp {
	struct mcp_opts opts;
	struct buf line;
	bool skipping; /* the rest of a line that was too long */
	VEC(struct message) queue;
	size_t next;                     /* in queue */
	const struct revision *revision; /* NULL: not initialised */
};

/* ---- answers ---- */

static json_t *make_error(json_t *id, enum rpc_error code, const char *text)
{
	json_t *root = json_object(), *error = json_object();

	json_put(error, "code", json_integer(code));
	json_put(error, "message", json_text(text));
	json_put(root, "jsonrpc", json_text("2.0"));
	json_put(root, "id", id ? json_incref(id) : json_null());
	json_put(root, "error", error);
	return root;
}

static json_t *make_result(json_t *id, json_t *result)
{
	json_t *root = json_object();

	json_put(root, "jsonrpc", json_text("2.0"));
	json_put(root, "id", json_incref(id));
	json_put(root, "result", result);
	return root;
}

/* Takes ownership of root. */
static void send_message(struct mcp *s, json_t *root)
{
	char *text = json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(15));
	struct buf b;

	buf_init(&b, 2 * MCP_RESULT_MAX + 4096);
	if (text && buf_adds(&b, text) && buf_adds(&b, "\n"))
		s->opts.write(s->opts.to, b.data, b.len);
	buf_free(&b);
	free(text);
	json_decref(root);
}

/* ---- methods ---- */

static json_t *tool_json(const struct mcp_tool *t)
{
	json_t *o = json_object(), *hints = json_object();

	json_put(o, "name", json_text(t->name));
	json_put(o, "title", json_text(t->title));
	json_put(o, "description", json_text(t->description));
	json_put(o, "inputSchema", json_loads(t->schema, JSON_REJECT_DUPLICATES, NULL));
	json_put(hints, "title", json_text(t->title));
	json_put(hints, "readOnlyHint", json_true());
	json_put(hints, "destructiveHint", json_false());
	json_put(hints, "idempotentHint", json_true());
	json_put(hints, "openWorldHint", json_false());
	json_put(o, "annotations", hints);
	return o;
}

static json_t *list_tools(struct mcp *s, json_t *id, json_t *params)
{
	json_t *list = json_array(), *result = json_object();

	/* All tools are on the first page, so no cursor was ever given out. */
	if (json_object_get(params, "cursor")) {
		json_decref(list);
		json_decref(result);
		return make_error(id, RPC_INVALID_PARAMS, "cursor: there are no further pages");
	}
	for (size_t i = 0; i < s->opts.ntools; i++)
		json_append(list, tool_json(&s->opts.tools[i]));
	json_put(result, "tools", list);
	return make_result(id, result);
}

static json_t *make_content(const char *text, size_t len)
{
	json_t *part = json_object(), *list = json_array();
	char *copy = mem_alloc(len + 1);

	memcpy(copy, text, len);
	copy[len] = '\0';
	json_put(part, "type", json_text("text"));
	json_put(part, "text", json_text(copy));
	json_append(list, part);
	free(copy);
	return list;
}

static json_t *failed_call(json_t *id, const struct err *err)
{
	json_t *result = json_object();
	char text[sizeof(*err)];

	(void)err_format(err, text, sizeof(text));
	json_put(result, "content", make_content(text, strlen(text)));
	json_put(result, "isError", json_true());
	return make_result(id, result);
}

static json_t *finish_call(struct mcp *s, json_t *id, const char *text, size_t len)
{
	json_t *value = json_loadb(text, len, 0, NULL), *result;
	char *compact;

	if (value && s->opts.clean)
		s->opts.clean(s->opts.ctx, value);
	compact = value ? json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(15)) : NULL;
	if (!json_is_object(value) || !compact) {
		json_decref(value);
		free(compact);
		return make_error(id, RPC_INTERNAL, "the tool wrote no object");
	}
	result = json_object();
	json_put(result, "content", make_content(compact, strlen(compact)));
	if (s->revision->structured)
		json_put(result, "structuredContent", json_incref(value));
	json_put(result, "isError", json_false());
	json_decref(value);
	free(compact);
	return make_result(id, result);
}

static json_t *run_tool(struct mcp *s, json_t *id, const struct mcp_tool *t, json_t *args)
{
	struct err err = {0};
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	json_t *answer;
	bool ok = out && t->call(s->opts.ctx, args, out, &err);

	if (out && fclose(out) != 0)
		ok = false;
	if (!ok && !err.code)
		err_set(&err, ERR_INTERNAL, t->name, "there is no memory for the result");
	if (ok && len > MCP_RESULT_MAX) {
		err_set(&err, ERR_LIMIT, t->name, "the result has %zu bytes, more than %zu", len,
			MCP_RESULT_MAX);
		(void)err_cure(&err, "ask for less: a place, a filter, fewer columns, a limit");
		ok = false;
	}
	answer = ok ? finish_call(s, id, text, len) : failed_call(id, &err);
	free(text);
	return answer;
}

static json_t *call_tool(struct mcp *s, json_t *id, json_t *params)
{
	const char *name = json_string_value(json_object_get(params, "name"));
	json_t *args = json_object_get(params, "arguments"), *none = NULL, *answer;
	char text[160];

	if (!name)
		return make_error(id, RPC_INVALID_PARAMS, "name: the name of a tool is missing");
	if (args && !json_is_null(args) && !json_is_object(args))
		return make_error(id, RPC_INVALID_PARAMS, "arguments: not an object");
	for (size_t i = 0; i < s->opts.ntools; i++) {
		if (!str_eq(s->opts.tools[i].name, name))
			continue;
		if (!json_is_object(args))
			args = none = json_object();
		answer = run_tool(s, id, &s->opts.tools[i], args);
		json_decref(none);
		return answer;
	}
	(void)str_printf(text, sizeof(text), "Unknown tool: %.100s", name);
	return make_error(id, RPC_INVALID_PARAMS, text);
}

/* A revision that the client does not name or that is unknown: the newest is offered. */
static json_t *initialise(struct mcp *s, json_t *id, json_t *params)
{
	const char *want = json_string_value(json_object_get(params, "protocolVersion"));
	json_t *result, *server, *capabilities, *tools;

	if (!want)
		return make_error(id, RPC_INVALID_PARAMS, "protocolVersion is missing");
	if (s->revision)
		return make_error(id, RPC_INVALID_REQUEST, "the session is initialised already");
	s->revision = &revisions[0];
	for (size_t i = 0; i < sizeof(revisions) / sizeof(revisions[0]); i++)
		if (str_eq(revisions[i].name, want))
			s->revision = &revisions[i];
	result = json_object();
	server = json_object();
	capabilities = json_object();
	tools = json_object();
	json_put(tools, "listChanged", json_false());
	json_put(capabilities, "tools", tools);
	json_put(server, "name", json_text("railtop"));
	json_put(server, "title", json_text("railtop: RoCEv2 GPU fabrics, read only"));
	json_put(server, "version", json_text(RAILTOP_VERSION));
	json_put(result, "protocolVersion", json_text(s->revision->name));
	json_put(result, "capabilities", capabilities);
	json_put(result, "serverInfo", server);
	json_put(result, "instructions", json_text(s->opts.instructions));
	return make_result(id, result);
}

static json_t *answer_request(struct mcp *s, json_t *id, const char *method, json_t *params)
{
	char text[160];

	if (str_eq(method, "ping"))
		return make_result(id, json_object());
	if (str_eq(method, "initialize"))
		return initialise(s, id, params);
	if (!s->revision)
		return make_error(id, RPC_INVALID_REQUEST, "initialize comes first");
	if (str_eq(method, "tools/list"))
		return list_tools(s, id, params);
	if (str_eq(method, "tools/call"))
		return call_tool(s, id, params);
	(void)str_printf(text, sizeof(text), "Method not found: %.100s", method);
	return make_error(id, RPC_NO_METHOD, text);
}

/* ---- messages ---- */

static bool is_id(const json_t *id)
{
	return json_is_string(id) || json_is_integer(id);
}

/* NULL: the message gets no answer. */
static json_t *answer_message(struct mcp *s, json_t *m, bool in_batch)
{
	json_t *id = json_object_get(m, "id"), *params = json_object_get(m, "params");
	const char *method = json_string_value(json_object_get(m, "method"));
	const char *version = json_string_value(json_object_get(m, "jsonrpc"));

	if (!json_is_object(m))
		return make_error(NULL, RPC_INVALID_REQUEST, "a message is an object");
	/* The server asks nothing, so an answer to it has no question. */
	if (!method && (json_object_get(m, "result") || json_object_get(m, "error")))
		return NULL;
	if (id && !is_id(id))
		return make_error(NULL, RPC_INVALID_REQUEST, "id: neither a string nor an integer");
	if (!version || !str_eq(version, "2.0"))
		return make_error(id, RPC_INVALID_REQUEST, "jsonrpc: not \"2.0\"");
	if (!method)
		return make_error(id, RPC_INVALID_REQUEST, "method is missing");
	/* Notifications: initialized, cancelled (see mcp_feed()), and those of other servers. */
	if (!id)
		return NULL;
	if (params && !json_is_object(params))
		return make_error(id, RPC_INVALID_PARAMS, "params: not an object");
	if (in_batch && str_eq(method, "initialize"))
		return make_error(id, RPC_INVALID_REQUEST, "initialize is no part of a batch");
	return answer_request(s, id, method, params);
}

static void answer_batch(struct mcp *s, json_t *batch)
{
	json_t *answers, *m;
	size_t i;

	if (!s->revision || !s->revision->batches) {
		send_message(
			s, make_error(NULL, RPC_INVALID_REQUEST, "this revision has no batches"));
		return;
	}
	if (!json_array_size(batch) || json_array_size(batch) > MCP_BATCH_MAX) {
		send_message(
			s, make_error(NULL, RPC_INVALID_REQUEST, "a batch has 1 to 100 messages"));
		return;
	}
	answers = json_array();
	json_array_foreach(batch, i, m)
	{
		json_t *answer = answer_message(s, m, true);

		if (answer)
			json_append(answers, answer);
	}
	if (json_array_size(answers))
		send_message(s, answers);
	else
		json_decref(answers);
}

bool mcp_work(struct mcp *s)
{
	struct message m;
	json_t *answer;

	if (s->next == s->queue.n) {
		s->queue.n = s->next = 0;
		return false;
	}
	m = s->queue.at[s->next++];
	if (m.fault != FAULT_NONE) {
		send_message(s,
			make_error(NULL, RPC_PARSE,
				m.fault == FAULT_LONG ? "a line of more than 1 MB" : "not JSON"));
	} else if (json_is_array(m.root)) {
		answer_batch(s, m.root);
	} else if (!m.cancelled) {
		answer = answer_message(s, m.root, false);
		if (answer)
			send_message(s, answer);
	}
	json_decref(m.root);
	return true;
}

/* ---- input ---- */

/* "initialize" cannot be cancelled. */
static void cancel_request(struct mcp *s, json_t *notification)
{
	json_t *id = json_object_get(json_object_get(notification, "params"), "requestId");

	for (size_t i = s->next; id && i < s->queue.n; i++) {
		struct message *m = &s->queue.at[i];
		const char *method = json_string_value(json_object_get(m->root, "method"));

		if (method && !str_eq(method, "initialize") &&
			json_equal(json_object_get(m->root, "id"), id))
			m->cancelled = true;
	}
}

static void end_line(struct mcp *s)
{
	struct message m = {0};
	const char *method;
	size_t blanks = s->line.data ? strspn(s->line.data, " \t\r") : 0;

	if (s->skipping) {
		m.fault = FAULT_LONG;
	} else if (blanks == s->line.len) {
		return;
	} else {
		m.root = json_loadb(s->line.data, s->line.len, JSON_REJECT_DUPLICATES, NULL);
		m.fault = m.root ? FAULT_NONE : FAULT_PARSE;
	}
	method = json_string_value(json_object_get(m.root, "method"));
	if (method && str_eq(method, "notifications/cancelled"))
		cancel_request(s, m.root);
	vec_push(&s->queue, m);
}

void mcp_feed(struct mcp *s, const char *bytes, size_t len)
{
	while (len) {
		const char *end = memchr(bytes, '\n', len);
		size_t n = end ? (size_t)(end - bytes) : len;

		if (!s->skipping && !buf_add(&s->line, bytes, n)) {
			s->skipping = true;
			buf_reset(&s->line);
		}
		if (end) {
			end_line(s);
			s->skipping = false;
			buf_reset(&s->line);
			n++;
		}
		bytes += n;
		len -= n;
	}
}

struct mcp *mcp_new(const struct mcp_opts *opts)
{
	struct mcp *s = mem_calloc(1, sizeof(*s));

	s->opts = *opts;
	buf_init(&s->line, MCP_LINE_MAX);
	return s;
}

void mcp_free(struct mcp *s)
{
	for (size_t i = s->next; i < s->queue.n; i++)
		json_decref(s->queue.at[i].root);
	vec_free(&s->queue);
	buf_free(&s->line);
	free(s);
}
