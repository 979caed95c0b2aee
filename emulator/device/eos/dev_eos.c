/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator/device/eos/dev_eos.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"

/* The entry points of commands: eAPI requests with their logins, and the CLI over SSH. */

#define COMMANDS_MAX 256u
#define LINE_MAX_LEN 512u

/* The failure of one command: code and reason of eAPI. */
struct failure {
	int code;
	const char *reason;
	json_t *errors;
};

struct batch {
	struct eos_session session;
	bool text, timestamps;
};

static json_t *text_reply(const struct machine *m, const struct eos_command *c, const char *wanted)
{
	struct buf out;
	json_t *o;
	char *text;

	buf_init(&out, 16u << 20);
	if (c->text) {
		c->text(m, wanted, &out);
	} else if (c->json) {
		/* A command without text output shows its JSON model. */
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

/* Position of the wrong word in an unknown command, from 1. */
static json_t *bad_token(const struct eos_session *s, const char *line)
{
	const struct eos_command *c;
	unsigned best = eos_change_words(s, line), n;
	char token[64];

	for (c = eos_commands; c->words; c++) {
		n = eos_match_words(c->words, line);
		best = n > best ? n : best;
	}
	for (n = 0, line += strspn(line, " "); n < best; n++) {
		line += strcspn(line, " ");
		line += strspn(line, " ");
	}
	(void)str_copyn(token, sizeof(token), line, strcspn(line, " "));
	return token[0] ? json_sprintf("Invalid input (at token %u: '%s')", best + 1, token)
			: json_string("Incomplete command");
}

static void fail_with(struct failure *f, int code, const char *reason, json_t *words)
{
	*f = (struct failure){code, reason, json_pack("[o]", words)};
}

static const struct eos_command *find_command(
	const struct eos_session *s, const char *line, struct eos_args *a)
{
	const struct eos_command *c;

	for (c = eos_commands; c->words; c++)
		if (eos_match(c->words, line, s->abbreviate, a) &&
			(!strchr(c->words, '%') || eos_port(s->m, a->word[0])))
			return c;
	return NULL;
}

static json_t *run_show(struct eos_session *s, const struct eos_command *c,
	const struct eos_args *a, bool text, struct failure *f)
{
	const char *wanted = a->n ? a->word[0] : NULL;

	if (c->privileged && !s->enabled) {
		fail_with(f, 1002, "invalid command",
			json_string("Invalid input (privileged mode required)"));
		return NULL;
	}
	if (text)
		return text_reply(s->m, c, wanted);
	if (!c->json) {
		fail_with(f, 1003, "unconverted command",
			json_string("Command cannot be used over the API at this time. To see "
				    "ASCII output, set format='text' in your request"));
		return NULL;
	}
	return c->json(s->m, wanted);
}

static json_t *run_one(struct eos_session *s, const char *line, bool text, struct failure *f)
{
	struct eos_args args;
	const struct eos_command *c;
	enum eos_result changed;

	if (s->m->d->commands_fail) {
		/* The CLI works, but the agent behind it does not. */
		fail_with(f, 1000, "could not run command",
			json_string("Unable to connect to Sysdb: connection refused"));
		return NULL;
	}
	c = find_command(s, line, &args);
	if (c)
		return run_show(s, c, &args, text, f);
	changed = eos_change(s, line);
	if (changed == EOS_DONE && sim_write_denied(s->m->ctx->sim))
		changed = EOS_DENIED;
	if (changed == EOS_DONE)
		return text ? json_pack("{s:s}", "output", "") : json_object();
	fail_with(f, 1002, "invalid command",
		changed == EOS_DENIED ? json_string("Invalid input (privileged mode required)")
				      : bad_token(s, line));
	return NULL;
}

static json_t *error_reply(json_t *id, int code, json_t *message, json_t *data)
{
	json_t *error = json_pack("{s:i,s:o}", "code", code, "message", message);

	if (data)
		(void)json_object_set_new(error, "data", data);
	return json_pack("{s:s,s:O,s:o}", "jsonrpc", "2.0", "id", id, "error", error);
}

/* A command is a string or {"cmd", "input", "revision"}. */
static const char *command_of(const json_t *item)
{
	const json_t *revision = json_object_get(item, "revision");
	const json_t *input = json_object_get(item, "input");

	if (!json_is_object(item))
		return json_string_value(item);
	if ((revision && !json_is_integer(revision)) || (input && !json_is_string(input)))
		return NULL;
	return json_string_value(json_object_get(item, "cmd"));
}

/* Runs the commands in order; the first failure ends the batch. */
static json_t *run_commands(struct batch *b, json_t *id, json_t *commands)
{
	json_t *results = json_array(), *item;
	size_t i, n = json_array_size(commands);
	struct failure f = {0};

	json_array_foreach(commands, i, item)
	{
		const char *line = command_of(item);
		json_t *one = line ? run_one(&b->session, line, b->text, &f) : NULL;

		if (one && b->timestamps)
			(void)json_object_set_new(one, "_meta",
				json_pack("{s:f,s:f}", "execStartTime", eos_now(b->session.m),
					"execDuration", 0.015 + 0.001 * (double)i));
		if (one) {
			(void)json_array_append_new(results, one);
			continue;
		}
		if (!line)
			fail_with(&f, 1002, "invalid command", json_string("not a command"));
		(void)json_array_append_new(results, json_pack("{s:o}", "errors", f.errors));
		return error_reply(id, f.code,
			json_sprintf("CLI command %zu of %zu '%s' failed: %s", i + 1, n,
				line ? line : "", f.reason),
			results);
	}
	return json_pack("{s:s,s:O,s:o}", "jsonrpc", "2.0", "id", id, "result", results);
}

/* NULL, or the error message for invalid params. */
static const char *bad_params(const json_t *params)
{
	const json_t *commands = json_object_get(params, "cmds");
	const json_t *version = json_object_get(params, "version");
	const json_t *format = json_object_get(params, "format");

	if (!json_is_array(commands) || json_array_size(commands) > COMMANDS_MAX)
		return "Invalid params: cmds must be an array";
	if (format && !str_eq(json_string_value(format), "json") &&
		!str_eq(json_string_value(format), "text"))
		return "Invalid params: format";
	if (version && json_integer_value(version) != 1 &&
		!str_eq(json_string_value(version), "latest"))
		return "Invalid params: version must be 1 or 'latest'";
	return NULL;
}

static json_t *answer_request(const struct machine *m, json_t *request)
{
	json_t *id = json_object_get(request, "id"), *params = json_object_get(request, "params");
	json_t *null = json_null();
	const char *method = json_string_value(json_object_get(request, "method"));
	const char *wrong = bad_params(params);
	struct batch b = {.session = {.m = m, .user = m->ctx->user ? m->ctx->user : "admin"}};

	if (!id)
		id = null;
	if (!str_eq(json_string_value(json_object_get(request, "jsonrpc")), "2.0"))
		return error_reply(
			id, -32600, json_string("Invalid request: jsonrpc must be '2.0'"), NULL);
	if (!str_eq(method, "runCmds"))
		return error_reply(id, -32601,
			json_sprintf("Method '%s' not found", method ? method : ""), NULL);
	if (wrong)
		return error_reply(id, -32602, json_string(wrong), NULL);
	b.text = str_eq(json_string_value(json_object_get(params, "format")), "text");
	b.timestamps = json_is_true(json_object_get(params, "timestamps"));
	b.session.abbreviate = json_is_true(json_object_get(params, "autoComplete"));
	return run_commands(&b, id, json_object_get(params, "cmds"));
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

static void log_in(struct personality_ctx *ctx, const struct sim_device *d,
	const struct http_request *q, struct http_reply *reply)
{
	json_t *o = json_loadb(q->body, q->len, 0, NULL);
	const char *user = json_string_value(json_object_get(o, "username"));
	const char *password = json_string_value(json_object_get(o, "password"));

	if (!user || !password) {
		send_text(400, "Bad Request\n", reply);
	} else if (!personality_login(ctx, d, user, password)) {
		send_text(401, "Bad username/password combination\n", reply);
	} else {
		eos_login(ctx, d, reply->cookie);
		send_json(json_pack("{s:s}", "username", user), reply);
	}
	json_decref(o);
}

static void switch_http(struct personality_ctx *ctx, struct sim_device *d,
	const struct http_request *q, struct http_reply *reply)
{
	struct machine m = {.ctx = ctx, .d = d};
	bool post = !strcmp(q->method, "POST");
	json_error_t where;
	json_t *request;

	if (post && !strcmp(q->path, "/login")) {
		log_in(ctx, d, q, reply);
		return;
	}
	if (!q->basic_ok && !eos_logged_in(ctx, d, q->cookie)) {
		reply->realm = "eapi";
		send_text(401, "unauthorized\n", reply);
		return;
	}
	if (post && !strcmp(q->path, "/logout")) {
		eos_logout(ctx, d, q->cookie);
		send_text(200, "", reply);
		return;
	}
	if (strcmp(q->path, "/command-api") != 0) {
		send_text(404, "Not Found\n", reply);
		return;
	}
	if (!post) {
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
	send_json(answer_request(&m, request), reply);
	json_decref(request);
	if (sim_write_expired(ctx->sim))
		eos_logout(ctx, d, q->cookie);
}

static void print_failure(const char *line, const struct failure *f, struct buf *out)
{
	const char *words = json_string_value(json_array_get(f->errors, 0));

	if (f->code == 1003)
		(void)buf_addf(out, "%% This is an unconverted command: '%s'\n", line);
	else
		(void)buf_addf(out, "%% %s\n", words ? words : "Invalid input");
}

/* Runs one line of the CLI, with an optional "| json" or "| no-more". */
static int cli_line(struct eos_session *s, const char *line, struct buf *out)
{
	/* A bar inside a word belongs to a pattern: "section bgp|ospf". */
	const char *bar = strstr(line, " |"), *body;
	bool json = bar && str_starts(bar + 2 + strspn(bar + 2, " "), "json");
	char command[LINE_MAX_LEN], *text;
	struct failure f = {0};
	json_t *o;

	(void)str_copyn(command, sizeof(command), line, bar ? (size_t)(bar - line) : strlen(line));
	if (!command[strspn(command, " ")] || str_starts(command, "terminal "))
		return 0;
	o = run_one(s, command, !json, &f);
	if (!o) {
		print_failure(command, &f, out);
		json_decref(f.errors);
		return 1;
	}
	text = json ? json_dumps(o, JSON_INDENT(4)) : NULL;
	body = text ? text : json_string_value(json_object_get(o, "output"));
	if (*body)
		(void)buf_addf(out, "%s%s", body, body[strlen(body) - 1] == '\n' ? "" : "\n");
	free(text);
	json_decref(o);
	return 0;
}

static int cli_lines(struct eos_session *s, const char *text, struct buf *out)
{
	char line[LINE_MAX_LEN];
	int status = 0;

	while (*text) {
		size_t n = strcspn(text, "\r\n");

		(void)str_copyn(line, sizeof(line), text, n);
		status = cli_line(s, line, out);
		text += n;
		text += strspn(text, "\r\n");
	}
	return status;
}

/* Over SSH a user of privilege 15 is in enable mode from the start. */
static int switch_exec(struct personality_ctx *ctx, struct sim_device *d, const char *line,
	const char *input, struct buf *out, struct buf *err)
{
	struct machine m = {.ctx = ctx, .d = d};
	struct eos_session s = {.m = &m,
		.user = ctx->user ? ctx->user : "admin",
		.enabled = true,
		.abbreviate = true};
	int status = cli_lines(&s, line, out);

	(void)err;
	return input && *input ? cli_lines(&s, input, out) : status;
}

static bool reads_input(const char *command)
{
	(void)command;
	return false;
}

const struct personality personality_eos = {"eos", switch_exec, switch_http, reads_input, false};
