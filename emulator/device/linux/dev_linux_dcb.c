/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "emulator/device/linux/dev_linux.h"

static json_t *json_per_priority(
	uint64_t (*value)(const struct sim_port *p, unsigned prio), const struct sim_port *p)
{
	json_t *a = json_array();
	unsigned i;

	for (i = 0; i < 8; i++)
		(void)json_array_append_new(a, json_integer((json_int_t)value(p, i)));
	return a;
}

static uint64_t pfc_requests(const struct sim_port *p, unsigned prio)
{
	return p->q[prio].pfc_tx_frames;
}

static uint64_t pfc_indications(const struct sim_port *p, unsigned prio)
{
	return p->q[prio].pfc_rx_frames;
}

static json_t *dcb_pfc(const struct sim_port *p, bool statistics)
{
	json_t *enabled = json_array(), *o;
	unsigned i;

	for (i = 0; i < 8; i++)
		(void)json_array_append_new(enabled, json_boolean(p->config.pfc_mask >> i & 1));
	o = json_pack("{s:i,s:b,s:i,s:o}", "pfc_cap", 8, "macsec_bypass", 0, "delay", 7, "prio_pfc",
		enabled);
	if (statistics) {
		(void)json_object_set_new(o, "requests", json_per_priority(pfc_requests, p));
		(void)json_object_set_new(o, "indications", json_per_priority(pfc_indications, p));
	}
	return o;
}

static json_t *dcb_ets(void)
{
	json_t *o = json_pack("{s:b,s:i,s:b,s:[iiiiiiii],s:[iiiiiiii],s:[ssssssss],s:[iiiiiiii]}",
		"willing", 0, "ets_cap", 8, "cbs", 0, "tc_bw", 10, 0, 0, 90, 0, 0, 0, 0, "pg_bw", 0,
		0, 0, 0, 0, 0, 0, 0, "tc_tsa", "ets", "strict", "strict", "ets", "strict", "strict",
		"strict", "strict", "prio_tc", 0, 1, 2, 3, 4, 5, 6, 7);

	/* No peer sends recommendations. */
	(void)json_object_update_new(o,
		json_pack("{s:[iiiiiiii],s:[ssssssss],s:[iiiiiiii]}", "reco_tc_bw", 0, 0, 0, 0, 0,
			0, 0, 0, "reco_tc_tsa", "strict", "strict", "strict", "strict", "strict",
			"strict", "strict", "strict", "reco_prio_tc", 0, 0, 0, 0, 0, 0, 0, 0));
	return o;
}

/* DSCPs that map to priorities other than 0, in the kernel's order. */
static json_t *dcb_app(const struct machine *m)
{
	const struct sim_device_config *c = &m->d->config;
	json_t *dscp = json_array();
	unsigned i;

	for (i = 0; i < 64; i++)
		if (c->dscp_prio[i])
			(void)json_array_append_new(
				dscp, json_pack("[ii]", (int)i, (int)c->dscp_prio[i]));
	return json_pack("{s:[i],s:o,s:[[ii]]}", "default_prio", 0, "dscp_prio", dscp,
		"dgram_port_prio", 4791, (int)LOSSLESS_PRIO);
}

/* A priority with PFC has a buffer of its own, with headroom for packets in flight. */
static json_t *dcb_buffer(const struct sim_port *p)
{
	json_t *buffers = json_array();
	unsigned i;

	for (i = 0; i < 8; i++)
		(void)json_array_append_new(
			buffers, json_integer((json_int_t)(p->config.pfc_mask >> i & 1)));
	return json_pack("{s:o,s:[iiiiiiii],s:i}", "prio_buffer", buffers, "buffer_size", 20016,
		p->config.pfc_mask ? 364848 : 0, 0, 0, 0, 0, 0, 0, "total_size",
		p->config.pfc_mask ? 384864 : 20016);
}

