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
	HASH_ADD_STR(o->table, open.act, e);
	DL_APPEND(o->list, &e->open);
	o->n++;
	return e;
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
	} else if (e && (strcmp(event, "settled") == 0 ||
				(!e->open.unknown && (strcmp(event, "done") == 0 ||
							     strcmp(event, "failed") == 0)))) {
		remove_entry(o, e);
	}
}

const struct open_act *open_acts_find(
	const struct open_acts *o, const char *device, const char *host, long pid)
{
	const struct open_act *a;

	DL_FOREACH(o->list, a)
	{
		bool running = !a->unknown && a->pid == pid && pid != 0 && str_eq(a->host, host);

		if (!running && (!device || !a->device[0] || strcmp(a->device, device) == 0))
			return a;
	}
	return NULL;
}

uint64_t open_acts_count(const struct open_acts *o)
{
	return o->n;
}
