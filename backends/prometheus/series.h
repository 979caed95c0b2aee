/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_PROMETHEUS_SERIES_H
#define BACKENDS_PROMETHEUS_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The series of one query, in the order of its last reply, which is nearly always that of the next
 * one: then a series that is known costs a comparison, and 16 bytes. There may be forty million,
 * for which a table by hash would need two gigabytes more. Of one thread.
 */
#define SERIES_NOBODYS                                                                             \
	UINT32_MAX /* place: it is of no device of the plan, or says nothing known                 \
		    */

struct series {
	uint32_t key, place; /* place: index of a port, or of a device; as the rule says */
	uint16_t key_more;
	uint16_t newest; /* time of its newest sample, see series_time(); 0: none */
	uint16_t source; /* who measured it: index into those of the device */
	uint16_t rule : 12, sub : 4;
};

struct series_list {
	struct series *at;
	size_t n, size;
	int64_t read_us; /* of the last known_end(); 0: none */
};

/* A reply that is being read against the list of its query. */
struct series_pass {
	struct series_list *list;
	struct series_list now; /* in the order of this reply, once that differs from the last */
	bool fresh, differs;    /* fresh: the list was empty */
	size_t next;            /* of the list, where the next one is expected */
	uint32_t
		*taken; /* differs: of each of the list: where it is in now, plus one; 0: not met */
	uint32_t *slots; /* differs: the list by key: index plus one; 0: free */
	size_t mask;
};

void known_free(struct series_list *l);
struct series_list known_copy(const struct series_list *l);
struct series_list known_both(const struct series_list *a, const struct series_list *b);

void known_begin(struct series_pass *p, struct series_list *l);
/* Forgets a list that was not read for so long that times of series say nothing any more. */
void known_expire(struct series_list *l, int64_t now_us);
/* The next of the reply; NULL: not known. Valid until the next call. */
struct series *known_find(struct series_pass *p, uint64_t key);
/* The one that is k places behind the one found last, if the reply is in order; NULL: none. */
static inline const struct series *known_ahead(const struct series_pass *p, size_t k)
{
	size_t i = p->next + k - 1;

	return i < p->list->n ? &p->list->at[i] : NULL;
}
/* One that known_find() did not know: behind the last one, empty but for its key. NULL: full. */
struct series *known_add(struct series_pass *p, uint64_t key);
/*
 * The reply is over. Series that were not in it are kept for half an hour: what a server leaves out
 * of a reply that is not whole comes again, and what was had of it is known then. Nobody's are not:
 * their labels may be others each time. keep false: there is no room for any of them.
 */
void known_end(struct series_pass *p, int64_t now_us, bool keep);
/* Likewise, and the list stays as it was, but for what was added to an empty one. */
void known_drop(struct series_pass *p);

#define SERIES_TIME_US 64000
#define SERIES_TIMES   65535

/* A time in 64 ms, of the last 70 minutes before now_us; never 0. */
static inline uint16_t series_time(int64_t us)
{
	if (us <= 0)
		return 0;
	return (uint16_t)(us / SERIES_TIME_US % SERIES_TIMES + 1);
}

/* The last moment that has this time; INT64_MIN for 0. now_us: no sample is younger. */
static inline int64_t series_time_us(uint16_t time, int64_t now_us)
{
	int64_t now = now_us / SERIES_TIME_US, ago;

	if (!time)
		return INT64_MIN;
	ago = now % SERIES_TIMES - (time - 1);
	ago += ago < 0 ? SERIES_TIMES : 0;
	return (now - ago + 1) * SERIES_TIME_US - 1;
}

#endif
