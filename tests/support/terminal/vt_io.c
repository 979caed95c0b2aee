/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/terminal/vt_internal.h"

#include <ctype.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/str.h"

#define FIRST_FRAME_MS 30000

/* ---- typing ---- */

static const struct {
	const char *name;
	VTermKey key;
} key_names[] = {
	{"Up", VTERM_KEY_UP},
	{"Down", VTERM_KEY_DOWN},
	{"Left", VTERM_KEY_LEFT},
	{"Right", VTERM_KEY_RIGHT},
	{"Home", VTERM_KEY_HOME},
	{"End", VTERM_KEY_END},
	{"PgUp", VTERM_KEY_PAGEUP},
	{"PgDn", VTERM_KEY_PAGEDOWN},
	{"Insert", VTERM_KEY_INS},
	{"Delete", VTERM_KEY_DEL},
	{"Backspace", VTERM_KEY_BACKSPACE},
	{"Tab", VTERM_KEY_TAB},
	{"Enter", VTERM_KEY_ENTER},
	{"Esc", VTERM_KEY_ESCAPE},
};

static void typed(struct vt *vt, unsigned long keys)
{
	/* Idle lines that are already in the pipe were written before this key. */
	while (vt_pump(vt, 0))
		;
	vt->typed += keys;
	vt->output_mark = vt->output.len;
	vt->settled_at = vt->idle_lines;
}

void vt_send(struct vt *vt, const char *bytes, size_t n)
{
	typed(vt, 0);
	/* In small pieces, because the program's answers must be read meanwhile. */
	while (n && !vt->eof) {
		size_t part = n < 256 ? n : 256;

		vt_write(vt, bytes, part);
		bytes += part;
		n -= part;
		(void)vt_pump(vt, 0);
	}
}

void vt_type(struct vt *vt, const char *text)
{
	unsigned long keys = 0;

	for (const char *p = text; *p; p++)
		keys += ((unsigned char)*p & 0xc0) != 0x80;
	typed(vt, keys);
	vt_send(vt, text, strlen(text));
}

void vt_key(struct vt *vt, const char *name)
{
	uint64_t f;

	if (str_starts(name, "Ctrl-") && name[5] && !name[6]) {
		char c = (char)(toupper((unsigned char)name[5]) & 0x1f);

		typed(vt, 1);
		vt_send(vt, &c, 1);
		return;
	}
	if (str_starts(name, "Alt-")) {
		char text[16];

		(void)str_printf(text, sizeof(text), "\033%s", name + 4);
		typed(vt, 1);
		vt_send(vt, text, strlen(text));
		return;
	}
	for (size_t i = 0; i < sizeof(key_names) / sizeof(key_names[0]); i++) {
		if (str_eq(key_names[i].name, name)) {
			typed(vt, 1);
			vterm_keyboard_key(vt->vterm, key_names[i].key, VTERM_MOD_NONE);
			return;
		}
	}
	if (name[0] == 'F' && str_to_u64(name + 1, &f) && f >= 1 && f <= 12) {
		typed(vt, 1);
		vterm_keyboard_key(vt->vterm, (VTermKey)VTERM_KEY_FUNCTION((int)f), VTERM_MOD_NONE);
		return;
	}
	vt_type(vt, name);
}

/* A program that has left already, or whose answers are held, shows none. */
static void wait_first_frame(struct vt *vt)
{
	int64_t end = vt_now_ms() + FIRST_FRAME_MS;

	while (vt->idle_fd >= 0 && !vt->idle_lines && !vt->eof && !vt->hold && vt_now_ms() < end)
		(void)vt_pump(vt, (int)(end - vt_now_ms()));
}

void vt_resize(struct vt *vt, int rows, int cols)
{
	struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)cols};

	/*
	 * An idle line that belongs to the first frame or to an earlier key would pass for the
	 * answer to the resize.
	 */
	wait_first_frame(vt);
	if (vt->idle_fd >= 0 && vt->idle_keys < vt->typed)
		vt_settle(vt);
	/* The kernel tells nobody of a size that is as before, so no answer would come. */
	if (rows == vt_rows(vt) && cols == vt_cols(vt))
		return;
	while (vt_pump(vt, 0))
		;
	vt->settled_at = vt->idle_lines;
	vterm_set_size(vt->vterm, rows, cols);
	(void)ioctl(vt->master, TIOCSWINSZ, &size); /* the kernel sends SIGWINCH */
}

void vt_hold_answers(struct vt *vt, bool hold)
{
	vt->hold = hold;
	if (!hold && !vt->slow_ms && vt->held.len) {
		vt_write(vt, vt->held.data, vt->held.len);
		buf_reset(&vt->held);
	}
}

int vt_pid(const struct vt *vt)
{
	return vt->pid;
}

bool vt_ended(const struct vt *vt)
{
	return vt->eof;
}

unsigned long vt_frames_told(const struct vt *vt)
{
	return vt->idle_lines + vt->drawn_lines;
}

