/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "emulator/sim/sim_internal.h"

/* "class:device[:port][,key=value]..." to a scheduled fault. */

#define SPEC_MAX 256

struct key_name {
	const char *name;
	unsigned key; /* 0: every class has it */
};

static const struct key_name keys[] = {{"at", 0}, {"for", 0}, {"period", KEY_PERIOD},
	{"down", KEY_DOWN}, {"size", KEY_SIZE}, {"delay", KEY_DELAY}, {"with", KEY_WITH}};
#define NKEYS (sizeof(keys) / sizeof(keys[0]))

static const char *const entity_form[] = {
	[ENTITY_DEVICE] = "DEVICE",
	[ENTITY_PORT] = "DEVICE:PORT",
	[ENTITY_NIC] = "HOST:NIC",
	[ENTITY_SSH] = "SSH-DEVICE",
	[ENTITY_HTTPS] = "HTTPS-DEVICE",
};

static void add_keys(const struct fault_class *c, struct buf *out)
{
	for (size_t i = 0; i < NKEYS; i++)
		if (!keys[i].key || c->keys & keys[i].key)
			(void)buf_addf(out, "%s%s=", i ? "," : "", keys[i].name);
}

void sim_fault_list(struct buf *out)
{
	const struct fault_class *c;

	for (size_t i = 0; (c = sim_fault_class(i)); i++) {
		(void)buf_addf(out, "  %s:%s [", c->name, entity_form[c->entity]);
		add_keys(c, out);
		(void)buf_addf(out, "]\n      %s\n", c->help);
	}
}

