/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "actions/ledger/ledger_file.h"
#include "base/mem.h"
#include "base/str.h"

#define uthash_malloc(size)  mem_alloc(size)
#define uthash_free(p, size) free(p)
#include <uthash.h>
#include <utlist.h>

/* Acts that have begun and not ended yet, collected from the ledger's lines in their order. */

struct entry {
	struct open_act open; /* first member: the list links entries by it */
	UT_hash_handle hh;
};
struct open_acts {
	struct entry *table;
	struct open_act *list; /* oldest first */
	uint64_t n;
};

struct open_acts *open_acts_new(void)
{
	return mem_calloc(1, sizeof(struct open_acts));
}

static void remove_entry(struct open_acts *o, struct entry *e)
{
	HASH_DEL(o->table, e);
	DL_DELETE(o->list, &e->open);
	o->n--;
	json_decref(e->open.steps);
	free(e);
}

void open_acts_free(struct open_acts *o)
{
	struct entry *e, *next;

	if (!o)
		return;
	HASH_ITER (hh, o->table, e, next)
		remove_entry(o, e);
	free(o);
}

static struct entry *add_entry(struct open_acts *o, const char *act, json_t *line)
{
	struct entry *e = mem_calloc(1, sizeof(*e));

	(void)str_copy(e->open.act, sizeof(e->open.act), act);
	(void)str_copy(e->open.device, sizeof(e->open.device), member_text(line, "device"));
	(void)str_copy(e->open.user, sizeof(e->open.user),
		person_of(member_text(line, "user"), member_text(line, "via")));
	(void)str_copy(e->open.host, sizeof(e->open.host), member_text(line, "host"));
	e->open.pid = (long)json_integer_value(json_object_get(line, "pid"));
	if (!ledger_time_parse(member_text(line, "t"), &e->open.begun_us))
		e->open.begun_us = 0;
	(void)str_copy(e->open.action, sizeof(e->open.action), member_text(line, "action"));
	(void)str_copy(e->open.port, sizeof(e->open.port), member_text(line, "port"));
	e->open.steps = json_incref(json_object_get(json_object_get(line, "plan"), "steps"));
	HASH_ADD_STR(o->table, open.act, e);
	DL_APPEND(o->list, &e->open);
	o->n++;
	return e;
}

/* Appends the commands of an order: as they are typed, joined by "; ". */
static void add_requests(const json_t *order, char *dst, size_t size)
{
	const json_t *list = json_object_get(order, "requests"), *q;
	size_t i;

	json_array_foreach(list, i, q)
	{
		const char *text = member_text(q, "command");
		size_t n = strlen(dst);

		text = *text ? text : member_text(q, "body");
		(void)str_printf(dst + n, size - n, "%s%s", n ? "; " : "", text);
	}
}

/* The request that is about to leave, and the plan's way back from the step that it is of. */
static void note_sent(struct open_act *a, json_t *line)
{
	const char *verb = member_text(line, "verb");
	const json_t *step;
	size_t i;

	(void)str_copy(a->sent, sizeof(a->sent), member_text(line, "request"));
	a->answered = false;
	json_array_foreach(a->steps, i, step)
	{
		if (!str_eq(member_text(step, "verb"), verb))
			continue;
		a->undo[0] = a->again[0] = '\0';
		add_requests(step, a->again, sizeof(a->again));
		add_requests(json_object_get(step, "undo"), a->undo, sizeof(a->undo));
	}
}

void open_acts_line(struct open_acts *o, json_t *line)
{
	const char *event = member_text(line, "event");
	char act[sizeof(((struct open_act *)NULL)->act)];
	struct entry *e = NULL;

	(void)str_copy(act, sizeof(act), member_text(line, "act"));
	HASH_FIND_STR(o->table, act, e);
	if (strcmp(event, "begun") == 0 || strcmp(event, "unknown") == 0) {
		if (!e)
			e = add_entry(o, act, line);
		e->open.unknown = e->open.unknown || event[0] == 'u';
	} else if (e && strcmp(event, "sending") == 0) {
		note_sent(&e->open, line);
	} else if (e && strcmp(event, "answered") == 0) {
		e->open.answered = true;
	} else if (e && (strcmp(event, "settled") == 0 ||
				(!e->open.unknown && (strcmp(event, "done") == 0 ||
							     strcmp(event, "failed") == 0)))) {
		remove_entry(o, e);
	}
}

static bool runs_now(const struct open_act *a, const char *host, long pid)
{
	return !a->unknown && a->pid == pid && pid != 0 && str_eq(a->host, host);
}

void open_acts_list(const struct open_acts *o, const char *host, long pid, ledger_open_vec *out)
{
	const struct open_act *a;

	DL_FOREACH(o->list, a)
	{
		struct ledger_open x = {.begun_us = a->begun_us, .answered = a->answered};

		if (runs_now(a, host, pid))
			continue;
		(void)str_sanitise(x.act, sizeof(x.act), a->act, strlen(a->act));
		(void)str_sanitise(x.user, sizeof(x.user), a->user, strlen(a->user));
		(void)str_sanitise(x.action, sizeof(x.action), a->action, strlen(a->action));
		(void)str_sanitise(x.device, sizeof(x.device), a->device, strlen(a->device));
		(void)str_sanitise(x.port, sizeof(x.port), a->port, strlen(a->port));
		(void)str_sanitise(x.sent, sizeof(x.sent), a->sent, strlen(a->sent));
		(void)str_sanitise(x.again, sizeof(x.again), a->again, strlen(a->again));
		(void)str_sanitise(x.undo, sizeof(x.undo), a->undo, strlen(a->undo));
		vec_push(out, x);
	}
}

const struct open_act *open_acts_find(
	const struct open_acts *o, const char *device, const char *host, long pid)
{
	const struct open_act *a;

	DL_FOREACH(o->list, a)
	{
		if (!runs_now(a, host, pid) &&
			(!device || !a->device[0] || strcmp(a->device, device) == 0))
			return a;
	}
	return NULL;
}

uint64_t open_acts_count(const struct open_acts *o)
{
	return o->n;
}
