/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/integration/support/wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/transport/credentials.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "tests/integration/support/scratch.h"
#include "tests/support/cases.h"

#define PATIENCE_MS 40000

static void on_guard(uv_timer_t *t)
{
	(void)t;
}

static void on_up(void *ctx)
{
	((struct wire *)ctx)->up = true;
}

static void on_down(void *ctx, const struct err *why)
{
	struct wire *w = ctx;

	w->down = true;
	w->err = *why;
}

static void on_answer(void *ctx, const struct answer *a)
{
	struct wire *w = ctx;

	free(w->bytes);
	w->bytes = mem_calloc(a->len + 1, 1);
	memcpy(w->bytes, a->bytes, a->len);
	w->len = a->len;
	w->status = a->status;
	(void)str_copy(w->complaint, sizeof(w->complaint), a->complaint);
	w->err = a->err;
	w->answered = true;
}

static void turn_until(struct wire *w, const bool *a, const bool *b)
{
	int64_t until = now_ms() + PATIENCE_MS;

	while (!*a && !*b) {
		if (now_ms() > until)
			fail_msg("nothing came of %s", w->device.name);
		uv_run(&w->loop, UV_RUN_ONCE);
	}
}

bool wire_ask(struct wire *w, const struct request *r)
{
	static const bool never = false;

	w->answered = false;
	w->err = (struct err){0};
	w->transport->ask(w->link, r, POLL_FAST, on_answer, w);
	turn_until(w, &w->answered, &never);
	return w->err.code == ERR_NONE;
}

/* ---- where it is ---- */

static char *beside(const struct lab *l, const char *file)
{
	char path[256];

	(void)str_printf(path, sizeof(path), "%s/%s", l->dir, file);
	return mem_strdup(path);
}

/* The number behind the words in the inventory's line that has both; fails the test otherwise. */
static unsigned number_in(const char *text, const char *line_has, const char *words)
{
	const char *at = strstr(text, line_has), *end;
	const char *begin = at;
	char line[512];

	assert_non_null(at);
	while (begin > text && begin[-1] != '\n')
		begin--;
	end = strchr(at, '\n');
	(void)str_copyn(line, sizeof(line), begin, end ? (size_t)(end - begin) : strlen(begin));
	at = strstr(line, words);
	assert_non_null(at);
	return (unsigned)strtoul(at + strlen(words), NULL, 10);
}

static void find_device(struct wire *w, const struct lab *l, const char *name, const char *dialect)
{
	bool https = w->transport == &transport_rest;
	char line[64], file[64] = "", reference[300];
	static char text[1 << 16];
	FILE *f = fopen(l->inventory, "r");
	const char *at;
	size_t n;

	assert_non_null(f);
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = '\0';
	(void)fclose(f);
	(void)str_printf(line, sizeof(line), "dialect: %s", dialect);
	at = strstr(text, line);
	assert_non_null(at);
	while (at > text && at[-1] != '\n')
		at--;
	at = strstr(at, "address: \"");
	assert_non_null(at);
	at += strlen("address: \"");
	/* The first of the bracket, which is -000. */
	n = strcspn(at, "[\"");
	w->device.address = mem_calloc(64, 1);
	(void)str_printf(w->device.address, 64, "%.*s%.*s", (int)n, at,
		at[n] == '[' ? (int)strspn(at + n + 1, "0123456789") : 0, at + n + 1);
	w->device.port = https ? number_in(text, line, "port: ")
			       : number_in(text, "names: \"node", "port: ");
	(void)str_copy(w->device.name, sizeof(w->device.name), name);
	w->device.user = mem_strdup("noc");
	w->device.identity = beside(l, "id_ed25519");
	w->device.known_hosts = beside(l, "known_hosts");
	w->device.tls_ca = beside(l, "ca.pem");
	at = strstr(at, "file:");
	if (at)
		(void)str_copyn(file, sizeof(file), at + 5, strcspn(at + 5, "\""));
	(void)str_printf(reference, sizeof(reference), "file:%s/%s", l->dir, file);
	w->device.credentials = mem_strdup(https ? reference : "");
}

/* ---- the link ---- */

