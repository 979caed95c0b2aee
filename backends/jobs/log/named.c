/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "backends/jobs/log/log.h"
#include "base/digits.h"
#include "base/str.h"

/*
 * What any line of a job's log names, whoever wrote it: a host, an address of the far end, a NIC, a
 * rank, a process, a GPU. The words around them are those of launchers, schedulers and libraries.
 */

static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '-' || c == '.' || c == '_';
}

static bool begins_word(const char *from, const char *at)
{
	return at == from || !isalnum((unsigned char)at[-1]);
}

/* The number behind one of the keys, of which the last is NULL; -1: none. */
static int64_t number_behind(const char *s, const char *const *keys, int64_t limit)
{
	for (; *keys; keys++)
		for (const char *at = s; (at = strstr(at, *keys)); at++) {
			const char *number = at + strlen(*keys);
			int64_t n;

			if (digits_is(*number) &&
				(!isalnum((unsigned char)**keys) || begins_word(s, at)) &&
				scan_int(&number, &n) && n < limit &&
				!isalpha((unsigned char)*number))
				return n;
		}
	return -1;
}

/* ---- hosts ---- */

/* "[3,5-8]" or "[a-c]" of a list of hosts: its first one. */
static size_t add_first(char *dst, size_t size, size_t n, const char *list)
{
	for (list++; isalnum((unsigned char)*list) && n + 1 < size; list++)
		dst[n++] = *list;
	dst[n] = '\0';
	return n;
}

/* A number alone is a rank of MPI's node, and not its name. */
static bool take_host(const char *s, char *dst, size_t size)
{
	size_t n = 0;

	while (is_name_char(s[n]))
		n++;
	while (n && (s[n - 1] == '.' || s[n - 1] == '-'))
		n--;
	if (!n || n >= size || strspn(s, "0123456789") >= n || !str_copyn(dst, size, s, n))
		return false;
	if (s[n] == '-' && s[n + 1] == '[' && n + 1 < size)
		dst[n++] = '-';
	if (s[n] == '[')
		(void)add_first(dst, size, n, s + n);
	return true;
}

/* Open MPI begins its lines with "[gpu-node-03:157231]", UCX with "[gpu-node-03:26   :0:26]". */
static bool read_origin(const char *s, struct log_named *out)
{
	const char *at = s + 1, *pid;
	int64_t n;

	if (*s != '[')
		return false;
	while (is_name_char(*at))
		at++;
	if (*at != ':' || at == s + 1)
		return false;
	pid = at + 1;
	if (!digits_is(*pid) || !scan_int(&pid, &n) || n >= INT32_MAX)
		return false;
	pid += strspn(pid, " :0123456789");
	if (*pid != ']')
		return false;
	/* "[12:30]" is a time. */
	if (strspn(s + 1, "0123456789") == (size_t)(at - s - 1))
		return false;
	out->pid = (int32_t)n;
	out->own_host = true;
	return str_copyn(out->host, sizeof(out->host), s + 1, (size_t)(at - s - 1));
}

/* Python's "RuntimeError: ...", "torch.distributed.DistBackendError: ...". */
static bool is_exception(const char *s)
{
	size_t n = strcspn(s, " ");

	return n > strlen("Error:") && strncmp(s + n - strlen("Error:"), "Error:", 6) == 0;
}

/*
 * pdsh, clush and DeepSpeed: "172.16.0.2: WARN: ...", "gpu-node-03: [2026-11-27 02:51:03] ...",
 * "gpu-node-03: RuntimeError: ...".
 */
static bool read_prefix(const char *s, struct log_named *out)
{
	static const char *const next[] = {"[", "WARN", "ERROR", "INFO", "FATAL", "E1", "W1", "F1"};
	bool has_digit, follows;
	size_t n = 0;

	while (is_name_char(s[n]))
		n++;
	if (!n || s[n] != ':' || s[n + 1] != ' ' || str_starts(s + n + 2, "[PID: "))
		return false; /* "EI0009: [PID: 71]": a code of CANN */
	/* Other words stand before a colon too. */
	has_digit = strcspn(s, "0123456789") < n;
	follows = is_exception(s + n + 2) && (has_digit || memchr(s, '-', n));
	for (size_t i = 0; i < sizeof(next) / sizeof(next[0]); i++)
		follows |= has_digit && str_starts(s + n + 2, next[i]);
	out->own_host = follows && take_host(s, out->host, sizeof(out->host));
	return out->own_host;
}

/*
 * Slurm's "[[gpu-node-03]:6818] failed" is of that host; Open MPI's
 * "[gpu-node-03][[12345,1],3][btl_tcp" is of a process on it, whose rank is the last number.
 */
static bool read_bracketed(const char *s, struct log_named *out)
{
	const char *at = strstr(s, "[["), *end;
	size_t n;

	if (!at)
		return false;
	if (take_host(at + 2, out->host, sizeof(out->host)) &&
		str_starts(at + 2 + strlen(out->host), "]:"))
		return true;
	end = *s == '[' ? strchr(s, ']') : NULL;
	n = end ? (size_t)(end - s) : 0;
	if (n < 2 || at != end + 1 || !digits_is(at[2]) || strcspn(s + 1, " [],:") != n - 1 ||
		!str_copyn(out->host, sizeof(out->host), s + 1, n - 1))
		return false;
	out->own_host = true;
	at = strstr(at, "],");
	if (at && digits_is(at[2]))
		out->rank = (int32_t)strtol(at + 2, NULL, 10);
	return true;
}

