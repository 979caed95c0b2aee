/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a fuzz target over files instead of under libFuzzer:
 *
 *   fuzz_query FILE-OR-DIRECTORY...
 *
 * Build with -fsanitize=fuzzer and -DRAILTOP_LIBFUZZER to let libFuzzer bring its own main.
 */
#ifndef RAILTOP_LIBFUZZER

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/str.h"

#define INPUT_MAX ((size_t)16 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned run_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	char chunk[4096];
	struct buf b;
	size_t n;

	if (!f) {
		perror(path);
		return 0;
	}
	buf_init(&b, INPUT_MAX);
	while ((n = fread(chunk, 1, sizeof(chunk), f)) > 0 && buf_add(&b, chunk, n))
		;
	(void)fclose(f);
	(void)LLVMFuzzerTestOneInput((const uint8_t *)(b.data ? b.data : ""), b.len);
	buf_free(&b);
	return 1;
}

static unsigned run_directory(const char *path)
{
	DIR *dir = opendir(path);
	const struct dirent *e;
	unsigned n = 0;
	char file[4096];

	if (!dir) {
		perror(path);
		return 0;
	}
	while ((e = readdir(dir))) {
		if (e->d_name[0] != '.' && str_printf(file, sizeof(file), "%s/%s", path, e->d_name))
			n += run_file(file);
	}
	(void)closedir(dir);
	return n;
}

int main(int argc, char **argv)
{
	unsigned n = 0;

	for (int i = 1; i < argc; i++) {
		struct stat st;

		if (stat(argv[i], &st) == 0 && S_ISDIR(st.st_mode))
			n += run_directory(argv[i]);
		else
			n += run_file(argv[i]);
	}
	(void)printf("%u inputs\n", n);
	return n ? EXIT_SUCCESS : EXIT_FAILURE;
}

#else
/* A file must not be empty. */
typedef int fuzz_main_is_elsewhere;
#endif
