/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/query/name_suggestions.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"

#define NEAR_LEN 64

static unsigned min_of_3(unsigned a, unsigned b, unsigned c)
{
	unsigned ab = a < b ? a : b;

	return ab < c ? ab : c;
}

static bool same_letter(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Optimal string alignment distance; both at most NEAR_LEN long. */
static unsigned edit_distance(const char *a, size_t la, const char *b, size_t lb)
{
	unsigned row[3][NEAR_LEN + 1];

	for (unsigned j = 0; j <= lb; j++)
		row[0][j] = j;
	for (unsigned i = 1; i <= la; i++) {
		unsigned *now = row[i % 3], *up = row[(i + 2) % 3], *up2 = row[(i + 1) % 3];

		now[0] = i;
		for (unsigned j = 1; j <= lb; j++) {
			unsigned cost = same_letter(a[i - 1], b[j - 1]) ? 0 : 1;

			now[j] = min_of_3(up[j] + 1, now[j - 1] + 1, up[j - 1] + cost);
			if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) &&
				same_letter(a[i - 2], b[j - 1]) && up2[j - 2] + 1 < now[j])
				now[j] = up2[j - 2] + 1;
		}
	}
	return row[la % 3][lb];
}

void name_suggestions_init(struct name_suggestions *out, const char *wanted)
{
	*out = (struct name_suggestions){.wanted = wanted};
}

void name_suggestions_offer(struct name_suggestions *n, const char *name)
{
	size_t lw = strlen(n->wanted), ln = strlen(name), shorter = lw < ln ? lw : ln, at;
	unsigned d;

	if (!shorter || lw > NEAR_LEN || ln > NEAR_LEN)
		return;
	for (at = 0; at < n->n; at++)
		if (strcmp(n->name[at], name) == 0)
			return;
	d = edit_distance(n->wanted, lw, name, ln);
	/* One common letter is no hint: too many names begin with it. */
	if (d > (lw + 1) / 3 && (shorter < 2 || strncasecmp(n->wanted, name, shorter) != 0))
		return;
	for (at = n->n; at > 0 && n->distance[at - 1] > d; at--) {
		if (at < NEAR_MAX) {
			n->name[at] = n->name[at - 1];
			n->distance[at] = n->distance[at - 1];
		}
	}
	if (at >= NEAR_MAX)
		return;
	n->name[at] = name;
	n->distance[at] = d;
	if (n->n < NEAR_MAX)
		n->n++;
}

bool name_suggestions_format(const struct name_suggestions *n, char *dst, size_t size)
{
	size_t len = 0;

	if (size)
		dst[0] = '\0';
	for (size_t i = 0; i < n->n && len < size; i++) {
		const char *glue = !i ? "" : i + 1 == n->n ? " or " : ", ";

		(void)str_printf(dst + len, size - len, "%s%s", glue, n->name[i]);
		len += strlen(dst + len);
	}
	return n->n > 0;
}
