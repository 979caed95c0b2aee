/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/dialects/sonic/sonic.h"

#include <ctype.h>
#include <string.h>

#include "backends/dialects/sonic/change.h"
#include "backends/contract/needs.h"
#include "backends/parse/first_line.h"
#include "backends/parse/optics.h"
#include "base/buf.h"
#include "base/str.h"

/*
 * SONiC stores all counters in one Redis. One EVAL per poll returns the counters of all ports as
 * one JSON document, which costs the switch less than any of its `show` commands.
 */

bool sonic_is_front_panel(const char *port)
{
	return str_starts(port, "Ethernet") && isdigit((unsigned char)port[8]);
}

bool sonic_is_data_port(const char *port)
{
	return sonic_is_front_panel(port) ||
	       (str_starts(port, "Ethernet-BP") && isdigit((unsigned char)port[11]));
}

/* ---- requests ---- */

/* "3,4" */
static void priority_list(uint8_t mask, char *dst, size_t size)
{
	size_t n = 0;

	dst[0] = '\0';
	for (unsigned p = 0; p < PRIORITIES; p++)
		if (mask >> p & 1) {
			str_printf(dst + n, size - n, "%s%u", n ? "," : "", p);
			n = strlen(dst);
		}
}

/* One script in one database, run on each ASIC if there are several. */
struct script {
	const char *name, *db, *lua;
	const char *first;    /* commands before it */
	const char *remember; /* fact with its SHA1 */
	const char *piece;    /* ports of one call */
	bool of_priorities;   /* ARGV[1] is the list of lossless priorities */
	bool of_host;         /* the switch's own database is queried as well */
};

static const struct script scripts[] = {
	{"fast", "COUNTERS_DB", sonic_fast_lua, "cat /proc/sys/kernel/random/boot_id /proc/uptime",
		FACT_ASK "fast", SONIC_PIECE_FAST, true, false},
	{"optics", "STATE_DB", sonic_optics_lua, NULL, FACT_ASK "optics", SONIC_PIECE_OPTICS, false,
		false},
	{"config", "CONFIG_DB", sonic_config_lua, "cat /etc/sonic/sonic_version.yml",
		FACT_ASK "config", SONIC_PIECE_CONFIG, true, true},
	{"modules", "STATE_DB", sonic_modules_lua, NULL, FACT_ASK "modules", SONIC_PIECE_OPTICS,
		false, false},
};

static uint64_t piece_of(const struct script *s)
{
	uint64_t n = 1;

	(void)str_to_u64(s->piece, &n);
	return n;
}

/* Number of ports as the switch reported it; one piece before it has. */
static uint64_t known_ports(const struct target *t, const struct script *s)
{
	uint64_t n = 0, most = SONIC_PIECES_MOST * piece_of(s);

	(void)str_to_u64(facts_get(t->facts, SONIC_FACT_PORTS), &n);
	return n < 1 ? piece_of(s) : n < most ? n : most;
}

/* How a script is run in one database: by which client, for how many ports. */
struct call {
	const struct script *script;
	const char *client, *sha, *priorities;
	const char *asic; /* words of the mark before the index: "$a " */
	uint64_t ports;
};

/*
 * Redis keeps a script after SCRIPT LOAD, so later requests send its SHA1 only, and sudo's log
 * entries are short. $s holds the script when it is sent. A loop calls it for one piece of the
 * ports after the other. Other clients of Redis have their turn between the calls.
 */
static void add_call(struct buf *b, const struct call *c)
{
	const struct script *s = c->script;
	bool each = c->ports > piece_of(s);

	if (each) {
		buf_adds(b, "for i in");
		for (uint64_t from = 0; from < c->ports; from += piece_of(s))
			buf_addf(b, " %llu", (unsigned long long)from);
		buf_addf(b, "; do echo \"" SONIC_ASIC_MARK "%s$i\"; ", c->asic);
	} else if (*c->asic) {
		buf_addf(b, "echo \"" SONIC_ASIC_MARK "%s0\"; ", c->asic);
	}
	buf_addf(b, "%s %s EVAL%s%s 0 %s %s 2>&1%s", c->client, s->db, *c->sha ? "SHA " : " \"$s\"",
		c->sha, c->priorities, each ? "$i" : "0", each ? "; done" : "");
	if (!*c->sha)
		buf_addf(b, "; %s %s SCRIPT LOAD \"$s\" 2>&1", c->client, s->db);
}

