/* SPDX-License-Identifier: Apache-2.0 */
#include "views/noc/noc.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "views/noc/noc_private.h"

#define QUIT_US  (5 * CLOCK_SEC)
#define LOUD_US  (15 * CLOCK_SEC)
#define BLIND_US (60 * CLOCK_SEC)

enum noc_command { NOC_NEXT, NOC_PREVIOUS, NOC_HOLD, NOC_QUIT, NOC_COMMANDS };
static const char *const command_names[NOC_COMMANDS] = {
	"page-next", "page-previous", "hold", "quit"};

static enum noc_command command_of(const char *name)
{
	int i = 0;

	while (i < NOC_COMMANDS && !str_eq(command_names[i], name))
		i++;
	return (enum noc_command)i;
}

bool noc_command_known(void *ctx, const char *name)
{
	(void)ctx;
	return command_of(name) != NOC_COMMANDS;
}

struct noc *noc_new(const struct noc_opts *opts, int64_t wall_us, int64_t mono_us)
{
	struct noc *n = mem_calloc(1, sizeof(*n));

	n->opts = *opts;
	if (n->opts.rotate_us <= 0)
		n->opts.rotate_us = NOC_ROTATE_US;
	if (n->opts.rotate_us < NOC_ROTATE_MIN_US)
		n->opts.rotate_us = NOC_ROTATE_MIN_US;
	n->cache = view_cache_new();
	n->wall_us = wall_us;
	n->mono_us = n->wall_at_us = n->answered_us = mono_us;
	n->turn_us = mono_us + n->opts.rotate_us;
	n->loud_after = LOUD_US;
	n->blind_after = BLIND_US;
	n->dirty = true;
	return n;
}

void noc_free(struct noc *n)
{
	if (!n)
		return;
	view_cache_free(n->cache);
	vec_free(&n->seen);
	free(n);
}

/* ---- new critical findings ---- */

static bool is_critical(const struct finding *f, int64_t now_us)
{
	return f->severity == SEV_CRIT && f->role != ROLE_RISK && f->role != ROLE_INFO &&
	       !finding_acked(f, now_us);
}

static bool was_seen(const struct noc *n, uint64_t key)
{
	for (size_t i = 0; i < n->seen.n; i++)
		if (n->seen.at[i] == key)
			return true;
	return false;
}

static void pin_page(struct noc *n, uint64_t key, int64_t mono_us)
{
	int64_t three = 3 * n->opts.rotate_us;

	n->pin_us = mono_us + (three > NOC_PIN_US ? three : NOC_PIN_US);
	n->pin_key = key;
	n->pinned_at_us = n->wall_us;
	n->page = 0;
}

/* Findings that are open when the wall starts are not news. */
static void look_for_news(struct noc *n, int64_t mono_us)
{
	const struct finding *const *all, *news = NULL;
	size_t count, kept = 0;

	if (!n->diag || (n->started && diag_generation(n->diag) == n->generation))
		return;
	n->generation = diag_generation(n->diag);
	all = diag_findings(n->diag, &count);
	for (size_t i = 0; i < count && !news; i++)
		if (is_critical(all[i], n->data_us) && !all[i]->root && !was_seen(n, all[i]->key))
			news = all[i];
	/* Forgets findings that closed: if they open again, they are news. */
	n->seen.n = 0;
	for (size_t i = 0; i < count && kept < NOC_SEEN; i++)
		if (is_critical(all[i], n->data_us)) {
			vec_push(&n->seen, all[i]->key);
			kept++;
		}
	if (news && n->started)
		pin_page(n, news->key, mono_us);
	n->started = true;
}

/* ---- data ---- */

/* Sums the answers of all devices: the sum reveals fresh data even when the clock jumps. */
static uint64_t answers_of(const struct model *m)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < m->devices.n; i++)
		sum += m->devices.at[i]->polls - m->devices.at[i]->failures;
	return sum;
}

static void set_limits(struct noc *n, const struct model *m)
{
	int64_t least = INT64_MAX;

	for (size_t i = 0; i < m->devices.n; i++)
		if (m->devices.at[i]->interval_us < least)
			least = m->devices.at[i]->interval_us;
	if (least > 3600 * CLOCK_SEC)
		least = 0;
	n->loud_after = 2 * least > LOUD_US ? 2 * least : LOUD_US;
	n->blind_after = 4 * least > BLIND_US ? 4 * least : BLIND_US;
}

void noc_data(struct noc *n, const struct model *m, const struct diag *d, int64_t data_us,
	int64_t mono_us)
{
	uint64_t answers = m ? answers_of(m) : 0;

	if (m != n->model && m)
		set_limits(n, m);
	n->model = m;
	n->diag = d;
	n->data_us = data_us;
	n->mono_us = mono_us;
	if (answers != n->answers) {
		n->answers = answers;
		n->answered_us = mono_us;
		n->answered = answers > 0;
	}
	if (n->opts.replay)
		n->wall_us = data_us;
	look_for_news(n, mono_us);
	n->dirty = true;
}

