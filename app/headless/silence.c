/* SPDX-License-Identifier: Apache-2.0 */
#include "app/headless/silence.h"

#include <string.h>

#include "app/headless/headless.h"
#include "app/session/machine_load.h"
#include "base/hostlist_compress.h"
#include "base/str.h"

#define NAMES_WIDTH 60 /* limit of a list of devices on a line */

/* The devices without data that have one state and one error. */
struct silent {
	const struct device *first;
	VEC(const char *) names;
};
typedef VEC(struct silent) silent_vec;

/* The length of what belongs to one device only: its name, its address, or a number. */
static size_t own_part(const char *text, const struct device *d)
{
	size_t name = strlen(d->name), address = strcspn(d->address, " ");

	if (name && strncmp(text, d->name, name) == 0)
		return name;
	if (address && strncmp(text, d->address, address) == 0)
		return address;
	return strspn(text, "0123456789");
}

/* Whether two texts are the same but for what belongs to their devices. */
static bool same_but_own(
	const char *a, const struct device *of_a, const char *b, const struct device *of_b)
{
	while (*a && *b) {
		size_t na = own_part(a, of_a), nb = own_part(b, of_b);

		if ((na != 0) != (nb != 0) || (!na && *a != *b))
			return false;
		a += na ? na : 1;
		b += nb ? nb : 1;
	}
	return *a == *b;
}

/* Messages and cures have addresses and ports, so the kind of the error and its cure without them
 * are compared. */
static bool same_cause(const struct device *a, const struct device *b)
{
	return a->state == b->state && a->err->code == b->err->code &&
	       same_but_own(a->err->cure, a, b->err->cure, b);
}

static void add_silent(silent_vec *all, const struct device *d)
{
	struct silent *s = NULL;

	for (size_t i = 0; i < all->n && !s; i++)
		if (same_cause(all->at[i].first, d))
			s = &all->at[i];
	if (!s) {
		s = vec_add(all);
		s->first = d;
	}
	vec_push(&s->names, d->name);
}

static void print_silent(const struct silent *s, FILE *out)
{
	const struct device *d = s->first;
	struct buf names;

	buf_init(&names, (size_t)16 << 20);
	hostlist_compress(s->names.at, s->names.n, &names);
	(void)fprintf(out, "  %s: %.*s%s", dev_state_words((enum dev_state)d->state), NAMES_WIDTH,
		names.data, names.len > NAMES_WIDTH ? "..." : "");
	buf_free(&names);
	if (d->err->code != ERR_NONE)
		(void)fprintf(out, ": %s%s%s%s", s->names.n > 1 ? "such as " : "",
			s->names.n > 1 ? d->name : "", s->names.n > 1 ? ": " : "", d->err->text);
	else if (d->state <= DEV_LATE)
		(void)fprintf(out, ": it answers, and has no counters");
	(void)fputc('\n', out);
	if (d->err->cure[0])
		(void)fprintf(out, "    cure: %s\n", d->err->cure);
}

void silence_report(const struct model *m, FILE *out)
{
	silent_vec all = {0};
	char busy[160];
	size_t n = 0;

	for (size_t i = 0; i < m->devices.n; i++)
		if (headless_unreached(m->devices.at[i])) {
			add_silent(&all, m->devices.at[i]);
			n++;
		}
	if (n)
		(void)fprintf(out, "railtop: %zu of %zu device%s did not report:\n", n,
			m->devices.n, str_plural(m->devices.n));
	else if (!m->devices.n)
		(void)fprintf(out, "railtop: no device is known, so nothing is\n");
	for (size_t i = 0; i < all.n; i++) {
		print_silent(&all.at[i], out);
		vec_free(&all.at[i].names);
	}
	if (n && machine_busy(busy, sizeof(busy)))
		(void)fprintf(out, "  %s\n", busy);
	vec_free(&all);
}

void silence_explain_empty(
	const struct model *m, const char *view, size_t total, const char *where, FILE *out)
{
	size_t heard = 0;

	for (size_t i = 0; i < m->devices.n; i++)
		heard += !headless_unreached(m->devices.at[i]);
	if (total && where)
		(void)fprintf(out, "railtop: %s: none of %zu row%s matches '%s'\n", view, total,
			str_plural(total), where);
	else if (!heard)
		(void)fprintf(out, "railtop: %s: nothing is known: no device has data\n", view);
	else if ((str_eq(view, "jobs") || str_eq(view, "ranks")) && !m->nccl->jobs.n)
		(void)fprintf(out,
			"railtop: %s: nothing is known: no source has reported a job yet\n"
			"  cure: jobs: in the inventory, and a longer --for\n",
			view);
	else
		(void)fprintf(out,
			"railtop: %s: there is nothing to list, of %zu of %zu devices with data\n",
			view, heard, m->devices.n);
}