static void plan_script(const struct target *t, const struct script *s, struct request_list *out)
{
	const char *asics = facts_get(t->facts, "asics");
	const char *sha = facts_get(t->facts, s->remember);
	bool many = *asics && !str_eq(facts_get(t->facts, "asics.sudo"), "no");
	char priorities[2 * PRIORITIES + 1];
	struct call c = {.script = s,
		.client = "sonic-db-cli",
		.sha = sha,
		.priorities = priorities,
		.asic = "",
		.ports = many ? 0 : known_ports(t, s)};
	struct buf b;

	priority_list(s->of_priorities ? t->lossless : 0, priorities, sizeof(priorities));
	if (!*priorities)
		(void)str_copy(priorities, sizeof(priorities), "none");
	buf_init(&b, 32768);
	if (s->first)
		buf_addf(&b, "%s; ", s->first);
	if (!*sha) /* not by a format: with such a long text that costs more than decoding the
		      answer */
		(void)(buf_adds(&b, "s=\"") && buf_adds(&b, s->lua) && buf_adds(&b, "\"; "));
	if (!many || s->of_host)
		add_call(&b, &c);
	if (many) {
		c.client = "sudo -n sonic-db-cli -n $a";
		c.asic = "$a ";
		c.ports = known_ports(t, s);
		buf_addf(&b, "%sfor a in %s; do ", s->of_host ? "; " : "", asics);
		add_call(&b, &c);
		buf_adds(&b, "; done");
	}
	requests_ssh(out, s->name, b.data, NULL)->shell = true;
	buf_free(&b);
}

static const struct script *script_of(const char *request)
{
	for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++)
		if (str_eq(request, scripts[i].name))
			return &scripts[i];
	return NULL;
}

static bool sonic_plan(
	const struct target *t, enum poll_tier tier, struct request_list *out, struct err *err)
{
	(void)err;
	switch (tier) {
	case POLL_DETECT:
		sonic_plan_detect(out);
		break;
	case POLL_FAST:
		plan_script(t, &scripts[0], out);
		break;
	case POLL_MEDIUM:
		plan_script(t, &scripts[1], out);
		sonic_plan_bgp(t, out);
		sonic_plan_segments(t, out);
		break;
	case POLL_SLOW:
		plan_script(t, &scripts[2], out);
		plan_script(t, &scripts[3], out);
		requests_ssh(out, "path", sonic_path_script, NULL)->shell = true;
		requests_ssh(out, "stations", SONIC_STATIONS, NULL)->shell = true;
		break;
	case POLL_EVENTS:
		sonic_plan_log(t, out);
		break;
	default:
		break;
	}
	return true;
}

static int sonic_score(const char *text, size_t len)
{
	if (memmem(text, len, "build_version:", 14) && memmem(text, len, "SONiC", 5))
		return 100;
	if (memmem(text, len, "sonic_os_version", 16) || memmem(text, len, "SONiC Software", 14))
		return 95;
	return memmem(text, len, "SONiC", 5) ? 60 : 0;
}

/* ---- answers ---- */

#define DATABASE_CURE                                                                              \
	"Redis does not answer on the switch: see docker ps and systemctl status database"

/* Messages of the shell, sonic-db-cli or Redis in place of a reply, with the cure. */
static const struct {
	const char *needle;
	enum err_code code;
	const char *cure;
} complaints[] = {
	{"password is required", ERR_UNAUTHORISED, SONIC_ASIC_CURE},
	{"is not allowed to", ERR_UNAUTHORISED, SONIC_ASIC_CURE},
	{"Permission denied", ERR_UNAUTHORISED,
		"let the user read Redis on the switch: sudo usermod -aG redis USER, then log in "
		"again"},
	{"NOAUTH", ERR_UNAUTHORISED,
		"let the user read Redis on the switch: sudo usermod -aG redis USER, then log in "
		"again"},
	/* Before "No such file", because that also occurs when the socket is gone. */
	{"connect to", ERR_PROTOCOL, DATABASE_CURE},
	{"config file doesn't exist", ERR_PROTOCOL, DATABASE_CURE},
	{"not found", ERR_UNSUPPORTED,
		"check that it is a SONiC switch, or correct its dialect: in fabric.yaml"},
	{"No such file", ERR_UNSUPPORTED,
		"check that it is a SONiC switch, or correct its dialect: in fabric.yaml"},
	{"onnect", ERR_PROTOCOL, DATABASE_CURE},
	{"not a valid namespace", ERR_PROTOCOL,
		"the switch does not know this ASIC: see show platform summary"},
	{"oading the dataset", ERR_PROTOCOL,
		"Redis is loading its data: wait for the switch to finish booting"},
	{"BUSY", ERR_PROTOCOL,
		"another script blocks Redis: wait for its end, or use redis-cli script kill"},
	{"No matching script", ERR_PROTOCOL,
		"Redis forgot the script: the next poll sends it again"},
	{"NOSCRIPT", ERR_PROTOCOL, "Redis forgot the script: the next poll sends it again"},
	{"nvalid option", ERR_UNSUPPORTED, "the sonic-db-cli of this release is too old for EVAL"},
	{"nknown option", ERR_UNSUPPORTED, "the sonic-db-cli of this release is too old for EVAL"},
};

