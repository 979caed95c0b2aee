/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/diagnosis/one_run.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "tests/bench/diagnosis/groundtruth.h"
#include "tests/bench/diagnosis/verdict_line.h"

bool one_run_judge(const char *dir, const struct sweep *sweep, said_vec *said)
{
	struct err err = {0};
	char text[900];
	struct groundtruth *g = groundtruth_open(dir, sweep, &err);
	struct gt_poll p;
	struct bed bed;

	if (!g) {
		(void)fprintf(stderr, "%s\n", err_format(&err, text, sizeof(text)));
		return false;
	}
	bed_open(&bed, groundtruth_plan(g), sweep);
	while (groundtruth_poll(g, &p, bed_line, &bed)) {
		bed_poll(&bed, p.wall_us);
		verdict_take(&bed, p.t_us, said);
		bed_print(&bed, p.t_us);
	}
	if (bed.refused)
		(void)fprintf(stderr, "%s: %llu lines refused: %s\n", dir,
			(unsigned long long)bed.refused, bed.complaint);
	bed_close(&bed);
	groundtruth_close(g);
	return true;
}

void one_run_folder(char *path)
{
	for (char *p = path + 1; *p; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		(void)mkdir(path, 0777);
		*p = '/';
	}
	(void)mkdir(path, 0777);
}

static void link_files(const char *dir, const char *out)
{
	static const char *const files[] = {
		"label.json", "topology.json", "ports.csv", "topology.json.gz", "ports.csv.gz"};
	char from[PATH_MAX], to[PATH_MAX], real[PATH_MAX];

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		(void)str_printf(from, sizeof(from), "%s/%s", dir, files[i]);
		(void)str_printf(to, sizeof(to), "%s/%s", out, files[i]);
		(void)unlink(to);
		if (realpath(from, real) && symlink(real, to) != 0)
			(void)fprintf(stderr, "%s: %s\n", to, strerror(errno));
	}
}

void one_run_write(const char *dir, const char *out, const said_vec *said)
{
	char path[PATH_MAX];
	FILE *f;

	(void)str_copy(path, sizeof(path), out);
	one_run_folder(path);
	if (!str_eq(dir, out))
		link_files(dir, out);
	(void)str_printf(path, sizeof(path), "%s/verdict.jsonl", out);
	f = fopen(path, "we");
	for (size_t i = 0; f && i < said->n; i++)
		verdict_write(f, &said->at[i]);
	if (f)
		(void)fclose(f);
}
