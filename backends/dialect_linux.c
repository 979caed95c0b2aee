/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/dialect_linux.h"

#include <string.h>

#include "backends/parse_json.h"
#include "base/str.h"

/*
 * A Linux host with RDMA NICs: one `sh -s` a poll prints sysfs counters, link state, `ethtool -S`
 * and FEC of every RDMA port. Ports are named by their RDMA device, as NCCL names them.
 */

static bool linux_plan(
	const struct target *t, enum poll_tier tier, struct request_list *out, struct err *err)
{
	(void)t;
	(void)err;
	if (tier == POLL_FAST)
		requests_ssh(out, "fast", "sh -s", linux_fast_script);
	else if (tier == POLL_SLOW)
		requests_ssh(out, "slow", "sh -s", linux_slow_script);
	return true;
}

static int linux_score(const char *text, size_t len)
{
	/* Network systems are Linux as well: they have dialects of their own. */
	if (memmem(text, len, "SONiC", 5) || memmem(text, len, "Arista", 6) ||
		memmem(text, len, "Cumulus", 7))
		return 10;
	return memmem(text, len, "Linux", 5) ? 70 : 0;
}

static bool linux_parse(const struct target *t, const char *request, const char *bytes, size_t len,
	struct obs *o, struct err *err)
{
	struct host h = {.target = t, .o = o};
	char line[128];
	bool ok;

	if (str_eq(request, "fast"))
		ok = linux_parse_fast(&h, bytes, len, err);
	else if (str_eq(request, "slow"))
		ok = linux_parse_slow(&h, bytes, len, err);
	else
		return err_set(
			err, ERR_INTERNAL, t->device, "linux has no request \"%s\"", request);
	if (!ok) {
		err_set(err, ERR_PROTOCOL, t->device, "expected the output of the script, got: %s",
			parse_first_line(bytes, len, line, sizeof(line)));
		err_cure(err, "the login shell must run `sh -s`: try ssh %s sh -s </dev/null",
			t->device);
	} else if (!h.ended) {
		err_set(&o->err, ERR_PROTOCOL, t->device,
			"the script's output breaks off after %zu bytes", len);
		err_cure(&o->err, "a tool on the host hangs or was killed: run ethtool -S by hand");
	}
	host_free(&h);
	return ok;
}

const struct backend_ops backend_linux = {
	.name = "linux",
	.title = "Linux host with RDMA NICs (shell over SSH)",
	.transports = 1u << TRANSPORT_SSH,
	.probe = "uname -a; cat /etc/os-release",
	.score = linux_score,
	.plan = linux_plan,
	.parse = linux_parse,
};
