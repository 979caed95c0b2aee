/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/integration/read_only/read_check.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "tests/integration/support/lab.h"
#include "tests/support/cases.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

static bool complain(char *why, size_t size, const char *rule, const char *word)
{
	(void)str_printf(why, size, "%s: %.80s", rule, word);
	return false;
}

static bool is_in(const char *word, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (str_eq(word, list[i]))
			return true;
	return false;
}

/* ---- words ---- */

/* Each of these words means a change, in every command language. */
static const char *const never[] = {"config", "configure", "conf", "shutdown", "shut", "reboot",
	"reload", "clear", "copy", "write", "unset", "apply", "patch", "delete", "add", "replace",
	"flush", "rm", "mv", "cp", "tee", "dd", "chmod", "chown", "touch", "mkdir", "ln", "install",
	"service", "sysctl", "modprobe", "insmod", "ifconfig", "ifup", "ifdown", "counterpoll",
	"pfcwd", "pfc-storm", "usermod", "passwd", "docker", "scancel", "mount", "scp", "curl",
	"wget", "python", "python3", "perl", "nohup", "crontab", "at", "halt", "poweroff", "init",
	"redis-cli", "sonic-clear", "sonic-cfggen", "bash", "eval", "su", "start", "stop",
	"redirect", "append", "HSET", "HMSET", "HSETNX", "HDEL", "HINCRBY", "DEL", "UNLINK", "SET",
	"SETNX", "SETEX", "GETSET", "INCR", "DECR", "APPEND", "RENAME", "FLUSHDB", "FLUSHALL",
	"EXPIRE", "PERSIST", "PUBLISH", "RPUSH", "LPUSH", "LPOP", "RPOP", "SADD", "SREM", "ZADD",
	"XADD", "MOVE", "RESTORE", "SAVE", "BGSAVE", "DEBUG", "MIGRATE"};

/* The arguments that make a tool of reading and writing a reader; the first match decides. */
static const struct tool {
	const char *name;
	const char *behind; /* beginnings of the rest of the line, apart by '|' */
} tools[] = {
	{"sudo", "-n sonic-db-cli |-n rvtysh |-n vtysh -c |-n tail |-n journalctl -k -f |"
		 "-n ethtool -m |-n lldpcli show |-n lldpcli -f json0 show |-n -l |>/dev/null|"
		 "; do|-n'"},
	{"ethtool",
		"-S |-m |-I --show-fec |-I -a |-I |-i |--version|\"$@\" 2>&1|\"$n\" 2>&1 | grep|"
		"rdma dcb|>/dev/null|)\"|; break|dcb|)|'|&&"},
	{"ip", "-j |-o addr show to "},
	{"tc", "-j -s "},
	{"dcb", "-j |-V|mlnx_qos| dcb|)"},
	{"nv", "show |list-commands"},
	{"vtysh", "-c 'show |-c \"show |2>/dev/null|-n ${a#asic} -c \"show |-c \"$1\"|=|;"},
	{"rvtysh", "-c \"show |-n ${a#asic} -c \"show "},
	{"lldpcli", "show |-f json0 show |-v|journalctl|)\"|;|&&|-f"},
	{"mlnx_qos", "-i \"$n\" 2>&1|>/dev/null|lldpcli|)"},
	{"rdma", "-j link|link 2>/dev/null|-j statistic|-V|dcb"},
	/* Of `nvlink`, -r, -re, -sc, -sLowPwrThres and -sBwMode change something. */
	{"nvidia-smi", "--query-gpu=|topo -m|--query-compute-apps=pid |nvlink -s 2>&1|"
		       "nvlink -e 2>&1; echo |-q 2>/dev/null |amd-smi ethtool"},
	{"amd-smi", "xgmi 2>&1|ethtool rdma"},
	{"nvidia-imex-ctl", "-N -j 2>&1|>/dev/null 2>&1; then"},
	{"systemctl", "show --property=LoadState,ActiveState nvidia-fabricmanager 2>&1"},
	{"journalctl", "-k -f -n 0 |-f -n 100 |-q -k -n 1 |--system -n 1 |dmesg|)\"|;|&&"},
	{"dmesg", "--follow-new --time-format iso|>/dev/null|--help|sudo|;|&&"},
	{"tail", "-n 0 -F /var/log/|-n0 -F /var/log/|-F /var/log/|-c +|-c 67108864 \"$f\"; else|-q "
		 "-n 2000 -F \"$@\""},
	/* Its own processes, and the server's process of its own session. */
	{"kill", "-9 \\$t \\$z 2>/dev/null; exit 0\"|-9 $t; l=|-0 $t 2>/dev/null|$p) "
		 "<&3|$c; exit $s|-9 $a\n|$z; exit'|$z\n|\"$p\"; break|$g'|$g\n|-USR1 $g\n"},
	{"exec", "sh -c 'exec 3<&0; |3<&0; |3<&0 </dev/null\n|3<&-\n|3<&-; "
		 "|3>&1\n|4>&1\n|4>&3\n|2>/dev/null\n|tail -q -n "
		 "2000 -F \"$@\""},
	{"set", "-- /|-- $l\n|-- \"$d\"/*|-- $(stat |-- $(grep -slzE |-- \"$C/infiniband|-- "
		"$C/net/"},
	{"squeue", "--json --all --states=RUNNING|--noheader --all --states=RUNNING --format="},
	{"sonic-db-cli",
		"CONFIG_DB EVAL|CONFIG_DB SCRIPT LOAD|STATE_DB EVAL|STATE_DB SCRIPT LOAD|"
		"COUNTERS_DB EVAL|COUNTERS_DB SCRIPT LOAD|-n $a |CONFIG_DB HGET |-n asic0 PING"},
	{"show", ""},
	{"enable", "\""},
};

