/* SPDX-License-Identifier: Apache-2.0 */
#include <arpa/inet.h>
#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <utmp.h>

#include "actions/ledger/ledger.h"
#include "base/mem.h"
#include "base/str.h"

#define PASSWD_MAX ((size_t)1024 * 1024)

static void account_name(uid_t uid, char *dst, size_t size)
{
	struct passwd pw, *found = NULL;
	char *room = NULL;
	int code = ERANGE;

	for (size_t n = 1024; code == ERANGE && n <= PASSWD_MAX; n *= 4) {
		room = mem_realloc(room, n, 1);
		code = getpwuid_r(uid, &pw, room, n, &found);
	}
	if (code == 0 && found && found->pw_name[0])
		(void)str_sanitise(dst, size, found->pw_name, strlen(found->pw_name));
	else
		(void)str_printf(dst, size, "uid%lu", (unsigned long)uid);
	free(room);
}

static bool is_account(const char *s)
{
	size_t n = strlen(s);

	return n > 0 && n < 32 && s[0] != '-' &&
	       strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-$@+") ==
		       n;
}

/* The user controls the environment, so that only an address is accepted from it. */
static bool address_copy(char *dst, size_t size, const char *src, size_t n)
{
	unsigned char raw[16];
	char text[INET6_ADDRSTRLEN];
	size_t plain = strcspn(src, "%");

	if (plain > n)
		plain = n;
	if (!str_copyn(text, sizeof(text), src, plain))
		return false;
	if (inet_pton(AF_INET, text, raw) != 1 && inet_pton(AF_INET6, text, raw) != 1)
		return false;
	return str_copy(dst, size, text);
}

/* sudo removes the SSH variables; the login record of the terminal still has the address. */
static void from_login(struct who *w)
{
	struct utmp want = {.ut_type = USER_PROCESS}, room, *found = NULL;
	const unsigned char *raw;

	if (!w->tty[0])
		return;
	(void)str_copyn(want.ut_line, sizeof(want.ut_line), w->tty, sizeof(want.ut_line) - 1);
	setutent();
	if (getutline_r(&want, &room, &found) == 0 && found) {
		raw = (const unsigned char *)found->ut_addr_v6;
		if (found->ut_addr_v6[1] || found->ut_addr_v6[2] || found->ut_addr_v6[3])
			(void)inet_ntop(AF_INET6, raw, w->from, sizeof(w->from));
		else if (found->ut_addr_v6[0])
			(void)inet_ntop(AF_INET, raw, w->from, sizeof(w->from));
	}
	endutent();
}

static void from_where(struct who *w)
{
	static const char *const names[] = {"SSH_CONNECTION", "SSH_CLIENT"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *s = getenv(names[i]);

		if (s && address_copy(w->from, sizeof(w->from), s, strcspn(s, " ")))
			return;
	}
	from_login(w);
}

static void on_terminal(struct who *w)
{
	char name[128];

	for (int fd = 0; fd <= 2; fd++) {
		if (ttyname_r(fd, name, sizeof(name)) == 0) {
			const char *s = str_starts(name, "/dev/") ? name + 5 : name;

			(void)str_sanitise(w->tty, sizeof(w->tty), s, strlen(s));
			return;
		}
	}
}

void who_am_i(struct who *w)
{
	char host[256] = "";
	const char *via = getenv("SUDO_USER");

	memset(w, 0, sizeof(*w));
	w->uid = getuid();
	w->pid = (long)getpid();
	account_name(w->uid, w->user, sizeof(w->user));
	if (w->uid == 0 && via && is_account(via) && strcmp(via, w->user) != 0)
		(void)str_copy(w->via, sizeof(w->via), via);
	if (gethostname(host, sizeof(host) - 1) == 0)
		(void)str_sanitise(w->host, sizeof(w->host), host, strlen(host));
	on_terminal(w);
	from_where(w);
}
