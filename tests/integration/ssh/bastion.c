/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/integration/ssh/bastion.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "tests/support/cases.h"

void bastion_start(struct bastion *b, struct scratch *s, unsigned port, const char *extra)
{
	sshd_start(&b->sshd, s, port, extra);
	(void)str_printf(b->jump, sizeof(b->jump), "%s@127.0.0.1:%u", b->sshd.user, b->sshd.port);
}

void bastion_kill(struct bastion *b)
{
	char path[64], text[4096] = "";
	FILE *file;

	(void)str_printf(path, sizeof(path), "/proc/%d/task/%d/children", b->sshd.pid, b->sshd.pid);
	file = fopen(path, "r");
	assert_non_null(file);
	(void)!fgets(text, sizeof(text), file);
	(void)fclose(file);
	sshd_stop(&b->sshd);
	for (char *at = text, *end; *at; at = end) {
		long pid = strtol(at, &end, 10);

		if (end == at)
			break;
		(void)kill((pid_t)pid, SIGKILL);
	}
}

unsigned bastion_logins(struct bastion *b)
{
	static char text[1 << 18];
	size_t n = 0;
	ssize_t got;
	unsigned logins = 0;

	while ((got = read(b->sshd.log, text + n, sizeof(text) - 1 - n)) > 0)
		n += (size_t)got;
	text[n] = '\0';
	for (const char *at = text; (at = strstr(at, "Accepted publickey")); at++)
		logins++;
	return logins;
}
