/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "app/output/act_json.h"
#include "app/session/acting.h"
#include "app/headless/headless.h"
#include "app/headless/place_check.h"
#include "app/inventory/inventory_default.h"
#include "app/subcommands/act_check.h"
#include "base/clock.h"
#include "base/str.h"
#include "fabric/query/name_suggestions.h"

/*
 * `railtop act`: an action without a screen. The target on the command line is the text that the
 * console asks the operator to type. --execute is the consent.
 */

struct act_run {
	const struct options *options;
	struct acting *acting;
	size_t told; /* notes printed so far */
	bool shown, gone;
};

static void print_notes(struct act_run *r)
{
	const act_note_vec *notes = manager_notes(acting_acts(r->acting));
	char at[32];

	for (; r->told < notes->n; r->told++)
		(void)fprintf(stderr, "%s %s\n",
			clock_format_hms(notes->at[r->told].t_us, at, sizeof(at)),
			notes->at[r->told].text);
}

static void print_line(void *ctx, enum plan_tone tone, const char *text)
{
	(void)tone;
	(void)fprintf(ctx, "%s\n", text);
}

static int terminal_columns(void)
{
	struct winsize w = {0};

	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col >= 60 ? w.ws_col : 100;
}

static void show_plan(struct act_run *r)
{
	const struct action_manager *a = acting_acts(r->acting);
	const refusal_vec *no = manager_refusals(a);
	char line[640];

	if (!r->options->json && manager_plan(a))
		act_plan_lines(manager_plan(a), terminal_columns(), print_line, stdout);
	for (size_t i = 0; !r->options->json && i < no->n; i++) {
		refusal_line(&no->at[i], line, sizeof(line));
		(void)printf("%s\n", line);
	}
	(void)fflush(stdout);
	r->shown = true;
}

/*
 * Ignores stops during an action. Ctrl-Z, or a write to the terminal from the background, would
 * otherwise stop railtop with a port in a half-changed state.
 */
static void hold_stops(bool on)
{
	struct sigaction action = {.sa_handler = on ? SIG_IGN : SIG_DFL};

	(void)sigaction(SIGTSTP, &action, NULL);
	(void)sigaction(SIGTTOU, &action, NULL);
}

/* ---- the end ---- */

static int code_of(enum act_stage s, bool execute)
{
	switch (s) {
	case ACT_REFUSED:
		return EXIT_REFUSED;
	case ACT_PLANNED:
		/* A guard refused the plan at the last moment: it was to be executed and was
		 * not. */
		return execute ? EXIT_REFUSED : EXIT_FINE;
	case ACT_DONE:
	case ACT_HELD:
	case ACT_WATCHING:
		return EXIT_FINE;
	default:
		return EXIT_FINDINGS;
	}
}

static bool end_run(struct act_run *r, int *code)
{
	const struct action_manager *a = acting_acts(r->acting);
	struct err err = {0};
	char text[320];

	hold_stops(false);
	*code = code_of(manager_stage(a), r->options->execute);
	print_notes(r);
	manager_summary(a, text, sizeof(text));
	if (r->options->json && !act_json(a, stdout, &err)) {
		err_print(&err);
		*code = EXIT_INTERNAL;
	} else if (!r->options->json && text[0] && (manager_stage(a) != ACT_REFUSED || r->gone)) {
		/* The plan's own refusals were printed with it. */
		(void)printf("%s\n", text);
	}
	for (size_t i = 0; !r->options->json && i < manager_words(a)->n; i++)
		(void)printf("%s\n", manager_words(a)->at[i].run);
	return true;
}

static bool fail_run(const struct err *err, int *code)
{
	err_print(err);
	*code = err->code == ERR_REFUSED ? EXIT_REFUSED
		: err->code == ERR_UNREACHABLE || err->code == ERR_TIMEOUT ||
				err->code == ERR_UNAUTHORISED
			? EXIT_UNREACHED
			: EXIT_USAGE;
	return true;
}

/* ---- progress ---- */

static bool start_action(struct act_run *r, const struct collected *c, int *code)
{
	const struct options *o = r->options;
	struct acting_opts opts = {.loop = c->loop,
		.session = c->session,
		.read_only = o->read_only,
		.watch_us = o->watch_us == 0  ? -1
			    : o->watch_us > 0 ? o->watch_us
					      : 0};
	struct err err = {0};
	struct ref target;

	r->acting = acting_open(&opts, &err);
	if (!r->acting || !ref_parse(c->model, o->words.at[1], &target, &err) ||
		!acting_begin(r->acting, o->words.at[0], target, &err))
		return fail_run(&err, code);
	return false;
}

static struct consent consent_of(const struct options *o)
{
	struct consent c = {0};

	(void)str_copy(c.reason, sizeof(c.reason), o->reason ? o->reason : "");
	(void)str_copy(c.incident, sizeof(c.incident), o->incident ? o->incident : "");
	return c;
}

static bool offer_plan(struct act_run *r, const struct collected *c)
{
	struct consent consent = consent_of(r->options);
	struct err err = {0};

	if (!session_plan(c->session)->actions.four_eyes || !manager_plan(acting_acts(r->acting)) ||
		act_offer(acting_acts(r->acting), &consent, &err))
		return true;
	err_print(&err);
	return false;
}

