/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/terminal/vt_repeat.h"

#include <stdbool.h>
#include <stdlib.h>

#define REPEAT_MOST 4096 /* more than the widest screen here */

static void give_up(struct vt_repeat *r, struct buf *out)
{
	(void)buf_add(out, r->held, r->held_len);
	r->held_len = 0;
}

static bool is_repeat(const struct vt_repeat *r)
{
	for (size_t i = 2; i + 1 < r->held_len; i++)
		if (r->held[i] < '0' || r->held[i] > '9')
			return false;
	return r->held[r->held_len - 1] == 'b' && r->last_len != 0;
}

static void spell_out(struct vt_repeat *r, struct buf *out)
{
	unsigned long n = strtoul(r->held + 2, NULL, 10);

	n = n ? n : 1;
	for (unsigned long i = 0; i < n && i < REPEAT_MOST; i++)
		(void)buf_add(out, r->last, r->last_len);
	r->held_len = 0;
}

static void in_sequence(struct vt_repeat *r, char c, struct buf *out)
{
	r->held[r->held_len++] = c;
	if (r->held_len == 2) {
		if (c != '[')
			give_up(r, out);
		return;
	}
	if (c >= 0x40 && c <= 0x7e && is_repeat(r))
		spell_out(r, out);
	else if (c < 0x20 || c >= 0x40 || r->held_len == sizeof(r->held))
		give_up(r, out);
}

static void remember(struct vt_repeat *r, char c)
{
	bool continued = ((unsigned char)c & 0xc0) == 0x80;

	if (!continued || r->last_len == sizeof(r->last))
		r->last_len = 0;
	r->last[r->last_len++] = c;
}

void vt_repeat_feed(struct vt_repeat *r, const char *bytes, size_t n, struct buf *out)
{
	for (size_t i = 0; i < n; i++) {
		char c = bytes[i];

		if (r->held_len) {
			in_sequence(r, c, out);
		} else if (c == '\033') {
			r->held[r->held_len++] = c;
		} else {
			if ((unsigned char)c >= 0x20)
				remember(r, c);
			(void)buf_add(out, &c, 1);
		}
	}
}
