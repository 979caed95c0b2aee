/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "backends/jobs/log/log.h"
#include "base/digits.h"
#include "base/str.h"

/*
 * Lines of other engines that move data over RDMA beside NCCL, in one log with it:
 *  UCX (also below NIXL and HPC-X)
 *	[1795747901.896649] [gpu-node-03:537  :1]  srd_iface.c:221  UCX  ERROR send completion[0]
 *	  with error on rdmap132s0/0x55cf: Work Request Flushed Error, vendor_err 0x1
 *	[gpu-node-03:157231:0:157231] ib_mlx5_log.c:147  Transport retry count exceeded on
 *	  mlx5_0:1/RoCE (synd 0x15 vend 0x81 hw_synd 0/0)
 *  NVSHMEM
 *	.../ibrc.cpp:521: non-zero status: 4 ibv_poll_cq failed, status: 4
 *	.../ibgda.cpp:1889: NULL value cannot allocate mlx5dv_devx_uar
 *  libfabric (below the plugins of cloud providers)
 *	libfabric:451707:1795747900::efa:cq:f():737<warn> err: 5, message: Invalid address ...
 *  Mooncake
 *	... Process failed for slice (..., local_nic: mlx5_1, peer_nic: 10.0.0.2:8149@mlx5_0, ...):
 *	  transport retry counter exceeded
 * and errors of a GPU in the words of CUDA, which end a process as a broken connection does.
 */

#define STATUS_FLUSHED 5
#define STATUS_NAMED   256

/* An error with that status, in NCCL's words for it, or else in its own. */
static struct obs_nccl *add_completion(struct log *l, const struct log_line *line,
	const struct log_completion *w, const char *engine, const char *own)
{
	struct obs_nccl *r = nccl_log_error(l, line, w->trouble);
	char text[256];

	if (!r)
		return NULL;
	if (w->status && nccl_wc_status(w->status))
		(void)str_printf(text, sizeof(text), "%s (status %d), %s",
			nccl_wc_status(w->status), w->status, engine);
	else
		(void)str_printf(text, sizeof(text), "%s: %.160s", engine, own);
	r->state = w->status;
	r->text = obs_string(l->o, text);
	return r;
}

/* ---- UCX ---- */

static bool is_host_char(char c)
{
	return isalnum((unsigned char)c) || c == '-' || c == '.' || c == '_';
}

/* Reads "[host:pid" and up to the bracket's end; s is at the bracket. */
static bool ucx_origin(const char *s, struct log_line *line, const char **end)
{
	const char *at = s + 1, *host = at;
	int64_t pid;

	while (is_host_char(*at))
		at++;
	if (at == host || *at != ':' ||
		!str_copyn(line->host, sizeof(line->host), host, (size_t)(at - host)))
		return false;
	at++;
	if (!digits_is(*at) || !scan_int(&at, &pid) || pid >= INT32_MAX)
		return false;
	/* A thread's number or letter, and in fatal messages the pid again. */
	at += strspn(at, " :0123456789abcdefghijklmnopqrstuvwxyz");
	if (*at != ']')
		return false;
	line->pid = (int32_t)pid;
	*end = at + 1;
	return true;
}

/* Moves *s behind "srd_iface.c:221". */
static bool skip_place(const char **s)
{
	static const char *const files[] = {".c:", ".h:", ".inl:", ".cc:", ".cpp:"};
	const char *word, *at = *s, *dot = NULL;
	size_t n;

	if (!scan_word(&at, "", &word, &n))
		return false;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]) && !dot; i++)
		dot = memmem(word, n, files[i], strlen(files[i]));
	if (!dot || !digits_is(word[n - 1]))
		return false;
	*s = at + strspn(at, " ");
	return true;
}

/* A text that fits, up to a blank or one of the bytes in stop, behind the key. */
static bool word_behind(const char *s, const char *key, const char *stop, char *dst, size_t size)
{
	const char *word;
	size_t n;

	*dst = '\0';
	return scan_find(&s, key) && scan_word(&s, stop, &word, &n) &&
	       str_copyn(dst, size, word, n);
}

/* Messages of so many processes may stand between the two lines of one error. */
#define LINES_BETWEEN 64