static void bad_class(const char *spec, const char *name, struct err *err)
{
	struct buf names;
	const struct fault_class *c;

	buf_init(&names, 1024);
	for (size_t i = 0; (c = sim_fault_class(i)); i++)
		(void)buf_addf(&names, "%s%s", i ? ", " : "", c->name);
	err_set(err, ERR_USAGE, spec, "there is no fault class \"%s\"", name);
	err_cure(err, "one of %s", names.data);
	buf_free(&names);
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

static bool bad_value(const char *spec, const char *key, const char *value, struct err *err)
{
	err_set(err, ERR_USAGE, spec, "%s=%s is not understood", key, value);
	(void)err_cure(err, strcmp(key, "size") == 0
				    ? "a size greater than 0, such as 32MB"
				    : "a time greater than 0, such as 500ms, 8s, 2m");
	return false;
}

static bool read_with(
	struct sim *s, struct fault *f, const char *spec, const char *value, struct err *err)
{
	struct sim_device *d = sim_device_by_name(s, value);

	if (!d || d->tier != TIER_HOST || d == f->device) {
		err_set(err, ERR_USAGE, spec, "with=%s is not another host", value);
		(void)err_cure(err, "the name of another host, such as %s",
			sim_tier_device(s, TIER_HOST, 0)->name);
		return false;
	}
	f->with = &d->ports[f->port->port];
	return true;
}

static bool read_key(
	struct sim *s, struct fault *f, const char *spec, char *option, struct err *err)
{
	char *value = strchr(option, '=');
	int64_t t = 0;
	size_t i = 0;

	if (value)
		*value++ = '\0';
	while (i < NKEYS && strcmp(keys[i].name, option) != 0)
		i++;
	if (i == NKEYS || (keys[i].key && !(f->class->keys & keys[i].key)))
		return bad_key(spec, f->class, option, err);
	if (!value)
		return bad_value(spec, option, "", err);
	if (keys[i].key == KEY_WITH)
		return read_with(s, f, spec, value, err);
	if (keys[i].key == KEY_SIZE)
		return (str_to_bytes(value, &f->size) && f->size) ||
		       bad_value(spec, option, value, err);
	/* at=0 is now; no other time makes sense at 0. */
	if (!str_to_duration(value, &t) || t > 1000000 * CLOCK_SEC || (t == 0 && i != 0))
		return bad_value(spec, option, value, err);
	if (keys[i].key == KEY_PERIOD)
		f->period = t;
	else if (keys[i].key == KEY_DOWN)
		f->down = t;
	else if (keys[i].key == KEY_DELAY)
		f->delay = t;
	else if (i == 0)
		f->at = s->o.start_us + t;
	else
		f->duration = t;
	return true;
}

static bool read_port(
	struct sim *s, struct fault *f, const char *spec, const char *port, struct err *err)
{
	char first[NAME_MAX_LEN], last[NAME_MAX_LEN];
	struct sim_device *d = f->device;

	if (f->class->entity != ENTITY_PORT && f->class->entity != ENTITY_NIC) {
		if (!port)
			return true;
		err_set(err, ERR_USAGE, spec, "%s takes a device, not a port", f->class->name);
		(void)err_cure(err, "%s:%s", f->class->name, d->name);
		return false;
	}
	if (port)
		f->port = sim_port_by_name(s, d, port);
	if (f->port)
		return true;
	sim_port_name(s, &d->ports[0], first, sizeof(first));
	sim_port_name(s, &d->ports[d->nports - 1], last, sizeof(last));
	if (port)
		err_set(err, ERR_USAGE, spec, "%s has no port \"%s\"", d->name, port);
	else
		err_set(err, ERR_USAGE, spec, "%s needs a port: %s:%s:PORT", f->class->name,
			f->class->name, d->name);
	if (d->tier == TIER_HOST)
		(void)err_cure(err, "ports of %s: mlx5_0 ... mlx5_%u (%s ... %s)", d->name,
			d->nports - 1, first, last);
	else
		(void)err_cure(err, "ports of %s: %s ... %s", d->name, first, last);
	return false;
}

static bool fits_entity(struct sim *s, const struct fault *f, const char *spec, struct err *err)
{
	const struct sim_device *d = f->device;
	bool https = strcmp(d->dialect, "eos") == 0;

	if (f->class->entity == ENTITY_NIC && d->tier != TIER_HOST) {
		err_set(err, ERR_USAGE, spec, "%s takes the NIC of a host", f->class->name);
		(void)err_cure(err, "%s:%s:mlx5_0", f->class->name,
			sim_tier_device(s, TIER_HOST, 0)->name);
		return false;
	}
	if (f->class->entity == ENTITY_SSH && https) {
		err_set(err, ERR_USAGE, spec, "%s is polled over HTTPS, not SSH", d->name);
		(void)err_cure(err, "wrong-cert:%s, or a leaf or host", d->name);
		return false;
	}
	if (f->class->entity == ENTITY_HTTPS && !https) {
		err_set(err, ERR_USAGE, spec, "%s is polled over SSH, not HTTPS", d->name);
		(void)err_cure(err, "wrong-key:%s, or a spine", d->name);
		return false;
	}
	return true;
}

static bool read_device(
	struct sim *s, struct fault *f, const char *spec, const char *name, struct err *err)
{
	const struct sim_device *last = &s->device[s->ndevices - 1];

	f->device = name ? sim_device_by_name(s, name) : NULL;
	if (f->device)
		return true;
	if (name && *name)
		err_set(err, ERR_USAGE, spec, "there is no device \"%s\"", name);
	else
		err_set(err, ERR_USAGE, spec, "%s needs a device", f->class->name);
	(void)err_cure(err, "the form is %s:%s; names go from %s to %s", f->class->name,
		entity_form[f->class->entity], s->device[0].name, last->name);
	return false;
}

static bool read_head(struct sim *s, struct fault *f, const char *spec, char *head, struct err *err)
{
	char *device = strchr(head, ':'), *port = NULL;
	const struct fault_class *c;
	size_t i = 0;

	if (device)
		*device++ = '\0';
	while ((c = sim_fault_class(i)) && strcmp(c->name, head) != 0)
		i++;
	if (!c) {
		bad_class(spec, head, err);
		return false;
	}
	f->class = c;
	if (device)
		port = strchr(device, ':');
	if (port)
		*port++ = '\0';
	return read_device(s, f, spec, device, err) && fits_entity(s, f, spec, err) &&
	       read_port(s, f, spec, port, err);
}

static bool finish(struct sim *s, struct fault *f, const char *spec, struct err *err)
{
	bool flap = f->class->keys & KEY_PERIOD;

	if (!f->down)
		f->down = flap ? f->period / 4 : 5 * CLOCK_SEC;
	if (flap && f->down >= f->period) {
		err_set(err, ERR_USAGE, spec, "down= is not shorter than period=");
		(void)err_cure(err, "down=2s,period=8s, or link-down for a link that stays down");
		return false;
	}
	if (f->class->keys & KEY_WITH && f->port && !f->with)
		f->with =
			&sim_tier_device(s, TIER_HOST, (f->device->index + 1) % s->o.sizing->hosts)
				 ->ports[f->port->port];
	f->next = f->at;
	return true;
}

bool sim_fault(struct sim *s, const char *spec, struct err *err)
{
	struct fault f = {.at = s->o.start_us,
		.duration = SIM_NEVER,
		.period = 8 * CLOCK_SEC,
		.delay = 3 * CLOCK_SEC,
		.size = 32000000,
		.began = SIM_NEVER,
		.ended = SIM_NEVER};
	char text[SPEC_MAX], *rest = NULL, *option;

	if (!str_copy(text, sizeof(text), spec))
		return err_set(err, ERR_USAGE, "--fault", "longer than %d bytes", SPEC_MAX - 1);
	option = strchr(text, ',');
	if (option)
		*option++ = '\0';
	if (!read_head(s, &f, spec, text, err))
		return false;
	for (; option; option = rest) {
		rest = strchr(option, ',');
		if (rest)
			*rest++ = '\0';
		if (!read_key(s, &f, spec, option, err))
			return false;
	}
	if (!finish(s, &f, spec, err))
		return false;
	f.spec = mem_strdup(spec);
	vec_push(&s->faults, f);
	return true;
}
