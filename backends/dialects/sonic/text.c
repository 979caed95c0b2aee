/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "backends/dialects/poll_path.h"
#include "backends/dialects/sonic/sonic.h"
#include "backends/contract/needs.h"
#include "backends/parse/first_line.h"
#include "backends/parse/frr.h"
#include "backends/parse/lag.h"
#include "backends/syslog/syslog.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/str.h"

/* Decodes SONiC's answers outside of Redis: detection, BGP, the log. */

#define SYSLOG        "/var/log/syslog"
#define BGP_WORDS     "-c \"show bgp vrf all summary json\""
#define SEGMENT_WORDS "-c \"show evpn es json\" 2>/dev/null"
#define ASICS_MOST    16 /* a chassis line card has up to 3, a fixed system up to 6 */

/* ---- detection ---- */

const char sonic_path_script[] = "C=/sys/class\n" POLL_PATH;

bool sonic_parse_path(const char *bytes, size_t len, struct obs *o)
{
	static const char mark[] = "@@via\n";
	const char *at = memmem(bytes, len, mark, sizeof(mark) - 1);

	if (at) {
		at += sizeof(mark) - 1;
		poll_path_read(at, len - (size_t)(at - bytes), TIER_LEAF, o);
	}
	return true;
}

/*
 * `sudo -l COMMAND` tells whether a command is granted and runs nothing. SONiC grants every user
 * the whole log as root, with exactly these words; -n0 needs more rights.
 */
const char sonic_detect_script[] =
	"echo zone=$(date +%z)\n"
	"p=$(sonic-db-cli CONFIG_DB HGET \"DEVICE_METADATA|localhost\" platform 2>/dev/null)\n"
	"a=$(cat /usr/share/sonic/device/$p/asic.conf /usr/share/sonic/platform/asic.conf "
	"2>/dev/null)\n"
	"echo \"$a\"\n"
	/* sudo logs each query, so it is sent only if the answer matters. */
	"case $a in *NUM_ASIC=1|*NUM_ASIC=1[!0-9]*|\"\") ;; *)\n"
	"if sudo -n -l sonic-db-cli -n asic0 PING >/dev/null 2>&1; then echo asics.sudo=yes\n"
	"else echo asics.sudo=no; fi ;; esac\n"
	"if sudo -n -l tail -n0 -F " SYSLOG " >/dev/null 2>&1; then echo log=sudo\n"
	"elif sudo -n -l tail -F " SYSLOG " >/dev/null 2>&1; then echo log=sudo-whole\n"
	"elif test -r " SYSLOG "; then echo log=plain\n"
	"else echo log=no; fi\n"
	"if sudo -n -l rvtysh " BGP_WORDS " >/dev/null 2>&1; then echo vtysh=sudo\n"
	"else echo vtysh=plain; fi\n";

void sonic_plan_detect(struct request_list *out)
{
	requests_ssh(out, "detect", sonic_detect_script, NULL)->shell = true;
}

/* Converts "NUM_ASIC=4" to "asic0 asic1 asic2 asic3"; a single ASIC has no namespace of its own. */
static void learn_asics(const char *value, struct obs *o)
{
	char names[ASICS_MOST * 8] = "";
	uint64_t n;
	size_t at = 0;

	if (!parse_leading_u64(value, strlen(value), &n) || n < 2 || n > ASICS_MOST)
		return;
	for (unsigned i = 0; i < n; i++) {
		(void)str_printf(names + at, sizeof(names) - at, "%sasic%u", i ? " " : "", i);
		at = strlen(names);
	}
	obs_fact(o, "asics", names);
}

static bool learn_line(char *line, struct obs *o)
{
	static const char *const keys[] = {"zone", "asics.sudo", "log", "vtysh"};
	char *value = strchr(line, '=');

	if (!value)
		return false;
	*value++ = '\0';
	value[strcspn(value, " \r")] = '\0';
	if (str_eq(line, "NUM_ASIC")) {
		learn_asics(value, o);
		return true;
	}
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (!str_eq(line, keys[i]))
			continue;
		obs_fact(o, keys[i], value);
		return true;
	}
	return false;
}

static const char *find_fact(const struct obs *o, const char *key)
{
	for (size_t i = 0; i < o->items.n; i++)
		if (o->items.at[i].kind == OBS_FACT &&
			str_eq(obs_text(o, o->items.at[i].text), key))
			return obs_text(o, o->items.at[i].text2);
	return "";
}

