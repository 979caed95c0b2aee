/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Input: a client's request to a device of the emulated fabric. The first line names the device by
 * its platform, and the kind of request. Kind "exec": the rest is a command line, and behind a NUL
 * its standard input. Else an HTTP method and a path with its query: the rest is the body.
 *
 *   sonic-spectrum exec                     cumulus PATCH /nvue_v1/interface?rev=1
 *
 * Every request gets an answer: a status, and JSON where JSON is announced.
 */
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "emulator/device/personality.h"
#include "emulator/sim/topology.h"

#define OUT_CAP  (4U << 20)
#define DEVICES  7
#define EACH     2 /* ports of a switch: one leads to the host */
#define PORTS    (EACH * DEVICES)
#define THE_HOST 0

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const platforms[DEVICES] = {
	"linux", "sonic-spectrum", "sonic-broadcom", "eos", "cumulus", "nxos", "frr"};

/* One device of each platform; the host's first port is cabled to the first switch. */
static struct sim *make_sim(void)
{
	struct topo_device device[DEVICES] = {0};
	struct topo_port port[PORTS] = {0};
	struct topo_cable cable[] = {{0, EACH}};
	struct topology t = {.name = "tiny",
		.device = device,
		.port = port,
		.cable = cable,
		.ndevices = DEVICES,
		.nports = PORTS,
		.ncables = 1};
	struct sim_opts o = {.topology = &t, .seed = 1, .speed = 1};
	struct sim *s;

	for (unsigned i = 0; i < DEVICES; i++) {
		device[i].tier = i == THE_HOST ? TIER_HOST : TIER_LEAF;
		device[i].rail = -1;
		device[i].platform = sim_platform(platforms[i]);
		(void)str_copy(device[i].name, sizeof(device[i].name), platforms[i]);
		for (unsigned k = 0; k < EACH; k++) {
			struct topo_port *p = &port[EACH * i + k];

			*p = (struct topo_port){.device = i, .speed_mbps = 400000, .rail = -1};
			topo_port_name(&device[i], k, p->name);
		}
	}
	s = sim_new(&o);
	sim_advance(s, 2 * CLOCK_SEC);
	return s;
}

static void check_json(const char *type, const struct buf *out)
{
	json_t *o;

	/* Nothing, or more than there is room for, is no JSON. */
	if (strncmp(type, "application/json", 16) != 0 || !out->len || out->len >= OUT_CAP / 2)
		return;
	o = json_loadb(out->data, out->len, JSON_DECODE_ANY, NULL);
	if (!o)
		abort();
	json_decref(o);
}

static void ask(
	struct personality_ctx *ctx, struct sim_device *d, char *line, const char *body, size_t len)
{
	char *path = line + strcspn(line, " "), *query;
	struct http_request q = {.method = line,
		.query = "",
		.body = body,
		.len = len,
		.cookie = "",
		.basic_given = true,
		.basic_ok = true};
	struct http_reply reply = {.status = 200, .type = "text/plain"};
	struct buf out;

	if (*path)
		*path++ = '\0';
	query = path + strcspn(path, "?");
	if (*query)
		*query++ = '\0';
	q.path = path;
	q.query = query;
	buf_init(&out, OUT_CAP);
	reply.out = &out;
	personality_for(d->dialect)->http(ctx, d, &q, &reply);
	if (reply.status < 100 || reply.status > 599 || !reply.type)
		abort();
	check_json(reply.type, &out);
	buf_free(&out);
}

static void run(
	struct personality_ctx *ctx, struct sim_device *d, const char *command, const char *input)
{
	const struct personality *p = personality_for(d->dialect);
	struct buf out, err;
	char *followed;

	buf_init(&out, OUT_CAP);
	buf_init(&err, OUT_CAP);
	if (p->reads_input)
		(void)p->reads_input(command);
	(void)p->exec(ctx, d, command, input, &out, &err);
	followed = personality_followed(command);
	if (followed)
		personality_follow(ctx, d, followed, 0, &out);
	free(followed);
	buf_free(&out);
	buf_free(&err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = mem_strndup((const char *)data, size), *rest, *words, *end = text + size;
	struct sim *s = make_sim();
	struct personality_ctx *ctx = personality_new(s);
	struct sim_device *d;

	rest = memchr(text, '\n', size);
	words = text + strcspn(text, " \n");
	if (rest && words < rest) {
		*words++ = '\0';
		*rest++ = '\0';
		d = sim_device_by_name(s, text);
		personality_credentials(ctx, "noc", "secret");
		if (d && strcmp(words, "exec") == 0)
			run(ctx, d, rest, rest + strlen(rest) < end ? rest + strlen(rest) + 1 : "");
		else if (d && personality_for(d->dialect)->http)
			ask(ctx, d, words, rest, (size_t)(end - rest));
	}
	personality_free(ctx);
	sim_free(s);
	free(text);
	return 0;
}
