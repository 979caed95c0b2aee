/* SPDX-License-Identifier: Apache-2.0 */
#include "actions/action.h"

static bool wants(const struct place_of_action *at, struct order *look, struct err *err)
{
	(void)look;
	return err_set(err, ERR_UNSUPPORTED, at->device->name, "not yet");
}

static bool compose(const struct place_of_action *at, const struct condition *now, step_vec *out,
	struct err *err)
{
	(void)now, (void)out;
	return err_set(err, ERR_UNSUPPORTED, at->device->name, "not yet");
}

static void expect(
	const struct place_of_action *at, const struct condition *now, char *dst, size_t size)
{
	(void)at, (void)now, (void)size;
	dst[0] = '\0';
}

const struct action_ops action_locate = {
	.name = "locate",
	.title = "",
	.help = "",
	.kinds = 1u << REF_PORT,
	.wants = wants,
	.compose = compose,
	.expect = expect,
};
