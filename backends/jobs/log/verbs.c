/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "backends/jobs/log/log.h"
#include "base/digits.h"
#include "base/str.h"

/*
 * What libibverbs says in the logs of all kinds of programs: a completion with an error, and an
 * event of a device or its port. NCCL's and UCX's own messages are read before, in net.c and
 * engines.c.
 */

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* ---- completions ---- */

#define STATUS_FLUSHED 5

/* "got bad completion with status: 0xc", "completion error, status=12"; 0: none. */
static int64_t completion_status(const char *s)
{
	const char *at = strcasestr(s, "completion");

	at = at ? strcasestr(at, "status") : NULL;
	if (!at)
		return 0;
	at += strlen("status");
	at += strspn(at, " :=");
	return digits_is(*at) ? (int64_t)strtol(at, NULL, 0) : 0;
}

/* The status of a completion that the line tells; 0: none. */
static int64_t status_of(const char *s)
{
	static const char *const keys[] = {"wc status ", "wc.status ", "wc.status=", "wc_status=",
		"wc status: ", "wc status=", "wc.status: ", "status code ", "completion status ",
		"CQ state error: ", " with status number ", " status number "};
	const struct log_completion *known;
	int64_t status;

	/* perftest: "Failed status 12: wr_id 0 syndrom 0x81". */
	if (strstr(s, "wr_id")) {
		status = scan_after(s, "Failed status ", 256);
		if (status > 0)
			return status;
	}
	known = nccl_log_completion(s, false);
	if (known)
		return known->status;
	status = completion_status(s);
	if (status > 0 && status < 256)
		return status;
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		status = scan_after(s, keys[i], 256);
		if (status > 0)
			return status;
	}
	return 0;
}

static bool read_status(struct log *l, const char *s)
{
	int64_t status = status_of(s);
	char words[160] = "", say[256];

	if (!status || !nccl_wc_status(status))
		return false;
	nccl_log_condense(nccl_log_message(s), words, sizeof(words));
	(void)str_printf(say, sizeof(say), "%s (status %lld): %s", nccl_wc_status(status),
		(long long)status, words);
	nccl_log_record(l, s, status == STATUS_FLUSHED ? TROUBLE_AFTER : TROUBLE_ERROR, say,
		(uint8_t)status);
	return true;
}

/* ---- events of devices ---- */

/*
 * As ibv_event_type_str() and the names of verbs.h word them. An event of a queue pair follows from
 * an error of its process; an address or a route may change at any time.
 */
static const struct {
	const char *words, *name;
	enum nccl_trouble trouble; /* TROUBLE_COUNT: no trouble */
} events[] = {{"port error", NULL, TROUBLE_NIC}, {"IBV_EVENT_PORT_ERR", "port error", TROUBLE_NIC},
	{"local catastrophic error", NULL, TROUBLE_NIC},
	{"IBV_EVENT_DEVICE_FATAL", "local catastrophic error", TROUBLE_NIC},
	{"port active", NULL, TROUBLE_OVER}, {"IBV_EVENT_PORT_ACTIVE", "port active", TROUBLE_OVER},
	{"GID table change", NULL, TROUBLE_GIDS}, {"IBV_EVENT_GID_CHANGE", NULL, TROUBLE_GIDS},
	{"P_Key", NULL, TROUBLE_COUNT}, {"LID change", NULL, TROUBLE_COUNT},
	{"SM change", NULL, TROUBLE_COUNT}, {"client reregistration", NULL, TROUBLE_COUNT},
	{"last WQE reached", NULL, TROUBLE_COUNT},
	{"communication established", NULL, TROUBLE_COUNT}};

/* Where the line speaks of an event of a device: "async event", "async error event". */
static const char *find_event(const char *s)
{
	const char *at = strcasestr(s, "async"), *event;

	if (!at)
		return strstr(s, "IBV_EVENT_");
	event = strcasestr(at, "event");
	return event && event - at < 24 ? event : NULL;
}

static bool read_event(struct log *l, const char *s)
{
	const char *at = find_event(s);

	if (!at)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(events); i++) {
		const char *words = events[i].name ? events[i].name : events[i].words;

		if (!strcasestr(at, events[i].words))
			continue;
		if (events[i].trouble < TROUBLE_COUNT)
			nccl_log_record(l, s, events[i].trouble, words, 0);
		return true;
	}
	return false;
}

bool nccl_log_verbs(struct log *l, const char *s)
{
	return nccl_log_level(s, nccl_log_message(s)) > LEVEL_PROGRAM &&
	       (read_status(l, s) || read_event(l, s));
}
