/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "backends/jobs/nccl_log.h"
#include "base/str.h"

/*
 * Decodes the log of NCCL's network code: the NICs found and used, the events of their drivers, and
 * failed operations, with both ends if the release prints them.
 */

/* Names of ibv_wc_status. Those that indicate a fault on the path have an explanation. */
static const char *const wc_status[] = {"success", "local length error", "local QP error",
	"local EEC error", "local protection error", "flushed after an earlier error",
	"memory window bind error", "bad response", "local access error", "remote invalid request",
	"remote access error", "remote operation error",
	"retries exceeded: no acknowledgement from the peer", "receiver not ready",
	"local RDD violation", "remote invalid RD request", "remote aborted", "invalid EECN",
	"invalid EEC state", "fatal error", "response timeout", "general error"};

static struct obs_nccl *add_error(struct log *l, const struct log_line *line)
{
	struct obs_nccl *r = nccl_add(l->o, NCCL_ERROR, SOURCE_NCCL_LOG);

	if (!r)
		return NULL;
	r->host = obs_string(l->o, line->host);
	r->pid = line->pid;
	r->local_gpu = line->gpu;
	if (line->process && line->process->comm) {
		r->comm = line->process->comm;
		r->rank = line->process->rank;
		r->nranks = line->process->nranks;
	} else {
		r->rank = line->label;
	}
	return r;
}

/* Reads "[0]mlx5_0:1/RoCE [1]mlx5_1:1:rail:plane/RoCE [RO]; OOB eth0:10.20.1.11<0>". */
static bool read_nics(struct log *l, const struct log_line *line)
{
	const char *s = line->text, *word;
	int64_t index;
	size_t n;

	if (!str_starts(s, "NET/IB") || !scan_find(&s, ": Using "))
		return false;
	while (scan_text(&s, "[") && scan_int(&s, &index) && *s == ']') {
		s++;
		if (!scan_word(&s, ":/;", &word, &n))
			break;
		if (line->process && index < LOG_NICS_MAX)
			line->process->nic[index] = nccl_stringn(l->o, word, n);
		while (*s && *s != ' ' && *s != ';')
			s++;
	}
	return true;
}

static uint32_t nic_at(const struct log_line *line, int64_t index)
{
	return line->process && index >= 0 && index < LOG_NICS_MAX ? line->process->nic[index] : 0;
}

/*
 * Reads "Channel 01/0 : 0[0] -> 9[1] [send] via NET/IB/1(1)/GDRDMA". With a rank in parentheses the
 * data goes through that rank's NIC, not through this rank's.
 */
static bool read_channel(struct log *l, const struct log_line *line)
{
	const char *s = line->text;
	int64_t from, to, own, index;
	struct obs_nccl *r;
	bool sends;

	if (!str_starts(s, "Channel ") || !strstr(s, "] via NET/"))
		return false;
	if (!scan_find(&s, " : ") || !scan_int(&s, &from) || !scan_find(&s, "-> ") ||
		!scan_int(&s, &to))
		return true;
	sends = strstr(s, "[send]") != NULL;
	own = sends ? from : to;
	(void)scan_find(&s, "] via NET/");
	if (!scan_find(&s, "/") || !scan_int(&s, &index) || *s == '(')
		return true;
	if (!line->process || line->process->has_nic || !nic_at(line, index) ||
		own >= NCCL_RANKS_MAX)
		return true;
	r = nccl_add(l->o, NCCL_RANK, SOURCE_NCCL_LOG);
	if (!r)
		return true;
	line->process->has_nic = true;
	if (line->process->comm && line->process->rank == own) {
		r->comm = line->process->comm;
		r->rank = line->process->rank;
		r->nranks = line->process->nranks;
	}
	r->host = obs_string(l->o, line->host);
	r->pid = line->pid;
	r->local_gpu = line->gpu;
	r->nic = nic_at(line, index);
	return true;
}

/* True: the event is a recovery or a notice, not an error. */
static bool is_news(const char *event)
{
	static const char *const news[] = {"port active", "client reregistration", "GID table",
		"SM change", "LID change", "P_Key", "path migrated", "speed change",
		"device speed"};

	for (size_t i = 0; i < sizeof(news) / sizeof(news[0]); i++)
		if (str_starts(event, news[i]))
			return true;
	return false;
}

/* Reads "mlx5_3:1" before "Got"; up to 2.18 there is none. */
static uint32_t scan_device(struct log *l, const char *text)
{
	const char *s = text, *word;
	size_t n;

	if (!scan_find(&s, ": ") || !scan_word(&s, ":", &word, &n) || *s != ':')
		return 0;
	return nccl_stringn(l->o, word, n);
}

/* Reads "NET/IB : mlx5_3:1 Got non-fatal async event: port error(10)". */
static bool read_async(struct log *l, const struct log_line *line)
{
	const char *s = strstr(line->text, "async event"), *end;
	struct obs_nccl *r;

	if (!s || !strstr(line->text, "Got "))
		return false;
	if (!scan_find(&s, ": ") && !scan_find(&s, " : "))
		return true;
	while (*s == ' ')
		s++;
	if (is_news(s))
		return true;
	r = add_error(l, line);
	if (!r)
		return true;
	end = strchr(s, '(');
	r->text = nccl_stringn(l->o, s, end ? (size_t)(end - s) : strlen(s));
	r->nic = scan_device(l, line->text);
	return true;
}

