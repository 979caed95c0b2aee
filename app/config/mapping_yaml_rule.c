/* SPDX-License-Identifier: Apache-2.0 */
#include "app/config/mapping_yaml_rule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))
#define VALUES_MAX  64

struct label_text {
	char *label, *match;
};

/* A rule while it is read. The keys for its kind are checked together at the end. */
struct rule_draft {
	struct prometheus_rule *rule;
	char *state, *need, *sub, *gpu, *code;
	bool counter, attr, words, up, neighbour, nic;
	bool has_port, gpu_counter;
};

/* ---- values ---- */

static bool metric_char(char c, bool first)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':' ||
	       (!first && c >= '0' && c <= '9');
}

/* True if the n bytes of s are a valid name of a series or label. */
static bool name_ok(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!metric_char(s[i], !i))
			return false;
	return n > 0;
}

static bool read_label_name(struct reader *r, const yaml_node_t *n, void *to)
{
	const char *text;

	if (!yaml_text(r, n, "the name of a label", YAML_TEXT_MAX, &text))
		return false;
	if (!name_ok(text, strlen(text)) || strchr(text, ':'))
		return yaml_not_a(r, n, text, "name of a label", "letters, digits, _");
	yaml_put(to, text);
	return true;
}

bool mapping_read_label(struct reader *r, const yaml_node_t *n, void *to)
{
	static const struct key keys[] = {
		{"label", read_label_name, offsetof(struct label_text, label)},
		{"match", yaml_read_text, offsetof(struct label_text, match)},
	};
	struct label_text text = {0};
	struct err err = {0};
	bool ok = n->type == YAML_MAPPING_NODE ? yaml_read_map(r, n, keys, COUNT_OF(keys), &text)
					       : read_label_name(r, n, &text.label);

	if (ok && !text.label)
		ok = problem_add(r->problems, yaml_line(n), r->place, "\"label\" is missing");
	if (ok && !prometheus_label_set(to, text.label, text.match, &err))
		ok = problem_add(r->problems, yaml_line(n), r->place, "%s", err.text);
	free(text.label);
	free(text.match);
	return ok;
}

/* "a{0-7}b" means one series per priority. */
static bool read_metric(struct reader *r, const yaml_node_t *n, void *to)
{
	struct rule_draft *d = to;
	const char *text, *open;
	size_t len;

	if (!yaml_text(r, n, "the name of a metric", 256, &text))
		return false;
	len = strlen(text);
	open = strstr(text, "{0-7}");
	if (open ? !name_ok(text, (size_t)(open - text)) ||
				strspn(open + 5,
					"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0"
					"123456789_:") != strlen(open + 5)
		 : !name_ok(text, len))
		return yaml_not_a(r, n, text, "name of a metric",
			"letters, digits, _ and :, with {0-7} for one per priority");
	yaml_put(&d->rule->metric, text);
	return true;
}

static bool read_where(struct reader *r, const yaml_node_t *n, void *to)
{
	struct rule_draft *d = to;
	const char *text;

	if (!yaml_text(r, n, "label matchers", YAML_TEXT_MAX, &text))
		return false;
	if (strpbrk(text, "{}[]"))
		return yaml_not_a(r, n, text, "list of label matchers", "label=\"value\",...");
	yaml_put(&d->rule->where, text);
	return true;
}

static bool read_counter(struct reader *r, const yaml_node_t *n, void *to)
{
	struct rule_draft *d = to;
	const char *text;

	if (!yaml_text(r, n, "a counter", YAML_TEXT_MAX, &text))
		return false;
	d->counter = true;
	d->rule->tells = PROMETHEUS_COUNTER;
	d->rule->counter = counter_by_name(text);
	if (d->rule->counter == COUNTER_COUNT)
		return yaml_not_a(
			r, n, text, "counter", "those of railtop(1), e.g. rx_bytes, pfc_rx_frames");
	return true;
}