/* The last line; the lines before it are answers of the other commands. */
static const char *last_line(const char *bytes, size_t len, size_t *n)
{
	const char *before;
	size_t start;

	while (len && (unsigned char)bytes[len - 1] <= ' ')
		len--;
	before = len ? memrchr(bytes, '\n', len) : NULL;
	start = before ? (size_t)(before + 1 - bytes) : 0;
	*n = len - start;
	return bytes + start;
}

/* Reports the error and the cure for a reply that is not JSON at all. */
bool sonic_explain(const char *bytes, size_t len, const char *device, struct err *err)
{
	char line[128];
	size_t n;
	const char *last = last_line(bytes, len, &n);

	err_set(err, ERR_PROTOCOL, device, "expected a Redis reply, got: %s",
		parse_first_line(last, n, line, sizeof(line)));
	for (size_t i = 0; err && i < sizeof(complaints) / sizeof(complaints[0]); i++) {
		if (!memmem(bytes, len, complaints[i].needle, strlen(complaints[i].needle)))
			continue;
		err->code = complaints[i].code;
		err_cure(err, "%s", complaints[i].cure);
		break;
	}
	return false;
}

/* build_version: 'SONiC.202405.1' */
static void parse_version(char *value, struct obs *o)
{
	value += strspn(value, " '\"");
	value[strcspn(value, "'\"\r")] = '\0';
	obs_word(o, OBS_NO_PORT, ATTR_OS_VERSION, 0, value);
}

static bool take_time(uint64_t s, uint64_t us, struct obs *o)
{
	if (s >= 1ull << 40 || us >= 1000000)
		return false;
	o->device_us = (int64_t)(s * 1000000 + us);
	return true;
}

/* True: the line has the uptime of the switch. */
static bool parse_preamble_line(char *text, struct obs *o)
{
	double uptime;

	text[strcspn(text, "\r")] = '\0';

	if (strspn(text, "0123456789abcdef-") == 36 && text[36] == '\0')
		obs_word(o, OBS_NO_PORT, ATTR_BOOT_ID, 0, text);
	else if (str_starts(text, "build_version:"))
		parse_version(text + strlen("build_version:"), o);
	else if (strchr(text, '.') && strspn(text, "0123456789. ") == strlen(text) &&
		 parse_real(text, strcspn(text, " "), &uptime) == NUMBER_OK) {
		obs_number(o, OBS_NO_PORT, ATTR_UPTIME_S, 0, uptime);
		need_say(o, NEED_UPTIME, VALID_OK, "");
		return true;
	}
	return false;
}

/* "6915020.27 1037253039.96": uptime and idle time. Each has its dot, so both keep their form. */
static void uptime_slots(struct number_positions *s, const char *line, const char *end)
{
	size_t up = position_length(POSITION_WORD, line, end);
	const char *idle = line + up + (line + up < end);

	if (!s)
		return;
	positions_word(s, line, up, SONIC_UPTIME, true);
	positions_word(s, idle, position_length(POSITION_WORD, idle, end), SONIC_IDLE, false);
}

