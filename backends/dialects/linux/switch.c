/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/dialects/linux/switch.h"

#include <stdlib.h>
#include <string.h>

#include "backends/parse/json_select.h"
#include "backends/contract/needs.h"
#include "backends/parse/frr.h"
#include "backends/parse/lag.h"
#include "backends/parse/first_line.h"
#include "backends/parse/lldp.h"
#include "backends/syslog/syslog.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/str.h"

#define LLDP_START_CURE   "start lldpd: sudo systemctl start lldpd"
#define LLDP_GROUP_CURE   "let the user read lldpd's socket: sudo usermod -aG _lldpd USER"
#define LLDP_INSTALL_CURE "install the package lldpd on the switch"
#define LOG_CURE          "let the user read the log: sudo usermod -aG systemd-journal,adm USER"

#define SLOW_TIMEOUT_US (30 * CLOCK_SEC)
#define SCRIPT_CAP      ((size_t)16 << 10)
#define FOLLOW_CAP      ((size_t)64 << 10)

/* ---- requests ---- */

/* Copies the template and replaces every "{}". */
static bool script_for(struct buf *b, const char *script, const char *word)
{
	const char *hole;
	bool ok = true;

	buf_init(b, SCRIPT_CAP);
	for (; (hole = strstr(script, "{}")) != NULL; script = hole + 2)
		ok &= buf_add(b, script, (size_t)(hole - script)) && buf_adds(b, word);
	return ok && buf_adds(b, script);
}

static bool add_script(struct request_list *out, const char *name, const char *script,
	const char *word, int64_t timeout_us, struct err *err)
{
	struct buf b;
	bool ok = script_for(&b, script, word);
	struct request *r = ok ? requests_ssh(out, name, "sh -s", b.data) : NULL;

	buf_free(&b);
	if (!r)
		return err_set(err, ERR_INTERNAL, name, "the script is too long");
	if (timeout_us)
		r->timeout_us = timeout_us;
	/* Port by port: the output before a port that hangs is of use. */
	r->partial = script == sw_fast_script || script == sw_optics_script;
	r->shell = true;
	return true;
}

/* Returns "sudo -n " if detect found that the tool needs it, else "". */
static const char *sudo_for(const struct target *t, const char *tool)
{
	return str_eq(facts_get(t->facts, tool), "sudo") ? "sudo -n " : "";
}

/* A fixed command, never a path from a fact: a shell would run the device's text. */
static void follow_log(const struct target *t, struct request_list *out)
{
	static const char *const files[] = {"/var/log/syslog", "/var/log/messages"};
	const char *log = facts_get(t->facts, "log");
	char command[64] = "journalctl -f -n 100 -o short-iso";

	if (str_eq(log, "none"))
		return;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (str_eq(log, files[i]))
			str_printf(command, sizeof(command), "tail -n 0 -F %s", files[i]);
	requests_follow(out, "sw-log", command)->cap = FOLLOW_CAP;
}

bool sw_plan(const struct target *t, enum poll_tier tier, struct request_list *out, struct err *err)
{
	bool dcb = str_eq(facts_get(t->facts, "pfc"), "dcb");

	switch (tier) {
	case POLL_DETECT:
		return add_script(out, "sw-detect", sw_detect_script, "", 0, err);
	case POLL_FAST:
		return add_script(out, "sw-fast", sw_fast_script, dcb ? sw_fast_dcb : "", 0, err);
	case POLL_MEDIUM:
		return add_script(out, "sw-bgp", sw_bgp_script, sudo_for(t, "vtysh"), 0, err) &&
		       add_script(out, "sw-lldp", sw_lldp_script, sudo_for(t, "lldpcli"), 0, err) &&
		       add_script(out, "sw-optics", sw_optics_script, sudo_for(t, "module"),
			       SLOW_TIMEOUT_US, err);
	case POLL_SLOW:
		return add_script(
			out, "sw-slow", sw_slow_script, sudo_for(t, "vtysh"), SLOW_TIMEOUT_US, err);
	case POLL_EVENTS:
		follow_log(t, out);
		return true;
	case POLL_TIER_COUNT:
		break;
	}
	return true;
}

/* ---- detection ---- */

