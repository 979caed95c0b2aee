/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/collector/verbatim_capture.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

/*
 * Returns the question as an operator would type it. The login belongs to the transport and is not
 * included.
 */
static char *request_text(const struct request *r)
{
	struct buf b;

	buf_init(&b, RAW_ASKED_MOST);
	if (r->forward_port)
		(void)buf_addf(&b, "localhost:%u", (unsigned)r->forward_port);
	else if (r->path)
		(void)buf_addf(&b, "%s %s", r->method ? r->method : "GET", r->path);
	else
		(void)buf_adds(&b, r->command ? r->command : r->name);
	/* Text that does not fit is cut: the command comes first. */
	if (r->path && r->body)
		(void)(buf_adds(&b, "\n") && buf_adds(&b, r->body));
	else if (!r->path && r->input)
		(void)(buf_adds(&b, "\n") && buf_adds(&b, r->input));
	return buf_take(&b, NULL);
}

void raw_keep(struct obs *o, const struct request *r, const char *bytes, size_t len)
{
	char note[96] = "";
	size_t kept = len, more;

	if (len > RAW_MOST) {
		(void)str_printf(note, sizeof(note),
			"\n[cut here: %zu of %zu bytes are left out]\n",
			len - (RAW_MOST - sizeof(note)), len);
		kept = RAW_MOST - sizeof(note);
	}
	more = strlen(note);
	free(o->raw);
	free(o->asked);
	o->raw = mem_alloc(kept + more + 1);
	memcpy(o->raw, bytes, kept);
	memcpy(o->raw + kept, note, more + 1);
	o->raw_len = kept + more;
	o->asked = request_text(r);
}
