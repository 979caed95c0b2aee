/* SPDX-License-Identifier: Apache-2.0 */
#include <poll.h>
#include <wchar.h>

#include "base/clock.h"
#include "tui/term_internal.h"

/*
 * Outside the range of ncurses' own codes and well above KEY_MAX + n, which it gives to the n-th
 * extended key of a terminfo entry. The code never leaves this file.
 */
#define CODE_ANSWER 0x7a00
#define CODE_NONE   (-1)
#define ESC         27

/*
 * Sequences that terminals send whatever TERM is. vt100's entry has no PgUp, so that "ESC [ 5 ~"
 * would otherwise arrive as four keys.
 */
static const struct {
	const char *sequence;
	int code;
} common[] = {
	{"\033[A", KEY_UP},
	{"\033[B", KEY_DOWN},
	{"\033[C", KEY_RIGHT},
	{"\033[D", KEY_LEFT},
	{"\033[H", KEY_HOME},
	{"\033[F", KEY_END},
	{"\033OA", KEY_UP},
	{"\033OB", KEY_DOWN},
	{"\033OC", KEY_RIGHT},
	{"\033OD", KEY_LEFT},
	{"\033OH", KEY_HOME},
	{"\033OF", KEY_END},
	{"\033[1~", KEY_HOME},
	{"\033[2~", KEY_IC},
	{"\033[3~", KEY_DC},
	{"\033[4~", KEY_END},
	{"\033[5~", KEY_PPAGE},
	{"\033[6~", KEY_NPAGE},
	{"\033[7~", KEY_HOME},
	{"\033[8~", KEY_END},
	{"\033[Z", KEY_BTAB},
	{"\033OP", KEY_F(1)},
	{"\033OQ", KEY_F(2)},
	{"\033OR", KEY_F(3)},
	{"\033OS", KEY_F(4)},
	{"\033[11~", KEY_F(1)},
	{"\033[12~", KEY_F(2)},
	{"\033[13~", KEY_F(3)},
	{"\033[14~", KEY_F(4)},
	{"\033[15~", KEY_F(5)},
	{"\033[17~", KEY_F(6)},
	{"\033[18~", KEY_F(7)},
	{"\033[19~", KEY_F(8)},
	{"\033[20~", KEY_F(9)},
	{"\033[21~", KEY_F(10)},
	{"\033[23~", KEY_F(11)},
	{"\033[24~", KEY_F(12)},
};

static const struct {
	int code, key;
} translation[] = {
	{KEY_UP, TKEY_UP},
	{KEY_DOWN, TKEY_DOWN},
	{KEY_LEFT, TKEY_LEFT},
	{KEY_RIGHT, TKEY_RIGHT},
	{KEY_HOME, TKEY_HOME},
	{KEY_FIND, TKEY_HOME},
	{KEY_END, TKEY_END},
	{KEY_SELECT, TKEY_END},
	{KEY_PPAGE, TKEY_PGUP},
	{KEY_NPAGE, TKEY_PGDN},
	{KEY_IC, TKEY_INSERT},
	{KEY_DC, TKEY_DELETE},
	{KEY_BACKSPACE, TKEY_BACKSPACE},
	{KEY_BTAB, TKEY_TAB_BACK},
	{KEY_ENTER, '\r'},
};

void keys_define(void)
{
	(void)define_key("\033[0n", CODE_ANSWER);
	(void)define_key("\033[3n", CODE_ANSWER);
	/* term_mouse.c reads reports itself: ncurses would take the prefix and leave the rest. */
	(void)define_key(NULL, KEY_MOUSE);
	for (size_t i = 0; i < sizeof(common) / sizeof(common[0]); i++)
		if (key_defined(common[i].sequence) == 0)
			(void)define_key(common[i].sequence, common[i].code);
}

static int translate_code(int code)
{
	if (code >= KEY_F(1) && code <= KEY_F(12))
		return TKEY_F1 + (code - KEY_F(1));
	for (size_t i = 0; i < sizeof(translation) / sizeof(translation[0]); i++)
		if (translation[i].code == code)
			return translation[i].key;
	return CODE_NONE;
}

static int translate_char(wint_t c)
{
	if (c == '\n')
		return '\r';
	if (c == 127 || c == 8)
		return TKEY_BACKSPACE;
	return c < KEY_BASE_ ? (int)c : CODE_NONE;
}

static bool hung_up(const struct term *t)
{
	struct pollfd p = {.fd = t->in, .events = POLLIN};

	return poll(&p, 1, 0) > 0 && !(p.revents & POLLIN) &&
	       (p.revents & (POLLHUP | POLLERR | POLLNVAL));
}

/* Reads one key as ncurses decodes it; filters gate answers and unknown codes. */
static int read_key(struct term *t)
{
	wint_t c;
	int got, key;

	if (t->pushed != CODE_NONE) {
		key = t->pushed;
		t->pushed = CODE_NONE;
		return key;
	}
	while ((got = wget_wch(stdscr, &c)) != ERR) {
		if (got != KEY_CODE_YES) {
			key = translate_char(c);
		} else if ((int)c == CODE_ANSWER) {
			gate_answer(&t->gate, clock_mono(&clock_system));
			continue;
		} else if ((int)c == KEY_RESIZE) {
			term_resize(t);
			continue;
		} else {
			key = translate_code((int)c);
		}
		if (key != CODE_NONE)
			return key;
	}
	t->lost = t->lost || hung_up(t);
	return CODE_NONE;
}

