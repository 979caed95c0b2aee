/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator/device/linux/dev_frr.h"

#include <string.h>

#include "base/str.h"

/* vtysh: runs the commands of -c one after the other, with the configuration modes. */

#define FRR_VERSION "8.4.4"

json_t *frr_interfaces(const struct machine *m, const char *only)
{
	json_t *all = json_object();
	char mac[18];
	unsigned i;

	for (i = 0; i < m->d->nports; i++) {
		const struct sim_port *p = &m->d->ports[i];

		if (only && strcmp(only, p->name) != 0)
			continue;
		personality_mac(m->d, p->port, mac);
		(void)json_object_set_new(all, p->name,
			json_pack("{s:s,s:s,s:b,s:I,s:I,s:s,s:i,s:i,s:i,s:s,s:s}",
				"administrativeStatus", p->config.admin_up ? "up" : "down",
				"operationalStatus", p->up ? "up" : "down", "linkDetection", 1,
				"linkUps", (json_int_t)(p->carrier_up ? p->carrier_up - 1 : 0),
				"linkDowns", (json_int_t)p->carrier_down, "vrfName", "default",
				"index", (int)(p->port + LINUX_FIRST_INDEX), "mtu",
				(int)p->config.mtu, "speed", (int)p->speed_mbps, "type", "Ethernet",
				"hardwareAddress", mac));
	}
	return all;
}

void frr_running_text(const struct machine *m, struct buf *out)
{
	unsigned i;

	(void)buf_addf(out,
		"Building configuration...\n\nCurrent configuration:\n!\nfrr version " FRR_VERSION
		"\nfrr defaults datacenter\nhostname %s\n!\n",
		m->d->name);
	for (i = 0; i < m->d->nports; i++)
		if (!m->d->ports[i].config.admin_up)
			(void)buf_addf(
				out, "interface %s\n shutdown\nexit\n!\n", m->d->ports[i].name);
	(void)buf_addf(out,
		"router bgp %u\n bgp router-id %s\n bgp bestpath as-path multipath-relax\n"
		" neighbor FABRIC peer-group\n neighbor FABRIC remote-as external\n",
		m->d->asn, m->d->router_id);
	for (i = 0; i < m->d->nports; i++) {
		const struct sim_port *p = &m->d->ports[i];

		if (!p->bgp.configured)
			continue;
		(void)buf_addf(out, " neighbor %s interface peer-group FABRIC\n", p->name);
		if (p->bgp.shut)
			(void)buf_addf(out, " neighbor %s shutdown\n", p->name);
	}
	(void)buf_adds(out, " !\n address-family ipv4 unicast\n  redistribute connected\n"
			    "  maximum-paths 64\n exit-address-family\nexit\n!\nend\n");
}

struct vty {
	struct machine *m;
	const struct shell_call *c;
	enum { VTY_EXEC, VTY_CONFIG, VTY_BGP, VTY_INTERFACE } mode;
	struct sim_port *port;
};

/* Splits into at most 8 words; text must outlive them. */
static unsigned split_words(char *text, const char *words[8])
{
	unsigned n = 0;

	while (*text && n < 8) {
		text += strspn(text, " ");
		if (!*text)
			break;
		words[n++] = text;
		text += strcspn(text, " ");
		if (*text)
			*text++ = '\0';
	}
	return n;
}

static bool word_is(const char *have, const char *want, size_t least)
{
	size_t n = strlen(have);

	return n >= least && n <= strlen(want) && !strncmp(have, want, n);
}

static void print_json(struct vty *v, json_t *o)
{
	(void)linux_print_json(v->c->out, o, JSON_INDENT(2));
}

static bool show_bgp(struct vty *v, unsigned n, const char **w, bool json)
{
	unsigned at = n && word_is(w[0], "ip", 2) ? 1 : 0;

	at += n > at && word_is(w[at], "bgp", 2) ? 1 : 0;
	while (at < n &&
		(!strcmp(w[at], "vrf") || !strcmp(w[at], "all") || !strcmp(w[at], "default") ||
			!strcmp(w[at], "ipv4") || !strcmp(w[at], "unicast")))
		at++;
	if (at < n && word_is(w[at], "summary", 2) && at + 1 >= n) {
		if (json)
			print_json(v, frr_summary(v->m));
		else
			frr_summary_text(v->m, v->c->out);
		return true;
	}
	if (at < n && word_is(w[at], "neighbors", 2) && json) {
		print_json(v, frr_neighbors(v->m, at + 1 < n ? w[at + 1] : NULL));
		return true;
	}
	return false;
}

static void show_version(struct vty *v)
{
	(void)buf_addf(v->c->out,
		"FRRouting " FRR_VERSION " (%s) on Linux(" LINUX_FRR_KERNEL ").\n"
		"Copyright 1996-2005 Kunihiro Ishiguro, et al.\nconfigured with:\n"
		"    '--build=x86_64-linux-gnu' '--prefix=/usr' '--sysconfdir=/etc/frr' "
		"'--enable-multipath=256' '--enable-user=frr' '--enable-vty-group=frrvty'\n",
		v->m->d->name);
}

