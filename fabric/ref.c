/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/ref.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"
#include "fabric/query/name_suggestions.h"
#include "fabric/vocabulary/counters.h"

#define LOCATOR_LEN (2 * NAME_MAX_LEN + 32)

uint64_t ref_key(struct ref r)
{
	uint64_t kind = (uint64_t)r.kind << 56;

	switch (r.kind) {
	case REF_RAIL:
		return kind | (uint32_t)r.rail;
	case REF_DEVICE:
		return kind | r.device;
	case REF_PORT:
	case REF_LINK:
		return kind | r.port;
	case REF_PRIORITY:
		return kind | (uint64_t)r.priority << 32 | r.port;
	case REF_COUNTER:
		return kind | (uint64_t)r.cell << 32 | r.port;
	case REF_BGP:
		return kind | ((r.seq ^ (uint64_t)r.device << 24) & ((UINT64_C(1) << 56) - 1));
	case REF_EVENT:
		return kind | (r.seq & ((UINT64_C(1) << 56) - 1));
	case REF_FINDING:
	case REF_ROW:
		return kind | (r.seq & ((UINT64_C(1) << 56) - 1));
	case REF_TIER:
		return kind | r.tier;
	case REF_JOB:
		return kind | r.job;
	case REF_COMM:
		return kind | r.comm;
	case REF_RANK:
		return kind | (uint64_t)(r.comm & 0xffffff) << 32 | (uint32_t)r.rank;
	case REF_NEED:
		return kind | (uint64_t)r.cell << 32 | r.device;
	case REF_NONE:
	case REF_FABRIC:
		break;
	}
	return kind;
}

bool ref_eq(struct ref a, struct ref b)
{
	return ref_key(a) == ref_key(b);
}

/* ---- from text ---- */

static bool no_such(
	struct err *err, const char *what, const char *in, const struct name_suggestions *near)
{
	char names[2 * LOCATOR_LEN];

	(void)err_set(err, ERR_USAGE, in, "there is no %s \"%s\"", what, near->wanted);
	if (name_suggestions_format(near, names, sizeof(names)))
		return err_cure(err, "did you mean %s?", names);
	return false;
}

/* The device with this hostname or address. NULL: none, or several, as behind one bastion. */
static struct device *device_by_address(const struct model *m, const char *text)
{
	struct device *found = NULL;

	for (size_t i = 0; text[0] && i < m->devices.n; i++) {
		struct device *d = m->devices.at[i];

		if (strcasecmp(d->hostname, text) != 0 && strcasecmp(d->address, text) != 0)
			continue;
		if (found)
			return NULL;
		found = d;
	}
	return found;
}

static struct device *device_any_case(const struct model *m, const char *name)
{
	struct device *d = model_device(m, name);

	for (size_t i = 0; !d && i < m->devices.n; i++) {
		if (strcasecmp(m->devices.at[i]->name, name) == 0)
			d = m->devices.at[i];
	}
	return d ? d : device_by_address(m, name);
}

static struct port *port_any_case(const struct model *m, const struct device *d, const char *name)
{
	struct port *p = model_port(m, d, name);

	for (size_t i = 0; !p && name[0] && i < d->ports.n; i++) {
		struct port *q = m->ports.at[d->ports.at[i]];

		if (strcasecmp(q->name, name) == 0 || strcasecmp(q->more->alias, name) == 0 ||
			strcasecmp(q->netdev, name) == 0)
			p = q;
	}
	return p;
}

/* "node003/mlx5_3": the port stands behind a slash. */
static bool is_slashed_port(const struct model *m, const char *name, struct err *err)
{
	const char *slash = strchr(name, '/');
	char device[LOCATOR_LEN];

	if (!slash || !slash[1] ||
		!str_copyn(device, sizeof(device), name, (size_t)(slash - name)) ||
		!device_any_case(m, device))
		return false;
	(void)err_set(err, ERR_USAGE, m->fabric, "there is no device \"%s\"", name);
	(void)err_cure(err, "a port stands behind a colon: %s:%s", device, slash + 1);
	return true;
}

static struct device *device_or_err(const struct model *m, const char *name, struct err *err)
{
	struct device *d = device_any_case(m, name);
	struct name_suggestions near;
	char jobs[160] = "";