static void detect(struct wire *w)
{
	struct request_list l = {0};
	struct err err = {0};

	assert_true(w->ops->plan(&w->target, POLL_DETECT, &l, &err));
	for (size_t i = 0; i < l.at.n; i++) {
		struct obs *o = obs_new(w->device.name, l.at.at[i].name);

		if (!wire_ask(w, &l.at.at[i]))
			fail_msg("%s: %s", l.at.at[i].name, w->err.text);
		if (w->ops->parse(&w->target, l.at.at[i].name, w->bytes, w->len, o, &err))
			facts_learn(&w->facts, o);
		obs_free(o);
	}
	requests_free(&l);
}

void wire_open(struct wire *w, const struct lab *l, const char *name, const char *dialect,
	enum transport_kind transport, bool may_change)
{
	const struct credential *credential = NULL;
	struct link_events events = {.up = on_up, .down = on_down, .ctx = w};

	memset(w, 0, sizeof(*w));
	w->transport = transport_of(transport);
	w->ops = backend_by_name(dialect);
	find_device(w, l, name, dialect);
	w->target = (struct target){.device = w->device.name,
		.tier = TIER_SPINE,
		.transport = transport,
		.lossless = 8,
		.facts = &w->facts};
	w->credentials = credentials_new();
	if (*w->device.credentials) {
		credential =
			credentials_get(w->credentials, w->device.credentials, "the test", &w->err);
		if (!credential)
			fail_msg("%s", w->err.text);
	}
	uv_loop_init(&w->loop);
	uv_timer_init(&w->loop, &w->guard);
	uv_timer_start(&w->guard, on_guard, 100, 100);
	w->shard = w->transport->shard_open(&w->loop);
	w->link = w->transport->open(w->shard, &w->device, w->ops, credential, &events);
	if (may_change)
		w->transport->permit(w->link);
	w->transport->connect(w->link);
	if (transport == TRANSPORT_SSH)
		turn_until(w, &w->up, &w->down);
	if (w->down)
		fail_msg("%s: %s", name, w->err.text);
	detect(w);
}

void wire_close(struct wire *w)
{
	w->transport->close(w->link);
	w->transport->shard_close(w->shard);
	uv_close((uv_handle_t *)&w->guard, NULL);
	uv_run(&w->loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&w->loop), 0);
	credentials_free(w->credentials);
	facts_free(&w->facts);
	free(w->bytes);
	free(w->device.address);
	free(w->device.user);
	free(w->device.identity);
	free(w->device.known_hosts);
	free(w->device.tls_ca);
	free(w->device.credentials);
}

/* ---- orders ---- */

static struct reply reply_of(const struct wire *w)
{
	return (struct reply){
		.bytes = w->bytes, .len = w->len, .status = w->status, .complaint = w->complaint};
}

struct condition wire_look(struct wire *w, const struct order *o)
{
	struct request_list l = {0};
	struct condition c;
	struct err err = {0};

	condition_init(&c);
	if (!w->ops->changes->look(&w->target, o, &l, &err))
		fail_msg("look: %s", err.text);
	for (size_t i = 0; i < l.at.n; i++) {
		struct reply r;

		if (!wire_ask(w, &l.at.at[i]))
			fail_msg("%s: %s (%s)", l.at.at[i].name, w->err.text, w->err.cure);
		r = reply_of(w);
		if (!w->ops->changes->see(&w->target, o, l.at.at[i].name, &r, &c, &err))
			fail_msg("%s: %s: %.400s", l.at.at[i].name, err.text, w->bytes);
	}
	requests_free(&l);
	return c;
}

enum taken wire_send(struct wire *w, const struct order *o, const struct condition *now)
{
	struct request_list l = {0};
	struct change_notes notes = {0};
	enum taken t = TAKEN_NO;
	struct reply r;

	w->err = (struct err){0};
	if (!w->ops->changes->command(&w->target, o, now, &l, &w->err))
		fail_msg("%s: %s", verb_name(o->verb), w->err.text);
	assert_int_equal(l.at.n, 1);
	if (wire_ask(w, &l.at.at[0])) {
		r = reply_of(w);
		t = w->ops->changes->taken(&w->target, o, l.at.at[0].name, &r, &notes, &w->err);
	}
	requests_free(&l);
	return t;
}

bool wire_met(struct wire *w, const struct order *o, struct condition *now)
{
	int64_t until = now_ms() + PATIENCE_MS;
	enum goal g;

	do {
		*now = wire_look(w, o);
		g = order_goal(o, now, NULL, 0);
	} while (g != GOAL_MET && now_ms() < until);
	return g == GOAL_MET;
}
