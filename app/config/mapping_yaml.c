/* SPDX-License-Identifier: Apache-2.0 */
#include "app/config/mapping_yaml.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "app/config/embedded_texts.h"
#include "app/inventory/inventory_yaml_schema.h"
#include "app/config/mapping_yaml_rule.h"
#include "backends/contract/target.h"
#include "base/str.h"

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))
#define SEE_MAN     "see railtop-mapping(5) for its keys"

static bool read_name(struct reader *r, const yaml_node_t *n, void *to)
{
	return yaml_read_text(r, n, &((struct mapping_draft *)to)->name);
}

static bool read_device(struct reader *r, const yaml_node_t *n, void *to)
{
	return mapping_read_label(r, n, &((struct mapping_draft *)to)->device);
}

static bool read_port(struct reader *r, const yaml_node_t *n, void *to)
{
	return mapping_read_label(r, n, &((struct mapping_draft *)to)->port);
}

static bool read_about(struct reader *r, const yaml_node_t *n, void *to)
{
	const char *text;

	(void)to;
	return yaml_text(r, n, "a text", YAML_TEXT_MAX, &text);
}

static bool read_rules(struct reader *r, const yaml_node_t *n, void *to)
{
	((struct mapping_draft *)to)->rules = n;
	if (n->type != YAML_SEQUENCE_NODE)
		return yaml_expected(r, n, "a list of rules");
	return true;
}

static void read_mapping(yaml_document_t *doc, struct problems *problems, void *ctx)
{
	/* Rules are read last, because their defaults may follow them in the file. */
	static const struct key keys[] = {
		{"mapping", read_name, 0},
		{"about", read_about, 0},
		{"device", read_device, 0},
		{"port", read_port, 0},
		{"rules", read_rules, 0},
	};
	struct reader r = {.doc = doc, .problems = problems, .place = ""};
	const yaml_node_t *root = yaml_document_get_root_node(doc);
	struct mapping_draft *d = ctx;

	if (!root || yaml_is_null(root)) {
		(void)problem_add(problems, 0, NULL, "is empty");
		(void)problem_cure(problems, SEE_MAN);
		return;
	}
	if (!yaml_read_map(&r, root, keys, COUNT_OF(keys), d))
		return;
	if (!d->rules) {
		(void)problem_add(problems, yaml_line(root), NULL, "\"rules\" is missing");
		return;
	}
	(void)str_copy(r.place, sizeof(r.place), "rules");
	(void)yaml_read_items(&r, d->rules, mapping_read_rule, d);
	if (!problems->at.n && d->map->rules.n == d->before)
		(void)problem_add(problems, yaml_line(root), NULL, "has no rules");
}

bool mapping_parse(const char *name, const char *text, size_t len, struct prometheus_map *map,
	mapping_report report, void *ctx)
{
	struct problems problems = {.file = name};
	struct mapping_draft d = {.map = map, .file = name, .before = map->rules.n};

	if (map->names.n >= PROMETHEUS_NAMES_MAX) {
		(void)problem_add(
			&problems, 0, NULL, "more than %d mappings at once", PROMETHEUS_NAMES_MAX);
		return problems_report(&problems, report, ctx);
	}
	vec_push(&map->names, mem_strdup(name));
	yaml_with_document(text, len, &problems, read_mapping, &d);
	prometheus_label_free(&d.device);
	prometheus_label_free(&d.port);
	free(d.name);
	return problems_report(&problems, report, ctx);
}

/* ---- by name ---- */

static void keep_first(void *ctx, const struct err *problem)
{
	struct err *err = ctx;

	if (err->code == ERR_NONE)
		*err = *problem;
}

static void embedded_names(char *dst, size_t size)
{
	const struct embedded_text *t;
	size_t n = 0;

	dst[0] = '\0';
	for (size_t i = 0; (t = embedded_text_at(i)) && n + 2 < size; i++) {
		const char *end = strrchr(t->name, '.');

		if (!str_eq(end, ".map"))
			continue;
		(void)str_printf(
			dst + n, size - n, "%s%.*s", n ? ", " : "", (int)(end - t->name), t->name);
		n += strlen(dst + n);
	}
}

static bool read_embedded(const char *name, struct prometheus_map *map, struct err *err)
{
	char file[NAME_MAX_LEN + 8], names[256];
	const struct embedded_text *t;

	if (str_printf(file, sizeof(file), "%s.map", name) && (t = embedded_text(file)))
		return mapping_parse(file, t->text, strlen(t->text), map, keep_first, err);
	embedded_names(names, sizeof(names));
	(void)err_set(err, ERR_CONFIG, name, "is not a mapping (allowed: %s, or a file)", names);
	return err_cure(err, "a file needs a dot or a slash in its name, e.g. ./%s.map", name);
}

static bool read_file(
	const char *name, const char *dir, struct prometheus_map *map, struct err *err)
{
	char *home = target_expand_home(name), *path;
	struct buf b, at;
	bool ok;

	buf_init(&at, 8192);
	buf_init(&b, MAPPING_FILE_MAX);
	(void)buf_addf(&at, "%s%s%s", home[0] == '/' || !dir ? "" : dir,
		home[0] == '/' || !dir ? "" : "/", home);
	path = at.data ? at.data : home;
	ok = inventory_slurp(path, &b, err);
	if (ok)
		ok = mapping_parse(path, b.data ? b.data : "", b.len, map, keep_first, err);
	else if (b.overflow)
		(void)err_set(err, ERR_LIMIT, path, "larger than %zu KB: not a mapping",
			MAPPING_FILE_MAX >> 10);
	buf_free(&b);
	buf_free(&at);
	free(home);
	return ok;
}

static bool read_one(const char *name, const char *dir, struct prometheus_map *map, struct err *err)
{
	return strpbrk(name, "./~") ? read_file(name, dir, map, err)
				    : read_embedded(name, map, err);
}

struct prometheus_map *mapping_read(const char *list, const char *dir, struct err *err)
{
	struct prometheus_map *map = prometheus_map_new();
	char *names = mem_strdup(list ? list : "railtop"), *rest = names, *name;
	struct err why = {0};
	bool ok = true;

	while (ok && (name = strsep(&rest, ","))) {
		size_t n;

		name += strspn(name, " \t");
		for (n = strlen(name); n && isblank((unsigned char)name[n - 1]); n--)
			name[n - 1] = '\0';
		if (!*name)
			ok = err_set(&why, ERR_CONFIG, list ? list : "", "a name is missing");
		else
			ok = read_one(name, dir, map, &why);
	}
	free(names);
	if (ok)
		return map;
	if (err)
		*err = why;
	prometheus_map_free(map);
	return NULL;
}
