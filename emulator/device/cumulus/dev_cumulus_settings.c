/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "emulator/device/cumulus/dev_cumulus.h"

/*
 * Changes of the configuration. A patch is a tree; the path of each leaf is looked up in a table.
 * null unsets.
 */

#define DEPTH_MAX 12u
#define MTU_MOST  9216u

struct edit {
	struct machine *m;
	struct cumulus_box *box;
	struct sim_port_config *port; /* a copy per port */
	bool *touched;
	signed char *shut; /* -1: unchanged */
	struct sim_device_config device;
	bool device_touched, disruptive, password;
	struct cumulus_profile profile[CUMULUS_PROFILES];
	unsigned nprofiles;
	char *why;
};

/* True if the port followed this profile before the patch. */
static bool followed_profile(const struct edit *e, const struct cumulus_profile *f, unsigned port)
{
	const struct cumulus_profile *was =
		cumulus_profile_of(e->box, &e->m->d->ports[port].config, f->congestion);

	return was && was - e->box->profile == f - e->profile;
}

struct place {
	const char *const *words;
	unsigned n;
	unsigned port; /* the port that '%' matched */
	const json_t *value;
	const char *text; /* value as text; "" for an empty object; NULL: unset */
	char buffer[32];
};

typedef bool (*set_fn)(struct edit *e, const struct place *at);

struct setting {
	const char *path; /* '%' matches a port, '*' any word */
	set_fn set;
	bool number, key; /* the value is a number; the last word itself is the value */
};

static bool refuse_value(struct edit *e, const char *format, const char *what)
{
	(void)str_printf(e->why, 160, format, what);
	return false;
}

static struct cumulus_profile *find_profile(struct edit *e, const char *name, bool congestion)
{
	unsigned i;

	for (i = 0; i < e->nprofiles; i++)
		if (e->profile[i].congestion == congestion && !strcmp(e->profile[i].name, name))
			return &e->profile[i];
	return NULL;
}

static struct cumulus_profile *make_profile(struct edit *e, const char *name, bool congestion)
{
	struct cumulus_profile *f = find_profile(e, name, congestion);

	if (f)
		return f;
	if (e->nprofiles == CUMULUS_PROFILES || strlen(name) >= sizeof(f->name)) {
		(void)refuse_value(e, "Too many profiles, or too long a name: '%s'", name);
		return NULL;
	}
	f = &e->profile[e->nprofiles++];
	*f = (struct cumulus_profile){.congestion = congestion,
		.min_bytes = ECN_MIN_BYTES,
		.max_bytes = ECN_MAX_BYTES,
		.max_percent = 100};
	(void)str_copy(f->name, sizeof(f->name), name);
	return f;
}

static void take_profile(struct edit *e, unsigned port, const struct cumulus_profile *f)
{
	struct sim_port_config *c = &e->port[port];

	e->touched[port] = true;
	e->disruptive = true;
	if (!f->congestion) {
		c->pfc_mask = f->pfc_mask;
		return;
	}
	c->ecn = f->ecn;
	c->ecn_min_bytes = f->min_bytes;
	c->ecn_max_bytes = f->max_bytes;
	c->ecn_max_percent = f->max_percent;
}

/* ---- the settings ---- */

static bool set_nothing(struct edit *e, const struct place *at)
{
	(void)e, (void)at;
	return true;
}

static bool set_state(struct edit *e, const struct place *at)
{
	const char *word = at->n == 5 ? at->words[4] : at->text;

	if (word && strcmp(word, "up") != 0 && strcmp(word, "down") != 0)
		return refuse_value(e, "'%s' is not one of ['down', 'up']", word);
	e->port[at->port].admin_up = !word || !strcmp(word, "up");
	e->touched[at->port] = true;
	return true;
}

static bool read_number(struct edit *e, const struct place *at, unsigned least, unsigned most,
	unsigned fallback, unsigned *out)
{
	uint64_t v = fallback;

	if (at->text && (!str_to_u64(at->text, &v) || v < least || v > most))
		return refuse_value(e, "'%s' is out of range", at->text);
	*out = (unsigned)v;
	return true;
}

