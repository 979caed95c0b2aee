/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nodes of Slurm: slurm.conf with NodeName= lines, the output of `scontrol show nodes`, and the
 * JSON of `scontrol show nodes --json` or `sinfo --json`. The switches of topology.conf are names
 * of groups of nodes and often no devices, so they are not taken.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "app/inventory/inventory_yaml.h"
#include "app/import/import.h"
#include "backends/parse/json_select.h"
#include "base/mem.h"
#include "base/str.h"
#include "fabric/plan/plan.h"

#define LINE_MAX_LEN 65536
#define NO_GPUS      "nodes without GPUs, as other nodes have some"

struct node {
	size_t at;
	bool has_gpus;
};

struct slurm {
	VEC(struct node) nodes;
	bool any_gpus;
};

static struct slurm *slurm_of(struct import *im)
{
	if (!im->state)
		im->state = mem_calloc(1, sizeof(struct slurm));
	return im->state;
}

static void put_node(struct import *im, const char *name, const char *address, const char *gres)
{
	struct slurm *s = slurm_of(im);
	struct node n = {.at = import_device(im, name), .has_gpus = strstr(gres, "gpu") != NULL};

	if (n.at == SIZE_MAX)
		return;
	im->said.at[n.at].kind = IMPORT_HOST;
	im->said.at[n.at].why = "a node of Slurm";
	if (*address && !str_eq(address, "(null)") && !str_eq(address, name))
		import_address(im, n.at, address);
	s->any_gpus = s->any_gpus || n.has_gpus;
	vec_push(&s->nodes, n);
}

/* ---- text ---- */

typedef VEC(char *) word_vec;

static void add_word(void *ctx, const char *word)
{
	vec_push((word_vec *)ctx, mem_strdup(word));
}

static void free_words(word_vec *v)
{
	for (size_t i = 0; i < v->n; i++)
		free(v->at[i]);
	vec_free(v);
}

/* The value of KEY= in a line, cut at the blank; keys are not case-sensitive. */
static bool find_value(const char *line, const char *key, char *dst, size_t size)
{
	size_t n = strlen(key);

	*dst = '\0';
	for (const char *at = line; (at = strcasestr(at, key)); at++) {
		const char *value = at + n + 1;
		size_t len;

		if ((at != line && !isspace((unsigned char)at[-1])) || at[n] != '=')
			continue;
		len = strcspn(value, " \t\r\n");
		if (*value == '"') {
			value++;
			len = strcspn(value, "\"");
		}
		return str_copyn(dst, size, value, len);
	}
	return false;
}

static bool put_line(struct import *im, const char *line, size_t number, struct err *err)
{
	static char names[LINE_MAX_LEN], addresses[LINE_MAX_LEN];
	char gres[256];
	word_vec name = {0}, address = {0};
	struct err why = {0};
	bool ok = true;

	if (!find_value(line, "NodeName", names, sizeof(names)) ||
		strcasecmp(names, "DEFAULT") == 0)
		return true;
	(void)find_value(line, "NodeAddr", addresses, sizeof(addresses));
	if (!find_value(line, "Gres", gres, sizeof(gres)) || !strstr(gres, "gpu"))
		(void)find_value(line, "CfgTRES", gres, sizeof(gres));
	if (!hostlist_expand(names, INVENTORY_DEVICES_MAX, add_word, &name, &why))
		ok = import_error(im, err, number, "NodeName: %s", why.text);
	else if (*addresses &&
		 !hostlist_expand(addresses, INVENTORY_DEVICES_MAX, add_word, &address, &why))
		ok = import_error(im, err, number, "NodeAddr: %s", why.text);
	for (size_t i = 0; ok && i < name.n; i++)
		put_node(im, name.at[i], address.n == name.n ? address.at[i] : "", gres);
	free_words(&name);
	free_words(&address);
	return ok;
}

