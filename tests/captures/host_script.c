/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/captures/host_script.h"

#include <ctype.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backends/contract/backend.h"
#include "base/str.h"
#include "tests/captures/covered.h"
#include "tests/support/cases.h"
#include "tests/support/obs_find.h"
#include "tests/support/run_command.h"

static const struct target host = {.device = "gpu-node-03",
	.tier = TIER_HOST,
	.transport = TRANSPORT_SSH,
	.lossless = 1u << 3};

void script_begin(struct buf *b)
{
	buf_init(b, 8u << 20);
	buf_adds(b, "@@begin 1\n1795207000000000000\n");
}

void script_text(struct buf *b, const char *title, const char *text)
{
	buf_addf(b, "@@%s\n%s\n", title, text);
}

void script_file(struct buf *b, const char *title, const char *file)
{
	char *text = capture_read(file, NULL), err[256], path[512], *said = NULL;
	const char *shared = getenv("RAILTOP_SHARED");

	script_text(b, title, text);
	(void)str_printf(err, sizeof(err), "%s.err", file);
	(void)str_printf(path, sizeof(path), "%s/captures/%s", shared ? shared : "../shared", err);
	if (access(path, R_OK) == 0)
		said = capture_read(err, NULL);
	if (said)
		buf_addf(b, "%s\n", said);
	free(said);
	free(text);
}

void script_port(struct buf *b, const char *rdma, const char *netdev)
{
	buf_addf(b, "@@map\n%s/device/net/%s\n@@ports\n%s/ports/1/state:4: ACTIVE\n", rdma, netdev,
		rdma);
}

static long long stat_of(const json_t *link, const char *way, const char *key)
{
	return json_integer_value(
		json_object_get(json_object_get(json_object_get(link, "stats64"), way), key));
}

static void net_of(struct buf *b, const json_t *link)
{
	const char *name = json_string_value(json_object_get(link, "ifname")),
		   *oper = json_string_value(json_object_get(link, "operstate"));
	json_t *flag;
	bool up = false;
	size_t i;

	json_array_foreach(json_object_get(link, "flags"), i, flag) up |=
		str_eq(json_string_value(flag), "UP");
	assert_non_null(name);
	assert_non_null(oper);
	buf_addf(b, "%s/operstate:", name);
	for (; *oper; oper++)
		buf_addf(b, "%c", tolower((unsigned char)*oper));
	buf_addf(b, "\n%s/flags:0x%s\n%s/mtu:%lld\n", name, up ? "1003" : "1002", name,
		(long long)json_integer_value(json_object_get(link, "mtu")));
	buf_addf(b, "%s/carrier_changes:%lld\n", name, stat_of(link, "tx", "carrier_changes"));
	buf_addf(b, "%s/statistics/rx_bytes:%lld\n%s/statistics/tx_bytes:%lld\n", name,
		stat_of(link, "rx", "bytes"), name, stat_of(link, "tx", "bytes"));
	buf_addf(b, "%s/statistics/rx_errors:%lld\n%s/statistics/tx_errors:%lld\n", name,
		stat_of(link, "rx", "errors"), name, stat_of(link, "tx", "errors"));
	buf_addf(b, "%s/statistics/rx_missed_errors:%lld\n", name,
		stat_of(link, "rx", "missed_errors"));
}

void script_net(struct buf *b, const char *file)
{
	char *text = capture_read(file, NULL);
	json_t *list = json_loads(text, 0, NULL), *link;
	size_t i;

	assert_non_null(list);
	buf_adds(b, "@@net\n");
	json_array_foreach(list, i, link) net_of(b, link);
	json_decref(list);
	free(text);
}

struct obs *script_decode_as(struct buf *b, const char *request, const struct facts *facts)
{
	struct obs *o = obs_new(host.device, request);
	struct target t = host;
	struct err err = {0};

	t.facts = facts;
	o->received_us = INT64_C(1795207800000000);
	if (!str_eq(request, "log"))
		buf_adds(b, "@@end\n1795207000500000000\n");
	if (!backend_by_name("linux")->parse(&t, request, b->data, b->len, o, &err))
		fail_msg("%s: %s", request, err.text);
	assert_int_equal(o->err.code, ERR_NONE);
	buf_free(b);
	return o;
}

struct obs *script_decode(struct buf *b, const char *request)
{
	return script_decode_as(b, request, NULL);
}

struct obs *script_section(const char *request, const char *section, const char *file)
{
	struct buf b;

	script_begin(&b);
	script_port(&b, "mlx5_3", "rdma3");
	script_file(&b, section, file);
	return script_decode(&b, request);
}

const char *log_text(const struct obs *o, const char *port)
{
	for (size_t i = 0; i < o->items.n; i++)
		if (o->items.at[i].kind == OBS_EVENT &&
			(!port || o->items.at[i].port == at_port(o, port).port))
			return obs_text(o, o->items.at[i].text);
	return NULL;
}

size_t log_lines(const struct obs *o, const char *words)
{
	size_t n = 0;

	for (size_t i = 0; i < o->items.n; i++)
		n += o->items.at[i].kind == OBS_EVENT &&
		     strstr(obs_text(o, o->items.at[i].text), words);
	return n;
}

void sandbox_open(struct sandbox *b)
{
	str_copy(b->root, sizeof(b->root), "/tmp/railtop-host-XXXXXX");
	assert_non_null(mkdtemp(b->root));
	str_printf(b->path, sizeof(b->path), "PATH=%s:/usr/bin:/bin", b->root);
	str_printf(b->sys, sizeof(b->sys), "SYS=%s/sys", b->root);
}

void sandbox_tool(const struct sandbox *b, const char *name, const char *script)
{
	char path[128];
	FILE *f;

	str_printf(path, sizeof(path), "%s/%s", b->root, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f, "#!/bin/sh\n%s", script);
	fclose(f);
	chmod(path, 0755);
}

struct obs *sandbox_run(const struct sandbox *b, const char *request, const char *script)
{
	const char *argv[] = {"sh", "-s", NULL},
		   *environment[] = {b->path, b->sys, "CONFIGFS=/nonexistent", NULL};
	struct obs *o = obs_new(host.device, request);
	struct err err = {0};
	size_t len;
	char *out = run_command(argv, environment, script, &len, NULL);

	assert_non_null(out);
	if (!backend_by_name("linux")->parse(&host, request, out, len, o, &err))
		fail_msg("%s: %s", request, err.text);
	assert_int_equal(o->err.code, ERR_NONE);
	print_message("# figure %s script: %zu ports, %zu bytes\n", request, o->ports.n, len);
	free(out);
	return o;
}

void sandbox_close(const struct sandbox *b)
{
	const char *writable[] = {"chmod", "-R", "u+w", b->root, NULL},
		   *remove[] = {"rm", "-rf", b->root, NULL};

	free(run_command(writable, NULL, NULL, NULL, NULL));
	free(run_command(remove, NULL, NULL, NULL, NULL));
}
