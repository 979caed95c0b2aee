/* SPDX-License-Identifier: Apache-2.0 */
#include "app/inventory/site_policy.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "app/inventory/inventory_yaml.h"
#include "app/inventory/inventory_yaml_schema.h"
#include "base/buf.h"

static void read_site(yaml_document_t *doc, struct problems *problems, void *ctx)
{
	static const struct key keys[] = {{"actions", yaml_read_limits, 0}};
	struct reader r = {.doc = doc, .problems = problems};
	const yaml_node_t *root = yaml_document_get_root_node(doc);

	if (root)
		(void)yaml_read_map(&r, root, keys, 1, ctx);
}

static void keep_first(void *ctx, const struct err *problem)
{
	struct err *first = ctx;

	if (first->code == ERR_NONE)
		*first = *problem;
}

/* False also where somebody else may have written it. */
static bool only_owner_writes(const char *path, uid_t owner, const struct stat *st, struct err *err)
{
	if (!S_ISREG(st->st_mode))
		return err_set(err, ERR_CONFIG, path, "is no regular file");
	if (st->st_uid == owner && !(st->st_mode & (S_IWGRP | S_IWOTH)))
		return true;
	(void)err_set(err, ERR_CONFIG, path,
		"can be written by others (owner %lu, mode %04o): it does not bind operators",
		(unsigned long)st->st_uid, (unsigned)(st->st_mode & 07777));
	return err_cure(err, "chown root %s; chmod 644 %s", path, path);
}

static void take_strictest(struct plan *plan, const struct plan_actions *site)
{
	struct plan_actions *a = &plan->actions;
	unsigned per_hour = a->per_hour ? a->per_hour : ACTIONS_PER_HOUR;
	int64_t switch_us = a->switch_us ? a->switch_us : ACTIONS_SWITCH_US;
	int64_t port_us = a->port_us ? a->port_us : ACTIONS_PORT_US;

	a->four_eyes |= site->four_eyes;
	if (site->per_hour && site->per_hour < per_hour)
		a->per_hour = site->per_hour;
	if (site->hosts_out && site->hosts_out < plan_hosts_out(plan))
		a->hosts_out = site->hosts_out;
	if (site->switch_us > switch_us)
		a->switch_us = site->switch_us;
	if (site->port_us > port_us)
		a->port_us = site->port_us;
}

bool site_policy_apply(const char *path, uid_t owner, struct plan *plan, struct err *err)
{
	struct problems problems = {.file = path};
	struct plan_actions site = {0};
	struct err first = {0};
	struct stat st;
	struct buf text;
	bool ok;

	if (lstat(path, &st) != 0) {
		if (errno == ENOENT || errno == ENOTDIR)
			return true;
		return err_system(err, ERR_CONFIG, path, "", errno);
	}
	if (!only_owner_writes(path, owner, &st, err))
		return false;
	buf_init(&text, INVENTORY_FILE_MAX);
	ok = inventory_slurp(path, &text, err);
	if (ok) {
		yaml_with_document(
			text.data ? text.data : "", text.len, &problems, read_site, &site);
		ok = problems_report(&problems, keep_first, &first);
		if (!ok && err)
			*err = first;
	}
	buf_free(&text);
	if (ok)
		take_strictest(plan, &site);
	return ok;
}
