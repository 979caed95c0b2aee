/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the manager of an InfiniBand fabric says of it: alarms, ports that it took out of the
 * routes, bandwidth lost to congestion. They are its own judgements, and its own words. A device of
 * the inventory has those of itself; the manager itself has all.
 */
#include <math.h>
#include <strings.h>

#include "base/str.h"
#include "diagnosis/engine/detector.h"
#include "fabric/model/model.h"
#include "fabric/vocabulary/manager_note.h"

/* UFM's own default for its event "congested bandwidth threshold reached". */
#define LOST_LEAST 10.0

/* "sw-qm01 port 35", "sw-qm01", or without the name of the device that the finding is at. */
static const char *place_of(
	const struct device *d, const struct manager_note *n, char *dst, size_t size)
{
	bool own = strcasecmp(n->device, d->name) == 0;

	(void)str_printf(dst, size, "%s%s%s", own ? "" : n->device,
		*n->port ? (own ? "port " : " port ") : "", n->port);
	if (!*dst)
		(void)str_copy(dst, size, own ? "the device" : "the fabric");
	return dst;
}

static void add_row(struct finding *f, const struct device *d, const struct manager_note *n)
{
	char place[64];

	(void)finding_text(f, f->at, place_of(d, n, place, sizeof(place)), n->text, "ufm");
}

static bool note_at(
	const struct device *d, enum manager_note_kind kind, unsigned i, struct manager_note *n)
{
	return i < notes_kept(d->notes, kind) && note_read(d->notes->at[kind][i], n);
}

/* The manager tells all; of a device that is asked for its own it is said there. */
static bool is_told_there(const struct diag_run *r, const struct device *d,
	enum manager_note_kind kind, const struct manager_note *n)
{
	const struct device *own = *n->device ? model_device(r->m, n->device) : NULL;

	return own && own != d && own->notes && own->notes->told_us[kind];
}

/* One finding for all alarms of the device; what UFM calls Info is none. */
static void judge_alarms(struct diag_run *r, const struct device *d)
{
	struct finding *f = NULL;
	struct manager_note n, worst;
	enum severity last = SEV_UNKNOWN;
	unsigned count = 0, more;
	char place[64];

	for (unsigned i = 0; note_at(d, MANAGER_ALARM, i, &n); i++) {
		last = n.severity;
		if (n.severity == SEV_OK || is_told_there(r, d, MANAGER_ALARM, &n))
			continue;
		if (!f) {
			f = diag_claim(r, FIND_MANAGER_ALARM, at_device(d->id));
			worst = n;
		}
		add_row(f, d, &n);
		count++;
	}
	if (!f)
		return;
	if (worst.severity == SEV_CRIT)
		f->severity = SEV_CRIT;
	/* The list is sorted: what was cut off is no worse, and may be Info. */
	more = count - 1;
	if (last != SEV_OK)
		more += d->notes->total[MANAGER_ALARM] - notes_kept(d->notes, MANAGER_ALARM);
	finding_weigh(f, SIGNAL_FACT, worst.severity == SEV_CRIT ? 20 : 5);
	(void)place_of(d, &worst, place, sizeof(place));
	if (more)
		finding_title(f, "UFM alarm, and %u more: %s: %s", more, place, worst.text);
	else
		finding_title(f, "UFM alarm: %s: %s", place, worst.text);
}

/* At the port where it is one of this device, else one finding for all of them. */
static void claim_unhealthy(
	struct diag_run *r, const struct device *d, const struct manager_note *n)
{
	const struct port *p =
		strcasecmp(n->device, d->name) == 0 ? model_port(r->m, d, n->port) : NULL;
	struct ref at = p ? at_port(p->id) : at_device(d->id);
	struct finding *f = diag_claimed(r, FIND_MANAGER_UNHEALTHY, at);
	char place[64];

	if (!f) {
		f = diag_claim(r, FIND_MANAGER_UNHEALTHY, at);
		finding_weigh(f, SIGNAL_FACT, 50);
		(void)place_of(d, n, place, sizeof(place));
		finding_title(f, "UFM marks it unhealthy%s%s: %s", p ? "" : ", ", p ? "" : place,
			n->text);
	}
	add_row(f, d, n);
}

static void judge_unhealthy(struct diag_run *r, const struct device *d)
{
	unsigned total = d->notes->total[MANAGER_UNHEALTHY];
	struct manager_note n;
	struct finding *f;

	for (unsigned i = 0; note_at(d, MANAGER_UNHEALTHY, i, &n); i++)
		if (!is_told_there(r, d, MANAGER_UNHEALTHY, &n))
			claim_unhealthy(r, d, &n);
	if (total <= notes_kept(d->notes, MANAGER_UNHEALTHY))
		return;
	f = diag_claimed(r, FIND_MANAGER_UNHEALTHY, at_device(d->id));
	if (!f) {
		f = diag_claim(r, FIND_MANAGER_UNHEALTHY, at_device(d->id));
		finding_title(f, "UFM marks %u ports unhealthy", total);
	}
	(void)finding_number(f, f->at, "ports that UFM marks unhealthy", total, "", "0", "ufm");
}

static void judge_congestion(struct diag_run *r, const struct device *d)
{
	struct finding *f = NULL;
	struct manager_note n, worst;
	unsigned count = 0;
	char place[64];

	for (unsigned i = 0; note_at(d, MANAGER_CONGESTION, i, &n); i++) {
		if (!(n.percent >= LOST_LEAST) || is_told_there(r, d, MANAGER_CONGESTION, &n))
			continue;
		if (!f) {
			f = diag_claim(r, FIND_MANAGER_CONGESTION, at_device(d->id));
			worst = n;
		}
		(void)finding_number(f, f->at, place_of(d, &n, place, sizeof(place)), n.percent,
			"%", "< 10 %", "ufm");
		count++;
	}
	if (!f)
		return;
	finding_weigh(f, SIGNAL_LOAD, 3);
	finding_title(f, "%.3g %% of the rate lost to congestion at %s%s", worst.percent,
		place_of(d, &worst, place, sizeof(place)), count > 1 ? ", and at others" : "");
}

static void judge_device(struct diag_run *r, const struct device *d)
{
	if (!d->notes)
		return;
	judge_alarms(r, d);
	judge_unhealthy(r, d);
	judge_congestion(r, d);
}

static void run_manager(struct diag_run *r)
{
	(void)diag_each_device(r, judge_device);
}

const struct detector detect_manager = {"manager", run_manager, NULL, NULL, NULL};
