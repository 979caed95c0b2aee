/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FABRIC_MODEL_PREFETCH_H
#define FABRIC_MODEL_PREFETCH_H

#include "fabric/model/model.h"

/*
 * Who goes through the ports of a device finds each of them out of the processor's cache: a fabric
 * is tens of megabytes. So the next ones are asked for while one is looked at. No result depends on
 * it.
 */
#define AHEAD_PORTS 4 /* itself, then, half as far on, what it points to */
#define AHEAD_CELLS 2
#define AHEAD_MANY  16 /* for who looks at little more than one line of each port */
#define AHEAD_LINE  64

/* gcc takes a function that does nothing else for one without effect, and leaves its calls out. */
#define AHEAD_INLINE static inline __attribute__((always_inline))

AHEAD_INLINE void ahead_bytes(const void *at, size_t bytes)
{
	for (size_t i = 0; i < bytes; i += AHEAD_LINE)
		__builtin_prefetch((const char *)at + i);
}

/* What a port points to, which is to be there itself. */
AHEAD_INLINE void ahead_cells(const struct port *p)
{
	ahead_bytes(p->cells, p->layout->n * sizeof(*p->cells));
	ahead_bytes(p->times, p->ntimes * sizeof(*p->times));
}

/* At the i-th port of a device. The port whose cells are asked for is told, NULL: there is none. */
AHEAD_INLINE const struct port *ahead_of(const struct model *m, const struct device *d, size_t i)
{
	const struct port *p;

	if (i + AHEAD_PORTS < d->ports.n)
		ahead_bytes(m->ports.at[d->ports.at[i + AHEAD_PORTS]], sizeof(*p));
	if (i + AHEAD_CELLS >= d->ports.n)
		return NULL;
	p = m->ports.at[d->ports.at[i + AHEAD_CELLS]];
	ahead_cells(p);
	return p;
}

#endif
