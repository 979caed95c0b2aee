/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "archive/export/topology.h"
#include "archive/export/topology_private.h"
#include "base/hostlist_compress.h"
#include "base/str.h"

static const char *const forms[TOPOLOGY_FORMS] = {
	"tree", "block", "tree.yaml", "block.yaml", "topograph"};

bool topology_form_by_name(const char *name, enum topology_form *out)
{
	for (unsigned i = 0; i < TOPOLOGY_TOPOGRAPH; i++) {
		if (str_eq(name, forms[i])) {
			*out = (enum topology_form)i;
			return true;
		}
	}
	return false;
}

struct file {
	const struct model *m;
	const struct units *u;
	enum topology_form form;
	FILE *out;
};

/* ---- names ---- */

/* A name that stands in these files as it is: no blank, bracket, comma, quote or control. */
bool topology_name_ok(const char *name)
{
	if (!isalnum((unsigned char)name[0]))
		return false;
	for (; *name; name++)
		if (!isalnum((unsigned char)*name) && !strchr("._-", *name))
			return false;
	return true;
}

static bool ends_in_digit(const char *name)
{
	size_t n = strlen(name);

	return n && isdigit((unsigned char)name[n - 1]);
}

/* In Slurm's lists nothing stands after a bracket: only numbers at the end are joined. */
static void add_names(const char_list *names, struct buf *b)
{
	for (size_t i = 0; i < names->n;) {
		size_t end = i + 1;

		if (i)
			(void)buf_adds(b, ",");
		while (ends_in_digit(names->at[i]) && end < names->n &&
			ends_in_digit(names->at[end]))
			end++;
		hostlist_compress(&names->at[i], end - i, b);
		i = end;
	}
}

void topology_print_names(const char_list *names, FILE *out)
{
	struct buf b;

	buf_init(&b, SIZE_MAX / 2);
	add_names(names, &b);
	if (b.len)
		(void)fwrite(b.data, 1, b.len, out);
	buf_free(&b);
}

void topology_device_names(const struct model *m, const device_ids *ids, char_list *out)
{
	for (size_t i = 0; i < ids->n; i++) {
		const char *name = m->devices.at[ids->at[i]]->name;

		if (topology_name_ok(name))
			vec_push(out, name);
	}
}

static void print_devices(const struct file *f, const device_ids *ids)
{
	char_list names = {0};

	topology_device_names(f->m, ids, &names);
	topology_print_names(&names, f->out);
	vec_free(&names);
}

/* ---- the tree ---- */

/* A pod of one unit needs no switch of its own. */
static const char *pod_top(const struct units *u, const struct pod *p)
{
	return p->units.n == 1 ? u->at.at[p->units.at[0]].name : p->name;
}

static bool unit_is_written(const struct file *f, const struct unit *unit)
{
	for (size_t i = 0; i < unit->hosts.n; i++)
		if (topology_name_ok(f->m->devices.at[unit->hosts.at[i]]->name))
			return true;
	return false;
}

static void print_switch(const struct file *f, const char *name, const char_list *children)
{
	if (f->form == TOPOLOGY_TREE) {
		(void)fprintf(f->out, "SwitchName=%s Switches=", name);
		topology_print_names(children, f->out);
	} else if (f->form == TOPOLOGY_TREE_YAML) {
		(void)fprintf(f->out, "      - switch: %s\n        children: ", name);
		topology_print_names(children, f->out);
	} else {
		(void)fprintf(f->out, "  %s:\n    switches:", name);
		for (size_t i = 0; i < children->n; i++)
			(void)fprintf(f->out, "\n    - %s", children->at[i]);
	}
	(void)fputc('\n', f->out);
}

