/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "emulator/sim/faults/faults.h"

/* Parses "class[:device[:port]][,key=value]..." and schedules the fault. */

#define SPEC_MAX     256
#define COUNT_MAX    100000U
#define PERIOD_LEAST (20 * CLOCK_MSEC) /* every change is a solution of the whole fabric */

enum key_type { KEY_TIME, KEY_SKEW, KEY_SIZE, KEY_COUNT, KEY_SHARE, KEY_DB, KEY_YES, KEY_HOST };

struct key {
	const char *name;
	size_t member; /* of struct fault_keys */
	enum key_type type;
	bool zero; /* may be 0 */
};

#define KEY(name, type, member, zero)                                                              \
	{                                                                                          \
		name, offsetof(struct fault_keys, member), type, zero                              \
	}
static const struct key keys[] = {
	KEY("at", KEY_TIME, at, true),
	KEY("for", KEY_TIME, duration, false),
	KEY("period", KEY_TIME, period, true),
	KEY("down", KEY_TIME, down, false),
	KEY("delay", KEY_TIME, delay, false),
	KEY("ramp", KEY_TIME, ramp, true),
	KEY("by", KEY_SKEW, by, false),
	KEY("size", KEY_SIZE, size, false),
	KEY("count", KEY_COUNT, count, true),
	KEY("n", KEY_COUNT, n, false),
	KEY("fanin", KEY_COUNT, fanin, true),
	KEY("rotate", KEY_COUNT, rotate, true),
	KEY("rate", KEY_SHARE, rate, false),
	KEY("loss", KEY_SHARE, loss, false),
	KEY("db", KEY_DB, db, false),
	KEY("watchdog", KEY_YES, watchdog, true),
	KEY("silent", KEY_YES, silent, true),
	KEY("lane", KEY_YES, lane, true),
	KEY("before", KEY_YES, before, true),
	KEY("with", KEY_HOST, with, false),
};
#define NKEYS (sizeof(keys) / sizeof(keys[0]))

static const char *const key_form[] = {
	[KEY_TIME] = "a time greater than 0, such as 500ms, 8s, 2m",
	[KEY_SKEW] = "a time, such as 37s or -2m",
	[KEY_SIZE] = "a size greater than 0, such as 32MB",
	[KEY_COUNT] = "a whole number",
	[KEY_SHARE] = "a share such as 70%, 0.7 or 1e-4, greater than 0 and at most 1",
	[KEY_DB] = "decibel, greater than 0 and at most 40",
	[KEY_YES] = "yes or no",
	[KEY_HOST] = "the name of another host",
};

static bool to_time(const char *value, bool zero, int64_t *out)
{
	return str_to_duration(value, out) && *out <= 1000000 * CLOCK_SEC && (*out > 0 || zero);
}

static bool to_skew(const char *value, int64_t *out)
{
	bool behind = *value == '-';

	if (!to_time(behind ? value + 1 : value, false, out))
		return false;
	*out = behind ? -*out : *out;
	return true;
}

static bool to_share(const char *value, double *out)
{
	char text[32];
	size_t n = strlen(value);
	bool percent = n && value[n - 1] == '%';

	if (!str_copyn(text, sizeof(text), value, percent ? n - 1 : n) || !str_to_double(text, out))
		return false;
	if (percent)
		*out /= 100;
	return *out > 0 && *out <= 1;
}

static bool to_yes(const char *value, bool *out)
{
	*out = str_eq(value, "yes");
	return *out || str_eq(value, "no");
}

static bool store_value(
	struct sim *s, struct fault_keys *k, const struct key *key, const char *value)
{
	void *at = (char *)k + key->member;
	struct sim_device **host = at;
	uint64_t *n = at;
	double *x = at;

	switch (key->type) {
	case KEY_TIME:
		return to_time(value, key->zero, at);
	case KEY_SKEW:
		return to_skew(value, at);
	case KEY_SIZE:
		return str_to_bytes(value, n) && *n;
	case KEY_COUNT:
		return str_to_u64(value, n) && *n <= COUNT_MAX && (*n || key->zero);
	case KEY_SHARE:
		return to_share(value, x);
	case KEY_DB:
		return str_to_double(value, x) && *x > 0 && *x <= 40;
	case KEY_YES:
		return to_yes(value, at);
	default:
		*host = sim_device_by_name(s, value);
		return *host && (*host)->tier == TIER_HOST;
	}
}

static const struct key *find_key(const char *name, size_t n)
{
	for (size_t i = 0; i < NKEYS; i++)
		if (strlen(keys[i].name) == n && memcmp(keys[i].name, name, n) == 0)
			return &keys[i];
	return NULL;
}

/* True if the class has the key. class.keys lists them with their defaults: "period=8s,down=". */
static bool has_key(const struct fault_class *c, const struct key *key)
{
	const char *at = c->keys;
	size_t n = strlen(key->name);

	if (key == &keys[0] || key == &keys[1])
		return true;
	for (; *at; at += *at == ',') {
		if (strncmp(at, key->name, n) == 0 && at[n] == '=')
			return true;
		at += strcspn(at, ",");
	}
	return false;
}

