/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/parse/lag.h"

#include "base/str.h"

uint32_t lag_bundle(
	struct obs *o, const char *name, const char *oper, const char *protocol, double min)
{
	uint32_t port = *name ? obs_port(o, name) : OBS_NO_PORT;

	if (port == OBS_NO_PORT)
		return port;
	obs_word(o, port, ATTR_BOND, 0, o->ports.at[port].name);
	if (*oper)
		obs_word(o, port, ATTR_OPER, 0, oper);
	if (*protocol)
		obs_word(o, port, ATTR_LAG_STATE, 0, protocol);
	if (min > 0)
		obs_number(o, port, ATTR_LAG_MIN, 0, min);
	return port;
}

void lag_member(
	struct obs *o, uint32_t port, const char *bundle, enum lag_member_state s, const char *why)
{
	static const char *const words[] = {[LAG_ACTIVE] = "active",
		[LAG_STANDBY] = "standby",
		[LAG_SUSPENDED] = "suspended",
		[LAG_INDIVIDUAL] = "individual",
		[LAG_DOWN] = "down",
		[LAG_UNKNOWN] = "unknown"};
	char text[96];

	if (port == OBS_NO_PORT || !*bundle)
		return;
	obs_word(o, port, ATTR_BOND, 0, bundle);
	str_printf(text, sizeof(text), "%s%s%s", words[s], *why ? ": " : "", why);
	obs_word(o, port, ATTR_LAG_STATE, 0, text);
}