static bool set_mtu(struct edit *e, const struct place *at)
{
	unsigned mtu;

	if (!read_number(e, at, 552, MTU_MOST, PORT_MTU, &mtu))
		return false;
	e->port[at->port].mtu = (uint16_t)mtu;
	e->touched[at->port] = true;
	return true;
}

static bool read_enabled(struct edit *e, const struct place *at, const char *yes, const char *no,
	bool fallback, bool *out)
{
	*out = at->text ? !strcmp(at->text, yes) : fallback;
	if (at->text && !*out && strcmp(at->text, no) != 0)
		return refuse_value(e, "'%s' is not an allowed value", at->text);
	return true;
}

static bool set_watchdog(struct edit *e, const struct place *at)
{
	struct sim_port_config *c = &e->port[at->port];
	bool on;

	if (!read_enabled(e, at, "enable", "disable", false, &on))
		return false;
	if (on && !c->pfc_mask)
		return refuse_value(e, "PFC must be enabled on %s before the PFC watchdog",
			e->m->d->ports[at->port].name);
	c->wd_mask = on ? c->pfc_mask : 0;
	e->touched[at->port] = true;
	return true;
}

static bool follow_profile(struct edit *e, const struct place *at, bool congestion)
{
	const char *name = at->text ? at->text : "default-global";
	const struct cumulus_profile *f = find_profile(e, name, congestion);

	if (!f)
		return refuse_value(e, "Profile '%s' does not exist", name);
	take_profile(e, at->port, f);
	if (!congestion && e->port[at->port].wd_mask)
		e->port[at->port].wd_mask = f->pfc_mask;
	return true;
}

static bool set_port_congestion(struct edit *e, const struct place *at)
{
	return follow_profile(e, at, true);
}

static bool set_port_pfc(struct edit *e, const struct place *at)
{
	return follow_profile(e, at, false);
}

/* Ports that follow a profile follow its changes. */
static void propagate_profile(struct edit *e, const struct cumulus_profile *f)
{
	unsigned i;

	for (i = 0; i < e->m->d->nports; i++)
		if (followed_profile(e, f, i))
			take_profile(e, i, f);
}

static bool set_priority(struct edit *e, const struct place *at)
{
	struct cumulus_profile *f = make_profile(e, at->words[2], false);
	const char *word = at->words[4];

	if (!f)
		return false;
	if (word[0] < '0' || word[0] > '7' || word[1])
		return refuse_value(e, "'%s' is not a switch priority", word);
	if (json_is_null(at->value))
		f->pfc_mask &= (uint8_t) ~(1u << (word[0] - '0'));
	else
		f->pfc_mask |= (uint8_t)(1u << (word[0] - '0'));
	propagate_profile(e, f);
	return true;
}

static bool set_threshold(struct edit *e, const struct place *at)
{
	struct cumulus_profile *f = make_profile(e, at->words[2], true);
	const char *what = at->words[5];
	bool ok;

	if (!f)
		return false;
	if (strcmp(at->words[4], "3") != 0)
		return true; /* only the lossless queue marks on this switch */
	if (!strcmp(what, "ecn"))
		ok = read_enabled(e, at, "enable", "disable", false, &f->ecn);
	else if (!strcmp(what, "min-threshold"))
		ok = read_number(e, at, 1, 1u << 30, ECN_MIN_BYTES, &f->min_bytes);
	else if (!strcmp(what, "max-threshold"))
		ok = read_number(e, at, 1, 1u << 30, ECN_MAX_BYTES, &f->max_bytes);
	else if (!strcmp(what, "probability"))
		ok = read_number(e, at, 0, 100, 100, &f->max_percent);
	else
		ok = !strcmp(what, "red") ||
		     refuse_value(e, "Additional properties are not allowed ('%s')", what);
	if (ok)
		propagate_profile(e, f);
	return ok;
}

static bool set_poll(struct edit *e, const struct place *at)
{
	unsigned old = e->device.wd_poll_ms ? e->device.wd_poll_ms : 100, ms, i;

	if (!read_number(e, at, 100, 5000, 100, &ms))
		return false;
	for (i = 0; i < e->m->d->nports; i++) {
		e->port[i].wd_detect_ms = (e->port[i].wd_detect_ms + old - 1) / old * ms;
		e->touched[i] = true;
	}
	e->device.wd_poll_ms = ms;
	e->device_touched = true;
	return true;
}