	if (d || is_slashed_port(m, name, err))
		return d;
	name_suggestions_init(&near, name);
	name_suggestions_offer(&near, "cluster");
	for (size_t i = 0; i < m->devices.n; i++)
		name_suggestions_offer(&near, m->devices.at[i]->name);
	for (size_t i = 0; i < m->nccl->jobs.n; i++)
		name_suggestions_offer(&near, m->nccl->jobs.at[i]->name);
	(void)no_such(err, m->nccl->jobs.n ? "device or job" : "device", m->fabric, &near);
	if (near.n || !m->devices.n)
		return NULL;
	for (size_t i = 0; i < m->nccl->jobs.n; i++)
		if (!job_is_free(m->nccl->jobs.at[i]))
			(void)str_printf(jobs + strlen(jobs), sizeof(jobs) - strlen(jobs), "%s%s",
				*jobs ? ", " : "; jobs: ", m->nccl->jobs.at[i]->name);
	(void)err_cure(err, "%zu devices, such as %s: the view devices lists them%s", m->devices.n,
		m->devices.at[0]->name, jobs);
	return NULL;
}

static bool port_unknown(
	const struct model *m, const struct device *d, const char *name, struct err *err)
{
	struct name_suggestions near;

	name_suggestions_init(&near, name);
	for (size_t i = 0; i < d->ports.n; i++) {
		const struct port *p = m->ports.at[d->ports.at[i]];

		name_suggestions_offer(&near, p->name);
		name_suggestions_offer(&near, p->more->alias);
		name_suggestions_offer(&near, p->netdev);
	}
	return no_such(err, "port", d->name, &near);
}

/* "rail 3", "rail3", "3". *is_rail is false when the text is something else. */
static bool parse_rail(
	const struct model *m, const char *text, bool *is_rail, struct ref *out, struct err *err)
{
	uint64_t rail;
	const char *number;

	*is_rail = false;
	if (isdigit((unsigned char)text[0]) && strspn(text, "0123456789") == strlen(text) &&
		!device_any_case(m, text))
		number = text;
	else if (strncasecmp(text, "rail", 4) == 0)
		number = text + 4;
	else
		return false;
	while (*number == ' ')
		number++;
	if (!str_to_u64(number, &rail))
		return false;
	*is_rail = true;
	if (!m->rails)
		return err_set(err, ERR_USAGE, m->fabric, "this fabric has no rails");
	if (rail >= m->rails)
		return err_set(err, ERR_USAGE, m->fabric, "there is no rail %llu: they are 0 to %u",
			(unsigned long long)rail, m->rails - 1);
	*out = (struct ref){.kind = REF_RAIL, .rail = (int)rail};
	return true;
}

static bool parse_priority(const char *text, uint8_t *priority)
{
	if (text[0] < '0' || text[0] > '7' || text[1])
		return false;
	*priority = (uint8_t)(text[0] - '0');
	return true;
}

/* Parses the part behind "device:port:": a priority, or a counter with its priority or lane. */
static bool parse_in_port(const struct port *p, char *rest, struct ref *out, struct err *err)
{
	char *colon = strchr(rest, ':');
	enum counter_id id;
	uint8_t sub = 0;
	struct name_suggestions near;

	if (parse_priority(rest, &sub)) {
		*out = (struct ref){.kind = REF_PRIORITY, .port = p->id, .priority = sub};
		return true;
	}
	if (colon)
		*colon = '\0';
	id = counter_by_name(rest);
	if (id != COUNTER_COUNT && (!colon || parse_priority(colon + 1, &sub)) &&
		sub < counter_dim_size(id)) {
		*out = (struct ref){
			.kind = REF_COUNTER, .port = p->id, .cell = counter_cell(id, sub)};
		return true;
	}
	if (id != COUNTER_COUNT)
		return err_set(err, ERR_USAGE, p->name, "%s has no part \"%s\"", rest, colon + 1);
	name_suggestions_init(&near, rest);
	for (unsigned i = 0; i < COUNTER_COUNT; i++)
		name_suggestions_offer(&near, counter_info[i].name);
	(void)no_such(err, "priority or counter", p->name, &near);
	return err_cure(err, "priorities are 0 to 7; counters have names such as rx_bytes");
}

