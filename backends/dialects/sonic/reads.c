/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/dialects/sonic/sonic.h"

#include <gnutls/crypto.h>
#include <pthread.h>
#include <string.h>

#include "backends/parse/frr.h"
#include "backends/contract/reads.h"
#include "base/buf.h"
#include "base/str.h"

/*
 * The allow-list of SONiC: see backends/contract/reads.h. Of Redis it allows the scripts of lua.c
 * only, by their text or by the SHA1 of that text. The SHA1 comes from the switch and must not name
 * another script in its Redis. tests/backends/contract/test_reads.c proves that these scripts only
 * read.
 */

#define BGP " -c \"show bgp vrf all summary json\" 2>&1 | " FRR_BGP_FILTER

#define SEGMENTS " -c \"show evpn es json\" 2>/dev/null"

static const char *const commands[] = {
	"sudo -n rvtysh" BGP,
	"sudo -n rvtysh" SEGMENTS,
	"sudo -n tail -F /var/log/syslog",
	"sudo -n tail -n0 -F /var/log/syslog",
	"tail -n0 -F /var/log/syslog",
	"vtysh" BGP,
	"vtysh" SEGMENTS,
	NULL,
};

static const struct eval {
	const char *first, *db, *lua;
	bool of_host;
} evals[] = {
	{"cat /proc/sys/kernel/random/boot_id /proc/uptime; ", "COUNTERS_DB", sonic_fast_lua,
		false},
	{"", "STATE_DB", sonic_optics_lua, false},
	{"cat /etc/sonic/sonic_version.yml; ", "CONFIG_DB", sonic_config_lua, true},
	{"", "STATE_DB", sonic_modules_lua, false},
};

#define EVALS (sizeof(evals) / sizeof(evals[0]))

/* SHA1 sums of constant texts: computed once per process, by the first thread that needs them. */
static struct {
	pthread_once_t once;
	char of[EVALS][SONIC_SHA_SIZE]; /* "": could not be computed */
} shas = {.once = PTHREAD_ONCE_INIT};

static bool make_sha(const char *lua, char dst[SONIC_SHA_SIZE])
{
	static const char digits[] = "0123456789abcdef";
	unsigned char sum[20];

	dst[0] = '\0';
	if (gnutls_hash_fast(GNUTLS_DIG_SHA1, lua, strlen(lua), sum) != 0)
		return false;
	for (size_t i = 0; i < sizeof(sum); i++) {
		dst[2 * i] = digits[sum[i] >> 4];
		dst[2 * i + 1] = digits[sum[i] & 15];
	}
	dst[2 * sizeof(sum)] = '\0';
	return true;
}

static void make_shas(void)
{
	for (size_t i = 0; i < EVALS; i++)
		(void)make_sha(evals[i].lua, shas.of[i]);
}

bool sonic_script_sha(const char *lua, char dst[SONIC_SHA_SIZE])
{
	(void)pthread_once(&shas.once, make_shas);
	for (size_t i = 0; i < EVALS; i++)
		if (evals[i].lua == lua)
			return str_copy(dst, SONIC_SHA_SIZE, shas.of[i]) && *dst;
	return make_sha(lua, dst);
}

/* "3,4" or "none" */
static bool skip_priorities(const char **at)
{
	const char *s = *at;

	if (reads_skip(at, "none"))
		return true;
	while (*s >= '0' && *s <= '7' && s[1] == ',')
		s += 2;
	if (*s < '0' || *s > '7' || s[1] != ' ')
		return false;
	*at = s + 1;
	return true;
}

/* "0 16 32" */
static bool skip_pieces(const char **at)
{
	for (unsigned i = 0; i < SONIC_PIECES_MOST; i++) {
		size_t n = strspn(*at, "0123456789");

		if (n < 1 || n > 5)
			return false;
		*at += n;
		if (!reads_skip(at, " "))
			return true;
	}
	return false;
}

/* "asic0 asic1" */
static bool skip_asics(const char **at)
{
	size_t n;

	for (;;) {
		if (!reads_skip(at, "asic"))
			return false;
		n = strspn(*at, "0123456789");
		if (n < 1 || n > 2)
			return false;
		*at += n;
		if (!reads_skip(at, " "))
			return true;
	}
}

/* How one database is asked: by this client, with an ASIC in the marks or without. */
struct asked {
	const struct eval *e;
	const char *client, *mark, *sha;
};

/* One call: the script's SHA1, or its text, which is in $s; then its two arguments. */
static bool skip_eval(const char **at, const struct asked *a, const char *piece)
{
	return reads_skip(at, a->client) && reads_skip(at, " ") && reads_skip(at, a->e->db) &&
	       (*a->sha ? reads_skip(at, " EVALSHA ") && reads_skip(at, a->sha)
			: reads_skip(at, " EVAL \"$s\"")) &&
	       reads_skip(at, " 0 ") && skip_priorities(at) && reads_skip(at, " ") &&
	       reads_skip(at, piece) && reads_skip(at, " 2>&1");
}

