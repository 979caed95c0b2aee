/* SPDX-License-Identifier: Apache-2.0 */
/* Input: a byte of options, then the log of a device. Nothing of it reaches a terminal raw. */
#include <stdlib.h>
#include <string.h>

#include "backends/syslog/syslog.h"
#include "tests/fuzz/decoder.h"

#define NOW_US INT64_C(1763750000000000)

static bool is_ethernet(const char *name)
{
	return strncmp(name, "Ethernet", 8) == 0 && name[8] >= '0' && name[8] <= '9';
}

static void check(const struct obs *o)
{
	for (size_t i = 0; i < o->items.n; i++) {
		const struct obs_item *it = &o->items.at[i];

		/* Besides events there are the marks of bundles. */
		bool known = it->kind == OBS_EVENT ? it->sub <= PRIORITIES
						   : it->kind == OBS_WORD && it->code == ATTR_BOND;

		if (!known || (it->port != OBS_NO_PORT && it->port >= o->ports.n))
			abort();
	}
	for (size_t i = 0; i < o->strings.n; i++)
		if (o->strings.at[i] == '\x1b' || o->strings.at[i] == '\n')
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const zones[] = {NULL, "+0200", "-0730", "zone"};
	struct obs *o;
	char *exact;

	if (!size)
		return 0;
	exact = malloc(size); /* reading past it is seen */
	if (!exact)
		abort();
	memcpy(exact, data + 1, size - 1);
	exact[size - 1] = '\0';
	o = obs_new("leaf1", "log");
	o->received_us = data[0] & 1 ? NOW_US : 0;
	const struct syslog_opts opts = {
		.is_port = data[0] & 2 ? is_ethernet : NULL,
		.bundle = data[0] & 64 ? "Port-Channel" : NULL,
		.brief = data[0] & 64 ? "Et" : NULL,
		.live = data[0] & 4,
		.not_before_us = data[0] & 8 ? NOW_US - 1000000 : 0,
		.zone = zones[data[0] >> 4 & 3],
	};
	(void)syslog_parse(&opts, exact, size - 1, o);
	check(o);
	obs_free(o);
	free(exact);
	return 0;
}
