/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "diagnosis/engine/detector.h"
#include "diagnosis/lint/lint.h"
#include "diagnosis/engine/state_parts.h"

/* While 820 devices report their settings for the first time, each run would lint all of them. */
#define AGAIN_US (20 * CLOCK_SEC)
/* The same difference on this many devices, and on most of a tier, is one finding of the tier. */
#define WHOLE_TIER 8

/* Up to this size one run makes all checks; beyond it each run makes one. */
#define SMALL_FABRIC 4096 /* ports */

struct lint_memory {
	lint_vec rows;  /* of the last complete lint */
	lint_vec next;  /* of the lint in progress */
	unsigned check; /* its next check, LINT_CHECKS: no lint is in progress */
	uint64_t settings, wiring;
	int64_t linted_us;
	struct lint_job *job; /* between two parts of one run; NULL: none */
};

static void free_memory(void *memory)
{
	struct lint_memory *w = memory;

	if (!w)
		return;
	lint_end(w->job);
	vec_free(&w->rows);
	vec_free(&w->next);
	free(w);
}

static uint32_t device_of(const struct model *m, struct ref at)
{
	const struct device *d = ref_device(m, at);

	return d ? d->id : UINT32_MAX;
}

static bool rows_alike(const struct lint_row *a, const struct lint_row *b)
{
	return a->id == b->id && b->result == LINT_DIFFERS && strcmp(a->is, b->is) == 0 &&
	       strcmp(a->should, b->should) == 0;
}

/* Number of devices of the tier that differ in the same way; the rows of a check are adjacent. */
static unsigned devices_alike(const struct model *m, const lint_vec *rows, size_t i)
{
	const struct lint_row *row = &rows->at[i];
	enum tier tier = m->devices.at[device_of(m, row->at)]->tier;
	unsigned n = 0;

	for (size_t k = 0; k < rows->n; k++) {
		uint32_t d = device_of(m, rows->at[k].at);

		n += d != UINT32_MAX && rows_alike(row, &rows->at[k]) &&
		     m->devices.at[d]->tier == tier;
	}
	return n;
}

static unsigned tier_size(const struct model *m, enum tier t)
{
	unsigned n = 0;

	for (size_t i = 0; i < m->devices.n; i++)
		n += m->devices.at[i]->tier == t && m->devices.at[i]->net == NET_BACKEND;
	return n;
}

/* Joins all equal rows of a tier into one. */
static void join_rows(const struct model *m, lint_vec *rows, size_t i, enum tier t, unsigned n)
{
	struct lint_row *row = &rows->at[i];

	for (size_t k = i + 1; k < rows->n; k++) {
		uint32_t d = device_of(m, rows->at[k].at);

		if (d != UINT32_MAX && rows_alike(row, &rows->at[k]) && m->devices.at[d]->tier == t)
			rows->at[k].result = LINT_OK;
	}
	row->at = (struct ref){.kind = REF_TIER, .tier = (uint8_t)t};
	row->alike = n;
}

/* Sets the place of each finding: the device, or the tier when most of it differs alike. Once a
 * lint. */
static void place_rows(const struct model *m, lint_vec *rows)
{
	for (size_t i = 0; i < rows->n; i++) {
		uint32_t d = device_of(m, rows->at[i].at);
		unsigned n;
		enum tier t;

		if (rows->at[i].result != LINT_DIFFERS || d == UINT32_MAX)
			continue;
		t = m->devices.at[d]->tier;
		n = devices_alike(m, rows, i);
		if (n >= WHOLE_TIER && 2 * n > tier_size(m, t))
			join_rows(m, rows, i, t, n);
	}
}

