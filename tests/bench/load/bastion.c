/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/load/bastion.h"

#include <netinet/in.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "tests/support/run_command.h"

#define SSHD "/usr/sbin/sshd"

static unsigned free_port(void)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	unsigned port = 0;

	if (fd >= 0 && bind(fd, (struct sockaddr *)&at, sizeof(at)) == 0 &&
		getsockname(fd, (struct sockaddr *)&at, &len) == 0)
		port = ntohs(at.sin_port);
	if (fd >= 0)
		(void)close(fd);
	return port;
}

static const char script[] =
	"cd \"$0\" && ssh-keygen -q -t ed25519 -N '' -f bastion_key && "
	"ssh-keygen -y -f id_ed25519 > bastion_users && "
	"{ cat known_hosts; printf '[127.0.0.1]:%s %s\\n' \"$1\" "
	"\"$(cut -d' ' -f1,2 bastion_key.pub)\"; } > bastion_hosts && "
	"printf '%s\\n' \"Port $1\" 'ListenAddress 127.0.0.1' \"HostKey $0/bastion_key\" "
	"\"AuthorizedKeysFile $0/bastion_users\" 'PidFile none' 'UsePAM no' 'StrictModes no' "
	"'PasswordAuthentication no' > bastion_config";

bool bastion_start(struct bastion *b, const struct responder *r)
{
	char port[16], config[128];
	const char *prepare[] = {"sh", "-c", script, r->dir, port, NULL};
	const char *serve[] = {"sh", "-c", "exec " SSHD " -D -e -f \"$0\" 2>&1", config, NULL};
	struct passwd *pw = getpwuid(getuid());
	int status = -1;

	memset(b, 0, sizeof(*b));
	(void)str_printf(port, sizeof(port), "%u", free_port());
	(void)str_printf(config, sizeof(config), "%s/bastion_config", r->dir);
	(void)str_printf(b->known_hosts, sizeof(b->known_hosts), "%s/bastion_hosts", r->dir);
	if (getuid() == 0)
		(void)mkdir("/run/sshd", 0755);
	free(run_command(prepare, NULL, "", NULL, &status));
	if (pw && status == 0 && access(SSHD, X_OK) == 0)
		b->pid = start_program(serve, "Server listening");
	if (b->pid <= 0) {
		(void)fprintf(stderr, "no bastion: is openssh-server installed?\n");
		return false;
	}
	return str_printf(b->jump, sizeof(b->jump), "%s@127.0.0.1:%s", pw->pw_name, port);
}

void bastion_stop(struct bastion *b)
{
	if (b->pid > 0)
		stop_program(b->pid);
	b->pid = 0;
}
