/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_PROMETHEUS_SERIES_H
#define BACKENDS_PROMETHEUS_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The series of one query, in the order of its last reply. The next reply nearly always has the
 * same order: then a known series costs one comparison and 16 bytes. There may be forty million
 * series; a hash table of them would need two gigabytes more. One thread only.
 */
#define SERIES_NOBODYS UINT32_MAX /* place: no device of the plan, or unusable */

struct series {
	uint32_t key, place; /* place: index of a port or a device, depending on the rule */
	uint16_t key_more;
	uint16_t newest; /* time of its newest sample, see series_time(); 0: none */
	uint16_t source; /* its source: index into the sources of the device */
	uint16_t rule : 12, sub : 4;
};

struct series_list {
	struct series *at;
	size_t n, size;
	int64_t read_us; /* time of the last known_end(); 0: none */
};

/* A reply that is being read and compared with the list of its query. */
struct series_pass {
	struct series_list *list;
	struct series_list now; /* once the reply differs from the list: the series in the reply's
				 * order */
	bool fresh, differs;    /* fresh: the list was empty */
	size_t next;            /* the expected next series, as an index into the list */
	uint32_t *taken; /* with differs: per series of the list its index in now, plus one; 0: not
			  * seen */
	uint32_t *slots; /* with differs: the list by key: index plus one; 0: free */
	size_t mask;
};

void known_free(struct series_list *l);
struct series_list known_copy(const struct series_list *l);
struct series_list known_both(const struct series_list *a, const struct series_list *b);

void known_begin(struct series_pass *p, struct series_list *l);
/* Empties a list that was not read for so long that the times of its series are ambiguous. */
void known_expire(struct series_list *l, int64_t now_us);
/* Returns the next series of the reply, valid until the next call; NULL: unknown. */
struct series *known_find(struct series_pass *p, uint64_t key);
/*
 * Returns the series k places after the last one found, if the reply keeps the order; NULL: none.
 */
static inline const struct series *known_ahead(const struct series_pass *p, size_t k)
{
	size_t i = p->next + k - 1;

	return i < p->list->n ? &p->list->at[i] : NULL;
}
/* Appends a series that known_find() did not find, with its key only. NULL: the list is full. */
struct series *known_add(struct series_pass *p, uint64_t key);
/*
 * Ends a reply. Series that it lacked are kept for half an hour: an incomplete reply omits series
 * that come again later, and their newest times are needed then. Series with place SERIES_NOBODYS
 * are not kept, because their labels may differ each time. keep false: keep none, there is no room.
 */
void known_end(struct series_pass *p, int64_t now_us, bool keep);
/* Likewise, but leaves the list as it was, except for additions to an empty list. */
void known_drop(struct series_pass *p);

#define SERIES_TIME_US 64000
#define SERIES_TIMES   65535

/* Returns a time in units of 64 ms, unique within the 70 minutes before now_us; never 0. */
static inline uint16_t series_time(int64_t us)
{
	if (us <= 0)
		return 0;
	return (uint16_t)(us / SERIES_TIME_US % SERIES_TIMES + 1);
}

/* Returns the last moment with this time; INT64_MIN for 0. now_us: no sample is newer. */
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
