/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "backends/contract/needs.h"
#include "backends/dialects/linux/linux.h"
#include "base/str.h"

/*
 * Settings of the host and of its NICs that are the same on its siblings, where all is well: they
 * decide whether a NIC reads and writes GPU memory at full speed. diagnosis/lint/setup.c compares
 * them. Each is one "key=value" of ATTR_NIC_SETUP and ATTR_HOST_SETUP.
 *
 * Sources: sysfs (Documentation/ABI of Linux), and of pciutils' `lspci -vvv`:
 *
 *   0000:5d:00.0 Ethernet controller: Mellanox Technologies MT2910 Family [ConnectX-7]
 *   <tab><tab><tab>RlxdOrd+ ExtTag+ PhantFunc- AuxPwr- NoSnoop+ FLReset-
 *   <tab><tab><tab>MaxPayload 512 bytes, MaxReadReq 4096 bytes
 *   0000:5a:01.0 PCI bridge: ...
 *   <tab><tab>ACSCtl: SrcValid+ TransBlk- ReqRedir+ CmpltRedir+ UpstreamFwd+ ...
 */

#define LSPCI_CURE                                                                                 \
	"let the user run lspci as root (visudo): USER ALL=(root) NOPASSWD: /usr/bin/lspci"

static void add_setting(char *setup, size_t size, const char *key, const char *value)
{
	size_t at = strlen(setup);
	char word[40];

	(void)str_copy(word, sizeof(word), value);
	for (char *c = word; *c; c++)
		if (*c == ' ' || *c == '=')
			*c = '_';
	if (*word && at + strlen(key) + strlen(word) + 2 < size)
		(void)str_printf(setup + at, size - at, "%s%s=%s", at ? " " : "", key, word);
}

void preflight_attr(struct host *h, const char *rdma, const char *file, const char *value)
{
	static const struct {
		const char *file, *key;
	} files[] = {{"fw_ver", "fw"}, {"device/numa_node", "numa"},
		{"device/iommu_group/type", "iommu"}};

	for (size_t k = 0; k < sizeof(files) / sizeof(files[0]); k++) {
		/* -1: the firmware does not tell the node, or there is only one. */
		if (!str_eq(file, files[k].file) || str_eq(value, "-1"))
			continue;
		for (size_t i = 0; i < h->ports.n; i++)
			if (str_eq(h->ports.at[i]->rdma, rdma))
				add_setting(h->ports.at[i]->setup, sizeof(h->ports.at[i]->setup),
					files[k].key, value);
	}
}

void preflight_host_section(struct host *h, const struct section *s)
{
	char line[LINE_TEXT];
	size_t at = 0;

	while (line_next(s, &at, line)) {
		char *value = strpbrk(line, "=:"), *key = line, *slash;

		if (!value)
			continue;
		*value++ = '\0';
		/* "/sys/module/nvidia/version:570.86.15" */
		slash = strrchr(line, '/');
		if (slash) {
			*slash = '\0';
			slash = strrchr(line, '/');
			key = slash ? slash + 1 : line;
		}
		add_setting(h->setup, sizeof(h->setup), key, value);
	}
}

/* The number after the word: "MaxReadReq 4096 bytes". */
static bool number_after(const char *line, const char *word, char *dst, size_t size)
{
	const char *at = strstr(line, word);
	size_t n;

	if (!at)
		return false;
	at += strlen(word);
	at += strspn(at, " ");
	n = strspn(at, "0123456789");
	return n && str_copyn(dst, size, at, n);
}

static void nic_line(struct host *h, const char *address, const char *line)
{
	char payload[16], request[16];
	bool sizes = number_after(line, "MaxReadReq", request, sizeof(request)) &&
		     number_after(line, "MaxPayload", payload, sizeof(payload));
	const char *ordering = strstr(line, "RlxdOrd");

	for (size_t i = 0; i < h->ports.n; i++) {
		struct host_port *p = h->ports.at[i];

		if (!str_eq(p->pci, address))
			continue;
		if (sizes) {
			add_setting(p->setup, sizeof(p->setup), "payload", payload);
			add_setting(p->setup, sizeof(p->setup), "read_req", request);
		}
		if (ordering)
			add_setting(p->setup, sizeof(p->setup), "ordering",
				ordering[strlen("RlxdOrd")] == '+' ? "on" : "off");
	}
}

void preflight_lspci_section(struct host *h, const struct section *s)
{
	char line[LINE_TEXT], address[20] = "", count[16];
	unsigned redirecting = 0, bridges = 0;
	bool is_bridge = false, told = false;
	size_t at = 0;

	while (line_next(s, &at, line)) {
		if (*line != '\t' && *line != ' ') {
			(void)str_copyn(address, sizeof(address), line, strcspn(line, " "));
			is_bridge = strstr(line, " PCI bridge: ") != NULL;
			continue;
		}
		told = true;
		if (is_bridge && strstr(line, "ACSCtl:")) {
			bridges++;
			redirecting += strstr(line, "ReqRedir+") || strstr(line, "CmpltRedir+");
		} else {
			nic_line(h, address, line);
		}
	}
	if (bridges) {
		(void)str_printf(count, sizeof(count), "%u", redirecting);
		add_setting(h->setup, sizeof(h->setup), "acs_redirect", count);
	}
	if (told)
		need_say(h->o, NEED_PCI_SETUP, VALID_OK, "");
	else if (str_eq(s->arg, "missing"))
		need_say(h->o, NEED_PCI_SETUP, VALID_UNSUPPORTED, "install pciutils on the host");
	else
		need_say(h->o, NEED_PCI_SETUP, VALID_DISABLED, LSPCI_CURE);
}

void preflight_emit(struct host *h)
{
	for (size_t i = 0; i < h->ports.n; i++)
		if (*h->ports.at[i]->setup)
			obs_word(h->o, h->ports.at[i]->port, ATTR_NIC_SETUP, 0,
				h->ports.at[i]->setup);
	if (*h->setup)
		obs_word(h->o, OBS_NO_PORT, ATTR_HOST_SETUP, 0, h->setup);
}
