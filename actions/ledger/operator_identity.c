/* SPDX-License-Identifier: Apache-2.0 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utmp.h>

#include "actions/ledger/ledger_file.h"
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

uid_t login_uid_parse(const char *text)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	/* (uid_t)-1 says that nobody logged in: a service, a container. */
	return end == text || (*end && *end != '\n') || n >= (uid_t)-1 ? LOGIN_UNKNOWN : (uid_t)n;
}

/* The kernel keeps it through su and sudo; only root may set it, once or at all. */
static uid_t kernel_login(void)
{
	char text[32] = "";
	int fd = open("/proc/self/loginuid", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, text, sizeof(text) - 1) : -1;

	if (fd >= 0)
		(void)close(fd);
	return n > 0 ? login_uid_parse(text) : LOGIN_UNKNOWN;
}

/* su and sudo leave the terminal with the account that logged in. */
static uid_t terminal_owner(void)
{
	struct stat st;

	for (int fd = 0; fd <= 2; fd++)
		if (isatty(fd) && fstat(fd, &st) == 0)
			return st.st_uid;
	return LOGIN_UNKNOWN;
}

void who_logged_in(struct who *w, uid_t kernel, uid_t terminal)
{
	uid_t login = kernel != LOGIN_UNKNOWN ? kernel : terminal;

	w->via[0] = '\0';
	if (login != LOGIN_UNKNOWN && login != 0 && login != w->uid)
		account_name(login, w->via, sizeof(w->via));
}

bool who_is_known(const struct who *w)
{
	return w->uid != 0 || w->via[0];
}

void who_am_i(struct who *w)
{
	char host[256] = "";

	memset(w, 0, sizeof(*w));
	w->uid = getuid();
	w->pid = (long)getpid();
	account_name(w->uid, w->user, sizeof(w->user));
	who_logged_in(w, kernel_login(), terminal_owner());
	if (gethostname(host, sizeof(host) - 1) == 0)
		(void)str_sanitise(w->host, sizeof(w->host), host, strlen(host));
	on_terminal(w);
	from_where(w);
}
