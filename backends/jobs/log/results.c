/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "backends/jobs/log/log.h"
#include "base/digits.h"
#include "base/str.h"

/*
 * The table of nccl-tests and rccl-tests: one row per size,
 *	#  size  count  type  redop  root  time  algbw  busbw  #wrong  time  algbw  busbw  #wrong
 *	 524288 131072 float   sum    -1  663.1   0.79   0.79  237858 569.4   0.92   0.92  238038
 * and below it "# Out of bounds values : 2 FAILED". Values that are wrong are data that was damaged
 * on its way or in a GPU.
 */

#define COLUMNS   13
#define OUT_PLACE 8 /* columns of #wrong: into another buffer, and into the same */
#define IN_PLACE  12

struct row {
	char word[COLUMNS][24];
	unsigned n;
};

static bool read_row(const char *s, struct row *row)
{
	const char *word;
	size_t n;

	row->n = 0;
	while (row->n < COLUMNS && scan_word(&s, "", &word, &n))
		if (!str_copyn(row->word[row->n++], sizeof(row->word[0]), word, n))
			return false;
	return row->n > OUT_PLACE && row->n != COLUMNS - 1;
}

static bool is_number(const char *s)
{
	return digits_is(*s) && strspn(s, "0123456789.e+") == strlen(s);
}

/* The number of wrong values; "N/A" where nobody looked. */
static int64_t wrong_in(const struct row *row, unsigned column)
{
	const char *s = row->word[column];
	int64_t n;

	return column < row->n && digits_is(*s) && scan_int(&s, &n) ? n : 0;
}

static bool is_result(const struct row *row)
{
	static const unsigned numbers[] = {0, 1, 5, 6, 7};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (!is_number(row->word[numbers[i]]))
			return false;
	return !digits_is(row->word[2][0]) && !digits_is(row->word[3][0]);
}

/* The row, behind at most some words of a launcher. */
static bool find_row(const char *s, struct row *row)
{
	const char *word;
	size_t n;

	for (unsigned skipped = 0; skipped < 4; skipped++) {
		if (read_row(s, row) && is_result(row))
			return true;
		if (!scan_word(&s, "", &word, &n))
			return false;
	}
	return false;
}

bool nccl_log_results(struct log *l, const char *s)
{
	struct row row;
	int64_t wrong;
	char say[128];

	if (strstr(s, "Out of bounds values : ")) {
		if (strstr(s, "FAILED"))
			nccl_log_record(l, s, TROUBLE_ERROR,
				"nccl-tests: values are wrong, data was damaged", 0);
		return true;
	}
	if (!find_row(s, &row))
		return false;
	wrong = wrong_in(&row, OUT_PLACE) + wrong_in(&row, IN_PLACE);
	if (!wrong)
		return true;
	(void)str_printf(say, sizeof(say),
		"nccl-tests: %lld values of %s B are wrong, data was damaged", (long long)wrong,
		row.word[0]);
	nccl_log_record(l, s, TROUBLE_ERROR, say, 0);
	return true;
}
