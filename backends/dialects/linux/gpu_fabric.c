/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "backends/dialects/linux/linux.h"
#include "backends/parse/json_select.h"
#include "base/buf.h"
#include "base/str.h"
#include "fabric/vocabulary/gpu_link.h"

/*
 * How the GPUs of a host are registered with their NVSwitches, and with other hosts of one NVLink
 * domain: the block "Fabric" of `nvidia-smi -q`, the service of the fabric manager, and
 * `nvidia-imex-ctl -N -j`. The order of the blocks is that of the index.
 *
 *   GPU 00000000:1B:00.0
 *       Fabric
 *           State                             : Completed
 *           Status                            : Success
 *           CliqueId                          : 32766
 *           ClusterUUID                       : dc6e40c4-...
 *           Health
 *               Summary                       : Healthy
 *               Bandwidth                     : Full
 */

/* "N/A" and "Not Supported" tell nothing. Blanks would end a word of the report. */
static void value_word(char *dst, size_t size, const char *text)
{
	size_t n = strlen(text);

	while (n && isspace((unsigned char)text[n - 1]))
		n--;
	dst[0] = '\0';
	if (!strncasecmp(text, "N/A", 3) || !strncasecmp(text, "[N/A]", 5) ||
		!strncasecmp(text, "Not Supported", 13) || !strncasecmp(text, "Unknown", 7))
		return;
	(void)str_copyn(dst, size, text, n);
	for (char *c = dst; *c; c++)
		*c = *c == ' ' || *c == '=' ? '-' : (char)tolower((unsigned char)*c);
}

struct block {
	int gpu; /* -1: before the first */
	bool in_fabric;
	char bus[16], state[16], status[32], clique[12], cluster[40], health[20], why[64];
};

static void add_word(struct buf *b, const char *key, const char *value)
{
	if (*value)
		(void)buf_addf(b, "%s%s=%s", b->len ? " " : "", key, value);
}

static void report_block(struct host *h, const struct block *k)
{
	struct buf text;

	if (k->gpu < 0 || k->gpu >= (int)HOST_GPUS_MOST)
		return;
	buf_init(&text, 1024);
	add_word(&text, "bus", k->bus);
	add_word(&text, "state", k->state);
	add_word(&text, "status", k->status);
	add_word(&text, "clique", k->clique);
	add_word(&text, "cluster", k->cluster);
	add_word(&text, "health", k->health);
	add_word(&text, "why", k->why);
	if (text.len)
		obs_word(h->o, OBS_NO_PORT, ATTR_GPU_FABRIC, (unsigned)k->gpu, text.data);
	buf_free(&text);
}

static void add_why(struct block *k, const char *why)
{
	size_t at = strlen(k->why);

	if (at + strlen(why) + 2 < sizeof(k->why))
		(void)str_printf(k->why + at, sizeof(k->why) - at, "%s%s", at ? "," : "", why);
}

static void health_line(struct block *k, const char *key, const char *value)
{
	static const struct {
		const char *key, *good, *why; /* why: NULL: the value itself */
	} rows[] = {{"Bandwidth", "full", "bandwidth-degraded"},
		{"Route Recovery in progress", "false", "route-recovery"},
		{"Route Unhealthy", "false", "route-unhealthy"},
		{"Access Timeout Recovery", "false", "access-timeout"},
		{"Incorrect Configuration", "none", NULL}};

	if (str_eq(key, "Summary"))
		(void)str_copy(k->health, sizeof(k->health), value);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (str_eq(key, rows[i].key) && *value && !str_eq(value, rows[i].good) &&
			!str_eq(value, "false"))
			add_why(k, rows[i].why ? rows[i].why : value);
}

static void fabric_value(struct block *k, const char *key, const char *text)
{
	static const struct {
		const char *key;
		size_t at, size;
	} words[] = {
#define WORD(name, field) {name, offsetof(struct block, field), sizeof(((struct block *)0)->field)}
		WORD("State", state), WORD("Status", status), WORD("CliqueId", clique),
		WORD("ClusterUUID", cluster)
#undef WORD
	};
	char value[40];

	value_word(value, sizeof(value), text);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (str_eq(key, words[i].key))
			(void)str_copy((char *)k + words[i].at, words[i].size, value);
	health_line(k, key, value);
}

/* "00000000:1B:00.0": the domain has four digits everywhere else. */
static void block_begins(struct host *h, struct block *k, const char *bus)
{
	int gpu = k->gpu + 1;
	size_t zeros = strspn(bus, "0");

	report_block(h, k);
	*k = (struct block){.gpu = gpu};
	if (zeros > 4 && strcspn(bus, ":") == 8)
		bus += 4;
	(void)str_copyn(k->bus, sizeof(k->bus), bus, strcspn(bus, " \r"));
	for (char *c = k->bus; *c; c++)
		*c = (char)tolower((unsigned char)*c);
}

