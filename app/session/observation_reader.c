/* SPDX-License-Identifier: Apache-2.0 */
#include "app/session/observation_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backends/jsonl.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/clock_track.h"
#include "base/mem.h"
#include "base/regular_file.h"
#include "base/str.h"

#define KEY_MAX 64 /* bytes kept of an unknown key */

/*
 * CLOCKS. A file is written over hours, and somebody may have set the clock of its writer back
 * meanwhile. Then the times of one port go back in the order of the lines. Such a file is read in
 * the order of its lines, as a recording is: later times are moved forward, and the track of steps
 * has the times that the clock showed. Lines of two sources may be out of order by a little, and a
 * file may be sorted by device or by port: only one port's own time counts, and only far back. Some
 * ports are watched, so that the memory is bounded.
 */
#define BACK_LEAST_US (5 * CLOCK_SEC)
#define WATCHED       1024

struct watched {
	uint64_t key; /* of device and port; 0: free */
	int64_t last_us, gap_us;
};

struct observation_reader {
	struct observation_reader_opts opts;
	struct buf line;
	size_t number, good, warnings;
	int error; /* of read(), 0: none */
	bool skipping, ended, file;
	int64_t time_us;
	int64_t moved_us; /* session time minus the times of a file's lines */
	struct watched *watched;
	char keys[FEED_WARNINGS_MAX][KEY_MAX]; /* unknown keys already reported */
	size_t key_count;
	uv_poll_t poll;
	bool polling;
	int flags;  /* flags of the caller's descriptor before O_NONBLOCK, -1: do not restore */
	int own_fd; /* of the named pipe, -1: none */
};

static const char *source_name(const struct observation_reader *f)
{
	return str_eq(f->opts.path, "-") ? "standard input" : f->opts.path;
}

bool observation_reader_is_file(const struct observation_reader *f)
{
	return f->file;
}

bool observation_reader_ended(const struct observation_reader *f)
{
	return f->ended;
}

int64_t observation_reader_time(const struct observation_reader *f)
{
	return f->time_us;
}

static void warn_once(struct observation_reader *f, const char *text)
{
	char message[640];

	if (++f->warnings > FEED_WARNINGS_MAX || !f->opts.warn)
		return;
	(void)str_printf(message, sizeof(message), "%s:%zu: %s%s", source_name(f), f->number, text,
		f->warnings == FEED_WARNINGS_MAX ? " (further problems are not listed)" : "");
	f->opts.warn(f->opts.warn_ctx, message);
}

/* Every line of a source has the same keys: warn once for each. */
static void unknown_key(void *ctx, const char *key)
{
	struct observation_reader *f = ctx;
	char clean[KEY_MAX], text[KEY_MAX + 32];

	(void)str_sanitise(clean, sizeof(clean), key, strlen(key));
	for (size_t i = 0; i < f->key_count; i++) {
		if (str_eq(f->keys[i], clean))
			return;
	}
	if (f->key_count < FEED_WARNINGS_MAX)
		(void)str_copy(f->keys[f->key_count++], KEY_MAX, clean);
	(void)str_printf(text, sizeof(text), "unknown key \"%s\" ignored", clean);
	warn_once(f, text);
}

/* Wall clock minus session time. */
static int64_t ahead_us(void)
{
	int64_t now, wall;

	clock_both(&now, &wall);
	wall -= now;
	return wall < CLOCK_STEP_LEAST_US && wall > -CLOCK_STEP_LEAST_US ? 0 : wall;
}

/* The time of a line without one: now, or in a file the newest time before it. */
static int64_t line_time(const struct observation_reader *f, int64_t t)
{
	/* A line of a stream has the wall clock's time, now or a little ago. */
	if (t)
		return f->file ? t : t - ahead_us();
	return f->file && f->time_us ? f->time_us : clock_session();
}

static uint64_t key_of(const struct obs *o)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);
	const char *port = o->ports.n ? o->ports.at[0].name : "";

	for (const char *p = o->device; *p; p++)
		h = (h ^ (unsigned char)*p) * UINT64_C(0x100000001b3);
	h *= UINT64_C(0x100000001b3);
	for (const char *p = port; *p; p++)
		h = (h ^ (unsigned char)*p) * UINT64_C(0x100000001b3);
	return h ? h : 1;
}

