/* SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>

#include "base/str.h"
#include "emulator/sim/sim_internal.h"

void sim_log_add(struct sim *s, struct sim_device *d, const struct sim_port *p,
	enum sim_log_kind kind, unsigned prio, const char *text)
{
	struct sim_log *l = &d->log[d->logged++ % SIM_LOG_KEPT];

	/* Only a configuration change is not counted by the faults. */
	if (kind == SIM_LOG_CONFIG)
		s->fault_generation++;
	l->t_us = s->now;
	l->kind = kind;
	l->port = p ? p->port : UINT_MAX;
	l->prio = prio;
	(void)str_copy(l->text, sizeof(l->text), text ? text : "");
}
