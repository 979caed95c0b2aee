/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/config/runbooks.h"
#include "app/headless/headless.h"
#include "app/mcp/tools.h"
#include "base/buf.h"
#include "base/str.h"

#define CHUNK 65536
#define TICK_MAX                                                                                   \
	64 /* messages in one tick of the session, so that answers of devices do not wait */

struct serving {
	struct mcp *server;
	struct mcp_data data;
	bool input_ended, output_ended;
};

static void print_warning(void *ctx, const char *message)
{
	(void)ctx;
	(void)fprintf(stderr, "railtop: %s\n", message);
}

static void write_line(void *to, const char *line, size_t len)
{
	struct serving *s = to;

	if (!fd_write_all(STDOUT_FILENO, line, len))
		s->output_ended = true;
}

/* Reads what is there; wait_ms as for poll(). */
static void read_input(struct serving *s, int wait_ms)
{
	struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
	char bytes[CHUNK];
	ssize_t n;

	if (s->input_ended || poll(&in, 1, wait_ms) <= 0)
		return;
	n = read(STDIN_FILENO, bytes, sizeof(bytes));
	if (n > 0)
		mcp_feed(s->server, bytes, (size_t)n);
	else if (n == 0 || (errno != EINTR && errno != EAGAIN))
		s->input_ended = true;
}

/* Messages are read before the ones that are waiting are answered, and these first at the end. */
static bool serve_some(struct serving *s, int wait_ms)
{
	unsigned n = 0;

	while (n < TICK_MAX && !s->output_ended && mcp_work(s->server))
		n++;
	if (n == TICK_MAX || s->output_ended)
		return !s->output_ended;
	read_input(s, wait_ms);
	for (n = 0; n < TICK_MAX && !s->output_ended && mcp_work(s->server); n++)
		;
	return !s->output_ended && (!s->input_ended || n == TICK_MAX);
}

static bool serve(void *ctx, const struct collected *c, bool interrupted, int *code)
{
	struct serving *s = ctx;
	bool goes_on;

	if (!c)
		return true;
	*code = EXIT_FINE;
	s->data.collected = c;
	goes_on = serve_some(s, c->session ? 0 : -1);
	/* A recording does not change: there is nothing to return to. */
	while (!c->session && goes_on)
		goes_on = serve_some(s, -1);
	s->data.collected = NULL;
	return !goes_on || (c->session && interrupted);
}

static int serve_all(const struct options *o, const struct runbooks *books)
{
	struct serving s = {.data = {.runbooks = books}};
	struct headless_opts opts = {.options = o, .for_us = 1, .more = serve, .ctx = &s};
	struct mcp_opts server = {.tools = mcp_tools,
		.ntools = mcp_tool_count,
		.ctx = &s.data,
		.clean = mcp_drop_secrets,
		.instructions = mcp_instructions,
		.write = write_line,
		.to = &s};
	struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
	int code;

	(void)sigaction(SIGPIPE, &ignore, &before);
	s.server = mcp_new(&server);
	s.data.cache = view_cache_new();
	code = headless_run(&opts);
	view_cache_free(s.data.cache);
	mcp_free(s.server);
	(void)sigaction(SIGPIPE, &before, NULL);
	return code;
}

int sub_mcp(const struct options *o)
{
	struct runbooks all;
	struct err err = {0};
	int code = EXIT_INTERNAL;

	if (o->observations && str_eq(o->observations, "-")) {
		err_set(&err, ERR_USAGE, "", "standard input has the messages of the client");
		(void)err_cure(&err, "--observations FILE reads a file or a named pipe");
		err_print(&err);
		return EXIT_USAGE;
	}
	if (runbooks_load(&all, print_warning, NULL, &err))
		code = serve_all(o, &all);
	else
		err_print(&err);
	runbooks_free(&all);
	return code;
}