static void print_flat(const json_t *o, struct buf *out)
{
	const char *key;
	const json_t *value;
	size_t i;

	json_object_foreach((json_t *)o, key, value)
	{
		for (i = 0; key[i]; i++)
			(void)buf_add(out, key[i] == '_' ? "-" : key + i, 1);
		(void)buf_add(out, " ", 1);
		for (i = 0; i < json_array_size(value); i++) {
			const json_t *v = json_array_get(value, i);

			if (json_is_boolean(v))
				(void)buf_addf(out, "%zu:%s ", i, json_is_true(v) ? "on" : "off");
			else if (json_is_array(v))
				(void)buf_addf(out, "%lld:%lld ",
					(long long)json_integer_value(json_array_get(v, 0)),
					(long long)json_integer_value(json_array_get(v, 1)));
			else if (json_is_string(v))
				(void)buf_addf(out, "%zu:%s ", i, json_string_value(v));
			else
				(void)buf_addf(
					out, "%zu:%lld ", i, (long long)json_integer_value(v));
		}
		if (json_is_boolean(value))
			(void)buf_adds(out, json_is_true(value) ? "on " : "off ");
		else if (json_is_integer(value))
			(void)buf_addf(out, "%lld ", (long long)json_integer_value(value));
		(void)buf_add(out, "\n", 1);
	}
}

/* prio-pfc 3:on 4:off all:off */
static bool parse_prio_pfc(const struct shell_call *c, uint8_t *mask)
{
	int i = 1;

	while (i < c->argc && strcmp(c->argv[i], "prio-pfc") != 0)
		i++;
	if (i + 1 >= c->argc)
		return false;
	for (i++; i < c->argc && strchr(c->argv[i], ':'); i++) {
		const char *w = c->argv[i], *state = strchr(w, ':') + 1;
		unsigned bits = str_starts(w, "all:")                       ? 255
				: w[0] >= '0' && w[0] <= '7' && w[1] == ':' ? 1u << (w[0] - '0')
									    : 0;

		if (!bits || (strcmp(state, "on") != 0 && strcmp(state, "off") != 0))
			return false;
		*mask = (uint8_t)(state[1] == 'n' ? *mask | bits : *mask & ~bits);
	}
	return true;
}

static int dcb_set(
	struct machine *m, struct sim_port *p, const char *object, const struct shell_call *c)
{
	struct sim_port_config config = p->config;

	if (!c->root) {
		(void)buf_adds(c->err, "RTNETLINK answers: Operation not permitted\n");
		return 1;
	}
	if (strcmp(object, "pfc") != 0 || !parse_prio_pfc(c, &config.pfc_mask)) {
		(void)buf_adds(c->err, "What is \"set\"?\n");
		return 1;
	}
	sim_configure(m->ctx->sim, p, &config, "root");
	return 0;
}

static json_t *dcb_object(
	const struct machine *m, const struct sim_port *p, const char *object, bool statistics)
{
	if (!strcmp(object, "pfc"))
		return dcb_pfc(p, statistics);
	if (!strcmp(object, "ets"))
		return dcb_ets();
	if (!strcmp(object, "app"))
		return dcb_app(m);
	if (!strcmp(object, "buffer"))
		return dcb_buffer(p);
	if (!strcmp(object, "apptrust"))
		return json_pack("{s:[s]}", "order", m->d->config.trust_dscp ? "dscp" : "pcp");
	if (!strcmp(object, "dcbx"))
		return json_pack("{s:b,s:b}", "host", 1, "ieee", 1);
	return NULL;
}

int linux_dcb(struct machine *m, const struct shell_call *c)
{
	const char *object = linux_first_word(c), *dev = linux_word_after(c, "dev");
	struct sim_port *p = linux_port(m, dev);
	json_t *o;

	if (linux_has_word(c, "-V")) {
		(void)buf_addf(c->out, "dcb utility, iproute2-%s\n",
			linux_is_switch(m->d) ? "6.1.0" : "6.18.0");
		return 0;
	}
	if (!p) {
		(void)buf_addf(c->err, "Cannot find device \"%s\"\n", dev ? dev : "");
		return 1;
	}
	if (linux_has_word(c, "set"))
		return dcb_set(m, p, object, c);
	o = dcb_object(m, p, object, linux_has_word(c, "-s") || linux_has_word(c, "-js"));
	if (!o) {
		(void)buf_addf(c->err, "Object \"%s\" is unknown\n", object);
		return 1;
	}
	if (linux_has_word(c, "-j") || linux_has_word(c, "-json"))
		return linux_print_json(c->out, o, JSON_COMPACT);
	print_flat(o, c->out);
	json_decref(o);
	return 0;
}

