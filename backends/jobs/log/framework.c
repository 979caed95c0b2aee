/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "backends/jobs/log/log.h"
#include "base/str.h"

/*
 * Errors of NCCL as the framework above it repeats them: torch, XLA, CuPy. NCCL's own words, which
 * torch puts behind "Last error:", count more.
 */

/* The last record names no process: a process that said the same before has said it. */
static void drop_repeated(struct log *l)
{
	size_t n = l->o->nccl.n;
	const struct obs_nccl *last = n ? &l->o->nccl.at[n - 1] : NULL;

	for (size_t i = 0; last && i + 1 < n; i++) {
		const struct obs_nccl *r = &l->o->nccl.at[i];

		if (r->kind != NCCL_ERROR || r->pid < 0 || r->state != last->state ||
			!str_eq(obs_text(l->o, r->text), obs_text(l->o, last->text)))
			continue;
		l->o->nccl.n--;
		return;
	}
}

/* A message of NCCL's network code that a framework repeats; false: it is another one. */
static bool read_own_words(struct log *l, const char *line, const char *words)
{
	struct log_line own = {.text = words, .warn = true, .pid = -1, .gpu = -1};

	own.label = nccl_log_label(line, (size_t)(words - line));
	own.time_us = nccl_log_time(l, line, (size_t)(words - line));
	nccl_log_launcher(line, (size_t)(words - line), &own);
	if (!strstr(words, "Got completion") || !nccl_log_net(l, &own))
		return false;
	drop_repeated(l);
	return true;
}

/* "ncclRemoteError: A call failed possibly due to ...": torch explains the result before it. */
static bool is_explained(const char *message)
{
	message += strspn(message, " ");
	return str_starts(message, "nccl") &&
	       (strstr(message, "Error: ") || strstr(message, "Usage: ") ||
		       strstr(message, "Argument: "));
}

bool nccl_log_last_error(struct log *l, const char *line)
{
	static const char mark[] = "Last error:";
	const char *at = strstr(line, mark);
	struct obs_nccl *r;
	bool is_last;

	if (!l->framework || l->framework > l->o->nccl.n)
		return false;
	if (!l->last_error && is_explained(nccl_log_message(line)))
		return true;
	r = &l->o->nccl.at[l->framework - 1];
	is_last = l->framework == l->o->nccl.n;
	if (at && !at[strlen(mark) + strspn(at + strlen(mark), " ")]) {
		l->last_error = true;
		l->prefix = (size_t)(at - line);
		return true;
	}
	if (!l->last_error)
		return false;
	l->last_error = false;
	l->framework = 0;
	if (strlen(line) <= l->prefix)
		return false;
	at = line + l->prefix;
	at += strspn(at, " ");
	if (is_last && strstr(at, "Got completion")) {
		l->o->nccl.n--;
		(void)read_own_words(l, line, at);
		return true;
	}
	r->text = obs_string(l->o, at);
	/* Of an internal error NCCL's words may tell that another process is the cause. */
	if (nccl_log_trouble(at) == TROUBLE_AFTER || nccl_log_trouble(at) == TROUBLE_CONNECT)
		r->func = obs_string(l->o, nccl_trouble_name(nccl_log_trouble(at)));
	return true;
}

/* What ncclGetErrorString() says, behind an engine's own "NCCL error" or "NCCL failure". */
static const char *find_result(const char *line)
{
	static const char *const results[] = {"unhandled cuda error", "unhandled system error",
		"internal error", "invalid argument", "invalid usage", "remote process exited",
		"unknown result code"};
	const char *at = strcasestr(line, "NCCL error"), *found;

	if (!at)
		at = strcasestr(line, "NCCL failure");
	for (size_t i = 0; at && i < sizeof(results) / sizeof(results[0]); i++) {
		found = strstr(at, results[i]);
		if (found)
			return found;
	}
	return NULL;
}

/*
 * Reads XLA's "... nccl_utils.cc:191] Aborting communicator: 0x5555 due to async NCCL error: remote
 * process exited", "NCCL operation ncclCommInitRank(...) failed: unhandled system error", and
 * torch's "RuntimeError: NCCL error in: ..., unhandled cuda error, NCCL version 2.7.8". NCCL's own
 * words count more: the line names no process.
 */
bool nccl_log_framework(struct log *l, const char *line)
{
	static const char *const words[] = {"async NCCL error: ", "NCCL error in: ", "NCCL error: ",
		"NCCL operation ", "Failed to modify QP to "};
	static const char last[] = "Last error: ";
	struct log_line process = {.pid = -1};
	const char *s = NULL, *own, *comma, *entry;
	char text[256];
	struct obs_nccl *r;

	/* nccl-tests names its host: see phrases.c. */
	if (strstr(line, ": Test NCCL failure"))
		return false;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]) && !s; i++)
		s = strstr(line, words[i]);
	if (!s)
		s = find_result(line);
	if (!s && is_explained(nccl_log_message(line)))
		s = strstr(line, "nccl");
	if (!s || (str_starts(s, "NCCL operation ") && !strstr(s, "failed")))
		return false;
	own = strstr(s, last);
	if (own && own[strlen(last)] && read_own_words(l, line, own + strlen(last)))
		return true;
	r = nccl_add(l->o, NCCL_ERROR, SOURCE_NCCL_LOG);
	if (!r)
		return true;
	l->framework = l->o->nccl.n;
	r->rank = nccl_log_label(line, (size_t)(s - line));
	nccl_log_launcher(line, (size_t)(s - line), &process);
	r->host = obs_string(l->o, process.host);
	r->pid = process.pid;
	l->unnamed |= r->pid < 0 && r->rank < 0;
	/* Of a remote error the cause is elsewhere; these are of the process itself. */
	r->func = obs_string(l->o,
		nccl_trouble_name(
			strstr(s, "internal error") || strstr(s, "invalid usage") ||
					strstr(s, "invalid argument") || strstr(s, "cuda error") ||
					strstr(s, "ncclInternal") || strstr(s, "ncclInvalid")
				? TROUBLE_ERROR
			: str_starts(s, "Failed to modify QP") ? TROUBLE_CONNECT
							       : TROUBLE_AFTER));
	/* The place in torch's source says nothing: "NCCL error in: FILE:1197, unhandled ...". */
	comma = str_starts(s, "NCCL error in: ") ? strstr(s, ", ") : NULL;
	r->text = obs_string(l->o, comma ? comma + 2 : s);
	/* XLA: "... failed: unhandled system error (run ...). Last NCCL warning(error) log entry
	   (may be unrelated) 'socketTryAccept: ...'." */
	entry = strstr(s, "log entry");
	entry = entry ? strchr(entry, '\'') : NULL;
	if (entry && strstr(s, "failed: ")) {
		own = strstr(s, "failed: ") + strlen("failed: ");
		(void)str_printf(text, sizeof(text), "%.*s: %.*s", (int)strcspn(own, "(.;"), own,
			(int)strcspn(entry + 1, "'"), entry + 1);
		r->text = obs_string(l->o, text);
	}
	r->begin_us = nccl_log_time(l, line, (size_t)(s - line));
	return true;
}
