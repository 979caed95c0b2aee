/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "backends/jobs/log/log.h"
#include "base/str.h"

/*
 * Decodes the log of NCCL's network code: the NICs found and used, the events of their drivers, and
 * failed operations, with both ends if the release prints them.
 */

/* Names of ibv_wc_status. Those that indicate a fault on the path have an explanation. */
static const char *const wc_status[] = {"success", "local length error", "local QP error",
	"local EEC error", "local protection error", "flushed after an earlier error",
	"memory window bind error", "bad response", "local access error", "remote invalid request",
	"remote access error", "remote operation error", "retries exceeded", "receiver not ready",
	"local RDD violation", "remote invalid RD request", "remote aborted", "invalid EECN",
	"invalid EEC state", "fatal error", "response timeout", "general error"};

const char *nccl_wc_status(int64_t status)
{
	return status >= 0 && status < (int64_t)(sizeof(wc_status) / sizeof(wc_status[0]))
		       ? wc_status[status]
		       : NULL;
}

struct obs_nccl *nccl_log_error(
	struct log *l, const struct log_line *line, enum nccl_trouble trouble)
{
	struct obs_nccl *r = nccl_add(l->o, NCCL_ERROR, SOURCE_NCCL_LOG);

	if (!r)
		return NULL;
	r->host = obs_string(l->o, line->host);
	r->pid = line->pid;
	r->local_gpu = line->gpu;
	r->func = obs_string(l->o, nccl_trouble_name(trouble));
	r->begin_us = line->time_us;
	l->unnamed |= trouble > TROUBLE_NOTE && line->pid < 0 && line->label < 0;
	if (line->process && line->process->rank >= 0) {
		r->comm = line->process->comm;
		r->rank = line->process->rank;
		r->nranks = line->process->nranks;
	} else {
		r->rank = line->label;
	}
	return r;
}

/* Reads the address of "eth0:10.20.1.11<0>" or "[0]eth0:10.20.1.11<0>". */
static void read_address(struct log *l, const struct log_line *line, const char *s)
{
	const char *word, *colon;
	char text[96];
	size_t n;

	if (!scan_word(&s, "<", &word, &n) || *s != '<' || !str_copyn(text, sizeof(text), word, n))
		return;
	colon = strchr(text, ':');
	if (colon)
		nccl_log_address(l, line, colon + 1);
}

/* Reads "Bootstrap : Using eth0:10.20.1.11<0>": where the process listens. */
static bool read_bootstrap(struct log *l, const struct log_line *line)
{
	const char *s = line->text;

	if (line->warn || (!str_starts(s, "Bootstrap") && !str_starts(s, "NET/Socket")) ||
		(!scan_find(&s, ": Using ") && !scan_find(&s, ":Using ") &&
			!scan_find(&s, ": Using: ")))
		return false;
	read_address(l, line, s);
	return true;
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
	if (scan_find(&s, "OOB "))
		read_address(l, line, s);
	return true;
}

static uint32_t nic_at(const struct log_line *line, int64_t index)
{
	return line->process && index >= 0 && index < LOG_NICS_MAX ? line->process->nic[index] : 0;
}

/*
 * Reads "NET/IB : GPU Direct RDMA Disabled for HCA 0 'mlx5_0' (no module)"; plugins print the same
 * behind their own name. Sockets never have it.
 */
