/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <string.h>

#include "backends/ssh_config.h"
#include "base/str.h"

/* One star is remembered: what failed after it is tried one character further on. */
bool ssh_pattern_fits(const char *pattern, const char *s)
{
	const char *star = NULL, *from = NULL;

	while (*s) {
		if (*pattern == '*') {
			star = pattern++;
			from = s;
		} else if (*pattern && (*pattern == '?' || *pattern == *s)) {
			pattern++;
			s++;
		} else if (star) {
			pattern = star + 1;
			s = ++from;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

bool ssh_patterns_fit(const char *patterns, const char *s, bool lower)
{
	bool fits = false;

	while (*patterns) {
		size_t n = strcspn(patterns, ",");
		bool negated = *patterns == '!';
		char one[1024];

		/* None that is longer fits a name; a negated one must not be passed by. */
		if (!str_copyn(one, sizeof(one), patterns + negated, n - negated))
			return false;
		for (char *c = one; lower && *c; c++)
			*c = (char)tolower((unsigned char)*c);
		if (ssh_pattern_fits(one, s)) {
			if (negated)
				return false;
			fits = true;
		}
		patterns += n + (patterns[n] == ',');
	}
	return fits;
}
