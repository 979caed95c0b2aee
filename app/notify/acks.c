/* SPDX-License-Identifier: Apache-2.0 */
#include "app/notify/acks.h"

#include <stdlib.h>
#include <string.h>

#include "app/notify/acks_json.h"
#include "app/sandbox/state_dir.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"

#define LOOK_US CLOCK_SEC
/* Two processes judge the same incident so far apart at most. */
#define APART_US (120 * CLOCK_SEC)

struct known {
	struct ack k;
	bool done; /* it was taken, or does not apply any more */
};

struct acks {
	char *folder; /* NULL: there is no state directory */
	char fabric[NAME_MAX_LEN];
	VEC(struct known) at; /* oldest first */
	uint64_t stamp;
	int64_t looked_us; /* monotonic; 0: never */
	int64_t begun_us;  /* wall, of the first look */
};

struct acks *acks_open(const struct plan *plan)
{
	struct acks *a = mem_calloc(1, sizeof(*a));

	a->folder = plan->notify.acknowledgements ? mem_strdup(plan->notify.acknowledgements)
						  : state_dir_path("acknowledged");
	(void)str_copy(a->fabric, sizeof(a->fabric), plan->fabric);
	return a;
}

void acks_close(struct acks *a)
{
	if (!a)
		return;
	free(a->folder);
	vec_free(&a->at);
	free(a);
}

bool acks_give(struct acks *a, const struct model *m, const struct diag *d, uint64_t key,
	int64_t now_us, int64_t until_us, const char *user, const char *note, struct err *err)
{
	const struct finding *f = diag_finding(d, key);
	struct ack k = {0};

	if (!a->folder || !f)
		return true;
	(void)str_copy(k.fabric, sizeof(k.fabric), a->fabric);
	finding_locator(m, f, k.finding, sizeof(k.finding));
	(void)str_copy(k.severity, sizeof(k.severity), severity_name(f->severity));
	k.since_us = model_wall(m, now_us);
	k.until_us = until_us ? model_wall(m, until_us) : 0;
	(void)str_copy(k.user, sizeof(k.user), user);
	str_sanitise(k.note, sizeof(k.note), note, strlen(note));
	return acks_put(a->folder, &k, err);
}

/* ---- taking ---- */

static int compare_age(const void *a, const void *b)
{
	const struct known *x = a, *y = b;

	return (x->k.since_us > y->k.since_us) - (x->k.since_us < y->k.since_us);
}

static bool was_done(const struct acks *a, const struct ack *k)
{
	for (size_t i = 0; i < a->at.n; i++)
		if (a->at.at[i].k.since_us == k->since_us &&
			str_eq(a->at.at[i].k.finding, k->finding))
			return a->at.at[i].done;
	return false;
}

static void load(struct acks *a)
{
	ack_vec read = {0};
	VEC(struct known) next = {0};

	acks_read_folder(a->folder, a->fabric, &read);
	for (size_t i = 0; i < read.n; i++) {
		struct known *k = vec_add(&next);

		*k = (struct known){read.at[i], was_done(a, &read.at[i])};
	}
	vec_free(&read);
	if (next.n)
		qsort(next.at, next.n, sizeof(*next.at), compare_age);
	vec_free(&a->at);
	a->at.at = next.at;
	a->at.n = next.n;
	a->at.size = next.size;
}

static const struct finding *find_open(
	const struct model *m, const struct diag *d, const char *locator)
{
	size_t n, word = strcspn(locator, " ");
	const struct finding *const *all = diag_findings(d, &n);
	char text[240];

	for (size_t i = 0; i < n; i++) {
		const char *name = finding_info[all[i]->id].name;

		if (strlen(name) != word || strncmp(name, locator, word) != 0)
			continue;
		finding_locator(m, all[i], text, sizeof(text));
		if (str_eq(text, locator))
			return all[i];
	}
	return NULL;
}

static bool is_same_incident(const struct acks *a, const struct ack *k, int64_t opened_us)
{
	return opened_us <= k->since_us + APART_US || opened_us <= a->begun_us + APART_US;
}

static enum severity severity_of(const char *name)
{
	enum severity s = SEV_UNKNOWN;

	while (s < SEV_COUNT && !str_eq(name, severity_name(s)))
		s++;
	return s < SEV_COUNT ? s : SEV_UNKNOWN;
}

/* True: the engine changed. */
static bool take(struct acks *a, struct known *k, const struct model *m, struct diag *d,
	const struct finding *f, int64_t now_us)
{
	int64_t wall = model_wall(m, now_us), mine = f->acked_us ? model_wall(m, f->acked_us) : 0;
	struct err ignored = {0};

	k->done = true;
	/* One of this process, or a newer one, stands already. */
	if (mine >= k->k.since_us)
		return false;
	if (!k->k.until_us)
		return f->acked_us && diag_unack(d, f->key, &ignored);
	if (k->k.until_us <= wall || k->k.until_us - k->k.since_us > DIAG_ACK_MOST_US ||
		!is_same_incident(a, &k->k, model_wall(m, f->first_seen_us)) ||
		f->severity > severity_of(k->k.severity))
		return false;
	return diag_ack(d, f->key, now_us - (wall - k->k.since_us), now_us + (k->k.until_us - wall),
		k->k.user, k->k.note, &ignored);
}

void acks_step(struct acks *a, const struct model *m, struct diag *d, int64_t now_us,
	acks_taken_fn taken, void *ctx)
{
	int64_t mono = clock_mono(&clock_system);
	uint64_t stamp;

	if (!a->folder || !m || !d || (a->looked_us && mono - a->looked_us < LOOK_US))
		return;
	a->looked_us = mono;
	if (!a->begun_us)
		a->begun_us = model_wall(m, now_us);
	stamp = acks_folder_stamp(a->folder);
	if (stamp != a->stamp)
		load(a);
	a->stamp = stamp;
	for (size_t i = 0; i < a->at.n; i++) {
		struct known *k = &a->at.at[i];
		const struct finding *f = k->done ? NULL : find_open(m, d, k->k.finding);
		uint64_t key;

		/* One for the time to come would be for incidents that nobody has seen. */
		if (!f || k->k.since_us > model_wall(m, now_us) + APART_US)
			continue;
		key = f->key;
		if (take(a, k, m, d, f, now_us) && taken && (f = diag_finding(d, key)))
			taken(ctx, f, !k->k.until_us);
	}
}