bool sonic_tell(const struct position_word words[POSITION_WORDS], struct obs *o)
{
	const struct position_word *s = &words[SONIC_SECONDS], *us = &words[SONIC_MICROSECONDS];
	const struct position_word *up = &words[SONIC_UPTIME];
	double uptime;

	if (!s->n || s->n > POSITION_DIGITS || memchr(s->at, '.', s->n) || !us->n ||
		us->n > POSITION_DIGITS || memchr(us->at, '.', us->n) ||
		!take_time(position_number(s->at, s->n), position_number(us->at, us->n), o))
		return false;
	if (!up->n)
		return true;
	if (!memchr(up->at, '.', up->n) || parse_real(up->at, up->n, &uptime) != NUMBER_OK)
		return false;
	obs_number(o, OBS_NO_PORT, ATTR_UPTIME_S, 0, uptime);
	return true;
}

/* Lines before the reply: boot id, uptime or version, and possible output of a login. */
static void parse_preamble(const struct target *t, const char *bytes, size_t len, struct obs *o)
{
	for (size_t at = 0; at < len && bytes[at] != '{';) {
		const char *line = bytes + at;
		const char *end = memchr(line, '\n', len - at);
		size_t n = end ? (size_t)(end - line) : len - at;
		char text[160];

		str_copyn(text, sizeof(text), line, n < sizeof(text) ? n : sizeof(text) - 1);
		/* A truncated line would be truncated elsewhere after a number grows. */
		if (parse_preamble_line(text, o) && n < sizeof(text) - POSITION_TEXT_MOST)
			uptime_slots(t->slots, line, line + n);
		at += n + 1;
	}
}

void sonic_parse_time(const struct json_value *t, struct obs *o)
{
	uint64_t s, us;

	if (o->device_us)
		return;
	if (json_value_u64(json_value_at(t, 0), &s) && json_value_u64(json_value_at(t, 1), &us))
		(void)take_time(s, us, o);
}

/* ---- the answers of one script: one reply per ASIC ---- */

static const struct {
	const char *name;
	bool (*parse)(const struct target *t, const struct json_value *doc, struct obs *o,
		struct err *err);
} replies[] = {
	{"optics", sonic_parse_optics},
	{"config", sonic_parse_config},
	{"modules", sonic_parse_modules},
};

struct reading {
	const struct target *t;
	const char *request;
	const struct script *script; /* NULL: none of ours */
	struct obs *o;
	size_t read;        /* replies that were decoded */
	uint64_t ports;     /* the largest number of ports that a reply reported */
	uint64_t asked;     /* ports that the calls of this answer had room for */
	struct err trouble; /* error of a reply that was not decoded */
};

/* Stores the SHA1 that SCRIPT LOAD printed, if it is the one of our script. */
static void learn_sha(const struct script *s, const char *bytes, size_t len, struct obs *o)
{
	char sha[SONIC_SHA_SIZE];
	size_t n;
	const char *line = last_line(bytes, len, &n);

	if (s && n == sizeof(sha) - 1 && sonic_script_sha(s->lua, sha) && memcmp(line, sha, n) == 0)
		obs_fact(o, s->remember, sha);
}

bool sonic_no_ports(const struct target *t, const char *request, struct err *err)
{
	return err_set(err, ERR_PROTOCOL, t->device, "the reply to \"%s\" has no ports", request);
}

void sonic_note_ports(const struct json_value *n, uint64_t *most)
{
	uint64_t ports;

	if (json_value_u64(n, &ports) && ports > *most)
		*most = ports;
}

static bool parse_reply(struct reading *r, const struct json_value *doc, struct err *err)
{
	sonic_note_ports(json_value_get(doc, "n"), &r->ports);
	if (!json_value_is(json_value_get(doc, "ports"), DV_OBJECT))
		return sonic_no_ports(r->t, r->request, err);
	sonic_parse_time(json_value_get(doc, "t"), r->o);
	for (size_t i = 0; i < sizeof(replies) / sizeof(replies[0]); i++)
		if (str_eq(r->request, replies[i].name))
			return replies[i].parse(r->t, doc, r->o, err);
	return err_set(err, ERR_INTERNAL, r->t->device, "sonic has no request \"%s\"", r->request);
}

/*
 * The counters of all ports are decoded as a stream; the other replies are small enough for a tree.
 */
static bool read_reply(struct reading *r, const char *bytes, size_t len, struct err *err)
{
	struct json_value *doc;
	bool ok;

	if (str_eq(r->request, scripts[0].name))
		return sonic_read_fast(r->t, bytes, len, r->o, &r->ports, err);
	doc = json_value_parse(bytes, len, r->t->device, err);
	ok = doc && parse_reply(r, doc, err);
	free(doc);
	return ok;
}

