/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/transport/transport.h"

#include "base/str.h"

static const char *const transport_names[TRANSPORT_COUNT] = {
	[TRANSPORT_SSH] = "ssh",
	[TRANSPORT_HTTPS] = "https",
};

const char *transport_name(enum transport_kind k)
{
	return (unsigned)k < TRANSPORT_COUNT ? transport_names[k] : "unknown";
}

bool transport_by_name(const char *s, enum transport_kind *out)
{
	for (int k = 0; k < TRANSPORT_COUNT; k++) {
		if (str_eq(transport_names[k], s)) {
			*out = (enum transport_kind)k;
			return true;
		}
	}
	return false;
}

const struct transport *transport_of(enum transport_kind kind)
{
	static const struct transport *const table[TRANSPORT_COUNT] = {
		[TRANSPORT_SSH] = &transport_ssh,
		[TRANSPORT_HTTPS] = &transport_rest,
	};

	return table[kind];
}
