/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/emulator/support/rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/cases.h"

void rig_open(struct rig *r, const char *fault)
{
	struct sim_opts o = {.sizing = sizing_preset("ref256"),
		.seed = 7,
		.start_us = RIG_START,
		.speed = 1,
		.steady = true};
	struct err err;

	r->sim = sim_new(&o);
	if (fault && !sim_fault(r->sim, fault, &err))
		fail_msg("%s", err.text);
	sim_advance(r->sim, RIG_NOW);
	r->ctx = personality_new(r->sim);
	buf_init(&r->out, 64u << 20);
	buf_init(&r->err, 1u << 20);
}

void rig_close(struct rig *r)
{
	personality_free(r->ctx);
	sim_free(r->sim);
	buf_free(&r->out);
	buf_free(&r->err);
}

int rig_setup(void **state)
{
	struct rig *r = calloc(1, sizeof(*r));

	assert_non_null(r);
	rig_open(r, NULL);
	*state = r;
	return 0;
}

int rig_teardown(void **state)
{
	rig_close(*state);
	free(*state);
	return 0;
}

struct sim_device *rig_device(struct rig *r, const char *name)
{
	struct sim_device *d = sim_device_by_name(r->sim, name);

	assert_non_null(d);
	return d;
}

int rig_exec(struct rig *r, const char *device, const char *command, const char *input)
{
	struct sim_device *d = rig_device(r, device);
	const struct personality *p = personality_for(d->dialect);
	int status;

	assert_non_null(p);
	buf_reset(&r->out);
	buf_reset(&r->err);
	status = p->exec(r->ctx, d, command, input, &r->out, &r->err);
	(void)buf_adds(&r->out, "");
	(void)buf_adds(&r->err, "");
	return status;
}

unsigned rig_http(
	struct rig *r, const char *device, const char *method, const char *path, const char *body)
{
	return rig_http_as(r, device,
		&(struct http_request){.method = method,
			.path = path,
			.query = "",
			.body = body,
			.len = strlen(body),
			.cookie = "",
			.basic_given = true,
			.basic_ok = true});
}

unsigned rig_http_as(struct rig *r, const char *device, const struct http_request *q)
{
	struct sim_device *d = rig_device(r, device);

	buf_reset(&r->out);
	r->reply = (struct http_reply){.status = 200, .out = &r->out, .type = "text/plain"};
	personality_for(d->dialect)->http(r->ctx, d, q, &r->reply);
	return r->reply.status;
}

json_t *rig_eapi(struct rig *r, const char *device, const char *commands, const char *format)
{
	struct buf body;
	json_t *reply;

	buf_init(&body, 65536);
	(void)buf_addf(&body,
		"{\"jsonrpc\":\"2.0\",\"method\":\"runCmds\",\"id\":\"9\",\"params\":{\"version\":"
		"1,"
		"\"format\":\"%s\",\"cmds\":%s}}",
		format, commands);
	assert_int_equal(rig_http(r, device, "POST", "/command-api", body.data), 200);
	assert_string_equal(r->reply.type, "application/json");
	buf_free(&body);
	reply = json_loadb(r->out.data, r->out.len, 0, NULL);
	assert_non_null(reply);
	return reply;
}

json_t *rig_at(json_t *o, const char *path)
{
	char part[64];

	while (*path && o) {
		size_t n = strcspn(path, ">");

		assert_true(n < sizeof(part));
		memcpy(part, path, n);
		part[n] = '\0';
		o = json_is_array(o) ? json_array_get(o, strtoul(part, NULL, 10))
				     : json_object_get(o, part);
		path += n + (path[n] == '>');
	}
	return o;
}

void rig_shows_faults(const char *device, const struct rig_fault_case *cases, size_t n)
{
	for (const struct rig_fault_case *c = cases; c < cases + n; c++) {
		struct rig own = {0};

		rig_open(&own, c->fault);
		(void)rig_exec(&own, device, c->command, NULL);
		if (!strstr(own.out.data, c->want))
			fail_msg("%s: %s says %s", c->fault, c->command, own.out.data);
		rig_close(&own);
	}
}

char *rig_capture_text(const char *file)
{
	const char *shared = getenv("RAILTOP_SHARED");
	char path[512], *text;
	FILE *f;
	size_t n;

	(void)snprintf(path, sizeof(path), "%s/captures/%s", shared ? shared : "../shared", file);
	f = fopen(path, "r");
	if (!f)
		return NULL;
	text = calloc(1, 1u << 20);
	assert_non_null(text);
	n = fread(text, 1, (1u << 20) - 1, f);
	text[n] = '\0';
	(void)fclose(f);
	return text;
}

json_t *rig_capture_json(const char *file)
{
	char *text = rig_capture_text(file);
	json_t *o = text ? json_loads(text, 0, NULL) : NULL;

	free(text);
	return o;
}

unsigned rig_missing_keys(const json_t *want, const json_t *have, const char *where)
{
	const char *key;
	json_t *value;
	unsigned missing = 0;

	json_object_foreach((json_t *)want, key, value)
	{
		json_t *mine = json_object_get(have, key);
		char path[256];

		(void)snprintf(path, sizeof(path), "%s.%s", where, key);
		if (!mine) {
			print_message("missing: %s\n", path);
			missing++;
		} else if (json_is_object(value) && json_is_object(mine)) {
			missing += rig_missing_keys(value, mine, path);
		} else if (json_typeof(value) != json_typeof(mine) &&
			   !(json_is_boolean(value) && json_is_boolean(mine)) &&
			   !(json_is_number(value) && json_is_number(mine))) {
			print_message("another type: %s\n", path);
			missing++;
		}
	}
	return missing;
}
