/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Input: a request and the answer of a device that lies, as tests/support/asked.h reads them. The
 * Makefile builds this once for each line of backends/backends.def, with DIALECT its name. The same
 * bytes also answer a change: the facts "verb", "port", "peer" and "status" choose it, and if they
 * are absent, the length does.
 */
#include "tests/fuzz/decoder.h"

#include <stdlib.h>
#include <string.h>

#include "backends/contract/change.h"
#include "base/str.h"
#include "tests/support/incremental/cache_both.h"
#include "tests/support/incremental/cache_numbers.h"
#include "tests/support/incremental/answer_change.h"
#include "tests/support/asked.h"

/* A refusal without a word, or an item that points nowhere, is a bug as well as a crash. */
static void check(const struct obs *o, bool ok, const struct err *err)
{
	if (!ok && (!*err->text || err->code == ERR_NONE))
		abort();
	for (; o; o = o->more) {
		for (size_t i = 0; i < o->items.n; i++)
			if (o->items.at[i].port != OBS_NO_PORT && o->items.at[i].port >= o->ports.n)
				abort();
		for (size_t i = 0; i < o->strings.n; i++)
			if (o->strings.at[i] == '\x1b')
				abort();
	}
}

static void decode(const struct backend_ops *ops, const struct asked *a, const char *bytes)
{
	struct obs *o = obs_new(a->target.device, a->request);
	struct err err = {0};

	o->received_us = INT64_C(1763750000000000);
	check(o, ops->parse(&a->target, a->request, bytes, a->len, o, &err), &err);
	obs_free(o);
}

/* The next answers, with the positions learnt from this one: both ways give the same. */
static void decode_next(const struct backend_ops *ops, const struct asked *a, const char *bytes)
{
	struct answer_change c = {.seed = a->len * 2 + 1};
	struct answer_cache_both both;

	again_both_begin(&both);
	for (int i = 0; i < 4; i++) {
		struct buf next = {0};

		if (!again_both_read(&both, ops, &a->target, a->request, bytes, a->len))
			abort();
		answer_mangle(&c, bytes, a->len, &next);
		if (!again_both_read(&both, ops, &a->target, a->request, next.data ? next.data : "",
			    next.len))
			abort();
		buf_free(&next);
	}
	if (!again_numbers_read(&both, ops, &a->target, a->request, bytes, a->len, 6))
		abort();
	again_both_end(&both);
}

/* ---- changes ---- */

static const char *fact_or(const struct asked *a, const char *key, const char *other)
{
	const char *s = facts_get(a->target.facts, key);

	return *s ? s : other;
}

static struct order order_of(const struct asked *a)
{
	static const struct {
		const char *dialect, *port;
	} ports[] = {{"sonic", "Ethernet12"}, {"eos", "Ethernet12/1"}, {"nxos", "Ethernet1/12"},
		{"cumulus", "swp12"}, {"linux", "eth2"}};
	struct order o = {.priority = -1,
		.wd = {"drop", 200, 400, false},
		.asn = 65001,
		.seconds = 30,
		.group = "wredqueue"};

	if (!verb_by_name(facts_get(a->target.facts, "verb"), &o.verb))
		o.verb = (enum verb)(a->len % VERB_COUNT);
	for (size_t i = 0; i < sizeof(ports) / sizeof(ports[0]); i++)
		if (str_eq(ports[i].dialect, DIALECT))
			(void)str_copy(o.port, sizeof(o.port), ports[i].port);
	(void)str_copy(o.port, sizeof(o.port), fact_or(a, "port", o.port));
	(void)str_copy(o.peer, sizeof(o.peer), fact_or(a, "peer", ""));
	return o;
}

/* Words that a device told end in commands: none of them may have more in it than a name. */
static void check_words(const char *s, size_t size)
{
	if (strnlen(s, size) == size)
		abort();
	for (; *s; s++)
		if ((unsigned char)*s <= ' ' || strchr("\"'`$;&|<>(){}\\?#\x7f", *s))
			abort();
}

