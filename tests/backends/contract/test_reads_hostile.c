/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "backends/contract/change.h"
#include "backends/contract/reads.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "tests/backends/dialects/ask_all.h"
#include "tests/support/cases.h"

/*
 * Nothing that was made of a question by adding, cutting or exchanging a word is on the list of
 * reads, and no command of a change.
 */

static const char *const behind[] = {"; reboot", ";reboot", " ; reboot", " && reboot", " & reboot",
	" || reboot", "|reboot", " | tee /etc/x", " > /etc/x", ">/etc/x", " $(reboot)", "$(reboot)",
	"`reboot`", "\nreboot", "\rreboot", "\n", " ", " extra", " -x", "\x01", "'", "\"", "\\",
	"#", " ; configure terminal", " | redirect flash:x", "\nconfigure\n", "*"};

static const char *const before[] = {"reboot; ", "sudo ", "sudo -n sudo ", "config ", "no ", " ",
	"configure terminal ; ", "enable\n", "x=1 ", "\n"};

/* Words of other people's and of railtop's own changes. */
static const char *const changes[] = {"config pfcwd stop", "sudo config pfcwd stop Ethernet0",
	"config interface shutdown Ethernet0", "config save -y", "reboot", "reload", "sh -s", "sh",
	"bash", "configure", "configure terminal", "write memory",
	"copy running-config startup-config", "clear counters", "sonic-clear counters",
	"sonic-db-cli CONFIG_DB DEL \"PFC_WD|Ethernet0\"", "sonic-db-cli COUNTERS_DB FLUSHALL",
	"sonic-db-cli COUNTERS_DB EVAL \"return 1\" 0",
	"sonic-db-cli COUNTERS_DB EVALSHA 0123456789abcdef0123456789abcdef01234567 0 3 2>&1",
	"sonic-db-cli COUNTERS_DB SCRIPT LOAD \"$s\" 2>&1", "nv set interface swp1 link state down",
	"nv config apply -y", "nv action clear", "ip link set eth0 down", "ethtool -p eth0 5",
	"ethtool -s eth0 speed 10", "vtysh -c 'configure terminal'", "tail -f /etc/shadow",
	"cat /etc/shadow", "show version", "show running-config", "show tech-support", "enable",
	"dcb pfc set dev eth0 prio-pfc all:off", "", "show", "show interface"};

static void refused(struct world *w, const struct request *r, const char *what)
{
	if (!w->ops->reads(r) && !reads_allow(w->ops, r, "leaf", NULL))
		return;
	ask_show(r);
	fail_msg("%s passes a request with %s", w->ops->name, what);
}

static char *joined(const char *a, const char *b, const char *c)
{
	struct buf text;

	buf_init(&text, (size_t)1 << 20);
	(void)buf_adds(&text, a);
	(void)buf_adds(&text, b);
	(void)buf_adds(&text, c);
	return buf_take(&text, NULL);
}

/* In front of it, behind it, in the middle, and without its last letter. */
static void spoil(struct world *w, const struct request *r, char **field, struct request *bad)
{
	char *good = *field, *cut = mem_strdup(good);
	size_t n = strlen(good), at;

	*bad = *r;
	for (size_t i = 0; i < sizeof(behind) / sizeof(behind[0]); i++) {
		*field = joined(good, behind[i], "");
		refused(w, bad, behind[i]);
		free(*field);
		at = ask_draw((unsigned)n);
		memcpy(cut, good, at);
		cut[at] = '\0';
		*field = joined(cut, behind[i], good + at);
		/* A blank or a letter may stand where one of a list's words is: only in scripts'
		 * heads. */
		if (behind[i][0] != ' ' && (behind[i][0] != '\n' || behind[i][1]))
			refused(w, bad, behind[i]);
		free(*field);
	}
	for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++) {
		*field = joined(before[i], good, "");
		refused(w, bad, before[i]);
		free(*field);
	}
	memcpy(cut, good, n);
	cut[n - 1] = '\0';
	*field = cut;
	refused(w, bad, "its end cut off");
	free(cut);
	*field = good;
}