static void print_pod(const struct file *f, const struct pod *p)
{
	char_list children = {0};

	for (size_t i = 0; i < p->units.n; i++)
		if (unit_is_written(f, &f->u->at.at[p->units.at[i]]))
			vec_push(&children, f->u->at.at[p->units.at[i]].name);
	if (p->units.n > 1 && children.n)
		print_switch(f, p->name, &children);
	vec_free(&children);
}

static void print_tops(const struct file *f)
{
	for (size_t i = 0; i < f->u->islands.n; i++) {
		const struct island *l = &f->u->islands.at[i];
		char_list children = {0};

		for (size_t k = 0; k < l->pods.n; k++)
			vec_push(&children, pod_top(f->u, &f->u->pods.at[l->pods.at[k]]));
		if (children.n > 1)
			print_switch(f, l->name, &children);
		vec_free(&children);
	}
	for (size_t i = 0; i < f->u->pods.n; i++)
		print_pod(f, &f->u->pods.at[i]);
}

/* Each unit with its hosts: its name stands between these two. */
static void print_units(const struct file *f, const char *before, const char *behind)
{
	for (size_t i = 0; i < f->u->at.n; i++) {
		const struct unit *unit = &f->u->at.at[i];

		if (!unit_is_written(f, unit))
			continue;
		(void)fprintf(f->out, "%s%s%s", before, unit->name, behind);
		print_devices(f, &unit->hosts);
		(void)fputc('\n', f->out);
	}
}

#define YAML_NODES "\n        nodes: "

static void print_leaf_switches(const struct file *f)
{
	if (f->form == TOPOLOGY_TREE)
		print_units(f, "SwitchName=", " Nodes=");
	else
		print_units(f, "      - switch: ", YAML_NODES);
}

/* ---- blocks ---- */

static unsigned count_hosts(const struct file *f, const struct unit *unit)
{
	unsigned n = 0;

	for (size_t i = 0; i < unit->hosts.n; i++)
		n += topology_name_ok(f->m->devices.at[unit->hosts.at[i]]->name);
	return n;
}

/* Levels of block sizes that Slurm reads. */
#define BLOCK_LEVELS 16

/* The base block is the smallest unit, for no block may have fewer nodes; then powers of two of it
 * as far as there are blocks. */
static void print_block_sizes(const struct file *f)
{
	unsigned least = 0, blocks = 0;

	for (size_t i = 0; i < f->u->at.n; i++) {
		unsigned n = count_hosts(f, &f->u->at.at[i]);

		blocks += n > 0;
		if (n && (!least || n < least))
			least = n;
	}
	if (f->form == TOPOLOGY_BLOCK)
		(void)fprintf(f->out, "BlockSizes=");
	for (unsigned level = 0; level < BLOCK_LEVELS && 1U << level <= blocks; level++)
		(void)fprintf(f->out,
			f->form == TOPOLOGY_BLOCK ? (level ? ",%u" : "%u") : "      - %u\n",
			least << level);
	if (f->form == TOPOLOGY_BLOCK)
		(void)fputc('\n', f->out);
}

static void print_blocks(const struct file *f)
{
	if (f->form == TOPOLOGY_BLOCK)
		print_units(f, "BlockName=", " Nodes=");
	else
		print_units(f, "      - block: ", YAML_NODES);
}

/* ---- Topograph ---- */

/* Switches without switches below them need no entry; a model of one unit has no other. */
static void print_topograph(const struct file *f)
{
	(void)fputs("switches:\n", f->out);
	print_tops(f);
	if (f->u->at.n == 1)
		(void)fprintf(f->out, "  %s:\n    switches: []\n", f->u->at.at[0].name);
	(void)fputs("blocks:\n", f->out);
	for (size_t i = 0; i < f->u->at.n; i++) {
		const struct unit *unit = &f->u->at.at[i];
		char_list names = {0};

		topology_device_names(f->m, &unit->hosts, &names);
		if (names.n)
			(void)fprintf(f->out, "- switch: %s\n  nodes: [", unit->name);
		for (size_t k = 0; k < names.n; k++)
			(void)fprintf(f->out, "%s\"%s\"", k ? ", " : "", names.at[k]);
		if (names.n)
			(void)fputs("]\n", f->out);
		vec_free(&names);
	}
}

