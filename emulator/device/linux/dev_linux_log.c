/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/str.h"
#include "emulator/device/linux/dev_linux.h"

/* The kernel's log in the formats of dmesg and journalctl, and lspci. */

/* The driver's words on a link, or those of the bond that loses or gets a slave. */
static void link_words(const struct machine *m, const struct sim_port *p, const char *pci, bool up,
	struct buf *out)
{
	const char *driver = linux_nic(m->d)->driver;

	if (linux_is_switch(m->d))
		(void)buf_addf(out, "mlxsw_spectrum4 0000:01:00.0 %s: Link %s", p->name,
			up ? "up" : "down");
	else if (str_eq(driver, "bnxt_en") && up)
		(void)buf_addf(out,
			"bnxt_en %s %s: NIC Link is Up, %u Mbps full duplex, Flow control: none",
			pci, p->name, p->speed_mbps);
	else if (str_eq(driver, "bnxt_en"))
		(void)buf_addf(out, "bnxt_en %s %s: NIC Link is Down", pci, p->name);
	else if (p->bond && up)
		(void)buf_addf(out,
			"bond%u: (slave %s): link status definitely up, %u Mbps full duplex",
			p->port / 2, p->name, p->speed_mbps);
	else if (p->bond)
		(void)buf_addf(out,
			"bond%u: (slave %s): link status definitely down, disabling slave",
			p->port / 2, p->name);
	else
		(void)buf_addf(out, "%s %s %s: Link %s", driver, pci, p->name, up ? "up" : "down");
}

/* Prints the kernel's message; false: the kernel logs nothing about the event. */
static bool kernel_words(const struct machine *m, const struct sim_log *l, struct buf *out)
{
	const struct sim_port *p = l->port < m->d->nports ? &m->d->ports[l->port] : NULL;
	char pci[16] = "0000:00:00.0";

	if (p)
		linux_pci(m->d, p->port, pci);
	switch (l->kind) {
	case SIM_LOG_LINK_UP:
	case SIM_LOG_LINK_DOWN:
		if (!p)
			return false;
		link_words(m, p, pci, l->kind == SIM_LOG_LINK_UP, out);
		return true;
	case SIM_LOG_XID:
		(void)buf_addf(out, "NVRM: Xid (PCI:0000:%02x:00): %s",
			linux_gpu_bus(p ? p->port : 0), l->text);
		return true;
	case SIM_LOG_OPTIC:
		(void)buf_addf(out, "%s %s: Port module event[error]: module %u, %s",
			linux_is_switch(m->d) ? "mlxsw_spectrum4" : linux_nic(m->d)->driver,
			linux_is_switch(m->d) ? "0000:01:00.0" : pci, p ? p->port : 0, l->text);
		return true;
	case SIM_LOG_BOOT:
		(void)buf_addf(out, "Linux version %s (buildd@lcy02) (gcc 13.3.0) #1 SMP",
			linux_is_switch(m->d) ? LINUX_FRR_KERNEL : LINUX_KERNEL);
		return true;
	case SIM_LOG_BGP_UP:
	case SIM_LOG_BGP_DOWN:
	case SIM_LOG_STORM_DETECTED:
	case SIM_LOG_STORM_RESTORED:
	case SIM_LOG_CONFIG:
	default:
		return false;
	}
}

/* Messages of daemons and users: in the journal, but not in the kernel's log. */
static bool daemon_words(const struct machine *m, const struct sim_log *l, struct buf *out)
{
	const struct sim_port *p = l->port < m->d->nports ? &m->d->ports[l->port] : NULL;
	const struct sim_port *far = p && p->plan_peer ? p->plan_peer : p ? p->peer : NULL;
	bool up = l->kind == SIM_LOG_BGP_UP;
	const char *by = strstr(l->text, " by ");

	if (l->kind == SIM_LOG_CONFIG) {
		(void)buf_addf(out,
			"sudo[41235]:      noc : PWD=/home/noc ; USER=%s ; COMMAND=/usr/sbin/%s",
			by ? by + strlen(" by ") : "root", p ? "ip link" : "dcb");
		return true;
	}
	if ((l->kind != SIM_LOG_BGP_UP && l->kind != SIM_LOG_BGP_DOWN) || !far)
		return false;
	(void)buf_addf(out,
		"bgpd[1412]: [M59KS-A3ZXZ] bgp_update_receive: %%ADJCHANGE: neighbor %s(%s) in "
		"vrf default %s",
		p->name, sim_device_of(m->ctx->sim, far)->name, up ? "Up" : "Down Peer closed");
	return true;
}