static bool show_command(struct vty *v, unsigned n, const char **w)
{
	bool json = n && !strcmp(w[n - 1], "json");

	n -= json;
	if (!n)
		return false;
	if (word_is(w[0], "version", 3) && n == 1 && !json) {
		show_version(v);
		return true;
	}
	if (word_is(w[0], "running-config", 3) && !json) {
		frr_running_text(v->m, v->c->out);
		return true;
	}
	if (word_is(w[0], "interface", 3) && json) {
		print_json(v, frr_interfaces(v->m, n > 1 ? w[1] : NULL));
		return true;
	}
	if (word_is(w[0], "bgp", 2) || (word_is(w[0], "ip", 2) && n > 1 && word_is(w[1], "bgp", 2)))
		return show_bgp(v, n, w, json);
	return false;
}

/* Finds a neighbour by interface, or by the address of the other end. */
static struct sim_port *find_neighbor(const struct vty *v, const char *name)
{
	char address[16];
	unsigned i;

	for (i = 0; i < v->m->d->nports; i++) {
		struct sim_port *p = &v->m->d->ports[i];

		if (!p->bgp.configured || !frr_far_end(p))
			continue;
		personality_link_address(frr_far_end(p), address);
		if (!strcmp(p->name, name) || !strcmp(address, name))
			return p;
	}
	return NULL;
}

/* Call it also for a line that changes nothing: it needs the write permission as well. */
static bool may_write(const struct vty *v)
{
	return sim_write(v->m->ctx->sim, v->m->d) == SIM_WRITE_TAKES;
}

static bool in_bgp(struct vty *v, bool no, unsigned n, const char **w)
{
	struct sim_port *p;

	if (n != 3 || strcmp(w[0], "neighbor") != 0 || !word_is(w[2], "shutdown", 4))
		return false;
	p = find_neighbor(v, w[1]);
	if (!p) {
		(void)buf_adds(v->c->out, "% Specify remote-as or peer-group commands first\n");
		return true;
	}
	if (may_write(v) && p->bgp.shut == no)
		sim_configure_bgp(v->m->ctx->sim, p, !no, "vtysh");
	return true;
}

static bool in_interface(struct vty *v, bool no, unsigned n, const char **w)
{
	struct sim_port_config c = v->port->config;

	if (n != 1 || !word_is(w[0], "shutdown", 4))
		return false;
	c.admin_up = no;
	if (may_write(v) && c.admin_up != v->port->config.admin_up)
		sim_configure(v->m->ctx->sim, v->port, &c, "vtysh");
	return true;
}

static bool enter_mode(struct vty *v, unsigned n, const char **w)
{
	uint64_t asn;

	if (n == 2 && !strcmp(w[0], "interface")) {
		v->port = linux_port(v->m, w[1]);
		v->mode = v->port ? VTY_INTERFACE : VTY_CONFIG;
		return true;
	}
	if (n < 2 || strcmp(w[0], "router") != 0 || strcmp(w[1], "bgp") != 0)
		return false;
	if (n > 2 && (!str_to_u64(w[2], &asn) || asn != v->m->d->asn)) {
		(void)buf_addf(v->c->out, "BGP is already running; AS is %u\n", v->m->d->asn);
		return true;
	}
	v->mode = VTY_BGP;
	return true;
}

static bool in_config(struct vty *v, unsigned n, const char **w)
{
	bool no = n > 1 && !strcmp(w[0], "no");

	if (n == 1 && !strcmp(w[0], "end")) {
		v->mode = VTY_EXEC;
		return true;
	}
	if (n == 1 && !strcmp(w[0], "exit")) {
		v->mode = v->mode == VTY_CONFIG ? VTY_EXEC : VTY_CONFIG;
		return true;
	}
	if (v->mode == VTY_BGP && in_bgp(v, no, n - no, w + no))
		return true;
	if (v->mode == VTY_INTERFACE && in_interface(v, no, n - no, w + no))
		return true;
	return enter_mode(v, n, w);
}

static bool run_line(struct vty *v, const char *line)
{
	char text[256];
	const char *w[8];
	unsigned n;

	(void)str_copy(text, sizeof(text), line);
	n = split_words(text, w);
	if (!n)
		return true;
	if (v->mode != VTY_EXEC && strcmp(w[0], "do") != 0 && in_config(v, n, w))
		return true;
	if (!strcmp(w[0], "do") && v->mode != VTY_EXEC)
		return n > 1 && word_is(w[1], "show", 2) && show_command(v, n - 2, w + 2);
	if (word_is(w[0], "show", 2) && v->mode == VTY_EXEC)
		return show_command(v, n - 1, w + 1);
	if (v->mode == VTY_EXEC && word_is(w[0], "configure", 4)) {
		v->mode = VTY_CONFIG;
		return true;
	}
	/* Written to /etc/frr/frr.conf. */
	if (v->mode == VTY_EXEC && word_is(w[0], "write", 1)) {
		(void)buf_adds(v->c->out, "Building Configuration...\n"
					  "Integrated configuration saved to "
					  "/etc/frr/frr.conf\n[OK]\n");
		return true;
	}
	return false;
}

int frr_vtysh(struct machine *m, const struct shell_call *c)
{
	struct vty v = {.m = m, .c = c};
	int i;

	for (i = 1; i + 1 < c->argc; i++) {
		if (strcmp(c->argv[i], "-c") != 0)
			continue;
		i++;
		if (!run_line(&v, c->argv[i])) {
			(void)buf_addf(c->out, "%% Unknown command: %s\n", c->argv[i]);
			return 1;
		}
	}
	return 0;
}
