/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/integration/support/acting_host.h"

#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "tests/integration/support/fake_host.h"

/* The form of iproute2 6.1. A change is noted before it is made, as a device's own log would. */
static const char ip_tool[] =
	"#!/bin/sh\n"
	"d=${0%/*}/..\n"
	"for n; do :; done\n"
	"case \"$*\" in\n"
	"'-j -d link show dev '*)\n"
	"s=$(cat \"$d/admin.$n\" 2>/dev/null) || { echo \"Device \\\"$n\\\" does not exist.\" >&2; "
	"exit 1; }\n"
	"f='\"BROADCAST\",\"MULTICAST\"' o=DOWN\n"
	"[ \"$s\" = up ] && f=$f',\"UP\",\"LOWER_UP\"' o=UP\n"
	"echo \"[{\\\"ifindex\\\":3,\\\"ifname\\\":\\\"$n\\\",\\\"flags\\\":[$f],\\\"mtu\\\":9000,"
	"\\\"qdisc\\\":\\\"mq\\\",\\\"operstate\\\":\\\"$o\\\",\\\"linkmode\\\":\\\"DEFAULT\\\","
	"\\\"group\\\":\\\"default\\\",\\\"txqlen\\\":1000,\\\"link_type\\\":\\\"ether\\\"}]\" ;;\n"
	"'-j addr show')\n"
	"echo '[{\"ifindex\":1,\"ifname\":\"lo\",\"addr_info\":[{\"family\":\"inet\",\"local\":"
	"\"127.0.0.1\",\"prefixlen\":8,\"scope\":\"host\"}]},{\"ifindex\":3,\"ifname\":\"eth0\","
	"\"addr_info\":[]},{\"ifindex\":4,\"ifname\":\"eth1\",\"addr_info\":[]}]' ;;\n"
	"'-j route get '*) echo '[{\"dst\":\"127.0.0.1\",\"dev\":\"lo\",\"flags\":[]}]' ;;\n"
	"'-j route show default' | '-j route show table all dev '*) echo '[]' ;;\n"
	"'link set dev '*)\n"
	": >\"$d/busy.$$\"\n"
	"echo \"$*\" >>\"$d/told\"\n"
	"if [ \"$n\" = up ]; then f=0x1003; else f=0x1002; fi\n"
	"echo $f >\"$d/sys/class/net/$4/flags\"\n"
	"echo \"$n\" >\"$d/sys/class/net/$4/operstate\"\n"
	"echo \"$n\" >\"$d/new.$$\" && mv \"$d/new.$$\" \"$d/admin.$4\"\n"
	"rm -f \"$d/busy.$$\" ;;\n"
	"*) echo \"ip: unknown: $*\" >&2; exit 1 ;;\n"
	"esac\n";

static const char sudo_tool[] = "#!/bin/sh\n"
				"[ \"$1\" = -n ] && shift\n"
				"exec \"$@\"\n";

static void write_inventory(const struct acting_host *h)
{
	char text[1024];

	(void)str_printf(text, sizeof(text),
		"fabric: acting\n"
		"lossless: {priorities: [3]}\n"
		"defaults: {interval: 1s, user: %s, identity: user_key, known_hosts: known_hosts, "
		"ssh_config: ssh_config}\n"
		"hosts:\n"
		"  - {names: gpu1, address: 127.0.0.1, port: %u, rails: \"mlx5_[0-1]\"}\n"
		"actions: {ledger: %s, per_hour: 1000, switch_interval: 1s, port_interval: 1s}\n",
		h->sshd.user, h->sshd.port, h->ledger);
	scratch_write(&h->scratch, "fabric.yaml", text);
}

void acting_host_open(struct acting_host *h)
{
	char environment[512];

	memset(h, 0, sizeof(*h));
	scratch_open(&h->scratch);
	/* Those of sshd_keys() that are needed here: many hosts are made at once. */
	scratch_run(&h->scratch,
		"for k in host_key user_key; do ssh-keygen -q -t ed25519 -N '' -f $k; done; "
		"cat user_key.pub >authorized_keys");
	fake_host_write(&h->scratch);
	/* A link that is idle may be shut while no job is known. */
	scratch_run(&h->scratch, "sed -i 's/us \\* [34]0000/us * 40/' tools/ethtool");
	scratch_write(&h->scratch, "tools/ip", ip_tool);
	scratch_write(&h->scratch, "tools/sudo", sudo_tool);
	scratch_write(&h->scratch, "ssh_config", "");
	scratch_run(&h->scratch,
		"chmod +x tools/ip tools/sudo; echo up >admin.eth0; echo up >admin.eth1");
	fake_host_environment(&h->scratch, environment, sizeof(environment));
	sshd_start(&h->sshd, &h->scratch, 0, environment);
	(void)str_copy(
		h->inventory, sizeof(h->inventory), scratch_path(&h->scratch, "fabric.yaml"));
	(void)str_copy(
		h->ledger, sizeof(h->ledger), scratch_path(&h->scratch, "acts/actions.jsonl"));
	(void)str_copy(h->told, sizeof(h->told), scratch_path(&h->scratch, "told"));
	write_inventory(h);
}

void acting_host_close(struct acting_host *h)
{
	sshd_stop(&h->sshd);
	scratch_close(&h->scratch);
}

char *acting_host_read(const char *path)
{
	FILE *f = fopen(path, "re");
	size_t n = 0, size = 65536;
	char *text = malloc(size);

	while (f && text) {
		size_t got = fread(text + n, 1, size - 1 - n, f);
		char *more;

		n += got;
		if (!got)
			break;
		if (n + 1 < size)
			continue;
		size *= 2;
		more = realloc(text, size);
		if (!more)
			break;
		text = more;
	}
	if (f)
		(void)fclose(f);
	if (text)
		text[n] = '\0';
	return text;
}

static bool is_quiet(const struct acting_host *h)
{
	char path[128], *children;
	glob_t found;
	bool quiet;
	int none;

	(void)str_printf(path, sizeof(path), "/proc/%d/task/%d/children", (int)h->sshd.pid,
		(int)h->sshd.pid);
	children = acting_host_read(path);
	quiet = children && !children[strspn(children, " \n")];
	free(children);
	(void)str_printf(path, sizeof(path), "%s/busy.*", h->scratch.dir);
	none = glob(path, 0, NULL, &found);
	globfree(&found);
	return quiet && none == GLOB_NOMATCH;
}

bool acting_host_rest(const struct acting_host *h)
{
	int64_t until = now_ms() + 20000;

	while (!is_quiet(h)) {
		if (now_ms() > until)
			return false;
		(void)poll(NULL, 0, 5);
	}
	return true;
}

bool acting_host_is_up(const struct acting_host *h)
{
	char path[96], *text;
	bool up;

	(void)str_printf(path, sizeof(path), "%s/admin.eth0", h->scratch.dir);
	text = acting_host_read(path);
	up = text && strcmp(text, "up\n") == 0;
	free(text);
	return up;
}

static void write_line(const struct acting_host *h, const char *name, const char *line)
{
	char path[128];
	FILE *f;

	(void)str_printf(path, sizeof(path), "%s/%s", h->scratch.dir, name);
	f = fopen(path, "we");
	if (!f)
		return;
	(void)fprintf(f, "%s\n", line);
	(void)fclose(f);
}

void acting_host_raise(const struct acting_host *h)
{
	write_line(h, "sys/class/net/eth0/flags", "0x1003");
	write_line(h, "sys/class/net/eth0/operstate", "up");
	write_line(h, "admin.eth0", "up");
}