static void check_err(bool ok, const struct err *err)
{
	if (!ok && (!*err->text || err->code == ERR_NONE))
		abort();
}

static bool has_request(const struct request_list *l, const char *name)
{
	for (size_t i = 0; i < l->at.n; i++)
		if (str_eq(l->at.at[i].name, name))
			return true;
	return false;
}

/* The device's report of a port: of the question that the head names, or of all. */
static void see(const struct dialect_changes *can, const struct asked *a, const struct order *o,
	const struct reply *r, struct condition *c)
{
	struct request_list list = {0};
	struct err err = {0};
	char why[200] = "";

	if (can->look(&a->target, o, &list, &err)) {
		bool one = has_request(&list, a->request);

		for (size_t i = 0; i < list.at.n; i++) {
			if (one && !str_eq(list.at.at[i].name, a->request))
				continue;
			memset(&err, 0, sizeof(err));
			check_err(can->see(&a->target, o, list.at.at[i].name, r, c, &err), &err);
		}
	} else {
		check_err(false, &err);
	}
	requests_free(&list);
	check_words(c->netdev, sizeof(c->netdev));
	if (strnlen(c->hazard, sizeof(c->hazard)) == sizeof(c->hazard) ||
		strchr(c->hazard, '\x1b') ||
		strnlen(c->bgp_peer, sizeof(c->bgp_peer)) == sizeof(c->bgp_peer))
		abort();
	(void)order_goal(o, c, why, sizeof(why));
	if (strchr(why, '\x1b'))
		abort();
}

/* Each of them is one change, and no line of it has bytes that control a terminal. */
static void check_commands(const struct request_list *l)
{
	for (size_t i = 0; i < l->at.n; i++) {
		const struct request *q = &l->at.at[i];
		const char *texts[] = {q->command, q->input, q->path, q->body};

		if (!q->change)
			abort();
		for (size_t k = 0; k < sizeof(texts) / sizeof(texts[0]); k++)
			for (const char *s = texts[k]; s && *s; s++)
				if ((unsigned char)*s < ' ' && *s != '\n' && *s != '\t')
					abort();
	}
}

static void take(const struct dialect_changes *can, const struct asked *a, const struct order *o,
	const struct reply *r, const struct condition *now)
{
	static const char *const names[] = {
		"change", "revision", "set", "apply", "applied", "lines"};
	struct request_list list = {0};
	struct change_notes notes = {0};
	struct err err = {0};
	bool ok = can->command(&a->target, o, now, &list, &err);

	check_err(ok, &err);
	check_commands(&list);
	requests_free(&list);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		memset(&err, 0, sizeof(err));
		check_err(can->taken(&a->target, o, names[i], r, &notes, &err) != TAKEN_NO, &err);
		check_words(notes.revision, sizeof(notes.revision));
	}
}

static void change(const struct dialect_changes *can, const struct asked *a, const char *bytes)
{
	struct order o = order_of(a);
	struct reply r = {.bytes = bytes, .len = a->len, .complaint = ""};
	struct condition c;
	struct err err = {0};
	const char *status = facts_get(a->target.facts, "status");
	uint64_t number;

	r.status = a->target.transport == TRANSPORT_HTTPS ? 200 : 0;
	if (str_to_u64(status, &number))
		r.status = (int)(number % 1000);
	else if (str_eq(status, "none"))
		r.status = -1;
	if (!order_check(&o, &err))
		return;
	condition_init(&c);
	see(can, a, &o, &r, &c);
	take(can, a, &o, &r, &c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct backend_ops *ops = backend_by_name(DIALECT);
	struct asked a;
	char *exact;

	if (asked_read(&a, (const char *)data, size)) {
		exact = malloc(a.len + 1); /* reading past it is seen */
		if (!exact)
			abort();
		if (a.len)
			memcpy(exact, a.answer, a.len);
		exact[a.len] = '\0';
		decode(ops, &a, exact);
		decode_next(ops, &a, exact);
		if (ops->changes)
			change(ops->changes, &a, exact);
		free(exact);
	}
	asked_free(&a);
	return 0;
}