static void fabric_section(struct host *h, const struct section *s)
{
	struct block k = {.gpu = -1};
	char line[LINE_TEXT];
	size_t at = 0;

	while (line_next(s, &at, line)) {
		char *key = line + strspn(line, " "), *colon = strstr(line, " : ");
		size_t n;

		if (str_starts(line, "GPU ") && strchr(line, ':')) {
			block_begins(h, &k, line + 4);
		} else if (str_eq(line, "    Fabric")) {
			k.in_fabric = true;
		} else if (k.in_fabric && colon && colon > key) {
			for (n = (size_t)(colon - key); n && key[n - 1] == ' ';)
				n--;
			key[n] = '\0';
			fabric_value(&k, key, colon + 3);
		}
	}
	report_block(h, &k);
}

/* ---- the host ---- */

/* "LoadState=loaded", "ActiveState=active"; a unit that is not there has another load state. */
static void manager_section(struct buf *out, const struct section *s)
{
	char line[LINE_TEXT], active[24] = "";
	bool is_loaded = false, told = false;
	size_t at = 0;

	while (line_next(s, &at, line)) {
		if (str_starts(line, "LoadState=")) {
			told = true;
			is_loaded = str_eq(line + 10, "loaded");
		} else if (str_starts(line, "ActiveState=")) {
			value_word(active, sizeof(active), line + 12);
		}
	}
	if (told)
		add_word(out, "fm", is_loaded ? active : "missing");
}

/* A member that is not ready: the first one's address and state. */
static void imex_members(struct buf *out, const struct json_value *nodes)
{
	unsigned members = 0, ready = 0;
	char bad[96] = "", state[32];

	for (json_value_members(node, nodes)) {
		const char *status = json_value_text_or(json_value_get(node, "status"), "");

		members++;
		if (str_eq(status, "READY")) {
			ready++;
		} else if (!*bad) {
			value_word(state, sizeof(state), status);
			(void)str_printf(bad, sizeof(bad), "%.50s:%s",
				json_value_text_or(json_value_get(node, "host"), "?"), state);
			for (char *c = bad; *c; c++)
				if (*c == ' ' || *c == '=')
					*c = '-';
		}
	}
	(void)buf_addf(out, " members=%u ready=%u", members, ready);
	add_word(out, "bad", bad);
}

/* The text of tools without -j ends with "Domain State: UP". */
static void imex_text(struct buf *out, const struct section *s)
{
	char line[LINE_TEXT], state[24];
	unsigned members = 0, ready = 0;
	size_t at = 0;

	while (line_next(s, &at, line)) {
		const char *rest = strstr(line, "Domain State:");

		if (str_starts(line, "Node #")) {
			members++;
			ready += strstr(line, " READY") != NULL;
		} else if (rest) {
			rest += strlen("Domain State:");
			value_word(state, sizeof(state), rest + strspn(rest, " "));
			add_word(out, "imex", state);
			(void)buf_addf(out, " members=%u ready=%u", members, ready);
		}
	}
}

static void imex_section(struct host *h, struct buf *out, const struct section *s)
{
	struct err ignored = {0};
	struct json_value *doc = json_value_parse(s->body, s->len, h->target->device, &ignored);
	const char *status = json_value_text_or(json_value_get(doc, "status"), "");
	const struct json_value *nodes = json_value_get(doc, "nodes");
	char state[24];

	value_word(state, sizeof(state), status);
	if (doc && *state && json_value_is(nodes, DV_OBJECT)) {
		add_word(out, "imex", state);
		imex_members(out, nodes);
	} else if (!doc && memmem(s->body, s->len, "Domain State:", 13)) {
		imex_text(out, s);
	} else {
		add_word(out, "imex", "silent");
	}
	free(doc);
}

bool linux_parse_nvfabric(struct host *h, const char *bytes, size_t len)
{
	struct buf domain;
	struct section s;
	size_t at = 0;

	buf_init(&domain, 1024);
	while (section_next(bytes, len, &at, &s)) {
		if (host_common_section(h, &s))
			continue;
		if (str_eq(s.name, "fabric"))
			fabric_section(h, &s);
		else if (str_eq(s.name, "fm"))
			manager_section(&domain, &s);
		else if (str_eq(s.name, "imex"))
			imex_section(h, &domain, &s);
	}
	if (h->begun && h->ended)
		obs_word(h->o, OBS_NO_PORT, ATTR_GPU_DOMAIN, 0, domain.len ? domain.data : "");
	buf_free(&domain);
	return h->begun;
}