static bool read_attribute(struct reader *r, const yaml_node_t *n, void *to)
{
	struct rule_draft *d = to;
	const struct prometheus_attr *a;
	const char *text;

	if (!yaml_text(r, n, "an attribute", YAML_TEXT_MAX, &text))
		return false;
	a = prometheus_attr_by_name(text);
	if (!a)
		return yaml_not_a(r, n, text, "attribute", prometheus_attr_names());
	d->attr = true;
	d->rule->tells = PROMETHEUS_ATTR;
	d->rule->attr = a->attr;
	return true;
}

static bool read_number(struct reader *r, const yaml_node_t *n, void *to)
{
	const char *text;
	double v;

	if (!yaml_text(r, n, "a number", 64, &text))
		return false;
	if (!str_to_double(text, &v) || !isfinite(v))
		return yaml_not_a(r, n, text, "number", "0.001, 8, 1000000");
	*(double *)to = v;
	return true;
}

static bool read_scale(struct reader *r, const yaml_node_t *n, void *to)
{
	struct rule_draft *d = to;

	return read_number(r, n, &d->rule->scale);
}

/* A label or a number. */
static bool read_sub(struct reader *r, const yaml_node_t *n, void *to)
{
	return yaml_read_text(r, n, &((struct rule_draft *)to)->sub);
}

static bool read_device(struct reader *r, const yaml_node_t *n, void *to)
{
	return mapping_read_label(r, n, &((struct rule_draft *)to)->rule->device);
}

static bool read_port(struct reader *r, const yaml_node_t *n, void *to)
{
	struct rule_draft *d = to;

	d->has_port = true;
	return mapping_read_label(r, n, &d->rule->port);
}

static bool read_interface(struct reader *r, const yaml_node_t *n, void *to)
{
	((struct rule_draft *)to)->rule->interface = true;
	return read_port(r, n, to);
}

static bool read_nic(struct reader *r, const yaml_node_t *n, void *to)
{
	static const struct key keys[] = {
		{"driver", read_label_name, offsetof(struct prometheus_rule, a)},
		{"pci", read_label_name, offsetof(struct prometheus_rule, b)},
	};
	struct rule_draft *d = to;

	d->nic = true;
	d->rule->tells = PROMETHEUS_NIC;
	return yaml_read_map(r, n, keys, COUNT_OF(keys), d->rule);
}

static bool read_up(struct reader *r, const yaml_node_t *n, void *to)
{
	struct rule_draft *d = to;
	const char *text;

	if (!yaml_text(r, n, "device", 64, &text))
		return false;
	if (!str_eq(text, "device"))
		return yaml_not_a(r, n, text, "value of up", "device");
	d->up = true;
	d->rule->tells = PROMETHEUS_UP;
	return true;
}

static bool read_state(struct reader *r, const yaml_node_t *n, void *to)
{
	return read_label_name(r, n, &((struct rule_draft *)to)->state);
}

static bool read_need(struct reader *r, const yaml_node_t *n, void *to)
{
	return read_label_name(r, n, &((struct rule_draft *)to)->need);
}

static bool read_gpu(struct reader *r, const yaml_node_t *n, void *to)
{
	return read_label_name(r, n, &((struct rule_draft *)to)->gpu);
}

static bool read_code(struct reader *r, const yaml_node_t *n, void *to)
{
	return read_label_name(r, n, &((struct rule_draft *)to)->code);
}

static bool read_gpu_counter(struct reader *r, const yaml_node_t *n, void *to)
{
	struct rule_draft *d = to;

	d->gpu_counter = true;
	return read_label_name(r, n, &d->gpu);
}

static bool read_neighbour(struct reader *r, const yaml_node_t *n, void *to)
{
	static const struct key keys[] = {
		{"device", read_label_name, offsetof(struct prometheus_rule, a)},
		{"port", read_label_name, offsetof(struct prometheus_rule, b)},
	};
	struct rule_draft *d = to;

	d->neighbour = true;
	d->rule->tells = PROMETHEUS_LLDP;
	if (!yaml_read_map(r, n, keys, COUNT_OF(keys), d->rule))
		return false;
	return (d->rule->a && d->rule->b) ||
	       problem_add(r->problems, yaml_line(n), r->place, "needs device: and port:");
}