enum stamp { STAMP_BOOT, STAMP_CTIME, STAMP_ISO, STAMP_SHORT };

static void add_stamp(const struct machine *m, int64_t t_us, enum stamp how, struct buf *out)
{
	int64_t t = t_us + m->d->clock_skew_us, up = t_us - m->d->boot_us;
	time_t seconds = (time_t)(t / CLOCK_SEC);
	struct tm tm = {0};
	char text[48];

	if (how == STAMP_BOOT) {
		(void)buf_addf(out, "[%5lld.%06lld] ", (long long)(up / CLOCK_SEC),
			(long long)(up % CLOCK_SEC));
		return;
	}
	(void)gmtime_r(&seconds, &tm);
	(void)strftime(text, sizeof(text),
		how == STAMP_CTIME ? "[%a %b %e %H:%M:%S %Y] "
		: how == STAMP_ISO ? "%Y-%m-%dT%H:%M:%S"
				   : "%b %d %H:%M:%S ",
		&tm);
	(void)buf_adds(out, text);
	if (how == STAMP_ISO)
		(void)buf_addf(out, ",%06lld+00:00 ", (long long)(t % CLOCK_SEC));
}

struct log_request {
	enum stamp stamp;
	bool journal, kernel_only;
	int64_t since_us; /* device time without skew */
	uint64_t most;
};

static bool add_words(const struct machine *m, const struct sim_log *l, const struct log_request *r,
	struct buf *out)
{
	struct buf text;
	bool kernel, said;

	buf_init(&text, 1024);
	kernel = kernel_words(m, l, &text);
	said = kernel || (!r->kernel_only && daemon_words(m, l, &text));
	if (said) {
		add_stamp(m, l->t_us, r->stamp, out);
		if (r->journal)
			(void)buf_addf(out, "%s %s", m->d->name, kernel ? "kernel: " : "");
		(void)buf_addf(out, "%s\n", text.data);
	}
	buf_free(&text);
	return said;
}

static int print_log(const struct machine *m, const struct log_request *r, struct buf *out)
{
	const struct sim_device *d = m->d;
	uint64_t kept = d->logged < SIM_LOG_KEPT ? d->logged : SIM_LOG_KEPT, i, n = 0, skip;
	struct buf nowhere;

	buf_init(&nowhere, 1u << 20);
	for (i = d->logged - kept; d->log && i < d->logged; i++) {
		const struct sim_log *l = &d->log[i % SIM_LOG_KEPT];

		n += l->t_us >= r->since_us && add_words(m, l, r, &nowhere);
	}
	buf_free(&nowhere);
	skip = n > r->most ? n - r->most : 0;
	for (i = d->logged - kept; d->log && i < d->logged; i++) {
		const struct sim_log *l = &d->log[i % SIM_LOG_KEPT];
		size_t before = out->len;

		if (l->t_us < r->since_us || !add_words(m, l, r, out))
			continue;
		if (skip) {
			skip--;
			out->len = before;
			out->data[before] = '\0';
		}
	}
	return 0;
}

/* Prints the kernel's ring buffer since the boot. */
int linux_dmesg(struct machine *m, const struct shell_call *c)
{
	struct log_request r = {.kernel_only = true,
		.stamp = STAMP_BOOT,
		.since_us = m->d->boot_us,
		.most = UINT64_MAX};
	const char *format = linux_word_after(c, "--time-format");

	if (linux_has_word(c, "-T") || linux_has_word(c, "--ctime"))
		r.stamp = STAMP_CTIME;
	if (linux_has_word(c, "--time-format=iso") || (format && !strcmp(format, "iso")))
		r.stamp = STAMP_ISO;
	return print_log(m, &r, c->out);
}

/* "-15min", "-2h", "@1763726000", "2 hours ago", "15 min ago" */
static int64_t parse_since(const struct machine *m, const char *word)
{
	int64_t now = sim_now(m->ctx->sim), unit = CLOCK_SEC;
	const char *digits = word + strcspn(word, "0123456789"), *rest;
	char *end;
	long long n = strtoll(digits, &end, 10);

	if (*word == '@')
		return (int64_t)n * CLOCK_SEC - m->d->clock_skew_us;
	if (*word != '-' && !strstr(word, "ago"))
		return INT64_MIN;
	rest = end + strspn(end, " ");
	unit = *rest == 'm'   ? 60 * CLOCK_SEC
	       : *rest == 'h' ? 3600 * CLOCK_SEC
	       : *rest == 'd' ? 86400 * CLOCK_SEC
			      : CLOCK_SEC;
	if (n < 0 || n > 1000000)
		n = 1000000;
	return now - (int64_t)n * unit;
}

