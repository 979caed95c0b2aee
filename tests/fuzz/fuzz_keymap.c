/* SPDX-License-Identifier: Apache-2.0 */
/* Input: a key file. Each problem has file and line, and each binding can be found again. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "app/console/commands.h"
#include "base/mem.h"
#include "base/str.h"
#include "tui/keymap.h"
#include "views/view.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool known(void *ctx, const char *name)
{
	(void)ctx;
	return command_find(command_table, command_count, name) != NULL;
}

static bool context(void *ctx, const char *name)
{
	(void)ctx;
	return view_by_name(name) != NULL;
}

static void report(void *ctx, const char *message)
{
	if (!str_starts(message, "f:") || strpbrk(message, "\x1b\n\r"))
		abort();
	(*(size_t *)ctx)++;
}

static void check_view(const struct keymap *k, const char *view)
{
	const struct binding *all[64];
	size_t n = keymap_list(k, view, all, 64);

	for (size_t i = 0; i < n; i++) {
		int first = all[i]->key[1] ? all[i]->key[0] : 0;
		int last = all[i]->key[1] ? all[i]->key[1] : all[i]->key[0];
		char name[64];

		if (keymap_find(k, view, first, last, NULL) != all[i])
			abort();
		if (!*key_name(last, name, sizeof(name)))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = mem_strndup((const char *)data, size);
	struct keymap *k = keymap_new();
	size_t reported = 0,
	       problems = keymap_read(k, "f", text, known, context, report, &reported);

	if (!reported != !problems || reported > problems)
		abort();
	check_view(k, "cluster");
	check_view(k, "events");
	keymap_free(k);
	free(text);
	return 0;
}