/* Map of attribute to label. */
static bool read_words(struct reader *r, const yaml_node_t *n, void *to)
{
	struct rule_draft *d = to;

	d->words = true;
	d->rule->tells = PROMETHEUS_WORDS;
	if (n->type != YAML_MAPPING_NODE)
		return yaml_expected(r, n, "a map of attributes to labels");
	for (yaml_node_pair_t *p = n->data.mapping.pairs.start; p < n->data.mapping.pairs.top;
		p++) {
		const yaml_node_t *key = yaml_document_get_node(r->doc, p->key);
		const yaml_node_t *value = yaml_document_get_node(r->doc, p->value);
		const struct prometheus_attr *a;
		const char *text;
		char *label = NULL;

		if (!yaml_text(r, key, "an attribute", 64, &text))
			return false;
		a = prometheus_attr_by_name(text);
		if (!a || !a->word || a->sub)
			return yaml_not_a(r, key, text, "attribute that is a word",
				"model, serial, release, hostname, firmware, description, ...");
		if (!read_label_name(r, value, &label))
			return false;
		vec_push(&d->rule->words, (struct prometheus_word){a->attr, label});
	}
	return d->rule->words.n > 0 || yaml_expected(r, n, "a map of attributes to labels");
}

/* Map of value to word. */
static bool read_values(struct reader *r, const yaml_node_t *n, void *to)
{
	struct rule_draft *d = to;

	if (n->type != YAML_MAPPING_NODE)
		return yaml_expected(r, n, "a map of numbers to words");
	for (yaml_node_pair_t *p = n->data.mapping.pairs.start; p < n->data.mapping.pairs.top;
		p++) {
		const yaml_node_t *key = yaml_document_get_node(r->doc, p->key);
		const yaml_node_t *value = yaml_document_get_node(r->doc, p->value);
		const char *text;
		double is = 0;

		if (d->rule->values.n >= VALUES_MAX)
			return problem_add(r->problems, yaml_line(key), r->place,
				"more than %d values", VALUES_MAX);
		if (!read_number(r, key, &is) || !yaml_text(r, value, "a word", 64, &text))
			return false;
		vec_push(&d->rule->values, (struct prometheus_value){is, mem_strdup(text)});
	}
	return true;
}

static bool read_when(struct reader *r, const yaml_node_t *n, void *to)
{
	struct rule_draft *d = to;
	const char *text;

	if (!yaml_text(r, n, "always or cursor", 64, &text))
		return false;
	d->rule->cursor = str_eq(text, "cursor");
	d->rule->joined = str_eq(text, "joined");
	return d->rule->cursor || d->rule->joined || str_eq(text, "always") ||
	       yaml_not_a(r, n, text, "time to ask", "always, cursor, joined");
}

static bool read_every(struct reader *r, const yaml_node_t *n, void *to)
{
	return yaml_read_interval(r, n, &((struct rule_draft *)to)->rule->every_us);
}

static bool read_others(struct reader *r, const yaml_node_t *n, void *to)
{
	return yaml_read_interval(r, n, &((struct rule_draft *)to)->rule->others_us);
}

/* ---- checks of the whole rule ---- */

static bool report_problem(struct reader *r, const yaml_node_t *n, const char *what)
{
	return problem_add(r->problems, yaml_line(n), r->place, "%s", what);
}

static unsigned subs_of(const struct prometheus_rule *rule)
{
	const struct prometheus_attr *a;

	if (rule->tells == PROMETHEUS_COUNTER)
		return counter_dim_size(rule->counter);
	a = rule->tells == PROMETHEUS_ATTR ? prometheus_attr_of(rule->attr) : NULL;
	return a && a->sub ? PRIORITIES : 1;
}

