/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "tui/term_internal.h"

/*
 * The mouse: clicks (1000) in the SGR form (1006), whose numbers have no limit and are no bytes of
 * text. Terminals select text while Shift is held.
 */
static const char switch_on[] = "\033[?1000h\033[?1006h";

void term_mouse_on(struct term *t, bool on)
{
	if (!t->clipboard) /* a console without a mouse protocol */
		return;
	if (on && !t->mouse_on)
		term_write(t, switch_on, sizeof(switch_on) - 1);
	else if (!on && t->mouse_on)
		term_write(t, MOUSE_OFF, sizeof(MOUSE_OFF) - 1);
	t->mouse_on = on;
}

bool term_mouse_is_on(const struct term *t)
{
	return t->mouse_on;
}

struct term_mouse term_mouse(const struct term *t)
{
	return t->mouse;
}

/* Reads "<BUTTON;X;Y" with its final M (pressed) or m; false: it is another sequence. */
bool mouse_parse(struct term *t, int final)
{
	long n[3] = {0};
	size_t i = 0, digits = 0;
	const char *s = t->csi;

	if (*s++ != '<' || (final != 'M' && final != 'm') || !t->mouse_on)
		return false;
	for (; *s; s++) {
		if (*s == ';' && digits && i < 2) {
			i++;
			digits = 0;
		} else if (*s >= '0' && *s <= '9' && digits < 5) {
			n[i] = n[i] * 10 + (*s - '0');
			digits++;
		} else {
			return false;
		}
	}
	if (i != 2 || !digits || n[1] < 1 || n[2] < 1)
		return false;
	t->mouse.x = (int)n[1] - 1;
	t->mouse.y = (int)n[2] - 1;
	if (n[0] == 64 || n[0] == 65)
		t->mouse.what = n[0] == 64 ? MOUSE_WHEEL_UP : MOUSE_WHEEL_DOWN;
	else if (n[0] == 0 && final == 'M')
		t->mouse.what = MOUSE_CLICK;
	else
		return false;
	return true;
}
