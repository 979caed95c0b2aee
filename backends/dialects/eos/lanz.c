/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "backends/contract/needs.h"
#include "backends/dialects/eos/eos_private.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"

/*
 * Decodes "show queue-monitor length" (LANZ): how long queues were above the monitor's threshold,
 * and their length. Format: public consumers of eAPI (goeapi).
 *
 * A queue that is not listed stayed below the threshold; its length is not known.
 */

/*
 * Chips with virtual output queues report bytes, others segments of so many bytes. That is from the
 * manual's headings of the table, not from a capture.
 */
static double unit_of(const struct json_value *body)
{
	const char *platform = json_value_text_or(json_value_get(body, "platformName"), "");
	double bytes = 0;

	(void)json_value_real(json_value_get(body, "bytesPerTxmpSegment"), &bytes);
	return str_eq(platform, "Sand") || !(bytes > 1) || bytes > 65536 ? 1 : bytes;
}

/* The newest entries come first. */
#define ENTRIES_MOST 4096

/* The longest entry of each queue counts. */
static void add_entry(struct obs *o, const struct json_value *e, double unit)
{
	const char *name = json_value_text_or(json_value_get(e, "interface"), "");
	double length;
	uint64_t queue, peak;
	uint32_t port;

	if (!eos_is_front_panel(name) ||
		!json_value_u64(json_value_get(e, "trafficClass"), &queue) || queue >= PRIORITIES ||
		json_value_real(json_value_get(e, "queueLength"), &length) != NUMBER_OK ||
		!(length >= 0 && length < 1e12))
		return;
	port = obs_port(o, name);
	if (port == OBS_NO_PORT)
		return;
	peak = (uint64_t)(length * unit);
	for (size_t i = 0; i < o->items.n; i++) {
		struct obs_item *it = &o->items.at[i];

		if (it->kind != OBS_COUNT || it->port != port ||
			it->cell != counter_cell(CTR_QUEUE_WATERMARK_BYTES, (unsigned)queue))
			continue;
		it->u64 = it->u64 > peak ? it->u64 : peak;
		return;
	}
	obs_count(o, port, CTR_QUEUE_WATERMARK_BYTES, (unsigned)queue, peak);
}

bool eos_lacks_lanz(const struct target *t)
{
	const struct eos_question *q = eos_question_find("lanz");

	return eos_choice(q, t->facts) >= eos_command_count(q);
}

struct ports {
	const struct target *t;
	struct obs *o;
};

static void port_without(void *ctx, const char *name)
{
	const struct ports *p = ctx;

	eos_invalid_lossless(p->t, p->o, obs_port(p->o, name), CTR_QUEUE_WATERMARK_BYTES,
		VALID_DISABLED, EOS_LANZ_CURE);
}

bool eos_parse_lanz(const struct target *t, const struct json_value *body, struct obs *o)
{
	const struct json_value *on = json_value_get(body, "lanzEnabled"),
				*list = json_value_get(body, "entryList");
	struct ports ports = {t, o};
	unsigned n = 0;

	if (!on)
		return false;
	if (!json_value_is(on, DV_TRUE)) {
		eos_known_ports(t, &ports, port_without);
		need_say(o, NEED_QUEUE_WATERMARKS, VALID_DISABLED, EOS_LANZ_CURE);
		return true;
	}
	for (json_value_items(e, list)) {
		if (n++ == ENTRIES_MOST)
			break;
		add_entry(o, e, unit_of(body));
	}
	need_say(o, NEED_QUEUE_WATERMARKS, VALID_OK, "");
	return true;
}
