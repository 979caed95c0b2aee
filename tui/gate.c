/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/gate.h"

void gate_init(struct gate *g, bool on)
{
	*g = (struct gate){.on = on, .rtt = -1};
}

int64_t gate_deadline(const struct gate *g)
{
	if (!g->on || !g->outstanding)
		return INT64_MAX;
	return g->asked + (g->answered ? GATE_LOST_US : GATE_FIRST_US);
}

bool gate_open(struct gate *g, int64_t now)
{
	if (!g->on || !g->outstanding)
		return true;
	if (now < gate_deadline(g))
		return false;
	if (!g->answered)
		g->on = false;
	return true;
}

void gate_asked(struct gate *g, int64_t now)
{
	g->asked = now;
	g->outstanding++;
}

void gate_answer(struct gate *g, int64_t now)
{
	if (!g->outstanding)
		return;
	g->answered = true;
	g->rtt = now - g->asked;
	/* Answers come in order, so when one was lost the count would never reach zero again. */
	g->outstanding = 0;
}