static void first_line(const struct section *sec, char line[LINE_TEXT])
{
	size_t at = 0;

	if (!line_next(sec, &at, line))
		line[0] = '\0';
}

/*
 * The journal if it is available and readable, else a file. journalctl exits with 0 in both error
 * cases and prints a message.
 */
static void detect_log(struct sw *s, const struct section *sec)
{
	bool no_journal = memmem(sec->body, sec->len, "No journal files", 16) ||
			  memmem(sec->body, sec->len, "nsufficient permissions", 23);
	char line[LINE_TEXT];
	const char *log = "none";
	size_t at = 0;

	while (str_eq(log, "none") && line_next(sec, &at, line)) {
		if (str_eq(line, "/var/log/syslog"))
			log = "/var/log/syslog";
		else if (str_eq(line, "/var/log/messages"))
			log = "/var/log/messages";
		else if (str_eq(line, "journal") && !no_journal)
			log = "journal";
	}
	obs_fact(s->h.o, "log", log);
	if (str_eq(log, "none"))
		need_say(s->h.o, NEED_LOG, VALID_DISABLED, LOG_CURE);
}

static void detect_section(struct sw *s, const struct section *sec)
{
	static const char *const known[] = {"vtysh", "lldpcli", "module", "pfc"};
	char line[LINE_TEXT];

	if (str_eq(sec->name, "log"))
		detect_log(s, sec);
	first_line(sec, line);
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (str_eq(sec->name, known[i]))
			obs_fact(s->h.o, known[i], line);
}

/* ---- BGP ---- */

/* A release without EVPN multihoming prints something else. */
static void read_segments(struct sw *s, const struct section *sec)
{
	struct json_value *list = sw_list(sec, s);

	if (list)
		frr_segments(list, s->h.o);
	if (list || frr_no_segments(sec->body, sec->len))
		lag_segments_end(s->h.target, s->h.o);
	free(list);
}

static void bgp_section(struct sw *s, const struct section *sec)
{
	char line[128];

	if (str_eq(sec->name, "segments"))
		read_segments(s, sec);
	if (!str_eq(sec->name, "bgp") || frr_read_bgp(sec->body, sec->len, s->h.o))
		return;
	err_set(&s->h.o->err, ERR_PROTOCOL, s->h.target->device,
		"expected the BGP summary of vtysh, got: %s",
		parse_first_line(sec->body, sec->len, line, sizeof(line)));
	err_cure(&s->h.o->err, "run it by hand: vtysh -c 'show bgp vrf all summary json'");
}

/* ---- LLDP ---- */

struct sw_neighbours {
	struct sw *s;
	bool seen[HOST_PORTS_MAX];
};

static void add_neighbour(void *ctx, const char *local, const struct lldp_peer *peer)
{
	struct sw_neighbours *n = ctx;

	for (size_t i = 0; i < n->s->h.ports.n; i++) {
		const struct host_port *p = n->s->h.ports.at[i];

		if (!str_eq(p->netdev, local))
			continue;
		n->seen[i] |= lldp_add(n->s->h.o, p->port, peer);
	}
}

/* Without lldpd the neighbours are unknown: earlier ones are not reported as gone. */
static void lldp_refusal(struct sw *s, const struct section *sec)
{
	if (memmem(sec->body, sec->len, "lldpcli: not found", 18) ||
		memmem(sec->body, sec->len, "command not found", 17))
		need_say(s->h.o, NEED_LLDP, VALID_UNSUPPORTED, LLDP_INSTALL_CURE);
	else if (memmem(sec->body, sec->len, "ermission denied", 16) ||
		 memmem(sec->body, sec->len, "password is required", 20))
		need_say(s->h.o, NEED_LLDP, VALID_DISABLED, LLDP_GROUP_CURE);
	else
		need_say(s->h.o, NEED_LLDP, VALID_DISABLED, LLDP_START_CURE);
}

