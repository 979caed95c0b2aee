/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the actions without an end, for the start of a program and for `railtop ledger settle`. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "actions/ledger/ledger_file.h"
#include "base/str.h"

#define LAST_BYTES ((off_t)8 << 20)

bool ledger_open_acts(const char *path, ledger_open_vec *out, struct err *err)
{
	struct ledger_holder holder;
	struct open_acts *acts;
	struct ledger_scan s;
	enum scan_got got;
	const char *line;
	off_t size = 0;
	size_t len;
	int fd, code;

	if (!ledger_open_reading(path, &fd, &size, &code, err))
		return code == ENOENT;
	acts = open_acts_new();
	ledger_scan_begin(&s, fd, size > LAST_BYTES ? size - LAST_BYTES : 0, size);
	while ((got = ledger_scan_next(&s, &line, &len)) != SCAN_END && got != SCAN_FAILED) {
		json_t *o = got == SCAN_LINE ? json_loadb(line, len, 0, NULL) : NULL;

		if (o)
			open_acts_line(acts, o);
		json_decref(o);
	}
	ledger_scan_end(&s);
	(void)close(fd);
	ledger_holder_of(path, &holder);
	open_acts_list(acts, holder.host, holder.pid, out);
	open_acts_free(acts);
	return got != SCAN_FAILED || err_set(err, ERR_IO, path, "cannot be read");
}

void ledger_open_text(const struct ledger_open *o, struct err *out)
{
	char place[2 * NAME_MAX_LEN + 2];

	(void)str_printf(place, sizeof(place), "%s%s%s", o->device, o->port[0] ? ":" : "", o->port);
	if (!o->sent[0]) {
		(void)err_set(out, ERR_REFUSED, place,
			"%s by %s (%s) has no end; no request had been sent", o->action, o->user,
			o->act);
		(void)err_cure(
			out, "railtop ledger settle %s --reason \"nothing was sent\"", o->act);
		return;
	}
	(void)err_set(out, ERR_REFUSED, place,
		"%s by %s (%s) has no end; the last request was \"%.120s\", %s", o->action, o->user,
		o->act, o->sent, o->answered ? "and it was answered" : "without a known answer");
	if (o->undo[0])
		(void)err_cure(out,
			"look at it; \"%.120s\" takes it back; then: railtop ledger settle %s "
			"--reason TEXT",
			o->undo, o->act);
	else
		(void)err_cure(out,
			"look whether \"%.160s\" took effect, else give it; then: railtop ledger "
			"settle %s --reason TEXT",
			o->again[0] ? o->again : o->sent, o->act);
}