/* Decodes the answer of one ASIC, or of the whole switch. */
static void parse_part(struct reading *r, const char *bytes, size_t len)
{
	struct err err = {0};

	if (read_reply(r, bytes, len, &err)) {
		r->read++;
		learn_sha(r->script, bytes, len, r->o);
		return;
	}
	if (!memchr(bytes, '{', len))
		(void)sonic_explain(bytes, len, r->t->device, &err);
	r->trouble = err;
}

/* '@' is rare in an answer. */
const char *sonic_next_part(const char *at, const char *end)
{
	static const char mark[] = SONIC_ASIC_MARK;
	const size_t n = sizeof(mark) - 1;

	while (at < end && (at = memchr(at + 1, '@', (size_t)(end - at - 1))))
		if (at[-1] == '\n' && (size_t)(end - at) >= n && memcmp(at, mark, n) == 0)
			return at;
	return end;
}

/* Keeps the decoded replies; a missing part is reported beside them. */
static bool finish_reading(struct reading *r, struct err *err)
{
	bool refused = str_eq(facts_get(r->t->facts, "asics.sudo"), "no") &&
		       *facts_get(r->t->facts, "asics");

	if (!r->read) {
		if (err)
			*err = r->trouble;
		return false;
	}
	if (r->trouble.code != ERR_NONE)
		r->o->err = r->trouble;
	if (str_eq(r->request, "fast")) {
		sonic_fast_needs(r->t, r->o);
		/* Of ports beyond the last piece nothing is known: they are not gone. */
		if (r->trouble.code == ERR_NONE && !refused &&
			(!r->script || r->ports <= SONIC_PIECES_MOST * piece_of(r->script)))
			obs_port_list(r->o);
	} else if (str_eq(r->request, "optics")) {
		needs_report(r->o, optics_needs, optics_needs_count);
		optics_report_vdm(r->o, "no module has it, or the release is older than 202505");
	}
	if (r->o->ports.n || !str_eq(r->request, "fast") || r->trouble.code != ERR_NONE)
		return true;
	err_set(&r->o->err, refused ? ERR_UNAUTHORISED : ERR_PROTOCOL, r->t->device,
		"COUNTERS_PORT_NAME_MAP has no ports");
	err_cure(&r->o->err, "%s",
		refused ? SONIC_ASIC_CURE
			: "syncd is starting or stopped: docker logs syncd on the switch");
	return true;
}

/*
 * "NOSCRIPT No matching script"; sonic-db-cli before 2022 drops the first word. A port's
 * description may quote it, but an answer with ports has a brace.
 */
static bool has_no_script(const char *bytes, size_t len)
{
	return !memchr(bytes, '{', len) &&
	       (memmem(bytes, len, "NOSCRIPT", strlen("NOSCRIPT")) ||
		       memmem(bytes, len, "No matching script", strlen("No matching script")));
}

/*
 * Redis lost the script (it was restarted): forget the SHA1 and send the request again with the
 * script.
 */
static bool is_forgotten(const struct reading *r, const char *bytes, size_t len)
{
	const char *end = bytes + len, *stop;
	bool lost = false;

	if (!r->script || !*facts_get(r->t->facts, r->script->remember))
		return false;
	for (const char *at = bytes; at < end && !lost; at = stop) {
		stop = sonic_next_part(at, end);
		lost = has_no_script(at, (size_t)(stop - at));
	}
	if (!lost)
		return false;
	obs_fact(r->o, r->script->remember, "");
	r->o->again = true;
	return true;
}

/*
 * Notes which ports a call was for, from the line before its answer: "@asic 16", "@asic asic0 16".
 * The facts do not tell: another answer may have taught the number since this one was asked.
 */
static void note_piece(struct reading *r, const char *line, const char *end)
{
	size_t n = strcspn(line, "\n"), word;
	char number[24];
	uint64_t from = 0;

	if (!r->script)
		return;
	if (n > (size_t)(end - line))
		n = (size_t)(end - line);
	for (word = n; word && line[word - 1] != ' ';)
		word--;
	if (str_starts(line, SONIC_ASIC_MARK) &&
		str_copyn(number, sizeof(number), line + word, n - word))
		(void)str_to_u64(number, &from);
	if (from <= SONIC_PIECES_MOST * piece_of(r->script) &&
		from + piece_of(r->script) > r->asked)
		r->asked = from + piece_of(r->script);
}