static bool fits(const char *rest, const char *behind)
{
	size_t n;

	rest += strspn(rest, " ");
	for (; *behind; behind += n + (behind[n] == '|')) {
		n = strcspn(behind, "|");
		/* A pipe in a rule is written as it is in the text, behind a blank. */
		if (strncmp(rest, behind, n) == 0)
			return true;
	}
	return false;
}

static bool is_word_char(char c)
{
	return isalnum((unsigned char)c) || (c && strchr("_-./:@+", c));
}

static bool check_word(const char *word, const char *rest, char *why, size_t size)
{
	if (is_in(word, never, ARRAY_LEN(never)))
		return complain(why, size, "a word that changes", word);
	/* A tool without a word behind it does nothing; so are names told apart in a pattern. */
	for (size_t i = 0; i < ARRAY_LEN(tools) && *rest && !strchr("|);\n", *rest); i++)
		if (str_eq(word, tools[i].name) && *tools[i].behind && !fits(rest, tools[i].behind))
			return complain(why, size, tools[i].name, rest);
	return true;
}

/* ---- where output goes ---- */

/* Comparisons, of numbers in a shell's arithmetic and in Lua. */
static const char *const comparisons[] = {"$2 > 65536"};

static bool check_redirection(const char *text, const char *at, char *why, size_t size)
{
	const char *to = at + 1 + strspn(at + 1, " ");

	if (str_starts(to, "/dev/null") || (*to == '&' && to == at + 1))
		return true;
	for (size_t i = 0; i < ARRAY_LEN(comparisons); i++) {
		size_t before = strcspn(comparisons[i], ">");

		if ((size_t)(at - text) >= before && str_starts(at - before, comparisons[i]))
			return true;
	}
	return complain(why, size, "output goes somewhere", at);
}

/* ---- scripts of Redis ---- */