static void lldp_section(struct sw *s, const struct section *sec)
{
	struct sw_neighbours n = {.s = s};
	struct json_value *doc;

	if (str_eq(sec->name, "link"))
		sw_link_section(s, sec, false);
	if (!str_eq(sec->name, "lldp"))
		return;
	doc = json_value_parse(sec->body, sec->len, s->h.target->device, NULL);
	if (!json_value_get(doc, "lldp")) {
		lldp_refusal(s, sec);
	} else {
		lldp_walk(doc, add_neighbour, &n);
		for (size_t i = 0; i < s->h.ports.n; i++)
			if (!n.seen[i])
				obs_lldp(s->h.o, s->h.ports.at[i]->port, "", "");
		need_say(s->h.o, NEED_LLDP, VALID_OK, "");
	}
	free(doc);
}

/* ---- log ---- */

/* swp1, swp1s0, eth3, enp1s0np1, Ethernet0: names in a line about a link. */
static bool names_a_port(const char *word)
{
	static const char *const prefixes[] = {"swp", "eth", "enp", "ens", "eno", "sw", "p"};
	size_t n = strlen(word);

	if (n < 2 || n >= NAME_MAX_LEN || word[n - 1] < '0' || word[n - 1] > '9')
		return false;
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		size_t k = strlen(prefixes[i]);

		if (str_starts(word, prefixes[i]) && word[k] >= '0' && word[k] <= '9')
			return true;
	}
	return false;
}

static bool read_log(const char *bytes, size_t len, struct obs *o)
{
	const struct syslog_opts opts = {.is_port = names_a_port, .live = true};

	if (syslog_parse(&opts, bytes, len, o))
		need_say(o, NEED_LOG, VALID_OK, "");
	else if (memmem(bytes, len, "not found", 9) || memmem(bytes, len, "ermission", 9) ||
		 memmem(bytes, len, "No journal files", 16))
		need_say(o, NEED_LOG, VALID_DISABLED, LOG_CURE);
	return true;
}

/* ---- dispatch ---- */

static const struct sw_request {
	const char *name;
	void (*section)(struct sw *s, const struct section *sec);
	void (*finish)(struct sw *s); /* NULL: none */
} requests[] = {
	{"sw-detect", detect_section, NULL},
	{"sw-fast", sw_fast_section, sw_fast_finish},
	{"sw-bgp", bgp_section, NULL},
	{"sw-lldp", lldp_section, NULL},
	{"sw-optics", sw_optics_section, sw_optics_finish},
	{"sw-slow", sw_slow_section, sw_slow_finish},
};

/* Sections that hosts and switches share; other sections of a host would create ports. */
static bool common_section(struct sw *s, const struct section *sec)
{
	static const char *const names[] = {"begin", "end", "name", "boot", "uptime"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (str_eq(sec->name, names[i]))
			return host_common_section(&s->h, sec);
	return false;
}

static bool read_script(
	struct sw *s, const struct sw_request *r, const char *bytes, size_t len, struct err *err)
{
	const char *device = s->h.target->device;
	struct section sec;
	char line[128];
	size_t at = 0;

	while (section_next(bytes, len, &at, &sec))
		if (!common_section(s, &sec))
			r->section(s, &sec);
	if (!s->h.begun) {
		err_set(err, ERR_PROTOCOL, device, "expected the output of the script, got: %s",
			parse_first_line(bytes, len, line, sizeof(line)));
		return err_cure(err,
			"the login shell must run `sh -s`: try ssh %s sh -s </dev/null", device);
	}
	if (!s->h.ended) {
		err_set(&s->h.o->err, ERR_PROTOCOL, device,
			"the script's output breaks off after %zu bytes", len);
		err_cure(&s->h.o->err, "a tool on the switch hangs or was killed");
	}
	if (r->finish)
		r->finish(s);
	return true;
}

static void sw_free(struct sw *s)
{
	free(s->qos);
	vec_free(&s->more);
	vec_free(&s->stations.at);
	host_free(&s->h);
}

bool sw_parse(const struct target *t, const char *request, const char *bytes, size_t len,
	struct obs *o, struct err *err)
{
	struct sw s = {.h = {.target = t, .o = o}};
	bool ok;

	if (str_eq(request, "sw-log"))
		return read_log(bytes, len, o);
	for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
		if (!str_eq(requests[i].name, request))
			continue;
		ok = read_script(&s, &requests[i], bytes, len, err);
		sw_free(&s);
		return ok;
	}
	return err_set(err, ERR_INTERNAL, t->device, "linux has no request \"%s\"", request);
}
