/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "backends/dialects/linux/linux.h"
#include "backends/contract/needs.h"
#include "backends/syslog/syslog.h"
#include "base/mem.h"
#include "base/str.h"

/*
 * Detects the host's features, once per connection, as facts:
 *   timeout          "1": there is a timeout(1) to put before commands that may hang
 *   bmc              "1": the kernel has an interface to a management controller
 *   subnet           "1": it has an InfiniBand port, and infiniband-diags
 *   gpus             "nvidia", "amd": the vendor's tool for them is there
 *   sudo.TOOL        "1": this user may run the tool's read command as root without a password
 *   log              which of the commands below follows the kernel's log
 *   nd.eth3, pci.X   "mlx5_3": the port for a netdev or PCI address in a log line
 */

#define LOG_CURE                                                                                   \
	"let the user read the kernel's log: sudo usermod -aG systemd-journal USER, then log in "  \
	"again"

/* In order of preference. The journal's times have a zone, and its lines come at once. */
static const struct {
	const char *fact, *command;
} logs[] = {
	{"journal", "journalctl -k -f -n 0 -o short-iso"},
	{"dmesg", "dmesg --follow-new --time-format iso"},
	{"/var/log/kern.log", "tail -n 0 -F /var/log/kern.log"},
	{"/var/log/syslog", "tail -n 0 -F /var/log/syslog"},
	{"/var/log/messages", "tail -n 0 -F /var/log/messages"},
	{"sudo", "sudo -n journalctl -k -f -n 0 -o short-iso"},
};
#define LOGS (sizeof(logs) / sizeof(logs[0]))

const char *linux_log_command(const struct facts *f)
{
	const char *known = facts_get(f, "log");

	for (size_t i = 0; i < LOGS; i++)
		if (str_eq(logs[i].fact, known))
			return logs[i].command;
	return NULL;
}

static bool has_line(const struct section *s, const char *wanted)
{
	char line[LINE_TEXT];
	size_t at = 0;

	while (s->len && line_next(s, &at, line))
		if (str_eq(line, wanted))
			return true;
	return false;
}

static void sudo_section(struct host *h, const struct section *s)
{
	static const char *const tools[] = {"ethtool", "ipmitool", "lldpcli", "lspci", "smpquery"};
	char key[32];

	for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++) {
		(void)str_printf(key, sizeof(key), "sudo.%s", tools[i]);
		obs_fact(h->o, key, has_line(s, tools[i]) ? "1" : "");
	}
}

/* A host without the vendor's tool is not asked about its GPUs. */
static void tool_facts(struct host *h, const struct section *s)
{
	obs_fact(h->o, "timeout", has_line(s, "timeout") ? "1" : "");
	obs_fact(h->o, "subnet", has_line(s, "smpquery") ? "1" : "");
	obs_fact(h->o, "bmc", has_line(s, "ipmi") ? "1" : "");
	obs_fact(h->o, "gpus",
		has_line(s, "nvidia-smi") ? "nvidia"
		: has_line(s, "amd-smi")  ? "amd"
					  : "");
}

static void log_facts(struct host *h, const struct section *s, bool sudo)
{
	for (size_t i = 0; i < LOGS; i++)
		if (has_line(s, logs[i].fact) || (sudo && str_eq(logs[i].fact, "sudo"))) {
			obs_fact(h->o, "log", logs[i].fact);
			need_say(h->o, NEED_LOG, VALID_OK, "");
			return;
		}
	obs_fact(h->o, "log", "");
	need_say(h->o, NEED_LOG, VALID_DISABLED, LOG_CURE);
}

static void name_facts(struct host *h, const struct section *pci)
{
	char line[LINE_TEXT], key[NAME_MAX_LEN + 8], *rdma, *address;
	size_t at = 0;

	for (size_t i = 0; i < h->ports.n; i++) {
		const struct host_port *p = h->ports.at[i];

		if (!*p->netdev)
			continue;
		(void)str_printf(key, sizeof(key), "nd.%s", p->netdev);
		obs_fact(h->o, key, h->o->ports.at[p->port].name);
	}
	while (pci->len && line_next(pci, &at, line)) {
		if (!host_pci_line(line, &rdma, &address))
			continue;
		(void)str_printf(key, sizeof(key), "pci.%s", address);
		obs_fact(h->o, key, rdma);
	}
}

