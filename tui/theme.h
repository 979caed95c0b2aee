/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TUI_THEME_H
#define TUI_THEME_H

/*
 * Roles instead of colours: a view states the meaning of a cell. The theme and the terminal's depth
 * (mono, 8, 16, 256 colours) choose its look. Severity never depends on colour alone: views add a
 * word or a letter.
 */
enum role {
	ROLE_NORMAL,
	ROLE_DIM,
	ROLE_TITLE,
	ROLE_HEADER,
	ROLE_CURSOR,
	ROLE_CURSOR_WARN, /* a warning in the row under the cursor */
	ROLE_CURSOR_CRIT,
	ROLE_ACCENT,
	ROLE_OK,
	ROLE_WARN,
	ROLE_CRIT,
	ROLE_UNKNOWN,
	ROLE_BADGE,
	ROLE_ERROR,
	ROLE_MATCH,
	ROLE_HINT,
	ROLE_LINE_1, /* the lines of a chart */
	ROLE_LINE_2,
	ROLE_LINE_3,
	ROLE_LINE_4,
	ROLE_COUNT
};

/* Theme names: "default", "light", "mono", "cvd" (colour-vision-deficiency safe, Okabe-Ito). */
const char *theme_names(void);

#endif