static bool read_gpudirect(struct log *l, const struct log_line *line)
{
	const char *s = line->text, *word;
	char text[96] = "";
	struct obs_nccl *r;
	int64_t index;
	size_t n;

	if (!str_starts(s, "NET/") || !scan_find(&s, "GPU Direct RDMA Disabled for HCA "))
		return false;
	(void)scan_int(&s, &index);
	s += strspn(s, " '");
	if (str_starts(line->text, "NET/Socket") || !scan_word(&s, "' (", &word, &n))
		return true;
	r = nccl_log_error(l, line, TROUBLE_COPIES);
	if (!r)
		return true;
	r->nic = nccl_stringn(l->o, word, n);
	s = strchr(s, '(');
	(void)str_printf(text, sizeof(text), "GPUDirect RDMA is off for %.*s%s%.40s", (int)n, word,
		s ? " " : "", s ? s : "");
	r->text = obs_string(l->o, text);
	return true;
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

/* Reads "NET/IB : mlx5_3:1 GID table changed" of 2.30: a notice. */
static bool read_news(struct log *l, const struct log_line *line)
{
	const char *s = line->text;

	if (!str_starts(s, "NET/IB") || !scan_find(&s, ": ") || !scan_find(&s, " ") || !is_news(s))
		return false;
	if (str_starts(s, "GID table"))
		(void)nccl_log_error(l, line, TROUBLE_GIDS);
	return true;
}

/*
 * True: the event is of one queue pair, and not of the port or the device. A work queue error is a
 * matter of memory and software, not of the network.
 */
static bool is_of_queue(const char *event)
{
	return strstr(event, "work queue error") != NULL || strstr(event, "CQ error") != NULL ||
	       strstr(event, "SRQ") != NULL || str_starts(event, "path migration failed");
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

/*
 * Reads "NET/IB : mlx5_3:1 Got non-fatal async event: port error(10)" and "NET/IB : mlx5_3:1 async
 * fatal event on QP 0x7f: local catastrophic error".
 */
static bool read_async(struct log *l, const struct log_line *line)
{
	static const char *const kinds[] = {
		"async event", "async fatal event", "async error event"};
	const char *s = NULL, *end;
	struct obs_nccl *r;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && !s; i++)
		s = strstr(line->text, kinds[i]);
	if (!s || !str_starts(line->text, "NET/IB"))
		return false;
	if (!scan_find(&s, ": ") && !scan_find(&s, " : "))
		return true;
	while (*s == ' ')
		s++;
	/* The port is back, or its addresses are others: of all notices only these tell something.
	 */
	if (is_news(s) && !str_starts(s, "port active") && !str_starts(s, "GID table"))
		return true;
	r = nccl_log_error(l, line,
		str_starts(s, "GID") ? TROUBLE_GIDS
		: is_news(s)         ? TROUBLE_OVER
		: is_of_queue(s)     ? TROUBLE_ERROR
				     : TROUBLE_NIC);
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

/* Reads "error 12, opcode", "status=12 ", "status=IBV_WC_RETRY_EXC_ERR(12) " or "status=(...)12".
 */
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
	if (*at == '(')
		return scan_find(&at, ")") && scan_int(&at, &n) ? n : -1;
	return scan_find(&at, "(") && scan_int(&at, &n) ? n : -1;
}

/* Addresses and names that NCCL printed with an error. "": not printed. */
struct ends {
	char peer[64], local[64], remote[64], nic[64];
};

/* The far end of "10.20.1.14<41662>": the last such word. */
static void scan_peer(const char *s, char *dst, size_t size)
{
	const char *end;

	*dst = '\0';
	for (; (end = strchr(s, '<')); s = end + 1) {
		const char *begin = end;

		while (begin > s && !strchr(" ([,=", begin[-1]))
			begin--;
		if (end > begin && end[1] >= '0' && end[1] <= '9')
			(void)str_copyn(dst, size, begin, (size_t)(end - begin));
	}
}

static void scan_ends(const char *s, struct ends *e)
{
	static const char *const names[] = {" hca ", "on dev ", " dev_name=", "devName="};

	scan_peer(s, e->peer, sizeof(e->peer));
	if (!word_after(s, "localGid ", "[,(", e->local, sizeof(e->local)))
		(void)word_after(s, "local GID ", ",", e->local, sizeof(e->local));
	if (str_eq(e->local, "index") && !word_after(strstr(s, "local GID index") + 1, "local GID ",
						 ",", e->local, sizeof(e->local)))
		e->local[0] = '\0';
	/* 2.20 to 2.30 omit the blank after it. */
	if (!word_after(s, "remoteGids", "[,(", e->remote, sizeof(e->remote)) &&
		!word_after(s, "remoteGid ", "[,(", e->remote, sizeof(e->remote)))
		(void)word_after(s, "remote GID ", ",", e->remote, sizeof(e->remote));
	e->nic[0] = '\0';
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !e->nic[0]; i++)
		(void)word_after(s, names[i], "[,;", e->nic, sizeof(e->nic));
	without_mapping(e->local);
	without_mapping(e->remote);
}

