/* SPDX-License-Identifier: Apache-2.0 */
#include <jansson.h>
#include <string.h>

#include "archive/recording/rts_internal.h"
#include "base/json_out.h"
#include "base/str.h"
#include "fabric/model/model.h"

/* Limits of a plan; the largest fabric has some tens of thousands of devices. */
#define PLAN_DEVICES_MAX 200000
#define PLAN_LINKS_MAX   2000000
#define PLAN_NETS_MAX    65536
#define PLACE_MAX        (DEVICE_PORTS_MAX - 1)

/*
 * The plan as JSON holds the fields that model_new() needs and the sources of jobs. It omits user,
 * identity, credentials, ssh_config, known_hosts, CA, ports, actions, and the file and line of
 * each: the file may be handed on.
 */
static json_t *device_json(const struct plan_device *d)
{
	json_t *o = json_pack("{s:s, s:s, s:i, s:i, s:s, s:s, s:s, s:I, s:I, s:I}", "name", d->name,
		"tier", tier_name(d->tier), "net", (int)d->net, "rail", d->rail, "dialect",
		d->dialect ? d->dialect : "", "transport", d->transport ? d->transport : "",
		"address", d->address ? d->address : d->name, "interval_us",
		(json_int_t)d->interval_us, "medium_us", (json_int_t)d->medium_us, "slow_us",
		(json_int_t)d->slow_us);

	if (o && d->site[0])
		json_put(o, "site", json_text(d->site));
	if (o && d->rack[0])
		json_put(o, "rack", json_text(d->rack));
	if (o && d->unit[0])
		json_put(o, "unit", json_text(d->unit));
	return o ? o : json_null();
}

static json_t *link_json(const struct plan_link *l)
{
	json_t *o = json_pack("[I, s, I, s, i, I]", (json_int_t)l->a, l->a_port, (json_int_t)l->b,
		l->b_port, l->rail, (json_int_t)l->speed_mbps);

	if (o && (!l->a_port[0] || !l->b_port[0])) {
		json_append(o, json_integer((json_int_t)l->a_place));
		json_append(o, json_integer((json_int_t)l->b_place));
	}
	if (o && l->metres)
		json_append(o, json_integer((json_int_t)l->metres));
	return o ? o : json_null();
}

static json_t *nic_json(const struct plan_nic *n)
{
	json_t *o = json_pack("[I, s, i]", (json_int_t)n->device, n->port, n->rail);

	return o ? o : json_null();
}

static json_t *net_json(const struct plan_net *n)
{
	json_t *o = json_pack(
		"[I, I, i, s]", (json_int_t)n->from, (json_int_t)n->to, (int)n->net, n->ports);

	return o ? o : json_null();
}

static json_t *lossless_json(const struct lossless *l)
{
	json_t *dscp = json_array();

	for (size_t i = 0; i < 64; i++)
		json_append(dscp, json_integer(l->dscp_prio[i]));
	return json_pack("{s:i, s:o, s:i, s:I, s:I}", "priorities", l->priorities, "dscp", dscp,
		"cnp_dscp", l->cnp_dscp, "ecn_min", (json_int_t)l->ecn_min_bytes, "ecn_max",
		(json_int_t)l->ecn_max_bytes);
}

/* ---- writing: one value at a time; a JSON tree of a large fabric is ten times its text ---- */

#define COMPACT (JSON_COMPACT | JSON_ENCODE_ANY)

/* Adds item i of a list. Takes ownership of the value. */
static bool item_add(struct buf *out, size_t i, json_t *value)
{
	if (i)
		(void)buf_adds(out, ",");
	return json_add(value, COMPACT, out);
}

static bool lists_add(struct buf *out, const struct plan *p)
{
	bool good = buf_adds(out, ",\"devices\":[");

	for (size_t i = 0; good && i < p->devices.n; i++)
		good = item_add(out, i, device_json(&p->devices.at[i]));
	good = good && buf_adds(out, "],\"links\":[");
	for (size_t i = 0; good && i < p->links.n; i++)
		good = item_add(out, i, link_json(&p->links.at[i]));
	good = good && buf_adds(out, "],\"nics\":[");
	for (size_t i = 0; good && i < p->nics.n; i++)
		good = item_add(out, i, nic_json(&p->nics.at[i]));
	good = good && buf_adds(out, "],\"nets\":[");
	for (size_t i = 0; good && i < p->nets.n; i++)
		good = item_add(out, i, net_json(&p->nets.at[i]));
	good = good && buf_adds(out, "],\"jobs\":[");
	for (size_t i = 0; good && i < p->jobs.n; i++)
		good = item_add(out, i, json_string(p->jobs.at[i].source));
	return good && buf_adds(out, "]}");
}

static json_t *tier_words_json(const struct plan *p)
{
	json_t *o = json_object();

	for (unsigned t = 0; t < TIER_COUNT; t++)
		if (p->tier_words[t][0])
			json_put(o, tier_name((enum tier)t), json_text(p->tier_words[t]));
	return o;
}

