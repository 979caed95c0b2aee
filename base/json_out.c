/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json_out.h"

#include <stdatomic.h>

#include "base/log.h"

static atomic_ulong losses;

void json_out_lost(const char *key)
{
	(void)atomic_fetch_add(&losses, 1);
	log_line("json", "%s cannot be written as JSON and is null", key ? key : "a list's value");
}

unsigned long json_out_losses(void)
{
	return atomic_load(&losses);
}
