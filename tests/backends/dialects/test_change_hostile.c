/* SPDX-License-Identifier: Apache-2.0 */
/* Answers to a change from a device that is broken or of another kind, for every dialect. */
#include <stdlib.h>
#include <string.h>

#include "backends/contract/change.h"
#include "base/mem.h"
#include "base/str.h"
#include "tests/support/cases.h"
#include "tests/support/effort.h"

/* Larger than any device answers. */
#define HUGE_LEN (effort_full() ? 10u << 20 : 4u << 20)

static const struct way {
	const char *dialect, *port;
	enum transport_kind transport;
	enum tier tier;
} ways[] = {
	{"sonic", "Ethernet12", TRANSPORT_SSH, TIER_LEAF},
	{"eos", "Ethernet5/1", TRANSPORT_HTTPS, TIER_LEAF},
	{"eos", "Ethernet5/1", TRANSPORT_SSH, TIER_LEAF},
	{"nxos", "Ethernet1/5", TRANSPORT_HTTPS, TIER_LEAF},
	{"nxos", "Ethernet1/5", TRANSPORT_SSH, TIER_LEAF},
	{"cumulus", "swp5", TRANSPORT_HTTPS, TIER_LEAF},
	{"cumulus", "swp5", TRANSPORT_SSH, TIER_LEAF},
	{"linux", "swp5", TRANSPORT_SSH, TIER_LEAF},
	{"linux", "eth3", TRANSPORT_SSH, TIER_HOST},
};
#define N_WAYS (sizeof(ways) / sizeof(ways[0]))

static struct facts facts;

static struct target target_of(const struct way *w)
{
	return (struct target){.device = "device",
		.tier = w->tier,
		.transport = w->transport,
		.lossless = 8,
		.facts = &facts};
}

static const struct dialect_changes *changes_of(const struct way *w)
{
	return backend_by_name(w->dialect)->changes;
}

static struct order order_of(const struct way *w, enum verb v)
{
	struct order o = {.verb = v, .priority = -1, .asn = 65021, .seconds = 60};

	(void)str_copy(o.port, sizeof(o.port), w->port);
	(void)str_copy(o.peer, sizeof(o.peer), "10.64.0.1");
	o.wd = (struct wd_setting){.action = "drop", .detect_ms = 200, .restore_ms = 400};
	if (v == VERB_COUNTERS_ON || v == VERB_COUNTERS_OFF) {
		o.port[0] = '\0';
		(void)str_copy(o.group, sizeof(o.group), "wredqueue");
	}
	return o;
}

static void says_nothing_of_a_terminal(const struct err *e)
{
	const char *const texts[] = {e->origin, e->text, e->cure};

	for (size_t i = 0; i < 3; i++)
		for (const char *c = texts[i]; *c; c++)
			if ((unsigned char)*c < ' ' || *c == 0x7f)
				fail_msg("a control character in what is told: %d", *c);
}

/* The names of the requests that a change has, in any dialect. */
static const char *const names[] = {
	"change", "revision", "set", "apply", "applied", "lines", "port-down", "wd-start"};
#define N_NAMES (sizeof(names) / sizeof(names[0]))

static void taken_by_all(const char *bytes, size_t len, int status, const char *complaint)
{
	struct reply r = {.bytes = bytes, .len = len, .status = status, .complaint = complaint};

	for (size_t i = 0; i < N_WAYS; i++)
		for (size_t n = 0; n < N_NAMES; n++) {
			struct order o = order_of(&ways[i], VERB_PORT_DOWN);
			struct target t = target_of(&ways[i]);
			struct change_notes notes = {0};
			struct err e = {0};
			enum taken is =
				changes_of(&ways[i])->taken(&t, &o, names[n], &r, &notes, &e);

			if (is == TAKEN_NO)
				assert_int_not_equal(e.code, ERR_NONE);
			says_nothing_of_a_terminal(&e);
			assert_non_null(memchr(notes.revision, 0, sizeof(notes.revision)));
			assert_null(strpbrk(notes.revision, "/?# \"\\\r\n"));
		}
}