bool read_check_redis(const char *command)
{
	static const char *const reads[] = {"hget", "hmget", "hgetall", "hkeys", "hvals", "hexists",
		"exists", "keys", "scan", "time", "select", "ping", "eval", "evalsha", "script",
		"client", "hello", "auth", "command", "info"};
	char word[32] = "";

	(void)str_copyn(word, sizeof(word), command, strcspn(command, " "));
	for (char *c = word; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	return is_in(word, reads, ARRAY_LEN(reads));
}

/* Everything that a script of the line gives to Redis. */
static bool check_lua(const char *text, char *why, size_t size)
{
	for (const char *at = text; (at = strstr(at, "redis")); at++) {
		const char *name = strchr(at, '\'');
		char word[32];

		if (!str_starts(at, "redis.call('") && !str_starts(at, "redis.pcall('"))
			return complain(why, size, "Redis in a way of its own", at);
		(void)str_copyn(word, sizeof(word), name + 1, strcspn(name + 1, "'"));
		if (!read_check_redis(word) || str_eq(word, "EVAL"))
			return complain(why, size, "a script writes", word);
	}
	return true;
}

/* The text without the part between 's="' and '"; ': Lua, which has other rules. */
static char *without_lua(const char *text, char **lua)
{
	const char *from = strstr(text, "s=\"local "), *to = from ? strchr(from + 3, '"') : NULL;
	char *shell;

	*lua = NULL;
	if (!to)
		return mem_strdup(text);
	*lua = mem_strndup(from + 3, (size_t)(to - from - 3));
	shell = mem_strdup(text);
	memmove(shell + (from - text), to, strlen(to) + 1);
	return shell;
}

static bool check_words(const char *text, char *why, size_t size)
{
	char word[256];

	for (const char *at = text; *at;) {
		size_t n = 0;

		if (*at == '>' && !(at > text && strchr("-=", at[-1])) &&
			!check_redirection(text, at, why, size))
			return false;
		while (is_word_char(at[n]))
			n++;
		if (!n) {
			at++;
			continue;
		}
		(void)str_copyn(word, sizeof(word), at, n < sizeof(word) ? n : sizeof(word) - 1);
		/* An argument that is printed, not run: "echo ethtool". */
		if (!(at - text >= 5 && strncmp(at - 5, "echo ", 5) == 0) &&
			!check_word(word, at + n, why, size))
			return false;
		at += n;
	}
	return true;
}

/* A switch's CLI has no tools: show commands, and no word that changes. */
static bool check_cli(const char *line, char *why, size_t size)
{
	char word[256];

	for (const char *at = line; *at;) {
		size_t n = 0;

		while (is_word_char(at[n]))
			n++;
		(void)str_copyn(word, sizeof(word), at, n < sizeof(word) ? n : sizeof(word) - 1);
		if (is_in(word, never, ARRAY_LEN(never)))
			return complain(why, size, "a word that changes", word);
		at += n ? n : 1;
	}
	return true;
}

bool read_check_shell(const char *text, char *why, size_t size)
{
	char *lua, *shell = without_lua(text, &lua);
	bool ok = check_words(shell, why, size) && (!lua || check_lua(lua, why, size));

	free(shell);
	free(lua);
	return ok;
}

/* ---- HTTPS ---- */

/* Commands of a JSON body: each must show, or make showing possible. */
static bool check_commands(const char *body, char *why, size_t size)
{
	static const char key[] = "\"cmd\":\"";
	size_t n = 0;

	for (const char *at = body; (at = strstr(at, key)); n++) {
		char line[256];

		at += sizeof(key) - 1;
		(void)str_copyn(line, sizeof(line), at, strcspn(at, "\""));
		if (!str_starts(line, "show ") && !str_eq(line, "enable"))
			return complain(why, size, "a command that does not show", line);
		if (!check_cli(line, why, size) || strpbrk(line, ";\\>"))
			return complain(why, size, "a command", line);
	}
	if (strstr(body, "cli_conf") || strstr(body, "\"input\""))
		return complain(why, size, "a way to configure", body);
	return n > 0 || complain(why, size, "no command", body);
}

bool read_check_https(
	const char *method, const char *path, const char *body, char *why, size_t size)
{
	if (str_eq(method, "GET"))
		return (!*body &&
			       (str_starts(path, "/nvue_v1/") || str_starts(path, "/api/node/") ||
				       str_starts(path, "/api/mo/"))) ||
		       complain(why, size, "a GET of", path);
	if (!str_eq(method, "POST"))
		return complain(why, size, "a method", method);
	/* Sessions: not of this device's configuration. */
	if (str_eq(path, "/login") || str_eq(path, "/api/aaaLogin.json"))
		return true;
	if (!str_eq(path, "/command-api") && !str_eq(path, "/ins"))
		return complain(why, size, "a POST to", path);
	return check_commands(body, why, size);
}

/* ---- a log of it ---- */

static const char *text_of(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

static bool only_reads(const json_t *e, char *why, size_t size)
{
	static const char ras[] = "CLIENT PROTOCOL 2\nTIMEOUT 5\nSET FORMAT json\n";
	const char *input = text_of(e, "input");

	if (str_eq(text_of(e, "via"), "https"))
		return read_check_https(
			text_of(e, "method"), text_of(e, "path"), text_of(e, "body"), why, size);
	if (str_eq(text_of(e, "via"), "forward")) {
		(void)str_copy(why, size, "a connection");
		return json_integer_value(json_object_get(e, "port")) == 28028 &&
		       (!*input || str_eq(input, "STATUS\n") ||
			       (str_starts(input, ras) &&
				       (!input[sizeof(ras) - 1] ||
					       str_eq(input + sizeof(ras) - 1, "STATUS\n"))));
	}
	return read_check_shell(text_of(e, "command"), why, size) &&
	       read_check_shell(input, why, size);
}

unsigned read_check_log(const char *path, unsigned *devices)
{
	char *line = NULL, why[256], seen[64][32];
	size_t room = 0, n = 0, nseen = 0, i;
	FILE *f = fopen(path, "re");

	assert_non_null(f);
	while (getline(&line, &room, f) > 0) {
		json_t *e = lab_json(line);

		if (!only_reads(e, why, sizeof(why)))
			fail_msg("%s\n%s", why, line);
		if (json_is_true(json_object_get(e, "wrote")) ||
			json_is_true(json_object_get(e, "changed")))
			fail_msg("a write\n%s", line);
		for (i = 0; i < nseen && !str_eq(seen[i], text_of(e, "device")); i++)
			;
		if (i == nseen && nseen < 64)
			(void)str_copy(seen[nseen++], sizeof(seen[0]), text_of(e, "device"));
		n++;
		json_decref(e);
	}
	free(line);
	(void)fclose(f);
	*devices = (unsigned)nseen;
	return (unsigned)n;
}
