/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "archive/notice/body_private.h"
#include "base/clock.h"
#include "base/str.h"

/* ---- a webhook, and the standard input of a command ---- */

bool body_webhook(const struct body_facts *f, struct buf *out, struct err *err)
{
	json_t *o = json_object(), *finding = f->json ? json_loads(f->json, 0, NULL) : NULL;
	char text[1024], line[BODY_LINE + 200];
	const struct notice *n = f->n;

	json_put(o, "schema", json_integer(BODY_SCHEMA));
	json_put(o, "tool", json_pack("{s:s, s:s}", "name", "railtop", "version", f->version));
	json_put(o, "event", json_string(message_kind_name(f->kind)));
	json_put(o, "key", json_text(n->key));
	json_put(o, "fabric", json_text(f->fabric));
	json_put(o, "id", json_text(n->id));
	json_put(o, "severity", json_string(body_severity(f->severity)));
	json_put(o, "role", json_text_or_null(n->role));
	json_put(o, "summary", json_text(body_line(f, line, sizeof(line))));
	json_put(o, "place", json_text_or_null(n->place));
	json_put(o, "peer", json_text_or_null(n->peer));
	json_put(o, "device", json_text_or_null(n->device));
	json_put(o, "port", json_text_or_null(n->port));
	json_put(o, "counts", body_counts(n));
	json_put(o, "onset", json_wall_or_null(n->onset_us));
	json_put(o, "opened", json_wall_or_null(n->opened_us));
	json_put(o, "time", json_wall_or_null(f->now_us));
	json_put(o, "acknowledged",
		n->acked ? json_pack("{s:o, s:o}", "user", json_text_or_null(n->ack_user), "note",
				   json_text_or_null(n->ack_note))
			 : json_null());
	json_put(o, "why", json_text_or_null(f->why));
	json_put(o, "verdict", json_text_or_null(f->verdict));
	json_put(o, "runbook", json_text_or_null(n->runbook));
	json_put(o, "runbook_url", json_text_or_null(body_runbook(f, text, sizeof(text))));
	json_put(o, "link", json_text_or_null(body_link(f, text, sizeof(text))));
	json_put(o, "console", json_text_or_null(body_console(f, text, sizeof(text))));
	json_put(o, "next_command", json_text_or_null(n->command));
	json_put(o, "finding", finding ? finding : json_null());
	return body_write(o, f, out, err);
}

/* ---- syslog ---- */

/* RFC 5424, 6.3.3: '"', '\' and ']' are escaped. Other bytes are printable ASCII here. */
static bool add_param(struct buf *out, const char *name, const char *value)
{
	bool ok = buf_addf(out, " %s=\"", name);

	for (; *value && ok; value++) {
		char c = *value;

		if (c == '"' || c == '\\' || c == ']')
			ok = buf_add(out, "\\", 1);
		if (c < ' ' || c > '~')
			c = '?';
		ok = ok && buf_add(out, &c, 1);
	}
	return ok && buf_add(out, "\"", 1);
}

/* A word of the header: printable ASCII without blanks, at most size - 1; "-": nothing. */
static char *header_word(const char *s, char *dst, size_t size)
{
	size_t n = 0;

	for (; *s && n + 1 < size; s++)
		if (*s > ' ' && *s <= '~')
			dst[n++] = *s;
	if (!n && size > 1)
		dst[n++] = '-';
	dst[n] = '\0';
	return dst;
}

/* RFC 5424, 6.2.1: critical 2, warning 4, notice 5, informational 6. */
static unsigned syslog_severity(const struct body_facts *f)
{
	if (f->kind == MESSAGE_RESOLVE || f->kind == MESSAGE_ACKNOWLEDGE)
		return 5;
	return f->severity == SEV_CRIT ? 2 : f->severity == SEV_WARN ? 4 : 6;
}

bool body_syslog(const struct body_facts *f, const char *host, long pid, struct buf *out)
{
	char time[40], name[256], id[33], number[16], line[BODY_LINE + 200];
	const struct notice *n = f->n;
	bool ok;

	ok = buf_addf(out, "<%u>1 %s %s railtop %ld %s [railtop@32473",
		f->to->facility * 8 + syslog_severity(f), body_time(f->now_us, time, sizeof(time)),
		header_word(host, name, sizeof(name)), pid, header_word(n->id, id, sizeof(id)));
	ok = ok && add_param(out, "event", message_kind_name(f->kind)) &&
	     add_param(out, "key", n->key) && add_param(out, "fabric", f->fabric) &&
	     add_param(out, "severity", body_severity(f->severity)) &&
	     add_param(out, "place", n->place);
	(void)str_printf(number, sizeof(number), "%u", n->victims);
	ok = ok && add_param(out, "victims", number);
	(void)str_printf(number, sizeof(number), "%u", n->follows);
	ok = ok && add_param(out, "follows", number) && buf_adds(out, "] ");
	(void)body_line(f, line, sizeof(line));
	/* Without a byte order mark the text must be ASCII: RFC 5424, 6.4. */
	for (char *c = line; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
	return ok && buf_adds(out, line);
}
