/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SUPPORT_TERMINAL_VT_INTERNAL_H
#define TESTS_SUPPORT_TERMINAL_VT_INTERNAL_H

#include <sys/types.h>
#include <vterm.h>

#include "base/buf.h"
#include "tests/support/terminal/vt.h"
#include "tests/support/terminal/vt_repeat.h"

struct vt {
	VTerm *vterm;
	VTermScreen *screen;
	char home[32]; /* where the program keeps its state; goes with it */
	pid_t pid;
	int master, idle_fd;
	bool eof, exited;
	int status;
	bool mute, hold, cursor_visible, altscreen;
	struct buf held; /* answers kept back, the first since held_ms */
	int64_t held_ms;
	int slow_ms;
	struct buf output; /* everything the program wrote, up to its cap */
	struct buf line;   /* of vt_line() */
	struct vt_repeat repeat;
	struct buf spelled; /* the last bytes read, each REP spelled out */
	uint64_t bytes;
	unsigned long questions, typed, idle_lines, idle_keys, drawn_lines;
	unsigned long settled_at; /* idle lines there were when the last key was typed */
	size_t output_mark;       /* and how much output */
	char idle_text[64];
	size_t idle_len;
	unsigned match; /* how much of CSI 5 n the newest bytes match */
};

/* Reads the program's output, waiting at most ms for it; false when nothing came. */
bool vt_pump(struct vt *vt, int ms);
int64_t vt_now_ms(void);
/* Writes to the program's keyboard. */
void vt_write(struct vt *vt, const char *p, size_t n);

#endif