/* The programs of a launcher put the host before their words. */
static bool read_launcher(const char *s, struct log_named *out)
{
	/* "slurmstepd-gpu-node-03: error: pyxis: ..." */
	if (str_starts(s, "slurmstepd-") &&
		take_host(s + strlen("slurmstepd-"), out->host, sizeof(out->host)) &&
		str_starts(s + strlen("slurmstepd-") + strlen(out->host), ": ")) {
		out->own_host = true;
		return true;
	}
	/* "pdsh@login: gpu-node-03: ssh exited with exit code 255" */
	if (str_starts(s, "pdsh@")) {
		const char *at = strstr(s, ": ");

		if (at && take_host(at + 2, out->host, sizeof(out->host)))
			return true;
	}
	/* "root@gpu-node-03: Permission denied (publickey)", of ssh */
	if (s[strcspn(s, " @")] == '@') {
		const char *at = strchr(s, '@') + 1;

		if (take_host(at, out->host, sizeof(out->host)) && at[strlen(out->host)] == ':')
			return true;
	}
	return false;
}

static void read_host(const char *s, struct log_named *out)
{
	static const char *const keys[] = {"srun: error: ", " on node ",
		" and address: ", " and ip: ", " node name: ", " on host ", " from host ",
		"ost name: ", "ostname: ", "ode failure on ", "ODE FAILURE ON ", " ON ",
		" RUNNING AT ", "(IP: ", " ip: ", "was encountered) on ", " host="};

	if (read_origin(s, out))
		return;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const char *at = strstr(s, keys[i]);

		if (!at)
			continue;
		at += strlen(keys[i]);
		at += strspn(at, " ");
		if (str_starts(at, "node "))
			at += strlen("node ");
		/* "srun: error: Unable to create step": a sentence; "slurm_receive_msgs:": a
		   function. */
		if (i == 0 && (at[strcspn(at, " :")] != ':' || memchr(at, '_', strcspn(at, " :"))))
			continue;
		if (take_host(at, out->host, sizeof(out->host)))
			return;
	}
	if (read_bracketed(s, out))
		return;
	if (read_launcher(s, out))
		return;
	/* "[gpu-node-03] - Abort(15)" of MPICH, "gpu-node-03:rank1: " of PSM3 */
	for (const char *at = strstr(s, "] - Abort("); at && at > s; at--)
		if (at[-1] == '[' && take_host(at, out->host, sizeof(out->host))) {
			out->own_host = true;
			return;
		}
	if (take_host(s, out->host, sizeof(out->host)) &&
		str_starts(s + strlen(out->host), ":rank") &&
		digits_is(s[strlen(out->host) + strlen(":rank")])) {
		out->own_host = true;
		return;
	}
	out->host[0] = '\0';
	if (read_prefix(s, out))
		return;
	/* nccl-tests: "gpu-node-03: Test NCCL failure". */
	if (strstr(s, ": Test ") && take_host(s, out->host, sizeof(out->host)) &&
		str_starts(s + strlen(out->host), ": Test "))
		return;
	out->host[0] = '\0';
}

/* ---- addresses ---- */

/* Length of an IPv4 address at s; 0: there is none. */
static size_t ipv4_at(const char *s)
{
	const char *at = s;

	for (unsigned i = 0; i < 4; i++) {
		size_t n = strspn(at, "0123456789");

		if (!n || n > 3 || strtoul(at, NULL, 10) > 255 || (i < 3 && at[n] != '.'))
			return 0;
		at += n + (i < 3);
	}
	return is_name_char(*at) && *at != '.' ? 0 : (size_t)(at - s);
}

/* The same of IPv6: "::" is in it, and it stands alone. Times and PCI addresses have single colons.
 */
static size_t ipv6_at(const char *s)
{
	size_t n = strspn(s, "0123456789abcdefABCDEF:");
	const char *twice = memmem(s, n, "::", 2);

	if (!twice || n < 4 || n > 39 || is_name_char(s[n]) || s[n - 1] == ':' || *s == ':')
		return 0;
	return n;
}

/* Words before an address that is that of the far end. */
static bool names_far_end(const char *from, const char *at)
{
	static const char *const before[] = {"peer ", "peer=", "to ", "remote ", "remote=", "dest ",
		"host ", "dgid ", "dgid=", "remote_ip=", "server "};

	while (at > from && (at[-1] == '[' || at[-1] == '(' || at[-1] == '\''))
		at--;
	for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++) {
		size_t n = strlen(before[i]);

		if ((size_t)(at - from) >= n && strncmp(at - n, before[i], n) == 0)
			return true;
	}
	return false;
}

static bool is_version(const char *from, const char *at)
{
	static const char word[] = "ersion ";

	return (size_t)(at - from) >= strlen(word) &&
	       strncmp(at - strlen(word), word, strlen(word)) == 0;
}

