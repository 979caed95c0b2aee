/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <string.h>

#include "backends/jobs/log/log.h"
#include "base/str.h"

/*
 * Aggregation in the switches of InfiniBand (SHARP), in the words of its library and its daemon:
 *  [gpu-node-03:0:24972 - comm.c:374][2026-11-27 02:53:04] ERROR Failed to lock SAT tree
 *  [gpu-node-03:1:28576 unique id 1201] ERROR collect_ports_data: device mlx5_0 port 1 is not valid
 *  [gpu-node-03][Nov 27 02:53:04 847428][GENERAL][3745742][warn ] - Begin job id: 9 failed with
 * The job goes on without it.
 */

static size_t host_len(const char *s)
{
	size_t n = 0;

	while (isalnum((unsigned char)s[n]) || (s[n] && strchr("-._", s[n])))
		n++;
	return n;
}

/* Where the words begin; NULL: another line, or no trouble. */
static const char *find_words(const char *s, struct log_line *line)
{
	size_t n = host_len(s + 1);
	const char *at = s + 1 + n, *end;
	int64_t rank, pid;

	if (*s != '[' || !n || !str_copyn(line->host, sizeof(line->host), s + 1, n))
		return NULL;
	if (str_starts(at, "][") && strstr(at, "][GENERAL][")) {
		end = strstr(at, "] - ");
		return end && (strstr(at, "[warn") || strstr(at, "[error")) ? end + 4 : NULL;
	}
	if (*at++ != ':' || !scan_int(&at, &rank) || *at++ != ':' || !scan_int(&at, &pid) ||
		pid >= INT32_MAX || (!str_starts(at, " - ") && !str_starts(at, " unique id ")))
		return NULL;
	end = strstr(at, "] ERROR ");
	line->pid = (int32_t)pid;
	return end ? end + strlen("] ERROR ") : NULL;
}

bool nccl_log_sharp(struct log *l, const char *text)
{
	struct log_line line = {.pid = -1, .gpu = -1, .label = -1};
	const char *at = strchr(text, '['), *words = at ? find_words(at, &line) : NULL;
	struct log_named named;
	struct obs_nccl *r;
	char say[200], plain[256] = "";

	if (!words)
		return false;
	line.text = words;
	line.time_us = nccl_log_time(l, text, (size_t)(words - text));
	r = nccl_log_error(l, &line, TROUBLE_NOTE);
	if (!r)
		return true;
	nccl_log_condense(words, plain, sizeof(plain));
	(void)str_printf(say, sizeof(say), "SHARP: %.180s", *plain ? plain : words);
	r->text = obs_string(l->o, say);
	nccl_log_named(words, &named);
	r->nic = obs_string(l->o, named.nic);
	return true;
}
