/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <strings.h>

#include "backends/jobs/log/log.h"

/*
 * Warnings of NCCL, RCCL and their plugins that no reader of net.c has: by their words, and else by
 * the kind of their sentence.
 */

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* Warnings by their words: what they say about the process that prints them. */
struct known_words {
	const char *words;
	enum nccl_trouble trouble;
	const char *says; /* NULL: its own words */
};
static const struct known_words known[] = {
	/* Settings of the host. */
	{"from kernel command line", TROUBLE_ADVICE, NULL},
	{"from environment which can lead", TROUBLE_ADVICE, NULL},
	{"Cannot get incoming CPU", TROUBLE_ADVICE, NULL},
	{"Could not read node", TROUBLE_ADVICE, NULL},
	{"libibverbs", TROUBLE_ADVICE, "no RDMA library (libibverbs) for this process"},
	/* Without aggregation in the switches the job goes on. */
	{"SHARP group create", TROUBLE_NOTE, NULL},
	{"SHARP coll init", TROUBLE_NOTE, NULL},
	/* A connection that never came up. Linux says "aborted" when it tries again after a
	   refusal. */
	{"socketStartConnect", TROUBLE_CONNECT, NULL},
	{"socketPollConnect", TROUBLE_CONNECT, NULL},
	{"call to connect", TROUBLE_CONNECT, NULL},
	{"Connection timed out", TROUBLE_CONNECT, NULL},
	{"Connection refused", TROUBLE_CONNECT, NULL},
	{"No route to host", TROUBLE_CONNECT, NULL},
	{"Network is unreachable", TROUBLE_CONNECT, NULL},
	{"Cannot assign requested address", TROUBLE_CONNECT, NULL},
	{"remote address into address vector", TROUBLE_CONNECT, NULL},
	/* Another process ended, or failed first. */
	{"communicator encountered a fatal error", TROUBLE_AFTER, NULL},
	{"ibv_get_async_event failed", TROUBLE_AFTER, NULL},
	{"Connection closed by remote peer", TROUBLE_AFTER, NULL},
	{"Connection reset by peer", TROUBLE_AFTER, NULL},
	{"Broken pipe", TROUBLE_AFTER, NULL},
	{"Software caused connection abort", TROUBLE_AFTER, NULL},
	{"remote process exited or there was a network error", TROUBLE_AFTER, NULL},
	{"Socket recv failed while polling", TROUBLE_AFTER, NULL},
	{"[Service thread]", TROUBLE_AFTER, NULL},
	{"[Proxy Service", TROUBLE_AFTER, NULL},
	{"[Proxy Progress", TROUBLE_AFTER, NULL},
	{"[Proxy thread", TROUBLE_AFTER, NULL},
	{"Proxy Call to rank", TROUBLE_AFTER, NULL},
	{"with outstanding requests", TROUBLE_AFTER, NULL},
	{"Failed to execute operation", TROUBLE_AFTER, NULL},
	{"has already checked in", TROUBLE_ERROR, NULL},
	{"no socket interface found", TROUBLE_ERROR, NULL},
	{"retrieved an 'unused' request", TROUBLE_ERROR,
		"completion for an unused request: the receiver will hang"},
	{"essage truncated", TROUBLE_ERROR, NULL},
	{"ismatch", TROUBLE_ERROR, NULL},
	{"Attempt to use", TROUBLE_ERROR, NULL},
	{"Duplicate GPU", TROUBLE_ERROR, NULL},
	{"No space left on device", TROUBLE_ERROR, NULL},
	{"shared memory segment", TROUBLE_ERROR, NULL},
	{"out of memory", TROUBLE_ERROR, NULL},
	{"onnect to ", TROUBLE_CONNECT, NULL},
	{"in the same subnet", TROUBLE_CONNECT, NULL},
};

/* The process goes on in another way: what it wanted at first is of interest at most. */
static const char *const notices[] = {"ignoring", "ignored", "instead", "falling back", "fallback",
	"limiting", "setting it to", "setting to", "set it to", "set both to", "cap it to",
	"unsetting", "disabling", "disable by", "will be disabled", "deprecated", "skipping",
	"which can lead to", "it might be a cts message"};

/* NCCL prints a warning with such words before it returns an error to the program. */
static const char *const failures[] = {"fail", "error", "rc:", "returned", "unable", "could not",
	"couldn't", "cannot", "can't", "can not", "not found", "no device", "no interface",
	"no ip interface", "incompatible", "not compatible", "different number of", "non-existent",
	"not allowed", "not a valid", "minimum requirement", "no valid", "no usable",
	"no transport", "has no ", "no path", "no algorithm", "no network", "invalid", "illegal",
	"improper", "incorrect", "wrong", "unexpected", "unknown", "unrecognized", "unsupported",
	"not support", "not valid", "needs to be valid", "not within", "not in the ", "not working",
	"not ready", "not connected", "not initialized", "uninitialized", "not available",
	"not enough", "is null", "null ", "does not match", "doesn't match", "mismatch", "differs",
	"already ", "exceed", "too many", "too small", "too large", "too long", "too big",
	"too old", "out of bound", "out of range", "out of channel", "must ", "should not",
	"should be", "timed out", "timeout", "abort", "fatal", "unrecoverable", "missing",
	"without a matching", "requires ", "reached", "revoked", "hardware issue"};

static bool has_any(const char *text, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcasestr(text, words[i]))
			return true;
	return false;
}

/* "Failed to X, falling back to Y", but not "Disabling shared memory failed". */
static bool is_notice(const char *text)
{
	for (size_t i = 0; i < ARRAY_LEN(notices); i++) {
		const char *at = strcasestr(text, notices[i]);

		if (at)
			return !strstr(at, "ailed");
	}
	return false;
}

/* A sentence that no row has; NULL: it tells neither. */
static const struct known_words *by_kind(const char *text)
{
	static const struct known_words notice = {"", TROUBLE_ADVICE, NULL},
					failure = {"", TROUBLE_ERROR, NULL};

	if (is_notice(text))
		return &notice;
	return has_any(text, failures, ARRAY_LEN(failures)) ? &failure : NULL;
}

static const struct known_words *find_known(const char *text)
{
	static const struct known_words silent = {"", TROUBLE_ERROR, NULL};

	/* It was up: the far end, or the path to it, stopped answering. */
	if (strstr(text, "timed out") &&
		(strstr(text, "Call to recv") || strstr(text, "Call to send")))
		return &silent;
	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (strstr(text, known[i].words))
			return &known[i];
	return by_kind(text);
}

enum nccl_trouble nccl_log_trouble(const char *words)
{
	const struct known_words *k = find_known(words);

	return k ? k->trouble : TROUBLE_NOTE;
}

void nccl_log_other(struct log *l, const struct log_line *line)
{
	const struct known_words *k = find_known(line->text);
	struct obs_nccl *r = nccl_log_error(l, line, k ? k->trouble : TROUBLE_NOTE);

	if (!r)
		return;
	r->text = obs_string(l->o, k && k->says ? k->says : line->text);
	nccl_log_ends(l, line, r);
}