bool rts_plan_text(const struct plan *p, struct buf *out, struct err *err)
{
	json_t *root = json_pack("{s:s, s:s, s:I, s:o, s:o}", "fabric", p->fabric, "preset",
		p->preset, "rails", (json_int_t)p->rails, "lossless", lossless_json(&p->lossless),
		"tier_words", tier_words_json(p));
	bool good = json_add(root, COMPACT, out);

	/* Reopens the object: the lists belong inside its braces. */
	if (good)
		out->data[--out->len] = '\0';
	return (good && lists_add(out, p)) ||
	       err_set(err, ERR_INTERNAL, p->fabric, "the plan does not fit into a recording");
}

/* ---- reading: the file is untrusted ---- */

static bool text_of(const json_t *o, const char *key, char *dst, size_t size)
{
	const char *s = json_string_value(json_object_get(o, key));

	dst[0] = '\0';
	if (!s || strlen(s) >= size)
		return false;
	(void)str_sanitise(dst, size, s, strlen(s));
	return strcmp(dst, s) == 0;
}

static bool may_have_text(const json_t *o, const char *key, char *dst, size_t size)
{
	return !json_object_get(o, key) || text_of(o, key, dst, size);
}

static char *copy_text_of(const json_t *o, const char *key)
{
	char text[512];

	return text_of(o, key, text, sizeof(text)) ? mem_strdup(text) : mem_strdup("");
}

/* A whole number within its range. Else *good becomes false. */
static int64_t number_of(const json_t *v, int64_t least, int64_t most, bool *good)
{
	json_int_t n = json_integer_value(v);

	if (!json_is_integer(v) || n < least || n > most) {
		*good = false;
		return least;
	}
	return n;
}

#define LONG_US (INT64_C(86400) * 1000000 * 366)

static bool device_of(const json_t *o, struct plan_device *d)
{
	char tier[16];
	bool good = text_of(o, "name", d->name, sizeof(d->name)) && d->name[0] &&
		    text_of(o, "tier", tier, sizeof(tier)) && tier_by_name(tier, &d->tier);

	d->net = (enum net_kind)number_of(json_object_get(o, "net"), 0, NET_COUNT - 1, &good);
	d->rail = (int)number_of(json_object_get(o, "rail"), -1, 1024, &good);
	/* Older files lack these. */
	good = good && may_have_text(o, "site", d->site, sizeof(d->site)) &&
	       may_have_text(o, "rack", d->rack, sizeof(d->rack)) &&
	       may_have_text(o, "unit", d->unit, sizeof(d->unit));
	d->dialect = copy_text_of(o, "dialect");
	d->transport = copy_text_of(o, "transport");
	d->address = copy_text_of(o, "address");
	d->interval_us = number_of(json_object_get(o, "interval_us"), 0, LONG_US, &good);
	d->medium_us = number_of(json_object_get(o, "medium_us"), 0, LONG_US, &good);
	d->slow_us = number_of(json_object_get(o, "slow_us"), 0, LONG_US, &good);
	return good;
}

static bool port_of(const json_t *v, char *dst, size_t size)
{
	const char *s = json_string_value(v);

	return s && strlen(s) < size && str_sanitise(dst, size, s, strlen(s)) == strlen(s);
}

static bool link_of(const json_t *o, struct plan_link *l, size_t devices)
{
	size_t n = json_array_size(o);
	bool placed = n == 8 || n == 9, long_one = n == 7 || n == 9; /* with its length */
	bool good = n >= 6 && n <= 9 && devices > 0;
	int64_t last = devices ? (int64_t)devices - 1 : 0;

	l->a = (unsigned)number_of(json_array_get(o, 0), 0, last, &good);
	good &= port_of(json_array_get(o, 1), l->a_port, sizeof(l->a_port));
	l->b = (unsigned)number_of(json_array_get(o, 2), 0, last, &good);
	good &= port_of(json_array_get(o, 3), l->b_port, sizeof(l->b_port));
	l->rail = (int)number_of(json_array_get(o, 4), -1, 1024, &good);
	l->speed_mbps = (unsigned)number_of(json_array_get(o, 5), 0, UINT32_MAX, &good);
	if (placed) {
		l->a_place = (unsigned)number_of(json_array_get(o, 6), 0, PLACE_MAX, &good);
		l->b_place = (unsigned)number_of(json_array_get(o, 7), 0, PLACE_MAX, &good);
	}
	if (long_one)
		l->metres = (unsigned)number_of(json_array_get(o, n - 1), 0, UINT32_MAX, &good);
	return good && (placed || (l->a_port[0] && l->b_port[0]));
}