/* A call for each piece of the ports, or one. Then the request to keep a script that was sent. */
static bool skip_pieces_of(const char **at, const struct asked *a)
{
	if (reads_skip(at, "for i in ")) {
		if (!skip_pieces(at) || !reads_skip(at, "; do echo \"" SONIC_ASIC_MARK) ||
			!reads_skip(at, a->mark) || !reads_skip(at, "$i\"; ") ||
			!skip_eval(at, a, "$i") || !reads_skip(at, "; done"))
			return false;
	} else {
		if (*a->mark && (!reads_skip(at, "echo \"" SONIC_ASIC_MARK) ||
					!reads_skip(at, a->mark) || !reads_skip(at, "0\"; ")))
			return false;
		if (!skip_eval(at, a, "0"))
			return false;
	}
	return *a->sha ||
	       (reads_skip(at, "; ") && reads_skip(at, a->client) && reads_skip(at, " ") &&
		       reads_skip(at, a->e->db) && reads_skip(at, " SCRIPT LOAD \"$s\" 2>&1"));
}

/* "for a in asic0 asic1; do echo "@asic $a"; " */
static bool skip_each_asic(const char **at)
{
	return reads_skip(at, "for a in ") && skip_asics(at) &&
	       reads_skip(at, "; do echo \"" SONIC_ASIC_MARK "$a\"; ");
}

static bool is_eval(const struct eval *e, const char *at)
{
	char sha[SONIC_SHA_SIZE] = "";
	const struct asked host = {e, "sonic-db-cli", "", sha};
	const struct asked asic = {e, "sudo -n sonic-db-cli -n $a", "$a ", sha};
	const char *each;

	if (!reads_skip(&at, e->first))
		return false;
	if (reads_skip(&at, "s=\"")) {
		if (!reads_skip(&at, e->lua) || !reads_skip(&at, "\"; "))
			return false;
	} else if (!sonic_script_sha(e->lua, sha)) {
		return false;
	}
	each = at;
	if (skip_pieces_of(&at, &host)) {
		if (!*at)
			return true;
		if (!e->of_host || !reads_skip(&at, "; "))
			return false;
		each = at;
	} else if (e->of_host) {
		return false;
	}
	return reads_skip(&each, "for a in ") && skip_asics(&each) && reads_skip(&each, "; do ") &&
	       skip_pieces_of(&each, &asic) && str_eq(each, "; done");
}

/* What FRR is asked, once for each ASIC. */
static bool is_vtysh_of_asics(const char *at)
{
	return skip_each_asic(&at) &&
	       (reads_skip(&at, "sudo -n rvtysh") || reads_skip(&at, "vtysh")) &&
	       (str_eq(at, " -n ${a#asic}" BGP "; done") ||
		       str_eq(at, " -n ${a#asic}" SEGMENTS "; done"));
}

/* "Ethernet12 none", "none WRED_ECN_QUEUE" */
static bool skip_look_words(const char **at)
{
	if (reads_skip(at, "Ethernet"))
		*at += strspn(*at, "0123456789");
	else if (!reads_skip(at, "none"))
		return false;
	if (!reads_skip(at, " "))
		return false;
	if (!reads_skip(at, "none"))
		*at += strspn(*at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_");
	return true;
}

static bool skip_look(const char **at, const char *client)
{
	return reads_skip(at, client) && reads_skip(at, " COUNTERS_DB EVAL \"$s\" 0 ") &&
	       skip_look_words(at) && reads_skip(at, " 2>&1");
}

/* True: reads the condition of one port for a change, by its name and a group of counters. */
static bool is_look(const char *at)
{
	if (!reads_skip(&at, "s=\"") || !reads_skip(&at, sonic_condition_lua) ||
		!reads_skip(&at, "\"; "))
		return false;
	if (skip_look(&at, "sonic-db-cli"))
		return !*at;
	return skip_each_asic(&at) && skip_look(&at, "sudo -n sonic-db-cli -n $a") &&
	       str_eq(at, "; done");
}

static bool is_special(const char *command)
{
	for (size_t i = 0; i < EVALS; i++)
		if (is_eval(&evals[i], command))
			return true;
	return is_look(command) || str_eq(command, sonic_detect_script) ||
	       str_eq(command, sonic_path_script) || str_eq(command, SONIC_STATIONS) ||
	       is_vtysh_of_asics(command);
}

static const struct read_list list = {.commands = commands, .command = is_special};

bool sonic_reads(const struct request *r)
{
	return reads_listed(&list, r);
}
