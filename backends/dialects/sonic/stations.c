/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/parse/stations.h"

#include <string.h>

#include "backends/dialects/sonic/sonic.h"
#include "base/str.h"

/* Decodes the answer of SONIC_STATIONS. A switch with several ASICs has its entries elsewhere. */

static uint32_t port_of_netdev(void *ctx, const char *netdev)
{
	return sonic_is_front_panel(netdev) ? obs_port(ctx, netdev) : OBS_NO_PORT;
}

/* One entry "b8:ce:f6:aa:00:01 Ethernet4"; another text, such as a refusal, is none. */
static void add_learnt(struct stations *s, const char *entry, size_t n, struct obs *o)
{
	char text[MAC_TEXT + NAME_MAX_LEN], *port;

	if (n >= sizeof(text))
		return;
	(void)str_copyn(text, sizeof(text), entry, n);
	port = strchr(text, ' ');
	if (!port)
		return;
	*port++ = '\0';
	if (mac_is(text))
		stations_add(s, port_of_netdev(o, port), text);
}

static void read_learnt(struct stations *s, const char *line, const char *end, struct obs *o)
{
	while (line < end) {
		const char *stop = line;

		while (stop < end && *stop != ';' && *stop != '\n' && *stop != '\r')
			stop++;
		add_learnt(s, line, (size_t)(stop - line), o);
		line = stop + 1;
	}
}

bool sonic_parse_stations(const struct target *t, const char *bytes, size_t len, struct obs *o)
{
	struct stations s = {0};
	struct json_value *list;
	bool known;
	size_t at = 0;

	list = json_value_parse_next(bytes, len, &at, t->device, NULL);
	if (json_value_is(list, DV_ARRAY))
		stations_neigh(&s, list, port_of_netdev, o);
	else
		at = 0;
	known = len && bytes[0] == '[';
	free(list);
	read_learnt(&s, bytes + at, bytes + len, o);
	/* An empty list is no proof of a switch: anything may print "[]". */
	stations_tell(&s, o, known && s.at.n);
	return true;
}
