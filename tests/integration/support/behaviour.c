/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/integration/support/behaviour.h"

#include <stdio.h>
#include <string.h>

#include "backends/contract/needs.h"
#include "base/clock.h"
#include "base/str.h"

/* Written before any thread runs. */
static char script[200], log_command[200];

void behaviour_set(const char *script_path, const char *log_path)
{
	(void)snprintf(script, sizeof(script), "exec sh %s", script_path);
	(void)snprintf(log_command, sizeof(log_command), "cat %s", log_path);
}

/* "KIND-0": the fast-tier request for a device of this kind. */
static void plan_fast(const struct target *t, struct request_list *out)
{
	const char *known = facts_get(t->facts, "chip");
	struct request *r;

	if (str_starts(t->device, "hang")) {
		r = requests_ssh(out, "fast", "sleep 60", NULL);
		r->timeout_us = CLOCK_SEC / 5;
	} else if (str_starts(t->device, "late")) {
		if (!*facts_get(t->facts, FACT_UNANSWERED "late"))
			requests_ssh(out, "late", "sleep 60", NULL)->timeout_us = CLOCK_SEC / 5;
		requests_ssh(out, "fast", "echo fast", NULL);
	} else if (str_starts(t->device, "halfway")) {
		r = requests_ssh(out, "fast", "echo fast; exec sleep 60", NULL);
		r->timeout_us = CLOCK_SEC / 5;
		r->partial = true;
	} else if (str_starts(t->device, "flood")) {
		r = requests_ssh(out, "fast", "yes", NULL);
		r->cap = 1 << 20;
	} else if (str_starts(t->device, "script")) {
		requests_ssh(out, "fast", script, NULL);
	} else if (str_starts(t->device, "facts")) {
		requests_ssh(out, "fast", str_eq(known, "TH4") ? script : "echo unknown", NULL);
	} else if (str_starts(t->device, "again")) {
		requests_ssh(out, "fast", *known ? "echo fast" : "echo again", NULL);
	} else if (str_starts(t->device, "stubborn")) {
		requests_ssh(out, "fast", "echo again", NULL);
	} else if (str_starts(t->device, "garbage")) {
		requests_ssh(out, "fast", "echo rubbish; echo 'tool: broken' >&2", NULL);
	} else {
		requests_ssh(out, "fast", "echo fast", NULL);
	}
}

static void plan_slow(const struct target *t, struct request_list *out)
{
	for (int i = 0; i < (str_starts(t->device, "many") ? 1 : 12); i++) {
		struct request *r = requests_ssh(out, "slow",
			str_starts(t->device, "slow") ? "sleep 60" : "echo slow", NULL);

		r->timeout_us = 100 * CLOCK_SEC;
	}
}

static void plan_detect(const struct target *t, struct request_list *out)
{
	if (str_starts(t->device, "facts"))
		requests_ssh(out, "detect", "echo detect TH4", NULL);
	if (str_starts(t->device, "undetected"))
		requests_ssh(out, "detect", "echo 'no such command' >&2; exit 127", NULL);
}

static void plan_events(const struct target *t, struct request_list *out)
{
	struct request *r = NULL;

	if (str_starts(t->device, "log"))
		r = requests_follow(out, "log", log_command);
	if (str_starts(t->device, "nolog"))
		r = requests_follow(out, "log", "sh -c \"echo not permitted >&2; exit 1\"");
	if (str_starts(t->device, "babble"))
		r = requests_follow(out, "log", "yes log: nothing of interest");
	if (r)
		r->cap = 4096;
}

bool behaviour_plan(
	const struct target *t, enum poll_tier tier, struct request_list *out, struct err *err)
{
	(void)err;
	if (tier == POLL_FAST)
		plan_fast(t, out);
	if (tier == POLL_FAST && str_starts(t->device, "shell"))
		out->at.at[0].shell = true;
	if (tier == POLL_MEDIUM)
		requests_ssh(out, "medium", "echo medium", NULL);
	if (tier == POLL_SLOW)
		plan_slow(t, out);
	if (tier == POLL_DETECT)
		plan_detect(t, out);
	if (tier == POLL_EVENTS)
		plan_events(t, out);
	return true;
}

/* Of "log: ALARM words" the words are an event, other lines are of no interest. */
static bool parse_log(const char *bytes, struct obs *out)
{
	const char *at = strstr(bytes, "ALARM ");
	char text[64];

	if (strstr(bytes, "not permitted"))
		need_say(out, NEED_LOG, VALID_DISABLED, "usermod -aG adm");
	for (; at; at = strstr(at + 1, "ALARM ")) {
		str_copyn(text, sizeof(text), at + 6, strcspn(at + 6, "\n"));
		obs_log(out, OBS_NO_PORT, -1, true, 0, text);
	}
	return true;
}

atomic_uint behaviour_stubborn;

bool behaviour_parse(const struct target *t, const char *request, const char *bytes, size_t len,
	struct obs *out, struct err *err)
{
	if (str_eq(request, "log"))
		return parse_log(bytes, out);
	if (str_starts(bytes, "again")) {
		out->again = true;
		if (str_starts(t->device, "stubborn"))
			(void)atomic_fetch_add(&behaviour_stubborn, 1);
		else
			obs_fact(out, "chip", "known");
		return true;
	}
	if (strncmp(bytes, request, strlen(request)) != 0)
		return err_set(err, ERR_PROTOCOL, t->device, "%s: %zu strange bytes", request, len);
	if (str_eq(request, "detect"))
		obs_fact(out, "chip", "TH4");
	obs_number(out, OBS_NO_PORT, ATTR_UPTIME_S, 0, 1);
	if (str_starts(t->device, "more") && str_eq(request, "fast") &&
		!*facts_get(t->facts, "chip")) {
		(void)obs_more(out, "medium");
		out = obs_more(out, "medium");
		obs_fact(out, "chip", "known");
		out->result = OBS_FAILED;
	}
	return true;
}