/*
 * Port names may contain colons and slashes (eth0:1, Ethernet1/3), so the longest name that is a
 * port wins. The part behind a slash must be a part of the port, else it is another port's name.
 */
static bool parse_port(
	const struct model *m, const struct device *d, char *rest, struct ref *out, struct err *err)
{
	char name[LOCATOR_LEN];

	for (size_t len = strlen(rest); len > 0; len--) {
		struct port *p;

		if (rest[len] && rest[len] != ':' && rest[len] != '/')
			continue;
		(void)str_copyn(name, sizeof(name), rest, len);
		p = port_any_case(m, d, name);
		if (p && rest[len] == '/') {
			(void)str_copy(name, sizeof(name), rest + len + 1);
			if (parse_in_port(p, name, out, NULL))
				return true;
			continue;
		}
		if (p && rest[len])
			return parse_in_port(p, rest + len + 1, out, err);
		if (p) {
			*out = (struct ref){.kind = REF_PORT, .port = p->id};
			return true;
		}
	}
	rest[strcspn(rest, ":")] = '\0';
	return port_unknown(m, d, rest, err);
}

static bool is_tier(const char *word)
{
	for (unsigned t = 0; t < TIER_COUNT; t++)
		if (strcasecmp(word, tier_name((enum tier)t)) == 0)
			return true;
	return false;
}

/* A device, or "device:port" with a part of the port. Modifies word. */
static bool parse_device(const struct model *m, char *word, struct ref *out, struct err *err)
{
	char *colon = strchr(word, ':');
	struct device *d;

	if (colon)
		*colon = '\0';
	for (unsigned t = 0; !colon && t < TIER_COUNT; t++) {
		if (strcasecmp(word, tier_name((enum tier)t)) != 0 || device_any_case(m, word))
			continue;
		*out = (struct ref){.kind = REF_TIER, .tier = (uint8_t)t};
		return true;
	}
	d = device_or_err(m, word, err);
	if (!d)
		return false;
	if (colon)
		return parse_port(m, d, colon + 1, out, err);
	*out = (struct ref){.kind = REF_DEVICE, .device = d->id};
	return true;
}

/* "leaf-r3-00:Ethernet0 - node000:mlx5_3": the link of its first end. */
static bool parse_link(
	const struct model *m, const char *text, bool *is_link, struct ref *out, struct err *err)
{
	const char *dash = strstr(text, " - ");
	char a[LOCATOR_LEN], b[LOCATOR_LEN], peer[LOCATOR_LEN];
	const struct port *p;
	struct ref ends[2] = {{0}};

	*is_link = dash && memchr(text, ':', (size_t)(dash - text));
	if (!*is_link)
		return false;
	if (!str_copyn(a, sizeof(a), text, (size_t)(dash - text)) ||
		!str_copy(b, sizeof(b), dash + 3))
		return err_set(err, ERR_USAGE, m->fabric, "the name is longer than any known name");
	if (!parse_device(m, a, &ends[0], err) || !parse_device(m, b, &ends[1], err))
		return false;
	if (ends[0].kind != REF_PORT || ends[1].kind != REF_PORT)
		return err_set(err, ERR_USAGE, m->fabric, "a link has a port at each end");
	p = port_peer(m, ref_port(m, ends[0]), NULL);
	if (p && p->id == ends[1].port) {
		*out = (struct ref){.kind = REF_LINK, .port = ends[0].port};
		for (size_t i = 0; i < m->links.n; i++)
			if (m->links.at[i].a == out->port)
				out->seq = i;
		return true;
	}
	err_set(err, ERR_USAGE, m->fabric, "there is no link between these two ports");
	if (p && ref_format(m, (struct ref){.kind = REF_PORT, .port = p->id}, peer, sizeof(peer)))
		return err_cure(err, "the first one leads to %s", peer);
	return false;
}

