/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/captures/sonic_ask.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "tests/support/cases.h"
#include "tests/support/run_command.h"

char *sonic_run(const struct sonic_redis *r, const struct target *t, enum poll_tier tier,
	const char *request, struct request_list *l, size_t *len)
{
	const char *environment[] = {r->path, NULL};
	struct err err = {0};
	int status;

	assert_true(backend_by_name("sonic")->plan(t, tier, l, &err));
	for (size_t i = 0; i < l->at.n; i++) {
		const char *argv[] = {"bash", "-c", l->at.at[i].command, NULL};

		if (str_eq(l->at.at[i].name, request))
			return run_command(argv, environment, NULL, len, &status);
	}
	fail_msg("no request %s", request);
	return NULL;
}

struct obs *sonic_ask(const struct sonic_redis *r, const struct target *t, struct facts *facts,
	enum poll_tier tier, const char *request)
{
	struct request_list l = {0};
	struct err err = {0};
	struct obs *o = obs_new(t->device, request);
	size_t len;
	char *out = sonic_run(r, t, tier, request, &l, &len);

	assert_non_null(out);
	if (!backend_by_name("sonic")->parse(t, request, out, len, o, &err))
		fail_msg("%s in: %.300s", err.text, out);
	/* More ports than the first call read: the next request names them all. */
	if (o->again && facts_news(facts, o) && !o->ports.n && strstr(out, "\"n\":")) {
		facts_learn(facts, o);
		free(out);
		requests_free(&l);
		obs_free(o);
		return sonic_ask(r, t, facts, tier, request);
	}
	if (tier == POLL_FAST)
		print_message("# figure fast reply: %zu ports, %zu bytes\n", o->ports.n, len);
	facts_learn(facts, o);
	free(out);
	requests_free(&l);
	return o;
}