/* Shortens an IPv4 address in a GID, "::ffff:10.100.3.5". */
static void without_mapping(char *address)
{
	if (str_starts(address, "::ffff:") && strchr(address, '.'))
		memmove(address, address + 7, strlen(address + 7) + 1);
}

static bool word_after(const char *s, const char *key, const char *stop, char *dst, size_t size)
{
	const char *word;
	size_t n;

	*dst = '\0';
	return scan_find(&s, key) && scan_word(&s, stop, &word, &n) &&
	       str_copyn(dst, size, word, n);
}

/* Reads "error 12, opcode", "status=12 " or "status=IBV_WC_RETRY_EXC_ERR(12) ". */
static int64_t scan_status(const char *s)
{
	const char *at = s;
	int64_t n;

	if (!scan_find(&at, "status=")) {
		at = s;
		if (!scan_find(&at, "with error "))
			return -1;
	}
	if (scan_int(&at, &n))
		return n;
	return scan_find(&at, "(") && scan_int(&at, &n) ? n : -1;
}

/*
 * Reads "NET/IB: Got completion from peer 10.20.1.14<41662> with status=12 opcode=1 len=0 vendor
 * err 129 (Send) localGid ::ffff:10.100.3.5 remoteGids::ffff:10.100.3.7 hca mlx5_3".
 */
static bool read_completion(struct log *l, const struct log_line *line)
{
	const char *s = strstr(line->text, "Got completion ");
	char peer[64], local[64], remote[64], hca[64], ends[160], text[256];
	struct obs_nccl *r;
	int64_t status, vendor;

	if (!s)
		return false;
	status = scan_status(s);
	if (status < 0)
		return true;
	vendor = scan_after(s, "vendor err ", INT32_MAX);
	if (vendor < 0)
		vendor = scan_after(s, "vendor_err=", INT32_MAX);
	(void)word_after(s, "from peer ", "<", peer, sizeof(peer));
	(void)word_after(s, "localGid ", "", local, sizeof(local));
	/* 2.20 to 2.30 omit the blank after it. */
	if (!word_after(s, "remoteGids", "", remote, sizeof(remote)))
		(void)word_after(s, "remoteGid ", "", remote, sizeof(remote));
	(void)word_after(s, " hca ", "", hca, sizeof(hca));
	without_mapping(local);
	without_mapping(remote);
	r = add_error(l, line);
	if (!r)
		return true;
	*ends = '\0';
	if (*local && *remote)
		(void)str_printf(ends, sizeof(ends), ", from %s to %s", local, remote);
	else if (*peer)
		(void)str_printf(ends, sizeof(ends), ", peer %s", peer);
	(void)str_printf(text, sizeof(text), "%s (status %lld, vendor error %lld)%s",
		status < (int64_t)(sizeof(wc_status) / sizeof(wc_status[0])) ? wc_status[status]
									     : "error",
		(long long)status, (long long)vendor, ends);
	r->state = (uint8_t)(status < 256 ? status : 255);
	r->nic = obs_string(l->o, hca);
	r->text = obs_string(l->o, text);
	r->text2 = obs_string(l->o, *remote ? remote : peer);
	return true;
}

/*
 * Reads "NET/IB: Device 0 marked as failed. Initiating recovery? Yes (...)" or "... permanently
 * failed".
 */
static bool read_resiliency(struct log *l, const struct log_line *line)
{
	int64_t index = scan_after(line->text, "Device ", LOG_NICS_MAX);
	struct obs_nccl *r;

	if (index < 0 || (!strstr(line->text, "marked as failed") &&
				 !strstr(line->text, "permanently failed")))
		return false;
	r = add_error(l, line);
	if (!r)
		return true;
	r->nic = nic_at(line, index);
	r->text = obs_string(
		l->o, strstr(line->text, "permanently failed") ? "NIC permanently failed"
		      : strstr(line->text, "recovery? Yes")    ? "NIC failed, recovery begins"
							       : "NIC failed, no recovery");
	return true;
}

/* Reads lines about broken connections and keeps their text. */
static bool read_connection(struct log *l, const struct log_line *line)
{
	static const char *const broke[] = {"Connection closed by remote peer",
		"Connection reset by peer", "Connection timed out", "Connection refused",
		"No route to host", "Network is unreachable", "Call to ibv_"};
	struct obs_nccl *r;

	for (size_t i = 0; line->warn && i < sizeof(broke) / sizeof(broke[0]); i++)
		if (strstr(line->text, broke[i])) {
			r = add_error(l, line);
			if (r)
				r->text = obs_string(l->o, line->text);
			return true;
		}
	return false;
}

bool nccl_log_net(struct log *l, const struct log_line *line)
{
	static bool (*const readers[])(struct log * l, const struct log_line *line) = {read_channel,
		read_nics, read_async, read_completion, read_resiliency, read_connection};

	for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++)
		if (readers[i](l, line))
			return true;
	return false;
}
