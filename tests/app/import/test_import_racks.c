/* SPDX-License-Identifier: Apache-2.0 */
/* Racks that are imported into an inventory, which has some of its own or none. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/discover/update.h"
#include "app/import/import.h"
#include "base/str.h"
#include "tests/support/cases.h"

static void begin(struct import *im, const char *kind, const char *text)
{
	struct err err = {0};

	import_init(im);
	assert_true(import_text(im, importer_by_name(kind), "site.file", text, strlen(text), &err));
}

static void end(struct import *im, const char *kind)
{
	import_finish(im, importer_by_name(kind), NULL);
	discovery_sort(&im->d);
}

static void keep_message(void *ctx, const char *message)
{
	char *all = ctx;

	(void)str_printf(all + strlen(all), 2048 - strlen(all), "%s\n", message);
}

static char *updated(struct import *im, const char *before, struct update *done, char *told)
{
	struct err err = {0};
	char *out = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&out, &size);

	assert_non_null(f);
	*done = (struct update){0};
	told[0] = '\0';
	assert_true(update_inventory(
		"f.yaml", before, strlen(before), &im->d, f, done, keep_message, told, &err));
	assert_int_equal(fclose(f), 0);
	return out;
}

CASE(racks_are_merged_with_those_of_the_file)
{
	static const char before[] =
		"fabric: mine\n"
		"racks: # the hall of 2024\n"
		"    - {rack: R1, unit: U40, devices: leaf1}\n"
		"    - {rack: R7, devices: 'n[1-2]'} # by hand\n"
		"\n"
		"switches:\n"
		"  - {names: 'leaf[1-2]', dialect: eos, address: '10.0.0.[1-2]'}\n"
		"hosts:\n"
		"  - {names: n1}\n";
	static const char after[] = "    - {rack: R7, devices: 'n[1-2]'} # by hand\n"
				    "    - {rack: 'R2', devices: 'leaf2', unit: '41'}\n"
				    "    - {rack: 'R3', devices: 'n3'}\n"
				    "\n"
				    "switches:\n";
	struct import im;
	struct update done;
	char told[2048], *out, *again;

	begin(&im, "csv",
		"name,role,ip,os,rack,unit\nleaf1,leaf,10.0.0.1,eos,R1,40\nleaf2,leaf,10.0.0.2,eos,"
		"R2,41\nn1,server,,,R8,\nn2,server,,,R7,12\nn3,server,,,R3,\n");
	end(&im, "csv");
	im.d.source = "csv says";
	out = updated(&im, before, &done, told);
	if (!strstr(out, after))
		fail_msg("not in:\n%s", out);
	assert_int_equal(done.racks, 2);
	assert_null(strstr(out, "# rack"));
	assert_non_null(
		strstr(told, "n1: the file has it in rack R7, csv says in R8; the file stays"));
	assert_null(strstr(told, "leaf1"));
	/* Asked again nothing changes. */
	again = updated(&im, out, &done, told);
	assert_string_equal(again, out);
	assert_int_equal(done.racks + done.devices, 0);
	free(again);
	free(out);
	import_free(&im);
}

CASE(racks_of_a_file_without_them_and_in_one_line)
{
	static const char without[] = "fabric: mine\nswitches:\n  - {names: leaf1, dialect: eos}\n";
	static const char line[] = "fabric: mine\nracks: [{rack: R9, devices: leaf1}]\nswitches:\n"
				   "  - {names: leaf1, dialect: eos}\n";
	struct import im;
	struct update done;
	char told[2048], *out;

	begin(&im, "csv", "name,role,ip,os,rack\nleaf1,leaf,,eos,R1\nleaf2,leaf,,eos,R2\n");
	end(&im, "csv");
	im.d.source = "csv says";
	out = updated(&im, without, &done, told);
	assert_non_null(strstr(out, "racks:\n  - {rack: 'R1', devices: 'leaf1'}\n"
				    "  - {rack: 'R2', devices: 'leaf2'}\n"));
	free(out);
	/* Nothing can be added to a list of one line: the place is a comment, and what differs is
	 * told. */
	out = updated(&im, line, &done, told);
	assert_non_null(strstr(out, "# rack R2: leaf2\n"));
	assert_non_null(strstr(out, "racks: [{rack: R9, devices: leaf1}]\n"));
	assert_non_null(strstr(told, "leaf1: the file has it in rack R9"));
	free(out);
	import_free(&im);
}

CASES_MAIN(NULL, NULL)