static void set_defaults(struct sim *s, struct fault *f)
{
	char text[SPEC_MAX], *rest = text, *option, *value;

	f->k.duration = SIM_NEVER;
	f->k.watchdog = true;
	(void)str_copy(text, sizeof(text), f->class->keys);
	while ((option = strsep(&rest, ","))) {
		value = strchr(option, '=');
		if (value && value[1])
			(void)store_value(
				s, &f->k, find_key(option, (size_t)(value - option)), value + 1);
	}
}

static void add_keys(const struct fault_class *c, struct buf *out)
{
	/* Every class has at= and for=; a class names for= only to give its default. */
	(void)buf_adds(out, strstr(c->keys, "for=") ? "at=" : "at=,for=");
	if (*c->keys)
		(void)buf_addf(out, ",%s", c->keys);
}

void fault_class_form(const struct fault_class *c, struct buf *out)
{
	const char *form = fault_entity_form(c->entity);

	(void)buf_addf(out, "%s%s%s [", c->name, *form && *form != '[' ? ":" : "", form);
	add_keys(c, out);
	(void)buf_adds(out, "]");
}

static bool bad_class(const char *spec, const char *name, struct err *err)
{
	struct buf names;
	const struct fault_class *c;

	/* As many as an error has room for. */
	buf_init(&names, sizeof(err->cure) - 64);
	for (size_t i = 0; (c = fault_class(i)) && !names.overflow; i++)
		(void)buf_addf(&names, "%s%s", i ? ", " : "", c->name);
	err_set(err, ERR_USAGE, spec, "there is no fault class \"%s\"", name);
	err_cure(err, "one of %s%s", names.data,
		c ? ", ...; railtop-emulator --help lists them all" : "");
	buf_free(&names);
	return false;
}

static bool bad_key(const char *spec, const struct fault_class *c, const char *key, struct err *err)
{
	struct buf names;

	buf_init(&names, 256);
	add_keys(c, &names);
	err_set(err, ERR_USAGE, spec, "%s has no key \"%s\"", c->name, key);
	err_cure(err, "keys of %s: %s", c->name, names.data);
	buf_free(&names);
	return false;
}

static bool read_key(
	struct sim *s, struct fault *f, const char *spec, char *option, struct err *err)
{
	char *value = strchr(option, '=');
	const struct key *key;

	if (value)
		*value++ = '\0';
	key = find_key(option, strlen(option));
	if (!key || !has_key(f->class, key))
		return bad_key(spec, f->class, option, err);
	if (value && store_value(s, &f->k, key, value))
		return true;
	if (key->type == KEY_HOST)
		err_set(err, ERR_USAGE, spec, "with=%s is not another host", value ? value : "");
	else
		err_set(err, ERR_USAGE, spec, "%s=%s is not understood", option,
			value ? value : "");
	return err_cure(err, "%s", key_form[key->type]);
}

static bool read_head(struct sim *s, struct fault *f, const char *spec, char *head, struct err *err)
{
	char *port = head, *class = strsep(&port, ":"), *device = strsep(&port, ":");
	const struct fault_class *c;
	size_t i = 0;

	while ((c = fault_class(i)) && strcmp(c->name, class) != 0)
		i++;
	if (!c)
		return bad_class(spec, class, err);
	f->class = c;
	set_defaults(s, f);
	return fault_pick(s, f, spec, device, port, err);
}

static bool check_keys(struct sim *s, struct fault *f, const char *spec, struct err *err)
{
	struct fault_keys *k = &f->k;

	if (!k->down)
		k->down = k->period ? k->period / 4 : 5 * CLOCK_SEC;
	if (k->period && k->period < PERIOD_LEAST) {
		err_set(err, ERR_USAGE, spec, "period= is shorter than 20ms");
		return err_cure(err, "period=1s; 0 for what stays as it is");
	}
	if (k->period && k->down >= k->period) {
		err_set(err, ERR_USAGE, spec, "down= is not shorter than period=");
		return err_cure(err, "down=2s,period=8s, or link-down for a link that stays down");
	}
	return fault_pick_more(s, f, spec, err);
}

static bool read_spec(struct sim *s, struct fault *f, const char *spec, struct err *err)
{
	char text[SPEC_MAX], *rest = text, *head, *option;

	if (!str_copy(text, sizeof(text), spec))
		return err_set(err, ERR_USAGE, "--fault", "longer than %d bytes", SPEC_MAX - 1);
	head = strsep(&rest, ",");
	if (!read_head(s, f, spec, head, err) || !f->class)
		return false;
	while ((option = strsep(&rest, ",")))
		if (!read_key(s, f, spec, option, err))
			return false;
	return check_keys(s, f, spec, err);
}

bool fault_schedule(struct sim *s, const char *spec, int64_t from, struct err *err)
{
	struct fault f = {.id = s->fault_ids + 1,
		.began = SIM_NEVER,
		.ended = SIM_NEVER,
		.tier = -1,
		.part = {.drain = 1, .send = 1}};

	if (!read_spec(s, &f, spec, err)) {
		vec_free(&f.ports);
		vec_free(&f.devices);
		return false;
	}
	s->fault_ids++;
	f.at = f.next = from + f.k.at;
	f.spec = mem_strdup(spec);
	vec_push(&s->faults, f);
	s->fault_generation++;
	return true;
}

bool sim_fault(struct sim *s, const char *spec, struct err *err)
{
	return fault_schedule(s, spec, s->o.start_us, err);
}
