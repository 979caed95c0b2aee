/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "backends/jobs/log/log.h"
#include "base/digits.h"
#include "base/str.h"

/*
 * Messages of several lines: the summary of torchrun, and sentences of MPI whose machine is named
 * in one of the lines behind them.
 */

#define BLOCK_LINES 10

/* "  host      : gpu-node-03", also with other fields in the same line. */
static const char *value_of(const char *s, const char *key)
{
	size_t n = strlen(key);

	for (const char *at = s; (at = strstr(at, key)); at++) {
		const char *colon = at + n + strspn(at + n, " ");

		if ((at == s || at[-1] == ' ') && colon > at + n && *colon == ':' &&
			colon[1] == ' ')
			return colon + 2;
	}
	return NULL;
}

static void end_failure(struct log *l)
{
	struct log_block *b = &l->block;
	bool ended_by_agent = strstr(b->text, "SIGTERM") != NULL;
	struct log_line line = {.text = b->text, .pid = b->named.pid, .gpu = -1};
	struct obs_nccl *r;
	char say[200];

	if (b->kind != BLOCK_FAILURE || !b->text[0])
		return;
	(void)str_copy(line.host, sizeof(line.host), b->named.host);
	line.label = b->named.rank;
	line.time_us = b->time_us;
	r = nccl_log_error(
		l, &line, b->is_cause && !ended_by_agent ? TROUBLE_ERROR : TROUBLE_AFTER);
	if (r) {
		(void)str_printf(say, sizeof(say), "rank %d: %s%s", (int)b->named.rank, b->text,
			b->is_cause ? ", the first failure that torchrun saw" : "");
		r->text = obs_string(l->o, say);
	}
	b->text[0] = '\0';
}

/* True: the line had a field of the block. */
static bool read_fields(struct log *l, const char *s)
{
	struct log_block *b = &l->block;
	const char *time = value_of(s, "time"), *host = value_of(s, "host"),
		   *rank = value_of(s, "rank"), *code = value_of(s, "exitcode"),
		   *trace = value_of(s, "traceback");

	if (time)
		b->time_us = nccl_log_time(l, time, strlen(time));
	if (host)
		(void)str_copyn(b->named.host, sizeof(b->named.host), host, strcspn(host, " "));
	if (rank)
		b->named.rank = digits_is(*rank) ? (int32_t)strtol(rank, NULL, 10) : -1;
	if (code) {
		b->named.pid = (int32_t)scan_after(code, "(pid: ", INT32_MAX);
		(void)str_printf(
			b->text, sizeof(b->text), "exitcode %.*s", (int)strcspn(code, " "), code);
	}
	if (trace) {
		size_t n = strlen(b->text);

		if (!str_starts(trace, "To enable"))
			(void)str_printf(b->text + n, sizeof(b->text) - n, ", %.100s", trace);
		end_failure(l);
	}
	return time || host || rank || code || trace || value_of(s, "error_file");
}

/*
 * The summary of torchrun: of each failed process host, rank, exitcode and traceback, the last one
 * below "Root Cause (first observed failure):". Some viewers join its lines.
 */
static bool read_failure(struct log *l, const char *s)
{
	struct log_block *b = &l->block;
	const char *cause = strstr(s, "Root Cause (first observed failure)");
	bool is_joined = value_of(s, "host") && value_of(s, "exitcode");

	if (cause || is_joined || str_starts(nccl_log_message(s), "Failures:")) {
		b->is_cause = cause || (is_joined && b->kind == BLOCK_FAILURE && b->is_cause);
		b->kind = BLOCK_FAILURE;
		b->text[0] = '\0';
		b->named = (struct log_named){.pid = -1, .rank = -1, .gpu = -1};
		(void)read_fields(l, s);
		return true;
	}
	if (b->kind != BLOCK_FAILURE)
		return false;
	if (strstr(s, "=====")) {
		b->kind = BLOCK_NONE;
		return true;
	}
	return read_fields(l, s) || strspn(s, "-") > 8;
}

/* Open MPI's "Process name: [[12167,1],10]", "[prterun-node-1@1,10]": the rank is the last number.
 */
static int32_t process_rank(const char *s)
{
	static const char key[] = "Process name: [";
	const char *at = strstr(s, key), *rank = at ? strrchr(at, ',') : NULL;

	return rank && digits_is(rank[1]) ? (int32_t)strtol(rank + 1, NULL, 10) : -1;
}

