/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator/serve/command_log.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "emulator/serve/site.h"

#define INPUT_MOST ((size_t)64 << 10) /* a poll script has a few KB */

struct command_log {
	FILE *file;
	const struct clock *clock;
};

struct command_log *command_log_open(const char *path, const struct clock *clock, struct err *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	struct command_log *l;
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");

	if (!f) {
		err_set(err, ERR_IO, path, "cannot be written: %s", strerror(errno));
		err_cure(err, "--command-log with a file in a directory that may be written");
		if (fd >= 0)
			(void)close(fd);
		return NULL;
	}
	l = mem_calloc(1, sizeof(*l));
	l->file = f;
	l->clock = clock;
	return l;
}

void command_log_close(struct command_log *l)
{
	if (!l)
		return;
	(void)fclose(l->file);
	free(l);
}

/* Converts bytes that are not UTF-8 as Latin-1. */
static json_t *json_text(const char *bytes, size_t n)
{
	json_t *o = json_stringn(bytes, n);
	char *wide;
	size_t at = 0;

	if (o)
		return o;
	wide = mem_calloc(n ? n : 1, 2);
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)bytes[i];

		if (c < 0x80) {
			wide[at++] = (char)c;
		} else {
			wide[at++] = (char)(0xc0 | c >> 6);
			wide[at++] = (char)(0x80 | (c & 0x3f));
		}
	}
	o = json_stringn(wide, at);
	free(wide);
	return o;
}

static void put_bytes(json_t *line, const char *key, const char *bytes, size_t n)
{
	char size[32];

	(void)json_object_set_new(line, key, json_text(bytes, n < INPUT_MOST ? n : INPUT_MOST));
	if (n <= INPUT_MOST)
		return;
	(void)str_printf(size, sizeof(size), "%s_size", key);
	(void)json_object_set_new(line, size, json_integer((json_int_t)n));
}

static void put_text(json_t *line, const char *key, const char *s)
{
	(void)json_object_set_new(line, key, json_text(s, strlen(s)));
}

static json_t *begin_line(const struct command_log *l, const struct sim_device *d, const char *via)
{
	return json_pack("{s:f,s:s,s:s}", "t", (double)clock_wall(l->clock) / CLOCK_SEC, "device",
		d->name, "via", via);
}

/* Writes the line and flushes it: a reader must not miss the last one. */
static void write_line(struct command_log *l, json_t *line)
{
	(void)json_dumpf(line, l->file, JSON_COMPACT | JSON_ENSURE_ASCII);
	(void)fputc('\n', l->file);
	(void)fflush(l->file);
	json_decref(line);
}

static void put_done(json_t *line, int status, const struct sim_request *done)
{
	(void)json_object_set_new(line, "status", json_integer(status));
	(void)json_object_set_new(line, "wrote", json_boolean(done->tried));
	(void)json_object_set_new(line, "changed", json_boolean(done->changed));
}

void command_log_exec(struct command_log *l, const struct sim_device *d, const char *command,
	const struct buf *input, int status, const struct sim_request *done)
{
	json_t *line;

	if (!l)
		return;
	line = begin_line(l, d, "ssh");
	/* No other user may log in: server_ssh.c. */
	put_text(line, "user", SITE_USER);
	put_text(line, "command", command);
	if (input->len)
		put_bytes(line, "input", input->data, input->len);
	put_done(line, status, done);
	write_line(l, line);
}

void command_log_http(struct command_log *l, const struct sim_device *d, const char *user,
	const struct http_request *q, unsigned status, const struct sim_request *done)
{
	json_t *line;

	if (!l)
		return;
	line = begin_line(l, d, "https");
	if (*user)
		put_text(line, "user", user);
	put_text(line, "method", q->method);
	put_text(line, "path", q->path);
	put_text(line, "query", q->query);
	put_bytes(line, "body", q->body, q->len);
	put_done(line, (int)status, done);
	write_line(l, line);
}

void command_log_forward(
	struct command_log *l, const struct sim_device *d, int port, const struct buf *input)
{
	json_t *line;

	if (!l)
		return;
	line = begin_line(l, d, "forward");
	(void)json_object_set_new(line, "port", json_integer(port));
	if (input)
		put_bytes(line, "input", input->data, input->len);
	write_line(l, line);
}
