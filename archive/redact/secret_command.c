/* SPDX-License-Identifier: Apache-2.0 */
/* Secrets that a command line gives as the value of a short option: "sshpass -p x", "mysql -px". */
#include <ctype.h>
#include <string.h>

#include "archive/redact/redact_private.h"

static const struct redact_command {
	const char *name;
	const char *options; /* letters whose value is secret, or has one */
	bool attached;       /* the value stands in the same word only: mysql asks for it else */
} commands[] = {
	{"curl", "uUEH", false},
	{"wget", "", false},
	{"mysql", "p", true},
	{"mysqldump", "p", true},
	{"mysqladmin", "p", true},
	{"mariadb", "p", true},
	{"sshpass", "p", false},
	{"snmpwalk", "cAX", false},
	{"snmpget", "cAX", false},
	{"snmpbulkwalk", "cAX", false},
	{"snmpset", "cAX", false},
	{"snmptrap", "cAX", false},
	{"ipmitool", "PY", false},
	{"ipmiconsole", "p", false},
	{"bmc-info", "p", false},
	{"redis-cli", "a", false},
	{"ldapsearch", "w", false},
	{"ldapmodify", "w", false},
	{"ldapadd", "w", false},
	{"smbclient", "U", false},
	{"mongo", "p", false},
	{"mongosh", "p", false},
	{"docker", "p", false},
	{"podman", "p", false},
	{"nerdctl", "p", false},
	{"helm", "p", false},
	{"gnmic", "p", false},
	{"plink", "p", false},
	{"az", "p", false},
	{"unzip", "P", false},
	{"zip", "P", false},
	{"7z", "p", true},
	{"sqlcmd", "P", false},
	{"influx", "pt", false},
	{"etcdctl", "", false},
	{"nc_login", "p", false},
};

static bool is_word_char(char c)
{
	return isalnum((unsigned char)c) || c == '-' || c == '_';
}

/* The end of a word of a shell, or of the text within JSON that has it. */
static size_t word_end(const char *text, size_t at, size_t n)
{
	char quote = at < n && (text[at] == '"' || text[at] == '\'') ? text[at++] : '\0';

	while (at < n && text[at] != '\n' && text[at] != '\r') {
		if (quote && text[at] == quote)
			return at + 1;
		if (!quote && strchr(" \t|;<>)\"", text[at]))
			return at;
		at++;
	}
	return at;
}

/* Remembers the command whose options follow, to the end of its line. */
static void note_command(struct redact *r, const char *text, size_t at, size_t n)
{
	size_t end = at;

	while (end < n && is_word_char(text[end]))
		end++;
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (strlen(commands[i].name) == end - at &&
			memcmp(commands[i].name, text + at, end - at) == 0 &&
			(end >= n || strchr(" \t", text[end])))
			r->command = &commands[i];
}

/* "echo x | sudo -S", "echo ann:x | chpasswd" */
static size_t take_echo(struct redact *r, const char *text, size_t at, size_t n, struct buf *out)
{
	size_t from = at + 5, end, pipe;

	if (n - at < 8 || memcmp(text + at, "echo ", 5) != 0)
		return 0;
	end = word_end(text, from, n);
	pipe = end;
	while (pipe < n && text[pipe] == ' ')
		pipe++;
	if (pipe >= n || text[pipe] != '|')
		return 0;
	pipe++;
	while (pipe < n && text[pipe] == ' ')
		pipe++;
	if (n - pipe < 6 ||
		(memcmp(text + pipe, "sudo", 4) != 0 && memcmp(text + pipe, "passwd", 6) != 0 &&
			(n - pipe < 8 || memcmp(text + pipe, "chpasswd", 8) != 0)))
		return 0;
	(void)buf_add(out, text + at, 5);
	redact_drop(r, text + from, end - from, out);
	return end - at;
}

/* Where the value of the option at begins; 0: its value is no secret. */
static size_t value_of_option(const struct redact_command *c, const char *text, size_t at, size_t n)
{
	static const char *const words[] = {"--user", "--proxy-user", "-pw"};
	size_t from = at + 1;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t len = strlen(words[i]);

		if (n - at > len + 1 && memcmp(text + at, words[i], len) == 0 &&
			strchr(" =", text[at + len]))
			return at + len + 1;
	}
	/* "-pSECRET", or the last letter of "-sSu SECRET". */
	if (strchr(c->options, text[from]) && !strchr(" \t", text[from + 1]))
		return from + 1;
	while (from < n && isalpha((unsigned char)text[from]))
		from++;
	if (from == at + 1 || from >= n || !strchr(" \t", text[from]) || c->attached ||
		!strchr(c->options, text[from - 1]))
		return 0;
	while (from < n && strchr(" \t", text[from]))
		from++;
	return from;
}

size_t redact_take_option(struct redact *r, const char *text, size_t at, size_t n, struct buf *out)
{
	bool begins = at == 0 || !is_word_char(text[at - 1]);
	size_t from, end;

	if (text[at] == '\n' || text[at] == '|' || text[at] == ';')
		r->command = NULL;
	if (begins && islower((unsigned char)text[at])) {
		size_t taken = text[at] == 'e' ? take_echo(r, text, at, n, out) : 0;

		if (taken)
			return taken;
		note_command(r, text, at, n);
	} else if (begins && text[at] == '7') {
		note_command(r, text, at, n);
	}
	if (!r->command || text[at] != '-' || !at || !strchr(" \t", text[at - 1]) || at + 2 >= n)
		return 0;
	from = value_of_option(r->command, text, at, n);
	if (!from)
		return 0;
	end = word_end(text, from, n);
	if (end == from)
		return 0;
	(void)buf_add(out, text + at, from - at);
	redact_drop(r, text + from, end - from, out);
	return end - at;
}