bool vt_modes(const struct vt *vt, struct termios *modes)
{
	return tcgetattr(vt->master, modes) == 0;
}

/* ---- the screen ---- */

int vt_rows(const struct vt *vt)
{
	int rows, cols;

	vterm_get_size(vt->vterm, &rows, &cols);
	return rows;
}

int vt_cols(const struct vt *vt)
{
	int rows, cols;

	vterm_get_size(vt->vterm, &rows, &cols);
	return cols;
}

static void add_utf8(struct buf *b, uint32_t c)
{
	char s[4];
	size_t n = 0;

	if (c < 0x80) {
		s[n++] = (char)c;
	} else if (c < 0x800) {
		s[n++] = (char)(0xc0 | c >> 6);
	} else if (c < 0x10000) {
		s[n++] = (char)(0xe0 | c >> 12);
		s[n++] = (char)(0x80 | (c >> 6 & 0x3f));
	} else {
		s[n++] = (char)(0xf0 | c >> 18);
		s[n++] = (char)(0x80 | (c >> 12 & 0x3f));
		s[n++] = (char)(0x80 | (c >> 6 & 0x3f));
	}
	if (c >= 0x80)
		s[n++] = (char)(0x80 | (c & 0x3f));
	(void)buf_add(b, s, n);
}

static void add_line(struct vt *vt, struct buf *b, int row)
{
	size_t start = b->len, end = b->len;
	VTermScreenCell cell;

	for (int col = 0; col < vt_cols(vt); col++) {
		if (!vterm_screen_get_cell(vt->screen, (VTermPos){row, col}, &cell))
			break;
		if (cell.chars[0] == UINT32_MAX)
			continue; /* the right half of a wide character */
		if (!cell.chars[0])
			add_utf8(b, ' ');
		for (size_t i = 0; i < VTERM_MAX_CHARS_PER_CELL && cell.chars[i]; i++)
			add_utf8(b, cell.chars[i]);
		if (cell.chars[0] && cell.chars[0] != ' ')
			end = b->len;
	}
	if (b->len > start) {
		b->len = end;
		b->data[end] = '\0';
	}
}

const char *vt_line(struct vt *vt, int row)
{
	buf_reset(&vt->line);
	if (row >= 0 && row < vt_rows(vt))
		add_line(vt, &vt->line, row);
	return vt->line.len ? vt->line.data : "";
}

char *vt_screen(struct vt *vt)
{
	struct buf b;

	buf_init(&b, (size_t)1 << 20);
	for (int row = 0; row < vt_rows(vt); row++) {
		add_line(vt, &b, row);
		(void)buf_adds(&b, "\n");
	}
	return buf_take(&b, NULL);
}

bool vt_find(struct vt *vt, const char *text, int *row, int *col)
{
	for (int y = 0; y < vt_rows(vt); y++) {
		const char *line = vt_line(vt, y), *at = strstr(line, text);
		int x = 0;

		if (!at)
			continue;
		for (const char *p = line; p < at; p++)
			x += ((unsigned char)*p & 0xc0) != 0x80;
		if (row)
			*row = y;
		if (col)
			*col = x;
		return true;
	}
	return false;
}

bool vt_has(struct vt *vt, const char *text)
{
	return vt_find(vt, text, NULL, NULL);
}

static int colour(const VTermColor *c, unsigned default_mask)
{
	if (c->type & default_mask)
		return -1;
	return VTERM_COLOR_IS_INDEXED(c) ? c->indexed.idx : -2;
}

struct vt_attr vt_attr_at(struct vt *vt, int row, int col)
{
	VTermScreenCell cell;
	struct vt_attr a = {.fg = -1, .bg = -1};

	memset(&cell, 0, sizeof(cell));
	if (!vterm_screen_get_cell(vt->screen, (VTermPos){row, col}, &cell))
		return a;
	a.bold = cell.attrs.bold;
	a.underline = cell.attrs.underline != 0;
	a.reverse = cell.attrs.reverse;
	a.italic = cell.attrs.italic;
	a.blink = cell.attrs.blink;
	a.fg = colour(&cell.fg, VTERM_COLOR_DEFAULT_FG);
	a.bg = colour(&cell.bg, VTERM_COLOR_DEFAULT_BG);
	return a;
}

bool vt_cursor(struct vt *vt, int *row, int *col)
{
	VTermPos pos;

	vterm_state_get_cursorpos(vterm_obtain_state(vt->vterm), &pos);
	if (row)
		*row = pos.row;
	if (col)
		*col = pos.col;
	return vt->cursor_visible;
}

bool vt_altscreen(const struct vt *vt)
{
	return vt->altscreen;
}

uint64_t vt_bytes(const struct vt *vt)
{
	return vt->bytes;
}

const char *vt_output(const struct vt *vt, size_t *len)
{
	*len = vt->output.len;
	return vt->output.data ? vt->output.data : "";
}

unsigned long vt_questions(const struct vt *vt)
{
	return vt->questions;
}

unsigned long vt_keys_typed(const struct vt *vt)
{
	return vt->typed;
}
