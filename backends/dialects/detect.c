/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/dialects/detect.h"

#include <string.h>

#include "backends/contract/reads.h"
#include "base/str.h"

#define ROLE "role"

/* Hosts and switches both run Linux; their additional parts distinguish them. */
static const char role_command[] = "ls -d ${SYS:-/sys}/class/infiniband/* 2>/dev/null; "
				   "command -v vtysh 2>/dev/null; echo role-end";

static bool detect_plan(
	const struct target *t, enum poll_tier tier, struct request_list *out, struct err *err)
{
	(void)t;
	(void)err;
	if (tier != POLL_FAST)
		return true;
	for (size_t i = 0; i < backend_count; i++)
		if (backend_table[i]->probe)
			requests_ssh(out, backend_table[i]->name, backend_table[i]->probe, NULL);
	requests_ssh(out, ROLE, role_command, NULL);
	return true;
}

static void find_dialect(const char *bytes, size_t len, struct obs *o)
{
	const struct backend_ops *best = NULL;
	int most = 0;
	char score[8];

	for (size_t i = 0; i < backend_count; i++) {
		int s = backend_table[i]->score ? backend_table[i]->score(bytes, len) : 0;

		if (s > most) {
			most = s;
			best = backend_table[i];
		}
	}
	if (!best)
		return;
	str_printf(score, sizeof(score), "%d", most);
	obs_fact(o, "dialect", best->name);
	obs_fact(o, "score", score);
}

static bool detect_parse(const struct target *t, const char *request, const char *bytes, size_t len,
	struct obs *o, struct err *err)
{
	(void)t;
	(void)err;
	if (!str_eq(request, ROLE)) {
		find_dialect(bytes, len, o);
		return true;
	}
	if (memmem(bytes, len, "/class/infiniband/", 18))
		obs_fact(o, "rdma", "1");
	if (memmem(bytes, len, "/vtysh", 6))
		obs_fact(o, "frr", "1");
	return true;
}

static bool detect_reads(const struct request *r)
{
	if (!reads_plain(r) || r->input || r->follow || !r->command)
		return false;
	for (size_t i = 0; i < backend_count; i++)
		if (backend_table[i]->probe && str_eq(r->command, backend_table[i]->probe))
			return true;
	return str_eq(r->command, role_command);
}

const struct backend_ops backend_detect = {
	.name = "detect",
	.title = "whatever it is",
	.transports = 1u << TRANSPORT_SSH,
	.plan = detect_plan,
	.parse = detect_parse,
	.reads = detect_reads,
};