static void add_refused(struct obs *o)
{
	static const enum need_id in_asics[] = {NEED_PORT_STATE, NEED_PORT_COUNTERS, NEED_FEC,
		NEED_FEC_BINS, NEED_PRE_FEC_BER, NEED_LINK_FLAPS, NEED_PFC, NEED_PAUSE_RX,
		NEED_QUEUES, NEED_QUEUE_DROPS, NEED_ECN_MARKS, NEED_QUEUE_WATERMARKS, NEED_HEADROOM,
		NEED_PG_DROPS, NEED_ECN_CONFIG, NEED_PFC_CONFIG, NEED_QOS_MAPS, NEED_WATCHDOG,
		NEED_WATCHDOG_CONFIG, NEED_OPTICS_RX, NEED_OPTICS_TX, NEED_OPTICS_BIAS,
		NEED_OPTICS_TEMPERATURE, NEED_OPTICS_LIMITS, NEED_LLDP, NEED_HASH, NEED_POOLS,
		NEED_SCHEDULERS};

	if (*find_fact(o, "asics") && str_eq(find_fact(o, "asics.sudo"), "no"))
		for (size_t i = 0; i < sizeof(in_asics) / sizeof(in_asics[0]); i++)
			need_say(o, in_asics[i], VALID_DISABLED, SONIC_ASIC_CURE);
	if (str_eq(find_fact(o, "log"), "no"))
		need_say(o, NEED_LOG, VALID_DISABLED,
			"let the user read the log: sudo usermod -aG adm USER, then log in again");
}

bool sonic_parse_detect(
	const struct target *t, const char *bytes, size_t len, struct obs *o, struct err *err)
{
	bool any = false;

	for (size_t at = 0; at < len;) {
		const char *end = memchr(bytes + at, '\n', len - at);
		size_t n = end ? (size_t)(end - bytes) - at : len - at;
		char line[160];

		str_copyn(line, sizeof(line), bytes + at, n < sizeof(line) ? n : sizeof(line) - 1);
		any |= learn_line(line, o);
		at += n + 1;
	}
	if (!any)
		return err_set(err, ERR_PROTOCOL, t->device,
			"the shell of the switch is not a POSIX shell");
	add_refused(o);
	return true;
}

/* ---- BGP ---- */

void sonic_plan_bgp(const struct target *t, struct request_list *out)
{
	const char *vtysh =
		str_eq(facts_get(t->facts, "vtysh"), "plain") ? "vtysh" : "sudo -n rvtysh";
	const char *asics = facts_get(t->facts, "asics");
	struct buf b;

	buf_init(&b, 1024);
	if (!*asics) {
		buf_addf(&b, "%s " BGP_WORDS " 2>&1 | " FRR_BGP_FILTER, vtysh);
	} else {
		/* The routing containers are numbered, not named: asic3 is -n 3. */
		buf_addf(&b,
			"for a in %s; do echo \"" SONIC_ASIC_MARK "$a\"; %s -n ${a#asic} " BGP_WORDS
			" 2>&1 | " FRR_BGP_FILTER "; done",
			asics, vtysh);
	}
	requests_ssh(out, "bgp", b.data, NULL)->shell = true;
	buf_free(&b);
}

/* Messages about missing containers, and about missing rights for SONiC's wrapper of vtysh. */
static const struct {
	const char *word, *cure;
} bgp_refusals[] = {
	{"Docker daemon socket",
		"let the user run sudo rvtysh without a password, as SONiC's own sudoers file "
		"does"},
	{"a password is required",
		"let the user run sudo rvtysh without a password, as SONiC's own sudoers file "
		"does"},
	{"No such container", "start BGP on the switch: sudo config feature state bgp enabled"},
	{"is not running", "start BGP on the switch: sudo systemctl restart bgp"},
};

static bool read_bgp(const char *bytes, size_t len, struct obs *o)
{
	for (size_t i = 0; i < sizeof(bgp_refusals) / sizeof(bgp_refusals[0]); i++) {
		const char *word = bgp_refusals[i].word;

		if (memchr(bytes, '{', len) || !memmem(bytes, len, word, strlen(word)))
			continue;
		need_say(o, NEED_BGP, VALID_DISABLED, bgp_refusals[i].cure);
		return true;
	}
	return frr_read_bgp(bytes, len, o);
}

