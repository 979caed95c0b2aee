/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_IMPORT_ANSIBLE_H
#define APP_IMPORT_ANSIBLE_H

#include "app/import/import.h"

/* Private to app/import: the groups and hosts of an inventory of Ansible, of any form. */

#define ANSIBLE_DEPTH      32
#define ANSIBLE_GROUPS_MAX 10000

/* The variables with the address and the system of a host; "": not set. */
struct ansible_vars {
	char address[256], system[96];
};

/* The group of this name, which is added if it is new. SIZE_MAX: there are too many. */
size_t ansible_group(struct import *im, const char *name);
/* Valid until the next group is added. */
struct ansible_vars *ansible_group_vars(struct import *im, size_t group);
void ansible_take_var(struct ansible_vars *to, const char *key, const char *value);
void ansible_child(struct import *im, size_t group, const char *child);
/* Adds the hosts of a pattern, "node[01:32]" or "leaf1", to a group. */
void ansible_hosts(
	struct import *im, size_t group, const char *pattern, const struct ansible_vars *vars);
size_t ansible_host_count(const struct import *im);
/* Gives each host the variables and the role of its groups; those of a child come first. */
void ansible_finish(struct import *im);

#endif