static bool set_robustness(struct edit *e, const struct place *at)
{
	unsigned times, i;

	if (!read_number(e, at, 1, 1000, 3, &times))
		return false;
	for (i = 0; i < e->m->d->nports; i++) {
		e->port[i].wd_detect_ms =
			times * (e->device.wd_poll_ms ? e->device.wd_poll_ms : 100);
		e->touched[i] = true;
	}
	return true;
}

static bool set_shutdown(struct edit *e, const struct place *at)
{
	bool on;

	if (!e->m->d->ports[at->port].bgp.configured)
		return refuse_value(
			e, "Neighbor %s has no remote-as", e->m->d->ports[at->port].name);
	if (!read_enabled(e, at, "on", "off", false, &on))
		return false;
	e->shut[at->port] = on;
	return true;
}

static bool set_password(struct edit *e, const struct place *at)
{
	if (!at->text || strlen(at->text) < 8)
		return refuse_value(e, "The password of '%s' is too short", at->words[3]);
	e->password = true;
	return true;
}

static const struct setting settings[] = {
	{"interface/%/type", set_nothing, false, false},
	{"interface/%/description", set_nothing, false, false},
	{"interface/%/link/state", set_state, false, false},
	{"interface/%/link/state/*", set_state, false, true},
	{"interface/%/link/mtu", set_mtu, true, false},
	{"interface/%/link/speed", set_nothing, false, false},
	{"interface/%/link/fec", set_nothing, false, false},
	{"interface/%/link/auto-negotiate", set_nothing, false, false},
	{"interface/%/qos/pfc-watchdog/state", set_watchdog, false, false},
	{"interface/%/qos/pfc/profile", set_port_pfc, false, false},
	{"interface/%/qos/congestion-control/profile", set_port_congestion, false, false},
	{"qos/pfc/*/switch-priority/*", set_priority, false, true},
	{"qos/pfc/*/rx-enable", set_nothing, false, false},
	{"qos/pfc/*/tx-enable", set_nothing, false, false},
	{"qos/pfc/*/cable-length", set_nothing, true, false},
	{"qos/congestion-control/*/traffic-class/*/*", set_threshold, false, false},
	{"qos/pfc-watchdog/polling-interval", set_poll, true, false},
	{"qos/pfc-watchdog/robustness", set_robustness, true, false},
	{"vrf/default/router/bgp/neighbor/%/shutdown", set_shutdown, false, false},
	{"system/aaa/user/*/password", set_password, false, false},
	{"system/message/pre-login", set_nothing, false, false},
	{"system/message/post-login", set_nothing, false, false},
};

/* The setting with exactly this path; *port is the port at '%'. */
static const struct setting *find_setting(
	const struct machine *m, const char *const *words, unsigned n, unsigned *port)
{
	size_t i;

	for (i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		const char *p = settings[i].path;
		unsigned k = 0;

		for (*port = 0; *p && k < n; k++) {
			size_t len = strcspn(p, "/");
			const struct sim_port *found = *p == '%' ? cumulus_port(m, words[k]) : NULL;

			if (*p == '%' ? !found
				      : *p != '*' && (strlen(words[k]) != len ||
							     memcmp(words[k], p, len) != 0))
				break;
			if (found)
				*port = found->port;
			p += len + (p[len] == '/');
		}
		if (!*p && k == n)
			return &settings[i];
	}
	return NULL;
}

static bool set_leaf(struct edit *e, const char *const *words, unsigned n, const json_t *value)
{
	struct place at = {.words = words, .n = n, .value = value, .text = at.buffer};
	const struct setting *s = find_setting(e->m, words, n, &at.port);
	const char *text = json_string_value(value);

	/* An interface without settings is a valid path. */
	if (!s && n == 2 && !strcmp(words[0], "interface") && cumulus_port(e->m, words[1]))
		return true;
	if (!s)
		return refuse_value(e,
			"Additional properties are not allowed ('%s' was unexpected)",
			n ? words[n - 1] : "");
	if (json_is_null(value))
		at.text = NULL;
	else if (text)
		(void)str_copy(at.buffer, sizeof(at.buffer), text);
	else if (json_is_integer(value))
		(void)str_printf(
			at.buffer, sizeof(at.buffer), "%lld", (long long)json_integer_value(value));
	else if (!json_is_object(value))
		return refuse_value(e, "The value of '%s' is of the wrong type", words[n - 1]);
	return s->set(e, &at);
}

