/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/str.h"
#include "emulator/device/nxos/dev_nxos.h"

/* NX-API: JSON-RPC (one object or an array of them) and the older ins_api envelope. */

#define COMMANDS_MAX 128u

/* ---- JSON-RPC ---- */

static json_t *rpc_error(json_t *id, int code, const char *message, const char *data)
{
	json_t *error = json_pack("{s:i,s:s}", "code", code, "message", message);

	if (data)
		(void)json_object_set_new(error, "data", json_pack("{s:s}", "msg", data));
	return json_pack("{s:s,s:o,s:O}", "jsonrpc", "2.0", "error", error, "id", id);
}

/* The message for a command that failed. */
static const char *failure_message(enum nxos_status status)
{
	switch (status) {
	case NXOS_INCOMPLETE:
		return "% Incomplete command\n";
	case NXOS_UNSTRUCTURED:
		return "structured output unsupported for this command\n";
	case NXOS_DENIED:
		return "% Permission denied for the role\n";
	default:
		return "% Invalid command\n";
	}
}

static json_t *rpc_result(const struct nxos_answer *a, bool ascii)
{
	if (a->config || (ascii ? !a->text.len : !a->body))
		return json_null();
	if (!ascii)
		return json_pack("{s:O}", "body", a->body);
	return json_pack("{s:s}", "msg", a->text.data);
}

static json_t *rpc_run(struct nxos_session *s, json_t *id, const char *command, bool ascii)
{
	struct nxos_answer a;
	json_t *o;

	nxos_run_piped(s, command, ascii ? NXOS_TEXT : NXOS_JSON, &a);
	if (a.status == NXOS_DEAD)
		o = rpc_error(id, -32603, "Internal error", "Service not responding\n");
	else if (a.status != NXOS_DONE)
		o = rpc_error(id, -32602, "Invalid params", failure_message(a.status));
	else
		o = json_pack("{s:s,s:o,s:O}", "jsonrpc", "2.0", "result", rpc_result(&a, ascii),
			"id", id);
	nxos_answer_free(&a);
	return o;
}

static json_t *rpc_one(struct nxos_session *s, json_t *request)
{
	json_t *id = json_object_get(request, "id"), *null = json_null();
	const char *method = json_string_value(json_object_get(request, "method"));
	const char *command =
		json_string_value(json_object_get(json_object_get(request, "params"), "cmd"));
	bool ascii = str_eq(method, "cli_ascii");

	id = id ? id : null;
	if (!str_eq(json_string_value(json_object_get(request, "jsonrpc")), "2.0"))
		return rpc_error(id, -32600, "Invalid request", NULL);
	if (!ascii && !str_eq(method, "cli") && !str_eq(method, "cli_array"))
		return rpc_error(id, -32601, "Method not found", NULL);
	if (!command)
		return rpc_error(id, -32602, "Invalid params", NULL);
	return rpc_run(s, id, command, ascii);
}

static json_t *answer_rpc(struct nxos_session *s, json_t *request)
{
	json_t *all, *one;
	size_t i;

	if (!json_is_array(request))
		return rpc_one(s, request);
	if (json_array_size(request) == 1)
		return rpc_one(s, json_array_get(request, 0));
	all = json_array();
	json_array_foreach(request, i, one)(void) json_array_append_new(all, rpc_one(s, one));
	return all;
}

/* ---- ins_api ---- */

static json_t *ins_output(const char *command, const struct nxos_answer *a, bool ascii)
{
	json_t *o = json_object();

	nxos_str(o, "input", command);
	if (a->status == NXOS_DONE) {
		nxos_str(o, "msg", "Success");
		nxos_str(o, "code", "200");
		(void)json_object_set_new(o, "body",
			a->body ? json_incref(a->body)
			: ascii ? json_string(a->text.data ? a->text.data : "")
				: json_object());
		return o;
	}
	if (a->status == NXOS_UNSTRUCTURED) {
		nxos_str(o, "msg", "Structured output unsupported");
		nxos_str(o, "code", "501");
	} else if (a->status == NXOS_DEAD) {
		nxos_str(o, "msg", "Backend processing error");
		nxos_str(o, "code", "500");
	} else {
		nxos_str(o, "msg", "Input CLI command error");
		nxos_str(o, "code", "400");
		nxos_str(o, "clierror", failure_message(a->status));
	}
	return o;
}

static void trim_blanks(char *text)
{
	size_t n = strlen(text), lead = strspn(text, " ");

	while (n > lead && text[n - 1] == ' ')
		n--;
	memmove(text, text + lead, n - lead);
	text[n - lead] = '\0';
}

/* " ;" separates commands; each gets an answer. stop: no further commands after a failure. */
static json_t *ins_outputs(struct nxos_session *s, const char *input, bool ascii, bool stop)
{
	bool failed = false;
	json_t *all = json_array(), *one;
	struct nxos_answer a;
	char command[NXOS_LINE_MAX];

	while (*input && json_array_size(all) < COMMANDS_MAX && !(stop && failed)) {
		size_t n = strcspn(input, ";");

		nxos_line_copy(command, input, n);
		trim_blanks(command);
		nxos_run_piped(s, command, ascii ? NXOS_TEXT : NXOS_JSON, &a);
		(void)json_array_append_new(all, ins_output(command, &a, ascii));
		failed = a.status != NXOS_DONE;
		nxos_answer_free(&a);
		input += n + (input[n] == ';');
	}
	if (json_array_size(all) != 1)
		return all;
	one = json_incref(json_array_get(all, 0));
	json_decref(all);
	return one;
}

static json_t *ins_api(struct nxos_session *s, json_t *request)
{
	const char *type = json_string_value(json_object_get(request, "type"));
	const char *input = json_string_value(json_object_get(request, "input"));
	const char *sid = json_string_value(json_object_get(request, "sid"));
	const char *rollback = json_string_value(json_object_get(request, "rollback"));
	/* A real switch undoes the commands with "rollback-on-error"; here the rest is only
	 * skipped. */
	bool stop = str_eq(type, "cli_conf") && !str_eq(rollback, "continue-on-error");
	json_t *outputs;

	if (!input || !type || !str_starts(type, "cli_"))
		outputs = json_pack("{s:s,s:s}", "code", "400", "msg",
			input ? "Invalid message type" : "Missing input");
	else
		outputs = ins_outputs(s, input, str_eq(type, "cli_show_ascii"), stop);
	return json_pack("{s:{s:s,s:s,s:s,s:{s:o}}}", "ins_api", "type", type ? type : "",
		"version", "1.0", "sid", sid ? sid : "eoc", "outputs", "output", outputs);
}

void nxos_api(struct nxos_session *s, const struct http_request *q, struct http_reply *reply)
{
	json_t *request = json_loadb(q->body, q->len, 0, NULL), *ins, *null = json_null();

	ins = json_object_get(request, "ins_api");
	if (!request)
		nxos_send(reply, 400, rpc_error(null, -32700, "Parse error", NULL));
	else if (ins)
		nxos_send(reply, s->m.d->commands_fail ? 500 : 200, ins_api(s, ins));
	else if (json_array_size(request) > COMMANDS_MAX ||
		 (json_is_array(request) && !json_array_size(request)))
		nxos_send(reply, 400, rpc_error(null, -32600, "Invalid request", NULL));
	else
		nxos_send(reply, s->m.d->commands_fail ? 500 : 200, answer_rpc(s, request));
	json_decref(request);
}