/*
 * The switch has more ports than were asked for: asks again, for all of them. A part of the ports
 * is no answer, because the others would look like removed ones.
 */
static bool is_too_short(const struct reading *r)
{
	char text[24];
	uint64_t most = r->script ? SONIC_PIECES_MOST * piece_of(r->script) : 0;

	if (!r->ports || !r->script)
		return false;
	(void)str_printf(text, sizeof(text), "%llu", (unsigned long long)r->ports);
	if (!str_eq(facts_get(r->t->facts, SONIC_FACT_PORTS), text))
		obs_fact(r->o, SONIC_FACT_PORTS, text);
	/* An answer that broke off is no short question. */
	return r->trouble.code == ERR_NONE && r->ports > r->asked && r->asked < most;
}

/*
 * Whether a reply precedes the first mark: the switch's own, before those of its ASICs ("@asic
 * asic0 0"). Where the switch itself is asked in pieces ("@asic 0") only the preamble does.
 */
static bool has_own_reply(
	const struct reading *r, const char *bytes, const char *mark, const char *end)
{
	const size_t n = strlen(SONIC_ASIC_MARK);

	if (mark == end || str_starts(bytes, SONIC_ASIC_MARK))
		return true;
	return r->script && r->script->of_host &&
	       !((size_t)(end - mark) > n && mark[n] >= '0' && mark[n] <= '9');
}

static bool parse_script(const struct target *t, const char *request, const char *bytes, size_t len,
	struct obs *o, struct err *err)
{
	struct reading r = {.t = t, .request = request, .script = script_of(request), .o = o};
	const char *end = bytes + len;
	const char *at = bytes, *stop = sonic_next_part(bytes, end);
	struct obs_mark mark = obs_mark(o);

	parse_preamble(t, bytes, len, o);
	if (is_forgotten(&r, bytes, len))
		return true;
	if (has_own_reply(&r, bytes, stop, end))
		parse_part(&r, at, (size_t)(stop - at));
	note_piece(&r, bytes, end);
	while (stop < end) {
		note_piece(&r, stop, end);
		at = stop + strcspn(stop, "\n");
		stop = sonic_next_part(at, end);
		parse_part(&r, at, (size_t)(stop - at));
	}
	if (is_too_short(&r)) {
		obs_rewind(o, &mark);
		(void)is_too_short(&r); /* the fact again */
		o->again = true;
		return true;
	}
	return finish_reading(&r, err);
}

/*
 * Redis keeps a script longer than a connection lasts. So a script of each poll is sent only to a
 * Redis that reports it as missing. Then the first answer has the same form as the later ones, and
 * the same request text.
 */
static void assume_script(struct obs *o)
{
	char sha[SONIC_SHA_SIZE];

	if (sonic_script_sha(scripts[0].lua, sha))
		obs_fact(o, scripts[0].remember, sha);
}

static bool parse_detect(
	const struct target *t, const char *bytes, size_t len, struct obs *o, struct err *err)
{
	if (!sonic_parse_detect(t, bytes, len, o, err))
		return false;
	assume_script(o);
	return true;
}

static bool sonic_parse(const struct target *t, const char *request, const char *bytes, size_t len,
	struct obs *o, struct err *err)
{
	if (str_eq(request, "detect"))
		return parse_detect(t, bytes, len, o, err);
	if (str_eq(request, "path"))
		return sonic_parse_path(bytes, len, o);
	if (str_eq(request, "stations"))
		return sonic_parse_stations(t, bytes, len, o);
	if (str_eq(request, "bgp"))
		return sonic_parse_bgp(t, bytes, len, o, err);
	if (str_eq(request, "segments"))
		return sonic_parse_segments(t, bytes, len, o, err);
	if (str_eq(request, "log"))
		return sonic_parse_log(t, bytes, len, o, err);
	return parse_script(t, request, bytes, len, o, err);
}

const struct backend_ops backend_sonic = {
	.name = "sonic",
	.title = "SONiC (Redis over SSH)",
	.transports = 1u << TRANSPORT_SSH,
	.probe = "cat /etc/sonic/sonic_version.yml 2>/dev/null || uname -a",
	.score = sonic_score,
	.plan = sonic_plan,
	.parse = sonic_parse,
	.reads = sonic_reads,
	.medium_may_wait = true,
	.changes = &sonic_changes,
};
