/* SPDX-License-Identifier: Apache-2.0 */
#include "actions/guards/guards.h"
#include "app/console/commands.h"
#include "app/options/options.h"
#include "archive/openmetrics/metrics.h"
#include "base/str.h"
#include "diagnosis/engine/finding.h"
#include "fabric/vocabulary/counters.h"
#include "fabric/vocabulary/event.h"
#include "views/view.h"

/* The man page's tables are generated from those of the code, so they agree. */

static void print_commands(void)
{
	(void)printf(".SH COMMANDS OF THE CONSOLE\n");
	for (size_t i = 0; i < command_count_acting; i++)
		(void)printf(".TP\n.B %s \\fI%s\\fR\n%s.\n", command_table[i].name,
			command_table[i].args, command_table[i].help);
}

static void print_views(void)
{
	(void)printf(".SH VIEWS\n");
	for (size_t i = 0; i < view_count; i++) {
		const struct view_ops *v = view_table[i];

		(void)printf(".SS %s\n%s\n.PP\nColumns:", v->name, v->help);
		for (size_t c = 0; c < v->ncolumns; c++)
			(void)printf("%s %s", c ? "," : "", v->columns[c].id);
		(void)printf(".\n");
	}
}

static void print_counters(void)
{
	(void)printf(".SH COUNTERS\n"
		     "Name, unit and meaning; [p]: one per priority, [l]: one per optical lane, "
		     "[b]: one per FEC bin 0-15.\n");
	for (size_t i = 0; i < COUNTER_COUNT; i++) {
		const struct counter_info *c = &counter_info[i];
		static const char *const dim[] = {
			[DIM_ONE] = "", [DIM_PRIO] = "[p]", [DIM_LANE] = "[l]", [DIM_BIN] = "[b]"};

		(void)printf(".TP\n.B %s%s\n%s%s%s.\n", c->name, dim[c->dim], unit_name(c->unit),
			*unit_name(c->unit) ? ": " : "", c->help);
	}
}

static void print_events(void)
{
	(void)printf(".SH EVENTS\n");
	for (size_t i = 0; i < EVENT_COUNT; i++)
		(void)printf(".TP\n.B %s\n(%s) %s.\n", event_info[i].name,
			severity_name(event_info[i].severity), event_info[i].help);
}

static void print_findings(void)
{
	static const char *const opens[] = {[OPEN_FACT] = "opens at once",
		[OPEN_TWO] = "opens after 2 of 3 samples",
		[OPEN_ERROR] = "opens after 2 of 3 or 3 of 16 samples",
		[OPEN_THREE] = "opens after 3 of 4 samples and 8 seconds",
		[OPEN_LONG] = "opens after minutes"};

	(void)printf(".SH FINDINGS\n"
		     "A finding closes after six samples of its device without the condition.\n");
	for (size_t i = 0; i < FIND_COUNT; i++) {
		const struct finding_info *f = &finding_info[i];

		(void)printf(".TP\n.B %s\n%s (%s; %s): %s.\n", f->name, f->title,
			severity_name(f->severity), opens[f->open], f->help);
	}
}

static void print_actions(void)
{
	(void)printf(".SH ACTIONS AND GUARDS\n"
		     "Actions (see ACTIONS below):\n");
	for (size_t i = 0; i < action_count; i++)
		(void)printf(".TP\n.B %s\n%s. %s\n", action_table[i]->name, action_table[i]->title,
			action_table[i]->help);
	(void)printf(".PP\n"
		     "Guards that may refuse an action, in this order:\n");
	for (size_t i = 0; i < guard_count; i++)
		(void)printf(".TP\n.B %s\n%s.\n", guard_table[i].name, guard_table[i].help);
}

static void print_metrics(void)
{
	static const char *const types[] = {
		[METRIC_GAUGE] = "gauge", [METRIC_COUNTER] = "counter", [METRIC_INFO] = "info"};

	(void)printf(".SH METRICS\n"
		     "Metrics of railtop export (see EXPORT below). Metrics of ports have the "
		     "labels device, port, rail and tier, and the label that is named.\n");
	for (unsigned i = 0; i < METRIC_COUNT; i++) {
		struct metric_family f;
		char name[96];

		metrics_family(i, &f);
		metrics_sample_name(&f, name, sizeof(name));
		(void)printf(".TP\n.B %s\n%s%s%s: %s.\n", name, types[f.type],
			f.dim == DIM_ONE ? "" : ", by ", metrics_dim_label(f.dim), f.help);
	}
}

/* For railtop-keymap(5). */
static void print_contexts(void)
{
	(void)printf(".B global\nholds in all views. The name of a view\n(");
	for (size_t i = 0; i < view_count; i++)
		(void)printf("%s%s", i ? ", " : "", view_table[i]->name);
	(void)printf(
		")\nholds in that view only, where it wins over the global binding of the same "
		"key.\n.B noc\nholds on the wall, whose keys no file of the user changes.\n");
}

int sub_docs(const struct options *o)
{
	const char *part = o->words.n ? o->words.at[0] : "tables";

	if (str_eq(part, "synopsis")) {
		options_synopsis(stdout);
		return EXIT_FINE;
	}
	if (str_eq(part, "contexts")) {
		print_contexts();
		return EXIT_FINE;
	}
	(void)printf(".SH SUBCOMMANDS\n");
	options_roff(stdout);
	print_commands();
	print_views();
	print_counters();
	print_events();
	print_findings();
	print_actions();
	print_metrics();
	return EXIT_FINE;
}
