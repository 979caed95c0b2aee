/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/dialects/sonic/sonic.h"

#include "base/str.h"

/*
 * Decodes the PFC watchdog of one queue. Two kinds exist: orchagent's, with its state in the row of
 * the queue (COUNTERS_DB), and that of the chip, with its settings in STATE_DB.
 */

static const struct json_value *chip_value(const struct sonic_watchdog *w, const char *name)
{
	return w->chip ? sonic_value(w->chip_fields, w->chip, name) : NULL;
}

/* Redis has microseconds, the command line and the chip's row milliseconds. */
static void parse_microseconds(
	const struct json_value *v, struct obs *o, uint32_t port, unsigned p, enum obs_attr attr)
{
	uint64_t us;

	if (json_value_u64(v, &us))
		obs_number(o, port, attr, p, (double)us / 1000.0);
}

static void parse_chip(const struct sonic_watchdog *w, struct obs *o, uint32_t port, unsigned p)
{
	const char *action = json_value_text_or(chip_value(w, "action"), "");
	char text[16];

	if (str_printf(text, sizeof(text), SONIC_WATCHDOG_CHIP "%s", action))
		obs_word(o, port, ATTR_PFCWD_ACTION, p, text);
	json_value_number(o, port, ATTR_PFCWD_DETECT_MS, p, chip_value(w, "hw_detection_time"));
	json_value_number(o, port, ATTR_PFCWD_RESTORE_MS, p, chip_value(w, "hw_restoration_time"));
}

bool sonic_parse_watchdog(const struct sonic_watchdog *w, struct obs *o, uint32_t port, unsigned p)
{
	const char *status = json_value_text(w->status);
	/* The big red switch drops the whole queue while it is on: an endless storm. */
	bool red = str_eq(json_value_text(w->red), "enable");

	if (!status && str_eq(json_value_text(chip_value(w, "status")), "configured"))
		status = "operational";
	/* The action first: the start of a storm is reported with it. */
	if (red)
		obs_word(o, port, ATTR_PFCWD_ACTION, p, "big red switch");
	else if (w->chip)
		parse_chip(w, o, port, p);
	else
		json_value_word(o, port, ATTR_PFCWD_ACTION, p, w->action);
	obs_word(o, port, ATTR_PFCWD_STATE, p,
		w->in_storm || red ? "stormed"
		: status           ? status
				   : "off");
	if (!w->chip) {
		parse_microseconds(w->detect, o, port, p, ATTR_PFCWD_DETECT_MS);
		parse_microseconds(w->restore, o, port, p, ATTR_PFCWD_RESTORE_MS);
	}
	return status || red;
}

/* PFC_WD_TABLE_INSTORM: ["3","storm",...], or {} if it is empty. */
uint8_t sonic_storms(const struct json_value *list)
{
	const struct json_value *queue = NULL, *state = NULL;
	uint64_t q;
	unsigned mask = 0;

	while (json_value_pair(list, &queue, &state))
		if (json_value_u64(queue, &q) && q < PRIORITIES)
			mask |= 1u << q;
	return (uint8_t)mask;
}