/* ", from 10.0.0.1 to 10.0.3.2", or the end that is known. */
static void ends_text(const struct ends *e, char *dst, size_t size)
{
	*dst = '\0';
	if (*e->local && *e->remote)
		(void)str_printf(dst, size, ", from %s to %s", e->local, e->remote);
	else if (*e->peer)
		(void)str_printf(dst, size, ", peer %s", e->peer);
}

/* A name of the NIC counts more than its address, and a GID more than the peer's socket. */
static void add_ends(struct log *l, const struct log_line *line, struct obs_nccl *r, struct ends *e)
{
	if (!*e->nic)
		(void)str_copy(e->nic, sizeof(e->nic), e->local);
	r->nic = obs_string(l->o, e->nic);
	r->text2 = obs_string(l->o, *e->remote ? e->remote : e->peer);
	nccl_log_address(l, line, e->local);
}

void nccl_log_ends(struct log *l, const struct log_line *line, struct obs_nccl *r)
{
	struct ends ends;

	scan_ends(line->text, &ends);
	add_ends(l, line, r, &ends);
}

#define STATUS_FLUSHED 5
/* Vendor error of a flush, when the status itself was lost. */
#define VENDOR_FLUSHED 249

/*
 * Reads "NET/IB: Got completion from peer 10.20.1.14<41662> with status=12 opcode=1 len=0 vendor
 * err 129 (Send) localGid ::ffff:10.100.3.5 remoteGids::ffff:10.100.3.7 hca mlx5_3".
 */
static bool read_completion(struct log *l, const struct log_line *line)
{
	const char *s = strstr(line->text, "Got completion ");
	char between[160], text[256], of_vendor[40] = "";
	struct obs_nccl *r;
	struct ends ends;
	int64_t status, vendor;

	if (!s)
		return false;
	status = scan_status(s);
	if (status < 0)
		return false;
	vendor = scan_after(s, "vendor err ", INT32_MAX);
	if (vendor < 0)
		vendor = scan_after(s, "vendor_err=", INT32_MAX);
	scan_ends(s, &ends);
	ends_text(&ends, between, sizeof(between));
	r = nccl_log_error(l, line,
		status == STATUS_FLUSHED || (vendor == VENDOR_FLUSHED && status == 0)
			? TROUBLE_AFTER
			: TROUBLE_ERROR);
	if (!r)
		return true;
	if (vendor >= 0)
		(void)str_printf(
			of_vendor, sizeof(of_vendor), ", vendor error %lld", (long long)vendor);
	(void)str_printf(text, sizeof(text), "%s (status %lld)%s%s",
		nccl_wc_status(status) ? nccl_wc_status(status) : "error", (long long)status,
		between, of_vendor);
	r->state = (uint8_t)(status < 256 ? status : 255);
	r->text = obs_string(l->o, text);
	add_ends(l, line, r, &ends);
	return true;
}

/*
 * 2.30 prints "Got CQE with error (status=..., devIndex=1, ...)" before the line with the peer. The
 * index counts the NICs of that connection, not those of the process.
 */