/* "DCI QP 0x3d04 wqe[96]: SEND ... dgid ::ffff:10.0.0.2 tc 106]" belongs to the error before it. */
static void add_far_end(struct log *l, const struct log_line *line)
{
	size_t n = l->o->nccl.n, oldest = n > LINES_BETWEEN ? n - LINES_BETWEEN : 0;
	char gid[64], lid[16];

	if (!word_behind(line->text, " dgid ", "]", gid, sizeof(gid))) {
		/* InfiniBand: "[rqpn 0x32ca rlid 19352]", "[rqpn 0xfec4 dlid=485 sl=0]" */
		if (!word_behind(line->text, " rlid ", " ]", lid, sizeof(lid)) &&
			!word_behind(line->text, " dlid=", " ]", lid, sizeof(lid)))
			return;
		(void)str_printf(gid, sizeof(gid), "LID %s", lid);
	}
	while (n-- > oldest) {
		struct obs_nccl *r = &l->o->nccl.at[n];

		if (r->kind != NCCL_ERROR || r->pid != line->pid || r->text2 ||
			!str_eq(obs_text(l->o, r->host), line->host))
			continue;
		r->text2 = obs_string(l->o, str_starts(gid, "::ffff:") ? gid + 7 : gid);
		return;
	}
}

/* Warnings of a healthy job that ends, or of settings that it does not need. */
static bool is_of_an_end(const char *text)
{
	static const char *const words[] = {
		"disconnect", "destroy", "release", "leak", "unused", "close", "cleanup"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strstr(text, words[i]))
			return true;
	return false;
}

/* The NIC and the far end wherever the text names them, if no other reader found them. */
static void add_named(struct log *l, struct obs_nccl *r, const char *text)
{
	struct log_named named;

	nccl_log_named(text, &named);
	if (!r->nic)
		r->nic = obs_string(l->o, named.nic);
	if (!r->text2)
		r->text2 = obs_string(l->o, named.peer);
}

static bool read_ucx_text(struct log *l, const struct log_line *line)
{
	static const struct log_completion other = {"", 0, TROUBLE_ERROR, false};
	bool is_error = str_starts(line->text, "UCX ");
	const char *text = line->text;
	const struct log_completion *w;
	struct obs_nccl *r;
	char nic[64];

	/* Up to 1.5 both lines are one: "FATAL: Error on mlx5_3:1 QP 0xe6d7 wqe[7821]: Transport".
	 */
	if (strstr(text, " QP 0x") && strstr(text, "wqe[") && !nccl_log_completion(text, true)) {
		add_far_end(l, line);
		return true;
	}
	if (is_error) {
		text += strlen("UCX ");
		if (strstr(text, "GID table change"))
			(void)nccl_log_error(l, line, TROUBLE_GIDS);
		if (!scan_text(&text, "ERROR") && !scan_text(&text, "FATAL"))
			return strstr(text, "GID table change") || is_of_an_end(text);
	} else if (!scan_text(&text, "FATAL:") && !scan_text(&text, "Fatal:") &&
		   !scan_text(&text, "Error:") && !nccl_log_completion(text, true)) {
		return false;
	}
	text += strspn(text, " ");
	w = nccl_log_completion(text, true);
	r = add_completion(l, line, w ? w : &other, "UCX",
		w ? nccl_log_near(text, strcasestr(text, w->words), strlen(w->words)) : text);
	/* "on a device": no name */
	if (r &&
		(word_behind(text, " on ", ":/ ", nic, sizeof(nic)) ||
			word_behind(text, "_device(", ")", nic, sizeof(nic))) &&
		nic[strcspn(nic, "0123456789")])
		r->nic = obs_string(l->o, nic);
	if (r && word_behind(text, "dgid=", " )", nic, sizeof(nic)))
		r->text2 = obs_string(l->o, str_starts(nic, "::ffff:") ? nic + 7 : nic);
	if (r)
		add_named(l, r, text);
	return true;
}

/*
 * Its binding for Python tells errors of endpoints to those who debug only: "[...] [host:pid] UCXPY
 * DEBUG Error callback for endpoint 0x2b called with status -6: Destination is unreachable".
 */
