/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ansible's inventories: YAML, INI, and the JSON of `ansible-inventory --list`. The groups of a
 * host say its role, ansible_host its address, ansible_network_os its system. Files of host_vars/
 * and group_vars/ are read by `ansible-inventory --list` only. docs.ansible.com: "How to build your
 * inventory".
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "app/config/yaml_map.h"
#include "app/import/ansible.h"
#include "backends/parse/json_select.h"
#include "base/str.h"

/* ---- YAML ---- */

static void take_vars(
	struct import *im, yaml_document_t *doc, const yaml_node_t *vars, struct ansible_vars *to)
{
	(void)im;
	for (yaml_map_pairs(p, vars))
		ansible_take_var(to, yaml_scalar_text(yaml_document_get_node(doc, p->key)),
			yaml_scalar_text(yaml_document_get_node(doc, p->value)));
}

static void read_group(struct import *im, yaml_document_t *doc, const yaml_node_t *node,
	const char *name, unsigned depth)
{
	const yaml_node_t *hosts = yaml_map_get(doc, node, "hosts"),
			  *children = yaml_map_get(doc, node, "children");
	size_t group = ansible_group(im, name);

	if (group == SIZE_MAX || depth > ANSIBLE_DEPTH)
		return;
	take_vars(im, doc, yaml_map_get(doc, node, "vars"), ansible_group_vars(im, group));
	for (yaml_map_pairs(p, hosts)) {
		struct ansible_vars vars = {0};

		take_vars(im, doc, yaml_document_get_node(doc, p->value), &vars);
		ansible_hosts(
			im, group, yaml_scalar_text(yaml_document_get_node(doc, p->key)), &vars);
	}
	for (yaml_map_pairs(p, children)) {
		const char *child = yaml_scalar_text(yaml_document_get_node(doc, p->key));

		ansible_child(im, group, child);
		read_group(im, doc, yaml_document_get_node(doc, p->value), child, depth + 1);
	}
}

static void read_yaml(void *ctx, yaml_document_t *doc, const yaml_node_t *root)
{
	struct import *im = ctx;

	for (yaml_map_pairs(p, root))
		if (yaml_document_get_node(doc, p->value)->type == YAML_MAPPING_NODE)
			read_group(im, doc, yaml_document_get_node(doc, p->value),
				yaml_scalar_text(yaml_document_get_node(doc, p->key)), 0);
}

/* ---- JSON ---- */

static void take_json_vars(const struct json_value *vars, struct ansible_vars *to)
{
	for (json_value_members(v, vars))
		if (json_value_text(v))
			ansible_take_var(to, json_value_name(v), json_value_text(v));
}

static void read_json_group(
	struct import *im, const struct json_value *doc, const struct json_value *group)
{
	size_t at = ansible_group(im, json_value_name(group));
	const struct json_value *hosts = json_value_get(group, "hosts");

	if (at == SIZE_MAX)
		return;
	take_json_vars(json_value_get(group, "vars"), ansible_group_vars(im, at));
	for (json_value_items(h, hosts)) {
		struct ansible_vars vars = {0};
		const char *name = json_value_text_or(h, "");

		take_json_vars(json_value_get(json_value_path(doc, "_meta.hostvars"), name), &vars);
		ansible_hosts(im, at, name, &vars);
	}
	for (json_value_items(c, json_value_get(group, "children")))
		ansible_child(im, at, json_value_text_or(c, ""));
}

static bool read_json(struct import *im, const char *text, size_t len, struct err *err)
{
	struct json_value *doc = json_value_parse(text, len, im->file, err);

	if (!doc)
		return false;
	for (json_value_members(g, doc))
		if (!str_eq(json_value_name(g), "_meta") && json_value_is(g, DV_OBJECT))
			read_json_group(im, doc, g);
	free(doc);
	return true;
}

/* ---- INI ---- */

enum section { HOSTS, VARS, CHILDREN };

/* The next word of a line; blanks within quotes are part of it, and the quotes are dropped. */
static bool next_word(const char **at, char *dst, size_t size)
{
	size_t n = 0;
	char quote = '\0';

	while (**at && isspace((unsigned char)**at))
		(*at)++;
	if (!**at || **at == '#' || **at == ';')
		return false;
	for (; **at && (quote || !isspace((unsigned char)**at)); (*at)++) {
		if (quote ? **at == quote : (**at == '"' || **at == '\''))
			quote = quote ? '\0' : **at;
		else if (n + 1 < size)
			dst[n++] = **at;
	}
	dst[n] = '\0';
	return true;
}

/* A line of another file, such as /etc/hosts, has words that set nothing: they are refused, as by
 * Ansible. */
static bool take_words(
	struct import *im, struct ansible_vars *to, const char *at, size_t number, struct err *err)
{
	char word[512];

