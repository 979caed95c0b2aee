/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `railtop accept`: the certificate of a host or link. With --execute the rails of the host are
 * measured first, by two actions: servers on a partner, then clients on the host. So the counters
 * of the certificate are those under load.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "actions/kinds/perftest.h"
#include "app/acceptance/measure.h"
#include "app/headless/headless.h"
#include "app/headless/place_check.h"
#include "app/inventory/inventory_default.h"
#include "archive/acceptance/certificate.h"
#include "base/clock.h"
#include "base/str.h"

struct accept_run {
	const struct options *o;
	baseline_vec baselines;
	struct measure *measure; /* NULL: not begun, or nothing is measured */
	bool measured;           /* it is over */
	struct who who;
};

/* ---- the place ---- */

static bool place_words(const struct options *o, char *dst, size_t size, struct err *err)
{
	if (!o->words.n) {
		err_set(err, ERR_USAGE, "accept", "a host or link is missing");
		return err_cure(err,
			"railtop accept node003, or railtop accept node003:mlx5_3; see PLACES in "
			"railtop(1)");
	}
	return place_join(o->words.at, o->words.n, 0, dst, size, err);
}

static bool check_place(
	const struct headless_opts *opts, const struct plan *plan, struct model *m, struct err *err)
{
	char place[256];

	return place_words(opts->options, place, sizeof(place), err) &&
	       place_possible(plan, m, place, err);
}

/* EXIT_FINE: a device, or a port that stands for its link. */
static int find_place(
	const struct options *o, const struct collected *c, struct ref *at, struct err *err)
{
	char place[256];
	const struct port *p;

	if (!place_words(o, place, sizeof(place), err))
		return EXIT_USAGE;
	if (!ref_parse(c->model, place, at, err))
		return place_missing(c->plan, c->model, place, err);
	p = ref_port(c->model, *at);
	if (p)
		*at = at_port(p->id);
	else if (at->kind != REF_DEVICE) {
		err_set(err, ERR_USAGE, place, "this is neither a host nor a link");
		(void)err_cure(err, "name a host, a switch, or a port of a link");
		return EXIT_USAGE;
	}
	return EXIT_FINE;
}

/* ---- the certificate ---- */

static int exit_code(const accept_vec *rows, bool refused)
{
	switch (acceptance_overall(rows)) {
	case ACCEPT_PASS:
		return EXIT_FINE;
	case ACCEPT_FAIL:
		return EXIT_FINDINGS;
	default:
		return refused ? EXIT_REFUSED : EXIT_UNREACHED;
	}
}

static int write_certificate(
	const struct accept_run *r, const struct certificate *cert, bool refused)
{
	const struct options *o = r->o;
	struct err err = {0};
	bool ok;

	errno = 0;
	ok = o->json ? certificate_json(cert, stdout, &err)
	     : o->md ? certificate_markdown(cert, stdout)
		     : certificate_text(cert, stdout);
	if (ok)
		return exit_code(cert->rows, refused);
	if (err.code == ERR_NONE)
		err_system(
			&err, ERR_IO, "standard output", "could not be written completely", errno);
	err_print(&err);
	return EXIT_INTERNAL;
}

/* Between switches nobody can measure; of a host each rail is to be measured. */
static bool wants_traffic(const struct model *m, struct ref at)
{
	const struct port *p = ref_port(m, at), *q = p ? port_peer(m, p, NULL) : NULL;
	const struct device *d = ref_device(m, at);

	return (d && d->tier == TIER_HOST) || (q && model_dev_of(m, q)->tier == TIER_HOST);
}

static int print_certificate(struct accept_run *r, const struct collected *c, struct ref at)
{
	char by[120] = "";
	accept_vec rows = {0};
	struct certificate cert = {.model = c->model,
		.at = at,
		.rows = &rows,
		.now_us = c->now_us,
		.by = by,
		.partner = measure_partner(r->measure),
		.act = measure_act(r->measure),
		.ledger = measure_ledger(r->measure)};
	int code;

	if (r->who.user[0])
		(void)str_printf(by, sizeof(by), "%s%s%s", r->who.user, r->who.host[0] ? "@" : "",
			r->who.host);
	model_links(c->model);
	acceptance_check(c->model, c->diag, at, &rows);
	if (r->measure)
		measure_rows(r->measure, c->model, &r->baselines, &rows);
	else if (wants_traffic(c->model, at))
		acceptance_add_unmeasured(at, "perftest runs with --execute only",
			"add --execute --reason TEXT --incident KEY, while the host is idle",
			&rows);
	code = write_certificate(r, &cert, measure_refused(r->measure));
	if (r->o->store && code != EXIT_INTERNAL && r->measure) {
		struct err err = {0};

		if (!measure_store(r->measure, c->model, r->o->store, &err)) {
			err_print(&err);
			code = EXIT_INTERNAL;
		}
	}
	vec_free(&rows);
	return code;
}

/* ---- the run ---- */

static bool fail_run(const struct err *err, int *code, int as)
{
	err_print(err);
	*code = as;
	return true;
}

static bool on_collected(void *ctx, const struct collected *c, bool interrupted, int *code)
{
	struct accept_run *r = ctx;
	struct err err = {0};
	struct ref at;
	int found;

	if (!c) {
		measure_close(r->measure);
		return true;
	}
	found = find_place(r->o, c, &at, &err);
	if (found != EXIT_FINE)
		return fail_run(&err, code, found);
	if (r->o->execute && !r->measure) {
		r->measure = measure_begin(c, r->o, at, &err);
		if (!r->measure)
			return fail_run(
				&err, code, err.code == ERR_REFUSED ? EXIT_REFUSED : EXIT_USAGE);
	}
	if (r->measure && !measure_turn(r->measure, c, interrupted))
		return false;
	*code = print_certificate(r, c, at);
	return true;
}

static bool options_fit(const struct options *o, struct err *err)
{
	if (o->execute && o->read_only) {
		err_set(err, ERR_REFUSED, "accept", "refused by mode: --read-only");
		return err_cure(err, "omit it, or omit --execute");
	}
	if (o->execute && (o->from || o->observations)) {
		err_set(err, ERR_USAGE, "accept", "nothing can be measured in a recording");
		return err_cure(err, "omit --execute");
	}
	if (o->execute && !o->inventory) {
		err_set(err, ERR_USAGE, "accept", "no inventory is given");
		return err_cure(err, "%s", inventory_default_cure());
	}
	if ((o->store || o->partner) && !o->execute) {
		err_set(err, ERR_USAGE, "accept", "%s is about a measurement",
			o->store ? "--store" : "--partner");
		return err_cure(err, "add --execute, or omit it");
	}
	return true;
}

int sub_accept(const struct options *o)
{
	struct accept_run run = {.o = o};
	struct headless_opts opts = {
		.options = o,
		.check = check_place,
		.check_answers = check_place,
		.for_us = o->for_us ? o->for_us : 30 * CLOCK_SEC,
		.more = on_collected,
		.ctx = &run,
	};
	struct err err = {0};
	char place[256];
	int code;

	if (!place_words(o, place, sizeof(place), &err) || !options_fit(o, &err) ||
		(o->baselines && !baselines_read(o->baselines, &run.baselines, &err))) {
		err_print(&err);
		vec_free(&run.baselines);
		return err.code == ERR_REFUSED ? EXIT_REFUSED : EXIT_USAGE;
	}
	who_am_i(&run.who);
	code = headless_run(&opts);
	vec_free(&run.baselines);
	return code;
}