static void claim_row(struct diag_run *r, const struct lint_row *row)
{
	uint32_t d = device_of(r->m, row->at);
	struct ref at = d == UINT32_MAX ? row->at : at_device(d);
	struct finding *f = diag_claim(r, row->id, at);
	struct evidence *e;

	if (!f->evidence.n)
		finding_title(f, "%s: %s", finding_info[row->id].title, row->is);
	f->role = ROLE_RISK;
	e = finding_text(f, row->at, finding_info[row->id].title, row->is, "config");
	if (row->alike > 1)
		(void)str_printf(e->text, sizeof(e->text), "%s %s %u %s", row->is,
			row->at.kind == REF_DEVICE ? "in" : "on", row->alike,
			row->at.kind == REF_TIER     ? "devices"
			: row->at.kind == REF_DEVICE ? "places"
						     : "ports");
	(void)str_printf(e->threshold, sizeof(e->threshold), "%.38s", row->should);
	if (row->at.kind == REF_PORT)
		vec_push(&f->members, row->at);
	if (!*f->command)
		(void)str_copy(f->command, sizeof(f->command), row->cure);
	finding_weigh(f, SIGNAL_CONFIG, 50); /* config diff: 50-200 */
}

static bool is_due(const struct diag_run *r, const struct lint_memory *w)
{
	if (!w->linted_us || r->now_us < w->linted_us)
		return true;
	return r->now_us - w->linted_us >= AGAIN_US &&
	       (w->settings != r->m->settings_generation || w->wiring != r->m->wiring_generation);
}

static void continue_lint(struct diag_run *r, struct lint_memory *w)
{
	lint_vec done = w->rows;
	bool small = r->m->ports.n <= SMALL_FABRIC;

	if (w->check >= LINT_CHECKS) {
		if (!is_due(r, w))
			return;
		w->settings = r->m->settings_generation;
		w->wiring = r->m->wiring_generation;
		w->linted_us = r->now_us;
		w->check = 0;
		w->next.n = 0;
	}
	do {
		if (!w->job)
			w->job = lint_begin(r->m, w->check, w->check + 1, &w->next);
		r->again = !lint_some(w->job);
		if (r->again && !small)
			return;
		if (r->again)
			continue;
		lint_end(w->job);
		w->job = NULL;
		w->check++;
	} while (small && w->check < LINT_CHECKS);
	r->again = false;
	if (w->check < LINT_CHECKS)
		return;
	w->rows = w->next;
	w->next = done;
	place_rows(r->m, &w->rows);
}

static void run_lint(struct diag_run *r)
{
	struct lint_memory *w = *r->memory;

	if (!w)
		*r->memory = w = mem_calloc(1, sizeof(*w));
	if (!w->linted_us)
		w->check = LINT_CHECKS;
	continue_lint(r, w);
	if (r->again)
		return;
	for (size_t i = 0; i < w->rows.n; i++)
		if (w->rows.at[i].result == LINT_DIFFERS)
			claim_row(r, &w->rows.at[i]);
}

/* ---- serialisation ---- */

STATE_SIZE(struct lint_row, 464);
STATE_SIZE(struct lint_memory, 88);
/* Equal differences on a device are one row; place_rows() compares all pairs. */
#define ROWS_MOST 32768

static void state_row(struct state *s, struct lint_row *row, const struct model *m)
{
	STATE_ENUM(s, row->id, FIND_COUNT);
	STATE_ENUM(s, row->result, LINT_UNKNOWN + 1);
	state_ref(s, &row->at, m);
	state_ref(s, &row->peer, m);
	state_text(s, row->is, sizeof(row->is));
	state_text(s, row->should, sizeof(row->should));
	state_text(s, row->reason, sizeof(row->reason));
	state_text(s, row->cure, sizeof(row->cure));
	state_u32(s, &row->alike);
}

static void state_memory_of(struct state *s, void **memory, const struct model *m)
{
	struct lint_memory *w;

	if (!state_memory(s, memory, sizeof(*w)))
		return;
	w = *memory;
	STATE_LIST(s, &w->rows, ROWS_MOST, row, state_row(s, row, m));
	/* After a complete lint its content is obsolete: only the memory is reused. */
	if (!s->loading && w->check >= LINT_CHECKS)
		w->next.n = 0;
	STATE_LIST(s, &w->next, ROWS_MOST, row, state_row(s, row, m));
	state_below(s, &w->check, LINT_CHECKS + 1);
	state_u64(s, &w->settings);
	state_u64(s, &w->wiring);
	state_wall(s, &w->linted_us);
}

const struct detector detect_lint = {"lint", run_lint, free_memory, state_memory_of, NULL};
