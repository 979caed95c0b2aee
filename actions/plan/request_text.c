/* SPDX-License-Identifier: Apache-2.0 */
/* Requests as a person would type them. */
#include <stdlib.h>
#include <string.h>

#include "actions/plan/plan.h"
#include "base/buf.h"
#include "base/str.h"

#define LINE_MAX_LEN 4096
#define LINES_MAX    200

struct lines {
	void (*line)(void *ctx, const char *text);
	void *ctx;
	unsigned n;
};

static void add_line(struct lines *l, const char *text, size_t n)
{
	char clean[LINE_MAX_LEN];

	if (!n || l->n > LINES_MAX)
		return;
	(void)str_sanitise(clean, sizeof(clean), text, n);
	l->line(l->ctx, l->n++ == LINES_MAX ? "..." : clean);
}

static void say_lines(struct lines *l, const char *text)
{
	while (*text) {
		size_t n = strcspn(text, "\n");

		add_line(l, text, n && text[n - 1] == '\r' ? n - 1 : n);
		text += n + (text[n] == '\n');
	}
}

/* ---- bodies ---- */

/* eAPI: a command is a text, or an object with the text as "cmd". */
static const char *command_of(const json_t *j)
{
	return json_string_value(json_is_object(j) ? json_object_get(j, "cmd") : j);
}

static bool say_commands(struct lines *l, const json_t *list)
{
	size_t i;
	const json_t *one;

	if (!json_is_array(list) || !json_array_size(list))
		return false;
	json_array_foreach(list, i, one) if (!command_of(one)) return false;
	json_array_foreach(list, i, one) say_lines(l, command_of(one));
	return true;
}

/* NX-API: "conf t ;interface Ethernet1/1 ;shutdown". */
static bool say_semicolons(struct lines *l, const char *text)
{
	if (!text)
		return false;
	while (*text) {
		size_t n, shown;

		text += strspn(text, " ");
		n = shown = strcspn(text, ";");
		while (shown && text[shown - 1] == ' ')
			shown--;
		add_line(l, text, shown);
		text += n + (text[n] == ';');
	}
	return true;
}

static bool say_rpc(struct lines *l, const json_t *call)
{
	const json_t *params = json_object_get(call, "params");
	const char *cmd = json_string_value(json_object_get(params, "cmd"));

	if (!cmd)
		return say_commands(l, json_object_get(params, "cmds"));
	say_lines(l, cmd);
	return true;
}

/* A list of calls, each with one command (NX-API's JSON-RPC). */
static bool say_calls(struct lines *l, const json_t *list)
{
	size_t i;
	const json_t *one;

	if (!json_is_array(list) || !json_array_size(list))
		return false;
	json_array_foreach(
		list, i, one) if (!json_string_value(json_object_get(json_object_get(one, "params"),
					  "cmd"))) return false;
	json_array_foreach(list, i, one)(void) say_rpc(l, one);
	return true;
}

static void say_body(struct lines *l, const char *body)
{
	json_t *j = json_loads(body, JSON_REJECT_DUPLICATES, NULL);
	const json_t *api = json_object_get(j, "ins_api");
	char *text = NULL;

	if (!j) {
		say_lines(l, body);
		return;
	}
	if (!say_rpc(l, j) && !say_calls(l, j) &&
		!say_semicolons(l, json_string_value(json_object_get(api, "input")))) {
		text = json_dumps(j, JSON_ENCODE_ANY | JSON_COMPACT);
		add_line(l, text ? text : body, strlen(text ? text : body));
	}
	free(text);
	json_decref(j);
}

/* ---- requests ---- */

void request_each_line(
	const struct request *r, void (*line)(void *ctx, const char *text), void *ctx)
{
	struct lines l = {line, ctx, 0};
	struct buf head;

	if (r->command) {
		say_lines(&l, r->command);
		if (r->input)
			say_lines(&l, r->input);
		return;
	}
	buf_init(&head, LINE_MAX_LEN);
	(void)buf_addf(&head, "%s %s", r->method ? r->method : "?", r->path ? r->path : "?");
	if (head.data)
		add_line(&l, head.data, head.len);
	buf_free(&head);
	if (r->body)
		say_body(&l, r->body);
}

struct joined {
	char *dst;
	size_t size;
	unsigned n;
	bool http;
};

static void join_line(void *ctx, const char *text)
{
	struct joined *j = ctx;
	size_t at = strlen(j->dst);
	const char *gap = !j->n ? "" : j->http && j->n == 1 ? "  " : "; ";

	j->n++;
	if (!str_printf(j->dst + at, j->size - at, "%s%s", gap, text) && j->size > 4)
		(void)str_copy(j->dst + j->size - 4, 4, "...");
}

void request_line(const struct request *r, char *dst, size_t size)
{
	struct joined j = {dst, size, 0, !r->command};

	if (!size)
		return;
	dst[0] = '\0';
	request_each_line(r, join_line, &j);
}