/* `scontrol show nodes` indents the further lines of a node; slurm.conf ends them with '\'. */
static bool read_text(struct import *im, const char *text, size_t len, struct err *err)
{
	static char whole[LINE_MAX_LEN];
	size_t n = 0, number = 0, first = 0;
	bool goes_on = false;

	whole[0] = '\0';
	for (const char *at = text, *end = text + len; at < end;) {
		size_t m = strcspn(at, "\n"), kept = m;
		bool more = m && at[m - 1] == '\\';

		number++;
		if (m && (at[0] == '#'))
			kept = 0;
		else if (memchr(at, '#', m) && !goes_on)
			kept = (size_t)((const char *)memchr(at, '#', m) - at);
		kept -= more && kept == m;
		/* A line of its own begins: the one before is complete. */
		if (!goes_on && !(m && isspace((unsigned char)at[0]))) {
			if (!put_line(im, whole, first, err))
				return false;
			n = 0;
			whole[0] = '\0';
			first = number;
		}
		if (n + kept + 2 > sizeof(whole))
			return import_error(
				im, err, number, "a line of more than %d bytes", LINE_MAX_LEN);
		memcpy(whole + n, at, kept);
		n += kept;
		whole[n++] = ' ';
		whole[n] = '\0';
		if (strncasecmp(at, "SwitchName=", 11) == 0) {
			char name[NAME_MAX_LEN];

			(void)str_copyn(name, sizeof(name), at + 11, strcspn(at + 11, " \t\r\n"));
			import_skip(
				im, "switches of topology.conf, which are groups of nodes", name);
		}
		if (strncasecmp(at, "Include", 7) == 0)
			import_skip(im, "files of Include: give them as well", im->file);
		goes_on = more;
		at += m + (at + m < end);
	}
	return put_line(im, whole, first, err);
}

/* ---- JSON ---- */

static bool read_json(struct import *im, const char *text, size_t len, struct err *err)
{
	struct json_value *doc = json_value_parse(text, len, im->file, err);
	const struct json_value *nodes = json_value_get(doc, "nodes");

	if (!doc)
		return false;
	if (!json_value_is(nodes, DV_ARRAY)) {
		free(doc);
		(void)import_error(im, err, 0, "it has no list of nodes");
		return err_cure(err, "scontrol show nodes --json");
	}
	for (json_value_items(n, nodes)) {
		const char *name = json_value_text(json_value_get(n, "name"));

		if (name)
			put_node(im, name, json_value_text_or(json_value_get(n, "address"), ""),
				json_value_text_or(json_value_get(n, "gres"),
					json_value_text_or(json_value_get(n, "tres"), "")));
	}
	free(doc);
	return true;
}

static bool read_slurm(struct import *im, const char *text, size_t len, struct err *err)
{
	size_t at = 0, before = im->d.devices.n;
	bool ok;

	while (at < len && isspace((unsigned char)text[at]))
		at++;
	ok = at < len && text[at] == '{' ? read_json(im, text, len, err)
					 : read_text(im, text, len, err);
	if (!ok || im->d.devices.n > before || im->notes.n)
		return ok;
	(void)import_error(im, err, 0, "it names no node");
	return err_cure(err, "slurm.conf, or the output of scontrol show nodes");
}

/* The nodes of other partitions are no part of the fabric. */
static void finish_slurm(struct import *im)
{
	struct slurm *s = im->state;

	for (size_t i = 0; s && i < s->nodes.n; i++) {
		if (!s->any_gpus || s->nodes.at[i].has_gpus)
			continue;
		im->d.devices.at[s->nodes.at[i].at].state = FOUND_SAME;
		import_skip(im, NO_GPUS, im->d.devices.at[s->nodes.at[i].at].name);
	}
	if (s)
		vec_free(&s->nodes);
	free(s);
	im->state = NULL;
}

const struct importer importer_slurm = {
	.name = "slurm",
	.help = "slurm.conf, or the output of scontrol show nodes, also with --json",
	.read = read_slurm,
	.finish = finish_slurm,
};