static bool read_ucxpy(struct log *l, const struct log_line *line, const char *s)
{
	const char *at = strstr(s, "called with status ");
	const struct log_completion *w;

	if (!str_starts(s + strspn(s, " "), "UCXPY ") ||
		!strstr(s, "Error callback for endpoint") || !at)
		return false;
	w = nccl_log_completion(at, true);
	if (w)
		(void)add_completion(l, line, w, "UCX", at + strlen("called with "));
	return true;
}

static bool read_ucx(struct log *l, const char *text)
{
	struct log_line line = {.gpu = -1, .label = -1};
	const char *end;

	for (const char *at = strchr(text, '['); at; at = strchr(at + 1, '[')) {
		if (!ucx_origin(at, &line, &end))
			continue;
		line.time_us = nccl_log_time(l, text, (size_t)(at - text));
		line.label = nccl_log_label(text, (size_t)(at - text));
		if (read_ucxpy(l, &line, end))
			return true;
		if (!skip_place(&end))
			continue;
		line.text = end;
		return read_ucx_text(l, &line);
	}
	return false;
}

/* ---- engines that name no process ---- */

static struct log_line nameless(const struct log *l, const char *text, const char *message)
{
	struct log_line line = {.text = message, .pid = -1, .gpu = -1};
	size_t n = (size_t)(message - text);

	line.label = nccl_log_label(text, n);
	line.time_us = nccl_log_time(l, text, n);
	nccl_log_launcher(text, n, &line);
	return line;
}

/* The syndrome of an mlx5 completion with an error, as a status of ibv_wc_status. */
static int status_of_syndrome(unsigned syndrome)
{
	static const uint8_t status[] = {[0x01] = 1,
		[0x02] = 2,
		[0x04] = 4,
		[0x05] = 5,
		[0x06] = 6,
		[0x10] = 7,
		[0x11] = 8,
		[0x12] = 9,
		[0x13] = 10,
		[0x14] = 11,
		[0x15] = 12,
		[0x16] = 13};

	return syndrome < sizeof(status) ? status[syndrome] : 0;
}

/* Four words of 8 hex digits at the end of the line: 16 bytes of a completion. */
static bool read_words(const char *s, uint32_t word[4])
{
	size_t n = strlen(s);
	char *end;

	while (n && s[n - 1] == ' ')
		n--;
	if (n < 35 || (n > 35 && s[n - 36] != ' '))
		return false;
	s += n - 35;
	for (size_t i = 0; i < 4; i++, s += 9) {
		if (strspn(s, "0123456789abcdef") != 8 || (i < 3 && s[8] != ' '))
			return false;
		word[i] = (uint32_t)strtoul(s, &end, 16);
	}
	return true;
}

/*
 * libmlx5 (struct mlx5_err_cqe):
 *	mlx5: gpu-node-03: got completion with error:
 * and 64 bytes in four lines; bytes 54 and 55 are the vendor's syndrome and the syndrome.
 */
static bool read_dump(struct log *l, const char *text)
{
	static const char *const unnamed = "host_unknown";
	const char *at = strstr(text, "mlx5: "),
		   *got = strstr(text, ": got completion with error:");
	struct log_line line;
	uint32_t word[4];

	if (at && got && got > at) {
		l->dump = nameless(l, text, at);
		at += strlen("mlx5: ");
		if (!str_starts(at, unnamed) && !memchr(at, ' ', (size_t)(got - at)))
			(void)str_copyn(l->dump.host, sizeof(l->dump.host), at, (size_t)(got - at));
		l->dumped = 1;
		return true;
	}
	if (!l->dumped || !read_words(text, word))
		return false;
	line = nameless(l, text, text + strlen(text));
	if (line.pid != l->dump.pid)
		return false;
	if (++l->dumped <= 4)
		return true;
	l->dumped = 0;
	line = l->dump;
	{
		int status = status_of_syndrome(word[1] & 0xff);
		const struct log_completion w = {"", (uint8_t)status,
			status == STATUS_FLUSHED ? TROUBLE_AFTER : TROUBLE_ERROR, false};
		char own[48];

		(void)str_printf(own, sizeof(own), "completion with syndrome 0x%x, vendor 0x%x",
			word[1] & 0xff, word[1] >> 8 & 0xff);
		(void)add_completion(l, &line, &w, "mlx5", own);
	}
	return true;
}

