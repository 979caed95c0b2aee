/* SPDX-License-Identifier: Apache-2.0 */
#include "app/acceptance/measure.h"

#include <math.h>
#include <string.h>

#include "actions/kinds/perftest.h"
#include "app/session/acting.h"
#include "app/session/session.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "fabric/model/model.h"

/* How long to wait for a poll that has the counters of the load. */
#define POLL_PATIENCE_US (30 * CLOCK_SEC)

/* PLAN: whether the host may be measured is asked before a partner is told to wait for it. */
enum measure_step { STEP_PLAN, STEP_SERVE, STEP_RUN, STEP_POLL, STEP_OVER };

struct measure {
	struct acting *acting;
	enum measure_step step;
	bool begun, gone; /* the step's action */
	size_t told;      /* notes printed so far */
	struct ref host, server;
	struct perftest_partner partner;
	char host_name[NAME_MAX_LEN], partner_name[NAME_MAX_LEN], address[64];
	struct consent consent;
	measurement_vec results;
	char act[40], ledger[512];
	bool refused;
	char why[240], cure[240]; /* of the step that did not come to its end; why "": none */
	int64_t ended_us;         /* session time */
};

/* ---- begin ---- */

/* "HOST" or "HOST=ADDRESS". */
static bool read_partner(struct measure *m, const char *text, struct err *err)
{
	size_t n = strcspn(text, "=");

	if (!n || !str_copyn(m->partner_name, sizeof(m->partner_name), text, n) ||
		(text[n] && !str_copy(m->address, sizeof(m->address), text + n + 1))) {
		err_set(err, ERR_USAGE, "--partner", "\"%s\" is not HOST or HOST=ADDRESS", text);
		return err_cure(err, "--partner node004=10.0.0.4");
	}
	return true;
}

/* The NIC of the host: the port itself, or the one at its other end. */
static const struct port *host_end(const struct model *m, struct ref at)
{
	const struct port *p = ref_port(m, at), *q = p ? port_peer(m, p, NULL) : NULL;

	if (p && model_dev_of(m, p)->tier == TIER_HOST)
		return p;
	return q && model_dev_of(m, q)->tier == TIER_HOST ? q : NULL;
}

/* The partner's NIC of the same rail; the whole partner where it has none. */
static struct ref at_rail(const struct model *m, const struct device *d, int rail)
{
	const struct port *nics[PERFTEST_NICS];
	size_t n = perftest_nics(m, d, NULL, nics);

	for (size_t i = 0; i < n; i++)
		if (nics[i]->rail == rail)
			return at_port(nics[i]->id);
	return at_device(d->id);
}

static bool find_hosts(struct measure *m, const struct model *model, struct ref at, struct err *err)
{
	const struct port *nic = host_end(model, at);
	const struct device *d = nic ? model_dev_of(model, nic) : ref_device(model, at), *other;

	if (!d || d->tier != TIER_HOST) {
		err_set(err, ERR_USAGE, "accept",
			"no end is a host: nothing can be measured there");
		return err_cure(err, "omit --execute, or name a host whose path crosses it");
	}
	other = m->partner_name[0] ? model_device(model, m->partner_name)
				   : perftest_choose(model, d);
	if (!other || other == d || other->tier != TIER_HOST) {
		err_set(err, ERR_USAGE, "--partner",
			m->partner_name[0] ? "\"%s\" is not another host of the inventory"
					   : "no other idle host answers%s",
			m->partner_name);
		return err_cure(err, "name a host that is known to be good: --partner node004");
	}
	(void)str_copy(m->host_name, sizeof(m->host_name), d->name);
	(void)str_copy(m->partner_name, sizeof(m->partner_name), other->name);
	m->partner = (struct perftest_partner){m->partner_name, m->address[0] ? m->address : NULL};
	m->host = nic ? at_port(nic->id) : at_device(d->id);
	m->server = nic ? at_rail(model, other, nic->rail) : at_device(other->id);
	return true;
}

struct measure *measure_begin(
	const struct collected *c, const struct options *o, struct ref at, struct err *err)
{
	struct measure *m = mem_calloc(1, sizeof(*m));
	struct acting_opts opts = {.loop = c->loop,
		.session = c->session,
		.read_only = o->read_only,
		.watch_us = -1,
		.partner = &m->partner};

	(void)str_copy(m->consent.reason, sizeof(m->consent.reason), o->reason ? o->reason : "");
	(void)str_copy(
		m->consent.incident, sizeof(m->consent.incident), o->incident ? o->incident : "");
	if ((!o->partner || read_partner(m, o->partner, err)) && find_hosts(m, c->model, at, err))
		m->acting = acting_open(&opts, err);
	if (m->acting) {
		(void)str_copy(
			m->ledger, sizeof(m->ledger), manager_ledger_path(acting_acts(m->acting)));
		return m;
	}
	free(m);
	return NULL;
}

