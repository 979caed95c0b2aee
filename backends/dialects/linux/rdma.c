/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/dialects/linux/linux.h"
#include "backends/parse/json_select.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"

/*
 * Decodes rdma(8) of iproute2, for hosts with a hidden sysfs (containers): the same counters with
 * the same names. JSON is in one line or has one object per line. Text has all counters of a port
 * in one line (up to 6.7) or one per line.
 */

/* Lines are cut at LINE_TEXT: a number near that point could be truncated after it has grown. */
static bool is_far_along(const struct number_positions *s, struct span text)
{
	const char *from = text.at - (LINE_TEXT - 2 * POSITION_TEXT_MOST);

	return text.at >= s->bytes && text.at <= s->bytes + s->len && from > s->bytes &&
	       !memchr(from, '\n', (size_t)(text.at - from));
}

void host_unused(struct host *h, struct span text)
{
	struct number_positions *s = h->target->slots;

	if (s && !is_far_along(s, text))
		positions_unused(s, text.at, text.n);
}

static void add_slot(struct host *h, const struct host_port *p, const struct host_name *known,
	uint16_t cell, struct span text)
{
	struct number_positions *s = h->target->slots;

	/* A slave's number also changes the sum of its bond: such an answer is parsed in full. */
	if (!s || p->bond || p->is_bond)
		return;
	bool adds = known->flags & NAME_ADDS && known->rank == p->cells.rank[cell];

	if (known->rank <= p->cells.rank[cell] && !adds) {
		host_unused(h, text);
		return;
	}
	if (p->cells.rank[cell] && !adds)
		positions_void(s, p->port, cell);
	if (!is_far_along(s, text))
		positions_add(s, text.at, text.n, p->port, cell, known->scale);
}

void host_offer(struct host *h, struct host_port *p, const struct host_name *known, unsigned sub,
	uint64_t v, struct span text)
{
	uint16_t cell = counter_cell(known->id, sub);

	add_slot(h, p, known, cell, text);
	if (known->flags & NAME_ADDS && p->cells.rank[cell] == known->rank) {
		p->cells.value[cell] += v * known->scale;
		return;
	}
	cells_offer(&p->cells, known->id, sub, v * known->scale, known->rank);
}

void host_offer_known(
	struct host *h, struct host_port *p, const struct host_name *known, struct span value)
{
	uint64_t v;

	if (!parse_u64(value.at, value.n, &v) || v > UINT64_MAX / known->scale)
		return;
	p->is_efa |= known->flags & NAME_EFA;
	/* The second generation of irdma counts CNPs in 32 bits, the kernel carrier changes. */
	if (str_starts(known->name, "cnp") || known->id == CTR_CARRIER_CHANGES)
		h->o->narrow[known->id] = true;
	host_offer(h, p, known, 0, v, value);
}

void host_offer_ib(struct host *h, struct host_port *p, struct span name, struct span value)
{
	const struct host_name *known = host_ib_name(&h->names, name.at, name.n);

	if (known)
		host_offer_known(h, p, known, value);
	else
		host_unused(h, value);
}

static void offer_text(struct host *h, struct host_port *p, const char *name, const char *value)
{
	host_offer_ib(h, p, (struct span){name, strlen(name)}, (struct span){value, strlen(value)});
}

/* Converts the states of `rdma link` to those of sysfs. */
static const char *phys_name(const char *word)
{
	static const char *const names[][2] = {{"LINK_UP", "LinkUp"}, {"POLLING", "Polling"},
		{"DISABLED", "Disabled"}, {"SLEEP", "Sleep"},
		{"LINK_ERROR_RECOVER", "LinkErrorRecovery"}};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (str_eq(names[i][0], word))
			return names[i][1];
	return word;
}

static void link_word(struct host_port *p, const char *key, const char *value)
{
	if (str_eq(key, "state"))
		p->is_active = str_eq(value, "ACTIVE");
	else if (str_eq(key, "physical_state"))
		str_copy(p->phys, sizeof(p->phys), phys_name(value));
	else if (str_eq(key, "netdev"))
		str_copy(p->netdev, sizeof(p->netdev), value);
}

/* Returns the port of an object of `rdma -j`. */
static struct host_port *json_port(struct host *h, const struct json_value *e)
{
	const char *name = json_value_text(json_value_get(e, "ifname"));
	uint64_t number;

	if (!name || !*name || !json_value_u64(json_value_get(e, "port"), &number) || number > 255)
		return NULL;
	return host_port(h, name, (unsigned)number);
}

static void json_values(
	struct host *h, struct host_port *p, const struct json_value *e, bool is_link)
{
	char text[32];
	uint64_t n;

	for (json_value_members(v, e)) {
		if (is_link && json_value_is(v, DV_STRING)) {
			link_word(p, json_value_name(v), json_value_text(v));
		} else if (!is_link && !json_value_is(v, DV_STRING) && json_value_u64(v, &n)) {
			str_printf(text, sizeof(text), "%llu", (unsigned long long)n);
			offer_text(h, p, json_value_name(v), text);
		}
	}
}

/* Reads "link mlx5_3/1" or, before 5.0, "link mlx5_3/1:"; returns the port. */
static struct host_port *text_port(struct host *h, char *word)
{
	char *slash = strchr(word, '/');
	uint64_t number;

	if (!slash || slash == word)
		return NULL;
	*slash++ = '\0';
	slash[strcspn(slash, ":")] = '\0';
	if (!str_to_u64(slash, &number) || number > 255)
		return NULL;
	return host_port(h, word, (unsigned)number);
}

/* Reads pairs of words; "link NAME/PORT" begins the next port. */
static void text_values(struct host *h, const struct section *s, bool is_link)
{
	struct host_port *p = NULL;
	char word[NAME_MAX_LEN], key[NAME_MAX_LEN] = "";

	for (size_t at = 0; at < s->len;) {
		size_t n = 0;

		while (at + n < s->len && (unsigned char)s->body[at + n] > ' ')
			n++;
		if (!n) {
			at++;
			continue;
		}
		str_copyn(word, sizeof(word), s->body + at, n);
		/* Details such as "caps: <CM, X>" are not pairs, so each port starts a new pair. */
		if (str_eq(word, "link") && (!at || s->body[at - 1] == '\n'))
			key[0] = '\0';
		at += n;
		if (!*key) {
			str_copy(key, sizeof(key), word);
			continue;
		}
		if (str_eq(key, "link"))
			p = text_port(h, word);
		else if (p && is_link)
			link_word(p, key, word);
		else if (p)
			offer_text(h, p, key, word);
		key[0] = '\0';
	}
}

static void rdma_section(struct host *h, const struct section *s, bool is_link)
{
	size_t at = 0;
	struct json_value *doc =
		json_value_parse_next(s->body, s->len, &at, h->target->device, NULL);

	if (!doc && s->len > 5 && memcmp(s->body, "link ", 5) == 0)
		text_values(h, s, is_link);
	for (json_value_items(e, doc)) {
		struct host_port *p = json_port(h, e);

		if (p)
			json_values(h, p, e, is_link);
	}
	free(doc);
}

void host_rdma_link(struct host *h, const struct section *s)
{
	rdma_section(h, s, true);
}

void host_rdma_statistic(struct host *h, const struct section *s)
{
	rdma_section(h, s, false);
}