/* What NVSHMEM's macros put before a message: a call that returned a status, or no object. */
static const char *nvshmem_message(const char *text)
{
	static const char *const marks[] = {": non-zero status: ", ": NULL value "};
	int64_t status;
	const char *at;

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		at = strstr(text, marks[i]);
		if (!at)
			continue;
		at += strlen(marks[i]);
		(void)scan_int(&at, &status);
		return at + strspn(at, " ");
	}
	at = strstr(text, "init failed for transport: ");
	return at && strstr(text, "nvshmem") ? at : NULL;
}

/*
 * What failed: a consequence, a connection that never came up, else an error of this host. The
 * callers of what failed say so as well.
 */
static enum nccl_trouble nvshmem_trouble(struct log *l, const char *message)
{
	static const char *const after[] = {"progress_send", "check_poll", "progress_quiet"},
				 *const callers[] = {"connect EPS", "setup connections",
					 "detect topo", "share err"},
				 *const connect[] = {"connect", "init2rtr", "rtr2rts", "modify_qp",
					 "create ah", "create_ah"};
	bool is_first = !l->nvshmem;

	l->nvshmem = true;
	for (size_t i = 0; i < sizeof(after) / sizeof(after[0]); i++)
		if (strcasestr(message, after[i]))
			return TROUBLE_AFTER;
	for (size_t i = 0; !is_first && i < sizeof(callers) / sizeof(callers[0]); i++)
		if (strcasestr(message, callers[i]))
			return TROUBLE_AFTER;
	for (size_t i = 0; i < sizeof(connect) / sizeof(connect[0]); i++)
		if (strcasestr(message, connect[i]))
			return TROUBLE_CONNECT;
	return TROUBLE_ERROR;
}

static bool read_nvshmem(struct log *l, const char *text)
{
	const char *at = nvshmem_message(text);
	struct log_line line;
	struct obs_nccl *r;
	int64_t status;

	if (!at)
		return false;
	line = nameless(l, text, at);
	status = scan_after(at, "ibv_poll_cq failed, status: ", STATUS_NAMED);
	if (nccl_wc_status(status)) {
		const struct log_completion of_status = {"", (uint8_t)status,
			status == STATUS_FLUSHED ? TROUBLE_AFTER : TROUBLE_ERROR, false};

		(void)add_completion(l, &line, &of_status, "NVSHMEM", at);
		return true;
	}
	r = nccl_log_error(l, &line, nvshmem_trouble(l, at));
	if (r)
		r->text = obs_string(l->o, at);
	return true;
}

/* An error in the words of the line, from at on. */
static void add_error(struct log *l, const char *text, const char *at)
{
	struct log_line line = nameless(l, text, at);
	struct obs_nccl *r = nccl_log_error(l, &line, TROUBLE_ERROR);

	if (r)
		r->text = obs_string(l->o, at);
}

/* "DeepEP dispatch NVL receiver timeout, channel: 6, RDMA: 0, nvl: 0, src NVL: 5, ..." */
static bool read_deepep(struct log *l, const char *text)
{
	const char *at = strstr(text, "DeepEP ");

	if (!at || !strstr(at, "timeout"))
		return false;
	nccl_log_record(l, text, TROUBLE_ERROR, at, 0);
	return true;
}