void measure_close(struct measure *m)
{
	if (!m)
		return;
	acting_close(m->acting);
	vec_free(&m->results);
	free(m);
}

/* ---- progress ---- */

static void print_notes(struct measure *m)
{
	const act_note_vec *notes = manager_notes(acting_acts(m->acting));
	char at[32];

	for (; m->told < notes->n; m->told++)
		(void)fprintf(stderr, "%s %s\n",
			clock_format_hms(notes->at[m->told].t_us, at, sizeof(at)),
			notes->at[m->told].text);
}

static void give_up(struct measure *m, const char *why, const char *cure)
{
	(void)str_copy(m->why, sizeof(m->why), why);
	(void)str_copy(m->cure, sizeof(m->cure), cure);
	m->step = m->results.n ? STEP_POLL : STEP_OVER;
}

static void stop_by_err(struct measure *m, const struct err *err)
{
	m->refused |= err->code == ERR_REFUSED;
	give_up(m, err->text, err->cure);
}

static const char *device_of(const struct measure *m)
{
	return m->step == STEP_SERVE ? m->partner_name : m->host_name;
}

static void stop_by_refusal(struct measure *m)
{
	const refusal_vec *no = manager_refusals(acting_acts(m->acting));
	char why[240], line[320];

	/* "plan" is no guard: the plan makes no sense there, such as without perftest. */
	m->refused = no->n && !str_eq(no->at[0].guard, "plan");
	if (!no->n) {
		manager_summary(acting_acts(m->acting), line, sizeof(line));
		give_up(m, line, "");
		return;
	}
	(void)str_printf(why, sizeof(why), "%s%s%s: %s", m->refused ? "refused by " : "",
		m->refused ? no->at[0].guard : "on ", m->refused ? "" : device_of(m),
		no->at[0].why);
	give_up(m, why, no->at[0].cure);
}

static void begin_step(struct measure *m)
{
	bool serve = m->step == STEP_SERVE;
	struct err err = {0};

	m->begun = true;
	m->gone = false;
	m->told = 0;
	if (!acting_begin(m->acting, serve ? "perftest-serve" : "perftest-run",
		    serve ? m->server : m->host, &err))
		stop_by_err(m, &err);
}

static void end_step(struct measure *m)
{
	const struct action_manager *a = acting_acts(m->acting);
	const measurement_vec *got = manager_measurements(a);
	char line[320];

	for (size_t i = 0; i < got->n; i++)
		vec_push(&m->results, got->at[i]);
	if (m->step == STEP_RUN && manager_plan(a))
		(void)str_copy(m->act, sizeof(m->act), manager_plan(a)->id);
	switch (manager_stage(a)) {
	case ACT_DONE:
	case ACT_HELD:
		m->begun = false;
		m->step = m->step == STEP_SERVE ? STEP_RUN : STEP_POLL;
		return;
	case ACT_REFUSED:
		stop_by_refusal(m);
		return;
	default:
		manager_summary(a, line, sizeof(line));
		give_up(m, line, "railtop ledger show has each request and its answer");
		return;
	}
}

static void turn_action(struct measure *m)
{
	struct action_manager *a = acting_acts(m->acting);
	struct err err = {0};
	enum act_stage stage;

	if (!m->begun)
		begin_step(m);
	if (m->step >= STEP_POLL)
		return;
	acting_turn(m->acting);
	print_notes(m);
	stage = manager_stage(a);
	if (stage == ACT_PLANNED && m->step == STEP_PLAN) {
		(void)manager_drop(a, &err);
		m->begun = false;
		m->step = STEP_SERVE;
	} else if (stage == ACT_PLANNED && !m->gone) {
		m->gone = true;
		if (!acting_go(m->acting, &m->consent, manager_plan(a)->typed, &err)) {
			if (manager_refusals(a)->n)
				stop_by_refusal(m);
			else
				stop_by_err(m, &err);
		}
	} else if (act_stage_ended(stage)) {
		/* Planned again after the consent: a guard refused at the last moment. */
		end_step(m);
	}
}

