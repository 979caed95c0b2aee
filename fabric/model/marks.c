/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "fabric/model/model_internal.h"
#include "base/state.h"
#include "fabric/vocabulary/counters.h"

/* Growth of a port's counters since each mark, by slot. at[i] is NULL until something grew. */
struct since {
	uint64_t *at[MARKS_MAX];
	uint16_t n[MARKS_MAX];
};

static uint64_t *growth_of(struct port *p, unsigned mark, uint8_t slot)
{
	struct since *s = p->since;

	if (!s)
		s = p->since = mem_calloc(1, sizeof(*s));
	if (slot >= s->n[mark]) {
		/* Not up to the last cell: cells of optics come late, and are not counts. */
		size_t n = (slot | 7U) + 1U;

		s->at[mark] = mem_realloc(s->at[mark], n, sizeof(*s->at[mark]));
		memset(s->at[mark] + s->n[mark], 0, (n - s->n[mark]) * sizeof(*s->at[mark]));
		s->n[mark] = (uint16_t)n;
	}
	return &s->at[mark][slot];
}

void marks_grow(const struct model *m, struct port *p, uint8_t slot, uint64_t delta)
{
	for (unsigned i = 0; i < m->nmarks; i++)
		*growth_of(p, i, slot) += delta;
}

void marks_moved(struct port *p, const struct cell_layout *to)
{
	struct since *s = p->since;

	for (unsigned i = 0; s && i < MARKS_MAX; i++) {
		size_t n = (to->n + 7U) & ~7U;
		uint64_t *at;

		if (!s->at[i])
			continue;
		at = mem_calloc(n, sizeof(*at));
		for (unsigned cell = 0; cell < CELL_COUNT; cell++)
			if (p->layout->slot[cell] != SLOT_NONE && p->layout->slot[cell] < s->n[i])
				at[to->slot[cell]] = s->at[i][p->layout->slot[cell]];
		free(s->at[i]);
		s->at[i] = at;
		s->n[i] = (uint16_t)n;
	}
}

void marks_free(struct port *p)
{
	for (unsigned i = 0; p->since && i < MARKS_MAX; i++)
		free(p->since->at[i]);
	free(p->since);
	p->since = NULL;
}

/* Later marks move down by one. */
static void port_forget(struct port *p, unsigned mark)
{
	struct since *s = p->since;

	if (!s)
		return;
	free(s->at[mark]);
	memmove(&s->at[mark], &s->at[mark + 1], (MARKS_MAX - 1 - mark) * sizeof(s->at[0]));
	memmove(&s->n[mark], &s->n[mark + 1], (MARKS_MAX - 1 - mark) * sizeof(s->n[0]));
	s->at[MARKS_MAX - 1] = NULL;
	s->n[MARKS_MAX - 1] = 0;
}

static void forget_mark(struct model *m, unsigned mark)
{
	for (size_t i = 0; i < m->ports.n; i++)
		port_forget(m->ports.at[i], mark);
	memmove(&m->marks[mark], &m->marks[mark + 1], (MARKS_MAX - 1 - mark) * sizeof(m->marks[0]));
	m->nmarks--;
	if (m->nmarks)
		return;
	for (size_t i = 0; i < m->ports.n; i++)
		marks_free(m->ports.at[i]);
}

int model_mark_find(const struct model *m, const char *name)
{
	if (!*name)
		return (int)m->nmarks - 1;
	for (unsigned i = 0; i < m->nmarks; i++)
		if (str_eq(m->marks[i].name, name))
			return (int)i;
	return -1;
}

static void free_name(const struct model *m, char *dst, size_t size)
{
	for (unsigned i = 1; i <= MARKS_MAX + 1; i++) {
		(void)str_printf(dst, size, "m%u", i);
		if (model_mark_find(m, dst) < 0)
			return;
	}
}

bool model_mark(struct model *m, const char *name, int64_t now_us, struct err *err)
{
	char clean[sizeof(m->marks[0].name)];
	struct mark *mark;
	int old;

	(void)str_sanitise(clean, sizeof(clean), name, strlen(name));
	if (!clean[0])
		free_name(m, clean, sizeof(clean));
	old = model_mark_find(m, clean);
	if (old < 0 && m->nmarks == MARKS_MAX) {
		err_set(err, ERR_LIMIT, "", "there are %d marks already", MARKS_MAX);
		return err_cure(err, "drop one (unmark %s), or set it again (mark %s)",
			m->marks[0].name, m->marks[0].name);
	}
	if (old >= 0)
		forget_mark(m, (unsigned)old);
	mark = &m->marks[m->nmarks++];
	(void)str_copy(mark->name, sizeof(mark->name), clean);
	mark->wall_us = now_us;
	m->generation++;
	return true;
}

bool model_unmark(struct model *m, const char *name, struct err *err)
{
	int i = model_mark_find(m, name);

	if (i < 0)
		return err_set(err, ERR_USAGE, "",
			m->nmarks ? "there is no mark %s" : "no mark is set", name);
	forget_mark(m, (unsigned)i);
	m->generation++;
	return true;
}

bool port_since(const struct model *m, const struct port *p, int mark, counter_id id, unsigned sub,
	uint64_t *out)
{
	const struct cell *c;
	uint8_t slot;

	if (mark < 0 || (unsigned)mark >= m->nmarks || (unsigned)id >= COUNTER_COUNT ||
		sub >= counter_dim_size(id) || counter_info[id].kind != KIND_COUNT)
		return false;
	c = port_cell(p, id, sub);
	if (!c || (c->valid != VALID_OK && c->valid != VALID_RESET))
		return false;
	slot = p->layout->slot[counter_cell(id, sub)];
	*out = p->since && slot < p->since->n[mark] ? p->since->at[mark][slot] : 0;
	return true;
}

/* Slots are a byte; arrays grow in steps of eight. */
#define SINCE_MAX 256

void since_state(struct state *s, struct port *p)
{
	bool there = p->since != NULL;

	STATE_SIZE(struct since, 40);
	state_bool(s, &there);
	if (!there)
		return;
	if (!p->since)
		p->since = mem_calloc(1, sizeof(*p->since));
	for (unsigned i = 0; i < MARKS_MAX; i++) {
		size_t n = p->since->n[i];

		state_count(s, &n, SINCE_MAX);
		if (s->loading && n)
			p->since->at[i] = mem_calloc(n, sizeof(p->since->at[i][0]));
		p->since->n[i] = (uint16_t)n;
		for (size_t k = 0; k < n; k++)
			state_u64(s, &p->since->at[i][k]);
	}
}
