/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <string.h>

#include "backends/ssh/config.h"
#include "base/str.h"

/* Backtracks to the last star only: after a mismatch it retries one character further on. */
bool ssh_pattern_fits(const char *pattern, size_t n, const char *s)
{
	const char *end = pattern + n, *star = NULL, *from = NULL;

	while (*s) {
		if (pattern < end && *pattern == '*') {
			star = ++pattern;
			from = s;
		} else if (pattern < end && (*pattern == '?' || *pattern == *s)) {
			pattern++;
			s++;
		} else if (star) {
			pattern = star;
			s = ++from;
		} else {
			return false;
		}
	}
	while (pattern < end && *pattern == '*')
		pattern++;
	return pattern == end;
}

static void make_small(char *s)
{
	for (; *s; s++)
		*s = (char)tolower((unsigned char)*s);
}

enum ssh_fit ssh_patterns_judge(const char *patterns, const char *name, bool lower)
{
	enum ssh_fit fit = FIT_NONE;
	char one[1024], s[1024];

	/* No valid name is longer, and a negated pattern could not be tested against it. */
	if (!str_copy(s, sizeof(s), name))
		return FIT_DENIED;
	if (lower)
		make_small(s);
	while (*patterns) {
		size_t n = strcspn(patterns, ",");
		bool negated = *patterns == '!';

		/* No longer pattern can match a name; a negated one must not be ignored. */
		if (!str_copyn(one, sizeof(one), patterns + negated, n - negated))
			return FIT_DENIED;
		if (lower)
			make_small(one);
		if (ssh_pattern_fits(one, strlen(one), s)) {
			if (negated)
				return FIT_DENIED;
			fit = FIT_GOOD;
		}
		patterns += n + (patterns[n] == ',');
	}
	return fit;
}

bool ssh_patterns_fit(const char *patterns, const char *name, bool lower)
{
	return ssh_patterns_judge(patterns, name, lower) == FIT_GOOD;
}