static bool read_cqe(struct log *l, const struct log_line *line)
{
	const char *s = strstr(line->text, "Got CQE with error");
	struct obs_nccl *r;
	char text[128];
	int64_t status;

	if (!s)
		return false;
	status = scan_status(s);
	if (!nccl_wc_status(status))
		return false;
	r = nccl_log_error(l, line, status == STATUS_FLUSHED ? TROUBLE_AFTER : TROUBLE_ERROR);
	if (!r)
		return true;
	(void)str_printf(
		text, sizeof(text), "%s (status %lld)", nccl_wc_status(status), (long long)status);
	r->text = obs_string(l->o, text);
	r->state = (uint8_t)status;
	return true;
}

/* A few attempts are usual while the processes start: so great a part of them is not. */
#define TRIES_PART 3

/* Reads "retrying (13/34)" and "retrying 2/20 after 100 msec of sleep". */
static bool read_tries(const char *s, int64_t *tried, int64_t *most)
{
	if (!scan_find(&s, "retrying "))
		return false;
	(void)scan_text(&s, "(");
	return scan_int(&s, tried) && *s++ == '/' && scan_int(&s, most);
}

/*
 * Reads "Call to ibv_modify_qp failed with 110 Connection timed out, on dev mlx5_1:1, curr state
 * INIT, next state RTR, ..., remote GID ::ffff:10.0.2.2". Up to 2.23: "Call to ibv_modify_qp failed
 * with error Connection timed out errno 110". The address of the far end is resolved on the way to
 * RTR: a timeout there means that nothing answers for it.
 */
static bool read_modify_qp(struct log *l, const struct log_line *line)
{
	const char *s = strstr(line->text, "ibv_modify_qp failed"), *why;
	char reason[64], text[256], between[160], from[16], to[16];
	struct obs_nccl *r;
	struct ends ends;
	int64_t n, most;

	if (!s)
		return false;
	if (!line->warn && read_tries(s, &n, &most) && n * TRIES_PART < most)
		return true;
	scan_ends(s, &ends);
	ends_text(&ends, between, sizeof(between));
	why = s;
	if (!scan_find(&why, "failed with "))
		why = s + strlen("ibv_modify_qp failed");
	(void)scan_text(&why, "error ");
	(void)scan_int(&why, &n);
	why += strspn(why, " :");
	(void)str_copyn(reason, sizeof(reason), why, strcspn(why, ","));
	if (strstr(reason, " errno"))
		*strstr(reason, " errno") = '\0';
	*text = '\0';
	if (word_after(s, "curr state ", ",", from, sizeof(from)) &&
		word_after(s, "next state ", ",", to, sizeof(to)))
		(void)str_printf(text, sizeof(text), ", %s to %s", from, to);
	(void)str_copy(between + strlen(between), sizeof(between) - strlen(between), text);
	r = nccl_log_error(l, line, TROUBLE_CONNECT);
	if (!r)
		return true;
	(void)str_printf(
		text, sizeof(text), "ibv_modify_qp: %s%s", *reason ? reason : "failed", between);
	r->text = obs_string(l->o, text);
	add_ends(l, line, r, &ends);
	return true;
}

/*
 * Reads "NET/OFI Request 0x7f completed with error. RC: 113. Error: 4126 (Unreachable remote). ...
 * Request: { dev: 1, ... direction: SEND }" of aws-ofi-nccl.
 */
