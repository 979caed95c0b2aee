/* SPDX-License-Identifier: Apache-2.0 */
#include "base/str.h"
#include "fabric/history/history.h"
#include "fabric/ref.h"
#include "views/console/console_private.h"

static bool port_to_pin(struct console *c, const char *place, struct port **port, struct err *err)
{
	struct ref r = console_page(c)->scope;

	if (*place) {
		if (!ref_parse(c->model, place, &r, err))
			return false;
	} else if (r.kind != REF_PORT && r.kind != REF_PRIORITY) {
		r = console_about(c);
	}
	*port = r.kind == REF_LINK ? NULL : ref_port(c->model, r);
	if (!*port) {
		if (*place)
			err_set(err, ERR_USAGE, "", "%s is not a port", place);
		else
			err_set(err, ERR_USAGE, "", "no port is selected here");
		return err_cure(
			err, "the ports of a device: open it, or pin leaf-r3-00:Ethernet12");
	}
	return true;
}

bool console_pin(struct console *c, const char *place, struct err *err)
{
	struct history_status h;
	char locator[2 * NAME_MAX_LEN + 2], used[16], budget[16];
	struct port *p = NULL;
	bool on;

	if (!c->model)
		return err_set(err, ERR_USAGE, "", "there is no data yet");
	if (!console_refuse_past(c, "no port was pinned", err) || !port_to_pin(c, place, &p, err) ||
		!p)
		return false;
	on = !p->pinned;
	if (!history_pin(c->model, p, on, err))
		return false;
	(void)ref_format(
		c->model, (struct ref){.kind = REF_PORT, .port = p->id}, locator, sizeof(locator));
	console_touch(c);
	console_note(
		c, &(struct console_note){
			   .kind = on ? NOTE_PIN : NOTE_UNPIN, .t_us = c->now_us, .text = locator});
	h = history_status(c->model);
	if (on)
		console_message(c, ROLE_NORMAL,
			"%s is pinned: every poll of it is kept for an hour; all histories: %sB of "
			"%sB",
			locator, str_si((double)h.used, used, sizeof(used)),
			str_si((double)h.budget, budget, sizeof(budget)));
	else
		console_message(c, ROLE_NORMAL, "%s is not pinned any more", locator);
	return true;
}