/* The label or number of the priority, lane or bin. */
static bool check_sub(struct reader *r, const yaml_node_t *n, struct rule_draft *d)
{
	unsigned subs = subs_of(d->rule);
	bool spread = strstr(d->rule->metric, "{0-7}") != NULL;
	bool priorities =
		d->counter ? counter_info[d->rule->counter].dim == DIM_PRIO : subs == PRIORITIES;
	uint64_t number;

	if (d->rule->others_us && (!priorities || d->rule->cursor || d->rule->every_us))
		return report_problem(r, n,
			"others: is only for series per priority that are asked in each round");
	if (spread && (d->sub || subs < PRIORITIES))
		return report_problem(
			r, n, "{0-7} is only for series per priority, instead of sub:");
	if (spread || (subs == 1 && !d->sub))
		return true;
	if (!d->sub)
		return report_problem(r, n, "needs sub:, the label of the priority, lane or bin");
	if (subs == 1)
		return report_problem(r, n, "sub: is only for series per priority, lane or bin");
	if (str_to_u64(d->sub, &number)) {
		if (number >= subs)
			return report_problem(r, n, "sub: is too large");
		d->rule->sub = (unsigned)number;
		return true;
	}
	if (!name_ok(d->sub, strlen(d->sub)))
		return report_problem(r, n, "sub: is the name of a label, or a number");
	yaml_put(&d->rule->sub_label, d->sub);
	return true;
}

/* True when the rule is about a whole device, not a port. */
static bool of_device(const struct prometheus_rule *rule)
{
	if (rule->tells == PROMETHEUS_ATTR)
		return prometheus_attr_of(rule->attr)->device;
	if (rule->tells == PROMETHEUS_WORDS)
		return prometheus_attr_of(rule->words.at[0].attr)->device;
	return rule->tells != PROMETHEUS_COUNTER && rule->tells != PROMETHEUS_LLDP &&
	       rule->tells != PROMETHEUS_NIC;
}

static bool check_kind(struct reader *r, const yaml_node_t *n, struct rule_draft *d)
{
	int told = d->counter + d->attr + d->words + d->up + d->neighbour + d->nic +
		   (d->state || d->need) + (d->gpu != NULL);
	struct prometheus_rule *rule = d->rule;

	if (!rule->metric)
		return report_problem(r, n, "\"metric\" is missing");
	if (told != 1)
		return report_problem(r, n,
			"needs one of counter:, attribute:, words:, neighbour:, nic:, up:, "
			"state:, need:, gpu_error:, gpu_counter:");
	if ((rule->joined || d->nic) && !rule->interface)
		return report_problem(r, n, "when: joined and nic: go with interface:");
	if (d->need) {
		if (!d->state)
			return report_problem(r, n, "need: goes with state:");
		rule->tells = PROMETHEUS_NEED;
		yaml_put(&rule->a, d->need);
		yaml_put(&rule->b, d->state);
	} else if (d->state) {
		rule->tells = PROMETHEUS_STATE;
		yaml_put(&rule->a, d->state);
	} else if (d->gpu) {
		rule->tells = d->gpu_counter ? PROMETHEUS_GPU_COUNTER : PROMETHEUS_GPU;
		yaml_put(&rule->a, d->gpu);
		if (d->code)
			yaml_put(&rule->b, d->code);
	}
	if (d->code && rule->tells != PROMETHEUS_GPU)
		return report_problem(r, n, "code: goes with gpu_error:");
	for (size_t i = 1; i < rule->words.n; i++)
		if (prometheus_attr_of(rule->words.at[i].attr)->device != of_device(rule))
			return report_problem(
				r, n, "words: are of the device or of a port, not of both");
	if (rule->tells == PROMETHEUS_ATTR && prometheus_attr_of(rule->attr)->word &&
		!rule->values.n)
		return report_problem(r, n, "needs values:, the word of each number");
	if (rule->values.n &&
		(rule->tells != PROMETHEUS_ATTR || !prometheus_attr_of(rule->attr)->word))
		return report_problem(r, n, "values: is only for attributes that are words");
	return check_sub(r, n, d);
}

static bool check_labels(
	struct reader *r, const yaml_node_t *n, struct rule_draft *d, const struct mapping_draft *m)
{
	struct prometheus_rule *rule = d->rule;

	if (!rule->device.label) {
		if (!m->device.label)
			return report_problem(
				r, n, "needs device:, the label that names the device");
		(void)prometheus_label_set(&rule->device, m->device.label, m->device.match, NULL);
	}
	if (of_device(rule)) {
		if (d->has_port)
			return report_problem(r, n, "port: is only for series of a port");
		return true;
	}
	if (!rule->port.label) {
		if (!m->port.label)
			return report_problem(r, n, "needs port:, the label that names the port");
		(void)prometheus_label_set(&rule->port, m->port.label, m->port.match, NULL);
	}
	return true;
}