static bool read_ofi(struct log *l, const struct log_line *line)
{
	const char *s = strstr(line->text, "completed with error"), *at, *word;
	int64_t rc, dev;
	struct obs_nccl *r;
	char text[256], why[96] = "", where[24] = "";
	size_t n;

	if (!s || !str_starts(line->text, "NET/OFI"))
		return false;
	rc = scan_after(s, "RC: ", INT32_MAX);
	dev = scan_after(s, "dev: ", INT32_MAX);
	at = s;
	/* "Error: 4126 (Unreachable remote). ", or the text alone. */
	if (scan_find(&at, "Error: ")) {
		const char *text_of = strchr(at, '(');

		if (text_of && text_of < at + strcspn(at, "."))
			at = text_of + 1;
		n = strcspn(at, ").");
		(void)str_copyn(why, sizeof(why), at, n < sizeof(why) - 1 ? n : sizeof(why) - 1);
	}
	if (dev >= 0)
		(void)str_printf(where, sizeof(where), ", dev %lld", (long long)dev);
	at = s;
	if (!scan_find(&at, "direction: ") || !scan_word(&at, " ,}", &word, &n)) {
		word = "";
		n = 0;
	}
	r = nccl_log_error(l, line, TROUBLE_ERROR);
	if (!r)
		return true;
	(void)str_printf(text, sizeof(text), "NET/OFI completion error: %s (RC %lld)%s%s%.*s",
		*why ? why : "no text", (long long)rc, where, n ? ", " : "", (int)(n < 16 ? n : 16),
		word);
	r->text = obs_string(l->o, text);
	r->nic = nic_at(line, dev);
	return true;
}

/* Another host of the log with a process that has the NIC; NULL: none. Its key begins with the
 * host. */
static const struct log_process *other_with(
	const struct log *l, const struct log_line *line, const char *nic)
{
	size_t own = strlen(line->host);

	for (const struct log_process *p = l->processes; p; p = p->hh.next) {
		if (strncmp(p->key, line->host, own) == 0 && p->key[own] == ' ')
			continue;
		for (unsigned i = 0; i < LOG_NICS_MAX; i++)
			if (p->nic[i] && str_eq(obs_text(l->o, p->nic[i]), nic))
				return p;
	}
	return NULL;
}

/* Reads "NET/IB : Unable to open device mlx5_1". */
static bool read_open(struct log *l, const struct log_line *line)
{
	const struct log_process *other;
	char nic[64], text[160];
	struct obs_nccl *r;

	if (!word_after(line->text, "Unable to open device ", ",", nic, sizeof(nic)))
		return false;
	r = nccl_log_error(l, line, TROUBLE_ERROR);
	if (!r)
		return true;
	other = other_with(l, line, nic);
	if (other)
		(void)str_printf(text, sizeof(text),
			"cannot open %s, which %.*s uses: their sets of NICs differ", nic,
			(int)strcspn(other->key, " "), other->key);
	else
		(void)str_printf(text, sizeof(text), "cannot open %s", nic);
	r->text = obs_string(l->o, text);
	r->nic = obs_string(l->o, nic);
	return true;
}

/*
 * What the fail-over of 2.30 tells, most of it as INFO: "NET/IB: Device 0 marked as failed.
 * Initiating recovery? Yes (...)", "NET/IB: f: Marking device 0 as permanently failed", "Port
 * recovery attempt #2 failed for devIndex=0". The number counts the NICs of that connection, not
 * those of the process: the event of the port, which names the NIC, stands before it.
 */
static bool read_resiliency(struct log *l, const struct log_line *line)
{
	static const struct {
		const char *words, *says;
		enum nccl_trouble trouble;
	} told[] = {{"permanently failed", "NIC permanently failed", TROUBLE_ERROR},
		{"max attempts reached", "NIC did not recover: all attempts failed", TROUBLE_ERROR},
		{"Port recovery failed", "NIC did not recover", TROUBLE_ERROR},
		{"Port recovery attempt", NULL, TROUBLE_NOTE},
		{"failed. Initiating recovery? Yes", "NIC failed, recovery begins", TROUBLE_ERROR},
		{"marked as failed. Initiating", "NIC failed, no recovery", TROUBLE_ERROR}};
	struct obs_nccl *r;

	if (!str_starts(line->text, "NET/IB"))
		return false;
	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
		if (!strstr(line->text, told[i].words))
			continue;
		r = nccl_log_error(l, line, told[i].trouble);
		if (r)
			r->text = obs_string(l->o, told[i].says ? told[i].says : line->text);
		return true;
	}
	return false;
}

