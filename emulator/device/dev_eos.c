/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator/device/dev_eos.h"

#include <string.h>
#include <stdlib.h>

#include "base/str.h"

#define COMMANDS_MAX 256u

/* What went wrong with one command: the code and words of eAPI. */
struct failure {
	int code;
	const char *reason;
	json_t *errors;
};

static json_t *text_reply(const struct machine *m, const struct eos_command *c, const char *wanted)
{
	struct buf out;
	json_t *o;
	char *text;

	buf_init(&out, 16u << 20);
	if (c->text) {
		c->text(m, &out);
	} else if (c->json) {
		/* What has no text here is shown as its model. */
		o = c->json(m, wanted);
		text = json_dumps(o, JSON_INDENT(4));
		if (text)
			(void)buf_adds(&out, text);
		free(text);
		json_decref(o);
	}
	o = json_pack("{s:s}", "output", out.data ? out.data : "");
	buf_free(&out);
	return o;
}

static json_t *run_one(const struct machine *m, const char *line, bool text, struct failure *f)
{
	char buffer[32];
	const char *wanted;
	const struct eos_command *c = eos_find(line, buffer, &wanted);
	char token[64];
	unsigned at;

	if (!c) {
		at = eos_bad_token(line, token);
		*f = (struct failure){1002, "invalid command",
			json_pack("[o]", token[0]
						 ? json_sprintf("Invalid input (at token %u: '%s')",
							   at, token)
						 : json_string("Incomplete command"))};
		return NULL;
	}
	if (text)
		return text_reply(m, c, wanted);
	if (!c->json) {
		*f = (struct failure){1003, "unconverted command",
			json_pack("[s]",
				"Command cannot be used over the API at this time. To see ASCII "
				"output, set format='text' in your request")};
		return NULL;
	}
	return c->json(m, wanted);
}

static json_t *error_reply(json_t *id, int code, json_t *message, json_t *data)
{
	json_t *error = json_pack("{s:i,s:o}", "code", code, "message", message);

	if (data)
		(void)json_object_set_new(error, "data", data);
	return json_pack("{s:s,s:O,s:o}", "jsonrpc", "2.0", "id", id, "error", error);
}

/* The commands in order; the first that fails ends the batch. */
static json_t *run_commands(const struct machine *m, json_t *id, json_t *commands, bool text)
{
	json_t *results = json_array(), *item;
	size_t i, n = json_array_size(commands);
	struct failure f = {0};

	json_array_foreach(commands, i, item)
	{
		const char *line = json_is_object(item)
					   ? json_string_value(json_object_get(item, "cmd"))
					   : json_string_value(item);
		json_t *one = line ? run_one(m, line, text, &f) : NULL;

		if (one) {
			(void)json_array_append_new(results, one);
			continue;
		}
		if (!line)
			f = (struct failure){
				1002, "invalid command", json_pack("[s]", "not a command")};
		(void)json_array_append_new(results, json_pack("{s:o}", "errors", f.errors));
		return error_reply(id, f.code,
			json_sprintf("CLI command %zu of %zu '%s' failed: %s", i + 1, n,
				line ? line : "", f.reason),
			results);
	}
	return json_pack("{s:s,s:O,s:o}", "jsonrpc", "2.0", "id", id, "result", results);
}

static json_t *answer(const struct machine *m, json_t *request)
{
	json_t *id = json_object_get(request, "id"), *params = json_object_get(request, "params");
	json_t *commands = json_object_get(params, "cmds"), *null = json_null();
	const char *method = json_string_value(json_object_get(request, "method"));
	const char *format = json_string_value(json_object_get(params, "format"));

	if (!id)
		id = null;
	if (!str_eq(json_string_value(json_object_get(request, "jsonrpc")), "2.0"))
		return error_reply(
			id, -32600, json_string("Invalid request: jsonrpc must be '2.0'"), NULL);
	if (!str_eq(method, "runCmds"))
		return error_reply(id, -32601,
			json_sprintf("Method '%s' not found", method ? method : ""), NULL);
	if (!json_is_array(commands) || json_array_size(commands) > COMMANDS_MAX)
		return error_reply(
			id, -32602, json_string("Invalid params: cmds must be an array"), NULL);
	if (format && strcmp(format, "json") != 0 && strcmp(format, "text") != 0)
		return error_reply(id, -32602, json_string("Invalid params: format"), NULL);
	return run_commands(m, id, commands, str_eq(format, "text"));
}

static void send_json(json_t *o, struct http_reply *reply)
{
	char *text = json_dumps(o, JSON_COMPACT);

	json_decref(o);
	reply->type = "application/json";
	if (!text || !buf_adds(reply->out, text))
		reply->status = 500;
	free(text);
}

static void send_text(unsigned status, const char *text, struct http_reply *reply)
{
	(void)buf_adds(reply->out, text);
	reply->status = status;
	reply->type = "text/plain";
}

static void switch_http(struct personality_ctx *ctx, struct sim_device *d,
	const struct http_request *q, struct http_reply *reply)
{
	struct machine m = {.ctx = ctx, .d = d};
	json_error_t where;
	json_t *request;

	if (!q->basic_ok) {
		reply->realm = "eapi";
		send_text(401, "unauthorized\n", reply);
		return;
	}
	if (strcmp(q->path, "/command-api") != 0) {
		send_text(404, "Not Found\n", reply);
		return;
	}
	if (strcmp(q->method, "POST") != 0) {
		send_text(405, "Method Not Allowed\n", reply);
		return;
	}
	request = json_loadb(q->body, q->len, 0, &where);
	if (!request) {
		send_json(error_reply(json_null(), -32700,
				  json_sprintf("Parse error: %s", where.text), NULL),
			reply);
		return;
	}
	send_json(answer(&m, request), reply);
	json_decref(request);
}

/* Over SSH: one command, with "| json" or "| no-more" behind it. */
static int switch_exec(struct personality_ctx *ctx, struct sim_device *d, const char *line,
	const char *input, struct buf *out, struct buf *err)
{
	struct machine m = {.ctx = ctx, .d = d};
	const char *bar = strchr(line, '|');
	struct failure f = {0};
	bool json = bar && strstr(bar, "json");
	char command[256], *text;
	json_t *o;

	(void)input, (void)err;
	if (!str_copyn(command, sizeof(command), line, bar ? (size_t)(bar - line) : strlen(line)))
		command[0] = '\0';
	o = run_one(&m, command, !json, &f);
	if (!o) {
		json_decref(f.errors);
		(void)buf_adds(out, "% Invalid input\n");
		return 1;
	}
	text = json ? json_dumps(o, JSON_INDENT(4)) : NULL;
	(void)buf_addf(out, "%s\n", text ? text : json_string_value(json_object_get(o, "output")));
	free(text);
	json_decref(o);
	return 0;
}

const struct personality personality_eos = {"eos", switch_exec, switch_http, NULL};