/* ---- the file ---- */

static void print_comments(const struct file *f, int64_t now_us)
{
	const struct units *u = f->u;
	unsigned by_lldp = 0, by_plan = 0;
	char when[32];

	for (size_t i = 0; i < u->at.n; i++) {
		by_lldp += u->at.at[i].by_lldp;
		by_plan += u->at.at[i].by_plan;
	}
	(void)fprintf(f->out,
		"# railtop topology, %s, %s: %zu unit%s, %zu pod%s\n"
		"# links from hosts to leaves: %u by LLDP, %u by the plan alone\n",
		topology_name_ok(f->m->fabric) ? f->m->fabric : "fabric",
		model_utc(f->m, now_us, when, sizeof(when)), u->at.n, str_plural(u->at.n),
		u->pods.n, str_plural(u->pods.n), by_lldp, by_plan);
	for (size_t i = 0; i < u->at.n; i++) {
		(void)fprintf(f->out, "# %s: ", u->at.at[i].name);
		print_devices(f, &u->at.at[i].leaves);
		if (u->at.at[i].strays)
			(void)fprintf(f->out, "; %u of its hosts %s not all of these, or others",
				u->at.at[i].strays, u->at.at[i].strays == 1 ? "has" : "have");
		(void)fputc('\n', f->out);
	}
	if (u->islands.n > 1)
		(void)fprintf(f->out,
			"# no path between %zu parts is known: Slurm runs no job over two\n",
			u->islands.n);
	if (u->unplaced.n) {
		(void)fputs("# left out, no leaf is known: ", f->out);
		print_devices(f, &u->unplaced);
		(void)fputc('\n', f->out);
	}
}

static void print_file(const struct file *f)
{
	bool tree = f->form == TOPOLOGY_TREE_YAML;

	if (f->form == TOPOLOGY_TREE_YAML || f->form == TOPOLOGY_BLOCK_YAML)
		(void)fprintf(f->out, "- topology: %s\n  cluster_default: true\n  %s:\n",
			topology_name_ok(f->m->fabric) ? f->m->fabric : "railtop",
			tree ? "tree" : "block");
	switch (f->form) {
	case TOPOLOGY_TREE_YAML:
		(void)fputs("    switches:\n", f->out);
		/* fall through */
	case TOPOLOGY_TREE:
		print_tops(f);
		print_leaf_switches(f);
		break;
	case TOPOLOGY_BLOCK_YAML:
		(void)fputs("    block_sizes:\n", f->out);
		print_block_sizes(f);
		(void)fputs("    blocks:\n", f->out);
		print_blocks(f);
		break;
	case TOPOLOGY_BLOCK:
		print_blocks(f);
		print_block_sizes(f);
		break;
	default:
		print_topograph(f);
	}
}

bool topology_flushed(FILE *out, struct err *err)
{
	if (fflush(out) == 0 && !ferror(out))
		return true;
	return err_system(err, ERR_IO, "topology", "cannot write it", errno);
}

bool topology_write(const struct model *m, const struct units *u, enum topology_form form,
	int64_t now_us, FILE *out, struct err *err)
{
	struct file f = {.m = m, .u = u, .form = form, .out = out};
	bool any = false;

	for (size_t i = 0; i < u->at.n && !any; i++)
		any = unit_is_written(&f, &u->at.at[i]);
	if (!any) {
		err_set(err, ERR_UNSUPPORTED, "topology", "no host has a known leaf");
		return err_cure(err, "plan the links of the hosts (wiring: in the inventory), or "
				     "run an LLDP agent on hosts or leaves");
	}
	print_comments(&f, now_us);
	print_file(&f);
	return topology_flushed(out, err);
}