/* "Local host:    gpu-node-03" */
static bool read_machine(const char *s, const char *key, char *dst, size_t size)
{
	const char *at = strstr(s, key);

	if (!at)
		return false;
	at += strlen(key);
	at += strspn(at, " ");
	return str_copyn(dst, size, at, strcspn(at, " ,"));
}

/* Adds what the line names to the block; true: now it has what it seeks. */
static bool add_named(struct log_block *b, const char *s)
{
	struct log_named named;
	int32_t rank = process_rank(s);

	nccl_log_named(s, &named);
	/* "Process 1 ([[18551,1],1]) is on host: gpu-node-03" counts them. */
	if (b->named.pid < 0 && !strstr(s, ") is on host:"))
		b->named.pid = named.pid;
	if (rank >= 0) {
		size_t n = strlen(b->text);

		b->named.rank = rank;
		(void)str_printf(b->text + n, sizeof(b->text) - n, " %.60s", s + strspn(s, " "));
	}
	if (strstr(s, "HNP daemon"))
		return false;
	/* "with PID 4711 on", and on the next line "node gpu-node-03 exiting improperly" */
	if (b->of_place && str_starts(s, "node ") &&
		read_machine(s, "node ", b->named.host, sizeof(b->named.host)))
		return true;
	if (read_machine(s, "Local host:", b->named.host, sizeof(b->named.host))) {
		b->named.own_host = true;
		return false;
	}
	if (b->of_place) {
		(void)read_machine(s, " Device:", b->named.nic, sizeof(b->named.nic));
		if (named.host[0])
			(void)str_copy(b->named.host, sizeof(b->named.host), named.host);
		return named.host[0] || rank >= 0;
	}
	(void)read_machine(s, "Local device:", b->named.nic, sizeof(b->named.nic));
	if (read_machine(s, ") is on host:", b->named.peer, sizeof(b->named.peer)))
		return true;
	if (!read_machine(s, "Remote host:", b->named.peer, sizeof(b->named.peer)) &&
		!read_machine(s, "Peer host:", b->named.peer, sizeof(b->named.peer)))
		(void)str_copy(b->named.peer, sizeof(b->named.peer), named.peer);
	return b->named.peer[0];
}

/* Open MPI's "  Error:       Device or resource busy" is of the message that it stands in. */
static bool add_error(struct log_block *b, const char *s)
{
	static const char key[] = "  Error: ";
	const char *stop = strstr(b->text, ". ");
	size_t n = stop ? (size_t)(stop - b->text) : strlen(b->text);

	if (!str_starts(s, key))
		return false;
	s += strlen(key);
	(void)str_printf(b->text + n, sizeof(b->text) - n, " ...: %s", s + strspn(s, " "));
	return true;
}

/* The machine or the rank that the sentence before spoke of. */
static bool read_next(struct log *l, const char *s)
{
	struct log_block *b = &l->block;
	bool found, tells;

	if (b->kind != BLOCK_NEXT)
		return false;
	tells = add_error(b, s);
	found = add_named(b, s);
	if (!found && ++b->lines < BLOCK_LINES)
		return tells;
	b->kind = BLOCK_NONE;
	nccl_log_sentence(l, b);
	return found || tells;
}

/*
 * Horovod: "Missing ranks:", and on the next lines "1: [HorovodAllreduce_grad_0]" of each rank that
 * the others wait for.
 */
static bool read_missing(struct log *l, const char *s)
{
	static const char title[] = "Missing ranks:";
	const char *message = nccl_log_message(s);
	size_t digits;
	char say[160];

	message += strspn(message, " ");
	digits = strspn(message, "0123456789");
	if (str_starts(message, title) && !message[strlen(title)]) {
		l->missing = true;
		return true;
	}
	l->missing &= digits && digits < 8 && str_starts(message + digits, ": [");
	if (!l->missing)
		return false;
	(void)str_printf(say, sizeof(say), "missing rank %.*s, the others wait for it: %.100s",
		(int)digits, message, message + digits + 2);
	nccl_log_record(l, s, TROUBLE_NOTE, say, 0);
	return true;
}

bool nccl_log_block(struct log *l, const char *s)
{
	return read_failure(l, s) || read_next(l, s) || read_missing(l, s);
}

void nccl_log_blocks_end(struct log *l)
{
	end_failure(l);
	if (l->block.kind == BLOCK_NEXT)
		nccl_log_sentence(l, &l->block);
	l->block.kind = BLOCK_NONE;
}