static void tell_step(struct observation_reader *f, int64_t back_us)
{
	char by[32], text[160];

	(void)str_printf(text, sizeof(text),
		"its clock was set back here (%s): later lines are read in their order",
		clock_step_text(-back_us, by, sizeof(by)));
	warn_once(f, text);
}

/* The session time of a line of a file that has the time t. */
static int64_t straighten(struct observation_reader *f, const struct obs *o, int64_t t)
{
	uint64_t key = key_of(o);
	struct watched *w;

	if (!f->watched)
		f->watched = mem_calloc(WATCHED, sizeof(*f->watched));
	w = &f->watched[key % WATCHED];
	if (!w->key)
		*w = (struct watched){.key = key, .last_us = t + f->moved_us};
	if (w->key != key)
		return t + f->moved_us;
	if (t + f->moved_us <= w->last_us - BACK_LEAST_US) {
		int64_t back = w->last_us + w->gap_us - (t + f->moved_us);

		tell_step(f, back);
		f->moved_us += back;
		/* No earlier than what was read of others meanwhile. */
		if (t + f->moved_us < f->time_us)
			f->moved_us = f->time_us - t;
		if (f->opts.stepped)
			f->opts.stepped(f->opts.ctx, t + f->moved_us, t);
	} else if (t + f->moved_us > w->last_us) {
		w->gap_us = t + f->moved_us - w->last_us;
	}
	if (t + f->moved_us > w->last_us)
		w->last_us = t + f->moved_us;
	return t + f->moved_us;
}

static void one_line(struct observation_reader *f)
{
	struct err err = {0};
	int64_t t = 0;
	struct obs *o;

	f->number++;
	if (f->skipping) {
		warn_once(f, "line longer than 8 MB skipped");
		f->skipping = false;
		return;
	}
	if (strspn(f->line.data ? f->line.data : "", " \t\r") == f->line.len)
		return;
	o = jsonl_parse(f->line.data, f->line.len, &t, unknown_key, f, &err);
	if (!o) {
		warn_once(f, err.text);
		return;
	}
	f->good++;
	t = f->file && t ? straighten(f, o, t) : line_time(f, t);
	/* The samples of a line have its time; its events keep the times of the clock. */
	if (o->device_us)
		o->device_us += f->moved_us;
	if (t > f->time_us)
		f->time_us = t;
	o->received_us = t;
	f->opts.take(f->opts.ctx, o);
}

static void add_input(struct observation_reader *f, const char *p, size_t n)
{
	while (n) {
		const char *end = memchr(p, '\n', n);
		size_t len = end ? (size_t)(end - p) : n;

		if (!f->skipping && !buf_add(&f->line, p, len))
			f->skipping = true;
		if (!end)
			return;
		one_line(f);
		buf_reset(&f->line);
		p += len + 1;
		n -= len + 1;
	}
}

static void end_input(struct observation_reader *f)
{
	if (f->line.len || f->skipping)
		one_line(f);
	f->ended = true;
}

/* Reads the available input. False at its end. */
static bool read_some(struct observation_reader *f, int fd, size_t most)
{
	char chunk[65536];

	while (most) {
		ssize_t n = read(fd, chunk, sizeof(chunk));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			return true;
		if (n <= 0) {
			f->error = n < 0 ? errno : 0;
			end_input(f);
			return false;
		}
		add_input(f, chunk, (size_t)n);
		most -= most < (size_t)n ? most : (size_t)n;
	}
	return true;
}

static void on_readable(uv_poll_t *poll, int status, int events)
{
	struct observation_reader *f = poll->data;

	(void)events;
	/* A pipe that is always readable must not block the keys: read a limited amount per
	 * turn. */
	if (status < 0 || !read_some(f, f->opts.fd, 1 << 20))
		uv_poll_stop(poll);
	if (status < 0)
		f->ended = true;
	f->opts.progress(f->opts.ctx);
}

