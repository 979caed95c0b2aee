/* SPDX-License-Identifier: Apache-2.0 */
/* Digits, eight at a time, compared with reading them one by one. */
#include <stdlib.h>
#include <string.h>

#include "base/digits.h"
#include "tests/support/cases.h"

/* Characters that differ from a digit in some bit, and characters that follow numbers. */
static const char others[] = {'/', ':', ';', '?', '@', '0' - 16, '0' + 16, '\0', ' ', 'a', '.', ',',
	(char)0x7f, (char)0x80, (char)0xb0, (char)0xb9, (char)0xff};

static uint64_t one_by_one(const char *s, size_t most, size_t *n)
{
	uint64_t v = 0;

	for (*n = 0; *n < most && s[*n] >= '0' && s[*n] <= '9'; ++*n)
		v = v * 10 + (uint64_t)(s[*n] - '0');
	return v;
}

/* Each length, each other byte behind it, and others of them behind that. */
CASE(the_run_ends_at_the_first_other_byte)
{
	char s[16];

	for (size_t len = 0; len <= sizeof(s); len++)
		for (size_t k = 0; k < sizeof(others); k++)
			for (unsigned start = 0; start < 10; start++) {
				uint64_t v, want;
				size_t n;

				for (size_t i = 0; i < sizeof(s); i++)
					s[i] = i < len ? (char)('0' + (start + i * 3) % 10)
						       : others[(k + i - len) % sizeof(others)];
				want = one_by_one(s, sizeof(s), &n);
				assert_int_equal(n, len);
				assert_int_equal(digits_16(s, &v), len);
				assert_true(v == want);
				if (len < 8)
					assert_int_equal(digits_count(digits_load(s)), len);
			}
}

/* Each length at the end, each other byte in front of it, and digits and others before that. */
CASE(the_last_run_begins_behind_the_last_other_byte)
{
	for (size_t len = 0; len <= 8; len++)
		for (size_t k = 0; k < sizeof(others); k++)
			for (int between = 0; between < 2; between++) {
				char s[8];

				for (size_t i = 0; i < sizeof(s); i++) {
					bool other =
						i + len + 1 == sizeof(s) ||
						(i + len < sizeof(s) && i % 2 == (size_t)between);

					s[i] = other ? others[(k + i) % sizeof(others)]
						     : (char)('0' + (k + i) % 10);
				}
				assert_int_equal(digits_count_back(digits_load(s)), len);
			}
}

/* Memory that ends with the number: bytes around it are not read. */
CASE(a_number_is_all_digits_or_none)
{
	for (size_t len = 1; len <= 16; len++) {
		char *s = malloc(len);
		uint64_t v = 0;
		size_t n;

		assert_non_null(s);
		for (size_t i = 0; i < len; i++)
			s[i] = (char)('0' + (9 - i % 10 + len) % 10);
		assert_true(digits_all(s, len, &v));
		assert_true(v == one_by_one(s, len, &n));
		for (size_t i = 0; i < len; i++)
			for (size_t k = 0; k < sizeof(others); k++) {
				char was = s[i];

				s[i] = others[k];
				if (digits_all(s, len, &v))
					fail_msg("%zu bytes with %d at %zu", len, others[k], i);
				s[i] = was;
			}
		free(s);
	}
}

CASE(no_digits_and_too_many_are_none)
{
	uint64_t v = 7;

	assert_false(digits_all("", 0, &v));
	assert_false(digits_all("12345678901234567", 17, &v));
	assert_int_equal(v, 7);
	assert_true(digits_value(digits_load("99999999"), 8) == 99999999);
	assert_true(digits_value(digits_load("99999999"), 0) == 0);
	assert_int_equal(digits_16("9999999999999999", &v), 16);
	assert_true(v == UINT64_C(9999999999999999));
}

CASE(bytes_are_summed)
{
	srand(3);
	for (int i = 0; i < 10000; i++) {
		unsigned char bytes[8];
		unsigned want = 0;

		for (size_t k = 0; k < sizeof(bytes); k++) {
			bytes[k] = i ? (unsigned char)rand() : 255;
			want += bytes[k];
		}
		assert_int_equal(digits_sum_bytes(digits_load((const char *)bytes)), want);
	}
}

CASES_MAIN(NULL, NULL)