	for (unsigned n = 2; next_word(&at, word, sizeof(word)); n++) {
		char *equal = strchr(word, '=');

		if (!equal) {
			/* Behind "ansible_password= " it is a secret. */
			(void)import_error(im, err, number, "word %u is no KEY=VALUE", n);
			return err_cure(err, "an inventory of Ansible has a host a line, and its "
					     "variables behind it");
		}
		*equal = '\0';
		ansible_take_var(to, word, equal + 1);
	}
	return true;
}

/* "key = value", as [group:vars] has it. */
static void take_setting(struct ansible_vars *to, const char *line)
{
	const char *equal = strchr(line, '=');
	char key[64], value[256];
	size_t n;

	if (!equal)
		return;
	n = (size_t)(equal - line);
	while (n && isspace((unsigned char)line[n - 1]))
		n--;
	(void)str_copyn(key, sizeof(key), line, n);
	equal++;
	if (next_word(&equal, value, sizeof(value)))
		ansible_take_var(to, key, value);
}

static bool read_section(struct import *im, const char *line, size_t number, size_t *group,
	enum section *section, struct err *err)
{
	char name[128];
	size_t n = strcspn(line + 1, "]");

	if (line[1 + n] != ']')
		return import_error(im, err, number, "a section does not end with ]");
	(void)str_copyn(name, sizeof(name), line + 1, n);
	*section = HOSTS;
	if (strchr(name, ':')) {
		const char *kind = strchr(name, ':') + 1;

		if (!str_eq(kind, "vars") && !str_eq(kind, "children")) {
			(void)import_error(
				im, err, number, "[...:%.40s] is no section of an inventory", kind);
			return err_cure(err, "[GROUP], [GROUP:vars] or [GROUP:children]");
		}
		*section = str_eq(kind, "vars") ? VARS : CHILDREN;
		*strchr(name, ':') = '\0';
	}
	*group = ansible_group(im, name);
	return true;
}

static bool read_line(struct import *im, const char *line, size_t number, size_t group,
	enum section section, struct err *err)
{
	struct ansible_vars vars = {0};
	char word[256];

	if (section == VARS) {
		take_setting(ansible_group_vars(im, group), line);
		return true;
	}
	if (!next_word(&line, word, sizeof(word)))
		return true;
	if (section == CHILDREN) {
		ansible_child(im, group, word);
		return true;
	}
	if (!take_words(im, &vars, line, number, err))
		return false;
	ansible_hosts(im, group, word, &vars);
	return true;
}

static bool read_ini(struct import *im, const char *text, struct err *err)
{
	size_t group = ansible_group(im, "ungrouped"), number = 0;
	enum section section = HOSTS;

	while (*text) {
		size_t n = strcspn(text, "\n");
		char line[4096];

		number++;
		if (!str_copyn(line, sizeof(line), text, n))
			return import_error(
				im, err, number, "a line of more than %zu bytes", sizeof(line));
		text += n + (text[n] == '\n');
		n = strspn(line, " \t\r");
		if (!line[n] || line[n] == '#' || line[n] == ';')
			continue;
		if (line[n] == '[') {
			if (!read_section(im, line + n, number, &group, &section, err))
				return false;
		} else if (group != SIZE_MAX &&
			   !read_line(im, line + n, number, group, section, err)) {
			return false;
		}
	}
	return true;
}

/* ---- the file ---- */

/* "name:" at the end of a line, or before a blank. */
static bool is_yaml_key(const char *line, size_t n)
{
	size_t key = strcspn(line, ":= \t\n");

	return key && key < n && line[key] == ':' &&
	       (key + 1 == n || isspace((unsigned char)line[key + 1]));
}

/* The first line that is no comment says it: "[" begins a section of INI. */
static bool looks_like_yaml(const char *text)
{
	while (*text) {
		size_t n = strcspn(text, "\n"), at = strspn(text, " \t\r");

		if (at < n && text[at] != '#' && text[at] != ';')
			return str_starts(text + at, "---") || str_starts(text + at, "- ") ||
			       is_yaml_key(text + at, n - at);
		text += n + (text[n] == '\n');
	}
	return false;
}

static bool read_ansible(struct import *im, const char *text, size_t len, struct err *err)
{
	const char *at = text + strspn(text, " \t\r\n");
	size_t before = ansible_host_count(im);
	bool ok;

	if (*at == '{')
		ok = read_json(im, text, len, err);
	else if (looks_like_yaml(text))
		ok = yaml_map_read(im->file, text, len, read_yaml, im, err);
	else
		ok = read_ini(im, text, err);
	if (!ok || ansible_host_count(im) > before)
		return ok;
	(void)import_error(im, err, 0, "it names no host");
	return err_cure(err, "ansible-inventory -i INVENTORY --list > FILE");
}

const struct importer importer_ansible = {
	.name = "ansible",
	.help = "an inventory of Ansible (YAML, INI), or the JSON of ansible-inventory --list",
	.read = read_ansible,
	.finish = ansible_finish,
};