static bool execute_plan(struct act_run *r, int *code)
{
	struct consent consent = consent_of(r->options);
	struct err err = {0};

	r->gone = true;
	hold_stops(true);
	if (acting_go(r->acting, &consent, manager_plan(acting_acts(r->acting))->typed, &err))
		return false;
	hold_stops(false);
	print_notes(r);
	return fail_run(&err, code);
}

/* After a signal acting_close() completes a change under way. */
static bool step_run(struct act_run *r, const struct collected *c, bool interrupted, int *code)
{
	struct action_manager *a;
	enum act_stage stage;

	if (!r->acting)
		return start_action(r, c, code);
	acting_turn(r->acting);
	a = acting_acts(r->acting);
	stage = manager_stage(a);
	print_notes(r);
	if (interrupted && stage != ACT_RUNNING)
		return end_run(r, code);
	if (!r->shown && (stage == ACT_PLANNED || stage == ACT_REFUSED)) {
		show_plan(r);
		(void)offer_plan(r, c);
	}
	if (stage == ACT_PLANNED && r->options->execute && !r->gone)
		return execute_plan(r, code);
	if (!act_stage_ended(stage) || (stage == ACT_DONE && manager_watch_ends(a)))
		return false;
	return end_run(r, code);
}

static bool on_collected(void *ctx, const struct collected *c, bool interrupted, int *code)
{
	struct act_run *r = ctx;

	if (c)
		return step_run(r, c, interrupted, code);
	acting_close(r->acting);
	return true;
}

/* Tells what a killed railtop may have left, before anything else is done. */
static void tell_open(const struct plan *plan)
{
	char *own = plan->actions.ledger ? NULL : ledger_default_path();
	const char *path = own ? own : plan->actions.ledger;
	ledger_open_vec open = {0};

	if (path)
		(void)ledger_open_acts(path, &open, NULL);
	for (size_t i = 0; i < open.n; i++) {
		struct err what = {0};

		ledger_open_text(&open.at[i], &what);
		err_print(&what);
	}
	vec_free(&open);
	free(own);
}

/* Checked before the time-consuming collection. */
static bool check_action(
	const struct headless_opts *opts, const struct plan *plan, struct model *m, struct err *err)
{
	const struct options *o = opts->options;
	bool ok = plan->actions.granted;

	tell_open(plan);
	if (ok) {
		ok = act_possible(plan, m, action_by_name(o->words.at[0]), o->words.at[1], err);
	} else {
		err_set(err, ERR_REFUSED, o->inventory,
			"refused by grant: the inventory grants no actions");
		(void)err_cure(err, "actions: in the inventory, see railtop-fabric(5)");
	}
	if (!ok && o->json && (err->code == ERR_REFUSED || err->code == ERR_UNSUPPORTED))
		(void)act_refused_json(err, stdout);
	return ok;
}

/* The port may turn out not to be there. */
static bool check_target(
	const struct headless_opts *opts, const struct plan *plan, struct model *m, struct err *err)
{
	return place_possible(plan, m, opts->options->words.at[1], err);
}

static int no_action(const char *name)
{
	struct name_suggestions near;
	char names[200];

	(void)fprintf(stderr, "railtop act: there is no action \"%s\"\n", name);
	name_suggestions_init(&near, name);
	for (size_t i = 0; i < action_count; i++)
		name_suggestions_offer(&near, action_table[i]->name);
	if (name_suggestions_format(&near, names, sizeof(names)))
		(void)fprintf(stderr, "  cure: did you mean %s?\n", names);
	else
		(void)fprintf(stderr, "  cure: actions: %s\n", action_names());
	return EXIT_USAGE;
}

/* A closed output pipe must not end an action halfway. */
static void survive_readers(void)
{
	struct sigaction action = {.sa_handler = SIG_IGN};

	(void)sigaction(SIGPIPE, &action, NULL);
}

int sub_act(const struct options *o)
{
	struct act_run run = {.options = o};
	struct headless_opts opts = {
		.options = o,
		.check = check_action,
		.check_answers = check_target,
		.for_us = o->for_us ? o->for_us : 12 * CLOCK_SEC,
		.more = on_collected,
		.ctx = &run,
	};

	if (o->words.n && !action_by_name(o->words.at[0]))
		return no_action(o->words.at[0]);
	if (o->words.n == 1) {
		(void)fprintf(stderr,
			"railtop act: %s: a place is missing\n  cure: railtop act %s PLACE, such "
			"as "
			"leaf-r3-00:Ethernet12; see PLACES in railtop(1)\n",
			o->words.at[0], o->words.at[0]);
		return EXIT_USAGE;
	}
	if (!o->words.n) {
		(void)fprintf(stderr,
			"railtop act: action and place are missing: railtop act ACTION PLACE\n"
			"actions:\n");
		for (size_t i = 0; i < action_count; i++)
			(void)fprintf(stderr, "  %-20s %s\n", action_table[i]->name,
				action_table[i]->title);
		return EXIT_USAGE;
	}
	if (o->read_only) {
		(void)fprintf(stderr, "railtop act: refused by mode: --read-only; omit it\n");
		return EXIT_REFUSED;
	}
	if (!o->inventory) {
		(void)fprintf(stderr, "railtop act: no inventory is given\n  cure: %s\n",
			inventory_default_cure());
		return EXIT_USAGE;
	}
	survive_readers();
	return headless_run(&opts);
}