/* Whether each device of the measurement was polled since it ended. */
static bool is_polled(const struct measure *m, const struct model *model, int64_t now_us)
{
	const struct device *d = model_device(model, m->host_name);

	if (now_us - m->ended_us > POLL_PATIENCE_US)
		return true;
	return !d || (d->counters_us > m->ended_us && now_us - m->ended_us > 2 * d->interval_us);
}

bool measure_turn(struct measure *m, const struct collected *c, bool interrupted)
{
	if (!m)
		return true;
	if (interrupted && manager_stage(acting_acts(m->acting)) != ACT_RUNNING &&
		m->step < STEP_POLL)
		give_up(m, "railtop was interrupted", "run it again");
	if (m->step < STEP_POLL) {
		turn_action(m);
		m->ended_us = c->now_us;
	}
	if (m->step == STEP_POLL &&
		(interrupted || !m->results.n || is_polled(m, c->model, c->now_us)))
		m->step = STEP_OVER;
	return m->step == STEP_OVER;
}

/* ---- results ---- */

bool measure_refused(const struct measure *m)
{
	return m && m->refused;
}

const char *measure_partner(const struct measure *m)
{
	return m && m->act[0] ? m->partner_name : "";
}

const char *measure_act(const struct measure *m)
{
	return m ? m->act : "";
}

const char *measure_ledger(const struct measure *m)
{
	return m && m->act[0] ? m->ledger : "";
}

static struct baseline line_of(
	const struct measure *m, const struct model *model, const struct measurement *r)
{
	const struct device *d = model_device(model, m->host_name);
	const struct port *p = d ? model_port(model, d, r->port) : NULL;
	struct baseline b = {.speed_mbps = p ? p->speed_mbps : 0, .value = r->value};

	(void)str_copy(b.test, sizeof(b.test), perftest_program(r->tool));
	(void)str_copy(b.device, sizeof(b.device), m->host_name);
	(void)str_copy(b.port, sizeof(b.port), r->port);
	b.wall_us = model_wall(model, m->ended_us);
	return b;
}

/* perftest counts its payload, and its units are rounded: a little more than line rate. */
#define OVER_LINE_RATE 1.02
/* Light goes 20 m of fibre meanwhile, and no adapter answers so soon. */
#define LEAST_US 0.1

static struct accept_measured measured_of(
	const struct model *model, const struct device *d, const struct measurement *r)
{
	const struct port *p = model_port(model, d, r->port);
	bool times = r->tool == PERFTEST_LATENCY;

	return (struct accept_measured){.at = p ? at_port(p->id) : at_device(d->id),
		.what = perftest_program(r->tool),
		.unit = perftest_unit(r->tool),
		.value = r->value,
		.possible = times ? LEAST_US
			    : p   ? OVER_LINE_RATE * p->speed_mbps / 1000
				  : 0,
		.less_is_better = times,
		.why = r->why};
}

void measure_rows(const struct measure *m, const struct model *model, const baseline_vec *base,
	accept_vec *rows)
{
	const struct device *d = m ? model_device(model, m->host_name) : NULL;

	for (size_t i = 0; d && i < m->results.n; i++) {
		const struct measurement *r = &m->results.at[i];
		struct accept_measured w = measured_of(model, d, r);
		struct baseline now = line_of(m, model, r);
		char source[80];

		w.source = source;
		w.baseline = baseline_of(base, &now, source, sizeof(source));
		acceptance_add_measured(&w, rows);
	}
	if (d && m->why[0])
		acceptance_add_unmeasured(m->host, m->why, m->cure, rows);
}

/* Other hosts may be compared with it. */
static bool is_kept(const struct measure *m, const struct model *model, const struct measurement *r)
{
	const struct device *d = model_device(model, m->host_name);
	struct accept_measured w = {0};

	if (!d || isnan(r->value))
		return false;
	w = measured_of(model, d, r);
	return acceptance_is_possible(&w);
}

bool measure_store(
	const struct measure *m, const struct model *model, const char *path, struct err *err)
{
	baseline_vec lines = {0};
	bool ok;

	for (size_t i = 0; i < m->results.n; i++)
		if (is_kept(m, model, &m->results.at[i]))
			vec_push(&lines, line_of(m, model, &m->results.at[i]));
	ok = !lines.n || baselines_store(path, &lines, err);
	vec_free(&lines);
	return ok;
}