/*
 * Reads an escape sequence that ncurses does not know: a report of the mouse is a key, others (a
 * modified arrow, a focus report) are discarded. Handles an answer of the gate that came in two
 * pieces. CODE_NONE: input ended inside.
 */
static int read_csi(struct term *t)
{
	int key;

	if (t->keys != KEYS_CSI)
		t->csi_len = 0;
	t->keys = KEYS_CSI;
	while ((key = read_key(t)) != CODE_NONE) {
		if (key >= 0x20 && key < 0x40) {
			if (t->csi_len + 1 < sizeof(t->csi))
				t->csi[t->csi_len++] = (char)key;
			continue;
		}
		t->csi[t->csi_len] = '\0';
		t->keys = KEYS_IDLE;
		if (key == 'n')
			gate_answer(&t->gate, clock_mono(&clock_system));
		return mouse_parse(t, key) ? TKEY_MOUSE : term_key(t);
	}
	return CODE_NONE;
}

#define CTRL_L 12
#define BEL    7

/* Reads the answer about the background, up to BEL or ESC \. CODE_NONE: input ended inside. */
static int read_osc(struct term *t)
{
	int key;

	if (t->keys != KEYS_OSC)
		t->csi_len = 0;
	t->keys = KEYS_OSC;
	while ((key = read_key(t)) != CODE_NONE) {
		bool ends = key == BEL || key == '\\';

		/* The ESC of the end belongs to it; an endless text is no answer. */
		if (key == ESC || (!ends && t->csi_len + 1 < sizeof(t->csi))) {
			if (key != ESC)
				t->csi[t->csi_len++] = key < 0x80 ? (char)key : '?';
			continue;
		}
		t->csi[t->csi_len] = '\0';
		t->keys = KEYS_IDLE;
		t->asked_ground = false;
		return ground_answer(t, t->csi) ? CTRL_L : term_key(t);
	}
	return CODE_NONE;
}

static bool answer_due(const struct term *t)
{
	return t->gate.answered && gate_deadline(&t->gate) != INT64_MAX &&
	       clock_mono(&clock_system) < gate_deadline(&t->gate);
}

/*
 * Decodes the input after an ESC: nothing (the Escape key), the rest of a sequence, or a key with
 * Alt.
 */
static int after_escape(struct term *t)
{
	int key = read_key(t);

	/*
	 * On a slow line the answer's ESC may come alone. While an answer is due the gate is
	 * closed, so no frame could show the effect of an Escape key: holding it costs nothing.
	 */
	if (key == CODE_NONE && answer_due(t)) {
		t->keys = KEYS_HELD_ESC;
		return CODE_NONE;
	}
	t->keys = KEYS_IDLE;
	if (key == CODE_NONE)
		return ESC;
	if (key == ESC) {
		t->pushed = key;
		return ESC;
	}
	if (key == '[')
		return read_csi(t);
	if (key == ']' && t->asked_ground)
		return read_osc(t);
	return key | TKEY_ALT;
}

/* Decodes the input after a held ESC: only "[" belongs to it, every other key was typed later. */
static int after_held_escape(struct term *t)
{
	int key = read_key(t);

	if (key == CODE_NONE && answer_due(t))
		return CODE_NONE;
	t->keys = KEYS_IDLE;
	if (key == '[')
		return read_csi(t);
	if (key == ']' && t->asked_ground)
		return read_osc(t);
	t->pushed = key;
	return ESC;
}

int term_key(struct term *t)
{
	int key;

	(void)send_more(t);
	if (t->keys == KEYS_HELD_ESC)
		return after_held_escape(t);
	if (t->keys == KEYS_CSI)
		return read_csi(t);
	if (t->keys == KEYS_OSC)
		return read_osc(t);
	key = read_key(t);
	return key == ESC ? after_escape(t) : key;
}

/* A paste of more than this is not read to its end. */
#define FLUSH_MAX 65536

size_t term_flush_input(struct term *t)
{
	size_t n = 0;

	/* Not tcflush() first: it would throw away the gate's answer as well, or half of it. */
	while (n < FLUSH_MAX && term_key(t) != CODE_NONE)
		n++;
	if (n < FLUSH_MAX)
		return n;
	(void)tcflush(t->in, TCIFLUSH);
	(void)flushinp();
	t->pushed = CODE_NONE;
	return n;
}

void keys_drain(struct term *t, int64_t until)
{
	while (t->gate.on && t->gate.outstanding && !t->lost) {
		int64_t left = until - clock_mono(&clock_system);
		struct pollfd p = {.fd = t->in, .events = POLLIN};

		if (left <= 0 || poll(&p, 1, (int)(left / CLOCK_MSEC) + 1) < 0)
			return;
		while (t->gate.outstanding && term_key(t) != CODE_NONE)
			;
	}
}