/* The list is in the order of the devices: model_new() searches it. */
static bool nic_of(
	const json_t *o, struct plan_nic *n, const struct plan_nic *before, size_t devices)
{
	bool good = json_array_size(o) == 3 && devices > 0;

	n->device = (unsigned)number_of(json_array_get(o, 0), before ? before->device : 0,
		devices ? (int64_t)devices - 1 : 0, &good);
	good &= port_of(json_array_get(o, 1), n->port, sizeof(n->port));
	n->rail = (int)number_of(json_array_get(o, 2), 0, 1024, &good);
	return good;
}

/* Older files lack them. */
static bool tier_words_of(const json_t *o, char words[TIER_COUNT][TIER_TEXT])
{
	bool good = true;

	for (unsigned t = 0; t < TIER_COUNT; t++)
		good = good && may_have_text(o, tier_name((enum tier)t), words[t], TIER_TEXT);
	return good;
}

static bool lossless_of(const json_t *o, struct lossless *l)
{
	const json_t *dscp = json_object_get(o, "dscp");
	bool good = json_array_size(dscp) == 64;

	for (size_t i = 0; i < 64; i++)
		l->dscp_prio[i] = (int8_t)number_of(json_array_get(dscp, i), -1, 7, &good);
	l->priorities = (uint8_t)number_of(json_object_get(o, "priorities"), 0, 255, &good);
	l->cnp_dscp = (int)number_of(json_object_get(o, "cnp_dscp"), -1, 63, &good);
	l->ecn_min_bytes = (uint64_t)number_of(json_object_get(o, "ecn_min"), 0, INT64_MAX, &good);
	l->ecn_max_bytes = (uint64_t)number_of(json_object_get(o, "ecn_max"), 0, INT64_MAX, &good);
	return good;
}

static bool net_of(const json_t *o, struct plan_net *n, size_t devices)
{
	const char *ports = json_string_value(json_array_get(o, 3));
	bool good = ports && *ports && strlen(ports) < sizeof(n->ports);

	n->from = (unsigned)number_of(json_array_get(o, 0), 0, (int64_t)devices, &good);
	n->to = (unsigned)number_of(json_array_get(o, 1), n->from, (int64_t)devices, &good);
	n->net = (enum net_kind)number_of(json_array_get(o, 2), 0, NET_COUNT - 1, &good);
	if (!good)
		return false;
	(void)str_sanitise(n->ports, sizeof(n->ports), ports, strlen(ports));
	return str_eq(n->ports, ports);
}

static bool plan_of(const json_t *root, struct plan *p)
{
	const json_t *devices = json_object_get(root, "devices"),
		     *links = json_object_get(root, "links"), *jobs = json_object_get(root, "jobs"),
		     *nics = json_object_get(root, "nics"), /* older files lack these two */
			     *nets = json_object_get(root, "nets");
	bool good = text_of(root, "fabric", p->fabric, sizeof(p->fabric)) &&
		    text_of(root, "preset", p->preset, sizeof(p->preset)) &&
		    json_array_size(devices) <= PLAN_DEVICES_MAX &&
		    json_array_size(links) <= PLAN_LINKS_MAX &&
		    json_array_size(nics) <= PLAN_LINKS_MAX && json_array_size(jobs) <= 1000 &&
		    lossless_of(json_object_get(root, "lossless"), &p->lossless) &&
		    tier_words_of(json_object_get(root, "tier_words"), p->tier_words);

	p->rails = (unsigned)number_of(json_object_get(root, "rails"), 0, 1024, &good);
	for (size_t i = 0; good && i < json_array_size(devices); i++)
		good = device_of(json_array_get(devices, i), vec_add(&p->devices));
	for (size_t i = 0; good && i < json_array_size(links); i++)
		good = link_of(json_array_get(links, i), vec_add(&p->links), p->devices.n);
	for (size_t i = 0; good && i < json_array_size(nics); i++) {
		struct plan_nic n, *before = i ? &p->nics.at[i - 1] : NULL;

		good = nic_of(json_array_get(nics, i), &n, before, p->devices.n);
		if (good)
			vec_push(&p->nics, n);
	}
	good = good && json_array_size(nets) <= PLAN_NETS_MAX;
	for (size_t i = 0; good && i < json_array_size(nets); i++)
		good = net_of(json_array_get(nets, i), vec_add(&p->nets), p->devices.n);
	for (size_t i = 0; good && i < json_array_size(jobs); i++) {
		struct plan_jobs *j = vec_add(&p->jobs);
		const char *s = json_string_value(json_array_get(jobs, i));

		good = s && str_copy(j->source, sizeof(j->source), s);
	}
	return good;
}

bool rts_plan_parse(const char *text, size_t n, struct plan *out, const char *path, struct err *err)
{
	json_t *root = json_loadb(text, n, 0, NULL);
	bool good;

	plan_init(out);
	good = plan_of(root, out);
	json_decref(root);
	if (good)
		return true;
	plan_free(out);
	err_set(err, ERR_PROTOCOL, path, "railtop has not written the plan in it");
	return err_cure(err, "take another copy of it");
}
