/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/str.h"
#include "emulator/sim/sim_faults.h"

/* Faults while the fabric lives, and the texts about them. */

bool sim_inject(struct sim *s, const char *spec, unsigned *id, struct err *err)
{
	if (!fault_schedule(s, spec, s->now, err))
		return false;
	if (id)
		*id = s->faults.at[s->faults.n - 1].id;
	sim_faults_step(s);
	sim_changed(s);
	return true;
}

/* "class", "device", "class:device[:port]", an id, "all". */
static bool is_meant(const struct fault *f, const char *what)
{
	char text[NAME_MAX_LEN * 3], id[16];
	const char *device = f->device ? f->device->name : "*";
	size_t n;

	(void)str_printf(id, sizeof(id), "%u", f->id);
	if (str_eq(what, "all") || str_eq(what, id) || str_eq(what, f->class->name) ||
		(f->device && str_eq(what, device)) || str_eq(what, f->spec))
		return true;
	(void)str_printf(text, sizeof(text), "%s:%s:%s", f->class->name, device,
		f->port ? f->port->name : "");
	n = strlen(what);
	return strchr(what, ':') && str_starts(text, what) && (text[n] == '\0' || text[n] == ':');
}

/* planned: also what has not begun yet. */
static unsigned heal(struct sim *s, const char *what, bool planned)
{
	unsigned n = 0;

	for (size_t i = 0; i < s->faults.n; i++) {
		struct fault *f = &s->faults.at[i];

		if (f->next == SIM_NEVER && !f->on)
			continue;
		if (!is_meant(f, what) || (f->began == SIM_NEVER && !planned))
			continue;
		fault_end(s, f);
		n++;
	}
	return n;
}

bool sim_heal(struct sim *s, const char *what, unsigned *healed, struct err *err)
{
	unsigned n = heal(s, what, true);

	if (healed)
		*healed = n;
	if (n) {
		sim_changed(s);
		return true;
	}
	if (str_eq(what, "all"))
		return true;
	err_set(err, ERR_USAGE, what, "no fault of this id, class or device is on or planned");
	return err_cure(err, "an id, class or device of the list, or all");
}

void fault_step_heals(struct sim *s)
{
	for (size_t i = 0; i < s->heals.n; i++) {
		struct planned_heal *h = &s->heals.at[i];

		if (h->done || h->at > s->now)
			continue;
		h->done = true;
		(void)heal(s, h->what, false);
	}
}

static const char *word(const struct sim *s, const struct fault *f)
{
	if (f->ended <= s->now)
		return f->began == SIM_NEVER ? "cancelled" : "over";
	if (f->began > s->now)
		return "planned";
	return f->on ? "on" : "between";
}

void sim_fault_status(const struct sim *s, struct buf *out)
{
	(void)buf_addf(out, "%4s  %-9s  %8s  %s\n", "ID", "STATE", "SINCE", "FAULT");
	for (size_t i = 0; i < s->faults.n; i++) {
		const struct fault *f = &s->faults.at[i];
		int64_t t = f->ended <= s->now ? f->ended : f->began <= s->now ? f->began : f->at;

		(void)buf_addf(out, "%4u  %-9s  %+7.1fs  %s", f->id, word(s, f),
			(double)(t - s->now) / 1e6, f->spec);
		/* What was chosen where the spec leaves it out. */
		if (f->device && !strstr(f->spec, f->device->name))
			(void)buf_addf(out, "  (%s%s%s)", f->device->name, f->port ? ":" : "",
				f->port ? f->port->name : "");
		else if (f->port && !strchr(strchr(f->spec, ':') + 1, ':'))
			(void)buf_addf(out, "  (%s)", f->port->name);
		(void)buf_adds(out, "\n");
	}
}

void sim_fault_list(struct buf *out)
{
	const struct fault_class *c;

	for (size_t i = 0; (c = fault_class(i)); i++) {
		(void)buf_adds(out, "  ");
		fault_class_form(c, out);
		(void)buf_addf(out, "\n      %s\n", c->help);
	}
}

/* Text for man(7): hyphens are minus signs in specs. */
static void add_roff(struct buf *out, const char *text)
{
	for (const char *c = text; *c; c++)
		(void)buf_addf(out, *c == '-' ? "\\%c" : "%c", *c);
}

void sim_fault_manual(struct buf *out)
{
	const struct fault_class *c;
	struct buf form;

	buf_init(&form, 1024);
	for (size_t i = 0; (c = fault_class(i)); i++) {
		buf_reset(&form);
		fault_class_form(c, &form);
		(void)buf_adds(out, ".TP\n.B ");
		add_roff(out, form.data);
		(void)buf_adds(out, "\n");
		add_roff(out, c->help);
		(void)buf_adds(out, ".\n");
		add_roff(out, c->see);
		(void)buf_adds(out, "\n");
	}
	buf_free(&form);
}
