/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/contract/backend.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"

#define REQUEST_CAP        ((size_t)8 << 20)
#define REQUEST_TIMEOUT_US (10 * CLOCK_SEC)

static struct request *request_add(struct request_list *l, const char *name)
{
	struct request *r = vec_add(&l->at);

	r->name = name;
	r->cap = REQUEST_CAP;
	r->timeout_us = REQUEST_TIMEOUT_US;
	return r;
}

static char *copy_or_null(const char *s)
{
	return s ? mem_strdup(s) : NULL;
}

struct request *requests_ssh(
	struct request_list *l, const char *name, const char *command, const char *input)
{
	struct request *r = request_add(l, name);

	r->command = mem_strdup(command);
	r->input = copy_or_null(input);
	return r;
}

/* Standard input stays open as long as the session, so its end means the end of the session. */
static const char follow_head[] = "exec sh -c 'exec 3<&0; ";
static const char follow_tail[] = " </dev/null & p=$!; "
				  "(while read -r x; do :; done; kill $p) <&3 >/dev/null 2>&1 & "
				  "c=$!; exec 3<&-; wait $p; s=$?; kill $c; exit $s'";

static void add_quoted(struct buf *b, const char *command)
{
	for (const char *at = command; *at; at++)
		(void)(*at == '\'' ? buf_adds(b, "'\\''") : buf_add(b, at, 1));
}

struct request *requests_follow(struct request_list *l, const char *name, const char *command)
{
	struct request *r = request_add(l, name);
	struct buf b;

	buf_init(&b, sizeof(follow_head) + sizeof(follow_tail) + 4 * strlen(command));
	(void)buf_adds(&b, follow_head);
	add_quoted(&b, command);
	(void)buf_adds(&b, follow_tail);
	r->command = buf_take(&b, NULL);
	r->follow = true;
	return r;
}

char *requests_followed(const char *line)
{
	size_t n = strlen(line), head = sizeof(follow_head) - 1, tail = sizeof(follow_tail) - 1;
	struct request_list again = {0};
	struct buf b;
	char *command;

	if (n < head + tail || strncmp(line, follow_head, head) != 0 ||
		strcmp(line + n - tail, follow_tail) != 0)
		return NULL;
	buf_init(&b, n);
	for (size_t i = head; i < n - tail; i++) {
		(void)buf_add(&b, line + i, 1);
		i += strncmp(line + i, "'\\''", 4) == 0 ? 3 : 0;
	}
	command = buf_take(&b, NULL);
	/* With another quoting it is a different line. */
	if (strcmp(requests_follow(&again, "", command)->command, line) != 0) {
		free(command);
		command = NULL;
	}
	requests_free(&again);
	return command;
}

struct request *requests_forward(struct request_list *l, const char *name, uint16_t port,
	const char *input, const char *confirm, const char *confirmed)
{
	struct request *r = request_add(l, name);

	r->forward_port = port;
	r->input = copy_or_null(input);
	r->confirm = confirm;
	r->confirmed = copy_or_null(confirmed);
	return r;
}

struct request *requests_http(struct request_list *l, const char *name, const char *method,
	const char *path, const char *content_type, const char *body)
{
	struct request *r = request_add(l, name);

	r->method = method;
	r->path = mem_strdup(path);
	r->content_type = content_type;
	r->body = copy_or_null(body);
	return r;
}

void requests_free(struct request_list *l)
{
	for (size_t i = 0; i < l->at.n; i++) {
		free(l->at.at[i].command);
		free(l->at.at[i].input);
		free(l->at.at[i].path);
		free(l->at.at[i].body);
		free(l->at.at[i].confirmed);
	}
	vec_free(&l->at);
}