/* Every question of look(), answered in the same way. */
static void seen_by_all(const char *bytes, size_t len, int status, int verbs, bool must_fail)
{
	struct reply r = {.bytes = bytes, .len = len, .status = status, .complaint = ""};

	for (size_t i = 0; i < N_WAYS; i++)
		for (int v = verbs == 1 ? VERB_PORT_DOWN : 0, left = verbs;
			left-- && v < VERB_COUNT; v++) {
			const struct dialect_changes *can = changes_of(&ways[i]);
			struct order o = order_of(&ways[i], (enum verb)v);
			struct target t = target_of(&ways[i]);
			struct request_list l = {0};
			struct condition c;
			struct err e = {0};
			bool all = true;

			if (!(can->verbs >> v & 1))
				continue;
			condition_init(&c);
			assert_true(can->look(&t, &o, &l, &e));
			for (size_t k = 0; k < l.at.n; k++) {
				all &= can->see(&t, &o, l.at.at[k].name, &r, &c, &e);
				says_nothing_of_a_terminal(&e);
			}
			requests_free(&l);
			/* Nothing that was done is to be seen in it. */
			if (must_fail && all)
				fail_msg("%s believes it (%s)", ways[i].dialect,
					verb_name((enum verb)v));
			if (must_fail)
				assert_int_not_equal(order_goal(&o, &c, NULL, 0), GOAL_MET);
			for (const char *h = c.hazard; *h; h++)
				assert_true((unsigned char)*h >= ' ');
		}
}

CASE(escapes_of_a_terminal_are_not_told)
{
	static const char text[] = "\033[2J\033]0;owned\007\033[31m% Invalid\033[0m command\r\n"
				   "Error: \033[8mhidden\x7f\n";

	taken_by_all(text, strlen(text), 1, text);
	taken_by_all(text, strlen(text), 0, text);
	taken_by_all(text, strlen(text), 500, "");
	seen_by_all(text, strlen(text), 0, VERB_COUNT, true);
	seen_by_all(text, strlen(text), 200, VERB_COUNT, true);
}

CASE(a_huge_answer_is_no_condition)
{
	static const char *const pieces[] = {
		"A", "{", "[[", "% ", "\n", "\"a\":", "\033[", "@@", "\\u0000"};
	char *bytes = mem_alloc(HUGE_LEN + 1);

	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		size_t n = strlen(pieces[i]), len = HUGE_LEN / n * n;

		for (size_t at = 0; at < len; at += n)
			memcpy(bytes + at, pieces[i], n);
		bytes[len] = '\0';
		seen_by_all(bytes, len, 200, 1, false);
	}
	memset(bytes, 'A', HUGE_LEN);
	bytes[HUGE_LEN] = '\0';
	taken_by_all(bytes, HUGE_LEN, 1, "");
	seen_by_all(bytes, HUGE_LEN, 0, VERB_COUNT, true);
	free(bytes);
}

/* The refusal stands behind a NUL. */
CASE(a_nul_hides_nothing)
{
	static const struct {
		size_t way;
		enum verb verb;
		const char *words;
	} all[] = {
		{0, VERB_WD_START, "SKIPPED: PFC is not enabled on port: Ethernet12"},
		{0, VERB_PORT_DOWN, "Error: Interface name is invalid."},
		{2, VERB_PORT_DOWN, "% Invalid input"},
		{4, VERB_PORT_DOWN, "% Invalid command"},
		{6, VERB_PORT_DOWN, "Error: Internal Server Error"},
		{6, VERB_PORT_DOWN, "Declined apply after warnings"},
		{7, VERB_BGP_DOWN, "% BGP is not running"},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		const struct way *w = &ways[all[i].way];
		struct order o = order_of(w, all[i].verb);
		struct target t = target_of(w);
		struct change_notes notes = {0};
		struct reply r = {.status = 0, .complaint = ""};
		char bytes[128] = "applied\n";
		size_t n = strlen(all[i].words);
		struct err e = {0};

		memcpy(bytes + 9, "\n", 1); /* behind the NUL */
		memcpy(bytes + 10, all[i].words, n);
		r.bytes = bytes;
		r.len = 10 + n;
		if (changes_of(w)->taken(&t, &o,
			    str_eq(w->dialect, "eos") || str_eq(w->dialect, "nxos")
				    ? "change"
				    : verb_name(o.verb),
			    &r, &notes, &e) != TAKEN_NO)
			fail_msg("%s takes \"%s\" for done", w->dialect, all[i].words);
	}
}

