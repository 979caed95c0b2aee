/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/dialect_sonic.h"

#include <ctype.h>
#include <string.h>

#include "base/buf.h"
#include "base/str.h"

/*
 * SONiC keeps everything it counts in one Redis: a single EVAL a poll gives all ports' counters as
 * one JSON document, cheaper for the switch than any of its `show` commands.
 */

int sonic_field(const json_t *fields, const char *name)
{
	const json_t *v;
	size_t i;

	json_array_foreach((json_t *)fields, i, v)
	{
		if (str_eq(pj_text(v), name))
			return (int)i;
	}
	return -1;
}

const json_t *sonic_value(const json_t *fields, const json_t *row, const char *name)
{
	int i = sonic_field(fields, name);

	return i < 0 ? NULL : pj_at(row, (size_t)i);
}

bool sonic_is_front_panel(const char *port)
{
	return str_starts(port, "Ethernet") && isdigit((unsigned char)port[8]);
}

static void eval_command(struct buf *b, const char *db, const char *lua, const char *arg)
{
	buf_addf(b, "sonic-db-cli %s EVAL \"%s\" 0%s%s", db, lua, *arg ? " " : "", arg);
}

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

static bool sonic_plan(
	const struct target *t, enum poll_tier tier, struct request_list *out, struct err *err)
{
	struct buf b;
	char priorities[2 * PRIORITIES + 1];

	(void)err;
	buf_init(&b, 32768);
	priority_list(t->lossless, priorities, sizeof(priorities));
	if (tier == POLL_FAST) {
		buf_adds(&b, "cat /proc/sys/kernel/random/boot_id /proc/uptime; ");
		eval_command(&b, "COUNTERS_DB", sonic_fast_lua, priorities);
		requests_ssh(out, "fast", b.data, NULL);
	} else if (tier == POLL_MEDIUM) {
		eval_command(&b, "STATE_DB", sonic_optics_lua, "");
		requests_ssh(out, "optics", b.data, NULL);
	} else if (tier == POLL_SLOW) {
		buf_adds(&b, "cat /etc/sonic/sonic_version.yml; ");
		eval_command(&b, "CONFIG_DB", sonic_config_lua, "");
		requests_ssh(out, "config", b.data, NULL);
	}
	buf_free(&b);
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

/* What the shell, sonic-db-cli or Redis print instead of a reply, and what helps. */
static const struct {
	const char *needle;
	enum err_code code;
	const char *cure;
} complaints[] = {
	{"Permission denied", ERR_UNAUTHORISED,
		"let the user read Redis on the switch: sudo usermod -aG redis USER, then log in "
		"again"},
	{"NOAUTH", ERR_UNAUTHORISED,
		"let the user read Redis on the switch: sudo usermod -aG redis USER, then log in "
		"again"},
	{"not found", ERR_UNSUPPORTED,
		"is this a SONiC switch? If not, correct its dialect: in fabric.yaml"},
	{"No such file", ERR_UNSUPPORTED,
		"is this a SONiC switch? If not, correct its dialect: in fabric.yaml"},
	{"onnect", ERR_PROTOCOL,
		"Redis does not answer on the switch: see docker ps and systemctl status database"},
	{"LOADING", ERR_PROTOCOL,
		"Redis is loading its data: wait for the switch to finish booting"},
	{"BUSY", ERR_PROTOCOL,
		"another script holds Redis: it frees itself, or redis-cli script kill"},
	{"NOSCRIPT", ERR_PROTOCOL, "Redis forgot the script: the next poll sends it again"},
	{"nvalid option", ERR_UNSUPPORTED, "the sonic-db-cli of this release is too old for EVAL"},
	{"nknown option", ERR_UNSUPPORTED, "the sonic-db-cli of this release is too old for EVAL"},
};

/* The last line: what went before it are the answers of the other commands. */
static const char *last_line(const char *bytes, size_t len, size_t *n)
{
	size_t start;

	while (len && (unsigned char)bytes[len - 1] <= ' ')
		len--;
	for (start = len; start && bytes[start - 1] != '\n';)
		start--;
	*n = len - start;
	return bytes + start;
}

/* A reply that is no JSON at all: says what it was and what helps. */
static bool explain(const char *bytes, size_t len, const char *device, struct err *err)
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

static void parse_preamble_line(char *text, struct obs *o)
{
	double uptime;

	if (strspn(text, "0123456789abcdef-") == 36 && text[36] == '\0')
		obs_word(o, OBS_NO_PORT, ATTR_BOOT_ID, 0, text);
	else if (str_starts(text, "build_version:"))
		parse_version(text + strlen("build_version:"), o);
	else if (strchr(text, '.') && strspn(text, "0123456789. ") == strlen(text) &&
		 parse_real(text, strcspn(text, " "), &uptime) == NUMBER_OK)
		obs_number(o, OBS_NO_PORT, ATTR_UPTIME_S, 0, uptime);
}

/* Lines before the reply: boot id, uptime or version, and whatever a login prints. */
static void parse_preamble(const char *bytes, size_t len, struct obs *o)
{
	for (size_t at = 0; at < len && bytes[at] != '{';) {
		const char *line = bytes + at;
		const char *end = memchr(line, '\n', len - at);
		size_t n = end ? (size_t)(end - line) : len - at;
		char text[160];

		str_copyn(text, sizeof(text), line, n < sizeof(text) ? n : sizeof(text) - 1);
		parse_preamble_line(text, o);
		at += n + 1;
	}
}

static void parse_time(const json_t *t, struct obs *o)
{
	uint64_t s, us;

	if (pj_u64(pj_at(t, 0), &s) && pj_u64(pj_at(t, 1), &us) && s < 1ull << 40 && us < 1000000)
		o->device_us = (int64_t)(s * 1000000 + us);
}

static bool sonic_parse(const struct target *t, const char *request, const char *bytes, size_t len,
	struct obs *o, struct err *err)
{
	json_t *doc = parse_json(bytes, len, t->device, err);
	bool ok = false;

	if (!doc)
		return memchr(bytes, '{', len) ? false : explain(bytes, len, t->device, err);
	if (!json_is_object(pj_get(doc, "ports"))) {
		err_set(err, ERR_PROTOCOL, t->device, "the reply to \"%s\" has no ports", request);
		json_decref(doc);
		return false;
	}
	parse_preamble(bytes, len, o);
	parse_time(pj_get(doc, "t"), o);
	if (str_eq(request, "fast"))
		ok = sonic_parse_fast(t, doc, o, err);
	else if (str_eq(request, "optics"))
		ok = sonic_parse_optics(t, doc, o, err);
	else if (str_eq(request, "config"))
		ok = sonic_parse_config(t, doc, o, err);
	else
		err_set(err, ERR_INTERNAL, t->device, "sonic has no request \"%s\"", request);
	json_decref(doc);
	return ok;
}

const struct backend_ops backend_sonic = {
	.name = "sonic",
	.title = "SONiC (Redis over SSH)",
	.transports = 1u << TRANSPORT_SSH,
	.probe = "cat /etc/sonic/sonic_version.yml 2>/dev/null || uname -a",
	.score = sonic_score,
	.plan = sonic_plan,
	.parse = sonic_parse,
};