bool linux_parse_detect(struct host *h, const char *bytes, size_t len)
{
	struct section s, pci = {.len = 0}, log = {.len = 0}, sudo = {.len = 0};
	char kernel[LINE_TEXT];
	size_t at = 0, from = 0;

	while (section_next(bytes, len, &at, &s)) {
		if (host_common_section(h, &s))
			continue;
		if (str_eq(s.name, "pci"))
			pci = s;
		else if (str_eq(s.name, "log"))
			log = s;
		else if (str_eq(s.name, "sudo"))
			sudo = s;
		else if (str_eq(s.name, "tools"))
			tool_facts(h, &s);
		else if (str_eq(s.name, "kernel") && line_next(&s, &from, kernel) && *kernel)
			obs_fact(h->o, "kernel", kernel);
	}
	if (!h->begun)
		return false;
	name_facts(h, &pci);
	sudo_section(h, &sudo);
	log_facts(h, &log, has_line(&sudo, "journalctl"));
	return true;
}

/* ---- the log ---- */

static bool is_name_char(char c)
{
	return strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-:", c) && c;
}

/* The RDMA device of a netdev, an RDMA device or a PCI address; NULL: it is none of them. */
static const char *port_by_word(const struct facts *f, const char *word)
{
	static const char *const kinds[] = {"nd", "pci"};
	char key[NAME_MAX_LEN + 8];

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const char *known;

		(void)str_printf(key, sizeof(key), "%s.%s", kinds[i], word);
		known = facts_get(f, key);
		if (*known)
			return known;
	}
	for (size_t i = 0; f && *word && i < f->at.n; i++)
		if (str_eq(f->at.at[i].text, word) && (str_starts(f->at.at[i].name, "nd.") ||
							      str_starts(f->at.at[i].name, "pci.")))
			return f->at.at[i].text;
	return NULL;
}

/* "mlx5_warn:mlx5_3:mlx5_ib_reg_user_mr:1418": a part of the word. Parts of addresses are hex. */
static const char *port_by_part(const struct facts *f, char *word)
{
	const char *known = NULL;
	char *rest = word, *part;

	while (!known && (part = strsep(&rest, ":")))
		if (part[strspn(part, "0123456789abcdefABCDEF.")])
			known = port_by_word(f, part);
	return known;
}

/*
 * Finds the port of a log line: the first word that is a netdev, an RDMA device or a PCI address.
 * Of a line about a bond's slave it is the slave.
 */
static const char *log_port(const struct facts *f, const char *text)
{
	const char *slave = strstr(text, "(slave "), *old = strstr(text, "for interface ");

	/*
	 * "bond0: (slave eth1): link status definitely down" is about the slave; before Linux 5.2:
	 * "bond0: link status definitely down for interface eth1".
	 */
	if (slave)
		text = slave + strlen("(slave ");
	else if (old)
		text = old + strlen("for interface ");
	while (*text) {
		char word[NAME_MAX_LEN];
		const char *known;
		size_t n = 0;

		while (is_name_char(text[n]))
			n++;
		if (!n) {
			text++;
			continue;
		}
		str_copyn(word, sizeof(word), text, n < sizeof(word) ? n : sizeof(word) - 1);
		text += n;
		while (n && n <= strlen(word) && strchr(":.", word[n - 1]))
			word[--n] = '\0';
		known = port_by_word(f, word);
		if (!known)
			known = port_by_part(f, word);
		if (known)
			return known;
	}
	return NULL;
}

void linux_parse_log(const struct target *t, const char *bytes, size_t len, struct obs *o)
{
	static const struct syslog_opts opts = {.live = true};
	struct obs *lines = obs_new(o->device, o->request);

	lines->received_us = o->received_us;
	(void)syslog_parse(&opts, bytes, len, lines);
	for (size_t i = 0; i < lines->items.n; i++) {
		const struct obs_item *it = &lines->items.at[i];
		const char *text, *port;

		if (it->kind != OBS_EVENT)
			continue;
		text = obs_text(lines, it->text);
		port = log_port(t->facts, text);
		/* The log has names of netdevs; ports here are RDMA devices. */
		obs_log_line(o, port ? obs_port(o, port) : OBS_NO_PORT, (int)it->sub - 1,
			(enum event_kind)it->code, it->time_us, text);
	}
	obs_free(lines);
}
