/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/parse/first_line.h"

#include "base/str.h"

char *parse_first_line(const char *bytes, size_t len, char *dst, size_t size)
{
	size_t start = 0, n;

	while (start < len && (unsigned char)bytes[start] <= ' ')
		start++;
	for (n = start; n < len && bytes[n] != '\n' && n - start < 120;)
		n++;
	if (n == start)
		str_copy(dst, size, "nothing");
	else
		str_sanitise(dst, size, bytes + start, n - start);
	return dst;
}