/* Makes the rule for one series of {0-7}. */
static struct prometheus_rule *rule_for(const struct prometheus_rule *all, unsigned priority)
{
	const char *open = strstr(all->metric, "{0-7}");
	struct prometheus_rule *one = prometheus_rule_new();
	char metric[300];

	(void)str_printf(metric, sizeof(metric), "%.*s%u%s", (int)(open - all->metric), all->metric,
		priority, open + strlen("{0-7}"));
	one->metric = mem_strdup(metric);
	one->where = all->where ? mem_strdup(all->where) : NULL;
	(void)prometheus_label_set(&one->device, all->device.label, all->device.match, NULL);
	(void)prometheus_label_set(&one->port, all->port.label, all->port.match, NULL);
	one->tells = all->tells;
	one->counter = all->counter;
	one->attr = all->attr;
	one->sub = priority;
	one->scale = all->scale;
	for (size_t i = 0; i < all->values.n; i++)
		vec_push(&one->values, (struct prometheus_value){all->values.at[i].is,
					       mem_strdup(all->values.at[i].word)});
	one->interface = all->interface;
	one->joined = all->joined;
	one->cursor = all->cursor;
	one->every_us = all->every_us;
	one->others_us = all->others_us;
	return one;
}

static void add_rule(struct mapping_draft *m, const yaml_node_t *n, struct prometheus_rule *rule)
{
	rule->group = (unsigned)m->map->names.n - 1;
	(void)str_printf(rule->source, sizeof(rule->source), "%.70s:%u", m->file, yaml_line(n));
	vec_push(&m->map->rules, rule);
}

static bool is_twin(const struct mapping_draft *m, const struct prometheus_rule *rule)
{
	for (size_t i = m->before; i < m->map->rules.n; i++) {
		const struct prometheus_rule *r = m->map->rules.at[i];

		if (str_eq(r->metric, rule->metric) && str_eq(r->where, rule->where))
			return true;
	}
	return false;
}

bool mapping_read_rule(struct reader *r, const yaml_node_t *n, void *to)
{
	static const struct key keys[] = {
		{"metric", read_metric, 0},
		{"where", read_where, 0},
		{"device", read_device, 0},
		{"port", read_port, 0},
		{"interface", read_interface, 0},
		{"nic", read_nic, 0},
		{"counter", read_counter, 0},
		{"attribute", read_attribute, 0},
		{"words", read_words, 0},
		{"neighbour", read_neighbour, 0},
		{"up", read_up, 0},
		{"state", read_state, 0},
		{"need", read_need, 0},
		{"gpu_error", read_gpu, 0},
		{"code", read_code, 0},
		{"gpu_counter", read_gpu_counter, 0},
		{"sub", read_sub, 0},
		{"scale", read_scale, 0},
		{"values", read_values, 0},
		{"when", read_when, 0},
		{"every", read_every, 0},
		{"others", read_others, 0},
	};
	struct mapping_draft *m = to;
	struct rule_draft d = {.rule = prometheus_rule_new()};
	bool ok = yaml_read_map(r, n, keys, COUNT_OF(keys), &d) && check_kind(r, n, &d) &&
		  check_labels(r, n, &d, m);

	if (ok && is_twin(m, d.rule))
		ok = problem_add(r->problems, yaml_line(n), r->place,
			"the metric has a rule already (use another where: for a second one)");
	if (ok && m->map->rules.n + PRIORITIES > PROMETHEUS_RULES_MAX)
		ok = problem_add(r->problems, yaml_line(n), r->place, "more than %d rules",
			PROMETHEUS_RULES_MAX);
	if (ok && strstr(d.rule->metric, "{0-7}")) {
		for (unsigned i = 0; i < PRIORITIES; i++)
			add_rule(m, n, rule_for(d.rule, i));
		prometheus_rule_free(d.rule);
	} else if (ok) {
		add_rule(m, n, d.rule);
	} else {
		prometheus_rule_free(d.rule);
	}
	free(d.state);
	free(d.need);
	free(d.gpu);
	free(d.sub);
	free(d.code);
	return ok;
}
