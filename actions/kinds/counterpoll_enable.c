/* SPDX-License-Identifier: Apache-2.0 */
#include "actions/kinds/common.h"
#include "base/str.h"
#include "fabric/vocabulary/need.h"

/*
 * Capabilities that a device may lack, and the counter group that switches each of them on; the
 * most important first. Groups of SONiC: `counterpoll --help` (sonic-utilities).
 */
static const struct {
	const char *dialect;
	enum need_id need;
	const char *group;
} groups[] = {
	{"sonic", NEED_PORT_COUNTERS, "port"},
	{"sonic", NEED_QUEUES, "queue"},
	{"sonic", NEED_QUEUE_DROPS, "queue"},
	{"sonic", NEED_ECN_MARKS, "wredqueue"},
	{"sonic", NEED_PG_DROPS, "pg-drop"},
	{"sonic", NEED_QUEUE_WATERMARKS, "watermark"},
	{"sonic", NEED_HEADROOM, "watermark"},
};

static const struct capability *capability_of(const struct device *d, const char *need)
{
	for (size_t i = 0; d && i < d->caps.n; i++)
		if (str_eq(d->caps.at[i].need, need))
			return &d->caps.at[i];
	return NULL;
}

/* The index in groups[] of the first group that the device lacks; -1: none is known to be off. */
static int find_missing_group(const struct place_of_action *at)
{
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		const struct capability *c = capability_of(at->dev, need_info[groups[i].need].name);

		if (c && c->valid == VALID_DISABLED &&
			str_eq(groups[i].dialect, at->device->dialect))
			return (int)i;
	}
	return -1;
}

static bool counterpoll_wants(const struct place_of_action *at, struct order *look, struct err *err)
{
	int i = find_missing_group(at);

	if (!action_can(at, VERB_COUNTERS_ON) || !action_can(at, VERB_COUNTERS_OFF))
		return action_cannot(at, "switch counters on", err);
	if (i < 0) {
		(void)err_set(err, ERR_REFUSED, at->device->name, "no disabled counters are known");
		return err_cure(err, "railtop check lists the capabilities of the device");
	}
	*look = order_of(at, VERB_COUNTERS_ON);
	look->port[0] = '\0';
	(void)str_copy(look->group, sizeof(look->group), groups[i].group);
	return true;
}

static bool counterpoll_compose(const struct place_of_action *at, const struct condition *now,
	step_vec *out, struct err *err)
{
	struct order on, off;

	if (!counterpoll_wants(at, &on, err))
		return false;
	off = on;
	off.verb = VERB_COUNTERS_OFF;
	if (now->counters < 0)
		return err_set(err, ERR_REFUSED, at->device->name,
			"the device does not report if the counters \"%s\" are on", on.group);
	if (now->counters) {
		(void)err_set(err, ERR_REFUSED, at->device->name,
			"the counters \"%s\" are on already", on.group);
		return err_cure(err, "railtop reads them with the next polls");
	}
	(void)step_add(out, &on, &off);
	return true;
}

static void counterpoll_expect(
	const struct place_of_action *at, const struct condition *now, char *dst, size_t size)
{
	int i = find_missing_group(at);

	(void)now;
	if (i >= 0)
		(void)str_printf(dst, size, "counters \"%s\" on, %s reported by %s",
			groups[i].group, need_info[groups[i].need].name, at->device->name);
}

static bool counterpoll_holds(const struct place_of_action *at, const struct condition *after,
	int64_t since_us, char *why, size_t size)
{
	(void)after;
	return !watch_is_blind(at, since_us, why, size);
}

const struct action_ops action_counterpoll_enable = {
	.name = "counterpoll-enable",
	.title = "switch on disabled counters of a switch",
	.help = "Switches on one group of counters that railtop found disabled, for the whole "
		"switch: for example ECN marks per queue on SONiC. It costs the switch some CPU "
		"time; traffic is not touched. Each further group takes another action.",
	.kinds = 1u << REF_DEVICE,
	.needs = NEED_AGREEMENT | NEED_SNAPSHOT,
	.wants = counterpoll_wants,
	.compose = counterpoll_compose,
	.expect = counterpoll_expect,
	.holds = counterpoll_holds,
};