/* ---- mlnx_qos ---- */

static void add_map(const struct machine *m, struct buf *out)
{
	int dscp;
	unsigned prio, n;

	(void)buf_adds(out, "dscp2prio mapping:\n");
	for (prio = 0; prio < 8; prio++) {
		for (n = 0, dscp = 63; dscp >= 0; dscp--) {
			if (m->d->config.dscp_prio[dscp] != prio)
				continue;
			if (n++ % 8 == 0)
				(void)buf_addf(out, "%s\tprio:%u dscp:", n > 1 ? "\n" : "", prio);
			(void)buf_addf(out, "%02d,", dscp);
		}
		if (n)
			(void)buf_add(out, "\n", 1);
	}
}

static void add_row(struct buf *out, const char *name, unsigned mask)
{
	unsigned i;

	(void)buf_addf(out, "\t%-8s ", name);
	for (i = 0; i < 8; i++)
		(void)buf_addf(out, "   %u", mask >> i & 1);
	(void)buf_adds(out, "   \n");
}

/* "--pfc 0,0,0,1,0,0,0,0" and "--trust dscp". */
static void mlnx_qos_set(struct machine *m, struct sim_port *p, const char *pfc, const char *trust)
{
	struct sim_device_config whole = m->d->config;
	struct sim_port_config config = p->config;
	unsigned i;

	if (pfc && strlen(pfc) >= 15) {
		for (config.pfc_mask = 0, i = 0; i < 8; i++)
			config.pfc_mask |= (uint8_t)((pfc[(size_t)2 * i] == '1') << i);
		sim_configure(m->ctx->sim, p, &config, "root");
	}
	whole.trust_dscp = str_eq(trust, "dscp");
	if (trust && whole.trust_dscp != m->d->config.trust_dscp)
		sim_configure_device(m->ctx->sim, m->d, &whole, "root");
}

/* Applies the settings given for the interface of -i, then shows it. */
int linux_mlnx_qos(struct machine *m, const struct shell_call *c)
{
	struct sim_port *p = linux_port(m, linux_word_after(c, "-i"));
	const char *pfc = linux_word_after(c, "--pfc"), *trust = linux_word_after(c, "--trust");
	unsigned i;

	if (!p) {
		(void)buf_adds(c->err, "Interface name is required\n");
		return 1;
	}
	if ((pfc || trust) && !c->root) {
		(void)buf_adds(c->err, "Operation not permitted\n");
		return 1;
	}
	mlnx_qos_set(m, p, pfc, trust);
	(void)buf_addf(c->out, "DCBX mode: OS controlled\nPriority trust state: %s\n",
		m->d->config.trust_dscp ? "dscp" : "pcp");
	if (m->d->config.trust_dscp)
		add_map(m, c->out);
	(void)buf_addf(c->out,
		"Receive buffer size (bytes): 20016,%u,0,0,0,0,0,0,max_buffer_size=2068896\n"
		"Cable len: 7\nPFC configuration:\n\tpriority    0   1   2   3   4   5   6   7\n",
		p->config.pfc_mask ? 364848u : 0u);
	add_row(c->out, "enabled", p->config.pfc_mask);
	add_row(c->out, "buffer", p->config.pfc_mask);
	for (i = 0; i < 8; i++)
		(void)buf_addf(c->out, "tc: %u ratelimit: unlimited, tsa: %s\n\t priority:  %u\n",
			i,
			i == 0               ? "ets, bw: 10%"
			: i == LOSSLESS_PRIO ? "ets, bw: 90%"
					     : "strict",
			i);
	return 0;
}