bool ref_parse(const struct model *m, const char *text, struct ref *out, struct err *err)
{
	char word[2 * LOCATOR_LEN];
	size_t len = strlen(text);
	bool is_rail, is_job, is_link;

	for (; len && isspace((unsigned char)*text); len--)
		text++;
	while (len && isspace((unsigned char)text[len - 1]))
		len--;
	if (!len)
		return err_set(err, ERR_USAGE, m->fabric, "no name given");
	if (!str_copyn(word, sizeof(word), text, len))
		return err_set(err, ERR_USAGE, m->fabric,
			"the name has %zu characters, more than any known name", len);
	if (strcasecmp(word, "cluster") == 0) {
		*out = (struct ref){.kind = REF_FABRIC};
		return true;
	}
	if (parse_rail(m, word, &is_rail, out, err))
		return true;
	if (is_rail)
		return false;
	if (ref_parse_job(m, word, &is_job, out, err))
		return true;
	if (is_job)
		return false;
	if (parse_link(m, word, &is_link, out, err))
		return true;
	if (is_link)
		return false;
	/* A device wins over a job of its name. */
	if (!device_any_case(m, word) && !is_tier(word) && ref_parse_bare_job(m, word, out))
		return true;
	return parse_device(m, word, out, err);
}

/* ---- to text ---- */

static bool format_port(const struct model *m, const struct port *p, char *dst, size_t size)
{
	return p && str_printf(dst, size, "%s:%s", model_dev_of(m, p)->name, p->name);
}

static bool format_link(const struct model *m, const struct port *p, char *dst, size_t size)
{
	char a[LOCATOR_LEN], b[LOCATOR_LEN];

	if (!format_port(m, p, a, sizeof(a)))
		return false;
	if (!format_port(m, port_peer(m, p, NULL), b, sizeof(b)))
		return str_copy(dst, size, a);
	return str_printf(dst, size, "%s - %s", a, b);
}

static bool format_counter(const struct model *m, struct ref r, char *dst, size_t size)
{
	char port[LOCATOR_LEN];
	enum counter_id id;
	unsigned sub;

	if (r.cell >= CELL_COUNT || !format_port(m, ref_port(m, r), port, sizeof(port)))
		return false;
	id = counter_of_cell(r.cell, &sub);
	if (counter_dim_size(id) == 1)
		return str_printf(dst, size, "%s:%s", port, counter_info[id].name);
	return str_printf(dst, size, "%s:%s:%u", port, counter_info[id].name, sub);
}

bool ref_format(const struct model *m, struct ref r, char *dst, size_t size)
{
	const struct port *p = ref_port(m, r);
	const struct device *d = ref_device(m, r);
	char port[LOCATOR_LEN];

	if (size)
		dst[0] = '\0';
	switch (r.kind) {
	case REF_FABRIC:
		return str_copy(dst, size, "cluster");
	case REF_RAIL:
		return str_printf(dst, size, "rail %d", r.rail);
	case REF_DEVICE:
	case REF_BGP: /* sessions have no name of their own */
		return d && str_copy(dst, size, d->name);
	case REF_PORT:
		return format_port(m, p, dst, size);
	case REF_PRIORITY:
		return format_port(m, p, port, sizeof(port)) &&
		       str_printf(dst, size, "%s:%u", port, r.priority);
	case REF_LINK:
		return format_link(m, p, dst, size);
	case REF_COUNTER:
		return format_counter(m, r, dst, size);
	case REF_EVENT:
		return str_printf(dst, size, "event %llu", (unsigned long long)r.seq);
	case REF_TIER:
		return str_copy(dst, size, tier_name((enum tier)r.tier));
	case REF_FINDING:
		return str_printf(dst, size, "finding %llx", (unsigned long long)r.seq);
	case REF_JOB:
	case REF_COMM:
	case REF_RANK:
		return ref_format_job(m, r, dst, size);
	case REF_NEED: /* have no name outside their view */
	case REF_ROW:
	case REF_NONE:
		break;
	}
	return false;
}

/* ---- completion ---- */

struct offer {
	void (*add)(void *ctx, const char *text);
	void *ctx;
	size_t left;
};

static void offer_text(struct offer *o, const char *text)
{
	if (!o->left)
		return;
	o->left--;
	o->add(o->ctx, text);
}

static bool has_prefix(const char *text, const char *prefix)
{
	return strncasecmp(text, prefix, strlen(prefix)) == 0;
}

