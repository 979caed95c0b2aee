/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "backends/jobs/nccl_private.h"
#include "backends/parse/first_line.h"
#include "backends/parse/json_select.h"
#include "base/str.h"

/*
 * Decodes MONITOR of RAS 2.29 and later. Its output is lines "[2026-11-20 20:10:14] PEER_DEAD:
 * Process 18259 on node 10.20.1.14 managing GPU 1", or objects of several lines each, in sequence.
 * The time has no zone, so it is not used. Each event is a NCCL_STATE of a process; text is the
 * event's name.
 */

static enum nccl_state state_of(const char *event, size_t n)
{
	static const struct {
		const char *event;
		enum nccl_state state;
	} events[] = {
		{"PEER_NEW", NCCL_RUNNING},
		{"PEER_DEAD", NCCL_DEAD},
		{"PEER_TIMEOUT_DEAD", NCCL_DEAD},
		{"PEER_UNRESPONSIVE", NCCL_UNRESPONSIVE},
		{"PEER_SEND_STUCK", NCCL_UNRESPONSIVE},
		{"PEER_KEEPALIVE_TIMEOUT", NCCL_UNRESPONSIVE},
		{"PEER_INIT_TIMEOUT", NCCL_UNRESPONSIVE},
	};

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		if (strlen(events[i].event) == n && strncmp(event, events[i].event, n) == 0)
			return events[i].state;
	return NCCL_UNKNOWN; /* connecting, retrying, disconnected: events, but not states */
}

bool nccl_ras_event(const struct json_value *doc, struct obs *out, struct err *err)
{
	const char *event = json_value_text(json_value_get(doc, "event"));
	const struct json_value *peer = json_value_get(doc, "peer");
	struct obs_nccl *r;

	if (!event || !json_value_is(peer, DV_OBJECT))
		return err_set(err, ERR_PROTOCOL, out->device,
			"RAS: an event without \"event\" and \"peer\"");
	r = nccl_add(out, NCCL_STATE, SOURCE_RAS);
	if (!r)
		return true;
	r->state = (uint8_t)state_of(event, strlen(event));
	r->host = nccl_string(out, json_value_get(peer, "host"));
	r->pid = nccl_int(json_value_get(peer, "pid"), INT32_MAX);
	if (json_value_length(json_value_get(peer, "nvml_devs")) == 1)
		r->gpu = nccl_int(
			json_value_at(json_value_get(peer, "nvml_devs"), 0), NCCL_GPUS_MAX);
	if (json_value_length(json_value_get(peer, "cuda_devs")) == 1)
		r->local_gpu = nccl_int(
			json_value_at(json_value_get(peer, "cuda_devs"), 0), NCCL_GPUS_MAX);
	r->text = obs_string(out, event);
	r->text2 = nccl_string(out, json_value_get(doc, "details"));
	return true;
}

struct stream {
	struct obs *o;
	bool known;
};

static bool read_line(void *ctx, const char *bytes, size_t n)
{
	struct stream *st = ctx;
	char line[1024];
	const char *s = line, *event, *host;
	size_t event_len, host_len;
	struct obs_nccl *r;
	int64_t pid, gpu;

	(void)str_copyn(line, sizeof(line), bytes, n < sizeof(line) - 1 ? n : sizeof(line) - 1);
	if (str_starts(line, "RAS Monitor Mode") || str_starts(line, "SERVER PROTOCOL") ||
		str_eq(line, "OK"))
		st->known = true;
	if (!scan_text(&s, "[") || !scan_find(&s, "]") || !scan_text(&s, "PEER_"))
		return true;
	event = s - strlen("PEER_");
	if (!scan_find(&s, ":"))
		return true;
	event_len = (size_t)(s - 1 - event);
	st->known = true;
	if (!scan_find(&s, "Process") || !scan_int(&s, &pid) || pid >= INT32_MAX ||
		!scan_text(&s, "on node") || !scan_word(&s, "", &host, &host_len))
		return true;
	r = nccl_add(st->o, NCCL_STATE, SOURCE_RAS);
	if (!r)
		return false;
	r->state = (uint8_t)state_of(event, event_len);
	r->text = nccl_stringn(st->o, event, event_len);
	r->host = nccl_stringn(st->o, host, host_len);
	r->pid = (int32_t)pid;
	if (scan_text(&s, "managing GPU") && scan_int(&s, &gpu) && *s != ',') {
		int64_t nvml = scan_after(s, "(NVML", NCCL_GPUS_MAX);

		r->local_gpu = gpu < NCCL_GPUS_MAX ? (int32_t)gpu : -1;
		r->gpu = nvml >= 0 ? (int32_t)nvml : r->local_gpu;
	}
	return true;
}

bool nccl_ras_monitor_parse(const char *bytes, size_t len, struct obs *out, struct err *err)
{
	struct stream st = {.o = out};
	struct err first = {0};
	char line[128];
	struct json_value *doc;
	size_t at = 0;

	(void)nccl_lines(bytes, len, read_line, &st);
	while (out->nccl.n < OBS_NCCL_MAX) {
		struct err e = {0};

		doc = json_value_parse_next(bytes, len, &at, out->device, &e);
		if (!doc && first.code == ERR_NONE)
			first = e;
		if (!doc)
			break;
		if (nccl_ras_event(doc, out, &e))
			st.known = true;
		else if (first.code == ERR_NONE)
			first = e;
		free(doc);
	}
	if (first.code != ERR_NONE && !st.known) {
		if (err)
			*err = first;
		return false;
	}
	if (first.code != ERR_NONE && out->err.code == ERR_NONE)
		out->err = first;
	return st.known ||
	       err_set(err, ERR_PROTOCOL, out->device, "expected events of RAS, got: %s",
		       parse_first_line(bytes, len, line, sizeof(line)));
}