static bool walk_patch(struct edit *e, const json_t *node, const char **words, unsigned n)
{
	const char *key;
	json_t *value;

	if (!json_object_size(node))
		return n == 0 || set_leaf(e, words, n, node);
	if (n == DEPTH_MAX)
		return refuse_value(e, "Too deep: '%s'", words[n - 1]);
	json_object_foreach((json_t *)node, key, value)
	{
		words[n] = key;
		if (!walk_patch(e, value, words, n + 1))
			return false;
	}
	return true;
}

static void commit_edit(struct edit *e)
{
	const char *who = e->m->ctx->user ? e->m->ctx->user : "cumulus";
	struct sim_device *d = e->m->d;
	unsigned i;

	memcpy(e->box->profile, e->profile, sizeof(e->profile));
	e->box->nprofiles = e->nprofiles;
	e->box->password_changed |= e->password;
	if (e->device_touched)
		sim_configure_device(e->m->ctx->sim, d, &e->device, who);
	for (i = 0; i < d->nports; i++) {
		if (e->touched[i])
			personality_configure(e->m->ctx, &d->ports[i], &e->port[i], who);
		if (e->shut[i] >= 0 && d->ports[i].bgp.shut != (e->shut[i] > 0))
			sim_configure_bgp(e->m->ctx->sim, &d->ports[i], e->shut[i] > 0, who);
	}
}

bool cumulus_patch(
	struct machine *m, const json_t *patch, bool commits, bool *disruptive, char why[160])
{
	const json_t *qos = json_object_get(patch, "qos");
	struct edit e = {.m = m, .box = cumulus_box(m->ctx, m->d), .why = why};
	const char *words[DEPTH_MAX] = {"qos"}, *key;
	json_t *value;
	unsigned i;
	bool ok;

	e.port = mem_calloc(m->d->nports + 1, sizeof(*e.port));
	e.touched = mem_calloc(m->d->nports + 1, sizeof(*e.touched));
	e.shut = mem_calloc(m->d->nports + 1, sizeof(*e.shut));
	for (i = 0; i < m->d->nports; i++) {
		e.port[i] = m->d->ports[i].config;
		e.shut[i] = -1;
	}
	e.device = m->d->config;
	memcpy(e.profile, e.box->profile, sizeof(e.profile));
	e.nprofiles = e.box->nprofiles;
	/* Profiles first: interfaces of the same patch may refer to them. */
	ok = !qos || walk_patch(&e, qos, words, 1);
	json_object_foreach((json_t *)patch, key, value)
	{
		words[0] = key;
		ok = ok && (value == qos || walk_patch(&e, value, words, 1));
	}
	if (disruptive)
		*disruptive = e.disruptive;
	if (ok && commits)
		commit_edit(&e);
	free(e.port);
	free(e.touched);
	free(e.shut);
	return ok;
}

json_t *cumulus_patch_from_words(
	struct machine *m, const char *const *words, unsigned n, bool unset, char why[160])
{
	const struct setting *s = NULL;
	unsigned port, used = n;
	uint64_t v;
	json_t *o;

	if (n && n <= DEPTH_MAX)
		s = find_setting(m, words, n, &port);
	if (s && (s->key || unset)) {
		o = unset ? json_null() : json_object();
	} else {
		s = n > 1 && n <= DEPTH_MAX ? find_setting(m, words, n - 1, &port) : NULL;
		if (!s || unset) {
			(void)str_printf(
				why, 160, "'%s' is not a known setting", n ? words[n - 1] : "");
			return NULL;
		}
		used = n - 1;
		o = str_to_u64(words[used], &v) ? cumulus_u64(v) : json_string(words[used]);
		/* A state is an object with the word as its only key. */
		if (!strcmp(s->path, "interface/%/link/state")) {
			json_decref(o);
			o = json_pack("{s:{}}", words[used]);
		}
	}
	while (used--)
		o = json_pack("{s:o}", words[used], o);
	return o;
}