static void spoil_ssh(struct world *w, const struct request *r)
{
	static char words[] = "reboot\n", get[] = "GET", path[] = "/command-api", body[] = "{}";
	struct request bad = *r;

	spoil(w, r, &bad.command, &bad);
	bad = *r;
	if (r->input)
		spoil(w, r, &bad.input, &bad);
	bad = *r;
	bad.input = r->input ? NULL : words;
	refused(w, &bad, "other input");
	bad = *r;
	bad.input = words;
	refused(w, &bad, "input of its own");
	bad = *r;
	bad.method = get;
	refused(w, &bad, "a method");
	bad = *r;
	bad.path = path;
	refused(w, &bad, "a path");
	bad = *r;
	bad.body = body;
	refused(w, &bad, "a body");
	bad = *r;
	bad.forward_port = 28028;
	refused(w, &bad, "a port");
	bad = *r;
	bad.confirm = "OK";
	bad.confirmed = words;
	refused(w, &bad, "a confirmation");
}

/* A command in the list more, and another instead. */
static void spoil_body(struct world *w, const struct request *r)
{
	static const char *const more[] = {"\"configure\",", "{\"cmd\":\"configure\"},",
		"{\"cmd\":\"enable\",\"input\":\"x\"},", "{\"cmd\":\"reload\",\"revision\":1},",
		"{\"cmd\":\"show version ; reload\"},",
		"{\"cmd\":\"show version | redirect flash:x\"},",
		"{\"cmd\":\"show version\\nreload\"},", "{\"cmd\":1},", "1,", "null,", "[],",
		"{\"jsonrpc\":\"2.0\",\"method\":\"cli\",\"params\":{\"cmd\":\"conf "
		"t\",\"version\":1},"
		"\"id\":1},",
		"{\"jsonrpc\":\"2.0\",\"method\":\"cli_conf\",\"params\":{\"cmd\":\"show version\","
		"\"version\":1},\"id\":1},",
		"{\"jsonrpc\":\"2.0\",\"method\":\"cli\",\"params\":{\"cmd\":\"show version\","
		"\"cmd\":\"reload\",\"version\":1},\"id\":1},"};
	static const char *const keys[] = {"\"autoComplete\":true,", "\"expandAliases\":true,",
		"\"method\":\"reload\",", "\"cmds\":[\"reload\"],"};
	struct request bad = *r;
	const char *list = strchr(r->body, '[') + 1, *brace = strchr(r->body, '{') + 1;
	char *head = mem_strndup(r->body, (size_t)(list - r->body));
	char *start = mem_strndup(r->body, (size_t)(brace - r->body));

	for (size_t i = 0; i < sizeof(more) / sizeof(more[0]); i++) {
		bad.body = joined(head, more[i], list);
		refused(w, &bad, more[i]);
		free(bad.body);
	}
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		bad.body = joined(start, keys[i], brace);
		refused(w, &bad, keys[i]);
		free(bad.body);
	}
	bad.body = joined("[", r->body, "]");
	refused(w, &bad, "a list of lists");
	free(bad.body);
	free(head);
	free(start);
}

static void spoil_http(struct world *w, const struct request *r)
{
	static const char *const methods[] = {"PATCH", "PUT", "DELETE", "get", "", NULL};
	static char words[] = "{}";
	struct request bad = *r;

	spoil(w, r, &bad.path, &bad);
	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
		bad = *r;
		bad.method = methods[i];
		refused(w, &bad, "another method");
	}
	bad = *r;
	bad.method = str_eq(r->method, "GET") ? "POST" : "GET";
	refused(w, &bad, "another method");
	bad = *r;
	bad.content_type = "text/plain\r\nX-HTTP-Method-Override: DELETE";
	refused(w, &bad, "another type");
	bad = *r;
	bad.command = words;
	refused(w, &bad, "a command");
	bad = *r;
	bad.input = words;
	refused(w, &bad, "input");
	bad = *r;
	bad.body = words;
	refused(w, &bad, "another body");
	if (r->body)
		spoil_body(w, r);
}

static void spoil_each(struct world *w, const struct request *r)
{
	struct request bad = *r;

	assert_true(w->ops->reads(r));
	bad.change = true;
	refused(w, &bad, "the mark of a change");
	if (r->command)
		spoil_ssh(w, r);
	else
		spoil_http(w, r);
}

CASE(nothing_made_of_a_question_passes)
{
	for (size_t i = 0; i < backend_count; i++) {
		struct world w = {.ops = backend_table[i], .each = spoil_each};

		ask_all(&w, 60);
	}
}

