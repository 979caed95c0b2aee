/* SPDX-License-Identifier: Apache-2.0 */
/* Reads pins: of an inventory. The ports of a device are known only after its first answer. */
#include <string.h>

#include "app/inventory/inventory_yaml_schema.h"
#include "base/str.h"
#include "fabric/history/history.h"

static bool read_pin(struct reader *r, const yaml_node_t *n, void *to)
{
	struct inventory *inv = to;
	struct plan_pin pin = {.line = yaml_line(n)};
	const char *text, *colon;

	if (!yaml_text(r, n, "a port such as leaf-r3-00:Ethernet12", YAML_TEXT_MAX, &text))
		return false;
	colon = strchr(text, ':');
	if (!colon || !colon[1] || (size_t)(colon - text) >= sizeof(pin.device) ||
		!str_copy(pin.port, sizeof(pin.port), colon + 1))
		return yaml_not_a(r, n, text, "port", "DEVICE:PORT, as in leaf-r3-00:Ethernet12");
	memcpy(pin.device, text, (size_t)(colon - text));
	if (inv->pins.n == HISTORY_PINS)
		return problem_add(r->problems, yaml_line(n), r->place,
			"more than %d ports cannot be pinned", HISTORY_PINS);
	vec_push(&inv->pins, pin);
	return true;
}

bool yaml_read_pins(struct reader *r, const yaml_node_t *n, void *to)
{
	return yaml_read_items(r, n, read_pin, to);
}
