/* SPDX-License-Identifier: Apache-2.0 */
#include "app/import/ansible.h"

#include <stdlib.h>
#include <string.h>

#include "app/inventory/inventory.h"
#include "app/inventory/inventory_yaml.h"
#include "base/mem.h"
#include "base/str.h"
#include "fabric/plan/plan.h"

#define VISITS_MAX 1000000 /* of hosts by groups: groups may be in several others */

struct host_group {
	char name[96];
	struct ansible_vars vars;
	VEC(size_t) children;
	VEC(size_t) hosts;
};

struct host {
	size_t at; /* in the discovery */
	struct ansible_vars vars;
	unsigned address_depth, system_depth, role_depth; /* of the group that said it, plus one */
};

struct ansible {
	VEC(struct host_group) groups;
	VEC(struct host) hosts;
	struct name_index *group_names, *host_names;
	size_t visits;
};

static struct ansible *ansible_of(struct import *im)
{
	struct ansible *x = im->state;

	if (x)
		return x;
	x = im->state = mem_calloc(1, sizeof(*x));
	x->group_names = name_index_new();
	x->host_names = name_index_new();
	return x;
}

size_t ansible_host_count(const struct import *im)
{
	const struct ansible *x = im->state;

	return x ? x->hosts.n : 0;
}

size_t ansible_group(struct import *im, const char *name)
{
	struct ansible *x = ansible_of(im);
	struct host_group *g;
	unsigned at;

	if (name_index_find(x->group_names, name, &at))
		return at;
	if (x->groups.n >= ANSIBLE_GROUPS_MAX) {
		import_skip(im, "groups beyond the limit", name);
		return SIZE_MAX;
	}
	(void)name_index_add(x->group_names, name, (unsigned)x->groups.n, &at);
	g = vec_add(&x->groups);
	(void)str_copy(g->name, sizeof(g->name), name);
	return x->groups.n - 1;
}

struct ansible_vars *ansible_group_vars(struct import *im, size_t group)
{
	return &ansible_of(im)->groups.at[group].vars;
}

/* A template is filled in by a playbook only. */
void ansible_take_var(struct ansible_vars *to, const char *key, const char *value)
{
	if (!*value || strstr(value, "{{"))
		return;
	if (str_eq(key, "ansible_host") || str_eq(key, "ansible_ssh_host"))
		(void)str_copy(to->address, sizeof(to->address), value);
	else if (str_eq(key, "ansible_network_os"))
		(void)str_copy(to->system, sizeof(to->system), value);
}

void ansible_child(struct import *im, size_t group, const char *child)
{
	struct ansible *x = ansible_of(im);
	size_t at = *child ? ansible_group(im, child) : SIZE_MAX;

	if (at != SIZE_MAX && at != group)
		vec_push(&x->groups.at[group].children, at);
}

/* ---- hosts ---- */

struct adding {
	struct import *im;
	size_t group;
	const struct ansible_vars *vars;
};

static void add_host(void *ctx, const char *name)
{
	struct adding *a = ctx;
	struct ansible *x = ansible_of(a->im);
	struct host *h;
	unsigned at;

	if (!name_index_find(x->host_names, name, &at)) {
		size_t device = import_device(a->im, name);

		if (device == SIZE_MAX)
			return;
		(void)name_index_add(x->host_names, name, (unsigned)x->hosts.n, &at);
		h = vec_add(&x->hosts);
		h->at = device;
		at = (unsigned)(x->hosts.n - 1);
	}
	h = &x->hosts.at[at];
	if (a->vars->address[0])
		(void)str_copy(h->vars.address, sizeof(h->vars.address), a->vars->address);
	if (a->vars->system[0])
		(void)str_copy(h->vars.system, sizeof(h->vars.system), a->vars->system);
	vec_push(&x->groups.at[a->group].hosts, at);
}

/* Ansible writes ranges with a colon, [01:32], and letters, [a:f]; a colon elsewhere is a port. */
void ansible_hosts(
	struct import *im, size_t group, const char *pattern, const struct ansible_vars *vars)
{
	struct adding a = {im, group, vars};
	char list[256];
	struct err err = {0};
	bool in_range = false;

	if (!str_copy(list, sizeof(list), pattern)) {
		import_skip(im, "names that no device can have", pattern);
		return;
	}
	for (char *c = list; *c; c++) {
		in_range = *c == '[' || (in_range && *c != ']');
		if (*c != ':')
			continue;
		if (!in_range) {
			*c = '\0';
			break;
		}
		*c = '-';
	}
	if (!strchr(list, '['))
		add_host(&a, list);
	else if (!hostlist_expand(list, INVENTORY_DEVICES_MAX, add_host, &a, &err))
		import_skip(im, "ranges of names that are none", pattern);
}

/* ---- variables and roles ---- */

static void apply_host(struct import *im, const struct host_group *g, size_t host, unsigned depth)
{
	struct host *h = &ansible_of(im)->hosts.at[host];

	if (g->vars.system[0] && depth >= h->system_depth && !h->vars.system[0]) {
		import_system(im, h->at, g->vars.system);
		h->system_depth = depth + 1;
	}
	if (depth + 1 > h->role_depth && import_role(im, h->at, g->name, "its group in Ansible"))
		h->role_depth = depth + 1;
}

/* The hosts of a group and of all below it. */
static void apply_group(struct import *im, const struct host_group *from, size_t group,
	unsigned depth, unsigned below)
{
	struct ansible *x = ansible_of(im);
	const struct host_group *g = &x->groups.at[group];

	if (below > ANSIBLE_DEPTH || ++x->visits > VISITS_MAX)
		return;
	for (size_t i = 0; i < g->hosts.n && ++x->visits < VISITS_MAX; i++)
		apply_host(im, from, g->hosts.at[i], depth);
	for (size_t i = 0; i < g->children.n; i++)
		apply_group(im, from, g->children.at[i], depth, below + 1);
}

/* How far a group is below the top ones: a child overrides its parents. Loops end by the bound. */
static void find_depths(const struct ansible *x, unsigned *depth)
{
	bool changed = true;

	for (unsigned round = 0; changed && round < ANSIBLE_DEPTH; round++) {
		changed = false;
		for (size_t i = 0; i < x->groups.n; i++) {
			const struct host_group *g = &x->groups.at[i];

			for (size_t k = 0; k < g->children.n; k++) {
				unsigned *child = &depth[g->children.at[k]];

				if (*child > depth[i])
					continue;
				*child = depth[i] + 1;
				changed = true;
			}
		}
	}
}

void ansible_finish(struct import *im)
{
	struct ansible *x = im->state;
	unsigned *depth;

	if (!x)
		return;
	depth = mem_calloc(x->groups.n + 1, sizeof(*depth));
	find_depths(x, depth);
	for (size_t i = 0; i < x->groups.n; i++)
		apply_group(im, &x->groups.at[i], i, depth[i], 0);
	if (x->visits >= VISITS_MAX)
		import_skip(im, "roles of hosts in more groups than can be followed", "");
	for (size_t i = 0; i < x->hosts.n; i++) {
		const struct host *h = &x->hosts.at[i];

		import_address(im, h->at, h->vars.address);
		import_system(im, h->at, h->vars.system);
	}
	free(depth);
	for (size_t i = 0; i < x->groups.n; i++) {
		vec_free(&x->groups.at[i].children);
		vec_free(&x->groups.at[i].hosts);
	}
	vec_free(&x->groups);
	vec_free(&x->hosts);
	name_index_free(x->group_names);
	name_index_free(x->host_names);
	free(x);
	im->state = NULL;
}
