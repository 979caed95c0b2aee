/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "backends/contract/facts.h"
#include "backends/dialects/eos/eos.h"
#include "base/str.h"

/*
 * Decodes "show hardware counter drop" of the chips with virtual output queues: what the chip
 * itself dropped, by name, without a port. Packets deleted for want of credit are among them. The
 * chips of other families do not have the command.
 */

/* Fact: the sum of such drops at the last poll. */
#define FACT_DROPS "eos.drops"

#define EVENTS_MOST 8u

/* Drops that the packet processor means to make, an access list for example, are no trouble. */
static bool is_trouble(const struct json_value *e)
{
	const char *type = json_value_text_or(json_value_get(e, "counterType"), "");

	return str_eq(type, "Adverse") || str_eq(type, "Congestion");
}

static uint64_t count_of(const struct json_value *e, const char *key)
{
	uint64_t n = 0;

	(void)json_value_u64(json_value_get(e, key), &n);
	return n;
}

static void tell(struct obs *o, const char *chip, const struct json_value *e, unsigned *told)
{
	uint64_t recent = count_of(e, "dropInLastMinute");
	char text[160];

	if (!recent || (*told)++ >= EVENTS_MOST)
		return;
	str_printf(text, sizeof(text), "the chip drops: %s %s, %llu in the last minute", chip,
		json_value_text_or(json_value_get(e, "counterName"), "unnamed"),
		(unsigned long long)recent);
	obs_event(o, OBS_NO_PORT, EV_LOG_ALARM, 0, text);
}

bool eos_parse_drops(const struct target *t, const struct json_value *body, struct obs *o)
{
	const struct json_value *chips = json_value_get(body, "dropEvents");
	uint64_t sum = 0, before = 0;
	unsigned told = 0;
	bool has_before = str_to_u64(facts_get(t->facts, FACT_DROPS), &before);
	char text[24];

	if (!json_value_is(chips, DV_OBJECT))
		return false;
	for (json_value_members(chip, chips))
		for (json_value_items(e, json_value_get(chip, "dropEvent")))
			sum += is_trouble(e) ? count_of(e, "dropCount") : 0;
	/* The last minute overlaps the poll before: the sum tells whether there is news. */
	for (json_value_members(chip, chips))
		for (json_value_items(e, json_value_get(chip, "dropEvent")))
			if (is_trouble(e) && (!has_before || sum > before))
				tell(o, json_value_name(chip), e, &told);
	str_printf(text, sizeof(text), "%llu", (unsigned long long)sum);
	obs_fact(o, FACT_DROPS, text);
	return true;
}
