/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/dialects/poll_path.h"

#include <string.h>

#include "base/str.h"

static size_t next_word(const char *at, size_t len, char dst[NAME_MAX_LEN])
{
	const char *end = memchr(at, '\n', len);
	size_t n = end ? (size_t)(end - at) : len, text = n;

	while (text && (unsigned char)at[text - 1] <= ' ')
		text--;
	if (!str_copyn(dst, NAME_MAX_LEN, at, text))
		dst[0] = '\0';
	return end ? n + 1 : n;
}

void poll_path_read(const char *bytes, size_t len, enum tier tier, struct obs *o)
{
	char device[NAME_MAX_LEN], carrier[NAME_MAX_LEN];
	size_t n = next_word(bytes, len, device);

	(void)next_word(bytes + n, len - n, carrier);
	if (str_eq(device, "lo") && tier == TIER_HOST)
		device[0] = carrier[0] = '\0';
	obs_word(o, OBS_NO_PORT, ATTR_POLL_PATH, 0, *carrier ? carrier : device);
}