/* Each dialect's probe is for detection only, and detection asks nothing else. */
CASE(what_changes_a_device_is_on_no_list)
{
	struct request_list l = {0};
	char body[512];

	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		requests_ssh(&l, "x", changes[i], NULL);
		requests_ssh(&l, "x", "sh -s", changes[i]);
		requests_follow(&l, "x", changes[i]);
		requests_http(&l, "x", "GET", changes[i], NULL, NULL);
		if (strchr(changes[i], '"') || str_eq(changes[i], "show version") ||
			str_eq(changes[i], "show interface"))
			continue;
		str_printf(body, sizeof(body),
			"{\"jsonrpc\":\"2.0\",\"method\":\"runCmds\",\"id\":\"x\",\"params\":{"
			"\"version\":1,\"cmds\":[\"%s\",{\"cmd\":\"%s\"}]}}",
			changes[i], changes[i]);
		requests_http(&l, "x", "POST", "/command-api", "application/json-rpc", body);
		str_printf(body, sizeof(body),
			"[{\"jsonrpc\":\"2.0\",\"method\":\"cli\",\"params\":{\"cmd\":\"%s\","
			"\"version\":1},\"id\":1}]",
			changes[i]);
		requests_http(&l, "x", "POST", "/ins", "application/json-rpc", body);
	}
	requests_http(&l, "x", "POST", "/api/mo/sys.json", "application/json", "{}");
	requests_http(&l, "x", "POST", "/login", "application/json", "{}");
	requests_http(&l, "x", "POST", "/nvue_v1/revision", NULL, NULL);
	requests_http(&l, "x", "GET", "/nvue_v1/../etc", NULL, NULL);
	for (size_t i = 0; i < backend_count; i++) {
		struct world w = {.ops = backend_table[i]};

		for (size_t k = 0; k < l.at.n; k++) {
			const struct request *r = &l.at.at[k];

			/* NX-OS asks "show version" without a pipe, too. */
			if (str_eq(w.ops->name, "nxos") && !r->input && !r->follow && r->command &&
				(str_eq(r->command, "show version") ||
					str_eq(r->command, "show interface")))
				continue;
			refused(&w, r, "a change");
		}
	}
	requests_free(&l);
}

/* All words of all changes of all dialects, whether they could be made now or not. */
CASE(no_command_of_a_change_passes)
{
	struct condition c;
	struct err err = {0};

	for (size_t i = 0; i < backend_count; i++) {
		struct world w = {.ops = backend_table[i]};
		const struct dialect_changes *ch = w.ops->changes;

		for (int n = 0; ch && n < VERB_COUNT * TRANSPORT_COUNT * 2 * 2 * 2; n++) {
			struct order o = {.verb = (enum verb)(n % VERB_COUNT),
				.priority = -1,
				.port = "Ethernet12",
				.peer = "10.0.0.1",
				.asn = 65001,
				.seconds = 10,
				.group = "wredqueue",
				.wd = {.action = "drop", .detect_ms = 200, .restore_ms = 400}};
			struct target t = {.device = "leaf"};
			struct request_list l = {0};
			unsigned k = (unsigned)n / VERB_COUNT;

			t.transport = (enum transport_kind)(k & 1);
			t.tier = k & 2 ? TIER_HOST : TIER_LEAF;
			if (k & 4)
				str_copy(o.port, sizeof(o.port),
					t.tier == TIER_HOST ? "mlx5_0" : "swp1");
			condition_init(&c);
			if (k & 8) {
				c.admin = c.oper = OPER_UP;
				c.wd = 1;
				c.wd_set = o.wd;
				c.pfc = 8;
				c.pending = c.bgp_shut = c.beacon = c.counters = 0;
				c.bgp = BGP_ESTABLISHED;
				str_copy(c.bgp_peer, sizeof(c.bgp_peer), o.peer);
				c.bgp_asn = o.asn;
			}
			if (!(w.ops->transports >> t.transport & 1))
				continue;
			(void)ch->command(&t, &o, &c, &l, &err);
			for (size_t r = 0; r < l.at.n; r++) {
				struct request plain = l.at.at[r];

				assert_true(plain.change);
				refused(&w, &plain, "a change");
				plain.change = false;
				refused(&w, &plain, "a change, unmarked");
			}
			requests_free(&l);
			if (ch->look(&t, &o, &l, &err))
				for (size_t r = 0; r < l.at.n; r++) {
					w.each = ask_is_listed;
					w.each(&w, &l.at.at[r]);
				}
			requests_free(&l);
		}
	}
}

CASES_MAIN(NULL, NULL)