/*
 * The threads of RAS speak with each other over TCP: "RAS declaring peer 10.0.0.4<4711> as DEAD",
 * "RAS keep-alive timeout error (60s) on socket connection with 10.0.0.4<4711>". Their warnings
 * come before the time is over.
 */
static bool read_ras_peers(struct log *l, const struct log_line *line)
{
	const char *s = line->text;
	bool is_dead = strstr(s, " as DEAD") != NULL;
	struct obs_nccl *r;

	if (!str_starts(s, "RAS ") || (!is_dead && !strstr(s, " timeout error (") &&
					      !strstr(s, "RAS connect retry timeout (")))
		return false;
	/* A question to all ranks that some did not answer: RAS's own report tells of them. And
	   anything may connect to its port. */
	if (str_starts(s, "RAS collective") || strstr(s, "incoming socket"))
		return true;
	r = nccl_log_error(l, line, is_dead ? TROUBLE_AFTER : TROUBLE_NOTE);
	if (!r)
		return true;
	r->text = obs_string(l->o, s);
	nccl_log_ends(l, line, r);
	return true;
}

/*
 * Reads "socketPollConnect: connect to 10.0.0.4<4711> returned Connection refused, retrying
 * (13/34)", which is no warning. A few of them are usual while the processes start.
 */
static bool read_retry(struct log *l, const struct log_line *line)
{
	int64_t tried, most;
	struct obs_nccl *r;

	if (line->warn || !strstr(line->text, "onnect") || !read_tries(line->text, &tried, &most))
		return false;
	if (tried * TRIES_PART < most)
		return true;
	r = nccl_log_error(l, line, TROUBLE_CONNECT);
	if (!r)
		return true;
	r->text = obs_string(l->o, line->text);
	nccl_log_ends(l, line, r);
	return true;
}

/* The process goes on without the network plugins whose failures it told: they end nothing. */
static void forgive(struct log *l, const struct log_line *line)
{
	for (size_t i = 0; i < l->o->nccl.n; i++) {
		struct obs_nccl *r = &l->o->nccl.at[i];
		const char *text = obs_text(l->o, r->text);

		if (r->kind == NCCL_ERROR && r->pid == line->pid &&
			str_eq(obs_text(l->o, r->host), line->host) &&
			(str_starts(text, "NET/") || strstr(text, "libibverbs")))
			r->func = obs_string(l->o, nccl_trouble_name(TROUBLE_OVER));
	}
}

/*
 * Reads "Using network Socket" of a process that found no RDMA before: "NET/IB : No device found.",
 * "Failed to open libibverbs.so[.1]". A process that was told to use sockets says neither.
 */
static bool read_sockets(struct log *l, const struct log_line *line)
{
	struct obs_nccl *r;
	bool is_address;

	if (!line->process)
		return false;
	if (strstr(line->text, "No device found") || strstr(line->text, "libibverbs"))
		line->process->no_rdma = true;
	/* Up to 2.4 only the second of these lines. */
	is_address = str_starts(line->text, "NET/Socket : Using ");
	if (!line->process->no_rdma ||
		(!is_address && !str_starts(line->text, "Using network Socket")))
		return false;
	forgive(l, line);
	r = nccl_log_error(l, line, TROUBLE_COPIES);
	if (r)
		r->text = obs_string(l->o, "NCCL uses sockets: it found no RDMA device");
	return !is_address;
}

bool nccl_log_net(struct log *l, const struct log_line *line)
{
	static bool (*const readers[])(struct log * l, const struct log_line *line) = {read_channel,
		read_sockets, read_bootstrap, read_gpudirect, read_nics, read_news, read_async,
		read_completion, read_cqe, read_modify_qp, read_ofi, read_open, read_resiliency,
		read_retry, read_ras_peers};

	for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++)
		if (readers[i](l, line))
			return true;
	return false;
}