bool sonic_parse_bgp(
	const struct target *t, const char *bytes, size_t len, struct obs *o, struct err *err)
{
	const char *end = bytes + len, *at = bytes;
	size_t parts = 0, read = 0, whole = 0;
	char line[128];

	while (at < end) {
		const char *stop = sonic_next_part(at, end);
		const char *text = at;

		if (str_starts(at, SONIC_ASIC_MARK))
			text += strcspn(at, "\n");
		o->bgp_whole = false;
		parts++;
		read += read_bgp(text, (size_t)(stop - text), o);
		whole += o->bgp_whole;
		at = stop;
	}
	/* The sessions of an ASIC without an answer are missing. */
	o->bgp_whole = parts && whole == parts;
	if (read)
		return true;
	return err_set(err, ERR_PROTOCOL, t->device, "expected BGP sessions as JSON, got: %s",
		parse_first_line(bytes, len, line, sizeof(line)));
}

/* ---- segments of EVPN multihoming ---- */

/* A switch without bundles has none: it is not asked. */
void sonic_plan_segments(const struct target *t, struct request_list *out)
{
	const char *vtysh =
		str_eq(facts_get(t->facts, "vtysh"), "plain") ? "vtysh" : "sudo -n rvtysh";
	const char *asics = facts_get(t->facts, "asics");
	struct buf b;

	if (!str_eq(facts_get(t->facts, SONIC_FACT_BUNDLES), "yes"))
		return;
	buf_init(&b, 1024);
	if (!*asics)
		buf_addf(&b, "%s " SEGMENT_WORDS, vtysh);
	else
		buf_addf(&b,
			"for a in %s; do echo \"" SONIC_ASIC_MARK
			"$a\"; %s -n ${a#asic} " SEGMENT_WORDS "; done",
			asics, vtysh);
	requests_ssh(out, "segments", b.data, NULL)->shell = *asics != '\0';
	buf_free(&b);
}

/* True: the part has all segments of its FRR, or says that there is none. */
static bool read_segments(const char *bytes, size_t len, const char *device, struct obs *o)
{
	const char *list = len ? memchr(bytes, '[', len) : NULL;
	size_t at = 0;
	struct json_value *doc =
		list ? json_value_parse_next(list, len - (size_t)(list - bytes), &at, device, NULL)
		     : NULL;
	bool whole = doc || frr_no_segments(bytes, len);

	if (doc)
		frr_segments(doc, o);
	free(doc);
	return whole;
}

/* A release of FRR without multihoming, or a user without the right, answers with no list. */
bool sonic_parse_segments(
	const struct target *t, const char *bytes, size_t len, struct obs *o, struct err *err)
{
	const char *end = bytes + len, *at = bytes;
	bool whole = len > 0;

	(void)err;
	while (at < end) {
		const char *stop = sonic_next_part(at, end), *text = at;

		if (str_starts(at, SONIC_ASIC_MARK))
			text += strcspn(at, "\n");
		whole = read_segments(text, (size_t)(stop - text), t->device, o) && whole;
		at = stop;
	}
	/* A segment of an ASIC that did not answer is not gone. */
	if (whole)
		lag_segments_end(t, o);
	return true;
}

/* ---- the log ---- */

void sonic_plan_log(const struct target *t, struct request_list *out)
{
	const char *how = facts_get(t->facts, "log");
	const char *command = "sudo -n tail -n0 -F " SYSLOG;
	struct request *r;

	if (str_eq(how, "no"))
		return;
	if (str_eq(how, "sudo-whole"))
		command = "sudo -n tail -F " SYSLOG;
	else if (str_eq(how, "plain"))
		command = "tail -n0 -F " SYSLOG;
	r = requests_ssh(out, "log", command, NULL);
	r->follow = true;
	r->cap = (size_t)256 << 10;
}

static bool is_refused(const char *bytes, size_t len)
{
	static const char *const words[] = {"Permission denied", "password is required",
		"is not allowed to", "not in the sudoers", "terminal is required"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (memmem(bytes, len, words[i], strlen(words[i])))
			return true;
	return false;
}

bool sonic_parse_log(
	const struct target *t, const char *bytes, size_t len, struct obs *o, struct err *err)
{
	const struct syslog_opts opts = {.is_port = sonic_is_data_port,
		.bundle = "PortChannel",
		.live = true,
		.zone = facts_get(t->facts, "zone")};
	char line[128];

	if (syslog_parse(&opts, bytes, len, o) || !len) {
		need_say(o, NEED_LOG, VALID_OK, "");
		return true;
	}
	if (is_refused(bytes, len)) {
		need_say(o, NEED_LOG, VALID_DISABLED,
			"let the user read the log: sudo usermod -aG adm USER, then log in again");
		return true;
	}
	return err_set(err, ERR_PROTOCOL, t->device, "expected lines of " SYSLOG ", got: %s",
		parse_first_line(bytes, len, line, sizeof(line)));
}
