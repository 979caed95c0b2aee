/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/collector/shard.h"
#include "base/str.h"

/*
 * Reports once if a device does not deliver answers in the mode of the inventory: poll: filtered,
 * but answers come in full. The report is a capability with the reason and the cure.
 */

#define NEED_FILTERED "filtered answers"

static bool uses_shell(const struct round *r)
{
	for (size_t i = 0; r->list && i < r->list->at.n; i++)
		if (r->list->at.at[i].shell)
			return true;
	return false;
}

/*
 * Returns a static text with the reason; "": answers come as configured. NULL: this request does
 * not tell.
 */
static const char *mode_reason(
	const struct device_poller *p, const struct request *r, const struct answer *a)
{
	if (p->target.transport == TRANSPORT_HTTPS)
		return "https";
	if (!uses_shell(&p->rounds[POLL_FAST]))
		return "no shell";
	if (!r->shell || a->err.code != ERR_NONE)
		return NULL;
	/* In full without a reason: the filter has not begun yet. */
	return a->full_why || !a->filtered ? a->full_why : "";
}

void device_poller_tell_way(
	struct device_poller *p, const struct request *r, const struct answer *a)
{
	const char *way = p->device->poll == POLL_WAY_FULL ? NULL : mode_reason(p, r, a);
	char cure[256] = "";
	struct obs *o;

	if (!way || (p->way_told && str_eq(way, p->way_told)))
		return;
	p->way_told = way;
	o = device_poller_batch(p, "way");
	o->followed = true; /* it is no sign of life of the device */
	if (str_eq(way, "https") || str_eq(way, "no shell")) {
		(void)str_printf(cure, sizeof(cure),
			"poll: %s needs a dialect with a shell over SSH",
			poll_way_name(p->device->poll));
		obs_capability(o, NEED_FILTERED, VALID_UNSUPPORTED, cure);
	} else if (way[0]) {
		(void)str_printf(cure, sizeof(cure),
			"answers are sent in full: %s; install mawk, gawk or busybox awk on the "
			"device",
			way);
		obs_capability(o, NEED_FILTERED, VALID_DISABLED, cure);
	} else {
		obs_capability(o, NEED_FILTERED, VALID_OK, "");
	}
	shard_push(p->shard, o);
}