int linux_journalctl(struct machine *m, const struct shell_call *c)
{
	struct log_request r = {
		.journal = true, .stamp = STAMP_SHORT, .since_us = INT64_MIN, .most = UINT64_MAX};
	int i;

	for (i = 1; i < c->argc; i++) {
		const char *w = c->argv[i], *next = i + 1 < c->argc ? c->argv[i + 1] : "";

		if (!strcmp(w, "-k") || !strcmp(w, "--dmesg"))
			r.kernel_only = true;
		else if (!strcmp(w, "-S") || !strcmp(w, "--since"))
			r.since_us = parse_since(m, next);
		else if (str_starts(w, "--since="))
			r.since_us = parse_since(m, w + strlen("--since="));
		else if (!strcmp(w, "-n") && !str_to_u64(next, &r.most))
			r.most = 10;
		else if (str_starts(w, "-n") && w[2] && !str_to_u64(w + 2, &r.most))
			r.most = 10;
		else if (str_starts(w, "-o") && (strstr(w, "iso") || strstr(next, "iso")))
			r.stamp = STAMP_ISO;
	}
	if (r.kernel_only && r.since_us < m->d->boot_us)
		r.since_us = m->d->boot_us; /* -k implies this boot */
	return print_log(m, &r, c->out);
}

static void pci_line(const char *address, const char *what, bool full, struct buf *out)
{
	(void)buf_addf(out, "%s %s\n", full ? address : address + strlen("0000:"), what);
}

static void link_lines(const struct sim_port *p, struct buf *out)
{
	bool narrow = p->nic.pcie_width < p->nic.pcie_width_max;

	(void)buf_adds(out, "\t\tDevCtl:\tCorrErr- NonFatalErr- FatalErr- UnsupReq-\n"
			    "\t\t\tRlxdOrd+ ExtTag+ PhantFunc- AuxPwr- NoSnoop+ FLReset-\n"
			    "\t\t\tMaxPayload 512 bytes, MaxReadReq 4096 bytes\n");
	(void)buf_addf(out,
		"\t\tLnkCap:\tPort #0, Speed 32GT/s, Width x%u, ASPM not supported\n"
		"\t\tLnkSta:\tSpeed %.0fGT/s%s, Width x%u%s\n",
		p->nic.pcie_width_max, p->nic.pcie_gts, p->nic.pcie_gts < 32 ? " (downgraded)" : "",
		p->nic.pcie_width, narrow ? " (downgraded)" : "");
}

int linux_lspci(struct machine *m, const struct shell_call *c)
{
	const char *slot = linux_word_after(c, "-s");
	bool full = linux_has_word(c, "-D"),
	     verbose = linux_has_word(c, "-vv") || linux_has_word(c, "-vvv");
	char pci[16];
	unsigned i;

	for (i = 0; i < 8 && !slot && m->d->net == NET_BACKEND; i++) {
		(void)str_printf(pci, sizeof(pci), "0000:%02x:00.0", linux_gpu_bus(i) - 2);
		pci_line(pci, "PCI bridge: Broadcom / LSI PEX890xx PCIe Gen 5 Switch (rev b0)",
			full, c->out);
		if (verbose)
			(void)buf_adds(c->out,
				"\t\tACSCap:\tSrcValid+ TransBlk+ ReqRedir+ CmpltRedir+ "
				"UpstreamFwd+ EgressCtrl+ DirectTrans+\n"
				"\t\tACSCtl:\tSrcValid- TransBlk- ReqRedir- CmpltRedir- "
				"UpstreamFwd- EgressCtrl- DirectTrans-\n");
	}
	for (i = 0; i < m->d->nports; i++) {
		if (linux_is_bmc(&m->d->ports[i]))
			continue;
		linux_pci(m->d, i, pci);
		if (slot && strcmp(slot, pci) != 0 && strcmp(slot, pci + strlen("0000:")) != 0)
			continue;
		pci_line(pci, linux_nic(m->d)->pci, full, c->out);
		if (verbose)
			link_lines(&m->d->ports[i], c->out);
	}
	for (i = 0; i < 8 && !slot && m->d->net == NET_BACKEND; i++) {
		(void)str_printf(pci, sizeof(pci), "0000:%02x:00.0", linux_gpu_bus(i));
		pci_line(pci,
			m->d->platform->nics == NICS_IONIC
				? "Processing accelerators: Advanced Micro Devices, Inc. [AMD/ATI] "
				  "Device 75a0"
				: "3D controller: NVIDIA Corporation GH100 [H100 SXM5 80GB] (rev "
				  "a1)",
			full, c->out);
	}
	return 0;
}