int64_t noc_age(const struct noc *n)
{
	if (n->opts.replay || !n->answered)
		return -1;
	return n->mono_us > n->answered_us ? n->mono_us - n->answered_us : 0;
}

/* ---- pages and time ---- */

unsigned noc_pages(void)
{
	return noc_page_count;
}

unsigned noc_page(const struct noc *n)
{
	return n->page;
}

bool noc_pinned(const struct noc *n)
{
	return n->pin_us > 0;
}

static void turn_page(struct noc *n, unsigned by, int64_t mono_us)
{
	n->page = (n->page + by) % noc_page_count;
	n->turn_us = mono_us + n->opts.rotate_us;
	n->dirty = true;
}

/* Leaving takes a second q, because a wall has no undo. */
static void request_quit(struct noc *n, int64_t mono_us)
{
	n->quitting = n->quit_us > mono_us;
	n->quit_us = mono_us + QUIT_US;
}

void noc_key(struct noc *n, int key, int64_t mono_us)
{
	const struct binding *b;
	bool more = false;

	if (!n->opts.keymap)
		return;
	b = keymap_find(n->opts.keymap, "noc", 0, key, &more);
	n->dirty |= n->quit_us > 0;
	switch (b ? command_of(b->command) : NOC_COMMANDS) {
	case NOC_NEXT:
	case NOC_PREVIOUS:
		/* An operator at the keys has seen the news. */
		n->pin_us = 0;
		turn_page(n, command_of(b->command) == NOC_NEXT ? 1 : noc_page_count - 1, mono_us);
		n->quit_us = 0;
		break;
	case NOC_HOLD:
		n->held = !n->held;
		n->turn_us = mono_us + n->opts.rotate_us;
		n->quit_us = 0;
		break;
	case NOC_QUIT:
		request_quit(n, mono_us);
		break;
	case NOC_COMMANDS:
		n->quit_us = 0;
		return;
	}
	n->dirty = true;
}

/* The interval at which the shown age changes: one second, later ten. */
static int64_t age_step_us(int64_t age)
{
	return age < 60 * CLOCK_SEC ? CLOCK_SEC : 10 * CLOCK_SEC;
}

void noc_tick(struct noc *n, int64_t wall_us, int64_t mono_us)
{
	int64_t was = noc_age(n), age;

	if (mono_us > n->mono_us)
		n->mono_us = mono_us;
	if (!n->opts.replay) {
		n->dirty |= wall_us / (60 * CLOCK_SEC) != n->wall_us / (60 * CLOCK_SEC);
		n->wall_us = wall_us;
		n->wall_at_us = n->mono_us;
	}
	age = noc_age(n);
	if (age >= n->loud_after)
		n->dirty |= age / age_step_us(age) != was / age_step_us(age);
	if (n->quit_us && n->mono_us >= n->quit_us) {
		n->quit_us = 0;
		n->dirty = true;
	}
	if (n->pin_us && n->mono_us >= n->pin_us) {
		n->pin_us = 0;
		n->turn_us = n->mono_us + n->opts.rotate_us;
		n->dirty = true;
	}
	if (!n->held && !n->pin_us && n->mono_us >= n->turn_us)
		turn_page(n, 1, n->mono_us);
}

static void set_earlier(int64_t *due, int64_t us)
{
	if (us < *due)
		*due = us;
}

int64_t noc_due(const struct noc *n)
{
	int64_t due = INT64_MAX, age = noc_age(n);

	if (!n->held && !n->pin_us)
		set_earlier(&due, n->turn_us);
	if (n->pin_us)
		set_earlier(&due, n->pin_us);
	if (n->quit_us)
		set_earlier(&due, n->quit_us);
	if (n->opts.replay)
		return due;
	set_earlier(&due, n->wall_at_us + 60 * CLOCK_SEC - n->wall_us % (60 * CLOCK_SEC));
	if (age >= n->loud_after)
		set_earlier(&due, n->answered_us + (age / age_step_us(age) + 1) * age_step_us(age));
	else if (age >= 0)
		set_earlier(&due, n->answered_us + n->loud_after);
	return due;
}

void noc_touch(struct noc *n)
{
	n->dirty = true;
}

bool noc_dirty(const struct noc *n)
{
	return n->dirty;
}

bool noc_quitting(const struct noc *n)
{
	return n->quitting;
}

enum noc_word noc_word(const struct noc *n)
{
	struct noc_facts f;

	noc_facts(n, &f);
	return f.word;
}

const char *noc_word_name(enum noc_word w)
{
	static const char *const names[] = {"BLIND", "UNKNOWN", "OK", "DEGRADED", "CRITICAL"};

	return (unsigned)w < sizeof(names) / sizeof(names[0]) ? names[w] : "BLIND";
}