CASE(bits_of_an_answer_are_bounded)
{
	static const char *const whole[] = {
		"{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"result\":[{},{},{},{}]}",
		"{\"jsonrpc\":\"2.0\",\"error\":{\"code\":1002,\"message\":\"CLI command 3 of 4 "
		"'interface' failed\",\"data\":[{},{},{\"errors\":[\"Invalid input\"]}]}}",
		"{\"ins_api\":{\"outputs\":{\"output\":[{\"code\":\"200\",\"msg\":\"Success\"},"
		"{\"code\":\"400\",\"clierror\":\"% Invalid\"}]}}}",
		"{\"7\":{\"state\":\"pending\",\"transition\":{\"issue\":{},\"progress\":\"\"}}}",
		"{\"state\":\"invalid\",\"transition\":{\"issue\":{\"0\":{\"message\":\"no\"}}}}",
		"@@begin 1\n1\n@@netdev\nswp5\n@@uid\n0\n@@link\n[{\"ifname\":\"swp5\",\"flags\":["
		"\"UP\"],\"operstate\":\"UP\"}]\n@@end\n2\n",
		"{\"has\":1,\"appl\":[\"down\",\"down\"],\"qf\":[],\"t\":[1,2],\"q\":{},\"w\":"
		"null}",
	};

	for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++)
		for (size_t n = 0; n <= strlen(whole[i]); n += effort_full() ? 1 : 5) {
			/* A copy of exactly this length, so that a read behind its end is found. */
			char *cut = mem_alloc(n + 1);

			memcpy(cut, whole[i], n);
			cut[n] = '\0';
			taken_by_all(cut, n, 200, "");
			taken_by_all(cut, n, 0, cut);
			seen_by_all(cut, n, 200, VERB_COUNT, false);
			if (n > 1) {
				cut[n / 2] = '\0';
				taken_by_all(cut, n, 0, "");
				seen_by_all(cut, n, 0, VERB_COUNT, false);
			}
			free(cut);
		}
}

/* Without an exit status nothing was taken, after any output. */
CASE(no_status_is_no_yes)
{
	static const char *const texts[] = {"", "applied [rev_id: 7]\n", "{\"state\":\"applied\"}",
		"{\"jsonrpc\":\"2.0\",\"result\":[{},{},{},{}]}"};

	for (size_t i = 0; i < N_WAYS; i++)
		for (size_t k = 0; k < sizeof(texts) / sizeof(texts[0]); k++) {
			struct reply r = {.bytes = texts[k],
				.len = strlen(texts[k]),
				.status = -1,
				.complaint = ""};
			struct order o = order_of(&ways[i], VERB_PORT_DOWN);
			struct target t = target_of(&ways[i]);
			struct change_notes notes = {0};
			struct err e = {0};

			for (size_t n = 0; n < N_NAMES; n++)
				assert_int_equal(changes_of(&ways[i])->taken(
							 &t, &o, names[n], &r, &notes, &e),
					TAKEN_NO);
		}
}

/* No order names more than one port, from any caller: ranges, lists, "all". */
CASE(more_than_one_port_is_no_order)
{
	static const char *const ports[] = {"Ethernet0-3", "Ethernet1,2", "Ethernet1/1-48",
		"Ethernet1/1,Ethernet1/2", "swp1-3", "swp1,2", "all", "*", "Ethernet*", "Ethernet",
		"swp", "eth0 eth1", "-a", "", "default", "Vlan1 ", "Ethernet 1/1"};

	for (size_t i = 0; i < N_WAYS; i++)
		for (size_t k = 0; k < sizeof(ports) / sizeof(ports[0]); k++) {
			struct order o = order_of(&ways[i], VERB_PORT_DOWN);
			struct target t = target_of(&ways[i]);
			struct request_list l = {0};
			struct condition c;
			struct err e = {0};

			(void)str_copy(o.port, sizeof(o.port), ports[k]);
			/* ip(8) knows no ranges: to Linux these are names like any other. */
			if (str_eq(ways[i].dialect, "linux") && *ports[k] && *ports[k] != '-' &&
				!strpbrk(ports[k], " ,*/"))
				continue;
			/* All is well with it, says the device. */
			condition_init(&c);
			c.admin = c.oper = OPER_UP;
			c.session = c.pending = 0;
			if (changes_of(&ways[i])->command(&t, &o, &c, &l, &e))
				fail_msg("%s: %s", ways[i].dialect,
					l.at.at[0].command ? l.at.at[0].command : l.at.at[0].body);
			assert_int_equal(l.at.n, 0);
		}
}

CASES_MAIN(NULL, NULL)
