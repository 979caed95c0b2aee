/* SPDX-License-Identifier: Apache-2.0 */
/* Input: a byte that chooses the kind, and a file of it. What is taken gives files that hold. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/inventory/inventory.h"
#include "app/import/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_files(const struct import *im)
{
	struct discover_opts opts = {.author = "a fuzz target", .fabric = "f"};
	FILE *out = fopen("/dev/null", "w");

	if (!out)
		return;
	if (!discovery_write(&im->d, &opts, "f.csv", out) || !discovery_write_wiring(&im->d, out))
		abort();
	(void)fclose(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct importer *kind;
	struct import im;
	struct err err = {0};
	char *text;

	if (!size)
		return 0;
	kind = importer_table[data[0] % importer_count];
	text = malloc(size);
	if (!text)
		return 0;
	memcpy(text, data + 1, size - 1);
	text[size - 1] = '\0';
	import_init(&im);
	if (!import_text(&im, kind, "fuzz", text, size - 1, &err) && (!err.text[0] || !err.code))
		abort();
	import_finish(&im, kind, "sonic");
	for (size_t i = 0; i < im.d.devices.n; i++)
		if (!inventory_name_ok(im.d.devices.at[i].name))
			abort();
	discovery_sort(&im.d);
	write_files(&im);
	import_free(&im);
	free(text);
	return 0;
}