static bool read_all(struct observation_reader *f, int fd, struct err *err)
{
	while (read_some(f, fd, SIZE_MAX))
		continue;
	if (f->error)
		return err_system(err, ERR_CONFIG, source_name(f), "cannot be read", f->error);
	if (!f->good) {
		err_set(err, ERR_CONFIG, source_name(f), "has no observation");
		return err_cure(err, "one JSON object a line, see OBSERVATIONS in railtop(1)");
	}
	return true;
}

/* Recordings are SQLite databases: https://www.sqlite.org/fileformat.html, section 1.3. */
static bool is_recording(int fd)
{
	static const char magic[16] = "SQLite format 3";
	char head[sizeof(magic)];

	return pread(fd, head, sizeof(head), 0) == (ssize_t)sizeof(head) &&
	       memcmp(head, magic, sizeof(magic)) == 0;
}

static bool read_file(struct observation_reader *f, struct err *err)
{
	int fd = regular_file_open(f->opts.path);
	bool ok;

	if (fd < 0)
		return regular_file_err(err, ERR_CONFIG, source_name(f), "cannot be read");
	if (is_recording(fd)) {
		(void)close(fd);
		err_set(err, ERR_USAGE, source_name(f),
			"is a recording, and not lines of observations");
		return err_cure(err, "--from %s", source_name(f));
	}
	ok = read_all(f, fd, err);
	(void)close(fd);
	return ok;
}

/* A named pipe is a stream: reading to its end would wait for the writer. */
static bool open_fifo(struct observation_reader *f)
{
	struct stat st;

	if (stat(f->opts.path, &st) != 0 || !S_ISFIFO(st.st_mode))
		return false;
	/* Opened for writing too, so that there is no end of file when a writer leaves. */
	f->own_fd = open(f->opts.path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
	f->opts.fd = f->own_fd;
	return f->own_fd >= 0;
}

static void feed_free(struct observation_reader *f)
{
	if (f->own_fd >= 0)
		(void)close(f->own_fd);
	buf_free(&f->line);
	free(f->watched);
	free(f);
}

static void on_closed(uv_handle_t *handle)
{
	feed_free(handle->data);
}

static bool open_stream(struct observation_reader *f, uv_loop_t *loop, struct err *err)
{
	int flags = fcntl(f->opts.fd, F_GETFL);

	if (uv_poll_init(loop, &f->poll, f->opts.fd) != 0) {
		/* epoll refuses regular files: `railtop --observations - <FILE` reads a file. */
		f->file = true;
		return read_all(f, f->opts.fd, err);
	}
	f->polling = true;
	f->poll.data = f;
	if (flags >= 0 && !(flags & O_NONBLOCK))
		f->flags = flags;
	(void)fcntl(f->opts.fd, F_SETFL, flags | O_NONBLOCK);
	uv_poll_start(&f->poll, UV_READABLE | UV_DISCONNECT, on_readable);
	return true;
}

struct observation_reader *observation_reader_open(
	uv_loop_t *loop, const struct observation_reader_opts *opts, struct err *err)
{
	struct observation_reader *f = mem_calloc(1, sizeof(*f));

	f->opts = *opts;
	f->own_fd = f->flags = -1;
	buf_init(&f->line, FEED_LINE_MAX);
	f->file = !str_eq(opts->path, "-") && !open_fifo(f);
	if (f->file ? read_file(f, err) : open_stream(f, loop, err))
		return f;
	observation_reader_close(f);
	return NULL;
}

void observation_reader_close(struct observation_reader *f)
{
	/* A terminal shares its flags between input and output: restore them for other programs. */
	if (f->flags >= 0)
		(void)fcntl(f->opts.fd, F_SETFL, f->flags);
	if (f->polling) {
		uv_close((uv_handle_t *)&f->poll, on_closed);
		return;
	}
	feed_free(f);
}

bool observation_reader_claim_stdin(const char *path, int *fd, struct err *err)
{
	int tty;

	*fd = -1;
	if (!str_eq(path, "-"))
		return true;
	tty = open("/dev/tty", O_RDWR | O_CLOEXEC);
	if (tty < 0)
		return err_set(err, ERR_IO, "/dev/tty", "no terminal to read keys from");
	*fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	(void)dup2(tty, STDIN_FILENO);
	(void)close(tty);
	return *fd >= 0 || err_set(err, ERR_IO, "standard input", "is closed");
}