/* Only what it calls an error: libfabric warns of much that ends nothing. */
static bool read_libfabric(struct log *l, const char *text)
{
	const char *at = strstr(text, "libfabric:"), *message, *end;
	struct log_line line = {.gpu = -1, .label = -1};
	struct obs_nccl *r;
	char why[96], own[64], far[64], say[256];
	int64_t pid, seconds;

	if (!at)
		return false;
	message = strstr(at, "<warn> err: ");
	/* Other warnings count as any line does. */
	if (!message && strstr(at, "<warn>"))
		return false;
	at += strlen("libfabric:");
	if (!message || !scan_int(&at, &pid) || *at++ != ':' || !scan_int(&at, &seconds))
		return true;
	if (!scan_find(&message, "message: "))
		return true;
	end = strstr(message, " My EFA addr:");
	(void)str_copyn(why, sizeof(why), message,
		end && end - message < 90 ? (size_t)(end - message) : strcspn(message, ",(;"));
	(void)word_behind(message, "My host id: ", " ", own, sizeof(own));
	(void)word_behind(message, "Peer host id: ", " (", far, sizeof(far));
	line.pid = pid < INT32_MAX ? (int32_t)pid : -1;
	line.time_us = seconds < INT64_MAX / 1000000 ? seconds * 1000000 : 0;
	line.text = message;
	r = nccl_log_error(l, &line, TROUBLE_ERROR);
	if (!r)
		return true;
	(void)str_printf(say, sizeof(say), "libfabric: %s%s%s", why, *far ? ", to " : "", far);
	r->text = obs_string(l->o, say);
	r->text2 = obs_string(l->o, far);
	return true;
}

/* "172.16.0.2:8149@mlx5_0": a NIC of that host; the model knows "172.16.0.2@mlx5_0". */
static uint32_t far_nic(struct log *l, const char *s)
{
	const char *nic = strchr(s, '@'), *port = nic;
	char text[96];

	if (!nic)
		return obs_string(l->o, s);
	while (port > s && digits_is(port[-1]))
		port--;
	if (port == s || port[-1] != ':')
		port = nic + 1;
	(void)str_printf(text, sizeof(text), "%.*s%s", (int)(port - 1 - s), s, nic);
	return obs_string(l->o, text);
}

static bool read_mooncake(struct log *l, const char *text)
{
	const char *at = strstr(text, "Process failed for slice ("), *why;
	const char *inactive = strstr(text, "Too many errors found in local RNIC ");
	const struct log_completion *w;
	struct log_line line;
	struct obs_nccl *r;
	char nic[96], peer[96];

	if (strstr(text, "rdma_context.cpp") && strstr(text, "Context is not active"))
		return true; /* of each later slice */
	if (inactive) {
		line = nameless(l, text, inactive);
		r = nccl_log_error(l, &line, TROUBLE_ERROR);
		if (!r)
			return true;
		r->text = obs_string(l->o, inactive);
		if (word_behind(inactive, "@", ", ", nic, sizeof(nic)))
			r->nic = obs_string(l->o, nic);
		return true;
	}
	why = at ? strstr(at, "): ") : NULL;
	w = why ? nccl_log_completion(why, true) : NULL;
	if (!w)
		return false;
	line = nameless(l, text, at);
	(void)word_behind(at, "local_nic: ", ",)", nic, sizeof(nic));
	(void)word_behind(at, "peer_nic: ", ",)", peer, sizeof(peer));
	r = add_completion(l, &line, w, "Mooncake", why + 3);
	if (!r)
		return true;
	r->nic = obs_string(l->o, nic);
	r->text2 = far_nic(l, peer);
	return true;
}

/* ---- GPUs ---- */

/* An error that ends the process, and is of the GPU or its links. Others may be tried again. */
static bool read_cuda(struct log *l, const char *text)
{
	static const char *const words[] = {"CUDA_ERROR_CONTAINED", "CUDA_ERROR_ECC_UNCORRECTABLE",
		"CUDA_ERROR_ILLEGAL_ADDRESS", "CUDA_ERROR_LAUNCH_FAILED",
		"CUDA_ERROR_NVLINK_UNCORRECTABLE", "CUDA error: uncorrectable",
		"CUDA error: an illegal memory access", "CUDA error: unspecified launch failure",
		"CUDA error: Invalid access of peer GPU", "CUDA error: device-side assert",
		"HIP error: an illegal memory access", "HIP error: unspecified launch failure"};
	const char *at = NULL;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]) && !at; i++)
		at = strstr(text, words[i]);
	if (!at)
		return false;
	add_error(l, text, at);
	return true;
}

bool nccl_log_engine(struct log *l, const char *line)
{
	static bool (*const readers[])(struct log * l, const char *text) = {nccl_log_sharp,
		read_ucx, read_nvshmem, read_deepep, read_libfabric, read_mooncake, read_dump,
		read_cuda};

	for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++)
		if (readers[i](l, line))
			return true;
	return false;
}
