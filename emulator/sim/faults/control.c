/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/str.h"
#include "emulator/sim/faults/faults.h"

/* Faults that change while the fabric runs, and the texts that describe them. */

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

/* "class:device" or "class:device:port", any name of the port. */
static bool is_entity(const struct sim *s, const struct fault *f, const char *what)
{
	char text[NAME_MAX_LEN * 3], *port = text;
	const char *class, *device;

	if (!f->device || !str_copy(text, sizeof(text), what))
		return false;
	class = strsep(&port, ":");
	device = strsep(&port, ":");
	if (!str_eq(class, f->class->name) || !str_eq(device, f->device->name))
		return false;
	return !port || (f->port && sim_port_by_name(s, f->device, port) == f->port);
}

/* An id, a class, a device, the spec as it was given, or the entity. */
static bool is_meant(const struct sim *s, const struct fault *f, const char *what)
{
	char id[16];

	(void)str_printf(id, sizeof(id), "%u", f->id);
	return str_eq(what, "all") || str_eq(what, id) || str_eq(what, f->class->name) ||
	       str_eq(what, f->spec) || (f->device && str_eq(what, f->device->name)) ||
	       is_entity(s, f, what);
}

/* Ends the matching faults. planned: also those that have not begun yet. */
static unsigned end_matching(struct sim *s, const char *what, bool planned)
{
	unsigned n = 0;

	for (size_t i = 0; i < s->faults.n; i++) {
		struct fault *f = &s->faults.at[i];

		if (f->next == SIM_NEVER && !f->on)
			continue;
		if (!is_meant(s, f, what) || (f->began == SIM_NEVER && !planned))
			continue;
		fault_end(s, f);
		n++;
	}
	return n;
}

bool sim_heal(struct sim *s, const char *what, unsigned *healed, struct err *err)
{
	unsigned n = end_matching(s, what, true);

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
		(void)end_matching(s, h->what, false);
	}
}

static const char *state_word(const struct sim *s, const struct fault *f)
{
	if (f->ended <= s->now)
		return f->began == SIM_NEVER ? "cancelled" : "over";
	if (f->began > s->now)
		return "planned";
	return f->on ? "on" : "between";
}

/* Number of parts of class:device:port that the spec gives. */
static unsigned words_of(const char *spec)
{
	unsigned n = 1;

	for (; *spec && *spec != ','; spec++)
		n += *spec == ':';
	return n;
}

void sim_fault_status(const struct sim *s, struct buf *out)
{
	(void)buf_addf(out, "%4s  %-9s  %8s  %s\n", "ID", "STATE", "FROM NOW", "FAULT");
	for (size_t i = 0; i < s->faults.n; i++) {
		const struct fault *f = &s->faults.at[i];
		int64_t t = f->ended <= s->now ? f->ended : f->began <= s->now ? f->began : f->at;

		(void)buf_addf(out, "%4u  %-9s  %+7.1fs  %s", f->id, state_word(s, f),
			(double)(t - s->now) / 1e6, f->spec);
		/* The device and port that the seed chose where the spec names none. */
		if (f->device && words_of(f->spec) < (f->port ? 3 : 2))
			(void)buf_addf(out, "  (%s%s%s)", f->device->name, f->port ? ":" : "",
				f->port ? f->port->name : "");
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

/* Text for man(7): escapes the hyphens of specs as minus signs. */
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
