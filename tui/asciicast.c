/* SPDX-License-Identifier: Apache-2.0 */
/*
 * asciicast v2 (docs.asciinema.org/manual/asciicast/v2): a JSON object, then a JSON array a line:
 * [seconds, "o", output] or [seconds, "r", "COLSxROWS"].
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "tui/capture.h"
#include "tui/capture_internal.h"
#include "tui/term_internal.h"

#define FRAME_MAX ((size_t)8 << 20)

struct asciicast {
	FILE *f;    /* NULL: the recording has ended */
	char *path; /* for messages */
	int64_t start_us, last_us;
	bool started;
	int rows, cols;
	int cursor_y, cursor_x;
	uint64_t frame;  /* digest of the last recorded frame */
	VEC(char *) row; /* as recorded */
	struct buf line, text;
};

/* Writes a JSON string of UTF-8; other bytes become escapes. */
static void put_string(FILE *f, const char *s, size_t n)
{
	(void)fputc('"', f);
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];

		if (c == '"' || c == '\\')
			(void)fprintf(f, "\\%c", c);
		else if (c < 0x20 || c == 0x7f)
			(void)fprintf(f, "\\u%04x", c);
		else
			(void)fputc(c, f);
	}
	(void)fputc('"', f);
}

static void put_header(struct asciicast *a, const char *title, int64_t wall_us)
{
	const char *term = getenv("TERM");
	char clean[256];

	(void)fprintf(a->f, "{\"version\": 2, \"width\": %d, \"height\": %d, \"timestamp\": %lld",
		a->cols, a->rows, (long long)(wall_us / 1000000));
	if (title && *title) {
		(void)str_sanitise(clean, sizeof(clean), title, strlen(title));
		(void)fputs(", \"title\": ", a->f);
		put_string(a->f, clean, strlen(clean));
	}
	if (term && *term) {
		(void)str_sanitise(clean, sizeof(clean), term, strlen(term));
		(void)fputs(", \"env\": {\"TERM\": ", a->f);
		put_string(a->f, clean, strlen(clean));
		(void)fputc('}', a->f);
	}
	(void)fputs("}\n", a->f);
}

static void put_event(struct asciicast *a, char kind, const char *text, size_t n)
{
	int64_t us = a->last_us - a->start_us;

	(void)fprintf(a->f, "[%lld.%06lld, \"%c\", ", (long long)(us / 1000000),
		(long long)(us % 1000000), kind);
	put_string(a->f, text, n);
	(void)fputs("]\n", a->f);
}

struct asciicast *asciicast_open(
	const char *path, const struct term *t, const char *title, int64_t wall_us, struct err *err)
{
	struct asciicast *a;
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;

	if (!f) {
		err_set(err, ERR_IO, path, "the screen cannot be recorded there: %s",
			strerror(errno));
		if (fd >= 0)
			(void)close(fd);
		(void)err_cure(err, errno == EEXIST ? "name another file: this one is kept"
						    : "name a file that can be created");
		return NULL;
	}
	a = mem_calloc(1, sizeof(*a));
	a->f = f;
	a->path = mem_strdup(path);
	a->rows = term_rows(t);
	a->cols = term_cols(t);
	a->cursor_y = a->cursor_x = -1;
	buf_init(&a->line, FRAME_MAX);
	buf_init(&a->text, FRAME_MAX);
	put_header(a, title, wall_us);
	return a;
}

static void forget_rows(struct asciicast *a)
{
	for (size_t i = 0; i < a->row.n; i++)
		free(a->row.at[i]);
	a->row.n = 0;
}

/* Ends the recording: there is only one failure. */
static bool end_recording(struct asciicast *a, struct err *err)
{
	int error = errno;

	(void)fclose(a->f);
	a->f = NULL;
	err_set(err, ERR_IO, a->path, "the recording of the screen has ended: %s",
		error ? strerror(error) : "it cannot be written");
	return err_cure(err, "the part until then is in the file");
}

static void add_row(struct asciicast *a, const struct term *t, int y)
{
	buf_reset(&a->line);
	capture_row(t, y, true, &a->line);
	while (a->row.n <= (size_t)y)
		vec_push(&a->row, NULL);
	if (str_eq(a->row.at[y], a->line.data ? a->line.data : ""))
		return;
	free(a->row.at[y]);
	a->row.at[y] = mem_strdup(a->line.data ? a->line.data : "");
	/* The row is cleared first: after a full row the cursor is not at a place to clear from. */
	(void)buf_addf(&a->text, "\033[%d;1H\033[2K", y + 1);
	(void)buf_adds(&a->text, a->row.at[y]);
}

static void add_cursor(struct asciicast *a, const struct term *t, bool moved)
{
	if (t->cursor_y < 0) {
		if (a->cursor_y >= 0)
			(void)buf_adds(&a->text, "\033[?25l");
	} else if (moved || t->cursor_y != a->cursor_y || t->cursor_x != a->cursor_x) {
		(void)buf_addf(&a->text, "\033[%d;%dH\033[?25h", t->cursor_y + 1, t->cursor_x + 1);
	}
	a->cursor_y = t->cursor_y;
	a->cursor_x = t->cursor_x;
}

/* Records the whole screen: at first, and when the size changed. */
static void record_screen(struct asciicast *a, const struct term *t)
{
	char size[32];

	if (a->started) {
		a->rows = term_rows(t);
		a->cols = term_cols(t);
		(void)str_printf(size, sizeof(size), "%dx%d", a->cols, a->rows);
		put_event(a, 'r', size, strlen(size));
	}
	forget_rows(a);
	for (int y = 0; y < a->rows; y++)
		vec_push(&a->row, mem_strdup(""));
	(void)buf_adds(&a->text, "\033[0m\033[2J\033[?25l");
	a->cursor_y = a->cursor_x = -1;
	a->started = true;
}

bool asciicast_frame(struct asciicast *a, const struct term *t, int64_t mono_us, struct err *err)
{
	bool anew;

	if (!a || !a->f)
		return true;
	anew = !a->started || a->rows != term_rows(t) || a->cols != term_cols(t);
	if (!anew && a->frame == t->frame)
		return true;
	if (!a->started)
		a->start_us = a->last_us = mono_us;
	a->last_us = mono_us > a->last_us ? mono_us : a->last_us;
	a->frame = t->frame;
	buf_reset(&a->text);
	errno = 0;
	/* The terminal may have been resized between opening and the first frame. */
	if (!a->started && (a->rows != term_rows(t) || a->cols != term_cols(t)))
		a->started = true;
	if (anew)
		record_screen(a, t);
	for (int y = 0; y < a->rows; y++)
		add_row(a, t, y);
	add_cursor(a, t, a->text.len > 0);
	if (a->text.len)
		put_event(a, 'o', a->text.data, a->text.len);
	if (fflush(a->f) != 0 || ferror(a->f))
		return end_recording(a, err);
	return true;
}

bool asciicast_close(struct asciicast *a, struct err *err)
{
	bool ok = true;

	if (!a)
		return true;
	errno = 0;
	if (a->f && (ferror(a->f) || fclose(a->f) != 0)) {
		ok = err_set(err, ERR_IO, a->path, "the recording of the screen is not whole: %s",
			errno ? strerror(errno) : "it cannot be written");
	}
	forget_rows(a);
	vec_free(&a->row);
	buf_free(&a->line);
	buf_free(&a->text);
	free(a->path);
	free(a);
	return ok;
}
