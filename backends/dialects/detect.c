/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/dialects/detect.h"

#include <string.h>

#include "backends/contract/reads.h"
#include "backends/dialects/role.h"
#include "base/clock.h"
#include "base/str.h"

#define ROLE_TIMEOUT_US (15 * CLOCK_SEC)

/* Of each system with a shell: the probes of linux, cumulus and sonic in one. */
static const char shell_command[] = "uname -a; cat /etc/os-release; "
				    "cat /etc/sonic/sonic_version.yml 2>/dev/null; true";

static bool is_first_with_probe(size_t i)
{
	if (!backend_table[i]->probe || strchr(backend_table[i]->probe, '/'))
		return false;
	for (size_t k = 0; k < i; k++)
		if (backend_table[k]->probe &&
			str_eq(backend_table[k]->probe, backend_table[i]->probe))
			return false;
	return true;
}

static void ask_role(struct request_list *out)
{
	struct request *r = requests_ssh(out, DETECT_ROLE, "sh -s", linux_role_script);

	r->timeout_us = ROLE_TIMEOUT_US;
	r->partial = true;
}

/* A script is sent to a shell only, which has answered, and "show version" only to what has none.
 */
static bool detect_plan(
	const struct target *t, enum poll_tier tier, struct request_list *out, struct err *err)
{
	(void)err;
	if (tier == POLL_DETECT)
		requests_ssh(out, DETECT_SHELL, shell_command, NULL);
	if (tier != POLL_FAST)
		return true;
	if (str_eq(facts_get(t->facts, "shell"), "linux")) {
		ask_role(out);
	} else if (!*facts_get(t->facts, "shell")) {
		for (size_t i = 0; i < backend_count; i++)
			if (is_first_with_probe(i))
				requests_ssh(
					out, backend_table[i]->name, backend_table[i]->probe, NULL);
	}
	return true;
}

/* Both at once: the device is slow, perhaps. */
static bool detect_linux_plan(
	const struct target *t, enum poll_tier tier, struct request_list *out, struct err *err)
{
	(void)t;
	(void)err;
	if (tier != POLL_FAST)
		return true;
	requests_ssh(out, DETECT_SHELL, shell_command, NULL);
	ask_role(out);
	return true;
}

size_t detect_probes(void)
{
	size_t n = 0;

	for (size_t i = 0; i < backend_count; i++)
		n += is_first_with_probe(i);
	return n;
}

const struct backend_ops *detect_score(const char *text, size_t len, int *score)
{
	const struct backend_ops *best = NULL;

	*score = 0;
	for (size_t i = 0; i < backend_count; i++) {
		int s = backend_table[i]->score ? backend_table[i]->score(text, len) : 0;

		if (s > *score) {
			*score = s;
			best = backend_table[i];
		}
	}
	return best;
}

static void find_dialect(const char *bytes, size_t len, struct obs *o)
{
	int most;
	const struct backend_ops *best = detect_score(bytes, len, &most);
	char score[8];

	if (!best)
		return;
	str_printf(score, sizeof(score), "%d", most);
	obs_fact(o, "dialect", best->name);
	obs_fact(o, "score", score);
	if (str_eq(o->request, DETECT_SHELL))
		obs_fact(o, "shell", best->name);
}

static bool detect_parse(const struct target *t, const char *request, const char *bytes, size_t len,
	struct obs *o, struct err *err)
{
	(void)err;
	/* Another system refuses the script: that is no failure. */
	if (str_eq(request, DETECT_ROLE))
		(void)linux_parse_role(t, bytes, len, o);
	else
		find_dialect(bytes, len, o);
	return true;
}

static bool detect_reads(const struct request *r)
{
	if (!reads_plain(r) || r->follow || !r->command)
		return false;
	if (r->input)
		return str_eq(r->command, "sh -s") && str_eq(r->input, linux_role_script);
	for (size_t i = 0; i < backend_count; i++)
		if (is_first_with_probe(i) && str_eq(r->command, backend_table[i]->probe))
			return true;
	return str_eq(r->command, shell_command);
}

const struct backend_ops backend_detect = {
	.name = "detect",
	.title = "whatever it is",
	.transports = 1u << TRANSPORT_SSH,
	.plan = detect_plan,
	.parse = detect_parse,
	.reads = detect_reads,
};

const struct backend_ops backend_detect_linux = {
	.name = "detect-linux",
	.title = "Linux, by its neighbours' word",
	.transports = 1u << TRANSPORT_SSH,
	.plan = detect_linux_plan,
	.parse = detect_parse,
	.reads = detect_reads,
};
