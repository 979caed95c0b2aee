/* SPDX-License-Identifier: Apache-2.0 */
#include "app/output/ticket_words_json.h"

#include <stdlib.h>

#include <jansson.h>

#include "base/mem.h"

#define TICKET_MAX ((size_t)256 << 20)

struct ticket_words {
	json_t *ticket;
};

struct ticket_words *ticket_words_of(struct rts *r)
{
	struct ticket_words *w = NULL;
	struct buf text;
	json_t *ticket = NULL;

	buf_init(&text, TICKET_MAX);
	if (rts_part(r, "ticket.json", &text, NULL) && text.len)
		ticket = json_loadb(text.data, text.len, 0, NULL);
	buf_free(&text);
	if (ticket) {
		w = mem_calloc(1, sizeof(*w));
		w->ticket = ticket;
	}
	return w;
}

void ticket_words_free(struct ticket_words *w)
{
	if (!w)
		return;
	json_decref(w->ticket);
	free(w);
}

static void take_word(const json_t *from, const char *key, const char **word)
{
	const char *text = json_string_value(json_object_get(from, key));

	if (text && text[0])
		*word = text;
}

void ticket_words_take(const struct ticket_words *w, bool has_reason, bool has_incident,
	struct bundle_about *about)
{
	const json_t *who;

	if (!w)
		return;
	who = json_object_get(w->ticket, "operator");
	take_word(who, "user", &about->user);
	take_word(who, "host", &about->host);
	take_word(w->ticket, "mode", &about->mode);
	take_word(w->ticket, "config_sha256", &about->config_sha256);
	if (!has_reason)
		take_word(w->ticket, "reason", &about->reason);
	if (!has_incident)
		take_word(w->ticket, "incident", &about->incident);
}