static int compare_name(const void *a, const void *b)
{
	return str_natcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Ranks are numbers: they are offered only after a '/'. */
static void complete_jobs(const struct model *m, const char *prefix, struct offer *o)
{
	char text[LOCATOR_LEN];

	for (size_t i = 0; i < m->nccl->jobs.n && o->left; i++) {
		const struct job *j = m->nccl->jobs.at[i];

		if (job_is_free(j))
			continue;
		(void)str_printf(text, sizeof(text), "job %s", j->name);
		if (has_prefix(text, prefix))
			offer_text(o, text);
		if (prefix[0] && has_prefix(j->name, prefix))
			offer_text(o, j->name);
		(void)str_printf(text, sizeof(text), "rank %s/", j->name);
		if (has_prefix(prefix, text)) {
			const struct comm *c = job_world(m->nccl, j, NULL);

			for (int32_t k = 0; c && k < c->nranks && o->left; k++) {
				(void)str_printf(text, sizeof(text), "rank %s/%d", j->name, (int)k);
				if (has_prefix(text, prefix))
					offer_text(o, text);
			}
		} else if (has_prefix(text, prefix)) {
			offer_text(o, text);
		}
	}
}

static void complete_devices(const struct model *m, const char *prefix, struct offer *o)
{
	VEC(const char *) names = {0};
	char rail[24];

	if (has_prefix("cluster", prefix))
		offer_text(o, "cluster");
	for (unsigned i = 0; i < m->rails; i++) {
		(void)str_printf(rail, sizeof(rail), "rail %u", i);
		if (has_prefix(rail, prefix))
			offer_text(o, rail);
	}
	for (size_t i = 0; i < m->devices.n; i++) {
		if (has_prefix(m->devices.at[i]->name, prefix))
			vec_push(&names, m->devices.at[i]->name);
	}
	if (names.n)
		qsort(names.at, names.n, sizeof(names.at[0]), compare_name);
	for (size_t i = 0; i < names.n; i++)
		offer_text(o, names.at[i]);
	vec_free(&names);
	complete_jobs(m, prefix, o);
}

static void complete_ports(
	const struct model *m, const struct device *d, const char *prefix, struct offer *o)
{
	char text[LOCATOR_LEN];

	for (size_t i = 0; i < d->ports.n && o->left; i++) {
		const struct port *p = m->ports.at[d->ports.at[i]];

		if (!has_prefix(p->name, prefix) &&
			!(p->more->alias[0] && has_prefix(p->more->alias, prefix)) &&
			!(p->netdev[0] && has_prefix(p->netdev, prefix)))
			continue;
		(void)str_printf(text, sizeof(text), "%s:%s", d->name, p->name);
		offer_text(o, text);
	}
}

static void complete_priorities(const struct device *d, const struct port *p, char between,
	const char *prefix, struct offer *o)
{
	char text[LOCATOR_LEN], digit[2] = "0";

	for (; digit[0] < '0' + PRIORITIES; digit[0]++) {
		if (!has_prefix(digit, prefix))
			continue;
		(void)str_printf(text, sizeof(text), "%s:%s%c%s", d->name, p->name, between, digit);
		offer_text(o, text);
	}
}

void ref_complete(const struct model *m, const char *prefix, size_t limit,
	void (*add)(void *ctx, const char *text), void *ctx)
{
	struct offer o = {.add = add, .ctx = ctx, .left = limit};
	char word[LOCATOR_LEN];
	char *colon, *last, between;
	const struct device *d;
	const struct port *p;

	if (!str_copy(word, sizeof(word), prefix))
		return;
	colon = strchr(word, ':');
	if (!colon) {
		complete_devices(m, word, &o);
		return;
	}
	*colon++ = '\0';
	d = device_any_case(m, word);
	if (!d)
		return;
	complete_ports(m, d, colon, &o);
	/* Both forms of a priority: "Ethernet12:3" and "Ethernet12/3". */
	last = strrchr(colon, ':');
	if (!last)
		last = strrchr(colon, '/');
	if (!last)
		return;
	between = *last;
	*last++ = '\0';
	p = port_any_case(m, d, colon);
	if (p)
		complete_priorities(d, p, between, last, &o);
}
