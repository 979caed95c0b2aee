/* SPDX-License-Identifier: Apache-2.0 */
#include "app/console/commands.h"
#include "views/console/console.h"

/* Moving cannot fail and takes no arguments: ten commands of one shape. */
#define MOVE(id, how)                                                                              \
	bool cmd_##id(void *console, const char *args_text, struct err *err)                       \
	{                                                                                          \
		(void)args_text;                                                                   \
		(void)err;                                                                         \
		console_move(console, how);                                                        \
		return true;                                                                       \
	}

MOVE(up, TABLE_UP)
MOVE(down, TABLE_DOWN)
MOVE(page_up, TABLE_PAGE_UP)
MOVE(page_down, TABLE_PAGE_DOWN)
MOVE(half_up, TABLE_HALF_UP)
MOVE(half_down, TABLE_HALF_DOWN)
MOVE(top, TABLE_TOP)
MOVE(bottom, TABLE_BOTTOM)
MOVE(column_left, TABLE_LEFT)
MOVE(column_right, TABLE_RIGHT)
