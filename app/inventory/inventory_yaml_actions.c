/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "actions/kinds/action.h"
#include "app/inventory/inventory_yaml_schema.h"
#include "base/clock.h"
#include "base/str.h"

/* Reads actions: of an inventory, the changes that operators may make: man/railtop-fabric.5. */

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))

/* Intervals of actions are minutes and hours; those of polling are seconds. */
static bool read_span(struct reader *r, const yaml_node_t *n, void *to)
{
	const char *text;
	int64_t us;

	if (!yaml_text(r, n, "a time", YAML_TEXT_MAX, &text))
		return false;
	if (!str_to_duration(text, &us) || us < CLOCK_SEC ||
		us > INT64_C(7) * 24 * 3600 * CLOCK_SEC)
		return yaml_not_a(r, n, text, "time", "10s, 15m, 1h; 1s to 168h");
	*(int64_t *)to = us;
	return true;
}

static bool read_per_hour(struct reader *r, const yaml_node_t *n, void *to)
{
	return yaml_number(r, n, 1, 1000, to);
}

static bool read_hosts_out(struct reader *r, const yaml_node_t *n, void *to)
{
	return yaml_number(r, n, 1, 100000, to);
}

/* ---- allow ---- */

static bool read_allowed(struct reader *r, const yaml_node_t *n, void *to)
{
	struct plan_actions *a = to;
	const char *text;
	size_t size;
	char *all;

	if (!yaml_text(r, n, "the name of an action", YAML_TEXT_MAX, &text))
		return false;
	if (!action_by_name(text))
		return yaml_not_a(r, n, text, "name of an action", action_names());
	size = (a->allow ? strlen(a->allow) : 0) + strlen(text) + 2;
	all = mem_alloc(size);
	(void)str_printf(all, size, "%s%s%s", a->allow ? a->allow : "", a->allow ? "," : "", text);
	yaml_put(&a->allow, all);
	free(all);
	return true;
}

static bool read_allow(struct reader *r, const yaml_node_t *n, void *to)
{
	return yaml_read_items(r, n, read_allowed, to);
}

/* ---- the site's watchdog ---- */

static bool read_wd_action(struct reader *r, const yaml_node_t *n, void *to)
{
	struct plan_actions *a = to;
	const char *text;

	if (!yaml_text(r, n, "an action of the watchdog", YAML_TEXT_MAX, &text))
		return false;
	if (!str_eq(text, "drop") && !str_eq(text, "forward") && !str_eq(text, "alert"))
		return yaml_not_a(r, n, text, "action of the watchdog", "drop, forward, alert");
	return str_copy(a->wd_action, sizeof(a->wd_action), text);
}

static bool read_ms(struct reader *r, const yaml_node_t *n, unsigned most, unsigned *to)
{
	const char *text;
	int64_t us;

	if (!yaml_text(r, n, "a time", YAML_TEXT_MAX, &text))
		return false;
	if (!str_to_duration(text, &us) || us < 100 * CLOCK_MSEC || us > most * CLOCK_MSEC ||
		us % CLOCK_MSEC)
		return problem_add(r->problems, yaml_line(n), r->place,
			"\"%.40s\" is not a time from 100ms to %us", text, most / 1000);
	*to = (unsigned)(us / CLOCK_MSEC);
	return true;
}

/* The ranges of sonic-utilities' pfcwd. A value refused by one platform is refused for all. */
static bool read_detect(struct reader *r, const yaml_node_t *n, void *to)
{
	return read_ms(r, n, 5000, &((struct plan_actions *)to)->wd_detect_ms);
}

static bool read_restore(struct reader *r, const yaml_node_t *n, void *to)
{
	return read_ms(r, n, 60000, &((struct plan_actions *)to)->wd_restore_ms);
}

static bool read_watchdog(struct reader *r, const yaml_node_t *n, void *to)
{
	static const struct key keys[] = {{"action", read_wd_action, 0}, {"detect", read_detect, 0},
		{"restore", read_restore, 0}};
	const struct plan_actions *a = to;

	if (!yaml_read_map(r, n, keys, COUNT_OF(keys), to))
		return false;
	if (a->wd_action[0] && a->wd_detect_ms && a->wd_restore_ms)
		return true;
	(void)problem_add(r->problems, yaml_line(n), r->place, "is incomplete");
	return problem_cure(r->problems, "state action, detect and restore");
}

static bool read_drain(struct reader *r, const yaml_node_t *n, void *to)
{
	const char *text;

	if (!yaml_text(r, n, "a way to drain", YAML_TEXT_MAX, &text))
		return false;
	*(bool *)to = str_eq(text, "bgp");
	return str_eq(text, "bgp") || str_eq(text, "admin") ||
	       yaml_not_a(r, n, text, "way to drain",
		       "admin: shut the port; bgp: shut the session, between switches");
}

/* ---- the site's own commands ---- */