/* "172.16.0.2:14300@mlx5_1" of Mooncake: the NIC is the far end's. */
static void add_far_nic(const char *behind, struct log_named *out)
{
	size_t n, used = strlen(out->peer);

	if (*behind == ':')
		behind += 1 + strspn(behind + 1, "0123456789");
	n = *behind == '@' ? 1 + strspn(behind + 1, "0123456789abcdefghijklmnopqrstuvwxyz_") : 0;
	if (n > 1 && used + n < sizeof(out->peer))
		(void)str_copyn(out->peer + used, sizeof(out->peer) - used, behind, n);
}

static void read_peer(const char *s, struct log_named *out)
{
	unsigned best = 0;

	for (const char *at = s; *at; at++) {
		size_t n = 0;
		unsigned worth;

		if (at == s || !is_name_char(at[-1]))
			n = digits_is(*at) ? ipv4_at(at) : 0;
		if (!n && (at == s || (!is_name_char(at[-1]) && at[-1] != ':')))
			n = isxdigit((unsigned char)*at) ? ipv6_at(at) : 0;
		if (!n)
			continue;
		worth = names_far_end(s, at) ? 2 : 1;
		if (worth >= best && !str_starts(at, "127.") && !str_starts(at, "0.0.0.0") &&
			!is_version(s, at) && str_copyn(out->peer, sizeof(out->peer), at, n)) {
			best = worth;
			add_far_nic(at + n, out);
		}
		at += n - 1;
	}
}

/* torch's sockets: "addr=[gpu-node-03]:50402, remote=[gpu-node-07]:40027"; addresses too. */
static void read_remote(const char *s, struct log_named *out)
{
	const char *at = strstr(s, "remote=[");

	if (at && !out->peer[0])
		(void)take_host(at + strlen("remote=["), out->peer, sizeof(out->peer));
}

/* Open MPI's openib: "from gpu-node-03 to: gpu-node-07 error polling LP CQ with status". */
static void read_both(const char *s, struct log_named *out)
{
	const char *from = strstr(s, "from "), *to = from ? strstr(from, " to: ") : NULL;
	char own[64];

	if (!to || !take_host(from + strlen("from "), own, sizeof(own)) ||
		strlen(own) != (size_t)(to - from) - strlen("from ") ||
		!take_host(to + strlen(" to: "), out->peer, sizeof(out->peer)))
		return;
	(void)str_copy(out->host, sizeof(out->host), own);
	out->own_host = true;
}

/* ---- NICs ---- */

static void read_nic(const char *s, struct log_named *out)
{
	static const char *const prefixes[] = {"mlx5_bond_", "mlx5_", "mlx4_", "bnxt_re",
		"bnxt_re_bond", "rocep", "roceo", "roces", "rdmap", "ionic_", "irdma", "efa_",
		"erdma_", "hns_", "mana_", "hfi1_", "ibp", "rxe"};

	for (const char *at = s; *at; at++) {
		size_t n = 0;

		if (!begins_word(s, at) || (at > s && strchr("_@", at[-1])))
			continue;
		for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
			size_t k = strlen(prefixes[i]);

			if (str_starts(at, prefixes[i]) && digits_is(at[k]))
				n = k + strspn(at + k, "0123456789abcdefghijklmnopqrstuvwxyz_");
		}
		if (n && str_copyn(out->nic, sizeof(out->nic), at, n))
			return;
	}
}

void nccl_log_named(const char *s, struct log_named *out)
{
	static const char *const ranks[] = {"RankID:", "rank ", "Rank ",
		"rank=", "rank: ", "rank:", ":rank", "/task:", "RANK=", "TP", NULL};
	static const char *const pids[] = {"(PID:", "(pid: ", "pid: ", "PID: ", "libfabric:",
		"pid=", "PID ", "pid ", "process ", "Process ", NULL};
	static const char *const gpus[] = {
		"GPU ", "GPU:", "GPU", "gpu ", "gpu:", "gpu=", "cuda:", "device=", "Device:", NULL};
	int64_t n;

	*out = (struct log_named){.pid = -1, .rank = -1, .gpu = -1};
	read_host(s, out);
	read_peer(s, out);
	read_remote(s, out);
	read_both(s, out);
	read_nic(s, out);
	n = number_behind(s, ranks, NCCL_RANKS_MAX);
	if (n >= 0)
		out->rank = (int32_t)n;
	if (out->pid < 0)
		out->pid = (int32_t)number_behind(s, pids, INT32_MAX);
	/* mpirun does not know the process of a node that it lost. */
	if (!out->pid)
		out->pid = -1;
	out->gpu = (int32_t)number_behind(s, gpus, NCCL_GPUS_MAX);
	/* A machine that is named as a host is not the far end as well. */
	if (str_eq(out->host, out->peer))
		out->peer[0] = '\0';
}

bool nccl_log_names_any(const struct log_named *n)
{
	return n->host[0] || n->peer[0] || n->nic[0] || n->rank >= 0 || n->pid >= 0 || n->gpu >= 0;
}