static bool read_verb(struct reader *r, const yaml_node_t *n, void *to)
{
	struct plan_commands *c = to;
	enum verb verb;
	const char *text;

	if (!yaml_text(r, n, "a verb", YAML_TEXT_MAX, &text))
		return false;
	if (!verb_by_name(text, &verb))
		return yaml_not_a(r, n, text, "change",
			"wd-stop, wd-start, wd-recover, port-down, port-up, bgp-down, bgp-up, "
			"locate-on, locate-off, counters-on, counters-off");
	return str_copy(c->verb, sizeof(c->verb), text);
}

static bool read_commands_dialect(struct reader *r, const yaml_node_t *n, void *to)
{
	struct plan_commands *c = to;
	char *dialect = NULL;
	bool ok = yaml_read_dialect(r, n, &dialect);

	if (ok)
		(void)str_copy(c->dialect, sizeof(c->dialect), dialect);
	free(dialect);
	return ok;
}

static bool read_line(struct reader *r, const yaml_node_t *n, void *to)
{
	static const struct order any = {.verb = VERB_PORT_DOWN, .port = "p"};
	struct plan_commands *c = to;
	struct err err = {0};
	const char *text;
	char *filled, *all;
	size_t size;

	if (!yaml_text(r, n, "a command", YAML_TEXT_MAX, &text))
		return false;
	if (!order_fill(text, &any, &filled, &err)) {
		(void)problem_add(r->problems, yaml_line(n), r->place, "%s", err.text);
		return problem_cure(r->problems, "%s", err.cure);
	}
	free(filled);
	size = (c->lines ? strlen(c->lines) : 0) + strlen(text) + 2;
	all = mem_alloc(size);
	(void)str_printf(all, size, "%s%s%s", c->lines ? c->lines : "", c->lines ? "\n" : "", text);
	yaml_put(&c->lines, all);
	free(all);
	return true;
}

static bool read_lines(struct reader *r, const yaml_node_t *n, void *to)
{
	return yaml_read_items(r, n, read_line, to);
}

static bool read_command(struct reader *r, const yaml_node_t *n, void *to)
{
	static const struct key keys[] = {{"dialect", read_commands_dialect, 0},
		{"verb", read_verb, 0}, {"lines", read_lines, 0}};
	struct plan_actions *a = to;
	struct plan_commands *c = vec_add(&a->commands);

	if (!yaml_read_map(r, n, keys, COUNT_OF(keys), c))
		return false;
	if (c->dialect[0] && c->verb[0] && c->lines)
		return true;
	(void)problem_add(r->problems, yaml_line(n), r->place, "is incomplete");
	return problem_cure(r->problems, "state dialect, verb and lines");
}

static bool read_commands(struct reader *r, const yaml_node_t *n, void *to)
{
	return yaml_read_items(r, n, read_command, to);
}

bool yaml_read_limits(struct reader *r, const yaml_node_t *n, void *to)
{
	static const struct key keys[] = {
		{"four_eyes", yaml_read_yes, offsetof(struct plan_actions, four_eyes)},
		{"per_hour", read_per_hour, offsetof(struct plan_actions, per_hour)},
		{"hosts_out", read_hosts_out, offsetof(struct plan_actions, hosts_out)},
		{"switch_interval", read_span, offsetof(struct plan_actions, switch_us)},
		{"port_interval", read_span, offsetof(struct plan_actions, port_us)},
	};

	return yaml_read_map(r, n, keys, COUNT_OF(keys), to);
}

bool yaml_read_actions(struct reader *r, const yaml_node_t *n, void *to)
{
	static const struct key keys[] = {
		{"allow", read_allow, 0},
		{"devices", yaml_read_list, offsetof(struct plan_actions, devices)},
		{"user", yaml_read_text, offsetof(struct plan_actions, user)},
		{"identity", yaml_read_path, offsetof(struct plan_actions, identity)},
		{"credentials", yaml_read_credentials, offsetof(struct plan_actions, credentials)},
		{"ledger", yaml_read_path, offsetof(struct plan_actions, ledger)},
		{"kill_switch", yaml_read_path, offsetof(struct plan_actions, kill_switch)},
		{"four_eyes", yaml_read_yes, offsetof(struct plan_actions, four_eyes)},
		{"per_hour", read_per_hour, offsetof(struct plan_actions, per_hour)},
		{"hosts_out", read_hosts_out, offsetof(struct plan_actions, hosts_out)},
		{"switch_interval", read_span, offsetof(struct plan_actions, switch_us)},
		{"port_interval", read_span, offsetof(struct plan_actions, port_us)},
		{"watch", read_span, offsetof(struct plan_actions, watch_us)},
		{"watchdog", read_watchdog, 0},
		{"drain", read_drain, offsetof(struct plan_actions, drain_bgp)},
		{"commands", read_commands, 0},
	};
	struct plan_actions *a = to;
	const char *text;

	if (n->type == YAML_MAPPING_NODE) {
		a->granted = true;
		return yaml_read_map(r, n, keys, COUNT_OF(keys), a);
	}
	if (!yaml_text(r, n, "true, false or a map of settings", YAML_TEXT_MAX, &text))
		return false;
	return yaml_word_is_yes(text, &a->granted) ||
	       yaml_not_a(r, n, text, "yes or no", "true, false, or a map of settings");
}
